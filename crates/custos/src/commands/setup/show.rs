//! What `custos setup` tells the person: first what it is about to change, then what came of it.

use std::path::Path;

use custos_clients::edit::diff::Sign;
use custos_config::{Environment, env};

use super::ClientResult;
use super::proof::Proof;
use crate::context::Context;
use crate::environment::ProcessEnvironment;
use crate::error::CliError;
use crate::installation::program::Put;
use crate::installation::replay::Worth;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARN, styled};
use crate::render;

pub(super) fn plan(
    output: &mut Output,
    place: &Path,
    putting: Put,
    plan: &[ClientResult],
    dry_run: bool,
) -> Result<(), CliError> {
    let nothing =
        putting == Put::Unchanged && !plan.iter().flat_map(|client| &client.files).any(|file| file.changes);
    if nothing {
        return Ok(());
    }
    output.line(styled(BOLD, "This will be changed:"))?;
    if putting != Put::Unchanged {
        let word = if putting == Put::Updated { "the program, over another one" } else { "the program" };
        output.line(format!("  {}  {}", place.display(), styled(DIM, word)))?;
    }
    for file in plan.iter().flat_map(|client| &client.files).filter(|file| file.changes) {
        let added = file.lines.iter().filter(|line| line.sign == Sign::Added).count();
        let removed = file.lines.iter().filter(|line| line.sign == Sign::Removed).count();
        let lines =
            if file.lines.is_empty() { String::new() } else { format!(", +{added} −{removed} lines") };
        output.line(format!("  {}  {}", file.path, styled(DIM, format!("{}{lines}", file.what))))?;
        if dry_run {
            for line in file.lines.iter().take(60) {
                let (sign, style) = match line.sign {
                    Sign::Added => ("+", GOOD),
                    Sign::Removed => ("-", BAD),
                };
                // A line of the person's own may have changed by a comma, and hold a key.
                let mut text = line.text.clone();
                custos_log::excerpt::redact_text(&mut text);
                output.line(styled(style, format!("    {sign} {}", render::printable(&text))))?;
            }
        }
    }
    output.line("")
}

#[expect(clippy::too_many_arguments, reason = "the parts of one report")]
pub(super) fn result(
    output: &mut Output,
    context: &Context,
    place: &Path,
    put: Put,
    clients: &[ClientResult],
    rehearsed: &[ClientResult],
    proofs: &[Proof],
    ok: bool,
) -> Result<(), CliError> {
    let word = match put {
        Put::Unchanged => "in place",
        Put::Installed => "installed",
        Put::Updated => "updated",
    };
    output.line(format!("{} {} {}", styled(BOLD, "program"), place.display(), styled(DIM, word)))?;
    output.line(format!("{}  {}", styled(BOLD, "memory"), context.places.memory.display()))?;
    output.line(format!("{}   {}", styled(BOLD, "state"), context.places.state.display()))?;
    for client in clients {
        output.line("")?;
        output.line(format!("{} {}", styled(BOLD, client.known.title), styled(DIM, &client.found)))?;
        for file in &client.files {
            let style = if file.problem.is_some() {
                BAD
            } else if file.changes {
                GOOD
            } else {
                DIM
            };
            output.line(format!("  {:<12} {} {}", file.what, file.path, styled(style, file.result)))?;
            if let Some(problem) = &file.problem {
                output.line(format!("               {}", render::printable(problem)))?;
            }
        }
        proof(output, client)?;
        for note in &client.notes {
            output.line(format!("  {} {note}", styled(WARN, "note")))?;
        }
    }
    if clients.is_empty() {
        output.line("")?;
        output.line(
            "No client was found on this machine. All of them were wired in a temporary home instead:",
        )?;
        for client in rehearsed {
            if client.does_not_work() {
                output.line(styled(BOLD, client.known.title))?;
                proof(output, client)?;
            } else {
                let heard = render::count(client.proof.len() as u64, "event");
                let recorded: usize = client.proof.iter().map(|trial| trial.recorded.len()).sum();
                let recorded = render::count(recorded as u64, "record");
                let tools: usize = client.servers.iter().filter_map(|server| server.tools).sum();
                let tools = render::count(tools as u64, "tool");
                let said = styled(DIM, format!("{heard} heard, {recorded} in the log, {tools}"));
                output.line(format!("  {} {:<12} {said}", styled(GOOD, "ok    "), client.known.title))?;
            }
        }
        output.line(
            "Install one (`npm install -g @anthropic-ai/claude-code`, @openai/codex, @google/gemini-cli,",
        )?;
        output.line(
            "@github/copilot, opencode-ai) and run `custos setup` again, or wire one now with --client NAME.",
        )?;
    }
    output.line("")?;
    output.line(format!("{} {}", styled(BOLD, "The memory"), styled(DIM, "proven in a temporary one")))?;
    for proof in proofs {
        let word = if proof.ok { styled(GOOD, "  ok    ") } else { styled(BAD, "  FAILED") };
        output.line(format!("{word} {:<52} {}", proof.what, styled(DIM, &proof.detail)))?;
    }
    output.line("")?;
    if ProcessEnvironment.get(env::AI_MEMORY_PATH.name).is_some() {
        let note = "AI_MEMORY_PATH is set here: a client records into this memory only if it is started with it, too";
        output.line(format!("{} {note}", styled(WARN, "note")))?;
    }
    let last = if ok {
        "Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes."
    } else {
        "Not everything works; what does not is marked above, and `custos doctor` looks closer."
    };
    output.line(render::fitted(last, 0, output.is_terminal()))
}

/// Shows what the installed commands did.
fn proof(output: &mut Output, client: &ClientResult) -> Result<(), CliError> {
    if !client.proof.is_empty() && client.proof.iter().all(|trial| trial.worth == Worth::NotWired) {
        output.line(format!("  {} none of its events is in the file", styled(BAD, "FAILED")))?;
        return servers(output, client);
    }
    for trial in &client.proof {
        let (word, style) = match trial.worth {
            Worth::Failed | Worth::NotWired => ("FAILED", BAD),
            _ => ("ok", GOOD),
        };
        let said = match (&trial.problem, &trial.answer) {
            (Some(problem), _) => problem.clone(),
            (None, Some(answer)) => format!("answered {}", render::printable(answer)),
            (None, None) if trial.recorded.is_empty() => "heard".to_owned(),
            (None, None) => format!("recorded {}", trial.recorded.join(", ")),
        };
        let said = if trial.worth == Worth::NotWired { "is not in the file".to_owned() } else { said };
        let time = if trial.ms > 0.0 { format!("{:.1} ms", trial.ms) } else { String::new() };
        output.line(format!(
            "  {} {:<32} {said} {}",
            styled(style, format!("{word:<6}")),
            trial.event,
            styled(DIM, time)
        ))?;
    }
    servers(output, client)
}

/// Shows what our MCP server said when it was asked.
fn servers(output: &mut Output, client: &ClientResult) -> Result<(), CliError> {
    for server in &client.servers {
        let (word, style) = if server.is_well() { ("ok", GOOD) } else { ("FAILED", BAD) };
        let said = match (&server.problem, server.tools) {
            (Some(problem), _) => render::printable(problem),
            (None, tools) => render::count(tools.unwrap_or_default() as u64, "tool"),
        };
        let time = server.ms.map(|ms| format!("{ms:.1} ms")).unwrap_or_default();
        output.line(format!(
            "  {} {:<32} {said} {}",
            styled(style, format!("{word:<6}")),
            custos_clients::server::WHAT,
            styled(DIM, time)
        ))?;
    }
    Ok(())
}
