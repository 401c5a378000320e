//! What Git does to files of the working tree, where the command names them.

use super::arguments::{Argument, Arguments};
use super::effects::{Then, files};
use super::paths::{Name, Place, Touched};
use super::programs::Role;
use super::transfer;
use super::walk::Feed;
use super::words::Word;

/// Notes what a Git command does, and says what it does with its input.
pub(super) fn note<'w>(words: &'w [Word<'_>], place: Place<'_>, out: &mut Touched) -> Then<'w> {
    let mut elsewhere = None;
    let mut arguments = Arguments::new(words, "C c ^git-dir ^work-tree namespace exec-path config-env");
    let command = loop {
        match arguments.next() {
            Some(Argument::Option(choice)) if choice.name == "C" => {
                let here = Place { cwd: elsewhere.as_deref().or(place.cwd), ..place };
                let Some(directory) = choice.value.and_then(|name| here.resolve(name)) else {
                    return Then::Nothing;
                };
                elsewhere = Some(directory);
            }
            Some(Argument::Option(choice)) if choice.has('^') => return Then::Nothing,
            Some(Argument::Option(_)) => {}
            Some(Argument::Operand(name)) => break name,
            None => return Then::Nothing,
        }
    };
    let place = Place { cwd: elsewhere.as_deref().or(place.cwd), ..place };
    let rest = arguments.rest();
    match command.text {
        "mv" => transfer::note(Role::Moves, rest, "^n ^dry-run", place, out),
        "rm" => files(Role::Changes, rest, "^-cached ^n ^-dry-run pathspec-from-file", place, out),
        "restore" if restores_files(rest) => {
            files(Role::Changes, rest, "s source conflict pathspec-from-file", place, out);
        }
        // Without the dashes, a name may as well be a branch.
        "checkout" => {
            let files = rest.iter().skip_while(|word| word.text != "--").skip(1);
            for name in files.map(Word::name).filter(|name| !is_magic(*name)) {
                place.changed(name, out);
            }
        }
        "apply" => {
            files(Role::Reads, rest, "p C exclude include directory whitespace", place, out);
            if elsewhere.is_none() {
                return Then::Feed(Feed::Patch);
            }
        }
        _ => {}
    }
    Then::Nothing
}

/// Returns whether `git restore` writes the working tree, not only the index.
fn restores_files(words: &[Word<'_>]) -> bool {
    let given = |short, long| {
        Arguments::new(words, "s source").any(|argument| {
            matches!(argument, Argument::Option(choice) if choice.name == short || choice.name == long)
        })
    };
    !given("S", "staged") || given("W", "worktree")
}

/// Returns whether a name has a meaning of its own for Git: `:/src`, `:!vendor`.
pub(super) fn is_magic(name: Name<'_>) -> bool {
    name.text.starts_with(':')
}
