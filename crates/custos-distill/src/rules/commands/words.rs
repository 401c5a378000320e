//! A command line cut into simple commands.
//!
//! Quotes, substitutions, redirections and here-documents are what makes a plain split go astray, so these are known; what a variable
//! stands for is not asked. One walk from left to right: each byte is looked at once, whatever the nesting.

/// How a simple command hangs on the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// It comes afterwards, whatever became of the other.
    Then,
    /// It comes afterwards if the other went well.
    And,
    /// It comes afterwards if the other failed.
    Or,
    /// It reads what the other writes.
    Pipe,
}

/// A word, as it stands there and as the shell hands it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'l> {
    pub(super) raw: &'l str,
    pub(super) text: String,
}

/// One command with its words; assignments, keywords and wrappers are still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple<'l> {
    pub(super) words: Vec<Word<'l>>,
    pub(super) link: Link,
    /// Whether its output goes to a file.
    pub(super) writes: bool,
    /// The here-document that it reads.
    pub(super) heredoc: Option<&'l str>,
}

/// Lines of agents are short; one that is not is a program in itself, and is read this far.
const LONGEST: usize = 64 * 1024;
/// So many commands of one line are looked at.
const MOST: usize = 64;
/// So deep substitutions are followed; what lies deeper is taken to the end of the line.
const DEEPEST: usize = 16;

/// Cuts a line into its simple commands.
pub(super) fn simples(line: &str) -> Vec<Simple<'_>> {
    let mut end = line.len().min(LONGEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let mut cutter = Cutter { line: &line[..end], at: 0, found: Vec::new(), pending: Vec::new() };
    cutter.cut();
    cutter.found
}

struct Cutter<'l> {
    line: &'l str,
    at: usize,
    found: Vec<Simple<'l>>,
    /// Here-documents that begin after the end of this line: the command that reads each, and the word that ends it.
    pending: Vec<(usize, String)>,
}

impl<'l> Cutter<'l> {
    fn byte(&self, ahead: usize) -> u8 {
        self.line.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn cut(&mut self) {
        let mut current = fresh(Link::Then);
        while self.at < self.line.len() && self.found.len() < MOST {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\r' | b'(', _) => self.at += 1,
                (b'\\', b'\n') => self.at += 2,
                (b'\n', _) => {
                    self.at += 1;
                    self.close(&mut current, Link::Then);
                    self.skip_documents();
                }
                (b'#', _) => self.at += self.line[self.at..].find('\n').unwrap_or(self.line.len() - self.at),
                (b'&', b'&') => self.operator(&mut current, 2, Link::And),
                (b'|', b'|') => self.operator(&mut current, 2, Link::Or),
                (b'|', b'&') => self.operator(&mut current, 2, Link::Pipe),
                (b'|', _) => self.operator(&mut current, 1, Link::Pipe),
                (b';' | b')', _) => self.operator(&mut current, 1, Link::Then),
                (b'&', next) if next != b'>' => self.operator(&mut current, 1, Link::Then),
                (b'<' | b'>', b'(') => self.word(&mut current),
                (b'<' | b'>' | b'&', _) => self.redirection(&mut current),
                (b'0'..=b'9', b'<' | b'>') => {
                    let into_errors = self.byte(0) != b'1';
                    self.at += 1;
                    let wrote = current.writes;
                    self.redirection(&mut current);
                    if into_errors {
                        current.writes = wrote;
                    }
                }
                _ => self.word(&mut current),
            }
        }
        self.close(&mut current, Link::Then);
    }

    fn operator(&mut self, current: &mut Simple<'l>, width: usize, next: Link) {
        self.at += width;
        self.close(current, next);
    }

    fn close(&mut self, current: &mut Simple<'l>, next: Link) {
        if current.words.is_empty() {
            // `(a) && b`: what stands after the bracket decides. A line break after an operator changes nothing.
            if next != Link::Then {
                current.link = next;
            }
            return;
        }
        self.found.push(std::mem::replace(current, fresh(next)));
    }

    fn word(&mut self, current: &mut Simple<'l>) {
        let start = self.at;
        let mut text = String::new();
        while self.at < self.line.len() {
            match (self.byte(0), self.byte(1)) {
                (b'<' | b'>' | b'$', b'(') => {
                    let from = self.at;
                    self.at = balanced(self.line, self.at + 2, 0);
                    text.push_str(&self.line[from..self.at]);
                }
                (b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>', _) => break,
                (b'\\', b'\n') => self.at += 2,
                (b'\\', _) => {
                    self.at += 1;
                    self.take(&mut text);
                }
                (b'\'', _) => {
                    let from = self.at + 1;
                    let to = self.line[from..].find('\'').map_or(self.line.len(), |n| from + n);
                    text.push_str(&self.line[from..to]);
                    self.at = (to + 1).min(self.line.len());
                }
                (b'"', _) => {
                    let to = quoted(self.line, self.at + 1, 0);
                    push_unescaped(&mut text, &self.line[self.at + 1..to]);
                    self.at = (to + 1).min(self.line.len());
                }
                (b'`', _) => {
                    let from = self.at;
                    let to = self.line[from + 1..].find('`').map_or(self.line.len(), |n| from + n + 2);
                    text.push_str(&self.line[from..to]);
                    self.at = to;
                }
                _ => self.take(&mut text),
            }
        }
        if self.at == start {
            self.at += 1;
            return;
        }
        current.words.push(Word { raw: &self.line[start..self.at], text });
    }

    fn take(&mut self, text: &mut String) {
        if let Some(c) = self.line[self.at..].chars().next() {
            text.push(c);
            self.at += c.len_utf8();
        }
    }

    fn redirection(&mut self, current: &mut Simple<'l>) {
        let from = self.at;
        while matches!(self.byte(0), b'<' | b'>' | b'&' | b'|') {
            self.at += 1;
        }
        let operator = &self.line[from..self.at];
        if operator == "<<" && self.byte(0) == b'-' {
            self.at += 1;
        }
        while matches!(self.byte(0), b' ' | b'\t') {
            self.at += 1;
        }
        if operator.ends_with('&') && self.byte(0) == b'-' {
            self.at += 1;
            return;
        }
        let mut target = fresh(Link::Then);
        if self.at < self.line.len() && self.byte(0) != b'\n' {
            self.word(&mut target);
        }
        let Some(target) = target.words.pop() else { return };
        match operator {
            "<<" => self.pending.push((self.found.len(), target.text)),
            ">" | ">>" | ">|" | "&>" | "&>>" if target.text != "/dev/null" => current.writes = true,
            _ => {}
        }
    }

    fn skip_documents(&mut self) {
        for (command, delimiter) in std::mem::take(&mut self.pending) {
            let from = self.at;
            let (body_end, next) = document(self.line, from, &delimiter);
            self.at = next;
            if let Some(simple) = self.found.get_mut(command) {
                simple.heredoc = Some(&self.line[from..body_end]);
            }
        }
    }
}

fn fresh<'l>(link: Link) -> Simple<'l> {
    Simple { words: Vec::new(), link, writes: false, heredoc: None }
}

/// Finds the end of a here-document that begins at `from`: where its text ends, and where the line after it begins.
fn document(line: &str, from: usize, delimiter: &str) -> (usize, usize) {
    let mut at = from;
    for row in line[from..].split_inclusive('\n') {
        if row.trim() == delimiter {
            return (at, at + row.len());
        }
        at += row.len();
    }
    (line.len(), line.len())
}

/// Finds the closing quote of a text in double quotes that begins at `at`.
fn quoted(line: &str, mut at: usize, depth: usize) -> usize {
    let bytes = line.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at,
            b'\\' => at += 2,
            b'$' if bytes.get(at + 1) == Some(&b'(') => at = balanced(line, at + 2, depth + 1),
            _ => at += 1,
        }
    }
    line.len()
}

/// Finds what follows the closing bracket of a substitution whose text begins at `at`.
fn balanced(line: &str, mut at: usize, depth: usize) -> usize {
    if depth > DEEPEST {
        return line.len();
    }
    let bytes = line.as_bytes();
    let mut open = 1;
    let mut documents: Vec<String> = Vec::new();
    while at < bytes.len() {
        match bytes[at] {
            b'(' => open += 1,
            b')' => {
                open -= 1;
                if open == 0 {
                    return at + 1;
                }
            }
            b'\\' => at += 1,
            b'\'' => at = line[at + 1..].find('\'').map_or(line.len(), |n| at + 1 + n),
            b'"' => at = quoted(line, at + 1, depth + 1),
            b'<' if line[at..].starts_with("<<") && !line[at..].starts_with("<<<") => {
                let rest = line[at + 2..].trim_start_matches(['-', ' ']);
                let end = rest.find(['\n', ' ', ';', '|', ')', '>']).unwrap_or(rest.len());
                let word: String = rest[..end].chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
                at = line.len() - rest.len() + end;
                if !word.is_empty() {
                    documents.push(word);
                }
                continue;
            }
            b'\n' if !documents.is_empty() => {
                at += 1;
                for delimiter in documents.drain(..) {
                    at = document(line, at, &delimiter).1;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
        while at < line.len() && !line.is_char_boundary(at) {
            at += 1;
        }
    }
    line.len()
}

/// Takes the backslashes away that mean something between double quotes.
fn push_unescaped(text: &mut String, quoted: &str) {
    let mut chars = quoted.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('"' | '\\' | '$' | '`')) => text.extend(chars.next()),
            ('\\', Some('\n')) => {
                chars.next();
            }
            _ => text.push(c),
        }
    }
}
