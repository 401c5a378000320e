//! What the person asked for, as a title.
//!
//! `pls add an endpoint POST /v1/x: body {…}` becomes `Added an endpoint POST /v1/x`. English verbs are put into the past, because the
//! work is done; in other languages the words stay as they were typed.

use super::ground::{self, Ground};
use super::wording::{capitalised, headline, one_line, sentences};
use super::words;

/// Verbs as people type them at an agent, and as a colleague reports.
const VERBS: &[(&str, &str)] = &[
    ("add", "Added"),
    ("allow", "Allowed"),
    ("apply", "Applied"),
    ("build", "Built"),
    ("bump", "Bumped"),
    ("change", "Changed"),
    ("clean up", "Cleaned up"),
    ("convert", "Converted"),
    ("create", "Created"),
    ("deduplicate", "Deduplicated"),
    ("delete", "Deleted"),
    ("disable", "Disabled"),
    ("document", "Documented"),
    ("drop", "Dropped"),
    ("enable", "Enabled"),
    ("export", "Exported"),
    ("extend", "Extended"),
    ("extract", "Extracted"),
    ("fix", "Fixed"),
    ("handle", "Handled"),
    ("implement", "Implemented"),
    ("improve", "Improved"),
    ("increase", "Increased"),
    ("inline", "Inlined"),
    ("introduce", "Introduced"),
    ("limit", "Limited"),
    ("lower", "Lowered"),
    ("make", "Made"),
    ("merge", "Merged"),
    ("migrate", "Migrated"),
    ("move", "Moved"),
    ("optimise", "Optimised"),
    ("optimize", "Optimized"),
    ("port", "Ported"),
    ("pull", "Pulled"),
    ("put", "Put"),
    ("raise", "Raised"),
    ("reduce", "Reduced"),
    ("refactor", "Refactored"),
    ("release", "Released"),
    ("remove", "Removed"),
    ("rename", "Renamed"),
    ("replace", "Replaced"),
    ("rewrite", "Rewrote"),
    ("set", "Set"),
    ("simplify", "Simplified"),
    ("speed up", "Sped up"),
    ("split", "Split"),
    ("stop", "Stopped"),
    ("support", "Added support for"),
    ("switch", "Switched"),
    ("turn off", "Turned off"),
    ("turn on", "Turned on"),
    ("unify", "Unified"),
    ("update", "Updated"),
    ("upgrade", "Upgraded"),
    ("validate", "Validated"),
    ("wire", "Wired"),
    ("write", "Wrote"),
];

/// What people put before what they want.
#[rustfmt::skip]
const MANNERS: &[&str] = &[
    "please", "pls", "plz", "can you", "could you", "can u", "would you", "now", "next:", "next,", "next", "then",
    "also", "and", "ok,", "ok.", "ok", "okay,", "great,", "great.", "good.", "good,", "super.", "last one.",
    "hey,", "hi,", "so", "lets", "let's", "we need to", "we have to", "we should", "i want you to",
    "i need you to", "just", "bitte", "kannst du", "könntest du", "dann", "jetzt", "und", "s'il te plaît",
    "por favor", "per favore", "пожалуйста", "请",
];

/// Gives what was asked as something that was done, or none where no verb is known.
pub(crate) fn done(wish: &str, most: usize) -> Option<String> {
    sentences(wish).into_iter().take(4).find_map(|sentence| as_done(sentence, wish, most))
}

/// The same where the order stands behind what leads to it: `Cart#total is a mess, pull it out into a class`.
pub(crate) fn done_behind(wish: &str, most: usize) -> Option<String> {
    sentences(wish).into_iter().take(4).find_map(|sentence| {
        let (lead, order) = sentence.split_once(", ")?;
        let order = order.split(", ").next().unwrap_or(order);
        let order = match order.split_once(" it ") {
            Some((verb, rest)) => {
                let is_name = |word: &&str| word.contains('#') || super::names::is_name(word);
                let name = lead.split_whitespace().find(is_name)?;
                format!("{verb} {name} {rest}")
            }
            None => order.to_owned(),
        };
        as_done(&order, wish, most)
    })
}

fn as_done(sentence: &str, wish: &str, most: usize) -> Option<String> {
    let sentence = without_manners(sentence);
    let lower = sentence.to_lowercase();
    if lower.len() != sentence.len() {
        return None;
    }
    let (verb, past) = VERBS.iter().find(|(verb, _)| {
        lower.strip_prefix(verb).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    })?;
    let rest = resolved(sentence[verb.len()..].trim(), wish);
    // `put that back and …`
    if ["it ", "this ", "that ", "them ", "these ", "those "].iter().any(|word| rest.starts_with(word)) {
        return None;
    }
    let rest = rest.as_str();
    // `add it`, `fix this`: nobody knows any more what that was.
    let is_pointing = ["it", "this", "that", "them", "these", "the test", "a test"]
        .contains(&rest.to_lowercase().trim_end_matches(['.', '!']));
    // What stands behind a colon are details.
    let head =
        rest.split_once(": ").map_or(rest, |(head, _)| if head.chars().count() >= 20 { head } else { rest });
    (!is_pointing && rest.len() > 3 && ground::says_something(&format!("{verb} {head}")))
        .then(|| headline(&format!("{past} {head}"), most))
}

/// Puts the file that a prompt is about in the place of a mere `it`.
fn resolved(rest: &str, wish: &str) -> String {
    let mut words = rest.splitn(2, |c: char| c.is_whitespace() || c == ':');
    let (first, after) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_pointing = ["it", "this", "that"].contains(&first.to_lowercase().as_str());
    let named = super::names::names(wish).into_iter().find(|name| name.contains('.') || name.contains('/'));
    match named.filter(|_| is_pointing && !after.is_empty()) {
        Some(name) => {
            format!("{name}{}{after}", if rest[first.len()..].starts_with(':') { ":" } else { " " })
        }
        None => rest.to_owned(),
    }
}

/// Gives what the person reported, without what they asked for; none where nothing is left that says what it was.
pub(crate) fn trouble(wish: &str, ground: &Ground) -> Option<String> {
    let all = sentences(wish);
    let tells = |sentence: &&&str| {
        sentence.chars().count() > 12 && ground::says_something(sentence) && !is_leave(sentence)
    };
    let reports = |sentence: &&&str| tells(sentence) && words::is_trouble(sentence);
    let told = all
        .iter()
        .rev()
        .filter(reports)
        .filter(|sentence| !is_order(sentence))
        .max_by_key(|sentence| ground.bears(sentence) && !sentence.ends_with(['?', '\u{ff1f}']))
        .or_else(|| all.iter().find(reports))
        // Without a word of trouble, what has most to do with what was done.
        .or_else(|| {
            let is_told = |sentence: &&&str| {
                tells(sentence)
                    && !sentence.ends_with(['?', '\u{ff1f}'])
                    && !is_order(sentence)
                    && (ground::is_dense(sentence) || ground.shares(sentence) > 1)
                    && super::said::statements(sentence).is_empty()
            };
            all.iter().find(is_told)
        })?;
    let told = without_reporter(complaint(without_manners(told)));
    ground::says_something(told).then(|| told.to_owned())
}

/// Recognises a sentence that says how something may be done, and not what is wrong: “keep it simple, i don't care if …”.
fn is_leave(sentence: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "keep it simple", "keep it small", "don't care", "dont care", "do not care", "no rush", "no hurry", "take your time",
        "as discussed", "as agreed", "up to you", "don't worry", "dont worry", "is fine with me", "mir egal", "kein stress",
        "keine eile", "wie besprochen", "halt es einfach", "peu importe", "pas pressé", "comme convenu", "comme discuté",
        "me da igual", "sin prisa", "no importa si", "tanto faz", "sem pressa", "non importa", "senza fretta", "maakt niet uit",
        "geen haast", "без разницы", "не спеши", "неважно", "无所谓", "不急", "急がなくて", "構いません", "상관없", "천천히 해",
    ];
    let lower = sentence.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// Gives what the person said of a hole.
pub(crate) fn weakness(wish: &str) -> Option<String> {
    let is_told = |sentence: &&str| words::is_security(sentence) && ground::says_something(sentence);
    let told = sentences(wish).into_iter().find(is_told)?;
    Some(without_reporter(complaint(without_manners(told))).to_owned())
}

/// Takes off who complains: `users complain: …`, `les clients se plaignent : …`.
fn without_reporter(told: &str) -> &str {
    #[rustfmt::skip]
    const REPORTERS: &[&str] = &[
        "complain", "report", "says", "say", "plaignent", "signalent", "beschweren", "melden", "reportan",
        "quejan", "reclamam", "segnalano", "lamentano", "klagen", "жалуются", "support", "qa", "sentry",
    ];
    match told.split_once(": ") {
        Some((head, rest)) if head.chars().count() <= 48 && rest.chars().count() >= 16 => {
            let lower = head.to_lowercase();
            if REPORTERS.iter().any(|word| lower.contains(word)) { rest.trim() } else { told }
        }
        _ => told,
    }
}

/// Says whether a sentence asks for something to be done.
pub(crate) fn is_order(sentence: &str) -> bool {
    let lower = without_manners(sentence).to_lowercase();
    VERBS
        .iter()
        .any(|(verb, _)| lower.strip_prefix(verb).is_some_and(|rest| rest.starts_with(char::is_whitespace)))
        || ["check", "find out", "look", "see ", "revert"].iter().any(|verb| lower.starts_with(verb))
}

/// Cuts off where a complaint becomes a request: `…, fix the css`, `…, can u look`, `…, why`.
fn complaint(sentence: &str) -> &str {
    let mut sentence = sentence.trim_end_matches(['.', '!', '?', '。']);
    for verdict in ["thats bad,", "that's bad,", "hm,", "hmm,", "oh,", "damn,", "hey,"] {
        if sentence.to_lowercase().starts_with(verdict) && sentence.is_char_boundary(verdict.len()) {
            sentence = sentence[verdict.len()..].trim_start();
        }
    }
    for (at, _) in sentence.match_indices(", ") {
        let after = sentence[at + 2..].trim_start();
        let lower = after.to_lowercase();
        let asks = [
            "pls",
            "please",
            "can u",
            "can you",
            "could you",
            "why",
            "any idea",
            "what's wrong",
            "bitte",
            "warum",
            "kannst du",
        ];
        if at > 12 && (is_order(after) || asks.iter().any(|word| lower.starts_with(word))) {
            return &sentence[..at];
        }
    }
    sentence
}

/// Finds an error that a person pasted into a sentence: `sentry: TypeError: … in x. use the id then`.
pub(crate) fn pasted(wish: &str) -> Option<String> {
    for line in wish.lines() {
        for (at, _) in line.match_indices(": ") {
            let begin = line[..at]
                .rfind(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'))
                .map_or(0, |before| before + line[before..].chars().next().map_or(1, char::len_utf8));
            let word = &line[begin..at];
            let is_kind = word.len() > 5 && (word.ends_with("Error") || word.ends_with("Exception"))
                || ["FATAL", "panic", "fatal"].contains(&word);
            if is_kind {
                let rest = &line[begin..];
                let end = rest.match_indices(". ").map(|(end, _)| end).next().unwrap_or(rest.len());
                return Some(super::wording::cut(rest[..end].trim_end_matches('.'), 160));
            }
        }
    }
    None
}

/// Gives the first sentence that says something.
pub(crate) fn gist(wish: &str, most: usize) -> String {
    let all = sentences(wish);
    // What is asked for, or asked, or reported, says more than what leads to it.
    let long = |sentence: &&&str| {
        let bare = without_manners(sentence);
        bare.chars().count() > 12 && ground::says_something(bare)
    };
    let wants = |sentence: &&&str| {
        long(sentence)
            && (sentence.ends_with(['?', '\u{ff1f}']) || is_order(sentence) || words::is_trouble(sentence))
    };
    let first = all.iter().find(wants).or_else(|| all.iter().find(long)).or_else(|| all.first());
    first.map_or_else(String::new, |sentence| {
        capitalised(&headline(&one_line(without_manners(sentence)), most))
    })
}

/// Takes off what people put before what they want.
pub(crate) fn bare(sentence: &str) -> &str {
    without_manners(sentence)
}

fn without_manners(sentence: &str) -> &str {
    let mut rest = sentence.trim();
    loop {
        let lower = rest.to_lowercase();
        if lower.len() != rest.len() {
            return rest;
        }
        let manner = MANNERS.iter().find(|manner| {
            lower
                .strip_prefix(**manner)
                .is_some_and(|after| after.starts_with(|c: char| c.is_whitespace() || c == ','))
        });
        match manner {
            Some(manner) => {
                rest = rest[manner.len()..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            }
            None => return rest,
        }
    }
}

/// Types that people put before a commit's subject.
const SORTS: [&str; 12] = [
    "fix", "feat", "feature", "refactor", "chore", "docs", "test", "perf", "build", "ci", "style", "security",
];

/// Takes the type that people put before a commit's subject: `fix(api): …`.
pub(crate) fn subject(message: &str) -> (Option<&str>, &str) {
    let line = message.lines().next().unwrap_or_default().trim();
    let Some((head, rest)) = line.split_once(": ") else { return (None, line) };
    let word = head.trim_end_matches('!').split('(').next().unwrap_or_default();
    if SORTS.contains(&word.to_lowercase().as_str()) { (Some(word), rest.trim()) } else { (None, line) }
}
