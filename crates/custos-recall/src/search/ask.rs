//! A question, and what belongs to it.

use std::cmp::Ordering;

use custos_index::{Entry, SearchQuery};
use custos_model::{Kind, Timestamp};

use crate::search::Found;
use crate::viewer::Viewer;

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Within milliseconds, in a process that was just started: only what has words of the question, and its neighbours.
    Hook,
    /// In a process that has the vectors at hand: what means the same in other words as well.
    Server,
}

/// In which order to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The best answer first.
    #[default]
    Relevance,
    /// Of the answers, the newest first.
    Newest,
    /// Of the answers, the oldest first.
    Oldest,
}

impl Order {
    /// Gives the comparison by time. What has no order of its own counts as the newest first.
    pub(crate) fn by_time(self) -> impl Fn(&Found, &Found) -> Ordering {
        move |a, b| {
            let newest_first = b.entry.ts.cmp(&a.entry.ts);
            let order = if self == Self::Oldest { newest_first.reverse() } else { newest_first };
            order.then(a.entry.id.cmp(&b.entry.id))
        }
    }
}

/// What whoever asks is working on. Nothing of it narrows the search; it decides between answers that are nearly equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Work<'a> {
    /// The files at hand.
    pub files: &'a [&'a str],
    /// The branch.
    pub branch: Option<&'a str>,
    /// The project.
    pub project: Option<&'a str>,
}

/// What becomes of prompts that only repeat the question. An agent asks in the words of the person who has just asked it, and what that
/// person typed is in the memory before the agent has called a tool: the best match of all, and no answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Echo<'a> {
    /// They are found as everything else.
    #[default]
    Kept,
    /// No prompt of this session is found. Where it is not known, none of the last hour that says the same as the question.
    LeftOut(Option<&'a str>),
}

/// How long a prompt may be the one that a question repeats, in milliseconds.
const JUST_ASKED: i64 = 60 * 60 * 1000;

/// A question to the memory.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The words, as somebody typed them; none means the newest.
    pub text: &'a str,
    /// The words among them to look for, where not all say something. What is embedded is always the whole.
    pub words: Option<&'a str>,
    /// Only these projects, and what belongs to none, such as the person's own knowledge; all where none is named.
    pub projects: &'a [&'a str],
    /// Only this session.
    pub session: Option<&'a str>,
    /// Nothing from this session.
    pub apart_from: Option<&'a str>,
    /// What becomes of prompts that repeat it.
    pub echo: Echo<'a>,
    /// Only these kinds; all that have text where none is named.
    pub kinds: &'a [Kind],
    /// Only these types of observations and knowledge, such as `bugfix` or `decision`.
    pub sorts: &'a [&'a str],
    /// Where types are named, also all of these kinds, of whatever type.
    pub or_kinds: &'a [Kind],
    /// Only what concerns one of these files.
    pub files: &'a [&'a str],
    /// Only from this instant on.
    pub since: Option<Timestamp>,
    /// Only up to this instant.
    pub until: Option<Timestamp>,
    /// Only what answers by itself, and not what merely stands beside an answer: for somebody who reads the list.
    pub answers_only: bool,
    /// At most so many.
    pub limit: usize,
    /// In which order.
    pub order: Order,
    /// Who asks.
    pub viewer: Viewer<'a>,
    /// The present, from which age is counted.
    pub now: Timestamp,
    /// What they are working on.
    pub work: Work<'a>,
    /// How far to look.
    pub depth: Depth,
}

impl<'a> Ask<'a> {
    /// Asks for the twenty best answers in everything that the viewer may see.
    pub const fn new(text: &'a str, viewer: Viewer<'a>, now: Timestamp, depth: Depth) -> Self {
        Self {
            text,
            words: None,
            projects: &[],
            session: None,
            apart_from: None,
            echo: Echo::Kept,
            kinds: &[],
            sorts: &[],
            or_kinds: &[],
            files: &[],
            since: None,
            until: None,
            answers_only: false,
            limit: 20,
            order: Order::Relevance,
            viewer,
            now,
            work: Work { files: &[], branch: None, project: None },
            depth,
        }
    }

    /// Gives the projects to look in: those that were named, and what belongs to none, which the index calls by the empty name.
    pub(crate) fn with_own(&self) -> Vec<&'a str> {
        if self.projects.is_empty() {
            Vec::new()
        } else {
            self.projects.iter().copied().chain([""]).collect()
        }
    }

    /// Says the same to the index; `projects` are those of [`Self::with_own`].
    pub(crate) fn query<'q>(&self, projects: &'q [&'q str]) -> SearchQuery<'q>
    where
        'a: 'q,
    {
        SearchQuery {
            without: None,
            text: self.words.unwrap_or(self.text),
            projects,
            session: self.session,
            kinds: self.kinds,
            sorts: self.sorts,
            or_kinds: self.or_kinds,
            files: self.files,
            since: self.since,
            until: self.until,
            reader: self.viewer.reader(),
            limit: self.limit,
        }
    }

    /// Says whether something is nothing but the question, as somebody typed it.
    pub(crate) fn is_echo(&self, entry: &Entry) -> bool {
        let Echo::LeftOut(session) = self.echo else { return false };
        if entry.kind != Kind::PromptSubmitted {
            return false;
        }
        if session.is_some() {
            return entry.session.as_deref() == session;
        }
        let age = self.now.as_millis() - entry.ts.as_millis();
        age <= JUST_ASKED && says(&entry.excerpt).eq(says(self.text))
    }

    /// Says whether more than the project narrows the search: then many of the nearest by meaning are not wanted.
    pub(crate) fn is_narrow(&self) -> bool {
        self.session.is_some()
            || !self.kinds.is_empty()
            || !self.sorts.is_empty()
            || !self.files.is_empty()
            || self.since.is_some()
            || self.until.is_some()
    }
}

/// Gives the words of a text, however they are written and whatever stands between them.
fn says(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
