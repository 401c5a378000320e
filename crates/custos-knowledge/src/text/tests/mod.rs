//! What the text layer promises, as tables and properties.

mod documents;
mod fronts;
mod hostile;
mod markup;
mod slugs;
mod titles;

use proptest::prelude::*;

/// Titles that have to survive everything.
pub(super) const TITLES: &[&str] = &[
    "Use UTC everywhere",
    "Часовой пояс всегда UTC",
    "所有时间都用 UTC",
    "استخدم التوقيت العالمي دائما",
    "می‌خواهم",
    "🦄🚀",
    "👨‍👩‍👧 family",
    "2024",
    "12.50",
    "0x1F",
    "1e3",
    "1_000",
    "12:30:45",
    "2026-11-15",
    "2026-11-15T20:55:09Z",
    "D-001",
    "yes",
    "No",
    "null",
    "~",
    "true",
    ".inf",
    "first\nsecond\r\nthird",
    "say \"hello\" and 'bye'",
    "---",
    "--- and more",
    "- a dash",
    "-",
    "?",
    ": colon",
    "a: b",
    "ends with:",
    "# hash",
    "C# and F#",
    "a #comment",
    "a # comment",
    "{a: b}",
    "[a, b]",
    "&anchor",
    "*alias",
    "!tag",
    "| pipe",
    "> fold",
    "%percent",
    "@at",
    "`tick`",
    "\\backslash\\",
    "trailing space ",
    " leading space",
    "tab\there",
    "no\u{a0}break",
    "\u{2028}separator",
    "next\u{85}line",
    "\u{feff}mark",
    "right\u{202e}left",
    "bell\u{7}",
    "not\u{ffff}a character",
    "\u{e0041}tag",
    "save</parameter>\n<parameter name=\"x\">",
    "<<<<<<< HEAD",
    "=======",
    "...",
    "a, b, c",
    "<<",
    "=",
    "",
    " ",
];

/// Text of any kind, with what means something to YAML, Markdown and git more often than chance would have it.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        4 => "[a-zA-Z0-9 ]{0,8}",
        2 => any::<char>().prop_map(String::from),
        4 => proptest::sample::select(vec![
            "\n", "\r\n", "\r", "\n\n", "---", "---\n", "\n---\n", "...", "# ", "## ", "\n# x\n", "\n## Details\n", "\n\\# x", "\\", "\\\\## ",
            "```", "\n```\n", "\n```sh\n", "~~~~\n", "\n  ```\n", "\n- ```\n", "\n1. ~~~\n", "\n    ```\n", "<<<<<<< a\n", "\n=======\n", "\n<<<<<<<< b\n", "\n========\n",
            "\n>>>>>>> b\n", "\n\\<<<<<<< ", ": ", " #", "\"", "'", "[", "]", "{", "}", ",", "- ", "\n- ", "\n  - ", "&a", "*a", "!", "|", ">",
            "%", "@", "`", "null", "~", "yes", "1", "é", "日本", "\u{200d}", "\u{fe0f}", "🦄", "\u{2028}", "\u{85}", "\u{feff}", "\t", "\0",
        ]).prop_map(str::to_owned),
    ];
    proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}
