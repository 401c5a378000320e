//! One parser per language and thread, and bounds for what it may take.
//!
//! Making a parser costs more than most edits take to parse. The bounds are counts, not times, so that the same text always has the same
//! answer: a text that is no code makes a parser try everything, read the rest of the text again for each quote, and fall
//! into itself once for each bracket when it tidies up.

use std::{cell::RefCell, ops::ControlFlow, thread};

use tree_sitter::{ParseOptions, Parser, Tree};

use super::{COUNT, Grammar};

thread_local! {
    static PARSERS: RefCell<[Option<Parser>; COUNT]> = const { RefCell::new([const { None }; COUNT]) };
}

/// How often a parser may ask whether to go on: so many times, and once more for so many bytes. It asks after a fixed number of steps. Code
/// takes a third of this.
const PATIENCE: (usize, usize) = (500, 40);

/// How much a parser gets to read at once, in bytes, and how many times it may read a text. Code is read once or twice, a short fragment with
/// many errors a dozen times.
const CHUNK: usize = 2048;
const READINGS: usize = 40;

/// From here on, in bytes, a text is parsed on a stack that holds it whatever is in it: a parser goes about 110 bytes deep for each nested
/// bracket. Up to here it fits on any stack.
const DEEP: usize = 8 * 1024;
const STACK: usize = 64 * 1024 * 1024;

/// Parses a text and shows the tree; none where the parser gave up.
pub(super) fn with<T>(grammar: &Grammar, text: &str, look: impl FnOnce(&Tree) -> T) -> Option<T> {
    let kept = PARSERS.with_borrow_mut(|parsers| parsers.get_mut(grammar.slot).and_then(Option::take));
    let mut parser = kept.or_else(|| made(grammar))?;
    let tree = if text.len() < DEEP {
        parse(&mut parser, text)
    } else {
        thread::scope(|scope| {
            let spawned =
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || parse(&mut parser, text));
            spawned.ok()?.join().ok().flatten()
        })
    };
    PARSERS
        .with_borrow_mut(|parsers| parsers.get_mut(grammar.slot).map(|slot| slot.insert(parser)).is_some());
    tree.as_ref().map(look)
}

fn made(grammar: &Grammar) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&(grammar.parser)()).ok()?;
    Some(parser)
}

fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    let mut patience = PATIENCE.0 + text.len() / PATIENCE.1;
    let mut chunks = READINGS * (8 + text.len() / CHUNK);
    let chunks_left = std::cell::Cell::new(chunks);
    let mut go_on = |_: &tree_sitter::ParseState| {
        patience = patience.saturating_sub(1);
        if patience == 0 || chunks_left.get() == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| {
        chunks = chunks.saturating_sub(1);
        chunks_left.set(chunks);
        // To a parser that reads on and on, the text ends here.
        if chunks == 0 { &[][..] } else { bytes.get(at..bytes.len().min(at + CHUNK)).unwrap_or_default() }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let tree = parser.parse_with_options(&mut read, None, Some(options)).filter(|_| chunks_left.get() > 0);
    if tree.is_none() {
        // Otherwise it would go on with this text when it gets the next one.
        parser.reset();
    }
    tree
}
