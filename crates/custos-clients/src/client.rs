//! A client, and the table of all of them.

use serde_json::{Map, Value};

use crate::answer::{Answer, Reply, Verdict};
use crate::clients;
use crate::event::{HookEvent, Moment, ToolCall, ToolEnd};
use crate::manifest::Manifest;
use crate::payload::{Misread, Payload};
use crate::tool::Tool;
use crate::wiring::{Dirs, Target, Wish};
use crate::words::{self, Words};

/// A coding agent that can call hooks.
#[derive(Debug)]
pub struct Client {
    /// The name on the command line and in the log.
    pub name: &'static str,
    /// The name as people write it.
    pub title: &'static str,
    /// What it calls things.
    pub words: &'static Words,
    /// Its tools.
    pub tools: &'static [Tool],
    /// What it can do.
    pub manifest: &'static Manifest,
    /// Where its files are.
    pub dirs: Dirs,
    /// The key below which it lists MCP servers.
    pub servers: &'static str,
    /// Says what is wanted in its files.
    pub wire: fn(&Client, &Target<'_>) -> Vec<Wish>,
    /// Says in which way the person has switched all hooks off, from the text of a settings file.
    pub switched_off: fn(settings: &str) -> Option<&'static str>,
    /// Brings what it says in deeper places to the top of the payload, and says what moment it really is.
    pub(crate) unfold: fn(Moment, &mut Payload) -> Result<Moment, Misread>,
    /// Reads how a tool ended from its result.
    pub(crate) end: fn(&ToolCall, Value) -> ToolEnd,
    /// Writes an answer to one of its events.
    pub(crate) reply: fn(event: &str, moment: Moment, answer: &Answer) -> Reply,
}

/// Every client, in the order in which people are shown them. Adding one is a file in [`clients`] and a row here.
pub static CLIENTS: [&Client; 6] = [
    &clients::claude_code::CLIENT,
    &clients::codex::CLIENT,
    &clients::gemini::CLIENT,
    &clients::copilot::CLIENT,
    &clients::opencode::CLIENT,
    &clients::cursor::CLIENT,
];

/// Finds a client by its name.
pub fn find(name: &str) -> Option<&'static Client> {
    CLIENTS.into_iter().find(|client| client.name == name)
}

impl Client {
    /// Says which moment an event of this client is; none for events that mean nothing to us.
    pub fn moment(&self, event: &str) -> Option<Moment> {
        self.manifest.events.iter().find(|row| row.event == event).map(|row| row.moment)
    }

    /// Reads a payload of an event at this moment.
    pub fn read(&'static self, moment: Moment, fields: Map<String, Value>) -> Result<HookEvent, Misread> {
        words::read(self, moment, fields)
    }

    /// Writes an answer to an event in the client's dialect. An event that we do not know is answered by silence.
    pub fn reply(&self, event: &str, answer: &Answer) -> Reply {
        match self.moment(event) {
            Some(moment) if *answer != Answer::silence() => {
                let verdict = answer.verdict.clone().map(Verdict::with_reason);
                (self.reply)(event, moment, &Answer { verdict, context: answer.context.clone() })
            }
            _ => Reply::silence(),
        }
    }
}

/// For clients that say everything at the top of their payload.
#[expect(clippy::unnecessary_wraps, reason = "the form of `Client::unfold`")]
pub(crate) fn flat(moment: Moment, _: &mut Payload) -> Result<Moment, Misread> {
    Ok(moment)
}
