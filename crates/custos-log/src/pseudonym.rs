//! The local key and the map behind agents' pseudonyms.
//!
//! A client's own id of an agent never enters the log: it could be joined with the client's own files elsewhere. What enters is a keyed hash of
//! it. Key and map stay in the state directory of this machine: whoever sits here can find out which session of which client a
//! pseudonym stands for, and nobody else can.

use std::io;
use std::path::Path;

use custos_model::{AgentId, AgentKey};

use crate::append::Entropy;
use crate::disk::{Access, Disk};
use crate::error::LogError;

/// The pseudonyms that this machine gives.
pub struct Pseudonyms<'a> {
    disk: &'a dyn Disk,
    state: &'a Path,
    key: AgentKey,
}

impl<'a> Pseudonyms<'a> {
    /// Loads the machine's key, or makes one where there is none yet.
    pub fn load(disk: &'a dyn Disk, state: &'a Path, entropy: &Entropy) -> Result<Self, LogError> {
        let path = state.join("agent.key");
        let key = match read_key(disk, &path) {
            Err(LogError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                make_key(disk, state, &path, entropy)?
            }
            read => read?,
        };
        Ok(Self { disk, state, key: AgentKey::new(key) })
    }

    /// Gives the pseudonym of an agent, and keeps the client's own id in the local map.
    pub fn of(&self, client: &str, client_id: &str) -> Result<AgentId, LogError> {
        let id = AgentId::pseudonym(&self.key, client, client_id);
        let dir = self.state.join("agents");
        let path = dir.join(id.as_str());
        let mut opened = self.disk.open(&path, Access::ReadWrite);
        if opened.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            self.disk.create_dirs(&dir).map_err(LogError::io("create", &dir))?;
            opened = self.disk.open(&path, Access::ReadWrite);
        }
        let handle = opened.map_err(LogError::io("open", &path))?;
        // A secret that somebody took for an id must not be found in this file either.
        let entry = format!("{}\n{}\n", custos_redact::redact(client), custos_redact::redact(client_id));
        // Compared, because whoever made the file may have died before writing all of it. One byte more, to see what is too long.
        let mut kept = vec![0; entry.len() + 1];
        let len = handle.read_full_at(&mut kept, 0).map_err(LogError::io("read", &path))?;
        if kept[..len] != *entry.as_bytes() {
            let written = handle.write_all_at(entry.as_bytes(), 0);
            written
                .and_then(|()| handle.truncate(entry.len() as u64))
                .map_err(LogError::io("write", &path))?;
        }
        Ok(id)
    }

    /// Gives the pseudonym of an agent without keeping anything, for looking things up.
    pub fn peek(&self, client: &str, client_id: &str) -> AgentId {
        AgentId::pseudonym(&self.key, client, client_id)
    }
}

/// Looks up which client and which id of that client a pseudonym stands for.
pub fn resolve(disk: &dyn Disk, state: &Path, id: &AgentId) -> Option<(String, String)> {
    // A pseudonym from elsewhere may be any text; only the exact form is ever a file name.
    let id = AgentId::recognise(id.as_str())?;
    read_entry(disk, &state.join("agents").join(id.as_str()))
}

fn read_entry(disk: &dyn Disk, path: &Path) -> Option<(String, String)> {
    let handle = disk.open(path, Access::Read).ok()?;
    // Far more than any client's id has, and less than somebody could fill the memory with.
    let mut bytes = vec![0; usize::try_from(handle.len().ok()?.min(1 << 20)).ok()?];
    let len = handle.read_full_at(&mut bytes, 0).ok()?;
    let text = String::from_utf8_lossy(&bytes[..len]).into_owned();
    let (client, rest) = text.split_once('\n')?;
    Some((client.to_owned(), rest.trim_end_matches('\n').to_owned()))
}

/// Removes every entry of the map that tells something, by the client and its id; the pseudonyms themselves stay what they are.
pub(crate) fn forget(
    disk: &dyn Disk,
    state: &Path,
    is_telling: impl Fn(&str, &str) -> bool,
) -> Result<(), LogError> {
    let dir = state.join("agents");
    for name in disk.list(&dir).map_err(LogError::io("list", &dir))? {
        let path = dir.join(name);
        if read_entry(disk, &path).is_some_and(|(client, client_id)| is_telling(&client, &client_id)) {
            disk.remove(&path).map_err(LogError::io("remove", &path))?;
        }
    }
    Ok(())
}

fn read_key(disk: &dyn Disk, path: &Path) -> Result<[u8; 32], LogError> {
    let handle = disk.open(path, Access::Read).map_err(LogError::io("open", path))?;
    let mut key = [0; 32];
    let len = handle.read_full_at(&mut key, 0).map_err(LogError::io("read", path))?;
    if len < key.len() {
        let short = io::Error::new(
            io::ErrorKind::InvalidData,
            "it holds less than 32 bytes; remove it, and agents get new pseudonyms",
        );
        return Err(LogError::io("use", path)(short));
    }
    Ok(key)
}

/// Makes a key whole or not at all: written under another name, then given its own unless somebody was faster.
fn make_key(disk: &dyn Disk, state: &Path, path: &Path, entropy: &Entropy) -> Result<[u8; 32], LogError> {
    let mut random = [0; 40];
    entropy.fill(&mut random)?;
    let (key, tag) = random.split_at(32);
    disk.create_dirs(state).map_err(LogError::io("create", state))?;
    let mut name = Vec::new();
    crate::frame::push_hex(&mut name, tag);
    let draft = state.join(format!("agent.key.{}", String::from_utf8_lossy(&name)));
    let handle = disk.open(&draft, Access::Create).map_err(LogError::io("create", &draft))?;
    let written = handle.write_all_at(key, 0).and_then(|()| handle.sync());
    let linked = written.and_then(|()| disk.hard_link(&draft, path));
    // Whether or not it became the key, it is of no use under this name.
    let _ = disk.remove(&draft);
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(LogError::io("create", path)(error))
        }
        _ => read_key(disk, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::OsDisk;

    #[test]
    fn the_key_stays_and_the_map_leads_back() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let entropy = Entropy::system();
        let first = Pseudonyms::load(&OsDisk, &state, &entropy).unwrap().of("codex", "their-id").unwrap();
        let again = Pseudonyms::load(&OsDisk, &state, &entropy).unwrap();
        assert_eq!(again.of("codex", "their-id").unwrap(), first);
        assert_eq!(again.peek("codex", "their-id"), first);
        assert_eq!(resolve(&OsDisk, &state, &first), Some(("codex".to_owned(), "their-id".to_owned())));
        let names: Vec<_> = OsDisk.list(&state).unwrap();
        assert_eq!(names, ["agent.key", "agents"], "no draft of the key is left behind");
    }

    #[test]
    fn an_entry_that_becomes_shorter_leaves_nothing_of_the_longer_one() {
        let dir = tempfile::tempdir().unwrap();
        let pseudonyms = Pseudonyms::load(&OsDisk, dir.path(), &Entropy::system()).unwrap();
        let id = pseudonyms.of("codex", "their-id").unwrap();
        let path = dir.path().join("agents").join(id.as_str());
        for before in ["codex\nsomething much longer\n", "codex\ntheir-id\nand more\n", "cod"] {
            let handle = OsDisk.open(&path, Access::Edit).unwrap();
            handle.truncate(0).unwrap();
            handle.write_all_at(before.as_bytes(), 0).unwrap();
            pseudonyms.of("codex", "their-id").unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "codex\ntheir-id\n");
        }
    }

    #[test]
    fn a_cut_key_is_an_error_and_not_a_new_identity() {
        let dir = tempfile::tempdir().unwrap();
        OsDisk
            .open(&dir.path().join("agent.key"), Access::Create)
            .unwrap()
            .write_all_at(b"short", 0)
            .unwrap();
        let error = Pseudonyms::load(&OsDisk, dir.path(), &Entropy::system()).err().unwrap();
        assert!(
            error
                .to_string()
                .ends_with("it holds less than 32 bytes; remove it, and agents get new pseudonyms")
        );
    }
}
