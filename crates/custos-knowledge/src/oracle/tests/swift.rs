//! Swift.

use insta::assert_snapshot;

use super::Project;

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
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Swift: 100 % of the source files (4 files) (`Package.swift`)

    ## Versions

    - Swift tools `at least 5.10` (`Package.swift:1`)
    - iOS `at least 15.0` (`Podfile:1`)

    ## Package managers and build systems

    - CocoaPods (`Podfile`)
    - SwiftPM (`Package.resolved`)

    ## Frameworks and libraries

    - SnapKit `~> 5.0` (`Podfile:2`)
    - SwiftUI (`Sources/Greeter/App.swift:1`)
    - Vapor `4.92.0` (`Package.swift:7`)

    ## Test libraries

    - XCTest (`Tests/GreeterTests/GreetingTests.swift:1`)

    ## Commands

    ### Test

    - `swift test` (`Package.swift`, default)

    ### Lint

    - `swiftlint` (`.swiftlint.yml`, configured)

    ### Build

    - `swift build` (`Package.swift`, default)

    # Structure

    ## Folders

    - `Sources/`: 2 files, Swift
    - `Sources/Greeter/`: 2 files, Swift
    - `Tests/`: tests
    - `Tests/GreeterTests/`: 1 file, Swift

    ## Entry points

    - `Sources/Greeter`: program Greeter (`Package.swift:10`)
    - `Sources/Greeter/App.swift`: program (`Sources/Greeter/App.swift:3`)

    # Patterns

    ## Linting

    - SwiftLint (`.swiftlint.yml`)

    ## Tests

    - tests in `Tests` (1 file) (`Tests/GreeterTests/GreetingTests.swift`)

    # Glossary

    No word is in the declarations of several files.

    # Proposals

    - Linting is done with `swiftlint` (.swiftlint.yml): Linting is done with `swiftlint`. Run this before a change is called done. The tool is configured in the repo.
    - Version of Swift tools: `at least 5.10` (Package.swift:1): Version of Swift tools: `at least 5.10`. Use nothing that the oldest of these lacks. The manifest demands it.
    - Version of iOS: `at least 15.0` (Podfile:1): Version of iOS: `at least 15.0`. Use nothing that the oldest of these lacks. The manifest demands it.
    ");
}
