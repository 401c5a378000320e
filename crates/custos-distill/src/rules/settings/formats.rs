//! How settings are written, and what each way has for keys and values.

use super::super::dependencies::is_lock_file;
use super::{Entry, blocks, json};

/// A way to write settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Yaml,
    Toml,
    Json,
    Ini,
    Env,
    Docker,
    Blocks,
}

/// Parts of paths below which data lies, not settings.
const DATA: [&str; 16] = [
    "fixtures/",
    "testdata/",
    "__snapshots__/",
    "snapshots/",
    "locales/",
    "locale/",
    "i18n/",
    "translations/",
    "mocks/",
    "__mocks__/",
    "node_modules/",
    "cassettes/",
    "/data/",
    "golden/",
    "dist/",
    "vendor/",
];

/// Says how a file is written, if it is one of settings.
pub(super) fn format(path: &str) -> Option<Format> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if is_lock_file(path) || DATA.iter().any(|part| path.contains(part)) || path.starts_with("data/") {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    if lower.starts_with("dockerfile")
        || lower.rsplit_once('.').is_some_and(|(_, ending)| ending == "dockerfile")
        || lower == "containerfile"
    {
        return Some(Format::Docker);
    }
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ending == "env" || lower.starts_with(".env.") || lower == ".envrc" {
        return Some(Format::Env);
    }
    if lower.contains("nginx") && !matches!(ending, "yml" | "yaml") {
        return Some(Format::Blocks);
    }
    // These describe an interface or a form, not how a program is to run.
    if lower.starts_with("openapi") || lower.starts_with("swagger") || lower.contains(".schema.") {
        return None;
    }
    match lower.as_str() {
        ".npmrc" | ".yarnrc" | ".editorconfig" | ".gitconfig" | ".flake8" | ".pylintrc" | ".coveragerc"
        | "setup.cfg" | "tox.ini" | ".pypirc" | "my.cnf" => return Some(Format::Ini),
        ".prettierrc" | ".eslintrc" | ".babelrc" | ".swcrc" | ".jshintrc" | "composer.json" => {
            return Some(Format::Json);
        }
        "pipfile" | ".clang-format" => {
            return Some(if lower == "pipfile" { Format::Toml } else { Format::Yaml });
        }
        _ => {}
    }
    Some(match ending {
        "yaml" | "yml" => Format::Yaml,
        "toml" => Format::Toml,
        "json" | "jsonc" | "json5" => Format::Json,
        "ini" | "cfg" | "cnf" | "properties" => Format::Ini,
        "conf" => {
            if path.contains("nginx") || path.contains("sites-") {
                Format::Blocks
            } else {
                Format::Ini
            }
        }
        "tfvars" | "tf" | "hcl" => Format::Blocks,
        _ => return None,
    })
}

/// Reads keys and values.
pub(super) fn read(format: Format, text: &str) -> Vec<Entry> {
    match format {
        Format::Yaml => yaml(text),
        Format::Toml => ini(text, true),
        Format::Ini => {
            if text.lines().any(|line| line.trim_end().ends_with('{')) {
                blocks::read(text)
            } else {
                ini(text, false)
            }
        }
        Format::Env => env(text),
        Format::Json => json::read(text),
        Format::Docker => docker(text),
        Format::Blocks => blocks::read(text),
    }
}

pub(super) fn entry(path: &[&str], key: &str, value: &str) -> Entry {
    let mut full = path.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(".");
    if !key.is_empty() {
        if !full.is_empty() {
            full.push('.');
        }
        full.push_str(key);
    }
    Entry { key: full, value: normal(value), is_item: false }
}

pub(super) fn item(path: &[&str], value: &str) -> Entry {
    Entry { is_item: true, ..entry(path, "", value) }
}

/// A value without its quotes, with single spaces.
fn normal(value: &str) -> String {
    let value = value.trim().trim_end_matches(',');
    let bare = ['"', '\''].iter().find_map(|quote| {
        value.strip_prefix(*quote)?.strip_suffix(*quote).filter(|inner| !inner.contains(*quote))
    });
    bare.unwrap_or(value).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts a comment off: a mark behind a space, outside of quotes.
pub(super) fn without_comment<'l>(line: &'l str, marks: &[&str]) -> &'l str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, _) => {
                let is_free = at == 0 || line[..at].ends_with(char::is_whitespace);
                if is_free && marks.iter().any(|mark| line[at..].starts_with(mark)) {
                    return &line[..at];
                }
            }
        }
    }
    line
}

/// Reads YAML by its indentation. An item of a list with a name goes by that name.
fn yaml(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut block: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if let Some(from) = block {
            if line.trim().is_empty() || indent > from {
                continue;
            }
            block = None;
        }
        let mut content = without_comment(line, &["#"]).trim_end();
        let mut depth = indent;
        content = content.trim_start();
        if content.is_empty() || content == "---" {
            continue;
        }
        if let Some(rest) = content.strip_prefix("- ") {
            // A list may stand as far left as its key; an item before this one may not.
            path.retain(|(at, name)| *at < indent || (*at == indent && !name.starts_with('[')));
            depth += content.len() - rest.trim_start().len();
            content = rest.trim_start();
            match split_yaml(content) {
                Some(("name" | "id", value)) if !value.is_empty() => {
                    path.push((indent, format!("[{}]", normal(value))));
                }
                Some(_) => {}
                None => {
                    let names: Vec<&str> = path.iter().map(|(_, name)| name.as_str()).collect();
                    found.push(item(&names, content));
                }
            }
        }
        let Some((key, value)) = split_yaml(content) else { continue };
        if depth == indent {
            path.retain(|(at, _)| *at < depth);
        }
        if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            block = Some(indent);
            continue;
        }
        if value.is_empty() || value.starts_with('&') && !value.contains(' ') {
            path.push((depth, key.trim_matches(['"', '\'']).to_owned()));
            continue;
        }
        let names: Vec<&str> =
            path.iter().filter(|(at, _)| *at < depth).map(|(_, name)| name.as_str()).collect();
        found.push(entry(&names, key.trim_matches(['"', '\'']), value));
    }
    found
}

fn split_yaml(content: &str) -> Option<(&str, &str)> {
    if content.starts_with(['[', '{']) {
        return None;
    }
    let from = match content.strip_prefix('"') {
        Some(inner) => inner.find('"')? + 2,
        None => 0,
    };
    let at = from
        + content[from..].find(':').filter(|at| {
            let rest = &content[from + at + 1..];
            rest.is_empty() || rest.starts_with(' ')
        })?;
    Some((content[..at].trim(), content[at + 1..].trim()))
}

/// Reads sections and `key = value`: TOML, INI, properties.
fn ini(text: &str, is_toml: bool) -> Vec<Entry> {
    let marks: &[&str] = if is_toml { &["#"] } else { &["#", ";", "!", "//"] };
    let mut found = Vec::new();
    let mut section = String::new();
    let mut list: Option<String> = None;
    for line in text.lines() {
        let line = without_comment(line, marks).trim();
        if let Some(key) = &list {
            for value in line
                .trim_end_matches(']')
                .split(',')
                .map(str::trim)
                .filter(|value| !value.is_empty() && *value != "]")
            {
                found.push(item(&[&section, key], value));
            }
            if line.ends_with(']') {
                list = None;
            }
            continue;
        }
        if let Some(header) =
            line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|rest| !rest.contains(','))
        {
            section = header.trim_matches(['[', ']', ' ']).replace('"', "");
            continue;
        }
        let split = if is_toml {
            line.split_once('=')
        } else {
            let marked = line.split_once(['=', ':']).or_else(|| line.split_once(char::is_whitespace));
            marked.map(|(key, value)| (key, value.trim_start_matches(['=', ' '])))
        };
        let Some((key, value)) = split else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        if key.is_empty() || key.starts_with(['"', '[', '{', '<']) || (key.contains(' ') && is_toml) {
            continue;
        }
        if is_toml && value.starts_with('[') && !value.ends_with(']') {
            for value in value[1..].split(',').map(str::trim).filter(|value| !value.is_empty()) {
                found.push(item(&[&section, key], value));
            }
            list = Some(key.to_owned());
            continue;
        }
        found.push(entry(&[&section], key, value));
    }
    found
}

fn env(text: &str) -> Vec<Entry> {
    text.lines()
        .map(|line| without_comment(line, &["#"]).trim())
        .filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='))
        .map(|(key, value)| entry(&[], key.trim(), value))
        .collect()
}

/// Reads what a container image is made of.
fn docker(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = without_comment(line, &["#"]).trim().trim_end_matches('\\').trim();
        let Some((word, rest)) = line.split_once(char::is_whitespace) else { continue };
        let rest = rest.trim();
        match word.to_ascii_uppercase().as_str() {
            "FROM" => {
                let mut words = rest.split_whitespace().filter(|word| !word.starts_with("--"));
                let image = words.next().unwrap_or_default();
                let stage = words.nth(1).filter(|_| rest.to_ascii_lowercase().contains(" as "));
                found.push(entry(
                    &[],
                    &stage.map_or_else(|| "FROM".to_owned(), |stage| format!("FROM {stage}")),
                    image,
                ));
            }
            "ENV" | "ARG" | "LABEL" => {
                if rest.contains('=') {
                    for pair in rest.split_whitespace() {
                        if let Some((key, value)) = pair.split_once('=') {
                            found.push(entry(&[], &format!("{word} {key}"), value));
                        }
                    }
                } else if let Some((key, value)) = rest.split_once(char::is_whitespace) {
                    found.push(entry(&[], &format!("{word} {key}"), value));
                }
            }
            name @ ("EXPOSE" | "USER" | "WORKDIR" | "CMD" | "ENTRYPOINT" | "HEALTHCHECK" | "SHELL"
            | "STOPSIGNAL") => found.push(entry(&[], name, rest)),
            _ => {}
        }
    }
    found
}
