//! The name of a writer: one machine's directory below the log.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::hash;

/// The name of the directory that one machine writes.
///
/// Lower-case ASCII letters, digits and single hyphens, 1 to 64 of them: safe as a file name on every system, whatever the host is
/// called, and without two spellings that a file system could take for one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriterId(String);

/// Reports a name that no writer can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the name of a writer: lower-case letters, digits and single hyphens, at most 64")]
pub struct NotAWriter(pub String);

/// Names that Windows keeps for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

impl WriterId {
    /// Names the writer of a machine: its host's name as far as it is usable, and a hash of all that identifies it.
    ///
    /// The same machine always gets the same name, so that a lost state directory does not orphan its log.
    pub fn of_machine(host: &str, identity: &[&[u8]]) -> Self {
        let mut slug = String::new();
        for c in host.chars().map(|c| c.to_ascii_lowercase()) {
            if c.is_ascii_lowercase() || c.is_ascii_digit() {
                slug.push(c);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
            if slug.len() == 24 {
                break;
            }
        }
        let slug = slug.trim_end_matches('-');
        // Each part with its length before it: two machines that share the text but not the parts differ.
        let parts: Vec<Vec<u8>> =
            identity.iter().map(|part| [&(part.len() as u64).to_le_bytes()[..], part].concat()).collect();
        let digest = hash::brief(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut tag = String::new();
        for byte in &digest[..5] {
            tag.push_str(&format!("{byte:02x}"));
        }
        Self(format!("{}-{tag}", if slug.is_empty() { "host" } else { slug }))
    }

    /// Gives the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WriterId {
    type Err = NotAWriter;

    fn from_str(text: &str) -> Result<Self, NotAWriter> {
        let plain = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let hyphens = !text.starts_with('-') && !text.ends_with('-') && !text.contains("--");
        let valid = plain && hyphens && (1..=64).contains(&text.len()) && !DEVICES.contains(&text);
        if valid { Ok(Self(text.to_owned())) } else { Err(NotAWriter(text.chars().take(80).collect())) }
    }
}

impl fmt::Display for WriterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The machine that writes. It is asked for its name only where no head has it: finding it out takes longer than an append.
#[derive(Clone)]
pub struct Machine(Arc<dyn Fn() -> WriterId + Send + Sync>);

impl Machine {
    /// Asks for the name when it is needed.
    pub fn asked(name: impl Fn() -> WriterId + Send + Sync + 'static) -> Self {
        Self(Arc::new(name))
    }

    pub(crate) fn name(&self) -> WriterId {
        (self.0)()
    }
}

impl From<WriterId> for Machine {
    fn from(writer: WriterId) -> Self {
        Self::asked(move || writer.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    fn refuses_names_that_could_leave_the_directory(
        #[values(
            "", ".", "..", "../x", "/etc", "a/b", "a\\b", "CON", "con", "nul", "é", "e\u{301}", "a b", "-a",
            "a--b", "a\0"
        )]
        name: &str,
    ) {
        assert_eq!(name.parse::<WriterId>(), Err(NotAWriter(name.into())));
    }

    #[test]
    fn refuses_300_bytes() {
        assert!("x".repeat(300).parse::<WriterId>().is_err());
    }

    #[test]
    fn a_machine_keeps_its_name_and_differs_from_others() {
        let a = WriterId::of_machine("Ada's MacBook.local", &[b"machine", b"/state"]);
        assert_eq!(a.as_str().rsplit_once('-').map(|(slug, _)| slug), Some("ada-s-macbook-local"));
        assert_eq!(a, WriterId::of_machine("Ada's MacBook.local", &[b"machine", b"/state"]));
        assert_ne!(a, WriterId::of_machine("Ada's MacBook.local", &[b"machin", b"e/state"]));
    }

    proptest! {
        #[test]
        fn any_host_gives_a_valid_name(host in any::<String>(), identity in any::<Vec<u8>>()) {
            let writer = WriterId::of_machine(&host, &[&identity]);
            prop_assert_eq!(writer.as_str().parse::<WriterId>(), Ok(writer.clone()));
        }
    }
}
