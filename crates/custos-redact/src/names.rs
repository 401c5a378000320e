//! Names that tell: which fields, variables, options and parameters hold secrets.
//!
//! A name is read in parts (`DB_PASSWORD_2`, `clientSecret`, `X-Api-Key`), because what stands around the telling
//! part decides: `token` tells, `token_count` does not, nor does `next_token`, and `key` tells only beside a word such as
//! `api`. Plurals do not tell: `max_tokens` is a number and `secrets` is a list.

/// What sort of value a name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Chosen by a person: short, possibly a word.
    Password,
    /// Made by a machine: letters and digits without sense.
    Drawn,
    /// The signature of an address; means nothing elsewhere.
    Signature,
    /// An `Authorization` header.
    Authorization,
    /// A `Cookie` or `Set-Cookie` header.
    Cookie,
}

/// How much a name says by itself, before one looks at the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// It has other meanings: `auth`, `pass`, `storage_key`. The value must look like a secret.
    Slight,
    /// A variable of this name holds a secret, a field may not: `token` is also what a lexer makes.
    Clear,
    /// Words count as secrets too: `password`, `client_secret`, `api_key`, `access_token`.
    Sure,
}

/// A name that tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Telling {
    pub(crate) class: Class,
    pub(crate) kind: &'static str,
    pub(crate) weight: Weight,
}

/// The longest name that is looked at.
pub(crate) const LONGEST: usize = 64;
/// The most parts that are looked at.
const MOST_PARTS: usize = 12;

/// Endings of a part that tell, whatever is glued before them: `PGPASSWORD`, `accesstoken`.
const ENDINGS: [(&str, Class, &str, Weight); 18] = [
    ("password", Class::Password, "password", Weight::Sure),
    ("passwort", Class::Password, "password", Weight::Sure),
    ("kennwort", Class::Password, "password", Weight::Sure),
    ("passwd", Class::Password, "password", Weight::Sure),
    ("passphrase", Class::Password, "password", Weight::Sure),
    ("secret", Class::Drawn, "secret", Weight::Sure),
    ("token", Class::Drawn, "token", Weight::Clear),
    ("apikey", Class::Drawn, "api-key", Weight::Sure),
    ("accesskey", Class::Drawn, "api-key", Weight::Sure),
    ("secretkey", Class::Drawn, "api-key", Weight::Sure),
    ("privatekey", Class::Drawn, "api-key", Weight::Sure),
    ("signingkey", Class::Drawn, "api-key", Weight::Sure),
    ("accountkey", Class::Drawn, "api-key", Weight::Slight),
    ("authkey", Class::Drawn, "api-key", Weight::Clear),
    ("credential", Class::Drawn, "credential", Weight::Clear),
    ("credentials", Class::Drawn, "credential", Weight::Clear),
    ("authorization", Class::Authorization, "authorization", Weight::Sure),
    ("cookie", Class::Cookie, "cookie", Weight::Sure),
];

/// Parts that tell only when they stand by themselves: `bypass` and `author` do not.
const WHOLE: [(&str, Class, &str, Weight); 9] = [
    ("pass", Class::Password, "password", Weight::Slight),
    ("pwd", Class::Password, "password", Weight::Sure),
    ("pw", Class::Password, "password", Weight::Slight),
    ("pswd", Class::Password, "password", Weight::Sure),
    ("auth", Class::Drawn, "credential", Weight::Slight),
    ("cred", Class::Drawn, "credential", Weight::Slight),
    ("creds", Class::Drawn, "credential", Weight::Slight),
    ("sig", Class::Signature, "signature", Weight::Slight),
    ("signature", Class::Signature, "signature", Weight::Slight),
];

/// Words that make a `key` a secret one.
const KEY_HEADS: [&str; 40] = [
    "access",
    "account",
    "admin",
    "aes",
    "algolia",
    "anthropic",
    "api",
    "app",
    "application",
    "auth",
    "azure",
    "client",
    "consumer",
    "crypto",
    "datadog",
    "decryption",
    "deploy",
    "encryption",
    "gemini",
    "groq",
    "hmac",
    "host",
    "integration",
    "jwt",
    "license",
    "mailgun",
    "master",
    "openai",
    "openrouter",
    "private",
    "secret",
    "sendgrid",
    "service",
    "shared",
    "signing",
    "ssh",
    "storage",
    "stripe",
    "subscription",
    "webhook",
];

/// Those of them that leave no doubt. A `storage_key` or a `host_key` may be a name or a fingerprint.
const SURE_KEY_HEADS: [&str; 12] = [
    "access",
    "aes",
    "api",
    "decryption",
    "encryption",
    "hmac",
    "jwt",
    "master",
    "openai",
    "private",
    "secret",
    "signing",
];

/// Words that make a `token` one that grants something.
const SURE_TOKEN_HEADS: [&str; 10] =
    ["access", "api", "auth", "bearer", "bot", "github", "gitlab", "npm", "refresh", "slack"];

/// Words before a telling part that take the tale back.
const TAKEN_BACK_BEFORE: [&str; 29] = [
    "bos",
    "cls",
    "continuation",
    "count",
    "cursor",
    "eos",
    "first",
    "forgot",
    "has",
    "hide",
    "is",
    "last",
    "lex",
    "mask",
    "max",
    "min",
    "next",
    "no",
    "num",
    "pad",
    "page",
    "peek",
    "prev",
    "pub",
    "public",
    "sep",
    "show",
    "stop",
    "unk",
];

/// Words behind a telling part that leave it as it is: which one, where, of what age. A number does too.
const LEFT_AS_IT_IS: [&str; 26] = [
    "admin",
    "base",
    "current",
    "db",
    "default",
    "dev",
    "development",
    "github",
    "live",
    "main",
    "new",
    "old",
    "plain",
    "plaintext",
    "prd",
    "primary",
    "prod",
    "production",
    "raw",
    "root",
    "secondary",
    "stage",
    "staging",
    "test",
    "user",
    "value",
];

/// Vendors whose secrets have no shape of their own.
const VENDORS: [(&str, &str); 13] = [
    ("aws", "aws-secret"),
    ("amz", "aws-secret"),
    ("azure", "azure-secret"),
    ("account", "azure-secret"),
    ("shared", "azure-secret"),
    ("datadog", "datadog-secret"),
    ("dd", "datadog-secret"),
    ("okta", "okta-secret"),
    ("twilio", "twilio-secret"),
    ("heroku", "heroku-secret"),
    ("cloudflare", "cloudflare-secret"),
    ("vercel", "vercel-secret"),
    ("ngrok", "ngrok-secret"),
];

/// Says whether a field or variable of this name is expected to hold a secret.
pub fn names_a_secret(name: &str) -> bool {
    telling(name.as_bytes()).is_some_and(|telling| telling.class != Class::Signature)
}

/// Says what a name tells, if it does.
pub(crate) fn telling(name: &[u8]) -> Option<Telling> {
    if name.len() > LONGEST {
        return None;
    }
    let mut parts: [&[u8]; MOST_PARTS] = [b""; MOST_PARTS];
    let mut count = 0;
    for part in Parts(name) {
        *parts.get_mut(count)? = part;
        count += 1;
    }
    let parts = &parts[..count];
    let (at, told) = (0..count).rev().find_map(|i| tells(parts, i).map(|told| (i, told)))?;
    let (before, behind) = (&parts[..at], &parts[at + 1..]);
    let left_as_it_is = |part: &&[u8]| part.iter().all(u8::is_ascii_digit) || is_one_of(part, &LEFT_AS_IT_IS);
    if before.iter().any(|part| is_one_of(part, &TAKEN_BACK_BEFORE)) || !behind.iter().all(left_as_it_is) {
        return None;
    }
    let vendor = || {
        let named =
            |part: &&[u8]| VENDORS.iter().find(|(word, _)| part.eq_ignore_ascii_case(word.as_bytes()));
        parts.iter().find_map(named).map(|(_, kind)| *kind)
    };
    let kind = if told.class == Class::Drawn { vendor().unwrap_or(told.kind) } else { told.kind };
    Some(Telling { kind, ..told })
}

/// For each last letter of a part, the letters before it that some telling part has. Nearly every part of nearly
/// every name fails here.
const GATE: [u32; 32] = {
    let mut gate = [0; 32];
    let mut i = 0;
    while i < ENDINGS.len() + WHOLE.len() {
        let word = if i < ENDINGS.len() { ENDINGS[i].0 } else { WHOLE[i - ENDINGS.len()].0 }.as_bytes();
        gate[(word[word.len() - 1] & 31) as usize] |= 1 << (word[word.len() - 2] & 31);
        i += 1;
    }
    gate[(b'y' & 31) as usize] |= 1 << (b'e' & 31);
    gate
};

/// Says what the part at `at` tells by itself and with the part before it.
fn tells(parts: &[&[u8]], at: usize) -> Option<Telling> {
    let part = parts[at];
    let [.., before, last] = *part else { return None };
    if GATE[usize::from(last & 31)] & (1 << (before & 31)) == 0 {
        return None;
    }
    let head = at.checked_sub(1).map_or(b"".as_slice(), |i| parts[i]);
    if part.eq_ignore_ascii_case(b"key") {
        let weight = if is_one_of(head, &SURE_KEY_HEADS) { Weight::Sure } else { Weight::Slight };
        let telling = Telling { class: Class::Drawn, kind: "api-key", weight };
        return is_one_of(head, &KEY_HEADS).then_some(telling);
    }
    let ending = |word: &str| {
        part.len() >= word.len() && part[part.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
    };
    let whole = |word: &str| part.eq_ignore_ascii_case(word.as_bytes());
    let by_ending = ENDINGS.iter().find(|(word, ..)| ending(word));
    let &(word, class, kind, mut weight) =
        by_ending.or_else(|| WHOLE.iter().find(|(word, ..)| whole(word)))?;
    if word == "token" && is_one_of(head, &SURE_TOKEN_HEADS) {
        weight = Weight::Sure;
    }
    Some(Telling { class, kind, weight })
}

/// Says whether a part is one of the words, in any case.
pub(crate) fn is_one_of(part: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// The parts of a name: split at separators, at humps, and behind capitals (`APIKey` is `API`, `Key`).
pub(crate) struct Parts<'n>(pub(crate) &'n [u8]);

impl<'n> Iterator for Parts<'n> {
    type Item = &'n [u8];

    fn next(&mut self) -> Option<&'n [u8]> {
        let start = self.0.iter().position(u8::is_ascii_alphanumeric)?;
        let rest = &self.0[start..];
        let ends = |i: usize| {
            let (a, b) = (rest[i - 1], rest[i]);
            !b.is_ascii_alphanumeric()
                || (a.is_ascii_lowercase() && b.is_ascii_uppercase())
                || (a.is_ascii_digit() != b.is_ascii_digit())
                || (a.is_ascii_uppercase()
                    && b.is_ascii_uppercase()
                    && rest.get(i + 1).is_some_and(u8::is_ascii_lowercase))
        };
        let end = (1..rest.len()).find(|&i| ends(i)).unwrap_or(rest.len());
        self.0 = &rest[end..];
        Some(&rest[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::{Parts, names_a_secret};

    #[test]
    fn parts() {
        let split = |name: &'static str| {
            Parts(name.as_bytes()).map(|p| std::str::from_utf8(p).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(split("DB_PASSWORD_2"), ["DB", "PASSWORD", "2"]);
        assert_eq!(split("clientSecret"), ["client", "Secret"]);
        assert_eq!(split("myAPIKey"), ["my", "API", "Key"]);
        assert_eq!(split("X-Api-Key"), ["X", "Api", "Key"]);
        assert_eq!(split("__"), Vec::<&str>::new());
    }

    #[test]
    fn tell() {
        for name in "password Password PASSWORD DB_PASSWORD DB_PASSWORD_2 PGPASSWORD MYSQL_PWD userPwd passwd passphrase \
             pass db_pass secret client_secret clientSecret SECRET_KEY SECRET_KEY_BASE token access_token accessToken \
             refresh_token id_token _authToken authtoken GITHUB_TOKEN TOKEN_GITHUB api_key apikey apiKey APIKey API_KEY \
             X-Api-Key x-auth-token Private-Token access_key aws_secret_access_key private_key privateKey AccountKey \
             SharedAccessKey signing_key encryption-key auth _auth credential credentials authorization cookie Set-Cookie \
             spring.datasource.password STRIPE_KEY"
            .split_whitespace()
        {
            assert!(names_a_secret(name), "{name}");
        }
    }

    #[test]
    fn do_not_tell() {
        for name in "name key id user host max_tokens tokens token_count tokenCount tokenizer tokenize secretary \
             secrets password_hash password_hash_rounds passwords passwordless password_file PASSWORD_FILE token_url \
             token_type secretName secret_name public_key publicKey primary_key foreign_key cache_key sort_key keyboard \
             monkey author authors authority oauth bypass compass passenger private private_key_id api_key_id \
             next_token nextPageToken eos_token token_ids session_id client_id access_key_id hasPassword is_token sig \
             signature keys api_keys cookies authored passed passing"
            .split_whitespace()
        {
            assert!(!names_a_secret(name), "{name}");
        }
    }
}
