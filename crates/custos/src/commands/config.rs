//! `custos config`: what is set, where it comes from, and changing it.

use custos_config::{Change, Entry, Loaded, Value};

use crate::args::ConfigCommand;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, WARN, styled, tell};

pub(crate) fn run(
    context: &Context,
    loaded: &Loaded,
    command: &ConfigCommand,
    output: &mut Output,
) -> Result<Exit, CliError> {
    for problem in &loaded.problems {
        tell(format!("{} {problem}", styled(WARN, "warning:")));
    }
    let file = context.places.user_config();
    match command {
        ConfigCommand::List { show_origin } => list(loaded, *show_origin, output),
        ConfigCommand::Get { key } => {
            let entry = loaded.get(key).map_err(|error| CliError::new(Exit::NotFound, error.to_string()))?;
            if output.is_json() {
                output.json(&as_json(&entry))?;
            } else {
                output.line(entry.value.to_string())?;
            }
            Ok(Exit::Success)
        }
        ConfigCommand::Set { key, value } => {
            let change = custos_config::set(&file, key, value)?;
            told(change, &format!("{key} = {value}"), &file, output)
        }
        ConfigCommand::Unset { key } => {
            let change = custos_config::unset(&file, key)?;
            told(change, &format!("{key} is back to its default"), &file, output)
        }
    }
}

fn list(loaded: &Loaded, show_origin: bool, output: &mut Output) -> Result<Exit, CliError> {
    let entries: Vec<Entry> = loaded.entries().collect();
    if output.is_json() {
        let entries: Vec<_> = entries.iter().map(as_json).collect();
        output.json(&entries)?;
        return Ok(Exit::Success);
    }
    let width = entries.iter().map(|entry| entry.row.key.len()).max().unwrap_or(0);
    for entry in &entries {
        let key = styled(BOLD, format!("{:<width$}", entry.row.key));
        let origin = if show_origin {
            format!("  {}", styled(DIM, format!("({})", entry.origin)))
        } else {
            String::new()
        };
        output.line(format!("{key}  {}{origin}", entry.value))?;
    }
    Ok(Exit::Success)
}

fn as_json(entry: &Entry) -> serde_json::Value {
    serde_json::json!({
        "key": entry.row.key,
        "value": value_as_json(&entry.value),
        "origin": entry.origin.to_string(),
        "what": entry.row.what,
    })
}

fn value_as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Unset => serde_json::Value::Null,
        Value::Bool(on) => (*on).into(),
        Value::Count(number) => (*number).into(),
        Value::Word(word) => (*word).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(entries) => entries.clone().into(),
    }
}

fn told(change: Change, done: &str, file: &std::path::Path, output: &mut Output) -> Result<Exit, CliError> {
    let changed = !matches!(change, Change::Nothing);
    if output.is_json() {
        output.json(&serde_json::json!({ "changed": changed, "file": file.display().to_string() }))?;
    } else if changed {
        output.line(format!("{done} (in {})", file.display()))?;
    } else {
        output.line(format!("nothing to change: {done}"))?;
    }
    Ok(Exit::Success)
}
