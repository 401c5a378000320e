//! `find`: what it deletes, what it writes, and what it hands to a program that reads.
//!
//! The programs after `-exec` are visited by the walker, but only here it is known *which* files they get.

use crate::invocation::Arg;
use crate::path::{Access, Depth, Ward};

use super::scene::Scene;
use super::{programs, writing};

/// What an expression does with what it finds.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one question that is asked of an expression")]
struct Expression<'a> {
    deletes: bool,
    reads: bool,
    writes: bool,
    /// Whether a test leaves most files alone.
    narrow: bool,
    /// What the files are called.
    names: Vec<&'a Arg>,
    written: Vec<&'a Arg>,
}

pub(super) fn judge(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let mut first = 0;
    while args.get(first).is_some_and(|arg| ["-H", "-L", "-P"].iter().any(|option| arg.is(option))) {
        first += 1;
    }
    let follows = args[..first].iter().any(|arg| !arg.is("-P")) || args.iter().any(|arg| arg.is("-follow"));
    let args = &args[first..];
    let starts = args
        .iter()
        .position(|arg| arg.text().starts_with('-') || ["(", ")", "!", ","].contains(&arg.text()))
        .unwrap_or(args.len());
    let (starts, rest) = args.split_at(starts);
    let expression = read(rest);
    for file in &expression.written {
        scene.touch(file, Access::Write);
    }
    let here = [Arg::new(".")];
    let starts = if starts.is_empty() { here.as_slice() } else { starts };
    for start in starts {
        if expression.deletes {
            // A start that is a link is followed like a directory that is written with a slash.
            let followed = follows.then(|| Arg::new([start.text(), "/"].concat()));
            lose(scene, followed.as_ref().unwrap_or(start), &expression);
        }
        if expression.deletes || expression.writes {
            touch_own(scene, start, &expression);
        }
        if expression.reads {
            hand_over(scene, start, &expression);
        }
    }
}

fn read(args: &[Arg]) -> Expression<'_> {
    let mut found = Expression::default();
    let mut negated = false;
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        let value = args.get(index + 1);
        index += 1;
        match arg.text() {
            "!" | "-not" => {
                negated = true;
                continue;
            }
            "-delete" => found.deletes = true,
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" | "-lname" => {
                let everything =
                    value.is_none_or(|value| ["*", "**", "./*", ".*", "*.*"].contains(&value.text()));
                if !negated && !everything {
                    found.narrow = true;
                    found.names.extend(value);
                }
                index += 1;
            }
            "-empty" => found.narrow |= !negated,
            "-mtime" | "-mmin" | "-atime" | "-amin" | "-ctime" | "-cmin" | "-newer" | "-size" | "-perm"
            | "-user" | "-links" | "-inum" | "-xtype" => {
                found.narrow |= !negated;
                index += 1;
            }
            "-type" | "-maxdepth" | "-mindepth" | "-printf" | "-group" | "-fstype" | "-regextype" => {
                index += 1;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                found.written.extend(value);
                index += 1;
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = args[index..]
                    .iter()
                    .position(|arg| arg.is(";") || arg.is("+"))
                    .unwrap_or(args.len() - index);
                // Without `{}` it gets none of the files; what it does then is judged as a command of its own.
                let gets_files = args[index..index + end].iter().any(|arg| arg.text().contains("{}"));
                match deed(&args[index..index + end]) {
                    _ if !gets_files => {}
                    Deed::Delete => found.deletes = true,
                    Deed::Read => found.reads = true,
                    Deed::Write => found.writes = true,
                    Deed::Other => {}
                }
                index += end + 1;
            }
            _ => {}
        }
        negated = false;
    }
    found
}

enum Deed {
    Delete,
    Read,
    Write,
    Other,
}

/// What the program after `-exec` does with its files.
fn deed(argv: &[Arg]) -> Deed {
    let mut words = argv.iter().map(|word| word.text().rsplit('/').next().unwrap_or_default());
    let Some(program) =
        words.find(|word| !["sudo", "doas", "env", "command", "nice", "busybox"].contains(word))
    else {
        return Deed::Other;
    };
    match program {
        "rm" | "unlink" | "shred" | "srm" | "wipe" | "rimraf" => Deed::Delete,
        "sh" | "bash" | "dash" | "zsh" => {
            let deletes = |script: &Arg| {
                script
                    .text()
                    .split([' ', ';', '\n', '\t', '&', '|'])
                    .any(|word| word == "rm" || word == "shred")
            };
            if argv.iter().any(deletes) { Deed::Delete } else { Deed::Other }
        }
        "truncate" | "tee" | "mv" => Deed::Write,
        "sed" | "gsed" | "perl" | "ruby"
            if argv.iter().any(|word| {
                let text = word.text();
                text.starts_with("--in-p") || text.starts_with("-i") || text.starts_with("-pi")
            }) =>
        {
            Deed::Write
        }
        _ if programs::only_names(program) || writing::changes_rights(program) => Deed::Other,
        _ => Deed::Read,
    }
}

/// Names that can be made again, or that nobody misses.
static JUNK: &[&str] = &[
    ".DS_Store",
    "Thumbs.db",
    "*.pyc",
    "*.pyo",
    "__pycache__",
    "node_modules",
    ".pytest_cache",
    ".mypy_cache",
    "*.tmp",
    "*~",
    "*.swp",
    "*.orig",
    "*.rej",
    "*.o",
    "*.class",
    "target",
    "dist",
    "build",
    ".next",
    ".turbo",
];

fn lose(scene: &mut Scene<'_, '_>, start: &Arg, expression: &Expression<'_>) {
    let place = scene.place(start);
    if !expression.narrow {
        return scene.remove_place(&place, Depth::Tree, start.text());
    }
    for name in &expression.names {
        if !name.text().contains('/') {
            let named = place.join(name.text());
            if scene.ward(&named).is_some_and(|ward| ward.is_secret() || ward.is_own()) {
                scene.touch_place(&named, Access::Delete, name.text());
            }
        }
    }
    // In the project, a temporary directory or a cache, what is picked out may go. In the system and in the whole home it may not.
    let junk =
        !expression.names.is_empty() && expression.names.iter().all(|name| JUNK.contains(&name.text()));
    let world = scene.case.world;
    let inside = place.after(world.root).is_some() && world.root != "/" || place.is_floating();
    let temporary = ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|dir| place.after(dir).is_some());
    let below_home = world.home.is_some_and(|home| place.after(home).is_some());
    if !(inside || temporary || below_home && junk) {
        // Where nobody knows what lies, only the great directories are too much for that.
        let depth = if scene.call.elsewhere.is_some() { Depth::One } else { Depth::Tree };
        scene.remove_place(&place, depth, start.text());
    }
}

/// Judges what is picked out by its name, where hooks are registered under that name.
fn touch_own(scene: &mut Scene<'_, '_>, start: &Arg, expression: &Expression<'_>) {
    let base = start.text().trim_end_matches('/');
    let place = scene.place(start);
    let begins_in_holder = crate::path::held_by(&place).is_some();
    let begins_above = place.is_floating() || place.holds(scene.case.world.root);
    for name in &expression.names {
        let text = name.text();
        let path = if text.contains('/') {
            text.trim_start_matches("./").trim_start_matches("*/").to_owned()
        } else if begins_in_holder {
            [base, "/", text].concat()
        } else if begins_above && text.starts_with("settings") {
            // Names that hardly mean anything else.
            [base, "/.claude/", text].concat()
        } else {
            continue;
        };
        let place = scene.place(&Arg::glob(path));
        if scene.ward(&place).is_some_and(Ward::is_own) {
            scene.touch_place(&place, Access::Write, text);
        }
    }
}

fn hand_over(scene: &mut Scene<'_, '_>, start: &Arg, expression: &Expression<'_>) {
    let place = scene.place(start);
    scene.touch_place(&place, Access::Read, start.text());
    for name in &expression.names {
        if !name.text().contains('/') {
            let mut named = scene.place(&Arg::glob(name.text()));
            // From the root, it is found where the system keeps it.
            if place.is_root() && scene.ward(&named).is_none() {
                named = scene.place(&Arg::glob(format!("/etc/{}", name.text())));
            }
            if scene.ward(&named).is_some_and(Ward::is_secret) {
                scene.touch_place(&named, Access::Read, name.text());
            }
        }
    }
}
