//! `custos search`: what the index finds.

use custos_index::{Hit, SearchQuery};
use custos_model::Kind;

use crate::args::SearchArgs;
use crate::commands::index;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, styled};
use crate::render;
use crate::when;

/// The kinds that are searched.
const SEARCHED: [Kind; 3] = [Kind::PromptSubmitted, Kind::ObservationRecorded, Kind::SummaryRecorded];

/// How wide the answer is.
const WIDTH: usize = 80;

pub(crate) fn run(context: &Context, args: &SearchArgs, output: &mut Output) -> Result<Exit, CliError> {
    let since = args.since.as_deref().map(|text| when::parse(text, when::now())).transpose();
    let since = since.map_err(|problem| CliError::new(Exit::Usage, format!("--since: {problem}")))?;
    let text = args.query.join(" ");
    let kinds = args.kind.iter().map(|name| kind(name)).collect::<Result<Vec<_>, _>>()?;
    let mut index = index::up_to_date(context)?;
    let project = args.project.as_deref();
    let project = project.map(|wanted| named::project(context, &mut index, wanted)).transpose()?;
    let query = SearchQuery {
        project: project.as_deref(),
        kinds: &kinds,
        since,
        limit: args.limit.unwrap_or_else(|| usize::try_from(context.settings.search.limit).unwrap_or(20)),
        ..SearchQuery::new(&text)
    };
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
    let project = hit.project.as_deref().map_or("-", render::short_project);
    let (head, more) = match &hit.title {
        Some(title) => (title, Some(&hit.snippet)),
        None => (&hit.snippet, None),
    };
    output.line(styled(BOLD, render::cut(&render::printable(head), WIDTH)))?;
    if let Some(more) = more.filter(|more| !more.is_empty()) {
        output.line(format!("  {}", render::cut(&render::printable(more), WIDTH - 2)))?;
    }
    let about = format!(
        "{}  {:<20}  {}  {}",
        render::local(hit.ts),
        hit.kind.name(),
        render::short_id(hit.id),
        render::cut(project, render::PROJECT),
    );
    output.line(styled(DIM, format!("  {}", render::printable(&about))))
}
