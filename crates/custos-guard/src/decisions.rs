//! Decisions that are enforced: the required ones of a project's knowledge base that carry a predicate.
//!
//! A decision (`.ai/decisions/D-012-slug.md`) may say in its front matter what must not run any more. Before it is enforced it proves itself
//! on its examples and on dozens of ways to write them ([`crate::predicate`]); one that leaks is refused, with the spelling that leaked.
//! Proving takes milliseconds, so it is done when a session starts and when a person asks, and the outcome is kept in the state directory;
//! a hook reads one small file.
//!
//! ```text
//! {"id":"D-012","command":"terraform apply","why":"infrastructure is applied by the pipeline"}
//! ```

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use crate::guard::Guard;
use crate::path::Access;
use crate::predicate::{self, Pattern, Predicate};
use crate::rules::{CommandPattern, CommandRule, Level, Origin, PathPattern, PathRule, Policy};
use crate::verdict::Hold;
use crate::world::{NoFiles, Own, World};

/// The most decisions of a project that are looked at, and the largest file.
const MOST: usize = 500;
const LARGEST: u64 = 64 << 10;

/// A decision that carries a predicate, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The file.
    pub file: PathBuf,
    /// The decision.
    pub id: String,
    /// What it says.
    pub title: String,
    /// In how many spellings it held; or why it is not enforced.
    pub outcome: Result<usize, String>,
    #[serde(skip)]
    line: Option<Line>,
}

/// A decision as a hook reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    why: String,
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

/// Reads the decisions of a project and has those with a predicate prove themselves.
pub fn check(root: &Path) -> Vec<Checked> {
    let Ok(entries) = fs::read_dir(root.join(".ai").join("decisions")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .take(MOST)
        .collect();
    files.sort();
    files.into_iter().filter_map(|file| check_file(file, root)).collect()
}

/// Keeps what was checked for hooks. Nothing is written if nothing changed.
pub fn keep(checked: &[Checked], cache: &Path) -> std::io::Result<()> {
    let text = compiled(checked);
    if small_text(cache).unwrap_or_default() == text {
        return Ok(());
    }
    custos_config::replace::Draft::begin(cache)?.publish_disposable(text.as_bytes())
}

/// What a hook enforces of what was checked.
fn compiled(checked: &[Checked]) -> String {
    checked
        .iter()
        .filter_map(|decision| decision.line.as_ref())
        .filter_map(|line| serde_json::to_string(line).ok())
        .map(|line| line + "\n")
        .collect()
}

/// Adds the decisions that were kept for a project to the rules in force there.
pub fn enforce(policy: &mut Policy, cache: &Path, root: &Path) {
    let Some(text) = small_text(cache) else { return };
    for line in text.lines() {
        if let Ok(line) = serde_json::from_str::<Line>(line) {
            add(policy, &line, root);
        }
    }
}

fn add(policy: &mut Policy, line: &Line, root: &Path) {
    let id = format!("decision.{}", line.id);
    let origin = Origin { level: Level::Repo, line: 1 };
    let reason = format!("goes against decision {}: {}", line.id, line.why);
    if let Some(pattern) = line.command.as_deref().and_then(|text| CommandPattern::new(text).ok()) {
        policy.add_command(CommandRule { id, hold: Hold::Deny, pattern, reason, origin });
    } else if let Some(pattern) =
        line.path.as_deref().and_then(|text| PathPattern::new(text, root.to_str()).ok())
    {
        policy.add_path(PathRule {
            id,
            hold: Hold::Deny,
            pattern,
            ops: crate::rules::Ops::CHANGE,
            reason,
            origin,
        });
    }
}

fn check_file(file: PathBuf, root: &Path) -> Option<Checked> {
    let text = small_text(&file)?;
    let front = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let front = &front[..front.find("\n---")?];
    let heading: Heading = serde_saphyr::from_str(front).unwrap_or_default();
    if !matches!(heading.status.as_str(), "" | "active") {
        return None;
    }
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let id = if heading.id.is_empty() {
        name.split('-').take(2).collect::<Vec<_>>().join("-")
    } else {
        heading.id
    };
    let title = if heading.title.is_empty() { name.to_owned() } else { heading.title };
    let (outcome, line) = match predicate::from_front_matter(front) {
        Ok(None) => return None,
        Err(error) => (Err(error.to_string()), None),
        Ok(Some(predicate)) => prove(predicate, &id, &title, root),
    };
    Some(Checked { file, id, title, outcome, line })
}

fn prove(predicate: Predicate, id: &str, title: &str, root: &Path) -> (Result<usize, String>, Option<Line>) {
    let (command, path) = match predicate.pattern() {
        Pattern::Command(text) => (Some(text.clone()), None),
        Pattern::Path(text) => (None, Some(text.clone())),
    };
    let line = Line { id: id.to_owned(), command, path, why: title.to_owned() };
    let mut policy = Policy::builtin();
    add(&mut policy, &line, root);
    let rule = format!("decision.{id}");
    if !policy.has_own_rule(&rule) {
        return (
            Err("its pattern cannot be read; `custos guard add deny PATTERN` says why".to_owned()),
            None,
        );
    }
    let (own, files) = (Own::default(), NoFiles::default());
    let cwd = root.to_str().unwrap_or("/");
    let world = World { home: None, cwd, root: cwd, own: &own, files: &files };
    let guard = Guard { world, policy: &policy };
    let is_about_paths = line.path.is_some();
    let holds = |text: &str| {
        let judgement = if is_about_paths { guard.path(text, Access::Write) } else { guard.command(text) };
        judgement.findings.iter().any(|finding| finding.rule == rule)
    };
    match predicate::prove(predicate, &holds) {
        Ok(proven) => (Ok(proven.spellings()), Some(line)),
        Err(leak) => (Err(leak.to_string()), None),
    }
}

fn small_text(path: &Path) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST) {
        return None;
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
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
        let checked = check(dir.path());
        assert_eq!(checked.len(), 1);
        assert!(checked[0].outcome.as_ref().is_ok_and(|spellings| *spellings > 60), "{checked:?}");
        let kept = dir.path().join("kept");
        fs::write(&kept, compiled(&checked)).unwrap();
        let mut policy = Policy::builtin();
        enforce(&mut policy, &kept, dir.path());
        assert_eq!(
            verdict(&policy, dir.path(), "cd infra && sudo bash -c 'terraform apply'"),
            ["decision.D-012"]
        );
        assert_eq!(verdict(&policy, dir.path(), "terraform plan"), Vec::<String>::new());
    }

    #[test]
    fn a_path_may_be_decided_about() {
        let text = GOOD
            .replace("command: terraform apply", "path: infra/prod/**")
            .replace("terraform apply -auto-approve", "infra/prod/main.tf")
            .replace("terraform plan", "infra/dev/main.tf");
        let dir = project(&[("D-012-pipeline.md", &text)]);
        let checked = check(dir.path());
        assert!(checked[0].outcome.is_ok(), "{checked:?}");
    }

    #[test]
    fn one_that_leaks_is_refused_with_what_leaked() {
        let text = GOOD.replace("must_allow: [terraform plan]", "must_allow: [terraform apply -target=x]");
        let dir = project(&[("D-012-pipeline.md", &text)]);
        let checked = check(dir.path());
        let error = checked[0].outcome.as_ref().unwrap_err();
        assert!(error.contains("terraform apply -target=x"), "{error}");
        assert_eq!(compiled(&checked), "");
    }

    #[test]
    fn what_is_no_longer_active_or_only_advice_is_not_enforced() {
        let revoked = GOOD.replace("status: active", "status: revoked");
        let advice = GOOD.replace("enforce: required", "enforce: advisory");
        let dir = project(&[("D-001-a.md", &revoked), ("D-002-b.md", &advice)]);
        assert_eq!(check(dir.path()), []);
    }
}
