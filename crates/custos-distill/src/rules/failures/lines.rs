//! Lines of output, without what differs from run to run.

use std::borrow::Cow;

/// The longest message, in characters.
const MESSAGE: usize = 200;
/// So much of a line is looked at: longer ones are data.
const LONGEST: usize = 2000;
/// So much of an output is looked at, from its end: that is where tools sum up.
const MOST: usize = 512 * 1024;

/// Takes colours, overwritten progress and the prefixes of container builds out of an output.
pub(super) fn cleaned(output: &str) -> Cow<'_, str> {
    let mut from = output.len().saturating_sub(MOST);
    while !output.is_char_boundary(from) {
        from += 1;
    }
    let output = &output[from..];
    let is_plain = !output.contains(['\u{1b}', '\r']) && !output.contains("\n#") && !output.starts_with('#');
    if is_plain {
        return Cow::Borrowed(output);
    }
    let mut clean = String::with_capacity(output.len());
    for line in output.split('\n') {
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').next().unwrap_or(line);
        let start = clean.len();
        without_escapes(line, &mut clean);
        let prefix = build_prefix(&clean[start..]);
        clean.replace_range(start..start + prefix, "");
        clean.push('\n');
    }
    Cow::Owned(clean)
}

/// The length of what a container build puts before each line: `#12 3.456 `.
fn build_prefix(line: &str) -> usize {
    let Some(rest) = line.strip_prefix('#') else { return 0 };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let Some(rest) = rest.get(digits..).and_then(|rest| rest.strip_prefix(' ')).filter(|_| digits > 0) else {
        return 0;
    };
    let time = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let has_time = rest[..time].contains('.') && rest[time..].starts_with(' ');
    line.len() - rest.len() + if has_time { time + 1 } else { 0 }
}

fn without_escapes(line: &str, clean: &mut String) {
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            clean.push(c);
            continue;
        }
        match chars.next() {
            Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            Some(']') => {
                while let Some(c) = chars.next() {
                    if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
}

/// The part of a line that is looked at.
pub(super) fn bounded(line: &str) -> &str {
    if line.len() <= LONGEST {
        return line;
    }
    let mut end = LONGEST;
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

/// Makes a message one short line, without addresses, hashes, durations, times and temporary paths.
pub(super) fn tidy(message: &str) -> String {
    let mut kept: Vec<Cow<'_, str>> = Vec::new();
    let words: Vec<&str> = message.split_whitespace().collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let bare = word.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | ',' | '.' | ';' | ':'));
        // `in 1.23s`, `(12 ms)`, `after 5001ms`
        if is_duration(bare) && (word.starts_with(['(', '['])) {
            continue;
        }
        if matches!(*word, "in" | "after" | "took")
            && words.get(at).is_some_and(|next| is_fine_duration(next.trim_end_matches(['.', ',', ':', ')'])))
        {
            at += 1;
            continue;
        }
        // curl: `Failed to connect after 12 ms: …`
        if *word == "after" && words.get(at + 1) == Some(&"ms:") {
            at += 2;
            if let Some(last) = kept.last_mut() {
                last.to_mut().push(':');
            }
            continue;
        }
        if word.starts_with(['(', '['])
            && bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && !bare.is_empty()
            && words.get(at).is_some_and(|next| {
                matches!(next.trim_end_matches([']', ')', ',']), "ms" | "s" | "sec" | "seconds")
            })
        {
            at += 1;
            continue;
        }
        kept.push(steady(word));
    }
    super::super::commands::cut(kept.join(" ").trim_matches(|c: char| matches!(c, ' ' | '│' | '|')), MESSAGE)
}

fn is_duration(word: &str) -> bool {
    let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    digits > 0
        && word.as_bytes()[0].is_ascii_digit()
        && matches!(&word[digits..], "s" | "ms" | "µs" | "us" | "ns" | "m")
}

/// A duration that was measured rather than set: it has a fraction.
fn is_fine_duration(word: &str) -> bool {
    is_duration(word) && word.contains('.')
}

/// A word without what is only true of this run.
fn steady(word: &str) -> Cow<'_, str> {
    if let Some(at) = word.find("0x")
        && word[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count() >= 6
    {
        let end = at + 2 + word[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        return Cow::Owned(format!("{}0x…{}", &word[..at], &word[end..]));
    }
    for root in ["/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/"] {
        if let Some(at) = word.find(root)
            && (at == 0 || !word[..at].ends_with(|c: char| c.is_alphanumeric()))
        {
            let path = &word[at..];
            let end = path.find(['\'', '"', ')', ',', ';', '`', ':']).unwrap_or(path.len());
            let name = path[..end].rsplit('/').next().unwrap_or_default();
            let name = if name.contains('.') && !is_run_of_chance(name) { name } else { "" };
            return Cow::Owned(format!(
                "{}/tmp/…{}{name}{}",
                &word[..at],
                if name.is_empty() { "" } else { "/" },
                &path[end..]
            ));
        }
    }
    let start = word.find(|c: char| c.is_ascii_alphanumeric()).unwrap_or(word.len());
    let core = &word[start..];
    let end = core.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(core.len());
    if is_run_of_chance(&core[..end]) {
        return Cow::Owned(format!("{}…{}", &word[..start], &core[end..]));
    }
    if is_time(core) {
        return Cow::Borrowed("…");
    }
    Cow::Borrowed(word)
}

/// Tells whether a word is a hash or a UUID.
fn is_run_of_chance(word: &str) -> bool {
    let hex = word.bytes().filter(u8::is_ascii_hexdigit).count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let dashes = word.bytes().filter(|byte| *byte == b'-').count();
    let letters = hex - digits.min(hex);
    (word.len() == 36 && dashes == 4 && hex == 32)
        || (dashes == 0 && hex == word.len() && hex >= 12 && digits >= 2 && letters >= 2)
}

fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    let digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    (digits(0..4)
        && is(4, b'-')
        && digits(5..7)
        && is(7, b'-')
        && digits(8..10)
        && bytes.len() > 10
        && is(10, b'T'))
        || (digits(0..2) && is(2, b':') && digits(3..5) && is(5, b':') && digits(6..8))
}

/// What is left of a message when numbers, quotes and case are the same.
pub(super) fn print(message: &str) -> String {
    let mut print = String::with_capacity(message.len());
    for c in message.chars() {
        match c {
            '0'..='9' => {
                if !print.ends_with('0') {
                    print.push('0');
                }
            }
            '"' | '\'' | '`' | '‘' | '’' | '“' | '”' => {}
            _ if c.is_whitespace() => {
                if !print.ends_with(' ') {
                    print.push(' ');
                }
            }
            _ => print.extend(c.to_lowercase()),
        }
    }
    print
}

/// Tells whether two messages have most of their words in common.
pub(super) fn alike(a: &str, b: &str) -> bool {
    let (a, b) = (print(a), print(b));
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.len() > 1)
            .take(60)
            .map(str::to_owned)
            .collect()
    };
    let (one, other) = (words(&a), words(&b));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    !one.is_empty() && !other.is_empty() && shared * 3 >= one.len().max(other.len()) * 2
}

/// The kind of trouble that a message begins with: `TypeError`, `assertion failed`.
pub(super) fn kind(message: &str) -> String {
    print(message.split([':', '(', ',']).next().unwrap_or(message))
}
