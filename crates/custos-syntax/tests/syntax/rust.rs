use rstest::rstest;

use crate::touched;

const FILE: &str = r#"
//! Sessions.

pub const LIMIT: usize = 10;

/// A session.
#[derive(Debug)]
pub struct Session {
    token: String,
}

impl Session {
    /// Makes one.
    pub fn new(token: String) -> Self {
        Self { token }
    }

    fn refresh(&mut self) {
        self.token = fetch();
    }
}

impl std::fmt::Display for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.token)
    }
}

pub(crate) trait Store: Send {
    fn get(&self, key: &str) -> Option<String>;
}

fn fetch() -> String {
    fn inner() {}
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept() {
        assert_eq!(Session::new("a".into()).token, "a");
    }
}
"#;

#[rstest]
#[case::nothing("LIMIT", "LIMIT", &[])]
#[case::white_space("Self { token }", "Self {\n            token\n        }", &[])]
#[case::constant("= 10;", "= 20;", &["Changed Constant LIMIT"])]
#[case::body("self.token = fetch();", "self.token = fetch() + \"!\";", &["Changed Method Session::refresh"])]
#[case::signature("refresh(&mut self)", "refresh(&mut self, force: bool)", &["SignatureChanged Method Session::refresh"])]
#[case::visibility("    fn refresh", "    pub fn refresh", &["SignatureChanged Method Session::refresh"])]
#[case::attribute("#[derive(Debug)]", "#[derive(Debug, Clone)]", &["Changed Type Session"])]
#[case::comment("/// Makes one.", "/// Makes a new one.", &["Changed Method Session::new"])]
#[case::field("    token: String,\n}", "    token: String,\n    id: u64,\n}", &["Changed Type Session"])]
#[case::trait_method("Option<String>;", "Option<String>;\n    fn put(&self);", &["Added Method Store::put"])]
#[case::trait_head("Store: Send", "Store: Send + Sync", &["SignatureChanged Trait Store"])]
#[case::inner("fn inner() {}", "fn inner() { todo() }", &["Changed Function fetch"])]
#[case::in_a_test("\"a\");", "\"a\");\n        assert!(true);", &["Changed Test tests::a_token_is_kept"])]
#[case::renamed("fn fetch() -> String", "fn fetch_token() -> String", &["Renamed Function fetch → fetch_token"])]
#[case::removed("    fn refresh(&mut self) {\n        self.token = fetch();\n    }\n", "", &["Removed Method Session::refresh"])]
#[case::module_only("    use super::*;\n", "", &["Changed Module tests"])]
#[case::outside("//! Sessions.", "//! Many sessions.", &[])]
fn files(#[case] from: &str, #[case] to: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("src/session.rs", FILE, &FILE.replacen(from, to, 1)), expected);
}

#[test]
fn a_new_file_is_told_in_its_order() {
    let expected = [
        "Added Constant LIMIT",
        "Added Type Session",
        "Added Method Session::new",
        "Added Method Session::refresh",
        "Added Method Session::fmt",
        "Added Trait Store",
        "Added Method Store::get",
        "Added Function fetch",
        "Added Module tests",
        "Added Test tests::a_token_is_kept",
    ];
    assert_eq!(touched("src/session.rs", "", FILE), expected);
    assert_eq!(touched("src/session.rs", FILE, ""), expected.map(|line| line.replace("Added", "Removed")));
}

#[test]
fn a_type_takes_its_members_along_when_it_is_renamed() {
    let after = FILE.replace("Session", "Login").replace("fetch();", "fetch().trim();");
    let expected = [
        "Renamed Type Session → Login",
        "Changed Method Login::refresh",
        "Changed Test tests::a_token_is_kept",
    ];
    assert_eq!(touched("src/session.rs", FILE, &after), expected);
}

#[rstest]
#[case::inside("    let x = 1;\n    x + y", "    let x = 2;\n    x + y", &[])]
#[case::head_without_end(
    "    fn refresh(&mut self) {\n        let a = 1;",
    "    fn refresh(&mut self) {\n        let a = 2;",
    &["Changed Method refresh"]
)]
#[case::end_then_head(
    "        Ok(())\n    }\n\n    fn close(&self) {\n        drop(1)",
    "        Ok(())\n    }\n\n    fn close(self) {\n        drop(1)",
    &["SignatureChanged Method close"]
)]
#[case::only_the_end(
    "        Ok(1)\n    }\n}\n\nfn next() {\n    a();\n}\n",
    "        Ok(2)\n    }\n}\n\nfn next() {\n    b();\n}\n",
    &["Changed Function next"]
)]
#[case::impl_without_end(
    "impl<T: Clone> Store for Memory<T> {\n    fn get(&self) {\n        a",
    "impl<T: Clone> Store for Memory<T> {\n    fn put(&self) {}\n\n    fn get(&self) {\n        a",
    &["Added Method Memory::put"]
)]
#[case::half_a_head("fn refresh(a: u8,", "fn refresh(a: u8, b: u8,", &[])]
#[case::async_test(
    "",
    "    #[tokio::test(flavor = \"current_thread\")]\n    async fn waits() {\n        a.await;\n    }\n",
    &["Added Test waits"]
)]
#[case::match_arm("        Some(x) => x,\n        None => {", "        Some(x) => x + 1,\n        None => {", &[])]
#[case::strings(
    "fn a() {\n    let s = \"}}}\";\n    let c = '}';\n    let r = r#\"}\"#;\n    one()",
    "fn a() {\n    let s = \"}}}\";\n    let c = '}';\n    let r = r#\"}\"#;\n    two()",
    &["Changed Function a"]
)]
#[case::macros("", "macro_rules! must {\n    ($x:expr) => { $x };\n}", &["Added Function must!"])]
#[case::moved(
    "impl A {\n    fn go(&self) { run_it_for_long(self) }\n}\nimpl B {\n}",
    "impl A {\n}\nimpl B {\n    fn go(&self) { run_it_for_long(self) }\n}",
    &["Renamed Method A::go → B::go"]
)]
#[case::replaced("fn a() -> u8 { 1 }", "fn b(x: &str) -> String { x.into() }", &["Added Function b", "Removed Function a"])]
fn fragments(#[case] before: &str, #[case] after: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("src/lib.rs", before, after), expected);
}
