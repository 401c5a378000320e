//! The shapes of calls that are held, as data.
//!
//! Most programs that can destroy something do so under a subcommand: `docker volume rm`, `aws ec2 terminate-instances`. A [`Tool`] says
//! how a program spells its options and which of its subcommands are held; one matcher reads all of them. What a table cannot say, a
//! tool says in code ([`Tool::also`]).
//!
//! A shape names the leading operands of a call: options, wherever they stand, are not in the way, and a word further back (`npm run
//! publish`, `docker run image prune`) is no subcommand. Words are separated by spaces and have alternatives (`rm|remove`), possibly with a
//! `*`; `**` before the last word stands for any number of operands. Flags are listed the same way: `-v|--volumes|--replicas=0`.

use crate::case::Case;
use crate::invocation::{Arg, Invocation, UNKNOWN};
use crate::options::{Given, Options, Order, Taking};
use crate::verdict::Rule;

/// Programs by name, sorted.
pub(crate) type Programs = [(&'static str, &'static Tool)];

/// What a tool looks at beside its table.
pub(crate) type Also = fn(&Invocation, &Options<'_>, &mut Case<'_>);

/// What disarms every tool unless it says otherwise: the call then only shows something.
const SHOWS_ONLY: &str = "-h|--help|--dry-run";

/// How many operands a word is looked for among; nobody names more goals or nouns.
const MOST: usize = 1024;

/// A program, as far as its calls are held.
#[derive(Debug)]
pub(crate) struct Tool {
    taking: Taking,
    spelling: Spelling,
    disarmed: &'static str,
    shapes: &'static [Shape],
    also: Option<Also>,
}

/// How a program spells its long options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// `--name`, and short ones may be clustered.
    Dashes,
    /// `-name`, as in programs of HashiCorp, Apple and the JVM; there are no clusters.
    Dash,
}

/// A call that is held, or one that is not although a later shape would hold it.
#[derive(Debug)]
pub(crate) struct Shape {
    words: &'static str,
    when: &'static str,
    unless: &'static str,
    rule: Option<&'static Rule>,
}

/// Holds a subcommand.
pub(crate) const fn held(words: &'static str, rule: &'static Rule) -> Shape {
    Shape { words, when: "", unless: "", rule: Some(rule) }
}

/// Lets a subcommand pass that one of the shapes below would hold.
pub(crate) const fn free(words: &'static str) -> Shape {
    Shape { words, when: "", unless: "", rule: None }
}

impl Shape {
    /// Only with one of these flags.
    pub(crate) const fn when(self, flags: &'static str) -> Self {
        Self { when: flags, ..self }
    }

    /// Not with one of these flags.
    pub(crate) const fn unless(self, flags: &'static str) -> Self {
        Self { unless: flags, ..self }
    }

    fn fits(&self, read: &Options<'_>) -> bool {
        matches(self.words, &read.operands)
            && (self.when.is_empty() || has(read, self.when))
            && (self.unless.is_empty() || !disarms(read, self.unless))
    }
}

impl Tool {
    /// A program whose subcommands are held as the table says.
    pub(crate) const fn new(shapes: &'static [Shape]) -> Self {
        let taking = Taking { short: "", long: &[] };
        Self { taking, spelling: Spelling::Dashes, disarmed: "", shapes, also: None }
    }

    /// A program that only code can judge.
    pub(crate) const fn code(also: Also) -> Self {
        Self::new(&[]).also(also)
    }

    /// The options with a value that may stand before a subcommand, or that matter.
    pub(crate) const fn taking(self, short: &'static str, long: &'static [&'static str]) -> Self {
        Self { taking: Taking { short, long }, ..self }
    }

    /// Long options have one dash.
    pub(crate) const fn one_dash(self) -> Self {
        Self { spelling: Spelling::Dash, ..self }
    }

    /// Flags that make the call harmless, beside help and `--dry-run`.
    pub(crate) const fn disarmed_by(self, flags: &'static str) -> Self {
        Self { disarmed: flags, ..self }
    }

    /// What the table cannot say. It is asked even if the call is disarmed, for it may know better.
    pub(crate) const fn also(self, also: Also) -> Self {
        Self { also: Some(also), ..self }
    }

    /// Judges a call of the program.
    pub(crate) fn judge(&self, call: &Invocation, case: &mut Case<'_>) {
        let read = self.read(call.args());
        if let Some(also) = self.also {
            also(call, &read, case);
        }
        if self.shapes.is_empty() || self.is_disarmed(&read) {
            return;
        }
        if let Some(rule) = self.shapes.iter().find(|shape| shape.fits(&read)).and_then(|shape| shape.rule) {
            case.hold(rule, call.shown());
        }
    }

    /// Says whether the call only shows something.
    pub(crate) fn is_disarmed(&self, read: &Options<'_>) -> bool {
        disarms(read, SHOWS_ONLY)
            || disarms(read, self.disarmed)
            // After a subcommand it is something else: `cargo yank --version 1.0.0`.
            || read.operands.is_empty() && disarms(read, "--version")
            || read.operands.first().is_some_and(|first| first.is("help"))
    }

    fn read<'a>(&self, args: &'a [Arg]) -> Options<'a> {
        match self.spelling {
            Spelling::Dashes => Options::read(args, &self.taking, Order::Anywhere),
            Spelling::Dash => read_one_dash(args, self.taking.long),
        }
    }
}

/// Judges a call by the table in which its program is, if it is in there.
pub(crate) fn judge(programs: &Programs, call: &Invocation, case: &mut Case<'_>) {
    if let Some(tool) = find(programs, call.program()) {
        tool.judge(call, case);
    }
}

/// Finds a program.
pub(crate) fn find(programs: &Programs, name: &str) -> Option<&'static Tool> {
    programs.binary_search_by(|(known, _)| (*known).cmp(name)).ok().map(|at| programs[at].1)
}

/// Says whether the operands begin with these words.
pub(crate) fn matches(words: &str, operands: &[&Arg]) -> bool {
    let mut rest = operands;
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        if word == "**" {
            return words
                .next()
                .is_none_or(|next| rest.iter().take(MOST).any(|operand| fits(next, operand.text())));
        }
        // A word of which nothing is known may be empty, or an option.
        while rest.first().is_some_and(|operand| is_unknown(operand) && word != "*") {
            rest = &rest[1..];
        }
        let Some((first, after)) = rest.split_first() else { return false };
        if !fits(word, first.text()) {
            return false;
        }
        rest = after;
    }
    true
}

/// Says whether nothing at all is known of a word.
pub(crate) fn is_unknown(arg: &Arg) -> bool {
    let mut characters = arg.text().chars();
    characters.next() == Some(UNKNOWN) && characters.all(|character| character == UNKNOWN)
}

/// Says whether a word is one of the alternatives, whatever its case.
pub(crate) fn fits(alternatives: &str, word: &str) -> bool {
    alternatives.split('|').any(|pattern| fits_pattern(pattern, word.as_bytes()))
}

fn fits_pattern(pattern: &str, word: &[u8]) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern.as_bytes().eq_ignore_ascii_case(word);
    };
    let Some((start, mut rest)) = word.split_at_checked(head.len()) else { return false };
    if !start.eq_ignore_ascii_case(head.as_bytes()) {
        return false;
    }
    let mut pieces = tail.split('*').map(str::as_bytes).peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.len() >= piece.len() && rest[rest.len() - piece.len()..].eq_ignore_ascii_case(piece);
        }
        let Some(at) = rest.windows(piece.len().max(1)).position(|part| part.eq_ignore_ascii_case(piece))
        else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    true
}

/// Says whether one of these flags was given, possibly abbreviated.
pub(crate) fn has(read: &Options<'_>, flags: &str) -> bool {
    flags.split('|').any(|flag| {
        let (name, value) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
        let (short, long) = names(name);
        read.given
            .iter()
            .any(|given| given.means(short, long) && value.is_none_or(|value| given.value == Some(value)))
    })
}

/// Says whether one of these flags was given, in full, and not taken back: `--dry-run --no-dry-run` and `--dry-run=none` disarm nothing.
pub(crate) fn disarms(read: &Options<'_>, flags: &str) -> bool {
    const NO: &[&str] = &["false", "0", "none", "no", "off"];
    flags.split('|').filter(|flag| !flag.is_empty()).any(|flag| {
        let (name, wanted) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
        let (short, long) = names(name);
        let mut is_given = false;
        for given in &read.given {
            if is_exactly(given, short, long) {
                is_given = match (wanted, given.value) {
                    (Some(wanted), value) => value == Some(wanted),
                    // A short flag with a value is another one: `-h HOST`.
                    (None, Some(_)) if !given.long => is_given,
                    (None, Some(value)) => !NO.contains(&value),
                    (None, None) => true,
                };
            } else if given.long && !long.is_empty() && given.name.strip_prefix("no-") == Some(long) {
                is_given = false;
            }
        }
        is_given
    })
}

fn is_exactly(given: &Given<'_>, short: char, long: &str) -> bool {
    if given.long { !long.is_empty() && given.name == long } else { given.name.chars().eq([short]) }
}

/// The short and the long name that a flag is known under; the one that it is not stays empty.
fn names(flag: &str) -> (char, &str) {
    match flag.strip_prefix("--") {
        Some(long) => ('\0', long),
        None => (flag.chars().nth(1).unwrap_or('\0'), ""),
    }
}

/// Reads options such as `-chdir=DIR` or `-auto-approve`.
fn read_one_dash<'a>(args: &'a [Arg], taking: &[&str]) -> Options<'a> {
    let mut read = Options { first: args.len(), ..Options::default() };
    let mut index = 0;
    let mut only_operands = false;
    while let Some(arg) = args.get(index) {
        let name = arg.text().strip_prefix("--").or_else(|| arg.text().strip_prefix('-'));
        match name {
            Some("") if arg.text() == "--" && !only_operands => {
                read.before_dashes = read.operands.len();
                only_operands = true;
            }
            Some(name) if !name.is_empty() && !only_operands => {
                let (name, mut value) = match name.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (name, None),
                };
                if value.is_none() && taking.contains(&name) {
                    index += 1;
                    value = args.get(index).map(Arg::text);
                }
                read.given.push(Given { name, long: name.len() > 1, value });
            }
            _ => {
                read.first = read.first.min(index);
                read.operands.push(arg);
            }
        }
        index += 1;
    }
    if !only_operands {
        read.before_dashes = read.operands.len();
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Vec<Arg> {
        text.split_whitespace().map(Arg::from).collect()
    }

    #[test]
    fn words_are_the_leading_operands() {
        let check = |words: &str, text: &str| {
            let args = args(text);
            matches(words, &args.iter().collect::<Vec<_>>())
        };
        assert!(check("", ""));
        assert!(check("volume rm|prune", "volume prune x"));
        assert!(check("* delete-*", "ec2 delete-vpc"));
        assert!(check("** deploy", "clean install deploy"));
        assert!(check("publish", "\u{FFFF} publish"));
        assert!(check("publish*ToX", "publishAllToX"));
        assert!(!check("publish", "run publish"));
        assert!(!check("volume rm", "volume"));
        assert!(!check("* delete-*", "delete-vpc"));
        assert!(!check("ab*ba", "aba"));
        assert!(check("*deploy*", "nightly-Deploy.yml") && !check("*deploy*", "test.yml"));
    }

    #[test]
    fn a_flag_that_is_taken_back_disarms_nothing() {
        let check = |flags: &str, text: &str| {
            let args = args(text);
            disarms(&Options::read(&args, &Taking { short: "h", long: &[] }, Order::Anywhere), flags)
        };
        assert!(check(SHOWS_ONLY, "delete --dry-run"));
        assert!(check(SHOWS_ONLY, "delete --dry-run=client"));
        assert!(check("--skip=publish", "release --skip=publish"));
        assert!(!check(SHOWS_ONLY, "delete --dry-run=none"));
        assert!(!check(SHOWS_ONLY, "delete --dry-run --no-dry-run"));
        assert!(!check(SHOWS_ONLY, "delete --dry"));
        assert!(!check(SHOWS_ONLY, "delete -h localhost"));
        assert!(!check(SHOWS_ONLY, "delete -- --dry-run"));
        assert!(!check("--skip=publish", "release --skip=sign"));
    }

    #[test]
    fn one_dash_makes_a_long_option() {
        let args = args("-chdir=infra -var-file x.tfvars apply -auto-approve -- -x");
        let read = read_one_dash(&args, &["var-file"]);
        assert_eq!(read.operands.iter().map(|arg| arg.text()).collect::<Vec<_>>(), ["apply", "-x"]);
        assert_eq!(read.before_dashes, 1);
        assert!(has(&read, "--auto-approve") && has(&read, "--chdir=infra") && !has(&read, "-a"));
    }
}
