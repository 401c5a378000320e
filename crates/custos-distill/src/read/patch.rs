//! The patches that Codex and OpenCode apply: `*** Begin Patch`, files, and hunks without line numbers.
//!
//! Each hunk becomes an edit of its own. What stands behind `@@` is mostly the head of the function around it; it goes on both sides, so
//! that whoever looks for definitions finds it.

use crate::turn::{Edit, Fate};

/// How a patch begins.
pub(super) const BEGIN: &str = "*** Begin Patch";

/// Reads a patch; what it does not understand it leaves out.
pub(super) fn read(text: &str) -> Vec<Edit> {
    let mut reading = Reading::default();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("*** Update File: ") {
            reading.file(path, Fate::Changed);
        } else if let Some(path) = line.strip_prefix("*** Add File: ") {
            reading.file(path, Fate::Created);
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            reading.file(path, Fate::Deleted);
            reading.flush();
        } else if let Some(path) = line.strip_prefix("*** Move to: ") {
            reading.moved(path);
        } else if line.starts_with("*** End Patch") {
            break;
        } else if let Some(head) = line.strip_prefix("@@") {
            reading.flush();
            reading.head(head);
        } else {
            reading.line(line);
        }
    }
    reading.flush();
    reading.edits
}

#[derive(Default)]
struct Reading {
    edits: Vec<Edit>,
    open: Option<(String, Fate)>,
    before: String,
    after: String,
    is_dirty: bool,
}

impl Reading {
    fn file(&mut self, path: &str, fate: Fate) {
        self.flush();
        self.open = Some((path.trim().to_owned(), fate));
        self.is_dirty = fate == Fate::Deleted;
    }

    /// A file that moves is gone where it was, and its hunks are told of where it is now.
    fn moved(&mut self, to: &str) {
        let Some((from, _)) = self.open.take() else { return };
        self.edits.push(Edit {
            path: from,
            before: String::new(),
            after: String::new(),
            fate: Fate::Deleted,
        });
        self.open = Some((to.trim().to_owned(), Fate::Changed));
    }

    fn head(&mut self, head: &str) {
        // Line numbers, as in `@@ -1,4 +1,6 @@ fn main()`, tell nothing.
        let head = match head.trim().strip_prefix('-') {
            Some(numbers) => numbers.split_once("@@").map_or("", |(_, head)| head),
            None => head.trim_end_matches("@@"),
        };
        if !head.trim().is_empty() {
            for side in [&mut self.before, &mut self.after] {
                side.push_str(head.trim());
                side.push('\n');
            }
        }
    }

    fn line(&mut self, line: &str) {
        let (sign, rest) = match line.chars().next() {
            Some(sign @ ('+' | '-' | ' ')) => (sign, &line[1..]),
            _ => (' ', line),
        };
        self.is_dirty |= sign != ' ';
        if sign != '+' {
            self.before.push_str(rest);
            self.before.push('\n');
        }
        if sign != '-' {
            self.after.push_str(rest);
            self.after.push('\n');
        }
    }

    fn flush(&mut self) {
        let before = std::mem::take(&mut self.before);
        let after = std::mem::take(&mut self.after);
        let Some((path, fate)) = &self.open else { return };
        if std::mem::take(&mut self.is_dirty) {
            let before = if *fate == Fate::Created { String::new() } else { before };
            self.edits.push(Edit { path: path.clone(), before, after, fate: *fate });
        }
    }
}
