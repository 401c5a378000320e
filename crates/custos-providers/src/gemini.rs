//! Google's Gemini API.

use custos_distill::model::{Fault, Model, Question, Reply, Spent};
use serde_json::{Value, json};

use crate::address::Address;
use crate::call::{Answer, Caller};
use crate::open::Provider;
use crate::prices;

const OFFICIAL: &str = "https://generativelanguage.googleapis.com/v1beta";

pub(crate) struct Gemini {
    caller: Caller,
    address: Address,
    model: String,
    key: String,
}

impl Gemini {
    pub(crate) fn new(provider: &Provider<'_>, model: &str) -> Result<Self, Fault> {
        let address = Address::new(provider.base_url, OFFICIAL, provider.key.is_some())?;
        if provider.key.is_none() && address.is_official {
            return Err(Fault::Refused("gemini needs a key".to_owned()));
        }
        let model = model.strip_prefix("models/").unwrap_or(model);
        // The name becomes a part of the path.
        if !model.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)) {
            return Err(Fault::Refused(format!("{model:?} is no name of a model of gemini")));
        }
        let caller = Caller::new("gemini", &address, provider)?;
        Ok(Self {
            caller,
            address,
            model: model.to_owned(),
            key: provider.key.unwrap_or_default().to_owned(),
        })
    }
}

impl Model for Gemini {
    fn provider(&self) -> &'static str {
        "gemini"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, Fault> {
        let mut settings =
            json!({"responseMimeType": "application/json", "maxOutputTokens": question.most_tokens});
        // Thinking is charged as output. The flash models of this generation can do without; others cannot, or do so by themselves.
        if self.model.starts_with("gemini-2.5-flash") {
            settings["thinkingConfig"] = json!({"thinkingBudget": 0});
        }
        let body = json!({
            "systemInstruction": {"parts": [{"text": question.system}]},
            "contents": [{"role": "user", "parts": [{"text": question.prompt}]}],
            "generationConfig": settings,
        });
        let url = self.address.with(&format!("/models/{}:generateContent", self.model));
        match self.caller.post(&url, &[("x-goog-api-key", &self.key)], &body, question.within)? {
            Answer::Yes(answer) => self.reply(&answer, question),
            Answer::No(no) => Err(self.caller.fault(no)),
        }
    }
}

impl Gemini {
    fn reply(&self, answer: &Value, question: &Question<'_>) -> Result<Reply, Fault> {
        let parts =
            answer["candidates"][0]["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let words =
            parts.iter().filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str());
        let text: String = words.collect();
        let count = |name: &str| answer["usageMetadata"][name].as_u64();
        let said = count("candidatesTokenCount")
            .map(|said| said.saturating_add(count("thoughtsTokenCount").unwrap_or(0)));
        let mut spent = Spent {
            input: count("promptTokenCount")
                .unwrap_or_else(|| prices::tokens(question.system) + prices::tokens(question.prompt)),
            cached: count("cachedContentTokenCount").unwrap_or(0),
            output: said.unwrap_or_else(|| prices::tokens(&text)),
            microdollars: None,
        };
        if self.address.is_official {
            spent.microdollars = prices::estimate(&self.model, &spent);
        }
        if text.trim().is_empty() {
            let blocked = &answer["promptFeedback"]["blockReason"];
            let why = blocked.as_str().or_else(|| answer["candidates"][0]["finishReason"].as_str());
            return Err(match why {
                Some(why) => {
                    let what = format!("answered without words ({})", self.caller.safe(why));
                    self.caller.declined(&what, Some(spent))
                }
                None => self.caller.garbled("answered no message"),
            });
        }
        Ok(Reply { text, spent })
    }
}
