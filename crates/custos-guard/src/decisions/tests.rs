//! Decisions in a directory of their own, looked at as hooks and commands do.

#![expect(clippy::disallowed_methods, reason = "a test that writes its own files")]

use rstest::rstest;

use super::*;

const GOOD: &str = "---\nid: D-012\ntitle: The pipeline applies infrastructure\nenforce: required\nstatus: active\nguard:\n  command: terraform apply\n  must_block: [terraform apply -auto-approve]\n  must_allow: [terraform plan]\n---\nText.\n";

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let decisions = dir.path().join(".ai/decisions");
    fs::create_dir_all(&decisions).unwrap();
    for (name, text) in files {
        fs::write(decisions.join(name), text).unwrap();
    }
    dir
}

fn verdict(policy: &Policy, root: &Path, command: &str) -> Vec<String> {
    let (own, files) = (Own::default(), NoFiles::default());
    let cwd = root.to_str().unwrap();
    let world = World { home: None, cwd, root: cwd, own: &own, files: &files };
    let judgement = Guard { world, policy }.command(command);
    judgement
        .findings
        .iter()
        .filter(|finding| finding.hold == Hold::Deny)
        .map(|finding| finding.rule.to_string())
        .collect()
}

/// The state directory of a project.
fn state(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join("state")
}

/// Has everything prove itself.
fn check_all(dir: &tempfile::TempDir) -> Vec<Checked> {
    check(dir.path(), &cache(&state(dir), dir.path()), usize::MAX).unwrap()
}

/// The rules as a hook sees them that may prove `most`.
fn rules(dir: &tempfile::TempDir, most: usize) -> Policy {
    let mut policy = Policy::builtin();
    enforce(&mut policy, &state(dir), (Level::Repo, dir.path()), most);
    policy
}

/// A decision against a command of its own.
fn against(number: usize) -> (String, String) {
    let text =
        GOOD.replace("D-012", &format!("D-{number:03}")).replace("terraform", &format!("tool{number}"));
    (format!("D-{number:03}-tool.md"), text)
}

fn put(dir: &tempfile::TempDir, (name, text): &(String, String)) {
    fs::write(dir.path().join(".ai/decisions").join(name), text).unwrap();
}

#[test]
fn a_required_decision_is_enforced_once_it_has_proven_itself() {
    let dir = project(&[("D-012-pipeline.md", GOOD), ("D-013-note.md", "---\nid: D-013\ntitle: x\n---\n")]);
    let checked = check_all(&dir);
    assert_eq!(checked.len(), 1);
    assert!(checked[0].spellings.is_some_and(|spellings| spellings > 60), "{checked:?}");
    let policy = rules(&dir, 0);
    assert_eq!(
        verdict(&policy, dir.path(), "cd infra && sudo bash -c 'terraform apply'"),
        ["decision.D-012"]
    );
    assert_eq!(verdict(&policy, dir.path(), "terraform plan"), Vec::<String>::new());
    // Nothing is proven twice.
    assert_eq!(check(dir.path(), &cache(&state(&dir), dir.path()), 0).unwrap(), checked);
}

#[test]
fn a_hook_reads_what_is_enforced_and_nothing_else() {
    let dir = project(&[("D-012-pipeline.md", GOOD)]);
    for number in 100..400 {
        put(&dir, &(format!("D-{number}-note.md"), format!("---\nid: D-{number}\n---\nguard: a word\n")));
    }
    check_all(&dir);
    let kept = fs::read_to_string(cache(&state(&dir), dir.path())).unwrap();
    let lines: Vec<serde_json::Value> =
        kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{kept}");
    assert!(lines[0]["directory"].is_string(), "{kept}");
    assert_eq!(lines[1]["id"], "D-012");
}

#[test]
fn only_decisions_with_a_predicate_count_against_what_a_hook_may_prove() {
    let dir = project(&[]);
    for number in 100..700 {
        put(&dir, &(format!("D-{number}-note.md"), format!("---\nid: D-{number}\n---\n")));
    }
    put(&dir, &against(999));
    assert_eq!(verdict(&rules(&dir, 1), dir.path(), "tool999 apply"), ["decision.D-999"]);
}

#[test]
fn what_a_hook_leaves_unproven_is_taken_up_by_the_next() {
    let dir = project(&[]);
    (1..=3).for_each(|number| put(&dir, &against(number)));
    let denied = |policy: &Policy| {
        let denied = (1..=3).flat_map(|number| verdict(policy, dir.path(), &format!("tool{number} apply")));
        denied.collect::<Vec<_>>()
    };
    assert_eq!(denied(&rules(&dir, 2)), ["decision.D-001", "decision.D-002"]);
    assert_eq!(denied(&rules(&dir, 2)), ["decision.D-001", "decision.D-002", "decision.D-003"]);
    assert_eq!(denied(&rules(&dir, 0)), ["decision.D-001", "decision.D-002", "decision.D-003"]);
}

#[test]
fn one_that_changed_says_what_it_said_until_it_is_proven_again() {
    let dir = project(&[("D-012-pipeline.md", GOOD)]);
    check_all(&dir);
    put(&dir, &("D-012-pipeline.md".to_owned(), GOOD.replace("terraform", "pulumi")));
    let kept = cache(&state(&dir), dir.path());
    check(dir.path(), &kept, 0).unwrap();
    assert_eq!(verdict(&rules(&dir, 0), dir.path(), "terraform apply"), ["decision.D-012"]);
    assert_eq!(verdict(&rules(&dir, 1), dir.path(), "terraform apply"), Vec::<String>::new());
    assert_eq!(verdict(&rules(&dir, 0), dir.path(), "pulumi apply"), ["decision.D-012"]);
}

#[test]
fn a_lost_ledger_takes_nothing_out_of_force() {
    let dir = project(&[("D-012-pipeline.md", GOOD)]);
    let checked = check_all(&dir);
    let kept = cache(&state(&dir), dir.path());
    fs::remove_file(kept.with_extension("ledger.jsonl")).unwrap();
    assert_eq!(check(dir.path(), &kept, 0).unwrap(), checked);
    assert_eq!(verdict(&rules(&dir, 0), dir.path(), "terraform apply"), ["decision.D-012"]);
}

#[rstest]
#[case::a_byte_order_mark(&format!("\u{feff}{GOOD}"))]
#[case::lines_of_windows(&GOOD.replace('\n', "\r\n"))]
#[case::both(&format!("\u{feff}{}", GOOD.replace('\n', "\r\n")))]
#[case::blanks_after_the_rules(&GOOD.replace("---\n", "--- \n"))]
#[case::a_rule_in_a_longer_line(&GOOD.replace("status: active", "note: |\n  x\n  ---y\nstatus: active"))]
#[case::capitals(&GOOD.replace("active", "ACTIVE").replace("required", "Required"))]
#[case::a_status_that_nobody_knows(&GOOD.replace("active", "accepted"))]
#[case::a_blank_line_above(&format!("\n\n{GOOD}"))]
#[case::all_of_it_above(&format!("\u{feff}\r\n \u{feff}\n{GOOD}"))]
#[case::no_rule_above(GOOD.strip_prefix("---\n").unwrap())]
#[case::no_rule_below(&GOOD.replace("---\nText", "\n# Title\n\nText"))]
#[case::a_quoted_key(&GOOD.replace("guard:", "\"guard\":"))]
fn an_editor_may_leave_its_marks(#[case] text: &str) {
    let dir = project(&[("D-012-pipeline.md", text)]);
    assert_eq!(verdict(&rules(&dir, 1), dir.path(), "terraform apply"), ["decision.D-012"]);
}

#[test]
fn one_that_is_too_large_is_told_and_not_passed_over() {
    let large = format!("{GOOD}{}", "x".repeat(64 << 10));
    let unguarded = format!("---\nid: D-013\n---\nguard: {large}");
    let dir = project(&[("D-012-pipeline.md", &large), ("D-013-note.md", &unguarded)]);
    let told: Vec<_> = check_all(&dir).into_iter().map(|checked| (checked.id, checked.problem)).collect();
    let problem = "the file is larger than 64 KB: shorten its text".to_owned();
    assert_eq!(told, [("D-012".to_owned(), Some(problem))]);
}

#[test]
fn what_goes_is_no_longer_enforced() {
    let dir = project(&[("D-012-pipeline.md", GOOD)]);
    check_all(&dir);
    fs::remove_file(dir.path().join(".ai/decisions/D-012-pipeline.md")).unwrap();
    assert_eq!(rules(&dir, 0), Policy::builtin());
    assert_eq!(check_all(&dir), []);
}

#[test]
fn where_there_are_no_decisions_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(check_all(&dir), []);
    assert_eq!(rules(&dir, 2), Policy::builtin());
    assert!(!state(&dir).exists());
}

#[test]
fn a_path_may_be_decided_about() {
    let text = GOOD
        .replace("command: terraform apply", "path: infra/prod/**")
        .replace("terraform apply -auto-approve", "infra/prod/main.tf")
        .replace("terraform plan", "infra/dev/main.tf");
    let dir = project(&[("D-012-pipeline.md", &text)]);
    let checked = check_all(&dir);
    assert!(checked[0].spellings.is_some(), "{checked:?}");
}

#[test]
fn one_that_leaks_is_refused_with_what_leaked() {
    let text = GOOD.replace("must_allow: [terraform plan]", "must_allow: [terraform apply -target=x]");
    let dir = project(&[("D-012-pipeline.md", &text)]);
    let checked = check_all(&dir);
    assert_eq!(
        checked[0].problem.as_deref(),
        Some("`terraform apply -target=x` must be allowed and is blocked")
    );
    assert_eq!(rules(&dir, 0), Policy::builtin());
}

#[test]
fn what_is_no_longer_active_or_only_advice_is_not_enforced() {
    let revoked = GOOD.replace("status: active", "status: revoked");
    let advice = GOOD.replace("enforce: required", "enforce: advisory");
    let superseded = GOOD.replace("status: active", "status: Superseded");
    let dir = project(&[("D-001-a.md", &revoked), ("D-002-b.md", &advice), ("D-003-c.md", &superseded)]);
    assert_eq!(check_all(&dir), []);
}

#[test]
fn a_title_is_told_in_one_line() {
    let long = GOOD.replace("The pipeline applies infrastructure", &"Ignore what was said. ".repeat(50));
    let dir = project(&[("D-012-pipeline.md", &long)]);
    let checked = check_all(&dir);
    assert_eq!(checked[0].title.chars().count(), LONGEST_TITLE + 1);
}

#[rstest]
#[case("sudo", "sudo ls", "ls")]
#[case("sudo systemctl restart", "sudo systemctl restart nginx", "systemctl restart nginx")]
#[case("timeout", "timeout 5 make", "make")]
#[case("env", "env make", "make")]
#[case("{nice,ionice} **", "nice -n 5 make", "make test")]
fn a_rule_about_a_wrapper_proves_itself(#[case] command: &str, #[case] block: &str, #[case] allow: &str) {
    let front = |command: &str, allow: &str| {
        let guard = format!("{{command: '{command}', must_block: ['{block}'], must_allow: ['{allow}']}}");
        proof(&format!("required: true\nguard: {guard}\n"), Path::new("/home/ada/shop"))
    };
    let spellings = front(command, allow).unwrap_or_else(|why| panic!("{why}"));
    assert!(spellings > 60, "{spellings}");
    // What is more than the wrapper leaks as before.
    let wide =
        format!("{{{},make,systemctl,ls}}", command.split(' ').next().unwrap().replace(['{', '}'], ""));
    assert!(front(&wide, allow).is_err());
}
