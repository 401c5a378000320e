use super::*;
use crate::testing::Desk;

const CLAUDE: &str = "\
---
description: of a client
---
# Tidewatch

Tidewatch collects levels of gauges.

## Rules

- Never push to main.
- **Always** run `cargo nextest run` before a commit; it takes a minute.
- Use UTC everywhere:
  - in the store
  - in the API
- src/ has the code
- What is a gauge?
1. Write tests against a real Postgres

Do not mock the clock. It hid a bug for weeks.

```sh
- Never in code
```

<!-- custos:begin -->
- Always call save_decision
<!-- custos:end -->

## AXME Code

- Always call axme_context

## Style

Keep lines short, and
wrap them at 100.
";

#[test]
fn rules_are_found_and_everything_else_is_not() {
    let Sorted { rules, passed_over } = sorted("CLAUDE.md", CLAUDE);
    let left: Vec<String> = passed_over.iter().map(|left| format!("{}: {}", left.file, left.what)).collect();
    assert_eq!(left, ["CLAUDE.md:15: src/ has the code", "CLAUDE.md:16: What is a gauge?"]);
    let rules: Vec<String> = rules
        .into_iter()
        .map(|rule| format!("{} | {} | {}", rule.wanted.word(), rule.title, rule.more))
        .collect();
    assert_eq!(
        rules,
        [
            "feedback | Never push to main | From CLAUDE.md, line 10, under “Rules”.",
            "feedback | Always run `cargo nextest run` before a commit | From CLAUDE.md, line 11, under “Rules”.",
            "pattern | Use UTC everywhere | From CLAUDE.md, line 12, under “Rules”.",
            "pattern | Write tests against a real Postgres | From CLAUDE.md, line 17, under “Rules”.",
            "feedback | Do not mock the clock | From CLAUDE.md, line 19, under “Rules”.",
            "pattern | Keep lines short, and wrap them at 100 | From CLAUDE.md, line 35, under “Style”.",
        ]
    );
}

#[test]
fn every_item_below_a_heading_about_rules_is_one() {
    let text = "- Tidewatch is small\n# Code style\n- Use tabs\n- Tests live in `tests/`, one file per module\n\n## YAML\n- 2 spaces in YAML\n- yes\n\n# Layout\n- The API is in Go\n\n### Naming conventions\n- Error messages end without a period\n";
    let Sorted { rules, passed_over } = sorted("AGENTS.md", text);
    let titles: Vec<&str> = rules.iter().map(|rule| rule.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Use tabs",
            "Tests live in `tests/`, one file per module",
            "2 spaces in YAML",
            "Error messages end without a period"
        ]
    );
    let left: Vec<String> = passed_over.iter().map(|left| format!("{}: {}", left.file, left.what)).collect();
    assert_eq!(
        left,
        ["AGENTS.md:1: Tidewatch is small", "AGENTS.md:8: yes", "AGENTS.md:11: The API is in Go"]
    );
}

#[test]
fn verbs_are_in_order() {
    assert!(VERBS.is_sorted());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test that makes its own files")]
fn rules_are_proposed_once() {
    let desk = Desk::repo();
    let root = desk.view().root.path;
    fs::write(root.join("CLAUDE.md"), "- Never push to main.\n- Always use UTC here.\n").unwrap();
    fs::write(root.join("AGENTS.md"), "- Never push to the main.\n").unwrap();
    let first = desk.base.propose_instructions(&desk.view(), &[]).unwrap();
    let file = |file: &str, rules| FileRead { file: file.to_owned(), rules };
    let expected = Instructions {
        files: vec![file("CLAUDE.md", 2), file("AGENTS.md", 1)],
        left: Vec::new(),
        passed_over: Vec::new(),
        staged: Staged { staged: vec!["P-001".to_owned(), "P-002".to_owned()], known: 1 },
    };
    assert_eq!(first, expected);
    let again = desk.base.propose_instructions(&desk.view(), &[]).unwrap();
    assert_eq!(again.staged, Staged { staged: Vec::new(), known: 3 });
}

#[test]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a test that makes its own files")]
fn a_link_is_one_file_inside_and_none_outside() {
    let desk = Desk::repo();
    let root = desk.view().root.path;
    fs::write(root.join("AGENTS.md"), "- Never push to main.\n").unwrap();
    std::os::unix::fs::symlink("AGENTS.md", root.join("CLAUDE.md")).unwrap();
    fs::write(desk.dir.path().join("private.md"), "- Never tell anybody this.\n").unwrap();
    std::os::unix::fs::symlink(desk.dir.path().join("private.md"), root.join("GEMINI.md")).unwrap();
    let read = desk.base.propose_instructions(&desk.view(), &[]).unwrap();
    let out =
        Remark { file: "GEMINI.md".to_owned(), what: "is a link that leads out of the project".to_owned() };
    assert_eq!(
        (read.files, read.left),
        (vec![FileRead { file: "CLAUDE.md".to_owned(), rules: 1 }], vec![out])
    );
}

#[expect(clippy::disallowed_methods, reason = "a test that makes its own files")]
fn import(desk: &Desk, text: &str) -> Instructions {
    fs::write(desk.view().root.path.join("CLAUDE.md"), text).unwrap();
    desk.base.propose_instructions(&desk.view(), &[]).unwrap()
}

fn waiting(desk: &Desk) -> Vec<String> {
    let proposed = desk.base.proposed(&desk.view()).items;
    proposed.iter().map(|kept| format!("{} | {}", kept.item.title, kept.item.text)).collect()
}

#[test]
fn rules_that_begin_alike_are_each_proposed() {
    let desk = Desk::repo();
    let text = "## Rules\n- Use small commits. In the api repo squash them.\n- Use small commits. In the web repo never squash.\n";
    assert_eq!(import(&desk, text).staged.staged, ["P-001", "P-002"]);
    let both = [
        "Use small commits | Use small commits. In the api repo squash them.",
        "Use small commits. In the web repo never squash | Use small commits. In the web repo never squash.",
    ];
    assert_eq!(waiting(&desk), both);
    assert_eq!(import(&desk, text).staged, Staged { staged: Vec::new(), known: 2 });
    // Once it is kept it is known, and another word makes it another rule.
    desk.base.accept(&desk.view(), "P-001").unwrap();
    desk.base.drop_proposed(&desk.view(), "P-002").unwrap();
    assert_eq!(import(&desk, text).staged, Staged { staged: Vec::new(), known: 2 });
    let changed = "## Rules\n- Use small commits. NEVER squash anywhere.\n- Use small commits.\n";
    assert_eq!(import(&desk, changed).staged, Staged { staged: vec!["P-003".to_owned()], known: 1 });
    assert_eq!(
        waiting(&desk),
        ["Use small commits. NEVER squash anywhere | Use small commits. NEVER squash anywhere."]
    );
}

#[test]
fn rules_that_are_alike_for_longer_than_a_title_are_each_proposed() {
    let desk = Desk::repo();
    let long = "Use small commits. ".to_owned() + &"They are read by people and by programs. ".repeat(4);
    let rules = ["One.", "Two.", "Three."].map(|end| format!("- {long}{end}\n"));
    assert_eq!(import(&desk, &rules.concat()).staged.staged, ["P-001", "P-002", "P-003"]);
    let titles: Vec<String> =
        waiting(&desk).iter().map(|line| line.split(" | ").next().unwrap_or_default().to_owned()).collect();
    assert_eq!(
        titles,
        [
            "Use small commits",
            "Use small commits. They are read by people and by programs. They are read by people and by programs.…",
            "Use small commits (2)",
        ]
    );
    assert_eq!(import(&desk, &rules.concat()).staged, Staged { staged: Vec::new(), known: 3 });
}

#[test]
fn a_rule_may_be_written_without_blanks() {
    let Sorted { rules, passed_over } =
        sorted("CLAUDE.md", "# Rules\n- 絶対にmainにpushしない\n- 不要直接推送到主分支\n- 是\n- yes\n");
    let titles: Vec<&str> = rules.iter().map(|rule| rule.title.as_str()).collect();
    assert_eq!(titles, ["絶対にmainにpushしない", "不要直接推送到主分支"]);
    let left: Vec<&str> = passed_over.iter().map(|left| left.what.as_str()).collect();
    assert_eq!(left, ["是", "yes"]);
}

#[rstest::rstest]
#[case(
    "When adding an endpoint, e.g. a route, add a test. It is read.",
    "When adding an endpoint, e.g. a route, add a test"
)]
#[case(
    "Prefer tabs vs. spaces, lines etc. in any file. Always.",
    "Prefer tabs vs. spaces, lines etc. in any file"
)]
#[case(
    "Use one client (i.e. the new one) everywhere; never two.",
    "Use one client (i.e. the new one) everywhere"
)]
#[case("Write tests for releases, etc.", "Write tests for releases, etc")]
#[case("mainに直接pushしない。必ずレビューを受ける。", "mainに直接pushしない")]
fn a_title_is_the_first_sentence(#[case] rule: &str, #[case] title: &str) {
    assert_eq!(title_of(rule), title);
}

#[test]
fn a_title_without_blanks_is_cut_as_well() {
    assert_eq!(title_of(&"規".repeat(150)), format!("{}…", "規".repeat(LONGEST_TITLE)));
}

#[test]
fn rules_may_be_in_other_languages() {
    let text = "\
# Заметки
- Никогда не пушить в main
- Сервис написан на Go
- `src/api/` это сервер, где живут ручки
- Да
- 提交前请先运行全部测试

# Hinweise
- Niemals nach main pushen
- Verwende für Zeiten immer UTC
- Schreibe kurze Sätze
- Das Programm ist klein

# Notes
- N'utilisez jamais de secrets dans les tests
- Utilisez des noms courts
- La base est petite

# Reglas
- Nombres cortos
";
    let Sorted { rules, passed_over } = sorted("CLAUDE.md", text);
    let rules: Vec<String> =
        rules.iter().map(|rule| format!("{}: {}", rule.wanted.word(), rule.title)).collect();
    assert_eq!(
        rules,
        [
            "pattern: Никогда не пушить в main",
            "pattern: Сервис написан на Go",
            "pattern: 提交前请先运行全部测试",
            "feedback: Niemals nach main pushen",
            "feedback: Verwende für Zeiten immer UTC",
            "pattern: Schreibe kurze Sätze",
            "feedback: N'utilisez jamais de secrets dans les tests",
            "pattern: Utilisez des noms courts",
            "pattern: Nombres cortos",
        ]
    );
    let left: Vec<&str> = passed_over.iter().map(|left| left.what.as_str()).collect();
    assert_eq!(
        left,
        ["`src/api/` это сервер, где живут ручки", "Да", "Das Programm ist klein", "La base est petite"]
    );
}
