//! One program with its arguments, as it would be started: wrappers taken off, words resolved as far as they can be known.

use std::fmt;

/// Stands in [`Arg::text`] for whatever cannot be known before the command runs. It is no character that a text may hold.
pub const UNKNOWN: char = '\u{FFFF}';

/// A resolved word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arg {
    text: String,
    /// Whether a part of the text is not known. Asked for every rule, so it is looked up once.
    unsure: bool,
    /// Where the last part of the text begins, if it is a path.
    base: usize,
    /// Whether an unquoted `*`, `?` or `[` makes it a pattern for file names.
    glob: bool,
    /// Where a part that is not known comes from, as far as that matters.
    source: Source,
    /// What the file holds that the word names, if the command line itself makes it: `<( … )`.
    holds: Option<Box<Stream>>,
}

/// Where an unknown part of a word comes from; the worse is the greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// From this machine.
    #[default]
    Local,
    /// Decoded from something unknown: nobody wraps a harmless script like that.
    Decoded,
    /// Downloaded.
    Downloaded,
}

impl Arg {
    /// A word that is known.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let unsure = text.contains(UNKNOWN);
        let base = text.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
        Self { text, unsure, base, ..Self::default() }
    }

    /// A word that is a pattern for file names.
    pub fn glob(text: impl Into<String>) -> Self {
        Self { glob: true, ..Self::new(text) }
    }

    /// A word of which nothing is known.
    pub fn unknown() -> Self {
        Self::new(UNKNOWN)
    }

    /// The same word, with an unknown part from there.
    #[must_use]
    pub fn from_source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }

    /// The same word, which names a file that holds this.
    #[must_use]
    pub fn holding(mut self, stream: Stream) -> Self {
        self.holds = Some(Box::new(stream));
        self
    }

    /// The text, with [`UNKNOWN`] for each part that is not known.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, if all of it is known and it is no pattern.
    pub fn known(&self) -> Option<&str> {
        (!self.glob && self.is_sure()).then_some(self.text.as_str())
    }

    /// Says whether every character is known.
    pub fn is_sure(&self) -> bool {
        !self.unsure
    }

    /// Says whether it is a pattern for file names.
    pub fn is_glob(&self) -> bool {
        self.glob
    }

    /// Says whether it is exactly this text.
    pub fn is(&self, text: &str) -> bool {
        self.known() == Some(text)
    }

    /// Where its unknown part comes from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// What the file holds that it names, if the command line makes it.
    pub fn holds(&self) -> Option<&Stream> {
        self.holds.as_deref()
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Arg {
    /// Shows the word to people: what is not known as `…`, quotes where they are needed to see where it ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.text.replace(UNKNOWN, "…");
        if shown.is_empty() || shown.contains(|c: char| c.is_whitespace() || c == '\'' || c == '"') {
            write!(f, "'{}'", shown.replace('\'', "'\\''"))
        } else {
            f.write_str(&shown)
        }
    }
}

/// How a redirection uses its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// `< file`.
    Read,
    /// `> file`, `>> file`, `&> file`, `>| file`.
    Write,
    /// `<> file`.
    Both,
}

/// What flows from one program into another, or into a file or a word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stream {
    /// Nothing that the command line decides.
    #[default]
    Inherited,
    /// A text, with [`UNKNOWN`] for the parts that are not known.
    Text(String),
    /// A file's content, by the name as written.
    File(Arg),
    /// What a download gives.
    Download,
    /// What decoding something unknown gives.
    Decoded,
    /// The variables of the environment, or some of them: whatever keys and tokens are among them.
    Environment,
    /// A table of processes, as `ps` prints it, with what its lines were searched for.
    Processes(String),
    /// What some other program prints.
    Output,
}

/// A place other than this machine, where our paths mean something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elsewhere {
    /// A container or another root: what is in it came out of an image, and comes again.
    Container,
    /// A pod that is running in a cluster.
    Pod,
    /// Another machine.
    Machine,
}

/// A program as it would be started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments.
    pub argv: Vec<Arg>,
    /// Variables that are set for it, in front of it or by `env` or `export`.
    pub env: Vec<(String, Arg)>,
    /// Files that it is connected to.
    pub redirects: Vec<(Use, Arg)>,
    /// What it reads.
    pub stdin: Stream,
    /// The directory in which it runs; `None` if that cannot be told.
    pub cwd: Option<String>,
    /// Whether it runs with another user's rights, usually root's.
    pub elevated: bool,
    /// Where it runs, if not here.
    pub elsewhere: Option<Elsewhere>,
    /// Whether more arguments follow that nobody knows, as after `xargs`.
    pub open_ended: bool,
}

impl Invocation {
    /// A program with its arguments and nothing else.
    pub fn of(argv: impl IntoIterator<Item = impl Into<Arg>>) -> Self {
        Self { argv: argv.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The program's own name: without its directory and, for Windows' sake, without `.exe`. Empty if it is not known.
    pub fn program(&self) -> &str {
        let name = self.argv.first().and_then(|first| first.known()?.get(first.base..)).unwrap_or_default();
        name.strip_suffix(".exe").filter(|stem| !stem.is_empty()).unwrap_or(name)
    }

    /// The arguments after the program.
    pub fn args(&self) -> &[Arg] {
        self.argv.get(1..).unwrap_or_default()
    }

    /// Shows the call to people, shortened if it is long.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 200;
        let mut shown = String::new();
        for arg in &self.argv {
            if !shown.is_empty() {
                shown.push(' ');
            }
            shown.push_str(&arg.to_string());
            if shown.len() > LONGEST {
                let end = (0..=LONGEST).rev().find(|end| shown.is_char_boundary(*end)).unwrap_or_default();
                shown.truncate(end);
                shown.push('…');
                break;
            }
        }
        shown
    }
}
