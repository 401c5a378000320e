//! The commonest repairs: a command fails, something around the code is edited, the same command passes. Nobody says a word of the error;
//! that it went away is all that there is. And what looks like such a repair and is none.

use super::session::Deed::{Edits, Fails, Passes};
use super::session::Session;
use super::story::Case;

/// All that is said at the end of a repair.
const MESSAGE: &str = "Done.";

const UNRESOLVED: &str =
    "Exit code 101\nerror[E0432]: unresolved import `sqlx::postgres`\n --> src/billing.rs:3:5";
const UNRESOLVED_TOO: &str =
    "Exit code 101\nerror[E0432]: unresolved import `tonic::transport`\n --> src/rpc.rs:3:5";
const NO_PSYCOPG: &str = "Exit code 1\nE   ModuleNotFoundError: No module named 'psycopg'\n1 error";
const NO_VITEST: &str =
    "Exit code 1\nError: Cannot find module 'vitest/config'\nRequire stack:\n- /x/vite.config.ts";
const NO_URL: &str = "Exit code 1\nTraceback (most recent call last):\n  File \"app.py\", line 9, in <module>\n    main()\nKeyError: 'DATABASE_URL'";
const NO_PORT: &str = "Exit code 1\nError response from daemon: driver failed: Bind for 0.0.0.0:5432 failed: port is already allocated";
const FLAKY: &str = "Exit code 1\nError: Timed out waiting for `checkout_button` of the page";
const STALE: &str = "Exit code 1\nError: cannot read the snapshot `stock_levels.bin` of the night";
const WIDE: &str = "Exit code 1\nModuleNotFoundError: No module named 'celery_beat'";
const NO_ASYNCPG: &str = "Exit code 1\nE   ModuleNotFoundError: No module named 'asyncpg'\n1 error";
const BACK_AGAIN: &str = "Exit code 1\nError: cannot lock `invoice_queue`: held by another worker";
const ELSEWHERE: &str = "Exit code 1\nModuleNotFoundError: No module named 'weasyprint'";

pub(crate) const REPAIRS: &[Session] = &[
    Session {
        name: "feature",
        prompt: "The billing test is red, fix it",
        course: &[
            Fails("cargo test billing", UNRESOLVED),
            Edits("Cargo.toml", "sqlx = \"0.7\"", "sqlx = { version = \"0.7\", features = [\"postgres\"] }"),
            Passes("cargo test billing", "test result: ok. 3 passed"),
        ],
        message: MESSAGE,
    },
    Session {
        name: "crate",
        prompt: "Add a module that talks to the warehouse",
        course: &[
            Fails("cargo build", UNRESOLVED_TOO),
            Edits(
                "rpc/Cargo.toml",
                "tonic = \"0.12\"",
                "tonic = { version = \"0.12\", features = [\"transport\"] }",
            ),
            Passes("cargo build", "Finished `dev` profile"),
        ],
        message: MESSAGE,
    },
    Session {
        name: "requirement",
        prompt: "run the tests and repair whatever is broken",
        course: &[
            Fails("pytest -q", NO_PSYCOPG),
            Edits("requirements.txt", "flask", "flask\npsycopg[binary]"),
            Passes("pytest -q", "12 passed in 0.4s"),
        ],
        message: MESSAGE,
    },
    Session {
        name: "package",
        prompt: "get CI green",
        course: &[
            Fails("npm test", NO_VITEST),
            Edits("package.json", "\"vite\": \"5\"", "\"vite\": \"5\", \"vitest\": \"2\""),
            Passes("npm test", "Tests 4 passed (4)"),
        ],
        message: MESSAGE,
    },
    Session {
        name: "environment",
        prompt: "start the app",
        course: &[
            Fails("python app.py", NO_URL),
            Edits(
                "app.py",
                "os.environ[\"DATABASE_URL\"]",
                "os.environ.get(\"DATABASE_URL\", \"sqlite://\")",
            ),
            Passes("python app.py", "listening on 8000"),
        ],
        message: MESSAGE,
    },
    Session {
        name: "port",
        prompt: "start the database",
        course: &[
            Fails("docker compose up -d", NO_PORT),
            Edits("docker-compose.yml", "5432:5432", "5433:5432"),
            Passes("docker compose up -d", "Started"),
        ],
        message: MESSAGE,
    },
    // It passes when it is run again: what is edited afterwards has nothing to do with it.
    Session {
        name: "flaky",
        prompt: "the checkout test is red, fix it",
        course: &[
            Fails("npm run e2e", FLAKY),
            Passes("npm run e2e", "Tests 9 passed (9)"),
            Edits("src/checkout.js", "const label = 'Buy'", "const label = 'Buy checkout_button now'"),
            Passes("npm run e2e", "Tests 9 passed (9)"),
        ],
        message: MESSAGE,
    },
    // Between the failure and the pass something was edited that cannot have helped.
    Session {
        name: "unrelated",
        prompt: "run the import, and make the theme darker",
        course: &[
            Fails("make import", STALE),
            Edits("config/theme.json", "\"shade\": \"light\"", "\"shade\": \"dark\""),
            Passes("make import", "imported 42 rows"),
        ],
        message: MESSAGE,
    },
    // So much was edited that nobody knows what helped.
    Session {
        name: "many",
        prompt: "move the jobs to celery",
        course: &[
            Fails("make jobs", WIDE),
            Edits("requirements.txt", "flask", "flask\ncelery_beat"),
            Edits("jobs/a.yml", "kind: cron", "kind: celery_beat"),
            Edits("jobs/b.yml", "kind: cron", "kind: celery_beat"),
            Edits("jobs/c.yml", "kind: cron", "kind: celery_beat"),
            Edits("jobs/d.yml", "kind: cron", "kind: celery_beat"),
            Passes("make jobs", "5 jobs"),
        ],
        message: MESSAGE,
    },
    // It came back after it had passed.
    Session {
        name: "back-again",
        prompt: "send the invoices",
        course: &[
            Fails("make invoices", BACK_AGAIN),
            Edits("config/queue.json", "\"name\": \"invoices\"", "\"name\": \"invoice_queue\""),
            Passes("make invoices", "sent 3"),
            Fails("make invoices", BACK_AGAIN),
            Passes("make invoices", "sent 1"),
        ],
        message: MESSAGE,
    },
    // Another command passed, which says nothing about the one that failed.
    Session {
        name: "elsewhere",
        prompt: "make the report",
        course: &[
            Fails("python report.py", ELSEWHERE),
            Edits("requirements-dev.txt", "pytest", "pytest\nweasyprint-stubs"),
            Passes("make lint", "ok"),
        ],
        message: MESSAGE,
    },
    // What helped at first was not enough, and something else helped the next time.
    Session {
        name: "superseded",
        prompt: "run the tests and repair whatever is broken",
        course: &[
            Fails("pytest -q", NO_ASYNCPG),
            Edits("requirements.txt", "rich", "rich\nasyncpg==0.27"),
            Passes("pytest -q", "12 passed in 0.4s"),
        ],
        message: MESSAGE,
    },
    Session {
        name: "superseding",
        prompt: "run the tests and repair whatever is broken",
        course: &[
            Fails("pytest -q", NO_ASYNCPG),
            Edits(
                "pyproject.toml",
                "dependencies = [\"rich\"]",
                "dependencies = [\"rich\", \"asyncpg>=0.30\"]",
            ),
            Passes("pytest -q", "12 passed in 0.4s"),
        ],
        message: MESSAGE,
    },
];

pub(crate) const CASES: &[Case] = &[
    Case::Output(UNRESOLVED, Some("feature")),
    Case::Output(UNRESOLVED_TOO, Some("crate")),
    Case::Output(NO_PSYCOPG, Some("requirement")),
    Case::Output(
        "Traceback (most recent call last):\n  File \"/srv/jobs.py\", line 1, in <module>\nModuleNotFoundError: No module named 'psycopg'",
        Some("requirement"),
    ),
    Case::Output(NO_VITEST, Some("package")),
    Case::Output(NO_URL, Some("environment")),
    Case::Output(NO_PORT, Some("port")),
    Case::Output(NO_ASYNCPG, Some("superseding")),
    // No repairs.
    Case::Output(FLAKY, None),
    Case::Output(STALE, None),
    Case::Output(WIDE, None),
    Case::Output(BACK_AGAIN, None),
    Case::Output(ELSEWHERE, None),
    // Other errors of the same tools.
    Case::Output("error[E0432]: unresolved import `sqlx::mysql`\n --> src/billing.rs:3:5", None),
    Case::Output("error[E0433]: failed to resolve: `sqlx::postgres`\n --> src/billing.rs:3:5", None),
    Case::Output("E   ModuleNotFoundError: No module named 'psycopg_pool'", None),
    Case::Output("Error: Cannot find module 'jest/config'\nRequire stack:\n- /x/jest.config.ts", None),
    Case::Output("Error: Cannot find module 'vitest/node'", None),
    Case::Output("Error response from daemon: network shop_default not found", None),
    Case::Output(
        "Traceback (most recent call last):\n  File \"app.py\", line 9, in <module>\nKeyError: 'REDIS_URL'",
        None,
    ),
];
