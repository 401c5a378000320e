//! Says the same in other words.
//!
//! Whatever bash can be told, it can be told in many ways, and a guard must see through all of them. Each rewriting here keeps the meaning
//! of a command: the same programs run with the same arguments (or, where options move, with arguments that mean the same). Those of
//! [`whole`] work on any script, by putting it into something else; those of [`simple`] and [`options`] need a single plain command, of
//! which they know the words ([`line`]).
//!
//! That the meaning is kept is not a matter of opinion: the tests run the original and the variant in a real bash and compare what the
//! programs were given.

mod line;
mod options;
mod quoting;
mod simple;
mod whole;

use line::Line;
use whole::Whole;

use crate::shell;

/// Writes a command in other ways: the name of each and its outcome. Of a text that bash would not take there are none.
pub fn variants(command: &str) -> Vec<(&'static str, String)> {
    let text = command.trim();
    let parsed = shell::parse(text);
    // A backslash at the end would take in whatever is put behind it.
    if !parsed.flaws.is_empty()
        || parsed.script.commands.is_empty()
        || text.ends_with('\\')
        || text.contains(whole::END)
    {
        return Vec::new();
    }
    let line = Line::read(text);
    let whole = Whole::of(text, line.is_some());
    let mut variants: Vec<_> =
        whole::REWRITINGS.iter().map(|(name, rewrite)| (*name, rewrite(&whole))).collect();
    if let Some(line) = line {
        let single = simple::REWRITINGS.iter().chain(options::REWRITINGS);
        variants.extend(single.filter_map(|(name, rewrite)| Some((*name, rewrite(&line)?))));
    }
    variants.retain(|(_, variant)| variant != text);
    variants
}

/// Writes a path in other ways, without knowing what is on the disk.
pub fn path_variants(path: &str) -> Vec<(&'static str, String)> {
    let (root, relative) = match path.strip_prefix('/') {
        Some(rest) => ("/", rest),
        None => ("", path),
    };
    let (parent, name) = relative.rsplit_once('/').map_or(("", relative), |(parent, name)| (parent, name));
    let mut variants = vec![
        ("dot in front", format!("{root}./{relative}")),
        ("two dots in front", format!("{root}././{relative}")),
        ("doubled slash in front", format!("{root}.//{relative}")),
        ("detour in front", format!("{root}detour/../{relative}")),
        ("longer detour", format!("{root}one/two/../../{relative}")),
        ("detour through a dot", format!("{root}detour/./../{relative}")),
    ];
    if !parent.is_empty() {
        variants.extend([
            ("dot inside", format!("{root}{parent}/./{name}")),
            ("doubled slash inside", format!("{root}{parent}//{name}")),
            ("detour inside", format!("{root}{parent}/detour/../{name}")),
            (
                "back and forth",
                format!("{root}{parent}/../{}/{name}", parent.rsplit('/').next().unwrap_or(parent)),
            ),
            ("doubled slashes everywhere", format!("{root}{}", relative.replace('/', "//"))),
        ]);
    }
    variants
}

// The tests need a bash.
#[cfg(test)]
#[cfg(unix)]
mod tests;
