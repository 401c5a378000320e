//! What waits for a person's word, and how it is answered: `custos proposals`.

use std::fs;
use std::path::PathBuf;

use custos_testkit::TempHome;
use serde_json::json;

use super::{answer, must, real, shop};
use crate::guard::custos_in;
use crate::shell::{home, settings};

#[test]
fn proposals_wait_until_somebody_accepts_or_drops_them() {
    let home = home();
    let root = shop(&home);
    must(&home, &root, &["init", "--preset", "none"]);
    let listed = must(&home, &root, &["proposals"]);
    let ids: Vec<String> = answer(&home, &root, &["proposals", "list"])["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|proposal| proposal["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(ids.len() > 1, "{listed}");
    let dropped = must(&home, &root, &["proposals", "drop", &ids[0]]);
    let accepted = must(&home, &root, &["proposals", "accept", "--all"]);
    let empty = must(&home, &root, &["proposals"]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(format!("{listed}\n{dropped}\n{accepted}\n{empty}"), @"
    P-001  The licence is `MIT`  decision, from Cargo.toml:4
           Code in this repo is licensed under `MIT`; what is taken in must be compatible.
    P-002  Version of Rust edition: `2024`  decision, from Cargo.toml:3
           Version of Rust edition: `2024`. Use nothing that needs another.
    2 proposals: custos proposals accept ID…, or drop ID…

    dropped P-001

    accepted P-002 is D-001 now  decisions/D-001-version-of-rust-edition-2024.md

    no proposal waits; `custos init` looks for some
    ");
    });
    assert_eq!(custos_in(&home, &root, &["proposals", "accept", &ids[0]]).code, 66);
    assert_eq!(answer(&home, &root, &["init"])["places"][0]["proposals"], json!([]));
    let kept = answer(&home, &root, &["decisions"]);
    assert_eq!(kept["decisions"].as_array().unwrap().len(), ids.len() - 1);
    fs::write(root.join("CLAUDE.md"), "- Never push to main.\n- Always run the tests.\n").unwrap();
    must(&home, &root, &["import", "instructions"]);
    let all = must(&home, &root, &["proposals", "drop", "--all"]);
    let none = must(&home, &root, &["proposals", "drop", "--all"]);
    assert_eq!((all.lines().count(), none.as_str()), (2, "no proposal waits\n"), "{all}");
}

/// A workspace in which one proposal waits for the whole and two for each of its repos `api` and `user`.
fn proposing(home: &TempHome) -> PathBuf {
    let root = home.path().join("work");
    for name in ["api", "user"] {
        fs::create_dir_all(root.join(name).join(".git")).unwrap();
        fs::write(root.join(name).join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(
            root.join(name).join("Cargo.toml"),
            "[package]\nname = \"x\"\nedition = \"2024\"\nlicense = \"MIT\"\n",
        )
        .unwrap();
    }
    fs::write(root.join("uv.lock"), "version = 1\n").unwrap();
    must(home, &root, &["init", "--yes", "--preset", "none"]);
    root
}

#[test]
fn a_proposal_of_a_repo_is_answered_from_its_workspace_by_its_address() {
    let home = home();
    let root = proposing(&home);
    let listed = must(&home, &root, &["proposals"]);
    let accepted = must(&home, &root, &["proposals", "accept", "api:P-001", "./user:p2"]);
    let dropped = must(&home, &root, &["proposals", "drop", "API:2"]);
    let none = custos_in(&home, &root, &["proposals", "drop", "api:P-002"]);
    assert_eq!((none.code, none.stdout.as_str()), (66, ""));
    let part = custos_in(&home, &root, &["proposals", "accept", "./user:P-001", "lib:P-001"]);
    assert_eq!(part.code, 1);
    settings(&home).bind(|| {
        insta::assert_snapshot!(format!("{listed}\n{accepted}\n{dropped}\n{}\n{}", none.stderr, part.stdout), @"
    P-001  Python dependencies are managed with uv  decision, from uv.lock
           Use uv for Python dependencies, and no other manager of its kind.
    api --root ~/work/api
    api:P-001  The licence is `MIT`  decision, from Cargo.toml:4
           Code in this repo is licensed under `MIT`; what is taken in must be compatible.
    api:P-002  Version of Rust edition: `2024`  decision, from Cargo.toml:3
           Version of Rust edition: `2024`. Use nothing that needs another.
    user --root ~/work/user
    ./user:P-001  The licence is `MIT`  decision, from Cargo.toml:4
           Code in this repo is licensed under `MIT`; what is taken in must be compatible.
    ./user:P-002  Version of Rust edition: `2024`  decision, from Cargo.toml:3
           Version of Rust edition: `2024`. Use nothing that needs another.
    5 proposals: custos proposals accept ID…, or drop ID…; one of a repo as api:P-001

    accepted api:P-001 is api:D-001 now  decisions/D-001-the-licence-is-mit.md
    accepted ./user:P-002 is ./user:D-001 now  decisions/D-001-version-of-rust-edition-2024.md

    dropped api:P-002

    custos: api: there is no proposal P-002 that waits
      `custos proposals` lists those that do

    accepted ./user:P-001 is ./user:D-002 now  decisions/D-002-the-licence-is-mit.md
    left lib:P-001: there is no proposal lib:P-001 that waits. `custos proposals` lists those that do
    ");
    });
    let ids = |place: &str| {
        let found = answer(&home, &root.join(place), &["decisions"])["decisions"].clone();
        found
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["title"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("api"), ["The licence is `MIT`"]);
    assert_eq!(ids("user"), ["Version of Rust edition: `2024`", "The licence is `MIT`"]);
    assert_eq!(ids(""), Vec::<String>::new());
    let waiting = answer(&home, &root, &["proposals"]);
    assert_eq!((waiting["proposals"].as_array().unwrap().len(), &waiting["repos"]), (1, &json!([])));
}

#[test]
fn whoever_answers_all_is_told_what_waits_in_the_repos() {
    let home = home();
    let root = proposing(&home);
    let accepted = must(&home, &root, &["proposals", "accept", "--all"]);
    let again = answer(&home, &root, &["proposals", "drop", "--all"]);
    let (api, user) = (real(&root.join("api")), real(&root.join("user")));
    assert_eq!(
        again,
        json!({ "dropped": [], "left": [
            { "name": "api", "root": api, "waiting": 2 },
            { "name": "user", "root": user, "waiting": 2 },
        ]})
    );
    let there = must(&home, &root, &["proposals", "accept", "--all", "--root", &api]);
    let rest = must(&home, &root, &["proposals", "drop", "--all"]);
    let named = must(&home, &root, &["proposals", "drop", "./user:P-001"]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(format!("{accepted}\n{there}\n{rest}\n{named}"), @"
    accepted P-001 is D-001 now  decisions/D-001-python-dependencies-are-managed-with-uv.md
    4 proposals wait in the repos:
      api  2  custos proposals accept --all --root ~/work/api
      user  2  custos proposals accept --all --root ~/work/user

    accepted P-001 is D-001 now  decisions/D-001-the-licence-is-mit.md
    accepted P-002 is D-002 now  decisions/D-002-version-of-rust-edition-2024.md

    no proposal waits here
    2 proposals wait in the repos:
      user  2  custos proposals drop --all --root ~/work/user

    dropped ./user:P-001
    ");
    });
}
