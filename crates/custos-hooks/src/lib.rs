//! The router: what happens when a client calls a hook.
//!
//! A call comes in as bytes and goes out as bytes. In between it is read by the client's adapter, takes its place in a session, and
//! runs through the phases that the table in [`phase`] gives for its moment. This is the hottest path of the program and the one that stands
//! in an agent's way, so two rules hold everywhere here: nothing waits, and nothing that goes wrong is the client's problem. What
//! cannot be recorded is spooled, what cannot be understood is kept as it came, and both are told to `custos doctor`.
//!
//! | to find | look in |
//! |---|---|
//! | what runs when | [`phase`] |
//! | one call from bytes to bytes | [`router`] |
//! | how a call is judged, in which world, and what is said about it | [`guarding`], [`world`], `wording` |
//! | how a model is asked for its opinion | [`advising`] |
//! | what a session is told of earlier ones | [`recalling`] |
//! | whom a forked session goes on from | `forking` |
//! | what an agent was sent for | `errand` |
//! | what a tool is met with | `hinting` |
//! | how an event takes its place in a session | `recording` |
//! | what is recorded, and in which words | [`record`] |
//! | what writes it, or keeps it for later | `scribe` |
//! | what the person keeps out of it | [`exclude`] |
//! | how the clients' own ids stay here | `disguise` |
//! | which files a call touched, and in which repo | [`touched`], [`place`] |
//! | the signs of life of a session | [`session`] |
//! | which session an MCP server serves, by the process that its client's hooks share | [`kin`] |
//! | sessions and clients that went silent | [`silence`] |
//! | what went wrong | [`trouble`] |

pub mod advising;
mod disguise;
pub mod errand;
pub mod exclude;
mod forking;
pub mod guarding;
mod hinting;
pub mod kin;
pub mod phase;
pub mod place;
pub mod recalling;
pub mod record;
mod recording;
pub mod router;
mod scribe;
pub mod session;
pub mod silence;
pub mod touched;
pub mod trouble;
mod wording;
pub mod world;

pub use advising::Counsel;
pub use guarding::Watch;
pub use phase::{Phase, phases};
pub use recalling::Recaller;
pub use router::{Around, Call, answer, without_judging};
