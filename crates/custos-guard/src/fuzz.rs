//! Ways in for a fuzzer: any bytes go in, and neither a panic nor a hang may come out.
//!
//! The suite runs them on generated input in a bounded time; `cargo fuzz` runs them for as long as somebody likes (`fuzz/`).

use crate::catalogue::CATALOGUE;
use crate::code;
use crate::guard::Guard;
use crate::invocation::Invocation;
use crate::path::Access;
use crate::rules::document;
use crate::rules::entry::Said;
use crate::rules::merge::merge;
use crate::rules::policy::{Level, Policy};
use crate::rules::{CommandPattern, PathPattern, Place, Target};
use crate::shell;
use crate::world::{NoFiles, Own, World};

const HOME: &str = "/home/user";
const PROJECT: &str = "/home/user/project";

/// Parses bytes as a script, as the inside of a word, and as loose tokens.
pub fn parse(data: &[u8]) {
    shell::fuzz_parse(data);
}

/// Judges bytes as a command and as a path.
pub fn judge(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (own, files) = (Own::default(), NoFiles { branch: Some("main".to_owned()) });
    let world = World { home: Some(HOME), cwd: PROJECT, root: PROJECT, own: &own, files: &files };
    let guard = Guard { world, policy: &Policy::builtin() };
    guard.explain(&text);
    for access in [Access::Read, Access::Write, Access::Delete] {
        guard.path(&text, access);
    }
}

/// Reads bytes as code of every language that is understood.
pub fn code(data: &[u8]) {
    code::fuzz_deeds(data);
}

/// Reads bytes as a rules file of each level, and judges under what it says; then as a pattern of either kind, against itself.
pub fn rules(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(found) = document::read(&text) {
        for level in Level::ALL {
            let root = level.comes_with_a_clone().then(|| PROJECT.to_owned());
            let (policy, _) = merge(&[Said { level, root, entries: found.entries.clone() }], CATALOGUE);
            let call = Invocation::of(["git", "push", "--force", "origin", "main"]);
            let _ = policy.against(&call).count();
            let _ = policy.allows(&call);
        }
    }
    if let Ok(pattern) = CommandPattern::new(&text) {
        let call = Invocation::of(text.split_whitespace());
        let _ = (pattern.holds(&call), pattern.allows(&call));
    }
    if let Ok(pattern) = PathPattern::new(&text, Some(PROJECT)) {
        let place = Place { home: Some(HOME), root: PROJECT };
        let _ =
            (pattern.matches(Target::exactly(&text), place), pattern.is_below(Target::exactly(&text), place));
    }
}
