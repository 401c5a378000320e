//! `custos guard decisions`: which decisions of the project are enforced, and which are not, and why.

use std::path::Path;

use custos_config::Project;
use custos_guard::decisions;
use custos_hooks::guarding::sources;
use serde_json::json;

use crate::context::Context;
use crate::environment::working_directory;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine;
use crate::output::{BAD, DIM, GOOD, Output, styled};
use crate::render::printable;

/// Has the decisions prove themselves, keeps those that do for the hooks, and shows what came of it.
pub(super) fn run(context: &Context, output: &mut Output) -> Result<Exit, CliError> {
    let cwd = working_directory()
        .ok_or_else(|| CliError::new(Exit::NotFound, "the working directory is gone").hint("go elsewhere"))?;
    let project = Project::by_place(&cwd);
    let home = machine::home().ok();
    let home = home.as_deref().and_then(Path::to_str);
    // Those of a workspace count in its repos as well, as its rules do.
    let sources = sources(&context.places.config, None, &project, home);
    let mut checked = Vec::new();
    for (_, root) in sources.roots() {
        let of_root = decisions::check(root, &decisions::cache(&context.places.state, root), usize::MAX);
        let of_root = of_root.map_err(|error| {
            CliError::new(Exit::Io, format!("the enforced decisions cannot be kept: {error}"))
                .hint("check the state directory; `custos doctor` shows where it is")
        })?;
        checked.extend(of_root.into_iter().map(|decision| (root, decision)));
    }
    let refused = checked.iter().filter(|(_, decision)| decision.spellings.is_none()).count();
    if output.is_json() {
        let rows: Vec<_> = checked
            .iter()
            .map(|(root, decision)| {
                json!({
                    "root": root,
                    "id": decision.id,
                    "title": decision.title,
                    "file": decision.file,
                    "enforced": decision.spellings.is_some(),
                    "spellings": decision.spellings,
                    "problem": decision.problem,
                })
            })
            .collect();
        output.json(&json!({ "root": project.root, "decisions": rows }))?;
    } else if checked.is_empty() {
        output.line(styled(
            DIM,
            "no decision of this project carries a guard; docs/guard.md shows how one does",
        ))?;
    } else {
        for (root, decision) in &checked {
            let title = printable(&decision.title);
            if let Some(spellings) = decision.spellings {
                output.line(format!("{}  {}  {title}", styled(GOOD, "enforced"), decision.id))?;
                output
                    .line(styled(DIM, format!("          held in {spellings} spellings of its examples")))?;
            } else {
                let problem = decision.problem.as_deref().unwrap_or("it could not be read");
                output.line(format!("{}   {}  {title}", styled(BAD, "refused"), decision.id))?;
                output.line(format!("          {}", printable(problem)))?;
                let file = Path::new(".ai/decisions").join(&decision.file);
                let file = if *root == project.root { file } else { root.join(file) };
                let file = file.to_string_lossy();
                output.line(styled(DIM, format!("          mend it in {}", printable(&file))))?;
            }
        }
    }
    Ok(if refused > 0 { Exit::Found } else { Exit::Success })
}
