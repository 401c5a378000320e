//! One step in a few lines: the command and how it ended, the edit as before and after, a read as a path.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::MOST_OF_STEP;
use crate::turn::{Edit, Fate, Step, What};

/// The tags around the evidence, without their brackets.
const TAG: &str = "evidence";

const MOST_COMMAND: usize = 500;
const MOST_INPUT: usize = 300;
const MOST_PATH: usize = 200;
const MOST_EDITS: usize = 4;
/// Each side of an edit.
const MOST_EDITED: usize = 350;
/// What failed is read more closely than what went well, and the end of an output more closely than its beginning.
const FAILED: (usize, usize) = (400, 900);
const WENT_WELL: (usize, usize) = (250, 450);

/// Describes a step under its number.
pub(super) fn step(number: usize, step: &Step) -> String {
    let by = step.by.as_deref().map(|role| format!(", by {}", line(role, 40))).unwrap_or_default();
    let outcome = match (step.ok, step.exit) {
        (Some(false), Some(exit)) => format!(", failed ({exit})"),
        (Some(false), None) => ", failed".to_owned(),
        (_, Some(exit)) if exit != 0 => format!(", exit {exit}"),
        (Some(true), _) => ", ok".to_owned(),
        (None, _) => String::new(),
    };
    let head = |what: &str| format!("[{number}] {what}{outcome}{by}");
    let text = match &step.what {
        What::Ran(command) => {
            labelled(&head("command"), &ends(&clean(command), MOST_COMMAND * 3 / 4, MOST_COMMAND / 4))
                + &output(step)
        }
        What::Edited(edits) => labelled(&head("edit"), &edited(edits)) + &failure(step),
        What::Read => labelled(&head("read"), &paths(&step.files_read)) + &failure(step),
        What::Delegated(words) => {
            labelled(&head("sent a sub-agent"), &ends(&clean(words), MOST_INPUT, 0)) + &output(step)
        }
        What::Other(input) => {
            let tool = format!("tool {}", line(&step.tool, 60));
            labelled(&head(&tool), &ends(&clean(input), MOST_INPUT, 0)) + &output(step)
        }
    };
    within(text, MOST_OF_STEP)
}

fn output(step: &Step) -> String {
    let (head, tail) = if failed(step) { FAILED } else { WENT_WELL };
    let text = ends(&clean(&step.output), head, tail);
    if text.is_empty() { String::new() } else { labelled("output:", &text) }
}

/// What an edit or a read answers is of no use, unless it says what went wrong.
fn failure(step: &Step) -> String {
    if failed(step) { output(step) } else { String::new() }
}

fn failed(step: &Step) -> bool {
    step.ok == Some(false) || step.exit.is_some_and(|exit| exit != 0)
}

fn paths(paths: &[String]) -> String {
    paths.iter().take(MOST_EDITS * 2).map(|path| line(path, MOST_PATH)).collect::<Vec<_>>().join("\n")
}

fn edited(edits: &[Edit]) -> String {
    let mut text = String::new();
    for edit in edits.iter().take(MOST_EDITS) {
        let fate = match edit.fate {
            Fate::Created => "new file",
            Fate::Written => "written anew",
            Fate::Changed => "changed",
            Fate::Deleted => "deleted",
        };
        let _ = writeln!(text, "{} ({fate})", line(&edit.path, MOST_PATH));
        let (before, after) = (clean(&edit.before), clean(&edit.after));
        let (before, after) = differing(&before, &after);
        for (sign, side) in [('-', before), ('+', after)] {
            for line in ends(side, MOST_EDITED * 2 / 3, MOST_EDITED / 3).lines() {
                let _ = writeln!(text, "{sign} {line}");
            }
        }
    }
    if let Some(rest) = edits.len().checked_sub(MOST_EDITS).filter(|rest| *rest > 0) {
        let _ = writeln!(text, "and {rest} more edits");
    }
    text
}

/// Leaves away the lines that both begin and both end with.
fn differing<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    if before.is_empty() || after.is_empty() {
        return (before, after);
    }
    let same = before.split_inclusive('\n').zip(after.split_inclusive('\n')).take_while(|(a, b)| a == b);
    let head: usize = same.map(|(line, _)| line.len()).sum();
    let (before, after) = (&before[head..], &after[head..]);
    let same = before.rsplit('\n').zip(after.rsplit('\n')).take_while(|(a, b)| a == b);
    let tail: usize = same.map(|(line, _)| line.len() + 1).sum();
    (&before[..before.len().saturating_sub(tail)], &after[..after.len().saturating_sub(tail)])
}

/// Puts text under a label, each line marked as quoted.
pub(super) fn labelled(label: &str, text: &str) -> String {
    let mut block = format!("{label}\n");
    for line in text.lines() {
        let _ = writeln!(block, "| {line}");
    }
    block
}

/// Makes one line of a text, without anything that could end the evidence.
pub(super) fn line(text: &str, most: usize) -> String {
    let words = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    ends(&words, most, 0)
}

/// Leaves the beginning and the end of a long text, and says how much is missing.
pub(super) fn ends(text: &str, head: usize, tail: usize) -> String {
    const MARK: usize = 40;
    let text = text.trim_matches('\n');
    let length = text.chars().count();
    if length <= head + tail + MARK {
        return text.to_owned();
    }
    let place = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    let (front, back) = (&text[..place(head)], &text[place(length - tail)..]);
    let missing = length - head - tail;
    let glue = if text.contains('\n') { "\n" } else { " " };
    format!("{front}{glue}[{missing} characters left out]{glue}{back}").trim_end().to_owned()
}

fn within(block: String, most: usize) -> String {
    const END: &str = "\n| [the rest is left out]\n";
    if block.chars().count() <= most {
        return block;
    }
    let kept: String = block.chars().take(most - END.len()).collect();
    kept + END
}

/// Takes out of a text what a terminal would not show, what is secret, and our own tags.
pub(super) fn clean(text: &str) -> String {
    let shown = shown(text);
    let safe = custos_redact::redact(&shown);
    without_tags(&safe).into_owned()
}

/// Gives the text that a terminal would show: no colours, the last state of a line that was overwritten, few empty lines.
fn shown(text: &str) -> String {
    let text = without_escapes(text);
    let mut shown = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        let line = line.trim_end().rsplit('\r').next().unwrap_or_default();
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty > 1 {
            continue;
        }
        shown.extend(line.chars().filter(|character| is_shown(*character)));
        shown.push('\n');
    }
    shown
}

/// Says whether a character is one that a person would see; those that turn the direction of writing hide what is written.
pub(crate) fn is_shown(character: char) -> bool {
    match character {
        '\t' => true,
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => false,
        _ => !character.is_control(),
    }
}

fn without_escapes(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != ESCAPE {
            plain.push(character);
            continue;
        }
        match rest.next() {
            // Colours and cursor movements end with a letter …
            Some('[') => {
                let _ = rest.find(|end| ('@'..='~').contains(end));
            }
            // … titles and links with a bell or another escape, whose backslash is dropped as well.
            Some(']') => {
                let end = rest.find(|end| matches!(end, '\u{7}' | '\u{1b}'));
                let _ = end.filter(|end| *end == ESCAPE).and_then(|_| rest.next());
            }
            _ => {}
        }
    }
    Cow::Owned(plain)
}

fn without_tags(text: &str) -> Cow<'_, str> {
    let is_tag = |after: &str| {
        let name = after.trim_start().strip_prefix('/').unwrap_or(after.trim_start()).trim_start();
        name.get(..TAG.len()).is_some_and(|start| start.eq_ignore_ascii_case(TAG))
    };
    if !text.match_indices('<').any(|(at, _)| is_tag(&text[at + 1..])) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        // A look-alike: whoever reads it still knows what stood there.
        safe.push(if character == '<' && is_tag(&text[at + 1..]) { '‹' } else { character });
    }
    Cow::Owned(safe)
}
