//! Words, resolved as far as they can be known before the command runs.
//!
//! A value is a string in which a few characters that no text may hold stand for what is not known ([`raw`]): so that "unknown, and
//! downloaded" survives being put into a variable, cut, and pasted into a script. What a word expands to is found by [`expand`]; the
//! variables it asks for are in [`variables`].

pub(crate) mod braces;
pub(crate) mod escapes;
pub(crate) mod expand;
pub(crate) mod parameter;
pub(crate) mod pattern;
pub(crate) mod raw;
pub(crate) mod variables;
