//! From the first decision to the handoff of a session, for people and for machines.

use serde_json::json;

use super::{FIRST_DECISION, Story};

#[test]
fn decisions_are_recorded_listed_read_and_put_away() {
    let mut story = Story::begin();
    story
        .type_in("decisions")
        .type_in(FIRST_DECISION)
        .type_in(FIRST_DECISION)
        .type_in("decisions add --title 'The pipeline applies' --decision 'Nobody applies by hand.' --reasoning 'The state was locked for a day.' --required --guard-command 'terraform apply' --must-block 'terraform apply -auto-approve' --must-allow 'terraform plan'")
        .type_in("decisions list")
        .type_in("decisions show d-2")
        .type_in("decisions add --title 'Times are zoned' --decision 'With the zone.' --reasoning 'Users travel.' --supersedes D-001")
        .type_in("decisions archive D-002 --reason 'the pipeline is gone' --superseded-by D-003")
        .type_in("decisions --archived");
    let told = story.told();
    story.settings().bind(|| {
        insta::assert_snapshot!(told, @r#"
        $ custos decisions
        No decisions yet. `custos decisions add` records one as soon as it is made.

        $ custos decisions add --title 'Times are UTC' --decision 'All times are stored in UTC.' --reasoning 'Two zones were mixed up.'
        D-001 saved: Times are UTC · repo (shop) · decisions/D-001-times-are-utc.md

        $ custos decisions add --title 'Times are UTC' --decision 'All times are stored in UTC.' --reasoning 'Two zones were mixed up.'
        D-001 is there already: Times are UTC · repo (shop) · decisions/D-001-times-are-utc.md
        Note: A decision with this title exists and was left as it is. To change it, save one with another title and `--supersedes D-001`.

        $ custos decisions add --title 'The pipeline applies' --decision 'Nobody applies by hand.' --reasoning 'The state was locked for a day.' --required --guard-command 'terraform apply' --must-block 'terraform apply -auto-approve' --must-allow 'terraform plan'
        D-002 saved: The pipeline applies · repo (shop) · decisions/D-002-the-pipeline-applies.md. The guard enforces it from now on; it held in N spellings of the examples

        $ custos decisions list
        ## Decisions of repo shop (2)

        - **D-001** [advisory] Times are UTC — All times are stored in UTC.
        - **D-002** [required, enforced by the guard] The pipeline applies — Nobody applies by hand.

        `custos decisions show` shows one with its reasoning. Required ones bind you; advisory ones need a reason to deviate.

        $ custos decisions show d-2
        # D-002: The pipeline applies

        required · active · repo shop · DATE · .ai/decisions/D-002-the-pipeline-applies.md

        Nobody applies by hand.

        ## Reasoning

        The state was locked for a day.

        ## Guard

        - command: terraform apply
        - must_block: terraform apply -auto-approve
        - must_allow: terraform plan

        $ custos decisions add --title 'Times are zoned' --decision 'With the zone.' --reasoning 'Users travel.' --supersedes D-001
        D-003 saved: Times are zoned · repo (shop) · decisions/D-003-times-are-zoned.md
        Note: D-001 (Times are UTC) of repo shop is archived in its favour.

        $ custos decisions archive D-002 --reason 'the pipeline is gone' --superseded-by D-003
        D-002 archived: The pipeline applies · repo (shop) · archive/decisions/D-002-the-pipeline-applies.md

        $ custos decisions --archived
        ## Decisions of repo shop (3)

        - **D-001** [advisory, superseded by D-003] Times are UTC — All times are stored in UTC.
        - **D-002** [required, enforced by the guard, superseded by D-003] The pipeline applies — Nobody applies by hand.
        - **D-003** [advisory] Times are zoned — With the zone.

        `custos decisions show` shows one with its reasoning. Required ones bind you; advisory ones need a reason to deviate.
        "#);
    });
    assert!(story.file("decisions/D-003-times-are-zoned.md").contains("source: manual\n"));

    let listed = story.json("decisions --archived");
    let rows = listed["decisions"].as_array().unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!((ids, listed.get("pages")), (vec!["D-001", "D-002", "D-003"], None));
    assert_eq!(story.json("decisions show D-003")["reasoning"], json!("Users travel."));
    assert_eq!(
        story.json(FIRST_DECISION)["id"],
        json!("D-004"),
        "the title of what was put away is free again"
    );
    assert_eq!(story.json("decisions archive D-004 --reason x")["archived"]["id"], json!("D-004"));
}

#[test]
fn memories_are_kept_merged_and_put_away() {
    let mut story = Story::begin();
    let add = |title: &str, kind: &str| {
        format!(
            "memories add --type {kind} --title '{title}' --description 'Tests run with nextest.' --keyword tests"
        )
    };
    story
        .type_in("memories")
        .type_in(&add("Run nextest", "pattern"))
        .type_in(&add("Use nextest", "pattern"))
        .type_in(&add("No emoji in commits", "feedback"))
        .type_in("memories --type pattern")
        .type_in("memories merge run-nextest use-nextest --body 'Not cargo test.'")
        .type_in("memories show run-nextest")
        .type_in("memories archive no-emoji-in-commits --reason 'it was a joke'")
        .type_in("memories list");
    let told = story.told();
    story.settings().bind(|| {
        insta::assert_snapshot!(told, @r"
        $ custos memories
        No memories yet. `custos memories add` keeps a lesson as soon as it is learnt.

        $ custos memories add --type pattern --title 'Run nextest' --description 'Tests run with nextest.' --keyword tests
        run-nextest saved: Run nextest · repo (shop) · memory/patterns/run-nextest.md

        $ custos memories add --type pattern --title 'Use nextest' --description 'Tests run with nextest.' --keyword tests
        use-nextest saved: Use nextest · repo (shop) · memory/patterns/use-nextest.md

        $ custos memories add --type feedback --title 'No emoji in commits' --description 'Tests run with nextest.' --keyword tests
        no-emoji-in-commits saved: No emoji in commits · repo (shop) · memory/feedback/no-emoji-in-commits.md

        $ custos memories --type pattern
        ## Patterns of repo shop (2)

        - **Run nextest** (run-nextest): Tests run with nextest.
        - **Use nextest** (use-nextest): Tests run with nextest.

        `custos memories show` shows one with its details (marked +).

        $ custos memories merge run-nextest use-nextest --body 'Not cargo test.'
        run-nextest updated: Run nextest · repo (shop) · memory/patterns/run-nextest.md
        Archived in its favour: use-nextest

        $ custos memories show run-nextest
        # Run nextest

        run-nextest · pattern · repo shop · DATE · tests · .ai/memory/patterns/run-nextest.md

        Tests run with nextest.

        ## Details

        Not cargo test.

        $ custos memories archive no-emoji-in-commits --reason 'it was a joke'
        no-emoji-in-commits archived: No emoji in commits · repo (shop) · archive/memory/feedback/no-emoji-in-commits.md

        $ custos memories list
        ## Patterns of repo shop (1)

        - **Run nextest** (run-nextest) +: Tests run with nextest.

        `custos memories show` shows one with its details (marked +).
        ");
    });
    assert!(story.file("memory/patterns/run-nextest.md").contains("source: manual\n"));

    let listed = story.json("memories");
    assert_eq!((&listed["total"], &listed["memories"][0]["slug"]), (&json!(1), &json!("run-nextest")));
    assert_eq!(story.json("memories show run-nextest")["body"], json!("Not cargo test."));
    assert_eq!(story.json(&add("Another", "feedback"))["slug"], json!("another"));
    assert_eq!(story.json("memories merge run-nextest another")["slug"], json!("run-nextest"));
    assert_eq!(story.json("memories archive run-nextest --reason x")["slug"], json!("run-nextest"));
}

#[test]
fn tasks_are_noted_and_done() {
    let mut story = Story::begin();
    story
        .type_in("backlog")
        .type_in(
            "backlog add --title 'Cut the cycle' --description 'In resolve.rs.' --priority high --tag parser",
        )
        .type_in("backlog add --title 'Rename the crate' --description 'Nobody likes it.'")
        .type_in("backlog update B-002 --status done --note merged")
        .type_in("backlog")
        .type_in("backlog list --status done")
        .type_in("backlog show B-002");
    let told = story.told();
    story.settings().bind(|| {
        insta::assert_snapshot!(told, @r"
        $ custos backlog
        Nothing in the backlog. `custos backlog add` notes a task for later.

        $ custos backlog add --title 'Cut the cycle' --description 'In resolve.rs.' --priority high --tag parser
        B-001 [open, high] Cut the cycle · repo (shop) · backlog/B-001-cut-the-cycle.md

        $ custos backlog add --title 'Rename the crate' --description 'Nobody likes it.'
        B-002 [open, medium] Rename the crate · repo (shop) · backlog/B-002-rename-the-crate.md

        $ custos backlog update B-002 --status done --note merged
        B-002 [done, medium] Rename the crate · repo (shop) · backlog/B-002-rename-the-crate.md

        $ custos backlog
        ## Backlog of repo shop (1)

        - **B-001** [open, high] Cut the cycle — In resolve.rs.

        $ custos backlog list --status done
        ## Backlog of repo shop (1)

        - **B-002** [done, medium] Rename the crate — Nobody likes it.

        $ custos backlog show B-002
        # B-002: Rename the crate

        done · medium · repo shop · created TIMEZ · updated TIMEZ · .ai/backlog/B-002-rename-the-crate.md

        Nobody likes it.

        ## Notes

        - TIMEZ: merged
        ");
    });
    assert_eq!(story.json("backlog")["tasks"][0]["id"], json!("B-001"));
    assert!(story.json("backlog show B-002")["notes"].as_str().unwrap().contains("merged"));
    assert_eq!(story.json("backlog add --title t --description d")["id"], json!("B-003"));
    assert_eq!(story.json("backlog update B-003 --priority low")["saved"]["priority"], json!("low"));
}

#[test]
fn questions_are_answered_and_plans_followed() {
    let mut story = Story::begin();
    story
        .type_in("questions")
        .type_in("questions ask 'Do we support Node 18?' --context 'package.json says so'")
        .type_in("questions ask 'Who owns the domain?'")
        .type_in("questions answer Q-001 No.")
        .type_in("questions")
        .type_in("questions update Q-001 --status applied --note 'engines raised'")
        .type_in("questions update Q-002 --status archived")
        .type_in("questions")
        .type_in("questions --all")
        .type_in("plans")
        .type_in("plans save --title 'Split the parser' '[x] move the lexer' 'cut the cycle'")
        .type_in("plans");
    let told = story.told();
    story.settings().bind(|| {
        insta::assert_snapshot!(told, @r"
        $ custos questions
        No open questions. `custos questions ask` leaves one for the person.

        $ custos questions ask 'Do we support Node 18?' --context 'package.json says so'
        Q-001 is open: Do we support Node 18? · repo (shop) · questions.md

        $ custos questions ask 'Who owns the domain?'
        Q-002 is open: Who owns the domain? · repo (shop) · questions.md

        $ custos questions answer Q-001 No.
        Q-001 is answered: Do we support Node 18? · repo (shop) · questions.md

        $ custos questions
        ## Q-001 [answered] Do we support Node 18?

        Context: package.json says so

        Answer: No.

        Put it to use, then `custos questions update` with status applied.

        ## Q-002 [open] Who owns the domain?

        $ custos questions update Q-001 --status applied --note 'engines raised'
        Q-001 is applied: Do we support Node 18? · repo (shop) · questions.md

        $ custos questions update Q-002 --status archived
        Q-002 is archived: Who owns the domain? · repo (shop) · questions.md

        $ custos questions
        No open questions. `custos questions ask` leaves one for the person.

        $ custos questions --all
        ## Q-001 [applied] Do we support Node 18?

        Context: package.json says so

        Answer: No.

        Note: engines raised

        ## Q-002 [archived] Who owns the domain?

        $ custos plans
        No plans. `custos plans save` keeps one.

        $ custos plans save --title 'Split the parser' '[x] move the lexer' 'cut the cycle'
        Plan saved: Split the parser [active] · repo (shop) · local/plans/split-the-parser.md

        $ custos plans
        ## Split the parser [active] 1 of 2 steps

        - [x] move the lexer
        - [ ] cut the cycle
        ");
    });
    assert_eq!(story.json("questions"), json!({"questions": [], "total": 0}));
    assert_eq!(story.json("questions --all")["total"], json!(2));
    assert_eq!(story.json("questions ask Why?")["id"], json!("Q-003"));
    assert_eq!(story.json("questions answer Q-003 Because.")["saved"]["status"], json!("answered"));
    assert_eq!(story.json("questions update Q-003 --status applied")["saved"]["status"], json!("applied"));
    assert_eq!(story.json("plans save --title Two 'one step'")["slug"], json!("two"));
    assert_eq!(story.json("plans --status active")["total"], json!(2));
}

#[test]
fn a_session_is_closed_and_the_next_begins_with_it() {
    let mut story = Story::begin();
    std::fs::write(story.root.join("Cargo.toml"), "[package]\nname = \"shop\"\nversion = \"1.0.0\"\n")
        .unwrap();
    std::fs::create_dir(story.root.join("src")).unwrap();
    std::fs::write(story.root.join("src/main.rs"), "fn main() {}\n").unwrap();
    story
        .type_in("handoff")
        .type_in("oracle show")
        .type_in("oracle scan")
        .type_in("oracle scan")
        .type_in("worklog add 'Moved the staging database.'")
        .type_in("close --stopped-at 'step 3' --summary 'The lexer is out.' --next-steps 'Cut the cycle.'")
        .type_in("handoff")
        .type_in("kb status")
        .type_in("kb workspace")
        .type_in("kb doctor");
    let told = story.told();
    story.settings().bind(|| {
        insta::assert_snapshot!(told, @r"
        $ custos handoff
        no session has closed here yet; `custos close` writes a handoff

        $ custos oracle show
        The project is not described yet. `custos oracle scan` reads its files.

        $ custos oracle scan
        2 files seen; written to ~/shop/.ai/oracle: stack, structure, patterns, glossary

        $ custos oracle scan
        2 files seen; nothing to change in ~/shop/.ai/oracle

        $ custos worklog add 'Moved the staging database.'
        added: DATE · repo (shop) · local/worklog.md

        $ custos close --stopped-at 'step 3' --summary 'The lexer is out.' --next-steps 'Cut the cycle.'
        The session is closed.

        - worklog: kept: repo (shop) · local/worklog.md
        - handoff: kept: repo (shop) · local/handoffs/STAMP-unknown.md

        To begin the next session, tell it:

        Cut the cycle.

        $ custos handoff
        # Handoff of TIMEZ · local/handoffs/STAMP-unknown.md

        ## Stopped at

        step 3

        ## Summary

        The lexer is out.

        ## In progress

        nothing

        ## Next steps

        Cut the cycle.

        ## Startup text

        Cut the cycle.

        $ custos kb status
        # Where

        repo ~/shop
        Knowledge: repo shop: ~/shop/.ai; your own, for all projects: ~/.config/ai/knowledge, nothing in it yet

        0 decisions (0 required), 0 memories, 0 tasks (0 open), 0 questions (0 open, 0 answered), 0 active plans.
        Every file can be read.

        $ custos kb workspace
        ~/shop is one repo. It has a knowledge base.

        $ custos kb doctor
        The knowledge base is in order.
        ");
    });

    let context = story.run("kb context").stdout;
    assert!(context.starts_with("# Handoff of the last session"), "{context}");
    let worklog = story.run("worklog --limit 5").stdout;
    assert!(
        worklog.contains("Moved the staging database.") && worklog.contains("knowledge.saved"),
        "{worklog}"
    );
    let shown = story.run("oracle show").stdout;
    assert!(shown.contains("# Stack") && shown.contains("Rust"), "{shown}");
    assert_eq!(story.json("handoff")["handoff"]["parts"]["in_progress"], json!("nothing"));
    assert_eq!(story.json("worklog")["entries"].as_array().unwrap().len(), 2);
    assert_eq!(story.json("worklog add More.")["saved"]["file"], json!("local/worklog.md"));
    assert_eq!(story.json("oracle show")["sections"].as_array().unwrap().len(), 4);
    assert_eq!(story.json("oracle scan --dry-run")["changed"], json!([]));
    assert_eq!(story.json("kb doctor")["left"], json!(0));
    assert_eq!(story.json("kb status")["decisions"], json!(0));
    assert_eq!(story.json("kb workspace")["is_workspace"], json!(false));
    let closed = story.json("close --stopped-at a --summary b --next-steps c");
    assert_eq!((&closed["closed"], &closed["startup_text"]), (&json!(true), &json!("c")));
}
