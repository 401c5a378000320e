//! Finding all that a selection comes to: what is selected, what was derived from it, and copies that only a backup still has.
//!
//! The log is read first, and closed over `body.sources`. A backup has the same records at the same places, so of a backup only what is
//! not planned already is of interest.

use std::collections::{HashMap, HashSet};

use custos_model::{Event, EventId, Kind, Timestamp};
use serde::Serialize;

use crate::append::Log;
use crate::backup;
use crate::erase::{Line, Target};
use crate::error::LogError;
use crate::forget::{Named, Selection, fragment, sources, walk};
use crate::frame::{self, Frame, Parsed};
use crate::read::{LogReader, Position};
use crate::search::Search;
use crate::writer::WriterId;

/// A record that will be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// The event.
    pub id: EventId,
    /// What it was.
    pub kind: String,
    /// When it was.
    pub ts: Timestamp,
    /// In whose log it is.
    #[serde(skip)]
    pub writer: WriterId,
    /// Where.
    #[serde(skip)]
    pub at: Position,
    /// Whether it goes because of what it was derived from.
    pub derived: bool,
    /// Whether this machine wrote it, and so may overwrite it.
    pub own: bool,
}

/// All that a selection comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The records.
    pub records: Vec<Planned>,
    /// Lines that are no records but hold what is to be forgotten.
    pub(crate) fragments: Vec<Target>,
    /// Lines in backups of which the log has no original: the backup, and where.
    pub(crate) strays: Vec<(String, Target)>,
    /// What earlier forgettings named whose own records go now.
    pub(crate) named_before: Named,
}

impl Plan {
    /// Says whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.fragments.is_empty() && self.strays.is_empty()
    }

    /// Gives the number of unfinished lines that hold what is to be forgotten.
    pub fn fragments(&self) -> usize {
        self.fragments.len()
    }

    /// Gives the number of copies in backups that hold what is to be forgotten and of which the log has no original.
    pub fn strays(&self) -> usize {
        self.strays.len()
    }
}

/// Finds everything that a selection comes to. `progress` gets the number of lines that were read.
pub fn plan(log: &Log, selection: &Selection, progress: &mut dyn FnMut(u64)) -> Result<Plan, LogError> {
    let search = Search::new(selection);
    let own = log.writer();
    let mut lines: u64 = 0;
    let mut count = || {
        lines += 1;
        if lines.is_multiple_of(4096) {
            progress(lines);
        }
    };
    let mut survey = Survey::new(&search, selection);
    walk(&log.reader(), &mut |writer, at, line| {
        count();
        survey.look(line, writer, at, *writer == own);
    })?;
    survey.close();
    let (disk, backups) = (&log.surroundings().disk, &log.places().backups);
    for name in backup::names(&**disk, backups)? {
        walk(&LogReader::with_disk(disk.clone(), &backups.join(&name)), &mut |writer, at, line| {
            count();
            survey.look_at_copy(line, &name, writer, at);
        })?;
    }
    Ok(survey.plan)
}

/// Collects what is selected, and what could turn out to be derived from it.
struct Survey<'a> {
    search: &'a Search<'a>,
    /// Only a text could ever be meant to remove the record of an earlier forgetting: it stands in its reason.
    by_text: bool,
    plan: Plan,
    chosen: HashSet<EventId>,
    /// What is in the plan already, by its place, which is the same in a backup.
    places: HashSet<(WriterId, Position)>,
    derived: Vec<(Planned, Vec<EventId>)>,
}

/// What a line means to a survey.
enum Judgement<'l> {
    Nothing,
    Record { frame: Box<Frame<'l>>, selected: bool, sources: Vec<EventId>, named: Named },
    Fragment,
}

impl<'a> Survey<'a> {
    fn new(search: &'a Search<'a>, selection: &Selection) -> Self {
        // What was derived from it goes even if the event itself is long gone.
        let chosen = match selection {
            Selection::Id(id) => HashSet::from([*id]),
            Selection::Ids(ids) => ids.iter().copied().collect(),
            _ => HashSet::new(),
        };
        Self {
            search,
            by_text: matches!(selection, Selection::Matching(_)),
            plan: Plan::default(),
            chosen,
            places: HashSet::new(),
            derived: Vec::new(),
        }
    }

    fn judge<'l>(&self, line: &'l [u8]) -> Judgement<'l> {
        let (frame, whole) = match frame::parse(line) {
            Parsed::Whole(frame) if frame.is_forgotten() => return Judgement::Nothing,
            Parsed::Whole(frame) => (frame, true),
            Parsed::Headed(frame) => (frame, false),
            Parsed::Not if self.search.is_in(line) => return Judgement::Fragment,
            Parsed::Not => return Judgement::Nothing,
        };
        let of_forgetting = frame.kind == Kind::ForgetDone.name();
        if of_forgetting && !self.by_text {
            return Judgement::Nothing;
        }
        let content = &line[frame.erasable_from()..];
        // That work is done stays true of the rest of it, and holds nothing that was in it.
        let is_in_the_books =
            [Kind::WorkDone, Kind::WorkReopened].iter().any(|kind| frame.kind == kind.name());
        let may_be_derived = !is_in_the_books && memchr::memmem::find(content, b"\"sources\"").is_some();
        let may_be_selected = self.chosen.contains(&frame.id) || self.search.is_in(content);
        if !may_be_derived && !may_be_selected {
            return Judgement::Nothing;
        }
        let event = if whole { serde_json::from_slice::<Event<'_>>(line).ok() } else { None };
        let selected = self.chosen.contains(&frame.id) || self.search.selects(event.as_ref(), content);
        let body = event.as_ref().map_or("", |event| event.body.get());
        let named = if of_forgetting && selected { Named::read(body) } else { Named::default() };
        let sources = if selected || !may_be_derived { Vec::new() } else { sources(body) };
        Judgement::Record { frame: Box::new(frame), selected, sources, named }
    }

    fn look(&mut self, line: &[u8], writer: &WriterId, at: Position, own: bool) {
        match self.judge(line) {
            Judgement::Nothing => {}
            Judgement::Fragment => {
                self.places.insert((writer.clone(), at));
                self.plan.fragments.push(fragment(writer, at, line.len() as u64));
            }
            Judgement::Record { frame, selected, sources, named } => {
                let derived = !selected;
                let (id, kind, ts) = (frame.id, frame.kind.to_owned(), frame.ts);
                let planned = Planned { id, kind, ts, writer: writer.clone(), at, derived, own };
                if selected {
                    self.plan.named_before.extend(named);
                    self.take(planned);
                } else if !sources.is_empty() {
                    self.derived.push((planned, sources));
                }
            }
        }
    }

    fn take(&mut self, planned: Planned) {
        self.chosen.insert(planned.id);
        self.places.insert((planned.writer.clone(), planned.at));
        self.plan.records.push(planned);
    }

    /// Adds what was derived, until nothing more follows.
    fn close(&mut self) {
        let derived = std::mem::take(&mut self.derived);
        let mut by_source: HashMap<EventId, Vec<EventId>> = HashMap::new();
        for (planned, sources) in &derived {
            for source in sources {
                by_source.entry(*source).or_default().push(planned.id);
            }
        }
        let mut open: Vec<EventId> = self.chosen.iter().copied().collect();
        while let Some(id) = open.pop() {
            for follower in by_source.remove(&id).unwrap_or_default() {
                if self.chosen.insert(follower) {
                    open.push(follower);
                }
            }
        }
        for (planned, _) in derived {
            if self.chosen.contains(&planned.id) {
                self.take(planned);
            }
        }
        self.plan.records.sort_by(|a, b| (&a.writer, a.at).cmp(&(&b.writer, b.at)));
    }

    /// Looks at a line of a backup, once it is known what goes from the log.
    fn look_at_copy(&mut self, line: &[u8], backup: &str, writer: &WriterId, at: Position) {
        // Overwritten together with its original.
        if self.places.contains(&(writer.clone(), at)) {
            return;
        }
        let target = match self.judge(line) {
            Judgement::Fragment => fragment(writer, at, line.len() as u64),
            Judgement::Record { frame, selected, sources, named } => {
                if !selected && !sources.iter().any(|source| self.chosen.contains(source)) {
                    return;
                }
                self.chosen.insert(frame.id);
                self.plan.named_before.extend(named);
                Target { writer: writer.clone(), at, line: Line::Record(frame.id) }
            }
            Judgement::Nothing => return,
        };
        self.plan.strays.push((backup.to_owned(), target));
    }
}
