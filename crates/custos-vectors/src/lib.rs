//! The vectors of all that is remembered, in files that are searched where they lie.
//!
//! A vector takes the worker some ten milliseconds to make, and the text that it was made from never changes. So vectors are
//! no part of the index, which may be deleted at any time: they are kept by the hash of their text and outlive it. Each
//! embedder has a directory of its own below `vectors`, and what another made is never looked at.
//!
//! The rows of an embedder lie in sections, one file each, in which the same place belongs to the same row: the *name* of the
//! text, the *scope* it belongs to, the *components* of its vector, their inverse *length*, and their *sketch*, one bit per
//! dimension. A reader maps the files and pays for what it touches: a prompt hook looks up some hundred rows by name
//! (`slots` is a table of where they are), a server compares all rows of a scope. Nothing has to be loaded, and nothing
//! stays resident.
//!
//! What a caller may rely on (each promise has a test):
//!
//! - A row counts from the moment that its name is written, which is last. Whoever dies before leaves a tail that nobody
//!   reads and that the next writer writes over.
//! - Whatever is in these files, nobody panics and nobody gets a wrong vector: the length is held against the components of
//!   each row that is given away. What does not agree is missing, and missing vectors are normal.
//! - No file that somebody may have mapped gets shorter; what has to grow in another shape is written beside it and renamed.
//! - Rows never change, but for [`forget`], after which no byte of the row is left.
//! - Any number of writers take turns, so that none is lost.
//!
//! | module | what lives there |
//! |---|---|
//! | `scope` | the mark of a project |
//! | `shelf` | where an embedder's files are, and what proves that they are its own |
//! | `sections` | the files of a shelf: their widths, and what is mapped of them |
//! | `mapped` | a file as bytes |
//! | `slots` | from a name to its row |
//! | `vectors` | reading |
//! | `pen` | writing |
//! | `forget` | taking out |

mod error;
mod forget;
mod mapped;
mod pen;
mod scope;
mod sections;
mod shelf;
mod slots;
mod vectors;

pub use error::VectorsError;
pub use forget::{forget, forgotten_when_swept, note_sweep, pieces};
pub use pen::Pen;
pub use scope::ScopeTag;
pub use shelf::{Stored, remove_others, stored};
pub use vectors::Vectors;
