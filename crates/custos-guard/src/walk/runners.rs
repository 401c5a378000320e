//! Package and project tools that start a program: `npx`, `uv run`, `bundle exec`, `op run --`.

use crate::invocation::{Arg, Invocation, Stream};
use crate::options::{Options, Order, Taking};
use crate::walk::Walk;
use crate::walk::carriers::bare;
use crate::walk::scope::Scope;

/// A tool with the subcommand that starts a program.
struct Runner {
    name: &'static str,
    /// Subcommands, any of which starts a program; none if the tool itself does.
    subcommands: &'static [&'static str],
    taking: Taking,
    /// Operands before the program.
    operands: usize,
}

const fn runner(
    name: &'static str,
    subcommands: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Runner {
    Runner { name, subcommands, taking: Taking { short, long }, operands }
}

static RUNNERS: &[Runner] = &[
    runner("asdf", &["exec"], "", &[], 0),
    runner("aws-vault", &["exec"], "d", &["duration", "region"], 1),
    runner("bun", &["x"], "p", &["package"], 0),
    runner("bundle", &["exec"], "", &["gemfile"], 0),
    runner("bunx", &[], "p", &["package"], 0),
    runner("chamber", &["exec"], "", &[], 1),
    runner("conda", &["run"], "np", &["name", "prefix", "cwd"], 0),
    runner("cross-env", &[], "", &[], 0),
    runner("direnv", &["exec"], "", &[], 1),
    runner("doppler", &["run"], "pc", &["project", "config"], 0),
    runner("dotenv", &[], "efvpc", &["file"], 0),
    runner("dotenvx", &["run"], "f", &["env-file"], 0),
    runner("hatch", &["run"], "", &[], 0),
    runner("infisical", &["run"], "", &["env", "path"], 0),
    runner("mamba", &["run"], "np", &["name", "prefix"], 0),
    runner("micromamba", &["run"], "np", &["name", "prefix"], 0),
    runner("mise", &["exec", "x"], "CEjc", &["cd", "env", "jobs", "command"], 0),
    runner("npm", &["exec", "x"], "pwc", &["package", "workspace", "prefix", "call"], 0),
    runner("npx", &[], "pwc", &["package", "workspace", "call"], 0),
    runner("op", &["run"], "", &["env-file", "account"], 0),
    runner("pdm", &["run"], "p", &["project"], 0),
    runner(
        "perf",
        &["stat", "record", "trace"],
        "CDeGIMoprtxFcmu",
        &["event", "output", "repeat", "call-graph"],
        0,
    ),
    runner("pipenv", &["run"], "", &[], 0),
    runner("pipx", &["run"], "", &["spec", "python", "pip-args"], 0),
    runner("pnpm", &["exec", "dlx"], "C", &["package", "filter", "dir"], 0),
    runner("poetry", &["run"], "CP", &["directory", "project"], 0),
    runner("pyenv", &["exec"], "", &[], 0),
    runner("rbenv", &["exec"], "", &[], 0),
    runner("rr", &["record"], "", &[], 0),
    runner("rye", &["run"], "", &[], 0),
    runner("shx", &[], "", &[], 0),
    runner("toolbox", &["run"], "c", &["container"], 0),
    runner(
        "uv",
        &["run"],
        "pfiPCm",
        &[
            "with",
            "with-editable",
            "with-requirements",
            "extra",
            "group",
            "python",
            "env-file",
            "project",
            "directory",
            "index",
            "package",
            "module",
        ],
        0,
    ),
    runner("uvx", &[], "p", &["from", "with", "python"], 0),
    runner("yarn", &["dlx", "exec"], "p", &["package"], 0),
];

/// Opens the program that a tool starts.
pub(crate) fn visit(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let Ok(at) = RUNNERS.binary_search_by(|runner| runner.name.cmp(call.program())) else { return };
    let runner = &RUNNERS[at];
    let mut args = call.args();
    if !runner.subcommands.is_empty() {
        let options = Options::read(args, &runner.taking, Order::First);
        let starts = options
            .operands
            .first()
            .and_then(|arg| arg.known())
            .is_some_and(|word| runner.subcommands.contains(&word));
        if !starts {
            return;
        }
        args = args.get(options.first + 1..).unwrap_or_default();
    }
    // `npx -c 'script'`.
    let options = Options::read(args, &runner.taking, Order::First);
    if let Some(script) =
        options.value('c', "call").filter(|_| matches!(runner.name, "npm" | "npx" | "mise" | "pnpm"))
    {
        walk.text(script, &mut scope.clone(), &Stream::Inherited);
        return;
    }
    let mut argv: &[Arg] = args.get(options.first..).unwrap_or_default();
    argv = argv.get(runner.operands..).unwrap_or_default();
    // `mise exec node@20 -- rm`, `op run --env-file x -- rm`.
    if let Some(dashes) = argv.iter().position(|arg| arg.is("--"))
        && (runner.operands > 0 || dashes == 0 || runner.name == "mise")
    {
        argv = &argv[dashes + 1..];
    }
    let mut inner = bare(call);
    while let [first, rest @ ..] = argv {
        let is_assignment = matches!(runner.name, "cross-env" | "dotenv") && first.text().contains('=');
        if !is_assignment {
            break;
        }
        argv = rest;
    }
    if argv.is_empty() {
        return;
    }
    inner.argv = argv.to_vec();
    // A package's version is not a part of the program's name.
    if let Some(name) = inner.argv[0]
        .known()
        .and_then(|name| name.rsplit_once('@'))
        .map(|(name, _)| name)
        .filter(|name| !name.is_empty())
    {
        inner.argv[0] = Arg::new(name);
    }
    inner.stdin = call.stdin.clone();
    walk.nested(inner, scope);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(RUNNERS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
