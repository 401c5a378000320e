use super::*;
use crate::refusal::Refusal;

#[test]
fn what_the_guard_enforces_is_not_superseded_by_an_agent_either() {
    let desk = Desk::repo();
    desk.base.save_decision(&guarded("The pipeline deploys"), &desk.view()).unwrap();
    let successor = NewDecision { supersedes: vec!["d-1".to_owned()], ..new("Anybody deploys") };
    let refusal = desk.base.save_decision(&successor, &desk.view()).unwrap_err();
    assert_eq!(refusal.problem, "D-001 is enforced by the guard, which only a person may loosen");
    assert_eq!(titles(&desk), ["D-001 The pipeline deploys"]);
    let saved = desk.base.save_decision(&NewDecision { by_person: true, ..successor }, &desk.view()).unwrap();
    assert_eq!(saved[0].notes, ["D-001 (The pipeline deploys) of repo root is archived in its favour"]);
    assert_eq!(titles(&desk), ["D-002 Anybody deploys"]);
}

fn in_stores(title: &str, scope: &[&str], supersedes: &[&str]) -> NewDecision {
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    NewDecision { scope: texts(scope), supersedes: texts(supersedes), ..new(title) }
}

/// A workspace in which everybody has a D-001.
fn workspace() -> Desk {
    let desk = Desk::workspace();
    for (title, scope) in [("Of all", "all"), ("API speaks JSON", "api"), ("Web uses React", "web")] {
        desk.base.save_decision(&in_stores(title, &[scope], &[]), &desk.view()).unwrap();
    }
    desk
}

/// The active decisions of the workspace and its repos.
fn active(desk: &Desk) -> Vec<String> {
    let views = [desk.view(), desk.base.view(Some("api")).unwrap(), desk.base.view(Some("web")).unwrap()];
    let mut all = Vec::new();
    for view in views {
        let own =
            desk.base.decisions(&view, false).into_iter().filter(|placed| placed.store == view.own().store);
        all.extend(own.map(|placed| format!("{}:{}", placed.store.name, placed.kept.item.id)));
    }
    all
}

fn doctor(desk: &Desk, project: Option<&str>) -> Vec<String> {
    let view = desk.base.view(project).unwrap();
    let findings = desk.base.check(&view, false).unwrap().findings;
    findings.into_iter().map(|finding| format!("{}: {}", finding.file, finding.what)).collect()
}

#[rstest]
#[case(&["api", "web"])]
#[case(&["api"])]
#[case(&[])]
fn an_id_that_several_stores_have_takes_nobodys_place_unasked(#[case] scope: &[&str]) {
    let desk = workspace();
    let refusal = desk
        .base
        .save_decision(&in_stores("Log lines are JSON", scope, &["D-001"]), &desk.view())
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "D-001 could mean several: workspace root has D-001 (Of all), and repo api has D-001 (API speaks JSON), and repo web has D-001 (Web uses React). Nothing was changed. Send \"workspace:D-001\" or \"api:D-001\" or \"web:D-001\"; or the repo's name as project_path"
    );
    assert_eq!(active(&desk), ["root:D-001", "api:D-001", "web:D-001"]);
    assert_eq!(desk.events.lock().unwrap().len(), 3);
}

#[test]
fn one_that_only_a_repo_has_is_taken_from_there_if_the_scope_says_so() {
    let desk = workspace();
    desk.base.save_decision(&in_stores("Second of api", &["api"], &[]), &desk.view()).unwrap();
    let refusal =
        desk.base.save_decision(&in_stores("Third", &["web"], &["D-002"]), &desk.view()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "workspace root has no decision D-002; repo api has D-002 (Second of api). Nothing was changed. Send \"api:D-002\"; or the repo's name as project_path"
    );
    // Another level may have one as well.
    for title in ["Mine", "Mine as well"] {
        desk.base.save_decision(&in_stores(title, &["user"], &[]), &desk.view()).unwrap();
    }
    let refusal =
        desk.base.save_decision(&in_stores("Third", &["web"], &["D-002"]), &desk.view()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "workspace root has no decision D-002; repo api has D-002 (Second of api), and the person's own store has D-002 (Mine as well). Nothing was changed. Send \"api:D-002\" or \"user:D-002\"; or the repo's name as project_path"
    );
    let saved = desk.base.save_decision(&in_stores("Third", &["api"], &["D-002"]), &desk.view()).unwrap();
    assert_eq!(saved[0].notes, ["D-002 (Second of api) of repo api is archived in its favour"]);
    assert_eq!(active(&desk), ["root:D-001", "api:D-001", "api:D-003", "web:D-001"]);
}

#[test]
fn decisions_of_several_stores_give_way_to_one_each_by_its_name() {
    let desk = workspace();
    let names = ["api:D-001", "workspace:D-001", "web:Web uses React"];
    let both = in_stores("Log lines are JSON", &["api", "web"], &names);
    let saved = desk.base.save_decision(&both, &desk.view()).unwrap();
    let notes: Vec<&[String]> = saved.iter().map(|saved| saved.notes.as_slice()).collect();
    assert_eq!(
        notes,
        [
            &[
                "D-001 (API speaks JSON) of repo api is archived in its favour".to_owned(),
                "D-001 (Of all) of workspace root is archived in its favour".to_owned(),
            ][..],
            &["D-001 (Web uses React) of repo web is archived in its favour".to_owned()][..],
        ]
    );
    assert_eq!(active(&desk), ["api:D-002", "web:D-002"]);
    let said = |project: &str, id: &str| {
        let view = desk.base.view(Some(project)).unwrap();
        let found = desk.base.find_decisions(&view, &format!("{project}:{id}")).remove(0);
        (found.kept.item.supersedes.clone(), found.kept.item.superseded_by.clone())
    };
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(said("api", "D-002"), (texts(&["D-001", "workspace:D-001"]), None));
    assert_eq!(said("web", "D-002"), (texts(&["workspace:D-001", "D-001"]), None));
    assert_eq!(said("api", "D-001"), (Vec::new(), Some("D-002".to_owned())));
    let of_all = desk.base.find_decisions(&desk.view(), "D-001").remove(0);
    assert_eq!(of_all.kept.item.superseded_by.as_deref(), Some("api:D-002"));
    for project in [None, Some("api"), Some("web")] {
        assert_eq!(doctor(&desk, project), [""; 0]);
    }
    // Seen alone, a repo knows nothing of the workspace around it.
    let api = desk.within("api");
    assert_eq!(api.check(&api.view(None).unwrap(), false).unwrap().findings, []);
}

#[test]
fn a_decision_of_another_level_is_archived_in_favour_of_one_here_and_the_other_way_round() {
    let desk = workspace();
    let save = |title: &str, scope: &[&str]| {
        desk.base.save_decision(&in_stores(title, scope, &[]), &desk.view()).unwrap();
    };
    save("Second of all", &[]);
    save("Second of api", &["api"]);
    let archive = |id: &str, by: &str| -> Result<SavedDecision, Refusal> {
        desk.base.archive_decision(&desk.view(), id, "refined", Some(by), false)
    };
    let refused = |id: &str, by: &str| archive(id, by).unwrap_err().problem;
    assert_eq!(refused("api:D-001", "workspace:D-009"), "there is no other active decision D-009 in root");
    assert_eq!(refused("api:D-001", "api:D-001"), "there is no other active decision D-001 in api");
    assert_eq!(refused("api:D-001", "nonsense"), "there is no other active decision nonsense in api");
    assert_eq!(
        refused("api:D-001", "D-002"),
        "D-002 could mean several: repo api has D-002 (Second of api), and workspace root has D-002 (Second of all)"
    );
    assert_eq!(archive("api:D-001", "workspace:D-002").unwrap().store, "api");
    assert_eq!(archive("workspace:D-001", "api:Second of api").unwrap().store, "root");
    let api = desk.base.view(Some("api")).unwrap();
    let by = |view: &View, name: &str| {
        desk.base.find_decisions(view, name).remove(0).kept.item.superseded_by.clone().unwrap()
    };
    assert_eq!(by(&api, "api:D-001"), "workspace:D-002");
    assert_eq!(by(&desk.view(), "workspace:D-001"), "api:D-002");
    let supersedes =
        |view: &View, name: &str| desk.base.find_decisions(view, name).remove(0).kept.item.supersedes.clone();
    assert_eq!(supersedes(&desk.view(), "workspace:D-002"), ["api:D-001"]);
    assert_eq!(supersedes(&api, "api:D-002"), ["workspace:D-001"]);
    assert_eq!((doctor(&desk, None), doctor(&desk, Some("api"))), (Vec::new(), Vec::new()));
    // What is gone is missed, wherever it was.
    std::fs::remove_file(desk.view().own().store.path("decisions/D-002-second-of-all.md")).unwrap();
    assert_eq!(
        doctor(&desk, Some("api")),
        [
            "archive/decisions/D-001-api-speaks-json.md: names workspace:D-002 in `superseded_by`, and there is no such decision here"
        ]
    );
}

#[test]
fn from_a_repo_what_is_of_the_workspace_gives_way_only_by_its_full_name() {
    let desk = workspace();
    desk.base.save_decision(&in_stores("Second of all", &[], &[]), &desk.view()).unwrap();
    let api = desk.base.view(Some("api")).unwrap();
    let refusal = desk.base.save_decision(&in_stores("Ours", &[], &["D-002"]), &api).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "this project has no active decision D-002; there is one that is of workspace root. If you mean that one, send supersedes: \"workspace:D-002\""
    );
    let saved = desk.base.save_decision(&in_stores("Ours", &[], &["workspace:D-002"]), &api).unwrap();
    assert_eq!(saved[0].notes, ["D-002 (Second of all) of workspace root is archived in its favour"]);
    // It is nearest, so it is meant.
    desk.base.save_decision(&in_stores("Ours, and better", &[], &["D-001"]), &api).unwrap();
    assert_eq!(active(&desk), ["root:D-001", "api:D-002", "api:D-003", "web:D-001"]);
}

#[test]
fn what_could_not_be_archived_is_told_and_everything_else_is_done() {
    let desk = Desk::repo();
    desk.base.save_decision(&guarded("The pipeline deploys"), &desk.view()).unwrap();
    desk.decided.lock().unwrap().clear();
    desk.put("archive", "in the way");
    let successor =
        NewDecision { supersedes: vec!["D-001".to_owned()], by_person: true, ..new("Anybody deploys") };
    let saved = desk.base.save_decision(&successor, &desk.view()).unwrap().remove(0);
    assert_eq!((saved.id.as_str(), saved.created, saved.notes.len()), ("D-002", true, 1));
    let note = &saved.notes[0];
    assert!(
        note.starts_with(
            "D-001 (The pipeline deploys) of repo root is STILL ACTIVE, for it could not be archived: "
        ),
        "{note}"
    );
    assert!(note.ends_with("Then use archive_decision with id D-001 and superseded_by D-002"), "{note}");
    assert_eq!(titles(&desk), ["D-001 The pipeline deploys", "D-002 Anybody deploys"]);
    assert_eq!(desk.recorded(), ["knowledge.saved decision", "knowledge.saved decision"]);
    assert_eq!(desk.decided.lock().unwrap().len(), 1);
    std::fs::remove_file(desk.view().own().store.path("archive")).unwrap();
    desk.base.archive_decision(&desk.view(), "D-001", "refined", Some("D-002"), true).unwrap();
    assert_eq!(doctor(&desk, None), [""; 0]);
}

#[test]
fn a_decision_names_those_that_are_archived_in_its_favour() {
    let desk = Desk::repo();
    for title in ["Local times", "Times of the office", "Use UTC"] {
        save(&desk, title);
    }
    let archive = |id: &str| desk.base.archive_decision(&desk.view(), id, "refined", Some("use-utc"), false);
    assert_eq!(archive("D-001").unwrap().notes, [""; 0]);
    assert_eq!(archive("D-002").unwrap().notes, [""; 0]);
    let next = desk.base.find_decisions(&desk.view(), "D-003").remove(0).kept;
    assert_eq!(next.item.supersedes, ["D-001", "D-002"]);
    assert_eq!(
        desk.recorded()[3..],
        [
            "knowledge.updated decision",
            "knowledge.archived decision",
            "knowledge.updated decision",
            "knowledge.archived decision"
        ]
    );
    // A branch gave the same id to another: what says so of each other goes along with it.
    let twin = desk.read(&next.file).replace("2026-11-15", "2026-11-20");
    desk.put(&next.file, twin);
    desk.put(
        "decisions/D-003-other.md",
        "---\nid: D-003\nslug: other\nstatus: active\ndate: 2026-11-01\n---\n# Other\n\nText.\n",
    );
    let report = desk.base.check(&desk.view(), true).unwrap();
    assert!(report.findings.iter().all(|finding| finding.fixed), "{report:?}");
    for id in ["D-001", "D-002"] {
        let old = desk.base.find_decisions(&desk.view(), id).remove(0).kept;
        assert_eq!(old.item.superseded_by.as_deref(), Some("D-004"));
    }
}

#[test]
fn one_that_the_guard_enforces_is_changed_by_a_person() {
    let desk = Desk::repo();
    save(&desk, "Anybody deploys");
    save(&desk, "Somebody deploys");
    desk.base.save_decision(&guarded("The pipeline deploys"), &desk.view()).unwrap();
    let before = desk.read("decisions/D-003-the-pipeline-deploys.md");
    desk.decided.lock().unwrap().clear();
    let archive =
        |id, by_person| desk.base.archive_decision(&desk.view(), id, "refined", Some("D-003"), by_person);
    assert_eq!(
        archive("D-001", false).unwrap().notes,
        [
            "D-003 (The pipeline deploys) of repo root does not say that it supersedes D-001: the guard enforces it. Only a person changes it"
        ]
    );
    assert_eq!(desk.read("decisions/D-003-the-pipeline-deploys.md"), before);
    assert_eq!(archive("D-002", true).unwrap().notes, [""; 0]);
    let next = desk.base.find_decisions(&desk.view(), "D-003").remove(0).kept;
    assert_eq!(next.item.supersedes, ["D-002"]);
    assert_eq!(desk.decided.lock().unwrap().len(), 1);
}

#[test]
fn so_is_one_of_another_store() {
    let desk = workspace();
    desk.put("../api/.ai/archive", "in the way");
    let successor = in_stores("For all of us", &[], &["api:D-001"]);
    let saved = desk.base.save_decision(&successor, &desk.view()).unwrap().remove(0);
    let note = &saved.notes[0];
    assert!(
        note.ends_with("Then use archive_decision with id api:D-001 and superseded_by workspace:D-002"),
        "{note}"
    );
    assert_eq!(active(&desk), ["root:D-001", "root:D-002", "api:D-001", "web:D-001"]);
}

#[test]
fn what_came_with_a_title_that_is_taken_is_named() {
    let desk = Desk::repo();
    save(&desk, "Use UTC");
    save(&desk, "Local times");
    let again = NewDecision { supersedes: vec!["D-002".to_owned()], ..guarded("Use the UTC") };
    let saved = desk.base.save_decision(&again, &desk.view()).unwrap().remove(0);
    assert_eq!(
        (saved.id.as_str(), saved.created, saved.notes),
        (
            "D-001",
            false,
            vec![
                "A decision with this title exists and was left as it is. NOT taken: the guard, enforce: required (it stays advisory), supersedes: D-002 (still active). To change it, save one with another title and `supersedes: [\"D-001\"]`"
                    .to_owned()
            ]
        )
    );
    assert_eq!(titles(&desk), ["D-001 Use UTC", "D-002 Local times"]);
}

#[test]
fn what_was_not_said_is_not_dropped() {
    let desk = Desk::repo();
    let required = NewDecision { enforce: Some(Enforce::Required), ..new("Use UTC") };
    desk.base.save_decision(&required, &desk.view()).unwrap();
    let again = |new: &NewDecision| {
        let saved = desk.base.save_decision(new, &desk.view()).unwrap().remove(0);
        (saved.dropped, saved.notes.concat())
    };
    let (dropped, note) = again(&new("Use UTC"));
    assert!(!dropped && !note.contains("NOT taken"), "{note}");
    let other =
        NewDecision { decision: "No times.".to_owned(), enforce: Some(Enforce::Advisory), ..new("Use UTC") };
    let (dropped, note) = again(&other);
    let told = ". NOT taken: decision (it says something else), enforce: advisory (it stays required). ";
    assert!(dropped && note.contains(told), "{note}");
}

#[test]
fn what_the_guard_enforces_is_changed_by_the_advice_that_works() {
    let desk = Desk::workspace();
    let of_api = |new: NewDecision| NewDecision { scope: vec!["api".to_owned()], ..new };
    desk.base.save_decision(&of_api(guarded("The pipeline deploys")), &desk.view()).unwrap();
    let again = of_api(guarded("The pipeline deploys"));
    let note =
        |new: &NewDecision| desk.base.save_decision(new, &desk.view()).unwrap().remove(0).notes.remove(0);
    assert_eq!(
        note(&again),
        "A decision with this title exists and was left as it is. NOT taken: the guard. The guard enforces it, so only a person changes it: ask them to run `custos decisions add --supersedes api:D-001` with another title"
    );
    assert!(note(&NewDecision { by_person: true, ..again }).ends_with("`supersedes: [\"api:D-001\"]`"));
    let agent = in_stores("Anybody deploys", &["api"], &["D-001"]);
    assert_eq!(
        desk.base.save_decision(&agent, &desk.view()).unwrap_err().next,
        "Ask the person to run `custos decisions archive api:D-001 --reason …`"
    );
}

#[test]
fn a_call_that_is_sent_again_is_told_what_it_did_before() {
    let desk = Desk::repo();
    save(&desk, "Old");
    save(&desk, "Wrong");
    desk.base.archive_decision(&desk.view(), "D-002", "wrong", None, false).unwrap();
    let newest = NewDecision { supersedes: vec!["D-001".to_owned(), "D-002".to_owned()], ..new("Newest") };
    let notes = || desk.base.save_decision(&newest, &desk.view()).unwrap().remove(0).notes;
    let wrong = "D-002 (Wrong) of repo root is archived already; this changed nothing about it";
    assert!(notes().iter().any(|note| note == wrong));
    let again = notes();
    let old =
        "D-001 (Old) of repo root is archived already, in favour of D-003; this changed nothing about it";
    assert!(again.iter().any(|note| note == old) && again.iter().any(|note| note == wrong), "{again:?}");
    assert!(!again.concat().contains("is not here"), "{again:?}");
}

#[test]
fn what_binds_in_all_projects_does_not_give_way_to_one_of_them_unasked() {
    let desk = Desk::repo();
    let view = desk.view();
    let user = |title: &str| NewDecision { scope: vec!["user".to_owned()], ..new(title) };
    let binding = NewDecision { enforce: Some(Enforce::Required), ..user("Never use tabs") };
    desk.base.save_decision(&binding, &view).unwrap();
    desk.base.save_decision(&user("Prefer spaces"), &view).unwrap();
    let over = |id: &str, title: &str| NewDecision { supersedes: vec![id.to_owned()], ..new(title) };
    let refusal = desk.base.save_decision(&over("user:D-001", "Tabs here"), &view).unwrap_err();
    assert_eq!(
        refusal.problem,
        "D-001 (Never use tabs) of the person's own store is required in all the person's projects, and this would end it in each of them"
    );
    // What is only advised may; so may the person, and one that holds as widely.
    desk.base.save_decision(&over("user:D-002", "Anything here"), &view).unwrap();
    let wide = NewDecision { supersedes: vec!["user:D-001".to_owned()], ..user("Tabs everywhere") };
    let saved = desk.base.save_decision(&wide, &view).unwrap();
    assert_eq!(
        saved[0].notes,
        ["D-001 (Never use tabs) of the person's own store is archived in its favour"]
    );
}

#[test]
fn nor_is_it_archived_by_an_agent() {
    let desk = Desk::repo();
    let view = desk.view();
    let user = |title: &str| NewDecision { scope: vec!["user".to_owned()], ..new(title) };
    let binding = |title: &str| NewDecision { enforce: Some(Enforce::Required), ..user(title) };
    let all = [binding("Never use tabs"), user("Prefer spaces"), binding("Always test"), new("Tabs here")];
    for new in all {
        desk.base.save_decision(&new, &view).unwrap();
    }
    let archive =
        |id: &str, by: Option<&str>, by_person| desk.base.archive_decision(&view, id, "over", by, by_person);
    for by in [None, Some("D-001"), Some("Tabs here")] {
        assert_eq!(
            archive("user:D-001", by, false).unwrap_err().to_string(),
            "D-001 (Never use tabs) of the person's own store is required in all the person's projects, and this would end it in each of them. Save what differs here as a decision of this project; or ask the person to run `custos decisions archive user:D-001 --reason …`"
        );
    }
    assert!(desk.base.find_decisions(&view, "user:D-001").remove(0).kept.item.is_active());
    assert_eq!(desk.base.find_decisions(&view, "repo:D-001").remove(0).kept.item.supersedes, [""; 0]);
    // What is only advised may be; so may one in whose place another holds as widely; and the person may do anything.
    archive("user:D-001", Some("user:D-002"), false).unwrap();
    archive("user:D-002", Some("Tabs here"), false).unwrap();
    archive("user:D-003", None, true).unwrap();
}
