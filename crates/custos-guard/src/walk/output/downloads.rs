//! Downloads: to standard output, or to a file that is remembered, so that running it later is running a download.

use crate::invocation::{Arg, Invocation, Stream, Use};
use crate::options::{Options, Order, Taking};
use crate::walk::Walk;
use crate::walk::carriers::bare;
use crate::walk::scope::Scope;

/// A program that downloads.
pub(super) struct Downloader {
    name: &'static str,
    /// Options with a value.
    taking: Taking,
    /// The option that names the file.
    file: (char, &'static str),
    /// The option that names the directory, if there is one.
    dir: Option<(char, &'static str)>,
    /// Where it goes without a name.
    otherwise: Otherwise,
}

/// Where a download goes that is given no name.
#[derive(Clone, Copy)]
enum Otherwise {
    /// To standard output, unless this option keeps the name that it has in the address.
    Printed(char, &'static str),
    /// To a file with the name that it has in the address.
    Kept,
    /// To the second operand, or to a file with the name that it has in the address.
    Second,
}

const fn downloader(
    name: &'static str,
    short: &'static str,
    file: (char, &'static str),
    dir: Option<(char, &'static str)>,
    otherwise: Otherwise,
) -> Downloader {
    Downloader { name, taking: Taking { short, long: LONG }, file, dir, otherwise }
}

/// The long options with a value of all of them.
const LONG: &[&str] = &[
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
    "auth",
    "num-connections",
    "max-speed",
];

const CURL: &str = "oHdXAeuFTbcKmxwEYyzCrDhQPtU";
const HTTPIE: &str = "oaApsc";

/// The downloaders, sorted by name.
static DOWNLOADERS: &[Downloader] = &[
    downloader("aria2c", "dosxjkiUT", ('o', "out"), Some(('d', "dir")), Otherwise::Kept),
    downloader("axel", "onsSHUTm", ('o', "output"), None, Otherwise::Kept),
    downloader(
        "curl",
        CURL,
        ('o', "output"),
        Some(('\0', "output-dir")),
        Otherwise::Printed('O', "remote-name"),
    ),
    downloader("curlie", CURL, ('o', "output"), None, Otherwise::Printed('O', "remote-name")),
    downloader("fetch", "oBiNSTw", ('o', "output"), None, Otherwise::Kept),
    // Without `-o`, it is a conversation.
    downloader("ftp", "oPqrsTuN", ('o', ""), None, Otherwise::Printed('\0', "")),
    downloader("http", HTTPIE, ('o', "output"), None, Otherwise::Printed('d', "download")),
    downloader("https", HTTPIE, ('o', "output"), None, Otherwise::Printed('d', "download")),
    downloader("lwp-download", "", ('\0', ""), None, Otherwise::Second),
    downloader("lwp-mirror", "t", ('\0', ""), None, Otherwise::Second),
    downloader(
        "wget",
        "OoPUtTwQaeiAR",
        ('O', "output-document"),
        Some(('P', "directory-prefix")),
        Otherwise::Kept,
    ),
    downloader(
        "wget2",
        "OoPUtTwQaeiAR",
        ('O', "output-document"),
        Some(('P', "directory-prefix")),
        Otherwise::Kept,
    ),
    downloader("xh", HTTPIE, ('o', "output"), None, Otherwise::Printed('d', "download")),
    downloader("xhs", HTTPIE, ('o', "output"), None, Otherwise::Printed('d', "download")),
];

/// The downloader of that name.
pub(super) fn downloader_of(program: &str) -> Option<&'static Downloader> {
    let at = DOWNLOADERS.binary_search_by(|downloader| downloader.name.cmp(program)).ok()?;
    Some(&DOWNLOADERS[at])
}

impl Downloader {
    /// What a download prints; the files that it becomes are noted.
    pub(super) fn download(&self, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) -> Stream {
        let options = Options::read(call.args(), &self.taking, Order::Anywhere);
        let dir = self.dir.and_then(|(short, long)| {
            // By its whole name: what it begins with is another option.
            let given = options.given.iter().rev().find(|given| given.name == long || given.means(short, ""));
            given.and_then(|given| given.value)
        });
        match (options.value(self.file.0, self.file.1), self.otherwise, options.operands.as_slice()) {
            (Some("-" | "/dev/stdout"), ..) => return Stream::Download,
            // `wget -O` does not care for the directory.
            (Some(file), ..) => {
                arrive(file, dir.filter(|_| !self.name.starts_with("wget")), call, walk, scope);
            }
            (None, Otherwise::Second, [_, file, ..]) => arrive(file.text(), Some("."), call, walk, scope),
            (None, Otherwise::Printed(short, long), _) if !options.has(short, long) => {
                return Stream::Download;
            }
            (None, _, addresses) => {
                for address in addresses {
                    let path = address.text().split(['?', '#']).next().unwrap_or_default();
                    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
                    if !name.is_empty() {
                        arrive(name, Some(dir.unwrap_or(".")), call, walk, scope);
                    }
                }
            }
        }
        Stream::Text(String::new())
    }
}

/// Notes the file that a download becomes. Where its path is put together, it stands in no argument, and is judged here.
fn arrive(file: &str, dir: Option<&str>, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let path = match dir {
        None => {
            scope.write(file, Stream::Download, false);
            return;
        }
        Some(_) if file.starts_with(['/', '~']) => file.to_owned(),
        Some(dir) => format!("{}/{file}", dir.trim_end_matches('/')),
    };
    scope.write(&path, Stream::Download, false);
    walk.case.judge(&Invocation { redirects: vec![(Use::Write, Arg::new(path))], ..bare(call) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(DOWNLOADERS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
