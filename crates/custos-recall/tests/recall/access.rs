//! Nothing leaves that the one who asks may not see, by whichever door.

use custos_model::{AccessList, Draft, DraftAgent, Grant, Importance, Kind, Scope};
use custos_recall::access::may_see;
use custos_recall::{Ask, Depth, Store, Viewer, context};
use proptest::prelude::*;
use serde_json::json;

use crate::memory::{Memory, ask, now, observation, scene, texts, with_body};

/// Whom an access list may name, and who may ask.
const NAMES: [&str; 3] = ["a", "b", "c"];

fn name() -> impl Strategy<Value = Option<&'static str>> {
    prop::option::of(prop::sample::select(&NAMES[..]))
}

fn grants() -> impl Strategy<Value = Option<AccessList>> {
    let named = prop::sample::select(&NAMES[..]).prop_map(str::to_owned);
    let grant = prop_oneof![
        Just(Grant::Everyone),
        Just(Grant::User),
        named.clone().prop_map(Grant::Client),
        named.clone().prop_map(Grant::Role),
        named.prop_map(Grant::Agent),
    ];
    prop::option::of(prop::collection::vec(grant, 0..3).prop_map(AccessList))
}

const KINDS: [Kind; 3] = [Kind::ObservationRecorded, Kind::PromptSubmitted, Kind::SummaryRecorded];

fn event() -> impl Strategy<Value = Draft> {
    let about = (name(), name(), name(), name());
    (prop::sample::select(&KINDS[..]), prop::sample::select(&Scope::ALL[..]), grants(), about, 0i64..90)
        .prop_map(|(kind, scope, acl, (project, session, client, role), minutes)| {
            // All of them answer the question, so that only access decides.
            let mut draft = with_body(
                minutes,
                json!({ "narrative": format!("the queue {minutes}"), "text": "the queue" }),
            );
            (draft.kind, draft.scope, draft.acl) = (kind, scope, acl);
            draft.project = project.map(str::to_owned);
            draft.session = session.map(str::to_owned);
            draft.agent = client.map(|client| DraftAgent {
                client: client.to_owned(),
                id: role.map(str::to_owned),
                role: role.map(str::to_owned),
            });
            draft
        })
}

/// Somebody who asks; the owner where nobody else is named.
fn viewer() -> impl Strategy<Value = (u8, [Option<&'static str>; 5])> {
    (0u8..3, prop::array::uniform5(name()))
}

fn made((sort, [client, role, agent, session, project]): (u8, [Option<&str>; 5])) -> Viewer<'_> {
    match sort {
        0 => Viewer::owner(),
        1 => Viewer::agent(client, role, agent, session, project),
        _ => Viewer::subagent(client, role, agent, session, project),
    }
}

/// Gives everything that somebody gets to see, by every door.
fn seen(store: &mut Store, ids: &[custos_model::EventId], viewer: Viewer<'_>) -> Vec<custos_index::Entry> {
    let mut seen = Vec::new();
    for text in ["queue", "", "the queue"] {
        for depth in [Depth::Hook, Depth::Server] {
            let ask = Ask { limit: 100, ..Ask::new(text, viewer, now(), depth) };
            seen.extend(store.search(&ask).unwrap().found.into_iter().map(|found| found.entry));
        }
    }
    for id in ids {
        let line = store.timeline(*id, 20, 20, &viewer).unwrap();
        seen.extend(line.into_iter().map(|(_, entry)| entry));
    }
    seen.extend(store.whole(ids, &viewer).unwrap().into_iter().map(|whole| whole.entry));
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_leaves_that_may_not_be_seen(
        drafts in prop::collection::vec(event(), 1..12),
        viewers in prop::collection::vec(viewer(), 1..5),
    ) {
        let (_memory, mut store, ids) = Memory::with(&drafts);
        for viewer in viewers.into_iter().map(made) {
            for entry in seen(&mut store, &ids, viewer) {
                prop_assert!(may_see(&viewer, &entry), "{entry:?}");
            }
        }
    }

    /// The other way round: what may be seen is found, however much there is beside it that may not.
    #[test]
    fn what_may_be_seen_is_found(drafts in prop::collection::vec(event(), 1..12), viewer in viewer()) {
        let (_memory, mut store, ids) = Memory::with(&drafts);
        let viewer = made(viewer);
        let mut expected = Vec::new();
        for id in &ids {
            let (_, entry) = store.index().entry_of(*id).unwrap().unwrap();
            expected.extend(may_see(&viewer, &entry).then_some(entry.id));
        }
        expected.sort();
        for depth in [Depth::Hook, Depth::Server] {
            let ask = Ask { limit: 100, ..Ask::new("queue", viewer, now(), depth) };
            let mut found: Vec<_> = store.search(&ask).unwrap().found.into_iter().map(|found| found.entry.id).collect();
            found.sort();
            prop_assert_eq!(&found, &expected);
        }
    }
}

#[test]
fn another_projects_memories_are_not_found_however_many_there_are() {
    let mut drafts: Vec<Draft> = (0..400)
        .map(|at| {
            let mut draft = observation(at, "the queue the queue");
            draft.project = Some("q".to_owned());
            draft
        })
        .collect();
    drafts.push(observation(1000, "the queue moved, as everybody in this project knows by now"));
    let (_memory, mut store, _) = Memory::with(&drafts);
    let viewer = Viewer::agent(Some("codex"), None, None, Some("s"), Some("p"));
    for depth in [Depth::Hook, Depth::Server] {
        let answer = store.search(&Ask { depth, viewer, ..ask("queue") }).unwrap();
        assert_eq!(
            texts(&answer),
            ["the queue moved, as everybody in this project knows by now"],
            "{depth:?}"
        );
    }
}

#[test]
fn what_may_be_seen_is_found_behind_hundreds_that_may_not() {
    let hidden = (0..700).map(|at| {
        let mut draft = observation(at, "the queue the queue");
        draft.acl = Some(AccessList(Vec::new()));
        draft
    });
    let mut shared = observation(2000, "my queue is drained by hand on the first of each month");
    (shared.scope, shared.project) = (Scope::User, Some("r".to_owned()));
    let drafts: Vec<Draft> =
        hidden.chain([shared, observation(3000, "the queue moved to the other host in March")]).collect();
    let (_memory, mut store, _) = Memory::with(&drafts);
    let viewer = Viewer::agent(Some("codex"), None, None, Some("s"), Some("p"));
    for depth in [Depth::Hook, Depth::Server] {
        let found = |ask: &Ask<'_>, store: &mut custos_recall::Store| -> Vec<String> {
            texts(&store.search(ask).unwrap()).into_iter().map(str::to_owned).collect()
        };
        let moved = "the queue moved to the other host in March";
        let own = Ask { depth, viewer, projects: &["p"], ..ask("queue") };
        assert_eq!(found(&own, &mut store), [moved], "{depth:?}");
        let mut all = found(&Ask { projects: &[], ..own }, &mut store);
        all.sort();
        assert_eq!(all, ["my queue is drained by hand on the first of each month", moved], "{depth:?}");
    }
}

#[test]
fn a_session_begins_with_what_may_be_seen_behind_hundreds_that_may_not() {
    let hidden = (0..300).map(|at| {
        let mut draft = observation(at, "nobody else is to know this");
        (draft.acl, draft.importance) = (Some(AccessList(Vec::new())), Importance::new(0.9));
        draft
    });
    let drafts: Vec<Draft> = hidden.chain([observation(3000, "the queue moved to the other host")]).collect();
    let (_memory, mut store, ids) = Memory::with(&drafts);
    let started = context::start(&mut store, None, &scene(), "startup").unwrap().unwrap();
    let told: Vec<_> = started.receipt.items.iter().map(|item| item.id).collect();
    assert_eq!(told, [*ids.last().unwrap()], "{}", started.text);
}

#[test]
fn a_sub_agent_sees_no_prompts_and_nothing_of_the_owners_own() {
    let mut prompt = with_body(3, json!({ "text": "the queue, as somebody typed it" }));
    prompt.kind = Kind::PromptSubmitted;
    let mut shared_prompt = with_body(2, json!({ "text": "the queue, as somebody typed it for all" }));
    (shared_prompt.kind, shared_prompt.acl) =
        (Kind::PromptSubmitted, Some(AccessList(vec![Grant::Everyone])));
    let mut own = observation(1, "the queue is my secret");
    own.scope = Scope::User;
    let drafts = [prompt, shared_prompt, own, observation(0, "the queue is slow")];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let party = (Some("codex"), None, Some("agent"), Some("s"), Some("p"));
    let mut seen = |viewer| {
        let answer = store.search(&Ask { viewer, ..ask("queue") }).unwrap();
        answer.found.len()
    };
    assert_eq!(seen(Viewer::agent(party.0, party.1, party.2, party.3, party.4)), 4);
    assert_eq!(seen(Viewer::subagent(party.0, party.1, party.2, party.3, party.4)), 1);
}
