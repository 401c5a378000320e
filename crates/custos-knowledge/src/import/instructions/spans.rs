//! The marks within a line: emphasis, quotations, and the code in which there is none of them.

use std::ops::Range;

/// The marks of emphasis that are taken off.
const EMPHASIS: [&str; 2] = ["**", "__"];

/// What quotations stand between. The last two are apostrophes as well.
const QUOTES: [(char, char); 8] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('„', '”'), ('«', '»'), ('「', '」'), ('\'', '\''), ('‘', '’')];
/// What stands for a quotation: no word that says anything.
const QUOTED: &str = "x";

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

/// Puts one word in place of each quotation and each piece of code within a text: what they say, its writer does not say.
pub(super) fn without_quoted(text: &str) -> String {
    let mut code = code_spans(text).into_iter().peekable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        while code.next_if(|span| span.start < at).is_some() {}
        let span = code.next_if(|span| span.start == at);
        if let Some(end) = span.map(|span| span.end).or_else(|| quotation_end(text, at, c)) {
            out.push_str(QUOTED);
            at = end;
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

/// Says where a quotation ends that a character begins, if it does: it encloses whole words, which an apostrophe does not.
fn quotation_end(text: &str, at: usize, begin: char) -> Option<usize> {
    let closes = |end: char, behind: usize| {
        !matches!(end, '\'' | '’' | '"') || !text[behind..].starts_with(char::is_alphanumeric)
    };
    let is_begun = !matches!(begin, '\'' | '"') || !text[..at].ends_with(char::is_alphanumeric);
    let inner = at + begin.len_utf8();
    let ends = |end: char| {
        let mut found = text[inner..].match_indices(end).map(|(found, _)| inner + found + end.len_utf8());
        found.find(|behind| closes(end, *behind))
    };
    let mut quotes = QUOTES.iter().filter(|(open, _)| *open == begin && is_begun);
    quotes.find_map(|(_, end)| ends(*end))
}

/// Says whether a place in a text is within one of its spans, which are in order.
pub(super) fn is_within(spans: &[Range<usize>], at: usize) -> bool {
    let behind = spans.partition_point(|span| span.end <= at);
    spans.get(behind).is_some_and(|span| span.contains(&at))
}
