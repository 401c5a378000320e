//! What stood in the way and was got over: an image that does not build, a pipeline that may not write, a check that finds no program.
//!
//! A compiler's complaint about a line that was just written is nobody's business the day after. What a container, a pipeline or a running
//! service demands is: the code does not show it, and whoever builds the next one meets it again.

use custos_model::Sort;

use super::commands::{Purpose, Run};
use super::draft::Draft;
use super::failures::{self, Failure};
use super::story::{Story, is_noise};
use super::wording::{TITLE, cut, file_name, headline, quoted};
use crate::Found;
use crate::turn::{Edit, Step, What};

/// At most so many are told of a turn.
const MOST: usize = 2;

/// Recognises files that say how something is built, shipped and run.
pub(crate) fn is_infra(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    name.starts_with("dockerfile")
        || name.ends_with(".dockerfile")
        || name == "containerfile"
        || name == ".dockerignore"
        || name.starts_with("docker-compose")
        || name.starts_with("compose.")
        || name == "jenkinsfile"
        || name == ".gitlab-ci.yml"
        || name == "procfile"
        || path.contains(".github/workflows/")
        || path.contains(".circleci/")
        || path.contains("/helm/")
        || path.contains("k8s/")
        || path.contains("charts/")
        || path.contains("terraform/")
        || name.rsplit('.').next() == Some("tf")
        || name.starts_with("nginx")
        || name == "vercel.json"
        || name == "fly.toml"
        || name.starts_with("azure-pipelines")
}

/// Recognises commands that build, ship and run what such files say.
fn is_infra_run(line: &str) -> bool {
    [
        "docker ",
        "docker-compose",
        "podman ",
        "gh run",
        "glab ci",
        "act ",
        "kubectl ",
        "helm ",
        "terraform ",
        "tofu ",
        "nginx -t",
        "buildx",
        "skaffold",
        "fly deploy",
        "vercel ",
        "serverless ",
        "cdk ",
    ]
    .iter()
    .any(|word| line.contains(word))
}

/// Recognises a check that only reads what was written: what it finds is a slip of whoever wrote it.
fn is_reading(run: &Run) -> bool {
    #[rustfmt::skip]
    const READS: &[&str] = &[
        "validate", "lint", "fmt", "check", "config", "template", "render", "--dry-run", "--check", "--syntax-check",
        "synth", "inspect",
    ];
    matches!(run.purpose, Purpose::Lint | Purpose::Format)
        || run.label.starts_with("nginx -t")
        || run
            .label
            .split_whitespace()
            .skip(1)
            .take(4)
            .any(|word| READS.contains(&word.split('=').next().unwrap_or(word)))
}

/// A failure, the edit behind it, and whether it was got over.
struct Hurdle<'t> {
    step: usize,
    label: String,
    failure: Failure,
    edits: Vec<(usize, &'t Edit)>,
    /// The run that no longer failed so.
    over: usize,
}

/// Tells what was got over in this turn, unless the turn's own work tells it.
pub(crate) fn found(story: &Story<'_>, work: Option<&Found>) -> Vec<Found> {
    let steps = &story.turn.steps;
    let mut hurdles: Vec<Hurdle<'_>> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Some((label, failure)) = failed(step) else { continue };
        // What was looked at before anything was edited is what the work is about.
        let is_look = matches!(&step.what, What::Ran(line) if super::commands::runs(line).iter().all(|run| run.purpose == Purpose::Look));
        let is_edit = |step: &Step| matches!(&step.what, What::Edited(edits) if edits.iter().any(|edit| is_infra(&edit.path)));
        if is_look && !steps[..at].iter().any(is_edit) {
            continue;
        }
        // The next run of the kind tells whether what was edited in between helped.
        let next = steps[at + 1..]
            .iter()
            .position(|later| matches!(&later.what, What::Ran(line) if is_infra_run(line)))
            .map(|offset| at + 1 + offset);
        let Some(next) = next else { continue };
        let edits: Vec<(usize, &Edit)> = steps[at + 1..next]
            .iter()
            .enumerate()
            .filter_map(|(offset, step)| match &step.what {
                What::Edited(edits) if step.ok != Some(false) => {
                    Some(edits.iter().map(move |edit| (at + 1 + offset, edit)))
                }
                _ => None,
            })
            .flatten()
            .filter(|(_, edit)| is_infra(&edit.path))
            .collect();
        let is_over = failed(&steps[next]).is_none_or(|(_, later)| !failures::same(&later, &failure));
        let stays =
            edits.iter().any(|(_, edit)| story.net.changes.iter().any(|change| change.path == edit.path));
        if !edits.is_empty() && is_over && stays {
            hurdles.push(Hurdle { step: at, label, failure, edits, over: next });
        }
    }
    let is_told = |hurdle: &Hurdle<'_>| {
        work.is_some_and(|work| {
            let text = format!(
                "{} {} {}",
                work.observation.title,
                work.observation.narrative,
                work.observation.facts.join(" ")
            );
            text.contains(hurdle.failure.message.chars().take(32).collect::<String>().as_str())
        })
    };
    hurdles.retain(|hurdle| !is_told(hurdle));
    // What fails in another way each time is one way with several stones in it.
    let mut found: Vec<Found> = Vec::new();
    let mut by_file: Vec<(String, Vec<Hurdle<'_>>)> = Vec::new();
    for hurdle in hurdles {
        let path = hurdle.edits[0].1.path.clone();
        match by_file.iter_mut().find(|(known, _)| *known == path) {
            Some((_, list)) => list.push(hurdle),
            None => by_file.push((path, vec![hurdle])),
        }
    }
    for (path, list) in by_file.into_iter().take(MOST) {
        found.push(told(&path, &list));
    }
    found
}

fn told(path: &str, list: &[Hurdle<'_>]) -> Found {
    let first = &list[0];
    let place = format!(" ({})", file_name(path));
    let message = first.failure.message.as_str();
    let message = ["ERROR: ", "Error: ", "error: "]
        .iter()
        .find_map(|word| message.strip_prefix(word))
        .unwrap_or(message);
    let title = format!("Fixed {}{place}", quoted(message, TITLE - 8 - place.chars().count()));
    let sort = if list.len() > 1 { Sort::Discovery } else { Sort::Bugfix };
    let title = if list.len() > 1 {
        headline(
            &format!(
                "{} needs: {}",
                file_name(path),
                list.iter().map(|hurdle| needs(hurdle)).collect::<Vec<_>>().join("; ")
            ),
            TITLE,
        )
    } else {
        title
    };
    let mut draft = Draft::new(sort, &title);
    for hurdle in list.iter().take(3) {
        draft = draft.tell(&format!(
            "`{}` failed: {}.",
            hurdle.label,
            cut(hurdle.failure.message.trim_end_matches('.'), 140)
        ));
        draft = draft.facts(hurdle.edits.iter().filter_map(|(_, edit)| added(edit)).take(2));
    }
    let files: Vec<String> = list
        .iter()
        .flat_map(|hurdle| &hurdle.edits)
        .map(|(_, edit)| edit.path.clone())
        .filter(|path| !is_noise(path))
        .collect();
    let steps: Vec<usize> = list
        .iter()
        .flat_map(|hurdle| {
            [hurdle.step, hurdle.over].into_iter().chain(hurdle.edits.iter().map(|(at, _)| *at))
        })
        .collect();
    draft.modified(files).steps(steps).found()
}

/// Says in a few words what a hurdle asked for.
fn needs(hurdle: &Hurdle<'_>) -> String {
    hurdle
        .edits
        .iter()
        .find_map(|(_, edit)| lines(edit).into_iter().next())
        .unwrap_or_else(|| hurdle.failure.message.clone())
}

fn lines(edit: &Edit) -> Vec<String> {
    let old: Vec<&str> = edit.before.lines().map(str::trim).collect();
    let is_new = |line: &&str| {
        !line.is_empty()
            && !old.contains(line)
            && !line.starts_with('#')
            && !line.contains(custos_redact::MARKER_OPEN)
    };
    edit.after.lines().map(str::trim).filter(is_new).map(str::to_owned).collect()
}

/// Tells what an edit put in.
pub(crate) fn added(edit: &Edit) -> Option<String> {
    let new = lines(edit);
    let told = new.iter().take(4).map(String::as_str).collect::<Vec<_>>().join("; ");
    (!told.is_empty()).then(|| format!("{}: `{}`", file_name(&edit.path), cut(&told, 130)))
}

/// Finds why a run of the kind failed; a status of the service that it started counts as well.
fn failed(step: &Step) -> Option<(String, Failure)> {
    let What::Ran(line) = &step.what else { return None };
    if !is_infra_run(line) {
        return None;
    }
    let failure = failures::failure(&step.output)?;
    let run = super::commands::runs(line).into_iter().find(|run| is_infra_run(&format!("{} ", run.label)))?;
    if is_reading(&run) {
        return None;
    }
    Some((cut(&run.label, 60), failure))
}
