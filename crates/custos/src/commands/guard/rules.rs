//! `custos guard rules`: what is in force, and where it comes from.

use custos_guard::CATALOGUE;
use custos_guard::rules::Level;
use custos_guard::rules::show::{Row, rows};
use serde::Serialize;

use super::scene::{Scene, Whereabouts};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARN, styled};
use crate::render::printable;

#[derive(Serialize)]
struct Answer {
    files: Vec<RulesFile>,
    rules: Vec<Row>,
    problems: Vec<String>,
}

/// A rules file, whether it is there or not.
#[derive(Serialize)]
struct RulesFile {
    level: Level,
    path: String,
    there: bool,
}

/// The groups in which rules are shown: a heading, and the kinds of rows below it.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Protected branches", &["branch"]),
    ("Rules from files", &["command", "path", "allow"]),
    ("Packs", &["pack"]),
    ("Switches", &["flag"]),
    ("Built-in rules", &["built-in"]),
];

pub(super) fn run(context: &Context, show_origin: bool, output: &mut Output) -> Result<Exit, CliError> {
    let scene = Scene::set(context, &Whereabouts::default())?;
    let rules = rows(&scene.loaded.policy, &scene.sources, CATALOGUE);
    if output.is_json() {
        output.json(&Answer { files: files(&scene), rules, problems: scene.problems() })?;
        return Ok(Exit::Success);
    }
    scene.warn();
    for (heading, kinds) in GROUPS {
        let group: Vec<&Row> = rules.iter().filter(|row| kinds.contains(&row.kind)).collect();
        output.line(styled(BOLD, heading))?;
        show(&group, show_origin, output)?;
        output.line("")?;
    }
    for file in files(&scene) {
        let there = if file.there { "" } else { " (not there)" };
        output.line(styled(DIM, format!("{:<9}  {}{there}", file.level.word(), printable(&file.path))))?;
    }
    Ok(Exit::Success)
}

fn show(rows: &[&Row], show_origin: bool, output: &mut Output) -> Result<(), CliError> {
    if rows.is_empty() {
        return output.line(styled(DIM, "  none; `custos guard add` adds one"));
    }
    // One long pattern must not push all the others aside.
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(32);
    let effects = rows.iter().map(|row| row.effect.len()).max().unwrap_or(0);
    for (area, rows) in by_area(rows) {
        if !area.is_empty() {
            output.line(format!("  {}", styled(DIM, area)))?;
        }
        for row in rows {
            let style = match row.effect {
                "deny" => BAD,
                "ask" => WARN,
                "allow" => GOOD,
                _ => DIM,
            };
            let mut line = match row.kind {
                // The heading says it.
                "branch" => "  ".to_owned(),
                _ => format!("  {}  ", styled(style, format!("{:<effects$}", row.effect))),
            };
            line.push_str(&format!("{:<width$}  {}", printable(&row.name), printable(&row.about)));
            line.truncate(line.trim_end().len());
            if show_origin {
                let origin = printable(&format!("({})", row.origin.join(" + ")));
                line.push_str(&format!("  {}", styled(DIM, origin)));
            }
            output.line(line)?;
        }
    }
    Ok(())
}

/// Puts the built-in rules together by area, in the order in which the areas come; several modules may have rules of one area.
fn by_area<'a>(rows: &[&'a Row]) -> Vec<(&'a str, Vec<&'a Row>)> {
    let mut areas: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in rows {
        let area = match row.kind {
            "built-in" => row.name.split('.').next().unwrap_or_default(),
            _ => "",
        };
        match areas.iter_mut().find(|(known, _)| *known == area) {
            Some((_, rows)) => rows.push(row),
            None => areas.push((area, vec![row])),
        }
    }
    areas
}

fn files(scene: &Scene) -> Vec<RulesFile> {
    Level::ALL
        .into_iter()
        .filter_map(|level| {
            let path = scene.sources.path(level)?;
            Some(RulesFile { level, path: path.display().to_string(), there: path.exists() })
        })
        .collect()
}
