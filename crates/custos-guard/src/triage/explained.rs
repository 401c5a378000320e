//! Why an option is not listed, for those that people wonder about.
//!
//! This decides nothing: an option that is missing here is doubted all the same, only with less to say.

use super::proof::Doubt;

/// Programs, their options, and what those do.
static DEEDS: &[(&str, &str, &str)] = &[
    ("sort", "-o --output", "writes a file"),
    ("sort", "--compress-program", "runs a program"),
    ("sort", "-T --temporary-directory", "writes files to a directory"),
    ("sort wc du", "--files0-from", "reads the files that another file names"),
    ("tree", "-o -R", "writes a file"),
    ("yq", "-i --inplace -s --split-exp", "writes files"),
    ("sed", "-i --in-place", "changes files"),
    ("sed jq", "-f --file --from-file", "takes its program from a file"),
    ("rg", "--pre --hostname-bin -z --search-zip", "runs a program"),
    ("rg", "-u --unrestricted -. --hidden --no-ignore -L --follow", "reads hidden, ignored or linked files"),
    ("grep egrep fgrep", "-R --dereference-recursive", "follows links out of the directory"),
    ("grep egrep fgrep", "-f --file", "takes its patterns from a file"),
    ("fd fdfind", "-x --exec -X --exec-batch -l --list-details", "runs a program"),
    ("date", "-s --set", "sets the clock"),
    ("date", "-f --file", "shows a file"),
    ("file", "-C --compile", "writes a file"),
    ("file", "-z -Z --uncompress", "runs a program"),
    ("xxd", "-r --revert", "writes a file"),
    ("ss", "-K", "kills connections"),
    (
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum shasum",
        "-c --check",
        "reads the files that another file names",
    ),
    ("tail", "-f -F --follow", "does not end by itself"),
    (
        "git log|git show|git diff|git shortlog|git blame|git rev-list|git stash list|git stash show|git reflog",
        "--output",
        "writes a file",
    ),
    (
        "git log|git show|git diff|git stash list|git stash show|git reflog",
        "--ext-diff --textconv --show-signature",
        "runs a program",
    ),
    ("git diff|git log|git show", "-O", "reads a file"),
    ("git grep", "-O --open-files-in-pager", "runs a program"),
    ("git cat-file", "--textconv --filters", "runs a program"),
    ("git branch", "-d -D --delete -m -M --move -c -C --copy -f --force", "changes branches"),
    ("git branch", "--edit-description", "runs an editor"),
    ("git tag", "-d --delete -a --annotate -s --sign -f --force -m -u", "changes tags"),
];

/// Doubts an option that is not listed.
pub(super) fn unlisted(program: &str, option: &str) -> Doubt {
    let deed = DEEDS.iter().find_map(|(programs, options, deed)| {
        let is_program = if programs.contains('|') || programs.starts_with("git ") {
            programs.split('|').any(|known| known == program)
        } else {
            programs.split(' ').any(|known| known == program)
        };
        (is_program && options.split(' ').any(|known| known == option)).then_some(*deed)
    });
    Doubt::new(format!("`{program} {option}` {}", deed.unwrap_or("is not known to only read")))
}

/// Doubts operands that are more than a program may have.
pub(super) fn too_many(program: &str, most: usize) -> Doubt {
    match (program, most) {
        ("uniq" | "xxd", _) => Doubt::new(format!("`{program}` writes to its second file")),
        ("hostname", _) => Doubt::known("`hostname` with a name sets it"),
        ("git symbolic-ref", _) => Doubt::known("`git symbolic-ref` with two names changes a reference"),
        _ => Doubt::new(format!("`{program}` has operands that are not known to only be read")),
    }
}
