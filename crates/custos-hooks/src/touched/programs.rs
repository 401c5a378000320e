//! How programs take their arguments.
//!
//! Small on purpose: the programs that agents use on files all day. A program that is not here is not told about,
//! which is right for every one that does something else. The second half of an entry is what `arguments` needs.

/// What a program does with its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Reads them.
    Reads,
    /// Reads the first; the others are something else.
    ReadsFirst,
    /// Reads the first and writes the second.
    Converts,
    /// Changes them.
    Changes,
    /// Does with the first what a filter does with its script, and changes the others.
    Sets,
    /// Takes the first as a script or a pattern and reads the others, or changes them in place.
    Filters,
    /// Does the same, and goes down into directories by itself.
    Searches,
    /// Has files in its options only.
    Options,
    /// Runs the first as a script, or filters them all if it has a script by option.
    Perl,
    /// Runs the first as a shell script, or a script by option, or its input.
    Shell,
    /// Moves the first ones to the last.
    Moves,
    /// Copies the first ones to the last.
    Copies,
    /// Makes the last a link to the first ones.
    Links,
    /// Copies from `if=` to `of=`.
    Dd,
    /// Changes the first by the second.
    Patch,
    /// Applies its input, or its only operand, as a patch.
    ApplyPatch,
    /// Does what its subcommand says.
    Git,
    /// Goes to the first.
    Enters,
    /// Goes to a directory that only it knows.
    Returns,
}

/// Returns what the program `name` does, and its options.
#[expect(clippy::too_many_lines, reason = "a table, of one entry after the other")]
pub(super) fn role(name: &str) -> Option<(Role, &'static str)> {
    let role = match name {
        "cat" | "tac" | "rev" | "zcat" | "bzcat" | "xzcat" | "gzcat" | "comm" | "md5sum" | "sha1sum"
        | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" | "b2sum" | "wc" | "md5" => {
            (Role::Reads, "s separator output-delimiter files0-from")
        }
        "head" | "tail" => (Role::Reads, "n c s lines bytes sleep-interval pid max-unchanged-tries"),
        "less" | "more" => (Role::Reads, "b h j k n o p P t T x y z"),
        "bat" | "batcat" => (
            Role::Reads,
            "l r H m language line-range highlight-line map-syntax theme style tabs wrap file-name color paging \
             decorations terminal-width",
        ),
        "sort" => (
            Role::Reads,
            "k t S T >o key field-separator buffer-size temporary-directory >output parallel batch-size \
             compress-program files0-from random-source",
        ),
        "shuf" => (Role::Reads, "n i >o head-count input-range >output random-source ^-e ^-echo"),
        "cut" => (Role::Reads, "b c d f bytes characters delimiter fields output-delimiter"),
        "paste" => (Role::Reads, "d delimiters"),
        "join" => (Role::Reads, "1 2 a e j o t v"),
        "nl" => (Role::Reads, "b d f h i l n s v w"),
        "column" => (Role::Reads, "s c o N separator output-separator table-columns"),
        "fold" | "fmt" => (Role::Reads, "w width"),
        "expand" | "unexpand" => (Role::Reads, "t tabs"),
        "iconv" => (Role::Reads, "f t >o from-code to-code >output"),
        "od" => (Role::Reads, "A j N S t address-radix skip-bytes read-bytes strings format"),
        "hexdump" => (Role::Reads, "e f n s"),
        "strings" => (Role::Reads, "n t e bytes radix encoding"),
        "base64" | "base32" => (Role::Reads, "w wrap"),
        "cksum" | "shasum" => (Role::Reads, "a algorithm"),
        // The BSD meaning of these letters has a value; where GNU has none, a file is missed rather than invented.
        "stat" => (Role::Reads, "c f t format printf"),
        "file" => (Role::Reads, "m f F P e magic-file files-from separator exclude parameter"),
        "diff" => (
            Role::Reads,
            "U C I x X F W L S label ignore-matching-lines exclude exclude-from width from-file to-file \
             starting-file show-function-line /r /recursive",
        ),
        "cmp" => (Role::Reads, "i n ignore-initial bytes"),
        "source" | "." => (Role::ReadsFirst, ""),
        "split" => {
            (Role::ReadsFirst, "a b C l n t suffix-length bytes line-bytes lines number separator filter")
        }
        "node" | "nodejs" | "tsx" | "ts-node" => (
            Role::ReadsFirst,
            "^e ^eval ^p ^print r C require import loader experimental-loader conditions env-file tsconfig",
        ),
        "php" => (Role::ReadsFirst, "c d z ^r <f"),
        "lua" | "Rscript" => (Role::ReadsFirst, "l ^e"),
        _ if name.starts_with("python") => (Role::ReadsFirst, "W X ^c ^m"),
        "uniq" => (Role::Converts, "f s w skip-fields skip-chars check-chars"),
        "xxd" => (Role::Converts, "c g l n o s cols groupsize len name offset seek"),
        "rm" | "rmdir" | "unlink" | "tee" => (Role::Changes, ""),
        "touch" => (Role::Changes, "d t r A date time reference"),
        "truncate" => (Role::Changes, "s r size reference"),
        "shred" => (Role::Changes, "n s iterations size random-source"),
        // A mode such as `-w` looks like an option.
        "chmod" => (Role::Sets, "=<reference =-r =-w =-x =-X =-s =-t =-u =-g =-o =-a"),
        "chown" | "chgrp" => (Role::Sets, "=<reference from"),
        "grep" | "egrep" | "fgrep" | "zgrep" | "ggrep" => (
            Role::Filters,
            "=e =regexp =<f =<file A B C m d D after-context before-context context max-count binary-files devices \
             directories label exclude exclude-from exclude-dir include group-separator /r /R /recursive \
             /dereference-recursive",
        ),
        "rg" => (
            Role::Searches,
            "=e =regexp =<f =<file A B C E M T d g j m r t after-context before-context context encoding max-columns \
             type-not max-depth glob iglob threads max-count replace type sort sortr color colors max-filesize \
             ignore-file pre pre-glob path-separator type-add type-clear engine ^-files ^-type-list",
        ),
        "sed" | "gsed" => (Role::Filters, "=e =expression =<f =<file l line-length !i !I !in-place"),
        "awk" | "gawk" | "mawk" | "nawk" => {
            (Role::Filters, "=<f =<file =e =source F v i l field-separator assign include load")
        }
        "jq" => {
            (Role::Filters, "=<f =<from-file L indent +arg +argjson +<slurpfile +<rawfile ^-args ^-jsonargs")
        }
        "curl" => (
            Role::Options,
            "A C E F H P Q U X Y b e m r t u w x y z >o >output >D >dump-header >c >cookie-jar <K <config <T \
             <upload-file @d @data @data-ascii @data-binary @json data-raw data-urlencode user-agent header request url \
             user proxy max-time connect-timeout retry retry-delay retry-max-time cookie form referer range \
             write-out resolve cert key cacert ^output-dir",
        ),
        "wget" => (
            Role::Options,
            "A B D I P Q R T U X e l t w >O >output-document >o >output-file >a >append-output <i <input-file \
             <post-file <body-file directory-prefix user-agent timeout tries header post-data body-data method user \
             password wait limit-rate",
        ),
        "perl" => (Role::Perl, "e E I ?i ?F ?M ?m ?x ?C ?D ?d ?V"),
        "ruby" => (Role::Perl, "e E I r ?i ?F ?K ?x ?T ?W ^C"),
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" => (Role::Shell, "-c o O rcfile init-file"),
        "mv" => (Role::Moves, "t target-directory S suffix"),
        "cp" => (Role::Copies, "t target-directory S suffix /r /R /a /recursive /archive ^-parents"),
        "install" => {
            (Role::Copies, "t target-directory S suffix g group m mode o owner strip-program ^d ^directory")
        }
        "ln" => (Role::Links, "t target-directory S suffix"),
        "dd" => (Role::Dd, ""),
        "patch" => (
            Role::Patch,
            "<i <input >o >output p strip F fuzz r reject-file B prefix V z suffix D ifdef ^d ^directory ^-dry-run ^C",
        ),
        "apply_patch" | "applypatch" => (Role::ApplyPatch, ""),
        "git" => (Role::Git, ""),
        "cd" | "pushd" => (Role::Enters, ""),
        "popd" => (Role::Returns, ""),
        _ => return None,
    };
    Some(role)
}

/// Returns the options of a program that runs another, and how many operands come before that one.
pub(super) fn wrapper(name: &str) -> Option<(&'static str, usize)> {
    let wrapper = match name {
        "sudo" | "doas" => (
            "u g h p C r t T U user group host prompt close-from role type other-user ^D ^chdir ^R ^chroot ^e ^edit ^i \
             ^login ^l ^list",
            0,
        ),
        "env" => ("u unset ^C ^chdir ^S ^split-string", 0),
        "command" | "builtin" => ("^v ^V", 0),
        "exec" => ("a", 0),
        "nice" => ("n adjustment", 0),
        "ionice" => ("c n class classdata ^p ^pid", 0),
        "stdbuf" => ("i o e input output error", 0),
        "timeout" | "gtimeout" => ("s k signal kill-after", 1),
        "taskset" | "chrt" => ("^p ^pid", 1),
        "time" => ("f o format output", 0),
        "caffeinate" => ("t w", 0),
        "nohup" | "setsid" | "unbuffer" | "busybox" => ("", 0),
        _ => return None,
    };
    Some(wrapper)
}
