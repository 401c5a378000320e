//! What people write where a secret will be, or was: `${TOKEN}`, `<your-token>`, `changeme`, `****`, the name of a type.
//!
//! A placeholder is what makes a log worth reading, so it stays. But words alone make none: `my-super-secret-key` works in
//! many a test set-up. A value made of words is one only if it asks to be replaced, or if it says no more than its name.

use crate::names::{Parts, is_one_of};
use crate::texture::{distinct, has_digit, is_wordy, sample};

/// Words that stand where a secret would, and formats, types and states that stand behind its name.
const STAND_INS: [&str; 142] = [
    "absent",
    "accepted",
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
    "bigint",
    "binary",
    "blank",
    "blob",
    "bool",
    "boolean",
    "bytea",
    "bytes",
    "changed",
    "changeit",
    "changeme",
    "char",
    "compat",
    "correct",
    "credentials",
    "custom",
    "default",
    "dict",
    "digest",
    "disabled",
    "double",
    "dummy",
    "empty",
    "enabled",
    "encrypted",
    "env",
    "error",
    "example",
    "expired",
    "failed",
    "false",
    "file",
    "files",
    "float",
    "float32",
    "float64",
    "generated",
    "hash",
    "hashed",
    "hex",
    "hidden",
    "i128",
    "include",
    "incorrect",
    "inherit",
    "input",
    "int",
    "int32",
    "int64",
    "invalid",
    "isize",
    "kennwort",
    "keyword",
    "list",
    "long",
    "mandatory",
    "map",
    "masked",
    "md5",
    "mismatch",
    "missing",
    "negotiate",
    "never",
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
    "omit",
    "on",
    "optional",
    "parola",
    "pbkdf2",
    "placeholder",
    "plain",
    "present",
    "prompt",
    "protected",
    "random",
    "realm",
    "redacted",
    "rejected",
    "required",
    "same",
    "scheme",
    "scrypt",
    "self",
    "senha",
    "sensitive",
    "set",
    "sha1",
    "sha256",
    "sha512",
    "short",
    "str",
    "string",
    "strong",
    "success",
    "symbol",
    "test",
    "text",
    "this",
    "todo",
    "true",
    "tuple",
    "type",
    "u128",
    "uint8array",
    "undefined",
    "unknown",
    "unset",
    "updated",
    "username",
    "usize",
    "utf8",
    "valid",
    "varchar",
    "vec",
    "void",
    "wachtwoord",
    "weak",
    "wrong",
    "yes",
];

/// Words for a secret.
const SECRETS: [&str; 22] = [
    "accesskey",
    "accesstoken",
    "apikey",
    "authtoken",
    "cred",
    "credential",
    "credentials",
    "creds",
    "key",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "passwort",
    "pwd",
    "refreshtoken",
    "secret",
    "secretkey",
    "secrets",
    "token",
    "tokens",
];

/// Words that say no more beside a word for a secret: `my-token`, `invalid_password`.
const BESIDES: [&str; 60] = [
    "a",
    "access",
    "account",
    "admin",
    "api",
    "app",
    "auth",
    "aws",
    "bearer",
    "bot",
    "client",
    "confirm",
    "confirmation",
    "current",
    "db",
    "default",
    "empty",
    "encryption",
    "expired",
    "field",
    "for",
    "forgot",
    "hash",
    "hashed",
    "header",
    "id",
    "incorrect",
    "input",
    "invalid",
    "is",
    "master",
    "message",
    "missing",
    "my",
    "name",
    "new",
    "no",
    "not",
    "of",
    "old",
    "plain",
    "private",
    "proxy",
    "refresh",
    "required",
    "reset",
    "root",
    "session",
    "set",
    "signing",
    "some",
    "ssh",
    "string",
    "test",
    "the",
    "type",
    "user",
    "value",
    "wrong",
    "x",
];

/// Words that ask for a secret to be put in their place: `your-token-here`.
const INVITING: [&str; 12] = [
    "change",
    "changeme",
    "dummy",
    "example",
    "goes",
    "here",
    "insert",
    "placeholder",
    "replace",
    "sample",
    "todo",
    "your",
];

/// Signs that a part of a value is filled in later, or was struck out.
const FILLED_IN_LATER: [&str; 15] =
    ["${", "{{", "$(", "#{", "<%", "%(", "%{", "%s", "{}", "...", "…", "***", "•••", "xxxx", "XXXX"];

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
        b'$' => identifier(rest) || rest.len() == 1 || contains_any(rest, &["->"]),
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
    is_one_of(value, &STAND_INS) || !has_digit(value) && is_about(value)
}

/// Says whether a value speaks about a secret, in words that ask for one or name one.
pub(crate) fn is_about(value: &[u8]) -> bool {
    let names = |part: &[u8]| is_one_of(part, &SECRETS);
    let besides = |part: &[u8]| is_one_of(part, &BESIDES) || part.iter().all(u8::is_ascii_digit);
    let parts = || Parts(sample(value));
    // `challengePassword` is the name of a field, `PROXY_PASSWORD` that of a variable.
    let camel = value.iter().all(u8::is_ascii_alphabetic) && parts().nth(1).is_some();
    let shouted = value.contains(&b'_') && !value.iter().any(u8::is_ascii_lowercase);
    let name = (camel || shouted) && parts().last().is_some_and(names);
    is_wordy(value)
        && (name || invites(value) || parts().any(names) && parts().all(|part| names(part) || besides(part)))
}

/// Says whether a value asks for another to be put in its place.
pub(crate) fn invites(value: &[u8]) -> bool {
    is_wordy(value) && Parts(sample(value)).any(|part| is_one_of(part, &INVITING))
}

/// Says whether nearly all of a text is filling, as in `xxxx-xxxx` and `api03-000000000000`.
pub(crate) fn is_filler(text: &[u8]) -> bool {
    let text = sample(text);
    let fills = |b: &u8| matches!(b, b'x' | b'X' | b'*' | b'.' | b'_' | b'-' | b'0' | b'#');
    let filling = text.iter().rev().take_while(|b| fills(b)).count();
    filling * 4 >= text.len() * 3
}

/// Says whether one of the signs stands somewhere in the value. None of them begins with a letter but `x`, so most
/// bytes are passed over at a glance.
pub(crate) fn contains_any(value: &[u8], signs: &[&str]) -> bool {
    let value = sample(value);
    let begins = |b: u8| !b.is_ascii_alphanumeric() || b.eq_ignore_ascii_case(&b'x');
    (0..value.len())
        .any(|i| begins(value[i]) && signs.iter().any(|sign| value[i..].starts_with(sign.as_bytes())))
}
