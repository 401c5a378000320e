//! The programs that can be proven to only read.

use std::borrow::Cow;

use super::awkward;
use super::git;
use super::literal::Literal;
use super::processes;
use super::program::{Operands, Program};
use super::proof::Doubt;
use super::scene::Scene;

use Operands::{Files, Names, None, Text, TextThenFiles};

/// Proves a program that no table can describe.
type Code = fn(&[Literal], &mut Scene<'_>) -> Result<(), Doubt>;

/// Where programs of the system are. A path to anywhere else may lead to a program that only has the name.
static DIRECTORIES: &[&str] = &["/bin/", "/usr/bin/", "/usr/local/bin/"];

/// Options of the programs that make checksums.
const SUMS: &[&str] = &["-btz --binary --text --tag --zero"];
/// Options of the programs of the grep family.
const GREP: &[&str] = &[
    "-EFGPHLTabchilnoqrsvwx -e= -m# -A# -B# -C# -#",
    "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --ignore-case --no-ignore-case",
    "--word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches",
    "--max-count# --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename",
    "--line-number --initial-tab --after-context# --before-context# --context# --text --invert-match",
    "--include= --exclude= --exclude-dir= --recursive --null --line-buffered",
];
const RG: &[&str] = &[
    "-FHINPSUcilnoqsvwx0p -e= -m# -A# -B# -C# -M# -d# -g= -t= -T= -r= -j# -E=",
    "--regexp= --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --fixed-strings --pcre2",
    "--invert-match --count --count-matches --files --files-with-matches --files-without-match --only-matching",
    "--line-number --no-line-number --column --heading --no-heading --with-filename --no-filename --null --json",
    "--stats --quiet --trim --vimgrep --pretty --multiline --multiline-dotall --color= --sort= --sortr= --replace=",
    "--max-count# --max-depth# --max-columns# --max-filesize# --after-context# --before-context# --context#",
    "--glob= --iglob= --type= --type-not= --type-list --threads# --encoding= --passthru --no-messages --no-config",
];

static PROGRAMS: &[Program] = &[
    // Files and their contents.
    Program::new(
        "cat",
        &["-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting"],
        Files,
    )
    .takes_any_name(),
    Program::new("head", &["-qvz -nc# -# --lines# --bytes# --quiet --silent --verbose"], Files).takes_any_name(),
    Program::new("tail", &["-qvz -nc# -# --lines# --bytes# --quiet --silent --verbose"], Files).takes_any_name(),
    Program::new("wc", &["-lwcmL --lines --words --bytes --chars --max-line-length --total="], Files).takes_any_name(),
    Program::new("nl", &["-p -bdfhns= -ilvw# --body-numbering= --number-width# --starting-line-number#"], Files)
        .takes_any_name(),
    Program::new("tac", &["-br -s= --before --regex --separator="], Files).takes_any_name(),
    Program::new("rev", &[], Files).takes_any_name(),
    Program::new(
        "cut",
        &["-nsz -bcdf= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter="],
        Files,
    )
    .takes_any_name(),
    Program::new("paste", &["-sz -d= --delimiters= --serial"], Files),
    Program::new("fold", &["-bs -w# --bytes --spaces --width#"], Files),
    Program::new("expand unexpand", &["-ia -t= --initial --all --tabs="], Files),
    Program::new("comm", &["-123z --check-order --nocheck-order --output-delimiter= --total"], Files),
    Program::new("join", &["-iz -12jav# -oet= --header --check-order --nocheck-order --ignore-case"], Files),
    Program::new(
        "sort",
        &[
            "-bdfghiMnRrVcCmsuz -k= -t=",
            "--ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort",
            "--month-sort --numeric-sort --random-sort --reverse --version-sort --sort= --check? --key= --merge --stable",
            "--field-separator= --unique --zero-terminated --parallel#",
        ],
        Files,
    ),
    Program::new(
        "uniq",
        &["-cdDiuz -fsw# --count --repeated --unique --ignore-case --skip-fields# --skip-chars# --check-chars#"],
        Files,
    )
    .most(1),
    Program::new("grep egrep fgrep", GREP, TextThenFiles(&["e", "regexp"])).also(awkward::grep),
    Program::new("rg", RG, TextThenFiles(&["e", "regexp", "files", "type-list"])).also(awkward::rg),
    Program::new("sed", &["-nEru --quiet --silent --regexp-extended --sandbox --posix"], TextThenFiles(&[])).also(awkward::sed),
    Program::new(
        "diff",
        &[
            "-abBcdeEinNpqstTuwyZr -U# -C# -W# -I= -x=",
            "--brief --report-identical-files --context? --unified? --side-by-side --width# --color? --recursive",
            "--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space",
            "--strip-trailing-cr --new-file --text --minimal --suppress-common-lines --label= --exclude= --no-dereference",
        ],
        Files,
    )
    .also(awkward::diff),
    Program::new("cmp", &["-bls -i= -n# --print-bytes --verbose --quiet --silent --bytes#"], Files),
    Program::new("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", SUMS, Files).takes_any_name(),
    Program::new("cksum", &["-a= --algorithm= --tag --untagged"], Files).takes_any_name(),
    Program::new("shasum", &["-bt0 -a= --algorithm= --binary --text --tag"], Files).takes_any_name(),
    Program::new("od", &["-abcdfhiloOsvxz -A= -t= -N# -j# -w? --address-radix= --format= --read-bytes# --skip-bytes#"], Files),
    Program::new("hexdump", &["-bcCdovx -n# -s#"], Files),
    Program::new("xxd", &["-abCdeEiup -cgls#"], Files).most(1).single_only(),
    Program::new("strings", &["-afw -n# -# -t= -e= --all --bytes# --radix= --encoding="], Files).also(awkward::strings),
    Program::new(
        "jq",
        &[
            "-acCehjMnrRSs --arg== --argjson== --indent# --tab --raw-output --raw-input --compact-output --slurp",
            "--null-input --exit-status --sort-keys --color-output --monochrome-output --join-output --ascii-output",
        ],
        TextThenFiles(&[]),
    )
    .also(awkward::jq),
    Program::new(
        "yq",
        &["-CejMnNPr -o= -p= -I# --output-format= --input-format= --prettyPrint --no-doc --colors --no-colors --exit-status"],
        Files,
    )
    .also(awkward::yq),
    Program::new("column", &["-enxtJ -c# -s= -o= -N= -R= -d -L --table --separator= --output-separator="], Files),
    Program::new("tr", &["-cCdst --complement --delete --squeeze-repeats --truncate-set1"], Text),
    // Files by name only.
    Program::new(
        "ls dir vdir",
        &[
            "-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I= -T# -w#",
            "--all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --dired --classify?",
            "--file-type --format= --full-time --group-directories-first --no-group --human-readable --si --hide=",
            "--hyperlink? --indicator-style= --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal",
            "--quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --width# --zero",
        ],
        Names,
    )
    .takes_any_name(),
    Program::new("stat", &["-fLtx -c= --dereference --file-system --format= --printf= --terse"], Names).takes_any_name(),
    Program::new("file", &["-bhiIkLN0r --brief --mime --mime-type --mime-encoding --keep-going --dereference"], Names),
    Program::new(
        "du",
        &[
            "-0aAbcDghHklLmPsSx -d# -t= -B=",
            "--all --apparent-size --bytes --total --human-readable --summarize --max-depth# --one-file-system --si",
            "--exclude= --threshold= --time? --inodes --separate-dirs --block-size= --dereference",
        ],
        Names,
    ),
    Program::new(
        "df",
        &["-aghHiklmPT -t= -x= -B= --all --human-readable --si --inodes --local --portability --print-type --total --output?"],
        Names,
    ),
    Program::new(
        "tree",
        &[
            "-aACdDfFghiJlnNpqQrsStuUvxX -L# -I= -P=",
            "--dirsfirst --filesfirst --noreport --gitignore --prune --du --si --inodes --matchdirs --ignore-case --filelimit#",
            "--charset= --sort= --timefmt=",
        ],
        Names,
    )
    .separate_only(),
    Program::new(
        "realpath",
        &[
            "-eEmLPqsz --canonicalize-existing --canonicalize-missing --no-symlinks",
            "--relative-to@ --relative-base@",
        ],
        Names,
    )
    .takes_any_name(),
    Program::new(
        "readlink",
        &["-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline"],
        Names,
    )
    .takes_any_name(),
    Program::new(
        "fd fdfind",
        &[
            "-0aFgHiIpsu1q -e= -t= -d# -E= -c= -j# -S= -o=",
            "--hidden --no-ignore --no-ignore-vcs --case-sensitive --ignore-case --glob --fixed-strings --absolute-path",
            "--full-path --max-depth# --min-depth# --exact-depth# --type= --extension= --exclude= --size= --color=",
            "--changed-within= --changed-before= --print0 --prune --max-results#",
        ],
        TextThenFiles(&[]),
    ),
    // Texts.
    Program::new("basename", &["-az -s= --multiple --suffix= --zero"], Text),
    Program::new("dirname", &["-z --zero"], Text),
    Program::new("seq", &["-w -s= -# --equal-width --separator="], Text).also(awkward::seq),
    Program::new("sleep", &[], Text).also(awkward::sleep),
    Program::new("pwd", &["-LP --logical --physical"], None),
    // The machine and its people.
    Program::new("which", &["-as --all"], Text),
    Program::new("type", &["-afptP"], Text),
    Program::new("whoami tty logname groups users nproc", &["--all"], None),
    Program::new("id", &["-agGnruzZ --group --groups --name --real --user --zero"], Text),
    Program::new(
        "uname",
        &[
            "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version",
            "--machine --processor --operating-system",
        ],
        None,
    ),
    Program::new(
        "date",
        &["-uR -I? -d= -r@ --utc --universal --date= --reference@ --iso-8601? --rfc-3339= --rfc-email"],
        Text,
    )
    .also(awkward::date),
    Program::new("hostname", &["-AdfiIs --fqdn --long --short --domain --ip-address --all-ip-addresses --all-fqdns"], None),
    Program::new("uptime", &["-ps --pretty --since"], None),
    Program::new("free", &["-bkmghtwl --bytes --kibi --mebi --gibi --human --total --wide --si"], None),
    Program::new("lscpu lsblk", &["-abefJlmnpty -o= --all --json --extended? --output="], None),
    Program::new(
        "pgrep",
        &["-acfilnovxw -d= -u= -U= -P= -g= -t= --full --list-name --list-full --exact --newest --oldest --count"],
        Text,
    ),
    Program::new("pidof", &["-sx"], Text),
    Program::new("lsof", &["-ahlnNPtUVRw -i? -p= -u= -c= -d= -g? -s? -F?"], Names)
        .separate_only()
        .also(awkward::lsof),
];

/// Programs whose arguments follow rules of their own.
static CODED: &[(&str, Code)] = &[
    ("cd", awkward::cd),
    ("command", awkward::command),
    ("docker", awkward::docker),
    ("echo", awkward::echo),
    ("find", awkward::find),
    ("npm", awkward::npm),
    ("printf", awkward::printf),
    ("ps", processes::ps),
    (":", awkward::echo),
    ("true", awkward::echo),
    ("false", awkward::echo),
];

/// Programs that only tell their version, with the words that make them do so; other words would name a script.
static VERSIONED: &[(&str, &[&str])] = &[
    ("cargo", &["--version", "-V", "version"]),
    ("go", &["version"]),
    ("node", &["--version", "-v"]),
    ("npm", &["--version", "-v"]),
    ("python", &["--version", "-V"]),
    ("python3", &["--version", "-V"]),
    ("rustc", &["--version", "-V", "-vV"]),
];

/// Proves that a program only reads with these arguments.
pub(super) fn prove(program: &str, args: &[Literal], scene: &mut Scene<'_>) -> Result<(), Doubt> {
    let name = DIRECTORIES.iter().find_map(|dir| program.strip_prefix(dir)).unwrap_or(program);
    if name.contains('/') {
        return Err(Doubt::new(format!("`{program}` is not in a directory of the system")));
    }
    if name == "git" {
        return git::prove(args, scene);
    }
    if let ([only], Some((known, words))) = (args, VERSIONED.iter().find(|(known, _)| *known == name))
        && words.iter().any(|word| only.is(word))
    {
        awkward::chosen_by_project(scene)?;
        scene.proof.programs.push(Cow::Borrowed(*known));
        return Ok(());
    }
    if let Some((known, code)) = CODED.iter().find(|(known, _)| *known == name) {
        code(args, scene)?;
        scene.proof.programs.push(Cow::Borrowed(*known));
        return Ok(());
    }
    let Some(table) = PROGRAMS.iter().find(|table| table.is(name)) else {
        return Err(Doubt::new(format!("`{program}` is not known to only read")));
    };
    table.prove(name, args, scene)?;
    scene.proof.programs.push(Cow::Owned(name.to_owned()));
    Ok(())
}
