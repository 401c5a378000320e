//! What is protected, and from what.
//!
//! A place has at most one [`Ward`]: the reason for which it is protected. Which of reading, changing and deleting a ward forbids is one
//! table, so that the three rights cannot be confused.

use crate::invocation::UNKNOWN;
use crate::verdict::{Hold, Rule};
use crate::world::World;

use super::normal::Place;
use super::{names, own};

/// What somebody wants to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Learn what is in it.
    Read,
    /// Create it, change it, or put another in its place.
    Write,
    /// Remove it.
    Delete,
}

impl Access {
    /// Every right, with the word of the rules files for it.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Read, "read"), (Self::Write, "write"), (Self::Delete, "delete")];
}

/// The reason for which a place is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ward {
    /// A private key or credentials.
    Secret,
    /// `.env` and its relatives.
    EnvFile,
    /// What was typed, passwords among it.
    History,
    /// The table of accounts.
    Accounts,
    /// Who may log in here, and where we log in.
    Ssh,
    /// What a shell runs when it starts.
    StartFile,
    /// What runs by itself.
    Schedule,
    /// What git runs by itself.
    GitHook,
    /// The person's settings of git.
    GitSettings,
    /// The system's own files.
    System,
    /// A disk.
    Disk,
    /// The memory of the machine.
    MachineMemory,
    /// A program that people start by its name.
    Command,
    /// What a client keeps about its person: tokens, and which tools it starts.
    ClientState,
    /// Which tools a client starts.
    AgentTools,
    /// The guard's rules and settings.
    Rules,
    /// A client's registration of hooks.
    Registration,
    /// The memory and the state of Custos.
    Memory,
    /// The program.
    Program,
    /// The knowledge base.
    Knowledge,
}

static SECRET_READ: Rule = Rule {
    id: "secret.read",
    hold: Hold::Deny,
    reason: "shows or hands on a private key, a password or other credentials",
    safer: "let the program that needs the secret read it itself, or ask the person for what you need to know",
};
static SECRET_WRITE: Rule = Rule {
    id: "secret.write",
    hold: Hold::Deny,
    reason: "changes or replaces a file of keys or credentials",
    safer: "tell the person what belongs in it",
};
static SECRET_DELETE: Rule = Rule {
    id: "secret.remove",
    hold: Hold::Deny,
    reason: "removes a file of keys or credentials",
    safer: "leave it to the person",
};
static ENV_FILE: Rule = Rule {
    id: "secret.env-file",
    hold: Hold::Ask,
    reason: "reads or changes an environment file, which usually holds secrets",
    safer: "work with the example file beside it (.env.example), and tell the person which entries are needed",
};
/// Held by the judge of the commands that load such a file without showing it.
pub(crate) static SECRET_LOAD: Rule = Rule {
    id: "secret.load",
    hold: Hold::Ask,
    reason: "loads secrets into the shell, where every later command can show them",
    safer: "let the program that needs them read the file itself",
};
static HISTORY: Rule = Rule {
    id: "secret.history",
    hold: Hold::Ask,
    reason: "reads or changes the history of what the person typed, in which passwords are found",
    safer: "ask the person which command they used",
};
static ACCOUNTS: Rule = Rule {
    id: "secret.accounts",
    hold: Hold::Deny,
    reason: "reads the table of the system's accounts",
    safer: "use `id` or `getent` for a single account",
};
static MACHINE_MEMORY: Rule = Rule {
    id: "system.machine-memory",
    hold: Hold::Deny,
    reason: "reads or changes the memory of the machine",
    safer: "",
};
static SYSTEM_WRITE: Rule = Rule {
    id: "system.write",
    hold: Hold::Deny,
    reason: "changes files of the operating system",
    safer: "put the file into the project and tell the person where it should go",
};
static DISK: Rule = Rule {
    id: "disk.overwrite",
    hold: Hold::Deny,
    reason: "writes over a disk or a partition",
    safer: "write to an image file in the project",
};
static DISK_READ: Rule = Rule {
    id: "disk.read",
    hold: Hold::Ask,
    reason: "reads a disk past its file system, where no file is protected",
    safer: "read the file that you need by its name",
};
static SSH: Rule = Rule {
    id: "persist.ssh",
    hold: Hold::Deny,
    reason: "changes who may log in over SSH, or where SSH connects to",
    safer: "tell the person which line belongs in it",
};
static START_FILE: Rule = Rule {
    id: "persist.start-file",
    hold: Hold::Ask,
    reason: "changes what runs whenever a shell or a session starts",
    safer: "set the variable for the one command, or put it into a script of the project",
};
static SCHEDULE: Rule = Rule {
    id: "persist.schedule",
    hold: Hold::Ask,
    reason: "makes something run by itself, also after this session",
    safer: "run it once, in the foreground",
};
static COMMAND: Rule = Rule {
    id: "persist.command",
    hold: Hold::Ask,
    reason: "puts a program of its own under the name of one that everybody runs",
    safer: "give it a name of its own",
};
static CLIENT_STATE: Rule = Rule {
    id: "secret.client-state",
    hold: Hold::Ask,
    reason: "reads a file in which an agent's program keeps its tokens",
    safer: "ask the person for what you need to know",
};
static GIT_HOOK: Rule = Rule {
    id: "persist.git-hook",
    hold: Hold::Ask,
    reason: "changes what git runs by itself, or its settings, past git",
    safer: "use `git config` for settings, and the project's own way of installing hooks",
};
static GIT_SETTINGS: Rule = Rule {
    id: "persist.git-settings",
    hold: Hold::Ask,
    reason: "changes the person's settings of git for all repositories",
    safer: "use `git config --local` in this repository",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] = &[
    &SECRET_READ,
    &SECRET_WRITE,
    &SECRET_DELETE,
    &ENV_FILE,
    &SECRET_LOAD,
    &HISTORY,
    &ACCOUNTS,
    &MACHINE_MEMORY,
    &SYSTEM_WRITE,
    &DISK,
    &DISK_READ,
    &SSH,
    &START_FILE,
    &SCHEDULE,
    &COMMAND,
    &CLIENT_STATE,
    &GIT_HOOK,
    &GIT_SETTINGS,
];

impl Ward {
    /// The rule that forbids this use, if one does.
    pub(crate) fn rule(self, access: Access) -> Option<&'static Rule> {
        Some(match (self, access) {
            (Self::Secret, Access::Read) => &SECRET_READ,
            (Self::Secret, Access::Write) => &SECRET_WRITE,
            (Self::Secret, Access::Delete) => &SECRET_DELETE,
            (Self::EnvFile, _) => &ENV_FILE,
            (Self::History, _) => &HISTORY,
            (Self::MachineMemory, _) => &MACHINE_MEMORY,
            (Self::Accounts, Access::Read) => &ACCOUNTS,
            (Self::Disk, Access::Read) => &DISK_READ,
            (Self::ClientState, Access::Read) => &CLIENT_STATE,
            // All others may be read; and who removes a program puts nothing in its place.
            (_, Access::Read) | (Self::Command, Access::Delete) => return None,
            (Self::Disk, Access::Write) => &DISK,
            // To remove a device file is a change of the system, not of the disk.
            (Self::Accounts | Self::System | Self::Disk, _) => &SYSTEM_WRITE,
            (Self::Ssh, _) => &SSH,
            (Self::StartFile, _) => &START_FILE,
            (Self::Schedule, _) => &SCHEDULE,
            (Self::Command, Access::Write) => &COMMAND,
            (Self::AgentTools, _) => &crate::judge::own::AGENT_SETTINGS,
            (Self::GitHook, _) => &GIT_HOOK,
            (Self::GitSettings, _) => &GIT_SETTINGS,
            (Self::Rules, _) => &own::RULES_FILE,
            (Self::Registration | Self::ClientState, _) => &own::REGISTRATION,
            (Self::Memory, _) => &own::MEMORY,
            (Self::Program, _) => &own::PROGRAM,
            (Self::Knowledge, _) => &own::KNOWLEDGE,
        })
    }

    /// Says whether it protects what is in the file, not only the file.
    pub(crate) fn is_secret(self) -> bool {
        matches!(self, Self::Secret | Self::EnvFile)
    }

    /// Says whether it is one of Custos's own.
    pub(crate) fn is_own(self) -> bool {
        matches!(self, Self::Rules | Self::Registration | Self::Memory | Self::Program | Self::Knowledge)
    }
}

/// Finds the reason for which a place is protected.
pub(crate) fn ward(place: &Place, world: &World<'_>) -> Option<Ward> {
    own::own(place, world)
        .or_else(|| names::by_name(place, world))
        .or_else(|| by_location(place))
        .or_else(|| is_command(place, world).then_some(Ward::Command))
}

/// Programs that a person or an agent starts without looking. Sorted.
static COMMANDS: &[&str] = &[
    "bash", "cat", "claude", "codex", "copilot", "docker", "find", "gemini", "gh", "git", "grep", "kubectl",
    "ls", "node", "npm", "opencode", "python3", "rm", "sh", "ssh", "sudo",
];

/// Says whether it is a known program's name in a directory of the search path that people may write to.
fn is_command(place: &Place, world: &World<'_>) -> bool {
    if place.is_floating() || COMMANDS.binary_search(&place.name()).is_err() {
        return false;
    }
    let directory = place.parent();
    let is = |dir: &str| directory.after(dir) == Some("");
    ["/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"].into_iter().any(is)
        || world
            .home
            .and_then(|home| directory.after(home))
            .is_some_and(|rest| [".local/bin", "bin", ".cargo/bin", "go/bin"].contains(&rest))
}

/// Directories of the system in which nothing is an agent's to change. `/usr/local` and `/opt` are where people put their own.
static SYSTEM: &[&str] = &[
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
    "/Library",
    "/var/lib",
    "/var/spool",
    "/efi",
    "/run/systemd",
];

fn by_location(place: &Place) -> Option<Ward> {
    if place.is_floating() {
        return None;
    }
    if place.is_root() {
        return Some(Ward::System);
    }
    if let Some(rest) = place.after("/etc") {
        return Some(in_etc(place, rest));
    }
    if let Some(rest) = place.after("/dev") {
        return device(rest);
    }
    if let Some(rest) = place.after("/proc") {
        return process(rest);
    }
    if place.is_below("/run/secrets") {
        return Some(Ward::Secret);
    }
    if place.is_below("/var/spool/cron") || place.after("/Library/LaunchDaemons").is_some() {
        return Some(Ward::Schedule);
    }
    if place.after("/usr/local").is_some() {
        return None;
    }
    SYSTEM.iter().any(|dir| place.after(dir).is_some()).then_some(Ward::System)
}

fn in_etc(place: &Place, rest: &str) -> Ward {
    let (first, inner) = rest.split_once('/').unwrap_or((rest, ""));
    let means = |name: &str| !super::glob::sweeps(first) && place.means(first, name);
    if ["passwd", "passwd-", "master.passwd"].into_iter().any(means) {
        return Ward::Accounts;
    }
    let secret =
        ["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "krb5.keytab", "wireguard"];
    let host_key =
        first == "ssh" && inner.starts_with("ssh_host_") && inner.rsplit('.').next() != Some("pub");
    if secret.into_iter().any(means) || host_key || first == "ssl" && inner.starts_with("private") {
        return Ward::Secret;
    }
    Ward::System
}

/// Devices that a program may write to without harm, by the beginning of their names.
static HARMLESS_DEVICES: &[&str] = &[
    "null",
    "zero",
    "full",
    "random",
    "urandom",
    "stdin",
    "stdout",
    "stderr",
    "tty",
    "fd",
    "pts",
    "ptmx",
    "shm",
    "console",
    "tcp",
    "udp",
    "net",
    "dri",
    "snd",
    "video",
    "cu.",
    "clipboard",
    "mqueue",
];
static DISKS: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "mapper", "md", "loop", "sr", "nbd",
    "zd", "ram",
];

fn device(rest: &str) -> Option<Ward> {
    let first = rest.split('/').next().unwrap_or_default();
    if ["mem", "kmem", "port"].contains(&first) {
        return Some(Ward::MachineMemory);
    }
    if HARMLESS_DEVICES.iter().any(|known| first.starts_with(known)) || first.starts_with(UNKNOWN) {
        return None;
    }
    Some(if DISKS.iter().any(|known| first.starts_with(known)) { Ward::Disk } else { Ward::System })
}

fn process(rest: &str) -> Option<Ward> {
    let (first, inner) = rest.split_once('/').unwrap_or((rest, ""));
    let last = inner.rsplit('/').next().unwrap_or_default();
    match last {
        "environ" => Some(Ward::Secret),
        "mem" => Some(Ward::MachineMemory),
        _ if first == "kcore" => Some(Ward::MachineMemory),
        _ if inner.starts_with("fd") => None,
        _ => Some(Ward::System),
    }
}
