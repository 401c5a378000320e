//! Finds secrets and private text in any string and takes them out.
//!
//! Everything that an agent sees passes through here before it is written down, so two things matter above
//! all: nothing that looks like a credential may get past, and a page of ordinary code must cost next to
//! nothing. A hook lives less than half a millisecond, which leaves no time to build an automaton and no room
//! for a regular-expression engine. What there is instead is built by the compiler:
//!
//! 1. `holes`: what is not to be read at all. Text between `<private>` tags is taken out whole, and the
//!    markers of an earlier run are stepped over. The rest falls into gaps, each read as a text of its own.
//! 2. `scan`: one walk over each gap, from one place where something may begin to the next. `candidates` finds these
//!    64 bytes at a time; at the start of a word, masks on its first three bytes say whether a known prefix can
//!    follow, and only then is the bucket of its first byte compared. `=` and `:` look back for a telling name, `-`
//!    looks ahead for a PEM header or an option.
//! 3. One matcher per family: `shapes` (a prefix and a tail of a known alphabet and length), `structured` (tokens
//!    with parts), `pem`, `url`, `header`, `commands`, `told` (sentences), and `assignment`: a name that tells, in
//!    `names`, beside a value (how it is written, in `manner`; how far it reaches, in `extent`) that could be a secret, in
//!    `values`, and does not stand for one, in `placeholders`.
//!
//! Three rules keep the walk honest, and each has its tests:
//!
//! - *Linear.* Runs of an alphabet are measured once and remembered (`charset::Runs`), every other look ahead or
//!   back has a bound, and a matcher that succeeds moves the walk past what it took.
//! - *Idempotent.* A marker ends a gap, after a finding the walk goes on as if the text began there, and a text
//!   with findings is read again around them; so a second run sees nothing that the first did not.
//! - *Placeholders stay.* `${DB_PASSWORD}`, `<your-token>`, `getpass()` and a type name are what makes a log
//!   worth reading; a value is taken only if it could be used as it stands.
//!
//! ```
//! let line = "postgres://app:k3Lq9zTw@db.internal/orders";
//! assert_eq!(custos_redact::redact(line), "postgres://app:[redacted:url-password]@db.internal/orders");
//! ```

mod assignment;
mod candidates;
mod charset;
mod commands;
mod effort;
mod extent;
mod header;
mod holes;
#[cfg(test)]
mod linear_tests;
mod manner;
mod names;
mod options;
mod pem;
mod placeholders;
mod quotes;
mod redaction;
mod scan;
mod shapes;
mod structured;
mod table;
mod texture;
mod told;
mod url;
mod values;

pub use holes::{MARKER_CLOSE, MARKER_OPEN, PRIVATE, PRIVATE_TAG};
pub use names::names_a_secret;
pub use redaction::{Finding, find, redact, redact_field, redact_secrets};
pub use shapes::{Kind, kinds};
