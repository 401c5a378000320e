//! Which store the name of an item means.
//!
//! Ids count separately in every store, so a workspace and its repo may each have a `D-001`. A name means what is nearest, unless it says more:
//! `user:D-001`, `workspace:D-001`, or `api:D-001` for a repo of the workspace. From the workspace its repos are not read along. But somebody
//! who keeps a decision for a repo is told its id, and may use it at once: then the same id of the workspace is not meant. So what would
//! change an item by a name that a repo has as well is refused with both places, and what only shows one says where the others are.
//!
//! A merge of two branches may give one id to two items of a store. Then the id means neither of them alone, and each is called by the name of
//! its file.

mod called;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use custos_config::shown::shown;

use crate::base::{Base, Stack, View};
use crate::decision::Placed;
use crate::keeping::broken;
use crate::refusal::Refusal;
use crate::root::Child;
use crate::scope::spelt;
use crate::shelf::{Fault, Kept};
use crate::store::{Level, Store};
pub(crate) use called::{Called, Numbered, called, names_file, number_of};

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

/// A file that a name means and that cannot be read.
#[derive(Debug, Clone)]
pub struct Unread {
    stack: Arc<Stack>,
    fault: Fault,
}

impl Unread {
    /// Refuses to show it.
    pub fn refusal(&self) -> Refusal {
        broken(&self.stack.store, &self.fault)
    }

    /// Notes that it is there, for whoever is shown another of that name.
    pub fn note(&self) -> String {
        let Fault { file, line, reason } = &self.fault;
        let line = if *line == 0 { String::new() } else { format!(", line {line}") };
        let place = place(self.stack.store.level, &self.stack.store.name);
        format!("Another of that name cannot be read: {} of {place}{line}: {reason}", shown(file))
    }
}

/// An item that was found by a name, and the store that has it.
#[derive(Debug, Clone)]
pub(crate) struct Found<T> {
    pub(crate) stack: Arc<Stack>,
    pub(crate) kept: Kept<T>,
}

/// What a name means for whoever would change something by it.
#[derive(Debug)]
pub(crate) enum Meant<T> {
    /// One item of the project, or of a store that the name or the scope says.
    This(Found<T>),
    /// Nothing of the project, but one of another level, which is not the project's alone.
    Elsewhere(Found<T>),
    /// Nothing.
    Nothing,
}

impl<T: Called> Found<T> {
    /// The name by which nothing else is meant: `api:D-001`.
    pub(crate) fn address(&self) -> String {
        address_of(&self.stack.store, self.kept.item.name())
    }

    /// The name by which a store calls it: its own by the name alone.
    pub(crate) fn seen_from(&self, store: &Store) -> String {
        if *self.stack.store == *store { self.kept.item.name().to_owned() } else { self.address() }
    }

    /// Says what it is: `D-001 (Use UTC) of repo api`.
    pub(crate) fn described(&self) -> String {
        described(&self.stack.store, &*self.kept.item)
    }

    pub(crate) fn namesake(&self) -> Namesake {
        let Store { level, name: store, .. } = &*self.stack.store;
        let item = &self.kept.item;
        Namesake {
            level: *level,
            store: store.clone(),
            name: item.name().to_owned(),
            title: item.title().to_owned(),
        }
    }
}

/// Says what an item of a store is: `D-001 (Use UTC) of repo api`.
pub(crate) fn described<T: Called>(store: &Store, item: &T) -> String {
    format!("{} ({}) of {}", shown(item.name()), shown(item.title()), place(store.level, &store.name))
}

/// Names an item of a store as nothing else is named: `api:D-001`.
pub(crate) fn address_of(store: &Store, name: &str) -> String {
    addressed(store.level, &store.name, name)
}

fn addressed(level: Level, store: &str, name: &str) -> String {
    let of = if level == Level::Repo { spelt(store) } else { level.word().to_owned() };
    format!("{of}:{name}")
}

/// Names a store in a sentence.
pub(crate) fn place(level: Level, store: &str) -> String {
    match level {
        Level::User => "the person's own store".to_owned(),
        level => format!("{} {store}", level.word()),
    }
}

/// Says what several items that were found are called. Of two with one id in one store each goes by its file.
pub(crate) fn namesakes<T: Called>(found: &[Placed<T>]) -> Vec<Namesake> {
    let of = |placed: &Placed<T>| {
        let item = &placed.kept.item;
        let name = if has_twin(placed, found) { T::name_by_file(&placed.kept.file) } else { item.name() };
        Namesake {
            level: placed.level,
            store: placed.store.name.clone(),
            name: name.to_owned(),
            title: item.title().to_owned(),
        }
    };
    found.iter().map(of).collect()
}

/// Says whether another file of the same store has the same id.
fn has_twin<T: Called>(placed: &Placed<T>, among: &[Placed<T>]) -> bool {
    among.iter().any(|other| {
        other.store == placed.store
            && other.kept.item.name() == placed.kept.item.name()
            && other.kept.file != placed.kept.file
    })
}

impl Namesake {
    /// The name by which nothing else is meant: `api:D-001`.
    pub fn address(&self) -> String {
        addressed(self.level, &self.store, &self.name)
    }

    /// Refuses to change it by a name that does not say its store: what another level knows is not the project's alone.
    pub(crate) fn is_elsewhere(&self, what: &str, argument: &str, asked: &str) -> Refusal {
        let place = match self.level {
            Level::User => "the person's own".to_owned(),
            level => format!("of {} {}", level.word(), self.store),
        };
        Refusal::missing(
            format!("this project has no {what} {}; there is one that is {place}", shown(asked)),
            format!("If you mean that one, send {argument}: \"{}\"", self.address()),
        )
    }

    /// Says where it is: `repo api has D-001 (Use UTC)`.
    pub fn told(&self) -> String {
        let place = place(self.level, &self.store);
        format!("{place} has {} ({})", shown(&self.name), shown(&self.title))
    }
}

/// Says which namesakes there are besides what is shown; nothing where there are none.
pub fn noted(namesakes: &[Namesake]) -> Option<String> {
    let told = |one: &Namesake| format!("{}: `{}`", one.told(), one.address());
    (!namesakes.is_empty()).then(|| format!("From here it is not shown, but {}", few(namesakes, told, "; ")))
}

/// Says which items have one id in one store, and how that ends; nothing where each has its own.
pub(crate) fn twins_noted<T: Called>(found: &[Placed<T>]) -> Option<String> {
    let all = namesakes(found).into_iter().zip(found);
    let twins: Vec<Namesake> =
        all.filter(|(_, placed)| has_twin(placed, found)).map(|(name, _)| name).collect();
    (!twins.is_empty()).then(|| {
        format!("{} have one {}: {}. {}", twins.len(), T::NAMED_BY, told(&twins), by_the_doctor::<T>())
    })
}

/// Says how items with one id come to ids of their own.
fn by_the_doctor<T: Called>() -> String {
    let article = if T::NAMED_BY == "id" { "an" } else { "a" };
    format!("kb_doctor with `fix` gives one of them {article} {} of its own", T::NAMED_BY)
}

/// Takes a name apart that begins with that of a store: `api:D-001`.
pub(crate) fn split_address(name: &str) -> Option<(&str, &str)> {
    let (store, rest) = name.split_once(':').filter(|(_, rest)| is_name(rest))?;
    Some((store.trim(), rest.trim()))
}

impl Base {
    /// Finds the one item that a name means for whoever would change something by it; several are refused.
    ///
    /// It is looked for in `near`, the stores that are written anyway, and at the root of a workspace also in its repos; if it is in none of
    /// them, at the other levels. `find` gives what a store has by a name.
    pub(crate) fn meant<T: Called>(
        &self,
        view: &View,
        near: &[Arc<Stack>],
        name: &str,
        find: impl Fn(&Stack, &str) -> Vec<Kept<T>>,
    ) -> Result<Meant<T>, Refusal> {
        let address = self.address(view, name);
        let find = |stack: &Arc<Stack>| -> Vec<Found<T>> {
            let found = find(stack, address.name).into_iter();
            found.map(|kept| Found { stack: Arc::clone(stack), kept }).collect()
        };
        let is_near = |stack: &Arc<Stack>| near.iter().any(|known| known.store == stack.store);
        let mut found: Vec<Found<T>> = Vec::new();
        if address.is_told {
            found.extend(find(address.view.own()));
        } else {
            found.extend(near.iter().flat_map(&find));
            let beside = self.repos_beside(view);
            let beside = beside.iter().map(View::own).filter(|stack| !is_near(stack));
            let mut beside: Vec<Found<T>> = beside.flat_map(&find).collect();
            if found.is_empty() && !beside.is_empty() {
                beside.extend(view.stacks.iter().filter(|stack| !is_near(stack)).flat_map(&find));
                let missing = no_such(T::WHAT, address.name, &view.own().store);
                return Err(not_settled(&missing, &namesakes(&placed(&beside))));
            }
            found.extend(beside);
        }
        if found.len() > 1 {
            return Err(several(address.name, &placed(&found), &view.own().store));
        }
        if let Some(found) = found.pop() {
            return Ok(Meant::This(found));
        }
        let others = view.stacks.iter().filter(|stack| !address.is_told && !is_near(stack));
        Ok(others.flat_map(&find).next().map_or(Meant::Nothing, Meant::Elsewhere))
    }

    /// Takes the store off the front of a name, if it says one.
    pub(crate) fn address<'n>(&self, view: &View, name: &'n str) -> Address<'n> {
        let name = name.trim();
        let told = split_address(name);
        let stack = told.and_then(|(store, _)| self.told(view, store));
        match (told, stack) {
            (Some((_, rest)), Some(stack)) => {
                Address { view: self.alone(view, stack), name: rest, is_told: true }
            }
            _ => Address { view: view.clone(), name, is_told: false },
        }
    }

    /// Finds the store that the front of a name says.
    fn told(&self, view: &View, store: &str) -> Option<Arc<Stack>> {
        if store.eq_ignore_ascii_case(Level::User.word()) {
            return Some(Arc::clone(self.user()));
        }
        let is_level = |stack: &&Arc<Stack>| stack.store.level.word().eq_ignore_ascii_case(store);
        let level = view.stacks.iter().find(is_level).cloned();
        level.or_else(|| self.repo_named(store, view))
    }

    /// Gives the repos of a workspace that know something themselves, each alone; none if the view is not of a whole workspace.
    pub fn repos_beside(&self, view: &View) -> Vec<View> {
        self.stores_of(view, &view.root.repos())
    }

    /// Gives those of some repos that know something themselves, each alone.
    pub fn stores_of(&self, view: &View, repos: &[Child]) -> Vec<View> {
        let known = repos.iter().filter(|child| child.path.join(".ai").is_dir());
        known.map(|child| self.alone(view, self.stack_of(&child.root()))).collect()
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
        if all.is_empty() {
            return Err(not_settled(&no_such(what, address.name, &view.own().store), &beside));
        }
        all.extend(beside);
        Err(ambiguous(address.name, &all, &format!("Send {}; {OR_THE_REPO}", addresses(&all))))
    }

    /// Finds a file that a name means and that cannot be read: in the store that the name says, else in those of a view, and whether the name
    /// says it. `find` looks in one of them.
    pub(crate) fn unread_in(
        &self,
        view: &View,
        name: &str,
        find: impl Fn(&Stack, &str) -> Option<Fault>,
    ) -> Option<Unread> {
        let address = self.address(view, name);
        let found = |stack: &Arc<Stack>| Some((Arc::clone(stack), find(stack, address.name)?));
        let (stack, fault) = address.view.stacks.iter().find_map(found)?;
        Some(Unread { stack, fault })
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
            return Refusal::missing(format!("there is no {what} {}{place}", repeated(address.name)), next);
        }
        Refusal::missing(
            format!("{}; {}", no_such(what, address.name, &view.own().store), told(beside)),
            format!("Ask for {}, or send the repo's name as project_path", addresses(beside)),
        )
    }
}

/// Takes what was found as it is listed.
fn placed<T>(found: &[Found<T>]) -> Vec<Placed<T>> {
    let place = |Found { stack, kept }: &Found<T>| Placed {
        level: stack.store.level,
        store: Arc::clone(&stack.store),
        kept: kept.clone(),
    };
    found.iter().map(place).collect()
}

/// Refuses a name that means several items, as seen from a store.
pub(crate) fn several<T: Called>(asked: &str, found: &[Placed<T>], own: &Store) -> Refusal {
    let all = namesakes(found);
    let are_own = found.iter().all(|placed| *placed.store == *own);
    let names = || few(&all, |one| format!("\"{}\"", one.name), " or ");
    let send = if are_own { names() } else { addresses(&all) };
    let or = match (found.iter().any(|placed| has_twin(placed, found)), are_own) {
        (true, _) => format!("; {}", by_the_doctor::<T>()),
        (false, true) => String::new(),
        (false, false) => format!("; {OR_THE_REPO}"),
    };
    ambiguous(asked, &all, &format!("Send {send}{or}"))
}

/// How a repo is named without its name before that of the item.
const OR_THE_REPO: &str = "or the repo's name as project_path";

fn ambiguous(asked: &str, all: &[Namesake], next: &str) -> Refusal {
    Refusal::new(
        format!("{} could mean several: {}", shown(asked), told(all)),
        format!("Nothing was changed. {next}"),
    )
}

/// Refuses a name that only the repos of a workspace know.
fn not_settled(missing: &str, beside: &[Namesake]) -> Refusal {
    Refusal::missing(
        format!("{missing}; {}", told(beside)),
        format!("Nothing was changed. Send {}; {OR_THE_REPO}", addresses(beside)),
    )
}

fn told(all: &[Namesake]) -> String {
    few(all, Namesake::told, ", and ")
}

fn addresses(all: &[Namesake]) -> String {
    few(all, |one| format!("\"{}\"", one.address()), " or ")
}

/// How many namesakes are told: every repo of a workspace has a D-001.
const MOST_TOLD: usize = 8;

/// Tells of the first of some namesakes, and how many more there are.
fn few(all: &[Namesake], told: impl Fn(&Namesake) -> String, between: &str) -> String {
    let mut parts: Vec<String> = all.iter().take(MOST_TOLD).map(told).collect();
    parts.extend((all.len() > MOST_TOLD).then(|| format!("{} more", all.len() - MOST_TOLD)));
    parts.join(between)
}

fn no_such(what: &str, name: &str, store: &Store) -> String {
    format!("{} {} has no {what} {}", store.level.word(), store.name, repeated(name))
}

/// Says a name again that somebody sent, without what is secret in it.
fn repeated(name: &str) -> String {
    shown(&custos_redact::redact(name))
}

/// Says whether what follows a colon can be the name of an item. A title may have a colon as well, and a blank right behind it.
fn is_name(rest: &str) -> bool {
    let name = rest.trim();
    let is_id = name.split_once('-').is_some_and(|(letter, digits)| {
        letter.len() == 1 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    !name.is_empty() && (is_id || !rest.starts_with(char::is_whitespace))
}
