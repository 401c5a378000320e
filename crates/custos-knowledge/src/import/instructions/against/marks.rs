//! Marks that say how a rule is meant, and the emphasis around them: ❌, ✅, `**🚫 Never do:** …`.

/// What stands at a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Mark {
    For,
    Against,
}

/// Marks that forbid, and never show what is wrong.
pub(super) const NO_ENTRY: &[&str] = &["🚫", "⛔", "🛑", ":no_entry"];

const MARKS: &[(Mark, &[&str])] = &[
    (
        Mark::Against,
        &[
            "❌",
            "❎",
            "✗",
            "✘",
            "✖",
            "✕",
            "🚫",
            "⛔",
            "🛑",
            "👎",
            "🙅",
            ":x:",
            ":no_entry:",
            ":no_entry_sign:",
            ":-1:",
        ],
    ),
    (Mark::For, &["✅", "✔", "✓", "☑", "👍", ":white_check_mark:", ":heavy_check_mark:", ":+1:"]),
];

/// Takes the mark off a text that begins or ends with one.
pub(in super::super) fn unmarked(text: &str) -> (Option<Mark>, &str) {
    // What makes a mark of a character in colour, and emphasis around it.
    let around =
        |c: char| c.is_whitespace() || is_emphasis(c) || matches!(c, '\u{fe0f}' | '\u{fe0e}' | '\u{200d}');
    let begun = text.trim_start_matches(around);
    let ended = text.trim_end_matches(around);
    for (mark, signs) in MARKS {
        for sign in *signs {
            if let Some(rest) = begun.strip_prefix(sign) {
                let behind = |c: char| (around(c) && !is_emphasis(c)) || ":–—-".contains(c);
                let rest = rest.trim_start_matches(behind);
                // Emphasis may be around the sign alone.
                let closed = rest.strip_prefix(emphasis(text)).unwrap_or(rest);
                return (Some(*mark), closed.trim_start_matches(behind));
            }
            if let Some(rest) = ended.strip_suffix(sign).filter(|_| !text.contains('\n')) {
                return (Some(*mark), rest.trim_end());
            }
        }
    }
    (None, text)
}

/// Takes the mark off a text that is kept. Emphasis that encloses the mark and more is left around the rest.
pub(super) fn taken_off(text: &str) -> (Option<Mark>, String) {
    let (mark, rest) = unmarked(text);
    let whole = text.trim();
    let opened = emphasis(whole);
    let at = whole.len() - rest.len();
    if mark.is_none() || at == 0 {
        return (mark, rest.to_owned());
    }
    if whole.ends_with(rest) {
        let is_closed = opened.is_empty() || whole[opened.len()..at].contains(opened);
        return (mark, if is_closed { rest.to_owned() } else { format!("{opened}{rest}") });
    }
    let closed = &whole[whole.trim_end_matches(is_emphasis).len()..];
    (
        mark,
        rest.strip_suffix(closed)
            .map_or_else(|| format!("{rest}{closed}"), |rest| rest.trim_end().to_owned()),
    )
}

fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '_')
}

/// The marks of emphasis that a text begins with.
fn emphasis(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.len() - text.trim_start_matches(is_emphasis).len()]
}
