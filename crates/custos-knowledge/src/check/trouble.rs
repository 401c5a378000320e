//! What is wrong with a file, and what would mend it.
//!
//! A remedy is worked out when the file is read and applied under the lock. A person's editor takes no lock, so the file has to be as it was
//! then; and each remedy is made of steps of which every single one leaves the item whole, in one place or in two, and never in none.

use custos_config::shown::shown;
use custos_config::source::ReadError;

use crate::counter;
use crate::keeping;
use crate::refusal::Refusal;
use crate::shelf::Fault;
use crate::store::{Store, StoreError, Writing};

/// Something that is wrong.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble {
    /// What the file holds, in the words of the log.
    pub(super) item: &'static str,
    pub(super) file: String,
    /// The line, or 0 where it is about the whole file.
    pub(super) line: usize,
    pub(super) what: String,
    /// What a person should do, or what the remedy does.
    pub(super) next: String,
    pub(super) remedy: Option<Remedy>,
    /// Whether the file only repeats another one.
    pub(super) is_copy: bool,
    /// What cannot be seen any more once this is mended, and should be told with it.
    pub(super) beside: Vec<Trouble>,
}

/// What would mend a file; `was` is what it holds.
#[derive(Debug, Clone)]
pub(super) enum Remedy {
    /// Another text, another name, or both.
    Change { was: String, text: String, to: Option<String> },
    /// A number that nobody had: another text, perhaps another name, and what others say about it; and what is said then, where no name tells.
    Renumber {
        was: String,
        text: String,
        to: Option<String>,
        given: Given,
        followers: Vec<Follower>,
        said: Option<String>,
    },
    /// Another text, in the archive.
    Archive { was: String, text: String },
    /// It is a copy of another file, and goes.
    RemoveCopy { was: String },
    /// It was never finished, and goes.
    RemoveLeftover,
    /// Whoever takes the lock mends it; what is said then, and whether it is so.
    Lock { done: &'static str, is_done: fn(&Store) -> bool },
}

/// The highest number that a repair gives out, and the letter of its ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given(pub(super) char, pub(super) u32);

/// A file that names one which gets another number, and its text from then on.
#[derive(Debug, Clone)]
pub(super) struct Follower {
    pub(super) file: String,
    pub(super) was: String,
    pub(super) text: String,
}

impl Trouble {
    /// Says what is wrong with a file; `next` is for a person, or says what the remedy will do.
    pub(super) fn new(
        item: &'static str,
        file: impl Into<String>,
        line: usize,
        what: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self { item, file: file.into(), line, what: what.into(), next: next.into(), ..Self::default() }
    }

    /// Adds what would mend it.
    pub(super) fn mended_by(self, remedy: Remedy) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// Says that a file is not what it should be.
    pub(super) fn of_fault(item: &'static str, fault: Fault) -> Self {
        let next = "Mend it by hand; until then nobody reads it, and nothing overwrites it";
        Self::new(item, fault.file, fault.line, fault.reason, next)
    }

    /// Says that a file cannot be read.
    pub(super) fn of_error(item: &'static str, file: &str, error: &StoreError) -> Self {
        let (line, reason) = match error {
            StoreError::Unreadable { why: ReadError::NotText { line }, .. } => {
                (*line, "is not valid UTF-8 here: save the file as UTF-8".to_owned())
            }
            StoreError::Unreadable { why, .. } => (0, why.to_string()),
            StoreError::Link { .. } => {
                (0, "is a link, which is not followed: put the file itself here".to_owned())
            }
            other => (0, other.to_string()),
        };
        Self::of_fault(item, Fault::new(file, line, reason))
    }

    /// What tells it from others, also in the next look.
    pub(super) fn key(&self) -> (String, String) {
        (self.file.clone(), self.what.clone())
    }

    pub(super) fn is_mended_by_lock(&self) -> bool {
        matches!(self.remedy, Some(Remedy::Lock { .. }))
    }
}

impl Remedy {
    /// The other files that it changes.
    pub(super) fn others(&self) -> impl Iterator<Item = &str> {
        let followers = match self {
            Self::Renumber { followers, .. } => followers.as_slice(),
            _ => &[],
        };
        followers.iter().map(|follower| follower.file.as_str())
    }

    /// Mends a file. Gives what was done, in a sentence.
    pub(super) fn apply(&self, writing: &Writing<'_>, file: &str) -> Result<String, Refusal> {
        match self {
            Self::Change { was, text, to } => {
                refuse_changed(writing, file, was)?;
                change(writing, file, was, text, to.as_deref())
            }
            Self::Renumber { was, text, to, given, followers, said } => {
                refuse_changed(writing, file, was)?;
                for follower in followers {
                    refuse_changed(writing, &follower.file, &follower.was)?;
                }
                // After a crash they name what is not there, which the next look tells; the other way round they would name somebody else.
                for follower in followers {
                    keeping::write(writing, &follower.file, &follower.text)?;
                }
                counter::note(writing, given.0, Some(given.1));
                let changed = change(writing, file, was, text, to.as_deref())?;
                let mut done = said.clone().unwrap_or(changed);
                if !followers.is_empty() {
                    let files: Vec<String> = followers.iter().map(|follower| shown(&follower.file)).collect();
                    done.push_str(&format!(", and {} says so", files.join(", ")));
                }
                Ok(done)
            }
            Self::Archive { was, text } => {
                refuse_changed(writing, file, was)?;
                let name = writing.archive(file, text)?;
                Ok(format!("It is {} now", shown(&name)))
            }
            Self::RemoveCopy { was } => {
                refuse_changed(writing, file, was)?;
                writing.remove(file)?;
                Ok("The copy is removed".to_owned())
            }
            Self::RemoveLeftover => {
                writing.remove(file)?;
                Ok("It is removed".to_owned())
            }
            Self::Lock { done, is_done } if is_done(writing.store()) => Ok((*done).to_owned()),
            Self::Lock { .. } => Err(Refusal::new("it could not be mended", "Mend it by hand")),
        }
    }
}

/// Gives a file another text, another name, or both.
fn change(
    writing: &Writing<'_>,
    file: &str,
    was: &str,
    text: &str,
    to: Option<&str>,
) -> Result<String, Refusal> {
    // After a crash between the two, the name contradicts the front matter, which the next look mends.
    if text != was {
        keeping::write(writing, file, text)?;
    }
    match to {
        Some(to) => {
            writing.rename(file, to)?;
            Ok(format!("It is {} now", shown(to)))
        }
        None => Ok("The file says so now".to_owned()),
    }
}

fn refuse_changed(writing: &Writing<'_>, file: &str, was: &str) -> Result<(), Refusal> {
    if writing.store().read(file)?.as_deref() == Some(was) {
        return Ok(());
    }
    Err(Refusal::new("somebody changed the file just now", "Look again"))
}
