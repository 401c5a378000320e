//! Programs that change who may do what with a file.

use crate::invocation::Arg;
use crate::options::Taking;
use crate::path::{Access, Place, Ward};
use crate::verdict::{Hold, Rule};

use super::scene::Scene;

static WORLD_WRITABLE: Rule = Rule {
    id: "permissions.world-writable",
    hold: Hold::Ask,
    reason: "lets everybody on the machine change the file",
    safer: "give the right to the owner or the group only (chmod u+rwx, 755, 644)",
};
static SET_UID: Rule = Rule {
    id: "permissions.setuid",
    hold: Hold::Deny,
    reason: "lets a program run with its owner's rights, whoever starts it",
    safer: "",
};
static GREAT: Rule = Rule {
    id: "permissions.system",
    hold: Hold::Deny,
    reason: "changes the rights or the owner of the system, of the home directory or of everything above the project",
    safer: "change the rights of the single files that need it",
};
static EXPOSE: Rule = Rule {
    id: "permissions.secret",
    hold: Hold::Deny,
    reason: "lets others read a private key or credentials",
    safer: "leave it readable for its owner only (chmod 600)",
};

static LOCK_OUT: Rule = Rule {
    id: "permissions.lock-out",
    hold: Hold::Ask,
    reason: "takes every right to a whole directory away, also from its owner",
    safer: "take away the single right that is too much (chmod -R go-w)",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] = &[&WORLD_WRITABLE, &SET_UID, &GREAT, &EXPOSE, &LOCK_OUT];

pub(super) fn judge(scene: &mut Scene<'_, '_>) {
    match scene.call.program() {
        "chmod" | "gchmod" => chmod(scene),
        "chattr" | "chflags" => {
            let args = scene.call.args();
            let recursive = args.iter().any(|arg| arg.is("-R"));
            for target in args.iter().filter(|arg| !arg.text().starts_with(['-', '+', '='])) {
                target_of(scene, target, recursive);
                scene.replace_directory(&scene.place(target), target.text());
            }
        }
        "setfacl" => setfacl(scene),
        "setcap" => setcap(scene),
        _ => {
            let taking = Taking { short: "", long: &["from", "reference"] };
            let options = scene.options(&taking);
            let recursive = options.has('R', "recursive");
            let skipped = usize::from(!options.has_long("reference"));
            for target in options.operands.iter().skip(skipped) {
                target_of(scene, target, recursive);
            }
        }
    }
}

/// Judges the mode that a file is given while it is made.
pub(super) fn mode(scene: &mut Scene<'_, '_>, mode: &str) {
    let rights = Rights::of(mode);
    if rights.set_uid {
        scene.hold(&SET_UID);
    }
    if rights.world_writable {
        scene.hold(&WORLD_WRITABLE);
    }
}

fn chmod(scene: &mut Scene<'_, '_>) {
    let mut recursive = false;
    let mut mode: Option<&Arg> = None;
    let mut targets: Vec<&Arg> = Vec::new();
    let mut only_operands = false;
    for arg in scene.call.args() {
        let text = arg.text();
        let option = !only_operands && text.len() > 1 && text.starts_with('-');
        if option && text == "--" {
            only_operands = true;
        } else if option && text.starts_with("--") {
            recursive |= text.len() > 4 && "--recursive".starts_with(text);
            // The mode of another file; all operands are targets then.
            if text.starts_with("--ref") {
                mode = Some(arg);
            }
            if text == "--help" || text == "--version" {
                return;
            }
        } else if option && text[1..].bytes().all(|byte| b"Rvcfh".contains(&byte)) {
            recursive |= text.contains('R');
        } else if mode.is_none() {
            mode = Some(arg);
        } else {
            targets.push(arg);
        }
    }
    let Some(mode) = mode else { return };
    self::mode(scene, mode.text());
    let rights = Rights::of(mode.text());
    for target in targets {
        let place = scene.place(target);
        if rights.exposes && scene.ward(&place) == Some(Ward::Secret) {
            scene.case.hold(&EXPOSE, target.to_string());
        }
        // To make a hook of git runnable is to install it, to take that away is to switch it off.
        if rights.stops && scene.ward(&place) == Some(Ward::GitHook) {
            scene.touch_place(&place, Access::Write, target.text());
        }
        let is_own = rights.locks && scene.replace_directory(&place, target.text());
        let before = scene.case.findings.len();
        target_of(scene, target, recursive);
        if rights.locks && recursive && !is_own && scene.case.findings.len() == before {
            scene.case.hold(&LOCK_OUT, target.to_string());
        }
    }
}

/// What a mode grants.
#[derive(Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
struct Rights {
    world_writable: bool,
    set_uid: bool,
    /// Others than the owner get some right.
    exposes: bool,
    /// The right to run is taken away.
    stops: bool,
    /// Not even the owner keeps a right.
    locks: bool,
}

impl Rights {
    fn of(mode: &str) -> Self {
        let mut rights = Self::default();
        if mode.starts_with("--") {
            return rights;
        }
        let digits = mode.strip_prefix(['+', '=']).unwrap_or(mode);
        if !digits.is_empty() && digits.len() <= 5 && digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
        {
            let bits = digits.bytes().fold(0_u32, |bits, byte| bits * 8 + u32::from(byte - b'0'));
            rights.world_writable = bits & 0o002 != 0;
            rights.set_uid = bits & 0o4000 != 0;
            rights.exposes = bits & 0o077 != 0;
            rights.stops = bits & 0o111 == 0;
            rights.locks = bits & 0o700 == 0;
            return rights;
        }
        for clause in mode.split(',') {
            let who = clause.bytes().take_while(|byte| b"ugoa".contains(byte)).count();
            let (who, what) = clause.split_at(who);
            let others = who.contains(['o', 'a']);
            let mut grants = false;
            for character in what.chars() {
                match character {
                    '+' | '=' => grants = true,
                    '-' => grants = false,
                    // Without saying whose, the umask keeps others out.
                    'w' if grants => rights.world_writable |= others,
                    's' if grants => rights.set_uid |= who.is_empty() || who.contains(['u', 'a']),
                    'x' if !grants => rights.stops = true,
                    _ => {}
                }
                if grants && character.is_ascii_alphabetic() {
                    rights.exposes |= who.contains(['g', 'o', 'a']) || who.is_empty() && character == 'r';
                }
            }
        }
        rights
    }
}

/// Judges whose rights are changed, whatever they become.
fn target_of(scene: &mut Scene<'_, '_>, target: &Arg, recursive: bool) {
    let place = scene.place(target);
    if is_great(scene, &place, recursive) {
        scene.case.hold(&GREAT, target.to_string());
    } else if scene.call.elsewhere.is_none() && scene.ward(&place).is_some_and(Ward::is_own) {
        scene.touch_place(&place, Access::Write, target.text());
    }
}

fn is_great(scene: &Scene<'_, '_>, place: &Place, recursive: bool) -> bool {
    if scene.call.elsewhere.is_some() {
        return recursive && place.is_root();
    }
    let place = &*place.swept();
    if place.is_floating() {
        return false;
    }
    let world = scene.case.world;
    let whole = place.is_root()
        || world.home.is_some_and(|home| place.holds(home))
        || place.holds(world.root) && place.after(world.root).is_none()
        || ["/home", "/Users", "/root", "/var", "/opt", "/srv", "/usr/local", "/run"]
            .iter()
            .any(|dir| place.after(dir) == Some(""));
    let guarded = match scene.ward(place) {
        Some(Ward::System | Ward::Accounts | Ward::Disk | Ward::Schedule) => true,
        Some(Ward::Secret) => place.after("/etc").is_some(),
        _ => place.after("/run/docker.sock").is_some(),
    };
    recursive && whole || guarded
}

fn setfacl(scene: &mut Scene<'_, '_>) {
    let taking =
        Taking { short: "mxMX", long: &["modify", "remove", "modify-file", "remove-file", "restore", "set"] };
    let options = scene.options(&taking);
    let entry = options.value('m', "modify").unwrap_or_default();
    let opens = entry.split(',').any(|entry| {
        let mut fields = entry.split(':');
        matches!(fields.next(), Some("o" | "other"))
            && fields.next_back().is_some_and(|rights| rights.contains('w'))
    });
    if opens {
        scene.hold(&WORLD_WRITABLE);
    }
    let recursive = options.has('R', "recursive");
    for target in &options.operands {
        target_of(scene, target, recursive);
    }
}

/// Capabilities that are as good as root's rights.
static MIGHTY: &[&str] =
    &["setuid", "setgid", "sys_admin", "dac_", "sys_ptrace", "sys_module", "chown", "fowner", "all"];

fn setcap(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    if args.iter().any(|arg| arg.text().contains('=') || arg.text().contains('+'))
        && args.iter().any(|arg| {
            MIGHTY.iter().any(|cap| arg.text().contains(&format!("cap_{cap}")) || arg.is("all=ep"))
        })
    {
        scene.hold(&SET_UID);
    }
    for target in args.iter().filter(|arg| !arg.text().starts_with('-') && !arg.text().contains('=')) {
        target_of(scene, target, false);
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("777", true, false)]
    #[case("0777", true, false)]
    #[case("666", true, false)]
    #[case("1777", true, false)]
    #[case("755", false, false)]
    #[case("2775", false, false)]
    #[case("4755", false, true)]
    #[case("a+rwx", true, false)]
    #[case("o+w", true, false)]
    #[case("ugo+rwx", true, false)]
    #[case("a=rwx", true, false)]
    #[case("u+x,o=rw", true, false)]
    #[case("+w", false, false)]
    #[case("+x", false, false)]
    #[case("o-w", false, false)]
    #[case("go-rwx", false, false)]
    #[case("u+s", false, true)]
    #[case("+s", false, true)]
    #[case("g+s", false, false)]
    fn modes(#[case] mode: &str, #[case] world_writable: bool, #[case] set_uid: bool) {
        let rights = Rights::of(mode);
        assert_eq!((rights.world_writable, rights.set_uid), (world_writable, set_uid));
    }
}
