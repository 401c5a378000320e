//! Secrets on a command line: `--password foo`, `curl -u user:password`.

use crate::assignment;
use crate::charset::Set;
use crate::names::{self, Class};
use crate::placeholders;
use crate::quotes::Quote;
use crate::scan::Scan;
use crate::values::Manner;

/// Words that follow an option where a text speaks about it.
pub(crate) const PROSE: [&str; 40] = [
    "a",
    "also",
    "an",
    "and",
    "are",
    "arg",
    "argument",
    "arguments",
    "as",
    "at",
    "but",
    "can",
    "cannot",
    "does",
    "flag",
    "flags",
    "for",
    "from",
    "has",
    "if",
    "in",
    "instead",
    "is",
    "must",
    "not",
    "on",
    "option",
    "options",
    "or",
    "parameter",
    "parameters",
    "should",
    "switch",
    "the",
    "to",
    "value",
    "was",
    "when",
    "which",
    "with",
];
/// How far before `-u` the command is looked for.
const COMMAND_REACH: usize = 256;

/// Takes the secret behind the option that begins at `at`.
pub(crate) fn at(scan: &mut Scan<'_, '_>, at: usize) -> Option<usize> {
    if scan.before(at).is_some_and(|b| b == b'-' || b.is_ascii_alphanumeric()) {
        return None;
    }
    if matches!(scan.byte(at + 1), Some(b'u' | b'U')) {
        return user(scan, at, at + 2);
    }
    if scan.byte(at + 1) != Some(b'-') {
        return None;
    }
    let name = at + 2..scan.run(Set::Url, at + 2);
    if matches!(&scan.bytes[name.clone()], b"user" | b"proxy-user") {
        return user(scan, at, name.end);
    }
    let start = scan.skip_space(name.end, false);
    if start == name.end || name.len() > names::LONGEST {
        return None;
    }
    let telling = names::telling(&scan.bytes[name])?;
    if matches!(telling.class, Class::Authorization | Class::Cookie) {
        return None;
    }
    if let Some(quote) = Quote::at(scan, start) {
        let range = quote.value(scan, start);
        return assignment::judge(scan, telling, range, Manner::Quoted);
    }
    let end = scan.run(Set::Bare, start);
    let value = &scan.bytes[start..end];
    if names::is_one_of(value, &PROSE) || value.starts_with(b"-") || scan.byte(end) == Some(b'(') {
        return None;
    }
    assignment::judge(scan, telling, start..end, Manner::Option)
}

/// Takes the password of `-u user:password`, if curl is what is called.
fn user(scan: &mut Scan<'_, '_>, option: usize, name_end: usize) -> Option<usize> {
    let mut start = scan.skip_space(name_end, false);
    if scan.byte(start) == Some(b'=') {
        start += 1;
    }
    let quoted = Quote::at(scan, start);
    // Only a one-letter option may be glued to its value.
    if start == name_end && quoted.is_none() && name_end > option + 2 {
        return None;
    }
    let argument = match quoted {
        Some(quote) => quote.value(scan, start),
        None => start..scan.run(Set::Line, start),
    };
    let colon = argument.start + scan.bytes[argument.clone()].iter().position(|&b| b == b':')?;
    let password = colon + 1..argument.end;
    let number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let nothing = password.is_empty()
        || number(&scan.bytes[password.clone()]) && number(&scan.bytes[argument.start..colon]);
    if nothing || placeholders::stands_for_another(&scan.bytes[password.clone()]) {
        return None;
    }
    let command = &scan.bytes[scan.floor.max(option.saturating_sub(COMMAND_REACH))..option];
    crate::effort::spend(command.len());
    command.windows(4).any(|w| w == b"curl").then(|| scan.take("curl-password", password))
}
