//! Commands that add and take away packages, and the packages that they name.

use super::super::dependencies::Package;
use super::Purpose;

/// A package manager.
struct Manager {
    name: &'static str,
    /// Words that add packages, or fetch all that the project names.
    adds: &'static [&'static str],
    /// Words that take them away.
    removes: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// How a version is written after the name; the longest first.
    versions: &'static [&'static str],
}

const MANAGERS: &[Manager] = &[
    Manager {
        name: "npm",
        adds: &["install", "i", "add", "ci", "in", "clean-install", "update", "upgrade", "up"],
        removes: &["uninstall", "remove", "rm", "un", "r"],
        valued: &["--prefix", "-w", "--workspace", "--registry", "--tag", "--omit", "--include"],
        versions: &["@"],
    },
    Manager {
        name: "pnpm",
        adds: &["install", "i", "add", "update", "up", "upgrade", "import"],
        removes: &["remove", "rm", "uninstall", "un"],
        valued: &["--filter", "-F", "-C", "--dir", "--registry"],
        versions: &["@"],
    },
    Manager {
        name: "yarn",
        adds: &["", "install", "add", "up", "upgrade"],
        removes: &["remove"],
        valued: &["--cwd", "--registry", "--mode"],
        versions: &["@"],
    },
    Manager {
        name: "bun",
        adds: &["install", "i", "add", "a", "update"],
        removes: &["remove", "rm"],
        valued: &["--cwd", "--registry"],
        versions: &["@"],
    },
    Manager {
        name: "deno",
        adds: &["add", "install"],
        removes: &["remove", "uninstall"],
        valued: &[],
        versions: &["@"],
    },
    Manager {
        name: "pip",
        adds: &["install", "download"],
        removes: &["uninstall"],
        valued: &[
            "-r",
            "--requirement",
            "-c",
            "--constraint",
            "-i",
            "--index-url",
            "--extra-index-url",
            "-f",
            "--find-links",
            "-t",
            "--target",
            "-e",
            "--editable",
            "--python",
            "--root",
            "--prefix",
        ],
        versions: PYTHON,
    },
    Manager {
        name: "uv",
        adds: &["add", "sync", "lock"],
        removes: &["remove"],
        valued: &[
            "--group",
            "--extra",
            "--package",
            "--python",
            "-p",
            "-r",
            "--requirements",
            "--index",
            "--index-url",
            "--optional",
            "--tag",
            "--branch",
            "--rev",
            "--directory",
            "--project",
        ],
        versions: PYTHON,
    },
    Manager {
        name: "poetry",
        adds: &["add", "install", "update", "lock", "sync"],
        removes: &["remove"],
        valued: &[
            "--group",
            "-G",
            "--extras",
            "-E",
            "--source",
            "--python",
            "--with",
            "--without",
            "--only",
            "-C",
            "--directory",
        ],
        versions: &["@", "==", ">=", "^", "~="],
    },
    Manager {
        name: "pdm",
        adds: &["add", "install", "sync", "update"],
        removes: &["remove"],
        valued: &["-G", "--group", "-p", "--project"],
        versions: PYTHON,
    },
    Manager {
        name: "pipenv",
        adds: &["install", "sync", "update"],
        removes: &["uninstall"],
        valued: &["-r"],
        versions: PYTHON,
    },
    Manager {
        name: "pipx",
        adds: &["install", "inject"],
        removes: &["uninstall"],
        valued: &["--python"],
        versions: PYTHON,
    },
    Manager {
        name: "conda",
        adds: &["install", "update"],
        removes: &["remove", "uninstall"],
        valued: &["-n", "--name", "-c", "--channel", "-p"],
        versions: &["==", "="],
    },
    Manager {
        name: "mamba",
        adds: &["install", "update"],
        removes: &["remove"],
        valued: &["-n", "--name", "-c", "--channel"],
        versions: &["==", "="],
    },
    Manager {
        name: "cargo",
        adds: &["add", "install", "update", "fetch", "binstall"],
        removes: &["remove", "rm", "uninstall"],
        valued: &[
            "--features",
            "-F",
            "--git",
            "--branch",
            "--tag",
            "--rev",
            "--path",
            "--package",
            "-p",
            "--manifest-path",
            "--rename",
            "--registry",
            "--root",
            "--version",
            "--vers",
            "--target",
            "--precise",
        ],
        versions: &["@"],
    },
    Manager {
        name: "composer",
        adds: &["require", "install", "update"],
        removes: &["remove"],
        valued: &["-d", "--working-dir"],
        versions: &[":", "="],
    },
    Manager {
        name: "bundle",
        adds: &["", "add", "install", "update"],
        removes: &["remove"],
        valued: &["--version", "-v", "--group", "-g", "--source", "--jobs", "--path", "--gemfile"],
        versions: &[],
    },
    Manager {
        name: "gem",
        adds: &["install", "update"],
        removes: &["uninstall"],
        valued: &["-v", "--version", "-i"],
        versions: &[":"],
    },
    Manager { name: "mix", adds: &["deps.get", "deps.update"], removes: &[], valued: &[], versions: &[] },
    Manager {
        name: "apt",
        adds: &["install", "upgrade"],
        removes: &["remove", "purge"],
        valued: &["-t", "-o"],
        versions: &["="],
    },
    Manager {
        name: "apt-get",
        adds: &["install", "upgrade"],
        removes: &["remove", "purge"],
        valued: &["-t", "-o"],
        versions: &["="],
    },
    Manager {
        name: "apk",
        adds: &["add"],
        removes: &["del"],
        valued: &["-t", "--virtual", "--repository", "-X"],
        versions: &["=", ">"],
    },
    Manager {
        name: "brew",
        adds: &["install", "upgrade", "reinstall"],
        removes: &["uninstall", "remove", "rm"],
        valued: &[],
        versions: &[],
    },
    Manager { name: "dnf", adds: &["install", "upgrade"], removes: &["remove"], valued: &[], versions: &[] },
    Manager { name: "yum", adds: &["install", "update"], removes: &["remove"], valued: &[], versions: &[] },
    Manager {
        name: "pacman",
        adds: &["-S", "-Syu", "-Sy"],
        removes: &["-R", "-Rs", "-Rns"],
        valued: &[],
        versions: &[],
    },
    Manager {
        name: "choco",
        adds: &["install", "upgrade"],
        removes: &["uninstall"],
        valued: &["--version"],
        versions: &[],
    },
    Manager {
        name: "winget",
        adds: &["install", "upgrade"],
        removes: &["uninstall"],
        valued: &["--version"],
        versions: &[],
    },
];

const PYTHON: &[&str] = &["===", "==", ">=", "<=", "~=", "!=", ">", "<", "@"];

/// Options that say that a package is for development only.
const DEV: [&str; 9] =
    ["-D", "--save-dev", "--dev", "-d", "-dev", "--development", "--save-optional", "--group=dev", "--build"];

/// Tells whether a command adds or takes away packages, and its family.
pub(super) fn classified(program: &str, arguments: &[&str]) -> Option<(Purpose, String)> {
    // `uv pip install`, `python -m pip` (unfolded before), `go get`, `dotnet add package`, `flutter pub add`, `yarn workspace x add`.
    match (program, arguments) {
        ("uv", ["pip", rest @ ..]) => return classified("pip", rest),
        ("uv", ["tool", "install", rest @ ..]) => {
            return Some((added("pip", "install", rest), "uv tool install".to_owned()));
        }
        ("go", ["get" | "install", rest @ ..]) => {
            return Some((added("go", "get", rest), "go get".to_owned()));
        }
        ("go", ["mod", "tidy" | "download" | "vendor", ..]) => {
            return Some((Purpose::Install(Vec::new()), "go mod".to_owned()));
        }
        ("dotnet", ["restore", ..]) => {
            return Some((Purpose::Install(Vec::new()), "dotnet restore".to_owned()));
        }
        ("dotnet", words) => return dotnet(words),
        ("flutter" | "dart", ["pub", "add", rest @ ..]) => {
            return Some((added("pub", "add", rest), format!("{program} pub add")));
        }
        ("flutter" | "dart", ["pub", "get" | "upgrade", ..]) => {
            return Some((Purpose::Install(Vec::new()), format!("{program} pub get")));
        }
        ("flutter" | "dart", ["pub", "remove", rest @ ..]) => {
            return Some((Purpose::Remove(operands(rest, &[])), format!("{program} pub remove")));
        }
        ("yarn" | "pnpm", ["workspace", _, rest @ ..]) => return classified(program, rest),
        ("rustup", ["target" | "component" | "toolchain", "add" | "install", ..]) => {
            return Some((Purpose::Install(Vec::new()), "rustup".to_owned()));
        }
        _ => {}
    }
    let manager = MANAGERS.iter().find(|manager| manager.name == program)?;
    let (sub, rest) = subcommand(manager, arguments)?;
    let family = if sub.is_empty() { format!("{program} install") } else { format!("{program} {sub}") };
    if manager.adds.contains(&sub) {
        return Some((added(program, sub, rest), family));
    }
    manager.removes.contains(&sub).then(|| (Purpose::Remove(operands(rest, manager.valued)), family))
}

/// Finds the subcommand behind the options of the manager itself.
fn subcommand<'a, 'w>(manager: &Manager, arguments: &'a [&'w str]) -> Option<(&'w str, &'a [&'w str])> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if !word.starts_with('-') || manager.name == "pacman" {
            return Some((word, &arguments[at + 1..]));
        }
        if matches!(*word, "--version" | "-v" | "-V" | "--help" | "-h") {
            return None;
        }
        at += if manager.valued.contains(word) { 2 } else { 1 };
    }
    manager.adds.contains(&"").then_some(("", &[]))
}

fn added(program: &str, sub: &str, rest: &[&str]) -> Purpose {
    let manager = MANAGERS.iter().find(|manager| manager.name == program);
    let valued = manager.map_or(&[][..], |manager| manager.valued);
    let versions = manager.map_or(&["@"][..], |manager| manager.versions);
    // What is only fetched anew names nothing that the project does not have.
    if matches!(sub, "ci" | "sync" | "lock" | "fetch" | "deps.get") {
        return Purpose::Install(Vec::new());
    }
    let mut dev = rest.iter().any(|word| DEV.contains(word));
    let mut common_version = None;
    let mut words = rest.iter().copied();
    let mut named = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            continue;
        }
        if valued.contains(&word) {
            let value = words.next();
            match word {
                "--group" | "-G" | "-g" => dev |= value.is_some_and(is_dev_group),
                "--version" | "--vers" | "-v" | "--precise" => common_version = value,
                _ => {}
            }
        } else if !word.starts_with('-') && is_package(word) {
            named.push(word);
        }
    }
    let packages = named
        .into_iter()
        .map(|word| {
            let (name, version) = split(word, versions);
            let to = version.or(common_version).map(str::to_owned);
            Package { name: name.to_owned(), from: None, to, dev }
        })
        .collect();
    Purpose::Install(packages)
}

fn is_dev_group(group: &str) -> bool {
    matches!(group, "dev" | "test" | "tests" | "lint" | "docs" | "development" | "typing")
}

/// Tells whether a word names a package rather than a directory, a file or an address.
fn is_package(word: &str) -> bool {
    !(word == "."
        || word.starts_with("./")
        || word.starts_with("../")
        || word.starts_with('/')
        || word.starts_with(".[")
        || word.starts_with('$')
        || word.contains("://")
        || word.contains('\\')
        || [".txt", ".whl", ".tgz", ".tar.gz", ".deb"].iter().any(|ending| word.ends_with(ending)))
}

fn split<'w>(word: &'w str, marks: &[&str]) -> (&'w str, Option<&'w str>) {
    // A scope begins with the mark of a version: `@types/node@20`.
    let from = usize::from(word.starts_with('@'));
    let place = marks
        .iter()
        .filter_map(|mark| word[from..].find(mark).map(|at| (at + from, mark.len())))
        .min_by_key(|(at, width)| (*at, usize::MAX - width));
    let Some((at, width)) = place else { return (without_extras(word), None) };
    let is_exact = matches!(&word[at..at + width], "@" | "==" | "===" | "=" | ":");
    let version = if is_exact { &word[at + width..] } else { &word[at..] };
    let version = version.trim();
    (without_extras(&word[..at]), (!version.is_empty()).then_some(version))
}

fn without_extras(name: &str) -> &str {
    name.split('[').next().unwrap_or(name).trim()
}

fn operands(rest: &[&str], valued: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = rest.iter().copied();
    while let Some(word) = words.next() {
        if valued.contains(&word) {
            words.next();
        } else if !word.starts_with('-') && is_package(word) {
            found.push(word.to_owned());
        }
    }
    found
}

fn dotnet(words: &[&str]) -> Option<(Purpose, String)> {
    let at = words.iter().position(|word| *word == "package")?;
    let name = words.get(at + 1)?;
    let version =
        words.iter().position(|word| matches!(*word, "--version" | "-v")).and_then(|at| words.get(at + 1));
    match *words.first()? {
        "add" => {
            let package = Package {
                name: (*name).to_owned(),
                from: None,
                to: version.map(|v| (*v).to_owned()),
                dev: false,
            };
            Some((Purpose::Install(vec![package]), "dotnet add package".to_owned()))
        }
        "remove" => Some((Purpose::Remove(vec![(*name).to_owned()]), "dotnet remove package".to_owned())),
        _ => None,
    }
}
