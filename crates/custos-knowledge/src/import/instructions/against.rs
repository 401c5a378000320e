//! What turns a rule into its opposite: words above it or before it, or a mark at it.
//!
//! "Push to main" below "Never" forbids what it would demand without that word. So what stands below such a heading, behind such a lead-in
//! or in such a column is given these very words: "Never: push to main". They are right also where the heading is a rule itself and what is
//! below it says how to keep it ("Never commit secrets: use the vault"), which a word of our own would turn round. What says itself how it is
//! meant ([`itself`]) keeps its own words, and what may be meant either way is left out. A mark counts for more than what stands above it.
//! In a column only a denial keeps its own words, as what to do instead stands in the column beside it.
//! A condition or a permission turns nothing round, but what stands below it is no order without it either: [`given`].

mod given;
mod itself;
mod marks;
mod words;

pub(super) use self::given::{Condition, is_given};
use self::itself::{Demand, Denial, demand, denial};
pub(super) use self::itself::{demands, may_be_habit, speaks_for_itself};
pub(super) use self::marks::{Mark, unmarked};
use self::marks::{NO_ENTRY, taken_off};
use self::words::{
    AGAINST, APPROVING, AROUND, DESCRIBING, DOUBTING, FORBIDDING, FORBIDDING_WITHOUT_BLANKS, JOINERS,
    NEGATING, POINTING, SHOWING, SPEAKING_AGAINST, SPEAKING_FOR,
};
use super::LONGEST_RULE;
use super::judging::{spaced, tells, words};
use super::spans::without_marks;
use super::words::VERBS;

/// The words for what has only a mark.
const NEVER: &str = "Never";
const DO: &str = "Do";
/// The most words, in characters, that are repeated before each of the rules that they are about.
const LONGEST: usize = 80;
/// Words that approve, and are denied by what stands right before them.
const DENIED: &[&str] = &["do", "use", "allowed"];
/// The most words of a line in bold that is a heading, and no rule.
const MOST_OF_BOLD: usize = 3;

/// How is meant what stands below some words, or behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bearing {
    /// As it says.
    For,
    /// It is not to be, in these words.
    Against {
        words: String,
        /// Whether all of it is a rule, whatever it looks like: what is called bad may just be described.
        is_rule: bool,
        tone: Tone,
        /// Whether it is about prose, which tells as well what to do instead. What is in a list is just what is forbidden.
        is_prose: bool,
    },
    /// It holds under a condition, or is only allowed, in these words.
    Given {
        words: String,
        /// Whether all of it is a rule, whatever it looks like.
        is_rule: bool,
        condition: Condition,
    },
}

/// How some words are against what stands below them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tone {
    /// They forbid it.
    Forbids,
    /// They describe what is wrong, so that "No tests" there is no prohibition.
    Describes,
    /// They show what is wrong, or holds no longer: "Always use npm" there may be just that.
    Shows,
}

impl Bearing {
    /// What a mark alone says.
    pub(super) fn never() -> Self {
        Self::Against { words: NEVER.to_owned(), is_rule: true, tone: Tone::Forbids, is_prose: false }
    }

    /// What a cross in a row of a table says. It may as well be about what the row demands.
    pub(super) fn crossed() -> Self {
        Self::Against { words: NEVER.to_owned(), is_rule: true, tone: Tone::Shows, is_prose: false }
    }

    /// What is said within the text already.
    pub(super) fn within(is_rule: bool) -> Self {
        Self::Against { words: String::new(), is_rule, tone: Tone::Forbids, is_prose: false }
    }

    pub(super) const fn is_against(&self) -> bool {
        matches!(self, Self::Against { .. })
    }

    pub(super) const fn is_given(&self) -> bool {
        matches!(self, Self::Given { .. })
    }

    pub(super) const fn is_case(&self) -> bool {
        matches!(self, Self::Given { condition: Condition::Case, .. })
    }

    /// Joins it with what is said above it: what is forbidden is forbidden in each case, and in some case only there. Leave ends both.
    pub(super) fn below(self, above: Option<&Self>) -> Self {
        let joined = |above: &str, words: String| format!("{above}: {words}");
        let mut bearing = match (above, self) {
            (
                Some(Self::Against { words: before, is_rule, tone, is_prose }),
                Self::Given { words, condition: Condition::Case, .. },
            ) => {
                let words = joined(before, words);
                Self::Against { words, is_rule: *is_rule, tone: *tone, is_prose: *is_prose }
            }
            (Some(Self::Given { words: before, condition: Condition::Case, .. }), this) => match this {
                Self::For => above.cloned().unwrap_or(Self::For),
                Self::Against { words, is_rule, tone, is_prose } => {
                    Self::Against { words: joined(before, words), is_rule, tone, is_prose }
                }
                Self::Given { words, is_rule, condition } => {
                    Self::Given { words: joined(before, words), is_rule, condition }
                }
            },
            (_, this) => this,
        };
        // Each of what stands there gets its own copy, and what is longer is never shown.
        if let Self::Against { words, .. } | Self::Given { words, .. } = &mut bearing
            && let Some((end, _)) = words.char_indices().nth(LONGEST + 1)
        {
            words.truncate(end);
        }
        bearing
    }

    /// Says whether it is about what is shown as wrong, which may be a rule by its own words.
    pub(super) const fn only_shows(&self) -> bool {
        matches!(self, Self::Against { tone: Tone::Shows, .. })
    }

    /// What a heading says of prose below it: there stands as well why something is forbidden.
    pub(super) fn of_prose(self) -> Self {
        match self {
            Self::Against { words, tone, .. } => {
                Self::Against { words, is_rule: false, tone, is_prose: true }
            }
            Self::Given { words, condition, .. } => Self::Given { words, is_rule: false, condition },
            Self::For => Self::For,
        }
    }
}

/// What is to be said before a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Barred {
    /// The words; none where it says it itself.
    pub(super) words: String,
    /// Whether it is a rule, whatever it looks like.
    pub(super) is_rule: bool,
    /// Whether nobody can tell what is forbidden: "❌ No tests" may forbid the tests, or to be without.
    pub(super) is_unclear: bool,
    /// Whether it is not forbidden, and the words only say when it holds or that it may be.
    pub(super) is_given: bool,
}

impl Barred {
    /// What is said before the other one of a pair, of which a mark forbids the one.
    pub(super) fn counterpart(text: &str) -> Self {
        let words = if has_label(text, SPEAKING_FOR) { String::new() } else { DO.to_owned() };
        Self { words, is_rule: true, is_unclear: false, is_given: false }
    }

    /// Puts the words before a text.
    pub(super) fn before(&self, text: &str) -> String {
        if self.words.is_empty() { text.to_owned() } else { format!("{}: {text}", self.words) }
    }

    /// Says whether there are too many words to repeat.
    pub(super) fn is_overlong(&self) -> bool {
        self.words.chars().count() > LONGEST
    }
}

/// Says how is meant what stands in the column of a table. One for a case may just describe: "Default if unset".
pub(super) fn of_column(head: &str) -> Option<Bearing> {
    let is_told = |bearing: &Bearing| {
        !matches!(
            bearing,
            Bearing::Given { is_rule: false, .. } | Bearing::Given { condition: Condition::Case, .. }
        )
    };
    of_heading(head).filter(is_told)
}

/// Says how is meant what stands below a heading; nothing if it does not say.
pub(super) fn of_heading(heading: &str) -> Option<Bearing> {
    let (mark, rest) = unmarked(heading);
    let lower = lowered(rest);
    let said = spaced(&lower);
    let has = |list: &[&str]| list.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    let forbids = has(FORBIDDING) || FORBIDDING_WITHOUT_BLANKS.iter().any(|word| lower.contains(word));
    if forbids || has(DOUBTING) || has(NEGATING) {
        if is_both(&said) {
            return Some(Bearing::For);
        }
        let is_rule = forbids || mark.is_some();
        let tone = match () {
            () if has(DOUBTING) || has(SHOWING) => Tone::Shows,
            () if has(DESCRIBING) => Tone::Describes,
            () => Tone::Forbids,
        };
        return Some(Bearing::Against { words: shortened(rest), is_rule, tone, is_prose: false });
    }
    if mark == Some(Mark::Against) {
        // The words alone do not say it.
        return Some(Bearing::never());
    }
    let given = given::given(rest);
    if given.is_some() {
        return given;
    }
    let approves = words(&lower).any(|word| APPROVING.contains(&word))
        && words(&lower).all(|word| APPROVING.contains(&word) || AROUND.contains(&word));
    let demands = matches!(demand(rest), Some(Demand::Order | Demand::Habit));
    (approves || mark == Some(Mark::For) || demands).then_some(Bearing::For)
}

/// Says how is meant what follows a text that leads to it: "Don't:", "**Never**", "Avoid these."
pub(super) fn of_lead(text: &str) -> Option<Bearing> {
    let text = text.trim();
    let last = without_marks(text);
    let last = last.trim_end_matches(['.', '!']);
    let last = last.rsplit(['.', '!', '\n']).next().unwrap_or_default().trim();
    (leads(text)).then(|| of_heading(last)).flatten()
}

/// Says whether a text leads to what follows it.
fn leads(text: &str) -> bool {
    let plain = without_marks(text);
    plain.ends_with([':', '：'])
        || is_bold(text)
        || is_nothing_else(&plain)
        || points(&plain)
        || is_condition_alone(text)
}

/// Says whether a text only says under which condition holds what follows it: "**Only with my permission**", "Ask before any of these."
pub(super) fn is_condition_alone(text: &str) -> bool {
    let plain = without_marks(text);
    let is_order = || tells(&plain.to_lowercase(), VERBS) || matches!(demand(&plain), Some(Demand::Order));
    let is_told = || points(&plain) || (is_in_bold(text) && (is_bold(text) || !is_order()));
    text.len() <= LONGEST_RULE && is_told() && of_heading(&plain).is_some_and(|bearing| bearing.is_given())
}

/// Says whether a text is a short line in bold, which many write instead of a heading.
pub(super) fn is_bold(text: &str) -> bool {
    is_in_bold(text)
        && !without_marks(text).ends_with([':', '：'])
        && text.split_whitespace().count() <= MOST_OF_BOLD
}

fn is_in_bold(text: &str) -> bool {
    let is_within =
        |mark: &str| text.len() > 2 * mark.len() && text.starts_with(mark) && text.ends_with(mark);
    is_within("**") || is_within("__")
}

/// Says whether a text only tells how is meant what follows: "Never", "You must not", "Avoid the following".
pub(super) fn is_nothing_else(text: &str) -> bool {
    if text.len() > LONGEST_RULE {
        return false;
    }
    let (mark, rest) = unmarked(text);
    let mut said = spaced(&lowered(rest));
    let before = said.len();
    if APPROVING.contains(&said.trim()) {
        return true;
    }
    for phrase in FORBIDDING {
        while let Some(at) = said.find(&format!(" {phrase} ")) {
            said.replace_range(at..=at + phrase.len(), "");
        }
    }
    let is_told = said.len() < before || mark.is_some();
    let is_around = |word: &str| APPROVING.contains(&word) || AROUND.contains(&word);
    is_told && said.split_whitespace().all(is_around)
}

/// Says whether a text points to what follows, and that it is not to be, or only so: "Never do any of these."
fn points(plain: &str) -> bool {
    let said = spaced(&lowered(plain));
    let has = |list: &[&str]| list.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    has(POINTING) && (has(FORBIDDING) || given::given(plain).is_some())
}

/// Says whether a heading is about both: "Dos and Don'ts", "Good / Bad".
fn is_both(said: &str) -> bool {
    let each = said.split_whitespace().filter(|word| !JOINERS.contains(word));
    let said = format!(" {} ", each.collect::<Vec<_>>().join(" "));
    AGAINST.iter().any(|phrase| {
        said.match_indices(&format!(" {phrase} ")).any(|(at, found)| {
            let (before, behind) = (&said[..at], &said[at + found.len()..]);
            let last = before.rsplit(' ').next().unwrap_or_default();
            let next = behind.split(' ').next().unwrap_or_default();
            // "Never do …" is no pair, and neither is "never allowed".
            APPROVING.contains(&last) || (!DENIED.contains(&next) && APPROVING.contains(&next))
        })
    })
}

/// Says what becomes of a piece that stands where this holds: what is to be said before it, and its text without the mark.
pub(super) fn barred(text: &str, bearing: Option<&Bearing>) -> (Option<Barred>, String) {
    let (mark, rest) = taken_off(text);
    if rest.len() > LONGEST_RULE {
        // It is no rule, whatever it says.
        return (None, rest);
    }
    let told = |words: &str, is_rule| {
        let words = words.to_owned();
        Barred { words, is_rule, is_unclear: false, is_given: false }
    };
    let itself = |is_rule| Some(told("", is_rule));
    let unclear = || Some(Barred { is_unclear: true, ..told("", false) });
    let (tone, all) = match bearing {
        Some(Bearing::Against { words, is_rule, .. }) if words.is_empty() => return (itself(*is_rule), rest),
        Some(Bearing::Against { is_rule, tone, .. }) => (*tone, *is_rule),
        _ => (Tone::Forbids, false),
    };
    let describes = tone >= Tone::Describes;
    let denial = denial(&rest);
    let is_cross = mark == Some(Mark::Against) && !NO_ENTRY.iter().any(|sign| text.contains(sign));
    let first = rest.lines().next().unwrap_or_default();
    let lead = if rest.contains('\n') { of_lead(first) } else { None };
    let leads_against = lead.as_ref().is_some_and(Bearing::is_against);
    if let Some(Bearing::Given { words, is_rule, condition }) =
        bearing.filter(|_| mark != Some(Mark::Against))
    {
        let denies = has_label(&rest, SPEAKING_AGAINST) || leads_against || denial == Some(Denial::Order);
        // In some case also a prohibition holds only there.
        let says_itself = denies && *condition != Condition::Case;
        return (
            Some(if says_itself {
                told("", *is_rule)
            } else {
                Barred { is_given: true, ..told(words, *is_rule) }
            }),
            rest,
        );
    }
    let is_against = mark == Some(Mark::Against) || bearing.is_some_and(Bearing::is_against);
    let demand = if is_against && denial.is_none() { demand(&rest) } else { None };
    let barred = match (mark, bearing) {
        _ if has_label(&rest, SPEAKING_AGAINST) || leads_against => itself(true),
        _ if denial == Some(Denial::Order) || (denial == Some(Denial::Lack) && !describes && !is_cross) => {
            itself(mark.is_some() || all)
        }
        _ if denial == Some(Denial::Lack) && is_cross && !describes => unclear(),
        (Some(Mark::For), _) => None,
        _ if has_label(&rest, SPEAKING_FOR) || begins_instead(&rest) => None,
        // A mark or words that only show what is wrong may be about the demand.
        (Some(Mark::Against), _) if demand.is_some() => unclear(),
        _ if demand == Some(Demand::Order) && tone < Tone::Shows => itself(all),
        (_, Some(Bearing::Against { is_prose: true, .. }))
            if demand == Some(Demand::Habit) && tone < Tone::Shows =>
        {
            itself(all)
        }
        _ if demand.is_some() => unclear(),
        // What is only to be done with leave is left to those who have it.
        _ if lead.is_some_and(|lead| lead.is_given() && !lead.is_case()) => itself(true),
        (Some(Mark::Against), Some(Bearing::Given { words, condition: Condition::Case, .. })) => {
            Some(told(&format!("{words}: {NEVER}"), true))
        }
        // What only speaks of something else, as "Instead of X, do Y" does, does not say what the mark says.
        (Some(Mark::Against), Some(Bearing::Against { words, is_rule: true, .. })) => Some(told(words, true)),
        (Some(Mark::Against), _) => Some(told(NEVER, true)),
        (_, Some(Bearing::Against { words, .. })) => Some(told(words, all)),
        _ => None,
    };
    (barred, rest)
}

/// Puts the words of a column that forbids before one of its cells, whatever that demands: what to do instead has a column of its own. Only
/// a denial is whole without them.
pub(super) fn in_column(cell: &str, words: &str) -> String {
    let (_, rest) = taken_off(cell);
    let denies = || has_label(&rest, SPEAKING_AGAINST) || denial(&rest) == Some(Denial::Order);
    if rest.len() <= LONGEST_RULE && denies() { rest } else { format!("{words}: {rest}") }
}

/// Puts the words of a column that demands before one of its cells.
pub(super) fn in_column_for(cell: &str, head: &str) -> String {
    let words = without_marks(unmarked(head).1);
    format!("{}: {}", if words.is_empty() { DO } else { &words }, taken_off(cell).1)
}

/// Says whether a cell says the opposite of its column by a mark or a label of its own.
pub(super) fn is_contrary(cell: &str, column: Mark) -> bool {
    let (other, labels) = match column {
        Mark::Against => (Mark::For, SPEAKING_FOR),
        Mark::For => (Mark::Against, SPEAKING_AGAINST),
    };
    let (mark, rest) = unmarked(cell);
    mark == Some(other) || has_label(rest, labels)
}

/// What is said of a cell of a table that has nothing else in it.
pub(super) fn of_cell(cell: &str) -> Option<Mark> {
    let (mark, rest) = unmarked(cell);
    match without_marks(rest).to_lowercase().as_str() {
        "" => mark,
        "no" | "never" | "bad" | "wrong" | "forbidden" | "don't" | "avoid" => Some(Mark::Against),
        "yes" | "always" | "good" | "right" | "do" => Some(Mark::For),
        _ => None,
    }
}

/// Says whether a text begins with a label: "BAD: …", "**Wrong** – …".
fn has_label(text: &str, labels: &[&str]) -> bool {
    let plain = lowered(&without_marks(text));
    let marks = [":", "：", " – ", " — ", " - ", " →"];
    let end = marks.iter().filter_map(|mark| plain.find(mark)).min();
    end.is_some_and(|end| {
        let label = plain[..end].trim_matches(|c: char| !c.is_alphanumeric());
        labels.contains(&label)
    })
}

/// Says whether a text names what is to be done in place of what stands around it.
fn begins_instead(text: &str) -> bool {
    let lower = lowered(&without_marks(text));
    words(&lower).next().is_some_and(|word| ["instead", "prefer", "rather", "stattdessen"].contains(&word))
}

/// Gives the words of a heading that are put before what stands below it.
fn shortened(heading: &str) -> String {
    let plain = without_marks(heading);
    let words = plain.trim_matches(|c: char| !c.is_alphanumeric() && !"()`'\"“”".contains(c)).trim();
    if words.is_empty() { NEVER.to_owned() } else { words.to_owned() }
}

fn lowered(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}
