use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::testing::Desk;

fn asked(desk: &Desk, question: &str) -> String {
    desk.base.ask(&desk.view(), question, "").unwrap().id
}

fn refused(outcome: Result<SavedQuestion, Refusal>) -> String {
    outcome.unwrap_err().to_string()
}

#[test]
fn a_question_goes_its_way_from_open_to_archived() {
    let desk = Desk::repo();
    let view = desk.view();
    let context = "Two services:\n\n```\n# both want 80\n```";
    let saved = desk.base.ask(&view, "Which port?\nPlease be exact.", context).unwrap();
    assert_eq!(saved.store, "root");
    assert_eq!(saved.became, Became::Created);
    let mut expected = Question {
        id: "Q-001".to_owned(),
        title: "Which port?".to_owned(),
        asked: Some("2026-11-15T20:55:09Z".to_owned()),
        session: Some("s-1".to_owned()),
        question: "Which port?\nPlease be exact.".to_owned(),
        context: context.to_owned(),
        ..Question::default()
    };
    assert_eq!(desk.base.open_questions(&view).questions, [expected.clone()]);

    desk.base.answer(&view, "q-1", "8443\n\n---\n\n## and not 80").unwrap();
    assert_eq!(desk.base.open_questions(&view), Questions::default());
    desk.base.update_question(&view, "Q-001", Status::Applied, "Set in compose.yaml").unwrap();
    let last = desk.base.update_question(&view, "Q-001", Status::Archived, "The service is gone").unwrap();
    assert_eq!(last.status, Status::Archived);

    expected.status = Status::Archived;
    expected.answered = Some("2026-11-15T20:55:10Z".to_owned());
    expected.applied = Some("2026-11-15T20:55:11Z".to_owned());
    expected.archived = Some("2026-11-15T20:55:12Z".to_owned());
    expected.answer = "8443\n\n---\n\n## and not 80".to_owned();
    expected.note = "Set in compose.yaml\n\nThe service is gone".to_owned();
    assert_eq!(desk.base.questions(&view), Questions { questions: vec![expected], faults: Vec::new() });
    assert_eq!(
        desk.recorded(),
        [
            "question.asked question",
            "question.answered question",
            "knowledge.updated question",
            "knowledge.updated question"
        ]
    );
    insta::assert_snapshot!(desk.read(FILE), @"
    # Questions

    ## Q-001: Which port?

    - status: archived
    - asked: 2026-11-15T20:55:09Z
    - session: s-1
    - answered: 2026-11-15T20:55:10Z
    - applied: 2026-11-15T20:55:11Z
    - archived: 2026-11-15T20:55:12Z

    ### Question

    > Which port?
    > Please be exact.

    ### Context

    > Two services:
    >
    > ```
    > # both want 80
    > ```

    ### Answer

    > 8443
    >
    > ---
    >
    > ## and not 80

    ### Note

    > Set in compose.yaml

    > The service is gone
    ");
}

#[test]
fn no_status_is_left_out() {
    let desk = Desk::repo();
    let view = desk.view();
    asked(&desk, "Which port?");
    insta::assert_snapshot!(refused(desk.base.update_question(&view, "Q-001", Status::Applied, "")), @"Q-001 is open, and cannot be applied now. Answer it first (answer_question with question_id Q-001), or archive it if nobody needs an answer");
    insta::assert_snapshot!(refused(desk.base.update_question(&view, "Q-001", Status::Open, "")), @"a question cannot be set to open. Send status `applied` once the answer is acted on, or `archived`; answer_question answers it");
    desk.base.answer(&view, "Q-001", "80").unwrap();
    insta::assert_snapshot!(refused(desk.base.answer(&view, "Q-001", "81")), @"Q-001 is answered, and cannot be answered now. Its answer stays. Act on it and set it to applied (update_question with question_id Q-001); if the answer changed, ask anew");
    asked(&desk, "Which host?");
    desk.base.answer(&view, "Q-002", "the old one").unwrap();
    desk.base.update_question(&view, "Q-002", Status::Applied, "").unwrap();
    insta::assert_snapshot!(refused(desk.base.answer(&view, "Q-002", "the new one")), @"Q-002 is applied, and cannot be answered now. Its answer stays, and was acted on already. If the answer changed, ask anew (ask_question)");
    desk.base.update_question(&view, "Q-001", Status::Archived, "").unwrap();
    insta::assert_snapshot!(refused(desk.base.update_question(&view, "Q-001", Status::Applied, "")), @"Q-001 is archived, and cannot be applied now. Ask it anew (ask_question) if it matters again");
    insta::assert_snapshot!(refused(desk.base.answer(&view, "Q-7", "80")), @"there is no question Q-7. Send question_id like Q-001; list_open_questions lists those that are open");
    insta::assert_snapshot!(refused(desk.base.answer(&view, "Q-001\u{1b}[2J", "80")), @r"there is no question Q-001\u{1b}[2J. Send question_id like Q-001; list_open_questions lists those that are open");
    insta::assert_snapshot!(refused(desk.base.answer(&view, "Q-001", " \u{200b} ")), @"answer is empty. Send the person's answer in `answer`, in their words");
    insta::assert_snapshot!(refused(desk.base.ask(&view, "\n \n", "context")), @"question is empty. Send the question in `question`, and what one has to know for it in `context`");
    assert_eq!(desk.events.lock().unwrap().len(), 6);
}

#[test]
fn whoever_names_a_question_that_is_not_there_begins_no_base() {
    let desk = Desk::repo();
    let view = desk.view();
    let told = "there is no question Q-009. Send question_id like Q-001; list_open_questions lists those that are open";
    assert_eq!(refused(desk.base.answer(&view, "Q-009", "8443")), told);
    assert_eq!(refused(desk.base.update_question(&view, "Q-009", Status::Archived, "")), told);
    assert!(!view.own().store.dir.exists());
    assert_eq!(desk.made(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn the_same_question_is_asked_once_while_it_is_open() {
    let desk = Desk::repo();
    let view = desk.view();
    assert_eq!(asked(&desk, "Which port does the collector use?"), "Q-001");
    let twin = desk.base.ask(&view, "which PORT does collector use", "more context").unwrap();
    assert_eq!((twin.id.as_str(), twin.became), ("Q-001", Became::Unchanged));
    assert_eq!(twin.notes, ["Q-001 asks the same and is still open, so nothing was added"]);
    desk.base.update_question(&view, "Q-001", Status::Archived, "").unwrap();
    assert_eq!(asked(&desk, "Which port does the collector use?"), "Q-002");
}

/// A file as people make it: front matter, text of their own, a question without a list, unknown entries, an answer typed in place.
const BY_HAND: &str = "\
---
owner: harbour office
---
Ask before noon.

# Questions

```
# not a heading
```

## Q-004 - Who has the key?

It was in the gauge house.

### Answer

Ask Anna:

```sh
# she is in
## on Mondays
```

### Note

## Other things

- status: nothing

## Q-7: And now?
- status: open
- urgency: high
- asked: yesterday
### Context
unquoted
> quoted
### Answer

## The end
no line end";

#[test]
fn what_people_wrote_is_read_and_stays() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.put(FILE, BY_HAND);
    let by_hand = Question {
        id: "Q-004".to_owned(),
        title: "Who has the key?".to_owned(),
        status: Status::Answered,
        question: "Who has the key?\n\nIt was in the gauge house.".to_owned(),
        answer: "Ask Anna:\n\n```sh\n# she is in\n## on Mondays\n```".to_owned(),
        ..Question::default()
    };
    let open = Question {
        id: "Q-7".to_owned(),
        title: "And now?".to_owned(),
        asked: Some("yesterday".to_owned()),
        question: "And now?\n\n- urgency: high".to_owned(),
        context: "unquoted\nquoted".to_owned(),
        ..Question::default()
    };
    assert_eq!(desk.base.questions(&view), Questions { questions: vec![by_hand, open], faults: Vec::new() });

    desk.base.update_question(&view, "Q-004", Status::Applied, "Got it").unwrap();
    desk.base.answer(&view, "Q-7", "Nothing").unwrap();
    assert_eq!(asked(&desk, "What else?"), "Q-008");
    let text = desk.read(FILE);
    let mut rest = text.as_str();
    for line in BY_HAND.lines().filter(|line| *line != "- status: open") {
        let at = rest.find(line).unwrap_or_else(|| panic!("{line:?} is gone from\n{text}"));
        rest = &rest[at + line.len()..];
    }
    insta::assert_snapshot!(text, @"
    ---
    owner: harbour office
    ---
    Ask before noon.

    # Questions

    ```
    # not a heading
    ```

    ## Q-004 - Who has the key?

    - status: applied
    - applied: 2026-11-15T20:55:09Z

    It was in the gauge house.

    ### Answer

    Ask Anna:

    ```sh
    # she is in
    ## on Mondays
    ```

    ### Note

    > Got it

    ## Other things

    - status: nothing

    ## Q-7: And now?
    - status: answered
    - urgency: high
    - asked: yesterday
    - answered: 2026-11-15T20:55:10Z
    ### Context
    unquoted
    > quoted
    ### Answer

    > Nothing

    ## The end
    no line end

    ## Q-008: What else?

    - status: open
    - asked: 2026-11-15T20:55:11Z
    - session: s-1

    ### Question

    > What else?

    ### Answer
    ");
}

#[test]
fn lines_end_as_they_did() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.put(FILE, "\u{feff}# Questions\r\n\r\n## Q-001: Which?\r\n\r\n- status: open\r\n");
    desk.base.answer(&view, "Q-001", "This\nand that").unwrap();
    asked(&desk, "And?");
    let text = desk.read(FILE);
    assert!(text.starts_with('\u{feff}'), "{text:?}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    assert_eq!(desk.base.questions(&view).questions[0].answer, "This\nand that");
}

#[test]
fn a_broken_file_is_named_and_left_alone() {
    let desk = Desk::repo();
    let view = desk.view();
    let conflict = "# Questions\n\n## Q-001: Which?\n<<<<<<< HEAD\n- status: open\n=======\n- status: answered\n>>>>>>> theirs\n";
    for (broken, line) in [(conflict, 4), ("---\nowner: [\n", 1)] {
        desk.put(FILE, broken);
        let faults = desk.base.open_questions(&view).faults;
        assert_eq!((faults.len(), faults[0].line), (1, line), "{faults:?}");
        let refusal = refused(desk.base.ask(&view, "Which?", ""));
        assert!(refusal.starts_with(&format!("questions.md of repo root, line {line}: ")), "{refusal}");
        refused(desk.base.answer(&view, "Q-001", "this"));
        assert_eq!(desk.read(FILE), broken);
    }
    desk.put(FILE, b"# Questions\n\xff");
    refused(desk.base.ask(&view, "Which?", ""));
    assert_eq!(desk.base.questions(&view).faults.len(), 1);
    assert_eq!(desk.events.lock().unwrap().len(), 0);
}

#[test]
fn one_bad_question_costs_no_other() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.put(FILE, "## Q-001: A?\n- status: parked\n\n## Q-002: B?\n\n## Q-002: C?\n\n## Q-003: D?\n");
    insta::assert_snapshot!(refused(desk.base.answer(&view, "Q-001", "x")), @r#"questions.md of repo root, line 2: the status of Q-001 is "parked", and should be one of open, answered, applied, archived. The file is left as it is. Mend it first; `kb_doctor` lists all such files"#);
    insta::assert_snapshot!(refused(desk.base.answer(&view, "Q-002", "x")), @"questions.md of repo root, line 6: a second question has the id Q-002. The file is left as it is. Mend it first; `kb_doctor` lists all such files");
    let lines: Vec<usize> = desk.base.questions(&view).faults.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [2, 6]);
    desk.base.answer(&view, "Q-003", "x").unwrap();
    assert_eq!(asked(&desk, "E?"), "Q-004");
}

#[test]
fn a_full_file_gives_its_archived_questions_away_and_no_id_twice() {
    let desk = Desk::repo();
    let view = desk.view();
    let long = "word ".repeat(12_000);
    for count in 1..=12 {
        let id = desk.base.ask(&view, &format!("Number {count}?"), &long).unwrap().id;
        if count < 12 {
            desk.base.update_question(&view, &id, Status::Archived, "").unwrap();
        }
    }
    assert!(desk.read(FILE).len() < FULL);
    assert!(desk.read("archive/questions.md").contains("## Q-001: Number 1?"));
    let left = desk.base.questions(&view).questions;
    assert_eq!(left.last().unwrap().id, "Q-012");
    let moved = desk.read("archive/questions.md").matches("\n## Q-").count();
    assert_eq!(moved + left.len(), 12);
    for question in &left {
        let _ = desk.base.update_question(&view, &question.id, Status::Archived, "");
    }
    desk.base.ask(&view, "Once more?", &long).unwrap();
    assert_eq!(desk.base.questions(&view).questions.last().unwrap().id, "Q-013");
    desk.put(FILE, "## Q-999999999: The last?\n");
    insta::assert_snapshot!(refused(desk.base.ask(&view, "Another?", "")), @"questions.md has a question Q-999999999, so that no id is left. Give that question a smaller number, in the file");
}

#[test]
fn a_log_that_takes_nothing_is_told() {
    let desk = Desk::repo();
    let saved = desk.with_broken_log().ask(&desk.view(), "Which port?", "").unwrap();
    assert_eq!(saved.notes.len(), 1);
    assert!(saved.notes[0].contains("the disk is full"), "{:?}", saved.notes);
}

#[test]
fn many_at_once_lose_nothing() {
    let desk = Desk::repo();
    let (base, view) = (&desk.base, &desk.view());
    let ids: BTreeSet<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..32)
            .map(|number| {
                scope.spawn(move || {
                    let id = base.ask(view, &format!("Question number {number}?"), "").unwrap().id;
                    base.answer(view, &id, &format!("Answer {number}")).unwrap();
                    id
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ids.len(), 32);
    let all = base.questions(view);
    assert_eq!(all.faults, []);
    for question in &all.questions {
        let number = question.question.trim_start_matches("Question number ").trim_end_matches('?');
        assert_eq!(question.answer, format!("Answer {number}"));
    }
    assert_eq!(all.questions.len(), 32);
    assert_eq!(desk.events.lock().unwrap().len(), 64);
}

/// Lines that could be taken for something else.
fn awkward() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just("## Q-001: again?".to_owned()),
        Just("### Answer".to_owned()),
        Just("- status: archived".to_owned()),
        Just("---".to_owned()),
        Just("```".to_owned()),
        Just("~~~~ sh".to_owned()),
        Just("<<<<<<< HEAD".to_owned()),
        Just("=======".to_owned()),
        Just("> quoted".to_owned()),
        Just("    # indented".to_owned()),
        Just("\\## escaped".to_owned()),
        "\\PC{0,20}",
    ];
    (prop::collection::vec(line, 1..8), prop_oneof![Just("\n"), Just("\r\n")])
        .prop_map(|(lines, end)| lines.join(end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_text_survives_every_change(question in awkward(), context in awkward(), answer in awkward(), note in awkward(), crlf: bool) {
        let desk = Desk::repo();
        let (base, view) = (&desk.base, &desk.view());
        let own = "Mine.\n\n## Mine, too\n\n```\n";
        desk.put(FILE, if crlf { own.replace('\n', "\r\n") } else { own.to_owned() });
        let first = base.ask(view, &format!("First? {question}"), &context).unwrap();
        base.ask(view, "Second?", "").unwrap();
        base.answer(view, &first.id, &format!("A {answer}")).unwrap();
        let before = base.questions(view).questions;
        base.answer(view, "Q-002", "Yes").unwrap();
        base.update_question(view, &first.id, Status::Archived, &note).unwrap();
        let all = base.questions(view);
        prop_assert_eq!(&all.faults, &[]);
        let expected = Question {
            status: Status::Archived,
            archived: all.questions[0].archived.clone(),
            note: base.clean("note", &note).unwrap(),
            ..before[0].clone()
        };
        prop_assert_eq!(&all.questions[0], &expected);
        prop_assert_eq!(&expected.question, &base.clean("question", &format!("First? {question}")).unwrap());
        prop_assert_eq!(&expected.context, &base.clean("context", &context).unwrap());
        prop_assert_eq!(&expected.answer, &base.clean("answer", &format!("A {answer}")).unwrap());
        prop_assert!(desk.read(FILE).replace("\r\n", "\n").starts_with(own));
    }

    #[test]
    fn any_file_is_read_and_only_added_to(text in "(\\PC|[\n\r#>`-]|## Q-[0-9]{1,3}|### Answer\n|- status: open\n){0,60}") {
        let desk = Desk::repo();
        desk.put(FILE, &text);
        if let Ok(saved) = desk.base.ask(&desk.view(), "One more?", "") {
            let now = desk.read(FILE);
            prop_assert!(now.starts_with(&text) || saved.became == Became::Unchanged);
            let _ = desk.base.answer(&desk.view(), &saved.id, "Yes");
        } else {
            prop_assert_eq!(desk.read(FILE), text);
        }
    }
}

#[test]
fn a_question_goes_by_its_number_however_it_is_written() {
    for id in ["Q-001", "q-1", "Q1", "q1", "1", " q001 ", "repo:q1"] {
        let desk = Desk::repo();
        desk.base.ask(&desk.view(), "Which port?", "").unwrap();
        assert_eq!(desk.base.answer(&desk.view(), id, "8443").unwrap().id, "Q-001", "{id}");
    }
    let desk = Desk::repo();
    desk.base.ask(&desk.view(), "Which port?", "").unwrap();
    for id in ["D-001", "Q", "", "-1", "Q-1-which-port", "q2"] {
        assert!(desk.base.answer(&desk.view(), id, "8443").is_err(), "{id}");
    }
}

#[test]
fn what_stands_behind_the_word_is_part_of_it() {
    let desk = Desk::repo();
    let head = "# Questions\n\n## Q-001: Which port?\n\n- status: open\n\n";
    desk.put(FILE, format!("{head}### Answer: 8443\nas everywhere.\n\n### NOTE:\n\nDone.\n"));
    let question = desk.base.questions(&desk.view()).questions.remove(0);
    assert_eq!((question.status, question.answer.as_str()), (Status::Answered, "8443\nas everywhere."));
    assert_eq!(question.note, "Done.");
    // There nobody quotes: a mark belongs to what is said.
    for newline in ["\n", "\r\n"] {
        let text = format!("{head}### Answer: >= 3.10\n> as everywhere.\n\n### Note\n\n> Done.\n");
        desk.put(FILE, text.replace('\n', newline));
        let question = desk.base.questions(&desk.view()).questions.remove(0);
        assert_eq!((question.answer.as_str(), question.note.as_str()), (">= 3.10\nas everywhere.", "Done."));
    }
    desk.base.update_question(&desk.view(), "Q-001", Status::Applied, "> 3.10 it is.").unwrap();
    let question = desk.base.questions(&desk.view()).questions.remove(0);
    assert_eq!(
        (question.answer.as_str(), question.note.as_str()),
        (">= 3.10\nas everywhere.", "Done.\n\n> 3.10 it is.")
    );
}

#[test]
fn a_private_passage_over_several_parts_hides_all_of_them() {
    let desk = Desk::repo();
    let head = |id: u32, title: &str| format!("## Q-00{id}: {title}\n\n- status: open\n\n");
    let first = format!(
        "{}### Context\n\n<private>\nWe pay 5.\n\n### Answer\n\nAcme\n</private>\n\n",
        head(1, "Who?")
    );
    let hidden =
        format!("<private>\n\n{}### Question\n\nHow much is mine?\n\n</private>\n\n", head(2, "How much?"));
    let own = format!("{}### Context\n\nIt is <private>\nmine\n</private> and yours.\n", head(3, "Whose?"));
    desk.put(FILE, format!("# Questions\n\n{first}{hidden}{own}"));
    let questions = desk.base.questions(&desk.view()).questions;
    let told = |question: &Question| {
        [&question.title, &question.question, &question.context, &question.answer].map(String::clone)
    };
    let private = "[redacted:private]";
    assert_eq!(
        questions.iter().map(told).collect::<Vec<_>>(),
        [
            ["Who?", "Who?", private, private],
            [private, private, "", ""],
            ["Whose?", "Whose?", "It is [redacted:private] and yours.", ""],
        ]
    );
}

#[test]
fn a_heading_about_how_the_file_works_is_no_question() {
    let desk = Desk::repo();
    desk.put(FILE, "# Questions\n\n## How does this file work?\n\n### Answer: write below the heading\n");
    let questions = desk.base.questions(&desk.view());
    assert_eq!((questions.questions.len(), questions.faults.len()), (0, 1));
    desk.put(FILE, "# Questions\n\n## How this file works\n\n### Answer: write below the heading\n");
    assert_eq!(desk.base.questions(&desk.view()).faults, []);
}
