//! What deleting something would cost.
//!
//! Inside the project an agent deletes what it likes, there is git for that; so it does in temporary directories and caches. The root,
//! the system, the home directory, the project itself and its history are never its to delete. Everything else outside of the project is
//! the person's decision, if it is more than a single file.

use crate::invocation::UNKNOWN;
use crate::verdict::{Hold, Rule};
use crate::world::World;

use super::normal::Place;
use super::own;

/// How much goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Files, not directories.
    One,
    /// A directory with all that is in it.
    Tree,
    /// It is moved, or put where it can be fetched back from: only what must stay where it is counts.
    Moved,
}

/// Also held where the root is not named, but its protection is switched off.
pub(crate) static DELETE_ROOT: Rule = Rule {
    id: "files.delete-root",
    hold: Hold::Deny,
    reason: "deletes everything on the machine",
    safer: "delete the directory by its own name",
};
static SYSTEM: Rule = Rule {
    id: "files.delete-system",
    hold: Hold::Deny,
    reason: "deletes files of the operating system",
    safer: "remove software with the package manager, after asking the person",
};
static HOME: Rule = Rule {
    id: "files.delete-home",
    hold: Hold::Deny,
    reason: "deletes a home directory or what a person keeps in it",
    safer: "delete the directory that you mean by its own name",
};
static PROJECT: Rule = Rule {
    id: "files.delete-project",
    hold: Hold::Deny,
    reason: "deletes the whole project, or a directory above it",
    safer: "name the files or the build directory that should go",
};
static GIT: Rule = Rule {
    id: "files.delete-git",
    hold: Hold::Deny,
    reason: "deletes the repository's history, its branches and its stashes",
    safer: "use git for what is wrong with the repository",
};
static TEMP: Rule = Rule {
    id: "files.delete-temp",
    hold: Hold::Ask,
    reason: "deletes the temporary files of all programs, also of those that are running",
    safer: "delete your own files there by name",
};
static OUTSIDE: Rule = Rule {
    id: "files.delete-outside",
    hold: Hold::Ask,
    reason: "deletes a directory outside of the project",
    safer: "ask the person, or delete single files by name",
};
/// Held where a machine is reached over the network.
pub(crate) static DELETE_REMOTE: Rule = Rule {
    id: "files.delete-remote",
    hold: Hold::Ask,
    reason: "deletes a directory on another machine, where nobody here can bring it back",
    safer: "look at it there first, and let the person delete it",
};
static UNSURE: Rule = Rule {
    id: "files.delete-unknown",
    hold: Hold::Ask,
    reason: "deletes everything in a directory that is not known; if the variable is empty, that is the root",
    safer: "write the directory out, or guard the variable: ${name:?}",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] =
    &[&DELETE_ROOT, &SYSTEM, &HOME, &PROJECT, &GIT, &TEMP, &OUTSIDE, &DELETE_REMOTE, &UNSURE];

/// The directories in the root.
static TOP: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "snap",
    "srv",
    "sys",
    "usr",
    "var",
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "nix",
];

/// Those in which nothing may be deleted.
static NEVER: &[&str] = &[
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/boot",
    "/sys",
    "/proc",
    "/dev",
    "/System",
    "/nix",
    "/var/lib",
    "/var/spool",
    "/Applications",
    "/Library",
];

/// Where everybody puts what nobody needs for long.
static TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/var/folders"];

/// What the system can make again.
static SYSTEM_CACHES: &[&str] = &["/var/cache", "/var/lib/apt/lists"];

/// What can be made again, below a home.
static CACHES: &[&str] = &[
    ".cache",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".gradle/caches",
    ".gradle/daemon",
    ".m2/repository",
    ".yarn/cache",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".local/share/Trash",
    ".nuget/packages",
    ".bun/install/cache",
    "go/pkg/mod",
    ".terraform.d/plugin-cache",
    ".ivy2/cache",
    ".sbt/boot",
    ".rustup/downloads",
    ".rustup/tmp",
    ".expo",
    ".docker/buildx",
    "Library/Caches",
    "Library/Developer/Xcode/DerivedData",
    "Library/pnpm/store",
    ".Trash",
    "tmp",
    ".tmp",
];

/// Directories that hold only what can be made again, wherever they lie.
static MADE: &[&str] = &[
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".venv",
    "venv",
    "target",
    "dist",
    "build",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".gradle",
    "coverage",
    ".tox",
    "DerivedData",
    ".cache",
    ".terraform",
];

/// What people keep directly in their homes.
static PRECIOUS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".config",
    ".local",
    ".local/share",
    ".local/bin",
    ".docker",
    ".mozilla",
    ".password-store",
    ".thunderbird",
    "Desktop",
    "Documents",
    "Downloads",
    "Library",
    "Music",
    "Pictures",
    "Videos",
    "Movies",
    "Dropbox",
    "OneDrive",
    "Public",
    "bin",
];

/// What in `.git` comes and goes by itself.
static PASSING: &[&str] = &[
    "rebase-merge",
    "rebase-apply",
    "modules",
    "worktrees",
    "gc.log",
    "gc.pid",
    "info",
    "MERGE_HEAD",
    "MERGE_MSG",
    "FETCH_HEAD",
    "ORIG_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "COMMIT_EDITMSG",
    "SQUASH_MSG",
    "BISECT_LOG",
    "hooks",
    "lfs",
];

/// Finds the rule that keeps this from being deleted.
pub(crate) fn loss(place: &Place, depth: Depth, world: &World<'_>) -> Option<&'static Rule> {
    let swept = place.sweeps();
    let place = &*place.swept();
    if place.is_floating() {
        return floating(place, swept, depth);
    }
    if place.is_root() {
        return Some(&DELETE_ROOT);
    }
    if let Some(rule) = project_or_home(place, world) {
        return Some(rule);
    }
    if let Some(ward) = own::held_by(place)
        && depth != Depth::One
        && (place.is_below(world.root) || place.after_home(world).is_some())
    {
        return ward.rule(super::Access::Delete);
    }
    if let Some(rest) = place.after(world.root).filter(|_| world.root != "/") {
        return in_project(place, rest, world);
    }
    if TEMPORARY.iter().any(|dir| place.after(dir) == Some("")) {
        return Some(&TEMP);
    }
    if is_temporary(place) || SYSTEM_CACHES.iter().any(|dir| place.after(dir).is_some()) {
        return None;
    }
    if let Some(rule) = in_system(place, depth) {
        return Some(rule);
    }
    outside(place, swept, depth, world)
}

/// Says whether it lies in a temporary directory.
pub(super) fn is_temporary(place: &Place) -> bool {
    TEMPORARY.iter().any(|dir| place.is_below(dir))
}

/// Finds the rule for what is deleted on another machine or in a container, where only the great directories mean the same.
pub(crate) fn loss_elsewhere(place: &Place) -> Option<&'static Rule> {
    let place = &*place.swept();
    if place.is_floating() {
        return None;
    }
    if place.is_root() {
        return Some(&DELETE_ROOT);
    }
    // What is kept there is the same everywhere: databases, images, states.
    if place.after("/var/lib").is_some() && SYSTEM_CACHES.iter().all(|dir| place.after(dir).is_none()) {
        return Some(&SYSTEM);
    }
    let mut components = place.components();
    let first = components.next()?;
    if components.next().is_some() {
        return None;
    }
    if first == "~" || ["home", "root", "Users"].contains(&first) {
        return Some(&HOME);
    }
    ["bin", "boot", "etc", "lib", "lib64", "sbin", "usr", "var"].contains(&first).then_some(&SYSTEM)
}

/// Says whether a directory of another machine is named from its root, and is none that is made again by itself. What lies in a home there
/// is somebody's own affair, as what lies in the project is here.
pub(crate) fn stays_lost(place: &Place, depth: Depth) -> bool {
    let place = &*place.swept();
    depth == Depth::Tree
        && !place.is_floating()
        && place.components().next().is_some_and(|first| first != "~")
        && TEMPORARY.iter().chain(SYSTEM_CACHES).all(|dir| place.after(dir).is_none())
        && !place.components().any(|component| MADE.contains(&component))
}

fn floating(place: &Place, swept: bool, depth: Depth) -> Option<&'static Rule> {
    let mut components = place.components();
    let Some(first) = components.next() else {
        // The working directory itself, and nobody knows which that is.
        return (depth != Depth::One || swept).then_some(&UNSURE);
    };
    match components.next() {
        _ if depth == Depth::Moved => None,
        None if first == ".." => Some(&UNSURE),
        // `$X` alone is what its owner made it; `$X/` and `$X/*` are the root if it is empty.
        None if first.chars().eq([UNKNOWN]) => {
            (swept || place.open && depth == Depth::Tree).then_some(&UNSURE)
        }
        None => None,
        Some(second) if first.chars().eq([UNKNOWN]) && components.next().is_none() => (TOP.contains(&second)
            && !["bin", "lib", "opt", "media", "run", "snap", "Library"].contains(&second))
        .then_some(&UNSURE),
        Some(_) => place.components().all(|component| component == "..").then_some(&UNSURE),
    }
}

fn project_or_home(place: &Place, world: &World<'_>) -> Option<&'static Rule> {
    let above_home = world.home.is_some_and(|home| place.holds(home));
    let above_root = world.root != "/" && place.holds(world.root);
    let mut components = place.components();
    let first = components.next().unwrap_or_default();
    let is_homes = place.means(first, "home") || place.means(first, "Users");
    if above_home || is_homes && components.clone().count() <= 1 {
        return Some(&HOME);
    }
    above_root.then_some(&PROJECT)
}

fn in_project(place: &Place, rest: &str, world: &World<'_>) -> Option<&'static Rule> {
    // A clone inside the project may lose its history, the project may not.
    let mut components = rest.split('/');
    let first = components.next()?;
    let git = place.means(first, ".git") && !(place.is_pattern() && first == ".*");
    if !git {
        return cwd_git(place, world);
    }
    let Some(second) = components.next() else { return Some(&GIT) };
    let name = place.name();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let passing = PASSING.contains(&second) || matches!(extension, "lock" | "sample");
    (!passing).then_some(&GIT)
}

/// The repository that the working directory belongs to, if that is not the project's own.
fn cwd_git(place: &Place, world: &World<'_>) -> Option<&'static Rule> {
    (world.cwd != world.root
        && place.means(place.name(), ".git")
        && place.parent().after(world.cwd) == Some(""))
    .then_some(&GIT)
}

fn in_system(place: &Place, depth: Depth) -> Option<&'static Rule> {
    let mut components = place.components();
    let first = components.next()?;
    let Some(second) = components.next() else {
        if first.starts_with(UNKNOWN) {
            return (depth == Depth::Tree).then_some(&UNSURE);
        }
        return TOP.iter().any(|top| place.means(first, top)).then_some(&SYSTEM);
    };
    let third = components.next();
    match first {
        // A mount point is a whole disk.
        "mnt" | "media" | "Volumes" if third.is_none() => return Some(&SYSTEM),
        "usr" if second == "local" && third.is_some() => return (depth == Depth::Tree).then_some(&OUTSIDE),
        "var"
            if third.is_none()
                && matches!(second, "log" | "lib" | "spool" | "www" | "run" | "mail" | "db") =>
        {
            return Some(&SYSTEM);
        }
        _ => {}
    }
    NEVER.iter().any(|dir| place.after(dir).is_some()).then_some(&SYSTEM)
}

fn outside(place: &Place, swept: bool, depth: Depth, world: &World<'_>) -> Option<&'static Rule> {
    if let Some(rest) = place.after_home(world) {
        let same = |known: &&&str| {
            rest.split('/').count() == known.split('/').count()
                && rest.split('/').zip(known.split('/')).all(|(component, name)| place.means(component, name))
        };
        if (depth != Depth::One || swept) && PRECIOUS.iter().any(|known| same(&known)) {
            return Some(&HOME);
        }
        let cached = |cache: &&str| {
            rest.strip_prefix(*cache).is_some_and(|inner| inner.is_empty() || inner.starts_with('/'))
        };
        if CACHES.iter().any(cached) {
            return None;
        }
    }
    if depth != Depth::Tree || place.components().any(|component| MADE.contains(&component)) {
        return None;
    }
    Some(&OUTSIDE)
}
