//! Names for events and agents.
//!
//! An event's id is a UUIDv7: unique without asking anybody, and roughly in order of time. An agent's id is a pseudonym: a keyed
//! hash of the client's own session id. The same session always gives the same pseudonym on the same machine, so agents can be told
//! apart in shared data, but without the key nobody can get from the pseudonym back to the client's identifier. The key and the
//! mapping never leave the machine.

use std::fmt;
use std::str::FromStr;

use hmac_sha256::HMAC;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// The id of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(uuid::Uuid);

/// Reports a text that is no event id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an event id like 0193f0a1-7c00-7000-8000-000000000000")]
pub struct NotAnEventId(pub String);

impl EventId {
    /// Makes an id from an instant and ten random bytes.
    pub fn new(at: Timestamp, random: [u8; 10]) -> Self {
        let millis = u64::try_from(at.as_millis()).unwrap_or(0);
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// Gives this id if it comes after another in their order, else the one right after that: two ids of one millisecond are in no order of
    /// their own.
    #[must_use]
    pub fn after(self, other: Self) -> Self {
        // The lowest sixty-two bits are random, so the version and the instant stay what they are.
        let next = || Self(uuid::Uuid::from_u128(other.0.as_u128().saturating_add(1)));
        if self > other { self } else { next() }
    }

    /// Gives the sixteen bytes of the id.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Gives the last group of its digits, by which lists name it: it tells an id from others of the same minute.
    pub fn end(&self) -> String {
        self.0.as_bytes()[10..].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Makes an id from its sixteen bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid::Uuid::from_bytes(bytes))
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.hyphenated(), f)
    }
}

impl FromStr for EventId {
    type Err = NotAnEventId;

    fn from_str(text: &str) -> Result<Self, NotAnEventId> {
        uuid::Uuid::try_parse(text).map(Self).map_err(|_| NotAnEventId(text.to_owned()))
    }
}

/// The secret from which a machine makes its agents' pseudonyms.
#[derive(Clone, PartialEq, Eq)]
pub struct AgentKey([u8; 32]);

impl AgentKey {
    /// Takes thirty-two random bytes as the key.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for AgentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentKey(…)")
    }
}

/// The pseudonym of one agent: `ag-` and 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    const PREFIX: &'static str = "ag-";

    /// Makes the pseudonym of the agent that a client knows by `client_id`.
    pub fn pseudonym(key: &AgentKey, client: &str, client_id: &str) -> Self {
        let mut mac = HMAC::new(key.0);
        mac.update(client);
        mac.update([0]);
        mac.update(client_id);
        let digest = mac.finalize();
        let mut text = String::with_capacity(35);
        text.push_str(Self::PREFIX);
        for byte in &digest[..16] {
            text.push(char::from(HEX[usize::from(byte >> 4)]));
            text.push(char::from(HEX[usize::from(byte & 15)]));
        }
        Self(text)
    }

    /// Recognises a text that already is a pseudonym.
    pub fn recognise(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let valid =
            digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        valid.then(|| Self(text.to_owned()))
    }

    /// Gives the pseudonym as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Read as written: a log from elsewhere may name its agents in another way, and that must not hide its events.
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_id_is_a_version_7_uuid_of_its_instant() {
        let at: Timestamp = "2026-11-15T20:55:09.123Z".parse().unwrap();
        let id = EventId::new(at, [0xff; 10]);
        assert_eq!(id.to_string(), "01a1e0fe-1043-7fff-bfff-ffffffffffff");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(EventId::new(at, [0, 0, 0, 0, 9, 0xa, 0xb, 0xc, 0xd, 0xe]).end(), "090a0b0c0d0e");
        assert_eq!("nonsense".parse::<EventId>(), Err(NotAnEventId("nonsense".into())));
    }

    #[test]
    fn an_id_comes_after_another_of_its_millisecond() {
        let at: Timestamp = "2026-11-15T20:55:09.123Z".parse().unwrap();
        let (low, high) = (EventId::new(at, [1; 10]), EventId::new(at, [2; 10]));
        assert_eq!(
            (high.after(low), low.after(high).to_string()),
            (high, "01a1e0fe-1043-7202-8202-020202020203".to_owned())
        );
    }

    #[test]
    fn a_pseudonym_is_stable_and_depends_on_key_client_and_session() {
        let key = AgentKey::new([7; 32]);
        let id = AgentId::pseudonym(&key, "codex", "session-1");
        assert_eq!(AgentId::recognise(id.as_str()), Some(id.clone()));
        assert_eq!(id, AgentId::pseudonym(&key, "codex", "session-1"));
        let others = [
            AgentId::pseudonym(&AgentKey::new([8; 32]), "codex", "session-1"),
            AgentId::pseudonym(&key, "gemini", "session-1"),
            AgentId::pseudonym(&key, "codex", "session-2"),
            AgentId::pseudonym(&key, "codexs", "ession-1"),
        ];
        assert!(!others.contains(&id));
        assert!(!id.as_str().contains("session"));
    }

    #[test]
    fn only_the_exact_form_is_taken_for_a_pseudonym() {
        for text in [
            "",
            "ag-",
            "ag-0123",
            "ag-0123456789ABCDEF0123456789ABCDEF",
            "xx-0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(AgentId::recognise(text), None, "{text}");
        }
    }
}
