//! Downloads: to standard output, or to a file that is remembered, so that running it later is running a download.

use crate::invocation::{Invocation, Stream};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;

/// A download: to standard output, or to a file that is remembered.
pub(super) fn download(call: &Invocation, scope: &mut Scope) -> Stream {
    let program = call.program();
    let taking = Taking {
        short: if program == "wget" { "OoPUtTwQaeiAR" } else { "oHdXAeuFTbcKmxwEYyzCrDhQPtU" },
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
    let to_file =
        if program == "wget" { options.value('O', "output-document") } else { options.value('o', "output") };
    let to_file = to_file.or_else(|| options.value('\0', "out"));
    match to_file {
        Some("-" | "/dev/stdout") => Stream::Download,
        Some(file) => {
            scope.write(file, Stream::Download, false);
            Stream::Text(String::new())
        }
        None => {
            let keeps_name = program == "wget" || program == "aria2c" || options.has('O', "remote-name");
            // `wget -qO-` in one cluster.
            let clustered =
                call.args().iter().any(|arg| arg.text().starts_with('-') && arg.text().ends_with("O-"));
            if !keeps_name || clustered {
                return Stream::Download;
            }
            for url in &options.operands {
                let name = url
                    .text()
                    .split(['?', '#'])
                    .next()
                    .unwrap_or_default()
                    .rsplit('/')
                    .next()
                    .unwrap_or_default();
                let dir = options.value('P', "directory-prefix").unwrap_or(".");
                if !name.is_empty() {
                    scope.write(&format!("{dir}/{name}"), Stream::Download, false);
                }
            }
            Stream::Text(String::new())
        }
    }
}
