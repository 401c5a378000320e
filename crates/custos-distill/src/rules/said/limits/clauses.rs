//! English clauses that set a limit, read word by word.

use super::super::prose;

/// Verbs that make a clause one that tells.
const TELLS: &[&str] = &[
    "is", "are", "was", "were", "am", "be", "been", "isn't", "aren't", "appears", "appear", "shows", "show",
    "happens", "happen", "comes", "come", "found", "works", "runs", "gets", "got", "has", "had", "does",
    "did", "seems", "goes", "gives", "takes", "left", "loads", "see", "sees",
];

/// Things that are missing rather than forbidden when there are none of them.
#[rustfmt::skip]
const MISSED: &[&str] = &[
    "output", "outputs", "error", "errors", "change", "changes", "difference", "differences", "result", "results",
    "response", "reply", "effect", "message", "messages", "log", "logs", "trace", "sign", "warning", "warnings",
    "row", "rows", "data", "entry", "entries", "match", "matches", "way", "reason", "idea", "clue", "hint",
    "mention", "luck", "such", "sound", "image", "images", "connection", "internet", "access", "test", "tests",
    "docs", "documentation", "coverage", "button", "success", "longer", "problem", "problems", "issue", "issues",
    "question", "questions", "rush", "hurry", "worries", "thanks", "comment", "need", "point", "doubt", "wonder",
    "feedback", "progress", "diff", "news", "time", "one", "body", "big", "deal", "dice", "joy", "surprise",
    "surprises", "matter", "chance", "failures", "failure", "hits", "events", "requests", "usages",
];

/// What stands behind a no that says no, and does not forbid.
#[rustfmt::skip]
const ANSWERS: &[&str] = &[
    "the", "that", "this", "it", "its", "i", "we", "you", "he", "she", "they", "not", "still", "wait", "use",
    "just", "keep", "leave", "please", "but", "same", "and", "because", "don't", "dont", "do", "let's", "lets",
    "there", "what", "why", "only", "yes", "sorry", "actually", "a", "an", "in", "on", "at", "my", "our", "your",
    "put", "make", "go", "try", "take", "thats", "that's", "it's", "i'm", "look", "see", "need", "as", "if", "so",
    "of", "never", "always", "revert", "undo", "stop", "these", "those", "those", "here", "then", "again",
];

const PLACES: &[&str] = &[
    "in", "on", "inside", "outside", "within", "from", "at", "for", "anywhere", "during", "between",
    "without", "into", "to", "under", "as", "by", "beyond", "across", "unless", "before", "after",
];

/// Where a rule holds.
#[rustfmt::skip]
const SCOPES: &[&str] = &[
    "here", "in this repo", "in this repository", "in this project", "in this crate", "in this codebase",
    "in this package", "in this module", "in this service", "in this team", "in this org", "in this app",
    "in our", "in the repo", "on this team", "at our", "in production", "in prod", "in here", "in this code",
    "in this monorepo", "in this file", "around here", "on main", "to main", "in tests", "in our tests",
    "in library code", "in components", "in migrations",
];

fn has_scope(clause: &str) -> bool {
    let padded = format!(" {} ", clause.trim_matches(|c: char| !c.is_alphanumeric()));
    SCOPES.iter().any(|scope| padded.contains(&format!(" {scope} ")))
}

/// Tells whether something that holds now is all that is said.
#[rustfmt::skip]
const FOR_NOW: &[&str] = &[
    "yet", "now", "currently", "today", "anymore", "first", "until", "later", "just", "yesterday", "ago",
    "moment",
];

pub(super) fn is_limit(clause: &str, typed: &str, sentence: &str, is_first: bool) -> bool {
    let words: Vec<&str> = clause
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| ".,;:!?()\"'”“".contains(c)))
        .filter(|word| !word.is_empty())
        .collect();
    let Some(first) = words.first() else { return false };
    if words.len() < 2 || words.len() > 40 {
        return false;
    }
    is_only(&words)
        || is_need(&words)
        || is_fixed(&words)
        || *first == "no" && forbids(&words[1..], clause, is_first, is_wish(typed))
        || is_bound(&words)
        || *first == "we" && is_custom(&words[1..], clause)
        || *first == "here" && words[1] == "we" && is_custom(&words[2..], "here")
        || stays(&words, typed)
        || is_left(&words, sentence)
        || is_hands_off(&words, sentence)
        || is_demanded(&words)
        || is_reserved(&words)
        || is_refused(&words, sentence)
}

/// What a task may be bound to: parts of a tree rather than ways to work.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "docs", "tests", "test", "code", "backend", "frontend", "css", "comments", "readme", "types", "local", "once",
    "first", "last", "new", "old", "changed", "mine", "yours", "windows", "linux", "mac", "macos", "sometimes",
];

/// “constructor injection only”, “zod only”, “deploys go through the pipeline only”
fn is_only(words: &[&str]) -> bool {
    const VERBS: &[&str] = &[
        "add", "fix", "run", "commit", "change", "check", "test", "show", "print", "make", "do", "look",
        "rename", "move", "delete", "remove", "update", "edit", "apply", "read", "push", "build", "i", "it",
        "we", "you", "they", "he", "this", "that", "the", "a", "an", "one", "first", "if", "when", "not",
        "for", "on", "in", "at", "with", "from", "by", "to", "of", "locally", "happens",
    ];
    const ADJECTIVES: &[&str] = &[
        "read", "write", "append", "view", "dev", "debug", "admin", "members", "once", "time", "mobile",
        "desktop", "ci",
    ];
    // What something does, where that is a way to work.
    const WAYS: &[&str] =
        &["happens", "happen", "goes", "go", "runs", "run", "lives", "live", "comes", "come"];
    let end = words.iter().rposition(|word| !["please", "pls", "here"].contains(word)).unwrap_or(0);
    let said = &words[..end.min(words.len())];
    let (Some(first), Some(last)) = (said.first(), said.last()) else { return false };
    if words[end] != "only" || said.len() > 6 {
        return false;
    }
    let is_pronoun = ["it", "this", "that", "i", "we", "you", "they", "he"].contains(first);
    if said.len() >= 3 && !is_pronoun && said[1..said.len() - 1].iter().any(|word| WAYS.contains(word)) {
        return true;
    }
    let is_thing = !VERBS.contains(first) && !said.iter().any(|word| TELLS.contains(word));
    match said.len() {
        1 => is_thing && first.chars().count() > 2 && !PARTS.contains(first) && !ADJECTIVES.contains(first),
        _ => is_thing && !ADJECTIVES.contains(last),
    }
}

/// “our runner needs the header”, “our proxy rejects larger bodies”: what the person knows of what lies around the code.
fn is_need(words: &[&str]) -> bool {
    const VERBS: &[&str] =
        &["needs", "requires", "expects", "rejects", "accepts", "supports", "allows", "forbids"];
    words[0] == "our"
        && words.iter().position(|word| VERBS.contains(word)).is_some_and(|at| {
            (2..=4).contains(&at) && words.len() > at + 1 && !["to", "a", "an"].contains(&words[at + 1])
        })
}

/// “titles have to start with the ticket”: what things must be like, whoever makes them.
fn is_demanded(words: &[&str]) -> bool {
    const FORMS: &[&str] = &["start", "begin", "end", "carry", "contain", "include", "match", "follow", "go"];
    let at = words.windows(2).position(|pair| {
        pair[0] == "must" && FORMS.contains(&pair[1])
            || ["have", "has", "need", "needs"].contains(&pair[0]) && pair[1] == "to"
    });
    at.is_some_and(|at| {
        let verb = if words[at] == "must" { at + 1 } else { at + 2 };
        // Many of a kind, named: one thing has to end today.
        (1..=3).contains(&at)
            && words[at - 1].ends_with('s')
            && !["this", "its", "tests", "is", "was", "does"].contains(&words[at - 1])
            && words.get(verb).is_some_and(|verb| FORMS.contains(verb))
            && words.get(verb + 1).is_some_and(|next| {
                ["with", "in", "by", "under", "through", "a", "an", "the", "our", "to"].contains(next)
            })
            && words.len() > verb + 2
    })
}

/// “main is only for releases”: what a branch, a host, a key is there for.
fn is_reserved(words: &[&str]) -> bool {
    let at = words
        .windows(3)
        .position(|three| ["is", "are"].contains(&three[0]) && three[1] == "only" && three[2] == "for");
    at.is_some_and(|at| {
        (1..=3).contains(&at)
            && !["it", "this", "that", "these", "those", "they", "which"].contains(&words[0])
            && words.get(at + 3).is_some_and(|what| what.len() > 3 && what.ends_with('s') && *what != "this")
    })
}

/// “the contract can't change”, “the image cannot grow”
fn is_fixed(words: &[&str]) -> bool {
    const MOVES: &[&str] = &["change", "break", "grow", "exceed", "move", "shrink", "differ"];
    let at = words.iter().position(|word| ["can't", "cannot", "cant", "mustn't", "mustnt"].contains(word));
    at.is_some_and(|at| {
        at > 0
            && !["i", "we", "you", "it", "they"].contains(&words[at - 1])
            && words.get(at + 1).is_some_and(|verb| MOVES.contains(verb))
    })
}

/// “no unsafe in this crate”, “no new dependencies”, “no downtime allowed”
fn forbids(rest: &[&str], clause: &str, is_first: bool, is_wish: bool) -> bool {
    let named = if rest.first() == Some(&"more") { &rest[1..] } else { rest };
    let (Some(head), Some(last)) = (named.first(), named.last()) else { return false };
    if named.len() > 9
        || ANSWERS.contains(head)
        || named.iter().any(|word| TELLS.contains(word))
        || named.iter().take(3).any(|word| MISSED.contains(word))
    {
        return false;
    }
    let is_asked = is_wish
        || ["allowed", "permitted", "please", "pls", "ever", "either", "here"].contains(last)
            && named.len() > 1;
    let is_again = rest.len() > named.len();
    let place =
        named.iter().position(|word| PLACES.contains(word)).is_some_and(|at| at > 0 && at + 1 < named.len());
    let is_sort = named.len() <= 4
        && (last.len() > 4 && last.ends_with('s') && !last.ends_with("ss")
            || last.ends_with("ing") && last.len() > 5);
    // What stands at the very beginning may as well be a complaint.
    is_asked || (place || is_sort || is_again) && (!is_first || has_scope(clause))
}

/// “please no polling”: who asks for it does not complain.
fn is_wish(typed: &str) -> bool {
    let first = typed.split_whitespace().next().unwrap_or_default().trim_end_matches(',').to_lowercase();
    ["please", "pls", "plz"].contains(&first.as_str())
}

/// What a thing can be bound to be.
#[rustfmt::skip]
const STATES: &[&str] = &[
    "backward", "backwards", "compatible", "deterministic", "idempotent", "reproducible", "immutable", "utf-8",
    "utc", "sorted", "unique", "signed", "encrypted", "english", "under", "below", "less", "at", "between",
    "atomic", "reversible", "anonymised", "anonymized", "stateless", "versioned", "documented", "optional",
    "exact", "stable", "valid", "accessible",
];

/// “must fit a 512 MB container”, “the backfill must not live in a migration”, “all dates must be UTC”
fn is_bound(words: &[&str]) -> bool {
    let must = words.iter().enumerate().find_map(|(at, word)| match *word {
        "must" => Some((at, at + 1, false)),
        "mustn't" | "mustnt" => Some((at, at + 1, true)),
        "has" | "have" | "needs" | "need" if words.get(at + 1) == Some(&"to") => Some((at, at + 2, false)),
        _ => None,
    });
    let Some((at, mut next, mut is_denied)) = must else { return false };
    let subject = &words[..at];
    while words
        .get(next)
        .is_some_and(|word| ["also", "still", "all", "really", "always", "only"].contains(word))
    {
        next += 1;
    }
    if words.get(next).is_some_and(|word| ["not", "never"].contains(word)) {
        is_denied = true;
        next += 1;
    }
    let Some(verb) = words.get(next) else { return false };
    let then = words.get(next + 1).copied().unwrap_or_default();
    let who = subject.first().copied().unwrap_or_default();
    let is_pronoun = subject.len() == 1 && ["it", "this", "that", "there", "he", "she", "one"].contains(&who);
    let is_person = subject.last().is_some_and(|word| ["we", "i", "you", "u", "they"].contains(word));
    // “it must be the cache”, “there must be a bug”: a guess.
    if who == "there" || *verb == "have" || who == "why" {
        return false;
    }
    match *verb {
        "be" if is_denied => !is_pronoun,
        _ if is_denied => !is_person || words[at] == "must",
        "stay" | "remain" | "fit" | "survive" => true,
        "keep" => !["going", "it", "an", "working", "looking", "in", "trying"].contains(&then),
        "be" => {
            let is_all = ["all", "every", "each", "any", "both"].contains(&who);
            let has_limit = then.starts_with(|c: char| c.is_ascii_digit() || "<>≤≥".contains(c));
            is_all || has_limit || STATES.contains(&then)
        }
        "work" | "run" | "support" | "live" | "match" | "continue" | "happen" => {
            !is_person && !subject.is_empty() && !["again", "now", "somehow"].contains(&then)
        }
        "go" => !is_person && ["through", "into", "via", "in", "to"].contains(&then),
        _ => ["all", "every", "each", "any"].contains(&who) && !is_person,
    }
}

/// “we don't do unsafe in this crate”, “we rebase here”, “we mock with WireMock”
fn is_custom(words: &[&str], clause: &str) -> bool {
    #[rustfmt::skip]
    const NO_CUSTOM: &[&str] = &[
        "know", "have", "need", "want", "see", "get", "understand", "remember", "seem", "think", "care", "mind",
        "got", "find", "even", "really", "actually", "are", "were", "can", "could", "should", "will", "would",
        "had", "might", "may", "must", "just", "already", "still", "now", "fail", "saw", "went", "did", "was",
        "is", "lost", "lose", "miss", "missed", "hit", "like",
    ];
    #[rustfmt::skip]
    const CUSTOMS: &[&str] = &[
        "mock", "rebase", "squash", "deploy", "pin", "vendor", "lint", "prefix", "version", "tag", "follow",
        "namespace", "document", "validate", "log", "test", "name", "format", "branch", "release", "ship",
        "target",
    ];
    let (Some(first), second) = (words.first(), words.get(1).copied().unwrap_or_default()) else {
        return false;
    };
    if words.iter().any(|word| FOR_NOW.contains(word)) {
        return false;
    }
    let (verb, is_plain) = match (*first, second) {
        ("do", "not") => (words.get(2).copied().unwrap_or_default(), false),
        ("don't" | "dont" | "never" | "only" | "always", _) => (second, false),
        (verb, _) => (verb, true),
    };
    // “we don't want it anywhere under src/”
    if verb == "want" && !is_plain {
        return words.iter().skip(2).any(|word| ["anywhere", "under", "inside", "outside"].contains(word));
    }
    if verb.is_empty() || NO_CUSTOM.contains(&verb) || prose::is_past(verb) {
        return false;
    }
    if !is_plain {
        return words.len() >= 3;
    }
    let has_way = words.iter().skip(1).any(|word| {
        ["with", "via", "through", "using", "under", "as", "against", "onto", "by"].contains(word)
    });
    let is_plain_verb = verb.chars().all(|c| c.is_ascii_lowercase()) && !verb.ends_with("ing");
    is_plain_verb
        && (has_scope(clause) && words.len() <= 14
            || CUSTOMS.contains(&verb) && has_way && !["in", "into", "out"].contains(&second))
}

/// “json fields stay as they are”, “stripe accounts stay Account”
fn stays(words: &[&str], typed: &str) -> bool {
    #[rustfmt::skip]
    const KEPT: &[&str] = &[
        "as", "untouched", "unchanged", "put", "public", "private", "supported", "compatible", "synchronous",
        "where", "until", "because", "since", "forever", "optional", "intact", "out",
    ];
    let Some(at) = words.iter().position(|word| ["stay", "stays", "remain", "remains"].contains(word)) else {
        return false;
    };
    if words[..at].iter().any(|word| {
        [
            "should", "would", "doesn't", "not", "won't", "didn't", "can't", "to", "if", "when", "must",
            "does", "will", "still",
        ]
        .contains(word)
    }) {
        return false;
    }
    if at > 0 && ["it", "this", "that", "i", "he"].contains(&words[0]) && words.get(at + 1) != Some(&"as") {
        return false;
    }
    match words.get(at + 1) {
        None => at > 0,
        Some(next) if KEPT.contains(next) => true,
        // What it is called: a name, as it was typed.
        Some(next) => {
            let name = typed
                .split_whitespace()
                .map(|word| word.trim_matches(|c: char| ".,;:!?()".contains(c)))
                .find(|word| word.to_lowercase() == *next);
            name.is_some_and(|name| {
                super::super::super::names::is_name(name) || name.starts_with(|c: char| c.is_uppercase())
            })
        }
    }
}

/// As it is.
#[rustfmt::skip]
const AS_IS: &[&str] = &[
    "as is", "as-is", "as it is", "as they are", "unchanged", "untouched", "intact", "in place", "the way it is",
    "the way they are",
];

/// “leave history alone”, “keep the old endpoint as it is”
fn is_left(words: &[&str], sentence: &str) -> bool {
    if !["keep", "leave"].contains(&words[0]) || words.len() < 3 {
        return false;
    }
    let rest = words[1..].join(" ");
    let is_kept = AS_IS.iter().any(|end| rest.ends_with(end) || rest.contains(&format!("{end} ")));
    let is_set = words[0] == "keep"
        && [
            "false",
            "true",
            "off",
            "on",
            "enabled",
            "disabled",
            "private",
            "public",
            "stable",
            "compatible",
            "backwards",
        ]
        .contains(&words[words.len() - 1]);
    // “keep the batch size at 500, the API rejects more”
    let has_value = words.windows(2).any(|pair| {
        ["at", "under", "below", "within"].contains(&pair[0])
            && pair[1].starts_with(|c: char| c.is_ascii_digit())
    });
    let has_reason = sentence.split_once(", ").is_some_and(|(_, rest)| {
        rest.split_whitespace().any(|word| REASONS.contains(&word.trim_end_matches(['.', '!'])))
    });
    let is_set = is_set || has_value || has_reason && words.len() >= 3;
    let is_alone = words[0] == "leave" && rest.ends_with("alone");
    let is_pointing = ["it", "that", "this", "them", "me"].contains(&words[1]) && words.len() <= 5;
    (is_kept || is_set || is_alone)
        && (!is_pointing || sentence.contains("because") || sentence.contains(" depend"))
        && !rest.contains("for now")
}

/// Words of who needs something as it is.
#[rustfmt::skip]
const REASONS: &[&str] = &[
    "uses", "use", "needs", "need", "depends", "depend", "rejects", "reads", "read", "relies", "rely", "expects",
    "expect", "breaks", "otherwise", "because", "requires",
];

/// “don't touch the migrations”
fn is_hands_off(words: &[&str], sentence: &str) -> bool {
    #[rustfmt::skip]
    const VERBS: &[&str] = &[
        "touch", "change", "modify", "edit", "rename", "break", "rewrite", "reformat", "mock", "hardcode", "log",
        "swallow", "squash", "commit", "store", "rely", "introduce", "remove", "delete", "merge", "push",
        "force-push", "bypass", "disable", "import", "expose", "cache", "upgrade",
    ];
    let verb = match words {
        ["don't" | "dont", verb, ..] => Some((*verb, 2)),
        ["do", "not", verb, ..] => Some((*verb, 3)),
        _ => None,
    };
    let Some((verb, at)) = verb else { return false };
    let Some(object) = words.get(at) else { return false };
    let is_named = ![
        "it",
        "that",
        "this",
        "them",
        "anything",
        "any",
        "everything",
        "me",
        "yet",
        "too",
        "so",
        "stuff",
        "code",
        "something",
    ]
    .contains(object);
    let is_for_now = words.iter().any(|word| FOR_NOW.contains(word))
        || sentence.contains(" just ")
        || sentence.contains("for now");
    VERBS.contains(&verb) && is_named && !is_for_now
}

/// “2.2 GB is not ok”, “mocking our own classes is not allowed”
fn is_refused(words: &[&str], sentence: &str) -> bool {
    #[rustfmt::skip]
    const VERDICTS: &[&str] = &[
        "is not ok", "is not okay", "isn't ok", "isnt ok", "isn't okay", "are not ok", "aren't ok",
        "is not allowed", "isn't allowed", "are not allowed", "aren't allowed", "is not acceptable",
        "isn't acceptable", "are not acceptable", "is unacceptable", "is forbidden", "are forbidden",
        "is off limits", "is off-limits", "are off limits", "is a no-go", "is a no go", "not an option",
        "is banned", "are banned", "is not permitted", "are not permitted", "is taboo", "is out of the question",
        "is a must", "is mandatory", "is required here", "are mandatory",
    ];
    let clause = format!("{} ", words.join(" "));
    let has_verdict = VERDICTS.iter().any(|verdict| clause.contains(&format!("{verdict} ")));
    let is_pointing = ["it", "that", "this"].contains(&words[0]) && sentence.split_whitespace().count() <= 6;
    has_verdict && !is_pointing
}
