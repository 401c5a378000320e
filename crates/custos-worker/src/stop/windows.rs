//! On Windows a process is ended without being asked; what it appends is whole or repeated.

pub(super) fn listen() {}
