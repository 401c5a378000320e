//! Ids as lists print them and people give them back: the end of one, which tells it from others of the same minute, or its beginning.

use custos_model::EventId;
use rusqlite::params;

use crate::error::IndexError;
use crate::store::Index;

/// How many digits are enough to ask for.
const SHORTEST: usize = 8;

/// How many digits an id has, and how many of them lists print.
const DIGITS: usize = 32;
const PRINTED: usize = 12;

/// Reads a text as the digits of an id or a part of one; nothing if it cannot be either.
fn digits(text: &str) -> Option<String> {
    let digits: String = text.trim().chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
    let is_part =
        (SHORTEST..=DIGITS).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_part.then_some(digits)
}

/// Says whether a text has the form of an id, or of a part that is enough to ask for, whatever it names.
pub fn could_be_id(text: &str) -> bool {
    digits(text).is_some()
}

impl Index {
    /// Lists the texts whose id begins or ends with a part, in order; at most so many. What is too short or no part of an id fits none.
    pub fn ids_like(&mut self, part: &str, limit: usize) -> Result<Vec<EventId>, IndexError> {
        let Some(digits) = digits(part) else { return Ok(Vec::new()) };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let filled = |with: &str| bytes(&format!("{digits}{}", with.repeat(DIGITS - digits.len())));
        let (first, last) = (filled("0"), filled("f"));
        self.read(|connection, _| {
            let mut found = Vec::new();
            let mut beginning = connection.prepare_cached(
                "SELECT events.id FROM events JOIN texts ON texts.key = events.key AND texts.id = events.id
                    WHERE events.id BETWEEN ?1 AND ?2
                 UNION SELECT id FROM knowledge WHERE id BETWEEN ?1 AND ?2 LIMIT ?3",
            )?;
            for id in beginning.query_map(params![first, last, limit], |row| row.get(0))? {
                found.push(EventId::from_bytes(id?));
            }
            // As many as lists print are looked up; fewer are looked for.
            let sql = if digits.len() >= PRINTED {
                "SELECT id FROM texts WHERE substr(id, 11) = ?1 LIMIT ?2"
            } else {
                "SELECT id FROM texts WHERE substr(hex(id), -length(?1)) = ?1 LIMIT ?2"
            };
            let mut ending = connection.prepare_cached(sql)?;
            let mut rows = if digits.len() >= PRINTED {
                ending.query(params![bytes(&digits[digits.len() - PRINTED..]), limit])?
            } else {
                ending.query(params![digits.to_ascii_uppercase(), limit])?
            };
            while let Some(row) = rows.next()? {
                found.push(EventId::from_bytes(row.get(0)?));
            }
            found.retain(|id| {
                let spelt = id.to_string().replace('-', "");
                spelt.starts_with(&digits) || spelt.ends_with(&digits)
            });
            found.sort_unstable();
            found.dedup();
            Ok(found)
        })
    }
}

/// Reads digits two by two.
fn bytes(digits: &str) -> Vec<u8> {
    let value =
        |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()).unwrap_or(0);
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | value(*digit)))
        .collect()
}
