//! A pattern taken apart: its program, its words in their order, its options in none.

use super::PatternError;

/// The longest pattern, in bytes.
const LONGEST: usize = 400;
/// The most words; the states of a comparison are the bits of one number.
const MOST_WORDS: usize = 40;
/// The most spellings that alternatives may come to.
const MOST_SPELLINGS: usize = 64;

/// A pattern taken apart.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) program: Word,
    /// What is not an option; `None` is `**`.
    pub(super) words: Vec<Option<Word>>,
    pub(super) options: Vec<Switch>,
    /// Whether it has `--`.
    pub(super) has_dashes: bool,
}

/// A word, as the alternatives that it stands for.
#[derive(Debug)]
pub(super) struct Word(Vec<Glob>);

/// What stands between the `*` of a word; without any, the whole word.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Glob(Vec<String>);

/// An option of a pattern.
#[derive(Debug)]
pub(super) struct Switch {
    /// The alternatives; one of them is enough.
    pub(super) spellings: Vec<Spelling>,
    /// How many words the pattern names before it.
    pub(super) after: usize,
    /// The word right behind it, which may be its value.
    pub(super) followed_by: Option<usize>,
}

/// One way to write an option.
#[derive(Debug)]
pub(super) struct Spelling {
    whole: Glob,
    /// The name without dashes; `None` if a `*` is in it.
    name: Option<String>,
    is_long: bool,
    /// What must follow `=`.
    pub(super) value: Option<Word>,
}

/// An option that was found in an argument.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found<'a> {
    /// Without a value; one may follow.
    Alone,
    /// With a value that is attached to it.
    With(&'a str),
}

impl Word {
    pub(super) fn matches(&self, text: &str) -> bool {
        self.0.iter().any(|glob| glob.matches(text))
    }

    /// Says whether it is `*`.
    pub(super) fn is_any(&self) -> bool {
        self.0.iter().any(|glob| glob.0.len() > 1 && glob.0.iter().all(String::is_empty))
    }

    fn is_literal(&self) -> bool {
        self.0.iter().all(|glob| glob.0.len() == 1)
    }
}

impl Glob {
    fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.0.split_first() else { return false };
        let Some((last, middle)) = rest.split_last() else { return first == text };
        let Some(mut inner) =
            text.strip_prefix(first.as_str()).and_then(|text| text.strip_suffix(last.as_str()))
        else {
            return false;
        };
        for part in middle {
            let Some(at) = inner.find(part.as_str()) else { return false };
            inner = &inner[at + part.len()..];
        }
        true
    }
}

impl Switch {
    /// Says whether it is an option that need not be there: `-*`.
    pub(super) fn is_open(&self) -> bool {
        self.spellings.iter().any(|spelling| spelling.name.is_none())
    }

    pub(super) fn is_exactly(&self, text: &str) -> bool {
        self.spellings.iter().any(|spelling| spelling.whole.matches(text))
    }

    pub(super) fn has_letter(&self, letter: char) -> bool {
        self.spellings.iter().any(|spelling| {
            spelling.value.is_none() && spelling.letters().is_some_and(|own| own.contains(letter))
        })
    }
}

impl Spelling {
    fn of(whole: Glob) -> Self {
        let first = &whole.0[0];
        let is_long = first.starts_with("--");
        let bare = first.trim_start_matches('-');
        let (name, value) = match bare.split_once('=') {
            Some((name, start)) => {
                let mut value = whole.clone();
                start.clone_into(&mut value.0[0]);
                (Some(name.to_owned()), Some(Word(vec![value])))
            }
            None if whole.0.len() == 1 => (Some(bare.to_owned()), None),
            None => (None, None),
        };
        Self { whole, name, is_long, value }
    }

    /// The letters of a short option or a small cluster of them. Longer words after one dash are options of their own.
    pub(super) fn letters(&self) -> Option<&str> {
        const LARGEST_CLUSTER: usize = 4;
        let name = self.name.as_deref()?;
        (!self.is_long && name.len() <= LARGEST_CLUSTER && name.chars().all(|c| c.is_ascii_alphanumeric()))
            .then_some(name)
    }

    /// Finds the option in an argument.
    pub(super) fn found_in<'a>(&self, text: &'a str) -> Option<Found<'a>> {
        let Some(name) = self.name.as_deref() else {
            return self.whole.matches(text).then_some(Found::Alone);
        };
        let with = |value: Option<&'a str>| value.map_or(Found::Alone, Found::With);
        let bare = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
        let (given, value) = match bare.split_once('=') {
            Some((given, value)) => (given, Some(value)),
            None => (bare, None),
        };
        // Some programs take one dash for two.
        let is_it = given == name && (name.len() > 1 || self.is_long == text.starts_with("--"));
        if is_it || self.is_long && text.starts_with("--") && is_abbreviation(given, name) {
            return Some(with(value));
        }
        let letter = self.letters().filter(|letters| letters.len() == 1)?;
        if text.starts_with("--") {
            return None;
        }
        let at = given.find(letter)?;
        // Everything before it in a cluster is a letter, too; everything behind it may be its value.
        given[..at].chars().all(|c| c.is_ascii_alphanumeric()).then(|| {
            let attached = &given[at + 1..];
            with(value.or((!attached.is_empty()).then_some(attached)))
        })
    }
}

/// Says whether a long option is a shortened name. One that ends where a word of the name ends is rather another option: `--all` is not
/// `--all-namespaces`.
fn is_abbreviation(given: &str, name: &str) -> bool {
    const SHORTEST: usize = 3;
    given.len() >= SHORTEST && name.strip_prefix(given).is_some_and(|rest| !rest.starts_with('-'))
}

/// The letters of a cluster of short options in a call, without an attached value.
pub(super) fn letters(text: &str) -> Option<&str> {
    let bare = text.strip_prefix('-').filter(|bare| !bare.is_empty() && !bare.starts_with('-'))?;
    bare.chars().all(|c| c.is_ascii_alphanumeric()).then_some(bare)
}

/// A character of a pattern, with or without its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plain(char),
    Star,
    Open,
    Comma,
    Close,
}

/// Takes a pattern apart.
pub(super) fn parse(text: &str) -> Result<Parsed, PatternError> {
    if text.len() > LONGEST {
        return Err(PatternError::TooLong { most: LONGEST, what: "bytes" });
    }
    let words = split(text)?;
    if words.len() > MOST_WORDS {
        return Err(PatternError::TooLong { most: MOST_WORDS, what: "words" });
    }
    let (program, rest) = words.split_first().ok_or(PatternError::Empty)?;
    let program = Word(alternatives(program)?);
    if program.0.iter().any(|glob| glob.0.iter().all(String::is_empty)) {
        return Err(PatternError::NoProgram);
    }
    let mut parsed = Parsed { program, words: Vec::new(), options: Vec::new(), has_dashes: false };
    let mut named = 0;
    let mut is_leading = true;
    let mut after_option = false;
    for signs in rest {
        if signs.as_slice() == [Sign::Star, Sign::Star] {
            parsed.words.push(None);
            (is_leading, after_option) = (false, false);
            continue;
        }
        let globs = alternatives(signs)?;
        let is_option = |glob: &Glob| glob.0[0].starts_with('-') && (glob.0.len() > 1 || glob.0[0].len() > 1);
        if !parsed.has_dashes && globs.iter().all(|glob| glob.0 == ["--"]) {
            parsed.has_dashes = true;
            after_option = false;
        } else if !parsed.has_dashes && globs.iter().all(is_option) {
            let spellings = globs.into_iter().map(Spelling::of).collect();
            parsed.options.push(Switch { spellings, after: named, followed_by: None });
            after_option = true;
        } else {
            let word = Word(globs);
            if after_option && let Some(option) = parsed.options.last_mut() {
                option.followed_by = Some(parsed.words.len());
            }
            is_leading &= word.is_literal() && !after_option;
            named += usize::from(is_leading);
            parsed.words.push(Some(word));
            after_option = false;
        }
    }
    Ok(parsed)
}

/// Splits a pattern at its blanks and takes its quotes off.
fn split(text: &str) -> Result<Vec<Vec<Sign>>, PatternError> {
    let mut words = Vec::new();
    let mut word: Option<Vec<Sign>> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\\' => word.push(Sign::Plain(chars.next().ok_or(PatternError::Unclosed)?)),
            '\'' | '"' => loop {
                match chars.next().ok_or(PatternError::Unclosed)? {
                    end if end == c => break,
                    inner => word.push(Sign::Plain(inner)),
                }
            },
            '*' => word.push(Sign::Star),
            '{' => word.push(Sign::Open),
            ',' => word.push(Sign::Comma),
            '}' => word.push(Sign::Close),
            '|' => return Err(PatternError::Operator { operator: "|" }),
            ';' => return Err(PatternError::Operator { operator: ";" }),
            '&' => return Err(PatternError::Operator { operator: "&" }),
            '>' => return Err(PatternError::Operator { operator: ">" }),
            '<' => return Err(PatternError::Operator { operator: "<" }),
            _ => word.push(Sign::Plain(c)),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Writes out the alternatives in braces.
fn alternatives(signs: &[Sign]) -> Result<Vec<Glob>, PatternError> {
    let mut globs = vec![Glob(vec![String::new()])];
    let mut rest = signs;
    while let Some((sign, after)) = rest.split_first() {
        rest = after;
        if *sign == Sign::Open
            && let Some(end) = after.iter().position(|sign| *sign == Sign::Close)
            && after[..end].contains(&Sign::Comma)
        {
            let inside = &after[..end];
            if inside.contains(&Sign::Open) {
                return Err(PatternError::Nested);
            }
            rest = &after[end + 1..];
            let mut longer = Vec::new();
            for choice in inside.split(|sign| *sign == Sign::Comma) {
                for glob in &globs {
                    let mut glob = glob.clone();
                    for sign in choice {
                        glob.push(*sign);
                    }
                    longer.push(glob);
                }
            }
            if longer.len() > MOST_SPELLINGS {
                return Err(PatternError::TooLong { most: MOST_SPELLINGS, what: "alternatives in a word" });
            }
            globs = longer;
            continue;
        }
        for glob in &mut globs {
            glob.push(*sign);
        }
    }
    Ok(globs)
}

impl Glob {
    fn push(&mut self, sign: Sign) {
        let c = match sign {
            Sign::Star => return self.0.push(String::new()),
            Sign::Plain(c) => c,
            Sign::Open => '{',
            Sign::Comma => ',',
            Sign::Close => '}',
        };
        if let Some(last) = self.0.last_mut() {
            last.push(c);
        }
    }
}
