//! Which functions and types an edit touches, read from the languages' own grammars.
//!
//! An edit comes as two texts, and what is worth remembering of it is seldom the text: it is that `Session::refresh` takes one argument
//! more, or that `parse_line` is now called `parse_record`. So both texts are read into an [outline], a list of the definitions
//! in them, and the outlines are [compared](compare()).
//!
//! What makes this hard is that an agent's edit is not a file. It is cut out of one anywhere, in the middle of a function, of a line, of
//! a comment; what its braces close was opened elsewhere. A grammar that recovers from errors is not enough for that:
//! [`fragment`] first takes the text apart where the cuts show, so that a grammar sees whole definitions and never has to guess.
//! Where the head of a definition is not in the text, its name is not known, and nothing is said.
//!
//! | module | what lives there |
//! |---|---|
//! | [`language`](mod@language) | the language of a file, and whether it holds tests, by its name |
//! | [`outline`] | the definitions of a text |
//! | [`grammar`] | what a definition is in each language that has a grammar here |
//! | [`fragment`] | texts that were cut out of a file |
//! | [`lines`] | all other languages, and texts too large to parse: heads of definitions by the look of a line |
//! | [`compare`](mod@compare) | two outlines to what was touched |
//!
//! ```
//! use custos_syntax::{Definition, How, Touched, compare};
//!
//! let before = "        return self.token\n\n    def refresh(self):\n        self.token = fetch()\n";
//! let after = "        return self.token\n\n    def refresh(self, force):\n        self.token = fetch(force)\n";
//! let refresh = Touched { name: "refresh".into(), sort: Definition::Method, how: How::SignatureChanged };
//! assert_eq!(compare("session.py", before, after), [refresh]);
//! ```

mod around;
mod compare;
mod definition;
mod fragment;
mod grammar;
mod language;
mod lines;
mod normal;
mod outline;

pub use around::around;
pub use compare::compare;
pub use definition::{Definition, How, Named, Touched};
pub use language::{Language, is_test, language};
