//! Which licence holds for a repo.

use rstest::rstest;

use super::{Project, Topic};

const MIT: &str = "MIT License\n\nPermission is hereby granted, free of charge, to any person\n";
const APACHE: &str =
    "                                 Apache License\n                           Version 2.0\n";
const BUSL: &str =
    "Business Source License 1.1\n\nParameters\n\nChange License:       Apache License, Version 2.0\n";
const QUOTED: &str =
    "License text copyright (c) 2020 MariaDB\n\u{201c}Business Source License\u{201d} is a trademark\n";

const GPL: &str =
    "                    GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007\n";
const OLD_GPL: &str = "GNU GENERAL PUBLIC LICENSE\n\nVersion 2, June 1991\n";
const LGPL: &str = "                  GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 2.1, February 1999\n";
const AGPL: &str = "### GNU AFFERO GENERAL PUBLIC LICENSE\n\nVersion 3, 19 November 2007\n";

#[rstest]
#[case::gpl(&[("COPYING", GPL)], &["GPL-3.0 (COPYING)"], true)]
#[case::old_gpl(&[("COPYING", OLD_GPL)], &["GPL-2.0 (COPYING)"], true)]
#[case::lgpl(&[("COPYING.LESSER", LGPL)], &["LGPL-2.1 (COPYING.LESSER)"], true)]
#[case::agpl(&[("LICENSE.md", AGPL)], &["AGPL-3.0 (LICENSE.md)"], true)]
#[case::lgpl_beside_the_gpl(&[("COPYING", GPL), ("COPYING.LESSER", LGPL)], &["LGPL-2.1 (COPYING.LESSER)"], true)]
#[case::gpl_that_a_manifest_names_better(&[("package.json", "{\"license\": \"GPL-3.0-or-later\"}"), ("COPYING", GPL)], &["GPL-3.0-or-later (package.json:1)"], true)]
#[case::text(&[("LICENSE", MIT)], &["MIT (LICENSE)"], true)]
#[case::a_licence_that_will_be_another(&[("LICENSE", BUSL)], &["BUSL-1.1 (LICENSE)"], true)]
#[case::a_licence_that_quotes_itself(&[("LICENSE", QUOTED)], &["BUSL-1.1 (LICENSE)"], true)]
#[case::the_root_wins(&[("LICENSE", MIT), ("frontend/package.json", "{\"license\": \"ISC\"}")], &["MIT (LICENSE)"], true)]
#[case::the_root_wins_with_the_same(&[("LICENSE", MIT), ("web/package.json", "{\"license\": \"MIT\"}")], &["MIT (LICENSE)"], true)]
#[case::only_below(&[("web/package.json", "{\"license\": \"ISC\"}")], &["ISC (web/package.json:1)"], false)]
#[case::none_is_granted(&[("package.json", "{\"license\": \"UNLICENSED\"}")], &[], false)]
#[case::written_elsewhere(&[("package.json", "{\"license\": \"SEE LICENSE IN LICENSE\"}"), ("LICENSE", BUSL)], &["BUSL-1.1 (LICENSE)"], true)]
#[case::one_of_two(
    &[("package.json", "{\"license\": \"MIT OR Apache-2.0\"}"), ("LICENSE-MIT", MIT), ("LICENSE-APACHE", APACHE)],
    &["MIT OR Apache-2.0 (package.json:1)"],
    true
)]
#[case::two_that_differ(&[("package.json", "{\"license\": \"ISC\"}"), ("LICENSE", MIT)], &["ISC (package.json:1)", "MIT (LICENSE)"], false)]
fn the_licence_of_a_repo(#[case] files: &[(&str, &str)], #[case] found: &[&str], #[case] decided: bool) {
    let project = Project::new(files);
    assert_eq!(project.on(Topic::Licence), found);
    assert_eq!(project.decisions().iter().any(|title| title.starts_with("The licence is")), decided);
}
