//! The context of sessions, on memories that the tests make up.

mod ceiling;
mod correcting;
mod desk;
mod hostile;
mod proof;
mod starting;
mod story;
