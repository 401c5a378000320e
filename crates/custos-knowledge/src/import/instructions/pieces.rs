//! A text in its pieces: the items of lists, paragraphs, rows of tables and headings, quoted or not.

use super::words::RULING;

/// What our own instructions stand between.
const OWN: [&str; 2] = ["<!-- custos:begin -->", "<!-- custos:end -->"];

/// How a piece stands in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Form {
    #[default]
    Paragraph,
    Item,
    Row,
    Heading,
}

/// A piece of a text that may be a rule.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) form: Form,
    /// Whether it stands below a heading that speaks of rules.
    pub(super) is_ruled: bool,
}

/// Takes a text apart, each piece with the heading that was new before it.
pub(super) fn pieces(whole: &str) -> Vec<(Piece, Option<String>)> {
    let mut reader = Reader::default();
    let mut skipped_front = whole.starts_with("---\n");
    let mut own = false;
    let mut foreign = false;
    let mut fence = None;
    let mut was_quoted = false;
    let mut lines = whole.lines().enumerate().peekable();
    while let Some((at, raw)) = lines.next() {
        let line = unquoted(raw);
        let bare = line.trim();
        if skipped_front {
            skipped_front = at == 0 || bare != "---";
            continue;
        }
        let is_quoted = line.len() != raw.len();
        if is_quoted != was_quoted {
            was_quoted = is_quoted;
            reader.end();
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
            reader.end();
            continue;
        }
        if fence.is_some() {
            continue;
        }
        own = (own || bare == OWN[0]) && bare != OWN[1];
        let level = bare.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&level) && bare[level..].starts_with(' ');
        if is_heading && level <= 2 {
            foreign = bare[level..].trim().eq_ignore_ascii_case("axme code");
        }
        if own || foreign || bare.starts_with("<!--") {
            reader.end();
        } else if bare.starts_with('|') {
            reader.end();
            // The line above the rule of a table names its columns.
            let heads = lines.peek().is_some_and(|(_, next)| is_table_rule(unquoted(next).trim()));
            if !heads && !is_table_rule(bare) {
                reader.row(bare, at + 1);
            }
        } else if is_heading {
            reader.end();
            reader.begin(bare[level..].trim().trim_end_matches('#').trim(), level, at + 1);
        } else {
            reader.take(line, at + 1);
        }
    }
    reader.end();
    reader.done
}

/// Takes the marks of a quotation off a line.
fn unquoted(line: &str) -> &str {
    let mut rest = line;
    while let Some(inner) = rest.trim_start().strip_prefix('>') {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    rest
}

fn is_table_rule(bare: &str) -> bool {
    bare.starts_with('|')
        && bare.contains('-')
        && bare.chars().all(|c| matches!(c, '|' | '-' | ':') || c.is_whitespace())
}

#[derive(Default)]
struct Reader {
    done: Vec<(Piece, Option<String>)>,
    open: Option<Piece>,
    heading: Option<String>,
    /// The level of the heading that speaks of rules, while what is read stands below it.
    ruled: Option<usize>,
}

impl Reader {
    fn take(&mut self, line: &str, number: usize) {
        let indent = line.len() - line.trim_start().len();
        let item = item_text(line.trim());
        match (&mut self.open, item) {
            // What is below an item belongs to it.
            (Some(open), Some(_)) if open.form == Form::Item && indent >= 2 => {
                open.text.push_str(&format!("\n{}", line.trim_end()));
            }
            (_, Some(text)) => {
                self.end();
                self.open = Some(Piece {
                    line: number,
                    text: text.to_owned(),
                    form: Form::Item,
                    is_ruled: self.ruled.is_some(),
                });
            }
            (_, None) if line.trim().is_empty() => self.end(),
            (Some(open), None) => {
                let gap = if open.text.contains('\n') { "\n" } else { " " };
                open.text.push_str(gap);
                open.text.push_str(line.trim());
            }
            (None, None) => {
                self.open = Some(Piece { line: number, text: line.trim().to_owned(), ..Piece::default() });
            }
        }
    }

    fn row(&mut self, bare: &str, number: usize) {
        let hidden = bare.replace("\\|", "\u{1f}");
        let cells = hidden.split('|').map(str::trim).filter(|cell| !cell.is_empty());
        let text = cells.collect::<Vec<_>>().join(" – ").replace('\u{1f}', "|");
        self.open = Some(Piece { line: number, text, form: Form::Row, is_ruled: self.ruled.is_some() });
        self.end();
    }

    fn begin(&mut self, heading: &str, level: usize, number: usize) {
        // It may be a rule itself, below the heading before it.
        self.open =
            Some(Piece { line: number, text: heading.to_owned(), form: Form::Heading, is_ruled: false });
        self.end();
        self.ruled = match self.ruled {
            _ if speaks_of_rules(heading) => Some(level),
            // What is below it belongs to it.
            Some(above) if level > above => Some(above),
            _ => None,
        };
        self.heading = Some(heading.to_owned());
    }

    fn end(&mut self) {
        if let Some(piece) = self.open.take() {
            self.done.push((piece, self.heading.take()));
        }
    }
}

fn speaks_of_rules(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    heading.split(|c: char| !c.is_alphanumeric()).any(|word| RULING.contains(&word))
}

/// Gives the text of an item of a list.
fn item_text(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+'])?,
        1..=3 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text))
}
