//! Projects that get another name: everything of theirs is found under the new one, whoever made the index.

use std::time::Duration;

use custos_index::{Budget, Index, KnowledgeRow, SearchQuery, User};
use custos_log::LogReader;
use custos_model::{EventId, Kind, Scope, Timestamp};
use serde_json::json;

use crate::Bench;

const OLD: &str = "/home/me/shop/.git";
const NEW: &str = "github.com/me/shop";

fn renaming(bench: &Bench) -> LogReader {
    bench.log().calling([(OLD.to_owned(), NEW.to_owned())])
}

fn found(index: &mut Index, project: &str) -> Vec<EventId> {
    let query = SearchQuery { projects: &[project], ..SearchQuery::new("ledger") };
    index.search(&query).unwrap().into_iter().map(|hit| hit.id).collect()
}

#[test]
fn what_was_recorded_under_the_old_name_is_found_under_the_new_one() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let prompt = |project: &str| json!({"kind": "prompt.submitted", "project": project, "session": "s", "body": {"text": "the ledger"}});
    let before = writer.append(&prompt(OLD));
    writer.append(&json!({"kind": "tool.used", "project": OLD, "session": "s", "body": {"tool": "Bash"}}));
    let other = writer.append(&prompt("elsewhere"));
    writer.flush();
    let mut index = bench.caught_up();
    let filed = KnowledgeRow {
        path: "decisions/D-001-ledger.md",
        stamp: 7,
        sort: "decision",
        name: "D-001",
        title: "A ledger of our own",
        text: "Nothing else would do.",
        project: Some(OLD),
        scope: Scope::Project,
        ts: Timestamp::from_millis(1_767_600_000_000),
        importance: 0.8,
        binds: true,
        trusted: true,
    };
    index.put_knowledge("repo", &[filed], &[]).unwrap();
    assert_eq!((found(&mut index, OLD).len(), found(&mut index, NEW).len()), (2, 0));

    // Who has little time leaves it to others, and gets the old answers.
    let budget = Budget { limit: Duration::from_secs(9), elapsed: &|| Duration::ZERO };
    let hurried = index.catch_up(&renaming(&bench), Some(budget), &mut |_| {}).unwrap();
    assert!(!hurried.complete && !hurried.rebuilt && found(&mut index, OLD).len() == 2);

    let made = index.catch_up(&renaming(&bench), None, &mut |_| {}).unwrap();
    assert!(made.complete && made.rebuilt);
    let now = found(&mut index, NEW);
    assert!(now.len() == 2 && now.contains(&before), "{now:?}");
    assert_eq!((found(&mut index, OLD), found(&mut index, "elsewhere")), (Vec::new(), vec![other]));
    assert_eq!(index.projects().unwrap(), ["elsewhere", NEW]);
    assert_eq!(index.sessions(Some(NEW), 9).unwrap().len(), 1);

    // Whoever comes later does not undo it, also if nobody told them, and files what is new under the new name as well.
    let late = writer.append(&prompt(OLD));
    writer.flush();
    let mut unaware = Index::open(&bench.state(), User::Worker).unwrap();
    let read = unaware.catch_up(&bench.log(), None, &mut |_| {}).unwrap();
    assert_eq!((read.events, read.complete, read.rebuilt), (1, true, false));
    assert!(found(&mut unaware, NEW).contains(&late) && found(&mut unaware, OLD).is_empty());
    let again = unaware.rebuild(&bench.log(), &mut |_| {}).unwrap();
    assert!(again.rebuilt && found(&mut unaware, NEW).len() == 3);
    assert!(!unaware.catch_up(&renaming(&bench), None, &mut |_| {}).unwrap().rebuilt);
    let prompts = unaware.recent(Kind::PromptSubmitted, Some(NEW), 9).unwrap();
    assert_eq!(prompts.iter().map(|entry| entry.id).collect::<Vec<_>>(), [late, before]);
}
