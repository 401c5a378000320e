//! The command line, as clap sees it: commands, options, help with examples.

mod eval;
mod memory;
mod text;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use eval::{DepthArg, EvalCommand, RetrievalArgs, SpeedArgs};
pub(crate) use memory::{
    BackupCommand, ForgetArgs, IndexCommand, LogCommand, MigrateArgs, SearchArgs, TailArgs, TimelineArgs,
};
pub(crate) use text::{Name, Text, with_steps_last};

use crate::commands::context::ContextArgs;
use crate::commands::distill::DistillCommand;
use crate::commands::fixtures::FixturesCommand;
use crate::commands::guard::GuardCommand;
use crate::commands::import::ImportCommand;
use crate::commands::init::InitArgs;
use crate::commands::kb::KnowledgeCommand;
use crate::commands::mcp::McpArgs;
use crate::commands::memory::MemoryCommand;
use crate::commands::observations::{ObservationsArgs, SummariesArgs};
use crate::commands::proposals::ProposalsArgs;
use crate::commands::show::ShowArgs;
use crate::commands::trust::TrustArgs;
use crate::commands::usage::UsageArgs;
use crate::commands::why::WhyArgs;
use crate::commands::work::WorkCommand;
use crate::commands::worker::WorkerArgs;

/// One memory and one guard for every coding agent on this machine.
///
/// Custos keeps an append-only log of what coding agents do, an index to search it, and the proof that nobody changed it. Everything is
/// on this machine, in files that only you can read. No daemon, no key, no download.
#[derive(Debug, Parser)]
#[command(name = "custos", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Begin with `custos setup`. Each command has examples: `custos help log append`.")]
pub(crate) struct Cli {
    /// Answer in JSON, for machines
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Wire the coding agents on this machine and prove that everything works
    #[command(after_help = "\
Examples:
  custos setup                       wire every client that is found
  custos setup --dry-run             show each line that would be changed
  custos setup --client codex        wire just this one, found or not
  custos setup --project --yes       wire the project that you are in
  custos setup --json                for scripts

Puts the program into ~/.local/bin, prepares the memory, adds hooks and a short
block of instructions to the clients' own files, and ends by running the very
commands that it installed on recorded payloads. In a project without .ai/ it
also runs `custos init`. Files keep their comments, order and formatting; a file
that cannot be read is left alone; originals are kept. A second run changes
nothing, and `custos uninstall` undoes all of it.

Exit codes:
  0  everything works
  1  something does not, or a file was left alone; it says which and why")]
    Setup(SetupArgs),
    /// Take our part out of the clients' files again
    #[command(after_help = "\
Examples:
  custos uninstall                   everything; the memory stays
  custos uninstall --client gemini   just this client
  custos uninstall --project         just the project that you are in
  custos uninstall --dry-run

A file that nobody changed since becomes what it was, byte for byte; of any
other only our part is taken out.")]
    Uninstall(UninstallArgs),
    /// Show the clients: what each can do, and which are here
    #[command(after_help = "\
Examples:
  custos clients
  custos clients codex
  custos clients --json | jq '.clients[] | {client, wired, version}'
  custos clients codex --read PostToolUse < payload.json

The last one shows what we read in a payload: the one form that all clients'
events are brought into, with the version of that form.")]
    Clients {
        /// Only this one
        name: Option<String>,
        /// Read a payload of this event from standard input and show what we read in it
        #[arg(long, value_name = "EVENT", requires = "name")]
        read: Option<String>,
    },
    /// Show what there is: events, index, backups, work that waits, where they are
    #[command(after_help = "Examples:\n  custos status\n  custos status --json | jq .distilling.work")]
    Status,
    /// Check everything and say what to do about what is wrong
    #[command(after_help = "\
Examples:
  custos doctor
  custos doctor --online     also ask the model that distils whether it answers

Exit codes:
  0  all is well
  1  something needs attention; each finding says what to do")]
    Doctor {
        /// Ask the provider of the model a question of a few tokens; without this nothing is contacted
        #[arg(long)]
        online: bool,
    },
    /// Ask the guard, see its rules and change them
    #[command(after_help = "\
Examples:
  custos guard test 'git push --force origin main'
  custos guard rules
  custos guard add deny 'terraform apply' --reason 'done by the pipeline'")]
    #[command(subcommand)]
    Guard(GuardCommand),
    /// Trust a cloned project's `.ai/`
    #[command(after_help = "\
Examples:
  custos trust                     the project that you are in
  custos trust ~/src/shop
  custos trust --list
  custos trust --remove ~/src/shop

Look at a project's .ai/ before you trust it. Its rules tighten either way and
never loosen; trusted, its texts are no longer labelled as foreign, and harmless
git commands are answered there without asking. A path is trusted, whatever is
cloned to it later.")]
    Trust(TrustArgs),
    /// Begin the knowledge base of a project: its `.ai/`, what its files say, a preset
    #[command(after_help = "\
Examples:
  custos init                        the project that you are in
  custos init --dry-run              show each file that would be made
  custos init --preset production --preset team
  custos init --list-presets
  custos init ~/src/work --yes       a workspace, and every repo in it

Makes .ai/ with its .gitignore, writes down what the project's files prove, and
adds a preset of decisions, memories and rules. In a workspace it shows the repos
and asks; without a terminal and without --yes it begins at the workspace only. A
second run changes nothing; what people wrote or removed stays so. What this run
makes is trusted; an .ai/ that came with a clone is not.

Exit codes:
  0  done
  1  a repo of the workspace refused; it says which and why")]
    Init(InitArgs),
    #[command(flatten)]
    Knowledge(KnowledgeCommand),
    /// Carry over what was kept elsewhere
    #[command(after_help = "\
Examples:
  custos import axme --dry-run       what would be done
  custos import instructions")]
    #[command(subcommand)]
    Import(ImportCommand),
    /// List, accept and drop what a scan or an import found
    #[command(after_help = "\
Examples:
  custos proposals
  custos proposals accept P-001 P-003
  custos proposals accept --all
  custos proposals drop P-002

Nothing of it counts until you accept it.")]
    Proposals(ProposalsArgs),
    /// Serve the knowledge base to an agent over standard input and output
    #[command(after_help = "\
Examples:
  claude mcp add custos -- custos mcp
  custos mcp --root ~/src/shop

`custos setup` registers it with every client. It speaks the Model Context
Protocol on standard input and output and ends with its client: no port, no
daemon, no model, no network.")]
    Mcp(McpArgs),
    /// Answer a hook of a client; installed by `setup`, called by the client
    #[command(after_help = "\
Examples:
  custos hook claude-code PostToolUse < payload.json
  custos hook copilot preToolUse < payload.json

CLIENT is claude-code, codex, gemini, copilot, opencode or cursor; EVENT is in
the client's own spelling (`custos clients` lists them). The payload comes on
standard input, the answer goes to standard output in the client's own form;
nothing to say is said by printing nothing. What went wrong is told by
`custos doctor`, never to the client.")]
    Hook {
        /// The client
        client: String,
        /// The event
        event: String,
    },
    /// Record what hook commands are asked and answer, and check it later
    #[command(after_help = "\
Examples:
  custos fixtures record -- custos hook claude-code PreToolUse < payload.json
  custos fixtures replay cases")]
    #[command(subcommand)]
    Fixtures(FixturesCommand),
    /// Read and write the event log
    #[command(after_help = "\
Examples:
  custos log tail                    the newest 20 events
  custos log show ffffffffffff")]
    #[command(subcommand)]
    Log(LogCommand),
    /// Search prompts, observations, summaries and knowledge
    #[command(after_help = "\
Examples:
  custos search refresh token       finds refreshToken and refresh_token
  custos search --type bugfix --since 7d auth
  custos search --file src/token.rs --sort newest expiry
  custos search --all vault rotation
  custos search --project github.com/acme/shop --json checkout

In a project, that project is searched and what belongs to none, such as your own
knowledge; elsewhere, and with --all or --session, everything.

A query is plain text: quotes, operators and SQL have no meaning in it. It finds
by words and, once the worker has made vectors, by what is meant. Each line ends
with the tokens that it takes to read it whole, and how well it fits.")]
    Search(SearchArgs),
    /// Show what happened around something, in the order of time
    #[command(after_help = "\
Examples:
  custos timeline ffffffffffff
  custos timeline --before 10 --after 0 refresh window
  custos timeline ffffffffffff --json | jq '.entries[].title'")]
    Timeline(TimelineArgs),
    /// Show memories whole: all they say, where they come from, and from which events
    #[command(after_help = "\
Examples:
  custos show ffffffffffff
  custos show ffffffffffff 77aa01b2c3d4 --json

Takes what `custos search` lists: prompts, observations, summaries, knowledge.
`custos log show` shows any other event.")]
    Show(ShowArgs),
    /// Correct memories: edit, replace, pin
    #[command(after_help = "\
Examples:
  custos memory edit ffffffffffff    $EDITOR opens with what it says
  custos memory pin ffffffffffff")]
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Show what a session is told at its start, or what one was told
    #[command(after_help = "\
Examples:
  custos context                               a session that starts here and now
  custos context --session s-4f1c2a            what it was told last
  custos context --at 2h --session s-4f1c2a    what it was told then
  custos context 77aa01b2c3d4                  by the receipt that `why` shows
  custos context --session s-4f1c2a --without 9f2c5d0a1b3e

What was told is written again from the log, and compared with the hash that
its receipt has. Without RECEIPT, --at and --session nothing is recorded.

Exit codes:
  0  done; of what was told, the same bytes
  1  not the same bytes; it says what was forgotten since")]
    Context(ContextArgs),
    /// Say what a session was told without asking, and why
    #[command(after_help = "\
Examples:
  custos why                  the session that was told something last
  custos why --last           just the last time
  custos why s-4f1c2a --json

Each memory with the parts of its score, what it took, how far it is trusted and
how old it was, and what was left out for which reason.")]
    Why(WhyArgs),
    /// List what was learnt from the work, and show one of it whole
    #[command(after_help = "\
Examples:
  custos observations                         of the project that you are in
  custos observations --all --type decision
  custos observations --session s-4f1c2a --limit 50
  custos observations show ffffffffffff       all of it, and where it comes from

What something newer has taken the place of is not listed; `custos search` finds
by words, `custos forget` removes.")]
    Observations(ObservationsArgs),
    /// List what turns and sessions came to, and show one whole
    #[command(after_help = "\
Examples:
  custos summaries
  custos summaries --session s-4f1c2a
  custos summaries show ffffffffffff")]
    Summaries(SummariesArgs),
    /// Try who makes memories of your work
    #[command(after_help = "\
Examples:
  custos distill test                          rules, and the model you chose
  custos distill test --provider claude-cli    before you choose one")]
    #[command(subcommand)]
    Distill(DistillCommand),
    /// Do what waits to be distilled; hooks start it, and it ends by itself
    #[command(after_help = "\
Examples:
  custos worker run --until-idle     what can be done now, with a progress bar
  custos worker                      as a hook starts it: no word, no terminal

There is one worker for a memory. It starts when work waits, ends worker.idle_s
after the last of it, and keeps a log in the state directory (worker.log).")]
    Worker(WorkerArgs),
    /// See what waits to be distilled, and have it done again or dropped
    #[command(after_help = "\
Examples:
  custos work list                     what waits, and why
  custos work retry --all              what failed or was given up
  custos work redo --all-fallbacks     what rules did in the place of a model")]
    #[command(subcommand)]
    Work(WorkCommand),
    /// Show what models took: calls, tokens, money, and what is left of today's budget
    #[command(after_help = "\
Examples:
  custos usage                       by day, the last 7
  custos usage --days 30 --by session
  custos usage --by provider --json | jq .today.left

Rules take nothing. Money is estimated, from list prices or from what the
provider says.")]
    Usage(UsageArgs),
    /// Prove that the log is what was written
    #[command(after_help = "\
Examples:
  custos verify
  custos verify --json | jq '.writers[].findings'

Exit codes:
  0  the chain of every writer holds; a write that was cut short is mentioned
     and harms nothing
  1  something was changed or is missing: each finding names file, byte, record")]
    Verify,
    /// Remove the content of events for good, with all that was derived from it
    #[command(after_help = "\
Examples:
  custos forget 019a893e-2d83-7fff-bfff-ffffffffffff --reason 'pasted by mistake'
  custos forget --session 4f1c --reason 'private' --dry-run
  custos forget --matching 'Jane Doe' --reason 'asked to'
  echo 'Jane Doe' | custos forget --matching - --reason 'asked to'

The last one keeps the text out of the list of processes.

Content and salt are overwritten in the log and in every backup, and nothing is
left in the index, the vectors and the hints. The chain still verifies and shows
that something was removed, when, and for which reason. The text given to
--matching is not stored. It asks before it does so on a terminal, and never
elsewhere.

The files in .ai/ are yours, and stay: those in which it stands are listed. As
long as they are there, they are read again.")]
    Forget(ForgetArgs),
    /// Look after the index, which is derived from the log
    #[command(after_help = "\
Examples:
  custos index status
  custos index rebuild")]
    #[command(subcommand)]
    Index(IndexCommand),
    /// Copy the log, list the copies, restore what is damaged
    #[command(after_help = "\
Examples:
  custos backup create
  custos backup restore              from the newest good copy")]
    #[command(subcommand)]
    Backup(BackupCommand),
    /// Replay the log into a new directory in the current schema
    #[command(after_help = "\
Examples:
  custos migrate --dry-run                     the report, without writing anything
  custos migrate --to ~/.config/ai/memory-1.0  then point AI_MEMORY_PATH there

The old log is never changed.

Exit codes:
  0  everything was carried over
  1  some of it could not be; the report says what and why")]
    Migrate(MigrateArgs),
    /// Measure recall: how good it is, and how fast
    #[command(after_help = "\
Examples:
  custos eval retrieval --docs docs.jsonl --queries queries.jsonl --k 50
  custos eval speed --rows 100000")]
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Read and change settings
    #[command(after_help = "\
Examples:
  custos config list --show-origin
  custos config set backup.keep 14")]
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  custos completions bash > ~/.local/share/bash-completion/completions/custos
  custos completions zsh  > ~/.zfunc/_custos
  custos completions fish > ~/.config/fish/completions/custos.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "\
Examples:
  custos man | man -l -
  custos man log append | man -l -")]
    Man {
        /// The command whose page to print; the program's own without one
        command: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// Wire this client only, whether or not it was found; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Vec<String>,
    /// Wire a project instead of everything you do: the one you are in, or the one in DIR
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", require_equals = true)]
    pub(crate) project: Option<PathBuf>,
    /// Where the program goes: PREFIX/bin [default: ~/.local]
    #[arg(long)]
    pub(crate) prefix: Option<PathBuf>,
    /// Do not begin the knowledge base of the project that you are in
    #[arg(long)]
    pub(crate) no_init: bool,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Only this client; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Vec<String>,
    /// Only what is in a project: the one you are in, or the one in DIR
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", require_equals = true)]
    pub(crate) project: Option<PathBuf>,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List every setting
    #[command(after_help = "Examples:\n  custos config list\n  custos config list --show-origin")]
    List {
        /// Show where each value comes from
        #[arg(long)]
        show_origin: bool,
    },
    /// Print one setting
    #[command(after_help = "Examples:\n  custos config get backup.keep")]
    Get {
        /// The setting's name
        key: String,
    },
    /// Change one setting in your own configuration file
    #[command(
        after_help = "Examples:\n  custos config set backup.keep 14\n  custos config set access.prompts '[user]'"
    )]
    Set {
        /// The setting's name
        key: String,
        /// Its new value
        value: String,
    },
    /// Go back to the default for one setting
    #[command(after_help = "Examples:\n  custos config unset backup.keep")]
    Unset {
        /// The setting's name
        key: String,
    },
}
