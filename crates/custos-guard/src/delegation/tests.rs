//! Roles, counts, and what becomes of them on a disk that may be hostile.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use rstest::rstest;
use tempfile::TempDir;

use super::*;

const MINUTE: u64 = 60;

fn session(root: &TempDir) -> Session<'_> {
    Session { root: root.path(), config: None, id: "claude-code:0001" }
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn edit<'a>(paths: &'a [&'a Path]) -> Use<'a> {
    Use { tool: "Edit", deed: Deed::Change, paths }
}

/// What a conductor's edit of a source file at this second comes to.
fn work(root: &TempDir, seconds: u64) -> Checked {
    check(session(root), Some(Role::Conductor), &edit(&[Path::new("src/main.rs")]), at(seconds))
}

fn kind(outcome: &Outcome) -> char {
    match outcome {
        Outcome::Silent => '.',
        Outcome::Warn(_) => 'w',
        Outcome::Stop(_) => 'S',
    }
}

fn kinds(root: &TempDir, seconds: impl IntoIterator<Item = u64>) -> String {
    seconds.into_iter().map(|second| kind(&work(root, second).outcome)).collect()
}

fn journal(root: &TempDir) -> std::path::PathBuf {
    disk::place(root.path(), &format!("{}.jsonl", disk::hash("claude-code:0001")))
}

#[rstest]
#[case::said(Some("conductor"), None, None, Some(Role::Conductor))]
#[case::said_to_its_sender(Some("conductor"), Some(true), Some("general-purpose"), Some(Role::Musician))]
#[case::said_otherwise(Some(" Section_Leader "), None, None, Some(Role::SectionLeader))]
#[case::said_something(Some("reviewer"), Some(false), None, None)]
#[case::said_nothing(Some(""), Some(true), None, Some(Role::Musician))]
#[case::sub_agent(None, Some(true), Some("general-purpose"), Some(Role::Musician))]
#[case::leading_sub_agent(None, Some(true), Some("section-leader"), Some(Role::SectionLeader))]
#[case::main_agent(None, Some(false), Some("conductor"), Some(Role::Conductor))]
#[case::marked(None, Some(false), None, Some(Role::SectionLeader))]
#[case::marked_unasked(None, None, Some("build"), Some(Role::SectionLeader))]
fn a_role_is_told(
    #[case] agent_role: Option<&str>,
    #[case] is_subagent: Option<bool>,
    #[case] agent_type: Option<&str>,
    #[case] told: Option<Role>,
) {
    let root = TempDir::new().unwrap();
    role::mark(session(&root), Role::SectionLeader).unwrap();
    assert_eq!(role::tell(Clues { agent_role, is_subagent, agent_type }, session(&root)), (told, None));
}

#[test]
fn a_marker_is_bound_to_its_session() {
    let root = TempDir::new().unwrap();
    let other = Session { id: "claude-code:0002", ..session(&root) };
    assert_eq!(role::tell(Clues::default(), session(&root)), (None, None));
    role::mark(session(&root), Role::Conductor).unwrap();
    assert_eq!(role::tell(Clues::default(), session(&root)), (Some(Role::Conductor), None));
    assert_eq!(role::tell(Clues::default(), other), (None, None));
}

#[test]
fn who_leads_is_warned_then_stopped_until_the_window_has_passed() {
    let root = TempDir::new().unwrap();
    assert_eq!(kinds(&root, 0..8), "..wwSSSS");
    assert_eq!(kinds(&root, [10 * MINUTE - 1, 10 * MINUTE, 10 * MINUTE + 1]), "Sww");
    assert_eq!(kinds(&root, [60 * MINUTE]), ".");
}

#[test]
fn the_words_say_what_to_do() {
    let root = TempDir::new().unwrap();
    let said: Vec<String> = (0..5)
        .filter_map(|second| match work(&root, second).outcome {
            Outcome::Silent => None,
            Outcome::Warn(text) | Outcome::Stop(text) => Some(text),
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    A conductor lets others do the work: this was use 3 of work tools in 10 min, and use 5 will be stopped. Hand the rest to a sub-agent.
    A conductor lets others do the work: this was use 4 of work tools in 10 min, and use 5 will be stopped. Hand the rest to a sub-agent.
    is use 5 of work tools in 10 min by a conductor, who lets others do the work; the next is free in 10 min
    ");
}

#[rstest]
#[case(None)]
#[case(Some(Role::Musician))]
fn who_does_not_lead_leaves_no_trace(#[case] role: Option<Role>) {
    let root = TempDir::new().unwrap();
    for second in 0..20 {
        let checked = check(session(&root), role, &edit(&[]), at(second));
        assert_eq!(checked, Checked { outcome: Outcome::Silent, troubles: Vec::new() });
    }
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

#[rstest]
#[case::source("Edit", Deed::Change, &["src/main.rs"], true)]
#[case::command("Bash", Deed::Shell, &[], true)]
#[case::reading("Read", Deed::Read, &["src/main.rs"], false)]
#[case::delegating("Task", Deed::Delegate, &[], false)]
#[case::own_tool("mcp__tracker__comment", Deed::Other, &[], false)]
#[case::notes("Write", Deed::Change, &[".ai/plan.md"], false)]
#[case::settings("Write", Deed::Change, &["/srv/site/.claude/agents/x.md"], false)]
#[case::detour("Write", Deed::Change, &[".ai/../src/main.rs"], true)]
#[case::look_alike("Write", Deed::Change, &[".ai-old/plan.md"], true)]
#[case::also_source("apply_patch", Deed::Change, &[".ai/plan.md", "src/main.rs"], true)]
#[case::elsewhere("Write", Deed::Change, &["/srv/other/.ai/plan.md"], true)]
fn work_counts(#[case] tool: &str, #[case] deed: Deed, #[case] paths: &[&str], #[case] counts: bool) {
    let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
    let used = Use { tool, deed, paths: &paths };
    assert_eq!(Profile::default().counts(&used, Path::new("/srv/site")), counts);
}

#[test]
fn a_profile_changes_what_it_names() {
    let profile = Profile::parse("work_tools: [Edit, mcp__deploy__*]\nstop_at: 4\n").unwrap();
    let wanted = Profile {
        work_tools: vec!["Edit".into(), "mcp__deploy__*".into()],
        stop_at: 4,
        ..Profile::default()
    };
    assert_eq!(profile, wanted);
    assert_eq!(Profile::parse("# nothing yet\n"), Ok(Profile::default()));
    let counts = |tool, deed| profile.counts(&Use { tool, deed, paths: &[] }, Path::new("/"));
    assert!(counts("Edit", Deed::Change) && counts("mcp__deploy__now", Deed::Other));
    assert!(!counts("Write", Deed::Change) && !counts("Bash", Deed::Shell));
}

#[rstest]
#[case("window_minutes: 0")]
#[case("window_minutes: 100000")]
#[case("warn_at: 0")]
#[case("warn_at: 6")]
#[case("stop_at: 5000")]
#[case("stopat: 5")]
#[case("- a")]
#[case("work_tools: {a: b}")]
#[case("warn_at: [")]
fn a_wrong_profile_is_refused(#[case] yaml: &str) {
    assert!(Profile::parse(yaml).is_err());
}

#[test]
fn profiles_are_read_by_role_and_a_wrong_one_is_told() {
    let root = TempDir::new().unwrap();
    let profiles = root.path().join("profiles");
    fs::create_dir(&profiles).unwrap();
    let path = profiles.join("conductor.yaml");
    let check = |role| {
        let session = Session { config: Some(root.path()), ..session(&root) };
        check(session, Some(role), &edit(&[]), at(0))
    };
    fs::copy(write(&root, "one", "warn_at: 1\nstop_at: 1\n"), &path).unwrap();
    assert_eq!(kind(&check(Role::Conductor).outcome), 'S');
    assert_eq!(kind(&check(Role::SectionLeader).outcome), '.');
    fs::copy(write(&root, "two", "warn_at: many\n"), &path).unwrap();
    let checked = check(Role::Conductor);
    assert!(
        matches!(&checked.troubles[..], [Trouble::Profile { path: wrong, .. }] if *wrong == path),
        "{checked:?}"
    );
}

fn write(root: &TempDir, name: &str, content: impl AsRef<[u8]>) -> std::path::PathBuf {
    use std::io::Write as _;
    let path = root.path().join(name);
    fs::File::create(&path).unwrap().write_all(content.as_ref()).unwrap();
    path
}

#[rstest]
#[case::noise(b"\xff\x00{{{".to_vec())]
#[case::torn(b"{\"at\":1800000000000,\"by\":1}\n{\"at\":18".to_vec())]
#[case::other(b"[1,2,3]\n".to_vec())]
#[case::endless(vec![b' '; 2 << 20])]
fn damage_is_told_kept_and_forgotten(#[case] damage: Vec<u8>) {
    let root = TempDir::new().unwrap();
    assert_eq!(kinds(&root, 0..4), "..ww");
    fs::copy(write(&root, "damage", damage), journal(&root)).unwrap();
    let checked = work(&root, 5);
    assert_eq!(checked.outcome, Outcome::Silent);
    assert!(matches!(&checked.troubles[..], [Trouble::Damaged { .. }]), "{checked:?}");
    assert!(journal(&root).with_extension("damaged").exists());
    assert_eq!(work(&root, 6).troubles, []);
    assert_eq!(kinds(&root, 7..10), "wwS");
}

#[test]
fn a_missing_count_is_told_once() {
    let root = TempDir::new().unwrap();
    assert_eq!(work(&root, 0).troubles, [Trouble::Missing]);
    assert_eq!(work(&root, 1).troubles, []);
    fs::remove_file(journal(&root)).unwrap();
    assert_eq!(work(&root, 2), Checked { outcome: Outcome::Silent, troubles: vec![Trouble::Missing] });
}

#[cfg(unix)]
#[test]
fn files_are_private_and_links_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let root = TempDir::new().unwrap();
    work(&root, 0);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&journal(&root)), 0o600);
    assert_eq!(mode(journal(&root).parent().unwrap()), 0o700);

    let cloned = TempDir::new().unwrap();
    symlink(root.path(), cloned.path().join(".ai")).unwrap();
    let checked = work(&cloned, 0);
    assert_eq!(checked.outcome, Outcome::Silent);
    assert!(matches!(&checked.troubles[..], [Trouble::Refused { .. }]), "{checked:?}");
    assert_eq!(role::tell(Clues::default(), session(&cloned)).0, None);
}

#[test]
fn a_long_journal_is_cut_to_what_counts() {
    let root = TempDir::new().unwrap();
    // One use each four minutes: two others are always within the window.
    let uses = kinds(&root, (0..1000).map(|index| index * 4 * MINUTE));
    assert_eq!(uses, format!("..{}", "w".repeat(998)));
    assert!(fs::metadata(journal(&root)).unwrap().len() < 16 << 10);
    assert_eq!(fs::read_dir(journal(&root).parent().unwrap()).unwrap().count(), 2);
}

#[test]
fn hooks_at_once_lose_no_count() {
    let root = TempDir::new().unwrap();
    let mut outcomes: Vec<char> = std::thread::scope(|scope| {
        let hooks: Vec<_> = (0..16)
            .map(|index| {
                scope.spawn({
                    let root = &root;
                    move || kind(&work(root, index).outcome)
                })
            })
            .collect();
        hooks.into_iter().map(|hook| hook.join().unwrap()).collect()
    });
    outcomes.sort_unstable();
    assert_eq!(outcomes.into_iter().collect::<String>(), "..SSSSSSSSSSSSww");
}

fn profiles() -> impl Strategy<Value = Profile> {
    (1_u32..30, 1_u32..6, 0_u32..6).prop_map(|(window_minutes, warn_at, more)| Profile {
        window_minutes,
        warn_at,
        stop_at: warn_at + more,
        ..Profile::default()
    })
}

proptest! {
    #[test]
    fn no_window_holds_more_than_allowed(profile in profiles(), waits in prop::collection::vec(0_u64..600, 1..60)) {
        let mut now = Duration::from_hours(500_000);
        let mut count = Count::default();
        let mut done: Vec<Duration> = Vec::new();
        for wait in waits {
            now += Duration::from_secs(wait);
            let recent = done.iter().filter(|time| now.saturating_sub(**time) < profile.window()).count();
            let (next, outcome) = step(&count, now, Role::Conductor, &profile);
            let wanted = if recent + 1 >= profile.stop_at as usize { 'S' } else if recent + 1 >= profile.warn_at as usize { 'w' } else { '.' };
            prop_assert_eq!(kind(&outcome), wanted);
            if wanted != 'S' {
                done.push(now);
            }
            prop_assert!(next.len() < profile.stop_at as usize || next.is_empty());
            count = next;
        }
    }

    #[test]
    fn a_clock_that_jumps_stops_nobody_for_long(profile in profiles(), times in prop::collection::vec(any::<u32>(), 0..60), now in any::<u32>()) {
        let mut count = Count::default();
        for time in times {
            count = step(&count, Duration::from_secs(time.into()), Role::Conductor, &profile).0;
        }
        // Whatever the clock said before: only what is within a window of now counts.
        let now = Duration::from_secs(now.into());
        let near = count.times().iter().filter(|time| time.abs_diff(now) < profile.window()).count();
        let (_, outcome) = step(&count, now, Role::Conductor, &profile);
        prop_assert_eq!(matches!(outcome, Outcome::Stop(_)), near + 1 >= profile.stop_at as usize);
    }

    #[test]
    fn any_journal_is_taken(content in prop::collection::vec(any::<u8>(), 0..200)) {
        let root = TempDir::new().unwrap();
        work(&root, 0);
        fs::copy(write(&root, "content", content), journal(&root)).unwrap();
        prop_assert_eq!(kind(&work(&root, 1).outcome), '.');
    }
}
