//! Passwords that a command takes by a one-letter option or by position: `mysql -pSECRET`, `htpasswd -b FILE USER SECRET`.
//!
//! `-p` means a port, a package or a parent elsewhere, so the walk stops at the command and reads its words forwards,
//! up to the sign that ends it. As in an address, the place says what it is: any word is a password.

use std::ops::Range;

use crate::charset::Set;
use crate::names;
use crate::options::PROSE;
use crate::placeholders;
use crate::quotes::Quote;
use crate::scan::Scan;

/// The commands, as the table of shapes has them.
pub(crate) const COMMANDS: &[&str] = &[
    "mysql",
    "mariadb",
    "sshpass ",
    "redis-cli ",
    "htpasswd ",
    "openssl ",
    "docker login ",
    "podman login ",
];

/// The most words of a command that are looked at.
const MOST_WORDS: usize = 24;

/// Reads the command that begins at `at` and returns where its password is.
pub(crate) fn password(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Option<Range<usize>> {
    let command = &scan.bytes[at..tail];
    let bytes = scan.bytes;
    let mut words = if command == b"mysql" || command == b"mariadb" {
        // `mysqldump` and its like: the name goes on.
        let name = scan.run(Set::Url, tail);
        Words::behind(scan, name)
    } else {
        Words::behind(scan, tail - 1)
    };
    let range = match command {
        b"mysql" | b"mariadb" => words.find_map(|word| word.glued(bytes, "-p")),
        // Behind the first word that is no option, `-p` is the port of the command that sshpass runs.
        b"sshpass " => {
            let mut options = words.by_ref().take_while(|word| word.is_option(bytes));
            let option = options.find(|word| word.is(bytes, "-p") || word.glued(bytes, "-p").is_some())?;
            option.glued(bytes, "-p").or_else(|| words.next().map(|word| word.value))
        }
        b"redis-cli " => {
            words.find(|word| word.is(bytes, "-a")).and_then(|_| words.next()).map(|word| word.value)
        }
        b"openssl " => {
            let option = words.find(|word| word.is(bytes, "-k") || word.is(bytes, "-K"));
            option.and_then(|_| words.next()).map(|word| word.value)
        }
        b"htpasswd " => words.batch(bytes),
        _ => {
            let option = words.find(|word| word.is(bytes, "-p") || word.glued(bytes, "-p").is_some())?;
            option.glued(bytes, "-p").or_else(|| words.next().map(|word| word.value))
        }
    }?;
    let value = &bytes[range.clone()];
    let blank = !value.iter().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
    let stays = blank || placeholders::stands_for_another(value) || placeholders::invites(value);
    // `docker run --name mysql -p3306:3306` publishes a port.
    let port = value.contains(&b':') && value.iter().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'));
    (!stays && !port && !value.starts_with(b"-") && !names::is_one_of(value, &PROSE)).then_some(range)
}

/// A word of a command.
struct Word {
    start: usize,
    /// The word without its quotes. Of `-p'SECRET'` this is the part between the quotes.
    value: Range<usize>,
}

impl Word {
    fn is_option(&self, bytes: &[u8]) -> bool {
        bytes[self.start..self.value.end].starts_with(b"-")
    }

    fn is(&self, bytes: &[u8], option: &str) -> bool {
        &bytes[self.start..self.value.end] == option.as_bytes()
    }

    /// Returns what is glued to an option.
    fn glued(&self, bytes: &[u8], option: &str) -> Option<Range<usize>> {
        let rest = (self.start + option.len()).max(self.value.start)..self.value.end;
        (bytes[self.start..self.value.end].starts_with(option.as_bytes()) && !rest.is_empty()).then_some(rest)
    }
}

/// The words of a command, up to the sign that ends it.
struct Words<'s, 't, 'f> {
    scan: &'s mut Scan<'t, 'f>,
    at: usize,
    left: usize,
}

impl<'s, 't, 'f> Words<'s, 't, 'f> {
    fn behind(scan: &'s mut Scan<'t, 'f>, at: usize) -> Self {
        Self { scan, at, left: MOST_WORDS }
    }

    /// Returns the password of `htpasswd -b FILE USER PASSWORD`; with `-n` there is no file. The words are counted, so that a
    /// command whose password was taken out is not taken for a shorter one.
    fn batch(&mut self, bytes: &[u8]) -> Option<Range<usize>> {
        let (mut batch, mut operands) = (false, 3_usize);
        while let Some(word) = self.next() {
            if word.is_option(bytes) {
                let has = |letter: u8| bytes[word.value.clone()].contains(&letter);
                batch |= has(b'b');
                operands = operands.checked_sub(usize::from(has(b'n')))?;
                if has(b'C') {
                    self.next();
                }
            } else if operands == 1 {
                return batch.then_some(word.value);
            } else {
                operands = operands.checked_sub(1)?;
            }
        }
        None
    }

    /// Reads the value between the quotes at `at`, and moves behind them.
    fn quoted(&mut self, quote: Quote, at: usize) -> Range<usize> {
        let value = quote.value(self.scan, at);
        self.at = value.end + (value.start - at);
        value
    }
}

impl Iterator for Words<'_, '_, '_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        self.left = self.left.checked_sub(1)?;
        let mut start = self.scan.skip_space(self.at, false);
        if self.scan.has(start, "\\\n") {
            start = self.scan.skip_space(start + 2, false);
        }
        if start == self.at || matches!(self.scan.byte(start)?, b'|' | b';' | b'&' | b'>' | b'<' | b'\n') {
            return None;
        }
        if let Some(quote) = Quote::at(self.scan, start) {
            let value = self.quoted(quote, start);
            return Some(Word { start: value.start, value });
        }
        let end = self.scan.run(Set::Line, start);
        let goes_on =
            self.scan.byte(end + 1).is_some_and(|b| b.is_ascii_alphanumeric() || b"$!@#%^&*_".contains(&b));
        if end == start + 2
            && goes_on
            && let Some(quote) = Quote::at(self.scan, end).filter(|quote| !quote.runs_a_command())
        {
            return Some(Word { start, value: self.quoted(quote, end) });
        }
        self.at = end;
        let ended = end > start + 1 && matches!(self.scan.byte(end - 1), Some(b';' | b')'));
        if ended {
            self.left = 0;
        }
        (end > start).then(|| Word { start, value: start..end - usize::from(ended) })
    }
}
