use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::testing::Desk;

fn steps(marked: &[(StepState, &str)]) -> Vec<Step> {
    marked.iter().map(|(state, text)| Step { text: (*text).to_owned(), state: *state }).collect()
}

fn only(desk: &Desk) -> Plan {
    let contents = desk.base.plans(&desk.view(), None);
    assert_eq!((contents.items.len(), contents.faults.len()), (1, 0), "{contents:?}");
    Plan::clone(&contents.items[0].item)
}

#[test]
fn a_plan_is_kept_and_brought_up_to_date() {
    let desk = Desk::repo();
    let view = desk.view();
    let first =
        steps(&[(StepState::Active, "Measure"), (StepState::Pending, "Cut"), (StepState::Skipped, "Paint")]);
    let saved = desk.base.save_plan(&view, "Build the gauge", &first, None).unwrap();
    assert_eq!(saved.became, Became::Created);
    insta::assert_snapshot!(desk.read("local/plans/build-the-gauge.md"), @"
    ---
    slug: build-the-gauge
    title: Build the gauge
    status: active
    created: 2026-11-15T20:55:09Z
    updated: 2026-11-15T20:55:09Z
    session: s-1
    ---

    # Build the gauge

    ## Steps

    - [>] Measure
    - [ ] Cut
    - [-] Paint
    ");

    let then = steps(&[
        (StepState::Done, "Measure"),
        (StepState::Done, "Cut\n twice"),
        (StepState::Skipped, "Paint"),
    ]);
    let saved = desk.base.save_plan(&view, "build THE Gauge", &then, None).unwrap();
    assert_eq!((saved.file.as_str(), saved.became), ("local/plans/build-the-gauge.md", Became::Updated));
    assert_eq!(saved.notes, ["No step is left; save it once more with status done if it is"]);
    let expected = Plan {
        slug: "build-the-gauge".to_owned(),
        title: "Build the gauge".to_owned(),
        status: PlanStatus::Active,
        created: "2026-11-15T20:55:09Z".to_owned(),
        updated: "2026-11-15T20:55:10Z".to_owned(),
        session: Some("s-1".to_owned()),
        steps: steps(&[
            (StepState::Done, "Measure"),
            (StepState::Done, "Cut twice"),
            (StepState::Skipped, "Paint"),
        ]),
    };
    assert_eq!(only(&desk), expected);

    desk.base.save_plan(&view, "Build the gauge", &then, Some(PlanStatus::Done)).unwrap();
    assert_eq!(desk.base.plans(&view, Some(PlanStatus::Active)).items.len(), 0);
    assert_eq!(desk.base.plans(&view, Some(PlanStatus::Done)).items.len(), 1);
    let again = desk.base.save_plan(&view, "Build the gauge", &then, None).unwrap();
    assert_eq!((again.became, again.status), (Became::Unchanged, PlanStatus::Done));
    assert_eq!(desk.recorded(), ["knowledge.saved plan", "knowledge.updated plan", "knowledge.updated plan"]);
}

#[test]
fn a_finished_plan_with_new_steps_is_active_again() {
    let desk = Desk::repo();
    let view = desk.view();
    let save = |list: &[(StepState, &str)], status| {
        let saved = desk.base.save_plan(&view, "Build the gauge", &steps(list), status).unwrap();
        (saved.status, saved.notes)
    };
    let done = [(StepState::Done, "Measure")];
    let more = [(StepState::Done, "Measure"), (StepState::Pending, "Cut")];
    assert_eq!(save(&done, Some(PlanStatus::Done)), (PlanStatus::Done, vec![]));
    assert_eq!(save(&done, None), (PlanStatus::Done, vec![]));
    let note = "It was done and has steps that are not, so it is active again; send status done if it is not";
    let note = note.to_owned();
    assert_eq!(save(&more, None), (PlanStatus::Active, vec![note]));
    assert_eq!(save(&more, Some(PlanStatus::Done)), (PlanStatus::Done, vec![]));
    assert_eq!(save(&more, Some(PlanStatus::Dropped)), (PlanStatus::Dropped, vec![]));
    assert_eq!(save(&more, None), (PlanStatus::Dropped, vec![]));
}

#[test]
fn so_is_one_that_was_dropped_and_is_gone_on_with() {
    let desk = Desk::repo();
    let view = desk.view();
    let save = |state, status| {
        let saved = desk.base.save_plan(&view, "Build the gauge", &steps(&[(state, "Cut")]), status).unwrap();
        (saved.status, saved.notes)
    };
    assert_eq!(save(StepState::Pending, Some(PlanStatus::Dropped)), (PlanStatus::Dropped, vec![]));
    assert_eq!(save(StepState::Pending, None), (PlanStatus::Dropped, vec![]));
    let note = "It was dropped and has a step that somebody is at, so it is active again; send status dropped if it is not";
    assert_eq!(save(StepState::Active, None), (PlanStatus::Active, vec![note.to_owned()]));
}

#[test]
fn what_people_wrote_into_a_plan_stays() {
    let desk = Desk::repo();
    desk.put(
        "local/plans/by-hand.md",
        "---\r\nstatus: active\r\nowner: Anna # on Mondays\r\n---\r\n# By hand\r\n\r\nWhy not.\r\n\r\n1. [X] one\r\n* [?] two\r\n  and a half\r\nA note.\r\n- [ ]\r\n\r\n## More\r\n\r\n- [ ] not a step\r\n",
    );
    let read =
        steps(&[(StepState::Done, "one"), (StepState::Pending, "two and a half"), (StepState::Pending, "")]);
    assert_eq!(only(&desk).steps, read);
    let now = steps(&[(StepState::Active, "three")]);
    desk.base.save_plan(&desk.view(), "By hand", &now, None).unwrap();
    assert_eq!(only(&desk).steps, now);
    assert_eq!(
        desk.read("local/plans/by-hand.md").replace("\r\n", "\n"),
        "---\nstatus: active\nowner: Anna # on Mondays\nupdated: 2026-11-15T20:55:09Z\n---\n# By hand\n\nWhy not.\n\nA note.\n\n## More\n\n- [ ] not a step\n\n## Steps\n\n- [>] three\n\nBelow \"two\":\nand a half\n"
    );
    desk.put(
        "local/plans/by-hand.md",
        desk.read("local/plans/by-hand.md") + "- [ ] four\r\n\r\nBelow the steps.\r\n",
    );
    desk.base.save_plan(&desk.view(), "By hand", &now, None).unwrap();
    let below = "- [>] three\r\n\r\nBelow \"two\":\r\nand a half\r\n\r\nBelow the steps.\r\n";
    assert!(desk.read("local/plans/by-hand.md").ends_with(below), "{}", desk.read("local/plans/by-hand.md"));
}

#[test]
fn what_people_wrote_below_a_step_stays_with_it() {
    let desk = Desk::repo();
    let save = |list: &[(StepState, &str)]| {
        desk.base.save_plan(&desk.view(), "Release", &steps(list), None).unwrap().became
    };
    let section = || desk.read("local/plans/release.md").split_once("## Steps\n\n").unwrap().1.to_owned();
    let (done, pending) = (StepState::Done, StepState::Pending);
    save(&[(pending, "Measure"), (pending, "Deploy")]);
    let noted = "- [ ] Measure\n  Bob: use the quiet box, 20 runs\n    - at night";
    desk.put("local/plans/release.md", desk.read("local/plans/release.md").replace("- [ ] Measure", noted));
    let ticked = format!("{}\n- [ ] Deploy\n", noted.replace("[ ] Measure", "[x] Measure"));
    let whole = "Measure Bob: use the quiet box, 20 runs - at night";
    // An agent sends what it planned, or what it read.
    for (first, became) in [("Measure", Became::Updated), (whole, Became::Unchanged)] {
        assert_eq!(save(&[(done, first), (pending, "Deploy")]), became);
        assert_eq!(section(), ticked);
    }
    assert_eq!(only(&desk).steps, steps(&[(done, whole), (pending, "Deploy")]));
    let left = "- [ ] Deploy\n\nBelow \"Measure\":\nBob: use the quiet box, 20 runs\n  - at night\n";
    for became in [Became::Updated, Became::Unchanged] {
        assert_eq!(save(&[(pending, "Deploy")]), became);
        assert_eq!(section(), left);
    }
}

#[rstest]
#[case::status("---\ntitle: Mine\nstatus: someday\n---\n", 3)]
#[case::yaml("---\ntitle: [\n---\n", 2)]
#[case::conflict("<<<<<<< HEAD\n# Mine\n=======\n# Yours\n>>>>>>> theirs\n", 1)]
fn a_broken_plan_is_left_alone(#[case] broken: &str, #[case] line: usize) {
    let desk = Desk::repo();
    desk.put("local/plans/mine.md", broken);
    let faults = desk.base.plans(&desk.view(), None).faults;
    assert_eq!((faults.len(), faults[0].line), (1, line), "{faults:?}");
    let refusal =
        desk.base.save_plan(&desk.view(), "Mine", &steps(&[(StepState::Pending, "x")]), None).unwrap_err();
    assert!(
        refusal.problem.starts_with(&format!("local/plans/mine.md of repo root, line {line}: ")),
        "{refusal}"
    );
    assert_eq!(desk.read("local/plans/mine.md"), broken);
}

#[test]
fn plans_belong_to_the_root_of_the_session() {
    let desk = Desk::workspace();
    let repo = desk.base.view(Some("api")).unwrap();
    let saved = desk.base.save_plan(&repo, "Release", &steps(&[(StepState::Pending, "x")]), None).unwrap();
    assert_eq!((saved.level, saved.store.as_str()), (Level::Workspace, "root"));
    assert_eq!(only(&desk).title, "Release");
}

#[test]
fn of_a_long_title_nothing_is_lost() {
    let desk = Desk::repo();
    let title = format!("{}the end", "word ".repeat(2_000));
    let save = |state| desk.base.save_plan(&desk.view(), &title, &steps(&[(state, "x")]), None).unwrap();
    let saved = save(StepState::Pending);
    assert_eq!(saved.notes, ["The title was shortened; the file has the rest above the steps"]);
    let file = desk.read(&saved.file);
    let (_, lead) = file.split_once("\n\n… ").unwrap();
    let (rest, list) = lead.split_once("\n\n## Steps\n\n").unwrap();
    let (beginning, _) = saved.title.split_once('…').unwrap();
    assert_eq!(format!("{beginning} {rest}"), title);
    assert_eq!((list, only(&desk).title), ("- [ ] x\n", saved.title));

    let again = save(StepState::Done);
    assert_eq!((again.file, again.became), (saved.file.clone(), Became::Updated));
    assert_eq!(desk.read(&saved.file).matches("the end").count(), 1);
    assert_eq!(only(&desk).steps, steps(&[(StepState::Done, "x")]));
}

#[test]
fn what_is_no_plan_is_refused() {
    let desk = Desk::repo();
    let save = |title: &str, steps: &[Step]| {
        desk.base.save_plan(&desk.view(), title, steps, None).unwrap_err().to_string()
    };
    let step = |text: String| Step { text, state: StepState::Pending };
    insta::assert_snapshot!(save("Plan", &[]), @"a plan has 1 to 200 steps, and this one has 0. Send `steps` as a list of short lines, each what is to be done next");
    insta::assert_snapshot!(save("Plan", &vec![step("x".to_owned()); 201]), @"a plan has 1 to 200 steps, and this one has 201. Send `steps` as a list of short lines, each what is to be done next");
    insta::assert_snapshot!(save("Plan", &[step("x".to_owned()), step(" \n".to_owned())]), @"step 2 is 0 bytes long, and should be 1 to 2000. Say in one line what is to be done");
    insta::assert_snapshot!(save("Plan", &[step("x".repeat(3_000))]), @"step 1 is 3000 bytes long, and should be 1 to 2000. Say in one line what is to be done");
    save("\u{200b}", &[step("x".to_owned())]);
    assert_eq!(desk.events.lock().unwrap().len(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_word_below_a_step_is_lost(
        by_hand in prop::collection::vec("(- \\[ \\] [abc]|  [x-z]{4} [x-z]{4}|\t- [x-z]{5}|[x-z]{6}|)", 0..9),
        sent in prop::collection::vec(("[abc]( [x-z]{4})?", 0..4_usize), 1..4),
    ) {
        let desk = Desk::repo();
        let text = by_hand.join("\n");
        desk.put("local/plans/mine.md", format!("# Mine\n\n## Steps\n\n{text}\n"));
        let sent: Vec<Step> = sent.into_iter().map(|(text, state)| Step { text, state: StepState::ALL[state] }).collect();
        for _ in 0..2 {
            desk.base.save_plan(&desk.view(), "Mine", &sent, None).unwrap();
            let after = desk.read("local/plans/mine.md");
            for word in text.split_whitespace().filter(|word| word.len() > 3) {
                prop_assert!(after.matches(word).count() >= text.matches(word).count(), "{word} in {after}");
            }
        }
        let again = desk.base.save_plan(&desk.view(), "Mine", &sent, None).unwrap();
        prop_assert_eq!(again.became, Became::Unchanged);
    }

    #[test]
    fn any_steps_survive(
        title in "\\PC{1,40}",
        first in prop::collection::vec(("(\\PC|[\n#`>\\[\\]-]){1,30}", 0..4_usize), 1..6),
        second in prop::collection::vec(("(\\PC|[\n#`~>\\[\\]-]){1,30}", 0..4_usize), 1..6),
    ) {
        let desk = Desk::repo();
        for given in [first, second] {
            let steps: Vec<Step> = given.into_iter().map(|(text, state)| Step { text, state: StepState::ALL[state] }).collect();
            let Ok(expected) = desk.base.clean_steps(&steps) else { continue };
            if desk.base.save_plan(&desk.view(), &title, &steps, None).is_ok() {
                prop_assert_eq!(only(&desk).steps, expected);
            }
        }
    }
}

#[test]
fn a_plan_is_finished_without_its_steps_being_sent_again() {
    let desk = Desk::repo();
    let view = desk.view();
    let list = [(StepState::Done, "Measure"), (StepState::Pending, "Cut")];
    desk.base.save_plan(&view, "Build the gauge", &steps(&list), None).unwrap();
    let file = "local/plans/build-the-gauge.md";
    desk.put(file, desk.read(file).replace("Measure\n", "Measure\n  twice\n"));
    let saved = desk.base.save_plan(&view, "Build the gauge", &[], Some(PlanStatus::Done)).unwrap();
    assert_eq!((saved.became, saved.status, saved.notes), (Became::Updated, PlanStatus::Done, vec![]));
    let kept = steps(&[(StepState::Done, "Measure twice"), (StepState::Pending, "Cut")]);
    assert_eq!(desk.base.plan_titled(&view, "build the gauge").unwrap().steps, kept);
    assert!(desk.read(file).contains("- [x] Measure\n  twice\n- [ ] Cut"), "{}", desk.read(file));
    // A new one has steps, and whoever sends nothing means nothing.
    let problem = |title: &str, status| desk.base.save_plan(&view, title, &[], status).unwrap_err().problem;
    assert_eq!(
        [problem("Another matter", Some(PlanStatus::Done)), problem("Build the gauge", None)],
        [
            "there is no plan Another matter yet, and a new one needs steps",
            "a plan has 1 to 200 steps, and this one has 0",
        ]
    );
}

#[test]
fn what_a_person_numbered_and_indented_stays_so() {
    let desk = Desk::repo();
    let section = "1. [ ] Build\n   - [x] sub a\n   - [~] sub b\n2. [?] Ship\n\n```\n- [ ] not a step\n```\n";
    let file = |status: &str, section: &str| {
        format!("---\nstatus: {status}\n---\n# By hand\n\n## Steps\n\n{section}")
    };
    desk.put("local/plans/by-hand.md", file("active", section));
    let shown = |desk: &Desk| {
        desk.read("local/plans/by-hand.md")
            .lines()
            .filter(|line| !line.starts_with("updated:"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    desk.base.save_plan(&desk.view(), "By hand", &[], Some(PlanStatus::Done)).unwrap();
    assert_eq!(shown(&desk), file("done", section));
    let sent = steps(&[
        (StepState::Done, "Build"),
        (StepState::Done, "sub a"),
        (StepState::Pending, "sub b"),
        (StepState::Active, "Ship"),
        (StepState::Pending, "Rest"),
    ]);
    desk.base.save_plan(&desk.view(), "By hand", &sent, Some(PlanStatus::Active)).unwrap();
    let now = "1. [x] Build\n   - [x] sub a\n   - [~] sub b\n2. [>] Ship\n- [ ] Rest\n\n```\n- [ ] not a step\n```\n";
    assert_eq!(shown(&desk), file("active", now));
}

#[test]
fn a_step_with_something_private_in_it_keeps_its_words() {
    let desk = Desk::repo();
    let file = "local/plans/by-hand.md";
    let text = "# By hand\n\n## Steps\n\n- [ ] Deploy with <private>SALARY</private> now\n- [ ] Rest\n";
    desk.put(file, text);
    let shown = only(&desk).steps;
    assert_eq!(shown[0].text, "Deploy with [redacted:private] now");
    let save = |steps: &[Step]| desk.base.save_plan(&desk.view(), "By hand", steps, None).unwrap().became;
    assert_eq!((save(&shown), desk.read(file)), (Became::Unchanged, text.to_owned()));
    let ticked = [Step { state: StepState::Done, ..shown[0].clone() }, shown[1].clone()];
    assert_eq!(save(&ticked), Became::Updated);
    assert!(
        desk.read(file).contains("- [x] Deploy with <private>SALARY</private> now\n- [ ] Rest"),
        "{}",
        desk.read(file)
    );
}

/// Puts a plan with these steps into its file, ticks off its first step as an agent would that was shown it, and gives the steps that it was
/// shown and what stands below the heading then.
fn ticked(listed: &str) -> (Vec<Step>, String) {
    let desk = Desk::repo();
    desk.put(
        "local/plans/gauge.md",
        format!("---\ntitle: Gauge\nstatus: active\n---\n\n# Gauge\n\n## Steps\n\n{listed}\n"),
    );
    let shown = only(&desk).steps;
    let mut sent = shown.clone();
    sent[0].state = StepState::Done;
    desk.base.save_plan(&desk.view(), "Gauge", &sent, None).unwrap();
    let file = desk.read("local/plans/gauge.md");
    let steps = file.split_once("## Steps\n\n").unwrap().1.trim_end().to_owned();
    assert_eq!(only(&desk).steps, sent);
    (shown, steps)
}

#[test]
fn steps_that_nobody_is_shown_stay_private_and_where_they_are() {
    let (shown, then) = ticked("- [ ] A\n<private>\n- [ ] call the lawyer\n</private>\n- [ ] B");
    assert_eq!(shown, steps(&[(StepState::Pending, "A"), (StepState::Pending, "B")]));
    assert_eq!(then, "- [x] A\n- [ ] B\n\n<private>\n- [ ] call the lawyer\n</private>");
}

#[test]
fn a_step_that_speaks_of_a_tag_takes_no_others_away() {
    let (shown, then) = ticked("- [ ] Explain the <private> tag\n- [ ] B\n- [ ] C");
    assert_eq!(shown, steps(&[(StepState::Pending, "Explain the [redacted:private]")]));
    assert_eq!(then, "- [x] Explain the <private> tag\n- [ ] B\n- [ ] C");
}

#[test]
fn code_below_a_step_is_one_thing_with_its_blank_lines() {
    let code = "  ```sh\n  make\n\n  make test\n  ```\n- [ ] Ship";
    let (shown, then) = ticked(&format!("- [ ] Build\n{code}"));
    assert_eq!(shown.len(), 2);
    assert_eq!(then, format!("- [x] Build\n{code}"));
}
