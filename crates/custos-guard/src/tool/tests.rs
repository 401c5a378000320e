//! Inputs of tools that nobody described.

use rstest::rstest;
use serde_json::json;

use super::names::words;
use super::*;
use crate::rules::Policy;
use crate::world::{NoFiles, Own, World};

fn in_project(judge: impl Fn(&Guard<'_>) -> Judgement) -> Judgement {
    let (own, files, policy) = (Own::default(), NoFiles::default(), Policy::builtin());
    let world = World {
        home: Some("/home/user"),
        cwd: "/home/user/project",
        root: "/home/user/project",
        own: &own,
        files: &files,
    };
    judge(&Guard { world, policy: &policy })
}

fn judged(tool: &str, input: &Value) -> Judgement {
    in_project(|guard| guard.input(tool, input))
}

#[rstest]
#[case("mcp__box__exec", json!({"command": ["git", "commit", "-m", "rm -rf /"]}), false)]
#[case("mcp__fs__read_file", json!({"path": "/home/user/.ssh/id_rsa"}), true)]
#[case("mcp__fs__read_file", json!({"path": "src/main.rs"}), false)]
#[case("mcp__fs__read_multiple_files", json!({"paths": ["README.md", ".env"]}), true)]
#[case("mcp__fs__write_file", json!({"filePath": "/etc/hosts", "content": "x"}), true)]
#[case("mcp__fs__read_file", json!({"filePath": "/etc/hosts"}), false)]
#[case("mcp__fs__delete_directory", json!({"directory": "/home/user"}), true)]
#[case("mcp__box__exec", json!({"command": "rm -fr ~"}), true)]
#[case("mcp__box__exec", json!({"command": "ls"}), false)]
#[case("mcp__web__fetch", json!({"url": "https://example.org/.env", "source": "https://example.org/.env"}), false)]
#[case("mcp__notes__add", json!({"text": "rm -rf /", "title": ".env"}), false)]
#[case("mcp__fs__write_file", json!({"options": {"target_file": "file:///home/user/project/.claude/settings.json"}}), true)]
#[case("write_stdin", json!({"chars": "rm -rf ~\n"}), true)]
#[case("write_bash", json!({"input": "rm -rf ~{enter}"}), true)]
#[case("write_bash", json!({"input": "{down}{enter}"}), false)]
#[case("write_powershell", json!({"input": "rm -rf ~{enter}"}), true)]
#[case("mcp__box__exec", json!({"command": ["rm", "-rf", "/home/user"]}), true)]
#[case("mcp__box__exec", json!({"command": ["bash", "-lc", "rm -rf ~"]}), true)]
#[case("mcp__box__exec", json!({"command": ["ls", "-la"]}), false)]
#[case("mcp__box__exec", json!({"command": "rm", "args": ["-rf", "/home/user"]}), true)]
#[case("mcp__box__exec", json!({"argv": ["rm", "-rf", "/home/user"]}), true)]
#[case("mcp__box__exec", json!({"commands": ["ls", "rm -rf ~"]}), true)]
#[case("mcp__fs__read_file", json!({"path": " FILE:///home/user/.ssh/id_rsa\n"}), true)]
#[case("mcp__fs__read_file", json!({"path": "file:///home/user/%2essh/id_rsa"}), true)]
#[case("mcp__fs__read_file", json!({"path": "x://../../.ssh/id_rsa"}), true)]
#[case("mcp__web__open", json!({"url": "file:///home/user/.ssh/id_rsa"}), true)]
#[case("mcp__fs__transfer", json!({"from": "~/.ssh/id_rsa", "to": "x"}), true)]
#[case("mcp__mail__send", json!({"from": "a@example.org", "to": "b@example.org"}), false)]
#[case("mcp__fs__writefile", json!({"path": "/etc/hosts"}), true)]
#[case("mcp__fs__overwrite", json!({"path": "/etc/hosts"}), true)]
#[case("mcp__fs__manage", json!({"operation": "delete", "path": "/home/user"}), true)]
#[case("mcp__fs__file", json!({"mode": "w", "path": "/etc/hosts"}), true)]
#[case("mcp__fs__zap", json!({"path": ".claude/settings.json"}), true)]
#[case("mcp__fs__zap", json!({"path": "/etc/hosts"}), false)]
#[case("mcp__fs__read", json!({"path": ".claude/settings.json"}), false)]
#[case("mcp__fs__write_file", json!({"path": "/tmp/x/id_rsa"}), true)]
#[case("mcp__box__run", json!({"code": "import shutil; shutil.rmtree('/home/user')", "language": "python"}), true)]
#[case("mcp__box__run", json!({"code": "print(1)", "language": "python"}), false)]
#[case("mcp__box__run", json!({"code": "rm -rf ~", "language": "bash"}), true)]
#[case("mcp__web__search", json!({"query": "drop table users"}), false)]
#[case("Grep", json!({"pattern": ".", "glob": ".env", "output_mode": "content"}), true)]
#[case("Grep", json!({"pattern": ".", "glob": "{*.rs,.env}", "output_mode": "content"}), true)]
#[case("Grep", json!({"pattern": ".", "glob": "*.rs", "output_mode": "content"}), false)]
#[case("Grep", json!({"pattern": ".", "glob": "!.env", "output_mode": "content"}), false)]
#[case("Grep", json!({"pattern": ".", "glob": ".env"}), false)]
#[case("read_many_files", json!({"include": ["src/*.rs", "**/.env*"]}), true)]
#[case("search_file_content", json!({"pattern": ".", "include": ".env"}), true)]
#[case("grep_search", json!({"query": ".", "include_pattern": "**/id_rsa"}), true)]
fn inputs_of_unknown_tools(#[case] tool: &str, #[case] input: Value, #[case] held: bool) {
    let judgement = judged(tool, &input);
    assert_eq!(judgement.verdict().is_some(), held, "{judgement:?}");
}

#[test]
fn names_are_split_into_words() {
    assert_eq!(words("readTextFile_v2"), ["read", "text", "file", "v2"]);
    assert_eq!(words("HTTPGet"), ["httpget"]);
}

#[test]
fn sql_is_judged_as_sql() {
    let found = judged("mcp__db__execute", &json!({"sql": "DROP TABLE users"}));
    assert_eq!(found, in_project(|guard| guard.command("psql -c 'DROP TABLE users'")));
}

#[test]
fn what_is_too_large_is_asked_about() {
    let rules = |input: Value| -> Vec<String> {
        let findings = judged("mcp__x__y", &input).findings;
        findings.into_iter().map(|finding| finding.rule.into_owned()).collect()
    };
    let mut deep = json!("x");
    for _ in 0..9 {
        deep = json!([deep]);
    }
    assert_eq!(rules(deep), ["tool.unreadable"]);
    assert_eq!(rules(json!(vec!["x"; 4097])), ["tool.unreadable"]);
    assert_eq!(rules(json!(vec![1; 10000])), [""; 0]);
    assert_eq!(rules(json!({ "path": "/./".repeat(3000) })), ["tool.unreadable"]);
}
