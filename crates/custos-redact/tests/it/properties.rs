//! What holds for any text.

use std::borrow::Cow;

use custos_redact::{find, kinds, redact, redact_field};
use proptest::prelude::*;

/// Pieces that make matchers start, go on and fail, joined at random.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "password", "PASSWORD", "token", "api_key", "Authorization", "Cookie", "secret", "key", "=", ":", ": ", " = ", ":=", "=>",
            "\"", "'", "\\\"", "\\n", "\n", " ", "?", "&", ";", "--", "-u ", "curl ", "Bearer ", "Basic ", "://", "user:", "@",
            "ghp_", "sk-", "sk-ant-", "AKIA", "eyJ", ".", "_", "-", "/", "xoxb-", "AIza", "-----BEGIN RSA PRIVATE KEY-----",
            "-----END RSA PRIVATE KEY-----", "<private>", "</private>", "\\u003cprivate\\u003e", "&lt;private&gt;", "[redacted:token]",
            "[redacted:", "]", "<password>", "</", "%3D", "%26", "${", "}", "(", ")", "...", "\u{1b}[0m", "ü", "→", "machine ", " login ",
            ":5432:", ":*:*:a:", "mysql ", "-p", "sshpass -p ", "htpasswd -b ", "redis-cli -a ", "openssl -k ", "docker login ", "password is ",
            "%3A", "%2F%2F", "%40", "%25", "hunter", "JWT_SECRET=", "export ", "\n  ", ",", "&&", "; ", "# ", "-passin pass:", "hooks.slack.com/services/", ".atlasv1.", "-us1", ":AA",
        ]).prop_map(str::to_owned),
        2 => "[A-Za-z0-9]{1,12}",
        2 => "[A-Za-z0-9]{16,44}",
        1 => "[0-9a-f]{32}",
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Secrets that must be found wherever something separates them from their neighbours.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "ghp_[A-Za-z0-9]{30}[a-c][D-F][0-3]{4}",
        "AKIA[A-Z2-7]{10}ABCDE2",
        "sk-ant-api03-[A-Za-z0-9]{60}aB1c2D",
        "glpat-[A-Za-z0-9]{14}aB1c2D",
        "AIza[A-Za-z0-9]{29}aB1c2D",
        "SK[0-9a-f]{26}0a1b2c",
        "xoxb-[0-9]{12}-[A-Za-z0-9]{18}aB1c2D",
        "eyJhbGciOiJIUzI1NiJ9\\.eyJ[A-Za-z0-9]{20}\\.[A-Za-z0-9_-]{42}[a-z]",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}") {
        check(&text)?;
    }

    #[test]
    fn any_mixture_is_survived(text in pieces()) {
        check(&text)?;
    }

    #[test]
    fn a_planted_secret_never_survives(
        before in "[ -~\n]{0,60}",
        left in prop::sample::select(vec![" ", "\n", "\\n", "\"", "'", "(", ",", "%20", "\t", "`"]),
        secret in secret(),
        right in prop::sample::select(vec![" ", "\n", "\\n", "\"", "'", ")", ",", "%20", "`", ""]),
        after in "[ \n][ -~\n]{0,60}",
    ) {
        let text = format!("{before}{left}{secret}{right}{after}");
        prop_assert!(!redact(&text).contains(&secret), "{text}");
    }

    #[test]
    fn a_telling_name_gives_its_value_away(value in "[a-z]{3}[0-9]{2}[A-Z]{3}[0-9]{2}[a-z]{3}") {
        for text in [
            format!("password={value}"), format!("\"token\": \"{value}\""), format!("API_KEY='{value}'"),
            format!("?access_token={value}&x"), format!("--password {value}"), format!("https://u:{value}@h/"),
        ] {
            prop_assert!(!redact(&text).contains(&value), "{text}");
        }
        prop_assert!(!redact_field(Some("secret"), &value).contains(&value));
    }

    #[test]
    fn clean_text_is_borrowed(text in "[a-z ,.\n]{0,400}") {
        prop_assert!(matches!(redact(&text), Cow::Borrowed(same) if same == text));
    }
}

/// Checks all that must hold, whatever the text.
fn check(text: &str) -> Result<(), TestCaseError> {
    let found = find(text);
    let mut from = 0;
    for finding in &found {
        prop_assert!(from <= finding.range.start && finding.range.start < finding.range.end, "{found:?}");
        prop_assert!(text.get(finding.range.clone()).is_some(), "{found:?}");
        prop_assert!(kinds().any(|kind| kind.name == finding.kind), "{found:?}");
        from = finding.range.end;
    }
    let once = redact(text);
    prop_assert_eq!(redact(&once), once.as_ref(), "from {:?}", text);
    for name in ["password", "token", "authorization", "cookie"] {
        let once = redact_field(Some(name), text);
        prop_assert_eq!(redact_field(Some(name), &once), once.as_ref(), "{} from {:?}", name, text);
    }
    Ok(())
}
