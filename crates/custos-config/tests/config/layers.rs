//! The layers, their origins and their problems.

use custos_config::{
    Address, Capture, Color, Distill, Embedder, Guard, Layer, Provider, Recall, Settings, TABLE, Value,
    Worker, row,
};
use insta::assert_snapshot;
use proptest::prelude::*;
use rstest::rstest;

use crate::files::{Home, write};

#[test]
fn without_any_file_the_defaults_apply() {
    let loaded = Home::new().load(&[], &[]);
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(loaded.problems, []);
    let listed: Vec<_> = loaded
        .entries()
        .map(|entry| format!("{} = {} ({})", entry.row.key, entry.value, entry.origin))
        .collect();
    assert_snapshot!(listed.join("\n"), @r"
    log.segment_mb = 64 (default)
    log.max_event_kb = 256 (default)
    log.lock_wait_ms = 2000 (default)
    capture.input_kb = 32 (default)
    capture.output_kb = 8 (default)
    capture.quiet_tools = null (default)
    capture.spool_mb = 16 (default)
    capture.exclude_projects = null (default)
    capture.exclude_paths = null (default)
    guard.enabled = true (default)
    guard.triage = true (default)
    guard.delegation = false (default)
    guard.advisor_url = null (default)
    guard.advisor_model = null (default)
    guard.advisor_ms = 3000 (default)
    distill.provider = rules (default)
    distill.model = null (default)
    distill.base_url = null (default)
    distill.tokens_per_day = 200000 (default)
    worker.wake = true (default)
    worker.idle_s = 20 (default)
    backup.daily = true (default)
    backup.keep = 7 (default)
    search.limit = 20 (default)
    recall.embedder = minilm (default)
    recall.embedder_url = null (default)
    recall.embedder_model = null (default)
    recall.start = true (default)
    recall.prompt = true (default)
    recall.tool = true (default)
    recall.tokens = 1500 (default)
    index.catch_up_ms = 0 (default)
    access.prompts = null (default)
    access.tools = null (default)
    access.sessions = null (default)
    access.observations = null (default)
    access.summaries = null (default)
    access.knowledge = null (default)
    output.color = auto (default)
    ");
}

#[test]
fn each_layer_covers_the_one_below() {
    let home = Home::new();
    let mut seen = Vec::new();
    let mut look = |variables: &[(&str, &str)], flags: &[(&str, &str)]| {
        let loaded = home.load(variables, flags);
        assert_eq!(loaded.problems, []);
        let entry = loaded.get("search.limit").unwrap();
        seen.push(home.abbreviated(&format!("{} {}", entry.value, entry.origin)));
        entry.origin.layer()
    };
    assert_eq!(look(&[], &[]), Layer::Default);
    write(&home.user_file(), "# mine\nsearch:\n  limit: 1\n");
    assert_eq!(look(&[], &[]), Layer::User);
    write(&home.workspace_file(), "search: {limit: 2}\n");
    assert_eq!(look(&[], &[]), Layer::Workspace);
    write(&home.repo_file(), "\nsearch:\n\n  limit: 3\n");
    assert_eq!(look(&[], &[]), Layer::Repo);
    let variables = [("CUSTOS_SEARCH_LIMIT", "4")];
    assert_eq!(look(&variables, &[]), Layer::Environment);
    assert_eq!(look(&variables, &[("search.limit", "9"), ("search.limit", "5")]), Layer::Flag);
    assert_snapshot!(seen.join("\n"), @r#"
    20 default
    1 user ~/.config/ai/config.yaml:3
    2 workspace ~/workspace/.ai/config.yaml:1
    3 repo ~/repo/.ai/config.yaml:4
    4 environment CUSTOS_SEARCH_LIMIT
    5 flag
    "#);
}

#[test]
fn every_setting_can_be_read_from_a_file() {
    let home = Home::new();
    write(
        &home.user_file(),
        r#"
log: {segment_mb: 1, max_event_kb: 16, lock_wait_ms: 60000}
capture:
  input_kb: 1
  output_kb: 1024
  quiet_tools: [Glob, mcp__clock__now]
  spool_mb: 2
  exclude_projects: ["acme/*"]
  exclude_paths: ["*.pem", /home/me/diary]
guard:
  enabled: false
  triage: false
  delegation: true
  advisor_url: http://localhost:11434/v1
  advisor_model: qwen/qwen3-4b@q4_k_m
  advisor_ms: 100
distill: {provider: openai, model: "qwen3:4b", base_url: http://localhost:11434/v1, tokens_per_day: 5000}
worker: {wake: false, idle_s: 3}
backup:
  daily: false
  keep: 365
search:
  limit: 1000
recall:
  embedder: http
  embedder_url: http://localhost:11434/v1
  embedder_model: nomic-embed-text
  start: false
  prompt: false
  tool: false
  tokens: 700
index:
  catch_up_ms: 5
access:
  prompts: [user]
  tools: ["*"]
  sessions:
    - client:claude-code
    - "role:conductor"
    - agent:a/b@c
  observations: []
  summaries: &both ['user', role:musician]
  knowledge: *both
output:
  color: "never"
"#,
    );
    let loaded = home.load(&[], &[]);
    assert_eq!(loaded.problems, []);
    let list = |entries: &[&str]| Some(entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>());
    let quiet_tools = list(&["Glob", "mcp__clock__now"]);
    let exclude_projects = list(&["acme/*"]);
    let exclude_paths = list(&["*.pem", "/home/me/diary"]);
    let capture =
        Capture { input_kb: 1, output_kb: 1024, quiet_tools, spool_mb: 2, exclude_projects, exclude_paths };
    let guard = Guard {
        enabled: false,
        triage: false,
        delegation: true,
        advisor_url: Some(Address { host: "localhost".to_owned(), port: 11434, path: String::new() }),
        advisor_model: Some("qwen/qwen3-4b@q4_k_m".to_owned()),
        advisor_ms: 100,
    };
    let distill = Distill {
        provider: Provider::Openai,
        model: Some("qwen3:4b".to_owned()),
        base_url: Some("http://localhost:11434/v1".to_owned()),
        tokens_per_day: 5000,
    };
    let worker = Worker { wake: false, idle_s: 3 };
    let recall = Recall {
        embedder: Embedder::Http,
        embedder_url: Some("http://localhost:11434/v1".to_owned()),
        embedder_model: Some("nomic-embed-text".to_owned()),
        start: false,
        prompt: false,
        tool: false,
        tokens: 700,
    };
    let mut expected = Settings { capture, guard, distill, worker, recall, ..Settings::default() };
    expected.log.segment_mb = 1;
    expected.log.max_event_kb = 16;
    expected.log.lock_wait_ms = 60_000;
    expected.backup.daily = false;
    expected.backup.keep = 365;
    expected.search.limit = 1000;
    expected.index.catch_up_ms = 5;
    expected.access.prompts = list(&["user"]);
    expected.access.tools = list(&["*"]);
    expected.access.sessions = list(&["client:claude-code", "role:conductor", "agent:a/b@c"]);
    expected.access.observations = list(&[]);
    expected.access.summaries = list(&["user", "role:musician"]);
    expected.access.knowledge = list(&["user", "role:musician"]);
    expected.output.color = Color::Never;
    assert_eq!(loaded.settings, expected);
    // None of them is still the default, so no field was forgotten above.
    assert!(loaded.entries().all(|entry| entry.value != *entry.row.default_value()));
}

#[rstest]
#[case::byte_order_mark("\u{feff}search:\n  limit: 7\n")]
#[case::carriage_returns("# x\r\nsearch:\r\n  limit: 7\r\n")]
#[case::no_newline_at_the_end("search:\n  limit: 7")]
#[case::document_marks("---\nsearch:\n  limit: 7\n...\n")]
#[case::comments("search: # a\n  # b\n  limit: 7 # c\n")]
#[case::an_empty_section("log:\nsearch:\n  limit: 7\n")]
fn forms_of_a_file(#[case] text: &str) {
    let home = Home::new();
    write(&home.user_file(), text);
    let loaded = home.load(&[], &[]);
    assert_eq!((loaded.problems, loaded.settings.search.limit), (Vec::new(), 7));
}

#[rstest]
#[case::empty("")]
#[case::only_comments("# nothing\n\n# here\n")]
#[case::only_a_mark("---\n")]
fn a_file_may_say_nothing(#[case] text: &str) {
    assert_eq!(Home::problems_of(text), "");
}

#[test]
fn unknown_names_come_with_the_nearest() {
    assert_snapshot!(Home::problems_of("\
log:
  segmnt_mb: 3
  limit: 3
  lock-wait-ms: 3
  zebra: 3
serach:
  limit: 3
search.limit: 3
quite-something-else: 3
[a, b]: 3
<<: {a: 1}
\"evil\\e[2J\\u202e\": 3
"), @r#"
    ~/.config/ai/config.yaml:2:3: there is no setting `log.segmnt_mb`; the nearest name is `log.segment_mb`. It is ignored: correct the name or remove it
    ~/.config/ai/config.yaml:3:3: there is no setting `log.limit`; the nearest name is `search.limit`. It is ignored: correct the name or remove it
    ~/.config/ai/config.yaml:4:3: there is no setting `log.lock-wait-ms`; the nearest name is `log.lock_wait_ms`. It is ignored: correct the name or remove it
    ~/.config/ai/config.yaml:5:3: there is no setting `log.zebra`; `custos config list` shows every name. It is ignored: correct the name or remove it
    ~/.config/ai/config.yaml:6:1: there is no setting `serach`; the nearest name is `search`. It is ignored: correct the name or remove it
    ~/.config/ai/config.yaml:8:1: `search.limit` is written in one piece. The line is ignored: write `limit:` below `search:`, indented
    ~/.config/ai/config.yaml:9:1: there is no setting `quite-something-else`; `custos config list` shows every name. It is ignored: correct the name or remove it
    ~/.config/ai/config.yaml:10:1: there is no setting `a list`; `custos config list` shows every name. It is ignored: correct the name or remove it
    ~/.config/ai/config.yaml:11:1: `<<` would merge another mapping, which settings do not do. The line is ignored: write the keys out
    ~/.config/ai/config.yaml:12:1: there is no setting `evil\u{1b}[2J\u{202e}`; `custos config list` shows every name. It is ignored: correct the name or remove it
    "#);
}

#[test]
fn values_that_do_not_fit_say_what_would() {
    assert_snapshot!(Home::problems_of("\
log:
  segment_mb: big
  max_event_kb: 15
  lock_wait_ms: '2000'
guard:
  advisor_url: https://api.example.com/v1
  advisor_model: two words
  advisor_ms: 99
backup:
  daily: yes
  keep: 1.5
search:
  limit:
index:
  catch_up_ms: -1
access:
  prompts: user
  tools: [user, somebody]
  sessions: [[user]]
  observations: [role:]
  summaries: {user: true}
  knowledge: !secret [user]
output:
  color: mauve
"), @r#"
    ~/.config/ai/config.yaml:2:15: `log.segment_mb` takes a whole number from 1 to 1024, but this is the text "big". The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:3:17: `log.max_event_kb` takes a whole number from 16 to 65536, but this is the number 15. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:4:17: `log.lock_wait_ms` takes a whole number from 1 to 60000, but this is the text "2000". The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:6:16: `guard.advisor_url` takes an address such as http://localhost:11434, or null, but this is "https://api.example.com/v1", and hooks carry no TLS. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:7:18: `guard.advisor_model` takes a name, or null, but this is the text "two words". The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:8:15: `guard.advisor_ms` takes a whole number from 100 to 8000, but this is the number 99. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:10:10: `backup.daily` takes true or false, but this is the text "yes". The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:11:9: `backup.keep` takes a whole number from 1 to 365, but this is the number 1.5. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:13:8: `search.limit` takes a whole number from 1 to 1000, but this is empty. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:15:16: `index.catch_up_ms` takes a whole number from 0 to 600000, but this is the number -1. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:17:12: `access.prompts` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is the text "user". The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:18:10: `access.tools` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is a list that contains the text "somebody". The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:19:13: `access.sessions` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is a list that contains a list. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:20:17: `access.observations` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is a list that contains a mapping. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:21:14: `access.summaries` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is a mapping. The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:22:22: `access.knowledge` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is a value with a tag (`!`). The value is ignored: correct it, or remove it to keep what applies without it
    ~/.config/ai/config.yaml:24:10: `output.color` takes one of auto, always, never, but this is the text "mauve". The value is ignored: correct it, or remove it to keep what applies without it
    "#);
}

#[rstest]
#[case::null("null")]
#[case::nothing("")]
#[case::an_empty_text("''")]
fn what_may_be_nothing_can_be_set_to_nothing(#[case] nothing: &str) {
    let home = Home::new();
    write(&home.user_file(), format!("guard:\n  advisor_url: {nothing}\n  advisor_model: {nothing}\n"));
    let loaded = home.load(&[], &[]);
    assert_eq!((loaded.settings, loaded.problems), (Settings::default(), Vec::new()));
}

#[test]
fn documents_of_another_shape() {
    let problems =
        ["- log\n", "log: 5\n", "log: [a]\n", "just text\n", "a: 1\n---\nb: 2\n", "%YAML 1.2\n---\na: 1\n"];
    assert_snapshot!(problems.map(Home::problems_of).join("\n"), @r#"
    ~/.config/ai/config.yaml:1:1: settings are sections with keys below them, but this is a list. It is ignored: begin with a section like `log:`
    ~/.config/ai/config.yaml:1:6: `log` is a section with keys below it, but this is the number 5. It is ignored: put the keys below it, indented
    ~/.config/ai/config.yaml:1:6: `log` is a section with keys below it, but this is a list. It is ignored: put the keys below it, indented
    ~/.config/ai/config.yaml:1:1: settings are sections with keys below them, but this is the text "just text". It is ignored: begin with a section like `log:`
    ~/.config/ai/config.yaml:2:1: this is not usable as YAML: a second document begins here. The whole file is ignored until that is corrected
    ~/.config/ai/config.yaml:1:1: this is not usable as YAML: YAML directives are disallowed. The whole file is ignored until that is corrected
    "#);
}

#[test]
fn broken_yaml_costs_its_file() {
    let problems = [
        "log:\n  segment_mb: [1\n",
        "log:\n\tsegment_mb: 1\n",
        "a: 'b\n",
        "access:\n  prompts:\n    - *\n",
        "a: *b\n",
        "a: b: c\n",
    ];
    assert_snapshot!(problems.map(Home::problems_of).join("\n"), @r#"
    ~/.config/ai/config.yaml:2:15: this is not usable as YAML: unclosed bracket '['. The whole file is ignored until that is corrected
    ~/.config/ai/config.yaml:2:2: this is not usable as YAML: tabs disallowed within this context (block indentation). The whole file is ignored until that is corrected
    ~/.config/ai/config.yaml:2:1: this is not usable as YAML: invalid indentation in multiline quoted scalar. The whole file is ignored until that is corrected
    ~/.config/ai/config.yaml:3:7: this is not usable as YAML: `*` and `&` begin a name here; write "*" in quotes. The whole file is ignored until that is corrected
    ~/.config/ai/config.yaml:1:4: this is not usable as YAML: while parsing node, found unknown anchor. The whole file is ignored until that is corrected
    ~/.config/ai/config.yaml:1:5: this is not usable as YAML: mapping values are not allowed in this context. The whole file is ignored until that is corrected
    "#);
}

#[test]
fn of_two_values_the_first_counts() {
    let home = Home::new();
    write(&home.user_file(), "search:\n  limit: 1\n  limit: 2\nlog:\n  segment_mb: 3\nsearch:\n  limit: 4\n");
    assert_eq!(home.load(&[], &[]).settings.search.limit, 1);
    assert_snapshot!(home.problems(), @r#"
    ~/.config/ai/config.yaml:3:3: `search.limit` is already set on line 2. This second value is ignored: remove one of the two
    ~/.config/ai/config.yaml:6:1: `search` is already set on line 1. This second value is ignored: remove one of the two
    "#);
}

#[test]
fn what_is_right_stands_beside_what_is_wrong() {
    let home = Home::new();
    write(&home.user_file(), "search:\n  limit: 5\n  what: 3\nlog:\n  segment_mb: x\n  max_event_kb: 20\n");
    let loaded = home.load(&[], &[]);
    let mut expected = Settings::default();
    expected.search.limit = 5;
    expected.log.max_event_kb = 20;
    assert_eq!((loaded.settings, loaded.problems.len()), (expected, 2));
}

#[test]
fn a_repo_may_set_only_what_its_row_allows() {
    let home = Home::new();
    write(&home.user_file(), "access:\n  prompts: [user, role:conductor]\n  tools: ['*']\n");
    write(
        &home.repo_file(),
        "\
log:
  max_event_kb: 16
backup:
  daily: false
search:
  limit: 3
guard:
  advisor_url: http://evil.example
  advisor_model: yes-man
access:
  prompts: [user, client:evil]
  tools: [client:claude-code]
  sessions: ['*']
  observations: [user]
  summaries: []
  knowledge:
output:
  color: never
",
    );
    let loaded = home.load(&[], &[]);
    let values: Vec<_> = loaded
        .entries()
        .filter(|entry| entry.origin.layer() == Layer::Repo)
        .map(|entry| format!("{}={}", entry.row.key, entry.value))
        .collect();
    assert_snapshot!(values.join("\n"), @r#"
    search.limit=3
    access.tools=[client:claude-code]
    access.observations=[user]
    access.summaries=[]
    access.knowledge=null
    output.color=never
    "#);
    assert_snapshot!(home.problems(), @r#"
    ~/repo/.ai/config.yaml:2:3: `log.max_event_kb` cannot be set by a repo or workspace, because such a file comes with a clone. The value is ignored: set it in your own config.yaml if you want it
    ~/repo/.ai/config.yaml:4:3: `backup.daily` cannot be set by a repo or workspace, because such a file comes with a clone. The value is ignored: set it in your own config.yaml if you want it
    ~/repo/.ai/config.yaml:8:3: `guard.advisor_url` cannot be set by a repo or workspace, because such a file comes with a clone. The value is ignored: set it in your own config.yaml if you want it
    ~/repo/.ai/config.yaml:9:3: `guard.advisor_model` cannot be set by a repo or workspace, because such a file comes with a clone. The value is ignored: set it in your own config.yaml if you want it
    ~/repo/.ai/config.yaml:11:3: a repo or workspace may only tighten `access.prompts`, and `[user, client:evil]` allows more than `[user, role:conductor]`. The value is ignored: narrow it, or set it in your own config.yaml
    ~/repo/.ai/config.yaml:13:3: a repo or workspace may only tighten `access.sessions`, and `[*]` allows more than `the built-in table`. The value is ignored: narrow it, or set it in your own config.yaml
    "#);
    assert_eq!(loaded.settings.access.prompts.unwrap(), ["user", "role:conductor"]);
}

#[test]
fn a_repo_cannot_widen_what_its_workspace_narrowed() {
    let home = Home::new();
    write(&home.user_file(), "access: {prompts: ['*']}\n");
    write(&home.workspace_file(), "access: {prompts: [user]}\n");
    write(&home.repo_file(), "access: {prompts: [user, role:x]}\n");
    assert_eq!(home.load(&[], &[]).settings.access.prompts.unwrap(), ["user"]);
    assert_snapshot!(home.problems(), @"~/repo/.ai/config.yaml:1:10: a repo or workspace may only tighten `access.prompts`, and `[user, role:x]` allows more than `[user]`. The value is ignored: narrow it, or set it in your own config.yaml");
}

#[test]
fn a_repo_may_only_have_less_recalled() {
    let home = Home::new();
    write(&home.user_file(), "recall: {prompt: false, tokens: 800}\n");
    write(
        &home.repo_file(),
        "recall: {embedder: http, embedder_url: 'https://evil.example', start: false, prompt: true, tokens: 900}\n",
    );
    let recall = home.load(&[], &[]).settings.recall;
    assert_eq!(
        recall,
        Recall {
            embedder: Embedder::Minilm,
            embedder_url: None,
            embedder_model: None,
            start: false,
            prompt: false,
            tool: true,
            tokens: 800,
        }
    );
    write(&home.repo_file(), "recall: {tokens: 700, tool: false}\n");
    let recall = home.load(&[], &[]).settings.recall;
    assert_eq!((recall.start, recall.prompt, recall.tool, recall.tokens), (true, false, false, 700));
}

#[test]
fn variables_and_flags_are_checked_too() {
    let home = Home::new();
    let variables = [
        ("CUSTOS_SEARCH_LIMIT", "0"),
        ("CUSTOS_OUTPUT_COLOR", ""),
        ("CUSTOS_ACCESS_PROMPTS", " user , role:x "),
        ("CUSTOS_ACCESS_TOOLS", "[]"),
        ("CUSTOS_ACCESS_SESSIONS", "everyone"),
    ];
    let loaded = home.load(&variables, &[("backup.daily", "maybe"), ("bakup.daily", "true")]);
    let problems: Vec<_> = loaded.problems.iter().map(ToString::to_string).collect();
    assert_snapshot!(problems.join("\n"), @r#"
    variable CUSTOS_SEARCH_LIMIT: `search.limit` takes a whole number from 1 to 1000, but this is the number 0. The value is ignored: correct it, or remove it to keep what applies without it
    variable CUSTOS_ACCESS_SESSIONS: `access.sessions` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is a list that contains the text "everyone". The value is ignored: correct it, or remove it to keep what applies without it
    flag for backup.daily: `backup.daily` takes true or false, but this is the text "maybe". The value is ignored: correct it, or remove it to keep what applies without it
    flag for bakup.daily: there is no setting `bakup.daily`; the nearest name is `backup.daily`. It is ignored: correct the name or remove it
    "#);
    assert_eq!(loaded.settings.access.prompts.unwrap(), ["user", "role:x"]);
    assert_eq!(loaded.settings.access.tools.unwrap(), [""; 0]);
}

#[test]
fn asking_for_an_unknown_key_names_the_nearest() {
    let error = Home::new().load(&[], &[]).get("log.lock_wait").unwrap_err();
    assert_snapshot!(error, @"there is no setting `log.lock_wait`; the nearest name is `log.lock_wait_ms`");
}

/// Any value that a row takes.
pub(crate) fn value_of(key: &'static str) -> BoxedStrategy<Value> {
    use custos_config::Kind;
    match row(key).unwrap().kind {
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::Count { min, max } => (min..=max).prop_map(Value::Count).boxed(),
        Kind::Word(words) => prop::sample::select(words).prop_map(Value::Word).boxed(),
        Kind::Name => "m[A-Za-z0-9._:/@+-]{0,12}[a-z0-9]".prop_map(Value::Text).boxed(),
        Kind::Address => "http://(h[a-z0-9.-]{0,9}|\\[::1\\]):[1-7][0-9]{3}(/[a-z]{1,5}){0,2}"
            .prop_map(Value::Text)
            .boxed(),
        Kind::BaseUrl => {
            "https?://h[a-z0-9.-]{0,9}(:[1-7][0-9]{3})?(/[a-z]{1,5}){0,2}".prop_map(Value::Text).boxed()
        }
        Kind::Names => prop::collection::vec("[A-Za-z0-9._:/*-]{1,12}", 0..5).prop_map(Value::List).boxed(),
        Kind::AccessList => {
            let entry = "\\*|user|client:[A-Za-z0-9._-]{1,9}|role:[a-z]{1,9}|agent:[A-Za-z0-9._:@/+-]{1,12}";
            prop::collection::vec(entry, 0..5).prop_map(Value::List).boxed()
        }
    }
}

/// Any setting with any value that it takes.
pub(crate) fn setting() -> impl Strategy<Value = (&'static str, Value)> {
    let keys: Vec<_> = TABLE.iter().map(|row| row.key).collect();
    prop::sample::select(keys).prop_flat_map(|key| (Just(key), value_of(key)))
}

proptest! {
    /// Guards every row against a field of another type, and every value against a form that is not read.
    #[test]
    fn a_value_is_read_as_it_is_printed((key, value) in setting()) {
        let loaded = Home::new().load(&[], &[(key, &value.to_string())]);
        prop_assert_eq!(loaded.problems, vec![]);
        for row in TABLE {
            let expected = if row.key == key { &value } else { row.default_value() };
            prop_assert_eq!(&row.value(&loaded.settings), expected);
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,60}|([a-z:\\[\\]{}&*!|>'\"#\\- \t\n]{0,80})") {
        let home = Home::new();
        write(&home.user_file(), &text);
        home.load(&[], &[]);
    }
}
