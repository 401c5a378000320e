//! What Custos knows of an embedder, whichever it is.
//!
//! The trait has to suit three that could hardly differ more: the model in this crate, which cannot fail and takes
//! milliseconds; a server, which can fail in every way, bills by the call and wants many texts at once; and none, which
//! has nothing to give. Hence every call may fail, and there is one for many texts.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::Vector;

/// Turns texts into vectors of one space.
pub trait Embedder: Send + Sync {
    /// Names the space of the vectors.
    ///
    /// Stored beside each of them. It has to change whenever the same text would get another vector: with the model, its
    /// version, the way it is quantised.
    fn id(&self) -> &EmbedderId;

    /// Says how many dimensions a vector has.
    fn dims(&self) -> usize;

    /// Says whether a text is in words that the embedder knows. Of others it makes vectors as well, but these are like each other whatever is
    /// said, and tell nothing.
    fn knows_words_of(&self, text: &str) -> bool {
        let _ = text;
        true
    }

    /// Embeds a text, of which at most the first `max_tokens` tokens are read.
    fn embed(&self, text: &str, max_tokens: usize) -> Result<Vector, EmbedError>;

    /// Embeds several texts, and answers in their order.
    ///
    /// All or nothing: who pays by the call asks again for the same batch.
    fn embed_all(&self, texts: &[&str], max_tokens: usize) -> Result<Vec<Vector>, EmbedError> {
        texts.iter().map(|text| self.embed(text, max_tokens)).collect()
    }
}

/// Names an embedder, and with it the space in which its vectors can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmbedderId(Arc<str>);

impl EmbedderId {
    /// Takes any text as a name.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Gives the name as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmbedderId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Says why there is no vector, in the terms of what to do about it.
#[derive(Debug)]
#[non_exhaustive]
pub enum EmbedError {
    /// No embedder is configured, so there is nothing to wait for.
    Absent,
    /// The embedder does not answer now; the same text may succeed later.
    Unavailable(Box<dyn Error + Send + Sync>),
    /// The embedder does not take this text, or answers with what is no vector; asking again does not help.
    Refused(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for EmbedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Absent => "no embedder is configured",
            Self::Unavailable(_) => "the embedder does not answer",
            Self::Refused(_) => "the embedder does not take the text",
        })
    }
}

impl Error for EmbedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Absent => None,
            Self::Unavailable(source) | Self::Refused(source) => Some(source.as_ref()),
        }
    }
}
