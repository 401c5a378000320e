//! What stands below a condition or a permission is never proposed as an order.

use super::against::read;

#[rstest::rstest]
#[case("### Ask first", "Ask first")]
#[case("### ⚠️ Ask first", "Ask first")]
#[case("## Ask before", "Ask before")]
#[case("## Things to ask about before you do them", "Things to ask about before you do them")]
#[case("## Human approval required", "Human approval required")]
#[case("## Requires approval", "Requires approval")]
#[case("## Needs sign-off", "Needs sign-off")]
#[case("## Only in emergencies", "Only in emergencies")]
#[case("## Only when asked", "Only when asked")]
#[case("## Allowed without asking", "Allowed without asking")]
#[case("## Allowed", "Allowed")]
#[case("## ✅ Allowed", "Allowed")]
#[case("## Things you may do", "Things you may do")]
#[case("## Nur nach Rücksprache", "Nur nach Rücksprache")]
#[case("## Erst fragen", "Erst fragen")]
#[case("## Demander avant", "Demander avant")]
#[case("## Preguntar antes", "Preguntar antes")]
#[case("## Ohne Rückfrage erlaubt", "Ohne Rückfrage erlaubt")]
#[case("## Uniquement avec autorisation", "Uniquement avec autorisation")]
#[case("## Autorisé sans demander", "Autorisé sans demander")]
#[case("## Requiere aprobación", "Requiere aprobación")]
#[case("## Permitido sin preguntar", "Permitido sin preguntar")]
#[case("**Ask before:**", "Ask before")]
#[case("**Ask first**", "Ask first")]
#[case("**Ask before doing any of these**", "Ask before doing any of these")]
#[case("Only with my explicit permission:", "Only with my explicit permission")]
#[case("**Only with my explicit permission**", "Only with my explicit permission")]
#[case("You may:", "You may")]
#[case("You can:", "You can")]
#[case("The following actions need approval.", "The following actions need approval")]
#[case("We had trouble. Ask me first:", "Ask me first")]
#[case("> **Ask first:**", "Ask first")]
fn what_is_below_a_condition_keeps_it(#[case] above: &str, #[case] words: &str) {
    let text = format!("{above}\n\n- Push to main\n- Drop tables\n- Use `git push --force`\n");
    let rules = ["Push to main", "Drop tables", "Use `git push --force`"];
    assert_eq!(read(&text), (rules.map(|rule| format!("feedback {words}: {rule}")).to_vec(), Vec::new()));
}

#[rstest::rstest]
#[case::condition("## If the build fails", "If the build fails")]
#[case::lead("If the build fails:", "If the build fails")]
#[case::order("When you add a route, do the following:", "When you add a route, do the following")]
#[case::time("## Before a release", "Before a release")]
#[case::during("During an incident:", "During an incident")]
#[case::emergency("## In an emergency", "In an emergency")]
#[case::exception("Exceptions:", "Exceptions")]
#[case::optional("## Optional", "Optional")]
#[case::german("Bei Änderungen am Schema:", "Bei Änderungen am Schema")]
fn what_holds_in_a_case_says_in_which(#[case] above: &str, #[case] words: &str) {
    let (rules, left) = read(&format!("{above}\n\n- Run the tests again\n- the new lexer\n"));
    assert_eq!(
        (rules, left),
        (vec![format!("pattern {words}: Run the tests again")], vec!["the new lexer".to_owned()])
    );
}

#[test]
fn what_denies_itself_needs_no_permission_but_keeps_its_case() {
    let text = "\
## Ask first

- Never force-push
- ❌ Squash merges
- ✅ Rebase branches
- BAD: use eval
- Git
  - push to main
- Deleting files
  - in `src/`

Deletions are final.

Use the console.

## In an emergency

- Never deploy alone
- ❌ Squash merges
- Open a ticket

### Don't

- restart the database
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Never force-push
    feedback Never: Squash merges
    feedback Ask first: Rebase branches
    feedback BAD: use eval
    feedback Git: Ask first: push to main
    feedback Ask first: Deleting files
    pattern Ask first: Use the console
    feedback In an emergency: Never deploy alone
    feedback In an emergency: Never: Squash merges
    pattern In an emergency: Open a ticket
    feedback In an emergency: Don't: restart the database
    ");
    assert_eq!(left, ["Git", "Deletions are final."]);
}

#[test]
fn a_case_below_a_prohibition_is_forbidden_in_that_case() {
    let text = "\
## Never

If the build fails:

- skip the tests

Without approval:

- push to main

### When deploying

- edit the schema

**Forbidden**

During a freeze:

- merge branches

## Don't

Only with my permission:

- push to release
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Never: If the build fails: skip the tests
    feedback Never: Without approval: push to main
    feedback Never: When deploying: edit the schema
    feedback Forbidden: During a freeze: merge branches
    feedback Only with my permission: push to release
    ");
    assert_eq!(left, ["Forbidden"]);
}

#[test]
fn items_below_an_item_that_sets_a_condition_stay_with_it() {
    let text = "\
# Notes

- Ask first:
  - Push to main
  - Drop tables
- Only with my explicit permission
  - Push to release
- Requires approval
  - Publish packages
- Allowed
  - Run the tests
- When deploying
  - Use the script
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Ask first: Push to main
    feedback Only with my explicit permission: Push to release
    pattern Requires approval: Publish packages
    feedback Allowed: Run the tests
    pattern When deploying: Use the script
    ");
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_column_may_set_a_condition() {
    let text = "\
| Always | Ask first | Never |
|---|---|---|
| Run tests | Push to main | Drop tables |
| Use tabs | Delete files | |

| Allowed | Ask first |
|---|---|
| Run tests | Drop tables |
| | Never squash |

| Topic | Ask first |
|---|---|
| Git | Push to main |

| Action | Ask first | Allowed |
|---|---|---|
| Push to a branch | | ✅ |
| Push to main | ✅ | |
| Drop a table | ❌ | |
| Delete a file | | ❌ |

| Endpoint | Permission required |
|---|---|
| `/users` | admin |

| Setting | If unset |
|---|---|
| PORT | 80 |

## Ask first

| Call | Why |
|---|---|
| use eval | unsafe |
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Always: Run tests – Ask first: Push to main – Never: Drop tables
    feedback Always: Use tabs – Ask first: Delete files
    feedback Allowed: Run tests – Ask first: Drop tables
    feedback Never squash
    feedback Allowed: Push to a branch
    feedback Ask first: Push to main
    feedback Never: Delete a file
    feedback Ask first: use eval – unsafe
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    Git – Ask first: Push to main
    Drop a table
    `/users` – Permission required: admin
    PORT – 80
    ");
}

#[rstest::rstest]
#[case::only("**Only use pnpm here**", "feedback Only use pnpm here")]
#[case::condition("**When deploying, use the script**", "pattern When deploying, use the script")]
#[case::asking("Ask before adding a dependency.", "pattern Ask before adding a dependency")]
fn a_rule_that_has_a_condition_leads_to_nothing(#[case] above: &str, #[case] rule: &str) {
    let (rules, left) = read(&format!("{above}\n\n- Use tabs here\n"));
    assert_eq!((rules, left), (vec![rule.to_owned(), "pattern Use tabs here".to_owned()], Vec::new()));
}

#[test]
fn words_that_are_too_many_to_repeat_leave_out_what_they_are_about() {
    let lead =
        "If you change one of the parts of this project that are about money, or wherever people lose some:";
    assert_eq!(read(&format!("{lead}\n\n- use floats\n")), (Vec::new(), vec!["use floats".to_owned()]));
}

#[test]
fn an_essay_of_a_condition_is_not_repeated() {
    for above in ["## If", "## Never", "If"] {
        let essay = format!("{above} {}:\n\n{}", "the gauge ".repeat(6_000), "- use it\n".repeat(5_000));
        assert_eq!(read(&essay).0, Vec::<String>::new());
    }
}
