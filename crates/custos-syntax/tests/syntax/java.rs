use rstest::rstest;

use crate::touched;

const FILE: &str = r#"package app;

import java.util.List;

/** A session. */
@Entity
public class Session extends Base implements Closeable {
    public static final int LIMIT = 10;
    private String token;

    public Session(String token) {
        this.token = token;
    }

    @Override
    public void close() throws IOException {
        token = null;
    }

    <T> List<T> all(Class<T> type) { return List.of(); }

    enum State { OPEN, CLOSED; boolean open() { return this == OPEN; } }
}

record Point(int x, int y) {}

interface Store { String NAME = "a"; String get(String key); }

class SessionTest {
    @Test
    void closes() { assertTrue(true); }
}
"#;

#[rstest]
#[case::nothing("int LIMIT = 10", "int  LIMIT=10", &[])]
#[case::constant("LIMIT = 10", "LIMIT = 20", &["Changed Constant Session.LIMIT"])]
#[case::field("String token;", "char[] token;", &["Changed Type Session"])]
#[case::class_head("extends Base", "extends Other", &["SignatureChanged Type Session"])]
#[case::annotation("@Entity", "@Entity(\"s\")", &["Changed Type Session"])]
#[case::constructor("this.token = token", "this.token = token.trim()", &["Changed Method Session.Session"])]
#[case::method("token = null", "token = \"\"", &["Changed Method Session.close"])]
#[case::annotated("    @Override\n", "    @Override @Deprecated\n", &["Changed Method Session.close"])]
#[case::signature("throws IOException ", "", &["SignatureChanged Method Session.close"])]
#[case::generic("List.of()", "null", &["Changed Method Session.all"])]
#[case::enumeration("OPEN, CLOSED", "OPEN, CLOSED, LOST", &["Changed Type Session.State"])]
#[case::in_enumeration("this == OPEN", "this != CLOSED", &["Changed Method Session.State.open"])]
#[case::record("int y", "int y, int z", &["SignatureChanged Type Point"])]
#[case::interface("get(String key)", "get(Object key)", &["SignatureChanged Method Store.get"])]
#[case::interface_constant("\"a\"", "\"b\"", &["Changed Constant Store.NAME"])]
#[case::in_a_test("assertTrue(true)", "assertTrue(false)", &["Changed Test SessionTest.closes"])]
fn files(#[case] from: &str, #[case] to: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("src/Session.java", FILE, &FILE.replacen(from, to, 1)), expected);
}

#[rstest]
#[case::inside("        int x = 1;\n        return x;", "        int x = 2;\n        return x;", &[])]
#[case::method("    public void close() {\n        a();\n    }", "    public void close() {\n        b();\n    }", &["Changed Method close"])]
#[case::constructor("    public Session(int a) {\n        a();", "    public Session(int a) {\n        b();", &["Changed Method Session"])]
#[case::end_then_method(
    "        return 1;\n    }\n\n    @Test\n    void closes() {\n        a();\n    }\n}\n",
    "        return 1;\n    }\n\n    @Test\n    void closes() {\n        b();\n    }\n}\n",
    &["Changed Test closes"]
)]
fn fragments(#[case] before: &str, #[case] after: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("src/Session.java", before, after), expected);
}
