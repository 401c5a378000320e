//! Swift: `Package.swift` and `Podfile`.

use super::super::notes::{Ecosystem, Notes, Page};
use super::quoted::{call, first, texts};

/// Reads `Package.swift`.
pub(super) fn package(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Swift, page);
    let mut program = false;
    for (number, line) in page.lines() {
        let source = page.line(number);
        if let Some(version) = line.split("swift-tools-version:").nth(1).filter(|_| line.starts_with("//")) {
            notes.version("Swift tools", version.trim(), source);
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
        } else {
            // The name may stand on the line after the bracket.
            program |= line.contains(".executableTarget(") || line.contains(".executable(");
            if program && let Some(name) = line.split("name:").nth(1).and_then(first) {
                notes.entry(&format!("Sources/{name}"), &format!("program {name}"), source);
                program = false;
            }
        }
    }
}

/// Reads `Podfile`.
pub(super) fn podfile(page: &Page<'_>, notes: &mut Notes) {
    for (number, line) in page.lines() {
        if let Some(rest) = call(line, "platform") {
            let platform = rest.trim_start_matches(':').split([',', ' ']).next().unwrap_or_default();
            notes.version(platform, first(rest).unwrap_or_default(), page.line(number));
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
