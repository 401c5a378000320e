//! The settings, and the one table they are described by.
//!
//! A setting is a field of [`Settings`] and a row of [`TABLE`]. The row says everything else about it: its
//! key, default, kind, whether a repo may set it, and what it is for. Reading, writing, hints and the
//! reference page go through the rows, so a new setting is a field, a row, and nothing more.

mod field;

use crate::address::Address;
use crate::env::setting_variable;
use crate::value::Kind::{self, AccessList, Bool, Name, Names, Word};
use crate::value::RepoRule::{self, Forbidden, Free, Tighten};
use crate::value::Value::{self, Count, Unset};
use crate::value::{Wrong, narrower, no_more};
use crate::yaml::Node;
use field::Field;

/// Everything that can be set, with a value for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The event log.
    pub log: Log,
    /// What hooks record.
    pub capture: Capture,
    /// The guard.
    pub guard: Guard,
    /// How tool calls become memories.
    pub distill: Distill,
    /// The worker that does it.
    pub worker: Worker,
    /// The copies of the log.
    pub backup: Backup,
    /// Searching.
    pub search: Search,
    /// What sessions are told of earlier ones.
    pub recall: Recall,
    /// The index.
    pub index: Index,
    /// Who may read what.
    pub access: Access,
    /// What a person sees.
    pub output: Output,
}

/// The event log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// The size at which a segment is closed, in megabytes.
    pub segment_mb: u64,
    /// The largest event, in kilobytes.
    pub max_event_kb: u64,
    /// How long to wait for the lock before the event is spooled, in milliseconds.
    pub lock_wait_ms: u64,
}

/// What hooks record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// How much of a tool's input is kept, in kilobytes.
    pub input_kb: u64,
    /// How much of a tool's output is kept, in kilobytes.
    pub output_kb: u64,
    /// Tools that carry nothing; nothing is the program's own list.
    pub quiet_tools: Option<Vec<String>>,
    /// How much may wait for the log, in megabytes.
    pub spool_mb: u64,
    /// Projects of which nothing is recorded.
    pub exclude_projects: Option<Vec<String>>,
    /// Files of which nothing is recorded.
    pub exclude_paths: Option<Vec<String>>,
}

/// The guard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guard {
    /// Whether tool calls are judged.
    pub enabled: bool,
    /// Whether requests for permission are answered where the answer is certain.
    pub triage: bool,
    /// Whether agents that lead others are kept from doing the work themselves.
    pub delegation: bool,
    /// The server of the model that advises on requests for permission; none is asked without it.
    pub advisor_url: Option<Address>,
    /// The model that advises.
    pub advisor_model: Option<String>,
    /// How long the model may take, in milliseconds.
    pub advisor_ms: u64,
}

/// How tool calls become memories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distill {
    /// Who does it.
    pub provider: Provider,
    /// The provider's model; nothing is a cheap one of its own.
    pub model: Option<String>,
    /// Where the provider is, if not at its usual place.
    pub base_url: Option<String>,
    /// The most tokens that a day may take, before rules take over.
    pub tokens_per_day: u64,
}

/// The worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worker {
    /// Whether hooks start one.
    pub wake: bool,
    /// How long it stays after its last work, in seconds.
    pub idle_s: u64,
}

/// Who distils.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Provider {
    /// Rules: no model.
    #[default]
    Rules,
    /// The person's own Claude Code.
    ClaudeCli,
    /// Anthropic's API.
    Anthropic,
    /// OpenAI's API, or any that speaks like it.
    Openai,
    /// Google's API.
    Gemini,
}

impl Provider {
    /// Lists every provider.
    pub const ALL: [Self; 5] = [Self::Rules, Self::ClaudeCli, Self::Anthropic, Self::Openai, Self::Gemini];

    /// Gives the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::ClaudeCli => "claude-cli",
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
        }
    }
}

/// The copies of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backup {
    /// Whether a copy is made every day.
    pub daily: bool,
    /// How many copies are kept.
    pub keep: u64,
}

/// Searching.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The most results of one search.
    pub limit: u64,
}

/// What sessions are told of earlier ones, and how that is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recall {
    /// Who makes vectors of texts.
    pub embedder: Embedder,
    /// The server of an embedder that is one.
    pub embedder_url: Option<String>,
    /// The model of that server.
    pub embedder_model: Option<String>,
    /// Whether a session is told something when it starts.
    pub start: bool,
    /// Whether it is told something when a prompt is submitted.
    pub prompt: bool,
    /// Whether it is told something when a tool is used.
    pub tool: bool,
    /// The most tokens that it is told at once.
    pub tokens: u64,
}

/// Who makes vectors of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Embedder {
    /// The model inside the program.
    #[default]
    Minilm,
    /// A server that speaks like OpenAI's.
    Http,
    /// Nobody: what is looked for is found by its words alone.
    None,
}

impl Embedder {
    /// Lists every embedder.
    pub const ALL: [Self; 3] = [Self::Minilm, Self::Http, Self::None];

    /// Gives the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minilm => "minilm",
            Self::Http => "http",
            Self::None => "none",
        }
    }
}

/// The index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    /// The most time a reader spends on catching up, in milliseconds; 0 is no limit.
    pub catch_up_ms: u64,
}

/// Who may read what: access lists in their written form, checked; nothing is the model's own table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Prompts.
    pub prompts: Option<Vec<String>>,
    /// Tool events.
    pub tools: Option<Vec<String>>,
    /// Starts and ends of sessions.
    pub sessions: Option<Vec<String>>,
    /// Observations.
    pub observations: Option<Vec<String>>,
    /// Summaries.
    pub summaries: Option<Vec<String>>,
    /// Knowledge.
    pub knowledge: Option<Vec<String>>,
}

/// What a person sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Whether output is coloured.
    pub color: Color,
}

/// Whether output is coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal that has colour, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Everything about one setting.
#[derive(Debug)]
pub struct Row {
    /// The name: section, dot, name in the section.
    pub key: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether a repo or workspace may set it.
    pub repo: RepoRule,
    /// What it is for, in one line.
    pub what: &'static str,
    default: Value,
    get: fn(&Settings) -> Value,
    put: fn(&mut Settings, &Value),
}

/// Writes a row: key, path of its field, kind, default, rule for repos, purpose.
macro_rules! setting {
    ($section:ident . $name:ident, $kind:expr, $default:expr, $repo:expr, $what:literal) => {
        Row {
            key: concat!(stringify!($section), ".", stringify!($name)),
            kind: $kind,
            repo: $repo,
            what: $what,
            default: $default,
            get: |settings| settings.$section.$name.to_value(),
            put: |settings, value| {
                if let Some(value) = Field::from_value(value) {
                    settings.$section.$name = value;
                }
            },
        }
    };
}

const fn count(min: u64, max: u64) -> Kind {
    Kind::Count { min, max }
}

const COLORS: &[&str] = &["auto", "always", "never"];

const EMBEDDERS: &[&str] = &["minilm", "http", "none"];

const PROVIDERS: &[&str] = &["rules", "claude-cli", "anthropic", "openai", "gemini"];

/// Every setting, in the order in which they are listed.
#[rustfmt::skip]
pub static TABLE: &[Row] = &[
    setting!(log.segment_mb, count(1, 1024), Count(64), Forbidden,
        "size at which a segment of the log is closed and the next begun, in megabytes"),
    setting!(log.max_event_kb, count(16, 65_536), Count(256), Forbidden,
        "largest event that is kept whole, in kilobytes"),
    setting!(log.lock_wait_ms, count(1, 60_000), Count(2000), Forbidden,
        "how long to wait for the lock of the log before an event is spooled, in milliseconds"),
    setting!(capture.input_kb, count(1, 1024), Count(32), Forbidden,
        "how much of a tool's input is kept, in kilobytes; what is longer becomes an excerpt"),
    setting!(capture.output_kb, count(1, 1024), Count(8), Forbidden,
        "how much of a tool's output is kept, in kilobytes; what is longer becomes an excerpt"),
    setting!(capture.quiet_tools, Names, Unset, Forbidden,
        "tools that carry nothing: counted at the end of a turn, not stored; null is the built-in list"),
    setting!(capture.spool_mb, count(1, 1024), Count(16), Forbidden,
        "how much may wait for a log that cannot be written to, in megabytes"),
    setting!(capture.exclude_projects, Names, Unset, Forbidden,
        "projects of which nothing is recorded: parts of their identity or directory, `*` is any text; the guard still judges there"),
    setting!(capture.exclude_paths, Names, Unset, Forbidden,
        "files of which nothing is recorded: parts of a path, `*` is any text; a call that touches or names one is counted, not stored, and an answer that names one is left out"),
    setting!(guard.enabled, Bool, Value::Bool(true), Forbidden,
        "whether tool calls are judged before they run; what is held is in `custos guard rules`"),
    setting!(guard.triage, Bool, Value::Bool(true), Forbidden,
        "whether a request for permission is answered where the command is proven to only read, or is on your own list"),
    setting!(guard.delegation, Bool, Value::Bool(false), Forbidden,
        "whether conductors and section-leaders that do the work themselves are warned, then stopped"),
    setting!(guard.advisor_url, Kind::Address, Unset, Forbidden,
        "server of a model that is asked about a request for permission which nothing else decides, such as `http://localhost:11434` \
         (OpenAI-compatible, plain HTTP: best on this machine); null asks none"),
    setting!(guard.advisor_model, Name, Unset, Forbidden,
        "name of that model, as its server knows it; null asks none"),
    setting!(guard.advisor_ms, count(100, 8000), Count(3000), Forbidden,
        "how long that model may take before the person is asked instead, in milliseconds; clients wait 10 seconds for a hook"),
    setting!(distill.provider, Word(PROVIDERS), Value::Word("rules"), Forbidden,
        "who makes memories of tool calls: built-in rules, or a model, which costs tokens; keys come from the environment or from \
         `keys/PROVIDER` in the configuration directory"),
    setting!(distill.model, Name, Unset, Forbidden,
        "model of that provider; null is a cheap one of its own"),
    setting!(distill.base_url, Kind::BaseUrl, Unset, Forbidden,
        "where that provider is, such as `http://localhost:11434/v1` for Ollama with `openai`; null is its usual place"),
    setting!(distill.tokens_per_day, count(0, 1_000_000_000), Count(200_000), Forbidden,
        "most tokens that a day may take; after that, rules take over until tomorrow"),
    setting!(worker.wake, Bool, Value::Bool(true), Forbidden,
        "whether hooks start a worker when work waits; without it, `custos worker run --until-idle` does it by hand"),
    setting!(worker.idle_s, count(1, 3600), Count(20), Forbidden,
        "how long a worker stays after its last work, in seconds"),
    setting!(backup.daily, Bool, Value::Bool(true), Forbidden,
        "whether the log is copied once a day"),
    setting!(backup.keep, count(1, 365), Count(7), Forbidden,
        "how many daily copies are kept"),
    setting!(search.limit, count(1, 1000), Count(20), Free,
        "most results of one search"),
    setting!(recall.embedder, Word(EMBEDDERS), Value::Word("minilm"), Forbidden,
        "who turns texts into vectors, so that memories are found by what they mean: the model inside the program, a server \
         (`recall.embedder_url`), or nobody, which leaves the words; another one makes all vectors anew, in the background"),
    setting!(recall.embedder_url, Kind::BaseUrl, Unset, Forbidden,
        "server of the embedder `http`, such as `http://localhost:11434/v1` (OpenAI-compatible); all that is remembered is sent there; \
         its key comes from the environment or from `keys/embedder` in the configuration directory"),
    setting!(recall.embedder_model, Name, Unset, Forbidden,
        "model of that server, as it knows it"),
    setting!(recall.start, Bool, Value::Bool(true), Tighten(no_more),
        "whether a session is told at its start what earlier ones left"),
    setting!(recall.prompt, Bool, Value::Bool(true), Tighten(no_more),
        "whether a prompt is answered with memories that surely belong to it"),
    setting!(recall.tool, Bool, Value::Bool(true), Tighten(no_more),
        "whether a tool call is answered with what is known of its file, or of the error that it ended with"),
    setting!(recall.tokens, count(200, 20_000), Count(1500), Tighten(no_more),
        "most tokens that a session is told at once; a client's own limit holds as well"),
    setting!(index.catch_up_ms, count(0, 600_000), Count(0), Forbidden,
        "most time a reader spends on catching up with the log, in milliseconds; 0 is no limit"),
    setting!(access.prompts, AccessList, Unset, Tighten(narrower),
        "who may read prompts"),
    setting!(access.tools, AccessList, Unset, Tighten(narrower),
        "who may read tool events"),
    setting!(access.sessions, AccessList, Unset, Tighten(narrower),
        "who may read when sessions began and ended"),
    setting!(access.observations, AccessList, Unset, Tighten(narrower),
        "who may read observations"),
    setting!(access.summaries, AccessList, Unset, Tighten(narrower),
        "who may read summaries"),
    setting!(access.knowledge, AccessList, Unset, Tighten(narrower),
        "who may read knowledge"),
    setting!(output.color, Word(COLORS), Value::Word("auto"), Free,
        "whether output is coloured"),
];

/// Finds the row of a key.
pub fn row(key: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.key == key)
}

impl Row {
    /// The section of the key.
    pub fn section(&self) -> &'static str {
        self.key.split_once('.').map_or(self.key, |(section, _)| section)
    }

    /// The name of the key in its section.
    pub fn name(&self) -> &'static str {
        self.key.split_once('.').map_or(self.key, |(_, name)| name)
    }

    /// The environment variable that overrides it.
    pub fn variable(&self) -> String {
        setting_variable(self.key)
    }

    /// The built-in value.
    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// The value in `settings`.
    pub fn value(&self, settings: &Settings) -> Value {
        (self.get)(settings)
    }

    /// Puts a value of this row's kind into `settings`.
    pub(crate) fn put(&self, settings: &mut Settings, value: &Value) {
        (self.put)(settings, value);
    }

    /// Reads a value from text, as variables, flags and `config set` give it.
    pub fn read_text(&'static self, text: &str) -> Result<Value, Wrong> {
        self.kind.read_text(text).map_err(|found| self.wrong(found))
    }

    /// Reads a value that somebody is about to set, and refuses what could be read and would be of no use.
    pub(crate) fn read_for_setting(&'static self, text: &str) -> Result<Value, Wrong> {
        let value = self.read_text(text)?;
        self.kind.objection(&value).map_or(Ok(value), |found| Err(self.wrong(found)))
    }

    /// Reads a value from a settings file.
    pub(crate) fn read(&'static self, node: &Node) -> Result<Value, Wrong> {
        self.kind.read(node).map_err(|found| self.wrong(found))
    }

    fn wrong(&'static self, found: String) -> Wrong {
        Wrong { key: self.key, expected: self.kind, found }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let mut settings = Self {
            log: Log::default(),
            capture: Capture::default(),
            guard: Guard::default(),
            distill: Distill::default(),
            worker: Worker::default(),
            backup: Backup::default(),
            search: Search::default(),
            recall: Recall::default(),
            index: Index::default(),
            access: Access::default(),
            output: Output::default(),
        };
        for row in TABLE {
            row.put(&mut settings, &row.default);
        }
        settings
    }
}
