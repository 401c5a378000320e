//! Which conversation belongs to which coding session, kept on disk.
//!
//! The file is written whole, beside itself and then renamed, readable for its owner only. What cannot be read or written is of little
//! matter: a conversation begins anew then, and nothing but its history is lost.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Sessions that are kept; the oldest make room.
const MOST: usize = 100;

/// A conversation that can be taken up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Conversation {
    session: String,
    /// The id under which Claude Code knows it.
    pub(super) id: String,
    /// How long its history is.
    #[serde(default)]
    pub(super) tokens: u64,
}

/// All conversations, the one that was asked last at the end.
#[derive(Debug)]
pub(super) struct Conversations {
    file: PathBuf,
    all: Vec<Conversation>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    conversations: Vec<Conversation>,
}

impl Conversations {
    /// Reads what is stored.
    pub(super) fn load(file: PathBuf) -> Self {
        let stored = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Stored>(&bytes).ok());
        let mut all = stored.map(|stored| stored.conversations).unwrap_or_default();
        all.retain(|conversation| is_id(&conversation.id));
        Self { file, all }
    }

    /// Gives the conversation of a session.
    pub(super) fn get(&self, session: &str) -> Option<&Conversation> {
        self.all.iter().find(|conversation| conversation.session == session)
    }

    /// Remembers the id of a session's conversation; Claude Code may give another one each time.
    pub(super) fn begin(&mut self, session: &str, id: &str) {
        if !is_id(id) || self.get(session).is_some_and(|known| known.id == id) {
            return;
        }
        let tokens = self.get(session).map_or(0, |known| known.tokens);
        self.all.retain(|known| known.session != session);
        self.all.push(Conversation { session: session.to_owned(), id: id.to_owned(), tokens });
        let excess = self.all.len().saturating_sub(MOST);
        self.all.drain(..excess);
        self.store();
    }

    /// Remembers how long the history of a session's conversation is by now.
    pub(super) fn grown(&mut self, session: &str, tokens: u64) {
        if let Some(at) = self.all.iter().position(|known| known.session == session) {
            let conversation = self.all.remove(at);
            self.all.push(Conversation { tokens, ..conversation });
            self.store();
        }
    }

    /// Gives a session's conversation up.
    pub(super) fn forget(&mut self, session: &str) {
        let before = self.all.len();
        self.all.retain(|known| known.session != session);
        if self.all.len() < before {
            self.store();
        }
    }

    fn store(&self) {
        let Some(directory) = self.file.parent() else { return };
        let stored = Stored { conversations: self.all.clone() };
        let Ok(json) = serde_json::to_vec(&stored) else { return };
        // A temporary file is its owner's alone, and stays so under its new name.
        if let Ok(mut file) = tempfile::NamedTempFile::new_in(directory)
            && file.write_all(&json).is_ok()
        {
            let _ = file.persist(&self.file);
        }
    }
}

/// Says whether a text can be an id: it becomes an argument of a process.
fn is_id(id: &str) -> bool {
    id.len() == 36 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') && !id.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "00000000-0000-4000-8000-000000000001";
    const TWO: &str = "00000000-0000-4000-8000-000000000002";

    #[test]
    fn conversations_outlive_the_process_and_are_the_owners_alone() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("conversations.json");
        let mut conversations = Conversations::load(file.clone());
        conversations.begin("a", ONE);
        conversations.grown("a", 700);
        conversations.begin("b", ONE);
        conversations.begin("a", TWO);
        conversations.forget("b");
        let again = Conversations::load(file.clone());
        assert_eq!(again.all, [Conversation { session: "a".into(), id: TWO.into(), tokens: 700 }]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn what_is_no_id_is_not_used() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("conversations.json");
        let mut conversations = Conversations::load(file.clone());
        conversations.begin("a", "--dangerously-skip-permissions-------");
        assert_eq!(conversations.get("a"), None);
        let stored = r#"{"conversations":[{"session":"a","id":"--dangerously-skip-permissions"}]}"#;
        #[expect(clippy::disallowed_methods, reason = "a test sets the scene")]
        fs::write(&file, stored).unwrap();
        assert_eq!(Conversations::load(file).get("a"), None);
    }

    #[test]
    fn the_oldest_make_room() {
        let home = tempfile::tempdir().unwrap();
        let mut conversations = Conversations::load(home.path().join("conversations.json"));
        for session in 0..=MOST {
            conversations.begin(&session.to_string(), ONE);
        }
        assert_eq!((conversations.get("0"), conversations.all.len()), (None, MOST));
    }
}
