//! Rust, Go, C and C++, Swift.

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
    assert_snapshot!(project.told(), @"");
}

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
	github.com/stretchr/testify v1.9.0 // indirect
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
    assert_snapshot!(project.told(), @"");
}

#[test]
fn c_and_cpp() {
    let project = Project::new(&[
        (
            "CMakeLists.txt",
            r#"
cmake_minimum_required(VERSION 3.25...3.30)
project(player VERSION 1.0 DESCRIPTION "Plays sound files" LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(Qt6 REQUIRED COMPONENTS Widgets)
FIND_PACKAGE(GTest REQUIRED)
add_executable(player src/main.cpp)
add_executable(player_tests tests/all.cpp)
enable_testing()
"#,
        ),
        (
            "CMakePresets.json",
            r#"{"version": 6,
 "configurePresets": [{"name": "base", "hidden": true}, {"name": "release"}],
 "testPresets": [{"name": "release"}]}"#,
        ),
        ("conanfile.txt", "[requires]\nfmt/10.2.1\ncatch2/3.5.0@user/channel\n\n[generators]\nCMakeDeps\n"),
        (
            "vcpkg.json",
            r#"{"name": "player", "dependencies": ["spdlog", {"name": "boost-asio", "version>=": "1.84"}]}"#,
        ),
        (".clang-format", "BasedOnStyle: LLVM\n"),
        (".clang-tidy", "Checks: '*'\n"),
        ("include/player/track.hpp", "namespace player {\nclass Track {};\n}\n"),
        ("src/main.cpp", "#include \"player/track.hpp\"\nint main(int argc, char** argv) { return 0; }\n"),
        ("src/codec.c", "struct track_codec { int x; };\n"),
        ("tests/all.cpp", "#include <gtest/gtest.h>\nint main() {}\n"),
        (
            ".circleci/config.yml",
            "jobs:\n  build:\n    steps:\n      - checkout\n      - run:\n          name: Test\n          command: ctest --test-dir out --output-on-failure\n",
        ),
    ]);
    assert_snapshot!(project.told(), @"");
}

#[test]
fn swift() {
    let project = Project::new(&[
        (
            "Package.swift",
            r#"
// swift-tools-version: 5.10
import PackageDescription

let package = Package(
    name: "Greeter",
    dependencies: [
        .package(url: "https://github.com/vapor/vapor.git", from: "4.92.0"),
    ],
    targets: [
        .executableTarget(
            name: "Greeter",
            dependencies: []),
        .testTarget(name: "GreeterTests"),
    ]
)
"#,
        ),
        ("Package.resolved", "{}"),
        ("Podfile", "platform :ios, '15.0'\npod 'SnapKit', '~> 5.0'\n"),
        (".swiftlint.yml", "disabled_rules: []\n"),
        ("Sources/Greeter/App.swift", "import SwiftUI\n\n@main\nstruct GreeterApp: App {}\n"),
        ("Sources/Greeter/Greeting.swift", "public struct Greeting {}\nprotocol GreetingStyle {}\n"),
        ("Tests/GreeterTests/GreetingTests.swift", "import XCTest\nfinal class GreetingTests {}\n"),
    ]);
    assert_snapshot!(project.told(), @"");
}
