//! The four files of the oracle, as Markdown.

use super::block;
use super::findings::{Command, Finding, Origin, Purpose, Scan, Source, Topic};

/// The most entries of one list; what is left out is counted.
const MOST_ENTRIES: usize = 40;
/// The most commands of one purpose.
const MOST_COMMANDS: usize = 12;

/// The texts of the files in `.ai/oracle/`, each with its generated block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oracle {
    /// `stack.md`.
    pub stack: String,
    /// `structure.md`.
    pub structure: String,
    /// `patterns.md`.
    pub patterns: String,
    /// `glossary.md`.
    pub glossary: String,
}

/// Writes a scan down. The same scan gives the same bytes.
pub fn render(scan: &Scan) -> Oracle {
    Oracle {
        stack: block::page("Stack", &stack(scan)),
        structure: block::page("Structure", &structure(scan)),
        patterns: block::page("Patterns", &patterns(scan)),
        glossary: block::page("Glossary", &glossary(scan)),
    }
}

fn stack(scan: &Scan) -> String {
    let mut out = String::new();
    topics(&mut out, &scan.stack);
    let commands: String = Purpose::ALL.iter().map(|purpose| purpose_list(scan, *purpose)).collect();
    if !commands.is_empty() {
        out.push_str(&format!("## Commands\n\n{commands}"));
    }
    list(
        &mut out,
        "Not understood",
        scan.unread.iter().map(|unread| format!("{}: {}", code(&unread.file), prose(&unread.why))),
    );
    if let Some(cut) = scan.cut_short {
        out.push_str(&format!("The scan was cut short after {} files: {cut}.\n", scan.files_seen));
    }
    said_or_nothing(&out, "Nothing was found: no manifest and no source file.")
}

fn purpose_list(scan: &Scan, purpose: Purpose) -> String {
    let commands: Vec<&Command> = scan.commands.iter().filter(|command| command.purpose == purpose).collect();
    if commands.is_empty() {
        return String::new();
    }
    let mut out = format!("### {}\n\n", purpose.heading());
    for command in commands.iter().take(MOST_COMMANDS) {
        let place =
            if command.folder.is_empty() { String::new() } else { format!(" in {}", code(&command.folder)) };
        let runs = command.runs.as_ref().map(|runs| format!(": {}", code(runs))).unwrap_or_default();
        let origin = match command.origin {
            Origin::Named => "",
            Origin::Configured => ", configured",
            Origin::Ci => ", CI",
            Origin::Default => ", default",
        };
        out.push_str(&format!(
            "- {}{place}{runs} ({}{origin})\n",
            code(&command.command),
            proof(&command.source)
        ));
    }
    more(&mut out, commands.len().saturating_sub(MOST_COMMANDS));
    out.push('\n');
    out
}

fn structure(scan: &Scan) -> String {
    let mut out = String::new();
    let folders = scan.structure.iter().map(|folder| {
        let proof = if folder.source.file.ends_with('/') {
            String::new()
        } else {
            format!(" ({})", proof(&folder.source))
        };
        format!("{}: {}{proof}", code(&format!("{}/", folder.path)), prose(&folder.what))
    });
    // Folders are bounded where they are chosen.
    bounded_list(&mut out, "Folders", folders, scan.structure.len(), scan.more_folders);
    list(
        &mut out,
        "Entry points",
        scan.entry_points.iter().map(|entry| {
            let itself = entry.source.file == entry.path;
            let proof = if itself && entry.source.line.is_none() {
                String::new()
            } else {
                format!(" ({})", proof(&entry.source))
            };
            format!("{}: {}{proof}", code(&entry.path), prose(&entry.what))
        }),
    );
    said_or_nothing(&out, "There are no folders with files, and no entry points were found.")
}

fn patterns(scan: &Scan) -> String {
    let mut out = String::new();
    topics(&mut out, &scan.patterns);
    said_or_nothing(&out, "Nothing was found that a file proves.")
}

fn glossary(scan: &Scan) -> String {
    let mut out = String::new();
    list(
        &mut out,
        "Words of the code",
        scan.glossary.iter().map(|term| {
            let (word, name) = (prose(&term.word), code(&term.name));
            format!("{word}: {name} ({}), in {} files", proof(&term.source), term.files)
        }),
    );
    let (read, all) = scan.sources_read;
    if read < all && !out.is_empty() {
        out.push_str(&format!("From {read} of {all} source files, those nearest to the root.\n"));
    }
    said_or_nothing(&out, "No word is in the declarations of several files.")
}

/// Lists findings below the headings of their topics.
fn topics(out: &mut String, findings: &[Finding]) {
    let mut rest = findings;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|finding| finding.topic == first.topic).count();
        let (group, after) = rest.split_at(count);
        list(out, first.topic.heading(), group.iter().map(finding));
        rest = after;
    }
}

fn finding(finding: &Finding) -> String {
    let name = prose(&finding.name);
    // Versions are shown as they stand in the manifest.
    let detail = finding.detail.as_ref().map(|detail| match finding.topic {
        Topic::Language => format!(": {}", prose(detail)),
        Topic::Version | Topic::Manager | Topic::Framework | Topic::TestLibrary => {
            format!(" {}", code(detail))
        }
        _ => format!(" ({})", prose(detail)),
    });
    format!("{name}{} ({})", detail.unwrap_or_default(), proof(&finding.source))
}

fn list(out: &mut String, heading: &str, entries: impl ExactSizeIterator<Item = String>) {
    let more = entries.len().saturating_sub(MOST_ENTRIES);
    bounded_list(out, heading, entries, MOST_ENTRIES, more);
}

/// Lists so many entries, and says how many more there are.
fn bounded_list(
    out: &mut String,
    heading: &str,
    entries: impl ExactSizeIterator<Item = String>,
    most: usize,
    left_out: usize,
) {
    if entries.len() == 0 {
        return;
    }
    out.push_str(&format!("## {heading}\n\n"));
    for entry in entries.take(most) {
        out.push_str(&format!("- {entry}\n"));
    }
    more(out, left_out);
    out.push('\n');
}

fn more(out: &mut String, left_out: usize) {
    if left_out > 0 {
        out.push_str(&format!("- and {left_out} more\n"));
    }
}

fn said_or_nothing(text: &str, nothing: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() { nothing.to_owned() } else { text.to_owned() }
}

fn proof(source: &Source) -> String {
    code(&source.to_string())
}

/// Puts a text between backticks, as many as it takes.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if longest == 0 {
        return format!("`{text}`");
    }
    let ticks = "`".repeat(longest + 1);
    format!("{ticks} {text} {ticks}")
}

/// Makes a sentence that is only a sentence: no tags, no links and images, no code span that never ends.
fn prose(text: &str) -> String {
    let text = text.replace('<', "&lt;").replace("](", "] (");
    if text.matches('`').count().is_multiple_of(2) { text } else { text.replace('`', "'") }
}
