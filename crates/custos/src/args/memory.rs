//! The options of the commands on the memory as a whole: its log, its index, its copies.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Text;
use crate::commands::search::Sorting;

#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Show the newest events
    #[command(after_help = "\
Examples:
  custos log tail                           the newest 20 events
  custos log tail -f                        and every new one as it comes
  custos log tail --kind tool --since 2h    tool.used, tool.failed, …
  custos log tail --session 4f1c --json     one JSON object per line")]
    Tail(TailArgs),
    /// Show one event whole
    #[command(
        after_help = "Examples:\n  custos log show 019a893e-2d83-7fff-bfff-ffffffffffff\n  custos log show ffffffffffff --json    the end of the id, as log tail shows it"
    )]
    Show {
        /// The event's id, or 8 characters or more of its beginning or its end
        id: String,
    },
    /// Append events: drafts as JSON lines on standard input, one answer per draft
    #[command(after_help = "\
Examples:
  echo '{\"kind\":\"tool.used\",\"scope\":\"user\",\"body\":{}}' | custos log append
  my-agent --events | custos log append

A draft needs kind, scope and body. Optional are ts, project, branch, commit,
session, agent {client, id, role}, task, outcome, importance and acl; see
docs/schema/event-1.0.0.json. Each answer is written at once:
  {\"id\":…,\"writer\":…,\"seq\":…}      it is in the log
  {\"line\":…,\"path\":…,\"error\":…}    it is not, and why; the rest still goes in
Secrets and <private> text are taken out before anything is written.

Exit codes:
  0   every draft is in the log
  65  some were refused
  74  the log could not be written
  75  another process held the lock for too long")]
    Append,
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Go on and show every new event
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// How many events to begin with
    #[arg(short = 'n', long, default_value_t = 20, value_name = "N")]
    pub(crate) lines: usize,
    /// Only this kind, such as tool.used, or all that begin with it, such as tool; may be repeated
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<String>,
    /// Only this session: its id, the beginning of it, or the client's own
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Only this project: its name, identity or directory
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Only since a time: 2026-11-15, 2026-11-15T20:55:09Z, or how long ago: 30m, 2h, 7d
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Only this project: its name, identity or directory; may be repeated [default: the one that you are in]
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Vec<String>,
    /// In every project
    #[arg(long, conflicts_with = "project")]
    pub(crate) all: bool,
    /// Only this session: its id, the beginning of it, or the client's own
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Only this kind: prompt.submitted, observation.recorded, summary.recorded, knowledge.saved; may be repeated
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<String>,
    /// Only this type: bugfix, decision, discovery, prompt, summary, task, …; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) sort_of: Vec<String>,
    /// Only what concerns this file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<String>,
    /// Only since a time: 2026-11-15, 2026-11-15T20:55:09Z, or how long ago: 30m, 2h, 7d
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only up to a time; a date means to the end of that day
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// In which order
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    pub(crate) sort: Sorting,
    /// At most so many (setting search.limit)
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct TimelineArgs {
    /// The id of something, or words to find it by
    #[arg(required = true, value_name = "ID|QUERY")]
    pub(crate) anchor: Vec<String>,
    /// So many before it
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) before: usize,
    /// So many after it
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) after: usize,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("selection").required(true).args(["id", "session", "project", "matching"]))]
pub(crate) struct ForgetArgs {
    /// One event, by its id, or 8 characters or more of its beginning or its end
    pub(crate) id: Option<String>,
    /// Everything of a session: its id, the beginning of it, or the client's own
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Everything of a project: its name, identity or directory
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Everything in which a text occurs; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    pub(crate) matching: Option<String>,
    /// Why; it is kept in the log
    #[arg(long, value_name = "REASON", allow_hyphen_values = true, value_parser = Text)]
    pub(crate) reason: String,
    /// Only show what would be forgotten
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Show what the index holds and how far it has read
    #[command(after_help = "Examples:\n  custos index status")]
    Status,
    /// Make the index anew from the log
    #[command(
        after_help = "Examples:\n  custos index rebuild\n\nThe index is derived: deleting or rebuilding it loses nothing."
    )]
    Rebuild,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Take a copy now
    #[command(after_help = "\
Examples:
  custos backup create

Also taken once a day by any command that runs longer (setting backup.daily).
The newest 7 are kept (backup.keep).")]
    Create,
    /// List the copies
    #[command(after_help = "Examples:\n  custos backup list")]
    List,
    /// Restore every damaged or missing segment from its newest good copy
    #[command(after_help = "\
Examples:
  custos backup restore                             from the newest good copy
  custos backup restore 2026-11-15T20-55-09-123Z    from this copy only

What was appended after the copy was taken is kept.

Exit codes:
  0   nothing is damaged any more
  1   something is damaged that no copy can mend")]
    Restore {
        /// The copy, as `custos backup list` names it
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Only print the report
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The new memory directory; it must not exist or be empty [default: beside the old one]
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
}
