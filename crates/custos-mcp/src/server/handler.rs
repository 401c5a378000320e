//! Requests of the protocol, turned into calls of a [`Toolbox`], and its replies into results.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use custos_config::nearest::nearest;
use custos_config::shown::shown;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    MetaObject, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tokio::time::sleep;

use super::{PATIENCE, Reply, RequestFacts, SESSION_FIELD, ToolListing, Toolbox};

/// The name under which clients show the server.
const SERVER_NAME: &str = "custos";

/// How many tools the answer to a wrong name suggests.
const MOST_SUGGESTIONS: usize = 5;

/// Below this length a part of a name is in too many other names.
const SHORTEST_PART: usize = 4;

/// How soon a call that is held up looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Answers one client.
pub(super) struct Handler {
    toolbox: Arc<dyn Toolbox + Send + Sync>,
    tools: Vec<Tool>,
    /// Whose turn it is to write: taken in the order in which they came.
    turn: Mutex<()>,
}

impl Handler {
    pub(super) fn new(toolbox: Arc<dyn Toolbox + Send + Sync>) -> Self {
        let tools = toolbox.tools().iter().map(listed).collect();
        Self { toolbox, tools, turn: Mutex::default() }
    }

    /// Waits for as long as somebody else holds up a call that writes. Gives what to answer if that is too long.
    async fn wait(
        &self,
        arguments: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
        begun: Instant,
    ) -> Option<Reply> {
        while let Some(refused) = self.toolbox.held_up(arguments) {
            if context.ct.is_cancelled() {
                return None;
            }
            if begun.elapsed() >= PATIENCE {
                return Some(refused);
            }
            sleep(LOOK_AGAIN).await;
        }
        None
    }

    /// Says that a tool does not exist, and which was probably meant.
    fn unknown_tool(&self, name: &str) -> ErrorData {
        let names = || self.tools.iter().map(|tool| tool.name.as_ref());
        // Clients put the server's name before a tool's, each in its own way, and a model may repeat it or know half of a name.
        let part = name.trim_end_matches('s');
        let related =
            |tool: &str| name.ends_with(tool) || (part.len() >= SHORTEST_PART && tool.contains(part));
        let slip = nearest(name, names());
        let close: Vec<_> = names()
            .filter(|tool| slip == Some(*tool) || related(tool))
            .take(MOST_SUGGESTIONS)
            .map(|tool| format!("`{tool}`"))
            .collect();
        let hint = match close.as_slice() {
            [] => "tools/list names those there are".to_owned(),
            close => format!("close to it: {}", close.join(", ")),
        };
        ErrorData::invalid_params(
            format!("there is no tool `{}`; {hint}", shown(&custos_redact::redact(name))),
            None,
        )
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new(SERVER_NAME, env!("CARGO_PKG_VERSION")).with_title("Custos"),
            )
            .with_instructions(self.toolbox.instructions())
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let agreed = self.negotiate_initialize(&request)?;
        // What was asked for may be newer than what is spoken from here on.
        request.protocol_version = agreed.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(agreed)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.toolbox.asked_for_tools();
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.tools.iter().any(|tool| tool.name == request.name) {
            return Err(self.unknown_tool(&request.name));
        }
        if context.ct.is_cancelled() {
            // Not sent: whoever cancels a request gets no answer to it.
            return Err(ErrorData::internal_error("cancelled", None));
        }
        let mut arguments = request.arguments.unwrap_or_default();
        let session = arguments.remove(SESSION_FIELD);
        let begun = Instant::now();
        // Whoever writes waits for its turn, so that writes keep their order; whoever reads goes past.
        let _turn = if self.toolbox.writes(&request.name, &arguments) {
            let turn = self.turn.lock().await;
            if let Some(refused) = self.wait(&arguments, &context, begun).await {
                return Ok(result(refused).into());
            }
            if context.ct.is_cancelled() {
                return Err(ErrorData::internal_error("cancelled", None));
            }
            Some(turn)
        } else {
            None
        };
        let facts = facts(context, session);
        let call = AssertUnwindSafe(|| self.toolbox.call(&request.name, arguments, &facts));
        let reply = catch_unwind(call).unwrap_or_else(|panic| broken(&request.name, panic.as_ref()));
        Ok(result(reply).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp takes a request whose parameters it cannot read for one that it does not know.
        Err(match request.method.as_str() {
            "tools/call" => {
                ErrorData::invalid_params("send `name`, a text, and `arguments`, an object", None)
            }
            "initialize" => ErrorData::invalid_params(
                "send `protocolVersion`, a text, `capabilities`, an object, and `clientInfo` with `name` and `version`",
                None,
            ),
            "server/discover" => ErrorData::invalid_params(
                "send `_meta` with `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities`",
                None,
            ),
            method => ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method `{}`; this server has tools only", shown(method)),
                None,
            ),
        })
    }
}

/// Describes a tool in the protocol's words. Hints that say nothing new are left out: the list is in every agent's context.
fn listed(tool: &ToolListing) -> Tool {
    let changes = !tool.read_only;
    let hints = ToolAnnotations::from_raw(
        None,
        Some(tool.read_only),
        changes.then_some(tool.destructive),
        (changes && tool.idempotent).then_some(true),
        // Asked about what changes something: whoever only reads may go on either way.
        changes.then_some(false),
    );
    let schema = match &tool.input_schema {
        Value::Object(schema) => schema.clone(),
        _ => Map::from_iter([("type".to_owned(), json!("object"))]),
    };
    let listed =
        Tool::new(tool.name, tool.description, schema).with_title(tool.title).with_annotations(hints);
    if tool.always_load {
        listed.with_meta(MetaObject(Map::from_iter([("anthropic/alwaysLoad".to_owned(), json!(true))])))
    } else {
        listed
    }
}

/// Takes from a request what it says about the client.
fn facts(context: RequestContext<RoleServer>, session: Option<Value>) -> RequestFacts {
    let client = context.client_info().map(|client| (client.name, client.version));
    let meta = context.meta.0.0;
    let session = session.and_then(|session| session.as_str().map(str::to_owned));
    RequestFacts { meta: (!meta.is_empty()).then_some(Value::Object(meta)), client, session }
}

/// Puts a reply into the protocol's form.
fn result(reply: Reply) -> CallToolResult {
    let text = vec![ContentBlock::text(reply.text)];
    let mut result = if reply.is_error { CallToolResult::error(text) } else { CallToolResult::success(text) };
    result.structured_content = match reply.structured {
        Value::Null => None,
        object @ Value::Object(_) => Some(object),
        // Before 2026-07-28 only an object is allowed.
        other => Some(json!({ "value": other })),
    };
    result
}

/// Answers for a tool that panicked.
fn broken(tool: &str, panic: &(dyn Any + Send)) -> Reply {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it did not say why");
    let text = format!(
        "`{tool}` broke off: {}. This is a defect of Custos, not of the call; part of the work may be done. The other tools still answer.",
        shown(said)
    );
    Reply { text, structured: Value::Null, is_error: true }
}
