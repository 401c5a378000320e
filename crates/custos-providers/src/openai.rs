//! Chat completions: OpenAI's, and those of everybody who is compatible with them.
//!
//! Compatible means nearly the same. Some know `max_completion_tokens`, some `max_tokens`; some can be held to JSON, some answer with 400
//! when they are asked to. Which is which cannot be looked up, so the most helpful manner is tried first, and what is refused is left
//! away, now and in all later questions. OpenAI caches long prompts by itself.

use std::time::Instant;

use custos_distill::model::{Fault, Model, Question, Reply, Spent};
use serde_json::{Value, json};

use crate::address::Address;
use crate::call::{Answer, Caller, No};
use crate::open::Provider;
use crate::prices;

const OFFICIAL: &str = "https://api.openai.com/v1";
/// What a model that reasons may take for it, besides the answer: too little would leave no answer at all.
const MOST_REASONING: u32 = 4_000;

pub(crate) struct OpenAi {
    caller: Caller,
    address: Address,
    model: String,
    authorization: Option<String>,
    manner: Manner,
}

/// In which manner questions are put, as far as is known of who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Manner {
    /// Whether the answer can be held to JSON.
    json: bool,
    /// Whether the bound is called `max_completion_tokens`, or `max_tokens` as it used to be.
    new_bound: bool,
    /// Whether the model can be told to reason little.
    effort: bool,
}

impl Manner {
    /// Leaves away what was refused; none where nothing is left that could be the reason.
    fn without(self, said: &str) -> Option<Self> {
        let plain = Self { json: false, effort: false, ..self };
        let next = match said {
            _ if said.contains("response_format") => Self { json: false, ..self },
            _ if said.contains("reasoning") => Self { effort: false, ..self },
            _ if said.contains("max_tokens") || said.contains("max_completion_tokens") => {
                Self { new_bound: !self.new_bound, ..self }
            }
            _ => plain,
        };
        (next != self).then_some(next)
    }
}

impl OpenAi {
    pub(crate) fn new(provider: &Provider<'_>, model: &str) -> Result<Self, Fault> {
        let address = Address::new(provider.base_url, OFFICIAL, provider.key.is_some())?;
        if provider.key.is_none() && address.is_official {
            return Err(Fault::Refused("openai needs a key".to_owned()));
        }
        let caller = Caller::new("openai", &address, provider)?;
        let reasons = model.starts_with("gpt-5") || model.starts_with('o');
        let manner =
            Manner { json: true, new_bound: address.is_official, effort: address.is_official && reasons };
        let authorization = provider.key.map(|key| format!("Bearer {key}"));
        Ok(Self { caller, address, model: model.to_owned(), authorization, manner })
    }

    fn body(&self, question: &Question<'_>) -> Value {
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.prompt},
            ],
        });
        if self.manner.json {
            body["response_format"] = json!({"type": "json_object"});
        }
        if self.manner.effort {
            body["reasoning_effort"] = json!("low");
        }
        if self.manner.new_bound {
            body["max_completion_tokens"] = json!(question.most_tokens.saturating_add(MOST_REASONING));
        } else {
            body["max_tokens"] = json!(question.most_tokens);
        }
        body
    }
}

impl Model for OpenAi {
    fn provider(&self) -> &'static str {
        "openai"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, Fault> {
        /// Each part of the manner can be refused once.
        const MOST_TRIES: usize = 4;
        let began = Instant::now();
        let url = self.address.with("/chat/completions");
        let headers: Vec<_> =
            self.authorization.iter().map(|value| ("authorization", value.as_str())).collect();
        let mut tries = 1;
        loop {
            let within = question.within.saturating_sub(began.elapsed());
            let no = match self.caller.post(&url, &headers, &self.body(question), within)? {
                Answer::Yes(answer) => return self.reply(&answer, question),
                Answer::No(no) => no,
            };
            match may_be_the_manner(&no).then(|| self.manner.without(&no.said)).flatten() {
                Some(manner) if tries < MOST_TRIES => self.manner = manner,
                _ => return Err(self.caller.fault(no)),
            }
            tries += 1;
        }
    }
}

fn may_be_the_manner(no: &No) -> bool {
    matches!(no.status, 400 | 422)
}

impl OpenAi {
    fn reply(&self, answer: &Value, question: &Question<'_>) -> Result<Reply, Fault> {
        let message = &answer["choices"][0]["message"];
        if let Some(error) = answer["error"]["message"].as_str() {
            // Some routers answer 200 when the model behind them failed.
            return Err(Fault::Broken(format!("openai answered: {}", self.caller.safe(error))));
        }
        if !message.is_object() {
            return Err(self.caller.garbled("answered no message"));
        }
        let text = match &message["content"] {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            _ => String::new(),
        };
        let text = without_thoughts(&text).trim().to_owned();
        let usage = &answer["usage"];
        let mut spent = Spent {
            input: usage["prompt_tokens"]
                .as_u64()
                .unwrap_or_else(|| prices::tokens(question.system) + prices::tokens(question.prompt)),
            cached: usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0),
            output: usage["completion_tokens"].as_u64().unwrap_or_else(|| prices::tokens(&text)),
            microdollars: None,
        };
        // OpenRouter says what it charged.
        spent.microdollars = usage["cost"].as_f64().map(microdollars);
        if self.address.is_official {
            spent.microdollars = prices::estimate(&self.model, &spent);
        }
        if text.is_empty() {
            // Mostly because all that was allowed went into thinking, which is charged.
            let why = answer["choices"][0]["finish_reason"].as_str().unwrap_or("no reason");
            let what = format!("answered without words ({})", self.caller.safe(why));
            return Err(self.caller.declined(&what, Some(spent)));
        }
        Ok(Reply { text, spent })
    }
}

/// Turns dollars into millionths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and a bill is not negative"
)]
pub(crate) fn microdollars(dollars: f64) -> u64 {
    (dollars * 1e6).round() as u64
}

/// Leaves away what an open model thinks aloud before it answers.
fn without_thoughts(text: &str) -> &str {
    let text = text.trim_start();
    let thought = text.strip_prefix("<think>").and_then(|text| text.split_once("</think>"));
    thought.map_or(text, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_left_away_and_nothing_is_tried_twice() {
        let all = Manner { json: true, new_bound: false, effort: true };
        assert_eq!(all.without("'response_format' is not supported"), Some(Manner { json: false, ..all }));
        assert_eq!(all.without("Unknown: reasoning_effort"), Some(Manner { effort: false, ..all }));
        let newer = Manner { new_bound: true, ..all };
        assert_eq!(all.without("Use 'max_completion_tokens' instead of 'max_tokens'"), Some(newer));
        assert_eq!(newer.without("Unrecognized: max_completion_tokens"), Some(all));
        let plain = Manner { json: false, effort: false, ..all };
        assert_eq!(all.without("bad request"), Some(plain));
        assert_eq!(plain.without("bad request"), None);
    }

    #[test]
    fn thoughts_are_no_answer() {
        assert_eq!(without_thoughts("<think>{\"a\":1}</think>\n{}"), "\n{}");
        assert_eq!(without_thoughts("{\"a\":\"</think>\"}"), "{\"a\":\"</think>\"}");
    }
}
