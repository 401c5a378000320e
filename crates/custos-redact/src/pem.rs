//! Private keys in armour: PEM of every sort, SSH2, PGP, and the private lines of PuTTY.
//!
//! If the next dashes behind a header are those of its end marker, all that they enclose is the key, whatever it looks
//! like. Keys in logs are often cut off, though, so that the next marker belongs to someone else. Then the body
//! is read: runs of base64 with anything in between that a tool may put there, such as line numbers, quotes, `\n`, diff
//! signs. Where the body stops, the key stops. A header without a body is talk about keys, and stays.

use std::ops::Range;

use crate::charset::Set;
use crate::effort;
use crate::placeholders;
use crate::scan::Scan;

const KIND: &str = "private-key";
/// What a tool may put between two lines of a body.
const LONGEST_JOINT: usize = 48;
/// A run this long is a line of a body; a shorter one must be the last.
const SHORTEST_LINE: usize = 16;
/// The longest label between `BEGIN` and the dashes.
const LONGEST_LABEL: usize = 48;
/// The longest key whose end marker is searched for.
const LONGEST_KEY: usize = 1 << 16;
/// The fields that may stand before a body.
const FIELDS: [&str; 9] = [
    "Proc-Type:",
    "DEK-Info:",
    "Version:",
    "Comment:",
    "Subject:",
    "Hash:",
    "Charset:",
    "MessageID:",
    "x-cryptoapi",
];

/// Takes the private key whose header begins at `at`.
pub(crate) fn at(scan: &mut Scan<'_, '_>, at: usize) -> Option<usize> {
    if !scan.has(at, "----") || scan.before(at) == Some(b'-') {
        return None;
    }
    let label = at
        + if scan.has(at, "-----BEGIN ") {
            "-----BEGIN ".len()
        } else if scan.has(at, "---- BEGIN ") {
            "---- BEGIN ".len()
        } else {
            return None;
        };
    let text = &scan.bytes[label..];
    let length = text.iter().take(LONGEST_LABEL).take_while(|&&b| b != b'-').count();
    effort::spend(length);
    if !text[..length].windows(11).any(|w| w == b"PRIVATE KEY") {
        return None;
    }
    let header = label + length;
    let dashes = scan.bytes[header..].iter().take(5).take_while(|&&b| b == b'-').count();
    if dashes < 4 {
        return None;
    }
    let end = enclosed(scan, header + dashes).or_else(|| body(scan, header + dashes))?;
    Some(scan.take(KIND, at..end))
}

/// Returns the end of the end marker, if it is the next marker and a key can stand before it. The search is linear because
/// it ends at the next header too.
fn enclosed(scan: &Scan<'_, '_>, from: usize) -> Option<usize> {
    let text = &scan.bytes[from..scan.bytes.len().min(from + LONGEST_KEY)];
    let length = text.windows(4).position(|dashes| dashes == b"----");
    effort::spend(length.unwrap_or(text.len()));
    let marker = from + length?;
    let end = end_marker(scan, marker)?;
    let private = scan.bytes[marker..end].windows(11).any(|w| w == b"PRIVATE KEY");
    (private && is_key(&scan.bytes[from..marker])).then_some(end)
}

/// Says whether what stands between two markers can be a key: not if it is nothing or a placeholder, and not if the markers
/// are strings in code or words in a sentence.
fn is_key(between: &[u8]) -> bool {
    let line = |line: &[u8]| {
        // What is left of `\n` behind its backslash, and what a tool puts around a line.
        let line = line.strip_prefix(b"n").or_else(|| line.strip_prefix(b"r")).unwrap_or(line).trim_ascii();
        !line.iter().all(|b| b"+>|,\"'".contains(b))
            && !placeholders::is_filler(line)
            && !placeholders::invites(line)
    };
    let is_break = |b: &u8| matches!(b, b'\n' | b'\\');
    let breaks = between.iter().any(is_break);
    let code = between.iter().any(|b| b"\"'(){}[]<>;`$&".contains(b));
    let base64 = between.len() >= 4 && between.iter().all(|&b| Set::Base64.has(b));
    !code && (breaks || base64) && between.split(is_break).any(line)
}

/// Reads the lines behind `Private-Lines: N`, and the code that seals them.
pub(crate) fn putty(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Option<Range<usize>> {
    let count = scan.run(Set::Digit, tail);
    let lines = body(scan, count)?;
    let seal = joint(scan, lines);
    let end = if scan.has(seal, "Private-MAC: ") {
        scan.run(Set::Hex, seal + "Private-MAC: ".len())
    } else {
        lines
    };
    Some(at..end)
}

/// Reads a body and the end marker, if there is one, and returns where they end.
fn body(scan: &mut Scan<'_, '_>, from: usize) -> Option<usize> {
    let mut end = None;
    let mut at = from;
    loop {
        let line = joint(scan, at);
        if let Some(marker) = end_marker(scan, line) {
            return end.map(|_| marker);
        }
        if FIELDS.iter().any(|field| scan.has(line, field)) {
            at = line_end(scan, line);
            continue;
        }
        let stop = scan.run(Set::Base64, line);
        let run = &scan.bytes[line..stop];
        let last = || {
            let next = joint(scan, stop);
            stop == scan.bytes.len()
                || run.ends_with(b"=")
                || run.starts_with(b"=")
                || end_marker(scan, next).is_some()
        };
        let fits = match end {
            None => {
                run.len() >= SHORTEST_LINE
                    && (run.len() >= 40
                        || run.starts_with(b"MII")
                        || run.iter().any(|b| !b.is_ascii_alphabetic()))
            }
            Some(_) => run.len() >= SHORTEST_LINE || (!run.is_empty() && last()),
        };
        if !fits {
            return end;
        }
        end = Some(stop);
        at = stop;
    }
}

/// Steps over what stands between two lines of a body, and stops at an end marker.
fn joint(scan: &Scan<'_, '_>, from: usize) -> usize {
    let mut at = from;
    while at < from + LONGEST_JOINT && end_marker(scan, at).is_none() {
        at += match scan.byte(at) {
            Some(b'\\') if matches!(scan.byte(at + 1), Some(b'n' | b'r' | b't')) => 2,
            // A line number is short and something else than base64 follows it.
            Some(b) if b.is_ascii_digit() => {
                let digits = scan.bytes[at..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
                if digits > 6 || scan.byte(at + digits).is_none_or(|b| Set::Base64.has(b)) {
                    break;
                }
                digits
            }
            // A plus sign or a slash at the start of a line belongs to the diff or the comment, if a blank follows.
            Some(b'+' | b'/') if scan.byte(at + 1).is_none_or(|b| !Set::Base64.has(b) || b == b'/') => 1,
            Some(b) if !Set::Base64.has(b) => 1,
            _ => break,
        };
    }
    effort::spend(at - from + 1);
    at.min(scan.bytes.len())
}

/// Returns the end of the end marker at `at`.
fn end_marker(scan: &Scan<'_, '_>, at: usize) -> Option<usize> {
    if !scan.has(at, "-----END ") && !scan.has(at, "---- END ") {
        return None;
    }
    let label = at + "---- END ".len();
    let text = &scan.bytes[label..];
    let length = text.iter().take(LONGEST_LABEL).take_while(|&&b| b != b'-' && b != b'\n').count();
    let dashes = text[length..].iter().take(5).take_while(|&&b| b == b'-').count();
    Some(label + length + dashes).filter(|&end| std::str::from_utf8(&scan.bytes[at..end]).is_ok())
}

/// Returns the end of a field's line, written or as `\n` in a string.
fn line_end(scan: &Scan<'_, '_>, from: usize) -> usize {
    let text = &scan.bytes[from..];
    let length = text.iter().take(128).take_while(|&&b| b != b'\n' && b != b'\\').count();
    effort::spend(length);
    from + length
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::redact;

    const LINE: &str = "MIIEowIBAAKCAQEA7bq2Zk9vXq0w3T8yN5cLrD1hG6jFpUeS4aWmKxVtYzBoRiQn";

    fn key(label: &str, joint: &str) -> String {
        format!("-----BEGIN {label}-----{joint}{LINE}{joint}{LINE}{joint}q8Zt=={joint}-----END {label}-----")
    }

    #[rstest]
    #[case::rsa("RSA PRIVATE KEY", "\n")]
    #[case::ec("EC PRIVATE KEY", "\n")]
    #[case::dsa("DSA PRIVATE KEY", "\r\n")]
    #[case::pkcs8("PRIVATE KEY", "\n")]
    #[case::encrypted("ENCRYPTED PRIVATE KEY", "\n")]
    #[case::openssh("OPENSSH PRIVATE KEY", "\n")]
    #[case::pgp("PGP PRIVATE KEY BLOCK", "\n")]
    #[case::in_a_json_string("PRIVATE KEY", "\\n")]
    #[case::in_a_string_in_a_string("PRIVATE KEY", "\\\\n")]
    #[case::on_one_line("RSA PRIVATE KEY", " ")]
    #[case::indented("RSA PRIVATE KEY", "\n      ")]
    #[case::numbered("RSA PRIVATE KEY", "\n    12\u{2192}")]
    #[case::in_a_diff("RSA PRIVATE KEY", "\n+")]
    #[case::in_code("RSA PRIVATE KEY", "\\n\" +\n    \"")]
    #[case::quoted("RSA PRIVATE KEY", "\n> ")]
    fn whole_block(#[case] label: &str, #[case] joint: &str) {
        let text = format!("before {} after", key(label, joint));
        assert_eq!(redact(&text), "before [redacted:private-key] after");
    }

    #[rstest]
    #[case::short("\nMIIEpAIBAAKCAQEA\nabc\n")]
    #[case::one_word("\nabc\n")]
    #[case::words("\nfake key material\n")]
    #[case::url_alphabet("\nb3BlbnNzaC1rZXktdjEAAAAA\nnot-base64_at-all\n")]
    #[case::in_a_json_string("\\nMHcCAQEE\\n")]
    #[case::on_one_line("MIIEabc")]
    #[case::shortened("\nMIIE...\n")]
    fn whatever_stands_between_the_markers(#[case] body: &str) {
        let text = format!("a \"-----BEGIN EC PRIVATE KEY-----{body}-----END EC PRIVATE KEY-----\" b");
        assert_eq!(redact(&text), "a \"[redacted:private-key]\" b");
    }

    #[test]
    fn cut_off() {
        let text = format!("-----BEGIN RSA PRIVATE KEY-----\n{LINE}\n{LINE}\nq8Zt");
        assert_eq!(redact(&text), "[redacted:private-key]");
        let text = format!("-----BEGIN RSA PRIVATE KEY-----\n{LINE}\n{LINE}\n\nand then the log goes on.");
        assert_eq!(redact(&text), "[redacted:private-key]\n\nand then the log goes on.");
        let text = format!("{{\"key\":\"-----BEGIN PRIVATE KEY-----\\n{LINE}\\n{LINE}\",\"x\":1}}");
        assert_eq!(redact(&text), "{\"key\":\"[redacted:private-key]\",\"x\":1}");
    }

    #[test]
    fn cut_off_and_short() {
        let text = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc";
        assert_eq!(redact(text), "[redacted:private-key]");
        let text = format!("-----BEGIN RSA PRIVATE KEY-----\n{LINE}\nmore text\n-----BEGIN CERTIFICATE-----");
        assert_eq!(redact(&text), "[redacted:private-key]\nmore text\n-----BEGIN CERTIFICATE-----");
    }

    #[test]
    fn with_fields() {
        let text = format!(
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D\n\n{LINE}\n-----END RSA PRIVATE KEY-----\n"
        );
        assert_eq!(redact(&text), "[redacted:private-key]\n");
        let text = format!(
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"me\"\n{LINE}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"
        );
        assert_eq!(redact(&text), "[redacted:private-key]");
    }

    #[test]
    fn putty() {
        let text = format!(
            "Public-Lines: 1\nAAAAB3NzaC1yc2E\nPrivate-Lines: 2\n{LINE}\n{LINE}\nPrivate-MAC: 0a1b2c3d4e5f\n"
        );
        assert_eq!(redact(&text), "Public-Lines: 1\nAAAAB3NzaC1yc2E\n[redacted:putty-key]\n");
    }

    #[test]
    fn two_keys() {
        let text = format!("{}\n{}", key("RSA PRIVATE KEY", "\n"), key("EC PRIVATE KEY", "\n"));
        assert_eq!(redact(&text), "[redacted:private-key]\n[redacted:private-key]");
    }

    #[rstest]
    #[case("-----BEGIN RSA PRIVATE KEY-----")]
    #[case("if text.contains(\"-----BEGIN OPENSSH PRIVATE KEY-----\") { return Err(Leak); }")]
    #[case("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----")]
    #[case("-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----")]
    #[case(
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----"
    )]
    #[case(
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n-----END PUBLIC KEY-----"
    )]
    fn left_alone(#[case] text: &str) {
        assert_eq!(redact(text), text);
    }
}
