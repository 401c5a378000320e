//! Proposals: what a scan or an import found and a person has not yet agreed to.
//!
//! `local/proposals/P-001-slug.md`, on this machine only. A proposal becomes a decision or a memory when a person accepts it. One that was
//! dropped stays as a file, so that the next scan does not bring it up again. One that waits and that a later scan no longer proves, or
//! that the file of an import no longer says, is withdrawn: its number is not given to another, and it waits again as soon as it is proven
//! again. Whatever a person has said about one stands.

#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::base::{Base, View};
use crate::decision::{NewDecision, split_name};
use crate::keeping;
use crate::memory::MemoryKind;
use crate::memory::save::NewMemory;
use crate::naming::number_of;
use crate::oracle;
use crate::refusal::Refusal;
use crate::root::Root;
use crate::shelf::{Contents, Fault, Item, Kept, Shelf};
use crate::store::{Level, Store, Writing};
use crate::text::{self, Document, Front, Wording};

/// Where they wait, below the store.
const DIRECTORY: &str = "local/proposals";
/// The longest slug of a proposal.
const LONGEST_SLUG: usize = 50;

/// What a proposal would become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// A decision.
    Decision,
    /// A memory of what people asked for.
    Feedback,
    /// A memory of what works.
    Pattern,
}

impl Wanted {
    const ALL: [Self; 3] = [Self::Decision, Self::Feedback, Self::Pattern];

    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Feedback => "feedback",
            Self::Pattern => "pattern",
        }
    }
}

/// Whether anybody has said something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stand {
    /// Nobody has.
    Waiting,
    /// It was taken over.
    Accepted,
    /// It was not wanted.
    Dropped,
    /// What proposed it no longer finds it.
    Withdrawn,
}

impl Stand {
    const ALL: [Self; 4] = [Self::Waiting, Self::Accepted, Self::Dropped, Self::Withdrawn];

    /// Reads it. Whoever has not said so, or in words that nobody knows, has said nothing.
    fn of(front: &Front) -> Self {
        let word = front.text("status").unwrap_or_default();
        Self::ALL.into_iter().find(|stand| stand.word() == word).unwrap_or(Self::Waiting)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Accepted => "accepted",
            Self::Dropped => "dropped",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// Something that could be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// What it would become.
    pub wanted: Wanted,
    /// In one line.
    pub title: String,
    /// For a rule of which the title is only how it begins: a longer one, in case that another begins alike. Without it the title says it
    /// all, and what has the same title is the same.
    pub longer: Option<String>,
    /// In full.
    pub text: String,
    /// Why, or the details.
    pub more: String,
    /// The file that it comes from.
    pub evidence: String,
    /// Where it comes from: one of [`crate::decision::SOURCES`].
    pub source: &'static str,
}

impl From<&oracle::Proposal> for Proposed {
    fn from(found: &oracle::Proposal) -> Self {
        Self {
            wanted: Wanted::Decision,
            title: found.title.clone(),
            longer: None,
            text: found.decision.clone(),
            more: found.reasoning.clone(),
            evidence: found.evidence.to_string(),
            source: "scan",
        }
    }
}

/// A proposal as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// `P-001`; empty as long as it is only what would be proposed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What it would become.
    pub wanted: Wanted,
    /// Whether anybody has said something about it.
    pub stand: Stand,
    /// In one line.
    pub title: String,
    /// In full.
    pub text: String,
    /// Why, or the details.
    pub more: String,
    /// The file that it comes from.
    pub evidence: String,
    /// Where it comes from.
    pub source: String,
}

impl Item for Proposal {
    type Beside = ();

    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|problem| Fault::of(file, &problem))?;
        let front = document.front();
        let word = |key: &str| front.text(key).unwrap_or_default();
        let wanted = Wanted::ALL.into_iter().find(|wanted| wanted.word() == word("kind"));
        let (Some(wanted), false) = (wanted, word("id").is_empty()) else {
            return Err(Fault::new(file, 1, "is no proposal; remove it, and the next scan makes it anew"));
        };
        Ok(Self {
            id: word("id").to_owned(),
            wanted,
            stand: Stand::of(front),
            title: word("title").to_owned(),
            text: document.lead().to_owned(),
            more: document.section("More").unwrap_or_default().to_owned(),
            evidence: word("evidence").to_owned(),
            source: word("source").to_owned(),
        })
    }

    fn title(&self) -> &str {
        &self.title
    }
}

/// What became of a proposal that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// The proposal.
    pub proposal: String,
    /// The id or slug of what it became.
    pub became: String,
    /// The file, below the store.
    pub file: String,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// What became of what was proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Staged {
    /// Those that wait now.
    pub staged: Vec<String>,
    /// How many were known already: kept, waiting or dropped.
    pub known: usize,
}

impl Base {
    /// Stages what could be kept. What is there already, waits already or was dropped is left out.
    pub fn propose(&self, view: &View, proposed: &[Proposed]) -> Result<Staged, Refusal> {
        let store = self.session_store(view);
        let writing = self.lock(store)?;
        let Contents { items: there, faults } = Shelf::<Proposal>::new(DIRECTORY).contents(store);
        let mut known = self.known(view, &there);
        let mut highest = highest(store, &there);
        let withdrawn: Vec<_> =
            there.into_iter().filter(|kept| kept.item.stand == Stand::Withdrawn).collect();
        let mut staged = Staged::default();
        for one in proposed {
            let Ok(cleaned) = self.clean_title(&one.title) else { continue };
            let lead = self.clean("text", &one.text)?;
            let Some(title) = self.title_for(&known, &faults, one, &cleaned.title, &lead) else {
                staged.known += 1;
                continue;
            };
            let slug = text::slug(&title, LONGEST_SLUG);
            let again = withdrawn.iter().find(|kept| text::equivalent(&kept.item.title, &title));
            let evidence = self.clean("evidence", &one.evidence)?;
            let more = self.clean("more", &one.more)?;
            let id = if let Some(kept) = again {
                let mut document = keeping::open(&writing, &kept.file)?;
                let front = document.front_mut();
                front.set_text("status", Stand::Waiting.word());
                front.set_text("evidence", &evidence);
                // What somebody wrote beside it stays.
                if !document.lead().contains(&lead) {
                    document.replace_lead(&lead);
                }
                if !document.section("More").unwrap_or_default().contains(&more) {
                    document.append_to_section("More", &more);
                }
                writing.write(&kept.file, &document.to_text())?;
                kept.item.id.clone()
            } else {
                highest += 1;
                let id = format!("P-{highest:03}");
                let mut front = Front::default();
                front.set_text("id", &id);
                front.set_text("kind", one.wanted.word());
                front.set_text("title", &title);
                front.set_text("status", Stand::Waiting.word());
                front.set_text("source", one.source);
                front.set_text("evidence", &evidence);
                let document = Document::compose(front, &title, &lead, &[("More", &more)]);
                writing.write_new(DIRECTORY, &format!("{id}-{slug}"), &document.to_text())?;
                id
            };
            known.push(Known::of(&title, &lead));
            staged.staged.push(id);
        }
        Ok(staged)
    }

    /// Gives what would be staged, without the numbers that it would get.
    pub fn rehearse(&self, view: &View, proposed: &[Proposed]) -> Vec<Proposal> {
        let Contents { items: there, faults } =
            Shelf::<Proposal>::new(DIRECTORY).contents(self.session_store(view));
        let mut known = self.known(view, &there);
        let mut new = Vec::new();
        for one in proposed {
            let Ok(cleaned) = self.clean_title(&one.title) else { continue };
            let [Ok(text), Ok(more), Ok(evidence)] =
                [("text", &one.text), ("more", &one.more), ("evidence", &one.evidence)]
                    .map(|(field, text)| self.clean(field, text))
            else {
                continue;
            };
            if let Some(title) = self.title_for(&known, &faults, one, &cleaned.title, &text) {
                known.push(Known::of(&title, &text));
                let (id, source) = (String::new(), one.source.to_owned());
                let stand = Stand::Waiting;
                new.push(Proposal { id, wanted: one.wanted, stand, title, text, more, evidence, source });
            }
        }
        new
    }

    /// Reads what is kept, waits or was dropped.
    fn known(&self, view: &View, there: &[Kept<Proposal>]) -> Vec<Known> {
        let decisions = self.decisions(view, true);
        let decisions = decisions.iter().map(|placed| &placed.kept.item);
        let memories = self.memories(view, None);
        let memories = memories.iter().map(|placed| &placed.kept.item);
        let there = there.iter().map(|kept| &kept.item).filter(|item| item.stand != Stand::Withdrawn);
        decisions
            .map(|item| Known::of(&item.title, &item.decision))
            .chain(memories.map(|item| Known::of(&item.title, &item.description)))
            .chain(there.map(|item| Known::of(&item.title, &item.text)))
            .collect()
    }

    /// Gives the title under which something can be staged, or nothing if it is known.
    fn title_for(
        &self,
        known: &[Known],
        faults: &[Fault],
        one: &Proposed,
        title: &str,
        lead: &str,
    ) -> Option<String> {
        let longer = one.longer.as_deref().and_then(|longer| self.clean_title(longer).ok());
        let longer = longer.as_ref().map(|cleaned| cleaned.title.as_str());
        let title = free_title(known, title, longer, lead)?;
        let slug = text::slug(&title, LONGEST_SLUG);
        // It may be the very proposal, and say that nobody wants it.
        let is_broken = faults.iter().any(|fault| split_name(keeping::stem(&fault.file)).1 == slug);
        (!is_broken).then_some(title)
    }

    /// Takes back what a scan proposed and nobody has answered, where `is_proven` says that it no longer holds. What came from elsewhere
    /// is not the scan's to judge.
    pub(crate) fn withdraw(
        &self,
        view: &View,
        is_proven: impl Fn(&Proposal) -> bool,
    ) -> Result<Vec<String>, Refusal> {
        self.take_back(view, |item| item.source == "scan" && !is_proven(item))
    }

    /// Takes back what nobody has answered and no longer holds.
    pub(crate) fn take_back(
        &self,
        view: &View,
        is_over: impl Fn(&Proposal) -> bool,
    ) -> Result<Vec<String>, Refusal> {
        // Where nothing is over, a store that cannot be written is no obstacle.
        if !self.proposed(view).items.iter().any(|kept| is_over(&kept.item)) {
            return Ok(Vec::new());
        }
        let writing = self.lock(self.session_store(view))?;
        let mut withdrawn = Vec::new();
        // A person may have answered meanwhile, and their word stands: they are listed again, now that nobody else can.
        for kept in self.proposed(view).items {
            if is_over(&kept.item) && settle(&writing, &kept.file, Stand::Withdrawn)? {
                withdrawn.push(kept.item.id.clone());
            }
        }
        Ok(withdrawn)
    }

    /// Lists the proposals that wait, by number.
    pub fn proposed(&self, view: &View) -> Contents<Proposal> {
        let mut contents = Shelf::<Proposal>::new(DIRECTORY).contents(self.session_store(view));
        contents.items.retain(|kept| kept.item.stand == Stand::Waiting);
        contents.items.sort_by_key(|kept| number(&kept.item.id));
        contents
    }

    /// Takes the place off the front of a proposal's name, and says where it waits: `api:P-001` in the repo `api` of the workspace, and what
    /// says no place here.
    pub fn place_of_proposal<'n>(&self, view: &View, id: &'n str) -> Result<(Root, &'n str), Refusal> {
        let address = self.address(view, id);
        // Nothing is proposed to a person for all of their projects.
        if address.is_told && address.view.own().store.level == Level::User {
            return Err(none_waits(id));
        }
        Ok((address.view.root, address.name))
    }

    /// Takes a proposal over. Nobody else answers it in between.
    pub fn accept(&self, view: &View, id: &str) -> Result<Accepted, Refusal> {
        let (accepted, unsure) = self.together(|| self.keep_proposed(view, id));
        let mut accepted = accepted?;
        accepted.notes.extend(unsure);
        Ok(accepted)
    }

    fn keep_proposed(&self, view: &View, id: &str) -> Result<Accepted, Refusal> {
        // It stays locked until all is done that is done together.
        drop(self.lock(self.session_store(view))?);
        let kept = self.waiting(view, id)?;
        let item = &kept.item;
        let source =
            crate::decision::SOURCES.into_iter().find(|source| *source == item.source).unwrap_or("scan");
        let (became, file, mut notes) = match item.wanted {
            Wanted::Decision => {
                let new = NewDecision {
                    title: item.title.clone(),
                    decision: item.text.clone(),
                    reasoning: with_evidence(item),
                    source,
                    ..NewDecision::default()
                };
                let saved = self.save_decision(&new, view)?.remove(0);
                (saved.id, saved.file, saved.notes)
            }
            Wanted::Feedback | Wanted::Pattern => {
                let kind =
                    if item.wanted == Wanted::Feedback { MemoryKind::Feedback } else { MemoryKind::Pattern };
                let new = NewMemory {
                    kind,
                    title: item.title.clone(),
                    description: item.text.clone(),
                    body: with_evidence(item),
                    keywords: Vec::new(),
                    scope: Vec::new(),
                    source,
                    supersedes: Vec::new(),
                };
                let saved = self.save_memory(&new, view)?.remove(0);
                (saved.slug, saved.file, saved.notes)
            }
        };
        // Whoever said yes to it must find it, so it has its name before the proposal is answered for good.
        self.make_sure(&view.own().store, &file)?;
        let writing = self.lock(self.session_store(view))?;
        if !settle(&writing, &kept.file, Stand::Accepted)? {
            notes.push(format!(
                "{} was answered meanwhile by somebody else; it is kept all the same",
                item.id
            ));
        }
        Ok(Accepted { proposal: item.id.clone(), became, file, notes })
    }

    /// Turns a proposal down, for good.
    pub fn drop_proposed(&self, view: &View, id: &str) -> Result<String, Refusal> {
        let kept = self.waiting(view, id)?;
        let writing = self.lock(self.session_store(view))?;
        if settle(&writing, &kept.file, Stand::Dropped)? {
            Ok(kept.item.id.clone())
        } else {
            Err(none_waits(id))
        }
    }

    fn waiting(&self, view: &View, id: &str) -> Result<Kept<Proposal>, Refusal> {
        let wanted = number_of('P', id);
        let found = self
            .proposed(view)
            .items
            .into_iter()
            .find(|kept| wanted.is_some() && number(&kept.item.id) == wanted);
        found.ok_or_else(|| none_waits(id))
    }
}

fn none_waits(id: &str) -> Refusal {
    Refusal::missing(
        format!("there is no proposal {} that waits", custos_config::shown::shown(id)),
        "`custos proposals` lists those that do",
    )
}

/// Says what became of a proposal that waits, and whether it still did. What was said about it before stays.
fn settle(writing: &Writing<'_>, file: &str, stand: Stand) -> Result<bool, Refusal> {
    let mut document = keeping::open(writing, file)?;
    if Stand::of(document.front()) != Stand::Waiting {
        return Ok(false);
    }
    document.front_mut().set_text("status", stand.word());
    writing.write(file, &document.to_text())?;
    Ok(true)
}

/// What is kept, waits or was dropped, read for comparison.
struct Known {
    title: Wording,
    text: Wording,
}

impl Known {
    fn of(title: &str, text: &str) -> Self {
        Self { title: Wording::of(title), text: Wording::of(text) }
    }
}

/// Gives the title under which something can be staged, or nothing if it is known. Two rules may begin alike and say different things; but
/// one that says no more than its title is said already by whatever has that title.
fn free_title(known: &[Known], title: &str, longer: Option<&str>, text: &str) -> Option<String> {
    let is_free = |title: &str| {
        let wording = Wording::of(title);
        !known.iter().any(|known| known.title.is_equivalent(&wording))
    };
    let said = Wording::of(text);
    let is_said = longer.is_some() && known.iter().any(|known| known.text.is_equivalent(&said));
    if is_said {
        return None;
    }
    if is_free(title) {
        return Some(title.to_owned());
    }
    let longer = longer.filter(|_| !Wording::of(title).is_equivalent(&said))?;
    let numbered = (2_usize..).map(|count| format!("{title} ({count})"));
    std::iter::once(longer.to_owned()).chain(numbered).find(|title| is_free(title))
}

/// Why something holds, with the file that proves it: the proposal stays on this machine, and what it became does not.
fn with_evidence(item: &Proposal) -> String {
    if item.evidence.is_empty() || item.more.contains(&item.evidence) {
        return item.more.clone();
    }
    format!("{}\n\nEvidence: `{}`", item.more, item.evidence).trim_start().to_owned()
}

/// Gives the highest number that was given out, also to a file that cannot be read, or that is called otherwise than it says.
fn highest(store: &Store, there: &[Kept<Proposal>]) -> u32 {
    let named =
        store.list(DIRECTORY).into_iter().filter_map(|name| number(split_name(keeping::stem(&name)).0));
    named.chain(there.iter().filter_map(|kept| number(&kept.item.id))).max().unwrap_or(0)
}

fn number(id: &str) -> Option<u32> {
    id.strip_prefix("P-").filter(|digits| (1..=9).contains(&digits.len()))?.parse().ok()
}
