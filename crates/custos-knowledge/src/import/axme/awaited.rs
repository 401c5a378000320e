//! What is still to come: a base that begins where there is a tree keeps the tree's ids free.
//!
//! A preset's decisions, or whatever is accepted before somebody thinks of the import, would take the first numbers; the tree's would get others,
//! and every text that names one would be about another item. So the numbers that the tree came with are given out to nobody else.

use super::cargo::Packed;
use super::numbers::{self, Given};
use super::{Load, tree};
use crate::base::{Base, View};
use crate::refusal::Refusal;

/// A tree that nobody has carried over.
#[derive(Debug)]
pub(crate) struct Awaited {
    numbers: Vec<Given>,
}

impl Awaited {
    /// Says so, with what to do.
    pub(crate) fn told(&self) -> String {
        let spans: Vec<String> = self.numbers.iter().map(span).collect();
        let kept = match spans.as_slice() {
            [] => String::new(),
            spans => format!("; its ids are kept free for it: {}", spans.join(", ")),
        };
        format!(
            "what AXME Code kept in .axme-code is not here yet: `custos import axme` carries it over{kept}"
        )
    }
}

fn span(given: &Given) -> String {
    match given.span() {
        [first, last] if first == last => first,
        [first, last] => format!("{first} to {last}"),
    }
}

impl Base {
    /// Says whether there is a tree beside the store that has something new for it.
    pub(crate) fn awaited(&self, view: &View) -> Option<Awaited> {
        let trees = tree::find(&view.root.path).ok()?;
        let (loads, _) = self.loads(&trees);
        let is_own = |load: &Load<'_>| load.stack.store == view.own().store;
        let Packed { writes, given, .. } = self.pack(&loads.into_iter().find(is_own)?);
        if writes.is_empty() {
            return None;
        }
        Some(Awaited { numbers: numbers::awaited(&given) })
    }

    /// Keeps the ids of a tree free until it is carried over.
    pub(crate) fn keep_free(&self, view: &View, awaited: &Awaited) -> Result<(), Refusal> {
        if awaited.numbers.is_empty() {
            return Ok(());
        }
        let writing = self.lock(&view.own().store)?;
        for given in &awaited.numbers {
            numbers::remember(&writing, given);
        }
        Ok(())
    }
}
