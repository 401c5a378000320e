//! The judges: each knows one kind of program and looks at its argument vector.

pub(crate) mod files;
pub(crate) mod network;
pub(crate) mod own;
pub(crate) mod system;
#[cfg(test)]
pub(crate) mod trial;

use crate::case::Case;
use crate::git::{self, Earlier, Nested};
use crate::invocation::Invocation;
use crate::packs;

/// Has a call judged by everybody who knows something about it. Gives what git would do beyond itself.
pub(crate) fn all(call: &Invocation, case: &mut Case<'_>, earlier: &mut Earlier) -> Vec<Nested> {
    let program = call.program();
    let is_git = matches!(program, "git" | "bfg") || program.starts_with("git-");
    if is_git || matches!(program, "gh" | "glab" | "hub") {
        // Its operands are its own judge's; the files that the shell connects it to are everybody's.
        if !call.redirects.is_empty() {
            files::judge(&Invocation { argv: Vec::new(), ..call.clone() }, case);
        }
        packs::judge(call, case);
        return if is_git { git::judge(call, case, earlier) } else { git::judge_forge(call, case, earlier) };
    }
    files::judge(call, case);
    if !program.is_empty() {
        system::judge(call, case);
        packs::judge(call, case);
    }
    own::judge(call, case);
    network::judge(call, case);
    Vec::new()
}
