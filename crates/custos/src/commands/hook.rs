//! `custos hook CLIENT EVENT`: what the installed commands call.
//!
//! Whatever happens, the client gets an answer and a code that does not stop it: some of them block every tool when a hook fails. A
//! panic is caught here and noted for `doctor`; it is answered by silence where something was to be recorded, and by a question where a
//! call was to be judged. Only Cursor's denial ends with 2, because that is how Cursor is told.

use std::ffi::OsStr;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use custos_clients::{Client, Moment, Reply};
use custos_config::{Environment, env};
use custos_guard::world::Own;
use custos_hooks::exclude::Exclude;
use custos_hooks::record::Keep;
use custos_hooks::{Around, Call, Counsel, Watch, kin};
use custos_log::spool::Spool;

use crate::context::Context;
use crate::environment::{self, ProcessEnvironment, working_directory};
use crate::exit::Exit;
use crate::installation::wiring;
use crate::output::tell;

mod advisor;
mod input;
mod last_word;
mod memory;
mod pull_requests;

/// The most that a hook reads; what is longer is noted and left.
const LARGEST_PAYLOAD: usize = 64 << 20;

/// How much of the fields that we do not know is kept.
const EXTRA: usize = 2 << 10;

/// Runs a hook and answers its client.
pub(crate) fn run(client: &OsStr, event: &OsStr) -> ExitCode {
    let Some(client) = client.to_str().and_then(custos_clients::find) else {
        let names: Vec<&str> = custos_clients::CLIENTS.iter().map(|client| client.name).collect();
        tell(format!(
            "custos: `custos hook` knows no client {}; it knows {}",
            client.display(),
            names.join(", ")
        ));
        return Exit::Usage.into();
    };
    let event = event.to_string_lossy();
    survive_full_files();
    if is_judged(client, &event) {
        last_word::prepare(client, &event);
    }
    let reply = catch_unwind(AssertUnwindSafe(|| answer(client, &event))).unwrap_or_else(|_| {
        note_panic(client, &event);
        unjudged(client, &event, "of a bug in Custos")
    });
    last_word::withdraw();
    let mut out = std::io::stdout().lock();
    // A client that does not want the answer any more has gone on without it.
    if !reply.stdout.is_empty() {
        let _ = out.write_all(&reply.stdout).and_then(|()| out.flush());
    }
    ExitCode::from(reply.exit)
}

/// Says whether an event is one that the guard judges.
fn is_judged(client: &Client, event: &str) -> bool {
    matches!(client.moment(event), Some(Moment::ToolStarting | Moment::PermissionAsked))
}

/// The answer where a call could not be judged.
fn unjudged(client: &Client, event: &str, why: &str) -> Reply {
    client.reply(event, &custos_hooks::without_judging(client, event, why))
}

fn answer(client: &'static Client, event: &str) -> Reply {
    // Their own entries record. But a variable must not switch the guard off: whoever starts Claude Code may have it set.
    let is_beside = (client.name == "claude-code" && is_run_by_another()) || is_distilling();
    if is_beside && !is_judged(client, event) {
        return Reply::silence();
    }
    let payload = input::read(LARGEST_PAYLOAD);
    let context = match Context::quick() {
        Ok(context) => context,
        Err(error) => {
            // Neither a home nor a memory: there is no place to note it, either.
            tell(format!("custos: {}", error.message));
            return unjudged(client, event, &error.message);
        }
    };
    let log = context.log();
    let capture = &context.settings.capture;
    let kilobytes = |count: u64| usize::try_from(count << 10).unwrap_or(usize::MAX);
    let spool = context.spool();
    let home = ProcessEnvironment.get(env::HOME.name).and_then(|home| home.into_string().ok());
    let cwd = if client.words.cwd.is_empty() { working_directory() } else { None };
    // Asked of the system only where something is judged by it.
    let own = if is_judged(client, event) { own(&context, home.as_deref()) } else { Own::default() };
    let settings = &context.settings.guard;
    let model = advisor::Model::named(settings);
    let within = Duration::from_millis(settings.advisor_ms);
    let watch = settings.enabled.then(|| Watch {
        state: &context.places.state,
        own: &own,
        triage: settings.triage,
        advisor: model.as_ref().map(|model| Counsel { advisor: model, within }),
        delegation: settings.delegation,
        pull_requests: &pull_requests::Gh,
    });
    let role = ProcessEnvironment.get(env::AGENT_ROLE.name).and_then(|role| role.into_string().ok());
    let memory = memory::Memory { context: &context };
    let around = Around {
        log: &log,
        spool: &spool,
        keep: Keep { input: kilobytes(capture.input_kb), output: kilobytes(capture.output_kb), extra: EXTRA },
        quiet: capture.quiet_tools.as_deref(),
        exclude: Exclude {
            projects: capture.exclude_projects.as_deref().unwrap_or_default(),
            paths: capture.exclude_paths.as_deref().unwrap_or_default(),
        },
        config: &context.places.config,
        home: home.as_deref(),
        cwd: cwd.as_deref(),
        role: role.filter(|role| !role.is_empty()),
        watch,
        records: !is_beside,
        client_process: &|| kin::client_of(environment::ancestors()),
        wired: &|| {
            let signs = wiring::signs(&context);
            wiring::heard(&context, client);
            signs
        },
        recaller: Some(&memory),
        wake: &|| wake(&context),
    };
    custos_hooks::answer(Call { client, event, payload }, &around)
}

/// Starts a worker unless one runs, or the person wants none.
pub(crate) fn wake(context: &Context) -> Result<(), String> {
    let is_unwanted = ProcessEnvironment.get(env::CUSTOS_NO_WORKER.name).is_some_and(|set| set == "1");
    if is_unwanted || !context.settings.worker.wake {
        return Ok(());
    }
    let program = std::env::current_exe().map_err(|error| format!("where is this program? {error}"))?;
    custos_worker::wake(&context.places.state, &program).map(drop).map_err(|error| error.to_string())
}

/// What is ours and not the agent's to change, beyond what the guard knows by its name.
pub(crate) fn own(context: &Context, home: Option<&str>) -> Own {
    let text = |path: &Path| path.to_str().map(str::to_owned);
    let mut own = Own {
        config: text(&context.places.config),
        memory: text(&context.places.memory),
        state: text(&context.places.state),
        programs: std::env::current_exe().ok().as_deref().and_then(text).into_iter().collect(),
        registrations: Vec::new(),
    };
    // A client whose directory is elsewhere keeps its registrations there.
    for client in custos_clients::CLIENTS {
        let dir =
            ProcessEnvironment.get(client.dirs.variable).map(PathBuf::from).filter(|dir| dir.is_absolute());
        if let Some(dir) =
            dir.filter(|dir| home.is_none_or(|home| *dir != Path::new(home).join(client.dirs.user)))
        {
            let files = [
                "settings.json",
                "settings.local.json",
                "hooks.json",
                "config.toml",
                "config.json",
                "hooks",
                "plugins/custos.js",
                ".claude.json",
                "mcp-config.json",
                "opencode.json",
                "opencode.jsonc",
            ];
            own.registrations.extend(files.iter().filter_map(|file| text(&dir.join(file))));
        }
    }
    own
}

/// Makes a write beyond the size that the person allows for files an error like any other, where it would end the hook: and a hook that
/// ends so denies every tool in some clients.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the one way to have a signal ignored")]
fn survive_full_files() {
    // SAFETY: nothing else in this process asks for this signal, and ignoring it runs no code.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

#[cfg(not(unix))]
fn survive_full_files() {}

/// Copilot and Cursor also run the hooks that were installed for Claude Code; their own entries take care of what happens there.
pub(crate) fn is_run_by_another() -> bool {
    ProcessEnvironment.get(env::COPILOT_CLI.name).is_some_and(|set| set == "1")
        || ProcessEnvironment.get(env::CURSOR_VERSION.name).is_some()
}

/// Our own worker runs a client to distil: what that does is no work of the person's.
fn is_distilling() -> bool {
    ProcessEnvironment.get(env::CUSTOS_DISTILLING.name).is_some_and(|set| set == "1")
}

fn note_panic(client: &Client, event: &str) {
    if let Ok(context) = Context::quick() {
        let log = context.log();
        let surroundings = log.surroundings();
        let problem = "this is a bug in Custos: the hook panicked";
        let now = (surroundings.clock)();
        custos_hooks::trouble::note(
            &*surroundings.disk,
            &context.places.state,
            now,
            client.name,
            event,
            problem,
        );
    }
}

impl Context {
    /// Gives what waits for the log: in the state directory or, failing that, where the person's login keeps its files.
    pub(crate) fn spool(&self) -> Spool {
        let mut places = vec![self.places.state.clone()];
        if let Some(runtime) =
            ProcessEnvironment.get(env::XDG_RUNTIME_DIR.name).map(PathBuf::from).filter(|dir| is_ours(dir))
        {
            let memory = self.places.state.file_name().unwrap_or_default();
            places.push(runtime.join("ai").join(memory));
        }
        let bound = self.settings.capture.spool_mb << 20;
        Spool::new(places, bound, std::sync::Arc::clone(&self.log().surroundings().disk))
    }
}

/// Says whether nobody but this user can write to a directory: what waits in it becomes events.
#[cfg(unix)]
fn is_ours(dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    dir.is_absolute()
        && dir
            .metadata()
            .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == user && metadata.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_ours(dir: &Path) -> bool {
    dir.is_absolute()
}
