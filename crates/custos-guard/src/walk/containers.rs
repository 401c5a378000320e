//! Commands that run in a container or a pod. Their paths are not ours, unless the host's are mounted.

use crate::invocation::{Arg, Elsewhere, Invocation, UNKNOWN};
use crate::options::{Options, Order, Taking};
use crate::packs::docker::read_start;
use crate::walk::Walk;
use crate::walk::carriers::bare;
use crate::walk::scope::Scope;

/// Opens the command of `docker run`, `docker exec`, `docker compose exec`, `kubectl exec`.
pub(crate) fn visit(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let is_kubectl = matches!(call.program(), "kubectl" | "k" | "oc" | "k3s" | "microk8s" | "minikube");
    if !is_kubectl
        && !matches!(call.program(), "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose")
    {
        return;
    }
    // `podman unshare cmd` only changes the name space.
    if let [first, rest @ ..] = call.args()
        && first.is("unshare")
        && !rest.is_empty()
    {
        walk.nested(Invocation { argv: rest.to_vec(), ..bare(call) }, scope);
        return;
    }
    let globals = Taking {
        short: if is_kubectl { "nscf" } else { "cHlfp" },
        long: &[
            "context",
            "config",
            "host",
            "log-level",
            "namespace",
            "kubeconfig",
            "cluster",
            "user",
            "server",
            "file",
            "project-name",
            "profile",
            "project-directory",
            "env-file",
        ],
    };
    let args = call.args();
    let mut at = 0;
    let mut words = Vec::new();
    // The subcommand: `run`, `exec`, `container run`, `compose -f x exec`.
    while words.len() < 3 {
        let Some(rest) = args.get(at..) else { break };
        let options = Options::read(rest, &globals, Order::First);
        let Some(word) = options.operands.first().and_then(|arg| arg.known()) else { return };
        at += options.first + 1;
        words.push(word);
        if matches!(word, "run" | "exec" | "create" | "debug") || word == "rsh" && is_kubectl {
            break;
        }
        if !matches!(word, "compose" | "container" | "kubectl") {
            return;
        }
    }
    let Some(rest) = args.get(at..) else { return };
    let options = read_start(rest);
    // Options of kubectl may also stand behind the name of the pod.
    let dashes = rest.iter().position(|arg| arg.is("--")).filter(|_| is_kubectl);
    let mut argv: Vec<Arg> = match dashes {
        Some(dashes) => rest[dashes + 1..].to_vec(),
        None => options.operands.iter().skip(1).map(|arg| (*arg).clone()).collect(),
    };
    if argv.first().is_some_and(|arg| arg.is("--")) {
        argv.remove(0);
    }
    if let Some(entry) = options.value('\0', "entrypoint") {
        argv.insert(0, Arg::new(entry));
    }
    let mounts = host_mounts(&options);
    if argv.is_empty() {
        return;
    }
    let joins_pod = is_kubectl && words.iter().any(|word| matches!(*word, "exec" | "rsh"));
    let elsewhere = Some(if joins_pod { Elsewhere::Pod } else { Elsewhere::Container });
    let inner = Invocation { argv, elsewhere, cwd: None, stdin: call.stdin.clone(), ..bare(call) };
    walk.nested(inner.clone(), scope);
    // Where a host directory is mounted, a path in the container is one of ours.
    for (host, inside) in mounts.iter().take(8) {
        let ours = |arg: &Arg| {
            let text = arg.text();
            match text.strip_prefix(inside.as_str()) {
                Some(below) if inside != "/" && (below.is_empty() || below.starts_with('/')) => {
                    let path = format!("{}{below}", host.trim_end_matches('/'));
                    let path = if path.is_empty() { "/".to_owned() } else { path };
                    if arg.is_glob() { Arg::glob(path) } else { Arg::new(path) }
                }
                _ => match text.replace(inside.as_str(), host) {
                    // A script in one word: `sh -c 'rm -rf /host/etc'`.
                    replaced if text.contains(' ') && inside.len() > 1 => Arg::new(replaced),
                    _ => arg.clone(),
                },
            }
        };
        let argv: Vec<Arg> = inner.argv.iter().map(ours).collect();
        if argv != inner.argv {
            let here = Invocation { argv, elsewhere: None, cwd: call.cwd.clone(), ..inner.clone() };
            let mut own = scope.clone();
            own.elsewhere = None;
            walk.nested(here, &own);
        }
    }
}

/// The host's directories that are mounted, and where.
fn host_mounts(options: &Options<'_>) -> Vec<(String, String)> {
    let mut mounts = Vec::new();
    for given in &options.given {
        let Some(value) = given.value else { continue };
        if given.means('v', "volume") {
            let mut parts = value.split(':');
            if let (Some(host), Some(inside)) = (parts.next(), parts.next())
                && (host.starts_with(['/', '.', '~']) || host.starts_with(UNKNOWN))
            {
                mounts.push((host.to_owned(), inside.to_owned()));
            }
        } else if given.name == "mount" {
            let field = |names: &[&str]| {
                value.split(',').find_map(|pair| {
                    let (name, value) = pair.split_once('=')?;
                    names.contains(&name).then(|| value.to_owned())
                })
            };
            if let (Some(host), Some(inside)) =
                (field(&["source", "src"]), field(&["target", "dst", "destination"]))
            {
                mounts.push((host, inside));
            }
        }
    }
    mounts
}
