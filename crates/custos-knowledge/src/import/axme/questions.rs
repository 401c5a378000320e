//! The open questions of AXME Code, all in one file.
//!
//! AXME Code reads a text to the end of its first line and drops the rest when it next writes. We read what stands there: a question begins at
//! its heading and at nothing else, and a text goes on until the next field.

use super::cargo::{Cargo, event, iso};
use super::known::Numbers;
use crate::question::{self, FILE, Question, Status, number};
use crate::text::{self, Wording};

const SOURCE: &str = "open-questions.md";
const FIELDS: [&str; 6] = ["Question", "Context", "Answer", "AnsweredAt", "Applied", "AppliedAt"];

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let Some(file) = cargo.take_one(SOURCE) else { return };
    let Some(raw) = cargo.read(&file) else { return };
    let whole = text::tidy(&raw);
    let (before, blocks) = blocks(&whole);
    if !before.trim().is_empty() {
        cargo.set_aside(SOURCE, "has a text before its first question");
    }
    let there = match question::all_in(cargo.ahead().read(FILE)) {
        Ok(there) => there,
        Err(fault) => {
            let what =
                format!("{}, line {}: {}; nothing is added to it", fault.file, fault.line, fault.reason);
            cargo.leave(SOURCE, what);
            return;
        }
    };
    let mut numbers = Numbers::default();
    for number in there.iter().filter_map(|known| number(&known.id)) {
        numbers.mark(number);
    }
    for number in blocks.iter().filter_map(|block| number(block.id)) {
        numbers.above(number);
    }
    // What is not written yet nobody has put in other words.
    let written = question::all_in(cargo.ahead().store().read(FILE)).unwrap_or_default();
    let wordings: Vec<Wording> = there.iter().map(|known| Wording::of(&known.question)).collect();
    let mut new = Vec::new();
    for block in &blocks {
        let mut asked = block.read(cargo);
        let wording = Wording::of(&asked.question);
        // A person may have put it in other words; its id and its time stay.
        let is_same = |known: &Question| {
            number(&known.id) == number(block.id) && known.asked.is_some() && known.asked == asked.asked
        };
        let is_there = wordings.iter().any(|known| known.is_equivalent(&wording));
        let changed = written.iter().find(|known| !is_there && is_same(known));
        if let Some(known) = changed {
            cargo.differs(SOURCE, &known.id);
        }
        if is_there || changed.is_some() {
            cargo.count("questions", false);
            continue;
        }
        cargo.count("questions", true);
        let kept = number(block.id).filter(|number| numbers.claim(*number));
        asked.id = format!("Q-{:03}", kept.unwrap_or_else(|| numbers.next()));
        if kept.is_none() {
            cargo.rename(SOURCE, block.id, &asked.id);
        }
        new.push(asked);
    }
    if new.is_empty() {
        return;
    }
    let events =
        new.iter().map(|asked| event("question", &asked.id, &asked.title, FILE, &asked.question)).collect();
    match question::with_all(cargo.ahead().read(FILE), &new) {
        Ok(text) => cargo.keep(FILE.to_owned(), text, events),
        Err(fault) => cargo.leave(SOURCE, fault.reason),
    }
}

/// A question as it stands in the file.
struct Block<'a> {
    id: &'a str,
    heading: &'a str,
    text: &'a str,
}

/// Tells the questions apart, and what stands before them.
fn blocks(whole: &str) -> (&str, Vec<Block<'_>>) {
    let mut begins: Vec<(usize, usize, &str)> = Vec::new();
    let mut at = 0;
    for line in whole.split_inclusive('\n') {
        if let Some(id) = id_of_heading(line) {
            begins.push((at, at + line.len(), id));
        }
        at += line.len();
    }
    let first = begins.first().map_or(whole.len(), |(start, ..)| *start);
    let ends = begins.iter().skip(1).map(|(start, ..)| *start).chain([whole.len()]);
    let blocks = begins.iter().zip(ends).map(|((start, text, id), end)| Block {
        id,
        heading: whole[*start..*text].trim(),
        text: &whole[*text..end],
    });
    (&whole[..first], blocks.collect())
}

/// Reads the id in a line like `## Q-001 [open] 2026-06-20 17:55:09 source=manual`.
fn id_of_heading(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("## Q-")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && rest[digits..].starts_with(" [")).then(|| &line["## ".len().."## Q-".len() + digits])
}

impl Block<'_> {
    fn read(&self, cargo: &mut Cargo<'_>) -> Question {
        let rest = self.heading.split_once('[').map_or("", |(_, rest)| rest);
        let (status, rest) = rest.split_once(']').unwrap_or((rest, ""));
        let (time, source) = rest.split_once("source=").unwrap_or((rest, ""));
        let [question, context, answer, answered, applied, applied_at] =
            FIELDS.map(|name| field(self.text, name));
        let mut text = |raw: String| cargo.text(SOURCE, &raw);
        let (question, context, note) = (text(question), text(context), text(applied));
        let answer = Some(text(answer)).filter(|answer| answer != "_(empty)_").unwrap_or_default();
        let first = question.lines().next().unwrap_or_default().to_owned();
        let title = cargo.title(SOURCE, &first);
        let place = format!("{SOURCE} ({})", self.id);
        let asked = iso(time);
        if asked.is_none() {
            cargo.odd(&place, "does not say when it was asked");
        }
        let known = Status::of(status.trim());
        let status = match known {
            Some(Status::Answered | Status::Applied) if answer.is_empty() => {
                cargo.odd(&place, "is answered, but has no answer; it is open again");
                Status::Open
            }
            Some(status) => status,
            None => {
                cargo.odd(
                    &place,
                    format!("its status is `{}`, which is read as open", custos_config::shown::shown(status)),
                );
                Status::Open
            }
        };
        Question {
            id: String::new(),
            title,
            status,
            asked,
            answered: iso(&answered).filter(|_| status != Status::Open),
            applied: iso(&applied_at),
            archived: None,
            session: source.trim().strip_prefix("session-").map(crate::handoff::safe_session),
            question,
            context,
            answer,
            note,
        }
    }
}

/// Gives the text of a field: from its mark to the next field.
fn field(block: &str, name: &str) -> String {
    let mark_of = |line: &str| FIELDS.into_iter().find(|name| line.starts_with(&format!("**{name}**:")));
    let mut text = String::new();
    let mut inside = false;
    for line in block.lines() {
        let mut rest = line;
        if let Some(mark) = mark_of(line) {
            inside = mark == name;
            rest = line[mark.len() + "****:".len()..].trim_start();
        }
        if inside {
            text.push_str(rest);
            text.push('\n');
        }
    }
    text.trim().to_owned()
}
