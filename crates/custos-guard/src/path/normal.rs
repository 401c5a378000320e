//! Where a word leads: absolute, without `.`, `..`, doubled slashes and the aliases under which systems show the same file twice.
//!
//! A part that nobody can know stays in the path as [`UNKNOWN`], and a path of which even the beginning is not known is kept as
//! *floating*: it can still be judged by its name.

use std::borrow::Cow;

use crate::case::Case;
use crate::invocation::UNKNOWN;
use crate::rules::Target;
use crate::world::World;

use super::glob;

/// Stands for the home directory where it is not known, or is that of another machine.
const SOME_HOME: &str = "/~";

/// The longest path that systems take.
const LONGEST: usize = 4096;

/// From where words are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The working directory, if it is known.
    pub(crate) cwd: Option<&'a str>,
    /// The home directory.
    pub(crate) home: &'a str,
    /// Whether upper and lower case are the same.
    pub(crate) folds: bool,
}

impl<'a> Frame<'a> {
    /// The frame of a call that runs here.
    pub(crate) fn of(world: &World<'a>, cwd: Option<&'a str>) -> Self {
        Self { cwd, home: world.home.unwrap_or(SOME_HOME), folds: world.files.folds_case(world.root) }
    }

    /// The frame of a call that runs on another machine or in a container.
    pub(crate) fn elsewhere(cwd: Option<&'a str>) -> Self {
        Self { cwd, home: SOME_HOME, folds: false }
    }
}

/// A place in the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four things that a path may be in any combination")]
pub(crate) struct Place {
    /// `/a/b`, the root being the empty text; without the first slash if it is floating.
    path: String,
    floating: bool,
    glob: bool,
    folds: bool,
    /// Whether it was written with a slash (or `/.`) at its end, so that a link there is followed.
    pub(crate) open: bool,
}

impl Place {
    /// Reads a word.
    pub(crate) fn of(word: &str, glob: bool, frame: &Frame<'_>) -> Self {
        let word = word.strip_prefix("file://").unwrap_or(word);
        // Nothing lies there; it is read as something that nobody knows.
        let word = if word.len() > LONGEST { "\u{FFFF}" } else { word };
        let mut place = Self {
            path: String::with_capacity(word.len() + frame.cwd.map_or(0, str::len) + 1),
            floating: false,
            glob: glob && glob::is_pattern(word) || glob::is_extended(word),
            folds: frame.folds,
            open: word.ends_with('/') || word.ends_with("/."),
        };
        let rest = if let Some(after) = word.strip_prefix('~') {
            let (name, rest) = after.split_once('/').unwrap_or((after, ""));
            if place.enter_tilde(name, frame) { rest } else { word }
        } else {
            if word.starts_with('/') {
            } else if word.starts_with(UNKNOWN) {
                place.floating = true;
            } else {
                place.enter(frame.cwd);
            }
            word
        };
        for component in rest.split('/') {
            place.push(component, frame);
        }
        place
    }

    /// A place by its absolute path.
    fn absolute(path: &str, folds: bool) -> Self {
        Self::of(path, false, &Frame { cwd: None, home: SOME_HOME, folds })
    }

    fn enter(&mut self, dir: Option<&str>) {
        match dir.filter(|dir| dir.starts_with('/')) {
            Some(dir) => self.path.push_str(dir.trim_end_matches('/')),
            None => self.floating = true,
        }
    }

    /// Enters what `~name` means; `false` if it is an ordinary name that begins with a tilde.
    fn enter_tilde(&mut self, name: &str, frame: &Frame<'_>) -> bool {
        match name {
            "" => self.enter(Some(frame.home)),
            "+" => self.enter(frame.cwd),
            "root" => self.path.push_str("/root"),
            _ if name == "-" || name.contains(UNKNOWN) || name.bytes().all(|b| b.is_ascii_digit()) => {
                self.floating = true;
            }
            _ if name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-') =>
            {
                let homes = frame.home.rsplit_once('/').map_or("/home", |(homes, _)| homes);
                self.path.push_str(if matches!(homes, "/home" | "/Users") { homes } else { "/home" });
                self.path.push('/');
                self.path.push_str(name);
            }
            _ => {
                self.enter(frame.cwd);
                return false;
            }
        }
        true
    }

    fn push(&mut self, component: &str, frame: &Frame<'_>) {
        match component {
            "" | "." => {}
            ".." => self.pop(),
            _ => {
                if !(self.floating && self.path.is_empty()) {
                    self.path.push('/');
                }
                self.path.push_str(component);
                if !self.floating {
                    self.leave_alias(component, frame);
                }
            }
        }
    }

    fn pop(&mut self) {
        match self.path.rfind('/') {
            _ if self.floating && (self.path.is_empty() || self.path.ends_with("..")) => {
                if !self.path.is_empty() {
                    self.path.push('/');
                }
                self.path.push_str("..");
            }
            Some(slash) => self.path.truncate(slash),
            None => self.path.clear(),
        }
    }

    /// Says whether it is `/proc/PROCESS/name`.
    fn is_of_process(&self, name: &str) -> bool {
        let mut inner = self.path.strip_prefix("/proc/").unwrap_or_default().split('/').skip(1);
        inner.next() == Some(name) && inner.next().is_none()
    }

    /// Replaces the other names that systems have for their root, the working directory and the like.
    fn leave_alias(&mut self, last: &str, frame: &Frame<'_>) {
        match last {
            "root" | "cwd" if self.is_of_process(last) => {
                self.path.clear();
                if last == "cwd" {
                    self.enter(frame.cwd);
                }
            }
            "Data" if self.path == "/System/Volumes/Data" => self.path.clear(),
            "etc" | "var" | "tmp"
                if self.path.len() == "/private/etc".len() && self.path.starts_with("/private/") =>
            {
                self.path.drain(.."/private".len());
            }
            "run" if self.path == "/var/run" => {
                self.path.clear();
                self.path.push_str("/run");
            }
            _ => {}
        }
    }

    /// What it really is, if links lead elsewhere. What is deleted is the link itself, unless it was written as a directory.
    pub(crate) fn real(&self, world: &World<'_>, itself: bool) -> Option<Self> {
        if self.floating || self.path.is_empty() || self.path.contains(UNKNOWN) {
            return None;
        }
        // Of a pattern, only the directories before it can be followed.
        let mut known = self.path.as_str();
        if self.glob {
            let pattern =
                known.split('/').take_while(|c| !glob::is_pattern(c)).map(|c| c.len() + 1).sum::<usize>();
            known = known.get(..pattern.saturating_sub(1))?;
        } else if itself && !self.open {
            known = known.rsplit_once('/')?.0;
        }
        if known.is_empty() {
            return None;
        }
        let mut real = world.files.real(known)?;
        if real == known {
            return None;
        }
        // A project or a home that itself lies behind a link is still the same project: only what leaves it is elsewhere.
        for base in [Some(world.root), world.home].into_iter().flatten() {
            if known.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                && let Some(real_base) = world.files.real(base)
                && let Some(rest) = real.strip_prefix(real_base.as_str())
                && (rest.is_empty() || rest.starts_with('/'))
            {
                real = format!("{base}{rest}");
                break;
            }
        }
        real.push_str(&self.path[known.len()..]);
        let mut place = Self::absolute(&real, self.folds);
        place.glob = self.glob;
        place.open = self.open;
        (place.path != self.path).then_some(place)
    }

    /// Says whether not even the beginning is known.
    pub(crate) fn is_floating(&self) -> bool {
        self.floating
    }

    /// The components, from the root or from what is not known.
    pub(crate) fn components(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.path.split('/').filter(|component| !component.is_empty())
    }

    /// Says whether a component is hidden, or may be: nearly everything that is protected by its name lies in a hidden directory, and
    /// nearly nothing else does, so that most paths need not be compared with those.
    pub(super) fn may_be_hidden(&self) -> bool {
        // macOS keeps in `Library` what others hide.
        let path = self.path.as_bytes();
        let hides = |pair: &[u8]| pair[0] == b'/' && matches!(pair[1], b'.' | b'L');
        self.glob || path.first() == Some(&b'.') || path.windows(2).any(hides)
    }

    /// The last component; empty for the root.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Notes in which directory it lies: the rules of another repo count there. What is `whole` is noted itself, with all that is in it, and so is
    /// what was written as a directory.
    pub(super) fn told(&self, whole: bool, case: &mut Case<'_>) {
        let directory = match self.path.rsplit_once('/') {
            _ if self.floating => "",
            Some((directory, _)) if !whole && !self.open => directory,
            _ => self.path.as_str(),
        };
        if !directory.is_empty() {
            case.leads_to(directory);
        }
    }

    /// The directory that it lies in.
    pub(crate) fn parent(&self) -> Self {
        let end = self.path.rfind('/').unwrap_or(0);
        Self { path: self.path[..end].to_owned(), open: true, ..*self }
    }

    /// Something in it.
    pub(crate) fn join(&self, name: &str) -> Self {
        let mut path = self.path.clone();
        if !(self.floating && path.is_empty()) {
            path.push('/');
        }
        path.push_str(name);
        Self { path, open: false, ..*self }
    }

    /// Says whether it is the root of everything.
    pub(crate) fn is_root(&self) -> bool {
        self.path.is_empty() && !self.floating
    }

    /// Says whether the last component is a pattern for all that lies in a directory.
    pub(crate) fn sweeps(&self) -> bool {
        self.glob && glob::sweeps(self.name())
    }

    /// The place of which something is done to everything: the directory of a pattern for all that lies in it, else the place itself.
    pub(crate) fn swept(&self) -> Cow<'_, Self> {
        if self.sweeps() { Cow::Owned(self.parent()) } else { Cow::Borrowed(self) }
    }

    /// Says whether any part of it is a pattern.
    pub(crate) fn is_pattern(&self) -> bool {
        self.glob
    }

    /// Says whether a component of this place means, or may mean, this name. Case does not matter.
    pub(crate) fn means(&self, component: &str, name: &str) -> bool {
        if self.glob && glob::is_pattern(component) {
            glob::could_mean(component, name)
        } else {
            component.eq_ignore_ascii_case(name)
        }
    }

    /// Says whether a component is this directory's name, in the case that the file system keeps.
    fn is_dir(&self, component: &str, name: &str) -> bool {
        component == name
            || self.folds && component.eq_ignore_ascii_case(name)
            || self.glob && glob::is_pattern(component) && glob::could_mean(component, name)
    }

    /// The rest of the path below a directory, empty for the directory itself; `None` if it lies elsewhere.
    pub(crate) fn after(&self, dir: &str) -> Option<&str> {
        if self.floating {
            return None;
        }
        if !self.glob && !self.folds {
            // Asked dozens of times for each path, and mostly answered by the first letter.
            if dir.len() > 1 && self.path.as_bytes().get(1) != dir.as_bytes().get(1) {
                return None;
            }
            let rest = self.path.strip_prefix(dir.trim_end_matches('/'))?;
            return if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') };
        }
        let mut rest = self.path.as_str();
        for wanted in dir.split('/').filter(|component| !component.is_empty()) {
            let inner = rest.strip_prefix('/')?;
            let end = inner.find('/').unwrap_or(inner.len());
            if !self.is_dir(&inner[..end], wanted) {
                return None;
            }
            rest = &inner[end..];
        }
        Some(rest.strip_prefix('/').unwrap_or(rest))
    }

    /// Says whether it lies strictly below a directory.
    pub(crate) fn is_below(&self, dir: &str) -> bool {
        self.after(dir).is_some_and(|rest| !rest.is_empty())
    }

    /// Says whether it is a directory or lies above it.
    pub(crate) fn holds(&self, dir: &str) -> bool {
        if self.floating {
            return false;
        }
        let mut dirs = dir.split('/').filter(|component| !component.is_empty());
        self.components().all(|component| dirs.next().is_some_and(|wanted| self.is_dir(component, wanted)))
    }

    /// Says whether its path ends like this; from the root of what is known at most.
    pub(crate) fn ends_with(&self, tail: &str) -> bool {
        let mut components = self.components().rev();
        tail.rsplit('/')
            .all(|wanted| components.next().is_some_and(|component| self.means(component, wanted)))
    }

    /// Says whether the directory that it lies in ends like this.
    pub(crate) fn lies_in(&self, tail: &str) -> bool {
        let mut components = self.components().rev().skip(1);
        tail.rsplit('/')
            .all(|wanted| components.next().is_some_and(|component| self.means(component, wanted)))
    }

    /// The rest of the path below the home directory, or below anybody's.
    pub(crate) fn after_home(&self, world: &World<'_>) -> Option<&str> {
        if let Some(rest) = self.after(world.home.unwrap_or(SOME_HOME)).or_else(|| self.after(SOME_HOME)) {
            return Some(rest);
        }
        if let Some(rest) = self.after("/root") {
            return Some(rest);
        }
        let rest = self.after("/home").or_else(|| self.after("/Users")).filter(|rest| !rest.is_empty())?;
        Some(rest.split_once('/').map_or("", |(_, rest)| rest))
    }

    /// The path, for people and for the person's own patterns. Of a floating one it is what is known of its end.
    pub(crate) fn shown(&self) -> String {
        if self.is_root() { "/".to_owned() } else { self.path.replace(UNKNOWN, "…") }
    }

    /// Says whether all of it is known, from the root on.
    pub(super) fn is_sure(&self) -> bool {
        !self.floating && !self.path.contains(UNKNOWN)
    }

    /// How the person's own patterns look at it, given what [`Self::shown`] says.
    pub(super) fn target<'p>(&self, path: &'p str) -> Target<'p> {
        Target { path, is_glob: self.glob, folds_case: self.folds }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const FRAME: Frame<'static> = Frame { cwd: Some("/home/user/project"), home: "/home/user", folds: false };

    #[rstest]
    #[case("a", "/home/user/project/a")]
    #[case("./a//b/../c/", "/home/user/project/a/c")]
    #[case("../../..", "/")]
    #[case("../../../..", "/")]
    #[case("/etc/../etc//passwd", "/etc/passwd")]
    #[case("~", "/home/user")]
    #[case("~/.ssh/", "/home/user/.ssh")]
    #[case("~user/x", "/home/user/x")]
    #[case("~bob/x", "/home/bob/x")]
    #[case("~root", "/root")]
    #[case("~+/x", "/home/user/project/x")]
    #[case("~-/x", "x")]
    #[case("~$lock.docx", "/home/user/project/~$lock.docx")]
    #[case("/proc/self/root/etc/shadow", "/etc/shadow")]
    #[case("/proc/1/root/../etc/shadow", "/etc/shadow")]
    #[case("/proc/self/cwd/.env", "/home/user/project/.env")]
    #[case("/proc/self/environ", "/proc/self/environ")]
    #[case("/private/etc/passwd", "/etc/passwd")]
    #[case("/private/tmp/x", "/tmp/x")]
    #[case("/var/run/docker.sock", "/run/docker.sock")]
    #[case("/System/Volumes/Data/Users/x", "/Users/x")]
    #[case("file:///etc/passwd", "/etc/passwd")]
    #[case("\u{FFFF}/x", "…/x")]
    #[case("/tmp/\u{FFFF}/../x", "/tmp/x")]
    fn words_lead_to_places(#[case] word: &str, #[case] place: &str) {
        assert_eq!(Place::of(word, false, &FRAME).shown(), place);
    }

    #[rstest]
    #[case("x", "x")]
    #[case("../x", "../x")]
    #[case("../../x/..", "../..")]
    #[case(".", "")]
    #[case("/x", "/x")]
    fn without_a_known_directory(#[case] word: &str, #[case] place: &str) {
        let frame = Frame { cwd: None, ..FRAME };
        assert_eq!(Place::of(word, false, &frame).shown(), place);
    }

    #[test]
    fn directories_and_what_is_below_them() {
        let place = Place::of("/h*/user/.SSH/id_rsa", true, &FRAME);
        assert_eq!(place.after("/home/user"), Some(".SSH/id_rsa"));
        assert_eq!(place.after("/home/bob"), None);
        assert!(place.ends_with(".ssh/id_rsa"));
        assert!(Place::of("/home", false, &FRAME).holds("/home/user"));
        assert!(Place::of("/", false, &FRAME).holds("/home/user"));
        assert!(!Place::of("/home/user/x", false, &FRAME).holds("/home/user"));
        assert!(!Place::of("/home/users", false, &FRAME).is_below("/home/user"));
    }
}
