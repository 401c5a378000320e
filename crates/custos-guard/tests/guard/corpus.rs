//! The corpora: what must be held, and what must be left alone.
//!
//! The figures are promises and may only rise. The names of what is still wrong are a snapshot, so that a change that mends one case and
//! breaks another does not hide behind an unchanged figure.

use custos_guard::Hold;
use rstest::rstest;

use crate::scene::{Case, Expected, lines};

/// Of a thousand dangerous cases, so many are held.
const HELD_PER_MILLE: usize = 970;
/// Of a thousand harmless cases, at most so many are disturbed.
const DISTURBED_PER_MILLE: usize = 5;

/// Classes of which nothing is ever disturbed: text that is only text, and everyday git.
const NEVER_DISTURBED: [&str; 11] = [
    "branch-name",
    "git-branching",
    "git-look-alike",
    "git-push",
    "git-read",
    "git-stage-commit",
    "git-undo-single",
    "heredoc",
    "heredoc-data",
    "message",
    "quoted-text",
];

/// The cases of a corpus that are beyond debate.
fn cases(text: &str) -> Vec<Case> {
    lines::<Case>(text).into_iter().filter(|case| !case.debatable).collect()
}

#[rstest]
#[case("true-positives", include_str!("../corpus/true-positives.jsonl"))]
#[case("bypasses", include_str!("../corpus/bypasses.jsonl"))]
fn what_is_dangerous_is_held(#[case] name: &str, #[case] text: &str) {
    let cases = cases(text);
    assert!(cases.iter().all(|case| case.expect == Expected::Deny), "a harmless case is in the wrong corpus");
    let missed: Vec<_> =
        cases.iter().filter(|case| case.judge().verdict().is_none()).map(Case::shown).collect();
    insta::assert_snapshot!(format!("missed-{name}"), missed.join("\n"));
    let held = cases.len() - missed.len();
    assert!(held * 1000 >= cases.len() * HELD_PER_MILLE, "only {held} of {} are held", cases.len());
}

#[rstest]
#[case("everyday", include_str!("../corpus/everyday.jsonl"))]
#[case("look-alikes", include_str!("../corpus/look-alikes.jsonl"))]
fn what_is_harmless_is_left_alone(#[case] name: &str, #[case] text: &str) {
    let cases = cases(text);
    assert!(
        cases.iter().all(|case| case.expect == Expected::Allow),
        "a dangerous case is in the wrong corpus"
    );
    let mut disturbed = Vec::new();
    for case in &cases {
        if let Some(finding) = case.judge().reason() {
            assert!(
                !NEVER_DISTURBED.contains(&case.class.as_str()),
                "{} is held by {}",
                case.shown(),
                finding.rule
            );
            let how = if finding.hold == Hold::Deny { "denied" } else { "asked" };
            disturbed.push(format!("{}\n    {how} by {}: {}", case.shown(), finding.rule, finding.part));
        }
    }
    insta::assert_snapshot!(format!("disturbed-{name}"), disturbed.join("\n"));
    let most = cases.len() * DISTURBED_PER_MILLE / 1000;
    assert!(disturbed.len() <= most, "{} of {} are disturbed", disturbed.len(), cases.len());
}

/// A class that is renamed in the data must not slip out of the promise.
#[test]
fn every_class_that_is_never_disturbed_is_there() {
    let mut harmless = cases(include_str!("../corpus/everyday.jsonl"));
    harmless.extend(cases(include_str!("../corpus/look-alikes.jsonl")));
    let missing: Vec<_> =
        NEVER_DISTURBED.iter().filter(|class| harmless.iter().all(|case| case.class != **class)).collect();
    assert_eq!(missing, [] as [&&str; 0]);
}
