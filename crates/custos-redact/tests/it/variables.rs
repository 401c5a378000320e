//! Variables of an environment, and how far their values reach.

use custos_redact::redact;
use rstest::rstest;

#[rstest]
#[case::words("JWT_SECRET=supersecretvalue", "JWT_SECRET=[redacted:secret]")]
#[case::joined_words("JWT_SECRET=my-super-secret-key", "JWT_SECRET=[redacted:secret]")]
#[case::words_and_number("SECRET_KEY=dev-secret-1", "SECRET_KEY=[redacted:api-key]")]
#[case::letters("API_TOKEN=abcdef", "API_TOKEN=[redacted:token]")]
#[case::credentials("GOOGLE_CREDENTIALS=correcthorse", "GOOGLE_CREDENTIALS=[redacted:credential]")]
#[case::encryption("ENCRYPTION_KEY=correcthorse", "ENCRYPTION_KEY=[redacted:api-key]")]
#[case::short("DB_PASSWORD=abc", "DB_PASSWORD=[redacted:password]")]
#[case::pin("ADMIN_PASSWORD=123456", "ADMIN_PASSWORD=[redacted:password]")]
#[case::common("POSTGRES_PASSWORD=password", "POSTGRES_PASSWORD=[redacted:password]")]
#[case::begins_with_a_sign("DB_PASSWORD=@dm!n", "DB_PASSWORD=[redacted:password]")]
#[case::export("export SESSION_SECRET=keyboardcat\n", "export SESSION_SECRET=[redacted:secret]\n")]
#[case::dockerfile("ENV APP_SECRET=correcthorse\n", "ENV APP_SECRET=[redacted:secret]\n")]
#[case::short_option("docker run -e JWT_SECRET=horse img", "docker run -e JWT_SECRET=[redacted:secret] img")]
#[case::option("docker run --env JWT_SECRET=horse img", "docker run --env JWT_SECRET=[redacted:secret] img")]
#[case::glued_option("x --env=JWT_SECRET=horse img", "x --env=JWT_SECRET=[redacted:secret] img")]
#[case::command("JWT_SECRET=horse node app.js", "JWT_SECRET=[redacted:secret] node app.js")]
#[case::quoted("JWT_SECRET=\"supersecretvalue\"", "JWT_SECRET=\"[redacted:secret]\"")]
#[case::phrase("JWT_SECRET='keyboard cat'", "JWT_SECRET='[redacted:secret]'")]
#[case::between("A=1\nAPI_TOKEN=abcdef\nB=2", "A=1\nAPI_TOKEN=[redacted:token]\nB=2")]
#[case::in_a_string("\"A=1\\nAPI_TOKEN=abcdef\\nB=2\"", "\"A=1\\nAPI_TOKEN=[redacted:token]\\nB=2\"")]
#[case::in_a_list("[\"JWT_SECRET=horse\",\"A=1\"]", "[\"JWT_SECRET=[redacted:secret]\",\"A=1\"]")]
#[case::compose("    - JWT_SECRET=horse\n", "    - JWT_SECRET=[redacted:secret]\n")]
#[case::added("+JWT_SECRET=horse", "+JWT_SECRET=[redacted:secret]")]
#[case::taken_away("-JWT_SECRET=horse", "-JWT_SECRET=[redacted:secret]")]
#[case::numbered("  12\u{2192}JWT_SECRET=horse", "  12\u{2192}JWT_SECRET=[redacted:secret]")]
#[case::powershell("$env:JWT_SECRET=\"horse\"", "$env:JWT_SECRET=\"[redacted:secret]\"")]
#[case::yaml("  JWT_SECRET: supersecretvalue\n", "  JWT_SECRET: [redacted:secret]\n")]
fn a_variable_needs_no_entropy(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
}

#[rstest]
#[case("passwd=Tr0ub4dor&3", "passwd=[redacted:password]")]
#[case("password: Tr0ub4dor&3\n", "password: [redacted:password]\n")]
#[case("password=Pa,ss;w0rd next", "password=[redacted:password] next")]
#[case("pwd=a!b@c#1%2^3*4+5?6/7", "pwd=[redacted:password]")]
#[case("(password='a1b2,c&d')", "(password='[redacted:password]')")]
#[case("DB_PASSWORD=a(b)|c;d&e\n", "DB_PASSWORD=[redacted:password]\n")]
#[case("run -e DB_PASSWORD=a1;b2&c3 img", "run -e DB_PASSWORD=[redacted:password] img")]
#[case("https://h/p?password=abc123&x=1", "https://h/p?password=[redacted:password]&x=1")]
#[case("See https://h/p?password=abc123.", "See https://h/p?password=[redacted:password].")]
#[case("user=me&password=abc123&x=1", "user=me&password=[redacted:password]&x=1")]
#[case("curl -d 'password=abc123&x=1'", "curl -d 'password=[redacted:password]&x=1'")]
#[case("Server=db;Password=p@ss;Database=x", "Server=db;Password=[redacted:password];Database=x")]
#[case("Server=db;Password=p@ss;User Id=x", "Server=db;Password=[redacted:password];User Id=x")]
#[case("UID=sa;PWD=a&b,c;DATABASE=x", "UID=sa;PWD=[redacted:password];DATABASE=x")]
#[case("PASSWORD=abc; next", "PASSWORD=[redacted:password]; next")]
#[case("FOO_PASSWORD=abc && run", "FOO_PASSWORD=[redacted:password] && run")]
#[case("FOO_PASSWORD=abc&&run", "FOO_PASSWORD=[redacted:password]&&run")]
#[case("connect(password=abc123,user=me)", "connect(password=[redacted:password],user=me)")]
#[case("{password:abc123,user:me}", "{password:[redacted:password],user:me}")]
#[case("the password=abc123, and then", "the password=[redacted:password], and then")]
#[case("password=abc123&quot;,", "password=[redacted:password]&quot;,")]
#[case("--set A_TOKEN=abcdef,B_TOKEN=ghijkl", "--set A_TOKEN=[redacted:token],B_TOKEN=ghijkl")]
fn a_value_reaches_as_far_as_it_can(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
}
