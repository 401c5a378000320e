//! The questions about one piece of work, and what becomes of it where they are not answered.
//!
//! Who is at fault decides. A provider that is away, busy or broken is the fault of nothing that was asked: its circuit opens, and the work
//! waits. A question that it declines, or that it has no words for, is the fault of this piece of work: it is asked once more, then the
//! rules do this piece, and the next one is asked about as if nothing had been. Only where several pieces in a row end so is it taken for
//! the provider's fault after all, and the circuit opens.
//!
//! Work of many steps is asked about in parts. An answer is paid for when it comes, so it is kept until the others are there as well, and
//! not before then does the circuit close: it would open anew each time, and a fault in a later part would never come to an end.

use std::collections::HashMap;
use std::ops::Range;

use custos_distill::model::{Fault, Spent};
use custos_distill::{Distilled, Turn, answer, prompt};
use custos_model::Draft;

use crate::asking::{Answered, Asked, Asker};
use crate::attempt::Without;
use crate::circuit::Advice;
use crate::error::WorkerError;
use crate::ledger;
use crate::results::usage;
use crate::run::Worker;
use crate::unit::{Unit, WorkId};

/// So many pieces of work in a row that a provider declines are its own fault.
const DECLINED_IN_A_ROW: u32 = 3;

/// What was heard from a provider, between one piece of work and the next.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The answers about work that waits for its other answers, by the pass over it: each with its part, and the steps that it is about.
    answers: HashMap<(WorkId, u64), Vec<(Part, Distilled)>>,
    /// How many pieces of work in a row were declined.
    declined: u32,
}

/// A part of a piece of work: its number, and its steps.
type Part = (usize, Range<usize>);

impl Heard {
    fn about(&self, unit: &Unit, part: &Part) -> Option<&Distilled> {
        let answers = self.answers.get(&(unit.id.clone(), unit.passes))?;
        answers.iter().find(|(of, _)| of == part).map(|(_, answer)| answer)
    }

    fn keep(&mut self, unit: &Unit, part: Part, answer: &Distilled) {
        let answers = self.answers.entry((unit.id.clone(), unit.passes)).or_default();
        answers.push((part, answer.clone()));
    }

    /// Lets go of the answers about work that is done.
    pub(crate) fn let_go(&mut self, unit: &Unit) {
        self.answers.remove(&(unit.id.clone(), unit.passes));
    }
}

impl Worker<'_> {
    /// Asks about a piece of work, part by part.
    pub(crate) fn answers(
        &mut self,
        unit: &Unit,
        pieces: &prompt::Pieces,
        turns: &[Turn],
    ) -> Result<Result<Vec<Distilled>, Without>, WorkerError> {
        let mut answers = Vec::new();
        for (number, piece) in pieces.prompts.iter().enumerate() {
            let part = (number, piece.steps.clone());
            if let Some(known) = self.heard.about(unit, &part) {
                answers.push(known.clone());
                continue;
            }
            match self.answer(unit, pieces.system, piece, turns)? {
                Ok(answer) => {
                    self.heard.keep(unit, part, &answer);
                    answers.push(answer);
                }
                Err(without) => return Ok(Err(without)),
            }
        }
        self.answered()?;
        Ok(Ok(answers))
    }

    /// Asks one question, once more where the answer is none.
    fn answer(
        &mut self,
        unit: &Unit,
        system: &'static str,
        piece: &prompt::Piece,
        turns: &[Turn],
    ) -> Result<Result<Distilled, Without>, WorkerError> {
        let session = unit.session.clone().unwrap_or_default();
        let sent = ledger::estimate(system) + ledger::estimate(&piece.text);
        let most = Spent { input: sent, output: u64::from(prompt::MOST_ANSWER), ..Spent::default() };
        let mut bad = Ok(String::new());
        for _ in 0..2 {
            if self.around.stop.is_asked() {
                return Ok(Err(Without::Stopped));
            }
            if let Err(reason) = self.ledger.may_spend(&session, most.input + most.output) {
                return Ok(Err(Without::FallBack(reason)));
            }
            let asked = Asked {
                session: session.clone(),
                system,
                prompt: piece.text.clone(),
                most_tokens: prompt::MOST_ANSWER,
                within: self.settings.deadline,
            };
            let owed = self.entry(unit, most);
            let owed = self.owing.begin(&self.around.log, self.around.time.now(), owed)?;
            let answered = self.ask(asked);
            self.book(unit, owed, answered.took(most))?;
            match answered {
                Answered::Reply(reply) => match answer::read(&reply.text, turns, piece.steps.clone()) {
                    Ok(distilled) => return Ok(Ok(distilled)),
                    Err(problem) => bad = Ok(problem),
                },
                Answered::Fault(fault @ Fault::Declined { .. }) => bad = Err(fault),
                Answered::Fault(fault) | Answered::Lost(fault) => return self.faulted(&fault).map(Err),
                Answered::Stopped => return Ok(Err(Without::Stopped)),
            }
        }
        let reason = match bad {
            Ok(problem) => {
                self.answered()?;
                format!("the answer could not be read: {problem}")
            }
            Err(fault) => self.declined(&fault)?,
        };
        Ok(Err(Without::FallBack(reason)))
    }

    /// Enters what a question took into the books, in the place of what is owed for it.
    fn book(&mut self, unit: &Unit, owed: Draft, spent: Spent) -> Result<(), WorkerError> {
        if spent != Spent::default() {
            self.ledger.add(unit.session.as_deref().unwrap_or_default(), spent);
            self.append(vec![Draft { body: self.entry(unit, spent).body, ..owed }])?;
        }
        self.owing.settle()
    }

    /// Books the question of a worker that did not come to it.
    pub(crate) fn pay(&mut self) -> Result<(), WorkerError> {
        if let Some(owed) = self.owing.left()? {
            self.append(vec![owed])?;
            self.note("booked the most that a question may have taken, since its worker did not come to it");
        }
        self.owing.settle()
    }

    fn entry(&self, unit: &Unit, spent: Spent) -> Draft {
        let models = self.around.models.as_ref();
        let (provider, model) = models.map_or(("", ""), |models| (&models.provider, &models.model));
        usage(unit, provider, model, spent)
    }

    /// Notes that the provider answers.
    fn answered(&mut self) -> Result<(), WorkerError> {
        self.heard.declined = 0;
        if let Some(circuit) = &mut self.circuit
            && circuit.answered()?
        {
            self.note("the provider answers again");
        }
        Ok(())
    }

    /// Notes that a provider does not take a question, and says why the rules do this piece of work.
    fn declined(&mut self, fault: &Fault) -> Result<String, WorkerError> {
        self.heard.declined = self.heard.declined.saturating_add(1);
        if self.heard.declined >= DECLINED_IN_A_ROW {
            self.faulted(fault)?;
        }
        let provider = self.around.models.as_ref().map_or("the provider", |models| models.provider.as_str());
        Ok(format!("{provider} refused the question: {fault}"))
    }

    fn ask(&mut self, asked: Asked) -> Answered {
        if self.asker.is_none() {
            let Some(models) = &self.around.models else {
                return Answered::Fault(Fault::Refused("no model is set".to_owned()));
            };
            let opened = (models.open)().map(Asker::new);
            match opened {
                Ok(Ok(asker)) => self.asker = Some(asker),
                Ok(Err(error)) => return Answered::Fault(Fault::Broken(format!("no thread: {error}"))),
                Err(fault) => return Answered::Fault(fault),
            }
        }
        let Some(asker) = &self.asker else {
            return Answered::Fault(Fault::Refused("no model is set".to_owned()));
        };
        let answered = asker.ask(asked, &self.around.stop);
        if matches!(answered, Answered::Lost(_)) {
            // Its thread may hang for ever; the next question gets another.
            self.asker = None;
        }
        answered
    }

    /// Notes that a provider failed, and says what becomes of the work.
    fn faulted(&mut self, fault: &Fault) -> Result<Without, WorkerError> {
        let now = self.instant();
        let Some(circuit) = &mut self.circuit else { return Ok(Without::Postponed) };
        let tell = circuit.failed(fault, now)?;
        let is_given_up = circuit.is_given_up(now.steady);
        let pause = match circuit.advice(now.steady) {
            Advice::Wait(pause) => Some(pause),
            Advice::Ask | Advice::DoWithout => None,
        };
        let provider = self.around.models.as_ref().map_or("", |models| models.provider.as_str());
        let words = format!("{provider}: {fault}");
        self.note(&words);
        if let Some(pause) = pause {
            (self.around.setback)(&format!("{words}; it is asked again in {} s", pause.as_secs()));
        }
        if tell {
            (self.around.trouble)(&words);
        }
        Ok(if is_given_up { Without::FallBack(self.away()) } else { Without::Postponed })
    }

    pub(crate) fn away(&self) -> String {
        let message = self.circuit.as_ref().and_then(|circuit| circuit.message()).unwrap_or("no answer");
        let provider = self.around.models.as_ref().map_or("the provider", |models| models.provider.as_str());
        let minutes = crate::circuit::PATIENCE.as_secs() / 60;
        format!("{provider} did not answer for {minutes} minutes: {message}")
    }
}
