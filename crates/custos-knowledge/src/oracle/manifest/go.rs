//! Go: `go.mod`.

use super::super::notes::{Ecosystem, Notes, Page};
use super::quoted::call;

/// Reads `go.mod`.
pub(super) fn module(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Go, page);
    let mut block = "";
    for (number, line) in page.lines() {
        // What only another module needs says nothing of this one.
        if line.ends_with("// indirect") {
            continue;
        }
        let line = line.split("//").next().unwrap_or_default().trim();
        if line == ")" {
            block = "";
        } else if let Some(name) = line.strip_suffix('(') {
            block = name.trim();
        } else if let Some(version) = call(line, "go") {
            notes.version("Go", &format!("at least {version}"), page.line(number));
        } else if let Some(version) = call(line, "toolchain") {
            notes.version("Go toolchain", &format!("at least {version}"), page.line(number));
        } else if let Some(required) = call(line, "require").or(Some(line).filter(|_| block == "require"))
            && let Some((path, version)) = required.split_once(' ')
        {
            notes.depends(Ecosystem::Go, path, Some(version.trim()), page.line(number));
        }
    }
}
