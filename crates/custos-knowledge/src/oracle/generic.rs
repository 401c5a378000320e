//! Words that every program uses, and that therefore say nothing about one.

/// Sorted. Verbs of programming, parts of names, kinds of things; not nouns that could be somebody's domain.
#[rustfmt::skip] // one word on a line would be 640 lines
const WORDS: &[&str] = &[
    "abort", "abstract", "accept", "accessor", "action", "actual", "adapter", "add", "after", "all", "and",
    "any", "api", "app", "append", "application", "apply", "arg", "args", "argument", "arguments", "array",
    "ascii", "ask", "assert", "assign", "async", "attr", "attribute", "attributes", "await", "back",
    "background", "bar", "base", "basic", "before", "begin", "behind", "below", "bench", "best", "bin",
    "bind", "bit", "bool", "boolean", "borrow", "buf", "buffer", "build", "builder", "button", "byte",
    "bytes", "cache", "cached", "call", "callback", "can", "cancel", "capacity", "case", "cfg", "change",
    "char", "check", "checked", "child", "children", "class", "clean", "clear", "cli", "client", "clone",
    "close", "cmd", "cmp", "code", "collect", "collection", "column", "columns", "command", "compare",
    "compile", "component", "compute", "concrete", "cond", "config", "configuration", "configure", "connect",
    "const", "construct", "constructor", "container", "contains", "content", "context", "control",
    "controller", "convert", "copy", "core", "count", "counter", "create", "current", "custom", "data",
    "date", "debug", "decode", "decoder", "def", "default", "defaults", "delete", "deref", "desc", "describe",
    "description", "deserialize", "destroy", "detail", "details", "dict", "dir", "directory", "disable",
    "dispatch", "display", "dispose", "div", "doc", "does", "done", "drop", "dto", "dummy", "dump", "each",
    "edit", "element", "else", "empty", "enable", "encode", "encoder", "end", "ends", "ensure", "entries",
    "entry", "enum", "env", "environment", "eof", "equal", "equals", "err", "error", "errors", "eval",
    "exception", "exec", "execute", "exists", "exit", "expand", "expect", "export", "expr", "ext", "extend",
    "extension", "extra", "extract", "factory", "fail", "failed", "failure", "fake", "false", "fetch",
    "field", "fields", "file", "files", "fill", "filter", "final", "find", "finish", "first", "flag", "flags",
    "flat", "float", "flush", "fmt", "fold", "folder", "foo", "for", "form", "format", "found", "from",
    "full", "func", "function", "generate", "generator", "generic", "get", "given", "global", "group",
    "guard", "handle", "handler", "handlers", "has", "hash", "head", "header", "headers", "height", "hello",
    "help", "helper", "helpers", "hidden", "hint", "hook", "http", "ident", "ids", "idx", "impl",
    "implementation", "impls", "import", "include", "index", "info", "init", "initialize", "inner", "input",
    "insert", "inside", "instance", "int", "integer", "internal", "into", "invalid", "invoke", "item",
    "items", "iter", "iterator", "join", "joined", "json", "keep", "key", "keys", "kind", "known", "label",
    "last", "layout", "left", "len", "length", "level", "lhs", "lib", "like", "limit", "line", "lines",
    "list", "listener", "load", "loader", "local", "lock", "log", "logger", "logging", "long", "look",
    "lookup", "loop", "lower", "main", "make", "manager", "map", "mapper", "mapping", "mark", "match",
    "matches", "max", "may", "merge", "message", "meta", "metadata", "method", "middleware", "min", "missing",
    "mock", "mod", "mode", "model", "models", "modify", "module", "more", "move", "must", "mut", "name",
    "named", "names", "needs", "nested", "new", "next", "nil", "node", "nodes", "non", "none", "not", "note",
    "nothing", "notify", "null", "num", "number", "obj", "object", "off", "offset", "old", "one", "only",
    "open", "operation", "opt", "option", "optional", "options", "other", "out", "outer", "output", "own",
    "owned", "page", "pair", "param", "parameter", "parameters", "params", "parent", "parse", "parsed",
    "parser", "part", "partial", "parts", "pass", "path", "paths", "peek", "perform", "ping", "plain",
    "point", "pop", "position", "post", "pre", "prefix", "prepare", "print", "private", "process",
    "processor", "program", "prop", "property", "props", "prove", "provider", "proxy", "ptr", "public",
    "push", "put", "query", "queue", "quoted", "raise", "random", "range", "raw", "read", "reader", "ready",
    "receive", "record", "ref", "refresh", "register", "registry", "remove", "render", "repeat", "replace",
    "repository", "request", "require", "required", "reset", "resolve", "resolver", "resource", "resp",
    "response", "rest", "restore", "result", "results", "ret", "retry", "return", "returns", "reverse", "rhs",
    "right", "root", "route", "router", "routes", "row", "rows", "rule", "run", "runner", "safe", "same",
    "save", "scan", "schema", "scope", "screen", "script", "sealed", "search", "second", "section", "seed",
    "select", "self", "send", "sender", "separator", "seq", "serialize", "serializer", "server", "service",
    "services", "set", "setter", "setting", "settings", "setup", "shape", "shared", "should", "show", "shown",
    "side", "simple", "single", "size", "skip", "slice", "some", "sort", "sorted", "source", "span", "spec",
    "split", "stack", "standard", "start", "state", "static", "status", "step", "steps", "stop", "storage",
    "store", "str", "strategy", "stream", "string", "strings", "strip", "struct", "stub", "style", "sub",
    "success", "suffix", "sum", "super", "support", "sync", "system", "table", "tag", "tags", "take",
    "target", "task", "tear", "tell", "tells", "temp", "template", "test", "tests", "text", "the", "their",
    "then", "this", "thread", "throw", "time", "timeout", "timestamp", "title", "tmp", "toggle", "token",
    "tokens", "tool", "tools", "top", "total", "trait", "transform", "traverse", "tree", "trigger", "trim",
    "true", "try", "tuple", "two", "type", "types", "uint", "unchecked", "unit", "unknown", "unset", "until",
    "update", "upper", "uri", "url", "usage", "use", "used", "using", "usize", "utf", "util", "utils", "uuid",
    "valid", "validate", "validator", "value", "values", "var", "variable", "vec", "vector", "verify",
    "version", "view", "views", "visit", "visitor", "void", "wait", "warn", "warning", "was", "when", "where",
    "which", "while", "whole", "width", "will", "window", "with", "within", "without", "word", "words",
    "work", "worker", "wrap", "wrapper", "write", "writer", "xml", "yaml", "yield", "zero",
];

/// Tells whether a word, in lower case, says nothing about a domain.
pub(super) fn is_generic(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::WORDS;

    #[test]
    fn words_are_sorted_for_the_search() {
        assert!(WORDS.is_sorted_by(|a, b| a < b));
    }
}
