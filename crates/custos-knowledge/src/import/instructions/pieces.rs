//! A text in its pieces: the items of lists, paragraphs, rows of tables and headings, quoted or not.
//!
//! What is nested below an item is kept with it as pieces of their own, for [`super::nesting`] to say what becomes of them. A line of prose
//! that has a mark begins a piece, as the two of a pair often stand in lines and not in a list.

use super::against::{self, Bearing, Mark};
use super::comments::without_comments;
use super::judging::MOST_OF_TOPIC;
use super::rows::{Column, columns, is_table_rule, row};
use super::spans::without_marks;
use super::struck::without_struck;
use super::words::RULING;

/// The longest heading that is underlined, in bytes: what is longer is a paragraph above a rule.
const LONGEST_UNDERLINED: usize = 60;

/// What our own instructions stand between.
pub(super) const OWN: [&str; 2] = ["<!-- custos:begin -->", "<!-- custos:end -->"];

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
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) form: Form,
    /// Whether it stands below a heading that speaks of rules.
    pub(super) is_ruled: bool,
    /// How it is meant, as far as something above or before it says so.
    pub(super) bearing: Option<Bearing>,
    /// Whether nobody can tell how it is meant.
    pub(super) is_unclear: bool,
    /// Whether code follows it, and not what it leads to.
    pub(super) has_code: bool,
    /// The mark of the piece beside it, if the two are marked as right and as wrong, and it is the right one.
    pub(super) beside: Option<Mark>,
    /// The words of the items above it that only say what it is about.
    pub(super) topics: Vec<String>,
    /// What is put before it to say what it is about.
    pub(super) about: String,
    /// The items right below it.
    pub(super) nested: Vec<Self>,
    /// What stands before its text in its line, if it is nested.
    pub(super) bullet: String,
    pub(super) indent: usize,
}

impl Piece {
    /// Hangs an item below this one, or below what is nested here already, by how far it is indented.
    fn hang(&mut self, item: Self) {
        match self.nested.last_mut() {
            Some(last) if item.indent >= last.indent + 2 => last.hang(item),
            _ => self.nested.push(item),
        }
    }

    /// Goes on with the text of what was read last.
    fn go_on(&mut self, line: &str) {
        match self.nested.last_mut() {
            Some(last) => last.go_on(line),
            None => self.text.push_str(&format!(" {line}")),
        }
    }
}

/// A line that code stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    is_bare: bool,
}

impl Fence {
    /// Reads a line, if it is one.
    pub(super) fn of(line: &str) -> Option<Self> {
        let bare = unquoted(line).trim();
        let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = bare.bytes().take_while(|byte| char::from(*byte) == mark).count();
        let rest = &bare[length..];
        // Code within a line may begin like that.
        (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some(Self {
            mark,
            length,
            is_bare: rest.is_empty(),
        })
    }

    /// Gives the one that is open behind this line, of which one may be open before it.
    pub(super) fn after(self, open: Option<Self>) -> Option<Self> {
        match open {
            None => Some(self),
            Some(open) if open.mark == self.mark && self.length >= open.length && self.is_bare => None,
            open => open,
        }
    }
}

/// Takes a text apart, each piece with the heading that was new before it.
pub(super) fn pieces(whole: &str) -> Vec<(Piece, Option<String>)> {
    let whole = &*without_comments(whole);
    let whole = &*without_struck(whole);
    let mut reader = Reader::default();
    let mut skipped_front = whole.starts_with("---\n");
    let mut own = false;
    let mut foreign = false;
    let mut fence = None;
    let mut was_quoted = false;
    let mut is_table = false;
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
        if let Some(found) = Fence::of(line) {
            reader.end();
            if fence.is_none() {
                reader.meets_code();
            }
            fence = found.after(fence);
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
        let next = lines.peek().map_or("", |(_, next)| unquoted(next).trim());
        if own || foreign || OWN.contains(&bare) || is_tags(bare) {
            reader.end();
        } else if bare.starts_with('|') || (bare.contains('|') && (is_table || is_table_rule(next))) {
            reader.end();
            // The line above the rule of a table names its columns.
            if is_table_rule(next) {
                reader.columns = columns(bare);
            } else if !is_table_rule(bare) {
                reader.row(bare, at + 1);
            }
            is_table = next.contains('|');
            if !is_table {
                reader.columns.clear();
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

/// Says whether a line has nothing but tags: what they enclose ends there.
fn is_tags(bare: &str) -> bool {
    let mut rest = bare;
    while let Some((tag, behind)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        let named = tag.strip_prefix('/').unwrap_or(tag);
        let name = named.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if !is_name || tag.contains('<') {
            return false;
        }
        rest = behind.trim_start();
    }
    !bare.is_empty() && rest.is_empty()
}

#[derive(Default)]
struct Reader {
    done: Vec<(Piece, Option<String>)>,
    open: Option<Piece>,
    heading: Option<String>,
    /// The level of the heading that speaks of rules, while what is read stands below it.
    ruled: Option<usize>,
    /// The headings that say how is meant what stands below them, each with its level.
    above: Vec<(usize, Bearing)>,
    leads: Vec<Lead>,
    /// The columns of the table that is read.
    columns: Vec<Column>,
}

/// A text that says how is meant what follows it.
struct Lead {
    /// The indent from which on it holds: an item leads to those that stand deeper.
    from: usize,
    bearing: Option<Bearing>,
    /// Whether it speaks of rules.
    is_ruling: bool,
    /// Whether it stands there like a heading.
    is_heading: bool,
    /// How many pieces were done with it.
    at: usize,
}

impl Reader {
    fn take(&mut self, line: &str, number: usize) {
        let blanks = line.chars().take_while(|c| c.is_whitespace());
        let indent = blanks.map(|c| if c == '\t' { 4 } else { 1 }).sum();
        let item = item_text(line.trim());
        match (&mut self.open, item) {
            // What is below an item belongs to it.
            (Some(open), Some(text)) if open.form == Form::Item && indent >= open.indent + 2 => {
                let bullet = line.trim_end().strip_suffix(text).unwrap_or_default().to_owned();
                let (is_ruled, bearing) = (open.is_ruled, open.bearing.clone());
                let form = Form::Item;
                let text = text.to_owned();
                open.hang(Piece {
                    line: number,
                    text,
                    form,
                    is_ruled,
                    bearing,
                    bullet,
                    indent,
                    ..Piece::default()
                });
            }
            (_, Some(text)) => {
                self.end();
                self.leads.retain(|lead| lead.from <= indent);
                self.open = Some(Piece {
                    line: number,
                    text: text.to_owned(),
                    form: Form::Item,
                    is_ruled: self.is_ruled(indent),
                    bearing: self.bearing(indent),
                    indent,
                    ..Piece::default()
                });
            }
            (_, None) if line.trim().is_empty() => self.end(),
            (Some(open), None) if open.form == Form::Paragraph && underlines(line).is_some() => {
                let is_heading = open.text.len() <= LONGEST_UNDERLINED && !open.text.ends_with(['.', ':']);
                let level = underlines(line).unwrap_or(1);
                match self.open.take() {
                    Some(open) if is_heading => self.begin(&open.text, level, open.line),
                    open => {
                        self.open = open;
                        self.end();
                    }
                }
            }
            (Some(open), None) if !is_apart(open, line.trim()) => open.go_on(line.trim()),
            (_, None) => {
                self.end();
                // A lead-in that stands before the list leads no further than to what comes next.
                let holds =
                    |lead: &&Lead| lead.from <= indent && (lead.from > 0 || lead.at == self.done.len());
                let lead = self.leads.iter().rev().filter(holds).find_map(|lead| lead.bearing.clone());
                self.open = Some(Piece {
                    line: number,
                    text: line.trim().to_owned(),
                    bearing: lead.or_else(|| self.below().map(Bearing::of_prose)),
                    indent,
                    ..Piece::default()
                });
            }
        }
    }

    fn row(&mut self, bare: &str, number: usize) {
        let row = row(bare, &self.columns, self.bearing(0));
        self.open = Some(Piece { line: number, is_ruled: self.ruled.is_some(), ..row });
        self.end();
    }

    fn begin(&mut self, heading: &str, level: usize, number: usize) {
        self.leads.clear();
        self.above.retain(|(above, _)| *above < level);
        // It may be a rule itself, below the heading before it.
        self.open = Some(Piece {
            line: number,
            text: heading.to_owned(),
            form: Form::Heading,
            bearing: self.below(),
            ..Piece::default()
        });
        self.end();
        let bearing = against::of_heading(heading).map(|bearing| bearing.below(self.below().as_ref()));
        self.above.extend(bearing.map(|bearing| (level, bearing)));
        self.ruled = match self.ruled {
            _ if speaks_of_rules(heading) => Some(level),
            // What is below it belongs to it.
            Some(above) if level > above => Some(above),
            _ => None,
        };
        self.heading = Some(heading.to_owned());
    }

    fn end(&mut self) {
        let Some(piece) = self.open.take() else { return };
        self.remember_lead(&piece);
        self.done.push((piece, self.heading.take()));
        let at = self.done.len();
        // It holds from the next piece on.
        self.leads.iter_mut().filter(|lead| lead.at == usize::MAX).for_each(|lead| lead.at = at);
    }

    /// Remembers how a piece says that is meant what follows it, and forgets what one before it said.
    fn remember_lead(&mut self, piece: &Piece) {
        let first = piece.text.lines().next().unwrap_or_default();
        let bearing = against::of_lead(if piece.form == Form::Item { first } else { &piece.text });
        // A case is one of what stands above it.
        let goes_on = bearing.as_ref().is_none_or(Bearing::is_case) && piece.text.ends_with([':', '：']);
        let from = match piece.form {
            Form::Item => piece.indent + 1,
            Form::Paragraph => {
                self.leads.retain(|lead| lead.from < piece.indent || (goes_on && lead.is_heading));
                // What stands below another line may be forbidden as well, but need be no rule: "Modules:".
                let ended = self.leads.iter_mut().filter(|lead| lead.from >= piece.indent);
                ended.for_each(|lead| lead.is_ruling = false);
                piece.indent
            }
            Form::Row | Form::Heading => return,
        };
        let is_heading = !without_marks(&piece.text).ends_with([':', '：']);
        let bearing = bearing.map(|bearing| bearing.below(self.bearing(piece.indent).as_ref()));
        let is_ruling = (!is_heading || against::is_bold(&piece.text))
            && piece.text.split_whitespace().count() <= MOST_OF_TOPIC
            && speaks_of_rules(&piece.text);
        if bearing.is_some() || is_ruling {
            self.leads.push(Lead { from, bearing, is_ruling, is_heading, at: usize::MAX });
        }
    }

    /// Remembers that code follows. It is what the text before it led to.
    fn meets_code(&mut self) {
        let at = self.done.len();
        self.leads.retain(|lead| lead.from > 0 || lead.at != at);
        if let Some((piece, _)) = self.done.last_mut() {
            piece.has_code = true;
        }
    }

    /// How is meant what stands in a list at this indent.
    fn bearing(&self, indent: usize) -> Option<Bearing> {
        let mut leads = self.leads.iter().rev().filter(|lead| lead.from <= indent);
        leads.find_map(|lead| lead.bearing.clone()).or_else(|| self.below())
    }

    /// Whether a list at this indent is one of rules.
    fn is_ruled(&self, indent: usize) -> bool {
        self.ruled.is_some() || self.leads.iter().any(|lead| lead.is_ruling && lead.from <= indent)
    }

    /// How is meant what stands below the headings so far.
    fn below(&self) -> Option<Bearing> {
        self.above.last().map(|(_, bearing)| bearing.clone())
    }
}

/// Gives the level of the heading that a line makes of the one above it.
fn underlines(line: &str) -> Option<usize> {
    let bare = line.trim();
    let is_all = |mark: char| bare.len() > 1 && bare.chars().all(|c| c == mark);
    if is_all('=') { Some(1) } else { is_all('-').then_some(2) }
}

/// Says whether a line of prose with a mark is a piece of its own, and does not go on with what is open. A mark at its end may be the end of
/// a sentence, if none was before it.
fn is_apart(open: &Piece, line: &str) -> bool {
    let (mark, rest) = against::unmarked(line);
    mark.is_some() && (line.ends_with(rest) || against::unmarked(&open.text).0.is_some())
}

pub(super) fn speaks_of_rules(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    heading.split(|c: char| !c.is_alphanumeric()).any(|word| RULING.contains(&word))
}

/// Gives the text of an item of a list.
pub(super) fn item_text(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+'])?,
        1..=3 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text))
}
