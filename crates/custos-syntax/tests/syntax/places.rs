use custos_syntax::{Definition, Named, around};
use rstest::rstest;

const FILE: &str = r"
use a::b;

impl Session {
    fn open(&self) {
        let key = 1;
        done();
    }

    /// Ends it.
    fn close(&self) {
        let other = 2;
        done();
    }
}

mod deep {
    struct Empty {
        field: u8,
    }
}
";

#[rstest]
#[case::in_a_method("let key = 1;", Some(("Session::open", Definition::Method)))]
#[case::head("fn close(&self) {\n        let other", Some(("Session::close", Definition::Method)))]
#[case::comment("/// Ends it.", Some(("Session::close", Definition::Method)))]
#[case::white_space("\n        let key = 1;\n", Some(("Session::open", Definition::Method)))]
#[case::innermost("field: u8", Some(("deep::Empty", Definition::Type)))]
#[case::outside("use a::b;", None)]
#[case::across("done();\n    }\n\n    /// Ends", None)]
#[case::twice("done();", None)]
#[case::absent("nowhere();", None)]
#[case::empty("  \n", None)]
fn a_fragment_stands_in(#[case] fragment: &str, #[case] expected: Option<(&str, Definition)>) {
    let expected = expected.map(|(name, sort)| Named { name: name.into(), sort });
    assert_eq!(around("src/lib.rs", FILE, fragment), expected);
}

#[test]
fn nothing_is_known_of_other_files() {
    assert_eq!(around("README.md", "# A\n\ntext", "text"), None);
}
