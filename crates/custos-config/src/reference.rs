//! The reference page of the settings, printed from the tables so that it cannot fall behind.

use std::fmt::Write as _;

use crate::env::{self, SETTING_PREFIX};
use crate::settings::{Row, TABLE};
use crate::value::{Kind, RepoRule, Value};

const OPENING: &str = "\
<!-- Printed from the tables in custos-config; a test compares them. Do not edit. -->

# Configuration

Settings are layered: built-in default < user < workspace < repo < environment < flag. The higher layer wins.

| layer | where |
|---|---|
| user | `config.yaml` in `$XDG_CONFIG_HOME/ai` (`~/.config/ai`, `%APPDATA%\\ai`) |
| workspace | `.ai/config.yaml` in the workspace |
| repo | `.ai/config.yaml` in the repo |
| environment | one variable per setting, named below |
| flag | the command line |

A file is YAML, with sections and keys:

```yaml
search:
  limit: 50
access:
  prompts: [user, \"client:claude-code\"]
```

`custos config list --show-origin` shows each value and where it comes from; `custos config get KEY` and
`custos config set KEY VALUE` read and write one. Writing keeps comments, order and spacing.

What is wrong is reported with its file and line, and left out; the layers below then apply. Nothing in a
settings file stops a hook.

A workspace's or repo's file comes with a clone, so each setting says what such a file may do: *no* (it is
ignored and reported), *yes*, or *tighten* (only a value that allows no more than the one in force).

## Settings
";

/// Prints the reference page of all settings and environment variables, in Markdown.
pub fn reference() -> String {
    let mut page = OPENING.to_owned();
    let mut section = "";
    for row in TABLE {
        if row.section() != section {
            section = row.section();
            let _ = write!(
                page,
                "\n### {section}\n\n| key | takes | default | repo may set | variable | what it is |\n|---|---|---|---|---|---|\n"
            );
        }
        let _ = writeln!(page, "{}", line(row));
    }
    page.push_str(
        "\nEntries of an access list: `*` is everyone (in YAML write `\"*\"`, for a bare `*` is an alias), `user` the person at the\n\
         command line, `client:NAME` a coding agent, `role:NAME` a role, `agent:ID` one agent. An empty list is nobody; without a\n\
         list the built-in table applies. In a variable or on the command line the entries are separated by commas.\n\
         \n## Environment variables\n\nAn empty value counts as not set. Paths are absolute; a relative one is an error.\n\n| variable | what it decides |\n|---|---|\n",
    );
    for variable in env::ALL {
        let _ = writeln!(page, "| `{}` | {} |", variable.name, variable.what);
    }
    let _ = writeln!(
        page,
        "| `{SETTING_PREFIX}<SECTION>_<KEY>` | overrides one setting; the names are in the tables above |"
    );
    page
}

fn line(row: &Row) -> String {
    let takes = match row.kind {
        Kind::Bool => "true, false".to_owned(),
        Kind::Count { min, max } => format!("{min} to {max}"),
        Kind::Word(words) => words.join(", "),
        Kind::Names => "a list of names".to_owned(),
        Kind::Name => "a name".to_owned(),
        Kind::Address => "an `http://` address".to_owned(),
        Kind::BaseUrl => "an address".to_owned(),
        Kind::AccessList => "access list".to_owned(),
    };
    let default = match row.default_value() {
        Value::Unset if matches!(row.kind, Kind::AccessList | Kind::Names) => "built-in table".to_owned(),
        value => format!("`{value}`"),
    };
    let repo = match row.repo {
        RepoRule::Forbidden => "no",
        RepoRule::Free => "yes",
        RepoRule::Tighten(_) => "tighten",
    };
    let variable = if row.section() == "guard" { "–".to_owned() } else { format!("`{}`", row.variable()) };
    format!("| `{}` | {takes} | {default} | {repo} | {variable} | {} |", row.key, row.what)
}
