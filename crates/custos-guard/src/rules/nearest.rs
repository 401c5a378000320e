//! Finds the name that was probably meant.

/// Beyond this length a name is not a typing error, and comparing it is only work.
const LONGEST_NAME: usize = 64;

/// The candidate that takes the fewest changes, if they are few enough for a slip of the fingers.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let name = name.to_lowercase().replace('-', "_");
    let allowed = (name.chars().count() / 3).max(2);
    candidates
        .map(|candidate| (distance(&name, &candidate.replace('-', "_")), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, remove or replace.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (index, wanted) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *wanted);
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(diagonal + 1).min(row[index] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let names = ["protected_branches", "deny", "git.force-push"];
        let found = ["protected-branch", "dney", "git.forcepush", "colour", &"d".repeat(65)]
            .map(|name| nearest(name, names.into_iter()));
        assert_eq!(found, [Some("protected_branches"), Some("deny"), Some("git.force-push"), None, None]);
    }
}
