//! Tools that are configured by a file of their own: what the file stands for, and how the tool is called.

use super::findings::{Origin, Purpose, Source, Topic};
use super::foreign;
use super::notes::{Ecosystem, Notes};
use super::runners;
use super::walk::{Tree, above, folder_of, is_aside, name_of};

use Purpose::{Format, Lint, Test};
use Topic::{Ci, Commits, Deployment, Formatting, Linting, Monorepo, Release, Testing};

/// A row: the file (a path if it has a `/`, `*` at the end for any rest), the topic, what it is, and the command that goes with it.
type Row = (&'static str, Topic, &'static str, Option<(Purpose, &'static str)>);

const TABLE: &[Row] = &[
    (".editorconfig", Formatting, "EditorConfig", None),
    ("rustfmt.toml", Formatting, "rustfmt", Some((Format, "cargo fmt"))),
    (".rustfmt.toml", Formatting, "rustfmt", Some((Format, "cargo fmt"))),
    (".prettierrc*", Formatting, "Prettier", Some((Format, "npx prettier --check ."))),
    ("prettier.config.*", Formatting, "Prettier", Some((Format, "npx prettier --check ."))),
    (".clang-format", Formatting, "clang-format", None),
    (".swiftformat", Formatting, "SwiftFormat", Some((Format, "swiftformat ."))),
    (".swift-format", Formatting, "swift-format", None),
    (".php-cs-fixer*", Formatting, "PHP-CS-Fixer", Some((Format, "vendor/bin/php-cs-fixer fix"))),
    ("pint.json", Formatting, "Pint", Some((Format, "vendor/bin/pint"))),
    (".scalafmt.conf", Formatting, "scalafmt", None),
    ("dprint.json", Formatting, "dprint", Some((Format, "dprint check"))),
    ("stylua.toml", Formatting, "StyLua", None),
    ("biome.json*", Linting, "Biome", Some((Lint, "npx biome check ."))),
    (".eslintrc*", Linting, "ESLint", Some((Lint, "npx eslint ."))),
    ("eslint.config.*", Linting, "ESLint", Some((Lint, "npx eslint ."))),
    (".oxlintrc.json", Linting, "oxlint", Some((Lint, "npx oxlint"))),
    (".stylelintrc*", Linting, "Stylelint", None),
    ("clippy.toml", Linting, "Clippy", Some((Lint, "cargo clippy"))),
    (".clippy.toml", Linting, "Clippy", Some((Lint, "cargo clippy"))),
    ("deny.toml", Linting, "cargo-deny", Some((Lint, "cargo deny check"))),
    ("ruff.toml", Linting, "Ruff", Some((Lint, "ruff check ."))),
    (".ruff.toml", Linting, "Ruff", Some((Lint, "ruff check ."))),
    (".flake8", Linting, "Flake8", Some((Lint, "flake8"))),
    (".pylintrc", Linting, "Pylint", None),
    ("mypy.ini", Linting, "mypy", Some((Lint, "mypy ."))),
    ("pyrightconfig.json", Linting, "Pyright", Some((Lint, "pyright"))),
    (".golangci.y*", Linting, "golangci-lint", Some((Lint, "golangci-lint run"))),
    (".golangci.toml", Linting, "golangci-lint", Some((Lint, "golangci-lint run"))),
    (".rubocop.yml", Linting, "RuboCop", Some((Lint, "bundle exec rubocop"))),
    (".standard.yml", Linting, "Standard Ruby", Some((Lint, "bundle exec standardrb"))),
    ("phpstan.neon*", Linting, "PHPStan", Some((Lint, "vendor/bin/phpstan analyse"))),
    ("psalm.xml*", Linting, "Psalm", Some((Lint, "vendor/bin/psalm"))),
    ("phpcs.xml*", Linting, "PHP_CodeSniffer", Some((Lint, "vendor/bin/phpcs"))),
    (".clang-tidy", Linting, "clang-tidy", None),
    (".swiftlint.yml", Linting, "SwiftLint", Some((Lint, "swiftlint"))),
    ("detekt.yml", Linting, "detekt", None),
    ("checkstyle.xml", Linting, "Checkstyle", None),
    (".globalconfig", Linting, ".NET analysers", None),
    (".shellcheckrc", Linting, "ShellCheck", None),
    (".hadolint.y*", Linting, "hadolint", None),
    (".markdownlint*", Linting, "markdownlint", None),
    (".pre-commit-config.yaml", Commits, "pre-commit", Some((Lint, "pre-commit run --all-files"))),
    ("vitest.config.*", Testing, "Vitest", Some((Test, "npx vitest run"))),
    ("vitest.workspace.*", Testing, "Vitest", None),
    ("jest.config.*", Testing, "Jest", Some((Test, "npx jest"))),
    ("playwright.config.*", Testing, "Playwright", Some((Test, "npx playwright test"))),
    ("cypress.config.*", Testing, "Cypress", Some((Test, "npx cypress run"))),
    ("karma.conf.js", Testing, "Karma", None),
    (".mocharc*", Testing, "Mocha", Some((Test, "npx mocha"))),
    ("pytest.ini", Testing, "pytest", Some((Test, "pytest"))),
    ("phpunit.xml*", Testing, "PHPUnit", Some((Test, "vendor/bin/phpunit"))),
    (".rspec", Testing, "RSpec", Some((Test, "bundle exec rspec"))),
    ("codecov.y*", Testing, "Codecov", None),
    (".codecov.y*", Testing, "Codecov", None),
    (".coveragerc", Testing, "coverage.py", None),
    (".commitlintrc*", Commits, "commitlint", None),
    ("commitlint.config.*", Commits, "commitlint", None),
    (".czrc", Commits, "Commitizen", None),
    (".cz.toml", Commits, "Commitizen", None),
    ("lefthook.y*", Commits, "Lefthook", None),
    (".lintstagedrc*", Commits, "lint-staged", None),
    (".husky/*", Commits, "husky hooks", None),
    (".github/pull_request_template.md", Commits, "pull request template", None),
    (".github/PULL_REQUEST_TEMPLATE.md", Commits, "pull request template", None),
    ("CODEOWNERS", Commits, "code owners", None),
    (".changeset/config.json", Release, "Changesets", None),
    (".releaserc*", Release, "semantic-release", None),
    ("release.config.*", Release, "semantic-release", None),
    ("release-please-config.json", Release, "Release Please", None),
    ("cliff.toml", Release, "git-cliff", None),
    (".goreleaser.y*", Release, "GoReleaser", None),
    ("dist-workspace.toml", Release, "cargo-dist", None),
    ("release-plz.toml", Release, "release-plz", None),
    (".github/dependabot.yml", Release, "Dependabot", None),
    ("renovate.json*", Release, "Renovate", None),
    (".github/renovate.json*", Release, "Renovate", None),
    (".github/workflows/*", Ci, "GitHub Actions", None),
    (".gitlab-ci.yml", Ci, "GitLab CI", None),
    (".circleci/config.yml", Ci, "CircleCI", None),
    ("azure-pipelines.yml", Ci, "Azure Pipelines", None),
    ("bitbucket-pipelines.yml", Ci, "Bitbucket Pipelines", None),
    (".buildkite/*", Ci, "Buildkite", None),
    (".travis.yml", Ci, "Travis CI", None),
    (".drone.yml", Ci, "Drone", None),
    (".woodpecker.yml", Ci, "Woodpecker", None),
    (".woodpecker/*", Ci, "Woodpecker", None),
    (".cirrus.yml", Ci, "Cirrus CI", None),
    (".forgejo/workflows/*", Ci, "Forgejo Actions", None),
    (".gitea/workflows/*", Ci, "Gitea Actions", None),
    ("appveyor.yml", Ci, "AppVeyor", None),
    ("Jenkinsfile", Ci, "Jenkins", None),
    (".ci/*", Ci, "scripts in `.ci`", None),
    ("Dockerfile", Deployment, "Dockerfile", None),
    ("Containerfile", Deployment, "Containerfile", None),
    ("docker-compose.y*", Deployment, "Docker Compose", None),
    ("compose.y*", Deployment, "Docker Compose", None),
    (".devcontainer/*", Deployment, "dev container", None),
    ("Chart.yaml", Deployment, "Helm chart", None),
    ("kustomization.yaml", Deployment, "Kustomize", None),
    ("skaffold.yaml", Deployment, "Skaffold", None),
    ("main.tf", Deployment, "Terraform", None),
    ("Pulumi.yaml", Deployment, "Pulumi", None),
    ("serverless.yml", Deployment, "Serverless Framework", None),
    ("fly.toml", Deployment, "Fly.io", None),
    ("vercel.json", Deployment, "Vercel", None),
    ("netlify.toml", Deployment, "Netlify", None),
    ("Procfile", Deployment, "Procfile", None),
    ("nx.json", Monorepo, "Nx", None),
    ("turbo.json", Monorepo, "Turborepo", None),
    ("lerna.json", Monorepo, "Lerna", None),
    ("rush.json", Monorepo, "Rush", None),
    ("pnpm-workspace.yaml", Monorepo, "pnpm workspace", None),
    ("go.work", Monorepo, "Go workspace", None),
    (".gitmodules", Monorepo, "git submodules", None),
];

/// Tools of Python that need no settings: whoever depends on one uses it.
const REQUIRED: &[(&str, Purpose, &str)] = &[
    ("black", Format, "black ."),
    ("flake8", Lint, "flake8"),
    ("mypy", Lint, "mypy ."),
    ("pytest", Test, "pytest"),
    ("ruff", Lint, "ruff check ."),
];

/// Notes the tools of a tree, each where it is configured nearest to the root, and where it is only required.
pub(super) fn configured(tree: &Tree, notes: &mut Notes) {
    let pest = notes
        .dependencies
        .iter()
        .any(|dependency| dependency.ecosystem == Ecosystem::Php && dependency.name == "pestphp/pest");
    for (pattern, topic, name, command) in TABLE {
        let Some(path) = tree.files.iter().find(|path| is_meant(path, pattern, *topic)) else { continue };
        let source = foreign::source(path, None);
        notes.pattern(*topic, name, None, source.clone());
        if let Some((purpose, command)) = command {
            // Pest is configured by the same file.
            let command = if pest && *name == "PHPUnit" { "vendor/bin/pest" } else { command };
            let (command, origin) = runners::started(tree, &notes.packages, folder_of(path), command);
            notes.command(*purpose, origin, folder_of(path), (&command, None), source);
        }
    }
    required(tree, notes);
}

fn required(tree: &Tree, notes: &mut Notes) {
    let mut found: Vec<(&str, Purpose, String, Source)> = Vec::new();
    for dependency in notes.dependencies.iter().filter(|one| one.ecosystem == Ecosystem::Python) {
        let Some((_, purpose, command)) = REQUIRED.iter().find(|(name, ..)| *name == dependency.name) else {
            continue;
        };
        let folder = folder_of(&dependency.source.file);
        // `requirements/dev.txt` is about the folder above.
        let folder = if name_of(folder) == "requirements" { folder_of(folder) } else { folder };
        let covered =
            found.iter().any(|(known, _, at, _)| known == command && above(folder).any(|up| up == at));
        if !covered {
            found.push((command, *purpose, folder.to_owned(), dependency.source.clone()));
        }
    }
    for (command, purpose, folder, source) in found {
        let command = runners::of_python(tree, &folder, command);
        notes.command(purpose, Origin::Configured, &folder, (&command, None), source);
    }
}

fn is_meant(path: &str, pattern: &str, topic: Topic) -> bool {
    let subject = if pattern.contains('/') { path } else { name_of(path) };
    let meant = match pattern.strip_suffix('*') {
        Some(start) => subject.starts_with(start),
        None => subject == pattern,
    };
    // A pipeline that is not at the root does not run.
    meant && !is_aside(path) && (topic != Ci || pattern.contains('/') || !path.contains('/'))
}
