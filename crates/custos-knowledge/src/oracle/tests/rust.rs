//! Rust.

use insta::assert_snapshot;

use super::Project;

#[test]
fn rust() {
    let project = Project::new(&[
        (
            "Cargo.toml",
            r#"
[workspace]
members = ["crates/*"]

[workspace.package]
rust-version = "1.85"
edition = "2024"
license = "MIT OR Apache-2.0"

[workspace.dependencies]
axum = "0.8"
tokio = { version = "1.40", features = ["rt"] }
insta = "1"

[workspace.lints.rust]
unsafe_code = "deny"
"#,
        ),
        ("Cargo.lock", ""),
        (".config/nextest.toml", "[profile.ci]\nretries = 2\n"),
        (".cargo/config.toml", "[alias]\nlint = \"clippy --all-targets\"\nxtask = \"run -p xtask\"\n"),
        ("rustfmt.toml", "max_width = 100\n"),
        ("rust-toolchain.toml", "[toolchain]\nchannel = \"1.85.1\"\n"),
        (
            ".github/workflows/ci.yml",
            r"
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cargo build --locked
      - run: |
          # all of them
          cargo nextest run --profile ci
          cargo test --doc
          cargo test --target ${{ matrix.target }}
",
        ),
        ("crates/shop/Cargo.toml", "[package]\nname = \"shop\"\n[dependencies]\naxum.workspace = true\n"),
        (
            "crates/shop/src/main.rs",
            "//! The shop: orders come in, invoices go out. More follows.\n\nmod order;\n\nfn main() {}\n",
        ),
        (
            "crates/shop/src/order.rs",
            "pub struct Order;\npub struct Invoice;\nimpl Order { pub fn invoice_of(&self) {} }\n\n#[cfg(test)]\nmod tests { fn nonsense_words() {} }\n",
        ),
        (
            "crates/shop/src/bin/import.rs",
            "pub enum OrderState { New }\nfn import_orders() {}\nfn main() {}\n",
        ),
        ("crates/shop/tests/flow.rs", "#[test]\nfn orders_flow() {}\n"),
        ("target/debug/junk.rs", "struct Order;"),
        (".gitignore", "target\n"),
        ("LICENSE-MIT", "Permission is hereby granted, free of charge, to any person\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Rust: 100 % of the source files (4 files) (`Cargo.toml`)

    ## Versions

    - Rust `at least 1.85` (`Cargo.toml:5`)
    - Rust edition `2024` (`Cargo.toml:6`)
    - Rust toolchain `1.85.1` (`rust-toolchain.toml:2`)

    ## Package managers and build systems

    - Cargo (`Cargo.lock`)

    ## Frameworks and libraries

    - Tokio `1.40` (`Cargo.toml:11`)
    - axum `0.8` (`Cargo.toml:10`)

    ## Test libraries

    - insta `1` (`Cargo.toml:12`)

    ## Commands

    ### Test

    - `cargo nextest run` (`.config/nextest.toml`, configured)
    - `cargo nextest run --profile ci` (`.github/workflows/ci.yml:10`, CI)
    - `cargo test --doc` (`.github/workflows/ci.yml:11`, CI)

    ### Lint

    - `cargo lint`: `cargo clippy --all-targets` (`.cargo/config.toml:2`)

    ### Build

    - `cargo build --locked` (`.github/workflows/ci.yml:7`, CI)

    ### Format

    - `cargo fmt` (`rustfmt.toml`, configured)

    ### Run

    - `cargo xtask`: `cargo run -p xtask` (`.cargo/config.toml:3`)

    # Structure

    ## Folders

    - `.cargo/`: settings of Cargo
    - `.config/`: settings of tools
    - `.github/`: GitHub: workflows and templates
    - `crates/`: Rust crates, one folder each
    - `crates/shop/`: The shop: orders come in, invoices go out (`crates/shop/src/main.rs:1`)

    ## Entry points

    - `crates/shop/src/bin/import.rs`: program import
    - `crates/shop/src/main.rs`: program

    # Patterns

    ## Formatting

    - rustfmt (`rustfmt.toml`)

    ## Tests

    - cargo-nextest (`.config/nextest.toml`)
    - integration tests in `tests` (1 file) (`crates/shop/tests/flow.rs`)
    - unit tests inside the code, `#[cfg(test)]` (`crates/shop/src/order.rs:5`)

    ## Strictness

    - `unsafe` code is refused (deny) (`Cargo.toml:15`)

    ## Continuous integration

    - GitHub Actions (`.github/workflows/ci.yml`)

    ## Several packages

    - Cargo workspace (`Cargo.toml:1`)

    ## Licence

    - MIT OR Apache-2.0 (`Cargo.toml:7`)

    # Glossary

    ## Words of the code

    - order: `Order` (`crates/shop/src/order.rs:1`), in 2 files

    # Proposals

    - Formatting is done with `cargo fmt` (rustfmt.toml): Formatting is done with `cargo fmt`. Keep the code formatted by it. The tool is configured in the repo.
    - Linting is done with `cargo lint` (.cargo/config.toml:2): Linting is done with `cargo lint`. Run this before a change is called done. The project names this command itself.
    - Several packages live in this repo (Cargo.toml:1): Packages are part of one repo (Cargo workspace); share code through them and not by copies. The workspace is declared.
    - Tests run with `cargo nextest run` (.config/nextest.toml): Tests run with `cargo nextest run`. Run this before a change is called done. The tool is configured in the repo.
    - The licence is `MIT OR Apache-2.0` (Cargo.toml:7): Code in this repo is licensed under `MIT OR Apache-2.0`; what is taken in must be compatible. The manifest or the licence file says so.
    - Version of Rust edition: `2024` (Cargo.toml:6): Version of Rust edition: `2024`. Use nothing that needs another. The manifest demands it.
    - Version of Rust toolchain: `1.85.1` (rust-toolchain.toml:2): Version of Rust toolchain: `1.85.1`. Use nothing that needs another. The manifest demands it.
    - Version of Rust: `at least 1.85` (Cargo.toml:5): Version of Rust: `at least 1.85`. Use nothing that the oldest of these lacks. The manifest demands it.
    - `unsafe` code is refused (Cargo.toml:15): `unsafe` code is refused. A manifest or the settings of the compiler say so.
    ");
}
