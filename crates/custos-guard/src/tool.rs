//! Tools that nobody described: MCP servers and whatever a client adds.
//!
//! Their input is JSON of any shape. What can be told is told by the names: a field called `path` holds a path, one called `command` a
//! command, and a tool called `delete_file` deletes. A field that is called otherwise is the tool's own business. Where the names leave
//! it open, the stricter reading counts, and an input that is too large to be looked at is asked about.

mod names;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::case::Case;
use crate::guard::{Guard, Judgement};
use crate::path::{self, Access, Frame, Place};
use crate::verdict::{Hold, Rule};

/// How deep and how far an input is looked into.
const DEEPEST: usize = 8;
const MOST: usize = 4096;
/// Nothing longer is a path.
const LONGEST_PATH: usize = 4096;
/// How many alternatives of a pattern are looked at.
const MOST_ALTERNATIVES: usize = 64;

static UNREADABLE: Rule = Rule {
    id: "tool.unreadable",
    hold: Hold::Ask,
    reason: "calls a tool with an input that cannot be read",
    safer: "call it with less, or in the form that the tool documents",
};

/// The rules of this module, for the catalogue.
pub(crate) static RULES: &[&Rule] = &[&UNREADABLE];

impl Guard<'_> {
    /// Judges the input of a tool that nobody described.
    pub fn input(&self, tool: &str, input: &Value) -> Judgement {
        let mut look = Look {
            guard: self,
            tool,
            tool_words: names::words(tool),
            access: names::access(tool),
            left: MOST,
            is_unread: false,
            judgement: Judgement::default(),
        };
        look.at(None, input, 0);
        if look.is_unread {
            look.judgement.unite(self.unreadable(tool));
        }
        look.judgement
    }

    /// Holds a call of which the input cannot be read.
    pub fn unreadable(&self, tool: &str) -> Judgement {
        let mut case = Case::new(self.world, self.policy);
        case.hold(&UNREADABLE, tool);
        Judgement { findings: case.findings, ..Judgement::default() }
    }

    /// Judges what is to be done with the files that a pattern means.
    fn pattern(&self, pattern: &str, access: Access) -> Judgement {
        let mut case = Case::new(self.world, self.policy);
        let place = Place::of(pattern, true, &Frame::of(&self.world, Some(self.world.cwd)));
        path::touch(&place, access, pattern, &mut case);
        Judgement { findings: case.findings, directories: case.directories, ..Judgement::default() }
    }
}

struct Look<'l, 'w> {
    guard: &'l Guard<'w>,
    tool: &'l str,
    tool_words: Vec<String>,
    /// What the tool does with the paths that it is given; none if its name does not say.
    access: Option<Access>,
    left: usize,
    is_unread: bool,
    judgement: Judgement,
}

impl Look<'_, '_> {
    fn at(&mut self, name: Option<&str>, value: &Value, depth: usize) {
        // A number holds nothing.
        if !matches!(value, Value::Object(_) | Value::Array(_) | Value::String(_)) {
            return;
        }
        if depth > DEEPEST || self.left == 0 {
            self.is_unread = true;
            return;
        }
        self.left -= 1;
        match value {
            Value::Object(fields) => self.object(fields, depth),
            Value::Array(values) => {
                let lower = name.unwrap_or_default().to_ascii_lowercase();
                let first = values.first().and_then(Value::as_str).unwrap_or_default();
                // A program has no blank in its name: where there is one, these are lines.
                let is_one = (names::COMMANDS.contains(&lower.as_str()) || lower == "argv")
                    && !first.trim().contains(char::is_whitespace);
                if is_one {
                    self.command(&joined(values));
                }
                // The elements of `paths` are paths; the words of a command are nothing by themselves.
                for value in values.iter().filter(|value| !(is_one && value.is_string())) {
                    self.at(name, value, depth + 1);
                }
            }
            Value::String(text) => self.text(name.unwrap_or_default(), text),
            _ => {}
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) {
        let outer = self.access;
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        for said in names::DEEDS.iter().filter_map(|field| text(field)) {
            self.access = names::stronger(self.access, names::access_of_deed(said));
        }
        let language = ["language", "lang", "kernel", "runtime"].into_iter().find_map(text);
        let args = ["args", "arguments", "argv"].into_iter().find_map(|name| fields.get(name));
        let only_names = match text("output_mode") {
            Some(mode) => mode != "content",
            None => self.tool == "Grep",
        };
        for (name, value) in fields {
            let lower = name.to_ascii_lowercase();
            let is_command =
                names::COMMANDS.contains(&lower.as_str()) || matches!(&*lower, "program" | "executable");
            match value {
                Value::String(code) if names::CODE.contains(&lower.as_str()) && !self.is_shell(language) => {
                    self.code(code, language);
                }
                Value::String(program) if is_command && args.is_some() => {
                    let more = match args {
                        Some(Value::Array(words)) => joined(words),
                        Some(Value::String(words)) => words.clone(),
                        _ => String::new(),
                    };
                    self.command(&format!("{program} {more}"));
                }
                Value::String(line) if names::CODE.contains(&lower.as_str()) => self.command(line),
                _ if only_names && names::PATTERNS.contains(&lower.as_str()) => {}
                _ => self.at(Some(name), value, depth + 1),
            }
        }
        self.access = outer;
    }

    fn is_shell(&self, language: Option<&str>) -> bool {
        let is_shell = |name: &str| matches!(name, "bash" | "sh" | "shell" | "zsh" | "dash" | "ksh");
        language.map_or_else(
            || self.tool_words.iter().any(|word| is_shell(word)),
            |language| is_shell(&language.trim().to_ascii_lowercase()),
        )
    }

    fn command(&mut self, text: &str) {
        self.judgement.unite(self.guard.command(text));
    }

    /// Judges a program in another language.
    fn code(&mut self, code: &str, language: Option<&str>) {
        let says = |wanted: &str| self.tool_words.iter().any(|word| word.contains(wanted));
        let language = language.map(|language| language.trim().to_ascii_lowercase());
        let program = match language.as_deref().unwrap_or_default() {
            "javascript" | "js" | "node" | "nodejs" | "typescript" | "ts" | "deno" | "bun" => "node -e",
            "ruby" | "rb" => "ruby -e",
            "perl" => "perl -e",
            "php" => "php -r",
            "lua" => "lua -e",
            "powershell" | "pwsh" | "ps1" => "pwsh -Command",
            "sql" => "psql -c",
            "" if says("node") || says("javascript") => "node -e",
            _ => "python3 -c",
        };
        self.command(&format!("{program} {}", quoted(code)));
        // A notebook hands such lines to a shell.
        for line in code.lines().filter_map(|line| line.trim_start().strip_prefix('!')) {
            self.command(line);
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        let lower = name.to_ascii_lowercase();
        let lower = lower.as_str();
        let is_typed = names::TYPED.contains(&lower) && names::types(&self.tool_words);
        if is_typed {
            self.command(&names::typed(text));
        } else if names::COMMANDS.contains(&lower) || matches!(lower, "commands" | "scripts") {
            self.command(text);
        } else if names::is_sql(lower, text, &self.tool_words) {
            self.command(&format!("psql -c {}", quoted(text)));
        } else if names::PATTERNS.contains(&lower) {
            for pattern in alternatives(text) {
                self.judgement.unite(self.guard.pattern(&pattern, Access::Read));
            }
        } else {
            self.maybe_path(name, text.trim());
        }
    }

    fn maybe_path(&mut self, name: &str, text: &str) {
        let file = names::after_file_scheme(text);
        let is_path = file.is_some() || names::holds_path(name, text);
        if !is_path || text.is_empty() {
            return;
        }
        if text.len() > LONGEST_PATH {
            // Only detours make a path this long.
            self.is_unread |= text.contains("/./") || text.contains("/../") || text.contains("///");
        } else if file.is_some() || !names::is_remote(text) {
            let path = file.unwrap_or(Cow::Borrowed(text));
            for line in path.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_ALTERNATIVES) {
                self.path(line);
            }
        }
    }

    fn path(&mut self, path: &str) {
        // Whatever a tool does with a secret, it may show it.
        self.judgement.unite(self.guard.pattern(path, Access::Read));
        match self.access {
            Some(Access::Read) => {}
            Some(access) => self.judgement.unite(self.guard.path(path, access)),
            None => {
                let mut judgement = self.guard.path(path, Access::Write);
                let own = ["own.rules", "own.registration", "own.program"];
                judgement.findings.retain(|finding| own.contains(&&*finding.rule));
                self.judgement.unite(judgement);
            }
        }
    }
}

/// Writes words as a shell reads them.
fn joined(words: &[Value]) -> String {
    let words: Vec<String> =
        words.iter().map(|word| word.as_str().map_or_else(|| quoted(&word.to_string()), quoted)).collect();
    words.join(" ")
}

/// Writes a value as one word of a script.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Takes a list of patterns apart: `*.rs,{.env,x}`. One that begins with `!` leaves files out.
fn alternatives(text: &str) -> Vec<String> {
    let mut open = vec![text.trim().to_owned()];
    let mut plain: Vec<String> = Vec::new();
    while let Some(pattern) = open.pop() {
        let braces = pattern.find('{').and_then(|from| {
            let length = pattern[from..].find('}')?;
            Some((from, from + length))
        });
        match braces {
            Some((from, to)) if open.len() + plain.len() < MOST_ALTERNATIVES => {
                let inner = &pattern[from + 1..to];
                open.extend(
                    inner
                        .split(',')
                        .map(|choice| format!("{}{choice}{}", &pattern[..from], &pattern[to + 1..])),
                );
            }
            _ => plain.extend(pattern.split(',').map(|pattern| pattern.trim().to_owned())),
        }
    }
    plain.retain(|pattern| !pattern.is_empty() && !pattern.starts_with('!'));
    plain
}
