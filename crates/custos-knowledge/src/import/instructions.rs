//! The files in which people tell agents what to do, read for rules that are worth a memory.
//!
//! Such a file mixes rules with descriptions, commands and lists of directories. Taken are the items of lists and the short paragraphs that
//! tell somebody to do something, or not to: by the word that they begin with, or by words such as "never" and "must"; and every item below a
//! heading that speaks of rules, such as "Code style". [`words`] has these words. Of a script that they are not written in, every item is taken.
//! What is taken is only proposed. A person says what is kept, so a rule too many does no harm, and the items that are not taken are named.
//!
//! Code is left out, and so is what a program wrote into the file: our own block, and AXME Code's section.

#[cfg(test)]
mod tests;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use custos_config::shown::{shown, shown_path};
use custos_config::source::{Links, read_text};
use serde::Serialize;

use self::words::{BINDING, RULING, VERBS};
use super::axme::Remark;
use crate::base::{Base, View};
use crate::proposal::{Proposed, Staged, Wanted};
use crate::refusal::Refusal;
use crate::text;

/// The files that are looked for in a project.
const FILES: &[&str] = &[
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
];
/// The directory of the rules of one client, each a file.
const RULES: &str = ".cursor/rules";
/// The largest file, the most files, and the most rules of one run.
const LARGEST: u64 = 256 << 10;
const MOST_FILES: usize = 100;
const MOST_RULES: usize = 300;
/// The longest rule in bytes, and the longest title in characters. What is longer is an essay.
const LONGEST_RULE: usize = 1_500;
const LONGEST_TITLE: usize = 100;

/// The least that a title keeps of a rule, in bytes: what ends before is a word such as "Note."
const SHORTEST_SENTENCE: usize = 12;

/// Abbreviations in the middle of sentences.
const ABBREVIATIONS: &[&str] = &["cf.", "e.g.", "etc.", "i.e.", "vs."];

/// What our own instructions stand between.
const OWN: [&str; 2] = ["<!-- custos:begin -->", "<!-- custos:end -->"];

/// The most items that are named as left out, and how much of each is shown, in characters.
const MOST_PASSED_OVER: usize = 100;
const SHOWN_OF_ITEM: usize = 80;

/// What became of the rules of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileRead {
    /// The file, below the project.
    pub file: String,
    /// How many rules it has.
    pub rules: usize,
}

/// What became of a project's instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// The files that were read.
    pub files: Vec<FileRead>,
    /// Those that were not, with why.
    pub left: Vec<Remark>,
    /// The items that do not look like rules: where they are, and how they begin.
    pub passed_over: Vec<Remark>,
    /// What is proposed now, and how much of it was known.
    #[serde(flatten)]
    pub staged: Staged,
}

impl Base {
    /// Proposes the rules of a project's instructions as memories: those of the files that are named, else of all that there are.
    pub fn propose_instructions(&self, view: &View, named: &[PathBuf]) -> Result<Instructions, Refusal> {
        let mut found = Instructions::default();
        let mut proposed = Vec::new();
        let files = if named.is_empty() { files_of(&view.root.path) } else { named.to_vec() };
        let mut seen: Vec<PathBuf> = Vec::new();
        for path in files {
            let file = shown_path(path.strip_prefix(&view.root.path).unwrap_or(&path));
            let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            if seen.contains(&real) {
                // One is a link to the other, as many projects have it.
                continue;
            }
            seen.push(real.clone());
            if named.is_empty() && !real.starts_with(&view.root.path) {
                found.left.push(Remark { file, what: "is a link that leads out of the project".to_owned() });
                continue;
            }
            match read_text(&real, LARGEST, Links::Follow) {
                Ok(Some(text)) => {
                    let Sorted { rules, passed_over } = sorted(&file, &text);
                    found.passed_over.extend(passed_over);
                    found.files.push(FileRead { file, rules: rules.len() });
                    proposed.extend(rules);
                }
                Ok(None) => found.left.push(Remark { file, what: "is not there".to_owned() }),
                Err(error) => found.left.push(Remark { file, what: error.to_string() }),
            }
        }
        if proposed.len() > MOST_RULES {
            let what = format!("there are {} rules; the first {MOST_RULES} are proposed", proposed.len());
            found.left.push(Remark { file: String::new(), what });
            proposed.truncate(MOST_RULES);
        }
        found.passed_over.truncate(MOST_PASSED_OVER);
        if !proposed.is_empty() {
            found.staged = self.propose(view, &proposed)?;
        }
        Ok(found)
    }
}

/// Finds the files with instructions of a project.
fn files_of(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        FILES.iter().map(|file| root.join(file)).filter(|file| file.is_file()).collect();
    let entries = fs::read_dir(root.join(RULES)).into_iter().flatten().flatten();
    let mut rules: Vec<PathBuf> = entries
        .take(MOST_FILES)
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "md" || extension == "mdc")
                && path.is_file()
        })
        .collect();
    rules.sort();
    files.extend(rules);
    files
}

/// A piece of a text that may be a rule.
#[derive(Debug, Default)]
struct Piece {
    line: usize,
    text: String,
    is_item: bool,
    /// Whether it stands below a heading that speaks of rules.
    is_ruled: bool,
}

/// What a text holds.
#[derive(Debug, Default)]
struct Sorted {
    rules: Vec<Proposed>,
    passed_over: Vec<Remark>,
}

/// Finds the rules in a text, and the items that are none.
fn sorted(file: &str, whole: &str) -> Sorted {
    let whole = text::tidy(whole);
    let Sorted { mut rules, mut passed_over } = Sorted::default();
    let mut heading = String::new();
    for (piece, below) in pieces(&whole) {
        if let Some(below) = below {
            heading = below;
        }
        let title = title_of(&piece.text);
        let Some(wanted) = wanted(&piece).filter(|_| !title.is_empty()) else {
            if piece.is_item {
                let what: String = without_marks(&piece.text).chars().take(SHOWN_OF_ITEM).collect();
                passed_over.push(Remark { file: format!("{file}:{}", piece.line), what: shown(&what) });
            }
            continue;
        };
        let place =
            if heading.is_empty() { String::new() } else { format!(", under “{}”", shown(&heading)) };
        rules.push(Proposed {
            wanted,
            title,
            longer: Some(within_title(&without_marks(&piece.text))),
            text: piece.text,
            more: format!("From {file}, line {}{place}.", piece.line),
            evidence: format!("{file}:{}", piece.line),
            source: "import",
        });
    }
    Sorted { rules, passed_over }
}

/// Takes a text apart into items and paragraphs, each with the heading that was new before it.
fn pieces(whole: &str) -> Vec<(Piece, Option<String>)> {
    let mut reader = Reader::default();
    let mut skipped_front = whole.starts_with("---\n");
    let mut own = false;
    let mut foreign = false;
    let mut fence = None;
    for (at, line) in whole.lines().enumerate() {
        let bare = line.trim();
        if skipped_front {
            skipped_front = at == 0 || bare != "---";
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
            reader.end();
            continue;
        }
        if fence.is_some() {
            continue;
        }
        own = (own || bare == OWN[0]) && bare != OWN[1];
        let level = bare.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&level) && bare[level..].starts_with(' ');
        if is_heading && level <= 2 {
            foreign = bare[level..].trim().eq_ignore_ascii_case("axme code");
        }
        if own || foreign || bare.starts_with("<!--") || bare.starts_with('|') || bare.starts_with('>') {
            reader.end();
        } else if is_heading {
            reader.end();
            let heading = bare[level..].trim().trim_end_matches('#').trim();
            reader.ruled = match reader.ruled {
                _ if speaks_of_rules(heading) => Some(level),
                // What is below it belongs to it.
                Some(above) if level > above => Some(above),
                _ => None,
            };
            reader.heading = Some(heading.to_owned());
        } else {
            reader.take(line, at + 1);
        }
    }
    reader.end();
    reader.done
}

#[derive(Default)]
struct Reader {
    done: Vec<(Piece, Option<String>)>,
    open: Option<Piece>,
    heading: Option<String>,
    /// The level of the heading that speaks of rules, while what is read stands below it.
    ruled: Option<usize>,
}

impl Reader {
    fn take(&mut self, line: &str, number: usize) {
        let indent = line.len() - line.trim_start().len();
        let item = item_text(line.trim());
        match (&mut self.open, item) {
            // What is below an item belongs to it.
            (Some(open), Some(_)) if open.is_item && indent >= 2 => {
                open.text.push_str(&format!("\n{}", line.trim_end()));
            }
            (_, Some(text)) => {
                self.end();
                self.open = Some(Piece {
                    line: number,
                    text: text.to_owned(),
                    is_item: true,
                    is_ruled: self.ruled.is_some(),
                });
            }
            (_, None) if line.trim().is_empty() => self.end(),
            (Some(open), None) => {
                let gap = if open.text.contains('\n') { "\n" } else { " " };
                open.text.push_str(gap);
                open.text.push_str(line.trim());
            }
            (None, None) => {
                self.open = Some(Piece { line: number, text: line.trim().to_owned(), ..Piece::default() });
            }
        }
    }

    fn end(&mut self) {
        if let Some(piece) = self.open.take() {
            self.done.push((piece, self.heading.take()));
        }
    }
}

/// Gives the text of an item of a list.
fn item_text(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+'])?,
        1..=3 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text))
}

/// Says what a piece would become, if it is a rule at all.
fn wanted(piece: &Piece) -> Option<Wanted> {
    let plain = without_marks(&piece.text);
    // In scripts without blanks two characters are about a word.
    let unspaced = plain.chars().filter(|c| text::is_unspaced(*c)).count();
    let words = plain.split_whitespace().count().max(unspaced / 2);
    let fewest = if piece.is_ruled { 2 } else { 3 };
    if words < fewest || piece.text.len() > LONGEST_RULE || plain.trim_end().ends_with(['?', '？']) {
        return None;
    }
    // An item that leads to others is a heading if they are not with it.
    if plain.trim_end().ends_with([':', '：']) {
        return None;
    }
    let lower = plain.to_lowercase().replace('’', "'");
    let padded: String =
        lower.chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    let padded = format!(" {} ", padded.split_whitespace().collect::<Vec<_>>().join(" "));
    let binds = BINDING.iter().any(|word| padded.contains(&format!(" {word} ")));
    let first = padded.split_whitespace().next().unwrap_or_default();
    let tells = VERBS.binary_search(&first).is_ok();
    match (binds, tells) {
        (true, _) => Some(Wanted::Feedback),
        (false, true) => Some(Wanted::Pattern),
        // A list of directories is no rule below any heading.
        (false, false) if begins_with_path(&plain) => None,
        (false, false) if piece.is_ruled || (piece.is_item && is_other_script(&plain)) => {
            Some(Wanted::Pattern)
        }
        (false, false) => None,
    }
}

fn speaks_of_rules(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    heading.split(|c: char| !c.is_alphanumeric()).any(|word| RULING.contains(&word))
}

/// Tells whether a text is for the most part in a script whose words are not known here.
fn is_other_script(plain: &str) -> bool {
    let letters = plain.chars().filter(|c| c.is_alphabetic());
    let (latin, other): (Vec<char>, Vec<char>) =
        letters.partition(|c| matches!(c, ..'\u{250}' | '\u{1e00}'..'\u{1f00}'));
    other.len() > latin.len()
}

fn begins_with_path(plain: &str) -> bool {
    plain.split_whitespace().next().is_some_and(|first| first.contains('/'))
}

/// Makes a title of a rule: its first sentence, or as much of it as fits.
fn title_of(rule: &str) -> String {
    let plain = without_marks(rule.lines().next().unwrap_or_default());
    let ends = |at: usize, mark: &str| {
        let (before, rest) = plain.split_at(at + mark.len());
        let is_apart = rest.is_empty() || rest.starts_with(' ') || mark == "。";
        at >= SHORTEST_SENTENCE && is_apart && !is_abbreviated(before)
    };
    let end = plain.match_indices(['.', ';', '!', '。']).find(|(at, mark)| ends(*at, mark));
    within_title(&plain[..end.map_or(plain.len(), |(at, _)| at)])
}

/// Says whether a text ends with an abbreviation, whose full stop is no end of a sentence.
fn is_abbreviated(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    ABBREVIATIONS.contains(&last.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str())
}

/// Gives as many words of a text as fit into a title.
fn within_title(text: &str) -> String {
    let mut title = String::new();
    for word in text.trim().trim_end_matches([':', '.', '。', '：']).split_whitespace() {
        let left = LONGEST_TITLE.saturating_sub(title.chars().count());
        if word.chars().count() > left {
            if title.is_empty() {
                // A script without blanks.
                title.extend(word.chars().take(left));
            }
            title.push('…');
            break;
        }
        let gap = if title.is_empty() { "" } else { " " };
        title.push_str(&format!("{gap}{word}"));
    }
    title
}

/// Takes the marks of emphasis off a text.
fn without_marks(text: &str) -> String {
    text.replace("**", "").replace("__", "").trim().to_owned()
}
