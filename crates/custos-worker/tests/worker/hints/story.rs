//! The labelled story: what broke in a project and was mended, what else happened there, and what a later session should be told.

use custos_model::{EventId, Kind};
use serde_json::json;

use crate::desk::Desk;

/// Something that broke and was mended, as a session records it.
pub(crate) struct Mended {
    session: &'static str,
    prompt: &'static str,
    command: &'static str,
    failed: &'static str,
    /// File, before and after.
    edits: &'static [(&'static str, &'static str, &'static str)],
    passed: &'static str,
    message: &'static str,
}

impl Mended {
    pub(crate) fn record(&self, desk: &Desk) -> EventId {
        let task = format!("t-{}", self.session);
        let append = |kind, body| desk.append(kind, self.session, &task, body);
        append(Kind::PromptSubmitted, json!({"text": self.prompt}));
        let run = |output: &str, exit: i64| json!({"tool": "Bash", "input": {"command": self.command}, "output": output, "exit": exit});
        let failed = append(Kind::ToolFailed, run(self.failed, 1));
        for (file, before, after) in self.edits {
            let input = json!({"file_path": format!("/home/user/shop/{file}"), "old_string": before, "new_string": after});
            append(Kind::ToolUsed, json!({"tool": "Edit", "input": input, "files_changed": [file]}));
        }
        append(Kind::ToolUsed, run(self.passed, 0));
        append(Kind::TurnEnded, json!({"message": self.message}));
        failed
    }
}

/// An error of which the title of the fix says nothing but the error.
pub(crate) const RUAMEL: &str = "Traceback (most recent call last):\n  File \"/home/user/shop/app/loader.py\", line 3, in <module>\n    import ruamel_yaml\nModuleNotFoundError: No module named 'ruamel_yaml'";

pub(crate) const MENDED: &[Mended] = &[
    Mended {
        session: "window",
        prompt: "the refresher test is red, please fix",
        command: "cargo test",
        failed: "running 1 test\ntest window::boundary ... FAILED\n\n---- window::boundary stdout ----\nthread 'window::boundary' panicked at src/window.rs:40:9:\nthe refresh window of svc-a was empty at t=300\nnote: run with `RUST_BACKTRACE=1`\n\ntest result: FAILED. 0 passed; 1 failed",
        edits: &[(
            "src/window.rs",
            "fn open(n: u8) -> bool {\n    n < 3\n}",
            "fn open(n: u8) -> bool {\n    n <= 3\n}",
        )],
        passed: "running 1 test\ntest window::boundary ... ok\n\ntest result: ok. 1 passed; 0 failed",
        message: "The window was half-open: `open` left out its own end. It includes it now.",
    },
    Mended {
        session: "orders",
        prompt: "pytest fails in orders, fix it",
        command: "pytest",
        failed: "    def total(row):\n>       return row[\"net_price\"] * row[\"count\"]\nE       KeyError: 'net_price'\n\napp/orders.py:8: KeyError\nFAILED tests/test_orders.py::test_total - KeyError: 'net_price'\n1 failed in 0.12s",
        edits: &[(
            "app/orders.py",
            "    return row[\"net_price\"] * row[\"count\"]",
            "    return row[\"price_net\"] * row[\"count\"]",
        )],
        passed: "1 passed in 0.08s",
        message: "The export renames `net_price` to `price_net`; `total` read the old name.",
    },
    Mended {
        session: "yaml",
        prompt: "the import script does not start",
        command: "python scripts/import.py",
        failed: "Traceback (most recent call last):\n  File \"scripts/import.py\", line 3, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'",
        edits: &[("requirements.txt", "requests==2.32.0\n", "requests==2.32.0\npyyaml==6.0.2\n")],
        passed: "imported 42 rows",
        message: "`yaml` comes from the package pyyaml, which was not in requirements.txt.",
    },
    Mended {
        session: "cart-types",
        prompt: "tsc is red since the merge, fix it",
        command: "npx tsc --noEmit",
        failed: "src/cart/total.ts(12,7): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Money'.\nFound 1 error in src/cart/total.ts:12",
        edits: &[("src/cart/total.ts", "addAll(row.price)", "addAll(Money.parse(row.price))")],
        passed: "",
        message: "`row.price` is a string since the merge; `addAll` wants `Money`, so it is parsed first.",
    },
    Mended {
        session: "replica",
        prompt: "go build breaks, please fix",
        command: "go build ./...",
        failed: "# acme/shop\n./store.go:31:9: undefined: openReplica",
        edits: &[("store.go", "db := openReplica(cfg)", "db := replica.Open(cfg)")],
        passed: "",
        message: "`openReplica` moved to package replica as `replica.Open`; store.go uses that now.",
    },
    Mended {
        session: "cart-render",
        prompt: "the cart crashes in the tests, fix it",
        command: "npm test",
        failed: "FAIL test/cart.test.js\n  ● cart › renders an empty cart\n\n    TypeError: Cannot read properties of undefined (reading 'items')\n\n      at renderCart (src/cart.js:12:20)\n      at Object.<anonymous> (test/cart.test.js:8:5)\n\nTests: 1 failed, 3 passed, 4 total\nnpm ERR! Test failed.  See above for more details.",
        edits: &[("src/cart.js", "  return cart.items.map(row)", "  return (cart?.items ?? []).map(row)")],
        passed: "Tests: 4 passed, 4 total",
        message: "`renderCart` is called before the cart is loaded; it treats a missing cart as an empty one.",
    },
    Mended {
        session: "image",
        prompt: "docker build fails, can you fix it",
        command: "docker build -t shop .",
        failed: "#9 [5/7] RUN pip install -r requirements.txt\n#9 3.201 Error: pg_config executable not found.\n#9 3.201 pg_config is required to build psycopg2 from source.\n------\nERROR: failed to solve: process \"/bin/sh -c pip install -r requirements.txt\" did not complete successfully: exit code: 1",
        edits: &[(
            "Dockerfile",
            "RUN pip install -r requirements.txt",
            "RUN apt-get update && apt-get install -y libpq-dev\nRUN pip install -r requirements.txt",
        )],
        passed: "#12 naming to docker.io/library/shop done",
        message: "psycopg2 needs `pg_config`, which comes with libpq-dev; the image installs it first.",
    },
    Mended {
        session: "proto",
        prompt: "make gen does not work on the new runner, fix the makefile",
        command: "make gen",
        failed: "/bin/sh: 1: protoc: not found\nmake: *** [Makefile:12: gen] Error 127",
        edits: &[("Makefile", "gen:\n\tprotoc -I proto proto/*.proto", "gen:\n\tbuf generate proto")],
        passed: "generated 4 files",
        message: "The runner has no protoc; `make gen` uses buf, which brings its own compiler.",
    },
    Mended {
        session: "ruamel",
        prompt: "the tests do not start, please fix",
        command: "pytest -q",
        failed: RUAMEL,
        edits: &[("app/loader.py", "import ruamel_yaml", "from ruamel import yaml as ruamel_yaml")],
        passed: "12 passed in 0.3s",
        message: "The package is imported as ruamel.yaml since 0.16, so I changed the import in app/loader.py. All 12 tests pass.",
    },
];

/// Work after which nothing is to be hinted at.
pub(crate) fn ordinary(desk: &Desk) {
    // A feature.
    desk.append(Kind::PromptSubmitted, "list", "t-list", json!({"text": "add paging to the list of orders"}));
    let input = json!({"file_path": "/home/user/shop/src/list.ts", "old_string": "return all", "new_string": "export function paged(all: Order[], at: number) {\n  return all.slice(at, at + 20)\n}"});
    desk.append(
        Kind::ToolUsed,
        "list",
        "t-list",
        json!({"tool": "Edit", "input": input, "files_changed": ["src/list.ts"]}),
    );
    desk.append(
        Kind::ToolUsed,
        "list",
        "t-list",
        json!({"tool": "Bash", "input": {"command": "npm test"}, "output": "Tests: 4 passed", "exit": 0}),
    );
    desk.append(
        Kind::TurnEnded,
        "list",
        "t-list",
        json!({"message": "Added `paged`, twenty orders a page."}),
    );
    // A failure that nobody has mended.
    desk.append(Kind::PromptSubmitted, "red", "t-red", json!({"text": "is the nightly green?"}));
    let failed = "ConnectionRefusedError: cannot reach warehouse_sync at warehouse.local";
    desk.append(
        Kind::ToolFailed,
        "red",
        "t-red",
        json!({"tool": "Bash", "input": {"command": "make nightly"}, "output": failed, "exit": 1}),
    );
    desk.append(Kind::TurnEnded, "red", "t-red", json!({"message": "No: the warehouse is down."}));
    // Something wide.
    desk.append(
        Kind::PromptSubmitted,
        "wide",
        "t-wide",
        json!({"text": "rename Order to PurchaseOrder everywhere"}),
    );
    for file in ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"] {
        let input = json!({"file_path": format!("/home/user/shop/{file}"), "old_string": "Order", "new_string": "PurchaseOrder"});
        desk.append(
            Kind::ToolUsed,
            "wide",
            "t-wide",
            json!({"tool": "Edit", "input": input, "files_changed": [file]}),
        );
    }
    desk.append(
        Kind::ToolUsed,
        "wide",
        "t-wide",
        json!({"tool": "Bash", "input": {"command": "npx tsc --noEmit"}, "output": "", "exit": 0}),
    );
    desk.append(Kind::TurnEnded, "wide", "t-wide", json!({"message": "Renamed in five files."}));
}

/// What happens in a later session, and the session whose lesson belongs to it; none where silence is right.
pub(crate) enum Case {
    File(&'static str, Option<&'static str>),
    Output(&'static str, Option<&'static str>),
}

pub(crate) const CASES: &[Case] = &[
    // Files that somebody burnt their fingers on.
    Case::File("src/window.rs", Some("window")),
    Case::File("app/orders.py", Some("orders")),
    Case::File("src/cart/total.ts", Some("cart-types")),
    Case::File("store.go", Some("replica")),
    Case::File("src/cart.js", Some("cart-render")),
    Case::File("Dockerfile", Some("image")),
    Case::File("Makefile", Some("proto")),
    // Others.
    Case::File("src/list.ts", None),
    Case::File("src/a.ts", None),
    Case::File("src/e.ts", None),
    Case::File("src/windows.rs", None),
    Case::File("window.rs", None),
    Case::File("tests/window.rs", None),
    Case::File("app/orders.pyc", None),
    Case::File("README.md", None),
    Case::File("", None),
    Case::File("/etc/passwd", None),
    // The same error, as it looks another time.
    Case::Output(
        "thread 'window::boundary' panicked at /build/77/src/window.rs:52:9:\nthe refresh window of svc-a was empty at t=412",
        Some("window"),
    ),
    Case::Output(
        "test window::late ... FAILED\nthread 'window::late' panicked at src/window.rs:41:9:\nthe refresh window of svc-a was empty at t=7",
        Some("window"),
    ),
    Case::Output(
        "Traceback (most recent call last):\n  File \"/srv/shop/app/orders.py\", line 19, in total\n    return row[\"net_price\"]\nKeyError: 'net_price'",
        Some("orders"),
    ),
    Case::Output(
        "E       KeyError: 'net_price'\n\napp/orders.py:31: KeyError\n2 failed, 7 passed in 1.90s",
        Some("orders"),
    ),
    Case::Output(
        "Traceback (most recent call last):\n  File \"/app/tools/check.py\", line 1, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'",
        Some("yaml"),
    ),
    Case::Output("\u{1b}[31mModuleNotFoundError: No module named 'yaml'\u{1b}[0m", Some("yaml")),
    Case::Output(
        "src/cart/total.ts(40,3): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Money'.",
        Some("cart-types"),
    ),
    Case::Output(
        "./store.go:77:2: undefined: openReplica\n./store.go:90:2: too many errors",
        Some("replica"),
    ),
    Case::Output(
        "TypeError: Cannot read properties of undefined (reading 'items')\n    at renderCart (/home/ci/shop/src/cart.js:19:4)",
        Some("cart-render"),
    ),
    Case::Output(
        "#11 2.9 Error: pg_config executable not found.\n#11 2.9 pg_config is required to build psycopg2 from source.",
        Some("image"),
    ),
    Case::Output("bash: line 1: protoc: command not found", Some("proto")),
    Case::Output(RUAMEL, Some("ruamel")),
    Case::Output("zsh: command not found: protoc", Some("proto")),
    // Others, some of which look much the same.
    Case::Output(
        "thread 'window::boundary' panicked at src/window.rs:40:9:\nassertion `left == right` failed\n  left: 3\n right: 4",
        None,
    ),
    Case::Output(
        "thread 'queue::drain' panicked at src/queue.rs:40:9:\nthe refresh window of svc-a was empty at t=300",
        None,
    ),
    Case::Output("KeyError: 'gross_price'\n  File \"app/orders.py\", line 8", None),
    Case::Output(
        "Traceback (most recent call last):\n  File \"app/invoice.py\", line 19, in total\nKeyError: 'net_price'",
        None,
    ),
    Case::Output("ModuleNotFoundError: No module named 'numpy'", None),
    Case::Output(
        "src/cart/total.ts(12,7): error TS2345: Argument of type 'number' is not assignable to parameter of type 'Money'.",
        None,
    ),
    Case::Output(
        "src/list.ts(12,7): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Money'.",
        None,
    ),
    Case::Output("./store.go:31:9: undefined: openPrimary", None),
    Case::Output(
        "TypeError: Cannot read properties of undefined (reading 'items')\n    at renderList (src/list.js:12:20)",
        None,
    ),
    Case::Output(
        "TypeError: Cannot read properties of undefined (reading 'total')\n    at renderCart (src/cart.js:12:20)",
        None,
    ),
    Case::Output(
        "ERROR: failed to solve: process \"/bin/sh -c pip install -r requirements.txt\" did not complete successfully: exit code: 1",
        None,
    ),
    Case::Output("bash: kubectl: command not found", None),
    Case::Output("ConnectionRefusedError: cannot reach warehouse_sync at warehouse.local", None),
    Case::Output("test result: FAILED. 0 passed; 1 failed", None),
    Case::Output("npm ERR! Test failed.  See above for more details.", None),
    Case::Output("make: *** [Makefile:12: gen] Error 127", None),
    Case::Output("error: aborting due to 2 previous errors", None),
    Case::Output("exit code 1", None),
    Case::Output("", None),
];
