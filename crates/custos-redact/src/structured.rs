//! Tokens with parts: a known piece at the front, in the middle or at the end, and runs of known length around it.

use std::ops::Range;

use crate::charset::Set;
use crate::names;
use crate::scan::Scan;
use crate::shapes::ends_here;
use crate::texture;

type Match = Option<Range<usize>>;

/// What a login is in a sentence.
const LOGIN_WORDS: [&str; 9] = ["and", "attempt", "form", "name", "or", "page", "prompt", "screen", "with"];

/// Reads a run of `set` between `least` and `most` bytes long, and returns its end.
fn part(scan: &mut Scan<'_, '_>, set: Set, at: usize, least: usize, most: usize) -> Option<usize> {
    let end = scan.run(set, at);
    (least..=most).contains(&(end - at)).then_some(end)
}

/// Reads runs of `set` of the given lengths, joined by `joint`.
fn parts(scan: &mut Scan<'_, '_>, set: Set, joint: u8, at: usize, lengths: &[usize]) -> Option<usize> {
    let mut at = at;
    for (i, &length) in lengths.iter().enumerate() {
        if i > 0 {
            at = step(scan, at, joint)?;
        }
        at = part(scan, set, at, length, length)?;
    }
    ends_here(scan, at).then_some(at)
}

fn step(scan: &Scan<'_, '_>, at: usize, byte: u8) -> Option<usize> {
    (scan.byte(at) == Some(byte)).then_some(at + 1)
}

/// Looks back over a run of `set` before `end`, and returns its start. The letter of a `\n` before it does not count.
fn back(scan: &Scan<'_, '_>, set: Set, end: usize, lengths: Range<usize>) -> Option<usize> {
    let text = &scan.bytes[scan.floor..end];
    let length = text.iter().rev().take(lengths.end + 1).take_while(|&&b| set.has(b)).count();
    let start = end - length;
    let escape = scan.before(start) == Some(b'\\') && matches!(scan.byte(start), Some(b'n' | b'r' | b't'));
    let length = length - usize::from(escape);
    lengths.contains(&length).then_some(end - length)
}

/// `eyJ….eyJ….signature`, and the five parts of an encrypted one. Without a signature it is still someone's claims.
pub(crate) fn jwt(scan: &mut Scan<'_, '_>, at: usize, _: usize) -> Match {
    // Only where a run begins: from inside one, each `eyJ` of `eyJ-eyJ-…` would read all of the parts again.
    if scan.before(at).is_some_and(|b| Set::Dotted.has(b) && !b.is_ascii_alphanumeric()) {
        return None;
    }
    let mut end = part(scan, Set::Url, at, 17, usize::MAX)?;
    let claims = step(scan, end, b'.')?;
    let mut count = 1;
    while count < 5 {
        let Some(next) = step(scan, end, b'.') else { break };
        end = scan.run(Set::Url, next);
        count += 1;
    }
    if scan.has(claims, "eyJ") {
        // `header.claims.` at the end of a sentence: the full stop is not part of it.
        let shut = if scan.bytes[end - 1] == b'.' { end - 1 } else { end };
        return (scan.run(Set::Url, claims) - claims >= 10).then_some(at..shut);
    }
    (count == 5 && scan.bytes[end - 1] != b'.').then_some(at..end)
}

/// `SG.` 22 `.` 43.
pub(crate) fn sendgrid(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Url, b'.', tail, &[22, 43]).map(|end| at..end)
}

/// `re_` 8 `_` 24.
pub(crate) fn resend(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Alnum, b'_', tail, &[8, 24]).map(|end| at..end)
}

/// `PMAK-` 24 `-` 34.
pub(crate) fn postman(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Hex, b'-', tail, &[24, 34]).map(|end| at..end)
}

/// `A3-` 6 `-` 6 `-` 5 four times: the secret key of an account.
pub(crate) fn onepassword(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Upper, b'-', tail, &[6, 6, 5, 5, 5, 5])
        .or_else(|| parts(scan, Set::Upper, b'-', tail, &[6, 11, 5, 5, 5]))
        .map(|end| at..end)
}

/// `pat` 14 `.` 64.
pub(crate) fn airtable(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Alnum, b'.', tail, &[14, 64]).map(|end| at..end)
}

/// `dt0c01.` 24 `.` 64.
pub(crate) fn dynatrace(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Upper, b'.', tail, &[24, 64]).map(|end| at..end)
}

/// `1000.` 32 `.` 32.
pub(crate) fn zoho(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Hex, b'.', tail, &[32, 32]).map(|end| at..end)
}

/// A prefix and a UUID.
pub(crate) fn uuid(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Hex, b'-', tail, &[8, 4, 4, 4, 12]).map(|end| at..end)
}

/// `xkeysib-` 64 `-` 16.
pub(crate) fn brevo(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Alnum, b'-', tail, &[64, 16]).map(|end| at..end)
}

/// `dnkey-` 26 `-` 52.
pub(crate) fn nebula(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Upper, b'-', tail, &[26, 52]).map(|end| at..end)
}

/// `v1.0-` 24 `-` 146.
pub(crate) fn cloudflare_ca(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    parts(scan, Set::Hex, b'-', tail, &[24, 146]).map(|end| at..end)
}

/// Base64 of the claims, then `_` and a key; the other sorts of token have one part only.
pub(crate) fn sentry(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    let claims = part(scan, Set::Base64, tail, 40, usize::MAX)?;
    let end = step(scan, claims, b'_').map_or(claims, |key| scan.run(Set::Base64, key));
    ends_here(scan, end).then_some(at..end)
}

/// 14 `.atlasv1.` 60 or more.
pub(crate) fn terraform(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    let dot = at.checked_sub(1).filter(|&dot| dot >= scan.floor && scan.bytes[dot] == b'.')?;
    let start = back(scan, Set::Alnum, dot, 14..15)?;
    part(scan, Set::Url, tail, 60, usize::MAX).map(|end| start..end)
}

/// 32 hex digits, then `-us` and the number of a data centre. Its first digit belongs to the prefix, because `us` alone
/// begins many a word.
pub(crate) fn mailchimp(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    let dash = at.checked_sub(1).filter(|&dash| dash >= scan.floor && scan.bytes[dash] == b'-')?;
    let end = part(scan, Set::Digit, tail, 0, 1)?;
    let start = back(scan, Set::Hex, dash, 32..33)?;
    (ends_here(scan, end) && texture::has_digit(&scan.bytes[start..dash])).then_some(start..end)
}

/// The number of a bot, `:AA` and 33 more.
pub(crate) fn telegram(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    let colon = at.checked_sub(1).filter(|&colon| colon >= scan.floor && scan.bytes[colon] == b':')?;
    let start = back(scan, Set::Digit, colon, 8..11)?;
    let end = part(scan, Set::Url, tail, 32, 33)?;
    let joined = scan.before(start).is_some_and(|b| b.is_ascii_hexdigit() || b == b':');
    (!joined && ends_here(scan, end)).then_some(start..end)
}

/// The number of a bot in base64, a time, and a signature, joined by full stops.
pub(crate) fn discord(scan: &mut Scan<'_, '_>, at: usize, _: usize) -> Match {
    let number = part(scan, Set::Url, at, 23, 28)?;
    let time = step(scan, number, b'.')?;
    let time_end = part(scan, Set::Url, time, 6, 7)?;
    let sign = step(scan, time_end, b'.')?;
    let end = part(scan, Set::Url, sign, 27, 40)?;
    // Every third and fourth letter of encoded digits is one of a few.
    let digits = scan.bytes[at..number]
        .chunks_exact(4)
        .all(|c| b"AEIMQUYcgk".contains(&c[2]) && b"wxyz012345".contains(&c[3]));
    digits.then_some(at..end)
}

/// The path of a webhook: it is the password.
pub(crate) fn hook_path(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Match {
    let mut end = scan.run(Set::Url, tail);
    while let Some(next) = step(scan, end, b'/').or_else(|| scan.has(end, "\\/").then_some(end + 2)) {
        let stop = scan.run(Set::Url, next);
        if stop == next {
            break;
        }
        end = stop;
    }
    (end - tail >= 24 && texture::is_drawn(&scan.bytes[tail..end])).then_some(at..end)
}

/// `Bearer` and a token, wherever it stands. Beside a header's name `header` asks for less.
pub(crate) fn bearer(scan: &mut Scan<'_, '_>, _: usize, tail: usize) -> Match {
    let start = scan.skip_space(tail, true);
    let end = scan.run(Set::Dotted, start);
    let end = scan.run(Set::Base64, end);
    let token = &scan.bytes[start..end];
    (start > tail && token.len() >= 16 && texture::is_drawn(token)).then_some(start..end)
}

/// `machine HOST login USER password SECRET`, in any order and on one line or several.
pub(crate) fn netrc(scan: &mut Scan<'_, '_>, _: usize, tail: usize) -> Match {
    let host = scan.skip_space(tail, false);
    let mut at = scan.run(Set::Bare, host);
    // Without a dot it may be a sentence about machines and their login pages.
    let dotted = texture::sample(&scan.bytes[host..at]).contains(&b'.');
    let mut named = dotted || &scan.bytes[host..at] == b"localhost";
    for _ in 0..3 {
        let name = scan.skip_space(at, true);
        let end = scan.run(Set::Alnum, name);
        let value = scan.skip_space(end, true);
        at = scan.run(Set::Line, value);
        match &scan.bytes[name..end] {
            b"password" if at > value && named => return Some(value..at),
            b"login" | b"account" if dotted || !names::is_one_of(&scan.bytes[value..at], &LOGIN_WORDS) => {
                named = true;
            }
            _ => return None,
        }
    }
    None
}
