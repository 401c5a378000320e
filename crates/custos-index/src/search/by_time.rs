//! A question without words: what there is, in the order of time.

use custos_model::Timestamp;
use rusqlite::params;

use crate::entry::{ENTRIES, Entry, HOLDS, entry};
use crate::error::IndexError;
use crate::key::{Key, Table};
use crate::search::SearchQuery;
use crate::store::Index;

/// How many texts of one kind and project are looked at, in search of those that are wanted.
const AT_MOST: usize = 1 << 16;

/// From which end time is walked along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

/// Texts in the order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ByTime {
    /// Those that are wanted, from the end that was asked for.
    pub found: Vec<(Key, Entry)>,
    /// Whether there may be more that nobody has looked at.
    pub is_cut: bool,
}

impl Index {
    /// Lists what a question is about that still holds, its words left aside, as far as `is_shown` agrees.
    pub fn by_time(
        &mut self,
        query: &SearchQuery<'_>,
        end: End,
        is_shown: &dyn Fn(&Entry) -> bool,
    ) -> Result<ByTime, IndexError> {
        let everywhere = query.projects.is_empty().then_some(None);
        let projects = query.projects.iter().copied().map(Some).chain(everywhere);
        let mut all = ByTime::default();
        for project in projects {
            for table in Table::ALL {
                if query.kinds.is_empty() || query.kinds.contains(&table.kind()) {
                    self.walk(query, table, project, end, is_shown, &mut all)?;
                }
            }
        }
        all.found.sort_by(|(_, a), (_, b)| {
            let (first, second) = if end == End::Newest { (b, a) } else { (a, b) };
            first.ts.cmp(&second.ts).then(a.id.cmp(&b.id))
        });
        all.found.truncate(query.limit);
        Ok(all)
    }

    /// Adds the first of one kind, in one project or all, that are wanted.
    fn walk(
        &mut self,
        query: &SearchQuery<'_>,
        table: Table,
        project: Option<&str>,
        end: End,
        is_shown: &dyn Fn(&Entry) -> bool,
        all: &mut ByTime,
    ) -> Result<(), IndexError> {
        let order = if end == End::Newest { "DESC" } else { "ASC" };
        let scope = if project.is_some() { "project IS ?4 AND" } else { "?4 IS NULL AND" };
        let sql = format!(
            "{ENTRIES} WHERE {scope} kind = ?1 AND ts BETWEEN ?2 AND ?3 AND {HOLDS} ORDER BY ts {order}, id"
        );
        let since = query.since.map_or(i64::MIN, Timestamp::as_millis);
        let until = query.until.map_or(i64::MAX, Timestamp::as_millis);
        // The empty name stands for those that belong to none.
        let project = project.filter(|project| !project.is_empty());
        self.read(|connection, _| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![table as i64, since, until, project])?;
            let (mut looked_at, mut wanted) = (0, 0);
            while wanted < query.limit
                && let Some(row) = rows.next()?
            {
                if looked_at == AT_MOST {
                    all.is_cut = true;
                    break;
                }
                looked_at += 1;
                let (key, entry) = entry(row)?;
                if Self::is_wanted(&entry, query) && is_shown(&entry) {
                    wanted += 1;
                    all.found.push((key, entry));
                }
            }
            Ok(())
        })
    }
}
