//! What is not in the log: knowledge files, and which texts lack vectors.

use std::time::Duration;

use custos_index::{Entry, Files, Index, IndexError, KnowledgeRow, KnownFile, SearchQuery, knowledge_id};
use custos_model::piece::PieceId;
use custos_model::{EventId, Kind, Scope, Timestamp};
use serde_json::json;

use crate::{Bench, catch_up, ids};

fn row() -> KnowledgeRow<'static> {
    KnowledgeRow {
        path: "decisions/D-001-postgres.md",
        stamp: 7,
        sort: "decision",
        name: "D-001",
        title: "Postgres for the ledger",
        text: "SQLite could not keep up with the writers.",
        project: Some("p"),
        scope: Scope::Project,
        ts: Timestamp::from_millis(1_767_600_000_000),
        importance: 0.8,
        binds: true,
        trusted: true,
    }
}

fn entry(index: &mut Index, path: &str) -> Option<Entry> {
    index.get(knowledge_id("repo", path)).unwrap()
}

#[test]
fn knowledge_is_found_listed_and_changed_with_its_file() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let prompt = writer
        .append(&json!({"kind": "prompt.submitted", "project": "p", "body": {"text": "why not sqlite"}}));
    writer.flush();
    let mut index = bench.caught_up();
    let memory = KnowledgeRow {
        path: "memory/slug.md",
        sort: "memory",
        name: "slug",
        title: "Sqlite locks",
        binds: false,
        trusted: false,
        ..row()
    };
    index.put_knowledge("repo", &[row(), memory], &["not-there.md".to_owned()]).unwrap();
    let decision = knowledge_id("repo", row().path);
    assert_eq!(decision.as_bytes()[6] >> 4, 8);
    assert_ne!(decision, knowledge_id("other", row().path));
    let stamps = [(row().path.to_owned(), 7), (memory.path.to_owned(), 7)];
    assert_eq!(index.knowledge_stamps("repo").unwrap(), stamps);
    assert_eq!(index.knowledge_stamps("other").unwrap(), []);
    let found = ids(&mut index, "sqlite");
    assert!(found.len() == 3 && found.contains(&prompt) && found.contains(&decision));
    let query = SearchQuery {
        kinds: &[Kind::KnowledgeSaved],
        sorts: &["decision"],
        projects: &["p"],
        ..SearchQuery::new("postgres D-001")
    };
    let hits = index.search(&query).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [decision]);
    let known = entry(&mut index, row().path).unwrap();
    assert_eq!(
        (known.kind, known.sort.as_deref(), known.name.as_deref(), known.file.as_deref(), known.trusted),
        (Kind::KnowledgeSaved, Some("decision"), Some("D-001"), Some(row().path), true)
    );
    assert!(!entry(&mut index, memory.path).unwrap().trusted);
    let binding = index.binding(&["other", "repo"]).unwrap();
    assert_eq!(binding.iter().map(|(_, entry)| entry.id).collect::<Vec<_>>(), [decision]);

    // Edited: what it said is not found any more, and what it says is.
    let edited = KnowledgeRow { stamp: 8, title: "MySQL", text: "Everybody knows it.", ..row() };
    index.put_knowledge("repo", &[edited, edited], &[memory.path.to_owned()]).unwrap();
    assert_eq!(ids(&mut index, "postgres"), []);
    assert_eq!(ids(&mut index, "everybody knows"), [decision]);
    assert_eq!(ids(&mut index, "sqlite"), [prompt]);
    assert_eq!(index.knowledge_stamps("repo").unwrap(), [(row().path.to_owned(), 8)]);
    assert_eq!(entry(&mut index, memory.path), None);

    // The log knows nothing of it: whoever rebuilds keeps what was known.
    let before = entry(&mut index, row().path);
    index.rebuild(&bench.log(), &mut |_| {}).unwrap();
    assert_eq!(index.knowledge_stamps("repo").unwrap(), [(row().path.to_owned(), 8)]);
    assert_eq!(entry(&mut index, row().path), before);
    assert_eq!(ids(&mut index, "everybody knows"), [decision]);
    let binding = index.binding(&["other", "repo"]).unwrap();
    assert_eq!(binding.iter().map(|(_, entry)| entry.id).collect::<Vec<_>>(), [decision]);
}

#[test]
fn the_pieces_of_knowledge_are_those_of_its_text() {
    let bench = Bench::new();
    let mut index = bench.index();
    let long: String = (0..20).map(|n| format!("Sentence {n} says something about ledgers. ")).collect();
    let title = format!("{} ", "long title ".repeat(40));
    index.put_knowledge("repo", &[KnowledgeRow { title: &title, text: &long, ..row() }], &[]).unwrap();
    let (key, _) = index.entry_of(knowledge_id("repo", row().path)).unwrap().unwrap();
    let texts = index.piece_texts(key).unwrap();
    assert!(texts.len() > 3);
    let pieces: Vec<PieceId> = texts.iter().map(|text| PieceId::of(text)).collect();
    assert_eq!(index.pieces(key).unwrap(), pieces);
    assert_eq!(index.knowledge_text(key).unwrap(), Some(long));
}

#[test]
fn knowledge_can_be_pinned_but_its_file_alone_says_that_it_holds_no_more() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let id = knowledge_id("repo", row().path).to_string();
    writer.append(&json!({"kind": "policy.updated", "body": {"pin": id}}));
    writer.flush();
    let mut index = bench.caught_up();
    assert_eq!(index.pinned(None).unwrap(), []);
    index.put_knowledge("repo", &[row()], &[]).unwrap();
    assert_eq!(index.pinned(Some("p")).unwrap().len(), 1);
    assert_eq!(index.pinned(Some("q")).unwrap(), []);
    writer.append(&json!({"kind": "knowledge.saved", "body": {"supersedes": [id]}}));
    writer.flush();
    catch_up(&mut index, &bench);
    assert_eq!(index.pinned(Some("p")).unwrap().len(), 1);
    assert_eq!(ids(&mut index, "postgres"), [knowledge_id("repo", row().path)]);
    assert!(!entry(&mut index, row().path).unwrap().superseded);
}

#[test]
fn files_are_known_by_id_project_and_text() {
    let bench = Bench::new();
    let mut index = bench.index();
    let own = KnowledgeRow { path: "memory/own.md", project: None, title: "Tabs", text: "Never.", ..row() };
    index.put_knowledge("/home/b/.ai", &[row()], &[]).unwrap();
    index.put_knowledge("/home/a/.ai", &[row(), own], &[]).unwrap();
    assert_eq!(index.knowledge_stores().unwrap(), ["/home/a/.ai", "/home/b/.ai"]);
    let known = |store: &str, path: &str| KnownFile {
        id: knowledge_id(store, path),
        store: store.to_owned(),
        path: path.to_owned(),
    };
    let (a, b) = (known("/home/a/.ai", row().path), known("/home/b/.ai", row().path));
    let mut of = |which: Files<'_>| index.known_files(which).unwrap();
    assert_eq!(of(Files::Item(b.id)), std::slice::from_ref(&b));
    assert_eq!(of(Files::Project("p")), [a.clone(), b.clone()]);
    assert_eq!(of(Files::Matching("ever.")), [known("/home/a/.ai", own.path)]);
    assert_eq!(of(Files::Matching("/home/b")), [b]);
    assert_eq!(of(Files::Matching("100% 'not' there")), []);
}

#[test]
fn what_no_file_says_any_more_is_counted_until_somebody_has_looked() {
    let bench = Bench::new();
    let mut index = bench.index();
    index.put_knowledge("repo", &[row()], &[]).unwrap();
    index.put_knowledge("repo", &[row()], &[]).unwrap();
    index.put_knowledge("other", &[row()], &[]).unwrap();
    assert_eq!(index.orphaned().unwrap(), 0, "read again, and said twice");
    index.put_knowledge("other", &[], &[row().path.to_owned()]).unwrap();
    assert_eq!(index.orphaned().unwrap(), 0, "another still says so");
    index.put_knowledge("repo", &[KnowledgeRow { text: "Something else.", ..row() }], &[]).unwrap();
    let counted = index.orphaned().unwrap();
    assert_eq!(counted, 1);
    index.put_knowledge("repo", &[], &[row().path.to_owned()]).unwrap();
    index.adopt(counted).unwrap();
    assert_eq!(index.orphaned().unwrap(), 2, "there is more by now");
    index.adopt(2).unwrap();
    assert_eq!(index.orphaned().unwrap(), 0);
}

#[test]
fn texts_wait_for_vectors_until_somebody_says_that_they_have_them() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write =
        |body| writer.append(&json!({"kind": "observation.recorded", "project": "p", "body": body}));
    let first = write(json!({"title": "one", "facts": ["two", "three"]}));
    let _nothing = write(json!({"concepts": ["no piece"]}));
    let second = write(json!({"title": "four"}));
    writer.flush();
    let mut index = bench.caught_up();
    index.put_knowledge("repo", &[row()], &[]).unwrap();
    let knowledge = knowledge_id("repo", row().path);
    let waiting = |index: &mut Index, limit| {
        index.unembedded(limit).unwrap().into_iter().map(|text| text.id).collect::<Vec<EventId>>()
    };
    assert_eq!(waiting(&mut index, 9), [knowledge, second, first]);
    assert_eq!(waiting(&mut index, 1), [knowledge]);
    let all = index.unembedded(9).unwrap();
    assert_eq!(all[2].pieces, ["one", "two", "three"].map(PieceId::of));
    assert_eq!((all[2].kind, all[2].project.as_deref()), (Kind::ObservationRecorded, Some("p")));
    index.embed_with("minilm").unwrap();
    index.embedded(&[all[0].key, all[2].key]).unwrap();
    assert_eq!((waiting(&mut index, 9), index.unembedded_count().unwrap()), (vec![second], 1));
    // The same again changes nothing; another embedder has to make all of them.
    index.embed_with("minilm").unwrap();
    assert_eq!(index.unembedded_count().unwrap(), 1);
    index.embed_with("other").unwrap();
    assert_eq!(waiting(&mut index, 9), [knowledge, second, first]);
    index.forget(&[second]).unwrap();
    index.put_knowledge("repo", &[], &[row().path.to_owned()]).unwrap();
    assert_eq!(waiting(&mut index, 9), [first]);
}

#[test]
fn several_questions_see_one_state() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let prompt = |text: &str| json!({"kind": "prompt.submitted", "body": {"text": text}});
    let id = writer.append(&prompt("before"));
    writer.flush();
    let mut index = bench.caught_up();
    let mut other = bench.index();
    index
        .steadily(|index| {
            assert_eq!(ids(index, "before"), [id]);
            writer.append(&prompt("after"));
            writer.flush();
            catch_up(&mut other, &bench);
            assert_eq!((ids(&mut other, "after").len(), ids(index, "after")), (1, vec![]));
            // It would have to write.
            assert!(matches!(index.catch_up(&bench.log(), None, &mut |_| {}), Err(IndexError::Busy)));
            assert!(matches!(index.forget(&[id]), Err(IndexError::Busy)));
            assert!(matches!(index.rebuild(&bench.log(), &mut |_| {}), Err(IndexError::Busy)));
            index.steadily(|index| {
                assert_eq!(ids(index, "before"), [id]);
                Ok::<(), IndexError>(())
            })
        })
        .unwrap();
    assert_eq!(ids(&mut index, "after").len(), 1);
}

#[test]
fn an_edition_is_the_same_until_somebody_writes() {
    let bench = Bench::new();
    let (mut index, mut other) = (bench.index(), bench.index());
    let first = index.edition().unwrap();
    assert_eq!(index.edition().unwrap(), first);
    index.put_knowledge("repo", &[row()], &[]).unwrap();
    let second = index.edition().unwrap();
    assert_ne!(second, first);
    assert_eq!(index.knowledge_stamps("repo").unwrap().len(), 1);
    assert_eq!(index.edition().unwrap(), second, "reading is no writing");
    other.put_knowledge("repo", &[], &[row().path.to_owned()]).unwrap();
    assert_ne!(index.edition().unwrap(), second);
}

#[test]
fn whoever_cannot_wait_is_told_that_another_writes() {
    let bench = Bench::new();
    let mut index = bench.index();
    let database = bench.database();
    let holder = rusqlite::Connection::open(&database).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let put = |index: &mut Index| index.put_knowledge_within(Duration::ZERO, "repo", &[row()], &[]);
    assert!(matches!(put(&mut index), Err(IndexError::Busy)));
    holder.execute_batch("ROLLBACK").unwrap();
    put(&mut index).unwrap();
    assert_eq!(index.knowledge_stamps("repo").unwrap().len(), 1);
}
