//! Providers against a scripted model, over real TCP; and Claude Code as it is, against the same.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod asking;
#[cfg(unix)]
mod claude_code;
mod embedding;
mod evidence;
mod failing;
mod tls;

use std::path::Path;
use std::time::Duration;

use custos_distill::model::{Model, Question};
use custos_providers::{Named, Provider, open};
use custos_testkit::model_server::ModelServer;

const KEY: &str = "key-of-a-test";
const SYSTEM: &str = "Distil what you are shown.";

/// The providers that are reached over HTTP.
const OVER_HTTP: [Named; 3] = [Named::Anthropic, Named::OpenAi, Named::Gemini];

/// How a provider is opened that talks to a scripted server.
fn settings(named: Named, url: &str) -> Provider<'_> {
    Provider {
        named,
        model: None,
        base_url: Some(url),
        key: Some(KEY),
        proxy: None,
        authorities: None,
        state: Path::new(""),
        claude: Path::new(""),
        environment: &[],
    }
}

fn opened(named: Named, server: &ModelServer) -> Box<dyn Model> {
    open(&settings(named, &server.url())).unwrap()
}

fn question(prompt: &str) -> Question<'_> {
    Question {
        session: "session-1",
        system: SYSTEM,
        prompt,
        most_tokens: 1_000,
        within: Duration::from_secs(20),
    }
}
