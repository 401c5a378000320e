//! What the judges of single programs share: the call, the case, and from where its words are read.

use crate::case::Case;
use crate::invocation::{Arg, Elsewhere, Invocation};
use crate::options::{Options, Order, Taking};
use crate::packs::kubernetes;
use crate::path::{self, Access, Depth, Frame, Place, Ward};
use crate::verdict::{Hold, Rule};

static TOO_MANY: Rule = Rule {
    id: "files.too-many",
    hold: Hold::Ask,
    reason: "names more files than can be looked at in time",
    safer: "name a directory, or split the command",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] = &[&TOO_MANY];

/// How many files of one call are looked at; a pattern counts for several.
const MOST: usize = 2000;
const PATTERN: usize = 8;

/// A call before the judges of files.
pub(super) struct Scene<'c, 'w> {
    pub(super) call: &'c Invocation,
    pub(super) case: &'c mut Case<'w>,
    frame: Frame<'c>,
    left: usize,
    gave_up: bool,
}

impl<'c, 'w: 'c> Scene<'c, 'w> {
    pub(super) fn new(call: &'c Invocation, case: &'c mut Case<'w>) -> Self {
        let frame = if call.elsewhere.is_some() {
            Frame::elsewhere(call.cwd.as_deref())
        } else {
            let world: crate::world::World<'c> = case.world;
            Frame::of(&world, call.cwd.as_deref())
        };
        Self { call, case, frame, left: MOST, gave_up: false }
    }
}

impl<'c> Scene<'c, '_> {
    /// The arguments as a GNU program reads them.
    pub(super) fn options(&self, taking: &Taking) -> Options<'c> {
        Options::read(self.call.args(), taking, Order::Anywhere)
    }

    /// Where a word leads.
    pub(super) fn place(&self, word: &Arg) -> Place {
        Place::of(word.text(), word.is_glob(), &self.frame)
    }

    /// Judges the use of a file.
    pub(super) fn touch(&mut self, word: &Arg, access: Access) {
        if self.left == 0 {
            return self.too_many();
        }
        self.touch_place(&self.place(word), access, word.text());
    }

    /// Judges the use of a file that is only a part of a word.
    pub(super) fn touch_text(&mut self, text: &str, access: Access) {
        self.touch_place(&Place::of(text, false, &self.frame), access, text);
    }

    /// Judges the use of a place.
    pub(super) fn touch_place(&mut self, place: &Place, access: Access, part: &str) {
        if !self.spend(place) {
        } else if self.call.elsewhere.is_none() {
            path::touch(place, access, part, self.case);
        } else if let Some(rule) =
            self.ward(place).filter(|ward| ward.is_secret()).and_then(|ward| ward.rule(access))
        {
            // Another machine's secrets are as secret as ours; the rest of our table means nothing there.
            self.case.hold(rule, part);
        }
    }

    /// Judges the use of a place by the person's own rules alone.
    pub(super) fn touch_by_own_rules(&mut self, place: &Place, access: Access, part: &str) {
        if !self.case.policy.paths.is_empty() && self.call.elsewhere.is_none() && self.spend(place) {
            path::said_by_person(place, access, part, self.case);
        }
    }

    /// Judges the loss of a file or a directory.
    pub(super) fn remove(&mut self, word: &Arg, depth: Depth) {
        if self.left == 0 {
            return self.too_many();
        }
        self.remove_place(&self.place(word), depth, word.text());
    }

    /// Judges the loss of a place.
    pub(super) fn remove_place(&mut self, place: &Place, depth: Depth, part: &str) {
        if !self.spend(place) {
            return;
        }
        let Some(elsewhere) = self.call.elsewhere else {
            return path::remove(place, depth, part, self.case);
        };
        let rule = path::loss_elsewhere(place).or_else(|| match elsewhere {
            Elsewhere::Container => None,
            Elsewhere::Pod => path::stays_lost(place, depth).then_some(&kubernetes::FILES),
            Elsewhere::Machine => path::stays_lost(place, depth).then_some(&path::DELETE_REMOTE),
        });
        if let Some(rule) = rule {
            self.case.hold(rule, part);
        }
    }

    /// Asks, because there are more files than are looked at; said once.
    fn too_many(&mut self) {
        self.left = 0;
        if !self.gave_up {
            self.gave_up = true;
            self.hold(&TOO_MANY);
        }
    }

    /// Counts a file; `false`, and the person is asked, if it is one too many.
    fn spend(&mut self, place: &Place) -> bool {
        let price = if place.is_pattern() { PATTERN } else { 1 };
        if self.left < price {
            self.too_many();
            return false;
        }
        self.left -= price;
        true
    }

    /// Judges that something is put in the place of a directory, or into it, of which the files are not known. Says whether it is held.
    pub(super) fn replace_directory(&mut self, place: &Place, part: &str) -> bool {
        let rule = path::held_by(place).and_then(|ward| ward.rule(Access::Write));
        let rule = rule.filter(|_| self.call.elsewhere.is_none());
        if let Some(rule) = rule {
            self.case.hold(rule, part);
        }
        rule.is_some()
    }

    /// Says for which reason a place is protected.
    pub(super) fn ward(&self, place: &Place) -> Option<Ward> {
        path::ward(place, &self.case.world)
    }

    /// Notes that a rule holds the whole call.
    pub(super) fn hold(&mut self, rule: &'static Rule) {
        self.case.hold(rule, self.call.shown());
    }
}
