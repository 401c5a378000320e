//! What of the clients' files is ours, and the ledgers that remember it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use custos_clients::clients::claude_code;
use custos_clients::edit::{Action, Ledger, LedgerError, NewFile, Report};
use custos_clients::overrides::Overrides;
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
            None => (Reach::User, user.clone(), &self.home),
            Some(project) => (Reach::Project, project.join(client.dirs.project), project),
        };
        // OpenCode looks for Claude Code's files in their usual place, wherever the person has moved them.
        let in_place = |name: &&&'static str| {
            custos_clients::find(name)
                .is_some_and(|it| machine::user_dir(it, &self.home) == self.home.join(it.dirs.user))
        };
        let together: Vec<&'static str> = together.iter().filter(in_place).copied().collect();
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let target = Target {
            reach,
            dir: &dir,
            user: &user,
            root,
            program: &self.program,
            together: &together,
            read: &read,
        };
        (client.wire)(client, &target)
    }

    /// Says whether a client is wired for everything that the person does: a project that is wired as well would hear everything twice.
    pub(crate) fn covers_projects(&self, client: &Client) -> bool {
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
        let in_reach =
            |file: &Path| self.project.as_ref().is_none_or(|project| file.starts_with(resolved(project)));
        let user = resolved(&machine::user_dir(client, &self.home));
        let old = ledger.files().filter(|file| in_reach(file) && !wanted.iter().any(|wanted| wanted == file));
        // Another directory of the person's own, from when its variable pointed there, is theirs to keep.
        let old = old.filter(|file| file.starts_with(&user) || self.is_in_project(client, file));
        let old: Vec<PathBuf> =
            old.filter(|file| !self.is_needed_elsewhere(client, file)).map(Path::to_owned).collect();
        old.into_iter().map(|file| (file.clone(), ledger.restore(&file))).collect()
    }

    fn is_in_project(&self, client: &Client, file: &Path) -> bool {
        let dir = Path::new(client.dirs.project);
        let usual = resolved(&self.home.join(client.dirs.user));
        let at_top = ["AGENTS.md", "GEMINI.md"].iter().any(|name| file.ends_with(name));
        !file.starts_with(usual) && (at_top || file.ancestors().any(|above| above.ends_with(dir)))
    }

    fn is_needed_elsewhere(&self, client: &Client, file: &Path) -> bool {
        let mut others = CLIENTS.into_iter().filter(|other| other.name != client.name);
        others.any(|other| {
            let path = ledger_path(&self.tools, other);
            path.exists()
                && Ledger::rehearse(&path).is_ok_and(|ledger| ledger.files().any(|known| known == file))
        })
    }

    /// Opens the ledger of a client; a rehearsal changes nothing.
    pub(crate) fn ledger(&self, client: &Client, rehearsal: bool) -> Result<Ledger, LedgerError> {
        let path = ledger_path(&self.tools, client);
        if rehearsal {
            return Ledger::rehearse(&path);
        }
        // Another setup may be at work; it is done in a moment.
        let deadline = Instant::now() + PATIENCE;
        loop {
            match Ledger::open(&path) {
                Err(LedgerError::Busy { .. }) if Instant::now() < deadline => pause(),
                opened => return opened,
            }
        }
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
        files.extend(claude_code::plugin_hooks(
            &read("settings.json"),
            &read("plugins/installed_plugins.json"),
        ));
    }
    files
}

/// A client that has something of ours, and the files; or why the ledger cannot tell.
pub(crate) type WiredFiles = (&'static Client, Result<Vec<PathBuf>, LedgerError>);

/// Lists the clients that have something of ours.
pub(crate) fn wired(context: &Context) -> Vec<WiredFiles> {
    let tools = context.places.config.join("tools");
    let ledgers = CLIENTS.into_iter().map(|client| (client, ledger_path(&tools, client)));
    ledgers
        .filter(|(_, path)| path.exists())
        .map(|(client, path)| {
            (
                client,
                Ledger::rehearse(&path).map(|ledger| ledger.files().map(Path::to_owned).collect::<Vec<_>>()),
            )
        })
        .filter(|(_, files)| files.as_ref().map_or(true, |files| !files.is_empty()))
        .collect()
}

/// Lists the clients that are wired, with when they were last heard, and last used.
pub(crate) fn signs(context: &Context) -> Vec<Wired> {
    let Ok(home) = machine::home() else { return Vec::new() };
    let tools = context.places.config.join("tools");
    wired(context)
        .into_iter()
        .filter_map(|(client, files)| Some((client, files.ok()?)))
        .map(|(client, files)| {
            let since = modified(&ledger_path(&tools, client)).max(modified(&alive_path(&tools, client)));
            // Where only a project is wired, the client is used elsewhere without us, and rightly so.
            let everywhere = files.iter().any(|file| file.starts_with(machine::user_dir(client, &home)));
            let used = everywhere.then(|| newest(&home, client.manifest.transcripts)).flatten();
            let off = Overrides::load(client, &context.places.config, None).off;
            Wired { client: client.name, since: since.unwrap_or(0), used, off }
        })
        .collect()
}

/// Leaves a sign of life of a client beside its ledger, whichever memory the session is recorded in.
pub(crate) fn heard(context: &Context, client: &Client) {
    let tools = context.places.config.join("tools");
    // Only where it was wired by us: elsewhere nobody looks for it.
    if ledger_path(&tools, client).exists()
        && let Ok(file) = std::fs::File::create(alive_path(&tools, client))
    {
        let _ = file.set_modified(std::time::SystemTime::now());
    }
}

/// Removes what setup left beside the ledgers, where nothing is wired any more.
pub(crate) fn tidy(context: &Context) {
    let tools = context.places.config.join("tools");
    for client in CLIENTS {
        let ledger = ledger_path(&tools, client);
        if Ledger::rehearse(&ledger).is_ok_and(|ledger| ledger.files().next().is_none()) {
            for path in [alive_path(&tools, client), ledger.with_extension("lock"), ledger] {
                let _ = std::fs::remove_file(path);
            }
            // Stays where the person has put something into it.
            let _ = std::fs::remove_dir(tools.join(client.name));
        }
    }
    let _ = std::fs::remove_dir(tools);
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

/// Says where a path leads, as the ledgers name files.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(dir), Some(name)) => resolved(dir).join(name),
        _ => path.to_owned(),
    }
}

fn alive_path(tools: &Path, client: &Client) -> PathBuf {
    tools.join(client.name).join("alive")
}

fn ledger_path(tools: &Path, client: &Client) -> PathBuf {
    tools.join(client.name).join("installed.json")
}

/// How long another process may hold a ledger.
const PATIENCE: Duration = Duration::from_secs(10);

#[expect(clippy::disallowed_methods, reason = "a lock of another library's, waited for to a deadline")]
fn pause() {
    std::thread::sleep(Duration::from_millis(20));
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
