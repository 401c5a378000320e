//! `custos why`: what a session was told without asking, and why that and nothing else.

use std::collections::BTreeMap;

use clap::Args;
use custos_index::Served;
use custos_recall::Store;
use custos_recall::context::{self as recalled, short};
use custos_recall::receipt::{Frame, Item, Reason, Receipt, Trust};
use serde_json::{Value, json};

use crate::commands::context::open;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, WARN, styled};
use crate::render::{self, cut, printable, wrapped};

/// How wide the answer is.
const WIDTH: usize = 80;

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// The session: its id, the beginning of it, or the client's own [default: the one that was told something last]
    session: Option<String>,
    /// Only what it was told last
    #[arg(long)]
    last: bool,
}

/// Something that was told.
struct Told {
    served: Served,
    receipt: Receipt,
}

/// Tells what was told, and why.
pub(crate) fn run(context: &Context, args: &WhyArgs, output: &mut Output) -> Result<Exit, CliError> {
    let mut store = open(context)?;
    let session = match &args.session {
        Some(wanted) => Some(named::session(context, store.index(), wanted)?),
        None => store.index().receipts(None, 1)?.pop().and_then(|served| served.session),
    };
    let most = if args.last { 1 } else { usize::MAX };
    let served = match &session {
        Some(session) => store.index().receipts(Some(session), most)?,
        None => Vec::new(),
    };
    let mut told = Vec::new();
    // In the order in which it happened.
    for served in served.into_iter().rev() {
        if let Some(receipt) = recalled::receipt(&mut store, served.id)? {
            told.push(Told { served, receipt });
        }
    }
    if output.is_json() {
        let all = told.iter().map(|told| as_json(&mut store, told)).collect::<Result<Vec<Value>, _>>()?;
        output.json(&json!({ "session": session, "told": all }))?;
        return Ok(Exit::Success);
    }
    match &session {
        Some(session) if !told.is_empty() => {
            output.line(styled(BOLD, format!("session {session}")))?;
        }
        _ => {
            let said = match session.as_deref().map(render::short_session) {
                Some(session) => format!(
                    "nothing is on record that {session} was told: recall is silent unless it has something to say, and what it \
                     said may have been forgotten since"
                ),
                None => "no session was told anything yet: recall is silent unless it has something to say"
                    .to_owned(),
            };
            output.line(styled(DIM, wrapped(&said, WIDTH, "")))?;
        }
    }
    for told in &told {
        output.line("")?;
        show(&mut store, told, output)?;
    }
    Ok(Exit::Success)
}

fn as_json(store: &mut Store, told: &Told) -> Result<Value, CliError> {
    let mut titles = serde_json::Map::new();
    let left = told.receipt.left_out.iter().map(|left| &left.item);
    for item in told.receipt.items.iter().chain(left) {
        titles.insert(item.id.to_string(), json!(store.index().get(item.id)?.and_then(|entry| entry.title)));
    }
    Ok(json!({ "id": told.served.id, "ts": told.served.ts, "titles": titles, "receipt": told.receipt }))
}

fn show(store: &mut Store, told: &Told, output: &mut Output) -> Result<(), CliError> {
    let Receipt { moment, source, tokens, ceiling, items, left_out, frame, unsaid, .. } = &told.receipt;
    let source = if source.is_empty() { String::new() } else { format!(" ({})", printable(source)) };
    let head = format!("{}  {}{source}", render::local(told.served.ts), moment.word());
    let most = if ceiling.tokens == 0 { String::new() } else { format!(" of {}", ceiling.tokens) };
    let about = format!("{tokens}{most} tokens, receipt {}", told.served.id.end());
    output.line(format!("{}  {}", styled(BOLD, head), styled(DIM, about)))?;
    let parts: Vec<String> = parts(frame)
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(name, lines)| format!("{name} ({})", render::count(lines.len() as u64, "line")))
        .collect();
    if !parts.is_empty() {
        output.line(format!("  from files: {}", parts.join(", ")))?;
    }
    for item in items {
        show_item(store, item, None, output)?;
    }
    let unsaid = self::parts(unsaid).map(|(_, lines)| lines).concat();
    if !left_out.is_empty() || !unsaid.is_empty() {
        output.line(styled(DIM, "  left out:"))?;
    }
    for line in unsaid {
        let line = cut(&printable(line.trim_start_matches("- ")), WIDTH - 16);
        output.line(format!("                {}", styled(DIM, line)))?;
        output.line(styled(WARN, format!("                {}", Reason::Room.words())))?;
    }
    for left in left_out {
        show_item(store, &left.item, Some(left.why.words()), output)?;
    }
    Ok(())
}

/// Gives the parts of a context that come from files, by their names.
fn parts(frame: &Frame) -> [(&'static str, &[String]); 5] {
    let Frame { handoff, rules, questions, unreviewed, notes, more: _ } = frame;
    [
        ("handoff", handoff),
        ("rules", rules),
        ("questions", questions),
        ("not reviewed", unreviewed),
        ("notes", notes),
    ]
}

fn show_item(
    store: &mut Store,
    item: &Item,
    why_not: Option<&str>,
    output: &mut Output,
) -> Result<(), CliError> {
    let entry = store.index().get(item.id)?;
    let title = match &entry {
        Some(entry) => entry.title.clone().unwrap_or_else(|| entry.excerpt.clone()),
        None => "(forgotten since, or its file is gone)".to_owned(),
    };
    let title = cut(&printable(&title), WIDTH - 18);
    let line = format!("  {}  {title}", styled(DIM, short(item.id)));
    output.line(if why_not.is_some() { styled(DIM, &line) } else { line })?;
    let told = |numbers: &BTreeMap<String, f64>| {
        numbers.iter().map(|(name, number)| format!("{name} {number:.2}")).collect::<Vec<_>>()
    };
    let kind = item.kind.split('.').next().unwrap_or_default();
    let age = item.age_s.max(0) / 86_400;
    let age = if age == 0 {
        "of that day".to_owned()
    } else {
        format!("{} old", render::count(age.unsigned_abs(), "day"))
    };
    let trust = if item.trust == Trust::Unreviewed { ", unreviewed" } else { "" };
    let since = match &entry {
        Some(entry) if entry.superseded => ", replaced since",
        _ => "",
    };
    let parts = told(&item.why).join(" + ");
    let parts = if parts.is_empty() { String::new() } else { format!(" = {parts}") };
    // What decides whether it is given is another question than how well it fits among others.
    let near = told(&item.nearness).join(", ");
    let near = if near.is_empty() { String::new() } else { format!("; how near it is: {near}") };
    // Of what was not read, nobody knows what it takes.
    let tokens = match item.tokens {
        0 => String::new(),
        tokens => format!(", {}", render::count(tokens, "token")),
    };
    let about = format!("{kind}, {age}{trust}{since}{tokens}; score {:.2}{parts}{near}", item.score);
    let about = wrapped(&printable(&about), WIDTH, "                ");
    output.line(styled(DIM, about))?;
    if let Some(why) = why_not {
        output.line(styled(WARN, format!("                {why}")))?;
    }
    Ok(())
}
