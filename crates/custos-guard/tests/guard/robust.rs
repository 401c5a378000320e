//! Text that nobody would write: nothing panics, nothing hangs, and no bound is a way past the guard.
//!
//! Nothing here looks at a clock. A shape that cost more than its length would show by the test never ending; what is asserted is that the
//! guard's own bounds speak up: where it stops looking, it asks.

use custos_guard::fuzz;
use proptest::prelude::*;
use rstest::rstest;

use crate::scene::Scene;

const KILOBYTE: usize = 1024;

/// Just below the length up to which the guard looks at everything.
const LONG: usize = 255 * KILOBYTE;

/// Repeats a text up to a length.
fn fill(text: &str, length: usize) -> String {
    text.repeat(length / text.len())
}

/// The verdict about a command, by the rules that hold it.
fn rules(command: &str) -> Vec<String> {
    let scene = Scene::on(None);
    scene.guard().command(command).findings.into_iter().map(|finding| finding.rule.into_owned()).collect()
}

/// Shapes that cost a careless parser or walker the square of their length, or its stack.
#[rstest]
#[case::parentheses("(")]
#[case::closing_parentheses(")")]
#[case::braces("{ ")]
#[case::brace_lists("{a,")]
#[case::whole_brace_lists("{a,b}")]
#[case::substitutions("$(")]
#[case::arithmetic("$((")]
#[case::backticks("`")]
#[case::escaped_backticks("\\`")]
#[case::double_quotes("\"")]
#[case::quoted_substitutions("\"$(")]
#[case::parameters("${x:-")]
#[case::replacements("${x//")]
#[case::heredocs("<<A ")]
#[case::heredocs_on_lines("cat <<A\n")]
#[case::here_strings("<<< a ")]
#[case::process_substitutions("<(")]
#[case::ifs("if ")]
#[case::cases("case x in ")]
#[case::loops("for x in a; do ")]
#[case::functions("f() { ")]
#[case::arrays("a=(")]
#[case::tests("[[ ")]
#[case::pipes("a | ")]
#[case::lists("a && ")]
#[case::negations("! ")]
#[case::times("time ")]
#[case::assignments("x=a$x; ")]
#[case::globs("*?[a]")]
#[case::tildes("~/")]
#[case::backslashes("\\")]
#[case::continued_lines("\\\n")]
#[case::comments("#\n")]
#[case::returns("\r\n")]
#[case::nul("\0")]
#[case::invisible("\u{200b}")]
#[case::wide("é")]
#[case::evals("eval ")]
#[case::envs("env ")]
#[case::sudos("sudo ")]
#[case::wrappers("command nice -n 5 timeout 5 ")]
#[case::unknown_wrappers("frobnicate rm ")]
#[case::xargs("xargs ")]
#[case::finds("find . -exec ")]
#[case::shells("bash -c ")]
#[case::git("git -c a=b ")]
#[case::detours("../a/")]
#[case::sql("psql -c 'select 1' ")]
#[case::python("python3 -c 'f(' ")]
fn a_hostile_shape_is_judged(#[case] shape: &str) {
    rules(&fill(shape, LONG));
    // The same with something at its end: whatever comes out, it comes.
    rules(&(fill(shape, LONG) + "rm -rf ~"));
}

/// What grows by itself is stopped, and the person is asked.
#[rstest]
#[case::values("x=0123456789abcdef; ".to_owned() + &"x=$x$x$x$x$x$x$x$x; ".repeat(6) + "echo $x")]
#[case::functions((0..6).map(|n| format!("f{n}() {{ {} }}; ", format!("f{}; ", n + 1).repeat(12))).collect::<String>() + "f6() { ls; }; f0")]
#[case::length(fill("echo a; ", LONG + 2 * KILOBYTE))]
fn what_is_too_much_is_asked(#[case] command: String) {
    assert_eq!(rules(&command), ["shell.too-much"]);
}

#[test]
fn what_is_long_and_harmless_is_left_alone() {
    let line = "printf '%s\\n' \"a line of a file that somebody writes\" >> notes.txt\n";
    assert_eq!(rules(&fill(line, 64 * KILOBYTE)), [] as [&str; 0]);
    let heredoc = format!(
        "cat > notes.md <<'EOF'\n{}EOF\n",
        fill("- never run `rm -rf /` or git push --force\n", LONG - KILOBYTE)
    );
    assert_eq!(rules(&heredoc), [] as [&str; 0]);
}

/// However much harmless stuff stands in front, the danger behind it is held: by its own rule, or because there was too much.
#[rstest]
#[case::words(|n| format!("rm -rf {} ~", list(n, " ")))]
#[case::patterns(|n| format!("rm -rf {} ~", list(n, "* ")))]
#[case::files_to_read(|n| format!("cat {} ~/.ssh/id_rsa", list(n, " ")))]
#[case::braces(|n| format!("rm -rf {{{},/}}", list(n, ",")))]
#[case::braces_that_are_the_command(|n| format!("{{echo,{}}}; {{rm,-rf,{},/}}", list(n, ","), list(n, ",")))]
#[case::empty_braces(|n| format!("{{{}rm,-rf,/}}", ",".repeat(n)))]
#[case::loop_values(|n| format!("for x in {} ~; do rm -rf \"$x\"; done", list(n, " ")))]
#[case::array_elements(|n| format!("a=({} ~); rm -rf \"${{a[@]}}\"", list(n, " ")))]
#[case::arguments_of_a_function(|n| format!("f() {{ rm -rf \"$@\"; }}; f {} ~", list(n, " ")))]
#[case::commands(|n| format!("{}; rm -rf ~", list(n, "; ")))]
#[case::lines(|n| format!("{}\nrm -rf ~", list(n, "\n")))]
#[case::stages(|n| format!("{} | rm -rf ~", list(n, " | ")))]
#[case::assignments(|n| format!("{}; rm -rf ~", list(n, "=1; ")))]
#[case::assignments_in_front(|n| format!("{}=1 rm -rf ~", list(n, "=1 ")))]
#[case::redirections(|n| format!("{}rm -rf ~", "2>/dev/null ".repeat(n)))]
#[case::wrappers(|n| format!("{}rm -rf ~", "env ".repeat(n)))]
#[case::elevations(|n| format!("{}rm -rf ~", "sudo ".repeat(n)))]
#[case::evals(|n| format!("{}rm -rf ~", "eval ".repeat(n)))]
#[case::subshells(|n| format!("{}rm -rf ~{}", "( ".repeat(n), " )".repeat(n)))]
#[case::groups(|n| format!("{}rm -rf ~; {}", "{ ".repeat(n), "}; ".repeat(n)))]
#[case::substitutions(|n| format!("{}rm -rf ~{}", "echo $(".repeat(n), ")".repeat(n)))]
#[case::ifs(|n| format!("{}rm -rf ~; {}", "if true; then ".repeat(n), "fi; ".repeat(n)))]
#[case::loops(|n| format!("{}rm -rf ~; {}", "while true; do ".repeat(n), "done; ".repeat(n)))]
#[case::functions(|n| format!("{} f{n}() {{ rm -rf ~; }}; f0", (0..n).map(|i| format!("f{i}() {{ f{}; }};", i + 1)).collect::<String>()))]
#[case::aliases(|n| format!("shopt -s expand_aliases\n{}alias x{n}='rm -rf ~'\nx0", (0..n).map(|i| format!("alias x{i}=x{}\n", i + 1)).collect::<String>()))]
#[case::variables(|n| format!("x0=rm; {}$x{n} -rf ~", (0..n).map(|i| format!("x{}=$x{i}; ", i + 1)).collect::<String>()))]
#[case::heredocs(|n| format!("cat {}; rm -rf ~\n{}", "<<E ".repeat(n), "E\n".repeat(n)))]
#[case::git_options(|n| format!("git {}push --force origin main", "-c a.b=c ".repeat(n)))]
#[case::refspecs(|n| format!("git push origin {} +main", list(n, " ")))]
#[case::sql(|n| format!("psql -c '{}DROP TABLE users'", "select 1; ".repeat(n)))]
#[case::python(|n| format!("python3 -c 'import shutil\n{}shutil.rmtree(\"/\")'", "x = 1\n".repeat(n)))]
fn no_amount_hides_what_comes_after(#[case] shape: fn(usize) -> String) {
    let silent: Vec<_> = [1, 10, 60, 70, 250, 300, 1999, 2000, 2001, 5000]
        .into_iter()
        .filter(|n| rules(&shape(*n)).is_empty())
        .collect();
    assert_eq!(silent, [] as [usize; 0]);
}

/// Different names with something behind each but the last.
fn list(count: usize, joint: &str) -> String {
    (0..count).map(|n| format!("a{n}")).collect::<Vec<_>>().join(joint)
}

/// Pieces of which commands are made, dangerous ones among them.
const PIECES: &[&str] = &[
    "rm ",
    "-rf ",
    "~ ",
    "/ ",
    "./x ",
    "git ",
    "push ",
    "--force ",
    "origin ",
    "main ",
    "+main ",
    "echo ",
    "cat ",
    ".env ",
    "sudo ",
    "env ",
    "x=1 ",
    "eval ",
    "bash -c ",
    "xargs ",
    "find . ",
    "-exec ",
    "\\; ",
    "{} ",
    "+ ",
    "curl http://x ",
    "| ",
    "sh ",
    "|& ",
    "; ",
    "& ",
    "&& ",
    "|| ",
    "\n",
    "( ",
    ") ",
    "{ ",
    "} ",
    "$( ",
    "` ",
    "\" ",
    "' ",
    "$x ",
    "\"$x\" ",
    "${x:-rm} ",
    "${x/a/b} ",
    "$((1+1)) ",
    "<( ",
    "> ",
    ">> ",
    "< ",
    "2>&1 ",
    "<<E\n",
    "E\n",
    "<<< ",
    "for x in a b; ",
    "do ",
    "done ",
    "if ",
    "then ",
    "fi ",
    "while ",
    "case x in ",
    ") ;; ",
    "esac ",
    "f() { ",
    "f ",
    "function g ",
    "{a,b} ",
    "{1..9} ",
    "* ",
    "\\",
    "# ",
    "$'\\x72m' ",
    "python3 -c ",
    "perl -e ",
    "node -e ",
    "awk ",
    "psql -c ",
    "DROP TABLE x ",
    "docker run -v /:/h x ",
    "ssh h ",
    "timeout 5 ",
    "trap ",
    "EXIT ",
    "alias a=b ",
    "base64 -d ",
    "printf %s ",
    "export ",
    "read y ",
    "cd / ",
    "set -- a b ",
    "\"$@\" ",
    "${a[@]} ",
    "a=(b c) ",
    "é",
    "\u{200b}",
    "\0",
    "\r\n",
    "\t",
];

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(PIECES)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes(data in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz::parse(&data);
        fuzz::judge(&data);
        fuzz::code(&data);
        fuzz::rules(&data);
    }

    #[test]
    fn any_text(text in "\\PC{0,200}|[ -~\n]{0,200}") {
        fuzz::judge(text.as_bytes());
        fuzz::code(text.as_bytes());
        fuzz::rules(text.as_bytes());
    }

    #[test]
    fn anything_like_a_command(pieces in prop::collection::vec(piece(), 0..40)) {
        fuzz::judge(pieces.concat().as_bytes());
    }

    #[test]
    fn anything_like_a_command_over_and_over(pieces in prop::collection::vec(piece(), 1..6)) {
        let text = pieces.concat();
        fuzz::judge(fill(&text, (4 * KILOBYTE).max(text.len())).as_bytes());
    }

    #[test]
    fn anything_like_a_rules_file(lines in prop::collection::vec(
        "(deny|ask|allow|rules|packs|protected_branches|read_only|flags|  commands|  paths|  - [a-z* {}\"'-]{0,12}): ?[a-z*~/{}\\[\\]\"'&|>-]{0,12}", 0..12,
    )) {
        fuzz::rules(lines.join("\n").as_bytes());
    }

    /// A verdict does not depend on what was judged before, nor on whether it is explained.
    #[test]
    fn a_verdict_is_the_same_each_time(pieces in prop::collection::vec(piece(), 0..20)) {
        let (scene, text) = (Scene::on(None), pieces.concat());
        let first = scene.guard().command(&text);
        prop_assert_eq!(&first.findings, &scene.guard().explain(&text).findings);
        prop_assert_eq!(first, scene.guard().command(&text));
    }

    /// A dangerous command stays held, whatever whole commands stand around it.
    #[test]
    fn company_hides_nothing(before in company(), after in company(), joint in prop::sample::select(vec!["; ", "\n", " && ", " || ", " & ", " | "])) {
        let command = format!("{before}{joint}rm -rf ~{joint}{after}");
        prop_assert!(!rules(&command).is_empty(), "{}", command);
    }
}

/// Harmless commands.
fn company() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "ls -la",
        "echo 'it is'",
        "x=1",
        "cd src",
        "git status",
        "( true )",
        "{ true; }",
        "f() { true; }",
        "if true; then ls; fi",
        "for x in a b; do echo $x; done",
        "case x in x) ls;; esac",
        "[[ -n x ]]",
        "echo \"$(date)\"",
        "echo `date`",
        "cat < a > b",
        "true # rm",
        "trap 'ls' INT",
        "alias ll=ls",
        "set -e",
        "export A=b",
        "a=(1 2)",
        "(( 1 + 1 ))",
        "read x < y",
        "! false",
        "time ls",
    ])
    .prop_filter("a comment takes in the rest of its line", |text| !text.contains('#'))
}
