//! Recall: of all that was learnt, what answers this question, for whoever may see it.
//!
//! A memory is found in two ways. By its words: the index knows how rare each is and which texts have it. And by what it means: the
//! embedder gives a question and a text the same direction where they say the same. Neither is enough. Words miss "the job queue moved to
//! Postgres" for "where do background tasks wait"; meaning alone finds everything that is roughly about tasks. So both are asked and added
//! up, each in a measure that says how far a text stands out rather than where it ranks ([`fusion`]). What was said just before and after
//! a good match helps too, because people refer to things by "it". Then come the small things that are known without reading a word:
//! the files of the present work, age, importance, pins, trust. Every number that decides is in one record, with what it means and where
//! it was measured: [`Policy`].
//!
//! What a caller may rely on (each promise has a test):
//!
//! - Nothing leaves this crate that [`access::may_see`] denies to the one who asks. Search, timeline and whole texts go through it.
//! - A question is data: any text, of any length, in any language, or none; without words it means the newest.
//! - What is missing makes an answer worse and never an error: no vectors, no embedder, an index that is still behind. A note says so.
//! - The same log, vectors and question give the same answer, and each part of a score can be told ([`Parts`]).
//!
//! | module | what lives there |
//! |---|---|
//! | [`store`] | the open memory: index, log and vectors together |
//! | [`search`], [`fusion`], [`policy`] | questions, and what makes an answer a good one |
//! | [`names`] | short ids and words for types |
//! | [`timeline`], [`whole`] | what happened around something, and all that is known of it |
//! | [`context`], [`receipt`] | what a session is told without asking, and the proof of it |
//! | `saying` | whether two texts say the same |
//! | [`fence`], [`tokens`] | stored text as data; what it takes |
//! | [`viewer`], [`access`] | who asks, and what they may see |
//! | [`knowledge`] | the files of `.ai/` beside what sessions learnt, in one ranking |
//! | [`hints`] | one line at a tool, written down in advance |
//! | [`error`] | why there is no answer |

pub mod access;
pub mod context;
pub mod error;
pub mod fence;
pub mod fusion;
pub mod hints;
pub mod knowledge;
pub mod names;
pub mod policy;
pub mod receipt;
mod saying;
pub mod search;
pub mod store;
pub mod timeline;
pub mod tokens;
pub mod viewer;
pub mod whole;

pub use error::RecallError;
pub use names::{Named, Types};
pub use policy::Policy;
pub use search::{Answer, Ask, Depth, Echo, Found, Order, Parts, Relevance, Work};
pub use store::{Places, Store};
pub use viewer::Viewer;
pub use whole::{Replacement, Whole};
