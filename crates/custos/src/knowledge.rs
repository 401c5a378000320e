//! The knowledge base as the program sees it: the desk at which tools are called, with the real clock, log, trust and guard behind it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use custos_config::source::{Links, read_text};
use custos_config::{Names, Project, env, main_working_tree, mark, replace};
use custos_guard::decisions;
use custos_guard::rules::trust as trust_list;
use custos_knowledge::{Around, Base, Debt, Root};
use custos_log::Log;
use custos_log::append::{Appended, system_clock};
use custos_log::spool::{Recorded, Spool};
use custos_mcp::desk::{Places, Watcher};
use custos_mcp::{Caller, Desk};
use custos_model::{Draft, Origin, Timestamp};

use crate::commands::trust;
use crate::context::Context;
use crate::environment::{ProcessEnvironment, random_word, working_directory};
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine as this_machine;
use crate::recall;

/// The session that something is done for, as far as it is known by now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// The session, as the log calls it.
    pub(crate) session: Option<String>,
    /// The client that it belongs to.
    pub(crate) client: Option<String>,
    /// The sub-agent of the session that asks, if it is one.
    pub(crate) subagent: Option<String>,
}

/// What the knowledge base takes from the machine.
pub(crate) struct Machine {
    log: Log,
    spool: Spool,
    trusted: PathBuf,
    /// The list of the projects whose knowledge base was begun on this machine, by their marks.
    made: PathBuf,
    /// The state directory, in which the guard keeps the decisions that have proven themselves.
    state: PathBuf,
    origin: Origin,
    served: Arc<Mutex<Known>>,
    /// The last of the events that are to be forced to the disk together, while some are.
    gathered: Mutex<Gathered>,
}

/// Whether events are forced to the disk together, and the last of those that are to be.
#[derive(Debug, Default)]
enum Gathered {
    /// Each is forced by itself.
    #[default]
    Not,
    /// They are, and so far there was none.
    None,
    /// They are, and this was the last.
    UpTo(Appended),
}

impl Around for Machine {
    fn now(&self) -> Timestamp {
        system_clock()()
    }

    fn record(&self, draft: Draft) -> Result<(), String> {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        // What the log does not take this way, it may take the other; and if not, the spool does.
        if !matches!(*gathered, Gathered::Not)
            && let Ok(appended) = self.log.append_unforced(draft.clone(), self.origin)
        {
            *gathered = Gathered::UpTo(appended);
            return Ok(());
        }
        match self.spool.record(&self.log, draft, self.origin) {
            // What is spooled is replayed by the next hook, and doctor counts it until then.
            Ok(Recorded::Logged(_) | Recorded::Spooled(..)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn record_all(&self, drafts: Vec<Draft>) -> Result<(), String> {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*gathered, Gathered::Not)
            && let Ok(mut appended) = self.log.append_all_unforced(drafts.clone(), self.origin)
        {
            if let Some(last) = appended.pop() {
                *gathered = Gathered::UpTo(last);
            }
            return Ok(());
        }
        drop(gathered);
        drafts.into_iter().map(|draft| self.record(draft)).fold(Ok(()), Result::and)
    }

    fn gather(&self) {
        *self.gathered.lock().unwrap_or_else(PoisonError::into_inner) = Gathered::None;
    }

    fn owed(&self) -> Debt {
        let gathered = std::mem::take(&mut *self.gathered.lock().unwrap_or_else(PoisonError::into_inner));
        match gathered {
            Gathered::UpTo(last) => {
                let log = self.log.clone();
                Box::new(move || log.force(&last).map_err(|error| error.to_string()))
            }
            Gathered::Not | Gathered::None => Box::new(|| Ok(())),
        }
    }

    fn project(&self, directory: &Path) -> Project {
        Names::of(&self.state).find(directory)
    }

    fn files_under(&self, project: &Project) {
        // Without it the project goes by its path, as if it were new, once it is moved.
        let _: std::io::Result<()> = Names::of(&self.state).keep(project);
    }

    fn trusts(&self, root: &Path) -> bool {
        trust_list::is_trusted(&self.trusted, root)
            || self.was_made_here(root)
            || main_working_tree(root).is_some_and(|main| self.was_made_here(&main))
    }

    fn made(&self, root: &Path) {
        // Without the mark it is labelled as foreign, which is only a label.
        if let Some(word) = random_word().and_then(|word| mark::put_mark(root, word).ok()) {
            let _: std::io::Result<()> = replace::append_private(&self.made, &format!("{word}\n"));
        }
    }

    fn is_person(&self) -> bool {
        self.origin == Origin::Cli
    }

    fn prove(&self, front: &str, root: &Path) -> Result<usize, String> {
        decisions::proof(front, root)
    }

    fn decided(&self, root: &Path) -> Result<(), String> {
        let checked = decisions::check(root, &decisions::cache(&self.state, root), usize::MAX);
        checked.map(drop).map_err(|error| error.to_string())
    }

    fn session(&self) -> Option<String> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner).session.clone()
    }

    fn client(&self) -> Option<String> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner).client.clone()
    }

    fn subagent(&self) -> Option<String> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner).subagent.clone()
    }

    fn role(&self) -> Option<String> {
        let role = custos_config::Environment::get(&ProcessEnvironment, env::AGENT_ROLE.name)?;
        role.into_string().ok().filter(|role| !role.is_empty())
    }
}

impl Machine {
    /// Says whether the `.ai/` of a root was begun on this machine: it has a mark that is in the list.
    fn was_made_here(&self, root: &Path) -> bool {
        let Some(word) = mark::mark(root) else { return false };
        let list = read_text(&self.made, LARGEST_LIST, Links::Follow).ok().flatten();
        list.is_some_and(|list| list.lines().any(|line| line == word))
    }
}

/// The largest list of projects: some thirty thousand.
const LARGEST_LIST: u64 = 1 << 20;

/// Finds the root that a command is about: the one that was named, else `CUSTOS_ROOT`, else that of the working directory.
pub(crate) fn root(named: Option<&Path>) -> Result<Root, CliError> {
    let of_environment =
        || custos_config::Environment::get(&ProcessEnvironment, env::CUSTOS_ROOT.name).map(PathBuf::from);
    let named =
        named.map(Path::to_owned).or_else(|| of_environment().filter(|path| !path.as_os_str().is_empty()));
    let Some(named) = named else {
        let here = working_directory().and_then(|here| std::fs::canonicalize(here).ok());
        return here.map(|here| Root::find(&here)).ok_or_else(|| {
            CliError::new(Exit::NotFound, "the working directory is gone")
                .hint("go to the project's directory, or name it with --root")
        });
    };
    let real = std::fs::canonicalize(&named).ok().filter(|real| real.is_dir());
    real.map(|real| Root::named(&real)).ok_or_else(|| {
        let absolute = std::path::absolute(&named).unwrap_or(named);
        CliError::new(Exit::NotFound, format!("{} is no directory", absolute.display()))
            .hint("name the directory of a project with --root, or in CUSTOS_ROOT")
    })
}

/// Opens the desk for a person's command.
pub(crate) fn for_person(context: &Context, root: Root) -> Desk {
    open(context, root, Caller::Person, Arc::default(), None)
}

/// Opens the desk for an agent's connection; `served` is told which session it is as soon as that is known.
pub(crate) fn for_agent(
    context: &Context,
    root: Root,
    served: Arc<Mutex<Known>>,
    watcher: Box<dyn Watcher>,
) -> Desk {
    open(context, root, Caller::Agent, served, Some(watcher))
}

/// Opens the knowledge base for a hook, which only reads.
pub(crate) fn for_hook(context: &Context, directory: &Path) -> Base {
    let machine = machine(context, Origin::Hook, Arc::default());
    Base::new(directory, &context.places.config, Arc::new(machine)).with_catalogues(&context.places.state)
}

fn machine(context: &Context, origin: Origin, served: Arc<Mutex<Known>>) -> Machine {
    Machine {
        log: context.log(),
        spool: context.spool(),
        trusted: trust::list(context),
        made: context.places.state.join("made-here"),
        state: context.places.state.clone(),
        origin,
        served,
        gathered: Mutex::default(),
    }
}

fn open(
    context: &Context,
    root: Root,
    caller: Caller,
    served: Arc<Mutex<Known>>,
    watcher: Option<Box<dyn Watcher>>,
) -> Desk {
    let origin = if caller == Caller::Person { Origin::Cli } else { Origin::Mcp };
    let base = Base::at(root, &context.places.config, Arc::new(machine(context, origin, served)));
    let places = Places {
        config: context.places.config.clone(),
        state: context.places.state.clone(),
        log: context.places.log(),
        home: this_machine::home().ok().and_then(|home| std::fs::canonicalize(home).ok()),
    };
    let memory = context.clone();
    Desk::new(base, places, caller, Box::new(move || recall::open(&memory)), watcher)
}
