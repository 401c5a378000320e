//! What patterns hold, what they allow, and what they must not.

use proptest::prelude::*;
use rstest::rstest;

use super::CommandPattern;
use crate::invocation::{Arg, Elsewhere, Invocation, Stream, Use};

fn call(words: &str) -> Invocation {
    let arg = |word: &str| match word {
        "…" => Arg::unknown(),
        word if word.contains('?') => Arg::glob(word),
        word => Arg::new(word),
    };
    Invocation::of(words.split_whitespace().map(arg).collect::<Vec<_>>())
}

fn pattern(text: &str) -> CommandPattern {
    CommandPattern::new(text).unwrap()
}

#[rstest]
#[case("docker compose down -v", &[
    "docker compose down -v",
    "docker compose --project-name x down --remove-orphans -v",
    "docker -H tcp://x compose -f a.yml -f b.yml down -v web",
    "docker compose down -vt 5",
    "/usr/bin/docker compose down -tv",
    "docker compose … down -v",
], &[
    "docker compose down",
    "docker compose up -v",
    "docker-compose down -v",
    "docker down -v compose",
    "echo docker compose down -v",
    "docker compose logs down -v",
    "docker compose down -- -v",
])]
#[case("terraform apply", &[
    "terraform apply", "terraform apply plan.out", "terraform -chdir=x apply -auto-approve",
], &["terraform plan", "terraform plan apply", "terraform", "terraform …"])]
#[case("terraform apply -auto-approve", &[
    "terraform apply -auto-approve", "terraform apply --auto-approve", "terraform apply -auto-approve=true",
], &["terraform apply", "terraform apply -a -u -t -o"])]
#[case("rm -rf **", &["rm -rf x", "rm -fr x y", "rm -r -f x", "rm x -f -r", "rm -rvf x"], &["rm -r x", "rm -f x", "rm --rf-x y"])]
#[case("git push --force", &[
    "git push --force", "git push origin --forc", "git -C /x push origin main --force", "git push --force=yes",
], &["git push --force-with-lease", "git push --fo", "git push -f", "git commit --force"])]
#[case("kubectl delete --all-namespaces", &["kubectl delete --all-namespaces", "kubectl delete pod --all-name"], &["kubectl delete pod --all"])]
#[case("git push {-f,--force}", &["git push -f", "git push -uf", "git push --force"], &["git push"])]
#[case("{npm,pnpm} publish", &["npm publish", "pnpm publish .", "npm --access public publish"], &["yarn publish", "npm run publish"])]
#[case("kubectl -n prod delete", &[
    "kubectl delete -n prod pod x", "kubectl -n prod delete pod x", "kubectl delete pod x -nprod", "kubectl delete pod -n=prod",
], &["kubectl delete -n dev pod x", "kubectl get -n prod pod", "kubectl delete prod"])]
#[case("deploy --env=prod*", &["deploy --env=production", "deploy --env prod", "deploy now --env=prod -v"], &["deploy --env=dev", "deploy --env dev prod", "deploy prod"])]
#[case("git push * main", &["git push origin main", "git push -u origin main"], &["git push origin feat", "git push main"])]
#[case("git ** main", &["git push origin main", "git merge main", "git main"], &["git push origin"])]
#[case("make deploy-*", &["make deploy-prod", "make -j4 deploy-x"], &["make deploy", "make test deploy-x"])]
#[case("psql ** 'drop table'", &[], &["psql drop table"])]
#[case("./scripts/reset.sh", &["./scripts/reset.sh now"], &["reset.sh", "other/reset.sh"])]
#[case("shutdown", &["shutdown", "shutdown -h now", "/sbin/shutdown"], &["echo shutdown", "…"])]
fn a_hold_is_generous(#[case] text: &str, #[case] held: &[&str], #[case] free: &[&str]) {
    let pattern = pattern(text);
    let wrong: Vec<_> = held
        .iter()
        .filter(|words| !pattern.holds(&call(words)))
        .chain(free.iter().filter(|words| pattern.holds(&call(words))))
        .collect();
    assert_eq!(wrong, Vec::<&&str>::new());
}

#[rstest]
#[case("git push --force-with-lease **", &[
    "git push --force-with-lease", "git push --force-with-lease origin feat", "git push origin feat --force-with-lease",
    "/usr/bin/git push --force-with-lease",
], &[
    "git push", "git push --force-with-lease --no-verify origin feat", "git -C /x push --force-with-lease",
    "git push --force-with-lease=feat", "git push --force-with origin", "./git push --force-with-lease",
    "git push --force-with-lease … feat", "git push --force-with-lease origin f?", "git push --force-with-lease -- origin",
])]
#[case("npm publish -* **", &["npm publish", "npm publish --tag next ./x", "npm publish -d"], &[
    "npm -d publish", "npm --registry=x publish", "npm run publish",
])]
#[case("rm -rf build", &["rm -rf build", "rm -fr build", "rm -r -f build"], &[
    "rm -rf build dist", "rm -rf", "rm -rfv build", "rm -r build", "rm -rf build/..",
])]
#[case("make {test,lint}", &["make test", "make lint"], &["make", "make deploy", "make test deploy", "make -j test"])]
#[case("deploy --env=dev", &["deploy --env=dev"], &["deploy --env=prod", "deploy --env dev", "deploy"])]
#[case("kubectl delete pod *", &["kubectl delete pod x"], &["kubectl delete pod", "kubectl delete pod x y", "kubectl delete ns x"])]
#[case("git checkout -- **", &["git checkout -- a b"], &["git checkout a"])]
#[case("/opt/x/deploy now", &["/opt/x/deploy now"], &["/opt/y/deploy now", "deploy now"])]
fn an_allow_is_strict(#[case] text: &str, #[case] allowed: &[&str], #[case] refused: &[&str]) {
    let pattern = pattern(text);
    let wrong: Vec<_> = allowed
        .iter()
        .filter(|words| !pattern.allows(&call(words)))
        .chain(refused.iter().filter(|words| pattern.allows(&call(words))))
        .collect();
    assert_eq!(wrong, Vec::<&&str>::new());
}

#[test]
fn an_allow_is_about_nothing_but_arguments() {
    let pattern = pattern("make test");
    let plain = call("make test");
    let also =
        [plain.clone(), Invocation { redirects: vec![(Use::Write, "/dev/null".into())], ..plain.clone() }];
    let not = [
        Invocation { env: vec![("SHELL".to_owned(), "/tmp/x".into())], ..plain.clone() },
        Invocation { redirects: vec![(Use::Write, "out".into())], ..plain.clone() },
        Invocation { stdin: Stream::Output, ..plain.clone() },
        Invocation { elevated: true, ..plain.clone() },
        Invocation { elsewhere: Some(Elsewhere::Container), ..plain.clone() },
        Invocation { open_ended: true, ..plain },
    ];
    assert!(also.iter().all(|call| pattern.allows(call)));
    assert!(not.iter().all(|call| !pattern.allows(call) && pattern.holds(call)));
}

#[test]
fn what_xargs_adds_can_be_any_word_but_not_a_certain_one() {
    let open = |words| Invocation { open_ended: true, ..call(words) };
    assert!(pattern("docker rm *").holds(&open("docker rm")));
    assert!(pattern("docker rm ** *").holds(&open("docker rm")));
    assert!(!pattern("docker rm db").holds(&open("docker rm")));
    assert!(!pattern("docker rm *").holds(&call("docker rm")));
}

#[rstest]
#[case("", "the pattern is empty: write the program and its arguments, like `terraform apply`")]
#[case("  ", "the pattern is empty: write the program and its arguments, like `terraform apply`")]
#[case("**", "the pattern does not name its program: begin it with one, like `terraform apply`")]
#[case("* x", "the pattern does not name its program: begin it with one, like `terraform apply`")]
#[case("{a,} x", "the pattern does not name its program: begin it with one, like `terraform apply`")]
#[case("a 'b", "a quote in the pattern is not closed")]
#[case("a {b,{c,d}}", "alternatives in braces cannot be nested: write two patterns")]
#[case("a && b", "`&` is not part of a command: write one pattern for each command")]
#[case("curl ** | sh", "`|` is not part of a command: write one pattern for each command")]
#[case(
    "a {b,c}{b,c}{b,c}{b,c}{b,c}{b,c}{b,c}",
    "the pattern has more than 64 alternatives in a word: split it"
)]
fn what_is_no_pattern_says_why(#[case] text: &str, #[case] why: &str) {
    assert_eq!(CommandPattern::new(text).unwrap_err().to_string(), why);
}

#[test]
fn quotes_take_the_meaning_away() {
    let literal = pattern(r#"find . -name '*.rs' "{a,b}" \**"#);
    let found = Invocation::of(["find", ".", "-name", "*.rs", "{a,b}", "*x"]);
    assert!(literal.holds(&found));
    assert!(!literal.holds(&Invocation::of(["find", ".", "-name", "a.rs", "{a,b}", "*x"])));
}

/// Words that are no pattern and no option.
fn word() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9/.]{0,5}"
}

proptest! {
    /// Whatever is allowed by a pattern is also what it would hold: strict is less than generous.
    #[test]
    fn what_is_allowed_would_be_held(
        words in prop::collection::vec(prop_oneof!["[ab]", "-[ab]{1,2}", "--[ab]", "--[ab]=[ab]"], 0..6),
        pieces in prop::collection::vec(prop_oneof!["[ab]", "-[ab]{1,2}", "--[ab]", "--[ab]=[ab]", Just("*".to_owned()), Just("**".to_owned()), Just("-*".to_owned())], 0..5),
    ) {
        let call = Invocation::of(std::iter::once("x").chain(words.iter().map(String::as_str)).collect::<Vec<_>>());
        // `-*` need not be there for an allowance, but has to be for a hold.
        let text = format!("x {}", pieces.join(" "));
        let held = format!("x {}", pieces.iter().filter(|piece| *piece != "-*").cloned().collect::<Vec<_>>().join(" "));
        if pattern(&text).allows(&call) {
            prop_assert!(pattern(&held).holds(&call), "{} {:?}", text, words);
        }
    }

    /// Options that are put anywhere behind the program, and words behind the end, do not free a call.
    #[test]
    fn more_options_and_words_change_nothing(
        program in "[a-z]{1,5}",
        mut words in prop::collection::vec(word(), 0..5),
        option in "-[A-Z]|--[A-Z]{2,5}(=x)?",
        at in any::<prop::sample::Index>(),
        more in word(),
    ) {
        words.insert(0, program);
        let pattern = pattern(&words.join(" "));
        let mut longer = words.clone();
        longer.insert(1 + at.index(words.len()), option);
        longer.push(more);
        prop_assert!(pattern.holds(&Invocation::of(words.iter().map(String::as_str))));
        prop_assert!(pattern.holds(&Invocation::of(longer.iter().map(String::as_str))));
    }

    /// A call allows itself, and nothing that has a word more or less.
    #[test]
    fn a_literal_pattern_allows_exactly_itself(words in prop::collection::vec(word(), 2..6), at in any::<prop::sample::Index>()) {
        prop_assume!(!words[0].contains('/'));
        let pattern = pattern(&words.join(" "));
        let of = |words: &[String]| Invocation::of(words.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert!(pattern.allows(&of(&words)));
        let mut other = words.clone();
        other.insert(1 + at.index(words.len()), "more".to_owned());
        prop_assert!(!pattern.allows(&of(&other)));
        prop_assert!(!pattern.allows(&of(&words[..words.len() - 1])));
    }

    /// No text and no call makes it panic.
    #[test]
    fn anything_can_be_compared(text in "[-a*{},'\"\\\\= ]{0,40}", words in prop::collection::vec("[-a*=\u{FFFF}]{0,6}", 0..8)) {
        if let Ok(pattern) = CommandPattern::new(&text) {
            let call = Invocation::of(std::iter::once("a").chain(words.iter().map(String::as_str)).collect::<Vec<_>>());
            let _ = (pattern.holds(&call), pattern.allows(&call));
        }
    }
}
