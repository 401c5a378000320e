//! The generated part of a file, and how it lives beside what a person wrote.
//!
//! The part stands between two markers, each alone on its line. A rescan replaces what is between them and nothing else. A file without
//! markers is somebody's own: the part is added below.
//!
//! A person may write between the markers all the same. So the last line of the part is a seal, the hash of what the scan wrote: a part that
//! its seal fits is the scan's alone, on whatever machine it was made. Where it does not fit, the part as the scan left it tells which lines are
//! somebody's, and these go below it; where nobody has that any more, the caller keeps the old file.

use hmac_sha256::Hash;

use crate::text;

/// The line above the generated part.
const START: &str = "<!-- custos:scan -->";
/// The line below it.
const END: &str = "<!-- /custos:scan -->";
/// How the line with the seal begins, and ends.
const SEAL: (&str, &str) = ("<!-- as scanned: ", " -->");

/// Makes a page of a title and a generated part.
pub(super) fn page(title: &str, body: &str) -> String {
    format!("# {title}\n\n{START}\n{body}\n{END}\n")
}

/// What becomes of a file with a newly generated page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescanned {
    /// The file.
    pub text: String,
    /// What stood between the markers, no scan wrote, and stands below them now.
    pub moved: String,
    /// Whether there may have been more of that, which nobody can tell from what a scan wrote.
    pub is_unsure: bool,
    /// The generated part without its markers, to be kept for the next time.
    pub body: String,
}

/// Puts a newly generated page in the place of an older one, of which `last` is the generated part as the last scan left it. Without news, no
/// byte is changed.
pub fn rescan(existing: Option<&str>, generated: &str, last: Option<&str>) -> Rescanned {
    let body = self::generated(generated).map(body_of).unwrap_or_default();
    let old = existing.unwrap_or_default();
    let parts: Vec<&str> = parts(old).into_iter().map(|(start, end)| &old[start..end]).collect();
    if let [part] = parts[..]
        && body_of(part) == body
        && part.trim_end().ends_with(END)
    {
        return Rescanned { text: old.to_owned(), moved: String::new(), is_unsure: false, body };
    }
    let sealed = format!("{}{}{}", SEAL.0, seal(&body), SEAL.1);
    let text = merge(existing, &generated.replace(END, &format!("{sealed}\n{END}")));
    let last = last.unwrap_or_default();
    let is_known = |part: &str| stated(part) == Some(seal(last).as_str());
    let touched = parts.iter().filter(|part| stated(part) != Some(seal(&body_of(part)).as_str()));
    let (known, unknown): (Vec<&str>, Vec<&str>) = touched.partition(|part| is_known(part));
    // Away from its neighbours, a line may look like the mark of a merge.
    let moved = text::self_contained(&sent_back(&known.join("\n"), &format!("{last}\n{body}")).moved);
    Rescanned { text: with_below(&text, &moved), moved, is_unsure: !unknown.is_empty(), body }
}

/// The lines between the markers, without the seal.
fn body_of(part: &str) -> String {
    let is_body = |line: &&str| !matches!(line.trim_end(), START | END) && sealed_in(line).is_none();
    part.lines().filter(is_body).collect::<Vec<_>>().join("\n")
}

/// The seal that a part carries.
fn stated(part: &str) -> Option<&str> {
    part.lines().find_map(sealed_in)
}

fn sealed_in(line: &str) -> Option<&str> {
    line.trim().strip_prefix(SEAL.0)?.strip_suffix(SEAL.1)
}

/// The hash of a text, as long as nobody makes another with the same by chance.
fn seal(body: &str) -> String {
    Hash::hash(body.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Puts a text below the generated part.
fn with_below(text: &str, moved: &str) -> String {
    let Some((_, end)) = parts(text).first().copied().filter(|_| !moved.is_empty()) else {
        return text.to_owned();
    };
    let (before, after) = text.split_at(end);
    let line = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let is_apart = after.trim().is_empty() || after.starts_with(&line.repeat(2));
    let gap = if is_apart { "" } else { line };
    let end = if after.is_empty() { line } else { "" };
    [before, line, line, &moved.replace('\n', line), gap, after, end].concat()
}

/// Puts the generated part of a page in the place of an older one. Every byte outside of the markers is kept, and the same page again changes
/// nothing.
pub(super) fn merge(existing: Option<&str>, generated: &str) -> String {
    let Some(existing) = existing.filter(|text| !text.trim().is_empty()) else { return generated.to_owned() };
    let Some(new) = self::generated(generated) else { return existing.to_owned() };
    let old = parts(existing);
    // A checkout may have turned all line ends; a part with others would show as a change each time.
    let crlf = match old.first() {
        Some((start, end)) => existing[*start..*end].contains("\r\n"),
        None => existing.contains("\r\n") || existing.ends_with('\r'),
    };
    let new = if crlf { new.replace('\n', "\r\n") } else { new.to_owned() };
    let Some((first, rest)) = old.split_first() else {
        let line = if crlf { "\r\n" } else { "\n" };
        let gap = match existing {
            text if text.ends_with(&format!("{line}{line}")) => "",
            text if text.ends_with('\n') => line,
            _ => &line.repeat(2),
        };
        return format!("{existing}{gap}{new}{line}");
    };
    let mut merged = format!("{}{new}", &existing[..first.0]);
    let mut from = first.1;
    // A merge in git can leave the part twice; the second is as generated as the first.
    for (start, end) in rest {
        merged.push_str(&existing[from..*start]);
        // With its line end, so that no empty line stays behind.
        let after = &existing[*end..];
        from = end + after.find('\n').filter(|at| *at < 2).map_or(0, |at| at + 1);
    }
    merged.push_str(&existing[from..]);
    merged
}

/// Returns the generated part of a file, with its markers.
pub fn generated(text: &str) -> Option<&str> {
    parts(text).first().map(|(start, end)| &text[*start..*end])
}

/// A file that somebody read, changed and sent back, without its markers and what a scan wrote between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentBack {
    /// What stood above the generated part; all of it where there is none.
    pub(crate) above: String,
    /// What stood in the generated part, and no scan wrote it.
    pub(crate) moved: String,
    /// What stood below.
    pub(crate) below: String,
}

/// Takes a text apart that was sent back, given the generated part as the file has it. A marker that lost its partner goes as well: it
/// would find one in what is written later, and what lies between them would be lost.
pub(crate) fn sent_back(content: &str, generated: &str) -> SentBack {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    let mut from = 0;
    for (start, end) in parts(content) {
        outside.push(&content[from..start]);
        inside.extend(content[start..end].lines());
        from = end;
    }
    outside.push(&content[from..]);
    // A line of the scan leaves a gap, so that what stood around it stays apart.
    let own = |line: &str| generated.lines().all(|known| known.trim_end() != line.trim_end());
    let mut moved: Vec<&str> = inside.into_iter().map(|line| if own(line) { line } else { "" }).collect();
    moved.dedup_by(|next, line| next.trim().is_empty() && line.trim().is_empty());
    let (above, below) = outside.split_first().map_or(("", &[][..]), |(above, below)| (*above, below));
    SentBack {
        above: without_markers(above),
        moved: without_markers(&moved.join("\n")),
        below: without_markers(&below.join("\n")),
    }
}

fn without_markers(text: &str) -> String {
    let is_text = |line: &&str| !matches!(line.trim(), START | END) && sealed_in(line).is_none();
    text.lines().filter(is_text).collect::<Vec<_>>().join("\n").trim_matches('\n').trim_end().to_owned()
}

/// Finds the generated parts of a text, with their markers and without the last line end. A part that lost its last line ends with the seal, if
/// that fits; any other marker that lost its partner is text.
fn parts(text: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut open: Option<Open> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let marker = line.trim_start_matches('\u{feff}').trim_end();
        let start = at + line.len() - line.trim_start_matches('\u{feff}').len();
        let end = at + line.trim_end_matches(['\r', '\n']).len();
        if marker == START {
            parts.extend(open.and_then(Open::sealed));
            open = Some(Open { start, seal: None });
        } else if marker == END
            && let Some(open) = open.take()
        {
            parts.push((open.start, end));
        } else if let Some(stated) = sealed_in(line)
            && let Some(open) = open.as_mut().filter(|open| open.seal.is_none())
        {
            let fits = stated == seal(&body_of(&text[open.start..at]));
            open.seal = Some((end, fits));
        }
        at += line.len();
    }
    parts.extend(open.and_then(Open::sealed));
    parts
}

/// A generated part whose last line has not been seen.
struct Open {
    start: usize,
    /// Where its first seal ends, and whether that fits.
    seal: Option<(usize, bool)>,
}

impl Open {
    /// The part up to its seal.
    fn sealed(self) -> Option<(usize, usize)> {
        self.seal.filter(|(_, fits)| *fits).map(|(end, _)| (self.start, end))
    }
}
