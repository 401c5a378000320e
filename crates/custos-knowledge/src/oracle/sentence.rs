//! The first sentence of a README or of a module's documentation: what somebody wrote to say what this is.

use super::foreign;
use crate::text::is_abbreviated;

/// The most lines that are looked at before giving up.
const MOST_LINES: usize = 200;
/// What notes to the reader begin with.
const LABELS: &[&str] = &[
    "attention",
    "caution",
    "danger",
    "deprecated",
    "disclaimer",
    "hint",
    "important",
    "info",
    "note",
    "notice",
    "tip",
    "update",
    "warning",
    "wip",
];

/// How the texts begin that generators of projects put where a description belongs; in lower case.
const TEMPLATES: &[&str] = &[
    "a minimal symfony project recommended to create bare bones applications",
    "a new flutter project",
    "add your description here",
    "everything you need to build a svelte project",
    "fixme:",
    "laravel is a web application framework with expressive, elegant syntax",
    "nest framework typescript starter repository",
    "the skeleton application for the laravel framework",
    "this is a new react native project, bootstrapped",
    "this is a next.js project bootstrapped with",
    "this is a t3 stack project bootstrapped with",
    "this is an expo project created with",
    "this project was bootstrapped with create react app",
    "this project was generated using angular cli",
    "this project was generated with angular cli",
    "this readme would normally document whatever steps are necessary",
    "this template provides a minimal setup to get",
    "this template should help get you started developing with",
    "to make it easy for you to get started with gitlab",
    "todo:",
    "welcome to your new gem",
];

/// Tells whether a text is the generator's and not the project's.
pub(super) fn is_of_template(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    text == "todo" || TEMPLATES.iter().any(|start| text.starts_with(start))
}

/// Returns the first sentence of a README's first paragraph, and the line it is on.
pub(super) fn of_readme(text: &str) -> Option<(String, usize)> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let mut at = after_front_matter(&lines);
    while at < lines.len() {
        let line = lines[at].trim();
        if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence)) {
            at = skip_to(&lines, at + 1, |line| line.trim_start().starts_with(fence));
        } else if line.starts_with("> [!") || is_note(line) {
            // A note to the reader, and all of it.
            at = skip_to(&lines, at, |line| line.trim().is_empty());
            continue;
        } else if line.starts_with("<!--") {
            at = skip_to(&lines, at, |line| line.contains("-->"));
        } else if !is_furniture(line) && !lines.get(at + 1).is_some_and(|next| is_underline(next.trim())) {
            let paragraph = paragraph(&lines[at..]);
            let sentence = first(&plain(&paragraph));
            // What follows in such a file is the generator's as well.
            if is_of_template(&sentence) {
                return None;
            }
            // A line of badges or links, or one word, tells nothing.
            if sentence.split_whitespace().count() > 2 && !is_nothing_but_links(&paragraph) {
                return Some((sentence, at + 1));
            }
            at += paragraph.lines().count();
            continue;
        }
        at += 1;
    }
    None
}

/// Tells whether a paragraph begins as a note to the reader does, which tells of the state of things and not what they are: `> **Note**: …`,
/// `**Warning:** …`, `Note: …`.
fn is_note(line: &str) -> bool {
    let (signs, text) = line.split_at(line.find(char::is_alphanumeric).unwrap_or(line.len()));
    let (word, behind) = text.split_at(text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len()));
    let (is_quoted, is_set_off) = (signs.starts_with('>'), signs.ends_with(['*', '_']));
    let rest = behind.trim_start_matches(['*', '_']);
    // In a quote it may be set off by nothing but its letters.
    let is_label =
        rest.starts_with(':') || (is_set_off && is_quoted) || ((is_set_off || is_quoted) && rest.is_empty());
    is_label && LABELS.contains(&word.to_lowercase().as_str())
}

/// Returns the first sentence of a piece of documentation without headings.
pub(super) fn of_documentation(text: &str) -> Option<String> {
    let paragraph: Vec<&str> = text
        .lines()
        .take(MOST_LINES)
        .map(str::trim)
        .skip_while(|line| line.is_empty() || is_furniture(line))
        .take_while(|line| !line.is_empty() && !line.starts_with('@'))
        .collect();
    let sentence = first(&plain(&paragraph.join("\n")));
    (sentence.chars().count() > 2 && !is_of_template(&sentence)).then_some(sentence)
}

fn after_front_matter(lines: &[&str]) -> usize {
    match lines.first() {
        Some(first) if first.trim() == "---" => skip_to(lines, 1, |line| line.trim() == "---") + 1,
        _ => 0,
    }
}

/// The index of the first line that ends something; past the end where none does.
fn skip_to(lines: &[&str], from: usize, ends: impl Fn(&str) -> bool) -> usize {
    (from..lines.len()).find(|at| ends(lines[*at])).unwrap_or(lines.len())
}

/// Tells whether a line is no prose: a heading, a badge, a table, a list, a directive, an attribute.
fn is_furniture(line: &str) -> bool {
    const STARTS: &[&str] = &["#", "[!", "![", "<", "|", "- ", "* ", "+ ", "..", "= ", "== ", ":", "[["];
    line.is_empty() || is_underline(line) || STARTS.iter().any(|start| line.starts_with(start))
}

fn is_underline(line: &str) -> bool {
    line.len() > 2 && line.bytes().all(|byte| matches!(byte, b'=' | b'-' | b'~' | b'*' | b'_'))
}

fn paragraph(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.trim().trim_start_matches("> "))
        .take_while(|line| !line.is_empty())
        .collect();
    lines.join("\n")
}

/// Tells whether a paragraph has no word outside of links: a bar to steer by, not a description.
fn is_nothing_but_links(paragraph: &str) -> bool {
    let mut rest = foreign::head(paragraph, 2048);
    while let Some(at) = rest.find('[') {
        if rest[..at].contains(char::is_alphanumeric) {
            return false;
        }
        let Some((_, after)) = link(&rest[at..]) else { return false };
        rest = after;
    }
    !rest.contains(char::is_alphanumeric)
}

/// Takes Markdown's and HTML's signs out: links and images become their text, tags go.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = foreign::head(text, 2048);
    while let Some(at) = rest.find(['[', '!', '<', '*', '`']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("![") {
            rest = link(rest.get(1..).unwrap_or_default()).map_or("", |(_, rest)| rest);
        } else if let Some((label, after)) = link(rest) {
            out.push_str(&label.replace(['*', '`'], ""));
            rest = after;
        } else if let Some(end) = tag(rest) {
            rest = &rest[end..];
        } else {
            let sign = rest.chars().next().unwrap_or(' ');
            if !matches!(sign, '*' | '`') {
                out.push(sign);
            }
            rest = &rest[sign.len_utf8()..];
        }
    }
    out.push_str(rest);
    out
}

/// Reads `[label](target)`, `[label][name]` or `[label]`, and returns the label and what follows.
fn link(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let end = inner.find(']')?;
    let (label, after) = (&inner[..end], &inner[end + 1..]);
    // A badge in a link: the label is an image.
    if label.starts_with("![") || label.contains('[') {
        let image_end = after.find(']')?;
        return Some(("", skip_target(&after[image_end + 1..])));
    }
    Some((label, skip_target(after)))
}

fn skip_target(text: &str) -> &str {
    let close = match text.as_bytes().first() {
        Some(b'(') => ')',
        Some(b'[') => ']',
        _ => return text,
    };
    text.find(close).map_or(text, |end| &text[end + 1..])
}

/// The length of an HTML tag at the start of a text.
fn tag(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let named = inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
    let end = inner.find('>').filter(|end| named && *end < 300)?;
    Some(end + 2)
}

/// Cuts a text after its first sentence.
fn first(text: &str) -> String {
    let flat = foreign::line(text);
    let mut from = 0;
    while let Some(at) = flat[from..].find(' ') {
        let end = from + at;
        let ends = flat[..end].ends_with(['.', '!', '?']);
        from = end + 1;
        if !ends {
            continue;
        }
        let word = flat[..end].rsplit(' ').next().unwrap_or_default();
        if !is_abbreviated(&flat[..end], &flat[end..]) && word.chars().count() > 2 {
            return flat[..end].trim_end_matches('.').to_owned();
        }
    }
    flat.trim_end_matches('.').to_owned()
}
