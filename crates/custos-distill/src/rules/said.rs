//! What the person decided or corrected.
//!
//! “No, use pnpm”, “never edit the generated files”, “wir nehmen ab jetzt Postgres”: such sentences outlive their session. They are found
//! by what they are made of, in the words of each [tongue](tongues): a word that tells, at a place where it is an instruction. “It
//! always fails” has the word and is a symptom; “should we always …?” asks; what is quoted or pasted was said by somebody else. A missed
//! sentence is lost for a day, a wrong one is remembered for months: in doubt there is none.

mod limits;
mod prose;
mod subject;
#[cfg(test)]
mod tests;
mod tongues;

use super::commands::cut;
use prose::Sentence;
use tongues::Tongue;

/// What kind of statement it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    /// No, use this (instead of that).
    Correction,
    /// Always do this.
    Always,
    /// Never do that.
    Never,
    /// We agreed; from now on.
    Agreement,
    /// I would rather.
    Preference,
    /// This is how far it goes: only this, none of that, it stays as it is.
    Limit,
}

/// A sentence in which the person decided something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// What kind it is.
    pub(crate) stance: Stance,
    /// The sentence as it was typed; at most 240 characters.
    pub(crate) text: String,
    /// What it is about, where that is plain.
    pub(crate) subject: Option<String>,
    /// What it takes the place of.
    pub(crate) instead_of: Option<String>,
    /// The part of a longer sentence that says it, to the end of the sentence.
    pub(crate) core: Option<String>,
}

/// So many statements are taken from one prompt.
const MOST: usize = 5;
/// The longest statement, in characters.
const LONGEST: usize = 240;
/// A sentence of more characters than this is no instruction, but an essay.
const ESSAY: usize = 600;

/// Finds what the person decided or corrected in a prompt.
pub(crate) fn statements(prompt: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut after_no = false;
    let sentences = prose::sentences(prompt);
    for (at, sentence) in sentences.iter().enumerate() {
        if found.len() == MOST {
            break;
        }
        if prose::is_bare_no(sentence) {
            after_no = true;
            continue;
        }
        let was_no = std::mem::take(&mut after_no);
        if sentence.asks || sentence.plain.chars().nth(ESSAY).is_some() {
            continue;
        }
        let text = cut(sentence.typed, LONGEST);
        if found.iter().any(|statement| statement.text == text) {
            continue;
        }
        if let Some((stance, tongues)) = stance(sentence, was_no) {
            let (subject, instead_of) = subject::found(sentence, stance, &tongues);
            let next = sentences
                .get(at + 1)
                .filter(|next| stance == Stance::Correction && is_remedy(next, &tongues));
            let text = next.and_then(|next| both(prompt, sentence, next)).unwrap_or(text);
            found.push(Statement { stance, text, subject, instead_of, core: None });
        } else if let Some(begin) = limits::found(sentence, at == 0).filter(|_| !is_idle(sentence)) {
            // Places are the same in what was typed, unless an apostrophe was made plain.
            let core = sentence
                .typed
                .get(begin..)
                .filter(|_| begin > 0 && sentence.typed.len() == sentence.words.len());
            let core = core.map(|core| cut(core.trim(), LONGEST)).filter(|core| core.chars().count() >= 12);
            found.push(Statement { stance: Stance::Limit, text, subject: None, instead_of: None, core });
        }
    }
    found
}

/// Tells whether a sentence says what to use: behind a correction that only refuses, it is the other half of it.
fn is_remedy(sentence: &Sentence<'_>, tongues: &[&'static Tongue]) -> bool {
    let opens = |tongue: &&&Tongue| {
        let start = prose::start(&sentence.words);
        tongue.uses.iter().any(|word| prose::begins(start, word, tongue))
    };
    !sentence.asks && tongues.iter().find(opens).is_some() && stance(sentence, false).is_none()
}

/// Gives two sentences as they stand in the prompt, where only blanks are between them and together they are short enough.
fn both(prompt: &str, first: &Sentence<'_>, next: &Sentence<'_>) -> Option<String> {
    let begin = prompt.find(first.typed)?;
    let behind = begin + first.typed.len();
    let gap = prompt[behind..].find(next.typed)?;
    let is_one_breath = prompt[behind..behind + gap].chars().all(|c| c == ' ');
    let text = &prompt[begin..behind + gap + next.typed.len()];
    (is_one_breath && text.chars().count() <= LONGEST).then(|| text.to_owned())
}

/// Tells whether a sentence has a mere saying in it.
fn is_idle(sentence: &Sentence<'_>) -> bool {
    let says =
        |tongue: &Tongue| tongue.idioms.iter().any(|word| prose::at(&sentence.words, word, tongue).is_some());
    tongues::all().iter().any(|tongue| says(tongue))
}

/// Tells what a sentence states, and in which tongues it can be read so: the nearer two are, the more words they share.
fn stance(sentence: &Sentence<'_>, was_no: bool) -> Option<(Stance, Vec<&'static Tongue>)> {
    let text = sentence.words.as_str();
    let says =
        |tongue: &Tongue, words: &[&str]| words.iter().any(|word| prose::at(text, word, tongue).is_some());
    let start = prose::start(text);
    let opens =
        |tongue: &Tongue, words: &[&str]| words.iter().any(|word| prose::opens_clause(text, word, tongue));
    let of = |tongue: &Tongue| {
        if tongue.asks.iter().any(|word| prose::begins(start, word, tongue)) {
            None
        } else if is_rule(text, tongue, |tongue| tongue.never) {
            Some(Stance::Never)
        } else if is_rule(text, tongue, |tongue| tongue.always) || is_habit(text, start, tongue) {
            Some(Stance::Always)
        } else if says(tongue, tongue.from_now) || opens(tongue, tongue.agreed) {
            Some(Stance::Agreement)
        } else if is_correction(start, was_no, tongue) {
            Some(Stance::Correction)
        } else if says(tongue, tongue.deliberate) {
            Some(Stance::Agreement)
        } else if opens(tongue, tongue.prefers) {
            Some(Stance::Preference)
        } else {
            None
        }
    };
    let mut found: Option<(Stance, Vec<&'static Tongue>)> = None;
    let openings = prose::Openings::of(text);
    for tongue in tongues::all().iter().filter(|tongue| was_no || openings.may_hold(tongue)) {
        match (of(tongue), &mut found) {
            (Some(stance), None) => found = Some((stance, vec![tongue])),
            (Some(stance), Some((first, tongues))) if stance == *first => tongues.push(tongue),
            _ => {}
        }
    }
    found.filter(|_| !tongues::all().iter().any(|tongue| says(tongue, tongue.idioms)))
}

/// Tells whether a sentence instructs, and says how often: “run the linter before every commit”.
fn is_habit(text: &str, start: &str, tongue: &Tongue) -> bool {
    tongue
        .habits
        .iter()
        .any(|word| prose::at(text, word, tongue).is_some_and(|at| at > 0 || start.contains(',')))
        && !tongue.symptoms.contains(&prose::first_word(start))
        && !["they", "he", "there", "after", "users", "my"].contains(&prose::first_word(start))
}

/// Tells whether a word of a list makes a rule: it stands where an instruction begins, and what happens by itself is not spoken of.
fn is_rule(text: &str, tongue: &Tongue, list: fn(&Tongue) -> &'static [&'static str]) -> bool {
    list(tongue).iter().any(|word| {
        let Some(at) = prose::at(text, word, tongue) else { return false };
        let (before, after) = (text[..at].trim_end(), text[at + word.len()..].trim_start());
        let next = prose::first_word(after);
        if next.is_empty() && before.split_whitespace().count() < 2 && !tongue.is_dense {
            return false;
        }
        let is_bound = tongue.modals.iter().any(|modal| prose::at(before, modal, tongue).is_some());
        if tongue.is_loose {
            // `sempre` is Portuguese and Italian: a symptom in either is one.
            let clause = prose::clause(text, at);
            let tells = |other: &Tongue| {
                other.symptoms.iter().any(|word| prose::at(clause, word, other).is_some())
                    || prose::describes(clause, other)
            };
            return is_bound
                || !tongues::all().iter().any(|other| list(other).contains(word) && tells(other));
        }
        if tongue.symptoms.contains(&next) || (prose::is_past(next) && !is_bound) {
            return false;
        }
        is_bound || prose::is_opening(before, tongue)
    })
}

/// Tells whether a sentence corrects: a no and an instruction, or an instruction that says what it replaces.
fn is_correction(start: &str, was_no: bool, tongue: &Tongue) -> bool {
    let mut rest = start;
    let mut has_no = was_no;
    if let Some(no) = tongue.no.iter().find(|no| prose::begins(start, no, tongue)) {
        rest = prose::start(&start[no.len()..]);
        has_no = true;
    }
    let instructs = tongue.uses.iter().any(|word| prose::opens_clause(rest, word, tongue))
        // “instead of Y use X”
        || tongue.instead_of.iter().any(|word| prose::begins(rest, word, tongue))
            && tongue.uses.iter().any(|word| prose::at(rest, word, tongue).is_some());
    if has_no && instructs {
        return true;
    }
    if has_no
        && (tongue.meant.iter().any(|word| prose::opens_clause(rest, word, tongue))
            || tongue
                .deliberate
                .iter()
                .chain(tongue.musts)
                .any(|word| prose::at(rest, word, tongue).is_some()))
    {
        return true;
    }
    let replaces = tongue
        .instead_of
        .iter()
        .chain(tongue.swapped)
        .chain(tongue.instead)
        .any(|word| prose::at(rest, word, tongue).is_some());
    if replaces && (instructs || (has_no && prose::at(rest, "uses", tongue).is_none())) {
        return true;
    }
    // “I meant the second one, not the first”
    let says_what_it_should_be = tongue
        .should_be
        .iter()
        .find_map(|word| {
            prose::begins(rest, word, tongue).then(|| prose::first_word(rest[word.len()..].trim_start()))
        })
        .is_some_and(|next| !next.is_empty() && !tongue.vague.contains(&next));
    says_what_it_should_be
        || tongue.meant_by_itself.iter().any(|word| prose::opens_clause(rest, word, tongue))
        || instructs && tongue.not.iter().any(|word| prose::contrast(rest, word, tongue).is_some())
}
