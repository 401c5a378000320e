//! Which files of a client are ours to change, and what we want in them.
//!
//! Pure: a [`Target`] in, [`Wish`]es out; `edit` grants them. What a client's file must look like was found out with the real client, and is
//! said in the client's own file, beside its words. Two things are the same for all and live here: the shape of the block of
//! instructions, and how a command line is quoted.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::Client;
use crate::edit::{Change, JsonEdit, Ours, Part};
use crate::event::Moment;

/// Where a client is wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// For everything that the person does.
    User,
    /// For one project.
    Project,
}

/// What wiring needs to know about the machine.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// How far it reaches.
    pub reach: Reach,
    /// The directory of the client's own files: of the person, or in the project.
    pub dir: &'a Path,
    /// The directory of the person's own files for the client, whatever the reach.
    pub user: &'a Path,
    /// Whether the person has moved that directory by its variable.
    pub moved: bool,
    /// The project; of the person's own wiring, their home.
    pub root: &'a Path,
    /// The installed program, as the client is to call it.
    pub program: &'a str,
    /// The clients that are wired together with this one, itself included, as far as their files are where others look for them.
    pub together: &'a [&'static str],
    /// Reads a file, if there is one.
    pub read: &'a dyn Fn(&Path) -> Option<String>,
}

/// Something that we want in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// The file.
    pub path: PathBuf,
    /// What for, in a word or two.
    pub what: &'static str,
    /// What we want in it.
    pub part: Part,
}

/// Where the files of a client are.
#[derive(Debug, Clone, Copy)]
pub struct Dirs {
    /// The variable by which the person can move them; empty where there is none.
    pub variable: &'static str,
    /// The directory below the home directory.
    pub user: &'static str,
    /// The directory in a project.
    pub project: &'static str,
    /// What the program is called.
    pub programs: &'static [&'static str],
}

/// How long a hook may take, in seconds. It takes a thousandth of that; the rest is for a machine that is out of breath.
pub const TIMEOUT: u64 = 10;

/// What agents are told, in Markdown. Under 900 characters, because it is in every request of every session.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");

/// Gives the block of instructions as a wish.
pub(crate) fn instructions(path: PathBuf) -> Wish {
    Wish { path, what: "instructions", part: Part::Block { body: INSTRUCTIONS.trim_end().to_owned() } }
}

/// Gives the hooks of a client as a wish: one entry per event in the arrays below `hooks`.
pub(crate) fn hooks(
    client: &Client,
    path: PathBuf,
    first: Option<JsonEdit>,
    entry: impl Fn(&'static str, Moment) -> Value,
) -> Wish {
    let rows = client.manifest.events.iter().map(|row| JsonEdit {
        at: vec!["hooks".to_owned(), row.event.to_owned()],
        change: Change::Entry {
            value: entry(row.event, row.moment),
            ours: Ours::hook(client.name, row.event),
        },
    });
    Wish { path, what: "hooks", part: Part::Json(first.into_iter().chain(rows).collect()) }
}

/// Gives an entry in the form that Claude Code introduced: a group, here of one hook, for whatever it matches.
pub(crate) fn group(hook: &Value) -> Value {
    json!({ "hooks": [hook] })
}

/// Reads a settings file as its client does: comments, trailing commas and a byte-order mark are allowed.
pub fn settings(text: &str) -> Option<Value> {
    jsonc_parser::parse_to_serde_value(
        text.trim_start_matches('\u{feff}'),
        &jsonc_parser::ParseOptions::default(),
    )
    .ok()
}

/// Writes the command line of a hook for a shell.
pub(crate) fn command_line(program: &str, client: &str, event: &str) -> String {
    format!("{} hook {client} {event}", quoted(program))
}

/// Quotes a path for a shell, if it needs it. A line that changes would have to be trusted anew, so plain paths stay plain.
pub fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:,".contains(c);
    if cfg!(windows) {
        if path.chars().all(|c| plain(c) || c == '\\') { path.to_owned() } else { format!("\"{path}\"") }
    } else if !path.is_empty() && path.chars().all(plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn the_instructions_are_short_and_say_what_matters() {
        assert!(INSTRUCTIONS.chars().count() < 900, "{}", INSTRUCTIONS.chars().count());
        for word in ["context", "repo", "save_decision", "save_memory", "begin_close", "finalize_close"] {
            assert!(INSTRUCTIONS.contains(word), "{word}");
        }
    }

    #[cfg(unix)]
    #[rstest]
    #[case("/usr/bin/custos", "/usr/bin/custos")]
    #[case("/home/Jörg Ä/bin/custos", "'/home/Jörg Ä/bin/custos'")]
    #[case("/it's/custos", r"'/it'\''s/custos'")]
    #[case("/a$b/custos", "'/a$b/custos'")]
    fn a_path_is_one_word_for_a_shell(#[case] path: &str, #[case] word: &str) {
        assert_eq!(quoted(path), word);
        let echoed =
            std::process::Command::new("sh").args(["-c", &format!("printf %s {word}")]).output().unwrap();
        assert_eq!(String::from_utf8(echoed.stdout).unwrap(), path);
    }
}
