//! Whole scans of small projects, one for each ecosystem, and of hostile ones.
//!
//! A [`Project`] is a temporary tree. What a scan of it comes to is compared as a whole: the four files as they would be written, and
//! the proposals.

mod bounds;
mod ci;
mod commands;
mod documented;
mod dotnet;
mod entries;
mod files;
mod formatting;
mod forms;
mod go;
mod hostile;
mod javascript;
mod jvm;
mod layout;
mod licences;
mod managers;
mod mixed;
mod native;
mod php;
mod python;
mod ruby;
mod rust;
mod swift;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{Command, EntryPoint, Limits, Scan, Topic, render, scan};

/// A tree of files for one test.
struct Project(TempDir);

impl Project {
    /// Makes a tree; a text is written without the line end that follows the opening quotes.
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(TempDir::with_prefix("custos-oracle-").unwrap());
        for (path, text) in files {
            project.write(path, text.strip_prefix('\n').unwrap_or(text).as_bytes());
        }
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    #[expect(clippy::disallowed_methods, reason = "a test that makes its own tree")]
    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn scan(&self) -> Scan {
        scan(self.path(), &Limits::default(), &mut |_| {})
    }

    /// A scan of one of its folders alone.
    fn scan_of(&self, folder: &str) -> Scan {
        scan(&self.path().join(folder), &Limits::default(), &mut |_| {})
    }

    /// The commands, each with its purpose, its folder and the way it is proven.
    fn commands(&self) -> Vec<String> {
        Self::commands_of(self.scan())
    }

    fn commands_of(scan: Scan) -> Vec<String> {
        let told = |command: Command| {
            let place =
                if command.folder.is_empty() { String::new() } else { format!(" in {}", command.folder) };
            format!("{:?}: {}{place} ({:?})", command.purpose, command.command, command.origin)
        };
        scan.commands.into_iter().map(told).collect()
    }

    /// The titles of the proposals.
    fn decisions(&self) -> Vec<String> {
        Self::decisions_of(self.scan())
    }

    fn decisions_of(scan: Scan) -> Vec<String> {
        scan.proposals.into_iter().map(|proposal| proposal.title).collect()
    }

    /// The findings on a topic, with what they say and what proves them.
    fn on(&self, topic: Topic) -> Vec<String> {
        let scan = self.scan();
        let found = scan.stack.into_iter().chain(scan.patterns).filter(|finding| finding.topic == topic);
        let told = found.map(|finding| {
            let detail = finding.detail.map(|detail| format!(" {detail}")).unwrap_or_default();
            format!("{}{detail} ({})", finding.name, finding.source)
        });
        told.collect()
    }

    /// The places where programs begin.
    fn entries(&self) -> Vec<String> {
        let told = |entry: EntryPoint| format!("{}: {} ({})", entry.path, entry.what, entry.source);
        self.scan().entry_points.into_iter().map(told).collect()
    }

    /// Everything that a scan says, as text.
    fn told(&self) -> String {
        let scan = self.scan();
        assert_eq!(scan, self.scan(), "the same tree gives the same scan");
        let oracle = render(&scan);
        let mut out = [oracle.stack, oracle.structure, oracle.patterns, oracle.glossary].join("\n");
        out = out.replace("<!-- custos:scan -->\n", "").replace("<!-- /custos:scan -->\n", "");
        out.push_str("\n# Proposals\n\n");
        for proposal in &scan.proposals {
            out.push_str(&format!(
                "- {} ({}): {} {}\n",
                proposal.title, proposal.evidence, proposal.decision, proposal.reasoning
            ));
        }
        out
    }
}
