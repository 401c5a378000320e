//! What can be looked up about a change: names, values, what stood there and what stands there now.

use custos_syntax::{Definition, How};

use super::dependencies::Package;
use super::net::{Change, Piece};
use super::settings::Setting;
use super::story::Story;
use super::wording::{FACT, cut, one_line, row};
use crate::turn::Fate;

/// Tells a change of one line as `before → after`, where it is one.
fn line_change(piece: &Piece) -> Option<(String, String)> {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (telling(&piece.before), telling(&piece.after));
    while let (Some(a), Some(b)) = (old.first(), new.first()) {
        if a != b {
            break;
        }
        old.remove(0);
        new.remove(0);
    }
    while let (Some(a), Some(b)) = (old.last(), new.last()) {
        if a != b {
            break;
        }
        old.pop();
        new.pop();
    }
    match (old.as_slice(), new.as_slice()) {
        ([old], [new]) => Some(((*old).to_owned(), (*new).to_owned())),
        // What still stands there was not replaced; something came beside it.
        ([old], lines) if lines.len() <= 3 && !lines.is_empty() && !lines.contains(old) => {
            Some(((*old).to_owned(), lines.join("; ")))
        }
        _ => None,
    }
}

/// Lists the lines that say something: neither empty nor mere comments nor imports.
fn telling(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| {
            !line.is_empty()
                && !["//", "#!", "/*", "*/", "* ", "--", "import ", "use ", "from ", "#include", "\"\"\""]
                    .iter()
                    .any(|start| line.starts_with(start))
                && !(line.starts_with("# "))
        })
        .collect()
}

/// Tells the lines that changed in code.
pub(crate) fn lines(changes: &[&Change], most: usize) -> Vec<String> {
    let several = changes.iter().filter(|change| !change.pieces.is_empty()).count() > 1;
    let mut found = Vec::new();
    for change in changes.iter().filter(|change| change.fate == Fate::Changed) {
        for piece in &change.pieces {
            let Some((old, new)) = line_change(piece) else { continue };
            let (old, new) = (one_line(&old), one_line(&new));
            let has_secret = |text: &str| text.contains(custos_redact::MARKER_OPEN);
            if has_secret(&new) || old == new {
                continue;
            }
            let place = if several {
                format!("{}: ", super::wording::file_name(&change.path))
            } else {
                String::new()
            };
            let fact =
                if has_secret(&old) || old.chars().count() + new.chars().count() + place.len() > FACT - 8 {
                    format!("{place}now `{}`", cut(&new, FACT - place.len() - 8))
                } else {
                    format!("{place}`{old}` → `{new}`")
                };
            if !found.contains(&fact) {
                found.push(fact);
            }
        }
    }
    found.truncate(most);
    found
}

/// Tells the lines that stand in files of builds, pipelines and services now, and that have to do with what was asked for.
pub(crate) fn infra(story: &Story<'_>, most: usize) -> Vec<String> {
    let wished = story.wishes().join(" ").to_lowercase();
    let words: Vec<&str> =
        wished.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 4).collect();
    let mut found = Vec::new();
    for change in story.code().filter(|change| super::hurdles::is_infra(&change.path)) {
        for piece in &change.pieces {
            let old: Vec<&str> = piece.before.lines().map(str::trim).collect();
            let is_new = |line: &&str| !line.is_empty() && !line.starts_with('#') && !old.contains(line);
            let is_meant = |line: &&str| words.iter().any(|word| line.to_lowercase().contains(word));
            let safe = |line: &&str| !line.contains(custos_redact::MARKER_OPEN);
            for line in
                piece.after.lines().map(str::trim).filter(is_new).filter(is_meant).filter(safe).take(2)
            {
                found.push(cut(&format!("{}: `{line}`", super::wording::file_name(&change.path)), FACT));
            }
        }
    }
    found.truncate(most);
    found
}

/// Tells what stands in the first changed file now, in its first lines that say something.
pub(crate) fn stands(changes: &[&Change]) -> Option<String> {
    let change = changes.first()?;
    let piece = change.pieces.first()?;
    let old = telling(&piece.before);
    let new: Vec<&str> = telling(&piece.after)
        .into_iter()
        .filter(|line| !old.contains(line) && line.len() > 4)
        .take(2)
        .collect();
    let told = format!("{}: now `{}`", super::wording::file_name(&change.path), one_line(&new.join("; ")));
    (!new.is_empty() && !told.contains(custos_redact::MARKER_OPEN)).then(|| cut(&told, FACT))
}

/// Tells a setting as `key: from → to`.
pub(crate) fn setting(setting: &Setting) -> String {
    let key = &setting.key;
    let text = match (&setting.from, &setting.to) {
        (Some(from), Some(to)) => format!("{key}: {from} → {to}"),
        (None, Some(to)) => format!("{key}: {to} (new)"),
        (Some(from), None) => format!("{key} removed (was {from})"),
        // The value is nobody's business, that it changed is.
        (None, None) => format!("{key} changed (value not kept)"),
    };
    cut(&text, FACT)
}

/// Tells a dependency as `name from → to`.
pub(crate) fn package(package: &Package) -> String {
    let name = &package.name;
    let dev = if package.dev { " (dev)" } else { "" };
    match (package.from.as_deref(), package.to.as_deref()) {
        (Some("any"), None) => format!("{name} removed"),
        (Some(from), Some(to)) => format!("{name} {from} → {to}{dev}"),
        (None, Some("*") | None) => format!("{name} added{dev}"),
        (None, Some(to)) => format!("{name} {to} added{dev}"),
        (Some(from), None) => format!("{name} {from} removed"),
    }
}

/// The definitions of a change outside of tests.
pub(crate) struct Symbols {
    pub(crate) added: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) renamed: Vec<(String, String)>,
}

impl Symbols {
    /// Gathers the definitions of a story's changes.
    pub(crate) fn of(story: &Story<'_>) -> Self {
        let mut symbols =
            Self { added: Vec::new(), changed: Vec::new(), removed: Vec::new(), renamed: Vec::new() };
        let mut others = Vec::new();
        for change in story.code() {
            for touched in change.touched.iter().filter(|touched| touched.sort != Definition::Test) {
                let name = touched.name.clone();
                match &touched.how {
                    How::Added if !matches!(touched.sort, Definition::Function | Definition::Method) => {
                        others.push((touched.sort, name));
                    }
                    How::Added => symbols.added.push(name),
                    How::Removed => symbols.removed.push(name),
                    How::Changed | How::SignatureChanged => symbols.changed.push(name),
                    How::Renamed { from } => symbols.renamed.push((from.clone(), name)),
                }
            }
        }
        // What can be called is what somebody would name first.
        others.sort_by_key(|(sort, _)| *sort == Definition::Constant);
        symbols.added.extend(others.into_iter().map(|(_, name)| name));
        // What left one file and came into another has moved.
        let moved: Vec<String> =
            symbols.removed.iter().filter(|name| symbols.added.contains(name)).cloned().collect();
        symbols.removed.retain(|name| !moved.contains(name));
        for list in [&mut symbols.added, &mut symbols.changed] {
            let mut seen = Vec::new();
            list.retain(|name| {
                let is_new = !seen.contains(name);
                seen.push(name.clone());
                is_new
            });
        }
        symbols
    }

    /// Gives the definitions in the order in which somebody would name them for a fix, or for something new.
    pub(crate) fn first(&self, for_fix: bool) -> Vec<String> {
        let renamed = self.renamed.iter().map(|(_, to)| to.clone());
        let (a, b) = if for_fix { (&self.changed, &self.added) } else { (&self.added, &self.changed) };
        a.iter().cloned().chain(b.iter().cloned()).chain(renamed).collect()
    }
}

/// Names the tests that were added.
pub(crate) fn tests_added(story: &Story<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for change in &story.net.changes {
        for touched in &change.touched {
            if touched.sort == Definition::Test && touched.how == How::Added && !names.contains(&touched.name)
            {
                names.push(touched.name.clone());
            }
        }
    }
    names
}

/// Tells which definitions each file got or changed.
pub(crate) fn by_file(story: &Story<'_>, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    for change in story.code() {
        let named = |wanted: &dyn Fn(&How) -> bool| -> Vec<String> {
            let hits = change
                .touched
                .iter()
                .filter(|touched| touched.sort != Definition::Test && wanted(&touched.how));
            hits.map(|touched| touched.name.clone()).collect()
        };
        let added = named(&|how| matches!(how, How::Added));
        let changed = named(&|how| matches!(how, How::Changed | How::SignatureChanged));
        let renamed: Vec<String> = change
            .touched
            .iter()
            .filter_map(|touched| match &touched.how {
                How::Renamed { from } => Some(format!("{from} → {}", touched.name)),
                _ => None,
            })
            .collect();
        let mut parts = Vec::new();
        if !added.is_empty() {
            parts.push(format!("{} new", row(&added, 5)));
        }
        if !renamed.is_empty() {
            parts.push(row(&renamed, 4));
        }
        if !changed.is_empty() {
            parts.push(format!("{} changed", row(&changed, 4)));
        }
        if !parts.is_empty() {
            found.push(cut(
                &format!("{}: {}", super::wording::file_name(&change.path), parts.join("; ")),
                FACT,
            ));
        }
    }
    found.truncate(most);
    found
}

/// Lists the names of a fact of [`by_file`].
pub(crate) fn names_in(fact: &str) -> Vec<&str> {
    let named = fact.split_once(": ").map_or(fact, |(_, rest)| rest);
    named
        .split([' ', ',', ';'])
        .filter(|word| word.len() > 2 && !["new", "and", "more", "changed"].contains(word))
        .collect()
}

/// Names what an upgrade brought into use and what went out of it: whoever upgrades next looks for these.
pub(crate) fn swapped(story: &Story<'_>) -> Option<String> {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let words = |text: &'_ str| -> Vec<String> {
        text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| super::names::is_name(word))
            .map(str::to_owned)
            .collect()
    };
    let mut sides: (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for change in story.code().filter(|change| custos_syntax::language(&change.path).is_some()) {
        for piece in &change.pieces {
            sides.0.extend(words(&piece.before));
            sides.1.extend(words(&piece.after));
        }
    }
    for word in &sides.1 {
        if !sides.0.contains(word) && !new.contains(&word.as_str()) {
            new.push(word);
        }
    }
    for word in &sides.0 {
        if !sides.1.contains(word) && !old.contains(&word.as_str()) {
            old.push(word);
        }
    }
    let row_of = |names: &[&str]| row(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), 4);
    match (old.is_empty(), new.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("No longer used: {}", row_of(&old))),
        (true, false) => Some(format!("Now used: {}", row_of(&new))),
        (false, false) => Some(format!("Now used: {}; no longer: {}", row_of(&new), row_of(&old))),
    }
}
