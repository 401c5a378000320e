//! Requests to interfaces that delete: a search engine's index, a cloud's resource.
//!
//! `curl -X DELETE` against one's own service is everyday work; only hosts and ports that can be nothing else are held.

use crate::case::Case;
use crate::invocation::{Invocation, Stream};
use crate::options::Options;
use crate::packs::shape::{Tool, fits};
use crate::packs::{cloud, databases};

pub(crate) static CURL: Tool = Tool::code(|call, read, case| {
    let method = read.value('X', "request").unwrap_or_default();
    let named =
        read.given.iter().filter(|given| given.long && given.name == "url").filter_map(|given| given.value);
    for url in read.operands.iter().map(|operand| operand.text()).chain(named) {
        judge(method, url, call, case);
    }
})
.taking(
    "AbcdDeEFhHKmoQrtTuUwxXyYzC",
    &[
        "request",
        "header",
        "data",
        "data-raw",
        "data-binary",
        "data-urlencode",
        "json",
        "form",
        "output",
        "user",
        "url",
        "user-agent",
        "cookie",
        "cookie-jar",
        "max-time",
        "connect-timeout",
        "cacert",
        "cert",
        "key",
        "proxy",
        "retry",
        "referer",
        "upload-file",
        "write-out",
        "config",
        "resolve",
        "oauth2-bearer",
        "aws-sigv4",
        "unix-socket",
    ],
);

pub(crate) static WGET: Tool = Tool::code(|call, read, case| {
    let method = read.value('\0', "method").unwrap_or_default();
    for url in &read.operands {
        judge(method, url.text(), call, case);
    }
})
.taking("oOaeitTwQPUl", &["method", "body-data", "header", "output-document", "user", "password", "timeout"]);

pub(crate) static HTTPIE: Tool = Tool::code(|call, read, case| {
    if let [method, url, ..] = read.operands.as_slice() {
        judge(method.text(), url.text(), call, case);
    }
})
.taking("aos", &["auth", "auth-type", "output", "session", "timeout"]);

pub(crate) static NETCAT: Tool =
    Tool::code(netcat).taking("pwseciqx", &["port", "wait", "source", "exec", "sh-exec"]);

fn judge(method: &str, url: &str, call: &Invocation, case: &mut Case<'_>) {
    if url.is_empty() {
        return;
    }
    databases::stores::judge_request(method, url, call, case);
    cloud::judge_request(method, url, call, case);
}

/// `echo FLUSHALL | nc localhost 6379`.
fn netcat(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let is_store = read.operands.iter().any(|operand| fits("6379|6380|11211", operand.text()));
    if let (true, Stream::Text(text)) = (is_store, &call.stdin) {
        databases::stores::judge_lines(text, case);
    }
}
