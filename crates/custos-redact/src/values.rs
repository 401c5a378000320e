//! Whether a value beside a telling name is a secret, or stands for one.
//!
//! The same eight letters are a password in `.env`, a variable in Python and a type in TypeScript. So the verdict
//! depends on three things: what the name promises, how the value is written, and what it looks like. Where a person
//! put quotes around it, or an option before it, less is asked of its looks.

use crate::names::{Class, Parts, Telling, Weight};
use crate::placeholders::{contains_any, is_about, is_stand_in, stands_for_another};
use crate::texture::{has_digit, has_letter, is_drawn, is_wordy, sample};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Between quotes, in an XML element, or as a whole JSON string: data, not code.
    Quoted,
    /// Without quotes behind a name that could be a variable: `password = hunter2x9`.
    Bare,
    /// A line of its own in a configuration file, or one of a list of pairs: `password: hunter`, `user=me password=hunter`.
    Entry,
    /// `NAME=value` as in a shell or a `.env` file, or a header that begins with `X-`.
    Environment,
    /// The same where nothing but an assignment can stand: at the start of a line, behind `export`, between quotes.
    Declared,
    /// A parameter of an address.
    Parameter,
    /// Behind a command-line option.
    Option,
}

/// Says whether a value is a secret, given its name and the manner in which it is written.
pub(crate) fn is_secret(telling: Telling, value: &[u8], manner: Manner) -> bool {
    let value = sample(value);
    let stays = is_stand_in(value) && !is_common_password(telling, value, manner);
    if stays || stands_for_another(value) || is_number(value) && !is_pin(telling, value, manner) {
        return false;
    }
    if is_place(value) || is_pattern(value) || is_expression(value, manner) {
        return false;
    }
    match telling.class {
        Class::Password => is_password(telling, value, manner),
        Class::Signature => manner == Manner::Parameter && value.len() >= 16,
        _ => is_drawn_secret(telling, value, manner),
    }
}

/// Says whether a word that names a secret is one: `POSTGRES_PASSWORD=password` works, and is meant.
fn is_common_password(telling: Telling, value: &[u8], manner: Manner) -> bool {
    telling.class == Class::Password
        && manner == Manner::Declared
        && matches!(value, b"password" | b"passwd" | b"pass" | b"secret" | b"test")
}

/// Says whether a value is code, which depends on where code can stand. A password in a `.env` file may begin with
/// any sign.
fn is_expression(value: &[u8], manner: Manner) -> bool {
    match manner {
        Manner::Quoted => false,
        Manner::Declared => is_path(value) || is_call(value),
        Manner::Bare | Manner::Entry => is_code(value) || is_type_name(value),
        Manner::Environment | Manner::Parameter | Manner::Option => is_code(value),
    }
}

fn is_password(telling: Telling, value: &[u8], manner: Manner) -> bool {
    let plain_word = value.iter().all(u8::is_ascii_alphabetic);
    let spaces = value.iter().filter(|b| b.is_ascii_whitespace()).count();
    match manner {
        Manner::Option | Manner::Declared => value.len() >= 3 && spaces == 0,
        Manner::Environment | Manner::Parameter => value.len() >= 4,
        Manner::Quoted if value.contains(&b'\n') => false,
        // A phrase of four words or more, or one with digits; but not a sentence.
        Manner::Quoted if spaces > 0 => {
            !is_sentence(value) && (spaces >= 3 || has_digit(value)) && spaces < 12 && value.is_ascii()
        }
        // `"password": "Contraseña"` and `"password": "Kennwort"` are labels.
        Manner::Quoted if plain_word => value.len() >= 4 && !value[0].is_ascii_uppercase(),
        Manner::Quoted => value.len() >= 4 && (value.is_ascii() || has_digit(value)),
        Manner::Entry if telling.weight == Weight::Sure && !is_about(value) => {
            value.len() >= 4 && value.is_ascii() && (!plain_word || value.iter().all(u8::is_ascii_lowercase))
        }
        Manner::Bare | Manner::Entry => {
            let odd = value.iter().any(|b| b"!@#$%^*+~?".contains(b));
            value.len() >= 6 && has_letter(value) && (has_digit(value) || odd) && !is_about(value)
        }
    }
}

fn is_drawn_secret(telling: Telling, value: &[u8], manner: Manner) -> bool {
    if manner == Manner::Declared && telling.weight > Weight::Slight {
        return is_declared(value);
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    let mixed = has_digit(value) && has_letter(value);
    let sure = telling.weight == Weight::Sure;
    if is_wordy(value) {
        return match manner {
            Manner::Quoted if sure => is_chosen(value),
            Manner::Entry => {
                let plain = value.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
                plain && value.len() >= 6 && !is_about(value) && (mixed || sure && telling.kind == "secret")
            }
            _ => false,
        };
    }
    match manner {
        Manner::Entry if telling.kind != "credential" => value.len() >= 6 && mixed,
        Manner::Bare | Manner::Entry => value.len() >= 12 && mixed && is_drawn(value),
        _ => value.len() >= 6 && mixed || value.len() >= 16 && is_drawn(value),
    }
}

/// Says whether what stands in a `.env` file behind the name of a secret can be one: anything but the name of a file.
fn is_declared(value: &[u8]) -> bool {
    const FILES: [&str; 8] = [".crt", ".json", ".key", ".p12", ".pem", ".pub", ".txt", ".yaml"];
    let spaces = value.iter().filter(|b| b.is_ascii_whitespace()).count();
    let file = FILES.iter().any(|ending| value.ends_with(ending.as_bytes()))
        || value.contains(&b'/') && is_wordy(value);
    value.len() >= 4 && !file && (spaces == 0 || spaces < 8 && !is_sentence(value))
}

/// Says whether a value of words is one that a person chose: `correct-horse`, not `Geheimnis`, `DB_SECRET` or `errors.token`.
fn is_chosen(value: &[u8]) -> bool {
    let joined = value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let label = value[0].is_ascii_uppercase() && value.iter().all(u8::is_ascii_alphabetic);
    value.len() >= 5 && joined && !label && value[0] != b'_' && !is_type_name(value)
}

/// Says whether a value with blanks in it is a sentence, or a label.
fn is_sentence(value: &[u8]) -> bool {
    value[0].is_ascii_uppercase() || value.last().is_some_and(|b| b".?!:".contains(b))
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

/// A number under the name of a password is a password, if it is written like one. Elsewhere it is a limit or a count.
fn is_pin(telling: Telling, value: &[u8], manner: Manner) -> bool {
    let least = match (telling.class, manner) {
        (Class::Password, Manner::Declared) => 4,
        (Class::Password, Manner::Quoted) => 6,
        (Class::Password, Manner::Entry) if telling.weight == Weight::Sure => 6,
        (Class::Drawn, Manner::Declared) if telling.weight > Weight::Slight => 8,
        _ => return false,
    };
    value.len() >= least && value.iter().all(u8::is_ascii_digit)
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
    let sign = value.first().is_some_and(|b| b"*!@?:.-^~#|%".contains(b));
    sign || is_path(value) || contains_any(value, &["::", "->"])
}

/// Says whether a value is names joined by full stops: `settings.API_KEY`.
fn is_path(value: &[u8]) -> bool {
    let value = sample(value);
    let name = |part: &[u8]| {
        part.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'))
            && part.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'?' | b'!'))
    };
    value.contains(&b'.') && value.split(|&b| b == b'.').all(name) && (value.len() < 30 || !is_drawn(value))
}

/// Says whether a value is a call, or what is left of one before a blank or a quote: `getenv(`, `environ[`.
fn is_call(value: &[u8]) -> bool {
    let name = value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_.:$".contains(b)).count();
    let (head, rest) = value.split_at(name);
    let call = rest.starts_with(b"(") && (rest.ends_with(b")") || !rest.contains(&b')'));
    !head.is_empty() && (call || rest == b"[")
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
