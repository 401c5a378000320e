//! What an agent was sent for.
//!
//! Clients tell what a sub-agent is to do when the tool is called that sends it, and not when it starts. So the one hook leaves a note for
//! the other, in a small file beside the journals:
//!
//! ```text
//! +1794767701085⇥reviewer⇥Review the retry of the payment queue
//! -1794767700931⇥general-purpose⇥Find out why the import skips rows
//! ```
//!
//! A call that sends nobody pays nothing for it, one that does pays for one append. Whoever starts takes the oldest note for its sort that
//! nobody has taken, and says so by one byte: several that are sent at once start in their order. A note that is not taken soon belongs to a
//! call that never came to be. Notes are redacted, cut, and gone with their turn.

use std::path::{Path, PathBuf};
use std::{fs, io};

use custos_clients::overrides::Overrides;
use custos_clients::tool::{Deed, act};
use custos_clients::{Happening, HookEvent};
use custos_log::disk::Access;

use crate::scribe::Scribe;
use crate::session::Session;

/// How much is kept of what an agent is to do, in bytes: what is asked stands at its beginning.
const TASK: usize = 1024;

/// How much is kept of what sort it is.
const SORT: usize = 64;

/// A file that is longer is begun anew.
const LONGEST: u64 = 64 << 10;

/// How long after the call an agent starts, at most, in milliseconds.
const SOON: i64 = 2 * 60_000;

/// Notes what an agent is to do that a call sends, and lets go of all notes when a turn ends. Nothing is lost that matters if it cannot be.
pub(crate) fn note(scribe: &Scribe<'_>, session: &Session, event: &HookEvent, overrides: &Overrides) {
    let call = match &event.happening {
        Happening::ToolStarting { call } => call,
        Happening::TurnEnded { .. } | Happening::SessionEnded { .. } if event.agent.is_none() => {
            let _ = scribe.around.log.surroundings().disk.remove(&place(scribe, session));
            return;
        }
        _ => return,
    };
    let Some(act) = act(scribe.client.tools, overrides, call).filter(|act| act.deed == Deed::Delegate) else {
        return;
    };
    let sort = ["subagent_type", "agent_type"].iter().find_map(|name| call.input.get(name)?.as_str());
    let task = custos_redact::redact(&act.with[..act.with.floor_char_boundary(4 * TASK)]);
    let line = format!(
        "+{}\t{}\t{}\n",
        scribe.now.as_millis(),
        line(sort.unwrap_or_default(), SORT),
        line(&task, TASK)
    );
    let disk = &*scribe.around.log.surroundings().disk;
    let path = place(scribe, session);
    let opened = disk.open(&path, Access::Append).or_else(|_| {
        path.parent().map_or(Ok(()), |dir| disk.create_dirs(dir))?;
        disk.open(&path, Access::Append)
    });
    let _ = opened.and_then(|handle| {
        if handle.len()? > LONGEST {
            handle.truncate(0)?;
        }
        handle.append(line.as_bytes())
    });
}

/// Takes the note for an agent of a sort that starts; nothing where nobody said what it is to do.
pub(crate) fn take(scribe: &Scribe<'_>, session: &Session, sort: &str) -> Option<String> {
    let disk = &*scribe.around.log.surroundings().disk;
    let handle = disk.open(&place(scribe, session), Access::Edit).ok()?;
    // Where another one has just started, the worst that can happen is that both get the same.
    let _ = handle.try_lock();
    let mut bytes = vec![0; usize::try_from(handle.len().ok()?.min(2 * LONGEST)).ok()?];
    let read = handle.read_full_at(&mut bytes, 0).ok()?;
    let mut at = 0;
    for row in bytes[..read].split_inclusive(|byte| *byte == b'\n') {
        let offset = at;
        at += row.len() as u64;
        let Some(row) = std::str::from_utf8(row).ok().and_then(|row| row.strip_prefix('+')) else { continue };
        let mut fields = row.trim_end_matches('\n').splitn(3, '\t');
        let sent = fields.next().and_then(|sent| sent.parse::<i64>().ok()).unwrap_or_default();
        let (of, task) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let is_its = of.is_empty() || of == line(sort, SORT);
        if is_its && scribe.now.as_millis().saturating_sub(sent) <= SOON {
            handle.write_all_at(b"-", offset).ok()?;
            return Some(task.to_owned());
        }
    }
    None
}

/// Removes all notes, for whoever forgets something: they hold words of a person's tasks, and a turn that was cut off leaves its own behind.
pub fn forget_all(state: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory(state)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn directory(state: &Path) -> PathBuf {
    state.join("errands")
}

/// Makes one line of a text, and cuts it.
fn line(text: &str, most: usize) -> String {
    let text = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut text = text.collect::<Vec<_>>().join(" ");
    text.truncate(text.floor_char_boundary(most));
    text
}

fn place(scribe: &Scribe<'_>, session: &Session) -> PathBuf {
    directory(&scribe.around.log.places().state).join(&session.id)
}
