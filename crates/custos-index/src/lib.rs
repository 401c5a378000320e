//! The index over the log: what a reader asks, answered without reading the log.
//!
//! The log is the truth and only ever grows; the index is what it says, in the order in which somebody asks: sessions, prompts,
//! tool events, observations, summaries, the work that waits for a result, and a full-text search over everything that people and
//! agents wrote. The [catch-up](Index::catch_up) writes it, which reads on where the last one stopped; beside the log, only
//! [knowledge files](Index::put_knowledge) have texts in it, and whoever [embeds](Index::embedded) leaves notes. Whatever is wrong with
//! it, the answer is the same: make it anew.
//!
//! What a caller may rely on (each promise has a test):
//!
//! - The index rebuilt from the log gives the same answers as the one that grew with it.
//! - Any number of processes may catch up, search and rebuild at once. Each event is in the index once, and nobody sees half an index.
//! - Damage makes an index that is started anew; a lock, a full disk or a missing permission does not.
//! - A question is data: no text can be more than words to look for, and no text takes longer than a bounded time.
//! - What was forgotten is in no byte of any file of the index.
//!
//! | module | what lives there |
//! |---|---|
//! | [`analyse`] | text to tokens, for documents and questions alike |
//! | `prepare`, `document` | an event to the rows that it becomes; no database |
//! | `backlog`, `catch_up` | what is still to be read, and reading it |
//! | `apply`, `tables`, `texts`, `work`, `session`, `key` | rows into tables |
//! | `knowledge` | texts that come from files |
//! | `search`, `rank`, `snippet` | questions |
//! | `entry`, `correction` | texts as they are listed, and which of them repeat what was corrected |
//! | `standing`, `around`, `receipts` | what stands out, what stands beside what, who was given what |
//! | `embedding` | the pieces of texts, and which lack vectors |
//! | `rows`, `ids`, `lists`, `queue`, `figures` | other lists, the work that waits, and sums |
//! | `forget`, `rebuild`, `tidy` | taking out, making anew, and what nobody in a hurry does |
//! | `store`, `place`, `schema`, `memory`, `error` | the file, who may replace it, its tables, SQLite's memory, and what is damage |

pub mod analyse;
mod apply;
mod around;
mod backlog;
mod catch_up;
mod correction;
mod document;
mod embedding;
mod entry;
mod error;
mod figures;
mod forget;
mod ids;
mod key;
mod knowledge;
mod lists;
mod memory;
mod place;
mod prepare;
mod queue;
mod rank;
mod rebuild;
mod receipts;
mod rows;
mod schema;
mod search;
mod session;
mod snippet;
mod standing;
mod store;
mod tables;
mod texts;
mod tidy;
mod work;

pub use catch_up::{Budget, CatchUp, Progress};
pub use embedding::ToEmbed;
pub use entry::Entry;
pub use error::IndexError;
pub use figures::{Junk, Usage};
pub use ids::could_be_id;
pub use key::Key;
pub use knowledge::{Files, KnowledgeRow, KnownFile, knowledge_id};
pub use lists::Session;
pub use queue::{Finished, Prompted, Waiting, Work, WorkCounts, WorkState};
pub use receipts::Served;
pub use rows::{Location, Problem, Status};
pub use schema::SCHEMA;
pub use search::{ByTime, CANDIDATES, End, Hit, Matching, SearchQuery, Words};
pub use store::{Edition, Index, User};
