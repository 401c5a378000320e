//! Kubernetes and what is built on it.

use crate::case::Case;
use crate::invocation::{Arg, Invocation};
use crate::options::Options;
use crate::packs::publishing::PUBLISH;
use crate::packs::shape::{Tool, disarms, fits, held, matches};
use crate::verdict::{Hold, Rule};

/// Holds what deletes.
pub(crate) static DELETE: Rule = Rule {
    id: "kubernetes.delete",
    hold: Hold::Ask,
    reason: "deletes objects in a cluster, with what runs in them and possibly their volumes",
    safer: "see what it reaches with --dry-run=server first",
};

/// Holds what takes a node or a service out of use.
pub(crate) static DRAIN: Rule = Rule {
    id: "kubernetes.drain",
    hold: Hold::Ask,
    reason: "takes what runs on a node or in a deployment out of use",
    safer: "",
};

/// Holds what sets a running release back or replaces it by force.
pub(crate) static REPLACE: Rule = Rule {
    id: "kubernetes.replace",
    hold: Hold::Ask,
    reason: "replaces what is running by something else, by force or by an older version",
    safer: "apply the change you want instead",
};

/// Holds what prints secrets.
pub(crate) static SECRET: Rule = Rule {
    id: "kubernetes.secret",
    hold: Hold::Ask,
    reason: "prints secrets or credentials of a cluster",
    safer: "name the keys with `kubectl describe secret`, which hides the values",
};

/// Holds what is deleted in a running pod.
pub(crate) static FILES: Rule = Rule {
    id: "kubernetes.files",
    hold: Hold::Ask,
    reason: "deletes a directory in a running pod, possibly on a volume that outlives it",
    safer: "look at it with `kubectl exec POD -- ls` first",
};

/// Holds what gives power over a cluster or its nodes.
pub(crate) static PRIVILEGE: Rule = Rule {
    id: "kubernetes.privilege",
    hold: Hold::Ask,
    reason: "gives somebody power over the whole cluster or a node",
    safer: "bind a role with just the rights that are needed",
};

const KUBECTL_TAKING: &[&str] = &[
    "namespace",
    "context",
    "kubeconfig",
    "cluster",
    "user",
    "server",
    "token",
    "as",
    "as-group",
    "request-timeout",
    "cache-dir",
    "certificate-authority",
    "client-certificate",
    "client-key",
    "output",
    "replicas",
    "selector",
    "filename",
    "overrides",
    "clusterrole",
];

pub(crate) static KUBECTL: Tool = Tool::new(&[
    held("delete", &DELETE),
    held("config delete-cluster|delete-context|delete-user|unset", &DELETE),
    held("apply", &DELETE).when("--prune"),
    held("drain", &DRAIN),
    held("adm drain", &DRAIN),
    held("scale", &DRAIN).when("--replicas=0"),
    held("replace", &REPLACE).when("--force"),
    held("rollout undo", &REPLACE),
    held("create clusterrolebinding", &PRIVILEGE).when("--clusterrole=cluster-admin"),
    held("adm policy", &PRIVILEGE),
    held("run|debug", &PRIVILEGE).when("--privileged|--profile=sysadmin"),
    held("debug node/*", &PRIVILEGE),
])
.taking("nslvocLk", KUBECTL_TAKING)
.also(secrets);

fn secrets(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let shows_raw_config = matches("config view", &read.operands) && disarms(read, "--raw");
    let gets_secrets = matches("get", &read.operands)
        && read.operands.iter().skip(1).any(|kinds| {
            kinds.text().split(',').any(|kind| fits("secret|secrets|secret/*|secrets/*|secret.*", kind))
        })
        && read.value('o', "output").is_some_and(|form| !fits("name|wide|custom-columns=*metadata*", form));
    if shows_raw_config || gets_secrets {
        case.hold(&SECRET, call.shown());
    }
}

/// Distributions that bring kubectl under their own name, beside what they hold themselves.
pub(crate) static LOCAL: Tool = Tool::new(&[
    held("delete|uninstall|reset", &DELETE),
    held("cluster|clusters|node|registry delete", &DELETE),
])
.taking("p", &["profile", "name"])
.also(|call, read, case| {
    if let Some((first, _)) = read.operands.split_first().filter(|(first, _)| first.is("kubectl")) {
        let args = call.args();
        let at = args.iter().position(|arg| arg == *first).unwrap_or_default();
        let rest: Vec<Arg> = args[at..].iter().filter(|arg| !arg.is("--")).cloned().collect();
        KUBECTL.judge(&Invocation { argv: rest, ..call.clone() }, case);
    }
});

pub(crate) static HELM: Tool = Tool::new(&[
    held("uninstall|delete|del|un", &DELETE),
    held("rollback", &REPLACE),
    held("upgrade", &REPLACE).when("--force"),
    held("push|cm-push", &PUBLISH),
])
.taking("n", &["namespace", "kube-context", "kubeconfig", "kube-apiserver", "kube-token", "registry-config"]);
pub(crate) static HELMFILE: Tool = Tool::new(&[held("destroy|delete", &DELETE)])
    .taking("felnb", &["file", "environment", "selector", "namespace", "kube-context"]);

pub(crate) static ISTIOCTL: Tool = Tool::new(&[held("uninstall", &DELETE), held("x uninstall", &DELETE)]);

pub(crate) static KUBEADM: Tool = Tool::new(&[held("reset", &DELETE)]);
pub(crate) static TALOSCTL: Tool = Tool::new(&[
    held("reset|wipe", &DELETE),
    held("reboot|shutdown", &DRAIN),
    held("cluster destroy", &DELETE),
])
.taking("ne", &["nodes", "endpoints", "talosconfig", "context"]);
pub(crate) static FLUX: Tool =
    Tool::new(&[held("delete|uninstall", &DELETE)]).taking("n", &["namespace", "context"]);
pub(crate) static ARGOCD: Tool = Tool::new(&[
    held("app|appset|cluster|proj|repo delete|rm", &DELETE),
    held("app rollback", &REPLACE),
    held("app sync", &DELETE).when("--prune"),
])
.taking("", &["server", "auth-token", "config"]);
pub(crate) static EKSCTL: Tool =
    Tool::new(&[held("delete", &DELETE), held("drain", &DRAIN)]).taking("f", &["config-file"]);
pub(crate) static VELERO: Tool = Tool::new(&[held("delete", &DELETE), held("* delete", &DELETE)]);
pub(crate) static KUSTOMIZED: Tool = Tool::new(&[held("delete|destroy", &DELETE)]);
