//! Patterns for commands, which compare argument vectors and not text.
//!
//! A pattern is a program and words: `docker compose down -v`. `*` stands for one word or a part of one, `**` for any number of words,
//! `{a,b}` for either; quotes and backslashes take that meaning away. It is read in two ways, because the two mistakes it can make are not
//! equally bad:
//!
//! - To *hold* a call ([`CommandPattern::holds`]) it is generous. Options of the pattern may be given anywhere, clustered, abbreviated or
//!   with a value; options that it does not name change nothing, and neither do words after the last that it names. A word right behind an
//!   option may be that option's value, so it may also be left out: `docker compose --project-name x down --remove-orphans -v` is held.
//! - To *allow* a call ([`CommandPattern::allows`]) it is strict. Everything that the call says must be said by the pattern; what is not
//!   known, is read from elsewhere, or is done with other rights is not allowed.

use thiserror::Error;

use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};

mod syntax;

use syntax::{Found, Parsed, Switch, Word};

/// A pattern for commands.
///
/// It keeps its text and is taken apart only when a call of its program is to be compared: most calls are of other programs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommandPattern {
    text: String,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatternError {
    /// There is nothing in it.
    #[error("the pattern is empty: write the program and its arguments, like `terraform apply`")]
    Empty,
    /// It would be about every program.
    #[error("the pattern does not name its program: begin it with one, like `terraform apply`")]
    NoProgram,
    /// It is longer than a person would write.
    #[error("the pattern has more than {most} {what}: split it")]
    TooLong {
        /// The limit.
        most: usize,
        /// Of what.
        what: &'static str,
    },
    /// A quote is not closed.
    #[error("a quote in the pattern is not closed")]
    Unclosed,
    /// Alternatives in alternatives.
    #[error("alternatives in braces cannot be nested: write two patterns")]
    Nested,
    /// A shell operator: a pattern is about one program.
    #[error("`{operator}` is not part of a command: write one pattern for each command")]
    Operator {
        /// The operator.
        operator: &'static str,
    },
}

/// The directories that programs are installed in. An allow entry means those, not whatever has the same name elsewhere.
const PROGRAM_DIRECTORIES: [&str; 6] =
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"];

impl CommandPattern {
    /// Checks a pattern.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        syntax::parse(text)?;
        Ok(Self { text: text.to_owned() })
    }

    /// Takes a pattern that was checked before.
    pub(crate) fn checked(text: String) -> Self {
        Self { text }
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Says whether the call is one of those that the pattern is meant to stop.
    pub fn holds(&self, call: &Invocation) -> bool {
        self.may_be_about(call)
            && syntax::parse(&self.text)
                .is_ok_and(|parsed| is_same_program(&parsed, call) && parsed.holds(call))
    }

    /// Says whether the call is nothing but what the pattern allows.
    pub fn allows(&self, call: &Invocation) -> bool {
        self.may_be_about(call)
            && is_plain(call)
            && syntax::parse(&self.text).is_ok_and(|parsed| {
                is_installed(&parsed, call) && is_same_program(&parsed, call) && parsed.allows(call)
            })
    }

    /// Says whether the pattern names a program, given by its name or its path.
    pub(crate) fn is_about(&self, program: &str) -> bool {
        syntax::parse(&self.text).is_ok_and(|parsed| is_same_program(&parsed, &Invocation::of([program])))
    }

    /// Compares the program's name without taking the pattern apart, where that can be done.
    fn may_be_about(&self, call: &Invocation) -> bool {
        let text = self.text.trim_start();
        let name = &text[..text.find(char::is_whitespace).unwrap_or(text.len())];
        let is_name = !name.contains(['*', '{', '"', '\'', '\\', '/']);
        !call.program().is_empty() && (!is_name || name == call.program())
    }
}

/// Says whether the program is the pattern's: by its own name, or by its path if the pattern has one.
fn is_same_program(parsed: &Parsed, call: &Invocation) -> bool {
    parsed.program.matches(call.program())
        || call
            .argv
            .first()
            .and_then(Arg::known)
            .is_some_and(|path| path.contains('/') && parsed.program.matches(path))
}

/// Says whether the program is one that a name can be trusted to mean.
fn is_installed(parsed: &Parsed, call: &Invocation) -> bool {
    call.argv.first().and_then(Arg::known).is_some_and(|path| {
        let directory = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
        directory.is_empty() || PROGRAM_DIRECTORIES.contains(&directory) || parsed.program.matches(path)
    })
}

/// Says whether nothing but its arguments decides what a call does.
fn is_plain(call: &Invocation) -> bool {
    call.env.is_empty()
        && !call.elevated
        && call.elsewhere.is_none()
        && !call.open_ended
        && call.stdin == Stream::Inherited
        && call.redirects.iter().all(|(_, file)| file.is("/dev/null"))
        && call.argv.iter().all(|arg| arg.known().is_some() && arg.holds().is_none())
}

/// An argument of a call.
#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    is_option: bool,
    /// Whether it may also be none of the call's words: the value of an option, or something unknown.
    may_be_absent: bool,
}

/// The most arguments of a call that are compared, so that hundreds of patterns stay cheap even for a call with thousands of arguments.
/// What lies beyond them may be anything: that is enough to be held, and too little to be allowed.
const MOST_COMPARED: usize = 512;

fn is_cut(call: &Invocation) -> bool {
    call.args().len() > MOST_COMPARED
}

fn tokens(call: &Invocation) -> Vec<Token<'_>> {
    let mut only_words = false;
    let mut after_option = false;
    let mut tokens = Vec::with_capacity(call.argv.len().min(MOST_COMPARED));
    for arg in call.args().iter().take(MOST_COMPARED) {
        let text = arg.text();
        if text == "--" && !only_words {
            only_words = true;
            after_option = false;
            continue;
        }
        let is_option = !only_words && text.len() > 1 && text.starts_with('-');
        let is_unknown = !text.is_empty() && text.chars().all(|c| c == UNKNOWN);
        tokens.push(Token { text, is_option, may_be_absent: after_option || is_unknown });
        after_option = is_option && !text.contains('=');
    }
    tokens
}

/// The most options with a word behind them for which both readings are tried.
const MOST_READINGS: u32 = 3;

impl Parsed {
    fn holds(&self, call: &Invocation) -> bool {
        let tokens = tokens(call);
        let is_cut = is_cut(call);
        if !is_cut && !self.options.iter().all(|option| option.is_given(&tokens, None)) {
            return false;
        }
        // `-n prod` in a pattern may be an option and a word, or an option and its value. Each reading is a set of the words that are
        // values.
        let followed: Vec<_> = self
            .options
            .iter()
            .filter_map(|option| Some((option, option.followed_by?)))
            .take(MOST_READINGS as usize)
            .collect();
        (0..1_u32 << followed.len()).any(|reading| {
            let mut values = 0_u64;
            for (index, (option, word)) in followed.iter().enumerate() {
                if reading & (1 << index) == 0 {
                    continue;
                }
                let Some(Some(value)) = self.words.get(*word) else { return false };
                if !is_cut && !option.is_given(&tokens, Some(value)) {
                    return false;
                }
                values |= 1 << word;
            }
            self.words_are_found(&tokens, values, call)
        })
    }

    /// Finds the pattern's words among the call's, in their order. `values` are words of the pattern that are not looked for.
    fn words_are_found(&self, tokens: &[Token<'_>], values: u64, call: &Invocation) -> bool {
        let wanted = self.words.iter().enumerate().filter(|(index, _)| values & (1 << index) == 0);
        let mut search = Search::new(wanted.map(|(_, word)| word.as_ref()).collect());
        for token in tokens.iter().filter(|token| !token.is_option) {
            // What comes after the pattern's last word does not matter.
            if search.is_done() {
                return true;
            }
            if !search.can_go_on() {
                return false;
            }
            let without = search.states;
            search.take(token.text);
            if token.may_be_absent {
                search.states |= without;
            }
        }
        search.is_done()
            || call.open_ended && search.needs_only_any_words()
            || is_cut(call) && search.can_go_on()
    }

    fn allows(&self, call: &Invocation) -> bool {
        if is_cut(call) || call.args().iter().any(|arg| arg.is("--")) != self.has_dashes {
            return false;
        }
        let tokens = tokens(call);
        let mut search = Search::new(self.words.iter().map(Option::as_ref).collect());
        let mut words_before = 0;
        for token in &tokens {
            if !token.is_option {
                search.take(token.text);
                words_before += 1;
            } else if !self.covers_option(token.text, words_before) {
                return false;
            }
        }
        search.is_done()
            && self.options.iter().all(|option| option.is_open() || option.is_given_exactly(&tokens))
    }

    /// Says whether an option of the call is one of the pattern's. Options that are written behind a subcommand cover only those behind it.
    fn covers_option(&self, text: &str, words_before: usize) -> bool {
        let in_force = || self.options.iter().filter(|option| option.after <= words_before);
        in_force().any(|option| option.is_exactly(text))
            || syntax::letters(text).is_some_and(|letters| {
                letters.chars().all(|letter| in_force().any(|option| option.has_letter(letter)))
            })
    }
}

/// The words of a pattern, and how many of them were found.
struct Search<'a> {
    /// `None` is `**`.
    words: Vec<Option<&'a Word>>,
    /// Bit n: the first n words may be found.
    states: u64,
}

impl<'a> Search<'a> {
    fn new(words: Vec<Option<&'a Word>>) -> Self {
        let mut search = Self { words, states: 1 };
        search.skip_many();
        search
    }

    /// Goes on by one word of the call.
    fn take(&mut self, text: &str) {
        let mut next = 0;
        for (index, word) in
            self.words.iter().enumerate().filter(|(index, _)| self.states & (1 << index) != 0)
        {
            match word {
                None => next |= 1 << index,
                Some(word) if word.matches(text) => next |= 1 << (index + 1),
                Some(_) => {}
            }
        }
        self.states = next;
        self.skip_many();
    }

    /// Adds the states that are reached by letting `**` stand for nothing.
    fn skip_many(&mut self) {
        for (index, word) in self.words.iter().enumerate() {
            if word.is_none() && self.states & (1 << index) != 0 {
                self.states |= 1 << (index + 1);
            }
        }
    }

    fn is_done(&self) -> bool {
        self.states & (1 << self.words.len()) != 0
    }

    /// Says whether there are words that could follow.
    fn can_go_on(&self) -> bool {
        self.states != 0
    }

    /// Says whether whatever words follow, they are enough: what `xargs` adds can be any word, but is not one that was named.
    fn needs_only_any_words(&self) -> bool {
        let named = self.words.iter().rposition(|word| word.is_some_and(|word| !word.is_any()));
        let rest = named.map_or(0, |last| last + 1);
        self.states >> rest != 0
    }
}

impl Switch {
    /// Says whether the option is given, generously; with this value, if there is one.
    fn is_given(&self, tokens: &[Token<'_>], value: Option<&Word>) -> bool {
        self.spellings.iter().any(|spelling| {
            let options = tokens.iter().enumerate().filter(|(_, token)| token.is_option);
            let mut found =
                options.filter_map(|(index, token)| Some((index, spelling.found_in(token.text)?)));
            let wanted = value.or(spelling.value.as_ref());
            match wanted {
                None => found.next().is_some() || spelling.letters_are_in(tokens),
                Some(wanted) => found.any(|(index, found)| match found {
                    Found::With(attached) => wanted.matches(attached),
                    Found::Alone => {
                        tokens.get(index + 1).is_some_and(|next| !next.is_option && wanted.matches(next.text))
                    }
                }),
            }
        })
    }

    fn is_given_exactly(&self, tokens: &[Token<'_>]) -> bool {
        let given =
            |wanted: &dyn Fn(&str) -> bool| tokens.iter().any(|token| token.is_option && wanted(token.text));
        given(&|text| self.is_exactly(text))
            || self.spellings.iter().any(|spelling| {
                spelling.value.is_none()
                    && spelling.letters().is_some_and(|letters| {
                        letters.chars().all(|letter| {
                            given(&|text| syntax::letters(text).is_some_and(|others| others.contains(letter)))
                        })
                    })
            })
    }
}

impl syntax::Spelling {
    /// Says whether every letter of a cluster is given somewhere: `-rf` by `-r -f`.
    fn letters_are_in(&self, tokens: &[Token<'_>]) -> bool {
        self.letters().is_some_and(|letters| {
            letters.chars().all(|letter| {
                let mut options = tokens.iter().filter(|token| token.is_option);
                options.any(|token| syntax::letters(token.text).is_some_and(|given| given.contains(letter)))
            })
        })
    }
}

#[cfg(test)]
mod tests;
