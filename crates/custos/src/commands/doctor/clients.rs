//! The clients: does what we installed still work, and does anybody call it?

use std::path::{Path, PathBuf};
use std::time::Duration;

use custos_clients::clients::{claude_code, codex};
use custos_clients::{Client, Moment};
use custos_config::Provider;
use custos_hooks::silence;
use custos_hooks::trouble::{self, Trouble};
use custos_log::Log;
use serde::Serialize;

use super::{Check, State};
use crate::context::Context;
use crate::error::CliError;
use crate::installation::machine;
use crate::installation::replay::{self, Trial, Worth};
use crate::installation::server::{self, ServerTrial, Standing};
use crate::installation::wiring::{self, Wiring};
use crate::output::{BAD, BOLD, DIM, GOOD, Output, styled};
use crate::progress::{Progress, Unit};
use crate::{render, when};

/// How long ago a hook's trouble is still news.
const NEWS: Duration = Duration::from_hours(24);

/// One client's column of the matrix.
#[derive(Serialize)]
pub(super) struct Column {
    client: &'static str,
    #[serde(skip)]
    known: &'static Client,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    events: Vec<Trial>,
    servers: Vec<ServerTrial>,
    unsupported: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    switched_off: Option<&'static str>,
}

impl Column {
    /// Says what a moment of this client is worth: the best of its events, unless one does not work.
    fn worth(&self, moment: Moment) -> Worth {
        let of = |worth| self.events.iter().any(|trial| trial.moment == moment && trial.worth == worth);
        [
            Worth::Failed,
            Worth::NotWired,
            Worth::SwitchedOff,
            Worth::Untrusted,
            Worth::Enforced,
            Worth::Advisory,
        ]
        .into_iter()
        .find(|worth| of(*worth))
        .unwrap_or(Worth::Unsupported)
    }
}

/// Replays recorded payloads through the installed commands of every wired client.
pub(super) fn columns(context: &Context, quiet: bool) -> Result<Vec<Column>, CliError> {
    let wired = wiring::wired(context);
    let home = machine::home().unwrap_or_default();
    let found = machine::clients(&home);
    // Where the program is makes no difference to which files are looked at.
    let wiring = Wiring::new(context, home.clone(), None, Path::new("custos"))?;
    let mut progress = Progress::new("asking the clients", Some(wired.len() as u64), Unit::Lines);
    let mut columns = Vec::new();
    for (done, (client, files)) in wired.into_iter().enumerate() {
        // What a damaged ledger holds cannot be told; that is a check of its own.
        let Ok(files) = files else { continue };
        if !quiet {
            progress.at(done as u64);
        }
        let program = found
            .iter()
            .find(|found| found.client.name == client.name)
            .and_then(|found| found.program.as_deref());
        let mut events = replay::prove(client, &wiring::commands(client, files.clone(), &home))?;
        if client.name == codex::CLIENT.name {
            let untrusted = untrusted(&files);
            for trial in events.iter_mut().filter(|trial| untrusted.contains(&trial.event)) {
                trial.worth = Worth::Untrusted;
            }
        }
        let off = switched_off(client, &files);
        if off.is_some() {
            for trial in &mut events {
                trial.worth = Worth::SwitchedOff;
            }
        }
        columns.push(Column {
            client: client.name,
            known: client,
            version: program.and_then(machine::version),
            events,
            servers: servers(&wiring, client, &files),
            unsupported: client.manifest.fallbacks.iter().map(|fallback| fallback.moment.name()).collect(),
            switched_off: off,
        });
    }
    Ok(columns)
}

/// Shows what each client does at each moment, from what happened when it was tried.
pub(super) fn show(columns: &[Column], output: &mut Output) -> Result<(), CliError> {
    if columns.is_empty() {
        return Ok(());
    }
    output.line("")?;
    let heads: String = columns.iter().map(|column| format!("{:<13}", column.known.title)).collect();
    output.line(styled(BOLD, format!("{:<26} {heads}", "What a hook can do")))?;
    for moment in Moment::ALL {
        let cells: String = columns
            .iter()
            .map(|column| match column.worth(moment) {
                Worth::Enforced => styled(GOOD, format!("{:<13}", "enforced")),
                Worth::Advisory => format!("{:<13}", "advisory"),
                Worth::Unsupported => styled(DIM, format!("{:<13}", "unsupported")),
                Worth::NotWired => styled(BAD, format!("{:<13}", "NOT WIRED")),
                Worth::SwitchedOff => styled(BAD, format!("{:<13}", "SWITCHED OFF")),
                Worth::Untrusted => styled(BAD, format!("{:<13}", "NOT TRUSTED")),
                Worth::Failed => styled(BAD, format!("{:<13}", "FAILED")),
            })
            .collect();
        output.line(format!("{:<26} {cells}", moment.title()))?;
    }
    let legend = "enforced: a denial came out as the client obeys it; advisory: heard and recorded; unsupported: the client has no such event";
    output.line(styled(DIM, render::fitted(legend, 0, output.is_terminal())))
}

/// Makes the checks that are about clients.
pub(super) fn checks(context: &Context, log: &Log, columns: &[Column]) -> Vec<Check> {
    let mut checks = vec![wired(columns)];
    for column in columns {
        checks.push(working(column));
        checks.extend(column.servers.iter().map(|server| asked(column, server)));
    }
    checks.extend(columns.iter().filter_map(version));
    checks.extend(columns.iter().filter_map(trust));
    checks.extend(columns.iter().filter_map(|column| {
        let advice = "switch them on there; until then it runs no hook at all";
        column.switched_off.map(|how| Check::bad(column.client, how, advice))
    }));
    checks.extend(twice(context));
    checks.extend(damaged(context));
    checks.extend(overridden(context));
    checks.extend(heard(context, log));
    checks.extend(troubles(log));
    checks.push(spooled(context));
    checks
}

fn wired(columns: &[Column]) -> Check {
    let here: Vec<&str> = machine::home()
        .map(|home| machine::clients(&home))
        .unwrap_or_default()
        .iter()
        .filter(|found| found.is_here() && !columns.iter().any(|column| column.client == found.client.name))
        .map(|found| found.client.title)
        .collect();
    let names: Vec<&str> = columns.iter().map(|column| column.known.title).collect();
    let are = if here.len() == 1 { "is" } else { "are" };
    match (names.is_empty(), here.is_empty()) {
        (true, true) => Check::note("clients", "none is wired", "install one and run `custos setup`"),
        (true, false) => Check::note(
            "clients",
            format!("none is wired; {} {are} here", here.join(", ")),
            "run `custos setup`",
        ),
        (false, false) => Check::note(
            "clients",
            format!("{} wired; {} {are} here and not wired", names.join(", "), here.join(", ")),
            "`custos setup` wires what is here",
        ),
        (false, true) => Check::ok("clients", format!("{} wired", names.join(", "))),
    }
}

fn working(column: &Column) -> Check {
    let failed: Vec<String> = column
        .events
        .iter()
        .filter(|trial| matches!(trial.worth, Worth::Failed | Worth::NotWired))
        .map(|trial| match &trial.problem {
            Some(problem) => format!("{}: {problem}", trial.event),
            None => format!("{} is not in its file", trial.event),
        })
        .collect();
    if failed.is_empty() {
        let count = render::count(column.events.len() as u64, "event");
        return Check::ok(column.client, format!("{count} replayed through the installed command"));
    }
    // The same for all of them, as a rule.
    let found = match failed.as_slice() {
        [first, _, _, _, ..] => {
            format!("{} of {} events do not work; the first, {first}", failed.len(), column.events.len())
        }
        few => few.join("; "),
    };
    Check::bad(column.client, found, "`custos setup` puts it right again")
}

/// Asks our MCP server wherever it has to be registered for a client: for all that the person does, or in each project that is wired.
fn servers(wiring: &Wiring, client: &'static Client, files: &[PathBuf]) -> Vec<ServerTrial> {
    let reaches = wiring.reaches(client, files);
    let files = reaches.into_iter().flat_map(|project| {
        let wiring = wiring.reaching(project);
        wiring::servers(client, &wiring.wishes(client, &[]), &wiring.home)
    });
    files.map(|file| server::prove(client, &file)).collect()
}

fn asked(column: &Column, server: &ServerTrial) -> Check {
    let problem = server.problem.as_deref().unwrap_or_default();
    let bad = |found: &str, advice: &str| {
        Check::bad(column.client, format!("MCP server: {found} in {}", server.path), advice)
    };
    match server.standing {
        Standing::Registered => {
            let tools = render::count(server.tools.unwrap_or_default() as u64, "tool");
            let ms = server.ms.unwrap_or_default();
            Check::ok(
                column.client,
                format!("MCP server: registered in {}, {tools} in {ms:.1} ms", server.path),
            )
        }
        Standing::NotRegistered => bad("NOT REGISTERED", "`custos setup` registers it"),
        Standing::AnotherProgram => bad(
            &format!("another program, as {problem},"),
            "give that server another name, then run `custos setup`",
        ),
        Standing::SwitchedOff => {
            bad("switched off", "switch it on there; until then agents have no tools of ours")
        }
        Standing::Failed => bad(&format!("registered, but {problem},"), "`custos setup` puts it right again"),
    }
}

fn version(column: &Column) -> Option<Check> {
    let version = column.version.as_deref()?;
    (column.known.manifest.covers(version) == Some(false)).then(|| {
        let tested = column.known.manifest.tested;
        let found = format!("{} {version}, tested with {}", column.known.title, tested.to);
        Check::note(column.client, found, tested.outside)
    })
}

/// Says that hooks stand in Claude Code's settings although our plugin brings them along.
fn twice(context: &Context) -> Option<Check> {
    let home = machine::home().ok()?;
    let (client, files) =
        wiring::wired(context).into_iter().find(|(client, _)| client.name == claude_code::CLIENT.name)?;
    let files = files.ok()?;
    let in_settings = files.iter().any(|file| file.extension().is_some_and(|end| end == "json"));
    let has_plugin = wiring::commands(client, files.clone(), &home).len() > files.len();
    (in_settings && has_plugin).then(|| {
        Check::bad(
            client.name,
            "its settings and our plugin both call us, so everything is recorded twice",
            "`custos setup` takes our hooks out of the settings",
        )
    })
}

/// Looks whether the person has switched all hooks of a client off, in one of the files in which they could.
fn switched_off(client: &Client, files: &[PathBuf]) -> Option<&'static str> {
    let home = machine::home().ok()?;
    let dir = machine::user_dir(client, &home);
    let own = ["settings.json", "config.toml"].map(|name| dir.join(name));
    let texts = own.iter().chain(files).filter_map(|file| std::fs::read_to_string(file).ok());
    texts.into_iter().find_map(|text| (client.switched_off)(&text))
}

/// Lists the events for which Codex was not told to trust our hooks.
fn untrusted(files: &[PathBuf]) -> Vec<&'static str> {
    let Ok(home) = machine::home() else { return Vec::new() };
    let config = machine::user_dir(&codex::CLIENT, &home).join("config.toml");
    let config = std::fs::read_to_string(config).unwrap_or_default();
    let hooks = files.iter().filter(|file| file.ends_with("hooks.json"));
    hooks
        .filter_map(|file| Some((std::fs::read_to_string(file).ok()?, file.to_str()?)))
        .flat_map(|(text, path)| codex::untrusted(&text, path, &config))
        .collect()
}

/// Says that a client runs none of our hooks until it is told to; it says nothing itself.
fn trust(column: &Column) -> Option<Check> {
    let missing: Vec<&str> = column
        .events
        .iter()
        .filter(|trial| trial.worth == Worth::Untrusted)
        .map(|trial| trial.event)
        .collect();
    (!missing.is_empty()).then(|| {
        Check::bad(
            column.client,
            format!("it does not trust our hooks yet and runs none of these: {}", missing.join(", ")),
            "start `codex`, enter /hooks and trust those of custos",
        )
    })
}

/// Names ledgers that cannot be read: without one, uninstall does not know what is ours.
fn damaged(context: &Context) -> Vec<Check> {
    let ledgers =
        wiring::wired(context).into_iter().filter_map(|(client, files)| Some((client, files.err()?)));
    ledgers
        .map(|(client, error)| {
            Check::bad(
                client.name,
                error.to_string(),
                "`custos setup` begins a new one once it is moved away",
            )
        })
        .collect()
}

/// Names what in the overrides could not be taken over.
fn overridden(context: &Context) -> Vec<Check> {
    let project = crate::environment::working_directory().map(|dir| custos_config::Project::by_place(&dir));
    let root = project.as_ref().map(|project| project.root.as_path());
    custos_clients::CLIENTS
        .into_iter()
        .flat_map(|client| {
            let overrides = custos_clients::overrides::Overrides::load(client, &context.places.config, root);
            overrides.problems.into_iter().map(|problem| {
                Check::bad(client.name, problem, "correct it; `docs/clients.md` says what may stand there")
            })
        })
        .collect()
}

fn heard(context: &Context, log: &Log) -> Vec<Check> {
    silence::silent(&silence::journals(log, when::now()), &wiring::signs(context), None)
        .into_iter()
        .map(|silent| {
            let advice = match silent.client {
                "codex" => "start `codex` and enter /hooks: it runs only hooks that you trust; then `custos setup`",
                _ => "restart the client; if it stays, run `custos setup` and look whether an update changed its settings",
            };
            Check::bad(silent.client, silent.what, advice)
        })
        .collect()
}

fn troubles(log: &Log) -> Vec<Check> {
    let troubles = trouble::read(&*log.surroundings().disk, &log.places().state);
    let (mut of_worker, of_hooks): (Vec<Trouble>, Vec<Trouble>) =
        troubles.into_iter().partition(|trouble| trouble.client == "worker");
    // How a provider stands now has a check of its own; how it stood before is no trouble any more.
    of_worker.retain(|trouble| !is_of_provider(&trouble.problem));
    let hooks = told(&of_hooks).map_or_else(
        || Check::ok("hooks", "none reported trouble"),
        |(state, found)| {
            let advice = "the client went on; what it sent is kept: `custos log tail --kind hook.alive`";
            Check { what: "hooks", state, found, advice: Some(advice.to_owned()) }
        },
    );
    let worker = told(&of_worker).map(|(state, found)| {
        let advice = "nothing is lost: `custos work list` shows whether anything waits, and worker.log in the state directory what came before";
        Check { what: "worker", state, found, advice: Some(advice.to_owned()) }
    });
    std::iter::once(hooks).chain(worker).collect()
}

/// Says whether the word that a worker left is about a provider, whose name it then begins with.
fn is_of_provider(problem: &str) -> bool {
    let providers = Provider::ALL.into_iter().filter(|provider| *provider != Provider::Rules);
    providers
        .map(Provider::name)
        .any(|name| problem.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
}

/// Says how often there was trouble, and what it was last; nothing where there was none.
fn told(troubles: &[Trouble]) -> Option<(State, String)> {
    let (first, latest) = (troubles.first()?, troubles.last()?);
    let age = when::now().as_millis() - latest.at;
    let is_recent = age < i64::try_from(NEWS.as_millis()).unwrap_or(i64::MAX);
    let found = format!(
        "{} since {}; the latest, {} ago: {} {}: {}",
        render::count(troubles.len() as u64, "time"),
        render::local(custos_model::Timestamp::from_millis(first.at)),
        how_long(age),
        latest.client,
        latest.event,
        latest.problem
    );
    Some((if is_recent { State::Bad } else { State::Note }, found))
}

fn spooled(context: &Context) -> Check {
    let holdings = context.spool().survey();
    let waiting: u64 = holdings.iter().map(|holding| holding.waiting).sum();
    let dropped: u64 = holdings.iter().map(|holding| holding.dropped).sum();
    let broken: Vec<&Path> = holdings.iter().flat_map(|holding| &holding.broken).map(AsRef::as_ref).collect();
    if dropped > 0 {
        let found = format!(
            "{} found no room and {} lost",
            render::count(dropped, "event"),
            if dropped == 1 { "is" } else { "are" }
        );
        return Check::bad(
            "spool",
            found,
            "make the memory writable; raise capture.spool_mb if it must wait longer",
        );
    }
    if let Some(first) = broken.first() {
        let found = format!(
            "{} set apart, the first is {}",
            render::count(broken.len() as u64, "broken file"),
            first.display()
        );
        return Check::note("spool", found, "look at it and delete it; nothing else is affected");
    }
    match holdings.iter().find_map(|holding| holding.since) {
        Some(since) if waiting > 0 => Check::note(
            "spool",
            format!("{} wait for the log since {}", render::count(waiting, "event"), render::local(since)),
            "the next hook that gets through to the log appends them",
        ),
        _ => Check::ok("spool", "nothing waits for the log"),
    }
}

/// Says how long something takes or took, in the one unit that fits.
pub(super) fn how_long(millis: i64) -> String {
    let minutes = (millis / 60_000).max(0);
    match minutes {
        0 => "a moment".to_owned(),
        1..=89 => format!("{minutes} min"),
        90..=2879 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    }
}
