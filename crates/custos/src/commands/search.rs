//! `custos search` and `custos timeline`: what the memory has to say about something, and what happened around it.

use clap::ValueEnum;
use custos_config::Project;
use custos_index::{Entry, Index};
use custos_model::{Kind, Timestamp};
use custos_recall::names::{could_be_id, telling_name};
use custos_recall::{Ask, Depth, Found, Order, Store, Types, Viewer, Work};
use serde_json::{Value, json};

use crate::args::{SearchArgs, TimelineArgs};
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, styled, tell};
use crate::recall;
use crate::render::{self, cut, printable};
use crate::when;

/// How wide the answer is.
const WIDTH: usize = 80;

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Sorting {
    /// The best answer first
    #[default]
    Relevance,
    /// Of the answers, the newest first
    Newest,
    /// Of the answers, the oldest first
    Oldest,
}

/// Searches.
pub(crate) fn run(context: &Context, args: &SearchArgs, output: &mut Output) -> Result<Exit, CliError> {
    let now = when::now();
    let wrong = |flag: &str, problem: String| CliError::new(Exit::Usage, format!("{flag}: {problem}"));
    let since = args.since.as_deref().map(|text| when::parse(text, now)).transpose();
    let since = since.map_err(|problem| wrong("--since", problem))?;
    let until = args.until.as_deref().map(|text| when::parse_until(text, now)).transpose();
    let until = until.map_err(|problem| wrong("--until", problem))?;
    if args.limit == Some(0) {
        return Err(wrong("--limit", "0 leaves nothing to list".to_owned()).hint("give 1 or more"));
    }
    let types = types(args)?;
    let mut store = recall::for_reader(context)?;
    let mut project = |wanted: &String| named::project(context, store.index(), wanted);
    let projects: Vec<String> = args.project.iter().map(&mut project).collect::<Result<_, _>>()?;
    let session = args.session.as_deref();
    let session = session.map(|wanted| named::session(context, store.index(), wanted)).transpose()?;
    let here = Here::now(context, now);
    // Whoever names a session need not know where it was.
    let is_elsewhere = args.all || !projects.is_empty() || session.is_some();
    let own = if is_elsewhere { None } else { here.own(context, &mut store)? };
    let projects: Vec<&str> = projects.iter().map(String::as_str).chain(own).collect();
    let files: Vec<&str> = args.file.iter().map(String::as_str).collect();
    let text = args.query.join(" ");
    let ask = Ask {
        projects: &projects,
        session: session.as_deref(),
        files: &files,
        since,
        until,
        limit: args.limit.unwrap_or_else(|| usize::try_from(context.settings.search.limit).unwrap_or(20)),
        order: match args.sort {
            Sorting::Relevance => Order::Relevance,
            Sorting::Newest => Order::Newest,
            Sorting::Oldest => Order::Oldest,
        },
        ..here.question(&text)
    };
    let answer = store.search_types(&ask, &types)?;
    if output.is_json() {
        let found: Vec<Value> = answer.found.iter().map(as_json).collect();
        output.json(&found)?;
    } else {
        for found in &answer.found {
            let entry = &found.entry;
            let about = format!("{}  {}t  {:.2}", about(entry), found.tokens, found.score);
            show(entry, Some(&found.snippet), &about, output)?;
        }
        if answer.found.is_empty() {
            output.line(styled(DIM, "nothing found"))?;
        }
    }
    let scope = own.map(|own| {
        let own = printable(render::short_project(own));
        format!("searched were {own} and what belongs to no project; --all searches every project")
    });
    for note in answer.notes.iter().chain(&scope) {
        tell(styled(DIM, format!("note: {note}")));
    }
    Ok(Exit::Success)
}

/// Shows what happened around something.
pub(crate) fn timeline(
    context: &Context,
    args: &TimelineArgs,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let mut store = recall::for_reader(context)?;
    let wanted = args.anchor.join(" ");
    let here = Here::now(context, when::now());
    let mut id = recall::find(&mut store, &wanted)?;
    if id.is_none() && !could_be_id(&wanted) {
        let own: Vec<&str> = here.own(context, &mut store)?.into_iter().collect();
        let question = Ask { projects: &own, limit: 1, ..here.question(&wanted) };
        let best = store.search_types(&question, &Types::default())?;
        id = best.found.first().map(|found| found.entry.id);
    }
    let Some(id) = id else {
        return Err(CliError::new(Exit::NotFound, format!("nothing is there for {:?}", printable(&wanted)))
            .hint("give other words, or an id: `custos search --all` lists those of every project"));
    };
    let rows = store.timeline(id, args.before, args.after, &Viewer::owner())?;
    if output.is_json() {
        let entries: Vec<Value> = rows.iter().map(|(_, entry)| of_entry(entry)).collect();
        output.json(&json!({ "anchor": id, "entries": entries }))?;
        return Ok(Exit::Success);
    }
    for (_, entry) in &rows {
        let mark = if entry.id == id { ">" } else { " " };
        let title = titled(entry, None);
        let head = format!("{mark} {}", cut(&printable(title), WIDTH - 2));
        output.line(if entry.id == id { styled(BOLD, head) } else { head })?;
        output.line(styled(DIM, format!("  {}", printable(&about(entry)))))?;
    }
    Ok(Exit::Success)
}

/// Where a person asks from.
struct Here {
    project: Option<Project>,
    now: Timestamp,
}

impl Here {
    fn now(context: &Context, now: Timestamp) -> Self {
        Self { project: environment::working_directory().map(|here| context.names().find(&here)), now }
    }

    /// Gives the project that is meant where none is named: a repo, or a directory in which something was recorded.
    fn own(&self, context: &Context, store: &mut Store) -> Result<Option<&str>, CliError> {
        let Some(project) = &self.project else { return Ok(None) };
        let is_project = project.repo.is_some() || {
            let known = store.index().ask(&context.reader(), Index::projects)?;
            known.contains(&project.identity)
        };
        Ok(is_project.then_some(project.identity.as_str()))
    }

    /// Asks as the owner, who has a moment.
    fn question<'a>(&'a self, text: &'a str) -> Ask<'a> {
        let project = self.project.as_ref();
        let work = Work {
            files: &[],
            branch: project.and_then(|project| project.repo.as_ref()?.branch.as_deref()),
            project: project.map(|project| project.identity.as_str()),
        };
        Ask { work, ..Ask::new(text, Viewer::owner(), self.now, Depth::Server) }
    }
}

/// Puts together what is asked for by kind and by type.
fn types(args: &SearchArgs) -> Result<Types, CliError> {
    let mut types = Types::read(args.sort_of.iter().map(String::as_str)).map_err(|word| {
        CliError::new(Exit::Usage, format!("--type: there is no type {word:?}"))
            .hint(format!("there are {}", Types::words().collect::<Vec<_>>().join(", ")))
    })?;
    for name in &args.kind {
        types.add(kind(name)?);
    }
    Ok(types)
}

fn kind(name: &str) -> Result<Kind, CliError> {
    Kind::TEXTS.into_iter().find(|kind| kind.name() == name || kind.word() == name).ok_or_else(|| {
        let names = Kind::TEXTS.map(Kind::name);
        CliError::new(Exit::Usage, format!("--kind: {name:?} is not searched"))
            .hint(format!("searched are {}; `custos log tail --kind {name}` shows others", names.join(", ")))
    })
}

fn as_json(found: &Found) -> Value {
    let mut row = of_entry(&found.entry);
    // Three digits are more than anybody can tell apart, and the same from one second to the next.
    let rounded = |value: f64| (value * 1_000.0).round() / 1_000.0;
    row["snippet"] = json!(found.snippet);
    row["tokens"] = json!(found.tokens);
    row["score"] = json!(rounded(found.score));
    let parts = json!(found.parts);
    let parts = parts.as_object().into_iter().flatten();
    let parts = parts.filter_map(|(name, part)| Some((name.clone(), json!(rounded(part.as_f64()?)))));
    row["parts"] = Value::Object(parts.collect());
    row
}

fn of_entry(entry: &Entry) -> Value {
    json!({
        "id": entry.id, "ts": entry.ts, "kind": entry.kind, "type": word(entry), "project": entry.project,
        "session": entry.session, "title": entry.title, "name": entry.name, "file": entry.file,
        "pinned": entry.pinned, "trusted": entry.trusted,
    })
}

/// Says what something is, in one word.
fn word(entry: &Entry) -> &str {
    entry.sort.as_deref().unwrap_or_else(|| entry.kind.word())
}

fn titled<'e>(entry: &'e Entry, snippet: Option<&'e str>) -> &'e str {
    let title = entry.title.as_deref().filter(|title| !title.is_empty());
    title.or(snippet).unwrap_or(&entry.excerpt)
}

/// Says when it was, what it is, and by which id it is read.
fn about(entry: &Entry) -> String {
    let project = entry.project.as_deref().map_or("-", render::short_project);
    let mut about = format!(
        "{}  {:<11}  {}  {}",
        render::local(entry.ts),
        cut(word(entry), 11),
        render::short_id(entry.id),
        cut(project, render::PROJECT),
    );
    for (is_so, mark) in [(entry.pinned, "  pinned"), (!entry.trusted, "  unreviewed")] {
        about.push_str(if is_so { mark } else { "" });
    }
    about
}

fn show(entry: &Entry, snippet: Option<&str>, about: &str, output: &mut Output) -> Result<(), CliError> {
    let head = titled(entry, snippet);
    let name = telling_name(entry).map_or_else(String::new, |name| format!("{name} "));
    output.line(styled(BOLD, cut(&printable(&format!("{name}{head}")), WIDTH)))?;
    if let Some(more) = snippet.filter(|more| !more.is_empty() && *more != head) {
        output.line(format!("  {}", cut(&printable(more), WIDTH - 2)))?;
    }
    output.line(styled(DIM, format!("  {}", cut(&printable(about), WIDTH - 2))))
}
