//! The two streams to the client, as rmcp wants them: messages in, messages out.
//!
//! rmcp has a transport for lines of its own. It does not notice that nobody reads its answers, and would go on working for a client that is
//! gone; it refuses lists of messages, and answers what it cannot read without the id that was in it. So the lines are read and written here:
//! a failed write, like a signal, hangs up (the next read finds the end), and what a line holds is said in [`super::batch`].

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, Notify};

use super::batch::{Batches, Outgoing, Said};

/// The longest line that is read. What a model can say in one turn is far shorter; a longer line is skipped, not kept.
const LONGEST_LINE: usize = 4 << 20;

/// A line of messages that can be cut.
pub(super) struct Wire<R: AsyncRead, W: AsyncWrite> {
    lines: Lines<R>,
    batches: Batches,
    /// What was read and not yet handed on.
    said: VecDeque<Said>,
    /// An answer that is being written before anything else is read. It is kept here because whoever waits for the next message may be
    /// called away, and half an answer must not stay behind.
    owed: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
    output: Arc<Mutex<Option<W>>>,
    hang_up: Arc<Notify>,
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            lines: Lines::new(input),
            batches: Batches::default(),
            said: VecDeque::new(),
            owed: None,
            output: Arc::new(Mutex::new(Some(output))),
            hang_up: Arc::default(),
        }
    }

    /// Gives what ends the conversation, once notified, as if the input had ended.
    pub(super) fn hang_up(&self) -> Arc<Notify> {
        Arc::clone(&self.hang_up)
    }

    /// Writes a line, and hangs up if nobody takes it.
    fn write(&self, outgoing: Option<Outgoing>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, hang_up) = (Arc::clone(&self.output), self.hang_up());
        async move {
            let Some(outgoing) = outgoing else { return Ok(()) };
            let line = outgoing.line()?;
            let mut output = output.lock().await;
            let written = match output.as_mut() {
                Some(output) => match output.write_all(&line).await {
                    Ok(()) => output.flush().await,
                    failed => failed,
                },
                None => Err(io::ErrorKind::NotConnected.into()),
            };
            if written.is_err() {
                hang_up.notify_one();
            }
            written
        }
    }

    /// Gives the next message; none at the end of the input.
    async fn next(&mut self) -> Option<Said> {
        loop {
            if let Some(owed) = &mut self.owed {
                let written = owed.await;
                self.owed = None;
                written.ok()?;
            }
            if let Some(said) = self.said.pop_front() {
                if let Some(complete) = self.batches.heard(&said) {
                    self.owed = Some(Box::pin(self.write(Some(complete))));
                }
                return Some(said);
            }
            let opened = self.batches.open(self.lines.next().await?);
            self.said.extend(opened.said);
            if opened.refused.is_some() {
                self.owed = Some(Box::pin(self.write(opened.refused)));
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let ready = self.batches.answered(message);
        self.write(ready)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Both sides may be dropped half-way: what was read is kept, and a notice that was not taken stays.
        let hang_up = self.hang_up();
        tokio::select! {
            biased;
            () = hang_up.notified() => None,
            message = self.next() => message,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        if let Some(owed) = self.owed.take() {
            owed.await?;
        }
        for rest in self.batches.close() {
            self.write(Some(rest)).await?;
        }
        drop(self.output.lock().await.take());
        Ok(())
    }
}

/// Lines of a bounded length.
struct Lines<R> {
    input: BufReader<R>,
    /// What was read of the line at hand.
    line: Vec<u8>,
    /// Whether the line at hand has ended, and was given to somebody.
    was_given: bool,
    /// Whether the line at hand is too long, and the rest of it is passed over.
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), was_given: false, is_too_long: false }
    }

    /// Gives the next line that is not too long; none at the end, or where the input breaks. What comes after the last line end is no line.
    ///
    /// May be dropped at any moment: bytes are taken from the input only together with being kept here.
    async fn next(&mut self) -> Option<&[u8]> {
        if std::mem::take(&mut self.was_given) {
            self.line.clear();
        }
        loop {
            let bytes = self.input.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            self.is_too_long |= self.line.len() + taken > LONGEST_LINE;
            if self.is_too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() && !std::mem::take(&mut self.is_too_long) {
                self.was_given = true;
                return Some(&self.line);
            }
        }
    }
}
