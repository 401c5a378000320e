//! Decisions that a project has made already, put into words.
//!
//! Only what a file proves is proposed, and only where there is one answer: two lock files of one ecosystem are a question, not a
//! decision. Titles name the thing that is decided, so that a rescan proposes the same title again and not a second one.

use super::findings::{Command, Finding, Origin, Proposal, Purpose, Scan, Source, Topic};
use super::markdown::code;
use super::walk::name_of;

/// Managers that exclude each other.
const RIVALS: &[&[&str]] =
    &[&["npm", "pnpm", "Yarn", "Bun"], &["Pipenv", "Poetry", "PDM", "uv", "conda"], &["Maven", "Gradle"]];

/// Derives proposals from the findings, in the order of their titles.
pub(super) fn proposals(scan: &Scan) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    managers(scan, &mut proposals);
    commands(scan, &mut proposals);
    versions(scan, &mut proposals);
    for finding in &scan.patterns {
        proposals.extend(of_pattern(finding));
    }
    proposals.sort();
    proposals.dedup_by(|a, b| a.title == b.title);
    proposals
}

fn proposal(title: String, decision: String, reasoning: &str, evidence: &Source) -> Proposal {
    Proposal { title, decision, reasoning: reasoning.to_owned(), evidence: evidence.clone() }
}

fn managers(scan: &Scan, out: &mut Vec<Proposal>) {
    let found: Vec<&Finding> = scan.stack.iter().filter(|finding| finding.topic == Topic::Manager).collect();
    for rivals in RIVALS {
        let mut used = found.iter().filter(|finding| rivals.contains(&finding.name.as_str()));
        if let (Some(one), None) = (used.next(), used.next()) {
            let name = &one.name;
            let decision = format!("Use {name} for dependencies, and no other manager of its kind.");
            let reasoning = "It is the only package manager of its kind with a file in the repo.";
            out.push(proposal(
                format!("Dependencies are managed with {name}"),
                decision,
                reasoning,
                &one.source,
            ));
        }
    }
}

fn commands(scan: &Scan, out: &mut Vec<Proposal>) {
    for (purpose, before, after) in [
        (Purpose::Test, "Tests run with", "Run this before a change is called done."),
        (Purpose::Lint, "Linting is done with", "Run this before a change is called done."),
        (Purpose::Format, "Formatting is done with", "Keep the code formatted by it."),
    ] {
        let Some(command) = best(scan, purpose) else { continue };
        let reasoning = match command.origin {
            Origin::Named => "The project names this command itself.",
            Origin::Ci => "Continuous integration runs this command.",
            Origin::Configured | Origin::Default => "The tool is configured in the repo.",
        };
        let title = format!("{before} {}", code(&command.command));
        out.push(proposal(title.clone(), format!("{title}. {after}"), reasoning, &command.source));
    }
}

/// The command to propose: proven, at the root, and the plainest of its kind.
fn best(scan: &Scan, purpose: Purpose) -> Option<&Command> {
    let proven = |command: &&Command| {
        command.purpose == purpose && command.origin != Origin::Default && command.folder.is_empty()
    };
    let candidates = scan.commands.iter().filter(proven);
    candidates.min_by_key(|command| {
        // A script for some of the tests says less than what CI runs.
        let part = command.origin == Origin::Named && !is_plainly_named(command);
        (part, command.origin, command.command.chars().count(), &command.command)
    })
}

/// Tells whether a name says the purpose and nothing else: `test`, `format:check`, `lint.sh`; not `test:e2e`.
fn is_plainly_named(command: &Command) -> bool {
    const ADDITIONS: &[&str] = &["all", "check", "ci", "fix", "py", "run", "sh"];
    let names: &[&str] = match command.purpose {
        Purpose::Test => &["spec", "test", "tests", "tox"],
        Purpose::Lint => &["check", "clippy", "lint"],
        Purpose::Format => &["fmt", "format"],
        Purpose::Build | Purpose::Run => return false,
    };
    let last = name_of(command.command.rsplit(' ').next().unwrap_or_default());
    let mut words = last.split(|c: char| !c.is_alphanumeric());
    words.next().is_some_and(|word| names.contains(&word)) && words.all(|word| ADDITIONS.contains(&word))
}

fn versions(scan: &Scan, out: &mut Vec<Proposal>) {
    let pinned = |finding: &&Finding| finding.topic == Topic::Version && !finding.source.file.contains('/');
    for finding in scan.stack.iter().filter(pinned) {
        let Some(version) = &finding.detail else { continue };
        // Two files that say different things are a question.
        let one = scan.stack.iter().filter(pinned).filter(|other| other.name == finding.name).count() == 1;
        if one {
            let title = format!("Version of {}: {}", finding.name, code(version));
            let decision = format!("{title}. Use nothing that needs another.");
            out.push(proposal(title, decision, "The manifest demands it.", &finding.source));
        }
    }
}

fn of_pattern(finding: &Finding) -> Option<Proposal> {
    // What holds for one package need not hold for the repo.
    if finding.source.file.contains('/') && finding.topic != Topic::Migrations {
        return None;
    }
    let (name, detail) = (&finding.name, finding.detail.as_deref().unwrap_or_default());
    let (title, decision, reasoning) = match finding.topic {
        Topic::Strictness if detail.is_empty() || matches!(detail, "deny" | "forbid") => (
            capitalised(name),
            format!("{}.", capitalised(name)),
            "A manifest or the settings of the compiler say so.",
        ),
        Topic::Commits if matches!(name.as_str(), "commitlint" | "Conventional Commits" | "Commitizen") => (
            "Commit messages follow Conventional Commits".to_owned(),
            "Write commit messages as Conventional Commits.".to_owned(),
            "A tool or the contributors' guide asks for it.",
        ),
        Topic::Migrations => (
            format!("Changes of the schema are migrations in {}", code(name)),
            format!(
                "Add a migration to {} for each change; never edit one that has been applied.",
                code(name)
            ),
            "The migrations are in the repo.",
        ),
        Topic::Monorepo if name != "git submodules" => (
            format!("Several packages live in this repo: {name}"),
            format!("Packages are part of one repo ({name}); share code through them and not by copies."),
            "The workspace is declared.",
        ),
        Topic::Licence => (
            format!("The licence is {}", code(name)),
            format!(
                "Code in this repo is licensed under {}; what is taken in must be compatible.",
                code(name)
            ),
            "The manifest or the licence file says so.",
        ),
        _ => return None,
    };
    Some(proposal(title, decision, reasoning, &finding.source))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
