//! The sentences of a prompt that its author wrote: without code, logs, quotations and questions.

use super::tongues::{FILLERS, Tongue, all};

/// A sentence.
#[derive(Debug)]
pub(super) struct Sentence<'p> {
    /// As it was typed.
    pub(super) typed: &'p str,
    /// In small letters, with plain apostrophes.
    pub(super) plain: String,
    /// The same, byte for byte, with spaces for what stands in quotes or between backticks: those are names, or others' words.
    pub(super) words: String,
    /// Whether it asks.
    pub(super) asks: bool,
}

/// From this size on a prompt was pasted, mostly.
const PASTED: usize = 4 * 1024;
/// So much of a prompt is looked at.
const LONGEST: usize = 64 * 1024;

/// Cuts a prompt into sentences.
pub(super) fn sentences(prompt: &str) -> Vec<Sentence<'_>> {
    let is_pasted = prompt.len() > PASTED;
    let mut end = prompt.len().min(LONGEST);
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut tag: Option<String> = None;
    for line in prompt[..end].lines() {
        let text = line.trim();
        if let Some(open) = fence {
            if text.starts_with(open) {
                fence = None;
            }
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark)) {
            fence = Some(mark);
            continue;
        }
        if let Some(open) = &tag {
            if text.contains(open.as_str()) {
                tag = None;
            }
            continue;
        }
        if let Some(name) = text.strip_prefix('<').map(|rest| {
            rest.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).next().unwrap_or_default()
        }) {
            let close = format!("</{name}>");
            if !name.is_empty() && text.contains('>') && !text.contains(&close) && prompt.contains(&close) {
                tag = Some(close);
            }
            continue;
        }
        if is_foreign(line, text) || (is_pasted && text.chars().nth(300).is_some()) {
            continue;
        }
        cut_line(without_bullet(text), &mut found);
    }
    found
}

/// Tells whether a line is code, a log or a quotation rather than prose.
fn is_foreign(line: &str, text: &str) -> bool {
    if text.is_empty()
        || text.starts_with(['>', '|', '@', '{', '}', '$', '<', '+', '\\', '='])
        || text.starts_with("//")
        || text.starts_with("/*")
    {
        return true;
    }
    if line.starts_with("    ") && !text.starts_with(['-', '*', '•'])
        || line.starts_with('\t') && !text.starts_with(['-', '*', '•'])
    {
        return true;
    }
    if text.ends_with([';', '{', '}'])
        || text.starts_with("at ") && text.contains(':')
        || text.starts_with("File \"")
    {
        return true;
    }
    // `src/a.rs:12: …`
    let first = text.split(' ').next().unwrap_or(text);
    if first.split(':').nth(1).is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    let head: String = text.chars().take(40).collect();
    let lower = head.to_ascii_lowercase();
    if [
        "error:",
        "error[",
        "warning:",
        "traceback",
        "fatal:",
        "exception",
        "npm err",
        "caused by",
        "[error",
        "[info",
        "[warn",
        "[debug",
        "info:",
        "warn:",
        "debug:",
        "fail ",
        "typeerror",
        "assertionerror",
        "diff --git",
        "index ",
        "note: ",
    ]
    .iter()
    .any(|mark| lower.starts_with(mark))
    {
        return true;
    }
    // A time at the start makes a log: `2024-05-01 12:00:00`, `12:00:01.123`, `[12:00:01]`.
    let bare = text.trim_start_matches('[');
    let digits = bare.bytes().take(10).filter(u8::is_ascii_digit).count();
    if digits >= 6 && bare.bytes().take(10).any(|byte| matches!(byte, b':' | b'-' | b'/')) {
        return true;
    }
    if [" ERROR ", " INFO ", " WARN ", " DEBUG "].iter().any(|level| head.contains(level)) {
        return true;
    }
    // Too much of it is neither a letter nor a space.
    let (mut letters, mut others) = (0_usize, 0_usize);
    for c in text.chars().take(200) {
        if c.is_alphanumeric() || c == ' ' {
            letters += 1;
        } else if !matches!(
            c,
            '.' | ',' | '!' | '?' | '\'' | '’' | '`' | '"' | '-' | '/' | '_' | '。' | '、' | '，'
        ) {
            others += 1;
        }
    }
    others * 4 > letters
}

fn without_bullet(text: &str) -> &str {
    let rest = text.trim_start_matches(['-', '*', '•', '–', '#']).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = rest[digits..]
        .strip_prefix(['.', ')'])
        .filter(|rest| digits > 0 && digits < 3 && rest.starts_with(' '));
    numbered.unwrap_or(rest).trim_start()
}

/// Words after which a full stop ends nothing.
const SHORTENED: [&str; 20] = [
    "e.g", "i.e", "etc", "vs", "z.b", "bzw", "ca", "d.h", "p.ex", "ej", "approx", "resp", "usw", "evtl",
    "ggf", "incl", "z. b", "т.е", "напр", "max",
];

fn cut_line<'p>(line: &'p str, found: &mut Vec<Sentence<'p>>) {
    let mut from = 0;
    let mut in_code = false;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '`' {
            in_code = !in_code;
        }
        let ends = match c {
            '。' | '！' | '？' | '；' => true,
            '!' | '?' | '.' | ';' => {
                let next_is_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
                !in_code && next_is_space && !(c == '.' && is_shortened(&line[from..at]))
            }
            _ => false,
        };
        if ends {
            let to = at + c.len_utf8();
            push(&line[from..to], found);
            from = to;
        }
    }
    push(&line[from..], found);
}

fn is_shortened(text: &str) -> bool {
    let lower = text.rsplit(' ').next().unwrap_or(text).to_lowercase();
    SHORTENED.contains(&lower.as_str())
        || (lower.chars().count() == 1 && lower.chars().all(char::is_alphabetic))
}

fn push<'p>(typed: &'p str, found: &mut Vec<Sentence<'p>>) {
    let typed = typed.trim();
    if typed.is_empty() {
        return;
    }
    let asks = typed.ends_with(['?', '？'])
        || typed.ends_with("?!")
        || typed.ends_with("!?")
        || typed.starts_with('¿');
    let plain: String = typed.replace(['’', '‘', '´'], "'").chars().map(small).collect();
    let words = unquoted(&plain);
    found.push(Sentence { typed, plain, words, asks });
}

/// The small letter of a letter, where it takes the same room: places in both texts stay the same.
fn small(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(small), None) if small.len_utf8() == c.len_utf8() => small,
        _ => c,
    }
}

fn unquoted(plain: &str) -> String {
    const PAIRS: [(char, char); 7] =
        [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`'), ('「', '」'), ('『', '』')];
    let mut words = String::with_capacity(plain.len());
    let mut closing = None;
    for (at, c) in plain.char_indices() {
        let blank = |words: &mut String| words.extend(std::iter::repeat_n(' ', c.len_utf8()));
        match closing {
            Some(close) => {
                blank(&mut words);
                if c == close {
                    closing = None;
                }
            }
            None => match PAIRS.iter().find(|(open, _)| *open == c) {
                Some((_, close)) if plain[at + c.len_utf8()..].contains(*close) => {
                    closing = Some(*close);
                    // Something stands there, and is no instruction.
                    words.push('_');
                    words.extend(std::iter::repeat_n(' ', c.len_utf8() - 1));
                }
                _ => words.push(c),
            },
        }
    }
    words
}

/// With which two bytes the words of a text begin, as a set that may hold more than that: most sentences have no word of most tongues,
/// and this tells so without looking for each of them.
pub(super) struct Openings {
    words: [u64; 4],
    places: [u64; 4],
}

impl Openings {
    pub(super) fn of(text: &str) -> Self {
        let (mut words, mut places) = ([0; 4], [0; 4]);
        let mut is_inside = false;
        for (at, pair) in text.as_bytes().windows(2).enumerate() {
            let bit = bit(pair[0], pair[1]);
            places[bit >> 6] |= 1 << (bit & 63);
            if !is_inside || !text.is_char_boundary(at) {
                words[bit >> 6] |= 1 << (bit & 63);
            }
            is_inside = pair[0].is_ascii_alphanumeric() || !pair[0].is_ascii();
        }
        Self { words, places }
    }

    /// Tells whether one of the words may be there that a statement of this tongue has.
    pub(super) fn may_hold(&self, tongue: &Tongue) -> bool {
        let set = if tongue.is_dense { &self.places } else { &self.words };
        let telling = [
            tongue.no,
            tongue.always,
            tongue.never,
            tongue.habits,
            tongue.from_now,
            tongue.agreed,
            tongue.prefers,
            tongue.deliberate,
            tongue.instead_of,
            tongue.swapped,
            tongue.instead,
            tongue.not,
            tongue.should_be,
            tongue.meant_by_itself,
        ];
        telling.iter().flat_map(|words| words.iter()).any(|word| match word.as_bytes() {
            [first, second, ..] if first.is_ascii_alphanumeric() || !first.is_ascii() => {
                let bit = bit(*first, *second);
                set[bit >> 6] & (1 << (bit & 63)) != 0
            }
            // “, not” begins with no letter.
            _ => false,
        })
    }
}

fn bit(first: u8, second: u8) -> usize {
    usize::from(first.wrapping_mul(31) ^ second.wrapping_mul(7))
}

/// Tells whether a sentence is a no and nothing else: what follows it corrects.
pub(super) fn is_bare_no(sentence: &Sentence<'_>) -> bool {
    let text = start(&sentence.words);
    all().iter().any(|tongue| {
        tongue
            .no
            .iter()
            .any(|no| text.strip_prefix(no).is_some_and(|rest| rest.chars().all(|c| !c.is_alphanumeric())))
    })
}

/// The text without what only leads in: “ok”, “please”, “and also”.
pub(super) fn start(text: &str) -> &str {
    let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    'again: loop {
        for filler in FILLERS {
            if let Some(after) = rest.strip_prefix(filler)
                && after.starts_with(|c: char| !c.is_alphanumeric() && c != '\'')
            {
                rest = after.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
                continue 'again;
            }
        }
        return rest;
    }
}

/// Tells whether a text begins with a word.
pub(super) fn begins(text: &str, word: &str, tongue: &Tongue) -> bool {
    text.strip_prefix(word).is_some_and(|after| tongue.is_dense || ends_word(word, after))
}

fn ends_word(word: &str, after: &str) -> bool {
    !word.ends_with(|c: char| c.is_alphanumeric())
        || !after.starts_with(|c: char| c.is_alphanumeric() || c == '\'')
}

/// Finds a word as a whole.
pub(super) fn at(text: &str, word: &str, tongue: &Tongue) -> Option<usize> {
    at_from(text, 0, word, tongue)
}

/// Finds a word as a whole, from a place on.
pub(super) fn at_from(text: &str, mut from: usize, word: &str, tongue: &Tongue) -> Option<usize> {
    while let Some(found) = text[from..].find(word) {
        let place = from + found;
        let before = text[..place].chars().next_back();
        let starts = before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.')));
        if tongue.is_dense || (starts && ends_word(word, &text[place + word.len()..])) {
            return Some(place);
        }
        from = place + word.len();
    }
    None
}

/// Tells whether a word opens the text or a clause of it.
pub(super) fn opens_clause(text: &str, word: &str, tongue: &Tongue) -> bool {
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| at(rest, word, tongue)) {
        let place = from + found;
        if tongue.is_dense || is_opening(text[..place].trim_end(), tongue) {
            return true;
        }
        from = place + word.len();
    }
    false
}

/// Tells whether an instruction can begin behind this: nothing stands there, or only a lead-in, or a clause ends.
pub(super) fn is_opening(before: &str, tongue: &Tongue) -> bool {
    let clause = before.rfind([',', ';', ':', '—', '–', '(', '.']).map_or(before, |at| {
        let rest = &before[at..];
        rest.trim_start_matches(|c: char| !c.is_alphanumeric())
    });
    let clause = clause.rsplit_once(" - ").map_or(clause, |(_, rest)| rest).trim();
    let padded = format!("{clause} ");
    let rest = start(&padded).trim();
    rest.is_empty() || tongue.openers.contains(&rest)
}

/// The clause of a text around a place.
pub(super) fn clause(text: &str, at: usize) -> &str {
    const MARKS: [char; 9] = [',', ';', ':', '(', ')', '—', '–', '、', '，'];
    let start = text[..at]
        .rfind(MARKS)
        .map_or(0, |place| place + text[place..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(MARKS).map_or(text.len(), |place| at + place);
    &text[start..end]
}

/// Tells whether a clause describes rather than instructs: by who it begins with, or by how it or its verb ends.
pub(super) fn describes(clause: &str, tongue: &Tongue) -> bool {
    let clause = clause.trim_matches(|c: char| !c.is_alphanumeric());
    if !tongue.ends.is_empty() && !tongue.ends.iter().any(|end| clause.ends_with(end)) {
        return true;
    }
    let is_third_person =
        |word: &str| word.chars().count() > 3 && tongue.third_person.iter().any(|end| word.ends_with(end));
    if clause.split(|c: char| !c.is_alphanumeric()).any(is_third_person) {
        return true;
    }
    // “die Tests immer mit -q laufen lassen” begins like a description, and ends like an instruction.
    let has_infinitive = tongue.has_infinitive_last && clause.ends_with("en");
    tongue.determiners.contains(&first_word(start(&format!("{clause} ")))) && !has_infinitive
}

/// Words behind which “not” belongs to a verb.
const AUXILIARIES: [&str; 20] = [
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "if", "or", "should", "can",
    "could", "will", "would", "must", "may", "it's",
];

/// What “not” makes an adjective of.
const NOTHING: [&str; 12] =
    ["null", "nil", "none", "empty", "only", "just", "yet", "too", "be", "to", "so", "blank"];

/// Finds a “not” that sets something against what is asked for: behind a comma, or right before the end.
pub(super) fn contrast(text: &str, word: &str, tongue: &Tongue) -> Option<usize> {
    let place = at(text, word, tongue).filter(|place| *place > 0)?;
    if word.starts_with(',') {
        return Some(place);
    }
    let before = text[..place].trim_end();
    let last = before.rsplit(' ').next().unwrap_or(before);
    let rest = &text[place + word.len()..];
    let behind = rest.split_whitespace().count();
    // “make it not null” sets nothing against anything.
    if NOTHING.contains(&first_word(rest.trim_start())) {
        return None;
    }
    (!AUXILIARIES.contains(&last) && (1..=4).contains(&behind)).then_some(place)
}

/// The first word of a text.
pub(super) fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '\'')).unwrap_or(text.len());
    &text[..end]
}

/// Tells whether an English word is a past form, as in “never worked”.
pub(super) fn is_past(word: &str) -> bool {
    word.len() > 4
        && word.ends_with("ed")
        && !matches!(word, "embed" | "proceed" | "exceed" | "speed" | "succeed")
}
