//! Where something is written: the stores that a scope names.
//!
//! Nothing, or `all`, means the project's own store; `user` the person's; a name the repo of that name in the workspace. A name that nobody knows
//! means the project's own as well, and a note says so. No name leads out of the workspace.
//!
//! What is private must not land in a shared store because of a capital letter. So our own words count in whatever case, and a name that nobody
//! has is looked for once more in whatever case, and counts if it then means one store. However a letter is put together in Unicode, it is the
//! same: one system writes the names of directories so, another otherwise.
//!
//! A repo may be called as one of our words is. Then `./user` is the repo, here and in front of an id, and whatever names it to somebody names
//! it so ([`spelt`]).

use std::sync::Arc;

use custos_config::shown::shown;
use unicode_normalization::UnicodeNormalization as _;

use crate::base::{Base, Stack, View};
use crate::root::Child;
use crate::store::Level;

/// Where something is to be written.
#[derive(Debug)]
pub struct Targets {
    /// The stores.
    pub stacks: Vec<Arc<Stack>>,
    /// What whoever asked should know about it.
    pub notes: Vec<String>,
}

impl Targets {
    /// The stores after another, each once.
    pub(crate) fn after(&self, first: &Arc<Stack>) -> Vec<Arc<Stack>> {
        let others = self.stacks.iter().filter(|stack| stack.store != first.store);
        [first].into_iter().chain(others).cloned().collect()
    }
}

/// The words that mean a store by what it is, and not by what it is called.
const WORDS: [&str; 4] = ["all", "user", "workspace", "repo"];

/// Stands before the name of a repo that is one of our words.
const BY_NAME: &str = "./";

/// Spells the name of a repo so that it means that repo and nothing else.
pub fn spelt(name: &str) -> String {
    let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(name));
    if is_word { format!("{BY_NAME}{name}") } else { name.to_owned() }
}

/// How the names of stores are compared.
type Same = fn(&str, &str) -> bool;

impl Base {
    /// Finds the stores that a scope means, as seen from a project.
    pub fn targets(&self, scope: &[String], view: &View) -> Targets {
        let mut targets = Targets { stacks: Vec::new(), notes: Vec::new() };
        let mut repos = None;
        // Some send one text with commas in it.
        let names = scope.iter().flat_map(|names| names.split(',')).map(str::trim);
        for name in names.filter(|name| !name.is_empty()) {
            let stack = self.keyword(name, view).unwrap_or_else(|| {
                let repos = repos.get_or_insert_with(|| self.repos_in_scope(view));
                self.named(name, repos, view).unwrap_or_else(|| {
                    targets.notes.push(unknown_scope(name, repos, view));
                    Arc::clone(view.own())
                })
            });
            if !targets.stacks.iter().any(|known| known.store == stack.store) {
                targets.stacks.push(stack);
            }
        }
        if targets.stacks.is_empty() {
            targets.stacks.push(Arc::clone(view.own()));
        }
        targets
    }

    /// Finds the store that a word of ours means, in whatever case.
    fn keyword(&self, name: &str, view: &View) -> Option<Arc<Stack>> {
        match name.to_ascii_lowercase().as_str() {
            "all" | "*" => Some(Arc::clone(view.own())),
            "user" => Some(Arc::clone(self.user())),
            "workspace" => view.stacks.iter().find(|stack| stack.store.level == Level::Workspace).cloned(),
            _ => None,
        }
    }

    /// Finds the store that a name means: as it is written, else in whatever case.
    fn named(&self, name: &str, repos: &[Child], view: &View) -> Option<Arc<Stack>> {
        let name = name.strip_prefix(BY_NAME).unwrap_or(name);
        // A shell that completes the name of a directory ends it so.
        let name = name.strip_suffix('/').unwrap_or(name);
        let as_written: Same = |a, b| a == b || a.nfc().eq(b.nfc());
        let in_any_case: Same = |a, b| a.to_lowercase().nfc().eq(b.to_lowercase().nfc());
        self.named_as(name, repos, view, as_written).or_else(|| self.named_as(name, repos, view, in_any_case))
    }

    /// Finds the store that a name means: a repo of the workspace by its path or, if no other is called so, by its own name; or one of those
    /// that are looked at anyway.
    fn named_as(&self, name: &str, repos: &[Child], view: &View, same: Same) -> Option<Arc<Stack>> {
        let only = |is_meant: &dyn Fn(&Child) -> bool| {
            let mut meant = repos.iter().filter(|child| is_meant(child));
            meant.next().filter(|_| meant.next().is_none())
        };
        let child = only(&|child| same(&child.name, name))
            .or_else(|| only(&|child| child.name.rsplit('/').next().is_some_and(|last| same(last, name))));
        if let Some(child) = child {
            return Some(self.stack_of(&child.root()));
        }
        let is_meant = |stack: &&Arc<Stack>| {
            let store = &stack.store;
            store.level != Level::User && (same(&store.name, name) || same(store.level.word(), name))
        };
        view.stacks.iter().find(is_meant).map(Arc::clone)
    }

    /// Finds the store of a repo by its name, as a scope would.
    pub(crate) fn repo_named(&self, name: &str, view: &View) -> Option<Arc<Stack>> {
        self.named(name, &self.repos_in_scope(view), view)
    }

    /// Lists the repos that a scope may name, as seen from a project: those of the session's workspace, from each of them as well. A project
    /// elsewhere has its own.
    pub fn repos_in_scope(&self, view: &View) -> Vec<Child> {
        let session = self.root();
        let is_within = session.is_workspace() && view.root.path.starts_with(&session.path);
        if is_within { session.repos() } else { view.root.repos() }
    }
}

/// How many repos are named to whoever named none of them: a workspace may have hundreds.
const MOST_NAMED: usize = 20;

fn unknown_scope(name: &str, repos: &[Child], view: &View) -> String {
    let known: Vec<String> = repos.iter().map(|child| spelt(&child.name)).collect();
    let known = if known.is_empty() {
        "there are no other repos here".to_owned()
    } else {
        let more = match known.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more, which `workspace` lists"),
        };
        format!("the repos here are {}{more}", known[..known.len().min(MOST_NAMED)].join(", "))
    };
    // What is secret is not said again.
    let name = shown(&custos_redact::redact(name));
    format!("Scope \"{name}\" is not known ({known}), so this went to {}", view.own().store.name)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::testing::Desk;

    /// The names of the stores that a scope means, and how much there is to say about it.
    fn stores(desk: &Desk, scope: &str) -> (Vec<String>, usize) {
        let Targets { stacks, notes } = desk.base.targets(&[scope.to_owned()], &desk.view());
        (stacks.iter().map(|stack| stack.store.name.clone()).collect(), notes.len())
    }

    #[rstest]
    #[case("user", "user")]
    #[case("User", "user")]
    #[case("USER", "user")]
    #[case("ALL", "root")]
    #[case("Workspace", "root")]
    #[case("API", "api")]
    #[case("libs/CORE", "libs/Core")]
    #[case("core", "libs/Core")]
    #[case("web", "web")]
    #[case("Web", "Web")]
    fn a_name_is_known_in_whatever_case(#[case] scope: &str, #[case] store: &str) {
        let desk = Desk::with_repos(&["api", "libs/Core", "web", "Web"]);
        assert_eq!(stores(&desk, scope), (vec![store.to_owned()], 0));
    }

    #[rstest]
    #[case("WEB")]
    #[case("users")]
    fn a_name_that_nobody_has_or_two_is_not_guessed(#[case] scope: &str) {
        let desk = Desk::with_repos(&["api", "web", "Web"]);
        assert_eq!(stores(&desk, scope), (vec!["root".to_owned()], 1));
    }

    #[test]
    fn of_many_repos_the_first_are_named_to_whoever_named_none() {
        let names: Vec<String> = (10..60).map(|number| format!("r{number}")).collect();
        let desk = Desk::with_repos(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let Targets { notes, .. } = desk.base.targets(&["nobody".to_owned()], &desk.view());
        let known = names[..20].join(", ");
        assert_eq!(
            notes,
            [format!(
                "Scope \"nobody\" is not known (the repos here are {known} and 30 more, which `workspace` lists), so this went to root"
            )]
        );
    }

    #[rstest]
    #[case("user", Level::User, "user")]
    #[case("User", Level::User, "user")]
    #[case("./user", Level::Repo, "user")]
    #[case("./User", Level::Repo, "user")]
    #[case("all", Level::Workspace, "root")]
    #[case("All", Level::Workspace, "root")]
    #[case("./All", Level::Repo, "All")]
    #[case("workspace", Level::Workspace, "root")]
    #[case("./workspace", Level::Repo, "workspace")]
    #[case("./web", Level::Repo, "web")]
    fn a_repo_that_is_called_as_a_word_of_ours_is_named_as_one(
        #[case] scope: &str,
        #[case] level: Level,
        #[case] store: &str,
    ) {
        let desk = Desk::with_repos(&["All", "user", "web", "workspace"]);
        let Targets { stacks, notes } = desk.base.targets(&[scope.to_owned()], &desk.view());
        let found: Vec<(Level, &str)> =
            stacks.iter().map(|stack| (stack.store.level, stack.store.name.as_str())).collect();
        assert_eq!((found, notes), (vec![(level, store)], Vec::<String>::new()));
        let unknown = desk.base.targets(&["nobody".to_owned()], &desk.view()).notes;
        assert_eq!(
            unknown,
            [
                "Scope \"nobody\" is not known (the repos here are ./All, ./user, web, ./workspace), so this went to root"
            ]
        );
    }

    #[rstest]
    #[case("caf\u{e9}")]
    #[case("cafe\u{301}")]
    #[case("CAFE\u{301}")]
    fn a_letter_is_the_same_however_it_is_put_together(#[case] scope: &str) {
        for name in ["caf\u{e9}", "cafe\u{301}"] {
            let desk = Desk::with_repos(&["api", name]);
            assert_eq!(stores(&desk, scope), (vec![name.to_owned()], 0));
        }
    }
}
