//! What a line from the client holds, and which answers go back together.
//!
//! Protocol 2025-03-26 lets a client send several messages at once, as a list, and wants every server to take it; no version after it has
//! lists, and rmcp knows none. Here a list is taken apart, so that the rest of the server never hears of it, and the answers to its requests
//! are held back until the last one is there: whoever asks with a list is answered with a list. Nobody is asked which version they speak. A
//! client that sends lists wants them taken, and the others send none.
//!
//! Whoever waits for an answer gets one, also to what nobody can read: without it they would wait until their own patience ends. Where the id
//! can be made out it is answered under it ([`super::skim`]), else without one.
//!
//! A request that will get no answer must not keep the others waiting. There are two sorts of them: one that the client cancels, and one whose
//! id another request has that is not answered yet, be it in the same list or not. The first is no longer waited for, the second is refused.

use std::borrow::Cow;
use std::collections::HashSet;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::skim::Skim;

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

impl Opened {
    /// Says that a line is longer than what is read, to whoever waits for its answer.
    pub(super) fn too_long(skim: &Skim, longest: usize) -> Self {
        if skim.is_unasked() {
            return Self::default();
        }
        let why = format!(
            "Invalid request: it is longer than {} MiB, and was not read; send less at once",
            longest >> 20
        );
        Self::refused(ErrorData::invalid_request(why, None), skim.id())
    }

    /// Says that a line is no JSON, and why.
    fn broken(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        let (why, id) = match serde_json::from_str::<&RawValue>(&text) {
            Ok(whole) => ("it is not UTF-8".to_owned(), Skim::of(whole.get().as_bytes()).id()),
            // Behind the break nobody knows what is text and what is not.
            Err(why) => {
                let read = why.column().saturating_sub(1).min(text.len());
                (why.to_string(), Skim::of(&text.as_bytes()[..read]).id())
            }
        };
        Self::refused(ErrorData::parse_error(format!("Parse error: {why}"), None), id)
    }

    fn refused(why: ErrorData, id: Option<RequestId>) -> Self {
        Self { said: Vec::new(), refused: Some(Outgoing::single(JsonRpcMessage::error(why, id))) }
    }
}

/// Refuses a request whose id another one has that somebody works on: nobody could tell whose answer is whose.
fn already_at_work() -> ErrorData {
    ErrorData::invalid_request("Invalid request: another one with this id is not answered yet", None)
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
    /// Reads a line. An empty one is passed over.
    pub(super) fn open(&mut self, line: &[u8]) -> Opened {
        // RFC 8259 lets a reader ignore a byte order mark.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Opened::default();
        }
        if line.first() == Some(&b'[') {
            return self.open_batch(line);
        }
        match read(line) {
            Ok(said) => {
                if let JsonRpcMessage::Request(request) = &said
                    && !self.at_work.insert(request.id.clone())
                {
                    return Opened::refused(already_at_work(), Some(request.id.clone()));
                }
                Opened { said: vec![said], refused: None }
            }
            Err(_) if serde_json::from_slice::<&RawValue>(line).is_err() => Opened::broken(line),
            Err(refused) => Opened { said: Vec::new(), refused: refused.map(Outgoing::Single) },
        }
    }

    fn open_batch(&mut self, line: &[u8]) -> Opened {
        let refused = |why: String| Opened::refused(ErrorData::invalid_request(why, None), None);
        let Ok(messages) = serde_json::from_slice::<Vec<&RawValue>>(line) else {
            return Opened::broken(line);
        };
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
                    batch.answers.push(JsonRpcMessage::error(already_at_work(), Some(request.id)));
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

/// Reads one message. Where it is JSON and cannot be read, the error is what to answer; nothing, where nobody waits for an answer.
fn read(text: &[u8]) -> Result<Said, Option<Box<Answer>>> {
    let why = match serde_json::from_slice(text) {
        Ok(message) => return Ok(message),
        Err(why) => why,
    };
    if let Cow::Owned(paired) = paired(text) {
        return read(&paired);
    }
    let outline: Outline<'_> = serde_json::from_slice(text).unwrap_or_default();
    // A notification is never answered, also if nobody understands it.
    if outline.method.is_some() && outline.id.is_none() {
        return Err(None);
    }
    let id = outline.id.and_then(|id| serde_json::from_str(id.get()).ok());
    let why = match why.classify() {
        // There is no other way to ask for it.
        Category::Syntax if why.to_string().starts_with("recursion limit") => {
            "Invalid request: it is nested too deeply".to_owned()
        }
        Category::Syntax => format!("Invalid request: {why}"),
        _ => "Invalid request".to_owned(),
    };
    Err(Some(Box::new(JsonRpcMessage::error(ErrorData::invalid_request(why, None), id))))
}

/// Puts the sign for what cannot be shown (U+FFFD) in the place of each half of a pair of surrogates that has lost the other one.
///
/// JavaScript counts text in such halves. Where it cuts an emoji in two it writes one of them as an escape, which is JSON, and which no text
/// can hold.
fn paired(text: &[u8]) -> Cow<'_, [u8]> {
    let half = |at: usize| match text.get(at..at + 6)? {
        [b'\\', b'u', digits @ ..] => u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok(),
        _ => None,
    };
    let mut paired = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += next;
        at += match (half(at), half(at + 6)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                paired.to_mut()[at..at + 6].copy_from_slice(br"\ufffd");
                6
            }
            // What a backslash stands before is no backslash that begins something.
            _ => 2,
        };
    }
    paired
}

#[cfg(test)]
mod tests;
