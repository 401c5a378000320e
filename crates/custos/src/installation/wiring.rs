//! What of the clients' files is ours, and the ledgers that remember it.

use std::path::{Path, PathBuf};

use custos_clients::edit::{Action, Ledger, LedgerError, NewFile, Report};
use custos_clients::wiring::{Reach, Target, Wish};
use custos_clients::{CLIENTS, Client};
use custos_hooks::silence::Wired;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine;

/// How clients are wired on this machine.
pub(crate) struct Wiring {
    pub(crate) home: PathBuf,
    /// The project, if only it is to be wired.
    pub(crate) project: Option<PathBuf>,
    /// The program, as the clients are to call it.
    pub(crate) program: String,
    /// Where the ledgers are.
    tools: PathBuf,
}

impl Wiring {
    pub(crate) fn new(
        context: &Context,
        home: PathBuf,
        project: Option<PathBuf>,
        program: &Path,
    ) -> Result<Self, CliError> {
        let text = program.to_str().ok_or_else(|| {
            CliError::new(Exit::Config, format!("{} is no text, and settings files are", program.display()))
                .hint("choose another place with --prefix")
        })?;
        Ok(Self { home, project, program: text.to_owned(), tools: context.places.config.join("tools") })
    }

    /// Gives what is wanted in the files of a client.
    pub(crate) fn wishes(&self, client: &'static Client, together: &[&'static str]) -> Vec<Wish> {
        let user = machine::user_dir(client, &self.home);
        let (reach, dir, root) = match &self.project {
            None => (Reach::User, user, &self.home),
            Some(project) => (Reach::Project, project.join(client.dirs.project), project),
        };
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let target = Target { reach, dir: &dir, root, program: &self.program, together, read: &read };
        (client.wire)(client, &target)
    }

    /// Opens the ledger of a client; a rehearsal changes nothing.
    pub(crate) fn ledger(&self, client: &Client, rehearsal: bool) -> Result<Ledger, LedgerError> {
        let path = ledger_path(&self.tools, client);
        if rehearsal { Ledger::rehearse(&path) } else { Ledger::open(&path) }
    }

    /// Grants a wish, or says why not.
    pub(crate) fn grant(&self, ledger: &mut Ledger, wish: &Wish) -> Result<Report, LedgerError> {
        // Prose in a project is for everybody who has the project.
        let shared = self.project.is_some() && wish.path.extension().is_some_and(|end| end == "md");
        ledger.apply(&wish.path, &wish.part, if shared { NewFile::Shared } else { NewFile::Private })
    }
}

/// Lists the clients that have something of ours, with the files.
pub(crate) fn wired(context: &Context) -> Vec<(&'static Client, Vec<PathBuf>)> {
    let tools = context.places.config.join("tools");
    CLIENTS
        .into_iter()
        .filter_map(|client| {
            let path = ledger_path(&tools, client);
            if !path.exists() {
                return None;
            }
            let files: Vec<PathBuf> = Ledger::rehearse(&path).ok()?.files().map(Path::to_owned).collect();
            (!files.is_empty()).then_some((client, files))
        })
        .collect()
}

/// Lists the clients that are wired, with when, and when they were last used.
pub(crate) fn signs(context: &Context) -> Vec<Wired> {
    let Ok(home) = machine::home() else { return Vec::new() };
    let tools = context.places.config.join("tools");
    wired(context)
        .into_iter()
        .map(|(client, _)| Wired {
            client: client.name,
            since: modified(&ledger_path(&tools, client)).unwrap_or(0),
            used: newest(&home, client.manifest.transcripts),
        })
        .collect()
}

/// Says what was done to a file, in a word or two.
pub(crate) fn done(action: Action, rehearsal: bool) -> &'static str {
    match (action, rehearsal) {
        (Action::Unchanged, _) => "unchanged",
        (Action::Created, false) => "created",
        (Action::Created, true) => "would be created",
        (Action::Changed, false) => "changed",
        (Action::Changed, true) => "would be changed",
        (Action::Restored, false) => "restored",
        (Action::Restored, true) => "would be restored",
        (Action::Deleted, false) => "removed",
        (Action::Deleted, true) => "would be removed",
        (Action::Trimmed, false) => "our part removed",
        (Action::Trimmed, true) => "our part would be removed",
        (Action::Gone, _) => "gone already",
        (Action::Unknown, _) => "not ours",
        (Action::Left, _) => "left: others made it theirs",
    }
}

fn ledger_path(tools: &Path, client: &Client) -> PathBuf {
    tools.join(client.name).join("installed.json")
}

/// The most entries of a directory that are looked at.
const MOST_ENTRIES: usize = 4096;
/// How many of the newest directories are entered.
const NEWEST_DIRS: usize = 4;

/// Finds the newest time of the files that a pattern means; `*` stands for any name or part of one.
fn newest(dir: &Path, pattern: &str) -> Option<i64> {
    let (name, rest) = match pattern.split_once('/') {
        Some((name, rest)) => (name, Some(rest)),
        None => (pattern, None),
    };
    let Some((begin, end)) = name.split_once('*') else {
        let path = dir.join(name);
        return match rest {
            Some(rest) => newest(&path, rest),
            None => modified(&path),
        };
    };
    let entries = std::fs::read_dir(dir).ok()?.flatten().take(MOST_ENTRIES);
    let mut found: Vec<(i64, PathBuf)> = entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(begin) && name.ends_with(end)
        })
        .filter_map(|entry| Some((modified(&entry.path())?, entry.path())))
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    match rest {
        None => found.first().map(|(time, _)| *time),
        Some(rest) => found.iter().take(NEWEST_DIRS).filter_map(|(_, path)| newest(path, rest)).max(),
    }
}

fn modified(path: &Path) -> Option<i64> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
