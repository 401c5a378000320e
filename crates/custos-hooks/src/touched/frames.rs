//! The constructs that a script is in, and what leaving each does to the working directory.

use std::rc::Rc;

/// How deep constructs may nest before the rest of a script is given up.
const DEEPEST: usize = 64;

/// A working directory; `None` once a command has gone to a place that the text does not tell.
pub(super) type Cwd = Option<Rc<str>>;

/// Where a script is.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    /// The directory of the next command.
    pub(super) now: Cwd,
    /// The directory at the start of the list of commands: `cd a && b &` leaves this one behind.
    pub(super) list: Cwd,
    /// The directory at the end of the list, if only some of its commands get there: in `cd a || b; c`, `b` does not.
    pub(super) after: Option<Cwd>,
}

impl Directory {
    /// Begins in `cwd`.
    pub(super) fn new(cwd: Cwd) -> Self {
        Self { list: cwd.clone(), now: cwd, after: None }
    }

    /// Goes on behind `||`: if the list has left its directory, that may be what failed.
    pub(super) fn fall_back(&mut self) {
        if self.now != self.list && self.after.is_none() {
            self.after = Some(self.now.take());
        }
    }

    /// Loses track.
    pub(super) fn lose(&mut self) {
        self.now = None;
        self.after = self.after.take().map(|_| None);
    }

    /// Ends a list, of which one that ran in the background leaves nothing behind.
    pub(super) fn end_list(&mut self, background: bool) {
        let after = self.after.take();
        if background {
            self.now.clone_from(&self.list);
        } else {
            self.now = after.unwrap_or(self.now.take());
            self.list.clone_from(&self.now);
        }
    }
}

/// What ends a construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    /// `)`.
    Bracket,
    /// `}`.
    Brace,
    /// `fi` or `done`.
    Keyword,
    /// `esac`.
    Esac,
}

/// What a construct that changed the directory leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// The new directory: a group runs in the same shell.
    Kept,
    /// The old one: a subshell has its own.
    Restored,
    /// Nobody knows: a branch, a loop or a function may not have run.
    Doubtful,
}

#[derive(Debug)]
struct Frame {
    closer: Closer,
    leaves: Leaves,
    before: Directory,
}

/// The open constructs, outermost first.
#[derive(Debug, Default)]
pub(super) struct Frames(Vec<Frame>);

impl Frames {
    /// Enters a construct and returns whether there is room for it.
    pub(super) fn enter(&mut self, closer: Closer, leaves: Leaves, directory: &mut Directory) -> bool {
        let room = self.0.len() < DEEPEST;
        if room {
            self.0.push(Frame { closer, leaves, before: directory.clone() });
            *directory = Directory::new(directory.now.take());
        }
        room
    }

    /// Leaves the construct that `closer` ends, if the innermost one is that.
    ///
    /// A bracket also ends what was left open inside it: the script is wrong then, but what follows may not be.
    pub(super) fn leave(&mut self, closer: Closer, directory: &mut Directory) {
        let innermost = self.0.iter().rposition(|frame| frame.closer == closer);
        let Some(at) = innermost.filter(|at| closer == Closer::Bracket || at + 1 == self.0.len()) else {
            return;
        };
        let Some(frame) = self.0.drain(at..).next() else { return };
        let Directory { now, list, after } = frame.before;
        (directory.list, directory.after) = (list, after);
        match frame.leaves {
            Leaves::Kept => {}
            Leaves::Restored => directory.now = now,
            Leaves::Doubtful if directory.now == now => {}
            Leaves::Doubtful => directory.lose(),
        }
    }

    /// Goes to the next branch of a construct, which begins where the construct did.
    pub(super) fn branch(&self, directory: &mut Directory) {
        if let Some(frame) = self.0.last() {
            directory.now.clone_from(&frame.before.now);
        }
    }

    /// Returns whether the innermost construct is a `case`.
    pub(super) fn in_case(&self) -> bool {
        self.0.last().is_some_and(|frame| frame.closer == Closer::Esac)
    }
}
