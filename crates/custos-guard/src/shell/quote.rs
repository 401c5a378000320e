//! The escapes of `$'…'`.

/// Decodes what stands between the quotes. Bytes that are no UTF-8 are replaced, as they name nothing that a rule could name.
pub(super) fn ansi(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            rest = escape(rest, &mut decoded);
        } else {
            decoded.push(byte);
        }
        // Bash's strings end at a zero.
        if decoded.last() == Some(&0) {
            decoded.pop();
            break;
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Decodes one escape, after its backslash, and gives what follows it.
fn escape<'t>(rest: &'t [u8], decoded: &mut Vec<u8>) -> &'t [u8] {
    let Some((&kind, after)) = rest.split_first() else {
        decoded.push(b'\\');
        return rest;
    };
    let byte = match kind {
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' | b'E' => 0x1B,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0B,
        b'\\' | b'\'' | b'"' | b'?' => kind,
        b'0'..=b'7' => {
            let (value, after) = number(rest, 8, 3);
            decoded.push(low_byte(value));
            return after;
        }
        b'x' => return hexadecimal(after, decoded),
        b'u' | b'U' => return code_point(kind, after, decoded),
        b'c' => return control(after, decoded),
        _ => {
            decoded.extend([b'\\', kind]);
            return after;
        }
    };
    decoded.push(byte);
    after
}

/// `\xHH`, and `\x{HH}`, which bash takes as well.
fn hexadecimal<'t>(rest: &'t [u8], decoded: &mut Vec<u8>) -> &'t [u8] {
    if let Some(braced) = rest.strip_prefix(b"{") {
        let (value, after) = number(braced, 16, usize::MAX);
        if after.len() < braced.len() {
            decoded.push(low_byte(value));
            return after.strip_prefix(b"}").unwrap_or(after);
        }
    }
    let (value, after) = number(rest, 16, 2);
    if after.len() == rest.len() {
        decoded.extend(b"\\x");
    } else {
        decoded.push(low_byte(value));
    }
    after
}

/// `\uHHHH` and `\UHHHHHHHH`.
fn code_point<'t>(kind: u8, rest: &'t [u8], decoded: &mut Vec<u8>) -> &'t [u8] {
    let (value, after) = number(rest, 16, if kind == b'u' { 4 } else { 8 });
    if after.len() == rest.len() {
        decoded.extend([b'\\', kind]);
    } else {
        let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
        decoded.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    after
}

/// `\cX`.
fn control<'t>(rest: &'t [u8], decoded: &mut Vec<u8>) -> &'t [u8] {
    let Some((&byte, after)) = rest.split_first() else {
        decoded.extend(b"\\c");
        return rest;
    };
    decoded.push(if byte == b'?' { 0x7F } else { byte.to_ascii_uppercase() & 0x1F });
    // `\c\\` is one control character, written with two backslashes.
    if byte == b'\\' { after.strip_prefix(b"\\").unwrap_or(after) } else { after }
}

/// Reads up to `most` digits.
fn number(rest: &[u8], radix: u32, most: usize) -> (u32, &[u8]) {
    let mut value = 0_u32;
    let mut read = 0;
    for &byte in rest.iter().take(most) {
        let Some(digit) = char::from(byte).to_digit(radix) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        read += 1;
    }
    (value, rest.get(read..).unwrap_or_default())
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}
