//! Brace expansion: `{a,b}` and `{1..9}`, before anything else is resolved.

use crate::invocation::UNKNOWN;
use crate::shell::syntax::{Part, Word};

/// How many words one word may become, and how many characters it may have; bash knows no bound, but nobody reads more.
const MOST_WORDS: usize = 1024;
const MOST_PIECES: usize = 1024;
/// How many numbers of a range are written out; the others are numbers, too.
const MOST_NUMBERS: usize = 16;

/// A word whose braces make more of it than is followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// A piece of a word: a character outside of quotes, or a part that braces do not look into.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Bare(char),
    Other(Part),
}

/// Expands the braces of a word. Gives `None` if there are none, which is nearly always.
pub(crate) fn expand(word: &Word) -> Result<Option<Vec<Word>>, TooMany> {
    let has_brace = |part: &Part| matches!(part, Part::Bare(text) if text.contains('{'));
    if !word.parts.iter().any(has_brace) {
        return Ok(None);
    }
    let mut pieces = Vec::new();
    for part in &word.parts {
        match part {
            Part::Bare(text) => pieces.extend(text.chars().map(Piece::Bare)),
            other => pieces.push(Piece::Other(other.clone())),
        }
    }
    if first_brace(&pieces).is_none() {
        return Ok(None);
    }
    if pieces.len() > MOST_PIECES {
        return Err(TooMany);
    }
    let mut words = Vec::new();
    alternatives(&pieces, &mut words, 0);
    if words.len() >= MOST_WORDS {
        return Err(TooMany);
    }
    let is_changed = words.len() != 1 || words[0] != pieces;
    Ok(is_changed.then(|| words.iter().map(|pieces| word_of(pieces)).collect()))
}

/// Expands a list of pieces into all its alternatives.
fn alternatives(pieces: &[Piece], into: &mut Vec<Vec<Piece>>, depth: usize) {
    const DEEPEST: usize = 12;
    let Some((open, close, choices)) = first_brace(pieces).filter(|_| depth < DEEPEST) else {
        into.push(pieces.to_vec());
        return;
    };
    let mut rests = Vec::new();
    alternatives(&pieces[close + 1..], &mut rests, depth + 1);
    for choice in choices {
        let mut middles = Vec::new();
        alternatives(&choice, &mut middles, depth + 1);
        for middle in &middles {
            for rest in &rests {
                if into.len() >= MOST_WORDS {
                    return;
                }
                into.push([&pieces[..open], middle, rest].concat());
            }
        }
    }
}

/// Finds the first brace that expands: where it opens and closes, and its alternatives.
fn first_brace(pieces: &[Piece]) -> Option<(usize, usize, Vec<Vec<Piece>>)> {
    // Every opening is looked at once, with one scan for its end: bounded by a few openings that lead nowhere.
    const MOST_TRIES: usize = 32;
    let opens = pieces.iter().enumerate().filter(|(_, piece)| **piece == Piece::Bare('{'));
    for (open, _) in opens.take(MOST_TRIES) {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        for (at, piece) in pieces.iter().enumerate().skip(open) {
            match piece {
                Piece::Bare('{') => depth += 1,
                Piece::Bare(',') if depth == 1 => commas.push(at),
                Piece::Bare('}') => {
                    depth -= 1;
                    if depth == 0 {
                        if !commas.is_empty() {
                            return Some((open, at, split(pieces, open, at, &commas)));
                        }
                        if let Some(choices) = range(&pieces[open + 1..at]) {
                            return Some((open, at, choices));
                        }
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    None
}

fn split(pieces: &[Piece], open: usize, close: usize, commas: &[usize]) -> Vec<Vec<Piece>> {
    let mut starts = vec![open + 1];
    starts.extend(commas.iter().map(|comma| comma + 1));
    let ends = commas.iter().copied().chain([close]);
    starts.into_iter().zip(ends).map(|(start, end)| pieces[start..end].to_vec()).collect()
}

/// Reads `1..9`, `a..f`, `1..9..2`.
fn range(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let text: String = pieces
        .iter()
        .map(|piece| if let Piece::Bare(c) = piece { Some(*c) } else { None })
        .collect::<Option<_>>()?;
    let mut parts = text.split("..");
    let (from, to) = (parts.next()?, parts.next()?);
    let step = parts.next().map_or(Ok(1), str::parse::<i64>).ok()?.unsigned_abs().max(1);
    if parts.next().is_some() {
        return None;
    }
    let spell = |value: i64| value.to_string().chars().map(Piece::Bare).collect::<Vec<_>>();
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let step = i64::try_from(step).ok()?;
        let count = usize::try_from(from.abs_diff(to) / step.unsigned_abs() + 1).ok()?;
        let direction = if from <= to { step } else { -step };
        let nth = |n: usize| from + direction * i64::try_from(n).unwrap_or_default();
        let mut numbers: Vec<Vec<Piece>> = (0..count.min(MOST_NUMBERS)).map(|n| spell(nth(n))).collect();
        if count > MOST_NUMBERS {
            numbers.push(vec![Piece::Bare(UNKNOWN)]);
        }
        return Some(numbers);
    }
    let letter = |text: &str| text.chars().next().filter(|c| c.is_ascii_alphabetic() && text.len() == 1);
    let (from, to) = (letter(from)?, letter(to)?);
    let (low, high) = (from.min(to), from.max(to));
    let mut letters: Vec<Vec<Piece>> = (low..=high).map(|c| vec![Piece::Bare(c)]).collect();
    if from > to {
        letters.reverse();
    }
    Some(letters)
}

fn word_of(pieces: &[Piece]) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    for piece in pieces {
        match (piece, parts.last_mut()) {
            (Piece::Bare(c), Some(Part::Bare(text))) => text.push(*c),
            (Piece::Bare(c), _) => parts.push(Part::Bare(c.to_string())),
            (Piece::Other(part), _) => parts.push(part.clone()),
        }
    }
    Word { parts }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("{rm,-rf,/}", &["rm", "-rf", "/"])]
    #[case("a{b,c}d", &["abd", "acd"])]
    #[case("{a,b}{c,d}", &["ac", "ad", "bc", "bd"])]
    #[case("{a,{b,c}}", &["a", "b", "c"])]
    #[case("{1..3}", &["1", "2", "3"])]
    #[case("{3..1}", &["3", "2", "1"])]
    #[case("{a..c}x", &["ax", "bx", "cx"])]
    #[case("{0..10..5}", &["0", "5", "10"])]
    #[case("{a}{b,c}", &["{a}b", "{a}c"])]
    #[case("x{,y}", &["x", "xy"])]
    fn braces(#[case] text: &str, #[case] expected: &[&str]) {
        let word = Word { parts: vec![Part::Bare(text.to_owned())] };
        let words: Vec<Word> =
            expected.iter().map(|text| Word { parts: vec![Part::Bare((*text).to_owned())] }).collect();
        assert_eq!(expand(&word), Ok(Some(words)));
    }

    #[test]
    fn more_than_anybody_writes() {
        let many: String = (0..1100).map(|n| format!("a{n},")).collect();
        for text in [format!("{{{many}b}}"), "{a,b}".repeat(300), "{a,b}".repeat(10)] {
            assert_eq!(expand(&Word { parts: vec![Part::Bare(text)] }), Err(TooMany));
        }
    }

    #[rstest]
    #[case("{}")]
    #[case("{a}")]
    #[case("a{b")]
    #[case("{a..}")]
    #[case("{1..b}")]
    fn no_braces(#[case] text: &str) {
        assert_eq!(expand(&Word { parts: vec![Part::Bare(text.to_owned())] }), Ok(None));
    }
}
