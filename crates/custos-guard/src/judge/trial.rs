//! Trials of a judge: calls that it must hold, and calls that it must leave alone, one per line.

use crate::case::Case;
use crate::invocation::{Arg, Invocation, Stream, UNKNOWN, Use};
use crate::rules::Policy;
use crate::world::{NoFiles, Own, World};

/// A judge under trial.
pub(crate) type Judge = fn(&Invocation, &mut Case<'_>);

/// Reads a call: words between spaces, `'…'` for one with spaces in it, `$X` for what is not known, `NAME=value` before the program for
/// its environment, `<<< word` for its input, `> word` and `<> word` for its files.
pub(crate) fn call(text: &str) -> Invocation {
    let mut call = Invocation { cwd: Some("/home/user/project".to_owned()), ..Invocation::default() };
    let mut words = words(text).into_iter();
    while let Some(word) = words.next() {
        let mut next = || Arg::from(words.next().unwrap_or_default().as_str());
        match word.as_str() {
            "<<<" => call.stdin = Stream::Text(next().text().to_owned()),
            ">" => call.redirects.push((Use::Write, next())),
            "<>" => call.redirects.push((Use::Both, next())),
            "…" => call.open_ended = true,
            word => match word.split_once('=') {
                Some((name, value)) if call.argv.is_empty() => {
                    call.env.push((name.to_owned(), Arg::from(value)));
                }
                _ => call.argv.push(Arg::from(word)),
            },
        }
    }
    call
}

fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for character in text.replace("$X", &UNKNOWN.to_string()).chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(character),
        }
    }
    words
}

/// The rules that hold a call.
pub(crate) fn found(judge: Judge, call: &Invocation) -> Vec<String> {
    let own = Own { programs: vec!["/home/user/.local/bin/custos".to_owned()], ..Own::default() };
    let files = NoFiles::default();
    let home = "/home/user";
    let world = World {
        home: Some(home),
        cwd: "/home/user/project",
        root: "/home/user/project",
        own: &own,
        files: &files,
    };
    let policy = Policy::builtin();
    let mut case = Case::new(world, &policy);
    judge(call, &mut case);
    case.findings.into_iter().map(|finding| finding.rule.into_owned()).collect()
}

/// Of lines `rule: call`, those that are not held by just this rule, with what was found instead.
pub(crate) fn missed(judge: Judge, lines: &[&str]) -> Vec<String> {
    lines
        .iter()
        .filter_map(|line| {
            let (rule, text) = line.split_once(": ").unwrap();
            let found = found(judge, &call(text));
            (found != [rule]).then(|| format!("{line} -> {found:?}"))
        })
        .collect()
}

/// Of these calls, those that are held, and by what.
pub(crate) fn disturbed(judge: Judge, calls: &[&str]) -> Vec<String> {
    calls
        .iter()
        .filter_map(|text| {
            let found = found(judge, &call(text));
            (!found.is_empty()).then(|| format!("{text} -> {found:?}"))
        })
        .collect()
}
