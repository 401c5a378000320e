//! `custos memory`: correcting what was learnt.
//!
//! The log is never edited. A correction is an event of its own that takes the place of what it corrects: the old one is no longer found,
//! told or hinted at, and can still be read by its id. What is wrong and must not even be there is for `custos forget`.

use clap::{Args, Subcommand};
use custos_index::Entry;
use custos_model::{Draft, DraftAgent, Event, EventId, Kind, Origin, Scope, Sort};
use custos_recall::access::may_see;
use custos_recall::{Store, Viewer, hints};
use serde_json::{Map, Value, json};

use crate::args::Text;
use crate::commands::kb::form::Form;
use crate::commands::show::{self, ShowArgs, record};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, Output, styled};
use crate::recall;
use crate::render::{self, printable};

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Show memories whole, as `custos show` does
    #[command(after_help = "Examples:\n  custos memory show ffffffffffff")]
    Show(ShowArgs),
    /// Give an observation other words
    #[command(after_help = "\
Examples:
  custos memory edit ffffffffffff                      $EDITOR opens with what it says
  custos memory edit ffffffffffff --title 'The window is closed at both ends'
  custos memory edit ffffffffffff --fact 'n <= 3' --fact 'since 2.4'

What is given replaces what was there; what is not given stays. The old words are
no longer found; `custos forget` with the old id removes them for good, and leaves
the new ones.")]
    Edit(EditArgs),
    /// Put something else in the place of a memory
    #[command(after_help = "\
Examples:
  custos memory supersede ffffffffffff --by 77aa01b2c3d4
  custos memory supersede ffffffffffff --title 'We moved to Postgres' \\
      --narrative 'The job queue went with it.'

The old one is no longer found, told or hinted at; its id still shows it.")]
    Supersede(SupersedeArgs),
    /// Keep memories in view: they are told at the start of a session, and rank higher
    #[command(after_help = "Examples:\n  custos memory pin ffffffffffff")]
    Pin(ShowArgs),
    /// Let memories go again that were kept in view
    #[command(after_help = "Examples:\n  custos memory unpin ffffffffffff")]
    Unpin(ShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// Its id, or 8 characters or more of its beginning or its end
    id: String,
    #[command(flatten)]
    words: Words,
}

#[derive(Debug, Args)]
pub(crate) struct SupersedeArgs {
    /// The id of what no longer holds, or 8 characters or more of its beginning or its end
    id: String,
    /// The id of what holds instead
    #[arg(long, value_name = "ID", conflicts_with_all = ["title", "narrative", "fact"])]
    by: Option<String>,
    #[command(flatten)]
    words: Words,
}

/// What an observation says.
#[derive(Debug, Args)]
struct Words {
    /// What it is, in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    title: Option<String>,
    /// What happened and why; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    narrative: Option<String>,
    /// Something that can be looked up; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    fact: Vec<String>,
}

pub(crate) fn run(context: &Context, command: &MemoryCommand, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        MemoryCommand::Show(args) => show::run(context, args, output),
        MemoryCommand::Edit(args) => edit(context, args, output),
        MemoryCommand::Supersede(args) => supersede(context, args, output),
        MemoryCommand::Pin(args) => pin(context, &args.id, true, output),
        MemoryCommand::Unpin(args) => pin(context, &args.id, false, output),
    }
}

/// A memory that is to be corrected.
struct Corrected {
    entry: Entry,
    /// The event as the log has it.
    line: Vec<u8>,
}

impl Corrected {
    fn find(store: &mut Store, wanted: &str) -> Result<Self, CliError> {
        let id = recall::find_one(store, wanted)?;
        let gone = || CliError::new(Exit::NotFound, format!("memory {id} was forgotten, or cannot be read"));
        let entry = store.index().get(id)?.ok_or_else(gone)?;
        if entry.file.is_some() {
            let file = entry.file.as_deref().map(printable).unwrap_or_default();
            return Err(CliError::new(Exit::Usage, format!("{id} is a file of the knowledge base: {file}")).hint(
                "`custos memories` and `custos decisions` change what was saved on purpose; so does an editor",
            ));
        }
        holds(store, &entry)?;
        let place = store.index().locate(id)?.ok_or_else(gone)?;
        let line = record(store.log(), &place.writer, place.at)?.ok_or_else(gone)?;
        Ok(Self { entry, line })
    }

    fn event(&self) -> Result<Event<'_>, CliError> {
        serde_json::from_slice(&self.line)
            .map_err(|_| CliError::new(Exit::Data, format!("memory {} cannot be read", self.entry.id)))
    }

    /// Gives what it says.
    fn body(&self) -> Result<Map<String, Value>, CliError> {
        Ok(serde_json::from_str(self.event()?.body.get()).unwrap_or_default())
    }

    /// Refuses what is no observation.
    fn is_observation(&self) -> Result<(), CliError> {
        if self.entry.kind == Kind::ObservationRecorded {
            return Ok(());
        }
        let (id, kind) = (self.entry.id, self.entry.kind);
        Err(CliError::new(Exit::Usage, format!("{id} is a {kind}, whose words are somebody's own"))
            .hint(format!("`custos memory supersede {id} --by ID` puts another in its place, `custos forget {id}` removes it")))
    }
}

/// Refuses what no longer holds, and says what does.
fn holds(store: &mut Store, entry: &Entry) -> Result<(), CliError> {
    if !entry.superseded {
        return Ok(());
    }
    let id = entry.id;
    let by = store.replacement(id)?;
    let by = by.map_or_else(|| "something else".to_owned(), |by| printable(&by.to_string()));
    Err(CliError::new(Exit::Usage, format!("{id} no longer holds: {by} took its place"))
        .hint(format!("`custos show {id}` shows what became of it; name what holds now")))
}

/// Refuses what would not reach everybody whom the old one reached: they would be left with neither.
fn reaches_as_far(by: &Entry, old: &Entry) -> Result<(), CliError> {
    let (client, role, agent) = (old.client.as_deref(), old.role.as_deref(), old.agent.as_deref());
    let (session, project) = (old.session.as_deref(), old.project.as_deref());
    let readers = [
        Viewer::agent(client, role, agent, session, project),
        Viewer::agent(None, None, None, None, project),
        Viewer::subagent(None, None, None, None, project),
    ];
    if readers.iter().all(|reader| !may_see(reader, old) || may_see(reader, by)) {
        return Ok(());
    }
    let of = |entry: &Entry| {
        entry.project.as_deref().map_or_else(String::new, |project| format!(" of {}", printable(project)))
    };
    Err(CliError::new(
        Exit::Usage,
        format!(
            "not everybody who sees {} (scope {}{}) may see {} (scope {}{})",
            old.id,
            old.scope,
            of(old),
            by.id,
            by.scope,
            of(by)
        ),
    )
    .hint("--title and --narrative put new words in its place, for the same readers"))
}

/// Makes a draft that reaches whom the old one reached, and nobody else.
fn like(event: &Event<'_>, kind: Kind, body: Map<String, Value>) -> Draft {
    let mut draft = Draft::new(kind, event.scope, body);
    draft.acl = Some(event.acl.clone());
    draft.project.clone_from(&event.project);
    draft.branch.clone_from(&event.branch);
    draft.session.clone_from(&event.session);
    draft.agent = event.agent.as_ref().map(|agent| DraftAgent {
        client: agent.client.clone(),
        id: agent.id.as_ref().map(|id| id.as_str().to_owned()),
        role: agent.role.clone(),
    });
    draft.importance = event.importance;
    draft
}

fn edit(context: &Context, args: &EditArgs, output: &mut Output) -> Result<Exit, CliError> {
    let mut store = recall::for_person(context)?;
    let old = Corrected::find(&mut store, &args.id)?;
    old.is_observation()?;
    let (event, before) = (old.event()?, old.body()?);
    let mut body = before.clone();
    let text = |name: &str| before.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let facts = before.get("facts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let facts: Vec<&str> = facts.iter().filter_map(Value::as_str).collect();
    let is_given =
        args.words.title.is_some() || args.words.narrative.is_some() || !args.words.fact.is_empty();
    let words = if is_given {
        args.words.given()?
    } else {
        Form::new("What an observation says")
            .need("title", "--title", "what it is, in one line", None)
            .may("narrative", "--narrative", "what happened and why", None)
            .may("facts", "--fact", "what can be looked up, one a line", None)
            .begun("title", &text("title"))
            .begun("narrative", &text("narrative"))
            .begun("facts", &facts.join("\n"))
            .fill()
            .map(|filled| Said {
                title: Some(filled.text("title").to_owned()),
                narrative: Some(filled.text("narrative").to_owned()),
                facts: Some(filled.text("facts").lines().map(str::to_owned).collect()),
            })?
    };
    words.put_into(&mut body);
    if body == before {
        output.line(format!("{} says this already; nothing was changed", render::short_id(event.id)))?;
        return Ok(Exit::Success);
    }
    // Made of the same events, and by a person: whoever forgets the old words keeps the new ones.
    replaces(&mut body, &before, event.id);
    let draft = like(&event, Kind::ObservationRecorded, body);
    put_in_place(context, &old, draft, output)
}

fn supersede(context: &Context, args: &SupersedeArgs, output: &mut Output) -> Result<Exit, CliError> {
    let mut store = recall::for_person(context)?;
    let old = Corrected::find(&mut store, &args.id)?;
    let (event, before) = (old.event()?, old.body()?);
    if let Some(by) = &args.by {
        let by = recall::find_one(&mut store, by)?;
        if by == event.id {
            return Err(CliError::new(Exit::Usage, "nothing takes its own place")
                .hint("give --by the id of another memory, or --title and --narrative for a new one"));
        }
        if let Some(replacement) = store.index().get(by)? {
            holds(&mut store, &replacement)?;
            reaches_as_far(&replacement, &old.entry)?;
        }
        let mut body = Map::new();
        replaces(&mut body, &before, event.id);
        body.insert("item".to_owned(), json!("observation"));
        body.insert("by".to_owned(), json!(by));
        let mut draft = like(&event, Kind::KnowledgeUpdated, body);
        draft.importance = None;
        append(context, &old.entry, draft)?;
        return told(by, event.id, output);
    }
    let words = args.words.asked()?;
    let mut body = Map::new();
    let sort =
        old.entry.sort.as_deref().and_then(|sort| sort.parse::<Sort>().ok()).unwrap_or(Sort::Discovery);
    body.insert("type".to_owned(), json!(sort));
    words.put_into(&mut body);
    for name in ["concepts", "files_read", "files_modified"] {
        if let Some(list) = before.get(name) {
            body.insert(name.to_owned(), list.clone());
        }
    }
    replaces(&mut body, &before, event.id);
    let draft = like(&event, Kind::ObservationRecorded, body);
    put_in_place(context, &old, draft, output)
}

/// Says in a body what it takes the place of, and takes out what was true of that alone.
///
/// With all that the old one had taken the place of: otherwise it would count again as soon as somebody forgets the old one.
fn replaces(body: &mut Map<String, Value>, old: &Map<String, Value>, id: EventId) {
    for name in ["work", "content", "why", "by"] {
        body.remove(name);
    }
    let mut ids = vec![json!(id)];
    ids.extend(old.get("supersedes").and_then(Value::as_array).cloned().unwrap_or_default());
    body.insert("supersedes".to_owned(), Value::Array(ids));
}

fn put_in_place(
    context: &Context,
    old: &Corrected,
    draft: Draft,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let new = append(context, &old.entry, draft)?;
    told(new, old.entry.id, output)
}

fn told(new: EventId, old: EventId, output: &mut Output) -> Result<Exit, CliError> {
    if output.is_json() {
        output.json(&json!({ "id": new, "supersedes": [old] }))?;
    } else {
        let (new, old) = (render::short_id(new), render::short_id(old));
        output.line(format!(
            "{} took the place of {old}, which is no longer found; `custos show {new}` shows it",
            styled(BOLD, &new)
        ))?;
    }
    Ok(Exit::Success)
}

fn pin(context: &Context, wanted: &[String], pinned: bool, output: &mut Output) -> Result<Exit, CliError> {
    let mut store = recall::for_person(context)?;
    // All of them are found before anything is done.
    let mut entries = Vec::new();
    for wanted in wanted {
        let id = recall::find_one(&mut store, wanted)?;
        let Some(entry) = store.index().get(id)? else { continue };
        if pinned {
            holds(&mut store, &entry)?;
        }
        entries.push(entry);
    }
    let mut done = Vec::new();
    for entry in entries {
        let short = render::short_id(entry.id);
        let title = entry.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&entry.excerpt);
        let title = render::cut(&printable(title), 50);
        let words = if entry.pinned == pinned {
            let was = if pinned { "is pinned already" } else { "was not pinned" };
            format!("{short} {was}: {title}")
        } else {
            let name = if pinned { "pin" } else { "unpin" };
            let body = Map::from_iter([(name.to_owned(), json!(entry.id))]);
            let mut draft = Draft::new(Kind::PolicyUpdated, Scope::User, body);
            draft.project.clone_from(&entry.project);
            append(context, &entry, draft)?;
            done.push(entry.id);
            format!(
                "{} {title}",
                styled(BOLD, format!("{short} is {}pinned:", if pinned { "" } else { "no longer " }))
            )
        };
        if !output.is_json() {
            output.line(words)?;
        }
    }
    if output.is_json() {
        output.json(&json!({ if pinned { "pinned" } else { "unpinned" }: done }))?;
    }
    Ok(Exit::Success)
}

/// Appends an event about a memory. What a hint could still say of it is gone first, and once more afterwards: a worker may have made
/// hints in between of what was there.
fn append(context: &Context, entry: &Entry, draft: Draft) -> Result<EventId, CliError> {
    discard_hints(context, entry, "nothing was changed")?;
    let id = context.log().append(draft, Origin::Cli)?.id;
    discard_hints(context, entry, "all else is done")?;
    Ok(id)
}

fn discard_hints(context: &Context, entry: &Entry, so_far: &str) -> Result<(), CliError> {
    let Some(project) = &entry.project else { return Ok(()) };
    hints::discard(&context.places.state, project).map_err(|error| {
        CliError::new(Exit::Io, format!("a hint may still show what was corrected: {error}; {so_far}"))
            .hint(format!("remove {}, which is made anew", context.places.state.join("hints").display()))
    })
}

/// Words that were given.
#[derive(Debug, Default)]
struct Said {
    title: Option<String>,
    narrative: Option<String>,
    facts: Option<Vec<String>>,
}

impl Words {
    /// Takes what was given, and asks for nothing.
    fn given(&self) -> Result<Said, CliError> {
        let filled = Form::new("What an observation says")
            .may("title", "--title", "", self.title.as_deref())
            .may("narrative", "--narrative", "", self.narrative.as_deref())
            .fill()?;
        let text = |given: &Option<String>, name: &str| given.as_ref().map(|_| filled.text(name).to_owned());
        if self.title.is_some() && filled.text("title").is_empty() {
            return Err(CliError::new(Exit::Usage, "--title is empty").hint("say what it is, in one line"));
        }
        Ok(Said {
            title: text(&self.title, "title"),
            narrative: text(&self.narrative, "narrative"),
            facts: (!self.fact.is_empty()).then(|| self.fact.clone()),
        })
    }

    /// Takes what was given, and asks for what is needed.
    fn asked(&self) -> Result<Said, CliError> {
        let filled = Form::new("What holds instead")
            .need("title", "--title", "what it is, in one line", self.title.as_deref())
            .may("narrative", "--narrative", "what happened and why", self.narrative.as_deref())
            .fill()?;
        Ok(Said {
            title: Some(filled.text("title").to_owned()),
            narrative: Some(filled.text("narrative").to_owned()),
            facts: (!self.fact.is_empty()).then(|| self.fact.clone()),
        })
    }
}

impl Said {
    fn put_into(self, body: &mut Map<String, Value>) {
        for (name, text) in [("title", self.title), ("narrative", self.narrative)] {
            match text.map(|text| text.trim().to_owned()) {
                Some(text) if text.is_empty() => drop(body.remove(name)),
                Some(text) => drop(body.insert(name.to_owned(), json!(text))),
                None => {}
            }
        }
        if let Some(facts) = self.facts {
            let facts: Vec<&str> =
                facts.iter().map(|fact| fact.trim()).filter(|fact| !fact.is_empty()).collect();
            if facts.is_empty() {
                body.remove("facts");
            } else {
                body.insert("facts".to_owned(), json!(facts));
            }
        }
    }
}
