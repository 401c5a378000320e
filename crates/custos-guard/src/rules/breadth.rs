//! Rules that are about everything.
//!
//! A command without its program is no pattern at all. A path or a branch can well be everything: a person may want a project that nobody
//! changes, and takes the rule away when they do not. An agent can only add, so with one such rule it would lock itself out of the project,
//! and whoever comes after it. Whoever takes rules from an agent asks here first.

use std::fmt;

use super::entry::{Entry, List};
use super::glob::{PathPattern, Place, Target};
use super::policy::is_branch_like;

/// Something of which nothing is left to work with under a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// All files of a project.
    Project,
    /// All files of the home.
    Home,
    /// Every branch.
    Branches,
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "the whole project",
            Self::Home => "the whole home directory",
            Self::Branches => "every branch",
        })
    }
}

/// Files that have nothing in common but being two directories deep and having names with a dot, as nearly all files do. What is about
/// each of them is about everything, or would be but for a few files at the top.
const FILES: [&str; 2] = ["/a.b/c.d", "/Zz9.y/_8.x-w"];

/// Branches that have nothing in common.
const BRANCHES: [&str; 2] = ["a", "Zz9/x-y"];

/// Says of what an entry leaves nothing to work with. `root` is the root of the level that says it, and nothing for the person's own.
pub fn whole_of(entry: &Entry, root: Option<&str>, place: Place<'_>) -> Option<Whole> {
    match entry {
        Entry::Branch(pattern) => {
            let is_every = BRANCHES.iter().all(|branch| is_branch_like(pattern, branch));
            is_every.then_some(Whole::Branches)
        }
        Entry::Path { list: List::Deny | List::ReadOnly, pattern, .. } => {
            let pattern = PathPattern::new(pattern, root).ok()?;
            let is_about = |directory: &str| {
                // Where case does not count, another spelling is the same place; where it does, nobody has both.
                let matches =
                    |path: &str| pattern.matches(Target { path, is_glob: false, folds_case: true }, place);
                let directory = directory.trim_end_matches('/');
                matches(directory) || FILES.iter().all(|file| matches(&format!("{directory}{file}")))
            };
            if is_about(place.root) {
                Some(Whole::Project)
            } else {
                place.home.filter(|home| is_about(home)).map(|_| Whole::Home)
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::rules::Ops;

    const PLACE: Place<'_> = Place { home: Some("/home/ada"), root: "/home/ada/work/shop" };

    fn path(pattern: &str) -> Entry {
        Entry::Path { list: List::Deny, pattern: pattern.to_owned(), ops: Ops::ANY, id: None, reason: None }
    }

    #[rstest]
    #[case::file_system("/", Whole::Project)]
    #[case::all_of_it("/**", Whole::Project)]
    #[case::its_directories("/*", Whole::Project)]
    #[case::any_name("*", Whole::Project)]
    #[case::any_path("**", Whole::Project)]
    #[case::any_path_twice("**/**", Whole::Project)]
    #[case::any_file("**/*", Whole::Project)]
    #[case::from_here("./**", Whole::Project)]
    #[case::any_name_of_a_letter_and_more("?*", Whole::Project)]
    #[case::any_name_with_a_dot("*.*", Whole::Project)]
    #[case::all_directories("*/**", Whole::Project)]
    #[case::itself("/home/ada/work/shop", Whole::Project)]
    #[case::itself_in_other_letters("/home/Ada/work/Shop/", Whole::Project)]
    #[case::what_is_in_it("/home/ada/work/shop/**", Whole::Project)]
    #[case::itself_from_home("~/work/shop", Whole::Project)]
    #[case::its_parent("/home/ada/work", Whole::Project)]
    #[case::what_is_in_its_parent("/home/*/work/**", Whole::Project)]
    #[case::home("~", Whole::Project)]
    #[case::what_is_at_home("~/**", Whole::Project)]
    fn a_path_that_is_everything(#[case] pattern: &str, #[case] whole: Whole) {
        assert_eq!(whole_of(&path(pattern), Some(PLACE.root), PLACE), Some(whole));
        assert_eq!(whole_of(&path(pattern), None, PLACE), Some(whole));
    }

    #[rstest]
    #[case("~")]
    #[case("~/**")]
    #[case("/home/ada")]
    #[case("/home/*")]
    #[case("~/*/**")]
    fn a_home_that_has_the_project_elsewhere(#[case] pattern: &str) {
        let place = Place { root: "/srv/shop", ..PLACE };
        assert_eq!(whole_of(&path(pattern), Some(place.root), place), Some(Whole::Home));
        let nowhere = Place { home: None, ..place };
        assert_eq!(whole_of(&path("~"), Some(place.root), nowhere), None);
    }

    #[rstest]
    #[case("src/**")]
    #[case("secrets")]
    #[case("*.pem")]
    #[case("**/.env*")]
    #[case(".*")]
    #[case("*/target/**")]
    #[case("~/.ssh/**")]
    #[case("/etc/**")]
    #[case("/home/ada/work/shop/vendor/**")]
    #[case("/home/ada/work/shop-two")]
    #[case("/home/bob/**")]
    fn a_path_that_leaves_something(#[case] pattern: &str) {
        assert_eq!(whole_of(&path(pattern), Some(PLACE.root), PLACE), None);
    }

    #[rstest]
    #[case("*", Some(Whole::Branches))]
    #[case("**", Some(Whole::Branches))]
    #[case("main", None)]
    #[case("release/*", None)]
    #[case("*/*", None)]
    fn branches(#[case] pattern: &str, #[case] whole: Option<Whole>) {
        assert_eq!(whole_of(&Entry::Branch(pattern.to_owned()), None, PLACE), whole);
    }

    #[test]
    fn what_asks_or_allows_locks_nobody_out() {
        for list in [List::Ask, List::Allow] {
            let entry = Entry::Path { list, pattern: "/".to_owned(), ops: Ops::ANY, id: None, reason: None };
            assert_eq!(whole_of(&entry, None, PLACE), None);
        }
    }
}
