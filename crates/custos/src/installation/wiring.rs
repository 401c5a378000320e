//! What of the clients' files is ours, and the ledgers that remember it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use custos_clients::clients::claude_code;
use custos_clients::edit::{Action, Ledger, LedgerError, NewFile, Report};
use custos_clients::overrides::Overrides;
use custos_clients::wiring::{Reach, Target, Wish};
use custos_clients::{CLIENTS, Client, server};
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
            moved: machine::moved_dir(client).is_some(),
            root,
            program: &self.program,
            together: &together,
            read: &read,
        };
        (client.wire)(client, &target)
    }

    /// Gives the same wiring for another reach.
    pub(crate) fn reaching(&self, project: Option<PathBuf>) -> Self {
        Self { home: self.home.clone(), project, program: self.program.clone(), tools: self.tools.clone() }
    }

    /// Says for which projects files of a client are; none stands for everything that the person does.
    pub(crate) fn reaches(&self, client: &Client, files: &[PathBuf]) -> Vec<Option<PathBuf>> {
        let user = resolved(&machine::user_dir(client, &self.home));
        let mut reaches = Vec::new();
        for file in files {
            let dir = file.ancestors().find(|above| above.ends_with(client.dirs.project));
            let reach = match dir.and_then(Path::parent) {
                _ if file.starts_with(&user) => None,
                Some(project) => Some(project.to_owned()),
                None => continue,
            };
            if !reaches.contains(&reach) {
                reaches.push(reach);
            }
        }
        reaches
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
        let home = resolved(&self.home);
        let is_persons = |file: &Path| file.starts_with(&user) || file.parent() == Some(&home);
        let old = old.filter(|file| is_persons(file) || self.is_in_project(client, file));
        let old: Vec<PathBuf> =
            old.filter(|file| !self.is_needed_elsewhere(client, file)).map(Path::to_owned).collect();
        old.into_iter().map(|file| (file.clone(), restore(ledger, &file))).collect()
    }

    fn is_in_project(&self, client: &Client, file: &Path) -> bool {
        let dir = Path::new(client.dirs.project);
        let usual = resolved(&self.home.join(client.dirs.user));
        let at_top = ["AGENTS.md", "GEMINI.md", ".mcp.json"].iter().any(|name| file.ends_with(name));
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
        let new_file = if shared { NewFile::Shared } else { NewFile::Private };
        undisturbed(ledger, &wish.path, |ledger| match claude_code::state_lock(&wish.path) {
            Some(_) => ledger.apply_without_copy(&wish.path, &wish.part),
            None => ledger.apply(&wish.path, &wish.part, new_file),
        })
    }
}

/// Gives a file back as it was before us, or takes our part out.
pub(crate) fn restore(ledger: &mut Ledger, file: &Path) -> Result<Report, LedgerError> {
    undisturbed(ledger, file, |ledger| ledger.restore(file))
}

/// Changes a file that its client may be writing at this very moment: in turn with the client where it has a way to take turns, and from
/// the start again where it came in between.
fn undisturbed(
    ledger: &mut Ledger,
    file: &Path,
    change: impl Fn(&mut Ledger) -> Result<Report, LedgerError>,
) -> Result<Report, LedgerError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let turn = claude_code::state_lock(file).filter(|_| !ledger.is_rehearsal()).map(Turn::take);
        let changed = change(ledger);
        drop(turn);
        match changed {
            Err(LedgerError::ChangedMeanwhile { .. }) if Instant::now() < deadline => pause(),
            changed => return changed,
        }
    }
}

/// Holds a client's lock on a file of its own: a directory, which only one can make.
struct Turn(Option<PathBuf>);

impl Turn {
    /// Waits for its turn. A lock that nobody can make, or that somebody has forgotten, is no reason to wait for ever: that the file is still
    /// what was read is checked in any case before it is replaced.
    fn take(lock: PathBuf) -> Self {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match std::fs::create_dir(&lock) {
                Ok(()) => return Self(Some(lock)),
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Self(None),
                Err(_) if is_forgotten(&lock) || Instant::now() >= deadline => return Self(None),
                Err(_) => pause(),
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(lock) = &self.0 {
            let _ = std::fs::remove_dir(lock);
        }
    }
}

/// Says whether a lock stands longer than the client itself would respect it. Whoever holds one keeps touching it.
fn is_forgotten(lock: &Path) -> bool {
    let touched = std::fs::metadata(lock).and_then(|metadata| metadata.modified());
    touched.is_ok_and(|touched| touched.elapsed().is_ok_and(|age| age >= PATIENCE))
}

/// Lists the files in which the commands of a client stand: ours, and where a plugin brings them along, its own.
pub(crate) fn commands(client: &'static Client, files: Vec<PathBuf>, home: &Path) -> Vec<PathBuf> {
    let mut files = files;
    files.extend(of_plugin(client, home, claude_code::plugin_hooks));
    files
}

/// Lists the files in which our MCP server has to stand for a client, given what is wanted in its files: one of its own, or the plugin's.
pub(crate) fn servers(client: &'static Client, wishes: &[Wish], home: &Path) -> Vec<PathBuf> {
    let wished = wishes.iter().filter(|wish| wish.what == server::WHAT).map(|wish| wish.path.clone());
    let mut files: Vec<PathBuf> = wished.collect();
    if files.is_empty() {
        files.extend(of_plugin(client, home, claude_code::plugin_servers));
    }
    files
}

/// Lists files of our plugin, where the client has it.
fn of_plugin(
    client: &'static Client,
    home: &Path,
    files: fn(settings: &str, installed: &str) -> Vec<PathBuf>,
) -> Vec<PathBuf> {
    if client.name != claude_code::CLIENT.name {
        return Vec::new();
    }
    let dir = machine::user_dir(client, home);
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    files(&read("settings.json"), &read("plugins/installed_plugins.json"))
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
