//! Headers whose value has parts: the scheme stays and the credentials go, the cookie's name stays and its value goes.

use std::ops::Range;

use crate::charset::Set;
use crate::names::{self, Class, Telling, Weight};
use crate::placeholders;
use crate::redaction::Finding;
use crate::scan::Scan;
use crate::texture;
use crate::values::{self, Manner};

const AUTHORIZATION: &str = "authorization";
const COOKIE: &str = "cookie";
/// The schemes behind which any value is a credential.
const SCHEMES: [&str; 11] =
    ["bearer", "basic", "token", "apikey", "digest", "negotiate", "bot", "key", "splunk", "ssws", "genie"];
const LONGEST_SCHEME: usize = 24;
/// The attributes of a cookie, which are not cookies.
const ATTRIBUTES: [&str; 8] =
    ["path", "domain", "expires", "max-age", "samesite", "secure", "httponly", "version"];
/// Cookies that carry a session, by what their name contains.
const SESSIONS: [&str; 8] = ["sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember"];
/// The most cookies of one header that are looked at.
const MOST_COOKIES: usize = 64;

/// Takes the credentials of an `Authorization` header whose value begins at `at`.
pub(crate) fn authorization(scan: &mut Scan<'_, '_>, at: usize) -> Option<usize> {
    let range = credentials(scan, at)?;
    Some(scan.take(AUTHORIZATION, range))
}

/// Takes the session values of a cookie header whose value begins at `at`.
pub(crate) fn cookies(scan: &mut Scan<'_, '_>, at: usize) -> Option<usize> {
    let mut end = None;
    let mut at = at;
    for _ in 0..MOST_COOKIES {
        let start = scan.skip_space(at, false);
        let name = start..scan.run(Set::Dotted, start);
        if scan.byte(name.end) != Some(b'=') {
            // An attribute without a value, such as `HttpOnly`, or the end.
            if name.is_empty() || scan.byte(name.end) != Some(b';') {
                break;
            }
            at = name.end + 1;
            continue;
        }
        let value = name.end + 1..scan.run(Set::Cookie, name.end + 1);
        let next = value.end;
        if is_session(&scan.bytes[name], &scan.bytes[value.clone()]) {
            end = Some(scan.take(COOKIE, value));
        }
        if scan.byte(next) != Some(b';') {
            break;
        }
        at = next + 1;
    }
    end
}

/// Finds the credentials in the value of an `Authorization` field.
pub(crate) fn authorization_value(value: &str) -> Vec<Finding> {
    in_value(value, authorization)
}

/// Finds the session values in the value of a `Cookie` field.
pub(crate) fn cookie_value(value: &str) -> Vec<Finding> {
    in_value(value, cookies)
}

fn in_value(value: &str, take: fn(&mut Scan<'_, '_>, usize) -> Option<usize>) -> Vec<Finding> {
    let mut found = Vec::new();
    take(&mut Scan::over(value, &mut found), 0);
    found
}

/// Returns where the credentials are: behind a scheme, or, if they look drawn, in its place.
fn credentials(scan: &mut Scan<'_, '_>, at: usize) -> Option<Range<usize>> {
    let word = scan.skip_space(at, true);
    let word_end = scan.run(Set::Line, word);
    let scheme = &scan.bytes[word..word_end];
    let start = scan.skip_space(word_end, true);
    let known = names::is_one_of(scheme, &SCHEMES);
    if start > word_end
        && scheme.len() < LONGEST_SCHEME
        && scheme.first().is_some_and(u8::is_ascii_alphabetic)
    {
        let end = scan.run(Set::Line, start);
        let credentials = trim_punctuation(&scan.bytes[start..end]);
        let range = start..start + credentials.len();
        let bracket = credentials.first().is_some_and(|b| b"<{[(".contains(b));
        let stands_in = bracket
            || placeholders::stands_for_another(credentials)
            || placeholders::is_stand_in(credentials);
        if known && credentials.len() >= 3 && !stands_in && !values::is_code(credentials) {
            return Some(range);
        }
        let drawn = credentials.len() >= 16 && texture::is_drawn(credentials);
        return (drawn && !stands_in).then_some(range);
    }
    let alone = trim_punctuation(scheme);
    let call = texture::sample(alone).iter().any(|b| b"([{".contains(b));
    let telling = Telling { class: Class::Drawn, kind: AUTHORIZATION, weight: Weight::Clear };
    let secret = alone.len() >= 16 && !call && values::is_secret(telling, alone, Manner::Quoted);
    (secret && !values::is_code(alone)).then_some(word..word + alone.len())
}

fn is_session(name: &[u8], value: &[u8]) -> bool {
    if value.is_empty()
        || names::is_one_of(name, &ATTRIBUTES)
        || placeholders::stands_for_another(value)
        || placeholders::is_stand_in(value)
    {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let named = SESSIONS.iter().any(|s| lower.windows(s.len()).any(|w| w == s.as_bytes()));
    named && value.len() >= 4 || value.len() >= 16 && texture::is_drawn(value)
}

/// Drops what ends a sentence, a call or an argument rather than a credential.
fn trim_punctuation(text: &[u8]) -> &[u8] {
    let extra = text.iter().rev().take(4).take_while(|b| b".,;)]}>".contains(b)).count();
    &text[..text.len() - extra]
}
