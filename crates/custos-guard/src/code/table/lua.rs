//! Lua's calls.

use super::Act;

/// The calls, sorted by name.
pub(super) static ACTS: &[(&str, Act)] = &[
    ("dofile", Act::Read),
    ("io.lines", Act::Read),
    ("io.open", Act::Open),
    ("io.output", Act::Write),
    ("io.popen", Act::Shell),
    ("io.read", Act::Input),
    ("ipairs", Act::Same),
    ("lfs.chdir", Act::ChangeDir),
    ("lfs.rmdir", Act::Remove),
    ("load", Act::Code),
    ("loadfile", Act::Read),
    ("loadstring", Act::Code),
    ("os.execute", Act::Shell),
    ("os.getenv", Act::Env),
    ("os.remove", Act::Remove),
    ("os.rename", Act::Move),
    ("os.tmpname", Act::Temporary),
    ("pairs", Act::Same),
    ("require", Act::Import),
    ("string.char", Act::Character),
    ("tostring", Act::Same),
];
