//! Which clients are on this machine.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use custos_clients::Client;
use custos_config::{Environment, env};

use crate::environment::ProcessEnvironment;
use crate::error::CliError;
use crate::exit::Exit;

/// How long a client may take to say its version. Some start a whole JavaScript engine for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most that is read of what a program prints.
const LARGEST_OUTPUT: u64 = 64 << 20;

/// A client and what was found of it.
pub(crate) struct Found {
    pub(crate) client: &'static Client,
    /// The program, where it is on the path.
    pub(crate) program: Option<PathBuf>,
    /// The directory of the person's own files for it.
    pub(crate) dir: PathBuf,
    /// Whether that directory is there.
    pub(crate) has_dir: bool,
}

impl Found {
    pub(crate) fn is_here(&self) -> bool {
        self.program.is_some() || self.has_dir
    }

    /// Says in a few words what was found.
    pub(crate) fn evidence(&self) -> String {
        match (&self.program, self.has_dir) {
            (Some(program), _) => program.display().to_string(),
            (None, true) => format!("{} (not on the path)", self.dir.display()),
            (None, false) => "not found".to_owned(),
        }
    }
}

/// Gives the home directory, which the files of most clients are below.
pub(crate) fn home() -> Result<PathBuf, CliError> {
    let variable = if cfg!(windows) { env::USERPROFILE } else { env::HOME };
    ProcessEnvironment.get(variable.name).map(PathBuf::from).filter(|home| home.is_absolute()).ok_or_else(
        || {
            CliError::new(
                Exit::Config,
                "there is no home directory, and the files of the clients are below it",
            )
            .hint(format!("set {} to an absolute path", variable.name))
        },
    )
}

/// Looks for every client.
pub(crate) fn clients(home: &Path) -> Vec<Found> {
    custos_clients::CLIENTS
        .into_iter()
        .map(|client| {
            let dir = user_dir(client, home);
            let program = client.dirs.programs.iter().find_map(|name| on_path(name));
            let has_dir = dir.is_dir();
            Found { client, program, dir, has_dir }
        })
        .collect()
}

/// Gives the directory of the person's own files for a client.
pub(crate) fn user_dir(client: &Client, home: &Path) -> PathBuf {
    if let Some(dir) = moved_dir(client) {
        return dir;
    }
    match client.dirs.user.strip_prefix(".config/") {
        Some(rest) => {
            let config = ProcessEnvironment.get(env::XDG_CONFIG_HOME.name).map(PathBuf::from);
            config.filter(|dir| dir.is_absolute()).unwrap_or_else(|| home.join(".config")).join(rest)
        }
        None => home.join(client.dirs.user),
    }
}

/// Gives the directory to which the person has moved their own files for a client by its variable.
pub(crate) fn moved_dir(client: &Client) -> Option<PathBuf> {
    let variable = Some(client.dirs.variable).filter(|name| !name.is_empty())?;
    ProcessEnvironment.get(variable).map(PathBuf::from).filter(|dir| dir.is_absolute())
}

/// Finds a program on the path.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = ProcessEnvironment.get(env::PATH.name)?;
    let names = if cfg!(windows) {
        vec![format!("{name}.exe"), format!("{name}.cmd")]
    } else {
        vec![name.to_owned()]
    };
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .flat_map(|dir| names.iter().map(move |name| dir.join(name)).collect::<Vec<_>>())
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Asks a client for its version; none if it does not say it in time.
pub(crate) fn version(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (_, bytes) = finish(&mut child, PATIENCE)?;
    let text = String::from_utf8_lossy(&bytes);
    text.split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit() || c == 'v'))
        .map(|word| word.trim_start_matches('v').trim_end_matches(',').to_owned())
}

/// Waits for a process to a deadline, and gives how it ended and what it printed. One that takes longer is ended, and one whose children
/// keep its output open is not waited for.
pub(crate) fn finish(child: &mut Child, patience: Duration) -> Option<(ExitStatus, Vec<u8>)> {
    let mut stdout = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.by_ref().take(LARGEST_OUTPUT).read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    let deadline = Instant::now() + patience;
    let status = wait(child, deadline)?;
    let left = deadline.saturating_duration_since(Instant::now());
    let bytes = receive.recv_timeout(left.min(Duration::from_secs(1))).ok()?;
    Some((status, bytes))
}

/// Waits for a process to a deadline, and gives how it ended. One that takes longer is ended.
#[expect(clippy::disallowed_methods, reason = "there is no other way to wait for a process with a deadline")]
pub(crate) fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}
