//! A question without words: what is newest, or oldest.

use custos_index::{End, Entry, IndexError};

use crate::access::may_see;
use crate::search::{Ask, Found, Order, Parts, Relevance, Search, boost, found_in};

/// Says that something may be missing.
const CUT: &str =
    "there is more than one question without words looks through; narrow it by a project, a time or words";

impl Search<'_> {
    pub(super) fn newest(&mut self, ask: &Ask<'_>) -> Result<Vec<Found>, IndexError> {
        let projects = ask.with_own();
        let query = ask.query(&projects);
        let end = if ask.order == Order::Oldest { End::Oldest } else { End::Newest };
        let at_hand = self.at_hand;
        let is_shown =
            |entry: &Entry| !ask.is_echo(entry) && at_hand.has(entry) && may_see(&ask.viewer, entry);
        let listed = self.index.by_time(&query, end, &is_shown)?;
        if listed.is_cut {
            self.notes.push(CUT.to_owned());
        }
        let found = listed.found.into_iter().map(|(key, entry)| {
            let parts = boost::weigh(Parts::default(), &entry, ask, &self.policy.boosts);
            let mut row = found_in(key, entry, parts, Relevance::default());
            row.snippet.clone_from(&row.entry.excerpt);
            row
        });
        Ok(found.collect())
    }
}
