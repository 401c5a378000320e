//! The knowledge base of the project that you are in, and the servers that run.

use custos_knowledge::check::Finding;
use custos_knowledge::{Level, Refusal};

use super::Check;
use super::clients::how_long;
use crate::commands::mcp::live;
use crate::context::Context;
use crate::knowledge;
use crate::when;

/// How many findings are named; the base's own doctor shows all.
const NAMED: usize = 3;

/// Makes the checks that are about the knowledge base.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let mut checks = vec![base(context)];
    checks.extend(servers(context));
    checks
}

fn base(context: &Context) -> Check {
    let Ok(root) = knowledge::root(None) else {
        return Check::note("knowledge", "the working directory is gone", "go to a project and try again");
    };
    let desk = knowledge::for_person(context, root);
    let checked = desk.base().view(None).and_then(|view| {
        let exists = view.stacks.iter().any(|stack| stack.store.exists())
            || !desk.base().repos_beside(&view).is_empty();
        let own = view.own().store.name.clone();
        let spelt = |finding: &Finding| spelt(finding, &own);
        desk.base().check(&view, false).map(|report| (exists, report.findings.iter().map(spelt).collect()))
    });
    let checked: Result<(bool, Vec<String>), Refusal> = checked;
    match checked {
        Ok((false, _)) => Check::note("knowledge", "this project has no .ai/ yet", "`custos init` makes it"),
        Ok((true, findings)) if findings.is_empty() => Check::ok("knowledge", "every file is in order"),
        Ok((true, findings)) => {
            let more = findings.len().saturating_sub(NAMED);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let named: Vec<String> = findings.into_iter().take(NAMED).collect();
            Check::bad(
                "knowledge",
                format!("{}{more}", named.join("; ")),
                "`custos kb doctor` says what to do about each, `custos kb doctor --fix` repairs what is mechanical",
            )
        }
        Err(refusal) => Check::bad("knowledge", refusal.problem, refusal.next),
    }
}

/// Says what was found; in a repo of the workspace `own` also in which.
fn spelt(finding: &Finding, own: &str) -> String {
    let line = if finding.line == 0 { String::new() } else { format!(":{}", finding.line) };
    let is_beside = finding.level == Level::Repo && finding.store != own;
    let repo = if is_beside { format!("{}: ", finding.store) } else { String::new() };
    format!("{repo}{}{line} {}", finding.file, finding.what)
}

/// Names the MCP servers that run; where none does there is nothing to say.
fn servers(context: &Context) -> Option<Check> {
    let log = context.log();
    let living = live::living(&*log.surroundings().disk, &context.places.state);
    if living.is_empty() {
        return None;
    }
    let shown: Vec<String> = living
        .iter()
        .map(|server| {
            let client = server.client.as_deref().unwrap_or("a client");
            format!(
                "{client} in {}, started {} ago",
                server.root,
                how_long(when::now().as_millis() - server.since)
            )
        })
        .collect();
    Some(Check::ok("servers", shown.join("; ")))
}
