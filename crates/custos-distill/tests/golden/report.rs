//! What people read: a session's results as a page, and the scores as a table.

use std::fmt::Write as _;

use custos_model::{Observation, Summary};
use serde_json::json;

use crate::check::Score;
use crate::play::Played;

/// Everything that was distilled, turn by turn.
pub(crate) fn whole(played: &Played) -> String {
    let mut page = String::new();
    let gone = played.superseded();
    let mut at = 0;
    for (turn, distilled) in played.turns.iter().zip(&played.distilled) {
        let prompt: Vec<String> =
            turn.said.iter().map(|said| said.text.chars().take(120).collect()).collect();
        let _ = writeln!(
            page,
            "## {}",
            if turn.is_private { "(private)".to_owned() } else { prompt.join(" / ").replace('\n', " ") }
        );
        for found in &distilled.observations {
            put(&mut page, &found.observation, gone[at], &found.steps);
            at += 1;
        }
        if let Some(summary) = &distilled.summary {
            put_summary(&mut page, "turn", summary);
        }
        page.push('\n');
    }
    if let Some(summary) = &played.summary {
        put_summary(&mut page, "session", summary);
    }
    page
}

fn put(page: &mut String, one: &Observation, gone: bool, steps: &[usize]) {
    let mark = if gone { " (superseded)" } else { "" };
    let _ = writeln!(page, "* {}: {}{mark}", one.sort, one.title);
    for (name, text) in [("subtitle", &one.subtitle), ("narrative", &one.narrative)] {
        if !text.is_empty() {
            let _ = writeln!(page, "    {name}: {text}");
        }
    }
    for fact in &one.facts {
        let _ = writeln!(page, "    - {fact}");
    }
    for (name, list) in
        [("concepts", &one.concepts), ("read", &one.files_read), ("modified", &one.files_modified)]
    {
        if !list.is_empty() {
            let _ = writeln!(page, "    {name}: {}", list.join(", "));
        }
    }
    let _ = writeln!(page, "    steps: {steps:?}");
}

fn put_summary(page: &mut String, of: &str, summary: &Summary) {
    let _ = writeln!(page, "= {of}");
    let texts = [
        ("request", &summary.request),
        ("investigated", &summary.investigated),
        ("learned", &summary.learned),
        ("completed", &summary.completed),
        ("next", &summary.next_steps),
        ("notes", &summary.notes),
    ];
    for (name, text) in texts {
        if !text.is_empty() {
            let _ = writeln!(page, "    {name}: {text}");
        }
    }
    for (name, list) in [("read", &summary.files_read), ("edited", &summary.files_edited)] {
        if !list.is_empty() {
            let _ = writeln!(page, "    {name}: {}", list.join(", "));
        }
    }
}

/// Types and titles of what lasts, one per line.
pub(crate) fn kept(played: &Played) -> String {
    let lines: Vec<String> = played
        .lasting()
        .iter()
        .map(|one| json!({ "type": one.sort, "title": one.title }).to_string())
        .collect();
    if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) }
}

pub(crate) fn heading() -> String {
    "session                 recall (typed)  precision  junk   stored/evidence  summary\n".to_owned()
}

pub(crate) fn row(name: &str, score: &Score) -> String {
    let mut row = format!(
        "{name:<22}  {}/{} ({})        {}/{}        {}/{}    {}/{} = {:.3}  {}/{}\n",
        score.got,
        score.wanted,
        score.typed,
        score.meant,
        score.kept,
        score.junk,
        score.recorded,
        score.stored,
        score.evidence,
        score.stored as f64 / score.evidence.max(1) as f64,
        score.summary_got,
        score.summary_wanted,
    );
    for (mark, list) in [
        ("missed", &score.missed),
        ("beside", &score.beside),
        ("forbidden", &score.forbidden),
        ("too many", &score.too_many),
    ] {
        for one in list {
            let _ = writeln!(row, "    {mark}: {one}");
        }
    }
    row
}
