//! The timeline: what happened around something, in the same project, in the order of time.

use custos_index::{Entry, Key};
use custos_model::EventId;

use crate::access::may_see;
use crate::error::RecallError;
use crate::store::Store;
use crate::viewer::Viewer;

/// How many rows are read on one side at most, in search of those that may be shown.
const FARTHEST: usize = 4096;

impl Store {
    /// Gives so many rows before an anchor, the anchor, and so many after it, the oldest first.
    ///
    /// Nothing, if there is no such anchor or the viewer may not see it. What something newer has taken the place of is left out.
    pub fn timeline(
        &mut self,
        anchor: EventId,
        before: usize,
        after: usize,
        viewer: &Viewer<'_>,
    ) -> Result<Vec<(Key, Entry)>, RecallError> {
        let anchor = self.index.entry_of(anchor)?;
        let Some((key, anchor)) = anchor.filter(|(_, entry)| may_see(viewer, entry)) else {
            return Ok(Vec::new());
        };
        let at_hand = &self.at_hand;
        let is_shown =
            |(_, entry): &(Key, Entry)| !entry.superseded && at_hand.has(entry) && may_see(viewer, entry);
        // Some of the rows may not be shown: look farther until enough are left, or there are no more.
        let (mut far_before, mut far_after) = (before, after);
        loop {
            let rows = self.index.beside(key, far_before, far_after)?;
            let at = rows.iter().position(|(other, _)| *other == key);
            let (earlier, later) = match at {
                Some(at) => (&rows[..at], &rows[at + 1..]),
                None => (&rows[..], &rows[rows.len()..]),
            };
            let earlier_shown: Vec<_> = earlier.iter().filter(|row| is_shown(row)).cloned().collect();
            let later_shown: Vec<_> = later.iter().filter(|row| is_shown(row)).take(after).cloned().collect();
            let lacks_before = earlier_shown.len() < before && earlier.len() == far_before;
            let lacks_after = later_shown.len() < after && later.len() == far_after;
            if !(lacks_before || lacks_after) || far_before.max(far_after) >= FARTHEST {
                let skipped = earlier_shown.len().saturating_sub(before);
                let mut line: Vec<_> = earlier_shown.into_iter().skip(skipped).collect();
                line.push((key, anchor));
                line.extend(later_shown);
                return Ok(line);
            }
            let farther = |far: usize, lacks: bool| if lacks { (far * 4).min(FARTHEST) } else { far };
            (far_before, far_after) = (farther(far_before, lacks_before), farther(far_after, lacks_after));
        }
    }
}
