//! The map of a project: one line for each folder near the root.
//!
//! The line is somebody's own words where there are any: the README of the folder, the documentation of its module, the description in
//! its manifest. Failing that, what such a name usually means; failing that, how many files there are and of which kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::documentation;
use super::findings::{Folder, Source};
use super::foreign;
use super::languages::language_of;
use super::meaning;
use super::notes::Notes;
use super::reading::Reader;
use super::sentence;
use super::walk::{Tree, above, folder_of, is_aside, join, name_of};

/// The most folders.
const MOST_FOLDERS: usize = 60;
/// The deepest folders.
const DEEPEST: usize = 3;

/// Names of a folder's README.
const READMES: &[&str] = &["README.md", "readme.md", "README.rst", "README.adoc", "README.txt", "README"];
/// Modules whose documentation speaks for their folder.
const MODULES: &[&str] = &[
    "mod.rs",
    "lib.rs",
    "main.rs",
    "src/lib.rs",
    "src/main.rs",
    "__init__.py",
    "doc.go",
    "package-info.java",
    "index.ts",
    "index.js",
    "src/index.ts",
    "src/index.js",
];

/// What is in a folder and below.
#[derive(Default)]
struct Content {
    files: usize,
    languages: BTreeMap<&'static str, usize>,
    /// A source file of Go in the folder itself: any of them may have the documentation.
    go: Option<String>,
}

/// Draws the map.
pub(super) fn structure(tree: &Tree, reader: &mut Reader<'_>, notes: &Notes) -> Vec<Folder> {
    let contents = contents(tree);
    let mut chosen: Vec<(&str, &Content)> = contents
        .iter()
        .filter(|(path, _)| is_worth_a_line(path))
        .map(|(path, content)| (*path, content))
        .collect();
    chosen.sort_by_key(|(path, content)| (path.split('/').count(), Reverse(content.files), *path));
    chosen.truncate(MOST_FOLDERS);
    chosen.sort_by_key(|(path, _)| *path);
    let told = chosen.into_iter().map(|(path, content)| {
        let (what, source) = what(path, content, tree, reader, notes);
        Folder { path: foreign::path(path), what, source }
    });
    told.collect()
}

fn contents(tree: &Tree) -> BTreeMap<&str, Content> {
    let mut contents: BTreeMap<&str, Content> = BTreeMap::new();
    for path in &tree.files {
        let own = folder_of(path);
        for folder in above(own).filter(|folder| !folder.is_empty() && folder.split('/').count() <= DEEPEST) {
            let content = contents.entry(folder).or_default();
            content.files += 1;
            if let Some(language) = language_of(path) {
                *content.languages.entry(language).or_default() += 1;
            }
            if folder == own && content.go.is_none() && path.ends_with(".go") && !path.ends_with("_test.go") {
                content.go = Some(path.clone());
            }
        }
    }
    contents
}

fn is_worth_a_line(path: &str) -> bool {
    let nested = path.contains('/');
    // What is below examples or hidden settings tells nothing of the project; a `src` inside of a package is the package.
    !(nested && (path.starts_with('.') || is_aside(path) || name_of(path) == "src"))
}

fn what(
    path: &str,
    content: &Content,
    tree: &Tree,
    reader: &mut Reader<'_>,
    notes: &Notes,
) -> (String, Source) {
    let there = |names: &[&str]| names.iter().map(|name| join(path, name)).find(|file| tree.has(file));
    if let Some(readme) = there(READMES)
        && let Ok(text) = reader.text(&readme)
        && let Some((sentence, line)) = sentence::of_readme(&text)
    {
        return (sentence, foreign::source(&readme, Some(line)));
    }
    // The modules of `src` speak for the project as a whole.
    let mut modules: Vec<String> = if path == "src" {
        Vec::new()
    } else {
        MODULES.iter().map(|name| join(path, name)).filter(|file| tree.has(file)).collect()
    };
    modules.extend(Some(format!("{path}.rs")).filter(|file| tree.has(file)));
    modules.extend(content.go.clone());
    for module in modules {
        if let Ok(text) = reader.text(&module)
            && let Some((sentence, line)) = documentation::of_module(&module, &text)
        {
            return (sentence, foreign::source(&module, Some(line)));
        }
    }
    if let Some((text, source)) = notes.about.get(path) {
        return (text.trim_end_matches('.').to_owned(), source.clone());
    }
    let folder = foreign::source(&format!("{path}/"), None);
    if let Some(meaning) = meaning::of_name(name_of(path)) {
        return (meaning.to_owned(), folder);
    }
    (counted(content), folder)
}

fn counted(content: &Content) -> String {
    let files = match content.files {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    // Of equally frequent languages the first by name.
    let most = content.languages.iter().max_by_key(|(language, count)| (**count, Reverse(**language)));
    match most {
        Some((language, count)) if *count == content.files => format!("{files}, {language}"),
        Some((language, count)) if count * 2 > content.files => format!("{files}, mostly {language}"),
        _ => files,
    }
}
