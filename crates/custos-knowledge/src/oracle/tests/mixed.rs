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
            "jobs:\n  web:\n    defaults: {run: {shell: bash}}\n    steps:\n      - working-directory: ./frontend/\n        run: yarn run test --ci && \\\n             yarn lint\n      - run: ./scripts/test.sh\n      - run: if true; then make test; fi\n",
        ),
        (
            "CONTRIBUTING.md",
            "# How\n\nWe write [Conventional Commits](https://www.conventionalcommits.org).\n",
        ),
        ("CHANGELOG.md", "See https://keepachangelog.com/en/1.1.0/\n"),
    ]);
    assert_snapshot!(project.told(), @"");
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
    assert_snapshot!(project.scan().structure.iter().map(|folder| format!("{} | {} | {}\n", folder.path, folder.what, folder.source)).collect::<String>(), @"");
}

#[test]
fn an_empty_folder() {
    assert_snapshot!(Project::new(&[]).told(), @"");
}
