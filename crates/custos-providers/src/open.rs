//! Settings to a model.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use custos_distill::model::{Fault, Model};

use crate::anthropic::Anthropic;
use crate::claude_cli::ClaudeCli;
use crate::gemini::Gemini;
use crate::openai::OpenAi;

/// A provider by its name in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// Claude Code, as it is installed and logged in.
    ClaudeCli,
    /// The Messages API.
    Anthropic,
    /// Chat completions: OpenAI, or anything compatible under a base URL.
    OpenAi,
    /// The Gemini API.
    Gemini,
}

impl Named {
    /// Lists every provider.
    pub const ALL: [Self; 4] = [Self::ClaudeCli, Self::Anthropic, Self::OpenAi, Self::Gemini];

    /// Gives the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCli => "claude-cli",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
        }
    }

    /// Gives the model that is asked where none is named: a cheap one.
    pub const fn default_model(self) -> &'static str {
        match self {
            Self::ClaudeCli => "haiku",
            Self::Anthropic => "claude-haiku-4-5",
            Self::OpenAi => "gpt-5-mini",
            Self::Gemini => "gemini-2.5-flash-lite",
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Named {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|provider| provider.name() == name).ok_or(())
    }
}

/// How a provider is reached. No `Debug`: it holds the key.
#[derive(Clone, Copy)]
pub struct Provider<'a> {
    /// Which one.
    pub named: Named,
    /// The model; the provider's [default](Named::default_model) where none is named.
    pub model: Option<&'a str>,
    /// Another address than the provider's own, with its version, such as `http://localhost:11434/v1`.
    pub base_url: Option<&'a str>,
    /// The key, already read.
    pub key: Option<&'a str>,
    /// The proxy; an address on this machine is never asked for through it.
    pub proxy: Option<&'a str>,
    /// A file with the certificates of authorities, in PEM, in the place of those that are compiled in.
    pub authorities: Option<&'a Path>,
    /// A directory of its own for Claude Code, below the state directory.
    pub state: &'a Path,
    /// The program of Claude Code.
    pub claude: &'a Path,
    /// What is set in the environment of Claude Code, besides what it inherits.
    pub environment: &'a [(String, String)],
}

/// Opens a provider. Nobody is asked yet; the fault says what is wrong with the settings.
pub fn open(provider: &Provider<'_>) -> Result<Box<dyn Model>, Fault> {
    let model = provider.model.unwrap_or(provider.named.default_model());
    if model.is_empty()
        || model.starts_with('-')
        || model.chars().any(|c| c.is_whitespace() || c.is_control())
    {
        return Err(Fault::Refused(format!("{model:?} is no name of a model")));
    }
    // A key that was read from a file ends with the file's line.
    let key = provider.key.map(str::trim).filter(|key| !key.is_empty());
    let provider = &Provider { key, ..*provider };
    Ok(match provider.named {
        Named::ClaudeCli => Box::new(ClaudeCli::new(provider, model)),
        Named::Anthropic => Box::new(Anthropic::new(provider, model)?),
        Named::OpenAi => Box::new(OpenAi::new(provider, model)?),
        Named::Gemini => Box::new(Gemini::new(provider, model)?),
    })
}
