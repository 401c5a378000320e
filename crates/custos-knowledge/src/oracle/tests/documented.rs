//! What a module says it is, in the forms that are usual.

use rstest::rstest;

use super::Project;

#[rstest]
#[case::go_on_one_line(
    "d/doc.go",
    "/* Package d counts things. */\npackage d\n",
    "Package d counts things",
    1
)]
#[case::go_on_several(
    "d/doc.go",
    "// Copyright 2020\n\n/*\nPackage d counts things.\nAll of them.\n\n\tMore.\n*/\npackage d\n",
    "Package d counts things",
    3
)]
#[case::go_with_slashes(
    "d/d.go",
    "//go:build linux\n\n// Package d counts things.\npackage d\n",
    "Package d counts things",
    3
)]
#[case::header("d/d.h", "/* Counts things. */\n#ifndef D_H\n", "Counts things", 1)]
#[case::header_below_a_licence(
    "d/d.h",
    "/*\n * Copyright 2020 Foo\n * Licence: see below\n */\n#ifndef D_H\n#define D_H\n\n/**\n * @file d.h\n * @brief Counts things.\n */\n",
    "Counts things",
    8
)]
#[case::header_with_slashes(
    "d/count.hpp",
    "#pragma once\n// count.hpp - Counts things.\n\nclass X {};\n",
    "Counts things",
    2
)]
#[case::java(
    "src/main/java/org/acme/package-info.java",
    "/*\n Copyright 2020 Foo\n*/\n/**\n * Counts things.\n */\n@NonNull\npackage org.acme;\n",
    "Counts things",
    4
)]
#[case::python("d/__init__.py", "\"\"\"Counts things.\"\"\"\n", "Counts things", 1)]
fn the_documentation_of_a_module(
    #[case] path: &str,
    #[case] text: &str,
    #[case] what: &str,
    #[case] line: usize,
) {
    let scan = Project::new(&[(path, text)]).scan();
    let told: Vec<String> =
        scan.structure.iter().map(|folder| format!("{} ({})", folder.what, folder.source)).collect();
    assert!(told.contains(&format!("{what} ({path}:{line})")), "{told:?}");
}

#[rstest]
#[case::python("d/__init__.py", "\"\"\"Copyright 2020 Foo.\"\"\"\n", "1 file, Python")]
#[case::go("d/d.go", "// Copyright 2020 Foo.\npackage d\n", "1 file, Go")]
#[case::header("d/d.h", "/* Copyright 2020 Foo. All rights reserved. */\n", "1 file, C")]
#[case::header_of_code("d/d.h", "int x;\n/* The number of things. */\n", "1 file, C")]
fn a_licence_is_no_documentation(#[case] path: &str, #[case] text: &str, #[case] what: &str) {
    let scan = Project::new(&[(path, text)]).scan();
    let told: Vec<&str> = scan.structure.iter().map(|folder| folder.what.as_str()).collect();
    assert_eq!(told, [what]);
}

#[test]
fn of_several_headers_the_one_with_the_name_of_the_folder_speaks() {
    let told = |files: &[(&str, &str)]| {
        let folders = Project::new(files).scan().structure.into_iter();
        folders.map(|folder| format!("{}: {}", folder.path, folder.what)).collect::<Vec<_>>()
    };
    let (first, own) = (("d/a.h", "/* The first of all. */\n"), ("d/d.h", "/* All of it together. */\n"));
    assert_eq!(told(&[first, own]), ["d: All of it together"]);
    assert_eq!(told(&[first, ("d/b.h", "")]), ["d: 2 files, C"]);
}

#[test]
fn what_a_setup_says_on_one_line() {
    let setup = "# description=\"no\"\nsetup(name='x', long_description='no', description=\"It's an x\", python_requires='>=3.9')\n";
    let project = Project::new(&[("setup.py", setup)]);
    assert_eq!(project.on(super::Topic::Version), ["Python >=3.9 (setup.py:2)"]);
    assert_eq!(project.scan().structure[0].what, "It's an x");
}

/// What a generator of projects writes is the same in all of them. The manifest speaks then, if somebody filled it in.
#[rstest]
#[case::laravel(
    "<p align=\"center\">Logo</p>\n\n## About Laravel\n\nLaravel is a web application framework with expressive, elegant syntax. We believe.\n\nLaravel is accessible, powerful, and provides tools.\n"
)]
#[case::rails(
    "# README\n\nThis README would normally document whatever steps are necessary to get the\napplication up and running.\n\nThings you may want to cover:\n"
)]
#[case::vite(
    "# React + Vite\n\nThis template provides a minimal setup to get React working in Vite with HMR.\n\nCurrently, two official plugins are available:\n"
)]
#[case::next(
    "This is a [Next.js](https://nextjs.org) project bootstrapped with [`create-next-app`](https://nextjs.org/docs).\n\n## Getting Started\n\nFirst, run the development server:\n"
)]
#[case::todo("# Shop\n\nTODO: write description\n\n## Installing\n\nRun the script that is there.\n")]
fn the_words_of_a_template_are_passed_over(#[case] readme: &str) {
    let told = |manifest: &str| {
        let folders = Project::new(&[("README.md", readme), ("composer.json", manifest)]).scan().structure;
        folders.into_iter().map(|folder| format!("{}: {}", folder.path, folder.what)).collect::<Vec<_>>()
    };
    assert_eq!(told("{\"description\": \"Sells boats.\"}"), [".: Sells boats"]);
    assert_eq!(told("{\"description\": \"TODO: say what it is\"}"), Vec::<String>::new());
    assert_eq!(
        told("{\"description\": \"The skeleton application for the Laravel framework.\"}"),
        Vec::<String>::new()
    );
}

#[rstest]
#[case::of_uv("Add your description here", &[])]
#[case::own("Todo lists for sailors.", &["Todo lists for sailors"])]
fn a_description_is_told_if_somebody_wrote_it(#[case] description: &str, #[case] told: &[&str]) {
    let manifest = format!("[project]\nname = \"x\"\ndescription = \"{description}\"\n");
    let scan = Project::new(&[("pyproject.toml", &manifest)]).scan();
    assert_eq!(scan.structure.iter().map(|folder| folder.what.as_str()).collect::<Vec<_>>(), told);
}
