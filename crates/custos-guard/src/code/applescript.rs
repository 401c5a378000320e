//! AppleScript, as far as it reaches the shell: `do shell script "…"`, also joined from parts.

use super::Deed;
use super::awk::string;
use super::value;
use crate::invocation::UNKNOWN;

/// Finds the shell scripts in a text.
pub(super) fn deeds(text: &str, effort: &mut dyn FnMut(usize) -> bool) -> Vec<Deed> {
    if !effort(text.len()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut words: [&str; 3] = [""; 3];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' => at = string(text, at + 1).1,
            '-' if text[at..].starts_with("--") => at += text[at..].find('\n').unwrap_or(text.len() - at),
            '#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            '(' if text[at..].starts_with("(*") => {
                at += text[at..].find("*)").map_or(text.len() - at, |end| end + 2);
            }
            c if c.is_alphanumeric() => {
                let end = text[at..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |end| at + end);
                words = [words[1], words[2], &text[at..end]];
                at = end;
                // JavaScript for Automation calls it so.
                let is_call = words[2] == "doShellScript";
                if is_call
                    || words
                        .iter()
                        .zip(["do", "shell", "script"])
                        .all(|(word, known)| word.eq_ignore_ascii_case(known))
                {
                    let (script, end) = joined(text, at);
                    found.push(Deed::Script(value::script(&script)));
                    at = end;
                }
            }
            other => at += other.len_utf8(),
        }
    }
    found
}

/// Reads texts that are joined by `&`; what is no text is not known.
fn joined(text: &str, start: usize) -> (String, usize) {
    let mut script = String::new();
    let mut at = start;
    loop {
        at += text[at..].len() - text[at..].trim_start_matches([' ', '\t', '(', '¬']).len();
        let rest = &text[at..];
        if rest.starts_with('"') {
            let (literal, end) = string(text, at + 1);
            script.push_str(&literal);
            at = end;
        } else {
            let end = rest.find(['&', '\n', ')']).unwrap_or(rest.len());
            if end > 0 {
                script.push(UNKNOWN);
            }
            at += end;
        }
        let rest = text[at..].trim_start_matches([' ', '\t', ')']);
        match rest.strip_prefix('&') {
            Some(after) => at = text.len() - after.len(),
            None => return (script, at),
        }
    }
}
