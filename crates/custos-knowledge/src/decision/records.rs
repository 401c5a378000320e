//! What the decision records of others say in their own words: their status, and their date.
//!
//! adr-tools keeps both in the text, MADR has a status of its own in the front matter. Whoever asks what became of a decision asks here, so that
//! lists and the doctor never disagree.

use crate::text::{Document, Field};

/// What became of a decision.
pub const STATUSES: [&str; 3] = [ACTIVE, SUPERSEDED, REVOKED];

pub(crate) const ACTIVE: &str = "active";
const SUPERSEDED: &str = "superseded";
const REVOKED: &str = "revoked";

/// What others write for it. `proposed` and `draft` are not among them: whether such a one binds, a person has to say.
const OTHERS: [(&str, &str); 7] = [
    ("accepted", ACTIVE),
    ("approved", ACTIVE),
    ("adopted", ACTIVE),
    // As adr-tools spelt it for years.
    ("superceded", SUPERSEDED),
    ("deprecated", REVOKED),
    ("rejected", REVOKED),
    ("withdrawn", REVOKED),
];

/// What a status begins with that names the successor.
const BY: &str = "superseded by ";

/// Reads the word for a status, ours or that of another system, in whatever case.
pub(crate) fn known_status(word: &str) -> Option<&'static str> {
    let word = word.trim();
    // As MADR has it.
    if word.get(..BY.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(BY)) {
        return Some(SUPERSEDED);
    }
    let mut all = STATUSES.into_iter().map(|own| (own, own)).chain(OTHERS);
    all.find(|(spelt, _)| spelt.eq_ignore_ascii_case(word)).map(|(_, own)| own)
}

/// Reads the status of a decision: that of its front matter, as it stands if nobody knows it, or else that of its text.
pub(crate) fn status(document: &Document) -> &str {
    match document.front().get("status") {
        None | Some(Field::Empty | Field::Text("")) => document.section("Status").map_or(ACTIVE, told),
        Some(Field::Text(word)) => known_status(word).unwrap_or(word),
        Some(_) => ACTIVE,
    }
}

/// Gives the status of a decision that no longer holds.
pub(crate) fn past_status(document: &Document) -> Option<&'static str> {
    let status = status(document);
    [SUPERSEDED, REVOKED].into_iter().find(|past| *past == status)
}

/// Says whether a status is one of those that no longer hold.
pub(super) fn is_past(status: &str) -> bool {
    matches!(status, SUPERSEDED | REVOKED)
}

/// Reads the first word of a section about the status. Anything that nobody knows hides nothing.
fn told(section: &str) -> &'static str {
    let mut text = section.trim_start();
    // Templates list there what one may write.
    while let Some(comment) = text.strip_prefix("<!--") {
        text = comment.split_once("-->").map_or("", |(_, behind)| behind.trim_start());
    }
    // Some list all that it may be, and tick one.
    let lines = text.lines().map(|line| line.trim_start_matches(['-', '*', '+', ' ', '[']));
    let line = lines
        .map(|line| line.trim_start_matches("x] ").trim_start_matches("X] ").trim())
        .find(|line| !line.is_empty() && !line.starts_with(']'));
    let Some(line) = line else { return ACTIVE };
    let begun = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    // What was struck out is past itself.
    if line.starts_with("~~") || line.starts_with("<del>") {
        return ACTIVE;
    }
    let end = begun.find(|c: char| !c.is_alphanumeric()).unwrap_or(begun.len());
    let (word, rest) = begun.split_at(end);
    match known_status(word) {
        // "Rejected alternatives are below" tells of something else.
        Some(status) if is_past(status) && !ends_there(rest) => ACTIVE,
        status => status.unwrap_or(ACTIVE),
    }
}

/// Says whether a status ends before what follows it, or goes on with when or by what: "Superseded by …".
fn ends_there(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_']);
    let next = rest.trim_start().split(' ').next().unwrap_or_default();
    let goes_on = ["by", "on", "in", "since", "as", "for"].contains(&next.to_ascii_lowercase().as_str());
    !rest.starts_with(' ') || next.is_empty() || goes_on || next.starts_with(|c: char| !c.is_alphabetic())
}

/// Gives what stands behind `Date:` in a text that is nothing but this line: adr-tools writes it between the title and the sections.
pub(super) fn date_alone(text: &str) -> Option<&str> {
    let (key, date) = text.trim().split_once(':')?;
    (key.eq_ignore_ascii_case("date") && !date.contains('\n')).then(|| date.trim())
}

/// Says whether a text is a day such as `2026-01-01`.
pub(super) fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}
