//! `setup`, `uninstall`, `doctor` and `clients` on machines of all sorts: what they write into other people's files, what they say, and that
//! nothing is left when they are done.
//!
//! No client runs here. Their files and programs are stand-ins, and what a client would do with them is done by the program itself when it
//! proves what it installed. The real clients are in `journeys`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "tests set the scene with plain writes")]

mod clients;
mod doctor;
mod finding;
mod listing;
mod machine;
mod odd_places;
mod other_people;
mod plugin;
mod projects;
mod rehearsal;
mod servers;
mod silence;
mod written;
