//! What the program says about itself.

use crate::shell::{command, custos, fed, home};

/// Every command, as it is typed.
const COMMANDS: [&[&str]; 112] = [
    &["setup"],
    &["uninstall"],
    &["clients"],
    &["hook"],
    &["status"],
    &["doctor"],
    &["guard"],
    &["guard", "test"],
    &["guard", "rules"],
    &["guard", "add"],
    &["guard", "remove"],
    &["guard", "decisions"],
    &["guard", "log"],
    &["trust"],
    &["init"],
    &["kb"],
    &["kb", "context"],
    &["kb", "doctor"],
    &["kb", "status"],
    &["kb", "workspace"],
    &["decisions"],
    &["decisions", "list"],
    &["decisions", "show"],
    &["decisions", "add"],
    &["decisions", "archive"],
    &["memories"],
    &["memories", "list"],
    &["memories", "show"],
    &["memories", "add"],
    &["memories", "archive"],
    &["memories", "merge"],
    &["backlog"],
    &["backlog", "list"],
    &["backlog", "show"],
    &["backlog", "add"],
    &["backlog", "update"],
    &["questions"],
    &["questions", "list"],
    &["questions", "ask"],
    &["questions", "answer"],
    &["questions", "update"],
    &["plans"],
    &["plans", "list"],
    &["plans", "save"],
    &["oracle"],
    &["oracle", "show"],
    &["oracle", "scan"],
    &["handoff"],
    &["worklog"],
    &["worklog", "add"],
    &["close"],
    &["import"],
    &["import", "axme"],
    &["import", "instructions"],
    &["proposals"],
    &["proposals", "list"],
    &["proposals", "accept"],
    &["proposals", "drop"],
    &["mcp"],
    &["log"],
    &["log", "tail"],
    &["log", "show"],
    &["log", "append"],
    &["search"],
    &["timeline"],
    &["show"],
    &["memory"],
    &["memory", "show"],
    &["memory", "edit"],
    &["memory", "supersede"],
    &["memory", "pin"],
    &["memory", "unpin"],
    &["context"],
    &["why"],
    &["observations"],
    &["observations", "show"],
    &["summaries"],
    &["summaries", "show"],
    &["distill"],
    &["distill", "test"],
    &["worker"],
    &["worker", "run"],
    &["work"],
    &["work", "list"],
    &["work", "retry"],
    &["work", "redo"],
    &["work", "drop"],
    &["usage"],
    &["verify"],
    &["forget"],
    &["index"],
    &["index", "status"],
    &["index", "rebuild"],
    &["backup"],
    &["backup", "create"],
    &["backup", "list"],
    &["backup", "restore"],
    &["migrate"],
    &["fixtures"],
    &["fixtures", "record"],
    &["fixtures", "replay"],
    &["fixtures", "diff"],
    &["eval"],
    &["eval", "retrieval"],
    &["eval", "speed"],
    &["config"],
    &["config", "list"],
    &["config", "get"],
    &["config", "set"],
    &["config", "unset"],
    &["completions"],
    &["man"],
];

#[test]
fn the_first_page() {
    let ran = custos(&home(), &["--help"]);
    insta::assert_snapshot!(ran.stdout, @r"
One memory and one guard for every coding agent on this machine.

Custos keeps an append-only log of what coding agents do, an index to search it, and the proof that
nobody changed it. Everything is on this machine, in files that only you can read. No daemon, no
key, no download.

Usage: custos [OPTIONS] <COMMAND>

Commands:
  setup         Wire the coding agents on this machine and prove that everything works
  uninstall     Take our part out of the clients' files again
  clients       Show the clients: what each can do, and which are here
  status        Show what there is: events, index, backups, work that waits, where they are
  doctor        Check everything and say what to do about what is wrong
  guard         Ask the guard, see its rules and change them
  trust         Trust a cloned project's `.ai/`
  init          Begin the knowledge base of a project: its `.ai/`, what its files say, a preset
  kb            See what a session begins with, and check the knowledge base
  decisions     List, read, record and archive decisions
  memories      List, read, keep, merge and archive memories: what was corrected, and what works
                here
  backlog       List, read and change the tasks that outlive a session
  questions     List and answer the questions that agents left, or leave one
  plans         List and save plans of several steps
  oracle        Show what is known about the project as a whole, or scan it
  handoff       Show the handoff that the next session begins with
  worklog       Show what happened lately in this project, or add to the worklog
  close         Write the handoff for the next session, and the worklog
  import        Carry over what was kept elsewhere
  proposals     List, accept and drop what a scan or an import found
  mcp           Serve the knowledge base to an agent over standard input and output
  hook          Answer a hook of a client; installed by `setup`, called by the client
  fixtures      Record what hook commands are asked and answer, and check it later
  log           Read and write the event log
  search        Search prompts, observations, summaries and knowledge
  timeline      Show what happened around something, in the order of time
  show          Show memories whole: all they say, where they come from, and from which events
  memory        Correct memories: edit, replace, pin
  context       Show what a session is told at its start, or what one was told
  why           Say what a session was told without asking, and why
  observations  List what was learnt from the work, and show one of it whole
  summaries     List what turns and sessions came to, and show one whole
  distill       Try who makes memories of your work
  worker        Do what waits to be distilled; hooks start it, and it ends by itself
  work          See what waits to be distilled, and have it done again or dropped
  usage         Show what models took: calls, tokens, money, and what is left of today's budget
  verify        Prove that the log is what was written
  forget        Remove the content of events for good, with all that was derived from it
  index         Look after the index, which is derived from the log
  backup        Copy the log, list the copies, restore what is damaged
  migrate       Replay the log into a new directory in the current schema
  eval          Measure recall: how good it is, and how fast
  config        Read and change settings
  completions   Print a completion script for a shell
  man           Print the manual page
  help          Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version

Everywhere:
      --json
          Answer in JSON, for machines

Begin with `custos setup`. Each command has examples: `custos help log append`.
");
    assert_eq!(ran.code, 0);
}

#[test]
fn every_command_has_help_with_examples() {
    let home = home();
    for path in COMMANDS {
        let ran = custos(&home, &[path, &["--help"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{path:?}");
        assert!(ran.stdout.contains("Examples:"), "{path:?}\n{}", ran.stdout);
    }
}

#[test]
fn the_words_about_distilling_fit_a_terminal() {
    let about =
        ["setup", "status", "doctor", "work", "worker", "distill", "usage", "observations", "summaries"];
    for path in COMMANDS.iter().filter(|path| about.contains(&path[0])) {
        let ran = custos(&home(), &[*path, &["--help"]].concat());
        let ours = ran.stdout.split_once("Examples:").map_or("", |(_, ours)| ours);
        let long: Vec<&str> = ours.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(long, Vec::<&str>::new(), "{path:?}");
    }
}

/// The reference that people read without the program at hand.
#[test]
fn the_committed_reference_is_current() {
    let home = home();
    let mut page = String::from(
        "# Commands\n\nGenerated from the program's own help. Every command also takes `--json`.\n\n## Exit codes\n\n| code | meaning |\n|---:|---|\n",
    );
    let manual = custos(&home, &["man"]).stdout;
    let codes = manual.split(".SH \"EXIT CODES\"\n").nth(1).unwrap().split(".SH").next().unwrap();
    for entry in codes.split(".TP\n").skip(1) {
        let (code, meaning) = entry.trim_end().split_once('\n').unwrap();
        page.push_str(&format!("| {code} | {meaning} |\n"));
    }
    page.push_str("\nNever 2: clients read that as \"block\".\n");
    for path in COMMANDS {
        let help = custos(&home, &[path, &["--help"]].concat()).stdout;
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        page.push_str(&format!(
            "\n## custos {}\n\n```text\n{}\n```\n",
            path.join(" "),
            help.join("\n").trim_end()
        ));
    }
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    if std::env::var_os("CUSTOS_RENEW").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == page,
        "docs/commands.md is stale; renew it with\n  CUSTOS_RENEW=1 cargo test -p custos --test cli reference"
    );
}

#[test]
fn wrong_usage_is_64_and_never_2() {
    let home = home();
    for arguments in [
        &["frobnicate"][..],
        &["log"],
        &["log", "append", "--frob"],
        &["forget"],
        &["forget", "--session", "s", "--project", "p", "--reason", "r"],
        &["forget", "--session", "s"],
        &["forget", "--matching", "", "--reason", "r"],
        &["search"],
        &["search", "--since", "noon", "x"],
        &["search", "--kind", "tool.used", "x"],
        &["log", "show", "xyz"],
        &["man", "nonsense"],
        &["completions", "tcsh"],
        &[],
    ] {
        let ran = custos(&home, arguments);
        assert_eq!(ran.code, 64, "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
        let for_machines = custos(&home, &[arguments, &["--json"]].concat());
        let answer: serde_json::Value = serde_json::from_str(&for_machines.stdout).unwrap();
        assert_eq!((for_machines.code, &answer["code"]), (64, &serde_json::json!(64)), "{arguments:?}");
    }
}

#[rstest::rstest]
#[case::missing(&["proposals", "drop"], "not provided: <ID>...")]
#[case::allowed(&["backlog", "update", "B-1", "--status", "foo"], "[possible values: ")]
#[case::similar(&["proposals", "lst"], "unrecognized subcommand 'lst'")]
fn machines_are_told_what_is_missing_or_allowed(#[case] arguments: &[&str], #[case] said: &str) {
    let ran = custos(&home(), &[arguments, &["--json"]].concat());
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let (error, hint) = (answer["error"].as_str().unwrap(), answer["hint"].as_str().unwrap());
    assert!(error.contains(said) && !error.contains("Usage"), "{answer}");
    assert!(hint.ends_with("`--help` shows how it is used"), "{answer}");
    assert_eq!(hint.contains("similar"), said.ends_with("'lst'"), "{answer}");
}

#[test]
fn completions_and_manual_need_no_home() {
    let home = home();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = fed(command(&home, &["completions", shell]).env_clear(), b"");
        assert_eq!(ran.code, 0, "{shell}");
        assert!(ran.stdout.contains("custos") && ran.stdout.contains("rebuild"), "{shell}");
    }
    let ran = fed(command(&home, &["man"]).env_clear(), b"");
    assert_eq!(ran.code, 0);
    for text in [".TH custos", "EXIT CODES", "AI_MEMORY_PATH"] {
        assert!(ran.stdout.contains(text), "{text}");
    }
}

#[test]
fn colour_is_only_for_terminals_or_those_who_ask() {
    let home = home();
    let plain = custos(&home, &["setup"]);
    assert!(!plain.stdout.contains('\u{1b}'));
    let asked = fed(command(&home, &["setup"]).env("CUSTOS_OUTPUT_COLOR", "always"), b"");
    assert!(asked.stdout.contains('\u{1b}'));
}
