//! What can happen, and how each kind of event is treated where nobody said otherwise.
//!
//! One row per kind: its name in the log, the class that decides who may read it by default, and whether losing it in a power
//! cut would hurt enough to pay for an `fsync`. Adding a kind is adding a row; the JSON Schema and the documentation follow.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Groups kinds that share their default access list and the setting that changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// What a person typed.
    Prompts,
    /// What an agent did: tool calls and the permissions they needed.
    Tools,
    /// The frame around it: sessions, turns, sub-agents, usage, heartbeats.
    Sessions,
    /// What was learnt from it.
    Observations,
    /// What a turn or a session came to.
    Summaries,
    /// Decisions, lessons, rules, questions.
    Knowledge,
    /// The books that Custos keeps about itself.
    Housekeeping,
}

impl Class {
    /// Lists every class, in the order of the table.
    pub const ALL: [Self; 7] = [
        Self::Prompts,
        Self::Tools,
        Self::Sessions,
        Self::Observations,
        Self::Summaries,
        Self::Knowledge,
        Self::Housekeeping,
    ];
}

/// Says whether an event must survive a power cut, or only the death of every process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Handed to the operating system: survives `kill -9`, not a power cut.
    Process,
    /// Forced to the disk before the append is acknowledged.
    Power,
}

macro_rules! kinds {
    ($($variant:ident $name:literal $class:ident $durability:ident $what:literal;)*) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = $what] $variant,)*
        }

        impl Kind {
            /// Lists every kind that this schema knows.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Gives the name under which the log stores the kind.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Gives the class that decides the default access list.
            pub const fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }

            /// Says what an acknowledged event of this kind has survived.
            pub const fn durability(self) -> Durability {
                match self { $(Self::$variant => Durability::$durability,)* }
            }

            /// Says in a few words what happened.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}

kinds! {
    SessionStarted "session.started" Sessions Power "A client opened a session.";
    SessionEnded "session.ended" Sessions Power "A client closed its session.";
    SessionInterrupted "session.interrupted" Sessions Power "A session showed no sign of life for too long.";
    HookAlive "hook.alive" Sessions Process "A hook fired: the client's wiring works.";
    PromptSubmitted "prompt.submitted" Prompts Power "A person sent a prompt.";
    ToolUsed "tool.used" Tools Process "A tool ran and succeeded.";
    ToolFailed "tool.failed" Tools Process "A tool ran and failed.";
    ToolDenied "tool.denied" Tools Process "The guard kept a tool from running.";
    ToolAsked "tool.asked" Tools Process "The guard passed the question to the person.";
    PermissionDecided "permission.decided" Tools Process "A permission request was answered.";
    TurnEnded "turn.ended" Sessions Power "The agent finished its answer; holds counts of what was not stored.";
    SubagentStarted "subagent.started" Sessions Process "An agent started another.";
    SubagentStopped "subagent.stopped" Sessions Process "A sub-agent ended.";
    ContextCompacting "context.compacting" Sessions Process "The client is about to shorten its context.";
    UsageRecorded "usage.recorded" Sessions Process "Tokens or money were spent.";
    ObservationRecorded "observation.recorded" Observations Process "Something worth knowing was distilled.";
    SummaryRecorded "summary.recorded" Summaries Process "A turn or a session was summed up.";
    KnowledgeSaved "knowledge.saved" Knowledge Power "A knowledge item was created.";
    KnowledgeUpdated "knowledge.updated" Knowledge Power "A knowledge item was changed.";
    KnowledgeArchived "knowledge.archived" Knowledge Power "A knowledge item was put away.";
    QuestionAsked "question.asked" Knowledge Power "An agent left a question for a person.";
    QuestionAnswered "question.answered" Knowledge Power "A question was answered.";
    AuditFinished "audit.finished" Housekeeping Process "The auditor read a transcript.";
    RecallServed "recall.served" Housekeeping Process "Memories were given to a session: the receipt.";
    RecallUsed "recall.used" Housekeeping Process "A memory that was given proved useful or not.";
    PolicyUpdated "policy.updated" Housekeeping Process "Ranking weights or rules changed.";
    MemoryCompacted "memory.compacted" Housekeeping Process "Old memories were folded into fewer.";
    WorkDone "work.done" Housekeeping Process "A piece of work has its results; there may be none.";
    WorkFailed "work.failed" Housekeeping Process "A piece of work failed and will be tried again.";
    WorkAbandoned "work.abandoned" Housekeeping Process "A piece of work was given up.";
    WorkReopened "work.reopened" Housekeeping Process "A piece of work is to be done again.";
    ImportFinished "import.finished" Housekeeping Process "Another system's memory was brought in.";
    ForgetDone "forget.done" Housekeeping Power "Events were forgotten: which, when and why.";
}

impl Kind {
    /// Lists the kinds that say something in words: what is searched and shown.
    pub const TEXTS: [Self; 4] =
        [Self::PromptSubmitted, Self::ObservationRecorded, Self::SummaryRecorded, Self::KnowledgeSaved];

    /// Gives the first part of its name, which people call it by: `prompt`, `observation`.
    pub fn word(self) -> &'static str {
        self.name().split_once('.').map_or(self.name(), |(word, _)| word)
    }
}

/// Reports a kind that this schema does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no kind of event is called {0:?}")]
pub struct UnknownKind(pub String);

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl serde::de::Visitor<'_> for Name {
            type Value = Kind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a kind of event")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Kind, E> {
                name.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_unique_and_parses_back() {
        let parsed: Vec<Kind> = Kind::ALL.iter().map(|kind| kind.name().parse().unwrap()).collect();
        assert_eq!(parsed, Kind::ALL);
        assert_eq!("tool.exploded".parse::<Kind>(), Err(UnknownKind("tool.exploded".into())));
    }

    #[test]
    fn names_need_no_escaping_in_json() {
        for kind in Kind::ALL {
            assert!(kind.name().bytes().all(|b| b.is_ascii_lowercase() || b == b'.'), "{kind}");
        }
    }

    #[test]
    fn what_a_person_said_and_decided_survives_a_power_cut_and_tool_events_do_not_pay_for_it() {
        let durable: Vec<&str> =
            Kind::ALL.iter().filter(|k| k.durability() == Durability::Power).map(|k| k.name()).collect();
        assert_eq!(
            durable,
            [
                "session.started",
                "session.ended",
                "session.interrupted",
                "prompt.submitted",
                "turn.ended",
                "knowledge.saved",
                "knowledge.updated",
                "knowledge.archived",
                "question.asked",
                "question.answered",
                "forget.done"
            ]
        );
    }
}
