//! Follows a script from command to command.
//!
//! The walk knows where each command begins, which words before it are keywords, and in which directory it runs. A
//! `cd` counts for what follows it, but not out of a subshell, a pipeline or the background; where it may or may not
//! have happened, the directory is unknown from there on, and only absolute paths are told.

use std::rc::Rc;

use super::effects::{self, Then};
use super::frames::{Closer, Cwd, Directory, Frames, Leaves};
use super::lexer::{Direction, End, Lexer, Token};
use super::patch::by_patch;
use super::paths::{Place, Touched};
use super::words::Word;

/// How much of a command is looked at, in bytes.
pub(super) const LONGEST_SCRIPT: usize = 64 * 1024;
/// How deep scripts may nest: in substitutions, in `sh -c`, in here-documents for a shell.
const DEEPEST: usize = 4;

/// Notes the files that a shell command reads and changes, as far as its text tells for certain.
///
/// `cwd` is the directory in which it runs, `home` is what `~` stands for.
pub fn by_shell(command: &str, cwd: &str, home: Option<&str>, out: &mut Touched) {
    let text = &command[..command.floor_char_boundary(LONGEST_SCRIPT)];
    let lexer = Lexer::new(text, text.len() < command.len());
    Walk::new(lexer, Some(Rc::from(cwd)), home, 0).run(out);
}

/// How the next words are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// As a command.
    Command,
    /// As the list of a `for`: not at all, up to the end of the command.
    List,
    /// As the name of a function: not at all, and then as a command.
    Function,
    /// As a condition, up to `]]`.
    Condition,
    /// As the subject of a `case`, up to `in`.
    Subject,
    /// As a pattern of a `case`, up to `)`.
    Pattern,
}

/// What a command takes its here-document for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feed {
    /// A script to run.
    Script,
    /// A patch to apply.
    Patch,
}

struct Walk<'a> {
    lexer: Lexer<'a>,
    home: Option<&'a str>,
    depth: usize,
    directory: Directory,
    frames: Frames,
    mode: Mode,
    /// The words of the command so far.
    words: Vec<Word<'a>>,
    /// The here-document of the command so far.
    document: Option<usize>,
    /// What stood before the command.
    before: End,
    /// Whether a function has been named whose body comes next.
    function: bool,
    /// The here-documents that matter, each with its use and the directory of its command.
    fed: Vec<(usize, Feed, Cwd)>,
}

impl<'a> Walk<'a> {
    fn new(lexer: Lexer<'a>, cwd: Cwd, home: Option<&'a str>, depth: usize) -> Self {
        Self {
            lexer,
            home,
            depth,
            directory: Directory::new(cwd),
            frames: Frames::default(),
            mode: Mode::Command,
            words: Vec::new(),
            document: None,
            before: End::Line,
            function: false,
            fed: Vec::new(),
        }
    }

    fn run(mut self, out: &mut Touched) {
        while let Some(token) = self.lexer.next() {
            for script in std::mem::take(&mut self.lexer.nested) {
                self.nest(script, self.directory.now.clone(), out);
            }
            match token {
                Token::Word(word) => self.word(word),
                Token::Redirect(direction, word) => self.redirect(direction, &word, out),
                Token::Document(number) => self.document = Some(number),
                Token::End(end) => self.end(end, out),
                Token::Open => self.open(),
                Token::Close => self.close(out),
            }
        }
        self.finish(End::Line, out);
        for (number, feed, cwd) in std::mem::take(&mut self.fed) {
            let body = self.lexer.bodies.get(number).copied().unwrap_or_default();
            match feed {
                Feed::Script => self.nest(body, cwd, out),
                Feed::Patch => by_patch(body, cwd.as_deref().unwrap_or_default(), out),
            }
        }
    }

    /// Follows a script inside this one.
    fn nest(&self, script: &str, cwd: Cwd, out: &mut Touched) {
        if self.depth + 1 < DEEPEST {
            Walk::new(Lexer::new(script, false), cwd, self.home, self.depth + 1).run(out);
        }
    }

    fn word(&mut self, word: Word<'a>) {
        match self.mode {
            Mode::Command => {
                if !self.words.is_empty() || !self.is_prefix(&word) {
                    self.words.push(word);
                }
            }
            Mode::Function => self.mode = Mode::Command,
            Mode::Condition if word.text == "]]" => self.compound_ended(),
            Mode::Subject if word.bare && word.text == "in" => self.mode = Mode::Pattern,
            Mode::Pattern if word.bare && word.text == "esac" => {
                self.frames.leave(Closer::Esac, &mut self.directory);
                self.compound_ended();
            }
            Mode::List | Mode::Condition | Mode::Subject | Mode::Pattern => {}
        }
    }

    /// Takes a keyword, an assignment or an option of `time`, and returns whether the word was one.
    fn is_prefix(&mut self, word: &Word<'a>) -> bool {
        // No command begins with `-`, so this belongs to a keyword: `time -p`.
        if is_assignment(&word.text) || word.text.starts_with('-') {
            return true;
        }
        if !word.bare {
            return false;
        }
        match &*word.text {
            "!" | "then" | "do" | "time" | "coproc" => {}
            "if" | "while" | "until" => self.enter(Closer::Keyword, Leaves::Doubtful),
            "for" | "select" => {
                self.enter(Closer::Keyword, Leaves::Doubtful);
                self.mode = Mode::List;
            }
            "else" | "elif" => self.frames.branch(&mut self.directory),
            "fi" | "done" => {
                self.frames.leave(Closer::Keyword, &mut self.directory);
                self.compound_ended();
            }
            "case" => {
                self.enter(Closer::Esac, Leaves::Doubtful);
                self.mode = Mode::Subject;
            }
            "esac" => {
                self.frames.leave(Closer::Esac, &mut self.directory);
                self.compound_ended();
            }
            "function" => (self.function, self.mode) = (true, Mode::Function),
            "[[" => self.mode = Mode::Condition,
            "{" => {
                let leaves = match self.before {
                    _ if std::mem::take(&mut self.function) => Leaves::Doubtful,
                    End::Or => Leaves::Doubtful,
                    End::Pipe => Leaves::Restored,
                    _ => Leaves::Kept,
                };
                self.enter(Closer::Brace, leaves);
            }
            "}" => {
                self.frames.leave(Closer::Brace, &mut self.directory);
                self.compound_ended();
            }
            _ => return false,
        }
        true
    }

    fn enter(&mut self, closer: Closer, leaves: Leaves) {
        if !self.frames.enter(closer, leaves, &mut self.directory) {
            self.lexer.stop();
        }
        self.before = End::Line;
    }

    /// Forgets what stood before a construct that is over.
    fn compound_ended(&mut self) {
        self.mode = Mode::Command;
        self.before = End::Line;
    }

    fn redirect(&mut self, direction: Direction, target: &Word<'a>, out: &mut Touched) {
        // In a condition, `<` compares; in a pattern it is an error.
        if matches!(self.mode, Mode::Condition | Mode::Pattern) || !target.name().is_single() {
            return;
        }
        let place = Place { cwd: self.directory.now.as_deref(), home: self.home };
        match direction {
            Direction::In => place.read(target.name(), out),
            Direction::Out => place.changed(target.name(), out),
        }
    }

    fn open(&mut self) {
        if self.mode != Mode::Command {
            return;
        }
        // With words before it, it either defines a function or is an error.
        self.words.clear();
        if self.lexer.closes() {
            self.function = true;
        } else {
            self.enter(Closer::Bracket, Leaves::Restored);
        }
    }

    fn close(&mut self, out: &mut Touched) {
        match self.mode {
            Mode::Pattern => self.mode = Mode::Command,
            Mode::Condition => {}
            Mode::Command | Mode::List | Mode::Function | Mode::Subject => {
                self.finish(End::Line, out);
                self.frames.leave(Closer::Bracket, &mut self.directory);
                self.compound_ended();
            }
        }
    }

    fn end(&mut self, end: End, out: &mut Touched) {
        match self.mode {
            Mode::Condition if end != End::Semicolon => return,
            Mode::Subject | Mode::Pattern => return,
            // A list or a pipeline goes on after the end of a line.
            Mode::Command if end == End::Line && self.words.is_empty() && self.before.joins() => return,
            _ => self.mode = Mode::Command,
        }
        self.finish(end, out);
        if end == End::Or {
            self.directory.fall_back();
        } else if !end.joins() {
            self.directory.end_list(end == End::Background);
        }
        if end == End::Branch && self.frames.in_case() {
            self.frames.branch(&mut self.directory);
            self.mode = Mode::Pattern;
        }
    }

    /// Tells what the command did that `end` has ended.
    fn finish(&mut self, end: End, out: &mut Touched) {
        let words = std::mem::take(&mut self.words);
        let document = self.document.take();
        let place = Place { cwd: self.directory.now.as_deref(), home: self.home };
        match effects::of(&words, place, out) {
            Then::Nothing => {}
            // Each command of a pipeline has a shell of its own.
            Then::Enter(_) if self.before == End::Pipe || end == End::Pipe => {}
            Then::Enter(_) if self.before == End::Or => self.directory.lose(),
            Then::Enter(directory) => self.directory.now = directory.map(Rc::from),
            Then::Run(script) => self.nest(script, self.directory.now.clone(), out),
            Then::Feed(feed) => {
                self.fed.extend(document.map(|number| (number, feed, self.directory.now.clone())));
            }
        }
        self.before = end;
        self.words = words;
        self.words.clear();
    }
}

/// Returns whether a word before a command sets a variable.
pub(super) fn is_assignment(word: &str) -> bool {
    let end =
        word.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_')).unwrap_or(word.len());
    let (name, rest) = word.split_at(end);
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && (rest.starts_with('=') || rest.starts_with("+=") || (rest.starts_with('[') && rest.contains("]=")))
}
