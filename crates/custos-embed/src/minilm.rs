//! all-MiniLM-L6-v2: a text of up to 256 tokens in, 384 numbers out.
//!
//! The way of a text: `normalise` drops what has no meaning here (case, accents, control characters), `wordpiece` cuts
//! the words into pieces that the vocabulary knows, and `layers` lets the pieces look at each other, six times over, and
//! takes the mean of what they became. `matrix` says how numbers are rounded to integers for that, `functions` has the
//! two curves that std computes too slowly, and `blob` is where all tables and weights lie.

pub(crate) mod blob;
mod functions;
pub(crate) mod layers;
pub(crate) mod matrix;
mod normalise;
#[cfg(test)]
mod tests;
mod wordpiece;

pub use blob::BlobError;
use blob::{FILE, HIDDEN, MODEL, POSITIONS};

use crate::embedder::{EmbedError, Embedder, EmbedderId};
use crate::kernel::Kernel;
use crate::vector::Vector;

/// How many tokens tell whether the words of a text are known.
const LOOKED_AT: usize = 64;

/// Embeds with the model inside the binary.
///
/// Takes about 0.2 ms per token on one core: 32 tokens suit a prompt, 128 a document.
#[derive(Clone, Debug)]
pub struct MiniLm {
    id: EmbedderId,
    kernel: Kernel,
}

impl MiniLm {
    /// The name under which vectors are stored; the number at its end counts up whenever a text gets another vector.
    pub const ID: &str = "all-minilm-l6-v2.int8.1";

    /// The dimensions of a vector.
    pub const DIMS: usize = HIDDEN;

    /// The most tokens that are read of a text; the model was trained on half as many.
    pub const MAX_TOKENS: usize = POSITIONS;

    /// Gets the model ready, which is no work: the compiler has opened it.
    pub fn new() -> Self {
        Self::with(Kernel::best())
    }

    fn with(kernel: Kernel) -> Self {
        Self { id: EmbedderId::new(Self::ID), kernel }
    }

    /// Embeds any text, of which at most the first `max_tokens` tokens are read.
    pub fn vector(&self, text: &str, max_tokens: usize) -> Vector {
        Vector::quantise(self.id.clone(), &self.embedding(text, max_tokens))
    }

    /// Embeds any text, before it is rounded: 384 numbers, one long.
    pub fn embedding(&self, text: &str, max_tokens: usize) -> Vec<f32> {
        self.kernel.forward(&MODEL, &self.tokens(text, max_tokens))
    }

    /// Cuts a text into at most `max_tokens` tokens, with the two that the model wants around it.
    pub fn tokens(&self, text: &str, max_tokens: usize) -> Vec<u16> {
        wordpiece::tokens(&MODEL, text, max_tokens)
    }

    /// Checks that the model is what was built: some milliseconds, for when something seems wrong.
    pub fn verify() -> Result<(), BlobError> {
        blob::verify(FILE)
    }

    /// Gives the bytes of the model, for a program that wants them mapped before they are used.
    pub fn bytes() -> &'static [u8] {
        FILE
    }
}

impl Default for MiniLm {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedder for MiniLm {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn dims(&self) -> usize {
        Self::DIMS
    }

    fn knows_words_of(&self, text: &str) -> bool {
        wordpiece::is_known(&MODEL, &self.tokens(text, LOOKED_AT))
    }

    fn embed(&self, text: &str, max_tokens: usize) -> Result<Vector, EmbedError> {
        Ok(self.vector(text, max_tokens))
    }
}
