//! The highest number of each kind that a store has given out, as far as this machine knows.
//!
//! An id is never given out twice, also not after its file was removed: what people and other files say about it would then be about another.
//! The files alone do not know what is gone, so `local/ids` remembers it, beside the lock under which ids are given out:
//!
//! ```text
//! D 12
//! B 4
//! ```
//!
//! It is of this machine: git leaves it alone, so that nothing in it has to be merged. A clone begins with what its files say, and who loses it
//! does as well.

use crate::store::{Store, StoreError, Writing};

/// The file, below the store.
const FILE: &str = "local/ids";
/// How far the remembered number may be ahead of the files. Nobody removes more, and a file that says otherwise is damaged.
const MOST_GONE: u32 = 100_000;

/// Gives the highest number of a kind, of which the files have `there`.
pub(crate) fn highest(store: &Store, letter: char, there: u32) -> u32 {
    raised(&store.read(FILE).ok().flatten().unwrap_or_default(), letter, there)
}

/// Gives the highest number of a kind that is remembered, if it can be believed where the files have `there`.
pub(crate) fn noted(store: &Store, letter: char, there: u32) -> u32 {
    believed(&store.read(FILE).ok().flatten().unwrap_or_default(), letter, there)
}

/// Remembers the number that is about to be given out, unless a higher one was. It is done before anything has that number: whoever dies in
/// between leaves a gap, and never a number that is given out again. Where it cannot be written the files have to do.
pub(crate) fn note(writing: &Writing<'_>, letter: char, given: Option<u32>) {
    let Some(given) = given else { return };
    let noted = |text: &str| {
        let highest = raised(text, letter, given);
        let others = text.lines().filter(|line| !line.is_empty() && !line.starts_with(letter));
        let lines: String = others.map(|line| format!("{line}\n")).collect();
        format!("{lines}{letter} {highest}\n")
    };
    let _: Result<(), StoreError> = writing.revise(FILE, noted);
}

/// Raises a number to the one that is remembered, if that can be believed.
fn raised(text: &str, letter: char, there: u32) -> u32 {
    believed(text, letter, there).max(there)
}

fn believed(text: &str, letter: char, there: u32) -> u32 {
    let noted = text.lines().find_map(|line| number(line, letter)).unwrap_or(0);
    if noted.saturating_sub(there) > MOST_GONE { 0 } else { noted }
}

fn number(line: &str, letter: char) -> Option<u32> {
    line.strip_prefix(letter)?.strip_prefix(' ')?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::backlog::NewTask;
    use crate::decision::NewDecision;
    use crate::testing::Desk;

    fn ids(desk: &Desk, title: &str) -> [String; 3] {
        let text = || "Text.".to_owned();
        let decision = NewDecision {
            title: title.to_owned(),
            decision: text(),
            reasoning: text(),
            source: "manual",
            ..NewDecision::default()
        };
        let task = NewTask { title: title.to_owned(), description: text(), ..NewTask::default() };
        let view = desk.view();
        [
            desk.base.save_decision(&decision, &view).unwrap().remove(0).id,
            desk.base.add_task(&task, &view).unwrap().remove(0).id,
            desk.base.ask(&view, &format!("{title}?"), "").unwrap().id,
        ]
    }

    #[test]
    fn an_id_is_not_given_out_again_after_its_file_was_removed() {
        let desk = Desk::repo();
        assert_eq!(ids(&desk, "First thing"), ["D-001", "B-001", "Q-001"]);
        assert_eq!(ids(&desk, "Another matter"), ["D-002", "B-002", "Q-002"]);
        let store = desk.view().own().store.clone();
        for directory in ["decisions", "backlog"] {
            fs::remove_dir_all(store.path(directory)).unwrap();
        }
        fs::remove_file(store.path("questions.md")).unwrap();
        assert_eq!(ids(&desk, "Something else"), ["D-003", "B-003", "Q-003"]);
        assert_eq!(desk.read("local/ids"), "D 3\nB 3\nQ 3\n");
        // A clone has only the files, and what is not believable does not count.
        fs::remove_file(store.path("local/ids")).unwrap();
        assert_eq!(ids(&desk, "A fourth one"), ["D-004", "B-004", "Q-004"]);
        desk.put("local/ids", "D 999999999\nB x\n\nQ -1\n");
        assert_eq!(ids(&desk, "The fifth of them"), ["D-005", "B-005", "Q-005"]);
    }

    #[test]
    fn a_number_is_remembered_before_anything_has_it() {
        let desk = Desk::repo();
        // Nothing can be written there, as if the process had died before.
        desk.put("decisions", "in the way");
        let new = NewDecision {
            title: "Use UTC".to_owned(),
            decision: "Text.".to_owned(),
            source: "manual",
            ..NewDecision::default()
        };
        let refused = desk.base.save_decision(&new, &desk.view()).unwrap_err();
        assert!(refused.problem.contains("decisions/D-001-use-utc.md cannot be written"), "{refused}");
        assert_eq!(desk.read("local/ids"), "D 1\n");
        fs::remove_file(desk.view().own().store.path("decisions")).unwrap();
        assert_eq!(desk.base.save_decision(&new, &desk.view()).unwrap()[0].id, "D-002");
    }

    #[test]
    fn a_number_is_never_lowered() {
        let desk = Desk::repo();
        let store = desk.view().own().store.clone();
        let writing = store.lock().unwrap();
        for (given, expected) in [(7, "D 7\n"), (3, "D 7\n"), (8, "D 8\n")] {
            super::note(&writing, 'D', Some(given));
            assert_eq!(desk.read("local/ids"), expected);
        }
        // What is not believable does not count here either.
        desk.put("local/ids", "D 999999999\n");
        super::note(&writing, 'D', Some(9));
        assert_eq!(desk.read("local/ids"), "D 9\n");
    }
}
