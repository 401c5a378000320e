//! The judge of programs that read, change, move and delete files.
//!
//! Every program may name files among its arguments, so the rule is that a program reads its operands, and the exceptions are known:
//! programs that only look at names ([`reading`]), that write ([`writing`]), that delete ([`removal`], [`find`]), that change rights
//! ([`permissions`]), that work on whole disks ([`disks`]), that pack and copy trees ([`trees`]). Redirections are judged for all of them.

mod disks;
mod find;
mod permissions;
mod programs;
mod reading;
mod removal;
mod scene;
#[cfg(test)]
mod tests;
mod trees;
mod writing;

use crate::case::Case;
use crate::invocation::{Invocation, Use};
use crate::path::Access;
use crate::verdict::Rule;

use scene::Scene;

/// The rules of this judge, for the catalogue; those about paths are in [`crate::path`].
pub(crate) static RULES: &[&[&Rule]] =
    &[disks::RULES, permissions::RULES, reading::RULES, scene::RULES, writing::RULES];

/// Judges one program by the files that it would touch.
pub(crate) fn judge(call: &Invocation, case: &mut Case<'_>) {
    let mut scene = Scene::new(call, case);
    for (how, file) in &call.redirects {
        match how {
            Use::Read => scene.touch(file, Access::Read),
            Use::Write => scene.touch(file, Access::Write),
            Use::Both => {
                scene.touch(file, Access::Read);
                scene.touch(file, Access::Write);
            }
        }
    }
    if call.argv.is_empty() {
        return;
    }
    // The test is a bracket, and as a word that is a pattern.
    if call.argv.first().is_some_and(|program| program.text() == "[") {
        return;
    }
    match call.program() {
        "rm" | "grm" | "unlink" | "shred" | "srm" | "wipe" | "rimraf" | "del" | "del-cli" | "trash"
        | "trash-put" | "rmtrash" | "gio" => {
            removal::judge(&mut scene);
        }
        "cmake" => removal::cmake(&mut scene),
        "find" | "gfind" => find::judge(&mut scene),
        "chmod" | "chown" | "chgrp" | "chattr" | "chflags" | "setfacl" | "setcap" | "gchmod" | "gchown" => {
            permissions::judge(&mut scene);
        }
        "mv" | "gmv" | "cp" | "gcp" | "install" | "ginstall" | "ln" | "gln" | "tee" | "dd" | "truncate"
        | "touch" | "mkdir" | "sed" | "gsed" | "perl" | "ruby" | "sort" | "split" | "csplit" | "patch"
        | "ed" | "ex" | "sudoedit" | "vi" | "vim" | "nvim" | "nano" | "emacs" | "sponge" | "gzip"
        | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "crudini" | "mkfifo" | "mknod"
        | "fallocate" | "rename" | "yq" => writing::judge(&mut scene),
        "tar" | "gtar" | "bsdtar" | "rsync" | "scp" | "unzip" | "zip" | "7z" | "7za" | "cpio" => {
            trees::judge(&mut scene);
        }
        program if disks::knows(program) => disks::judge(&mut scene),
        _ => reading::judge(&mut scene),
    }
}
