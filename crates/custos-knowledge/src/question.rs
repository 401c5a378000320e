//! Questions: what an agent could not settle and left for a person.
//!
//! All questions of a project are in one file, `questions.md`, so that a person finds them in one place and can answer there, in any editor:
//! text below `### Answer` is an answer, whether or not its status says so. A question is open, then answered, then applied to the work, and
//! in the end archived; archived ones leave the file only when it grows too large, for `archive/questions.md` and its neighbours. Ids count up
//! and are never given out twice: the question with the highest one never leaves.
//!
//! How the file is read and changed is the business of `sheet`.

mod sheet;
#[cfg(test)]
mod tests;

use custos_config::shown::shown;
use custos_model::Kind;
use custos_redact::redact;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::{Base, View};
use crate::counter;
use crate::keeping::{self, Became};
use crate::naming::{Namesake, number_of};
use crate::refusal::Refusal;
use crate::shelf::Fault;
use crate::store::{Level, Store, StoreError, Writing};
use crate::text::Wording;
use sheet::{Change, Nameless, Part, Place, Sheet};

/// The file, below the store.
pub const FILE: &str = "questions.md";

/// How large the file may grow before archived questions leave it: well below what is read again.
const FULL: usize = 512 << 10;
/// The highest number of an id. A file that goes up to it has no place for another.
const HIGHEST: u32 = 999_999_999;

/// How far a question has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nobody has answered it.
    #[default]
    Open,
    /// There is an answer, and nobody has acted on it yet.
    Answered,
    /// What was answered is done.
    Applied,
    /// It is over, with or without an answer.
    Archived,
}

impl Status {
    /// All of them, in the order in which a question goes through them.
    pub const ALL: [Self; 4] = [Self::Open, Self::Answered, Self::Applied, Self::Archived];

    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Applied => "applied",
            Self::Archived => "archived",
        }
    }

    /// Reads the word, in whatever case.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word().eq_ignore_ascii_case(word))
    }
}

/// A question as the file has it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Question {
    /// `Q-001`.
    pub id: String,
    /// The question in one line.
    pub title: String,
    /// How far it has come.
    pub status: Status,
    /// When it was asked.
    pub asked: Option<String>,
    /// When it was answered.
    pub answered: Option<String>,
    /// When the answer was applied.
    pub applied: Option<String>,
    /// When it was archived.
    pub archived: Option<String>,
    /// The session that asked.
    pub session: Option<String>,
    /// The question in full.
    pub question: String,
    /// What one has to know in order to answer.
    pub context: String,
    /// The answer.
    pub answer: String,
    /// What was done with the answer, or why it is over.
    pub note: String,
}

/// The questions of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Questions {
    /// The questions, as they stand in the file.
    pub questions: Vec<Question>,
    /// What could not be read.
    pub faults: Vec<Fault>,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedQuestion {
    /// Its id.
    pub id: String,
    /// The question in one line.
    pub title: String,
    /// How far it has come.
    pub status: Status,
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// What became of it.
    pub became: Became,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// The number of an id such as `Q-012`.
pub fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix(['Q', 'q'])?.strip_prefix('-')?;
    let counts = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    counts.then(|| digits.parse().ok())?
}

/// Says whether a question is meant by an id, which may be written `Q-012`, `q12` or `12`.
pub fn is_called(question: &Question, id: &str) -> bool {
    number_of('Q', id).is_some_and(|wanted| number(&question.id) == Some(wanted))
}

impl Base {
    /// Gives all questions of a project, with what could not be read of them.
    pub fn questions(&self, view: &View) -> Questions {
        let sheet = match read_sheet(&view.own().store) {
            Ok(sheet) => sheet,
            Err(fault) => return Questions { questions: Vec::new(), faults: vec![fault] },
        };
        let faults = sheet.places().iter().filter_map(Place::fault).chain(twins(&sheet));
        let faults = faults.chain(sheet.nameless().iter().map(has_no_id)).collect();
        Questions { questions: sheet.shown(), faults }
    }

    /// Gives the questions of a project that nobody has answered.
    pub fn open_questions(&self, view: &View) -> Questions {
        let mut all = self.questions(view);
        all.questions.retain(|question| question.status == Status::Open);
        all
    }

    /// Leaves a question for a person. If the same is open already, that one is given back.
    pub fn ask(&self, view: &View, question: &str, context: &str) -> Result<SavedQuestion, Refusal> {
        let question = self.clean("question", question)?;
        let context = self.clean("context", context)?;
        let Some(title) = question.lines().find_map(|line| self.clean_title(line).ok()) else {
            return Err(Refusal::new(
                "question is empty",
                "Send the question in `question`, and what one has to know for it in `context`",
            ));
        };
        let store = &view.own().store;
        let writing = self.lock(store)?;
        let sheet = read_sheet(store).map_err(|fault| keeping::broken(store, &fault))?;
        // Of thousands each is compared with it, and the store is locked meanwhile.
        let wording = Wording::of(&question);
        let asks_the_same = |known: &Question| Wording::of(&known.question).is_equivalent(&wording);
        let same = |place: &&Place| place.question.status == Status::Open && asks_the_same(&place.question);
        if let Some(twin) = sheet.places().iter().find(same) {
            let note = format!("{} asks the same and is still open, so nothing was added", twin.question.id);
            return Ok(outcome(&twin.question, store, Became::Unchanged, vec![note]));
        }
        let known = sheet.places().iter().rev().map(|place| &place.question);
        let known =
            known.filter(|known| !known.answer.is_empty()).find(|known| asks_the_same(known)).map(|known| {
                let Question { id, status, answer, .. } = known;
                format!("{id} asked the same and is {}: {}", status.word(), shown(&redact(answer)))
            });
        let asked = Question {
            id: next_id(store, &sheet)?,
            title: title.title,
            asked: Some(self.now_text()),
            session: self.around().session().map(|session| crate::handoff::safe_session(&session)),
            question,
            context,
            ..Question::default()
        };
        counter::note(&writing, 'Q', number(&asked.id));
        let mut notes = write_sheet(&writing, sheet.with(&asked))?;
        notes.extend(known);
        drop(writing);
        let body = body(&asked, &[("text", &asked.question), ("context", &asked.context)]);
        notes.extend(self.record(Kind::QuestionAsked, store, body));
        Ok(outcome(&asked, store, Became::Created, notes))
    }

    /// Answers an open question.
    pub fn answer(&self, view: &View, id: &str, answer: &str) -> Result<SavedQuestion, Refusal> {
        let answer = self.clean("answer", answer)?;
        if answer.is_empty() {
            return Err(Refusal::new(
                "answer is empty",
                "Send the person's answer in `answer`, in their words",
            ));
        }
        self.move_on(view, id, Kind::QuestionAnswered, Status::Answered, Part::Answer, &answer)
    }

    /// Says that an answer was applied, or that a question is over. The note says what was done, or why.
    pub fn update_question(
        &self,
        view: &View,
        id: &str,
        status: Status,
        note: &str,
    ) -> Result<SavedQuestion, Refusal> {
        if !matches!(status, Status::Applied | Status::Archived) {
            return Err(Refusal::new(
                format!("a question cannot be set to {}", status.word()),
                "Send status `applied` once the answer is acted on, or `archived`; answer_question answers it",
            ));
        }
        let note = self.clean("note", note)?;
        self.move_on(view, id, Kind::KnowledgeUpdated, status, Part::Note, &note)
    }

    /// Brings a question to its next status, and adds a text to one of its parts.
    fn move_on(
        &self,
        view: &View,
        id: &str,
        kind: Kind,
        status: Status,
        part: Part,
        text: &str,
    ) -> Result<SavedQuestion, Refusal> {
        let address = self.settled(view, "question", id, questions_called)?;
        let store = &address.view.own().store;
        let open = || read_sheet(store).map_err(|fault| keeping::broken(store, &fault));
        // Whoever names a question that is not there begins no base.
        find(store, &open()?, address.name)?;
        let writing = self.lock(store)?;
        let sheet = open()?;
        let at = find(store, &sheet, address.name)?;
        let before = &sheet.places()[at].question;
        check_step(before, status)?;
        let change = Change { status, time: &self.now_text(), part, text };
        let changed = sheet.changed(at, &change).ok_or_else(|| {
            let line = sheet.places()[at].line;
            let reason = "this question is written in a way that cannot be changed without harm";
            keeping::broken(store, &Fault::new(FILE, line, reason))
        })?;
        let after = changed.places()[at].question.clone();
        let mut notes = write_sheet(&writing, changed.text().to_owned())?;
        drop(writing);
        let body = body(&after, &[("text", text), ("question", &after.question)]);
        notes.extend(self.record(kind, store, body));
        Ok(outcome(&after, store, Became::Updated, notes))
    }
}

/// Refuses a step that leaves one out.
fn check_step(question: &Question, to: Status) -> Result<(), Refusal> {
    let id = &question.id;
    let next = match (question.status, to) {
        (Status::Archived, _) => "Ask it anew (ask_question) if it matters again".to_owned(),
        (_, Status::Archived) | (Status::Open, Status::Answered) | (Status::Answered, Status::Applied) => {
            return Ok(());
        }
        (Status::Open, _) => format!(
            "Answer it first (answer_question with question_id {id}), or archive it if nobody needs an answer"
        ),
        (Status::Applied, Status::Applied) => {
            "Nothing is left to do; set it to archived once nobody needs it".to_owned()
        }
        (Status::Applied, _) => {
            "Its answer stays, and was acted on already. If the answer changed, ask anew (ask_question)"
                .to_owned()
        }
        (_, _) => format!(
            "Its answer stays. Act on it and set it to applied (update_question with question_id {id}); if the answer changed, ask anew"
        ),
    };
    let now = question.status.word();
    Err(Refusal::new(format!("{id} is {now}, and cannot be {} now", to.word()), next))
}

fn read_sheet(store: &Store) -> Result<Sheet, Fault> {
    sheet_of(store.read(FILE))
}

fn sheet_of(read: Result<Option<String>, StoreError>) -> Result<Sheet, Fault> {
    match read {
        Ok(text) => Sheet::read(text.unwrap_or_default()),
        Err(error) => Err(Fault::new(FILE, 0, error.to_string())),
    }
}

/// Writes the file. One that is full gives its archived questions away; the note says where they are now.
fn write_sheet(writing: &Writing<'_>, mut text: String) -> Result<Vec<String>, Refusal> {
    let mut notes = Vec::new();
    if text.len() > FULL
        && let Ok(full) = Sheet::read(text.clone())
        && let Some((kept, moved)) = full.without_archived()
    {
        let file = writing.set_aside("archive", "questions", &moved)?;
        notes.push(format!("{FILE} was full, so its archived questions are in {file} now"));
        text = kept;
    }
    keeping::write(writing, FILE, &text)?;
    Ok(notes)
}

/// Finds what an id means in a view of one project, for whoever has to say which is meant.
fn questions_called(view: &View, id: &str) -> Vec<Namesake> {
    let own = &view.own().store;
    let asked = all_in(own.read(FILE)).unwrap_or_default();
    let called = asked.iter().filter(|question| is_called(question, id));
    called
        .map(|question| Namesake {
            level: own.level,
            store: own.name.clone(),
            name: question.id.clone(),
            title: redact(&question.title).into_owned(),
        })
        .collect()
}

/// Finds a question by its id, which may be written `q-1`, `q1` or `1` as well.
fn find(store: &Store, sheet: &Sheet, id: &str) -> Result<usize, Refusal> {
    let same = |place: &Place| is_called(&place.question, id);
    let found: Vec<usize> = (0..sheet.places().len()).filter(|at| same(&sheet.places()[*at])).collect();
    match found[..] {
        [] => Err(Refusal::missing(
            format!("there is no question {}", shown(id)),
            "Send question_id like Q-001; list_open_questions lists those that are open",
        )),
        [at] => match sheet.places()[at].fault() {
            Some(fault) => Err(keeping::broken(store, &fault)),
            None => Ok(at),
        },
        [_, second, ..] => {
            let line = sheet.places()[second].line;
            let reason = format!("a second question has the id {}", shown(id));
            Err(keeping::broken(store, &Fault::new(FILE, line, reason)))
        }
    }
}

/// What the doctor finds in the file of a store.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// The questions that cannot be changed as they stand. The others are read as usual.
    pub(crate) faults: Vec<Fault>,
    /// The ids that a merge gave to two questions.
    pub(crate) twins: Vec<Fault>,
    /// The questions that have no id, each with the heading that would give it one.
    pub(crate) nameless: Vec<(Fault, String)>,
    /// The file with an id of its own for each question, if that can be.
    pub(crate) renumbered: Option<Renumbered>,
}

/// The file as it is, with an id of its own for each question, and the highest number that is given out then.
#[derive(Debug)]
pub(crate) struct Renumbered {
    pub(crate) was: String,
    pub(crate) text: String,
    pub(crate) highest: u32,
    /// Which question has which id then.
    pub(crate) done: String,
}

/// Looks through the file of a store.
pub(crate) fn looked_at(store: &Store) -> Result<Looked, Fault> {
    let sheet = read_sheet(store)?;
    let twins: Vec<Fault> = twins(&sheet).collect();
    let highest = counter::highest(store, 'Q', sheet.highest().unwrap_or(0));
    let renumbered = if twins.is_empty() { None } else { sheet.renumbered(highest) };
    let free = (highest + 1..).map(|number| format!("Q-{number:03}"));
    let named = |(nameless, id): (&Nameless, String)| {
        (has_no_id(nameless), format!("## {id}: {}", shown(&redact(&nameless.title))))
    };
    Ok(Looked {
        nameless: sheet.nameless().iter().zip(free).map(named).collect(),
        faults: sheet.places().iter().filter_map(Place::fault).collect(),
        twins,
        renumbered: renumbered.map(|(renumbered, done)| Renumbered {
            was: sheet.text().to_owned(),
            text: renumbered.text().to_owned(),
            highest: renumbered.highest().unwrap_or(0).max(highest),
            done,
        }),
    })
}

/// Reports the ids that a merge gave to two questions.
fn twins(sheet: &Sheet) -> impl Iterator<Item = Fault> + '_ {
    let places = sheet.places();
    let mut seen = std::collections::HashMap::new();
    places.iter().filter_map(move |place| {
        let number = number(&place.question.id)?;
        let first = *seen.entry(number).or_insert(place.line);
        let reason = format!("{} is the id of the question in line {first} as well", place.question.id);
        (first != place.line).then(|| Fault::new(FILE, place.line, reason))
    })
}

/// Reports a question that nobody can call by an id.
fn has_no_id(nameless: &Nameless) -> Fault {
    let reason = format!(
        "has a question without an id, which nobody can answer: \"{}\"",
        shown(&redact(&nameless.title))
    );
    Fault::new(FILE, nameless.line, reason)
}

/// Gives the next id: one more than any that is or was there.
fn next_id(store: &Store, sheet: &Sheet) -> Result<String, Refusal> {
    let highest = counter::highest(store, 'Q', sheet.highest().unwrap_or(0));
    if highest >= HIGHEST {
        return Err(Refusal::new(
            format!("{FILE} has a question Q-{highest}, so that no id is left"),
            "Give that question a smaller number, in the file",
        ));
    }
    Ok(format!("Q-{:03}", highest + 1))
}

fn body(question: &Question, texts: &[(&str, &str)]) -> Map<String, Value> {
    let mut body = Map::from_iter([
        ("item".to_owned(), json!("question")),
        ("id".to_owned(), json!(question.id)),
        ("title".to_owned(), json!(question.title)),
        ("file".to_owned(), json!(FILE)),
        ("status".to_owned(), json!(question.status)),
    ]);
    body.extend(texts.iter().map(|(key, text)| ((*key).to_owned(), json!(text))));
    body
}

fn outcome(question: &Question, store: &Store, became: Became, notes: Vec<String>) -> SavedQuestion {
    SavedQuestion {
        id: question.id.clone(),
        title: redact(&question.title).into_owned(),
        status: question.status,
        level: store.level,
        store: store.name.clone(),
        file: FILE.to_owned(),
        became,
        notes,
    }
}

/// Gives the questions of a store's file as it was read, for whoever brings others.
pub(crate) fn all_in(read: Result<Option<String>, StoreError>) -> Result<Vec<Question>, Fault> {
    Ok(sheet_of(read)?.places().iter().map(|place| place.question.clone()).collect())
}

/// Gives the text of a store's file with more questions at its end. They have their ids already.
pub(crate) fn with_all(read: Result<Option<String>, StoreError>, new: &[Question]) -> Result<String, Fault> {
    let sheet = sheet_of(read)?;
    let Some((first, others)) = new.split_first() else { return Ok(sheet.text().to_owned()) };
    let begun = sheet.with(first);
    let others: String = others.iter().map(|question| format!("\n{}", question.to_text())).collect();
    let text = crate::lines::insert(&begun, begun.len(), &others);
    Sheet::read(text.clone())?;
    Ok(text)
}
