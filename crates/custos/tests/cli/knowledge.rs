//! The knowledge base as typed: a story through its commands, where they look and what they refuse, and texts from an editor.

mod asking;
mod dashes;
#[cfg(unix)]
mod editor;
mod saying;
mod story;

use std::path::PathBuf;

use custos_testkit::TempHome;
use serde_json::Value;

use crate::guard::{custos_in, repo};
use crate::shell::{Ran, home, settings};

/// A project and what was typed in it so far, with the answers.
struct Story {
    home: TempHome,
    root: PathBuf,
    text: String,
}

impl Story {
    fn begin() -> Self {
        let home = home();
        let root = repo(&home, "feat");
        Self { home, root, text: String::new() }
    }

    /// Types a command, which must succeed.
    fn type_in(&mut self, line: &str) -> &mut Self {
        let ran = self.run(line);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}: {}", ran.stdout);
        self.text.push_str(&format!("$ custos {line}\n{}\n", ran.stdout));
        self
    }

    /// Gives what was told since the last time.
    fn told(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    fn run(&self, line: &str) -> Ran {
        custos_in(&self.home, &self.root, &words(line))
    }

    fn json(&self, line: &str) -> Value {
        let ran = self.run(&format!("{line} --json"));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}: {}", ran.stdout);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    fn settings(&self) -> insta::Settings {
        let mut settings = settings(&self.home);
        settings.add_filter(r"in \d+ spellings", "in N spellings");
        settings.add_filter(r"\d{8}T\d{6}Z", "STAMP");
        settings.add_filter(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "DATE");
        settings
    }

    fn file(&self, below: &str) -> String {
        std::fs::read_to_string(self.root.join(".ai").join(below)).unwrap()
    }
}

/// Takes a line apart as a shell does, as far as these stories need it: at spaces, but not between single quotes.
fn words(line: &str) -> Vec<&str> {
    let pieces = line.split('\'').enumerate();
    pieces
        .flat_map(|(at, piece)| match at % 2 {
            0 => piece.split_whitespace().collect(),
            _ => vec![piece],
        })
        .collect()
}

const FIRST_DECISION: &str = "decisions add --title 'Times are UTC' --decision 'All times are stored in UTC.' --reasoning 'Two zones were mixed up.'";
