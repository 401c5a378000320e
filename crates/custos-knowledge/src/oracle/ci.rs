//! Continuous integration: what it runs is what the project takes for its checks.
//!
//! The formats differ, but all of them put commands under a handful of keys. So a pipeline is gone through as a tree, and these keys
//! are looked for wherever they are, instead of one reader for each vendor.

use custos_config::yaml::{self, Content, Node};

use super::findings::Origin;
use super::manifest::quoted;
use super::notes::{Notes, Page};
use super::purpose;

/// Keys whose value is a command, or a list of commands.
const KEYS: &[&str] = &["bash", "command", "commands", "run", "script"];
/// The most nodes of a document that are visited. Aliases share nodes, so the tree can be far larger than its text.
const MOST_NODES: usize = 20_000;

/// Reads a pipeline in YAML.
pub(super) fn pipeline(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let root = yaml::parse(page.text).map_err(|broken| format!("line {}: {}", broken.at.line, broken.why))?;
    let mut left = MOST_NODES;
    if let Some(root) = root {
        visit(&root, "", page, notes, &mut left);
    }
    Ok(())
}

fn visit(node: &Node, folder: &str, page: &Page<'_>, notes: &mut Notes, left: &mut usize) {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return;
    }
    match node.content() {
        Content::Mapping(pairs) => {
            let place = pairs.iter().find(|pair| {
                pair.is_named("working-directory")
                    || pair.is_named("working_directory")
                    || pair.is_named("workingDirectory")
            });
            let place = place.and_then(|pair| pair.value.text()).unwrap_or(folder);
            for pair in pairs {
                if pair.key.text().is_some_and(|key| KEYS.contains(&key)) {
                    commands(&pair.value, place, page, notes);
                }
                visit(&pair.value, place, page, notes, left);
            }
        }
        Content::Sequence(items) => {
            for item in items {
                visit(item, folder, page, notes, left);
            }
        }
        Content::Scalar { .. } | Content::Tagged => {}
    }
}

fn commands(node: &Node, folder: &str, page: &Page<'_>, notes: &mut Notes) {
    match node.content() {
        Content::Scalar { text, .. } => {
            // A block begins on the line after its sign.
            let first = if node.flow { node.at.line } else { node.at.line + 1 };
            lines(text, first, folder, page, notes);
        }
        Content::Sequence(items) => {
            for item in items {
                if let Some(text) = item.text() {
                    lines(text, item.at.line, folder, page, notes);
                }
            }
        }
        Content::Mapping(_) | Content::Tagged => {}
    }
}

/// Notes the lines of a script that tell what they are for.
fn lines(script: &str, first: usize, folder: &str, page: &Page<'_>, notes: &mut Notes) {
    let mut whole = String::new();
    let mut begun = first;
    for (index, line) in script.lines().enumerate() {
        if whole.is_empty() {
            begun = first + index;
        }
        if let Some(part) = line.trim_end().strip_suffix('\\') {
            whole.push_str(part);
            whole.push(' ');
            continue;
        }
        whole.push_str(line);
        note(whole.trim(), begun, folder, page, notes);
        whole.clear();
    }
}

fn note(line: &str, number: usize, folder: &str, page: &Page<'_>, notes: &mut Notes) {
    // What only CI can fill in, or only a script understands, is no command to repeat.
    const COMPUTED: &[&str] = &["$", "<<", "`"];
    const CONTROL: &[&str] = &["#", "if ", "for ", "while ", "case ", "function ", "echo "];
    let computed = COMPUTED.iter().any(|part| line.contains(part));
    if line.is_empty() || computed || CONTROL.iter().any(|word| line.starts_with(word)) {
        return;
    }
    if let Some(purpose) = purpose::of_command(line) {
        let folder = folder.trim_start_matches("./").trim_end_matches('/');
        let folder = if folder.contains(['$', '~']) || folder.starts_with('/') { "" } else { folder };
        notes.command(purpose, Origin::Ci, folder, (line, None), page.line(number));
    }
}

/// Reads a shell script of CI.
pub(super) fn shell(page: &Page<'_>, notes: &mut Notes) {
    lines(page.text, 1, "", page, notes);
}

/// Reads a Jenkinsfile: the texts after `sh`.
pub(super) fn jenkins(page: &Page<'_>, notes: &mut Notes) {
    for (number, line) in page.lines() {
        if let Some(command) = line.strip_prefix("sh").and_then(quoted::first) {
            note(command, number, "", page, notes);
        }
    }
}
