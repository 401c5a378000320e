//! The machine as a whole: its power, services, users, packages, firewall, timetable.
//!
//! What files such a program touches is judged elsewhere; here it is what the deed does to everybody on the machine. Everyday neighbours
//! stay silent: asking a service how it is, stopping one's own process, installing a package.

mod processes;
#[cfg(test)]
mod tests;

pub(crate) use processes::process_names;

use crate::case::Case;
use crate::invocation::{Arg, Invocation};
use crate::packs::shape::{self, Programs, Tool, disarms, fits, free, held};
use crate::verdict::{Hold, Rule};

/// Holds what turns the machine off.
pub(crate) static POWER: Rule = Rule {
    id: "system.power",
    hold: Hold::Deny,
    reason: "shuts the machine down, restarts it or puts it to sleep",
    safer: "leave that to the person",
};

/// Holds what ends everything that runs.
pub(crate) static KILL_ALL: Rule = Rule {
    id: "system.kill-all",
    hold: Hold::Deny,
    reason: "ends every process, or one that the machine cannot do without",
    safer: "end the process you mean by its id or its full name",
};

/// Holds what stops services.
pub(crate) static SERVICE: Rule = Rule {
    id: "system.service",
    hold: Hold::Ask,
    reason: "stops or disables a service of the machine",
    safer: "look at it with `systemctl status`",
};

/// Holds what changes accounts.
pub(crate) static ACCOUNTS: Rule = Rule {
    id: "system.accounts",
    hold: Hold::Ask,
    reason: "changes users, groups, passwords or who may become root",
    safer: "",
};

/// Holds what opens a shell of another user.
pub(crate) static ROOT_SHELL: Rule = Rule {
    id: "system.root-shell",
    hold: Hold::Ask,
    reason: "opens a shell with another user's rights, in which nothing is judged any more",
    safer: "run the one command that needs it with sudo",
};

/// Holds what changes the kernel.
pub(crate) static KERNEL: Rule = Rule {
    id: "system.kernel",
    hold: Hold::Ask,
    reason: "changes the running kernel, its modules, its swap or how the machine boots",
    safer: "",
};

/// Holds what changes the firewall or the network.
pub(crate) static FIREWALL: Rule = Rule {
    id: "system.network",
    hold: Hold::Ask,
    reason: "changes the machine's network or firewall, possibly cutting it off",
    safer: "",
};

/// Holds what takes protection away.
pub(crate) static PROTECTION: Rule = Rule {
    id: "system.protection",
    hold: Hold::Ask,
    reason: "switches off a protection of the machine",
    safer: "find out what it forbids and change just that",
};

/// Holds what changes the timetable.
pub(crate) static SCHEDULE: Rule = Rule {
    id: "system.schedule",
    hold: Hold::Ask,
    reason: "replaces or removes what runs at set times",
    safer: "show the present entries with `crontab -l` and propose the new ones",
};

/// Holds what removes installed software.
pub(crate) static PACKAGES: Rule = Rule {
    id: "system.packages",
    hold: Hold::Ask,
    reason: "removes software from the machine, with all that depends on it",
    safer: "simulate it first (`apt-get -s remove`)",
};

/// Holds what removes traces.
pub(crate) static TRACES: Rule = Rule {
    id: "system.traces",
    hold: Hold::Ask,
    reason: "removes logs or backups, or the history of what was done",
    safer: "",
};

/// Holds what changes settings of the whole machine.
pub(crate) static SETTINGS: Rule = Rule {
    id: "system.settings",
    hold: Hold::Ask,
    reason: "changes settings of the machine or of the person's desktop",
    safer: "",
};

/// The rules of this judge.
pub(crate) static RULES: &[&Rule] = &[
    &POWER,
    &KILL_ALL,
    &SERVICE,
    &ACCOUNTS,
    &ROOT_SHELL,
    &KERNEL,
    &FIREWALL,
    &PROTECTION,
    &SCHEDULE,
    &PACKAGES,
    &TRACES,
    &SETTINGS,
];

/// Judges what a call does to the machine.
pub(crate) fn judge(call: &Invocation, case: &mut Case<'_>) {
    shape::judge(PROGRAMS, call, case);
}

static PROGRAMS: &Programs = &[
    ("aa-disable", &PROTECTS),
    ("aa-teardown", &PROTECTS),
    ("addgroup", &ACCOUNT),
    ("adduser", &ACCOUNT),
    ("apk", &APK),
    ("apt", &APT),
    ("apt-get", &APT),
    ("aptitude", &APT),
    ("auditctl", &AUDITCTL),
    ("bash", &processes::SHELL),
    ("bless", &BOOTING),
    ("bootctl", &BOOTCTL),
    ("chpasswd", &ACCOUNT),
    ("chsh", &ACCOUNT),
    ("crontab", &CRONTAB),
    ("csrutil", &CSRUTIL),
    ("dash", &processes::SHELL),
    ("date", &DATE),
    ("defaults", &DEFAULTS),
    ("delgroup", &ACCOUNT),
    ("deluser", &ACCOUNT),
    ("dnf", &DNF),
    ("doas", &processes::BECOME),
    ("dpkg", &DPKG),
    ("dscl", &DSCL),
    ("dseditgroup", &DSCL),
    ("efibootmgr", &EFIBOOTMGR),
    ("emerge", &EMERGE),
    ("fdesetup", &FDESETUP),
    ("firewall-cmd", &FIREWALL_CMD),
    ("fish", &processes::SHELL),
    ("gpasswd", &ACCOUNT),
    ("groupadd", &ACCOUNT),
    ("groupdel", &ACCOUNT),
    ("groupmod", &ACCOUNT),
    ("grub-install", &BOOTING),
    ("halt", &POWERING),
    ("history", &HISTORY),
    ("hostnamectl", &SETTER),
    ("ifconfig", &IFCONFIG),
    ("init", &INIT),
    ("initctl", &SERVICE_VERB),
    ("insmod", &MODULES),
    ("ip", &IP),
    ("ip6tables", &IPTABLES),
    ("iptables", &IPTABLES),
    ("iptables-restore", &RESTORES_FIREWALL),
    ("journalctl", &JOURNALCTL),
    ("kexec", &BOOTING),
    ("kill", &processes::KILL),
    ("killall", &processes::KILLALL),
    ("killall5", &processes::KILLALL5),
    ("ksh", &processes::SHELL),
    ("launchctl", &LAUNCHCTL),
    ("loginctl", &LOGINCTL),
    ("modprobe", &MODULES),
    ("networksetup", &NETWORKSETUP),
    ("newusers", &ACCOUNT),
    ("nft", &NFT),
    ("nmcli", &NMCLI),
    ("npm", &NPM),
    ("nvram", &NVRAM),
    ("pacman", &PACMAN),
    ("paru", &PACMAN),
    ("passwd", &ACCOUNT),
    ("pfctl", &PFCTL),
    ("pip", &PIP),
    ("pip3", &PIP),
    ("pkexec", &processes::BECOME),
    ("pkill", &processes::PKILL),
    ("pmset", &PMSET),
    ("poweroff", &POWERING),
    ("profiles", &PROFILES),
    ("rc-service", &SERVICE_VERB),
    ("rc-update", &RC_UPDATE),
    ("reboot", &POWERING),
    ("rmmod", &MODULES),
    ("rpm", &RPM),
    ("rtcwake", &POWERING),
    ("scutil", &SCUTIL),
    ("service", &SERVICE_VERB),
    ("setenforce", &SETENFORCE),
    ("sh", &processes::SHELL),
    ("shutdown", &POWERING),
    ("skill", &processes::PKILL),
    ("snap", &SNAP),
    ("spctl", &SPCTL),
    ("su", &processes::BECOME),
    ("sudo", &processes::BECOME),
    ("swapoff", &SWAP),
    ("sysadminctl", &SYSADMINCTL),
    ("sysctl", &SYSCTL),
    ("systemctl", &SYSTEMCTL),
    ("systemsetup", &NETWORKSETUP),
    ("tccutil", &TCCUTIL),
    ("telinit", &INIT),
    ("timedatectl", &SETTER),
    ("tmutil", &TMUTIL),
    ("ufw", &UFW),
    ("update-grub", &BOOTING),
    ("useradd", &ACCOUNT),
    ("userdel", &ACCOUNT),
    ("usermod", &ACCOUNT),
    ("vigr", &ACCOUNT),
    ("vipw", &ACCOUNT),
    ("visudo", &ACCOUNT),
    ("xattr", &XATTR),
    ("xbps-remove", &REMOVES),
    ("yay", &PACMAN),
    ("yum", &DNF),
    ("zsh", &processes::SHELL),
    ("zypper", &DNF),
];

static POWERING: Tool = Tool::code(|call, read, case| {
    // `shutdown -h` is no cry for help.
    if !disarms(read, "--help|--version|-c|-w|--wtmp-only|--show") {
        case.hold(&POWER, call.shown());
    }
})
.taking("tgmsd", &["mode", "date", "seconds"]);
static INIT: Tool = Tool::new(&[held("0|1|6|s", &POWER)]);

static SYSTEMCTL: Tool = Tool::new(&[
    held("reboot|poweroff|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|emergency|rescue|exit", &POWER),
    held("isolate|set-default|default", &SERVICE),
    held("stop|disable|mask|kill|revert|link", &SERVICE).unless("--user"),
])
.taking("HMnopstP", &["host", "machine", "lines", "output", "property", "signal", "type", "state", "root", "job-mode", "what", "kill-whom"]);
static SERVICE_VERB: Tool =
    Tool::new(&[held("* stop|--full-restart|zap", &SERVICE), held("stop *", &SERVICE)]);
static RC_UPDATE: Tool = Tool::new(&[held("del|delete", &SERVICE)]);
static LOGINCTL: Tool = Tool::new(&[
    held("terminate-user|terminate-session|terminate-seat|kill-user|kill-session", &KILL_ALL),
    held("poweroff|reboot|suspend|hibernate", &POWER),
]);

static ACCOUNT: Tool =
    Tool::new(&[held("", &ACCOUNTS)]).disarmed_by("-S|--status|-c|--check|-l|--list-shells");

static SYSCTL: Tool =
    Tool::new(&[held("", &KERNEL).when("-w|--write|-p|--load|--system"), held("*=*", &KERNEL)])
        .taking("r", &["pattern"]);
static MODULES: Tool =
    Tool::new(&[held("", &KERNEL)]).disarmed_by("-n|-c|--showconfig|--show-depends|-D|--resolve-alias|-V");
static SWAP: Tool = Tool::new(&[held("", &KERNEL)]);
static BOOTING: Tool = Tool::new(&[held("", &KERNEL)]).disarmed_by("--info|--getBoot");
static BOOTCTL: Tool = Tool::new(&[held("install|remove|set-default|unlink|cleanup", &KERNEL)]);
static EFIBOOTMGR: Tool =
    Tool::new(&[held("", &KERNEL).when("-B|--delete-bootnum|-o|--bootorder|-c|--create|-O|-n|-b")])
        .taking("bondpLlegt", &["bootnum", "bootorder", "disk", "part"]);

static IPTABLES: Tool = Tool::new(&[held("", &FIREWALL)])
    .disarmed_by("-L|-S|-C|--list|--list-rules|--check|-V")
    .taking("t", &["table"]);
static RESTORES_FIREWALL: Tool = Tool::new(&[held("", &FIREWALL)]).disarmed_by("-t|--test");
static NFT: Tool =
    Tool::new(&[held("flush|delete|destroy|reset", &FIREWALL), held("", &FIREWALL).when("-f|--file")])
        .taking("fI", &["file"])
        .disarmed_by("-c|--check");
static UFW: Tool = Tool::new(&[
    held("disable|reset|enable|default", &FIREWALL),
    held("delete|allow|deny|insert|route", &FIREWALL),
]);
static PFCTL: Tool = Tool::new(&[held("", &FIREWALL).when("-d|-F|-f")]).taking("Ff", &[]);
static FIREWALL_CMD: Tool = Tool::code(|call, read, case| {
    let changes = |name: &str| fits("panic-on|remove-*|add-*|set-*|complete-reload|delete-*|new-*", name);
    if read.given.iter().any(|given| given.long && changes(given.name)) {
        case.hold(&FIREWALL, call.shown());
    }
});
static IP: Tool = Tool::code(|call, read, case| {
    let words: Vec<&str> = read.operands.iter().map(|operand| operand.text()).collect();
    let takes_away = match words.as_slice() {
        ["link" | "l", "set", rest @ ..] => rest.contains(&"down"),
        [
            "route" | "r" | "addr" | "address" | "a" | "link" | "l" | "rule" | "neigh" | "netns" | "tunnel",
            verb,
            ..,
        ] => fits("flush|del|delete|d", verb),
        _ => false,
    };
    if takes_away {
        case.hold(&FIREWALL, call.shown());
    }
})
.taking("fn", &["family", "netns"]);
static IFCONFIG: Tool = Tool::new(&[held("* down|delete|-alias", &FIREWALL)]);
static NMCLI: Tool = Tool::new(&[
    held("networking|n off", &FIREWALL),
    held("radio|r * off", &FIREWALL),
    held("connection|con|c|device|dev|d delete|down|disconnect|del", &FIREWALL),
]);

static SETENFORCE: Tool = Tool::new(&[held("0|Permissive", &PROTECTION)]);
static PROTECTS: Tool = Tool::new(&[held("", &PROTECTION)]);
static AUDITCTL: Tool = Tool::new(&[held("", &PROTECTION).when("-D|-e=0")]).taking("e", &[]);

static CRONTAB: Tool = Tool::new(&[held("", &SCHEDULE)]).taking("u", &[]).disarmed_by("-l|-T|-V");

static APT: Tool = Tool::new(&[held("remove|purge|autoremove|autopurge", &PACKAGES)])
    .taking("oct", &["option", "config-file", "target-release"])
    .disarmed_by("-s|--simulate|--just-print|--recon|--no-act|-d|--download-only");
static DNF: Tool = Tool::new(&[
    held("remove|erase|autoremove|rm|swap", &PACKAGES),
    held("history undo|rollback", &PACKAGES),
])
.taking("cxR", &["config", "exclude", "enablerepo", "disablerepo", "setopt", "releasever"])
.disarmed_by("--assumeno|-D");
static DPKG: Tool =
    Tool::new(&[held("", &PACKAGES).when("-r|-P|--remove|--purge|--force-all|--force-depends")])
        .disarmed_by("--no-act|--simulate");
static RPM: Tool = Tool::new(&[held("", &PACKAGES).when("-e|--erase")]).disarmed_by("--test|-q|--query");
static PACMAN: Tool = Tool::new(&[held("", &PACKAGES).when("-R|--remove")]).disarmed_by("-p|--print");
static APK: Tool = Tool::new(&[held("del", &PACKAGES)]).disarmed_by("-s|--simulate");
static EMERGE: Tool =
    Tool::new(&[held("", &PACKAGES).when("-C|--unmerge|-c|--depclean")]).disarmed_by("-p|--pretend");
static SNAP: Tool = Tool::new(&[held("remove", &PACKAGES)]);
static REMOVES: Tool = Tool::new(&[held("", &PACKAGES)]).disarmed_by("-n");

static HISTORY: Tool = Tool::new(&[held("", &TRACES).when("-c")]);
static JOURNALCTL: Tool =
    Tool::new(&[held("", &TRACES).when("--vacuum-size|--vacuum-time|--vacuum-files|--rotate")]).taking(
        "unopgSUtb",
        &["unit", "since", "until", "lines", "output", "vacuum-size", "vacuum-time", "vacuum-files"],
    );
static TMUTIL: Tool = Tool::new(&[
    held("delete|deletelocalsnapshots|thinlocalsnapshots|disable|disablelocal", &TRACES),
    held("setdestination|removedestination|addexclusion", &TRACES),
]);

static NPM: Tool = Tool::code(|call, read, case| {
    let words = match read.operands.as_slice() {
        [config, set, words @ ..] if fits("config|c", config.text()) && set.is("set") => words,
        [set, words @ ..] if set.is("set") => words,
        _ => return,
    };
    let (key, value) = match words {
        [pair] => pair.text().split_once('=').unwrap_or((pair.text(), "")),
        [key, value, ..] => (key.text(), value.text()),
        [] => return,
    };
    if fits("script-shell|node-options|shell|git", key) || fits("registry|*:registry", key) && is_open(value)
    {
        case.hold(&SETTINGS, call.shown());
    }
});
static PIP: Tool = Tool::code(|call, read, case| {
    if let [config, set, key, value, ..] = read.operands.as_slice()
        && config.is("config")
        && set.is("set")
        && (fits("*.index-url|*.extra-index-url", key.text()) && is_open(value.text())
            || fits("*.trusted-host", key.text()))
    {
        case.hold(&SETTINGS, call.shown());
    }
});

/// Says whether an address is reached without encryption, and not on this machine.
fn is_open(address: &str) -> bool {
    fits("http://*", address) && !fits("http://localhost*|http://127.*|http://[::1]*", address)
}

static SETTER: Tool = Tool::new(&[held("set-*", &SETTINGS)]);
static DATE: Tool =
    Tool::new(&[held("", &SETTINGS).when("-s|--set")]).taking("dfrsI", &["date", "file", "reference", "set"]);
static DEFAULTS: Tool = Tool::new(&[
    held("delete|delete-all", &SETTINGS),
    held("write com.apple.LaunchServices|/Library/*", &SETTINGS),
])
.one_dash();
static LAUNCHCTL: Tool = Tool::new(&[
    held("reboot", &POWER),
    held("unload|bootout|disable|remove|stop|kill|load|bootstrap|submit", &SERVICE),
]);
static CSRUTIL: Tool = Tool::new(&[held("disable|clear|authenticated-root", &PROTECTION)]);
static SPCTL: Tool =
    Tool::new(&[held("", &PROTECTION).when("--master-disable|--global-disable|--disable|--add|--remove")]);
static FDESETUP: Tool = Tool::new(&[held("disable|remove|changerecovery", &PROTECTION)]).one_dash();
static TCCUTIL: Tool = Tool::new(&[held("reset", &PROTECTION)]);
static XATTR: Tool =
    Tool::new(&[held("com.apple.quarantine", &PROTECTION).when("-d"), held("", &PROTECTION).when("-c")]);
static NVRAM: Tool = Tool::new(&[held("", &KERNEL).when("-c|-d"), held("*=*", &KERNEL)]).taking("d", &[]);
static PMSET: Tool = Tool::new(&[
    free("** noidle"),
    held("sleepnow|displaysleepnow|schedule|repeat|restoredefaults", &POWER),
    held("", &SETTINGS).when("-a|-b|-c|-u"),
])
.disarmed_by("-g");
static DSCL: Tool = Tool::code(|call, _, case| {
    let changes = |arg: &Arg| {
        fits("-create|create|-delete|delete|-append|append|-passwd|passwd|-change|-merge|edit", arg.text())
    };
    if call.args().iter().any(changes) {
        case.hold(&ACCOUNTS, call.shown());
    }
});
static SYSADMINCTL: Tool = Tool::new(&[
    held("", &ACCOUNTS).when("--deleteUser|--addUser|--resetPasswordFor|--newPassword|--guestAccount")
])
.one_dash();
static NETWORKSETUP: Tool = Tool::code(|call, read, case| {
    if read.given.iter().any(|given| fits("set*|remove*|delete*|switch*|create*", given.name)) {
        case.hold(&SETTINGS, call.shown());
    }
})
.one_dash();
static SCUTIL: Tool = Tool::new(&[held("", &SETTINGS).when("--set")]).taking("", &["set", "get"]);
static PROFILES: Tool = Tool::new(&[held("remove|delete", &PROTECTION), held("", &PROTECTION).when("-R|-D")]);
