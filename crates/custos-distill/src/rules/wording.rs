//! Texts of a given length, in words that others wrote.
//!
//! An observation is mostly quoted: what a person asked, what a tool said, what an agent concluded. What is quoted is cut at the end of a
//! sentence, a clause or a word, and never in the middle of a name.

/// The most that each part of an observation may take, in characters.
pub(crate) const TITLE: usize = 100;
pub(crate) const SUBTITLE: usize = 120;
pub(crate) const NARRATIVE: usize = 500;
pub(crate) const FACT: usize = 140;
pub(crate) const FACTS: usize = 5;
pub(crate) const CONCEPTS: usize = 4;
pub(crate) const FILES: usize = 8;

/// Puts a text on one line, with single spaces.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Brings a text to at most so many characters, at the end of a word, and says so with an ellipsis.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    // Scripts without spaces are cut where they are.
    let at_word = head.rfind(char::is_whitespace).filter(|at| *at * 3 > end * 2).unwrap_or(end);
    let head = head[..at_word].trim_end_matches(|c: char| c.is_whitespace() || ",;:(-–—`".contains(c));
    // A name that was opened and is not closed any more would run on to the end of the line.
    let head = match head.matches('`').count() % 2 {
        0 => head.to_owned(),
        _ => format!("{head}`"),
    };
    format!("{head}…")
}

/// Brings a sentence to a title's length: at the end of a clause where there is one, else as [`cut`] does.
pub(crate) fn headline(sentence: &str, most: usize) -> String {
    let sentence = one_line(sentence);
    let sentence = sentence.trim_end_matches(['.', '。', '!', ':', ';', ',']).trim();
    if sentence.chars().count() <= most {
        return sentence.to_owned();
    }
    // What stands in brackets, and when it is so, can be left out.
    let short = without_asides(sentence);
    let sentence = main_clause(&short).unwrap_or(&short);
    if sentence.chars().count() <= most {
        return capitalised(sentence);
    }
    let limit = sentence.char_indices().nth(most).map_or(sentence.len(), |(at, _)| at);
    let shortest = limit / 3;
    let breaks = [
        "; ",
        ": ",
        ", ",
        " – ",
        " — ",
        " (",
        "、",
        "。",
        "\u{ff1b}",
        "\u{ff0c}",
        " so ",
        " because ",
        " and ",
    ];
    let clause = breaks
        .iter()
        .filter_map(|mark| sentence[..limit].rfind(mark))
        .filter(|at| {
            *at > shortest
                && sentence[..*at].matches('`').count().is_multiple_of(2)
                && is_balanced(&sentence[..*at])
        })
        .max();
    match clause {
        Some(at) => sentence[..at].trim().trim_end_matches(['.', ',', ';', ':', '。', '、']).to_owned(),
        None => cut(sentence, most),
    }
}

/// Takes out what stands in brackets.
fn without_asides(sentence: &str) -> String {
    let mut short = String::with_capacity(sentence.len());
    let mut depth = 0_usize;
    let mut in_name = false;
    for (at, c) in sentence.char_indices() {
        match c {
            '`' if depth == 0 => in_name = !in_name,
            ' ' if !in_name
                && depth == 0
                && sentence[at + 1..].starts_with('(')
                && sentence[at..].contains(')') =>
            {
                continue;
            }
            '(' if !in_name
                && (depth > 0 || sentence[..at].ends_with(' ') && sentence[at..].contains(')')) =>
            {
                depth += 1;
                continue;
            }
            ')' if depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            short.push(c);
        }
    }
    one_line(&short)
}

/// Gives what is said behind a `when …,` or an `if …,`.
fn main_clause(sentence: &str) -> Option<&str> {
    const OPENERS: [&str; 12] = [
        "When ", "If ", "While ", "Since ", "Because ", "As ", "Wenn ", "Weil ", "Quand ", "Cuando ",
        "Quando ", "Als ",
    ];
    let is_led = OPENERS.iter().any(|opener| sentence.starts_with(opener));
    let (_, rest) = sentence.split_once(", ").filter(|_| is_led)?;
    (rest.chars().count() >= 24).then_some(rest)
}

fn is_balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
        && text.matches('“').count() == text.matches('”').count()
}

/// Quotes a text.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    format!("“{}”", cut(&one_line(text), most).trim_end_matches(['.', '。']))
}

/// Puts names in a row: `a, b and c`, or `a, b and 4 more`.
pub(crate) fn row(names: &[String], most: usize) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        names if names.len() <= most => {
            let (last, rest) = names.split_at(names.len() - 1);
            format!("{} and {}", last.join(", "), rest[0])
        }
        names => format!("{} and {} more", names[..most].join(", "), names.len() - most),
    }
}

/// Makes the first letter a capital, unless it begins a name.
pub(crate) fn capitalised(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_word = first.chars().all(|c| c.is_lowercase() || c == '\'' || c == ',' || c == ':');
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if is_word => c.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Gives the last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Splits a text as agents and people write it into sentences: lines and list items stand for themselves, code blocks are left out.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        // A table is not read as prose.
        if in_code || line.trim_start().starts_with('|') {
            continue;
        }
        split_line(without_marks(line), &mut found);
    }
    found
}

/// Takes off what Markdown puts before a line: bullets, numbers, headings, quotes.
fn without_marks(line: &str) -> &str {
    let mut line = line.trim();
    loop {
        let before = line;
        line = line.trim_start_matches(['#', '>', '•', '✓', '✔', '✅']).trim_start();
        for bullet in ["- ", "* ", "+ ", "– "] {
            line = line.strip_prefix(bullet).unwrap_or(line).trim_start();
        }
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if (1..=2).contains(&digits)
            && let Some(rest) =
                line[digits..].strip_prefix(['.', ')']).and_then(|rest| rest.strip_prefix(' '))
        {
            line = rest.trim_start();
        }
        if line == before {
            return line;
        }
    }
}

fn split_line<'t>(line: &'t str, found: &mut Vec<&'t str>) {
    let mut from = 0;
    let mut in_name = false;
    let mut depth = 0_usize;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '`' => in_name = !in_name,
            '(' | '\u{ff08}' if !in_name => depth += 1,
            ')' | '\u{ff09}' if !in_name => depth = depth.saturating_sub(1),
            _ => {}
        }
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '。' | '\u{ff01}' | '\u{ff1f}' => true,
            '.' | '!' | '?' => {
                next.is_none_or(|c| c.is_whitespace() || c == '*') && !is_abbreviation(&line[from..at])
            }
            _ => false,
        };
        if ends && !in_name && depth == 0 {
            let end = at + c.len_utf8();
            push(&line[from..end], found);
            from = end;
        }
    }
    push(&line[from..], found);
}

fn push<'t>(sentence: &'t str, found: &mut Vec<&'t str>) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    [
        "e.g", "i.e", "z.B", "etc", "vs", "cf", "approx", "resp", "bzw", "ca", "incl", "esp", "min", "max",
        "no", "nr", "fig", "Mio", "Mrd", "Std", "Nr", "тыс", "млн",
    ]
    .contains(&word)
}

/// Takes emphasis off a sentence; names keep their marks.
pub(crate) fn plain(sentence: &str) -> String {
    one_line(&sentence.replace("**", ""))
}

/// Says whether a text names a file: its name stands there as a word of its own.
pub(crate) fn names_file(text: &str, path: &str) -> bool {
    let name = file_name(path);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' && name.starts_with('.');
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part)
            && !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}
