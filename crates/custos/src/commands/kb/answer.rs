//! What the desk says, for a person: safe to show, and in commands where it speaks of tools.

use custos_knowledge::{Cause, Refusal};
use custos_mcp::answer::Answer;
use serde_json::Value;

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::render::printable;

/// Shows an answer: as it is, but for its notes, which are the program's own words and may name tools.
pub(super) fn show(answer: &Answer, output: &mut Output) -> Result<Exit, CliError> {
    let Answer { text, data, .. } = with_notes_in_commands(answer.clone());
    if output.is_json() {
        output.json(&data)?;
    } else {
        output.line(safe(text.trim_end()))?;
    }
    Ok(Exit::Success)
}

/// What the data of an answer call its notes.
const NOTES: [&str; 3] = ["notes", "answer_notes", "argument_notes"];

/// Says the notes of an answer in commands. The data tell which they are: a text may have lines that look like one.
fn with_notes_in_commands(mut answer: Answer) -> Answer {
    let line = |note: &str| format!("\nNote: {}.", note.trim_end_matches('.'));
    let text = &mut answer.text;
    each_note(&mut answer.data, &mut |note| {
        let said = in_commands(note);
        *text = text.replace(&line(note), &line(&said));
        *note = said;
    });
    answer
}

/// Visits the notes in the data of an answer, wherever they are.
fn each_note(data: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    match data {
        Value::Array(items) => items.iter_mut().for_each(|item| each_note(item, visit)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Array(notes) if NOTES.contains(&name.as_str()) => {
                        for note in notes {
                            if let Value::String(note) = note {
                                visit(note);
                            }
                        }
                    }
                    value => each_note(value, visit),
                }
            }
        }
        _ => {}
    }
}

/// What begins the text for the next session, which is the person's own.
const NEXT_SESSION: &str = "\nTo begin the next session, tell it:";

/// Shows what became of a close: up to the text for the next session every word is the program's own.
pub(super) fn show_closed(answer: &Answer, output: &mut Output) -> Result<Exit, CliError> {
    let Answer { text, mut data, .. } = answer.clone();
    let (report, next) = text.split_at(text.find(NEXT_SESSION).unwrap_or(text.len()));
    for item in data["items"].as_array_mut().into_iter().flatten() {
        if let Value::String(result) = &mut item["result"] {
            *result = in_commands(result);
        }
    }
    let text = in_commands(report) + next;
    show(&Answer::new(text, data), output)
}

/// Shows an answer that ends with the program's own word, which may name tools: what stands below the last item, or else the last line.
pub(super) fn show_with_last_word(mut answer: Answer, output: &mut Output) -> Result<Exit, CliError> {
    let text = answer.text.trim_end();
    let last_line = text.rfind('\n').map_or(0, |at| at + 1);
    let below_items = text.rfind("\n- ").and_then(|at| Some(at + 2 + text[at + 1..].find('\n')?));
    // Of a list with nothing in it every word is the program's own.
    let is_empty = answer.data["total"] == 0;
    let end = if is_empty { 0 } else { below_items.map_or(last_line, |below| below.min(last_line)) };
    let last = in_commands(&answer.text[end..]);
    answer.text.replace_range(end.., &last);
    show(&answer, output)
}

/// Shows what was saved. It ends as something that needs attention if a repo of its scope did not take it.
pub(super) fn show_saved(answer: &Answer, output: &mut Output) -> Result<Exit, CliError> {
    show(answer, output)?;
    let mut saved = answer.data["saved"].as_array().into_iter().flatten();
    Ok(if saved.any(|saved| saved["refused"].is_array()) { Exit::Found } else { Exit::Success })
}

/// What begins the last word about the repos of a workspace.
const IN_REPOS: &str = "\nIn the repos: ";

/// What the last lines of a list say that leaves something out.
const LEFT_OUT: &str = "`kb_doctor` says ";

/// Shows a list. It has a last word where there is nothing in it, where repos have more of it, or where something cannot be read.
pub(super) fn show_list(mut answer: Answer, output: &mut Output) -> Result<Exit, CliError> {
    if answer.data["total"] == 0 {
        return show_with_last_word(answer, output);
    }
    if answer.data["in_repos"].is_array()
        && let Some(at) = answer.text.rfind(IN_REPOS)
    {
        let last = in_commands(&answer.text[at..]);
        answer.text.replace_range(at.., &last);
    }
    let left_out: usize =
        answer.text.rsplit('\n').take_while(|line| line.contains(LEFT_OUT)).map(|line| line.len() + 1).sum();
    let at = answer.text.len().saturating_sub(left_out);
    let last = in_commands(&answer.text[at..]);
    answer.text.replace_range(at.., &last);
    show(&answer, output)
}

/// Adds notes to a text, each on a line of its own.
pub(super) fn with_notes(mut text: String, notes: &[String]) -> String {
    for note in notes {
        text.push_str(&format!("\nNote: {}.", note.trim_end_matches('.')));
    }
    text
}

/// Makes a text of several lines safe for a terminal. It comes from files that anyone may have written.
pub(crate) fn safe(text: &str) -> String {
    let line =
        |line: &str| line.trim_end_matches('\r').split('\t').map(printable).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Reports a refusal.
pub(crate) fn refused(refusal: &Refusal) -> CliError {
    let error = CliError::new(exit(refusal.cause), safe(&refusal.problem));
    if refusal.next.is_empty() { error } else { error.hint(safe(&in_commands(&refusal.next))) }
}

/// Finds the exit code of a refusal.
fn exit(cause: Cause) -> Exit {
    match cause {
        Cause::Asked | Cause::Broken => Exit::Data,
        Cause::Missing => Exit::NotFound,
        Cause::Busy => Exit::Busy,
        Cause::System => Exit::Io,
    }
}

/// What a person types where an agent calls a tool or sends an argument.
const COMMANDS: &[(&str, &str)] = &[
    ("answer_question", "custos questions answer"),
    ("archive_decision", "custos decisions archive"),
    ("archive_memory", "custos memories archive"),
    ("ask_question", "custos questions ask"),
    ("backlog", "custos backlog"),
    ("backlog_add", "custos backlog add"),
    ("backlog_update", "custos backlog update"),
    ("context", "custos kb context"),
    ("decisions", "custos decisions"),
    ("finalize_close", "custos close"),
    ("fix", "--fix"),
    ("get_decision", "custos decisions show"),
    ("get_memory", "custos memories show"),
    ("get_observations", "custos show"),
    ("include_archived", "--archived"),
    ("kb_doctor", "custos kb doctor"),
    ("list_open_questions", "custos questions"),
    ("memories", "custos memories"),
    ("merge_memories", "custos memories merge"),
    ("must_allow", "--must-allow"),
    ("must_block", "--must-block"),
    ("oracle", "custos oracle show"),
    ("plans", "custos plans"),
    ("project_path", "--project"),
    ("question_id", "ID"),
    ("safety", "custos guard rules"),
    ("save_decision", "custos decisions add"),
    ("save_memory", "custos memories add"),
    ("save_plan", "custos plans save"),
    ("scope", "--scope"),
    ("search", "custos search"),
    ("status", "custos kb status"),
    ("superseded_by", "--superseded-by"),
    ("supersedes", "--supersedes"),
    ("timeline", "custos timeline"),
    ("update_question", "custos questions update"),
    ("update_safety", "custos guard add"),
    ("worklog", "custos worklog"),
    ("workspace", "custos kb workspace"),
];

/// Says in commands what was said in tools: names in backticks, and those that no language has.
pub(super) fn in_commands(text: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphabetic() || c == '_';
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_name) {
        let (before, from) = rest.split_at(start);
        let (name, after) = from.split_at(from.find(|c| !is_of_name(c)).unwrap_or(from.len()));
        said.push_str(before);
        let is_quoted = before.ends_with('`') && after.starts_with('`');
        let command = COMMANDS.iter().find(|(tool, _)| *tool == name);
        if let (Some((_, option)), Some((values, after))) = (command, listed(after)) {
            let typed: Vec<String> = values.map(|value| format!("{option} {value}")).collect();
            said.push_str(&typed.join(" "));
            rest = after;
            continue;
        }
        match command {
            Some((_, command)) if is_quoted => said.push_str(command),
            Some((_, command)) if name.contains('_') => said.push_str(&format!("`{command}`")),
            _ => said.push_str(name),
        }
        rest = after;
    }
    said.push_str(rest);
    said
}

/// Reads the values of an argument that is sent as a list, from behind its name: `supersedes: ["D-006"]` is typed `--supersedes D-006`.
fn listed(after: &str) -> Option<(impl Iterator<Item = &str>, &str)> {
    let (values, rest) = after.strip_prefix(": [\"")?.split_once("\"]")?;
    Some((values.split("\", \""), rest))
}

#[cfg(test)]
mod tests {
    use custos_knowledge::store::StoreError;
    use custos_mcp::tools::TOOLS;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(
        "`decisions` lists what there is; with include_archived also what was put away",
        "`custos decisions` lists what there is; with `--archived` also what was put away"
    )]
    #[case(
        "Answer it first (answer_question with Q-002)",
        "Answer it first (`custos questions answer` with Q-002)"
    )]
    #[case(
        "The decisions of `custos decisions` are in context",
        "The decisions of `custos decisions` are in context"
    )]
    #[case("kb_doctor with `fix` mends it", "`custos kb doctor` with `--fix` mends it")]
    #[case(
        "save one with another title and `supersedes: [\"D-006\"]`",
        "save one with another title and `--supersedes D-006`"
    )]
    #[case(
        "`supersedes: [\"D-006\", \"api:D-001\"]` replaces them",
        "`--supersedes D-006 --supersedes api:D-001` replaces them"
    )]
    #[case("", "")]
    fn tools_become_commands(#[case] said: &str, #[case] meant: &str) {
        assert_eq!(in_commands(said), meant);
    }

    #[test]
    fn notes_are_said_in_commands_and_texts_stay_as_they_are() {
        let note = "kb_doctor with `fix` mends it";
        let said = Answer::new(
            format!("# D-009\n\nNote: {note}, they say.\nNote: call `context`.\n\nNote: {note}."),
            json!({ "notes": "call `context`", "saved": [{ "notes": [note] }] }),
        );
        let shown = "`custos kb doctor` with `--fix` mends it";
        assert_eq!(
            with_notes_in_commands(said),
            Answer::new(
                format!("# D-009\n\nNote: {note}, they say.\nNote: call `context`.\n\nNote: {shown}."),
                json!({ "notes": "call `context`", "saved": [{ "notes": [shown] }] }),
            )
        );
    }

    #[test]
    fn every_tool_that_an_answer_may_name_has_a_command() {
        let agents_only = ["begin_close", "save_oracle"];
        let missing: Vec<&str> = TOOLS
            .iter()
            .map(|tool| tool.name)
            .filter(|name| !agents_only.contains(name) && !COMMANDS.iter().any(|(tool, _)| tool == name))
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[rstest]
    #[case(StoreError::Busy { path: "/x".into(), seconds: 4 }.into(), Exit::Busy)]
    #[case(StoreError::Gone { path: "/x".into() }.into(), Exit::NotFound)]
    #[case(StoreError::Link { path: "/x".into() }.into(), Exit::Data)]
    #[case(StoreError::Taken { path: "/x".into() }.into(), Exit::Data)]
    #[case(StoreError::Unwritable { action: "renamed", path: "/x".into(), why: "no space".to_owned() }.into(), Exit::Io)]
    #[case(StoreError::Unconfirmed { path: "/x".into(), why: "an error".to_owned() }.into(), Exit::Io)]
    #[case(Refusal::missing("there is no decision D-9", ""), Exit::NotFound)]
    #[case(Refusal::new("Q-001 is open, and cannot be applied now", ""), Exit::Data)]
    fn a_refusal_ends_as_what_it_is(#[case] refusal: Refusal, #[case] code: Exit) {
        assert_eq!(exit(refusal.cause), code);
    }

    #[test]
    fn lines_and_tabs_stay_and_nothing_else_moves_the_cursor() {
        assert_eq!(safe("a\tb\r\nc\u{1b}[2J\rd"), "a\tb\nc\u{fffd}[2J\u{fffd}d");
    }
}
