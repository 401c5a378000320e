//! What git is told about a store: what it leaves alone, and which directories stay.
//!
//! Handoffs, worklog and plans lie in `local/`, and whoever reads that they stay on this machine relies on it. So the store's `.gitignore` is
//! looked at whenever the store is changed: one that is missing is made, and one that does not speak of `local/` gets the line. Every other
//! byte of it stays. A line that takes `local/` out again was written on purpose, and is only told by the doctor.
//!
//! A branch that has no `.ai/` yet has no such file either, and `local/` stays when git changes to it. So `local/` has one of its own.
//!
//! Git knows no empty directories. Where one branch archives the last item of a directory, a merge takes that directory for renamed and carries
//! what another branch added to it into the archive. So each directory of items has a file that stays ([`KEEPER`]).

use crate::lines::insert;

/// The file, below the store.
pub(crate) const FILE: &str = ".gitignore";

/// What a new one says. A process that is killed leaves a file that it was just writing.
pub(crate) const NEW: &str = "# Files that were never finished.\n.custos-*\n\
                              # Handoffs, worklog, plans and other things of this machine.\nlocal/\n";

/// The file that hides `local/` also in a branch without the other, and what it says.
pub(crate) const OWN_OF_LOCAL: &str = "local/.gitignore";
pub(crate) const ALL: &str = "*\n";

/// The directories of items.
const ITEMS: [&str; 4] = ["decisions", "memory/feedback", "memory/patterns", "backlog"];
/// The empty file that keeps a directory of items in git.
pub(crate) const KEEPER: &str = ".gitkeep";

/// Names the file that keeps the directory of an item in git, if it is one of the store's.
pub(crate) fn keeper(item: &str) -> Option<String> {
    let (directory, _) = item.rsplit_once('/')?;
    ITEMS.contains(&directory).then(|| format!("{directory}/{KEEPER}"))
}

/// Says whether git leaves `local/` alone; `None` where nobody has said anything about it.
pub(crate) fn hides_local(text: &str) -> Option<bool> {
    text.trim_start_matches('\u{feff}').lines().filter_map(verdict).next_back()
}

/// Gives the text with the line that it lacks, if it does.
pub(crate) fn completed(text: &str) -> Option<String> {
    hides_local(text).is_none().then(|| insert(text, text.len(), "local/\n"))
}

/// What a line says about `local/`, if it does.
fn verdict(line: &str) -> Option<bool> {
    let line = line.trim_end();
    let (verdict, pattern) = line.strip_prefix('!').map_or((true, line), |pattern| (false, pattern));
    let pattern = pattern.strip_prefix("**/").or_else(|| pattern.strip_prefix('/')).unwrap_or(pattern);
    matches!(pattern, "local" | "local/" | "local/*" | "local/**" | "*" | "**").then_some(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Desk;

    /// What becomes of a `.gitignore` when something is written to its store.
    fn written(before: &str) -> String {
        let desk = Desk::repo();
        desk.put(FILE, before);
        desk.base.ask(&desk.view(), "Which one?", "").unwrap();
        desk.read(FILE)
    }

    #[test]
    fn whoever_writes_keeps_git_from_what_is_local() {
        for (before, after) in [
            ("", "local/\n"),
            ("*.tmp", "*.tmp\nlocal/\n"),
            ("# ours\r\nlocals/\r\n", "# ours\r\nlocals/\r\nlocal/\r\n"),
            ("!keep\n", "!keep\nlocal/\n"),
        ] {
            assert_eq!(written(before), after);
        }
    }

    #[test]
    fn what_hides_it_or_shows_it_on_purpose_keeps_every_byte() {
        for text in
            [NEW, "\u{feff}local\r\n", "/local/", "**/local/**\nx\n", "*\n", "!local/\n", "local/\n!/local"]
        {
            assert_eq!(written(text), text);
        }
    }

    #[test]
    fn what_is_local_hides_itself_also_where_no_other_file_does() {
        let desk = Desk::repo();
        let ask = || drop(desk.base.ask(&desk.view(), "Which one?", "").unwrap());
        ask();
        assert_eq!(desk.read(OWN_OF_LOCAL), ALL);
        // A store of before has none.
        let path = desk.view().own().store.path(OWN_OF_LOCAL);
        std::fs::remove_file(&path).unwrap();
        ask();
        assert_eq!(desk.read(OWN_OF_LOCAL), ALL);
        // Who wants git to have it has said so.
        std::fs::remove_file(&path).unwrap();
        desk.put(FILE, "local/\n!local/\n");
        ask();
        assert!(!path.exists());
        desk.put(OWN_OF_LOCAL, "ids\n");
        desk.put(FILE, NEW);
        ask();
        assert_eq!(desk.read(OWN_OF_LOCAL), "ids\n");
    }

    #[test]
    fn a_gitignore_that_cannot_be_read_keeps_nobody_from_writing() {
        let desk = Desk::repo();
        desk.put(FILE, b"\xff\n");
        desk.base.ask(&desk.view(), "Which one?", "").unwrap();
        assert_eq!(std::fs::read(desk.view().own().store.path(FILE)).unwrap(), b"\xff\n");
    }
}
