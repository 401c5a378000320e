//! Which calls matter, by language.
//!
//! A row is a call's full name, joined by dots, and what it does; a name that begins with a dot is a method of a text or path, which then
//! is the first argument. The rows are sorted, so that a name is found by halving.

mod javascript;
mod lua;
mod perl;
mod php;
mod python;
mod ruby;

use super::Language;
use super::decode::Coding;

/// What a call does, or gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Gives its first argument to a shell.
    Shell,
    /// Starts a program: a list is its arguments, a text is for a shell.
    Process,
    /// Starts a program that is the first argument; the list of its arguments is the second.
    Program,
    /// Starts a program with options that may hold its arguments.
    Options,
    /// One argument is for a shell, several are a program with its arguments.
    Words,
    /// Starts the program of the first argument with the list in the second, which begins with a name.
    Exec,
    /// The same, with the list written out.
    ExecList,
    /// Runs text as code of the same language.
    Code,
    /// Reads a file.
    Read,
    /// Writes a file.
    Write,
    /// Opens a file in the mode that the second argument names.
    Open,
    /// Perl's `open`.
    PerlOpen,
    /// Reads the first and writes the second.
    Copy,
    /// Deletes the first and writes the second.
    Move,
    /// Writes the second.
    Link,
    /// Deletes a file or an empty directory, or more if an option says so.
    Remove,
    /// Deletes with everything below.
    RemoveTree,
    /// Changes a path's mode.
    Chmod,
    /// Changes the mode of the paths that follow it.
    ModeFirst,
    /// Changes the directory.
    ChangeDir,
    /// Splits the process in two.
    Fork,
    /// Gives what standard input holds.
    Input,
    /// Splits a command into words.
    Split,
    /// Gives the home directory.
    Home,
    /// Gives the name of something new in the temporary directory.
    Temporary,
    /// Gives the temporary directory.
    TemporaryDir,
    /// Gives the working directory.
    Here,
    /// Gives its first argument.
    Same,
    /// Replaces a tilde.
    ExpandHome,
    /// Joins paths.
    Join,
    /// Gives a variable of the environment.
    Env,
    /// Gives a module.
    Import,
    /// Gives a member of the first argument by its name.
    Attribute,
    /// Unwraps a text.
    Decode(Coding),
    /// Unwraps the first argument in the coding that the second names.
    DecodeAs,
    /// Unwraps the second argument in the coding that the first names.
    DecodeBy,
    /// Unpacks what only a program can.
    Inflate,
    /// Downloads.
    Download,
    /// Downloads to the file of this argument.
    DownloadTo(usize),
    /// Gives the characters of numbers.
    Character,
    /// Gives the names that match a pattern.
    Glob,
    /// Gives the names below the first argument that match the second.
    GlobBelow,
    /// Gives the names in a directory.
    Listing,
    /// Gives the paths in a directory.
    ListingBelow,
    /// Gives everything below a directory.
    Walk,
    /// Gives a list.
    List,
    /// Joins a list with the first argument.
    JoinList,
    /// Calls its first argument with the rest.
    Later,
    /// Calls its first argument with each element of the second.
    Unfold,
}

/// The calls of a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    language: Language,
    acts: &'static [(&'static str, Act)],
    /// Names that mean the home directory.
    pub(super) constants: &'static [&'static str],
}

impl Table {
    /// What a call does.
    pub(super) fn act(&self, name: &str) -> Option<Act> {
        let lower;
        let mut name = name;
        if self.language == Language::Php {
            lower = name.to_ascii_lowercase();
            name = &lower;
        }
        let found = self.acts.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.acts.get(found).map(|(_, act)| *act)
    }
}

/// The calls of a language.
pub(super) fn of(language: Language) -> Table {
    let (acts, constants): (_, &[&str]) = match language {
        Language::Python => (python::ACTS, &[]),
        Language::JavaScript => (javascript::ACTS, &["process.env.HOME", "process.env.USERPROFILE"]),
        Language::Perl => (perl::ACTS, &[]),
        Language::Ruby => (ruby::ACTS, &["Dir.home"]),
        Language::Php => (php::ACTS, &[]),
        Language::Lua => (lua::ACTS, &[]),
        Language::Awk | Language::Sed | Language::AppleScript | Language::PowerShell => (&[] as &[_], &[]),
    };
    Table { language, acts, constants }
}

#[cfg(test)]
mod tests {
    use super::{Language, of};

    #[test]
    fn rows_are_sorted_and_single() {
        for language in Language::ALL {
            let names: Vec<_> = of(language).acts.iter().map(|(name, _)| *name).collect();
            let mut sorted = names.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(names, sorted, "{language:?}");
        }
    }
}
