//! What sessions are told of earlier ones, through the program and in the dialect of each client.

use custos_config::Project;
use serde_json::{Value, json};

use crate::desk::{Desk, Ran, event_of, fed, silence, with};

const CLAUDE: &str = "claude-code";

/// What only the memory knows.
const FACT: &str = "The staging ledger listens on port 7433";

fn project(desk: &Desk) -> String {
    Project::by_place(&desk.project()).identity
}

/// Puts an observation into the log, as an earlier session would have left it; gives its id.
fn remember(desk: &Desk, title: &str, narrative: &str) -> String {
    remember_in(desk, &project(desk), title, narrative)
}

fn remember_in(desk: &Desk, project: &str, title: &str, narrative: &str) -> String {
    let draft = json!({
        "kind": "observation.recorded", "scope": "project", "project": project, "session": "s-earlier", "importance": 0.8,
        "agent": { "client": "codex" }, "body": { "type": "discovery", "title": title, "narrative": narrative },
    });
    let ran = fed(&mut desk.command(&["log", "append"]), draft.to_string().as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    // A hook has a few milliseconds to read up, which on a busy machine is nothing.
    assert_eq!(desk.custos(&["search", "anything"]).code, 0);
    let events = desk.events_of("observation.recorded");
    events.last().unwrap()["id"].as_str().unwrap().to_owned()
}

/// Calls the hook of a fixture.
fn call(desk: &Desk, client: &str, fixture: &str, fields: Value) -> Ran {
    let payload = with(desk.fixture(client, fixture), fields);
    desk.hook(client, event_of(client, fixture), payload.to_string())
}

fn start(desk: &Desk) -> Ran {
    call(desk, CLAUDE, "SessionStart.startup", json!({}))
}

/// What Claude Code's model gets of an answer.
fn told(ran: &Ran) -> String {
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    if ran.stdout.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn a_fact_of_one_session_is_told_to_the_next_in_every_client() {
    let desk = Desk::new();
    remember(&desk, FACT, "Seen in the compose file.");
    let starts = [
        (CLAUDE, "SessionStart.startup"),
        ("codex", "SessionStart"),
        ("gemini", "SessionStart"),
        ("copilot", "sessionStart"),
        ("cursor", "sessionStart"),
        ("opencode", "chat.message"),
    ];
    for (client, fixture) in starts {
        let ran = call(&desk, client, fixture, json!({}));
        assert!(ran.stdout.contains(FACT), "{client}: {ran:?}");
    }
    let receipts = desk.events_of("recall.served");
    assert_eq!(receipts.len(), starts.len());
    for receipt in &receipts {
        assert_eq!((receipt["scope"].as_str(), receipt["origin"].as_str()), (Some("session"), Some("hook")));
        assert!(
            !receipt["body"].to_string().contains("ledger"),
            "a receipt holds no word of the log: {receipt}"
        );
    }
    desk.verify();
    assert_eq!(desk.troubles(), Vec::<String>::new());
}

#[test]
fn where_nothing_is_known_nothing_is_said_and_nothing_is_noted() {
    let desk = Desk::new();
    assert_eq!(start(&desk), silence());
    desk.play(CLAUDE, &["UserPromptSubmit"]);
    assert_eq!(desk.events_of("recall.served"), Vec::<Value>::new());
}

#[test]
fn another_project_is_told_nothing() {
    let desk = Desk::new();
    remember_in(&desk, "github.com/acme/elsewhere", FACT, "");
    assert_eq!(start(&desk), silence());
}

#[test]
fn a_forgotten_fact_is_told_to_nobody_again() {
    let desk = Desk::new();
    let id = remember(&desk, FACT, "");
    assert!(told(&start(&desk)).contains(FACT));
    let ran = desk.custos(&["forget", &id, "--reason", "asked to", "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = call(&desk, "codex", "SessionStart", json!({}));
    assert_eq!(ran, silence());
}

#[test]
fn a_prompt_gets_what_surely_bears_on_it_and_once() {
    let desk = Desk::new();
    for n in 0..12 {
        remember(&desk, &format!("Unrelated thing number {n} about colours"), "Nothing to see.");
    }
    remember(
        &desk,
        "The nightly import skips rows without a country code",
        "They are written to rejected.csv.",
    );
    let ask = |text: &str| {
        let fields = json!({ "prompt": text });
        told(&call(&desk, CLAUDE, "UserPromptSubmit", fields))
    };
    assert_eq!(ask("yes, go on"), "");
    assert_eq!(ask("write a poem about the sea and its ships"), "");
    let question = "nightly import skips rows without country code";
    let answer = ask(question);
    assert!(answer.contains("rejected.csv") && !answer.contains("Unrelated"), "{answer}");
    assert_eq!(ask(question), "", "the session has it");
}

/// A question, and five memories that each surely answer it.
fn kafka(desk: &Desk) -> &'static str {
    for n in 1..=5 {
        remember(desk, &format!("The kafka consumer lag comes from rebalancing, case {n}"), "");
    }
    "the kafka consumer lag comes from rebalancing"
}

/// The cases that a text tells, in its order.
fn cases(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_once("case ")?.1.split([' ', '.']).next()).collect()
}

#[test]
fn a_subagent_and_its_session_each_get_the_best() {
    for first_is_subagent in [true, false] {
        let desk = Desk::new();
        let question = kafka(&desk);
        let send = || told(&call(&desk, CLAUDE, "SubagentStart", json!({ "prompt": question })));
        let ask = || told(&call(&desk, CLAUDE, "UserPromptSubmit", json!({ "prompt": question })));
        let (sent, asked) = if first_is_subagent {
            let sent = send();
            (sent, ask())
        } else {
            let asked = ask();
            (send(), asked)
        };
        assert_eq!(cases(&sent).len(), 3, "{sent}");
        assert_eq!(cases(&sent), cases(&asked));
        assert_eq!(cases(&ask()).len(), 2, "the session has three of five");
    }
}

#[test]
fn what_a_compaction_took_is_told_again() {
    for compaction in ["SessionStart.compact", "PreCompact"] {
        let desk = Desk::new();
        // So that only prompts tell something.
        desk.put(".config/ai/config.yaml", "recall:\n  start: false\n");
        let fields = json!({ "prompt": kafka(&desk), "session_id": "one" });
        let ask = || cases(&told(&call(&desk, CLAUDE, "UserPromptSubmit", fields.clone()))).len();
        assert_eq!([ask(), ask(), ask()], [3, 2, 0]);
        assert_eq!(call(&desk, CLAUDE, compaction, json!({ "session_id": "one" })), silence());
        assert_eq!([ask(), ask(), ask()], [3, 2, 0], "{compaction}");
    }
}

#[test]
fn where_no_start_follows_a_compaction_the_next_prompt_begins_anew() {
    // The fixtures are of two sessions.
    let clients = [
        (
            "copilot",
            ["sessionStart", "preCompact", "userPromptSubmitted"],
            ["e3206fc3-ab05-4690-9f89-faaea4b2f8e7", "52b66355-e79d-4216-9048-414196c04667"],
        ),
        (
            "opencode",
            ["chat.message", "experimental.session.compacting", "chat.message"],
            ["ses_e1f801922ffex12ZDj313tlY8S", "ses_e1f7c96c2ffeLB8Wx5DifM2SlY"],
        ),
    ];
    for (client, [begins, compaction, prompt], [session, other]) in clients {
        let desk = Desk::new();
        remember(&desk, FACT, "");
        let told = |fixture: &str| {
            let payload = desk.fixture(client, fixture).to_string().replace(other, session);
            let said = desk.hook(client, event_of(client, fixture), payload).stdout;
            // What is in force goes with it, whenever a session begins.
            assert_eq!(said.contains(FACT), said.contains("- Guard: holds"), "{client}: {said}");
            said.contains(FACT)
        };
        assert_eq!([told(begins), told(prompt)], [true, false], "{client}");
        assert!(!told(compaction), "{client}");
        assert_eq!([told(prompt), told(prompt)], [true, false], "{client}");
        let sources: Vec<Value> =
            desk.events_of("recall.served").iter().map(|event| event["body"]["source"].clone()).collect();
        assert_eq!(sources[1..], [json!("compact")], "{client}");
    }
}

#[test]
fn a_session_that_goes_on_and_was_never_told_anything_is_told_all() {
    let desk = Desk::new();
    remember(&desk, FACT, "");
    let begun = |fixture: &str, id: &str| told(&call(&desk, CLAUDE, fixture, json!({ "session_id": id })));
    let new = begun("SessionStart.startup", "one");
    assert!(new.contains(FACT), "{new}");
    assert_eq!(begun("SessionStart.resume", "three"), new);
    assert_eq!(begun("SessionStart.resume", "one"), "", "it has it");
    // Of a session that nobody has heard of.
    let fork = json!({ "session_id": "four", "seconds_since_last_response": 4_000 });
    assert_eq!(told(&call(&desk, CLAUDE, "SessionStart.fork", fork)), new);
}

#[test]
fn a_fork_has_what_the_session_was_told_that_it_was_forked_from() {
    let desk = Desk::new();
    remember(&desk, FACT, "");
    let begun = |fixture: &str, id: &str| told(&call(&desk, CLAUDE, fixture, json!({ "session_id": id })));
    assert!(begun("SessionStart.startup", "one").contains(FACT));
    // Claude Code says that the last answer is three seconds old.
    assert_eq!(begun("SessionStart.fork", "two"), "");
    let prompt = json!({ "session_id": "two", "prompt": "On which port does the staging ledger listen?" });
    assert_eq!(told(&call(&desk, CLAUDE, "UserPromptSubmit", prompt)), "");
    // What is new since is told, and a fork of the fork has it too.
    let news = "The ledger is rebuilt every night at three";
    remember(&desk, news, "");
    let second = begun("SessionStart.fork", "three");
    assert_eq!([second.contains(news), second.contains(FACT)], [true, false], "{second}");
    let fork = json!({ "session_id": "four", "seconds_since_last_response": 0 });
    assert_eq!(told(&call(&desk, CLAUDE, "SessionStart.fork", fork)), "");
}

#[test]
fn the_numbers_that_why_adds_up_do() {
    let desk = Desk::new();
    let question = kafka(&desk);
    call(&desk, CLAUDE, "UserPromptSubmit", json!({ "prompt": question }));
    let why = desk.custos(&["why", "--last"]).stdout;
    let lines: String = why.lines().map(|line| format!("{} ", line.trim())).collect();
    let equations: Vec<&str> = lines
        .split("score ")
        .skip(1)
        .filter_map(|rest| rest.split("; how near it is: coverage 1.00").next())
        .collect();
    assert_eq!(equations.len(), 5, "{why}");
    for equation in equations {
        let (score, parts) = equation.split_once(" = ").unwrap();
        let number = |text: &str| text.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
        let sum: f64 = parts.split(" + ").map(number).sum();
        assert!((number(score) - sum).abs() < 0.05, "{equation}");
    }
    assert_eq!(why.matches("enough without it").count(), 2, "{why}");
}

#[test]
fn each_can_be_switched_off() {
    for (setting, fixture) in [("start", "SessionStart.startup"), ("prompt", "UserPromptSubmit")] {
        let desk = Desk::new();
        desk.put(".config/ai/config.yaml", format!("recall:\n  {setting}: false\n"));
        remember(&desk, FACT, "");
        let ran = call(&desk, CLAUDE, fixture, json!({}));
        assert_eq!(ran, silence(), "{setting}");
    }
    // A project may want less than the person does.
    let desk = Desk::new();
    desk.put("project/.ai/config.yaml", "recall:\n  start: false\n");
    remember(&desk, FACT, "");
    assert_eq!(start(&desk), silence());
}

#[test]
fn nothing_is_told_where_nothing_is_recorded() {
    let mut desk = Desk::new();
    remember(&desk, FACT, "");
    desk.put(
        ".config/ai/config.yaml",
        format!("capture:\n  exclude_projects: [\"{}\"]\n", desk.project().display()),
    );
    assert_eq!(start(&desk), silence());
    desk.put(".config/ai/config.yaml", "");
    assert!(!told(&start(&desk)).is_empty());
    desk.set("CUSTOS_DISTILLING", "1");
    assert_eq!(start(&desk), silence());
}

#[test]
fn everything_a_hook_says_stays_under_one_ceiling() {
    let desk = Desk::new();
    desk.put(".config/ai/config.yaml", "recall:\n  tokens: 200\n");
    for n in 0..40 {
        remember(&desk, &format!("Lesson {n}: {}", "a long title that goes on ".repeat(4)), "");
    }
    let text = told(&start(&desk));
    assert!(!text.is_empty() && custos_recall::tokens::estimate(&text) <= 200, "{text}");
}

#[test]
fn what_was_told_is_explained_and_written_again() {
    let desk = Desk::new();
    let id = remember(&desk, FACT, "Seen in the compose file.");
    remember(&desk, "Deploys run from the branch release", "");
    let text = told(&start(&desk));
    let session = desk.events_of("recall.served")[0]["session"].as_str().unwrap().to_owned();

    let why = desk.custos(&["why", "--last"]);
    assert_eq!(why.code, 0, "{why:?}");
    assert!(why.stdout.contains(FACT) && why.stdout.contains("recency 0.35"), "{}", why.stdout);
    let why: Value = serde_json::from_str(&desk.custos(&["why", &session, "--json"]).stdout).unwrap();
    assert_eq!(why["told"][0]["receipt"]["items"].as_array().unwrap().len(), 2);

    let again = desk.custos(&["context", "--session", &session]);
    assert_eq!((again.code, again.stdout.trim_end()), (0, text.as_str()), "{}", again.stderr);
    let other = desk.custos(&["context", "--session", &session, "--without", &id]);
    assert!(other.code == 0 && !other.stdout.contains(FACT), "{other:?}");
    assert!(other.stdout.contains("Deploys run"), "{other:?}");

    let ran = desk.custos(&["forget", &id, "--reason", "asked to", "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let again = desk.custos(&["context", "--session", &session]);
    assert!(again.code == 1 && !again.stdout.contains(FACT), "{again:?}");
    assert!(again.stderr.contains("forgotten since"), "{again:?}");

    let before = desk.events().len();
    let preview = desk.custos(&["context"]);
    assert!(preview.code == 0 && preview.stdout.contains("Deploys run"), "{preview:?}");
    assert_eq!(desk.events().len(), before, "looking is not recorded");
}

#[test]
fn who_asks_for_what_was_never_told_is_told_so() {
    let desk = Desk::new();
    let why = desk.custos(&["why"]);
    assert_eq!((why.code, why.stderr.as_str()), (0, ""), "{why:?}");
    assert!(why.stdout.starts_with("no session was told"), "{}", why.stdout);
    let context = desk.custos(&["context", "--at", "1h"]);
    assert_eq!(context.code, 66, "{context:?}");
    assert!(context.stderr.contains("nothing was told to any session up to"), "{}", context.stderr);
    let context = desk.custos(&["context"]);
    assert!(context.code == 0 && context.stdout.contains("is told nothing"), "{context:?}");
    assert_eq!(desk.custos(&["context", "--at", "soon"]).code, 64);
}

#[test]
fn a_subagent_is_told_about_what_it_was_sent_for() {
    for (client, tool, field, sort, asks) in [
        (CLAUDE, "PreToolUse.Agent", "subagent_type", "reviewer", "prompt"),
        ("codex", "PreToolUse.spawn_agent", "agent_type", "reviewer", "message"),
    ] {
        let desk = Desk::new();
        remember(&desk, FACT, "Seen in the compose file.");
        let send = |sort: &str, asked: &str| {
            let input = json!({ "description": "sub", asks: asked, field: sort });
            call(&desk, client, tool, json!({ "tool_input": input }))
        };
        let begin = |sort: &str| call(&desk, client, "SubagentStart", json!({ "agent_type": sort })).stdout;
        assert!(!begin(sort).contains(FACT), "nobody said what it is to do");
        send(sort, "On which port does the staging ledger listen?");
        assert!(!begin("explorer").contains(FACT), "another one starts");
        assert!(begin(sort).contains(FACT), "{client}");
        assert!(!begin(sort).contains(FACT), "a note is for one");
        // Several at once start in their order; nothing outlives the turn.
        send(sort, "Paint the bikeshed");
        send(sort, "On which port does the staging ledger listen?");
        assert!(!begin(sort).contains(FACT) && begin(sort).contains(FACT));
        send(sort, "On which port does the staging ledger listen?");
        call(&desk, client, "Stop", json!({}));
        assert!(!begin(sort).contains(FACT));
    }
}

#[test]
fn a_role_sees_what_is_meant_for_it_with_the_payloads_of_the_client() {
    let desk = Desk::new();
    let draft = json!({
        "kind": "observation.recorded", "scope": "project", "project": project(&desk), "session": "s-earlier", "importance": 0.8,
        "acl": ["role:reviewer"], "agent": { "client": "codex" }, "body": { "type": "discovery", "title": FACT },
    });
    let ran = fed(&mut desk.command(&["log", "append"]), draft.to_string().as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(desk.custos(&["search", "anything"]).code, 0);
    for (sort, is_told) in [("reviewer", true), ("general-purpose", false)] {
        let input =
            json!({ "prompt": "On which port does the staging ledger listen?", "subagent_type": sort });
        call(&desk, CLAUDE, "PreToolUse.Agent", json!({ "tool_input": input }));
        let text = told(&call(&desk, CLAUDE, "SubagentStart", json!({ "agent_type": sort })));
        assert_eq!(text.contains(FACT), is_told, "{sort}: {text}");
    }
}

#[test]
fn what_an_agent_is_sent_for_is_kept_without_secrets_and_only_for_the_turn() {
    let desk = Desk::new();
    remember(&desk, FACT, "");
    let input =
        json!({ "prompt": "Use ghp_16C7e42F292c6912E7710c838347Ae178B4a to look", "subagent_type": "x" });
    let send = || call(&desk, CLAUDE, "PreToolUse.Agent", json!({ "tool_input": input }));
    send();
    let notes = || -> Vec<String> {
        let dir = desk.state().join("errands");
        let files = std::fs::read_dir(dir).into_iter().flatten();
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    };
    let [note] = &notes()[..] else { panic!("one note") };
    assert!(note.contains("\tx\tUse [redacted:") && !note.contains("16C7e42F"), "{note}");
    call(&desk, CLAUDE, "Stop", json!({}));
    assert_eq!(notes(), Vec::<String>::new());
    // That of a turn that was cut off goes when anything is forgotten.
    send();
    assert_eq!(notes().len(), 1);
    assert_eq!(
        desk.custos(&["forget", "--matching", "nothing has this", "--reason", "asked to", "--yes"]).code,
        0
    );
    assert_eq!(notes(), Vec::<String>::new());
}

#[test]
fn a_subagent_is_told_what_binds_and_nothing_of_the_person() {
    let desk = Desk::new();
    desk.put(
        "project/.ai/decisions/D-001-use-utc.md",
        "---\nid: D-001\ntitle: Times are UTC\nenforce: required\nstatus: active\n---\n# Times are UTC\n\nAlways.\n",
    );
    remember(&desk, FACT, "");
    let text = told(&call(&desk, CLAUDE, "SubagentStart", json!({})));
    assert!(text.contains("D-001 (repo, unreviewed): Times are UTC"), "{text}");
    assert!(!text.contains(FACT), "{text}");
    assert_eq!(desk.events_of("recall.served")[0]["body"]["moment"], "subagent");
}

#[test]
fn what_goes_wrong_is_trouble_for_doctor_and_silence_for_the_client() {
    let desk = Desk::new();
    remember(&desk, FACT, "");
    assert!(!told(&start(&desk)).is_empty());
    // Something else lies where the index should be.
    for entry in std::fs::read_dir(desk.state()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "db") {
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
        }
    }
    let ran = call(&desk, "codex", "SessionStart", json!({}));
    assert_eq!(ran, silence());
    let troubles = desk.troubles();
    assert!(troubles.iter().any(|trouble| trouble.contains("nothing was recalled")), "{troubles:?}");
}
