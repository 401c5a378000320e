//! The files in which people tell agents what to do, read for rules that are worth a memory.
//!
//! Such a file mixes rules with descriptions, commands and lists of directories. Taken are the items of lists, the rows of tables and the short
//! paragraphs, quoted or not, that tell somebody to do something, or not to: by the word that they begin with, by words such as "never" and
//! "must", or by a mark such as "IMPORTANT:"; headings that are a rule themselves; and every item below a heading that speaks of rules, such
//! as "Code style". [`words`] has these words. What a heading, a lead-in or a mark forbids keeps these words in its
//! title, and so does what they allow, or set a condition for. Of a script that they are not written in, every item is taken. What is taken is only proposed. A
//! person says what is kept, so a rule too many does no harm, and what is not taken is named. A rule that waits and that its file no longer
//! says is withdrawn, as a scan's proposals are.
//!
//! Code is left out, and so is what a program wrote into the file: our own block, and AXME Code's section.
//!
//! | module | what lives there |
//! |---|---|
//! | `comments` | a text without its comments |
//! | `pieces` | a text in its pieces: items, paragraphs, rows, headings |
//! | `rows` | the rows of tables |
//! | `nesting` | what becomes of the items below another |
//! | `against` | what turns a rule into its opposite, or sets a condition for it |
//! | `judging` | whether a piece is a rule |
//! | `statements` | what tells nobody anything |
//! | `spans` | emphasis and code within a line |
//! | `words` | the words by which a rule is known |

mod against;
mod comments;
mod judging;
mod nesting;
mod pieces;
mod rows;
mod spans;
mod statements;
mod struck;
#[cfg(test)]
mod tests;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use custos_config::shown::{shown, shown_path};
use custos_config::source::{Links, read_text};
use serde::Serialize;

use self::against::{Barred, barred, is_bold, is_given, of_lead};
use self::judging::{before_lead, is_case, unlabelled, wanted};
use self::nesting::{pair, unfolded};
use self::pieces::{Form, Piece, item_text, pieces, speaks_of_rules};
use self::spans::{code_spans, is_within, without_marks};
use super::axme::Remark;
use crate::base::{Base, View};
use crate::proposal::{Proposal, Proposed, Staged, Wanted};
use crate::refusal::Refusal;
use crate::text::{self, Wording};

/// Where a proposal comes from that was found here.
const SOURCE: &str = "import";
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

/// The most pieces that are named as left out, and how much of each is shown, in characters.
const MOST_PASSED_OVER: usize = 300;
const SHOWN_OF_PIECE: usize = 80;

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
    /// What does not look like a rule: where it is, and how it begins.
    pub passed_over: Vec<Remark>,
    /// What waited, and the file that it came from no longer says.
    pub withdrawn: Vec<String>,
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
        let withdrawn = self.withdraw_unsaid(view, &found.files, &proposed)?;
        if proposed.len() > MOST_RULES {
            let what = format!("there are {} rules; the first {MOST_RULES} are proposed", proposed.len());
            found.left.push(Remark { file: String::new(), what });
            proposed.truncate(MOST_RULES);
        }
        let surplus = found.passed_over.len().saturating_sub(MOST_PASSED_OVER);
        if surplus > 0 {
            found.passed_over.truncate(MOST_PASSED_OVER);
            found.passed_over.push(Remark { file: String::new(), what: format!("and {surplus} more") });
        }
        if !proposed.is_empty() {
            found.staged = self.propose(view, &proposed)?;
        }
        // One may have come back at once, in other words.
        found.withdrawn = withdrawn;
        found.withdrawn.retain(|id| !found.staged.staged.contains(id));
        Ok(found)
    }

    /// Takes back the rules that wait and that none of the files says any more, if the one that they came from was read.
    fn withdraw_unsaid(
        &self,
        view: &View,
        files: &[FileRead],
        said: &[Proposed],
    ) -> Result<Vec<String>, Refusal> {
        let texts = said.iter().filter_map(|rule| self.clean("text", &rule.text).ok());
        let said: Vec<(String, Wording)> = texts.map(|text| (text.clone(), Wording::of(&text))).collect();
        self.take_back(view, |item: &Proposal| {
            let file = item.evidence.rsplit_once(':').map_or("", |(file, _)| file);
            let was_read = item.source == SOURCE && files.iter().any(|read| read.file == file);
            let wording = Wording::of(&item.text);
            // What somebody wrote beside it makes it no other rule.
            let says_it = |(text, said): &(String, Wording)| {
                said.is_equivalent(&wording) || item.text.contains(text.as_str())
            };
            was_read && !said.iter().any(says_it)
        })
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

/// What a text holds.
#[derive(Debug, Default)]
struct Sorted {
    rules: Vec<Proposed>,
    passed_over: Vec<Remark>,
}

/// Finds the rules in a text, and what is none.
fn sorted(file: &str, whole: &str) -> Sorted {
    let whole = text::tidy(whole);
    let Sorted { mut rules, mut passed_over } = Sorted::default();
    let mut heading = String::new();
    let with_heading = |(piece, heading): (Piece, Option<String>)| {
        let mut heading = Some(heading);
        unfolded(piece).into_iter().map(move |piece| (piece, heading.take().flatten()))
    };
    let mut all: Vec<(Piece, Option<String>)> = pieces(&whole).into_iter().flat_map(with_heading).collect();
    pair(&mut all);
    let mut all = all.into_iter().peekable();
    while let Some((mut piece, below)) = all.next() {
        if let Some(below) = below {
            heading = below;
        }
        let leads_to = all.peek().is_some_and(|(next, _)| matches!(next.form, Form::Item | Form::Row));
        let leads_to = leads_to && !piece.has_code;
        let (mut barred, mut wanted) = judged(&mut piece);
        if wanted.is_none()
            && let Some((mut said, leading)) = before_lead(&piece)
            && let (said_barred, Some(said_wanted)) = judged(&mut said)
        {
            passed_over.extend(told(file, &leading, leads_to));
            (piece, barred, wanted) = (said, said_barred, Some(said_wanted));
        }
        let title = title_of(unlabelled(&piece.text));
        let Some(wanted) = wanted.filter(|_| !title.is_empty()) else {
            passed_over.extend(told(file, &piece, leads_to));
            continue;
        };
        let above: Vec<&str> = std::iter::once(&heading).chain(&piece.topics).map(String::as_str).collect();
        let above = above.join(" › ");
        let above = above.trim_start_matches(" › ");
        let place = if above.is_empty() { String::new() } else { format!(", under “{}”", shown(above)) };
        let with_words = |text: &str| {
            let told = barred.as_ref().map_or_else(|| text.to_owned(), |barred| barred.before(text));
            format!("{}{told}", piece.about)
        };
        rules.push(Proposed {
            wanted,
            title: within_title(&with_words(&title)),
            longer: Some(within_title(&with_words(&without_marks(&piece.text)))),
            text: with_words(&piece.text),
            more: format!("From {file}, line {}{place}.", piece.line),
            evidence: format!("{file}:{}", piece.line),
            source: SOURCE,
        });
    }
    Sorted { rules, passed_over }
}

/// Says what is to be said before a piece, which loses its mark, and what it would become.
fn judged(piece: &mut Piece) -> (Option<Barred>, Option<Wanted>) {
    let (barred, text) = barred(&piece.text, piece.bearing.as_ref());
    piece.text = text;
    let wanted_as = wanted(piece, barred.as_ref());
    if wanted_as.is_none() && barred.is_none() && piece.beside.is_some() {
        let counterpart = Barred::counterpart(&piece.text);
        let wanted_as = wanted(piece, Some(&counterpart));
        return (Some(counterpart), wanted_as);
    }
    (barred, wanted_as)
}

/// Names a piece that is no rule. A heading says what stands below it, and so does a line that leads to others, if there are any.
fn told(file: &str, piece: &Piece, leads_to: bool) -> Option<Remark> {
    let plain = without_marks(&piece.text);
    let names_rules = is_bold(&piece.text) && speaks_of_rules(&piece.text);
    let leads = plain.ends_with([':', '：']) || names_rules || of_lead(&piece.text).is_some();
    let is_lead = piece.form == Form::Paragraph && leads && leads_to;
    if piece.form == Form::Heading || is_lead || !plain.contains(char::is_alphanumeric) {
        return None;
    }
    let what: String = custos_redact::redact(&plain).chars().take(SHOWN_OF_PIECE).collect();
    Some(Remark { file: format!("{file}:{}", piece.line), what: shown(&what) })
}

/// Makes a title of a rule: its first sentence, or as much of it as fits.
fn title_of(rule: &str) -> String {
    let mut lines = rule.lines();
    let mut plain = without_marks(lines.next().unwrap_or_default());
    // "Never:" alone is no title.
    if let Some(next) =
        lines.next().filter(|_| of_lead(&plain).is_some() || is_case(&plain) || is_given(&plain))
    {
        let next = without_marks(item_text(next.trim()).unwrap_or(next));
        plain = format!("{}: {next}", plain.trim_end_matches([':', '：']));
    }
    let code = code_spans(&plain);
    let ends = |at: usize, mark: &str| {
        let (before, rest) = plain.split_at(at + mark.len());
        let is_apart = rest.is_empty() || rest.starts_with(' ') || mark == "。";
        at >= SHORTEST_SENTENCE && is_apart && !is_within(&code, at) && !text::is_abbreviated(before, rest)
    };
    let end = plain.match_indices(['.', ';', '!', '。']).find(|(at, mark)| ends(*at, mark));
    within_title(&plain[..end.map_or(plain.len(), |(at, _)| at)])
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
