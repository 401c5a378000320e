//! What the desk says, for a person: safe to show, and in commands where it speaks of tools.

use custos_knowledge::Refusal;
use custos_mcp::answer::Answer;

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::render::printable;

/// Shows an answer, as it is.
pub(super) fn show(answer: &Answer, output: &mut Output) -> Result<Exit, CliError> {
    if output.is_json() {
        output.json(&answer.data)?;
    } else {
        output.line(safe(answer.text.trim_end()))?;
    }
    Ok(Exit::Success)
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

/// Shows a list. It has a last word where there is nothing in it, or where repos have more of it.
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
    let error = CliError::new(exit(&refusal.problem), safe(&refusal.problem));
    if refusal.next.is_empty() { error } else { error.hint(safe(&in_commands(&refusal.next))) }
}

/// Finds the exit code of a refusal by how it begins: refusals are words for whoever asked, and carry no code.
fn exit(problem: &str) -> Exit {
    let is_of_system = |problem: &str| {
        ["opened", "locked", "created", "written", "removed"]
            .iter()
            .any(|action| problem.contains(&format!(" cannot be {action}: ")))
    };
    if problem.starts_with("there is no ") {
        Exit::NotFound
    } else if problem.starts_with("another process ") {
        Exit::Busy
    } else if is_of_system(problem) {
        Exit::Io
    } else {
        Exit::Data
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
        match COMMANDS.iter().find(|(tool, _)| *tool == name) {
            Some((_, command)) if is_quoted => said.push_str(command),
            Some((_, command)) if name.contains('_') => said.push_str(&format!("`{command}`")),
            _ => said.push_str(name),
        }
        rest = after;
    }
    said.push_str(rest);
    said
}

#[cfg(test)]
mod tests {
    use custos_mcp::tools::TOOLS;
    use rstest::rstest;

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
    #[case("", "")]
    fn tools_become_commands(#[case] said: &str, #[case] meant: &str) {
        assert_eq!(in_commands(said), meant);
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
    #[case("there is no decision D-9", Exit::NotFound)]
    #[case("another process has been changing /x/.ai/local/.lock for 10 seconds", Exit::Busy)]
    #[case("/x/.ai/local cannot be created: Permission denied", Exit::Io)]
    #[case("Q-001 is open, and cannot be applied now", Exit::Data)]
    fn a_refusal_ends_as_what_it_is(#[case] problem: &str, #[case] code: Exit) {
        assert_eq!(exit(problem), code);
    }

    #[test]
    fn lines_and_tabs_stay_and_nothing_else_moves_the_cursor() {
        assert_eq!(safe("a\tb\r\nc\u{1b}[2J\rd"), "a\tb\nc\u{fffd}[2J\u{fffd}d");
    }
}
