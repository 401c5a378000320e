//! The rows that people see.

use super::rows;
use crate::rules::policy::Level;
use crate::rules::tests::{CATALOGUE, EVERYTHING, Home};

#[test]
fn every_rule_says_where_it_comes_from() {
    let home = Home::new();
    home.write(Level::User, EVERYTHING)
        .write(Level::Repo, "deny: {commands: [make deploy]}\npacks: {cloud: deny}\n");
    let rows: Vec<_> = rows(&home.load().policy, &home.sources(), CATALOGUE)
        .into_iter()
        .map(|row| {
            format!(
                "{} | {} | {} | {} | {}",
                row.kind,
                row.name,
                row.effect,
                row.about,
                row.origin.join(" + ")
            )
        })
        .collect();
    let shown = rows.join("\n").replace(home.path("").to_str().unwrap(), "~/");
    insta::assert_snapshot!(shown);
}
