//! Builtins that set variables: `declare` and its kin, `unset`, `let`, `read`, `printf -v`.
//!
//! An array in the arguments of `declare` is one word to the parser. Its elements are told apart again here, before anything in it is
//! resolved: between them stand the only bare spaces that a word can have.

use std::collections::BTreeMap;

use crate::invocation::{Arg, Invocation, Source, Stream, UNKNOWN};
use crate::options::{Options, Order, Taking};
use crate::shell::syntax::{Part, Word};
use crate::walk::scope::Scope;
use crate::walk::{Walk, output};
use crate::words::variables::{Binding, place};
use crate::words::{expand, parameter, raw};

/// An array that a word declares: `name=( … )`.
pub(crate) struct Declared {
    name: String,
    append: bool,
    elements: Vec<Word>,
}

/// Says whether a call that begins like this declares variables.
pub(crate) fn declares(argv: &[Arg]) -> bool {
    let name = argv.first().and_then(Arg::known);
    matches!(name, Some("export" | "declare" | "typeset" | "local" | "readonly"))
}

/// The array that a word declares, if it does.
pub(crate) fn array(word: &Word) -> Option<Declared> {
    let [Part::Bare(first), rest @ ..] = word.parts.as_slice() else { return None };
    let (name, begun) = first.split_once("=(")?;
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let plain = name.trim_end_matches('+');
    if !is_name(plain) {
        return None;
    }
    let mut elements = vec![Word::default()];
    let mut take = |part: Part| {
        let Part::Bare(text) = part else {
            elements.iter_mut().last().into_iter().for_each(|word| word.parts.push(part.clone()));
            return;
        };
        for (n, piece) in text.split(' ').enumerate() {
            if n > 0 {
                elements.push(Word::default());
            }
            if let Some(word) = elements.last_mut().filter(|_| !piece.is_empty()) {
                word.parts.push(Part::Bare(piece.to_owned()));
            }
        }
    };
    take(Part::Bare(begun.to_owned()));
    rest.iter().cloned().for_each(take);
    // The parenthesis that closes it.
    let last = elements.last_mut()?;
    match last.parts.pop()? {
        Part::Bare(text) if text == ")" => {}
        Part::Bare(text) => last.parts.push(Part::Bare(text.strip_suffix(')')?.to_owned())),
        _ => return None,
    }
    elements.retain(|word| !word.parts.is_empty());
    Some(Declared { name: plain.to_owned(), append: name.ends_with('+'), elements })
}

/// Says whether an element has a key.
fn is_keyed(word: &Word) -> bool {
    matches!(word.parts.first(), Some(Part::Bare(text)) if text.starts_with('['))
        && word
            .parts
            .iter()
            .any(|part| matches!(part, Part::Bare(text) if text.contains("]=") || text.contains("]+=")))
}

/// Says whether a letter is among the options that a declaration begins with.
fn has_letter(argv: &[Arg], letter: char) -> bool {
    argv.iter().skip(1).take_while(|arg| arg.text().starts_with('-')).any(|arg| arg.text().contains(letter))
}

impl Walk<'_, '_> {
    /// Sets an array that stands among the arguments of a declaration; gives its name, as the argument that is left of it.
    pub(crate) fn declare_array(&mut self, argv: &[Arg], array: Declared, scope: &mut Scope) -> Arg {
        let has_keys = has_letter(argv, 'A') || scope.entries(&array.name).is_some();
        make_local(argv, &array.name, scope);
        self.assign_array(&array.name, &array.elements, array.append, has_keys, scope);
        Arg::new(array.name)
    }

    /// Sets the elements of an array.
    pub(crate) fn assign_array(
        &mut self,
        name: &str,
        words: &[Word],
        append: bool,
        has_keys: bool,
        scope: &mut Scope,
    ) {
        let mut elements = if append { scope.elements(name).unwrap_or_default() } else { Vec::new() };
        let mut pairs = scope.entries(name).filter(|_| append).cloned().unwrap_or_default();
        for word in words {
            if is_keyed(word) {
                let pair = expand::value(word, &mut self.resolver(scope));
                let pair = pair.strip_prefix('[').unwrap_or(&pair);
                let (key, value) =
                    pair.split_once("]=").or_else(|| pair.split_once("]+=")).unwrap_or(("", pair));
                if has_keys {
                    pairs.insert(key.to_owned(), value.to_owned());
                } else {
                    place(&mut elements, key, value.to_owned());
                }
            } else {
                let args = expand::fields(word, &mut self.resolver(scope));
                elements.extend(args.iter().map(raw::of));
            }
        }
        let binding = if has_keys {
            // Without keys, words are keys and values in turn.
            let mut words = elements.into_iter();
            if pairs.is_empty() {
                while let Some(key) = words.next() {
                    pairs.insert(key, words.next().unwrap_or_default());
                }
            }
            Binding::Map(pairs)
        } else {
            Binding::Array(elements)
        };
        scope.variables.set(name, binding);
    }

    /// `declare`, `export` and their kin.
    pub(super) fn declare(&mut self, call: &Invocation, scope: &mut Scope) {
        let is_export = call.argv[0].is("export");
        let exports = is_export || has_letter(&call.argv, 'x');
        let is_reference = !is_export && has_letter(&call.argv, 'n');
        for arg in call.args() {
            self.subscript(arg, scope);
            let Some((name, value)) = arg.text().split_once('=').filter(|(name, _)| !name.starts_with('-'))
            else {
                let Some(name) = arg.known() else { continue };
                if exports && let Some(value) = scope.value(name) {
                    scope.export(name, &value);
                }
                if has_letter(&call.argv, 'A') && !name.starts_with('-') && scope.entries(name).is_none() {
                    make_local(&call.argv, name, scope);
                    scope.variables.set(name, Binding::Map(BTreeMap::new()));
                }
                continue;
            };
            let value = if arg.source() == Source::Local {
                value.to_owned()
            } else {
                raw::of(arg).split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default()
            };
            let name = name.trim_end_matches('+');
            if exports {
                scope.export(name, &value);
            }
            make_local(&call.argv, name, scope);
            if is_reference {
                scope.refer(name, &value);
                continue;
            }
            scope.assign(name, value.trim_matches(['(', ')']).to_owned());
            self.prompt_code(name, &value, scope);
        }
    }

    /// `unset`.
    pub(super) fn unset(&mut self, call: &Invocation, scope: &mut Scope) {
        for arg in call.args() {
            self.subscript(arg, scope);
            if !matches!(arg.text(), "-f" | "-v" | "-n") {
                scope.undefine(arg.text());
                scope.variables.set(arg.text(), Binding::Unset);
            }
        }
    }

    /// `let x=1+2`.
    pub(super) fn calculate(&mut self, call: &Invocation, scope: &mut Scope) {
        for arg in call.args() {
            self.subscript(arg, scope);
            if let Some((name, value)) = arg.text().split_once('=') {
                let value =
                    parameter::number(value).map_or_else(|| UNKNOWN.to_string(), |number| number.to_string());
                scope.assign(name, value);
            }
        }
    }

    /// `printf -v name`, `test -v name`: builtins that take the name of a variable among others.
    pub(super) fn name_variables(&mut self, call: &Invocation, scope: &mut Scope) {
        for arg in call.args() {
            self.subscript(arg, scope);
        }
        if let [flag, name, rest @ ..] = call.args()
            && flag.is("-v")
            && call.argv[0].is("printf")
        {
            scope.assign(name.text(), raw::of_stream(&output::printf(rest)));
        }
    }

    /// `read x`: what comes in is known if it was printed on this line.
    pub(super) fn read(&mut self, call: &Invocation, scope: &mut Scope) {
        let taking =
            Taking { short: if call.argv[0].is("read") { "adinNptu" } else { "dnOsuCc" }, long: &[] };
        let options = Options::read(call.args(), &taking, Order::First);
        if let Some(command) = options.value('C', "").filter(|_| !call.argv[0].is("read")) {
            self.text(command, &mut scope.clone(), &call.stdin);
        }
        let lines: Option<Vec<String>> = match &call.stdin {
            Stream::Text(text) => Some(text.lines().map(str::to_owned).collect()),
            _ => None,
        };
        let unknown = || vec![raw::of_stream(&call.stdin)];
        if !call.argv[0].is("read") {
            let name = options.operands.first().map_or("MAPFILE", |arg| arg.text());
            scope.variables.set(name, Binding::Array(lines.unwrap_or_else(unknown)));
            return;
        }
        if let Some(array) = options.value('a', "") {
            let words = lines.map(|lines| {
                lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect()
            });
            scope.variables.set(array, Binding::Array(words.unwrap_or_else(unknown)));
            return;
        }
        let own = call.env.iter().find(|(name, _)| name == "IFS").map(|(_, value)| raw::of(value));
        let separators = own.or_else(|| scope.value("IFS")).filter(|ifs| !ifs.is_empty());
        let last = options.operands.len().saturating_sub(1);
        for (place, arg) in options.operands.iter().enumerate() {
            self.subscript(arg, scope);
            let values = match &lines {
                None => unknown(),
                Some(lines) => lines
                    .iter()
                    .map(|line| match &separators {
                        Some(separators) if last > 0 => {
                            let mut fields = line.splitn(last + 1, |c| separators.contains(c));
                            fields.nth(place).unwrap_or_default().to_owned()
                        }
                        _ if place == 0 => line.clone(),
                        _ => String::new(),
                    })
                    .collect(),
            };
            scope.variables.set_any(arg.text(), values);
        }
    }

    /// `a[$(command)]`: bash runs what stands in a subscript, even in single quotes, where a builtin takes a variable's name.
    fn subscript(&mut self, arg: &Arg, scope: &mut Scope) {
        let text = arg.text();
        let Some(open) = text.find('[') else { return };
        if text[open..].contains("$(") || text[open..].contains('`') {
            let inner = text[open + 1..].trim_end_matches(']');
            self.text(&format!(": \"{inner}\""), &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// Keeps what a variable was before a function makes it its own.
fn make_local(argv: &[Arg], name: &str, scope: &mut Scope) {
    let is_local = argv[0].is("local") || argv[0].is("declare") && !scope.running.is_empty();
    if is_local {
        let before = scope.variables.get(name).cloned();
        scope.locals.push((name.to_owned(), before));
    }
}
