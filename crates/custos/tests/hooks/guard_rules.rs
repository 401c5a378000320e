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

/// The rules of a repo with one of each kind, and a decision that the guard enforces.
fn with_rules_of_each_kind(desk: &Desk, path: &str) {
    let rules = "deny: {commands: [make nuke], paths: [secrets/**]}\nread_only: [sub/**]\nprotected_branches: [rel-*]\n";
    repo(desk, path, rules);
    let decided = "---\nid: D-001\ntitle: The pipeline deploys\nstatus: active\nenforce: required\nguard:\n  command: make deploy\n  \
                   must_block: [make deploy]\n  must_allow: [make test]\n---\n\nIt does.\n";
    desk.put(&format!("{path}/.ai/decisions/D-001-pipeline.md"), decided);
}

/// The verdict on a file that is to be written.
fn written(desk: &Desk, path: &str) -> String {
    let payload = desk.fixture(CLAUDE, "PreToolUse.Write");
    let input = json!({ "file_path": desk.project().join(path), "content": "x" });
    decision(&desk.hook(CLAUDE, "PreToolUse", with(payload, json!({ "tool_input": input })).to_string())).0
}

#[test]
fn the_rules_of_the_repos_in_a_workspace_count_from_its_root() {
    let desk = Desk::new();
    repo(&desk, "project/api", "{}\n");
    with_rules_of_each_kind(&desk, "project/web");
    desk.put("project/web/sub/x", "x");
    std::os::unix::fs::symlink("web/sub", desk.project().join("link")).unwrap();
    let held = [
        "cd web && make nuke",
        "(cd ./web/src; make nuke)",
        "make -C web nuke",
        "make --directory=web nuke",
        "make -Cweb deploy",
        "cd web && make deploy",
        "bash -c 'cd web && make deploy'",
        "git -C web push origin rel-1",
        "cd web && git push origin rel-1",
        "rm web/sub/x",
        "rm -r web",
        "rm link/x",
        "cd web && rm sub/x",
        "echo x > web/sub/x",
        "cat web/secrets/key",
        // Where it runs is known to nobody, and it began there.
        "cd web && docker compose exec db make nuke",
        "cd web && ls && cd \"$X\" && make nuke",
        "(cd web && git fetch); git -C \"$X\" push origin rel-1",
    ];
    for command in held {
        assert_eq!(decision(&judged(&desk, CLAUDE, command)).0, "deny", "{command}");
        let tested = desk.custos(&["guard", "test", "--json", command]);
        assert!(tested.stdout.contains("\"verdict\":\"deny\""), "{command}: {tested:?}");
    }
    assert_eq!((written(&desk, "web/sub/x"), written(&desk, "link/x")), ("deny".into(), "deny".into()));
    let free = [
        "make nuke",
        "make deploy",
        "cd api && make nuke",
        "cat web/README.md && make nuke",
        "(cd web && make test); make deploy",
        "cd web && git push origin feat",
        "git push origin rel-1",
        "rm sub/x",
        "rm web/src/x",
    ];
    for command in free {
        assert_eq!(judged(&desk, CLAUDE, command), silence(), "{command} is no business of that repo");
    }
    assert_eq!((written(&desk, "web/src/x"), written(&desk, "sub/x")), (String::new(), String::new()));
}

#[test]
fn the_rules_of_repos_in_a_repo_count_whatever_kind_they_are_and_can_only_tighten() {
    let desk = Desk::new();
    repo(&desk, "project", "{}\n");
    with_rules_of_each_kind(&desk, "project/vendor/lib");
    // A submodule, or a linked working tree.
    desk.put("project/.git/modules/sub/HEAD", "ref: refs/heads/work\n");
    desk.put("project/libs/sub/.git", "gitdir: ../../.git/modules/sub\n");
    desk.put("project/libs/sub/.ai/policies/safety.yaml", "deny: {commands: [make nuke]}\n");
    repo(&desk, "project/vendor/lib/inner", "{}\n");
    repo(&desk, "project/loose", "allow: {commands: [git reset --hard]}\nrules: {git.force-push: off}\n");
    for command in [
        "cd vendor/lib && make nuke",
        "cd libs/sub && make nuke",
        "cd vendor/lib/inner && make nuke",
        "cd loose && git push --force origin main",
    ] {
        assert_eq!(decision(&judged(&desk, CLAUDE, command)).0, "deny", "{command}");
    }
    assert_eq!(decision(&judged(&desk, CLAUDE, "cd loose && git reset --hard")).0, "ask");
    // The session may have begun above.
    let lib = desk.project().join("vendor/lib").to_str().unwrap().to_owned();
    assert_eq!(judged_in(&desk, &lib, "make nuke").0, "deny");
    assert_eq!(judged(&desk, CLAUDE, "cd vendor && make nuke"), silence());
}

#[test]
fn however_many_files_are_named_before_a_repo_that_is_gone_to_its_rules_count() {
    let desk = Desk::new();
    repo(&desk, "project", "{}\n");
    repo(&desk, "beside", "deny: {commands: [make nuke]}\n");
    with_rules_of_each_kind(&desk, "project/lib");
    let files = |place: &str| (0..200).map(|n| format!(" {place}d{n}/x")).collect::<String>();
    for place in ["", "../"] {
        for command in ["cd ../beside && make nuke", "cd lib && make nuke", "git -C lib push origin rel-1"] {
            let command = format!("git add{} && {command}", files(place));
            assert_eq!(decision(&judged(&desk, CLAUDE, &command)).0, "deny", "{command}");
        }
    }
}

#[test]
fn what_the_person_allows_is_not_asked_about_for_its_wrapper() {
    let desk = Desk::new();
    let rules = "ask: {commands: [timeout, cd /etc, eval]}\nallow: {commands: [timeout 5 ls, cd /etc, eval ls, ls]}\n";
    desk.put(".config/ai/policies/safety.yaml", rules);
    for allowed in ["timeout 5 ls", "cd /etc", "eval ls"] {
        assert_eq!(judged(&desk, CLAUDE, allowed), silence(), "{allowed}");
    }
    for asked in ["timeout 5 make", "eval make"] {
        assert_eq!(decision(&judged(&desk, CLAUDE, asked)).0, "ask", "{asked}");
    }
}
