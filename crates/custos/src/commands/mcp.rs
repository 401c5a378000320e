//! `custos mcp`: the knowledge base for an agent, over standard input and output.
//!
//! One process per client, started by it and gone with it. Nothing listens, nothing stays. What is special to a process is here: which session it
//! serves (`session`), and the sign that it lives (`live`); the tools and the protocol are [`custos_mcp`]'s.

pub(crate) mod live;
pub(crate) mod session;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use custos_mcp::desk::Watcher;
use custos_mcp::server::{RequestFacts, serve_stdio};

use self::session::{Said, Served};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge::{self, Known};
use crate::output;

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// The project [default: $CUSTOS_ROOT, else the working directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

/// Follows the client from session to session.
struct Follower {
    served: Served,
    known: Arc<Mutex<Known>>,
}

impl Watcher for Follower {
    fn called(&self, facts: &RequestFacts) {
        let name = facts.client.as_ref().map(|(name, _)| name.as_str());
        let said = Said { calls_itself: name, meta: facts.meta.as_ref(), plugin: facts.session.as_deref() };
        let found = self.served.session(said);
        let subagent = self.served.subagent(said);
        let (session, client) = match found {
            Some(found) => (Some(found.id), Some(found.client)),
            // Without a session, what the client calls itself is better than nothing.
            None => (None, name.map(str::to_owned)),
        };
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Known { session, client, subagent };
    }

    fn closed(&self) {
        self.served.end();
    }
}

/// Serves the project that the client runs in, as clients start it.
pub(crate) fn run_here() -> Result<Exit, CliError> {
    let (context, _) = Context::full()?;
    run(&context, &McpArgs { root: None })
}

pub(crate) fn run(context: &Context, args: &McpArgs) -> Result<Exit, CliError> {
    let root = knowledge::root(args.root.as_deref())?;
    let known = Arc::<Mutex<Known>>::default();
    let follower = Follower { served: Served::begin(context.log(), &root.path), known: Arc::clone(&known) };
    let desk = Arc::new(knowledge::for_agent(context, root, known, Box::new(follower)));
    let (ahead, on, until_the_end) = (Arc::clone(&desk), Arc::clone(&desk), Arc::clone(&desk));
    // The first question should not wait for a thousand files; nobody waits for the threads. The second does not wait for the first: an agent may
    // check another branch out before a large base is indexed.
    std::thread::spawn(move || ahead.warm());
    std::thread::spawn(move || on.read_on());
    let served = serve_stdio(desk);
    // The threads live as long as the process, and so does what they share.
    for unsure in until_the_end.base().end() {
        output::tell(format!(
            "custos: a power cut may take some of what was saved, for the disk did not confirm it: {unsure}"
        ));
    }
    served.map_err(|error| CliError::new(Exit::Internal, error.to_string()))?;
    Ok(Exit::Success)
}
