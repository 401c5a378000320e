//! Texts that were not given, on a terminal: the person's editor opens for them.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::{Story, words};
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
    // One that draws on a terminal would wait for keys that nobody presses.
    let mut said = String::new();
    for editor in ["vim -f", "'/usr/bin/nano'", "", "  "] {
        let ran = fed(with_editor(&story, &script, "decisions add --title X").env("EDITOR", editor), b"");
        said.push_str(&format!("{} {}", ran.code, ran.stderr));
    }
    insta::assert_snapshot!(said, @r"
    64 custos: --decision and --reasoning are missing
      give a text, or `-` to read it from standard input; on a terminal, $EDITOR opens for what is missing
    64 custos: --decision and --reasoning are missing
      give a text, or `-` to read it from standard input; on a terminal, $EDITOR opens for what is missing
    64 custos: --decision and --reasoning are missing
      give a text, or `-` to read it from standard input; on a terminal, $EDITOR opens for what is missing
    64 custos: --decision and --reasoning are missing
      give a text, or `-` to read it from standard input; on a terminal, $EDITOR opens for what is missing
    ");
}

#[test]
fn shows_the_question_beside_the_answer() {
    let story = Story::begin();
    assert_eq!(story.run("questions ask 'Who owns it?' --context 'The domain.'").code, 0);
    let ran = typed(&story, &writing(&[("answer", "Kim")]), "questions answer Q-001");
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
