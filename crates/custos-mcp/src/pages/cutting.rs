//! Where a long text is cut: after a whole line, not after what leads up to the next one, and within a block of code so that both parts are one.

use std::ops::Range;

use custos_knowledge::text::{Fence, Fences};

/// The longest line that is added for the sake of a block of code, in bytes.
const LONGEST_FENCE: usize = 200;

/// What a cut has to know of a text.
#[derive(Debug, Default)]
pub(super) struct Outline<'a> {
    /// The headings, each with where it begins. In a block of code a `#` begins something else.
    pub(super) headings: Vec<(usize, &'a str)>,
    blocks: Vec<Block<'a>>,
}

/// A block of code, and where its lines are.
#[derive(Debug)]
struct Block<'a> {
    code: Code<'a>,
    /// Where the line begins that begins it.
    start: usize,
    /// Where the line begins that ends it. One that nothing ends goes on to the end of the text.
    last: usize,
    /// Where it is over.
    end: usize,
}

/// How a block of code is begun and ended, for a page that ends or begins within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code<'a> {
    opening: &'a str,
    fence: Fence,
}

impl Code<'_> {
    /// Begins the block again, as it was begun. Of a line that says too much only the marks are left.
    pub(super) fn reopening(self) -> String {
        if self.opening.len() <= LONGEST_FENCE {
            format!("{}\n", self.opening)
        } else {
            format!("{}\n", self.fence.closing_line().trim_start())
        }
    }

    /// Ends the block behind whatever line.
    pub(super) fn closing(self) -> String {
        format!("\n{}", self.fence.closing_line())
    }

    /// Says whether a page has room for its marks. Nobody writes so many that it has not.
    fn is_told(self) -> bool {
        self.closing().len() <= LONGEST_FENCE
    }
}

impl Block<'_> {
    /// Says whether the line that ends it may go with the page before it.
    fn has_short_end(&self) -> bool {
        (1..=LONGEST_FENCE).contains(&(self.end - self.last))
    }

    /// The room that its end takes, whether it is that of the text or one that is added.
    fn room_to_end(&self) -> usize {
        let own = if self.has_short_end() { self.end - self.last } else { 0 };
        own.max(self.code.closing().len())
    }
}

impl<'a> Outline<'a> {
    /// Reads a text from a place on.
    pub(super) fn of(text: &'a str, mut from: usize) -> Self {
        let (mut outline, mut fences) = (Self::default(), Fences::default());
        for whole in text.get(from..).unwrap_or_default().split_inclusive('\n') {
            let (line, next) = (whole.trim_end_matches(['\r', '\n']), from + whole.len());
            let before = fences.open();
            let is_code = fences.holds(line);
            match (before, fences.open()) {
                (None, Some(fence)) => {
                    let code = Code { opening: line, fence };
                    outline.blocks.push(Block { code, start: from, last: text.len(), end: text.len() });
                }
                (Some(_), None) => {
                    if let Some(block) = outline.blocks.last_mut() {
                        (block.last, block.end) = (from, next);
                    }
                }
                _ => {}
            }
            let behind = line.trim_start_matches('#');
            if !is_code && behind.len() < line.len() && behind.starts_with(' ') {
                outline.headings.push((from, line));
            }
            from = next;
        }
        outline
    }

    /// Finds the heading that a part begins below, which begins at `begin`; nothing where it begins with one itself.
    pub(super) fn below(&self, begin: usize, part: &str) -> &'a str {
        let (before, behind) = self.headings.split_at(self.headings.partition_point(|(at, _)| *at < begin));
        let first = begin + part.len() - part.trim_start_matches('\n').len();
        match behind.first() {
            Some((at, _)) if *at == first => "",
            _ => before.last().map_or("", |(_, heading)| heading),
        }
    }

    /// Finds the block of code in which a cut falls, if its marks can be repeated.
    pub(super) fn code_at(&self, at: usize) -> Option<Code<'a>> {
        let block = self.last_before(at)?;
        (at <= block.last && at < block.end && block.code.is_told()).then_some(block.code)
    }

    /// The room that a page needs to begin a block of code again, and to end one.
    pub(super) fn room_for_code(&self) -> usize {
        let told = || self.blocks.iter().filter(|block| block.code.is_told());
        let to_begin = told().map(|block| block.code.reopening().len()).max().unwrap_or(0);
        to_begin + told().map(Block::room_to_end).max().unwrap_or(0)
    }

    /// Cuts the text into pieces of at most so many bytes, and of the [room](Self::room_for_code) for the end of a block of code if one ends
    /// just then; at least one.
    pub(super) fn cut<'t>(&self, text: &'t str, most: usize) -> Vec<&'t str> {
        let mut pieces = Vec::new();
        let mut begin = 0;
        while text.len() - begin > most {
            let rest = &text[begin..];
            // One character at least, however little room there is.
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let end = begin + rest.floor_char_boundary(most).max(first);
            let at = self.good_end(text, begin..end);
            pieces.push(&text[begin..at]);
            begin = at;
        }
        if begin < text.len() || pieces.is_empty() {
            pieces.push(&text[begin..]);
        }
        pieces
    }

    /// Finds the best place to cut at the end of a page: after a whole line, and not after a heading, the beginning of a block of code or what
    /// leads up to one. A line that would leave most of the page empty is cut itself.
    fn good_end(&self, text: &str, page: Range<usize>) -> usize {
        let earliest = page.start + page.len() / 4;
        let line = text[page.clone()].rfind('\n').map(|at| page.start + at + 1).filter(|at| *at > earliest);
        let Some(line) = line else { return page.end };
        let mut at = line;
        while at > earliest {
            let above = text[page.start..at].trim_end_matches('\n');
            let last = above.rsplit('\n').next().unwrap_or_default();
            let begin = page.start + above.len() - last.len();
            if !self.leads_on(begin, last) {
                return self.behind_end(at);
            }
            if begin == page.start {
                break;
            }
            at = begin;
        }
        self.behind_end(line)
    }

    /// Says whether a line belongs to what comes after it.
    fn leads_on(&self, begin: usize, line: &str) -> bool {
        match self.last_before(begin + 1) {
            Some(block) if begin < block.end => begin == block.start,
            _ => line.starts_with('#'),
        }
    }

    /// Leaves the end of a block of code with the block.
    fn behind_end(&self, at: usize) -> usize {
        let ends = |block: &&Block<'_>| block.last == at && block.has_short_end() && block.code.is_told();
        self.last_before(at).filter(ends).map_or(at, |block| block.end)
    }

    /// The last block of code that begins before a place.
    fn last_before(&self, at: usize) -> Option<&Block<'a>> {
        self.blocks[..self.blocks.partition_point(|block| block.start < at)].last()
    }
}
