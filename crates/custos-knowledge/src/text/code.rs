//! Code in Markdown: fences and spans, in which nothing is structure or markup.
//!
//! Only what the other modules need to know is recognised: a fence that a list item begins is one, a fence in a quotation or deeper in a
//! list is not, for none of its lines could be taken for a heading of ours.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memchr;

/// The widest indentation of a fence; with more it is code of another kind.
const WIDEST_INDENT: usize = 3;
/// The same at the end of a fence that an item of a list began.
const WIDEST_INDENT_IN_LIST: usize = 5;

/// A line that begins a block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// Where its marks begin, in bytes.
    pub(super) at: usize,
    mark: u8,
    length: usize,
    in_list: bool,
}

impl Fence {
    /// Reads the beginning of a block of code from a line without its end.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let (at, in_list) = margin(line);
        let marks = &line[at..];
        let (mark, length) = run(marks)?;
        // Backticks behind backticks are a span of code.
        let is_span = mark == b'`' && marks[length..].contains('`');
        (!is_span).then_some(Self { at, mark, length, in_list })
    }

    /// Tells whether a line ends the block of code.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        Closing::of(line).is_some_and(|closing| closing.ends(self))
    }

    /// The line that ends it.
    pub fn closing_line(&self) -> String {
        let indent = if self.in_list { self.at.min(WIDEST_INDENT_IN_LIST) } else { 0 };
        format!("{:indent$}{}", "", char::from(self.mark).to_string().repeat(self.length))
    }

    fn widest(&self) -> usize {
        if self.in_list { WIDEST_INDENT_IN_LIST } else { WIDEST_INDENT }
    }
}

/// Where a line begins behind indentation and the marks of list items, and whether there were such marks.
pub(super) fn margin(line: &str) -> (usize, bool) {
    let spaces = |at: usize| line[at..].bytes().take_while(|byte| *byte == b' ').count();
    let mut at = spaces(0);
    let mut in_list = false;
    if at > WIDEST_INDENT {
        return (0, false);
    }
    loop {
        let rest = &line[at..];
        let digits = rest.bytes().take(9).take_while(u8::is_ascii_digit).count();
        let marked = match rest[digits..].bytes().next() {
            Some(b'.' | b')') if digits > 0 => digits + 1,
            Some(b'-' | b'*' | b'+') if digits == 0 => 1,
            _ => return (at, in_list),
        };
        match spaces(at + marked) {
            0 => return (at, in_list),
            gap => at += marked + gap,
        }
        in_list = true;
    }
}

fn run(marks: &str) -> Option<(u8, usize)> {
    let mark = marks.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = marks.bytes().take_while(|byte| *byte == mark).count();
    (length >= 3).then_some((mark, length))
}

/// A line that can end a block of code.
struct Closing {
    mark: u8,
    length: usize,
    indent: usize,
}

impl Closing {
    fn of(line: &str) -> Option<Self> {
        let indent = line.bytes().take_while(|byte| *byte == b' ').count();
        let (mark, length) = run(&line[indent..])?;
        let alone = line[indent + length..].bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        alone.then_some(Self { mark, length, indent })
    }

    fn ends(&self, fence: &Fence) -> bool {
        self.mark == fence.mark && self.length >= fence.length && self.indent <= fence.widest()
    }
}

/// Which fences find an end below each line of a text. Asked for every line in turn, a search would be quadratic.
pub(super) struct Endings {
    /// For each line, the longest end in or below it: backticks and tildes, each outside and inside of a list.
    longest: Vec<[usize; 4]>,
}

impl Endings {
    pub(super) fn of(lines: &[&str]) -> Self {
        let mut longest = vec![[0; 4]; lines.len() + 1];
        for (at, line) in lines.iter().enumerate().rev() {
            let mut here = longest[at + 1];
            if let Some(closing) = Closing::of(line) {
                for (in_list, widest) in [(false, WIDEST_INDENT), (true, WIDEST_INDENT_IN_LIST)] {
                    if closing.indent <= widest {
                        let length = &mut here[Self::sort(closing.mark, in_list)];
                        *length = closing.length.max(*length);
                    }
                }
            }
            longest[at] = here;
        }
        Self { longest }
    }

    /// Tells whether a fence in line `at` ends before the text does.
    pub(super) fn has_end(&self, fence: &Fence, at: usize) -> bool {
        let longest =
            self.longest.get(at + 1).map_or(0, |longest| longest[Self::sort(fence.mark, fence.in_list)]);
        longest >= fence.length
    }

    fn sort(mark: u8, in_list: bool) -> usize {
        usize::from(mark == b'~') * 2 + usize::from(in_list)
    }
}

/// Walks through the lines of a text and keeps track of the block of code that they are in.
#[derive(Debug, Default, Clone, Copy)]
pub struct Fences {
    open: Option<Fence>,
}

impl Fences {
    /// Takes the next line, without its end, and tells whether it belongs to a block of code, the fences included.
    pub fn holds(&mut self, line: &str) -> bool {
        let was_open = self.open.is_some();
        self.open = match self.open {
            Some(fence) => Some(fence).filter(|fence| !fence.is_closed_by(line)),
            None => Fence::opened_by(line),
        };
        was_open || self.open.is_some()
    }

    /// The block of code that has begun and not ended.
    pub fn open(&self) -> Option<Fence> {
        self.open
    }
}

/// A line of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Where it begins.
    pub(super) start: usize,
    /// The line without its end.
    pub(super) text: &'a str,
    /// Where the next one begins.
    pub(super) next: usize,
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Gives the lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        // A base is read by the megabyte, and all of it passes through here.
        let line = memchr(b'\n', rest.as_bytes()).map_or(rest, |end| &rest[..end]);
        next = start + line.len() + usize::from(line.len() < rest.len());
        Some(Line { start, text: line.strip_suffix('\r').unwrap_or(line), next })
    })
}

/// Finds the code in a text, in order: blocks between fences, and spans between backticks, which do not reach beyond their paragraph.
pub(super) fn code_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut fences = Fences::default();
    let mut paragraph: Option<Range<usize>> = None;
    for line in lines(text) {
        let fenced = fences.holds(line.text);
        if fenced || line.is_blank() {
            spans(text, paragraph.take(), &mut ranges);
        }
        if fenced {
            ranges.push(line.start..line.next);
        } else if !line.is_blank() {
            paragraph = Some(paragraph.map_or(line.start, |paragraph| paragraph.start)..line.next);
        }
    }
    spans(text, paragraph, &mut ranges);
    ranges
}

/// Finds the spans of code in a paragraph: a run of backticks ends with the next run of the same length.
fn spans(text: &str, paragraph: Option<Range<usize>>, ranges: &mut Vec<Range<usize>>) {
    let Some(paragraph) = paragraph else { return };
    let bytes = text.as_bytes();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in paragraph.filter(|at| bytes[*at] == b'`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    // The last run of each length: whoever finds none later has no partner, and need not look.
    let last: BTreeMap<usize, usize> = runs.iter().enumerate().map(|(at, run)| (run.len(), at)).collect();
    let mut at = 0;
    while at < runs.len() {
        let length = runs[at].len();
        let has_partner = last.get(&length).is_some_and(|last| *last > at);
        let partner =
            has_partner.then(|| (at + 1..runs.len()).find(|other| runs[*other].len() == length)).flatten();
        if let Some(partner) = partner {
            ranges.push(runs[at].start..runs[partner].end);
            at = partner;
        }
        at += 1;
    }
}
