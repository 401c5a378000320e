//! C and C++.

use insta::assert_snapshot;

use super::Project;

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
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - C++: 75 % of the source files (3 files) (`src/main.cpp`)
    - C: 25 % of the source files (1 file) (`src/codec.c`)

    ## Versions

    - C++ `20` (`CMakeLists.txt:3`)
    - CMake `at least 3.25` (`CMakeLists.txt:1`)

    ## Package managers and build systems

    - CMake (`CMakeLists.txt`)
    - Conan (`conanfile.txt`)
    - vcpkg (`vcpkg.json`)

    ## Frameworks and libraries

    - Boost `1.84` (`vcpkg.json:1`)
    - Qt 6 (`CMakeLists.txt:4`)
    - spdlog (`vcpkg.json:1`)
    - {fmt} `10.2.1` (`conanfile.txt:2`)

    ## Test libraries

    - Catch2 `3.5.0` (`conanfile.txt:3`)
    - GoogleTest (`tests/all.cpp:1`)

    ## Commands

    ### Test

    - `ctest --preset release` (`CMakePresets.json:3`)
    - `ctest --test-dir out --output-on-failure` (`.circleci/config.yml:7`, CI)

    ### Build

    - `cmake --preset release` (`CMakePresets.json:2`)

    # Structure

    ## Folders

    - `./`: Plays sound files (`CMakeLists.txt:2`)
    - `.circleci/`: continuous integration
    - `include/`: public headers
    - `include/player/`: 1 file, C++
    - `src/`: source code
    - `tests/`: tests

    ## Entry points

    - `CMakeLists.txt`: program player (`CMakeLists.txt:6`)
    - `src/main.cpp`: program (`src/main.cpp:2`)

    # Patterns

    ## Formatting

    - clang-format (`.clang-format`)

    ## Linting

    - clang-tidy (`.clang-tidy`)

    ## Tests

    - CTest (`CMakeLists.txt:8`)

    ## Continuous integration

    - CircleCI (`.circleci/config.yml`)

    # Glossary

    ## Words of the code

    - track: `Track` (`include/player/track.hpp:2`), in 2 files

    # Proposals

    - Tests run with `ctest --test-dir out --output-on-failure` (.circleci/config.yml:7): Tests run with `ctest --test-dir out --output-on-failure`. Run this before a change is called done. Continuous integration runs this command.
    - Version of C++: `20` (CMakeLists.txt:3): Version of C++: `20`. Use nothing that needs another. The manifest demands it.
    - Version of CMake: `at least 3.25` (CMakeLists.txt:1): Version of CMake: `at least 3.25`. Use nothing that the oldest of these lacks. The manifest demands it.
    ");
}

#[test]
fn presets_end_whatever_they_are_called() {
    let preset = r#"[{"name": "dev"}, {"name": "debug"}]"#;
    let presets = format!(
        r#"{{"configurePresets": {preset}, "buildPresets": {preset}, "testPresets": [{{"name": "dev"}}]}}"#
    );
    let project = Project::new(&[
        ("CMakeLists.txt", "project(player)\nenable_testing()\n"),
        ("CMakePresets.json", &presets),
        (
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  all:\n    steps:\n      - run: ctest --preset dev\n",
        ),
    ]);
    assert_eq!(
        project.commands(),
        [
            "Test: ctest --preset dev (Named)",
            "Build: cmake --build --preset debug (Named)",
            "Build: cmake --build --preset dev (Named)",
            "Build: cmake --preset debug (Named)",
            "Build: cmake --preset dev (Named)",
        ]
    );
    assert_eq!(project.decisions(), ["Tests run with `ctest --preset dev`"]);
}
