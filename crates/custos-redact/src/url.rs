//! Passwords inside addresses: `scheme://user:password@host`, and the lines of a `.pgpass` file.
//!
//! Here the place says what it is, so words that would pass for placeholders elsewhere are taken as well:
//! `postgres:postgres@` is a password that works.

use crate::charset::Set;
use crate::scan::Scan;
use crate::{effort, placeholders, texture};

const KIND: &str = "url-password";
/// How far an escaped address is read.
const LONGEST_ESCAPED: usize = 512;
const LONGEST_HOST: usize = 255;

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
    if range.is_empty() || placeholders::stands_for_another(&scan.bytes[range.clone()]) {
        return None;
    }
    Some(scan.take(KIND, range))
}

/// Takes the password of an address that is escaped as a whole, `%3A%2F%2Fuser%3Apassword%40`, from its colon at `colon`.
pub(crate) fn escaped(scan: &mut Scan<'_, '_>, colon: usize) -> Option<usize> {
    let mut at = colon;
    for expected in [b':', b'/', b'/'] {
        let (sign, length) = escape(scan, at)?;
        if sign != expected {
            return None;
        }
        at += length;
    }
    let (mut password, mut host) = (None, None);
    let bound = at + LONGEST_ESCAPED;
    while at < bound {
        let (sign, length) = match escape(scan, at) {
            Some(escape) => escape,
            None => (scan.byte(at).filter(|&b| Set::Bare.has(b)).unwrap_or(b'/'), 1),
        };
        match sign {
            b'/' | b'?' | b'#' | b'&' | b' ' | b'"' | b'\'' | b'<' | b'>' => break,
            b':' => password = password.or(Some(at + length)),
            b'@' => host = Some(at),
            _ => {}
        }
        at += length;
    }
    effort::spend(at - colon);
    let range = password?..host?;
    if range.is_empty() {
        return None;
    }
    // `${PASS}` and `<pass>`, escaped like the rest.
    let filled_in_later =
        escape(scan, range.start).is_some_and(|(sign, _)| matches!(sign, b'$' | b'<' | b'{'));
    let stays = filled_in_later || placeholders::stands_for_another(&scan.bytes[range.clone()]);
    (!stays).then(|| scan.take(KIND, range))
}

/// Reads the escape at `at`, which may itself be escaped: `%3A`, `%253A`. Returns the sign and the length.
fn escape(scan: &Scan<'_, '_>, at: usize) -> Option<(u8, usize)> {
    let digits = scan.bytes.get(at..)?.strip_prefix(b"%")?;
    let depth = digits.chunks(2).take(2).take_while(|&pair| pair == b"25").count();
    let &[high, low] = digits.get(2 * depth..2 * depth + 2)? else { return None };
    let value = |digit: u8| char::from(digit).to_digit(16);
    let sign = u8::try_from(value(high)? * 16 + value(low)?).ok()?;
    Some((sign, 1 + 2 * depth + 2))
}

/// Takes the password of `host:port:database:user:password`, which is a line of its own.
pub(crate) fn pgpass(scan: &mut Scan<'_, '_>, colon: usize) -> Option<usize> {
    let port = colon + 1..scan.run(Set::Digit, colon + 1);
    let port = if scan.byte(port.start) == Some(b'*') { port.start..port.start + 1 } else { port };
    if scan.byte(port.end) != Some(b':') {
        return None;
    }
    let start = port.end + 1;
    let end = scan.run(Set::Line, start);
    let mut fields = scan.bytes[start..end].splitn(3, |&b| b == b':');
    let (database, user, password) = (fields.next()?, fields.next()?, fields.next()?);
    let is_name = |field: &[u8]| field == b"*" || !field.is_empty() && field.iter().all(|&b| Set::Url.has(b));
    if !is_name(database)
        || !is_name(user)
        || password.is_empty()
        || placeholders::stands_for_another(password)
    {
        return None;
    }
    // The port of PostgreSQL speaks for itself. Any other could be the number of a line.
    let known = scan.has(port.start, "5432");
    let letters = |field: &[u8]| field.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'*');
    let likely =
        matches!(port.len(), 1 | 4 | 5) && letters(database) && letters(user) && !password.contains(&b':');
    (known || likely && fills_line(scan, colon, end))
        .then(|| scan.take("pgpass-password", end - password.len()..end))
}

/// Says whether a line has nothing but a host before `colon` and ends at `end`.
fn fills_line(scan: &Scan<'_, '_>, colon: usize, end: usize) -> bool {
    let before = &scan.bytes[scan.floor..colon];
    let is_host = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'*');
    let host = before.iter().rev().take(LONGEST_HOST).take_while(is_host).count();
    effort::spend(host);
    let begins = before[..before.len() - host].last().is_none_or(|&b| b == b'\n');
    begins && host > 0 && scan.byte(end).is_none_or(|b| matches!(b, b'\n' | b'\r'))
}
