//! Stores with a language of their own: Redis and its kin, MongoDB, Elasticsearch, memcached.

use crate::case::Case;
use crate::invocation::{Invocation, Stream};
use crate::options::Options;
use crate::packs::databases::{CONFIGURE, DROP, EMPTY, STOP};
use crate::packs::shape::{Tool, disarms, fits};
use crate::verdict::Rule;
use crate::walk::excerpt;

pub(crate) static REDIS: Tool = Tool::code(redis)
    .taking("hpsanuidDtr", &["user", "pass", "sni", "cacert", "cert", "key", "eval", "pattern", "count"]);

fn redis(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    if disarms(read, "--help|--version") {
        return;
    }
    let words: Vec<&str> = read.operands.iter().map(|operand| operand.text()).collect();
    if let Some(rule) = redis_command(&words) {
        case.hold(rule, call.shown());
    } else if call.open_ended && words.first().is_some_and(|verb| fits("DEL|UNLINK", verb)) {
        // `redis-cli --scan | xargs redis-cli del`: all that was listed.
        case.hold(&EMPTY, call.shown());
    }
    if let (true, Stream::Text(text)) = (words.is_empty(), &call.stdin) {
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let Some(rule) = redis_command(&words) {
                case.hold(rule, excerpt(line));
                return;
            }
        }
    }
}

fn redis_command(words: &[&str]) -> Option<&'static Rule> {
    let (verb, rest) = words.split_first()?;
    let second = rest.first().copied().unwrap_or_default();
    if fits("FLUSHALL|FLUSHDB", verb) {
        return Some(&EMPTY);
    }
    if fits("SHUTDOWN", verb)
        || fits("DEBUG", verb) && fits("SEGFAULT|PANIC|RESTART|CRASH-AND-RECOVER", second)
    {
        return Some(&STOP);
    }
    if fits("CLUSTER", verb) && fits("RESET|FLUSHSLOTS", second) {
        return Some(&EMPTY);
    }
    let configures = fits("CONFIG", verb) && fits("SET|REWRITE", second) || fits("REPLICAOF|SLAVEOF", verb);
    if configures || fits("MODULE", verb) && fits("LOAD*", second) {
        return Some(&CONFIGURE);
    }
    if fits("EVAL", verb) {
        let script = second.to_ascii_lowercase();
        return (script.contains("flushall") || script.contains("flushdb")).then_some(&EMPTY);
    }
    None
}

pub(crate) static MONGO: Tool = Tool::code(mongo).taking(
    "upf",
    &["eval", "host", "port", "username", "password", "authenticationDatabase", "file", "tls-ca-file"],
);

fn mongo(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let mut is_given = false;
    for given in read.given.iter().filter(|given| given.long && given.name == "eval") {
        is_given = true;
        judge_script(given.value.unwrap_or_default(), case);
    }
    if let (false, Stream::Text(text)) = (is_given, &call.stdin) {
        judge_script(text, case);
    }
}

/// Judges what is written in MongoDB's JavaScript: method calls outside of strings and comments.
fn judge_script(text: &str, case: &mut Case<'_>) {
    let code = without_strings(text);
    let mut from = 0;
    while let Some(open) = code[from..].find('(').map(|at| from + at) {
        from = open + 1;
        let head = code[..open].trim_end();
        let start = head.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let is_method = head[..start].trim_end().ends_with('.');
        let argument = code[open + 1..].trim_start();
        let takes_all = argument.starts_with(')')
            || argument.strip_prefix('{').is_some_and(|inner| inner.trim_start().starts_with('}'));
        let rule = match &head[start..] {
            "dropDatabase" | "dropUser" | "dropAllUsersFromDatabase" => &DROP,
            "drop" if is_method => &DROP,
            "deleteMany" | "remove" if is_method && takes_all => &EMPTY,
            "shutdownServer" if is_method => &STOP,
            _ => continue,
        };
        case.hold(rule, excerpt(text));
        return;
    }
}

/// The code with the content of its strings and comments taken out.
fn without_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\'' | '"' | '`' => {
                code.push(character);
                while let Some(inner) = rest.next() {
                    if inner == '\\' {
                        rest.next();
                    } else if inner == character {
                        break;
                    }
                }
                code.push(character);
            }
            '/' if rest.peek() == Some(&'/') => {
                rest.by_ref().take_while(|inner| *inner != '\n').for_each(drop);
                code.push('\n');
            }
            _ => code.push(character),
        }
    }
    code
}

/// `curl -X DELETE` to a search engine's port, where every path is an index.
pub(crate) fn judge_request(method: &str, url: &str, call: &Invocation, case: &mut Case<'_>) {
    let is_engine = url.contains(":9200/") || url.ends_with(":9200");
    if is_engine && (method.eq_ignore_ascii_case("DELETE") || url.contains("_delete_by_query")) {
        // One document is not an index.
        let path = url.split_once(":9200").map_or("", |(_, path)| path);
        if path.contains("/_doc/") || path.contains("/_search/scroll") {
            return;
        }
        case.hold(&DROP, call.shown());
    }
}

/// What goes to memcached through netcat.
pub(crate) fn judge_lines(text: &str, case: &mut Case<'_>) {
    for line in text.lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if fits("flush_all", words.first().copied().unwrap_or_default()) {
            case.hold(&EMPTY, excerpt(line));
            return;
        }
        if let Some(rule) = redis_command(&words) {
            case.hold(rule, excerpt(line));
            return;
        }
    }
}
