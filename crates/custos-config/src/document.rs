//! What one settings file says: its values and its faults, before anyone asks whether it may say so.

use std::collections::BTreeMap;
use std::path::Path;

use crate::nearest::UnknownKey;
use crate::problem::{Problem, ProblemKind, Spot};
use crate::settings::{Row, TABLE, row};
use crate::value::Value;
use crate::yaml::{self, Content, Node, Pair, Position};

/// The most faults of one file that are told.
const MOST_FAULTS: usize = 50;

/// Everything found in a file.
pub(crate) struct Found {
    pub(crate) values: Vec<FoundValue>,
    pub(crate) faults: Vec<Fault>,
}

pub(crate) struct FoundValue {
    pub(crate) row: &'static Row,
    pub(crate) value: Value,
    pub(crate) at: Position,
}

pub(crate) struct Fault {
    pub(crate) at: Position,
    pub(crate) kind: ProblemKind,
}

/// Finds the values in the text of a settings file.
pub(crate) fn find_values(text: &str) -> Found {
    let mut found = Found { values: Vec::new(), faults: Vec::new() };
    match yaml::parse(text) {
        Err(broken) => found.fault(broken.at, ProblemKind::Broken { why: broken.why }),
        Ok(None) => {}
        Ok(Some(root)) => match root.content() {
            Content::Mapping(sections) => found.take_sections(sections),
            _ => found.fault(root.at, ProblemKind::NotSections { found: root.describe() }),
        },
    }
    if found.faults.len() > MOST_FAULTS {
        found.faults.truncate(MOST_FAULTS);
        if let Some(last) = found.faults.last() {
            let at = last.at;
            found.fault(at, ProblemKind::TooMany { limit: MOST_FAULTS });
        }
    }
    found
}

impl Fault {
    /// The fault as a problem of the file it was found in.
    pub(crate) fn in_file(self, path: &Path) -> Problem {
        let Position { line, column } = self.at;
        Problem { spot: Spot::Line { path: path.to_owned(), line, column }, kind: self.kind }
    }
}

impl Found {
    fn fault(&mut self, at: Position, kind: ProblemKind) {
        self.faults.push(Fault { at, kind });
    }

    /// Tells whether enough is wrong to stop looking.
    fn has_enough(&self) -> bool {
        self.faults.len() > MOST_FAULTS
    }

    fn take_sections(&mut self, sections: &[Pair]) {
        let mut seen = BTreeMap::new();
        for Pair { key, value } in sections {
            if self.has_enough() {
                return;
            }
            let Some(name) = self.name(key) else { continue };
            let Some(section) = TABLE.iter().map(Row::section).find(|section| *section == name) else {
                let kind = match row(name) {
                    Some(row) => {
                        ProblemKind::Dotted { key: row.key, section: row.section(), name: row.name() }
                    }
                    None => ProblemKind::Unknown(UnknownKey::section(name)),
                };
                self.fault(key.at, kind);
                continue;
            };
            if let Some(first) = seen.get(section) {
                self.fault(key.at, ProblemKind::Duplicate { key: section.to_owned(), first: *first });
                continue;
            }
            seen.insert(section, key.at.line);
            match value.content() {
                Content::Mapping(pairs) => self.take_section(section, pairs),
                _ if value.is_null() => {}
                _ => self.fault(value.at, ProblemKind::NotASection { section, found: value.describe() }),
            }
        }
    }

    fn take_section(&mut self, section: &'static str, pairs: &[Pair]) {
        let mut seen = BTreeMap::new();
        for Pair { key, value } in pairs {
            if self.has_enough() {
                return;
            }
            let Some(name) = self.name(key) else { continue };
            let full = format!("{section}.{name}");
            let Some(row) = row(&full) else {
                self.fault(key.at, ProblemKind::Unknown(UnknownKey::key(&full)));
                continue;
            };
            if let Some(first) = seen.get(row.key) {
                self.fault(key.at, ProblemKind::Duplicate { key: full, first: *first });
                continue;
            }
            seen.insert(row.key, key.at.line);
            match row.read(value) {
                Ok(value) => self.values.push(FoundValue { row, value, at: key.at }),
                Err(wrong) => self.fault(value.at, ProblemKind::Wrong(wrong)),
            }
        }
    }

    /// The name that a key spells.
    fn name<'a>(&mut self, key: &'a Node) -> Option<&'a str> {
        match key.content() {
            Content::Scalar { text, plain: true } if text == "<<" => {
                self.fault(key.at, ProblemKind::MergeKey);
                None
            }
            Content::Scalar { text, .. } => Some(text),
            _ => {
                self.fault(key.at, ProblemKind::Unknown(UnknownKey { name: key.describe(), nearest: None }));
                None
            }
        }
    }
}
