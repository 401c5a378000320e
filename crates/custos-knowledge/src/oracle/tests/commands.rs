//! Which commands are told, for what, and which of them are proposed as decisions.

use rstest::rstest;

use super::Project;

/// A workflow of GitHub with these steps.
fn workflow(steps: &[&str]) -> String {
    let steps: String = steps.iter().map(|step| format!("      - run: {step}\n")).collect();
    format!("on: push\njobs:\n  all:\n    steps:\n{steps}")
}

#[test]
fn the_whole_work_is_proposed_and_not_its_shortest_part() {
    let ci = workflow(&[
        "cargo check",
        "cargo clippy --workspace --all-targets -- -D warnings",
        "cargo nextest run --workspace --all-features",
        "cargo test --doc",
    ]);
    let project = Project::new(&[
        ("Cargo.toml", "[package]\nname = \"x\"\n"),
        ("deny.toml", "[licenses]\n"),
        (".github/workflows/ci.yml", &ci),
    ]);
    assert_eq!(
        project.decisions(),
        [
            "Linting is done with `cargo clippy --workspace --all-targets -- -D warnings`",
            "Tests run with `cargo nextest run --workspace --all-features`",
        ]
    );
}

#[test]
fn a_side_of_the_work_is_no_decision() {
    let project = Project::new(&[("Cargo.toml", "[package]\nname = \"x\"\n"), ("deny.toml", "[licenses]\n")]);
    assert_eq!(project.decisions(), Vec::<String>::new());
}

#[rstest]
#[case::workspace(&["yarn workspace api lint"], &[])]
#[case::package(&["cargo test -p core"], &[])]
#[case::go(&["go vet ./...", "staticcheck ./..."], &["Linting is done with `staticcheck ./...`"])]
#[case::only_go(&["go vet ./..."], &["Linting is done with `go vet ./...`"])]
#[case::types(&["mypy .", "ruff check . --output-format=full"], &["Linting is done with `ruff check . --output-format=full`"])]
fn what_ci_runs_is_a_decision_if_it_is_the_whole(#[case] steps: &[&str], #[case] decisions: &[&str]) {
    let ci = workflow(steps);
    assert_eq!(Project::new(&[(".github/workflows/ci.yml", &ci)]).decisions(), decisions);
}

/// A plain call that CI runs is as well proven as one with options, which no script of another form hides.
#[rstest]
#[case::plain("ruff check .", &["Lint: make lint (Named)", "Lint: ruff check . (Configured)"], &["Linting is done with `ruff check .`"])]
#[case::with_options("ruff check src", &["Lint: make lint (Named)", "Lint: ruff check src (Ci)"], &["Linting is done with `ruff check src`"])]
#[case::nothing("echo", &["Lint: make lint (Named)"], &[])]
fn what_ci_runs_is_told_however_it_is_spelt(
    #[case] step: &str,
    #[case] commands: &[&str],
    #[case] decisions: &[&str],
) {
    let project = Project::new(&[
        ("ruff.toml", "line-length = 100\n"),
        ("Makefile", "lint:\n\truff check --fix .\n"),
        (".github/workflows/ci.yml", &workflow(&[step])),
    ]);
    let linting =
        project.commands().into_iter().filter(|command| command.starts_with("Lint")).collect::<Vec<_>>();
    assert_eq!(
        (linting, project.decisions()),
        (
            commands.iter().map(ToString::to_string).collect(),
            decisions.iter().map(ToString::to_string).collect()
        )
    );
}

#[test]
fn a_script_is_one_in_all_its_spellings() {
    let ci = workflow(&["pnpm lint", "pnpm run test"]);
    let project = Project::new(&[
        ("package.json", "{\"scripts\": {\"lint\": \"eslint .\", \"test\": \"vitest\"}}"),
        ("pnpm-lock.yaml", ""),
        (".github/workflows/ci.yml", &ci),
    ]);
    assert_eq!(project.commands(), ["Test: pnpm test (Named)", "Lint: pnpm run lint (Named)"]);
}

#[test]
fn installing_a_tool_is_not_using_it() {
    let ci = workflow(&["go install honnef.co/go/tools/cmd/staticcheck@latest", "staticcheck ./..."]);
    let project = Project::new(&[
        ("go.mod", "module x\n\ngo 1.22\n"),
        ("Makefile", "dev-deps:\n\tgo install x\n\nrun-migrations:\n\tgo run ./migrate\n"),
        (".github/workflows/ci.yml", &ci),
    ]);
    assert_eq!(
        project.commands(),
        [
            "Test: go test ./... (Default)",
            "Lint: staticcheck ./... (Ci)",
            "Lint: go vet ./... (Default)",
            "Build: go build ./... (Default)",
            "Format: gofmt -l . (Default)",
        ]
    );
}

#[test]
fn the_folder_of_a_job_or_a_pipeline_holds_for_its_steps() {
    let ci = r"
defaults: {run: {working-directory: backend}}
jobs:
  back:
    steps:
      - run: cargo test --locked
      - run: make lint
        working-directory: ${{ matrix.package }}
      - run: make test
        working-directory: nowhere
      - run: scripts/test.sh
        working-directory: ${{ github.workspace }}
  front:
    defaults:
      run:
        working-directory: ./frontend/
    steps:
      - run: npm test
";
    let project = Project::new(&[("backend/x", ""), ("frontend/x", ""), (".github/workflows/ci.yml", ci)]);
    assert_eq!(
        project.commands(),
        [
            "Test: scripts/test.sh (Ci)",
            "Test: cargo test --locked in backend (Ci)",
            "Test: npm test in frontend (Ci)",
        ]
    );
}

/// A script that goes into a folder runs there what follows, and the next step begins anew.
#[test]
fn a_command_is_run_where_its_script_went() {
    let ci = "
defaults:
  run:
    working-directory: api
jobs:
  test:
    steps:
      - run: |
          cd ../back
          uv sync
          uv run pytest -q
      - run: |
          pushd ../svc > /dev/null
          go test ./...
          popd
          npm test
      - run: |
          if [ -d web ]; then cd web; fi
          yarn test
      - run: |
          cd ${{ matrix.folder }}
          cargo test
      - run: |
          cat > Makefile <<EOF
          cargo clippy
          EOF
          (cd ../back && uv sync)
          npm run lint
";
    let gitlab = "
before_script:
  - cd web
types:
  script: [cd app, npm run typecheck]
lint:
  script:
    - npm run lint:css
elsewhere:
  script:
    - cd /srv
    - npm run lint:js
";
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")/..\"\ncargo deny check\ncd \"$HOME\"\ncargo machete\n";
    let project = Project::new(&[
        ("api/x", ""),
        ("back/x", ""),
        ("svc/x", ""),
        ("web/app/x", ""),
        (".github/workflows/ci.yml", ci),
        (".gitlab-ci.yml", gitlab),
        ("ci/lint.sh", script),
    ]);
    assert_eq!(
        project.commands(),
        [
            "Test: npm test in api (Ci)",
            "Test: uv run pytest -q in back (Ci)",
            "Test: go test ./... in svc (Ci)",
            "Lint: cargo deny check (Ci)",
            "Lint: npm run lint in api (Ci)",
            "Lint: npm run lint:css in web (Ci)",
            "Lint: npm run typecheck in web/app (Ci)",
        ]
    );
    let alone = "jobs:\n  a:\n    steps:\n      - run: |\n          cd back\n          uv sync\n          uv run pytest -q\n";
    assert_eq!(
        Project::new(&[("back/x", ""), (".github/workflows/ci.yml", alone)]).decisions(),
        Vec::<String>::new()
    );
}

/// Cargo reads its settings in every folder from the one it is started in upwards.
#[test]
fn a_command_of_jenkins_is_run_in_the_folder_around_it() {
    let jenkins = "\
pipeline {
  stages {
    stage('All {') { steps {
      // dir('web') {
      sh 'make test' // in { the root
      dir('web') { sh \'\'\'
        echo } it's said
        sh 'npm run check' {
      \'\'\' }
      dir('./') { dir('.') { sh \"make build\" } }
      dir('web') {
        sh 'npm test'
        dir('./admin/') { sh 'npm run lint'; sh \"npm run build\" }
        sh(script: 'npx eslint .')
      }
      dir(env.SOMEWHERE) { sh 'cargo test' }
      dir(\"../other\") { sh 'go test ./...' }
      sh 'make lint'
    } }
  }
}
";
    let folders = ["web/README.md", "web/admin/README.md"].map(|file| (file, "Text.\n"));
    let project = Project::new(&[("Jenkinsfile", jenkins), folders[0], folders[1]]);
    assert_eq!(
        project.commands(),
        [
            "Test: make test (Ci)",
            "Test: npm test in web (Ci)",
            "Lint: make lint (Ci)",
            "Lint: npx eslint . in web (Ci)",
            "Lint: npm run lint in web/admin (Ci)",
            "Build: make build (Ci)",
            "Build: npm run build in web/admin (Ci)",
        ]
    );
}

#[test]
fn aliases_of_cargo_hold_where_its_settings_are() {
    let project = Project::new(&[
        ("rs/Cargo.toml", "[package]\nname = \"x\"\n"),
        ("rs/.cargo/config.toml", "[alias]\nt = \"nextest run\"\nlint = [\"clippy\", \"--all\"]\n"),
        ("old/Cargo.toml", "[package]\nname = \"y\"\n"),
        ("old/.cargo/config", "[alias]\ntt = \"test --all\"\n"),
        ("other/config.toml", "[alias]\ntest = \"x\"\n"),
    ]);
    let commands = project.commands();
    let named: Vec<&String> = commands.iter().filter(|command| command.ends_with("(Named)")).collect();
    assert_eq!(
        named,
        ["Test: cargo tt in old (Named)", "Test: cargo t in rs (Named)", "Lint: cargo lint in rs (Named)",]
    );
}

#[test]
fn what_leans_on_an_earlier_step_is_left_out() {
    let ci = workflow(&[
        "dotnet restore",
        "dotnet build --no-restore",
        "dotnet test --no-build --verbosity normal",
    ]);
    let project = Project::new(&[
        ("Shop.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>\n"),
        (".github/workflows/ci.yml", &ci),
    ]);
    assert_eq!(
        project.commands(),
        [
            "Test: dotnet test --verbosity normal (Ci)",
            "Build: dotnet build (Ci)",
            "Format: dotnet format (Default)",
        ]
    );
    assert_eq!(project.decisions(), ["Tests run with `dotnet test --verbosity normal`"]);
}

#[rstest]
#[case::silent("check:\n\t./run-all\n", &["Test: make check (Named)"])]
#[case::linter("check:\n\truff check .\n", &["Lint: make check (Named)"])]
#[case::needs("check: lint\nlint:\n\truff check .\n", &["Lint: make lint (Named)", "Lint: make check (Named)"])]
#[case::both("check: lint test\n", &["Test: make check (Named)"])]
#[case::all("CC = gcc\nall: app\n\napp: main.c\n\t$(CC) -o app main.c\n", &["Build: make (Named)"])]
#[case::all_checks("all: lint test\n", &[])]
#[case::another_goal(".DEFAULT_GOAL := help\nall: app\n", &[])]
#[case::not_first("help:\n\t@echo x\nall: app\n", &[])]
fn targets_of_make(#[case] makefile: &str, #[case] commands: &[&str]) {
    assert_eq!(Project::new(&[("Makefile", makefile)]).commands(), commands);
}

#[test]
fn a_makefile_knows_what_its_check_is() {
    let ci = workflow(&["make", "make check"]);
    let project =
        Project::new(&[("Makefile", "check:\n\truff check .\n"), (".github/workflows/ci.yml", &ci)]);
    assert_eq!(project.commands(), ["Lint: make check (Named)", "Build: make (Ci)"]);
}

#[test]
fn several_folders_of_migrations_are_one_decision() {
    let project = Project::new(&[
        ("shop/migrations/0001_initial.py", ""),
        ("users/migrations/0001_initial.py", ""),
        ("requirements.txt", "Django==5.0\n"),
    ]);
    assert_eq!(project.decisions(), ["Changes of the schema are migrations in the folders `migrations`"]);
}

#[rstest]
#[case::uv(&[("uv.lock", ""), ("pytest.ini", "")], "Test: uv run pytest (Configured)")]
#[case::poetry(&[("poetry.lock", ""), (".flake8", "")], "Lint: poetry run flake8 (Configured)")]
#[case::bun(&[("bun.lockb", ""), ("biome.json", "{}")], "Lint: bunx biome check . (Configured)")]
#[case::pnpm(&[("pnpm-lock.yaml", ""), ("eslint.config.js", "")], "Lint: pnpm exec eslint . (Configured)")]
#[case::yarn(&[("yarn.lock", ""), ("web/jest.config.js", "")], "Test: yarn jest in web (Configured)")]
#[case::required(&[("uv.lock", ""), ("pyproject.toml", "[dependency-groups]\ndev = [\"pytest\"]\n")], "Test: uv run pytest (Configured)")]
#[case::pest(&[("phpunit.xml", ""), ("composer.json", "{\"require-dev\": {\"pestphp/pest\": \"^2\"}}")], "Test: vendor/bin/pest (Configured)")]
fn a_tool_is_started_as_the_lock_file_says(#[case] files: &[(&str, &str)], #[case] command: &str) {
    assert_eq!(Project::new(files).commands(), [command]);
}

#[test]
fn a_tool_that_ci_calls_is_called_like_that() {
    let ci = workflow(&["uv run --group dev pytest --strict-markers"]);
    let files = [("pytest.ini", ""), (".github/workflows/ci.yml", ci.as_str())];
    assert_eq!(Project::new(&files).commands(), ["Test: uv run --group dev pytest --strict-markers (Ci)"]);
    let ci = workflow(&["pytest tests/unit", "pytest tests/slow"]);
    let files = [("pytest.ini", ""), (".github/workflows/ci.yml", ci.as_str())];
    assert_eq!(
        Project::new(&files).commands(),
        ["Test: pytest (Configured)", "Test: pytest tests/slow (Ci)", "Test: pytest tests/unit (Ci)"]
    );
}

#[rstest]
#[case::elsewhere(
    "Makefile",
    "test:\n\tcd api && pytest\n\tcd web && npm test\n",
    "(cd api && pytest) && (cd web && npm test)"
)]
#[case::alone("Makefile", "test:\n\t@cd api && pytest\n", "cd api && pytest")]
#[case::here("Makefile", "test:\n\tpytest\n\tnpm test\n", "pytest && npm test")]
#[case::bracketed("Makefile", "test:\n\t(cd api && pytest)\n\tnpm test\n", "(cd api && pytest) && npm test")]
#[case::one_shell("Makefile", ".ONESHELL:\ntest:\n\tcd api\n\tpytest\n", "cd api && pytest")]
#[case::going_on(
    "Makefile",
    "test:\n\tcd api && \\\n\t\tpytest -x\n\t# again\n\tnpm test\n",
    "(cd api && pytest -x) && npm test"
)]
#[case::script("justfile", "test:\n    #!/bin/sh\n    cd api\n    pytest\n", "cd api && pytest")]
fn each_line_of_a_recipe_has_its_own_shell(#[case] file: &str, #[case] text: &str, #[case] runs: &str) {
    let commands = Project::new(&[(file, text)]).scan().commands;
    let told: Vec<Option<&str>> = commands.iter().map(|command| command.runs.as_deref()).collect();
    assert_eq!(told, [Some(runs)]);
}

#[test]
fn a_hidden_job_of_gitlab_runs_where_another_builds_on_it() {
    let pipeline = "
.hidden:
  script: pytest never
.base:
  script: pytest base
.middle:
  extends: .base
.overruled:
  script: pytest overruled
.named: &named
  script: pytest named
.referred:
  script: pytest referred
unit:
  extends: [.middle, .gone]
other:
  extends: .overruled
  script: pytest other
merged:
  <<: *named
last:
  script:
    - !reference [.referred, script]
";
    assert_eq!(
        Project::new(&[(".gitlab-ci.yml", pipeline)]).commands(),
        [
            "Test: pytest base (Ci)",
            "Test: pytest named (Ci)",
            "Test: pytest other (Ci)",
            "Test: pytest referred (Ci)",
        ]
    );
}

#[rstest]
#[case::phpunit(&[("composer.json", "{\"require-dev\": {\"phpunit/phpunit\": \"^11\"}}")], &["Test: vendor/bin/phpunit (Configured)"])]
#[case::deno(
    &[("deno.jsonc", "{\n  // Tasks, \"all\": of them\n  \"tasks\": {\n    \"lint\": \"deno lint /* all */\", /* more */\n  },\n}\n")],
    &["Test: deno test (Default)", "Lint: deno task lint (Named)", "Format: deno fmt (Default)"]
)]
#[case::detekt(
    &[
        ("settings.gradle", "include ':app'\n"),
        ("gradlew", ""),
        ("app/build.gradle", "plugins { id 'io.gitlab.arturbosch.detekt' version '1.23' }\ntask integrationTest {}\n"),
    ],
    &[
        "Test: ./gradlew integrationTest (Named)",
        "Lint: ./gradlew detekt (Configured)",
        "Build: ./gradlew build (Default)",
    ]
)]
#[case::checkstyle(
    &[("pom.xml", "<project><build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-checkstyle-plugin</artifactId></plugin></plugins></build></project>")],
    &["Test: mvn test (Default)", "Lint: mvn checkstyle:check (Configured)", "Build: mvn package (Default)"]
)]
fn what_a_manifest_brings_along(#[case] files: &[(&str, &str)], #[case] commands: &[&str]) {
    assert_eq!(Project::new(files).commands(), commands);
}

#[rstest]
#[case::watching("{\"test:watch\": \"vitest --watch\"}", &[])]
#[case::watching_by_what_it_runs("{\"test\": \"jest --watchAll\", \"test:run\": \"jest\"}", &["Tests run with `npm run test:run`"])]
#[case::not_watching("{\"test\": \"ng test --watch=false\"}", &["Tests run with `npm test`"])]
#[case::two_kinds("{\"test:e2e\": \"playwright test\", \"test:unit\": \"vitest run\"}", &[])]
#[case::a_kind_and_watching("{\"test:unit\": \"vitest run\", \"test:watch\": \"vitest\"}", &["Tests run with `npm run test:unit`"])]
#[case::one_kind("{\"test:e2e\": \"playwright test\"}", &[])]
#[case::main_one("{\"test\": \"vitest run\", \"test:ci\": \"vitest run --coverage\", \"test:unit\": \"vitest run unit\"}", &["Tests run with `npm test`"])]
#[case::rewriting("{\"lint:fix\": \"eslint --fix .\"}", &[])]
#[case::rewriting_by_what_it_runs("{\"lint\": \"npm run lint:fix\", \"lint:ci\": \"eslint .\"}", &["Linting is done with `npm run lint:ci`"])]
#[case::calling_for_a_browser("{\"test\": \"npm run test:unit && npm run test:ui\", \"test:ui\": \"playwright test\", \"test:unit\": \"jest\"}", &["Tests run with `npm test`"])]
#[case::calling_a_server("{\"test\": \"start-server-and-test dev:server 3000 test:run\", \"test:run\": \"jest\"}", &["Tests run with `npm test`"])]
#[case::calling_what_watches("{\"test\": \"npm run build && npm run test:watch\"}", &[])]
#[case::part_of_what_watches("{\"test\": \"npm run test:unit && npm run test:watch\", \"test:unit\": \"jest\"}", &[])]
#[case::part_by_its_name("{\"test\": \"run-p test:unit test:watch\", \"test:unit\": \"jest\"}", &[])]
#[case::one_of_two_parts("{\"test\": \"run-p test:unit test:watch\", \"test:api\": \"jest api\", \"test:unit\": \"jest\"}", &[])]
#[case::angular("{\"test\": \"ng test\"}", &[])]
#[case::angular_once("{\"test\": \"ng test --no-watch\"}", &["Tests run with `npm test`"])]
#[case::angular_once_of_two("{\"test\": \"ng test app --watch=false && ng test lib\"}", &[])]
#[case::react("{\"test\": \"react-scripts test --env=jsdom\", \"test:ci\": \"CI=true react-scripts test\"}", &["Tests run with `npm run test:ci`"])]
#[case::react_once("{\"test\": \"react-scripts test --watchAll=false\"}", &["Tests run with `npm test`"])]
#[case::vitest("{\"test\": \"vitest\", \"test:ci\": \"vitest run --coverage\"}", &["Tests run with `npm run test:ci`"])]
#[case::vitest_bare("{\"test\": \"tsc && npx vitest --coverage\"}", &[])]
#[case::vitest_once("{\"test\": \"vitest --run\"}", &["Tests run with `npm test`"])]
#[case::vitest_not_watching("{\"test\": \"vitest --watch=false\"}", &["Tests run with `npm test`"])]
#[case::karma("{\"test\": \"node_modules/.bin/karma start karma.conf.js\"}", &[])]
#[case::karma_once("{\"test\": \"karma start --single-run\"}", &["Tests run with `npm test`"])]
#[case::snapshots_of_jest("{\"test\": \"jest --ci -u\"}", &[])]
#[case::snapshots_of_vitest("{\"test\": \"vitest run -u\", \"test:ci\": \"vitest run\"}", &["Tests run with `npm run test:ci`"])]
#[case::another_option_u("{\"test\": \"mocha -u tdd && jest\"}", &["Tests run with `npm test`"])]
#[case::rubocop("{\"lint\": \"bundle exec rubocop -a\"}", &[])]
#[case::rubocop_all("{\"lint\": \"rubocop -A\"}", &[])]
#[case::formatting_rewrites("{\"format\": \"prettier --write .\"}", &["Formatting is done with `npm run format`"])]
fn a_script_is_a_decision_if_it_ends_and_is_the_main_one(#[case] scripts: &str, #[case] decisions: &[&str]) {
    let package = format!("{{\"scripts\": {scripts}}}");
    let mut found = Project::new(&[("package.json", &package), ("package-lock.json", "{}")]).decisions();
    found.retain(|title| !title.starts_with("JavaScript dependencies"));
    assert_eq!(found, decisions);
}

#[rstest]
#[case::parts("test-api:\n\tpytest api\ntest-web:\n\tnpm test\ntest-integration:\n\tpytest it\n", &[])]
#[case::main_one("test: test-api test-web\ntest-api:\n\tpytest api\ntest-web:\n\tnpm test\n", &["Tests run with `make test`"])]
#[case::one_part("test-api:\n\tpytest api\n", &["Tests run with `make test-api`"])]
fn targets_for_parts_are_no_decision(#[case] makefile: &str, #[case] decisions: &[&str]) {
    assert_eq!(Project::new(&[("Makefile", makefile)]).decisions(), decisions);
}

/// Two runners with a `test` each are two answers, unless one of them calls the other.
#[rstest]
#[case::beside("test:\n\tgo test ./...\n", &[])]
#[case::above("test:\n\tgo test ./...\n\tnpm test\n", &["Tests run with `make test`"])]
#[case::above_in_full("test:\n\tnpm run test -- --ci\n", &["Tests run with `make test`"])]
#[case::above_another("test:\n\tnpm test:e2e\n", &[])]
fn of_two_runners_the_one_is_meant_that_calls_the_other(#[case] makefile: &str, #[case] decisions: &[&str]) {
    let package = "{\"scripts\": {\"test\": \"vitest run\"}}";
    assert_eq!(Project::new(&[("Makefile", makefile), ("package.json", package)]).decisions(), decisions);
}

#[test]
fn what_ci_runs_side_by_side_is_one_decision() {
    let ci = workflow(&["go test ./...", "yarn test", "golangci-lint run", "eslint . --fix"]);
    let proposals = Project::new(&[(".github/workflows/ci.yml", &ci)]).scan().proposals;
    let told: Vec<String> = proposals
        .iter()
        .map(|one| format!("{} {} ({})", one.decision, one.reasoning, one.evidence))
        .collect();
    assert_eq!(
        told,
        [
            "Linting is done with `golangci-lint run`. Run this before a change is called done. Continuous integration runs this command. (.github/workflows/ci.yml:7)",
            "Tests run with `go test ./...` and `yarn test`. Run these before a change is called done. Continuous integration runs these commands. (.github/workflows/ci.yml:5)",
        ]
    );
    let ci = workflow(&["pytest a", "pytest b", "pytest c", "pytest d"]);
    assert_eq!(Project::new(&[(".github/workflows/ci.yml", &ci)]).decisions(), Vec::<String>::new());
}

#[test]
fn what_ci_runs_in_a_folder_is_told_there_and_is_half_of_it() {
    let folders = [("backend/x", ""), ("frontend/x", "")];
    let told = |steps: &[&str]| {
        let ci = workflow(steps);
        let project = Project::new(&[folders[0], folders[1], (".github/workflows/ci.yml", &ci)]);
        (project.commands(), project.decisions())
    };
    assert_eq!(
        told(&["cd backend && go test ./...", "cd frontend && yarn test"]),
        (
            vec![
                "Test: go test ./... in backend (Ci)".to_owned(),
                "Test: yarn test in frontend (Ci)".to_owned()
            ],
            Vec::new()
        )
    );
    let (_, decisions) = told(&["go test ./...", "cd frontend && yarn test"]);
    assert_eq!(decisions, Vec::<String>::new());
}

/// That the project names a command does not hide that CI runs it.
#[rstest]
#[case::named_and_run(&["cargo test", "cd web && npm run test"], &[])]
#[case::named_alone(&["cargo test"], &["Tests run with `cargo test`"])]
fn a_script_that_ci_runs_in_a_folder_is_the_other_half(#[case] steps: &[&str], #[case] decisions: &[&str]) {
    let ci = workflow(steps);
    let package = "{\"scripts\": {\"test\": \"jest\"}}";
    let project = Project::new(&[("web/package.json", package), (".github/workflows/ci.yml", &ci)]);
    assert_eq!(project.decisions(), decisions);
}

#[rstest]
#[case::pnpm("pnpm", "pnpm-lock.yaml")]
#[case::yarn("yarn", "yarn.lock")]
fn a_target_may_call_a_script_in_either_spelling(#[case] runner: &str, #[case] lock: &str) {
    let package = "{\"scripts\": {\"lint\": \"eslint .\", \"test\": \"jest\"}}";
    for (lint, test) in [("lint", "test"), ("run lint", "run test")] {
        let makefile = format!("lint:\n\t{runner} {lint}\n\ntest:\n\t{runner} {test}\n");
        let decisions =
            Project::new(&[("Makefile", &makefile), ("package.json", package), (lock, "")]).decisions();
        let commands: Vec<&String> = decisions.iter().filter(|one| one.contains("`make ")).collect();
        assert_eq!(commands, ["Linting is done with `make lint`", "Tests run with `make test`"]);
    }
}
