//! Which files a call touched, and which repo they belong to.

use serde_json::{Value, json};

use crate::desk::{Desk, Ran, fed, with};

const CLAUDE: &str = "claude-code";
const FIRST: &str = "c0ffee0000000000000000000000000000000001";
const SECOND: &str = "c0ffee0000000000000000000000000000000002";

/// Makes a repo by hand: only its small files are ever read.
fn repo(desk: &Desk, at: &str, branch: &str, commit: &str, remote: Option<&str>) {
    desk.put(&format!("{at}/.git/HEAD"), format!("ref: refs/heads/{branch}\n"));
    desk.put(&format!("{at}/.git/refs/heads/{branch}"), format!("{commit}\n"));
    if let Some(url) = remote {
        desk.put(&format!("{at}/.git/config"), format!("[remote \"origin\"]\n\turl = {url}\n"));
    }
}

/// Runs a command in a directory, and gives the event.
fn shell(desk: &Desk, cwd: &str, command: &str) -> Value {
    let cwd = desk.project().parent().unwrap().join(cwd);
    let fields = json!({ "cwd": cwd, "tool_input": { "command": command } });
    desk.tell(CLAUDE, "PostToolUse", &with(desk.fixture(CLAUDE, "PostToolUse.Bash"), fields));
    desk.events_of("tool.used").pop().unwrap()
}

fn edit(desk: &Desk, cwd: &str, file: &str) -> Value {
    let person = desk.project().parent().unwrap().to_owned();
    let fields = json!({ "cwd": person.join(cwd), "tool_name": "Edit", "tool_input": { "file_path": person.join(file) } });
    desk.tell(CLAUDE, "PostToolUse", &with(desk.fixture(CLAUDE, "PostToolUse.Edit"), fields));
    desk.events_of("tool.used").pop().unwrap()
}

fn place(event: &Value) -> (&Value, &Value, &Value) {
    (&event["project"], &event["branch"], &event["commit"])
}

#[test]
fn the_files_of_a_shell_command_are_recorded() {
    let desk = Desk::new();
    repo(&desk, "project", "main", FIRST, None);
    for (command, read, changed) in [
        ("echo hi > out.txt", json!(null), json!(["out.txt"])),
        ("cat in.txt | tee -a a.log b.log", json!(["in.txt"]), json!(["a.log", "b.log"])),
        ("mv old.rs new.rs", json!(null), json!(["old.rs", "new.rs"])),
        ("cp from.rs to.rs", json!(["from.rs"]), json!(["to.rs"])),
        ("rm -rf build/x.o", json!(null), json!(["build/x.o"])),
        ("sed -i 's/a/b/' src/lib.rs", json!(null), json!(["src/lib.rs"])),
        ("echo 'rm -rf nothing.txt'", json!(null), json!(null)),
    ] {
        let body = shell(&desk, "project", command)["body"].clone();
        assert_eq!((&body["files_read"], &body["files_changed"]), (&read, &changed), "{command}");
    }
}

#[test]
fn the_files_of_a_patch_are_recorded() {
    let desk = Desk::new();
    repo(&desk, "project", "main", FIRST, None);
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-x\n+y\n*** Add File: new.txt\n+line\n*** Delete File: gone.txt\n*** End Patch\n";
    let fields = json!({ "tool_input": { "command": patch } });
    desk.tell("codex", "PostToolUse", &with(desk.fixture("codex", "PostToolUse.apply_patch"), fields));
    let body = desk.events_of("tool.used").remove(0)["body"].clone();
    assert_eq!(body["files_changed"], json!(["src/a.rs", "src/b.rs", "new.txt", "gone.txt"]));
}

#[test]
fn a_call_belongs_to_the_repo_whose_files_it_touched() {
    let desk = Desk::new();
    repo(&desk, "project", "main", FIRST, Some("git@git.example:team/one.git"));
    repo(&desk, "other", "topic/x", SECOND, Some("https://user:pw@git.example/team/two.git"));
    let (one, two) = (json!("git.example/team/one"), json!("git.example/team/two"));
    let in_one = (&one, &json!("main"), &json!(FIRST));
    let in_two = (&two, &json!("topic/x"), &json!(SECOND));

    let event = edit(&desk, "project", "project/src/a.rs");
    assert_eq!((place(&event), &event["body"]["files_changed"]), (in_one, &json!(["src/a.rs"])));
    let event = edit(&desk, "project", "other/src/b.rs");
    assert_eq!((place(&event), &event["body"]["files_changed"]), (in_two, &json!(["src/b.rs"])));
    assert_eq!(place(&shell(&desk, "project", "echo x > ../other/c.txt")), in_two);
    assert_eq!(
        place(&shell(&desk, "project", "cat ../other/c.txt > d.txt")),
        in_one,
        "what it changed comes first"
    );
    assert_eq!(place(&shell(&desk, "project", "cat ../other/c.txt")), in_two);
    assert_eq!(place(&shell(&desk, "project", "cargo test")), in_one);

    // From a directory above, each file leads to its own repo.
    assert_eq!(place(&edit(&desk, "", "other/e.rs")), in_two);
    assert_eq!(place(&edit(&desk, "", "project/e.rs")), in_one);
    // A file in no repo stays with the client's.
    let event = edit(&desk, "project", "notes/f.md");
    assert_eq!(place(&event), in_one);
    assert!(event["body"]["files_changed"][0].as_str().unwrap().ends_with("/notes/f.md"));
}

#[test]
fn a_repo_within_a_repo_is_its_own() {
    let desk = Desk::new();
    repo(&desk, "project", "main", FIRST, Some("https://git.example/team/outer"));
    repo(&desk, "project/vendor/inner", "next", SECOND, Some("https://git.example/team/inner"));
    let event = edit(&desk, "project", "project/vendor/inner/src/x.rs");
    assert_eq!(place(&event), (&json!("git.example/team/inner"), &json!("next"), &json!(SECOND)));
    assert_eq!(event["body"]["files_changed"], json!(["src/x.rs"]));
    let event = edit(&desk, "project", "project/vendor/y.rs");
    assert_eq!(place(&event), (&json!("git.example/team/outer"), &json!("main"), &json!(FIRST)));
    // And the other way round: working in the inner one, touching the outer one.
    let event = edit(&desk, "project/vendor/inner", "project/z.rs");
    assert_eq!(event["project"], json!("git.example/team/outer"));
}

#[test]
fn a_workspace_within_a_repo_is_its_own() {
    let desk = Desk::new();
    repo(&desk, "project", "main", FIRST, Some("https://git.example/me/dotfiles"));
    for name in ["api", "web"] {
        repo(&desk, &format!("project/work/{name}"), "next", SECOND, None);
    }
    desk.put("project/work/docs/a.md", "");
    let work = json!(desk.project().join("work"));
    let in_work = (&work, &json!(null), &json!(null));
    assert_eq!(place(&shell(&desk, "project/work", "ls")), in_work);
    assert_eq!(place(&edit(&desk, "project/work", "project/work/docs/a.md")), in_work);
    let api = json!(desk.project().join("work/api/.git"));
    assert_eq!(
        place(&edit(&desk, "project/work", "project/work/api/src/a.rs")),
        (&api, &json!("next"), &json!(SECOND))
    );
    let outer = json!("git.example/me/dotfiles");
    assert_eq!(place(&shell(&desk, "project", "ls")), (&outer, &json!("main"), &json!(FIRST)));
}

#[test]
fn worktrees_and_clones_agree_on_the_project() {
    let desk = Desk::new();
    let url = "https://git.example/team/demo.git";
    repo(&desk, "project", "main", FIRST, Some(url));
    repo(&desk, "clone", "main", SECOND, Some("ssh://git@git.example/team/demo"));
    let git = desk.project().join(".git");
    desk.put("worktree/.git", format!("gitdir: {}/worktrees/wt\n", git.display()));
    desk.put("project/.git/worktrees/wt/HEAD", "ref: refs/heads/topic\n");
    desk.put("project/.git/worktrees/wt/commondir", "../..\n");
    desk.put("project/.git/refs/heads/topic", format!("{SECOND}\n"));
    let project = json!("git.example/team/demo");
    assert_eq!(place(&shell(&desk, "project", "ls")), (&project, &json!("main"), &json!(FIRST)));
    assert_eq!(place(&shell(&desk, "clone", "ls")), (&project, &json!("main"), &json!(SECOND)));
    assert_eq!(place(&shell(&desk, "worktree", "ls")), (&project, &json!("topic"), &json!(SECOND)));

    // Without a remote, the worktrees of one repo still agree.
    desk.put("project/.git/config", "");
    let main = shell(&desk, "project", "ls");
    assert_eq!(main["project"], shell(&desk, "worktree", "ls")["project"]);
    assert_eq!(main["project"], json!(git));
}

#[test]
fn without_a_repo_the_directory_is_the_project() {
    let desk = Desk::new();
    let event = edit(&desk, "project", "project/src/a.rs");
    assert_eq!(place(&event), (&json!(desk.project()), &Value::Null, &Value::Null));
    assert_eq!(event["body"]["files_changed"], json!(["src/a.rs"]));
}

#[test]
fn a_home_and_a_project_may_be_called_anything() {
    for name in ["Jörg Müller", "日本語 🦀", "it's \"quoted\" $HOME %41"] {
        let desk = Desk::named(name);
        desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit", "PostToolUse.Edit", "Stop", "SessionEnd"]);
        let kinds: Vec<String> = desk.told().into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(
            kinds,
            ["session.started", "prompt.submitted", "tool.used", "turn.ended", "session.ended"],
            "{name}"
        );
        assert_eq!(desk.events_of("tool.used")[0]["body"]["files_changed"], json!(["a.txt"]), "{name}");
        assert_eq!(desk.troubles(), Vec::<String>::new());
        desk.verify();

        // The same for the project alone.
        let desk = Desk::new();
        repo(&desk, name, "größe/ä", FIRST, None);
        let event = shell(&desk, name, "echo x > 'Ä b.txt'");
        assert_eq!(
            (&event["branch"], &event["body"]["files_changed"]),
            (&json!("größe/ä"), &json!(["Ä b.txt"])),
            "{name}"
        );
    }
}

#[test]
fn a_directory_that_is_gone_relative_or_huge_is_no_obstacle() {
    let desk = Desk::new();
    let long = format!("/{}", "d/".repeat(50_000));
    for cwd in
        ["/no/such/place", "relative/place", ".", "/", long.as_str(), "/proc/self/fd/0", "/with\na line"]
    {
        let fields = json!({ "cwd": cwd });
        desk.tell(CLAUDE, "PostToolUse", &with(desk.fixture(CLAUDE, "PostToolUse.Edit"), fields));
    }
    assert_eq!(desk.events_of("tool.used").len(), 7);
    desk.verify();
}

#[test]
fn a_hostile_repo_is_read_within_bounds() {
    let desk = Desk::new();
    let made = std::process::Command::new("mkfifo")
        .arg(desk.put("project/.git/config", "").with_file_name("HEAD"))
        .status();
    assert!(made.unwrap().success());
    assert_eq!(shell(&desk, "project", "ls")["branch"], Value::Null);
    std::fs::remove_file(desk.project().join(".git/HEAD")).unwrap();
    for head in [
        "ref: ../../../../etc/passwd\n".to_owned(),
        "ref: refs/heads/../../config".to_owned(),
        "x".repeat(1 << 20),
    ] {
        desk.put("project/.git/HEAD", head);
        let event = shell(&desk, "project", "ls");
        assert_eq!((&event["branch"], &event["commit"]), (&Value::Null, &Value::Null));
    }
}

/// Lets a session begin in a directory.
fn start(desk: &Desk, cwd: &std::path::Path, session: &str) -> Ran {
    let fields = json!({ "cwd": cwd, "session_id": session });
    let payload = with(desk.fixture(CLAUDE, "SessionStart.startup"), fields);
    desk.hook(CLAUDE, "SessionStart", payload.to_string())
}

/// Lets a session begin in the project, and has it learn something; gives the event of its start.
fn learn(desk: &Desk) -> Value {
    start(desk, &desk.project(), "first");
    let begun = desk.events_of("session.started").pop().unwrap();
    let draft = json!({
        "kind": "observation.recorded", "scope": "project", "project": begun["project"], "session": begun["session"],
        "importance": 0.8, "agent": { "client": CLAUDE },
        "body": { "type": "discovery", "title": FACT, "narrative": "Seen in the compose file." },
    });
    let ran = fed(&mut desk.command(&["log", "append"]), draft.to_string().as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(desk.custos(&["search", "ledger"]).code, 0);
    begun
}

const FACT: &str = "The ledger listens on port 7433";

#[test]
fn a_repo_that_was_moved_is_told_what_was_learnt_in_it() {
    let desk = Desk::new();
    repo(&desk, "project", "main", FIRST, None);
    let begun = learn(&desk);
    let moved = desk.project().with_file_name("boutique");
    std::fs::rename(desk.project(), &moved).unwrap();
    std::fs::create_dir(desk.project()).unwrap();
    let told = start(&desk, &moved, "second");
    assert!(told.stdout.contains(FACT), "{told:?}");
    let events = desk.events_of("session.started");
    assert_eq!(events.last().unwrap()["project"], begun["project"]);
    // The command line finds it there, by its directory and by where it is asked.
    for arguments in
        [vec!["search", "ledger", "--json"], vec!["search", "ledger", "--json", "--project", "."]]
    {
        let ran = fed(desk.command(&arguments).current_dir(&moved), b"");
        assert!(ran.stdout.contains(FACT), "{ran:?}");
    }
    // What comes to the old place begins anew.
    let told = start(&desk, &desk.project(), "third");
    assert!(!told.stdout.contains(FACT), "{told:?}");
    let third = desk.events_of("session.started").pop().unwrap();
    assert_ne!(third["project"], begun["project"]);
}

#[test]
fn a_repo_that_gets_a_remote_keeps_its_memory_and_can_be_forgotten_whole() {
    let desk = Desk::new();
    repo(&desk, "project", "main", FIRST, None);
    learn(&desk);
    repo(&desk, "project", "main", FIRST, Some("git@github.com:me/shop.git"));
    start(&desk, &desk.project(), "second");
    assert_eq!(desk.events_of("session.started").pop().unwrap()["project"], "github.com/me/shop");
    // Somebody with time reads the log anew; after that it is told to every session.
    let ran = desk.custos(&["search", "ledger", "--json", "--project", "github.com/me/shop"]);
    assert!(ran.stdout.contains(FACT), "{ran:?}");
    let told = start(&desk, &desk.project(), "third");
    assert!(told.stdout.contains(FACT), "{told:?}");
    // Its old name is nobody's any more, and is forgotten with it.
    let ran = desk.custos(&["forget", "--project", ".", "--reason", "over", "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let left = std::fs::read_dir(desk.memory().join("log")).unwrap().flat_map(|writer| {
        let segments = std::fs::read_dir(writer.unwrap().path()).unwrap();
        segments.map(|segment| std::fs::read_to_string(segment.unwrap().path()).unwrap())
    });
    let left: String = left.collect();
    assert!(
        !left.contains("listens on port") && !left.contains("project/.git") && left.contains("forget.done"),
        "{left}"
    );
}
