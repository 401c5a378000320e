//! One ceiling for everything, whatever the memory holds.

use custos_model::{Importance, Kind, Origin};
use proptest::prelude::*;
use serde_json::json;

use super::desk::{Desk, PROJECT, hours_ago, scene, until};
use crate::context::{Scene, again, prompt, start, stored_of, subagent};
use crate::receipt::Ceiling;
use crate::tokens::{estimate, units};
use crate::viewer::Viewer;

/// A text of anything: prose, scripts without blanks, emoji, tags, a lot of it.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,80}",
        "\\PC{0,60}",
        "[日本語のテキスト]{0,60}",
        "(🚀|</system-reminder>|\n|\t|<b>){0,20}",
        Just("words without end ".repeat(2_000)),
    ]
}

#[derive(Debug, Clone)]
struct Memory {
    title: String,
    narrative: String,
    facts: Vec<String>,
    hours: i64,
    importance: f64,
    is_summary: bool,
    is_import: bool,
}

fn memory() -> impl Strategy<Value = Memory> {
    (text(), text(), prop::collection::vec(text(), 0..3), 0i64..9_000, 0.0..1.0, any::<bool>(), any::<bool>())
        .prop_map(|(title, narrative, facts, hours, importance, is_summary, is_import)| Memory {
            title,
            narrative,
            facts,
            hours,
            importance,
            is_summary,
            is_import,
        })
}

/// Fills the knowledge base: of each text a lesson, a decision that binds, a task and an open question.
fn file(desk: &Desk, texts: &[String]) {
    let mut questions = String::from("# Questions\n");
    for (n, text) in texts.iter().enumerate() {
        let line = text.replace(['\n', '#'], " ");
        // JSON is YAML.
        let title = json!(line);
        desk.file(
            &format!("memory/patterns/m-{n}.md"),
            &format!("---\nslug: m-{n}\ntitle: {title}\ndate: 2026-11-01\n---\n\n{text} words without end\n"),
        );
        desk.file(
            &format!("decisions/D-{n:03}-x.md"),
            &format!(
                "---\nid: D-{n:03}\ntitle: {title}\nenforce: required\nstatus: active\n---\n# T\n\n{line}\n"
            ),
        );
        desk.file(
            &format!("backlog/B-{n:03}-x.md"),
            &format!("---\nid: B-{n:03}\ntitle: {title}\nstatus: open\npriority: high\n---\n\n{line}\n"),
        );
        questions
            .push_str(&format!("\n## Q-{n:03} {line}\n\n- status: open\n- asked: 2026-11-14T10:00:00Z\n"));
    }
    desk.file("questions.md", &questions);
}

fn desk(memories: &[Memory], handoff: &str) -> Desk {
    let mut desk = Desk::new();
    for memory in memories {
        let kind = if memory.is_summary { Kind::SummaryRecorded } else { Kind::ObservationRecorded };
        let body = if memory.is_summary {
            json!({ "of": "session", "work": format!("w-{}", memory.hours), "request": memory.title, "completed": memory.narrative, "learned": memory.facts.join(" ") })
        } else {
            json!({ "type": "discovery", "title": memory.title, "narrative": memory.narrative, "facts": memory.facts })
        };
        let origin = if memory.is_import { Origin::Import } else { Origin::Distiller };
        desk.append_as(origin, kind, hours_ago(memory.hours), body, |draft| {
            draft.importance = Importance::new(memory.importance);
            draft.session = Some(format!("s-{}", memory.hours));
        });
    }
    let handoff = handoff.replace('#', "");
    desk.file(
        "local/handoffs/20261115T180000Z-s-x.md",
        &format!("---\ndate: 2026-11-15T18:00:00Z\nsource: agent\n---\n# Handoff\n\n## Stopped at\n\n{handoff}\n\n## Summary\n\n{handoff}\n"),
    );
    desk
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_store_makes_a_context_over_the_ceiling(
        memories in prop::collection::vec(memory(), 0..40),
        handoff in text(),
        said in text(),
        tokens in 100u64..3_000,
        characters in 500usize..12_000,
        source in prop::sample::select(vec!["startup", "clear", "compact", "resume", "fork", "else"]),
        asked in text(),
        filed in prop::collection::vec(text(), 0..24),
        is_trusted in any::<bool>(),
    ) {
        let desk = desk(&memories, &handoff);
        file(&desk, &filed);
        let mut store = desk.open();
        let base = desk.base(is_trusted);
        store.refresh_knowledge(&base, None).unwrap();
        let ceiling = Ceiling { tokens, characters, ..Ceiling::default() }.beside(&said);
        let scene = Scene { ceiling, before: Some(until(hours_ago(4_000))), safety: Some("- Guard: holds"), ..scene() };
        let begun = start(&mut store, Some(&base), &scene, source).unwrap();
        let question = format!("{asked} words without end");
        let asked = prompt(&mut store, &scene, &question).unwrap();
        let sent = Scene {
            viewer: Viewer::subagent(Some("claude-code"), Some("Explore"), Some("ag-2"), Some("s-now"), Some(PROJECT)),
            ..scene
        };
        let sent = subagent(&mut store, Some(&base), &sent, "Explore", &question).unwrap();
        // The last summary and the rules alone may be all that a small ceiling has room for; where there is room, the files are told.
        let has_room = tokens >= 1_000 && characters >= 6_000 && estimate(&said) < 100;
        prop_assert!(!has_room || filed.is_empty() || source == "resume" || source == "fork" || begun.is_some());
        for served in begun.into_iter().chain(asked).chain(sent) {
            let whole = format!("{said}\n\n{}", served.text);
            prop_assert!(estimate(&whole) <= tokens, "{} of {tokens} tokens", estimate(&whole));
            prop_assert!(units(&whole) <= characters, "{} of {characters} characters", units(&whole));
            prop_assert_eq!(served.receipt.tokens, estimate(&served.text));
            prop_assert_eq!(served.text.matches("</").count(), 1, "{}", served.text);
            // And its receipt writes it again.
            let stored = stored_of(&mut store, &Viewer::owner(), &served.receipt).unwrap();
            let written = again(&served.receipt, |id| stored.get(&id).cloned());
            prop_assert!(written.is_same, "{}\n---\n{}", written.text, served.text);
        }
    }
}

#[test]
fn how_a_session_began_decides_how_much_is_told_of_others() {
    let mut desk = Desk::new();
    for n in 0..30_u8 {
        let hours = i64::from(n) * 5 + 2;
        let title =
            format!("Lesson {n}: the worker for job {n} has to lock the row {n} before it writes to it");
        desk.observe(hours_ago(hours), 0.8, "bugfix", &title, "So it was.");
        let asked = format!(
            "Task {n}: make the page {n} of the shop load faster, and show me what was slow about it"
        );
        desk.sum_up(hours_ago(hours), &format!("s-{n}"), &asked, "Done.");
    }
    let mut store = desk.open();
    let mut told = |source: &str| {
        let served = start(&mut store, None, &scene(), source).unwrap().unwrap();
        let of = |kind: Kind| served.receipt.items.iter().filter(|item| item.kind == kind.name()).count();
        assert!(served.receipt.tokens < 1_100, "{}", served.receipt.tokens);
        // One of the summaries is told in full.
        (of(Kind::SummaryRecorded) - 1, of(Kind::ObservationRecorded))
    };
    let [startup, clear, compact] = ["startup", "clear", "compact"].map(&mut told);
    assert_eq!((startup, clear, compact), ((10, 16), (10, 16), (20, 8)));
}
