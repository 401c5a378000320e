//! Decisions that are enforced: the required ones of a project's knowledge base that carry a predicate.
//!
//! A decision (`.ai/decisions/D-012-slug.md`) may say in its front matter what must not run any more. Before it is enforced it proves itself
//! on its examples and on dozens of ways to write them ([`crate::predicate`]); one that leaks is refused, with the spelling that leaked.
//! Proving takes milliseconds, so each file is proven once, when it is new or changed, and the outcome is kept ([`kept`]). A hook reads one
//! small file, with what is enforced and nothing else, and asks the file system whether the directory of decisions is still as it was: a base
//! may have thousands of decisions, and few of them carry a predicate.
//!
//! A clone may bring decisions along. They can only tighten; what they say is cut to a line before anybody is told.

mod kept;
mod opening;
#[cfg(test)]
mod tests;

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use custos_config::source::is_absence;
use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use self::kept::InForce;
use self::opening::{Opening, Openings};
use crate::guard::Guard;
use crate::path::Access;
use crate::predicate::{self, Pattern, Predicate};
use crate::rules::{CommandPattern, CommandRule, Level, Ops, Origin, PathPattern, PathRule, Policy};
use crate::verdict::Hold;
use crate::world::{NoFiles, Own, World};

/// The most decisions of a project that are looked at; a knowledge base has no more.
const MOST: usize = 20_000;
/// The largest file that is enforced.
const LARGEST: u64 = 64 << 10;

/// How much of a title is told.
const LONGEST_TITLE: usize = 120;

/// A decision that carries a predicate, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The file, in the directory of decisions.
    pub file: String,
    /// What tells one version of the file from another.
    stamp: String,
    /// The decision; empty for a file without a predicate.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What it says, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// In how many spellings it held, if it is enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spellings: Option<usize>,
    /// Why it is not enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Checked {
    /// A file of which nothing is known but its version.
    fn unread(file: String, stamp: String) -> Self {
        Self {
            file,
            stamp,
            id: String::new(),
            title: String::new(),
            command: None,
            path: None,
            spellings: None,
            problem: None,
        }
    }
}

/// What the guard wants to know of a decision beside its predicate.
#[derive(Debug, Default, Deserialize)]
struct Heading {
    #[serde(default)]
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    status: String,
}

/// Where the outcome for a project is kept.
pub fn cache(state: &Path, root: &Path) -> PathBuf {
    let digest = Hash::hash(root.as_os_str().as_encoded_bytes());
    let name: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    state.join(format!("decisions-{name}.jsonl"))
}

/// Brings what is kept for a project up to date, and gives the decisions that carry a predicate. Of those that are new or changed, `most` are
/// proven; the others stay for the next time, and hooks know that they are not done.
pub fn check(root: &Path, cache: &Path, most: usize) -> io::Result<Vec<Checked>> {
    // Asked before the files are listed: whatever changes meanwhile is then seen as a change the next time.
    let directory_stamp = stamp_of_directory(root);
    let in_force = InForce::read(cache);
    let ledger = kept::read_ledger(cache);
    let known = |file: &str| {
        // A ledger that got lost takes nothing out of force.
        let enforced = || in_force.decisions.iter().find(|decision| decision.file == file);
        ledger.get(file).or_else(enforced)
    };
    let files = files(root)?;
    let is_same = |listed: &Listed| known(&listed.name).is_some_and(|before| before.stamp == listed.stamp);
    let changed: Vec<&Listed> = files.iter().filter(|listed| !is_same(listed)).collect();
    let mut openings = Openings::of(&directory(root), &changed, most);
    let mut is_complete = true;
    let mut checked = Vec::with_capacity(files.len());
    for listed in &files {
        let before = known(&listed.name);
        if let Some(same) = before.filter(|before| before.stamp == listed.stamp) {
            checked.push(same.clone());
            continue;
        }
        let unread = Checked::unread(listed.name.clone(), listed.stamp.clone());
        match openings.next() {
            Opening::None => checked.push(unread),
            Opening::Front(front) => checked.push(check_file(unread, &front, listed.length > LARGEST, root)),
            Opening::Later => {
                is_complete = false;
                // What it said before goes on until it is looked at.
                checked.extend(before.cloned());
            }
        }
    }
    if !ledger.values().eq(&checked) {
        kept::write_ledger(cache, &checked)?;
    }
    checked.retain(|decision| !decision.id.is_empty());
    let now_in_force = InForce {
        directory: directory_stamp.filter(|_| is_complete),
        decisions: checked.iter().filter(|decision| decision.spellings.is_some()).cloned().collect(),
    };
    if now_in_force != in_force {
        now_in_force.write(cache)?;
    }
    Ok(checked)
}

/// Adds the decisions of a project, which is of this level, to the rules in force there. If decisions came, went or were replaced since they
/// were last looked at, or some are not proven yet, `most` of them prove themselves first.
pub fn enforce(policy: &mut Policy, state: &Path, (level, root): (Level, &Path), most: usize) {
    for decision in &caught_up(state, root, most).decisions {
        add(policy, decision, level, root);
    }
}

/// Does the same ahead of whoever asks for the rules: after a checkout thousands of decisions may be other ones.
pub fn catch_up(state: &Path, root: &Path, most: usize) {
    caught_up(state, root, most);
}

fn caught_up(state: &Path, root: &Path, most: usize) -> InForce {
    let cache = cache(state, root);
    let in_force = InForce::read(&cache);
    let directory_stamp = stamp_of_directory(root);
    let has_changed = directory_stamp.is_some() && directory_stamp != in_force.directory;
    // What cannot be kept is enforced as it was.
    if has_changed && check(root, &cache, most).is_ok() { InForce::read(&cache) } else { in_force }
}

/// Adds the decisions of a project to the rules in force there, as they were when somebody last looked: whatever the base holds, this reads one
/// small file.
pub fn add_known(policy: &mut Policy, state: &Path, (level, root): (Level, &Path)) {
    for decision in &InForce::read(&cache(state, root)).decisions {
        add(policy, decision, level, root);
    }
}

/// Where the decisions of a project are.
pub(crate) fn directory(root: &Path) -> PathBuf {
    root.join(".ai").join("decisions")
}

/// What tells one state of the directory from another; none if there is no directory.
fn stamp_of_directory(root: &Path) -> Option<String> {
    stamp(&fs::metadata(directory(root)).ok()?)
}

fn stamp(metadata: &Metadata) -> Option<String> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}", modified.as_nanos(), metadata.len()))
}

/// A file of a decision.
struct Listed {
    name: String,
    stamp: String,
    length: u64,
}

/// The files of decisions, by name.
fn files(root: &Path) -> io::Result<Vec<Listed>> {
    let entries = match fs::read_dir(directory(root)) {
        Ok(entries) => entries,
        Err(error) if is_absence(&error) => return Ok(Vec::new()),
        // Nobody knows what is in there, so what was in force stays.
        Err(error) => return Err(error),
    };
    let mut files: Vec<Listed> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry
                .file_name()
                .into_string()
                .ok()
                .filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "md"))?;
            let mut metadata = entry.metadata().ok()?;
            if metadata.is_symlink() {
                metadata = fs::metadata(entry.path()).ok()?;
            }
            let stamp = stamp(&metadata).filter(|_| metadata.is_file())?;
            Some(Listed { name, stamp, length: metadata.len() })
        })
        .take(MOST)
        .collect();
    files.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

fn add(policy: &mut Policy, decision: &Checked, level: Level, root: &Path) {
    let id = format!("decision.{}", decision.id);
    let origin = Origin { level, line: 0 };
    let reason = format!("goes against decision {}: {}", decision.id, decision.title);
    if let Some(pattern) = decision.command.as_deref().and_then(|text| CommandPattern::new(text).ok()) {
        policy.add_command(CommandRule { id, hold: Hold::Deny, pattern, reason, origin });
    } else if let Some(pattern) =
        decision.path.as_deref().and_then(|text| PathPattern::new(text, root.to_str()).ok())
    {
        policy.add_path(PathRule { id, hold: Hold::Deny, pattern, ops: Ops::CHANGE, reason, origin });
    }
}

/// What became of decisions that no longer hold, also in the words of other systems.
const PAST: [&str; 6] = ["superseded", "superceded", "revoked", "deprecated", "rejected", "withdrawn"];

/// One line, without what a terminal would obey.
fn one_line(text: &str, most: usize) -> String {
    let mut line: String = text.chars().filter(|c| !c.is_control()).take(most).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

fn check_file(unread: Checked, front: &str, is_too_large: bool, root: &Path) -> Checked {
    let heading: Heading = serde_saphyr::from_str(front).unwrap_or_default();
    // As the knowledge base reads it: a word that nobody knows does not switch a decision off.
    let status = heading.status.trim().to_ascii_lowercase();
    if PAST.contains(&status.as_str()) || status.starts_with("superseded by ") {
        return unread;
    }
    let name = unread.file.trim_end_matches(".md");
    let id = if heading.id.is_empty() {
        name.split('-').take(2).collect::<Vec<_>>().join("-")
    } else {
        heading.id
    };
    let title = if heading.title.is_empty() { name } else { &heading.title };
    let titled = Checked { id: one_line(&id, 32), title: one_line(title, LONGEST_TITLE), ..unread.clone() };
    match predicate::from_front_matter(front) {
        Ok(None) => unread,
        Err(error) => Checked { problem: Some(one_line(&error.to_string(), 400)), ..titled },
        Ok(Some(_)) if is_too_large => {
            let problem = format!("the file is larger than {} KB: shorten its text", LARGEST >> 10);
            Checked { problem: Some(problem), ..titled }
        }
        Ok(Some(predicate)) => prove(predicate, titled, root),
    }
}

/// Proves the predicate of a decision that is not yet saved, given as the front matter that will hold it. Gives the number of spellings in
/// which it held, or why it would not be enforced.
pub fn proof(front: &str, root: &Path) -> Result<usize, String> {
    let predicate = predicate::from_front_matter(front).map_err(|error| one_line(&error.to_string(), 400))?;
    let Some(predicate) = predicate else { return Err("it has no predicate".to_owned()) };
    let unsaved = Checked { id: "D-000".to_owned(), ..Checked::unread(String::new(), String::new()) };
    let checked = prove(predicate, unsaved, root);
    checked.spellings.ok_or_else(|| checked.problem.unwrap_or_default())
}

fn prove(predicate: Predicate, titled: Checked, root: &Path) -> Checked {
    let (command, path) = match predicate.pattern() {
        Pattern::Command(text) => (Some(text.clone()), None),
        Pattern::Path(text) => (None, Some(text.clone())),
    };
    let decision = Checked { command, path, ..titled };
    let mut policy = Policy::builtin();
    add(&mut policy, &decision, Level::Repo, root);
    let rule = format!("decision.{}", decision.id);
    if !policy.has_own_rule(&rule) {
        let problem = "its pattern cannot be read; `custos guard add deny PATTERN` says why".to_owned();
        return Checked { problem: Some(problem), ..decision };
    }
    let (own, files) = (Own::default(), NoFiles::default());
    let cwd = root.to_str().unwrap_or("/");
    let world = World { home: None, cwd, root: cwd, own: &own, files: &files };
    let guard = Guard { world, policy: &policy };
    let is_about_paths = decision.path.is_some();
    let holds = |text: &str| {
        let judgement = if is_about_paths { guard.path(text, Access::Write) } else { guard.command(text) };
        judgement.findings.iter().any(|finding| finding.rule == rule)
    };
    match predicate::prove(predicate, &holds) {
        Ok(proven) => Checked { spellings: Some(proven.spellings()), ..decision },
        Err(leak) => Checked { problem: Some(one_line(&leak.to_string(), 400)), ..decision },
    }
}
