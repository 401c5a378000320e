//! Consoles of frameworks: code in a language that we read, given to a program of the framework's.
//!
//! Such a program is a file of the project, started by itself or by its interpreter: `./manage.py shell -c CODE`, `php artisan tinker
//! --execute=CODE`, `bin/rails runner CODE`.

use std::path::Path;

use crate::code::Language;
use crate::invocation::{Arg, Invocation, Stream};
use crate::walk::scope::Scope;
use crate::walk::{Walk, interpreters};

/// Opens the code that a framework's console is given; `false` if these words (the program first) are none.
pub(crate) fn visit(words: &[&Arg], call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) -> bool {
    let [program, command, args @ ..] = words else { return false };
    let (Some(path), Some(command)) = (program.known(), command.known()) else { return false };
    let name = path.bytes().rposition(|byte| byte == b'/').map_or(path, |slash| &path[slash + 1..]);
    let (language, code) = match (name, command) {
        ("manage.py" | "django-admin", "shell" | "shell_plus") => {
            (Language::Python, value(args, &["-c", "--command"]))
        }
        ("artisan", "tinker") => (Language::Php, value(args, &["--execute"])),
        ("rails", "runner" | "r") => (Language::Ruby, operand(args)),
        _ => return false,
    };
    match code {
        // Anything but a file is code to it.
        Some(code)
            if language == Language::Ruby
                && (code == "-" || Path::new(code).extension().is_some_and(|kind| kind == "rb")) =>
        {
            let content = if code == "-" { call.stdin.clone() } else { scope.content(&Arg::new(code)) };
            read(language, &content, call, walk, scope);
        }
        Some(code) => interpreters::foreign_code(language, code, call, walk, scope),
        None => read(language, &call.stdin, call, walk, scope),
    }
    true
}

/// Opens code that flows into a console.
fn read(language: Language, stream: &Stream, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    match stream {
        Stream::Text(text) => interpreters::foreign_code(language, text, call, walk, scope),
        other => interpreters::judge_stream(other, call, walk),
    }
}

/// The value of an option, attached or apart.
fn value<'a>(args: &[&'a Arg], names: &[&str]) -> Option<&'a str> {
    args.iter().enumerate().find_map(|(at, arg)| {
        let text = arg.text();
        let attached = text.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, value)| value);
        attached.or_else(|| names.contains(&text).then(|| args.get(at + 1).map(|arg| arg.text())).flatten())
    })
}

/// The first operand of `rails runner`, whose only option with a value is the environment.
fn operand<'a>(args: &[&'a Arg]) -> Option<&'a str> {
    let mut words = args.iter().map(|arg| arg.text());
    while let Some(word) = words.next() {
        match word {
            "-e" | "--environment" => {
                words.next();
            }
            "-" => return Some(word),
            word if word.starts_with('-') => {}
            word => return Some(word),
        }
    }
    None
}

/// `ipython -c '!cmd'`: lines that a notebook gives to the shell.
pub(crate) fn notebook(code: &str, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    for line in code.lines().map(str::trim_start) {
        let script =
            ["!", "%sx ", "%system ", "%%bash", "%%sh"].iter().find_map(|way| line.strip_prefix(way));
        if let Some(script) = script {
            walk.text(script.trim_start_matches('!'), &mut scope.clone(), &call.stdin);
        }
    }
}
