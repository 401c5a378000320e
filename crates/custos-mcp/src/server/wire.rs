//! The two streams to the client, as rmcp wants them: messages in, messages out.
//!
//! rmcp reads and writes the lines. It does not notice that nobody reads its answers, and would go on working for a client that
//! is gone. Here a failed write, like a signal, hangs up: the next read finds the end.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;

/// The longest message that is read. What a model can say in one turn is far shorter; a longer line is skipped, not kept.
const LONGEST_MESSAGE: usize = 4 << 20;

/// A line of messages that can be cut.
pub(super) struct Wire<R: AsyncRead, W: AsyncWrite> {
    lines: AsyncRwTransport<RoleServer, R, W>,
    hang_up: Arc<Notify>,
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> Self {
        let lines = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_MESSAGE);
        Self { lines, hang_up: Arc::default() }
    }

    /// Gives what ends the conversation, once notified, as if the input had ended.
    pub(super) fn hang_up(&self) -> Arc<Notify> {
        Arc::clone(&self.hang_up)
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
        let hang_up = self.hang_up();
        let sending = self.lines.send(message);
        async move {
            let sent = sending.await;
            if sent.is_err() {
                hang_up.notify_one();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Both sides may be dropped half-way: the line keeps what it has read, and a notice that was not taken stays.
        tokio::select! {
            biased;
            () = self.hang_up.notified() => None,
            message = self.lines.receive() => message,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}
