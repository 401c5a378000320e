//! The options of one subcommand, read the way git's own parser reads them.
//!
//! The generic reader in [`crate::options`] is too coarse here: `--force` is a word of its own and also the beginning of
//! `--force-with-lease`, and which of the two was meant decides the verdict. So each subcommand that is judged has its table.

use crate::invocation::Arg;

/// What follows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing: `-f`.
    Nothing,
    /// A value, attached or as the next word: `-m text`.
    Value,
    /// A value only if it is attached: `-uno`, `--force-with-lease=ref`.
    Attached,
}

/// An option that a subcommand knows.
#[derive(Debug)]
pub(super) struct Flag {
    short: char,
    pub(super) name: &'static str,
    takes: Takes,
}

/// An option without a value. `short` is `'\0'` if there is none; an option that is only short has its letter as `name`.
pub(super) const fn flag(short: char, name: &'static str) -> Flag {
    Flag { short, name, takes: Takes::Nothing }
}

/// An option with a value.
pub(super) const fn value(short: char, name: &'static str) -> Flag {
    Flag { short, name, takes: Takes::Value }
}

/// An option that may have a value attached.
pub(super) const fn attached(short: char, name: &'static str) -> Flag {
    Flag { short, name, takes: Takes::Attached }
}

/// An option as it was given, under its full name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Given<'a> {
    name: &'static str,
    negated: bool,
    value: Option<&'a str>,
}

/// The arguments of a subcommand, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Flags<'a> {
    given: Vec<Given<'a>>,
    /// What is no option.
    pub(super) operands: Vec<&'a Arg>,
    /// How many operands stood before `--`; `None` without `--`.
    pub(super) dashes: Option<usize>,
    /// Whether it only asks how the subcommand is used.
    pub(super) help: bool,
}

impl<'a> Flags<'a> {
    /// Reads arguments. In the table, the more dangerous of two options with a common beginning comes first: git refuses an ambiguous
    /// abbreviation, but a newer git may know fewer options than we do.
    pub(super) fn read(args: &'a [Arg], table: &[Flag]) -> Self {
        let mut read = Self::default();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let text = arg.text();
            if read.dashes.is_some() || text == "-" || !text.starts_with('-') {
                read.operands.push(arg);
            } else if text == "--" {
                read.dashes = Some(read.operands.len());
            } else if let Some(long) = text.strip_prefix("--") {
                read.long(long, table, &mut rest);
            } else {
                read.cluster(text, table, &mut rest);
            }
        }
        read
    }

    fn long(&mut self, long: &'a str, table: &[Flag], rest: &mut std::slice::Iter<'a, Arg>) {
        let (name, mut value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let (known, negated) = match (named(table, name), name.strip_prefix("no-")) {
            (Some(known), _) => (known, false),
            (None, Some(positive)) if !positive.is_empty() => match named(table, positive) {
                Some(known) => (known, true),
                None => return,
            },
            _ => {
                self.help |= name == "help";
                return;
            }
        };
        if value.is_none() && !negated && known.takes == Takes::Value {
            value = rest.next().map(Arg::text);
        }
        self.given.push(Given { name: known.name, negated, value });
    }

    fn cluster(&mut self, text: &'a str, table: &[Flag], rest: &mut std::slice::Iter<'a, Arg>) {
        for (at, letter) in text.char_indices().skip(1) {
            let Some(known) = table.iter().find(|flag| flag.short == letter) else {
                self.help |= letter == 'h' && text == "-h";
                continue;
            };
            let after = &text[at + letter.len_utf8()..];
            let value = match known.takes {
                Takes::Nothing => None,
                Takes::Value if after.is_empty() => rest.next().map(Arg::text),
                Takes::Value | Takes::Attached => Some(after),
            };
            self.given.push(Given { name: known.name, negated: false, value });
            if known.takes != Takes::Nothing {
                return;
            }
        }
    }

    /// Says whether an option is in force: the last of `--x` and `--no-x` counts.
    pub(super) fn has(&self, name: &str) -> bool {
        self.last(name).is_some_and(|given| !given.negated)
    }

    /// The value of an option.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.last(name)?.value
    }

    /// The values of an option that may be given several times.
    pub(super) fn values<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'a str> + 's {
        self.given.iter().filter(move |given| given.name == name).filter_map(|given| given.value)
    }

    /// The operands before `--`, and those after it.
    pub(super) fn around_dashes(&self) -> (&[&'a Arg], &[&'a Arg]) {
        self.operands.split_at(self.dashes.unwrap_or(self.operands.len()))
    }

    /// The text of an operand, or nothing.
    pub(super) fn operand(&self, index: usize) -> &'a str {
        self.operands.get(index).map_or("", |arg| arg.text())
    }

    fn last(&self, name: &str) -> Option<&Given<'a>> {
        self.given.iter().rev().find(|given| given.name == name)
    }
}

/// The option of this name, or the first one that it abbreviates.
fn named<'t>(table: &'t [Flag], name: &str) -> Option<&'t Flag> {
    let long = || table.iter().filter(|flag| flag.name.len() > 1);
    long()
        .find(|flag| flag.name == name)
        .or_else(|| long().find(|flag| !name.is_empty() && flag.name.starts_with(name)))
}
