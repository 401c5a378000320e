//! Who makes vectors of texts: from settings and keys to an embedder that can be asked, or to none.
//!
//! The model inside the program is always ready and costs nothing to open. A server is another matter: a worker may wait for it, a
//! person who searches for a moment, a hook never. So hooks have the model inside the program or go by words alone.

use std::sync::Arc;
use std::time::Duration;

use custos_config::Embedder as Setting;
use custos_embed::{EmbedError, Embedder, EmbedderId};
use custos_index::{Index, IndexError};
use custos_providers::HttpEmbedder;
use custos_providers::embeddings::Server;
use custos_vectors::Stored;
use custos_worker::OpenEmbedder;
use serde_json::{Value, json};

use crate::context::Context;
use crate::distiller;
use crate::distiller::key::{self, Key, NoKey};
use crate::environment::ProcessEnvironment;
use crate::render;

/// How long a server may take for what a worker asks, and for the question of somebody who waits.
const WORKERS_PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(3);

/// Why there is no embedder although one is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotReady {
    /// The program was built without its model.
    #[cfg(not(feature = "minilm"))]
    NoModel,
    /// The server has no address, or its model no name.
    Unset(&'static str),
    Key(NoKey),
}

impl NotReady {
    /// Says what to do about it.
    pub(crate) fn advice(&self) -> String {
        match self {
            #[cfg(not(feature = "minilm"))]
            Self::NoModel => {
                "`custos config set recall.embedder none`, or a build with the feature `minilm`".to_owned()
            }
            Self::Unset(key) => format!("`custos config set {key} …`"),
            Self::Key(no_key) => no_key.advice(),
        }
    }
}

impl std::fmt::Display for NotReady {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            #[cfg(not(feature = "minilm"))]
            Self::NoModel => f.write_str("this build has no model inside"),
            Self::Unset(key) => write!(f, "{key} is not set"),
            Self::Key(no_key) => no_key.fmt(f),
        }
    }
}

/// The embedder of the settings.
pub(crate) enum Chosen {
    /// Nobody makes vectors.
    None,
    /// The model inside the program.
    #[cfg(feature = "minilm")]
    Minilm,
    /// A server.
    Http(Reach),
}

/// How a server is reached.
pub(crate) struct Reach {
    pub(crate) url: String,
    model: String,
    pub(crate) key: Option<Key>,
}

impl Reach {
    /// Names the server as its vectors do.
    fn id(&self) -> EmbedderId {
        HttpEmbedder::id_of(&self.url, &self.model)
    }

    /// Prepares to ask the server; where the size of its vectors is not known, it is asked for it.
    pub(crate) fn open(&self, dims: Option<usize>, within: Duration) -> Result<HttpEmbedder, EmbedError> {
        let (proxy, authorities) = (distiller::proxy(), distiller::authorities());
        let server = Server {
            base_url: &self.url,
            model: &self.model,
            key: self.key.as_ref().map(Key::secret),
            proxy: proxy.as_deref(),
            authorities: authorities.as_deref(),
            within,
        };
        HttpEmbedder::open(&server, dims)
    }
}

impl Chosen {
    /// Names the embedder as its vectors do.
    pub(crate) fn id(&self) -> Option<EmbedderId> {
        match self {
            Self::None => None,
            #[cfg(feature = "minilm")]
            Self::Minilm => Some(EmbedderId::new(custos_embed::MiniLm::ID)),
            Self::Http(reach) => Some(reach.id()),
        }
    }
}

/// Finds out whom the settings name.
pub(crate) fn chosen(context: &Context) -> Result<Chosen, NotReady> {
    let settings = &context.settings.recall;
    match settings.embedder {
        Setting::None => Ok(Chosen::None),
        #[cfg(feature = "minilm")]
        Setting::Minilm => Ok(Chosen::Minilm),
        #[cfg(not(feature = "minilm"))]
        Setting::Minilm => Err(NotReady::NoModel),
        Setting::Http => {
            let set = |value: &Option<String>, key| value.clone().ok_or(NotReady::Unset(key));
            Ok(Chosen::Http(Reach {
                url: set(&settings.embedder_url, "recall.embedder_url")?,
                model: set(&settings.embedder_model, "recall.embedder_model")?,
                key: key::of_embedder(&context.places.config, &ProcessEnvironment).map_err(NotReady::Key)?,
            }))
        }
    }
}

/// Gives a hook its embedder: the model inside the program, or none.
pub(crate) fn for_hook(context: &Context) -> Option<Arc<dyn Embedder>> {
    match context.settings.recall.embedder {
        #[cfg(feature = "minilm")]
        Setting::Minilm => Some(Arc::new(custos_embed::MiniLm::new())),
        _ => None,
    }
}

/// Gives the embedder to somebody who has a question and a moment.
///
/// Whoever makes vectors from now on has to make them of every text first. Until it has as many, those of the model inside the program
/// answer, as they did before. Where there are none at all, an answer says so.
pub(crate) fn for_question(context: &Context) -> Option<Arc<dyn Embedder>> {
    let id = match chosen(context) {
        Ok(Chosen::None) => return None,
        #[cfg(feature = "minilm")]
        Ok(Chosen::Minilm) => return for_hook(context),
        Ok(Chosen::Http(reach)) => {
            let stored = stored(context);
            let made = of(&stored, &reach.id());
            if let Some(inside) = inside_with_more(&stored, made) {
                return Some(inside);
            }
            let opened = made.and_then(|made| reach.open(Some(made.dims), PATIENCE).ok());
            if let Some(embedder) = opened {
                return Some(Arc::new(embedder));
            }
            reach.id()
        }
        Err(_) => match inside_with_more(&stored(context), None) {
            Some(inside) => return Some(inside),
            None => EmbedderId::new("not ready"),
        },
    };
    Some(Arc::new(NotYet(id)))
}

/// Gives the model inside the program, if it has made more vectors than others have.
#[cfg(feature = "minilm")]
fn inside_with_more(stored: &[Stored], others: Option<&Stored>) -> Option<Arc<dyn Embedder>> {
    let inside = of(stored, &EmbedderId::new(custos_embed::MiniLm::ID))?;
    let is_more = inside.rows > others.map_or(0, |others| others.rows);
    is_more.then(|| Arc::new(custos_embed::MiniLm::new()) as Arc<dyn Embedder>)
}

#[cfg(not(feature = "minilm"))]
fn inside_with_more(_: &[Stored], _: Option<&Stored>) -> Option<Arc<dyn Embedder>> {
    None
}

/// An embedder that has made nothing yet: there is nothing to compare a question with, so nobody is asked.
struct NotYet(EmbedderId);

impl Embedder for NotYet {
    fn id(&self) -> &EmbedderId {
        &self.0
    }

    fn dims(&self) -> usize {
        1
    }

    fn embed(&self, _: &str, _: usize) -> Result<custos_embed::Vector, EmbedError> {
        Err(EmbedError::Unavailable("it has made no vectors yet".into()))
    }
}

/// Gives a worker what it opens; none where nobody makes vectors.
pub(crate) fn for_worker(context: &Context) -> Option<OpenEmbedder> {
    match chosen(context) {
        Ok(Chosen::None) => None,
        #[cfg(feature = "minilm")]
        Ok(Chosen::Minilm) => Some(Box::new(|| Ok(Arc::new(custos_embed::MiniLm::new())))),
        Ok(Chosen::Http(reach)) => {
            let dims = of(&stored(context), &reach.id()).map(|stored| stored.dims);
            Some(Box::new(move || Ok(Arc::new(reach.open(dims, WORKERS_PATIENCE)?))))
        }
        Err(not_ready) => Some(Box::new(move || {
            Err(EmbedError::Unavailable(format!("{not_ready}; {}", not_ready.advice()).into()))
        })),
    }
}

fn stored(context: &Context) -> Vec<Stored> {
    custos_vectors::stored(&context.places.state).unwrap_or_default()
}

fn of<'s>(stored: &'s [Stored], embedder: &EmbedderId) -> Option<&'s Stored> {
    stored.iter().find(|stored| stored.embedder == *embedder)
}

/// How the vectors stand, for `status` and `doctor`.
pub(crate) struct Standing {
    pub(crate) embedder: Result<Chosen, NotReady>,
    stored: Vec<Stored>,
    /// Texts that may lack vectors.
    pub(crate) waiting: u64,
}

impl Standing {
    /// Looks at what there is.
    pub(crate) fn read(context: &Context, index: &mut Index) -> Result<Self, IndexError> {
        let (embedder, stored) = (chosen(context), stored(context));
        let id = embedder.as_ref().ok().and_then(Chosen::id);
        // The index learns of another embedder only from the worker that begins with it.
        let has_begun = id.is_none_or(|id| of(&stored, &id).is_some());
        let waiting = if has_begun { index.unembedded_count()? } else { index.embeddable_count()? };
        Ok(Self { embedder, stored, waiting })
    }

    /// Says who makes vectors, how many there are, and how many texts wait for theirs.
    pub(crate) fn said(&self) -> String {
        let id = match self.embedder.as_ref().map(Chosen::id) {
            Err(not_ready) => return format!("{not_ready}; `custos doctor` says more"),
            Ok(None) => {
                return "none: memories are found by their words (recall.embedder is none)".to_owned();
            }
            Ok(Some(id)) => id,
        };
        let made = of(&self.stored, &id).map_or(0, |stored| stored.rows) as u64;
        let waits = match self.waiting {
            0 => String::new(),
            1 => ", 1 text waits".to_owned(),
            waiting => format!(", {} texts wait", render::grouped(waiting)),
        };
        let others: u64 =
            self.stored.iter().filter(|stored| stored.embedder != id).map(|stored| stored.rows as u64).sum();
        let others = match others {
            0 => String::new(),
            others => format!("; {} of another embedder until these are complete", render::grouped(others)),
        };
        format!("{} by {}{waits}{others}", render::count(made, "vector"), render::printable(id.as_str()))
    }

    pub(crate) fn as_json(&self) -> Value {
        let id = self.embedder.as_ref().ok().and_then(Chosen::id);
        let stored = self.stored.iter().map(|stored| {
            json!({ "embedder": stored.embedder.as_str(), "dimensions": stored.dims, "vectors": stored.rows })
        });
        json!({
            "embedder": id.as_ref().map(EmbedderId::as_str),
            "problem": self.embedder.as_ref().err().map(ToString::to_string),
            "waiting": self.waiting,
            "stored": stored.collect::<Vec<_>>(),
        })
    }
}
