//! `custos forget`: show what goes, ask a person if there is one, then take it out of log, backups, index, vectors, hints and catalogues.
//!
//! The files of the knowledge base are the person's own and are left alone. What is derived from them is forgotten as well, and the person
//! is told which of them are still there, because whoever reads them next makes it anew. Whoever names one of them hears first of all how it
//! is put away, and where there was nothing else to forget, the exit code says that it is still there.
//!
//! A correction and what it corrects are two memories. Whoever forgets one of them hears of the other. A summary that repeats what was
//! learnt is no memory of its own, and goes with it.

use std::path::{Path, PathBuf};

use custos_index::{Files, Index, KnownFile, User};
use custos_knowledge::Base;
use custos_log::forget::{self, Forgotten, Plan};
use custos_log::{Line, LogReader, Position, Selection};
use custos_model::{Event, EventId, Kind};
use custos_recall::fence;
use custos_recall::names::could_be_id;
use custos_recall::receipt::Receipt;
use custos_worker::embedding;
use serde_json::{Map, Value, json};

use crate::args::ForgetArgs;
use crate::commands::{index, log};
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, WARN, ask, read_line, styled};
use crate::progress::{Progress, Unit};
use crate::recall;
use crate::render;

/// How many events are listed before the rest is only counted.
const LISTED: usize = 20;

/// How much of a title tells that a receipt or a summary quotes it.
const TOLD: usize = 40;

/// What the index knows of what goes.
#[derive(Debug, Default)]
struct Known {
    /// Files of the knowledge base that it has read.
    files: Vec<KnownFile>,
    /// What counts again, because what took its place goes.
    back: Vec<EventId>,
    /// What has taken the place of something that goes, and stays.
    stay: Vec<EventId>,
    /// How the one file is put away that was named, if it is still there.
    put_away: Option<String>,
}

impl Known {
    fn of(index: &mut Index, files: Vec<KnownFile>, is_named: bool, plan: &Plan) -> Result<Self, CliError> {
        let going: Vec<EventId> = plan.records.iter().map(|planned| planned.id).collect();
        let back = index.replaced_only_by(&going)?;
        let mut stay = Vec::new();
        // Of whole sessions and projects nobody wants to hear it.
        if let [one] = going.as_slice()
            && let Some(replacement) = index.replacement_of(*one)?
            && index.get(replacement)?.is_some()
        {
            stay.push(replacement);
        }
        let put_away = match files.as_slice() {
            [file] if is_named && path(file).exists() => Some(put_away(index, file)?),
            _ => None,
        };
        Ok(Self { files, back, stay, put_away })
    }

    /// Tells it for machines.
    fn json(&self) -> Value {
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|file| json!({ "id": file.id, "file": path(file), "exists": path(file).exists() }))
            .collect();
        json!({ "files": files, "count_again": self.back, "stay": self.stay, "put_away": self.put_away })
    }
}

/// Gives the command that puts away what a file says.
fn put_away(index: &mut Index, file: &KnownFile) -> Result<String, CliError> {
    let entry = index.get(file.id)?;
    let (sort, name) = entry.map(|entry| (entry.sort, entry.name)).unwrap_or_default();
    let command = match (sort.as_deref(), name) {
        (Some("memory"), Some(name)) => format!("custos memories archive {name}"),
        (Some("decision"), Some(name)) => format!("custos decisions archive {name}"),
        (Some("question"), Some(name)) => format!("custos questions update {name} --status archived"),
        _ => format!("rm {}", path(file).display()),
    };
    Ok(render::printable(&command))
}

/// Gives the file that something was read from.
fn path(file: &KnownFile) -> PathBuf {
    Path::new(&file.store).join(file.path.split('#').next().unwrap_or(&file.path))
}

pub(crate) fn run(context: &Context, args: &ForgetArgs, output: &mut Output) -> Result<Exit, CliError> {
    let store = context.log();
    // What waits for the log must not arrive after it was forgotten.
    context.spool().replay(&store, usize::MAX);
    let selection = selection(context, args)?;
    // Whatever is wrong with the index, the log forgets first.
    let mut known_index = index::up_to_date(context);
    let files = known_index.as_mut().map_or_else(|_| Ok(Vec::new()), |index| files(index, &selection))?;
    let is_named = matches!(selection, Selection::Id(_));
    let mut repeating = Vec::new();
    let selection = match (&selection, files.as_slice()) {
        (Selection::Id(_), [file]) => Selection::Ids(told_of(&mut known_index, &context.reader(), file)?),
        (Selection::Id(id), []) => {
            repeating = repeated_by(&context.reader(), *id)?;
            if repeating.is_empty() {
                selection
            } else {
                Selection::Ids([&[*id], repeating.as_slice()].concat())
            }
        }
        _ => selection,
    };
    let mut progress = Progress::new("reading the log", None, Unit::Lines);
    let mut plan = forget::plan(&store, &selection, &mut |lines| progress.at(lines))?;
    drop(progress);
    for planned in &mut plan.records {
        planned.derived |= repeating.contains(&planned.id);
    }
    let known = known_index.and_then(|mut index| Known::of(&mut index, files, is_named, &plan));
    let is_nothing = plan.is_empty() && known.as_ref().map_or(true, |known| known.files.is_empty());
    if is_nothing {
        match &selection {
            Selection::Id(id) => {
                return Err(CliError::new(
                    Exit::NotFound,
                    format!("no event has the id {id}, or it was forgotten before"),
                )
                .hint("`custos log tail --json` shows ids"));
            }
            Selection::Session(wanted) => return Err(named::no_session(wanted)),
            Selection::Project(names) => {
                return Err(named::no_project(names.first().map_or("", String::as_str)));
            }
            Selection::Matching(_) | Selection::Ids(_) => {}
        }
    }
    let asks = environment::is_interactive() && !args.yes && !is_nothing;
    if !asks && !args.dry_run {
        output.outlive_reader();
    }
    if !output.is_json() {
        list(&plan, known.as_ref().ok(), output)?;
    }
    let mut told = Map::from_iter([
        ("dry_run".to_owned(), json!(args.dry_run)),
        ("events".to_owned(), json!(plan.records)),
        ("fragments".to_owned(), json!(plan.fragments())),
        ("strays".to_owned(), json!(plan.strays())),
    ]);
    if let Ok(Value::Object(known)) = known.as_ref().map(Known::json) {
        told.extend(known);
    }
    if args.dry_run {
        if output.is_json() {
            output.json(&told)?;
        }
        return Ok(Exit::Success);
    }
    if asks && !ask(output, "Forget them for good? This cannot be undone. [y/N] ", false)? {
        if output.is_json() {
            output.json(&json!({ "declined": true, "events": [] }))?;
        } else {
            output.line("nothing was forgotten")?;
        }
        return Ok(Exit::Success);
    }
    output.outlive_reader();
    let done = if plan.is_empty() {
        Forgotten::default()
    } else {
        forget::forget(&store, &plan, &selection, &args.reason)?
    };
    // Also where nothing was found: what a file no longer says may still be in free pages, in vectors and in catalogues.
    let events = plan.records.iter().map(|planned| planned.id);
    let files = known.as_ref().map(|known| known.files.as_slice()).unwrap_or_default();
    forget_derived(context, &events.chain(files.iter().map(|file| file.id)).collect::<Vec<_>>())?;
    let known = known?;
    let exit = if plan.is_empty() && known.put_away.is_some() { Exit::Found } else { Exit::Success };
    if output.is_json() {
        told.insert("done".to_owned(), json!(done));
        output.json(&told)?;
        return Ok(exit);
    }
    if !is_nothing {
        tell(&done, &known, output)?;
    }
    Ok(exit)
}

/// Finds the files of which the index has something that is meant.
fn files(index: &mut Index, selection: &Selection) -> Result<Vec<KnownFile>, CliError> {
    let which = match selection {
        Selection::Id(id) => Files::Item(*id),
        // The index knows it by its present name alone, which is the first.
        Selection::Project(names) => Files::Project(names.first().map_or("", String::as_str)),
        Selection::Matching(text) => Files::Matching(text),
        Selection::Ids(_) | Selection::Session(_) => return Ok(Vec::new()),
    };
    Ok(index.known_files(which)?)
}

/// Finds the events that tell of a file: each time that it was saved, changed or put away, its words went to the log, and with the receipt of
/// each time that a session was told what it says.
fn told_of(
    index: &mut Result<Index, CliError>,
    log: &LogReader,
    file: &KnownFile,
) -> Result<Vec<EventId>, CliError> {
    let Ok(index) = index else { return Ok(Vec::new()) };
    let Some(entry) = index.get(file.id)? else { return Ok(Vec::new()) };
    // Where a line of it was told without its id.
    let title = entry.title.as_deref().and_then(|title| beginning(&fence::line(title)));
    let is_of = |event: &Event<'_>| {
        let body = body_of(event);
        if event.kind == Kind::RecallServed {
            return says_of(&body, file.id) || title.as_deref().is_some_and(|title| has_text(&body, title));
        }
        let has = |field: &str, wanted: Option<&str>| wanted.is_some() && body[field].as_str() == wanted;
        event.project == entry.project
            && has("item", entry.sort.as_deref())
            && (has("file", Some(&file.path))
                || ["id", "slug"].iter().any(|field| has(field, entry.name.as_deref())))
    };
    let is_telling = |kind: &str| {
        kind.starts_with("knowledge.") || kind.starts_with("question.") || kind == Kind::RecallServed.name()
    };
    let mut ids = Vec::new();
    each_of(log, &is_telling, &mut |event| ids.extend(is_of(event).then_some(event.id)))?;
    Ok(ids)
}

/// Finds the summaries that repeat what was learnt: those of the same work, and those of the session that quote its title. Earlier workers
/// named only what happened as what a turn's summary was made of.
fn repeated_by(log: &LogReader, id: EventId) -> Result<Vec<EventId>, CliError> {
    let mut learnt = None;
    each_of(log, &|kind| kind == Kind::ObservationRecorded.name(), &mut |event| {
        if event.id == id {
            learnt = Some((event.session.clone(), body_of(event)));
        }
    })?;
    let Some((session, learnt)) = learnt else { return Ok(Vec::new()) };
    let work = learnt["work"].as_str();
    let title = learnt["title"].as_str().and_then(beginning);
    let mut ids = Vec::new();
    each_of(log, &|kind| kind == Kind::SummaryRecorded.name(), &mut |event| {
        let body = body_of(event);
        let is_of_work = work.is_some() && body["work"].as_str() == work;
        let is_of_session = session.is_some() && event.session == session;
        if is_of_work || is_of_session && title.as_deref().is_some_and(|title| has_text(&body, title)) {
            ids.push(event.id);
        }
    })?;
    Ok(ids)
}

/// Shows every event of some kinds.
fn each_of(
    log: &LogReader,
    is_wanted: &dyn Fn(&str) -> bool,
    look: &mut dyn FnMut(&Event<'_>),
) -> Result<(), CliError> {
    for writer in log.writers()? {
        let mut cursor = log.cursor(&writer, Position::START)?;
        while let Some(line) = cursor.next()? {
            if let Line::Record(record) = line
                && is_wanted(record.frame.kind)
                && let Ok(event) = record.event()
            {
                look(&event);
            }
        }
    }
    Ok(())
}

fn body_of(event: &Event<'_>) -> Value {
    serde_json::from_str(event.body.get()).unwrap_or_default()
}

/// Gives the beginning of a title, by which it is recognised where it was cut.
fn beginning(title: &str) -> Option<String> {
    let beginning: String = title.chars().take(TOLD).collect();
    (!beginning.is_empty()).then_some(beginning)
}

/// Says whether a receipt has words of an item. One that only names it tells of the others what was told, and stays.
fn says_of(body: &Value, id: EventId) -> bool {
    let receipt = body.as_object().cloned().and_then(Receipt::read);
    receipt.is_some_and(|receipt| {
        let left_out = receipt.left_out.iter().map(|left| &left.item);
        receipt.items.iter().chain(left_out).any(|item| item.id == id && item.text.is_some())
    })
}

/// Says whether a text stands somewhere in a value.
fn has_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(said) => said.contains(text),
        Value::Array(items) => items.iter().any(|item| has_text(item, text)),
        Value::Object(fields) => fields.values().any(|field| has_text(field, text)),
        _ => false,
    }
}

/// Takes texts out of everything that is derived.
fn forget_derived(context: &Context, ids: &[EventId]) -> Result<(), CliError> {
    let state = &context.places.state;
    // Of which projects they were, only the log knew. What is left is made anew by the next worker.
    recall::discard_hints(context)?;
    custos_hooks::errand::forget_all(&context.places.state).map_err(|error| {
        CliError::new(Exit::Io, format!("notes for sub-agents cannot be removed: {error}"))
    })?;
    Base::discard_catalogues(state)
        .map_err(|error| CliError::new(Exit::Io, format!("catalogues cannot be removed: {error}")))?;
    let mut index = Index::open(state, User::Worker)?;
    index.forget(ids)?;
    // Once more: a worker may have written them while the index still had what was forgotten.
    recall::discard_hints(context)?;
    // After the index, which a worker asks whether what it has just embedded is still there; and of all of the log, so that nothing is
    // taken for forgotten that was only not read yet.
    index.catch_up(&context.reader(), None, &mut |_| {})?;
    embedding::sweep(state, &mut index, &|| false)?;
    Ok(())
}

/// Tells what was done.
fn tell(done: &Forgotten, known: &Known, output: &mut Output) -> Result<(), CliError> {
    let records = render::count(done.overwritten as u64, "record");
    let copies = render::count(done.in_backups as u64, "copy");
    output.line(format!(
        "{} {records}, {copies} in backups, and what the index held of them",
        styled(BOLD, "forgotten:")
    ))?;
    if done.left_to_others > 0 {
        let others = render::count(done.left_to_others as u64, "record");
        output.line(format!(
            "{} {others} of another machine: no longer found here, and overwritten there when it next runs custos",
            styled(WARN, "left:")
        ))?;
    }
    let left = known.files.iter().filter(|file| path(file).exists()).count();
    if left > 0 {
        let files = render::count(left as u64, "file");
        output.line(format!(
            "{} {files} of the knowledge base, listed above; as long as they are there, they are read again",
            styled(WARN, "left:")
        ))?;
    }
    Ok(())
}

fn selection(context: &Context, args: &ForgetArgs) -> Result<Selection, CliError> {
    if args.reason.trim().is_empty() {
        return Err(
            CliError::new(Exit::Usage, "--reason is empty").hint("say why in a few words; the log keeps it")
        );
    }
    if let Some(id) = &args.id {
        // What was derived from an event can be forgotten by its id even if the event itself is gone.
        if let Ok(id) = id.parse() {
            return Ok(Selection::Id(id));
        }
        let found = log::find(&context.reader(), id).map(|(id, ..)| id);
        let found = match found {
            // The index alone has ids and names of files.
            Err(error) if error.exit == Exit::NotFound || !could_be_id(id) => {
                let found = recall::find(&mut recall::for_person(context)?, id)?;
                found.ok_or_else(|| if could_be_id(id) { error } else { recall::no_memory(id) })?
            }
            found => found?,
        };
        return Ok(Selection::Id(found));
    }
    // The index may not have read all of the log, which alone decides what there is to forget.
    let or_as_it_stands = |found: Result<String, CliError>, wanted: &str| match found {
        Err(error) if error.exit == Exit::NotFound => Ok(wanted.to_owned()),
        found => found,
    };
    if let Some(wanted) = &args.session {
        let found = named::session(context, &mut index::up_to_date(context)?, wanted);
        return or_as_it_stands(found, wanted).map(Selection::Session);
    }
    if let Some(wanted) = &args.project {
        let found = named::project(context, &mut index::up_to_date(context)?, wanted);
        let name = or_as_it_stands(found, wanted)?;
        let before: Vec<String> =
            context.names().renamed().filter(|(_, now)| *now == name).map(|(was, _)| was).collect();
        return Ok(Selection::Project([vec![name], before].concat()));
    }
    let text = match args.matching.as_deref() {
        Some("-") => read_line()?.trim_end_matches(['\r', '\n']).to_owned(),
        Some(text) => text.to_owned(),
        None => String::new(),
    };
    if text.is_empty() {
        return Err(
            CliError::new(Exit::Usage, "the text to forget is empty").hint("an empty text is in everything")
        );
    }
    Ok(Selection::Matching(text))
}

fn list(plan: &Plan, known: Option<&Known>, output: &mut Output) -> Result<(), CliError> {
    let files = known.map(|known| known.files.as_slice()).unwrap_or_default();
    if plan.is_empty() && files.is_empty() {
        return output.line(styled(DIM, "nothing to forget"));
    }
    if let Some(command) = known.and_then(|known| known.put_away.as_ref()) {
        output.line(format!(
            "{} this is a file, which is left alone: as long as it is there, sessions are told of it again. `{command}` puts it away",
            styled(WARN, "note:")
        ))?;
    }
    for planned in plan.records.iter().take(LISTED) {
        let why = if planned.derived { "derived from it" } else { "" };
        output.line(format!("{}  {:<22} {}  {why}", planned.id, planned.kind, render::local(planned.ts)))?;
    }
    if plan.records.len() > LISTED {
        output.line(format!("… and {} more", plan.records.len() - LISTED))?;
    }
    let derived = plan.records.iter().filter(|planned| planned.derived).count();
    let events = render::count(plan.records.len() as u64, "event");
    output.line(format!("{events}, {derived} of them derived from others"))?;
    if !files.is_empty() {
        output.line(format!("what the index has of {}:", render::count(files.len() as u64, "file")))?;
    }
    for file in files {
        let path = path(file);
        let fate = if path.exists() { "still there, and yours to delete" } else { "gone" };
        output.line(format!("  {}  {fate}", render::printable(&path.display().to_string())))?;
    }
    let Some(Known { back, stay, .. }) = known else { return Ok(()) };
    for id in back {
        output.line(format!(
            "{} {id} counts again, because what took its place goes; forget it too if it is wrong",
            styled(WARN, "note:")
        ))?;
    }
    for id in stay {
        output.line(format!("{} {id}, which took its place, stays", styled(WARN, "note:")))?;
    }
    Ok(())
}
