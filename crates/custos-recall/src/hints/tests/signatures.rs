//! What an error is recognised by, tool by tool.

use rstest::rstest;

use super::super::signature::signatures;

fn spelt(output: &str) -> Vec<String> {
    signatures(output).into_iter().map(|signature| signature.text).collect()
}

#[rstest]
#[case::rustc(
    "error[E0382]: borrow of moved value: `session_key`\n  --> src/auth/token.rs:40:9\n   |\nerror: could not compile `auth` (lib) due to 1 previous error",
    &["error e0382 borrow of moved value session_key @ token.rs"]
)]
#[case::panic(
    "thread 'window::boundary' panicked at src/window.rs:40:9:\nthe refresh window of svc-a was empty at t=300\nnote: run with `RUST_BACKTRACE=1`",
    &["the refresh window of svc-a was empty at t @ window.rs"]
)]
#[case::older_panic(
    "thread 'main' panicked at 'no entry found for key user_id', src/lib.rs:3:5",
    &["no entry found for key user_id @ lib.rs"]
)]
#[case::typescript(
    "src/cart/total.ts(12,7): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Money'.",
    &["error ts2345 argument of type string is not assignable to parameter of type money @ total.ts"]
)]
#[case::c(
    "src/ring.c:14:3: error: implicit declaration of function 'ring_push'",
    &["error implicit declaration of function ring_push @ ring.c"]
)]
#[case::go("./store.go:31:9: undefined: openReplica", &["undefined openreplica @ store.go"])]
#[case::python(
    "Traceback (most recent call last):\n  File \"/srv/app/orders.py\", line 8, in total\n    return row[\"net_price\"]\n           ~~~^^^^^^^^^^^^^\nKeyError: 'net_price'",
    &["keyerror net_price @ orders.py"]
)]
#[case::pytest(
    "E       KeyError: 'net_price'\n\norders.py:8: KeyError\nFAILED tests/test_orders.py::test_total - KeyError: 'net_price'",
    &["keyerror net_price @ orders.py"]
)]
#[case::javascript(
    "TypeError: Cannot read properties of undefined (reading 'items')\n    at next (node_modules/express/lib/router.js:3:1)\n    at renderCart (src/cart.js:12:20)",
    &["typeerror cannot read properties of undefined reading items @ cart.js"]
)]
#[case::module("ModuleNotFoundError: No module named 'yaml'", &["modulenotfounderror no module named yaml"])]
#[case::import("Error: Cannot find module 'vitest/config'", &["error cannot find module vitest/config"])]
#[case::import_of_a_file("Error: Cannot find module '../lib/warehouse_sync'", &["error cannot find module warehouse_sync"])]
#[case::port(
    "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle [as _listen2]",
    &["error listen eaddrinuse address already in use :3000"]
)]
#[case::another_port(
    "\u{1b}[31mError: listen EADDRINUSE: address already in use :::8080\u{1b}[0m",
    &["error listen eaddrinuse address already in use :8080"]
)]
#[case::no_service("Error: connect ECONNREFUSED 127.0.0.1:5432\n    at net.js:1141:16", &["error connect econnrefused :5432"])]
#[case::a_port_of_the_system("Error: connect ECONNREFUSED 127.0.0.1:54321", &["error connect econnrefused"])]
#[case::variable(
    "KeyError: 'DATABASE_URL'\nmake: *** [migrate] Error 1",
    &["keyerror database_url"]
)]
#[case::key_of_nowhere("KeyError: 'net_price'", &[])]
#[case::bash("bash: line 1: protoc: command not found", &["command not found: protoc"])]
#[case::dash("/bin/sh: 1: protoc: not found", &["command not found: protoc"])]
#[case::zsh("zsh: command not found: protoc", &["command not found: protoc"])]
#[case::docker(
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    &["cannot connect to the docker daemon at docker.sock is the docker daemon running"]
)]
#[case::cargo(
    "error: failed to run custom build command for `openssl-sys v0.9.102`",
    &["error failed to run custom build command for openssl-sys v#"]
)]
#[case::hash_and_time(
    "[12:03:44] error: cannot lock ref 'refs/heads/release-train': is at 9f86d081884c7d65 but expected 4b227777d4dd1fc6",
    &["error cannot lock ref release-train is at but expected"]
)]
fn what_was_wrong_is_recognised(#[case] output: &str, #[case] expected: &[&str]) {
    assert_eq!(spelt(output), expected);
}

#[rstest]
#[case("")]
#[case("exit code 1")]
#[case("error: aborting due to 2 previous errors")]
#[case("error: could not compile `custos-hooks` (lib) due to 3 previous errors")]
#[case("FAILED")]
#[case("test result: FAILED. 3 passed; 1 failed; 0 ignored")]
#[case("npm ERR! Test failed.  See above for more details.")]
#[case("make: *** [Makefile:12: test] Error 1")]
#[case("error: process didn't exit successfully: `target/debug/shop` (exit status: 101)")]
#[case("AssertionError: assert 3 == 4")]
#[case("thread 'a' panicked at src/a.rs:3:5:\nassertion `left == right` failed\n  left: 3\n right: 4")]
#[case("error[E0308]: mismatched types\n --> src/a.rs:3:5")]
#[case("E       assert 3 == 4\n\ntests/test_a.py:8: AssertionError")]
#[case("TypeError: Cannot read properties of undefined (reading 'items')")]
#[case("warning: unused variable: `session_key`, which could not be found")]
#[case("Error: Process completed with exit code 1.")]
#[case("ELIFECYCLE  Command failed with exit code 1.")]
#[case("Segmentation fault (core dumped)")]
#[case("error: test failed, to rerun pass `--lib`")]
#[case("Error: Command failed: `npm run build-all`")]
#[case("thread 'a' panicked at src/a.rs:3:5:\nindex out of bounds: the len is 3 but the index is 3")]
#[case("    at renderCart (src/cart.js:12:20)")]
fn what_tells_nothing_is_no_signature(#[case] output: &str) {
    assert_eq!(spelt(output), [""; 0]);
}

#[test]
fn of_many_errors_the_first_and_the_last_count() {
    let output: String = (b'a'..=b'h')
        .map(|letter| {
            let name = char::from(letter).to_string().repeat(4);
            format!("ModuleNotFoundError: No module named 'py_{name}'\n")
        })
        .collect();
    let named = |name: &str| format!("modulenotfounderror no module named py_{name}");
    assert_eq!(spelt(&output), [named("aaaa"), named("bbbb"), named("cccc"), named("hhhh")]);
}

#[test]
fn of_a_long_output_both_ends_are_read() {
    let middle = "x".repeat(100).repeat(100) + "\n";
    let output =
        format!("bash: protoc: command not found\n{}\nzsh: command not found: buf\n", middle.repeat(20));
    assert_eq!(spelt(&output), ["command not found: protoc", "command not found: buf"]);
}
