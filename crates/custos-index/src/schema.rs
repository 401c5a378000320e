//! The tables, and the number that stands for their meaning.

use rusqlite::Connection;

use crate::tidy::{EVERYDAY, configure_search};

/// The number in the file's name: two versions of the program that differ in it do not disturb each other's index.
///
/// Raise it with every change to the tables, to [`crate::analyse`] or to what a row is derived from.
pub const SCHEMA: u32 = 7;

/// Marks the file as ours in SQLite's header: "cust".
const APPLICATION: i32 = 0x6375_7374;

const TABLES: &str = include_str!("schema.sql");

/// Creates the tables in an empty database. Within a transaction, or each statement is one.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    configure_search(connection, EVERYDAY)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", SCHEMA)
}

/// Says whether the database has our tables in our version.
pub(crate) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(pragma("application_id")? == i64::from(APPLICATION) && pragma("user_version")? == i64::from(SCHEMA))
}
