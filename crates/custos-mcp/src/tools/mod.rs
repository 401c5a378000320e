//! The table of tools.
//!
//! What a description is for: an agent reads it once per session and must know when to call the tool, so each begins with what it does and says
//! when. The whole list is sent to every session and stays under 16 KB, so each is short. Only the few that every session needs are in view from
//! the start; the others are found by the words of [`INSTRUCTIONS`].

mod audits;
mod backlog;
mod beside;
mod close;
mod context;
mod decisions;
mod health;
mod kept;
mod memories;
mod oracle;
mod overview;
mod plans;
mod questions;
mod recall;
mod safety;
mod shown;

use custos_knowledge::Refusal;

pub(crate) use self::safety::{prove_ahead, prove_on};

use crate::answer::Answer;
use crate::desk::Desk;
use crate::fields::{Arguments, Field, Type, may, need};

/// What a tool does to the knowledge base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    None,
    /// It adds; the same call again adds nothing more.
    Adds,
    /// It adds each time.
    Appends,
    /// It puts something away.
    Removes,
}

impl Effect {
    /// Says whether nothing is changed.
    pub fn is_none(self) -> bool {
        self == Self::None
    }

    /// Says whether something is taken away.
    pub fn destroys(self) -> bool {
        self == Self::Removes
    }

    /// Says whether the same call again changes nothing more.
    pub fn is_idempotent(self) -> bool {
        matches!(self, Self::None | Self::Adds)
    }
}

/// A tool.
pub struct Tool {
    /// The name that calls it.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, and when to use it.
    pub about: &'static str,
    /// Its arguments.
    pub fields: &'static [Field],
    /// What it does to the knowledge base.
    pub effect: Effect,
    /// Whether every session needs it.
    pub always: bool,
    /// Does it.
    pub run: fn(&Desk, &Arguments) -> Result<Answer, Refusal>,
}

/// Another project than the session's. The instructions say so once, for all tools.
const PROJECT: Field = may("project_path", Type::Name, "");
const PAGE: Field = may("page", Type::Page, "");
const SCOPE: Field = may("scope", Type::Texts, "user = all my projects");

/// What the server says of itself. Some clients show nothing else before a tool is searched for, so it names what should lead to each.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The tools, in the order in which clients show them.
pub static TOOLS: &[Tool] = &[
    Tool {
        name: "context",
        title: "Start here",
        about: "Call first in every session: where the last one stopped (handoff), rules, active plans, backlog, open questions, and what to load next.",
        fields: &[PROJECT, PAGE],
        effect: Effect::None,
        always: true,
        run: context::context,
    },
    Tool {
        name: "oracle",
        title: "About the project",
        about: "What this project is: stack, test/lint/build commands, map, patterns, glossary. Read in an unfamiliar repo.",
        fields: &[PROJECT, PAGE],
        effect: Effect::None,
        always: false,
        run: oracle::oracle,
    },
    Tool {
        name: "decisions",
        title: "List decisions",
        about: "Decisions in force, with id and whether required. Read before you design, choose a library or change how things are done.",
        fields: &[PROJECT, PAGE, may("include_archived", Type::Flag, "")],
        effect: Effect::None,
        always: true,
        run: decisions::decisions,
    },
    Tool {
        name: "memories",
        title: "List memories",
        about: "Lessons of earlier sessions: feedback (what the person corrected) and patterns (what works here). Read before you start.",
        fields: &[PROJECT, PAGE, may("type", Type::OneOf(memories::KINDS), "")],
        effect: Effect::None,
        always: true,
        run: memories::memories,
    },
    Tool {
        name: "search",
        title: "Search the memory",
        about: "What earlier sessions did, learnt and decided, in any words: a list with ids. Ask before you redo, debug or explain something.",
        fields: &[
            may("query", Type::Text, "none: the newest"),
            may("project", Type::Text, ""),
            may("projects", Type::Texts, ""),
            may("all", Type::Flag, ""),
            may("types", Type::Texts, "bugfix, discovery, decision, summary, prompt, …"),
            may("files", Type::Texts, ""),
            may("since", Type::Text, "7d, 2026-11-15"),
            may("until", Type::Text, ""),
            may("limit", Type::Limit, ""),
            may("sort", Type::OneOf(recall::ORDERS), ""),
        ],
        effect: Effect::None,
        always: true,
        run: recall::search,
    },
    Tool {
        name: "timeline",
        title: "What happened around it",
        about: "What came before and after something that search found.",
        fields: &[
            need("anchor", Type::Text, "id or words"),
            may("before", Type::Number, ""),
            may("after", Type::Number, ""),
        ],
        effect: Effect::None,
        always: false,
        run: recall::timeline,
    },
    Tool {
        name: "get_observations",
        title: "Read memories in full",
        about: "What search listed, in full with sources: the few that matter.",
        fields: &[need("ids", Type::Names, ""), PAGE],
        effect: Effect::None,
        always: true,
        run: recall::get_observations,
    },
    Tool {
        name: "get_decision",
        title: "Read a decision",
        about: "One decision in full, with its reasoning.",
        fields: &[need("id_or_slug", Type::Name, "such as D-012"), PROJECT, PAGE],
        effect: Effect::None,
        always: false,
        run: decisions::get_decision,
    },
    Tool {
        name: "get_memory",
        title: "Read a memory",
        about: "One memory in full, with its details.",
        fields: &[need("slug", Type::Name, ""), PROJECT, PAGE],
        effect: Effect::None,
        always: false,
        run: memories::get_memory,
    },
    Tool {
        name: "save_decision",
        title: "Save a decision",
        about: "Record what was decided, as soon as it is: an architecture or library choice, a convention, a constraint the person states.",
        fields: &[
            need("title", Type::Text, "the decision in one line"),
            need("decision", Type::Text, "what is decided, in full"),
            need("reasoning", Type::Text, "why, and what was rejected"),
            may("enforce", Type::OneOf(&["required", "advisory"]), ""),
            SCOPE,
            may("supersedes", Type::Names, "ids that it replaces"),
            may("guard", Type::Object(decisions::GUARD), "blocks what breaks it; needs enforce: required"),
            PROJECT,
        ],
        effect: Effect::Adds,
        always: true,
        run: decisions::save_decision,
    },
    Tool {
        name: "save_memory",
        title: "Save a memory",
        about: "Keep a lesson: a correction or preference of the person (feedback), or a way of working that proved right here (pattern). Same title: updated.",
        fields: &[
            need("type", Type::OneOf(memories::KINDS), ""),
            need("title", Type::Text, "the lesson in one line"),
            need("description", Type::Text, "what to do, in short"),
            may("body", Type::Text, "details, read on demand"),
            may("keywords", Type::Texts, ""),
            SCOPE,
            may("supersedes", Type::Names, "slugs or ids it replaces"),
            PROJECT,
        ],
        effect: Effect::Adds,
        always: true,
        run: memories::save_memory,
    },
    Tool {
        name: "archive_decision",
        title: "Archive a decision",
        about: "Put away a decision that no longer holds.",
        fields: &[
            need("id", Type::Name, ""),
            need("reason", Type::Text, ""),
            may("superseded_by", Type::Name, ""),
            PROJECT,
        ],
        effect: Effect::Removes,
        always: false,
        run: decisions::archive_decision,
    },
    Tool {
        name: "archive_memory",
        title: "Archive a memory",
        about: "Put away a memory that is wrong or outdated.",
        fields: &[
            need("slug", Type::Name, ""),
            need("reason", Type::Text, ""),
            may("superseded_by", Type::Name, ""),
            PROJECT,
        ],
        effect: Effect::Removes,
        always: false,
        run: memories::archive_memory,
    },
    Tool {
        name: "merge_memories",
        title: "Merge memories",
        about: "Fold memories that say the same into one; the others are archived.",
        fields: &[
            need("into", Type::Name, "slug that stays"),
            need("from", Type::Names, "slugs that go"),
            may("description", Type::Text, ""),
            may("body", Type::Text, ""),
            PROJECT,
        ],
        effect: Effect::Removes,
        always: false,
        run: memories::merge_memories,
    },
    Tool {
        name: "save_oracle",
        title: "Describe the project",
        about: "Write down what you learnt about the project as a whole. Generated parts stay.",
        fields: &[
            need("section", Type::OneOf(oracle::SECTIONS), ""),
            need("content", Type::Text, "Markdown"),
            may("mode", Type::OneOf(&["append", "replace"]), ""),
            PROJECT,
        ],
        effect: Effect::Adds,
        always: false,
        run: oracle::save_oracle,
    },
    Tool {
        name: "kb_doctor",
        title: "Check the knowledge base",
        about: "Find defects of the files; fix: true repairs what is safe.",
        fields: &[may("fix", Type::Flag, ""), PROJECT, PAGE],
        effect: Effect::Adds,
        always: false,
        run: health::kb_doctor,
    },
    Tool {
        name: "safety",
        title: "Show the safety rules",
        about: "The guard's rules in force here, and where each comes from.",
        fields: &[PROJECT, PAGE],
        effect: Effect::None,
        always: false,
        run: safety::safety,
    },
    Tool {
        name: "update_safety",
        title: "Add a safety rule",
        about: "Add a rule when the person says that something must never be run, pushed, read or changed.",
        fields: &[
            need("rule_type", Type::OneOf(safety::RULE_TYPES), ""),
            need("value", Type::Text, "branch, command or path"),
            SCOPE,
            PROJECT,
        ],
        effect: Effect::Adds,
        always: false,
        run: safety::update_safety,
    },
    Tool {
        name: "backlog",
        title: "List the backlog",
        about: "Tasks that outlive a session; with id, one in full.",
        fields: &[
            may("status", Type::OneOf(backlog::STATUSES), ""),
            may("id", Type::Name, ""),
            PROJECT,
            PAGE,
        ],
        effect: Effect::None,
        always: false,
        run: backlog::backlog,
    },
    Tool {
        name: "backlog_add",
        title: "Add to the backlog",
        about: "Note a task for later: a bug found on the way, a follow-up, what the person postpones.",
        fields: &[
            need("title", Type::Text, ""),
            need("description", Type::Text, ""),
            may("priority", Type::OneOf(backlog::PRIORITIES), ""),
            may("tags", Type::Texts, ""),
            SCOPE,
            PROJECT,
        ],
        effect: Effect::Adds,
        always: false,
        run: backlog::backlog_add,
    },
    Tool {
        name: "backlog_update",
        title: "Update the backlog",
        about: "Change a task's status or priority, or add a note.",
        fields: &[
            need("id", Type::Name, "such as B-003"),
            may("status", Type::OneOf(backlog::STATUSES), ""),
            may("priority", Type::OneOf(backlog::PRIORITIES), ""),
            may("notes", Type::Text, ""),
            PROJECT,
        ],
        effect: Effect::Appends,
        always: false,
        run: backlog::backlog_update,
    },
    Tool {
        name: "status",
        title: "Status",
        about: "Counts and health of the knowledge base, and which session this is.",
        fields: &[PROJECT],
        effect: Effect::None,
        always: false,
        run: overview::status,
    },
    Tool {
        name: "worklog",
        title: "What happened lately",
        about: "The newest events of this project, across sessions and agents.",
        fields: &[may("limit", Type::Limit, ""), PROJECT, PAGE],
        effect: Effect::None,
        always: false,
        run: overview::worklog,
    },
    Tool {
        name: "workspace",
        title: "Show the workspace",
        about: "The repos here, and which have a knowledge base.",
        fields: &[may("path", Type::Name, ""), PAGE],
        effect: Effect::None,
        always: false,
        run: overview::workspace,
    },
    Tool {
        name: "plans",
        title: "List plans",
        about: "Plans and how far each has come.",
        fields: &[may("status", Type::OneOf(plans::STATUSES), ""), PROJECT, PAGE],
        effect: Effect::None,
        always: false,
        run: plans::plans,
    },
    Tool {
        name: "save_plan",
        title: "Save a plan",
        about: "Keep a plan of several steps so that the next session can go on. Same title: updated.",
        fields: &[
            need("title", Type::Text, ""),
            may("steps", Type::Steps, "[ ] pending, [>] active, [x] done, [-] skipped; needed for a new one"),
            may("status", Type::OneOf(plans::STATUSES), ""),
            PROJECT,
        ],
        effect: Effect::Adds,
        always: false,
        run: plans::save_plan,
    },
    Tool {
        name: "ask_question",
        title: "Leave a question",
        about: "Leave a question for the person that need not be answered now.",
        fields: &[need("question", Type::Text, ""), may("context", Type::Text, ""), PROJECT],
        effect: Effect::Adds,
        always: false,
        run: questions::ask_question,
    },
    Tool {
        name: "list_open_questions",
        title: "List questions",
        about: "Questions that wait for an answer or to be applied.",
        fields: &[PROJECT, PAGE],
        effect: Effect::None,
        always: false,
        run: questions::list_open_questions,
    },
    Tool {
        name: "answer_question",
        title: "Answer a question",
        about: "Record the person's answer.",
        fields: &[need("question_id", Type::Name, "such as Q-002"), need("answer", Type::Text, ""), PROJECT],
        effect: Effect::Adds,
        always: false,
        run: questions::answer_question,
    },
    Tool {
        name: "update_question",
        title: "Close a question",
        about: "Mark an answered question as applied, or archive it.",
        fields: &[
            need("question_id", Type::Name, ""),
            need("status", Type::OneOf(&["applied", "archived"]), ""),
            may("note", Type::Text, ""),
            PROJECT,
        ],
        effect: Effect::Adds,
        always: false,
        run: questions::update_question,
    },
    Tool {
        name: "begin_close",
        title: "Begin to close the session",
        about: "Call when the session ends or the work is done: the checklist of what is worth keeping.",
        fields: &[PROJECT],
        effect: Effect::None,
        always: false,
        run: close::begin_close,
    },
    Tool {
        name: "finalize_close",
        title: "Close the session",
        about: "After begin_close: keep what was learnt, write the handoff.",
        fields: close::FINALIZE,
        // It may also put things away, as `supersedes` does. That is not announced: Codex refuses what destroys where nobody is there to be
        // asked (0.166.0 does), and no session would be closed there any more.
        effect: Effect::Appends,
        always: false,
        run: close::finalize_close,
    },
];
