//! `custos search`: what the index finds.

use custos_index::{Hit, SearchQuery};
use custos_model::Kind;

use crate::args::SearchArgs;
use crate::commands::index;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, styled};
use crate::render;
use crate::when;

/// The kinds that are searched.
const SEARCHED: [Kind; 3] = [Kind::PromptSubmitted, Kind::ObservationRecorded, Kind::SummaryRecorded];

pub(crate) fn run(context: &Context, args: &SearchArgs, output: &mut Output) -> Result<Exit, CliError> {
    let since = args.since.as_deref().map(|text| when::parse(text, when::now())).transpose();
    let since = since.map_err(|problem| CliError::new(Exit::Usage, format!("--since: {problem}")))?;
    let text = args.query.join(" ");
    let kinds = args.kind.iter().map(|name| kind(name)).collect::<Result<Vec<_>, _>>()?;
    let query = SearchQuery {
        project: args.project.as_deref(),
        kinds: &kinds,
        since,
        limit: args.limit.unwrap_or_else(|| usize::try_from(context.settings.search.limit).unwrap_or(20)),
        ..SearchQuery::new(&text)
    };
    let mut index = index::up_to_date(context)?;
    let hits = index.ask(&context.reader(), |index| index.search(&query))?;
    if output.is_json() {
        let hits: Vec<_> = hits.iter().map(as_json).collect();
        output.json(&hits)?;
        return Ok(Exit::Success);
    }
    for hit in &hits {
        show(hit, output)?;
    }
    if hits.is_empty() {
        output.line(styled(DIM, "nothing found"))?;
    }
    Ok(Exit::Success)
}

fn kind(name: &str) -> Result<Kind, CliError> {
    SEARCHED
        .into_iter()
        .find(|kind| kind.name() == name || kind.name().split('.').next() == Some(name))
        .ok_or_else(|| {
            let names: Vec<&str> = SEARCHED.iter().map(|kind| kind.name()).collect();
            CliError::new(Exit::Usage, format!("--kind: {name:?} is not searched")).hint(format!(
                "searched are {}; `custos log tail --kind {name}` shows others",
                names.join(", ")
            ))
        })
}

fn as_json(hit: &Hit) -> serde_json::Value {
    serde_json::json!({
        "id": hit.id, "ts": hit.ts, "kind": hit.kind, "project": hit.project, "session": hit.session,
        "title": hit.title, "snippet": hit.snippet, "score": hit.score,
    })
}

fn show(hit: &Hit, output: &mut Output) -> Result<(), CliError> {
    let project = hit.project.as_deref().unwrap_or("-");
    let (head, more) = match &hit.title {
        Some(title) => (title, Some(&hit.snippet)),
        None => (&hit.snippet, None),
    };
    let head = styled(BOLD, render::cut(&render::printable(head), 90));
    output.line(format!("{head}  {}  {}", hit.kind, styled(DIM, render::local(hit.ts))))?;
    if let Some(more) = more.filter(|more| !more.is_empty()) {
        output.line(format!("  {}", render::cut(&render::printable(more), 160)))?;
    }
    output.line(format!("  {}", styled(DIM, render::printable(&format!("{}  {project}", hit.id)))))
}
