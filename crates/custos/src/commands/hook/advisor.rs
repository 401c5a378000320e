//! Asks a model for its opinion of a command: one request over plain HTTP, to a deadline, and no answer that is not exactly one.
//!
//! Only where the person has named a server and a model. The protocol is the one that programs which run models have in common: Ollama, LM
//! Studio, vLLM and the gateways before them all take `POST /v1/chat/completions`. The client is written here because it needs so little:
//! one request on one connection, no TLS, no redirects, no proxies. A library would bring all of them into every hook.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use custos_config::{Address, Guard};
use custos_guard::triage::{Advice, Advisor, Failure, Question, TASK};
use serde::Deserialize;

/// The longest response that is read, with its head.
const LONGEST: u64 = 64 << 10;

/// The most that the model may say. Enough for either word in any tokenizer, and to see that it says more.
const MOST_TOKENS: u32 = 16;

/// A model on a server.
#[derive(Debug)]
pub(super) struct Model<'a> {
    address: &'a Address,
    name: &'a str,
}

impl<'a> Model<'a> {
    /// The model that the person has named; none if they have not, or only half.
    pub(super) fn named(settings: &'a Guard) -> Option<Self> {
        Some(Self { address: settings.advisor_url.as_ref()?, name: settings.advisor_model.as_deref()? })
    }
}

impl Advisor for Model<'_> {
    fn may_run(&self, question: &Question<'_>, within: Duration) -> Advice {
        let deadline = Instant::now() + within;
        match self.ask(question, deadline) {
            Ok(answer) => Advice::read(&answer),
            Err(failure) => Advice::Failed(failure),
        }
    }
}

/// What is read of a response.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

impl Model<'_> {
    /// Gives what the model said.
    fn ask(&self, question: &Question<'_>, deadline: Instant) -> Result<String, Failure> {
        let body = serde_json::json!({
            "model": self.name,
            "messages": [
                { "role": "system", "content": TASK },
                { "role": "user", "content": question.text() },
            ],
            "temperature": 0,
            "max_tokens": MOST_TOKENS,
            "stream": false,
        })
        .to_string();
        let request = format!(
            "POST {}/v1/chat/completions HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address.path,
            self.address.authority(),
            body.len()
        );
        let mut line = Line { stream: connect(self.address, deadline)?, deadline };
        line.write_all(request.as_bytes()).map_err(|error| failure(&error))?;
        let response = response(&mut BufReader::new(line.take(LONGEST)))?;
        let completion: Completion = serde_json::from_slice(&response).map_err(|_| Failure::Unclear)?;
        match <[Choice; 1]>::try_from(completion.choices) {
            // What was cut off may have begun with the word and gone on to take it back.
            Ok([Choice { message: Message { content: Some(said) }, finish_reason: Some(reason) }])
                if reason == "stop" =>
            {
                Ok(said)
            }
            _ => Err(Failure::Unclear),
        }
    }
}

/// A connection on which nothing waits beyond the deadline.
struct Line {
    stream: TcpStream,
    deadline: Instant,
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(left(self.deadline)?))?;
        self.stream.read(buffer)
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(left(self.deadline)?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The time that is left, which is never nothing: to a socket, no time means forever.
fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::Late,
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Failure::Unclear,
        _ => Failure::Unreachable,
    }
}

/// Connects to the first of a host's addresses that answers.
fn connect(address: &Address, deadline: Instant) -> Result<TcpStream, Failure> {
    let mut last = Failure::Unreachable;
    for place in resolve(address, deadline)? {
        let connected = left(deadline).and_then(|left| TcpStream::connect_timeout(&place, left));
        match connected {
            Ok(stream) => return Ok(stream),
            Err(error) => last = failure(&error),
        }
    }
    Err(last)
}

/// Finds the addresses of a host. A name is looked up by a thread, since the system's resolver knows no deadline.
fn resolve(address: &Address, deadline: Instant) -> Result<Vec<SocketAddr>, Failure> {
    if let Ok(ip) = address.host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, address.port)]);
    }
    let place = (address.host.clone(), address.port);
    let (send, receive) = mpsc::channel();
    thread::Builder::new()
        .spawn(move || {
            let found = place.to_socket_addrs().map(Vec::from_iter);
            let _ = send.send(found);
        })
        .map_err(|_| Failure::Unreachable)?;
    let found = left(deadline).ok().and_then(|left| receive.recv_timeout(left).ok()).ok_or(Failure::Late)?;
    found.map_err(|_| Failure::Unreachable)
}

/// Reads a response and gives its body. Whatever its head says, no other place is asked.
fn response(reader: &mut impl BufRead) -> Result<Vec<u8>, Failure> {
    let head = Head::read(reader).map_err(|error| failure(&error))?;
    if head.status != 200 {
        return Err(Failure::Status(head.status));
    }
    head.extent.read(reader).map_err(|error| failure(&error))
}

/// What matters of a response's head.
struct Head {
    status: u16,
    extent: Extent,
}

/// How far a body reaches.
#[derive(Clone, Copy)]
enum Extent {
    /// This many bytes.
    Counted(u64),
    /// As far as its last chunk.
    Chunked,
    /// To the end of the connection.
    Rest,
}

impl Head {
    fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let first = line(reader)?;
        let status = first.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let mut extent = Extent::Rest;
        loop {
            let field = line(reader)?;
            if field.is_empty() {
                return Ok(Self { status, extent });
            }
            let (name, value) = field.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "transfer-encoding" if value.eq_ignore_ascii_case("chunked") => extent = Extent::Chunked,
                "transfer-encoding" => return Err(io::ErrorKind::InvalidData.into()),
                // Chunks say more than a length beside them.
                "content-length" if !matches!(extent, Extent::Chunked) => {
                    extent = Extent::Counted(value.parse().map_err(|_| io::ErrorKind::InvalidData)?);
                }
                _ => {}
            }
        }
    }
}

impl Extent {
    fn read(self, reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        match self {
            Self::Counted(count) => read_exactly(reader, count, &mut body)?,
            Self::Chunked => loop {
                let size = line(reader)?;
                let digits = size.split(';').next().unwrap_or_default().trim();
                let size = u64::from_str_radix(digits, 16).map_err(|_| io::ErrorKind::InvalidData)?;
                // What may come after the last chunk is of no interest.
                if size == 0 {
                    break;
                }
                read_exactly(reader, size, &mut body)?;
                if !line(reader)?.is_empty() {
                    return Err(io::ErrorKind::InvalidData.into());
                }
            },
            Self::Rest => {
                reader.read_to_end(&mut body)?;
            }
        }
        Ok(body)
    }
}

/// Reads this many bytes, and reserves none on the word of a stranger.
fn read_exactly(reader: &mut impl BufRead, count: u64, body: &mut Vec<u8>) -> io::Result<()> {
    let read = reader.by_ref().take(count).read_to_end(body)?;
    if read as u64 == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Reads a line, without its end.
fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    match line.strip_suffix('\n') {
        Some(text) => Ok(text.strip_suffix('\r').unwrap_or(text).to_owned()),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
