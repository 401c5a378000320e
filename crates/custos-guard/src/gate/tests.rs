//! What counts as the end of a command, and what the gate makes of it.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case("git commit -m x #!custos pr=12 repo=acme/site", Some(12))]
#[case("git commit -m x #!axme pr=12 repo=acme/site", Some(12))]
#[case("git push #!custos pr=none repo=acme/site", None)]
#[case("git push\t#!custos repo=acme/site pr=none \n", None)]
#[case("git add . && git commit -m x && git push #!custos pr=12 repo=acme/site", Some(12))]
#[case("git push\n#!custos pr=12 repo=acme/site", Some(12))]
#[case("git push \\\n#!custos pr=12 repo=acme/site", Some(12))]
#[case("git commit -F - <<'EOF'\nit's done\nEOF\n#!custos pr=12 repo=acme/site", Some(12))]
#[case("git commit -m \"$(cat <<'EOF'\nfix # this\nEOF\n)\" #!custos pr=12 repo=acme/site", Some(12))]
#[case("git commit -m 'a #!custos pr=1 repo=x/y' #!custos pr=12 repo=acme/site", Some(12))]
#[case("git commit -m a\\\\ #!custos pr=12 repo=acme/site", Some(12))]
#[case("git push # as agreed #!custos pr=12 repo=acme/site", Some(12))]
fn the_end_says(#[case] text: &str, #[case] pr: Option<u32>) {
    assert_eq!(suffix(text), Ok(Some(Suffix { pr, repo: "acme/site".parse().unwrap() })));
}

#[rstest]
#[case::nothing("git push")]
#[case::quoted("git commit -m 'x #!custos pr=1 repo=a/b'")]
#[case::quoted_last_line("git commit -m 'x\n#!custos pr=1 repo=a/b'")]
#[case::still_open("git commit -m 'x #!custos pr=1 repo=a/b")]
#[case::heredoc("git commit -F - <<EOF\nx #!custos pr=1 repo=a/b")]
#[case::heredoc_line("git commit -F - <<EOF\n#!custos pr=1 repo=a/b\nEOF")]
#[case::within_a_word("git commit -m x#!custos pr=1 repo=a/b")]
#[case::escaped_blank("git commit -m x\\ #!custos pr=1 repo=a/b")]
#[case::joined_line("git commit -m x\\\n#!custos pr=1 repo=a/b")]
#[case::escaped("git commit -m x \\#!custos pr=1 repo=a/b")]
#[case::not_the_end("git commit -m x #!custos pr=1 repo=a/b\ngit push")]
#[case::another_word("git push #!customs pr=1 repo=a/b")]
#[case::unfinished("git push && #!custos pr=1 repo=a/b")]
#[case::empty("")]
fn the_end_says_nothing(#[case] text: &str) {
    assert_eq!(suffix(text), Ok(None));
}

#[rstest]
#[case("", GateError::Missing("pr"))]
#[case(" pr=1", GateError::Missing("repo"))]
#[case(" repo=a/b", GateError::Missing("pr"))]
#[case(" pr=0 repo=a/b", GateError::Number)]
#[case(" pr=+1 repo=a/b", GateError::Number)]
#[case(" pr=01 repo=a/b", GateError::Number)]
#[case(" pr= repo=a/b", GateError::Number)]
#[case(" pr=4294967296 repo=a/b", GateError::Number)]
#[case(" pr=12; repo=a/b", GateError::Number)]
#[case(" pr=1 pr=2 repo=a/b", GateError::Twice("pr"))]
#[case(" pr=1 repo=a/b repo=a/c", GateError::Twice("repo"))]
#[case(" pr=1 repo=a/b please", GateError::More)]
#[case(" pr=1 repo=a", GateError::Repo)]
#[case(" pr=1 repo=a/b/c", GateError::Repo)]
#[case(" pr=1 repo=-a/b", GateError::Repo)]
#[case(" pr=1 repo=a/-b", GateError::Repo)]
#[case(" pr=1 repo=a/..", GateError::Repo)]
#[case(" pr=1 repo=/b", GateError::Repo)]
#[case(" pr=1 repo=a/$(id)", GateError::Repo)]
#[case(" pr=1 repo=a/b;id", GateError::Repo)]
fn the_end_says_it_wrongly(#[case] fields: &str, #[case] error: GateError) {
    assert_eq!(suffix(&format!("git push #!custos{fields}")), Err(error));
}

/// GitHub, as far as a test needs it.
struct Forge(Result<PrState, &'static str>);

impl PullRequests for Forge {
    fn state(&self, _repo: &Repo, _number: u32, _deadline: Instant) -> Result<PrState, String> {
        self.0.map_err(str::to_owned)
    }
}

fn shut(text: &str, answer: Result<PrState, &'static str>) -> Option<String> {
    let checked = check(text, &Forge(answer), Instant::now() + Duration::from_secs(1));
    let finding = checked.err()?.finding("git push");
    Some(format!("{}: {}; {}", finding.rule, finding.reason, finding.safer))
}

#[test]
fn the_gate_opens_for_work_that_can_still_land() {
    let command = "git push #!custos pr=12 repo=acme/site";
    assert_eq!(shut(command, Ok(PrState::Open)), None);
    assert_eq!(shut(command, Ok(PrState::Closed)), None);
    // Nobody is asked where no pull request is named.
    assert_eq!(shut("git push #!custos pr=none repo=acme/site", Err("asked")), None);
}

#[test]
fn every_refusal_says_what_to_do() {
    let command = "git push #!custos pr=12 repo=acme/site";
    let shut = [
        shut("git push", Ok(PrState::Open)),
        shut("git push #!custos pr=x repo=acme/site", Ok(PrState::Open)),
        shut(command, Ok(PrState::Merged)),
        shut(command, Err("no answer within 3 s\u{1b}[2J")),
    ];
    insta::assert_snapshot!(shut.map(Option::unwrap).join("\n"), @r"
    gate.no-suffix: commits or pushes without saying for which pull request; end the command with ` #!custos pr=<number> repo=<owner/name>`, or `pr=none` if there is no pull request yet
    gate.bad-suffix: does not say in a readable way for which pull request it is: `pr=` takes the number of a pull request, or `none`; end the command with exactly ` #!custos pr=<number|none> repo=<owner/name>`
    gate.merged: is for pull request 12 of acme/site, which is already merged, so that it would land nowhere; start a branch from the updated main branch and end the command with ` #!custos pr=none repo=<owner/name>`
    gate.unchecked: is for pull request 12 of acme/site, whose state cannot be checked: no answer within 3 s\u{1b}[2J; see that `gh pr view` works here, then run the command again as it is
    ");
}

#[test]
fn gh_is_asked_with_plain_arguments_and_its_answer_read() {
    assert_eq!(
        argv(&"acme/site".parse().unwrap(), 12),
        ["gh", "pr", "view", "12", "--repo", "acme/site", "--json", "state"]
    );
    assert_eq!(read_answer(b"{\"state\":\"MERGED\"}\n"), Ok(PrState::Merged));
    assert_eq!(read_answer(b"{\"state\":\"OPEN\"}"), Ok(PrState::Open));
    assert!(read_answer(b"{\"state\":\"DRAFT\"}").is_err());
    assert!(read_answer(b"").is_err());
}

proptest! {
    #[test]
    fn what_is_said_is_read(pr in proptest::option::of(1_u32..), owner in "[a-zA-Z0-9][a-zA-Z0-9-]{0,20}", name in "[a-z0-9_][a-z0-9._-]{1,20}") {
        let suffix_said = Suffix { pr, repo: format!("{owner}/{name}").parse().unwrap() };
        prop_assert_eq!(suffix(&format!("git commit -m 'x' && git push {suffix_said}")), Ok(Some(suffix_said)));
    }

    #[test]
    fn what_is_quoted_says_nothing(text in "[ -&(-~\n]{0,40}") {
        prop_assert_eq!(suffix(&format!("echo '{text} #!custos pr=1 repo=a/b'")), Ok(None));
    }

    #[test]
    fn anything_can_be_asked(text in "\\PC{0,40}( |\n|\\\\|'|\")#!custos[ pr=repo/0-9]{0,20}") {
        let _ = suffix(&text);
    }
}
