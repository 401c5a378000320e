//! What a command does to the files among its arguments.

use super::arguments::{Argument, Arguments};
use super::git;
use super::patch::by_patch;
use super::paths::{Name, Place, Touched};
use super::programs::{self, Role};
use super::transfer;
use super::walk::{Feed, is_assignment};
use super::words::Word;

/// What a command asks of the walk.
#[derive(Debug)]
pub(super) enum Then<'w> {
    /// Nothing.
    Nothing,
    /// To go to a directory, if it is known which.
    Enter(Option<String>),
    /// To follow a script.
    Run(&'w str),
    /// To take its here-document, if it has one, for this.
    Feed(Feed),
}

/// Notes what the command made of `words` does to files, and returns what else it does.
pub(super) fn of<'w>(words: &'w [Word<'_>], place: Place<'_>, out: &mut Touched) -> Then<'w> {
    let Some((name, words)) = unwrapped(words) else { return Then::Nothing };
    let Some((role, spec)) = programs::role(name) else { return Then::Nothing };
    match role {
        Role::Reads | Role::Changes | Role::Sets | Role::Filters | Role::Searches | Role::Options => {
            files(role, words, spec, place, out);
        }
        Role::ReadsFirst => {
            if let Some(script) = script(words, spec, place, out) {
                place.read(script, out);
            }
        }
        Role::Converts => {
            let [input, output] = first_two(words, spec);
            pair(input, output, place, out);
        }
        Role::Patch if Stance::of(words, spec).is_some() => {
            files(Role::Options, words, spec, place, out);
            let [original, patch] = first_two(words, spec);
            pair(patch, original, place, out);
            return Then::Feed(Feed::Patch);
        }
        Role::Patch => {}
        Role::Perl => perl(words, spec, place, out),
        Role::Shell => return shell(words, spec, place, out),
        Role::Moves | Role::Copies | Role::Links => transfer::note(role, words, spec, place, out),
        Role::Dd => {
            for name in words.iter().map(Word::name) {
                match name.text.get(..3) {
                    Some("if=") => place.read(name.behind(3), out),
                    Some("of=") => place.changed(name.behind(3), out),
                    _ => {}
                }
            }
        }
        Role::ApplyPatch => match words {
            [] => return Then::Feed(Feed::Patch),
            [patch] if patch.name().is_sure() => by_patch(&patch.text, place.cwd.unwrap_or_default(), out),
            _ => {}
        },
        Role::Git => return git::note(words, place, out),
        Role::Enters => {
            let [directory, _] = first_two(words, spec);
            return Then::Enter(match directory {
                Some(name) => place.resolve(name),
                None if name == "cd" && words.is_empty() => place.home.map(str::to_owned),
                None => None,
            });
        }
        Role::Returns => return Then::Enter(None),
    }
    Then::Nothing
}

/// Returns the program behind `sudo`, `env` and their like, without its directory, and its arguments.
fn unwrapped<'w, 'a>(mut words: &'w [Word<'a>]) -> Option<(&'w str, &'w [Word<'a>])> {
    loop {
        let (program, rest) = words.split_first()?;
        let name = program.text.rsplit('/').next().filter(|_| program.name().is_sure())?;
        let Some((spec, mut operands)) = programs::wrapper(name) else { return Some((name, rest)) };
        let mut arguments = Arguments::new(rest, spec);
        words = loop {
            match arguments.next()? {
                Argument::Option(choice) if choice.has('^') => return None,
                Argument::Option(_) => {}
                Argument::Operand(name) if is_assignment(name.text) => {}
                Argument::Operand(_) if operands > 0 => operands -= 1,
                Argument::Operand(_) => break rest.get(rest.len() - arguments.rest().len() - 1..)?,
            }
        };
    }
}

/// What the options of a command say about all of its operands.
#[derive(Debug, Default)]
struct Stance {
    scripted: bool,
    in_place: bool,
    deep: bool,
}

impl Stance {
    /// Looks through the options, which may come behind the operands, and returns nothing if one changes everything.
    fn of(words: &[Word<'_>], spec: &'static str) -> Option<Self> {
        let mut stance = Self::default();
        for argument in Arguments::new(words, spec) {
            if let Argument::Option(choice) = argument {
                if choice.has('^') {
                    return None;
                }
                stance.scripted |= choice.has('=');
                // `gawk -i inplace` names a library that does it.
                let library = choice.name == "i" && choice.value.is_some_and(|value| value.text == "inplace");
                stance.in_place |= choice.has('!') || library;
                stance.deep |= choice.has('/');
            }
        }
        Some(stance)
    }
}

/// Notes the operands of a program that treats them alike, but for a script before them, and the files in its options.
pub(super) fn files(role: Role, words: &[Word<'_>], spec: &'static str, place: Place<'_>, out: &mut Touched) {
    let Some(stance) = Stance::of(words, spec) else { return };
    let changes = stance.in_place || matches!(role, Role::Changes | Role::Sets);
    let deep = stance.deep || role == Role::Searches;
    let filters = matches!(role, Role::Filters | Role::Searches | Role::Sets);
    let mut script_due = filters && !stance.scripted;
    let mut suffix_due = false;
    for argument in Arguments::new(words, spec) {
        let suffix_may_be = std::mem::take(&mut suffix_due);
        match argument {
            Argument::Option(choice) => {
                suffix_due = choice.has('!') && choice.value.is_none();
                let Some(value) = choice.value else { continue };
                if choice.has('<') {
                    place.read(value, out);
                } else if choice.has('>') {
                    place.changed(value, out);
                } else if choice.has('@') && value.text.starts_with('@') {
                    place.read(value.behind(1), out);
                }
            }
            Argument::Operand(_) if role == Role::Options => {}
            // On BSD, the suffix of the copies stands apart: `sed -i '' …`, `sed -i .bak …`.
            Argument::Operand(name) if suffix_may_be && is_suffix(name) => {}
            // What may be no word or several leaves open which one is the script.
            Argument::Operand(name) if script_due && !name.is_single() => return,
            Argument::Operand(_) if script_due => script_due = false,
            // To awk, this sets a variable.
            Argument::Operand(name) if filters && is_assignment(name.text) => {}
            Argument::Operand(name) if changes && !git::is_magic(name) => place.changed(name, out),
            // A directory is not told to be read, nor is a line to begin at: `tail +5`, `less +G`.
            Argument::Operand(name) if (deep && !name.has_extension()) || name.text.starts_with('+') => {}
            Argument::Operand(name) => place.read(name, out),
        }
    }
}

fn is_suffix(name: Name<'_>) -> bool {
    name.text.is_empty() || (name.text.starts_with('.') && !name.text.contains('/'))
}

/// Returns the script that an interpreter is given; what stands behind it is the script's own.
fn script<'w>(
    words: &'w [Word<'_>],
    spec: &'static str,
    place: Place<'_>,
    out: &mut Touched,
) -> Option<Name<'w>> {
    for argument in Arguments::new(words, spec) {
        match argument {
            Argument::Option(choice) if choice.has('^') => return None,
            Argument::Option(choice) => {
                if let Some(value) = choice.value.filter(|_| choice.has('<')) {
                    place.read(value, out);
                }
            }
            Argument::Operand(name) => return Some(name).filter(|name| name.is_single()),
        }
    }
    None
}

/// Returns the first two operands; the second only if it is certain to be that.
fn first_two<'w>(words: &'w [Word<'_>], spec: &'static str) -> [Option<Name<'w>>; 2] {
    let mut operands = Arguments::new(words, spec).filter_map(|argument| match argument {
        Argument::Operand(name) => Some(name),
        Argument::Option(_) => None,
    });
    let first = operands.next();
    [first, operands.next().filter(|_| first.is_some_and(Name::is_single))]
}

/// Notes a file that was read and one that was changed by it.
fn pair(read: Option<Name<'_>>, changed: Option<Name<'_>>, place: Place<'_>, out: &mut Touched) {
    if let Some(name) = read {
        place.read(name, out);
    }
    if let Some(name) = changed {
        place.changed(name, out);
    }
}

fn perl(words: &[Word<'_>], spec: &'static str, place: Place<'_>, out: &mut Touched) {
    let (mut scripted, mut in_place, mut loops) = (false, false, false);
    let mut arguments = Arguments::new(words, spec);
    while let Some(argument) = arguments.next() {
        match argument {
            Argument::Option(choice) if choice.has('^') => return,
            Argument::Option(choice) => match choice.name {
                "e" | "E" => scripted = true,
                "i" => in_place = true,
                "n" | "p" => loops = true,
                _ => {}
            },
            Argument::Operand(name) if !scripted => return place.read(name, out),
            // The options are over: the rest are files, if the script goes over files at all.
            Argument::Operand(first) => {
                for name in std::iter::once(first).chain(arguments.rest().iter().map(Word::name)) {
                    if in_place {
                        place.changed(name, out);
                    } else if loops {
                        place.read(name, out);
                    }
                }
                return;
            }
        }
    }
}

fn shell<'w>(words: &'w [Word<'_>], spec: &'static str, place: Place<'_>, out: &mut Touched) -> Then<'w> {
    let mut by_option = false;
    for argument in Arguments::new(words, spec) {
        match argument {
            Argument::Option(choice) => by_option |= choice.name == "c",
            Argument::Operand(name) if by_option && name.is_sure() => return Then::Run(name.text),
            Argument::Operand(name) if by_option || !name.is_single() => return Then::Nothing,
            Argument::Operand(name) if name.text == "-" => {}
            Argument::Operand(name) => {
                place.read(name, out);
                return Then::Nothing;
            }
        }
    }
    Then::Feed(Feed::Script)
}
