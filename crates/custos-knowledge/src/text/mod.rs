//! The text of a knowledge file: names, titles, front matter and sections.
//!
//! A file in `.ai/` belongs to the people who review it. So this layer reads whatever they made of it, changes only the bytes that a change
//! is about, and gives back a file that nobody touched exactly as it was: with its comments, unknown keys, line endings and byte order mark.
//! What cannot be read is answered with a line and a reason, and is never written over.
//!
//! Text from outside (titles, descriptions, whole files of a cloned repo) may be anything. Every function here takes any string, takes time
//! that grows with its length, and never panics.
//!
//! | module | what lives there |
//! |---|---|
//! | [`slug`](mod@slug) | a title as a file name |
//! | [`title`] | a title as one clean line |
//! | [`words`](mod@words) | when two titles say the same, or nearly |
//! | [`pointer`](mod@pointer) | titles that say nothing but where to look |
//! | [`markup`] | tool-call markup that leaked into a text |
//! | [`split`](mod@split) | front matter and body, told apart; merge conflicts |
//! | [`front`] | front matter: read as YAML, changed entry by entry |
//! | `entry` | one key of it with its lines, and how YAML says what it is |
//! | `canonical` | the form in which we write front matter, and a quick way to read it |
//! | [`document`] | title, lead and sections of a body |
//! | `escape` | text that looks like our own structure, kept apart from it |
//! | `code` | fences and code spans |
//! | `abbreviation` | full stops that end no sentence |
//! | `hidden` | what nobody is shown of a text: secrets, and what is private |
//! | `unseen` | characters that nobody sees |

mod abbreviation;
mod canonical;
mod code;
pub mod document;
mod entry;
mod escape;
pub mod front;
mod hidden;
pub mod markup;
pub mod pointer;
pub mod slug;
pub mod split;
pub mod title;
mod unseen;
pub mod words;

#[cfg(test)]
mod tests;

pub(crate) use abbreviation::is_abbreviated;
pub use code::{Fence, Fences};
pub(crate) use document::without_secrets;
pub use document::{Document, Passage, Section};
pub(crate) use escape::{fence_guard, in_code, mark_guard, self_contained};
pub use front::{Field, Front};
pub(crate) use hidden::{PrivatePassage, cuts, marker, passages};
pub use markup::{Leaked, leaked, strip_markup};
pub use pointer::{Aim, Pointer, points_at};
pub use slug::{is_slug, slug};
pub use split::{Block, FrontProblem, Split, split};
pub(crate) use title::as_title;
pub use title::{Cleaned, TitleProblem, clean_title};
pub use unseen::tidy;
pub(crate) use words::is_unspaced;
pub use words::{Wording, equivalent, nearly_the_same, similarity, words};
