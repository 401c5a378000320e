//! The ids that items of a tree had, those that they have here, and the texts that speak of them.
//!
//! What a field refers to goes along with its item. A text is a person's, and stays as it is: where it names an id that is another's here, that
//! is told, so that somebody can put it right.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The letters of ids.
const LETTERS: [char; 3] = ['D', 'B', 'Q'];
/// The most digits of a number.
const MOST_DIGITS: usize = 9;

/// What is known of the ids of one tree.
#[derive(Debug, Default)]
pub(super) struct References {
    /// The ids here of those that had an id there.
    homes: HashMap<String, Vec<String>>,
    /// The ids that texts name, by their files.
    named: BTreeMap<String, BTreeSet<String>>,
}

impl References {
    /// Remembers which id an item has here.
    pub(super) fn settle(&mut self, there: &str, here: &str) {
        if let Some(id) = ids_in(there).next() {
            self.homes.entry(id).or_default().push(here.to_owned());
        }
    }

    /// Remembers which ids a text names.
    pub(super) fn hear(&mut self, file: &str, text: &str) {
        for id in ids_in(text) {
            self.named.entry(file.to_owned()).or_default().insert(id);
        }
    }

    /// Gives the id here of what a field refers to. Of an id that several had nobody knows which was meant.
    pub(super) fn home(&self, id: &str) -> Option<&str> {
        match self.homes.get(id)?.as_slice() {
            [home] => Some(home),
            _ => None,
        }
    }

    /// Says of each file which ids in its text are others' here.
    pub(super) fn broken(&self) -> impl Iterator<Item = (&str, String)> {
        self.named.iter().filter_map(|(file, ids)| {
            let moved: Vec<String> = ids.iter().filter_map(|id| self.moved(id)).collect();
            (!moved.is_empty()).then(|| (file.as_str(), format!("its text names {}", moved.join(", "))))
        })
    }

    fn moved(&self, id: &str) -> Option<String> {
        let homes = self.homes.get(id)?;
        let others: Vec<&str> = homes.iter().map(String::as_str).filter(|home| *home != id).collect();
        match others.as_slice() {
            [] => None,
            [other] if homes.len() == 1 => Some(format!("{id}, which is {other} here")),
            others => Some(format!("{id}, which several had: {} here", others.join(", "))),
        }
    }
}

/// Finds the ids in a text, each as we write it.
fn ids_in(text: &str) -> impl Iterator<Item = String> {
    let begins = text.match_indices('-').filter_map(|(dash, _)| {
        let mut before = text[..dash].chars().rev();
        let letter = before.next()?.to_ascii_uppercase();
        let is_apart = before.next().is_none_or(|c| !c.is_alphanumeric() && c != '-');
        (LETTERS.contains(&letter) && is_apart).then_some((letter, &text[dash + 1..]))
    });
    begins.filter_map(|(letter, rest)| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let ends = !rest[digits..].starts_with(char::is_alphanumeric);
        let number: u32 = rest[..digits].parse().ok().filter(|_| digits <= MOST_DIGITS && ends)?;
        Some(format!("{letter}-{number:03}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_a_text() {
        let text = "See D-002, (b-7) and Q-1.\nNot AD-003, D-x, D-4a, ID-5, 2026-06-20, –-1, D-1234567890 or é-6; but D-0012-slug.";
        assert_eq!(ids_in(text).collect::<Vec<_>>(), ["D-002", "B-007", "Q-001", "D-012"]);
    }

    #[test]
    fn what_moved_is_told() {
        let mut references = References::default();
        for (there, here) in [("D-1", "D-006"), ("D-002", "D-002"), ("D-003", "D-003"), ("D-003", "D-007")] {
            references.settle(there, here);
        }
        references.hear("a.md", "See D-001, D-002 and D-003.");
        references.hear("b.md", "See D-002 and D-009.");
        let told = references.broken().collect::<Vec<_>>();
        let what =
            "its text names D-001, which is D-006 here, D-003, which several had: D-007 here".to_owned();
        assert_eq!(told, [("a.md", what)]);
        assert_eq!(
            ["D-001", "D-002", "D-003"].map(|id| references.home(id)),
            [Some("D-006"), Some("D-002"), None]
        );
    }
}
