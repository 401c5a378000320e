//! The MCP server: a [`Toolbox`] offered to an agent over standard input and output, one JSON message a line.
//!
//! The protocol itself is rmcp's. Here is only what its defaults leave open, and why:
//!
//! - **Nothing waits for `initialize`.** A client of 2026-07-28 never sends it, and rmcp's own opening ends the whole
//!   server at the first stray notification. So the loop is entered at once, and `initialize` is a request like others.
//! - **Tools run on the loop, one at a time, in the order they came.** Each takes a few milliseconds of file work. A call
//!   that was cancelled before its turn never happens; one that has begun is finished, and there is nothing in between.
//! - **A call that another process holds up steps aside**, by the lock of a store for example: those behind it that only read go on, and it is done
//!   as soon as it can be, or refused.
//! - **Several messages may come as one**, as protocol 2025-03-26 has it, and are answered as one (see [`batch`]).
//! - **A tool that panics is an answer**, not the end of the conversation.
//! - **The end has many faces**: end of input, an output that nobody reads any more, and the signals with which clients
//!   really end their servers (see [`serve_stdio`]). All lead to the same place: what was read is answered, then
//!   [`Toolbox::closed`] is called, then the function returns.

mod batch;
mod handler;
mod skim;
mod wire;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{QuitReason, serve_directly};
use rmcp::transport::stdio_pipes;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};

use handler::Handler;
use wire::Wire;

/// What the server offers: a list of tools, and one way to call them.
///
/// The server asks for nothing else, so that the same tools can be called without a protocol.
pub trait Toolbox {
    /// Lists the tools, in the order in which clients should show them. The list is asked for once.
    fn tools(&self) -> &[ToolListing];

    /// Says to an agent when to use these tools. Some clients show nothing else before a tool is searched for.
    fn instructions(&self) -> &str;

    /// Is told that a client asks which tools there are, and may take a moment to be ready for its first call.
    fn asked_for_tools(&self) {}

    /// Says whether a call may change something. Such calls are done one after the other, in their order; others go past them.
    fn writes(&self, name: &str, _arguments: &Map<String, Value>) -> bool {
        self.tools().iter().any(|tool| tool.name == name && !tool.read_only)
    }

    /// Says that somebody else keeps a call that writes from being done right now, and what to answer if that stays so for [`PATIENCE`]. Other
    /// calls go on meanwhile.
    fn held_up(&self, _arguments: &Map<String, Value>) -> Option<Reply> {
        None
    }

    /// Calls the tool of this name, which is one of [`Toolbox::tools`].
    fn call(&self, name: &str, arguments: Map<String, Value>, request: &RequestFacts) -> Reply;

    /// Is told, once, that the client is gone and no call will follow.
    fn closed(&self);
}

/// How long a call waits for whoever holds it up. A client may go away meanwhile, and what it asked for is answered for five seconds more.
pub const PATIENCE: Duration = Duration::from_secs(4);

/// Describes one tool to clients.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the hints of the protocol, each of which says something of its own"
)]
pub struct ToolListing {
    /// The name that calls it.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, and when to use it.
    pub description: &'static str,
    /// The JSON Schema of its arguments; an object.
    pub input_schema: Value,
    /// Changes nothing.
    pub read_only: bool,
    /// Takes something away, rather than only adding.
    pub destructive: bool,
    /// Called again with the same arguments, changes nothing more.
    pub idempotent: bool,
    /// Is in the agent's view from the start, where the client would otherwise let it be searched for.
    pub always_load: bool,
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer to read.
    pub text: String,
    /// The same answer for programs: an object, or `null` to send none. Some clients show an agent this in place of the text.
    pub structured: Value,
    /// The tool could not do what was asked, and `text` says why.
    pub is_error: bool,
}

/// What the client says about itself and about one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestFacts {
    /// The `_meta` of the request.
    pub meta: Option<Value>,
    /// The client's name and version, from this request or else from `initialize`.
    pub client: Option<(String, String)>,
    /// The client's own name of the session that calls, where its plugin put it among the arguments ([`SESSION_FIELD`]).
    pub session: Option<String>,
}

/// The argument in which our plugin for a client names the session that calls. It is no tool's: it is taken out before a tool sees the others.
pub const SESSION_FIELD: &str = "_session";

/// Reports why the server could not go on. That the client went away is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The operating system gave no means to wait for input.
    #[error("cannot wait for a client: {0}")]
    Start(#[source] io::Error),
    /// The loop that reads requests broke.
    #[error("the server broke: {0}")]
    Broke(#[source] tokio::task::JoinError),
}

/// Serves the client on standard input and output until it goes away.
///
/// Clients end a server in their own ways: OpenCode closes its input, Codex and Gemini send SIGTERM, and Claude Code sends
/// SIGINT, leaves the input open and kills half a second later. So signals count as the end of input. A client may also
/// just kill, so [`Toolbox::closed`] must not be the only thing that keeps a session's books.
pub fn serve_stdio(toolbox: Arc<dyn Toolbox + Send + Sync>) -> Result<(), ServeError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::Start)?;
    let served = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        serve(toolbox, input, output, told_to_stop()).await
    });
    // Where standard input is not a pipe, a thread may still wait for its next line. Nobody waits for the thread.
    runtime.shutdown_background();
    served
}

/// Serves the client at the other end of `input` and `output` until it goes away, or until `stop` is ready.
///
/// Needs a tokio runtime with its clock enabled, of one thread: only there do calls keep their order.
pub async fn serve(
    toolbox: Arc<dyn Toolbox + Send + Sync>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let wire = Wire::new(input, output);
    let hang_up = wire.hang_up();
    let mut conversation = pin!(serve_directly(Handler::new(Arc::clone(&toolbox)), wire, None).waiting());
    let ended = tokio::select! {
        ended = &mut conversation => ended,
        () = stop => {
            hang_up.notify_one();
            conversation.await
        }
    };
    toolbox.closed();
    match ended {
        Err(broken) | Ok(QuitReason::JoinError(broken)) => Err(ServeError::Broke(broken)),
        Ok(_) => Ok(()),
    }
}

/// Is ready when the operating system asks the process to stop.
#[cfg(unix)]
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        // Without a handler a signal still ends the process, only less tidily.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

/// Is ready when the person presses Ctrl-C.
#[cfg(not(unix))]
async fn told_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
