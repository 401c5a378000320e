//! The directories and files of a tree, within bounds.
//!
//! A tree may come with a clone. So links are named and not followed, what is no regular file is not opened, and no more is read than a
//! knowledge base has.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use custos_config::shown::{shown, shown_path};
use custos_config::source::{Links, ReadError, is_linked_below, read_small, read_text};
use custos_config::yaml::{self, Content};
use custos_model::Timestamp;

use super::Remark;
use crate::refusal::Refusal;
use crate::root::Root;

/// The directory that AXME Code keeps everything in.
const NAME: &str = ".axme-code";
/// How deep files may lie, how many are looked at, and how large an item may be.
const DEEPEST: usize = 8;
const MOST_FILES: usize = 50_000;
pub(super) const LARGEST_ITEM: u64 = 512 << 10;
/// How large a file may be that is kept as it is, or that holds many items: a journal of years.
pub(super) const LARGEST_FILE: u64 = 16 << 20;
/// The most repos that are looked at.
const MOST_REPOS: usize = 500;

/// Directories with AXME Code's own bookkeeping: process ids, offsets into transcripts, indexes.
const BOOKKEEPING: &[&str] = &[
    "sessions",
    "active-sessions",
    "audited-offsets",
    "audit-logs",
    "audit-worker-logs",
    "kb-audit",
    "_index",
    "pending-audits",
    "backups",
];

/// A tree of AXME Code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The repo that it is of, by its path below the directory that was named; empty for that directory's own.
    pub name: String,
    /// The directory `.axme-code`.
    pub dir: PathBuf,
}

/// The files of a tree.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Those that say something, by their paths below the tree.
    pub(super) telling: BTreeSet<String>,
    /// Those that are bookkeeping.
    pub(super) bookkeeping: BTreeSet<String>,
    /// What is not looked at, with why.
    pub(super) left: Vec<Remark>,
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unread {
    pub(super) why: String,
    pub(super) flaw: Flaw,
}

/// What kept a file from being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Some of its bytes are no text.
    Broken,
    /// It is larger than what was asked for.
    Large,
    /// It cannot be read at all.
    Closed,
}

impl Unread {
    fn of(error: &ReadError) -> Self {
        if let ReadError::TooLarge { limit } = error {
            return Self { why: format!("is larger than {} KB", limit >> 10), flaw: Flaw::Large };
        }
        // What to do about it is not for whoever brings a file over.
        let why = error.to_string().split(':').next().unwrap_or_default().to_owned();
        Self { why, flaw: Flaw::Closed }
    }
}

/// A text, with marks where its bytes were none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mended {
    pub(super) text: String,
    /// What is broken about it.
    pub(super) broken: Option<String>,
}

impl Mended {
    /// Reads bytes as UTF-16 if they begin with its mark, as editors on Windows save it, else as UTF-8.
    fn of(bytes: Vec<u8>) -> Self {
        let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
            Some([0xff, 0xfe]) => u16::from_le_bytes,
            Some([0xfe, 0xff]) => u16::from_be_bytes,
            _ => return Self::of_utf8(bytes),
        };
        let pairs = bytes[2..].chunks_exact(2);
        let is_cut = !pairs.remainder().is_empty();
        let units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
        match String::from_utf16(&units) {
            Ok(text) if !is_cut => Self { text, broken: None },
            _ => Self {
                text: String::from_utf16_lossy(&units) + if is_cut { "\u{fffd}" } else { "" },
                broken: Some("is not valid UTF-16".to_owned()),
            },
        }
    }

    fn of_utf8(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self { text, broken: None },
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = before.split(|byte| *byte == b'\n').count();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Self { text, broken: Some(format!("line {line} is not valid UTF-8")) }
            }
        }
    }
}

/// Finds the trees of a directory: its own, and those of the repos in it.
pub(super) fn find(directory: &Path) -> Result<Vec<Tree>, Refusal> {
    let real = fs::canonicalize(directory).map_err(|error| {
        Refusal::missing(
            format!("there is no directory {}: {error}", shown_path(directory)),
            "Name the directory that has the .axme-code",
        )
    })?;
    let project = match real.file_name() {
        Some(name) if name == NAME => real.parent().unwrap_or(&real),
        _ => &real,
    };
    let mut names = vec![String::new()];
    names.extend(Root::named(project).repos().into_iter().map(|child| child.name));
    names.extend(listed_repos(project));
    let mut trees: Vec<Tree> = Vec::new();
    for name in names.into_iter().take(MOST_REPOS) {
        let dir = project.join(&name).join(NAME);
        let is_known = trees.iter().any(|tree| tree.dir == dir);
        if !is_known && dir.is_dir() && !is_linked_below(project, &dir) {
            trees.push(Tree { name, dir });
        }
    }
    if trees.is_empty() {
        return Err(Refusal::missing(
            format!("there is no {NAME} in {}", shown_path(project)),
            "Name the directory of a project that AXME Code was set up in; links are not followed",
        ));
    }
    Ok(trees)
}

/// Reads the repos that AXME Code found in a workspace.
fn listed_repos(project: &Path) -> Vec<String> {
    let file = project.join(NAME).join("workspace.yaml");
    let Ok(Some(text)) = read_text(&file, LARGEST_ITEM, Links::Refuse) else { return Vec::new() };
    let Ok(Some(document)) = yaml::parse(&text) else { return Vec::new() };
    let Content::Mapping(pairs) = document.content() else { return Vec::new() };
    let Some(projects) = pairs.iter().find(|pair| pair.is_named("projects")) else { return Vec::new() };
    let Content::Sequence(projects) = projects.value.content() else { return Vec::new() };
    let path_of = |node: &yaml::Node| match node.content() {
        Content::Mapping(pairs) => {
            pairs.iter().find(|pair| pair.is_named("path"))?.value.text().map(str::to_owned)
        }
        _ => None,
    };
    let is_below = |path: &String| {
        !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
    };
    projects.iter().filter_map(path_of).filter(is_below).take(MOST_REPOS).collect()
}

impl Tree {
    /// Lists the files.
    pub(super) fn files(&self) -> Files {
        let mut files = Files::default();
        let mut left = MOST_FILES;
        self.look_below("", DEEPEST, &mut left, &mut files);
        if left == 0 {
            let what = format!("there are more than {MOST_FILES} files; the rest is not looked at");
            files.left.push(Remark { file: String::new(), what });
        }
        files
    }

    fn look_below(&self, below: &str, depth: usize, left: &mut usize, files: &mut Files) {
        let remark = |file: &str, what: &str| Remark { file: shown(file), what: what.to_owned() };
        let entries = match fs::read_dir(self.path(below)) {
            Ok(entries) => entries,
            Err(error) => {
                files.left.push(remark(below, &format!("cannot be read: {error}")));
                return;
            }
        };
        for entry in entries.flatten() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            let Ok(name) = entry.file_name().into_string() else {
                let name = entry.file_name().to_string_lossy().into_owned();
                files.left.push(remark(&format!("{below}{name}"), "has a name that is no text"));
                continue;
            };
            let path = format!("{below}{name}");
            let Ok(kind) = entry.file_type() else { continue };
            if name.contains(|c: char| c.is_control() || c == '\\') {
                files.left.push(remark(&path, "has a name that cannot be kept"));
            } else if kind.is_symlink() {
                files.left.push(remark(&path, "is a link, and is not followed"));
            } else if kind.is_dir() && depth > 1 {
                self.look_below(&format!("{path}/"), depth - 1, left, files);
            } else if kind.is_dir() {
                files.left.push(remark(&path, "lies too deep"));
            } else if !kind.is_file() {
                files.left.push(remark(&path, "is no regular file"));
            } else if is_bookkeeping(&path) {
                files.bookkeeping.insert(path);
            } else {
                files.telling.insert(path);
            }
        }
    }

    /// Reads a file.
    pub(super) fn read(&self, file: &str, largest: u64) -> Result<String, Unread> {
        match self.read_mended(file, largest)? {
            Mended { text, broken: None } => Ok(text),
            Mended { broken: Some(why), .. } => Err(Unread { why, flaw: Flaw::Broken }),
        }
    }

    /// Reads a file of which the broken places are marked.
    pub(super) fn read_mended(&self, file: &str, largest: u64) -> Result<Mended, Unread> {
        match read_small(&self.path(file), largest, Links::Refuse) {
            Ok(Some(bytes)) => Ok(Mended::of(bytes)),
            Ok(None) => Err(Unread { why: "vanished while it was read".to_owned(), flaw: Flaw::Closed }),
            Err(error) => Err(Unread::of(&error)),
        }
    }

    /// When a file was last changed.
    pub(super) fn modified(&self, file: &str) -> Option<Timestamp> {
        let modified = fs::symlink_metadata(self.path(file)).ok()?.modified().ok()?;
        let since = modified.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok().map(Timestamp::from_millis)
    }

    fn path(&self, file: &str) -> PathBuf {
        file.split('/').filter(|part| !part.is_empty()).fold(self.dir.clone(), |path, part| path.join(part))
    }
}

fn is_bookkeeping(path: &str) -> bool {
    let (first, name) = (path.split('/').next().unwrap_or(path), path.rsplit('/').next().unwrap_or(path));
    let is_below = path.contains('/') && BOOKKEEPING.contains(&first);
    is_below
        || name.starts_with(".tmp-")
        || matches!(path, "active-session" | "setup.lock" | "decisions/index.md")
}
