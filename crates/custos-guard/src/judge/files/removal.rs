//! Programs that delete.

use crate::invocation::Arg;
use crate::options::Taking;
use crate::path::{DELETE_ROOT, Depth};

use super::scene::Scene;

pub(super) fn judge(scene: &mut Scene<'_, '_>) {
    let program = scene.call.program();
    let taking = match program {
        "shred" => Taking { short: "ns", long: &["iterations", "size", "random-source"] },
        "rimraf" => Taking { short: "", long: &["max-retries", "retry-delay", "impl", "tmp"] },
        _ => Taking::default(),
    };
    let options = scene.options(&taking);
    if options.has_long("help") || options.has_long("version") {
        return;
    }
    let depth = match program {
        "rimraf" | "del" | "del-cli" => Depth::Tree,
        "trash" | "trash-put" | "rmtrash" | "gio" => Depth::Moved,
        "unlink" | "shred" => Depth::One,
        _ if options.has('r', "recursive") || options.has_short('R') => Depth::Tree,
        _ => Depth::One,
    };
    if options
        .given
        .iter()
        .any(|given| given.long && "no-preserve-root".starts_with(given.name) && given.name.len() > 3)
    {
        scene.hold(&DELETE_ROOT);
    }
    let mut operands = options.operands.as_slice();
    if program == "gio" {
        match operands {
            [verb, rest @ ..] if verb.is("trash") || verb.is("remove") => operands = rest,
            _ => return super::reading::judge(scene),
        }
    }
    for operand in operands {
        // These fill in patterns themselves, also quoted ones.
        if matches!(program, "rimraf" | "del" | "del-cli") {
            scene.remove(&Arg::glob(operand.text()), depth);
        } else {
            scene.remove(operand, depth);
        }
    }
}

/// `cmake -E rm …`, which is there for scripts that know no shell.
pub(super) fn cmake(scene: &mut Scene<'_, '_>) {
    let mut words = scene.call.args().iter().skip_while(|arg| !arg.is("-E")).skip(1);
    if words
        .next()
        .is_some_and(|verb| ["rm", "remove", "remove_directory"].iter().any(|known| verb.is(known)))
    {
        for operand in words.filter(|arg| !arg.text().starts_with('-')) {
            scene.remove(operand, Depth::Tree);
        }
    } else {
        super::reading::judge(scene);
    }
}
