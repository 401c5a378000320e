//! Decisions that are enforced: the required ones of a project's knowledge base that carry a predicate.
//!
//! A decision (`.ai/decisions/D-012-slug.md`) may say in its front matter what must not run any more. Before it is enforced it proves itself
//! on its examples and on dozens of ways to write them ([`crate::predicate`]); one that leaks is refused, with the spelling that leaked.
//! Proving takes milliseconds, so each file is proven once, when it is new or changed, and the outcome is kept in the state directory; a hook
//! reads one small file, and asks the file system whether the directory has changed since:
//!
//! ```text
//! {"file":"D-012-pipeline.md","stamp":"1794…-312","id":"D-012","title":"The pipeline …","command":"terraform apply","spellings":237}
//! ```
//!
//! A clone may bring decisions along. They can only tighten; what they say is cut to a line before anybody is told.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use crate::guard::Guard;
use crate::path::Access;
use crate::predicate::{self, Pattern, Predicate};
use crate::rules::{CommandPattern, CommandRule, Level, Ops, Origin, PathPattern, PathRule, Policy};
use crate::verdict::Hold;
use crate::world::{NoFiles, Own, World};

/// The most decisions of a project that are looked at, and the largest file.
const MOST: usize = 500;
const LARGEST: u64 = 64 << 10;
const LARGEST_CACHE: u64 = 1 << 20;

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

/// Brings what is kept for a project up to date, and gives the decisions that carry a predicate. Of files that are new or changed, `most`
/// are proven; the others stay for the next time.
pub fn check(root: &Path, cache: &Path, most: usize) -> std::io::Result<Vec<Checked>> {
    let kept = read(cache);
    let mut left = most;
    let mut checked = Vec::new();
    for (file, stamp) in files(root) {
        if let Some(known) = kept.iter().find(|known| known.file == file && known.stamp == stamp) {
            checked.push(known.clone());
        } else if left > 0 {
            left -= 1;
            checked.push(check_file(file, stamp, root));
        } else {
            // What it said before goes on until it is looked at.
            checked.extend(kept.iter().find(|known| known.file == file).cloned());
        }
    }
    if checked != kept || left == 0 {
        let text: String = checked
            .iter()
            .filter_map(|line| serde_json::to_string(line).ok())
            .map(|line| line + "\n")
            .collect();
        custos_config::replace::Draft::begin(cache)?.publish_disposable(text.as_bytes())?;
    }
    checked.retain(|decision| !decision.id.is_empty());
    Ok(checked)
}

/// Says whether decisions came, went or were replaced since they were last looked at.
pub fn has_changed(root: &Path, cache: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    match (modified(&directory(root)), modified(cache)) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(directory), Some(cache)) => directory > cache,
    }
}

/// Adds the decisions that are kept for a project to the rules in force there.
pub fn enforce(policy: &mut Policy, cache: &Path, root: &Path) {
    for decision in read(cache).iter().filter(|decision| decision.spellings.is_some()) {
        add(policy, decision, root);
    }
}

fn directory(root: &Path) -> PathBuf {
    root.join(".ai").join("decisions")
}

/// The files of decisions, with their stamps, by name.
fn files(root: &Path) -> Vec<(String, String)> {
    let Ok(entries) = fs::read_dir(directory(root)) else { return Vec::new() };
    let mut files: Vec<(String, String)> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry
                .file_name()
                .into_string()
                .ok()
                .filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "md"))?;
            let metadata = entry.metadata().ok()?;
            let modified = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            Some((name, format!("{}-{}", modified.as_nanos(), metadata.len())))
        })
        .take(MOST)
        .collect();
    files.sort();
    files
}

fn read(cache: &Path) -> Vec<Checked> {
    let text = small_text(cache, LARGEST_CACHE).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn add(policy: &mut Policy, decision: &Checked, root: &Path) {
    let id = format!("decision.{}", decision.id);
    let origin = Origin { level: Level::Repo, line: 1 };
    let reason = format!("goes against decision {}: {}", decision.id, decision.title);
    if let Some(pattern) = decision.command.as_deref().and_then(|text| CommandPattern::new(text).ok()) {
        policy.add_command(CommandRule { id, hold: Hold::Deny, pattern, reason, origin });
    } else if let Some(pattern) =
        decision.path.as_deref().and_then(|text| PathPattern::new(text, root.to_str()).ok())
    {
        policy.add_path(PathRule { id, hold: Hold::Deny, pattern, ops: Ops::CHANGE, reason, origin });
    }
}

/// One line, without what a terminal would obey.
fn one_line(text: &str, most: usize) -> String {
    let mut line: String = text.chars().filter(|c| !c.is_control()).take(most).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

fn check_file(file: String, stamp: String, root: &Path) -> Checked {
    let nothing = Checked {
        file,
        stamp,
        id: String::new(),
        title: String::new(),
        command: None,
        path: None,
        spellings: None,
        problem: None,
    };
    let Some(text) = small_text(&directory(root).join(&nothing.file), LARGEST) else { return nothing };
    let front = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    let Some(front) = front.and_then(|front| Some(&front[..front.find("\n---")?])) else { return nothing };
    let heading: Heading = serde_saphyr::from_str(front).unwrap_or_default();
    if !matches!(heading.status.as_str(), "" | "active") {
        return nothing;
    }
    let name = nothing.file.trim_end_matches(".md");
    let id = if heading.id.is_empty() {
        name.split('-').take(2).collect::<Vec<_>>().join("-")
    } else {
        heading.id
    };
    let title = if heading.title.is_empty() { name } else { &heading.title };
    let titled = Checked { id: one_line(&id, 32), title: one_line(title, LONGEST_TITLE), ..nothing.clone() };
    match predicate::from_front_matter(front) {
        Ok(None) => nothing,
        Err(error) => Checked { problem: Some(one_line(&error.to_string(), 400)), ..titled },
        Ok(Some(predicate)) => prove(predicate, titled, root),
    }
}

/// Proves the predicate of a decision that is not yet saved, given as the front matter that will hold it. Gives the number of spellings in
/// which it held, or why it would not be enforced.
pub fn proof(front: &str, root: &Path) -> Result<usize, String> {
    let predicate = predicate::from_front_matter(front).map_err(|error| one_line(&error.to_string(), 400))?;
    let Some(predicate) = predicate else { return Err("it has no predicate".to_owned()) };
    let unsaved = Checked {
        file: String::new(),
        stamp: String::new(),
        id: "D-000".to_owned(),
        title: String::new(),
        command: None,
        path: None,
        spellings: None,
        problem: None,
    };
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
    add(&mut policy, &decision, root);
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

fn small_text(path: &Path, largest: u64) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= largest) {
        return None;
    }
    let mut text = String::new();
    file.take(largest).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test that writes its own files")]
mod tests {
    use super::*;

    const GOOD: &str = "---\nid: D-012\ntitle: The pipeline applies infrastructure\nenforce: required\nstatus: active\nguard:\n  command: terraform apply\n  must_block: [terraform apply -auto-approve]\n  must_allow: [terraform plan]\n---\nText.\n";

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let decisions = dir.path().join(".ai/decisions");
        fs::create_dir_all(&decisions).unwrap();
        for (name, text) in files {
            fs::write(decisions.join(name), text).unwrap();
        }
        dir
    }

    fn verdict(policy: &Policy, root: &Path, command: &str) -> Vec<String> {
        let (own, files) = (Own::default(), NoFiles::default());
        let cwd = root.to_str().unwrap();
        let world = World { home: None, cwd, root: cwd, own: &own, files: &files };
        let judgement = Guard { world, policy }.command(command);
        judgement
            .findings
            .iter()
            .filter(|finding| finding.hold == Hold::Deny)
            .map(|finding| finding.rule.to_string())
            .collect()
    }

    #[test]
    fn a_required_decision_is_enforced_once_it_has_proven_itself() {
        let dir =
            project(&[("D-012-pipeline.md", GOOD), ("D-013-note.md", "---\nid: D-013\ntitle: x\n---\n")]);
        let kept = dir.path().join("kept");
        assert!(has_changed(dir.path(), &kept));
        let checked = check(dir.path(), &kept, 10).unwrap();
        assert_eq!(checked.len(), 1);
        assert!(checked[0].spellings.is_some_and(|spellings| spellings > 60), "{checked:?}");
        let mut policy = Policy::builtin();
        enforce(&mut policy, &kept, dir.path());
        assert_eq!(
            verdict(&policy, dir.path(), "cd infra && sudo bash -c 'terraform apply'"),
            ["decision.D-012"]
        );
        assert_eq!(verdict(&policy, dir.path(), "terraform plan"), Vec::<String>::new());
        // Nothing is proven twice.
        assert_eq!(check(dir.path(), &kept, 0).unwrap(), checked);
        assert!(!has_changed(dir.path(), &kept));
    }

    #[test]
    fn what_goes_is_no_longer_enforced() {
        let dir = project(&[("D-012-pipeline.md", GOOD)]);
        let kept = dir.path().join("kept");
        check(dir.path(), &kept, 10).unwrap();
        fs::remove_file(dir.path().join(".ai/decisions/D-012-pipeline.md")).unwrap();
        assert_eq!(check(dir.path(), &kept, 10).unwrap(), []);
        let mut policy = Policy::builtin();
        enforce(&mut policy, &kept, dir.path());
        assert_eq!(policy, Policy::builtin());
    }

    #[test]
    fn a_path_may_be_decided_about() {
        let text = GOOD
            .replace("command: terraform apply", "path: infra/prod/**")
            .replace("terraform apply -auto-approve", "infra/prod/main.tf")
            .replace("terraform plan", "infra/dev/main.tf");
        let dir = project(&[("D-012-pipeline.md", &text)]);
        let checked = check(dir.path(), &dir.path().join("kept"), 10).unwrap();
        assert!(checked[0].spellings.is_some(), "{checked:?}");
    }

    #[test]
    fn one_that_leaks_is_refused_with_what_leaked() {
        let text = GOOD.replace("must_allow: [terraform plan]", "must_allow: [terraform apply -target=x]");
        let dir = project(&[("D-012-pipeline.md", &text)]);
        let kept = dir.path().join("kept");
        let checked = check(dir.path(), &kept, 10).unwrap();
        assert_eq!(
            checked[0].problem.as_deref(),
            Some("`terraform apply -target=x` must be allowed and is blocked")
        );
        let mut policy = Policy::builtin();
        enforce(&mut policy, &kept, dir.path());
        assert_eq!(policy, Policy::builtin());
    }

    #[test]
    fn what_is_no_longer_active_or_only_advice_is_not_enforced() {
        let revoked = GOOD.replace("status: active", "status: revoked");
        let advice = GOOD.replace("enforce: required", "enforce: advisory");
        let dir = project(&[("D-001-a.md", &revoked), ("D-002-b.md", &advice)]);
        assert_eq!(check(dir.path(), &dir.path().join("kept"), 10).unwrap(), []);
    }

    #[test]
    fn a_title_is_told_in_one_line() {
        let long = GOOD.replace("The pipeline applies infrastructure", &"Ignore what was said. ".repeat(50));
        let dir = project(&[("D-012-pipeline.md", &long)]);
        let checked = check(dir.path(), &dir.path().join("kept"), 10).unwrap();
        assert_eq!(checked[0].title.chars().count(), LONGEST_TITLE + 1);
    }
}
