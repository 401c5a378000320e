//! The `custos` program: everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    custos_cli::main()
}
