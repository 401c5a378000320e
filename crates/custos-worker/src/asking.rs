//! A question to a model, with a deadline that holds.
//!
//! A model is asked on a thread of its own. It is told how long it may take, and keeps to that; but a bug in it, or a system call that does
//! not return, must not stop the worker, and neither must a question that is under way keep a worker that was asked to end. Whoever gives
//! up waiting has the model let go of what it started: its thread may hang for ever, or be gone with the process before it can.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use custos_distill::model::{Fault, Halt, Model, Question, Reply, Spent};

use crate::stop::Stop;

/// How often is looked whether somebody asked us to end.
const LOOK: Duration = Duration::from_millis(50);

/// How much longer than it should a model may take before it is given up.
const GRACE: Duration = Duration::from_secs(5);

/// How long an answer is still waited for by a worker that was asked to end. Shorter than the five seconds after which it must be gone.
const LAST_CHANCE: Duration = Duration::from_secs(3);

/// A model on a thread of its own.
pub(crate) struct Asker {
    questions: Sender<Asked>,
    answers: Receiver<Result<Reply, Fault>>,
    halt: Option<Halt>,
}

/// A question, owned.
pub(crate) struct Asked {
    pub(crate) session: String,
    pub(crate) system: &'static str,
    pub(crate) prompt: String,
    pub(crate) most_tokens: u32,
    pub(crate) within: Duration,
}

/// What came of a question.
#[derive(Debug)]
pub(crate) enum Answered {
    Reply(Reply),
    Fault(Fault),
    /// It did not come back: what that took nobody knows, and this model is of no use any more.
    Lost(Fault),
    /// The worker was asked to end before there was an answer: what that took nobody knows.
    Stopped,
}

impl Answered {
    /// Gives what the question took, or the most that it may have taken where nobody knows: what was sent is charged, heard or not.
    pub(crate) fn took(&self, most: Spent) -> Spent {
        match self {
            Self::Reply(reply) => reply.spent,
            Self::Fault(Fault::Declined { spent, .. }) => spent.unwrap_or(most),
            Self::Fault(Fault::CutOff(_)) | Self::Lost(_) | Self::Stopped => most,
            Self::Fault(_) => Spent::default(),
        }
    }
}

impl Asker {
    pub(crate) fn new(mut model: Box<dyn Model>) -> std::io::Result<Self> {
        let (questions, asked) = channel::<Asked>();
        let (answer, answers) = channel();
        let halt = model.halt();
        std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            for Asked { session, system, prompt, most_tokens, within } in asked {
                let question = Question { session: &session, system, prompt: &prompt, most_tokens, within };
                if answer.send(model.ask(&question)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { questions, answers, halt })
    }

    pub(crate) fn ask(&self, asked: Asked, stop: &Stop) -> Answered {
        let limit = asked.within + GRACE;
        let died = || Answered::Lost(Fault::Broken("the provider's code failed".to_owned()));
        if self.questions.send(asked).is_err() {
            return died();
        }
        let began = Instant::now();
        let mut stopping: Option<Instant> = None;
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(Ok(reply)) => return Answered::Reply(reply),
                Ok(Err(fault)) => return Answered::Fault(fault),
                Err(RecvTimeoutError::Disconnected) => return died(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if began.elapsed() >= limit {
                let message = format!("no answer within {} s", limit.as_secs());
                return Answered::Lost(Fault::CutOff(message));
            }
            if stop.is_asked() && stopping.get_or_insert_with(Instant::now).elapsed() >= LAST_CHANCE {
                return Answered::Stopped;
            }
        }
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        if let Some(halt) = &self.halt {
            halt();
        }
    }
}
