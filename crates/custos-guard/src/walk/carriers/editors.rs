//! Editors, debuggers and other programs with a language of their own, in which there is a way out to the shell.
//!
//! Their languages are not followed. Only the ways out are known, and what stands behind them is a script.

use super::bare;
use crate::code::Language;
use crate::invocation::{Arg, Invocation, Stream};
use crate::walk::scope::Scope;
use crate::walk::{Walk, interpreters};

pub(super) fn editor(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    let commands = args.iter().enumerate().filter_map(|(at, arg)| match arg.text() {
        "-c" | "-sc" | "--cmd" | "--eval" | "-eval" => args.get(at + 1).map(Arg::text),
        text => text.strip_prefix('+'),
    });
    let mut texts: Vec<String> = commands.map(str::to_owned).collect();
    if let Stream::Text(text) = &call.stdin {
        texts.extend(text.lines().map(str::to_owned));
    }
    for (at, arg) in args.iter().enumerate() {
        if matches!(arg.text(), "-S" | "-s" | "-u")
            && let Some(Stream::Text(text)) = args.get(at + 1).map(|file| scope.content(file))
        {
            texts.extend(text.lines().map(str::to_owned));
        }
    }
    for text in texts {
        let text = text.trim_start_matches([':', '%', '.']);
        if let Some(code) = text.strip_prefix("lua ").or_else(|| text.strip_prefix("lua=")) {
            interpreters::foreign_code(Language::Lua, code, call, walk, &mut scope.clone());
        } else if let Some(code) = text
            .strip_prefix("py ")
            .or_else(|| text.strip_prefix("py3 "))
            .or_else(|| text.strip_prefix("python3 "))
        {
            interpreters::foreign_code(Language::Python, code, call, walk, &mut scope.clone());
        }
        let script = text
            .strip_prefix('!')
            .or_else(|| text.strip_prefix("silent !"))
            .or_else(|| text.strip_prefix("r!"));
        if let Some(script) =
            script.or_else(|| between(text, "system(\"", "\"")).or_else(|| between(text, "system('", "'"))
        {
            walk.text(script, &mut scope.clone(), &Stream::Inherited);
        } else if let Some(script) = between(text, "shell-command \"", "\"")
            .or_else(|| between(text, "shell-command-to-string \"", "\""))
        {
            walk.text(script, &mut scope.clone(), &Stream::Inherited);
        }
    }
}

pub(super) fn debugger(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        let text = arg.text();
        let attached = text.strip_prefix("--eval-command=").or_else(|| text.strip_prefix("-ex="));
        match text {
            _ if attached.is_some()
                || matches!(text, "-ex" | "-iex" | "--ex" | "-o" | "--eval-command" | "-x") =>
            {
                let next = args.get(at + 1);
                let command = match (attached, text) {
                    (Some(command), _) => command.to_owned(),
                    (None, "-x") => match next.map(|file| {
                        if file.is("/dev/stdin") { call.stdin.clone() } else { scope.content(file) }
                    }) {
                        Some(Stream::Text(text)) => text,
                        _ => continue,
                    },
                    (None, _) => next.map(|arg| arg.text().to_owned()).unwrap_or_default(),
                };
                let command = command.as_str();
                let script = ["shell ", "!", "platform shell ", "make "]
                    .iter()
                    .find_map(|prefix| command.strip_prefix(prefix));
                if let Some(script) = script {
                    walk.text(script, &mut scope.clone(), &Stream::Inherited);
                } else if let Some(code) =
                    command.strip_prefix("python ").or_else(|| command.strip_prefix("script "))
                {
                    interpreters::foreign_code(Language::Python, code, call, walk, &mut scope.clone());
                }
            }
            "--args" | "--" => {
                let argv = args[at + 1..].to_vec();
                if !argv.is_empty() {
                    walk.nested(Invocation { argv, ..bare(call) }, scope);
                }
                return;
            }
            _ => {}
        }
    }
}

/// Programs with a way out to the shell: `.shell cmd`, `!cmd`, `syscmd(cmd)`.
pub(super) fn bangs(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let mut texts: Vec<String> = call.args().iter().map(|arg| arg.text().to_owned()).collect();
    if let Stream::Text(text) = &call.stdin {
        texts.extend(text.lines().map(str::to_owned));
    }
    for text in texts {
        let text = text.trim_start();
        let script =
            [".shell ", ".system ", "!", "syscmd(", "esyscmd("].iter().find_map(|way| text.strip_prefix(way));
        if let Some(script) = script {
            walk.text(script.trim_end_matches(')'), &mut scope.clone(), &Stream::Inherited);
        }
    }
}

pub(super) fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inner, _)| inner)
}
