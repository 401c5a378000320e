//! Where a rule begins and ends, what its title keeps, and what is none.

use super::against::read;
use super::*;

#[rstest::rstest]
#[case::directory("Leave `__tests__/` alone")]
#[case::file("Keep `__init__.py` files empty")]
#[case::glob("Never edit `**/generated/**`")]
#[case::sentences("Run `make all; make test. Then wait` before a push")]
#[case::longer_run("Write ``a `__b__` c`` there")]
fn what_stands_in_code_stays_as_it_is(#[case] rule: &str) {
    assert_eq!((title_of(rule), without_marks(&format!("**{rule}**"))), (rule.to_owned(), rule.to_owned()));
    let (verb, rest) = rule.split_once(' ').unwrap();
    let told = format!("They {} {rest}", if verb == "Never" { "can" } else { "all" });
    assert_eq!(read(&format!("# Files\n\n**{told}**\n")), (Vec::new(), vec![told]));
}

#[rstest::rstest]
#[case::emphasis("**Never** push `a**b` to __main__", "Never push `a**b` to main")]
#[case::open_code("Use ` and **bold**", "Use ` and bold")]
#[case::around_code("**`__all__`** stays", "`__all__` stays")]
fn only_emphasis_is_taken_off(#[case] text: &str, #[case] plain: &str) {
    assert_eq!(without_marks(text), plain);
}

#[rstest::rstest]
#[case::behind("❌ **Never use `any`** in new code", "**Never use `any`** in new code")]
#[case::label("✅ **Always do:** run `make fmt`", "**Always do:** run `make fmt`")]
#[case::word("❌ **Don't** use inline styles", "**Don't** use inline styles")]
#[case::enclosed("**🚫 Never do:** commit state files", "**Never do:** commit state files")]
#[case::sign("**❌** Never squash", "Never squash")]
#[case::sign_and_word("**❌** **Never** squash", "**Never** squash")]
#[case::all("**❌ Never squash**", "**Never squash**")]
#[case::ended("**Never squash ❌**", "**Never squash**")]
#[case::sign_at_end("Never squash **❌**", "Never squash")]
#[case::file("❌ Never edit `__init__.py`", "Never edit `__init__.py`")]
#[case::name("✅ Use __init__ here", "Use __init__ here")]
fn a_mark_takes_no_half_of_the_emphasis_with_it(#[case] item: &str, #[case] text: &str) {
    let Sorted { rules, .. } = sorted("CLAUDE.md", &format!("# Code\n\n- {item}\n"));
    assert_eq!(rules.iter().map(|rule| rule.text.as_str()).collect::<Vec<_>>(), [text]);
}

#[test]
fn runs_of_backticks_are_read_once() {
    let runs: String = (1..900).map(|length| format!("{} ", "`".repeat(length))).collect();
    assert_eq!(without_marks(&runs), runs.trim());
}

fn told(text: &str) -> (Vec<String>, Vec<String>) {
    let Sorted { rules, passed_over } = sorted("CLAUDE.md", text);
    let rules = rules.iter().map(|rule| format!("{} | {} | {}", rule.title, rule.text, rule.more)).collect();
    (rules, passed_over.into_iter().map(|left| format!("{}: {}", left.file, left.what)).collect())
}

#[test]
fn what_is_nested_below_a_topic_is_each_a_rule() {
    let text = "\
# Notes

- Git
  - Never force-push
    to main
  - Squash commits
    - one for each change
- **Tests**:
  - Write tests against a real Postgres
  - The suite is slow
- Conventions:
  - Tests live beside the code as `*.test.ts`
- When adding a route:
  1. Add a test
  2. Update `routes.md`
- Use small commits
  - they are read
  - Never squash them
- Never commit secrets
  - use `git add -f`
  - Use the vault instead
";
    let (rules, left) = told(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    Git: Never force-push to main | Git: Never force-push to main | From CLAUDE.md, line 4, under “Notes › Git”.
    Git: Squash commits | Git: Squash commits
        - one for each change | From CLAUDE.md, line 6, under “Notes › Git”.
    Tests: Write tests against a real Postgres | Tests: Write tests against a real Postgres | From CLAUDE.md, line 9, under “Notes › Tests”.
    Tests live beside the code as `*.test.ts` | Tests live beside the code as `*.test.ts` | From CLAUDE.md, line 12, under “Notes › Conventions”.
    When adding a route: Add a test | When adding a route:
      1. Add a test
      2. Update `routes.md` | From CLAUDE.md, line 13, under “Notes”.
    Use small commits | Use small commits
      - they are read | From CLAUDE.md, line 16, under “Notes”.
    Never squash them | Never squash them | From CLAUDE.md, line 18, under “Notes › Use small commits”.
    Never commit secrets | Never commit secrets
      - use `git add -f` | From CLAUDE.md, line 19, under “Notes”.
    Use the vault instead | Use the vault instead | From CLAUDE.md, line 21, under “Notes › Never commit secrets”.
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    CLAUDE.md:3: Git
    CLAUDE.md:10: The suite is slow
    ");
}

#[test]
fn what_is_nested_below_a_prohibition_is_never_an_order() {
    let text = "\
## Never

- Git
  - push to main
  - Ask before you rebase
- drop a table
  - in production
  - truncate one
- In CI:
  - skip tests
  - Always use the lockfile

Don't:
- Keep going:
  - run at night

# Notes

- Don't:
  - run as root
  - run at night
  - Ask first
  - Ask before every step
- Never commit secrets
  - Always use the vault
";
    let (rules, left) = told(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    Git: Never: push to main | Git: Never: push to main | From CLAUDE.md, line 4, under “Never › Git”.
    Never: drop a table | Never: drop a table
      - in production
      - truncate one | From CLAUDE.md, line 6, under “Never”.
    Never: In CI: skip tests | Never: In CI:
      - skip tests | From CLAUDE.md, line 9, under “Never”.
    Don't: Keep going | Don't: Keep going:
      - run at night | From CLAUDE.md, line 14, under “Never”.
    Don't: run as root | Don't:
      - run as root
      - run at night | From CLAUDE.md, line 19, under “Notes”.
    Ask first | Ask first | From CLAUDE.md, line 22, under “Notes › Don't”.
    Never commit secrets | Never commit secrets
      - Always use the vault | From CLAUDE.md, line 24, under “Notes”.
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    CLAUDE.md:3: Git
    CLAUDE.md:5: Ask before you rebase
    CLAUDE.md:11: Always use the lockfile
    CLAUDE.md:23: Ask before every step
    ");
}

#[test]
fn a_rule_keeps_the_topic_that_it_stands_below_and_steps_stay_together() {
    let text = "\
# Style

- Python
  - Use 4 spaces
  - Strings
    - double quotes
- JavaScript
  - Use 2 spaces
- Imports
  - standard library first
  - then third party
- Naming conventions:
  - camelCase for functions
- Pages
  - Use `app/`
  - Next.js pages end in `.tsx`

# Notes

- Build steps:
  1. Install the dependencies
  2. Run `make all`
- Release
  1) Run the tests
  2) the tag
- Rules:
  1. Never squash
  2. names in English
- What everybody who works on any of the services agreed on in May in Bonn when all were there:
  - Use small commits
";
    let (rules, left) = told(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    Python: Use 4 spaces | Python: Use 4 spaces | From CLAUDE.md, line 4, under “Style › Python”.
    Python: Strings: double quotes | Python: Strings: double quotes | From CLAUDE.md, line 6, under “Style › Python › Strings”.
    JavaScript: Use 2 spaces | JavaScript: Use 2 spaces | From CLAUDE.md, line 8, under “Style › JavaScript”.
    Imports | Imports
      - standard library first
      - then third party | From CLAUDE.md, line 9, under “Style”.
    Naming conventions: camelCase for functions | Naming conventions: camelCase for functions | From CLAUDE.md, line 13, under “Style › Naming conventions”.
    Pages: Use `app/` | Pages: Use `app/` | From CLAUDE.md, line 15, under “Style › Pages”.
    Pages: Next.js pages end in `.tsx` | Pages: Next.js pages end in `.tsx` | From CLAUDE.md, line 16, under “Style › Pages”.
    Build steps | Build steps:
      1. Install the dependencies
      2. Run `make all` | From CLAUDE.md, line 20, under “Notes”.
    Release | Release
      1) Run the tests
      2) the tag | From CLAUDE.md, line 23, under “Notes”.
    Never squash | Never squash | From CLAUDE.md, line 27, under “Notes › Rules”.
    names in English | names in English | From CLAUDE.md, line 28, under “Notes › Rules”.
    Use small commits | Use small commits | From CLAUDE.md, line 30, under “Notes › What everybody who works on any of the services agreed on in May in Bonn…”.
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    CLAUDE.md:3: Python
    CLAUDE.md:5: Strings
    CLAUDE.md:7: JavaScript
    CLAUDE.md:14: Pages
    ");
}

#[test]
fn a_line_that_leads_to_another_list_ends_the_rules() {
    let text =
        "# Notes\n\n**Conventions**\n\n- camelCase names\n\nModules:\n\n- auth service\n- billing service\n";
    let (rules, left) = read(text);
    assert_eq!(
        (rules, left),
        (
            vec!["pattern camelCase names".to_owned()],
            vec!["auth service".to_owned(), "billing service".to_owned()]
        )
    );
}

#[rstest::rstest]
#[case::duty("Migrations must be reversible. That means:", "feedback Migrations must be reversible")]
#[case::prohibition("Never deploy on Fridays. Ours are:", "feedback Never deploy on Fridays")]
#[case::emphasis("**Never deploy on Fridays.** Ours are:", "feedback Never deploy on Fridays")]
#[case::emphasis_of_both("**Use `a.b. c`. That means:**", "pattern Use `a.b. c`")]
#[case::several("Deploys roll. Use UTC here. E.g. that:", "")]
#[case::clauses("Use UTC here; that means:", "pattern Use UTC here")]
#[case::abbreviated("Use UTC here, e.g. for:", "")]
#[case::statement("Deploys are rolling. That means:", "")]
fn what_is_said_before_a_lead_in_is_a_rule_if_it_is_one(#[case] lead: &str, #[case] rule: &str) {
    let (rules, left) = read(&format!("# Notes\n\n{lead}\n\n- columns\n"));
    let expected: Vec<&str> = [rule].into_iter().filter(|rule| !rule.is_empty()).collect();
    assert_eq!(
        (rules, left),
        (expected.iter().map(ToString::to_string).collect(), vec!["columns".to_owned()])
    );
    // What leads to code is named, but for what is a rule.
    let (rules, left) = read(&format!("# Notes\n\n{lead}\n\n```sh\nmake\n```\n"));
    assert_eq!((rules.len(), left.len()), (expected.len(), 1), "{rules:?} {left:?}");
}

#[rstest::rstest]
#[case::closing("<rules>\n- Always answer in English\n</rules>")]
#[case::with_attributes("<section id=\"a\">\n\n- Always answer in English\n</section></div>")]
#[case::self_closing("- Always answer in English\n<br/>")]
#[case::paragraph("<rules>\nAlways answer in English\n</rules>")]
#[case::quoted("> - Always answer in English\n> </rules>")]
fn a_line_of_tags_ends_what_is_before_it(#[case] text: &str) {
    assert_eq!(read(text), (vec!["feedback Always answer in English".to_owned()], Vec::new()));
}

#[test]
fn what_is_not_only_a_tag_goes_on() {
    let (rules, _) = read("- Always link to\n<https://example.com>\n- Always write\n<b>bold</b> so\n");
    assert_eq!(
        rules,
        ["feedback Always link to <https://example.com>", "feedback Always write <b>bold</b> so"]
    );
}

#[rstest::rstest]
#[case::past("We used to use Jenkins", false)]
#[case::past_team("The team used to use Jenkins", false)]
#[case::past_german("Früher haben wir Jenkins verwendet", false)]
#[case::answered("Is it OK to push to main? No", false)]
#[case::answered_with_an_order("Can I use npm? No, use pnpm", false)]
#[case::must_have("Must-have: dark mode", false)]
#[case::todo("TODO: describe deployment", false)]
#[case::todo_of_somebody("TODO(ann): describe deployment", false)]
#[case::nice("**Nice-to-have**: run it on Windows", false)]
#[case::beside("Tests live beside the code as `*.test.ts`", true)]
#[case::about_todos("TODO comments need an issue number", true)]
#[case::in_doubt("Unsure? Ask before you push", true)]
#[case::past_then_order("We used to use Jenkins. Use Actions", true)]
#[case::past_need("The service used to need a VPN", false)]
#[case::past_always("The team used to always squash", false)]
#[case::past_clause("The team used to say that tests must pass", false)]
#[case::past_we("We used to deploy what must be signed", false)]
#[case::participle_must("Every credential used to sign releases must live in the vault", true)]
#[case::participle_any("Any function used to parse input must validate it", true)]
#[case::participle_need("All scripts used to deploy need a dry run", true)]
#[case::participle_never("The key used to sign releases never leaves the vault", true)]
#[case::used_for("The linter is used to check names", true)]
#[case::question_in_code("Write `a? b` in types", true)]
fn a_statement_is_no_rule(
    #[case] item: &str,
    #[case] is_rule: bool,
    #[values("## Conventions\n\n", "# Code\n\nConventions:\n", "# Code\n\n**Conventions**\n\n")] above: &str,
) {
    let (rules, left) = read(&format!("{above}- {item}\n"));
    assert_eq!(
        (rules.len(), left.len()),
        (usize::from(is_rule), usize::from(!is_rule)),
        "{rules:?} {left:?}"
    );
}

#[test]
fn what_is_nested_below_an_essay_does_not_repeat_it() {
    let essay = "All that we know of gauges ".repeat(4_000);
    let text = format!("- {essay}:\n{}", "  - Use UTC for times\n".repeat(2_000));
    let Sorted { rules, .. } = sorted("CLAUDE.md", &text);
    assert_eq!((rules.len(), rules.iter().all(|rule| rule.more.len() < 200)), (2_000, true));
    assert_eq!(title_of(&"`. ` ".repeat(50_000)), format!("{}`. `…", "`. ` ".repeat(19)));
}
