//! What a person sees of distilling: what was learnt, what it took, who does it and what is wrong with that.

use custos_testkit::model_server::{ModelServer, Play};
use serde_json::{Value, json};

use crate::shell::{append, command, custos, fed, home, id, json, settings};

const PROJECT: &str = "github.com/acme/shop";

#[expect(clippy::needless_pass_by_value, reason = "callers write the body where they call")]
fn draft(kind: &str, body: Value) -> Value {
    json!({"kind": kind, "scope": "project", "project": PROJECT, "session": "s1", "task": "t1",
           "agent": {"client": "claude-code", "id": "one"}, "body": body})
}

fn edit() -> Value {
    draft(
        "tool.used",
        json!({"tool": "Edit", "files_changed": ["src/token.rs"], "output": "done",
        "input": {"file_path": "src/token.rs", "old_string": "let window = 60;", "new_string": "let window = 3600;"}}),
    )
}

#[test]
fn what_was_learnt_is_listed_and_shown_whole() {
    let home = home();
    let source = id(&append(&home, &[edit()])[0]);
    let mut learnt = draft(
        "observation.recorded",
        json!({
        "type": "bugfix", "title": "Fixed the refresh window in seconds", "narrative": "The clock was read in seconds.",
        "facts": ["window: 60 → 3600"], "files_modified": ["src/token.rs"], "sources": [source], "by": "rules",
        "work": "00ff", "why": {"sort": 0.9, "outcome": 0.5}}),
    );
    learnt["importance"] = json!(0.81);
    let learnt = id(&append(&home, &[learnt])[0]);
    let list = custos(&home, &["observations", "--all"]).stdout;
    let shown = custos(&home, &["observations", "show", &learnt]).stdout;
    settings(&home).bind(|| {
        insta::assert_snapshot!(list);
        insta::assert_snapshot!(shown);
    });
    let titles = |arguments: &[&str]| json(&home, arguments).as_array().unwrap().len();
    assert_eq!(titles(&["observations", "--all", "--type", "bugfix"]), 1);
    assert_eq!(titles(&["observations", "--all", "--type", "decision"]), 0);
    assert_eq!(titles(&["observations", "--session", "s1"]), 1);
    assert_eq!(titles(&["observations"]), 0, "the working directory is another project");
    assert_eq!(custos(&home, &["summaries", "show", &learnt]).code, 66, "it is no summary");
}

#[test]
fn what_no_model_took_is_said_with_the_budget() {
    let ran = custos(&home(), &["usage"]);
    assert_eq!(
        ran.stdout,
        "no model answered in the last 7 days\ntoday 0 of 200,000 tokens (0 %, setting distill.tokens_per_day)\n"
    );
}

#[test]
fn without_a_turn_the_test_says_what_to_do() {
    let ran = custos(&home(), &["distill", "test"]);
    assert_eq!(ran.code, 66);
    assert!(ran.stderr.contains("let a client change a file and end its turn"), "{}", ran.stderr);
}

#[test]
fn without_a_key_rules_are_shown_and_what_is_missing() {
    let home = home();
    append(
        &home,
        &[
            draft("prompt.submitted", json!({"text": "fix the window"})),
            edit(),
            draft("turn.ended", json!({})),
        ],
    );
    let before = home.find_bytes("observation.recorded").unwrap().len();
    let ran = custos(&home, &["distill", "test", "--provider", "anthropic"]);
    assert_eq!(ran.code, 78, "{ran:?}");
    assert!(
        ran.stdout.contains("rules") && ran.stdout.contains("there is no key for anthropic"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    assert_eq!(json(&home, &["observations", "--all"]), json!([]), "nothing was written");
    assert!(home.find_bytes("observation.recorded").unwrap().len() <= before + 2);
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_bad_and_never_shown() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = home();
    let file = home.config_dir().join("keys/openai");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "sk-very-secret").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let doctor = || fed(command(&home, &["doctor"]).env("CUSTOS_DISTILL_PROVIDER", "openai"), b"").stdout;
    let found = doctor();
    assert!(found.contains("BAD  distilling") && found.contains("chmod 600"), "{found}");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mended = doctor();
    assert!(mended.contains("ok   distilling     by openai/gpt-5-mini, key from"), "{mended}");
    assert!(!format!("{found}{mended}").contains("sk-very-secret"));
}

#[test]
fn an_address_that_would_be_refused_is_not_set_and_a_password_not_repeated() {
    let home = home();
    let set = |address: &str| custos(&home, &["config", "set", "distill.base_url", address]);
    for (address, why) in [
        ("https://me:hunter2@models.example/v1", "a name or a password in it"),
        ("https://models.example/v1?api-version=hunter2", "one with a query, which would be lost"),
        ("https://models.example/v1#hunter2", "one with a fragment"),
        ("models.example", "none that begins with https:// or http://"),
    ] {
        let refused = set(address);
        assert_eq!(refused.code, 65, "{refused:?}");
        assert!(refused.stderr.contains(why) && !refused.stderr.contains("hunter2"), "{}", refused.stderr);
        assert!(refused.stderr.contains("nothing was changed"), "{}", refused.stderr);
    }
    assert_eq!(set("https://models.example/v1").code, 0);
    assert_eq!(custos(&home, &["config", "get", "distill.base_url"]).stdout, "https://models.example/v1\n");
    // One that stands in a file is kept, and refused when it is to be used: without it, all would go to the provider's own address.
    let file = home.config_dir().join("config.yaml");
    std::fs::write(&file, "distill:\n  provider: openai\n  base_url: https://models.example/v1?a=b\n")
        .unwrap();
    let examined = custos(&home, &["doctor"]).stdout;
    assert!(examined.contains("BAD  distilling") && examined.contains("holds a query"), "{examined}");
}

#[test]
fn status_tells_what_waits_and_who_distils() {
    let home = home();
    append(&home, &[edit()]);
    let status = json(&home, &["status"]);
    let distilling = &status["distilling"];
    assert_eq!(distilling["provider"], "rules");
    assert_eq!(distilling["work"]["pending"], 1);
    assert_eq!(distilling["worker"]["running"], false);
    assert_eq!(distilling["circuit"], json!({ "open": false }));
    let said = custos(&home, &["status"]).stdout;
    assert!(
        said.contains("1 event waits, 0 done; no worker runs") && said.contains("distiller rules"),
        "{said}"
    );
}

/// A provider over the real protocol: tried, asked for by the doctor only with a flag, counted when a worker asks, and told when it refuses.
#[test]
fn a_model_is_tried_counted_and_examined() {
    let (home, server) = (home(), ModelServer::start().unwrap());
    let said = json!({"observations": [{"type": "bugfix", "title": "Widened the refresh window to an hour",
        "narrative": "It was in seconds.", "files_modified": ["src/token.rs"], "steps": [0]}], "summary": null});
    server.always(Play::Says(said.to_string()));
    std::fs::create_dir_all(home.config_dir()).unwrap();
    let chosen = format!("distill:\n  provider: openai\n  model: m\n  base_url: {}/v1\n", server.url());
    std::fs::write(home.config_dir().join("config.yaml"), &chosen).unwrap();
    let ended = draft("session.ended", json!({}));
    append(
        &home,
        &[
            draft("prompt.submitted", json!({"text": "widen the window"})),
            edit(),
            draft("turn.ended", json!({})),
            ended,
        ],
    );

    let ran = custos(&home, &["distill", "test"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("openai/m") && ran.stdout.contains("Widened the refresh window"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    assert_eq!(json(&home, &["usage"])["total"]["calls"], 1, "a test is in the books");
    assert_eq!(json(&home, &["status"])["distilling"]["work"]["done"], 0);

    let asked = server.requests().len();
    let quiet = custos(&home, &["doctor"]).stdout;
    assert!(quiet.contains("by openai/m at ") && server.requests().len() == asked, "{quiet}");
    let online = custos(&home, &["doctor", "--online"]).stdout;
    assert!(online.contains("ok   provider       openai/m answered in "), "{online}");
    assert_eq!(server.requests().len(), asked + 1);

    assert_eq!(custos(&home, &["worker", "run", "--until-idle"]).code, 0);
    let usage = json(&home, &["usage", "--by", "provider"]);
    assert_eq!(usage["rows"][0]["name"], "openai/m", "{usage}");
    assert_eq!(usage["total"]["calls"], 2, "{usage}");
    let table = custos(&home, &["usage"]).stdout;
    assert!(table.contains("total") && table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert_eq!(json(&home, &["observations", "--all"])[0]["title"], "Widened the refresh window to an hour");

    let asked = server.requests().len();
    std::fs::write(home.config_dir().join("config.yaml"), format!("{chosen}  tokens_per_day: 10\n")).unwrap();
    let spent = custos(&home, &["distill", "test"]);
    assert!(spent.code == 1 && spent.stdout.contains("the budget of 10 tokens a day is spent"), "{spent:?}");
    assert_eq!(server.requests().len(), asked);
    let with_password = "distill:\n  provider: openai\n  base_url: https://me:hunter2@models.example/v1\n";
    std::fs::write(home.config_dir().join("config.yaml"), with_password).unwrap();
    let examined = custos(&home, &["doctor"]).stdout;
    assert!(examined.contains("holds a name or password") && !examined.contains("hunter2"), "{examined}");
    std::fs::write(home.config_dir().join("config.yaml"), &chosen).unwrap();

    server.always(Play::refusal(401, "invalid_request_error", "no such key"));
    let refused = custos(&home, &["distill", "test"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stdout.contains("keys/openai"), "{}", refused.stdout);
}

/// A turn in which a file was changed; gives the id of its prompt.
fn turn(home: &custos_testkit::TempHome) -> String {
    let prompt = draft("prompt.submitted", json!({"text": "widen the window"}));
    id(&append(home, &[prompt, edit(), draft("turn.ended", json!({"message": "It is an hour now."}))])[0])
}

#[test]
fn a_turn_whose_prompt_was_forgotten_is_sent_to_nobody() {
    let (home, server) = (home(), ModelServer::start().unwrap());
    let prompt = turn(&home);
    std::fs::create_dir_all(home.config_dir()).unwrap();
    let chosen = format!("distill:\n  provider: openai\n  model: m\n  base_url: {}/v1\n", server.url());
    std::fs::write(home.config_dir().join("config.yaml"), &chosen).unwrap();
    assert_eq!(custos(&home, &["forget", &prompt, "--reason", "pasted"]).code, 0);
    for arguments in [&["distill", "test"][..], &["distill", "test", "--session", "s1"]] {
        let ran = custos(&home, arguments);
        assert_eq!((ran.code, ran.stdout.as_str(), server.requests().len()), (66, "", 0), "{ran:?}");
    }
}

#[test]
fn a_server_of_ones_own_is_tried_before_it_is_chosen() {
    let (home, server) = (home(), ModelServer::start().unwrap());
    turn(&home);
    server.always(Play::Says(json!({"observations": [], "summary": null}).to_string()));
    std::fs::create_dir_all(home.config_dir()).unwrap();
    let known = format!("distill:\n  model: tiny\n  base_url: {}/v1\n", server.url());
    std::fs::write(home.config_dir().join("config.yaml"), known).unwrap();
    let ran = custos(&home, &["distill", "test", "--provider", "openai"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("openai/tiny"), "{}", ran.stdout);
    let asked = server.requests();
    assert_eq!((asked.len(), &asked[0].body["model"]), (1, &json!("tiny")));
    // What was set for such a server is nothing for another provider: its key would go to the wrong place.
    let other = fed(
        command(&home, &["distill", "test", "--provider", "gemini"])
            .env("GEMINI_API_KEY", "k")
            .env("HTTPS_PROXY", "http://127.0.0.1:9"),
        b"",
    );
    assert!(other.code == 1 && !other.stdout.contains("tiny"), "{other:?}");
    assert_eq!(server.requests().len(), 1);
    let rules = custos(&home, &["distill", "test", "--provider", "rules"]);
    assert!(rules.code == 0 && !rules.stdout.contains("No model is chosen"), "{rules:?}");
    let usage = json(&home, &["usage", "--by", "session"]);
    assert_eq!(
        (&usage["total"]["calls"], &usage["total"]["microdollars"]),
        (&json!(1), &Value::Null),
        "{usage}"
    );
    let table = custos(&home, &["usage", "--by", "session"]).stdout;
    assert!(table.contains("no session shop") && table.contains("`custos distill test`"), "{table}");
}

#[test]
fn the_turn_of_the_project_that_one_is_in_comes_first() {
    let home = home();
    let here = home.path().join("here");
    std::fs::create_dir_all(here.join(".git")).unwrap();
    let list = || fed(command(&home, &["distill", "test", "--json"]).current_dir(&here), b"").stdout;
    let project = custos_config::Project::by_place(&here).identity;
    let of_here = ["prompt.submitted", "tool.used", "turn.ended"].map(|kind| {
        let mut draft = if kind == "tool.used" { edit() } else { draft(kind, json!({"text": "go on"})) };
        (draft["project"], draft["session"]) = (json!(project), json!("s0"));
        draft
    });
    append(&home, &of_here);
    turn(&home);
    let found: Value = serde_json::from_str(&list()).unwrap();
    assert_eq!(found["turn"]["session"], "s0", "{found}");
}
