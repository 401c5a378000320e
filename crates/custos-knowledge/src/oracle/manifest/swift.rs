//! Swift: `Package.swift` and `Podfile`.

use super::super::notes::{Ecosystem, Notes, Page};
use super::super::walk::join;
use super::quoted::{call, first, texts};

/// Reads `Package.swift`.
pub(super) fn package(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Swift, page);
    programs(page, notes);
    for (number, line) in page.lines() {
        let source = page.line(number);
        if let Some(version) = line.split("swift-tools-version:").nth(1).filter(|_| line.starts_with("//")) {
            notes.version("Swift tools", &format!("at least {}", version.trim()), source);
        } else if let Some(rest) = line.split(".package(").nth(1).filter(|rest| rest.contains("url:")) {
            let mut quoted = texts(rest);
            if let Some(address) = quoted.next() {
                let name = address
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or(address)
                    .trim_end_matches(".git");
                let version = quoted.next().filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
                notes.depends(Ecosystem::Swift, &name.to_lowercase(), version, source);
            }
        }
    }
}

/// The most targets of one kind.
const MOST_TARGETS: usize = 200;
/// Where SwiftPM looks for a target that names no path.
const SOURCES: &[&str] = &["Sources", "Source", "src", "srcs"];

/// Notes the programs: targets that are one by their kind, and those that a product makes one of. A folder that is not there is not
/// told: what a manifest computes is not understood here.
fn programs(page: &Page<'_>, notes: &mut Notes) {
    let products: Vec<(&str, &str)> = calls(page.text, ".executable(")
        .filter_map(|(_, inside)| {
            let target = inside.split_once("targets:").and_then(|(_, rest)| first(rest));
            Some((labelled(inside, "name:")?, target?))
        })
        .collect();
    let plain = calls(page.text, ".target(").map(|call| (call, false));
    for ((at, inside), program) in
        calls(page.text, ".executableTarget(").map(|call| (call, true)).chain(plain)
    {
        let Some(target) = labelled(inside, "name:") else { continue };
        let product = products.iter().find(|(_, made_of)| *made_of == target).map(|(name, _)| *name);
        if !program && product.is_none() {
            continue;
        }
        let folder = match labelled(inside, "path:") {
            Some(path) => Some(join(page.folder(), path.trim_end_matches('/'))),
            None => SOURCES
                .iter()
                .map(|folder| join(page.folder(), &format!("{folder}/{target}")))
                .find(|folder| page.tree.has_folder(folder)),
        };
        if let Some(folder) = folder.filter(|folder| page.tree.has_folder(folder)) {
            notes.entry(&folder, &format!("program {}", product.unwrap_or(target)), page.at(at));
        }
    }
}

/// The calls of a name in a text: where each begins, and what is between its brackets.
fn calls<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    text.match_indices(name).take(MOST_TARGETS).filter_map(move |(at, _)| {
        let from = at + name.len();
        let inside = super::super::foreign::head(&text[from..], 4096);
        let mut depth = 1_usize;
        let end = inside.bytes().position(|byte| {
            depth = match byte {
                b'(' => depth + 1,
                b')' => depth - 1,
                _ => depth,
            };
            depth == 0
        })?;
        Some((at, &inside[..end]))
    })
}

/// The text after a label of a call itself; its arguments may have calls with the same labels, and come after a bracket.
fn labelled<'a>(inside: &'a str, label: &str) -> Option<&'a str> {
    let mut depth = 0_usize;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && inside.as_bytes()[at..].starts_with(label.as_bytes()) => {
                let value = inside[at + label.len()..].trim_start();
                return first(value).filter(|_| value.starts_with('"'));
            }
            _ => {}
        }
    }
    None
}

/// Platforms, as CocoaPods and as people call them.
const PLATFORMS: &[(&str, &str)] = &[
    ("ios", "iOS"),
    ("macos", "macOS"),
    ("osx", "macOS"),
    ("tvos", "tvOS"),
    ("visionos", "visionOS"),
    ("watchos", "watchOS"),
];

/// Reads `Podfile`.
pub(super) fn podfile(page: &Page<'_>, notes: &mut Notes) {
    for (number, line) in page.lines() {
        if let Some(rest) = call(line, "platform") {
            let platform = rest.trim_start_matches(':').split([',', ' ']).next().unwrap_or_default();
            let name =
                PLATFORMS.iter().find(|(known, _)| *known == platform).map_or(platform, |(_, name)| name);
            if let Some(version) = first(rest) {
                notes.version(name, &format!("at least {version}"), page.line(number));
            }
        } else if let Some(rest) = call(line, "pod") {
            let mut quoted = texts(rest);
            if let Some(name) = quoted.next() {
                notes.depends(Ecosystem::Swift, &name.to_lowercase(), quoted.next(), page.line(number));
            }
        }
    }
}

/// Reads `.swift-version`.
pub(super) fn version_file(page: &Page<'_>, notes: &mut Notes) {
    notes.version("Swift", page.text.lines().next().unwrap_or_default(), page.source());
}
