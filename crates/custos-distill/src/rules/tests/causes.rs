//! One case for each thing that a turn may be about, in words of no session in particular.

use custos_model::Sort;
use rstest::rstest;

use super::{edit, ran, titles, turn};
use crate::Turn;
use crate::rules::distil;

const GREEN: &str = "12 passed in 1.10s";

#[rstest]
#[case::a_stop("stop, wrong place")]
#[case::a_change_of_mind("no wait, forget it, do the other one")]
#[case::a_pointer("same for the other one please")]
#[case::a_greeting("good morning! go on")]
fn what_only_points_names_nothing(#[case] prompt: &str) {
    let steps = vec![
        edit(
            "src/tax.py",
            "def rate(country):\n    return 19",
            "def rate(country):\n    return RATES[country]",
        ),
        ran("pytest -q", true, GREEN),
    ];
    for (_, title) in titles(&distil(&turn(prompt, steps, "Done."), &[])) {
        assert!(title.contains("rate") && title.contains("tax.py"), "{title}");
    }
}

#[rstest]
#[case::terraform("terraform validate", "Error: Reference to undeclared input variable")]
#[case::helm("helm lint chart", "[ERROR] templates/: parse error in deployment.yaml")]
#[case::mypy("mypy .", "jobs/a.py:3: error: Name \"Rate\" is not defined  [name-defined]")]
#[case::tsc("npx tsc --noEmit", "src/a.ts(1,5): error TS2304: Cannot find name 'x'.")]
fn a_slip_that_was_mended_at_once_is_nobodys_business(#[case] check: &str, #[case] error: &str) {
    let steps = vec![
        edit("deploy/main.tf", "ttl = 60", "ttl = var.lease_ttl\nname = var.lease_name"),
        ran(check, false, error),
        edit("deploy/variables.tf", "variable \"env\" {}", "variable \"env\" {}\nvariable \"lease_ttl\" {}"),
        ran(check, true, "Success"),
    ];
    let distilled = distil(&turn("make the lease configurable", steps, ""), &[]);
    let found: Vec<_> = titles(&distilled);
    assert!(found.iter().all(|(sort, _)| *sort != Sort::Bugfix), "{found:?}");
    assert!(!format!("{distilled:?}").contains("ndeclared"), "{distilled:?}");
}

#[test]
fn what_was_taken_back_is_found_out_and_not_done() {
    let broken = "src/http.ts(4,10): error TS2305: Module '\"undici\"' has no exported member 'Pool'.";
    let first = turn(
        "try undici 7 instead of 6",
        vec![
            ran("npm i undici@7", true, "added 1 package"),
            edit("src/http.ts", "import { Client } from 'undici'", "import { Pool } from 'undici'"),
            ran("npx tsc --noEmit", false, broken),
        ],
        "undici 7 needs Node 20, but the image has 18: `Pool` moved to another entry point.",
    );
    let second = turn(
        "ok, not worth it. throw it away",
        vec![ran("git checkout -- .", true, ""), ran("npx tsc --noEmit", true, "")],
        "Reverted.",
    );
    assert_eq!(titles(&distil(&first, &[])), []);
    let distilled = distil(&second, &[first]);
    let found = titles(&distilled);
    assert!(
        matches!(found.as_slice(), [(Sort::Discovery, title)] if title.contains("undici 7")),
        "{found:?}"
    );
}

#[rstest]
#[case::a_label(edit("web/Cart.tsx", "<Button>Buy now</Button>", "<Button>Order now</Button>"))]
#[case::a_typo(edit("src/a.go", "// Recieves a mail.\nfunc A() {}", "// Receives a mail.\nfunc A() {}"))]
#[case::form(edit("src/a.rs", "fn a(){b()}", "fn a() {\n    b()\n}"))]
#[case::the_own_version(edit("pyproject.toml", "version = \"2.0.1\"", "version = \"2.0.2\""))]
fn trifles_leave_nothing(#[case] step: crate::Step) {
    assert_eq!(titles(&distil(&turn("please change that line", vec![step], "Done."), &[])), []);
}

#[rstest]
#[case::a_port(
    "npm run dev",
    "Error: listen EADDRINUSE: address already in use :::5173",
    "kill 8123",
    "Port 5173 war noch belegt: ein alter `vite`-Prozess hing, nach `kill 8123` läuft `npm run dev`."
)]
#[case::a_service(
    "./gradlew test",
    "FAILURE: Build failed with an exception.\n* What went wrong:\nConnection to localhost:5433 refused",
    "docker compose up -d postgres",
    "Le conteneur `postgres` ne tournait pas ; avec `docker compose up -d postgres` les tests passent."
)]
fn what_lay_around_the_code_is_told(
    #[case] line: &str,
    #[case] error: &str,
    #[case] deed: &str,
    #[case] told: &str,
) {
    let steps = vec![ran(line, false, error), ran(deed, true, ""), ran(line, true, "BUILD SUCCESSFUL in 3s")];
    let distilled = distil(&turn("hm, warum?", steps, told), &[]);
    let found = titles(&distilled);
    assert!(matches!(found.as_slice(), [(Sort::Discovery, _)]), "{found:?}");
    let one = &distilled.observations[0].observation;
    assert!(format!("{} {} {:?}", one.title, one.narrative, one.facts).contains(deed), "{one:?}");
}

fn timed(seconds: &str) -> String {
    format!("rows: 12\nQuery took {seconds} s\n")
}

#[test]
fn what_was_measured_before_and_after_is_told() {
    let steps = vec![
        ran("bin/report --all", true, &timed("8.41")),
        edit("lib/report.rb", "def rows\n  all.map\nend", "def rows\n  all.in_batches.map\nend"),
        ran("bin/report --all", true, &timed("0.92")),
    ];
    let distilled = distil(&turn("the report is too slow", steps, ""), &[]);
    assert!(distilled.observations[0].observation.title.contains("8.41 s → 0.92 s"), "{distilled:?}");
}

#[test]
fn a_reply_with_both_values_tells_it_as_well() {
    let steps = vec![edit("ci.yml", "cache: false", "cache: true"), ran("git push", true, "")];
    let told = "The pipeline now takes 4m10s instead of 17 min.";
    let distilled = distil(&turn("our pipeline takes 17 min, make it faster", steps, told), &[]);
    assert!(distilled.observations[0].observation.title.contains("17 min → 4m10s"), "{distilled:?}");
}

#[test]
fn little_evidence_is_told_in_few_words() {
    let told = "The parser dropped the last row because `rows` stopped one short. It compared with `<` where `<=` was meant. \
                The same comparison stands in `columns`, which nobody calls. I left it as it is, since `columns` is going away.";
    let steps = vec![
        ran("pytest -q", false, "FAILED test_rows.py::test_last - assert 3 == 4"),
        edit("rows.py", "def rows(n):\n    return n < 3", "def rows(n):\n    return n <= 3"),
        ran("pytest -q", true, GREEN),
    ];
    let small: Turn = turn("the last row is missing", steps, told);
    let distilled = distil(&small, &[]);
    let one = &distilled.observations[0].observation;
    assert!(one.narrative.len() + one.facts.concat().len() <= 300, "{one:?}");
}

#[rstest]
#[case::of_what_was_missing(
    "npm test",
    "Error: Cannot find module 'vitest/config'",
    "package.json",
    "\"vite\": \"5\"",
    "\"vite\": \"5\", \"vitest\": \"2\"",
    true
)]
#[case::of_something_else(
    "npm test",
    "Error: Cannot find module 'vitest/config'",
    "package.json",
    "\"license\": \"MIT\"",
    "\"license\": \"ISC\"",
    false
)]
fn a_manifest_mends_what_it_speaks_of(
    #[case] command: &str,
    #[case] error: &str,
    #[case] file: &str,
    #[case] before: &str,
    #[case] after: &str,
    #[case] is_fix: bool,
) {
    let steps = vec![ran(command, false, error), edit(file, before, after), ran(command, true, "4 passed")];
    let distilled = distil(&turn("get CI green", steps, "Done."), &[]);
    let found = titles(&distilled);
    assert_eq!(found.iter().any(|(sort, _)| *sort == Sort::Bugfix), is_fix, "{found:?}");
}

#[test]
fn what_stood_in_the_way_was_got_over_by_a_run() {
    let steps = vec![
        edit("src/app.py", "PORT = 80", "PORT = 8080\nHOST = '0.0.0.0'\nWORKERS = 4"),
        ran("docker build -t shop .", false, "ERROR: failed to solve: libpq-dev: not found in the image"),
        edit("Dockerfile", "RUN pip install .", "RUN apt-get install -y libpq-dev\nRUN pip install ."),
        ran("docker build -t shop .", true, "naming to docker.io/library/shop done"),
    ];
    let distilled = distil(&turn("serve on another port", steps, ""), &[]);
    let hurdle = distilled.observations.iter().find(|found| found.observation.title.contains("libpq-dev"));
    assert_eq!(hurdle.map(|found| found.steps.clone()), Some(vec![1, 2, 3]), "{distilled:?}");
}
