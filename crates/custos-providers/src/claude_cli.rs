//! Claude Code as a child process: one conversation for each coding session.
//!
//! A person who has Claude Code has paid for a model already, and this uses it as it is installed and logged in. `claude -p` is started
//! once for a coding session and kept open between its questions, which go in and come out as lines of JSON. Each conversation has an id,
//! which is kept on disk: after a restart of the worker, or the death of the child, the conversation is taken up again under it.
//!
//! The history of a conversation is sent with each of its questions. So that it does not come to dominate what is sent, a conversation
//! that would outgrow [`MOST_HISTORY`] is given up for a new one; and after a fault as well, because the question that had no answer
//! would stay in it.
//!
//! Inside, Claude Code must be nothing but a model:
//!
//! - no tools, no MCP servers, no skills, no instructions of the person, and no hooks, ours least of all: it would record its own
//!   distilling as work, and distil that. `CUSTOS_DISTILLING` keeps our hooks silent should the other switches ever fail;
//! - no files: `@name` in a prompt makes Claude Code read that file and send it along, past all redaction. That is switched off, and
//!   the sign is [written otherwise](disguised) on the way as well;
//! - no history of the person's own: it runs in a directory of its own.
//!
//! Claude Code keeps the transcripts of these conversations where it keeps all of its own, for as long as it is set to.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use custos_distill::model::{Fault, Halt, Model, Question, Reply, Spent};

use self::child::{Child, Ended, Nursery};
use self::conversations::{Conversation, Conversations};
use self::said::{Outcome, Said};
use self::system::Leash;
use crate::open::Provider;
use crate::prices;

mod child;
mod conversations;
mod said;
#[cfg_attr(unix, path = "claude_cli/unix.rs")]
#[cfg_attr(not(unix), path = "claude_cli/other.rs")]
mod system;

/// The longest history that is sent along, in tokens. With eleven batches of nine calls each, about three questions to a conversation,
/// what is sent stays below the evidence itself; twice as much would bring it to one and a half times.
const MOST_HISTORY: u64 = 10_000;
/// Sessions that are worked on at the same time are few, and each child takes a hundred megabytes and more.
const MOST_CHILDREN: usize = 2;

pub(crate) struct ClaudeCli {
    start: Start,
    conversations: Conversations,
    /// The children with their sessions, the one that was asked last at the end.
    open: VecDeque<(String, Child)>,
    nursery: Arc<Mutex<Nursery>>,
}

/// What a child is started with.
struct Start {
    program: PathBuf,
    model: String,
    directory: PathBuf,
    leashes: PathBuf,
    environment: Vec<(String, String)>,
}

impl ClaudeCli {
    pub(crate) fn new(provider: &Provider<'_>, model: &str) -> Self {
        let start = Start {
            program: provider.claude.to_owned(),
            model: model.to_owned(),
            directory: provider.state.join("conversation"),
            leashes: leashes(provider.state),
            environment: provider.environment.to_vec(),
        };
        let conversations = Conversations::load(provider.state.join("conversations.json"));
        Self { start, conversations, open: VecDeque::new(), nursery: Arc::default() }
    }
}

/// Ends what somebody has left behind who asked Claude Code from a directory and was killed, and says how many processes that were, each
/// with all that it had started. Nobody may ask from there meanwhile.
pub fn end_left_behind(state: &Path) -> usize {
    Leash::pull(&leashes(state))
}

fn leashes(state: &Path) -> PathBuf {
    state.join("children")
}

impl Model for ClaudeCli {
    fn provider(&self) -> &'static str {
        "claude-cli"
    }

    fn model(&self) -> &str {
        &self.start.model
    }

    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, Fault> {
        let end = Instant::now() + question.within;
        let asked = prices::tokens(question.prompt);
        let history = self.conversations.get(question.session).map_or(0, |conversation| conversation.tokens);
        if history > 0 && history + asked > MOST_HISTORY {
            self.give_up(question.session);
        }
        // A child that died between two questions, or in this one, is replaced once. What it had begun to answer is charged as well.
        let (answered, lost) = match self.once(question, end) {
            Err(Ended::Died(_)) => (self.once(question, end), 0),
            Err(Ended::CutOff(_)) => (self.once(question, end), prices::tokens(question.system) + asked),
            answered => (answered, 0),
        };
        let counted = |reply: Reply| {
            let spent = Spent { input: reply.spent.input.saturating_add(lost), ..reply.spent };
            Reply { spent, ..reply }
        };
        answered.map(counted).map_err(|ended| {
            self.give_up(question.session);
            match ended {
                Ended::Late => {
                    Fault::CutOff(format!("claude did not answer within {} s", question.within.as_secs()))
                }
                Ended::Died(said) if lost == 0 => {
                    Fault::Broken(format!("claude ended without an answer{}", last_words(&said)))
                }
                Ended::Died(said) | Ended::CutOff(said) => {
                    Fault::CutOff(format!("claude ended in the middle of an answer{}", last_words(&said)))
                }
                Ended::TooMuch => {
                    let message = "claude answered more than a megabyte".to_owned();
                    Fault::Declined { message, spent: None }
                }
                Ended::Fault(fault) => fault,
            }
        })
    }

    fn halt(&self) -> Option<Halt> {
        let nursery = Arc::clone(&self.nursery);
        Some(Box::new(move || nursery.lock().unwrap_or_else(PoisonError::into_inner).close()))
    }
}

impl ClaudeCli {
    fn once(&mut self, question: &Question<'_>, end: Instant) -> Result<Reply, Ended> {
        let mut child = self.child(question)?;
        let answered =
            converse(&mut child, question, end, &mut |id| self.conversations.begin(question.session, id));
        let (outcome, spent) = answered?;
        let reply = match outcome {
            Outcome::Answer(text) => Reply { text: plain(&text), spent },
            Outcome::Declined(message) => {
                return Err(Ended::Fault(Fault::Declined { message, spent: Some(spent) }));
            }
            Outcome::Fault(fault) => return Err(Ended::Fault(fault)),
            // The transcript is gone: Claude Code tidies up after a while.
            Outcome::NoConversation => {
                self.conversations.forget(question.session);
                return Err(Ended::Died("the conversation is gone".to_owned()));
            }
        };
        // A gateway may count nothing, and a history must not grow unseen.
        let counted = spent.input.saturating_add(spent.output);
        let known = self.conversations.get(question.session).map_or(0, |conversation| conversation.tokens);
        let guessed = known + prices::tokens(question.prompt) + prices::tokens(&reply.text);
        self.conversations.grown(question.session, if counted > 0 { counted } else { guessed });
        self.open.push_back((question.session.to_owned(), child));
        Ok(reply)
    }

    /// Takes the session's child out, or starts one; it is put back once it has answered.
    fn child(&mut self, question: &Question<'_>) -> Result<Child, Ended> {
        if let Some(at) = self.open.iter().position(|(session, _)| session == question.session)
            && let Some((_, child)) = self.open.remove(at)
        {
            return Ok(child);
        }
        while self.open.len() >= MOST_CHILDREN {
            self.open.pop_front();
        }
        let resumed = self.conversations.get(question.session).map(|Conversation { id, .. }| id.as_str());
        self.start.child(question, resumed, &self.nursery).map_err(Ended::Fault)
    }

    fn give_up(&mut self, session: &str) {
        self.open.retain(|(known, _)| known != session);
        self.conversations.forget(session);
    }
}

/// Puts the question and listens until the result.
fn converse(
    child: &mut Child,
    question: &Question<'_>,
    end: Instant,
    begun: &mut dyn FnMut(&str),
) -> Result<(Outcome, Spent), Ended> {
    child.say(&said::question(&disguised(question.prompt)))?;
    let mut reason = None;
    let mut has_begun = false;
    loop {
        let line = child.hear(end).map_err(|ended| match ended {
            Ended::Died(said) if has_begun => Ended::CutOff(said),
            ended => ended,
        })?;
        match said::read(&line, reason.as_deref()) {
            Said::Began(id) => {
                has_begun = true;
                begun(&id);
            }
            Said::Failing(why) => reason = Some(why),
            Said::Result(outcome, mut spent) => {
                // Claude Code counts what all of the process cost.
                spent.microdollars = spent.microdollars.map(|all| all.saturating_sub(child.cost));
                child.cost += spent.microdollars.unwrap_or_default();
                return Ok((outcome, spent));
            }
            Said::Nothing => {}
        }
    }
}

impl Start {
    fn child(
        &self,
        question: &Question<'_>,
        resumed: Option<&str>,
        nursery: &Arc<Mutex<Nursery>>,
    ) -> Result<Child, Fault> {
        system::make_private(&self.directory).map_err(|error| {
            Fault::Refused(format!("{} could not be made: {error}", self.directory.display()))
        })?;
        let mut command = std::process::Command::new(&self.program);
        command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
        command.args(["--model", &self.model, "--system-prompt", question.system]);
        command.args([
            "--tools",
            "",
            "--strict-mcp-config",
            "--disable-slash-commands",
            "--setting-sources",
            "user",
        ]);
        command.args(["--settings", r#"{"disableAllHooks":true}"#]);
        if let Some(id) = resumed {
            command.args(["--resume", id]);
        }
        for name in INHERITED {
            command.env_remove(name);
        }
        // Room for some reasoning besides the answer.
        let most = question.most_tokens.saturating_add(2_000).to_string();
        command.envs(SWITCHES).env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", most);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.current_dir(&self.directory);
        Child::start(command, &self.leashes, nursery).map_err(|error| {
            let program = self.program.display();
            Fault::Unreachable(format!("{program} could not be started: {error}. Is Claude Code installed?"))
        })
    }
}

/// What a worker inherits when a hook of Claude Code started it, and what would lead the child astray: it is not the child of that
/// session, has no business with its sockets and files, and uses the model that it is told.
const INHERITED: [&str; 15] = [
    "AI_AGENT",
    "ANTHROPIC_MODEL",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PROJECT_DIR",
];

/// Switches that are variables, because a version that does not know one leaves it alone, where an unknown option would end it.
const SWITCHES: [(&str, &str); 8] = [
    ("CUSTOS_DISTILLING", "1"),
    // No hooks, plugins, skills, memory files: all that a person added, except how they are logged in.
    ("CLAUDE_CODE_SAFE_MODE", "1"),
    ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1"),
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    ("CLAUDE_CODE_EFFORT_LEVEL", "low"),
    // Who is asked again, and when, is decided in one place, and that is not here.
    ("CLAUDE_CODE_MAX_RETRIES", "0"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
];

/// The sign that stands in for `@` on the way.
const DISGUISE: char = '＠';

/// Writes a prompt so that nothing in it is a word of Claude Code's own: `@name` would fetch a file, and `/name` at the beginning would
/// be a command.
fn disguised(prompt: &str) -> String {
    let text = prompt.replace('@', DISGUISE.encode_utf8(&mut [0; 4]));
    if text.trim_start().starts_with('/') { format!("Question:\n{text}") } else { text }
}

/// Undoes [`disguised`] in an answer.
fn plain(answer: &str) -> String {
    answer.replace(DISGUISE, "@")
}

/// Puts what Claude Code complained about behind a message, if it did.
fn last_words(said: &str) -> String {
    match safe(said) {
        said if said.is_empty() => said,
        said => format!(": {said}"),
    }
}

/// Makes one short line of what Claude Code said.
fn safe(said: &str) -> String {
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    custos_redact::redact(&line).chars().take(200).collect()
}
