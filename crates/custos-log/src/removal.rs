//! What was removed, held against what forgettings name.
//!
//! A forgotten record proves nothing about its content, so anybody could blank a record and call it forgotten. What tells the two apart
//! is the `forget.done` event that names it. In this machine's own log it must be there, unless the log has lost something in which
//! it could have stood. Of another machine's log, it may still be on its way here.

use custos_model::EventId;

use crate::error::LogError;
use crate::forget::Named;
use crate::read::{LogReader, Position};
use crate::verify::{Finding, Severity, WriterVerification};

/// A record whose content was removed although no forgetting names it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unnamed {
    pub(crate) id: EventId,
    pub(crate) at: Position,
    pub(crate) seq: u64,
}

/// Adds what is to be said about removed records, once everything else is found; `unnamed` has a list per report.
pub(crate) fn report(
    reader: &LogReader,
    reports: &mut [WriterVerification],
    unnamed: &[Vec<Unnamed>],
) -> Result<(), LogError> {
    if unnamed.iter().all(Vec::is_empty) {
        return Ok(());
    }
    // Once more: somebody may have forgotten something since the first look.
    let named = Named::in_log(reader)?;
    let others_are_damaged = reports.iter().any(|report| !report.own && report.is_damaged());
    for (report, unnamed) in reports.iter_mut().zip(unnamed) {
        let damage = |finding: &&Finding| finding.severity == Severity::Damage;
        let known: Vec<Position> = report.findings.iter().filter(damage).map(Finding::position).collect();
        // Whatever names a record was written after it.
        let last_damage =
            report.findings.iter().filter(damage).map(|finding| finding.seq.unwrap_or(u64::MAX)).max();
        for one in unnamed.iter().filter(|one| !named.names_id(&one.id) && !known.contains(&one.at)) {
            let may_be_lost = others_are_damaged || last_damage.is_some_and(|seq| seq > one.seq);
            let (severity, what) = match (report.own, may_be_lost) {
                (true, false) => (Severity::Damage, "its content was removed, but no forgetting names it"),
                (true, true) => {
                    (Severity::Notice, "its content was removed; what named it may be among what is damaged")
                }
                (false, _) => (
                    Severity::Notice,
                    "its content was removed, but the forgetting that names it is not here",
                ),
            };
            report.find(reader, severity, one.at, Some(one.seq), what);
        }
    }
    Ok(())
}
