use super::*;

/// A file, both sides of its edit, and what changed: key, from, to.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, Option<&'static str>, Option<&'static str>)],
);

#[test]
#[expect(clippy::too_many_lines, reason = "a table, of one case after the other")]
fn tells_what_changed() {
    let cases: &[Case] = &[
        (
            "application.yml",
            "server:\n  port: 8080\n  pool:\n    size: 20 # small\n",
            "server:\n  port: 8080\n  pool:\n    size: 50\n",
            &[("server.pool.size", Some("20"), Some("50"))],
        ),
        // A fragment, cut in the middle.
        (
            "config/app.yaml",
            "    timeout: 30s\n    retries: 3\n",
            "    timeout: 30s\n    retries: 5\n    jitter: true\n",
            &[("retries", Some("3"), Some("5")), ("jitter", None, Some("true"))],
        ),
        (
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    runs-on: ubuntu-22.04\n    steps:\n      - uses: actions/checkout@v3\n      - name: Test\n        run: npm test\n",
            "jobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v4\n      - name: Test\n        run: npm test -- --ci\n",
            &[
                ("jobs.test.runs-on", Some("ubuntu-22.04"), Some("ubuntu-24.04")),
                ("jobs.test.steps.uses", Some("actions/checkout@v3"), Some("actions/checkout@v4")),
                ("jobs.test.steps.[Test].run", Some("npm test"), Some("npm test -- --ci")),
            ],
        ),
        (
            "docker-compose.yml",
            "services:\n  db:\n    image: postgres:15\n    ports:\n      - \"5432:5432\"\n",
            "services:\n  db:\n    image: postgres:16\n    ports:\n      - \"5433:5432\"\n",
            &[
                ("services.db.image", Some("postgres:15"), Some("postgres:16")),
                ("services.db.ports", None, Some("5433:5432")),
                ("services.db.ports", Some("5432:5432"), None),
            ],
        ),
        (
            "Cargo.toml",
            "[profile.release]\nlto = \"thin\"\n\n[dependencies]\nserde = \"1.0\"\n",
            "[profile.release]\nlto = \"fat\"\n\n[dependencies]\nserde = \"1.1\"\n",
            &[("profile.release.lto", Some("thin"), Some("fat"))],
        ),
        (
            "pyproject.toml",
            "[tool.ruff]\nline-length = 88\n",
            "[tool.ruff]\nline-length = 100\nselect = [\"E\", \"F\"]\n",
            &[
                ("tool.ruff.line-length", Some("88"), Some("100")),
                ("tool.ruff.select", None, Some("[\"E\", \"F\"]")),
            ],
        ),
        (
            "tsconfig.json",
            "{\n  // strict later\n  \"compilerOptions\": { \"target\": \"ES2020\", \"strict\": false }\n}",
            "{\n  \"compilerOptions\": {\n    \"target\": \"ES2022\",\n    \"strict\": true,\n    \"lib\": [\"dom\"]\n  }\n}",
            &[
                ("compilerOptions.target", Some("ES2020"), Some("ES2022")),
                ("compilerOptions.strict", Some("false"), Some("true")),
                ("compilerOptions.lib", None, Some("dom")),
            ],
        ),
        (
            "package.json",
            "  \"type\": \"commonjs\",\n  \"dependencies\": {\n    \"zod\": \"^3.22.0\"\n  }",
            "  \"type\": \"module\",\n  \"dependencies\": {\n    \"zod\": \"^3.23.0\"\n  }",
            &[("type", Some("commonjs"), Some("module"))],
        ),
        (
            "app.properties",
            "spring.datasource.hikari.maximum-pool-size=10\n",
            "spring.datasource.hikari.maximum-pool-size=30\n",
            &[("spring.datasource.hikari.maximum-pool-size", Some("10"), Some("30"))],
        ),
        (
            "setup.cfg",
            "[flake8]\nmax-line-length = 79\n",
            "[flake8]\nmax-line-length = 100\n",
            &[("flake8.max-line-length", Some("79"), Some("100"))],
        ),
        (
            ".env.example",
            "LOG_LEVEL=info\nPORT=3000\n",
            "LOG_LEVEL=debug\nexport PORT=3000\n",
            &[("LOG_LEVEL", Some("info"), Some("debug"))],
        ),
        (
            "Dockerfile",
            "FROM node:18-alpine AS build\nENV NODE_ENV=production\nEXPOSE 3000\n",
            "FROM node:20-alpine AS build\nENV NODE_ENV=production\nEXPOSE 8080\n",
            &[
                ("FROM build", Some("node:18-alpine"), Some("node:20-alpine")),
                ("EXPOSE", Some("3000"), Some("8080")),
            ],
        ),
        (
            "deploy/nginx.conf",
            "server {\n  location /api {\n    proxy_read_timeout 30s;\n  }\n}\n",
            "server {\n  location /api {\n    proxy_read_timeout 120s;\n    proxy_set_header Host $host;\n  }\n}\n",
            &[
                ("server.location /api.proxy_read_timeout", Some("30s"), Some("120s")),
                ("server.location /api.proxy_set_header Host", None, Some("$host")),
            ],
        ),
        (
            "infra/main.tf",
            "resource \"aws_db\" \"main\" {\n  instance_class = \"db.t3.small\"\n}\n",
            "resource \"aws_db\" \"main\" {\n  instance_class = \"db.t3.large\"\n}\n",
            &[("resource aws_db main.instance_class", Some("db.t3.small"), Some("db.t3.large"))],
        ),
        (
            "redis.conf",
            "maxmemory 256mb\n",
            "maxmemory 512mb\n",
            &[("maxmemory", Some("256mb"), Some("512mb"))],
        ),
        // What only looks different.
        ("a.yaml", "a:\n    b: 1\n    c: \"x\"\n", "# why\na:\n  c: 'x'\n  b: 1\n", &[]),
        ("a.json", "{\"a\": 1}", "{\n  \"a\": 1\n}\n", &[]),
        // A script is no setting.
        ("ci.yml", "run: |\n  a: 1\nother: 2\n", "run: |\n  a: 2\nother: 2\n", &[]),
        ("package-lock.json", "{\"a\": 1}", "{\"a\": 2}", &[]),
        ("src/main.rs", "let a = 1;", "let a = 2;", &[]),
        ("tests/fixtures/a.json", "{\"a\": 1}", "{\"a\": 2}", &[]),
    ];
    for (path, before, after, expected) in cases {
        let expected: Vec<Setting> = expected
            .iter()
            .map(|(key, from, to)| Setting {
                key: (*key).to_owned(),
                from: from.map(str::to_owned),
                to: to.map(str::to_owned),
            })
            .collect();
        assert_eq!(settings(path, before, after), expected, "{path}");
    }
}

#[test]
fn never_tells_a_secret() {
    let cases = [
        (".env", "API_TOKEN=abc\n", "API_TOKEN=def\n", "API_TOKEN"),
        (".env", "STRIPE_SECRET_KEY=a\n", "STRIPE_SECRET_KEY=b\n", "STRIPE_SECRET_KEY"),
        (
            ".env",
            "DATABASE_URL=postgres://app:k3Lq9zTw@db/x\n",
            "DATABASE_URL=postgres://app:other1Pw@db/x\n",
            "DATABASE_URL",
        ),
        ("a.yml", "db:\n  password: hunter2x9\n", "db:\n  password: tiger3y8\n", "db.password"),
        ("a.yml", "auth:\n  jwt:\n    secret: one\n", "auth:\n  jwt:\n    secret: two\n", "auth.jwt.secret"),
        ("a.json", "{\"apiKey\": \"x\"}", "{\"apiKey\": \"y\"}", "apiKey"),
        (
            "a.yml",
            "kind: Secret\ndata:\n  user: YWRtaW4=\n",
            "kind: Secret\ndata:\n  user: cm9vdA==\n",
            "data.user",
        ),
        ("a.toml", "note = \"[redacted:aws-key]\"\n", "note = \"plain\"\n", "note"),
    ];
    for (path, before, after, key) in cases {
        assert_eq!(
            settings(path, before, after),
            [Setting { key: key.to_owned(), from: None, to: None }],
            "{before}"
        );
    }
    // What only sounds like one is told.
    let found = settings("a.yml", "max_tokens: 1024\n", "max_tokens: 4096\n");
    assert_eq!(
        found,
        [Setting {
            key: "max_tokens".to_owned(),
            from: Some("1024".to_owned()),
            to: Some("4096".to_owned())
        }]
    );
}

#[test]
fn survives_anything() {
    for text in [
        "",
        "{",
        "}}}}",
        "\"",
        "- - -",
        ":",
        "=",
        "[",
        "a:\n\t- b",
        "ä: ö",
        "{\"a\": \"",
        "/*",
        "- name: \u{1f980}",
    ] {
        for path in ["a.yml", "a.toml", "a.json", "a.ini", ".env", "Dockerfile", "nginx.conf"] {
            let _ = settings(path, text, "a: 1");
            let _ = settings(path, "a = 1", text);
        }
    }
}

/// What texts are made of that are hard to read.
const PIECES: &[&str] = &[
    "a", ": ", "\n", "  ", "- ", "name: ", "=", "[", "]", "{", "}", "\"", "'", "#", "//", "/*", "ä", "FROM ",
    "ENV ", "|\n", ",", ".", "🦀",
];

proptest::proptest! {
    #[test]
    fn takes_any_text(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24), any in ".{0,40}") {
        let text = pieces.concat() + &any;
        for path in ["a.yml", "a.toml", "a.json", "a.ini", ".env", "Dockerfile", "nginx.conf", "Cargo.toml", "package.json"] {
            let _ = settings(path, &text, &any);
            proptest::prop_assert_eq!(settings(path, &text, &text), []);
        }
    }
}
