//! What items are called.
//!
//! Answers show an item by its id, with its title, and name its file; people and agents use whatever they have seen. So `D-012`, `d12` and `12`
//! mean the same, and so do the slug, the name of the file, the title, and the id with the title behind it. What is written like an id is
//! nothing else. Of the other ways the first counts that leads anywhere, and it may lead to several: then nobody guesses.

use crate::keeping;
use crate::shelf::{Item, Kept};
use crate::text::{self, Wording};

/// The longest slug of an item with an id.
const LONGEST_SLUG: usize = 50;

/// An item that answers to a name.
pub(crate) trait Called: Item {
    /// What it is: `decision`.
    const WHAT: &'static str;

    /// What it is known by.
    const NAMED_BY: &'static str = "id";

    /// The name by which answers call it: its id or slug.
    fn name(&self) -> &str;

    /// The name that a file gives it, where another has the same id or slug.
    fn name_by_file(file: &str) -> &str {
        keeping::stem(file)
    }
}

/// An item with a number in its id.
pub(crate) trait Numbered: Called {
    /// What its ids begin with.
    const LETTER: char;

    /// The number of its id.
    fn number(&self) -> Option<u32>;

    /// The rest of its file's name.
    fn slug(&self) -> &str;
}

/// Finds the items that a name means.
pub(crate) fn called<T: Numbered>(mut items: Vec<Kept<T>>, name: &str) -> Vec<Kept<T>> {
    let mut meant = positions(&items, name).into_iter().peekable();
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        meant.next_if_eq(&(at - 1)).is_some()
    });
    items
}

/// A way in which a name may mean an item.
type Way<'a, T> = &'a dyn Fn(&Kept<T>) -> bool;

fn positions<T: Numbered>(items: &[Kept<T>], name: &str) -> Vec<usize> {
    // A title may end like the name of a file.
    let title = text::as_title(name.trim());
    let title = title.as_ref();
    let name = of_file(title);
    if name.is_empty() {
        return Vec::new();
    }
    let those = |is_meant: Way<'_, T>| -> Vec<usize> {
        let meant = items.iter().enumerate().filter(|(_, kept)| is_meant(kept));
        meant.map(|(at, _)| at).collect()
    };
    let is_slug = |kept: &Kept<T>| kept.item.slug().eq_ignore_ascii_case(name);
    match Id::of(T::LETTER, name) {
        Some(Id { number, rest: "", is_plain: true }) => {
            return those(&|kept| kept.item.number() == Some(number));
        }
        // A slug or a title may look like a number, or like `D3`.
        Some(Id { number, rest: "", .. }) => {
            let is_meant = |kept: &Kept<T>| {
                kept.item.number() == Some(number) || is_slug(kept) || kept.item.title() == name
            };
            return those(&is_meant);
        }
        _ => {}
    }
    let wording = Wording::of(title);
    let ways: [Way<'_, T>; 6] = [
        &|kept| keeping::stem(&kept.file).eq_ignore_ascii_case(name),
        &|kept| Id::of(T::LETTER, name).is_some_and(|id| id.names(kept)),
        &|kept| Id::of(T::LETTER, title).is_some_and(|id| id.names(kept)),
        // Two titles that only a stroke or a dot tells apart share the words of a slug.
        &|kept| kept.item.slug() == name || kept.item.title() == title,
        &is_slug,
        &|kept| kept.wording().is_equivalent(&wording),
    ];
    ways.into_iter().map(those).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Says whether a name means a file that cannot be read: all that is known of it is what it is called.
pub(crate) fn names_file(letter: char, file: &str, name: &str) -> bool {
    // By a title, which nobody can read in it, it is called as well.
    is_named(letter, file, name) || is_named(letter, file, &text::slug(name, LONGEST_SLUG))
}

fn is_named(letter: char, file: &str, name: &str) -> bool {
    let (name, stem) = (of_file(name.trim()), keeping::stem(file));
    let of_stem = Id::of(letter, stem);
    let slug = of_stem.as_ref().map_or(stem, |id| id.rest);
    match Id::of(letter, name) {
        Some(Id { number, rest: "", .. }) => of_stem.is_some_and(|id| id.number == number),
        _ => stem.eq_ignore_ascii_case(name) || slug.eq_ignore_ascii_case(name),
    }
}

/// Gives the number that a name means as an id alone: `Q-001`, `q1` or `1`.
pub(crate) fn number_of(letter: char, name: &str) -> Option<u32> {
    Id::of(letter, name.trim()).filter(|id| id.rest.is_empty()).map(|id| id.number)
}

/// Takes the directory and the ending off the name of a file.
fn of_file(name: &str) -> &str {
    name.strip_suffix(".md").map_or(name, keeping::stem)
}

/// An id as people write it, and what follows it.
#[derive(Debug)]
struct Id<'n> {
    number: u32,
    rest: &'n str,
    /// Whether it is written as ids are: `D-12`.
    is_plain: bool,
}

impl<'n> Id<'n> {
    /// Reads `D-012`, `d12`, `12`, `D-012-use-utc` or `D-012: Use UTC`. A number alone is one only if nothing follows.
    fn of(letter: char, name: &'n str) -> Option<Self> {
        let lettered = name.strip_prefix([letter.to_ascii_uppercase(), letter.to_ascii_lowercase()]);
        let hyphened = lettered.and_then(|rest| rest.strip_prefix('-'));
        let digits = hyphened.or(lettered).unwrap_or(name);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (digits, rest) = digits.split_at(end);
        // One more digit, and it is no id.
        let number = digits.parse().ok().filter(|_| digits.len() <= 9)?;
        let is_apart = rest.is_empty() || lettered.is_some() && !rest.starts_with(char::is_alphanumeric);
        let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        is_apart.then_some(Self { number, rest, is_plain: hyphened.is_some() })
    }

    /// Says whether it is the id of an item with its slug or its title behind it.
    fn names<T: Numbered>(&self, kept: &Kept<T>) -> bool {
        let is_called = || {
            kept.item.slug().eq_ignore_ascii_case(self.rest)
                || kept.wording().is_equivalent(&Wording::of(self.rest))
        };
        kept.item.number() == Some(self.number) && is_called()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::decision::Decision;

    /// Decisions given by file and title.
    fn shelf() -> Vec<Kept<Decision>> {
        let files = [
            ("D-001-use-utc", "Use UTC"),
            ("D-003-use-sqlite", "Use SQLite"),
            ("D-003-plan-b", "Plan B"),
            ("D-004-3", "3"),
            ("D-005-d7", "D7"),
            ("D-006-d-9-was-wrong", "D-9 was wrong"),
            ("D-012-use-the-utc", "Use the UTC"),
            ("D-013-rules-live-in-agents-md", "Rules live in AGENTS.md"),
            ("D-014-titulo", "Título"),
            ("D-015-titulo-2", "Titulo"),
            ("D-016-oslo", "Øslo"),
            ("D-017-oslo-2", "oslo"),
        ];
        let read = |(stem, title): (&str, &str)| {
            let file = format!("decisions/{stem}.md");
            let item = Decision::read(&file, &format!("# {title}\n\nText.\n")).unwrap();
            Kept::new(file, item)
        };
        files.into_iter().map(read).collect()
    }

    #[rstest]
    #[case("D-001", &["D-001"])]
    #[case(" d-1 ", &["D-001"])]
    #[case("D1", &["D-001"])]
    #[case("d001", &["D-001"])]
    #[case("1", &["D-001"])]
    #[case("012", &["D-012"])]
    #[case("D-003", &["D-003", "D-003"])]
    #[case("3", &["D-003", "D-003", "D-004"])]
    #[case("d7", &["D-005"])]
    #[case("D-7", &[])]
    #[case("use-sqlite", &["D-003"])]
    #[case("D-003-use-sqlite", &["D-003"])]
    #[case("d-3-USE-sqlite", &["D-003"])]
    #[case("decisions/D-003-use-sqlite.md", &["D-003"])]
    #[case("D-003 Use SQLite", &["D-003"])]
    #[case("D-003: use the SQLite", &["D-003"])]
    #[case("D-003 (Plan B)", &["D-003"])]
    #[case("D-001 Use SQLite", &[])]
    #[case("Use SQLite", &["D-003"])]
    #[case("use sqlite", &["D-003"])]
    #[case("Use UTC", &["D-001"])]
    #[case("use utc", &["D-001", "D-012"])]
    #[case("D-9 was wrong", &["D-006"])]
    #[case("Rules live in AGENTS.md", &["D-013"])]
    #[case("the rules live in agents.md", &["D-013"])]
    #[case("D-013: Rules live in AGENTS.md", &["D-013"])]
    #[case("D-013-rules-live-in-agents-md.md", &["D-013"])]
    #[case("Título", &["D-014"])]
    #[case("Titulo", &["D-015"])]
    #[case("titulo", &["D-014"])]
    #[case("titulo-2", &["D-015"])]
    // The slug of one and the title of the other: nobody guesses.
    #[case("oslo", &["D-016", "D-017"])]
    #[case("D-0000000001", &[])]
    #[case("", &[])]
    #[case("-", &[])]
    fn an_item_is_found_by_whatever_it_was_shown_as(#[case] name: &str, #[case] expected: &[&str]) {
        let found = called(shelf(), name);
        let ids: Vec<&str> = found.iter().map(|kept| kept.item.id.as_str()).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn an_item_is_found_by_the_title_that_it_was_saved_with_however_long_that_was() {
        let long = "Use UTC for whatever is stored ".repeat(300);
        let kept = text::clean_title(&long).unwrap().title;
        let file = "decisions/D-020-use-utc-for.md";
        let item = Decision::read(file, &format!("# {kept}\n\nText.\n")).unwrap();
        let found = |name: &str| called(vec![Kept::new(file.to_owned(), item.clone())], name).len();
        assert_eq!((found(&long), found(&kept), found(&long.replace("UTC", "GMT"))), (1, 1, 0));
    }

    #[rstest]
    #[case("D-002", true)]
    #[case("d2", true)]
    #[case("use-utc", true)]
    #[case("D-002-use-utc", true)]
    #[case("D-003", false)]
    #[case("utc", false)]
    fn so_is_a_file_that_cannot_be_read(#[case] name: &str, #[case] is_meant: bool) {
        assert_eq!(names_file('D', "decisions/D-002-use-utc.md", name), is_meant);
    }
}
