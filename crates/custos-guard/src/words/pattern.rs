//! Shell patterns: `*`, `?`, `[…]`.

/// Says whether a pattern matches the whole of a text. Time is bounded by the product of both lengths.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p + 1, t));
            p += 1;
            continue;
        }
        if let Some(next) = one(&pattern, p, text[t]) {
            p = next;
            t += 1;
            continue;
        }
        // The last star takes one character more.
        let Some((after, taken)) = star else { return false };
        star = Some((after, taken + 1));
        p = after;
        t = taken + 1;
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Matches one character; gives the place in the pattern after it.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match pattern.get(p)? {
        '?' => Some(p + 1),
        '[' => match class(pattern, p, c) {
            Some((true, next)) => Some(next),
            Some((false, _)) => None,
            None => (c == '[').then_some(p + 1),
        },
        '\\' if p + 1 < pattern.len() => (pattern[p + 1] == c).then_some(p + 2),
        literal => (*literal == c).then_some(p + 1),
    }
}

/// Reads `[…]`; says whether the character is in it, and where it ends. `None` if it is not closed.
fn class(pattern: &[char], start: usize, c: char) -> Option<(bool, usize)> {
    let mut p = start + 1;
    let negated = matches!(pattern.get(p), Some('!' | '^'));
    p += usize::from(negated);
    let first = p;
    let mut found = false;
    loop {
        match pattern.get(p)? {
            ']' if p > first => return Some((found != negated, p + 1)),
            low => {
                if pattern.get(p + 1) == Some(&'-') && pattern.get(p + 2).is_some_and(|high| *high != ']') {
                    found |= (*low..=pattern[p + 2]).contains(&c);
                    p += 3;
                } else {
                    found |= *low == c;
                    p += 1;
                }
            }
        }
    }
}

/// The ends of the prefixes of a text that a pattern matches, shortest first.
pub(crate) fn prefixes<'t>(pattern: &'t str, text: &'t str) -> impl DoubleEndedIterator<Item = usize> + 't {
    let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    ends.push(text.len());
    ends.into_iter().filter(move |end| matches(pattern, &text[..*end]))
}

/// The starts of the suffixes of a text that a pattern matches, shortest suffix last.
pub(crate) fn suffixes<'t>(pattern: &'t str, text: &'t str) -> impl DoubleEndedIterator<Item = usize> + 't {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    starts.into_iter().filter(move |start| matches(pattern, &text[*start..]))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("*", "", true)]
    #[case("*.rs", "a.rs", true)]
    #[case("*.rs", "a.rst", false)]
    #[case("a*b*c", "aXXbYYc", true)]
    #[case("a*b*c", "aXXbYY", false)]
    #[case("?", "ä", true)]
    #[case("[a-c]x", "bx", true)]
    #[case("[!a-c]x", "bx", false)]
    #[case("[]]", "]", true)]
    #[case("[ab", "[ab", true)]
    #[case("\\*", "*", true)]
    #[case("\\*", "x", false)]
    fn patterns(#[case] pattern: &str, #[case] text: &str, #[case] expected: bool) {
        assert_eq!(matches(pattern, text), expected);
    }

    #[test]
    fn the_ends_of_prefixes_and_the_starts_of_suffixes() {
        assert_eq!(prefixes("*/", "a/b/c").collect::<Vec<_>>(), [2, 4]);
        assert_eq!(suffixes("/*", "a/b/c").collect::<Vec<_>>(), [1, 3]);
    }
}
