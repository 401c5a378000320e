//! How items are spelt in a catalogue: field by field, in the order of their declaration.

use super::Catalogued;
use super::wire::{Reader, Writer};
use crate::decision::{Decision, Enforce};
use crate::memory::{Memory, MemoryKind, PutAway};

impl Catalogued for Decision {
    fn spell(&self, out: &mut Writer) {
        // Taken apart by name, so that a field that is added is not forgotten here.
        let Self {
            id,
            slug,
            title,
            date,
            source,
            enforce,
            session,
            scope,
            status,
            superseded_by,
            supersedes,
            revoked_reason,
            guarded,
            decision,
            reasoning,
        } = self;
        [id, slug, title, date, source].into_iter().for_each(|text| out.text(text));
        out.byte(u8::from(*enforce == Enforce::Required));
        out.some_text(session.as_deref());
        out.texts(scope);
        out.text(status);
        out.some_text(superseded_by.as_deref());
        out.texts(supersedes);
        out.some_text(revoked_reason.as_deref());
        out.byte(u8::from(*guarded));
        out.text(decision);
        out.text(reasoning);
    }

    fn recall(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            id: from.text()?.to_owned(),
            slug: from.text()?.to_owned(),
            title: from.text()?.to_owned(),
            date: from.text()?.to_owned(),
            source: from.text()?.to_owned(),
            enforce: if from.flag()? { Enforce::Required } else { Enforce::Advisory },
            session: from.some_text()?,
            scope: from.texts()?,
            status: from.text()?.to_owned(),
            superseded_by: from.some_text()?,
            supersedes: from.texts()?,
            revoked_reason: from.some_text()?,
            guarded: from.flag()?,
            decision: from.text()?.to_owned(),
            reasoning: from.text()?.to_owned(),
        })
    }
}

impl Catalogued for Memory {
    fn spell(&self, out: &mut Writer) {
        let Self {
            slug,
            kind,
            title,
            source,
            date,
            updated,
            keywords,
            session,
            scope,
            archived,
            description,
            body,
        } = self;
        out.text(slug);
        out.byte(u8::from(*kind == MemoryKind::Pattern));
        [title, source, date].into_iter().for_each(|text| out.text(text));
        out.some_text(updated.as_deref());
        out.texts(keywords);
        out.some_text(session.as_deref());
        out.texts(scope);
        out.byte(u8::from(archived.is_some()));
        if let Some(PutAway { time, reason, superseded_by }) = archived {
            out.text(time);
            out.text(reason);
            out.some_text(superseded_by.as_deref());
        }
        out.text(description);
        out.text(body);
    }

    fn recall(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            slug: from.text()?.to_owned(),
            kind: if from.flag()? { MemoryKind::Pattern } else { MemoryKind::Feedback },
            title: from.text()?.to_owned(),
            source: from.text()?.to_owned(),
            date: from.text()?.to_owned(),
            updated: from.some_text()?,
            keywords: from.texts()?,
            session: from.some_text()?,
            scope: from.texts()?,
            archived: if from.flag()? { Some(put_away(from)?) } else { None },
            description: from.text()?.to_owned(),
            body: from.text()?.to_owned(),
        })
    }
}

fn put_away(from: &mut Reader<'_>) -> Option<PutAway> {
    Some(PutAway {
        time: from.text()?.to_owned(),
        reason: from.text()?.to_owned(),
        superseded_by: from.some_text()?,
    })
}
