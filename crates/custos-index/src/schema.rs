//! The tables, and the number that stands for their meaning.

use rusqlite::Connection;

/// The number in the file's name: two versions of the program that differ in it do not disturb each other's index.
///
/// Raise it with every change to the tables, to [`crate::analyse`] or to what a row is derived from.
pub const SCHEMA: u32 = 4;

/// Marks the file as ours in SQLite's header: "cust".
const APPLICATION: i32 = 0x6375_7374;

const TABLES: &str = include_str!("schema.sql");

/// The three tables of texts have the same columns, so that one statement form serves them all.
const TEXT_TABLES: [&str; 3] = ["prompts", "observations", "summaries"];

const TEXT_COLUMNS: &str = "
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    ts INTEGER NOT NULL,
    project TEXT,
    session TEXT,
    client TEXT,
    agent TEXT,
    role TEXT,
    scope TEXT NOT NULL,
    acl TEXT NOT NULL,
    origin TEXT NOT NULL,
    task TEXT,
    importance REAL,
    sort TEXT,
    title TEXT,
    excerpt TEXT NOT NULL,
    files_read TEXT,
    files_changed TEXT";

/// Creates the tables in an empty database.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    for table in TEXT_TABLES {
        connection.execute_batch(&format!("CREATE TABLE {table} ({TEXT_COLUMNS})"))?;
    }
    // What was asked in a turn is read with the turn; the other two are only listed and searched.
    connection.execute_batch("CREATE INDEX prompts_by_session ON prompts (session)")?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", SCHEMA)
}

/// Says whether the database has our tables in our version.
pub(crate) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(pragma("application_id")? == i64::from(APPLICATION) && pragma("user_version")? == i64::from(SCHEMA))
}
