//! Containers and virtual machines: what throws away their data, and what lets a container out.

use crate::case::Case;
use crate::invocation::{Arg, Invocation, UNKNOWN};
use crate::options::{Options, Order, Taking};
use crate::packs::publishing::PUBLISH;
use crate::packs::shape::{Tool, disarms, fits, has, held, is_unknown, matches};
use crate::verdict::{Hold, Rule};
use crate::walk::excerpt;

/// Holds what clears away all at once.
pub(crate) static PRUNE: Rule = Rule {
    id: "docker.prune",
    hold: Hold::Ask,
    reason: "removes every container, image, network or volume that is not in use right now",
    safer: "remove what you made by its name",
};

/// Holds what removes volumes.
pub(crate) static VOLUMES: Rule = Rule {
    id: "docker.remove-volume",
    hold: Hold::Ask,
    reason: "deletes volumes with the data in them",
    safer: "leave the volumes: `docker compose down` without -v",
};

/// Holds what removes a list that only turns out when it runs.
pub(crate) static REMOVE_ALL: Rule = Rule {
    id: "docker.remove-all",
    hold: Hold::Ask,
    reason: "removes containers or images by a list that nobody has seen",
    safer: "remove them by their names",
};

/// Holds what takes parts of a swarm away.
pub(crate) static SWARM: Rule = Rule {
    id: "docker.remove-service",
    hold: Hold::Ask,
    reason: "takes a stack, a service or a node out of a swarm",
    safer: "",
};

/// Holds containers that can reach the machine they run on.
pub(crate) static HOST: Rule = Rule {
    id: "docker.host-access",
    hold: Hold::Ask,
    reason: "starts a container that can change or read the machine itself",
    safer: "mount only the directory that the container needs",
};

/// Holds what deletes virtual machines.
pub(crate) static MACHINE: Rule = Rule {
    id: "docker.remove-machine",
    hold: Hold::Ask,
    reason: "deletes a virtual machine with its disk",
    safer: "stop it instead",
};

pub(crate) static DOCKER: Tool = Tool::new(&[
    held("system prune|reset", &PRUNE),
    held("volume prune|rm|remove", &VOLUMES),
    held("container|network|pod prune", &PRUNE),
    held("image|builder|buildx prune", &PRUNE).when("-a|--all"),
    held("machine rm|reset", &MACHINE),
    held("swarm leave", &SWARM).when("-f|--force"),
    held("stack rm|remove|down", &SWARM),
    held("service|node|secret|config rm|remove", &SWARM),
    held("push", &PUBLISH),
    held("image|manifest|plugin push", &PUBLISH),
    held("build", &PUBLISH).when("--push"),
    held("buildx|image|builder build|bake", &PUBLISH).when("--push"),
    held("rm", &VOLUMES).when("-v|--volumes"),
    held("container rm", &VOLUMES).when("-v|--volumes"),
])
.taking(
    "cHl",
    &[
        "context",
        "config",
        "host",
        "log-level",
        "tlscacert",
        "tlscert",
        "tlskey",
        "url",
        "connection",
        "root",
    ],
)
.also(|call, read, case| {
    if matches("compose", &read.operands) {
        let inner = Invocation { argv: call.args()[read.first..].to_vec(), ..call.clone() };
        COMPOSE.judge(&inner, case);
    }
    removal(call, read, case);
    started(call, read, case);
});

pub(crate) static COMPOSE: Tool = Tool::code(|call, _, case| {
    const GLOBAL: Taking = Taking {
        short: "fp",
        long: &[
            "file",
            "project-name",
            "profile",
            "env-file",
            "project-directory",
            "ansi",
            "parallel",
            "progress",
        ],
    };
    // `-f` names a file before the subcommand, and forces after it.
    let read = Options::read(call.args(), &GLOBAL, Order::First);
    let rest = call.args()[read.first..].iter();
    let argv = call.argv.iter().take(1).chain(rest).cloned().collect();
    // `--dry-run` is said before the subcommand.
    if read.has_long("dry-run") {
        return;
    }
    let command = Invocation { argv, ..call.clone() };
    if command.args().first().is_some_and(|word| word.is("run")) {
        DOCKER.judge(&command, case);
    }
    COMPOSE_COMMAND.judge(&command, case);
});

static COMPOSE_COMMAND: Tool = Tool::new(&[
    held("down|rm", &VOLUMES).when("-v|--volumes"),
    held("down", &VOLUMES).when("--rmi=all"),
    held("push", &PUBLISH),
    held("build", &PUBLISH).when("--push"),
    held("volumes rm|prune", &VOLUMES),
])
.taking("", &["rmi", "timeout"]);

/// `docker rm -f $(docker ps -aq)`, or the same through `xargs`.
fn removal(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let containers = matches("rm|kill", &read.operands) || matches("container rm|kill", &read.operands);
    let images = matches("rmi", &read.operands) || matches("image rm", &read.operands);
    if !containers && !images || disarms(read, "--help") {
        return;
    }
    let takes_all = has(read, "-a|--all");
    let names_a_list = call.open_ended || read.operands.iter().any(|operand| is_unknown(operand));
    if takes_all || names_a_list && (images || has(read, "-f|--force")) {
        case.hold(&REMOVE_ALL, call.shown());
    }
}

/// The options with a value of what starts a program in a container: `run`, `create` and `exec`, also of compose and of kubectl. What is
/// not in it is an option without one.
const STARTING: Taking = Taking {
    short: "acehlmpuvw",
    long: &[
        "add-host",
        "annotation",
        "attach",
        "blkio-weight",
        "cap-add",
        "cap-drop",
        "cgroup-parent",
        "cgroupns",
        "cidfile",
        "container",
        "context",
        "cpu-shares",
        "cpus",
        "cpuset-cpus",
        "detach-keys",
        "device",
        "dns",
        "dns-search",
        "domainname",
        "entrypoint",
        "env",
        "env-file",
        "expose",
        "file",
        "filename",
        "gpus",
        "group-add",
        "health-cmd",
        "health-interval",
        "hostname",
        "image",
        "index",
        "ip",
        "ipc",
        "isolation",
        "kubeconfig",
        "label",
        "label-file",
        "link",
        "log-driver",
        "log-opt",
        "mac-address",
        "memory",
        "memory-swap",
        "mount",
        "name",
        "namespace",
        "net",
        "network",
        "network-alias",
        "overrides",
        "pid",
        "pids-limit",
        "platform",
        "pod",
        "profile",
        "project-directory",
        "project-name",
        "publish",
        "pull",
        "restart",
        "runtime",
        "security-opt",
        "shm-size",
        "stop-signal",
        "stop-timeout",
        "storage-opt",
        "sysctl",
        "tmpfs",
        "ulimit",
        "user",
        "userns",
        "uts",
        "volume",
        "volume-driver",
        "volumes-from",
        "workdir",
    ],
};

/// Reads the arguments behind `run`, `create` or `exec`. What comes after the image's name belongs to the program inside.
pub(crate) fn read_start(args: &[Arg]) -> Options<'_> {
    let mut given = Vec::new();
    let mut rest = args;
    // Taken out, because it would be read as short for `--detach-keys`, and swallow the next option as its value.
    while let Some(at) = rest.iter().position(|arg| arg.is("--detach")) {
        let before = Options::read(&rest[..at], &STARTING, Order::First);
        if !before.operands.is_empty() {
            break;
        }
        given.extend(before.given);
        rest = &rest[at + 1..];
    }
    let mut read = Options::read(rest, &STARTING, Order::First);
    read.first += args.len() - rest.len();
    read.given.splice(0..0, given);
    read
}

/// A container that is started with the machine in its hands.
fn started(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let words = if matches("run|create|exec", &read.operands) {
        1
    } else if matches("container run|create|exec", &read.operands) {
        2
    } else {
        return;
    };
    let args = call.args();
    let after = read.operands[words - 1];
    let at = args.iter().position(|arg| std::ptr::eq(arg, after)).map_or(args.len(), |at| at + 1);
    let read = read_start(&args[at..]);
    for given in &read.given {
        let value = given.value.unwrap_or_default();
        let reaches_out = if given.long {
            match given.name {
                "privileged" => !matches!(value, "false" | "0"),
                "pid" | "userns" | "uts" => value == "host",
                "cap-add" => {
                    fits("ALL|SYS_ADMIN|CAP_SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH", value)
                }
                "security-opt" => fits("*unconfined|*label*disable", value),
                "device" => fits(
                    "/dev/sd*|/dev/nvme*|/dev/vd*|/dev/xvd*|/dev/mem|/dev/kmem|/dev/disk*|/dev/mapper*",
                    value,
                ),
                "volume" => is_machine(value.split(':').next().unwrap_or_default(), case),
                "mount" => mount_source(value).is_some_and(|source| is_machine(source, case)),
                _ => false,
            }
        } else {
            given.name == "v" && is_machine(value.split(':').next().unwrap_or_default(), case)
        };
        if reaches_out {
            let dashes = if given.long { "--" } else { "-" };
            let shown = format!("{dashes}{} {}", given.name, value.replace(UNKNOWN, "…"));
            case.hold(&HOST, excerpt(&shown));
            return;
        }
    }
}

fn mount_source(value: &str) -> Option<&str> {
    let part = |name: &str| value.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    part("source").or_else(|| part("src"))
}

/// Says whether a directory of the machine, mounted into a container, gives the machine or the person's keys away.
fn is_machine(source: &str, case: &Case<'_>) -> bool {
    const ROOTS: &[&str] = &[
        "",
        "/etc",
        "/root",
        "/home",
        "/Users",
        "/proc",
        "/sys",
        "/dev",
        "/boot",
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/var",
        "/var/run",
        "/run",
        "/var/lib",
        "/var/lib/docker",
        "/opt",
        "/var/run/docker.sock",
        "/run/docker.sock",
        "/run/podman/podman.sock",
        "/run/containerd/containerd.sock",
        "/etc/shadow",
        "/etc/passwd",
        "/etc/sudoers",
    ];
    const PRIVATE: &[&str] = &[
        "/.ssh",
        "/.aws",
        "/.gnupg",
        "/.kube",
        "/.docker",
        "/.config",
        "/.netrc",
        "/.config/gcloud",
        "/.azure",
    ];
    if !source.starts_with(['/', '~']) {
        return false;
    }
    let source = source.trim_end_matches('/');
    if ROOTS.contains(&source) || source == "~" {
        return true;
    }
    let in_home =
        case.world.home.and_then(|home| source.strip_prefix(home)).or_else(|| source.strip_prefix('~'));
    in_home.is_some_and(|rest| rest.is_empty() || PRIVATE.contains(&rest) || rest.starts_with("/.ssh/"))
}

pub(crate) static SKOPEO: Tool =
    Tool::new(&[held("delete", &PRUNE), held("copy * docker://*", &PUBLISH), held("sync", &PUBLISH)])
        .taking("", &["authfile", "dest-creds", "src-creds", "policy"]);
pub(crate) static CRANE: Tool =
    Tool::new(&[held("push|copy|cp|tag|append|mutate", &PUBLISH), held("delete", &PRUNE)]);
pub(crate) static ORAS: Tool =
    Tool::new(&[held("push|cp|copy", &PUBLISH), held("blob|manifest push", &PUBLISH)]);
pub(crate) static KO: Tool =
    Tool::new(&[held("build|publish|apply|resolve", &PUBLISH).unless("--local|-L|--push=false")]);

pub(crate) static VAGRANT: Tool = Tool::new(&[held("destroy", &MACHINE), held("box remove", &MACHINE)]);
pub(crate) static MULTIPASS: Tool = Tool::new(&[held("delete|purge", &MACHINE)]);
pub(crate) static LIMA: Tool = Tool::new(&[held("delete|rm|factory-reset|prune", &MACHINE)]);
pub(crate) static LXC: Tool =
    Tool::new(&[held("delete|rm", &MACHINE), held("storage|image|network delete", &MACHINE)]);
pub(crate) static VIRSH: Tool =
    Tool::new(&[held("undefine|destroy|vol-delete|vol-wipe|pool-delete", &MACHINE)])
        .taking("c", &["connect"]);
pub(crate) static VBOX: Tool = Tool::new(&[held("unregistervm", &MACHINE).when("--delete|--delete-all")]);
