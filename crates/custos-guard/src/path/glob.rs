//! Patterns for file names, asked one question: could this pattern mean that name?
//!
//! A shell does not let `*` match a leading dot unless told so (`dotglob`). A pattern that spells out most of a hidden name (`?env`,
//! `*netrc`) is taken to mean it all the same: nobody writes that by accident.

/// The longest pattern that is looked at; no file system has longer names.
const LONGEST: usize = 255;

/// How many characters a pattern must spell out to mean a hidden name whose dot it does not.
const SPELLED_OUT: usize = 3;

/// Says whether a component of a path is a pattern.
pub(super) fn is_pattern(component: &str) -> bool {
    component.contains(['*', '?', '[']) || is_extended(component)
}

/// Says whether it is one of the patterns of `extglob`, which need no other sign: `!(a|b)`, `@(a|b)`, `+(a)`.
pub(super) fn is_extended(component: &str) -> bool {
    component.contains("!(") || component.contains("@(") || component.contains("+(")
}

/// Says whether a pattern takes everything, or everything hidden, in a directory: `*`, `.*`, `.[!.]*`, `?*`, `*.*`, `!(keep)`.
pub(super) fn sweeps(component: &str) -> bool {
    component.contains('*') && spelled_out(component) == 0 || component.starts_with("!(")
}

/// Says whether a pattern could mean this name. Upper and lower case are the same.
pub(super) fn could_mean(pattern: &str, name: &str) -> bool {
    if pattern.len() > LONGEST || differs(pattern.as_bytes().first(), name.as_bytes().first()) {
        return false;
    }
    if is_extended(pattern) {
        return one_of(pattern, name);
    }
    if name.starts_with('.') && !pattern.starts_with('.') && spelled_out(pattern) < SPELLED_OUT {
        return false;
    }
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(p + 1),
            Some(b'[') => class(pattern, p, name[n]),
            Some(byte) => byte.eq_ignore_ascii_case(&name[n]).then_some(p + 1),
            None => None,
        };
        match (step, star) {
            (Some(next), _) => (p, n) = (next, n + 1),
            (None, Some((at, from))) => {
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// The quick way out: the first character of the pattern stands for itself, and the name has another.
fn differs(pattern: Option<&u8>, name: Option<&u8>) -> bool {
    pattern.is_none_or(|byte| {
        !b"*?[@!+".contains(byte) && !name.is_some_and(|name| name.eq_ignore_ascii_case(byte))
    })
}

/// Matches `@(a|b)` and the like, with each of the alternatives in its place; one in another is not followed.
fn one_of(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('(') else { return false };
    let Some((alternatives, after)) = rest.split_once(')') else { return false };
    let Some(before) = before.strip_suffix(['@', '+', '!', '?', '*']) else { return false };
    let plain = |alternative: &str| {
        let pattern = format!("{before}{alternative}{after}");
        !is_extended(&pattern) && could_mean(&pattern, name)
    };
    alternatives.split('|').any(plain)
}

/// Matches a byte against `[…]` at `at`; gives the place after it if it matches.
fn class(pattern: &[u8], at: usize, byte: u8) -> Option<usize> {
    let byte = byte.to_ascii_lowercase();
    let mut index = at + 1;
    let negated = matches!(pattern.get(index), Some(b'!' | b'^'));
    index += usize::from(negated);
    let first = index;
    let mut found = false;
    loop {
        let low = pattern.get(index)?.to_ascii_lowercase();
        if low == b']' && index > first {
            return (found != negated).then_some(index + 1);
        }
        if pattern.get(index + 1) == Some(&b'-') && pattern.get(index + 2).is_some_and(|high| *high != b']') {
            found |= (low..=pattern[index + 2].to_ascii_lowercase()).contains(&byte);
            index += 3;
        } else {
            found |= low == byte;
            index += 1;
        }
    }
}

/// Counts the letters and digits outside of brackets.
fn spelled_out(pattern: &str) -> usize {
    let mut within = false;
    let mut count = 0;
    for byte in pattern.bytes() {
        match byte {
            b'[' => within = true,
            b']' => within = false,
            _ if !within && !matches!(byte, b'*' | b'?' | b'.') => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(".en?", ".env", true)]
    #[case(".e*", ".env", true)]
    #[case("?env", ".env", true)]
    #[case("*", ".env", false)]
    #[case("*.md", ".env", false)]
    #[case("id_*", "id_rsa", true)]
    #[case("id_[a-r]sa", "id_rsa", true)]
    #[case("id_[!a-q]sa", "id_rsa", true)]
    #[case("id_[!r]sa", "id_rsa", false)]
    #[case("pass**wd", "passwd", true)]
    #[case("*release", "passwd", false)]
    #[case("SH?DOW", "shadow", true)]
    #[case("[", "a", false)]
    #[case("[]a]", "a", true)]
    fn patterns_mean_names(#[case] pattern: &str, #[case] name: &str, #[case] meant: bool) {
        assert_eq!(could_mean(pattern, name), meant);
    }

    #[rstest]
    #[case("*", true)]
    #[case(".*", true)]
    #[case(".[!.]*", true)]
    #[case("?*", true)]
    #[case("!(keep)", true)]
    #[case("*.log", false)]
    #[case("a*", false)]
    #[case("?", false)]
    fn sweeping_patterns(#[case] pattern: &str, #[case] all: bool) {
        assert_eq!(sweeps(pattern), all);
    }
}
