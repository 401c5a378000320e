//! What SQL would do, statement by statement.
//!
//! A small tokenizer is enough: strings, quoted names and comments are told from words, so that `SELECT 'drop table x'` is a string and
//! `drop_date` a column, and each statement is judged by its own words.

#[cfg(test)]
mod tests;

use crate::invocation::UNKNOWN;
use crate::packs::databases::{DROP, EMPTY, REWRITE, SHELL};
use crate::verdict::Rule;

/// How a client reads SQL, where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// As PostgreSQL: a backslash in a string is a backslash.
    Standard,
    /// As MySQL: a backslash escapes, `#` begins a comment, `/*! … */` is code.
    MySql,
}

/// A piece of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    /// A string.
    Text(&'a str),
    /// A name in quotes.
    Name,
    /// A text between dollars, which may be code.
    Block(&'a str),
    Mark(char),
    /// Nobody knows what.
    Unknown,
}

impl Token<'_> {
    fn is(self, word: &str) -> bool {
        matches!(self, Token::Word(own) if own.eq_ignore_ascii_case(word))
    }

    fn is_any(self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }
}

/// The longest name in brackets that is looked for; databases allow no longer ones.
const LONGEST_NAME: usize = 130;

/// How many `DELETE`s and `UPDATE`s of one statement are looked at, each of which may look at all that follows.
const MOST: usize = 64;

/// Judges a text of SQL: the rules that it breaks, each with the first statement that does.
pub(crate) fn judge(text: &str, dialect: Dialect) -> Vec<(&'static Rule, &str)> {
    judge_nested(text, dialect, 0)
}

fn judge_nested(text: &str, dialect: Dialect, depth: usize) -> Vec<(&'static Rule, &str)> {
    let mut found = Vec::new();
    let mut is_rolled_back = false;
    let mut reader = Reader { text, at: 0, dialect, unclosed: 0 };
    let mut tokens = Vec::new();
    while let Some(statement) = reader.statement(&mut tokens) {
        if tokens.first().is_some_and(|first| first.is("ROLLBACK")) {
            is_rolled_back = !tokens.iter().any(|token| token.is("TO"));
        } else if tokens.first().is_some_and(|first| first.is_any(&["COMMIT", "END"])) {
            is_rolled_back = false;
        }
        if let Some(rule) = meta(statement).or_else(|| offence(&tokens)) {
            add(&mut found, (rule, statement));
        }
        // What `DO $$ … $$` and `EXECUTE '…'` hold is run.
        if depth < 2 && tokens.first().is_some_and(|first| first.is_any(&["DO", "EXECUTE", "EXEC", "CALL"])) {
            for token in &tokens {
                if let Token::Block(code) | Token::Text(code) = token {
                    for one in judge_nested(code, dialect, depth + 1) {
                        add(&mut found, one);
                    }
                }
            }
        }
    }
    if is_rolled_back {
        found.retain(|(rule, _)| rule.id == SHELL.id);
    }
    found
}

/// Adds what was found, each rule once.
fn add<'a>(found: &mut Vec<(&'static Rule, &'a str)>, one: (&'static Rule, &'a str)) {
    if !found.iter().any(|(rule, _)| rule.id == one.0.id) {
        found.push(one);
    }
}

/// A line for the client itself that starts a program: `\! ls` in psql, `.shell ls` in sqlite3.
fn meta(statement: &str) -> Option<&'static Rule> {
    let line = statement.strip_prefix(['\\', '.'])?;
    let verb = line.split_whitespace().next().unwrap_or_default();
    let runs = verb.starts_with('!')
        || matches!(verb, "shell" | "system")
        || verb == "copy" && line.to_ascii_lowercase().contains(" program ");
    runs.then_some(&SHELL)
}

/// Judges one statement.
fn offence(tokens: &[Token<'_>]) -> Option<&'static Rule> {
    const DEFINING: &[&str] =
        &["CREATE", "GRANT", "REVOKE", "COMMENT", "HELP", "DESCRIBE", "DESC", "SHOW", "INSERT"];
    let first = *tokens.first()?;
    if first.is("ALTER") {
        return alter(tokens);
    }
    let only_explains =
        first.is("EXPLAIN") && !tokens.iter().take(6).any(|token| token.is_any(&["ANALYZE", "ANALYSE"]));
    if only_explains || first.is_any(DEFINING) {
        return None;
    }
    if first.is("TRUNCATE") {
        return Some(&EMPTY);
    }
    let mut looked_at = 0;
    for (at, token) in tokens.iter().enumerate() {
        looked_at += usize::from(token.is_any(&["DELETE", "UPDATE"]));
        if looked_at > MOST {
            return Some(&REWRITE);
        }
        let rest = &tokens[at + 1..];
        let next = rest.first().copied();
        if token.is("DROP") && next.is_some_and(is_dropped_with_its_data) {
            return Some(&DROP);
        }
        if token.is("TRUNCATE") && next.is_some_and(|next| next.is("TABLE")) {
            return Some(&EMPTY);
        }
        if token.is("DELETE") && next.is_some_and(|next| next.is("FROM")) && takes_all(rest) {
            return Some(&EMPTY);
        }
        // Elsewhere `UPDATE` belongs to something else: `FOR UPDATE`, `ON CONFLICT DO UPDATE`.
        let begins = at == 0 || first.is("WITH") && tokens[at - 1] == Token::Mark(')');
        if begins && token.is("UPDATE") && rest.iter().any(|token| token.is("SET")) && takes_all(rest) {
            return Some(&REWRITE);
        }
        if first.is("COPY") && token.is("PROGRAM") || at == 0 && token.is("SYSTEM") {
            return Some(&SHELL);
        }
    }
    None
}

fn is_dropped_with_its_data(kind: Token<'_>) -> bool {
    kind.is_any(&[
        "TABLE",
        "DATABASE",
        "SCHEMA",
        "KEYSPACE",
        "USER",
        "ROLE",
        "OWNED",
        "TABLESPACE",
        "COLLECTION",
        "BUCKET",
        "NAMESPACE",
        "MEASUREMENT",
        "SERIES",
        "CATALOG",
        "WAREHOUSE",
        "STAGE",
        "DATASET",
    ])
}

/// Says whether a statement reaches every row: it has no `WHERE`, or one that is always true.
fn takes_all(rest: &[Token<'_>]) -> bool {
    let Some(at) = rest.iter().position(|token| token.is("WHERE")) else {
        // An unknown part may hold the condition, unless it stands where the table's name does.
        return !rest.iter().skip(2).any(|token| *token == Token::Unknown);
    };
    match rest[at + 1..] {
        [Token::Word(only)] => only.eq_ignore_ascii_case("true") || only == "1",
        [left, Token::Mark('='), right] => left == right && !matches!(left, Token::Unknown | Token::Name),
        _ => false,
    }
}

/// `ALTER TABLE x DROP …`: a column goes with its data, a constraint does not.
fn alter(tokens: &[Token<'_>]) -> Option<&'static Rule> {
    const WITHOUT_DATA: &[&str] = &[
        "CONSTRAINT",
        "INDEX",
        "DEFAULT",
        "NOT",
        "PRIMARY",
        "FOREIGN",
        "KEY",
        "CHECK",
        "EXPRESSION",
        "IDENTITY",
        "IF",
        "FEATURE",
        "TAG",
        "ROW",
        "MASKING",
    ];
    if !tokens.get(1)?.is_any(&["TABLE", "FOREIGN", "KEYSPACE"]) {
        return None;
    }
    let drops = tokens.windows(2).any(|pair| {
        pair[0].is("DROP") && !pair[1].is_any(WITHOUT_DATA) && matches!(pair[1], Token::Word(_) | Token::Name)
    });
    let drops_if_exists = tokens.windows(3).any(|three| {
        three[0].is("COLUMN")
            && three[1].is("IF")
            && three[2].is("EXISTS")
            && tokens.iter().any(|token| token.is("DROP"))
    });
    (drops || drops_if_exists).then_some(&DROP)
}

/// Takes a text apart.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    /// Before this, no bracket begins a name.
    unclosed: usize,
}

impl<'a> Reader<'a> {
    /// Reads the next statement; gives its text.
    fn statement(&mut self, tokens: &mut Vec<Token<'a>>) -> Option<&'a str> {
        tokens.clear();
        let mut start = None;
        while let Some(character) = self.peek() {
            let here = self.at;
            if character.is_whitespace() {
                self.at += character.len_utf8();
                continue;
            }
            if character == '\\' || character == '.' && tokens.is_empty() {
                if tokens.is_empty() {
                    self.skip_line();
                    return Some(self.text[here..self.at].trim_end());
                }
                // The client's own line ends the statement before it; it comes next.
                return Some(self.text[start.unwrap_or(here)..here].trim_end());
            }
            if self.skips_comment() {
                continue;
            }
            if character == ';' {
                self.at += 1;
                if tokens.is_empty() {
                    continue;
                }
                return Some(&self.text[start.unwrap_or(here)..here]);
            }
            start.get_or_insert(here);
            let token = self.token(character);
            // A batch ends with `GO`, in Microsoft's clients.
            if tokens.is_empty() && token.is("GO") {
                start = None;
                continue;
            }
            tokens.push(token);
        }
        start.map(|start| self.text[start..].trim_end())
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |end| self.at + end);
    }

    fn skips_comment(&mut self) -> bool {
        let rest = &self.text[self.at..];
        if rest.starts_with("--") || self.dialect == Dialect::MySql && rest.starts_with('#') {
            self.skip_line();
            return true;
        }
        if self.dialect == Dialect::MySql && rest.starts_with("/*!") {
            self.at += 3;
            self.at += self.text[self.at..].bytes().take_while(u8::is_ascii_digit).count();
            return true;
        }
        if self.dialect == Dialect::MySql && rest.starts_with("*/") {
            self.at += 2;
            return true;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            self.at = comment.find("*/").map_or(self.text.len(), |end| self.at + end + 4);
            return true;
        }
        false
    }

    fn token(&mut self, character: char) -> Token<'a> {
        let rest = &self.text[self.at..];
        match character {
            '\'' => Token::Text(self.quoted('\'')),
            '"' | '`' => {
                self.quoted(character);
                Token::Name
            }
            '[' if self.begins_name() => {
                self.quoted(']');
                Token::Name
            }
            '$' => self.dollars(),
            _ if is_word(character) => {
                let end = rest.find(|other| !is_word(other)).unwrap_or(rest.len());
                self.at += end;
                let word = &rest[..end];
                if word.chars().all(|character| character == UNKNOWN) {
                    Token::Unknown
                } else {
                    Token::Word(word)
                }
            }
            _ => {
                self.at += character.len_utf8();
                Token::Mark(character)
            }
        }
    }

    /// Says whether a bracket begins a name. Where one was not closed, those right after it are not asked, for that could take long.
    fn begins_name(&mut self) -> bool {
        if self.at < self.unclosed {
            return false;
        }
        let is_name = self.text.as_bytes()[self.at..].iter().take(LONGEST_NAME).any(|byte| *byte == b']');
        if !is_name {
            self.unclosed = self.at + LONGEST_NAME;
        }
        is_name
    }

    /// Reads what is in quotes; a doubled quote is one of its characters.
    fn quoted(&mut self, end: char) -> &'a str {
        let start = self.at + 1;
        let mut characters = self.text[start..].char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            if character == '\\' && self.dialect == Dialect::MySql {
                characters.next();
            } else if character == end {
                if characters.peek().is_some_and(|(_, next)| *next == end) {
                    characters.next();
                    continue;
                }
                self.at = start + at + 1;
                return &self.text[start..start + at];
            }
        }
        self.at = self.text.len();
        &self.text[start..]
    }

    /// Reads `$tag$ … $tag$`, or a dollar.
    fn dollars(&mut self) -> Token<'a> {
        let rest = &self.text[self.at..];
        let tag = rest[1..].find('$').map(|end| &rest[..end + 2]);
        let Some(tag) =
            tag.filter(|tag| tag[1..tag.len() - 1].chars().all(|c| c.is_alphanumeric() || c == '_'))
        else {
            self.at += 1;
            return Token::Mark('$');
        };
        let body = &rest[tag.len()..];
        let end = body.find(tag);
        self.at += end.map_or(rest.len(), |end| end + 2 * tag.len());
        Token::Block(&body[..end.unwrap_or(body.len())])
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == UNKNOWN || character == '@'
}
