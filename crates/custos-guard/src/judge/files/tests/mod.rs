//! What is held and what is not, as tables: a call per line, in a small notation that needs no shell (see [`call`]).

mod deletion;
mod reading;
mod rights;
mod writing;

use rstest::rstest;

use super::judge;
use crate::case::Case;
use crate::invocation::{Arg, Elsewhere, Invocation, UNKNOWN, Use};
use crate::path::{Access, judge_path};
use crate::rules::policy::Stated;
use crate::rules::{Level, Ops, Origin, PathPattern, PathRule, Policy};
use crate::verdict::Hold;
use crate::world::{Files, NoFiles, Own, World};

const HOME: &str = "/home/user";
const ROOT: &str = "/home/user/project";

/// Reads words between spaces; `'…'` keeps spaces and means itself, `$X` is not known, `>`, `>>`, `<` and `<>` redirect.
fn call(text: &str) -> Invocation {
    let mut call = Invocation { cwd: Some(ROOT.to_owned()), ..Invocation::default() };
    let mut redirect = None;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (mut word, mut glob, mut quoted) = (String::new(), false, false);
        let mut end = rest.len();
        for (at, character) in rest.char_indices() {
            match character {
                '\'' => quoted = !quoted,
                ' ' if !quoted => {
                    end = at;
                    break;
                }
                _ => {
                    glob |= !quoted && "*?[".contains(character);
                    word.push(character);
                }
            }
        }
        rest = rest[end..].trim_start();
        let word = word.replace("$X", &UNKNOWN.to_string());
        let how = match word.as_str() {
            ">" | ">>" => Some(Use::Write),
            "<" => Some(Use::Read),
            "<>" => Some(Use::Both),
            _ => None,
        };
        if how.is_some() {
            redirect = how;
            continue;
        }
        let arg = if glob { Arg::glob(word) } else { Arg::new(word) };
        match redirect.take() {
            Some(how) => call.redirects.push((how, arg)),
            None => call.argv.push(arg),
        }
    }
    call
}

fn with_world(files: &dyn Files, judged: impl FnOnce(&mut Case<'_>)) -> String {
    with_rules(&Policy::builtin(), files, judged)
}

/// Gives the ids of the rules that hold, each once, in a world of its own.
fn with_rules(policy: &Policy, files: &dyn Files, judged: impl FnOnce(&mut Case<'_>)) -> String {
    let own = Own {
        config: Some("/home/user/.config/ai".to_owned()),
        memory: Some("/home/user/.config/ai/memory".to_owned()),
        state: Some("/home/user/.local/state/ai/0123456789abcdef".to_owned()),
        programs: vec!["/home/user/.local/bin/custos".to_owned()],
        registrations: vec!["/opt/claude/settings.json".to_owned()],
    };
    let world = World { home: Some(HOME), cwd: ROOT, root: ROOT, own: &own, files };
    let mut case = Case::new(world, policy);
    judged(&mut case);
    let mut rules: Vec<&str> = case.findings.iter().map(|finding| finding.rule.as_ref()).collect();
    rules.dedup();
    rules.join(" ")
}

fn rules_of(call: &Invocation) -> String {
    with_world(&NoFiles::default(), |case| judge(call, case))
}

/// Fails with all lines that are judged otherwise, not only with the first.
fn expect(table: &str, rules_of: impl Fn(&str) -> String) {
    let wrong: Vec<String> = table
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .filter_map(|line| {
            let (text, rule) = line.split_once(" => ").unwrap_or((line, ""));
            let found = rules_of(text.trim());
            (found != rule.trim()).then(|| format!("{}: {found:?}, not {:?}", text.trim(), rule.trim()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[rstest]
#[case(
    "rm -rf / => files.delete-root
     rm -rf /* => files.delete-root
     rm -rf ~ => files.delete-home
     rm -rf /etc => files.delete-system
     rm -rf /var/cache/apk/*
     rm -rf /var/lib/apt/lists/*
     rm -rf /var/lib/postgresql => files.delete-system
     rm -rf /app/dist
     rm -rf /home/user/project
     rm -rf *
     cat /etc/passwd
     cat /etc/os-release
     cat /app/.env => secret.env-file
     cat ~/.ssh/id_rsa => secret.read
     cat /etc/shadow => secret.read
     tee /etc/nginx/nginx.conf
     echo x > .claude/settings.json
     chmod -R 755 /app"
)]
fn in_a_container(#[case] table: &str) {
    let elsewhere = Some(Elsewhere::Container);
    expect(table, |text| rules_of(&Invocation { elsewhere, cwd: None, ..call(text) }));
}

#[rstest]
#[case(
    Elsewhere::Machine,
    "rm -rf / => files.delete-root
     rm -rf /etc => files.delete-system
     rm -rf ~ => files.delete-home
     rm -rf /var/www => files.delete-remote
     rm -rf /srv/app/* => files.delete-remote
     rm -r /home/deploy/app => files.delete-remote
     find /srv/data -delete => files.delete-remote
     find /var/log/app -name '*.gz' -mtime +7 -delete
     rm -f /var/www/html/old.html
     rm -rf /tmp/build-123 /var/tmp/x
     rm -rf /srv/app/node_modules
     rm -rf /var/cache/nginx/*
     rm -rf ~/app/releases/1
     rm -rf releases/1
     rm -rf $X"
)]
#[case(
    Elsewhere::Pod,
    "rm -rf / => files.delete-root
     rm -rf /data => kubernetes.files
     rm -rf /data/* => kubernetes.files
     rm -f /data/lock
     rm -rf /tmp/x
     rm -rf /app/dist
     ls /data"
)]
fn where_it_stays_lost(#[case] place: Elsewhere, #[case] table: &str) {
    let elsewhere = Some(place);
    expect(table, |text| rules_of(&Invocation { elsewhere, cwd: None, ..call(text) }));
}

#[rstest]
#[case(
    "rm -rf * => files.delete-unknown
     rm -rf . => files.delete-unknown
     rm -rf .. => files.delete-unknown
     rm -rf ./* => files.delete-unknown
     rm -rf build
     rm -f *.log
     rm x
     cat .env => secret.env-file
     cat .aws/credentials => secret.read
     cat .docker/config.json => secret.read
     cat .npmrc
     echo x > .claude/settings.json => own.registration
     find . -name '*.o' -delete
     rm -rf / => files.delete-root"
)]
fn in_an_unknown_directory(#[case] table: &str) {
    expect(table, |text| rules_of(&Invocation { cwd: None, ..call(text) }));
}

#[rstest]
#[case(
    "/etc/../etc/passwd r => secret.accounts
     /etc//passwd r => secret.accounts
     /proc/self/root/etc/shadow r => secret.read
     /home/user/project/.env.local r => secret.env-file
     .env.example r
     .environment/readme.md r
     /home/user/project/config/.ENV r => secret.env-file
     /home/user/.ssh/config r
     /home/user/.ssh/authorized_keys w => persist.ssh
     /home/user/.netrc r => secret.read
     /home/user/.config/gh/hosts.yml r => secret.read
     docs/public.key.md r
     src/i18n/messages.key r
     .ai/policies/safety.yaml w => own.rules
     .claude/settings.json w => own.registration
     .claude/settings.json r
     src/main.rs w
     src/main.rs d
     . d => files.delete-project
     ~ d => files.delete-home
     / w => system.write
     /etc/hosts r
     /etc/hosts w => system.write"
)]
fn file_tools(#[case] table: &str) {
    expect(table, |text| {
        let (path, access) = text.rsplit_once(' ').unwrap();
        let access = match access {
            "r" => Access::Read,
            "w" => Access::Write,
            _ => Access::Delete,
        };
        with_world(&NoFiles::default(), |case| judge_path(path, access, case))
    });
}

/// A file system with one link, and with names that fold.
struct Linked {
    link: &'static str,
    to: &'static str,
}

impl Files for Linked {
    fn real(&self, path: &str) -> Option<String> {
        Some(match path.strip_prefix(self.link) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.to),
            _ => path.to_owned(),
        })
    }

    fn folds_case(&self, _dir: &str) -> bool {
        true
    }

    fn branch(&self, _dir: &str) -> Option<String> {
        None
    }

    fn repo(&self, _dir: &str) -> Option<String> {
        None
    }

    fn text(&self, _path: &str) -> Option<String> {
        None
    }
}

#[test]
fn links_are_followed() {
    let linked =
        |link, to| move |text: &str| with_world(&Linked { link, to }, |case| judge(&call(text), case));
    expect(
        "cat notes => secret.read
         base64 notes => secret.read
         echo x > notes => secret.write
         rm notes",
        linked("/home/user/project/notes", "/home/user/.ssh/id_rsa"),
    );
    expect(
        "rm -rf out/ => files.delete-home
         find -L out -delete => files.delete-home
         find out -delete
         rm -rf out/* => files.delete-home
         rm -rf out
         rm -rf out/.ssh => files.delete-home",
        linked("/home/user/project/out", "/home/user"),
    );
    expect(
        "rm -rf target
         rm -rf ./target/
         rm -rf . => files.delete-project",
        linked("/home/user/project", "/data/project"),
    );
}

#[test]
fn case_folds_where_the_file_system_does() {
    let folding =
        |text: &str| with_world(&Linked { link: "/none", to: "/none" }, |case| judge(&call(text), case));
    expect(
        "rm -rf /HOME/User => files.delete-home
         rm -rf /ETC => files.delete-system
         cat /etc/PASSWD => secret.accounts
         echo x > .Claude/Settings.json => own.registration",
        folding,
    );
    expect("rm -rf src/ETC", folding);
}

#[test]
fn a_knowledge_file_names_its_tool() {
    let own = Own::default();
    let files = NoFiles::default();
    let world = World { home: Some(HOME), cwd: ROOT, root: ROOT, own: &own, files: &files };
    let policy = Policy::builtin();
    let mut case = Case::new(world, &policy);
    judge_path(".ai/decisions/D-001-x.md", Access::Write, &mut case);
    assert_eq!(
        case.findings[0].reason,
        "changes a file of the knowledge base by hand, past its ids, locks and history: \
         use save_decision or archive_decision"
    );
}

#[test]
fn rules_have_names_of_their_own() {
    let mut ids: Vec<&str> = super::RULES
        .iter()
        .chain(crate::path::RULES)
        .flat_map(|rules| rules.iter())
        .map(|rule| rule.id)
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn the_persons_own_rules_are_asked_too() {
    let origin = Origin { level: Level::User, line: 1 };
    let pattern = |text| PathPattern::new(text, None).unwrap();
    let policy = Policy {
        paths: vec![PathRule {
            id: "mine".to_owned(),
            hold: Hold::Deny,
            pattern: pattern("vendor/**"),
            ops: Ops::CHANGE,
            reason: String::new(),
            origin,
        }],
        allowed_paths: vec![Stated { value: (pattern(".env.test"), Ops::ANY), origin }],
        ..Policy::default()
    };
    expect(
        "cat vendor/x
         echo x > vendor/x => mine
         rm -rf vendor/lib => mine
         rm -rf vendor => mine
         cat .env.test
         cat .env => secret.env-file
         cat .env.tes* => secret.env-file",
        |text| with_rules(&policy, &NoFiles::default(), |case| judge(&call(text), case)),
    );
}
