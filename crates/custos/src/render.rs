//! Events as a line for people.
//!
//! Stored text is data from anywhere: nothing of it may move the cursor, change a colour or hide a line of somebody's terminal.

use custos_model::{Event, EventId, Kind, Timestamp};
use serde_json::{Map, Value};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::{BOLD, DIM, styled};

/// How much of a project's name is shown in a list.
pub(crate) const PROJECT: usize = 16;

/// How much of a session's id is shown in a list; `--session` takes it.
const SESSION: usize = 10;

/// Renders an event on one line.
pub(crate) fn event_line(event: &Event<'_>) -> String {
    let who = event.agent.as_ref().map_or("-", |agent| agent.client.as_str());
    let project = cut(event.project.as_deref().map_or("-", short_project), PROJECT);
    format!(
        "{}  {}  {}  {}  {}  {}",
        styled(DIM, local(event.ts)),
        styled(DIM, short_id(event.id)),
        styled(BOLD, format!("{:<20}", event.kind.name())),
        printable(&format!("{who:<12}")),
        padded(&printable(&project), PROJECT),
        gist(event.kind, event.body.get(), 100),
    )
}

/// Shows an instant in the machine's own time zone.
pub(crate) fn local(at: Timestamp) -> String {
    let zone = jiff::tz::TimeZone::system();
    jiff::Timestamp::from_millisecond(at.as_millis()).map_or_else(
        |_| at.to_string(),
        |instant| instant.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// Gives the end of an id.
pub(crate) fn short_id(id: EventId) -> String {
    id.end()
}

/// Gives the last part of a project's name.
pub(crate) fn short_project(project: &str) -> &str {
    // A repo without a remote goes by its git directory.
    project.rsplit(['/', '\\']).find(|part| !part.is_empty() && *part != ".git").unwrap_or(project)
}

/// Picks what tells most about an event, from the fields that its kind usually has.
pub(crate) fn gist(kind: Kind, body: &str, width: usize) -> String {
    let Ok(body) = serde_json::from_str::<Map<String, Value>>(body) else { return String::new() };
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let fields: &[&str] = match kind {
        Kind::ForgetDone => &["reason"],
        Kind::SessionStarted => &["source"],
        _ => &["title", "text", "prompt", "request", "last_message", "message", "reason", "source"],
    };
    let gist = match (text("tool"), body.get("input")) {
        (Some(tool), Some(Value::Object(input))) => {
            let detail = ["command", "file_path", "path", "filePath", "pattern", "query", "url"]
                .iter()
                .find_map(|name| input.get(*name).and_then(Value::as_str));
            format!("{tool} {}", detail.unwrap_or_default())
        }
        (Some(tool), _) => tool.to_owned(),
        _ => match fields.iter().find_map(|name| text(name)) {
            Some(text) => text.to_owned(),
            None => body.values().find_map(Value::as_str).unwrap_or_default().to_owned(),
        },
    };
    let line: String = gist.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&printable(&line), width)
}

/// Gives the beginning of a session's id.
pub(crate) fn short_session(session: &str) -> &str {
    &session[..session.char_indices().nth(SESSION).map_or(session.len(), |(at, _)| at)]
}

/// Cuts a text to a number of columns, of which a letter of some scripts takes two.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |letter: &char| {
        let needed = letter.width().unwrap_or(0);
        let fits = needed <= room;
        room = room.saturating_sub(needed);
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// Fills a text up to a number of columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Replaces everything that a terminal would act on instead of showing it.
pub(crate) fn printable(text: &str) -> String {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    text.chars().map(|c| if acts(c) { '\u{fffd}' } else { c }).collect()
}

/// Shows a number of bytes in the unit that suits it.
pub(crate) fn bytes(count: u64) -> String {
    let mut value = count as f64;
    for unit in ["bytes", "KB", "MB", "GB"] {
        if value < 1_000.0 || unit == "GB" {
            return if unit == "bytes" { format!("{count} bytes") } else { format!("{value:.1} {unit}") };
        }
        value /= 1_000.0;
    }
    String::new()
}

/// Groups the digits of a number: `2,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Breaks a text into lines of at most so many columns, each behind an indent. A longer word gets a line of its own.
pub(crate) fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let room = width.saturating_sub(indent.width());
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
}

/// Breaks each line of a text for itself: paragraphs and lists stay what they are. Nothing of it acts on a terminal.
pub(crate) fn wrapped_lines(text: &str, width: usize, indent: &str) -> String {
    let lines: Vec<String> =
        text.trim_end().lines().map(|line| wrapped(&printable(line), width, indent)).collect();
    lines.join("\n")
}

/// Breaks a text that stands behind something of so many columns, where a person reads it on a terminal. Whoever pipes it on gets it as it
/// is, and so does whoever reads what has lines already.
pub(crate) fn fitted(text: &str, behind: usize, on_terminal: bool) -> String {
    const WIDTH: usize = 80;
    if !on_terminal || behind + text.width() <= WIDTH || text.contains('\n') {
        return text.to_owned();
    }
    let broken = wrapped(text, WIDTH, &" ".repeat(behind));
    broken.trim_start().to_owned()
}

/// Counts things in words: `1 record`, `2,000 records`, `3 pieces of work`.
pub(crate) fn count(number: u64, one: &str) -> String {
    let grouped = grouped(number);
    let (noun, rest) = one.find(" of ").map_or((one, ""), |at| one.split_at(at));
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        // A day is no entry.
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{grouped} {stem}ies{rest}"),
        _ => format!("{grouped} {noun}s{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_reaches_the_terminal_as_a_command() {
        assert_eq!(printable("a\u{1b}[2Jb\r\u{202e}c\u{7}"), "a\u{fffd}[2Jb\u{fffd}\u{fffd}c\u{fffd}");
    }

    #[test]
    fn a_long_text_is_broken_for_a_person_and_stays_whole_for_a_machine() {
        let text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
        assert_eq!(fitted(text, 4, false), text);
        let broken = "one two three four five six seven eight nine ten eleven twelve thirteen\n    fourteen";
        assert_eq!(fitted(text, 4, true), broken);
        assert_eq!(
            fitted("two  blanks stay where there is room", 4, true),
            "two  blanks stay where there is room"
        );
    }

    #[test]
    fn picks_what_tells_most() {
        assert_eq!(
            gist(Kind::ToolUsed, r#"{"tool":"Bash","input":{"command":"ls\n -l"}}"#, 40),
            "Bash ls -l"
        );
        assert_eq!(gist(Kind::PromptSubmitted, r#"{"text":"fix   it"}"#, 40), "fix it");
        assert_eq!(gist(Kind::ObservationRecorded, r#"{"x":1,"y":"only text"}"#, 5), "only…");
        assert_eq!(gist(Kind::ToolUsed, "{}", 5), "");
    }

    #[test]
    fn a_text_is_cut_by_the_columns_that_it_takes() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語の", 6), "日本…");
        assert_eq!(cut("日本語の", 7), "日本語…");
        assert_eq!((padded("日本", 6), padded("abcd", 3)), ("日本  ".to_owned(), "abcd".to_owned()));
        assert_eq!(wrapped("日本 語の ab", 6, ""), "日本\n語の\nab");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("a bc  def\nghij k", 6, "  "), "  a bc\n  def\n  ghij\n  k");
        assert_eq!(wrapped("incomprehensibilities so", 8, ""), "incomprehensibilities\nso");
        assert_eq!(wrapped(" ", 8, ""), "");
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(count(1, "record"), "1 record");
        assert_eq!(count(1_234_567, "entry"), "1,234,567 entries");
        assert_eq!(
            (count(2, "day"), count(2, "piece of work")),
            ("2 days".into(), "2 pieces of work".into())
        );
        assert_eq!(
            (bytes(999), bytes(1_500), bytes(64 << 20)),
            ("999 bytes".into(), "1.5 KB".into(), "67.1 MB".into())
        );
    }
}
