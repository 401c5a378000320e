//! Rules that would hold nothing.
//!
//! A rule that was added counts as a promise, and nobody looks again. So before it is written it has to hold what it says itself: the command
//! that it spells, a push to the branch that it names, a file at the path. What does not is mostly something else than a pattern: a line
//! copied from a terminal, a regular expression, a list. Some of these would hold their own text and still nothing that anybody runs; they are
//! told by their looks.

use thiserror::Error;

use super::entry::{Entry, List, Ops};
use super::glob::PathPattern;
use super::pattern::CommandPattern;
use super::policy::{CommandRule, Level, Origin, PathRule, Policy, Stated};
use crate::guard::{Guard, Judgement};
use crate::path::Access;
use crate::verdict::Hold;
use crate::walk::simple::quoted;
use crate::world::{NoFiles, Own, World};

/// Why a rule would hold nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Idle {
    /// Quotes or backticks stand around the whole of it.
    #[error("the marks around it would be a part of it: leave them out, `{bare}`")]
    Marked {
        /// What stands between them.
        bare: String,
    },
    /// It is a line with a prompt in front.
    #[error("`$` is the prompt of a shell, and no program: leave it out, `{bare}`")]
    Prompt {
        /// What stands behind it.
        bare: String,
    },
    /// A variable is set in front of the program.
    #[error(
        "a pattern begins with its program, and variables that are set for it are not compared: leave `{assigned}` out"
    )]
    Assignment {
        /// What sets it.
        assigned: String,
    },
    /// It is written as a regular expression.
    #[error(
        "`{sign}` is of a regular expression, and patterns are none: `*` stands for any word or part of one, and whatever comes after the last word changes nothing (a sign that is meant as it is stands in quotes)"
    )]
    Regular {
        /// What shows it.
        sign: &'static str,
    },
    /// It names several.
    #[error("it names several, and a rule is about one: add each by itself")]
    Several,
    /// A remote stands in front of the branch.
    #[error("`{remote}/` is the remote, and a push names the branch alone: `{bare}`")]
    Remote {
        /// The remote.
        remote: String,
        /// The branch.
        bare: String,
    },
    /// No branch can be called that.
    #[error("git has no branches of that name: write `release`, or `release/*` for all that begin so")]
    NoBranch,
    /// What it says is not held by it.
    #[error(
        "it would not hold `{example}`, and so nothing at all: write the program as it is called and its arguments, like `terraform apply`; what the shell itself makes of a word (`~`, `$`, `time`, `if`) is no part of a program's name"
    )]
    Command {
        /// The command.
        example: String,
    },
    /// A file there is not held by it.
    #[error("it would not hold `{example}`, and so nothing at all: write a path, like `secrets/**`")]
    Path {
        /// The file.
        example: String,
    },
}

/// Marks that people put around what they quote.
const MARKS: [(char, char); 5] = [('`', '`'), ('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];

/// Takes off what people put around a pattern when they write it into a text: quotes, backticks, the prompt of a shell.
pub fn bare(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) = unmarked(text).or_else(|| unprompted(text)) {
        text = inner;
    }
    text
}

fn unmarked(text: &str) -> Option<&str> {
    MARKS.iter().find_map(|(begin, end)| {
        let inner = text.strip_prefix(*begin)?.strip_suffix(*end)?;
        (!inner.trim().is_empty() && !inner.contains([*begin, *end])).then(|| inner.trim())
    })
}

fn unprompted(text: &str) -> Option<&str> {
    text.strip_prefix("$ ").map(str::trim).filter(|rest| !rest.is_empty())
}

/// Says why an entry would hold nothing; what allows or sets something is not asked about. The entry is a pattern by its form.
pub(super) fn why(entry: &Entry) -> Option<Idle> {
    match entry {
        Entry::Branch(name) => of_branch(name),
        Entry::Command { list, pattern, .. } if list.hold().is_some() => of_command(pattern),
        Entry::Path { list, pattern, ops, .. } if *list != List::Allow => of_path(pattern, *ops),
        _ => None,
    }
}

fn of_branch(name: &str) -> Option<Idle> {
    if let Some(bare) = unmarked(name) {
        return Some(Idle::Marked { bare: bare.to_owned() });
    }
    if name.contains(',') {
        return Some(Idle::Several);
    }
    let remote = ["refs/remotes/", "remotes/"].iter().find_map(|front| name.strip_prefix(front));
    let (remote, branch) = match (remote, name.split_once('/')) {
        (Some(rest), _) => rest.split_once('/').unwrap_or((rest, "")),
        (None, Some((remote @ ("origin" | "upstream"), branch))) => (remote, branch),
        _ => ("", name),
    };
    if !remote.is_empty() && !branch.is_empty() {
        return Some(Idle::Remote { remote: remote.to_owned(), bare: branch.to_owned() });
    }
    // As git has it.
    let is_none =
        |part: &str| part.is_empty() || part.starts_with('.') || part.strip_suffix(".lock").is_some();
    if name.split('/').any(is_none) || name.contains("..") || name.contains("@{") {
        return Some(Idle::NoBranch);
    }
    let example = format!("git push origin {}", quoted(&name.replace('*', "x")));
    let mut policy = Policy::builtin();
    policy.branches.push(Stated { value: name.to_owned(), origin: NOWHERE });
    let held = judged(&policy, |guard| guard.command(&example));
    let is_held = held.findings.iter().any(|finding| finding.rule == "git.push-protected");
    (!is_held).then_some(Idle::NoBranch)
}

fn of_command(pattern: &str) -> Option<Idle> {
    let text = pattern.trim();
    if let Some(bare) = unmarked(text).filter(|bare| text.starts_with('`') || bare.contains(' ')) {
        return Some(Idle::Marked { bare: bare.to_owned() });
    }
    if let Some(bare) = unprompted(text) {
        return Some(Idle::Prompt { bare: bare.to_owned() });
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.split_once('=').is_some_and(|(name, _)| is_variable(name)) {
        return Some(Idle::Assignment { assigned: first.to_owned() });
    }
    if let Some(sign) = regular(text).or_else(|| with_anything(text)) {
        return Some(Idle::Regular { sign });
    }
    let mut policy = Policy::builtin();
    policy.add_command(CommandRule {
        id: RULE.to_owned(),
        hold: Hold::Deny,
        pattern: CommandPattern::new(pattern).ok()?,
        reason: String::new(),
        origin: NOWHERE,
    });
    // Each alternative has its turn, wherever it stands.
    let mut examples: Vec<String> = (0..MOST_CHOICES).map(|choice| typed(pattern, choice)).collect();
    examples.dedup();
    let example =
        examples.into_iter().find(|example| !is_held(&judged(&policy, |guard| guard.command(example))))?;
    Some(Idle::Command { example })
}

fn of_path(pattern: &str, ops: Ops) -> Option<Idle> {
    if let Some(bare) = unmarked(pattern) {
        return Some(Idle::Marked { bare: bare.to_owned() });
    }
    if pattern.contains(", ") {
        return Some(Idle::Several);
    }
    if let Some(sign) = regular(pattern) {
        return Some(Idle::Regular { sign });
    }
    let pattern = PathPattern::new(pattern, Some(ROOT)).ok()?;
    let example = pattern.text().replace("**", "x").replace(['*', '?'], "x");
    let reason = String::new();
    let mut policy = Policy::builtin();
    policy.add_path(PathRule {
        id: RULE.to_owned(),
        hold: Hold::Deny,
        pattern,
        ops,
        reason,
        origin: NOWHERE,
    });
    let access = Access::ALL.into_iter().map(|(access, _)| access).find(|access| ops.has(*access))?;
    let below = format!("{}/x", example.trim_end_matches('/'));
    let holds = |path: &str| is_held(&judged(&policy, |guard| guard.path(path, access)));
    (!holds(&example) && !holds(&below)).then_some(Idle::Path { example })
}

/// Finds what nobody writes but in a regular expression.
fn regular(text: &str) -> Option<&'static str> {
    const INSIDE: [&str; 7] = ["\\s", "\\b", "\\d", "\\w", "\\S", "\\.", ".+"];
    let begins = text.starts_with('^').then_some("^");
    let ends = || (text.ends_with('$') && !text.ends_with("\\$")).then_some("$");
    begins.or_else(ends).or_else(|| INSIDE.into_iter().find(|sign| text.contains(sign)))
}

/// Finds a `.*` that is rather to stand for whatever follows a subcommand or an option than for a dot with something behind it: `user.*` behind an
/// option is a key or a file.
fn with_anything(text: &str) -> Option<&'static str> {
    const SIGN: &str = ".*";
    let is_name = |word: &str| {
        word.starts_with(char::is_alphanumeric) && !word.contains(['.', '/', '=', '*', '"', '\''])
    };
    let mut follows_names = true;
    for word in text.split_whitespace() {
        if word == SIGN || word.contains(SIGN) && (follows_names || word.starts_with('-')) {
            return Some(SIGN);
        }
        follows_names &= is_name(word);
    }
    None
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// How many alternatives of a brace are tried.
const MOST_CHOICES: usize = 16;

/// Spells a command that a pattern is about, as it would be typed: a `*` outside of quotes becomes a word or a part of one, of alternatives one
/// is taken. Everything else stays, so that the shell makes of it what it always does.
fn typed(pattern: &str, choice: usize) -> String {
    let mut typed = String::with_capacity(pattern.len());
    let mut quote = None;
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => {
                typed.push(c);
                typed.extend(rest.next());
                continue;
            }
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('*', None) => {
                typed.push('x');
                continue;
            }
            ('{', None) => {
                let inside = rest.as_str().split_once('}').filter(|(inside, _)| inside.contains(','));
                if let Some((inside, after)) = inside {
                    let choices: Vec<&str> = inside.split(',').collect();
                    typed.push_str(choices.get(choice).or(choices.last()).copied().unwrap_or_default());
                    rest = after.chars();
                    continue;
                }
            }
            _ => {}
        }
        typed.push(c);
    }
    typed
}

/// The rule that is tried.
const RULE: &str = "own.tried";
const NOWHERE: Origin = Origin { level: Level::User, line: 0 };

/// A place in which nothing is known, and nothing has to be.
const HOME: &str = "/home/somebody";
const ROOT: &str = "/home/somebody/project";

fn judged(policy: &Policy, ask: impl Fn(Guard<'_>) -> Judgement) -> Judgement {
    let (own, files) = (Own::default(), NoFiles::default());
    ask(Guard { world: World { home: Some(HOME), cwd: ROOT, root: ROOT, own: &own, files: &files }, policy })
}

fn is_held(judgement: &Judgement) -> bool {
    judgement.findings.iter().any(|finding| finding.rule == RULE)
}
