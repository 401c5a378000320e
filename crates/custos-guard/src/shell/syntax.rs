//! The tree of a script.
//!
//! It keeps what a judge needs and drops what only a shell needs: `if`, `while` and `case` are kept as the scripts in them, in the order
//! in which they may run.

use std::ops::Range;

/// A list of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The commands in their order.
    pub commands: Vec<Command>,
}

/// A command and how it hangs together with the one after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What it is.
    pub kind: Kind,
    /// Redirections of a compound command; those of a simple one are in it.
    pub redirects: Vec<Redirect>,
    /// What follows it.
    pub link: Link,
    /// Where it stands in the text that was parsed.
    pub span: Range<usize>,
}

/// How a command hangs together with the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// `;` or a line's end.
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `&`: in the background.
    Background,
}

/// The kinds of command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A program, builtin or function with its words.
    Simple(Simple),
    /// `a | b`, also `a |& b`; at least two stages.
    Pipeline(Vec<Command>),
    /// `( … )`.
    Subshell(Script),
    /// `{ …; }`.
    Group(Script),
    /// `if`, with its branches: `(condition, body)`, and `else` without a condition.
    If(Vec<(Option<Script>, Script)>),
    /// `while` and `until`.
    Loop {
        /// What is tested.
        condition: Script,
        /// What is repeated.
        body: Script,
    },
    /// `for name in …`, `select name in …`.
    For {
        /// The variable.
        name: String,
        /// Its values; `None` for the positional parameters.
        words: Option<Vec<Word>>,
        /// What is repeated.
        body: Script,
    },
    /// `for ((…))` and `(( … ))`: what is substituted in them, and the body of the loop.
    Arithmetic {
        /// The expression, with the substitutions in it.
        expression: Word,
        /// What is repeated; empty for `(( … ))`.
        body: Script,
    },
    /// `case`.
    Case {
        /// What is matched.
        word: Word,
        /// The patterns and what runs for them.
        arms: Vec<(Vec<Word>, Script)>,
    },
    /// `[[ … ]]`: its words, operators among them as literal words.
    Test(Vec<Word>),
    /// A function's definition.
    Function {
        /// Its name.
        name: String,
        /// Its body, a compound command.
        body: Box<Command>,
    },
    /// `coproc [NAME] command`.
    Coprocess(Box<Command>),
}

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// The assignments in front.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments; words that are assignments for `export`, `declare`, `local`, `readonly`, `alias` are kept as words.
    pub words: Vec<Word>,
    /// The redirections, in their order.
    pub redirects: Vec<Redirect>,
}

/// `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable, without an index.
    pub name: String,
    /// `name[index]=…`: the index as it is written.
    pub index: Option<Word>,
    /// Whether it is `+=`.
    pub append: bool,
    /// The value.
    pub value: AssignedValue,
}

/// What is assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignedValue {
    /// One word.
    Word(Word),
    /// `( … )`: the elements; one with a key is a word that begins with a bare `[`.
    Array(Vec<Word>),
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The file descriptor in front, or `{name}`; `None` for the operator's own.
    pub descriptor: Option<String>,
    /// The operator.
    pub operator: Operator,
    /// The file, the descriptor, the text of `<<<`; for heredocs the whole body.
    pub target: Word,
}

/// The operators of redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `<`.
    Read,
    /// `>`, `>|`, `&>`, `>&` with a file name.
    Write,
    /// `>>`, `&>>`.
    Append,
    /// `<>`.
    ReadWrite,
    /// `<&`, `>&` with a descriptor or `-`.
    Duplicate,
    /// `<<` and `<<-`; the body is parsed for substitutions unless the delimiter is quoted.
    Heredoc,
    /// `<<<`.
    HereString,
}

/// A word, not yet resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Its parts; none for `''`… which has one empty [`Part::Quoted`], so that only a missing word has none.
    pub parts: Vec<Part>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text outside of quotes: braces, globs and a leading tilde mean something in it.
    Bare(String),
    /// Text that means itself: from quotes, `$'…'`, `$"…"`, or after a backslash.
    Quoted(String),
    /// `$name`, `${…}`.
    Parameter(Parameter),
    /// `$( … )` or backticks.
    Substitution {
        /// What runs.
        script: Script,
        /// Whether it stands within double quotes.
        quoted: bool,
    },
    /// `$(( … ))` or `$[ … ]`: the expression's parts.
    Arithmetic(Vec<Part>),
    /// `<( … )` or `>( … )`.
    Process {
        /// What runs.
        script: Script,
        /// Whether it is `>( … )`.
        output: bool,
    },
}

/// A parameter and what is done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The variable's name, a number, or one of `@*#?-$!_`.
    pub name: String,
    /// `${name[index]}`: the index as it is written.
    pub index: Option<String>,
    /// `${!name}`: the name of the variable is the value of this one (or, with `@` or `*`, names or keys are listed).
    pub indirect: bool,
    /// What is done with the value.
    pub action: Action,
    /// Whether it stands within double quotes.
    pub quoted: bool,
}

/// What `${name…}` does with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Plain,
    /// `${#name}`.
    Length,
    /// `:-` or `-`: the word if there is no value.
    Default(Word, Missing),
    /// `:=` or `=`: the same, and it is assigned.
    Assign(Word, Missing),
    /// `:?` or `?`.
    Demand(Word, Missing),
    /// `:+` or `+`: the word if there is a value.
    Alternative(Word, Missing),
    /// `#`, `##`: without a prefix.
    WithoutPrefix {
        /// The pattern.
        pattern: Word,
        /// Whether it is the longest.
        longest: bool,
    },
    /// `%`, `%%`: without a suffix.
    WithoutSuffix {
        /// The pattern.
        pattern: Word,
        /// Whether it is the longest.
        longest: bool,
    },
    /// `/`, `//`, `/#`, `/%`.
    Replace {
        /// What is replaced.
        pattern: Word,
        /// By what.
        with: Word,
        /// Where.
        which: Which,
    },
    /// `:offset` or `:offset:length`.
    Slice {
        /// The offset, as it is written.
        offset: Word,
        /// The length, as it is written.
        length: Option<Word>,
    },
    /// `^`, `^^`, `,`, `,,`; the pattern is dropped.
    Case {
        /// Upper case, or lower.
        upper: bool,
        /// All characters, or the first.
        all: bool,
    },
    /// `@Q`, `@P`, `@E` and the like.
    Transform(char),
}

/// When a value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// If the variable is not set: `-`, `=`, `?`, `+`.
    Unset,
    /// Also if it is empty: the same with a colon.
    Empty,
}

/// Where `${name/…}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The first match.
    First,
    /// All.
    All,
    /// At the beginning.
    Prefix,
    /// At the end.
    Suffix,
}

/// What came out of parsing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The tree, as far as it could be recovered.
    pub script: Script,
    /// What was wrong. With any of them, the tree is not to be trusted alone.
    pub flaws: Vec<Flaw>,
}

/// Something that bash would not take, or that a person would not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// What it is.
    pub kind: FlawKind,
    /// Where.
    pub at: usize,
}

/// The kinds of flaw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlawKind {
    /// A quote, bracket, brace or `fi`/`done`/`esac` is missing at the end.
    Unclosed,
    /// Something stands where it cannot stand.
    Unexpected,
    /// Nested deeper than is followed.
    TooDeep,
    /// A NUL byte.
    Nul,
    /// Characters that show text in another order, or not at all.
    Invisible,
}
