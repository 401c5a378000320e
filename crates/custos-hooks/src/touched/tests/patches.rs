//! Patches of both kinds.

use rstest::rstest;

use custos_guard::Access::{self, Delete, Write};

use super::super::{Touched, by_patch, could_touch};
use super::expected;

fn touched(patch: &str) -> Touched {
    let mut out = Touched::default();
    by_patch(patch, "/w", &mut out);
    out
}

#[rstest]
#[case("*** Begin Patch\n*** Add File: a\n+x\n*** End Patch", "a")]
#[case(
    "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn f\n-x\n+y\n*** Delete File: b\n*** End Patch\n",
    "src/a.rs,b"
)]
#[case("*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n x\n*** End Patch", "a,b")]
#[case("*** Begin Patch\r\n*** Update File: a b \r\n*** End Patch\r\n", "a b")]
#[case("*** Begin Patch\n*** Add File: /x/y/../a\n*** End Patch", "/x/a")]
#[case("*** Begin Patch\n*** Add File: a\n+*** Add File: b\n+--- a/c\n+++ b/c\n*** End Patch", "a")]
#[case("*** Begin Patch\n*** Add File: a\n*** End Patch\n*** Add File: b", "a")]
#[case("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: [id].tsx\n*** End Patch\nEOF", "[id].tsx")]
#[case("*** Update File: a\n-x\n+y\n", "a")]
#[case("*** Begin Patch\n*** Add File: \n*** Add File: ~/x\n*** Add File: a\tb\n*** End Patch", "")]
#[case("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n", "x")]
#[case("--- a/x\t2026-01-01\n+++ b/x\t2026-01-01\n@@ -1 +1 @@\n-a\n+b\n", "x")]
#[case("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n", "x")]
#[case("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", "x")]
#[case("--- a/x\n+++ b/y\n", "x,y")]
#[case("--- x\n+++ x\n", "x")]
#[case("--- x.orig\n+++ x\n", "x")]
#[case("--- old/x\n+++ new/x\n", "")]
#[case("--- /dev/null\n+++ /dev/null\n", "")]
#[case("+++ b/x\n", "")]
#[case("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n c\n--- a/z\n+++ b/z\n", "x,z")]
#[case("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\ndiff --git a/z b/z\n--- a/z\n+++ b/z\n", "x,z")]
#[case(
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n--- a/z\n+++ b/z\n",
    "x,z"
)]
#[case("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "x,y")]
#[case("diff --git a/x b/y\ncopy from x\ncopy to y\n", "y")]
#[case("diff --git a/x b/x\nindex 1..2 100644\n--- \"a/\\303\\251 b\"\n+++ \"b/\\303\\251 b\"\n", "é b")]
#[case("--- a/x\n+++ b/x\n@@ garbage\n--- a/y\n+++ b/y\n", "x,y")]
#[case("--- a/x\n+++ b/x\n@@ -1,99999999999999999999 +1 @@\n--- a/y\n+++ b/y\n", "x,y")]
#[case("", "")]
#[case("nothing\nof the kind", "")]
fn tells_what_a_patch_changes(#[case] patch: &str, #[case] changed: &str) {
    assert_eq!(touched(patch), expected("", changed));
}

#[rstest]
#[case("--- x\n*** Begin Patch\n*** Add File: a\n+y\n*** End Patch", &[("x", Write), ("a", Write)])]
#[case("*** Begin Patch\n*** Add File: a\n*** End Patch\n  *** Update File: b", &[("a", Write), ("b", Write)])]
#[case("*** Begin Patch\n*** Delete File: a\n*** Move to:b", &[("a", Delete), ("b", Write)])]
#[case("*** Begin Patch\n*** Add File: a\n+*** Add File: b\n*** End Patch", &[("a", Write)])]
#[case("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", &[("x", Delete), ("a/x", Delete)])]
#[case("--- /dev/null\n+++ b/x\n", &[("x", Write), ("b/x", Write)])]
#[case("rename from x\nrename to y", &[("x", Write), ("y", Write)])]
#[case("nothing", &[])]
fn tells_what_a_patch_could_touch(#[case] patch: &str, #[case] files: &[(&str, Access)]) {
    let found = could_touch(patch);
    let found: Vec<(&str, Access)> = found.iter().map(|(path, access)| (path.as_str(), *access)).collect();
    assert_eq!(found, files);
}

#[test]
fn a_patch_that_is_too_long_is_read_up_to_its_last_whole_line() {
    let mut patch = "*** Begin Patch\n*** Add File: a\n".to_owned();
    patch.push_str(&"+é\n".repeat((1024 * 1024 - patch.len()) / 4));
    patch.push_str("*** Add File: beyond\n");
    assert_eq!(touched(&patch), expected("", "a"));
    assert_eq!(touched(&"*** Add File: é".repeat(1 << 20)), expected("", ""));
}
