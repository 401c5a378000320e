//! Kinds of file that hold no secrets.
//!
//! A search through a tree, or a pattern, reads files that nobody named. Their names cannot be checked one by one, for the proof does not
//! look at the disk; but a search that is kept to source code and prose does not come across keys and `.env`. Formats that hold settings
//! (JSON, YAML, TOML and the like) are not among them, since credentials come in those; nor is PHP, in which settings are written too.

use super::proof::Doubt;
use super::scene::Scene;

/// Extensions of source code and prose.
static KINDS: &[&str] = &[
    "adoc", "astro", "bash", "bats", "c", "cc", "cjs", "clj", "cljs", "cmake", "cpp", "cr", "cs", "css",
    "cu", "cxx", "dart", "el", "elm", "erl", "ex", "exs", "f90", "fs", "gd", "glsl", "go", "gql", "graphql",
    "groovy", "h", "hh", "hpp", "hrl", "hs", "html", "htm", "hxx", "java", "jl", "js", "jsx", "kt", "less",
    "lisp", "log", "lua", "m", "md", "mdx", "mjs", "ml", "mli", "mm", "nim", "nix", "org", "pas", "pl", "pm",
    "proto", "ps1", "py", "pyi", "r", "rb", "rkt", "rs", "rst", "sass", "scala", "scm", "scss", "sh", "sol",
    "sql", "svelte", "swift", "tex", "ts", "tsx", "v", "vb", "vim", "vue", "wgsl", "zig", "zsh",
];

/// Names that ripgrep has for kinds of file, where they stand for nothing else. `sh` stands for `.bashrc` as well, `java` for properties.
static TYPES: &[&str] = &[
    "c",
    "cpp",
    "cs",
    "css",
    "dart",
    "elixir",
    "elm",
    "erlang",
    "go",
    "haskell",
    "html",
    "js",
    "julia",
    "kotlin",
    "lua",
    "markdown",
    "md",
    "ocaml",
    "py",
    "python",
    "rust",
    "sass",
    "scala",
    "svelte",
    "swift",
    "ts",
    "typescript",
    "vue",
    "zig",
];

/// Says whether this is a type of ripgrep's that only stands for source code and prose.
pub(super) fn is_source_type(name: &str) -> bool {
    TYPES.contains(&name)
}

/// Says whether a pattern can only match source code and prose: `*.rs`, `src/**/*.{ts,tsx}`.
pub(super) fn names_a_kind(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or_default();
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    let alternatives = match extension.strip_prefix('{') {
        Some(inner) => match inner.strip_suffix('}') {
            Some(inner) => inner,
            None => return false,
        },
        None if extension.contains(',') => return false,
        None => extension,
    };
    alternatives.split(',').all(|kind| KINDS.contains(&kind))
}

/// Says whether a path can only be a file of such a kind. Frameworks are called `next.js`, and so are their directories.
pub(super) fn is_source_file(path: &str) -> bool {
    names_a_kind(path) && path.rsplit('.').next() != Some("js")
}

/// Proves that a search through a tree, kept to these patterns, finds nothing that is protected.
pub(super) fn search(dir: &str, patterns: &[&str], scene: &mut Scene<'_>) -> Result<(), Doubt> {
    scene.path(dir)?;
    for pattern in patterns {
        if !names_a_kind(pattern) {
            return Err(Doubt::new(format!("`{pattern}` may match a secret")));
        }
        let name = pattern.rsplit('/').next().unwrap_or_default();
        scene.check(&format!("{}/{name}", dir.trim_end_matches('/')))?;
    }
    Ok(())
}
