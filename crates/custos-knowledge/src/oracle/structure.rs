//! The map of a project: one line for each folder near the root.
//!
//! The line is somebody's own words where there are any: the README of the folder, the documentation of its module, the description in
//! its manifest. Failing that, what such a name usually means; failing that, how many files there are and of which kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::documentation::{self, HEADERS};
use super::findings::{Folder, Source};
use super::foreign;
use super::languages::language_of;
use super::meaning;
use super::notes::Notes;
use super::reading::Reader;
use super::sentence;
use super::walk::{Tree, above, extension_of, folder_of, is_aside, join, name_of};

/// The most folders.
const MOST_FOLDERS: usize = 60;
/// The deepest folders.
const DEEPEST: usize = 3;
/// How many files of a Go package are asked for its documentation.
const MOST_GO_FILES: usize = 8;

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
    /// Source files of Go in the folder itself: any of them may have the documentation.
    go: Vec<String>,
    /// Headers of C and C++ in the folder itself.
    headers: Vec<String>,
    /// Whether there is a source file in the folder itself.
    has_own: bool,
}

/// Draws the map, and says how many folders found no room on it. The root is in it where the project says what it is.
pub(super) fn structure(tree: &Tree, reader: &mut Reader<'_>, notes: &Notes) -> (Vec<Folder>, usize) {
    let root = said("", &[], tree, reader, notes).map(|(what, source)| Folder {
        path: ".".to_owned(),
        what,
        source,
    });
    let contents = contents(tree);
    let mut chosen: Vec<(&str, &Content)> = contents
        .iter()
        .filter(|(path, _)| is_worth_a_line(path))
        .map(|(path, content)| (*path, content))
        .collect();
    chosen.sort_by_key(|(path, content)| (path.split('/').count(), Reverse(content.files), *path));
    let more = chosen.len().saturating_sub(MOST_FOLDERS);
    chosen.truncate(MOST_FOLDERS);
    chosen.sort_by_key(|(path, _)| *path);
    let told = chosen.into_iter().filter_map(|(path, content)| {
        let (what, source) = what(path, content, tree, reader, notes)?;
        Some(Folder { path: foreign::path(path), what, source })
    });
    (root.into_iter().chain(told).collect(), more)
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
            if folder == own
                && content.go.len() < MOST_GO_FILES
                && extension_of(path) == "go"
                && !path.ends_with("_test.go")
            {
                content.go.push(path.clone());
            }
            if folder == own {
                content.has_own |= language_of(path).is_some();
                if HEADERS.contains(&extension_of(path)) {
                    content.headers.push(path.clone());
                }
            }
        }
        // A package of Java lies deep below its root, and is told where somebody wrote what it is.
        if name_of(path) == "package-info.java" {
            contents.entry(own).or_default();
        }
    }
    contents
}

fn is_worth_a_line(path: &str) -> bool {
    let nested = path.contains('/');
    // What is below examples or hidden settings tells nothing of the project; a `src` inside of a package is the package.
    !(nested && (path.starts_with('.') || is_aside(path) || name_of(path) == "src"))
}

/// The line of a folder. The deepest have one only where somebody wrote it: `tests` inside of each package says nothing new.
fn what(
    path: &str,
    content: &Content,
    tree: &Tree,
    reader: &mut Reader<'_>,
    notes: &Notes,
) -> Option<(String, Source)> {
    // The modules of `src` speak for the project as a whole.
    let mut modules: Vec<String> = if path == "src" {
        Vec::new()
    } else {
        MODULES.iter().map(|name| join(path, name)).filter(|file| tree.has(file)).collect()
    };
    modules.extend(Some(format!("{path}.rs")).filter(|file| tree.has(file)));
    modules.extend(content.go.iter().cloned());
    modules.extend(header(path, content).cloned());
    if let Some(said) = said(path, &modules, tree, reader, notes) {
        return Some(said);
    }
    if path.split('/').count() >= DEEPEST {
        return None;
    }
    let folder = foreign::source(&format!("{path}/"), None);
    if above(folder_of(path)).any(|folder| meaning::is_of_tests(name_of(folder))) {
        let what = meaning::below_tests(name_of(path)).unwrap_or_else(|| counted(content));
        return Some((what, folder));
    }
    let is_go = tree.nearest(path, &["go.mod"]).is_some();
    if let Some(meaning) = meaning::of_name(name_of(path), is_go) {
        let (what, is_divided) =
            meaning.strip_suffix(meaning::DIVIDED).map_or((meaning, false), |what| (what, true));
        let has_folders = || tree.folders.iter().any(|folder| folder_of(folder) == path);
        let meaning = if is_divided && (content.has_own || !has_folders()) { what } else { meaning };
        return Some((meaning.to_owned(), folder));
    }
    Some((counted(content), folder))
}

/// The header that speaks for a folder: the one that is called like it, or the only one.
fn header<'c>(path: &str, content: &'c Content) -> Option<&'c String> {
    let is_named_so = |header: &&String| name_of(header).split('.').next() == Some(name_of(path));
    let named = content.headers.iter().find(is_named_so);
    named.or_else(|| content.headers.first().filter(|_| content.headers.len() == 1))
}

/// What somebody wrote about a folder, and where.
fn said(
    path: &str,
    modules: &[String],
    tree: &Tree,
    reader: &mut Reader<'_>,
    notes: &Notes,
) -> Option<(String, Source)> {
    let readme = READMES.iter().map(|name| join(path, name)).find(|file| tree.has(file));
    if let Some(readme) = readme
        && let Ok(text) = reader.text(&readme)
        && let Some((sentence, line)) = sentence::of_readme(&text)
    {
        return Some((sentence, foreign::source(&readme, Some(line))));
    }
    for module in modules {
        if let Ok(text) = reader.text(module)
            && let Some((sentence, line)) = documentation::of_module(module, &text)
        {
            return Some((sentence, foreign::source(module, Some(line))));
        }
    }
    let (text, source) = notes.about.get(path)?;
    Some((text.trim_end_matches('.').to_owned(), source.clone()))
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
