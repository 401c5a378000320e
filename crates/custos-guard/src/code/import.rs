//! Imports, and under which name a module is known.

use super::Language;
use super::lexer::Kind;
use super::reader::Reader;
use super::value::{ANYTHING, Value};

/// The name by which the tables know a module.
pub(super) fn module(language: Language, name: &str) -> String {
    if language != Language::JavaScript {
        return name.to_owned();
    }
    let name = name.strip_prefix("node:").or_else(|| name.strip_prefix("npm:")).unwrap_or(name);
    match name {
        "fs/promises" | "fs-extra" | "graceful-fs" | "fs" => "fs".to_owned(),
        "path/posix" | "path" => "path".to_owned(),
        "cross-spawn" => "child_process.spawn".to_owned(),
        "http" | "https" | "axios" | "got" | "node-fetch" | "undici" => "https".to_owned(),
        "shelljs" | "shelljs/global" => "shelljs".to_owned(),
        "del" | "trash" => "rimraf".to_owned(),
        other => other.to_owned(),
    }
}

impl Reader<'_, '_, '_> {
    /// Reads `import …`, of either language.
    pub(super) fn import(&mut self) -> Value {
        self.at += 1;
        if self.language() == Language::Python {
            loop {
                let (name, first) = self.dotted();
                if self.word_at(self.at) == Some("as") {
                    if let Some(alias) = self.word_at(self.at + 1) {
                        self.state.assign(alias, Value::Name(name));
                    }
                    self.at += 2;
                } else if !first.is_empty() {
                    self.state.variables.remove(&first);
                }
                if !self.take(",") {
                    return ANYTHING;
                }
            }
        }
        // `import a, { b as c }, * as d from 'module'`
        let start = self.at;
        let mut end = start;
        while end < self.tokens.len().min(start + 64) && self.word_at(end) != Some("from") {
            if matches!(self.tokens[end].kind, Kind::Text(_) | Kind::Sign(";" | "=")) {
                return ANYTHING;
            }
            end += 1;
        }
        if !matches!(self.tokens.get(end + 1).map(|token| &token.kind), Some(Kind::Text(_))) {
            return ANYTHING;
        }
        let name = module(Language::JavaScript, &self.text(end + 1).raw());
        self.at = end + 2;
        let mut in_braces = false;
        let mut at = start;
        while at < end {
            match self.tokens[at].kind {
                Kind::Sign("{") => in_braces = true,
                Kind::Sign("}") => in_braces = false,
                Kind::Sign("*") => {
                    if let Some(alias) = self.word_at(at + 2) {
                        self.state.assign(alias, Value::Name(name.clone()));
                    }
                    at += 2;
                }
                Kind::Word(word) => {
                    let mut alias = word;
                    if self.word_at(at + 1) == Some("as") {
                        alias = self.word_at(at + 2).unwrap_or(word);
                        at += 2;
                    }
                    let whole = Value::Name(name.clone());
                    let taken = if in_braces { self.member(whole, word) } else { whole };
                    self.state.assign(alias, taken);
                }
                _ => {}
            }
            at += 1;
        }
        ANYTHING
    }

    /// Reads Python's `from module import name as other, …`.
    pub(super) fn import_from(&mut self) -> Value {
        self.at += 1;
        let (name, _) = self.dotted();
        if self.word_at(self.at) != Some("import") {
            return ANYTHING;
        }
        self.at += 1;
        self.take("(");
        loop {
            self.skip_lines_in_list();
            if self.take("*") {
                self.state.included.push(name);
                return ANYTHING;
            }
            let Some(word) = self.word_at(self.at) else { return ANYTHING };
            self.at += 1;
            let mut alias = word;
            if self.word_at(self.at) == Some("as") {
                alias = self.word_at(self.at + 1).unwrap_or(word);
                self.at += 2;
            }
            self.state.assign(alias, Value::Name(format!("{name}.{word}")));
            if !self.take(",") {
                return ANYTHING;
            }
        }
    }

    fn skip_lines_in_list(&mut self) {
        if self.at > 0 && matches!(self.sign_at(self.at - 1), Some("(" | ",")) {
            self.skip_lines();
        }
    }

    /// Reads a dotted name; also gives its first part.
    fn dotted(&mut self) -> (String, String) {
        let mut name = String::new();
        let mut first = String::new();
        while let Some(word) = self.word_at(self.at) {
            if name.is_empty() {
                word.clone_into(&mut first);
            }
            name.push_str(word);
            self.at += 1;
            if name.len() > 160 || !self.take(".") {
                break;
            }
            name.push('.');
        }
        (name, first)
    }
}
