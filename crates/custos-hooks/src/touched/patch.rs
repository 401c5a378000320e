//! Which files a patch changes: those of `apply_patch`, and unified diffs.
//!
//! The two are told apart by their first telling line, and then kept apart: inside the one, a line such as
//! `--- a/x` is a removed comment, and inside a hunk of the other it is too, which is why hunks are counted.

use custos_guard::Access;

use super::ansi_c;
use super::paths::{Name, Place, Touched};

/// How much of a patch is looked at, in bytes.
const LONGEST_PATCH: usize = 1024 * 1024;

/// Notes the files that a patch adds, updates, deletes and moves; `cwd` is the directory it is applied in.
pub fn by_patch(patch: &str, cwd: &str, out: &mut Touched) {
    let text = &patch[..patch.floor_char_boundary(LONGEST_PATCH)];
    // A line that was cut off may name another file than it seems to.
    let text = if text.len() < patch.len() { &text[..text.rfind('\n').unwrap_or(0)] } else { text };
    let mut reader = Reader { place: Place { cwd: Some(cwd), home: None }, out };
    let mut lines = text.lines();
    while let Some(line) = lines.clone().next() {
        if line.starts_with("*** Begin Patch") || envelope(line).is_some() {
            return reader.envelope(lines);
        }
        if line.starts_with("--- ") || line.starts_with("diff ") {
            return reader.unified(lines);
        }
        lines.next();
    }
}

/// Returns the file that a header of `apply_patch` names.
fn envelope(line: &str) -> Option<&str> {
    let header = line.strip_prefix("*** ")?;
    ["Add File: ", "Update File: ", "Delete File: ", "Move to: "]
        .iter()
        .find_map(|kind| header.strip_prefix(kind))
        .map(str::trim)
}

/// Names every file that a patch could touch, whichever way it is read, and whether it would be deleted.
///
/// What is recorded should be true, so [`by_patch`] takes a patch for one of the two kinds. What is judged should be complete: here
/// every line that looks like a header of either kind is one, wherever it stands.
pub(crate) fn could_touch(patch: &str) -> Vec<(String, Access)> {
    let mut files = Vec::new();
    let mut lines = patch.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if let Some(path) = envelope_loosely(line) {
            let deletes = line.contains("Delete File:");
            files.push((path.to_owned(), if deletes { Access::Delete } else { Access::Write }));
            continue;
        }
        let old = line.strip_prefix("--- ");
        let names = ["+++ ", "rename from ", "rename to ", "copy to "];
        let Some(field) = old.or_else(|| names.iter().find_map(|name| line.strip_prefix(name))) else {
            continue;
        };
        let Some(path) = header(field.trim()).filter(|path| path != "/dev/null") else { continue };
        let is_deleted = old.is_some()
            && lines
                .peek()
                .and_then(|next| next.strip_prefix("+++ "))
                .and_then(|next| header(next.trim()))
                .as_deref()
                == Some("/dev/null");
        let access = if is_deleted { Access::Delete } else { Access::Write };
        if let Some(below) = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")) {
            files.push((below.to_owned(), access));
        }
        files.push((path.into_owned(), access));
    }
    files.retain(|(path, _)| !path.is_empty());
    files
}

/// Returns the file that a header of `apply_patch` names, however it is spaced.
fn envelope_loosely(line: &str) -> Option<&str> {
    let header = line.strip_prefix("***")?.trim_start();
    ["Add File:", "Update File:", "Delete File:", "Move to:"]
        .iter()
        .find_map(|kind| header.strip_prefix(kind))
        .map(str::trim)
}

struct Reader<'a> {
    place: Place<'a>,
    out: &'a mut Touched,
}

impl Reader<'_> {
    fn changed(&mut self, path: &str) {
        self.place.changed(Name::literal(path), self.out);
    }

    fn envelope<'p>(&mut self, lines: impl Iterator<Item = &'p str>) {
        // Every line of content has a sign before it, so a header cannot be content.
        for line in lines.take_while(|line| !line.starts_with("*** End Patch")) {
            if let Some(path) = envelope(line) {
                self.changed(path);
            }
        }
    }

    fn unified<'p>(&mut self, lines: impl Iterator<Item = &'p str>) {
        let (mut removed, mut added) = (0_u64, 0_u64);
        let mut old = None;
        for line in lines {
            if removed > 0 || added > 0 {
                let (less_removed, less_added) = match line.as_bytes().first() {
                    Some(b'-') => (1, 0),
                    Some(b'+') => (0, 1),
                    Some(b' ') | None => (1, 1),
                    Some(b'\\') => (0, 0),
                    // The counts were wrong: what was skipped may be lost, what follows is not.
                    Some(_) => (removed, added),
                };
                removed = removed.saturating_sub(less_removed);
                added = added.saturating_sub(less_added);
                continue;
            }
            if let Some(hunk) = line.strip_prefix("@@ -") {
                (removed, added) = counts(hunk).unwrap_or_default();
            } else if let Some(path) = line.strip_prefix("--- ") {
                old = Some(header(path));
            } else if let Some(path) = line.strip_prefix("+++ ") {
                if let Some(old) = old.take() {
                    self.pair(old.as_deref(), header(path).as_deref());
                }
            } else if let Some(path) = line.strip_prefix("rename from ").or(line.strip_prefix("rename to ")) {
                self.changed(&header(path).unwrap_or_default());
            } else if let Some(path) = line.strip_prefix("copy to ") {
                self.changed(&header(path).unwrap_or_default());
            }
        }
    }

    /// Notes the files of one pair of headers, where it is plain what their names are relative to.
    fn pair(&mut self, old: Option<&str>, new: Option<&str>) {
        let (Some(old), Some(new)) = (old, new) else { return };
        let (old_below, new_below) = (old.strip_prefix("a/"), new.strip_prefix("b/"));
        match (old, new) {
            ("/dev/null", "/dev/null") => {}
            ("/dev/null", _) => self.changed(new_below.unwrap_or(new)),
            (_, "/dev/null") => self.changed(old_below.unwrap_or(old)),
            _ if old == new || old.strip_suffix(".orig") == Some(new) => self.changed(new),
            _ => {
                if let (Some(old), Some(new)) = (old_below, new_below) {
                    self.changed(old);
                    self.changed(new);
                }
            }
        }
    }
}

/// Returns the name in a header: up to the tab before a time, without the quotes of Git.
fn header(field: &str) -> Option<std::borrow::Cow<'_, str>> {
    match field.strip_prefix('"') {
        Some(quoted) => ansi_c::unescape(quoted, b'"').0.map(Into::into),
        None => field.split('\t').next().map(|name| name.trim_end().into()),
    }
}

/// Returns how many lines a hunk removes or keeps, and adds or keeps: `-3,5 +3,6 @@` without its first sign.
fn counts(hunk: &str) -> Option<(u64, u64)> {
    let (old, rest) = hunk.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, lines)| lines.parse().ok());
    Some((count(old)?, count(new)?))
}
