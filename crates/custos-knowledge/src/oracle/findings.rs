//! The nouns of a scan.

use std::fmt;

use serde::Serialize;

/// Everything that a scan found, in an order that depends on nothing but the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Scan {
    /// Languages, versions, package managers, frameworks.
    pub stack: Vec<Finding>,
    /// How the project is tested, built and run.
    pub commands: Vec<Command>,
    /// One line for each folder near the root.
    pub structure: Vec<Folder>,
    /// How many more there are than were chosen for a line.
    pub more_folders: usize,
    /// Where programs begin.
    pub entry_points: Vec<EntryPoint>,
    /// Habits that a file proves.
    pub patterns: Vec<Finding>,
    /// The words of the domain, the most widespread first.
    pub glossary: Vec<Term>,
    /// Decisions that the findings prove, for a person to accept.
    pub proposals: Vec<Proposal>,
    /// Files that should have told something and could not be understood.
    pub unread: Vec<Unread>,
    /// What ended the scan early, if anything did.
    pub cut_short: Option<Cut>,
    /// How many files were seen; ignored ones are not.
    pub files_seen: usize,
    /// How many source files were looked into for words and entry points, and how many there are.
    pub sources_read: (usize, usize),
}

/// The place that proves something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Source {
    /// The path from the root, with `/`; a folder ends with one.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// What a finding is about. The order is the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// A programming language.
    Language,
    /// A version that a manifest demands.
    Version,
    /// A package manager or a build system.
    Manager,
    /// A framework or a library that shapes the code.
    Framework,
    /// A library for tests.
    TestLibrary,
    /// A formatter.
    Formatting,
    /// A linter or a static check.
    Linting,
    /// Where tests are and what runs them.
    Testing,
    /// What the compiler is told to refuse.
    Strictness,
    /// How commits and changes are written.
    Commits,
    /// Continuous integration.
    Ci,
    /// Releases and updates of dependencies.
    Release,
    /// Containers and infrastructure.
    Deployment,
    /// Changes of a database's schema.
    Migrations,
    /// Several packages in one repo.
    Monorepo,
    /// The licence.
    Licence,
}

impl Topic {
    /// Returns the heading above such findings.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Language => "Languages",
            Self::Version => "Versions",
            Self::Manager => "Package managers and build systems",
            Self::Framework => "Frameworks and libraries",
            Self::TestLibrary => "Test libraries",
            Self::Formatting => "Formatting",
            Self::Linting => "Linting",
            Self::Testing => "Tests",
            Self::Strictness => "Strictness",
            Self::Commits => "Commits and changes",
            Self::Ci => "Continuous integration",
            Self::Release => "Releases and updates",
            Self::Deployment => "Containers and infrastructure",
            Self::Migrations => "Migrations",
            Self::Monorepo => "Several packages",
            Self::Licence => "Licence",
        }
    }
}

/// One thing that a file proves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// What it is about.
    pub topic: Topic,
    /// What was found.
    pub name: String,
    /// A version, a share or another word on it.
    pub detail: Option<String>,
    /// What proves it.
    pub source: Source,
}

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Runs tests.
    Test,
    /// Checks without running: linters and type checkers.
    Lint,
    /// Builds.
    Build,
    /// Formats, or checks that it is formatted.
    Format,
    /// Runs the program.
    Run,
}

impl Purpose {
    /// All purposes, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Test, Self::Lint, Self::Build, Self::Format, Self::Run];

    /// Returns the purpose as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Test => "Test",
            Self::Lint => "Lint",
            Self::Build => "Build",
            Self::Format => "Format",
            Self::Run => "Run",
        }
    }
}

/// How well a command is proven, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The project names it: a script, a target, a recipe, an alias.
    Named,
    /// A tool is configured or required, and this is how that tool is called.
    Configured,
    /// Continuous integration runs it.
    Ci,
    /// It is usual where there is such a manifest, or what starts it is only usual; nothing else is proven.
    Default,
}

/// A command that a person or an agent can run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Command {
    /// What it is for.
    pub purpose: Purpose,
    /// How well it is proven.
    pub origin: Origin,
    /// The folder it is run in; empty is the root.
    pub folder: String,
    /// The command.
    pub command: String,
    /// What stands behind a script or a target.
    pub runs: Option<String>,
    /// Whether continuous integration runs it, whatever else proves it.
    #[serde(skip)]
    pub is_run_by_ci: bool,
    /// What proves it.
    pub source: Source,
}

/// A folder and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Folder {
    /// The path from the root.
    pub path: String,
    /// What it is for, in one line.
    pub what: String,
    /// What says so; the folder itself where only its name or its files do.
    pub source: Source,
}

/// A place where a program begins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EntryPoint {
    /// The file, or what the manifest names instead of one.
    pub path: String,
    /// What begins there.
    pub what: String,
    /// What proves it.
    pub source: Source,
}

/// A word of the domain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Term {
    /// The word, in lower case.
    pub word: String,
    /// How many declared names contain it.
    pub count: usize,
    /// In how many files.
    pub files: usize,
    /// The name that shows it best.
    pub name: String,
    /// Where that name is declared.
    pub source: Source,
}

/// A decision that the project has made already, in words that a person can accept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Proposal {
    /// The title; the same as long as the evidence says the same.
    pub title: String,
    /// What is decided.
    pub decision: String,
    /// Why, or how that is known.
    pub reasoning: String,
    /// What proves it.
    pub evidence: Source,
}

/// A file that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unread {
    /// The path from the root.
    pub file: String,
    /// Why, as the end of a sentence.
    pub why: String,
}

/// What ended a scan early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// There are more files than the limit.
    Files,
    /// Reading more would exceed the limit of bytes.
    Bytes,
    /// The time was up.
    Time,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Files => "the limit of files was reached; deeper folders were not looked at",
            Self::Bytes => "the limit of bytes was reached; the remaining files were counted but not read",
            Self::Time => "the time was up; what is deeper in the tree is missing",
        })
    }
}
