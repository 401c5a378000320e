//! Rewritings of any script: it is put into something that runs it.

use super::quoting::{base64, double, single};

/// A script, ready to be put into something else.
pub(super) struct Whole<'t> {
    text: &'t str,
    /// The script with an end, so that a closing word can follow.
    body: String,
    /// The script as one command.
    unit: String,
}

impl<'t> Whole<'t> {
    /// Prepares a script; `simple` if it is a single plain command.
    pub(super) fn of(text: &'t str, simple: bool) -> Self {
        // A comment or a heredoc ends with its line, and no `;` may follow a `&` or another.
        let ends_with_line = text.contains(['\n', '#']) || text.contains("<<") || text.ends_with([';', '&']);
        let body = format!("{text}{}", if ends_with_line { "\n" } else { "; " });
        let unit = if simple { text.to_owned() } else { format!("{{ {body}}}") };
        Self { text, body, unit }
    }

    fn single(&self) -> String {
        single(self.text)
    }
}

/// A word that ends a heredoc; a text with it in it is not rewritten.
pub(super) const END: &str = "END_OF_REWRITTEN";

type Rewrite = fn(&Whole<'_>) -> String;

/// The rewritings by their names.
pub(super) static REWRITINGS: &[(&str, Rewrite)] = &[
    ("blanks around", |w| format!("  {}\n", w.text)),
    ("comment behind", |w| format!("{} # as agreed", w.unit)),
    ("comment in front", |w| format!("# as agreed\n{}", w.text)),
    ("subshell", |w| format!("( {})", w.body)),
    ("group", |w| format!("{{ {}}}", w.body)),
    ("subshell in a subshell", |w| format!("( ( {}) )", w.body)),
    ("after true &&", |w| format!("true && {}", w.unit)),
    ("after false ||", |w| format!("false || {}", w.unit)),
    ("before || true", |w| format!("{} || true", w.unit)),
    ("after ;", |w| format!("true; {}", w.unit)),
    ("after a line", |w| format!("true\n{}", w.text)),
    ("after &", |w| format!("true & {}", w.unit)),
    ("in the background", |w| format!("{} & wait", w.unit)),
    ("into a pipe", |w| format!("{} | cat", w.unit)),
    ("out of a pipe", |w| format!("true | {}", w.unit)),
    ("both streams into a pipe", |w| format!("{} |& cat", w.unit)),
    ("output thrown away", |w| format!("{} > /dev/null 2>&1", w.unit)),
    ("group with redirections", |w| format!("{{ {}}} 2>/dev/null </dev/null", w.body)),
    ("negated", |w| format!("! {}", w.unit)),
    ("timed", |w| format!("time {}", w.unit)),
    ("if: branch", |w| format!("if true; then {}fi", w.body)),
    ("if: condition", |w| format!("if {}then :; fi", w.body)),
    ("if: else", |w| format!("if false; then :; else {}fi", w.body)),
    ("while: condition", |w| format!("while {}do break; done", w.body)),
    ("until: condition", |w| format!("until {}do break; done", w.body)),
    ("while: body", |w| format!("while true; do {}break; done", w.body)),
    ("for: body", |w| format!("for once in 1; do {}done", w.body)),
    ("for with arithmetic: body", |w| format!("for ((i = 0; i < 1; i++)); do {}done", w.body)),
    ("case", |w| format!("case x in y) ;; x) {}esac", w.body)),
    ("after a test", |w| format!("[[ -n x ]] && {}", w.unit)),
    ("function", |w| format!("run_it() {{ {}}}; run_it", w.body)),
    ("function with its keyword", |w| format!("function run_it {{ {}}}\nrun_it", w.body)),
    ("function with a subshell", |w| format!("run_it() ( {}); run_it", w.body)),
    ("coprocess", |w| format!("coproc {{ {}}}; wait", w.body)),
    ("trap", |w| format!("trap {} EXIT", w.single())),
    ("eval", |w| format!("eval {}", w.single())),
    ("eval with double quotes", |w| format!("eval {}", double(w.text))),
    ("eval of a variable", |w| format!("script={}; eval \"$script\"", w.single())),
    ("eval of an output", |w| format!("eval \"$(echo {})\"", w.single())),
    ("bash -c", |w| format!("bash -c {}", w.single())),
    ("bash -c with double quotes", |w| format!("bash -c {}", double(w.text))),
    ("bash -c by its path", |w| format!("/bin/bash -c {}", w.single())),
    ("bash -c after options", |w| format!("bash --norc -x -c {}", w.single())),
    ("bash -c of a variable", |w| format!("script={}; bash -c \"$script\"", w.single())),
    ("bash in a bash", |w| format!("bash -c {}", single(&format!("bash -c {}", w.single())))),
    ("env bash -c", |w| format!("env bash -c {}", w.single())),
    ("here-string to bash", |w| format!("bash <<< {}", w.single())),
    ("heredoc to bash", |w| format!("bash <<'{END}'\n{}\n{END}", w.text)),
    ("heredoc to bash -s", |w| format!("bash -s <<\\{END}\n{}\n{END}", w.text)),
    ("heredoc through cat", |w| format!("cat <<'{END}' | bash\n{}\n{END}", w.text)),
    ("echo to bash", |w| format!("echo {} | bash", w.single())),
    ("printf to bash", |w| format!("printf '%s\\n' {} | bash -s", w.single())),
    ("base64 to bash", |w| format!("echo {} | base64 -d | bash", base64(w.text))),
    ("file for bash", |w| format!("bash <(echo {})", w.single())),
    ("file to source", |w| format!("source <(echo {})", w.single())),
    ("substitution", |w| format!("echo \"$( {})\"", w.body)),
    ("substitution in an assignment", |w| format!("output=$( {})", w.body)),
    ("backticks", |w| format!("output=`{}`", w.body.replace('\\', r"\\").replace('`', r"\`"))),
    ("substitution in a heredoc", |w| format!("cat <<{END}\n$( {})\n{END}", w.body)),
    ("substitution in a test", |w| format!("[[ -z \"$( {})\" ]]", w.body)),
    ("substitution in a default", |w| format!(": \"${{nothing:-$( {})}}\"", w.body)),
    ("file from a process", |w| format!("cat <( {})", w.body)),
];
