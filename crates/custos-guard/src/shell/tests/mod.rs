//! Whole trees, in the notation of [`shown`].

mod shown;

use super::parser::DEEPEST;
use super::syntax::{Command, Flaw, FlawKind, Kind, Parsed, Script};
use super::{fallback, parse, parse_word_text};
use shown::{show, word};

/// Holds each text against its tree, and the tree against having no flaws.
fn assert_trees(cases: &[(&str, &str)]) {
    for (text, tree) in cases {
        let parsed = parse(text);
        assert_eq!(show(&parsed.script), *tree, "{text}");
        assert_eq!(parsed.flaws, [], "{text}");
    }
}

/// Holds each text against its tree and its flaws.
fn assert_flawed(cases: &[(&str, &str, &str)]) {
    for (text, tree, flaws) in cases {
        let parsed = parse(text);
        assert_eq!(show(&parsed.script), *tree, "{text}");
        assert_eq!(flaws_of(&parsed), *flaws, "{text}");
    }
}

/// The flaws as `u2 c5`: where something was unexpected, or not closed, too deep, zero or invisible.
fn flaws_of(parsed: &Parsed) -> String {
    let letter = |kind| match kind {
        FlawKind::Unexpected => 'u',
        FlawKind::Unclosed => 'c',
        FlawKind::TooDeep => 'd',
        FlawKind::Nul => 'z',
        FlawKind::Invisible => 'i',
    };
    let shown = |flaw: &Flaw| format!("{}{}", letter(flaw.kind), flaw.at);
    parsed.flaws.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// A list keeps its order and how its commands hang together.
#[test]
fn lists_and_pipelines() {
    assert_trees(&[
        ("a b && c || d & e; f", "(a b) && (c) || (d) & (e) (f)"),
        ("a | b |& c && d", "(| (a) (b) (c)) && (d)"),
        ("! a; time b; time -p ! c | d", "(a) (b) (| (c) (d))"),
        ("time { a; }; ! ( b )", "(group (a)) (subshell (b))"),
        ("time -f %e a", "(time -f %e a)"),
        ("!", "()"),
        ("a # b ; c\nd #e", "(a) (d)"),
        ("a;#b\n#c\n\n\nd", "(a) (d)"),
        ("a\r\nb\r\n", "(a) (b)"),
        ("ech\\\no a\\\nb &\\\n& c # d \\\ne", "(echo ab) && (c) (e)"),
    ]);
}

/// What is inside of a compound command is shown.
#[test]
fn compound_commands() {
    assert_trees(&[
        ("( a; b ) > c 2>&1", "(subshell (a) (b) {> c} {2& 1})"),
        ("{ a; b; } | c", "(| (group (a) (b)) (c))"),
        ("if a; then b; elif c; then d; else e; fi < f", "(if (a) then (b) if (c) then (d) else (e) {< f})"),
        (
            "while a; do b; done; until c; do d; done < <(e)",
            "(loop (a) do (b)) (loop (c) do (d) {< <from (e)>})",
        ),
        (
            "for x in 1 \"$@\"; do a; done; for x; do b; done; for x do c; done; select x in d; { e; }",
            "(for x in 1 <\"@> do (a)) (for x in - do (b)) (for x in - do (c)) (for x in d do (e))",
        ),
        ("for ((i = 0; i < $(a); i++)); do b; done", "(arithmetic i = 0; i < <$ (a)>; i++ do (b))"),
        ("case $x in a|\"b c\") d;; (e*) f ;& *) ;; esac", "(case <x> [a 'b c': (d)] [e*: (f)] [*: ])"),
        ("case x in\n  a) b\nesac\nc", "(case x [a: (b)]) (c)"),
        (
            "[[ -f a && $b == @(c|d) || $e =~ ^(f|g h)+$ && i < j ]] && k",
            "(test -f a && <b> == @(c|d) || <e> =~ ^(f|g h)+$ && i < j) && (k)",
        ),
        ("(( a = $(b) + 1 )) && c", "(arithmetic  a = <$ (b)> + 1  do ) && (c)"),
        ("((a);(b))", "(subshell (subshell (a)) (subshell (b)))"),
        (
            "f() { a; }; function g { b; }; function h() ( c ) > d; function i ( e )",
            "(function f (group (a))) (function g (group (b))) (function h (subshell (c) {> d})) (function i (subshell (e)))",
        ),
        ("f-g () if a; then b; fi", "(function f-g (if (a) then (b)))"),
        (
            "coproc a b; coproc N { c; }; coproc { d; }",
            "(coprocess (a b)) (coprocess (group (c))) (coprocess (group (d)))",
        ),
        ("wh\\\nile a; d\\\no b; done", "(loop (a) do (b))"),
    ]);
}

/// Elsewhere, and in quotes, they are words.
#[test]
fn reserved_words_only_begin_commands() {
    assert_trees(&[
        ("echo if then fi { } ! [[ done", "(echo if then fi { } ! [[ done)"),
        ("'if' a; \\if b; i\"f\" c", "('if' a) ('i'f b) (i'f' c)"),
        ("{a,b} }c {d", "({a,b} }c {d)"),
        ("a=1 if b", "(a:=1 if b)"),
        ("fi<(a)", "(fi<from (a)>)"),
        ("!(a)", "(subshell (a))"),
    ]);
}

/// Assignments, words and redirections in any order.
#[test]
fn simple_commands() {
    assert_trees(&[
        ("a=1 b+=2 c[i+1]=3 d= e f=4", "(a:=1 b:+=2 c[i+1]:=3 d:= e f=4)"),
        ("a=(b \"c d\" [3]=e [$(f)]=g # h\n i) j+=(k)", "(a:=(b 'c d' [3]=e [<$ (f)>]=g i) j:+=(k))"),
        ("declare -a x=(1 \"$y\" $(z)); export A=b", "(declare -a x=(1 <\"y> <$ (z)>)) (export A=b)"),
        ("a[b c]d e; a[1]", "(a[b c]d e) (a[1])"),
        (
            "> a b < c 2>> d 3<> e {f}> g 4>&- 2>&1 <&5 >&h >| i &> j &>> k <<< l",
            "(b {> a} {< c} {2>> d} {3<> e} {{f}> g} {4& -} {2& 1} {& 5} {> h} {> i} {> j} {>> k} {<<< l})",
        ),
        ("2 >a; a2>b; \\2>c", "(2 {> a}) (a2 {> b}) ('2' {> c})"),
        ("a>$(b)>\"$c\" >&$d 3>&$e", "(a {> <$ (b)>} {> <\"c>} {> <d>} {3& <e>})"),
    ]);
}

/// Quotes mean themselves, and are told from bare text.
#[test]
fn quotes() {
    assert_trees(&[
        ("'a b'\"c d\"e\\ f '' \"\" \\~ ~", "('a bc d'e' 'f '' '' '~' ~)"),
        ("\"a\\\"b\\$c\\d\\`e\\\\\" 'f\\'", "('a\"b$c\\\\d`e\\\\' 'f\\\\')"),
        ("$'a\\x41\\u00e9\\101\\n\\cA\\'\\q' $\"b $c\"", "('aAéA\\n\\u{1}\\'\\\\q' 'b '<\"c>)"),
        ("\"a\nb\" 'c\nd'", "('a\\nb' 'c\\nd')"),
        ("\"a\\\nb\" 'c\\\nd'", "('ab' 'c\\\\\\nd')"),
        ("a'b'\"$c\"d$e", "(a'b'<\"c>d<e>)"),
        ("*.@(a|b c)d !(e)", "(*.@(a|b c)d !(e))"),
        ("\"'\" '\"'", "('\\'' '\"')"),
        ("a\\", "(a'\\\\')"),
    ]);
}

/// Every form of a parameter.
#[test]
fn parameters() {
    assert_trees(&[
        (
            "$a ${b} \"$c\" $1 ${10} $@ \"$*\" $# $? $- $$ $! $_ $",
            "(<a> <b> <\"c> <1> <10> <@> <\"*> <#> <?> <-> <$> <!> <_> $)",
        ),
        (
            "${a-b} ${a:-b c} ${a=b} ${a:=b} ${a?b} ${a:?b} ${a+b} ${a:+b}",
            "(<a default b> <a :default b c> <a assign b> <a :assign b> <a demand b> <a :demand b> <a alternative b> <a :alternative b>)",
        ),
        (
            "${#a} ${#a[@]} ${#} ${##} ${#-b} ${!a} ${!a*} ${!a@} ${!a[@]} ${!} ${!-b}",
            "(<a length> <a[@] length> <#> <# length> <# default b> <!a> <!a transform *> <!a transform @> <!a[@]> <!> <! default b>)",
        ),
        (
            "${a#b} ${a##*/} ${a%.*} ${a%%b}",
            "(<a without #b> <a without ##*/> <a without %.*> <a without %%b>)",
        ),
        (
            "${a/b/c} ${a//b} ${a/#b/$c} ${a/%b/c} ${a/\\//d}",
            "(<a replace first b by c> <a replace all b by > <a replace prefix b by <c>> <a replace suffix b by c> <a replace first '/' by d>)",
        ),
        (
            "${a:1} ${a: -1:2} ${a:(b?c:d):e} ${@:2}",
            "(<a slice 1 -> <a slice  -1 2> <a slice (b?c:d) e> <@ slice 2 ->)",
        ),
        (
            "${a^} ${a^^} ${a,} ${a,,[b]} ${a@Q}",
            "(<a case true false> <a case true true> <a case false false> <a case false true> <a transform Q>)",
        ),
        (
            "${a[1]} ${a[\"b c\"]} ${a[$(b)]} ${a^$(c)}",
            "(<a[1]> <a[\"b c\"]> <a[$(b)]><$ (b)> <a case true false><$ (c)>)",
        ),
        (
            "\"${a:-'b' \"c\" \\} $d}\" \"${a#'b'}\" ${a:-'}'\"}\"}",
            "(<\"a :default '\\'b\\' c } '<\"d>> <\"a without #'b'> <a :default '}}'>)",
        ),
        ("\"${a:-'}'}\"", "(<\"a :default '\\'}\\''>)"),
        ("${a:-${b:-$(c)}} ${a:-<(b)}", "(<a :default <b :default <$ (c)>>> <a :default <from (b)>>)"),
        ("${na\\\nme} $na\\\nme $\\\n{a}", "(<name> <name> <a>)"),
        ("${ a; } ${(f)a} ${a b}", "(<$ (a)> <a> <a default  b>)"),
    ]);
}

/// What runs inside of a word is shown.
#[test]
fn substitutions() {
    assert_trees(&[
        ("$(a; b | c) \"$(d \"e\")\" x$(f)y", "(<$ (a) (| (b) (c))> <\"$ (d 'e')> x<$ (f)>y)"),
        ("`a \\`b\\` \"c\"` \"`d \\\"e\\\"`\"", "(<$ (a <$ (b)> 'c')> <\"$ (d 'e')>)"),
        ("`a`b`c`", "(<$ (a)>b<$ (c)>)"),
        ("<(a) >(b) c<(d)", "(<from (a)> <to (b)> c<from (d)>)"),
        (
            "$((1 + $(a) + (2))) $(( `b` )) $[c[1] + $d]",
            "(<= 1 + <$ (a)> + (2)> <=  <$ (b)> > <= c[1] + <d>>)",
        ),
        ("$((a); (b)) $( (c) )", "(<$ (subshell (a)) (subshell (b))> <$ (subshell (c))>)"),
        ("$((a) )", "(<$ (subshell (a))>)"),
        ("$(case x in a) b;; esac)", "(<$ (case x [a: (b)])>)"),
        ("$(a # )\n)", "(<$ (a)>)"),
        ("$(<a)", "(<$ ({< a})>)"),
        ("$()", "(<$ >)"),
        ("\"$(echo \")\")\"", "(<\"$ (echo ')')>)"),
        ("((\"$(: # \")\na)\")); b; : \"))\"", "(arithmetic \"<$ (:) (a)>\" do ) (b) (: '))')"),
        ("((\"${a:-(}\")); b; : \")}))\"", "(arithmetic \"<a :default (>\" do ) (b) (: ')}))')"),
        ("((`a # (`)); b; : '(`))'", "(arithmetic <$ (a)> do ) (b) (: '(`))')"),
        ("((a = $'\\'')); b; : '))'", "(arithmetic a = '\\'' do ) (b) (: '))')"),
    ]);
}

/// Bodies begin after the line, and commands on it are commands.
#[test]
fn heredocs() {
    assert_trees(&[
        (
            "cat <<E; a\nb $c `d` $(e \"f\") \\$g \"h\" 'i'\nE\nj",
            "(cat {<< 'b '<\"c>' '<\"$ (d)>' '<\"$ (e 'f')>' $g \"h\" \\'i\\'\\n'}) (a) (j)",
        ),
        (
            "cat <<'E' | a <<-\"F\" b\n$c `d\nE\n\te $f\n\tF\ng",
            "(| (cat {<< '$c `d\\n'}) (a b {<< 'e $f\\n'})) (g)",
        ),
        ("cat <<-E\n\ta $(b\n\tc)\n\tE\nd", "(cat {<< 'a '<\"$ (b) (c)>'\\n'}) (d)"),
        (
            "cat <<E\\F <<$'G' <<H\"I\" <<''\na $b\nEF\nc\nG\nd\nHI\ne\n\nf",
            "(cat {<< 'a $b\\n'} {<< 'c\\n'} {<< 'd\\n'} {<< 'e\\n'}) (f)",
        ),
        ("if cat <<E; then a; fi\nb\nE\nc", "(if (cat {<< 'b\\n'}) then (a)) (c)"),
        ("$(cat <<E\na\nE\n) b", "(<$ (cat {<< 'a\\n'})> b)"),
        ("$(cat <<E\na\nE) b", "(<$ (cat {<< 'a\\n'})> b)"),
        ("$(cat <<E) a\nb\nE\nc", "(<$ (cat {<< 'b\\n'})> a) (c)"),
        ("cat <<E $(a\nb) \"c\nd\"\ne\nE\nf", "(cat <$ (a) (b)> 'c\\nd' {<< 'e\\n'}) (f)"),
        ("cat <<E\na\\\nE\nE\nb", "(cat {<< 'aE\\n'}) (b)"),
        ("cat <<E\r\na\r\nE\r\nb", "(cat {<< 'a\\r\\n'}) (b)"),
        ("cat <<E\na\nE\r\nb\nE\nc", "(cat {<< 'a\\nE\\r\\nb\\n'}) (c)"),
        ("cat 3<<E\nE\na", "(cat {3<< ''}) (a)"),
        ("f() { cat <<E\n$a\nE\n}; f", "(function f (group (cat {<< <\"a>'\\n'}))) (f)"),
    ]);
}

/// What is wrong is noted, and what comes after it is still there.
#[test]
fn broken_texts() {
    assert_flawed(&[
        ("fi; a", "(a)", "u0 u2"),
        (") a", "(a)", "u0"),
        ("a ) b", "(a) (b)", "u2"),
        ("} a", "(a)", "u0"),
        ("; a", "(a)", "u0"),
        ("a && ; b", "(a) && (b)", "u5"),
        ("a | | b", "(| (a) () (b))", "u4"),
        ("a;; b", "(a) (b)", "u1"),
        ("a & & b", "(a) & (b)", "u4"),
        ("if a; b; fi; c", "(if (a) (b) then ) (c)", "u9 u9"),
        ("if a; then b; done; c", "(if (a) then (b)) (c)", "u14 u14 u18"),
        ("{ a; ) b", "(group (a)) (b)", "u5 u5"),
        ("( fi; a ) b", "(subshell (a)) (b)", "u2 u4 u10"),
        ("\"$(fi; a)\" b", "(<\"$ (a)> b)", "u3 u5"),
        ("( a } b ) c", "(subshell (a } b)) (c)", "u10"),
        ("while a; b; done; c", "(loop (a) (b) do ) (c)", "u12 u12"),
        ("for x in a; b; done; c", "(for x in a do (b)) (c)", "u12"),
        ("case x in a b c; esac; d", "(case x [: (a b c)]) (d)", "u12 u15 u17 u21"),
        ("a (b) c", "(a) (subshell (b)) (c)", "u2 u6"),
        ("(a) b", "(subshell (a)) (b)", "u4"),
        ("a > ; b", "(a {> }) (b)", "u4"),
        ("a >", "(a {> })", "c3"),
        ("f() a; b", "(function f (a)) (b)", "u4"),
        ("a=(b & c) d", "(a:=(b c) d)", "u5"),
        ("echo x=(a) b", "(echo x=(a) b)", "u5"),
        ("[[ a ; b", "(test a) (b)", "u5"),
        ("[[ a\nb", "(test a b)", "c6"),
        ("{ }", "(group )", "u2"),
        ("( )", "(subshell )", "u2"),
        ("f(", "(f) (subshell )", "u1 c2 c2"),
        ("function", "(function  ())", "c8 c8 c8"),
        ("for", "(for  in - do )", "c3 c3 c3 c3"),
        ("case", "(case  [: ()])", "c4 c4 c4 c4 c4 c4"),
        ("coproc", "(coprocess ())", "c6"),
        ("<<<", "({<<< })", "c3"),
    ]);
}

/// The rest is what was not closed.
#[test]
fn unclosed_texts() {
    assert_flawed(&[
        ("a 'b; c", "(a 'b; c')", "c2"),
        ("a \"b; c", "(a 'b; c')", "c2"),
        ("a \"b $(c; d", "(a 'b '<\"$ (c) (d)>)", "c7 c2"),
        ("a $'b\\", "(a 'b\\\\')", "c3"),
        ("a `b; c", "(a <$ (b) (c)>)", "c2"),
        ("a ${b; c", "(a <b default ; c>)", "c4"),
        ("a ${b:-$(c", "(a <b :default <$ (c)>>)", "c9 c4"),
        ("a $((1", "(a <$ (subshell (1))>)", "c6 c4"),
        ("a (( 1", "(a) (subshell (subshell (1)))", "u2 c6 c6"),
        ("(( 1", "(subshell (subshell (1)))", "c4 c4"),
        ("{ a; b", "(group (a) (b))", "c6"),
        ("( a; b", "(subshell (a) (b))", "c6"),
        ("if a; then b", "(if (a) then (b))", "c12"),
        ("while a; do b", "(loop (a) do (b))", "c13"),
        ("case x in a) b", "(case x [a: (b)])", "c14"),
        ("a=(b c", "(a:=(b c))", "c6"),
        ("a[b c", "(a[b c])", "c2"),
        ("a <(b; c", "(a <from (b) (c)>)", "c4"),
        ("a @(b|c d", "(a @(b|c d)", "c9"),
        ("a &&", "(a) &&", "c4"),
        ("a |", "(| (a) ())", "c3"),
        ("cat <<E; a\nb\nc", "(cat {<< 'b\\nc'}) (a)", "c14"),
        ("cat <<E", "(cat {<< ''})", "c7 c7"),
        ("$(cat <<E", "(<$ (cat {<< ''})>)", "c2 c9 c9"),
        ("[[ a && b", "(test a && b)", "c9"),
    ]);
}

/// Characters that nobody sees are a flaw where they would be part of a command, and data within quotes, comments and heredocs.
#[test]
fn invisible_characters() {
    assert_flawed(&[
        ("a\u{200b}b", "(a\\u{200b}b)", "i1"),
        ("\u{feff}a é € ｆ", "(\\u{feff}a é € ｆ)", "i0"),
        ("a \u{202e}b ${c:-\u{2066}}", "(a \\u{202e}b <c :default \\u{2066}>)", "i2 i12"),
    ]);
    assert_trees(&[
        ("a '\u{200b}' \"\u{202e}\" # \u{2066}", "(a '\\u{200b}' '\\u{202e}')"),
        ("a <<E\n\u{200b}\nE\n", "(a {<< '\\u{200b}\\n'})"),
    ]);
}

/// Bash drops zero bytes, and so what stands around them is one word.
#[test]
fn zero_bytes() {
    assert_flawed(&[("r\0m a \"b\0c\"", "(rm a 'bc')", "z1"), ("'\0", "('')", "z1 c0")]);
}

/// Below the deepest level, words are still words.
#[test]
fn nesting_has_a_bottom_and_the_words_below_it_are_seen() {
    let levels = usize::try_from(DEEPEST).unwrap() + 5;
    for (open, close) in
        [("$(", ")"), ("( ", ")"), ("{ ", ";}"), ("\"${a:-$(", ")}\""), ("if a; then ", "; fi"), ("<(", ")")]
    {
        let text = format!("{}rm -rf 'x y'{}; b", open.repeat(levels), close.repeat(levels));
        let parsed = parse(&text);
        assert!(parsed.flaws.iter().any(|flaw| flaw.kind == FlawKind::TooDeep), "{text}");
        assert!(show(&parsed.script).contains("(rm -rf x y)"), "{text}");
    }
    let text = format!("{}a{}", "( ".repeat(40), " )".repeat(40));
    assert_eq!(parse(&text).flaws, []);
}

/// Looking for the end of `((` again and again would take the square of the time.
#[test]
fn foresight_has_an_end() {
    let parsed = parse(&"((a ".repeat(20_000));
    assert!(parsed.flaws.iter().any(|flaw| flaw.kind == FlawKind::TooDeep));
    assert!(parsed.flaws.len() <= 70);
    assert_eq!(parse(&"((1 + (2))); ".repeat(5_000)).flaws, []);
}

/// A tree has no more commands than anybody wants to look at.
#[test]
fn size_has_an_end() {
    let parsed = parse(&"a;".repeat(100_000));
    assert_eq!(parsed.script.commands.len(), (1 << 15) + 1);
    assert_eq!(flaws_of(&parsed), format!("d{}", 2 << 15));
}

/// Places are those of the text; for what stood between backticks with escapes, that of the backticks.
#[test]
fn commands_know_their_places() {
    fn spans<'t>(text: &'t str, script: &Script, found: &mut Vec<&'t str>) {
        for Command { kind, span, .. } in &script.commands {
            found.push(&text[span.clone()]);
            match kind {
                Kind::Subshell(script) | Kind::Group(script) => spans(text, script, found),
                Kind::Simple(simple) => {
                    for part in simple.words.iter().flat_map(|word| &word.parts) {
                        if let super::syntax::Part::Substitution { script, .. } = part {
                            spans(text, script, found);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let text = "a  b ; ( c; d ) >e  && f $(g) `h` `i \\`j\\`` # k";
    let mut found = Vec::new();
    spans(text, &parse(text).script, &mut found);
    assert_eq!(
        found,
        ["a  b", "( c; d ) >e", "c", "d", "f $(g) `h` `i \\`j\\``", "g", "h", "`i \\`j\\``", "`i \\`j\\``"]
    );
}

/// Text within double quotes can be parsed by itself.
#[test]
fn the_text_of_a_word() {
    let text = r#"a $b "c" 'd' \$e $(f <<G
h
G
)"#;
    assert_eq!(word(&parse_word_text(text)), r#"'a '<"b>' "c" \'d\' $e '<"$ (f {<< 'h\n'})>"#);
}

/// What nobody can parse is cut at everything that may end a command, and quotes are read both ways.
#[test]
fn the_words_of_a_broken_text() {
    let lists: Vec<String> = fallback::tokens("a \"b c' d; $(e ${f} {g h}`i\\j` | k 'l; then m")
        .map(|words| words.join(" "))
        .collect();
    assert_eq!(lists, ["a b c d", "b c", "d", "$", "e ${f}", "g h", "ij", "k l", "l", "m"]);
}
