//! What the names of tools and fields tell.

use std::borrow::Cow;

use crate::path::Access;

/// Fields that hold a command line.
pub(super) const COMMANDS: [&str; 7] =
    ["bash", "cmd", "command", "command_line", "commandline", "script", "shell_command"];

/// Fields that hold what is typed into a running shell.
pub(super) const TYPED: [&str; 4] = ["chars", "input", "keys", "text"];

/// Fields that hold a program in some language.
pub(super) const CODE: [&str; 3] = ["code", "source_code", "python"];

/// Fields that hold a pattern for the names of files.
pub(super) const PATTERNS: [&str; 5] = ["glob", "include", "include_pattern", "includes", "globs"];

/// Fields that say what is done.
pub(super) const DEEDS: [&str; 5] = ["op", "operation", "action", "mode", "method"];

/// Words in a field's name that say it holds a path.
const PATHS: [&str; 13] = [
    "path",
    "file",
    "filename",
    "filepath",
    "dir",
    "directory",
    "folder",
    "uri",
    "source",
    "destination",
    "target",
    "notebook",
    "root",
];

/// Fields that may hold a path.
const PERHAPS: [&str; 6] = ["from", "to", "src", "dst", "dest", "location"];

/// Words in a tool's name that say what it does, whole and as a part of a word; the first that fits counts.
const VERBS: [(&[&str], &[&str], Access); 3] = [
    (
        &["rm", "del", "erase", "purge"],
        &["delete", "remove", "unlink", "trash", "destroy", "rmdir"],
        Access::Delete,
    ),
    (
        &[
            "edit", "move", "mv", "save", "patch", "put", "set", "copy", "cp", "touch", "apply", "add",
            "edits", "editor", "dump", "export", "link", "symlink", "chmod",
        ],
        &[
            "write", "create", "update", "rename", "append", "insert", "replace", "upload", "modify",
            "store", "mkdir", "movefile", "copyfile", "editfile", "savefile", "truncate",
        ],
        Access::Write,
    ),
    (
        &[
            "read",
            "get",
            "view",
            "cat",
            "open",
            "load",
            "fetch",
            "show",
            "download",
            "grep",
            "glob",
            "search",
            "find",
            "list",
            "ls",
            "stat",
            "info",
            "tree",
            "head",
            "tail",
            "count",
            "check",
            "lint",
            "query",
            "diff",
            "describe",
            "navigate",
            "diagnostics",
        ],
        &["search", "readfile"],
        Access::Read,
    ),
];

/// What a tool does with the paths that it is given, by its name: the one after the server's.
pub(super) fn access(tool: &str) -> Option<Access> {
    verb(tool.rsplit("__").next().unwrap_or(tool))
}

/// What a field such as `operation` or `mode` says is done.
pub(super) fn access_of_deed(said: &str) -> Option<Access> {
    if said.len() > 64 {
        return None;
    }
    let is_mode = said.len() <= 3 && said.chars().all(|c| "rwaxbt+".contains(c));
    if is_mode && said.contains(['w', 'a', 'x', '+']) { Some(Access::Write) } else { verb(said) }
}

fn verb(name: &str) -> Option<Access> {
    let words = words(name);
    let does = |whole: &[&str], parts: &[&str]| {
        words
            .iter()
            .any(|word| whole.contains(&word.as_str()) || parts.iter().any(|part| word.contains(part)))
    };
    VERBS.iter().find(|(whole, parts, _)| does(whole, parts)).map(|(_, _, access)| *access)
}

/// The stronger of two rights.
pub(super) fn stronger(one: Option<Access>, other: Option<Access>) -> Option<Access> {
    let strength = |access: &Option<Access>| match access {
        None => 0,
        Some(Access::Read) => 1,
        Some(Access::Write) => 2,
        Some(Access::Delete) => 3,
    };
    if strength(&other) > strength(&one) { other } else { one }
}

/// Splits `readFile`, `read_file` and `read-file` into words.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars().take(128) {
        if !c.is_alphanumeric() || c.is_uppercase() && after_lower {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Says whether a tool types into a shell, or runs something.
pub(super) fn types(tool: &[String]) -> bool {
    tool.iter().any(|word| {
        ["bash", "shell", "terminal", "stdin"].iter().any(|part| word.contains(part))
            || word.starts_with("exec")
            || word == "run"
    })
}

/// Turns what is typed into lines: without the names of keys.
pub(super) fn typed(text: &str) -> String {
    const KEYS: [&str; 8] =
        ["{up}", "{down}", "{left}", "{right}", "{backspace}", "{tab}", "{escape}", "{esc}"];
    let mut text = text.replace(['\r', '\u{3}', '\u{4}', '\u{15}'], "\n");
    for key in ["{enter}", "{Enter}", "{ENTER}", "{return}"] {
        text = text.replace(key, "\n");
    }
    for key in KEYS {
        text = text.replace(key, "");
    }
    text
}

/// Says whether a field holds SQL.
pub(super) fn is_sql(field: &str, text: &str, tool: &[String]) -> bool {
    const FIRST: [&str; 13] = [
        "drop", "delete", "truncate", "alter", "update", "insert", "create", "grant", "revoke", "with",
        "select", "begin", "copy",
    ];
    match field {
        "sql" => true,
        "query" | "statement" => {
            let is_search =
                |word: &String| matches!(&**word, "search" | "find" | "web" | "docs" | "fetch" | "browse");
            let first = text.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty());
            first.is_some_and(|first| FIRST.iter().any(|word| first.eq_ignore_ascii_case(word)))
                && !tool.iter().any(is_search)
        }
        _ => false,
    }
}

/// Says whether a field holds a path, by its name and, where that leaves it open, by its looks.
pub(super) fn holds_path(field: &str, text: &str) -> bool {
    let lower = field.to_ascii_lowercase();
    let looks = text.starts_with(['/', '~', '.']) || text.contains('/');
    if PERHAPS.contains(&lower.as_str()) {
        return looks || !text.contains(char::is_whitespace);
    }
    if lower == "name" {
        return looks;
    }
    words(field)
        .iter()
        .any(|word| PATHS.contains(&word.as_str()) || PATHS.contains(&word.trim_end_matches('s')))
}

/// The path of a `file:` address.
pub(super) fn after_file_scheme(text: &str) -> Option<Cow<'_, str>> {
    let scheme = text.get(..7)?;
    if !scheme.eq_ignore_ascii_case("file://") {
        return None;
    }
    let path = &text[7..];
    let path = path.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    Some(if path.contains('%') { Cow::Owned(decoded(path)) } else { Cow::Borrowed(path) })
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) =
            digits.filter(|_| first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok())
        {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Says whether it is an address on another machine: one with a scheme, a host and no detours.
pub(super) fn is_remote(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme && rest.starts_with(|c: char| c.is_alphanumeric() || c == '[') && !text.contains("..")
}
