//! Which store the name of an item means.
//!
//! Ids count separately in every store, so a workspace and its repo may each have a `D-001`. A name means what is nearest, unless it says more:
//! `user:D-001`, `workspace:D-001`, or `api:D-001` for a repo of the workspace. From the workspace its repos are not read along. But somebody
//! who keeps a decision for a repo is told its id, and may use it at once: then the same id of the workspace is not meant. So what would
//! change an item by a name that a repo has as well is refused with both places, and what only shows one says where the others are.

use std::sync::Arc;

use custos_config::shown::shown;

use crate::base::{Base, Stack, View};
use crate::decision::Placed;
use crate::refusal::Refusal;
use crate::root::{Child, Root};
use crate::store::{Level, Store};

/// A name, and where it is to be looked for.
#[derive(Debug, Clone)]
pub(crate) struct Address<'n> {
    /// The levels: those that were looked at, or the one that the name says.
    pub(crate) view: View,
    /// The id, slug or title.
    pub(crate) name: &'n str,
    /// Whether the name says the store.
    pub(crate) is_told: bool,
}

/// An item that a name could mean as well.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Namesake {
    /// The level of its store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// Its id or slug.
    pub name: String,
    /// Its title.
    pub title: String,
}

impl Namesake {
    pub(crate) fn of<T>(placed: &Placed<T>, name: &str, title: &str) -> Self {
        Self {
            level: placed.level,
            store: placed.store.name.clone(),
            name: name.to_owned(),
            title: title.to_owned(),
        }
    }

    /// The name by which nothing else is meant: `api:D-001`.
    pub fn address(&self) -> String {
        let store = if self.level == Level::Repo { self.store.as_str() } else { self.level.word() };
        format!("{store}:{}", self.name)
    }

    /// Refuses to change it by a name that does not say its store: what another level knows is not the project's alone.
    pub(crate) fn is_elsewhere(&self, what: &str, argument: &str, asked: &str) -> Refusal {
        let place = match self.level {
            Level::User => "the person's own".to_owned(),
            level => format!("of {} {}", level.word(), self.store),
        };
        Refusal::new(
            format!("this project has no {what} {}; there is one that is {place}", shown(asked)),
            format!("If you mean that one, send {argument}: \"{}\"", self.address()),
        )
    }

    /// Says where it is: `repo api has D-001 (Use UTC)`.
    pub fn told(&self) -> String {
        let place = match self.level {
            Level::User => "the person's own store".to_owned(),
            level => format!("{} {}", level.word(), self.store),
        };
        format!("{place} has {} ({})", shown(&self.name), shown(&self.title))
    }
}

/// Says which namesakes there are besides what is shown; nothing where there are none.
pub fn noted(namesakes: &[Namesake]) -> Option<String> {
    let told = |one: &Namesake| format!("{}: `{}`", one.told(), one.address());
    let all: Vec<String> = namesakes.iter().map(told).collect();
    (!all.is_empty()).then(|| format!("From here it is not shown, but {}", all.join("; ")))
}

impl Base {
    /// Takes the store off the front of a name, if it says one.
    pub(crate) fn address<'n>(&self, view: &View, name: &'n str) -> Address<'n> {
        let name = name.trim();
        let told = name.split_once(':').filter(|(_, rest)| is_name(rest));
        let stack = told.and_then(|(store, _)| self.told(view, store.trim()));
        match (told, stack) {
            (Some((_, rest)), Some(stack)) => {
                Address { view: self.alone(view, stack), name: rest.trim(), is_told: true }
            }
            _ => Address { view: view.clone(), name, is_told: false },
        }
    }

    /// Finds the store that the front of a name says.
    fn told(&self, view: &View, store: &str) -> Option<Arc<Stack>> {
        let is_level = |stack: &&Arc<Stack>| stack.store.level.word() == store;
        view.stacks.iter().find(is_level).cloned().or_else(|| self.repo_named(store, view))
    }

    /// Gives the repos of a workspace that know something themselves, each alone; none if the view is not of a whole workspace.
    pub fn repos_beside(&self, view: &View) -> Vec<View> {
        self.stores_of(view, &view.root.repos())
    }

    /// Gives those of some repos that know something themselves, each alone.
    pub fn stores_of(&self, view: &View, repos: &[Child]) -> Vec<View> {
        let known = repos.iter().filter(|child| child.path.join(".ai").is_dir());
        known.map(|child| self.alone(view, self.stack_of(&Root::find(&child.path)))).collect()
    }

    /// A view of one store.
    fn alone(&self, view: &View, stack: Arc<Stack>) -> View {
        let root = match stack.store.level {
            Level::User => view.root.clone(),
            _ => self.root_of(&stack.store.root),
        };
        View { root, stacks: vec![stack] }
    }

    /// Finds what a name could mean in the repos of a workspace; nothing if it says its store.
    pub(crate) fn namesakes_beside(
        &self,
        view: &View,
        name: &str,
        find: impl Fn(&View, &str) -> Vec<Namesake>,
    ) -> Vec<Namesake> {
        let address = self.address(view, name);
        if address.is_told {
            return Vec::new();
        }
        self.repos_beside(view).iter().flat_map(|beside| find(beside, address.name)).collect()
    }

    /// Finds where an item is that is to be changed. A name that the workspace and a repo of it could both mean is refused.
    pub(crate) fn settled<'n>(
        &self,
        view: &View,
        what: &str,
        name: &'n str,
        find: impl Fn(&View, &str) -> Vec<Namesake>,
    ) -> Result<Address<'n>, Refusal> {
        let address = self.address(view, name);
        let beside = self.namesakes_beside(view, name, &find);
        if beside.is_empty() {
            return Ok(address);
        }
        let mut all = find(&address.view, address.name);
        let problem =
            if all.is_empty() { no_such(what, address.name, &view.own().store) } else { String::new() };
        all.extend(beside);
        let told = all.iter().map(Namesake::told).collect::<Vec<_>>().join(", and ");
        let addresses =
            all.iter().map(|one| format!("\"{}\"", one.address())).collect::<Vec<_>>().join(" or ");
        Err(Refusal::new(
            if problem.is_empty() {
                format!("{} could mean several: {told}", shown(address.name))
            } else {
                format!("{problem}; {told}")
            },
            format!("Nothing was changed. Send {addresses}; or the repo's name as project_path"),
        ))
    }

    /// Says that there is no such item here, and which repos of the workspace have one.
    pub fn not_here(&self, view: &View, what: &str, name: &str, beside: &[Namesake], next: &str) -> Refusal {
        let address = self.address(view, name);
        if beside.is_empty() {
            let place = if address.is_told {
                format!(" in {}", address.view.own().store.name)
            } else {
                String::new()
            };
            return Refusal::new(format!("there is no {what} {}{place}", shown(address.name)), next);
        }
        let told = beside.iter().map(Namesake::told).collect::<Vec<_>>().join(", and ");
        let addresses =
            beside.iter().map(|one| format!("\"{}\"", one.address())).collect::<Vec<_>>().join(" or ");
        Refusal::new(
            format!("{}; {told}", no_such(what, address.name, &view.own().store)),
            format!("Ask for {addresses}, or send the repo's name as project_path"),
        )
    }
}

fn no_such(what: &str, name: &str, store: &Store) -> String {
    format!("{} {} has no {what} {}", store.level.word(), store.name, shown(name))
}

/// Says whether what follows a colon can be the name of an item. A title may have a colon as well, and a blank behind it.
fn is_name(rest: &str) -> bool {
    let name = rest.trim();
    let is_id = name.split_once('-').is_some_and(|(letter, digits)| {
        letter.len() == 1 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    !name.is_empty() && (is_id || !rest.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backlog::{NewTask, Status};
    use crate::decision::NewDecision;
    use crate::memory::MemoryKind;
    use crate::memory::save::NewMemory;
    use crate::testing::Desk;

    fn decision(title: &str, scope: &[&str]) -> NewDecision {
        let scope = scope.iter().map(|name| (*name).to_owned()).collect();
        NewDecision {
            title: title.to_owned(),
            decision: "d".to_owned(),
            reasoning: "r".to_owned(),
            source: "manual",
            scope,
            ..NewDecision::default()
        }
    }

    fn memory(title: &str, scope: &str) -> NewMemory {
        NewMemory {
            kind: MemoryKind::Pattern,
            title: title.to_owned(),
            description: "d".to_owned(),
            body: String::new(),
            keywords: Vec::new(),
            scope: vec![scope.to_owned()],
            source: "manual",
            supersedes: Vec::new(),
        }
    }

    fn task(title: &str, scope: &str) -> NewTask {
        NewTask {
            title: title.to_owned(),
            description: "d".to_owned(),
            scope: vec![scope.to_owned()],
            ..NewTask::default()
        }
    }

    #[test]
    fn a_decision_that_a_repo_has_as_well_is_archived_only_by_its_full_name() {
        let desk = Desk::with_repos(&["api", "web"]);
        let view = desk.view();
        desk.base.save_decision(&decision("Of all", &[]), &view).unwrap();
        desk.base.save_decision(&decision("Of api", &["api"]), &view).unwrap();
        desk.base.save_decision(&decision("Second of api", &["api"]), &view).unwrap();
        let archive = |id: &str| desk.base.archive_decision(&view, id, "over", None, false);
        assert_eq!(
            archive("D-001").unwrap_err().to_string(),
            "D-001 could mean several: workspace root has D-001 (Of all), and repo api has D-001 (Of api). Nothing was changed. Send \"workspace:D-001\" or \"api:D-001\"; or the repo's name as project_path"
        );
        assert_eq!(
            archive("D-002").unwrap_err().to_string(),
            "workspace root has no decision D-002; repo api has D-002 (Second of api). Nothing was changed. Send \"api:D-002\"; or the repo's name as project_path"
        );
        let archived = archive("api:d-1").unwrap();
        assert_eq!((archived.title.as_str(), archived.store.as_str()), ("Of api", "api"));
        let archived = archive("D-001").unwrap();
        assert_eq!((archived.title.as_str(), archived.level), ("Of all", Level::Workspace));
        assert_eq!(archive("api:D-009").unwrap_err().problem, "there is no active decision D-009 in api");
        // Seen from the repo, it is the repo's.
        let of_api = desk.base.view(Some("api")).unwrap();
        assert_eq!(desk.base.archive_decision(&of_api, "D-002", "over", None, false).unwrap().store, "api");
    }

    #[test]
    fn so_are_memories_and_tasks() {
        let desk = Desk::with_repos(&["api", "web"]);
        let view = desk.view();
        for (title, scope) in [("Same", "all"), ("Same", "api"), ("Only of web", "web")] {
            desk.base.save_memory(&memory(title, scope), &view).unwrap();
            desk.base.add_task(&task(title, scope), &view).unwrap();
        }
        let archive = |slug: &str| desk.base.archive_memory(&view, slug, "over", None);
        assert_eq!(
            archive("same").unwrap_err().problem,
            "same could mean several: workspace root has same (Same), and repo api has same (Same)"
        );
        assert_eq!(
            archive("only-of-web").unwrap_err().problem,
            "workspace root has no memory only-of-web; repo web has only-of-web (Only of web)"
        );
        assert_eq!(archive("api:same").unwrap().store, "api");
        assert_eq!(archive("same").unwrap().level, Level::Workspace);
        let done = |id: &str| desk.base.update_task(&view, id, Some(Status::Done), None, None);
        assert_eq!(
            done("B-001").unwrap_err().problem,
            "B-001 could mean several: workspace root has B-001 (Same), and repo api has B-001 (Same), and repo web has B-001 (Only of web)"
        );
        assert_eq!(done("web:B-001").unwrap().title, "Only of web");
        assert_eq!(done("workspace:B-1").unwrap().level, Level::Workspace);
        assert_eq!(desk.base.find_task(&view, "api:b-1").unwrap().store.name, "api");
    }

    #[test]
    fn a_merge_says_whose_memory_stays_and_takes_the_others_from_there() {
        let desk = Desk::with_repos(&["api", "web"]);
        let view = desk.view();
        for (title, scope) in [("Same", "all"), ("Same", "api"), ("Other", "all"), ("Other", "api")] {
            desk.base.save_memory(&memory(title, scope), &view).unwrap();
        }
        let merge =
            |into: &str, from: &str| desk.base.merge_memories(&view, into, &[from.to_owned()], None, None);
        assert_eq!(
            merge("same", "other").unwrap_err().to_string(),
            "same could mean several: workspace root has same (Same), and repo api has same (Same). Nothing was changed. Send \"workspace:same\" or \"api:same\"; or the repo's name as project_path"
        );
        assert_eq!(
            merge("api:same", "workspace:other").unwrap_err().problem,
            "workspace:other is in root, and memories of two stores are not merged"
        );
        let merged = merge("api:same", "api:other").unwrap();
        assert_eq!((merged.into.store.as_str(), merged.archived[0].store.as_str()), ("api", "api"));
        let merged = merge("workspace:same", "other").unwrap();
        assert_eq!((merged.into.store.as_str(), merged.archived[0].store.as_str()), ("root", "root"));
        assert_eq!(desk.base.memories(&desk.base.view(Some("api")).unwrap(), None).len(), 1);
    }

    #[test]
    fn a_question_that_a_repo_has_as_well_is_answered_only_by_its_full_name() {
        let desk = Desk::with_repos(&["api", "web"]);
        let (view, api) = (desk.view(), desk.base.view(Some("api")).unwrap());
        desk.base.ask(&view, "Of all?", "").unwrap();
        desk.base.ask(&api, "Of api?", "").unwrap();
        desk.base.ask(&api, "Second of api?", "").unwrap();
        assert_eq!(
            desk.base.answer(&view, "Q-001", "Yes").unwrap_err().to_string(),
            "Q-001 could mean several: workspace root has Q-001 (Of all?), and repo api has Q-001 (Of api?). Nothing was changed. Send \"workspace:Q-001\" or \"api:Q-001\"; or the repo's name as project_path"
        );
        assert_eq!(
            desk.base.answer(&view, "Q-002", "Yes").unwrap_err().problem,
            "workspace root has no question Q-002; repo api has Q-002 (Second of api?)"
        );
        let answered = desk.base.answer(&view, "api:q-1", "Yes").unwrap();
        assert_eq!((answered.title.as_str(), answered.store.as_str()), ("Of api?", "api"));
        let archived =
            desk.base.update_question(&view, "workspace:Q-001", crate::question::Status::Archived, "over");
        assert_eq!(archived.unwrap().title, "Of all?");
        // Seen from the repo, it is the repo's.
        assert_eq!(desk.base.answer(&api, "Q-002", "No").unwrap().store, "api");
        assert_eq!(desk.base.answer(&api, "Q-009", "No").unwrap_err().problem, "there is no question Q-009");
    }

    #[test]
    fn a_title_with_a_colon_is_a_title() {
        let desk = Desk::with_repos(&["api", "web"]);
        let view = desk.view();
        desk.base.save_memory(&memory("api: tabs, not blanks", "all"), &view).unwrap();
        assert!(desk.base.find_memory(&view, "api: tabs, not blanks").is_some());
        let told = desk.base.address(&view, "elsewhere:D-001");
        assert_eq!((told.name, told.is_told), ("elsewhere:D-001", false));
    }
}
