//! Which entries of a hooks file are ours, and which MCP server.
//!
//! An entry has no room for a name of its own, and clients drop fields that they do not know; so it is known by what it runs:
//! `custos hook CLIENT EVENT`, from whatever directory and with whatever wrapped around it. That also finds entries that
//! an older version wrote with another path.
//!
//! A server has a name, but the name may be somebody else's. It is ours if it is our program itself, told to be a server; what is wrapped
//! around that is the person's own arrangement, and left to them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Decides whether an entry of a hooks file runs us, for one client and maybe one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ours {
    /// The client, as the hook command names it.
    pub client: String,
    /// The event, as the hook command names it; without one, every event counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
}

/// How much of an entry is ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Share {
    Nothing,
    Everything,
    /// Only these elements of this member: somebody put a hook of theirs into our group, or ours into theirs.
    Some {
        member: String,
        elements: Vec<usize>,
    },
}

impl Ours {
    /// Means one event of one client.
    pub fn hook(client: &str, event: &str) -> Self {
        Self { client: client.to_owned(), event: Some(event.to_owned()) }
    }

    /// Tells whether anything in this value runs us.
    pub fn owns(&self, value: &Value) -> bool {
        match value {
            Value::String(line) => self.runs_us(&words(line)),
            Value::Array(values) => {
                self.runs_us(&as_words(values)) || values.iter().any(|value| self.owns(value))
            }
            Value::Object(members) => {
                let (command, args) = (members.get("command"), members.get("args"));
                let apart = match (command, args) {
                    (Some(Value::String(command)), Some(Value::Array(args))) => {
                        let program = [Word::Text(command.clone())];
                        let args = as_words(args);
                        self.runs_us(&[&program[..], &args].concat())
                            || self.runs_us(&[words(command), args].concat())
                    }
                    _ => false,
                };
                apart || members.values().any(|value| self.owns(value))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Tells how much of an entry is ours. Clients group hooks by what they match, so one entry may hold several.
    pub(super) fn share(&self, entry: &Value) -> Share {
        if !self.owns(entry) {
            return Share::Nothing;
        }
        let groups = entry.as_object().into_iter().flatten();
        for (member, hooks) in groups.filter_map(|(member, value)| Some((member, value.as_array()?))) {
            // Strings in an array are the words of one command, not several.
            if !hooks.iter().all(Value::is_object) {
                continue;
            }
            let elements: Vec<usize> = (0..hooks.len()).filter(|&index| self.owns(&hooks[index])).collect();
            if !elements.is_empty() && elements.len() < hooks.len() {
                return Share::Some { member: member.clone(), elements };
            }
        }
        Share::Everything
    }

    /// Tells whether `… custos … hook CLIENT EVENT` is among the words, all in one simple command.
    fn runs_us(&self, words: &[Word]) -> bool {
        words.split(|word| *word == Word::Operator).any(|command| {
            let mut rest = command.iter().skip_while(|word| !word.is_our_program()).skip(1);
            rest.any(|word| word.is("hook")) && {
                let client = rest.next().is_some_and(|word| word.is(&self.client));
                let event =
                    rest.next().is_some_and(|word| self.event.as_ref().is_none_or(|event| word.is(event)));
                client && event
            }
        })
    }
}

/// Gives the program and the arguments that an entry in a client's list of MCP servers starts; nothing for a server that is elsewhere.
pub fn server_command(entry: &Value) -> Vec<String> {
    let texts = |value: Option<&Value>| {
        let values = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        values.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    match entry.get("command") {
        Some(Value::String(program)) => {
            std::iter::once(program.clone()).chain(texts(entry.get("args"))).collect()
        }
        // As OpenCode has it.
        command => texts(command),
    }
}

/// Tells whether an entry in a client's list of MCP servers starts ours.
pub fn is_our_server(entry: &Value) -> bool {
    let words = server_command(entry);
    words.split_first().is_some_and(|(program, arguments)| {
        Word::Text(program.clone()).is_our_program() && arguments.iter().any(|argument| argument == "mcp")
    })
}

/// Says in a few words what a server is that is not ours. Of its arguments nothing is shown: some hold keys.
pub(super) fn server_shown(entry: &Value) -> String {
    match server_command(entry).first() {
        Some(program) => format!("the program {program:?}"),
        None if entry.get("url").or_else(|| entry.get("httpUrl")).is_some() => "at an address".to_owned(),
        None => "something else".to_owned(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Text(String),
    /// What parts one simple command from the next.
    Operator,
}

impl Word {
    fn is(&self, text: &str) -> bool {
        matches!(self, Self::Text(word) if word == text)
    }

    fn is_our_program(&self) -> bool {
        let Self::Text(word) = self else { return false };
        let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
        name == "custos" || name.eq_ignore_ascii_case("custos.exe")
    }
}

fn as_words(values: &[Value]) -> Vec<Word> {
    values.iter().filter_map(Value::as_str).map(|text| Word::Text(text.to_owned())).collect()
}

/// Splits a command line as sh, cmd and PowerShell agree on: enough to find a program and its arguments.
///
/// A backslash escapes a blank or a quote only, as everywhere else it may be part of a Windows path.
fn words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', None | Some('"')) if chars.peek().is_some_and(|next| matches!(next, ' ' | '"' | '\'')) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (_, Some(open)) if char == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (';' | '&' | '|' | '(' | ')' | '<' | '>' | '`' | '\n', None) => {
                words.extend(word.take().map(Word::Text));
                words.push(Word::Operator);
            }
            (char, None) if char.is_whitespace() => words.extend(word.take().map(Word::Text)),
            (char, _) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word.map(Word::Text));
    words
}

#[cfg(test)]
mod tests;
