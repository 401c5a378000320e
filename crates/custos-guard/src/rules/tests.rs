//! Files, levels and what they come to.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use custos_config::yaml::Position;
use proptest::prelude::*;

use super::entry::{Entry, Flag, List, Ops, PACKS, Placed, Said, Setting};
use super::merge::{Catalogue, merge};
use super::policy::{Level, Policy};
use super::sources::Sources;
use super::{Loaded, load, load_fast};
use crate::verdict::{Hold, Rule};

mod verdicts;

macro_rules! rule {
    ($name:ident, $id:literal, $hold:ident) => {
        pub(super) static $name: Rule = Rule { id: $id, hold: Hold::$hold, reason: "does harm", safer: "" };
    };
}
rule!(FORCE, "git.force-push", Deny);
rule!(VERIFY, "git.no-verify", Ask);
rule!(DROP, "databases.drop", Ask);
rule!(WIPE, "databases.wipe", Deny);
pub(super) static CATALOGUE: Catalogue = Catalogue(&[&[&FORCE, &VERIFY], &[&DROP, &WIPE]]);

/// A home with room for the three files.
pub(super) struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { directory }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(super) fn sources(&self) -> Sources {
        Sources::new(Some(&self.path("config")), Some(&self.path("work")), Some(&self.path("repo")))
    }

    pub(super) fn file(&self, level: Level) -> PathBuf {
        self.sources().path(level).unwrap().to_owned()
    }

    /// Writes a file that was last changed a while ago, as files usually were.
    pub(super) fn write(&self, level: Level, text: impl AsRef<[u8]>) -> &Self {
        write(&self.file(level), text.as_ref());
        self
    }

    pub(super) fn read(&self, level: Level) -> String {
        fs::read_to_string(self.file(level)).unwrap()
    }

    pub(super) fn cache(&self) -> PathBuf {
        self.path("state/rules.bin")
    }

    pub(super) fn load(&self) -> Loaded {
        load(&self.sources(), &self.cache(), CATALOGUE)
    }

    pub(super) fn fast(&self) -> Policy {
        load_fast(&self.sources(), &self.cache(), CATALOGUE)
    }

    /// The problems, with this home as `~`.
    pub(super) fn problems(&self) -> String {
        self.load().policy.problems.join("\n").replace(self.directory.path().to_str().unwrap(), "~")
    }
}

pub(super) fn write(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::create(path).unwrap();
    file.write_all(text).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_mins(1)).unwrap();
}

/// One of everything.
pub(super) const EVERYTHING: &str = r#"# Mine.
protected_branches: [develop, "release/*"]
deny:
  commands:
    - terraform destroy
    - {run: "docker compose down -v", id: my.volumes, reason: deletes the volumes}
  paths: ["secrets/**", {path: ~/notes, op: [write, delete]}]
ask:
  commands: [npm install]
read_only: [vendor/**]
allow:
  commands: [git push --force-with-lease **]
  paths: [.env.test]
rules: {git.force-push: ask}
packs:
  databases: deny
  cloud: off
git:
  allow_push: false
  require_feature_branch: true
commit_gate: {enabled: true}
"#;

#[test]
fn everything_can_be_said() {
    let home = Home::new();
    home.write(Level::User, EVERYTHING);
    assert_eq!(home.problems(), "");
    let policy = home.load().policy;
    let own: Vec<_> = policy.commands.iter().map(|rule| (rule.id.as_str(), rule.hold)).collect();
    assert_eq!(
        own,
        [("user.terraform-destroy", Hold::Deny), ("my.volumes", Hold::Deny), ("user.npm-install", Hold::Ask)]
    );
    let paths: Vec<_> = policy.paths.iter().map(|rule| (rule.id.as_str(), rule.ops.to_string())).collect();
    assert_eq!(
        paths,
        [
            ("user.secrets", "any".to_owned()),
            ("user.notes", "write, delete".to_owned()),
            ("user.vendor", "write, delete".to_owned())
        ]
    );
    assert_eq!(
        [&FORCE, &VERIFY, &DROP, &WIPE].map(|rule| policy.hold_of(rule)),
        [Some(Hold::Ask), Some(Hold::Ask), Some(Hold::Deny), Some(Hold::Deny)]
    );
    assert!(["main", "master", "develop", "release/1.2"].iter().all(|branch| policy.protects(branch)));
    assert!(["feat", "release", "main2", "x/main"].iter().all(|branch| !policy.protects(branch)));
    assert_eq!(Flag::ALL.map(|flag| policy.flag(flag)), [true, false, false, false, true, true]);
}

/// The page for people, of which everything must work.
#[test]
fn what_the_documentation_shows_can_be_said() {
    let page = include_str!("../../../../docs/guard-rules.md");
    let examples: Vec<_> =
        page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(examples.len() > 3);
    for example in examples {
        let found = super::document::read(example).unwrap();
        assert_eq!(found.faults, []);
        assert!(!found.entries.is_empty());
    }
    for key in super::document::KEYS.into_iter().chain(PACKS).chain(Flag::ALL.map(|flag| flag.key().1)) {
        assert!(page.contains(&format!("`{key}`")), "{key} is not explained");
    }
}

#[test]
fn without_files_the_built_in_rules_apply() {
    let home = Home::new();
    assert_eq!(home.fast(), Policy::builtin());
    assert!(!home.cache().parent().unwrap().exists());
    assert_eq!(Policy::builtin().hold_of(&FORCE), Some(Hold::Deny));
    assert_eq!(Flag::ALL.map(|flag| Policy::builtin().flag(flag)), [true, true, false, false, false, false]);
}

#[test]
fn the_users_word_by_id_comes_before_his_word_by_pack() {
    let home = Home::new();
    home.write(Level::User, "packs: {databases: off}\nrules: {databases.drop: deny}\n");
    let policy = home.load().policy;
    assert_eq!((policy.hold_of(&DROP), policy.hold_of(&WIPE)), (Some(Hold::Deny), None));
}

#[test]
fn a_repo_tightens_what_the_user_loosened() {
    let home = Home::new();
    home.write(
        Level::User,
        "packs: {databases: off}\nrules: {git.force-push: off}\ngit: {allow_no_verify: true}\n",
    );
    home.write(
        Level::Repo,
        "packs: {databases: ask}\nrules: {git.force-push: ask}\ngit: {allow_no_verify: false}\n",
    );
    assert_eq!(home.problems(), "");
    let policy = home.load().policy;
    // A pack that is on does what its rules do by themselves.
    assert_eq!(
        [&FORCE, &DROP, &WIPE].map(|rule| policy.hold_of(rule)),
        [Some(Hold::Ask), Some(Hold::Ask), Some(Hold::Deny)]
    );
    assert!(!policy.flag(Flag::AllowNoVerify));
}

#[test]
fn what_a_clone_says_to_loosen_is_told_and_left_out() {
    let home = Home::new();
    home.write(
        Level::Repo,
        "allow: {commands: [rm -rf **], paths: [.env]}\nrules: {git.force-push: ask, git.no-verify: off}\n\
         packs: {databases: off}\ngit: {allow_no_verify: true, require_feature_branch: false}\n",
    );
    home.write(Level::Workspace, "deny: {paths: [keys]}\ngit: {allow_branch_delete: true}\n");
    insta::assert_snapshot!(home.problems());
    let policy = home.load().policy;
    assert!(policy.allowed_commands.is_empty() && policy.allowed_paths.is_empty());
    assert_eq!((policy.hold_of(&FORCE), policy.hold_of(&VERIFY)), (Some(Hold::Deny), Some(Hold::Ask)));
    assert_eq!(policy.paths.len(), 1);
}

#[test]
fn everything_that_is_wrong_is_told_and_the_rest_applies() {
    let home = Home::new();
    home.write(Level::User, include_str!("tests/wrong.yaml"));
    insta::assert_snapshot!(home.problems());
    let policy = home.load().policy;
    assert_eq!(
        policy.commands.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>(),
        ["user.good-command", "user.x"]
    );
    assert!(policy.protects("kept"));
}

#[test]
fn a_broken_file_leaves_its_last_good_version_in_force() {
    let home = Home::new();
    home.write(Level::User, "deny: {commands: [terraform apply]}\n");
    assert_eq!(home.fast().commands.len(), 1);
    let broken = "deny: {commands: [terraform apply\n";
    home.write(Level::User, broken);
    for _ in 0..2 {
        let policy = home.fast();
        assert_eq!((policy.commands.len(), policy.problems.len()), (1, 1));
    }
    home.write(Level::Repo, "deny: [\n");
    insta::assert_snapshot!(home.problems());
    assert_eq!(home.fast().commands.len(), 1);
    assert_eq!(home.read(Level::User), broken);
}

/// The file that is broken now may be another than the one that was good.
#[test]
fn what_a_last_good_version_allowed_does_not_come_back() {
    let home = Home::new();
    home.write(Level::User, EVERYTHING);
    let good = home.fast();
    assert!(!good.allowed_commands.is_empty() && !good.allowed_paths.is_empty());
    fs::remove_file(home.file(Level::User)).unwrap();
    assert_eq!(home.fast(), Policy::builtin());
    home.write(Level::User, "deny: [\n");
    let policy = home.fast();
    assert!(policy.allowed_commands.is_empty() && policy.allowed_paths.is_empty());
    // `git.force-push: ask` is gone, and `databases: deny` is not.
    assert_eq!([&FORCE, &DROP].map(|rule| policy.hold_of(rule)), [Some(Hold::Deny); 2]);
    assert_eq!((&policy.commands, &policy.paths), (&good.commands, &good.paths));
    assert_eq!(policy.flag(Flag::AllowPush), good.flag(Flag::AllowPush));
}

#[cfg(unix)]
#[test]
fn a_clones_file_behind_a_link_is_not_read() {
    let home = Home::new();
    write(&home.path("elsewhere/policies/safety.yaml"), b"deny: {commands: [make]}\n");
    fs::create_dir_all(home.path("repo")).unwrap();
    std::os::unix::fs::symlink(home.path("elsewhere"), home.path("repo/.ai")).unwrap();
    insta::assert_snapshot!(home.problems(), @"~/repo/.ai/policies/safety.yaml: this is reached through a link, and files that come with a clone are not followed elsewhere: replace the link by what it leads to. Until then, none of its rules apply, only the built-in ones and those of other files");
    // Without rules behind it, the link is nobody's business.
    fs::remove_file(home.path("elsewhere/policies/safety.yaml")).unwrap();
    assert_eq!(home.problems(), "");
}

#[test]
fn hostile_files_are_refused_quickly() {
    let mut bomb = String::from("l0: &l0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n");
    for level in 1..10 {
        bomb.push_str(&format!("l{level}: &l{level} [{}]\n", vec![format!("*l{}", level - 1); 9].join(", ")));
    }
    bomb.push_str("deny: {commands: *l9}\n");
    let many = format!("deny:\n  commands:\n{}", "    - a b\n".repeat(3000));
    let distinct: String = (0..3000).map(|number| format!("    - a {number}\n")).collect();
    let unknown: String = (0..3000).map(|number| format!("k{number}: 1\n")).collect();
    let files = [
        bomb,
        "[".repeat(60_000),
        "a: ".repeat(20_000),
        "- ".repeat(30_000),
        "x".repeat(70_000),
        many,
        format!("deny:\n  commands:\n{distinct}"),
        unknown,
        "\u{0}".to_owned(),
        "rules: {x: {y: !!binary z}}".to_owned(),
        "--- {}\n--- {}\n".to_owned(),
    ];
    for file in files {
        let home = Home::new();
        home.write(Level::Repo, &file);
        let loaded = home.load();
        assert!(!loaded.problems.is_empty() || loaded.policy.commands.len() == 1, "{}", &file[..40]);
        assert!(loaded.policy.commands.len() <= 500 && loaded.problems.len() <= 51);
    }
}

fn setting() -> impl Strategy<Value = Setting> {
    prop::sample::select(Setting::ALL.to_vec())
}

fn entry() -> impl Strategy<Value = Entry> {
    let list = prop::sample::select(vec![List::Deny, List::Ask, List::Allow]);
    let rules: Vec<_> = CATALOGUE.iter().map(|rule| rule.id.to_owned()).collect();
    let packs: Vec<_> = PACKS.map(str::to_owned).to_vec();
    prop_oneof![
        "[ab]".prop_map(Entry::Branch),
        (list.clone(), "[ab]( [ab]| \\*\\*)?", prop::option::of("[ab]\\.x"))
            .prop_map(|(list, pattern, id)| Entry::Command { list, pattern, id, reason: None }),
        (list, "/?[ab](/[ab])?").prop_map(|(list, pattern)| Entry::Path {
            list,
            pattern,
            ops: Ops::ANY,
            id: None,
            reason: None
        }),
        (prop::sample::select(rules), setting()).prop_map(|(id, to)| Entry::Rule { id, to }),
        (prop::sample::select(packs), setting()).prop_map(|(name, to)| Entry::Pack { name, to }),
        (prop::sample::select(Flag::ALL.to_vec()), any::<bool>())
            .prop_map(|(flag, value)| Entry::Flag { flag, value }),
    ]
}

/// What a file can say: each key once.
fn said(level: Level) -> impl Strategy<Value = Said> {
    prop::collection::vec(entry(), 0..8).prop_map(move |mut entries| {
        let mut keys = Vec::new();
        entries.retain(|entry| {
            let key = match entry {
                Entry::Rule { id, .. } => id.clone(),
                Entry::Pack { name, .. } => name.clone(),
                Entry::Flag { flag, .. } => flag.to_string(),
                _ => return true,
            };
            let is_new = !keys.contains(&key);
            keys.push(key);
            is_new
        });
        let at = Position { line: 1, column: 1 };
        let entries = entries.into_iter().map(|entry| Placed { entry, at }).collect();
        Said { level, root: (level != Level::User).then(|| "/r".to_owned()), entries }
    })
}

/// Everything that a policy decides, for a world of calls and paths that is small enough to go through.
fn decisions(policy: &Policy) -> Vec<Option<Hold>> {
    use super::{Place, Target};
    use crate::invocation::Invocation;
    use crate::path::Access;
    let strongest = |holds: &mut dyn Iterator<Item = Hold>, allowed: bool| {
        holds.max().filter(|hold| *hold == Hold::Deny || !allowed)
    };
    let mut decisions: Vec<_> = CATALOGUE.iter().map(|rule| policy.hold_of(rule)).collect();
    decisions.extend(Flag::ALL.map(|flag| (policy.flag(flag) != flag.is_allowance()).then_some(Hold::Deny)));
    decisions.extend(["a", "b"].map(|branch| policy.protects(branch).then_some(Hold::Deny)));
    for words in [&["a"][..], &["b"], &["a", "a"], &["a", "b"], &["b", "a"], &["b", "b"], &["a", "b", "a"]] {
        let call = Invocation::of(words.iter().copied());
        decisions.push(strongest(&mut policy.against(&call).map(|rule| rule.hold), policy.allows(&call)));
    }
    let place = Place { home: None, root: "/r" };
    for path in ["/a", "/b", "/r/a", "/r/b", "/a/b", "/r/a/b", "/r/b/a"] {
        let target = Target::exactly(path);
        let mut holds = policy.against_path(target, Access::Read, place).map(|rule| rule.hold);
        decisions.push(strongest(&mut holds, policy.allows_path(target, Access::Read, place)));
    }
    decisions
}

fn merged(said: &[Said]) -> Vec<Option<Hold>> {
    decisions(&merge(said, CATALOGUE).0)
}

proptest! {
    /// Whatever a workspace or repo says, nothing is held less than without it.
    #[test]
    fn clones_only_tighten(user in said(Level::User), work in said(Level::Workspace), repo in said(Level::Repo)) {
        let alone = merged(std::slice::from_ref(&user));
        let with_work = merged(&[user.clone(), work.clone()]);
        let with_both = merged(&[user, work, repo]);
        // `Option`'s order is ours: nothing is less than ask, and ask is less than deny.
        prop_assert!(alone.iter().zip(&with_work).all(|(less, more)| less <= more), "{alone:?} {with_work:?}");
        prop_assert!(with_work.iter().zip(&with_both).all(|(less, more)| less <= more), "{with_work:?} {with_both:?}");
    }

    #[test]
    fn the_order_of_the_levels_does_not_matter(user in said(Level::User), work in said(Level::Workspace), repo in said(Level::Repo)) {
        let one = merged(&[user.clone(), work.clone(), repo.clone()]);
        let swapped = [user.clone(), Said { level: Level::Repo, ..work.clone() }, Said { level: Level::Workspace, ..repo.clone() }];
        prop_assert_eq!(&one, &merged(&swapped));
        prop_assert_eq!(&one, &merged(&[repo, work, user]));
    }

    #[test]
    fn saying_it_twice_says_no_more(user in said(Level::User), repo in said(Level::Repo)) {
        let once = merge(&[user.clone(), repo.clone()], CATALOGUE).0;
        let twice = merge(&[user.clone(), user, repo.clone(), repo], CATALOGUE).0;
        prop_assert_eq!(once, twice);
    }

    /// What somebody denies stays denied, whoever allows it.
    #[test]
    fn deny_beats_everything(user in said(Level::User), repo in said(Level::Repo), level in prop::sample::select(Level::ALL.to_vec())) {
        let at = Position { line: 1, column: 1 };
        let entry = |entry| Placed { entry, at };
        let (id, reason) = (None, None);
        let denial = Said { level, root: None, entries: vec![entry(Entry::Command { list: List::Deny, pattern: "a b".to_owned(), id, reason })] };
        let call = crate::invocation::Invocation::of(["a", "b", "c"]);
        let (policy, _) = merge(&[user, denial, repo], CATALOGUE);
        prop_assert_eq!(policy.against(&call).map(|rule| rule.hold).max(), Some(Hold::Deny));
    }

    /// Only the user's file can silence an ask.
    #[test]
    fn an_allow_of_a_clone_silences_nothing(work in said(Level::Workspace), repo in said(Level::Repo)) {
        let (policy, _) = merge(&[work, repo], CATALOGUE);
        prop_assert!(policy.allowed_commands.is_empty() && policy.allowed_paths.is_empty());
    }

    #[test]
    fn what_is_compiled_is_what_was_merged(user in said(Level::User), repo in said(Level::Repo)) {
        let (mut policy, faults) = merge(&[user, repo], CATALOGUE);
        policy.problems = faults.iter().map(|(_, fault)| fault.kind.to_string()).collect();
        prop_assert_eq!(super::wire::decode(&super::wire::encode(&policy)), Some(policy));
    }

    #[test]
    fn damaged_bytes_are_no_policy(user in said(Level::User), cut in any::<prop::sample::Index>(), flip in any::<u8>()) {
        let mut bytes = super::wire::encode(&merge(&[user], CATALOGUE).0);
        let at = cut.index(bytes.len());
        prop_assert_eq!(super::wire::decode(&bytes[..at]), None);
        bytes[at] ^= flip;
        // Whatever it is then, it is found out without a panic; the checksum of the cache is there for the rest.
        let _ = super::wire::decode(&bytes);
    }

    #[test]
    fn no_text_makes_reading_panic(text in "[a-z:{}\\[\\],\"'*&!|>#\\-\n ]{0,200}") {
        let _ = super::document::read(&text);
    }
}
