//! From a word to the arguments it becomes.
//!
//! Follows bash's order: braces, tilde, parameters and substitutions, splitting, and quotes last. File names are not looked up: a pattern
//! stays one, because what it matches when the command runs is not what it matches now.

use std::collections::BTreeMap;

use crate::invocation::{Arg, Stream, UNKNOWN};
use crate::shell::syntax::{Action, Missing, Parameter, Part, Script, Word};
use crate::words::braces;
use crate::words::escapes::unescaped;
use crate::words::parameter;
use crate::words::raw;

/// What a word asks the shell that resolves it.
pub(crate) trait Shell {
    /// The value of a variable; `None` if nobody can know it.
    fn value(&self, name: &str) -> Option<String>;
    /// The elements of an array or of the positional parameters.
    fn elements(&self, name: &str) -> Option<Vec<String>>;
    /// The elements of an array with keys.
    fn entries(&self, name: &str) -> Option<&BTreeMap<String, String>>;
    /// Says whether a variable is known not to be set.
    fn is_unset(&self, name: &str) -> bool;
    /// Sets a variable (`${x:=y}`).
    fn assign(&mut self, name: &str, value: String);
    /// Runs a substitution and gives what it prints.
    fn output(&mut self, script: &Script) -> Stream;
    /// The home directory, the working directory and the one before it.
    fn home(&self) -> Option<String>;
    /// See [`Shell::home`].
    fn cwd(&self) -> Option<String>;
    /// See [`Shell::home`].
    fn previous(&self) -> Option<String>;
    /// Takes effort; `false` if there is none left.
    fn spend(&mut self, amount: usize) -> bool;
}

/// Resolves a word into the arguments it becomes: none, one or many.
pub(crate) fn fields(word: &Word, shell: &mut dyn Shell) -> Vec<Arg> {
    match braces::expand(word) {
        Ok(None) => split_fields(word, shell),
        Ok(Some(words)) => words.iter().flat_map(|word| split_fields(word, shell)).collect(),
        Err(braces::TooMany) => {
            // Nobody knows what it becomes: the effort is spent, and the person asked.
            shell.spend(usize::MAX);
            vec![Arg::unknown()]
        }
    }
}

/// Resolves a word into one value, without splitting: assignments, heredocs, `case` words, the targets of redirections.
pub(crate) fn value(word: &Word, shell: &mut dyn Shell) -> String {
    let mut value = String::new();
    for (index, part) in word.parts.iter().enumerate() {
        let before = value.len();
        match part {
            Part::Bare(text) if index == 0 && ends_its_name(text, word) => {
                value.push_str(&tilde(text, shell));
            }
            Part::Bare(text) | Part::Quoted(text) => value.push_str(text),
            Part::Parameter(parameter) => value.push_str(&parameter_value(parameter, shell)),
            Part::Substitution { script, .. } => value.push_str(&raw::of_stream(&shell.output(script))),
            Part::Arithmetic(parts) => value.push_str(&arithmetic(parts, shell)),
            Part::Process { script, .. } => {
                shell.output(script);
                value.push(UNKNOWN);
            }
        }
        // What a variable holds may be much longer than its name.
        if !shell.spend(part_size(part) + value.len() - before) || is_too_long(&value, shell) {
            break;
        }
    }
    value
}

/// Says whether a value is longer than anybody writes; then the effort is spent, and the person asked.
fn is_too_long(value: &str, shell: &mut dyn Shell) -> bool {
    const LONGEST: usize = 512 << 10;
    value.len() > LONGEST && !shell.spend(usize::MAX)
}

/// Resolves the target of a redirection or any other word that is one argument, and keeps what it is: a pattern, a process's output.
pub(crate) fn single(word: &Word, shell: &mut dyn Shell) -> Arg {
    let mut all = fields(word, shell);
    if all.len() == 1 { all.remove(0) } else { raw::arg(value(word, shell), false) }
}

/// A field that is being put together.
#[derive(Default)]
struct Field {
    text: String,
    glob: bool,
    /// Whether there is anything, be it an empty pair of quotes.
    exists: bool,
    holds: Option<Stream>,
}

impl Field {
    fn finish(self) -> Arg {
        let arg = raw::arg(self.text, self.glob);
        match self.holds {
            Some(stream) => arg.holding(stream),
            None => arg,
        }
    }
}

fn split_fields(word: &Word, shell: &mut dyn Shell) -> Vec<Arg> {
    let mut done = Vec::new();
    let mut field = Field::default();
    for (index, part) in word.parts.iter().enumerate() {
        if !shell.spend(part_size(part)) {
            break;
        }
        match part {
            Part::Bare(text) => {
                let is_first = index == 0 && ends_its_name(text, word);
                let text = if is_first { tilde(text, shell) } else { text.clone() };
                let text = without_groups(text);
                field.glob |= text.contains(['*', '?', '[']);
                field.exists |= !text.is_empty();
                field.text.push_str(&text);
            }
            Part::Quoted(text) => {
                field.exists = true;
                field.text.push_str(text);
            }
            Part::Parameter(parameter) => {
                let Some(elements) = list_of(parameter, shell) else {
                    let value = parameter_value(parameter, shell);
                    place(&value, parameter.quoted, &mut field, &mut done, shell);
                    continue;
                };
                for (n, element) in elements.into_iter().enumerate() {
                    if !shell.spend(element.len() + 16) {
                        break;
                    }
                    if n > 0 {
                        done.push(std::mem::take(&mut field).finish());
                    }
                    if parameter.quoted {
                        field.exists = true;
                        field.text.push_str(&element);
                    } else {
                        split_into(&element, &mut field, &mut done, shell);
                    }
                }
            }
            Part::Substitution { script, quoted } => {
                let value = raw::of_stream(&shell.output(script));
                place(&value, *quoted, &mut field, &mut done, shell);
            }
            Part::Arithmetic(parts) => {
                field.exists = true;
                let value = arithmetic(parts, shell);
                field.text.push_str(&value);
            }
            Part::Process { script, output } => {
                let stream = shell.output(script);
                field.exists = true;
                field.text.push(UNKNOWN);
                field.holds = (!output).then_some(stream);
            }
        }
    }
    if field.exists {
        done.push(field.finish());
    }
    done
}

fn place(value: &str, quoted: bool, field: &mut Field, done: &mut Vec<Arg>, shell: &mut dyn Shell) {
    if !shell.spend(value.len()) || is_too_long(&field.text, shell) {
        field.exists = true;
    } else if quoted {
        field.exists = true;
        field.text.push_str(value);
    } else {
        split_into(value, field, done, shell);
    }
}

/// Splits an unquoted value at the characters of `IFS`.
fn split_into(value: &str, field: &mut Field, done: &mut Vec<Arg>, shell: &mut dyn Shell) {
    shell.spend(value.len());
    let separators = shell.value("IFS").filter(|ifs| raw::is_sure(ifs)).unwrap_or_else(|| " \t\n".to_owned());
    for (n, piece) in value.split(|c| separators.contains(c)).enumerate() {
        if n > 0 && field.exists {
            done.push(std::mem::take(field).finish());
        }
        field.exists |= !piece.is_empty();
        field.glob |= piece.contains(['*', '?', '[']);
        field.text.push_str(piece);
    }
}

/// The elements, where a parameter stands for a list that becomes several words: `$@`, `"${a[@]}"`.
fn list_of(parameter: &Parameter, shell: &mut dyn Shell) -> Option<Vec<String>> {
    if parameter.indirect {
        let lists_keys = matches!(parameter.index.as_deref(), Some("@" | "*"));
        return lists_keys.then(|| keys(&parameter.name, shell)).flatten();
    }
    let is_list = parameter.name == "@"
        || parameter.name == "*" && !parameter.quoted
        || parameter.index.as_deref() == Some("@")
        || parameter.index.as_deref() == Some("*") && !parameter.quoted;
    if !is_list {
        return None;
    }
    let elements = shell.elements(&parameter.name)?;
    Some(match &parameter.action {
        Action::Slice { offset, length } => {
            let offset = parameter::number(&value(offset, shell)).unwrap_or_default();
            let length = length.as_ref().and_then(|length| parameter::number(&value(length, shell)));
            // The positional parameters count from one.
            let base = i64::from(parameter.name == "@" || parameter.name == "*");
            let start = usize::try_from(offset - base).unwrap_or_default();
            let count = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(usize::MAX);
            elements.into_iter().skip(start).take(count).collect()
        }
        Action::Default(word, _) if elements.is_empty() => vec![value(word, shell)],
        Action::Alternative(_, _) if elements.is_empty() => elements,
        Action::Alternative(word, _) => vec![value(word, shell)],
        Action::Length => vec![elements.len().to_string()],
        Action::Plain | Action::Default(..) | Action::Demand(..) | Action::Assign(..) => elements,
        action => {
            elements.into_iter().map(|element| apply(action, Some(element), false, "", shell)).collect()
        }
    })
}

/// `${!a[@]}`: the keys of an array, or its indices.
fn keys(name: &str, shell: &dyn Shell) -> Option<Vec<String>> {
    match shell.entries(name) {
        Some(entries) => Some(entries.keys().cloned().collect()),
        None => Some((0..shell.elements(name)?.len()).map(|index| index.to_string()).collect()),
    }
}

/// The value of a parameter that is one word.
fn parameter_value(parameter: &Parameter, shell: &mut dyn Shell) -> String {
    if parameter.name.is_empty() {
        return UNKNOWN.to_string();
    }
    let mut known = match parameter.index.as_deref() {
        None if parameter.name == "*" => {
            // Joined by the first of the separators.
            let between: String = shell.value("IFS").unwrap_or_default().chars().take(1).collect();
            shell.elements("*").map(|elements| elements.join(&between))
        }
        None => shell.value(&parameter.name),
        Some("@" | "*") => shell.elements(&parameter.name).map(|elements| elements.join(" ")),
        Some(index) => element(parameter, index, shell),
    };
    if parameter.indirect {
        known = known.filter(|name| raw::is_sure(name)).and_then(|name| shell.value(&name));
    }
    // Of an element it is not known whether it is set or only empty.
    let is_unset = match parameter.index {
        None if !parameter.indirect => shell.is_unset(&parameter.name),
        _ => known.as_deref() == Some(""),
    };
    apply(&parameter.action, known, is_unset, &parameter.name, shell)
}

fn element(parameter: &Parameter, index: &str, shell: &mut dyn Shell) -> Option<String> {
    if let Some(entries) = shell.entries(&parameter.name) {
        let key = index.trim_matches(['"', '\'']);
        let found = match key.strip_prefix('$') {
            Some(name) => entries.get(&shell.value(name.trim_matches(['{', '}']))?),
            None => entries.get(key),
        };
        return Some(found.cloned().unwrap_or_default());
    }
    let elements = shell.elements(&parameter.name)?;
    shell.spend(elements.len());
    let index = index.trim_start_matches('$');
    let number = match parameter::number(index) {
        Some(number) => number,
        None => shell.value(index).and_then(|value| parameter::number(&value))?,
    };
    let count = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let place = if number < 0 { count + number } else { number };
    Some(usize::try_from(place).ok().and_then(|place| elements.get(place).cloned()).unwrap_or_default())
}

fn apply(
    action: &Action,
    known: Option<String>,
    is_unset: bool,
    name: &str,
    shell: &mut dyn Shell,
) -> String {
    let is_certain = known.as_deref().is_some_and(raw::is_sure);
    let is_missing = |value: &String, missing: &Missing| match missing {
        Missing::Unset => is_unset,
        Missing::Empty => value.is_empty(),
    };
    match action {
        Action::Plain | Action::Demand(..) => known.unwrap_or_else(|| UNKNOWN.to_string()),
        Action::Length => known
            .filter(|_| is_certain)
            .map_or_else(|| UNKNOWN.to_string(), |v| v.chars().count().to_string()),
        // What nobody knows is taken to be empty here: the word is what the command line says itself.
        Action::Default(word, missing) => {
            known.filter(|value| !is_missing(value, missing)).unwrap_or_else(|| value(word, shell))
        }
        Action::Assign(word, missing) => {
            known.filter(|value| !is_missing(value, missing)).unwrap_or_else(|| {
                let value = value(word, shell);
                shell.assign(name, value.clone());
                value
            })
        }
        Action::Alternative(word, missing) => {
            let text = value(word, shell);
            if known.is_some_and(|value| is_missing(&value, missing)) { String::new() } else { text }
        }
        Action::WithoutPrefix { pattern, longest } => {
            cut(known, pattern, shell, |value, pattern| parameter::without_prefix(value, pattern, *longest))
        }
        Action::WithoutSuffix { pattern, longest } => {
            cut(known, pattern, shell, |value, pattern| parameter::without_suffix(value, pattern, *longest))
        }
        Action::Replace { pattern, with, which } => {
            let with = value(with, shell);
            cut(known, pattern, shell, |value, pattern| parameter::replace(value, pattern, &with, *which))
        }
        Action::Slice { offset, length } => {
            let offset = parameter::number(&value(offset, shell));
            let length = length.as_ref().map(|length| parameter::number(&value(length, shell)));
            match (known, offset, length) {
                (Some(known), Some(offset), None) if is_certain => parameter::slice(&known, offset, None),
                (Some(known), Some(offset), Some(Some(length))) if is_certain => {
                    parameter::slice(&known, offset, Some(length))
                }
                _ => UNKNOWN.to_string(),
            }
        }
        Action::Case { upper, all } => {
            known.map_or_else(|| UNKNOWN.to_string(), |value| parameter::change_case(&value, *upper, *all))
        }
        Action::Transform('E') => known.map_or_else(|| UNKNOWN.to_string(), |value| unescaped(&value)),
        Action::Transform(_) => known.unwrap_or_else(|| UNKNOWN.to_string()),
    }
}

/// Applies a pattern to a value, as long as the product of their lengths is small.
fn cut(
    known: Option<String>,
    pattern: &Word,
    shell: &mut dyn Shell,
    apply: impl FnOnce(&str, &str) -> String,
) -> String {
    let pattern = value(pattern, shell);
    let Some(known) = known else { return UNKNOWN.to_string() };
    // Matching a suffix at every place costs the square of the length.
    let cost = known.len().saturating_mul(known.len()).saturating_mul(pattern.len()) / 64;
    let may = known.len() < 4096 && shell.spend(cost);
    if may && raw::is_sure(&pattern) {
        // Marks are characters like any other here: what is cut off beside them is known.
        apply(&known, &pattern)
    } else {
        UNKNOWN.to_string()
    }
}

fn arithmetic(parts: &[Part], shell: &mut dyn Shell) -> String {
    let text = value(&Word { parts: parts.to_vec() }, shell);
    parameter::number(&text).map_or_else(|| UNKNOWN.to_string(), |number| number.to_string())
}

/// `!(keep)`, `@(a|b)`: patterns of bash's own, which may match anything.
fn without_groups(text: String) -> String {
    if !text.bytes().any(|byte| byte == b'(') {
        return text;
    }
    let Some(open) = ["!(", "@(", "*(", "+(", "?("].iter().filter_map(|group| text.find(group)).min() else {
        return text;
    };
    let close = text[open..].rfind(')').map_or(text.len(), |close| open + close + 1);
    format!("{}*{}", &text[..open], &text[close..])
}

/// Says whether the name behind a tilde ends in this text: one that goes on in quotes or in a variable is no name.
fn ends_its_name(text: &str, word: &Word) -> bool {
    text.contains('/') || word.parts.len() == 1
}

/// Resolves a tilde at the beginning of a word.
fn tilde(text: &str, shell: &dyn Shell) -> String {
    let Some(rest) = text.strip_prefix('~') else { return text.to_owned() };
    let (user, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, ""),
    };
    let dir = match user {
        "" => shell.home(),
        "+" => shell.cwd(),
        "-" => shell.previous(),
        "root" => Some("/root".to_owned()),
        // Somebody's home; a file that is called `~x` is written so by nobody.
        name if name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) => {
            Some(format!("/home/{name}"))
        }
        _ => None,
    };
    match dir {
        Some(dir) => format!("{dir}{path}"),
        None => text.to_owned(),
    }
}

/// What a part costs to resolve.
fn part_size(part: &Part) -> usize {
    match part {
        Part::Bare(text) | Part::Quoted(text) => text.len() + 1,
        _ => 8,
    }
}
