//! The three ways in: find, redact, and redact the value of a named field.

use std::borrow::Cow;
use std::ops::Range;

use crate::holes::{Holes, MARKER_CLOSE, MARKER_OPEN, PRIVATE};
use crate::{header, names, scan, values};

/// A stretch of text that must not be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is, as listed by [`kinds`](crate::kinds).
    pub kind: &'static str,
    /// Where it is, in bytes, on character boundaries.
    pub range: Range<usize>,
}

/// How often a text is read at most. Taking a secret out shortens what stands before it, and what was no secret
/// because of what followed may now be one. The second reading finds it; in 200,000 random mixtures a third found
/// nothing. Without a bound, a chain made for it would cost a reading for each link.
const READINGS: usize = 4;

/// Finds secrets and private text; the findings are sorted and do not overlap.
pub fn find(text: &str) -> Vec<Finding> {
    // Old markers are stepped over like findings, but have no kind.
    scanned(text, Holes::new(text).map(|hole| (hole.range, hole.is_private.then_some(PRIVATE))).collect())
}

/// Adds to what is stepped over what is secret between it.
fn scanned(text: &str, mut cuts: Vec<(Range<usize>, Option<&'static str>)>) -> Vec<Finding> {
    for _ in 0..READINGS {
        let mut found = Vec::new();
        let mut from = 0;
        for (range, _) in &cuts {
            scan::gap(text, from..range.start, &mut found);
            from = range.end;
        }
        scan::gap(text, from..text.len(), &mut found);
        if found.is_empty() {
            break;
        }
        cuts.extend(found.into_iter().map(|Finding { kind, range }| (range, Some(kind))));
        cuts.sort_unstable_by_key(|(range, _)| range.start);
    }
    cuts.into_iter().filter_map(|(range, kind)| kind.map(|kind| Finding { kind, range })).collect()
}

/// Replaces secrets and private text by `[redacted:KIND]`, and borrows the text if there is nothing to replace.
pub fn redact(text: &str) -> Cow<'_, str> {
    replace(text, &find(text))
}

/// Replaces secrets, and leaves private text: for what was put together from texts that are clean already. There a tag that one of them only
/// speaks of, and does not close, would take away all the others.
pub fn redact_secrets(text: &str) -> Cow<'_, str> {
    let markers = Holes::new(text).filter(|hole| !hole.is_private).map(|hole| (hole.range, None));
    replace(text, &scanned(text, markers.collect()))
}

/// Redacts the value of a field whose name may tell what the value alone does not, as in `{"password":"hunter2x9"}`.
pub fn redact_field<'v>(name: Option<&str>, value: &'v str) -> Cow<'v, str> {
    let Some(telling) = name.and_then(|name| names::telling(name.as_bytes())) else {
        return redact(value);
    };
    // What is already marked was judged when the whole of it was there.
    if Holes::new(value).next().is_some() {
        return redact(value);
    }
    let found = match telling.class {
        names::Class::Authorization => header::authorization_value(value),
        names::Class::Cookie => header::cookie_value(value),
        _ => {
            let secret = values::is_secret(telling, value.as_bytes(), values::Manner::Quoted);
            let whole = 0..value.len();
            let kind = scan::kind_of_whole(value).unwrap_or(telling.kind);
            if secret { vec![Finding { kind, range: whole }] } else { Vec::new() }
        }
    };
    if found.is_empty() {
        return redact(value);
    }
    let clean = replace(value, &found);
    Cow::Owned(redact(&clean).into_owned())
}

fn replace<'t>(text: &'t str, found: &[Finding]) -> Cow<'t, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for Finding { kind, range } in found {
        clean.push_str(&text[from..range.start]);
        clean.push_str(MARKER_OPEN);
        clean.push_str(kind);
        clean.push_str(MARKER_CLOSE);
        from = range.end;
    }
    clean.push_str(&text[from..]);
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_alone_leave_private_text_and_what_stands_behind_it() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let text =
            format!("Explain the <private> tag. {token} and [redacted:private] <private>{token}</private>.");
        let mark = redact(&token).into_owned();
        assert_eq!(
            redact_secrets(&text),
            format!("Explain the <private> tag. {mark} and [redacted:private] <private>{mark}</private>.")
        );
        assert!(matches!(redact_secrets("a <private>b</private>"), Cow::Borrowed(_)));
    }
}
