//! How a knowledge base begins, as typed: `custos init`, `custos proposals`, and what setup does of it.

mod proposals;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::guard::{custos_in, repo};
use crate::shell::{Ran, command, fed, home, json_lines, settings};
#[cfg(unix)]
use crate::terminal::typing;

/// A repo that says something about itself.
fn shop(home: &TempHome) -> PathBuf {
    let root = repo(home, "feat");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("Cargo.toml"), "[package]\nname = \"shop\"\nedition = \"2024\"\nlicense = \"MIT\"\n")
        .unwrap();
    fs::write(root.join("src/main.rs"), "//! Sells things.\nfn main() {}\n").unwrap();
    root
}

/// A workspace with three repos, the last of which came with a knowledge base.
fn workspace(home: &TempHome) -> PathBuf {
    let root = home.path().join("work");
    for name in ["api", "tools/lint", "web"] {
        fs::create_dir_all(root.join(name).join(".git")).unwrap();
        fs::write(root.join(name).join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    }
    let decision = "---\nid: D-001\ntitle: Theirs\n---\n\n# Theirs\n\nDo as they say.\n";
    fs::create_dir_all(root.join("web/.ai/decisions")).unwrap();
    fs::write(root.join("web/.ai/decisions/D-001-theirs.md"), decision).unwrap();
    root
}

/// Every file below a directory with what it holds, as far as that is a text.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap().flatten() {
            if entry.path().is_dir() {
                waiting.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(root).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(entry.path()).unwrap_or_default());
            }
        }
    }
    found
}

fn trusted(home: &TempHome) -> Vec<String> {
    let list = fs::read_to_string(home.config_dir().join("trust")).unwrap_or_default();
    // What was begun here has its mark behind it.
    list.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn must(home: &TempHome, root: &Path, arguments: &[&str]) -> String {
    let ran = custos_in(home, root, arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}: {}", ran.stdout);
    ran.stdout
}

fn answer(home: &TempHome, root: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&must(home, root, &[arguments, &["--json"]].concat())).unwrap()
}

fn real(path: &Path) -> String {
    fs::canonicalize(path).unwrap().display().to_string()
}

#[test]
fn a_repo_begins_and_a_second_run_changes_no_byte() {
    let home = home();
    let root = shop(&home);
    let before = files(&root);
    let rehearsed = must(&home, &root, &["init", "--dry-run"]);
    assert_eq!(files(&root), before);
    let made = must(&home, &root, &["init"]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(format!("{rehearsed}\n{made}"), @"
    shop ~/shop/.ai
      new      .gitignore
      new      oracle/stack.md
      new      oracle/structure.md
      new      oracle/patterns.md
      new      oracle/glossary.md
      new      decisions/…  Secrets stay out of the repository
      new      decisions/…  The main branch changes through review only
      new      decisions/…  What cannot be undone is asked about first
      new      decisions/…  A failing test is understood before it is changed
      new      decisions/…  A change is done when its checks have run
      new      memory/feedback/say-what-was-left-out.md
      new      memory/patterns/look-for-what-exists-before-writing-something-new.md
      new      memory/patterns/one-purpose-per-commit.md
      rule     git_protected_branch release/*  policies/safety.yaml
      rule     bash_deny git config --global user.*  policies/safety.yaml
      rule     bash_deny chmod {-R,--recursive} 777  policies/safety.yaml
      rule     fs_deny .env.production  policies/safety.yaml
      proposes 2 decisions that its files prove
               The licence is `MIT`  (Cargo.toml:4)
               Version of Rust edition: `2024`  (Cargo.toml:3)
    nothing was written

    shop ~/shop/.ai
      made     .gitignore
      made     oracle/stack.md
      made     oracle/structure.md
      made     oracle/patterns.md
      made     oracle/glossary.md
      made     decisions/D-001-secrets-stay-out-of-the-repository.md
      made     decisions/D-002-the-main-branch-changes-through-review-only.md
      made     decisions/D-003-what-cannot-be-undone-is-asked-about-first.md
      made     decisions/D-004-a-failing-test-is-understood-before-it-is-changed.md
      made     decisions/D-005-a-change-is-done-when-its-checks-have-run.md
      made     memory/feedback/say-what-was-left-out.md
      made     memory/patterns/look-for-what-exists-before-writing-something-new.md
      made     memory/patterns/one-purpose-per-commit.md
      rule     git_protected_branch release/*  policies/safety.yaml
      rule     bash_deny git config --global user.*  policies/safety.yaml
      rule     bash_deny chmod {-R,--recursive} 777  policies/safety.yaml
      rule     fs_deny .env.production  policies/safety.yaml
      trusted  made here, so its texts are read as yours
      proposed P-001  The licence is `MIT`  (Cargo.toml:4)
      proposed P-002  Version of Rust edition: `2024`  (Cargo.toml:3)

    Next:
      custos proposals         accept or drop what the files prove
      git add .ai              so that it is reviewed and shared; .ai/local stays here
      custos kb context        what a session begins with
    ");
    });
    assert_eq!(trusted(&home), [real(&root)]);
    let begun = files(&root);
    assert_eq!(begun[".ai/.gitignore"].lines().last(), Some("local/"));

    let again = must(&home, &root.join("src"), &["init"]);
    assert!(again.contains("nothing to change"), "{again}");
    assert_eq!(files(&root), begun);
    let rules = must(&home, &root, &["guard", "rules", "--show-origin"]);
    assert!(rules.contains("chmod {-R,--recursive} 777"), "{rules}");
}

#[test]
fn what_a_person_removed_does_not_come_back_by_itself() {
    let home = home();
    let root = shop(&home);
    must(&home, &root, &["init"]);
    fs::remove_file(root.join(".ai/decisions/D-005-a-change-is-done-when-its-checks-have-run.md")).unwrap();
    must(&home, &root, &["guard", "remove", "chmod {-R,--recursive} 777", "--level", "repo"]);
    let before = files(&root);
    assert_eq!(answer(&home, &root, &["init"])["changed"], json!(false));
    assert_eq!(files(&root), before);
    let named = answer(&home, &root, &["init", "--preset", "essential"]);
    let place = &named["places"][0];
    assert_eq!((place["made"].as_array().unwrap().len(), place["rules"].as_array().unwrap().len()), (1, 1));
}

#[test]
fn a_workspace_begins_with_its_repos_once_somebody_agreed() {
    let home = home();
    let root = workspace(&home);
    let alone = answer(&home, &root, &["init"]);
    assert_eq!(
        (&alone["nature"], &alone["left"]),
        (&json!("workspace"), &json!(["api", "tools/lint"])),
        "of those that have none"
    );
    assert!(root.join(".ai/decisions").is_dir() && !root.join("api/.ai").exists());

    let all = answer(&home, &root, &["init", "--yes"]);
    let places: Vec<(&str, &str, usize)> = all["places"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| {
            let word = |name: &str| place[name].as_str().unwrap();
            (word("name"), word("standing"), place["rules"].as_array().unwrap().len())
        })
        .collect();
    assert_eq!(
        places,
        [("work", "trusted", 0), ("api", "made", 0), ("tools/lint", "made", 0), ("web", "foreign", 0)]
    );
    assert!(!root.join("api/.ai/decisions").exists(), "the workspace says it");
    assert_eq!(trusted(&home), [real(&root), real(&root.join("api")), real(&root.join("tools/lint"))]);

    let before = files(&root);
    assert_eq!(answer(&home, &root, &["init", "--yes"])["changed"], json!(false));
    assert_eq!(files(&root), before);
    assert_eq!(answer(&home, &root, &["init"])["left"], json!([]));
    let told = must(&home, &root, &["init", "--yes"]);
    assert!(told.contains("it was here before and is not trusted"), "{told}");
}

/// What a person is told to do next, line by line.
fn next(told: &str) -> Vec<&str> {
    told.lines().skip_while(|line| *line != "Next:").skip(1).map(str::trim).collect()
}

#[test]
fn git_is_named_where_it_would_take_the_base() {
    let home = home();
    let add = "git add .ai              ";
    let shared = "so that it is reviewed and shared; .ai/local stays here";
    let context = "custos kb context        what a session begins with";

    let root = workspace(&home);
    let alone = must(&home, &root, &["init"]);
    assert_eq!(next(&alone), [context], "the workspace itself is not in git");
    fs::write(root.join("api/.gitignore"), ".ai/\n").unwrap();
    let all = must(&home, &root, &["init", "--yes"]);
    let ignored = ".gitignore               of api leaves .ai out: as long as it does, nobody else gets it";
    assert_eq!(next(&all), [&format!("{add}in each repo, {shared}"), ignored, context]);

    let root = repo(&home, "feat");
    fs::write(root.join(".gitignore"), "/.*\n").unwrap();
    let told = must(&home, &root, &["init"]);
    let ignored = ".gitignore               leaves .ai out: as long as it does, nobody else gets it";
    assert_eq!(next(&told), [ignored, context]);
}

#[test]
fn a_directory_that_is_no_project_can_have_one() {
    let home = home();
    let root = home.path().join("notes");
    fs::create_dir(&root).unwrap();
    let begun = answer(&home, home.path(), &["init", "notes", "--no-scan", "--preset", "none"]);
    assert_eq!((&begun["nature"], &begun["places"][0]["presets"]), (&json!("directory"), &json!([])));
    let names: Vec<String> = files(&root).into_keys().collect();
    assert_eq!(names, [".ai/.gitignore", ".ai/local/.gitignore", ".ai/local/.lock", ".ai/local/made-here"]);
    let nowhere = custos_in(&home, home.path(), &["init", "nowhere"]);
    assert_eq!(nowhere.code, 66, "{nowhere:?}");
}

#[test]
fn what_cannot_be_written_is_named_and_nothing_is_trusted() {
    let home = home();
    let root = shop(&home);
    fs::write(root.join(".ai"), "not a directory").unwrap();
    let refused = custos_in(&home, &root, &["init"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (74, ""), "{refused:?}");
    fs::remove_file(root.join(".ai")).unwrap();
    fs::create_dir(home.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(home.path().join("elsewhere"), root.join(".ai")).unwrap();
    let linked = custos_in(&home, &root, &["init"]);
    assert_eq!((linked.code, linked.stdout.as_str()), (65, ""), "{linked:?}");
    assert_eq!(files(&home.path().join("elsewhere")), BTreeMap::new());
    fs::remove_file(root.join(".ai")).unwrap();
    read_only(&root, true);
    // Whoever may write anywhere can write here as well.
    let is_held = tempfile::tempfile_in(&root).is_err();
    let held = custos_in(&home, &root, &["init"]);
    read_only(&root, false);
    assert!(!is_held || held.code == 74, "{held:?}");
    assert!(!is_held || trusted(&home).is_empty());
}

fn read_only(path: &Path, is: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(if is { 0o555 } else { 0o755 })).unwrap();
}

/// The verdicts of the guard on each example of a preset's rules, in order.
fn verdicts(home: &TempHome, root: &Path, rules: &[Value], of: &str) -> Vec<(String, String)> {
    let mut questions = Vec::new();
    for rule in rules {
        let is_path = rule["type"].as_str().unwrap().starts_with("fs_");
        for example in rule[of].as_array().unwrap() {
            questions.push(if is_path {
                json!({"path": example, "op": "write"})
            } else {
                json!({"cmd": example})
            });
        }
    }
    let lines: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let Ran { code, stdout, stderr } =
        fed(command(home, &["guard", "test", "--batch", "-"]).current_dir(root), lines.as_bytes());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let verdicts =
        json_lines(&stdout).into_iter().map(|answer| answer["verdict"].as_str().unwrap().to_owned());
    questions.iter().map(Value::to_string).zip(verdicts).collect()
}

#[test]
fn the_rules_of_every_preset_hold_what_they_must_and_nothing_else() {
    for name in ["essential", "production", "team", "guardrails"] {
        let home = home();
        let root = shop(&home);
        let presets = answer(&home, &root, &["init", "--list-presets"])["presets"].clone();
        let preset = presets.as_array().unwrap().iter().find(|preset| preset["name"] == name).unwrap();
        let rules = preset["rules"].as_array().unwrap();
        let before = verdicts(&home, &root, rules, "must_allow");
        let begun = answer(&home, &root, &["init", "--preset", name, "--no-scan"]);
        assert_eq!(begun["places"][0]["rules"].as_array().unwrap().len(), rules.len());
        assert_eq!(verdicts(&home, &root, rules, "must_allow"), before, "{name}");
        for (question, verdict) in verdicts(&home, &root, rules, "must_block") {
            assert_eq!(verdict, "deny", "{name}: {question}");
        }
        assert_eq!(answer(&home, &root, &["guard", "rules"])["problems"], json!([]), "{name}");
    }
}

#[test]
fn setup_begins_where_it_is_run_unless_it_is_told_not_to() {
    let home = home();
    let root = shop(&home);
    let prefix = format!("--prefix={}", home.path().join("prefix").display());
    let set_up = |more: &[&str]| {
        let ran = custos_in(
            &home,
            &root,
            &[&["setup", "--yes", "--client", "codex", prefix.as_str(), "--json"], more].concat(),
        );
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
    };
    assert_eq!(set_up(&["--no-init"])["knowledge"], json!([]));
    assert_eq!(set_up(&["--dry-run"])["knowledge"][0]["name"], json!("shop"));
    assert!(!root.join(".ai").exists());
    assert_eq!(set_up(&[])["knowledge"][0]["standing"], json!("made"));
    let before = files(&root.join(".ai"));
    assert_eq!(set_up(&[])["knowledge"], json!([]));
    assert_eq!(files(&root.join(".ai")), before);
}

/// Whoever ends the input at a question has agreed to nothing, whatever Enter would mean.
#[cfg(unix)]
#[test]
fn the_end_of_the_input_is_no_yes() {
    let home = home();
    let root = workspace(&home);
    let asked = |keys: &str| typing(keys, command(&home, &["init", "--no-scan"]).current_dir(&root));
    let ended = asked("\u{4}");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("Begin in each of them as well? [Y/n] "), "{ended:?}");
    assert!(
        ended.stdout.contains("left alone: 2 repos would begin as well with --yes: api, tools/lint"),
        "{ended:?}"
    );
    assert_eq!([root.join(".ai"), root.join("api/.ai")].map(|path| path.exists()), [true, false]);
    assert_eq!(asked("\n").code, 0);
    assert!(root.join("api/.ai").exists());
}

#[test]
fn a_rehearsal_in_a_workspace_says_what_would_really_be_made() {
    let home = home();
    let root = workspace(&home);
    let names = |arguments: &[&str]| -> (Vec<String>, Value) {
        let answer = answer(&home, &root, &[&["init", "--no-scan"], arguments].concat());
        let places = answer["places"].as_array().unwrap().iter();
        (places.map(|place| place["name"].as_str().unwrap().to_owned()).collect(), answer["left"].clone())
    };
    assert_eq!(names(&["--dry-run"]), (vec!["work".to_owned()], json!(["api", "tools/lint"])));
    let all: Vec<String> = ["work", "api", "tools/lint", "web"].map(str::to_owned).into();
    assert_eq!(names(&["--dry-run", "--yes"]), (all, json!([])));
    assert_eq!(names(&[]), (vec!["work".to_owned()], json!(["api", "tools/lint"])));
}

#[test]
fn no_preset_goes_alone() {
    let home = home();
    let root = shop(&home);
    let ran = custos_in(&home, &root, &["init", "--preset", "none", "--preset", "team"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            64,
            "",
            "custos: `none` goes alone: it is no preset, but the wish for none\n  leave out `--preset none`, or the other presets\n"
        )
    );
    let none = answer(&home, &root, &["init", "--preset", "none", "--preset", "none"]);
    assert_eq!(none["places"][0]["presets"], json!([]));
}

#[test]
fn a_rehearsal_counts_what_would_be_proposed() {
    let home = home();
    let root = shop(&home);
    let rehearsed = || answer(&home, &root, &["init", "--dry-run"])["places"][0]["proposed"].clone();
    let all = rehearsed().as_u64().unwrap();
    let named = |arguments: &[&str]| -> Vec<Value> {
        let mut listed =
            answer(&home, &root, arguments)["places"][0]["proposals"].as_array().unwrap().clone();
        for one in &mut listed {
            one.as_object_mut().unwrap().remove("id");
        }
        listed
    };
    let before = named(&["init", "--dry-run"]);
    assert_eq!(before.len() as u64, all);
    assert_eq!(answer(&home, &root, &["init"])["places"][0]["proposed"], json!(all));
    assert_eq!(named(&["init"]), before);
    assert_eq!(named(&["init", "--dry-run"]), Vec::<Value>::new());
    assert_eq!(rehearsed(), json!(0));
    must(&home, &root, &["proposals", "accept", "P-001"]);
    must(&home, &root, &["proposals", "drop", "P-002"]);
    assert_eq!(rehearsed(), json!(0));
    // A clone has what was accepted, and not what waits on another machine.
    fs::remove_dir_all(root.join(".ai/local")).unwrap();
    let again = rehearsed();
    assert_eq!(again, json!(all - 1));
    assert_eq!(answer(&home, &root, &["init"])["places"][0]["proposed"], again);
}

#[cfg(unix)]
#[test]
fn a_scan_that_could_write_nothing_has_failed() {
    let home = home();
    let root = shop(&home);
    must(&home, &root, &["init"]);
    fs::rename(root.join(".ai/oracle"), home.path().join("oracle")).unwrap();
    std::os::unix::fs::symlink(home.path().join("oracle"), root.join(".ai/oracle")).unwrap();
    for arguments in
        [&["oracle", "scan"][..], &["oracle", "scan", "--json"], &["oracle", "scan", "--dry-run"], &["init"]]
    {
        let ran = custos_in(&home, &root, arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
        assert!(!ran.stdout.contains("nothing to change in"), "{}", ran.stdout);
    }
}
