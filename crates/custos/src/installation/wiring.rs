//! What of the clients' files is ours, and the ledgers that remember it.

use std::path::{Path, PathBuf};

use custos_clients::edit::{Action, Ledger, LedgerError, NewFile, Report};
use custos_clients::wiring::{Reach, Target, Wish};
use custos_clients::clients::claude_code;
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
            None => (Reach::User, user.clone(), &self.home),
            Some(project) => (Reach::Project, project.join(client.dirs.project), project),
        };
        // OpenCode looks for Claude Code's files in their usual place, wherever the person has moved them.
        let in_place = |name: &&&'static str| {
            custos_clients::find(name).is_some_and(|it| machine::user_dir(it, &self.home) == self.home.join(it.dirs.user))
        };
        let together: Vec<&'static str> = together.iter().filter(in_place).copied().collect();
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let target = Target { reach, dir: &dir, user: &user, root, program: &self.program, together: &together, read: &read };
        (client.wire)(client, &target)
    }

    /// Says whether a client calls us already in everything that the person does.
    pub(crate) fn is_wired_for_user(&self, client: &'static Client) -> bool {
        let user = resolved(&machine::user_dir(client, &self.home));
        let ledger = Ledger::rehearse(&ledger_path(&self.tools, client));
        ledger.is_ok_and(|ledger| ledger.files().any(|file| file.starts_with(&user)))
    }

    /// Takes our part out of the files that we wanted once and no longer want: of a project that is part of everything now, or that another
    /// way of wiring made needless. Left in, the client would call us twice.
    pub(crate) fn retire(
        &self,
        ledger: &mut Ledger,
        client: &'static Client,
        wishes: &[Wish],
    ) -> Vec<(PathBuf, Result<Report, LedgerError>)> {
        let wanted: Vec<PathBuf> = wishes.iter().map(|wish| resolved(&wish.path)).collect();
        let in_reach = |file: &Path| self.project.as_ref().is_none_or(|project| file.starts_with(resolved(project)));
        let old = ledger.files().filter(|file| in_reach(file) && !wanted.iter().any(|wanted| wanted == file));
        let old: Vec<PathBuf> = old.filter(|file| !self.is_needed_elsewhere(client, file)).map(Path::to_owned).collect();
        old.into_iter().map(|file| (file.clone(), ledger.restore(&file))).collect()
    }

    fn is_needed_elsewhere(&self, client: &Client, file: &Path) -> bool {
        let mut others = CLIENTS.into_iter().filter(|other| other.name != client.name);
        others.any(|other| {
            let path = ledger_path(&self.tools, other);
            path.exists() && Ledger::rehearse(&path).is_ok_and(|ledger| ledger.files().any(|known| known == file))
        })
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

/// Lists the files in which the commands of a client stand: ours, and where a plugin brings them along, its own.
pub(crate) fn commands(client: &'static Client, files: Vec<PathBuf>, home: &Path) -> Vec<PathBuf> {
    let mut files = files;
    if client.name == claude_code::CLIENT.name {
        let dir = machine::user_dir(client, home);
        let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
        files.extend(claude_code::plugin_hooks(&read("settings.json"), &read("plugins/installed_plugins.json")));
    }
    files
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

/// Follows the links in a path, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|dir| Some((dir.canonicalize().ok()?, path.strip_prefix(dir).ok()?)));
    there.map_or_else(|| path.to_owned(), |(dir, rest)| if rest.as_os_str().is_empty() { dir } else { dir.join(rest) })
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
