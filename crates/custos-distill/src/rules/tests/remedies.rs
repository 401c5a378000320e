//! What a command put right, and how that is told.

use super::*;

/// Tells what is made of a run that failed, what was done, and the same run that passed.
fn told(error: &str, between: &[&str], passed: &str, message: &str) -> Vec<(String, Vec<String>)> {
    let mut steps = vec![ran("make charge", false, error)];
    steps.extend(between.iter().map(|line| ran(line, true, "")));
    steps.push(ran(passed, true, "ok"));
    let distilled = distil(&turn("run the job", steps, message), &[]);
    let told = distilled.observations.into_iter().map(|found| found.observation);
    told.map(|observation| (observation.title, observation.facts)).collect()
}

#[rstest]
#[case::started(
    "Error: connect ECONNREFUSED 127.0.0.1:5432", &["docker compose up -d db"], "make charge",
    "“Error: connect ECONNREFUSED 127.0.0.1:5432” until `docker compose up -d db`"
)]
#[case::piped(
    "Error: listen EADDRINUSE: address already in use :::3000", &["lsof -ti:3000 | xargs kill -9"], "make charge",
    "“Error: listen EADDRINUSE: address already in use :::3000” until `lsof -ti:3000 | xargs kill -9`"
)]
#[case::plain_variable(
    "KeyError: 'DATABASE_URL'", &[], "DATABASE_URL=postgres://localhost/dev make charge",
    "“KeyError: 'DATABASE_URL'” until `DATABASE_URL=postgres://localhost/dev make charge`"
)]
#[case::secret_by_its_name(
    "KeyError: 'STRIPE_API_KEY'", &[], "STRIPE_API_KEY=correct-horse make charge",
    "“KeyError: 'STRIPE_API_KEY'” until `STRIPE_API_KEY=… make charge`"
)]
#[case::secret_in_an_address(
    "KeyError: 'DATABASE_URL'", &[], "DATABASE_URL=postgres://jo:pw@db/dev make charge",
    "“KeyError: 'DATABASE_URL'” until `DATABASE_URL=… make charge`"
)]
fn what_helped_is_told(
    #[case] error: &str,
    #[case] between: &[&str],
    #[case] passed: &str,
    #[case] expected: &str,
) {
    assert_eq!(told(error, between, passed, "Done."), [(expected.to_owned(), Vec::new())]);
}

#[rstest]
#[case::by_itself(&[], "Done.")]
#[case::only_looks(&["ls", "docker ps", "git status"], "Done.")]
#[case::unrelated(&["git commit -m x"], "Done.")]
#[case::several(&["docker compose up -d db", "docker compose restart api"], "Done.")]
fn what_may_not_have_helped_is_not(#[case] between: &[&str], #[case] message: &str) {
    let error = "Error: connect ECONNREFUSED 127.0.0.1:5432";
    assert_eq!(told(error, between, "make charge", message), []);
}

#[test]
fn of_several_the_one_that_is_named_helped() {
    let error = "Error: connect ECONNREFUSED 127.0.0.1:5432";
    let message = "Postgres was down; `docker compose up -d db` starts it.";
    let between = ["docker compose up -d db", "docker compose restart api"];
    let made = told(error, &between, "make charge", message);
    let [(title, facts)] = &made[..] else { panic!("{made:?}") };
    assert!(format!("{title} {}", facts.join(" ")).contains("`docker compose up -d db`"), "{made:?}");
}

#[test]
fn a_package_that_was_missing_is_told_once() {
    let steps = vec![
        ran("pytest", false, "Exit code 1\nE   ModuleNotFoundError: No module named 'dateutil'"),
        ran("pip install python-dateutil", true, "Successfully installed python-dateutil-2.9"),
        ran("pytest", true, "3 passed"),
    ];
    let distilled = distil(&turn("run the tests", steps, "They pass."), &[]);
    let expected = "“ModuleNotFoundError: No module named 'dateutil'” until `pip install python-dateutil`";
    assert_eq!(titles(&distilled), [(Sort::Discovery, expected)]);
}
