//! Versions of several languages in one file: `.tool-versions` of asdf and mise.

use super::super::notes::{Notes, Page};

/// The names that the file has for languages and their tools.
const NAMES: &[(&str, &str)] = &[
    ("bun", "Bun"),
    ("deno", "Deno"),
    ("elixir", "Elixir"),
    ("erlang", "Erlang"),
    ("go", "Go"),
    ("golang", "Go"),
    ("java", "Java"),
    ("kotlin", "Kotlin"),
    ("node", "Node.js"),
    ("nodejs", "Node.js"),
    ("php", "PHP"),
    ("pnpm", "pnpm"),
    ("python", "Python"),
    ("ruby", "Ruby"),
    ("rust", "Rust toolchain"),
    ("scala", "Scala"),
    ("swift", "Swift"),
    ("zig", "Zig"),
];

/// Reads `.tool-versions`: a name, and the version that is tried first. Places and branches are no versions.
pub(super) fn tools(page: &Page<'_>, notes: &mut Notes) {
    for (number, line) in page.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        let known = NAMES.iter().find(|(known, _)| *known == name);
        if let Some((_, name)) = known
            && version.contains(|c: char| c.is_ascii_digit())
            && !version.contains([':', '/'])
        {
            notes.version(name, version, page.line(number));
        }
    }
}
