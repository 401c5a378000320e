//! Files whose contents are nobody's business until a person says so.
//!
//! What the danger pass refuses has to be a secret beyond doubt, or it would be in the way of honest work. Here the other side is free to
//! err: a file that is only called like a secret costs one question.

use crate::world::World;

/// Parts of names that secrets have. They also occur in `keyboard.rs`, about which the person is asked.
static PARTS: &[&str] =
    &["credential", "key", "passwd", "password", "secret", "token", ".tfstate", ".tfvars"];
/// Whole names.
static NAMES: &[&str] = &[
    ".claude.json",
    ".envrc",
    ".npmrc",
    ".pypirc",
    "database.yaml",
    "database.yml",
    "google-services.json",
    "wp-config.php",
];
/// Directories, wherever they are.
static DIRECTORIES: &[&str] = &["/.aws/", "/.config/ai/memory/", "/.local/state/ai/"];

/// Says whether a path, as it is written, has the name of a secret in it. What leads to the project does not count: a project may be
/// called `monkey`.
pub(super) fn is_named_so(path: &str, world: &World<'_>) -> bool {
    let below = |dir: &str| path.strip_prefix(dir).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let own = below(world.root).or_else(|| world.home.and_then(below)).unwrap_or(path);
    own.split(['/', ':']).any(|component| {
        let name = component.to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        PARTS.iter().any(|part| name.contains(part))
            || NAMES.contains(&&*name)
            || extension == "pem"
            || name.starts_with("serviceaccount")
            || name.starts_with("appsettings") && extension == "json"
    })
}

/// Says whether an absolute path, without detours, lies in a directory of secrets or of what Custos keeps for itself.
pub(super) fn is_kept_so(path: &str, world: &World<'_>) -> bool {
    let closed = format!("{path}/").to_ascii_lowercase();
    DIRECTORIES.iter().any(|dir| closed.contains(dir))
        || [&world.own.memory, &world.own.state]
            .into_iter()
            .flatten()
            .any(|dir| closed.starts_with(&format!("{}/", dir.trim_end_matches('/')).to_ascii_lowercase()))
}
