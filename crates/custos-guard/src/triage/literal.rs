//! Words that mean what they say.

use crate::shell::syntax::{Part, Word};

use super::proof::Doubt;

/// A word without anything that a shell would replace, but for a pattern of file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    /// What the program is given; for a pattern, what the shell is given.
    pub(super) text: String,
    /// Whether it is a pattern, that is, any number of words.
    pub(super) glob: bool,
}

impl Literal {
    /// Takes a word, unless a shell would make something else of it.
    pub(super) fn of(word: &Word) -> Result<Self, Doubt> {
        let mut text = String::new();
        let mut bare = String::new();
        for part in &word.parts {
            match part {
                Part::Bare(part) => {
                    if part.contains(['(', ')']) {
                        return Err(doubt(word, "has a pattern that some shells run"));
                    }
                    text.push_str(part);
                    bare.push_str(part);
                }
                Part::Quoted(part) => {
                    text.push_str(part);
                    // Stands for what is quoted where braces and tildes are looked for.
                    bare.push('\0');
                }
                Part::Parameter(_) => return Err(doubt(word, "uses a variable")),
                Part::Substitution { .. } | Part::Process { .. } => {
                    return Err(doubt(word, "runs another command"));
                }
                Part::Arithmetic(_) => return Err(doubt(word, "computes something")),
            }
        }
        // Also after `=`, where bash expands it in whatever looks like an assignment, and zsh after `:` as well.
        if bare.starts_with('~') || bare.contains("=~") || bare.contains(":~") {
            return Err(Doubt::new(format!("`{text}` begins with a tilde, which the shell replaces")));
        }
        if has_braces(&bare) {
            return Err(Doubt::new(format!("`{text}` is several words by its braces")));
        }
        Ok(Self { glob: bare.contains(['*', '?', '[']), text })
    }

    /// Says whether it is exactly this word.
    pub(super) fn is(&self, text: &str) -> bool {
        !self.glob && self.text == text
    }

    /// Says whether the shell may make a word of it that begins with a dash, or with anything else.
    pub(super) fn is_leading_glob(&self) -> bool {
        self.glob && self.text.starts_with(['*', '?', '['])
    }
}

/// Says whether braces may expand. Bash pairs them in surprising ways (`{a}b,c}` is two words), so any comma or range between any two
/// braces counts; what remains is `stash@{0}` and `@{u}..HEAD`.
fn has_braces(bare: &str) -> bool {
    let Some(open) = bare.find('{') else { return false };
    let Some(close) = bare.rfind('}') else { return false };
    bare.get(open..close).is_some_and(|between| between.contains(',') || between.contains(".."))
}

/// Doubts a word as far as it can be shown.
fn doubt(word: &Word, what: &str) -> Doubt {
    let mut shown = String::new();
    for part in &word.parts {
        match part {
            Part::Bare(text) | Part::Quoted(text) => shown.push_str(text),
            Part::Parameter(parameter) => {
                shown.push('$');
                shown.push_str(&parameter.name);
            }
            _ => shown.push('…'),
        }
    }
    Doubt::new(format!("`{shown}` {what}"))
}

/// Looks at the text itself, without the parser, for what no literal command needs: the second lock on the same door. Only single
/// quotes and comments hide a `$` or a backtick from it.
pub(super) fn look(text: &str) -> Result<(), Doubt> {
    #[derive(PartialEq)]
    enum State {
        Bare,
        Single,
        Double,
        Comment,
    }
    let mut state = State::Bare;
    let mut before = '\n';
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character.is_control() && !matches!(character, '\n' | '\t') {
            return Err(Doubt::known("the command holds a control character"));
        }
        match (&state, character) {
            (State::Single, '\'') | (State::Comment, '\n') | (State::Double, '"') => state = State::Bare,
            (State::Single | State::Comment, _) => {}
            (_, '$') => return Err(Doubt::known("a `$` stands outside of single quotes")),
            (_, '`') => return Err(Doubt::known("a backtick stands outside of single quotes")),
            (_, '\\') => match characters.next() {
                Some('$' | '`') => {
                    return Err(Doubt::known("a `$` or backtick stands outside of single quotes"));
                }
                Some(escaped) if escaped.is_control() && !matches!(escaped, '\n' | '\t') => {
                    return Err(Doubt::known("the command holds a control character"));
                }
                _ => {}
            },
            (State::Bare, '\'') => state = State::Single,
            (State::Bare, '"') => state = State::Double,
            (State::Bare, '#')
                if before.is_ascii_whitespace() || matches!(before, ';' | '&' | '|' | '(' | ')') =>
            {
                state = State::Comment;
            }
            (State::Bare | State::Double, _) => {}
        }
        before = character;
    }
    Ok(())
}
