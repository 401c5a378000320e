//! Where tools are called, by an agent through the server or by a person through a command.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use custos_config::Names;
use custos_knowledge::ahead::GATHERING;
use custos_knowledge::check::Report;
use custos_knowledge::store::StoreError;
use custos_knowledge::{Base, Cause, Level, Refusal, Store, View};
use custos_log::LogReader;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Unvouched, with_notes};
use crate::calls::{Calls, FirstLook};
use crate::fields::{Arguments, schema};
use crate::pages::{List, Page};
use crate::recollection::{Opener, Recollection};
use crate::server::{PATIENCE, Reply, RequestFacts, ToolListing, Toolbox};
use crate::tools::{INSTRUCTIONS, TOOLS, Tool, prove_ahead, prove_on};

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// An agent, through the server. It may add and change, but not loosen what guards it.
    Agent,
    /// A person, at their command line.
    Person,
}

/// Clients that show a model the data in place of the text, or both: they get the text alone, which is written for a model. The names are those
/// by which they introduce themselves.
const TEXT_ONLY: &[&str] = &["claude-code", "codex-mcp-client", "copilot-cli"];

/// How long nothing comes before a checkout is taken to be over.
const QUIET: Duration = Duration::from_millis(20);

/// How many times as long as it reads what came, a server rests while more comes.
const REST: u32 = 1;

/// What the server tells whoever runs it.
pub trait Watcher: Send + Sync {
    /// A call is about to be answered; this is what the client said about it.
    fn called(&self, facts: &RequestFacts);

    /// The client is gone.
    fn closed(&self);
}

/// A session, if it is known, and the sub-agent of it that asks.
type Listener = (Option<String>, Option<String>);

/// Where tools are called.
pub struct Desk {
    pub(crate) base: Base,
    pub(crate) places: Places,
    pub(crate) caller: Caller,
    pub(crate) recall: Recollection,
    /// Who has got the context of which roots already, and of what state each part was: some clients serve several sessions through one connection.
    told: Mutex<BTreeMap<(Listener, PathBuf), Vec<u64>>>,
    /// What the last repair of a root found, for whoever asked for it and goes on with its further pages: what is mended is not found again.
    repaired: Mutex<BTreeMap<(Listener, PathBuf), Report>>,
    /// What this connection has saved: the level and the name of the store, and what it calls the item.
    saved: Mutex<BTreeSet<(&'static str, String, String)>>,
    calls: Calls,
    first_look: FirstLook,
    listings: Vec<ToolListing>,
    watcher: Option<Box<dyn Watcher>>,
}

/// Where the things are that tools read beside the knowledge base.
#[derive(Debug, Clone)]
pub struct Places {
    /// The person's configuration, with their rules.
    pub config: PathBuf,
    /// What is derived and local.
    pub state: PathBuf,
    /// The log.
    pub log: PathBuf,
    /// The person's home, if there is one, as it really is.
    pub home: Option<PathBuf>,
}

impl Desk {
    /// Opens the desk for one connection or one command. The memory is opened by `recall`, with the first question that needs it.
    pub fn new(
        base: Base,
        places: Places,
        caller: Caller,
        recall: Opener,
        watcher: Option<Box<dyn Watcher>>,
    ) -> Self {
        let listings = TOOLS.iter().map(listing).collect();
        let base = base.with_catalogues(&places.state);
        // Whoever waits in a call of an agent keeps all others waiting.
        let base = match caller {
            Caller::Agent => base.with_patience(PATIENCE).with_aftercare(),
            Caller::Person => base,
        };
        Self {
            base,
            places,
            caller,
            recall: Recollection::new(recall),
            told: Mutex::default(),
            repaired: Mutex::default(),
            saved: Mutex::default(),
            calls: Calls::default(),
            first_look: FirstLook::default(),
            listings,
            watcher,
        }
    }

    /// The knowledge base behind it.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// Reads the base ahead, so that the first question is as quick as the second, and catalogues and indexes what it read.
    ///
    /// What nearly every question needs is read at once, while the client asks for the list of tools and waits for it ([`FirstLook`]). Each
    /// further step gives way to whoever asks for something: a question would otherwise share the machine with it, or wait for it to be
    /// done with what the question does not need.
    pub fn warm(&self) {
        let Ok(view) = self.base.view(None) else {
            self.first_look.end();
            return;
        };
        // What is written first should be written quickly as well.
        self.base.prepare(&view);
        thread::scope(|scope| {
            let aside = thread::Builder::new().spawn_scoped(scope, || self.base.decisions(&view, false));
            self.base.memories(&view, None);
            drop(aside);
        });
        self.first_look.end();
        self.base.prepare_all(&view);
        self.calls.wait_for_a_pause();
        self.base.settle_all(&view);
        self.base.read_ahead(&view);
        self.calls.wait_for_a_pause();
        self.base.write_catalogues();
        self.calls.wait_for_a_pause();
        self.base.check_ahead(&view);
        self.calls.wait_for_a_pause();
        prove_ahead(self, &view);
        // Last, for it takes ten times as long as all the rest.
        let Places { state, log, .. } = self.places.clone();
        self.calls.wait_for_a_pause();
        self.recall.read_ahead(&self.base, &view, &custos_recall::Places { state, log });
    }

    /// Reads what comes to a large base for as long as the server lives, or until nobody tells of changes any more.
    pub fn read_on(&self) {
        // The first look comes first.
        self.calls.wait_for_a_pause();
        let Some(view) = self.base.view(None).ok().filter(|view| self.base.is_large(view)) else { return };
        let mut has_come = false;
        // Asked for anew each time: a directory may have come.
        while let Some(changes) = self.base.changes(&view) {
            // What came before somebody was to tell of it.
            self.calls.wait_for_a_pause();
            let begun = Instant::now();
            self.base.keep_up(&view);
            let took = begun.elapsed();
            if has_come && changes.rest(QUIET) {
                self.calls.wait_for_a_pause();
                prove_on(self, &view);
            }
            // Whatever changes all the time gets a part of one core, and no more.
            if !changes.wait(GATHERING.max(took * REST)) {
                return;
            }
            has_come = true;
        }
    }

    /// Calls a tool by its name. What is wrong with the call is said in the refusal.
    pub fn ask(&self, name: &str, sent: Map<String, Value>) -> Result<Answer, Refusal> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            return Err(Refusal::missing(
                format!("there is no tool {}", custos_config::shown::shown(name)),
                format!("There are {}", names.join(", ")),
            ));
        };
        let secret = if tool.effect.is_none() { Vec::new() } else { self.secret_in(&sent) };
        let arguments = Arguments::check(tool.name, tool.fields, sent)?;
        // All that a call writes is forced to the disk once, before its answer.
        let (answered, unsure) = if tool.effect.is_none() {
            ((tool.run)(self, &arguments), None)
        } else {
            self.base.together(|| (tool.run)(self, &arguments))
        };
        let Answer { text, mut data, is_error } =
            answered.map_err(|refusal| told_as_well(without_secrets(&refusal), unsure.as_deref()))?;
        let mut notes = self.noted(&arguments);
        notes.extend(secret);
        if let Value::Object(data) = &mut data {
            if !notes.is_empty() {
                data.insert("argument_notes".to_owned(), json!(notes));
            }
            data.extend(unsure.iter().map(|note| ("unsure".to_owned(), json!(note))));
        }
        notes.extend(unsure);
        // A person may have written into a file by hand what nobody else is to be told. Items are without it, private text and all; this is
        // for whatever else is quoted.
        redact_all(&mut data);
        let text = custos_redact::redact_secrets(&with_notes(text, &notes)).into_owned();
        let answer = Answer { text, data, is_error };
        Ok(if tool.effect.is_none() { answer } else { self.labelled(answer, &arguments) })
    }

    /// Labels the answer of a tool that writes: it may name what is there already, in words that nobody has vouched for. A person knows what
    /// they asked for.
    fn labelled(&self, mut answer: Answer, arguments: &Arguments) -> Answer {
        if self.caller == Caller::Agent
            && answer.data.get("not_vouched_for").is_none()
            && !is_only_new(&answer.data)
            && let Ok(view) = self.view(arguments)
        {
            let beside = self.beside_in(&view, &answer.text);
            let unvouched = Unvouched::with(&self.base, &view, beside.iter());
            answer.text.insert_str(0, &unvouched.caution());
            unvouched.mark(&mut answer.data);
        }
        answer
    }

    /// The stores of the repos beside a view that a text names: in a workspace they are written to by name, and told of, from one of them as
    /// well.
    fn beside_in(&self, view: &View, text: &str) -> Vec<Arc<Store>> {
        let beside = self.base.stores_of(view, &self.base.repos_in_scope(view));
        let stores = beside.iter().map(|beside| Arc::clone(&beside.own().store));
        stores.filter(|store| is_named_in(text, store)).collect()
    }

    /// Finds whose texts an answer shows that nobody has vouched for: those of a view, of the stores in which something was found, and of the
    /// repos beside that its notes tell of.
    pub(crate) fn unvouched<'a>(
        &self,
        view: &View,
        found: impl Iterator<Item = &'a Arc<Store>>,
        notes: &[String],
    ) -> Unvouched {
        let mut told: Vec<Arc<Store>> = found.cloned().collect();
        // Mostly there are none, and no repos have to be looked for.
        if !notes.is_empty() {
            told.extend(self.beside_in(view, &notes.join("\n")));
        }
        Unvouched::with(&self.base, view, told.iter())
    }

    /// Answers with a refusal. One that says what else there is, or what is wrong in a file, may quote what nobody has vouched for.
    fn refuse(&self, refusal: &Refusal, project: Option<&str>) -> Reply {
        let mut reply = refused(refusal);
        if let Ok(view) = self.base.view(project) {
            let is_told =
                |store: &&Arc<Store>| refusal.cause == Cause::Broken || is_named_in(&reply.text, store);
            let beside = self.beside_in(&view, &reply.text);
            let own = view.stacks.iter().map(|stack| &stack.store).filter(is_told);
            let unvouched = Unvouched::among(&self.base, own.chain(&beside));
            reply.text.insert_str(0, &unvouched.caution());
            unvouched.mark(&mut reply.structured);
        }
        reply
    }

    /// Says of arguments what is not kept of them: whoever sent it should not learn of it from the file.
    fn secret_in(&self, sent: &Map<String, Value>) -> Vec<String> {
        let has_secret =
            |(_, value): &(&String, &Value)| texts(value).into_iter().any(|text| self.base.has_secret(text));
        let told = |(name, _): (&String, &Value)| format!("What is secret or private in {name} is not kept");
        sent.iter().filter(has_secret).map(told).collect()
    }

    /// What there is to say about how arguments were read. They are repeated in it, and what is secret is not said again.
    pub(crate) fn noted(&self, arguments: &Arguments) -> Vec<String> {
        let notes = arguments.notes().iter().cloned().chain(arguments.unused());
        notes.filter_map(|note| self.base.clean("note", &note).ok()).collect()
    }

    /// The levels of the project that a call is about.
    pub(crate) fn view(&self, arguments: &Arguments) -> Result<View, Refusal> {
        self.base.view(arguments.some_text("project_path"))
    }

    /// The levels of the project that a call reads. One that is no longer there is not taken for an empty one.
    pub(crate) fn look(&self, arguments: &Arguments) -> Result<View, Refusal> {
        self.look_at(arguments.some_text("project_path"))
    }

    /// The same for a project that was named in another way.
    pub(crate) fn look_at(&self, project: Option<&str>) -> Result<View, Refusal> {
        let view = self.base.view(project)?;
        if view.root.path.is_dir() {
            return Ok(view);
        }
        let gone = Refusal::from(StoreError::Gone { path: view.root.path });
        Err(Refusal { next: "Start again where it is now; nothing can be read here".to_owned(), ..gone })
    }

    /// Gives the page of a list that a call asks for. A person gets all of it at once: they have a pager.
    pub(crate) fn page(&self, list: &List<'_>, arguments: &Arguments) -> Page {
        match self.caller {
            Caller::Agent => list.page(arguments.number("page")),
            Caller::Person => list.whole(),
        }
    }

    /// Remembers that this connection saved an item, named as its store calls it.
    pub(crate) fn has_saved(&self, level: Level, store: &str, name: &str) {
        let saved = (level.word(), store.to_owned(), name.to_owned());
        self.saved.lock().unwrap_or_else(PoisonError::into_inner).insert(saved);
    }

    /// Says whether this connection saved an item.
    pub(crate) fn was_saved_here(&self, store: &Store, name: &str) -> bool {
        let saved = (store.level.word(), store.name.clone(), name.to_owned());
        self.saved.lock().unwrap_or_else(PoisonError::into_inner).contains(&saved)
    }

    /// Remembers of what state the parts are that whoever asks is told of a root now, and gives of what state they were when it was told before
    /// through this connection, if it was.
    pub(crate) fn was_told(&self, root: PathBuf, states: Vec<u64>) -> Option<Vec<u64>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert((self.listener(), root), states)
    }

    /// Remembers what a repair of a root found.
    pub(crate) fn has_repaired(&self, root: PathBuf, report: Report) {
        self.repaired.lock().unwrap_or_else(PoisonError::into_inner).insert((self.listener(), root), report);
    }

    /// Gives what the last repair of a root found that whoever asks now had asked for.
    pub(crate) fn repaired(&self, root: PathBuf) -> Option<Report> {
        self.repaired.lock().unwrap_or_else(PoisonError::into_inner).get(&(self.listener(), root)).cloned()
    }

    /// Who asks now.
    fn listener(&self) -> Listener {
        let around = self.base.around();
        (around.session(), around.subagent())
    }

    /// A reader of the log.
    pub(crate) fn log(&self) -> LogReader {
        LogReader::new(&self.places.log).calling(Names::of(&self.places.state).renamed())
    }
}

impl Toolbox for Desk {
    fn tools(&self) -> &[ToolListing] {
        &self.listings
    }

    fn asked_for_tools(&self) {
        self.first_look.wait();
    }

    fn instructions(&self) -> &str {
        INSTRUCTIONS
    }

    fn writes(&self, name: &str, arguments: &Map<String, Value>) -> bool {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else { return false };
        // A look is what helps whoever finds the store locked.
        let only_looks = name == "kb_doctor"
            && Arguments::check(name, tool.fields, arguments.clone()).is_ok_and(|sent| !sent.flag("fix"));
        !tool.effect.is_none() && !only_looks
    }

    fn held_up(&self, arguments: &Map<String, Value>) -> Option<Reply> {
        let project = arguments.get("project_path").and_then(Value::as_str);
        let view = self.base.view(project).ok()?;
        self.base.held(&view, PATIENCE).map(|refusal| refused(&refusal))
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, request: &RequestFacts) -> Reply {
        let _answering = self.calls.begin();
        if let Some(watcher) = &self.watcher {
            watcher.called(request);
        }
        let project = arguments.get("project_path").and_then(Value::as_str).map(str::to_owned);
        let mut reply = match self.ask(name, arguments) {
            Ok(Answer { text, data, is_error }) => Reply { text, structured: data, is_error },
            Err(refusal) => self.refuse(&refusal, project.as_deref()),
        };
        if request.client.as_ref().is_some_and(|(name, _)| TEXT_ONLY.contains(&name.as_str())) {
            reply.structured = Value::Null;
        }
        reply
    }

    fn closed(&self) {
        if let Some(watcher) = &self.watcher {
            watcher.closed();
        }
        // Last, for some clients kill soon: what was saved meanwhile need not be read by the next server.
        self.base.write_catalogues();
    }
}

/// All texts in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Says whether a text names a store, in any of the forms in which answers do.
fn is_named_in(text: &str, store: &Store) -> bool {
    let (level, name) = (store.level.word(), &store.name);
    let forms = [
        format!("{level} {name}"),
        format!("({name})"),
        format!("{name}:"),
        format!(" in {name}"),
        format!(" of {name} "),
        format!("{name} did not take"),
    ];
    forms.iter().any(|form| contains_whole(text, form))
}

/// Says whether a text contains another one that is no part of a longer name there: `repo api` is not in `repo api-docs`.
fn contains_whole(text: &str, part: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    text.match_indices(part).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + part.len()..]);
        // A dot may also end a sentence.
        let is_cut = |behind: &str| behind.strip_prefix('.').unwrap_or(behind).starts_with(goes_on);
        let is_end = part.starts_with(goes_on) && before.ends_with(goes_on);
        let is_begin = part.ends_with(goes_on) && is_cut(behind);
        !is_end && !is_begin
    })
}

/// Takes what is secret out of all texts in a value.
fn redact_all(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = custos_redact::redact_secrets(text) {
                *text = clean;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact_all),
        Value::Object(fields) => fields.values_mut().for_each(redact_all),
        _ => {}
    }
}

/// Says whether an answer tells of new items and of nothing else: then every word in it is the caller's.
fn is_only_new(data: &Value) -> bool {
    let is_new = |saved: &Value| {
        let has_notes = saved["notes"].as_array().is_some_and(|notes| !notes.is_empty());
        !has_notes && (saved["created"] == true || saved["became"] == "created")
    };
    data["saved"].as_array().is_some_and(|saved| saved.iter().all(is_new))
}

/// Spells a refusal as an answer.
fn refused(refusal: &Refusal) -> Reply {
    let structured = json!({ "error": refusal.problem, "next": refusal.next });
    Reply { text: refusal.to_string(), structured, is_error: true }
}

/// Takes what is secret out of a refusal: it repeats what was sent, or what a file says.
fn without_secrets(refusal: &Refusal) -> Refusal {
    let clean = |text: &str| custos_redact::redact(text).into_owned();
    Refusal::new(clean(&refusal.problem), clean(&refusal.next)).because(refusal.cause)
}

/// Adds to a refusal what there is to say of what was done before it.
fn told_as_well(refusal: Refusal, note: Option<&str>) -> Refusal {
    let Some(note) = note else { return refusal };
    let next = if refusal.next.is_empty() { note.to_owned() } else { format!("{}. {note}", refusal.next) };
    Refusal { next, ..refusal }
}

fn listing(tool: &Tool) -> ToolListing {
    ToolListing {
        name: tool.name,
        title: tool.title,
        description: tool.about,
        input_schema: schema(tool.fields),
        read_only: tool.effect.is_none(),
        destructive: tool.effect.destroys(),
        idempotent: tool.effect.is_idempotent(),
        always_load: tool.always,
    }
}
