//! Runners of tasks: make, just, Task.

use custos_config::yaml::{self, Content, Node};

use super::findings::{Origin, Purpose};
use super::notes::{Notes, Page};
use super::purpose;
use super::targets;
use super::whereabouts::in_a_row;

/// The most lines of a recipe that are kept.
const MOST_LINES: usize = 6;

/// A task, as its file has it.
struct Task<'a> {
    name: &'a str,
    /// The tasks that run before it.
    needs: Vec<&'a str>,
    steps: Vec<String>,
    /// Whether one shell runs all steps, and not each its own.
    is_one_script: bool,
    line: usize,
}

/// Reads a Makefile: its targets, and the lines below each.
pub(super) fn make(page: &Page<'_>, notes: &mut Notes) {
    let targets = recipes(page, |line| {
        let (targets, rest) = line.split_once(':')?;
        // `a := b` is a variable, `%.o: %.c` a rule, `.PHONY:` a word to make itself.
        if rest.starts_with('=') || rest.starts_with(":=") || targets.contains(['=', '%', '$', '(', '"']) {
            return None;
        }
        let target = targets.split_whitespace().next().filter(|target| !target.starts_with('.'))?;
        Some((target, rest.trim_start_matches(':')))
    });
    let goal = targets.first().filter(|_| !page.text.contains(".DEFAULT_GOAL"));
    if let Some(all) = goal.filter(|target| target.name == "all") {
        let told = told(all);
        if told.is_empty() || told.contains(&Purpose::Build) {
            note(page, notes, Purpose::Build, "make", all);
        }
    }
    for target in &targets {
        // By the conventions of GNU, a check runs the tests.
        if let Some(purpose) = purpose_of(target, Purpose::Test) {
            note(page, notes, purpose, &format!("make {}", target.name), target);
        }
    }
}

/// Reads a justfile.
pub(super) fn just(page: &Page<'_>, notes: &mut Notes) {
    let tasks = recipes(page, |line| {
        let (head, rest) = line.split_once(':')?;
        let name = head.split_whitespace().next()?.trim_start_matches('@');
        let first = name.starts_with(|c: char| c.is_ascii_alphabetic());
        // `alias t := test`, `set shell := …`, `export X := …`.
        let setting = rest.starts_with('=') || matches!(name, "alias" | "set" | "export" | "import" | "mod");
        (first && !setting).then_some((name, rest))
    });
    for task in &tasks {
        if let Some(purpose) = purpose_of(task, Purpose::Lint) {
            note(page, notes, purpose, &format!("just {}", task.name), task);
        }
    }
}

/// Goes through recipes: a line without indentation that names one, and what it needs, and the indented lines below it.
fn recipes<'a>(page: &Page<'a>, named: impl Fn(&'a str) -> Option<(&'a str, &'a str)>) -> Vec<Task<'a>> {
    let lines = without_definitions(page.text);
    let has_one_shell = lines.iter().any(|line| line.starts_with(".ONESHELL"));
    let mut tasks = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.starts_with([' ', '\t', '#']) {
            continue;
        }
        let Some((name, needs)) = named(line) else { continue };
        let needs = needs.split(['#', ';', '|']).next().unwrap_or_default();
        let below =
            lines[index + 1..].iter().take_while(|line| line.starts_with([' ', '\t']) || line.is_empty());
        let below: Vec<&str> = below.map(|line| line.trim()).collect();
        let is_script = below.first().is_some_and(|line| line.starts_with("#!"));
        tasks.push(Task {
            name,
            needs: needs.split_whitespace().take(MOST_LINES).collect(),
            steps: steps_of(&below),
            is_one_script: is_script || has_one_shell,
            line: index + 1,
        });
    }
    tasks
}

/// The lines of a text, empty where a Makefile defines a variable of several: what is in it is only text.
fn without_definitions(text: &str) -> Vec<&str> {
    let mut open = 0_usize;
    let line = |line| {
        let words: Vec<&str> = str::split_whitespace(line).take(3).collect();
        let words = words.strip_prefix(&["override"]).or(words.strip_prefix(&["export"])).unwrap_or(&words);
        match words {
            ["define", name, ..] if !name.starts_with(':') => open += 1,
            ["endef", ..] if open > 0 => {
                open -= 1;
                return "";
            }
            _ => {}
        }
        if open > 0 { "" } else { line }
    };
    text.lines().map(line).collect()
}

/// The steps of a recipe: its lines, where one that goes on in the next is one with it.
fn steps_of(lines: &[&str]) -> Vec<String> {
    let mut steps = Vec::new();
    let mut whole = String::new();
    for line in lines {
        let goes_on = line.strip_suffix('\\');
        let part = goes_on.unwrap_or(line).trim();
        let part = if whole.is_empty() { part.trim_start_matches(['@', '-']).trim() } else { part };
        if whole.is_empty() && part.starts_with('#') {
            continue;
        }
        let gap = if whole.is_empty() || part.is_empty() { "" } else { " " };
        whole.push_str(&format!("{gap}{part}"));
        if goes_on.is_none() && !whole.is_empty() {
            steps.push(std::mem::take(&mut whole));
        }
    }
    steps.extend(Some(whole).filter(|rest| !rest.is_empty()));
    steps.truncate(MOST_LINES);
    steps
}

fn note(page: &Page<'_>, notes: &mut Notes, purpose: Purpose, command: &str, task: &Task<'_>) {
    let runs = told_as_one(task);
    let runs = Some(runs.as_str());
    notes.command(purpose, Origin::Named, page.folder(), (command, runs), page.line(task.line));
}

/// The steps of a task as one command. A step that goes elsewhere does so in its own shell, and the next begins where it did.
fn told_as_one(task: &Task<'_>) -> String {
    let moves = |step: &str| step.split([' ', ';', '&', '|', '(']).any(|word| matches!(word, "cd" | "pushd"));
    let stays = |step: &str| !moves(step) || (step.starts_with('(') && step.ends_with(')'));
    let is_plain = task.steps.len() == 1 || task.is_one_script;
    let told = task
        .steps
        .iter()
        .map(|step| if is_plain || stays(step) { step.clone() } else { format!("({step})") });
    told.collect::<Vec<_>>().join(" && ")
}

/// What a task is for: by its name. A bare "check" is whatever it runs, and where that does not tell, what is usual.
fn purpose_of(task: &Task<'_>, usual: Purpose) -> Option<Purpose> {
    if task.name != "check" {
        return purpose::of_name(task.name);
    }
    let told = told(task);
    let checks = [Purpose::Test, Purpose::Lint, Purpose::Format];
    checks.into_iter().find(|purpose| told.contains(purpose)).or(Some(usual))
}

/// What the steps of a task are for, and the tasks that it needs.
fn told(task: &Task<'_>) -> Vec<Purpose> {
    let steps = task.steps.iter().flat_map(|step| in_a_row(step)).flat_map(targets::each);
    let steps = steps.map(|(purpose, _)| purpose);
    steps.chain(task.needs.iter().filter_map(|need| purpose::of_make_target(need))).collect()
}

/// Reads a Taskfile.
pub(super) fn taskfile(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let root = yaml::parse(page.text).map_err(|broken| format!("line {}: {}", broken.at.line, broken.why))?;
    let Some(Content::Mapping(pairs)) = root.as_ref().map(Node::content) else { return Ok(()) };
    let Some(Content::Mapping(tasks)) =
        pairs.iter().find(|pair| pair.is_named("tasks")).map(|pair| pair.value.content())
    else {
        return Ok(());
    };
    for pair in tasks {
        let Some(name) = pair.key.text() else { continue };
        let steps = steps(&pair.value).into_iter().map(str::to_owned).collect();
        let task = Task { name, needs: Vec::new(), steps, is_one_script: false, line: pair.key.at.line };
        if let Some(purpose) = purpose_of(&task, Purpose::Lint) {
            note(page, notes, purpose, &format!("task {name}"), &task);
        }
    }
    Ok(())
}

/// The commands of a task: a text, a list, or the `cmd` or `cmds` of a mapping.
fn steps(node: &Node) -> Vec<&str> {
    match node.content() {
        Content::Scalar { text, .. } => vec![text],
        Content::Sequence(items) => items.iter().take(MOST_LINES).filter_map(Node::text).collect(),
        Content::Mapping(pairs) => pairs
            .iter()
            .find(|pair| pair.is_named("cmds") || pair.is_named("cmd"))
            .filter(|pair| !matches!(pair.value.content(), Content::Mapping(_)))
            .map(|pair| steps(&pair.value))
            .unwrap_or_default(),
        Content::Tagged => Vec::new(),
    }
}
