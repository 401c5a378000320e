//! Anthropic's Messages API.
//!
//! The system prompt is marked for the cache. As long as it is shorter than what the model's cache takes (4,096 tokens for Haiku 4.5),
//! the mark changes nothing; it costs nothing either.

use custos_distill::model::{Fault, Model, Question, Reply, Spent};
use serde_json::{Value, json};

use crate::address::Address;
use crate::call::{Answer, Caller};
use crate::open::Provider;
use crate::prices;

const OFFICIAL: &str = "https://api.anthropic.com";
const VERSION: &str = "2023-06-01";
/// What is written to the cache costs a quarter more than what is only read.
const WRITTEN: (u64, u64) = (5, 4);

pub(crate) struct Anthropic {
    caller: Caller,
    address: Address,
    model: String,
    key: String,
}

impl Anthropic {
    pub(crate) fn new(provider: &Provider<'_>, model: &str) -> Result<Self, Fault> {
        let address = Address::new(provider.base_url, OFFICIAL, provider.key.is_some())?;
        // A gateway may know its callers by other means.
        if provider.key.is_none() && address.is_official {
            return Err(Fault::Refused("anthropic needs a key".to_owned()));
        }
        let caller = Caller::new("anthropic", &address, provider)?;
        Ok(Self {
            caller,
            address,
            model: model.to_owned(),
            key: provider.key.unwrap_or_default().to_owned(),
        })
    }
}

impl Model for Anthropic {
    fn provider(&self) -> &'static str {
        "anthropic"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, Fault> {
        let body = json!({
            "model": self.model,
            "max_tokens": question.most_tokens,
            "system": [{"type": "text", "text": question.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": question.prompt}],
        });
        let headers = [("x-api-key", self.key.as_str()), ("anthropic-version", VERSION)];
        // The person may name the address with its version, as for every other provider, or without.
        let path = if self.address.with("").ends_with("/v1") { "/messages" } else { "/v1/messages" };
        match self.caller.post(&self.address.with(path), &headers, &body, question.within)? {
            Answer::Yes(answer) => self.reply(&answer, question),
            Answer::No(no) => Err(self.caller.fault(no)),
        }
    }
}

impl Anthropic {
    fn reply(&self, answer: &Value, question: &Question<'_>) -> Result<Reply, Fault> {
        let blocks =
            answer["content"].as_array().ok_or_else(|| self.caller.garbled("answered no message"))?;
        let text: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let count = |name: &str| answer["usage"][name].as_u64();
        let (written, cached) = (
            count("cache_creation_input_tokens").unwrap_or_default(),
            count("cache_read_input_tokens").unwrap_or_default(),
        );
        let input = count("input_tokens").map(|fresh| fresh.saturating_add(written).saturating_add(cached));
        let mut spent = Spent {
            input: input.unwrap_or_else(|| prices::tokens(question.system) + prices::tokens(question.prompt)),
            cached,
            output: count("output_tokens").unwrap_or_else(|| prices::tokens(&text)),
            microdollars: None,
        };
        if self.address.is_official {
            let surcharge = written.saturating_mul(WRITTEN.0) / WRITTEN.1 - written;
            let charged = Spent { input: spent.input.saturating_add(surcharge), ..spent };
            spent.microdollars = prices::estimate(&self.model, &charged);
        }
        if answer["stop_reason"] == "refusal" {
            return Err(self.caller.declined("declined to answer", Some(spent)));
        }
        if text.trim().is_empty() {
            return Err(self.caller.declined("answered without words", Some(spent)));
        }
        Ok(Reply { text, spent })
    }
}
