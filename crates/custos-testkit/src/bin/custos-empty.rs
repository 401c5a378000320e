//! Does nothing: the floor that the process bench holds every other figure against.

fn main() {}
