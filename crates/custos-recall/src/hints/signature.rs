//! What an error is recognised by.
//!
//! The same trouble prints other numbers, paths, hashes and times each time, and most of what a failing command prints is about
//! something else, or about nothing: `exit code 1`, `aborting due to 2 previous errors`. So a signature is one line that tells what
//! was wrong, without what differs from run to run; and a line from which nobody could tell *what* was wrong is none.
//!
//! Two sorts of errors are told apart. What is wrong with the code (a type, a missing key, a panic) is the same error only in the same
//! file, so the file belongs to the signature. What is wrong with the world around it (no such module, a port in use) is the same
//! wherever it shows; but a port that somebody chose belongs to it, because behind another one it is another service.

mod port;

use std::collections::BTreeSet;

/// So many lines of an output are taken from its beginning; and the last one, where some tools say it best.
const FIRST: usize = 3;

/// How much of either end of an output is looked at, in bytes.
const END: usize = 16 << 10;

/// How much of a line is looked at, in bytes.
const LINE: usize = 400;

/// How far from an error the place is looked for that it speaks of, in lines.
const NEAR: usize = 8;

/// A line that an error is recognised by.
#[derive(Debug, Clone)]
pub struct Signature {
    /// The line, without what differs from run to run.
    pub text: String,
    /// The words in it that tell what was wrong.
    pub telling: BTreeSet<String>,
    /// What it speaks of, as it was printed: parts of names, and numbers.
    speaks_of: BTreeSet<String>,
    /// The file of the code that it is in, in small letters.
    place: Option<String>,
}

/// The line is what it is recognised by; the rest may differ from run to run.
impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Signature {}

impl Signature {
    /// Says whether the error is in a file.
    pub(super) fn is_in(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        self.place.as_ref().is_some_and(|place| *place == name)
    }

    /// Says whether something that the error speaks of stands in a text: as a word, or in one if it is long enough to be no accident
    /// (`yaml` in `pyyaml`).
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.speaks_of.iter().any(|name| {
            let is_long = name.chars().count() >= 4 && !name.bytes().all(|byte| byte.is_ascii_digit());
            if is_long { text.contains(name.as_str()) } else { parts(&text).any(|part| part == name) }
        })
    }
}

/// Names that are given to too many things for two places with one of them to have to do with each other.
#[rustfmt::skip]
const GENERAL: &[&str] = &[
    "config", "configuration", "index", "main", "test", "tests", "utils", "util", "types", "type", "core", "common", "src", "lib", "app", "api",
    "module", "modules", "package", "name", "version", "latest", "node", "python", "http", "https", "com", "org", "www", "github", "localhost",
    "server", "client", "data", "path", "the", "and", "for", "self", "std", "new", "get", "set", "use", "import", "default", "string", "number",
    "object", "undefined", "list", "dict", "bool", "user", "home", "json", "yml", "toml", "txt",
];

/// Splits a text into its words and numbers.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}

/// Gives what a message speaks of: parts of its names that are not given to everything, and numbers that somebody chose, such as ports.
fn spoken_of(message: &str, names: &BTreeSet<&str>) -> BTreeSet<String> {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let named = names.iter().flat_map(|name| parts(name));
    let named = named.filter(|part| part.chars().count() >= 3 && !is_number(part) && !GENERAL.contains(part));
    let numbers = parts(message).filter(|part| is_number(part) && (3..=5).contains(&part.len()));
    named.filter(|part| !is_empty(part)).chain(numbers).map(str::to_owned).collect()
}

/// Gives the signatures of what a failing command has printed, the most telling place first; none where it tells nothing.
pub fn signatures(output: &str) -> Vec<Signature> {
    let text = ends(output);
    let lines: Vec<String> = text.lines().map(visible).collect();
    let mut found: Vec<Signature> = Vec::new();
    for at in 0..lines.len() {
        if let Some(signature) = error_at(&lines, at).as_ref().and_then(signature)
            && !found.contains(&signature)
        {
            found.push(signature);
        }
    }
    if found.len() > FIRST + 1 {
        let last = found.pop();
        found.truncate(FIRST);
        found.extend(last);
    }
    found
}

/// Takes the two ends of a long output, each of whole lines.
fn ends(output: &str) -> String {
    if output.len() <= 2 * END {
        return output.to_owned();
    }
    let head = &output[..output.floor_char_boundary(END)];
    let tail = &output[output.ceil_char_boundary(output.len() - END)..];
    let head = head.rsplit_once('\n').map_or("", |(head, _)| head);
    let tail = tail.split_once('\n').map_or("", |(_, tail)| tail);
    format!("{head}\n{tail}")
}

/// Leaves of a line what a person sees: no colours, no control characters.
fn visible(line: &str) -> String {
    let mut clean = String::with_capacity(line.len().min(LINE));
    let mut characters = line[..line.floor_char_boundary(LINE)].chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            if characters.next_if_eq(&'[').is_some() {
                while characters.next_if(|c| !('@'..='~').contains(c)).is_some() {}
                characters.next();
            }
        } else if character == '\t' {
            clean.push(' ');
        } else if !character.is_control() {
            clean.push(character);
        }
    }
    clean
}

/// An error as it was printed.
struct Error<'a> {
    message: &'a str,
    /// Where in the code it is, for an error that is one of the code.
    place: Option<&'a str>,
    is_of_code: bool,
}

/// Words with which lines begin that are beside the point.
#[rustfmt::skip]
const ASIDES: &[&str] = &[
    "warning", "warn", "note:", "help:", "hint:", "info", "debug", "trace", "at ", "|", "=", "-->", "+", "-", "diff ", "$ ", "> ", "test ",
];

/// What a line that tells an error has in it.
#[rustfmt::skip]
const SIGNS: &[&str] = &[
    "error", "exception", "fatal", "panic", "failed to", "unable to", "cannot ", "can't ", "could not ", "couldn't ", "no such file",
    "not found", "permission denied", "access denied", "refused", "timed out", "undefined", "unresolved", "already in use",
    "no module named", "not permitted", "conflict", "no space left", "out of memory", "does not exist", "is not recognized",
];

/// Errors that are about the code and not about what is around it.
#[rustfmt::skip]
const OF_CODE: &[&str] = &[
    "typeerror", "nameerror", "attributeerror", "keyerror", "indexerror", "valueerror", "referenceerror", "syntaxerror",
    "rangeerror", "nullpointerexception", "illegalstateexception", "illegalargumentexception", "indexoutofboundsexception",
    "classcastexception", "runtimeerror", "assertionerror", "zerodivisionerror", "unboundlocalerror", "recursionerror", "nomethoderror",
    "argumenterror", "invalidoperationexception", "nullreferenceexception", "indentationerror", "notimplementederror",
];

/// Reads the error that a line tells, if it does.
fn error_at(lines: &[String], at: usize) -> Option<Error<'_>> {
    let line = lines[at].trim();
    let lower = line.to_lowercase();
    let next = lines.get(at + 1).map(|line| line.trim()).unwrap_or_default();
    if let Some((_, place)) = line.split_once(" panicked at ") {
        // Older compilers wrote the message first, in quotes.
        let quoted = place.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', "));
        let (message, place) = quoted.unwrap_or((next, place));
        return Some(Error { message, place: file_in(place), is_of_code: true });
    }
    // What stands behind a test's name, where a test runner sums up.
    let summed_up = lower.starts_with("failed ").then(|| line.split_once(" - ")).flatten();
    let message = summed_up.map_or(line, |(_, message)| message);
    let message = ["npm ERR!", "npm error", "ERR!"]
        .iter()
        .find_map(|sign| message.strip_prefix(sign))
        .unwrap_or(message);
    let is_marked = lines[at].starts_with("E   ");
    let message = if is_marked { lines[at][1..].trim() } else { message.trim() };
    // `src/a.c:3:7: error: …`, `src/a.ts(3,7): error TS2345: …`, `./a.go:3:7: undefined: …`
    if let Some((place, rest)) = located(message) {
        let is_error =
            SIGNS.iter().any(|sign| lower.contains(sign)) && !rest.to_lowercase().starts_with("warning");
        return is_error.then_some(Error { message: rest, place: Some(place), is_of_code: true });
    }
    let is_aside = ASIDES.iter().any(|word| lower.starts_with(word)) && !is_marked;
    if is_aside || !SIGNS.iter().any(|sign| lower.contains(sign)) {
        return None;
    }
    if let Some(place) = next.strip_prefix("--> ") {
        return Some(Error { message, place: file_in(place), is_of_code: true });
    }
    let first = message.split([':', ' ', '(']).next().unwrap_or_default();
    let class = first.rsplit('.').next().unwrap_or(first).to_lowercase();
    let is_of_code = OF_CODE.contains(&class.as_str()) || is_coded(message);
    let place = is_of_code.then(|| place_near(lines, at)).flatten();
    Some(Error { message, place, is_of_code })
}

/// Recognises what a compiler numbers.
fn is_coded(message: &str) -> bool {
    message.starts_with("error[E") || message.starts_with("error TS") || message.starts_with("error CS")
}

/// Splits `path:line:column: message` and `path(line,column): message`.
fn located(line: &str) -> Option<(&str, &str)> {
    let (head, rest) = line.split_once(": ")?;
    let name = head.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | ',' | '(' | ')'));
    let has_number = name.len() < head.len() && head[name.len()..].bytes().any(|byte| byte.is_ascii_digit());
    (has_number && !name.contains(' ')).then(|| file_in(name)).flatten().map(|file| (file, rest))
}

/// Finds the file of the code that an error speaks of: below it in a stack that begins with the innermost call, above it in one that ends
/// with it. What lies in a library is not the place.
fn place_near(lines: &[String], at: usize) -> Option<&str> {
    let is_own = |line: &&str| {
        ![
            "node_modules",
            "site-packages",
            "dist-packages",
            "/rustc/",
            ".cargo/registry",
            "node:internal",
            "<frozen",
            "/lib/python",
        ]
        .iter()
        .any(|sign| line.contains(sign))
    };
    let framed = |line: &String| -> bool {
        let line = line.trim();
        line.starts_with("at ")
            || line.starts_with("--> ")
            || line.starts_with("File \"")
            || located(line).is_some()
    };
    let below = lines[at + 1..].iter().take(NEAR).filter(|line| framed(line));
    let above = lines[..at].iter().rev().take(NEAR).filter(|line| framed(line));
    below.chain(above).map(|line| line.trim()).filter(is_own).find_map(file_in)
}

/// Finds a name of a file of code in a text: its last part, without the line.
fn file_in(text: &str) -> Option<&str> {
    text.split([' ', '"', '\'', '(', ')', '`', ',', '<', '>']).find_map(|word| {
        let path = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (stem, ending) = name.rsplit_once('.')?;
        let is_ending =
            (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_ending && !stem.is_empty() && ending.bytes().any(|byte| byte.is_ascii_alphabetic()))
            .then_some(name)
    })
}

/// Words that every failure has, and that tell nothing of what it was.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "error", "errors", "failed", "failure", "failures", "fail", "fatal", "exit", "exited", "code", "status", "command", "commands", "build",
    "test", "tests", "aborting", "previous", "could", "compile", "compilation", "process", "completed", "complete", "successfully", "above",
    "below", "details", "more", "information", "see", "log", "logs", "with", "from", "that", "this", "were", "have", "been", "unable", "cannot",
    "during", "while", "because", "please", "again", "assertion", "assert", "expected", "actual", "received", "left", "right", "equal",
    "found", "exception", "unhandled", "uncaught", "error:", "caused", "running", "target", "step", "task", "script", "lifecycle", "elifecycle",
    "returned", "return", "value", "occurred", "encountered", "something", "went", "wrong", "unknown", "internal", "stack", "trace",
    "backtrace", "panicked", "thread", "main", "called", "result", "when", "line", "column", "file", "stderr", "stdout", "output", "true", "false",
    "none", "null", "does", "didn't", "reported", "terminated", "signal", "core", "dumped", "fault", "segmentation", "make", "recipe",
    "there", "which", "your", "will", "should", "would", "some", "number", "total", "passed", "skipped", "ignored", "suites", "suite",
    "timeout", "typeerror", "valueerror", "keyerror", "runtimeerror", "assertionerror", "nameerror", "attributeerror", "indexerror",
    "syntaxerror", "referenceerror", "warning", "warnings", "generated", "help", "note",
];

/// What is said of every command that fails, with the command in it: that it failed, not why.
#[rustfmt::skip]
const ECHOES: &[&str] = &[
    "command failed", "exit code", "exit status", "exited with", "non-zero", "nonzero", "did not complete successfully", "could not compile",
    "aborting due", "exit successfully", "to rerun pass", "lifecycle script",
];

/// Makes the signature of an error; none where it tells too little, or where the same words could be about anything.
fn signature(error: &Error<'_>) -> Option<Signature> {
    if let Some(program) = missing_program(error.message) {
        let telling = BTreeSet::from([program.clone()]);
        let text = format!("command not found: {program}");
        return Some(Signature { text, speaks_of: telling.clone(), telling, place: None });
    }
    let lower = error.message.to_lowercase();
    if ECHOES.iter().any(|echo| lower.contains(echo)) {
        return None;
    }
    let words = words(error.message);
    let names: BTreeSet<&str> = words
        .iter()
        .filter(|word| word.is_name)
        .map(|word| word.text.as_str())
        .filter(|text| !is_empty(text))
        .collect();
    let plain: BTreeSet<&str> = words
        .iter()
        .filter(|word| !word.is_name && word.text.chars().filter(|c| c.is_alphabetic()).count() >= 4)
        .map(|word| word.text.as_str())
        .filter(|text| !is_empty(text))
        .collect();
    let weight = 2 * names.len() + plain.len() + usize::from(words.iter().any(|word| word.is_code));
    let is_placed = error.place.is_some();
    // Words alone are said of many things; a name is said of one.
    let needed = if error.is_of_code { 2 } else { 3 };
    let is_telling = if names.is_empty() { plain.len() >= 5 } else { weight >= needed };
    // A variable of the environment is missing wherever it is read.
    let is_of_place = error.is_of_code && !misses_variable(error.message);
    if !is_telling || (is_of_place && !is_placed) {
        return None;
    }
    let mut text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    if let Some(place) = error.place {
        text.push_str(" @ ");
        text.push_str(&without_numbers(place));
    }
    if !error.is_of_code
        && let Some(port) = port::of(&lower)
    {
        text.push_str(" :");
        text.push_str(port);
    }
    let speaks_of = spoken_of(error.message, &names);
    let telling = names.into_iter().chain(plain).map(str::to_owned).collect();
    Some(Signature { text, telling, speaks_of, place: error.place.map(str::to_lowercase) })
}

/// Recognises an error that names a variable of the environment and nothing else: `KeyError: 'DATABASE_URL'`.
fn misses_variable(message: &str) -> bool {
    let Some((class, name)) = message.split_once(": ") else { return false };
    let name = name.trim_matches(['\'', '"', '`']);
    class.ends_with("KeyError")
        && name.contains('_')
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_empty(word: &str) -> bool {
    EMPTY.contains(&word)
}

/// Gives the program that a shell did not find; every shell says it in words of its own.
fn missing_program(message: &str) -> Option<String> {
    let rest = message.strip_suffix(": command not found").or_else(|| message.strip_suffix(": not found"));
    let name = match rest {
        Some(rest) => rest.rsplit([':', ' ']).next(),
        None => message.split_once("command not found: ").map(|(_, name)| name.trim()),
    }?;
    let is_program = name.len() > 1
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+'));
    is_program.then(|| name.to_lowercase())
}

/// A word of an error.
struct Word {
    text: String,
    /// Somebody gave it: a function, a module, a file.
    is_name: bool,
    /// A tool gave it: `E0502`, `TS2345`.
    is_code: bool,
}

/// Splits a message into words, without what differs from run to run.
fn words(message: &str) -> Vec<Word> {
    let mut quoted = None;
    let mut words = Vec::new();
    for raw in message.split_whitespace() {
        let is_quoted = quotes(raw, &mut quoted);
        let bare = raw
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '#' | '$' | '@'));
        let bare = bare.trim_end_matches('.');
        if bare.is_empty() {
            continue;
        }
        // `error[E0425]` is a word and a code.
        for part in
            bare.split(['[', ']', '(', ')', '=', ',', ';', '"', '\'', '`']).filter(|part| !part.is_empty())
        {
            // What is imported is called by all of its path: `vitest/config` is not any `config`.
            let is_import = words.last().is_some_and(|word: &Word| IMPORTED.contains(&word.text.as_str()))
                && part.starts_with(|c: char| c.is_alphabetic() || c == '@');
            words.extend(if is_import { imported(part) } else { word(part, is_quoted) });
        }
    }
    words
}

/// Says whether a word stands in quotes, and keeps track of those that are open.
fn quotes(raw: &str, open: &mut Option<char>) -> bool {
    let was_open = open.is_some();
    let mut has_any = false;
    for character in raw.chars().filter(|c| matches!(c, '`' | '"' | '\'' | '‘' | '’' | '“' | '”')) {
        has_any = true;
        *open = if open.is_some() { None } else { Some(character) };
    }
    // An apostrophe opens nothing: `didn't`.
    if raw.contains("n't") {
        *open = None;
        return false;
    }
    was_open || has_any
}

/// The words behind which something stands that is imported.
const IMPORTED: [&str; 2] = ["module", "package"];

fn imported(part: &str) -> Option<Word> {
    let text = without_numbers(part).to_lowercase();
    part.contains('/').then_some(Word { text, is_name: true, is_code: false }).or_else(|| word(part, true))
}

fn word(part: &str, is_quoted: bool) -> Option<Word> {
    let is_code = (4..=8).contains(&part.len())
        && part.starts_with(|c: char| c.is_ascii_uppercase())
        && part
            .trim_start_matches(|c: char| c.is_ascii_uppercase())
            .bytes()
            .all(|byte| byte.is_ascii_digit())
        && part.bytes().any(|byte| byte.is_ascii_digit());
    if is_code {
        return Some(Word { text: part.to_lowercase(), is_name: false, is_code: true });
    }
    // Of a URL its host, of a path its last part: the rest is where somebody happened to work.
    let local = match part.split_once("://") {
        Some((_, rest)) if !rest.starts_with('/') => rest.split(['/', ':', '?']).next().unwrap_or(rest),
        _ => part.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(part),
    };
    let local = local.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    let text = if is_hash(local) { "#".to_owned() } else { without_numbers(local) };
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters == 0 {
        return None;
    }
    let inner = local.get(1..).unwrap_or_default();
    let is_odd = local.contains('_')
        || local.contains("::")
        || local.contains('@')
        || local.trim_matches('.').contains('.')
        || (local.contains('-') && letters >= 4)
        || inner.chars().any(char::is_uppercase)
        || part.len() > local.len() + 1 && part.contains('/');
    Some(Word { is_name: letters >= 3 && (is_quoted || is_odd), text: text.to_lowercase(), is_code: false })
}

/// Recognises what no person chose: a hash, an id, an address.
fn is_hash(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = word.trim_start_matches("0x").bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_hex && word.len() >= 7 && digits >= 2
}

/// Puts a mark in the place of every number, with its unit if it has one.
fn without_numbers(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // `1.5`, `12:30`: one number.
            '0'..='9' | '.' | ':' | ',' if clean.ends_with('#') => {}
            '0'..='9' => clean.push('#'),
            other => clean.push(other),
        }
    }
    clean
}
