//! `mv`, `cp`, `ln` and `install`: from where to where.
//!
//! Whether the last operand is the new name or the directory for it, the shell's text says only sometimes: by a
//! slash at its end, by several sources, by `-t` and `-T`. Else it is taken for the name.

use super::arguments::{Argument, Arguments};
use super::paths::{Name, Place, Touched};
use super::programs::Role;
use super::words::Word;

/// Notes what moving, copying or linking does.
pub(super) fn note(role: Role, words: &[Word<'_>], spec: &'static str, place: Place<'_>, out: &mut Touched) {
    let mut operands = Vec::new();
    let (mut directory, mut exact, mut deep) = (None, false, false);
    for argument in Arguments::new(words, spec) {
        match argument {
            Argument::Option(choice) if choice.has('^') => return,
            Argument::Option(choice) => {
                match choice.name {
                    "t" | "target-directory" => directory = choice.value,
                    "T" | "no-target-directory" => exact = true,
                    _ => {}
                }
                deep |= choice.has('/');
            }
            Argument::Operand(name) => operands.push(name),
        }
    }
    // `ln -s ../lib/x` makes `x` right here.
    let here = role == Role::Links && operands.len() == 1;
    let target = match directory {
        Some(_) => directory,
        None if here => Some(Name::literal(".")),
        None => operands.pop(),
    };
    let Some(target) = target.filter(|_| !operands.is_empty()) else { return };
    for source in &operands {
        match role {
            Role::Moves => place.changed(*source, out),
            Role::Copies if !deep || source.has_extension() => place.read(*source, out),
            _ => {}
        }
    }
    let into = !exact && (directory.is_some() || operands.len() > 1 || target.is_directory());
    if into {
        let Some(directory) = place.resolve(target) else { return };
        let inside = Place { cwd: Some(&directory), ..place };
        for base in operands.iter().filter_map(|source| source.basename()) {
            inside.changed(Name { tilde: false, ..Name::literal(base) }, out);
        }
    } else if operands.iter().all(|source| source.is_single()) {
        place.changed(target, out);
    }
}
