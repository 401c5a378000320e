//! What is read before anybody asks for it.
//!
//! A question is answered from what was read before, but for the files that have changed since. Mostly these are a few. A `git checkout`
//! changes thousands, and whoever asks next would wait until all of them are read. So a server that has nothing else to do waits for changes
//! and reads what came ([`Changes`]), again and again while more comes: at the end of a checkout nearly all of it is read.
//!
//! Nothing depends on it: whoever asks looks at the files all the same. Where the system tells of no changes, nobody reads ahead of them, nor
//! where there are so few files that nobody would notice.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::base::{Base, Stack, View};
use crate::directory::{Alarm, WORTH_IT};

/// How long changes are gathered before somebody reads what came: whoever is woken by each of a thousand is in their way.
pub const GATHERING: Duration = Duration::from_millis(4);

/// Tells of changes to decisions and memories, of which there may be thousands.
#[derive(Debug)]
pub struct Changes(Alarm);

impl Changes {
    /// Waits for some, and for so long that more may come. Says whether there were any: else nobody will ever tell.
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever is woken by each of a thousand changes is in their way"
    )]
    pub fn wait(&self, gathering: Duration) -> bool {
        let Self(alarm) = self;
        let has_rung = alarm.rings();
        if has_rung {
            thread::sleep(gathering);
        }
        has_rung
    }

    /// Says whether nothing comes for so long. What comes meanwhile is still there to be waited for.
    pub fn rest(&self, quiet: Duration) -> bool {
        let Self(alarm) = self;
        alarm.is_silent(quiet)
    }
}

impl Base {
    /// Says whether a project has so many decisions or memories that it takes a moment to read them.
    pub fn is_large(&self, view: &View) -> bool {
        self.to_check(view).iter().any(|stack| {
            let shelves = stack.memories.iter().map(|shelf| shelf.count(&stack.store));
            shelves.chain([stack.decisions.count(&stack.store)]).any(|count| count >= WORTH_IT)
        })
    }

    /// Asks to be told of changes to what is read for a project; nothing if nobody tells.
    pub fn changes(&self, view: &View) -> Option<Changes> {
        let stacks = self.to_check(view);
        Alarm::set(stacks.iter().flat_map(|stack| directories(stack))).map(Changes)
    }

    /// Reads what most questions about a project need: its decisions, memories and tasks, and the titles with which new ones are compared.
    pub fn read_ahead(&self, view: &View) {
        for placed in self.decisions(view, false) {
            placed.kept.wording();
        }
        for placed in self.memories(view, None) {
            placed.kept.wording();
        }
        self.tasks(view, None);
    }

    /// Reads what came to a project since: for questions, and for the doctor.
    pub fn keep_up(&self, view: &View) {
        self.read_ahead(view);
        for stack in self.to_check(view) {
            stack.cards.keep_up(&stack.store);
        }
    }

    /// Prepares the doctor's look at a project whose files nobody has catalogued for it.
    pub fn check_ahead(&self, view: &View) {
        for stack in self.to_check(view) {
            stack.cards.make_ahead(&stack.store);
        }
    }
}

/// The directories with many files in them, and the one above: they may come and go as well, and so may the whole store.
fn directories(stack: &Stack) -> Vec<PathBuf> {
    if !stack.store.exists() {
        return vec![stack.store.root.clone()];
    }
    let below = ["decisions", "memory", "memory/feedback", "memory/patterns"];
    let paths = below.iter().map(|directory| stack.store.path(directory));
    paths.chain([stack.store.dir.clone()]).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::thread;

    use super::GATHERING;
    use crate::testing::Desk;

    fn put(desk: &Desk, number: usize, title: &str) {
        desk.put(
            &format!("decisions/D-{number:03}-x.md"),
            format!("---\nid: D-{number:03}\ntitle: {title}\n---\n\nText.\n"),
        );
    }

    fn unread(desk: &Desk) -> usize {
        let view = desk.view();
        let stack = view.own();
        stack.decisions.unread(&stack.store)
    }

    #[test]
    fn what_changes_is_read_before_anybody_asks() {
        let desk = Desk::repo();
        let view = desk.view();
        (1..=80).for_each(|number| put(&desk, number, "Use UTC"));
        let changes = desk.base.changes(&view).unwrap();
        desk.base.keep_up(&view);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| changes.wait(GATHERING));
            (1..=80).for_each(|number| put(&desk, number, "Keep logs"));
            fs::remove_file(view.own().store.path("decisions/D-007-x.md")).unwrap();
            assert!(waiting.join().unwrap());
        });
        // Nobody has looked since.
        assert_eq!(unread(&desk), 79);
        desk.base.keep_up(&view);
        assert_eq!(unread(&desk), 0);
    }

    #[test]
    fn a_directory_that_comes_is_told_as_well() {
        let desk = Desk::repo();
        let view = desk.view();
        desk.put("questions.md", "");
        let changes = desk.base.changes(&view).unwrap();
        put(&desk, 1, "Use UTC");
        assert!(changes.wait(GATHERING));
        let changes = desk.base.changes(&view).unwrap();
        put(&desk, 2, "Keep logs");
        assert!(changes.wait(GATHERING));
    }

    #[test]
    fn a_base_that_is_away_for_a_moment_is_waited_for() {
        let desk = Desk::repo();
        let view = desk.view();
        put(&desk, 1, "Use UTC");
        let (store, aside) = (&view.own().store, view.root.path.join("aside"));
        fs::rename(&store.dir, &aside).unwrap();
        let changes = desk.base.changes(&view).unwrap();
        fs::rename(&aside, &store.dir).unwrap();
        assert!(changes.wait(GATHERING));
        let changes = desk.base.changes(&view).unwrap();
        put(&desk, 2, "Keep logs");
        assert!(changes.wait(GATHERING));
        fs::remove_dir_all(&view.root.path).unwrap();
        assert!(desk.base.changes(&view).is_none());
    }

    #[test]
    fn few_files_are_not_worth_it() {
        let desk = Desk::repo();
        (1..64).for_each(|number| put(&desk, number, "Use UTC"));
        assert!(!desk.base.is_large(&desk.view()));
        put(&desk, 64, "Use UTC");
        assert!(desk.base.is_large(&desk.view()));
    }
}
