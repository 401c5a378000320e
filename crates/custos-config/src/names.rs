//! The names of projects that have no remote, and keep them when they are moved.
//!
//! Such a project is called by its path. If it were called by the new one after a move, all that was recorded about it would be nobody's: no
//! session would be told of it again. So whoever records something under a path also writes down by what the project will be known:
//!
//! - what the file system knows of its directory: the number and the time of birth. They stay when it is renamed or moved on the same disk,
//!   and neither a clone nor an archive can bring them along;
//! - its [mark](crate::mark), where it has one: it is carried to another disk. It counts where it was first seen, or once it is no longer
//!   there: a copy is another project.
//!
//! A project that comes to a path from which another one was moved away gets a name of its own, for that path still is the other's name.
//!
//! A remote is stronger than all this: it is the same everywhere, on every machine. So a project that gets its first one is called by it from
//! then on, and the list says what became of the path: readers of the log call by the new name what was recorded under the old one. The name of
//! a remote is not ours to give another meaning, for other checkouts have it as well: if it changes, the project is another.
//!
//! The list is a file of the state directory, one line for each project and move. It is appended to by whoever begins a session or keeps
//! something; a hook that judges only reads it, and only for projects without a remote. Without it, everything goes by its path.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hmac_sha256::Hash;

use crate::mark::{is_mark, mark};
use crate::project::{Project, path_identity};
use crate::replace::{Draft, append_private};
use crate::source::{Links, read_text};

/// The file in the state directory.
const LIST: &str = "projects";
/// The largest list that is read: some five thousand projects.
const LARGEST_LIST: u64 = 1 << 20;
/// From this size on, the list is written anew without what no longer counts.
const LONG_LIST: u64 = 1 << 18;
/// Stands where something is not known.
const UNKNOWN: &str = "-";

/// The names by which projects are known on this machine. The list is read at most once.
#[derive(Debug)]
pub struct Names {
    list: PathBuf,
    known: OnceLock<Vec<Known>>,
}

/// A project that something was recorded about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    /// What it is called in the log.
    name: String,
    signs: Signs,
    /// The remote that it got later, and is called by since.
    became: Option<String>,
}

/// By what a project is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Signs {
    /// Its directory: that of the main working tree, where there are several.
    home: String,
    /// The number and the time of birth of that directory.
    born: Option<String>,
    /// The mark in it.
    mark: Option<String>,
}

impl Names {
    /// Gives the names that are kept in a state directory.
    pub fn of(state: &Path) -> Self {
        Self { list: state.join(LIST), known: OnceLock::new() }
    }

    /// Finds the project of an absolute directory, by the name that it has had since it was first recorded.
    pub fn find(&self, directory: &Path) -> Project {
        self.named(Project::by_place(directory))
    }

    /// Gives a project that was found by its place the name that it has had since it was first recorded.
    pub fn named(&self, project: Project) -> Project {
        if remote(&project).is_some() {
            return project;
        }
        match home(&project).and_then(|home| self.name(home, &project.identity)) {
            Some(identity) => Project { identity, ..project },
            None => project,
        }
    }

    /// Writes down by what a project will be known if it is moved, and what became of its path once it has a remote. Nothing is written
    /// where that is known, or never needed.
    pub fn keep(&self, project: &Project) -> io::Result<()> {
        let Some(home) = home(project) else { return Ok(()) };
        let Some(remote) = remote(project) else {
            let now = Signs::of(home, born_at(home));
            let is_kept = |known: &Known| known.called() == project.identity && known.signs.hold_for(&now);
            if self.known().iter().any(is_kept) {
                return Ok(());
            }
            return self.append(&Known { name: project.identity.clone(), signs: now, became: None });
        };
        match self.recognise(home) {
            Ok(Known { name, signs, became: None }) if name != remote => {
                let (name, signs) = (name.clone(), signs.clone());
                self.append(&Known { name, signs, became: Some(remote.to_owned()) })
            }
            _ => Ok(()),
        }
    }

    /// Lists what was recorded under a path and is called by a remote now: the old name, then the new one.
    pub fn renamed(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.known().iter().filter_map(|known| Some((known.name.clone(), known.became.clone()?)))
    }

    /// What the list says, the newest first. A later line about the same one stands for the earlier.
    fn known(&self) -> &[Known] {
        self.known.get_or_init(|| {
            let text = read_text(&self.list, LARGEST_LIST, Links::Follow).ok().flatten().unwrap_or_default();
            let mut known: Vec<Known> = Vec::new();
            let mut seen = BTreeSet::new();
            for line in text.lines().rev().filter_map(Known::read) {
                if !line.about().any(|about| seen.contains(&about)) {
                    seen.extend(line.about());
                    known.push(line);
                }
            }
            known
        })
    }

    /// Finds the name of a project in this directory; none if it goes by its path.
    fn name(&self, home: &Path, path: &str) -> Option<String> {
        // Mostly there is nothing to tell.
        if self.known().is_empty() {
            return None;
        }
        let signs = match self.recognise(home) {
            Ok(known) => return Some(known.called().to_owned()),
            Err(signs) => signs,
        };
        let namesakes = || self.known().iter().filter(|known| known.name == path);
        let is_free = namesakes().any(|known| known.signs.home == signs.home)
            && namesakes().all(|known| known.became.is_none());
        (namesakes().next().is_some() && !is_free).then(|| signs.set_apart(path))
    }

    /// Finds what is known of the project in a directory; if nothing is, gives the signs by which it was looked for.
    fn recognise(&self, home: &Path) -> Result<&Known, Signs> {
        let known = self.known();
        let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
        let born = born_at(home);
        // Mostly this tells it, and no file is opened for it.
        if let Some(known) = known.iter().find(|known| same(&known.signs.born, &born)) {
            return Ok(known);
        }
        let signs = Signs::of(home, born);
        let is_here = |known: &&Known| known.signs.home == signs.home;
        // Where the file system does not tell directories apart, the place has to do.
        let is_blind = |known: &&Known| known.signs.born.is_none() || signs.born.is_none();
        known
            .iter()
            .find(|known| same(&known.signs.mark, &signs.mark) && !known.is_elsewhere(&signs))
            .or_else(|| known.iter().find(|known| is_here(known) && is_blind(known)))
            .ok_or(signs)
    }

    fn append(&self, known: &Known) -> io::Result<()> {
        if fs::metadata(&self.list).is_ok_and(|metadata| metadata.len() > LONG_LIST) {
            return self.write_anew(known);
        }
        append_private(&self.list, &known.line())
    }

    /// Writes the list without what no longer counts, and at most half as long. Who is left out goes by its path again; who is appended
    /// meanwhile and lost is appended again at its next session.
    fn write_anew(&self, more: &Known) -> io::Result<()> {
        let mut size = 0;
        let fits = |line: &String| {
            size += line.len() as u64;
            size <= LONG_LIST / 2
        };
        let lines = [more].into_iter().chain(self.known()).map(Known::line);
        let mut lines: Vec<String> = lines.take_while(fits).collect();
        lines.reverse();
        Draft::begin(&self.list)?.publish(lines.concat().as_bytes())
    }
}

impl Known {
    fn read(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let mut part = || parts.next().filter(|part| !part.is_empty());
        let (name, home, born, mark) = (part()?, part()?, part()?, part()?);
        let some = |text: &str| Some(text.to_owned()).filter(|text| text != UNKNOWN);
        let signs =
            Signs { home: home.to_owned(), born: some(born), mark: some(mark).filter(|word| is_mark(word)) };
        Some(Self { name: name.to_owned(), signs, became: part().map(str::to_owned) })
    }

    /// What it is called now.
    fn called(&self) -> &str {
        self.became.as_ref().unwrap_or(&self.name)
    }

    /// What a line is about: a name, and a sign of the directory that has it. A name may have several: a path can be the name of one that
    /// was moved away and of one that was made in its place before anybody noticed.
    fn about(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let Signs { home, born, mark } = &self.signs;
        let signs = [born.as_ref().or(Some(home)), mark.as_ref()];
        signs.into_iter().flatten().map(|sign| (self.name.clone(), sign.clone()))
    }

    fn line(&self) -> String {
        let Signs { home, born, mark } = &self.signs;
        let word = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.to_owned());
        let became = self.became.iter().map(|remote| format!("\t{remote}")).collect::<String>();
        format!("{}\t{home}\t{}\t{}{became}\n", self.name, word(born), word(mark))
    }

    /// Says whether the project is still where it was last seen, and that is not where these signs are.
    fn is_elsewhere(&self, signs: &Signs) -> bool {
        self.signs.home != signs.home && mark(Path::new(&self.signs.home)) == self.signs.mark
    }
}

impl Signs {
    fn of(home: &Path, born: Option<String>) -> Self {
        Self { home: path_identity(home), born, mark: mark(home) }
    }

    /// Says whether these signs, which are written down, are all that there is to know.
    fn hold_for(&self, now: &Self) -> bool {
        // Through a link a project has several homes, and none of them is new.
        let is_linked = || now.born.is_some() && born_at(Path::new(&self.home)) == now.born;
        self.born == now.born && self.mark == now.mark && (self.home == now.home || is_linked())
    }

    /// Makes a name for a project at a path that is the name of another one.
    fn set_apart(&self, path: &str) -> String {
        let sign = self.born.as_ref().or(self.mark.as_ref()).unwrap_or(&self.home);
        let digits: String =
            Hash::hash(sign.as_bytes())[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        match path.strip_suffix("/.git") {
            Some(root) => format!("{root}~{digits}/.git"),
            None => format!("{path}~{digits}"),
        }
    }
}

fn remote(project: &Project) -> Option<&str> {
    project.repo.as_ref()?.remote.as_deref()
}

/// Gives the directory by which a project is known; none if its path cannot stand in a line.
fn home(project: &Project) -> Option<&Path> {
    let home = match &project.repo {
        Some(repo) if repo.common_dir.ends_with(".git") => repo.common_dir.parent()?,
        _ => &project.root,
    };
    home.to_str().is_some_and(|path| path_identity(home) == path).then_some(home)
}

/// Gives the number of a directory and the time of its birth, where the file system knows both.
#[cfg(target_os = "linux")]
pub(crate) fn born_at(directory: &Path) -> Option<String> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    // Asked of the kernel: the standard library does not ask for births where it is linked with musl.
    let wanted = StatxFlags::INO | StatxFlags::BTIME;
    let found = statx(CWD, directory, AtFlags::empty(), wanted).ok()?;
    let is_known = StatxFlags::from_bits_retain(found.stx_mask).contains(wanted);
    let birth = found.stx_btime;
    // A directory that came with the system's image was born when time began, as many others were.
    (is_known && birth.tv_sec > 0)
        .then(|| format!("{:x}.{:x}.{:x}", found.stx_ino, birth.tv_sec, birth.tv_nsec))
}

/// Gives the number of a directory and the time of its birth, where the file system knows both.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn born_at(directory: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(directory).ok()?;
    let birth = metadata.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    (!birth.is_zero()).then(|| format!("{:x}.{:x}", metadata.ino(), birth.as_nanos()))
}

/// Gives nothing: the standard library does not tell the number of a directory here.
#[cfg(not(unix))]
pub(crate) fn born_at(_: &Path) -> Option<String> {
    None
}
