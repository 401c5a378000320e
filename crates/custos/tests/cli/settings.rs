//! `custos config`, as typed.

use serde_json::json;

use crate::shell::{append, command, custos, fed, home, json, settings};

#[test]
fn values_are_listed_with_their_origin_set_and_unset() {
    let home = home();
    let before = custos(&home, &["config", "list", "--show-origin"]);
    let set = custos(&home, &["config", "set", "backup.keep", "14"]);
    let after =
        fed(command(&home, &["config", "list", "--show-origin"]).env("CUSTOS_SEARCH_LIMIT", "5"), b"");
    let get = custos(&home, &["config", "get", "backup.keep"]);
    let unset = custos(&home, &["config", "unset", "backup.keep"]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(before.stdout, @r"
        log.segment_mb            64  (default)
        log.max_event_kb          256  (default)
        log.lock_wait_ms          2000  (default)
        capture.input_kb          32  (default)
        capture.output_kb         8  (default)
        capture.quiet_tools       null  (default)
        capture.spool_mb          16  (default)
        capture.exclude_projects  null  (default)
        capture.exclude_paths     null  (default)
        guard.enabled             true  (default)
        guard.triage              true  (default)
        guard.delegation          false  (default)
        guard.advisor_url         null  (default)
        guard.advisor_model       null  (default)
        guard.advisor_ms          3000  (default)
        distill.provider          rules  (default)
        distill.model             null  (default)
        distill.base_url          null  (default)
        distill.tokens_per_day    200000  (default)
        worker.wake               true  (default)
        worker.idle_s             20  (default)
        backup.daily              true  (default)
        backup.keep               7  (default)
        search.limit              20  (default)
        recall.embedder           minilm  (default)
        recall.embedder_url       null  (default)
        recall.embedder_model     null  (default)
        recall.start              true  (default)
        recall.prompt             true  (default)
        recall.tool               true  (default)
        recall.tokens             1500  (default)
        index.catch_up_ms         0  (default)
        access.prompts            null  (default)
        access.tools              null  (default)
        access.sessions           null  (default)
        access.observations       null  (default)
        access.summaries          null  (default)
        access.knowledge          null  (default)
        output.color              auto  (default)
        ");
        insta::assert_snapshot!(set.stdout, @r"backup.keep = 14 (in ~/.config/ai/config.yaml)");
        insta::assert_snapshot!(after.stdout, @r"
        log.segment_mb            64  (default)
        log.max_event_kb          256  (default)
        log.lock_wait_ms          2000  (default)
        capture.input_kb          32  (default)
        capture.output_kb         8  (default)
        capture.quiet_tools       null  (default)
        capture.spool_mb          16  (default)
        capture.exclude_projects  null  (default)
        capture.exclude_paths     null  (default)
        guard.enabled             true  (default)
        guard.triage              true  (default)
        guard.delegation          false  (default)
        guard.advisor_url         null  (default)
        guard.advisor_model       null  (default)
        guard.advisor_ms          3000  (default)
        distill.provider          rules  (default)
        distill.model             null  (default)
        distill.base_url          null  (default)
        distill.tokens_per_day    200000  (default)
        worker.wake               true  (default)
        worker.idle_s             20  (default)
        backup.daily              true  (default)
        backup.keep               14  (user ~/.config/ai/config.yaml:4)
        search.limit              5  (environment CUSTOS_SEARCH_LIMIT)
        recall.embedder           minilm  (default)
        recall.embedder_url       null  (default)
        recall.embedder_model     null  (default)
        recall.start              true  (default)
        recall.prompt             true  (default)
        recall.tool               true  (default)
        recall.tokens             1500  (default)
        index.catch_up_ms         0  (default)
        access.prompts            null  (default)
        access.tools              null  (default)
        access.sessions           null  (default)
        access.observations       null  (default)
        access.summaries          null  (default)
        access.knowledge          null  (default)
        output.color              auto  (default)
        ");
        insta::assert_snapshot!(unset.stdout, @r"backup.keep is back to its default (in ~/.config/ai/config.yaml)");
    });
    assert_eq!(get.stdout, "14\n");
    assert_eq!(json(&home, &["config", "get", "backup.keep"])["value"], json!(7));
}

#[test]
fn a_typing_mistake_names_the_file_the_line_and_the_nearest_name() {
    let home = home();
    std::fs::create_dir_all(home.config_dir()).unwrap();
    std::fs::write(
        home.config_dir().join("config.yaml"),
        "# mine\nbackup:\n  kepe: 3\nsearch:\n  limit: many\n",
    )
    .unwrap();
    let list = custos(&home, &["config", "list"]);
    let key = custos(&home, &["config", "set", "backup.kep", "3"]);
    let value = custos(&home, &["config", "set", "backup.keep", "many"]);
    assert_eq!((list.code, key.code, value.code), (0, 66, 65));
    settings(&home).bind(|| {
        insta::assert_snapshot!(list.stderr, @r#"
warning: ~/.config/ai/config.yaml:3:3: there is no setting `backup.kepe`; the nearest name is `backup.keep`. It is ignored: correct the name or remove it
warning: ~/.config/ai/config.yaml:5:10: `search.limit` takes a whole number from 1 to 1000, but this is the text "many". The value is ignored: correct it, or remove it to keep what applies without it
"#);
        insta::assert_snapshot!(key.stderr, @r#"
warning: ~/.config/ai/config.yaml:3:3: there is no setting `backup.kepe`; the nearest name is `backup.keep`. It is ignored: correct the name or remove it
warning: ~/.config/ai/config.yaml:5:10: `search.limit` takes a whole number from 1 to 1000, but this is the text "many". The value is ignored: correct it, or remove it to keep what applies without it
custos: there is no setting `backup.kep`; the nearest name is `backup.keep`
"#);
        insta::assert_snapshot!(value.stderr, @r#"
warning: ~/.config/ai/config.yaml:3:3: there is no setting `backup.kepe`; the nearest name is `backup.keep`. It is ignored: correct the name or remove it
warning: ~/.config/ai/config.yaml:5:10: `search.limit` takes a whole number from 1 to 1000, but this is the text "many". The value is ignored: correct it, or remove it to keep what applies without it
custos: `backup.keep` takes a whole number from 1 to 365, but this is the text "many"; nothing was changed
"#);
    });
}

#[test]
fn an_access_list_of_the_settings_is_the_default_of_new_events() {
    let home = home();
    let draft = json!({"kind": "prompt.submitted", "scope": "project", "body": {}});
    append(&home, std::slice::from_ref(&draft));
    assert_eq!(custos(&home, &["config", "set", "access.prompts", "[client:codex, role:conductor]"]).code, 0);
    append(&home, std::slice::from_ref(&draft));
    let mut own = draft;
    own["acl"] = json!(["*"]);
    append(&home, &[own]);
    let events = crate::shell::json_lines(&custos(&home, &["log", "tail", "--json"]).stdout);
    let lists: Vec<_> = events.iter().map(|event| event["acl"].clone()).collect();
    assert_eq!(lists, [json!(["user"]), json!(["client:codex", "role:conductor"]), json!(["*"])]);
}

#[test]
fn a_setting_can_shorten_events() {
    let home = home();
    custos(&home, &["config", "set", "log.max_event_kb", "16"]);
    append(&home, &[json!({"kind": "tool.used", "scope": "user", "body": {"output": "x".repeat(100_000)}})]);
    let events = crate::shell::json_lines(&custos(&home, &["log", "tail", "--json"]).stdout);
    let text = events[0]["body"]["output"].as_str().unwrap();
    assert!(text.len() < 16 << 10 && text.contains("…[cut: 100000 bytes, sha256 "), "{}", text.len());
}
