//! Decisions that a project has made already, put into words.
//!
//! Only what a file proves is proposed, and only where there is one answer: two lock files of one ecosystem are a question, not a
//! decision. Titles name the thing that is decided, so that a rescan proposes the same title again and not a second one.

use super::findings::{Finding, Origin, Proposal, Purpose, Scan, Source, Topic};
use super::markdown::code;
use super::settled::{only_checks_formatting, settled};
use super::walk::name_of;
use crate::text::title::LONGEST_TITLE;

/// Managers that exclude each other, and whose dependencies they manage.
const RIVALS: &[(&str, &[&str])] = &[
    ("JVM", &["Maven", "Gradle"]),
    ("JavaScript", &["npm", "pnpm", "Yarn", "Bun"]),
    ("PHP", &["Composer"]),
    ("Python", &["Pipenv", "Poetry", "PDM", "uv", "conda"]),
    ("Ruby", &["Bundler"]),
];

/// The commands that are decided on: for what, and how the title and the decision tell it.
const COMMANDS: [(Purpose, &str, &str); 3] = [
    (Purpose::Test, "Tests run with", "before a change is called done."),
    (Purpose::Lint, "Linting is done with", "before a change is called done."),
    (Purpose::Format, FORMATTED_WITH, ""),
];
/// What the title of a command that formats begins with.
const FORMATTED_WITH: &str = "Formatting is done with";
/// What the title begins with where nothing is known but a check.
const CHECKED_WITH: &str = "Formatting is checked with";
/// Stands in the title between a language and its manager.
const MANAGED_WITH: &str = " dependencies are managed with ";
/// What the title of a version begins with.
const VERSION_OF: &str = "Version of ";
/// What the title of migrations begins with.
const MIGRATIONS_IN: &str = "Changes of the schema are migrations in ";

/// Says whether two titles of a scan decide on different things, however alike they sound: linting with one script and formatting with another are
/// no duplicates, linting with either of two programs may be.
pub fn are_apart(title: &str, other: &str) -> bool {
    matches!((subject(title), subject(other)), (Some(one), Some(another)) if one != another)
}

/// What a title of a scan decides on, without what was chosen.
fn subject(title: &str) -> Option<&str> {
    let of_command = COMMANDS.iter().map(|(_, before, _)| *before).find(|before| title.starts_with(before));
    of_command
        .or_else(|| title.starts_with(CHECKED_WITH).then_some(FORMATTED_WITH))
        .or_else(|| Some(title.split_once(MANAGED_WITH)?.0))
        .or_else(|| Some(title.strip_prefix(VERSION_OF)?.split_once(": ")?.0))
        .or_else(|| title.starts_with(MIGRATIONS_IN).then_some(title))
}

/// Derives proposals from the findings, in the order of their titles. What a repository within the tree proves is proposed there, and not
/// for all that is around it.
pub(super) fn proposals(scan: &Scan, repos: &[String]) -> Vec<Proposal> {
    let is_own = |source: &Source| !repos.iter().any(|repo| source.file.starts_with(repo));
    let own = |findings: &[Finding]| findings.iter().filter(|one| is_own(&one.source)).cloned().collect();
    let scan = &Scan {
        stack: own(&scan.stack),
        patterns: own(&scan.patterns),
        commands: scan.commands.iter().filter(|one| is_own(&one.source)).cloned().collect(),
        ..Scan::default()
    };
    let mut proposals = Vec::new();
    managers(scan, &mut proposals);
    commands(scan, &mut proposals);
    versions(scan, &mut proposals);
    migrations(scan, &mut proposals);
    packages(scan, &mut proposals);
    let at_root = |topic| scan.patterns.iter().filter(move |other| other.topic == topic && is_at_root(other));
    for finding in scan.patterns.iter().filter(|finding| is_at_root(finding)) {
        // Two licences are a question: for which part is which, or may one choose?
        if finding.topic != Topic::Licence || at_root(Topic::Licence).count() == 1 {
            proposals.extend(of_pattern(finding));
        }
    }
    proposals.sort();
    proposals.dedup_by(|a, b| a.title == b.title);
    proposals
}

fn proposal(title: String, decision: String, reasoning: &str, evidence: &Source) -> Proposal {
    Proposal { title, decision, reasoning: reasoning.to_owned(), evidence: evidence.clone() }
}

/// Proposes the one manager of each language. The title names the language also where there is no other yet: one may come.
fn managers(scan: &Scan, out: &mut Vec<Proposal>) {
    let found: Vec<&Finding> = scan.stack.iter().filter(|finding| finding.topic == Topic::Manager).collect();
    for (language, rivals) in RIVALS {
        let mut used = found.iter().filter(|finding| rivals.contains(&finding.name.as_str()));
        if let (Some(one), None) = (used.next(), used.next()) {
            let name = &one.name;
            let decision =
                format!("Use {name} for {language} dependencies, and no other manager of its kind.");
            let reasoning = "It is the only package manager of its kind with a file in the repo.";
            let title = format!("{language}{MANAGED_WITH}{name}");
            out.push(proposal(title, decision, reasoning, &one.source));
        }
    }
}

fn commands(scan: &Scan, out: &mut Vec<Proposal>) {
    for (purpose, before, after) in COMMANDS {
        let settled = settled(&scan.commands, purpose);
        let Some(first) = settled.first() else { continue };
        let (it, them) =
            if settled.len() == 1 { ("this command", "this") } else { ("these commands", "these") };
        let reasoning = match first.origin {
            Origin::Named => format!("The project names {it} itself."),
            Origin::Ci => format!("Continuous integration runs {it}."),
            Origin::Configured | Origin::Default => "The tool is configured in the repo.".to_owned(),
        };
        let (before, after) = match purpose {
            Purpose::Format if settled.iter().all(|command| only_checks_formatting(command)) => {
                let them = if settled.len() == 1 { "it" } else { "them" };
                (CHECKED_WITH, format!("Code has to pass {them}."))
            }
            Purpose::Format => (before, "Keep the code formatted by it.".to_owned()),
            _ => (before, format!("Run {them} {after}")),
        };
        let told: Vec<String> = settled.iter().map(|command| code(&command.command)).collect();
        let title = format!("{before} {}", told.join(" and "));
        // A title that must be cut would name half of a command.
        if settled.len() == 1 || title.chars().count() <= LONGEST_TITLE {
            out.push(proposal(title.clone(), format!("{title}. {after}"), &reasoning, &first.source));
        }
    }
}

fn versions(scan: &Scan, out: &mut Vec<Proposal>) {
    let pinned = |finding: &&Finding| finding.topic == Topic::Version && !finding.source.file.contains('/');
    for finding in scan.stack.iter().filter(pinned) {
        let Some(version) = &finding.detail else { continue };
        // Two files that say different things are a question.
        let one = scan.stack.iter().filter(pinned).filter(|other| other.name == finding.name).count() == 1;
        if one {
            let title = format!("{VERSION_OF}{}: {}", finding.name, code(version));
            let rule = if is_range(version) {
                "Use nothing that the oldest of these lacks."
            } else {
                "Use nothing that needs another."
            };
            let decision = format!("{title}. {rule}");
            out.push(proposal(title, decision, "The manifest demands it.", &finding.source));
        }
    }
}

/// Tells whether a version stands for several: `at least 3.20`, `>=18`, `^8.2`.
fn is_range(version: &str) -> bool {
    version.starts_with("at least") || version.contains(['<', '>', '^', '~', '|', '*'])
}

/// What holds for one package need not hold for the repo.
fn is_at_root(finding: &Finding) -> bool {
    !finding.source.file.contains('/')
}

/// Proposes one decision for all folders of migrations with the same name: Django has one in each application.
fn migrations(scan: &Scan, out: &mut Vec<Proposal>) {
    let found = || scan.patterns.iter().filter(|finding| finding.topic == Topic::Migrations);
    let django = scan.stack.iter().any(|finding| finding.name == "Django");
    for finding in found() {
        let name = name_of(&finding.name);
        let alike = found().filter(|other| name_of(&other.name) == name).count();
        let (place, target) = if alike > 1 || (django && name == "migrations") {
            (format!("the folders {}", code(name)), format!("the {} of the part that changes", code(name)))
        } else {
            (code(&finding.name), code(&finding.name))
        };
        out.push(proposal(
            format!("{MIGRATIONS_IN}{place}"),
            format!("Add a migration to {target} for each change; never edit one that has been applied."),
            "The migrations are in the repo.",
            &finding.source,
        ));
    }
}

/// Proposes one decision for all that declares packages: a runner of tasks stands beside the workspace whose tasks it runs. It may come later,
/// so the title names none of them.
fn packages(scan: &Scan, out: &mut Vec<Proposal>) {
    let is_meant = |finding: &&Finding| {
        finding.topic == Topic::Monorepo && finding.name != "git submodules" && is_at_root(finding)
    };
    let found: Vec<&Finding> = scan.patterns.iter().filter(is_meant).collect();
    let Some(first) = found.first() else { return };
    let names: Vec<&str> = found.iter().map(|finding| finding.name.as_str()).collect();
    let names = names.join(" and ");
    out.push(proposal(
        "Several packages live in this repo".to_owned(),
        format!("Packages are part of one repo ({names}); share code through them and not by copies."),
        "The workspace is declared.",
        &first.source,
    ));
}

fn of_pattern(finding: &Finding) -> Option<Proposal> {
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::are_apart;

    #[rstest]
    #[case::purposes("Linting is done with `npm run lint`", "Formatting is done with `npm run format`", true)]
    #[case::formatting(
        "Formatting is checked with `prettier -c .`",
        "Formatting is done with `npm run format`",
        false
    )]
    #[case::checks("Linting is done with `npm run lint`", "Formatting is checked with `prettier -c .`", true)]
    #[case::programs("Linting is done with `npm run lint`", "Linting is done with `pnpm run lint`", false)]
    #[case::languages(
        "Python dependencies are managed with uv",
        "PHP dependencies are managed with Composer",
        true
    )]
    #[case::managers(
        "Python dependencies are managed with uv",
        "Python dependencies are managed with PDM",
        false
    )]
    #[case::versions("Version of Node.js: `>=20`", "Version of npm: `>=20`", true)]
    #[case::folders(
        "Changes of the schema are migrations in `api/migrations`",
        "Changes of the schema are migrations in `web/migrations`",
        true
    )]
    #[case::words_of_a_person("Linting is done with `npm run lint`", "Lint with `npm run lint`", false)]
    fn titles_are_apart_that_decide_on_different_things(
        #[case] title: &str,
        #[case] other: &str,
        #[case] apart: bool,
    ) {
        assert_eq!(are_apart(title, other), apart);
    }
}
