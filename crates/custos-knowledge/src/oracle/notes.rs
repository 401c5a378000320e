//! Where the readers write down what they found.
//!
//! A reader gets one [`Page`] and adds to the [`Notes`]. All text of the repo passes through the methods here, and is made harmless
//! there: no reader has to think of it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::findings::{Command, EntryPoint, Finding, Origin, Purpose, Source, Topic, Unread};
use super::foreign;
use super::packages::{MOST_PATTERNS, Packages};
use super::sentence;
use super::walk::{Tree, folder_of, join};

/// The most notes of one kind. No project has as many, and a hostile one shall not fill the memory.
const MOST_NOTES: usize = 5000;

/// A file that is being read.
pub(super) struct Page<'a> {
    /// The path from the root.
    pub(super) path: &'a str,
    /// The text.
    pub(super) text: &'a str,
    /// The tree it is in.
    pub(super) tree: &'a Tree,
    /// Where its lines end; counted once, when it is first asked.
    ends: OnceCell<Vec<usize>>,
}

impl<'a> Page<'a> {
    /// Opens a page.
    pub(super) fn new(path: &'a str, text: &'a str, tree: &'a Tree) -> Self {
        Self { path, text, tree, ends: OnceCell::new() }
    }

    /// The folder it is in.
    pub(super) fn folder(&self) -> &'a str {
        folder_of(self.path)
    }

    /// The folder of the repository that it belongs to: what a pipeline is written for.
    pub(super) fn repo(&self) -> &'a str {
        self.tree.repo_of(self.path).trim_end_matches('/')
    }

    /// The file as a whole.
    pub(super) fn source(&self) -> Source {
        foreign::source(self.path, None)
    }

    /// A line of it.
    pub(super) fn line(&self, line: usize) -> Source {
        foreign::source(self.path, Some(line))
    }

    /// The line of a byte of it.
    pub(super) fn at(&self, byte: usize) -> Source {
        self.line(self.ends().partition_point(|end| *end < byte) + 1)
    }

    /// The text from a line on.
    pub(super) fn text_from(&self, line: usize) -> &'a str {
        let above =
            line.checked_sub(2).map(|above| self.ends().get(above).map_or(self.text.len(), |end| end + 1));
        &self.text[above.unwrap_or(0)..]
    }

    fn ends(&self) -> &[usize] {
        self.ends.get_or_init(|| self.text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The lines, numbered from 1, without surrounding white space.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()))
    }

    /// Tells whether a file lies beside it.
    pub(super) fn beside(&self, name: &str) -> bool {
        self.tree.has(&join(self.folder(), name))
    }
}

/// A family of tools that share a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ecosystem {
    Node,
    Deno,
    Rust,
    Python,
    Go,
    Maven,
    Gradle,
    DotNet,
    Autotools,
    CMake,
    Meson,
    Bazel,
    Ruby,
    Php,
    Swift,
    /// Libraries of C and C++ by the name that package managers give them.
    Native,
}

/// Something that a manifest depends on.
pub(super) struct Dependency {
    pub(super) ecosystem: Ecosystem,
    pub(super) name: String,
    pub(super) version: Option<String>,
    /// Whether only those who work on the project need it.
    pub(super) is_for_development: bool,
    pub(super) source: Source,
}

/// All that the readers found, in the order in which they read.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) stack: Vec<Finding>,
    pub(super) patterns: Vec<Finding>,
    pub(super) commands: Vec<Command>,
    pub(super) entry_points: Vec<EntryPoint>,
    pub(super) dependencies: Vec<Dependency>,
    /// Which ecosystems have a manifest in which folder.
    pub(super) ecosystems: Vec<(Ecosystem, String, Source)>,
    /// What manifests say their folders are.
    pub(super) about: BTreeMap<String, (String, Source)>,
    pub(super) unread: Vec<Unread>,
    /// Who manages the packages of JavaScript.
    pub(super) packages: Packages,
}

impl Notes {
    /// Notes a manifest of an ecosystem.
    pub(super) fn ecosystem(&mut self, ecosystem: Ecosystem, page: &Page<'_>) {
        self.ecosystems.push((ecosystem, page.folder().to_owned(), page.source()));
    }

    /// Notes a version that is demanded.
    pub(super) fn version(&mut self, of: &str, version: &str, source: Source) {
        if !version.trim().is_empty() {
            note(&mut self.stack, finding(Topic::Version, of, Some(version), source));
        }
    }

    /// Notes a package manager.
    pub(super) fn manager(&mut self, name: &str, version: Option<&str>, source: Source) {
        note(&mut self.stack, finding(Topic::Manager, name, version, source));
    }

    /// Notes which packages a workspace of JavaScript names.
    pub(super) fn members<'p>(&mut self, page: &Page<'_>, patterns: impl Iterator<Item = &'p str>) {
        if self.packages.name_members(page.folder(), patterns) {
            let why = format!(
                "it names packages beyond the {MOST_PATTERNS} that are noted in one scan: which program manages them may not be told"
            );
            self.unread.push(Unread { file: foreign::path(page.path), why });
        }
    }

    /// Notes a framework that shows otherwise than by a dependency.
    pub(super) fn framework(&mut self, topic: Topic, name: &str, version: Option<&str>, source: Source) {
        note(&mut self.stack, finding(topic, name, version, source));
    }

    /// Notes a habit.
    pub(super) fn pattern(&mut self, topic: Topic, name: &str, detail: Option<&str>, source: Source) {
        note(&mut self.patterns, finding(topic, name, detail, source));
    }

    /// Notes a licence that a manifest names. Some only say that none is granted, or where it is written.
    pub(super) fn licence(&mut self, licence: &str, source: Source) {
        const NONE: &[&str] = &["none", "other", "proprietary", "private", "unlicensed"];
        let lower = licence.trim().to_lowercase();
        if !NONE.contains(&lower.as_str()) && !lower.starts_with("see license") && !lower.is_empty() {
            self.pattern(Topic::Licence, licence, None, source);
        }
    }

    /// Notes a dependency.
    pub(super) fn depends(
        &mut self,
        ecosystem: Ecosystem,
        name: &str,
        version: Option<&str>,
        source: Source,
    ) {
        let dependency = Dependency {
            ecosystem,
            name: foreign::line(name),
            version: version.map(foreign::line).filter(|version| !version.is_empty()),
            is_for_development: false,
            source,
        };
        note(&mut self.dependencies, dependency);
    }

    /// Says of the dependencies from one on that only those who work on the project need them.
    pub(super) fn only_for_development(&mut self, from: usize) {
        for dependency in self.dependencies.iter_mut().skip(from) {
            dependency.is_for_development = true;
        }
    }

    /// Notes what a folder is, by its manifest.
    pub(super) fn about(&mut self, folder: &str, text: &str, source: Source) {
        let text = foreign::line(text);
        if !text.is_empty() && !sentence::is_of_template(&text) {
            self.about.entry(folder.to_owned()).or_insert((text, source));
        }
    }

    /// Notes a place where a program begins.
    pub(super) fn entry(&mut self, path: &str, what: &str, source: Source) {
        let path = foreign::path(path);
        if !path.is_empty() {
            note(&mut self.entry_points, EntryPoint { path, what: foreign::line(what), source });
        }
    }

    /// Notes a command. One that is too long to be shown whole is not noted: half a command is none.
    pub(super) fn command(
        &mut self,
        purpose: Purpose,
        origin: Origin,
        folder: &str,
        (command, runs): (&str, Option<&str>),
        source: Source,
    ) {
        let Some(command) = foreign::whole_line(command) else { return };
        let runs = runs.map(foreign::line).filter(|runs| !runs.is_empty());
        let folder = foreign::path(folder);
        let is_run_by_ci = origin == Origin::Ci;
        let command = Command { purpose, origin, folder, command, runs, is_run_by_ci, source };
        note(&mut self.commands, command);
    }
}

fn note<T>(notes: &mut Vec<T>, one: T) {
    if notes.len() < MOST_NOTES {
        notes.push(one);
    }
}

fn finding(topic: Topic, name: &str, detail: Option<&str>, source: Source) -> Finding {
    let detail = detail.map(foreign::line).filter(|detail| !detail.is_empty());
    Finding { topic, name: foreign::line(name), detail, source }
}
