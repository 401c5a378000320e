//! The codings in which people hide commands: base64, hexadecimal, rot13.

/// A way in which a text may be wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// base64, in either alphabet.
    Base64,
    /// Two hexadecimal digits for each byte.
    Hex,
    /// Letters moved by thirteen.
    Rot13,
}

impl Coding {
    /// The coding that a program's author calls so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "base64" | "base64url" | "base-64" | "base64_codec" | "m" | "m*" | "m0" => Self::Base64,
            "hex" | "hex_codec" | "h*" => Self::Hex,
            "rot13" | "rot_13" | "rot-13" => Self::Rot13,
            _ => return None,
        })
    }

    /// Unwraps a text; `None` if it is not in this coding, or what comes out is no text.
    pub(super) fn decode(self, text: &str) -> Option<String> {
        match self {
            Self::Base64 => base64(text),
            Self::Hex => hex(text),
            Self::Rot13 => Some(text.chars().map(rot13).collect()),
        }
    }
}

/// Decodes base64, in either alphabet; `None` if it is none, or what comes out is no text.
pub(crate) fn base64(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            byte if byte.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(six)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

fn hex(text: &str) -> Option<String> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let bytes = digits?
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(high << 4 | low),
            _ => None,
        })
        .collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

fn rot13(c: char) -> char {
    let moved = |first: u8| char::from((c as u8 - first + 13) % 26 + first);
    match c {
        'a'..='z' => moved(b'a'),
        'A'..='Z' => moved(b'A'),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::Coding;

    #[test]
    fn codings_are_unwrapped() {
        let cases = [
            (Coding::Base64, "cm0gLXJmIC8=", Some("rm -rf /")),
            (Coding::Base64, "cm0g\nLXJmIC8", Some("rm -rf /")),
            (Coding::Base64, "", Some("")),
            (Coding::Base64, "no!", None),
            (Coding::Base64, "_w==", None),
            (Coding::Hex, "726d", Some("rm")),
            (Coding::Hex, "72 6D", Some("rm")),
            (Coding::Hex, "726", None),
            (Coding::Hex, "zz", None),
            (Coding::Rot13, "ez -es /", Some("rm -rf /")),
        ];
        for (coding, text, expected) in cases {
            assert_eq!(coding.decode(text).as_deref(), expected, "{coding:?} {text}");
        }
    }
}
