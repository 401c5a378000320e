//! Downloads: to standard output, or to a file that is remembered, so that running it later is running a download.

use crate::invocation::{Arg, Invocation, Stream, Use};
use crate::options::{Options, Order, Taking};
use crate::walk::Walk;
use crate::walk::carriers::bare;
use crate::walk::scope::Scope;

/// A download: to standard output, or to a file that is remembered.
pub(super) fn download(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) -> Stream {
    let program = call.program();
    let taking = Taking {
        short: if program == "wget" {
            "OoPUtTwQaeiAR"
        } else if program == "aria2c" {
            "dosxjkiUT"
        } else {
            "oHdXAeuFTbcKmxwEYyzCrDhQPtU"
        },
        long: &[
            "output",
            "output-document",
            "header",
            "data",
            "request",
            "user-agent",
            "user",
            "output-dir",
            "directory-prefix",
            "data-raw",
            "out",
            "dir",
        ],
    };
    let options = Options::read(call.args(), &taking, Order::Anywhere);
    let is_wget = program == "wget";
    let named = if is_wget { options.value('O', "output-document") } else { options.value('o', "output") };
    let named = named.or_else(|| options.value('\0', "out"));
    let dir = match program {
        "wget" => options.value('P', "directory-prefix"),
        "aria2c" => options.value('d', "dir"),
        // By its whole name: what it begins with is another option.
        _ => {
            options.given.iter().rev().find(|given| given.name == "output-dir").and_then(|given| given.value)
        }
    };
    match named {
        Some("-" | "/dev/stdout") => return Stream::Download,
        // `wget -O` does not care for the directory.
        Some(file) => arrive(file, dir.filter(|_| !is_wget), call, walk, scope),
        None => {
            let keeps_name = is_wget || program == "aria2c" || options.has('O', "remote-name");
            // `wget -qO-` in one cluster.
            let is_printed =
                call.args().iter().any(|arg| arg.text().starts_with('-') && arg.text().ends_with("O-"));
            if !keeps_name || is_printed {
                return Stream::Download;
            }
            for url in &options.operands {
                let path = url.text().split(['?', '#']).next().unwrap_or_default();
                let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
                if !name.is_empty() {
                    arrive(name, Some(dir.unwrap_or(".")), call, walk, scope);
                }
            }
        }
    }
    Stream::Text(String::new())
}

/// Notes the file that a download becomes. Where its path is put together, it stands in no argument, and is judged here.
fn arrive(file: &str, dir: Option<&str>, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let Some(dir) = dir else {
        scope.write(file, Stream::Download, false);
        return;
    };
    let path = format!("{}/{file}", dir.trim_end_matches('/'));
    scope.write(&path, Stream::Download, false);
    walk.case.judge(&Invocation { redirects: vec![(Use::Write, Arg::new(path))], ..bare(call) });
}
