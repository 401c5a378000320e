//! Two outlines to what was touched.
//!
//! Definitions are paired in order of certainty: by name; by name, where only one of the texts shows what they belong to; by text, where the
//! name is all that differs. When a type was renamed, its members were not: they are paired under the new name.

use std::collections::HashMap;

use crate::{
    definition::{Definition, How, Touched},
    language::language,
    normal::{replace_word, says_much},
    outline::{self, Found},
};

/// Lists the definitions that differ between two versions of a text: of a whole file, or of a fragment that was cut out of one anywhere.
///
/// Definitions of the second text come in its order, then those that are gone in the order of the first. Nothing where the language is not
/// known, and nothing about a definition whose head is in neither text.
pub fn compare(path: &str, before: &str, after: &str) -> Vec<Touched> {
    let Some(language) = language(path).filter(|_| before != after) else { return Vec::new() };
    let before = outline::of_fragment(language, before);
    let after = outline::of_fragment(language, after);
    Pairing::new(&before, &after).touched()
}

/// Which definition of the second text was which of the first.
struct Pairing<'t> {
    before: &'t [Found],
    after: &'t [Found],
    /// For each definition of `after`, its place in `before`.
    origin: Vec<Option<usize>>,
    /// Whether a definition of `before` is accounted for.
    kept: Vec<bool>,
    /// Qualified names of types and modules: the new one by the old one.
    renamed: Vec<(&'t Found, &'t Found)>,
}

impl<'t> Pairing<'t> {
    fn new(before: &'t [Found], after: &'t [Found]) -> Self {
        let mut pairing = Self {
            before,
            after,
            origin: vec![None; after.len()],
            kept: vec![false; before.len()],
            renamed: Vec::new(),
        };
        // Among several of the same name (overloads, `fmt` of several traits), first those that are the same all over.
        pairing.pair(|found| (found.name.clone(), found.own.clone()));
        pairing.pair(|found| (found.name.clone(), found.head.clone()));
        pairing.pair(|found| found.name.clone());
        pairing.pair_across_cuts();
        pairing.pair_renamed(|found| {
            matches!(found.sort, Definition::Type | Definition::Trait | Definition::Module)
        });
        pairing.pair_members();
        pairing.pair_renamed(|_| true);
        pairing
    }

    /// Pairs those with equal keys, in order.
    fn pair<K: Eq + std::hash::Hash>(&mut self, key: impl Fn(&Found) -> K) {
        let mut waiting: HashMap<K, Vec<usize>> = HashMap::new();
        for old in (0..self.before.len()).rev().filter(|old| !self.kept[*old]) {
            waiting.entry(key(&self.before[old])).or_default().push(old);
        }
        if waiting.is_empty() {
            return;
        }
        for new in 0..self.after.len() {
            if self.origin[new].is_none()
                && let Some(old) = waiting.get_mut(&key(&self.after[new])).and_then(Vec::pop)
            {
                self.join(old, new);
            }
        }
    }

    /// Pairs those of which one text shows what they belong to and the other does not: it was cut differently, or could be read less well.
    fn pair_across_cuts(&mut self) {
        let is_bare = |found: &Found| found.name == found.short;
        self.pair_if(|old, new| old.short == new.short && is_bare(old) != is_bare(new));
    }

    fn pair_renamed(&mut self, which: impl Fn(&Found) -> bool) {
        let (before, after) = (self.before, self.after);
        let members = |outline: &'t [Found], of: &Found| -> Vec<&'t str> {
            let inside = outline.iter().filter(|found| member_of(&found.name, &of.name).is_some());
            inside.map(|found| found.short.as_str()).collect()
        };
        let is_renamed = |old: &Found, new: &Found, (was, is): (&str, &str)| {
            if !which(old) || old.sort != new.sort || !reads_alike(was, is, (&old.short, &new.short)) {
                return false;
            }
            let (was, are) = (members(before, old), members(after, new));
            let shared = was.iter().filter(|member| are.contains(*member)).count();
            2 * shared >= was.len().max(are.len())
        };
        let joined_before = self.origin.clone();
        self.pair_if(|old, new| is_renamed(old, new, (&old.own, &new.own)));
        self.pair_if(|old, new| says_much(&new.body) && is_renamed(old, new, (&old.body, &new.body)));
        for (new, origin) in self.origin.iter().enumerate() {
            if let (Some(old), None) = (origin, joined_before[new]) {
                self.renamed.push((&before[*old], &after[new]));
            }
        }
    }

    /// Pairs members of what was renamed.
    fn pair_members(&mut self) {
        let renamed = std::mem::take(&mut self.renamed);
        for (was, is) in &renamed {
            self.pair_if(|old, new| {
                match (member_of(&old.name, &was.name), member_of(&new.name, &is.name)) {
                    (Some(old), Some(new)) => old == new,
                    _ => false,
                }
            });
        }
        self.renamed = renamed;
    }

    fn pair_if(&mut self, is_pair: impl Fn(&Found, &Found) -> bool) {
        for new in 0..self.after.len() {
            if self.origin[new].is_some() {
                continue;
            }
            let is_origin = |old: &usize| !self.kept[*old] && is_pair(&self.before[*old], &self.after[new]);
            if let Some(old) = (0..self.before.len()).take(LOOKED_AT).find(is_origin) {
                self.join(old, new);
            }
        }
    }

    fn join(&mut self, old: usize, new: usize) {
        self.origin[new] = Some(old);
        self.kept[old] = true;
    }

    fn touched(&self) -> Vec<Touched> {
        let mut touched: Vec<Touched> = Vec::new();
        let mut tell = |found: &Found, how: How| {
            let one = Touched { name: found.name.clone(), sort: found.sort, how };
            // Two overloads that changed alike are one thing to say.
            if !touched.iter().rev().take(16).any(|said| *said == one) {
                touched.push(one);
            }
        };
        for (new, origin) in self.after.iter().zip(&self.origin) {
            match origin.map(|old| &self.before[old]) {
                None => tell(new, How::Added),
                Some(old) => {
                    if let Some(how) = self.difference(old, new) {
                        tell(new, how);
                    }
                }
            }
        }
        for (old, _) in self.before.iter().zip(&self.kept).filter(|(_, kept)| !**kept) {
            tell(old, How::Removed);
        }
        touched
    }

    /// Tells what became of a definition that is in both texts.
    fn difference(&self, old: &Found, new: &Found) -> Option<How> {
        // What a member says of its own type changed with the type's name, and is told there.
        let owner = self.renamed.iter().find(|(was, is)| {
            member_of(&old.name, &was.name).is_some() && member_of(&new.name, &is.name).is_some()
        });
        let reads_as = |text: &str| match owner {
            Some((was, is)) => replace_word(text, &was.short, &is.short),
            None => text.to_owned(),
        };
        let is_bare = |found: &Found| found.name == found.short;
        if old.name != new.name && owner.is_none() && is_bare(old) == is_bare(new) {
            return Some(How::Renamed { from: old.name.clone() });
        }
        if reads_as(&old.own) == new.own {
            return None;
        }
        let has_signature = matches!(
            new.sort,
            Definition::Function | Definition::Method | Definition::Type | Definition::Trait
        );
        if has_signature && reads_as(&old.head) != new.head {
            Some(How::SignatureChanged)
        } else {
            Some(How::Changed)
        }
    }
}

/// How many definitions are looked at for one that may have been renamed: a text with more of them that all went was replaced, not edited.
const LOOKED_AT: usize = 200;

/// Tells whether a text is another one with a name replaced.
fn reads_alike(old: &str, new: &str, (was, is): (&str, &str)) -> bool {
    // Most texts are told apart by their lengths: these differ by so and so many times what the names differ by.
    let (text, name) = (old.len().abs_diff(new.len()), was.len().abs_diff(is.len()));
    let may_be = if name == 0 { text == 0 } else { text % name == 0 };
    may_be && replace_word(old, was, is) == new
}

/// Returns what is left of a name without that of its owner.
fn member_of<'n>(name: &'n str, owner: &str) -> Option<&'n str> {
    name.strip_prefix(owner).filter(|rest| rest.starts_with(['.', ':', '#']))
}
