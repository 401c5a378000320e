//! Paths: where a word leads, what lies there, and what may be done with it.
//!
//! The same file has many spellings, so nothing is decided by text: a word becomes a [`Place`], absolute and without detours, as far as it
//! is known ([`normal`]). What lies at a place is a [`Ward`] if it is protected ([`guarded`], with the tables of [`names`], [`kinds`] and [`own`]).
//! Reading, changing and deleting are different rights, and what deleting a directory would cost is a question of its own ([`deletion`]).
//!
//! A path is judged as it is written and, where links lead elsewhere, as what it really is: either is enough to hold it.

mod deletion;
mod glob;
mod guarded;
mod kinds;
mod leading;
mod names;
mod normal;
mod own;

pub(crate) use deletion::{DELETE_REMOTE, DELETE_ROOT, Depth, loss, loss_elsewhere, stays_lost};
pub use guarded::Access;
pub(crate) use guarded::{SECRET_LOAD, Ward, ward};
pub(crate) use leading::told;
pub(crate) use normal::{Frame, Place};
pub(crate) use own::held_by;

use crate::case::Case;
use crate::invocation::UNKNOWN;
use crate::rules;
use crate::verdict::{Hold, Rule};
use crate::world::World;

/// The rules of this module, for the catalogue.
pub(crate) static RULES: &[&[&Rule]] = &[guarded::RULES, own::RULES, deletion::RULES];

/// Judges what a file tool (or a person who asks `custos guard test --path`) wants to do with a path.
pub(crate) fn judge_path(path: &str, access: Access, case: &mut Case<'_>) {
    let world = case.world;
    let place = Place::of(path, false, &Frame::of(&world, Some(world.cwd)));
    if access == Access::Delete {
        remove(&place, Depth::Tree, path, case);
    } else {
        touch(&place, access, path, case);
    }
}

/// Judges the use of a place, as it is written and as what it really is.
pub(crate) fn touch(place: &Place, access: Access, part: &str, case: &mut Case<'_>) {
    let world = case.world;
    place.told(false, case);
    if let Some(rule) = forbids(place, access, &world) {
        hold(rule, place, access, part, case);
    }
    said_by_person(place, access, part, case);
    if let Some(real) = place.real(&world, false) {
        real.told(false, case);
        if let Some(rule) = forbids(&real, access, &world) {
            hold(rule, &real, access, part, case);
        }
        said_by_person(&real, access, part, case);
    }
}

/// Judges the loss of what lies at a place, as it is written and as what it really is.
pub(crate) fn remove(place: &Place, depth: Depth, part: &str, case: &mut Case<'_>) {
    let world = case.world;
    let real = place.real(&world, true);
    let places = || [Some(place), real.as_ref()].into_iter().flatten();
    for place in places() {
        place.told(true, case);
        said_by_person(place, Access::Delete, part, case);
    }
    let mut asked = None;
    for place in places() {
        match loss(place, depth, &world) {
            Some(rule) if rule.hold == Hold::Deny => return hold(rule, place, Access::Delete, part, case),
            found => asked = asked.or(found),
        }
    }
    // What protects the file itself says more than that it lies outside of the project.
    let guarded = places().find_map(|place| forbids(place, Access::Delete, &world).map(|rule| (rule, place)));
    if let Some((rule, place)) = guarded.or(asked.map(|rule| (rule, place))) {
        hold(rule, place, Access::Delete, part, case);
    }
}

/// The rule that forbids this use of a place.
fn forbids(place: &Place, access: Access, world: &World<'_>) -> Option<&'static Rule> {
    let ward = ward(place, world)?;
    // What may be deleted in the system is said by what it would cost.
    if access == Access::Delete && matches!(ward, Ward::System | Ward::Accounts | Ward::Disk) {
        return None;
    }
    // A key in a temporary directory was made there, for a test.
    let is_somebodys = || place.after_home(world).is_some_and(|rest| !rest.is_empty());
    if access != Access::Read && ward.is_secret() && deletion::is_temporary(place) && !is_somebodys() {
        return None;
    }
    ward.rule(access)
}

/// Notes the finding, unless the person wants not to be asked about this path. A refusal about a knowledge file names the tool that
/// changes it.
fn hold(rule: &'static Rule, place: &Place, access: Access, part: &str, case: &mut Case<'_>) {
    if case.policy.hold_of(rule) == Some(Hold::Ask) && is_allowed(place, access, case) {
        return;
    }
    let part = part.replace(UNKNOWN, "…");
    match own::instead(rule, place) {
        Some(tools) => case.hold_because(rule, part, format!("{}: use {tools}", rule.reason)),
        None => case.hold(rule, part),
    }
}

/// Notes what the person's own rules say about a path.
pub(crate) fn said_by_person(place: &Place, access: Access, part: &str, case: &mut Case<'_>) {
    if case.policy.paths.is_empty() {
        return;
    }
    let path = place.shown();
    let against = case.policy.against_path(place.target(&path), access, place_of(&case.world));
    for rule in against {
        if rule.hold == Hold::Deny || !is_allowed(place, access, case) {
            case.find(rule.finding(part.replace(UNKNOWN, "…")));
        }
    }
}

/// Says whether the person wants not to be asked about this path.
fn is_allowed(place: &Place, access: Access, case: &Case<'_>) -> bool {
    if case.policy.allowed_paths.is_empty() || !place.is_sure() {
        return false;
    }
    case.policy.allows_path(place.target(&place.shown()), access, place_of(&case.world))
}

/// What the person's patterns are relative to.
fn place_of<'a>(world: &World<'a>) -> rules::Place<'a> {
    rules::Place { home: world.home, root: world.root }
}
