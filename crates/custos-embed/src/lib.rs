//! Turns text into vectors that lie close where the meaning does, and finds the closest among many.
//!
//! A search by words alone does not find "the job queue moved to Postgres" for "where do background tasks wait". A
//! sentence embedder does, but the ready-made runtimes take 40 to 800 ms to start, and a prompt hook has 20 ms for
//! everything. So the model is part of the binary: all-MiniLM-L6-v2, a transformer of six layers, its weights cut to
//! one byte each, with a forward pass that is written for this one shape. What is never asked for is never touched: a
//! hook that does not embed pays nothing for the 24 MB.
//!
//! - [`Embedder`] is what the rest of Custos knows: an id, a number of dimensions, text in, [`Vector`] out. Other
//!   embedders (a server, none at all) live elsewhere, behind the same trait.
//! - [`MiniLm`] is the one in here: `minilm::wordpiece` cuts the text into pieces of a vocabulary, `minilm::layers` turns
//!   these into a vector, and `minilm::blob` holds what both read.
//! - [`Vector`] has one byte per dimension and knows its embedder: vectors of two embedders are never compared.
//! - [`VectorSet`] and [`Rows`] find the nearest: each row by its integers, or first by one bit per dimension.
//! - `kernel` holds the integer arithmetic, once per instruction set and once for every machine.
//!
//! *The same everywhere.* Sums of products are integers, and integers add up the same in any order; what is computed in
//! floating point is written down to the order of additions, with no fused operation. So a text has the same vector, to the
//! bit, on each machine and with each kernel, and a vector that was cached elsewhere is as good as one's own.
//!
//! ```
//! # #[cfg(feature = "minilm")] {
//! use custos_embed::MiniLm;
//!
//! let model = MiniLm::new();
//! let asked = model.vector("which database do we use?", 32);
//! let near = model.vector("we decided to take Postgres", 128);
//! let far = model.vector("she rode her bicycle along the river", 128);
//! assert!(asked.similarity(&near)? > asked.similarity(&far)?);
//! # }
//! # Ok::<(), custos_embed::Mismatch>(())
//! ```

mod embedder;
mod kernel;
#[cfg(feature = "minilm")]
mod minilm;
mod nearest;
mod rows;
mod vector;

pub use embedder::{EmbedError, Embedder, EmbedderId};
#[cfg(feature = "minilm")]
pub use minilm::{BlobError, MiniLm};
pub use nearest::Hit;
pub use rows::{Rows, VectorSet, is_sketch_of, sketch};
pub use vector::{Direction, Mismatch, Vector, inverse_length};
