//! Saving a decision.

use std::sync::Arc;

use custos_model::Kind;

use super::archive::{is_guarded, name_in};
use super::{
    Decision, Enforce, HIGHEST, LONGEST_SLUG, NewDecision, SavedDecision, body, id_of, number, outcome,
    split_name,
};
use crate::base::{Base, Stack, View};
use crate::counter;
use crate::keeping;
use crate::naming::{Called as _, Found};
use crate::oracle;
use crate::refusal::Refusal;
use crate::shelf::{Contents, Kept};
use crate::store::{Level, Store, Writing};
use crate::text::{self, Front, Wording};

/// The largest file that the guard enforces.
pub(super) const LARGEST_GUARDED: usize = 64 << 10;

/// A decision as it may be written.
pub(super) struct Wanted<'a> {
    pub(super) new: &'a NewDecision,
    pub(super) view: &'a View,
    /// The stores that it is for.
    pub(super) stacks: Vec<Arc<Stack>>,
    /// Those whose place it takes.
    pub(super) superseded: Vec<Found<Decision>>,
    title: String,
    wording: Wording,
    decision: String,
    reasoning: String,
    scope: Vec<String>,
    spellings: Option<usize>,
    notes: Vec<String>,
}

impl Base {
    /// Keeps a decision, in every store that its scope names. An equivalent title changes nothing.
    pub fn save_decision(&self, new: &NewDecision, view: &View) -> Result<Vec<SavedDecision>, Refusal> {
        let cleaned = self.clean_title(&new.title)?;
        if let Some(pointer) = text::points_at(&cleaned.title) {
            return Err(points_elsewhere(&pointer));
        }
        let shortened = cleaned
            .is_shortened()
            .then(|| "The title was shortened; its end is at the beginning of the decision".to_owned());
        let mut targets = self.targets(&new.scope, view);
        let wanted = Wanted {
            new,
            view,
            wording: Wording::of(&cleaned.title),
            decision: self.clean("decision", &cleaned.before(&new.decision))?,
            title: cleaned.title,
            reasoning: self.clean("reasoning", &new.reasoning)?,
            scope: keeping::labels(self, &new.scope),
            spellings: self.proven(new, view)?,
            superseded: self.superseded(new, view, &mut targets)?,
            stacks: targets.stacks.clone(),
            notes: shortened.into_iter().collect(),
        };
        if new.guard.is_some() && targets.stacks.iter().any(|stack| stack.store.level == Level::User) {
            return Err(no_project());
        }
        let mut saved = keeping::in_each_store(
            targets,
            |stack| self.save_decision_in(stack, &wanted),
            |saved| (&mut saved.notes, &mut saved.refused),
        )?;
        self.supersede_elsewhere(&wanted, &mut saved);
        if let Some(created) = saved.iter_mut().find(|saved| saved.created) {
            let same = keeping::same_elsewhere(view, &wanted.stacks, &wanted.wording, decisions_of);
            let same = same.iter().filter(|found| found.kept.item.is_active());
            created
                .notes
                .extend(same.map(|found| format!("{} has the same title; both hold", found.address())));
        }
        Ok(saved)
    }

    fn save_decision_in(&self, stack: &Stack, wanted: &Wanted<'_>) -> Result<SavedDecision, Refusal> {
        let new = wanted.new;
        let writing = self.lock(&stack.store)?;
        let mut notes = wanted.notes.clone();
        let there = stack.decisions.contents(&stack.store);
        let active = || there.items.iter().filter(|kept| kept.item.is_active());
        if let Some(twin) = active().find(|kept| kept.wording().is_equivalent(&wanted.wording)) {
            let dropped = dropped(&twin.item, &stack.store, wanted);
            notes.push(left_as_it_is(&twin.item, &stack.store, wanted, &dropped));
            let others = active().filter(|kept| kept.file != twin.file);
            let others: Vec<String> = others
                .filter(|kept| kept.wording().is_equivalent(&wanted.wording))
                .map(|kept| name_in(wanted.view, &stack.store, kept.item.name()))
                .collect();
            if !others.is_empty() {
                notes.push(format!(
                    "{} has this title as well, and both hold: look at both",
                    others.join(", ")
                ));
            }
            let there = outcome(&twin.item, &stack.store, &twin.file, false, None, notes);
            return Ok(SavedDecision { dropped: !dropped.is_empty(), ..there });
        }
        let slug = text::slug(&wanted.title, LONGEST_SLUG);
        // It may be this very decision, and nobody can tell.
        if let Some(fault) =
            there.faults.iter().find(|fault| split_name(keeping::stem(&fault.file)).1 == slug)
        {
            return Err(keeping::broken(&stack.store, fault));
        }
        let is_superseded =
            |kept: &Kept<Decision>| wanted.superseded_in(&stack.store).any(|old| old.kept.file == kept.file);
        let superseded: Vec<&Kept<Decision>> =
            there.items.iter().filter(|kept| is_superseded(kept)).collect();
        // It was looked at before the lock, and a person may have put a guard on it since.
        if let Some(kept) = superseded.iter().find(|kept| kept.item.guarded && !new.by_person) {
            return Err(is_guarded(wanted.view, &stack.store, &kept.item));
        }
        // A scan says in much the same words with what one lints and with what one formats.
        let is_apart = |kept: &Kept<Decision>| {
            [new.source, kept.item.source.as_str()] == ["scan", "scan"]
                && oracle::are_apart(&kept.item.title, &wanted.title)
        };
        let near = active().find(|kept| kept.wording().is_near(&wanted.wording) && !is_apart(kept));
        if let Some(near) = near.filter(|near| !superseded.iter().any(|kept| kept.file == near.file)) {
            let Decision { id, title, .. } = &*near.item;
            notes.push(format!("{id} is much the same ({title}); archive one of them if it is"));
        }
        let holder = |slug: &str| {
            let stays = |kept: &&Kept<Decision>| !superseded.iter().any(|gone| gone.file == kept.file);
            there.items.iter().filter(stays).find(|kept| kept.item.slug == slug)
        };
        let plain = slug;
        let slug = keeping::free_slug(&plain, LONGEST_SLUG, |slug| holder(slug).is_some());
        if let Some(kept) = holder(&plain) {
            let Decision { id, title, .. } = &*kept.item;
            notes.push(format!(
                "The slug {plain} belongs to {id} ({title}), so this one is {slug}; both stay"
            ));
        }
        let item = Decision {
            id: next_id(&writing, stack, &there)?,
            slug,
            title: wanted.title.clone(),
            date: self.today(),
            source: new.source.to_owned(),
            enforce: new.enforce.unwrap_or_default(),
            session: self.around().session(),
            scope: wanted.scope.clone(),
            status: "active".to_owned(),
            superseded_by: None,
            supersedes: wanted.named_in(&stack.store),
            revoked_reason: None,
            guarded: new.guard.is_some(),
            decision: wanted.decision.clone(),
            reasoning: wanted.reasoning.clone(),
            sections: Vec::new(),
        };
        let file = format!("decisions/{}-{}.md", item.id, item.slug);
        let text = item.to_text(new.guard.as_deref())?;
        if item.guarded && text.len() > LARGEST_GUARDED {
            return Err(too_large(text.len()));
        }
        let given = number(&item.id);
        counter::note(&writing, 'D', given);
        // What gives way to it, or holds others to it, needs it to be there.
        let is_needed = item.guarded || !wanted.superseded.is_empty();
        writing.add(&file, &text)?;
        if is_needed {
            writing.publish_with(&file)?;
        }
        writing.gives('D', given.unwrap_or(0));
        let concerns_guard = item.guarded || superseded.iter().any(|kept| kept.item.guarded);
        for kept in superseded {
            notes.extend(self.make_way(&writing, wanted.view, kept, (&stack.store, &item.id)));
        }
        if concerns_guard {
            notes.extend(self.tell_guard(&stack.store));
        }
        drop(writing);
        notes.extend(self.record(Kind::KnowledgeSaved, &stack.store, body(&item, &file)));
        Ok(outcome(&item, &stack.store, &file, true, wanted.spellings, notes))
    }

    /// Proves the predicate of a decision before anything is written.
    fn proven(&self, new: &NewDecision, view: &View) -> Result<Option<usize>, Refusal> {
        let Some(guard) = &new.guard else { return Ok(None) };
        if self.has_secret(guard) {
            return Err(not_a_guard("it has a secret in it"));
        }
        if new.enforce != Some(Enforce::Required) {
            return Err(Refusal::new(
                "only a required decision can carry a guard",
                "Send enforce: \"required\" with it, or leave guard out",
            ));
        }
        let mut front = Front::default();
        front.set_text("enforce", "required");
        front.set_raw("guard", guard).map_err(|problem| not_a_guard(&problem.reason))?;
        self.around().prove(front.to_text(), &view.root.path).map(Some).map_err(|why| not_a_guard(&why))
    }
}

fn decisions_of(stack: &Stack) -> Vec<Kept<Decision>> {
    stack.decisions.contents(&stack.store).items
}

/// Names what is not kept anywhere of a decision whose title is taken.
fn dropped(twin: &Decision, store: &Store, wanted: &Wanted<'_>) -> Vec<String> {
    let new = wanted.new;
    let mut dropped = Vec::new();
    // An editor may have broken its lines anew.
    let is_other = |wanted: &str, there: &str| !wanted.split_whitespace().eq(there.split_whitespace());
    if is_other(&wanted.decision, &twin.decision) {
        dropped.push("decision (it says something else)".to_owned());
    }
    if is_other(&wanted.reasoning, &twin.reasoning) {
        dropped.push("reasoning (it has another)".to_owned());
    }
    if new.guard.is_some() {
        dropped.push("the guard".to_owned());
    }
    if let Some(enforce) = new.enforce.filter(|enforce| *enforce != twin.enforce) {
        dropped.push(format!("enforce: {} (it stays {})", enforce.word(), twin.enforce.word()));
    }
    let named: Vec<String> = wanted.superseded_in(store).map(|old| old.kept.item.id.clone()).collect();
    if !named.is_empty() {
        dropped.push(format!("supersedes: {} (still active)", named.join(", ")));
    }
    dropped
}

/// Says what became of a decision whose title is taken.
fn left_as_it_is(twin: &Decision, store: &Store, wanted: &Wanted<'_>, dropped: &[String]) -> String {
    let new = wanted.new;
    let dropped =
        if dropped.is_empty() { String::new() } else { format!(". NOT taken: {}", dropped.join(", ")) };
    let name = name_in(wanted.view, store, twin.name());
    let next = if twin.guarded && !new.by_person {
        format!(
            "The guard enforces it, so only a person changes it: ask them to run `custos decisions add --supersedes {name}` with another title"
        )
    } else {
        format!("To change it, save one with another title and `supersedes: [\"{name}\"]`")
    };
    format!("A decision with this title exists and was left as it is{dropped}. {next}")
}

pub(super) fn not_a_guard(why: &str) -> Refusal {
    Refusal::new(
        format!("the guard of this decision does not hold: {why}"),
        "Send guard with `command` or `path`, and at least one example in must_block and one in must_allow; nothing was saved",
    )
}

fn no_project() -> Refusal {
    Refusal::new(
        "a guard belongs to a project, and what is saved with scope \"user\" belongs to none",
        "Leave \"user\" out of scope, or save it there without guard; rules for all projects are the person's to make (`custos guard add`). Nothing was saved",
    )
}

pub(super) fn too_large(length: usize) -> Refusal {
    Refusal::new(
        format!(
            "this decision takes {length} bytes, and the guard enforces files of at most {LARGEST_GUARDED}"
        ),
        "Keep what matters, and put the rest into a file of the repo that the text names; nothing was saved",
    )
}

fn points_elsewhere(pointer: &text::Pointer) -> Refusal {
    let ids = pointer.ids.join(" and ");
    Refusal::new(
        format!("this title only points at {ids}, and says nothing of its own"),
        "Save what is decided now under a title that says it, then use archive_decision with superseded_by for the old one",
    )
}

/// Gives the next id of a store: one more than any that is or was there.
fn next_id(writing: &Writing<'_>, stack: &Stack, there: &Contents<Decision>) -> Result<String, Refusal> {
    let highest = match writing.given('D') {
        // A person or git may have brought a file since that one was given out.
        Some(given) if !has_file(there, given + 1) => given,
        given => highest(stack, there).max(given.unwrap_or(0)),
    };
    if highest >= HIGHEST {
        return Err(Refusal::new(
            format!("there is no id after D-{highest}"),
            "Give the decision with that id a smaller number by hand",
        ));
    }
    Ok(id_of(highest + 1))
}

/// Says whether a file is called as the decision of a number would be.
fn has_file(there: &Contents<Decision>, number: u32) -> bool {
    let begin = format!("decisions/D-{number:03}");
    let is_called_so =
        |file: &str| file.strip_prefix(&begin).is_some_and(|rest| rest.starts_with(['-', '.']));
    // They are in the order of their names.
    let from = there.items.partition_point(|kept| *kept.file < *begin);
    let items = there.items[from..].iter().take_while(|kept| kept.file.starts_with(&begin));
    items
        .map(|kept| kept.file.as_str())
        .chain(there.faults.iter().map(|fault| fault.file.as_str()))
        .any(is_called_so)
}

/// Finds the highest number that a decision of a store has or had.
fn highest(stack: &Stack, there: &Contents<Decision>) -> u32 {
    // A file may be called otherwise than its front matter says, and one that cannot be read has a name all the same.
    let named = |file: &str| number(split_name(keeping::stem(file)).0);
    let of_items = |kept: &Kept<Decision>| {
        let (id, file) = (kept.item.id.as_str(), kept.file.as_str());
        let behind_id = file.strip_prefix("decisions/").and_then(|name| name.strip_prefix(id));
        match number(id) {
            // Nearly all are called so, and need not be taken apart.
            Some(number) if behind_id.is_some_and(|rest| rest.starts_with(['-', '.'])) => Some(number),
            number => number.max(named(file)),
        }
    };
    let past = stack.past_decisions.contents(&stack.store);
    let all = [there, &past].into_iter().flat_map(|contents| {
        let faults = contents.faults.iter().map(|fault| named(&fault.file));
        contents.items.iter().map(of_items).chain(faults)
    });
    counter::highest(&stack.store, 'D', all.max().flatten().unwrap_or(0))
}
