//! An option that the agent had named, and the person chose: “we go with a)”, “the second one”.
//!
//! The reply only points. What was chosen stands in what the agent said before, as an item of a list or in a row (`(a) …, (b) …`); where it
//! cannot be found there, nobody will know the day after what was meant, and nothing is told.

use super::story::Story;
use super::wording::one_line;

/// So many turns back an option may have been named.
const BACK: usize = 3;
/// A reply that is longer says more than which.
const REPLY: usize = 160;

/// What was chosen, and what was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) chosen: String,
    pub(crate) others: Vec<String>,
}

/// Finds the option that a reply points at, in what the agent said last.
pub(crate) fn resolved(story: &Story<'_>, reply: &str) -> Option<Choice> {
    let nth = pointed(reply)?;
    let messages = story.before.iter().rev().take(BACK).take_while(|turn| !turn.is_private);
    let mut offers = messages.filter_map(|turn| turn.message.as_deref()).map(options);
    let mut options = offers.find(|options| options.len() > 1)?;
    if nth >= options.len() {
        return None;
    }
    let chosen = options.remove(nth);
    Some(Choice { chosen, others: options })
}

/// Says which option a reply points at, counted from none; none where it does not choose.
pub(crate) fn pointed(reply: &str) -> Option<usize> {
    #[rustfmt::skip]
    const TAKES: &[&str] = &[
        "go with", "going with", "go for", "take", "agreed", "let's do", "lets do", "do", "prefer", "pick", "choose", "yes", "ok",
        "nehmen", "nimm", "machen", "mach", "lieber", "ja", "partons", "prends", "prenons", "on part", "oui", "vamos con",
        "mejor", "sí", "vamos de", "andiamo con", "prendiamo", "doen we", "neem",
    ];
    #[rustfmt::skip]
    const KINDS: &[&str] = &[
        "option", "variant", "variante", "plan", "approach", "alternative", "opción", "opcion", "opção", "opzione", "optie", "lösung",
    ];
    #[rustfmt::skip]
    const ORDINALS: &[(&str, usize)] = &[
        ("first", 0), ("second", 1), ("third", 2), ("1st", 0), ("2nd", 1), ("3rd", 2), ("erste", 0), ("ersten", 0), ("zweite", 1),
        ("zweiten", 1), ("dritte", 2), ("dritten", 2), ("premier", 0), ("première", 0), ("deuxième", 1), ("primera", 0),
        ("segunda", 1), ("primeira", 0), ("prima", 0), ("seconda", 1), ("eerste", 0), ("tweede", 1),
    ];
    const NOUNS: &[&str] =
        &["one", "option", "variant", "variante", "approach", "way", "alternative", "solution", "opción"];
    const ARTICLES: &[&str] = &["the", "die", "das", "den", "der", "la", "le", "el", "a", "o", "il", "de"];
    let text = one_line(reply).to_lowercase();
    if text.chars().count() > REPLY || text.contains(['?', '\u{ff1f}']) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let takes = TAKES.iter().any(|take| {
        text.match_indices(take).any(|(at, _)| {
            let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            is_edge(text[..at].chars().next_back()) && is_edge(text[at + take.len()..].chars().next())
        })
    });
    words.iter().enumerate().find_map(|(at, word)| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let before =
            at.checked_sub(1).map_or("", |at| words[at].trim_matches(|c: char| !c.is_alphanumeric()));
        let next = words.get(at + 1).map_or("", |next| next.trim_matches(|c: char| !c.is_alphanumeric()));
        let is_closed = word.trim_end_matches(['.', ',', '!', ';', ':']).ends_with(')');
        let ends = at + 1 == words.len() || word.ends_with([',', '.', '!', ';']);
        if let Some(nth) = label(bare) {
            let is_named = KINDS.contains(&before);
            let is_marked = is_closed && (takes || words.len() <= 3);
            return (is_named || is_marked).then_some(nth);
        }
        let (_, nth) = ORDINALS.iter().find(|(ordinal, _)| *ordinal == bare)?;
        let is_named = ARTICLES.contains(&before) && ends;
        (takes && (NOUNS.contains(&next) || is_named)).then_some(*nth)
    })
}

/// Reads `a` and `1` as the first, and so on.
fn label(word: &str) -> Option<usize> {
    match word.as_bytes() {
        [letter @ b'a'..=b'f'] => Some(usize::from(letter - b'a')),
        [digit @ b'1'..=b'6'] => Some(usize::from(digit - b'1')),
        _ => None,
    }
}

/// Lists the options that a message names, in their order; they count up from the first.
fn options(message: &str) -> Vec<String> {
    let by_line = message.lines().filter_map(|line| labelled(line.trim()));
    let lines = counted(by_line.map(|(nth, text)| (nth, text.to_owned())));
    if lines.len() > 1 {
        return lines;
    }
    message.lines().map(in_a_row).find(|row| row.len() > 1).unwrap_or_default()
}

/// Keeps what counts up from the first.
fn counted(labelled: impl Iterator<Item = (usize, String)>) -> Vec<String> {
    let mut found = Vec::new();
    for (nth, text) in labelled {
        if nth == found.len() {
            found.push(plain(&text));
        }
    }
    found
}

/// Reads an item of a list: `a) …`, `2. …`, `- **Option B**: …`.
fn labelled(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(['-', '*', '•', '#', ' ', '(']);
    let lower = line.to_lowercase();
    let skipped = ["option ", "variante ", "variant ", "opción ", "opção "]
        .iter()
        .find(|kind| lower.starts_with(**kind))
        .map_or(0, |kind| kind.len());
    let line = line.get(skipped..)?;
    let mark = line.chars().next()?;
    let nth = label(&mark.to_lowercase().to_string())?;
    let rest = &line[mark.len_utf8()..];
    let text = rest.trim_start_matches(['*', ')', '.', ':', '–', '-', '—', ' ']);
    let is_marked = rest.starts_with([')', '.', ':', '*']) || skipped > 0 && rest.starts_with(' ');
    (is_marked && text.len() < rest.len() && text.chars().count() > 3).then_some((nth, text))
}

/// Reads options in one line: `(a) this, (b) that or (c) the other.`
fn in_a_row(line: &str) -> Vec<String> {
    let mut places: Vec<(usize, usize, usize)> = Vec::new();
    for (at, _) in line.match_indices(") ") {
        let head = &line[..at];
        let Some(mark) = head.chars().next_back() else { continue };
        let begin = at - mark.len_utf8();
        let is_free = head[..begin].chars().next_back().is_none_or(|c| c == '(' || c.is_whitespace());
        if let Some(nth) = label(&mark.to_lowercase().to_string()).filter(|_| is_free) {
            places.push((nth, begin, at + 2));
        }
    }
    let texts = places.iter().enumerate().map(|(at, (nth, _, from))| {
        let end = places.get(at + 1).map_or(line.len(), |(_, begin, _)| *begin);
        let text = &line[*from..end];
        let text = text.split_once(". ").map_or(text, |(first, _)| first);
        (*nth, text.to_owned())
    });
    counted(texts)
}

/// Takes off what only joins an option to the next, and emphasis.
fn plain(text: &str) -> String {
    let text = super::wording::plain(text);
    let mut rest = text.trim_end_matches(|c: char| c.is_whitespace() || "(,;.".contains(c));
    for joint in [" or", " and", " oder", " und", " ou", " et", " o", " y", " of"] {
        rest = rest.strip_suffix(joint).unwrap_or(rest);
    }
    rest.trim_end_matches([',', ';', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{options, pointed};

    #[rstest]
    #[case("ok, go with b)", Some(1))]
    #[case("option 2 please", Some(1))]
    #[case("wir nehmen die zweite Variante", Some(1))]
    #[case("take the first one, the other is too slow", Some(0))]
    #[case("ja, Variante C", Some(2))]
    #[case("oui, partons sur la deuxième", Some(1))]
    #[case("what would option b cost?", None)]
    #[case("do it first, then the docs", None)]
    #[case("the first test is red", None)]
    #[case("we take a while to answer", None)]
    fn a_reply_points(#[case] reply: &str, #[case] expected: Option<usize>) {
        assert_eq!(pointed(reply), expected);
    }

    #[rstest]
    #[case::items("Two ways:\n1. cache the rates per day\n2. ask the bank each time\n\nWhich one?", &["cache the rates per day", "ask the bank each time"])]
    #[case::named("- **Option A**: a lock per shard\n- **Option B**: one queue", &["a lock per shard", "one queue"])]
    #[case::row("We can (a) keep the cookie, (b) move to a header or (c) drop it. I like b.", &["keep the cookie", "move to a header", "drop it"])]
    #[case::none("Every 5 minutes (a) it is.", &[])]
    fn options_are_listed(#[case] message: &str, #[case] expected: &[&str]) {
        let found = options(message);
        assert_eq!(if found.len() > 1 { found } else { Vec::new() }, expected);
    }
}
