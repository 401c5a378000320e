//! The `custos` program.

fn main() {}
