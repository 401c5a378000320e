//! Names that tell what a file is by how they are put together: `.env.local`, `server.key`, `id_ed25519_work`.
//!
//! The words in a name decide, so that an example is not taken for the thing, nor a public key for a private one.

use crate::invocation::UNKNOWN;

use super::guarded::Ward;
use super::normal::Place;

/// Names that follow a pattern of their own.
pub(super) fn by_kind(place: &Place, name: &str) -> Option<Ward> {
    if is_env_file(name) {
        return Some(Ward::EnvFile);
    }
    is_key_file(place, name).then_some(Ward::Secret)
}

/// Words that make a file an example, not the thing itself.
static EXAMPLES: &[&str] = &[
    "example", "examples", "sample", "samples", "template", "tmpl", "tpl", "dist", "default", "defaults",
    "schema",
];

/// `.env`, `.env.local`, `production.env`; not `.env.example`.
fn is_env_file(name: &str) -> bool {
    let Some(head) = name.get(..4) else { return false };
    if head.eq_ignore_ascii_case(".env") {
        let rest = &name[4..];
        return rest.is_empty()
            || rest.starts_with(['.', '-', '_', '~'])
                && !words(rest).any(|word| is_one_of(word, EXAMPLES))
                && ![
                    "md", "ts", "js", "rs", "py", "go", "d", "yml", "yaml", "json", "vault", "enc", "gpg",
                    "age",
                ]
                .iter()
                .any(|extension| has_extension(rest, extension))
            || rest.starts_with(UNKNOWN) && rest.len() == UNKNOWN.len_utf8();
    }
    // `process.env` and `import.meta.env` are expressions, not files.
    has_extension(name, "env")
        && words(name).next().is_some()
        && !words(name)
            .any(|word| is_one_of(word, EXAMPLES) || is_one_of(word, &["process", "meta", "deno", "bun"]))
}

/// Says whether a pattern spells out the beginning of an environment file, and not that of an example: `.env.te*`.
pub(super) fn begins_like_env_file(pattern: &str) -> bool {
    let literal = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    let Some(rest) = literal.strip_prefix(".env.") else { return false };
    !EXAMPLES.iter().any(|example| example.starts_with(rest) && rest.len() > 1)
}

/// Words in the name of a `.key` or `.pem` file that say whether it is a private key.
static PRIVATE: &[&str] = &[
    "admin",
    "api",
    "apns",
    "auth",
    "ca",
    "cert",
    "client",
    "deploy",
    "domain",
    "dsa",
    "ecdsa",
    "ed25519",
    "encryption",
    "gpg",
    "host",
    "https",
    "id",
    "jwt",
    "key",
    "localhost",
    "master",
    "pgp",
    "priv",
    "private",
    "privkey",
    "prod",
    "production",
    "root",
    "rsa",
    "secret",
    "server",
    "service",
    "session",
    "sign",
    "signing",
    "ssh",
    "ssl",
    "staging",
    "tls",
    "wildcard",
    "wireguard",
    "wg0",
];
static PUBLIC: &[&str] = &["pub", "public", "pubkey"];
static CERTIFICATES: &[&str] = &[
    "ca",
    "cacert",
    "cacerts",
    "cert",
    "certs",
    "certificate",
    "chain",
    "fullchain",
    "bundle",
    "crt",
    "rootca",
];

fn is_key_file(place: &Place, name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return is_ssh_key(name) };
    let any = |known: &[&str]| words(stem).any(|word| is_one_of(word, known));
    if extension.len() > "keystore".len() {
        return is_ssh_key(name);
    }
    match extension.to_ascii_lowercase().as_str() {
        "ppk" | "p12" | "pfx" | "pkcs12" | "jks" | "kdbx" | "p8" => !any(EXAMPLES),
        "keystore" => !any(&["debug"]),
        "pem" => {
            !any(PUBLIC)
                && (!any(CERTIFICATES) || any(&["key", "private", "privkey", "priv"]))
                && place.after("/etc/ssl/certs").is_none()
        }
        "key" => {
            !any(PUBLIC)
                && (any(PRIVATE)
                    || place.parent().components().any(|dir| {
                        is_one_of(dir, &["certs", "ssl", "tls", "private", "keys", "pki", "secrets"])
                    }))
        }
        "asc" | "gpg" => any(&["private", "secret"]) && !any(&["secrets"]),
        "json" => is_account_file(stem),
        "pub" => false,
        _ => is_ssh_key(name),
    }
}

/// The key file of a service's account: `service-account.json`, `client_secret_123.json`, `gcp-credentials.json`.
fn is_account_file(stem: &str) -> bool {
    let mut before = "";
    words(stem).any(|word| {
        let pair = (before.to_ascii_lowercase(), word.to_ascii_lowercase());
        before = word;
        matches!(
            (pair.0.as_str(), pair.1.as_str()),
            ("service", "account") | ("client", "secret") | (_, "serviceaccount")
        )
    }) && !words(stem).any(|word| is_one_of(word, EXAMPLES))
        || stem.to_ascii_lowercase().ends_with("-credentials")
}

/// `id_rsa`, `id_ed25519_work`, `id_rsa.bak`.
fn is_ssh_key(name: &str) -> bool {
    let Some(("id" | "ID" | "Id", kind)) = name.split_once('_') else { return false };
    words(kind).next().is_some_and(|kind| is_one_of(kind, &["rsa", "dsa", "ecdsa", "ed25519", "xmss"]))
        && !has_extension(name, "pub")
        && !["md", "rs", "py", "ts", "js", "go", "txt", "html"]
            .iter()
            .any(|extension| has_extension(name, extension))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '-', '_', ' ', '~', '@']).filter(|word| !word.is_empty())
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

pub(super) fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}
