//! The open index: one connection, and what it takes to keep it the right one.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::analyse::Analyser;
use crate::error::IndexError;
use crate::memory;
use crate::place::{Gate, Place};
use crate::schema;
use crate::search::Samples;

/// Who opens the index, which decides who tidies up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// A hook: has milliseconds, and leaves the write-ahead log to others.
    Hook,
    /// A worker, a server or a person at the command line: copies the write-ahead log back when it has grown.
    Worker,
}

/// How long to wait for another process's transaction, where no budget says otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The size of the write-ahead log, in pages of 4 KiB, at which a worker copies it back.
const CHECKPOINT_PAGES: i64 = 4096;

/// How much of the file is kept in memory, in KiB, as far as it is used: by a hook, which asks once, and by others.
const HOOK_CACHE: i64 = 16 * 1024;
const WORKER_CACHE: i64 = 48 * 1024;

/// What is at hand from one question to the next.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    pub(crate) analyser: Analyser,
    pub(crate) samples: Samples,
}

/// The index over one log.
#[derive(Debug)]
pub struct Index {
    pub(crate) place: Place,
    pub(crate) connection: Connection,
    pub(crate) desk: Desk,
    pub(crate) user: User,
    gate: Arc<Gate>,
    generation: u64,
    /// Several questions are being asked of one state of the index.
    steady: bool,
    /// One of them met damage.
    damaged: bool,
    /// The file was made anew since the last catch-up said so.
    pub(crate) renewed: bool,
}

/// What tells one state of the index from another, for one who has it open. As long as it is the same, nobody has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edition {
    generation: u64,
    by_others: i64,
    by_ourselves: u64,
}

impl Index {
    /// Opens the index in a state directory; creates it where it is missing, and makes it anew where it is damaged.
    ///
    /// An index that was just created is empty: catch up before asking. Files of other schema numbers are left alone.
    pub fn open(state_dir: &Path, user: User) -> Result<Self, IndexError> {
        let place = Place::new(state_dir);
        let gate = Arc::new(place.gate()?);
        let (connection, generation, renewed) = open_current(&place, &gate, user)?;
        Ok(Self {
            place,
            connection,
            desk: Desk::default(),
            user,
            gate,
            generation,
            steady: false,
            damaged: false,
            renewed,
        })
    }

    /// Asks a question; if the index turns out to be damaged, catches up with the log and asks once more.
    pub fn ask<T>(
        &mut self,
        log: &custos_log::LogReader,
        question: impl Fn(&mut Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        match question(self) {
            Err(IndexError::Damaged) => {
                self.catch_up(log, None, &mut |_| {})?;
                question(self)
            }
            answer => answer,
        }
    }

    /// Asks several questions of one state of the index: what others write or replace meanwhile does not show, and a [`Key`](crate::Key)
    /// that one question gives is good for the next. It is also the fast way to ask many small ones.
    ///
    /// Whatever writes to the index is busy meanwhile, through this handle.
    pub fn steadily<T, E: From<IndexError>>(
        &mut self,
        questions: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.steady {
            return questions(self);
        }
        let gate = Arc::clone(&self.gate);
        let mut pass = gate.enter()?;
        if pass.generation()? != self.generation || !self.place.exists()? {
            drop(pass);
            self.reopen()?;
            pass = gate.enter()?;
        }
        self.connection.execute_batch("BEGIN").map_err(IndexError::from)?;
        self.steady = true;
        let answers = questions(self);
        self.steady = false;
        let ended = end_view(&self.connection);
        drop(pass);
        if std::mem::take(&mut self.damaged) {
            self.start_anew()?;
        }
        ended?;
        answers
    }

    /// Gives the edition that is there now.
    pub fn edition(&mut self) -> Result<Edition, IndexError> {
        let (by_others, by_ourselves) = self.operate(|connection, _| {
            let by_others =
                connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
            Ok((by_others, connection.total_changes()))
        })?;
        Ok(Edition { generation: self.generation, by_others, by_ourselves })
    }

    /// Runs one operation that writes to the present file.
    pub(crate) fn write<T>(
        &mut self,
        operation: impl FnOnce(&Connection, &mut Desk) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        if self.steady {
            return Err(IndexError::Busy);
        }
        self.desk.samples.clear();
        self.operate(operation)
    }

    /// Asks one question of many statements, which all see the same state. SQLite takes its locks once for all of them.
    pub(crate) fn read<T>(
        &mut self,
        question: impl FnOnce(&Connection, &mut Desk) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        self.operate(|connection, desk| {
            if !connection.is_autocommit() {
                return question(connection, desk);
            }
            connection.prepare_cached("BEGIN")?.execute([])?;
            let answer = question(connection, desk);
            end_view(connection)?;
            answer
        })
    }

    /// Runs one operation on the present file. Damage replaces the file by an empty one and is reported.
    pub(crate) fn operate<T>(
        &mut self,
        operation: impl FnOnce(&Connection, &mut Desk) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        if self.steady {
            let result = operation(&self.connection, &mut self.desk);
            self.damaged |= matches!(result, Err(IndexError::Damaged));
            return result;
        }
        let result = {
            let pass = self.gate.enter()?;
            if pass.generation()? == self.generation && self.place.exists()? {
                operation(&self.connection, &mut self.desk)
            } else {
                drop(pass);
                self.reopen()?;
                let _pass = self.gate.enter()?;
                operation(&self.connection, &mut self.desk)
            }
        };
        if matches!(result, Err(IndexError::Damaged)) {
            self.start_anew()?;
        }
        result
    }

    /// Puts a finished file in the place of the present one. After a crash, one of the two is there, whole.
    pub(crate) fn put_in_place(&mut self, fresh: &Path) -> Result<(), IndexError> {
        if self.steady {
            return Err(IndexError::Busy);
        }
        let database = self.place.database();
        {
            let pass = self.gate.enter_alone()?;
            // Raised first: a crash after it costs the others a reopening, a crash before it would leave them on a file
            // whose write-ahead log is gone.
            pass.raise_generation()?;
            let [_, companions @ ..] = Place::with_companions(&database);
            Place::remove(&companions)?;
            std::fs::rename(fresh, &database).map_err(IndexError::io("rename", fresh))?;
        }
        self.reopen()
    }

    /// Replaces the present file by an empty one, unless somebody else has already.
    fn start_anew(&mut self) -> Result<(), IndexError> {
        {
            let pass = self.gate.enter_alone()?;
            if pass.generation()? == self.generation {
                pass.raise_generation()?;
                create_empty(&self.place)?;
            }
        }
        self.reopen()?;
        self.renewed = true;
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), IndexError> {
        let (connection, generation, renewed) = open_current(&self.place, &self.gate, self.user)?;
        self.connection = connection;
        self.desk.samples.clear();
        self.generation = generation;
        self.renewed |= renewed;
        Ok(())
    }
}

/// Ends a transaction that has only read. After some errors SQLite has ended it already.
fn end_view(connection: &Connection) -> Result<(), IndexError> {
    if !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK")?.execute([])?;
    }
    Ok(())
}

/// Opens the file that is there now; the last part says whether it had to be made anew.
fn open_current(place: &Place, gate: &Gate, user: User) -> Result<(Connection, u64, bool), IndexError> {
    let attempt = || -> Result<Option<(Connection, u64)>, IndexError> {
        let pass = gate.enter()?;
        if !place.exists()? {
            return Ok(None);
        }
        let generation = pass.generation()?;
        connect(&place.database(), user).map(|connection| Some((connection, generation)))
    };
    let mut damaged = false;
    for _ in 0..3 {
        match attempt() {
            Ok(Some((connection, generation))) => return Ok((connection, generation, damaged)),
            Ok(None) => {}
            Err(IndexError::Damaged) => damaged = true,
            Err(error) => return Err(error),
        }
        let pass = gate.enter_alone()?;
        // Somebody else may have been faster.
        let still_so =
            !place.exists()? || matches!(connect(&place.database(), user), Err(IndexError::Damaged));
        if still_so {
            pass.raise_generation()?;
            create_empty(place)?;
        }
    }
    // Three times damaged right after it was created: the disk does not keep what is written to it.
    Err(IndexError::Damaged)
}

/// Creates an empty index in place of whatever is there. Only for those who have the gate to themselves.
fn create_empty(place: &Place) -> Result<(), IndexError> {
    let database = place.database();
    Place::remove(&Place::with_companions(&database))?;
    place.create(&database)?;
    memory::comes_from_the_program();
    let connection = Connection::open_with_flags(&database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Nothing waits for the disk: what a power cut leaves of an empty index is damaged, and is made anew.
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update_and_check(None, "journal_mode", "off", |_| Ok(()))?;
    connection.execute_batch("BEGIN")?;
    schema::create(&connection)?;
    connection.execute_batch("COMMIT")?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    Ok(())
}

/// Keeps statements and their plans. A plan may depend on no value that is bound: SQLite would make it anew with every other value.
pub(crate) fn plan_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn connect(database: &Path, user: User) -> Result<Connection, IndexError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    memory::comes_from_the_program();
    let connection = Connection::open_with_flags(database, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Closing must not touch the write-ahead log: by then it may belong to another file, see place.rs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    plan_once(&connection)?;
    if !schema::is_ours(&connection)? {
        return Err(IndexError::Damaged);
    }
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    let (cache, checkpoint) = match user {
        User::Hook => (HOOK_CACHE, 0),
        User::Worker => (WORKER_CACHE, CHECKPOINT_PAGES),
    };
    connection.pragma_update(None, "cache_size", -cache)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", checkpoint, |_| Ok(()))?;
    Ok(connection)
}
