//! Programs that read what their arguments name: all of which nothing else is known.
//!
//! A secret is recognised by its path, so an argument is only of interest if it leads to one. What remains is to tell a path from a text
//! that is spelt like one: a search pattern, a message, a pattern of files to leave out.

use crate::invocation::Arg;
use crate::options::{Options, Order, Taking};
use crate::path::{Access, SECRET_LOAD, Ward};
use crate::verdict::{Hold, Rule};

use super::programs::{ONLY_FILES, SHOWN, USED, only_names};
use super::scene::Scene;

static EXPORT: Rule = Rule {
    id: "secret.export",
    hold: Hold::Deny,
    reason: "takes a private key or a password out of the place where it is kept",
    safer: "let the program that needs the secret fetch it itself",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] = &[&EXPORT];

pub(super) fn judge(scene: &mut Scene<'_, '_>) {
    let program = scene.call.program();
    match program {
        "source" | "." => load(scene),
        "grep" | "egrep" | "fgrep" | "zgrep" | "ggrep" => searched(scene, &GREP),
        "rg" | "ag" | "ack" | "ugrep" => searched(scene, &RIPGREP),
        "awk" | "gawk" | "mawk" | "nawk" => awk(scene),
        "jq" | "gojq" | "jaq" | "yq" | "dasel" | "xq" => query(scene),
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" => container(scene),
        "openssl" => openssl(scene),
        "getent" => accounts(scene),
        "gpg" | "gpg2" | "secret-tool" | "security" | "pass" | "gopass" => export(scene),
        _ if only_names(program) => listed(scene),
        _ => operands(scene),
    }
}

/// `source .env` shows nothing, but from then on everything can.
fn load(scene: &mut Scene<'_, '_>) {
    let Some(file) = scene.call.args().iter().find(|arg| !arg.text().starts_with('-')) else { return };
    let place = scene.place(file);
    if scene.ward(&place).is_some_and(Ward::is_secret) {
        scene.case.hold(&SECRET_LOAD, file.to_string());
    }
}

/// Programs that look only at names may read those names from a file, and show them.
fn listed(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    for (index, arg) in args.iter().enumerate() {
        if let Some(list) = arg.text().strip_prefix("--files0-from=") {
            scene.touch_text(list, Access::Read);
        } else if arg.is("-f") && scene.call.program() == "file" {
            args[index + 1..].iter().take(1).for_each(|list| scene.touch(list, Access::Read));
        }
    }
    let shows = args.iter().any(|arg| arg.is("list") || arg.is("get"));
    if shows && matches!(scene.call.program(), "dotenv" | "dotenvx") {
        operands(scene);
    }
}

const GREP: Taking = Taking {
    short: "efABCmdD",
    long: &[
        "regexp",
        "file",
        "after-context",
        "before-context",
        "context",
        "max-count",
        "include",
        "exclude",
        "exclude-dir",
        "exclude-from",
        "color",
        "colour",
        "directories",
        "devices",
        "label",
        "binary-files",
    ],
};
const RIPGREP: Taking = Taking {
    short: "efgtTABCmrEjdM",
    long: &[
        "regexp",
        "file",
        "glob",
        "iglob",
        "type",
        "type-not",
        "after-context",
        "before-context",
        "context",
        "max-count",
        "replace",
        "encoding",
        "threads",
        "max-depth",
        "max-columns",
        "sort",
        "sortr",
        "color",
        "colors",
        "ignore-file",
        "ignore",
        "ignore-dir",
        "path-separator",
        "max-filesize",
        "pre",
        "type-add",
    ],
};

/// A search: what is searched for is no file.
fn searched(scene: &mut Scene<'_, '_>, taking: &Taking) {
    let options = scene.options(taking);
    let given = options.has('e', "regexp") || options.has('f', "file") || options.has_long("files");
    if let Some(file) = options.value('f', "file") {
        scene.touch_text(file, Access::Read);
    }
    // Which files match, and how often, says nothing of what is in them.
    if options.has_long("files") || ['q', 'l', 'L', 'c'].into_iter().any(|short| options.has_short(short)) {
        return;
    }
    for file in options.operands.iter().skip(usize::from(!given)) {
        scene.touch(file, Access::Read);
    }
}

fn awk(scene: &mut Scene<'_, '_>) {
    let taking = Taking { short: "Fvfie", long: &["file", "assign", "field-separator", "include", "source"] };
    let options = Options::read(scene.call.args(), &taking, Order::First);
    let given = options.has('f', "file") || options.has('e', "source");
    let in_place = options.value('i', "include").is_some_and(|library| library.starts_with("inplace"));
    for file in options.operands.iter().skip(usize::from(!given)) {
        scene.touch(file, if in_place { Access::Write } else { Access::Read });
    }
}

fn query(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let mut filtered = false;
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        index += 1;
        match arg.text() {
            "--arg" | "--argjson" => index += 2,
            "--args" | "--jsonargs" => break,
            "-f" | "--from-file" => {
                filtered = true;
                index += 1;
            }
            "--slurpfile" | "--rawfile" | "--indent" | "-o" | "--output-format" | "-p" | "--input-format"
            | "-I" => index += 1,
            "eval" | "e" | "eval-all" | "ea" | "query" | "select" if !filtered => {}
            text if text.starts_with('-') => {}
            _ if !filtered => filtered = true,
            _ => scene.touch(arg, Access::Read),
        }
    }
}

/// Containers get files mounted and variables from files all day; only copying in or out is like reading.
fn container(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let copies = args.iter().take(3).any(|arg| arg.is("cp"));
    if copies {
        operands(scene);
    }
}

/// `openssl`: certificates and public keys may be looked at; a key that is only used to connect or to sign is not shown.
fn openssl(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let verb = args.first().map(Arg::text).unwrap_or_default();
    let harmless = [
        "x509",
        "verify",
        "s_client",
        "s_server",
        "crl",
        "crl2pkcs7",
        "dgst",
        "req",
        "rand",
        "version",
        "ciphers",
    ];
    for pair in args.windows(2) {
        match pair[0].text() {
            "-in" | "-inkey" | "-key" if !harmless.contains(&verb) => scene.touch(&pair[1], Access::Read),
            "-out" | "-keyout" => scene.touch(&pair[1], Access::Write),
            _ => {}
        }
    }
}

/// `getent shadow`: a table of accounts, read through the system.
fn accounts(scene: &mut Scene<'_, '_>) {
    let options = scene.options(&Taking { short: "s", long: &["service"] });
    match options.operands.first().and_then(|table| table.known()) {
        Some("shadow") => scene.touch_text("/etc/shadow", Access::Read),
        Some("gshadow") => scene.touch_text("/etc/gshadow", Access::Read),
        _ => {}
    }
}

fn export(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let verb = args.iter().find(|arg| !arg.text().starts_with('-')).map(Arg::text).unwrap_or_default();
    let any =
        |wanted: &[&str]| args.iter().any(|arg| wanted.iter().any(|start| arg.text().starts_with(start)));
    let exports = match scene.call.program() {
        "gpg" | "gpg2" => any(&["--export-secret", "--export-ssh", "--delete-secret"]),
        "secret-tool" => matches!(verb, "lookup" | "search"),
        "security" => {
            verb == "dump-keychain" || verb.starts_with("find-") && any(&["-w", "-g"]) || verb == "export"
        }
        _ => {
            matches!(verb, "show")
                || !verb.is_empty()
                    && !matches!(verb, "ls" | "list" | "git" | "version" | "help" | "init" | "find")
        }
    };
    if exports {
        scene.hold(&EXPORT);
    } else if scene.call.program().starts_with("gpg") {
        operands(scene);
    }
}

/// Every operand, and every value of an option, if it leads to something protected.
fn operands(scene: &mut Scene<'_, '_>) {
    let args = scene.call.args();
    let program = scene.call.program();
    let writes = args.iter().any(|arg| {
        matches!(arg.text(), "--write" | "--in-place" | "--inplace" | "--fix" | "--overwrite")
            || arg.is("-w") && program == "gofmt"
    });
    let mut before = "";
    for arg in args {
        let text = arg.text();
        let option = std::mem::replace(&mut before, text);
        if text.len() < 2 || text.contains('\n') {
            continue;
        }
        if let Some(rest) = text.strip_prefix('-') {
            // A value that is attached: `--file=x`, `-d@x`, `-T.env`.
            if let Some((name, value)) = text.split_once('=') {
                if !is_used(program, name) {
                    operand(scene, arg, value, writes_to(program, name));
                }
            } else if !rest.starts_with('-') && rest.len() > 2 && curl_like(program) {
                operand(scene, arg, &rest[1..], rest.starts_with(['o', 'O']));
            }
            continue;
        }
        if option.starts_with('-') && is_used(program, option) {
            continue;
        }
        let to = writes || option.starts_with('-') && writes_to(program, option);
        if program == "gh" || program == "glab" {
            // What is said to people is no path, and files are rarely given by name.
            if text.contains(' ') {
                continue;
            }
        }
        operand(scene, arg, text, to);
    }
}

fn curl_like(program: &str) -> bool {
    matches!(program, "curl" | "wget" | "http" | "https" | "xh" | "curlie")
}

/// Says whether the value of an option is used without being shown, or is no file.
fn is_used(program: &str, option: &str) -> bool {
    let name = option.trim_start_matches('-');
    if option.starts_with("--") {
        return !SHOWN.iter().any(|start| name.starts_with(start))
            && USED.iter().any(|part| name.contains(part));
    }
    match program {
        "curl" => matches!(name, "E" | "K" | "H" | "A" | "e" | "X" | "w" | "u" | "U" | "x"),
        "gh" | "glab" => matches!(name, "t" | "b" | "q" | "m" | "n" | "H" | "B" | "l" | "a" | "d" | "T"),
        "node" | "deno" | "bun" | "ruby" | "perl" | "php" | "lua" => {
            matches!(name, "e" | "p" | "r" | "pe" | "ne" | "E")
        }
        "python" | "python3" => name == "c",
        "psql" | "mysql" | "sqlite3" => matches!(name, "c" | "e" | "h" | "U" | "d"),
        "gpg" | "gpg2" => matches!(name, "u" | "r"),
        _ => false,
    }
}

/// Says whether an option names what is written.
fn writes_to(program: &str, option: &str) -> bool {
    match option {
        "-o" | "-out" | "--out" | "--output" | "--outfile" | "--out-file" | "--output-file"
        | "--output-document" | "-keyout" | "--output-dir" | "--directory-prefix" => true,
        "-P" => program == "wget",
        "-O" | "--dump-header" | "-D" | "-c" | "--cookie-jar" => {
            curl_like(program) && !(program == "wget" && option == "-c")
        }
        _ => false,
    }
}

fn operand(scene: &mut Scene<'_, '_>, arg: &Arg, text: &str, writes: bool) {
    // `@file` and `field=@file` are how forms and bodies name files.
    let text = text.rsplit_once("=@").or_else(|| text.rsplit_once("=<")).map_or(text, |(_, file)| file);
    let file = text.strip_prefix('@').unwrap_or(text);
    if file.is_empty() || file.contains("://") && !file.starts_with("file://") {
        return;
    }
    // A text with spaces that does not begin like a path is a text.
    if file.contains(' ') && !file.starts_with(['/', '~', '.']) && !ONLY_FILES.contains(&scene.call.program())
    {
        return;
    }
    let word = if arg.is_glob() { Arg::glob(file) } else { Arg::new(file) };
    let access = if writes { Access::Write } else { Access::Read };
    scene.touch(&word, access);
    // What a form sends may have its type behind it: `@.env;type=text/plain`.
    if let Some((name, _)) = file.split_once(';') {
        scene.touch_text(name, access);
    }
}
