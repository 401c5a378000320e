use super::*;

/// A manifest, both sides of its edit, and what changed: name, from, to, whether for development.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, Option<&'static str>, Option<&'static str>, bool)],
);

#[test]
#[expect(clippy::too_many_lines, reason = "a table, of one case after the other")]
fn tells_what_changed() {
    let cases: &[Case] = &[
        (
            "package.json",
            "{\n  \"name\": \"app\",\n  \"version\": \"1.0.0\",\n  \"dependencies\": {\n    \"zod\": \"^3.22.0\",\n    \"moment\": \"^2.0.0\"\n  },\n  \"devDependencies\": {\n    \"vitest\": \"1.0.0\"\n  }\n}",
            "{\n  \"name\": \"app\",\n  \"version\": \"1.1.0\",\n  \"dependencies\": {\n    \"zod\": \"^3.23.0\"\n  },\n  \"devDependencies\": {\n    \"vitest\": \"1.0.0\",\n    \"@types/node\": \"^20.1.0\"\n  }\n}",
            &[
                ("zod", Some("^3.22.0"), Some("^3.23.0"), false),
                ("@types/node", None, Some("^20.1.0"), true),
                ("moment", Some("^2.0.0"), None, false),
            ],
        ),
        // A fragment without its section.
        (
            "web/package.json",
            "    \"react\": \"^18.2.0\",\n",
            "    \"react\": \"^18.3.0\",\n    \"swr\": \"^2.2.5\",\n",
            &[("react", Some("^18.2.0"), Some("^18.3.0"), false), ("swr", None, Some("^2.2.5"), false)],
        ),
        (
            "package.json",
            "  \"scripts\": {\n    \"test\": \"jest\"\n  }",
            "  \"scripts\": {\n    \"test\": \"vitest\"\n  }",
            &[],
        ),
        (
            "Cargo.toml",
            "[package]\nversion = \"0.1.0\"\n\n[dependencies]\nserde = \"1.0\"\ntokio = { version = \"1.35\", features = [\"full\"] }\n\n[dev-dependencies]\n",
            "[package]\nversion = \"0.2.0\"\n\n[dependencies]\nserde = \"1.0\"\ntokio = { version = \"1.38\", features = [\"rt\", \"macros\"] }\naxum = { workspace = true }\nours.workspace = true\n\n[dev-dependencies]\ninsta = \"1.39\"\n",
            &[
                ("tokio", Some("1.35"), Some("1.38"), false),
                ("axum", None, Some("workspace"), false),
                ("ours", None, Some("workspace"), false),
                ("insta", None, Some("1.39"), true),
            ],
        ),
        (
            "Cargo.toml",
            "serde_json = \"1.0\"\n",
            "serde_json = \"1.0\"\nureq = { version = \"3\", default-features = false }\n",
            &[("ureq", None, Some("3"), false)],
        ),
        (
            "Cargo.toml",
            "[dependencies.sqlx]\nversion = \"0.7\"\n",
            "[dependencies.sqlx]\nversion = \"0.8\"\nfeatures = [\"postgres\"]\n",
            &[("sqlx", Some("0.7"), Some("0.8"), false)],
        ),
        ("Cargo.toml", "[features]\ndefault = [\"a\"]\n", "[features]\ndefault = [\"a\", \"b\"]\n", &[]),
        (
            "pyproject.toml",
            "[project]\nname = \"shop\"\ndependencies = [\n    \"httpx>=0.26\",\n]\n\n[project.optional-dependencies]\ndev = [\"pytest\"]\n",
            "[project]\nname = \"shop\"\ndependencies = [\n    \"httpx>=0.27\",\n    \"pydantic[email]==2.7.0\",\n]\n\n[project.optional-dependencies]\ndev = [\"pytest\", \"ruff>=0.5\"]\n",
            &[
                ("httpx", Some(">=0.26"), Some(">=0.27"), false),
                ("pydantic", None, Some("2.7.0"), false),
                ("ruff", None, Some(">=0.5"), true),
            ],
        ),
        (
            "pyproject.toml",
            "[tool.poetry.group.dev.dependencies]\npytest = \"^7.0\"\n",
            "[tool.poetry.group.dev.dependencies]\npytest = \"^8.0\"\n",
            &[("pytest", Some("^7.0"), Some("^8.0"), true)],
        ),
        ("pyproject.toml", "[tool.ruff]\nselect = [\"E\"]\n", "[tool.ruff]\nselect = [\"E\", \"F\"]\n", &[]),
        (
            "requirements.txt",
            "# web\nflask==2.3.0\n-r base.txt\n",
            "flask==3.0.0\ngunicorn>=21 ; python_version > '3.8'\n-r base.txt\n",
            &[("flask", Some("2.3.0"), Some("3.0.0"), false), ("gunicorn", None, Some(">=21"), false)],
        ),
        ("requirements-dev.txt", "", "pytest\n", &[("pytest", None, Some("*"), true)]),
        (
            "go.mod",
            "go 1.21\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.5.0\n\tgolang.org/x/text v0.14.0 // indirect\n)\n",
            "go 1.22\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.6.0\n\tgolang.org/x/text v0.15.0 // indirect\n)\n",
            &[("github.com/jackc/pgx/v5", Some("v5.5.0"), Some("v5.6.0"), false)],
        ),
        (
            "pom.xml",
            "<dependency>\n  <groupId>org.postgresql</groupId>\n  <artifactId>postgresql</artifactId>\n  <version>42.6.0</version>\n</dependency>\n",
            "<dependency>\n  <groupId>org.postgresql</groupId>\n  <artifactId>postgresql</artifactId>\n  <version>42.7.3</version>\n</dependency>\n<dependency>\n  <groupId>org.testcontainers</groupId>\n  <artifactId>junit-jupiter</artifactId>\n  <scope>test</scope>\n</dependency>\n",
            &[
                ("org.postgresql:postgresql", Some("42.6.0"), Some("42.7.3"), false),
                ("org.testcontainers:junit-jupiter", None, Some("*"), true),
            ],
        ),
        (
            "build.gradle.kts",
            "    implementation(\"io.ktor:ktor-core:2.3.0\")\n",
            "    implementation(\"io.ktor:ktor-core:2.3.11\")\n    testImplementation(\"io.mockk:mockk:1.13.8\")\n",
            &[
                ("io.ktor:ktor-core", Some("2.3.0"), Some("2.3.11"), false),
                ("io.mockk:mockk", None, Some("1.13.8"), true),
            ],
        ),
        (
            "Gemfile",
            "gem \"rails\", \"~> 7.0\"\n",
            "gem \"rails\", \"~> 7.1\"\ngroup :test do\n  gem 'rspec-rails'\nend\n",
            &[("rails", Some("~> 7.0"), Some("~> 7.1"), false), ("rspec-rails", None, Some("*"), true)],
        ),
        (
            "composer.json",
            "\"require\": {\n  \"php\": \">=8.1\",\n  \"monolog/monolog\": \"^2.0\"\n}",
            "\"require\": {\n  \"php\": \">=8.2\",\n  \"monolog/monolog\": \"^3.0\"\n}",
            &[("monolog/monolog", Some("^2.0"), Some("^3.0"), false)],
        ),
        (
            "src/App.csproj",
            "<PackageReference Include=\"Serilog\" Version=\"3.0.0\" />\n",
            "<PackageReference Include=\"Serilog\" Version=\"3.1.1\" />\n",
            &[("Serilog", Some("3.0.0"), Some("3.1.1"), false)],
        ),
        (
            "pubspec.yaml",
            "dependencies:\n  http: ^1.0.0\n",
            "dependencies:\n  http: ^1.2.0\n",
            &[("http", Some("^1.0.0"), Some("^1.2.0"), false)],
        ),
        (
            "mix.exs",
            "      {:phoenix, \"~> 1.6\"},\n",
            "      {:phoenix, \"~> 1.7\"},\n      {:credo, \"~> 1.7\", only: [:dev, :test]}\n",
            &[("phoenix", Some("~> 1.6"), Some("~> 1.7"), false), ("credo", None, Some("~> 1.7"), true)],
        ),
        ("Cargo.lock", "version = \"1\"", "version = \"2\"", &[]),
        ("src/main.rs", "serde = \"1\"", "serde = \"2\"", &[]),
    ];
    for (path, before, after, expected) in cases {
        let expected: Vec<Package> = expected
            .iter()
            .map(|(name, from, to, dev)| Package {
                name: (*name).to_owned(),
                from: from.map(str::to_owned),
                to: to.map(str::to_owned),
                dev: *dev,
            })
            .collect();
        assert_eq!(dependencies(path, before, after), expected, "{path}: {after}");
    }
}

#[test]
fn knows_manifests_and_lock_files() {
    for path in [
        "package.json",
        "a/Cargo.toml",
        "requirements/dev.txt",
        "requirements-test.in",
        "App.csproj",
        "go.mod",
    ] {
        assert!(is_manifest(path) && !is_lock_file(path), "{path}");
    }
    for path in ["package-lock.json", "a/Cargo.lock", "go.sum", "yarn.lock"] {
        assert!(!is_manifest(path) && is_lock_file(path), "{path}");
    }
}

/// What texts are made of that are hard to read.
const PIECES: &[&str] = &[
    "a",
    "\"",
    ": ",
    "=",
    "\n",
    "{",
    "}",
    "[",
    "]",
    "^1.0",
    ",",
    "<version>",
    "</version>",
    "<artifactId>",
    "require ",
    "gem ",
    "v1",
    "ä",
    "version",
    "dependencies",
    ";",
    "@",
    "🦀",
    "<PackageReference Include=\"",
];

proptest::proptest! {
    #[test]
    fn takes_any_text(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24), any in ".{0,40}") {
        let text = pieces.concat() + &any;
        for path in ["package.json", "composer.json", "Cargo.toml", "pyproject.toml", "requirements.txt", "go.mod", "pom.xml", "build.gradle", "Gemfile", "a.csproj", "pubspec.yaml", "mix.exs"] {
            let _ = dependencies(path, &text, &any);
            proptest::prop_assert_eq!(dependencies(path, &text, &text), []);
        }
    }
}
