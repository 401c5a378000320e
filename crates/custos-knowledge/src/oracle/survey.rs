//! The scan: walk, read, look into the sources, and put together what was found.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::commands;
use super::configured::configured;
use super::conventions::conventions;
use super::findings::{EntryPoint, Finding, Scan, Topic, Unread};
use super::foreign;
use super::frameworks::frameworks;
use super::languages::languages;
use super::managers::managers;
use super::manifest::reader_of;
use super::notes::{Notes, Page};
use super::packages::{self, Packages};
use super::proposals::proposals;
use super::reading::{Reader, Refusal};
use super::sources;
use super::structure::structure;
use super::walk::{Limits, Tree, name_of};

/// The most manifests that are read; the ones nearest to the root come first.
const MOST_MANIFESTS: usize = 600;

/// Reads what a project says about itself.
///
/// Starts no process, follows no link below `root` and opens nothing but regular files. `progress` is told how many files have been
/// seen. Nothing makes a scan fail: a root that cannot be listed is in [`Scan::unread`], and what a limit cut off in
/// [`Scan::cut_short`].
pub fn scan(root: &Path, limits: &Limits<'_>, progress: &mut dyn FnMut(usize)) -> Scan {
    // The root itself may be reached through a link, which is the caller's choice. Below, links are refused.
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let tree = Tree::walk(&root, limits, progress);
    let mut reader = Reader::new(&root, limits);
    let mut notes = Notes::default();
    if tree.files.iter().any(|path| name_of(path) == packages::MANIFEST) {
        notes.packages = Packages::around(&root);
    }
    manifests(&tree, &mut reader, &mut notes);
    managers(&tree, &mut notes);
    configured(&tree, &mut notes);
    conventions(&tree, &mut reader, &mut notes);
    let (structure, more_folders) = structure(&tree, &mut reader, &notes);
    let looked = sources::look(&tree, &mut reader, &mut notes);
    let mut stack = languages(&tree);
    notes.stack.extend(frameworks(&notes.dependencies));
    stack.extend(distinct(std::mem::take(&mut notes.stack)));
    let mut scan = Scan {
        stack,
        commands: commands::choose(&tree, &mut notes),
        structure,
        more_folders,
        patterns: distinct(notes.patterns),
        glossary: looked.glossary.terms(),
        proposals: Vec::new(),
        unread: tree.unread.into_iter().chain(notes.unread).collect(),
        cut_short: tree.cut.or(reader.cut),
        files_seen: tree.seen,
        sources_read: looked.files,
        entry_points: Vec::new(),
    };
    scan.entry_points = entry_points(notes.entry_points);
    scan.entry_points.sort();
    scan.unread.sort();
    scan.proposals = proposals(&scan, &tree.repos);
    scan
}

/// Keeps one of several words on the same file. Manifests are read first, and what one names says more than a file's place; a build
/// file may define several programs.
fn entry_points(noted: Vec<EntryPoint>) -> Vec<EntryPoint> {
    let mut paths = BTreeSet::new();
    let mut programs = BTreeSet::new();
    let kept = noted.into_iter().filter(|entry| {
        let new = paths.insert(entry.path.clone());
        let named = entry.what.starts_with("program ");
        (named && programs.insert((entry.path.clone(), entry.what.clone()))) || new
    });
    kept.collect()
}

fn manifests(tree: &Tree, reader: &mut Reader<'_>, notes: &mut Notes) {
    let known = tree.files.iter().filter_map(|path| Some((path, reader_of(path, tree.repo_of(path))?)));
    for (count, (path, how)) in known.enumerate() {
        if count == MOST_MANIFESTS {
            let why =
                format!("{MOST_MANIFESTS} manifests were read before it; it and those after it were not");
            notes.unread.push(Unread { file: foreign::path(path), why });
            return;
        }
        let outcome = match reader.text(path) {
            Ok(text) => how.read(&Page::new(path, &text, tree), notes),
            Err(Refusal::Spent) => return,
            Err(Refusal::File(why)) => Err(why),
        };
        if let Err(why) = outcome {
            notes.unread.push(Unread { file: foreign::path(path), why: foreign::line(&why) });
        }
    }
}

/// Orders findings, and keeps one of those that say the same. One with a version or another detail stands for one without; versions
/// are kept as often as they differ.
fn distinct(mut findings: Vec<Finding>) -> Vec<Finding> {
    // The notes are in the order of the tree, so the first is the nearest to the root, and a stable sort keeps it first.
    findings
        .sort_by(|a, b| (a.topic, &a.name, a.detail.is_none()).cmp(&(b.topic, &b.name, b.detail.is_none())));
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        let detail = if finding.topic == Topic::Version { finding.detail.clone() } else { None };
        seen.insert((finding.topic, finding.name.clone(), detail))
    });
    findings
}
