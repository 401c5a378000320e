//! Whose rules hold: the person's, those of the directory that the session began in, and those of the repo that is worked on.

use std::fs;

use serde_json::json;

use crate::desk::{Desk, silence, with};
use crate::guard::{decision, judged, shell};

const CLAUDE: &str = "claude-code";

/// Makes a repo with rules, and gives its path.
fn repo(desk: &Desk, path: &str, rules: &str) -> String {
    desk.put(&format!("{path}/.git/HEAD"), "ref: refs/heads/work\n");
    desk.put(&format!("{path}/.ai/policies/safety.yaml"), rules);
    desk.project().parent().unwrap().join(path).to_str().unwrap().to_owned()
}

/// The verdict on a command in another directory of the same session, with its reason.
fn judged_in(desk: &Desk, cwd: &str, command: &str) -> (String, String) {
    let payload = with(shell(desk, CLAUDE, command).1, json!({ "cwd": cwd }));
    decision(&desk.hook(CLAUDE, "PreToolUse", payload.to_string()))
}

#[test]
fn a_repo_tightens_and_its_allowances_do_not_count() {
    let desk = Desk::new();
    let rules = "deny: {commands: [make release]}\nask: {commands: [make deploy]}\n\
                 allow: {commands: [git push --force origin main, git reset --hard]}\nrules: {git.force-push: off}\n";
    repo(&desk, "project", rules);
    assert_eq!(decision(&judged(&desk, CLAUDE, "make release")).0, "deny");
    assert_eq!(decision(&judged(&desk, CLAUDE, "make deploy")).0, "ask");
    assert_eq!(judged(&desk, CLAUDE, "make test"), silence());
    assert_eq!(decision(&judged(&desk, CLAUDE, "git push --force origin main")).0, "deny");
    assert_eq!(decision(&judged(&desk, CLAUDE, "git reset --hard")).0, "ask");
    // The same words of the person count.
    desk.put(".config/ai/policies/safety.yaml", "allow: {commands: [git reset --hard]}\n");
    assert_eq!(judged(&desk, CLAUDE, "git reset --hard"), silence());
}

#[test]
fn a_broken_file_leaves_its_last_good_version_in_force_and_the_next_session_is_told() {
    let desk = Desk::new();
    let file = desk.put(".config/ai/policies/safety.yaml", "deny: {commands: [make release]}\n");
    let old = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    assert_eq!(decision(&judged(&desk, CLAUDE, "make release")).0, "deny");
    let broken = "deny: {commands: [make release\n";
    fs::write(&file, broken).unwrap();
    assert_eq!(decision(&judged(&desk, CLAUDE, "make release")).0, "deny", "the last good version");
    assert_eq!(
        decision(&judged(&desk, CLAUDE, "git push --force origin main")).0,
        "deny",
        "the built-in rules"
    );
    let start = desk.hook(CLAUDE, "SessionStart", desk.fixture(CLAUDE, "SessionStart").to_string());
    assert_eq!(start.code, 0);
    assert!(
        start.stdout.contains("safety.yaml") && start.stdout.contains("Tell the person"),
        "nobody was told: {}",
        start.stdout
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), broken, "what a person wrote is theirs");
}

#[test]
fn the_rules_of_the_repo_that_a_command_works_in_count() {
    let desk = Desk::new();
    repo(&desk, "project", "{}\n");
    repo(&desk, "other", "deny: {commands: [make release]}\nprotected_branches: [stable]\n");
    for command in
        ["cd ../other && make release", "(cd ../other; make release)", "git -C ../other push origin stable"]
    {
        assert_eq!(decision(&judged(&desk, CLAUDE, command)).0, "deny", "{command}");
    }
    for command in ["make release", "cd src && make release", "git push origin stable"] {
        assert_eq!(judged(&desk, CLAUDE, command), silence(), "{command} is no business of the other repo");
    }
}

#[test]
fn the_rules_of_the_directory_that_the_session_began_in_go_with_it() {
    let desk = Desk::new();
    let began = repo(&desk, "project", "deny: {commands: [make release]}\n");
    let other = repo(&desk, "other", "deny: {commands: [make other]}\n");
    desk.play(CLAUDE, &["SessionStart"]);
    assert_eq!(judged_in(&desk, &began, "make release").0, "deny");
    assert_eq!(judged_in(&desk, &other, "make release").0, "deny", "the session's own rules");
    assert_eq!(judged_in(&desk, &other, "make other").0, "deny", "those of the repo");
    assert_eq!(judged_in(&desk, &began, "make other").0, "", "the other repo is not worked in");
    // A session that began in the other repo does not know the first.
    let payload =
        with(shell(&desk, CLAUDE, "make release").1, json!({ "cwd": other, "session_id": "another" }));
    assert_eq!(desk.hook(CLAUDE, "PreToolUse", payload.to_string()), silence());
}
