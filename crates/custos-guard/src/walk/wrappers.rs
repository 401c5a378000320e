//! Programs that start another program: one table, with the options that take a value.
//!
//! What stands before a command must not hide it, and what is an option's value must not be taken for the command. So each wrapper says
//! which of its options take a value and how many operands come before the program.

use crate::invocation::{Arg, Invocation};
use crate::options::{Options, Order, Taking};
use crate::walk::scope;

/// A program that starts another.
struct Wrapper {
    name: &'static str,
    /// Options with a value.
    taking: Taking,
    /// Operands before the program: a duration, a mask, a directory.
    operands: usize,
    /// Whether the program runs with another user's rights.
    elevates: bool,
}

const fn plain(name: &'static str) -> Wrapper {
    wrapper(name, "", &[], 0)
}

const fn wrapper(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, taking: Taking { short, long }, operands, elevates: false }
}

const fn elevating(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, taking: Taking { short, long }, operands, elevates: true }
}

/// The wrappers, sorted by name.
static WRAPPERS: &[Wrapper] = &[
    wrapper("arch", "de", &["arch"], 0),
    plain("builtin"),
    wrapper("caffeinate", "tw", &[], 0),
    plain("catchsegv"),
    wrapper("cgexec", "g", &[], 0),
    wrapper("choom", "np", &[], 0),
    plain("chronic"),
    wrapper("chrt", "TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1),
    plain("command"),
    plain("corepack"),
    plain("cpulimit"),
    wrapper("dbus-run-session", "", &["dbus-daemon", "config-file"], 0),
    elevating("doas", "Cua", &[], 0),
    wrapper("dumb-init", "", &["rewrite"], 0),
    wrapper("env", "uCSaPLU", &["unset", "chdir", "split-string", "argv0"], 0),
    wrapper("exec", "a", &[], 0),
    wrapper("fakechroot", "e", &[], 0),
    wrapper("fakeroot", "lfisb", &["lib", "faked"], 0),
    wrapper("faketime", "p", &[], 1),
    plain("firejail"),
    wrapper("genv", "uCS", &["unset", "chdir", "split-string"], 0),
    wrapper("gnice", "n", &["adjustment"], 0),
    elevating("gosu", "", &[], 1),
    wrapper("gtimeout", "ks", &["kill-after", "signal"], 1),
    plain("heaptrack"),
    plain("ifne"),
    wrapper("ionice", "cnpPu", &["class", "classdata", "pid", "pgid", "uid"], 0),
    plain("linux32"),
    plain("linux64"),
    wrapper("ltrace", "aADeFlnopsuwxX", &["output"], 0),
    wrapper("nice", "n", &["adjustment"], 0),
    plain("nocorrect"),
    plain("noglob"),
    plain("nohup"),
    wrapper("nsenter", "tSGW", &["target", "setuid", "setgid", "wdns"], 0),
    wrapper("numactl", "NmCip", &["cpunodebind", "membind", "physcpubind", "interleave", "preferred"], 0),
    elevating("pkexec", "", &["user"], 0),
    wrapper("prlimit", "po", &["pid", "output"], 0),
    wrapper("proot", "rRSbmqwki", &["rootfs", "bind", "cwd"], 0),
    wrapper("proxychains", "f", &[], 0),
    wrapper("proxychains4", "f", &[], 0),
    wrapper("rlwrap", "abCDfHlPst", &[], 0),
    elevating("run0", "ugD", &["unit", "property", "user", "group", "nice", "chdir", "setenv"], 0),
    wrapper("setarch", "", &[], 1),
    wrapper(
        "setpriv",
        "",
        &[
            "ruid",
            "euid",
            "rgid",
            "egid",
            "reuid",
            "regid",
            "groups",
            "ambient-caps",
            "inh-caps",
            "bounding-set",
            "securebits",
            "pdeathsig",
        ],
        0,
    ),
    plain("setsid"),
    wrapper("softlimit", "acdflmnoprst", &[], 0),
    wrapper("stdbuf", "ioe", &["input", "output", "error"], 0),
    wrapper("strace", "eEpubIPaosXOSU", &["output", "trace", "env", "user", "string-limit", "attach"], 0),
    elevating("su-exec", "", &[], 1),
    elevating(
        "sudo",
        "CDghpRrTtUu",
        &[
            "close-from",
            "chdir",
            "group",
            "host",
            "prompt",
            "chroot",
            "role",
            "command-timeout",
            "type",
            "other-user",
            "user",
        ],
        0,
    ),
    wrapper(
        "systemd-run",
        "HMupE",
        &[
            "host",
            "machine",
            "unit",
            "property",
            "description",
            "slice",
            "uid",
            "gid",
            "nice",
            "working-directory",
            "setenv",
            "service-type",
            "on-calendar",
            "on-active",
            "on-boot",
        ],
        0,
    ),
    wrapper("taskset", "", &[], 1),
    wrapper("time", "fo", &["format", "output"], 0),
    wrapper("timeout", "ks", &["kill-after", "signal"], 1),
    plain("tini"),
    wrapper("torify", "", &[], 0),
    wrapper("torsocks", "aPup", &[], 0),
    plain("tsocks"),
    wrapper("uclampset", "mMp", &[], 0),
    plain("unbuffer"),
    wrapper(
        "unshare",
        "RwSG",
        &[
            "root",
            "wd",
            "setuid",
            "setgid",
            "map-user",
            "map-group",
            "map-users",
            "map-groups",
            "propagation",
            "setgroups",
        ],
        0,
    ),
    plain("valgrind"),
    plain("winpty"),
    wrapper(
        "xvfb-run",
        "efnpsw",
        &["error-file", "auth-file", "server-num", "xauth-protocol", "server-args", "wait"],
        0,
    ),
];

/// What a wrapper starts.
pub(crate) enum Inner {
    /// Nothing: it only asks or prints something.
    Nothing,
    /// A program.
    Call(Invocation),
    /// A script: `env -S`, `sudo -s` with words.
    Script(String),
}

/// Says whether a wrapper runs its command in the shell itself, so that `cd` in it stays.
pub(crate) fn keeps_the_shell(name: &str) -> bool {
    matches!(name, "builtin" | "command" | "exec" | "time" | "noglob" | "nocorrect")
}

/// Says whether a wrapper may start a function of the shell.
pub(crate) fn knows_functions(name: &str) -> bool {
    matches!(name, "time" | "noglob" | "nocorrect")
}

/// Takes one wrapper off; `None` if the program is no wrapper.
pub(crate) fn unwrap(call: &Invocation) -> Option<Inner> {
    let program = call.program();
    if matches!(program, "busybox" | "toybox") {
        return Some(applet(call));
    }
    let at = WRAPPERS.binary_search_by(|wrapper| wrapper.name.cmp(program)).ok()?;
    let wrapper = &WRAPPERS[at];
    // `-5` for `nice`, `-x86_64` for `arch`: clusters of flags that do not exist do no harm.
    let options = Options::read(call.args(), &wrapper.taking, Order::First);
    let only_asks = match program {
        "command" => options.has_short('v') || options.has_short('V'),
        "sudo" => {
            options.has('l', "list")
                || options.has('v', "validate")
                || options.has('K', "remove-timestamp")
                || options.has('V', "version")
        }
        "ionice" | "taskset" | "chrt" => options.has('p', "pid"),
        _ => false,
    };
    if only_asks {
        return Some(Inner::Nothing);
    }
    let mut inner = Invocation { elevated: call.elevated || wrapper.elevates, ..call.clone() };
    let mut rest = call.args().get(options.first..).unwrap_or_default();
    match program {
        "env" | "genv" => {
            if let Some(dir) = options.value('C', "chdir") {
                inner.cwd = Some(scope::absolute(dir, call.cwd.as_deref()));
            }
            if let Some(text) = split_string(call.args(), &options) {
                let rest: Vec<String> =
                    rest.iter().map(|arg| super::simple::quoted(&crate::words::raw::of(arg))).collect();
                return Some(Inner::Script(format!("{text} {}", rest.join(" "))));
            }
            rest = take_assignments(rest, &mut inner);
        }
        "sudo" => {
            if let Some(dir) = options.value('D', "chdir") {
                inner.cwd = Some(scope::absolute(dir, call.cwd.as_deref()));
            }
            rest = take_assignments(rest, &mut inner);
            if options.has('e', "edit") {
                // Edits the files that it is given.
                inner.argv = [Arg::from("tee")].into_iter().chain(rest.iter().cloned()).collect();
                return Some(Inner::Call(inner));
            }
            if options.has('s', "shell") || options.has('i', "login") {
                // The words are put together and given to a shell.
                let words: Vec<String> = rest.iter().map(crate::words::raw::of).collect();
                inner.argv = vec![Arg::from("bash")];
                if !words.is_empty() {
                    inner.argv.extend([Arg::from("-c"), crate::words::raw::arg(words.join(" "), false)]);
                }
                return Some(Inner::Call(inner));
            }
        }
        "doas" if rest.is_empty() && options.has_short('s') => {
            inner.argv = vec![Arg::from("sh")];
            return Some(Inner::Call(inner));
        }
        "chrt" if options.has('o', "other") || options.has('b', "batch") || options.has('i', "idle") => {
            let has_priority =
                rest.first().and_then(Arg::known).is_some_and(|word| word.parse::<u32>().is_ok());
            rest = &rest[usize::from(has_priority)..];
            inner.argv = rest.to_vec();
            return Some(Inner::Call(inner));
        }
        "setarch" => {
            let is_arch = rest.first().and_then(Arg::known).is_some_and(|word| {
                matches!(
                    word,
                    "x86_64" | "i386" | "i686" | "linux32" | "linux64" | "aarch64" | "armv7l" | "uname26"
                )
            });
            inner.argv = rest.get(usize::from(is_arch)..).unwrap_or_default().to_vec();
            return Some(Inner::Call(inner));
        }
        _ => {}
    }
    let rest = rest.get(wrapper.operands..).unwrap_or_default();
    if rest.is_empty() {
        return Some(match program {
            // `exec > file`, a bare `time`: nothing but the redirections.
            "exec" | "time" | "command" | "builtin" => {
                inner.argv.clear();
                Inner::Call(inner)
            }
            "unshare" | "nsenter" | "fakeroot" => {
                inner.argv = vec![Arg::from("sh")];
                Inner::Call(inner)
            }
            _ => Inner::Nothing,
        });
    }
    inner.argv = rest.to_vec();
    Some(Inner::Call(inner))
}

/// `env -S 'rm -rf /'`, also clustered (`-iS`) and as `--split-string=…`.
fn split_string<'a>(args: &'a [Arg], options: &Options<'a>) -> Option<&'a str> {
    if let Some(text) = options.value('S', "split-string") {
        return Some(text);
    }
    // `-vS'…'`.
    args.iter().take(options.first).find_map(|arg| {
        let text = arg.text().strip_prefix('-')?;
        text.split_once('S')
            .filter(|(before, after)| before.len() < 3 && !after.is_empty())
            .map(|(_, after)| after)
    })
}

/// Takes `NAME=value` words off the front.
fn take_assignments<'a>(mut rest: &'a [Arg], inner: &mut Invocation) -> &'a [Arg] {
    while let [first, after @ ..] = rest {
        let Some((name, value)) = first.text().split_once('=') else { break };
        if name.is_empty() || name.contains('/') || name.starts_with('-') {
            break;
        }
        inner.env.push((name.to_owned(), Arg::new(value)));
        rest = after;
    }
    rest
}

/// `busybox rm -rf /`: the first operand is the program.
fn applet(call: &Invocation) -> Inner {
    let rest = call.args();
    match rest.first().map(Arg::text) {
        None | Some("--list" | "--list-full" | "--help" | "--install") => Inner::Nothing,
        Some(_) => Inner::Call(Invocation { argv: rest.to_vec(), stdin: call.stdin.clone(), ..call.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(WRAPPERS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[rstest]
    #[case("sudo rm x", "rm x")]
    #[case("sudo -u root -- rm x", "rm x")]
    #[case("sudo -nu root A=1 rm x", "rm x")]
    #[case("sudo --user=root rm x", "rm x")]
    #[case("env -i -u X A=1 B=2 rm x", "rm x")]
    #[case("env - rm x", "- rm x")]
    #[case("timeout -k 5 10 rm x", "rm x")]
    #[case("timeout --signal KILL 10s rm x", "rm x")]
    #[case("nice -n 5 rm x", "rm x")]
    #[case("nice -10 rm x", "rm x")]
    #[case("ionice -c2 -n7 rm x", "rm x")]
    #[case("stdbuf -oL -e 0 rm x", "rm x")]
    #[case("chrt -f 10 rm x", "rm x")]
    #[case("chrt -b rm x", "rm x")]
    #[case("taskset -c 0,1 rm x", "rm x")]
    #[case("setarch x86_64 -R rm x", "-R rm x")]
    #[case("busybox rm x", "rm x")]
    #[case("exec -a y rm x", "rm x")]
    #[case("strace -f -o out.txt rm x", "rm x")]
    #[case("/usr/bin/time -f %e rm x", "rm x")]
    fn wrappers_come_off(#[case] line: &str, #[case] expected: &str) {
        let call = Invocation::of(line.split_whitespace());
        let Some(Inner::Call(inner)) = unwrap(&call) else { panic!("{line} is wrapped") };
        assert_eq!(inner.shown(), expected);
    }

    #[rstest]
    #[case("command -v rm")]
    #[case("sudo -l rm")]
    #[case("ionice -p 12")]
    fn nothing_runs(#[case] line: &str) {
        let call = Invocation::of(line.split_whitespace());
        assert!(matches!(unwrap(&call), Some(Inner::Nothing)));
    }
}
