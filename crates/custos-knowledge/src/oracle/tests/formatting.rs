//! Commands that format, and those that only look whether somebody has.

use rstest::rstest;

use super::Project;

/// What is proposed of formatting where CI runs these steps.
fn proposed(steps: &[&str]) -> Vec<String> {
    let steps: String = steps.iter().map(|step| format!("      - run: {step}\n")).collect();
    let ci = format!("on: push\njobs:\n  all:\n    steps:\n{steps}");
    let proposals =
        Project::new(&[(".github/workflows/ci.yml", &ci), ("gradlew", "#!/bin/sh\n")]).scan().proposals;
    let formatting = proposals.into_iter().filter(|one| one.title.starts_with("Formatting"));
    formatting.map(|one| format!("{}: {} {}", one.title, one.decision, one.reasoning)).collect()
}

#[rstest]
#[case::rust("cargo fmt --all --check")]
#[case::gradle("./gradlew spotlessCheck")]
#[case::maven("mvn -B spotless:check")]
#[case::dotnet("dotnet format --verify-no-changes")]
#[case::prettier("npx prettier --check .")]
#[case::ruff("ruff format --check")]
#[case::black("black --check .")]
#[case::go("gofmt -l .")]
fn a_check_is_proposed_as_one(#[case] step: &str) {
    let title = format!("Formatting is checked with `{step}`");
    assert_eq!(
        proposed(&[step]),
        [format!("{title}: {title}. Code has to pass it. Continuous integration runs this command.")]
    );
}

#[test]
fn several_checks_have_all_to_be_passed() {
    let title = "Formatting is checked with `black --check .` and `gofmt -l .`";
    assert_eq!(
        proposed(&["gofmt -l .", "black --check ."]),
        [format!("{title}: {title}. Code has to pass them. Continuous integration runs these commands.")]
    );
}

#[rstest]
#[case::spotless("./gradlew spotlessApply")]
#[case::go("gofmt -l -w .")]
#[case::black("black .")]
fn what_formats_is_proposed_as_before(#[case] step: &str) {
    let title = format!("Formatting is done with `{step}`");
    let told =
        format!("{title}: {title}. Keep the code formatted by it. Continuous integration runs this command.");
    assert_eq!(proposed(&[step]), std::slice::from_ref(&told));
    assert_eq!(proposed(&["ruff format --check", step]), [told]);
}

#[rstest]
#[case::check("{\"format\": \"prettier --check .\"}", "Formatting is checked with `npm run format`")]
#[case::by_its_name(
    "{\"format:check\": \"./tools/format.sh x\"}",
    "Formatting is checked with `npm run format:check`"
)]
#[case::calling_a_check(
    "{\"format\": \"npm run format:check\", \"format:check\": \"prettier -c .\"}",
    "Formatting is checked with `npm run format`"
)]
#[case::beside_what_formats(
    "{\"format\": \"prettier --check .\", \"format:fix\": \"prettier --write .\"}",
    "Formatting is done with `npm run format:fix`"
)]
#[case::beside_what_writes(
    "{\"format:check\": \"prettier --check .\", \"format:write\": \"prettier --write .\"}",
    "Formatting is done with `npm run format:write`"
)]
#[case::both_in_one(
    "{\"format\": \"prettier --write . && prettier --check .\"}",
    "Formatting is done with `npm run format`"
)]
fn a_script_checks_or_formats_as_it_is_written(#[case] scripts: &str, #[case] decision: &str) {
    let package = format!("{{\"scripts\": {scripts}}}");
    let mut found = Project::new(&[("package.json", &package), ("package-lock.json", "{}")]).decisions();
    found.retain(|title| !title.starts_with("JavaScript dependencies"));
    assert_eq!(found, [decision]);
}

/// That CI checks does not hide what makes the check pass.
#[test]
fn a_check_is_told_beside_what_formats() {
    let ci = "on: push\njobs:\n  all:\n    steps:\n      - run: cargo fmt --all --check\n";
    let project = Project::new(&[("rustfmt.toml", ""), (".github/workflows/ci.yml", ci)]);
    assert_eq!(
        project.commands(),
        ["Format: cargo fmt (Configured)", "Format: cargo fmt --all --check (Ci)"]
    );
    assert_eq!(project.decisions(), ["Formatting is done with `cargo fmt`"]);
}
