//! A server that makes vectors of texts: OpenAI's, and those of everybody who is compatible with it.
//!
//! It can fail in every way, and it may be another model tomorrow than it was today. So an answer counts only if it has a vector for
//! each text, all of the size that this server's vectors always had; anything else is none. What a server is asked is bounded, and
//! so is what is read of its answer.

use std::path::Path;
use std::time::Duration;

use custos_distill::model::Fault;
use custos_embed::{EmbedError, Embedder, EmbedderId, Vector};
use serde_json::{Value, json};

use crate::address::Address;
use crate::call::{Answer, Caller};
use crate::open::{Named, Provider};

/// The most that is read of an answer, in megabytes: 32 vectors of 4,096 numbers, with all their digits, are 3.
const MOST_ANSWER: u64 = 16;

/// How many bytes are sent for each token that is to be read; the server counts tokens by rules of its own.
const BYTES_A_TOKEN: usize = 8;

/// The most dimensions that are taken for a vector.
const MOST_DIMS: usize = 1 << 16;

/// How the server is reached. No `Debug`: it holds the key.
#[derive(Clone, Copy)]
pub struct Server<'a> {
    /// The address with its version, such as `http://localhost:11434/v1`.
    pub base_url: &'a str,
    /// The model, as the server knows it.
    pub model: &'a str,
    /// The key, already read.
    pub key: Option<&'a str>,
    /// The proxy; an address on this machine is never asked for through it.
    pub proxy: Option<&'a str>,
    /// A file with the certificates of authorities, in PEM, in the place of those that are compiled in.
    pub authorities: Option<&'a Path>,
    /// How long one question may take.
    pub within: Duration,
}

/// Embeds by asking a server.
pub struct HttpEmbedder {
    caller: Caller,
    url: String,
    model: String,
    authorization: Option<String>,
    within: Duration,
    id: EmbedderId,
    dims: usize,
}

impl HttpEmbedder {
    /// Names the space of a server's vectors: it is known by where it is and what its model is called.
    pub fn id_of(base_url: &str, model: &str) -> EmbedderId {
        EmbedderId::new(&format!("http {} {model}", base_url.trim_end_matches('/')))
    }

    /// Prepares to ask. Where it is not known how many dimensions its vectors have, the server is asked for one.
    pub fn open(server: &Server<'_>, dims: Option<usize>) -> Result<Self, EmbedError> {
        let key = server.key.map(str::trim).filter(|key| !key.is_empty());
        // One that cannot be asked as it is set can be asked when that is put right.
        let address = Address::new(Some(server.base_url), "", key.is_some()).map_err(no_vector)?;
        let provider = Provider {
            named: Named::OpenAi,
            model: Some(server.model),
            base_url: Some(server.base_url),
            key,
            proxy: server.proxy,
            authorities: server.authorities,
            state: Path::new(""),
            claude: Path::new(""),
            environment: &[],
        };
        let mut embedder = Self {
            caller: Caller::new("the embedder", &address, &provider).map_err(no_vector)?.reading(MOST_ANSWER),
            url: address.with("/embeddings"),
            model: server.model.to_owned(),
            authorization: key.map(|key| format!("Bearer {key}")),
            within: server.within,
            id: Self::id_of(server.base_url, server.model),
            dims: dims.unwrap_or(0),
        };
        if embedder.dims == 0 {
            let numbers = embedder.ask(&["dimensions"])?;
            embedder.dims = numbers.first().map_or(0, Vec::len);
        }
        Ok(embedder)
    }

    /// Asks for the vectors of some texts, in numbers.
    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let headers: Vec<_> =
            self.authorization.iter().map(|value| ("authorization", value.as_str())).collect();
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        match self.caller.post(&self.url, &headers, &body, self.within).map_err(no_vector)? {
            Answer::Yes(answer) => self.read(&answer, texts.len()),
            Answer::No(no) => Err(no_vector(self.caller.fault(no))),
        }
    }

    /// Reads the vectors of an answer, which names the place of each.
    fn read(&self, answer: &Value, wanted: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let garbled = |what: &str| no_vector(self.caller.garbled(what));
        if let Some(error) = answer["error"]["message"].as_str() {
            let message = format!("the embedder answered: {}", self.caller.safe(error));
            return Err(no_vector(Fault::Broken(message)));
        }
        let Some(data) = answer["data"].as_array() else { return Err(garbled("answered no vectors")) };
        let mut vectors = vec![Vec::new(); wanted];
        for (place, one) in data.iter().enumerate() {
            let index = one["index"].as_u64().map_or(Ok(place), usize::try_from);
            let numbers = one["embedding"].as_array().map(Vec::as_slice).unwrap_or_default();
            #[expect(clippy::cast_possible_truncation, reason = "a vector is rounded to a byte anyway")]
            let numbers: Option<Vec<f32>> =
                numbers.iter().map(|number| number.as_f64().map(|number| number as f32)).collect();
            match (index.ok().and_then(|index| vectors.get_mut(index)), numbers) {
                (Some(vector), Some(numbers)) => *vector = numbers,
                _ => return Err(garbled("answered something that is no vector")),
            }
        }
        let dims = if self.dims == 0 { vectors.first().map_or(0, Vec::len) } else { self.dims };
        if dims == 0 || dims > MOST_DIMS || vectors.iter().any(|vector| vector.len() != dims) {
            return Err(garbled("answered vectors of another number or size than asked for"));
        }
        Ok(vectors)
    }
}

impl Embedder for HttpEmbedder {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn embed(&self, text: &str, max_tokens: usize) -> Result<Vector, EmbedError> {
        let vector = self.embed_all(&[text], max_tokens)?.pop();
        vector.ok_or_else(|| no_vector(self.caller.garbled("answered no vectors")))
    }

    fn embed_all(&self, texts: &[&str], max_tokens: usize) -> Result<Vec<Vector>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let most = max_tokens.saturating_mul(BYTES_A_TOKEN);
        let texts: Vec<&str> = texts.iter().map(|text| &text[..text.floor_char_boundary(most)]).collect();
        let vectors = self.ask(&texts)?;
        Ok(vectors.iter().map(|numbers| Vector::quantise(self.id.clone(), numbers)).collect())
    }
}

/// Sorts a fault by whether the same text may succeed later.
fn no_vector(fault: Fault) -> EmbedError {
    match fault {
        Fault::Declined { message, .. } | Fault::Garbled(message) => EmbedError::Refused(message.into()),
        other => EmbedError::Unavailable(other.to_string().into()),
    }
}
