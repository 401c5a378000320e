//! Settings in blocks with braces: nginx (`directive value;`), Terraform (`key = value`).

use super::Entry;
use super::formats::{entry, without_comment};

/// Reads keys and values; a block's name is its words.
pub(super) fn read(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut path: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = without_comment(line, &["#", "//"]).trim();
        if let Some(head) = line.strip_suffix('{') {
            let head = head.trim().trim_end_matches(['=', ' ']).replace('"', "");
            path.push(head.split_whitespace().collect::<Vec<_>>().join(" "));
            continue;
        }
        if line.starts_with('}') {
            path.pop();
            continue;
        }
        let line = line.trim_end_matches(';').trim();
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some((key, value)) =
            line.split_once('=').filter(|(key, _)| !key.trim().contains(' ') && !key.trim().is_empty())
        {
            found.push(entry(&names, key.trim(), value));
        } else if let Some((key, value)) = line.split_once(char::is_whitespace) {
            // Directives that are repeated are told apart by what they set.
            match (key, value.trim().split_once(char::is_whitespace)) {
                (
                    "proxy_set_header" | "add_header" | "set" | "fastcgi_param" | "map",
                    Some((name, value)),
                ) => {
                    found.push(entry(&names, &format!("{key} {name}"), value));
                }
                _ => found.push(entry(&names, key, value)),
            }
        }
    }
    found
}
