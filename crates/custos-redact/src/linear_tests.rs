//! Linear time, counted in bytes looked at rather than seconds.

use rstest::rstest;

use crate::effort::spent;
use crate::redact;

/// The most looks at each byte that any input may cause.
const MOST_LOOKS: usize = 300;

fn looks(text: &str) -> usize {
    spent(|| drop(redact(text)))
}

#[rstest]
#[case("=")]
#[case(":")]
#[case("-")]
#[case("\\")]
#[case("%")]
#[case("\"")]
#[case(" ")]
#[case("a")]
#[case("a=")]
#[case("a-")]
#[case("a: ")]
#[case("-----BEGIN")]
#[case("-----BEGIN ")]
#[case("-----BEGIN RSA PRIVATE KEY-----")]
#[case("-----BEGIN RSA PRIVATE KEY-----\n")]
#[case("-----BEGIN PRIVATE KEY-----Version: 1\n")]
#[case("-----END RSA PRIVATE KEY-----")]
#[case("<private>")]
#[case("</private>")]
#[case("<private ")]
#[case("\\u003cprivate")]
#[case("&lt;private&gt;")]
#[case("[redacted:")]
#[case("[redacted:token]")]
#[case("eyJ")]
#[case("eyJ-")]
#[case("eyJ.")]
#[case("eyJhbGciOiJIUzI1NiJ9.")]
#[case("eyJhbGciOiJIUzI1NiJ9-eyJ.a.")]
#[case("password=")]
#[case("password:")]
#[case("password: ")]
#[case("password=\"")]
#[case("password=\\\"")]
#[case("password='\"")]
#[case("PASSWORD=")]
#[case("PASSWORD=a1\n")]
#[case("token:token.")]
#[case("token%3D")]
#[case("?token=")]
#[case("authorization:")]
#[case("authorization:)")]
#[case("authorization: a ")]
#[case("cookie:a=")]
#[case("cookie: a=b; ")]
#[case("cookie:a;")]
#[case("sk-")]
#[case("sk-ant-")]
#[case("ghp_")]
#[case("ghp_aaaa\n")]
#[case("AIza-")]
#[case("glpat-a.")]
#[case("xoxb-")]
#[case("hooks.slack.com/services/a/")]
#[case("://")]
#[case("://a:b@")]
#[case("a://a@a:")]
#[case(":5432:")]
#[case(":5432:a:")]
#[case("machine a.b ")]
#[case("machine a.b login ")]
#[case("Bearer ")]
#[case("bearer-")]
#[case("--password ")]
#[case("--password")]
#[case("-u a:b ")]
#[case("curl -u 1:1 ")]
#[case("<password>")]
#[case("<password>a")]
#[case(".atlasv1.")]
#[case("MTIz.")]
#[case("Private-Lines: 1\n")]
#[case("1:AA")]
#[case("\u{1b}[")]
#[case("password: Option<")]
#[case("key: key ")]
fn work_grows_with_the_text_and_no_faster(#[case] piece: &str) {
    let half = piece.repeat(20_000 / piece.len());
    let whole = piece.repeat(40_000 / piece.len());
    let (once, twice) = (looks(&half), looks(&whole));
    assert!(twice <= MOST_LOOKS * whole.len(), "{} looks at each byte", twice / whole.len());
    assert!(twice * 10 <= once * 21 + 50_000, "{once}, then {twice}");
}

/// A long run that many starts reach into, closed by something that makes each of them fail.
#[rstest]
#[case("eyJ-", ".a.")]
#[case("sk-", "\n a")]
#[case("ghp_a", "...")]
#[case("authorization:", " x")]
#[case("authorization:", "))))")]
#[case("password:", "(")]
#[case("token=", "\n\nx")]
#[case("api_key:a1.", "[")]
#[case("PASSWORD=a", "...")]
fn many_starts_share_one_run(#[case] piece: &str, #[case] end: &str) {
    let text = format!("{}{end}", piece.repeat(40_000 / piece.len()));
    assert!(looks(&text) <= MOST_LOOKS * text.len(), "{} looks at each byte", looks(&text) / text.len());
}
