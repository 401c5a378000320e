//! What a program prints, where that can be known: it may be the next one's script, or a word of it.
//!
//! Programs that print what they are told are in [`printing`], filters and decoders in [`decoding`], those that print names in
//! [`listing`], and what comes from the network in [`downloads`]. Of all others only that they print something is known.

mod decoding;
mod downloads;
mod listing;
mod printing;

pub(crate) use listing::names_sought;
pub(crate) use printing::printf;

use crate::code::base64;
use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};
use crate::walk::scope::Scope;
use crate::walk::{Walk, suspicion};

/// The longest text that is followed through a pipe.
const LONGEST: usize = 64 << 10;

/// What a call prints, after it was judged; files that it writes are noted on the way.
pub(crate) fn of(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) -> Stream {
    let args = call.args();
    match call.program() {
        "echo" => printing::echo(args),
        "printf" => printing::printf(args),
        "cat" | "bat" | "tac" => printing::concatenated(call, scope),
        "tee" => {
            for file in args.iter().filter_map(Arg::known).filter(|arg| !arg.starts_with('-')) {
                scope.write(file, call.stdin.clone(), false);
            }
            call.stdin.clone()
        }
        "ls" | "dir" | "fd" | "fdfind" => listing::listed(args),
        "find" | "gfind" => listing::found(args),
        "xargs" => match &call.stdin {
            Stream::Text(text) if args.iter().all(|arg| arg.text().starts_with('-') || arg.is("echo")) => {
                Stream::Text(text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            _ => Stream::Output,
        },
        "head" | "tail" | "sponge" | "pv" | "buffer" | "stdbuf" | "sort" | "uniq" | "dos2unix" | "iconv"
        | "less" | "more" | "sed" | "grep" | "awk" | "cut" | "perl" | "envsubst" | "fold" | "fmt"
        | "paste" => decoding::passed_on(call, scope),
        "rev" => decoding::map_text(call, |text| {
            text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect()
        }),
        "tr" => decoding::translated(call),
        "base64" | "gbase64" => decoding::decoded(call, scope, &['d', 'D'], "decode", base64),
        "xxd" => decoding::decoded(call, scope, &['r'], "revert", decoding::hex),
        "base32" | "openssl" | "gpg" | "age" | "uudecode" | "ascii85" | "basenc" => Stream::Decoded,
        "gunzip" | "zcat" | "gzip" | "bunzip2" | "bzcat" | "xzcat" | "unxz" | "xz" | "zstd" | "zstdcat" => {
            match call.stdin {
                Stream::Download => Stream::Download,
                Stream::Environment => Stream::Environment,
                Stream::Text(_) | Stream::Decoded => Stream::Decoded,
                _ => Stream::Output,
            }
        }
        "kubectl" if args.first().is_some_and(|arg| arg.is("completion")) => Stream::Output,
        "lynx" | "w3m" | "links" | "elinks" | "lwp-request" | "GET" | "nc" | "ncat" | "netcat" | "socat"
        | "telnet" | "dig" | "host" | "nslookup" | "ssh" | "gsutil" | "rclone" | "aws" | "gcloud" | "az"
        | "kubectl" => Stream::Download,
        "gh" | "glab" if args.iter().any(|arg| matches!(arg.text(), "api" | "gist" | "release")) => {
            Stream::Download
        }
        "printenv" | "export" if args.iter().all(|arg| matches!(arg.text(), "-0" | "--null" | "-p")) => {
            Stream::Environment
        }
        "pwd" => Stream::Text(scope.cwd.clone().unwrap_or_else(|| UNKNOWN.to_string())),
        "mktemp" => Stream::Text(listing::temporary(args)),
        "which" | "type" | "command" | "whence" | "where" => listing::named(args),
        "pgrep" | "pidof" => listing::processes(call),
        "ps" => listing::process_table(args),
        "basename" => listing::first_operand(args, |path| {
            path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
        }),
        "dirname" => listing::first_operand(args, |path| match path.trim_end_matches('/').rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((dir, _)) => dir.to_owned(),
            None => ".".to_owned(),
        }),
        "realpath" | "readlink" => listing::first_operand(args, |path| scope.absolute(path)),
        "whoami" => Stream::Text(scope.value("USER").unwrap_or_else(|| UNKNOWN.to_string())),
        "seq" => Stream::Text(UNKNOWN.to_string()),
        "git" => listing::git(call, walk, scope),
        "cp" | "mv" | "ln" | "install" => {
            moved(call, scope);
            Stream::Text(String::new())
        }
        "mkdir" | "rm" | "touch" | "chmod" | "sleep" => Stream::Text(String::new()),
        program => match downloads::downloader_of(program) {
            Some(downloader) => downloader.download(call, walk, scope),
            None => Stream::Output,
        },
    }
}

/// Notes what is under another name from now on: a file, a link, a program.
fn moved(call: &Invocation, scope: &mut Scope) {
    let operands: Vec<&str> =
        call.args().iter().filter_map(Arg::known).filter(|arg| !arg.starts_with('-')).collect();
    let [from, to] = operands.as_slice() else { return };
    scope.copy(from, to);
    let name = from.rsplit('/').next().unwrap_or_default();
    let is_program = from.contains('/') && suspicion::SHARP.contains(&name);
    if call.program() == "ln" {
        scope.link(from, to, is_program);
    } else if is_program {
        scope.copy_program(name, to);
    }
}
