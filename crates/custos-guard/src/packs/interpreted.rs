//! Programs that are started through their interpreter: `python -m twine`, `php artisan`, `ruby bin/rails`.

use crate::invocation::{Arg, Invocation};
use crate::options::{Options, Order, Taking};

/// The program that an interpreter is asked to run, with its arguments.
pub(crate) fn program(call: &Invocation) -> Option<Invocation> {
    let (taking, has_modules) = match call.program() {
        name if name.starts_with("python") || name == "pypy3" || name == "pypy" || name == "py" => {
            (Taking { short: "mcWXQ", long: &["check-hash-based-pycs"] }, true)
        }
        "php" => (Taking { short: "dcfrzt", long: &[] }, false),
        "ruby" => (Taking { short: "erIEC", long: &[] }, false),
        "node" | "tsx" | "ts-node" => (
            Taking {
                short: "rpeC",
                long: &["require", "import", "loader", "eval", "env-file", "conditions"],
            },
            false,
        ),
        _ => return None,
    };
    let args = call.args();
    if has_modules {
        let mut at = 0;
        while let Some(arg) = args.get(at).filter(|arg| arg.text().starts_with('-')) {
            if let Some(attached) = module(arg) {
                // What comes after the name belongs to the module.
                return Some(match attached {
                    "" => with(call, args.get(at + 1)?.clone(), &args[at + 2..]),
                    name => with(call, Arg::from(name), &args[at + 1..]),
                });
            }
            at += if matches!(arg.text(), "-W" | "-X" | "-Q") { 2 } else { 1 };
        }
    }
    let read = Options::read(args, &taking, Order::First);
    let runs_text = read
        .given
        .iter()
        .any(|given| matches!(given.name, "c" | "e" | "r" | "p" | "eval") && given.value.is_some());
    if runs_text && call.program() != "node" {
        return None;
    }
    let script = args.get(read.first)?;
    Some(with(call, script.clone(), &args[read.first + 1..]))
}

/// The name that is attached to `-m`, possibly in a cluster (`-um`); empty if it comes next. `None` if it is another option.
fn module(arg: &Arg) -> Option<&str> {
    let (before, name) = arg.text().strip_prefix('-')?.split_once('m')?;
    before.chars().all(|flag| "bBdEiIOPqsSuvx".contains(flag)).then_some(name)
}

fn with(call: &Invocation, program: Arg, rest: &[Arg]) -> Invocation {
    let argv = std::iter::once(program).chain(rest.iter().cloned()).collect();
    Invocation { argv, ..call.clone() }
}
