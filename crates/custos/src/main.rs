//! The `custos` program: everything is in the library beside it.

use std::process::ExitCode;

#[global_allocator]
static ARENA: custos_cli::Arena = custos_cli::Arena::new();

fn main() -> ExitCode {
    custos_cli::main()
}
