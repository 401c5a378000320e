//! What somebody may see: the one door through which everything leaves this crate.
//!
//! Whoever reads a row for somebody else asks here, also where a filter of the question has already left out other projects: a filter is
//! what was asked for, this is what is allowed.

use custos_index::Entry;
use custos_model::{Kind, may_read};

use crate::viewer::Viewer;

/// Decides whether somebody may see an entry: its scope reaches them, its access list names them, and it is not a prompt that is kept
/// from sub-agents.
pub fn may_see(viewer: &Viewer<'_>, entry: &Entry) -> bool {
    let is_shown = viewer.sees_prompts || entry.kind != Kind::PromptSubmitted;
    is_shown && may_read(entry.protected(), viewer.reader)
}
