//! git, as far as it only reads.
//!
//! A repository's settings name programs that git runs even for `git status`: file system monitors, filters, drivers for `diff`, pagers.
//! Nothing on the command line switches all of them off. So git is proven only where the repository is trusted, only there
//! ([`Scene::at_home`]), and without the options that would bring in programs, settings or files from elsewhere.

use std::borrow::Cow;

use super::explained;
use super::literal::Literal;
use super::program::{Operands, Program, Reading, check_revision};
use super::proof::Doubt;
use super::scene::Scene;

use Operands::{Names, None, Revisions, Text, TextThenFiles};

/// Options of everything that shows differences.
const DIFF: &str = "-abBpRsuwWz -U# -l# -M? -C? -S= -G= \
    --patch --no-patch --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --raw --check --color? \
    --no-color --color-words? --color-moved? --word-diff? --word-diff-regex= --unified? --minimal --patience --histogram \
    --diff-algorithm= --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines \
    --ignore-cr-at-eol --find-renames? --find-copies? --find-copies-harder --no-renames --diff-filter= --pickaxe-regex \
    --pickaxe-all --full-index --abbrev? --binary --relative? --no-relative --no-prefix --function-context \
    --inter-hunk-context= --submodule? --ignore-submodules? --exit-code --quiet --no-ext-diff --no-textconv --text \
    --compact-summary --patch-with-stat --patch-with-raw --ws-error-highlight= --stat-width# --combined-all-paths";
/// Options of everything that walks through history.
const LOG: &str = "-cgimqEFP -n# -L% \
    --oneline --graph --no-graph --decorate? --no-decorate --all --branches? --tags? --remotes? --since= --until= --after= \
    --before= --author= --committer= --grep= --invert-grep --all-match --merges --no-merges --first-parent --reverse \
    --follow --max-count# --skip# --format= --pretty? --date= --abbrev-commit --no-abbrev-commit --date-order \
    --topo-order --author-date-order --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry \
    --no-walk? --full-history --simplify-by-decoration --simplify-merges --ancestry-path? --boundary --parents --children \
    --not --cc --source --notes? --no-notes --walk-reflogs --regexp-ignore-case --extended-regexp --fixed-strings \
    --perl-regexp --clear-decorations --decorate-refs= --exclude= --glob= --relative-date --max-parents# --min-parents# \
    --count --merge";
/// `-5`.
const LIMIT: &str = "-#";
/// Options of everything that lists references.
const REFS: &str = "-i --sort= --format= --contains? --no-contains? --merged? --no-merged? --points-at= --column? \
    --no-column --color? --no-color --ignore-case";

static SUBCOMMANDS: &[Program] = &[
    Program::new(
        "status",
        &[
            "-sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? \
           --ignore-submodules? --ahead-behind --no-ahead-behind --renames --no-renames --column? --no-column",
        ],
        Revisions,
    ),
    Program::new("log", &[LIMIT, LOG, DIFF], Revisions).also(formats),
    Program::new("show", &[LIMIT, LOG, DIFF], Revisions).also(formats),
    Program::new("diff", &[DIFF, "-q --cached --staged --merge-base"], Revisions),
    Program::new(
        "rev-list",
        &[LIMIT, LOG, "--objects --timestamp --header --disk-usage? --no-object-names"],
        Revisions,
    )
    .also(formats),
    Program::new(
        "shortlog",
        &[LIMIT, "-snec -w? --summary --numbered --email --committer --group=", LOG],
        Revisions,
    )
    .also(formats),
    Program::new(
        "rev-parse",
        &[
            "-q --abbrev-ref? --short? --verify --quiet --show-toplevel --git-dir --absolute-git-dir --git-common-dir \
           --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-prefix --show-cdup \
           --show-superproject-working-tree --symbolic --symbolic-full-name --all --branches? --tags? --remotes? \
           --show-object-format? --git-path=",
        ],
        Revisions,
    ),
    Program::new(
        "branch",
        &["-arv --all --remotes --verbose --list --show-current --abbrev? --no-abbrev", REFS],
        Text,
    )
    .also(branch),
    Program::new("tag", &["-l -n? --list", REFS], Text).also(tag),
    Program::new("for-each-ref", &["--count# --exclude=", REFS], Text).also(formats),
    Program::new(
        "show-ref",
        &["-dqs --head --heads --branches --tags --hash? --abbrev? --dereference --quiet --verify"],
        Text,
    ),
    Program::new(
        "ls-files",
        &["-cdmoistuzkv -x= --cached --deleted --modified --others --ignored --stage --unmerged --killed \
           --exclude-standard --exclude= --error-unmatch --full-name --directory --no-empty-directory --eol --abbrev? \
           --deduplicate --recurse-submodules"],
        Names,
    ),
    Program::new(
        "ls-tree",
        &["-drtlz --name-only --name-status --object-only --full-name --full-tree --long --abbrev?"],
        Revisions,
    ),
    Program::new("cat-file", &["-ptse"], Revisions),
    Program::new(
        "blame",
        &[
            "-wcbeflnpst -L% -M? -C? --date= --since= --porcelain --line-porcelain --incremental --show-email --show-name \
           --show-number --root --first-parent --color-lines --color-by-age --ignore-rev=",
        ],
        Revisions,
    ),
    Program::new(
        "describe",
        &[
            "--tags --all --always --long --abbrev? --dirty? --match= --exclude= --exact-match --contains --candidates# \
           --first-parent",
        ],
        Revisions,
    ),
    Program::new("merge-base", &["-a --all --is-ancestor --fork-point --octopus --independent"], Revisions),
    Program::new("name-rev", &["--tags --name-only --refs= --exclude= --always --all"], Revisions),
    Program::new("symbolic-ref", &["-q --quiet --short --no-recurse"], Text).most(1),
    Program::new("count-objects", &["-vH --verbose --human-readable"], None),
    Program::new("check-ignore", &["-vnqz --verbose --non-matching --quiet --no-index"], Names),
    Program::new(
        "grep",
        &[
            "-EFGPHLWchilnopqvwz -# -e= -A# -B# -C# -m# --count --files-with-matches --files-without-match --name-only \
           --line-number --column --ignore-case --word-regexp --invert-match --only-matching --heading --break --and --or \
           --not --all-match --cached --max-depth# --color? --no-color --show-function --function-context \
           --extended-regexp --fixed-strings --perl-regexp --basic-regexp --full-name --quiet",
        ],
        TextThenFiles(&["e"]),
    )
    .also(searched),
    Program::new("version", &["--build-options"], None),
    Program::new("stash list", &[LIMIT, LOG, DIFF], Revisions).also(formats),
    Program::new("stash show", &[DIFF, "--include-untracked --only-untracked"], Revisions),
    Program::new("reflog", &[LIMIT, LOG, DIFF], Revisions).also(formats),
    Program::new("worktree list", &["-vz --verbose --porcelain"], None),
    Program::new("remote", &["-v --verbose"], None),
    Program::new("remote get-url", &["--all --push"], Text),
];

/// Proves that git only reads with these arguments.
pub(super) fn prove(args: &[Literal], scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if !scene.trusted {
        return Err(Doubt::known(
            "git runs programs that a repository names, and this project is not trusted",
        ));
    }
    let mut dir = Option::None;
    let mut rest = args;
    let (verb, args) = loop {
        rest = match rest {
            [option, after @ ..] if option.is("--no-pager") || option.is("--no-optional-locks") => after,
            [option, value, after @ ..] if option.is("-C") && dir.is_none() && !value.glob => {
                dir = Some(value.text.as_str());
                after
            }
            [only] if only.is("--version") => break ("version", [].as_slice()),
            [option, ..] if option.text.starts_with('-') => {
                return Err(explained::unlisted("git", &option.text));
            }
            [verb, after @ ..] if !verb.glob => break (verb.text.as_str(), after),
            _ => return Err(Doubt::known("`git` is given no subcommand")),
        }
    };
    if dir.is_some_and(str::is_empty) {
        return Err(Doubt::known("`git -C` is given no directory"));
    }
    scene.at_home(dir)?;
    let (name, args) = second_verb(verb, args)?;
    let Some(table) = SUBCOMMANDS.iter().find(|table| table.names == &*name) else {
        return Err(Doubt::new(format!("`git {name}` is not known to only read")));
    };
    let shown = format!("git {name}");
    table.prove(&shown, args, scene)?;
    scene.proof.programs.push(Cow::Owned(shown));
    Ok(())
}

/// Reads on where a subcommand has subcommands itself. Without one, some of them do something.
fn second_verb<'a>(verb: &'a str, args: &'a [Literal]) -> Result<(Cow<'a, str>, &'a [Literal]), Doubt> {
    let first = args.first().filter(|arg| !arg.text.starts_with('-'));
    match (verb, first) {
        ("stash" | "worktree", Some(second)) => {
            Ok((Cow::Owned(format!("{verb} {}", second.text)), &args[1..]))
        }
        ("stash", Option::None) => Err(Doubt::known("`git stash` takes the changes away")),
        ("remote", Some(second)) => Ok((Cow::Owned(format!("remote {}", second.text)), &args[1..])),
        ("reflog", Some(second)) if second.is("show") => Ok((Cow::Borrowed("reflog"), &args[1..])),
        ("reflog", Some(second)) => Ok((Cow::Owned(format!("reflog {}", second.text)), &args[1..])),
        _ => Ok((Cow::Borrowed(verb), args)),
    }
}

/// Formats that show signatures make git run a program that checks them.
fn formats(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    // Between the sign and its letter may stand how a value is set off from the text around it.
    let checks =
        |placeholder: &str| placeholder.strip_prefix(['+', '-', ' ']).unwrap_or(placeholder).starts_with('G');
    for format in read.values(&["format", "pretty", "sort", "group"]) {
        if format.split('%').skip(1).any(checks) || format.contains("signature") {
            return Err(Doubt::new(format!("`{format}` runs the program that checks signatures")));
        }
    }
    Ok(())
}

/// `git branch NAME` makes a branch, unless something else says that branches are listed.
fn branch(read: &Reading<'_>, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let lists = ["list", "contains", "no-contains", "merged", "no-merged", "points-at"];
    if !read.operands.is_empty() && !lists.into_iter().any(|option| read.has(option)) {
        return Err(Doubt::new(format!("`git branch {}` makes a branch", read.operands[0].text)));
    }
    formats(read, scene)
}

/// `git tag NAME` makes a tag.
fn tag(read: &Reading<'_>, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if !read.operands.is_empty() && !read.has("l") && !read.has("list") {
        return Err(Doubt::new(format!("`git tag {}` makes a tag", read.operands[0].text)));
    }
    formats(read, scene)
}

/// `git grep` searches revisions as well as files.
fn searched(read: &Reading<'_>, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let texts = usize::from(!read.has("e"));
    read.operands.iter().skip(texts).try_for_each(|operand| check_revision(&operand.text, scene))
}
