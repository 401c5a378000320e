//! Errors of one line: package managers, containers, databases, clusters, git, the shell.

use super::Failure;
use super::places::colons;

/// Finds what a package manager could not do.
pub(super) fn package_managers(lines: &[&str]) -> Option<Failure> {
    npm(lines).or_else(|| pip(lines)).or_else(|| {
        lines.iter().enumerate().find_map(|(at, line)| {
            let text = line.trim();
            if let Some(rest) = text.strip_prefix("ERR_PNPM_") {
                let (code, message) = rest.split_once("  ").unwrap_or((rest, ""));
                return Some(Failure {
                    message: message.trim().to_owned(),
                    code: Some(format!("ERR_PNPM_{}", code.trim())),
                    ..Failure::default()
                });
            }
            // Yarn: `➤ YN0028: │ The lockfile would have been modified`
            if let Some(rest) = text.strip_prefix("➤ YN")
                && let Some((code, message)) = rest.split_once(": ")
                && !matches!(code, "0000" | "0002" | "0007" | "0013" | "0019" | "0060" | "0085" | "0086")
            {
                return Some(Failure {
                    message: message.trim_start_matches(['│', ' ', '┌', '└']).to_owned(),
                    code: Some(format!("YN{code}")),
                    ..Failure::default()
                });
            }
            // uv: `× No solution found when resolving dependencies:` and the reason below
            if let Some(rest) = text.strip_prefix("× ") {
                let reason = lines
                    .get(at + 1)
                    .map(|line| line.trim().trim_start_matches(['╰', '─', '▶', '├', ' ']))
                    .filter(|reason| !reason.is_empty());
                let message = reason.map_or_else(|| rest.to_owned(), |reason| format!("{rest} {reason}"));
                return Some(Failure { message, ..Failure::default() });
            }
            None
        })
    })
}

fn npm(lines: &[&str]) -> Option<Failure> {
    let told: Vec<&str> = lines
        .iter()
        .filter_map(|line| {
            line.trim().strip_prefix("npm ERR!").or_else(|| line.trim().strip_prefix("npm error"))
        })
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let code = told.iter().find_map(|line| line.strip_prefix("code ")).map(str::to_owned);
    let message = told.iter().find(|line| {
        ![
            "code ",
            "errno ",
            "syscall ",
            "path ",
            "A complete log",
            "Lifecycle script",
            "command ",
            "Log files",
            "in workspace",
            "location ",
        ]
        .iter()
        .any(|mark| line.starts_with(mark))
            && !line.chars().all(|c| c.is_ascii_digit())
    })?;
    let message = match message
        .strip_prefix("404 ")
        .or_else(|| code.as_deref().and_then(|code| message.strip_prefix(code)))
    {
        Some(rest) => rest.trim_start_matches([':', ' ']),
        None => message,
    };
    // Resolving takes several lines to come to the point.
    let found = told.iter().find_map(|line| line.strip_prefix("Could not resolve dependency:")).is_some();
    let peer = told.iter().find(|line| line.starts_with("peer ")).filter(|_| found);
    let message =
        peer.map_or_else(|| message.to_owned(), |peer| format!("{} ({peer})", message.trim_end_matches('.')));
    Some(Failure {
        message,
        code: code.filter(|code| !code.chars().all(|c| c.is_ascii_digit())),
        ..Failure::default()
    })
}

fn pip(lines: &[&str]) -> Option<Failure> {
    let told = lines.iter().map(|line| line.trim()).filter_map(|line| line.strip_prefix("ERROR: ")).find(
        |line| {
            [
                "Could not find a version",
                "No matching distribution",
                "Cannot install",
                "Failed building wheel",
                "Could not build wheels",
                "ResolutionImpossible",
                "Could not install",
                "Invalid requirement",
                "Could not open requirements",
                "Package ",
            ]
            .iter()
            .any(|mark| line.starts_with(mark))
        },
    )?;
    let told = told.split(" (from versions:").next().unwrap_or(told);
    Some(Failure { message: told.to_owned(), ..Failure::default() })
}

/// How a line is recognised.
#[derive(Clone, Copy)]
enum Mark {
    Start(&'static str),
    Anywhere(&'static str),
}

/// Lines of tools that say the cause; the first mark that fits any line holds, and the first such line.
const TOOLS: &[Mark] = &[
    Mark::Start("CONFLICT ("),
    Mark::Start("! [rejected]"),
    Mark::Start("! [remote rejected]"),
    Mark::Start("psql: error:"),
    Mark::Anywhere(": ERROR:  "),
    Mark::Start("ERROR:  "),
    Mark::Start("Error from server"),
    Mark::Start("Error: INSTALLATION FAILED"),
    Mark::Start("Error: UPGRADE FAILED"),
    Mark::Start("ERROR: failed to solve"),
    Mark::Start("ERROR: failed to build"),
    Mark::Start("docker: "),
    Mark::Start("Error response from daemon"),
    Mark::Start("Cannot connect to the Docker daemon"),
    Mark::Start("An error occurred ("),
    Mark::Start("remote: error:"),
    Mark::Start("error: pathspec"),
    Mark::Start("error: failed to push"),
    Mark::Start("fatal: "),
    Mark::Start("curl: ("),
    Mark::Start("ssh: "),
    Mark::Anywhere("Could not resolve host"),
    Mark::Anywhere("Connection refused"),
    Mark::Anywhere("ECONNREFUSED"),
];

/// Without one of these no line of a tool is there.
pub(super) const TOOL_SIGNS: &[&str] = &[
    "rror",
    "ERROR",
    "fatal: ",
    "CONFLICT (",
    "rejected]",
    "ocker",
    "curl: (",
    "ssh: ",
    "Could not resolve host",
    "refused",
    "ECONNREFUSED",
    "HTTP/",
];

/// Finds the line of a tool that says the cause.
pub(super) fn tools(lines: &[&str]) -> Option<Failure> {
    if let Some(found) = terraform(lines).or_else(|| mysql(lines)).or_else(|| prisma(lines)) {
        return Some(found);
    }
    let told = TOOLS.iter().find_map(|mark| {
        lines.iter().map(|line| line.trim()).find(|line| match mark {
            Mark::Start(start) => line.starts_with(start),
            Mark::Anywhere(part) => line.contains(part),
        })
    });
    if let Some(line) = told {
        // psql -f says where: `psql:schema.sql:12: ERROR:  …`
        let spot =
            line.strip_prefix("psql:").and_then(colons).map(|(path, row, _)| (path.to_owned(), Some(row)));
        let message = line.find("ERROR:  ").map_or(line, |at| &line[at..]).trim_start_matches("! ");
        return Some(Failure { message: message.to_owned(), code: None, place: spot, tests: Vec::new() });
    }
    http(lines)
}

/// Terraform draws a box: `│ Error: message`, and below it `│   on main.tf line 12, in …`.
fn terraform(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| {
        line.trim_start().trim_start_matches('│').trim_start().starts_with("Error: ")
            && line.trim_start().starts_with('│')
    })?;
    let message = lines[at].trim().trim_start_matches('│').trim().trim_start_matches("Error: ");
    let inside: Vec<&str> = lines[at + 1..]
        .iter()
        .take(14)
        .take_while(|line| line.trim_start().starts_with('│'))
        .map(|line| line.trim().trim_start_matches('│').trim())
        .collect();
    let spot = inside.iter().find_map(|line| {
        let (path, rest) = line.strip_prefix("on ")?.split_once(" line ")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        Some((path.to_owned(), rest[..digits].parse().ok()))
    });
    let detail = inside
        .iter()
        .rev()
        .find(|line| {
            !line.is_empty() && !line.starts_with("on ") && !line.contains(": ") && line.ends_with('.')
        })
        .copied();
    let message = match detail {
        Some(detail) if message.len() < 60 => format!("{message}: {detail}"),
        _ => message.to_owned(),
    };
    Some(Failure { message, code: None, place: spot, tests: Vec::new() })
}

/// `ERROR 1064 (42000) at line 3: You have an error …`
fn mysql(lines: &[&str]) -> Option<Failure> {
    lines.iter().find_map(|line| {
        let rest = line.trim().strip_prefix("ERROR ")?;
        let (code, rest) = rest.split_once(" (")?;
        let (_, message) = rest.split_once(')')?;
        let (_, message) = message.split_once(": ")?;
        code.bytes().all(|byte| byte.is_ascii_digit()).then(|| Failure {
            message: message.to_owned(),
            code: Some(code.to_owned()),
            ..Failure::default()
        })
    })
}

/// `Error: P1001: Can't reach database server` and its like: a letter, digits, a colon.
fn prisma(lines: &[&str]) -> Option<Failure> {
    let text = lines.iter().map(|line| line.trim()).find_map(|line| line.strip_prefix("Error: P"))?;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let message = text[digits..].strip_prefix(':').map(str::trim).filter(|_| digits == 4)?;
    let message = if message.is_empty() {
        let at = lines.iter().position(|line| line.contains(text))?;
        lines[at + 1..].iter().map(|line| line.trim()).find(|line| !line.is_empty())?
    } else {
        message
    };
    Some(Failure {
        message: message.to_owned(),
        code: Some(format!("P{}", &text[..digits])),
        ..Failure::default()
    })
}

/// `HTTP/1.1 500 Internal Server Error`, also behind the arrow of `curl -v`.
fn http(lines: &[&str]) -> Option<Failure> {
    lines.iter().rev().find_map(|line| {
        let text = line.trim().trim_start_matches("< ");
        let rest = text.strip_prefix("HTTP/")?;
        let (_, status) = rest.split_once(' ')?;
        let code = status.get(..3)?;
        (code.starts_with(['4', '5']) && code.bytes().all(|byte| byte.is_ascii_digit())).then(|| Failure {
            message: format!("HTTP {}", status.trim()),
            code: Some(code.to_owned()),
            ..Failure::default()
        })
    })
}

/// What the shell and the system say when something cannot be done.
pub(super) const SHELL: &[&str] = &[
    "No test files found",
    "No tests found",
    "no tests ran",
    "command not found",
    "Permission denied",
    "No such file or directory",
    ": not found",
    "Address already in use",
    "address already in use",
    "Segmentation fault",
    "Killed",
    "No space left on device",
    "Is a directory",
    "Text file busy",
    "is not recognized as",
];

/// Finds what the shell could not do.
pub(super) fn shell(lines: &[&str]) -> Option<Failure> {
    lines.iter().map(|line| line.trim()).find_map(|line| {
        let mark = SHELL.iter().find(|mark| line.contains(**mark))?;
        if line.len() > 240
            || (*mark == "Killed" && line != "Killed")
            || (*mark == ": not found" && !line.contains(": "))
        {
            return None;
        }
        // `/bin/bash: line 1: foo: command not found`
        let message = line.strip_prefix("zsh: ").unwrap_or(line);
        let message = message
            .split_once(": line ")
            .map_or(message, |(_, rest)| rest.split_once(": ").map_or(rest, |(_, rest)| rest));
        let message = ["bash: ", "sh: ", "/bin/sh: ", "/bin/bash: ", "-bash: "]
            .iter()
            .find_map(|shell| message.strip_prefix(shell))
            .unwrap_or(message);
        let digits = message.bytes().take_while(u8::is_ascii_digit).count();
        let message = message[digits..].strip_prefix(": ").filter(|_| digits > 0).unwrap_or(message);
        Some(Failure { message: message.to_owned(), ..Failure::default() })
    })
}
