//! What the tools around a language print.

use super::check;

#[test]
fn native_and_scripts() {
    check(&[
        (
            "gcc",
            "In file included from src/b.c:1:\nsrc/a.c:12:5: error: 'foo' undeclared (first use in this function)\nmake: *** [Makefile:4: a.o] Error 1\n",
            ("'foo' undeclared (first use in this function)", None, Some(("src/a.c", 12)), &[]),
        ),
        (
            "a linker",
            "/usr/bin/ld: main.o: in function `main':\nmain.c:(.text+0x9): undefined reference to `foo'\ncollect2: error: ld returned 1 exit status\n",
            ("undefined reference to `foo'", None, None, &[]),
        ),
        (
            "mypy",
            "src/a.py:12: error: Incompatible return value type (got \"int\", expected \"str\")  [return-value]\nFound 1 error in 1 file (checked 3 source files)\n",
            (
                "Incompatible return value type (got \"int\", expected \"str\")",
                Some("return-value"),
                Some(("src/a.py", 12)),
                &[],
            ),
        ),
        (
            "cmake",
            "CMake Error at CMakeLists.txt:12 (find_package):\n  Could not find a package configuration file provided by \"Qt6\"\n",
            (
                "Could not find a package configuration file provided by \"Qt6\"",
                None,
                Some(("CMakeLists.txt", 12)),
                &[],
            ),
        ),
        (
            "make",
            "make: *** No rule to make target 'tset'.  Stop.\n",
            ("No rule to make target 'tset'", None, None, &[]),
        ),
        (
            "rspec",
            "Failures:\n\n  1) Cart adds up\n     Failure/Error: expect(cart.total).to eq(4)\n\n       expected: 4\n            got: 3\n\n       (compared using ==)\n     # ./spec/cart_spec.rb:12:in 'block (2 levels) in <top (required)>'\n\nFinished in 0.01 seconds\n1 example, 1 failure\n\nFailed examples:\n\nrspec ./spec/cart_spec.rb:10 # Cart adds up\n",
            ("expected 4, got 3", None, Some(("spec/cart_spec.rb", 12)), &["Cart adds up"]),
        ),
        (
            "minitest",
            "  1) Failure:\nCartTest#test_total [test/cart_test.rb:12]:\nExpected: 4\n  Actual: 3\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n",
            ("expected 4, actual 3", None, Some(("test/cart_test.rb", 12)), &["CartTest#test_total"]),
        ),
        (
            "ruby",
            "app.rb:12:in 'Cart#total': undefined method 'sum' for nil (NoMethodError)\n\tfrom app.rb:20:in '<main>'\n",
            ("NoMethodError: undefined method 'sum' for nil", None, Some(("app.rb", 12)), &[]),
        ),
        (
            "phpunit",
            "There was 1 failure:\n\n1) Tests\\CartTest::testTotal\nFailed asserting that 3 matches expected 4.\n\n/app/tests/CartTest.php:12\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n",
            (
                "Failed asserting that 3 matches expected 4.",
                None,
                Some(("/app/tests/CartTest.php", 12)),
                &["Tests\\CartTest::testTotal"],
            ),
        ),
        (
            "php",
            "PHP Fatal error:  Uncaught TypeError: total(): Argument #1 must be of type array in /app/cart.php:12\nStack trace:\n#0 {main}\n",
            ("TypeError: total(): Argument #1 must be of type array", None, Some(("/app/cart.php", 12)), &[]),
        ),
        (
            "elixir",
            "  1) test adds up (CartTest)\n     test/cart_test.exs:12\n     Assertion with == failed\n     code:  assert total([1, 2]) == 4\n     left:  3\n     right: 4\n     stacktrace:\n       test/cart_test.exs:13: (test)\n\n1 test, 1 failure\n",
            ("assertion failed: left 3, right 4", None, Some(("test/cart_test.exs", 12)), &["adds up"]),
        ),
        (
            "tap",
            "TAP version 13\nok 1 - loads\nnot ok 2 - adds up\n  ---\n  error: 'expected 4'\n  code: 'ERR_TEST_FAILURE'\n  ...\n",
            ("expected 4", Some("ERR_TEST_FAILURE"), None, &["adds up"]),
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table, of one case after the other")]
fn tools() {
    check(&[
        (
            "npm",
            "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! \nnpm ERR! While resolving: app@1.0.0\nnpm ERR! Could not resolve dependency:\nnpm ERR! peer react@\"^17\" from lib@2.0.0\nnpm ERR! A complete log of this run can be found in: /home/user/.npm/_logs/2024-05-01T10_00_00_000Z-debug-0.log\n",
            (
                "unable to resolve dependency tree (peer react@\"^17\" from lib@2.0.0)",
                Some("ERESOLVE"),
                None,
                &[],
            ),
        ),
        (
            "npm 10",
            "npm error Missing script: \"tset\"\nnpm error\nnpm error To see a list of scripts, run:\n",
            ("Missing script: \"tset\"", None, None, &[]),
        ),
        (
            "pnpm",
            " ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with \"frozen-lockfile\" because pnpm-lock.yaml is not up to date\n",
            (
                "Cannot install with \"frozen-lockfile\" because pnpm-lock.yaml is not up to date",
                Some("ERR_PNPM_OUTDATED_LOCKFILE"),
                None,
                &[],
            ),
        ),
        (
            "pip",
            "ERROR: Could not find a version that satisfies the requirement foo==9 (from versions: 1.0, 2.0)\nERROR: No matching distribution found for foo==9\n",
            ("Could not find a version that satisfies the requirement foo==9", None, None, &[]),
        ),
        (
            "uv",
            "  × No solution found when resolving dependencies:\n  ╰─▶ Because only foo<=2 is available and you require foo>=3, we can conclude that your requirements are unsatisfiable.\n",
            (
                "No solution found when resolving dependencies: Because only foo<=2 is available and you require foo>=3, we can conclude that your requirements are unsatisfiable.",
                None,
                None,
                &[],
            ),
        ),
        (
            "docker",
            "#8 [3/5] RUN npm ci\n#8 1.204 > app@1.0.0 build\n------\n > [3/5] RUN npm ci:\n------\nERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n",
            (
                "ERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
                None,
                None,
                &[],
            ),
        ),
        (
            "psql",
            "psql:db/schema.sql:12: ERROR:  relation \"users\" does not exist\nLINE 1: select * from users\n",
            ("ERROR: relation \"users\" does not exist", None, Some(("db/schema.sql", 12)), &[]),
        ),
        (
            "mysql",
            "ERROR 1064 (42000) at line 3: You have an error in your SQL syntax\n",
            ("You have an error in your SQL syntax", Some("1064"), None, &[]),
        ),
        (
            "prisma",
            "Error: P1001: Can't reach database server at `localhost:5432`\n",
            ("Can't reach database server at `localhost:5432`", Some("P1001"), None, &[]),
        ),
        (
            "kubectl",
            "Error from server (NotFound): deployments.apps \"api\" not found\n",
            ("Error from server (NotFound): deployments.apps \"api\" not found", None, None, &[]),
        ),
        (
            "terraform",
            "╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 12, in resource \"aws_s3_bucket\" \"b\":\n│   12:   acll = \"private\"\n│ \n│ An argument named \"acll\" is not expected here.\n╵\n",
            (
                "Unsupported argument: An argument named \"acll\" is not expected here.",
                None,
                Some(("main.tf", 12)),
                &[],
            ),
        ),
        (
            "git merge",
            "Auto-merging src/a.rs\nCONFLICT (content): Merge conflict in src/a.rs\nAutomatic merge failed; fix conflicts and then commit the result.\n",
            ("CONFLICT (content): Merge conflict in src/a.rs", None, None, &[]),
        ),
        (
            "git push",
            "To github.com:x/y.git\n ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'github.com:x/y.git'\n",
            ("[rejected] main -> main (non-fast-forward)", None, None, &[]),
        ),
        (
            "git",
            "fatal: not a git repository (or any of the parent directories): .git\n",
            ("fatal: not a git repository (or any of the parent directories): .git", None, None, &[]),
        ),
        (
            "curl",
            "curl: (7) Failed to connect to localhost port 8080 after 0 ms: Couldn't connect to server\n",
            (
                "curl: (7) Failed to connect to localhost port 8080: Couldn't connect to server",
                None,
                None,
                &[],
            ),
        ),
        (
            "http",
            "< HTTP/1.1 503 Service Unavailable\n< content-length: 0\n",
            ("HTTP 503 Service Unavailable", Some("503"), None, &[]),
        ),
        ("bash", "/bin/bash: line 1: rg: command not found\n", ("rg: command not found", None, None, &[])),
        ("sh", "sh: 1: vitest: not found\n", ("vitest: not found", None, None, &[])),
        (
            "a file",
            "cat: src/x.rs: No such file or directory\n",
            ("cat: src/x.rs: No such file or directory", None, None, &[]),
        ),
        (
            "cargo",
            "error: target `refresher` in package `tessera` requires the features: `test-clock`\nConsider enabling them by passing, e.g., `--features=\"test-clock\"`\n",
            (
                "error: target `refresher` in package `tessera` requires the features: `test-clock`",
                None,
                None,
                &[],
            ),
        ),
        (
            "a log",
            "12:00:01 INFO starting\n12:00:02 ERROR cannot bind: in use\n12:00:02 INFO bye\n",
            ("… ERROR cannot bind: in use", None, None, &[]),
        ),
        (
            "anything",
            "working…\nError: the moon is full\nsee the docs\n",
            ("Error: the moon is full", None, None, &[]),
        ),
    ]);
}
