//! The phase that hints: one line before a file is touched that has bitten somebody before, one after a command failed as it failed before.
//!
//! What could be said was written down by the worker ([`custos_recall::hints`]), so that a hook only has to look: one file, no database.
//! A session hears each line once, and none that it gave rise to itself. Whatever is in the way, the hint stays away: a tool waits.

use custos_clients::overrides::Overrides;
use custos_clients::tool::{Deed, act};
use custos_clients::{Happening, HookEvent};
use custos_config::Project;
use custos_model::{Draft, Kind, Scope};
use custos_recall::Policy;
use custos_recall::hints::file::{are_there, session_mark};
use custos_recall::hints::{Hint, Hints, Trigger};
use custos_recall::receipt::Receipt;

use crate::place::Place;
use crate::record;
use crate::recording::Joined;
use crate::scribe::Scribe;
use crate::session::{Mark, Session};
use crate::touched::Touched;

/// How many directories around a project are taken for workspaces.
const MOST_AROUND: usize = 8;

/// The longest command in which files are looked for.
const LONGEST_COMMAND: usize = 256;

/// Gives the hint for an event, if there is one and the client takes it here, and notes that the session has heard it.
pub(crate) fn hint(
    scribe: &Scribe<'_>,
    joined: &Joined<'_>,
    event: &HookEvent,
    project: Option<&Project>,
    overrides: &Overrides,
) -> Option<String> {
    let takes_context = || {
        let mut rows = scribe.client.manifest.events.iter();
        rows.any(|row| row.event == scribe.event && row.context)
    };
    let recaller = scribe.around.recaller.filter(|_| takes_context())?;
    let (_, session) = joined.as_ref().ok()?;
    let home = project?;
    let (trigger, about, found) = match &event.happening {
        Happening::ToolStarting { call } => {
            let act = act(scribe.client.tools, overrides, call)?;
            // To find the files of a command takes as long as to judge it, and a script names many in passing.
            if act.deed == Deed::Shell && act.with.len() > LONGEST_COMMAND {
                return None;
            }
            let (about, found) =
                of_files(scribe, home, || record::named(event, overrides, scribe.around.home))?;
            (Trigger::File, about, found)
        }
        // Some clients do not say how a command ended; the error that was fixed before is one either way.
        Happening::ToolEnded { call, end } if end.ok != Some(true) => {
            let act = act(scribe.client.tools, overrides, call)?;
            let output = end.output.as_deref().filter(|_| act.deed == Deed::Shell)?;
            (Trigger::Error, home.identity.clone(), hints(scribe, home)?.of_output(output)?)
        }
        _ => return None,
    };
    // A sub-agent does not know what the main one was told, nor the other way round.
    let agent = event.agent.as_ref().map(|agent| session_mark(&agent.id));
    let key = agent.map_or_else(|| found.key.spelt(), |agent| format!("{agent:x}/{}", found.key.spelt()));
    let end = found.id.end();
    let is_known = || agent.is_none() && session.recalled().contains(&end);
    if found.session == session_mark(&session.id) || session.was_hinted(&key) || is_known() {
        return None;
    }
    // Asked last: it reads the settings of the project, and mostly there is no hint.
    if !recaller.wants(Some(&home.root)).tool {
        return None;
    }
    let line = found.line(trigger, scribe.now);
    // Without the marks it would come again and again.
    session.mark(scribe.now, scribe.event, Mark::Hinted(&key)).ok()?;
    if agent.is_none() {
        session.mark(scribe.now, scribe.event, Mark::Recalled(&end)).ok()?;
    }
    scribe.append(served(scribe, session, about, &found.receipt(trigger, scribe.now, &line)));
    Some(line)
}

fn hints(scribe: &Scribe<'_>, project: &Project) -> Option<Hints> {
    Hints::read(&scribe.around.log.places().state, &project.identity)
}

/// Looks for something about the files of a call, those that it changes first, and gives the project that it is from: the session's own, a
/// repo in the workspace that the session is in, or a workspace around the repo, of what was learnt there about this repo's files. What
/// another project has learnt stays there, whatever files are read.
fn of_files(
    scribe: &Scribe<'_>,
    home: &Project,
    touched: impl FnOnce() -> Touched,
) -> Option<(String, Hint)> {
    // Most projects have no hints, and a hook pays for looking at every call. So that is asked before the call is taken apart.
    if !are_there(&scribe.around.log.places().state) {
        return None;
    }
    let of_home = if home.repo.is_some() { Shelf::of(scribe, home)? } else { Shelf::default() };
    let touched = touched();
    if !(1..=Policy::DEFAULT.hints.named).contains(&(touched.changed.len() + touched.read.len())) {
        return None;
    }
    let place = Place::of(Some(home.clone()), &touched, &scribe.names);
    let project = place.project.as_ref()?;
    let shelf = match home.repo {
        Some(_) if project.identity == home.identity => of_home,
        None if project.root.starts_with(&home.root) => Shelf::of(scribe, project)?,
        _ => return None,
    };
    let mut files = touched.changed.iter().chain(&touched.read);
    files.find_map(|file| shelf.find(project, place.relative(file)))
}

/// The hints in which something about a project's files may be: its own, and those of the directories around it, where sessions over
/// several repos are begun. They are known by their paths, so they are of this machine, and the project lies in them.
#[derive(Default)]
struct Shelf {
    own: Option<Hints>,
    around: Vec<(Project, Hints)>,
}

impl Shelf {
    /// Opens the hints of a project; nothing where there are none.
    fn of(scribe: &Scribe<'_>, project: &Project) -> Option<Self> {
        let around = project.root.ancestors().skip(1).take(MOST_AROUND);
        let around = around.map(|around| scribe.names.named(Project::of_directory(around)));
        let shelf = Self {
            own: hints(scribe, project),
            around: around.filter_map(|around| hints(scribe, &around).map(|hints| (around, hints))).collect(),
        };
        (shelf.own.is_some() || !shelf.around.is_empty()).then_some(shelf)
    }

    /// Finds something about a file of the project, and says which project it is from; what is known in the project itself goes first.
    fn find(&self, project: &Project, file: &str) -> Option<(String, Hint)> {
        let own = self.own.as_ref().and_then(|own| own.of_file(file));
        let around = || {
            let mut around = self.around.iter();
            around.find_map(|(workspace, hints)| {
                Some((workspace.identity.clone(), hints.of_file_in(&project.identity, file)?))
            })
        };
        own.map(|hint| (project.identity.clone(), hint)).or_else(around)
    }
}

/// Makes the event that tells what was given.
fn served(scribe: &Scribe<'_>, session: &Session, project: String, receipt: &Receipt) -> Draft {
    let mut draft = Draft::new(Kind::RecallServed, Scope::Session, receipt.body());
    draft.session = Some(session.id.clone());
    draft.project = Some(project);
    draft.agent = Some(scribe.nobody());
    draft
}
