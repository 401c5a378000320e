//! What `custos init` tells the person: file by file what it made, and what to do next.

use custos_knowledge::Root;
use custos_knowledge::keeping::Became;
use custos_knowledge::oracle;
use custos_knowledge::preset::Preset;
use serde_json::json;

use super::place::{Place, Standing};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARN, styled};
use crate::render::{count, printable};

pub(super) fn presets(presets: &[Preset], output: &mut Output) -> Result<Exit, CliError> {
    if output.is_json() {
        output.json(&json!({ "presets": presets }))?;
        return Ok(Exit::Success);
    }
    for preset in presets {
        output.line(format!("{}  {}: {}", styled(BOLD, &preset.name), preset.title, preset.about))?;
        for decision in &preset.decisions {
            let word = if decision.required { "required" } else { "advisory" };
            output.line(format!("  {}  {}", styled(DIM, word), decision.title))?;
        }
        for memory in &preset.memories {
            output.line(format!(
                "  {}  {}",
                styled(DIM, format!("{:<8}", memory.kind.word())),
                memory.title
            ))?;
        }
        for rule in &preset.rules {
            output.line(format!("  {}  {} {}", styled(DIM, "rule    "), rule.kind.word(), rule.value))?;
        }
        output.line("")?;
    }
    output.line("custos init --preset NAME adds one; a title that is there already is not added twice")?;
    Ok(Exit::Success)
}

pub(super) fn places(
    places: &[Place],
    left: &[String],
    root: &Root,
    dry_run: bool,
    output: &mut Output,
) -> Result<(), CliError> {
    for place in places {
        one(place, dry_run, output)?;
    }
    if !left.is_empty() {
        let names: Vec<String> = left.iter().map(|name| printable(name)).collect();
        output.line(format!(
            "{} {} would begin as well with --yes: {}",
            styled(WARN, "left alone:"),
            count(left.len() as u64, "repo"),
            names.join(", ")
        ))?;
    }
    if dry_run { output.line("nothing was written") } else { next(places, root, output) }
}

/// Shows what was made, for whoever says the rest.
pub(crate) fn made(places: &[Place], output: &mut Output) -> Result<(), CliError> {
    places.iter().try_for_each(|place| one(place, false, output))?;
    if places.is_empty() { Ok(()) } else { output.line("") }
}

fn one(place: &Place, dry_run: bool, output: &mut Output) -> Result<(), CliError> {
    let directory = printable(&place.root.join(".ai").display().to_string());
    output.line(format!("{} {}", styled(BOLD, printable(&place.name)), styled(DIM, &directory)))?;
    if let Some(problem) = &place.problem {
        return output.line(format!("  {} {}", styled(BAD, "failed"), printable(problem)));
    }
    if !place.changes() {
        output.line("  nothing to change")?;
    }
    for made in &place.made {
        let word = match (made.became, dry_run) {
            (Became::Created, false) => "made",
            (Became::Created, true) => "new",
            _ => "changed",
        };
        let what = match &made.file {
            Some(file) => file.clone(),
            None => format!("decisions/…  {}", styled(DIM, &made.title)),
        };
        output.line(format!("  {} {what}", styled(GOOD, format!("{word:<8}"))))?;
    }
    for rule in &place.rules {
        let file = styled(DIM, "policies/safety.yaml");
        output.line(format!("  {} {} {}  {file}", styled(GOOD, "rule    "), rule.kind.word(), rule.value))?;
    }
    match place.standing {
        Standing::Made if !dry_run => {
            output
                .line(format!("  {} made here, so its texts are read as yours", styled(GOOD, "trusted ")))?;
        }
        Standing::Foreign => output.line(format!(
            "  {} it was here before and is not trusted: look at it, then `custos trust`",
            styled(WARN, "foreign ")
        ))?,
        Standing::Made | Standing::Trusted => {}
    }
    if let Some(cut) = place.cut_short {
        output.line(format!("  {} {cut}", styled(WARN, "note    ")))?;
    }
    for unread in &place.unread {
        let said = printable(&format!("not understood: {}: {}", unread.file, unread.why));
        output.line(format!("  {} {said}", styled(WARN, "note    ")))?;
    }
    for note in &place.notes {
        output.line(format!("  {} {}", styled(WARN, "note    "), printable(note)))?;
    }
    if dry_run && place.proposed > 0 {
        let proposed = count(place.proposed as u64, "decision");
        output.line(format!("  {} {proposed} that its files prove", styled(DIM, "proposes")))?;
    }
    for proposal in &place.proposals {
        let said = format!("{}  ({})", proposal.title, proposal.evidence);
        // What is not there yet has no number.
        let (word, said) =
            if dry_run { ("        ", said) } else { ("proposed", format!("{}  {said}", proposal.id)) };
        output.line(format!("  {} {}", styled(DIM, word), printable(&said)))?;
    }
    Ok(())
}

/// Says what a person would do now.
fn next(places: &[Place], root: &Root, output: &mut Output) -> Result<(), CliError> {
    output.line("")?;
    output.line(styled(BOLD, "Next:"))?;
    let mut step = |command: &str, what: &str| output.line(format!("  {command:<24} {}", styled(DIM, what)));
    if places.iter().any(|place| !place.proposals.is_empty()) {
        step("custos proposals", "accept or drop what the files prove")?;
    }
    let in_git = places.iter().filter(|place| place.changes() && place.root.join(".git").exists());
    let (ignored, shared): (Vec<&Place>, Vec<&Place>) =
        in_git.partition(|place| oracle::is_ignored(&place.root, ".ai"));
    if !shared.is_empty() {
        let whose = if shared.iter().any(|place| place.root != root.path) { "in each repo, " } else { "" };
        step("git add .ai", &format!("{whose}so that it is reviewed and shared; .ai/local stays here"))?;
    }
    for place in ignored {
        let whose =
            if place.root == root.path { String::new() } else { format!("of {} ", printable(&place.name)) };
        step(".gitignore", &format!("{whose}leaves .ai out: as long as it does, nobody else gets it"))?;
    }
    step("custos kb context", "what a session begins with")
}
