//! Languages, by the endings of files.

use std::collections::BTreeMap;

use super::findings::{Finding, Topic};
use super::foreign;
use super::walk::{Tree, extension_of, is_aside, name_of};

/// Endings of source files, sorted. Data and prose are not counted: they would outnumber the code.
const ENDINGS: &[(&str, &str)] = &[
    ("bash", "Shell"),
    ("c", "C"),
    ("cc", "C++"),
    ("cjs", "JavaScript"),
    ("clj", "Clojure"),
    ("cpp", "C++"),
    ("cs", "C#"),
    ("css", "CSS"),
    ("cts", "TypeScript"),
    ("cxx", "C++"),
    ("dart", "Dart"),
    ("erl", "Erlang"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("fs", "F#"),
    ("go", "Go"),
    ("groovy", "Groovy"),
    ("h", "C"),
    ("hh", "C++"),
    ("hpp", "C++"),
    ("hs", "Haskell"),
    ("html", "HTML"),
    ("hxx", "C++"),
    ("java", "Java"),
    ("jl", "Julia"),
    ("js", "JavaScript"),
    ("jsx", "JavaScript"),
    ("kt", "Kotlin"),
    ("kts", "Kotlin"),
    ("lua", "Lua"),
    ("m", "Objective-C"),
    ("mjs", "JavaScript"),
    ("ml", "OCaml"),
    ("mm", "Objective-C"),
    ("mts", "TypeScript"),
    ("php", "PHP"),
    ("pl", "Perl"),
    ("proto", "Protocol Buffers"),
    ("ps1", "PowerShell"),
    ("py", "Python"),
    ("pyi", "Python"),
    ("r", "R"),
    ("rb", "Ruby"),
    ("rs", "Rust"),
    ("scala", "Scala"),
    ("scss", "SCSS"),
    ("sh", "Shell"),
    ("sql", "SQL"),
    ("svelte", "Svelte"),
    ("swift", "Swift"),
    ("tf", "Terraform"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("vb", "Visual Basic"),
    ("vue", "Vue"),
    ("zig", "Zig"),
];

/// Manifests that prove a language better than a file in it does.
const MANIFESTS: &[(&str, &[&str])] = &[
    ("Go", &["go.mod"]),
    ("JavaScript", &["package.json"]),
    ("PHP", &["composer.json"]),
    ("Python", &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"]),
    ("Ruby", &["Gemfile"]),
    ("Rust", &["Cargo.toml"]),
    ("Swift", &["Package.swift"]),
    ("TypeScript", &["tsconfig.json"]),
];

/// The most languages that are told.
const MOST: usize = 12;

/// Returns the language of a file. The build files of Gradle are in Kotlin, whatever the project is in.
pub(super) fn language_of(path: &str) -> Option<&'static str> {
    if path.ends_with(".gradle.kts") {
        return None;
    }
    let extension = extension_of(path);
    ENDINGS.binary_search_by(|(known, _)| (*known).cmp(extension)).ok().map(|row| ENDINGS[row].1)
}

/// Counts the languages of a tree, the most used first.
pub(super) fn languages(tree: &Tree) -> Vec<Finding> {
    let mut counts: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for path in tree.files.iter().filter(|path| !is_aside(path)) {
        if let Some(language) = language_of(path) {
            counts.entry(language).or_insert((0, path)).0 += 1;
        }
    }
    // A header belongs to the language of what includes it.
    if counts.contains_key("C++")
        && let Some((headers, first)) = counts.remove("C")
    {
        let is_c = |path: &&String| extension_of(path) == "c" && !is_aside(path);
        let own = tree.files.iter().filter(is_c).count();
        if let Some(cpp) = counts.get_mut("C++") {
            cpp.0 += headers - own;
        }
        if own > 0 {
            counts.insert("C", (own, tree.files.iter().find(is_c).map_or(first, String::as_str)));
        }
    }
    let total: usize = counts.values().map(|(count, _)| count).sum();
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.sort_by(|(a, (more, _)), (b, (less, _))| less.cmp(more).then(a.cmp(b)));
    let shown = ranked.into_iter().take(MOST);
    shown.map(|(language, (count, first))| told(tree, language, count, total, first)).collect()
}

fn told(tree: &Tree, language: &str, count: usize, total: usize, first: &str) -> Finding {
    let share = match (count * 100 + total / 2) / total.max(1) {
        0 => "under 1 %".to_owned(),
        share => format!("{share} %"),
    };
    let files = if count == 1 { "file" } else { "files" };
    Finding {
        topic: Topic::Language,
        name: language.to_owned(),
        detail: Some(format!("{share} of the source files ({count} {files})")),
        source: foreign::source(proof(tree, language).unwrap_or(first), None),
    }
}

fn proof<'t>(tree: &'t Tree, language: &str) -> Option<&'t str> {
    let (_, names) = MANIFESTS.iter().find(|(known, _)| *known == language)?;
    // The walk goes level by level, so the first is the nearest to the root.
    tree.files.iter().map(String::as_str).find(|path| names.contains(&name_of(path)) && !is_aside(path))
}

#[cfg(test)]
mod tests {
    use super::ENDINGS;

    #[test]
    fn endings_are_sorted_for_the_search() {
        assert!(ENDINGS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
