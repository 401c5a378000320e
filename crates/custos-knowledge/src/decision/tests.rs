mod names;
mod records;
mod sections;
mod slugs;
mod superseding;
mod unread;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::testing::Desk;
use crate::text;

fn new(title: &str) -> NewDecision {
    NewDecision {
        title: title.to_owned(),
        decision: "All times are kept in UTC.".to_owned(),
        reasoning: "Summer time broke the billing twice.".to_owned(),
        source: "session",
        ..NewDecision::default()
    }
}

fn save(desk: &Desk, title: &str) -> SavedDecision {
    desk.base.save_decision(&new(title), &desk.view()).unwrap().remove(0)
}

fn titles(desk: &Desk) -> Vec<String> {
    let placed = desk.base.decisions(&desk.view(), false);
    placed.iter().map(|placed| format!("{} {}", placed.kept.item.id, placed.kept.item.title)).collect()
}

#[rstest]
#[case::padded("D-001", Some(1))]
#[case::long("D-1234", Some(1234))]
#[case::highest("D-999999999", Some(HIGHEST))]
#[case::none("D-", None)]
#[case::sign("D-+1", None)]
#[case::letter("D-1a", None)]
#[case::lower_case("d-1", Some(1))]
#[case::other_digits("D-\u{ff11}", None)]
#[case::too_high("D-1000000000", None)]
#[case::far_too_high("D-99999999999999999999", None)]
fn an_id_has_a_number(#[case] id: &str, #[case] expected: Option<u32>) {
    assert_eq!(number(id), expected);
}

#[test]
fn a_decision_is_a_file_that_people_can_read() {
    let desk = Desk::repo();
    let saved = save(&desk, "Use UTC everywhere");
    assert_eq!(
        saved,
        SavedDecision {
            id: "D-001".to_owned(),
            slug: "use-utc-everywhere".to_owned(),
            title: "Use UTC everywhere".to_owned(),
            level: Level::Repo,
            store: "root".to_owned(),
            file: "decisions/D-001-use-utc-everywhere.md".to_owned(),
            created: true,
            dropped: false,
            spellings: None,
            refused: Vec::new(),
            notes: Vec::new(),
        }
    );
    insta::assert_snapshot!(desk.read(&saved.file), @r"
    ---
    id: D-001
    slug: use-utc-everywhere
    title: Use UTC everywhere
    date: 2026-11-15
    source: session
    enforce: advisory
    session: s-1
    status: active
    ---

    # Use UTC everywhere

    All times are kept in UTC.

    ## Reasoning

    Summer time broke the billing twice.
    ");
    assert_eq!(desk.recorded(), ["knowledge.saved decision"]);
    assert_eq!(
        desk.read(".gitignore"),
        "# Files that were never finished.\n.custos-*\n# Handoffs, worklog, plans and other things of this machine.\nlocal/\n"
    );
}

#[test]
fn an_equivalent_title_changes_nothing_and_gives_back_what_is_there() {
    let desk = Desk::repo();
    let first = save(&desk, "Use UTC everywhere");
    let before = desk.read(&first.file);
    let again = save(&desk, "  use THE utc   everywhere ");
    assert_eq!((again.id.as_str(), again.created, again.notes.len()), ("D-001", false, 1));
    assert_eq!(desk.read(&first.file), before);
    assert_eq!(desk.recorded(), ["knowledge.saved decision"]);
}

#[rstest]
#[case("D-002 supersedes D-001")]
#[case("Supersede D-001")]
#[case("Revoke D-007")]
fn a_title_that_only_points_somewhere_is_refused_with_the_right_tool(#[case] title: &str) {
    let desk = Desk::repo();
    let refusal = desk.base.save_decision(&new(title), &desk.view()).unwrap_err();
    assert!(refusal.next.contains("archive_decision"), "{refusal}");
    assert_eq!(titles(&desk), Vec::<String>::new());
}

#[test]
fn ids_are_never_given_out_twice_not_even_those_of_the_archive() {
    let desk = Desk::repo();
    save(&desk, "First");
    save(&desk, "Second");
    desk.base.archive_decision(&desk.view(), "D-002", "it was wrong", None, false).unwrap();
    assert_eq!(save(&desk, "Third").id, "D-003");
    // A file may be called otherwise than its front matter says; both numbers are taken.
    desk.put("decisions/D-010-hand.md", "---\nid: D-020\n---\n\n# By hand\n\nText.\n");
    assert_eq!(save(&desk, "Fourth").id, "D-021");
}

#[test]
fn an_archived_decision_keeps_every_other_byte_and_says_when_and_why() {
    let desk = Desk::repo();
    desk.put(
        "decisions/D-007-hand.md",
        "---\n# kept by hand\nid: D-007\nowner: ada\nstatus: active\n---\n\n# By hand\n\nText.\n\n## More\n\nx\n",
    );
    let successor = save(&desk, "The better one");
    let archived = desk
        .base
        .archive_decision(&desk.view(), "d-7", "we know better", Some(&successor.id), false)
        .unwrap();
    assert_eq!(archived.file, "archive/decisions/D-007-hand.md");
    insta::assert_snapshot!(desk.read(&archived.file), @r"
    ---
    # kept by hand
    id: D-007
    owner: ada
    status: superseded
    superseded_by: D-008
    archived: 2026-11-15T20:55:10Z
    archived_reason: we know better
    ---

    # By hand

    Text.

    ## More

    x
    ");
    assert_eq!(titles(&desk), ["D-008 The better one"]);
    assert_eq!(desk.base.decisions(&desk.view(), true).len(), 2);
}

#[test]
fn nothing_in_the_archive_is_overwritten() {
    let desk = Desk::repo();
    desk.put(
        "archive/decisions/D-001-first.md",
        "---\nid: D-001\nstatus: revoked\n---\n\n# Of another branch\n",
    );
    desk.put("decisions/D-001-first.md", "---\nid: D-001\n---\n\n# First\n");
    let archived = desk.base.archive_decision(&desk.view(), "D-001", "twin", None, false).unwrap();
    assert_eq!(archived.file, "archive/decisions/D-001-first-2.md");
    assert!(desk.read("archive/decisions/D-001-first.md").contains("Of another branch"));
}

#[test]
fn a_successor_that_does_not_exist_is_refused_and_nothing_moves() {
    let desk = Desk::repo();
    save(&desk, "First");
    for successor in ["D-009", "D-001", "nonsense"] {
        let refusal =
            desk.base.archive_decision(&desk.view(), "D-001", "x", Some(successor), false).unwrap_err();
        assert!(refusal.next.contains("save_decision"), "{refusal}");
    }
    assert_eq!(titles(&desk), ["D-001 First"]);
}

#[test]
fn what_the_guard_enforces_is_archived_by_a_person_only() {
    let desk = Desk::repo();
    let guarded = NewDecision {
        enforce: Some(Enforce::Required),
        guard: Some(
            "command: terraform apply\nmust_block:\n  - terraform apply\nmust_allow:\n  - terraform plan\n"
                .to_owned(),
        ),
        ..new("The pipeline deploys")
    };
    let saved = desk.base.save_decision(&guarded, &desk.view()).unwrap().remove(0);
    assert_eq!(saved.spellings, Some(1));
    assert!(
        desk.read(&saved.file).contains("guard:\n  command: terraform apply\n"),
        "{}",
        desk.read(&saved.file)
    );
    let refusal = desk.base.archive_decision(&desk.view(), "D-001", "x", None, false).unwrap_err();
    assert!(refusal.next.contains("custos decisions archive D-001"), "{refusal}");
    let archived =
        desk.base.archive_decision(&desk.view(), "D-001", "the person wants it", None, true).unwrap();
    assert_eq!(archived.file, "archive/decisions/D-001-the-pipeline-deploys.md");
}

fn guarded(title: &str) -> NewDecision {
    let guard = "command: terraform apply\nmust_block: [terraform apply]\nmust_allow: [terraform plan]\n";
    NewDecision { enforce: Some(Enforce::Required), guard: Some(guard.to_owned()), ..new(title) }
}

#[test]
fn the_guard_is_told_of_what_it_enforces_and_of_nothing_else() {
    let desk = Desk::workspace();
    let told = || -> Vec<_> { desk.decided.lock().unwrap().drain(..).collect() };
    let (root, api) = (desk.view().root.path, desk.view().root.path.join("api"));
    save(&desk, "Use UTC everywhere");
    desk.base.archive_decision(&desk.view(), "D-001", "x", None, true).unwrap();
    assert_eq!(told(), Vec::<std::path::PathBuf>::new());
    let of_both =
        NewDecision { scope: vec!["all".to_owned(), "api".to_owned()], ..guarded("The pipeline deploys") };
    let saved = desk.base.save_decision(&of_both, &desk.view()).unwrap();
    assert_eq!(saved.iter().map(|saved| saved.notes.len()).sum::<usize>(), 0, "{saved:?}");
    assert_eq!(told(), [root.clone(), api]);
    let successor =
        NewDecision { supersedes: vec!["D-002".to_owned()], by_person: true, ..new("Anybody deploys") };
    desk.base.save_decision(&successor, &desk.view()).unwrap();
    assert_eq!(told(), std::slice::from_ref(&root));
    desk.base.save_decision(&guarded("Nobody deploys"), &desk.view()).unwrap();
    desk.base.archive_decision(&desk.view(), "D-004", "x", None, true).unwrap();
    assert_eq!(told(), [root.clone(), root]);
}

#[test]
fn a_guard_is_not_taken_where_nothing_would_enforce_it() {
    let desk = Desk::repo();
    let own =
        NewDecision { scope: vec!["all".to_owned(), "user".to_owned()], ..guarded("The pipeline deploys") };
    let refusal = desk.base.save_decision(&own, &desk.view()).unwrap_err();
    assert_eq!(
        refusal.problem,
        "a guard belongs to a project, and what is saved with scope \"user\" belongs to none"
    );
    let long = NewDecision { reasoning: "so ".repeat(21_800), ..guarded("The pipeline deploys") };
    let refusal = desk.base.save_decision(&long, &desk.view()).unwrap_err();
    assert!(refusal.problem.ends_with("the guard enforces files of at most 65536"), "{refusal}");
    assert_eq!(titles(&desk), Vec::<String>::new());
    // Without a guard it is as good as any other.
    desk.base.save_decision(&NewDecision { guard: None, ..long }, &desk.view()).unwrap();
    assert_eq!(titles(&desk), ["D-001 The pipeline deploys"]);
}

#[test]
fn archiving_again_never_takes_the_decision_of_another_level() {
    let desk = Desk::workspace();
    save(&desk, "Of the workspace");
    let own = NewDecision { scope: vec!["user".to_owned()], ..new("My own") };
    desk.base.save_decision(&own, &desk.view()).unwrap();
    let in_api = desk.base.view(Some("api")).unwrap();
    desk.base.save_decision(&new("Of the repo"), &in_api).unwrap();
    let archive = |id: &str| desk.base.archive_decision(&in_api, id, "over", None, false);
    assert_eq!(archive("D-001").unwrap().title, "Of the repo");
    assert_eq!(
        archive("D-001").unwrap_err().to_string(),
        "this project has no active decision D-001; there is one that is of workspace root. If you mean that one, send id: \"workspace:D-001\""
    );
    assert_eq!(archive("user:D-001").unwrap().title, "My own");
    assert_eq!(titles(&desk), ["D-001 Of the workspace"]);
}

#[test]
fn many_who_archive_the_same_archive_it_once() {
    let desk = Desk::repo();
    save(&desk, "Use UTC");
    let archived = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..12)
            .map(|_| {
                let desk = &desk;
                scope.spawn(move || {
                    let base = desk.in_session(Some("s-2"));
                    let view = base.view(None).unwrap();
                    base.archive_decision(&view, "D-001", "over", None, false).is_ok()
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|done| *done).count()
    });
    assert_eq!(archived, 1);
    assert_eq!(desk.view().own().store.list("archive/decisions"), ["D-001-use-utc.md"]);
}

#[test]
fn a_store_that_refuses_does_not_keep_the_others_from_it() {
    let desk = Desk::workspace();
    desk.put("../web/.ai", "in the way");
    let both = NewDecision { scope: vec!["api, web".to_owned()], ..new("Of both") };
    let saved = desk.base.save_decision(&both, &desk.view()).unwrap();
    assert_eq!(saved.iter().map(|saved| saved.store.as_str()).collect::<Vec<_>>(), ["api"]);
    assert!(saved[0].notes[0].starts_with("web did not take it: "), "{:?}", saved[0].notes);
}

#[test]
fn titles_with_the_same_words_in_another_order_are_two() {
    let desk = Desk::repo();
    save(&desk, "Allow GET, deny POST");
    assert_eq!(save(&desk, "Allow POST, deny GET").id, "D-002");
}

#[test]
fn a_project_that_was_moved_is_not_begun_anew() {
    let desk = Desk::repo();
    let view = desk.view();
    std::fs::rename(desk.dir.path().join("root"), desk.dir.path().join("moved")).unwrap();
    let refusal = desk.base.save_decision(&new("Use UTC"), &view).unwrap_err();
    assert!(refusal.problem.ends_with("is no longer there: the project was moved or removed"), "{refusal}");
    assert!(!desk.dir.path().join("root").exists());
}

#[test]
fn a_name_that_two_repos_have_is_not_guessed() {
    let desk = Desk::with_repos(&["api", "web", "apps/core", "libs/core"]);
    let scoped = |name: &str| {
        let new = NewDecision { scope: vec![name.to_owned()], ..new(&format!("About {name}")) };
        desk.base.save_decision(&new, &desk.view()).unwrap().remove(0).store
    };
    assert_eq!([scoped("core"), scoped("libs/core")], ["root", "libs/core"]);
}

#[test]
fn a_guard_needs_a_required_decision() {
    let desk = Desk::repo();
    let advisory = NewDecision { guard: Some("command: x\n".to_owned()), ..new("The pipeline deploys") };
    let refusal = desk.base.save_decision(&advisory, &desk.view()).unwrap_err();
    assert_eq!(refusal.problem, "only a required decision can carry a guard");
}

#[test]
fn a_scope_leads_to_the_repos_of_the_workspace_and_nowhere_else() {
    let desk = Desk::workspace();
    let scoped = |scope: &[&str]| {
        let scope = scope.iter().map(|name| (*name).to_owned()).collect();
        let new = NewDecision { scope, ..new(&format!("About {}", desk.events.lock().unwrap().len())) };
        let saved = desk.base.save_decision(&new, &desk.view()).unwrap();
        saved.into_iter().map(|saved| (saved.store, saved.notes.len())).collect::<Vec<_>>()
    };
    assert_eq!(scoped(&[]), [("root".to_owned(), 0)]);
    assert_eq!(scoped(&["all"]), [("root".to_owned(), 0)]);
    assert_eq!(scoped(&["api", "web", "api"]), [("api".to_owned(), 0), ("web".to_owned(), 0)]);
    assert_eq!(scoped(&["user"]), [("user".to_owned(), 0)]);
    for outside in ["../x", "/etc", "..", "api/../../x", "nobody", ".git"] {
        assert_eq!(scoped(&[outside]), [("root".to_owned(), 1)], "{outside}");
    }
    assert!(!desk.dir.path().join("x").exists());
}

#[test]
fn levels_never_hide_each_other() {
    let desk = Desk::workspace();
    save(&desk, "Of the workspace");
    let in_api = desk.base.view(Some("api")).unwrap();
    desk.base.save_decision(&new("Of the repo"), &in_api).unwrap();
    let own = NewDecision { scope: vec!["user".to_owned()], ..new("My own") };
    desk.base.save_decision(&own, &desk.view()).unwrap();
    let seen: Vec<(Level, String)> = desk
        .base
        .decisions(&in_api, false)
        .iter()
        .map(|placed| (placed.level, format!("{} {}", placed.kept.item.id, placed.kept.item.title)))
        .collect();
    let expected = [
        (Level::Repo, "D-001 Of the repo"),
        (Level::Workspace, "D-001 Of the workspace"),
        (Level::User, "D-001 My own"),
    ];
    assert_eq!(seen, expected.map(|(level, title)| (level, title.to_owned())));
}

#[test]
fn secrets_never_reach_the_file_or_the_log() {
    let desk = Desk::repo();
    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let told = NewDecision {
        decision: format!("The token is {secret} for now. <private>and my salary</private>"),
        ..new(&format!("Use {secret}"))
    };
    let saved = desk.base.save_decision(&told, &desk.view()).unwrap().remove(0);
    let events = format!("{:?}", desk.events.lock().unwrap());
    for text in [desk.read(&saved.file), saved.file, events] {
        assert!(!text.contains(&secret[4..20]) && !text.contains("salary"), "{text}");
    }
}

#[test]
fn a_log_that_takes_nothing_is_a_note_and_no_failure() {
    let desk = Desk::repo();
    let base = desk.with_broken_log();
    let saved = base.save_decision(&new("Use UTC"), &desk.view()).unwrap().remove(0);
    assert_eq!(
        saved.notes,
        [
            "The file is written, but the event is not in the log: the disk is full. `custos doctor` says what to do"
        ]
    );
    assert_eq!(titles(&desk), ["D-001 Use UTC"]);
}

#[test]
fn a_broken_file_is_set_apart_with_its_line_and_stays_as_it_is() {
    let desk = Desk::repo();
    let conflict = "---\nid: D-001\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x\n---\n\n# A\n";
    desk.put("decisions/D-001-a.md", conflict);
    desk.put("decisions/D-002-b.md", b"\xff\xfe\x00");
    let saved = save(&desk, "Another");
    assert_eq!(saved.id, "D-003");
    let view = desk.view();
    let faults = view.own().decisions.contents(&view.own().store).faults;
    let places: Vec<(&str, usize)> = faults.iter().map(|fault| (fault.file.as_str(), fault.line)).collect();
    assert_eq!(places, [("decisions/D-001-a.md", 3), ("decisions/D-002-b.md", 0)]);
    assert_eq!(desk.read("decisions/D-001-a.md"), conflict);
}

#[test]
fn sixty_four_at_once_lose_nothing_and_get_ids_of_their_own() {
    let desk = Desk::repo();
    std::thread::scope(|scope| {
        for writer in 0..64 {
            let desk = &desk;
            scope.spawn(move || {
                // Each with a base of its own, as each process has.
                let base = desk.in_session(Some("s-2"));
                let view = base.view(None).unwrap();
                base.save_decision(&new(&format!("Decision number {writer}")), &view).unwrap();
            });
        }
    });
    let mut ids: Vec<String> =
        desk.base.decisions(&desk.view(), false).iter().map(|placed| placed.kept.item.id.clone()).collect();
    ids.dedup();
    assert_eq!(ids, (1..=64).map(|number| format!("D-{number:03}")).collect::<Vec<_>>());
    assert_eq!(desk.events.lock().unwrap().len(), 64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is said is read back as it was cleaned, and a file always has a name.
    #[test]
    fn any_text_survives(title in "\\PC{1,80}", decision in "(\\PC|\n|\r\n){0,200}", reasoning in "(\\PC|\n){0,100}") {
        let desk = Desk::repo();
        let told = NewDecision { title, decision, reasoning, source: "session", ..NewDecision::default() };
        let Ok(saved) = desk.base.save_decision(&told, &desk.view()) else { return Ok(()) };
        let kept = desk.base.find_decisions(&desk.view(), &saved[0].id).remove(0).kept;
        prop_assert_eq!(&kept.item.title, &saved[0].title);
        prop_assert_eq!(&kept.item.decision, &desk.base.clean("decision", &told.decision).unwrap());
        prop_assert_eq!(&kept.item.reasoning, &desk.base.clean("reasoning", &told.reasoning).unwrap());
        prop_assert!(text::is_slug(&kept.item.slug, LONGEST_SLUG), "{}", kept.item.slug);
    }
}

#[test]
fn an_empty_file_is_no_decision_and_its_number_is_taken() {
    let desk = Desk::repo();
    desk.put("decisions/D-012-a.md", "\n");
    assert_eq!(titles(&desk), [""; 0]);
    assert_eq!(desk.view().own().decisions.faults().len(), 1);
    assert_eq!(save(&desk, "Use UTC").id, "D-013");
}
