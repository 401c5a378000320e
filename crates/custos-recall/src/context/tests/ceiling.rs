//! One ceiling for everything, whatever the memory holds.

use custos_model::{Importance, Kind, Origin};
use proptest::prelude::*;
use serde_json::json;

use super::desk::{Desk, hours_ago, scene};
use crate::context::{Scene, again, prompt, start, stored_of};
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
    ) {
        let desk = desk(&memories, &handoff);
        let mut store = desk.open();
        let base = desk.base(true);
        let ceiling = Ceiling { tokens, characters, ..Ceiling::default() }.beside(&said);
        let scene = Scene { ceiling, since: Some(hours_ago(4_000)), safety: Some("- Guard: holds"), ..scene() };
        let begun = start(&mut store, Some(&base), &scene, source).unwrap();
        let asked = prompt(&mut store, &scene, &format!("{asked} words without end")).unwrap();
        for served in begun.into_iter().chain(asked) {
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
