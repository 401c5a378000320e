//! The arguments of `custos guard`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use custos_guard::Access;
use custos_guard::rules::{Entry, Level, List};

use super::scene::Whereabouts;
use crate::args::Text;

#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// Ask what would become of a command or a path, and why
    #[command(after_help = "\
Examples:
  custos guard test 'git push --force origin main'
  custos guard test --branch main 'git push'
  custos guard test --path ~/.ssh/id_ed25519 --op read
  custos guard test --batch commands.jsonl | jq -r .verdict

Nothing is run. The verdict is deny, ask (the person decides) or silence, and it
is the one that a hook would give in this directory, but for the commit gate and
delegation, which look at more than the call. --cwd, --home and --branch ask as
if you were elsewhere; the branch then is checked out in every repo.

A batch has one object per line, {\"cmd\":…} or {\"path\":…,\"op\":…}, and if need be
its own cwd, home and branch. The answers come in the same order:
  {\"verdict\":…,\"rule\":…,\"reason\":…}    rule and reason are null in silence
  {\"line\":…,\"error\":…}                 that line is no question; the rest goes on

Exit codes:
  0   it was answered, whatever the verdict
  65  some lines of the batch are no questions")]
    Test(TestArgs),
    /// Show the rules in force
    #[command(after_help = "\
Examples:
  custos guard rules
  custos guard rules --show-origin
  custos guard rules --json | jq -r '.rules[] | select(.effect == \"ask\").name'

What is wrong with a rules file is said first. docs/guard-rules.md tells what a
rules file can say.")]
    Rules {
        /// Show the file and line that each comes from
        #[arg(long)]
        show_origin: bool,
    },
    /// Add a rule, or change what a built-in one does
    #[command(after_help = "\
Examples:
  custos guard add deny 'terraform apply' --reason 'done by the pipeline'
  custos guard add ask 'npm install **' --level repo
  custos guard add allow 'git push --force-with-lease **'
  custos guard add deny-path 'secrets/**'
  custos guard add ask-path 'migrations/**' --op write,delete
  custos guard add read-only 'vendor/**'
  custos guard add protect 'release/*'
  custos guard add rule git.force-push=ask
  custos guard add pack databases=off
  custos guard add flag git.require_feature_branch=true

A command is compared by its program and arguments, never as text: * is one word,
** any number of them. The file keeps its comments, order and spacing; one that
cannot be read is left alone. A workspace or repo can only tighten; what loosens
(allow, off) is for your own rules.")]
    Add(AddArgs),
    /// Remove a rule that was added, or give a built-in one its own effect back
    #[command(after_help = "\
Examples:
  custos guard remove 'terraform apply'
  custos guard remove user.terraform-apply
  custos guard remove 'release/*' --level repo
  custos guard remove git.force-push
  custos guard remove git.require_feature_branch
  custos guard remove 'make deploy' --list allow

What in the file has this pattern, id or name is removed, and each is told. If it
stands in several lists, --list says from which; without it nothing is removed.
Built-in rules are not removed; `custos guard add rule ID=off` is for that.")]
    Remove(RemoveArgs),
    /// Have the project's decisions that carry a guard prove themselves, and show which are enforced
    #[command(after_help = "\
Examples:
  custos guard decisions
  custos guard decisions --json | jq '.decisions[] | select(.enforced | not)'

A required decision (.ai/decisions/D-012-slug.md) may say in its front matter what must not run:

  enforce: required
  guard:
    command: terraform apply            # or `path: infra/prod/**`
    must_block: [terraform apply -auto-approve]
    must_allow: [terraform plan]

It is enforced once it holds its examples in every spelling that is tried; sessions check that when they start.")]
    Decisions,
    /// Show the newest denials, questions and answered permission requests
    #[command(after_help = "\
Examples:
  custos guard log
  custos guard log -n 100
  custos guard log --json | jq -r .body.rule | sort | uniq -c")]
    Log {
        /// How many
        #[arg(short = 'n', long, default_value_t = 20, value_name = "N")]
        lines: usize,
    },
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("question").required(true).args(["command", "path", "batch"]))]
pub(crate) struct TestArgs {
    /// The command line, in quotes
    #[arg(value_name = "CMD")]
    pub(super) command: Option<String>,
    /// A file, instead of a command
    #[arg(long, value_name = "FILE", requires = "op")]
    pub(super) path: Option<String>,
    /// What is to be done with the file
    #[arg(long, value_enum, conflicts_with_all = ["command", "batch"])]
    pub(super) op: Option<OpWord>,
    /// Questions as JSON lines; `-` reads them from standard input
    #[arg(long, value_name = "FILE")]
    pub(super) batch: Option<PathBuf>,
    /// The working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// The home directory
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
    /// The branch that is checked out
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
}

impl TestArgs {
    pub(super) fn whereabouts(&self) -> Whereabouts {
        Whereabouts { cwd: self.cwd.clone(), home: self.home.clone(), branch: self.branch.clone() }
    }
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// What is said
    #[arg(value_enum)]
    pub(super) what: What,
    /// The pattern or branch, or NAME=VALUE for a rule, pack or flag
    #[arg(value_name = "ENTRY", allow_hyphen_values = true)]
    pub(super) entry: String,
    /// Why; shown whenever it holds something
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    pub(super) reason: Option<String>,
    /// The name of the rule [default: made from level and pattern]
    #[arg(long, value_name = "ID")]
    pub(super) id: Option<String>,
    /// What is held, of a path [default: all of them]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "OP")]
    pub(super) op: Vec<OpWord>,
    /// Whose rules
    #[arg(long, value_enum, default_value_t = LevelWord::User)]
    pub(super) level: LevelWord,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The pattern, id or name, as `custos guard rules` shows it
    #[arg(value_name = "ENTRY", allow_hyphen_values = true)]
    pub(super) entry: String,
    /// The list that it stands in, by the word that `custos guard add` has for it
    #[arg(long, value_enum, value_name = "LIST", hide_possible_values = true)]
    pub(super) list: Option<What>,
    /// Whose rules
    #[arg(long, value_enum, default_value_t = LevelWord::User)]
    pub(super) level: LevelWord,
}

/// What an entry says, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum What {
    /// Commands that do not run
    Deny,
    /// Commands that the person is asked about
    Ask,
    /// Commands that the person is not asked about; never lifts a denial
    Allow,
    /// Files that may not be touched
    DenyPath,
    /// Files that the person is asked about
    AskPath,
    /// Files that the person is not asked about
    AllowPath,
    /// Files that may be read and not changed
    ReadOnly,
    /// A branch that only people push to
    Protect,
    /// What a built-in rule does: ID=off, ask or deny
    Rule,
    /// What a pack does: NAME=off, ask or deny
    Pack,
    /// A switch: NAME=true or false
    Flag,
}

impl What {
    /// Gives the word with which an entry is added.
    pub(super) fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Branch(_) => Self::Protect,
            // A command cannot be read-only.
            Entry::Command { list: List::Deny | List::ReadOnly, .. } => Self::Deny,
            Entry::Command { list: List::Ask, .. } => Self::Ask,
            Entry::Command { list: List::Allow, .. } => Self::Allow,
            Entry::Path { list: List::Deny, .. } => Self::DenyPath,
            Entry::Path { list: List::Ask, .. } => Self::AskPath,
            Entry::Path { list: List::Allow, .. } => Self::AllowPath,
            Entry::Path { list: List::ReadOnly, .. } => Self::ReadOnly,
            Entry::Rule { .. } => Self::Rule,
            Entry::Pack { .. } => Self::Pack,
            Entry::Flag { .. } => Self::Flag,
        }
    }

    /// Gives the word as it is typed.
    pub(super) fn word(self) -> String {
        self.to_possible_value().map(|word| word.get_name().to_owned()).unwrap_or_default()
    }
}

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OpWord {
    Read,
    Write,
    Delete,
}

impl OpWord {
    pub(super) fn access(self) -> Access {
        match self {
            Self::Read => Access::Read,
            Self::Write => Access::Write,
            Self::Delete => Access::Delete,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

/// Whose rules, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LevelWord {
    /// Your own
    User,
    /// Of the directory that holds the repo, or that you are in
    Workspace,
    /// Of the repo that you are in
    Repo,
}

impl From<LevelWord> for Level {
    fn from(word: LevelWord) -> Self {
        match word {
            LevelWord::User => Self::User,
            LevelWord::Workspace => Self::Workspace,
            LevelWord::Repo => Self::Repo,
        }
    }
}
