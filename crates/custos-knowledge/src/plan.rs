//! Plans: what a session means to do, step by step, so that the next one can go on.
//!
//! `local/plans/slug.md`, at the session's root and on this machine only. A plan is known by its title: saving it again brings its steps up to
//! date, and leaves alone what else people wrote into its file: what stands indented below a step stays with it. The steps are a list of tasks
//! as Markdown has it, with two more marks: `[ ]` pending, `[>]` active, `[x]` done, `[-]` skipped.

mod listed;
#[cfg(test)]
mod tests;

use custos_config::shown::shown;
use custos_model::Kind;
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::{Base, View};
use crate::keeping::{self, Became};
use crate::refusal::Refusal;
use crate::shelf::{Contents, Fault, Item, Shelf};
use crate::store::{Level, Store, Writing};
use crate::text::{self, Document, Front};
use listed::Listed;

/// Where plans are, below the store.
pub(crate) const DIRECTORY: &str = "local/plans";
/// The section that holds the steps.
const STEPS: &str = "Steps";
/// The longest slug of a plan.
pub const LONGEST_SLUG: usize = 60;
/// The most steps, and the longest one in bytes: nobody follows a longer plan, and its file must stay readable.
const MOST_STEPS: usize = 200;
const LONGEST_STEP: usize = 2_000;

/// Whether a plan is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanStatus {
    /// It is.
    #[default]
    Active,
    /// It was, to its end.
    Done,
    /// It was given up.
    Dropped,
}

impl PlanStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Active, Self::Done, Self::Dropped];

    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }

    /// Reads the word, in whatever case.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word().eq_ignore_ascii_case(word))
    }
}

/// How far a step has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepState {
    /// It is still to be done.
    #[default]
    Pending,
    /// Somebody is at it.
    Active,
    /// It is done.
    Done,
    /// It is not needed after all.
    Skipped,
}

impl StepState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Active, Self::Done, Self::Skipped];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Done => "done",
            Self::Skipped => "skipped",
        }
    }

    /// Reads the word, in whatever case.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word().eq_ignore_ascii_case(word))
    }

    /// What stands between the brackets.
    pub const fn mark(self) -> char {
        match self {
            Self::Pending => ' ',
            Self::Active => '>',
            Self::Done => 'x',
            Self::Skipped => '-',
        }
    }

    /// Reads what stands between the brackets. A mark that nobody knows is no proof that anything was done.
    fn marked(mark: char) -> Self {
        Self::ALL.into_iter().find(|state| state.mark() == mark.to_ascii_lowercase()).unwrap_or_default()
    }

    fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Step {
    /// What is to be done, in one line.
    pub text: String,
    /// How far it has come.
    pub state: StepState,
}

/// A plan as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The name of its file.
    pub slug: String,
    /// What it is about, in one line.
    pub title: String,
    /// Whether it is followed.
    pub status: PlanStatus,
    /// When it was made.
    pub created: String,
    /// When it was last changed.
    pub updated: String,
    /// The session that made it.
    pub session: Option<String>,
    /// What is to be done.
    pub steps: Vec<Step>,
}

impl Item for Plan {
    type Beside = ();

    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|problem| Fault::of(file, &problem))?;
        let document = document.without_secrets();
        let front = document.front();
        let own = |key: &str| front.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let word = own("status").unwrap_or_else(|| PlanStatus::default().word().to_owned());
        let Some(status) = PlanStatus::of(&word) else {
            let words = PlanStatus::ALL.map(PlanStatus::word).join(", ");
            let reason = format!("the status is {:?}, and should be one of {words}", shown(&word));
            return Err(Fault::new(file, front.line_of("status").unwrap_or(1), reason));
        };
        // A person may begin with the steps right away.
        let steps = document.section(STEPS).unwrap_or_else(|| document.lead());
        Ok(Self {
            slug: keeping::stem(file).to_owned(),
            title: keeping::shown_title(&own("title").unwrap_or_else(|| document.title().to_owned())),
            status,
            created: own("created").unwrap_or_default(),
            updated: own("updated").unwrap_or_default(),
            session: own("session"),
            steps: Listed::read(steps).steps(),
        })
    }

    fn title(&self) -> &str {
        &self.title
    }
}

impl Plan {
    /// Writes it as a file of its own, with a text above the steps.
    fn to_text(&self, lead: &str) -> String {
        let mut front = Front::default();
        front.set_text("slug", &self.slug);
        front.set_text("title", &self.title);
        front.set_text("status", self.status.word());
        front.set_text("created", &self.created);
        front.set_text("updated", &self.updated);
        if let Some(session) = &self.session {
            front.set_text("session", session);
        }
        Document::compose(front, &self.title, lead, &[(STEPS, listed(&self.steps))]).to_text()
    }

    /// Says whether no step is left.
    pub fn is_finished(&self) -> bool {
        !self.steps.is_empty() && self.steps.iter().all(|step| step.state.is_over())
    }
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedPlan {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Whether it is followed.
    pub status: PlanStatus,
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

impl Base {
    /// Keeps a plan. One with the same title is brought up to date; its status stays unless another is given, and so do its steps where only
    /// the status is.
    pub fn save_plan(
        &self,
        view: &View,
        title: &str,
        steps: &[Step],
        status: Option<PlanStatus>,
    ) -> Result<SavedPlan, Refusal> {
        let cleaned = self.clean_title(title)?;
        let is_shortened = cleaned.is_shortened();
        let rest = cleaned.before("");
        let are_kept = steps.is_empty() && status.is_some();
        let steps = if are_kept { Vec::new() } else { self.clean_steps(steps)? };
        let store = self.session_store(view);
        let writing = self.lock(store)?;
        let there = Shelf::<Plan>::new(DIRECTORY).contents(store);
        let twin = there.items.iter().find(|kept| text::equivalent(&kept.item.title, &cleaned.title));
        let now = self.now_text();
        let mut plan = Plan {
            slug: text::slug(&cleaned.title, LONGEST_SLUG),
            title: cleaned.title,
            status: status.unwrap_or_default(),
            created: now.clone(),
            updated: now,
            session: self.around().session(),
            steps,
        };
        let mut reopened = None;
        let (file, became) = match twin {
            Some(kept) => {
                let mut document = keeping::open(&writing, &kept.file)?;
                let listed = Listed::of(&document);
                let before = listed.steps();
                let listed = if are_kept { listed } else { listed.renewed(plan.steps) };
                plan = Plan { updated: plan.updated, steps: listed.steps(), ..Plan::clone(&kept.item) };
                // A plan that was dropped has steps that nobody takes; whoever is at one follows it again.
                let goes_on = match plan.status {
                    PlanStatus::Active => false,
                    PlanStatus::Done => !plan.is_finished(),
                    PlanStatus::Dropped => plan.steps.iter().any(|step| step.state == StepState::Active),
                };
                reopened = (goes_on && status.is_none()).then_some(plan.status);
                plan.status =
                    status.unwrap_or(if reopened.is_some() { PlanStatus::Active } else { plan.status });
                // An item is without what is secret, and its file may not be.
                let is_same = plan.status == kept.item.status && plan.steps == before;
                let became = if is_same { Became::Unchanged } else { Became::Updated };
                if became == Became::Updated {
                    let listed = (!are_kept).then_some(&listed);
                    bring_up_to_date(&mut document, &plan, listed);
                    keeping::write(&writing, &kept.file, &document.to_text())?;
                }
                (kept.file.clone(), became)
            }
            None if are_kept => {
                return Err(Refusal::missing(
                    format!("there is no plan {} yet, and a new one needs steps", shown(&plan.title)),
                    "Send `steps` as a list of short lines; `plans` shows what there is",
                ));
            }
            None => (write_new(&writing, &there, &mut plan, &rest)?, Became::Created),
        };
        drop(writing);
        let mut notes = Vec::from_iter(self.note_session_store(view));
        if is_shortened {
            notes.push(match became {
                Became::Created => {
                    "The title was shortened; the file has the rest above the steps".to_owned()
                }
                _ => "The title was shortened, and is known by its beginning".to_owned(),
            });
        }
        if let Some(was) = reopened {
            let steps = match was {
                PlanStatus::Dropped => "a step that somebody is at",
                _ => "steps that are not",
            };
            let was = was.word();
            notes.push(format!(
                "It was {was} and has {steps}, so it is active again; send status {was} if it is not"
            ));
        }
        if plan.is_finished() && plan.status == PlanStatus::Active {
            notes.push("No step is left; save it once more with status done if it is".to_owned());
        }
        if became != Became::Unchanged {
            notes.extend(self.record_plan(store, &plan, &file, became));
        }
        Ok(SavedPlan {
            slug: plan.slug,
            title: plan.title,
            status: plan.status,
            level: store.level,
            store: store.name.clone(),
            file,
            became,
            notes,
        })
    }

    /// Gives the plan that a title would bring up to date.
    pub fn plan_titled(&self, view: &View, title: &str) -> Option<Plan> {
        let cleaned = self.clean_title(title).ok()?;
        let plans = self.plans(view, None).items.into_iter();
        let mut same = plans.filter(|kept| text::equivalent(&kept.item.title, &cleaned.title));
        same.next().map(|kept| Plan::clone(&kept.item))
    }

    /// Gives the plans of a session's root, those with a status or all of them; and the files that are none.
    pub fn plans(&self, view: &View, status: Option<PlanStatus>) -> Contents<Plan> {
        let stack = self.session_stack(view);
        let mut contents = stack.plans.contents(&stack.store);
        contents.items.retain(|kept| status.is_none_or(|status| kept.item.status == status));
        // The one that was worked on last comes first.
        contents.items.sort_by(|a, b| b.item.updated.cmp(&a.item.updated));
        contents
    }

    fn clean_steps(&self, steps: &[Step]) -> Result<Vec<Step>, Refusal> {
        if steps.is_empty() || steps.len() > MOST_STEPS {
            return Err(Refusal::new(
                format!("a plan has 1 to {MOST_STEPS} steps, and this one has {}", steps.len()),
                "Send `steps` as a list of short lines, each what is to be done next",
            ));
        }
        let mut cleaned = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let text = self.clean("step", &step.text)?;
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if text.is_empty() || text.len() > LONGEST_STEP {
                return Err(Refusal::new(
                    format!(
                        "step {} is {} bytes long, and should be 1 to {LONGEST_STEP}",
                        at + 1,
                        text.len()
                    ),
                    "Say in one line what is to be done",
                ));
            }
            cleaned.push(Step { text, state: step.state });
        }
        Ok(cleaned)
    }

    fn record_plan(&self, store: &Store, plan: &Plan, file: &str, became: Became) -> Option<String> {
        let kind = if became == Became::Created { Kind::KnowledgeSaved } else { Kind::KnowledgeUpdated };
        let body = Map::from_iter([
            ("item".to_owned(), json!("plan")),
            ("slug".to_owned(), json!(plan.slug)),
            ("title".to_owned(), json!(plan.title)),
            ("file".to_owned(), json!(file)),
            ("status".to_owned(), json!(plan.status)),
            ("text".to_owned(), json!(listed(&plan.steps))),
        ]);
        self.record(kind, store, body)
    }
}

/// Writes a plan into a file of its own. If the file that it would have cannot be read, that may well be this plan: nothing is written.
fn write_new(
    writing: &Writing<'_>,
    there: &Contents<Plan>,
    plan: &mut Plan,
    lead: &str,
) -> Result<String, Refusal> {
    let wanted = format!("{DIRECTORY}/{}.md", plan.slug);
    if let Some(fault) = there.faults.iter().find(|fault| fault.file == wanted) {
        return Err(keeping::broken(writing.store(), fault));
    }
    let file = writing.write_new(DIRECTORY, &plan.slug, &plan.to_text(lead))?;
    keeping::stem(&file).clone_into(&mut plan.slug);
    Ok(file)
}

/// Changes status and time in the file of a plan, and the steps where there are others. What else it says stays: also text between the steps,
/// which then stands below them.
fn bring_up_to_date(document: &mut Document, plan: &Plan, listed: Option<&Listed>) {
    let front = document.front_mut();
    front.set_text("status", plan.status.word());
    front.set_text("updated", &plan.updated);
    let Some(listed) = listed else { return };
    if document.section(STEPS).is_none() {
        let rest = Listed::read(document.lead()).rest;
        document.replace_lead(&rest);
    }
    document.replace_section(STEPS, &listed.to_text());
}

/// Writes steps as a list.
fn listed(steps: &[Step]) -> String {
    let lines: Vec<String> =
        steps.iter().map(|step| format!("- [{}] {}", step.state.mark(), step.text)).collect();
    lines.join("\n")
}
