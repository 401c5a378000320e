use rstest::rstest;

use crate::touched;

const FILE: &str = r#"
"""Sessions."""
from api import fetch

LIMIT = 10
name = "x"


@dataclass
class Session(Base):
    """A session."""

    token: str = ""

    @property
    def age(self) -> int:
        return 1

    def refresh(self, force=False):
        if force:
            self.token = fetch()
        return self.token


def load(path):
    def inner():
        return 1
    return inner()


async def test_load():
    assert load("a") == 1
"#;

#[rstest]
#[case::nothing("load(path)", "load( path )", &[])]
#[case::constant("LIMIT = 10", "LIMIT = 20", &["Changed Constant LIMIT"])]
#[case::variable("name = \"x\"", "name = \"y\"", &[])]
#[case::class_head("(Base)", "(Other)", &["SignatureChanged Type Session"])]
#[case::decorator("@dataclass", "@dataclass(frozen=True)", &["Changed Type Session"])]
#[case::field("token: str = \"\"", "token: str = \"-\"", &["Changed Type Session"])]
#[case::property("return 1\n\n    def refresh", "return 2\n\n    def refresh", &["Changed Method Session.age"])]
#[case::signature("force=False", "force=True", &["SignatureChanged Method Session.refresh"])]
#[case::indentation("        return self.token", "            return self.token", &["Changed Method Session.refresh"])]
#[case::inner("        return 1\n    return", "        return 2\n    return", &["Changed Function load"])]
#[case::in_a_test("== 1", "== 2", &["Changed Test test_load"])]
#[case::renamed("def load(", "def read(", &["Renamed Function load → read"])]
#[case::class_renamed("class Session", "class Login", &["Renamed Type Session → Login"])]
fn files(#[case] from: &str, #[case] to: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("session.py", FILE, &FILE.replacen(from, to, 1)), expected);
}

#[rstest]
#[case::inside("        x = 1\n        return x", "        x = 2\n        return x", &[])]
#[case::first_line_cut(
    "def refresh(self):\n        return 1\n\n    def close(self):\n        return 2",
    "def refresh(self):\n        return 1\n\n    def close(self, now):\n        return 2",
    &["SignatureChanged Method close"]
)]
#[case::first_line_cut_body(
    "def refresh(self):\n        return 1\n\n    def close(self):\n        return 2",
    "def refresh(self):\n        return 3\n\n    def close(self):\n        return 2",
    &["Changed Method refresh"]
)]
#[case::one_method("def refresh(self):\n        return 1", "def refresh(self):\n        return 2", &["Changed Method refresh"])]
#[case::end_then_head(
    "            return x\n\n    def close(self):\n        a()\n",
    "            return x\n\n    def close(self):\n        b()\n",
    &["Changed Method close"]
)]
#[case::end_of_call(
    "            timeout=3,\n        )\n\n    def close(self):\n        a()\n",
    "            timeout=3,\n        )\n\n    def close(self):\n        b()\n",
    &["Changed Method close"]
)]
#[case::end_of_docstring(
    "    of the session.\n    \"\"\"\n    return 1\n\ndef close():\n    a()\n",
    "    of the session.\n    \"\"\"\n    return 1\n\ndef close():\n    b()\n",
    &["Changed Function close"]
)]
#[case::class_without_end(
    "class Session:\n    def open(self):\n        call(",
    "class Session:\n    def open(self, now):\n        call(",
    &["SignatureChanged Method Session.open"]
)]
#[case::half_a_head("def refresh(self,", "def refresh(self, now,", &[])]
#[case::type_checking("", "if TYPE_CHECKING:\n    class A: ...\n", &["Added Type A"])]
#[case::test_method("", "class TestA(TestCase):\n    def testB(self):\n        pass\n", &["Added Type TestA", "Added Test TestA.testB"])]
fn fragments(#[case] before: &str, #[case] after: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("session.py", before, after), expected);
}
