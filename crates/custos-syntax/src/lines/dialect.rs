//! The words that begin a definition, language by language.

use crate::{
    definition::Definition::{self, Constant, Function, Module, Trait, Type},
    language::Language,
};

/// What the scanner knows of a language.
pub(super) struct Dialect {
    /// Words that may stand before the one that defines.
    pub modifiers: &'static [&'static str],
    /// Words that define, and what. Longer ones first, where one begins with another.
    pub words: &'static [(&'static str, Definition)],
    /// How a function is recognised that has no word of its own.
    pub functions: Functions,
    /// What stands between the names of a type and of what is in it.
    pub joint: &'static str,
    /// The same for methods of an instance, where that differs.
    pub member_joint: Option<&'static str>,
    /// What a comment over several lines begins and ends with.
    pub comment: (&'static str, &'static str),
    /// What a comment in one line begins with.
    pub line_comments: &'static [&'static str],
    /// Whether lines with `#` are instructions to a preprocessor.
    pub has_preprocessor: bool,
    /// Whether a definition ends with a semicolon, not with its indentation.
    pub ends_with_semicolon: bool,
    /// Whether case does not matter.
    pub ignores_case: bool,
}

/// How functions without a word of their own look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Functions {
    /// There are none.
    None,
    /// `static int name(…) {`
    AfterType,
    /// `public Task<int> Name(…)`, with one modifier at least.
    AfterModifier,
    /// `name() {`
    Shell,
}

const BRACES: Dialect = Dialect {
    modifiers: &[],
    words: &[],
    functions: Functions::None,
    joint: ".",
    member_joint: None,
    comment: ("/*", "*/"),
    line_comments: &["//", "*"],
    has_preprocessor: false,
    ends_with_semicolon: false,
    ignores_case: false,
};

const C_WORDS: &[(&str, Definition)] = &[
    ("enum class", Type),
    ("enum struct", Type),
    ("struct", Type),
    ("class", Type),
    ("union", Type),
    ("enum", Type),
    ("namespace", Module),
    ("#define", Constant),
];

static C: Dialect = Dialect {
    modifiers: &["typedef", "static", "inline", "extern", "constexpr", "export"],
    words: C_WORDS,
    functions: Functions::AfterType,
    joint: "::",
    has_preprocessor: true,
    ..BRACES
};

const VISIBILITY: &[&str] = &[
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "sealed",
    "partial",
    "readonly",
    "unsafe",
    "virtual",
    "override",
    "async",
    "extern",
    "new",
    "default",
    "synchronized",
    "native",
    "strictfp",
    "non-sealed",
    "required",
    "file",
];

static C_SHARP: Dialect = Dialect {
    modifiers: VISIBILITY,
    words: &[
        ("record struct", Type),
        ("record class", Type),
        ("class", Type),
        ("struct", Type),
        ("interface", Type),
        ("record", Type),
        ("enum", Type),
        ("namespace", Module),
    ],
    functions: Functions::AfterModifier,
    ..BRACES
};

static JAVA: Dialect = Dialect {
    modifiers: VISIBILITY,
    words: &[("@interface", Type), ("class", Type), ("interface", Type), ("record", Type), ("enum", Type)],
    functions: Functions::AfterModifier,
    ..BRACES
};

static RUBY: Dialect = Dialect {
    modifiers: &["private", "protected", "public", "private_class_method", "memoize"],
    words: &[("def", Function), ("class", Type), ("module", Module)],
    joint: "::",
    member_joint: Some("#"),
    comment: ("=begin", "=end"),
    line_comments: &["#"],
    ..BRACES
};

static PHP: Dialect = Dialect {
    modifiers: &["public", "private", "protected", "static", "final", "abstract", "readonly"],
    words: &[
        ("function", Function),
        ("class", Type),
        ("interface", Type),
        ("trait", Trait),
        ("enum", Type),
        ("const", Constant),
    ],
    joint: "::",
    line_comments: &["//", "*", "# "],
    ..BRACES
};

static KOTLIN: Dialect = Dialect {
    modifiers: &[
        "public",
        "private",
        "protected",
        "internal",
        "open",
        "abstract",
        "final",
        "override",
        "suspend",
        "inline",
        "operator",
        "infix",
        "tailrec",
        "data",
        "sealed",
        "inner",
        "value",
        "annotation",
        "companion",
        "expect",
        "actual",
        "external",
        "lateinit",
    ],
    words: &[
        ("fun interface", Type),
        ("enum class", Type),
        ("fun", Function),
        ("class", Type),
        ("interface", Type),
        ("object", Type),
        ("typealias", Type),
        ("const val", Constant),
    ],
    ..BRACES
};

static SWIFT: Dialect = Dialect {
    modifiers: &[
        "public",
        "private",
        "fileprivate",
        "internal",
        "open",
        "final",
        "static",
        "override",
        "mutating",
        "nonmutating",
        "indirect",
        "convenience",
        "required",
        "nonisolated",
        "isolated",
        "distributed",
        "package",
        "@objc",
        "@MainActor",
        "@discardableResult",
        "@Test",
    ],
    words: &[
        ("class func", Function),
        ("func", Function),
        ("class", Type),
        ("struct", Type),
        ("enum", Type),
        ("actor", Type),
        ("protocol", Trait),
        ("extension", Type),
        ("typealias", Type),
    ],
    ..BRACES
};

static SCALA: Dialect = Dialect {
    modifiers: &[
        "private",
        "protected",
        "final",
        "override",
        "implicit",
        "lazy",
        "sealed",
        "abstract",
        "case",
        "inline",
        "transparent",
        "open",
        "given",
    ],
    words: &[
        ("def", Function),
        ("class", Type),
        ("object", Type),
        ("trait", Trait),
        ("enum", Type),
        ("type", Type),
    ],
    ..BRACES
};

static SHELL: Dialect = Dialect {
    words: &[("function", Function)],
    functions: Functions::Shell,
    comment: ("\0", "\0"),
    line_comments: &["#"],
    ..BRACES
};

static SQL: Dialect = Dialect {
    modifiers: &[
        "create",
        "or",
        "replace",
        "temporary",
        "temp",
        "unlogged",
        "global",
        "local",
        "materialized",
        "recursive",
        "definer",
    ],
    words: &[
        ("table if not exists", Type),
        ("view if not exists", Type),
        ("function if not exists", Function),
        ("procedure if not exists", Function),
        ("trigger if not exists", Function),
        ("table", Type),
        ("view", Type),
        ("type", Type),
        ("function", Function),
        ("procedure", Function),
        ("trigger", Function),
    ],
    line_comments: &["--"],
    ends_with_semicolon: true,
    ignores_case: true,
    ..BRACES
};

static RUST: Dialect = Dialect {
    modifiers: &["pub", "async", "unsafe", "extern", "default", "\"C\""],
    words: &[
        ("const fn", Function),
        ("fn", Function),
        ("struct", Type),
        ("enum", Type),
        ("union", Type),
        ("type", Type),
        ("trait", Trait),
        ("mod", Module),
        ("const", Constant),
        ("static", Constant),
    ],
    joint: "::",
    line_comments: &["//"],
    ..BRACES
};

static SCRIPT: Dialect = Dialect {
    modifiers: &["export", "default", "declare", "async", "abstract"],
    words: &[
        ("function*", Function),
        ("function", Function),
        ("class", Type),
        ("interface", Type),
        ("const enum", Type),
        ("enum", Type),
        ("type", Type),
        ("namespace", Module),
    ],
    ..BRACES
};

static PYTHON: Dialect = Dialect {
    modifiers: &["async"],
    words: &[("def", Function), ("class", Type)],
    comment: ("\"\"\"", "\"\"\""),
    line_comments: &["#"],
    ..BRACES
};

static GO: Dialect = Dialect { words: &[("func", Function), ("type", Type)], ..BRACES };

impl Dialect {
    /// Returns the dialect of a language.
    pub(super) fn of(language: Language) -> &'static Self {
        match language {
            Language::C | Language::Cpp => &C,
            Language::CSharp => &C_SHARP,
            Language::Java => &JAVA,
            Language::Ruby => &RUBY,
            Language::Php => &PHP,
            Language::Kotlin => &KOTLIN,
            Language::Swift => &SWIFT,
            Language::Scala => &SCALA,
            Language::Shell => &SHELL,
            Language::Sql => &SQL,
            Language::Rust => &RUST,
            Language::TypeScript | Language::Tsx | Language::JavaScript => &SCRIPT,
            Language::Python => &PYTHON,
            Language::Go => &GO,
        }
    }
}
