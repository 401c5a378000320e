//! From an event to the rows that it will become, without a database in sight.
//!
//! This is the part of the catch-up that costs time (parsing, analysing) and needs nothing but the event, so it runs outside every
//! transaction and, when there is much to do, on a thread of its own.

use custos_log::{Position, Record};
use custos_model::piece::pieces;
use custos_model::{Event, EventId, Kind, Origin, PieceId, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::analyse::cut;
use crate::document::{self, Composer, Files, Text};
use crate::key::Table;

/// An event, ready to be stored.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) id: EventId,
    pub(crate) ts: Timestamp,
    pub(crate) kind: Kind,
    pub(crate) at: Position,
    pub(crate) project: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) client: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) role: Option<String>,
    pub(crate) scope: &'static str,
    /// The access list as JSON.
    pub(crate) acl: String,
    pub(crate) origin: &'static str,
    /// Whether it was written here. What another system's memory says, nobody has looked at.
    pub(crate) trusted: bool,
    pub(crate) branch: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) outcome: Option<&'static str>,
    pub(crate) importance: Option<f64>,
    pub(crate) content: Content,
}

/// What the index keeps of a body.
#[derive(Debug)]
pub(crate) enum Content {
    /// A prompt, an observation or a summary.
    Text {
        table: Table,
        text: Box<Text>,
        pieces: Vec<PieceId>,
        sources: Vec<EventId>,
        made: Option<Made>,
        supersedes: Vec<EventId>,
    },
    /// A tool event.
    Tool(Box<Tool>),
    /// The start or end of a session, the end of a turn.
    Milestone,
    /// Work that has its results.
    Done { sources: Vec<EventId>, done: Box<Done>, supersedes: Vec<EventId> },
    /// An attempt that failed, work that was given up, or work that is to be done again.
    Setback { sources: Vec<EventId>, pass: u64 },
    /// What a model took.
    Usage(Box<Usage>),
    /// Something that takes the place of texts: another one, or what is kept elsewhere.
    Superseding { ids: Vec<EventId>, by: Option<EventId> },
    /// Texts that are to be kept in view, and those that no longer are.
    Pins { texts: Vec<(EventId, bool)> },
    /// Memories that a session was given.
    Served { moment: String },
    /// What must not be found any more.
    Forgetting { ids: Vec<EventId> },
    /// Counted, and found by its id.
    Nothing,
}

/// Where a text of a worker comes from.
#[derive(Debug)]
pub(crate) struct Made {
    /// The piece of work.
    pub(crate) work: String,
    /// The hash of what it says.
    pub(crate) content: Option<String>,
    /// Whether it sums a whole session up.
    pub(crate) of_session: bool,
}

/// What is kept of a piece of work that has its results.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) work: String,
    /// Which pass over it this was.
    pub(crate) pass: u64,
    pub(crate) maker: String,
    pub(crate) fell_back: Option<String>,
    pub(crate) results: usize,
    /// How many results were there already.
    pub(crate) merged: u64,
}

/// What is kept of a question to a model.
#[derive(Debug)]
pub(crate) struct Usage {
    pub(crate) work: Option<String>,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
    pub(crate) microdollars: Option<u64>,
}

/// What is kept of a tool event: enough to list it, nothing of what the tool printed.
#[derive(Debug, Default)]
pub(crate) struct Tool {
    pub(crate) name: Option<String>,
    pub(crate) files: Files,
    pub(crate) input_bytes: usize,
    pub(crate) output_bytes: usize,
}

/// The fields of a tool event's body that are looked at; each may be anything.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolBody<'a> {
    #[serde(borrow)]
    tool: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    files_read: Option<&'a RawValue>,
    #[serde(borrow)]
    files_changed: Option<&'a RawValue>,
    #[serde(borrow)]
    files_modified: Option<&'a RawValue>,
}

/// Says whether an event of this kind is work until a result names it.
pub(crate) const fn is_work(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ToolUsed | Kind::ToolFailed | Kind::TurnEnded | Kind::SessionEnded | Kind::SessionInterrupted
    )
}

/// Prepares a record; fails with a reason if its envelope cannot be read.
pub(crate) fn prepare(record: &Record<'_>, composer: &mut Composer) -> Result<Prepared, String> {
    let event = record.event().map_err(|error| format!("the envelope cannot be read: {error}"))?;
    let content = content(&event, composer);
    let (client, agent, role) = event.agent.map_or((None, None, None), |agent| {
        (Some(agent.client), agent.id.map(|id| id.as_str().to_owned()), agent.role)
    });
    Ok(Prepared {
        id: event.id,
        ts: event.ts,
        kind: event.kind,
        at: record.at,
        project: event.project,
        session: event.session,
        client,
        agent,
        role,
        scope: event.scope.name(),
        acl: serde_json::to_string(&event.acl).map_err(|error| error.to_string())?,
        origin: event.origin.name(),
        trusted: event.origin != Origin::Import,
        branch: event.branch,
        task: event.task,
        outcome: event.outcome.map(custos_model::Outcome::name),
        importance: event.importance.map(custos_model::Importance::value),
        content,
    })
}

fn content(event: &Event<'_>, composer: &mut Composer) -> Content {
    let table = match event.kind {
        Kind::PromptSubmitted => Table::Prompts,
        Kind::ObservationRecorded => Table::Observations,
        Kind::SummaryRecorded => Table::Summaries,
        Kind::ToolUsed | Kind::ToolFailed | Kind::ToolDenied | Kind::ToolAsked => {
            return Content::Tool(Box::new(tool(event.body)));
        }
        Kind::SessionStarted | Kind::SessionEnded | Kind::SessionInterrupted | Kind::TurnEnded => {
            return Content::Milestone;
        }
        Kind::WorkDone => return done(&fields(event.body)),
        Kind::WorkFailed | Kind::WorkAbandoned | Kind::WorkReopened => {
            let body = fields(event.body);
            // Before anything was opened again there is no pass but the first.
            let least = u64::from(event.kind == Kind::WorkReopened);
            return Content::Setback {
                sources: document::sources(&body),
                pass: number(&body, "pass").max(least),
            };
        }
        Kind::UsageRecorded => return usage(&fields(event.body)),
        Kind::KnowledgeSaved | Kind::KnowledgeUpdated => {
            let body = fields(event.body);
            let by = word(&body, "by").and_then(|id| id.parse().ok());
            return Content::Superseding { ids: document::ids(&body, "supersedes"), by };
        }
        Kind::PolicyUpdated => return pins(&fields(event.body)),
        Kind::RecallServed => {
            return Content::Served { moment: word(&fields(event.body), "moment").unwrap_or_default() };
        }
        Kind::ForgetDone => return Content::Forgetting { ids: document::ids(&fields(event.body), "ids") },
        _ => return Content::Nothing,
    };
    let body = fields(event.body);
    let mut marks = vec![document::kind_mark(table)];
    marks.extend(event.project.as_deref().map(document::project_mark));
    marks.extend(event.session.as_deref().map(document::session_mark));
    let text = Box::new(composer.compose(&body, &marks));
    let pieces = pieces(event.kind, &body).iter().map(|piece| PieceId::of(piece)).collect();
    // A prompt is made from nothing, whatever it says.
    if table == Table::Prompts {
        return Content::Text {
            table,
            text,
            pieces,
            sources: Vec::new(),
            made: None,
            supersedes: Vec::new(),
        };
    }
    let made = word(&body, "work").map(|work| Made {
        work,
        content: word(&body, "content"),
        of_session: body.get("of").and_then(Value::as_str) == Some("session"),
    });
    let supersedes = document::ids(&body, "supersedes");
    Content::Text { table, text, pieces, sources: document::sources(&body), made, supersedes }
}

fn done(body: &Map<String, Value>) -> Content {
    let done = Done {
        work: word(body, "work").unwrap_or_default(),
        pass: number(body, "pass"),
        maker: word(body, "by").unwrap_or_default(),
        fell_back: word(body, "fell_back"),
        results: document::ids(body, "results").len(),
        merged: number(body, "merged"),
    };
    let supersedes = document::ids(body, "supersedes");
    Content::Done { sources: document::sources(body), done: Box::new(done), supersedes }
}

/// Reads which texts are to be kept in view. Where one is named twice, it is not to be.
fn pins(body: &Map<String, Value>) -> Content {
    let named = |name: &str, pinned| {
        let id = body.get(name).and_then(Value::as_str).and_then(|id| id.parse::<EventId>().ok());
        id.map(|id| (id, pinned))
    };
    Content::Pins { texts: named("pin", true).into_iter().chain(named("unpin", false)).collect() }
}

fn usage(body: &Map<String, Value>) -> Content {
    let (Some(provider), Some(model)) = (word(body, "provider"), word(body, "model")) else {
        return Content::Nothing;
    };
    Content::Usage(Box::new(Usage {
        work: word(body, "work"),
        provider,
        model,
        input: number(body, "input"),
        cached: number(body, "cached"),
        output: number(body, "output"),
        microdollars: body.get("microdollars").and_then(Value::as_u64),
    }))
}

/// Reads a short text.
fn word(body: &Map<String, Value>, name: &str) -> Option<String> {
    let text = body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())?;
    Some(cut(text, 256).to_owned())
}

fn number(body: &Map<String, Value>, name: &str) -> u64 {
    // Sums of millions of these still fit.
    body.get(name).and_then(Value::as_u64).unwrap_or(0).min(1 << 40)
}

/// Parses a body; one that is no object has nothing to say.
fn fields(body: &RawValue) -> Map<String, Value> {
    serde_json::from_str(body.get()).unwrap_or_default()
}

fn tool(body: &RawValue) -> Tool {
    let body: ToolBody<'_> = serde_json::from_str(body.get()).unwrap_or_default();
    let parsed = |raw: Option<&RawValue>| raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
    let list = |fields: &[Option<&RawValue>]| {
        let values: Vec<Option<Value>> = fields.iter().map(|raw| parsed(*raw)).collect();
        document::file_list(&values.iter().map(Option::as_ref).collect::<Vec<_>>())
    };
    Tool {
        name: body.tool.and_then(|raw| serde_json::from_str(raw.get()).ok()),
        files: Files {
            read: list(&[body.files_read]),
            changed: list(&[body.files_changed, body.files_modified]),
        },
        input_bytes: body.input.map_or(0, |raw| raw.get().len()),
        output_bytes: body.output.map_or(0, |raw| raw.get().len()),
    }
}
