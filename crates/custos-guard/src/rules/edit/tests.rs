//! What an edit changes, and what it leaves.

use std::fs;

use proptest::prelude::*;
use rstest::rstest;

use super::{Change, EditError, add, remove};
use crate::path::Access;
use crate::rules::entry::{Entry, Flag, List, Ops, Setting};
use crate::rules::policy::Level;
use crate::rules::tests::{CATALOGUE, EVERYTHING, Home};

fn command(list: List, pattern: &str) -> Entry {
    Entry::Command { list, pattern: pattern.to_owned(), id: None, reason: None }
}

fn path(list: List, pattern: &str, ops: Ops) -> Entry {
    Entry::Path { list, pattern: pattern.to_owned(), ops, id: None, reason: None }
}

fn added(text: &str, entry: &Entry) -> Result<String, EditError> {
    let home = Home::new();
    home.write(Level::User, text);
    add(&home.sources(), Level::User, entry, CATALOGUE)?;
    Ok(home.read(Level::User))
}

fn removed(text: &str, what: &str) -> Result<String, EditError> {
    let home = Home::new();
    home.write(Level::User, text);
    remove(&home.sources(), Level::User, what, |_| true, CATALOGUE)?;
    Ok(home.read(Level::User))
}

#[test]
fn a_new_file_is_made() {
    let home = Home::new();
    let entries = [
        command(List::Deny, "terraform apply"),
        Entry::Command {
            list: List::Ask,
            pattern: "npm install **".to_owned(),
            id: Some("my.install".to_owned()),
            reason: Some("say \"why\" first".to_owned()),
        },
        path(List::Deny, "secrets/**", Ops::ANY),
        path(List::Ask, "~/notes", Ops::only(Access::Write)),
        path(List::ReadOnly, "vendor/**", Ops::CHANGE),
        Entry::Branch("release/*".to_owned()),
        Entry::Branch("develop".to_owned()),
        Entry::Rule { id: "git.force-push".to_owned(), to: Setting::Ask },
        Entry::Rule { id: "git.no-verify".to_owned(), to: Setting::Deny },
        Entry::Pack { name: "databases".to_owned(), to: Setting::Off },
        Entry::Flag { flag: Flag::AllowPush, value: false },
        Entry::Flag { flag: Flag::CommitGate, value: true },
        command(List::Allow, "git push --force-with-lease **"),
    ];
    for entry in &entries {
        assert_eq!(add(&home.sources(), Level::User, entry, CATALOGUE).unwrap(), Change::Written);
        assert_eq!(add(&home.sources(), Level::User, entry, CATALOGUE).unwrap(), Change::Nothing);
    }
    insta::assert_snapshot!(home.read(Level::User), @r##"
    # Rules of Custos's guard. `custos guard rules --show-origin` shows what is in force and where it comes from.

    deny:
      commands:
        - "terraform apply"
      paths: ["secrets/**"]

    ask:
      commands:
        - {run: "npm install **", id: "my.install", reason: "say \"why\" first"}
      paths: [{path: "~/notes", op: [write]}]

    read_only:
      - "vendor/**"

    protected_branches:
      - "release/*"
      - "develop"

    rules:
      git.force-push: ask
      git.no-verify: deny

    packs:
      databases: off

    git:
      allow_push: false

    commit_gate:
      enabled: true

    allow:
      commands:
        - "git push --force-with-lease **"
    "##);
    assert_eq!(home.problems(), "");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(home.file(Level::User)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[rstest]
#[case::block(
    "deny:\n  commands:\n    - a # one\n    # two\n    - b\n\n# end\n",
    "deny:\n  commands:\n    - a # one\n    # two\n    - b\n    - \"x y\"\n\n# end\n"
)]
#[case::not_indented("deny:\n  commands:\n  - a\nask:\n", "deny:\n  commands:\n  - a\n  - \"x y\"\nask:\n")]
#[case::flow(
    "deny: {commands: [a, 'b c' ], paths: [x]} # c\n",
    "deny: {commands: [a, 'b c', \"x y\" ], paths: [x]} # c\n"
)]
#[case::flow_lines(
    "deny:\n  commands: [\n    a, # one\n    b, # two\n  ]\n",
    "deny:\n  commands: [\n    a, # one\n    b, \"x y\", # two\n  ]\n"
)]
#[case::empty_list("deny: {commands: []}\n", "deny: {commands: [\"x y\"]}\n")]
#[case::nothing_below("deny:\n  commands: # none\n", "deny:\n  commands: [\"x y\"] # none\n")]
#[case::null("deny: ~\n", "deny: {commands: [\"x y\"]}\n")]
#[case::one("deny:\n  commands: a\n", "deny:\n  commands: [a, \"x y\"]\n")]
#[case::other_list(
    "deny:\n    paths:\n        - p\n# end",
    "deny:\n    paths:\n        - p\n    commands: [\"x y\"]\n# end"
)]
#[case::no_newline("deny:\n  commands:\n    - a", "deny:\n  commands:\n    - a\n    - \"x y\"\n")]
#[case::windows(
    "deny:\r\n  commands:\r\n    - a\r\n",
    "deny:\r\n  commands:\r\n    - a\r\n    - \"x y\"\r\n"
)]
#[case::mapping_item(
    "deny:\n  commands:\n    - run: a\n      reason: b\n",
    "deny:\n  commands:\n    - run: a\n      reason: b\n    - \"x y\"\n"
)]
#[case::none(
    "# mine\nask: {commands: [a]}\n",
    "# mine\nask: {commands: [a]}\n\ndeny:\n  commands:\n    - \"x y\"\n"
)]
fn an_item_is_added_and_taken_away(#[case] before: &str, #[case] after: &str) {
    let entry = command(List::Deny, "x y");
    let with = added(before, &entry).unwrap();
    assert_eq!(with, after);
    let home = Home::new();
    home.write(Level::User, before);
    let said = home.load().policy.commands;
    home.write(Level::User, removed(&with, "x y").unwrap());
    assert_eq!(home.load().policy.commands.len(), said.len());
}

#[rstest]
#[case("rules:\n  git.force-push: off # why\n", "rules:\n  git.force-push: ask # why\n")]
#[case("rules: {git.no-verify: off}\n", "rules: {git.force-push: ask, git.no-verify: off}\n")]
#[case(
    "rules:\n  git.no-verify: off\n\npacks:\n",
    "rules:\n  git.no-verify: off\n  git.force-push: ask\n\npacks:\n"
)]
#[case("rules:\n", "rules:\n  git.force-push: ask\n")]
fn a_rule_is_set(#[case] before: &str, #[case] after: &str) {
    let entry = Entry::Rule { id: "git.force-push".to_owned(), to: Setting::Ask };
    assert_eq!(added(before, &entry).unwrap(), after);
}

#[rstest]
#[case("terraform destroy", "    - terraform destroy\n", "")]
#[case("user.terraform-destroy", "    - terraform destroy\n", "")]
#[case(
    "my.volumes",
    "    - {run: \"docker compose down -v\", id: my.volumes, reason: deletes the volumes}\n",
    ""
)]
#[case("develop", "[develop, \"release/*\"]", "[\"release/*\"]")]
#[case("release/*", "[develop, \"release/*\"]", "[develop]")]
#[case("user.secrets", "\"secrets/**\", ", "")]
#[case("user.vendor", "[vendor/**]", "[]")]
#[case(".env.test", "[.env.test]", "[]")]
#[case("git.force-push", "{git.force-push: ask}", "{}")]
#[case("databases", "  databases: deny\n", "")]
#[case("git.allow_push", "  allow_push: false\n", "")]
#[case("commit_gate.enabled", "{enabled: true}", "{}")]
fn what_is_removed_is_gone_and_nothing_else(#[case] what: &str, #[case] there: &str, #[case] then: &str) {
    assert!(EVERYTHING.contains(there));
    assert_eq!(removed(EVERYTHING, what).unwrap(), EVERYTHING.replacen(there, then, 1));
}

/// `make` in four lists, in one of them twice.
const MAKES: &str = "\
deny:
  commands: [make, a, make] # no
  paths:
    - make
ask: {commands: [make]}
allow:
  commands:
    - b
    - make # yes
";

#[rstest]
#[case(command(List::Deny, "make"), "[make, a, make]", "[a]")]
#[case(path(List::Deny, "make", Ops::ANY), "  paths:\n    - make\n", "  paths:\n")]
#[case(command(List::Ask, "make"), "ask: {commands: [make]}", "ask: {commands: []}")]
#[case(command(List::Allow, "make"), "    - make # yes\n", "")]
fn of_several_lists_one_is_meant(#[case] meant: Entry, #[case] there: &str, #[case] then: &str) {
    let home = Home::new();
    home.write(Level::User, MAKES);
    let removed =
        remove(&home.sources(), Level::User, "make", |entry| entry.stands_with(&meant), CATALOGUE).unwrap();
    assert!(removed.iter().all(|entry| *entry == meant) && !removed.is_empty(), "{removed:?}");
    assert_eq!(home.read(Level::User), MAKES.replacen(there, then, 1));
}

#[test]
fn if_it_is_not_clear_which_list_is_meant_nothing_is_removed() {
    let home = Home::new();
    home.write(Level::User, MAKES);
    let refused = |what: &str, is_meant: fn(&Entry) -> bool| {
        remove(&home.sources(), Level::User, what, is_meant, CATALOGUE).unwrap_err()
    };
    let EditError::SeveralLists { entries, .. } = refused("make", |_| true) else {
        panic!("it is not clear")
    };
    let makes = [
        command(List::Deny, "make"),
        command(List::Deny, "make"),
        path(List::Deny, "make", Ops::ANY),
        command(List::Ask, "make"),
        command(List::Allow, "make"),
    ];
    assert_eq!(entries, makes);
    let EditError::OtherList { entries, .. } = refused("a", |entry| matches!(entry, Entry::Branch(_))) else {
        panic!("it is no branch")
    };
    assert_eq!(entries, [command(List::Deny, "a")]);
    assert!(matches!(refused("c", |_| true), EditError::NotThere { .. }));
    assert_eq!(home.read(Level::User), MAKES);
}

#[test]
fn an_id_that_was_made_means_one_list() {
    let text = "deny: {commands: [make]}\nask: {commands: [make]}\n";
    assert_eq!(removed(text, "user.make").unwrap(), "deny: {commands: []}\nask: {commands: [make]}\n");
}

#[rstest]
#[case::alias("x: &a [b]\ndeny:\n  commands: *a\n")]
#[case::anchored_items("deny:\n  commands:\n    - &a b\n")]
#[case::flow_document("{deny: {commands: [a]}}\n")]
#[case::broken("deny: [\n")]
#[case::no_rules("- a\n")]
fn what_cannot_be_done_safely_is_not_done(#[case] text: &str) {
    let home = Home::new();
    home.write(Level::User, text);
    assert!(add(&home.sources(), Level::User, &command(List::Deny, "x y"), CATALOGUE).is_err());
    assert_eq!(home.read(Level::User), text);
}

#[test]
fn what_is_wrong_is_refused_with_the_reason() {
    let home = Home::new();
    let refused =
        |level, entry: &Entry| add(&home.sources(), level, entry, CATALOGUE).unwrap_err().to_string();
    let said = [
        refused(Level::Repo, &command(List::Allow, "make")),
        refused(Level::Workspace, &Entry::Pack { name: "cloud".to_owned(), to: Setting::Off }),
        refused(Level::User, &command(List::Deny, "a; b")),
        refused(Level::User, &path(List::Deny, "../x", Ops::ANY)),
        refused(Level::User, &Entry::Rule { id: "git.x".to_owned(), to: Setting::Ask }),
        refused(Level::User, &Entry::Pack { name: "x".to_owned(), to: Setting::Ask }),
        refused(Level::User, &Entry::Branch("a b".to_owned())),
        remove(&home.sources(), Level::User, "make", |_| true, CATALOGUE).unwrap_err().to_string(),
        add(&crate::rules::Sources::default(), Level::Repo, &command(List::Deny, "a"), CATALOGUE)
            .unwrap_err()
            .to_string(),
    ];
    insta::assert_snapshot!(said.join("\n").replace(home.path("").to_str().unwrap(), "~/"), @"
    a repo's rules can only tighten: add this to your own rules if you want it
    a workspace's rules can only tighten: add this to your own rules if you want it
    `a; b`: `;` is not part of a command: write one pattern for each command; nothing was changed
    `../x`: `..` leads out of where the pattern begins: write the path from `/` or `~/`; nothing was changed
    `git.x` is no built-in rule; nothing was changed
    `x` is no pack; nothing was changed
    `a b` is no name of a branch; nothing was changed
    ~/config/policies/safety.yaml: nothing there is called `make`; `custos guard rules --show-origin` shows what is where
    there is no repo here, and so no rules of it
    ");
    assert!(!home.file(Level::User).exists());
}

#[rstest]
#[case::wrapper("sudo")]
#[case::wrapper_with_a_program("sudo systemctl restart")]
#[case::wrapper_with_any("sudo **")]
#[case::its_option("sudo -E")]
#[case::either("{sudo,doas} *")]
#[case::patience("timeout 5 **")]
#[case::in_the_background("nohup")]
#[case::environment("env")]
#[case::of_the_shell("eval")]
#[case::place("cd /etc")]
#[case::upwards("cd ..")]
#[case::any_part("deploy-*")]
#[case::option_with_any("psql ** --command=*")]
#[case::quoted("git commit -m 'work in progress'")]
#[case::escaped("find . -exec rm {} \\;")]
#[case::path("./deploy.sh")]
#[case::dot_in_quotes("cat secrets'.'*")]
#[case::keys("git config --global user.*")]
fn a_command_that_holds_what_it_says_is_added(#[case] pattern: &str) {
    assert!(added("", &command(List::Deny, pattern)).is_ok());
}

#[rstest]
#[case::backticks("`yarn deploy`", "leave them out, `yarn deploy`")]
#[case::quotes("\"yarn deploy\"", "leave them out, `yarn deploy`")]
#[case::prompt("$ yarn ship", "leave it out, `yarn ship`")]
#[case::variable("CI=1 yarn ship", "leave `CI=1` out")]
#[case::beginning("^kubectl delete", "`^` is of a regular expression")]
#[case::anything("npm publish.*", "`.*` is of a regular expression")]
#[case::any_words("npm publish .*", "`.*` is of a regular expression")]
#[case::any_option("git push --force.*", "`.*` is of a regular expression")]
#[case::end("npm publish$", "`$` is of a regular expression")]
#[case::blank("npm\\s+publish", "`\\s` is of a regular expression")]
#[case::home("~/bin/foo", "would not hold `~/bin/foo`")]
#[case::given("echo $TOKEN", "would not hold `echo $TOKEN`")]
#[case::reserved("time", "would not hold `time`")]
#[case::one_of_them("{make,time} deploy", "would not hold `time deploy`")]
#[case::comment("#deploy", "would not hold `#deploy`")]
#[case::permission("Bash(npm publish)", "would not hold `Bash(npm publish)`")]
fn a_command_that_holds_nothing_is_refused(#[case] pattern: &str, #[case] why: &str) {
    for list in [List::Deny, List::Ask] {
        let error = added("", &command(list, pattern)).unwrap_err().to_string();
        assert!(error.contains(why) && error.ends_with("; nothing was changed"), "{error}");
    }
}

#[rstest]
#[case::backticks("`gen`", "leave them out, `gen`")]
#[case::quotes("'gen'", "leave them out, `gen`")]
#[case::several("gen3, gen4", "add each by itself")]
#[case::regular("^src/gen", "`^` is of a regular expression")]
#[case::extension("src/.*\\.ts", "`\\.` is of a regular expression")]
#[case::address("file:///etc", "would not hold `file:///etc`")]
fn a_path_that_holds_nothing_is_refused(#[case] pattern: &str, #[case] why: &str) {
    for entry in [path(List::Deny, pattern, Ops::ANY), path(List::ReadOnly, pattern, Ops::CHANGE)] {
        let error = added("", &entry).unwrap_err().to_string();
        assert!(error.contains(why) && error.ends_with("; nothing was changed"), "{error}");
    }
}

#[test]
fn a_path_that_holds_what_it_says_is_added() {
    let patterns = [
        "gen",
        "gen/",
        "./gen/**",
        "src/*/x",
        "*.pem",
        "**/.env*",
        "/etc/hosts",
        "~/notes",
        "~",
        "/",
        "**",
        "?*",
        "a b/[c]",
        ".ai/**",
    ];
    for pattern in patterns {
        assert!(added("", &path(List::Deny, pattern, Ops::only(Access::Read))).is_ok(), "{pattern}");
    }
}

#[rstest]
#[case::remote("origin/release", "a push names the branch alone: `release`")]
#[case::full_remote("refs/remotes/fork/a/b", "a push names the branch alone: `a/b`")]
#[case::open("release/", "`release/*` for all that begin so")]
#[case::dots("a..b", "git has no branches of that name")]
#[case::regular("release/.*", "git has no branches of that name")]
#[case::backticks("`stable`", "leave them out, `stable`")]
#[case::several("main,develop", "add each by itself")]
fn a_branch_that_nobody_pushes_to_is_refused(#[case] name: &str, #[case] why: &str) {
    let error = added("", &Entry::branch(name)).unwrap_err().to_string();
    assert!(error.contains(why) && error.ends_with("; nothing was changed"), "{error}");
}

#[test]
fn a_branch_is_kept_as_a_push_names_it() {
    let home = Home::new();
    let entry = Entry::branch("refs/heads/prod");
    assert_eq!(add(&home.sources(), Level::User, &entry, CATALOGUE).unwrap(), Change::Written);
    assert_eq!(add(&home.sources(), Level::User, &entry, CATALOGUE).unwrap(), Change::Nothing);
    assert!(home.read(Level::User).contains("  - \"prod\""));
    for name in ["v1.*", "feature-*", "*", "it's", "release/**"] {
        let change = add(&home.sources(), Level::User, &Entry::branch(name), CATALOGUE);
        assert_eq!(change.unwrap(), Change::Written, "{name}");
    }
    let gone = remove(&home.sources(), Level::User, "refs/heads/prod", |_| true, CATALOGUE).unwrap();
    assert_eq!(gone, [Entry::Branch("prod".to_owned())]);
}

#[cfg(unix)]
#[test]
fn of_two_changes_at_once_neither_is_lost() {
    let home = Home::new();
    let patterns: Vec<_> = (0..16).map(|number| format!("make x{number}")).collect();
    std::thread::scope(|scope| {
        for pattern in &patterns {
            let home = &home;
            scope.spawn(move || {
                let entry = command(List::Deny, pattern);
                while let Err(error) = add(&home.sources(), Level::User, &entry, CATALOGUE) {
                    assert!(matches!(error, EditError::Busy { .. }), "{error}");
                }
            });
        }
    });
    let mut said: Vec<_> =
        home.load().policy.commands.iter().map(|rule| rule.pattern.text().to_owned()).collect();
    said.sort_by_key(|pattern| patterns.iter().position(|known| known == pattern));
    assert_eq!(said, patterns);
}

#[cfg(unix)]
#[test]
fn nothing_is_made_behind_a_link() {
    let home = Home::new();
    fs::create_dir_all(home.path("elsewhere")).unwrap();
    fs::create_dir_all(home.path("repo")).unwrap();
    std::os::unix::fs::symlink(home.path("elsewhere"), home.path("repo/.ai")).unwrap();
    let refused = add(&home.sources(), Level::Repo, &command(List::Deny, "make"), CATALOGUE);
    assert!(matches!(refused, Err(EditError::Unreadable { .. })));
    assert_eq!(fs::read_dir(home.path("elsewhere")).unwrap().count(), 0);
}

proptest! {
    /// Whatever is added can be removed again, and then the file says what it said.
    #[test]
    fn adding_and_removing_is_nothing(pattern in "[a-z]{1,3}( [-a-z*'\"#:{}]{1,6}){0,3}", reason in prop::option::of("[ -~äß]{0,20}")) {
        let entry = Entry::Command { list: List::Deny, pattern: pattern.clone(), id: None, reason };
        let home = Home::new();
        home.write(Level::User, EVERYTHING);
        match add(&home.sources(), Level::User, &entry, CATALOGUE) {
            Ok(_) => {
                remove(&home.sources(), Level::User, &pattern, |_| true, CATALOGUE).unwrap();
                prop_assert_eq!(home.read(Level::User), EVERYTHING);
            }
            Err(error) => {
                prop_assert!(matches!(error, EditError::Pattern { .. } | EditError::Idle { .. }), "{error}");
            }
        }
    }
}
