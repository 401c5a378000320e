//! What is forbidden is never proposed as what is to be done.

use super::*;

/// The rules of a text, each with its kind, and what is left out.
pub(super) fn read(text: &str) -> (Vec<String>, Vec<String>) {
    let Sorted { rules, passed_over } = sorted("CLAUDE.md", text);
    for rule in &rules {
        let begins = |text: &str| text.split([':', ' ', '\n']).next().unwrap_or_default().to_owned();
        assert_eq!(begins(&rule.title), begins(&without_marks(&rule.text)), "{}", rule.text);
    }
    let rules = rules.iter().map(|rule| format!("{} {}", rule.wanted.word(), rule.title)).collect();
    (rules, passed_over.into_iter().map(|left| left.what).collect())
}

#[rstest::rstest]
#[case("## Never", "Never")]
#[case("## Don't", "Don't")]
#[case("### DON’T ###", "DON’T")]
#[case("### Forbidden", "Forbidden")]
#[case("## What not to do", "What not to do")]
#[case("## Anti-patterns", "Anti-patterns")]
#[case("## Bad", "Bad")]
#[case("## ❌ Bad examples", "Bad examples")]
#[case("## 🚫", "Never")]
#[case("## Git ❌", "Never")]
#[case("## Stop doing", "Stop doing")]
#[case("## Things that break the build", "Things that break the build")]
#[case("## Do not (ever)", "Do not (ever)")]
#[case("## Deprecated rules", "Deprecated rules")]
#[case("## Do not", "Do not")]
#[case("## DO NOT", "DO NOT")]
#[case("## Avoid", "Avoid")]
#[case("## Things to avoid", "Things to avoid")]
#[case("## Prohibited", "Prohibited")]
#[case("## Must not", "Must not")]
#[case("## Common mistakes", "Common mistakes")]
#[case("## Verboten", "Verboten")]
#[case("## Was man nicht tut", "Was man nicht tut")]
#[case("## Interdit", "Interdit")]
#[case("## À ne pas faire", "À ne pas faire")]
#[case("## Prohibido", "Prohibido")]
#[case("## Нельзя", "Нельзя")]
#[case("## 禁止事项", "禁止事项")]
#[case("Never\n-----", "Never")]
#[case("Don't\n=====", "Don't")]
#[case("Don't:", "Don't")]
#[case("**Never:**", "Never")]
#[case("**Never**:", "Never")]
#[case("**Don't**", "Don't")]
#[case("__Forbidden__", "Forbidden")]
#[case("Never", "Never")]
#[case("You must not:", "You must not")]
#[case("Avoid the following:", "Avoid the following")]
#[case("Avoid the following.", "Avoid the following")]
#[case("We had trouble. Never do any of these:", "Never do any of these")]
#[case("Please do NOT do this:", "Please do NOT do this")]
#[case("❌ Don't:", "Don't")]
#[case("❌", "Never")]
#[case("> **Never:**", "Never")]
fn what_is_below_a_prohibition_is_one(#[case] above: &str, #[case] words: &str) {
    let text = format!("{above}\n\n- push to main branch\n- use `git push --force`\n");
    let rules = ["push to main branch", "use `git push --force`"];
    assert_eq!(read(&text), (rules.map(|rule| format!("feedback {words}: {rule}")).to_vec(), Vec::new()));
    // A list may stand right below it.
    assert_eq!(read(&text.replace("\n\n- ", "\n- ")).0, read(&text).0);
}

#[test]
fn what_a_rule_says_is_said_in_full() {
    let Sorted { rules, .. } =
        sorted("CLAUDE.md", "## Never\n\n- **IMPORTANT**: push to main branch. It is live.\n");
    let told: Vec<(&str, &str)> =
        rules.iter().map(|rule| (rule.title.as_str(), rule.text.as_str())).collect();
    assert_eq!(
        told,
        [("Never: push to main branch", "Never: **IMPORTANT**: push to main branch. It is live.")]
    );
}

#[test]
fn headings_below_a_prohibition_inherit_it_and_a_sibling_ends_it() {
    let text = "\
## Never

- push to main

### Git

- use rebase

#### Instead

- use merge commits

### Database

- drop a table
- Never truncate a table
- commit what does not compile

Use the console.

## Do

- use pnpm here

## Never commit

- .env
- keys/private.pem
- Why not?

### Never deploy on Friday

- Nobody is there on Saturday

Nobody is there on Sunday either.

## Dos and Don'ts

- Use tabs here
- Don't use spaces

## Rules that you must not break

- Use UTC for times
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Never: push to main
    feedback Never: use rebase
    pattern use merge commits
    feedback Never: drop a table
    feedback Never truncate a table
    feedback Never: commit what does not compile
    feedback Never: Use the console
    pattern use pnpm here
    feedback Never commit: .env
    feedback Never commit: keys/private.pem
    feedback Never deploy on Friday
    feedback Never deploy on Friday: Nobody is there on Saturday
    pattern Use tabs here
    feedback Don't use spaces
    feedback Rules that you must not break: Use UTC for times
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    Why not?
    Nobody is there on Sunday either.
    ");
}

#[test]
fn a_lead_in_holds_for_its_list_only() {
    let text = "\
# Notes

Don't:

- use npm

  which is slow

- push to main

1. skip the tests

Use pnpm for everything.

- Use tabs here

Never:
- use yarn

Do:
- use small commits

**Forbidden**

In git:

- rebase main

In CI:

- skip tests

**Allowed**

- use merge commits

- Never:

  - call the API

- Keep it short
- Don't:
  - run as root
\t- run at night
- Do
  - run in a container

Never do this:

```sh
git push --force
```

- Use small branches
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Don't: use npm
    feedback Don't: push to main
    feedback Don't: skip the tests
    pattern Use pnpm for everything
    pattern Use tabs here
    feedback Never: use yarn
    pattern use small commits
    feedback Forbidden: rebase main
    feedback Forbidden: skip tests
    feedback Allowed: use merge commits
    feedback Never: call the API
    feedback Allowed: Keep it short
    feedback Don't: run as root
    feedback Allowed: Do: run in a container
    pattern Use small branches
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    which is slow
    Forbidden
    Never:
    Never do this:
    ");
}

#[test]
fn a_mark_says_how_an_item_is_meant() {
    let text = "\
# Examples

- ❌ use npm
- ✗ use yarn
- 🚫 Never use bower
- ⛔️ **force-push**
- :x: use grunt
- use gulp ❌
- ❌ **Bad:** use webpack
- BAD: use var here
- Wrong: use var there
- **Don't**: use eval
- ✅ use pnpm here
- GOOD: use const here
- ~~Use tabs here~~
- npm ❌ pnpm ✅

## Don't

- ❌ use npm
- ✅ use pnpm here
- Good: use pnpm always
- Instead, use pnpm everywhere
- Bad: use yarn
- You must never use bower
- Commits: never squash them
- No secrets in code
- merge what must not be merged
- stop the server by hand
- ❌ No tests at all
- 🚫 No force pushes

## Anti-patterns

- No tests at all
- Code is not tested
- Never push to main
- Avoiding reviews
- Always mocking everything

## Examples

- ❌ No tests at all
- 🚫 No force pushes
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Never: use npm
    feedback Never: use yarn
    feedback Never use bower
    feedback Never: force-push
    feedback Never: use grunt
    feedback Never: use gulp
    feedback Bad: use webpack
    feedback BAD: use var here
    feedback Wrong: use var there
    feedback Don't: use eval
    pattern use pnpm here
    pattern GOOD: use const here
    feedback Don't: use npm
    pattern use pnpm here
    feedback Good: use pnpm always
    pattern Instead, use pnpm everywhere
    feedback Bad: use yarn
    feedback You must never use bower
    feedback Commits: never squash them
    feedback No secrets in code
    feedback Don't: merge what must not be merged
    feedback Don't: stop the server by hand
    feedback No force pushes
    feedback Anti-patterns: No tests at all
    feedback Anti-patterns: Code is not tested
    feedback Never push to main
    feedback Anti-patterns: Avoiding reviews
    feedback Anti-patterns: Always mocking everything
    feedback No force pushes
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    ~~Use tabs here~~
    npm ❌ pnpm
    No tests at all
    No tests at all
    ");
}

#[test]
fn a_column_says_how_its_cells_are_meant() {
    let text = "\
| Do | Do not |
|----|--------|
| use pnpm | use npm |
| | use yarn |
| use tabs |  |

| Topic | ✅ Good | ❌ Bad | Why |
|---|---|---|---|
| Names | use words | Never use numbers | they say nothing |

Do | Don't
---|---
run tests | skip tests

| Rule | Allowed |
|------|---------|
| push to main | ❌ |
| push to a branch | ✅ |
| rebase a branch | no |

| Rule | web | api |
|------|-----|-----|
| use tabs | ✅ | ❌ |

## Avoid

| Call | Why |
|------|-----|
| use eval | unsafe |

| Instead of | Use |
|------------|-----|
| npm | pnpm |
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Do: use pnpm – Do not: use npm
    feedback Do not: use yarn
    feedback Do: use tabs
    feedback Names – Good: use words – Never use numbers – they say nothing
    feedback Do: run tests – Don't: skip tests
    feedback Never: push to main
    feedback Allowed: push to a branch
    feedback Never: rebase a branch
    feedback Avoid: use eval – unsafe
    feedback Instead of: npm – Use: pnpm
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    use tabs
    ");
}

#[test]
fn words_that_are_too_many_to_repeat_leave_the_item_out() {
    let lead = "In the parts of this project that are about money, and wherever else people might lose some, you must not:";
    assert_eq!(read(&format!("{lead}\n\n- use floats\n")), (Vec::new(), vec!["use floats".to_owned()]));
}

#[test]
fn a_proposal_without_its_prohibition_is_withdrawn() {
    let desk = Desk::repo();
    assert_eq!(import(&desk, "- push to main branch\n").staged.staged, ["P-001"]);
    let read = import(&desk, "## Never\n- push to main branch\n");
    assert_eq!((read.withdrawn, read.staged.staged), (vec!["P-001".to_owned()], vec!["P-002".to_owned()]));
    assert_eq!(waiting(&desk), ["Never: push to main branch | Never: push to main branch"]);
}

#[test]
fn what_is_commented_out_is_no_rule() {
    let text = "\
# Rules

- Use tabs here
<!-- - Use one line -->
<!--
- Use many lines here
## Never
-->
- Use pnpm here <!-- not
npm --> in CI
- Write `<!--` into the page
- Write `-->` behind it

```html
<!-- in code
```

- Keep it short

<!-- without an end

- Use this no longer
";
    assert_eq!(
        read(text),
        (
            [
                "Use tabs here",
                "Use pnpm here in CI",
                "Write `<!--` into the page",
                "Write `-->` behind it",
                "Keep it short"
            ]
            .map(|title| format!("pattern {title}"))
            .to_vec(),
            Vec::new()
        )
    );
}

#[test]
fn the_plainest_rules_are_taken_and_what_leads_to_code_is_named() {
    let text = "\
# Tidewatch

- Never force-push.
- Don't rebase.
- Squash commits.
- Squash merges
- Test data
- All endpoints need authentication.
- Changes to the API require a changelog entry.
- The project requires Node 20
- yes

Use `ruff`.

Always run it like this:

```sh
make all
```

Always run it with:

- a clean tree

Never run it as follows:
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Never force-push
    feedback Don't rebase
    pattern Squash commits
    pattern Squash merges
    pattern All endpoints need authentication
    pattern Changes to the API require a changelog entry
    pattern Use `ruff`
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    Test data
    The project requires Node 20
    yes
    Always run it like this:
    a clean tree
    Never run it as follows:
    ");
}
