//! Texts that were not given, on a terminal: the person's editor opens for them.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{FIRST_DECISION, Story, words};
use crate::shell::{Ran, command, fed};
use crate::terminal::on_terminal;

/// Types a command on a terminal, with a script for an editor. The script gets the file as `$2`, after its option.
fn typed(story: &Story, script: &str, line: &str) -> Ran {
    on_terminal(&mut with_editor(story, script, line))
}

fn with_editor(story: &Story, script: &str, line: &str) -> Command {
    let editor = story.home.path().join("my editor");
    std::fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let drafts = story.home.path().join("drafts");
    std::fs::create_dir_all(&drafts).unwrap();
    let mut command = command(&story.home, &words(line));
    command
        .current_dir(&story.root)
        .env("EDITOR", format!("'{}' --wait", editor.display()))
        .env("PATH", "/usr/bin:/bin")
        .env("TMPDIR", drafts);
    command
}

/// Spells a script that writes a text below a name.
fn writing(texts: &[(&str, &str)]) -> String {
    let edits: String = texts
        .iter()
        .map(|(name, text)| format!(" /^#> \\[{name}\\]/ {{ print; print \"{text}\"; next }}"))
        .collect();
    format!("cp \"$2\" \"$HOME/seen\" && awk '{edits} {{ print }}' \"$HOME/seen\" > \"$2\"")
}

fn seen(story: &Story) -> String {
    std::fs::read_to_string(story.home.path().join("seen")).unwrap()
}

fn drafts(story: &Story) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(story.home.path().join("drafts")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn opens_for_the_texts_that_were_not_given() {
    let story = Story::begin();
    let script = writing(&[("decision", "All times are UTC.\\n# Really."), ("reasoning", "Zones.")]);
    let ran = typed(&story, &script, "decisions add --title 'Times are UTC' --json");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let shown = story.json("decisions show D-001");
    assert_eq!(
        [&shown["title"], &shown["decision"], &shown["reasoning"]],
        ["Times are UTC", "All times are UTC.\n# Really.", "Zones."]
    );
    insta::assert_snapshot!(seen(&story), @r"
    #> A decision
    #> Write below each name. Lines that begin with #> are dropped; without any text, nothing is saved.

    #> [decision] what is decided, in full


    #> [reasoning] why, and what was rejected
    ");
    assert_eq!(drafts(&story), Vec::<PathBuf>::new());
}

#[test]
fn opens_for_a_script_as_well_if_it_needs_no_terminal() {
    let story = Story::begin();
    let script = writing(&[("decision", "All times are UTC."), ("reasoning", "Zones.")]);
    let line = "decisions add --title 'Times are UTC' --json";
    let ran = fed(&mut with_editor(&story, &script, line), b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(story.json("decisions show D-001")["decision"], json!("All times are UTC."));
    // As git's, it may be a tool that is told what to do.
    std::fs::write(story.home.path().join("prepared"), "Moved it.\n").unwrap();
    let mut copying = with_editor(&story, "exit 9", "worklog add");
    let ran = fed(copying.env("EDITOR", "cp \"$HOME/prepared\""), b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(story.file("local/worklog.md").contains("\nMoved it.\n"));
}

/// It has nothing to read, so that one that asks is not waited for.
#[test]
fn a_script_without_a_terminal_does_not_wait_for_input() {
    let story = Story::begin();
    let script = format!("cat > /dev/null; {}", writing(&[("text", "Moved it.")]));
    let mut child = with_editor(&story, &script, "worklog add")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stays_open = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stays_open);
    assert!(story.file("local/worklog.md").contains("\nMoved it.\n"));
}

/// Whatever may draw on a terminal would wait for keys that nobody presses, by whatever name it goes.
#[test]
fn nothing_else_opens_without_a_terminal() {
    let story = Story::begin();
    let own = story.home.path().join("own");
    std::os::unix::fs::symlink("/bin/sh", &own).unwrap();
    let own = own.display().to_string();
    for editor in [
        "",
        "  ",
        "vim -f",
        "'/usr/bin/nano'",
        "vim.basic",
        "editor",
        "sensible-editor",
        "/usr/bin/sensible-editor",
        "env vim",
        "code --wait",
        "no-such-program",
        &own,
    ] {
        let ran = fed(with_editor(&story, "exit 9", "decisions add --title X").env("EDITOR", editor), b"");
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (
                64,
                "custos: --decision and --reasoning are missing\n  give a text, or `-` to read it from standard input; on a terminal $EDITOR opens for what is missing, elsewhere only if it is a script of yours\n"
            ),
            "{editor}"
        );
    }
}

#[test]
fn shows_the_question_beside_the_answer() {
    let story = Story::begin();
    assert_eq!(story.run("questions ask 'Who owns it?' --context 'The domain.'").code, 0);
    let ran = typed(&story, &writing(&[("answer", "Kim")]), "questions answer 1");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(story.json("questions")["questions"][0]["answer"], json!("Kim"));
    insta::assert_snapshot!(seen(&story), @r"
    #> An answer
    #> Write below each name. Lines that begin with #> are dropped; without any text, nothing is saved.
    #> Q-001 [open] Who owns it?
    #>
    #> Context: The domain.

    #> [answer] the answer
    ");
}

#[test]
fn without_a_text_nothing_is_saved() {
    let story = Story::begin();
    let mut said = String::new();
    for script in ["true", ": > \"$2\"", "exit 3"] {
        let ran = typed(&story, script, "worklog add");
        assert_eq!(drafts(&story), Vec::<PathBuf>::new(), "{script}");
        said.push_str(&format!("{} {}", ran.code, ran.stderr));
    }
    story.settings().bind(|| {
        insta::assert_snapshot!(said, @r"
        65 custos: nothing was written, so nothing was saved
        65 custos: nothing was written, so nothing was saved
        74 custos: the editor `'~/my editor' --wait` ended with exit status: 3; nothing was saved
          set EDITOR to one that works, or give the texts as flags
        ");
    });
    assert!(!story.root.join(".ai").exists());
}

#[test]
fn keeps_what_could_not_be_saved() {
    let story = Story::begin();
    let half = typed(&story, &writing(&[("stopped_at", "step 3")]), "close");
    assert_eq!(half.code, 65, "{half:?}");
    let kept = drafts(&story);
    assert_eq!(kept.len(), 1);
    let name = kept[0].file_name().unwrap().to_string_lossy().into_owned();
    story.settings().bind(|| {
        insta::assert_snapshot!(half.stderr.replace(&name, "DRAFT"), @r"
        custos: nothing was saved: summary and next_steps are empty
          What you wrote is in ~/drafts/DRAFT
        ");
    });
    assert!(std::fs::read_to_string(&kept[0]).unwrap().contains("\nstep 3\n"));
    let refused = typed(&story, &writing(&[("answer", "Because.")]), "questions answer Q-009");
    assert_eq!((refused.code, drafts(&story).len()), (66, 2), "{refused:?}");
}

#[test]
fn keeps_what_an_item_that_was_there_had_no_use_for() {
    let story = Story::begin();
    assert_eq!(story.run(FIRST_DECISION).code, 0);
    assert_eq!(story.run("backlog add --title 'Fix it' --description 'Now.'").code, 0);
    assert_eq!(story.run("questions ask 'Who owns it?'").code, 0);
    let script = [
        ("decision", "Written at length."),
        ("reasoning", "Written at length."),
        ("description", "Written at length."),
        ("question", "Who owns it?"),
        ("context", "Written at length."),
    ];
    for line in ["decisions add --title 'The times are UTC'", "backlog add --title 'Fix it'", "questions ask"]
    {
        let ran = typed(&story, &writing(&script), line);
        let kept = drafts(&story);
        assert_eq!((ran.code, kept.len()), (0, 1), "{line}: {ran:?}");
        let last = format!("What you wrote is in {}", kept[0].display());
        assert_eq!(ran.stdout.lines().last(), Some(last.as_str()), "{line}: {}", ran.stdout);
        assert!(std::fs::read_to_string(&kept[0]).unwrap().contains("\nWritten at length.\n"), "{line}");
        std::fs::remove_file(&kept[0]).unwrap();
    }
    let told = typed(&story, &writing(&script), "decisions add --title 'The times are UTC' --json");
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(told["draft"], json!(drafts(&story)[0]));
}

#[test]
fn keeps_what_was_written_for_a_close_that_failed() {
    let story = Story::begin();
    std::fs::create_dir(story.root.join(".ai")).unwrap();
    std::fs::write(story.root.join(".ai/local"), "in the way").unwrap();
    let script = writing(&[("stopped_at", "step 3"), ("summary", "much"), ("next_steps", "more")]);
    let ran = typed(&story, &script, "close");
    let kept = drafts(&story);
    assert_eq!((ran.code, kept.len()), (1, 1), "{ran:?}");
    assert!(
        ran.stdout.trim_end().ends_with(&format!("What you wrote is in {}", kept[0].display())),
        "{ran:?}"
    );
}

#[test]
fn a_plan_that_is_there_keeps_its_steps_or_opens_with_them() {
    let story = Story::begin();
    story.json("plans save --title 'Split it' '[x] one' two");
    story.json("plans save --title 'Split it' --status done");
    let plan = |status: &str, second: &str| json!([status, [{"text": "one", "state": "done"}, {"text": "two", "state": second}]]);
    let kept = || {
        let plan = &story.json("plans")["plans"][0];
        json!([plan["status"], plan["steps"]])
    };
    assert_eq!(kept(), plan("done", "pending"));
    let script = "sed -i 's/^\\[ \\] two/[x] two/' \"$2\"";
    let ran = typed(&story, script, "plans save --title 'Split it' --json");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(kept(), plan("done", "done"));
    // Without an editor, a new plan lacks its steps.
    let ran = fed(
        command(&story.home, &words("plans save --title Other --status done")).current_dir(&story.root),
        b"",
    );
    assert_eq!(ran.code, 64, "{}", ran.stderr);
}
