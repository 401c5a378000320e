//! Hints from the knowledge base: a decision or a memory that names a file by its path.
//!
//! Whoever writes down "`lib/proto.py` is generated, do not edit it" wants whoever opens that file to know. So what is filed needs no proof
//! and no importance, only a path: with a directory in it, or the name of a file at the top of the repo, and of few files, for a text that
//! names many is about none of them. What lies in a repository that the owner does not trust says so in its label.

use std::collections::BTreeSet;

use custos_index::{Entry, Files, Index};
use custos_model::Sort;

use super::file::Key;
use super::hint::{Hint, Trigger};
use super::wording;
use crate::access::may_see;
use crate::error::RecallError;
use crate::policy::AtTool;
use crate::viewer::Viewer;

/// How many files of the knowledge base are looked at.
const LOOKED_AT: usize = 2_000;

/// How many words a line has at least that says something; keywords alone do not.
const WORDS: usize = 3;

/// Makes the hints of what is filed for a project, each with how much it matters.
pub(super) fn hints(
    index: &mut Index,
    everybody: &Viewer<'_>,
    project: &str,
    policy: &AtTool,
) -> Result<Vec<(f64, Hint)>, RecallError> {
    let mut made = Vec::new();
    let known = index.known_files(Files::Project(project))?;
    let is_told = |path: &str| path.starts_with("decisions/") || path.starts_with("memory/");
    for file in known.into_iter().filter(|file| is_told(&file.path)).take(LOOKED_AT) {
        let Some((key, entry)) = index.entry_of(file.id)? else { continue };
        if !may_see(everybody, &entry) {
            continue;
        }
        let text = index.knowledge_text(key)?.unwrap_or_default();
        for path in named(entry.title.as_deref().unwrap_or_default(), &text, policy.subjects) {
            let importance = entry.importance.unwrap_or_default();
            made.extend(hint(Key::of_file(&path), &entry, &text).map(|hint| (importance, hint)));
        }
    }
    Ok(made)
}

/// Makes the hint of an item; none of what is neither a decision nor a memory.
pub(super) fn hint(key: Key, entry: &Entry, text: &str) -> Option<Hint> {
    let sort = match entry.sort.as_deref() {
        Some("decision") => Sort::Decision,
        Some("memory") => Sort::Discovery,
        _ => return None,
    };
    // It begins with what it is about; reasons and keywords follow.
    let first = text.lines().next().filter(|line| line.split_whitespace().count() >= WORDS);
    let title = entry.title.as_deref().unwrap_or_default();
    let said = wording::Said { title, facts: first.into_iter().collect(), ..wording::Said::default() };
    let text = wording::told(&said, &[], Trigger::File)?;
    Some(Hint { key, id: entry.id, ts: entry.ts, sort, session: 0, trusted: entry.trusted, text })
}

/// Lists the files that an item is about: those that it names, or those in its title where it names many.
fn named(title: &str, text: &str, most: usize) -> BTreeSet<String> {
    let all: BTreeSet<String> = paths(title).chain(paths(text)).collect();
    if all.len() <= most {
        return all;
    }
    let titled: BTreeSet<String> = paths(title).collect();
    if titled.len() <= most { titled } else { BTreeSet::new() }
}

/// Finds the paths in a text.
fn paths(text: &str) -> impl Iterator<Item = String> {
    let is_border = |c: char| {
        c.is_whitespace()
            || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | ',' | ';' | '“' | '”' | '<' | '>')
    };
    text.split(is_border).filter_map(|word| {
        let word = word.trim_end_matches(['.', ':', '!', '?']).trim_start_matches("./");
        // `src/a.rs:12` is a place in a file.
        let path = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
        let path = if path.len() < word.len() && word[path.len()..].starts_with(':') { path } else { word };
        is_path(path).then(|| path.to_owned())
    })
}

fn is_path(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@');
    let parts: Vec<&str> = word.split('/').collect();
    let is_part = |part: &&str| !matches!(*part, "" | "." | "..");
    let name = parts.last().copied().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    word.len() <= 200 && word.chars().all(is_plain) && parts.iter().all(is_part) && has_ending
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::title("lib/proto.py is generated", "", &["lib/proto.py"])]
    #[case::quoted("Floats", "Use Decimal in `lib/pay.py`.", &["lib/pay.py"])]
    #[case::keywords("Floats", "Rounding\nlib/pay.py, money", &["lib/pay.py"])]
    #[case::place("Floats", "See ./lib/pay.py:12: it rounds.", &["lib/pay.py"])]
    #[case::top("Cargo.toml has no `rand`", "", &["Cargo.toml"])]
    #[case::many("All", "a/a.py b/b.py c/c.py d/d.py", &[])]
    #[case::many_and_a_title("In x/x.py", "a/a.py b/b.py c/c.py d/d.py", &["x/x.py"])]
    #[case::no_paths("and/or 1.5 v2.0.1 https://a.example/x.html ../x.py /etc/x.conf", "lib/", &[])]
    fn what_is_filed_is_about_the_paths_that_it_names(
        #[case] title: &str,
        #[case] text: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(named(title, text, 3).into_iter().collect::<Vec<_>>(), expected);
    }
}
