//! One memory session per session of a client, and its signs of life.
//!
//! Every hook is a process of its own, many run at once, and none knows whether another came before. What they share about a session is a small
//! journal in the state directory, named after the session's pseudonym:
//!
//! ```text
//! {"client":"codex","session":"01a1e077-…","transcript":"/home/user/.codex/…"}
//! 1794767700802⇥SessionStart⇥opened
//! 1794767700931⇥UserPromptSubmit⇥prompt⇥t-5f0c…
//! 1794767701085⇥PreToolUse⇥alive
//! 1794767701093⇥PostToolUse⇥quiet⇥Grep
//! 1794767701322⇥UserPromptSubmit⇥recalled⇥9f2c5d0a1b3e 77aa01b2c3d4
//! 1794767701413⇥Stop⇥turn
//! 1794767701520⇥PreCompact⇥compacted
//! ```
//!
//! Whoever creates the file opens the session; the file system sees to it that only one does. After that each hook appends one short line
//! in one write, without a lock. So a journal costs a hook three system calls, is right with any number of hooks at once, and a hook
//! that is killed leaves at worst one line less. It never leaves this machine: it is the only place beside the map of pseudonyms that
//! knows the client's own ids, and where the transcript is.

use std::io;
use std::path::{Path, PathBuf};

use custos_clients::HookEvent;
use custos_config::Project;
use custos_log::Log;
use custos_log::disk::{Access, Handle};
use custos_log::pseudonym::Pseudonyms;
use custos_model::{AgentId, Timestamp};
use serde::{Deserialize, Serialize};

/// How much of the end of a journal is looked at.
const TAIL: u64 = 256 << 10;

/// How much of the beginning of a journal that is longer is looked at, for its heading.
const HEAD: usize = 16 << 10;

/// How much of it shows whether a session is alive, and which of its hooks are.
const GLANCE: u64 = 8 << 10;

/// How many bytes of ids one line takes: more than any context names.
const MOST_IDS: usize = 2048;

/// How much of a journal is searched for what the session was given: that of some hundred thousand calls.
const WHOLE: u64 = 16 << 20;

/// A session that a hook belongs to.
pub struct Session {
    /// Its id in the memory.
    pub id: String,
    /// The pseudonym of its main agent.
    pub agent: AgentId,
    /// Whether this hook is the first sign of it.
    pub is_new: bool,
    handle: Box<dyn Handle>,
}

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The client.
    pub client: String,
    /// The client's own id of the session.
    pub session: String,
    /// Where the client keeps the transcript.
    pub transcript: Option<String>,
    /// The project in which it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The top of that project: the rules there hold for the whole session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// What a hook notes about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark<'a> {
    /// It was called.
    Alive,
    /// It appended the session's start.
    Opened,
    /// It recorded a prompt; everything until the next belongs to this task.
    Prompt(&'a str),
    /// It saw a tool that carries nothing and did not store it.
    Quiet(&'a str),
    /// It recorded the end of a turn.
    Turn,
    /// It recorded the end of the session.
    Ended,
    /// It found the session silent for too long, and recorded that.
    Interrupted,
    /// It denied a call, by this rule.
    Denied(&'a str),
    /// It gave a hint, by what led to it.
    Hinted(&'a str),
    /// It gave memories to the main agent: the ends of their ids, with blanks between.
    Recalled(&'a str),
    /// The model loses what it was told, and may be told it again.
    Compacted,
}

impl Mark<'_> {
    const fn name(&self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Opened => "opened",
            Self::Prompt(_) => "prompt",
            Self::Quiet(_) => "quiet",
            Self::Turn => "turn",
            Self::Ended => "ended",
            Self::Interrupted => "interrupted",
            Self::Denied(_) => "denied",
            Self::Hinted(_) => "hinted",
            Self::Recalled(_) => "recalled",
            Self::Compacted => "compacted",
        }
    }
}

/// Gives the directory of the journals.
pub fn directory(state: &Path) -> PathBuf {
    state.join("sessions")
}

/// Spells a pseudonym for something that is no agent.
pub fn pseudonym(prefix: &str, names: &Pseudonyms<'_>, client: &str, id: &str) -> String {
    spelt(prefix, &names.peek(client, id))
}

fn spelt(prefix: &str, agent: &AgentId) -> String {
    let digits = agent.as_str().trim_start_matches("ag-");
    let mut text = String::with_capacity(prefix.len() + digits.len());
    text.push_str(prefix);
    text.push_str(digits);
    text
}

impl Session {
    /// Joins the session of an event, or opens it if this is the first sign of it.
    pub fn join(
        log: &Log,
        names: &Pseudonyms<'_>,
        event: &HookEvent,
        project: Option<&Project>,
    ) -> io::Result<Self> {
        let disk = &*log.surroundings().disk;
        let agent = names.peek(event.client, &event.session);
        let id = spelt("s-", &agent);
        let dir = directory(&log.places().state);
        let path = dir.join(&id);
        match disk.open(&path, Access::Continue) {
            Ok(handle) => Ok(Self { id, agent, is_new: false, handle }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.create_dirs(&dir)?;
                let is_new = match disk.open(&path, Access::Create) {
                    Ok(_) => true,
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                    Err(error) => return Err(error),
                };
                let session = Self { id, agent, is_new, handle: disk.open(&path, Access::Continue)? };
                if is_new {
                    session.head(event, project)?;
                    // So that a pseudonym in the log leads back to the client's session, on this machine only.
                    let _ = names.of(event.client, &event.session);
                }
                Ok(session)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes the first line.
    fn head(&self, event: &HookEvent, project: Option<&Project>) -> io::Result<()> {
        let clean = |text: &str| custos_redact::redact(text).into_owned();
        let heading = Heading {
            client: event.client.to_owned(),
            session: clean(&event.session),
            transcript: event.transcript.as_deref().map(clean),
            project: project.map(|project| clean(&project.identity)),
            root: project.and_then(|project| project.root.to_str()).map(clean),
        };
        let mut line = serde_json::to_vec(&heading)?;
        line.push(b'\n');
        self.handle.append(&line).map(drop)
    }

    /// Leaves a sign of life.
    pub fn mark(&self, at: Timestamp, event: &str, mark: Mark<'_>) -> io::Result<()> {
        write_mark(&*self.handle, at, event, mark)
    }

    /// Reads the first line of the journal.
    pub fn heading(&self) -> Option<Heading> {
        let mut head = [0; 2048];
        let read = self.handle.read_full_at(&mut head, 0).ok()?;
        let first = head[..read].split(|byte| *byte == b'\n').next()?;
        serde_json::from_slice(first).ok()
    }

    /// Says whether a rule has denied something at least so many times in this session.
    pub fn was_denied(&self, rule: &str, times: usize) -> bool {
        self.has_marked(Mark::Denied(rule), rule, times)
    }

    /// Says whether this session has heard a hint.
    pub fn was_hinted(&self, key: &str) -> bool {
        self.has_marked(Mark::Hinted(key), key, 1)
    }

    /// Says whether a prompt of this session is called so.
    pub fn has_task(&self, task: &str) -> bool {
        self.has_marked(Mark::Prompt(task), task, 1)
    }

    /// Gives the task of the latest prompt.
    pub fn task(&self) -> Option<String> {
        self.find_last(|line| {
            let mut fields = std::str::from_utf8(line).ok()?.splitn(4, '\t').skip(2);
            let is_prompt = fields.next() == Some(Mark::Prompt("").name());
            is_prompt.then(|| fields.next().unwrap_or_default().to_owned())
        })
    }

    /// Gives the event that the last loss of what the model was told was noted at.
    pub fn compacted_at(&self) -> Option<String> {
        self.find_last(|line| {
            let mut fields = std::str::from_utf8(line).ok()?.splitn(4, '\t').skip(1);
            let (event, mark) = (fields.next()?, fields.next()?);
            (mark == Mark::Compacted.name()).then(|| event.to_owned())
        })
    }

    /// Says whether a mark was left at least so many times.
    fn has_marked(&self, mark: Mark<'_>, text: &str, times: usize) -> bool {
        let mut ending = Vec::with_capacity(64);
        push_field(&mut ending, mark.name());
        push_field(&mut ending, text);
        let mut found = 0;
        let is_enough = self.find_last(|line| {
            found += usize::from(line.ends_with(&ending));
            (found >= times).then_some(())
        });
        is_enough.is_some()
    }

    /// Goes through the lines, the last first, until something is found in one. Asked while an agent waits, it reads no further than it
    /// must, and of a very long journal only the end.
    fn find_last<T>(&self, mut find: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let len = self.handle.len().ok()?;
        let mut end = len;
        let mut stretch = [0; 4096];
        while end > len.saturating_sub(TAIL) {
            let from = end.saturating_sub(stretch.len() as u64);
            let wanted = usize::try_from(end - from).unwrap_or(0);
            let read = self.handle.read_full_at(&mut stretch[..wanted], from).ok()?;
            // A line that began before this stretch belongs to the one before it.
            let whole = if from == 0 { 0 } else { line_end(&stretch[..read]) };
            let found = stretch[whole..read].split(|byte| *byte == b'\n').rev().find_map(&mut find);
            if found.is_some() || whole >= read {
                return found;
            }
            end = from + whole as u64;
        }
        None
    }

    /// Gives the ends of the ids of all that this session was given and still has. Asked at a prompt, not at a tool: it reads the whole
    /// journal.
    pub fn recalled(&self) -> Vec<String> {
        recalled(&*self.handle)
    }

    /// Notes that it has all that another one was given, with whose past it goes on.
    pub fn inherit(&self, at: Timestamp, event: &str, recalled: &[String]) -> io::Result<()> {
        const A_LINE: usize = 64;
        recalled.chunks(A_LINE).try_for_each(|ids| self.mark(at, event, Mark::Recalled(&ids.join(" "))))
    }

    /// Reads the end of the journal.
    pub fn journal(&self) -> io::Result<Journal> {
        Journal::read(&*self.handle)
    }
}

/// Gives the ends of the ids of all that the session of a journal was given and still has.
pub(crate) fn recalled(journal: &dyn Handle) -> Vec<String> {
    let Ok(len) = journal.len() else { return Vec::new() };
    let from = len.saturating_sub(WHOLE);
    let mut bytes = vec![0; usize::try_from(len - from).unwrap_or(0)];
    let Ok(read) = journal.read_full_at(&mut bytes, from) else { return Vec::new() };
    let mut given: Vec<String> = Vec::new();
    let lines = bytes[..read].split(|byte| *byte == b'\n');
    for line in lines.filter_map(|line| std::str::from_utf8(line).ok()) {
        let mut fields = line.splitn(4, '\t').skip(2);
        let name = fields.next();
        if name == Some(Mark::Compacted.name()) {
            given.clear();
        } else if name == Some(Mark::Recalled("").name()) {
            given.extend(fields.flat_map(str::split_ascii_whitespace).map(str::to_owned));
        }
    }
    given
}

/// Where the first line of a stretch has ended.
fn line_end(stretch: &[u8]) -> usize {
    stretch.iter().position(|byte| *byte == b'\n').map_or(stretch.len(), |at| at + 1)
}

/// Appends a line to a journal.
pub(crate) fn write_mark(handle: &dyn Handle, at: Timestamp, event: &str, mark: Mark<'_>) -> io::Result<()> {
    let mut line = Vec::with_capacity(128);
    line.extend_from_slice(at.as_millis().to_string().as_bytes());
    push_field(&mut line, event);
    push_field(&mut line, mark.name());
    match mark {
        Mark::Prompt(text) | Mark::Quiet(text) | Mark::Denied(text) | Mark::Hinted(text) => {
            push_field(&mut line, text);
        }
        Mark::Recalled(ids) => push_up_to(&mut line, ids, MOST_IDS),
        Mark::Alive | Mark::Opened | Mark::Turn | Mark::Ended | Mark::Interrupted | Mark::Compacted => {}
    }
    line.push(b'\n');
    handle.append(&line).map(drop)
}

/// Adds a field; what could be taken for another field or line is left out.
fn push_field(line: &mut Vec<u8>, text: &str) {
    push_up_to(line, text, 128);
}

fn push_up_to(line: &mut Vec<u8>, text: &str, most: usize) {
    line.push(b'\t');
    line.extend(text.bytes().filter(|byte| !byte.is_ascii_control()).take(most));
}

/// The end of a journal, as far as anybody needs it.
#[derive(Debug, Default)]
pub struct Journal {
    /// The first line.
    pub heading: Option<Heading>,
    lines: Vec<Line>,
    /// Whether lines were left out because the journal is long.
    is_cut: bool,
}

#[derive(Debug)]
struct Line {
    at: i64,
    event: String,
    mark: String,
    text: String,
}

impl Journal {
    /// Reads the end of a journal, with all that a turn may have left in it.
    pub fn read(handle: &dyn Handle) -> io::Result<Self> {
        Self::read_last(handle, TAIL)
    }

    /// Reads the last signs of life, for whoever looks through many journals.
    pub fn glance(handle: &dyn Handle) -> io::Result<Self> {
        Self::read_last(handle, GLANCE)
    }

    fn read_last(handle: &dyn Handle, most: u64) -> io::Result<Self> {
        let len = handle.len()?;
        let from = len.saturating_sub(most);
        let mut bytes = vec![0; usize::try_from(len - from).unwrap_or(0)];
        let read = handle.read_full_at(&mut bytes, from)?;
        let text = String::from_utf8_lossy(&bytes[..read]);
        let mut journal = Self { is_cut: from > 0, ..Self::default() };
        if journal.is_cut {
            let mut head = vec![0; HEAD];
            let read = handle.read_full_at(&mut head, 0)?;
            let first = head[..read].split(|byte| *byte == b'\n').next().unwrap_or_default();
            journal.heading = serde_json::from_slice(first).ok();
        }
        for line in text.lines() {
            if line.starts_with('{') {
                journal.heading = journal.heading.or_else(|| serde_json::from_str(line).ok());
                continue;
            }
            let mut fields = line.splitn(4, '\t');
            let (Some(at), Some(event), Some(mark)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            // The first line of the stretch may be cut.
            let Ok(at) = at.parse() else { continue };
            journal.lines.push(Line {
                at,
                event: event.to_owned(),
                mark: mark.to_owned(),
                text: fields.next().unwrap_or_default().to_owned(),
            });
        }
        Ok(journal)
    }

    /// Says whether the journal was longer than what was read of it.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Counts the tools of this turn that were not stored, by name.
    pub fn quiet_tools(&self) -> std::collections::BTreeMap<&str, u64> {
        let mut counts = std::collections::BTreeMap::new();
        for line in self.lines.iter().rev().take_while(|line| line.mark != "turn") {
            if line.mark == "quiet" {
                *counts.entry(line.text.as_str()).or_default() += 1;
            }
        }
        counts
    }

    /// Says whether somebody appended the session's start. In a long journal that was long ago.
    pub fn is_opened(&self) -> bool {
        self.is_cut || self.lines.iter().any(|line| line.mark == "opened")
    }

    /// Says whether the session was told something of earlier ones. In a long journal that was long ago.
    pub fn was_told(&self) -> bool {
        self.is_cut || self.lines.iter().any(|line| line.mark == "recalled")
    }

    /// Says whether the session ended or was found to be interrupted, and nobody started or asked for anything since.
    pub fn is_over(&self) -> bool {
        let last = |marks: [&str; 2]| self.lines.iter().rposition(|line| marks.contains(&line.mark.as_str()));
        let resumed = last(["prompt", "opened"]);
        last(["ended", "interrupted"]).is_some_and(|over| resumed.is_none_or(|resumed| resumed < over))
    }

    /// Gives the time at which somebody last started it or asked for anything, in milliseconds.
    pub fn resumed(&self) -> Option<i64> {
        let is_resumed = |line: &&Line| matches!(line.mark.as_str(), "prompt" | "opened");
        self.lines.iter().filter(is_resumed).map(|line| line.at).max()
    }

    /// Gives the time of the first and the latest sign of life, in milliseconds.
    pub fn span(&self) -> Option<(i64, i64)> {
        Some((self.times().min()?, self.times().max()?))
    }

    /// Gives the times of all signs of life, in milliseconds.
    pub fn times(&self) -> impl Iterator<Item = i64> {
        self.lines.iter().map(|line| line.at)
    }

    /// Says whether an event was seen.
    pub fn saw(&self, event: &str) -> bool {
        self.lines.iter().any(|line| line.event == event)
    }
}

#[cfg(test)]
mod tests;
