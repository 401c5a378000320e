//! How items are spelt in a catalogue: field by field, in the order of their declaration.

use super::Catalogued;
use super::wire::{Reader, Writer};
use crate::decision::{Decision, Enforce};
use crate::memory::{Memory, MemoryKind, PutAway};
use crate::text::{Passage, Wording};

impl Catalogued for Decision {
    const KIND: &'static str = "decision";

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
            sections,
        } = self;
        for text in [id, slug, title, date, source] {
            out.text(text);
        }
        out.flag(*enforce == Enforce::Required);
        out.some_text(session.as_deref());
        out.texts(scope);
        out.text(status);
        out.some_text(superseded_by.as_deref());
        out.texts(supersedes);
        out.some_text(revoked_reason.as_deref());
        out.flag(*guarded);
        out.text(decision);
        out.text(reasoning);
        spell_sections(sections, out);
    }

    fn recall(from: &mut Reader<'_>) -> Self {
        Self {
            id: from.owned(),
            slug: from.owned(),
            title: from.owned(),
            date: from.owned(),
            source: from.owned(),
            enforce: if from.flag() { Enforce::Required } else { Enforce::Advisory },
            session: from.some_text(),
            scope: from.texts(),
            status: from.owned(),
            superseded_by: from.some_text(),
            supersedes: from.texts(),
            revoked_reason: from.some_text(),
            guarded: from.flag(),
            decision: from.owned(),
            reasoning: from.owned(),
            sections: recall_sections(from),
        }
    }
}

impl Catalogued for Memory {
    const KIND: &'static str = "memory";

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
            sections,
        } = self;
        out.text(slug);
        out.flag(*kind == MemoryKind::Pattern);
        for text in [title, source, date] {
            out.text(text);
        }
        out.some_text(updated.as_deref());
        out.texts(keywords);
        out.some_text(session.as_deref());
        out.texts(scope);
        out.flag(archived.is_some());
        if let Some(PutAway { time, reason, superseded_by }) = archived {
            out.text(time);
            out.text(reason);
            out.some_text(superseded_by.as_deref());
        }
        out.text(description);
        out.text(body);
        spell_sections(sections, out);
    }

    fn recall(from: &mut Reader<'_>) -> Self {
        Self {
            slug: from.owned(),
            kind: if from.flag() { MemoryKind::Pattern } else { MemoryKind::Feedback },
            title: from.owned(),
            source: from.owned(),
            date: from.owned(),
            updated: from.some_text(),
            keywords: from.texts(),
            session: from.some_text(),
            scope: from.texts(),
            archived: from.flag().then(|| put_away(from)),
            description: from.owned(),
            body: from.owned(),
            sections: recall_sections(from),
        }
    }
}

fn put_away(from: &mut Reader<'_>) -> PutAway {
    PutAway { time: from.owned(), reason: from.owned(), superseded_by: from.some_text() }
}

fn spell_sections(sections: &[Passage], out: &mut Writer) {
    out.count(sections.len());
    for Passage { heading, text } in sections {
        out.text(heading);
        out.text(text);
    }
}

fn recall_sections(from: &mut Reader<'_>) -> Vec<Passage> {
    (0..from.count()).map(|_| Passage { heading: from.owned(), text: from.owned() }).collect()
}

impl Wording {
    /// Spells the wording of a title.
    pub(super) fn spell(&self, out: &mut Writer) {
        let Self { words, stems, wordless } = self;
        out.text(words);
        out.count(stems.len());
        out.words(stems);
        out.some_text(wordless.as_deref());
    }

    /// Reads what [`Wording::spell`] wrote.
    pub(super) fn recall(from: &mut Reader<'_>) -> Self {
        Self {
            words: from.owned(),
            stems: (0..from.count()).map(|_| from.word()).collect(),
            wordless: from.some_text(),
        }
    }
}
