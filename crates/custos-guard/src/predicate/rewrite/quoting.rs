//! Text as a word of bash.

/// The text as one word, in single quotes.
pub(super) fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The text as one word, in double quotes.
pub(super) fn double(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// The text as one word, in `$'…'` with every byte as a number.
pub(super) fn numbered(text: &str) -> String {
    let bytes: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("$'{bytes}'")
}

/// The text in base64.
pub(super) fn base64(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits =
            chunk.iter().chain([&0, &0]).take(3).fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for place in 0..4 {
            let digit = ALPHABET[bits >> (18 - 6 * place) & 63];
            encoded.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    encoded
}
