//! What a command line is for.
//!
//! The distiller wants to know of a line what a colleague sees at a glance: it ran the tests, it installed a package, it only looked.
//! [`runs`] cuts the line into its simple commands (`words`), takes off what is only around them (`wrapping`), and looks the rest up in
//! tables (`programs`, `packages`, `git`). What became of a run is told by its [`Line`]: by the exit status where it is this run's,
//! by what was printed where it is not.

mod git;
mod outcome;
mod packages;
mod programs;
mod summaries;
mod tables;
#[cfg(test)]
mod tests;
mod words;
mod wrapping;

pub(crate) use outcome::Line;

use super::dependencies::Package;
use words::{Link, Simple};

/// What a command is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Runs tests.
    Test,
    /// Builds, compiles or checks types.
    Build,
    /// Looks for faults in the code.
    Lint,
    /// Puts the code in form.
    Format,
    /// Adds these packages; none where all that the project names are fetched.
    Install(Vec<Package>),
    /// Takes these packages away.
    Remove(Vec<String>),
    /// Commits.
    Commit {
        /// The subject, and after an empty line the rest; without trailers.
        message: Option<String>,
    },
    /// Takes changes back: in these paths, or in all where none is named.
    Revert(Vec<String>),
    /// Changes the schema of a database.
    Migrate,
    /// Runs a program, a server or a deployment.
    Run,
    /// Only looks.
    Look,
    /// Does something else.
    Other,
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// How a person would name it; at most 80 characters.
    pub(crate) label: String,
    /// What it can be compared with: runs of one family, with more or fewer arguments, can confirm each other.
    pub(crate) family: String,
}

/// The longest label, in characters.
const LABEL: usize = 80;
/// So deep `sh -c` is followed.
const DEEPEST: usize = 3;

/// Tells what the commands of a line are for, in their order; a pipeline counts as its first command that does something.
pub(crate) fn runs(line: &str) -> Vec<Run> {
    placed(line, 0).into_iter().map(|placed| placed.run).collect()
}

/// A run, and what its line does with its exit status.
struct Placed {
    run: Run,
    /// Whether the status of the line tells this run's success: nothing hides it.
    told: Status,
}

/// What the exit status of a whole line tells of one of its runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// It is this run's own.
    Own,
    /// Zero means that it went well; otherwise it may have been another one.
    Shared,
    /// Nothing.
    Hidden,
}

fn placed(line: &str, depth: usize) -> Vec<Placed> {
    let simples = words::simples(line);
    let has_pipefail = line.contains("pipefail");
    let stops_at_failure = simples.iter().any(is_set_e);
    let mut found = Vec::new();
    let mut rest = simples.as_slice();
    while let Some(first) = rest.first() {
        let length = 1 + rest[1..].iter().take_while(|simple| simple.link == Link::Pipe).count();
        let (pipeline, after) = rest.split_at(length);
        rest = after;
        let (mut members, at) = chosen(pipeline, depth);
        let is_last_of_pipe = at + 1 == length || has_pipefail;
        let told = if !is_last_of_pipe || first.link == Link::Or {
            Status::Hidden
        } else {
            after_it(after, stops_at_failure)
        };
        if let [only] = members.as_mut_slice() {
            only.told = told;
        } else {
            for member in &mut members {
                member.told = if told == Status::Hidden { Status::Hidden } else { Status::Shared };
            }
        }
        found.append(&mut members);
    }
    if found.len() > 1 {
        // `cd x && npm ci && npm test`: a failure is not told apart by the status alone.
        for placed in &mut found {
            if placed.told == Status::Own {
                placed.told = Status::Shared;
            }
        }
    }
    found
}

/// Tells what the rest of a line leaves of a status.
fn after_it(after: &[Simple<'_>], stops_at_failure: bool) -> Status {
    let mut told = Status::Own;
    for simple in after {
        match simple.link {
            Link::And => told = Status::Shared,
            Link::Then if stops_at_failure || is_closing(simple) => told = Status::Shared,
            Link::Pipe => {}
            Link::Then | Link::Or => return Status::Hidden,
        }
    }
    told
}

/// Tells whether a command is only the end of a construct, which keeps the status.
fn is_closing(simple: &Simple<'_>) -> bool {
    matches!(simple.words.first().map(|word| word.text.as_str()), Some("}" | "fi" | "wait"))
}

fn is_set_e(simple: &Simple<'_>) -> bool {
    let mut words = simple.words.iter().map(|word| word.text.as_str());
    words.next() == Some("set") && words.any(|word| word.starts_with('-') && word.contains('e'))
}

/// Takes the command of a pipeline that it is run for, and its place: the first one that does not only look, or the first.
fn chosen(pipeline: &[Simple<'_>], depth: usize) -> (Vec<Placed>, usize) {
    let mut first = None;
    for (at, simple) in pipeline.iter().enumerate() {
        let found = command(simple, depth);
        let Some(one) = found.first() else { continue };
        if one.run.purpose != Purpose::Look {
            return (found, at);
        }
        first.get_or_insert((found, at));
    }
    first.unwrap_or((Vec::new(), pipeline.len().saturating_sub(1)))
}

/// Tells what one simple command is for: mostly one thing, several for `sh -c '…'`, nothing for `cd`.
fn command(simple: &Simple<'_>, depth: usize) -> Vec<Placed> {
    let Some(bare) = wrapping::unwrapped(&simple.words) else { return Vec::new() };
    if let Some(script) = wrapping::script_of_shell(bare) {
        return if depth < DEEPEST { placed(script, depth + 1) } else { Vec::new() };
    }
    let arguments: Vec<&str> = bare.iter().map(|word| word.text.as_str()).collect();
    let Some((purpose, family)) = programs::classified(&arguments, simple) else { return Vec::new() };
    let label = match purpose {
        Purpose::Commit { .. } => family.clone(),
        _ => label(bare),
    };
    vec![Placed { run: Run { purpose, label, family }, told: Status::Own }]
}

fn label(words: &[words::Word<'_>]) -> String {
    let mut label = String::new();
    for (at, word) in words.iter().enumerate() {
        let raw = if at == 0 && word.raw.starts_with('/') { programs::base_name(word.raw) } else { word.raw };
        for piece in raw.split_whitespace() {
            if !label.is_empty() {
                label.push(' ');
            }
            label.push_str(piece);
        }
    }
    cut(&label, LABEL)
}

/// Cuts a text to so many characters; the last one says that there was more.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
