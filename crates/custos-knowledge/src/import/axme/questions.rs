//! The open questions of AXME Code, all in one file.
//!
//! AXME Code reads a text to the end of its first line and drops the rest when it next writes. We read what stands there: a question begins at
//! its heading and at nothing else, and a text goes on until the next field. Where there are more than our file has room for, what is open
//! comes before what is over, the newer before the older, and the whole is kept beside it.

use std::collections::HashMap;

use super::cargo::{Cargo, event, iso};
use super::known::bucket;
use super::numbers::Numbers;
use crate::question::{self, FILE, Question, Status, number};
use crate::text::{self, Wording};

const SOURCE: &str = "open-questions.md";
/// How large our file may get by it: below what is read again, with room for more questions.
const MOST_OF_FILE: usize = 896 << 10;
const FIELDS: [&str; 6] = ["Question", "Context", "Answer", "AnsweredAt", "Applied", "AppliedAt"];

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let Some(file) = cargo.take_one(SOURCE) else { return };
    let Some(raw) = cargo.read_many(&file) else { return };
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
            cargo.lose(SOURCE, what);
            return;
        }
    };
    let taken = there.iter().filter_map(|known| number(&known.id));
    let mut numbers = Numbers::of(cargo.ahead().store(), 'Q', taken);
    for own in blocks.iter().filter_map(|block| number(block.id)) {
        numbers.came_with(own);
    }
    // What is not written yet nobody has put in other words.
    let written = question::all_in(cargo.ahead().store().read(FILE)).unwrap_or_default();
    let by_time: HashMap<_, &Question> =
        written.iter().rev().filter(|known| known.asked.is_some()).map(|known| (key(known), known)).collect();
    let mut wordings: HashMap<Vec<String>, Vec<Wording>> = HashMap::new();
    for known in &there {
        wordings.entry(bucket(&known.question)).or_default().push(Wording::of(&known.question));
    }
    let mut new = Vec::new();
    for block in &blocks {
        let mut asked = block.read(cargo);
        block.id.clone_into(&mut asked.id);
        let wording = Wording::of(&asked.question);
        let alike = wordings.get(&bucket(&asked.question)).into_iter().flatten();
        let is_there = alike.into_iter().any(|known| known.is_equivalent(&wording));
        // A person may have put it in other words; its id and its time stay.
        let changed = by_time.get(&key(&asked)).filter(|_| !is_there);
        if let Some(known) = changed {
            cargo.differs(SOURCE, &known.id);
        }
        if is_there || changed.is_some() {
            cargo.count("questions", false);
            continue;
        }
        new.push(asked);
    }
    let old = cargo.ahead().read(FILE).ok().flatten().unwrap_or_default();
    let surplus = without_surplus(&mut new, MOST_OF_FILE.saturating_sub(old.len()));
    if surplus > 0 {
        cargo.set_aside(SOURCE, format!("{surplus} of its questions are too much for ours"));
    }
    for asked in &mut new {
        cargo.count("questions", true);
        let own = number(&asked.id).filter(|number| numbers.claim(*number));
        let id = format!("Q-{:03}", own.unwrap_or_else(|| numbers.next()));
        if own.is_none() {
            cargo.rename(SOURCE, &asked.id, &id);
        }
        cargo.settle(&asked.id, &id);
        asked.id = id;
    }
    cargo.gave(&numbers);
    if new.is_empty() {
        return;
    }
    let events =
        new.iter().map(|asked| event("question", &asked.id, &asked.title, FILE, &asked.question)).collect();
    match question::with_all(cargo.ahead().read(FILE), &new) {
        Ok(text) => cargo.keep(FILE.to_owned(), text, events),
        Err(fault) => cargo.lose(SOURCE, fault.reason),
    }
}

/// What stays of a question that a person put in other words.
fn key(question: &Question) -> (Option<u32>, Option<String>) {
    (number(&question.id), question.asked.clone())
}

/// Leaves out the questions that there is no room for, and says how many they are. The others stay in their order.
fn without_surplus(new: &mut Vec<Question>, mut room: usize) -> usize {
    let mut order: Vec<usize> = (0..new.len()).collect();
    order.sort_by_key(|at| (new[*at].status as u8, std::cmp::Reverse(new[*at].asked.clone())));
    let fits = |at: &usize| {
        let left = room.checked_sub(new[*at].to_text().len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let mut kept: Vec<usize> = order.into_iter().take_while(fits).collect();
    kept.sort_unstable();
    let all = std::mem::take(new);
    let surplus = all.len() - kept.len();
    *new = all
        .into_iter()
        .enumerate()
        .filter(|(at, _)| kept.binary_search(at).is_ok())
        .map(|(_, one)| one)
        .collect();
    surplus
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
        // As it is read back from a file that has the title alone, so that it is known again.
        let question = if question.is_empty() { title.clone() } else { question };
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
