//! The two streams to the client, as rmcp wants them: messages in, messages out.
//!
//! rmcp has a transport for lines of its own. It does not notice that nobody reads its answers, and would go on working for a client that is
//! gone; it refuses lists of messages, and answers what it cannot read without the id that was in it. So the lines are read and written here,
//! and what a line holds is said in [`super::batch`].
//!
//! Answers are written by a task of its own, in the order in which they were given. If it fails, that hangs up, as a signal does: the next
//! read finds the end. While much is waiting to be written, nothing is read, or a client that asks and does not listen would fill the memory.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::batch::{Batches, Opened, Outgoing, Said};
use super::skim::Skim;

/// The longest line that is read. What a model can say in one turn is far shorter; of a longer line no more is kept than who sent it.
const LONGEST_LINE: usize = 4 << 20;
/// How many bytes of answers may wait to be written before the next question is read.
const MOST_WAITING: usize = 1 << 20;
/// How long the last answers may take to be written. A client that ends a server waits less for it than that.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A line of messages that can be cut.
pub(super) struct Wire<R: AsyncRead> {
    lines: Lines<R>,
    batches: Batches,
    /// What was read and not yet handed on.
    said: VecDeque<Said>,
    /// Where answers go; nothing once it is closed.
    answers: Option<UnboundedSender<Vec<u8>>>,
    backlog: Arc<Backlog>,
    writer: JoinHandle<()>,
    hang_up: Arc<Notify>,
}

/// What waits to be written.
#[derive(Default)]
struct Backlog {
    bytes: AtomicUsize,
    became_less: Notify,
}

impl<R> Wire<R>
where
    R: AsyncRead + Send + Unpin,
{
    pub(super) fn new(input: R, output: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (answers, to_write) = unbounded_channel();
        let (backlog, hang_up): (Arc<Backlog>, Arc<Notify>) = Default::default();
        let writing = write(output, to_write, Arc::clone(&backlog), Arc::clone(&hang_up));
        Self {
            lines: Lines::new(input),
            batches: Batches::default(),
            said: VecDeque::new(),
            answers: Some(answers),
            backlog,
            writer: tokio::spawn(writing),
            hang_up,
        }
    }

    /// Gives what ends the conversation, once notified, as if the input had ended.
    pub(super) fn hang_up(&self) -> Arc<Notify> {
        Arc::clone(&self.hang_up)
    }

    /// Hands a line to whoever writes.
    fn answer(&self, outgoing: Option<Outgoing>) -> io::Result<()> {
        let Some(outgoing) = outgoing else { return Ok(()) };
        let line = outgoing.line()?;
        self.backlog.bytes.fetch_add(line.len(), Ordering::Relaxed);
        let taken = self.answers.as_ref().map(|answers| answers.send(line));
        if matches!(taken, Some(Ok(()))) { Ok(()) } else { Err(io::ErrorKind::NotConnected.into()) }
    }

    /// Gives the next message; none at the end of the input.
    ///
    /// May be dropped at any moment: between taking something and keeping it nothing is waited for.
    async fn next(&mut self) -> Option<Said> {
        loop {
            while self.backlog.bytes.load(Ordering::Relaxed) > MOST_WAITING {
                self.backlog.became_less.notified().await;
            }
            if let Some(said) = self.said.pop_front() {
                let complete = self.batches.heard(&said);
                self.answer(complete).ok()?;
                return Some(said);
            }
            let opened = match self.lines.next().await? {
                Line::Whole(line) => self.batches.open(line),
                Line::TooLong(skim) => Opened::too_long(&skim, LONGEST_LINE),
            };
            self.said.extend(opened.said);
            self.answer(opened.refused).ok()?;
        }
    }
}

impl<R> Transport<RoleServer> for Wire<R>
where
    R: AsyncRead + Send + Unpin,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let ready = self.batches.answered(message);
        std::future::ready(self.answer(ready))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let hang_up = self.hang_up();
        // A notice that was not taken stays.
        tokio::select! {
            biased;
            () = hang_up.notified() => None,
            message = self.next() => message,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        for rest in self.batches.close() {
            self.answer(Some(rest))?;
        }
        self.answers = None;
        if timeout(LAST_WORDS, &mut self.writer).await.is_err() {
            self.writer.abort();
        }
        Ok(())
    }
}

/// Writes lines until there are no more, or nobody takes them.
async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut lines: UnboundedReceiver<Vec<u8>>,
    backlog: Arc<Backlog>,
    hang_up: Arc<Notify>,
) {
    while let Some(line) = lines.recv().await {
        let mut written = output.write_all(&line).await;
        if written.is_ok() {
            written = output.flush().await;
        }
        if written.is_err() {
            return hang_up.notify_one();
        }
        backlog.bytes.fetch_sub(line.len(), Ordering::Relaxed);
        backlog.became_less.notify_one();
    }
}

/// What there is of a line.
enum Line<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// What was seen in passing of one that is too long.
    TooLong(Skim),
}

/// Lines of a bounded length.
struct Lines<R> {
    input: BufReader<R>,
    /// What was read of the line at hand.
    line: Vec<u8>,
    /// Whether the line at hand has ended, and was given to somebody.
    was_given: bool,
    /// What was seen of the line at hand, if it is too long to be kept.
    too_long: Option<Skim>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), was_given: false, too_long: None }
    }

    /// Gives the next line; none at the end, or where the input breaks. What comes after the last line end is a line if it is whole: nobody knows
    /// what would have followed half of one.
    ///
    /// May be dropped at any moment: bytes are taken from the input only together with being kept here.
    async fn next(&mut self) -> Option<Line<'_>> {
        if std::mem::take(&mut self.was_given) {
            self.line.clear();
        }
        loop {
            let bytes = self.input.fill_buf().await.ok()?;
            if bytes.is_empty() {
                self.was_given = true;
                let is_whole = serde_json::from_slice::<IgnoredAny>(&self.line).is_ok();
                return is_whole.then_some(Line::Whole(&self.line));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            if self.too_long.is_none() && self.line.len() + taken > LONGEST_LINE {
                self.too_long = Some(Skim::of(&std::mem::take(&mut self.line)));
            }
            match &mut self.too_long {
                Some(skim) => skim.read(&bytes[..taken]),
                None => self.line.extend_from_slice(&bytes[..taken]),
            }
            self.input.consume(taken);
            if end.is_some() {
                self.was_given = true;
                return Some(match self.too_long.take() {
                    Some(skim) => Line::TooLong(skim),
                    None => Line::Whole(&self.line),
                });
            }
        }
    }
}
