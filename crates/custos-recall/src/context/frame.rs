//! What a session is told from files: where the last one stopped, what binds, what waits for an answer.
//!
//! Files of a repo that nobody has looked at are labelled, because their texts may come from anywhere. What they call required binds nobody:
//! it stands apart from the rules, behind everything else, and short.

use std::sync::Arc;

use custos_knowledge::decision::{Decision, Enforce, Placed};
use custos_knowledge::{Base, Level, Store as Files, View};
use custos_model::access::{Protected, default_access};
use custos_model::{Kind, Scope, Timestamp, may_read};

use crate::fence::{age, cut};
use crate::policy::ToldOfFiles;
use crate::receipt::Frame;
use crate::viewer::Viewer;

/// What the files say, with whose handoff it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Filed {
    pub(super) frame: Frame,
    /// The session that the handoff is of.
    pub(super) handed_by: Option<String>,
    /// When it was written.
    pub(super) handed_at: Option<Timestamp>,
}

/// Reads what the files say; of rules and questions only what is new since an instant, if one is given.
pub(super) fn filed(
    base: &Base,
    view: &View,
    viewer: &Viewer<'_>,
    at: Timestamp,
    since: Option<Timestamp>,
    policy: &ToldOfFiles,
) -> Filed {
    let mut filed = Filed { frame: binding(base, view, viewer, since, policy), ..Filed::default() };
    handoff(base, view, at, policy, &mut filed);
    let mut questions = base.open_questions(view).questions;
    if let Some(since) = since {
        let asked = |asked: &str| asked.parse::<Timestamp>().ok();
        questions.retain(|question| question.asked.as_deref().and_then(asked) > Some(since));
    }
    let doubt = doubt(base, &view.own().store);
    let shown = questions.iter().take(policy.questions).map(|question| {
        let asked = question.asked.as_deref().and_then(|asked| asked.parse().ok());
        let asked = asked.map_or_else(String::new, |asked| format!(" ({})", age(at, asked)));
        format!("- {}{asked}{doubt}: {}", cut(&question.id, 16), cut(&question.title, policy.line))
    });
    filed.frame.questions = shown.collect();
    filed.frame.more.questions = questions.len().saturating_sub(policy.questions);
    filed
}

/// Reads what binds, nearest first, and what would if somebody had looked at it.
pub(super) fn binding(
    base: &Base,
    view: &View,
    viewer: &Viewer<'_>,
    since: Option<Timestamp>,
    policy: &ToldOfFiles,
) -> Frame {
    let mut required = base.decisions(view, false);
    required.retain(|placed| placed.kept.item.enforce == Enforce::Required && is_for(viewer, placed));
    if let Some(since) = since {
        // Whenever it was decided: it came here, or changed, when its file did.
        let changed =
            |placed: &Placed<Decision>| Some(placed.store.file_version(&placed.kept.file)?.modified());
        required.retain(|placed| changed(placed) > Some(since.as_millis()));
    }
    let mut frame = Frame::default();
    let Frame { rules, unreviewed, more, .. } = &mut frame;
    for level in required.chunk_by(|a, b| Arc::ptr_eq(&a.store, &b.store)) {
        // Asked once: to find out takes reading files.
        let doubt = level.first().map_or("", |placed| doubt(base, &placed.store));
        let (lines, more, most, width) = match doubt {
            "" => (&mut *rules, &mut more.rules, policy.rules, policy.line),
            _ => (&mut *unreviewed, &mut more.unreviewed, policy.unreviewed, policy.unreviewed_line),
        };
        let shown = level.len().min(most.saturating_sub(lines.len()));
        lines.extend(level.iter().take(shown).map(|placed| rule(placed, doubt, width)));
        *more += level.len() - shown;
    }
    frame
}

/// Says whether a decision is for somebody: those of the person are for whoever works for them, the others for everybody who works here.
fn is_for(viewer: &Viewer<'_>, placed: &Placed<Decision>) -> bool {
    placed.level != Level::User || {
        let acl = default_access(Kind::KnowledgeSaved, Scope::User, None);
        let own = Protected { scope: Scope::User, acl: &acl, project: None, session: None, agent: None };
        may_read(own, viewer.reader())
    }
}

fn rule(placed: &Placed<Decision>, doubt: &str, width: usize) -> String {
    let decision = &placed.kept.item;
    format!("- {} ({}{doubt}): {}", cut(&decision.id, 16), placed.level.word(), cut(&decision.title, width))
}

/// Marks what comes with a repo that nobody has looked at.
fn doubt(base: &Base, files: &Files) -> &'static str {
    let is_own = files.level == Level::User;
    if is_own || base.around().trusts(&files.root) { "" } else { ", unreviewed" }
}

fn handoff(base: &Base, view: &View, at: Timestamp, policy: &ToldOfFiles, filed: &mut Filed) {
    let Some(kept) = base.newest_handoff(view) else { return };
    let handoff = &kept.item;
    let parts = &handoff.parts;
    let time: Option<Timestamp> = handoff.date.parse().ok();
    let when = time.map_or_else(|| "at an unknown time".to_owned(), |time| age(at, time));
    let doubt = doubt(base, base.session_store(view));
    let mut lines = vec![format!("({when}, by the {}{doubt})", handoff.source.word())];
    // What the next session needs first, first.
    let parts = [
        ("Begin with", &parts.startup_text),
        ("Stopped at", &parts.stopped_at),
        ("In progress", &parts.in_progress),
        ("Next steps", &parts.next_steps),
        ("Blockers", &parts.blockers),
        ("Dirty branches", &parts.dirty_branches),
        ("Test results", &parts.test_results),
        ("Summary", &parts.summary),
        ("Pull requests", &parts.prs),
    ];
    let mut room = policy.handoff;
    for (heading, text) in parts.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
        let line = format!("- {heading}: {}", cut(text, policy.handoff_part.min(room)));
        room = room.saturating_sub(line.chars().count());
        lines.push(line);
        if room < policy.handoff_least {
            lines.push("- …".to_owned());
            break;
        }
    }
    if lines.len() > 1 {
        filed.frame.handoff = lines;
        filed.handed_by.clone_from(&handoff.session);
        filed.handed_at = time;
    }
}
