//! Numbers, and texts behind their lengths: what a catalogue is made of.

use crate::version::Version;

/// Writes a catalogue.
#[derive(Debug, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    pub(crate) fn count(&mut self, count: usize) {
        // What does not fit is no count that is found again, so that the whole is none.
        self.0.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }

    pub(crate) fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    /// Writes the number of a line.
    pub(crate) fn line(&mut self, line: usize) {
        self.number(u32::try_from(line).unwrap_or_default());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        for text in texts {
            self.text(text);
        }
    }

    pub(crate) fn some_text(&mut self, text: Option<&str>) {
        self.flag(text.is_some());
        if let Some(text) = text {
            self.text(text);
        }
    }

    /// Writes something behind its length.
    pub(crate) fn measured(&mut self, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(&inner.0);
    }

    pub(crate) fn words(&mut self, words: &[u64]) {
        for word in words {
            self.0.extend(word.to_le_bytes());
        }
    }

    pub(crate) fn version(&mut self, version: Version) {
        self.words(&version.0);
    }

    pub(crate) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a catalogue. Its checksum says that it was written here, so that nothing but a defect of ours could be missing; what is, is empty.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// How many bytes are still to be read.
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at_checked(count).unwrap_or_default();
        self.0 = rest;
        taken
    }

    fn fixed<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap_or([0; N])
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.fixed() == [1]
    }

    pub(crate) fn number(&mut self) -> u32 {
        u32::from_le_bytes(self.fixed())
    }

    /// Reads the number of a line.
    pub(crate) fn line(&mut self) -> usize {
        self.number() as usize
    }

    /// Reads how many things follow; never more than there are bytes left.
    pub(crate) fn count(&mut self) -> usize {
        let count = self.number() as usize;
        count.min(self.left())
    }

    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let length = self.count();
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> &'a str {
        str::from_utf8(self.bytes()).unwrap_or_default()
    }

    pub(crate) fn owned(&mut self) -> String {
        self.text().to_owned()
    }

    pub(crate) fn texts(&mut self) -> Vec<String> {
        (0..self.count()).map(|_| self.owned()).collect()
    }

    /// Reads a text that may be missing.
    pub(crate) fn some_text(&mut self) -> Option<String> {
        self.flag().then(|| self.owned())
    }

    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.fixed())
    }

    pub(crate) fn version(&mut self) -> Version {
        Version(std::array::from_fn(|_| self.word()))
    }
}
