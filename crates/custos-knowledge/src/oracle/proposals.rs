//! Decisions that a project has made already, put into words.
//!
//! Only what a file proves is proposed, and only where there is one answer: two lock files of one ecosystem are a question, not a
//! decision. Titles name the thing that is decided, so that a rescan proposes the same title again and not a second one.

use super::findings::{Command, Finding, Origin, Proposal, Purpose, Scan, Source, Topic};

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
            let decision =
                format!("Use {name} to add, remove and install dependencies; commit its lock file.");
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
        let place =
            if command.folder.is_empty() { String::new() } else { format!(" in `{}`", command.folder) };
        let title = format!("{before} `{}`{place}", command.command);
        out.push(proposal(title.clone(), format!("{title}. {after}"), reasoning, &command.source));
    }
}

/// The command to propose: proven, at the root, and the plainest of its kind.
fn best(scan: &Scan, purpose: Purpose) -> Option<&Command> {
    let proven = |command: &&Command| {
        command.purpose == purpose && command.origin != Origin::Default && command.folder.is_empty()
    };
    let candidates = scan.commands.iter().filter(proven);
    candidates.min_by_key(|command| (command.origin, command.command.chars().count(), &command.command))
}

fn versions(scan: &Scan, out: &mut Vec<Proposal>) {
    let pinned = |finding: &&Finding| finding.topic == Topic::Version && !finding.source.file.contains('/');
    for finding in scan.stack.iter().filter(pinned) {
        let Some(version) = &finding.detail else { continue };
        // Two files that say different things are a question.
        let one = scan.stack.iter().filter(pinned).filter(|other| other.name == finding.name).count() == 1;
        if one {
            let title = format!("{}: {version}", finding.name);
            let decision = format!(
                "The project is written for {} {version}; use nothing that needs another.",
                finding.name
            );
            out.push(proposal(title, decision, "The manifest demands it.", &finding.source));
        }
    }
}

fn of_pattern(finding: &Finding) -> Option<Proposal> {
    let (name, detail) = (&finding.name, finding.detail.as_deref().unwrap_or_default());
    let (title, decision, reasoning) = match finding.topic {
        Topic::Strictness if detail.is_empty() || matches!(detail, "deny" | "forbid") => {
            (capitalised(name), format!("{}.", capitalised(name)), "The compiler is told so.")
        }
        Topic::Commits if matches!(name.as_str(), "commitlint" | "Conventional Commits" | "Commitizen") => (
            "Commit messages follow Conventional Commits".to_owned(),
            format!("Write commit messages as Conventional Commits ({name})."),
            "A tool or the contributors' guide asks for it.",
        ),
        Topic::Migrations => (
            format!("Changes of the schema are migrations in `{name}`"),
            format!(
                "Add a migration to `{name}` for each change of the schema; never edit one that has been applied."
            ),
            "The migrations are in the repo.",
        ),
        Topic::Monorepo if name != "git submodules" => (
            format!("Several packages live in this repo: {name}"),
            format!("Packages are part of one repo ({name}); share code through them and not by copies."),
            "The workspace is declared.",
        ),
        Topic::Licence => (
            format!("The licence is {name}"),
            format!("Code in this repo is licensed under {name}; take in nothing that cannot be."),
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
