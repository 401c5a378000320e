//! Who distils: from settings, keys and programs to a model that can be asked, or to rules.
//!
//! Nothing is contacted here. A [`Reach`] says that all is there which a question needs; whether the provider takes it, the first
//! question shows.

use std::fmt;
use std::path::{Path, PathBuf};

use custos_config::{Environment, Provider, env};
use custos_distill::model::{Fault, Model};
use custos_providers::Named;
use custos_worker::Models;

use crate::context::Context;
use crate::environment::ProcessEnvironment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine::on_path;

pub(crate) mod key;
pub(crate) mod standing;

use self::key::{Key, NoKey};

/// The program of Claude Code.
const CLAUDE: &str = "claude";

/// How a model is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reach {
    named: Named,
    model: String,
    base_url: Option<String>,
    proxy: Option<String>,
    authorities: Option<PathBuf>,
    state: PathBuf,
    /// The program of Claude Code, where it is the one to ask.
    pub(crate) claude: PathBuf,
    /// The key, where one is needed or there.
    pub(crate) key: Option<Key>,
}

/// Why the provider cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotReady {
    Key(NoKey),
    NoClaude,
}

impl Reach {
    /// Opens the model. Nobody is asked yet.
    pub(crate) fn open(&self) -> Result<Box<dyn Model>, Fault> {
        custos_providers::open(&custos_providers::Provider {
            named: self.named,
            model: Some(&self.model),
            base_url: self.base_url.as_deref(),
            key: self.key.as_ref().map(Key::secret),
            proxy: self.proxy.as_deref(),
            authorities: self.authorities.as_deref(),
            state: &self.state,
            claude: &self.claude,
            environment: &[],
        })
    }

    /// Gives what a worker opens, and opens again.
    pub(crate) fn models(self) -> Models {
        let (provider, model) = (self.named.name().to_owned(), self.model.clone());
        Models { provider, model, open: Box::new(move || self.open()) }
    }

    /// Names the provider and the model.
    pub(crate) fn names(&self) -> (&str, &str) {
        (self.named.name(), &self.model)
    }

    /// Keeps what a conversation needs in another directory.
    pub(crate) fn with_state(self, state: &Path) -> Self {
        Self { state: state.to_owned(), ..self }
    }

    /// Gives where the provider is, if not at its usual place.
    pub(crate) fn base_url(&self) -> Option<&str> {
        self.base_url.as_deref()
    }

    /// Says what to do where the provider does not know us.
    pub(crate) fn advice_if_refused(&self) -> String {
        match (&self.key, self.named) {
            (_, Named::ClaudeCli) => "run `claude` and log in with /login".to_owned(),
            (Some(key), _) => format!("check the key in {}, and what it is allowed to use", key.from),
            (None, _) => format!(
                "put a key into the file keys/{} of the configuration directory (chmod 600)",
                self.named
            ),
        }
    }

    /// Says what to do about a fault.
    pub(crate) fn advice(&self, fault: &Fault) -> String {
        match fault {
            Fault::Refused(_) => self.advice_if_refused(),
            Fault::Busy { .. } => "wait a moment; a worker asks again by itself".to_owned(),
            Fault::Unreachable(_) | Fault::CutOff(_) if self.named == Named::ClaudeCli => {
                format!("try `{} -p hello` yourself", self.claude.display())
            }
            Fault::Unreachable(_) | Fault::CutOff(_) => {
                "check the network, HTTPS_PROXY, SSL_CERT_FILE and distill.base_url".to_owned()
            }
            Fault::Broken(_) => "that is the provider's own; a worker asks again by itself".to_owned(),
            Fault::Declined { .. } | Fault::Garbled(_) => {
                "check distill.base_url and distill.model: is there such an API, and such a model?".to_owned()
            }
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.named, self.model)
    }
}

impl NotReady {
    /// Says what to do about it.
    pub(crate) fn advice(&self) -> String {
        match self {
            Self::Key(missing) => missing.advice(),
            Self::NoClaude => {
                "install Claude Code (`npm install -g @anthropic-ai/claude-code`) and log in, or `custos config set distill.provider rules`"
                    .to_owned()
            }
        }
    }
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(missing) => missing.fmt(f),
            Self::NoClaude => f.write_str("`claude` is not on the path"),
        }
    }
}

impl From<NotReady> for CliError {
    fn from(not_ready: NotReady) -> Self {
        Self::new(Exit::Config, not_ready.to_string()).hint(not_ready.advice())
    }
}

/// Prepares whom the settings name; none where rules do it. A budget of nothing leaves it to rules as well.
pub(crate) fn chosen(context: &Context) -> Result<Option<Reach>, NotReady> {
    if context.settings.distill.tokens_per_day == 0 {
        return Ok(None);
    }
    prepare(context, context.settings.distill.provider)
}

/// Gives a worker whom to ask; none where rules do it. A provider that cannot be asked refuses each question and says why, so that what
/// rules do in its place can be done again by it.
pub(crate) fn models(context: &Context) -> Option<Models> {
    match chosen(context) {
        Ok(reach) => reach.map(Reach::models),
        Err(not_ready) => Some(Models {
            provider: context.settings.distill.provider.name().to_owned(),
            model: context.settings.distill.model.clone().unwrap_or_default(),
            open: Box::new(move || Err(Fault::Refused(format!("{not_ready}; {}", not_ready.advice())))),
        }),
    }
}

/// Prepares a provider; none for rules. Model and address of the settings go with the provider of the settings only. While that is rules,
/// they are openai's, as whom servers of one's own are asked: so one can be tried before it is chosen, and no other key goes there.
pub(crate) fn prepare(context: &Context, provider: Provider) -> Result<Option<Reach>, NotReady> {
    let Some(named) = named(provider) else { return Ok(None) };
    let settings = &context.settings.distill;
    let is_tried = settings.provider == Provider::Rules && provider == Provider::Openai;
    let is_chosen = settings.provider == provider || is_tried;
    let base_url = settings.base_url.clone().filter(|_| is_chosen);
    let claude = match named {
        Named::ClaudeCli => on_path(CLAUDE).ok_or(NotReady::NoClaude)?,
        _ => PathBuf::from(CLAUDE),
    };
    let key = match key::find(provider, &context.places.config, &ProcessEnvironment) {
        _ if !key::is_wanted(provider) => None,
        Ok(key) => Some(key),
        // A server of the person's own may ask for none.
        Err(NoKey::Missing { .. }) if base_url.is_some() => None,
        Err(missing) => return Err(NotReady::Key(missing)),
    };
    Ok(Some(Reach {
        named,
        model: settings
            .model
            .clone()
            .filter(|_| is_chosen)
            .unwrap_or_else(|| named.default_model().to_owned()),
        base_url,
        proxy: proxy(),
        authorities: authorities(),
        state: claude_state(context),
        claude,
        key,
    }))
}

/// Ends the processes of a worker that was killed. Only whoever holds the worker's claim may.
pub(crate) fn end_left_behind(context: &Context) -> usize {
    custos_providers::end_left_behind(&claude_state(context))
}

fn claude_state(context: &Context) -> PathBuf {
    context.places.state.join(CLAUDE)
}

/// Finds a provider by its name; none for rules.
fn named(provider: Provider) -> Option<Named> {
    match provider {
        Provider::Rules => None,
        Provider::ClaudeCli => Some(Named::ClaudeCli),
        Provider::Anthropic => Some(Named::Anthropic),
        Provider::Openai => Some(Named::OpenAi),
        Provider::Gemini => Some(Named::Gemini),
    }
}

/// Gives the file with the authorities that the person trusts, where they name one.
pub(crate) fn authorities() -> Option<PathBuf> {
    ProcessEnvironment.get(env::SSL_CERT_FILE.name).filter(|file| !file.is_empty()).map(PathBuf::from)
}

/// Gives the proxy through which servers are reached, if there is one.
pub(crate) fn proxy() -> Option<String> {
    [env::HTTPS_PROXY, env::HTTPS_PROXY_SMALL]
        .iter()
        .filter_map(|variable| ProcessEnvironment.get(variable.name)?.into_string().ok())
        .find(|proxy| !proxy.is_empty())
}
