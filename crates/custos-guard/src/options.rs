//! A program's arguments as options and operands, the way `getopt_long` reads them.
//!
//! Flags come clustered (`-xfd`), abbreviated (`--forc`), with values attached or apart, before and after the operands. Every judge asks
//! here, so that none of them can be evaded by spelling.

use crate::invocation::Arg;

/// Which options of a program take a value, so that the value is not taken for an operand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Taking {
    /// Short options with a value.
    pub short: &'static str,
    /// Long options with a value, without their dashes.
    pub long: &'static [&'static str],
}

/// Where options may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Anywhere before `--`, as in GNU programs.
    Anywhere,
    /// Only before the first operand, as in wrappers and in programs with subcommands.
    First,
}

/// An option as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given<'a> {
    /// Its name without dashes; one character for a short one.
    pub name: &'a str,
    /// Whether it has two dashes (or is a word of several letters after one dash that was read as such).
    pub long: bool,
    /// Its value, attached or apart.
    pub value: Option<&'a str>,
}

/// The arguments, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// The options in their order.
    pub given: Vec<Given<'a>>,
    /// What is left.
    pub operands: Vec<&'a Arg>,
    /// The index in the arguments of the first operand; their number if there is none.
    pub first: usize,
    /// How many of the operands stood before `--`.
    pub before_dashes: usize,
}

impl<'a> Options<'a> {
    /// Reads arguments (without the program's name).
    pub fn read(args: &'a [Arg], taking: &Taking, order: Order) -> Self {
        let mut read = Self { first: args.len(), ..Self::default() };
        let mut index = 0;
        let mut only_operands = false;
        let mut dashes = None;
        while let Some(arg) = args.get(index) {
            let text = arg.text();
            if only_operands || text == "-" || !text.starts_with('-') {
                read.first = read.first.min(index);
                read.operands.push(arg);
                only_operands |= order == Order::First;
            } else if text == "--" {
                dashes = Some(read.operands.len());
                only_operands = true;
            } else if let Some(long) = text.strip_prefix("--") {
                let (name, mut value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (long, None),
                };
                let takes = taking.long.contains(&name)
                    || name.len() > 2 && taking.long.iter().any(|known| known.starts_with(name));
                if value.is_none() && takes {
                    index += 1;
                    value = args.get(index).map(Arg::text);
                }
                read.given.push(Given { name, long: true, value });
            } else {
                for (at, short) in text.char_indices().skip(1) {
                    let after = at + short.len_utf8();
                    let name = &text[at..after];
                    if taking.short.contains(short) {
                        let value = if after < text.len() {
                            Some(&text[after..])
                        } else {
                            index += 1;
                            args.get(index).map(Arg::text)
                        };
                        read.given.push(Given { name, long: false, value });
                        break;
                    }
                    read.given.push(Given { name, long: false, value: None });
                }
            }
            index += 1;
        }
        read.before_dashes = dashes.unwrap_or(read.operands.len());
        read
    }

    /// Says whether an option was given, under its short name or any abbreviation of its long one.
    pub fn has(&self, short: char, long: &str) -> bool {
        self.given.iter().any(|given| given.means(short, long))
    }

    /// Says whether a long option was given, possibly abbreviated.
    pub fn has_long(&self, long: &str) -> bool {
        self.has('\0', long)
    }

    /// Says whether a short option was given.
    pub fn has_short(&self, short: char) -> bool {
        self.given.iter().any(|given| !given.long && given.name.chars().eq([short]))
    }

    /// The value of the last option of that name.
    pub fn value(&self, short: char, long: &str) -> Option<&'a str> {
        self.given.iter().rev().find(|given| given.means(short, long))?.value
    }
}

impl Given<'_> {
    /// Says whether this is the option of these names. An abbreviation has at least two letters; that several options share it is a
    /// mistake that the program itself refuses.
    pub fn means(&self, short: char, long: &str) -> bool {
        if self.long {
            !long.is_empty() && (self.name == long || self.name.len() >= 2 && long.starts_with(self.name))
        } else {
            self.name.chars().eq([short])
        }
    }
}
