//! The licence of a repo: what a manifest at the root names, and the texts of licences that lie there.
//!
//! A text of a licence may speak of others: one that becomes another after some years, one that is compared with. So it is known by how
//! its lines begin, and the first that tells decides.

use super::findings::{Finding, Topic};
use super::foreign;
use super::notes::Notes;
use super::reading::Reader;

/// How a line of a licence begins that no other has, and its name; none where what follows is another licence with a restriction.
const LICENCES: &[(&str, Option<&str>)] = &[
    ("Apache License", Some("Apache-2.0")),
    ("Boost Software License", Some("BSL-1.0")),
    ("Business Source License", Some("BUSL-1.1")),
    ("Commons Clause", None),
    ("Elastic License 2.0", Some("Elastic-2.0")),
    ("Functional Source License", None),
    ("GNU AFFERO GENERAL PUBLIC LICENSE", Some("AGPL")),
    ("GNU GENERAL PUBLIC LICENSE", Some("GPL")),
    ("GNU LESSER GENERAL PUBLIC LICENSE", Some("LGPL")),
    ("GNU LIBRARY GENERAL PUBLIC LICENSE", Some("LGPL")),
    ("Licensed under the Apache License", Some("Apache-2.0")),
    ("Mozilla Public License", Some("MPL-2.0")),
    ("Permission is hereby granted, free of charge", Some("MIT")),
    ("Permission to use, copy, modify, and/or distribute", Some("ISC")),
    ("Redistribution and use in source and binary forms", Some("BSD-2-Clause")),
    ("Server Side Public License", Some("SSPL-1.0")),
    ("This is free and unencumbered software", Some("Unlicense")),
];

/// Notes the licences of the files at the root, and drops what packages below it say: for the repo, the root's word holds.
pub(super) fn licences(root: &[&String], reader: &mut Reader<'_>, notes: &mut Notes) {
    let is_root = |finding: &Finding| finding.topic == Topic::Licence && !finding.source.file.contains('/');
    let files = root.iter().filter(|path| {
        ["LICENSE", "LICENCE", "COPYING", "UNLICENSE"].iter().any(|name| path.starts_with(name))
    });
    let mut texts: Vec<(&String, String)> =
        files.filter_map(|path| Some((*path, licence_of(&reader.text(path).ok()?)?))).collect();
    // The lesser licence is an addition to the other one, whose text has to lie beside it.
    if texts.iter().any(|(_, licence)| licence.starts_with("LGPL")) {
        texts.retain(|(_, licence)| !licence.starts_with("GPL"));
    }
    for (path, licence) in texts {
        // `MIT OR Apache-2.0` in the manifest has said it already, and better; other spellings mean the same.
        let family = licence.split('-').next().unwrap_or(&licence).to_lowercase();
        let said = notes
            .patterns
            .iter()
            .any(|finding| is_root(finding) && finding.name.to_lowercase().contains(&family));
        if !said {
            notes.pattern(Topic::Licence, &licence, None, foreign::source(path, None));
        }
    }
    if notes.patterns.iter().any(is_root) {
        notes.patterns.retain(|finding| finding.topic != Topic::Licence || is_root(finding));
    }
}

/// Names a licence by its text.
fn licence_of(text: &str) -> Option<String> {
    let (number, licence) = text.lines().enumerate().find_map(|(number, line)| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (_, licence) = LICENCES.iter().find(|(start, _)| line.starts_with(start))?;
        Some((number, licence))
    })?;
    let licence = (*licence)?;
    Some(match licence {
        "BSD-2-Clause" if text.contains("Neither the name of") => "BSD-3-Clause".to_owned(),
        "AGPL" | "GPL" | "LGPL" => match version_of(text.lines().skip(number)) {
            Some(version) => format!("{licence}-{version}"),
            None => licence.to_owned(),
        },
        licence => licence.to_owned(),
    })
}

/// The version that stands behind the name of a licence or on one of the lines below it: `Version 3, 29 June 2007` is 3.0.
fn version_of<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let version = lines.take(4).find_map(|line| line.split("ersion ").nth(1))?;
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let version = version[..end].trim_end_matches('.');
    match version.contains('.') {
        _ if version.is_empty() => None,
        true => Some(version.to_owned()),
        false => Some(format!("{version}.0")),
    }
}
