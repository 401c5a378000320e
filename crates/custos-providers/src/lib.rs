//! Models: how each is called, and what it spent. Most distil; one kind makes vectors.
//!
//! A provider takes a [question](custos_distill::model::Question) and gives a reply or a [fault](custos_distill::model::Fault); what is
//! asked and what is made of the reply is none of its business, and neither is when to ask again. Every call has a deadline over all of
//! it, and no answer is read past a bound: a model is a program of somebody else on a network.
//!
//! | module | what lives there |
//! |---|---|
//! | [`open`](mod@open) | settings to a model |
//! | `anthropic`, `openai`, `gemini` | what each calls things |
//! | `call` | one HTTP request, and which fault its failure is |
//! | `address` | where a key may go |
//! | `retry_after` | when a provider wants to be asked again |
//! | `prices` | what tokens cost, estimated |
//! | [`embeddings`] | a server that makes vectors of texts |
//! | `claude_cli` | Claude Code as a child process, one conversation for each coding session |
//!
//! TLS is rustls with ring and the Mozilla roots that are compiled in (`webpki-roots`): a static binary has no other roots that it could
//! count on. Where a company has an authority of its own, a file with its certificate takes their place.
//!
//! Keys come in as arguments and go out as headers. They are in no address, no argument of a process and no message: [`call`] takes
//! them out of what a server said before anybody reads it.

mod address;
mod anthropic;
mod call;
mod claude_cli;
pub mod embeddings;
mod gemini;
pub mod open;
mod openai;
mod prices;
mod retry_after;

pub use claude_cli::end_left_behind;
pub use embeddings::HttpEmbedder;
pub use open::{Named, Provider, open};
