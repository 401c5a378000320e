//! What a line from the client holds, and which answers go back together.
//!
//! Protocol 2025-03-26 lets a client send several messages at once, as a list, and wants every server to take it; no version after it has
//! lists, and rmcp knows none. Here a list is taken apart, so that the rest of the server never hears of it, and the answers to its requests
//! are held back until the last one is there: whoever asks with a list is answered with a list. Nobody is asked which version they speak. A
//! client that sends lists wants them taken, and the others send none.
//!
//! A request that will get no answer must not keep the others waiting. There are two sorts of them: one that the client cancels, and one whose
//! id another request has that is not answered yet, be it in the same list or not. The first is no longer waited for, the second is refused.

use std::collections::HashSet;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// What the client says.
pub(super) type Said = RxJsonRpcMessage<RoleServer>;
/// What it is answered.
pub(super) type Answer = TxJsonRpcMessage<RoleServer>;

/// The most messages of one list. Each needs an answer, and the shortest of them is two bytes long.
const LONGEST_BATCH: usize = 1_000;

/// What goes to the client in one line.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// One message.
    Single(Box<Answer>),
    /// The answers to a list, as a list.
    Together(Vec<Answer>),
}

/// What became of a line.
#[derive(Debug, Default)]
pub(super) struct Opened {
    /// What it says, in order.
    pub(super) said: Vec<Said>,
    /// What can be answered without asking anyone.
    pub(super) refused: Option<Outgoing>,
}

/// What is not answered yet.
#[derive(Debug, Default)]
pub(super) struct Batches {
    /// The lists of which something is waited for.
    open: Vec<Batch>,
    /// The ids of all requests that somebody works on.
    at_work: HashSet<RequestId>,
}

#[derive(Debug, Default)]
struct Batch {
    waits_for: Vec<RequestId>,
    answers: Vec<Answer>,
}

impl Batches {
    /// Reads a line. What is no JSON is passed over, as by all servers: it names nobody whom an answer could go to.
    pub(super) fn open(&mut self, line: &[u8]) -> Opened {
        // RFC 8259 lets a reader ignore a byte order mark.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        if line.first() == Some(&b'[') {
            return self.open_batch(line);
        }
        match read(line) {
            Ok(said) => {
                if let JsonRpcMessage::Request(request) = &said {
                    self.at_work.insert(request.id.clone());
                }
                Opened { said: vec![said], refused: None }
            }
            Err(refused) => Opened { said: Vec::new(), refused: refused.map(Outgoing::Single) },
        }
    }

    fn open_batch(&mut self, line: &[u8]) -> Opened {
        let refused = |why: String| Opened {
            said: Vec::new(),
            refused: Some(Outgoing::single(JsonRpcMessage::error(
                ErrorData::invalid_request(why, None),
                None,
            ))),
        };
        let Ok(messages) = serde_json::from_slice::<Vec<&RawValue>>(line) else { return Opened::default() };
        match messages.len() {
            0 => return refused("Invalid request: the list is empty".to_owned()),
            count if count > LONGEST_BATCH => {
                return refused(format!(
                    "Invalid request: a list of {count} messages; send at most {LONGEST_BATCH} at once"
                ));
            }
            _ => {}
        }
        let (mut said, mut batch) = (Vec::new(), Batch::default());
        for message in messages {
            match read(message.get().as_bytes()) {
                Ok(JsonRpcMessage::Request(request)) if !self.at_work.insert(request.id.clone()) => {
                    let why = "Invalid request: another one with this id is not answered yet";
                    let why = ErrorData::invalid_request(why, None);
                    batch.answers.push(JsonRpcMessage::error(why, Some(request.id)));
                }
                Ok(message) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        batch.waits_for.push(request.id.clone());
                    }
                    said.push(message);
                }
                Err(refused) => batch.answers.extend(refused.map(|refused| *refused)),
            }
        }
        if batch.waits_for.is_empty() {
            let refused = (!batch.answers.is_empty()).then_some(Outgoing::Together(batch.answers));
            return Opened { said, refused };
        }
        self.open.push(batch);
        Opened { said, refused: None }
    }

    /// Takes an answer, and gives what can be sent now: itself, or with the last one of a list all of them.
    pub(super) fn answered(&mut self, answer: Answer) -> Option<Outgoing> {
        let id = match &answer {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        match id.and_then(|id| self.is_done(id)) {
            None => Some(Outgoing::single(answer)),
            Some(number) => {
                self.open[number].answers.push(answer);
                self.complete(number)
            }
        }
    }

    /// Hears what the client says before the server does, and gives what can be sent because of it.
    pub(super) fn heard(&mut self, said: &Said) -> Option<Outgoing> {
        let JsonRpcMessage::Notification(notification) = said else { return None };
        let ClientNotification::CancelledNotification(cancelled) = &notification.notification else {
            return None;
        };
        let number = self.is_done(cancelled.params.request_id.as_ref()?)?;
        self.complete(number)
    }

    /// Gives up waiting, and gives what there is.
    pub(super) fn close(&mut self) -> Vec<Outgoing> {
        let begun = self.open.drain(..).filter(|batch| !batch.answers.is_empty());
        begun.map(|batch| Outgoing::Together(batch.answers)).collect()
    }

    /// Takes a request for done, and gives the list that waited for it.
    fn is_done(&mut self, id: &RequestId) -> Option<usize> {
        self.at_work.remove(id);
        self.open.iter_mut().position(|batch| {
            let place = batch.waits_for.iter().position(|waiting| waiting == id);
            place.map(|place| batch.waits_for.swap_remove(place)).is_some()
        })
    }

    fn complete(&mut self, number: usize) -> Option<Outgoing> {
        if !self.open[number].waits_for.is_empty() {
            return None;
        }
        let answers = self.open.remove(number).answers;
        (!answers.is_empty()).then_some(Outgoing::Together(answers))
    }
}

impl Outgoing {
    fn single(answer: Answer) -> Self {
        Self::Single(Box::new(answer))
    }

    /// Writes it as a line.
    pub(super) fn line(&self) -> serde_json::Result<Vec<u8>> {
        let mut line = match self {
            Self::Single(answer) => serde_json::to_vec(answer)?,
            Self::Together(answers) => serde_json::to_vec(answers)?,
        };
        line.push(b'\n');
        Ok(line)
    }
}

/// What is looked at in a message that cannot be read, however deep the rest of it is.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Outline<'a> {
    /// Also if it is `null`, which is no id, but means that somebody waits.
    #[serde(borrow, deserialize_with = "as_it_is")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
}

fn as_it_is<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// Reads one message. Where it cannot be read, the error is what to answer; nothing, where nobody waits for an answer.
fn read(text: &[u8]) -> Result<Said, Option<Box<Answer>>> {
    let why = match serde_json::from_slice(text) {
        Ok(message) => return Ok(message),
        Err(why) => why,
    };
    if serde_json::from_slice::<&RawValue>(text).is_err() {
        return Err(None);
    }
    let outline: Outline<'_> = serde_json::from_slice(text).unwrap_or_default();
    // A notification is never answered, also if nobody understands it.
    if outline.method.is_some() && outline.id.is_none() {
        return Err(None);
    }
    let id = outline.id.and_then(|id| serde_json::from_str(id.get()).ok());
    // It is JSON, so the only thing wrong with its syntax can be its depth.
    let why = match why.classify() {
        Category::Syntax => "Invalid request: it is nested too deeply",
        _ => "Invalid request",
    };
    Err(Some(Box::new(JsonRpcMessage::error(ErrorData::invalid_request(why, None), id))))
}

#[cfg(test)]
mod tests;
