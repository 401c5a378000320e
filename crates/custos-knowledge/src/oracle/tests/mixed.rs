//! Several ecosystems in one repo, runners of tasks, and what speaks for a folder.

use insta::assert_snapshot;

use super::Project;

#[test]
fn several_manifests() {
    let project = Project::new(&[
        ("README.md", "# Everything\n"),
        (
            "justfile",
            "set shell := [\"bash\", \"-c\"]\nalias t := test\n\ntest *args:\n    cd backend && cargo test {{args}}\n\n@fmt:\n    cargo fmt\n\n_private:\n    true\n",
        ),
        (
            "Taskfile.yml",
            "version: '3'\ntasks:\n  lint:\n    cmds:\n      - golangci-lint run\n      - task: other\n  build: go build ./...\n  check:\n    cmd: go test ./...\n",
        ),
        (
            "backend/Cargo.toml",
            "[package]\nname = \"backend\"\ndescription = \"The back end.\"\nedition = \"2021\"\n",
        ),
        ("backend/src/lib.rs", "pub struct Tenant;\n"),
        (
            "frontend/package.json",
            "{\"scripts\": {\"test\": \"jest\"}, \"devDependencies\": {\"jest\": \"29\"}}\n",
        ),
        ("frontend/yarn.lock", ""),
        ("frontend/src/main.ts", "export class TenantView {}\n"),
        ("gateway/go.mod", "module gateway\n\ngo 1.22\n"),
        ("gateway/main.go", "package main\n\ntype TenantRoute struct{}\n\nfunc main() {}\n"),
        ("scripts/test.sh", "#!/bin/sh\n"),
        ("scripts/release.sh", "#!/bin/sh\n"),
        ("examples/demo/package.json", "{\"dependencies\": {\"vue\": \"3\"}}\n"),
        (
            ".github/workflows/web.yaml",
            "jobs:\n  web:\n    defaults: {run: {shell: bash}}\n    steps:\n      - working-directory: ./frontend/\n        run: |\n          yarn run test \\\n            --ci\n      - run: ./scripts/test.sh\n      - run: if true; then make test; fi\n",
        ),
        (
            "CONTRIBUTING.md",
            "# How\n\nWe write [Conventional Commits](https://www.conventionalcommits.org).\n",
        ),
        ("CHANGELOG.md", "See https://keepachangelog.com/en/1.1.0/\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Shell: 40 % of the source files (2 files) (`scripts/release.sh`)
    - Go: 20 % of the source files (1 file) (`gateway/go.mod`)
    - Rust: 20 % of the source files (1 file) (`backend/Cargo.toml`)
    - TypeScript: 20 % of the source files (1 file) (`frontend/src/main.ts`)

    ## Versions

    - Go `at least 1.22` (`gateway/go.mod:3`)
    - Rust edition `2021` (`backend/Cargo.toml:4`)

    ## Package managers and build systems

    - Cargo (`backend/Cargo.toml`)
    - Go modules (`gateway/go.mod`)
    - Yarn (`frontend/yarn.lock`)

    ## Test libraries

    - Jest `29` (`frontend/package.json:1`)

    ## Commands

    ### Test

    - `just test`: `cd backend && cargo test {{args}}` (`justfile:4`)
    - `scripts/test.sh` (`scripts/test.sh`)
    - `task check`: `go test ./...` (`Taskfile.yml:8`)
    - `yarn test` in `frontend`: `jest` (`frontend/package.json:1`)
    - `yarn run test --ci` in `frontend` (`.github/workflows/web.yaml:7`, CI)

    ### Lint

    - `task lint`: `golangci-lint run` (`Taskfile.yml:3`)
    - `cargo clippy` in `backend` (`backend/Cargo.toml`, default)
    - `go vet ./...` in `gateway` (`gateway/go.mod`, default)

    ### Build

    - `task build`: `go build ./...` (`Taskfile.yml:7`)
    - `cargo build` in `backend` (`backend/Cargo.toml`, default)

    ### Format

    - `just fmt`: `cargo fmt` (`justfile:7`)
    - `gofmt -l .` in `gateway` (`gateway/go.mod`, default)

    # Structure

    ## Folders

    - `.github/`: GitHub: workflows and templates
    - `backend/`: The back end (`backend/Cargo.toml:3`)
    - `examples/`: examples
    - `frontend/`: 3 files
    - `gateway/`: 2 files
    - `scripts/`: scripts for development

    ## Entry points

    - `backend/src/lib.rs`: library
    - `frontend/src/main.ts`: first module
    - `gateway/main.go`: program (`gateway/main.go:5`)

    # Patterns

    ## Commits and changes

    - Conventional Commits (`CONTRIBUTING.md:3`)
    - Keep a Changelog (`CHANGELOG.md:1`)

    ## Continuous integration

    - GitHub Actions (`.github/workflows/web.yaml`)

    # Glossary

    ## Words of the code

    - tenant: `Tenant` (`backend/src/lib.rs:1`), in 3 files

    # Proposals

    - Commit messages follow Conventional Commits (CONTRIBUTING.md:3): Write commit messages as Conventional Commits. A tool or the contributors' guide asks for it.
    - Formatting is done with `just fmt` (justfile:7): Formatting is done with `just fmt`. Keep the code formatted by it. The project names this command itself.
    - JavaScript dependencies are managed with Yarn (frontend/yarn.lock): Use Yarn for JavaScript dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    - Linting is done with `task lint` (Taskfile.yml:3): Linting is done with `task lint`. Run this before a change is called done. The project names this command itself.
    ");
}

#[test]
fn what_speaks_for_a_folder() {
    let project = Project::new(&[
        (
            "a/README.md",
            "---\ntitle: x\n---\n<h1 align=\"center\">A</h1>\n\n[![build](https://x/y.svg)](https://x)\n\nTitle\n=====\n\n> The **first** [letter](https://example.com) of `all`, e.g. for lists. And more.\n",
        ),
        ("b/README.rst", "=====\nB\n=====\n\n.. image:: x.png\n\nThe second letter! It follows.\n"),
        ("b/b.txt", ""),
        ("c/mod.rs", "// licence\n//! The third,\n//! in two lines.\n//!\n//! More.\n"),
        ("d/__init__.py", "'''The fourth.'''\n"),
        ("e/e.go", "package e\n"),
        ("e/zz.go", "// Package e is the fifth.\npackage e\n"),
        ("f/index.ts", "/* tslint */\n/** The sixth: @see x */\nexport {};\n"),
        ("g/index.js", "/** Copyright somebody. License MIT. */\n"),
        ("h.rs", "//! The eighth, beside its folder.\n"),
        ("h/x.rs", ""),
        ("docs/x.md", ""),
        ("odd/a.c", ""),
        ("odd/b.c", ""),
        ("odd/c.txt", ""),
        ("plain/x.dat", ""),
        ("i/README.md", "# Only a title\n\n[![x](y)](z)\n"),
    ]);
    assert_snapshot!(project.scan().structure.iter().map(|folder| format!("{} | {} | {}\n", folder.path, folder.what, folder.source)).collect::<String>(), @r"
    a | The first letter of all, e.g. for lists | a/README.md:11
    b | The second letter! | b/README.rst:7
    c | The third, in two lines | c/mod.rs:2
    d | The fourth | d/__init__.py:1
    docs | documentation | docs/
    e | Package e is the fifth | e/zz.go:1
    f | The sixth: @see x | f/index.ts:2
    g | 1 file, JavaScript | g/
    h | The eighth, beside its folder | h.rs:1
    i | 1 file | i/
    odd | 3 files, mostly C | odd/
    plain | 1 file | plain/
    ");
}

#[test]
fn an_empty_folder() {
    assert_snapshot!(Project::new(&[]).told(), @r"
    # Stack

    Nothing was found: no manifest and no source file.

    # Structure

    There are no folders with files, and no entry points were found.

    # Patterns

    Nothing was found that a file proves.

    # Glossary

    No word is in the declarations of several files.

    # Proposals
    ");
}

/// What a workspace says of a repo in it is what the repo says of itself.
#[test]
fn a_repo_within_is_worked_on_as_its_own_files_say() {
    let pipeline = "jobs:\n  test:\n    steps:\n      - run: cargo nextest run --all\n      - run: cargo clippy -- -D warnings\n      - run: npm test\n        working-directory: ./site\n";
    let of_repo = [
        ("Cargo.toml", "[package]\nname = \"core\"\n"),
        (".github/workflows/ci.yml", pipeline),
        (".cargo/config.toml", "[alias]\nxt = \"nextest run\"\n"),
        ("ci/check.sh", "cargo fmt --check\n"),
        ("scripts/test", "#!/bin/sh\n"),
        ("site/index.html", ""),
    ];
    let alone = Project::new(&of_repo).commands();
    assert_eq!(
        alone,
        [
            "Test: scripts/test (Named)",
            "Test: cargo xt (Named)",
            "Test: cargo nextest run --all (Ci)",
            "Test: npm test in site (Ci)",
            "Lint: cargo clippy -- -D warnings (Ci)",
            "Build: cargo build (Default)",
            "Format: cargo fmt --check (Ci)",
        ]
    );
    let within: Vec<(String, &str)> =
        of_repo.iter().map(|(path, text)| (format!("libs/core/{path}"), *text)).collect();
    let files: Vec<(&str, &str)> = within.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let workspace = Project::new(&files);
    let plain = workspace.commands();
    assert_eq!(
        plain,
        [
            "Test: cargo xt in libs/core (Named)",
            "Lint: cargo clippy in libs/core (Default)",
            "Build: cargo build in libs/core (Default)",
            "Format: cargo fmt in libs/core (Default)",
        ]
    );
    workspace.write("libs/core/.git/HEAD", b"ref: refs/heads/main\n");
    let placed = |command: &String| match command.split_once(" in ") {
        Some((command, below)) => format!("{command} in libs/core/{below}"),
        None => command.replacen(" (", " in libs/core (", 1),
    };
    assert_eq!(workspace.commands(), alone.iter().map(placed).collect::<Vec<_>>());
    assert_eq!(workspace.decisions(), Vec::<String>::new());
}

#[test]
fn what_a_repo_within_proves_is_not_proposed_for_all() {
    let lock = "{\"lockfileVersion\": 3}\n";
    let files = [
        ("web/package.json", "{\"scripts\": {\"test\": \"vitest\"}}\n"),
        ("web/package-lock.json", lock),
        ("web/db/migrations/001_users.sql", "create table users (id int);\n"),
        ("pyproject.toml", "[project]\nname = \"all\"\n"),
        ("uv.lock", "version = 1\n"),
    ];
    let proven = [
        "Changes of the schema are migrations in `web/db/migrations`",
        "JavaScript dependencies are managed with npm",
        "Python dependencies are managed with uv",
    ];
    let one = Project::new(&files);
    assert_eq!(one.decisions(), proven);

    let workspace = Project::new(&files);
    workspace.write("web/.git/HEAD", b"ref: refs/heads/main\n");
    assert_eq!(workspace.decisions(), ["Python dependencies are managed with uv"]);
    // A repository within the tree may be checked out as a submodule, where `.git` is a file.
    let submodule = Project::new(&files);
    submodule.write("web/.git", b"gitdir: ../.git/modules/web\n");
    assert_eq!(submodule.decisions(), ["Python dependencies are managed with uv"]);
    // What lies where is said of the whole tree all the same.
    assert_eq!(workspace.scan().stack, one.scan().stack);
}

#[test]
fn names_of_go_mean_something_to_go() {
    let files = [("svc/pkg/a.txt", ""), ("svc/pkg/b.txt", ""), ("svc/README", "")];
    let what = |project: &Project| {
        let folders = project.scan().structure.into_iter();
        folders.map(|folder| format!("{}: {}", folder.path, folder.what)).collect::<Vec<_>>()
    };
    let project = Project::new(&files);
    assert_eq!(what(&project), ["svc: 3 files", "svc/pkg: 2 files"]);
    project.write("svc/go.mod", b"module svc\n");
    assert_eq!(what(&project), ["svc: 4 files", "svc/pkg: packages that others may import"]);
}
