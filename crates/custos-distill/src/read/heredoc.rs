//! Files that a command line writes from a here-document: `cat > src/a.rs <<'EOF'`.
//!
//! Only the plain form is read: one redirection to one path, with a body that ends. Everything else stays a command.

use std::borrow::Cow;

/// Lists the files that a command line writes, with their texts.
pub(super) fn written(line: &str) -> Vec<(String, String)> {
    bodies(line)
        .into_iter()
        .filter_map(|body| {
            let head = body.head;
            let program = head.split_whitespace().next()?;
            let path = match program {
                "cat" => head.split_once('>').filter(|(_, rest)| !rest.starts_with('>'))?.1,
                "tee" => head.split_once("tee")?.1,
                _ => return None,
            };
            let path = path.split("<<").next()?.split_whitespace().next()?;
            let path = path.trim_matches(['"', '\'']);
            (!path.starts_with('-') && !path.contains(['$', '*', '&']))
                .then(|| (path.to_owned(), body.text.to_owned()))
        })
        .collect()
}

/// Gives a command line without the bodies of its here-documents.
pub(super) fn without_bodies(line: &str) -> Cow<'_, str> {
    let bodies = bodies(line);
    if bodies.is_empty() {
        return line.into();
    }
    let mut kept = String::new();
    let mut from = 0;
    for body in bodies {
        kept.push_str(&line[from..body.begin]);
        from = body.end;
    }
    kept.push_str(&line[from..]);
    kept.into()
}

struct Body<'a> {
    /// The simple command that reads it.
    head: &'a str,
    text: &'a str,
    /// Where the text begins in the line, and where what closes it ends.
    begin: usize,
    end: usize,
}

fn bodies(line: &str) -> Vec<Body<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = line[at..].find("<<") {
        let opened = at + next;
        let Some(newline) = line[opened..].find('\n').map(|next| opened + next) else { break };
        let word = line[opened + 2..newline].trim_start_matches(['-', '<']);
        let word =
            word.split([' ', ')', ';', '|', '&', '>']).find(|word| !word.is_empty()).unwrap_or_default();
        let word = word.trim_matches(['"', '\'', '\\']);
        at = opened + 2;
        if word.is_empty() {
            continue;
        }
        let mut start = newline + 1;
        let text_begins = start;
        for each in line[start..].split_inclusive('\n') {
            if each.trim() == word {
                let head_begins = line[..opened].rfind(['\n', ';', '&', '|']).map_or(0, |before| before + 1);
                let head = line[head_begins..newline].trim();
                let end = start + each.trim_end_matches('\n').len();
                found.push(Body { head, text: &line[text_begins..start], begin: text_begins, end });
                at = end;
                break;
            }
            start += each.len();
        }
    }
    found
}
