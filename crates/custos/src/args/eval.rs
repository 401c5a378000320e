//! The options of `custos eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Answer questions from documents, to be scored: how good is recall?
    #[command(after_help = "\
Examples:
  custos eval retrieval --docs docs.jsonl --queries queries.jsonl --k 50
  custos eval retrieval --docs docs.jsonl --queries queries.jsonl --depth hook

Documents are lines of {\"id\",\"scope\",\"text\",\"pos\",\"group\"}, questions of
{\"id\",\"scope\",\"text\"}. Each document becomes an observation in a memory of its
own, in the project that its scope names; group and pos say which of them follow
each other in one session, where both are given and no two claim one place. The
answer is one line per question: {\"id\",\"ranked\":[ids, the best first],\"ms\"}.
Your own memory is not touched.")]
    Retrieval(RetrievalArgs),
    /// Measure how long recall takes in a large memory
    #[command(after_help = "\
Examples:
  custos eval speed --rows 100000
  custos eval speed --rows 1000000 --json

Makes a memory of so many invented observations, with vectors as if they had been
embedded, in a temporary directory (about 4 KB each), and asks it questions of
several kinds. Your own memory is not touched.")]
    Speed(SpeedArgs),
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DepthArg {
    /// As the server does: by words and by meaning
    #[default]
    Server,
    /// As a hook does: what has words of the question, and what stands beside it
    Hook,
}

#[derive(Debug, Args)]
pub(crate) struct RetrievalArgs {
    /// The documents, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub(crate) docs: PathBuf,
    /// The questions, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: PathBuf,
    /// How many answers to give to each
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) k: usize,
    /// How far to look
    #[arg(long, value_enum, default_value_t)]
    pub(crate) depth: DepthArg,
}

#[derive(Debug, Args)]
pub(crate) struct SpeedArgs {
    /// How many observations
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) rows: usize,
    /// How many questions of each kind
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) questions: usize,
}
