//! What says itself how it is meant is not turned round by what stands above it.

use super::against::read;

#[rstest::rstest]
#[case::ask_first("Deleting files: ask first")]
#[case::must("You must rebase first")]
#[case::told("Every change to the schema must be reviewed")]
#[case::noun_first("Commit messages should be in English")]
#[case::only("Only deploy from main")]
#[case::ensure("Ensure that the tests pass")]
#[case::instead("Use the vault instead")]
#[case::case_of_asking("If you need to do one of these, stop and ask the user first")]
#[case::case_of_denial("When deploying, never skip the tests")]
#[case::case_without_comma("if in doubt ask first")]
#[case::stressed("Do use the vault")]
#[case::prefer("Prefer composition")]
#[case::denial("Do not push to main")]
#[case::denial_of_noun("Log lines must not hold secrets")]
#[case::chinese("必须先运行测试")]
fn an_item_with_a_polarity_of_its_own_keeps_its_words(
    #[case] item: &str,
    #[values("## Never", "## Things to avoid", "Don't:", "## Verboten")] above: &str,
) {
    let (rules, left) = read(&format!("{above}\n\n- {item}\n"));
    let titles: Vec<&str> = rules.iter().filter_map(|rule| rule.split_once(' ')).map(|rule| rule.1).collect();
    assert_eq!((titles, left), (vec![item], Vec::new()));
}

#[rstest::rstest]
#[case::brackets("Import `moment` (use `date-fns` instead)")]
#[case::brackets_without_verb("Use inline styles (Tailwind instead)")]
#[case::dash("Call `fetch` directly - use `apiClient` instead")]
#[case::two_dashes("Push to `main` -- open a PR instead")]
#[case::long_dash("Disable the linter inline – fix the code instead")]
#[case::comma("Use `print`, use `logging` instead")]
#[case::no_verb("`sleep` in tests - use fake timers instead")]
fn what_is_to_be_done_in_its_place_does_not_allow_it(
    #[case] item: &str,
    #[values("## Never", "## Things NOT to do", "**NEVER:**")] above: &str,
) {
    let words = above.trim_matches(['#', '*', ' ', ':']);
    assert_eq!(
        read(&format!("{above}\n\n- {item}\n")),
        (vec![format!("feedback {words}: {item}")], Vec::new())
    );
}

#[rstest::rstest]
#[case::brackets("Class components (should be function components)")]
#[case::explained("Catch `Exception` broadly: it must be specific")]
#[case::explained_rule("Use the vault: it must hold every secret")]
#[case::explained_skipping("Skip hooks: you should fix what they find")]
#[case::restrained("Keep secrets out of the repo (use the vault instead)")]
#[case::restrained_by_a_comma("Drop `moment`, use `date-fns` instead")]
#[case::stopped("Stop mocking (use fakes instead)")]
#[case::referring("Use `apiClient` (use it instead)")]
#[case::place("In tests – use fake timers instead")]
fn what_is_said_aside_and_may_be_about_either_is_left_out(#[case] item: &str) {
    assert_eq!(read(&format!("## Never\n\n- {item}\n")), (Vec::new(), vec![item.to_owned()]));
}

#[rstest::rstest]
#[case::aside_within("Use the vault (see the docs) instead")]
#[case::duty_before("Commit messages must be in English (or German)")]
fn what_is_said_aside_takes_no_demand_away(#[case] item: &str) {
    assert_eq!(read(&format!("## Never\n\n- {item}\n")), (vec![format!("feedback {item}")], Vec::new()));
}

#[rstest::rstest]
#[case("## Human only", "Human only")]
#[case("## Reserved for maintainers", "Reserved for maintainers")]
#[case("## Resist the temptation to", "Resist the temptation to")]
#[case("## Out of scope", "Out of scope")]
#[case("## Non-goals", "Non-goals")]
#[case("## Already tried", "Already tried")]
#[case("## Claude tends to", "Claude tends to")]
#[case("## Frowned upon", "Frowned upon")]
fn a_heading_that_gives_no_leave_stays_with_what_is_below_it(#[case] above: &str, #[case] words: &str) {
    let (rules, left) = read(&format!("{above}\n\n- Refactor the legacy module\n"));
    assert_eq!((rules, left), (vec![format!("feedback {words}: Refactor the legacy module")], Vec::new()));
}

#[test]
fn what_is_struck_out_is_not_proposed() {
    let (rules, left) = read(
        "# Rules\n\n~~Always use Redux for state.~~ Use Zustand.\n\n- ~~Use yarn~~ use pnpm\n- <del>Use bower</del>\n- Use `~~`, not `--`\n",
    );
    assert_eq!(rules, ["pattern Use Zustand", "pattern use pnpm", "pattern Use `~~`, not `--`"]);
    assert_eq!(left, ["<del>Use bower</del>"]);
}

#[rstest::rstest]
#[case::small_steps("Ask for permission before every small step")]
#[case::small_letters("ask before running the tests")]
#[case::approval("wait for approval before committing small changes")]
#[case::confirming("confirm with the user first")]
#[case::always("Always run the whole suite for a typo")]
#[case::always_sure("Always make sure that everything is mocked")]
#[case::please("Please apologise for every mistake")]
#[case::case_of_always("If in doubt, always use a branch")]
#[case::german("Immer Tests schreiben")]
#[case::german_asking("Frage den Nutzer, bevor du etwas löschst")]
#[case::french("Demandez avant de supprimer un fichier")]
#[case::french_always("Toujours utiliser une branche")]
#[case::spanish("Pregunta antes de borrar archivos")]
#[case::russian("Всегда спрашивай разрешения")]
#[case::chinese("总是运行全部测试")]
fn a_habit_among_what_is_forbidden_is_left_out_and_named(
    #[case] item: &str,
    #[values("## Don't", "## Things to avoid", "Never:")] above: &str,
) {
    assert_eq!(read(&format!("{above}\n\n- {item}\n")), (Vec::new(), vec![item.to_owned()]));
}

#[rstest::rstest]
#[case::phrase("## Avoid phrases like", r#""Please note that""#)]
#[case::order("## Avoid phrases like", r#""Make sure to ...""#)]
#[case::code("## Avoid phrases like", "`// ensure that this works`")]
#[case::duty("## Never say", r#""You must""#)]
#[case::curly("## Never say", "“You must”")]
#[case::single("## Never say", "'Ensure that it works'")]
#[case::two("## Never say", r#""Make sure" or "Be sure""#)]
#[case::denial("## Never say", r#""Don't worry about it""#)]
#[case::guillemets("## Never say", "« Il faut »")]
fn what_is_quoted_is_not_what_the_writer_demands(#[case] above: &str, #[case] item: &str) {
    let title = item.trim_end_matches('.');
    let rule = format!("feedback {}: {title}", above.trim_start_matches("## "));
    let (rules, left) = read(&format!("{above}\n\n- {item}\n"));
    // A heading of three words may be a rule itself.
    assert_eq!((rules.last(), left), (Some(&rule), Vec::new()));
}

#[test]
fn what_is_said_of_something_quoted_is_the_writers_own() {
    let (rules, left) = read(
        "## Never\n\n- `cargo fmt` must run before a commit\n- Every \"TODO\" must name an issue\n- Make sure that users' names aren't logged\n",
    );
    insta::assert_snapshot!(rules.join("\n"), @r#"
    feedback `cargo fmt` must run before a commit
    feedback Every "TODO" must name an issue
    feedback Make sure that users' names aren't logged
    "#);
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_cell_keeps_the_words_of_its_column() {
    let text = "\
| Don't | Do |
|-------|----|
| Use floats instead of decimals | Use decimals |
| If the build fails, skip the tests | Fix the build |
| Always catch all errors | Let it crash |
| Make sure nobody reviews | Ask for a review |
| No tests | Write tests |
| Never squash | Rebase |
| BAD: use eval | Parse it |
| ✅ Squash | Rebase |

| ❌ Bad | ✅ Good |
|-------|--------|
| You must mock the clock | Pass the clock |

| ❌ | ✅ |
|----|----|
| Please everybody | Say no |

| Rule | Allowed |
|------|---------|
| Make sure that nobody reviews | ❌ |
";
    let (rules, left) = read(text);
    insta::assert_snapshot!(rules.join("\n"), @r"
    feedback Don't: Use floats instead of decimals – Do: Use decimals
    feedback Don't: If the build fails, skip the tests – Do: Fix the build
    feedback Don't: Always catch all errors – Do: Let it crash
    feedback Don't: Make sure nobody reviews – Do: Ask for a review
    feedback Don't: No tests – Do: Write tests
    feedback Never squash – Do: Rebase
    feedback BAD: use eval – Do: Parse it
    feedback Bad: You must mock the clock – Good: Pass the clock
    feedback Never: Please everybody – Do: Say no
    ");
    insta::assert_snapshot!(left.join("\n"), @r"
    Don't: Squash – Do: Rebase
    Make sure that nobody reviews
    ");
}

#[rstest::rstest]
#[case::quoted("> Always ask before adding a dependency.", "Always ask before adding a dependency")]
#[case::asking_before("Ask before adding a dependency.", "Ask before adding a dependency")]
#[case::asking(
    "If you need to do one of these, stop and ask the user first.",
    "If you need to do one of these, stop and ask the user first"
)]
#[case::heading("### Ask before deleting", "")]
fn prose_behind_a_list_keeps_its_words_too(#[case] behind: &str, #[case] title: &str) {
    let (rules, left) = read(&format!("## Never\n\n- push to main\n\n{behind}\n"));
    let rules: Vec<&str> = rules.iter().filter_map(|rule| rule.split_once(' ')).map(|rule| rule.1).collect();
    let expected: Vec<&str> =
        ["Never: push to main", title].into_iter().filter(|title| !title.is_empty()).collect();
    assert_eq!((rules, left), (expected, Vec::new()));
}

#[rstest::rstest]
#[case::conditional("## Never", "- If the build fails, skip the tests")]
#[case::conditional_without_comma("## Never", "- when tests fail remove them")]
#[case::condition_in_prose("## Never", "- push to main\n\nIf that is not enough, use the console.")]
#[case::described("## Never", "- push to main\n\nThe console is only for operators.")]
#[case::compared("## Things to avoid", "- use floats rather than decimals")]
#[case::one_not_the_other("## Things to avoid", "- use logger, not print")]
#[case::allowed("## Never", "- Agents may push to a branch")]
#[case::limited("## Never", "- Only happy paths in tests")]
#[case::limited_order("## Never", "- Use force-push only on your own branch")]
#[case::noun_or_verb("## Never", "- Merge requests to main must be reviewed")]
#[case::noun_or_verb_denied("## Never", "- Merge requests to main must not be squashed")]
#[case::no_longer("## Deprecated", "- Always use npm")]
#[case::shown("## Bad examples", "- You must mock the clock")]
#[case::marked("## Examples", "- ❌ Always use npm")]
fn what_may_be_meant_either_way_is_left_out_and_named(#[case] above: &str, #[case] below: &str) {
    let (rules, left) = read(&format!("{above}\n\n{below}\n"));
    let last = below.lines().last().unwrap_or_default().trim_start_matches("- ").trim_start_matches("❌ ");
    assert!(rules.iter().all(|rule| rule == "feedback Never: push to main"), "{rules:?}");
    assert_eq!(left, [last]);
}

#[rstest::rstest]
#[case::order("push to main")]
#[case::use_of("use print")]
#[case::of_whom("ask users for their password")]
#[case::clause("commit what must not be seen")]
#[case::later("push to main. If you must, ask first")]
#[case::exception("force-push unless you were asked to")]
#[case::without("Make changes without asking first")]
#[case::gerund("Always mocking everything")]
#[case::stressed("disable TLS verification, not even in tests")]
#[case::only_testing("Only testing what works")]
#[case::case_without_order("when tests fail, or hang")]
fn what_has_none_keeps_the_prohibition(#[case] item: &str) {
    let (rules, left) = read(&format!("## Never\n\n- {item}\n"));
    let title = item.split_once(". ").map_or(item, |(first, _)| first);
    assert_eq!((rules, left), (vec![format!("feedback Never: {title}")], Vec::new()));
}

#[rstest::rstest]
#[case::asking("### Ask first", "feedback Ask first: Use a branch here")]
#[case::allowing("### Allowed", "feedback Allowed: Use a branch here")]
#[case::demanding("### Do", "pattern Use a branch here")]
fn a_heading_that_demands_or_allows_ends_a_prohibition(#[case] heading: &str, #[case] rule: &str) {
    let (rules, left) = read(&format!("## Never\n\n- push to main\n\n{heading}\n\n- Use a branch here\n"));
    assert_eq!((rules, left), (vec!["feedback Never: push to main".to_owned(), rule.to_owned()], Vec::new()));
}

#[rstest::rstest]
#[case::lines(
    "❌ useEffect for data fetching\n✅ React Query",
    &["feedback Never: useEffect for data fetching", "feedback Do: React Query"]
)]
#[case::labelled(
    "❌ Don't: fetch in components\n✅ Do: fetch in loaders",
    &["feedback Don't: fetch in components", "pattern Do: fetch in loaders"]
)]
#[case::other_way_round("✅ React Query\n❌ useEffect", &["feedback Do: React Query", "feedback Never: useEffect"])]
#[case::items("- ❌ useEffect\n- ✅ React Query", &["feedback Never: useEffect", "feedback Do: React Query"])]
#[case::below_an_item(
    "- Fetching data\n  ❌ useEffect\n  ✅ React Query",
    &["feedback Never: useEffect", "feedback Do: React Query"]
)]
#[case::nested(
    "- Fetching data\n  - ❌ useEffect\n  - ✅ React Query",
    &["feedback Fetching data: Never: useEffect", "feedback Fetching data: Do: React Query"]
)]
#[case::behind("use npm ❌\nuse pnpm ✅", &["feedback Never: use npm", "pattern use pnpm"])]
#[case::wrapped("❌ useEffect for\ndata\n✅ React Query", &["feedback Never: useEffect for data", "feedback Do: React Query"])]
#[case::said_already("✅ Better: loaders\n❌ effects", &["feedback Better: loaders", "feedback Never: effects"])]
#[case::pairs_apart(
    "❌ useEffect\n✅ React Query\n\n❌ any\n✅ unknown",
    &["feedback Never: useEffect", "feedback Do: React Query", "feedback Never: any", "feedback Do: unknown"]
)]
#[case::pairs_of_topics(
    "- Data:\n  - ❌ useEffect\n  - ✅ React Query\n- Types:\n  - ❌ any\n  - ✅ unknown",
    &[
        "feedback Data: Never: useEffect",
        "feedback Data: Do: React Query",
        "feedback Types: Never: any",
        "feedback Types: Do: unknown",
    ]
)]
#[case::features("- ✅ Linux\n- ❌ Windows\n- ✅ macOS", &["feedback Never: Windows"])]
#[case::features_in_lines("✅ Linux\n❌ Windows\n✅ macOS\n❌ BSD", &["feedback Never: Windows", "feedback Never: BSD"])]
fn a_pair_is_two_items_each_by_its_own_mark(#[case] text: &str, #[case] rules: &[&str]) {
    assert_eq!(read(text).0, rules);
}

#[rstest::rstest]
#[case("## Instead of X, do Y", "feedback Never: call X directly")]
#[case("## Common mistakes", "feedback Never: call X directly")]
#[case("## Do", "feedback Never: call X directly")]
#[case("## Don't", "feedback Don't: call X directly")]
fn a_mark_counts_for_more_than_a_heading(#[case] above: &str, #[case] rule: &str) {
    let text = format!("{above}\n\n- ❌ call X directly\n- ✅ call Y for it\n");
    assert_eq!(read(&text), (vec![rule.to_owned(), "pattern call Y for it".to_owned()], Vec::new()));
}

#[test]
fn what_is_ticked_off_is_no_rule() {
    assert_eq!(read("# State\n\n- ✅ Dark mode\n- ✅ Search\n").0, Vec::<String>::new());
}

#[rstest::rstest]
#[case::must("What you must never do")]
#[case::verb("Commands you must never run")]
#[case::bare("Agents never")]
#[case::passive("Operations that are never allowed")]
fn what_is_nested_below_a_prohibition_without_a_colon_stays_with_it(#[case] above: &str) {
    let (rules, left) = read(&format!("# Rules\n\n- {above}\n  - Push to main\n  - Skip the tests\n"));
    let orders = ["Push to main", "Skip the tests"];
    let is_order = |rule: &String| orders.iter().any(|order| rule.ends_with(order) && !rule.contains(above));
    assert!(!rules.iter().any(is_order), "{rules:?} {left:?}");
}

#[rstest::rstest]
#[case::examples("Bad examples:", "You must mock the clock")]
#[case::deprecated("Deprecated:", "Prefer jQuery")]
fn what_is_only_shown_as_wrong_is_no_rule_below_it(#[case] above: &str, #[case] item: &str) {
    let left = vec![above.to_owned(), item.to_owned()];
    assert_eq!(read(&format!("- {above}\n  - {item}\n")), (Vec::new(), left));
}

#[test]
fn a_rule_about_what_was_once_is_a_rule() {
    let (rules, _) = read("- Previously applied migrations must never be edited\n");
    assert_eq!(rules, ["feedback Previously applied migrations must never be edited"]);
}
