//! Where a question looks: its *scope*, which is some projects and some kinds of texts, and what narrows it down within that.
//!
//! The scope decides what a word weighs. "Token" says little in a project about authentication and much in one about gardening, so
//! how many texts there are, how many of them have a word and how long they are is always counted within the scope, never in the
//! whole store. What narrows a question further (a session, a type, a file, a time) only chooses among the texts of the scope.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use super::SearchQuery;
use crate::analyse::Analyser;
use crate::document::{kind_mark, project_mark, session_mark, sort_mark};
use crate::error::IndexError;
use crate::key::{self, Table, mirrored_range};
use crate::rank::Corpus;

/// In how many slots newest matches are looked for, where a question names no project: those with the most texts.
const SEARCHED_SLOTS: usize = 32;

/// Kinds that make up less than one in so many texts are looked for by their marks; others are just picked out.
const RARE_KINDS: i64 = 4;

/// The projects and kinds that a question is about.
pub(crate) struct Reach {
    /// How many texts there are, and how long they are.
    pub(crate) corpus: Corpus,
    /// The number of each scope and how many texts it has, the largest first.
    pub(crate) scopes: Vec<(i64, i64)>,
    /// Where the texts are, those slots first that have the most.
    pub(crate) slots: Vec<Slot>,
    /// Whether these are all slots that there are.
    pub(crate) is_everywhere: bool,
    /// Which kinds are wanted.
    tables: [bool; 4],
    /// The marks of the kinds, if they are rare.
    pub(crate) kinds: String,
}

/// Part of the full-text index: one project's, or those of a few that share a slot.
pub(crate) struct Slot {
    pub(crate) no: i64,
    documents: i64,
    /// The marks of the wanted projects, where others are in the same slot.
    pub(crate) marks: String,
}

struct ScopeRow {
    no: i64,
    project: String,
    table: usize,
    slot: i64,
    documents: i64,
    tokens: i64,
}

impl Reach {
    /// Looks up what a question is about.
    pub(crate) fn of(connection: &Connection, query: &SearchQuery<'_>) -> Result<Self, IndexError> {
        let is_everywhere = query.projects.is_empty();
        let mut rows = Vec::new();
        if is_everywhere {
            rows.extend(scopes(connection, "TRUE OR ?1", "")?);
        } else {
            for project in query.projects {
                rows.extend(scopes(connection, "project = ?1", project)?);
            }
            rows.sort_by_key(|row| row.no);
            rows.dedup_by_key(|row| row.no);
        }
        let mut tables = [query.kinds.is_empty(); 4];
        for table in query.kinds.iter().filter_map(|kind| Table::of(*kind)) {
            tables[table as usize] = true;
        }
        let all: i64 = rows.iter().map(|row| row.documents).sum();
        rows.retain(|row| tables[row.table]);
        rows.sort_by(|a, b| {
            b.documents.cmp(&a.documents).then_with(|| (&a.project, a.table).cmp(&(&b.project, b.table)))
        });
        let documents: i64 = rows.iter().map(|row| row.documents).sum();
        let tokens: i64 = rows.iter().map(|row| row.tokens).sum();
        let kinds = if documents * RARE_KINDS < all {
            any_of(tables_wanted(tables).map(kind_mark))
        } else {
            String::new()
        };
        let corpus = Corpus {
            documents: documents as f64,
            average_length: tokens as f64 / (documents as f64).max(1.0),
        };
        Ok(Self {
            corpus,
            scopes: rows.iter().map(|row| (row.no, row.documents)).collect(),
            slots: slots(connection, query, &rows)?,
            is_everywhere,
            tables,
            kinds,
        })
    }

    /// Says whether a key is that of a kind that is wanted.
    pub(crate) fn wants(&self, key: i64) -> bool {
        self.tables[key::table(key) as usize]
    }

    /// Gives the slots in which newest matches are looked for.
    pub(crate) fn searched(&self) -> &[Slot] {
        let searched = if self.is_everywhere { SEARCHED_SLOTS } else { self.slots.len() };
        &self.slots[..self.slots.len().min(searched)]
    }
}

fn tables_wanted(tables: [bool; 4]) -> impl Iterator<Item = Table> {
    Table::ALL.into_iter().filter(move |table| tables[*table as usize])
}

fn scopes(connection: &Connection, condition: &str, project: &str) -> Result<Vec<ScopeRow>, IndexError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT no, project, kind, slot, documents, tokens FROM scopes WHERE {condition}"
    ))?;
    let rows = statement.query_map([project], |row: &Row<'_>| {
        Ok(ScopeRow {
            no: row.get(0)?,
            project: row.get(1)?,
            table: usize::from(row.get::<_, u8>(2)?.min(3)),
            slot: row.get(3)?,
            documents: row.get(4)?,
            tokens: row.get(5)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn slots(
    connection: &Connection,
    query: &SearchQuery<'_>,
    rows: &[ScopeRow],
) -> Result<Vec<Slot>, IndexError> {
    let mut found: BTreeMap<i64, Slot> = BTreeMap::new();
    for row in rows {
        let slot = found.entry(row.slot).or_insert(Slot { no: row.slot, documents: 0, marks: String::new() });
        slot.documents += row.documents;
    }
    if !query.projects.is_empty() {
        let mut statement =
            connection.prepare_cached("SELECT DISTINCT project FROM scopes WHERE slot = ?1")?;
        for slot in found.values_mut() {
            let here = statement.query_map(params![slot.no], |row| row.get::<_, String>(0))?;
            let here = here.collect::<rusqlite::Result<Vec<_>>>()?;
            if here.iter().any(|project| !query.projects.contains(&project.as_str())) {
                let wanted = here.iter().filter(|project| query.projects.contains(&project.as_str()));
                slot.marks = any_of(wanted.map(|project| project_mark(project)));
            }
        }
    }
    let mut slots: Vec<Slot> = found.into_values().collect();
    slots.sort_by_key(|slot| (std::cmp::Reverse(slot.documents), slot.no));
    Ok(slots)
}

/// Narrows a question down to a session, types and files: a condition to be added to others, empty where there is none.
pub(crate) fn narrowing(query: &SearchQuery<'_>, analyser: &mut Analyser) -> String {
    let mut condition = String::new();
    condition.push_str(&any_of(query.session.map(session_mark).into_iter()));
    if !query.sorts.is_empty() {
        let kinds = query.or_kinds.iter().filter_map(|kind| Table::of(*kind)).map(kind_mark);
        condition.push_str(&any_of(query.sorts.iter().map(|sort| sort_mark(sort)).chain(kinds)));
    }
    // A file is found by its name; in which directory it lies is looked at when the row is read.
    let names: Vec<String> = query
        .files
        .iter()
        .map(|file| {
            let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
            let tokens = analyser.distinct(name, 8);
            tokens.iter().map(|token| quoted(token)).collect::<Vec<_>>().join(" AND ")
        })
        .collect();
    if !names.is_empty() && names.iter().all(|name| !name.is_empty()) {
        condition.push_str(&format!(" AND (({}))", names.join(") OR (")));
    }
    condition
}

/// Gives the numbers of a slot within the times that a question names.
pub(crate) fn range(slot: i64, query: &SearchQuery<'_>, is_narrowed: bool) -> (i64, i64) {
    let (since, until) = if is_narrowed { (query.since, query.until) } else { (None, None) };
    mirrored_range(slot, since, until)
}

/// Makes a condition to be added to others, that one of some tokens be there; empty where there are none.
fn any_of(tokens: impl Iterator<Item = String>) -> String {
    let tokens: Vec<String> = tokens.map(|token| quoted(&token)).collect();
    if tokens.is_empty() { String::new() } else { format!(" AND ({})", tokens.join(" OR ")) }
}

/// Quotes a token. Tokens hold no quotes; what is quoted here is never what somebody typed.
pub(crate) fn quoted(token: &str) -> String {
    format!("\"{token}\"")
}
