//! Files, read within the limits of a scan.

use std::path::Path;

use custos_config::source::{Links, ReadError, read_small};

use super::findings::Cut;
use super::walk::Limits;

/// Bytes that are looked at to tell text from other things.
const SAMPLE: usize = 8192;

/// Why there is no text.
pub(super) enum Refusal {
    /// The scan may read no more.
    Spent,
    /// This file cannot be read as text.
    File(String),
}

/// Reads files and keeps the account.
pub(super) struct Reader<'a> {
    root: &'a Path,
    limits: &'a Limits<'a>,
    left: u64,
    /// What ended the reading.
    pub(super) cut: Option<Cut>,
}

impl<'a> Reader<'a> {
    /// Begins with nothing read.
    pub(super) fn new(root: &'a Path, limits: &'a Limits<'a>) -> Self {
        Self { root, limits, left: limits.total_bytes, cut: None }
    }

    /// Reads a file of the tree as text. Bytes that are not UTF-8 become replacement characters: a name in an old encoding does not
    /// make the rest of a manifest unreadable.
    pub(super) fn text(&mut self, path: &str) -> Result<String, Refusal> {
        if self.cut.is_some() {
            return Err(Refusal::Spent);
        }
        if (self.limits.expired)() {
            self.cut = Some(Cut::Time);
            return Err(Refusal::Spent);
        }
        let most = self.limits.file_bytes.min(self.left);
        let bytes = match read_small(&self.root.join(path), most, Links::Refuse) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err(Refusal::File("it is gone".to_owned())),
            Err(ReadError::TooLarge { .. }) if most < self.limits.file_bytes => {
                self.cut = Some(Cut::Bytes);
                return Err(Refusal::Spent);
            }
            Err(ReadError::TooLarge { limit }) => {
                return Err(Refusal::File(format!("it is larger than {limit} bytes")));
            }
            Err(ReadError::Link) => return Err(Refusal::File("it is a link".to_owned())),
            Err(ReadError::NotAFile { what }) => return Err(Refusal::File(format!("it is {what}"))),
            Err(_) => return Err(Refusal::File("it cannot be read".to_owned())),
        };
        self.left -= bytes.len() as u64;
        if bytes[..bytes.len().min(SAMPLE)].contains(&0) {
            return Err(Refusal::File("it is not text".to_owned()));
        }
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        })
    }
}
