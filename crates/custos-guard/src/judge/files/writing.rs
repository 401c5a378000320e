//! Programs that write to files that their arguments name.

use crate::invocation::Arg;
use crate::options::{Options, Taking};
use crate::path::{Access, Depth, Ward};
use crate::verdict::{Hold, Rule};

use super::reading;
use super::scene::Scene;
use super::trees::{arrivals, may_be_many, settle};

static LINK_GREAT: Rule = Rule {
    id: "files.link-root",
    hold: Hold::Ask,
    reason: "makes everything, or a whole home directory, reachable under another name",
    safer: "link the directory that is needed",
};

static NOWHERE: Rule = Rule {
    id: "files.move-nowhere",
    hold: Hold::Ask,
    reason: "moves files to /dev/null, which loses them",
    safer: "move them aside, or delete them by name",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] = &[&LINK_GREAT, &NOWHERE];

/// Says whether a program changes only who may use a file.
pub(super) fn changes_rights(program: &str) -> bool {
    matches!(
        program,
        "chmod" | "chown" | "chgrp" | "touch" | "mv" | "cp" | "ln" | "git" | "sed" | "gsed" | "perl"
    )
}

pub(super) fn judge(scene: &mut Scene<'_, '_>) {
    match scene.call.program() {
        "mv" | "gmv" => moves(scene),
        "cp" | "gcp" | "install" | "ginstall" => copies(scene),
        "ln" | "gln" => links(scene),
        "dd" => dd(scene),
        "sed" | "gsed" => sed(scene),
        "perl" | "ruby" => in_place(scene),
        "sort" => sort(scene),
        "split" | "csplit" => split(scene),
        "mkdir" => mkdir(scene),
        "yq" if !scene.call.args().iter().any(|arg| arg.is("-i") || arg.is("--inplace")) => {
            reading::judge(scene);
        }
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" => compress(scene),
        "crudini" => crudini(scene),
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "ed" | "ex" | "sudoedit" => {
            // An editor shows what it changes.
            for file in files(scene, "cST") {
                scene.touch(file, Access::Read);
                scene.touch(file, Access::Write);
            }
        }
        "patch" => patch(scene),
        "truncate" => write_all(scene, "sr"),
        "touch" => write_all(scene, "drt"),
        "fallocate" => write_all(scene, "lo"),
        "mkfifo" | "mknod" => write_all(scene, "mZ"),
        "rename" => {
            for file in files(scene, "").into_iter().skip(1) {
                scene.remove(file, Depth::Moved);
            }
        }
        _ => write_all(scene, ""),
    }
}

/// The operands of a program whose short options with values are these.
fn files<'c>(scene: &Scene<'c, '_>, short: &'static str) -> Vec<&'c Arg> {
    let args = scene.call.args();
    let mut files = Vec::new();
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        index += 1;
        let text = arg.text();
        if text.len() > 1 && text.starts_with('-') {
            let takes = text.len() == 2 && short.contains(&text[1..]);
            index += usize::from(takes);
        } else {
            files.push(arg);
        }
    }
    files
}

fn write_all(scene: &mut Scene<'_, '_>, short: &'static str) {
    for file in files(scene, short) {
        scene.touch(file, Access::Write);
    }
}

/// Where `cp`, `mv`, `install` and `ln` put things: the last operand, or the value of `-t`.
fn target<'c>(options: &Options<'c>) -> (Vec<&'c Arg>, Option<Arg>) {
    let mut sources = options.operands.clone();
    let target = match options.value('t', "target-directory") {
        Some(directory) => Some(Arg::new(directory)),
        None if sources.len() > 1 => sources.pop().cloned(),
        None => None,
    };
    (sources, target)
}

fn moves(scene: &mut Scene<'_, '_>) {
    let options = scene.options(&Taking { short: "tS", long: &["target-directory", "suffix"] });
    let (sources, target) = target(&options);
    let before = scene.case.findings.len();
    for source in &sources {
        scene.remove(source, Depth::Moved);
    }
    if let Some(target) = target {
        if scene.place(&target).after("/dev/null") == Some("") {
            for source in &sources {
                scene.remove(source, Depth::Tree);
            }
            // What is lost says more than where it goes.
            if scene.case.findings.len() == before {
                scene.hold(&NOWHERE);
            }
        }
        scene.touch(&target, Access::Write);
        arrivals(scene, &sources, &target);
        if sources.iter().any(|source| may_be_many(source)) {
            scene.replace_directory(&scene.place(&target), target.text());
        }
    }
}

fn copies(scene: &mut Scene<'_, '_>) {
    let options = scene
        .options(&Taking { short: "tSmog", long: &["target-directory", "suffix", "mode", "owner", "group"] });
    if scene.call.program().ends_with("install") {
        if let Some(mode) = options.value('m', "mode") {
            super::permissions::mode(scene, mode);
        }
        if options.has('d', "directory") {
            for directory in &options.operands {
                scene.touch(directory, Access::Write);
            }
            return;
        }
    }
    let (sources, target) = target(&options);
    for source in &sources {
        scene.touch(source, Access::Read);
    }
    if let Some(target) = target {
        scene.touch(&target, Access::Write);
        arrivals(scene, &sources, &target);
        let recursive =
            options.has('r', "recursive") || options.has_short('R') || options.has('a', "archive");
        if recursive {
            settle(scene, &sources, &target);
        } else if sources.iter().any(|source| source.is_glob() && may_be_many(source)) {
            scene.replace_directory(&scene.place(&target), target.text());
        }
    }
}

fn links(scene: &mut Scene<'_, '_>) {
    let options = scene.options(&Taking { short: "tS", long: &["target-directory", "suffix"] });
    let (sources, target) = target(&options);
    for source in &sources {
        // Under another name a secret would be read unnoticed, and everything deleted.
        scene.touch(source, Access::Read);
        let place = scene.place(source);
        if scene.call.elsewhere.is_none()
            && (place.is_root() || scene.case.world.home.is_some_and(|home| place.holds(home)))
        {
            scene.hold(&LINK_GREAT);
        }
        if scene.ward(&place).is_some_and(Ward::is_own) {
            scene.touch_place(&place, Access::Write, source.text());
        }
    }
    if let Some(target) = target {
        if options.has('f', "force") {
            scene.replace_directory(&scene.place(&target), target.text());
        }
        scene.touch(&target, Access::Write);
        arrivals(scene, &sources, &target);
    }
}

fn dd(scene: &mut Scene<'_, '_>) {
    for arg in scene.call.args() {
        if let Some(file) = arg.text().strip_prefix("if=") {
            scene.touch_text(file, Access::Read);
        } else if let Some(file) = arg.text().strip_prefix("of=") {
            scene.touch_text(file, Access::Write);
        }
    }
}

/// The files that it is given; those that its program names are found in the program.
fn sed(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let mut in_place = false;
    let mut scripted = false;
    let mut operands: Vec<&Arg> = Vec::new();
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        index += 1;
        let text = arg.text();
        if let Some(long) = text.strip_prefix("--") {
            in_place |= long.starts_with("in-place") || long.starts_with("in-p");
            if long.starts_with("expression") || long.starts_with("file") {
                scripted = true;
                index += usize::from(!long.contains('='));
            }
        } else if text.len() > 1 && text.starts_with('-') {
            for (at, letter) in text.char_indices().skip(1) {
                match letter {
                    // What follows is the suffix of the copy that is kept.
                    'i' => {
                        in_place = true;
                        break;
                    }
                    'e' | 'f' | 'l' => {
                        scripted |= letter != 'l';
                        index += usize::from(at + 1 == text.len());
                        break;
                    }
                    _ => {}
                }
            }
        } else {
            operands.push(arg);
        }
    }
    let access = if in_place { Access::Write } else { Access::Read };
    for file in operands.into_iter().skip(usize::from(!scripted)) {
        scene.touch(file, access);
    }
}

/// `perl -pi -e …`, `ruby -i -pe …`.
fn in_place(scene: &mut Scene<'_, '_>) {
    let in_place = scene.call.args().iter().take_while(|arg| arg.text().starts_with('-')).any(|arg| {
        let flags = arg.text().trim_start_matches('-');
        // After these letters comes their value.
        let end = flags.find(['e', 'E', 'M', 'I', 'r', 'x', 'F', 'C']).unwrap_or(flags.len());
        !arg.text().starts_with("--") && flags[..end].contains('i')
    });
    if in_place {
        write_all(scene, "eEMIrF");
    }
    reading::judge(scene);
}

fn sort(scene: &mut Scene<'_, '_>) {
    let options =
        scene.options(&Taking { short: "oktTS", long: &["output", "key", "field-separator", "buffer-size"] });
    if let Some(output) = options.value('o', "output") {
        scene.touch_text(output, Access::Write);
    }
    for file in &options.operands {
        scene.touch(file, Access::Read);
    }
}

fn split(scene: &mut Scene<'_, '_>) {
    let options = scene
        .options(&Taking { short: "abClnf", long: &["bytes", "lines", "number", "prefix", "suffix-length"] });
    if let Some(file) = options.operands.first() {
        scene.touch(file, Access::Read);
    }
    // What follows the file is the prefix of the parts, or for `csplit` where to cut.
    let second = options.operands.get(1).filter(|_| scene.call.program() == "split");
    if let Some(prefix) = options.value('f', "prefix").or(second.map(|arg| arg.text())) {
        scene.touch_text(prefix, Access::Write);
    }
}

fn patch(scene: &mut Scene<'_, '_>) {
    let taking = Taking { short: "pidoBDFgrVYz", long: &["strip", "input", "directory", "output"] };
    let options = scene.options(&taking);
    if options.has_long("dry-run") {
        return;
    }
    let original = options.operands.first().map(|arg| arg.text());
    let places = [original, options.value('o', "output"), options.value('d', "directory")];
    for place in places.into_iter().flatten() {
        scene.touch_text(place, Access::Write);
    }
}

/// A new directory harms only where nothing new belongs.
fn mkdir(scene: &mut Scene<'_, '_>) {
    for directory in files(scene, "mZ") {
        let place = scene.place(directory);
        if scene.ward(&place) == Some(Ward::System) {
            scene.touch_place(&place, Access::Write, directory.text());
        }
    }
}

/// A compressed file takes the place of the original, unless it is only shown or the original is kept.
fn compress(scene: &mut Scene<'_, '_>) {
    let options = scene.options(&Taking { short: "oST", long: &["suffix", "threads"] });
    let keeps = options.has('c', "stdout")
        || options.has('k', "keep")
        || options.has('l', "list")
        || options.has('t', "test");
    for file in &options.operands {
        scene.touch(file, if keeps { Access::Read } else { Access::Write });
    }
}

fn crudini(scene: &mut Scene<'_, '_>) {
    let changes = scene.call.args().iter().any(|arg| arg.is("--set") || arg.is("--del") || arg.is("--merge"));
    if let Some(file) = files(scene, "").first() {
        scene.touch(file, if changes { Access::Write } else { Access::Read });
    }
}
