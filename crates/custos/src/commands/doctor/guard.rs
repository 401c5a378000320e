//! The guard: is it asked, by which rules, does its advisor answer, and is this project trusted?

use std::path::Path;

use custos_clients::{Client, Moment};
use custos_guard::rules::{Level, trust};
use custos_hooks::advising;
use custos_knowledge::Root;

use super::Check;
use crate::commands::guard::{Scene, Whereabouts};
use crate::commands::trust as trust_command;
use crate::context::Context;
use crate::installation::wiring;
use crate::{knowledge, render, when};

/// Makes the checks that are about the guard.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let mut checks = vec![asked(context)];
    match Scene::set(context, &Whereabouts::default()) {
        Ok(scene) => {
            checks.push(rules(&scene));
            checks.extend(trusted(context, Path::new(&scene.root)));
        }
        Err(error) => checks.push(Check::failed("guard rules", error)),
    }
    checks.extend(advisor(context));
    checks
}

/// Says whether the clients ask the guard before a tool runs.
fn asked(context: &Context) -> Check {
    if !context.settings.guard.enabled {
        return Check::bad(
            "guard",
            "it is switched off: nothing is held",
            "`custos config set guard.enabled true`",
        );
    }
    let wired = wiring::signs(context);
    let (off, on): (Vec<_>, Vec<_>) = wired
        .iter()
        .filter_map(|wired| Some((custos_clients::find(wired.client)?, &wired.off)))
        .partition(|(client, off)| before_a_tool(client).any(|event| off.iter().any(|name| name == event)));
    let titles = |clients: &[(&Client, &Vec<String>)]| {
        clients.iter().map(|(client, _)| client.title).collect::<Vec<_>>().join(", ")
    };
    if !off.is_empty() {
        return Check::bad(
            "guard",
            format!("switched off for {}", titles(&off)),
            "take the event before a tool out of `off` in tools/<client>/manifest.json",
        );
    }
    if on.is_empty() {
        return Check::note("guard", "no client asks it", "`custos setup` wires them");
    }
    Check::ok("guard", format!("on; asked before each tool of {}", titles(&on)))
}

fn before_a_tool(client: &Client) -> impl Iterator<Item = &'static str> {
    let events = client.manifest.events.iter();
    events.filter(|row| row.moment == Moment::ToolStarting).map(|row| row.event)
}

fn rules(scene: &Scene) -> Check {
    let problems = scene.problems();
    if !problems.is_empty() {
        return Check::bad(
            "guard rules",
            problems.join("; "),
            "correct the file; `custos guard rules --show-origin` shows what is in force",
        );
    }
    let files: Vec<String> = Level::ALL
        .into_iter()
        .filter_map(|level| scene.sources.path(level))
        .filter(|path| path.exists())
        .map(|path| path.display().to_string())
        .collect();
    let found =
        if files.is_empty() { "the built-in ones; there are no files".to_owned() } else { files.join(", ") };
    Check::ok("guard rules", found)
}

/// Says whether the advisor is asked and answers, where the person has named one.
fn advisor(context: &Context) -> Option<Check> {
    let settings = &context.settings.guard;
    let (server, model) = match (&settings.advisor_url, &settings.advisor_model) {
        (None, None) => return None,
        (Some(server), Some(model)) => (server, model),
        (None, Some(_)) => return Some(half_named("guard.advisor_url", "URL")),
        (Some(_), None) => return Some(half_named("guard.advisor_model", "NAME")),
    };
    if !(settings.enabled && settings.triage) {
        return Some(Check::note(
            "advisor",
            "it is not asked, since the guard or its triage is switched off",
            "`custos config set guard.triage true`, or unset guard.advisor_url",
        ));
    }
    let breaker = advising::breaker(&context.places.state);
    let Some((failures, last)) = breaker.trouble() else {
        let within = settings.advisor_ms;
        return Some(Check::ok("advisor", format!("on: {model} at {server}, within {within} ms")));
    };
    let now = u64::try_from(when::now().as_millis()).unwrap_or_default();
    let rests = if breaker.may_try(now) { "" } else { "; it is not asked for a while" };
    let times = render::count(failures.into(), "time");
    Some(Check::note(
        "advisor",
        format!("{model} at {server} failed {times} in a row: {last}{rests}"),
        "you are asked instead; start the model, or correct guard.advisor_url, guard.advisor_model and guard.advisor_ms",
    ))
}

fn half_named(missing: &str, what: &str) -> Check {
    let found = format!("it is not asked, since {missing} is not set");
    Check::bad("advisor", found, format!("`custos config set {missing} {what}`"))
}

/// Says whether the `.ai/` of the project, if it has one, is trusted.
fn trusted(context: &Context, root: &Path) -> Option<Check> {
    // The list has projects as they really are.
    let root = std::fs::canonicalize(root).ok()?;
    let directory = root.join(".ai");
    if !directory.is_dir() {
        return None;
    }
    let shown = directory.display();
    let is_own = || knowledge::for_person(context, Root::find(&root)).base().around().trusts(&root);
    Some(if trust::is_trusted(&trust_command::list(context), &root) {
        Check::ok("trust", format!("{shown} is trusted"))
    } else if is_own() {
        Check::ok("trust", format!("{shown} was begun on this machine: its texts are yours"))
    } else {
        Check::note(
            "trust",
            format!("{shown} is not trusted: its rules only tighten, its texts are labelled as foreign"),
            "look at what is in it, then `custos trust`",
        )
    })
}
