//! What was asked for by its name, in full.
//!
//! A name may mean several items, and leave out others that a reader should know of: twins, items of repos beside, a file that cannot be read.
//! So whoever shows a decision, a memory or a task shows all that were found, says so below them, and labels the whole by whose texts are in it.

use custos_knowledge::View;
use custos_knowledge::decision::Placed;
use custos_knowledge::naming::{Namesake, Unread, noted};
use serde_json::{Value, json};

use crate::answer::{Answer, Unvouched, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::{List, Page};

/// A page of items in full, with what is said of all of them.
pub(super) struct Shown {
    /// The page.
    pub(super) page: Page,
    notes: Vec<String>,
    unvouched: Unvouched,
}

/// Says what somebody should know who is shown items of a name: that some have one id, that repos beside have more, that one cannot be read.
pub(super) fn notes(twins: Option<String>, beside: &[Namesake], unread: Option<&Unread>) -> Vec<String> {
    twins.into_iter().chain(noted(beside)).chain(unread.map(Unread::note)).collect()
}

impl Shown {
    /// Shows items one below the other; `spell` gives the heading of each and what stands below it.
    pub(super) fn of<T>(
        (desk, view, arguments): (&Desk, &View, &Arguments),
        found: &[Placed<T>],
        notes: Vec<String>,
        spell: impl Fn(&Placed<T>) -> (String, String),
    ) -> Self {
        let unvouched = desk.unvouched(view, found.iter().map(|placed| &placed.store), &notes);
        let mut list = List::beginning_with(unvouched.caution());
        for (at, placed) in found.iter().enumerate() {
            let (heading, text) = spell(placed);
            list.say(if at == 0 { "" } else { "\n---\n\n" });
            list.section(&format!("# {heading}\n\n"));
            list.item(text);
        }
        list.say(&with_notes(String::new(), &notes));
        Self { page: desk.page(&list, arguments), notes, unvouched }
    }

    /// Answers with the page; what is noted has this name in the data.
    pub(super) fn answer(self, mut data: Value, notes: &str) -> Answer {
        data["page"] = json!(self.page.number);
        data["pages"] = json!(self.page.of);
        if !self.notes.is_empty() {
            data[notes] = json!(self.notes);
        }
        self.unvouched.mark(&mut data);
        Answer::new(self.page.text, data)
    }
}
