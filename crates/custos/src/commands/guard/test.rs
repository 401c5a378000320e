//! `custos guard test`: what would become of a command or a path, and how that was found.

use custos_guard::{Finding, Hold, Judgement};
use serde::Serialize;

use super::args::TestArgs;
use super::scene::Scene;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARN, styled};
use crate::render::printable;

/// The answer for machines.
#[derive(Serialize)]
struct Answer<'a> {
    verdict: &'static str,
    rule: Option<&'a str>,
    reason: Option<&'a str>,
    part: Option<&'a str>,
    safer: Option<&'a str>,
    findings: &'a [Finding],
    steps: &'a [String],
    cwd: &'a str,
    home: Option<&'a str>,
    root: &'a str,
    branch: Option<&'a str>,
    problems: Vec<String>,
}

pub(super) fn run(context: &Context, args: &TestArgs, output: &mut Output) -> Result<Exit, CliError> {
    let scene = Scene::set(context, &args.whereabouts())?;
    let judgement = judge(&scene, args);
    if output.is_json() {
        let strongest = judgement.reason();
        output.json(&Answer {
            verdict: verdict(judgement.verdict()),
            rule: strongest.map(|finding| &*finding.rule),
            reason: strongest.map(|finding| &*finding.reason),
            part: strongest.map(|finding| &*finding.part),
            safer: strongest.map(|finding| &*finding.safer).filter(|safer| !safer.is_empty()),
            findings: &judgement.findings,
            steps: &judgement.steps,
            cwd: &scene.cwd,
            home: scene.home.as_deref(),
            root: &scene.root,
            branch: scene.branch().as_deref(),
            problems: scene.problems(),
        })?;
        return Ok(Exit::Success);
    }
    scene.warn();
    show(&scene, &judgement, output)?;
    Ok(Exit::Success)
}

fn judge(scene: &Scene, args: &TestArgs) -> Judgement {
    let (Some(path), Some(op)) = (&args.path, args.op) else {
        let command = args.command.as_deref().unwrap_or_default();
        return scene.judge(|guard| guard.explain(command));
    };
    let mut judgement = scene.judge(|guard| guard.path(path, op.access()));
    let mut step = format!("{} {path}", op.word());
    if let Some(real) = scene.real(path).filter(|real| real != path) {
        step.push_str(&format!(", which is {real}"));
    }
    judgement.steps.push(step);
    judgement
}

/// The word for a verdict.
pub(super) fn verdict(hold: Option<Hold>) -> &'static str {
    match hold {
        Some(Hold::Deny) => "deny",
        Some(Hold::Ask) => "ask",
        None => "silence",
    }
}

fn show(scene: &Scene, judgement: &Judgement, output: &mut Output) -> Result<(), CliError> {
    if judgement.findings.is_empty() {
        output.line(format!("{}  nothing in it is held", styled(GOOD, "silence")))?;
    }
    for finding in &judgement.findings {
        let style = if finding.hold == Hold::Deny { BAD } else { WARN };
        let word = styled(style, verdict(Some(finding.hold)));
        output.line(format!("{word}  {}", printable(&finding.reason)))?;
        let rows = [("rule", &*finding.rule), ("part", &*finding.part), ("instead", &*finding.safer)];
        for (name, text) in rows.into_iter().filter(|(_, text)| !text.is_empty()) {
            output.line(format!("  {} {}", styled(DIM, format!("{name:<8}")), printable(text)))?;
        }
    }
    let branch = scene.branch().map_or_else(String::new, |branch| format!(", on branch {branch}"));
    output.line("")?;
    let place = printable(&format!("in {}{branch}", scene.cwd));
    output.line(format!("{} {}", styled(BOLD, "Looked at"), styled(DIM, place)))?;
    for (number, step) in (1..).zip(&judgement.steps) {
        output.line(format!("  {number:>2}  {}", printable(step)))?;
    }
    if judgement.steps.is_empty() {
        output.line(format!("      {}", styled(DIM, "there is no command in it")))?;
    }
    Ok(())
}
