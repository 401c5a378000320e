//! `custos import instructions`: the rules that people wrote for agents, proposed as memories.

use std::path::PathBuf;

use serde_json::json;

use super::InstructionsArgs;
use crate::commands::kb::refused;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge;
use crate::output::{DIM, Output, styled};
use crate::render::{count, printable};

pub(super) fn run(context: &Context, args: &InstructionsArgs, output: &mut Output) -> Result<Exit, CliError> {
    let root = knowledge::root(args.root.as_deref())?;
    let desk = knowledge::for_person(context, root);
    let base = desk.base();
    let view = base.view(None).map_err(|refusal| refused(&refusal))?;
    let files: Vec<PathBuf> =
        args.file.iter().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone())).collect();
    let read = base.propose_instructions(&view, &files).map_err(|refusal| refused(&refusal))?;
    // Whoever names a file wants that one read.
    let is_missing =
        read.files.is_empty() || !files.is_empty() && read.left.iter().any(|left| !left.file.is_empty());
    let exit = if is_missing { Exit::NotFound } else { Exit::Success };
    let mut waiting = base.proposed(&view).items;
    waiting.retain(|kept| read.staged.staged.contains(&kept.item.id));
    if output.is_json() {
        let items: Vec<_> = waiting.iter().map(|kept| &*kept.item).collect();
        output.json(
            &json!({"files": read.files, "left": read.left, "passed_over": read.passed_over, "withdrawn": read.withdrawn, "known": read.staged.known, "proposed": items}),
        )?;
        return Ok(exit);
    }
    for file in &read.files {
        output
            .line(styled(DIM, format!("{}: {}", printable(&file.file), count(file.rules as u64, "rule"))))?;
    }
    for left in &read.left {
        output.line(styled(DIM, printable(&format!("{}: {}", left.file, left.what))))?;
    }
    if !read.passed_over.is_empty() {
        output.line(styled(DIM, "left out, for it does not look like a rule:"))?;
        for left in &read.passed_over {
            output.line(styled(DIM, printable(&format!("  {}  {}", left.file, left.what))))?;
        }
    }
    if read.files.is_empty() {
        output.line("there are no instructions here; name a file with --file")?;
        return Ok(Exit::NotFound);
    }
    if !read.withdrawn.is_empty() {
        let ids = printable(&read.withdrawn.join(", "));
        output.line(format!("withdrawn, for its file no longer says it: {ids}"))?;
    }
    for kept in &waiting {
        let item = &kept.item;
        let line = format!("{}  {:<8}  {}  ({})", item.id, item.wanted.word(), item.title, item.evidence);
        output.line(printable(&line))?;
    }
    if waiting.is_empty() {
        return output.line("nothing new: every rule is kept, waits or was dropped before").map(|()| exit);
    }
    output.line(
        "nothing of this is kept yet: `custos proposals accept P-001 …` keeps what you name, `custos proposals drop` lets it go",
    )?;
    Ok(exit)
}
