//! Programs that pack, unpack and copy whole trees, here and between machines.

use crate::invocation::{Arg, UNKNOWN};
use crate::options::{Options, Taking};
use crate::path::{Access, Depth, Place, Ward};

use super::scene::Scene;

pub(super) fn judge(scene: &mut Scene<'_, '_>) {
    match scene.call.program() {
        "rsync" => rsync(scene),
        "scp" => scp(scene),
        "unzip" => {
            let options = scene.options(&Taking { short: "dPx", long: &[] });
            unpack_into(scene, options.value('d', ""));
        }
        "7z" | "7za" => seven_zip(scene),
        "zip" => zip(scene),
        "cpio" => {
            let options = scene.options(&Taking {
                short: "DFEHMORC",
                long: &["directory", "file", "format", "pattern-file"],
            });
            if options.has('i', "extract") {
                unpack_into(scene, options.value('D', "directory"));
            }
        }
        _ => tar(scene),
    }
}

fn tar(scene: &mut Scene<'_, '_>) {
    const TAKING: Taking = Taking {
        short: "fCXTbgIKNVHFL",
        long: &[
            "file",
            "directory",
            "exclude",
            "exclude-from",
            "files-from",
            "transform",
            "strip-components",
            "use-compress-program",
            "owner",
            "group",
            "mode",
            "mtime",
            "format",
            "listed-incremental",
            "one-top-level",
            "label",
            "xform",
            "sort",
            "warning",
        ],
    };
    // The old way: letters without a dash, and their values after them, in order.
    let args = scene.call.args();
    let Some(first) = args.first() else { return };
    let mut letters = String::new();
    let mut archive = None;
    let mut directory = None;
    let mut members: Vec<&Arg> = Vec::new();
    let modern;
    if first.text().starts_with('-') {
        modern = scene.options(&TAKING);
    } else {
        letters.push_str(first.text());
        let mut rest = 1;
        for letter in first.text().chars().filter(|letter| TAKING.short.contains(*letter)) {
            match letter {
                'f' => archive = args.get(rest).map(Arg::text),
                'C' => directory = args.get(rest).map(Arg::text),
                _ => {}
            }
            rest += 1;
        }
        modern =
            Options::read(args.get(rest..).unwrap_or_default(), &TAKING, crate::options::Order::Anywhere);
    }
    letters.extend(modern.given.iter().filter(|given| !given.long).map(|given| given.name));
    members.extend(&modern.operands);
    archive = modern.value('f', "file").or(archive);
    directory = modern.value('C', "directory").or(directory);
    let creates = letters.contains(['c', 'r', 'u'])
        || ["create", "append", "update"].iter().any(|long| modern.has_long(long));
    let extracts = letters.contains('x') || modern.has_long("extract") || modern.has_long("get");
    if creates {
        if let Some(archive) = archive {
            scene.touch_text(archive, Access::Write);
        }
        let base = directory.map(|directory| scene.place(&Arg::new(directory)));
        for member in members {
            match base.as_ref().filter(|_| !member.text().starts_with(['/', '~'])) {
                Some(base) => scene.touch_place(&base.join(member.text()), Access::Read, member.text()),
                None => scene.touch(member, Access::Read),
            }
            if modern.has_long("remove-files") {
                scene.remove(member, Depth::Tree);
            }
        }
        // `-C ~/.ssh .` takes all of that directory.
        if let Some(base) = base {
            scene.touch_place(&base, Access::Read, directory.unwrap_or_default());
        }
    } else if extracts {
        unpack_into(scene, directory);
    }
}

/// Judges where an archive is unpacked: over the system, or over what protects the machine.
fn unpack_into(scene: &mut Scene<'_, '_>, directory: Option<&str>) {
    match directory {
        Some(directory) => {
            scene.touch_text(directory, Access::Write);
            let place = scene.place(&Arg::new(directory));
            scene.replace_directory(&place, directory);
            // Over a whole home, it may bring any of the files that run by themselves.
            let is_home = scene.case.world.home.is_some_and(|home| place.after(home) == Some(""));
            if is_home && let Some(rule) = Ward::StartFile.rule(Access::Write) {
                scene.hold(rule);
            }
        }
        // In the working directory, which may be one of those.
        None if scene.call.cwd.is_some() => scene.touch_text(".", Access::Write),
        None => {}
    }
}

fn seven_zip(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let verb = args.first().map(Arg::text).unwrap_or_default();
    if verb == "x" || verb == "e" {
        let directory = args.iter().find_map(|arg| arg.text().strip_prefix("-o"));
        return unpack_into(scene, directory);
    }
    for member in args.iter().skip(2).filter(|arg| !arg.text().starts_with('-')) {
        scene.touch(member, Access::Read);
        if args.iter().any(|arg| arg.is("-sdel")) {
            scene.remove(member, Depth::Tree);
        }
    }
}

fn zip(scene: &mut Scene<'_, '_>) {
    let mut operands = 0;
    let moves = scene.call.args().iter().any(|arg| {
        arg.is("--move")
            || arg.text().starts_with('-') && !arg.text().starts_with("--") && arg.text().contains('m')
    });
    for arg in scene.call.args() {
        match arg.text() {
            // All that follows is left out of the archive.
            "-x" | "--exclude" => break,
            text if text.starts_with('-') && text != "-" => {}
            _ => {
                scene.touch(arg, if operands == 0 { Access::Write } else { Access::Read });
                if moves && operands > 0 {
                    scene.remove(arg, Depth::Tree);
                }
                operands += 1;
            }
        }
    }
}

fn rsync(scene: &mut Scene<'_, '_>) {
    let taking = Taking {
        short: "efTBM",
        long: &[
            "rsh",
            "filter",
            "exclude",
            "include",
            "exclude-from",
            "include-from",
            "files-from",
            "temp-dir",
            "backup-dir",
            "suffix",
            "bwlimit",
            "timeout",
            "port",
            "password-file",
            "log-file",
            "out-format",
            "chmod",
            "chown",
            "rsync-path",
            "max-size",
            "min-size",
            "link-dest",
            "compare-dest",
            "copy-dest",
            "partial-dir",
            "usermap",
            "groupmap",
            "info",
            "debug",
            "address",
        ],
    };
    let options = scene.options(&taking);
    if options.has('n', "dry-run") || options.has_long("list-only") {
        return;
    }
    let deletes = options.given.iter().any(|given| given.long && given.name.starts_with("del"));
    let Some((target, sources)) = options.operands.split_last() else { return };
    for source in sources {
        transfer(scene, source, Access::Read);
        if options.has_long("remove-source-files") && remote(source.text()).is_none() {
            scene.remove(source, Depth::Moved);
        }
    }
    transfer(scene, target, Access::Write);
    arrivals(scene, sources, target);
    // Of a source with a slash at its end, only what lies in it is copied.
    let whole: Vec<&Arg> = sources.iter().copied().filter(|source| !source.text().ends_with('/')).collect();
    settle(scene, &whole, target);
    if deletes {
        // What is not in the source goes: only the great directories are too much for that.
        if let Some(path) = remote(target.text()) {
            if path == "/" {
                scene.remove_place(
                    &Place::of("/", false, &crate::path::Frame::elsewhere(None)),
                    Depth::Tree,
                    target.text(),
                );
            }
        } else {
            scene.remove(target, Depth::Moved);
        }
    }
}

fn scp(scene: &mut Scene<'_, '_>) {
    let options = scene.options(&Taking { short: "cFiJloPSDX", long: &[] });
    let Some((target, sources)) = options.operands.split_last() else { return };
    for source in sources {
        transfer(scene, source, Access::Read);
    }
    transfer(scene, target, Access::Write);
    arrivals(scene, sources, target);
    if options.has_short('r') {
        settle(scene, sources, target);
    }
}

/// Judges a file that may be on another machine.
fn transfer(scene: &mut Scene<'_, '_>, word: &Arg, access: Access) {
    match remote(word.text()) {
        None => scene.touch(word, access),
        Some(path) => {
            let place = Place::of(path, word.is_glob(), &crate::path::Frame::elsewhere(None));
            if access == Access::Read && scene.ward(&place).is_some_and(Ward::is_secret) {
                scene.touch_place(&place, access, word.text());
            }
        }
    }
}

/// The path of `host:path`.
fn remote(word: &str) -> Option<&str> {
    let (host, path) = word.split_once(':')?;
    (!host.contains('/') && !host.is_empty()).then_some(path)
}

/// Judges what the copies are called in the directory that they are put into.
pub(super) fn arrivals(scene: &mut Scene<'_, '_>, sources: &[&Arg], target: &Arg) {
    if remote(target.text()).is_some() {
        return;
    }
    let directory = scene.place(target);
    for source in sources {
        let name = source.text().trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        if name.is_empty() || matches!(name, "." | "..") || source.is_glob() {
            // Whatever they are called, they are put there.
            scene.touch_by_own_rules(&directory.join(&UNKNOWN.to_string()), Access::Write, target.text());
            continue;
        }
        let copy = directory.join(name);
        scene.touch_by_own_rules(&copy, Access::Write, target.text());
        // If the source is protected for the same reason, that was said already.
        if scene.ward(&copy).is_some() && scene.ward(&copy) != scene.ward(&scene.place(source)) {
            scene.touch_place(&copy, Access::Write, target.text());
        }
    }
}

/// Judges whole trees that are put somewhere: into a directory in which hooks are registered, or as one.
pub(super) fn settle(scene: &mut Scene<'_, '_>, sources: &[&Arg], target: &Arg) {
    if remote(target.text()).is_some() {
        return;
    }
    let directory = scene.place(target);
    if scene.replace_directory(&directory, target.text()) {
        return;
    }
    // A copy counts where a client looks for it: in the project, above it, or in the home. Elsewhere it is a backup.
    let world = scene.case.world;
    let is_read = directory.holds(world.root)
        || world.home.is_some_and(|home| directory.holds(home))
        || scene.call.cwd.as_deref().is_some_and(|cwd| directory.after(cwd) == Some(""));
    if is_read {
        for source in sources {
            if let Some(name) = source.text().trim_end_matches('/').rsplit(['/', ':']).next() {
                scene.replace_directory(&directory.join(name), source.text());
            }
        }
    }
}

/// Says whether a word may name a whole directory, or files that are called anything.
pub(super) fn may_be_many(source: &Arg) -> bool {
    let name = source.text().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if source.is_glob() {
        return [".json", ".jsonc", ".toml", "*"].iter().any(|end| name.ends_with(end));
    }
    !name.get(1..).is_some_and(|rest| rest.contains('.'))
}
