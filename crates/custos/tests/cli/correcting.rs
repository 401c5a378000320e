//! Correcting and forgetting what was learnt: what goes, what stays, and what a person is told about the rest.

use std::path::{Path, PathBuf};

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::shell::{Ran, append, command, custos, fed, home, id, json, settings, unread};

const SHOP: &str = "github.com/acme/shop";

fn learnt(home: &TempHome, project: &str, titles: &[&str]) -> Vec<String> {
    let draft = |title: &&str| {
        json!({
            "kind": "observation.recorded", "scope": "project", "project": project, "session": "s-1",
            "body": {"type": "discovery", "title": title, "narrative": "As was seen.", "sources": []},
        })
    };
    append(home, &titles.iter().map(draft).collect::<Vec<_>>()).iter().map(id).collect()
}

fn found(home: &TempHome, words: &str) -> Vec<String> {
    json(home, &["search", "--all", words]).as_array().unwrap().iter().map(id).collect()
}

fn forget(home: &TempHome, what: &[&str]) -> Value {
    json(home, &[&["forget", "--reason", "test", "--yes"], what].concat())
}

/// Runs the program in a repo below the home.
fn within(home: &TempHome, repo: &str, arguments: &[&str]) -> Ran {
    fed(command(home, arguments).current_dir(home.path().join(repo)), b"")
}

fn repo(home: &TempHome, name: &str) -> PathBuf {
    let root = home.path().join(name);
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let origin = format!("[remote \"origin\"]\n\turl = https://github.com/acme/{name}.git\n");
    std::fs::write(root.join(".git/config"), origin).unwrap();
    root
}

/// Lists the files below a directory in which some bytes are, in any case.
fn files_with(directory: &Path, wanted: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, wanted));
        } else {
            let content = std::fs::read(&path).unwrap().to_ascii_lowercase();
            if content.windows(wanted.len()).any(|window| window == wanted.as_bytes()) {
                found.push(path);
            }
        }
    }
    found
}

/// A project with a memory in it that everything has read: the index, the vectors, the catalogues.
fn door_code(home: &TempHome) -> (PathBuf, String) {
    let root = repo(home, "vault");
    let saved = within(
        home,
        "vault",
        &[
            "memories",
            "add",
            "--type",
            "pattern",
            "--title",
            "Door of the vault",
            "--description",
            "The code is quokka4711.",
        ],
    );
    assert_eq!(saved.code, 0, "{saved:?}");
    let found = within(home, "vault", &["search", "--json", "vault door"]);
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(custos(home, &["worker", "run", "--until-idle"]).code, 0);
    (root, id(&found[0]))
}

#[test]
fn what_a_file_says_is_forgotten_by_its_id_everywhere_but_in_the_file() {
    let home = home();
    let (root, id) = door_code(&home);
    let file = root.join(".ai/memory/patterns/door-of-the-vault.md");
    assert!(!files_with(&home.path().join(".local"), "quokka4711").is_empty());
    // A session was told of it, and the log has the receipt.
    let payload =
        json!({"session_id": "one", "cwd": root, "hook_event_name": "SessionStart", "source": "startup"});
    let hook = &mut command(&home, &["hook", "claude-code", "SessionStart"]);
    let told = fed(hook, payload.to_string().as_bytes()).stdout;
    assert!(told.contains("quokka4711"), "{told}");
    let short = id.rsplit('-').next().unwrap();
    let planned = json(&home, &["forget", short, "--reason", "test", "--dry-run"]);
    assert_eq!(planned["files"], json!([{"id": id, "file": file, "exists": true}]));
    let ran = custos(&home, &["forget", short, "--reason", "test", "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let first = ran.stdout.lines().next().unwrap();
    assert!(
        first.contains("this is a file") && first.contains("`custos memories archive door-of-the-vault`"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains(&format!("{}  still there, and yours to delete", file.display())), "{ran:?}");
    assert_eq!(files_with(home.path(), "quokka4711"), [file]);
    assert_eq!(found(&home, "vault door"), [""; 0], "from elsewhere");
    assert!(
        within(&home, "vault", &["search", "vault door"]).stdout.contains("Door of the vault"),
        "it is there"
    );
    assert_eq!(custos(&home, &["verify"]).code, 0);
}

#[test]
fn what_a_file_says_is_shown_with_the_file_that_it_is_from() {
    let home = home();
    let _ = door_code(&home);
    let shown = within(&home, "vault", &["show", "door-of-the-vault"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shown:?}");
    let mut settings = settings(&home);
    // The id of an item is made of its place, and that is another in every run.
    settings.add_filter(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "ID");
    settings.bind(|| {
        insta::assert_snapshot!(shown.stdout, @r"
        type         memory
        name         door-of-the-vault
        title        Door of the vault
        text         The code is quokka4711.
        file         memory/patterns/door-of-the-vault.md

        id           ID
        time         TIME
        project      github.com/acme/vault
        made by      a file of the knowledge base
        trusted      yes
        ");
    });
}

#[test]
fn what_a_file_says_is_named_by_its_slug_from_where_it_lies() {
    let home = home();
    let (_, id) = door_code(&home);
    let slug = "door-of-the-vault";
    let ran = |arguments: &[&str]| within(&home, "vault", arguments);
    for command in [&["show", slug][..], &["memory", "show", slug], &["show", "Door-of-the-Vault"]] {
        let shown = ran(command);
        assert!(shown.code == 0 && shown.stdout.contains("quokka4711"), "{command:?}: {shown:?}");
    }
    let pinned: Value = serde_json::from_str(&ran(&["--json", "memory", "pin", slug]).stdout).unwrap();
    assert_eq!(pinned, json!({"pinned": [id]}));
    let line: Value = serde_json::from_str(&ran(&["--json", "timeline", slug]).stdout).unwrap();
    assert_eq!(line["anchor"], json!(id));
    let told = ran(&["context"]);
    assert!(told.stdout.contains(slug), "{told:?}");
    let without: Value =
        serde_json::from_str(&ran(&["--json", "context", "--without", slug]).stdout).unwrap();
    assert_eq!(without["without"], json!(id));
    let elsewhere = custos(&home, &["memory", "pin", slug]);
    assert_eq!(elsewhere.code, 66, "{elsewhere:?}");
}

#[test]
fn a_mistyped_project_is_not_the_one_around() {
    let home = home();
    door_code(&home);
    let ran = |project: &str| within(&home, "vault", &["search", "--project", project, "door"]).code;
    assert_eq!(["vault", ".", "nix"].map(ran), [0, 0, 66]);
}

#[test]
fn a_file_of_which_the_log_has_nothing_is_not_forgotten_while_it_is_there() {
    let home = home();
    let root = repo(&home, "vault");
    let file = root.join(".ai/memory/patterns/door.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "---\nslug: door\ntitle: Door of the vault\n---\n\nIt is heavy.\n").unwrap();
    let forget = ["forget", "door", "--reason", "test", "--yes"];
    let ran = within(&home, "vault", &forget);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.lines().next().unwrap().contains("`custos memories archive door`"), "{ran:?}");
    let told: Value =
        serde_json::from_str(&within(&home, "vault", &[&["--json"], &forget[..]].concat()).stdout).unwrap();
    assert_eq!(told["put_away"], json!("custos memories archive door"));
    // What it says to do helps.
    let archived = within(&home, "vault", &["memories", "archive", "door", "--reason", "heavy"]);
    assert_eq!(archived.code, 0, "{archived:?}");
    assert!(!within(&home, "vault", &["context"]).stdout.contains("Door of the vault"));
    let gone = within(&home, "vault", &forget);
    assert_eq!(gone.code, 66, "{gone:?}");
}

#[test]
fn what_a_file_said_is_forgotten_with_its_project_and_by_its_words() {
    for what in [["--project", "github.com/acme/vault"], ["--matching", "quokka4711"]] {
        let home = home();
        let (root, id) = door_code(&home);
        std::fs::remove_dir_all(root).unwrap();
        let forgotten = forget(&home, &what);
        assert_eq!(forgotten["files"][0]["id"], json!(id), "{what:?}");
        assert_eq!(forgotten["files"][0]["exists"], json!(false), "{what:?}");
        assert_eq!(files_with(home.path(), "quokka4711"), [""; 0].map(PathBuf::from), "{what:?}");
        assert_eq!(found(&home, "vault door"), [""; 0], "{what:?}");
        assert_eq!(custos(&home, &["show", &id]).code, 66, "{what:?}");
    }
}

#[test]
fn what_a_file_said_before_it_was_edited_goes_as_well() {
    let home = home();
    let (root, _) = door_code(&home);
    let file = root.join(".ai/memory/patterns/door-of-the-vault.md");
    let text = std::fs::read_to_string(&file).unwrap().replace("quokka4711", "changed");
    std::fs::write(&file, text).unwrap();
    within(&home, "vault", &["search", "vault door"]);
    forget(&home, &["--matching", "quokka4711"]);
    assert_eq!(files_with(home.path(), "quokka4711"), [""; 0].map(PathBuf::from));
    let again = custos(&home, &["forget", "--matching", "quokka4711", "--reason", "test"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, "nothing to forget\n"));
}

#[test]
fn a_project_that_is_gone_is_found_no_more() {
    let home = home();
    let (root, _) = door_code(&home);
    assert_eq!(found(&home, "vault door").len(), 1);
    std::fs::remove_dir_all(root).unwrap();
    assert_eq!(found(&home, "vault door"), [""; 0]);
}

#[test]
fn forgetting_what_took_a_place_says_what_counts_again() {
    let home = home();
    let ids = learnt(&home, SHOP, &["The wombat port is 9999", "The wombat port is 8888"]);
    assert_eq!(custos(&home, &["memory", "supersede", &ids[0], "--by", &ids[1]]).code, 0);
    assert_eq!(found(&home, "wombat port"), [ids[1].clone()]);
    let again = custos(&home, &["memory", "pin", &ids[0]]).stderr;
    assert!(again.contains(&format!("no longer holds: {} took its place", ids[1])), "{again}");
    assert_eq!(forget(&home, &[&ids[1]])["count_again"], json!([ids[0]]));
    assert_eq!(found(&home, "wombat port"), [ids[0].clone()]);
    assert_eq!(custos(&home, &["index", "rebuild"]).code, 0);
    assert_eq!(found(&home, "wombat port"), [ids[0].clone()]);
}

#[test]
fn the_summaries_of_an_older_worker_that_repeat_what_is_forgotten_go_with_it() {
    let home = home();
    let of_work = |kind: &str, session: &str, work: &str, body: Value| {
        let mut draft = json!({ "kind": kind, "scope": "project", "project": SHOP, "session": session });
        draft["body"] = body;
        draft["body"]["work"] = json!(work);
        draft
    };
    let title = "Fixed “the wombat port is taken, and by whom nobody knows” in ports.py";
    // Such a worker named the raw events alone as what a turn's summary was made from.
    let observation = json!({ "type": "bugfix", "title": title, "sources": [] });
    let summary = |completed: &str| json!({ "of": "turn", "completed": completed, "sources": [] });
    let ids: Vec<String> = append(
        &home,
        &[
            of_work("observation.recorded", "s-1", "w1", observation),
            of_work("summary.recorded", "s-1", "w1", summary("The port")),
            of_work(
                "summary.recorded",
                "s-1",
                "w2",
                summary("Fixed “the wombat port is taken, and by whom nob…"),
            ),
            of_work("summary.recorded", "s-1", "w3", summary("Fed the wombats")),
            of_work("summary.recorded", "s-2", "w4", summary(title)),
        ],
    )
    .iter()
    .map(id)
    .collect();
    let forgotten = forget(&home, &[&ids[0]]);
    let events: Vec<(String, &Value)> =
        forgotten["events"].as_array().unwrap().iter().map(|event| (id(event), &event["derived"])).collect();
    let expected = [(0, json!(false)), (1, json!(true)), (2, json!(true))];
    assert_eq!(events, expected.each_ref().map(|(at, derived)| (ids[*at].clone(), derived)));
    assert_eq!(custos(&home, &["show", &ids[3], &ids[4]]).code, 0);
}

#[test]
fn forgetting_the_old_words_keeps_the_correction() {
    let home = home();
    let ids = learnt(&home, SHOP, &["The wombat port is 9999"]);
    let new = id(&json(&home, &["memory", "edit", &ids[0], "--title", "The wombat port is 8888"]));
    let planned = custos(&home, &["forget", &ids[0], "--reason", "test", "--dry-run"]).stdout;
    assert!(planned.contains(&format!("note: {new}, which took its place, stays")), "{planned}");
    let forgotten = forget(&home, &[&ids[0]]);
    assert_eq!(
        (forgotten["events"].as_array().unwrap().len(), &forgotten["stay"], &forgotten["count_again"]),
        (1, &json!([new]), &json!([]))
    );
    assert_eq!(found(&home, "wombat port"), [new]);
}

#[test]
fn forgetting_a_correction_says_what_counts_again() {
    let home = home();
    let ids = learnt(&home, SHOP, &["The wombat port is 9999"]);
    let first = id(&json(&home, &["memory", "edit", &ids[0], "--title", "The wombat port is 8888"]));
    let second = id(&json(&home, &["memory", "supersede", &first, "--title", "The wombat port is 7777"]));
    // The one in between: the error does not come back, for the last has taken its place as well.
    assert_eq!(forget(&home, &[&first])["count_again"], json!([]));
    assert_eq!(found(&home, "wombat port"), std::slice::from_ref(&second));
    let planned = custos(&home, &["forget", &second, "--reason", "test", "--dry-run"]).stdout;
    assert!(planned.contains(&format!("note: {} counts again", ids[0])), "{planned}");
    assert_eq!(forget(&home, &[&second])["count_again"], json!([ids[0]]));
    assert_eq!(found(&home, "wombat port"), ids);
}

#[test]
fn what_is_shown_for_machines_says_what_became_of_it() {
    let home = home();
    let ids = learnt(&home, SHOP, &["The wombat port is 9999", "The wombat pen is green"]);
    let new = id(&json(&home, &["memory", "edit", &ids[0], "--title", "The wombat port is 8888"]));
    assert_eq!(custos(&home, &["memory", "pin", &ids[1]]).code, 0);
    let shown = json(&home, &["show", &ids[0], &ids[1], &new]);
    let became: Vec<[&Value; 2]> =
        shown.as_array().unwrap().iter().map(|one| [&one["replaced_by"], &one["pinned"]]).collect();
    let (no, yes, none) = (json!(false), json!(true), Value::Null);
    assert_eq!(became, [[&json!(new), &no], [&none, &yes], [&none, &no]]);
    let one = json(&home, &["observations", "show", &ids[0]]);
    assert_eq!((one["id"].clone(), &one["replaced_by"]), (json!(ids[0]), &json!(new)));
}

#[test]
fn a_name_that_nothing_has_is_called_by_its_name() {
    let home = home();
    for command in [&["show", "D-999"][..], &["forget", "D-999", "--reason", "test", "--yes"]] {
        let refused = custos(&home, command);
        assert_eq!((refused.code, refused.stdout.as_str()), (66, ""));
        assert!(refused.stderr.contains("no memory is called D-999"), "{}", refused.stderr);
    }
}

#[test]
fn only_what_holds_and_reaches_as_far_takes_a_place() {
    let home = home();
    let ids = learnt(&home, SHOP, &["The wombat port is 9999", "The wombat port is 8888"]);
    let elsewhere = learnt(&home, "github.com/acme/other", &["The wombat port is 7777"]).remove(0);
    let by = |old: &str, new: &str| custos(&home, &["memory", "supersede", old, "--by", new]);
    let refused = by(&ids[0], &elsewhere);
    assert!(refused.code == 64 && refused.stderr.contains("github.com/acme/other"), "{refused:?}");
    assert_eq!(by(&ids[0], &ids[1]).code, 0);
    let circle = by(&ids[1], &ids[0]);
    assert!(circle.code == 64 && circle.stderr.contains("no longer holds"), "{circle:?}");
    assert_eq!(found(&home, "wombat 8888")[0], ids[1]);
    assert!(!found(&home, "wombat 9999").contains(&ids[0]));
    let pinned = custos(&home, &["memory", "pin", &ids[1], &ids[0]]);
    assert!(pinned.code == 64 && pinned.stderr.contains("no longer holds"), "{pinned:?}");
    assert_eq!(json(&home, &["search", "--all", "wombat 8888"])[0]["pinned"], json!(false), "none or all");
}

#[test]
fn what_is_shown_keeps_its_paragraphs_and_says_where_it_comes_from() {
    let home = home();
    let body = json!({ "type": "discovery", "title": "Paragraphs", "narrative": "First one.\n\n- item\u{1b}[31m one\n- item two" });
    let draft = json!({ "kind": "observation.recorded", "scope": "user", "body": body });
    let id = id(&append(&home, &[draft])[0]);
    let shown = custos(&home, &["show", &id]).stdout;
    assert!(
        shown.contains(
            "narrative    First one.\n\n             - item\u{fffd}[31m one\n             - item two\n"
        ),
        "{shown}"
    );
}

#[test]
fn what_is_to_be_forgotten_goes_also_if_nobody_reads_about_it() {
    let home = home();
    append(&home, &[json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": "quokka4711"}})]);
    let forget = ["forget", "--matching", "quokka4711", "--reason", "test", "--yes"];
    assert_eq!(unread(&mut command(&home, &forget)), (0, String::new()));
    assert_eq!(files_with(home.path(), "quokka4711"), Vec::<PathBuf>::new());
}
