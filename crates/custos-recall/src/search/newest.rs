//! A question without words: what is newest.

use custos_index::{Entry, Index, IndexError};
use custos_model::Kind;

use crate::access::may_see;
use crate::search::{Ask, Found, Order, Parts, Relevance, Search, boost, found_in};

/// The kinds that have text.
const TEXTS: [Kind; 4] =
    [Kind::PromptSubmitted, Kind::ObservationRecorded, Kind::SummaryRecorded, Kind::KnowledgeSaved];

/// How many rows of a kind are looked at, at first and at most, in search of those that are wanted.
const AT_FIRST: usize = 64;
const AT_MOST: usize = 4096;

impl Search<'_> {
    pub(super) fn newest(&mut self, ask: &Ask<'_>) -> Result<Vec<Found>, IndexError> {
        let projects = ask.with_own();
        let query = ask.query(&projects);
        let is_wanted = |entry: &Entry| Index::is_wanted(entry, &query) && may_see(&ask.viewer, entry);
        let mut entries = Vec::new();
        // Of all projects where none is named; and of their own for those who may see little of the others.
        let own = ask.viewer.project().filter(|_| ask.projects.is_empty());
        let everywhere = ask.projects.is_empty().then_some(None);
        let lists: Vec<Option<&str>> =
            ask.projects.iter().copied().chain(own).map(Some).chain(everywhere).collect();
        for kind in if ask.kinds.is_empty() { &TEXTS } else { ask.kinds } {
            for project in &lists {
                entries.extend(self.newest_of(*kind, *project, ask.limit, &is_wanted)?);
            }
        }
        let newest_first = |a: &Entry, b: &Entry| b.ts.cmp(&a.ts).then(a.id.cmp(&b.id));
        entries.sort_by(newest_first);
        entries.dedup_by(|a, b| a.id == b.id);
        entries.truncate(ask.limit);
        let mut found = Vec::with_capacity(entries.len());
        for entry in entries {
            // Listed from the same state of the index, so it is there.
            let Some((key, entry)) = self.index.entry_of(entry.id)? else { continue };
            let parts = boost::weigh(Parts::default(), &entry, ask, &self.policy.boosts);
            let mut row = found_in(key, entry, parts, Relevance::default());
            row.snippet.clone_from(&row.entry.excerpt);
            found.push(row);
        }
        if ask.order == Order::Oldest {
            found.sort_by(ask.order.by_time());
        }
        Ok(found)
    }

    /// Lists the newest of a kind that are wanted, looking farther back while there are too few.
    fn newest_of(
        &mut self,
        kind: Kind,
        project: Option<&str>,
        limit: usize,
        is_wanted: &dyn Fn(&Entry) -> bool,
    ) -> Result<Vec<Entry>, IndexError> {
        let mut looked_at = AT_FIRST.max(limit).min(AT_MOST);
        loop {
            let rows = self.index.recent(kind, project, looked_at)?;
            let is_all = rows.len() < looked_at || looked_at == AT_MOST;
            let mut wanted: Vec<Entry> = rows.into_iter().filter(|entry| is_wanted(entry)).collect();
            if wanted.len() >= limit || is_all {
                wanted.truncate(limit);
                return Ok(wanted);
            }
            looked_at = (looked_at * 4).min(AT_MOST);
        }
    }
}
