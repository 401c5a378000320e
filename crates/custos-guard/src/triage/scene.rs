//! Where a command would run, and what it may look at there.

use crate::world::World;

use super::private;
use super::proof::{Doubt, Proof};

/// The state of a proof.
pub(super) struct Scene<'a> {
    pub(super) world: &'a World<'a>,
    /// Whether the project is trusted to name programs.
    pub(super) trusted: bool,
    is_free: &'a dyn Fn(&str) -> bool,
    /// Where `cd` may have led. It may also have failed, so none of them takes the place of another.
    elsewhere: Vec<String>,
    /// Whether the command that is looked at reads what another one prints.
    pub(super) piped: bool,
    pub(super) proof: Proof,
}

impl<'a> Scene<'a> {
    pub(super) fn new(world: &'a World<'a>, trusted: bool, is_free: &'a dyn Fn(&str) -> bool) -> Self {
        Self { world, trusted, is_free, elsewhere: Vec::new(), piped: false, proof: Proof::default() }
    }

    /// Proves that a path, or every match of a pattern, may be read, and notes it.
    pub(super) fn path(&mut self, path: &str) -> Result<(), Doubt> {
        self.check(path)?;
        self.note(path);
        Ok(())
    }

    /// Proves that the name, the size and the like of a path, or of every match of a pattern, may be shown, and notes it.
    pub(super) fn name(&mut self, path: &str) -> Result<(), Doubt> {
        self.check_name(path)?;
        self.note(path);
        Ok(())
    }

    fn note(&mut self, path: &str) {
        if !self.proof.paths.iter().any(|known| known == path) {
            self.proof.paths.push(path.to_owned());
        }
    }

    /// Proves that a path, or every match of a pattern, may be read.
    pub(super) fn check(&self, path: &str) -> Result<(), Doubt> {
        self.check_name(path)?;
        let kept = || self.everywhere(path).any(|path| private::is_kept_so(&path, self.world));
        if private::is_named_so(path, self.world) || kept() {
            return Err(Doubt::new(format!("`{path}` has the name of a secret")));
        }
        Ok(())
    }

    /// Proves that a path, or every match of a pattern, may be looked at.
    fn check_name(&self, path: &str) -> Result<(), Doubt> {
        if path.is_empty() || path == "-" {
            return Ok(());
        }
        for absolute in self.everywhere(path) {
            let harmless = matches!(&*absolute, "/dev" | "/dev/null" | "/dev/stdin");
            if within(&absolute, "/dev") && !harmless {
                return Err(Doubt::new(format!("`{path}` is a device")));
            }
            if within(&absolute, "/proc") {
                return Err(Doubt::new(format!("`{path}` shows what other programs hold")));
            }
        }
        if !(self.is_free)(path) {
            return Err(secret(path));
        }
        if !self.elsewhere.is_empty() && !path.starts_with('/') {
            // From a directory behind a link, `..` leads to where the link's target is.
            if climbs(path) {
                return Err(Doubt::new(format!("`{path}` depends on where `cd` leads")));
            }
            if let Some(secret_there) =
                self.elsewhere.iter().map(|dir| joined(dir, path)).find(|path| !(self.is_free)(path))
            {
                return Err(secret(&secret_there));
            }
        }
        Ok(())
    }

    /// Follows `cd`.
    pub(super) fn enter(&mut self, dir: &str) -> Result<(), Doubt> {
        if dir.is_empty() || dir == "-" || climbs(dir) {
            return Err(Doubt::new(format!("`cd {dir}` leads to where the text does not say")));
        }
        self.path(dir)?;
        let mut led = vec![self.absolute(dir)];
        if !dir.starts_with('/') {
            led.extend(self.elsewhere.iter().map(|from| joined(from, dir)));
        }
        for dir in led {
            if !self.elsewhere.contains(&dir) {
                self.elsewhere.push(dir);
            }
        }
        // Each one doubles what the next path is checked against.
        if self.elsewhere.len() > 8 {
            return Err(Doubt::known("it changes the directory too often"));
        }
        Ok(())
    }

    /// Proves that a path lies within the project, wherever `cd` led.
    pub(super) fn inside(&self, path: &str) -> bool {
        let root = self.world.root;
        !climbs(path)
            && within(&self.absolute(path), root)
            && (path.starts_with('/') || self.elsewhere.iter().all(|dir| within(&joined(dir, path), root)))
    }

    /// Proves that git finds the trusted repo, and no other: a directory can be a bare repo with settings of its own, so only the
    /// working directory itself and the repo's root will do.
    pub(super) fn at_home(&self, dir: Option<&str>) -> Result<(), Doubt> {
        let World { cwd, root, files, .. } = *self.world;
        let repo = files.repo(cwd);
        // The project is trusted; a clone somewhere below it is not, nor is what only looks like a directory of it.
        if repo != files.repo(root) || !within(cwd, root) || self.is_bare_on_the_way() {
            return Err(Doubt::known(
                "the working directory may be in another repository than the project's",
            ));
        }
        let known = |dir: &str| dir == cwd || dir == root || repo.as_deref() == Some(dir);
        let fits = match dir {
            Some(dir) if dir.starts_with('/') => !climbs(dir) && known(&self.absolute(dir)),
            Some(dir) => {
                !climbs(dir)
                    && known(&self.absolute(dir))
                    && self.elsewhere.iter().all(|from| known(&joined(from, dir)))
            }
            None => self.elsewhere.iter().all(|dir| known(dir)),
        };
        if fits {
            Ok(())
        } else {
            Err(Doubt::known("git would work in a directory that may be another repository"))
        }
    }

    /// Says whether a directory between the working directory and the root could be a bare repo: git would take it before it comes to
    /// the project's own.
    fn is_bare_on_the_way(&self) -> bool {
        let World { cwd, root, files, .. } = *self.world;
        let mut dir = cwd;
        while dir != root {
            if files.text(&format!("{dir}/HEAD")).is_some() {
                return true;
            }
            let Some((above, _)) = dir.rsplit_once('/') else { break };
            dir = above;
        }
        false
    }

    /// Where a path leads, from the working directory and from wherever `cd` may have led, as if there were no links.
    fn everywhere(&self, path: &str) -> impl Iterator<Item = String> {
        std::iter::once(self.world.cwd)
            .chain(self.elsewhere.iter().map(String::as_str))
            .map(move |dir| straight(&joined(dir, path)))
    }

    /// The path from the working directory, without `.` and doubled slashes.
    fn absolute(&self, path: &str) -> String {
        joined(self.world.cwd, path)
    }
}

fn secret(path: &str) -> Doubt {
    Doubt::new(format!("`{path}` is protected, or may be"))
}

/// Says whether a path is a directory or lies below it.
fn within(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Says whether a path goes up.
fn climbs(path: &str) -> bool {
    path.split('/').any(|component| component == "..")
}

/// An absolute path without `..`.
fn straight(path: &str) -> String {
    let mut straight = String::with_capacity(path.len());
    for component in path.split('/').filter(|component| !component.is_empty()) {
        if component == ".." {
            straight.truncate(straight.rfind('/').unwrap_or_default());
        } else {
            straight.push('/');
            straight.push_str(component);
        }
    }
    straight
}

/// A path as seen from a directory, without `.` and doubled slashes.
fn joined(dir: &str, path: &str) -> String {
    let mut joined = String::with_capacity(dir.len() + path.len() + 1);
    let base = if path.starts_with('/') { "" } else { dir };
    for component in
        base.split('/').chain(path.split('/')).filter(|component| !matches!(*component, "" | "."))
    {
        joined.push('/');
        joined.push_str(component);
    }
    if joined.is_empty() {
        joined.push('/');
    }
    joined
}
