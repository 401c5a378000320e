//! A labelled story: prompts to a project with a past, and which memory each should bring back, if any.
//!
//! Most prompts want nothing, and a memory that does not fit costs more than one that is missing. So two numbers are asked for: of the
//! prompts that got something, how many got the right one first; and of the prompts with an answer in the memory, how many got it. The
//! first must be at least nine of ten.

use super::desk::{Desk, hours_ago, scene};
use crate::context::prompt;
use crate::store::Store;

/// What is known: type, title, narrative, facts.
const MEMORIES: [(&str, &str, &str, &[&str]); 30] = [
    (
        "bugfix",
        "Token refresh raced with logout",
        "A refresh that was under way when the person logged out wrote a new session row. The row is now locked FOR UPDATE in SessionStore::refresh.",
        &["SessionStore::refresh takes a row lock", "src/auth/session.rs"],
    ),
    (
        "decision",
        "The job queue moved from Redis to Postgres",
        "Redis lost jobs on failover. Jobs are rows of the table jobs, claimed with SKIP LOCKED.",
        &["Workers poll every 500 ms", "Redis is only a cache now"],
    ),
    (
        "discovery",
        "Stripe sends webhooks twice",
        "The same event id may arrive two times within seconds. Handlers have to be idempotent; we keep event ids for 30 days.",
        &["table webhook_events"],
    ),
    (
        "bugfix",
        "Invoices in PDF had the wrong decimal separator for German customers",
        "The renderer took the locale of the server. It takes that of the customer now.",
        &["InvoiceRenderer::locale"],
    ),
    (
        "change",
        "CI runs on Node 22",
        "The workflow pins node-version 22; 18 broke the build of sharp.",
        &[".github/workflows/ci.yml"],
    ),
    (
        "security",
        "Uploads are checked by content and not by extension",
        "A file named .png could be HTML. The upload service sniffs the type and refuses SVG with scripts.",
        &["services/upload/sniff.go"],
    ),
    (
        "discovery",
        "The staging database is refreshed from production every Sunday night",
        "Personal data is masked by scripts/mask.sql. Whatever was written to staging is gone on Monday.",
        &[],
    ),
    (
        "bugfix",
        "Search index missed products with umlauts",
        "The analyser folded ü to ue while queries folded it to u. Both fold to u now.",
        &["analyzer de_folded"],
    ),
    (
        "refactor",
        "Checkout was split into cart, payment and confirmation steps",
        "CheckoutController had grown to 2,000 lines. Each step is a module with its own state machine.",
        &["app/checkout/steps"],
    ),
    (
        "decision",
        "Feature flags live in the table flags and not in environment variables",
        "Changing a flag must not need a deployment.",
        &["flags are cached for 60 seconds"],
    ),
    (
        "bugfix",
        "Memory leak in the image resizer",
        "Buffers were kept by an event listener that was never removed. Workers grew by 2 GB a day.",
        &["libvips", "resizer/worker.ts"],
    ),
    (
        "discovery",
        "The Kafka consumer group rebalances when a handler takes longer than five minutes",
        "max.poll.interval.ms is 300000. Long exports must be handed to the job queue.",
        &["consumer group orders-export"],
    ),
    (
        "feature",
        "Customers can export their orders as CSV",
        "The export streams rows and never holds all of them in memory.",
        &["GET /orders/export"],
    ),
    (
        "bugfix",
        "Time zones shifted delivery dates by one day",
        "Dates without time were parsed as UTC midnight and shown in local time. They are LocalDate now.",
        &["DeliveryDate"],
    ),
    ("change", "Dependabot groups minor updates weekly", "One pull request a week instead of twenty.", &[]),
    (
        "decision",
        "No GraphQL: the public API stays REST with OpenAPI",
        "Partners generate clients from openapi.yaml, and GraphQL caching was a burden.",
        &["openapi.yaml"],
    ),
    (
        "discovery",
        "The integration tests need docker compose with the profile test",
        "Without it the tests hang while they wait for the mail server on port 1025.",
        &["docker compose --profile test up"],
    ),
    (
        "bugfix",
        "Password reset mails went to spam",
        "The DKIM selector was missing for the new sender domain.",
        &["mail.acme.example", "selector s2026"],
    ),
    (
        "security",
        "Admin sessions expire after 15 minutes of idling",
        "Required by the audit of the payment provider. The timer is server side.",
        &["ADMIN_IDLE_SECONDS"],
    ),
    (
        "refactor",
        "Money is an integer of cents everywhere",
        "Floats rounded VAT wrongly. The type Money refuses division without a rounding mode.",
        &["crates/money"],
    ),
    (
        "bugfix",
        "Deploys failed because migrations took a lock on orders",
        "ALTER TABLE with a default rewrote the table. Add the column without default, backfill in batches, then set it.",
        &["lock_timeout = 2s"],
    ),
    (
        "discovery",
        "The load balancer cuts idle websocket connections after 60 seconds",
        "The client has to send a ping every 30 seconds.",
        &["WS_PING_INTERVAL"],
    ),
    (
        "feature",
        "Dark mode follows the system setting",
        "Colours are CSS variables; the switch in the profile overrides it.",
        &["theme.css"],
    ),
    (
        "bugfix",
        "The mobile app crashed on Android 12 when the camera permission was denied",
        "The scanner opened the camera before it asked. It asks first and falls back to typing the code.",
        &["ScannerActivity"],
    ),
    (
        "decision",
        "Logs are structured JSON and carry the request id",
        "Support finds everything of one request. The id comes from the header X-Request-Id or is made at the edge.",
        &[],
    ),
    (
        "discovery",
        "The tax service answers 503 between 2 and 3 at night",
        "It is rebooted by its provider. Retry with backoff, and price with the cached rates of the day.",
        &["TaxClient"],
    ),
    (
        "bugfix",
        "Duplicate customer records after the import from the old shop",
        "E-mail addresses differed in case. They are compared in lower case and a unique index keeps it so.",
        &["customers_email_lower_idx"],
    ),
    (
        "change",
        "The linter forbids default exports",
        "Renaming was unreliable with them.",
        &["eslint.config.js"],
    ),
    (
        "feature",
        "Rate limiting of the public API by key",
        "A token bucket in Redis: 100 requests a minute, 429 with Retry-After beyond it.",
        &["middleware/rate_limit"],
    ),
    (
        "bugfix",
        "Flaky test of the basket was caused by a fixed port",
        "Two suites listened on 4010. Ports are chosen by the system now.",
        &["test/basket.spec.ts"],
    ),
];

/// What is asked, and which memory should come first; none where silence is right.
const PROMPTS: [(&str, Option<usize>); 108] = [
    ("users get logged in again after logout, I think the token refresh races with it", Some(0)),
    ("which database do we use for the job queue, redis or postgres?", Some(1)),
    ("why are stripe webhooks handled twice?", Some(2)),
    ("German customers complain about the decimal separator in their PDF invoices", Some(3)),
    ("which node version does CI run on", Some(4)),
    ("add support for svg uploads, how are uploads checked?", Some(5)),
    ("my data on the staging database is gone since Monday", Some(6)),
    ("products with umlauts are not found by the search index", Some(7)),
    ("where is the checkout controller now, was it split into steps?", Some(8)),
    ("put the new feature flag into an environment variable", Some(9)),
    ("the image resizer workers leak memory again", Some(10)),
    ("kafka consumer group keeps rebalancing during the orders export", Some(11)),
    ("make the CSV export of orders include the customer's name", Some(12)),
    ("delivery dates are off by one day in some time zones", Some(13)),
    ("let's add a GraphQL endpoint to the public API for partners", Some(15)),
    ("the integration tests hang on my machine", Some(16)),
    ("password reset mails land in the spam folder", Some(17)),
    ("how long until an idle admin session expires?", Some(18)),
    ("VAT is rounded wrongly for money amounts stored as floats", Some(19)),
    ("add a column with a default to the orders table in a migration", Some(20)),
    ("websocket connections drop after a minute of idling behind the load balancer", Some(21)),
    ("app crashes on Android when the camera permission is denied in the scanner", Some(23)),
    ("is the request id part of our structured logs?", Some(24)),
    ("the tax service returns 503 at night", Some(25)),
    ("there are duplicate customer records with e-mail in different case", Some(26)),
    ("what is the rate limit of the public API per key?", Some(28)),
    ("the basket test is flaky, port already in use", Some(29)),
    ("does the switch for dark mode override the system setting?", Some(22)),
    ("yes", None),
    ("go on", None),
    ("thanks, looks good!", None),
    ("ok do it", None),
    ("/compact", None),
    ("/review src/main.rs please and tell me", None),
    ("!ls -la", None),
    ("please continue with the next step", None),
    ("run the tests", None),
    ("commit this", None),
    ("what do you think?", None),
    ("can you explain that again in other words?", None),
    ("ja bitte mach weiter", None),
    ("はい", None),
    ("write a haiku about autumn leaves", None),
    ("create a new landing page for the summer sale with a hero image", None),
    ("translate the README into French", None),
    ("how do I undo the last git commit without losing my changes?", None),
    ("add a unit test for the function parseColour in utils/colour.ts", None),
    ("rename the variable foo to customerName in this file", None),
    ("what does the borrow checker error E0502 mean?", None),
    ("upgrade tailwind to version 4 and fix the broken classes", None),
    ("set up prettier with single quotes and no semicolons", None),
    ("the button in the header is not aligned with the logo on small screens", None),
    ("generate an architecture diagram of the repository in mermaid", None),
    ("why is the sky blue, asking for a friend", None),
    ("implement a binary search tree with deletion in Rust", None),
    ("review this pull request for style issues", None),
    ("delete the unused helper functions in src/lib/strings.ts", None),
    ("add a favicon and social media preview tags", None),
    ("document the public functions of the geometry module", None),
    ("convert the callbacks in downloader.js into async functions", None),
    ("write a changelog entry for release 3.4", None),
    ("make the sidebar collapsible and remember its state", None),
    ("which license should an open source library use?", None),
    ("fix the typo in the heading of the about page", None),
    // Near something that is known, and about something else.
    ("add page numbers to the PDF invoices", None),
    ("write a test for the upload progress bar", None),
    ("rename the orders table to purchases in the schema diagram", None),
    ("the password field should have a button to show the password", None),
    ("add a column for the phone number to the customer list view", None),
    ("show the delivery address on the order page", None),
    ("add a spinner while the search results are loading", None),
    ("translate the checkout page into Spanish", None),
    ("let admins filter the user list by name", None),
    ("the camera icon in the mobile app is too small", None),
    ("sort the feature list on the pricing page alphabetically", None),
    ("write the release notes for the mobile app", None),
    ("add a health check endpoint to the worker service", None),
    ("update the copyright year in the mail template", None),
    // Known, and asked in other words.
    ("someone logs out and a second later is logged in again", Some(0)),
    ("do I have to make the payment webhook handler idempotent?", Some(2)),
    ("can I store prices as f64?", Some(19)),
    ("orders export handler takes ten minutes and kafka rebalances", Some(11)),
    ("Warum verschwinden Daten auf der Staging-Datenbank jeden Sonntag?", Some(6)),
    ("socket closes after 60 seconds without messages, load balancer?", Some(21)),
    ("alter table orders add column blocks the deploy", Some(20)),
    ("docker compose profile for the integration tests", Some(16)),
    ("eslint complains about my default export", Some(27)),
    ("429 responses from our public API, what are the limits?", Some(28)),
    // Short questions.
    ("how are uploads checked?", Some(5)),
    ("where do feature flags live?", Some(9)),
    ("how do we store money?", Some(19)),
    ("how do I run the integration tests?", Some(16)),
    ("which node version?", Some(4)),
    ("do we use GraphQL?", Some(15)),
    ("when do admin sessions expire?", Some(18)),
    ("where is the rate limit?", Some(28)),
    ("how do I center a div?", None),
    ("where is the config?", None),
    ("what is a monad?", None),
    ("which editor do you use?", None),
    ("how does this work?", None),
    ("where are the docs?", None),
    ("how do I run this?", None),
    ("who wrote this file?", None),
    ("what colour has the search bar?", None),
    ("where is the logo image?", None),
    ("how do I test the header?", None),
    ("which tests are slow?", None),
];

fn desk() -> Desk {
    let mut desk = Desk::embedding();
    for (at, (sort, title, narrative, facts)) in MEMORIES.iter().enumerate() {
        let body =
            serde_json::json!({ "type": sort, "title": title, "narrative": narrative, "facts": facts });
        let hours = 20 * i64::try_from(at).unwrap() + 30;
        // Days apart and of sessions of their own: neighbours in time tell nothing here.
        desk.append(custos_model::Kind::ObservationRecorded, hours_ago(hours), body, |draft| {
            draft.session = Some(format!("s-{at}"));
        });
    }
    desk
}

#[test]
fn prompts_get_the_right_memory_or_nothing() {
    let desk = desk();
    let mut store = desk.open();
    let (mut given, mut right, mut found, mut wanted) = (0, 0, 0, 0);
    let mut report = String::new();
    for (text, expected) in PROMPTS {
        let ids = told(&mut store, text);
        let is_right = ids.first().copied() == expected;
        wanted += usize::from(expected.is_some());
        found += usize::from(expected.is_some() && is_right);
        given += usize::from(!ids.is_empty());
        right += usize::from(!ids.is_empty() && is_right);
        if !is_right || ids.len() > 1 {
            report.push_str(&format!("{text:?}: {ids:?} instead of {expected:?}\n"));
        }
    }
    assert!(right * 10 >= given * 9, "{right} of {given} were right:\n{report}");
    assert!(found * 10 >= wanted * 7, "{found} of {wanted} were found:\n{report}");
}

/// A desk with facts that are a title each, days apart and of sessions of their own.
fn knowing(titles: &[&str]) -> Desk {
    let mut desk = Desk::embedding();
    for (at, title) in (0..).zip(titles) {
        let body = serde_json::json!({ "type": "discovery", "title": title });
        desk.append(custos_model::Kind::ObservationRecorded, hours_ago(20 * at + 30), body, |draft| {
            draft.session = Some(format!("s-{at}"));
        });
    }
    desk
}

/// Gives the places of the memories that a prompt brings back.
fn told(store: &mut Store, text: &str) -> Vec<usize> {
    let served = prompt(store, &scene(), text).unwrap();
    let items = served.iter().flat_map(|served| &served.receipt.items);
    items.map(|item| usize::from(item.id.as_bytes()[15]) - 1).collect()
}

/// Several things of one sort: only the one that was asked for is told.
#[test]
fn what_only_looks_alike_is_not_told() {
    const ALIKE: [&str; 12] = [
        "The auth service listens on port 4001",
        "The billing service listens on port 4002",
        "The search service listens on port 4003",
        "The mail service listens on port 4004",
        "GET /users is paginated with a cursor",
        "GET /orders is paginated by page number",
        "GET /invoices is paginated by date",
        "The staging database is on host db-stg-2",
        "The production database is on host db-prd-7",
        "The linter config lives in tools/lint.toml",
        "Deploys go through make ship, never kubectl",
        "All times are stored in UTC",
    ];
    let desk = knowing(&ALIKE);
    let mut store = desk.open();
    for (text, expected) in [
        ("On which port does the auth service listen?", 0),
        ("What is the port of the mail service?", 3),
        ("How is GET /orders paginated?", 5),
        ("Which host has the production database?", 8),
        ("Where is the linter config?", 9),
    ] {
        assert_eq!(told(&mut store, text), [expected], "{text}");
    }
}

/// The embedder knows no Japanese: what it makes of it is alike whatever is said, so only words decide.
#[test]
fn in_japanese_words_decide() {
    let desk = knowing(&[
        "データベースの接続はプールを使う",
        "認証トークンの有効期限は30秒",
        "The queue moved to Postgres",
    ]);
    let mut store = desk.open();
    let mut told = |text| told(&mut store, text);
    assert_eq!(told("データベースの接続はどうすればいいですか？"), [0]);
    assert_eq!(told("認証トークンの期限を教えて"), [1]);
    assert_eq!(told("私の猫はとても可愛いです"), Vec::<usize>::new());
    assert_eq!(told("今日の天気はどうですか？"), Vec::<usize>::new());
}
