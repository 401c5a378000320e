//! One parser per language and thread: making one costs more than most edits take to parse.

use std::{cell::RefCell, ops::ControlFlow};

use tree_sitter::{ParseOptions, Parser, Tree};

use super::{COUNT, Grammar};

thread_local! {
    static PARSERS: RefCell<[Option<Parser>; COUNT]> = const { RefCell::new([const { None }; COUNT]) };
}

/// How often a parser may ask whether to go on: so many times, and once more for so many bytes. It asks after a fixed number of steps, so
/// that the same text is always given up at the same place. Code takes a tenth of this; a text that is none may take any time.
const PATIENCE: (usize, usize) = (2_000, 8);

/// Parses a text and shows the tree; none where the parser gave up.
pub(super) fn with<T>(grammar: &Grammar, text: &str, look: impl FnOnce(&Tree) -> T) -> Option<T> {
    PARSERS.with(|parsers| {
        let mut parsers = parsers.try_borrow_mut().ok()?;
        let slot = parsers.get_mut(grammar.slot)?;
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&(grammar.parser)()).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        let mut patience = PATIENCE.0 + text.len() / PATIENCE.1;
        let mut go_on = |_: &tree_sitter::ParseState| {
            patience = patience.saturating_sub(1);
            if patience == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = text.as_bytes();
        let options = ParseOptions::new().progress_callback(&mut go_on);
        let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
        if tree.is_none() {
            // Otherwise it would go on with this text when it gets the next one.
            parser.reset();
        }
        tree.as_ref().map(look)
    })
}
