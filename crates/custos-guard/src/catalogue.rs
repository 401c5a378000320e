//! Every rule that comes with the program, from the modules that apply them.

use crate::judge::{files, network, own, system};
use crate::rules::Catalogue;
use crate::{delegation, gate, git, packs, path, tool, walk};

/// The built-in rules.
pub static CATALOGUE: Catalogue = Catalogue(&[
    walk::RULES,
    path::RULES[0],
    path::RULES[1],
    path::RULES[2],
    files::RULES[0],
    files::RULES[1],
    files::RULES[2],
    files::RULES[3],
    files::RULES[4],
    system::RULES,
    network::RULES,
    own::RULES,
    git::RULES,
    git::FORGE_RULES,
    packs::RULES,
    delegation::RULES,
    gate::RULES,
    tool::RULES,
]);

/// The packs, with what each is about.
pub fn packs() -> &'static [(&'static str, &'static str)] {
    packs::PACKS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_group_is_in_it() {
        assert_eq!((path::RULES.len(), files::RULES.len()), (3, 5));
    }

    #[test]
    fn every_rule_has_a_name_of_its_own_and_says_what_it_holds() {
        let mut seen = BTreeSet::new();
        for rule in CATALOGUE.iter() {
            let (area, deed) = rule.id.split_once('.').expect(rule.id);
            let is_plain = |text: &str| {
                !text.is_empty()
                    && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            };
            assert!(is_plain(area) && is_plain(deed), "{}", rule.id);
            assert!(!rule.reason.is_empty() && !rule.reason.ends_with('.'), "{}", rule.id);
            assert!(!rule.safer.ends_with('.'), "{}", rule.id);
            assert!(seen.insert(rule.id), "{} twice", rule.id);
        }
    }
}
