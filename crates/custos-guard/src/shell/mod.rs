//! Bash, parsed: from bytes to a tree, in time that grows with the text and never with its cleverness.
//!
//! A judge that reads a command otherwise than the shell does can be deceived, so this follows bash to the letter: where a heredoc
//! begins, which `)` closes what, what a backslash before a line's end joins. That is not a matter of opinion: the tests hold it against
//! the real one. Where shells differ, or a text is cut short, the reading is taken that shows more commands.
//!
//! There is always a tree. Whatever bash would not take is noted as a flaw, and the commands after it are still in the tree, because
//! nobody knows which shell will run them. A caller that sees a flaw does not trust the tree alone: [`fallback`] gives it the bare words.
//!
//! | module | what lives there |
//! |---|---|
//! | [`syntax`] | the tree |
//! | `parser` | the place in the text, the bounds on depth, foresight and size |
//! | `list` | lists, pipelines, and finding one's feet again |
//! | `reserved` | the words that begin and end compound commands |
//! | `compound` | those commands |
//! | `simple` | assignments, words, redirections |
//! | `word`, `quote` | words and quotes |
//! | `parameter` | `${…}` |
//! | `substitution` | `$( … )`, backticks, `<( … )`, arithmetic |
//! | `heredoc` | bodies, read and put in their places |
//! | [`fallback`] | the words of a text that has no structure |

mod compound;
pub mod fallback;
mod heredoc;
mod list;
mod parameter;
mod parser;
mod quote;
mod reserved;
mod simple;
mod substitution;
pub mod syntax;
mod word;

#[cfg(test)]
mod tests;

pub use parser::{fuzz_parse, parse, parse_word_text};
