//! Who asks, from which project, and about which.

use custos_config::shown::shown;
use custos_knowledge::Refusal;
use custos_model::Timestamp;
use custos_recall::{Ask, Depth, Echo, Store, Viewer, Work};

use crate::desk::{Caller, Desk};
use crate::fields::Arguments;
use crate::recollection::unavailable;

/// Who asks, from where, and when.
pub(super) struct Asker {
    pub(super) client: Option<String>,
    pub(super) session: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) role: Option<String>,
    pub(super) project: String,
    pub(super) branch: Option<String>,
    pub(super) is_person: bool,
    /// Whether the client says that another agent has sent it.
    pub(super) is_subagent: bool,
    pub(super) now: Timestamp,
}

impl Asker {
    pub(super) fn at(desk: &Desk) -> Result<Self, Refusal> {
        let around = desk.base.around();
        let session = around.session();
        let subagent = around.subagent();
        let is_subagent = subagent.is_some();
        // The pseudonym of a session's main agent has the digits of the session's.
        let main = || session.as_deref()?.strip_prefix("s-").map(|digits| format!("ag-{digits}"));
        let agent = subagent.or_else(main);
        let project = around.project(&desk.base.view(None)?.root.path);
        Ok(Self {
            client: around.client(),
            session,
            agent,
            role: around.role(),
            branch: project.repo.as_ref().and_then(|repo| repo.branch.clone()),
            project: project.identity,
            is_subagent,
            is_person: desk.caller == Caller::Person,
            now: around.now(),
        })
    }

    pub(super) fn viewer(&self) -> Viewer<'_> {
        if self.is_person {
            return Viewer::owner();
        }
        let known = [&self.client, &self.role, &self.agent, &self.session];
        let [client, role, agent, session] = known.map(Option::as_deref);
        let of = if self.is_subagent { Viewer::subagent } else { Viewer::agent };
        of(client, role, agent, session, Some(&self.project))
    }

    /// Lists the files that the session is working on.
    pub(super) fn at_hand(&self, store: &mut Store) -> Result<Vec<String>, Refusal> {
        store.at_hand(&self.project, self.session.as_deref()).map_err(|error| unavailable(&error))
    }

    pub(super) fn question<'a>(&'a self, text: &'a str, at_hand: &'a [&'a str]) -> Ask<'a> {
        let work = Work { files: at_hand, branch: self.branch.as_deref(), project: Some(&self.project) };
        // A person has nobody who repeats what they typed.
        let echo = if self.is_person { Echo::Kept } else { Echo::LeftOut(self.session.as_deref()) };
        Ask { work, echo, ..Ask::new(text, self.viewer(), self.now, Depth::Server) }
    }
}

/// Finds the projects that a search is about: those that were named, all, or the session's own.
pub(super) fn wanted(
    desk: &Desk,
    store: &mut Store,
    asker: &Asker,
    arguments: &Arguments,
) -> Result<Vec<String>, Refusal> {
    let named: Vec<String> = arguments
        .texts("projects")
        .into_iter()
        .chain(arguments.some_text("project").map(str::to_owned))
        .collect();
    match (arguments.flag("all"), named.is_empty()) {
        (true, true) => return Ok(Vec::new()),
        (true, false) => {
            return Err(Refusal::new("`all` and a project were sent, which differ", "Send one of the two"));
        }
        (false, true) => return Ok(vec![asker.project.clone()]),
        (false, false) => {}
    }
    let known = store.index().projects().map_err(|error| unavailable(&error.into()))?;
    named.iter().map(|name| project(desk, &known, name.trim())).collect()
}

/// Finds the project that a text names: its identity, the last part of it, or a directory in it.
fn project(desk: &Desk, known: &[String], wanted: &str) -> Result<String, Refusal> {
    let last = |identity: &str| {
        identity.rsplit(['/', '\\']).find(|part| !part.is_empty() && *part != ".git").map(str::to_owned)
    };
    let mut called: Vec<&String> = known.iter().filter(|identity| *identity == wanted).collect();
    if called.is_empty() {
        called = known.iter().filter(|identity| last(identity).as_deref() == Some(wanted)).collect();
    }
    let directory = std::path::Path::new(wanted);
    match called.as_slice() {
        [one] => Ok((*one).clone()),
        [] if directory.is_absolute() => Ok(desk.base.around().project(directory).identity),
        [] => Err(Refusal::missing(
            format!("there is no project {} in the memory", shown(wanted)),
            "Send its identity, its name or an absolute directory; without `project` this one is searched, with `all` every one",
        )),
        several => {
            let names: Vec<String> = several.iter().map(|name| shown(name)).collect();
            Err(Refusal::new(
                format!("{} may be {}", shown(wanted), names.join(" or ")),
                "Send the whole identity",
            ))
        }
    }
}
