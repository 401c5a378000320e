//! Which program manages the packages of JavaScript in a folder, and starts their scripts.
//!
//! A lock file proves it, or what else only one of the programs writes; failing that, what a manifest declares. What holds for a folder
//! holds for those below it in the same repository. A package that is a repository of its own has no lock file where a workspace above it
//! names it as one of its packages: then the workspace's program holds for it. Nothing in a manifest's scripts proves npm.
//!
//! So a scan looks above its root, as the programs themselves do: at the few files that say so, and no further than the next repository.
//! What does not name the root says nothing about it.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use custos_config::is_repo;
use custos_config::source::{Links, read_small};
use custos_config::yaml::{self, Content, Node};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::Value;

use super::walk::{Tree, above, join};

/// The manifest of a package.
pub(super) const MANIFEST: &str = "package.json";
/// Where pnpm has its workspaces.
pub(super) const OF_PNPM: &str = "pnpm-workspace.yaml";

/// The most directories above the root that are looked at. Packages lie two below their workspace, seldom three.
const MOST_ABOVE: usize = 4;
/// The largest file above the root that is read.
const LARGEST: u64 = 256 * 1024;
/// The most patterns that are noted in one scan. To compile one takes a third of a millisecond and a dozen kilobytes.
pub(super) const MOST_PATTERNS: usize = 2000;
/// The longest pattern. Compiled, it is a hundred times as large, and paths are shorter.
const LONGEST_PATTERN: usize = 256;

/// A program that manages packages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// What it is called by: what a script is started with.
    pub(super) word: &'static str,
    /// What the program of a package is started with.
    pub(super) starter: &'static str,
    /// What its workspaces are called that `package.json` declares; pnpm has none there.
    pub(super) workspaces: Option<&'static str>,
    /// Its lock files, and what is as good as one.
    locks: &'static [&'static str],
}

const PROGRAMS: &[Program] = &[
    Program { word: "pnpm", starter: "pnpm exec", workspaces: None, locks: &["pnpm-lock.yaml", OF_PNPM] },
    Program { word: "yarn", starter: "yarn", workspaces: Some("Yarn workspaces"), locks: &["yarn.lock"] },
    Program {
        word: "bun",
        starter: "bunx",
        workspaces: Some("Bun workspaces"),
        locks: &["bun.lock", "bun.lockb"],
    },
    Program {
        word: "npm",
        starter: "npx",
        workspaces: Some("npm workspaces"),
        locks: &["package-lock.json", "npm-shrinkwrap.json"],
    },
];

/// What is known of the program that holds for a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Manager {
    /// It is proven.
    Proven(&'static Program),
    /// Lock files of several lie side by side, and none of them proves anything: one for each program.
    Open(Vec<&'static str>),
    /// Nothing says which.
    Unknown,
}

impl Manager {
    /// The program, where it is proven.
    pub(super) fn proven(&self) -> Option<&'static Program> {
        match self {
            Self::Proven(program) => Some(program),
            Self::Open(_) | Self::Unknown => None,
        }
    }
}

/// What the manifests of a folder say beside its lock files.
#[derive(Default)]
struct Declared {
    program: Option<&'static Program>,
    /// The packages that it names as its own: each list is of one manifest.
    members: Vec<Members>,
}

/// The patterns of one manifest for the packages that it names as its own.
struct Members {
    patterns: Vec<String>,
    /// The same, compiled when somebody first asks: only repositories within a workspace need it.
    compiled: OnceCell<Gitignore>,
}

impl Members {
    fn name(&self, path: &str) -> bool {
        self.compiled.get_or_init(|| compiled(&self.patterns)).matched(path, true).is_ignore()
    }
}

impl Declared {
    /// Notes the packages that a manifest names, as many as are `left`, and says whether those were all.
    fn name_members<'p>(&mut self, patterns: impl Iterator<Item = &'p str>, left: &mut usize) -> bool {
        let mut patterns = patterns.filter(|pattern| pattern.len() <= LONGEST_PATTERN);
        let noted: Vec<String> = patterns.by_ref().take(*left).map(str::to_owned).collect();
        *left -= noted.len();
        if !noted.is_empty() {
            self.members.push(Members { patterns: noted, compiled: OnceCell::new() });
        }
        patterns.next().is_none()
    }

    fn names(&self, path: &str) -> bool {
        self.members.iter().any(|members| members.name(path))
    }

    /// Settles what the lock files beside the manifests leave open.
    fn manager(&self, has: impl Fn(&str) -> bool) -> Manager {
        let found: Vec<(&'static Program, &str)> = PROGRAMS
            .iter()
            .filter_map(|program| Some((program, program.locks.iter().copied().find(|lock| has(lock))?)))
            .collect();
        match (&found[..], self.program) {
            ([(program, _)], _) => Manager::Proven(program),
            (_, Some(program)) => Manager::Proven(program),
            ([], None) => Manager::Unknown,
            (several, None) => Manager::Open(several.iter().map(|(_, lock)| *lock).collect()),
        }
    }
}

/// A workspace above the root of the scan.
struct Around {
    /// The path of the root from there.
    root: String,
    declared: Declared,
    manager: Manager,
}

/// What the manifests say about who manages the packages.
pub(super) struct Packages {
    within: BTreeMap<String, Declared>,
    around: Vec<Around>,
    /// How many patterns may still be noted.
    left: usize,
    /// Whether any were left out.
    is_full: bool,
}

impl Default for Packages {
    fn default() -> Self {
        Self { within: BTreeMap::new(), around: Vec::new(), left: MOST_PATTERNS, is_full: false }
    }
}

impl Packages {
    /// Looks for workspaces above a root, the nearest first.
    pub(super) fn around(root: &Path) -> Self {
        let mut packages = Self::default();
        for directory in root.ancestors().skip(1).take(MOST_ABOVE) {
            packages.around.extend(Around::read(directory, root, &mut packages.left));
            if is_repo(directory) {
                break;
            }
        }
        packages
    }

    /// Notes what a manifest declares as `packageManager`.
    pub(super) fn declare(&mut self, folder: &str, manager: &str) {
        if let Some(program) = program(manager) {
            self.within.entry(folder.to_owned()).or_default().program = Some(program);
        }
    }

    /// Notes which packages a workspace names, and says whether it is the first of which some had to be left out.
    pub(super) fn name_members<'p>(&mut self, folder: &str, patterns: impl Iterator<Item = &'p str>) -> bool {
        let declared = self.within.entry(folder.to_owned()).or_default();
        !declared.name_members(patterns, &mut self.left) && !std::mem::replace(&mut self.is_full, true)
    }

    /// Says which program holds for a folder. Manifests further down than the folder need not have been read.
    pub(super) fn manager(&self, tree: &Tree, folder: &str) -> Manager {
        let repo = tree.repo_of(&join(folder, MANIFEST)).trim_end_matches('/');
        let is_within = |at: &&str| at.len() >= repo.len();
        let parts = || above(folder).take_while(is_within);
        let silent = Declared::default();
        let below = above(folder).filter_map(|at| {
            let declared = self.within.get(at).unwrap_or(&silent);
            let from_here = |part: &str| part[at.len()..].trim_start_matches('/').to_owned();
            (is_within(&at) || parts().any(|part| declared.names(&from_here(part))))
                .then(|| declared.manager(|lock| tree.has(&join(at, lock))))
        });
        if let Some(found) = below.into_iter().find(|manager| *manager != Manager::Unknown) {
            return found;
        }
        let names = |around: &&Around| {
            let from_there = |part: &str| join(&around.root, part).trim_end_matches('/').to_owned();
            parts().any(|part| around.declared.names(&from_there(part)))
        };
        // Whose lock files contradict each other is the workspace's own question.
        let found = self.around.iter().find(names).and_then(|around| around.manager.proven());
        found.map_or(Manager::Unknown, Manager::Proven)
    }
}

impl Around {
    /// Reads what lies beside the packages of a directory; nothing where it names none.
    fn read(directory: &Path, root: &Path, left: &mut usize) -> Option<Self> {
        let text = |name: &str| {
            let bytes = read_small(&directory.join(name), LARGEST, Links::Refuse).ok()??;
            String::from_utf8(bytes).ok()
        };
        let mut declared = Declared::default();
        if let Some(manifest) = text(MANIFEST).and_then(|text| serde_json::from_str::<Value>(&text).ok()) {
            declared.program = manifest["packageManager"].as_str().and_then(program);
            declared.name_members(members(&manifest["workspaces"]), left);
        }
        if let Some(workspace) = text(OF_PNPM).and_then(|text| yaml::parse(&text).ok()?) {
            declared.name_members(members_of_pnpm(&workspace), left);
        }
        if declared.members.is_empty() {
            return None;
        }
        let parts = root.strip_prefix(directory).ok()?.components();
        let root = parts.map(|part| part.as_os_str().to_str()).collect::<Option<Vec<_>>>()?.join("/");
        let is_file = |name: &str| directory.join(name).symlink_metadata().is_ok_and(|data| data.is_file());
        let manager = declared.manager(is_file);
        Some(Self { root, declared, manager })
    }
}

/// The program that a manifest declares: `yarn@4.1.0`.
fn program(manager: &str) -> Option<&'static Program> {
    let word = manager.split('@').next().unwrap_or_default();
    PROGRAMS.iter().find(|program| program.word == word)
}

/// The patterns below `workspaces` of a `package.json`, in either form.
pub(super) fn members(workspaces: &Value) -> impl Iterator<Item = &str> {
    let listed = workspaces.as_array().or_else(|| workspaces.get("packages")?.as_array());
    listed.into_iter().flatten().filter_map(Value::as_str)
}

/// The patterns of a `pnpm-workspace.yaml`.
pub(super) fn members_of_pnpm(workspace: &Node) -> impl Iterator<Item = &str> {
    let pairs = match workspace.content() {
        Content::Mapping(pairs) => pairs.as_slice(),
        _ => &[],
    };
    let packages = pairs.iter().find(|pair| pair.is_named("packages")).map(|pair| pair.value.content());
    let listed = match packages {
        Some(Content::Sequence(items)) => items.as_slice(),
        _ => &[],
    };
    listed.iter().filter_map(Node::text)
}

/// Compiles the patterns of a workspace. They differ from those of git in that each is meant from the workspace's own folder.
fn compiled(patterns: &[String]) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        let (sign, pattern) =
            pattern.trim().strip_prefix('!').map_or(("", pattern.trim()), |rest| ("!", rest));
        let pattern = pattern.trim_start_matches("./").trim_matches('/');
        if !matches!(pattern, "" | ".") {
            // One that cannot be understood names nothing.
            let _ = builder.add_line(None, &format!("{sign}/{pattern}"));
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain(&["api", "web"], "api", true)]
    #[case::from_here(&["./api/"], "api", true)]
    #[case::only_here(&["api"], "libs/api", false)]
    #[case::no_part(&["packages/api"], "packages", false)]
    #[case::children(&["packages/*"], "packages/api", true)]
    #[case::grandchildren(&["packages/*"], "packages/api/deep", false)]
    #[case::below(&["packages/**"], "packages/api/deep", true)]
    #[case::all(&["*"], "api", true)]
    #[case::several(&["{api,web}"], "web", true)]
    #[case::left_out(&["packages/*", "!packages/api"], "packages/api", false)]
    #[case::beside_what_is_left_out(&["packages/*", "!**/api"], "packages/web", true)]
    #[case::itself(&["."], "api", false)]
    #[case::nothing(&[], "api", false)]
    fn a_workspace_names_its_packages(#[case] patterns: &[&str], #[case] path: &str, #[case] is_named: bool) {
        let mut declared = Declared::default();
        assert!(declared.name_members(patterns.iter().copied(), &mut 5));
        // Nothing is compiled for a project without repositories in it.
        assert!(declared.members.iter().all(|members| members.compiled.get().is_none()));
        assert_eq!(declared.names(path), is_named);
    }
}
