//! From a name to its row: a table of row numbers, found by hash and searched onwards from there.
//!
//! A row has up to two entries: one under its name alone, for whoever wants the vector of a text, and one under its name and
//! scope, for whoever asks whether the text is known there. So a text that occurs in a thousand projects does not make a
//! row of a thousand entries to be searched.
//!
//! The file begins with the number of rows that were entered. Where that is less than there are, a writer died in between,
//! and the next one enters the rest.

use std::collections::HashMap;

use custos_model::piece::PieceId;

use crate::scope::ScopeTag;
use crate::sections::Sections;

/// The bytes of an entry: the number of a row, counted from one. Zero is free.
const ENTRY: usize = 4;

/// The bytes of the number that the file begins with.
const HEADER: usize = 8;

/// How many entries are looked at before the search ends.
///
/// At least half of the table is free, so hardly any row is further from its place; a table of nonsense has an end, too.
const PROBES: usize = 128;

/// The smallest table.
const FEWEST: usize = 1024;

/// A table, as its file has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slots<'a> {
    entered: u64,
    entries: &'a [[u8; ENTRY]],
}

/// Under what a row is entered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) name: PieceId,
    pub(crate) scope: Option<ScopeTag>,
}

impl Entry {
    fn hash(self) -> u64 {
        let [low, high] = *self.name.as_bytes().as_chunks::<8>().0 else { return 0 };
        let scope = self.scope.map_or(0, ScopeTag::number);
        // Names are hashes, but whoever writes texts may have chosen them: both halves count.
        let mixed = u64::from_le_bytes(low) ^ u64::from_le_bytes(high).rotate_left(32) ^ scope;
        mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Lists the places of an entry in a table of a size, the first choice first.
    fn places(self, capacity: usize) -> impl Iterator<Item = usize> {
        // A power of two, or nothing at all.
        let mask = capacity.wrapping_sub(1);
        let first = (self.hash() >> 32) as usize;
        (0..PROBES.min(capacity)).map(move |step| first.wrapping_add(step) & mask)
    }
}

impl<'a> Slots<'a> {
    /// Takes a file for a table; anything that is none is empty.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let nothing = Self { entered: 0, entries: &[] };
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return nothing };
        let (entries, []) = rest.as_chunks() else { return nothing };
        if !entries.len().is_power_of_two() {
            return nothing;
        }
        Self { entered: u64::from_le_bytes(*header), entries }
    }

    /// Finds a row that is entered under something, and that `is_it` takes for the right one.
    pub(crate) fn find(self, entry: Entry, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        for place in entry.places(self.entries.len()) {
            match u32::from_le_bytes(self.entries[place]) {
                0 => return None,
                number => {
                    let row = number as usize - 1;
                    if is_it(row) {
                        return Some(row);
                    }
                }
            }
        }
        None
    }

    /// Says how many rows were entered; more than there are means that the table is another's.
    pub(crate) fn entered(self) -> u64 {
        self.entered
    }

    /// Says whether there is room for as many rows.
    pub(crate) fn holds(self, rows: usize) -> bool {
        self.entries.len() >= capacity(rows)
    }

    /// Says whether so many more rows are better entered by writing the table anew than one by one.
    pub(crate) fn is_better_anew(self, more: usize) -> bool {
        more.saturating_mul(8) > self.entries.len()
    }
}

/// Gives the size of a table for as many rows: two entries each, and as much again free.
fn capacity(rows: usize) -> usize {
    rows.saturating_mul(4).max(FEWEST).next_power_of_two()
}

/// Entries that are to be made in a table.
#[derive(Debug)]
pub(crate) struct Additions<'a> {
    slots: Slots<'a>,
    sections: &'a Sections,
    made: HashMap<usize, u32>,
}

impl<'a> Additions<'a> {
    /// Enters the rows of some sections that were not entered yet.
    pub(crate) fn to(slots: Slots<'a>, sections: &'a Sections) -> Self {
        let mut additions = Self { slots, sections, made: HashMap::new() };
        for row in usize::try_from(slots.entered).unwrap_or(usize::MAX)..sections.len() {
            for entry in under(sections, row) {
                additions.enter(entry, row);
            }
        }
        additions
    }

    fn enter(&mut self, entry: Entry, row: usize) {
        let Ok(number) = u32::try_from(row + 1) else { return };
        let at = |place| {
            let entered = u32::from_le_bytes(self.slots.entries[place]);
            if entered == 0 { self.made.get(&place).copied().unwrap_or(0) } else { entered }
        };
        if let Some(free) = free(entry, self.slots.entries.len(), self.sections, at) {
            self.made.insert(free, number);
        }
    }

    /// Lists what is to be written, and where.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (u64, [u8; ENTRY])> {
        self.made.iter().map(|(place, number)| ((HEADER + place * ENTRY) as u64, number.to_le_bytes()))
    }
}

/// Writes the number of rows that were entered, as the file begins with it.
pub(crate) fn header(rows: usize) -> [u8; HEADER] {
    (rows as u64).to_le_bytes()
}

/// Makes a table of all rows, as a file.
pub(crate) fn anew(sections: &Sections) -> Vec<u8> {
    let mut file = header(sections.len()).to_vec();
    file.resize(HEADER + capacity(sections.len()) * ENTRY, 0);
    let (entries, _) = file[HEADER..].as_chunks_mut::<ENTRY>();
    for row in 0..sections.len() {
        let Ok(number) = u32::try_from(row + 1) else { break };
        for entry in under(sections, row) {
            let at = |place: usize| u32::from_le_bytes(entries[place]);
            if let Some(free) = free(entry, entries.len(), sections, at) {
                entries[free] = number.to_le_bytes();
            }
        }
    }
    file
}

/// Lists what a row is entered under: its name alone, and with its scope. One that is no vector is not entered.
fn under(sections: &Sections, row: usize) -> impl Iterator<Item = Entry> {
    let name = sections.name(row).filter(|_| sections.is_sound(row));
    let scope = sections.scope(row);
    name.into_iter().flat_map(move |name| [Entry { name, scope: None }, Entry { name, scope: Some(scope) }])
}

/// Finds the place where an entry is to be made; none if the name is already entered there, or if everything near is taken.
///
/// What is left out for want of room is not found by its name, which is no worse than a vector that was not made yet.
fn free(entry: Entry, capacity: usize, sections: &Sections, at: impl Fn(usize) -> u32) -> Option<usize> {
    let is_same = |number: u32| {
        let row = number as usize - 1;
        sections.name(row) == Some(entry.name)
            && entry.scope.is_none_or(|scope| sections.scope(row) == scope)
            && sections.is_sound(row)
    };
    for place in entry.places(capacity) {
        match at(place) {
            0 => return Some(place),
            number if is_same(number) => return None,
            _ => {}
        }
    }
    None
}
