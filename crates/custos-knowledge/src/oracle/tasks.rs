//! Runners of tasks: make, just, Task.

use custos_config::yaml::{self, Content, Node};

use super::findings::{Origin, Purpose};
use super::notes::{Notes, Page};
use super::purpose;

/// The most lines of a recipe that are kept.
const MOST_LINES: usize = 6;

/// Reads a Makefile: its targets, and the lines below each.
pub(super) fn make(page: &Page<'_>, notes: &mut Notes) {
    recipes(page, notes, "make", |line| {
        let (targets, rest) = line.split_once(':')?;
        // `a := b` is a variable, `%.o: %.c` a rule, `.PHONY:` a word to make itself.
        if rest.starts_with('=') || rest.starts_with(":=") || targets.contains(['=', '%', '$', '(', '"']) {
            return None;
        }
        targets.split_whitespace().next().filter(|target| !target.starts_with('.'))
    });
}

/// Reads a justfile.
pub(super) fn just(page: &Page<'_>, notes: &mut Notes) {
    recipes(page, notes, "just", |line| {
        let (head, rest) = line.split_once(':')?;
        let name = head.split_whitespace().next()?.trim_start_matches('@');
        let first = name.starts_with(|c: char| c.is_ascii_alphabetic());
        // `alias t := test`, `set shell := …`, `export X := …`.
        let setting = rest.starts_with('=') || matches!(name, "alias" | "set" | "export" | "import" | "mod");
        (first && !setting).then_some(name)
    });
}

/// Goes through recipes: a line without indentation that names one, and the indented lines below it.
fn recipes(page: &Page<'_>, notes: &mut Notes, runner: &str, named: impl Fn(&str) -> Option<&str>) {
    let lines: Vec<&str> = page.text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        if line.starts_with([' ', '\t', '#']) {
            continue;
        }
        let Some(name) = named(line) else { continue };
        let below =
            lines[index + 1..].iter().take_while(|line| line.starts_with([' ', '\t']) || line.is_empty());
        let steps: Vec<&str> = below
            .map(|line| line.trim().trim_start_matches(['@', '-']).trim())
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .take(MOST_LINES)
            .collect();
        task(page, notes, &format!("{runner} {name}"), name, &steps, index + 1);
    }
}

fn task(page: &Page<'_>, notes: &mut Notes, command: &str, name: &str, steps: &[&str], line: usize) {
    if let Some(purpose) = purpose_of(name, steps) {
        let runs = steps.join(" && ");
        let runs = Some(runs.as_str());
        notes.command(purpose, Origin::Named, page.folder(), (command, runs), page.line(line));
    }
}

/// What a task is for: by its name. A bare "check" is whatever it runs.
fn purpose_of(name: &str, steps: &[&str]) -> Option<Purpose> {
    if name == "check" {
        return steps.iter().find_map(|step| purpose::of_command(step)).or(Some(Purpose::Lint));
    }
    purpose::of_name(name)
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
        let steps = steps(&pair.value);
        task(page, notes, &format!("task {name}"), name, &steps, pair.key.at.line);
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
