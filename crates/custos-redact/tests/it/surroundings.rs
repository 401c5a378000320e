//! Secrets that only a name or a place gives away, in the ways people and programs write them.

use custos_redact::{find, redact, redact_field};
use rstest::rstest;

use crate::synthetic::{ALNUM, HEX, tail, token};

#[rstest]
#[case::env("DB_PASSWORD=hunter2x9", "DB_PASSWORD=[redacted:password]")]
#[case::env_word("DB_PASSWORD=hunter\nA=b", "DB_PASSWORD=[redacted:password]\nA=b")]
#[case::env_odd("export DB_PASSWORD=p@ss;w#rd&1\n", "export DB_PASSWORD=[redacted:password]\n")]
#[case::env_single("PGPASSWORD='hunter2x9' psql", "PGPASSWORD='[redacted:password]' psql")]
#[case::env_in_json(
    "{\"cmd\":\"A=1\\nDB_PASSWORD=hunter2x9\\nB=2\"}",
    "{\"cmd\":\"A=1\\nDB_PASSWORD=[redacted:password]\\nB=2\"}"
)]
#[case::env_docker("docker run -e API_KEY=a8f3k2m9x7 img", "docker run -e API_KEY=[redacted:api-key] img")]
#[case::env_numbered("API_KEY_2=a8f3k2m9x7", "API_KEY_2=[redacted:api-key]")]
#[case::yaml("  password: hunter2x9\n", "  password: [redacted:password]\n")]
#[case::yaml_quoted("password: 'hunter'", "password: '[redacted:password]'")]
#[case::toml("password = \"hunter2x9\"", "password = \"[redacted:password]\"")]
#[case::toml_aligned("password        = \"hunter2x9\"", "password        = \"[redacted:password]\"")]
#[case::json(
    "{\"password\":\"hunter2x9\",\"user\":\"me\"}",
    "{\"password\":\"[redacted:password]\",\"user\":\"me\"}"
)]
#[case::json_in_json(
    "\"{\\\"password\\\":\\\"hunter2x9\\\"}\"",
    "\"{\\\"password\\\":\\\"[redacted:password]\\\"}\""
)]
#[case::json_deeper(
    "\\\\\\\"password\\\\\\\": \\\\\\\"hunter2x9\\\\\\\",",
    "\\\\\\\"password\\\\\\\": \\\\\\\"[redacted:password]\\\\\\\","
)]
#[case::json_escape_in_value("{\"password\":\"hun\\\"ter2\"}", "{\"password\":\"[redacted:password]\"}")]
#[case::json_unicode_quote(
    "\\u0022password\\u0022:\\u0022hunter2x9\\u0022",
    "\\u0022password\\u0022:\\u0022[redacted:password]\\u0022"
)]
#[case::html(
    "&quot;password&quot;: &quot;hunter2x9&quot;",
    "&quot;password&quot;: &quot;[redacted:password]&quot;"
)]
#[case::xml("<password>hunter2x9</password>", "<password>[redacted:password]</password>")]
#[case::ruby("'password' => 'hunter2x9',", "'password' => '[redacted:password]',")]
#[case::go("password := \"hunter2x9\"", "password := \"[redacted:password]\"")]
#[case::rust_const(
    "const PASSWORD: &str = \"hunter2x9\";",
    "const PASSWORD: &str = \"[redacted:password]\";"
)]
#[case::typescript("const apiKey: string = 'a8f3k2m9x7';", "const apiKey: string = '[redacted:api-key]';")]
#[case::python_bytes("SECRET_KEY = b'a8f3k2m9x7'", "SECRET_KEY = b'[redacted:api-key]'")]
#[case::index("config[\"password\"] = \"hunter2x9\"", "config[\"password\"] = \"[redacted:password]\"")]
#[case::compare("if password == \"hunter2x9\" {", "if password == \"[redacted:password]\" {")]
#[case::pin("{\"password\":\"12345678\"}", "{\"password\":\"[redacted:password]\"}")]
#[case::phrase("passphrase: \"correct horse battery staple\"", "passphrase: \"[redacted:password]\"")]
#[case::markdown("**Password:** hunter2x9", "**Password:** [redacted:password]")]
#[case::two_words("API key: a8f3k2m9x7q1w2", "API key: [redacted:api-key]")]
#[case::query("GET /x?user=me&token=a8f3k2m9&x=1", "GET /x?user=me&token=[redacted:token]&x=1")]
#[case::query_encoded(
    "u=%3Faccess_token%3Da8f3k2m9x7q1%26x%3D1",
    "u=%3Faccess_token%3D[redacted:token]%26x%3D1"
)]
#[case::query_html("?a=1&amp;token=a8f3k2m9&amp;b=2", "?a=1&amp;token=[redacted:token]&amp;b=2")]
#[case::query_json("?a=1\\u0026token=a8f3k2m9\\u0026b=2", "?a=1\\u0026token=[redacted:token]\\u0026b=2")]
#[case::npmrc(
    "//registry.npmjs.org/:_authToken=a8f3k2m9x7q1w2",
    "//registry.npmjs.org/:_authToken=[redacted:token]"
)]
#[case::connection(
    "Server=db;User Id=sa;Password=hunter;Encrypt=true",
    "Server=db;User Id=sa;Password=[redacted:password];Encrypt=true"
)]
#[case::jdbc(
    "jdbc:mysql://db/x?user=me&password=hunter",
    "jdbc:mysql://db/x?user=me&password=[redacted:password]"
)]
#[case::option("mysqldump --password foo db", "mysqldump --password [redacted:password] db")]
#[case::option_equals("mysqldump --password=foo db", "mysqldump --password=[redacted:password] db")]
#[case::option_quoted("x --password 'hun ter 2 9' y", "x --password '[redacted:password]' y")]
#[case::option_token("vercel --token a8f3k2m9x7", "vercel --token [redacted:token]")]
#[case::curl_quoted(
    "curl --user 'me:hunter2' https://x",
    "curl --user 'me:[redacted:curl-password]' https://x"
)]
#[case::header("Authorization: Bearer xyz", "Authorization: Bearer [redacted:authorization]")]
#[case::header_wrapped(
    "Authorization:\n  Bearer xyz\nHost: x",
    "Authorization:\n  Bearer [redacted:authorization]\nHost: x"
)]
#[case::header_token("authorization: token a8f3k2", "authorization: token [redacted:authorization]")]
#[case::header_curl(
    "curl -H 'Authorization: Basic dXNlcjpw' x",
    "curl -H 'Authorization: Basic [redacted:authorization]' x"
)]
#[case::header_json(
    "{\"Authorization\":\"Bearer a8f3k2m9\"}",
    "{\"Authorization\":\"Bearer [redacted:authorization]\"}"
)]
#[case::header_escaped(
    "\\\"Authorization\\\": \\\"Bearer a8f3k2m9\\\"",
    "\\\"Authorization\\\": \\\"Bearer [redacted:authorization]\\\""
)]
#[case::header_key("x-api-key: a8f3k2m9", "x-api-key: [redacted:api-key]")]
#[case::set_cookie(
    "Set-Cookie: sid=a8f3k2m9; Path=/; HttpOnly",
    "Set-Cookie: sid=[redacted:cookie]; Path=/; HttpOnly"
)]
#[case::cookies(
    "Cookie: csrftoken=abcd1234; theme=dark; JSESSIONID=0A1B2C3D",
    "Cookie: csrftoken=[redacted:cookie]; theme=dark; JSESSIONID=[redacted:cookie]"
)]
#[case::url_mysql("mysql://root:toor@127.0.0.1:3306", "mysql://root:[redacted:url-password]@127.0.0.1:3306")]
#[case::url_mongo(
    "mongodb+srv://u:p%40ss@c.example.net/db",
    "mongodb+srv://u:[redacted:url-password]@c.example.net/db"
)]
#[case::url_redis("redis://:hunter2@cache:6379/0", "redis://:[redacted:url-password]@cache:6379/0")]
#[case::url_amqp("amqp://guest:guest@mq/vhost", "amqp://guest:[redacted:url-password]@mq/vhost")]
#[case::url_https("https://user:pass@example.com/a", "https://user:[redacted:url-password]@example.com/a")]
#[case::url_at("postgres://u:p@ss@host/db", "postgres://u:[redacted:url-password]@host/db")]
#[case::url_json(
    "https:\\/\\/user:pass@example.com\\/a",
    "https:\\/\\/user:[redacted:url-password]@example.com\\/a"
)]
#[case::colour("\u{1b}[32mpassword\u{1b}[0m", "\u{1b}[32mpassword\u{1b}[0m")]
fn taken_out(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
}

#[test]
fn the_shape_names_the_kind_when_both_fit() {
    let text = format!("GITHUB_TOKEN={}", token("ghp_", ALNUM, 36));
    assert_eq!(redact(&text), "GITHUB_TOKEN=[redacted:github-token]");
}

#[test]
fn a_token_in_the_place_of_the_user_is_taken_too() {
    let token = token("ghp_", ALNUM, 36);
    let clean = "https://[redacted:github-token]:[redacted:url-password]@github.com/a/b";
    assert_eq!(redact(&format!("https://{token}:x-oauth-basic@github.com/a/b")), clean);
}

#[test]
fn a_token_may_be_wrapped() {
    let (a, b) = (tail(ALNUM, 20), tail(ALNUM, 16));
    assert_eq!(redact(&format!("use ghp_{a}\n    {b} now")), "use [redacted:github-token] now");
    assert_eq!(redact(&format!("use ghp_{a}\\n{b}\\n")), "use [redacted:github-token]\\n");
    let secret = tail(ALNUM, 40);
    assert_eq!(redact(&format!("secret_key:\n  {secret}\n")), "secret_key:\n  [redacted:api-key]\n");
    assert_eq!(
        redact(&format!("api_key = \\\n  \"{secret}\"\n")),
        "api_key = \\\n  \"[redacted:api-key]\"\n"
    );
}

#[test]
fn a_colour_code_is_no_part_of_the_word_behind_it() {
    let text = format!("\u{1b}[1;32m{}\u{1b}[0m", token("ghp_", ALNUM, 36));
    assert_eq!(redact(&text), "\u{1b}[1;32m[redacted:github-token]\u{1b}[0m");
}

#[test]
fn the_start_of_a_cut_off_value_is_taken() {
    assert_eq!(redact("{\"password\":\"hunter2x9"), "{\"password\":\"[redacted:password]");
}

#[test]
fn what_a_finding_lays_bare_is_taken_too() {
    // The whole value is an address; without its end, it is a password.
    let text = format!("password=\"a1b2:Authorization://{}", tail(ALNUM, 20));
    assert_eq!(redact(&text), "password=\"[redacted:password][redacted:authorization]");
}

#[test]
fn findings_say_what_and_where() {
    let text = format!("a {} <private>b</private>", token("AKIA", "ABCDEFGH234567", 16));
    let found: Vec<_> = find(&text).into_iter().map(|f| (f.kind, f.range)).collect();
    assert_eq!(found, [("aws-access-key-id", 2..22), ("private", 23..text.len())]);
}

#[rstest]
#[case::password(Some("password"), "hunter2x9", "[redacted:password]")]
#[case::word(Some("password"), "hunter", "[redacted:password]")]
#[case::camel(Some("dbPassword"), "hunter2x9", "[redacted:password]")]
#[case::uuid(Some("api_key"), "4f9c2b1e-7a3d-4c58-9e06-b1d2f3a4c5e6", "[redacted:api-key]")]
#[case::authorization(Some("Authorization"), "Bearer xyz", "Bearer [redacted:authorization]")]
#[case::cookie(Some("cookie"), "sid=a8f3k2m9; theme=dark", "sid=[redacted:cookie]; theme=dark")]
#[case::placeholder(Some("password"), "${DB_PASSWORD}", "${DB_PASSWORD}")]
#[case::type_name(Some("password"), "string", "string")]
#[case::label(Some("password"), "Enter your password", "Enter your password")]
#[case::innocent(Some("command"), "ls -la", "ls -la")]
#[case::inner(Some("command"), "mysql --password=foo", "mysql --password=[redacted:password]")]
#[case::inner_under_a_telling_name(
    Some("token"),
    "see https://u:p@h/",
    "see https://u:[redacted:url-password]@h/"
)]
#[case::marked(Some("password"), "[redacted:password]", "[redacted:password]")]
#[case::nameless(None, "hunter2x9", "hunter2x9")]
#[case::session(
    Some("session_id"),
    "4f9c2b1e-7a3d-4c58-9e06-b1d2f3a4c5e6",
    "4f9c2b1e-7a3d-4c58-9e06-b1d2f3a4c5e6"
)]
fn fields(#[case] name: Option<&str>, #[case] value: &str, #[case] expected: &str) {
    assert_eq!(redact_field(name, value), expected);
    assert_eq!(redact_field(name, expected), expected);
}

#[test]
fn a_shaped_value_of_a_telling_field_keeps_its_kind() {
    let key = token("dapi", HEX, 32);
    assert_eq!(redact_field(Some("token"), &key), "[redacted:databricks-token]");
}
