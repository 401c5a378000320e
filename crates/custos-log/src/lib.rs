//! The event log: append, read, verify, forget.
