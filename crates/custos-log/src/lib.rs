//! The event log: the truth from which everything else in Custos is derived.
//!
//! One line is one event. Each machine writes a directory of its own below the log directory, so that any file synchroniser merges
//! the logs of several machines without a conflict; within one machine, appends are serialised by a lock. A record is never changed
//! once it is written, except to be forgotten, and then in place and at equal length.
//!
//! What a caller may rely on (each promise has a test):
//!
//! - An acknowledged append survives the death of any process. Kinds marked [`custos_model::kind::Durability::Power`] also survive a
//!   power cut; tool events do not pay for that.
//! - A write that was cut short is set apart on a line of its own. It is reported, and never glued to the next record.
//! - One bad line costs one record, and is named with its file and offset.
//! - The records of a writer form a chain: [`verify()`] finds any changed byte. [`forget`](forget()) removes the content of a
//!   record and its salt; the chain still holds and shows that something was removed.
//! - Secrets and private text are taken out before anything reaches the disk. No caller can skip it: it happens in
//!   [`Log::append`].
//!
//! | module | what lives there |
//! |---|---|
//! | [`disk`] | the file system as the log sees it; tests put faults in |
//! | [`frame`] | the line: its layout and its hashes |
//! | `hash` | SHA-256 for one record and for a whole log |
//! | [`head`] | the lock, and the end of the chain beside it |
//! | [`append`] | writing |
//! | [`content`] | what a record holds: a draft, cleaned |
//! | [`tail`] | the end of the log, found and written |
//! | [`intake`] | drafts from outside: any bytes in, a checked draft or a clear refusal out |
//! | [`excerpt`] | redaction and shortening, before anything is written |
//! | [`read`] | writers, segments, lines, and finding a place among them |
//! | [`cursor`] | walking on from there |
//! | [`recent`] | the newest events, without the rest |
//! | [`verify`](mod@verify) | the proof of the chain |
//! | [`removal`] | what was removed, held against what was named |
//! | [`forget`](mod@forget) | taking content out for good |
//! | [`survey`] | all that a selection comes to |
//! | [`search`] | a text, however it is spelt |
//! | [`erase`] | overwriting it |
//! | [`backup`] | daily copies |
//! | [`restore`] | mending a damaged segment from one |
//! | [`migrate`](mod@migrate) | replaying into a new log in the current schema |
//! | [`spool`] | events that the log could not take, kept until it can |
//! | [`pseudonym`] | the local key and the map behind agents' pseudonyms |

pub mod append;
pub mod backup;
mod content;
mod cursor;
pub mod disk;
mod erase;
mod error;
pub mod excerpt;
pub mod forget;
pub mod frame;
mod hash;
pub mod head;
pub mod intake;
pub mod migrate;
pub mod pseudonym;
pub mod read;
pub mod recent;
mod removal;
mod restore;
mod search;
pub mod spool;
mod survey;
mod tail;
pub mod verify;
mod writer;

pub use append::{Appended, Limits, Log};
pub use cursor::Cursor;
pub use disk::{Disk, OsDisk};
pub use error::LogError;
pub use forget::{Selection, forget};
pub use migrate::migrate;
pub use read::{Broken, Line, LogReader, Position, Record, Renamed};
pub use verify::verify;
pub use writer::{Machine, NotAWriter, WriterId};
