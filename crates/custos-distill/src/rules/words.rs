//! Words that tell what a prompt is about, in the languages that people type.
//!
//! Tables, and one way to look into them: a stem at the start of a word where the script has words, a mere occurrence where it has none.
//! A prompt that was pasted in is read at its beginning only: what a log says is not what a person wants.

/// How much of a prompt is read for what it is about, in bytes.
const READ: usize = 1_500;

/// Something does not work, and there is no other way to read it.
#[rustfmt::skip]
const TROUBLE: &[&str] = &[
    // English
    "bug", "crash", "broken", "breaks", "fails", "failing", "failed", "exception in", "doesn't work", "does not work",
    "doesnt work", "not working", "isn't working", "isnt working", "stuck", "hangs", "freezes", "flaky", "regression",
    "stack trace", "traceback", "segfault", "is red", "500s", "404s", "401s", "403s", "doubled", "skips", "complain",
    "timing out", "times out", "off by one", "corrupt", "fix", "repair", "unhealthy", "scrolls away", "no longer works", "stopped working", "restarts", "restart every", "keeps restarting", "crashloop", "oomkilled", "gets killed",
    "is under the", "hidden behind", "fatal:", "error:", "oom",
    // German
    "kaputt", "stürzt", "absturz", "geht nicht", "funktioniert nicht", "hängt", "behebe", "beheben", "reparier",
    "schlägt fehl", "läuft nicht", "klappt nicht",
    // French, Spanish, Portuguese, Italian, Dutch
    "bogue", "plante", "ne marche pas", "ne fonctionne pas", "corrige", "échoue", "cassé", "non funziona", "corregg",
    "arregla", "no funciona", "falla", "fallo", "corrig", "não funciona", "quebrad", "werkt niet", "kapot",
    "repareer", "rotto", "não roda", "não abre", "quebrou", "travou", "no arranca", "se rompe", "non parte", "si rompe",
    "ne démarre pas", "start niet",
    // Russian
    "баг", "не работает", "падает", "сломал", "исправ", "почини", "зависает",
    // Chinese, Japanese, Korean
    "报错", "崩溃", "不工作", "失败", "修复", "修一下", "有问题", "バグ", "落ちる", "落ちて", "動かない", "直して", "ずれる", "ずれて", "おかしい", "失敗する",
    "壊れ", "修正して", "버그", "안돼", "안 돼", "고쳐", "수정해", "실패", "깨져",
];

/// Something may not work: `we get errors` does not, `add error handling` wants something new.
#[rustfmt::skip]
const SYMPTOMS: &[&str] = &[
    "error", "exception", "panic", "wrong", "incorrect", "can't", "cannot", "leak", "race", "deadlock", "twice",
    "duplicate", "missing", "lost", "loses", "timeout", "too slow", "very slow", "overflow", "undefined", "nan ",
    "exhaustion", "failure", "dropped", "diffère", "se plaignent", "fehler", "falsch", "doppelt", "fehlt", "erreur", "errore", "erro ", "fout", "ошибк",
    "错误", "エラー", "失敗", "오류", "에러",
];

/// Something is to be built otherwise and do the same.
#[rustfmt::skip]
const REFACTOR: &[&str] = &[
    "refactor", "split", "rename", "extract", "restructur", "reorganiz", "reorganis", "clean up", "cleanup",
    "tidy", "dedupe", "deduplicate", "move ", "simplify", "inline ", "no behaviour change", "no behavior change",
    "behaviour must not change", "same behaviour", "same behavior", "gleiches verhalten", "même comportement", "mismo comportamiento", "umbenenn", "aufteil", "aufräum", "auslager", "verschieb", "umstruktur",
    "renomm", "réorganis", "refactoris", "refactoriz", "renombra", "divid", "reorganiza", "renomeia", "rinomina",
    "hernoem", "opsplits", "рефактор", "переимену", "разбей", "вынеси", "重构", "重命名", "拆分", "リファクタ", "分割", "名前を変",
    "切り出", "整理して", "리팩", "이름을 바꿔", "분리해",
];

/// Something is to be there that was not.
#[rustfmt::skip]
const FEATURE: &[&str] = &[
    "add ", "implement", "create ", "new endpoint", "new ", "support ", "introduce", "build a", "build an", "we need",
    "i want", "i need", "feature", "endpoint", "füge", "hinzufüg", "implementier", "erstell", "baue", "neue",
    "wir brauchen", "ajoute", "implémente", "crée", "añad", "agrega", "implementa", "crea ", "adicion", "cria ",
    "aggiung", "voeg", "toevoeg", "maak een", "добав", "реализ", "созда", "添加", "新增", "实现", "增加", "追加", "実装", "作って",
    "作成", "추가", "구현", "만들",
];

/// It concerns who may do or see what.
#[rustfmt::skip]
const SECURITY: &[&str] = &[
    "pentest", "vulnerab", "exploit", "sql injection", "command injection", "code injection", "shell injection",
    "header injection", "template injection", "log injection", "prompt injection", "injection attack",
    "injectable", "xss", "csrf", "ssrf", "path traversal", "directory traversal", "traversal", "cve-", "ghsa-",
    "privilege escalation", "read any file", "arbitrary file", "arbitrary code", "remote code", "auth bypass",
    "bypass auth", "without permission", "unauthenticated", "security hole", "security issue", "security fix", "security scan",
    "security audit", "publicly readable", "public bucket", "open to the world", "exposed to the internet", "secret leaked",
    "hard coded key", "hardcoded key", "hard-coded key", "key is hard coded", "hardcoded secret",
    "hard coded secret", "hardcoded password", "hard coded password", "is hard coded in", "is hardcoded in",
    "leaked key", "leaked token", "real token", "npm token", "real key", "real password", "password in the",
    "secret in the", "api key in", "key in the repo", "credentials in", "in plain text", "plaintext password",
    "no auth check", "missing auth", "missing permission check", "anyone can read", "anyone can see",
    "anyone can delete", "other tenants", "idor", "replay protection", "replay attack", "brute force",
    "sandbox escape", "world readable", "world-readable", "leaks the token", "leaks the password",
    "information leak", "buffer overflow", "buffer overrun", "heap overflow", "out-of-bounds read", "out-of-bounds write",
    "use after free", "use-after-free", "double free", "before auth", "pre-auth", "without auth",
    "open redirect", "zip slip", "prototype pollution", "deserialization attack", "timing attack", "insecure",
    "sicherheitslücke", "schwachstelle", "faille", "vulnérab", "vulnerabilid", "inyección", "injeção",
    "kwetsbaar", "уязвим", "инъекц", "漏洞", "注入", "越权", "脆弱性", "インジェクション", "権限昇格", "취약",
];

/// A value or behaviour is demanded.
#[rustfmt::skip]
const DEMAND: &[&str] = &[
    "should be", "must be", "has to be", "needs to be", "ought to be", "must not be", "should not be", "soll ",
    "muss ", "sollte", "doit ", "debe ", "deve ", "moet ", "должн", "应该是", "必须是", "にすべき", "でなければ", "이어야",
];

/// Something is to be found out.
#[rustfmt::skip]
const QUESTION: &[&str] = &[
    "how ", "why", "where", "which", "what ", "who ", "when ", "explain", "find out", "find the cause",
    "find why", "root cause", "trouve pourquoi", "combien", "wie viele", "cuánt", "quant", "hoeveel", "сколько",
    "多少", "いくつ", "何件", "figure out", "investigate", "look into", "is it", "are there", "does ", "do we", "can we",
    "can you tell", "wie ", "warum", "wieso", "wo ", "welche", "erklär", "finde raus", "finde heraus",
    "schau dir", "comment", "pourquoi", "où ", "quel", "explique", "cómo", "por qué", "dónde", "cuál", "explica",
    "como ", "por que", "onde", "come ", "perché", "dove", "hoe ", "waarom", "waar", "как ", "почему", "где",
    "зачем", "объясни", "为什么", "怎么", "哪里", "哪个", "如何", "解释", "なぜ", "どうして", "どこ", "どう", "調べて", "教えて", "왜", "어떻게",
    "어디", "알려",
];

pub(super) fn contains_any(prompt: &str, table: &[&str]) -> bool {
    let mut end = prompt.len().min(READ);
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    let text = prompt[..end].to_lowercase();
    table.iter().any(|word| {
        let mut from = 0;
        while let Some(at) = text[from..].find(word) {
            let begins = text[..from + at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
            // Scripts without spaces have no starts of words.
            if begins || !word.as_bytes()[0].is_ascii() && !word.chars().next().is_some_and(is_spaced) {
                return true;
            }
            from += at + word.len();
        }
        false
    })
}

/// Recognises letters of scripts that put spaces between words.
fn is_spaced(c: char) -> bool {
    (c as u32) < 0x0590
}

/// Takes out where a word of trouble is none: `the format is fixed`, `a fixed size`, `a regression test`.
fn without_fixed(prompt: &str) -> String {
    #[rustfmt::skip]
    const STEADY: [&str; 13] = [
        "is fixed", "are fixed", "a fixed", "the fixed", "was fixed", "fixed-", "fixed size", "fixed width", "fixed position",
        "position: fixed", "position fixed", "of fixed", "regression test",
    ];
    STEADY.iter().fold(prompt.to_lowercase(), |text, mark| text.replace(mark, " "))
}

/// Says whether a prompt reports that something does not work.
pub(crate) fn is_trouble(prompt: &str) -> bool {
    // “stop, wrong file” has the word, and reports nothing.
    let is_symptom = |sentence: &&str| {
        contains_any(sentence, SYMPTOMS)
            && !super::request::is_order(sentence)
            && super::ground::says_something(sentence)
    };
    contains_any(&without_fixed(prompt), TROUBLE)
        || super::wording::sentences(prompt).iter().take(12).any(is_symptom)
}

/// Says whether a prompt asks for the same, built otherwise.
pub(crate) fn is_refactor(prompt: &str) -> bool {
    contains_any(&without_nouns(prompt), REFACTOR)
}

/// Takes out what was built otherwise already: `main got the currency refactor`.
fn without_nouns(prompt: &str) -> String {
    const ARTICLES: [&str; 12] =
        ["the", "a", "our", "this", "that", "last", "after", "since", "der", "die", "das", "le"];
    let lower = prompt.to_lowercase();
    let words: Vec<&str> = lower.split(' ').collect();
    let is_noun = |at: usize| {
        let bare = words[at].trim_matches(|c: char| !c.is_alphanumeric());
        let is_one = ["refactor", "refactoring", "cleanup", "split", "rename", "extract"].contains(&bare);
        is_one && words[at.saturating_sub(2)..at].iter().any(|word| ARTICLES.contains(word))
    };
    (0..words.len()).filter(|at| !is_noun(*at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

/// Says whether a prompt asks for tests.
pub(crate) fn is_about_tests(prompt: &str) -> bool {
    let text = prompt.to_lowercase();
    [
        "write tests",
        "write some tests",
        "write unit tests",
        "add tests",
        "add unit tests",
        "tests for",
        "test coverage",
        "cover the",
        "schreib tests",
        "tests für",
        "écris des tests",
        "ajoute des tests",
        "escribe tests",
        "escribe pruebas",
        "escreva testes",
        "scrivi test",
        "schrijf tests",
        "напиши тесты",
        "写测试",
        "テストを書いて",
        "테스트를 작성",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// Says whether a prompt asks for something new.
pub(crate) fn is_feature(prompt: &str) -> bool {
    contains_any(prompt, FEATURE)
}

/// Says whether a text is about an attack or a weakness.
pub(crate) fn is_security(text: &str) -> bool {
    contains_any(text, SECURITY)
}

/// Says whether a prompt demands how something should be.
pub(crate) fn is_demand(prompt: &str) -> bool {
    contains_any(prompt, DEMAND)
}

/// Says whether a prompt wants something to be found out.
pub(crate) fn is_question(prompt: &str) -> bool {
    prompt.contains(['?', '\u{ff1f}']) || contains_any(prompt, QUESTION)
}

/// A limit: what must be, may not be, or is needed.
#[rustfmt::skip]
const LIMITS: &[&str] = &[
    "must be", "must not", "must have", "must start", "must contain", "may not", "not allowed", "not permitted",
    "not supported", "does not support", "doesn't support", "unsupported", "requires", "required to", "is required", "at most", "at least", "maximum", "exceeds",
    "limit", "only supports", "no longer", "deprecated", "cannot be used", "incompatible", "reserved", "forbidden",
    "too many", "too large", "too long",
];

/// Says whether a message tells of a limit.
pub(crate) fn is_constraint(message: &str) -> bool {
    let text = message.to_lowercase();
    LIMITS.iter().any(|word| text.contains(word))
}
