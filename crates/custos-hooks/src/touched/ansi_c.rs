//! Text with C's escapes: `$'…'` in a shell, and names that Git quotes because they are not plain ASCII.

/// Reads `text` up to the first `close` without a backslash before it.
///
/// Returns what it stands for (nothing if it is not closed or not UTF-8) and how many bytes it took, `close` included.
pub(super) fn unescape(text: &str, close: u8) -> (Option<String>, usize) {
    let bytes = text.as_bytes();
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte == close {
            return (String::from_utf8(plain).ok(), at);
        }
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        let Some(&escape) = bytes.get(at) else { break };
        at += 1;
        match escape {
            b'a' => plain.push(7),
            b'b' => plain.push(8),
            b'e' | b'E' => plain.push(27),
            b'f' => plain.push(12),
            b'n' => plain.push(b'\n'),
            b'r' => plain.push(b'\r'),
            b't' => plain.push(b'\t'),
            b'v' => plain.push(11),
            b'0'..=b'7' => {
                // Up to three digits make one byte; the shell cuts off what is above it.
                let (value, end) = digits(bytes, at - 1, 8, 3);
                plain.push((value & 0xff) as u8);
                at = end;
            }
            b'x' => {
                let (value, end) = digits(bytes, at, 16, 2);
                plain.push((value & 0xff) as u8);
                at = end;
            }
            b'u' | b'U' => {
                let (value, end) = digits(bytes, at, 16, if escape == b'u' { 4 } else { 8 });
                let sign = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                plain.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
                at = end;
            }
            _ => plain.push(escape),
        }
    }
    (None, bytes.len())
}

/// Reads at most `most` digits from `at` on and returns their value and where they end.
fn digits(bytes: &[u8], at: usize, radix: u32, most: usize) -> (u32, usize) {
    let mut value: u32 = 0;
    let mut end = at;
    while end < at + most
        && let Some(digit) = bytes.get(end).and_then(|byte| char::from(*byte).to_digit(radix))
    {
        value = value.wrapping_mul(radix) | digit;
        end += 1;
    }
    (value, end)
}
