//! What the lines of a pipeline are for, and where they stand.

use rstest::rstest;

use super::Project;

/// The commands of a pipeline, each with the line that proves it.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let commands = Project::new(files).scan().commands;
    commands.iter().map(|one| format!("{:?}: {} ({})", one.purpose, one.command, one.source)).collect()
}

/// A workflow of one step.
fn workflow(step: &str) -> String {
    format!("on: push\njobs:\n  all:\n    steps:\n      - run: {step}\n")
}

#[rstest]
#[case::literal("|\n          npm ci\n          npm test", 7)]
#[case::literal_without_the_last_end("|-\n          npm ci\n          npm test", 7)]
#[case::after_a_blank_line("|\n\n          npm ci\n\n          npm test", 9)]
#[case::going_on("|\n          npm ci\n          npm \\\n            test", 7)]
#[case::folded(">\n          npm\n          test", 6)]
#[case::folded_without_the_last_end(">-\n\n          npm test", 7)]
#[case::folded_twice(">\n          npm\n          ci\n\n          npm\n          test", 9)]
#[case::plain("npm test", 5)]
#[case::quoted("\"npm test\"", 5)]
fn a_command_is_proven_by_its_own_line(#[case] step: &str, #[case] line: usize) {
    let commands = Project::new(&[(".github/workflows/ci.yml", &workflow(step))]).scan().commands;
    let lines: Vec<Option<usize>> = commands.iter().map(|command| command.source.line).collect();
    assert_eq!(lines, [Some(line)]);
}

#[test]
fn the_items_of_a_list_are_proven_by_their_own_lines() {
    let pipeline = "\
.steps: &steps
  - |

    npm ci
    npm run lint
unit:
  script:
    - npm ci
    - >-
      npm run
      build
    - npm test
more:
  script: *steps
";
    assert_eq!(
        told(&[(".gitlab-ci.yml", pipeline)]),
        [
            "Test: npm test (.gitlab-ci.yml:12)",
            "Lint: npm run lint (.gitlab-ci.yml:5)",
            "Build: npm run build (.gitlab-ci.yml:10)",
        ]
    );
}

#[rstest]
#[case::node("npm ci && npx eslint . && npx vitest run", &["Test: npx vitest run", "Lint: npx eslint ."])]
#[case::go("go vet ./... && go test ./...", &["Test: go test ./...", "Lint: go vet ./..."])]
#[case::semicolon("go vet ./...; go test ./...", &["Test: go test ./...", "Lint: go vet ./..."])]
#[case::gradle("./gradlew ktlintCheck detekt test", &["Test: ./gradlew test", "Lint: ./gradlew ktlintCheck detekt"])]
#[case::autotools("./configure && make && make check", &["Test: make check", "Build: ./configure && make"])]
#[case::cmake("cmake -B build && cmake --build build && ctest --test-dir build", &["Test: ctest --test-dir build", "Build: cmake -B build && cmake --build build"])]
#[case::setting("export CI=1 && npm ci && npm test", &["Test: export CI=1 && npm test"])]
#[case::assignment("V=1; npm test", &["Test: V=1 && npm test"])]
#[case::computed("V=$(date); npm test", &[])]
#[case::computed_part("npm run lint && npm test -- $ARGS", &["Lint: npm run lint"])]
#[case::going("mkdir out && cd out && cmake .. && make && ctest", &["Test: mkdir out && cd out && cmake .. && make && ctest", "Build: mkdir out && cd out && cmake .. && make"])]
#[case::piped("npm run lint && npm test | tee log", &["Test: npm test | tee log", "Lint: npm run lint"])]
#[case::tried("npm test || npm test", &["Test: npm test || npm test"])]
#[case::quoted("bash -c 'npm run lint && npm test'", &[])]
#[case::commented("npm test # and lint; npm run lint", &["Test: npm test"])]
fn a_line_is_told_for_each_of_its_purposes(#[case] line: &str, #[case] commands: &[&str]) {
    let ci = workflow(&format!("|\n          {line}"));
    let proven: Vec<String> =
        commands.iter().map(|command| format!("{command} (.github/workflows/ci.yml:6)")).collect();
    assert_eq!(told(&[(".github/workflows/ci.yml", &ci)]), proven);
}

#[test]
fn a_line_with_several_purposes_is_no_decision_as_a_whole() {
    let ci = workflow("npm ci && npx eslint . && npx vitest run");
    assert_eq!(
        Project::new(&[(".github/workflows/ci.yml", &ci)]).decisions(),
        ["Linting is done with `npx eslint .`", "Tests run with `npx vitest run`"]
    );
}

#[rstest]
#[case::affected("npx nx affected -t lint test build", &["Linting is done with `npx nx affected -t lint`", "Tests run with `npx nx affected -t test`"])]
#[case::all("npx nx run-many --target=test --all", &["Tests run with `npx nx run-many --target=test --all`"])]
#[case::one_project("npx nx run web:test", &[])]
#[case::one_project_by_its_name("npx nx test web", &[])]
#[case::turbo("pnpm turbo run lint test", &["Linting is done with `pnpm turbo run lint`", "Tests run with `pnpm turbo run test`"])]
#[case::turbo_for_one("turbo run test --filter=web", &[])]
fn runners_of_many_packages_are_decided_on_as_a_whole(#[case] line: &str, #[case] decisions: &[&str]) {
    let ci = workflow(line);
    assert_eq!(Project::new(&[(".github/workflows/ci.yml", &ci)]).decisions(), decisions);
}

#[test]
fn autotools_are_known_by_their_configuration() {
    let project = Project::new(&[
        ("configure.ac", "AC_INIT([widget], [1.0])\nAM_INIT_AUTOMAKE\n"),
        ("Makefile.am", "SUBDIRS = src tests\n"),
        ("src/Makefile.am", "bin_PROGRAMS = widget\nwidget_SOURCES = main.c\n"),
        ("tests/Makefile.am", "check_PROGRAMS = unit\nTESTS = $(check_PROGRAMS)\n"),
    ]);
    assert_eq!(project.commands(), ["Test: make check (Configured)", "Build: ./configure && make (Default)"]);
    assert_eq!(project.on(super::Topic::Manager), ["Autotools (configure.ac)"]);
    assert_eq!(project.entries(), ["src/Makefile.am: program widget (src/Makefile.am:1)"]);
    assert_eq!(project.decisions(), ["Tests run with `make check`"]);
}

#[test]
fn the_main_command_comes_first_and_what_waits_last() {
    let package = r#"{"scripts": {"lint": "eslint .", "test": "vitest run", "test:e2e": "playwright test", "test:watch": "vitest --watch"}}"#;
    let project = Project::new(&[
        ("package.json", package),
        ("pnpm-lock.yaml", ""),
        ("playwright.config.ts", ""),
        ("vitest.config.ts", ""),
    ]);
    assert_eq!(
        project.commands(),
        [
            "Test: pnpm test (Named)",
            "Test: pnpm run test:e2e (Named)",
            "Test: pnpm run test:watch (Named)",
            "Lint: pnpm run lint (Named)",
        ]
    );
    let makefile = "coverage:\n\tpytest --cov\n\ntest:\n\tpytest\n";
    assert_eq!(
        Project::new(&[("Makefile", makefile)]).commands(),
        ["Test: make test (Named)", "Test: make coverage (Named)"]
    );
    let makefile = "dev-test:\n\tptw\n\ntest-watch:\n\tptw\n";
    let files = [("Makefile", makefile), ("pytest.ini", "")];
    assert_eq!(
        Project::new(&files).commands(),
        ["Test: pytest (Configured)", "Test: make test-watch (Named)", "Run: make dev-test (Named)"]
    );
}

#[test]
fn what_a_makefile_defines_is_text() {
    let makefile = "define HELP\ntest: runs the tests\nlint: looks\nendef\n\ndefine outer =\ndefine inner\nendef\nbuild: x\nendef\n\ncheck:\n\tpytest\n";
    assert_eq!(told(&[("Makefile", makefile)]), ["Test: make check (Makefile:12)"]);
}
