//! Programs that carry a command among their arguments: `xargs`, `find -exec`, `ssh`, `su -c` and their kind.
//!
//! Unlike a wrapper, a carrier does something of its own as well, so it is judged itself afterwards. The families differ in where the
//! command comes from: from a list ([`lists`]), for another machine ([`remote`]) or another place here ([`sessions`]), out of a language
//! that is no shell's ([`editors`]), written down for later ([`recipes`]), or in an option's value ([`options`]).

mod editors;
mod lists;
mod options;
mod recipes;
mod remote;
mod sessions;

use crate::invocation::{Invocation, Stream};
use crate::options::Taking;
use crate::walk::scope::Scope;
use crate::walk::{Walk, containers, interpreters, runners};

impl Walk<'_, '_> {
    /// Judges a call that another one makes.
    pub(crate) fn nested(&mut self, call: Invocation, scope: &Scope) -> Stream {
        self.depth += 1;
        let mut own = scope.clone();
        own.elevated |= call.elevated;
        own.elsewhere = call.elsewhere.or(own.elsewhere);
        own.cwd.clone_from(&call.cwd);
        let printed = self.run(call, &mut own);
        self.depth -= 1;
        printed
    }
}

/// Opens what a call carries.
pub(crate) fn visit(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    match call.program() {
        "xargs" | "gxargs" => lists::xargs(call, walk, scope),
        "parallel" | "sem" | "rush" => lists::parallel(call, walk, scope),
        "find" | "gfind" => lists::find(call, walk, scope),
        "fd" | "fdfind" => lists::fd(call, walk, scope),
        "ssh" | "autossh" | "mosh" => remote::ssh(call, walk, scope),
        "su" | "runuser" | "sg" => sessions::su(call, walk, scope),
        "script" => sessions::script(call, walk, scope),
        "flock" => sessions::flock(call, walk, scope),
        "watch" | "viddy" => sessions::watch(call, walk, scope),
        "entr" => sessions::after_options(call, &Taking::default(), walk, scope),
        "at" | "batch" => recipes::at(call, walk, scope),
        "crontab" => recipes::crontab(call, walk, scope),
        "newgrp" => interpreters::run_stream(&call.stdin, call, walk, scope),
        "sshpass" => sessions::after_options(call, &Taking { short: "pfdeP", long: &[] }, walk, scope),
        "gcloud" | "fly" | "flyctl" | "heroku" | "railway" | "aws" => {
            remote::console(call, walk, scope);
        }
        "pssh" | "parallel-ssh" | "dsh" | "pdsh" | "clush" | "ansible" | "salt" => {
            recipes::scripts_in_words(call, walk, &remote::elsewhere(scope));
        }
        "man" => options::that_run(call, &["pager"], &['P'], walk, scope),
        "split" => options::that_run(call, &["filter"], &[], walk, scope),
        "go" => options::single_dash_that_run(call, &["-toolexec", "-exec"], walk, scope),
        "sqlite3" | "dc" | "ftp" | "m4" => editors::bangs(call, walk, scope),
        "npm" | "pnpm" | "yarn" => recipes::package_scripts(call, walk, scope),
        "cargo" => recipes::cargo(call, walk, scope),
        "chroot" => sessions::chroot(call, walk, scope),
        "tar" | "gtar" | "bsdtar" => options::that_run(
            call,
            &["to-command", "use-compress-program", "rsh-command", "info-script", "new-volume-script"],
            &['I', 'F'],
            walk,
            scope,
        ),
        "rsync" => options::that_run(call, &["rsh", "rsync-path"], &['e'], walk, scope),
        "scp" | "sftp" => {
            options::that_run(call, &[], &['S'], walk, scope);
            remote::ssh_options(call, walk, scope);
        }
        "zip" => options::that_run(call, &["unzip-command"], &[], walk, scope),
        "vim" | "vi" | "nvim" | "ex" | "view" | "gvim" | "emacs" | "less" | "ed" => {
            editors::editor(call, walk, scope);
        }
        "gdb" | "lldb" => editors::debugger(call, walk, scope),
        "tmux" | "screen" => sessions::multiplexer(call, walk, scope),
        "nix-shell" | "nix" | "devbox" | "flox" | "hyperfine" | "nodemon" | "concurrently" | "watchexec"
        | "cargo-watch" | "onchange" | "chokidar" | "wsl" | "adb" | "vagrant" | "sops" | "expect" | "pee" => {
            recipes::scripts_in_words(call, walk, scope);
        }
        "make" | "gmake" | "just" => recipes::make(call, walk, scope),
        _ => {}
    }
    options::commands_in_variables(call, walk, scope);
    containers::visit(call, walk, scope);
    runners::visit(call, walk, scope);
    options::checkpoint_actions(call, walk, scope);
}

/// The same surroundings, without arguments and redirections.
pub(crate) fn bare(call: &Invocation) -> Invocation {
    Invocation {
        argv: Vec::new(),
        redirects: Vec::new(),
        stdin: Stream::Inherited,
        open_ended: false,
        env: call.env.clone(),
        cwd: call.cwd.clone(),
        elevated: call.elevated,
        elsewhere: call.elsewhere,
    }
}
