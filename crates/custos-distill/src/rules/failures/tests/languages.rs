//! What compilers and test runners print.

use super::check;

#[test]
fn rust() {
    check(&[
        (
            "rustc",
            "   Compiling api v0.1.0 (/home/user/api)\nerror[E0502]: cannot borrow `self.items` as mutable because it is also borrowed as immutable\n  --> src/cart.rs:41:9\n   |\n40 |     let first = &self.items[0];\n\nerror: aborting due to 1 previous error\n\nFor more information about this error, try `rustc --explain E0502`.\nerror: could not compile `api` (lib) due to 1 previous error\n",
            (
                "error[E0502]: cannot borrow `self.items` as mutable because it is also borrowed as immutable",
                Some("E0502"),
                Some(("src/cart.rs", 41)),
                &[],
            ),
        ),
        (
            "clippy",
            "error: unneeded `return` statement\n  --> src/lib.rs:3:5\n   |\n3  |     return 1;\n   |     ^^^^^^^^\n   |\n   = help: for further information visit …\n   = note: `-D clippy::needless-return` implied by `-D warnings`\n",
            (
                "error: unneeded `return` statement",
                Some("clippy::needless_return"),
                Some(("src/lib.rs", 3)),
                &[],
            ),
        ),
        (
            "cargo test",
            "running 2 tests\ntest token::tests::window ... FAILED\ntest token::tests::fresh ... ok\n\nfailures:\n\n---- token::tests::window stdout ----\n\nthread 'token::tests::window' (4711) panicked at src/token.rs:88:9:\nassertion `left == right` failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\nfailures:\n    token::tests::window\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\nerror: test failed, to rerun pass `--lib`\n",
            (
                "assertion failed: left 3, right 4",
                None,
                Some(("src/token.rs", 88)),
                &["token::tests::window"],
            ),
        ),
        (
            "cargo test, with words",
            "thread 'a' panicked at tests/a.rs:7:5:\nassertion `left == right` failed: the window is half open\n  left: Some(1)\n right: None\n",
            (
                "assertion failed: the window is half open (left Some(1), right None)",
                None,
                Some(("tests/a.rs", 7)),
                &[],
            ),
        ),
        (
            "before 1.73",
            "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound }', src/main.rs:12:34\nnote: run with …",
            (
                "called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound }",
                None,
                Some(("src/main.rs", 12)),
                &[],
            ),
        ),
        (
            "nextest",
            "        FAIL [   0.013s] (1/3) api token::tests::window\n  stdout ───\n\n    running 1 test\n  stderr ───\n    thread 'token::tests::window' panicked at src/token.rs:88:9:\n    index out of bounds: the len is 3 but the index is 3\n     Summary [   0.015s] 3 tests run: 2 passed, 1 failed, 0 skipped\n",
            (
                "index out of bounds: the len is 3 but the index is 3",
                None,
                Some(("src/token.rs", 88)),
                &["token::tests::window"],
            ),
        ),
    ]);
}

#[test]
fn python() {
    check(&[
        (
            "pytest",
            "============================= test session starts ==============================\ncollected 3 items\n\ntests/test_cart.py .F.                                                   [100%]\n\n=================================== FAILURES ===================================\n______________________________ TestCart.test_total _____________________________\n\nself = <tests.test_cart.TestCart object at 0x7f3b2c1d5e50>\n\n    def test_total(self):\n>       assert total([1, 2]) == 4\nE       assert 3 == 4\nE        +  where 3 = total([1, 2])\n\ntests/test_cart.py:12: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_cart.py::TestCart::test_total - assert 3 == 4\n========================= 1 failed, 2 passed in 0.05s ==========================\n",
            ("assert 3 == 4", None, Some(("tests/test_cart.py", 12)), &["TestCart::test_total"]),
        ),
        (
            "pytest, collecting",
            "==================================== ERRORS ====================================\n_____________________ ERROR collecting tests/test_a.py _____________________\nImportError while importing test module '/app/tests/test_a.py'.\ntests/test_a.py:1: in <module>\n    from shop import cart\nE   ModuleNotFoundError: No module named 'shop'\n=========================== short test summary info ============================\nERROR tests/test_a.py\n",
            ("ModuleNotFoundError: No module named 'shop'", None, Some(("tests/test_a.py", 1)), &[]),
        ),
        (
            "traceback",
            "Traceback (most recent call last):\n  File \"/app/main.py\", line 9, in <module>\n    run()\n  File \"/app/shop/cart.py\", line 21, in run\n    return json.loads(text)\n  File \"/usr/lib/python3.12/json/__init__.py\", line 346, in loads\n    return _default_decoder.decode(s)\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n",
            (
                "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
                None,
                Some(("/app/shop/cart.py", 21)),
                &[],
            ),
        ),
        (
            "traceback with a cause",
            "Traceback (most recent call last):\n  File \"db.py\", line 4, in get\n    return rows[key]\nKeyError: 'email'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"api.py\", line 30, in user\n    raise NotFound() from e\napi.NotFound\n",
            ("KeyError: 'email'", None, Some(("db.py", 4)), &[]),
        ),
        (
            "syntax error",
            "  File \"/app/a.py\", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n",
            ("SyntaxError: invalid syntax", None, Some(("/app/a.py", 3)), &[]),
        ),
        (
            "unittest",
            "F.\n======================================================================\nFAIL: test_total (tests.test_cart.CartTest.test_total)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"/app/tests/test_cart.py\", line 8, in test_total\n    self.assertEqual(total([1, 2]), 4)\nAssertionError: 3 != 4\n\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n",
            ("AssertionError: 3 != 4", None, Some(("/app/tests/test_cart.py", 8)), &["test_total"]),
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table, of one case after the other")]
fn javascript() {
    check(&[
        (
            "jest",
            " FAIL  src/cart.test.ts\n  ● cart › adds up\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 4\n    Received: 3\n\n      10 |   it('adds up', () => {\n    > 11 |     expect(total([1, 2])).toBe(4);\n\n      at Object.<anonymous> (src/cart.test.ts:11:27)\n\nTests:       1 failed, 2 passed, 3 total\nTime:        1.204 s\n",
            (
                "expect(received).toBe(expected) // Object.is equality: expected 4, received 3",
                None,
                Some(("src/cart.test.ts", 11)),
                &["cart › adds up"],
            ),
        ),
        (
            "jest, a suite",
            "  ● Test suite failed to run\n\n    Cannot find module './carts' from 'src/cart.test.ts'\n\n      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)\n      at Object.<anonymous> (src/cart.test.ts:1:1)\n",
            (
                "Cannot find module './carts' from 'src/cart.test.ts'",
                None,
                Some(("src/cart.test.ts", 1)),
                &[],
            ),
        ),
        (
            "vitest",
            " ❯ src/cart.test.ts (3 tests | 1 failed) 6ms\n\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  src/cart.test.ts > cart > adds up\nAssertionError: expected 3 to be 4 // Object.is equality\n\n- Expected\n+ Received\n\n ❯ src/cart.test.ts:11:27\n\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n",
            (
                "AssertionError: expected 3 to be 4 // Object.is equality",
                None,
                Some(("src/cart.test.ts", 11)),
                &["cart > adds up"],
            ),
        ),
        (
            "mocha",
            "  2 passing (12ms)\n  1 failing\n\n  1) cart\n       adds up:\n\n      AssertionError: expected 3 to equal 4\n      + expected - actual\n\n      at Context.<anonymous> (test/cart.js:10:14)\n      at process.processImmediate (node:internal/timers:476:21)\n",
            ("AssertionError: expected 3 to equal 4", None, Some(("test/cart.js", 10)), &["cart adds up"]),
        ),
        (
            "playwright",
            "  1) [chromium] › tests/login.spec.ts:12:5 › logs in ─────────────────────\n\n    Error: expect(locator).toBeVisible() failed\n\n    Locator: getByText('Welcome')\n\n  1 failed\n",
            (
                "Error: expect(locator).toBeVisible() failed",
                None,
                Some(("tests/login.spec.ts", 12)),
                &["logs in"],
            ),
        ),
        (
            "node's runner",
            "✖ adds up (1.2ms)\nℹ tests 1\nℹ fail 1\n\n✖ failing tests:\n\ntest at test/a.test.js:4:1\n✖ adds up (1.2ms)\n  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n  3 !== 4\n\n      at TestContext.<anonymous> (file:///app/test/a.test.js:5:10)\n",
            (
                "AssertionError: Expected values to be strictly equal:",
                Some("ERR_ASSERTION"),
                Some(("/app/test/a.test.js", 5)),
                &["adds up"],
            ),
        ),
        (
            "tsc",
            "src/a.ts(12,5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.\nsrc/b.ts(1,1): error TS2304: Cannot find name 'foo'.\n",
            (
                "TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
                Some("TS2345"),
                Some(("src/a.ts", 12)),
                &[],
            ),
        ),
        (
            "tsc, pretty",
            "\u{1b}[96msrc/a.ts\u{1b}[0m:\u{1b}[93m12\u{1b}[0m:\u{1b}[93m5\u{1b}[0m - \u{1b}[91merror\u{1b}[0m\u{1b}[90m TS2304: \u{1b}[0mCannot find name 'foo'.\n\n12     foo();\n       ~~~\n\nFound 1 error in src/a.ts:12\n",
            ("TS2304: Cannot find name 'foo'.", Some("TS2304"), Some(("src/a.ts", 12)), &[]),
        ),
        (
            "eslint",
            "\n/app/src/a.ts\n   3:7   warning  Unexpected console statement  no-console\n  12:5   error    'x' is assigned a value but never used  @typescript-eslint/no-unused-vars\n\n✖ 2 problems (1 error, 1 warning)\n",
            (
                "'x' is assigned a value but never used",
                Some("@typescript-eslint/no-unused-vars"),
                Some(("/app/src/a.ts", 12)),
                &[],
            ),
        ),
        (
            "node",
            "/app/src/user.js:8\n  return user.id;\n              ^\n\nTypeError: Cannot read properties of undefined (reading 'id')\n    at load (/app/node_modules/orm/index.js:3:1)\n    at getId (/app/src/user.js:8:15)\n    at node:internal/main/run_main_module:28:49\n\nNode.js v20.11.0\n",
            (
                "TypeError: Cannot read properties of undefined (reading 'id')",
                None,
                Some(("/app/src/user.js", 8)),
                &[],
            ),
        ),
        (
            "node, with a cause",
            "TypeError: fetch failed\n    at node:internal/deps/undici/undici:12618:11\n    at async load (file:///app/src/load.mjs:4:13) {\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432\n      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {\n    errno: -111,\n    code: 'ECONNREFUSED',\n  }\n}\n",
            ("Error: connect ECONNREFUSED 127.0.0.1:5432", Some("ECONNREFUSED"), None, &[]),
        ),
        (
            "esbuild",
            "✘ [ERROR] Could not resolve \"./carts\"\n\n    src/index.ts:1:21:\n      1 │ import { cart } from \"./carts\"\n",
            ("Could not resolve \"./carts\"", None, Some(("src/index.ts", 1)), &[]),
        ),
        (
            "webpack",
            "ERROR in ./src/index.ts 3:0-30\nModule not found: Error: Can't resolve './carts' in '/home/user/app/src'\n",
            ("Module not found: Error: Can't resolve './carts'", None, Some(("src/index.ts", 0)), &[]),
        ),
    ]);
}

#[test]
fn go() {
    check(&[
        (
            "go build",
            "# example.com/shop\n./main.go:12:5: undefined: foo\n./main.go:14:2: declared and not used: x\n",
            ("undefined: foo", None, Some(("main.go", 12)), &[]),
        ),
        (
            "go test",
            "--- FAIL: TestTotal (0.00s)\n    --- FAIL: TestTotal/two (0.00s)\n        cart_test.go:12: got 3, want 4\nFAIL\nFAIL\texample.com/shop\t0.003s\nFAIL\n",
            ("got 3, want 4", None, Some(("cart_test.go", 12)), &["TestTotal/two"]),
        ),
        (
            "testify",
            "--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: \n        \tError Trace:\t/app/cart_test.go:12\n        \tError:      \tNot equal: \n        \t            \texpected: 4\n        \t            \tactual  : 3\n        \tTest:       \tTestTotal\nFAIL\n",
            ("Not equal: expected 4, actual 3", None, Some(("cart_test.go", 12)), &["TestTotal"]),
        ),
        (
            "panic",
            "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48f2a1]\n\ngoroutine 1 [running]:\nmain.(*Cart).Total(...)\n\t/app/cart.go:21\nmain.main()\n\t/app/main.go:9 +0x1d\nexit status 2\n",
            (
                "panic: runtime error: invalid memory address or nil pointer dereference",
                None,
                Some(("/app/cart.go", 21)),
                &[],
            ),
        ),
        (
            "race",
            "==================\nWARNING: DATA RACE\nWrite at 0x00c0000b4010 by goroutine 8:\n  example.com/shop.(*Cache).Set()\n      /app/cache.go:31 +0x44\n\nPrevious read at 0x00c0000b4010 by goroutine 7:\n  example.com/shop.(*Cache).Get()\n      /app/cache.go:22 +0x3a\n==================\n--- FAIL: TestCache (0.01s)\n    testing.go:1398: race detected during execution of test\nFAIL\n",
            (
                "DATA RACE: write in shop.(*Cache).Set(), read in shop.(*Cache).Get()",
                None,
                Some(("/app/cache.go", 31)),
                &["TestCache"],
            ),
        ),
        (
            "a race below the runtime",
            "WARNING: DATA RACE\nWrite at 0x00c0000b6330 by goroutine 41:\n  runtime.mapdelete_faststr()\n      /usr/local/go/src/runtime/map_faststr.go:301 +0x0\n  example.com/chat/internal/hub.(*Hub).Drop()\n      /app/internal/hub/hub.go:47 +0xa4\n==================\n",
            ("DATA RACE: write in hub.(*Hub).Drop()", None, Some(("/app/internal/hub/hub.go", 47)), &[]),
        ),
        (
            "a test that hangs",
            "panic: test timed out after 30s\n\trunning tests:\n\t\tTestDrop (30s)\n\ngoroutine 7 [running]:\ntesting.(*M).startAlarm.func1()\n\t/usr/local/go/src/testing/testing.go:2366 +0x385\n\ngoroutine 8 [semacquire]:\nexample.com/chat.(*Hub).Drop(0xc0)\n\t/app/hub.go:31 +0x4a\n",
            ("panic: test timed out after 30s", None, Some(("/app/hub.go", 31)), &["TestDrop"]),
        ),
        (
            "go mod",
            "go: example.com/x@v1.2.0: invalid version: unknown revision v1.2.0\n",
            ("go: example.com/x@v1.2.0: invalid version: unknown revision v1.2.0", None, None, &[]),
        ),
    ]);
}

#[test]
fn jvm_and_dotnet() {
    check(&[
        (
            "javac",
            "src/A.java:12: error: cannot find symbol\n    foo();\n    ^\n  symbol:   method foo()\n  location: class A\n1 error\n",
            ("cannot find symbol: method foo()", None, Some(("src/A.java", 12)), &[]),
        ),
        (
            "maven, compiling",
            "[INFO] -------------\n[ERROR] COMPILATION ERROR : \n[ERROR] /app/src/main/java/A.java:[12,5] cannot find symbol\n[ERROR]   symbol:   variable foo\n[ERROR]   location: class A\n[INFO] BUILD FAILURE\n",
            ("cannot find symbol: variable foo", None, Some(("/app/src/main/java/A.java", 12)), &[]),
        ),
        (
            "maven, testing",
            "[ERROR] Failures: \n[ERROR]   CartTest.total:42 expected: <4> but was: <3>\n[INFO] \n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n",
            ("expected: <4> but was: <3>", None, Some(("CartTest.java", 42)), &["CartTest.total"]),
        ),
        (
            "gradle, testing",
            "> Task :test FAILED\n\nCartTest > total() FAILED\n    org.opentest4j.AssertionFailedError: expected: <4> but was: <3> at CartTest.java:42\n\n5 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n",
            (
                "AssertionFailedError: expected: <4> but was: <3>",
                None,
                Some(("CartTest.java", 42)),
                &["CartTest.total"],
            ),
        ),
        (
            "gradle",
            "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:processResources'.\n> Could not resolve com.example:lib:1.0.\n\n* Try:\n> Run with --stacktrace\n",
            ("Could not resolve com.example:lib:1.0.", None, None, &[]),
        ),
        (
            "kotlin",
            "e: file:///app/src/A.kt:12:5 Unresolved reference: foo\n",
            ("Unresolved reference: foo", None, Some(("/app/src/A.kt", 12)), &[]),
        ),
        (
            "stack trace",
            "Exception in thread \"main\" java.lang.RuntimeException: boot failed\n\tat com.shop.Main.main(Main.java:9)\nCaused by: java.lang.IllegalStateException: no data source\n\tat org.springframework.jdbc.Foo.bar(Foo.java:77)\n\tat com.shop.Db.open(Db.java:31)\n\t... 1 more\n",
            ("IllegalStateException: no data source", None, Some(("Db.java", 31)), &[]),
        ),
        (
            "csc",
            "/app/Program.cs(12,5): error CS0103: The name 'x' does not exist in the current context [/app/App.csproj]\n",
            (
                "CS0103: The name 'x' does not exist in the current context",
                Some("CS0103"),
                Some(("/app/Program.cs", 12)),
                &[],
            ),
        ),
        (
            "dotnet test",
            "  Failed Shop.Tests.CartTests.Total [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 4\nActual:   3\n  Stack Trace:\n     at Shop.Tests.CartTests.Total() in /app/CartTests.cs:line 14\n\nFailed!  - Failed:     1, Passed:     2, Skipped:     0\n",
            (
                "Assert.Equal() Failure: Values differ, Expected: 4, Actual: 3",
                None,
                Some(("/app/CartTests.cs", 14)),
                &["Shop.Tests.CartTests.Total"],
            ),
        ),
        (
            "exception of .NET",
            "Unhandled exception. System.TypeInitializationException: The type initializer threw.\n ---> System.InvalidOperationException: No connection string\n   at Shop.Db..cctor() in /app/Db.cs:line 7\n   --- End of inner exception stack trace ---\n   at Shop.Program.Main() in /app/Program.cs:line 3\n",
            ("System.InvalidOperationException: No connection string", None, Some(("/app/Db.cs", 7)), &[]),
        ),
    ]);
}
