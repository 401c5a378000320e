//! What the commands say: where something is kept, how much there is, and what they cannot use, in the words of the command line.

use serde_json::{Value, json};

use super::{FIRST_DECISION, Story, words};
use crate::guard::custos_in;
use crate::shell::{command, fed, home, settings};

/// Handoffs, worklog and plans are the session's own, whichever of its repos is named.
#[test]
fn what_belongs_to_the_session_says_that_it_is_not_kept_by_repo() {
    let home = home();
    let acme = home.path().join("acme");
    for name in ["api", "web"] {
        std::fs::create_dir_all(acme.join(name).join(".git")).unwrap();
        std::fs::write(acme.join(name).join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    }
    let mut said = String::new();
    for line in [
        "worklog add 'Moved it.' --project api",
        "plans save --title 'Split it' one two --project api",
        "close --stopped-at here --summary much --next-steps more --project api",
        "plans save --title 'Split it' one '[x] two'",
    ] {
        let ran = custos_in(&home, &acme, &words(line));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}: {}", ran.stdout);
        said.push_str(&format!("$ custos {line}\n{}\n", ran.stdout));
    }
    let mut settings = settings(&home);
    settings.add_filter(r"\d{8}T\d{6}Z", "STAMP");
    settings.add_filter(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "DATE");
    settings.bind(|| {
        insta::assert_snapshot!(said.trim_end(), @r"
        $ custos worklog add 'Moved it.' --project api
        added: DATE · workspace (acme) · local/worklog.md
        Note: It is kept in workspace acme, the session's root, and not in api: handoffs, worklog and plans are not kept by repo.

        $ custos plans save --title 'Split it' one two --project api
        Plan saved: Split it [active] · workspace (acme) · local/plans/split-it.md
        Note: It is kept in workspace acme, the session's root, and not in api: handoffs, worklog and plans are not kept by repo.

        $ custos close --stopped-at here --summary much --next-steps more --project api
        The session is closed.

        - worklog: kept: workspace (acme) · local/worklog.md
        - handoff: kept: workspace (acme) · local/handoffs/STAMP-unknown.md
        Note: It is kept in workspace acme, the session's root, and not in api: handoffs, worklog and plans are not kept by repo.

        To begin the next session, tell it:

        more

        $ custos plans save --title 'Split it' one '[x] two'
        Plan saved: Split it [active] · workspace (acme) · local/plans/split-it.md
        ");
    });
    assert!(!acme.join("api/.ai").exists());
}

#[test]
fn a_count_has_in_data_what_it_has_in_words() {
    let story = Story::begin();
    for line in [
        &format!("{FIRST_DECISION} --required"),
        "decisions add --title 'Names are short' --decision d --reasoning r",
        "backlog add --title 'Fix it' --description d",
        "backlog add --title 'Paint it' --description d",
        "backlog update 2 --status done",
        "questions ask 'Who owns it?'",
        "questions ask 'Until when?'",
        "questions answer 2 'Until May.'",
        "plans save --title 'Split it' one",
    ] {
        assert_eq!(story.run(line).code, 0, "{line}");
    }
    let text = story.run("kb status").stdout;
    let counts = "2 decisions (1 required), 0 memories, 2 tasks (1 open), 2 questions (1 open, 1 answered), 1 active plan.";
    assert!(text.contains(counts), "{text}");
    let Value::Object(data) = story.json("kb status") else { panic!("no object") };
    let counted: Value = data.into_iter().filter(|(_, value)| value.is_number()).collect();
    assert_eq!(
        counted,
        json!({
            "decisions": 2, "required_decisions": 1, "memories": 0, "tasks": 2, "open_tasks": 1, "questions": 2,
            "open_questions": 1, "answered_questions": 1, "active_plans": 1,
        })
    );
}

#[test]
fn what_names_nothing_or_says_nothing_is_refused_in_the_words_of_the_command() {
    let story = Story::begin();
    assert_eq!(story.run("backlog add --title 'Fix it' --description d").code, 0);
    let mut said = String::new();
    for line in [
        "decisions show ''",
        "decisions archive ' ' --reason r",
        "memories show ''",
        "memories merge a ''",
        "backlog show ''",
        "questions answer '' yes",
        "backlog update B-001 --note -",
        "backlog update B-001 --note ' '",
    ] {
        let ran = story.run(line);
        let what = ran.stderr.split("\n\nUsage").next().unwrap();
        said.push_str(&format!("{} {}\n", ran.code, what.trim_end()));
    }
    insta::assert_snapshot!(said.trim_end(), @r"
    64 error: '<ID>' is empty, and should name one
    64 error: '<ID>' is empty, and should name one
    64 error: '<SLUG>' is empty, and should name one
    64 error: '<FROM>...' is empty, and should name one
    64 error: '<ID>' is empty, and should name one
    64 error: '<ID>' is empty, and should name one
    65 custos: nothing of B-001 was changed: the note is empty
      give a text to --note, or --status, or --priority
    65 custos: nothing of B-001 was changed: the note is empty
      give a text to --note, or --status, or --priority
    ");
}

#[test]
fn more_on_standard_input_than_is_read_is_called_more() {
    let story = Story::begin();
    let line = "decisions add --title T --reasoning r --decision -";
    let told = |input: &str| {
        let ran = fed(command(&story.home, &words(line)).current_dir(&story.root), input.as_bytes());
        (ran.code, ran.stderr)
    };
    // A letter of two bytes may lie across the end of what is read.
    let much = format!("a{}", "ä".repeat(5 << 20));
    assert_eq!(
        told(&much),
        (
            65,
            "custos: standard input is more than 4194304 bytes long, as no text may be\n  keep what matters, and put the rest into a file of the repo that the text names\n"
                .to_owned()
        )
    );
    let (code, said) = told(&"a".repeat(70_000));
    assert_eq!(code, 65);
    assert!(
        said.starts_with("custos: decision is 70000 bytes long, and at most 65536 are taken\n"),
        "{said}"
    );
}
