//! A client that says what it is told to, and tools that remember what they were asked.

use std::future::pending;
use std::sync::{Arc, Mutex};

use custos_mcp::server::{Reply, RequestFacts, ToolListing, Toolbox, serve};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

/// What a request of protocol 2026-07-28 says about its client, in place of `initialize`.
pub(crate) const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"modern","version":"2"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The size of the pipes between the two, as on Linux.
pub(crate) const PIPE: usize = 64 << 10;

/// Four tools, one for each way to answer.
pub(crate) struct Tools {
    listings: Vec<ToolListing>,
    told: Mutex<Vec<String>>,
}

impl Tools {
    pub(crate) fn new() -> Arc<Self> {
        let tool = |name, title, description| ToolListing {
            name,
            title,
            description,
            input_schema: json!({"type": "object", "properties": {"text": {"type": "string"}}}),
            read_only: false,
            destructive: false,
            idempotent: false,
            always_load: false,
        };
        let listings = vec![
            ToolListing {
                read_only: true,
                idempotent: true,
                always_load: true,
                ..tool("echo", "Echo", "Says what it was asked.")
            },
            ToolListing { idempotent: true, ..tool("save_nothing", "Save nothing", "Fails.") },
            ToolListing { destructive: true, ..tool("break_off", "Break off", "Panics.") },
            tool("list_names", "Names", "Answers with a list, or with no structure at all."),
        ];
        Arc::new(Self { listings, told: Mutex::default() })
    }

    /// Gives what the tools were told so far, in order.
    pub(crate) fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }
}

impl Toolbox for Tools {
    fn tools(&self) -> &[ToolListing] {
        &self.listings
    }

    fn instructions(&self) -> &'static str {
        "Ask `echo` first."
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, request: &RequestFacts) -> Reply {
        let arguments = Value::Object(arguments);
        self.told.lock().unwrap().push(format!("{name} {arguments}"));
        match name {
            "echo" => {
                let mut structured = json!({"meta": request.meta, "client": request.client});
                if let Some(session) = &request.session {
                    structured["session"] = json!(session);
                }
                Reply { text: arguments.to_string(), structured, is_error: false }
            }
            "save_nothing" => Reply {
                text: "there is nothing to save".to_owned(),
                structured: json!({"saved": 0}),
                is_error: true,
            },
            "break_off" => panic!("no more\npaper"),
            _ => {
                let structured = if arguments["text"].is_null() { json!(["a", "b"]) } else { Value::Null };
                Reply { text: "a, b".to_owned(), structured, is_error: false }
            }
        }
    }

    fn closed(&self) {
        self.told.lock().unwrap().push("closed".to_owned());
    }
}

/// What came of a conversation.
pub(crate) struct Heard {
    /// The answers, one a line, sorted: their order is not promised.
    pub(crate) answers: String,
    /// What the tools were told, in order.
    pub(crate) told: Vec<String>,
}

/// Runs a future as the server runs: on one thread, with a clock.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// Sends bytes, ends the input, and collects what comes back until the server ends too.
pub(crate) fn say(bytes: &[u8]) -> Heard {
    let tools = Tools::new();
    let mut said = String::new();
    run(async {
        let (mut ours, input) = duplex(PIPE);
        let (mut answers, output) = duplex(PIPE);
        let serving = serve(tools.clone(), input, output, pending());
        let asking = async {
            ours.write_all(bytes).await.unwrap();
            drop(ours);
        };
        let listening = async { answers.read_to_string(&mut said).await.unwrap() };
        let (served, (), _) = tokio::join!(serving, asking, listening);
        served.unwrap();
    });
    let mut lines: Vec<_> = said.lines().collect();
    lines.sort_unstable();
    Heard { answers: lines.join("\n"), told: tools.told() }
}

/// Sends requests, one a line, and gives the answers.
pub(crate) fn ask(lines: &[&str]) -> String {
    say(format!("{}\n", lines.join("\n")).as_bytes()).answers
}

/// Writes a request of 2026-07-28, which needs no `initialize`.
pub(crate) fn modern(id: u8, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{MODERN}}}}}"#)
}

/// Writes the request that opens a conversation before 2026-07-28.
pub(crate) fn initialize(id: u8, version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"old","version":"1"}}}}}}"#
    )
}

/// Writes the call of a tool.
pub(crate) fn call(id: u8, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}
