//! Continuous integration: what it runs is what the project takes for its checks.
//!
//! The formats differ, but all of them put commands under a handful of keys. So a pipeline is gone through as a tree, and these keys
//! are looked for wherever they are, instead of one reader for each vendor.

use std::collections::BTreeSet;

use custos_config::yaml::{self, Content, Node, Pair};

use super::findings::{Origin, Purpose};
use super::manifest::quoted;
use super::notes::{Notes, Page};
use super::targets;
use super::walk::{join, name_of};
use super::whereabouts::{Whereabouts, in_a_row};

/// Keys whose value is a command, or a list of commands.
const KEYS: &[&str] = &["bash", "command", "commands", "run", "script"];
/// Keys that say where a command is run.
const PLACES: [&str; 3] = ["working-directory", "working_directory", "workingDirectory"];
/// The key of what some pipelines run in the same shell before a script.
const BEFORE: &[&str] = &["before_script"];
/// The pipeline whose hidden jobs are only there for others to build on.
const GITLAB: &str = ".gitlab-ci.yml";
/// Options that lean on an earlier step of the pipeline, by the program; elsewhere they fail, or test what was built last week.
const LEANING: &[(&str, &[&str])] = &[
    ("dotnet", &["--no-build", "--no-restore"]),
    ("meson", &["--no-rebuild"]),
    ("swift", &["--skip-build"]),
    ("uv", &["--no-sync"]),
];
/// Commands that set the shell up for all that follows.
const SETTING: &[&str] = &[".", "eval", "export", "source"];
/// Programs that prepare a build, which is half of it without them.
const PREPARING: &[&str] =
    &["autogen.sh", "autoreconf", "bootstrap", "bootstrap.sh", "cmake", "configure", "meson"];
/// The most nodes and lines of a document that are visited. Aliases share nodes, so the tree can be far larger than its text.
const MOST_NODES: usize = 20_000;
/// The most commands of one line; each may be told with those before it.
const MOST_IN_A_ROW: usize = 64;

/// Reads a pipeline in YAML.
pub(super) fn pipeline(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let root = yaml::parse(page.text).map_err(|broken| format!("line {}: {}", broken.at.line, broken.why))?;
    let mut left = MOST_NODES;
    if let Some(root) = root {
        let idle = if name_of(page.path) == GITLAB { idle_jobs(&root, page.text) } else { BTreeSet::new() };
        visit(&root, &idle, &Whereabouts::at(""), page, notes, &mut left);
    }
    Ok(())
}

/// The jobs of a pipeline of GitLab that do not run: those whose names begin with a dot, unless one that runs takes its script from them.
fn idle_jobs<'n>(root: &'n Node, text: &str) -> BTreeSet<&'n str> {
    let Content::Mapping(jobs) = root.content() else { return BTreeSet::new() };
    let is_idle = |job: &&str| job.starts_with('.') && !text.contains(&format!("!reference [{job},"));
    let names = jobs.iter().filter_map(|pair| pair.key.text());
    let (mut idle, running): (BTreeSet<&str>, BTreeSet<&str>) = names.partition(is_idle);
    let mut waiting: Vec<&str> = running.into_iter().collect();
    while let Some(job) = waiting.pop() {
        let Some(job) = named(root, &[job]).filter(|job| named(job, &["script"]).is_none()) else { continue };
        let above = match named(job, &["extends"]).map(Node::content) {
            Some(Content::Sequence(items)) => items.iter().filter_map(Node::text).collect(),
            Some(Content::Scalar { text, .. }) => vec![text.as_str()],
            _ => Vec::new(),
        };
        waiting.extend(above.into_iter().filter(|job| idle.remove(job)));
    }
    idle
}

fn visit(
    node: &Node,
    left_out: &BTreeSet<&str>,
    around: &Whereabouts,
    page: &Page<'_>,
    notes: &mut Notes,
    left: &mut usize,
) {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return;
    }
    match node.content() {
        Content::Mapping(pairs) => {
            // What is nearest to a command holds for it: a step's own word, the job's, the pipeline's.
            let place = named(node, &PLACES)
                .or_else(|| named(named(named(node, &["defaults"])?, &["run"])?, &PLACES))
                .and_then(Node::text)
                .map(Whereabouts::at);
            let mut place = place.unwrap_or_else(|| around.clone());
            let before = named(node, BEFORE).or_else(|| named(named(node, &["default"])?, BEFORE));
            for (_, line) in before.map(|before| script(before, page, left)).unwrap_or_default() {
                place.pass(&line);
            }
            let is_left_out = |pair: &&Pair| pair.key.text().is_some_and(|key| left_out.contains(key));
            for pair in pairs.iter().filter(|pair| !is_left_out(pair)) {
                if pair.key.text().is_some_and(|key| KEYS.contains(&key)) {
                    note_all(script(&pair.value, page, left), place.clone(), page, notes);
                }
                visit(&pair.value, &BTreeSet::new(), &place, page, notes, left);
            }
        }
        Content::Sequence(items) => {
            for item in items {
                visit(item, &BTreeSet::new(), around, page, notes, left);
            }
        }
        Content::Scalar { .. } | Content::Tagged => {}
    }
}

/// The value of the first of these keys that a mapping has.
fn named<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Node> {
    let Content::Mapping(pairs) = node.content() else { return None };
    pairs.iter().find(|pair| keys.iter().any(|key| pair.is_named(key))).map(|pair| &pair.value)
}

/// Gives the lines of a command or a list of commands, which one shell runs, with their numbers.
fn script(node: &Node, page: &Page<'_>, left: &mut usize) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    match node.content() {
        Content::Scalar { text, .. } => all = lines(text, &numbers(text, node, page)),
        Content::Sequence(items) => {
            let texts = items.iter().filter_map(|item| Some((item, item.text()?)));
            all.extend(texts.flat_map(|(item, text)| lines(text, &numbers(text, item, page))));
        }
        Content::Mapping(_) | Content::Tagged => {}
    }
    all.truncate(*left);
    *left -= all.len();
    all
}

/// The number of each line of a text. What is written in one piece is where it begins. The lines of a block are looked for: the blank ones above
/// are in its text, but not behind its place, and a folded one is written on more lines than it has.
fn numbers(text: &str, node: &Node, page: &Page<'_>) -> Vec<usize> {
    let first = node.at.line;
    if node.flow {
        return vec![first; text.lines().count()];
    }
    let mut written = page.text_from(first).lines().zip(first..);
    let mut number = first;
    let found = text.lines().map(|line| {
        let line = line.trim();
        let is_begun = |(part, _): &(&str, usize)| !part.trim().is_empty() && line.starts_with(part.trim());
        if !line.is_empty() {
            number = written.find(is_begun).map_or(number, |(_, number)| number);
        }
        number
    });
    found.collect()
}

/// The lines of a text, with their numbers. One that goes on in the next is one with it.
fn lines(text: &str, numbers: &[usize]) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    let mut whole = String::new();
    let mut begun = 1;
    for (line, number) in text.lines().zip(numbers) {
        if whole.is_empty() {
            begun = *number;
        }
        if let Some(part) = line.trim_end().strip_suffix('\\') {
            whole.push_str(part);
            whole.push(' ');
            continue;
        }
        whole.push_str(line);
        all.push((begun, std::mem::take(&mut whole)));
    }
    all
}

/// Notes the lines of a script that tell what they are for, each in the folder where it is run.
fn note_all(script: Vec<(usize, String)>, mut place: Whereabouts, page: &Page<'_>, notes: &mut Notes) {
    for (number, line) in script {
        if !place.is_fed() {
            note(line.trim(), number, &place, page, notes);
        }
        place.pass(&line);
    }
}

/// Takes off a line what it begins with that only goes elsewhere, and says where it stands then: `cd web && npm test`.
fn after_going<'l>(line: &'l str, place: &Whereabouts) -> (&'l str, Whereabouts) {
    let (mut line, mut place) = (line, place.clone());
    while let Some((first, rest)) = line.split_once("&&")
        && first.starts_with("cd ")
        && !first.contains(['|', ';', '&'])
    {
        place.pass(first);
        line = rest.trim();
    }
    (line, place)
}

/// Notes the commands of a line, unless nobody knows in which folder it is run.
fn note(line: &str, number: usize, place: &Whereabouts, page: &Page<'_>, notes: &mut Notes) {
    // What only CI can fill in, or only a script understands, is no command to repeat.
    const COMPUTED: &[&str] = &["${{", "<<", "`"];
    const CONTROL: &[&str] = &["#", "if ", "for ", "while ", "case ", "function ", "echo "];
    let (line, place) = after_going(line, place);
    let computed = COMPUTED.iter().any(|part| line.contains(part));
    if line.is_empty() || computed || CONTROL.iter().any(|word| line.starts_with(word)) {
        return;
    }
    let Some(folder) = place.now().and_then(|folder| inside(folder, page)) else { return };
    for (purpose, command) in commands(line).into_iter().filter(|(_, command)| !command.contains('$')) {
        notes.command(purpose, Origin::Ci, &folder, (&standing_alone(&command), None), page.line(number));
    }
}

/// The commands of a line, each with what it is for and what it needs: `npm ci && npm run lint && npm test` are two.
fn commands(line: &str) -> Vec<(Purpose, String)> {
    let mut row = in_a_row(line);
    row.truncate(MOST_IN_A_ROW);
    let goes_on = row.iter().any(|command| matches!(first_word(command), "cd" | "pushd" | "popd"));
    let (mut settings, mut preparations) = (String::new(), String::new());
    let mut found: Vec<(Purpose, String)> = Vec::new();
    let mut passed: Vec<&str> = Vec::new();
    for command in row {
        passed.push(command);
        let told = targets::each(command);
        if told.is_empty() {
            let word = first_word(command);
            if SETTING.contains(&word) || is_assignment(command) {
                settings.push_str(&format!("{command} && "));
            } else if PREPARING.contains(&name_of(word)) {
                preparations.push_str(&format!("{command} && "));
            }
        }
        for (purpose, alone) in told {
            let is_built = purpose == Purpose::Build;
            let prepared = if is_built { std::mem::take(&mut preparations) } else { String::new() };
            let whole = if goes_on {
                // What is run elsewhere needs the way there.
                found.retain(|(known, _)| *known != purpose);
                passed.join(" && ")
            } else {
                format!("{settings}{prepared}{alone}")
            };
            found.push((purpose, whole));
        }
    }
    found
}

fn first_word(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

/// Tells whether a command is nothing but a setting: `CI=1`.
fn is_assignment(command: &str) -> bool {
    let name = command.split('=').next().unwrap_or_default();
    name.len() < command.len() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The folder that a pipeline means, which is written for its own repo. What is run in one that is not there is not told.
fn inside(folder: &str, page: &Page<'_>) -> Option<String> {
    let folder = match folder {
        "" => page.repo().to_owned(),
        below => join(page.repo(), below),
    };
    page.tree.has_folder(&folder).then_some(folder)
}

/// A command without the options that only hold after the steps before it.
fn standing_alone(line: &str) -> String {
    let leaning = |word: &str| {
        LEANING.iter().any(|(program, options)| {
            options.contains(&word) && line.split_whitespace().any(|other| other == *program)
        })
    };
    line.split(' ').filter(|word| !leaning(word)).collect::<Vec<_>>().join(" ")
}

/// Reads a shell script of CI.
pub(super) fn shell(page: &Page<'_>, notes: &mut Notes) {
    let own = page.folder();
    let own = own.strip_prefix(page.repo()).unwrap_or(own).trim_start_matches('/');
    let numbers: Vec<usize> = (1..=page.text.lines().count()).collect();
    note_all(lines(page.text, &numbers), Whereabouts::of_script(own), page, notes);
}

/// Reads a Jenkinsfile: the texts after `sh`, each in the folder of the `dir` that it stands in.
pub(super) fn jenkins(page: &Page<'_>, notes: &mut Notes) {
    // How many braces are open, and the folders that some of them opened; nothing where nobody knows which.
    let mut depth = 0_usize;
    let mut folders: Vec<(usize, Option<String>)> = Vec::new();
    // What ends the text of several lines that one of them is in.
    let mut quote = None;
    for (number, line) in page.lines() {
        for (statement, end) in statements(line, &mut quote) {
            let around = folders.last().map_or(Some(""), |(_, folder)| folder.as_deref());
            if let Some(command) = statement.strip_prefix("sh").and_then(quoted::first)
                && let Some(around) = around
            {
                note(command, number, &Whereabouts::at(around), page, notes);
            }
            match end {
                Some('{') => {
                    depth += 1;
                    if let Some(named) = quoted::call(statement, "dir") {
                        let folder = around.zip(literal(named)).map(|(around, below)| {
                            if below.is_empty() { around.to_owned() } else { join(around, below) }
                        });
                        folders.push((depth, folder));
                    }
                }
                Some('}') => {
                    folders.pop_if(|(opened, _)| *opened >= depth);
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
        }
    }
}

/// The statements of a line of Groovy, each with what ends it: `{`, `}`, `;` or the line. What stands in quotes ends nothing, nor does a comment;
/// `quote` is the text that is open at the end of the line, which only tripled quotes may leave so.
fn statements<'l>(line: &'l str, quote: &mut Option<&'static str>) -> Vec<(&'l str, Option<char>)> {
    const QUOTES: [&str; 4] = ["\'\'\'", "\"\"\"", "'", "\""];
    let mut all = Vec::new();
    let mut at = match *quote {
        None => 0,
        Some(open) => match line.find(open) {
            Some(end) => end + open.len(),
            None => return all,
        },
    };
    *quote = None;
    let mut begun = at;
    while let Some(sign) = line[at..].chars().next() {
        let rest = &line[at..];
        let mut length = sign.len_utf8();
        if let Some(open) = *quote {
            if rest.starts_with(open) {
                length = open.len();
                *quote = None;
            } else if sign == '\\' {
                length += rest.chars().nth(1).map_or(0, char::len_utf8);
            }
        } else if let Some(open) = QUOTES.into_iter().find(|quote| rest.starts_with(quote)) {
            length = open.len();
            *quote = Some(open);
        } else if rest.starts_with("//") {
            break;
        } else if matches!(sign, '{' | '}' | ';') {
            all.push((line[begun..at].trim(), Some(sign)));
            begun = at + length;
        }
        at += length;
    }
    all.push((line[begun..at].trim(), None));
    *quote = quote.filter(|open| open.len() > 1);
    all
}

/// The folder that the argument of a call names, if it is one below where the call stands.
fn literal(argument: &str) -> Option<&str> {
    let folder = quoted::first(argument)?.trim_end_matches('/').trim_start_matches("./");
    let folder = if folder == "." { "" } else { folder };
    let leads_out = folder.starts_with(['/', '~']) || folder.contains(['$', '\\']) || folder.contains("..");
    (argument.starts_with(['"', '\'']) && !leads_out).then_some(folder)
}
