//! What stands around a command without being it: assignments, keywords, `sudo`, `timeout 60`, `poetry run`, `docker compose exec api`.

use super::programs::base_name;
use super::words::Word;

/// A program that runs another one.
struct Wrapper {
    /// Its words, such as `poetry run`.
    words: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Words of its own after the options, such as the seconds of `timeout`.
    operands: usize,
}

const fn wrapper(
    words: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { words, valued, operands }
}

/// The longer ones first, where one begins like another.
const WRAPPERS: &[Wrapper] = &[
    wrapper(&["sudo"], &["-u", "-g", "-h", "-p", "-C"], 0),
    wrapper(&["doas"], &["-u"], 0),
    wrapper(&["env"], &["-u", "-C", "-S", "--unset", "--chdir"], 0),
    wrapper(&["timeout"], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper(&["gtimeout"], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper(&["nice"], &["-n"], 0),
    wrapper(&["ionice"], &["-c", "-n"], 0),
    wrapper(&["nohup"], &[], 0),
    wrapper(&["setsid"], &[], 0),
    wrapper(&["exec"], &["-a"], 0),
    wrapper(&["command"], &[], 0),
    wrapper(&["builtin"], &[], 0),
    wrapper(&["time"], &["-f", "-o"], 0),
    wrapper(&["stdbuf"], &["-i", "-o", "-e"], 0),
    wrapper(&["unbuffer"], &[], 0),
    wrapper(&["caffeinate"], &["-t", "-w"], 0),
    wrapper(&["xvfb-run"], &["-s", "-n", "-e"], 0),
    wrapper(&["xargs"], &["-n", "-I", "-P", "-L", "-d", "-s", "-a", "--max-args", "--max-procs"], 0),
    wrapper(&["chronic"], &[], 0),
    wrapper(&["cross-env"], &[], 0),
    wrapper(&["dotenv"], &["-e", "-f"], 0),
    wrapper(&["direnv", "exec"], &[], 1),
    wrapper(&["mise", "exec"], &["-C"], 0),
    wrapper(&["mise", "x"], &["-C"], 0),
    wrapper(&["asdf", "exec"], &[], 0),
    wrapper(&["op", "run"], &["--env-file"], 0),
    wrapper(&["doppler", "run"], &["-p", "-c", "--project", "--config"], 0),
    wrapper(&["poetry", "run"], &["-C", "--directory"], 0),
    wrapper(
        &["uv", "run"],
        &[
            "--with",
            "--group",
            "--extra",
            "--package",
            "--python",
            "-p",
            "--project",
            "--directory",
            "--env-file",
        ],
        0,
    ),
    wrapper(&["pdm", "run"], &["-p"], 0),
    wrapper(&["pipenv", "run"], &[], 0),
    wrapper(&["hatch", "run"], &["-e"], 0),
    wrapper(&["rye", "run"], &[], 0),
    wrapper(&["pixi", "run"], &["-e"], 0),
    wrapper(&["conda", "run"], &["-n", "-p", "--cwd"], 0),
    wrapper(&["coverage", "run"], &["--source", "--rcfile", "--omit", "--include"], 0),
    wrapper(&["bundle", "exec"], &["--gemfile"], 0),
    wrapper(&["nix", "develop"], &[], 0),
    wrapper(
        &["docker", "compose", "exec"],
        &["-u", "-e", "-w", "--user", "--env", "--workdir", "--index"],
        1,
    ),
    wrapper(
        &["docker", "compose", "run"],
        &["-u", "-e", "-w", "-v", "-p", "--user", "--env", "--workdir", "--name", "--entrypoint"],
        1,
    ),
    wrapper(&["docker-compose", "exec"], &["-u", "-e", "-w", "--user", "--env", "--workdir"], 1),
    wrapper(
        &["docker-compose", "run"],
        &["-u", "-e", "-w", "-v", "-p", "--user", "--env", "--workdir", "--name", "--entrypoint"],
        1,
    ),
    wrapper(&["docker", "exec"], &["-u", "-e", "-w", "--user", "--env", "--workdir"], 1),
    wrapper(&["podman", "exec"], &["-u", "-e", "-w", "--user", "--env", "--workdir"], 1),
    wrapper(&["ddev", "exec"], &["-s", "-d"], 0),
    wrapper(&["sail"], &[], 0),
];

/// Words that only open a construct; the command follows them.
const OPENING: [&str; 11] = ["if", "elif", "while", "until", "then", "else", "do", "!", "{", "(", "--"];
/// Words that begin no command.
const NO_COMMAND: [&str; 9] = ["for", "case", "select", "function", "done", "fi", "esac", "}", ")"];

/// Takes off everything that stands around a command; none where no command is left.
pub(super) fn unwrapped<'w, 'l>(words: &'w [Word<'l>]) -> Option<&'w [Word<'l>]> {
    let mut rest = words;
    loop {
        let first = rest.first()?.text.as_str();
        if NO_COMMAND.contains(&first) {
            return None;
        }
        if is_assignment(first) || OPENING.contains(&first) {
            rest = &rest[1..];
            continue;
        }
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| begins(rest, wrapper.words)) else {
            return Some(rest);
        };
        let inner = inside(rest, wrapper);
        if inner.is_empty() {
            // `env`, `docker compose run`, `sudo -v` by themselves are commands.
            return Some(rest);
        }
        rest = inner;
    }
}

fn begins(words: &[Word<'_>], with: &[&str]) -> bool {
    words.len() >= with.len()
        && with.iter().zip(words).enumerate().all(|(at, (name, word))| {
            *name == if at == 0 { base_name(&word.text) } else { word.text.as_str() }
        })
}

fn inside<'w, 'l>(words: &'w [Word<'l>], wrapper: &Wrapper) -> &'w [Word<'l>] {
    let mut at = wrapper.words.len();
    let mut operands = wrapper.operands;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            if operands == 0 {
                break;
            }
        } else if text == "-c" && wrapper.words.first() == Some(&"nix") {
            at += 1;
            break;
        } else if text.starts_with('-') && text.len() > 1 {
            at += if wrapper.valued.contains(&text) { 2 } else { 1 };
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            break;
        }
    }
    words.get(at..).unwrap_or_default()
}

/// Returns the script of `bash -lc '…'`.
pub(super) fn script_of_shell<'w>(words: &'w [Word<'_>]) -> Option<&'w str> {
    let program = base_name(&words.first()?.text);
    if !matches!(
        program,
        "bash" | "sh" | "zsh" | "dash" | "ash" | "ksh" | "fish" | "pwsh" | "powershell" | "eval"
    ) {
        return None;
    }
    if program == "eval" {
        return words.get(1).map(|word| word.text.as_str());
    }
    let at = words.iter().position(|word| {
        let option = word.text.as_str();
        option.eq_ignore_ascii_case("-command")
            || (option.starts_with('-')
                && !option.starts_with("--")
                && option.ends_with('c')
                && option.len() <= 5)
    })?;
    words.get(at + 1).map(|word| word.text.as_str())
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}
