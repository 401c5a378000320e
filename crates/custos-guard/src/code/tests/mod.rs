//! Snippets and what they do, written down briefly: one deed per line.

mod bounds;
mod harmless;
mod javascript;
mod others;
mod python;
mod scripting;
mod whole;

use std::fmt::Write;

use super::{Deed, Language, deeds};
use crate::invocation::UNKNOWN;
use crate::words::raw;

/// Finds the deeds of a snippet with as much effort as it takes.
fn found(language: Language, text: &str) -> Vec<Deed> {
    deeds(language, text, &mut |_| true)
}

/// Writes deeds down: `sh …` for a script, `run …` for a program, `?` for what is not known.
fn shown(deeds: &[Deed]) -> String {
    let mut shown = String::new();
    for deed in deeds {
        let line = match deed {
            Deed::Script(script) => format!("sh {script}"),
            Deed::Argv(argv) => {
                format!("run {}", argv.iter().map(|arg| arg.text().to_owned()).collect::<Vec<_>>().join("|"))
            }
            Deed::Read(path) => format!("read {}", path.text()),
            Deed::Write(path) => format!("write {}", path.text()),
            Deed::Delete { path, recursive: false } => format!("delete {}", path.text()),
            Deed::Delete { path, recursive: true } => format!("delete-all {}", path.text()),
            Deed::Rights { path, mode: Some(mode) } => format!("mode {mode:o} {}", path.text()),
            Deed::Rights { path, mode: None } => format!("mode ? {}", path.text()),
            Deed::Unresolved(how) => format!("unresolved {how}"),
        };
        let line = line.replace([UNKNOWN, raw::DOWNLOADED, raw::DECODED], "?");
        writeln!(shown, "{}", line.replace(raw::STAR, "*")).unwrap();
    }
    shown
}

/// Checks every case and reports all that differ at once.
fn check(language: Language, cases: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (text, expected) in cases {
        let got = shown(&found(language, text));
        if got.trim_end() != *expected {
            writeln!(wrong, "{text}\n  expected: {expected:?}\n  got:      {:?}", got.trim_end()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{language:?}:\n{wrong}");
}
