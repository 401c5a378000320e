use super::super::dependencies::Package;
use super::*;
use crate::turn::{Step, What};

fn package(name: &str, to: Option<&str>, dev: bool) -> Package {
    Package { name: name.to_owned(), from: None, to: to.map(str::to_owned), dev }
}

fn commit(message: &str) -> Purpose {
    Purpose::Commit { message: Some(message.to_owned()) }
}

/// One command, what it is for, its label and its family.
#[test]
#[expect(clippy::too_many_lines, reason = "a table, of one case after the other")]
fn tells_what_a_command_is_for() {
    use Purpose::{Build, Format, Lint, Look, Migrate, Other, Remove, Revert, Run as Runs, Test};
    let install = |packages: &[Package]| Purpose::Install(packages.to_vec());
    let revert = |paths: &[&str]| Revert(paths.iter().map(|path| (*path).to_owned()).collect());
    let cases: Vec<(&str, Purpose, &str, &str)> = vec![
        ("cargo test -p api refresh", Test, "cargo test -p api refresh", "cargo test"),
        ("cargo +nightly nextest run", Test, "cargo +nightly nextest run", "cargo test"),
        ("RUST_BACKTRACE=1 timeout 60 cargo test 2>&1 | tail -20", Test, "cargo test", "cargo test"),
        ("cargo check --all-targets", Build, "cargo check --all-targets", "cargo build"),
        ("cargo clippy -- -D warnings", Lint, "cargo clippy -- -D warnings", "cargo clippy"),
        ("cargo fmt", Format, "cargo fmt", "cargo fmt"),
        ("cargo run --release -- serve", Runs, "cargo run --release -- serve", "cargo run"),
        ("npm test -- --watch=false", Test, "npm test -- --watch=false", "npm test"),
        ("npm --prefix web run test:unit", Test, "npm --prefix web run test:unit", "npm run test:unit"),
        ("npx vitest run src/a.test.ts", Test, "npx vitest run src/a.test.ts", "npm test"),
        ("pnpm --filter api test", Test, "pnpm --filter api test", "npm test"),
        ("yarn workspace web lint", Lint, "yarn workspace web lint", "npm run lint"),
        ("yarn jest src", Test, "yarn jest src", "npm test"),
        ("bun test", Test, "bun test", "npm test"),
        ("npm run build", Build, "npm run build", "npm run build"),
        ("npm run type-check", Build, "npm run type-check", "npm run type-check"),
        ("npm run dev", Runs, "npm run dev", "npm run dev"),
        ("npx tsc --noEmit", Build, "npx tsc --noEmit", "tsc"),
        ("npx eslint . --fix", Lint, "npx eslint . --fix", "eslint"),
        ("npx prettier --write src", Format, "npx prettier --write src", "prettier"),
        ("node --test", Test, "node --test", "npm test"),
        ("node scripts/seed.js", Runs, "node scripts/seed.js", "node"),
        ("poetry run pytest -q tests/test_a.py", Test, "pytest -q tests/test_a.py", "pytest"),
        ("python3 -m pytest tests", Test, "python3 -m pytest tests", "pytest"),
        ("uv run --group dev mypy src", Lint, "mypy src", "mypy"),
        ("python manage.py migrate", Migrate, "python manage.py migrate", "manage.py migrate"),
        ("python manage.py test shop", Test, "python manage.py test shop", "manage.py test"),
        ("python -m unittest -v", Test, "python -m unittest -v", "unittest"),
        ("python - <<'EOF'\nprint(1)\nEOF", Runs, "python -", "python"),
        ("ruff check --fix .", Lint, "ruff check --fix .", "ruff"),
        ("ruff format .", Format, "ruff format .", "ruff format"),
        ("go test ./... -race", Test, "go test ./... -race", "go test"),
        ("go build ./cmd/api", Build, "go build ./cmd/api", "go build"),
        ("go vet ./...", Lint, "go vet ./...", "go vet"),
        (
            "./mvnw -q -pl api test -Dtest=OrderTest",
            Test,
            "./mvnw -q -pl api test -Dtest=OrderTest",
            "mvn test",
        ),
        ("mvn clean verify", Test, "mvn clean verify", "mvn test"),
        ("mvn package -DskipTests", Build, "mvn package -DskipTests", "mvn build"),
        ("./gradlew :app:testDebugUnitTest", Test, "./gradlew :app:testDebugUnitTest", "gradle test"),
        ("./gradlew bootRun", Runs, "./gradlew bootRun", "gradle run"),
        ("dotnet test --no-build", Test, "dotnet test --no-build", "dotnet test"),
        ("bundle exec rspec spec/a_spec.rb", Test, "rspec spec/a_spec.rb", "rspec"),
        ("bin/rails db:migrate", Migrate, "bin/rails db:migrate", "rails db:migrate"),
        ("vendor/bin/phpunit --filter Cart", Test, "vendor/bin/phpunit --filter Cart", "phpunit"),
        ("php artisan migrate --force", Migrate, "php artisan migrate --force", "artisan migrate"),
        ("mix test test/a_test.exs:12", Test, "mix test test/a_test.exs:12", "mix test"),
        ("make -j4 test", Test, "make -j4 test", "make test"),
        ("make", Build, "make", "make"),
        ("just lint", Lint, "just lint", "just lint"),
        ("ctest --output-on-failure", Test, "ctest --output-on-failure", "ctest"),
        ("cmake --build build", Build, "cmake --build build", "cmake"),
        ("docker build -t app .", Build, "docker build -t app .", "docker build"),
        ("docker compose up -d db", Runs, "docker compose up -d db", "docker compose"),
        ("docker compose exec -T api pytest -x", Test, "pytest -x", "pytest"),
        ("docker compose logs api", Look, "docker compose logs api", "docker compose logs"),
        ("kubectl -n shop get pods", Look, "kubectl -n shop get pods", "kubectl get"),
        ("kubectl apply -f k8s/", Runs, "kubectl apply -f k8s/", "kubectl"),
        ("terraform plan", Runs, "terraform plan", "terraform"),
        (
            "npx prisma migrate dev --name add_email",
            Migrate,
            "npx prisma migrate dev --name add_email",
            "prisma migrate",
        ),
        ("alembic upgrade head", Migrate, "alembic upgrade head", "alembic"),
        ("psql -c 'select 1'", Runs, "psql -c 'select 1'", "psql"),
        ("./scripts/run-tests.sh --fast", Test, "./scripts/run-tests.sh --fast", "run-tests.sh"),
        ("bash scripts/deploy.sh", Runs, "bash scripts/deploy.sh", "deploy.sh"),
        ("bash -lc 'cargo test -q'", Test, "cargo test -q", "cargo test"),
        ("turbo run build --filter=web", Build, "turbo run build --filter=web", "turbo build"),
        ("npx nx run api:test", Test, "npx nx run api:test", "nx test"),
        // Packages.
        (
            "npm install zod@3.22 --save",
            install(&[package("zod", Some("3.22"), false)]),
            "npm install zod@3.22 --save",
            "npm install",
        ),
        (
            "npm i -D @types/node@20 vitest",
            install(&[package("@types/node", Some("20"), true), package("vitest", None, true)]),
            "npm i -D @types/node@20 vitest",
            "npm i",
        ),
        ("npm ci", install(&[]), "npm ci", "npm ci"),
        ("yarn", install(&[]), "yarn", "yarn install"),
        (
            "pnpm add -w left-pad",
            install(&[package("left-pad", None, false)]),
            "pnpm add -w left-pad",
            "pnpm add",
        ),
        (
            "pip install 'httpx[http2]>=0.27' -r requirements.txt",
            install(&[package("httpx", Some(">=0.27"), false)]),
            "pip install 'httpx[http2]>=0.27' -r requirements.txt",
            "pip install",
        ),
        ("pip install -e .", install(&[]), "pip install -e .", "pip install"),
        (
            "python -m pip install -U ruff==0.5.1",
            install(&[package("ruff", Some("0.5.1"), false)]),
            "python -m pip install -U ruff==0.5.1",
            "pip install",
        ),
        (
            "uv add --group dev pytest",
            install(&[package("pytest", None, true)]),
            "uv add --group dev pytest",
            "uv add",
        ),
        (
            "poetry add httpx@^0.27",
            install(&[package("httpx", Some("^0.27"), false)]),
            "poetry add httpx@^0.27",
            "poetry add",
        ),
        (
            "cargo add serde --features derive",
            install(&[package("serde", None, false)]),
            "cargo add serde --features derive",
            "cargo add",
        ),
        (
            "cargo add --dev insta@1.39",
            install(&[package("insta", Some("1.39"), true)]),
            "cargo add --dev insta@1.39",
            "cargo add",
        ),
        (
            "go get github.com/jackc/pgx/v5@v5.6.0",
            install(&[package("github.com/jackc/pgx/v5", Some("v5.6.0"), false)]),
            "go get github.com/jackc/pgx/v5@v5.6.0",
            "go get",
        ),
        ("go mod tidy", install(&[]), "go mod tidy", "go mod"),
        (
            "composer require monolog/monolog:^3.0",
            install(&[package("monolog/monolog", Some("^3.0"), false)]),
            "composer require monolog/monolog:^3.0",
            "composer require",
        ),
        (
            "dotnet add src/App package Serilog --version 3.1.1",
            install(&[package("Serilog", Some("3.1.1"), false)]),
            "dotnet add src/App package Serilog --version 3.1.1",
            "dotnet add package",
        ),
        (
            "sudo apt-get install -y libpq-dev",
            install(&[package("libpq-dev", None, false)]),
            "apt-get install -y libpq-dev",
            "apt-get install",
        ),
        ("npm uninstall moment", Remove(vec!["moment".to_owned()]), "npm uninstall moment", "npm uninstall"),
        ("cargo rm chrono", Remove(vec!["chrono".to_owned()]), "cargo rm chrono", "cargo rm"),
        // Git.
        ("git commit -m 'fix: refresh window'", commit("fix: refresh window"), "git commit", "git commit"),
        ("git commit -am \"docs: say \\\"why\\\"\"", commit("docs: say \"why\""), "git commit", "git commit"),
        (
            "git commit -m 'a: b' -m 'More about it.'",
            commit("a: b\n\nMore about it."),
            "git commit",
            "git commit",
        ),
        (
            "git commit -m \"$(cat <<'EOF'\nfeat: don't retry (yet)\n\nThe queue does.\n\n🤖 Generated with a tool\n\nCo-Authored-By: X <x@y.z>\nEOF\n)\"",
            commit("feat: don't retry (yet)\n\nThe queue does."),
            "git commit",
            "git commit",
        ),
        ("git commit -F - <<'EOF'\nfix: it\nEOF", commit("fix: it"), "git commit", "git commit"),
        ("git commit --amend --no-edit", Purpose::Commit { message: None }, "git commit", "git commit"),
        (
            "git checkout -- src/a.rs src/b.rs",
            revert(&["src/a.rs", "src/b.rs"]),
            "git checkout -- src/a.rs src/b.rs",
            "git checkout",
        ),
        ("git checkout .", revert(&[]), "git checkout .", "git checkout"),
        (
            "git checkout HEAD~1 src/a.rs",
            revert(&["src/a.rs"]),
            "git checkout HEAD~1 src/a.rs",
            "git checkout",
        ),
        ("git checkout -b feature/x.y", Other, "git checkout -b feature/x.y", "git checkout"),
        ("git checkout main", Other, "git checkout main", "git checkout"),
        ("git restore src/a.rs", revert(&["src/a.rs"]), "git restore src/a.rs", "git restore"),
        ("git restore --staged src/a.rs", Other, "git restore --staged src/a.rs", "git restore"),
        ("git -C api reset --hard HEAD", revert(&[]), "git -C api reset --hard HEAD", "git reset"),
        ("git reset --soft HEAD~1", Other, "git reset --soft HEAD~1", "git reset"),
        ("git stash", revert(&[]), "git stash", "git stash"),
        ("git stash push -- src/a.rs", revert(&["src/a.rs"]), "git stash push -- src/a.rs", "git stash"),
        ("git stash pop", Other, "git stash pop", "git stash"),
        ("git log --oneline -5", Look, "git log --oneline -5", "git log"),
        ("git diff HEAD", Look, "git diff HEAD", "git diff"),
        ("git branch --show-current", Look, "git branch --show-current", "git branch"),
        ("git push origin main", Other, "git push origin main", "git push"),
        // Looking.
        ("ls -la src", Look, "ls -la src", "ls"),
        ("grep -rn 'a | b; c' src | head", Look, "grep -rn 'a | b; c' src", "grep"),
        ("sed -n 1,20p a.rs", Look, "sed -n 1,20p a.rs", "sed"),
        ("sed -i 's/a/b/' a.rs", Other, "sed -i 's/a/b/' a.rs", "sed"),
        ("cat > a.txt <<'EOF'\nnpm test\nEOF", Other, "cat", "cat"),
        ("curl -s http://localhost/health | jq .", Look, "curl -s http://localhost/health", "curl"),
        (
            "curl -X POST http://localhost/orders -d '{}'",
            Runs,
            "curl -X POST http://localhost/orders -d '{}'",
            "curl",
        ),
        (
            "curl -s -o /dev/null -w '%{http_code}' http://localhost",
            Look,
            "curl -s -o /dev/null -w '%{http_code}' http://localhost",
            "curl",
        ),
        ("node --version", Look, "node --version", "node"),
        ("gh pr view 12", Look, "gh pr view 12", "gh pr view"),
        ("gh pr create --title x", Other, "gh pr create --title x", "gh pr create"),
        ("echo '{}' | node scripts/check.js", Runs, "node scripts/check.js", "node"),
        ("find . -name '*.py' | xargs black", Format, "black", "black"),
        ("mkdir -p a", Other, "mkdir -p a", "mkdir"),
    ];
    for (line, purpose, label, family) in cases {
        let expected = vec![Run { purpose, label: label.to_owned(), family: family.to_owned() }];
        assert_eq!(runs(line), expected, "{line}");
    }
}

#[test]
fn takes_every_command_of_a_line_that_matters() {
    let families = |line: &str| runs(line).into_iter().map(|run| run.family).collect::<Vec<_>>();
    assert_eq!(families("cd web && npm ci && npm test"), ["npm ci", "npm test"]);
    assert_eq!(families("export A=1; source .venv/bin/activate; pytest -q || true"), ["pytest"]);
    assert_eq!(families("for f in a b; do npx tsc $f; done"), ["tsc"]);
    assert_eq!(families("if ! cargo build; then echo broken; fi"), ["cargo build", "echo"]);
    assert_eq!(families("(cd api && go test ./...) && (cd web && npm test)"), ["go test", "npm test"]);
    assert_eq!(families("bash -c 'cd x && make && make test'"), ["make", "make test"]);
    assert_eq!(families("git add -A && git commit -m 'a; b && c'"), ["git add", "git commit"]);
    assert_eq!(families("# npm test\nls"), ["ls"]);
    assert_eq!(families(""), [""; 0]);
    assert_eq!(families("cd /tmp"), [""; 0]);
}

#[test]
fn cuts_a_label_and_survives_anything() {
    let long = format!("cargo test {}", "ä".repeat(300));
    assert_eq!(runs(&long)[0].label.chars().count(), 80);
    for line in [
        "'",
        "\"",
        "$(",
        "a <<",
        "`",
        "a <<'EOF'\nb",
        "\\",
        "((((",
        "a 2>",
        "&&&&||",
        "\"$(cat <<'E'\n",
        "ä'ö\"ü$(ß",
    ] {
        let _ = runs(line);
    }
    let _ = runs(&"$(".repeat(20_000));
    let _ = runs(&"a <<X\n".repeat(10_000));
}

fn step(line: &str, ok: Option<bool>, exit: Option<i64>, output: &str) -> Step {
    Step {
        id: custos_model::EventId::from_bytes([0; 16]),
        tool: "Bash".to_owned(),
        what: What::Ran(line.to_owned()),
        ok,
        exit,
        output: output.to_owned(),
        files_read: Vec::new(),
        files_changed: Vec::new(),
        by: None,
    }
}

#[test]
fn tells_what_became_of_a_run() {
    // The line, ok, exit, what was printed, and the outcome of each of its runs.
    type Case<'c> = (&'c str, Option<bool>, Option<i64>, &'c str, &'c [Option<bool>]);
    let (well, badly) = (Some(true), Some(false));
    let cases: &[Case<'_>] = &[
        ("cargo test", None, Some(0), "", &[well]),
        ("cargo test", None, Some(101), "", &[badly]),
        ("cargo test", badly, None, "Exit code 101\n", &[badly]),
        (
            "cargo test 2>&1 | tail -5",
            well,
            Some(0),
            "test result: FAILED. 3 passed; 1 failed; 0 ignored",
            &[badly],
        ),
        (
            "cargo test 2>&1 | tail -5",
            well,
            Some(0),
            "test result: ok. 3 passed; 0 failed; 0 ignored",
            &[well],
        ),
        ("cargo test 2>&1 | tail -5", well, Some(0), "warning: unused", &[None]),
        ("set -o pipefail; cargo test | tee log", None, Some(101), "", &[badly]),
        ("npm test || true", well, Some(0), "Tests:       1 failed, 12 passed, 13 total", &[badly]),
        ("npm test || true", well, Some(0), "Tests:       13 passed, 13 total", &[well]),
        ("npx vitest run | tail", well, None, " Tests  2 failed | 5 passed (7)", &[badly]),
        ("npx mocha | cat", well, None, "  12 passing (30ms)\n  1 failing", &[badly]),
        ("pytest -q | tail -3", well, None, "1 failed, 4 passed in 0.31s", &[badly]),
        ("pytest -q | tail -3", well, None, "5 passed in 0.31s", &[well]),
        ("pytest; echo \"exit: $?\"", well, Some(0), "…\nexit: 1", &[badly, well]),
        (
            "go test ./... | grep -v cached",
            well,
            None,
            "ok  \tx/a\t0.1s\n--- FAIL: TestB (0.00s)\nFAIL",
            &[badly],
        ),
        ("go test ./... | tail", well, None, "ok  \tx/a\t0.1s\nok  \tx/b\t0.2s", &[well]),
        (
            "mvn test | tail",
            well,
            None,
            "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
            &[badly],
        ),
        ("./gradlew build | tail", well, None, "BUILD SUCCESSFUL in 3s", &[well]),
        ("npx tsc --noEmit | head", well, None, "src/a.ts(1,2): error TS2345: x", &[badly]),
        ("npx eslint . | tail", well, None, "✖ 3 problems (0 errors, 3 warnings)", &[well]),
        (
            "dotnet test | tail",
            well,
            None,
            "Passed!  - Failed:     0, Passed:    12, Skipped:     0",
            &[well],
        ),
        ("bundle exec rspec | tail", well, None, "12 examples, 0 failures", &[well]),
        (
            "cargo build && cargo test",
            badly,
            Some(101),
            "Finished `dev`\ntest result: FAILED. 1 passed; 1 failed",
            &[well, badly],
        ),
        ("cargo build && cargo test", well, Some(0), "", &[well, well]),
        ("npm ci && npm test", badly, Some(1), "nothing told", &[None, None]),
        ("cd web && npm test", badly, Some(1), "nothing told", &[badly]),
        ("make", None, None, "make: *** [Makefile:3: all] Error 2", &[badly]),
        ("make", None, None, "cc -c a.c", &[None]),
        // A client that only knows that the call came to an end.
        ("pytest", well, None, "2 failed, 1 passed in 1s", &[badly]),
        ("grep -rn nothing src", badly, Some(1), "", &[None]),
        ("grep -rn '[' src", badly, Some(2), "grep: Unmatched [", &[badly]),
        ("ls nothing", badly, Some(2), "No such file", &[badly]),
    ];
    for (line, ok, exit, output, expected) in cases {
        let step = step(line, *ok, *exit, output);
        let told = Line::of(&step);
        let found: Vec<_> = (0..told.runs().count()).map(|at| told.outcome(at)).collect();
        assert_eq!(found, *expected, "{line}: {output}");
    }
}

/// What texts are made of that are hard to read.
const PIECES: &[&str] = &[
    "git commit -m ",
    "\"",
    "'",
    "$(",
    ")",
    "`",
    " && ",
    " | ",
    "<<EOF\n",
    "EOF\n",
    "npm ",
    "run ",
    "-",
    "\\",
    "\n",
    "ä",
    "sudo ",
    "bash -c ",
    "2>&1",
    "{ ",
    "x@1",
    "🦀",
];

proptest::proptest! {
    #[test]
    fn takes_any_text(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24), any in ".{0,40}") {
        let text = pieces.concat() + &any;
        let step = step(&text, None, None, &any);
        let line = Line::of(&step);
        for at in 0..line.runs().count() {
            let _ = line.outcome(at);
        }
    }
}
