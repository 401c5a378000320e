//! Programs that work on whole disks and file systems.

use crate::invocation::Arg;
use crate::path::Ward;
use crate::verdict::{Hold, Rule};

use super::scene::Scene;

static FORMAT: Rule = Rule {
    id: "disk.format",
    hold: Hold::Deny,
    reason: "erases, formats or repartitions a disk",
    safer: "work on an image file",
};
static VOLUME: Rule = Rule {
    id: "disk.remove-volume",
    hold: Hold::Deny,
    reason: "removes a volume, a pool or an encrypted disk with all that is on it",
    safer: "leave it to the person",
};
static MOUNT: Rule = Rule {
    id: "disk.mount",
    hold: Hold::Ask,
    reason: "changes what is mounted over the system or the home directory",
    safer: "mount it below /mnt",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] = &[&FORMAT, &VOLUME, &MOUNT];

/// Says whether a program is one of these.
pub(super) fn knows(program: &str) -> bool {
    program.starts_with("mkfs")
        || program.starts_with("newfs")
        || matches!(
            program,
            "mke2fs"
                | "mkswap"
                | "mkntfs"
                | "mkdosfs"
                | "wipefs"
                | "blkdiscard"
                | "fdisk"
                | "sfdisk"
                | "cfdisk"
                | "gdisk"
                | "sgdisk"
                | "cgdisk"
                | "parted"
                | "hdparm"
                | "nvme"
                | "badblocks"
                | "diskutil"
                | "lvremove"
                | "lvreduce"
                | "vgremove"
                | "vgreduce"
                | "pvremove"
                | "mdadm"
                | "cryptsetup"
                | "zfs"
                | "zpool"
                | "btrfs"
                | "mount"
                | "umount"
        )
}

pub(super) fn judge(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let has = |wanted: &[&str]| args.iter().any(|arg| wanted.contains(&arg.text()));
    let starts =
        |wanted: &[&str]| args.iter().any(|arg| wanted.iter().any(|start| arg.text().starts_with(start)));
    if has(&["--help", "-h", "--version", "-V"]) && args.len() == 1 {
        return;
    }
    let on_disk = args.iter().any(is_device);
    let rule = match scene.call.program() {
        "wipefs" => {
            (on_disk && starts(&["-a", "--a", "-fa", "-af", "-o", "--o"]) && !has(&["-n", "--no-act"]))
                .then_some(&FORMAT)
        }
        "fdisk" | "gdisk" | "cfdisk" | "cgdisk" => {
            (on_disk && !starts(&["-l", "--list", "-x", "-s"])).then_some(&FORMAT)
        }
        "sfdisk" => (on_disk
            && !starts(&["-l", "--list", "-d", "--dump", "-J", "--json", "-F", "-V", "-s", "-n"]))
        .then_some(&FORMAT),
        "sgdisk" => (on_disk && !starts(&["-p", "--print", "-i", "--info", "-v", "-b", "--backup", "-P"]))
            .then_some(&FORMAT),
        "parted" => (on_disk
            && starts(&["mklabel", "mktable", "mkpart", "rm", "resizepart", "rescue", "set"]))
        .then_some(&FORMAT),
        "hdparm" => starts(&["--security-erase", "--trim-sector", "--write-sector", "--security-set"])
            .then_some(&FORMAT),
        "nvme" => has(&["format", "sanitize", "delete-ns", "write", "write-zeroes"]).then_some(&FORMAT),
        "badblocks" => (on_disk
            && args.iter().any(|arg| arg.text().starts_with('-') && arg.text().contains('w')))
        .then_some(&FORMAT),
        "diskutil" => args
            .first()
            .is_some_and(|verb| {
                let verb = verb.text().to_ascii_lowercase();
                ["erase", "zero", "random", "secureerase", "partition", "reformat", "resize"]
                    .iter()
                    .any(|start| verb.starts_with(start))
                    || args.iter().any(|arg| arg.text().to_ascii_lowercase().starts_with("delete"))
            })
            .then_some(&FORMAT),
        "lvremove" | "vgremove" | "pvremove" | "lvreduce" | "vgreduce" => {
            (!has(&["-t", "--test"])).then_some(&VOLUME)
        }
        "mdadm" => starts(&["--zero-superblock", "--stop", "-S", "--remove", "--fail", "--create", "-C"])
            .then_some(&VOLUME),
        "cryptsetup" => {
            has(&["luksFormat", "luksErase", "erase", "luksKillSlot", "luksRemoveKey", "reencrypt"])
                .then_some(&VOLUME)
        }
        "zfs" => (has(&["destroy", "rollback"]) && !has(&["-n", "-nv"])).then_some(&VOLUME),
        "zpool" => has(&["destroy", "labelclear", "remove", "detach"]).then_some(&VOLUME),
        "btrfs" => (has(&["delete"]) && starts(&["sub"])).then_some(&VOLUME),
        "mount" | "umount" => mounts_over(scene).then_some(&MOUNT),
        // The makers of file systems also make them in image files.
        _ => on_disk.then_some(&FORMAT),
    };
    if let Some(rule) = rule {
        scene.hold(rule);
    }
}

fn is_device(arg: &Arg) -> bool {
    arg.text().starts_with("/dev/") || !arg.is_sure()
}

/// Directories over which nothing is mounted, and which are not taken away.
static FIXED: &[&str] = &[
    "/", "/home", "/etc", "/usr", "/bin", "/sbin", "/lib", "/boot", "/var", "/root", "/proc", "/sys", "/dev",
];

fn mounts_over(scene: &Scene<'_, '_>) -> bool {
    let args = scene.call.args();
    if scene.call.elsewhere.is_some() || args.is_empty() {
        return false;
    }
    let world = scene.case.world;
    if scene.call.program() == "umount" && args.iter().any(|arg| arg.is("-a") || arg.is("--all")) {
        return true;
    }
    // The last word is where; `mount -o remount,ro /` has no other.
    let words = args.iter().filter(|arg| !arg.text().starts_with('-')).count();
    if scene.call.program() == "mount" && words < 2 {
        return false;
    }
    args.last().filter(|arg| arg.text().starts_with(['/', '~'])).is_some_and(|target| {
        let place = scene.place(target);
        FIXED.iter().any(|dir| place.after(dir) == Some(""))
            || place.is_below("/etc")
            || crate::path::held_by(&place).is_some()
            || scene.ward(&place).is_some_and(Ward::is_own)
            || world.home.is_some_and(|home| place.after(home) == Some(""))
    })
}
