//! What is left of a turn's edits when it is over.
//!
//! An agent edits, looks, edits again and takes back. What matters is the difference between before and after: edits of the same place are
//! folded into one, those that cancel each other are gone, and what git restored never was. Where the text of a file was seen, whole texts
//! are compared; else the two sides of the edits have to do.

mod piece;
mod stash;

pub(crate) use piece::Piece;
use piece::{fold, names_of, same, tried};

use custos_syntax::{Definition, How, Touched};

use super::commands::Purpose;
use super::story::Trial;
use crate::turn::{Fate, Step, Turn, What};

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file.
    pub(crate) path: String,
    /// The places that differ; none where a command changed it and nobody saw how.
    pub(crate) pieces: Vec<Piece>,
    /// What became of it as a whole.
    pub(crate) fate: Fate,
    /// The steps that touched it; those of carried turns are not counted.
    pub(crate) steps: Vec<usize>,
    /// The definitions that differ.
    pub(crate) touched: Vec<Touched>,
    /// Whether edits were seen, rather than a command that changed it.
    is_edited: bool,
    /// The text before and after, where it was seen.
    whole: Option<(String, String)>,
}

impl Change {
    /// Says whether only tests changed: in a file of tests, or in those that stand beside the code.
    pub(crate) fn is_test(&self) -> bool {
        let is_of_test = |touched: &Touched| {
            touched.sort == Definition::Test
                || touched.sort == Definition::Module && touched.name.contains("test")
        };
        custos_syntax::is_test(&self.path) || !self.touched.is_empty() && self.touched.iter().all(is_of_test)
    }

    /// Counts the characters that were put in or taken out.
    pub(crate) fn size(&self) -> usize {
        self.pieces
            .iter()
            .map(|piece| piece.before.len().abs_diff(piece.after.len()).max(piece.after.len().min(40)))
            .sum()
    }
}

/// An edit that was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Undone {
    /// The file.
    pub(crate) path: String,
    /// The step that took it back.
    pub(crate) step: usize,
    /// Whether that was a step of the turn that is distilled.
    pub(crate) is_own: bool,
    /// Definitions that it had touched.
    pub(crate) touched: Vec<String>,
    /// What had been put in: its first line that says something.
    pub(crate) tried: Option<String>,
}

/// The sum of turns' edits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Net {
    pub(crate) changes: Vec<Change>,
    pub(crate) undone: Vec<Undone>,
    /// Texts of files as far as they were seen, at this moment.
    texts: Vec<(String, String)>,
    /// The files whose texts are of use, sorted: those that anything changes.
    changing: Vec<String>,
    /// What git put away, the last at the end.
    stashes: Vec<stash::Stash>,
}

impl Net {
    /// Begins a sum over turns, of which it will be told one after the other.
    pub(crate) fn over<'t>(turns: impl Iterator<Item = &'t Turn>) -> Self {
        let mut changing: Vec<String> = Vec::new();
        for step in turns.flat_map(|turn| &turn.steps) {
            changing.extend(step.files_changed.iter().cloned());
            if let What::Edited(edits) = &step.what {
                changing.extend(edits.iter().map(|edit| edit.path.clone()));
            }
        }
        changing.sort_unstable();
        changing.dedup();
        Self { changing, ..Self::default() }
    }

    /// Takes in the texts that a turn saw and wrote, without counting its edits.
    pub(crate) fn remember(&mut self, turn: &Turn) {
        for step in &turn.steps {
            self.see(step);
            if let (What::Edited(edits), false) = (&step.what, step.ok == Some(false)) {
                for edit in edits {
                    match edit.fate {
                        Fate::Changed => {
                            self.apply(&edit.path, &edit.before, &edit.after);
                        }
                        Fate::Created | Fate::Written => self.set(&edit.path, edit.after.clone()),
                        Fate::Deleted => self.texts.retain(|(path, _)| *path != edit.path),
                    }
                }
            }
        }
    }

    /// Takes in what a step saw of a file.
    fn see(&mut self, step: &Step) {
        const LARGEST: usize = 64 << 10;
        let is_look =
            matches!(step.what, What::Read) || matches!(&step.what, What::Ran(line) if is_showing(line));
        if let (true, [path], false) = (is_look, step.files_read.as_slice(), step.ok == Some(false))
            && self.changing.binary_search(path).is_ok()
            && !step.output.is_empty()
            && step.output.len() <= LARGEST
        {
            // A part of a file that was seen whole tells less.
            let text = without_numbers(&step.output);
            let is_part = self.text(path).is_some_and(|known| known.contains(text.trim()));
            if !is_part {
                self.set(path, text);
            }
        }
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str())
    }

    fn set(&mut self, path: &str, text: String) {
        match self.texts.iter_mut().find(|(known, _)| known == path) {
            Some((_, known)) => *known = text,
            None => self.texts.push((path.to_owned(), text)),
        }
    }

    /// Carries out an edit in what was seen of a file.
    fn apply(&mut self, path: &str, before: &str, after: &str) -> Option<(String, String)> {
        let text = self.text(path)?;
        if before.is_empty() || !text.contains(before) {
            return None;
        }
        let old = text.to_owned();
        let new = old.replacen(before, after, 1);
        self.set(path, new.clone());
        Some((old, new))
    }

    /// Takes in the edits of a turn. `own` says whether its steps are those of the turn that is distilled.
    pub(crate) fn take(&mut self, turn: &Turn, trials: &[Trial], own: bool) {
        for (at, step) in turn.steps.iter().enumerate() {
            self.see(step);
            match &step.what {
                What::Edited(edits) if step.ok != Some(false) => {
                    for edit in edits {
                        self.edit(edit, at, own);
                    }
                }
                What::Ran(line) if step.ok != Some(false) => {
                    for trial in trials.iter().filter(|trial| trial.step == at && trial.is_own == own) {
                        match &trial.run.purpose {
                            Purpose::Revert(paths) if trial.run.family == stash::FAMILY => {
                                self.stash(paths, at, own);
                            }
                            Purpose::Revert(paths) => self.revert(paths, at, own),
                            _ if stash::brings_back(&trial.run) => self.bring_back(),
                            _ => {}
                        }
                    }
                    self.by_command(line, step, at, own);
                }
                _ => {}
            }
        }
    }

    fn edit(&mut self, edit: &crate::turn::Edit, at: usize, own: bool) {
        let whole = match edit.fate {
            Fate::Changed => self.apply(&edit.path, &edit.before, &edit.after),
            Fate::Created | Fate::Written => {
                let old = self.text(&edit.path).map(str::to_owned);
                self.set(&edit.path, edit.after.clone());
                old.map(|old| (old, edit.after.clone()))
            }
            Fate::Deleted => {
                let old = self.text(&edit.path).map(str::to_owned);
                self.texts.retain(|(path, _)| *path != edit.path);
                old.map(|old| (old, String::new()))
            }
        };
        let place = self.changes.iter().position(|change| change.path == edit.path);
        let place = place.unwrap_or_else(|| {
            // A file that was seen before is not new, even if it was written as a whole.
            let fate = match edit.fate {
                Fate::Written if whole.is_none() => Fate::Created,
                Fate::Written => Fate::Changed,
                fate => fate,
            };
            self.changes.push(Change {
                path: edit.path.clone(),
                pieces: Vec::new(),
                fate,
                steps: Vec::new(),
                touched: Vec::new(),
                is_edited: true,
                whole: None,
            });
            self.changes.len() - 1
        });
        let change = &mut self.changes[place];
        change.is_edited = true;
        if own {
            change.steps.push(at);
        }
        let was_created = change.fate == Fate::Created && !change.pieces.is_empty();
        match (&mut change.whole, whole) {
            (Some((_, new)), Some((_, newest))) => *new = newest,
            (None, Some(both)) if change.pieces.is_empty() => change.whole = Some(both),
            (known, None) => *known = None,
            _ => {}
        }
        match edit.fate {
            Fate::Deleted if was_created => {
                let path = edit.path.clone();
                self.changes.retain(|change| change.path != path);
            }
            Fate::Deleted => {
                change.fate = Fate::Deleted;
                change.pieces.clear();
            }
            Fate::Created | Fate::Written => {
                let before = change.whole.as_ref().map_or_else(String::new, |(old, _)| old.clone());
                change.pieces = vec![Piece { before, after: edit.after.clone() }];
                if change.fate == Fate::Deleted {
                    change.fate = Fate::Changed;
                }
            }
            Fate::Changed => {
                if let Some(piece) = fold(&mut change.pieces, &edit.before, &edit.after) {
                    let touched = names_of(&edit.path, &piece);
                    let tried = tried(&piece);
                    self.undone.push(Undone {
                        path: edit.path.clone(),
                        step: at,
                        is_own: own,
                        touched,
                        tried,
                    });
                }
            }
        }
    }

    /// Takes back what was done to paths; to all where none is named.
    fn revert(&mut self, paths: &[String], at: usize, own: bool) {
        let is_meant = |path: &str| {
            paths.is_empty()
                || paths.iter().any(|meant| {
                    let meant = meant.trim_start_matches("./").trim_end_matches('/');
                    meant.is_empty()
                        || meant == "."
                        || path == meant
                        || path.strip_prefix(meant).is_some_and(|rest| rest.starts_with('/'))
                        || path.ends_with(&format!("/{meant}"))
                })
        };
        let mut kept = Vec::new();
        for mut change in std::mem::take(&mut self.changes) {
            // Git restores what it knows; a new file stays where it is.
            if is_meant(&change.path) && change.fate != Fate::Created {
                change.look();
                if let Some((old, _)) = &change.whole {
                    let old = old.clone();
                    self.set(&change.path.clone(), old);
                } else {
                    let path = change.path.clone();
                    self.texts.retain(|(known, _)| *known != path);
                }
                let touched = change.touched.iter().map(|touched| touched.name.clone()).collect();
                let tried = change.pieces.iter().find_map(tried);
                self.undone.push(Undone { path: change.path, step: at, is_own: own, touched, tried });
            } else {
                kept.push(change);
            }
        }
        self.changes = kept;
    }

    /// Takes in the files that a command line changed by itself: `rm`, `git mv`, `sed -i`.
    fn by_command(&mut self, line: &str, step: &Step, at: usize, own: bool) {
        let is_removal = line.split(['&', ';', '|', '\n']).any(|part| {
            let part = part.trim_start();
            part.starts_with("rm ") || part.starts_with("git rm ")
        });
        let is_move = line.contains("mv ");
        for path in &step.files_changed {
            if path.starts_with("/tmp/") || path.starts_with("/dev/") || is_artefact(path) {
                continue;
            }
            let named = path.as_str();
            let is_gone = is_removal && line.contains(super::wording::file_name(named));
            let place = self.changes.iter().position(|change| change.path == *path);
            match place {
                Some(place) if is_gone && self.changes[place].fate == Fate::Created => {
                    self.changes.remove(place);
                }
                Some(place) => {
                    let change = &mut self.changes[place];
                    if is_gone {
                        change.fate = Fate::Deleted;
                        change.pieces.clear();
                    }
                    if own {
                        change.steps.push(at);
                    }
                }
                // Where a file went is told by what is written there; a redirection into a file that nobody edits is output.
                None if is_gone || is_move || line.contains("sed -i") || line.contains("perl -") => {
                    let fate = if is_gone { Fate::Deleted } else { Fate::Changed };
                    let whole =
                        self.text(path).filter(|_| is_gone).map(|old| (old.to_owned(), String::new()));
                    self.changes.push(Change {
                        path: path.clone(),
                        pieces: Vec::new(),
                        fate,
                        steps: if own { vec![at] } else { Vec::new() },
                        touched: Vec::new(),
                        is_edited: false,
                        whole,
                    });
                }
                None => {}
            }
            if is_gone {
                self.texts.retain(|(known, _)| known != path);
            }
        }
    }

    /// Drops what cancelled itself out, and looks at the rest.
    pub(crate) fn settle(&mut self) {
        self.changes.retain(|change| {
            let is_same = change
                .whole
                .as_ref()
                .is_some_and(|(old, new)| same(old, new) && change.fate != Fate::Deleted);
            let is_empty = change.pieces.is_empty() && change.fate == Fate::Changed && change.is_edited;
            !is_same && !is_empty
        });
        for change in &mut self.changes {
            change.look();
        }
    }
}

impl Change {
    /// Finds the definitions that differ.
    fn look(&mut self) {
        if custos_syntax::language(&self.path).is_none() || !self.touched.is_empty() {
            return;
        }
        if let Some((old, new)) = &self.whole {
            self.touched = custos_syntax::compare(&self.path, old, new);
        } else {
            for piece in &self.pieces {
                for touched in custos_syntax::compare(&self.path, &piece.before, &piece.after) {
                    if !self.touched.iter().any(|known| known.name == touched.name) {
                        self.touched.push(touched);
                    }
                }
            }
        }
        // A type around a changed method says less than the method.
        let methods: Vec<String> = self.touched.iter().map(|touched| touched.name.clone()).collect();
        self.touched.retain(|touched| {
            let is_around = |name: &String| {
                name.len() > touched.name.len()
                    && name.starts_with(touched.name.as_str())
                    && name[touched.name.len()..].starts_with(['.', ':', '#'])
            };
            !(matches!(touched.sort, Definition::Type | Definition::Trait | Definition::Module)
                && matches!(touched.how, How::Changed | How::SignatureChanged)
                && methods.iter().any(is_around))
        });
        // And of a new type, its name says enough.
        let types: Vec<String> = self
            .touched
            .iter()
            .filter(|touched| {
                touched.how == How::Added && matches!(touched.sort, Definition::Type | Definition::Trait)
            })
            .map(|touched| touched.name.clone())
            .collect();
        self.touched.retain(|touched| {
            let is_within = |name: &String| {
                touched.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['.', ':', '#']))
            };
            !(touched.how == How::Added && touched.sort != Definition::Test && types.iter().any(is_within))
        });
    }
}

/// Folders of what a build makes: to remove one is to begin anew, and no change.
#[rustfmt::skip]
const ARTEFACTS: [&str; 14] = [
    "build", "dist", "out", "coverage", "target", "bin", "obj", "tmp", "node_modules", ".cache", ".next", ".venv",
    "venv", "__pycache__",
];

fn is_artefact(path: &str) -> bool {
    let name = super::wording::file_name(path.trim_end_matches('/'));
    ARTEFACTS.contains(&name) || name.starts_with("build-") || name.starts_with("cmake-build")
}

fn is_showing(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("cat ")
        || line.starts_with("sed -n")
        || line.starts_with("nl ")
        || line.starts_with("bat ")
}

/// Takes the numbers off lines that a client numbered for its model.
fn without_numbers(text: &str) -> String {
    let mark = |line: &str| {
        let rest = line.trim_start();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        (digits > 0)
            .then(|| {
                rest[digits..]
                    .strip_prefix(['|', '→', '\t', ':'])
                    .or_else(|| rest[digits..].strip_prefix(". "))
            })
            .flatten()
            .map(|rest| line.len() - rest.len())
    };
    let lines: Vec<&str> = text.lines().collect();
    let numbered = lines.iter().filter(|line| mark(line).is_some()).count();
    if lines.len() < 2 || numbered * 10 < lines.len() * 8 {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    for line in lines {
        let rest = mark(line).map_or(line, |at| &line[at..]);
        // `00012| text` has a space of its own.
        plain.push_str(rest);
        plain.push('\n');
    }
    plain
}
