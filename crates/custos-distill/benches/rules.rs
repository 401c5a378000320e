//! How many tool events the rules take in a second: the longest golden session, from the log's events to what is kept.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use custos_distill::{Edit, Said, Step, Turn, What, rules, turn::Fate};
use custos_model::{EventId, Timestamp};
use serde_json::Value;

/// Makes turns of a Claude Code session, without a log in between.
fn turns(path: &Path) -> Vec<Turn> {
    let id = EventId::new(Timestamp::from_millis(0), [0; 10]);
    let mut turns: Vec<Turn> = Vec::new();
    for line in fs::read_to_string(path).unwrap_or_default().lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let payload = &line["payload"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let input = &payload["tool_input"];
        let name = text(&input["file_path"]).trim_start_matches("/home/user/project/").to_owned();
        match (line["event"].as_str().unwrap_or_default(), turns.last_mut()) {
            ("UserPromptSubmit", _) => {
                let said = vec![Said { id, text: text(&payload["prompt"]) }];
                turns.push(Turn { client: "claude-code".to_owned(), said, ..Turn::default() });
            }
            ("Stop", Some(turn)) => {
                turn.message = payload["last_assistant_message"].as_str().map(str::to_owned);
            }
            ("PostToolUse" | "PostToolUseFailure", Some(turn)) => {
                let edit = |before: &Value, after: &Value, fate| {
                    What::Edited(vec![Edit {
                        path: name.clone(),
                        before: text(before),
                        after: text(after),
                        fate,
                    }])
                };
                let what = match payload["tool_name"].as_str().unwrap_or_default() {
                    "Bash" => What::Ran(text(&input["command"])),
                    "Edit" => edit(&input["old_string"], &input["new_string"], Fate::Changed),
                    "Write" => edit(&Value::Null, &input["content"], Fate::Written),
                    "Read" => What::Read,
                    _ => continue,
                };
                let told = &payload["tool_response"];
                let output =
                    [&told["stdout"], &told["file"]["content"], &payload["error"]].map(text).concat();
                let is_edit = matches!(what, What::Edited(_));
                turn.steps.push(Step {
                    id,
                    tool: text(&payload["tool_name"]),
                    what,
                    ok: Some(line["event"] == "PostToolUse"),
                    exit: None,
                    output: output.chars().take(8 << 10).collect(),
                    files_read: if is_edit || name.is_empty() { Vec::new() } else { vec![name.clone()] },
                    files_changed: if is_edit { vec![name] } else { Vec::new() },
                    by: None,
                });
            }
            _ => {}
        }
    }
    turns
}

fn distil(criterion: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sessions/huge/session.jsonl");
    let turns = turns(&path);
    let steps: usize = turns.iter().map(|turn| turn.steps.len()).sum();
    let mut group = criterion.benchmark_group("rules");
    group.throughput(Throughput::Elements(steps as u64)).sample_size(10);
    group.bench_function("huge session, tool events", |bencher| {
        bencher.iter(|| {
            for at in 0..turns.len() {
                black_box(rules::distil(&turns[at], &turns[at.saturating_sub(8)..at]));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, distil);
criterion_main!(benches);
