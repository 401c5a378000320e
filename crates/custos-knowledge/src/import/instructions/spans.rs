//! The marks within a line: emphasis, and the code in which there is none.

use std::ops::Range;

/// The marks of emphasis that are taken off.
const EMPHASIS: [&str; 2] = ["**", "__"];

/// Takes the marks of emphasis off a text. In code they are what they look like: `__init__.py`, `src/**`.
pub(super) fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for code in code_spans(text) {
        out.push_str(&unemphasised(&text[at..code.start]));
        out.push_str(&text[code.clone()]);
        at = code.end;
    }
    out.push_str(&unemphasised(&text[at..]));
    out.trim().to_owned()
}

fn unemphasised(text: &str) -> String {
    EMPHASIS.iter().fold(text.to_owned(), |text, mark| text.replace(mark, ""))
}

/// Says where the code within a text is, with its backticks: what stands between two runs of equally many. One that nothing closes is none.
pub(super) fn code_spans(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    // Where the next run of the same length is, so that a text of nothing but runs is read once.
    let mut next_of = vec![None; runs.len()];
    let mut seen = std::collections::HashMap::new();
    for (index, run) in runs.iter().enumerate().rev() {
        next_of[index] = seen.insert(run.len(), index);
    }
    let mut spans = Vec::new();
    let mut index = 0;
    while let Some(run) = runs.get(index) {
        index = match next_of[index] {
            Some(end) => {
                spans.push(run.start..runs[end].end);
                end + 1
            }
            None => index + 1,
        };
    }
    spans
}

/// Says whether a place in a text is within one of its spans, which are in order.
pub(super) fn is_within(spans: &[Range<usize>], at: usize) -> bool {
    let behind = spans.partition_point(|span| span.end <= at);
    spans.get(behind).is_some_and(|span| span.contains(&at))
}
