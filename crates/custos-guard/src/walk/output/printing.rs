//! Programs that print what they are told to: `echo`, `printf`, `cat`.
//!
//! Their text is followed character by character, because a script that is put together by them is the oldest disguise.

use super::LONGEST;
use crate::invocation::{Arg, Invocation, Stream};
use crate::walk::scope::{Scope, join};
use crate::words::escapes::unescaped;
use crate::words::raw;

pub(super) fn echo(args: &[Arg]) -> Stream {
    let mut words = args;
    let (mut escapes, mut line_end) = (false, true);
    while let Some(first) = words.first().and_then(Arg::known) {
        let is_flag =
            first.len() > 1 && first.starts_with('-') && first[1..].chars().all(|c| "neE".contains(c));
        if !is_flag {
            break;
        }
        escapes = first.contains('e') || escapes && !first.contains('E');
        line_end &= !first.contains('n');
        words = &words[1..];
    }
    let texts: Vec<String> = words.iter().map(raw::of).collect();
    let mut text = texts.join(" ");
    if escapes {
        text = unescaped(&text);
    }
    if line_end {
        text.push('\n');
    }
    text_or_source(text)
}

pub(crate) fn printf(args: &[Arg]) -> Stream {
    let args = match args {
        // Into a variable; nothing is printed.
        [flag, _, ..] if flag.is("-v") => return Stream::Text(String::new()),
        [dashes, rest @ ..] if dashes.is("--") => rest,
        all => all,
    };
    let Some((format, values)) = args.split_first() else { return Stream::Text(String::new()) };
    let format = unescaped(&raw::of(format));
    let mut values = values.iter().map(raw::of).peekable();
    let mut text = String::new();
    // The format is used again as long as there are values.
    for _ in 0..64 {
        let before = values.len();
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let mut conversion = None;
            for c in chars.by_ref() {
                if c.is_ascii_alphabetic() || c == '%' {
                    conversion = Some(c);
                    break;
                }
            }
            match conversion {
                Some('%') => text.push('%'),
                Some('b') => text.push_str(&unescaped(&values.next().unwrap_or_default())),
                Some(_) => text.push_str(&values.next().unwrap_or_default()),
                None => {}
            }
        }
        if values.len() == 0 || values.len() == before || text.len() > LONGEST {
            break;
        }
    }
    text_or_source(text)
}

/// A text; or where it comes from, if that is all that is known.
fn text_or_source(text: String) -> Stream {
    let mut marks = text.trim().chars();
    match (marks.next(), marks.next()) {
        (Some(raw::DOWNLOADED), None) => Stream::Download,
        (Some(raw::DECODED), None) => Stream::Decoded,
        _ => Stream::Text(text),
    }
}

/// `cat`: its files after one another, or its input.
pub(super) fn concatenated(call: &Invocation, scope: &Scope) -> Stream {
    let files: Vec<&Arg> =
        call.args().iter().filter(|arg| !arg.text().starts_with('-') || arg.is("-")).collect();
    if files.is_empty() {
        return call.stdin.clone();
    }
    let mut printed = Stream::Text(String::new());
    for file in files {
        let stream =
            if file.is("-") || file.is("/dev/stdin") { call.stdin.clone() } else { scope.content(file) };
        printed = join(printed, stream);
    }
    printed
}
