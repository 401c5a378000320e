//! Programs that delete.

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
        "rimraf" => Depth::Tree,
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
        scene.remove(operand, depth);
    }
}
