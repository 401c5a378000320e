//! Go.

use insta::assert_snapshot;

use super::Project;

#[test]
fn go() {
    let project = Project::new(&[
        (
            "go.mod",
            r"
module example.com/ledger

go 1.23

toolchain go1.23.2

require github.com/spf13/cobra v1.8.1

require (
	github.com/gin-gonic/gin v1.10.0
	github.com/stretchr/testify v1.9.0 // for tests
)
",
        ),
        ("go.sum", ""),
        (
            "Makefile",
            "
.PHONY: test lint
GO := go
VERSION = 1

test: generate
	@$(GO) test -race ./...

lint:
	golangci-lint run

build-docs:
	mkdocs

%.o: %.c
	cc $<
",
        ),
        (".golangci.yml", "linters: {}\n"),
        ("cmd/ledgerd/main.go", "// Command ledgerd serves the ledger.\npackage main\n\nfunc main() {}\n"),
        (
            "internal/posting/posting.go",
            "//go:build !x\n\n// Package posting books amounts to accounts. It is exact.\npackage posting\n\ntype Posting struct{}\ntype Account struct{}\n\nfunc (p *Posting) Book() {}\n",
        ),
        ("internal/posting/posting_test.go", "package posting\nfunc TestBook() {}\n"),
        (
            "internal/report/report.go",
            "package report\n\ntype AccountReport struct{}\ntype PostingLine struct{}\n",
        ),
        ("db/migrations/001_init.sql", "create table accounts ();\n"),
        ("vendor/x/x.go", "package x\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Go: 80 % of the source files (4 files) (`go.mod`)
    - SQL: 20 % of the source files (1 file) (`db/migrations/001_init.sql`)

    ## Versions

    - Go `at least 1.23` (`go.mod:3`)
    - Go toolchain `at least go1.23.2` (`go.mod:5`)

    ## Package managers and build systems

    - Go modules (`go.sum`)

    ## Frameworks and libraries

    - Cobra `v1.8.1` (`go.mod:7`)
    - Gin `v1.10.0` (`go.mod:10`)

    ## Test libraries

    - Testify `v1.9.0` (`go.mod:11`)

    ## Commands

    ### Test

    - `make test`: `$(GO) test -race ./...` (`Makefile:5`)

    ### Lint

    - `make lint`: `golangci-lint run` (`Makefile:8`)

    ### Build

    - `go build ./...` (`go.mod`, default)

    ### Format

    - `gofmt -l .` (`go.mod`, default)

    # Structure

    ## Folders

    - `cmd/`: programs, one folder each
    - `cmd/ledgerd/`: Command ledgerd serves the ledger (`cmd/ledgerd/main.go:1`)
    - `db/`: database: schema, migrations, seeds
    - `db/migrations/`: changes of the database's schema
    - `internal/`: packages that are not for others
    - `internal/posting/`: Package posting books amounts to accounts (`internal/posting/posting.go:3`)
    - `internal/report/`: 1 file, Go

    ## Entry points

    - `cmd/ledgerd/main.go`: program ledgerd (`cmd/ledgerd/main.go:4`)

    # Patterns

    ## Linting

    - golangci-lint (`.golangci.yml`)

    ## Tests

    - tests beside the code, `*_test.go` (1 file) (`internal/posting/posting_test.go`)

    ## Migrations

    - db/migrations (by the folder's name) (`db/migrations/`)

    # Glossary

    ## Words of the code

    - account: `Account` (`internal/posting/posting.go:7`), in 2 files
    - posting: `Posting` (`internal/posting/posting.go:6`), in 2 files

    # Proposals

    - Changes of the schema are migrations in `db/migrations` (db/migrations/): Add a migration to `db/migrations` for each change; never edit one that has been applied. The migrations are in the repo.
    - Linting is done with `make lint` (Makefile:8): Linting is done with `make lint`. Run this before a change is called done. The project names this command itself.
    - Tests run with `make test` (Makefile:5): Tests run with `make test`. Run this before a change is called done. The project names this command itself.
    - Version of Go toolchain: `at least go1.23.2` (go.mod:5): Version of Go toolchain: `at least go1.23.2`. Use nothing that the oldest of these lacks. The manifest demands it.
    - Version of Go: `at least 1.23` (go.mod:3): Version of Go: `at least 1.23`. Use nothing that the oldest of these lacks. The manifest demands it.
    ");
}
