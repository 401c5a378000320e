//! `custos import axme`: shows what would be carried over, asks, and carries it over.

use std::path::{Path, PathBuf};

use anstyle::Style;
use custos_config::source::{Links, read_text};
use custos_knowledge::Base;
use custos_knowledge::import::axme::{self, Carried, Remark, Report};
use serde_json::json;

use super::AxmeArgs;
use super::rules::{self, Became, RuleOutcome};
use crate::commands::kb::refused;
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge;
use crate::output::{BOLD, DIM, Output, WARN, ask, styled};
use crate::render::{count, printable};

/// Where AXME Code wires itself in.
const WIRED: &[&str] =
    &[".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".cursor/hooks.json", "CLAUDE.md"];
const LARGEST: u64 = 1 << 20;

pub(super) fn run(context: &Context, args: &AxmeArgs, output: &mut Output) -> Result<Exit, CliError> {
    let trees = axme::find(&args.dir).map_err(|refusal| refused(&refusal))?;
    let root = match &args.root {
        Some(root) => knowledge::root(Some(root))?,
        None => knowledge::root(Some(&project(&args.dir)))?,
    };
    let desk = knowledge::for_person(context, root);
    let base = desk.base();
    let preview = base.preview_axme(&trees);
    let planned = settle(context, &preview, false)?;
    let is_done = preview.is_empty() && !planned.iter().any(|rule| rule.became == Became::New);
    if args.yes && !args.dry_run {
        output.outlive_reader();
    }
    if !output.is_json() {
        show(&preview, &planned, &wired(base), output)?;
    }
    if args.dry_run || is_done {
        if output.is_json() {
            tell(&preview, &planned, args.dry_run, false, output)?;
        } else if is_done && exit(&preview, &planned) == Exit::Success {
            output.line("nothing to do: everything is here")?;
        } else if is_done {
            output.line("nothing to do: all that can be carried is here")?;
            say_lost(&preview, &planned, output)?;
        }
        return Ok(exit(&preview, &planned));
    }
    if !args.yes {
        // Whoever reads data sees no preview, and is not asked about it.
        if output.is_json() || !environment::is_interactive() {
            return Err(CliError::new(Exit::Usage, "nothing was carried over: nobody is here to be asked")
                .hint("look at `custos import axme --dry-run`, then run it with --yes"));
        }
        if !ask(output, "Carry this over? [y/N] ", false)? {
            output.line("nothing was carried over")?;
            return Ok(Exit::Success);
        }
        output.outlive_reader();
    }
    carry(context, base, (&trees, &planned), output)
}

fn carry(
    context: &Context,
    base: &Base,
    (trees, planned): (&[axme::tree::Tree], &[RuleOutcome]),
    output: &mut Output,
) -> Result<Exit, CliError> {
    // Hundreds of files, which count only once all of them are there.
    let (carried, unsure) = base.together(|| base.carry_axme(trees));
    let (mut report, refusal) = match carried {
        Ok(report) => (report, None),
        Err(broken) => (broken.done, Some(broken.refusal)),
    };
    let told_before = report.notes.len();
    report.notes.extend(unsure);
    let settled = if refusal.is_none() { settle(context, &report, true)? } else { Vec::new() };
    let new_rules = settled.iter().filter(|rule| rule.became == Became::New).count();
    if !report.is_empty() || new_rules > 0 {
        report.notes.extend(base.record_import(&report, new_rules));
    }
    if output.is_json() && refusal.is_none() {
        tell(&report, &settled, false, true, output)?;
    } else if !output.is_json() {
        let files: usize = report.stores.iter().map(|store| store.writes).sum();
        let files = count(files as u64, "file");
        let rules = count(new_rules as u64, "rule");
        output.line(format!("{} {files}, {rules} for the guard", styled(BOLD, "carried over:")))?;
        let (refused_again, unexpected): (Vec<RuleOutcome>, Vec<RuleOutcome>) =
            settled.iter().cloned().partition(|rule| planned.contains(rule));
        say_unwritten(&unexpected, output)?;
        for note in &report.notes[told_before..] {
            output.line(format!("{} {}", styled(WARN, "note:"), printable(note)))?;
        }
        say_lost(&report, &refused_again, output)?;
    }
    match refusal {
        Some(refusal) => Err(refused(&refusal)),
        None => Ok(exit(&report, &settled)),
    }
}

/// Whoever removes `.axme-code` after an import has to know that something in it is nowhere else.
fn exit(report: &Report, rules: &[RuleOutcome]) -> Exit {
    if report.lost() == 0 && refused_of(rules) == 0 { Exit::Success } else { Exit::Found }
}

/// How many rules are none here.
fn refused_of(rules: &[RuleOutcome]) -> usize {
    rules.iter().filter(|rule| rule.became == Became::Refused).count()
}

/// Says which rules were to be carried and could not be written: that has another cause than their words.
fn say_unwritten(rules: &[RuleOutcome], output: &mut Output) -> Result<(), CliError> {
    let note = styled(WARN, "note:");
    for rule in rules.iter().filter(|rule| rule.became == Became::Refused) {
        let (value, why) = (printable(&rule.value), printable(&rule.why));
        output.line(format!("{note} the rule {value} was not written: {why}"))?;
    }
    if refused_of(rules) > 0 {
        output
            .line(format!("{note} put that right and run this again: what is here already is passed over"))?;
    }
    Ok(())
}

fn say_lost(report: &Report, rules: &[RuleOutcome], output: &mut Output) -> Result<(), CliError> {
    let refused = refused_of(rules);
    if refused > 0 {
        let rules = count(refused as u64, "rule");
        let note = styled(WARN, "note:");
        output.line(format!(
            "{note} {rules} could not be carried, as said above, and nothing holds what they held: `custos guard add` takes them in other words"
        ))?;
    }
    if report.lost() == 0 {
        return Ok(());
    }
    let items = count(report.lost() as u64, "item");
    let note = styled(WARN, "note:");
    output.line(format!(
        "{note} {items} could not be carried, as said above: keep .axme-code, nothing else has it"
    ))
}

/// The project that a tree is in.
fn project(dir: &Path) -> PathBuf {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    match (real.file_name(), real.parent()) {
        (Some(name), Some(parent)) if name == ".axme-code" => parent.to_owned(),
        _ => real,
    }
}

fn settle(context: &Context, report: &Report, write: bool) -> Result<Vec<RuleOutcome>, CliError> {
    let mut outcomes = Vec::new();
    for carried in &report.stores {
        outcomes.extend(rules::settle(context, carried, write)?);
    }
    Ok(outcomes)
}

/// Finds the files in which AXME Code is still wired in: two guards and two sources of context at once confuse an agent.
fn wired(base: &Base) -> Vec<&'static str> {
    let root = &base.root().path;
    let mentions = |file: &&&str| {
        read_text(&root.join(file), LARGEST, Links::Follow)
            .is_ok_and(|text| text.is_some_and(|text| text.contains("axme")))
    };
    WIRED.iter().filter(mentions).copied().collect()
}

fn tell(
    report: &Report,
    rules: &[RuleOutcome],
    dry_run: bool,
    done: bool,
    output: &mut Output,
) -> Result<(), CliError> {
    output.json(&json!({
        "dry_run": dry_run, "done": done, "stores": report.stores, "rules": rules, "notes": report.notes,
    }))
}

fn show(report: &Report, rules: &[RuleOutcome], wired: &[&str], output: &mut Output) -> Result<(), CliError> {
    for carried in &report.stores {
        show_store(carried, output)?;
        let own: Vec<&RuleOutcome> = rules.iter().filter(|rule| rule.store == carried.store).collect();
        show_rules(&own, output)?;
    }
    for note in &report.notes {
        output.line(format!("{} {}", styled(WARN, "note:"), printable(note)))?;
    }
    if !wired.is_empty() {
        let files = wired.join(", ");
        output.line(format!(
            "{} AXME Code is still named in {files}; take it out, or agents have two of everything",
            styled(WARN, "note:")
        ))?;
    }
    Ok(())
}

fn show_store(carried: &Carried, output: &mut Output) -> Result<(), CliError> {
    let place = carried.root.join(".ai").display().to_string();
    output.line(format!("{} {}", styled(BOLD, printable(&carried.store)), styled(DIM, printable(&place))))?;
    for kind in &carried.counts {
        let there = kind.found - kind.new;
        let there = if there > 0 { format!(", {there} here already") } else { String::new() };
        output.line(format!("  {:<18}  {} new{there}", kind.kind, kind.new))?;
    }
    for renamed in &carried.renamed {
        let line = format!("  {} → {}  ({})", renamed.from, renamed.to, renamed.file);
        output.line(printable(&line))?;
    }
    let groups: [(&str, Style, &[Remark]); 4] = [
        ("kept as it is", DIM, &carried.aside),
        ("not carried", DIM, &carried.left),
        ("NOT carried, and not kept anywhere either", WARN, &carried.lost),
        ("odd", DIM, &carried.oddities),
    ];
    for (heading, style, remarks) in groups.into_iter().filter(|(.., remarks)| !remarks.is_empty()) {
        output.line(format!("  {}", styled(style, heading)))?;
        for remark in remarks {
            output.line(printable(&format!("    {}: {}", remark.file, remark.what)))?;
        }
    }
    if carried.redacted > 0 {
        let texts = count(carried.redacted as u64, "text");
        output.line(format!("  {} something secret is taken out of {texts}", styled(WARN, "note:")))?;
    }
    for note in &carried.notes {
        output.line(format!("  {} {}", styled(WARN, "note:"), printable(note)))?;
    }
    Ok(())
}

fn show_rules(rules: &[&RuleOutcome], output: &mut Output) -> Result<(), CliError> {
    let of = |became: Became| rules.iter().filter(move |rule| rule.became == became);
    if of(Became::New).next().is_some() {
        output.line(format!("  {}", styled(DIM, "rules for the guard")))?;
    }
    for rule in of(Became::New) {
        let what = match rule.sort {
            axme::rules::Sort::Branch => "protect",
            axme::rules::Sort::Command => "deny",
            axme::rules::Sort::Path => "deny path",
            axme::rules::Sort::ReadOnly => "read-only",
        };
        output.line(printable(&format!("    {what:<9}  {}", rule.value)))?;
    }
    for rule in of(Became::Refused) {
        output.line(printable(&format!("    not a rule here: {}: {}", rule.value, rule.why)))?;
    }
    let built_in = of(Became::BuiltIn).count();
    if built_in > 0 {
        let rules = count(built_in as u64, "rule");
        output
            .line(format!("  {} {rules} of AXME Code's are built into the guard", styled(WARN, "note:")))?;
    }
    Ok(())
}
