use super::*;
use crate::backlog::{NewTask, Status};
use crate::decision::NewDecision;
use crate::memory::MemoryKind;
use crate::memory::save::NewMemory;
use crate::testing::Desk;

fn decision(title: &str, scope: &[&str]) -> NewDecision {
    let scope = scope.iter().map(|name| (*name).to_owned()).collect();
    NewDecision {
        title: title.to_owned(),
        decision: "d".to_owned(),
        reasoning: "r".to_owned(),
        source: "manual",
        scope,
        ..NewDecision::default()
    }
}

fn memory(title: &str, scope: &str) -> NewMemory {
    NewMemory {
        kind: MemoryKind::Pattern,
        title: title.to_owned(),
        description: "d".to_owned(),
        body: String::new(),
        keywords: Vec::new(),
        scope: vec![scope.to_owned()],
        source: "manual",
        supersedes: Vec::new(),
    }
}

fn task(title: &str, scope: &str) -> NewTask {
    NewTask {
        title: title.to_owned(),
        description: "d".to_owned(),
        scope: vec![scope.to_owned()],
        ..NewTask::default()
    }
}

#[test]
fn a_decision_that_a_repo_has_as_well_is_archived_only_by_its_full_name() {
    let desk = Desk::with_repos(&["api", "web"]);
    let view = desk.view();
    desk.base.save_decision(&decision("Of all", &[]), &view).unwrap();
    desk.base.save_decision(&decision("Of api", &["api"]), &view).unwrap();
    desk.base.save_decision(&decision("Second of api", &["api"]), &view).unwrap();
    let archive = |id: &str| desk.base.archive_decision(&view, id, "over", None, false);
    assert_eq!(
        archive("D-001").unwrap_err().to_string(),
        "D-001 could mean several: workspace root has D-001 (Of all), and repo api has D-001 (Of api). Nothing was changed. Send \"workspace:D-001\" or \"api:D-001\"; or the repo's name as project_path"
    );
    assert_eq!(
        archive("D-002").unwrap_err().to_string(),
        "workspace root has no decision D-002; repo api has D-002 (Second of api). Nothing was changed. Send \"api:D-002\"; or the repo's name as project_path"
    );
    let archived = archive("api:d-1").unwrap();
    assert_eq!((archived.title.as_str(), archived.store.as_str()), ("Of api", "api"));
    let archived = archive("D-001").unwrap();
    assert_eq!((archived.title.as_str(), archived.level), ("Of all", Level::Workspace));
    assert_eq!(archive("api:D-009").unwrap_err().problem, "there is no active decision D-009 in api");
    // Seen from the repo, it is the repo's.
    let of_api = desk.base.view(Some("api")).unwrap();
    assert_eq!(desk.base.archive_decision(&of_api, "D-002", "over", None, false).unwrap().store, "api");
}

#[test]
fn so_are_memories_and_tasks() {
    let desk = Desk::with_repos(&["api", "web"]);
    let view = desk.view();
    for (title, scope) in [("Same", "all"), ("Same", "api"), ("Only of web", "web")] {
        desk.base.save_memory(&memory(title, scope), &view).unwrap();
        desk.base.add_task(&task(title, scope), &view).unwrap();
    }
    let archive = |slug: &str| desk.base.archive_memory(&view, slug, "over", None);
    assert_eq!(
        archive("same").unwrap_err().problem,
        "same could mean several: workspace root has same (Same), and repo api has same (Same)"
    );
    assert_eq!(
        archive("only-of-web").unwrap_err().problem,
        "workspace root has no memory only-of-web; repo web has only-of-web (Only of web)"
    );
    assert_eq!(archive("api:same").unwrap().store, "api");
    assert_eq!(archive("same").unwrap().level, Level::Workspace);
    let done = |id: &str| desk.base.update_task(&view, id, Some(Status::Done), None, None);
    assert_eq!(
        done("B-001").unwrap_err().problem,
        "B-001 could mean several: workspace root has B-001 (Same), and repo api has B-001 (Same), and repo web has B-001 (Only of web)"
    );
    assert_eq!(done("web:B-001").unwrap().title, "Only of web");
    assert_eq!(done("workspace:B-1").unwrap().level, Level::Workspace);
    assert_eq!(desk.base.find_tasks(&view, "api:b-1")[0].store.name, "api");
}

#[test]
fn a_merge_says_whose_memory_stays_and_takes_the_others_from_there() {
    let desk = Desk::with_repos(&["api", "web"]);
    let view = desk.view();
    for (title, scope) in [("Same", "all"), ("Same", "api"), ("Other", "all"), ("Other", "api")] {
        desk.base.save_memory(&memory(title, scope), &view).unwrap();
    }
    let merge =
        |into: &str, from: &str| desk.base.merge_memories(&view, into, &[from.to_owned()], None, None);
    assert_eq!(
        merge("same", "other").unwrap_err().to_string(),
        "same could mean several: workspace root has same (Same), and repo api has same (Same). Nothing was changed. Send \"workspace:same\" or \"api:same\"; or the repo's name as project_path"
    );
    assert_eq!(
        merge("api:same", "workspace:other").unwrap_err().problem,
        "workspace:other is in root, and memories of two stores are not merged"
    );
    let merged = merge("api:same", "api:other").unwrap();
    assert_eq!((merged.into.store.as_str(), merged.archived[0].store.as_str()), ("api", "api"));
    let merged = merge("workspace:same", "other").unwrap();
    assert_eq!((merged.into.store.as_str(), merged.archived[0].store.as_str()), ("root", "root"));
    assert_eq!(desk.base.memories(&desk.base.view(Some("api")).unwrap(), None).len(), 1);
}

#[test]
fn a_question_that_a_repo_has_as_well_is_answered_only_by_its_full_name() {
    let desk = Desk::with_repos(&["api", "web"]);
    let (view, api) = (desk.view(), desk.base.view(Some("api")).unwrap());
    desk.base.ask(&view, "Of all?", "").unwrap();
    desk.base.ask(&api, "Of api?", "").unwrap();
    desk.base.ask(&api, "Second of api?", "").unwrap();
    assert_eq!(
        desk.base.answer(&view, "Q-001", "Yes").unwrap_err().to_string(),
        "Q-001 could mean several: workspace root has Q-001 (Of all?), and repo api has Q-001 (Of api?). Nothing was changed. Send \"workspace:Q-001\" or \"api:Q-001\"; or the repo's name as project_path"
    );
    assert_eq!(
        desk.base.answer(&view, "Q-002", "Yes").unwrap_err().problem,
        "workspace root has no question Q-002; repo api has Q-002 (Second of api?)"
    );
    let answered = desk.base.answer(&view, "api:q-1", "Yes").unwrap();
    assert_eq!((answered.title.as_str(), answered.store.as_str()), ("Of api?", "api"));
    let archived =
        desk.base.update_question(&view, "workspace:Q-001", crate::question::Status::Archived, "over");
    assert_eq!(archived.unwrap().title, "Of all?");
    // Seen from the repo, it is the repo's.
    assert_eq!(desk.base.answer(&api, "Q-002", "No").unwrap().store, "api");
    assert_eq!(desk.base.answer(&api, "Q-009", "No").unwrap_err().problem, "there is no question Q-009");
}

#[test]
fn a_title_with_a_colon_is_a_title() {
    let desk = Desk::with_repos(&["api", "web"]);
    let view = desk.view();
    desk.base.save_memory(&memory("api: tabs, not blanks", "all"), &view).unwrap();
    assert!(desk.base.find_memory(&view, "api: tabs, not blanks").is_some());
    let told = desk.base.address(&view, "elsewhere:D-001");
    assert_eq!((told.name, told.is_told), ("elsewhere:D-001", false));
}

#[test]
fn memories_of_several_stores_give_way_only_by_their_full_names() {
    let desk = Desk::with_repos(&["api", "web"]);
    let view = desk.view();
    for scope in ["all", "api", "user"] {
        desk.base.save_memory(&memory("Same m", scope), &view).unwrap();
    }
    let save = |scope: &[&str], supersedes: &[&str]| {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let new = NewMemory { scope: texts(scope), supersedes: texts(supersedes), ..memory("Better", "all") };
        desk.base.save_memory(&new, &view)
    };
    for scope in [&["all", "api"][..], &["api"], &[]] {
        assert_eq!(
            save(scope, &["same-m"]).unwrap_err().to_string(),
            "same-m could mean several: workspace root has same-m (Same m), and repo api has same-m (Same m). Nothing was changed. Send \"workspace:same-m\" or \"api:same-m\"; or the repo's name as project_path"
        );
    }
    assert!(desk.base.find_memory(&view, "better").is_none());
    let saved = save(&["web"], &["api:same-m", "workspace:same-m", "user:Same m"]).unwrap().remove(0);
    let archived = |place: &str| format!("same-m (Same m) of {place} is archived in its favour");
    let places = ["repo api", "workspace root", "the person's own store"];
    assert_eq!((saved.store.as_str(), saved.notes), ("web", places.map(archived).to_vec()));
    let old = desk.base.find_memory(&view, "api:same-m").unwrap().kept;
    let put_away = old.item.archived.clone().unwrap();
    assert_eq!(
        (put_away.reason.as_str(), put_away.superseded_by.as_deref()),
        ("superseded by web:better", Some("web:better"))
    );
}

#[test]
fn a_title_may_follow_the_name_of_a_store() {
    let desk = Desk::with_repos(&["api", "web"]);
    let view = desk.view();
    desk.base.save_decision(&decision("Use SQLite", &["api"]), &view).unwrap();
    desk.base.add_task(&task("Paint it", "api"), &view).unwrap();
    assert_eq!(desk.base.find_decisions(&view, "api:Use SQLite").len(), 1);
    assert_eq!(desk.base.find_tasks(&view, "api:Paint it").len(), 1);
}

#[test]
fn whoever_saves_a_title_that_another_level_has_is_told_and_both_stay() {
    let desk = Desk::workspace();
    let view = desk.base.view(Some("api")).unwrap();
    let decide = |title: &str, scope: &[&str]| -> Vec<Vec<String>> {
        let saved = desk.base.save_decision(&decision(title, scope), &view).unwrap();
        saved.into_iter().map(|saved| saved.notes).collect()
    };
    assert_eq!(decide("Use UTC", &["user"]), [[""; 0]]);
    assert_eq!(decide("Use the UTC", &[]), [["user:D-001 has the same title; both hold"]]);
    assert_eq!(decide("use utc", &["workspace"]).concat().len(), 2);
    // Who names several stores knows of all of them.
    assert_eq!(decide("Keep logs", &["user", "api"]), [[""; 0], [""; 0]]);
    // What is over is no longer said.
    desk.base.archive_decision(&view, "user:D-001", "over", None, false).unwrap();
    desk.base.archive_decision(&view, "workspace:D-001", "over", None, false).unwrap();
    desk.base.archive_decision(&view, "api:D-001", "over", None, false).unwrap();
    assert_eq!(decide("Use UTC", &[]), [[""; 0]]);

    let add =
        |title: &str, scope: &str| desk.base.add_task(&task(title, scope), &view).unwrap().remove(0).notes;
    assert_eq!(add("Write it down", "user"), [""; 0]);
    assert_eq!(add("Write it down", "all"), ["user:B-001 has the same title; both stay"]);
    desk.base.update_task(&view, "user:B-001", Some(Status::Done), None, None).unwrap();
    assert_eq!(add("Write it down", "workspace"), ["api:B-001 has the same title; both stay"]);
}

#[test]
fn a_memory_says_which_one_it_hides_or_is_hidden_by() {
    let desk = Desk::repo();
    let save = |title: &str, scope: &str| {
        desk.base.save_memory(&memory(title, scope), &desk.view()).unwrap().remove(0).notes
    };
    assert_eq!(save("Measure first", "user"), [""; 0]);
    assert_eq!(save("Measure first", "all"), ["It hides user:measure-first here, which has the same slug"]);
    assert_eq!(save("Measure first", "all"), [""; 0], "it is there");
    assert_eq!(save("Ask twice", "all"), [""; 0]);
    assert_eq!(save("Ask twice", "user"), ["root:ask-twice has the same slug, and hides it there"]);
    assert_eq!(save("Ask the person", "user"), [""; 0]);
    assert_eq!(save("Ask person", "all"), ["user:ask-the-person has the same title; both stay"]);
}

#[test]
fn of_many_namesakes_the_first_are_told() {
    let names: Vec<String> = (10..30).map(|number| format!("r{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let desk = Desk::with_repos(&names);
    desk.base.save_decision(&decision("Of each", &names), &desk.view()).unwrap();
    let refusal = desk.base.archive_decision(&desk.view(), "D-001", "over", None, false).unwrap_err();
    let told: Vec<String> =
        names[..8].iter().map(|name| format!("repo {name} has D-001 (Of each)")).collect();
    let send: Vec<String> = names[..8].iter().map(|name| format!("\"{name}:D-001\"")).collect();
    assert_eq!(
        refusal.to_string(),
        format!(
            "workspace root has no decision D-001; {}, and 12 more. Nothing was changed. Send {} or 12 more; or the repo's name as project_path",
            told.join(", and "),
            send.join(" or ")
        )
    );
}
