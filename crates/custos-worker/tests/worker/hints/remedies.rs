//! What was put right around the code by a command: a service that was started, a package that was installed, a variable that was set.
//! And what looks like it and is not: a command that has nothing to do with it, a test that passes by itself, several commands of which
//! nobody knows which one helped, a repair in another project.

use super::session::Deed::{Fails, Passes};
use super::session::Session;
use super::story::Case;

const NO_DB: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (net.js:1141:16)";
const NO_CACHE: &str = "Exit code 1\nredis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.";
const NO_PAD: &str = "Exit code 1\nError: Cannot find module 'left-pad'\nRequire stack:\n- /x/index.js";
const NO_DATEUTIL: &str = "Exit code 1\nE   ModuleNotFoundError: No module named 'dateutil'";
const TAKEN: &str = "Exit code 1\nError: listen EADDRINUSE: address already in use :::3000";
const TAKEN_TOO: &str = "Exit code 1\nError: listen EADDRINUSE: address already in use :::4200";
const UNSET: &str = "Exit code 2\nKeyError: 'DATABASE_URL'\nmake: *** [migrate] Error 1";
const UNSET_KEY: &str = "Exit code 2\nKeyError: 'STRIPE_API_KEY'\nmake: *** [charge] Error 1";
const NO_FILE: &str = "Exit code 1\nError: ENOENT: no such file or directory, open 'config/local.json'";
const NO_JQ: &str = "Exit code 127\n/bin/sh: 1: jq: not found\nmake: *** [report] Error 127";
const NO_TABLE: &str = "Exit code 1\npsycopg.errors.UndefinedTable: relation \"invoices\" does not exist";
const NO_FASTIFY: &str = "Exit code 1\nError: Cannot find module 'fastify'\nRequire stack:\n- /x/server.js";
const NO_DAEMON: &str = "Exit code 1\nCannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
const NO_SEARCH: &str = "Exit code 1\nError: getaddrinfo ENOTFOUND search_index";
const NOT_ALLOWED: &str = "Exit code 126\nbash: ./scripts/deploy_stage.sh: Permission denied";
const NO_BUCKET: &str = "Exit code 1\nbotocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: \"http://localhost:9000/uploads\"";
const NO_BROWSER: &str =
    "Exit code 1\nError: browserType.launch: Executable doesn't exist at /ms-playwright/chromium/chrome";

const AFTER_A_COMMIT: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:8500";
const NO_SHAPELY: &str = "Exit code 1\nE   ModuleNotFoundError: No module named 'shapely'";
const SLOW: &str = "Exit code 1\nError: Timed out waiting for `basket_total` of the page";
const SLOW_TOO: &str = "Exit code 1\nError: Timed out waiting for `order_history` of the page";
const NO_QUEUE: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:5672";
const NO_LEDGER: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:7433";
const NO_MAIL: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:1025";
const NO_INDEX: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:9200";
const CAME_BACK: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:8086";
const AFTER_FORMATTING: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:4222";
const NARROWER: &str = "Exit code 1\nError: Cannot find module 'pino-pretty'";
const LOOKED: &str = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:2379";
const RESTORED: &str = "Exit code 1\nError: cannot parse the fixture `basket_of_june`";

pub(crate) const REMEDIES: &[Session] = &[
    Session {
        name: "database",
        prompt: "Run the tests",
        course: &[
            Fails("npm test", NO_DB),
            Passes("docker compose ps", ""),
            Passes("docker compose up -d db", "Started"),
            Passes("npm test", "12 passing"),
        ],
        message: "Tests pass; the database container was not running, so I started it with `docker compose up -d db`.",
    },
    Session {
        name: "cache",
        prompt: "run the unit tests",
        course: &[
            Fails("pytest tests/unit", NO_CACHE),
            Passes("redis-server --daemonize yes", ""),
            Passes("pytest tests/unit", "9 passed in 0.31s"),
        ],
        message: "All green.",
    },
    Session {
        name: "left-pad",
        prompt: "does the build still work?",
        course: &[
            Fails("npm run build", NO_PAD),
            Passes("npm install left-pad", "added 1 package"),
            Passes("npm run build", "built in 2s"),
        ],
        message: "The build works.",
    },
    Session {
        name: "dateutil",
        prompt: "Run the tests",
        course: &[
            Fails("pytest", NO_DATEUTIL),
            Passes("pip install python-dateutil", "Successfully installed python-dateutil-2.9"),
            Passes("pytest", "3 passed"),
        ],
        message: "The tests failed because a package was not installed; they pass now.",
    },
    Session {
        name: "taken",
        prompt: "Start the dev server",
        course: &[
            Fails("npm run dev", TAKEN),
            Passes("lsof -i :3000", "node 4711"),
            Passes("kill $(lsof -ti:3000)", ""),
            Passes("npm run dev", "ready on 3000"),
        ],
        message: "The port was taken by an old process; I killed it.",
    },
    Session {
        name: "unset",
        prompt: "Run the migration",
        course: &[
            Fails("make migrate", UNSET),
            Passes("DATABASE_URL=postgres://localhost/dev make migrate", "migrated 3"),
        ],
        message: "It needs DATABASE_URL to be set.",
    },
    Session {
        name: "unset-key",
        prompt: "Run the charge job",
        course: &[
            Fails("make charge", UNSET_KEY),
            Passes("STRIPE_API_KEY=correct-horse-battery make charge", "charged 3"),
        ],
        message: "Done.",
    },
    Session {
        name: "local-file",
        prompt: "start the app",
        course: &[
            Fails("node server.js", NO_FILE),
            Passes("ls config", "local.example.json"),
            Passes("cat config/local.example.json", "{}"),
            Passes("git status --short", ""),
            Passes("cp config/local.example.json config/local.json", ""),
            Passes("node server.js", "listening"),
        ],
        message: "It runs.",
    },
    Session {
        name: "jq",
        prompt: "make the report",
        course: &[
            Fails("make report", NO_JQ),
            Passes("sudo apt-get install -y jq", "Setting up jq"),
            Passes("make report", "wrote report.json"),
        ],
        message: "The report is written.",
    },
    Session {
        name: "table",
        prompt: "run the billing tests",
        course: &[
            Fails("pytest tests/billing", NO_TABLE),
            Passes("alembic upgrade head", "Running upgrade"),
            Passes("pytest tests/billing", "4 passed in 0.2s"),
        ],
        message: "Green.",
    },
    Session {
        name: "fresh-clone",
        prompt: "start the server",
        course: &[
            Fails("npm start", NO_FASTIFY),
            Passes("npm ci", "added 312 packages"),
            Passes("npm start", "listening on 8000"),
        ],
        message: "The server runs.",
    },
    Session {
        name: "daemon",
        prompt: "build the image",
        course: &[
            Fails("docker build -t shop .", NO_DAEMON),
            Passes("sudo systemctl start docker", ""),
            Passes("docker build -t shop .", "naming to docker.io/library/shop done"),
        ],
        message: "The image is built.",
    },
    // Several, and the last message says which one it was.
    Session {
        name: "named",
        prompt: "run the search tests",
        course: &[
            Fails("npm run test:search", NO_SEARCH),
            Passes("npm install undici", "added 1 package"),
            Passes("docker compose up -d search", "Started"),
            Passes("npm run test:search", "5 passing"),
        ],
        message: "The service search_index was not up: `docker compose up -d search` was what the tests needed.",
    },
    Session {
        name: "not-allowed",
        prompt: "deploy to stage",
        course: &[
            Fails("./scripts/deploy_stage.sh", NOT_ALLOWED),
            Passes("chmod +x scripts/deploy_stage.sh", ""),
            Passes("./scripts/deploy_stage.sh", "deployed"),
        ],
        message: "Deployed.",
    },
    // In one line with what passes.
    Session {
        name: "one-line",
        prompt: "run the upload tests",
        course: &[
            Fails("pytest tests/upload", NO_BUCKET),
            Passes("docker compose up -d minio && pytest tests/upload", "2 passed in 1.1s"),
        ],
        message: "They pass.",
    },
    Session {
        name: "browser",
        prompt: "run the e2e tests",
        course: &[
            Fails("npx playwright test", NO_BROWSER),
            Passes("npx playwright install chromium", "downloaded"),
            Passes("npx playwright test", "3 passed"),
        ],
        message: "Passed.",
    },
    // What was done in between has nothing to do with it.
    Session {
        name: "commit",
        prompt: "run the tests and commit",
        course: &[
            Fails("npm run test:mesh", AFTER_A_COMMIT),
            Passes("git commit -am 'Darker theme'", "[main 1a2b3c4] Darker theme"),
            Passes("npm run test:mesh", "5 passing"),
        ],
        message: "Committed; the tests pass.",
    },
    Session {
        name: "other-package",
        prompt: "run the geo tests",
        course: &[
            Fails("pytest tests/geo", NO_SHAPELY),
            Passes("pip install black", "Successfully installed black-24"),
            Passes("pytest tests/geo", "4 passed in 0.2s"),
        ],
        message: "They pass.",
    },
    Session {
        name: "formatting",
        prompt: "run the tests",
        course: &[
            Fails("npm run test:bus", AFTER_FORMATTING),
            Passes("npx prettier --write .", "formatted"),
            Passes("npm run test:bus", "5 passing"),
        ],
        message: "Green.",
    },
    Session {
        name: "restored",
        prompt: "run the basket tests, and start the docs",
        course: &[
            Fails("pytest tests/basket", RESTORED),
            Passes("docker compose up -d docs", "Started"),
            Passes("pytest tests/basket", "4 passed in 0.2s"),
        ],
        message: "The docs are up, the tests pass.",
    },
    // It passes by itself.
    Session {
        name: "flaky-alone",
        prompt: "run the e2e tests",
        course: &[
            Fails("npm run e2e:basket", SLOW),
            Passes("ls test-results", "trace.zip"),
            Passes("npm run e2e:basket", "9 passing"),
        ],
        message: "All pass.",
    },
    Session {
        name: "flaky-told",
        prompt: "run the e2e tests",
        course: &[Fails("npm run e2e:orders", SLOW_TOO), Passes("npm run e2e:orders", "9 passing")],
        message: "The test that waits for `order_history` is flaky: `npm run e2e:orders` passed the second time.",
    },
    Session {
        name: "looked",
        prompt: "run the tests",
        course: &[
            Fails("npm run test:lease", LOOKED),
            Passes("docker ps", "etcd Up 2 seconds"),
            Passes("ps aux | grep etcd", "etcd"),
            Passes("npm run test:lease", "2 passing"),
        ],
        message: "`etcd` was still starting; they pass.",
    },
    // Nobody knows which one helped.
    Session {
        name: "several",
        prompt: "run the queue tests",
        course: &[
            Fails("npm run test:queue", NO_QUEUE),
            Passes("docker compose up -d mq", "Started"),
            Passes("npm install amqplib", "added 1 package"),
            Passes("docker compose restart api", "Restarted"),
            Passes("npm run test:queue", "5 passing"),
        ],
        message: "Works now.",
    },
    // What was to help failed itself.
    Session {
        name: "no-help",
        prompt: "run the mail tests",
        course: &[
            Fails("npm run test:mail", NO_MAIL),
            Fails("docker compose up -d mail", "Exit code 1\nno such service: mail"),
            Passes("npm run test:mail", "5 passing"),
        ],
        message: "They pass.",
    },
    // Another command passed.
    Session {
        name: "another-command",
        prompt: "run the index tests",
        course: &[
            Fails("npm run test:index", NO_INDEX),
            Passes("docker compose up -d elastic", "Started"),
            Passes("npm run lint", "ok"),
        ],
        message: "The linter is happy.",
    },
    Session {
        name: "narrower",
        prompt: "run the tests",
        course: &[
            Fails("npm run test:log", NARROWER),
            Passes("npm install pino-pretty", "added 1 package"),
            Passes("npm run test:log -- --grep nothing", "0 passing"),
        ],
        message: "Nothing to see.",
    },
    // It came back, and went by itself.
    Session {
        name: "came-back",
        prompt: "run the metrics tests",
        course: &[
            Fails("npm run test:metrics", CAME_BACK),
            Passes("docker compose up -d influx", "Started"),
            Passes("npm run test:metrics", "5 passing"),
            Fails("npm run test:metrics", CAME_BACK),
            Passes("npm run test:metrics", "5 passing"),
        ],
        message: "They pass.",
    },
    // A number of a process is another one next time.
    Session {
        name: "process",
        prompt: "start the dev server",
        course: &[Fails("ng serve", TAKEN_TOO), Passes("kill 4711", ""), Passes("ng serve", "ready on 4200")],
        message: "It runs.",
    },
];

/// Of another project: nothing for this one.
pub(crate) const ELSEWHERE: Session = Session {
    name: "other-project",
    prompt: "run the ledger tests",
    course: &[
        Fails("npm test", NO_LEDGER),
        Passes("docker compose up -d ledger", "Started"),
        Passes("npm test", "5 passing"),
    ],
    message: "Started the ledger with `docker compose up -d ledger`.",
};

pub(crate) const CASES: &[Case] = &[
    Case::Output(NO_DB, Some("database")),
    Case::Output("error: connect ECONNREFUSED 127.0.0.1:5432\n    at node:net:1595:16", Some("database")),
    Case::Output(NO_CACHE, Some("cache")),
    Case::Output(NO_PAD, Some("left-pad")),
    Case::Output(NO_DATEUTIL, Some("dateutil")),
    Case::Output(TAKEN, Some("taken")),
    Case::Output(UNSET, Some("unset")),
    Case::Output(UNSET_KEY, Some("unset-key")),
    Case::Output(NO_FILE, Some("local-file")),
    Case::Output(NO_JQ, Some("jq")),
    Case::Output("bash: line 3: jq: command not found", Some("jq")),
    Case::Output(NO_TABLE, Some("table")),
    Case::Output(NO_FASTIFY, Some("fresh-clone")),
    Case::Output(NO_DAEMON, Some("daemon")),
    Case::Output(NO_SEARCH, Some("named")),
    Case::Output(NOT_ALLOWED, Some("not-allowed")),
    Case::Output(NO_BUCKET, Some("one-line")),
    Case::Output(NO_BROWSER, Some("browser")),
    // No remedies.
    Case::Output(AFTER_A_COMMIT, None),
    Case::Output(NO_SHAPELY, None),
    Case::Output(AFTER_FORMATTING, None),
    Case::Output(RESTORED, None),
    Case::Output(SLOW, None),
    Case::Output(SLOW_TOO, None),
    Case::Output(LOOKED, None),
    Case::Output(NO_QUEUE, None),
    Case::Output(NO_MAIL, None),
    Case::Output(NO_INDEX, None),
    Case::Output(NARROWER, None),
    Case::Output(CAME_BACK, None),
    Case::Output(TAKEN_TOO, None),
    Case::Output(NO_LEDGER, None),
    // Other errors of the same commands.
    Case::Output("Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:6380", None),
    Case::Output(
        "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6390. Connection refused.",
        None,
    ),
    Case::Output("Error: Cannot find module 'right-pad'\nRequire stack:\n- /x/index.js", None),
    Case::Output("E   ModuleNotFoundError: No module named 'dateparser'", None),
    Case::Output("Error: listen EADDRINUSE: address already in use :::8081", None),
    Case::Output("KeyError: 'REDIS_DSN'\nmake: *** [migrate] Error 1", None),
    Case::Output("Error: ENOENT: no such file or directory, open 'config/stage.json'", None),
    Case::Output("/bin/sh: 1: yq: not found", None),
    Case::Output("psycopg.errors.UndefinedTable: relation \"parcels\" does not exist", None),
    Case::Output("Error: getaddrinfo ENOTFOUND parcel_index", None),
    Case::Output("bash: ./scripts/deploy_live.sh: Permission denied", None),
];

/// What a hint has to say of some of them.
pub(crate) const HELPED: &[(&str, &str)] = &[
    (NO_DB, "docker compose up -d db"),
    (NO_CACHE, "redis-server --daemonize yes"),
    (NO_PAD, "npm install left-pad"),
    (NO_DATEUTIL, "pip install python-dateutil"),
    (TAKEN, "kill $(lsof -ti:3000)"),
    (UNSET, "DATABASE_URL=postgres://localhost/dev make migrate"),
    (UNSET_KEY, "STRIPE_API_KEY=… make charge"),
    (NO_FILE, "cp config/local.example.json config/local.json"),
    (NO_JQ, "sudo apt-get install -y jq"),
    (NO_TABLE, "alembic upgrade head"),
    (NO_FASTIFY, "npm ci"),
    (NO_SEARCH, "docker compose up -d search"),
    (NOT_ALLOWED, "chmod +x scripts/deploy_stage.sh"),
    (NO_BUCKET, "docker compose up -d minio"),
    (NO_BROWSER, "npx playwright install chromium"),
];
