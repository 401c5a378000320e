//! What Claude Code says, line by line.

use custos_distill::model::{Fault, Spent};
use serde_json::{Value, json};

use super::safe;
use crate::openai::microdollars;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A turn began, in the conversation with this id.
    Began(String),
    /// The turn is failing, and this is the sort of reason.
    Failing(String),
    /// The turn is over. The cost is that of all turns of the process.
    Result(Outcome, Spent),
    /// Something that is of no matter here.
    Nothing,
}

/// How a turn ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// With an answer.
    Answer(String),
    /// Not at all: there is no such conversation.
    NoConversation,
    /// Without an answer to this question, and why.
    Declined(String),
    /// With a fault.
    Fault(Fault),
}

/// Puts a question into a line.
pub(super) fn question(text: &str) -> String {
    json!({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": text}]}})
        .to_string()
}

/// Reads a line; `reason` is what was said before about why the turn is failing.
pub(super) fn read(line: &str, reason: Option<&str>) -> Said {
    let line: Value = serde_json::from_str(line).unwrap_or_default();
    match (line["type"].as_str(), line["subtype"].as_str()) {
        (Some("system"), Some("init")) => {
            line["session_id"].as_str().map_or(Said::Nothing, |id| Said::Began(id.to_owned()))
        }
        (Some("assistant"), _) => {
            line["error"].as_str().map_or(Said::Nothing, |error| Said::Failing(error.to_owned()))
        }
        (Some("result"), _) => Said::Result(outcome(&line, reason), spent(&line)),
        _ => Said::Nothing,
    }
}

fn outcome(result: &Value, reason: Option<&str>) -> Outcome {
    let text = result["result"].as_str().unwrap_or_default();
    if result["is_error"] != true && result["subtype"] == "success" {
        return match text.trim() {
            "" => Outcome::Declined("claude answered without words".to_owned()),
            text => Outcome::Answer(text.to_owned()),
        };
    }
    let errors: String =
        result["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let said = format!("{text}{errors}");
    if said.contains("No conversation found") {
        return Outcome::NoConversation;
    }
    failure(result["api_error_status"].as_u64(), reason.unwrap_or_default(), &said)
}

/// Sorts a failure by its status, by the reason that Claude Code names, and by its words, in this order.
fn failure(status: Option<u64>, reason: &str, said: &str) -> Outcome {
    let message = if said.is_empty() {
        "claude failed without a word".to_owned()
    } else {
        format!("claude: {}", safe(said))
    };
    let lower = said.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Outcome::Fault(match (status, reason) {
        (Some(401..=404), _)
        | (_, "authentication_failed" | "billing_error" | "oauth_org_not_allowed" | "model_not_found") => {
            Fault::Refused(format!("{message}. Is Claude Code logged in?"))
        }
        (Some(429 | 503 | 529), _) | (_, "rate_limit" | "overloaded") => {
            Fault::Busy { message, retry_after: None }
        }
        (Some(400 | 413 | 422), _) | (_, "invalid_request" | "max_output_tokens") => {
            return Outcome::Declined(message);
        }
        _ if says(&["not logged in", "/login", "invalid api key", "credit balance"]) => {
            Fault::Refused(format!("{message}. Is Claude Code logged in?"))
        }
        _ if says(&["rate limit", "overloaded", "usage limit", "session limit", "weekly limit"]) => {
            Fault::Busy { message, retry_after: None }
        }
        // A connection that is lost was there: what was asked over it is charged.
        _ if says(&["was lost", "econnreset", "socket hang up", "request timed out"]) => {
            Fault::CutOff(message)
        }
        _ if says(&["connect", "network", "timed out", "dns"]) => Fault::Unreachable(message),
        _ => Fault::Broken(message),
    })
}

fn spent(result: &Value) -> Spent {
    let count = |name: &str| result["usage"][name].as_u64().unwrap_or_default();
    let cached = count("cache_read_input_tokens");
    Spent {
        input: count("input_tokens")
            .saturating_add(count("cache_creation_input_tokens"))
            .saturating_add(cached),
        cached,
        output: count("output_tokens"),
        microdollars: result["total_cost_usd"].as_f64().map(microdollars),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(fields: &Value) -> Outcome {
        let mut line = json!({"type": "result", "subtype": "success", "is_error": true, "result": ""});
        for (name, value) in fields.as_object().unwrap() {
            line[name] = value.clone();
        }
        match read(&line.to_string(), None) {
            Said::Result(outcome, _) => outcome,
            other => panic!("{other:?}"),
        }
    }

    // Words and statuses as version 2.1.325 gives them.
    #[rstest::rstest]
    #[case(json!({"api_error_status": 401, "result": "Failed to authenticate. API Error: 401 no"}), "refused")]
    #[case(json!({"result": "Not logged in · Please run /login"}), "refused")]
    #[case(json!({"api_error_status": 429, "result": "API Error: Request rejected (429) · no"}), "busy")]
    #[case(json!({"api_error_status": 529, "result": "API Error: 529 Overloaded."}), "busy")]
    #[case(json!({"result": "You've hit your session limit · resets 3pm"}), "busy")]
    #[case(json!({"api_error_status": 500, "result": "API Error: 500 no."}), "broken")]
    #[case(json!({"api_error_status": 400, "result": "API Error: 400 no"}), "declined")]
    #[case(json!({"result": "API Error: Unable to connect to API (ConnectionRefused)"}), "unreachable")]
    #[case(json!({"result": "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary"}), "cut off")]
    #[case(json!({"subtype": "error_during_execution", "result": null}), "broken")]
    #[case(json!({"is_error": false}), "declined")]
    fn failures_are_sorted(#[case] fields: Value, #[case] expected: &str) {
        let sort = match result(&fields) {
            Outcome::Fault(Fault::Refused(_)) => "refused",
            Outcome::Fault(Fault::Busy { .. }) => "busy",
            Outcome::Fault(Fault::Broken(_)) => "broken",
            Outcome::Declined(_) => "declined",
            Outcome::Fault(Fault::Unreachable(_)) => "unreachable",
            Outcome::Fault(Fault::CutOff(_)) => "cut off",
            Outcome::Fault(_) | Outcome::Answer(_) | Outcome::NoConversation => "none",
        };
        assert_eq!(sort, expected);
    }

    #[test]
    fn an_answer_comes_with_what_it_took() {
        let line = json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "{}", "total_cost_usd": 0.000_03,
            "usage": {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 4},
        });
        let spent = Spent { input: 60, cached: 30, output: 4, microdollars: Some(30) };
        assert_eq!(read(&line.to_string(), None), Said::Result(Outcome::Answer("{}".into()), spent));
    }

    #[test]
    fn what_is_no_message_is_nothing() {
        for line in ["", "Warning: something", "[]", "{\"type\":\"stream_event\"}"] {
            assert_eq!(read(line, None), Said::Nothing);
        }
    }
}
