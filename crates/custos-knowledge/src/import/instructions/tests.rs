mod against;
mod given;
mod polarity;
mod shape;

use super::words::{PLAIN, STRONG, VERBS, WEAK};
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
    assert_eq!(
        left,
        [
            "CLAUDE.md:6: Tidewatch collects levels of gauges.",
            "CLAUDE.md:15: src/ has the code",
            "CLAUDE.md:16: What is a gauge?"
        ]
    );
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
    assert!(PLAIN.is_sorted());
    assert!(!STRONG.iter().any(|word| WEAK.contains(word)));
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
        withdrawn: Vec::new(),
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
#[case("Destructure imports (eg. `import { foo }`). Always.", "Destructure imports (eg. `import { foo }`)")]
#[case("Keep files under approx. 300 lines. Always.", "Keep files under approx. 300 lines")]
#[case("Node.js 20 is required, incl. in CI; no other.", "Node.js 20 is required, incl. in CI")]
#[case("Follow the U.S. date format. Always.", "Follow the U.S. date format")]
#[case("See docs/adr/No. 12 first. Always.", "See docs/adr/No. 12 first")]
#[case("Use the target, resp. the script. Always.", "Use the target, resp. the script")]
#[case("Keine Secrets im Code, z.B. Tokens. Immer.", "Keine Secrets im Code, z.B. Tokens")]
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
            "feedback: Никогда не пушить в main",
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

#[test]
fn what_tells_somebody_to_do_something_is_a_rule_wherever_it_stands() {
    let text = "\
# Tidewatch

> Never force-push.
> It breaks the clones of others.

> [!WARNING]
> All dates are in the zone of the port.

> A quotation of somebody.

| Rule | Why |
|------|-----|
| Do not edit generated files | They are made anew \\| daily |
| `make test` | Run the tests |
| PORT | required |

### Never deploy on Friday

Nobody is there on Saturday.

## Always

IMPORTANT: All times are UTC.

The program listens:

- **IMPORTANT**: Run migrations before tests
- If a test fails, fix the code and not the test.
- Before committing, run `make lint`.
- When adding a route, also add it to `routes.md`
- For database access use the repository classes.
- Please run the linter.
- **Commits**: keep them small
- `npm run build`: build the bundle
- For tests we use pytest
- Note that this is a tool
- Tests are slow. Run them before a push.
- Deploy from main
";
    let Sorted { rules, passed_over } = sorted("CLAUDE.md", text);
    let rules: Vec<String> = rules
        .iter()
        .map(|rule| format!("{} {}: {} | {}", rule.evidence, rule.wanted.word(), rule.title, rule.text))
        .collect();
    insta::assert_snapshot!(rules.join("\n"), @r"
    CLAUDE.md:3 feedback: Never force-push | Never force-push. It breaks the clones of others.
    CLAUDE.md:6 feedback: All dates are in the zone of the port | [!WARNING] All dates are in the zone of the port.
    CLAUDE.md:13 feedback: Do not edit generated files – They are made anew | daily | Do not edit generated files – They are made anew | daily
    CLAUDE.md:17 feedback: Never deploy on Friday | Never deploy on Friday
    CLAUDE.md:23 feedback: All times are UTC | IMPORTANT: All times are UTC.
    CLAUDE.md:27 feedback: Run migrations before tests | **IMPORTANT**: Run migrations before tests
    CLAUDE.md:28 pattern: If a test fails, fix the code and not the test | If a test fails, fix the code and not the test.
    CLAUDE.md:29 pattern: Before committing, run `make lint` | Before committing, run `make lint`.
    CLAUDE.md:30 pattern: When adding a route, also add it to `routes.md` | When adding a route, also add it to `routes.md`
    CLAUDE.md:31 pattern: For database access use the repository classes | For database access use the repository classes.
    CLAUDE.md:32 pattern: Please run the linter | Please run the linter.
    CLAUDE.md:33 pattern: Commits: keep them small | **Commits**: keep them small
    CLAUDE.md:36 pattern: Note that this is a tool | Note that this is a tool
    CLAUDE.md:37 pattern: Tests are slow | Tests are slow. Run them before a push.
    CLAUDE.md:38 pattern: Deploy from main | Deploy from main
    ");
    let left: Vec<String> = passed_over.iter().map(|left| format!("{}: {}", left.file, left.what)).collect();
    insta::assert_snapshot!(left.join("\n"), @r"
    CLAUDE.md:9: A quotation of somebody.
    CLAUDE.md:14: `make test` – Run the tests
    CLAUDE.md:15: PORT – required
    CLAUDE.md:19: Nobody is there on Saturday.
    CLAUDE.md:34: `npm run build`: build the bundle
    CLAUDE.md:35: For tests we use pytest
    ");
}

#[rstest::rstest]
#[case::must_have("Must-have features are listed in the wiki.", None)]
#[case::must_have_shouted("MUST-HAVE features are listed in the wiki.", None)]
#[case::rule_based("Rule-based engine for discounts.", None)]
#[case::critical_path("Critical-path code lives in core.", None)]
#[case::dash("Important - the clock is UTC.", Some("the clock is UTC"))]
#[case::long_dash("**Warning** — the clock is UTC.", Some("the clock is UTC"))]
#[case::colon("Critical: path names are lower case.", Some("path names are lower case"))]
#[case::by_default("By default the importer and the exporter use UTF-8.", None)]
#[case::in_production("In production the services run on Kubernetes.", None)]
#[case::for_most("For most customers the checkout calls run through Stripe.", None)]
#[case::with_each("With each release the team and the bots update the changelog.", None)]
#[case::after_each("After each release the bots update the changelog.", None)]
#[case::own_noun(
    "For the database use the repository classes.",
    Some("For the database use the repository classes")
)]
#[case::two_nouns("For the API and the worker use tokio.", Some("For the API and the worker use tokio"))]
#[case::linked("For access to the store use a lock.", Some("For access to the store use a lock"))]
#[case::doing(
    "Before opening a pull request run `make lint`.",
    Some("Before opening a pull request run `make lint`")
)]
#[case::clause(
    "If you change the schema run the migrations.",
    Some("If you change the schema run the migrations")
)]
#[case::clause_within(
    "For code that touches the clock write a test.",
    Some("For code that touches the clock write a test")
)]
#[case::purpose("To test the importer run `make it`.", Some("To test the importer run `make it`"))]
#[case::later_noun("The worker reads the queue. Log files go to S3.", None)]
#[case::later_order("The worker is slow. Run it before a push.", Some("The worker is slow"))]
#[case::later_case("The worker is slow. If it fails, fix the queue.", Some("The worker is slow"))]
#[case::later_german("Der Dienst ist langsam. Verwende die Warteschlange.", Some("Der Dienst ist langsam"))]
fn an_item_is_a_rule_if_it_tells_somebody_something(#[case] item: &str, #[case] title: Option<&str>) {
    let Sorted { rules, passed_over } = sorted("CLAUDE.md", &format!("# Tidewatch\n\n- {item}\n"));
    let titles: Vec<&str> = rules.iter().map(|rule| rule.title.as_str()).collect();
    assert_eq!((titles, passed_over.len()), (Vec::from_iter(title), usize::from(title.is_none())));
}

#[test]
fn a_rule_that_its_file_no_longer_says_is_withdrawn_while_it_waits() {
    let desk = Desk::repo();
    let view = desk.view();
    let text = "- Never push to main.\n- Always use UTC here.\n- Use small commits. Squash them.\n- Keep it short and sweet.\n- Write many tests.\n";
    assert_eq!(import(&desk, text).staged.staged, ["P-001", "P-002", "P-003", "P-004", "P-005"]);
    desk.base.drop_proposed(&view, "P-004").unwrap();
    let file = "local/proposals/P-005-write-many-tests.md";
    desk.put(file, desk.read(file).replace("Write many tests.", "Write many tests.\n\nSays Ann."));
    let changed = "- Never push to main or release.\n- Always use UTC here.\n- Use small commits. Never squash.\n- Write many tests.\n";
    let read = import(&desk, changed);
    assert_eq!(read.withdrawn, ["P-001"]);
    assert_eq!(read.staged, Staged { staged: vec!["P-006".to_owned(), "P-003".to_owned()], known: 2 });
    let after = [
        "Always use UTC here | Always use UTC here.",
        "Use small commits | Use small commits. Never squash.",
        "Write many tests | Write many tests.\n\nSays Ann.",
        "Never push to main or release | Never push to main or release.",
    ];
    assert_eq!(waiting(&desk), after);
    // A file that was not read says nothing about what came from it.
    let other = desk.dir.path().join("other.md");
    put(&other, "- Never tell anybody this.\n");
    let read = desk.base.propose_instructions(&view, std::slice::from_ref(&other)).unwrap();
    assert_eq!((read.withdrawn, read.staged.staged), (Vec::new(), vec!["P-007".to_owned()]));
    // One without any rule takes back all that came from it.
    assert_eq!(import(&desk, "Nothing.\n").withdrawn, ["P-002", "P-003", "P-005", "P-006"]);
    assert_eq!(import(&desk, text).staged.staged, ["P-001", "P-002", "P-003", "P-005"]);
}

#[test]
fn a_line_of_nothing_but_topics_is_an_essay() {
    let topics = "x: ".repeat(80_000);
    let shown = format!("{}x:", "x: ".repeat(26));
    for text in [topics.clone(), format!("- {topics}"), format!("# Never\n\n- ❌ {topics}")] {
        let Sorted { rules, passed_over } = sorted("AGENTS.md", &text);
        let left: Vec<&str> = passed_over.iter().map(|left| left.what.trim()).collect();
        assert_eq!((rules, left), (Vec::new(), vec![&*shown]));
    }
    let table = sorted("AGENTS.md", &format!("| Never | Rather |\n|---|---|\n| {topics} | wait |\n"));
    assert_eq!((table.rules.len(), table.passed_over.len()), (0, 1));
    let words = sorted("AGENTS.md", &"never ".repeat(40_000));
    assert_eq!((words.rules.len(), words.passed_over.len()), (0, 1));
}

#[test]
fn a_table_wider_than_anybody_reads_has_no_rules() {
    let head = format!("|{}\n|{}\n", "a|".repeat(50_000), "-|".repeat(50_000));
    let Sorted { rules, passed_over } = sorted("AGENTS.md", &format!("{head}{}", "|\n".repeat(20_000)));
    assert_eq!((rules, passed_over), (Vec::new(), Vec::new()));
    let of_width = |width: usize| {
        let (blanks, rule) = ("|".repeat(width), "-|".repeat(width));
        let Sorted { rules, passed_over } =
            sorted("AGENTS.md", &format!("{blanks} Never |\n|{rule}-|\n{blanks} push to main |\n"));
        (rules.into_iter().map(|rule| rule.title).collect::<Vec<_>>(), passed_over.len())
    };
    assert_eq!(of_width(32), (vec!["Never: push to main".to_owned()], 0));
    assert_eq!(of_width(33), (Vec::new(), 1));
}

#[expect(clippy::disallowed_methods, reason = "a test that makes its own files")]
fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}
