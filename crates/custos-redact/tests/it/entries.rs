//! Entries of configuration files, fields of data, and sentences that tell a secret.

use custos_redact::{redact, redact_field};
use rstest::rstest;

#[rstest]
#[case::json("{\"secret\": \"value\"}", "{\"secret\": \"[redacted:secret]\"}")]
#[case::json_token("{\"token\": \"abc123def\"}", "{\"token\": \"[redacted:token]\"}")]
#[case::json_words("{\"jwt_secret\": \"my-super-secret-key\"}", "{\"jwt_secret\": \"[redacted:secret]\"}")]
#[case::json_granting("{\"access_token\": \"abcdef\"}", "{\"access_token\": \"[redacted:token]\"}")]
#[case::json_key("{\"api_key\": \"abcdefgh\"}", "{\"api_key\": \"[redacted:api-key]\"}")]
#[case::toml("secret = \"correct-horse\"", "secret = \"[redacted:secret]\"")]
#[case::yaml("password: hunter", "password: [redacted:password]")]
#[case::yaml_nested(
    "db:\n  user: app\n  password: hunter\n  port: 5432\n",
    "db:\n  user: app\n  password: [redacted:password]\n  port: 5432\n"
)]
#[case::yaml_comment("passwd: letmein # for now\n", "passwd: [redacted:password] # for now\n")]
#[case::yaml_list("- name: a\n- pwd: swordfish\n", "- name: a\n- pwd: [redacted:password]\n")]
#[case::yaml_in_a_string(
    "\"a: b\\npassword: hunter\\nc: d\"",
    "\"a: b\\npassword: [redacted:password]\\nc: d\""
)]
#[case::yaml_number("password: 123456\n", "password: [redacted:password]\n")]
#[case::yaml_secret("secret: swordfish\n", "secret: [redacted:secret]\n")]
#[case::yaml_token("token: abc123\n", "token: [redacted:token]\n")]
#[case::yaml_key("api_key: abcdef123\n", "api_key: [redacted:api-key]\n")]
#[case::properties("spring.datasource.password=hunter\n", "spring.datasource.password=[redacted:password]\n")]
#[case::logfmt("level=info password=hunter user=me", "level=info password=[redacted:password] user=me")]
#[case::note("User: me\nPassword: hunter\n", "User: me\nPassword: [redacted:password]\n")]
fn entries(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
}

#[rstest]
#[case("my password is hunter2", "my password is [redacted:told-secret]")]
#[case("My password is: hunter2, please.", "My password is: [redacted:told-secret], please.")]
#[case("The password is \"hunter\".", "The password is \"[redacted:told-secret]\".")]
#[case("the passphrase is 'hunter'", "the passphrase is '[redacted:told-secret]'")]
#[case("Das Passwort lautet Geheim123!", "Das Passwort lautet [redacted:told-secret]!")]
#[case("Passwort ist \u{201e}geheim\u{201c}.", "Passwort ist \u{201e}[redacted:told-secret]\u{201c}.")]
#[case("the API key is abc123XYZ789", "the API key is [redacted:told-secret]")]
#[case("the access token is abc123XYZ.", "the access token is [redacted:told-secret].")]
#[case("the password is `hunter`", "the password is `[redacted:told-secret]`")]
fn sentences(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
}

#[rstest]
#[case("secret", "correct-horse", "[redacted:secret]")]
#[case("access_token", "abcdef", "[redacted:token]")]
#[case("token", "keyword.operator", "keyword.operator")]
#[case("token", "comment", "comment")]
#[case("secret", "DB_SECRET", "DB_SECRET")]
#[case("password", "challengePassword", "challengePassword")]
fn fields(#[case] name: &str, #[case] value: &str, #[case] expected: &str) {
    assert_eq!(redact_field(Some(name), value), expected);
}
