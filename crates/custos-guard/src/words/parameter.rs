//! What `${name…}` makes of a value that is known.

use crate::shell::syntax::Which;
use crate::words::pattern;
use crate::words::raw;

/// Takes a prefix off that a pattern matches.
pub(crate) fn without_prefix(value: &str, pattern: &str, longest: bool) -> String {
    let mut ends = pattern::prefixes(pattern, value);
    let end = if longest { ends.next_back() } else { ends.next() };
    value[end.unwrap_or_default()..].to_owned()
}

/// Takes a suffix off that a pattern matches.
pub(crate) fn without_suffix(value: &str, pattern: &str, longest: bool) -> String {
    let mut starts = pattern::suffixes(pattern, value);
    let start = if longest { starts.next() } else { starts.next_back() };
    value[..start.unwrap_or(value.len())].to_owned()
}

/// Replaces what a pattern matches.
pub(crate) fn replace(value: &str, pattern: &str, with: &str, which: Which) -> String {
    let is_literal = !pattern.contains(['*', '?', '[', '\\']);
    match which {
        Which::All if is_literal && !pattern.is_empty() => return value.replace(pattern, with),
        Which::First if is_literal && !pattern.is_empty() => return value.replacen(pattern, with, 1),
        _ => {}
    }
    let longest_at =
        |start: usize| pattern::prefixes(pattern, &value[start..]).next_back().filter(|end| *end > 0);
    match which {
        // An empty pattern is there before everything, and after it.
        Which::Prefix if pattern.is_empty() => format!("{with}{value}"),
        Which::Suffix if pattern.is_empty() => format!("{value}{with}"),
        Which::Prefix => match longest_at(0) {
            Some(end) => format!("{with}{}", &value[end..]),
            None => value.to_owned(),
        },
        Which::Suffix => match pattern::suffixes(pattern, value).next() {
            Some(start) if start < value.len() => format!("{}{with}", &value[..start]),
            _ => value.to_owned(),
        },
        Which::First | Which::All => {
            let mut result = String::new();
            let mut at = 0;
            let mut replaced = false;
            while at < value.len() {
                let found = if replaced && which == Which::First { None } else { longest_at(at) };
                if let Some(length) = found {
                    result.push_str(with);
                    at += length;
                    replaced = true;
                } else {
                    let next = value[at..].chars().next().map_or(1, char::len_utf8);
                    result.push_str(&value[at..at + next]);
                    at += next;
                }
            }
            result
        }
    }
}

/// Cuts a piece out: an offset and a length, either of which may count from the end.
pub(crate) fn slice(value: &str, offset: i64, length: Option<i64>) -> String {
    let chars: Vec<char> = value.chars().collect();
    let count = i64::try_from(chars.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { count + offset } else { offset };
    if start < 0 || start > count {
        return String::new();
    }
    let end = match length {
        None => count,
        Some(length) if length < 0 => count + length,
        Some(length) => start.saturating_add(length).min(count),
    };
    let to_index = |n: i64| usize::try_from(n).unwrap_or_default();
    if end <= start { String::new() } else { chars[to_index(start)..to_index(end)].iter().collect() }
}

/// Changes the case of the first or of all characters.
pub(crate) fn change_case(value: &str, upper: bool, all: bool) -> String {
    let change =
        |c: char| -> String { if upper { c.to_uppercase().collect() } else { c.to_lowercase().collect() } };
    let mut chars = value.chars();
    if all {
        return chars.map(change).collect();
    }
    match chars.next() {
        Some(first) => change(first) + chars.as_str(),
        None => String::new(),
    }
}

/// Reads a plain number or a sum, difference or product of plain numbers, as offsets and small riddles are written.
pub(crate) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    if !raw::is_sure(text) || text.len() > 64 {
        return None;
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return number(inner);
    }
    // The last operator that is not a sign.
    for operators in [&['+', '-'][..], &['*', '/', '%'][..]] {
        let found = text.char_indices().rev().find(|(at, c)| {
            operators.contains(c)
                && text[..*at].trim_end().ends_with(|before: char| before.is_ascii_digit() || before == ')')
        });
        if let Some((at, operator)) = found {
            let (left, right) = (number(&text[..at])?, number(&text[at + 1..])?);
            return match operator {
                '+' => left.checked_add(right),
                '-' => left.checked_sub(right),
                '*' => left.checked_mul(right),
                '/' => left.checked_div(right),
                _ => left.checked_rem(right),
            };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bash_makes_of_values() {
        assert_eq!(without_prefix("a/b/c", "*/", false), "b/c");
        assert_eq!(without_prefix("a/b/c", "*/", true), "c");
        assert_eq!(without_suffix("a/b/c", "/*", false), "a/b");
        assert_eq!(without_suffix("a/b/c", "/*", true), "a");
        assert_eq!(without_suffix("abc", "x", true), "abc");
        assert_eq!(replace("aXbXc", "X", "-", Which::First), "a-bXc");
        assert_eq!(replace("aXbXc", "X", "", Which::All), "abc");
        assert_eq!(replace("rXm", "?", "y", Which::All), "yyy");
        assert_eq!(replace("xxrm", "x*x", "", Which::Prefix), "rm");
        assert_eq!(replace("rm.txt", ".*", "", Which::Suffix), "rm");
        assert_eq!(slice("/home", 0, Some(1)), "/");
        assert_eq!(slice("abcdef", -2, None), "ef");
        assert_eq!(slice("abcdef", 1, Some(-2)), "bcd");
        assert_eq!(slice("abc", 9, None), "");
        assert_eq!(change_case("RM", false, true), "rm");
        assert_eq!(change_case("rm", true, false), "Rm");
    }

    #[test]
    fn plain_sums_are_numbers() {
        assert_eq!(number(" 1 + 2*3 "), Some(7));
        assert_eq!(number("-1"), Some(-1));
        assert_eq!(number("7-2-1"), Some(4));
        assert_eq!(number("x+1"), None);
        assert_eq!(number("1/0"), None);
    }
}
