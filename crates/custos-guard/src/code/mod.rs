//! What a snippet in another language would do to files and commands, found without running it.
//!
//! `python -c`, `node -e`, a heredoc into `perl`: each is a shell in disguise. The text is read into tokens ([`lexer`]), so that comments
//! and quoted text are what they are, and then walked once from front to end ([`reader`]): literals, their concatenations and the
//! variables that hold them become values ([`value`]), and a call whose name stands in the language's table ([`table`]) becomes a
//! [`Deed`] ([`call`]). Control flow is ignored: what stands in a branch may run. Functions of the snippet's own are followed by a second
//! walk, in which their parameters are what the first one saw them called with.
//!
//! This is no interpreter, and code that wants to hide will hide. It sees what people and models write in a one-liner, and it is silent
//! about everything that it cannot name, except code that comes out of a download or a decoder.
//!
//! awk, sed, AppleScript and PowerShell have grammars of their own and are read by modules of their own.

mod applescript;
mod awk;
mod bracket;
mod call;
mod decode;
mod format;
mod import;
mod invoke;
mod lexer;
mod likeness;
mod literal;
mod method;
mod powershell;
mod quotes;
mod reader;
mod sed;
mod start;
mod state;
mod statement;
mod table;
mod value;

#[cfg(test)]
mod tests;

use crate::invocation::Arg;
pub(crate) use decode::base64;
use state::State;

/// The languages that are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python.
    Python,
    /// JavaScript and TypeScript, in Node, Deno or Bun.
    JavaScript,
    /// Perl.
    Perl,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Lua.
    Lua,
    /// awk.
    Awk,
    /// sed.
    Sed,
    /// AppleScript, as `osascript` takes it.
    AppleScript,
    /// PowerShell.
    PowerShell,
}

impl Language {
    /// Every language.
    pub(crate) const ALL: [Self; 10] = [
        Self::Python,
        Self::JavaScript,
        Self::Perl,
        Self::Ruby,
        Self::Php,
        Self::Lua,
        Self::Awk,
        Self::Sed,
        Self::AppleScript,
        Self::PowerShell,
    ];
}

/// Something that code does outside of itself.
///
/// A path below the home directory begins with `~`; texts carry the marks of [`crate::words::raw`] for what is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Gives a text to a shell.
    Script(String),
    /// Starts a program without a shell.
    Argv(Vec<Arg>),
    /// Reads a file.
    Read(Arg),
    /// Writes a file.
    Write(Arg),
    /// Deletes.
    Delete {
        /// What.
        path: Arg,
        /// Whether everything below it goes too.
        recursive: bool,
    },
    /// Changes a file's mode.
    Rights {
        /// Whose.
        path: Arg,
        /// The new mode, if it is known.
        mode: Option<u32>,
    },
    /// Runs a command or code that nobody can know, because it was decoded, downloaded or read; says which.
    Unresolved(&'static str),
}

/// What [`Deed::Unresolved`] says about code that was downloaded.
pub(crate) const DOWNLOADED: &str = "downloaded";
/// What [`Deed::Unresolved`] says about code that was decoded.
pub(crate) const DECODED: &str = "decoded";

/// What [`Deed::Unresolved`] says about code that is read from standard input.
pub(crate) const INPUT: &str = "read from standard input";

/// Finds what a snippet does, in the order in which it is written.
///
/// `effort` is asked before work is done that grows with the text; when it answers `false`, what was found so far is returned.
pub(crate) fn deeds(language: Language, text: &str, effort: &mut dyn FnMut(usize) -> bool) -> Vec<Deed> {
    match language {
        Language::Awk => awk::deeds(text, effort),
        Language::Sed => sed::deeds(text, effort),
        Language::AppleScript => applescript::deeds(text, effort),
        Language::PowerShell => powershell::deeds(text, effort),
        Language::Python
        | Language::JavaScript
        | Language::Perl
        | Language::Ruby
        | Language::Php
        | Language::Lua => State::new(language, effort).run(text),
    }
}

/// Reads arbitrary bytes as code of every language; it must neither panic nor hang. The entry point for fuzzing.
pub(crate) fn fuzz_deeds(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for language in Language::ALL {
        let mut left = 4 << 20;
        let found = deeds(language, &text, &mut |amount| {
            let enough = amount <= left;
            left -= amount.min(left);
            enough
        });
        drop(found);
    }
}
