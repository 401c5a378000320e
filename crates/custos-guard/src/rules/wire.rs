//! A policy as bytes, for the cache.
//!
//! Numbers and lengths in front of texts, nothing else: a hook decodes a policy in a few microseconds. Whoever changes the form changes the
//! heading of the cache with it; there is no other version to be read.

use super::entry::{Flag, Ops, Setting};
use super::glob::PathPattern;
use super::pattern::CommandPattern;
use super::policy::{Adjustment, CommandRule, Level, Origin, PathRule, Policy, Stated};
use crate::verdict::Hold;

/// Writes a policy.
pub(crate) fn encode(policy: &Policy) -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(1024));
    out.list(&policy.branches, |out, said| {
        out.origin(said.origin);
        out.text(&said.value);
    });
    out.list(&policy.commands, |out, rule| {
        out.origin(rule.origin);
        out.byte(rule.hold as u8);
        out.text(&rule.id);
        out.text(rule.pattern.text());
        out.text(&rule.reason);
    });
    out.list(&policy.paths, |out, rule| {
        out.origin(rule.origin);
        out.byte(rule.hold as u8);
        out.byte(rule.ops.bits());
        out.text(&rule.id);
        out.path(&rule.pattern);
        out.text(&rule.reason);
    });
    out.list(&policy.allowed_commands, |out, said| {
        out.origin(said.origin);
        out.text(said.value.text());
    });
    out.list(&policy.allowed_paths, |out, said| {
        out.origin(said.origin);
        out.byte(said.value.1.bits());
        out.path(&said.value.0);
    });
    out.list(&policy.adjustments, |out, said| {
        out.origin(said.origin);
        out.byte(u8::from(said.value.is_pack));
        out.byte(said.value.to as u8);
        out.text(&said.value.name);
    });
    out.list(&policy.flags, |out, said| {
        out.origin(said.origin);
        out.byte(said.value.0 as u8);
        out.byte(u8::from(said.value.1));
    });
    out.list(&policy.problems, |out, problem| out.text(problem));
    out.0
}

/// Reads a policy; `None` if the bytes are not one.
pub(crate) fn decode(bytes: &[u8]) -> Option<Policy> {
    let mut read = Reader(bytes);
    let policy = Policy {
        branches: read.list(|read| Some(Stated { origin: read.origin()?, value: read.text()? }))?,
        commands: read.list(|read| {
            Some(CommandRule {
                origin: read.origin()?,
                hold: read.hold()?,
                id: read.text()?,
                pattern: CommandPattern::checked(read.text()?),
                reason: read.text()?,
            })
        })?,
        paths: read.list(|read| {
            Some(PathRule {
                origin: read.origin()?,
                hold: read.hold()?,
                ops: Ops::from_bits(read.byte()?)?,
                id: read.text()?,
                pattern: read.path()?,
                reason: read.text()?,
            })
        })?,
        allowed_commands: read.list(|read| {
            Some(Stated { origin: read.origin()?, value: CommandPattern::checked(read.text()?) })
        })?,
        allowed_paths: read.list(|read| {
            let origin = read.origin()?;
            let ops = Ops::from_bits(read.byte()?)?;
            Some(Stated { origin, value: (read.path()?, ops) })
        })?,
        adjustments: read.list(|read| {
            let origin = read.origin()?;
            let is_pack = read.flag()?;
            let to = *Setting::ALL.get(usize::from(read.byte()?))?;
            Some(Stated { origin, value: Adjustment { is_pack, to, name: read.text()? } })
        })?,
        flags: read.list(|read| {
            let origin = read.origin()?;
            let flag = *Flag::ALL.get(usize::from(read.byte()?))?;
            Some(Stated { origin, value: (flag, read.flag()?) })
        })?,
        problems: read.list(Reader::text)?,
        only_in: None,
    };
    read.0.is_empty().then_some(policy)
}

struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn number(&mut self, number: usize) {
        self.0.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend(text.as_bytes());
    }

    fn path(&mut self, pattern: &PathPattern) {
        self.text(pattern.text());
        self.byte(u8::from(pattern.root().is_some()));
        self.text(pattern.root().unwrap_or_default());
    }

    fn origin(&mut self, origin: Origin) {
        self.byte(origin.level as u8);
        self.0.extend(origin.line.to_le_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.number(items.len());
        for each in items {
            item(self, each);
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.byte()? != 0)
    }

    fn hold(&mut self) -> Option<Hold> {
        [Hold::Ask, Hold::Deny].get(usize::from(self.byte()?)).copied()
    }

    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<String> {
        let len = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        str::from_utf8(text).ok().map(str::to_owned)
    }

    fn path(&mut self) -> Option<PathPattern> {
        let text = self.text()?;
        let has_root = self.flag()?;
        let root = self.text()?;
        Some(PathPattern::checked(text, has_root.then_some(root)))
    }

    fn origin(&mut self) -> Option<Origin> {
        let level = *Level::ALL.get(usize::from(self.byte()?))?;
        Some(Origin { level, line: self.number()? })
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // The number is believed only as far as items follow: damage must not reserve memory.
        let count = self.number()?;
        (0..count).map(|_| item(self)).collect()
    }
}
