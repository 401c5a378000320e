//! Whether a value beside a telling name is a secret, or stands for one.
//!
//! The same eight letters are a password in `.env`, a variable in Python and a type in TypeScript. So the verdict
//! depends on three things: what the name promises, how the value is written, and what it looks like. Where a person
//! put quotes around it, or an option before it, less is asked of its looks.

use crate::names::{Class, Parts, is_one_of};
use crate::texture::{distinct, has_digit, has_letter, is_drawn, is_wordy, sample};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Between quotes, in an XML element, or as a whole JSON string: data, not code.
    Quoted,
    /// Without quotes behind a name that could be a variable: `password = hunter2x9`.
    Bare,
    /// `NAME=value` as in a shell or a `.env` file, or a header that begins with `X-`.
    Environment,
    /// A parameter of an address.
    Parameter,
    /// Behind a command-line option.
    Option,
}

/// Words that stand where a secret would, and formats and types that stand behind its name.
const STAND_INS: [&str; 89] = [
    "admin-password",
    "any",
    "argon2",
    "argon2id",
    "array",
    "auth",
    "authentication",
    "base64",
    "basic",
    "bcrypt",
    "bearer",
    "blank",
    "bool",
    "boolean",
    "bytes",
    "changeit",
    "changeme",
    "char",
    "credentials",
    "custom",
    "default",
    "digest",
    "disabled",
    "dummy",
    "empty",
    "enabled",
    "encrypted",
    "env",
    "error",
    "example",
    "expired",
    "false",
    "file",
    "hash",
    "hashed",
    "hex",
    "hidden",
    "input",
    "int",
    "int32",
    "int64",
    "invalid",
    "kennwort",
    "masked",
    "md5",
    "missing",
    "negotiate",
    "new",
    "nil",
    "no",
    "none",
    "null",
    "number",
    "oauth",
    "oauth2",
    "object",
    "off",
    "ok",
    "on",
    "optional",
    "parola",
    "pbkdf2",
    "placeholder",
    "plain",
    "prompt",
    "realm",
    "redacted",
    "required",
    "scheme",
    "scrypt",
    "senha",
    "sha1",
    "sha256",
    "sha512",
    "str",
    "string",
    "test",
    "text",
    "todo",
    "true",
    "type",
    "uint8array",
    "undefined",
    "unknown",
    "unset",
    "username",
    "utf8",
    "wachtwoord",
    "yes",
];

/// Words that, somewhere in a value made of words, show that it is about a secret and not one.
const ABOUT: [&str; 24] = [
    "apikey",
    "change",
    "changeme",
    "dummy",
    "example",
    "fake",
    "here",
    "insert",
    "key",
    "me",
    "my",
    "pass",
    "passwd",
    "password",
    "passwords",
    "passwort",
    "placeholder",
    "replace",
    "sample",
    "secret",
    "todo",
    "token",
    "tokens",
    "your",
];

/// Signs that a part of a value is filled in later, or was struck out.
const FILLED_IN_LATER: [&str; 15] =
    ["${", "{{", "$(", "#{", "<%", "%(", "%{", "%s", "{}", "...", "…", "***", "•••", "xxxx", "XXXX"];

/// Says whether a value is a secret, given the class of its name and the manner in which it is written.
pub(crate) fn is_secret(class: Class, value: &[u8], manner: Manner) -> bool {
    let value = sample(value);
    if stands_for_another(value)
        || is_stand_in(value)
        || is_number(value) && !is_quoted_pin(class, value, manner)
    {
        return false;
    }
    if is_place(value) || is_pattern(value) || manner != Manner::Quoted && is_code(value) {
        return false;
    }
    if manner == Manner::Bare && is_type_name(value) {
        return false;
    }
    match class {
        Class::Password => is_password(value, manner),
        Class::Signature => manner == Manner::Parameter && value.len() >= 16,
        _ => is_drawn_secret(value, manner),
    }
}

fn is_password(value: &[u8], manner: Manner) -> bool {
    let plain_word = value.iter().all(u8::is_ascii_alphabetic);
    let spaces = value.iter().filter(|b| b.is_ascii_whitespace()).count();
    match manner {
        Manner::Option => value.len() >= 3,
        Manner::Environment | Manner::Parameter => value.len() >= 4,
        Manner::Quoted if value.contains(&b'\n') => false,
        // A phrase of four words or more, or one with digits; but not a sentence.
        Manner::Quoted if spaces > 0 => {
            let sentence = value[0].is_ascii_uppercase() || value.last().is_some_and(|b| b".?!:".contains(b));
            !sentence && (spaces >= 3 || has_digit(value)) && spaces < 12 && value.is_ascii()
        }
        // `"password": "Contraseña"` and `"password": "Kennwort"` are labels.
        Manner::Quoted if plain_word => value.len() >= 4 && !value[0].is_ascii_uppercase(),
        Manner::Quoted => value.len() >= 4 && (value.is_ascii() || has_digit(value)),
        Manner::Bare => {
            let odd = value.iter().any(|b| b"!@#$%^*+~?".contains(b));
            value.len() >= 6 && has_letter(value) && (has_digit(value) || odd) && !is_about(value)
        }
    }
}

fn is_drawn_secret(value: &[u8], manner: Manner) -> bool {
    if value.iter().any(u8::is_ascii_whitespace) || is_wordy(value) {
        return false;
    }
    let mixed = has_digit(value) && has_letter(value);
    match manner {
        Manner::Bare => value.len() >= 12 && mixed && is_drawn(value),
        _ => value.len() >= 6 && mixed || value.len() >= 16 && is_drawn(value),
    }
}

/// Says whether a value refers to what is put in its place later, or hides what was there: `${TOKEN}`, `<token>`, `****`.
pub(crate) fn stands_for_another(value: &[u8]) -> bool {
    let value = sample(value.trim_ascii());
    let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return true };
    if matches!((first, last), (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'(', b')')) && value.len() > 1 {
        return true;
    }
    let identifier = |text: &[u8]| {
        text.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && text.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.'))
            && !text.last().is_some_and(|b| matches!(b, b':' | b'.'))
    };
    let rest = &value[1..];
    let variable = match first {
        // `$ecret1` could be a password, but it is far more often a variable.
        b'$' => identifier(rest) || rest.len() == 1,
        b'%' => {
            matches!(rest, b"s" | b"d" | b"v" | b"q")
                || last == b'%' && rest.len() > 1 && identifier(&rest[..rest.len() - 1])
        }
        _ => false,
    };
    variable || distinct(value) == 1 && value.len() > 1 || contains_any(value, &FILLED_IN_LATER)
}

/// Says whether a value is a word that people write instead of a secret.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    if is_one_of(value, &STAND_INS) {
        return true;
    }
    !has_digit(value) && is_about(value)
}

fn is_about(value: &[u8]) -> bool {
    is_wordy(value) && Parts(sample(value)).any(|part| is_one_of(part, &ABOUT))
}

fn is_number(value: &[u8]) -> bool {
    let hex = |prefix: &[u8], most: usize| {
        value
            .strip_prefix(prefix)
            .is_some_and(|hex| hex.len() <= most && hex.iter().all(u8::is_ascii_hexdigit))
    };
    // `#f8f8f2` is a colour.
    hex(b"0x", 16)
        || hex(b"#", 8)
        || value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-' | b'+' | b':' | b'%'))
}

/// A quoted number under the name of a password is a password.
fn is_quoted_pin(class: Class, value: &[u8], manner: Manner) -> bool {
    class == Class::Password
        && manner == Manner::Quoted
        && value.len() >= 6
        && value.iter().all(u8::is_ascii_digit)
}

/// Says whether a value says where the secret is: a path, an address, a resource name, a reference into a vault.
fn is_place(value: &[u8]) -> bool {
    let starts = |prefix: &str| value.starts_with(prefix.as_bytes());
    let drive = value.len() > 2
        && value[0].is_ascii_alphabetic()
        && value[1] == b':'
        && matches!(value[2], b'\\' | b'/');
    let path = starts("./") || starts("../") || starts("~/") || starts("/") && is_wordy(value);
    let reference = starts("arn:") || starts("ENC[") || starts("vault:") || starts("env:") || starts("file:");
    path || drive || reference || contains_any(value, &["://"])
}

/// Says whether a value is a regular expression.
fn is_pattern(value: &[u8]) -> bool {
    contains_any(value, &["[a-", "[A-", "[0-", "[^", "(?", "\\d", "\\w", ".*"])
}

/// Says whether a value without quotes is an expression.
pub(crate) fn is_code(value: &[u8]) -> bool {
    let value = sample(value);
    let sign = value.first().is_some_and(|b| b"*!@?:.-^~#|%".contains(b));
    let name = |part: &[u8]| {
        part.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'))
            && part.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'?' | b'!'))
    };
    let path = value.contains(&b'.')
        && value.split(|&b| b == b'.').all(name)
        && (value.len() < 30 || !is_drawn(value));
    sign || path || contains_any(value, &["::", "->"])
}

/// Says whether a value without quotes is the name of a type or a constant: `WIN32_ERROR`, `X509KeyUsageFlags`.
fn is_type_name(value: &[u8]) -> bool {
    let shouted = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let constant = value.contains(&b'_') && value.iter().all(shouted);
    let camel =
        value.first().is_some_and(u8::is_ascii_uppercase) && value.iter().all(u8::is_ascii_alphanumeric);
    let in_words: usize = Parts(value).map(<[u8]>::len).filter(|&length| length >= 4).sum();
    constant || value.starts_with(b"__") || camel && in_words * 10 >= value.len() * 7
}

/// Says whether one of the signs stands somewhere in the value. None of them begins with a letter but `x`, so most
/// bytes are passed over at a glance.
fn contains_any(value: &[u8], signs: &[&str]) -> bool {
    let value = sample(value);
    let begins = |b: u8| !b.is_ascii_alphanumeric() || b.eq_ignore_ascii_case(&b'x');
    (0..value.len())
        .any(|i| begins(value[i]) && signs.iter().any(|sign| value[i..].starts_with(sign.as_bytes())))
}
