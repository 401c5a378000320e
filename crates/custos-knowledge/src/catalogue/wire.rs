//! Numbers, and texts behind their lengths: what a catalogue is made of.

use crate::version::Version;

/// Writes a catalogue.
#[derive(Debug, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn count(&mut self, count: usize) {
        // What does not fit is no count that is found again, so that the whole is none.
        self.0.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        texts.iter().for_each(|text| self.text(text));
    }

    pub(super) fn some_text(&mut self, text: Option<&str>) {
        self.byte(u8::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    pub(super) fn version(&mut self, version: &Version) {
        version.0.iter().for_each(|part| self.0.extend(part.to_le_bytes()));
    }

    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a catalogue; nothing that it says of lengths is believed.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn chunk<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(chunk)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.chunk::<1>().map(|[byte]| *byte)
    }

    /// Reads how many things follow; never more than there are bytes left.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = u32::from_le_bytes(*self.chunk()?) as usize;
        (count <= self.0.len()).then_some(count)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(self.bytes()?).ok()
    }

    pub(super) fn texts(&mut self) -> Option<Vec<String>> {
        (0..self.count()?).map(|_| self.text().map(str::to_owned)).collect()
    }

    /// Reads a text that may be missing.
    pub(super) fn some_text(&mut self) -> Option<Option<String>> {
        match self.byte()? {
            0 => Some(None),
            1 => Some(Some(self.text()?.to_owned())),
            _ => None,
        }
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(super) fn version(&mut self) -> Option<Version> {
        let mut parts = [0; Version::PARTS];
        for part in &mut parts {
            *part = u64::from_le_bytes(*self.chunk()?);
        }
        Some(Version(parts))
    }

    pub(super) fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}
