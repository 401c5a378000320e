//! A model that says what a test tells it to, over real TCP, in the dialects of the providers.
//!
//! What breaks between a program and a model breaks on the wire: answers that hang, end in the middle, are ten megabytes long, or come
//! as a refusal. So nothing is mocked on our side of the socket. A [`ModelServer`] listens on a free port of the loopback interface,
//! writes down every request, and [plays](Play) what the test has queued, one play per request; where nothing is queued it says what it
//! [always](ModelServer::always) says.
//!
//! | path | dialect |
//! |---|---|
//! | `…/messages` | Anthropic, whole or as a stream, as the request wants it |
//! | `…/chat/completions` | OpenAI and all that are compatible |
//! | `…:generateContent` | Gemini |
//!
//! Tokens are counted as four characters each, of the request as it came: the figures of a test are those of the wire.

use std::collections::VecDeque;
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

mod dialect;
mod wire;

/// The answer of a model that found nothing worth knowing.
pub const NOTHING: &str = r#"{"observations":[],"summary":null}"#;

/// What the server does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Play {
    /// Answers with this text, in the dialect of the request.
    Says(String),
    /// Answers with this status, these headers and this body.
    Status(u16, Vec<(String, String)>, String),
    /// Answers with 200 and these bytes, whatever they are.
    Raw(Vec<u8>),
    /// Answers with 200 and as many bytes as it is told, as long as somebody takes them.
    Endless(usize),
    /// Begins to say this text, and closes the connection in the middle of the answer.
    Half(String),
    /// Says this text, one byte at a time with this pause between them.
    Drips(String, Duration),
    /// Takes the request and never answers.
    Hangs,
    /// Takes the request and closes the connection.
    Closes,
}

impl Play {
    /// A refusal as the providers word it: `{"error": {"type", "message"}}`.
    pub fn refusal(status: u16, kind: &str, message: &str) -> Self {
        let error =
            serde_json::json!({"type": "error", "error": {"type": kind, "code": status, "message": message}});
        Self::Status(status, Vec::new(), error.to_string())
    }

    /// Adds a header to a [`Play::Status`]; other plays have none.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Self::Status(_, headers, _) = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body, or null where it is no JSON.
    pub body: Value,
    /// How long the body is, in bytes.
    pub bytes: usize,
}

impl Request {
    /// Gives a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Counts the tokens that the server would charge for the request.
    pub fn tokens(&self) -> u64 {
        dialect::text_of(&self.body) as u64 / 4
    }
}

/// A scripted model that listens until it is dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

type Respond = Box<dyn Fn(&Request) -> Play + Send>;

struct Shared {
    state: Mutex<State>,
    /// Something came in, or the server stops.
    changed: Condvar,
}

struct State {
    queue: VecDeque<Play>,
    always: Respond,
    requests: Vec<Request>,
    connections: Vec<TcpStream>,
    stopped: bool,
}

impl ModelServer {
    /// Begins to listen on a free port of the loopback interface.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = State {
            queue: VecDeque::new(),
            always: Box::new(|_| Play::Says(NOTHING.to_owned())),
            requests: Vec::new(),
            connections: Vec::new(),
            stopped: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(connection) = connection else { continue };
                if !accepting.admit(&connection) {
                    return;
                }
                let shared = Arc::clone(&accepting);
                thread::spawn(move || shared.serve(connection));
            }
        });
        Ok(Self { address, shared })
    }

    /// Gives the address, such as `http://127.0.0.1:40001`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Queues what is played for the next requests, one each.
    pub fn play(&self, plays: impl IntoIterator<Item = Play>) {
        self.shared.lock().queue.extend(plays);
    }

    /// Sets what is played where nothing is queued.
    pub fn always(&self, play: Play) {
        self.always_with(move |_| play.clone());
    }

    /// Sets who decides what is played where nothing is queued.
    pub fn always_with(&self, respond: impl Fn(&Request) -> Play + Send + 'static) {
        self.shared.lock().always = Box::new(respond);
    }

    /// Gives the questions that came so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// Waits until so many questions came; says whether they did.
    pub fn wait_for(&self, requests: usize, within: Duration) -> bool {
        let end = Instant::now() + within;
        let mut state = self.shared.lock();
        while state.requests.len() < requests {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.stopped = true;
        for connection in state.connections.drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        drop(state);
        self.shared.changed.notify_all();
        // The thread that accepts is waiting: one more connection lets it see that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(&self, connection: &TcpStream) -> bool {
        let mut state = self.lock();
        if !state.stopped {
            state.connections.extend(connection.try_clone());
        }
        !state.stopped
    }

    /// Serves one connection until either side has enough.
    fn serve(&self, mut connection: TcpStream) {
        let _ = connection.set_nodelay(true);
        let Ok(reading) = connection.try_clone() else { return };
        let mut reading = BufReader::new(reading);
        while let Ok(Some(request)) = wire::read(&mut reading) {
            let Some(dialect) = dialect::of(&request) else {
                // Errands of a client, such as asking which models there are, are no questions.
                if wire::answer(&mut connection, 200, &[], b"{}").is_err() {
                    return;
                }
                continue;
            };
            let play = self.take(&request);
            if !matches!(self.perform(&play, dialect, &request, &mut connection), Ok(true)) {
                let _ = connection.shutdown(Shutdown::Both);
                return;
            }
        }
    }

    fn take(&self, request: &Request) -> Play {
        let mut state = self.lock();
        state.requests.push(request.clone());
        let play = state.queue.pop_front().unwrap_or_else(|| (state.always)(request));
        drop(state);
        self.changed.notify_all();
        play
    }

    /// Plays, and says whether the connection may be used again.
    fn perform(
        &self,
        play: &Play,
        dialect: dialect::Dialect,
        request: &Request,
        to: &mut TcpStream,
    ) -> io::Result<bool> {
        match play {
            Play::Says(text) => {
                let (kind, body) = dialect.answer(text, request);
                wire::answer(to, 200, &[("content-type".to_owned(), kind.to_owned())], body.as_bytes())?;
                Ok(true)
            }
            Play::Status(status, headers, body) => {
                wire::answer(to, *status, headers, body.as_bytes())?;
                Ok(true)
            }
            Play::Raw(bytes) => {
                wire::answer(to, 200, &[], bytes)?;
                Ok(true)
            }
            Play::Endless(bytes) => {
                wire::begin(to, 200, &[], *bytes)?;
                let block = vec![b'x'; 64 * 1024];
                let mut left = *bytes;
                while left > 0 {
                    let next = left.min(block.len());
                    to.write_all(&block[..next])?;
                    left -= next;
                }
                Ok(true)
            }
            Play::Half(text) => {
                let (kind, body) = dialect.answer(text, request);
                wire::begin(to, 200, &[("content-type".to_owned(), kind.to_owned())], body.len())?;
                to.write_all(&body.as_bytes()[..body.len() / 2])?;
                Ok(false)
            }
            Play::Drips(text, pause) => {
                let (kind, body) = dialect.answer(text, request);
                wire::begin(to, 200, &[("content-type".to_owned(), kind.to_owned())], body.len())?;
                for byte in body.as_bytes() {
                    if self.stops_within(*pause) {
                        return Ok(false);
                    }
                    to.write_all(&[*byte])?;
                }
                Ok(true)
            }
            Play::Hangs => {
                while !self.stops_within(Duration::from_mins(1)) {}
                Ok(false)
            }
            Play::Closes => Ok(false),
        }
    }

    /// Pauses, and says whether the server was stopped meanwhile.
    fn stops_within(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        let mut state = self.lock();
        while !state.stopped {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}
