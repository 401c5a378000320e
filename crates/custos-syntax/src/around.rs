//! The definition that a piece of a file stands in.

use crate::{
    definition::Named,
    language::language,
    outline::{self, Found},
};

/// Names the innermost definition of a file around a fragment of it.
///
/// None where the fragment stands in no definition, is not in the file, or stands in it more than once with different answers.
pub fn around(path: &str, file: &str, fragment: &str) -> Option<Named> {
    let language = language(path)?;
    let fragment = fragment.trim();
    if fragment.is_empty() {
        return None;
    }
    let mut places = file.match_indices(fragment).map(|(at, _)| at..at + fragment.len());
    let first = places.next()?;
    let outline = outline::of_file(language, file);
    let innermost = |place: std::ops::Range<usize>| -> Option<&Found> {
        let holds = |found: &&Found| found.span.start <= place.start && place.end <= found.span.end;
        outline.iter().filter(holds).min_by_key(|found| found.span.len())
    };
    let found = innermost(first)?;
    // A line such as `return Ok(());` is everywhere: a few more places are enough to know.
    let is_same = |other: Option<&Found>| other.is_some_and(|other| std::ptr::eq(other, found));
    if !places.take(8).all(|place| is_same(innermost(place))) {
        return None;
    }
    Some(Named { name: found.name.clone(), sort: found.sort })
}
