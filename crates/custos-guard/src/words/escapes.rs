//! The escapes of `echo -e`, `printf` and `${x@E}`.

/// Resolves the escapes of `echo -e` and `printf`.
pub(crate) fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let Some(next) = chars.next() else {
            bytes.push(b'\\');
            break;
        };
        let mut digits = |first: Option<char>, radix: u32, most: usize| {
            let mut value = first.and_then(|c| c.to_digit(radix)).unwrap_or_default();
            for _ in 0..most {
                match chars.peek().and_then(|c| c.to_digit(radix)) {
                    Some(digit) => {
                        value = value * radix + digit;
                        chars.next();
                    }
                    None => break,
                }
            }
            value
        };
        match next {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' | 'b' | 'f' | 'v' => bytes.push(b' '),
            'e' | 'E' => bytes.push(0x1B),
            '\\' => bytes.push(b'\\'),
            'c' => break,
            'x' => bytes.push(u8::try_from(digits(None, 16, 2)).unwrap_or(b'?')),
            'u' | 'U' => {
                let most = if next == 'u' { 4 } else { 8 };
                let c = char::from_u32(digits(None, 16, most)).unwrap_or('?');
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            }
            '0' => bytes.push(u8::try_from(digits(None, 8, 3) & 0xFF).unwrap_or(b'?')),
            first @ '1'..='7' => bytes.push(u8::try_from(digits(Some(first), 8, 2) & 0xFF).unwrap_or(b'?')),
            other => {
                bytes.push(b'\\');
                bytes.extend(other.encode_utf8(&mut [0; 4]).bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
