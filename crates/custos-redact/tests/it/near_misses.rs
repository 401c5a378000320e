//! What looks like a secret and is none. Each line must come out as it went in.

use custos_redact::{find, redact};

/// One near miss per line; blank lines and lines that begin with `##` are for the reader.
const LINES: &str = include_str!("near_misses.txt");

/// Near misses of several lines.
const BLOCKS: [&str; 21] = [
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----\n",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n-----END PUBLIC KEY-----\n",
    "[[package]]\nname = \"serde\"\nchecksum = \"e3c2b1f09a8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b\"\n",
    "PASSWORD=\nDB_HOST=localhost123\n",
    "token:\n  name: csrf\n  length: 32\n",
    "if token:\n    return refresh(token)\n",
    "interface Login {\n  password: string;\n  token?: string;\n  secret: Uint8Array;\n}\n",
    "match token {\n    Token::Ident(name) => name,\n    Token::Key => key(),\n}\n",
    "class A:\n    password: str\n    token: str\n",
    "interface A {\n  user: string\n  password: string\n}",
    "struct A {\n    password: String,\n    token: Token\n}",
    "const b = {\n  user: name,\n  password: pword\n}",
    "const b = {\n  password: pword,\n  user: name\n}",
    "const b = {\n  user,\n  password: pword\n};",
    "f(\n    user=user,\n    password=pword\n)",
    "const B = \"-----BEGIN PRIVATE KEY-----\";\nconst E = \"-----END PRIVATE KEY-----\";",
    "-----BEGIN PRIVATE KEY-----\nyour key here\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nxxxxxxxx\n-----END PRIVATE KEY-----",
    "if password == other:\n    pass",
    "pass: 120\nfail: 3",
    "tests: 12\npass: all\n",
];

#[test]
fn stay_untouched() {
    let lines: Vec<_> = LINES.lines().filter(|line| !line.is_empty() && !line.starts_with("##")).collect();
    assert!(lines.len() >= 200, "{} lines", lines.len());
    let touched: Vec<_> =
        lines.iter().chain(&BLOCKS).filter(|text| redact(text) != **text).map(|text| redact(text)).collect();
    assert!(touched.is_empty(), "{touched:#?}");
}

#[test]
fn stay_untouched_together() {
    let text = LINES.replace('\n', "\\n");
    let touched: Vec<_> =
        find(&text).into_iter().map(|finding| (finding.kind, text[finding.range].to_owned())).collect();
    assert_eq!(touched, []);
}
