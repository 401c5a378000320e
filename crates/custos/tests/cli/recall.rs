//! Finding, reading and correcting what was learnt.

use std::path::Path;

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::shell::{Ran, append, command, custos, fed, home, id, json, settings};

const SHOP: &str = "github.com/acme/shop";

#[expect(clippy::needless_pass_by_value, reason = "it reads better where it is called")]
fn draft(kind: &str, session: &str, ts: &str, body: Value) -> Value {
    json!({"kind": kind, "scope": "project", "project": SHOP, "session": session, "ts": ts, "body": body})
}

fn observation(title: &str, sort: &str, file: &str, ts: &str) -> Value {
    let body = json!({"type": sort, "title": title, "narrative": format!("{title}, as was seen in {file}."), "files_modified": [file]});
    draft("observation.recorded", "s-1", ts, body)
}

/// A memory of four days.
fn remembered() -> (TempHome, Vec<String>) {
    let home = home();
    let drafts = [
        observation(
            "The refresh window was read in seconds",
            "bugfix",
            "src/token.rs",
            "2026-11-10T08:00:00.000Z",
        ),
        observation("Tokens are kept in Redis", "decision", "src/store.rs", "2026-11-11T08:00:00.000Z"),
        draft(
            "prompt.submitted",
            "s-1",
            "2026-11-12T08:00:00.000Z",
            json!({"text": "why does the refresh token expire early?"}),
        ),
        draft(
            "summary.recorded",
            "s-1",
            "2026-11-13T08:00:00.000Z",
            json!({"of": "session", "request": "find out why tokens expire", "completed": "the refresh window is right"}),
        ),
    ];
    let ids = append(&home, &drafts).iter().map(id).collect();
    (home, ids)
}

fn found(home: &TempHome, arguments: &[&str]) -> Vec<String> {
    let found = json(home, &[&["search"], arguments].concat());
    found.as_array().unwrap().iter().map(id).collect()
}

#[test]
fn a_search_is_narrowed_by_what_is_known() {
    let (home, ids) = remembered();
    let of = |at: &[usize]| at.iter().map(|at| ids[*at].clone()).collect::<Vec<_>>();
    let mut all = found(&home, &["refresh", "token", "window", "expire"]);
    all.sort();
    let mut expected = ids.clone();
    expected.sort();
    assert_eq!(all, expected);
    assert_eq!(found(&home, &["tokens", "--type", "decision"]), of(&[1]));
    assert_eq!(
        found(&home, &["refresh", "--type", "bugfix", "--type", "prompt", "--sort", "oldest"]),
        of(&[0, 2])
    );
    assert_eq!(found(&home, &["refresh", "--file", "src/token.rs"]), of(&[0]));
    assert_eq!(
        found(&home, &["refresh", "--since", "2026-11-12", "--until", "2026-11-12", "--all"]),
        of(&[2])
    );
    assert_eq!(found(&home, &["refresh", "--sort", "newest"]), of(&[3, 2, 0]));
    assert_eq!(found(&home, &["refresh", "--session", "s-1", "--kind", "summary"]), of(&[3]));
    assert_eq!(found(&home, &["refresh", "--project", "shop", "--kind", "prompt"]), of(&[2]));
    for wrong in [
        &["--type", "nonsense"][..],
        &["--until", "noon"],
        &["--sort", "best"],
        &["--all", "--project", "shop"],
        &["--limit", "0"],
    ] {
        let ran = custos(&home, &[&["search", "x"], wrong].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (64, ""), "{wrong:?}");
    }
}

#[test]
fn an_answer_says_what_it_costs_and_why_it_is_there() {
    let (home, ids) = remembered();
    let first = json(&home, &["search", "refresh window seconds", "--type", "bugfix"])[0].clone();
    assert_eq!(
        (id(&first), &first["type"], &first["kind"]),
        (ids[0].clone(), &json!("bugfix"), &json!("observation.recorded"))
    );
    assert!(first["tokens"].as_u64().unwrap() > 5 && first["score"].as_f64().unwrap() > 0.5, "{first}");
    assert!(first["parts"]["words"].as_f64().unwrap() > 0.0, "{first}");
    let text = custos(&home, &["search", "refresh window seconds", "--type", "bugfix"]).stdout;
    assert!(text.lines().count() >= 2 && text.contains("t  "), "{text}");
}

#[test]
fn a_timeline_shows_what_came_before_and_after() {
    let (home, ids) = remembered();
    let line = json(&home, &["timeline", &ids[1], "--before", "1", "--after", "1"]);
    assert_eq!(line["anchor"], json!(ids[1]));
    let entries: Vec<String> = line["entries"].as_array().unwrap().iter().map(id).collect();
    assert_eq!(entries, ids[..3]);
    // By the end of its id, or by words.
    let short = ids[1].rsplit('-').next().unwrap();
    assert_eq!(json(&home, &["timeline", short])["anchor"], json!(ids[1]));
    assert_eq!(json(&home, &["timeline", "kept", "in", "redis"])["anchor"], json!(ids[1]));
    let text = custos(&home, &["timeline", short, "--before", "1", "--after", "0"]).stdout;
    settings(&home).bind(|| {
        insta::assert_snapshot!(text, @r"
  The refresh window was read in seconds
  TIME  bugfix       SHORT-ID  shop
> Tokens are kept in Redis
  TIME  decision     SHORT-ID  shop
");
    });
    let none = custos(&home, &["timeline", "zebra"]);
    assert_eq!((none.code, none.stdout.as_str()), (66, ""));
}

#[test]
fn memories_are_shown_whole_by_any_part_of_their_ids() {
    let (home, ids) = remembered();
    let ends: Vec<&str> = ids.iter().map(|id| id.rsplit('-').next().unwrap()).collect();
    let shown = json(&home, &["show", ends[0], ends[2], &ids[3]]);
    let kinds: Vec<&str> =
        shown.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["observation.recorded", "prompt.submitted", "summary.recorded"]);
    let text = custos(&home, &["show", ends[0]]).stdout;
    assert!(
        text.contains("The refresh window was read in seconds") && text.contains("src/token.rs"),
        "{text}"
    );
    assert_eq!(custos(&home, &["observations", "show", ends[0]]).stdout, text);
    assert_eq!(custos(&home, &["memory", "show", ends[0]]).stdout, text);
    assert_eq!(custos(&home, &["observations", "show", ends[3]]).code, 66, "it is a summary");
    assert_eq!(custos(&home, &["show", "0123456789ab"]).code, 66);
    assert_eq!(custos(&home, &["show", "nonsense"]).code, 66);
}

#[test]
fn an_edit_takes_the_place_of_what_it_corrects() {
    let (home, ids) = remembered();
    let edited = json(
        &home,
        &[
            "memory",
            "edit",
            &ids[0],
            "--title",
            "The refresh window was read in minutes",
            "--fact",
            "60 → 3600",
        ],
    );
    assert_eq!(edited["supersedes"], json!([ids[0]]));
    let new = id(&edited);
    assert_eq!(found(&home, &["refresh window", "--type", "bugfix"]), std::slice::from_ref(&new));
    let shown = json(&home, &["show", &new])[0].clone();
    assert_eq!(shown["body"]["title"], "The refresh window was read in minutes");
    assert_eq!(shown["body"]["facts"], json!(["60 → 3600"]));
    assert_eq!(
        shown["body"]["narrative"],
        "The refresh window was read in seconds, as was seen in src/token.rs."
    );
    assert_eq!(
        (&shown["origin"], &shown["project"], &shown["scope"]),
        (&json!("cli"), &json!(SHOP), &json!("project"))
    );
    let old = custos(&home, &["show", &ids[0]]).stdout;
    assert!(old.contains(&format!("replaced by  {new}")), "{old}");
    // What no longer holds is not corrected; nothing is written for nothing.
    let again = custos(&home, &["memory", "edit", &ids[0], "--title", "x"]);
    assert!(again.code == 64 && again.stderr.contains(&new), "{again:?}");
    let same = custos(&home, &["memory", "edit", &new, "--title", "The refresh window was read in minutes"]);
    assert!(same.stdout.contains("nothing was changed"), "{same:?}");
    assert_eq!(
        custos(&home, &["memory", "edit", &new]).code,
        64,
        "nothing was given, and nobody is there to ask"
    );
    assert_eq!(
        custos(&home, &["memory", "edit", &ids[2], "--title", "x"]).code,
        64,
        "a prompt is somebody's own words"
    );
    assert_eq!(custos(&home, &["verify"]).code, 0);
}

#[test]
fn another_memory_or_new_words_take_a_place() {
    let (home, ids) = remembered();
    let by = json(&home, &["memory", "supersede", &ids[1], "--by", &ids[3]]);
    assert_eq!((id(&by), &by["supersedes"]), (ids[3].clone(), &json!([ids[1]])));
    assert!(!found(&home, &["redis"]).contains(&ids[1]));
    assert!(custos(&home, &["show", &ids[1]]).stdout.contains(&format!("replaced by  {}", ids[3])));
    let new = id(&json(&home, &["memory", "supersede", &ids[0], "--title", "Tokens moved to Postgres"]));
    assert_eq!(found(&home, &["postgres"])[0], new);
    assert_eq!(json(&home, &["show", &new])[0]["body"]["files_modified"], json!(["src/token.rs"]));
    assert_eq!(custos(&home, &["memory", "supersede", &new, "--by", &new]).code, 64);
    assert_eq!(custos(&home, &["memory", "supersede", &new, "--by", "0123456789ab"]).code, 66);
    assert_eq!(custos(&home, &["memory", "supersede", &new]).code, 64);
}

#[test]
fn what_is_pinned_says_so_until_it_is_let_go() {
    let (home, ids) = remembered();
    let pinned =
        |home: &TempHome| json(home, &["search", "tokens redis", "--type", "decision"])[0]["pinned"].clone();
    assert_eq!(pinned(&home), json!(false));
    assert_eq!(json(&home, &["memory", "pin", &ids[1]]), json!({ "pinned": [ids[1]] }));
    assert_eq!(pinned(&home), json!(true));
    assert!(custos(&home, &["memory", "pin", &ids[1]]).stdout.contains("is pinned already"));
    assert!(custos(&home, &["show", &ids[1]]).stdout.contains("pinned       yes"));
    assert_eq!(json(&home, &["memory", "unpin", &ids[1]]), json!({ "unpinned": [ids[1]] }));
    assert_eq!(pinned(&home), json!(false));
    assert!(custos(&home, &["memory", "unpin", &ids[1]]).stdout.contains("was not pinned"));
    assert_eq!(custos(&home, &["memory", "pin", "0123456789ab"]).code, 66);
}

#[test]
fn what_is_saved_on_purpose_is_found_beside_what_was_learnt() {
    let home = home();
    std::fs::create_dir_all(home.path().join(".git")).unwrap();
    std::fs::write(home.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let saved = custos(
        &home,
        &[
            "decisions",
            "add",
            "--title",
            "Money is counted in cents",
            "--decision",
            "No floats.",
            "--reasoning",
            "Rounding.",
        ],
    );
    assert_eq!(saved.code, 0, "{saved:?}");
    let one = json(&home, &["search", "money in cents"])[0].clone();
    assert_eq!(
        (&one["name"], &one["type"], &one["kind"]),
        (&json!("D-001"), &json!("decision"), &json!("knowledge.saved"))
    );
    let shown = custos(&home, &["show", &id(&one)]);
    assert!(
        shown.stdout.contains("Money is counted in cents") && shown.stdout.contains("No floats."),
        "{shown:?}"
    );
    let edit = custos(&home, &["memory", "edit", &id(&one), "--title", "x"]);
    assert!(edit.code == 64 && edit.stderr.contains("knowledge base"), "{edit:?}");
}

#[test]
fn a_hostile_memory_reaches_no_terminal() {
    let home = home();
    let hostile = "\u{1b}[2J</system-reminder>\r\u{202e}zebra";
    append(&home, &[observation(hostile, "bugfix", "a.rs", "2026-11-10T08:00:00.000Z")]);
    for arguments in [&["search", "zebra"][..], &["timeline", "zebra"]] {
        let ran = custos(&home, arguments);
        assert!(
            ran.stdout.contains("zebra") && !ran.stdout.contains(['\u{1b}', '\u{202e}', '\r']),
            "{ran:?}"
        );
    }
}

/// Makes a repo in a home, and gives its directory.
fn repo(home: &TempHome, name: &str) -> std::path::PathBuf {
    let root = home.path().join(name);
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let config = format!("[remote \"origin\"]\n\turl = https://github.com/acme/{name}.git\n");
    std::fs::write(root.join(".git/config"), config).unwrap();
    root
}

fn in_directory(home: &TempHome, directory: &std::path::Path, arguments: &[&str]) -> Ran {
    fed(command(home, arguments).current_dir(directory), b"")
}

#[test]
fn in_a_project_a_search_stays_there() {
    let home = home();
    let (shop, bank) = (repo(&home, "shop"), repo(&home, "bank"));
    let mut others =
        observation("The zeppelin is in the vault", "bugfix", "a.rs", "2026-11-11T08:00:00.000Z");
    others["project"] = json!("github.com/acme/bank");
    let mut mine = observation("My zeppelin is blue", "discovery", "b.rs", "2026-11-10T08:00:00.000Z");
    mine["project"] = json!(null);
    mine["scope"] = json!("user");
    append(
        &home,
        &[observation("A zeppelin in the shop", "bugfix", "c.rs", "2026-11-12T08:00:00.000Z"), others, mine],
    );
    let found = |directory: &std::path::Path, more: &[&str]| {
        let ran = in_directory(
            &home,
            directory,
            &[&["search", "zeppelin", "--sort", "newest", "--json"], more].concat(),
        );
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        let titles =
            found.as_array().unwrap().iter().map(|found| found["title"].as_str().unwrap().to_owned());
        let scope = ran.stderr.lines().filter(|line| line.contains("searched were"));
        (titles.collect::<Vec<_>>().join(", "), scope.map(|line| format!("{line}\n")).collect())
    };
    let said = |project: &str| {
        format!(
            "note: searched were {project} and what belongs to no project; --all searches every project\n"
        )
    };
    let (shops, banks, own) =
        ("A zeppelin in the shop", "The zeppelin is in the vault", "My zeppelin is blue");
    let everything = (format!("{shops}, {banks}, {own}"), String::new());
    assert_eq!(found(&shop, &[]), (format!("{shops}, {own}"), said("shop")));
    assert_eq!(found(&bank, &[]), (format!("{banks}, {own}"), said("bank")));
    assert_eq!(found(&shop, &["--project", "bank"]), (format!("{banks}, {own}"), String::new()));
    assert_eq!(found(&shop, &["--all"]), everything);
    assert_eq!(found(home.path(), &[]), everything);
    assert_eq!(found(&shop, &["--session", "s-1"]), everything);
    // A timeline is found by words in the same way, and by an id everywhere.
    assert_eq!(in_directory(&home, &shop, &["timeline", "vault"]).code, 66);
    assert_eq!(in_directory(&home, &bank, &["timeline", "vault"]).code, 0);
}

#[test]
fn notes_are_told_beside_json_as_well() {
    let (home, _) = remembered();
    let ran = custos(&home, &["search", "refresh", "--json"]);
    assert!(ran.stderr.starts_with("note: no vectors have been made yet"), "{ran:?}");
}

/// Begins a session that is told about Redis.
fn begin(home: &TempHome, shop: &Path) {
    // A hook has a few milliseconds to read up, which on a busy machine is nothing.
    assert_eq!(custos(home, &["search", "redis"]).code, 0);
    let payload =
        json!({"session_id": "one", "cwd": shop, "hook_event_name": "SessionStart", "source": "startup"});
    let hook = &["hook", "claude-code", "SessionStart"];
    let told = fed(command(home, hook).current_dir(shop), payload.to_string().as_bytes());
    assert!(told.stdout.contains("Tokens are kept in Redis"), "{told:?}");
}

#[test]
fn what_was_told_is_found_by_what_is_printed_of_it() {
    let (home, _) = remembered();
    let shop = repo(&home, "shop");
    begin(&home, &shop);
    // In another zone than that of the log.
    let there = |arguments: &[&str]| {
        fed(command(&home, arguments).current_dir(&shop).env("TZ", "America/New_York"), b"")
    };
    let why = there(&["why"]).stdout;
    let line = why.lines().find(|line| line.contains("receipt")).unwrap();
    let (time, receipt) = (&line[.."2026-11-15 20:55:09".len()], line.rsplit(' ').next().unwrap());
    let expected = there(&["context", "--session", &session(&why)]);
    assert!(expected.code == 0 && expected.stdout.contains("Tokens are kept in Redis"), "{expected:?}");
    assert_eq!(there(&["context", "--at", time]), expected);
    assert_eq!(there(&["context", receipt]), expected);
    let nothing = there(&["context", "0123456789ab"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (66, ""));
    assert!(nothing.stderr.contains("no receipt has the id \"0123456789ab\""), "{nothing:?}");
    let nothing = there(&["context", receipt, "--without", ""]);
    assert!(nothing.code == 66 && nothing.stderr.contains("no memory called \"\" was told"), "{nothing:?}");
}

#[test]
fn why_says_what_was_told_and_what_spoke_for_it() {
    let home = home();
    let shop = repo(&home, "shop");
    let nobody = custos(&home, &["why"]);
    // Of today, so that what its age is worth is the same every day.
    let mut learnt = observation("Tokens are kept in Redis", "decision", "src/store.rs", "");
    learnt.as_object_mut().unwrap().remove("ts");
    append(&home, &[learnt]);
    begin(&home, &shop);
    let why = custos(&home, &["why"]);
    assert_eq!([nobody.code, why.code], [0, 0], "{why:?}");
    let mut settings = settings(&home);
    settings.add_filter(r"s-[0-9a-f]{32}", "SESSION");
    settings.add_filter(r"receipt [0-9a-f]{12}", "receipt SHORT-ID");
    settings.add_filter(r"\d\.\d\d", "N");
    settings.add_filter(r"\d+ of 1500", "N of 1500");
    // An id is of some tokens more or less.
    settings.add_filter(r"\d+ tokens;", "N tokens;");
    settings.bind(|| {
        insta::assert_snapshot!(nobody.stdout, @r"
        no session was told anything yet: recall is silent unless it has something to
        say
        ");
        insta::assert_snapshot!(why.stdout, @r"
        session SESSION

        TIME  start (startup)  N of 1500 tokens, receipt SHORT-ID
          from files: rules (1 line)
          SHORT-ID  Tokens are kept in Redis
                        observation, of that day, N tokens; score N = importance
                        N + recency N
        ");
    });
}

/// The session that `custos why` tells about.
fn session(why: &str) -> String {
    why.lines().next().unwrap().strip_prefix("session ").unwrap().to_owned()
}

#[test]
fn a_preview_says_when_nobody_is_told_it() {
    let (home, _) = remembered();
    let shop = repo(&home, "shop");
    let told = in_directory(&home, &shop, &["context"]);
    assert!(told.stderr.starts_with("a session that starts here is told this: about "), "{told:?}");
    assert_eq!(custos(&home, &["config", "set", "recall.start", "false"]).code, 0);
    let untold = in_directory(&home, &shop, &["context"]);
    assert_eq!(untold.stdout, told.stdout);
    assert!(
        untold.stderr.starts_with(
            "a session that starts here is told nothing: recall.start is false. With it, this: "
        ),
        "{untold:?}"
    );
    let nothing = custos(&home, &["context"]).stdout;
    assert!(nothing.contains("is told nothing: recall.start is false"), "{nothing}");
}

#[test]
fn an_index_that_somebody_else_works_on_answers_from_what_is_there() {
    let (home, ids) = remembered();
    assert_eq!(found(&home, &["redis"]), [ids[1].clone()]);
    assert_eq!(custos(&home, &["config", "set", "index.catch_up_ms", "50"]).code, 0);
    let status = json(&home, &["index", "status"]);
    let holder = rusqlite::Connection::open(status["file"].as_str().unwrap()).unwrap();
    append(&home, &[observation("Redis was replaced", "change", "a.rs", "2026-11-14T08:00:00.000Z")]);
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ran = custos(&home, &["search", "redis", "--json"]);
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains(&ids[1]) && !ran.stdout.contains("replaced"), "{ran:?}");
    assert!(ran.stderr.contains("note: another process is working on the index"), "{ran:?}");
}
