//! What a table of options cannot say: programs with a language of their own, and options that change what operands are.

use super::explained;
use super::literal::Literal;
use super::narrow;
use super::program::{Reading, is_number};
use super::proof::Doubt;
use super::scene::Scene;

/// `cd DIR`, for what comes after it.
pub(super) fn cd(args: &[Literal], scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let [dir] = args else {
        return Err(Doubt::known("`cd` leads to where the text does not say"));
    };
    if dir.glob || dir.text.starts_with('-') {
        return Err(Doubt::new(format!("`cd {}` leads to where the text does not say", dir.text)));
    }
    scene.enter(&dir.text)
}

/// `echo`, `true` and their like, which do no more with their words than print them. A pattern shows names.
pub(super) fn echo(args: &[Literal], scene: &mut Scene<'_>) -> Result<(), Doubt> {
    args.iter().filter(|arg| arg.glob).try_for_each(|arg| scene.name(&arg.text))
}

/// `printf`, unless it sets a variable. Some shells compute the numbers it prints, and a computation can run commands.
pub(super) fn printf(args: &[Literal], _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let (args, dashes) = match args {
        [dashes, rest @ ..] if dashes.is("--") => (rest, true),
        _ => (args, false),
    };
    if let Some(first) = args.first()
        && first.text.starts_with('-')
        && !dashes
    {
        return Err(if first.text.starts_with("-v") {
            Doubt::known("`printf -v` sets a variable")
        } else {
            explained::unlisted("printf", &first.text)
        });
    }
    if let Some(arg) = args.iter().find(|arg| arg.glob || arg.text.contains(['$', '`'])) {
        return Err(Doubt::new(format!("`printf` may compute `{}`", arg.text)));
    }
    let format = args.first().map_or("", |format| &format.text).replace("%%", "");
    let sets = |conversion: &str| {
        conversion
            .trim_start_matches(|c: char| c.is_ascii_digit() || "#-+ .*'hljzt".contains(c))
            .starts_with('n')
    };
    if format.split('%').skip(1).any(sets) {
        return Err(Doubt::known("`printf %n` sets a variable"));
    }
    Ok(())
}

/// `command -v NAME`, which only looks where a program is.
pub(super) fn command(args: &[Literal], _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    match args {
        [option, names @ ..]
            if (option.is("-v") || option.is("-V")) && names.iter().all(|name| !name.glob) =>
        {
            Ok(())
        }
        _ => Err(Doubt::known("`command` runs a program")),
    }
}

/// `npm ls`.
pub(super) fn npm(args: &[Literal], scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let listing = |arg: &Literal| {
        !arg.glob
            && (!arg.text.starts_with('-')
                || ["-g", "--global", "--all", "-a", "--json", "--long", "-l", "--parseable"]
                    .contains(&&*arg.text)
                || arg.text.strip_prefix("--depth=").is_some_and(is_number))
    };
    match args {
        [verb, rest @ ..] if (verb.is("ls") || verb.is("list")) && rest.iter().all(listing) => {
            chosen_by_project(scene)
        }
        _ => Err(Doubt::known("`npm` may run what the project says")),
    }
}

/// Proves a call of a tool chain. Which one that is, a file of the project may say, and it may lie in the project itself.
pub(super) fn chosen_by_project(scene: &Scene<'_>) -> Result<(), Doubt> {
    if scene.trusted {
        scene.at_home(None)
    } else {
        Err(Doubt::known("a project can choose its own tools, and this one is not trusted"))
    }
}

/// `docker ps`, `docker images`, `docker version`: they only ask the daemon.
pub(super) fn docker(args: &[Literal], _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let plain =
        ["-a", "--all", "-q", "--quiet", "-l", "--latest", "-s", "--size", "--no-trunc", "--digests", "-aq"];
    let known = |arg: &Literal| {
        plain.iter().any(|option| arg.is(option))
            || !arg.glob && (arg.text.starts_with("--format=") || arg.text.starts_with("--filter="))
    };
    let Some((verb, mut rest)) = args.split_first() else {
        return Err(Doubt::known("`docker` alone does nothing"));
    };
    if !["ps", "images", "version"].iter().any(|known| verb.is(known)) {
        return Err(explained::unlisted("docker", &verb.text));
    }
    loop {
        rest = match rest {
            [] => return Ok(()),
            [option, value, after @ ..]
                if ["--format", "--filter", "-f"].iter().any(|known| option.is(known)) && !value.glob =>
            {
                after
            }
            [option, after @ ..] if known(option) => after,
            [other, ..] => return Err(explained::unlisted("docker", &other.text)),
        };
    }
}

/// Tests and actions of `find` that take nothing.
static FIND_PLAIN: &[&str] = &[
    "!",
    "(",
    ")",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-ls",
    "-mount",
    "-not",
    "-nogroup",
    "-noleaf",
    "-nouser",
    "-nowarn",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];
/// Those that take a word.
static FIND_TAKING: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-newerat",
    "-newerct",
    "-newermt",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-user",
    "-wholename",
    "-xtype",
];

/// `find`, which shows names unless its expression does something with them.
pub(super) fn find(args: &[Literal], scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let mut args = args.iter().peekable();
    while args.next_if(|arg| arg.is("-H") || arg.is("-L") || arg.is("-P")).is_some() {}
    while let Some(dir) = args.next_if(|arg| !arg.text.starts_with('-') && !matches!(&*arg.text, "!" | "(")) {
        if dir.is_leading_glob() {
            return Err(Doubt::new(format!(
                "`{}` may match a name that `find` takes for an action",
                dir.text
            )));
        }
        scene.name(&dir.text)?;
    }
    while let Some(arg) = args.next() {
        if FIND_PLAIN.iter().any(|known| arg.is(known)) {
            continue;
        }
        if !FIND_TAKING.iter().any(|known| arg.is(known)) {
            return Err(match &*arg.text {
                "-delete" => Doubt::known("`find -delete` deletes"),
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    Doubt::new(format!("`find {}` runs a program", arg.text))
                }
                "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                    Doubt::new(format!("`find {}` writes a file", arg.text))
                }
                other => explained::unlisted("find", other),
            });
        }
        match args.next() {
            Some(value) if value.glob => {
                return Err(Doubt::new(format!(
                    "`{}` is replaced by names before `find` sees it",
                    value.text
                )));
            }
            Some(_) => {}
            None => return Err(Doubt::new(format!("a value is missing after `find {}`", arg.text))),
        }
    }
    Ok(())
}

/// A search through a tree comes across `.env`, unless it is kept to harmless kinds of file.
pub(super) fn grep(read: &Reading<'_>, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if !read.has("r") && !read.has("recursive") {
        return Ok(());
    }
    // If it stands first, whatever no pattern names is read.
    if read.has("exclude") {
        return Err(Doubt::new(format!("`{} -r --exclude` may read more than `--include` says", read.shown)));
    }
    let kinds: Vec<_> = read.values(&["include"]).collect();
    let dirs = operands_after_text(read);
    if kinds.is_empty() {
        return Err(Doubt::new(format!(
            "`{} -r` reads every file below `{}`, secrets too (`--include` would keep it to some kinds)",
            read.shown,
            dirs.first().unwrap_or(&".")
        )));
    }
    dirs.iter().try_for_each(|dir| narrow::search(dir, &kinds, scene))
}

/// ripgrep by itself leaves out what is hidden or ignored, but not `credentials.json`: it has to be kept to harmless kinds as well.
/// Where only names are shown, it need not.
pub(super) fn rg(read: &Reading<'_>, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if read.has("type-list") && read.operands.is_empty() {
        return Ok(());
    }
    let kinds: Vec<_> =
        read.values(&["g", "glob", "iglob"]).filter(|pattern| !pattern.starts_with('!')).collect();
    let only_names = read.has("files");
    let from_pipe = scene.piped
        && !only_names
        && read.operands.len() <= usize::from(!read.has("e") && !read.has("regexp"));
    if from_pipe {
        return Ok(());
    }
    let mut types = read.values(&["t", "type"]).peekable();
    let kept = !kinds.is_empty() || types.peek().is_some();
    if let Some(other) = types.find(|name| !narrow::is_source_type(name)) {
        return Err(Doubt::new(format!("`rg -t {other}` may read a secret")));
    }
    for dir in operands_after_text(read) {
        if !scene.inside(dir) {
            return Err(Doubt::new(format!("`rg` searches `{dir}`, outside of the project")));
        }
        if !kept && !only_names && !narrow::is_source_file(dir) {
            return Err(Doubt::new(format!(
                "`rg` reads every file below `{dir}`, secrets too (`-t` or `-g` would keep it to some kinds)"
            )));
        }
        narrow::search(dir, &kinds, scene)?;
        scene.check(&format!("{}/**", dir.trim_end_matches('/')))?;
    }
    Ok(())
}

/// The files of a search, or the directory in which it begins.
fn operands_after_text<'a>(read: &Reading<'a>) -> Vec<&'a str> {
    let without_text = ["e", "regexp", "files"].into_iter().any(|option| read.has(option));
    let files: Vec<_> =
        read.operands.iter().skip(usize::from(!without_text)).map(|operand| operand.text.as_str()).collect();
    if files.is_empty() { vec!["."] } else { files }
}

/// `sed -n` with nothing but lines to print: `10,20p`, `1p;$p`.
pub(super) fn sed(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let is_address =
        |text: &str| text == "$" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let prints = |command: &str| {
        let Some(addresses) = command.trim().strip_suffix(['p', 'q']) else { return false };
        match addresses.split_once(',') {
            Some((from, to)) => is_address(from) && is_address(to.trim_start_matches('+')),
            None => is_address(addresses),
        }
    };
    match read.operands.first() {
        Some(script) if script.text.split(';').all(prints) => Ok(()),
        Some(script) => {
            Err(Doubt::new(format!("`sed` is given `{}`, which is more than lines to print", script.text)))
        }
        None => Err(Doubt::known("`sed` is given nothing to do")),
    }
}

/// `diff` goes through directories, one level deep without `-r`.
pub(super) fn diff(read: &Reading<'_>, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if read.has("r") || read.has("recursive") {
        return Err(Doubt::known("`diff -r` reads every file of the directories, secrets too"));
    }
    let [left, right] = read.operands.as_slice() else {
        return Err(Doubt::known("`diff` compares two files"));
    };
    for (this, other) in [(left, right), (right, left)] {
        // If this is a directory, the file of the other's name in it is read.
        let name = other.text.rsplit('/').next().unwrap_or_default();
        scene.check(&format!("{}/{name}", this.text))?;
    }
    if is_file_by_name(&left.text) || is_file_by_name(&right.text) {
        return Ok(());
    }
    Err(Doubt::new(format!("`{}` and `{}` may be directories with secrets in them", left.text, right.text)))
}

/// Says whether a name is one of a file, as far as names go: `v1.2` and `conf.d` are not.
fn is_file_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    path == "-"
        || narrow::names_a_kind(name)
        || extension.len() > 1 && extension.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// `strings` takes its options from a file that is named with an `@`.
pub(super) fn strings(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    match read.operands.iter().find(|operand| operand.text.starts_with('@')) {
        Some(operand) => Err(Doubt::new(format!("`strings` takes options from `{}`", operand.text))),
        None => Ok(()),
    }
}

/// A program for jq, which can show the environment and load modules.
pub(super) fn jq(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let Some(program) = read.operands.first() else {
        return Err(Doubt::known("`jq` is given no program"));
    };
    free_of("jq", &program.text, &["env", "import", "include", "modulemeta"])
}

/// yq is two programs of one name. Both take the program first, one of them a file if there is one of that name.
pub(super) fn yq(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    read.operands.iter().try_for_each(|operand| {
        free_of("yq", &operand.text, &["env", "load", "eval(", "system", "import", "include"])
    })
}

/// Proves that a program's text has none of these words, in any case and as part of any other.
fn free_of(program: &str, text: &str, words: &[&str]) -> Result<(), Doubt> {
    let text = text.to_ascii_lowercase();
    match words.iter().find(|word| text.contains(**word)) {
        Some(word) => Err(Doubt::new(format!("`{program}` is given a program with `{word}` in it"))),
        None => Ok(()),
    }
}

/// `date +FORMAT`; any other operand sets the clock.
pub(super) fn date(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    match read.operands.iter().find(|operand| !operand.text.starts_with('+')) {
        Some(operand) => Err(Doubt::new(format!("`date {}` sets the clock", operand.text))),
        None => Ok(()),
    }
}

/// `lsof`, whose options with a plus repeat without end or look through whole trees.
pub(super) fn lsof(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    match read.operands.iter().find(|operand| operand.text.starts_with('+')) {
        Some(operand) => Err(explained::unlisted("lsof", &operand.text)),
        None => Ok(()),
    }
}

/// How many seconds a command may sleep.
const LONGEST: f64 = 600.0;
/// How far `seq` may count. By whole numbers only: small steps make many.
const FARTHEST: u32 = 1_000_000;

/// `sleep`, for a time that a person would wait.
pub(super) fn sleep(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let mut total = 0.0;
    for operand in &read.operands {
        let Some(seconds) = seconds(&operand.text) else {
            return Err(Doubt::new(format!("`{}` is no number", operand.text)));
        };
        total += seconds;
    }
    if total > LONGEST {
        return Err(Doubt::known("`sleep` takes longer than ten minutes"));
    }
    Ok(())
}

/// Reads `1.5m`.
fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = match text.char_indices().next_back()? {
        (at, 's') => (&text[..at], 1.0),
        (at, 'm') => (&text[..at], 60.0),
        (at, 'h') => (&text[..at], 3_600.0),
        (at, 'd') => (&text[..at], 86_400.0),
        _ => (text, 1.0),
    };
    // Without `inf`, `1e9` and the like.
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    number.parse::<f64>().ok().map(|number| number * unit)
}

/// `seq`, as far as somebody would read it.
pub(super) fn seq(read: &Reading<'_>, _scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let operands = read.operands.iter().map(|operand| operand.text.as_str());
    // A negative number is read as an option.
    for number in operands.chain(read.values(&["#"])) {
        let digits = number.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || number.parse::<u32>().map_or(true, |number| number > FARTHEST) {
            return Err(Doubt::new(format!("`seq {number}` may not end soon")));
        }
    }
    Ok(())
}
