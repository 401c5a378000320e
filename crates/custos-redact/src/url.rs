//! Passwords inside addresses: `scheme://user:password@host`, and the lines of a `.pgpass` file.
//!
//! Here the place says what it is, so words that would pass for placeholders elsewhere are taken as well:
//! `postgres:postgres@` is a password that works.

use crate::charset::Set;
use crate::scan::Scan;
use crate::{texture, values};

const KIND: &str = "url-password";

/// Takes the password of the address whose `://` is at `colon`; in JSON it may be written `:\/\/`.
pub(crate) fn at(scan: &mut Scan<'_, '_>, colon: usize) -> Option<usize> {
    let start = if scan.has(colon, "://") {
        colon + 3
    } else if scan.has(colon, ":\\/\\/") {
        colon + 5
    } else {
        return None;
    };
    let end = scan.run(Set::Authority, start);
    let authority = &scan.bytes[start..end];
    // A password may hold an unescaped `@`; a host cannot.
    let user_info = &authority[..authority.iter().rposition(|&b| b == b'@')?];
    let range = match user_info.iter().position(|&b| b == b':') {
        Some(i) => start + i + 1..start + user_info.len(),
        // A token in the place of the user: `https://TOKEN@host`.
        None if user_info.len() >= 16 && texture::is_drawn(user_info) => start..start + user_info.len(),
        None => return None,
    };
    if range.is_empty() || values::stands_for_another(&scan.bytes[range.clone()]) {
        return None;
    }
    Some(scan.take(KIND, range))
}

/// Takes the password of `host:5432:database:user:password`.
pub(crate) fn pgpass(scan: &mut Scan<'_, '_>, colon: usize) -> Option<usize> {
    if !scan.has(colon, ":5432:") {
        return None;
    }
    let start = colon + ":5432:".len();
    let end = scan.run(Set::Line, start);
    let mut fields = scan.bytes[start..end].splitn(3, |&b| b == b':');
    let (database, user, password) = (fields.next()?, fields.next()?, fields.next()?);
    let is_name = |field: &[u8]| field == b"*" || !field.is_empty() && field.iter().all(|&b| Set::Url.has(b));
    if !is_name(database) || !is_name(user) || password.is_empty() || values::stands_for_another(password) {
        return None;
    }
    Some(scan.take("pgpass-password", end - password.len()..end))
}
