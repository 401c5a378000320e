//! Whole scans of small projects, one for each ecosystem, and of hostile ones.
//!
//! A [`Project`] is a temporary tree. What a scan of it comes to is compared as a whole: the four files as they would be written, and
//! the proposals.

mod bounds;
mod dotnet;
mod files;
mod go;
mod hostile;
mod javascript;
mod jvm;
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

use super::{Limits, Scan, render, scan};

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
