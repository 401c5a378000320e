//! The words of the corpus: some two thousand, of which the greater part is composed.
//!
//! The lists are short enough to read; identifiers are made from verbs and nouns in the styles that code
//! uses. The order of a list is its order of frequency, and the vocabulary is the same for every seed: two
//! corpora differ in what they say, not in the language they say it in.

use std::iter;

use crate::random::Random;

/// The glue of English sentences, most frequent first.
const FUNCTION_WORDS: &str = "the to of in and a is it for that on with not this was be by from as when if are we \
    so an at now only after before then no all one but has into which its still also because first same there \
    can does how until must instead each more any without than while once never always where again \
    every both";

/// Words of the trade.
const PLAIN_WORDS: &str = "test error file build function type value call return change line code fails run fixed \
    missing check request response server client config option default path module crate package version release \
    branch commit merge rebase conflict review pull issue bug regression patch feature flag refactor cleanup rename \
    extract inline move delete remove add update replace rewrite split join wrap unwrap panic crash hang deadlock \
    race timeout retry backoff limit budget quota latency throughput memory leak allocation copy clone borrow \
    lifetime reference pointer thread task future stream channel queue buffer batch chunk page block segment record \
    row column table index query schema migration transaction rollback snapshot backup restore replica shard \
    partition key hash digest checksum signature token session cookie header body payload field string number \
    boolean array list map set tree graph node edge root leaf depth parser lexer grammar syntax compiler linker \
    target binary library dependency feature lockfile registry mirror container image volume mount network socket \
    port proxy gateway route endpoint handler middleware filter hook event listener callback signal interrupt \
    process daemon worker scheduler timer clock date zone offset cursor window frame pixel font colour theme layout \
    style component widget button form input output console terminal prompt command argument environment variable \
    constant macro template generic trait interface class method property getter setter iterator closure lambda \
    expression statement condition loop recursion stack heap register cache miss hit eviction prefetch warm cold \
    fast slow cheap expensive simple complex broken flaky stable green red pending ready done blocked unknown \
    invalid valid empty full partial complete wrong right correct exact fuzzy strict loose public private internal \
    external local remote upstream downstream upper lower inner outer left first last next previous current stale \
    fresh duplicate unique ordered sorted random seeded deterministic parallel serial atomic durable volatile \
    readable writable hidden visible documented deprecated experimental optional required nested flat wide narrow \
    rounding overflow underflow precision encoding decoding escaping quoting parsing formatting logging tracing \
    metrics coverage benchmark profile sample assertion fixture mock stub snapshotting property fuzzing corpus \
    compression encryption permission owner group role policy rule guard audit consent secretless sandbox escape \
    symlink directory descriptor handle lock mutex semaphore barrier fence pipeline stage step workflow artefact \
    deployment rollout canary incident alert dashboard threshold baseline estimate deadline milestone backlog \
    decision trade-off assumption invariant contract boundary layer adapter wrapper facade plugin extension manifest";

/// What identifiers do.
const VERBS: &str = "parse read write load store open close fetch send encode decode resolve validate merge build \
    render format collect find lookup insert remove update apply revert start stop spawn wait poll flush drain \
    acquire release lock unlock compute compare normalize";

/// What identifiers do it with.
const NOUNS: &str = "header config token user account invoice order cart price ledger entry balance session request \
    response route page layout theme font glyph buffer chunk segment record cursor index query schema column row \
    batch queue job worker timer event hook policy rule grant secret key digest manifest package version branch \
    commit diff patch file folder path link socket stream frame packet cache bucket tree node leaf edge shape";

/// German, function words first.
const GERMAN: &str = "die der und das in zu den nicht von mit ist auf für ein eine dem wird auch aus nach bei noch nur \
    wenn aber dass wir jetzt wurde mehr über beim keine damit schon hier Fehler Datei Prüfung Änderung Größe \
    Schlüssel Zugriff Abfrage Verzeichnis Einstellung Sitzung Speicher Zeile Tabelle Rückgabe Ergebnis Prozess \
    Warteschlange Übersetzung Abhängigkeit Zeitüberschreitung Verbindung Anmeldung Benutzer Rechnung Bestellung \
    Sicherung Wiederherstellung Entscheidung Aufgabe prüfen ändern löschen schließen öffnen schreiben lesen \
    vergleichen berechnen zurückgeben fehlt falsch richtig langsam schneller leer doppelt gültig ungültig häufig \
    zunächst anschließend schließlich außerdem deshalb trotzdem möglicherweise";

/// Japanese and Chinese, written without spaces as they are.
const UNSPACED: &str = "エラーを修正しました 設定ファイルを読み込む テストが失敗する 検索結果 日本語の文字列 データベース接続 \
    認証トークン 非同期処理 メモリ使用量 変更履歴 関数の戻り値 依存関係を更新 型が一致しない ログを確認する 並行処理の競合 \
    索引を再構築 入力を検証する 例外を処理する 既定の設定 応答時間 修复了错误 配置文件 测试失败 搜索结果 数据库连接 缓存已过期 \
    更新依赖 用户会话 权限不足 并发冲突 内存泄漏 重建索引 输入验证 返回值类型 性能基准 日志文件 提交记录 合并分支 回滚事务 编码问题";

/// How many identifiers are composed.
const IDENTIFIERS: usize = 1_450;

/// The words, each list with its frequencies.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// English and code, as it is mixed in prose about code.
    pub(super) english: Ranked,
    pub(super) german: Ranked,
    pub(super) unspaced: Ranked,
    /// Identifiers alone, for code.
    pub(super) identifiers: Ranked,
    /// Files that are read and changed.
    pub(super) paths: Ranked,
}

/// Words whose frequency falls with their rank, as Zipf found it to.
#[derive(Debug)]
pub(super) struct Ranked {
    words: Vec<String>,
    /// For each word, the sum of the weights up to and including it.
    cumulative: Vec<u64>,
}

impl Vocabulary {
    pub(super) fn new() -> Self {
        // A fixed seed: the language does not depend on the corpus.
        let mut random = Random::seeded(0x5EED);
        let identifiers = compose_identifiers(&mut random);
        let mut plain: Vec<String> = owned(PLAIN_WORDS).collect();
        random.shuffle(&mut plain);
        let mut paths = compose_paths();
        random.shuffle(&mut paths);
        Self {
            english: Ranked::new(owned(FUNCTION_WORDS).chain(plain).chain(identifiers.iter().cloned())),
            german: Ranked::new(owned(GERMAN)),
            unspaced: Ranked::new(owned(UNSPACED)),
            identifiers: Ranked::new(identifiers),
            paths: Ranked::new(paths),
        }
    }
}

impl Ranked {
    /// Flattens the head of the curve: without it, one word in eight would be the very first.
    const HEAD: u64 = 10;

    fn new(words: impl IntoIterator<Item = String>) -> Self {
        let words: Vec<String> = words.into_iter().collect();
        let cumulative = (Self::HEAD..)
            .take(words.len())
            .scan(0, |sum, rank| {
                *sum += 1_000_000_000 / rank;
                Some(*sum)
            })
            .collect();
        Self { words, cumulative }
    }

    pub(super) fn draw(&self, random: &mut Random) -> &str {
        let total = self.cumulative.last().copied().unwrap_or_default();
        let drawn = random.within(0..total);
        let rank = self.cumulative.partition_point(|&sum| sum <= drawn);
        &self.words[rank]
    }

    #[cfg(test)]
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }
}

fn owned(list: &'static str) -> impl Iterator<Item = String> {
    list.split_whitespace().map(str::to_owned)
}

fn compose_identifiers(random: &mut Random) -> Vec<String> {
    let mut pairs: Vec<(&str, &str)> =
        VERBS.split_whitespace().flat_map(|verb| iter::repeat(verb).zip(NOUNS.split_whitespace())).collect();
    random.shuffle(&mut pairs);
    pairs.truncate(IDENTIFIERS);
    pairs.into_iter().map(|(verb, noun)| compose_identifier(verb, noun, random)).collect()
}

fn compose_identifier(verb: &str, noun: &str, random: &mut Random) -> String {
    match random.within(0..10) {
        0..4 => format!("{verb}_{noun}"),
        4..7 => format!("{verb}{}", capitalised(noun)),
        7 => format!("{}{}", capitalised(verb), capitalised(noun)),
        8 => format!("{noun}.{verb}"),
        _ => format!("{}_{}", verb.to_uppercase(), noun.to_uppercase()),
    }
}

fn compose_paths() -> Vec<String> {
    let nouns: Vec<&str> = NOUNS.split_whitespace().collect();
    let verbs: Vec<&str> = VERBS.split_whitespace().collect();
    let places = [
        ("src", "rs"),
        ("tests", "rs"),
        ("web/components", "tsx"),
        ("internal", "go"),
        ("lib", "py"),
        ("docs", "md"),
    ];
    (0..240)
        .map(|i| {
            let (place, extension) = places[i % places.len()];
            let (noun, verb) = (nouns[i % nouns.len()], verbs[i % verbs.len()]);
            format!("{place}/{noun}/{verb}_{noun}_{i}.{extension}")
        })
        .collect()
}

/// Begins a plain word with a capital, as sentences do; an identifier keeps its spelling.
pub(super) fn capitalised(word: &str) -> String {
    if !word.chars().all(char::is_lowercase) {
        return word.to_owned();
    }
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_about_two_thousand_words() {
        let vocabulary = Vocabulary::new();
        let lists = [&vocabulary.english, &vocabulary.german, &vocabulary.unspaced];
        let distinct: BTreeSet<&String> = lists.iter().flat_map(|list| list.words()).collect();
        assert!((1_900..2_200).contains(&distinct.len()), "{}", distinct.len());
    }

    #[test]
    fn the_language_is_the_same_every_time() {
        assert_eq!(Vocabulary::new().english.words(), Vocabulary::new().english.words());
    }

    #[test]
    fn identifiers_come_in_every_style() {
        let vocabulary = Vocabulary::new();
        let words = vocabulary.identifiers.words();
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), IDENTIFIERS);
        let some = |test: fn(&str) -> bool| words.iter().any(|word| test(word));
        assert!(some(|word| word.contains('_') && word.chars().all(|c| c == '_' || c.is_lowercase())));
        assert!(some(|word| word.contains('_') && word.chars().all(|c| c == '_' || c.is_uppercase())));
        assert!(some(
            |word| word.chars().all(char::is_alphabetic) && word.chars().skip(1).any(char::is_uppercase)
        ));
        assert!(some(|word| word.contains('.')));
    }

    #[test]
    fn frequency_falls_with_rank() {
        let ranked = Ranked::new((0..1_000).map(|rank| rank.to_string()));
        let mut random = Random::seeded(11);
        let mut drawn = vec![0_u32; 1_000];
        for _ in 0..100_000 {
            drawn[ranked.draw(&mut random).parse::<usize>().unwrap()] += 1;
        }
        let share = |ranks: std::ops::Range<usize>| drawn[ranks].iter().sum::<u32>() / 1_000;
        // ln(110/10), ln(210/110) … over ln(1010/10), in percent.
        assert!((50..54).contains(&share(0..100)), "{}", share(0..100));
        assert!((12..16).contains(&share(100..200)), "{}", share(100..200));
        assert!((6..9).contains(&share(700..1_000)), "{}", share(700..1_000));
    }
}
