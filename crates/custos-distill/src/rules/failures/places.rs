//! Places in files: how tools write them, and whose files they are.

use super::Place;

/// Parts of paths that belong to a language, its packages or the machine.
const FOREIGN: &[&str] = &[
    "node_modules/",
    "site-packages/",
    "dist-packages/",
    "/lib/python",
    "lib/ruby/",
    "/gems/",
    ".cargo/registry",
    "/rustc/",
    "rustlib/",
    "node:",
    "internal/modules/",
    "internal/process/",
    "/usr/lib",
    "/usr/include",
    "/usr/local/go/",
    "/usr/share",
    "pkg/mod/",
    "vendor/",
    ".gradle/",
    ".m2/",
    "library/core/",
    "library/std/",
    "library/alloc/",
    "/go/src/runtime/",
    "/src/testing/",
    "/src/runtime/",
    "/nix/store/",
    "<frozen",
    "<string>",
    "<anonymous>",
    "<stdin>",
    "<template>",
    "webpack/",
    "/Xcode",
    "native:",
    ".yarn/",
    ".pnpm/",
    "evalmachine",
    "/opt/hostedtoolcache/",
    "/dotnet/",
    "asm_",
    "libstdc++",
    "bits/",
];

/// Tells whether a file is not the project's.
pub(super) fn is_foreign(path: &str) -> bool {
    FOREIGN.iter().any(|part| path.contains(part)) || !path.contains('.')
}

/// A path as it is shown: without schemes and the directory that it is in anyway.
pub(super) fn shown(path: &str) -> String {
    let path = path.trim().trim_matches(['"', '\'', '`', '(', ')']);
    let path = path.strip_prefix("file://").unwrap_or(path);
    let path = path.strip_prefix("webpack-internal:///").unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// Tells whether a text is the path of a source file.
pub(super) fn is_file(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return matches!(name, "Makefile" | "Dockerfile" | "Rakefile" | "Gemfile" | "CMakeLists.txt");
    };
    !stem.is_empty()
        && (1..=10).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !text.contains("  ")
        && text.len() < 300
}

/// Reads `path:12:5: rest` or `path:12: rest`; the rest is without its leading colon.
pub(super) fn colons(line: &str) -> Option<(&str, u32, &str)> {
    // A drive letter is no path by itself.
    let from = if line.get(1..3) == Some(":\\") { 2 } else { 0 };
    let at = from + line.get(from..)?.find(':')?;
    let path = &line[..at];
    if path.contains(char::is_whitespace) || !is_file(path) {
        return None;
    }
    let rest = &line[at + 1..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let row = rest[..digits].parse().ok()?;
    let mut rest = &rest[digits..];
    if let Some(column) = rest.strip_prefix(':') {
        let digits = column.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            rest = &column[digits..];
        }
    }
    Some((path, row, rest.strip_prefix(':').unwrap_or(rest).trim_start()))
}

/// Reads `path(12,5): rest`, as the compilers of Microsoft write it.
pub(super) fn brackets(line: &str) -> Option<(&str, u32, &str)> {
    let (head, rest) = line.split_once("): ")?;
    let (path, position) = head.rsplit_once('(')?;
    if !is_file(path) {
        return None;
    }
    let row = position.split(',').next()?.parse().ok()?;
    position.bytes().all(|byte| byte.is_ascii_digit() || byte == b',').then_some((path, row, rest))
}

/// Reads a frame of a stack: `at f (src/a.ts:12:5)`, `at src/a.ts:12:5`, `❯ src/a.ts:12:5`.
pub(super) fn frame(line: &str) -> Option<(&str, u32)> {
    let line = line.trim();
    let rest = line.strip_prefix("at ").or_else(|| line.strip_prefix("❯ "))?;
    let inner = rest
        .rsplit_once('(')
        .map_or_else(|| rest.rsplit(' ').next().unwrap_or(rest), |(_, inner)| inner.trim_end_matches(')'));
    let inner = inner.strip_prefix("file://").unwrap_or(inner);
    let (head, last) = inner.rsplit_once(':')?;
    let (path, row) = match head.rsplit_once(':') {
        Some((path, row)) if row.bytes().all(|byte| byte.is_ascii_digit()) && !row.is_empty() => (path, row),
        _ => (head, last),
    };
    Some((path, row.parse().ok()?))
}

/// The first frame of the project behind a line, where frames follow it.
pub(super) fn own_frame(lines: &[&str]) -> Option<Place> {
    lines
        .iter()
        .take(60)
        .filter_map(|line| frame(line))
        .find(|(path, _)| !is_foreign(path))
        .map(|(path, row)| (path.to_owned(), Some(row)))
}

pub(super) fn place(path: &str, row: u32) -> Option<Place> {
    (!is_foreign(path)).then(|| (path.to_owned(), Some(row)))
}

/// Tells whether a file has this ending.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found == ending)
}
