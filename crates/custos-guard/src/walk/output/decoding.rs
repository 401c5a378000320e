//! Filters and decoders: what they make of a text that is known; else where it comes from.
//!
//! Only what is cheap to follow is followed. Whatever else goes through a filter is as good as decoded, and what comes from the network
//! stays so, whatever it goes through.

use super::{LONGEST, listing};
use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;
use crate::words::escapes::unescaped;
use crate::words::raw;

/// A filter: what comes out is not known exactly, but where it comes from is.
pub(super) fn passed_on(call: &Invocation, scope: &Scope) -> Stream {
    let stream = match (&call.stdin, call.program()) {
        // A program of its own makes the text; what it prints is as good as decoded.
        (Stream::Inherited, "awk" | "perl") => return Stream::Decoded,
        (Stream::Inherited, _) => {
            // The last operand of a filter without input is its file.
            match call.args().last().filter(|arg| !arg.text().starts_with('-')) {
                Some(file) => scope.content(file),
                None => Stream::Output,
            }
        }
        (stream, _) => stream.clone(),
    };
    match (stream, call.program()) {
        (stream @ (Stream::Download | Stream::Decoded | Stream::Environment), _) => stream,
        (Stream::Processes(sought), _) => listing::narrowed(&sought, call),
        // Of a listing it leaves some, and nobody knows which. What lies elsewhere is not ours to pick from.
        (Stream::Text(text), "grep") if text.contains(raw::STAR) && !text.starts_with('/') && picks(call) => {
            Stream::Text(text.replace(raw::STAR, &UNKNOWN.to_string()))
        }
        (Stream::Text(text), _) if text.contains(raw::STAR) && only_shortens(call) => Stream::Output,
        (
            Stream::Text(text),
            "head" | "tail" | "sponge" | "pv" | "buffer" | "sort" | "uniq" | "dos2unix" | "iconv" | "grep",
        ) => Stream::Text(text),
        (Stream::Text(text), "sed") => replaced(call, &text),
        (Stream::Text(_), _) => Stream::Decoded,
        _ => Stream::Output,
    }
}

/// Says whether a search leaves only a few of the lines that it reads.
fn picks(call: &Invocation) -> bool {
    let pattern = call.args().iter().find(|arg| !arg.text().starts_with('-')).map_or("", Arg::text);
    !leaves_out(call) && !pattern.chars().all(|c| "^.*+$/".contains(c))
}

/// Says whether a filter only takes away from the lines that it reads. To make a command of a name it needs a text of its own.
fn only_shortens(call: &Invocation) -> bool {
    let has = |c: char| call.args().iter().any(|arg| arg.text().contains(c));
    match call.program() {
        "cut" => true,
        "awk" => !has('"'),
        "sed" => !has(' '),
        _ => false,
    }
}

/// Says whether a search gives what it does not find: `grep -v`.
pub(super) fn leaves_out(call: &Invocation) -> bool {
    call.args().iter().any(|arg| {
        let flags = arg.text().strip_prefix('-').filter(|flags| !flags.starts_with('-'));
        flags.is_some_and(|flags| flags.contains('v')) || arg.is("--invert-match")
    })
}

/// `sed s/x/y/g` over a known text.
fn replaced(call: &Invocation, text: &str) -> Stream {
    let program =
        call.args().iter().find(|arg| !arg.text().starts_with('-')).map(Arg::text).unwrap_or_default();
    let parts = program.strip_prefix('s').and_then(|rest| {
        let delimiter = rest.chars().next()?;
        let mut parts = rest[delimiter.len_utf8()..].split(delimiter);
        Some((parts.next()?, parts.next()?, parts.next()?))
    });
    match parts {
        Some((pattern, with, flags))
            if !pattern.is_empty() && !pattern.contains(['*', '[', '\\', '.', '^', '$']) =>
        {
            Stream::Text(if flags.contains('g') {
                text.replace(pattern, with)
            } else {
                text.replacen(pattern, with, 1)
            })
        }
        _ => Stream::Decoded,
    }
}

pub(super) fn map_text(call: &Invocation, change: impl FnOnce(&str) -> String) -> Stream {
    match &call.stdin {
        Stream::Text(text) if text.len() < LONGEST => Stream::Text(change(text)),
        Stream::Text(_) => Stream::Decoded,
        other => other.clone(),
    }
}

/// `tr a-z b-za`: translates a known text.
pub(super) fn translated(call: &Invocation) -> Stream {
    let options = Options::read(call.args(), &Taking::default(), Order::First);
    let sets: Vec<Vec<char>> = options.operands.iter().map(|arg| character_set(arg.text())).collect();
    let deletes = options.has('d', "delete");
    map_text(call, |text| {
        text.chars()
            .filter_map(|c| {
                let from = sets.first()?;
                let place = from.iter().rposition(|known| *known == c);
                match (place, deletes) {
                    (None, _) => Some(c),
                    (Some(_), true) => None,
                    (Some(place), false) => match sets.get(1) {
                        Some(to) => to.get(place).or(to.last()).copied().or(Some(c)),
                        None => Some(c),
                    },
                }
            })
            .collect()
    })
}

fn character_set(text: &str) -> Vec<char> {
    let text = match text {
        "[:upper:]" => "A-Z",
        "[:lower:]" => "a-z",
        "[:digit:]" => "0-9",
        "[:space:]" => " \t\n",
        other => other,
    };
    let text = unescaped(text);
    let chars: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars.get(at + 1) == Some(&'-') && at + 2 < chars.len() && chars[at] <= chars[at + 2] {
            set.extend((chars[at]..=chars[at + 2]).take(256));
            at += 3;
        } else {
            set.push(chars[at]);
            at += 1;
        }
    }
    set
}

/// A decoder: applied to what is known, else the mark of something decoded.
pub(super) fn decoded(
    call: &Invocation,
    scope: &Scope,
    short: &[char],
    long: &str,
    decode: fn(&str) -> Option<String>,
) -> Stream {
    let options = Options::read(call.args(), &Taking { short: "wlcgs", long: &["wrap"] }, Order::Anywhere);
    let decodes = short.iter().any(|short| options.has(*short, long));
    let input = match options.operands.first() {
        Some(file) if !file.is("-") => scope.content(file),
        _ => call.stdin.clone(),
    };
    match input {
        Stream::Environment => Stream::Environment,
        _ if !decodes => Stream::Output,
        Stream::Text(text) if raw::is_sure(&text) && text.len() < LONGEST => {
            decode(&text).map_or(Stream::Decoded, Stream::Text)
        }
        Stream::Download => Stream::Download,
        _ => Stream::Decoded,
    }
}

/// Decodes plain hexadecimal digits.
pub(super) fn hex(text: &str) -> Option<String> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    let bytes = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    String::from_utf8(bytes).ok()
}
