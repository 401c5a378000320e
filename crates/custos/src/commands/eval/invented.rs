//! Invented observations, by the million: words as rare and as common as in real texts, in sessions, in several projects.
//!
//! The same seed gives the same memory, so that two measurements are of one thing.

use std::sync::LazyLock;

use custos_embed::{EmbedderId, Vector};
use custos_model::{Draft, Importance, Kind, Scope, Timestamp};
use serde_json::{Map, Value, json};

/// How many different words there are, and how many projects.
const WORDS: u64 = 30_000;
const PROJECTS: u64 = 8;

/// How many observations a session has.
const SESSION: usize = 40;

/// When the first one was made, and how long after it the next.
const BEGINNING: i64 = 1_700_000_000_000;
const STEP_MS: i64 = 20_000;

const SORTS: [&str; 7] = ["bugfix", "feature", "refactor", "change", "discovery", "decision", "security"];

/// Draws numbers from a seed: SplitMix64.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Draws a number between 0 and 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws the rank of a word as texts have them: the second is half as frequent as the first, the tenth a tenth.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and WORDS")]
    fn rank(&mut self) -> u64 {
        ((WORDS as f64).powf(self.share()) as u64 - 1).min(WORDS - 1)
    }

    /// Draws a direction.
    pub(super) fn vector(&mut self, embedder: &EmbedderId, dims: usize) -> Vector {
        let bytes: Vec<u8> =
            (0..dims.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).take(dims).collect();
        Vector::from_bytes(embedder.clone(), &bytes)
    }
}

/// Spells the word of a rank: one that everybody uses, or two of them in one, as names in code are.
///
/// Real ones, because an embedder cuts what it has never seen into many tokens, and takes its time for each.
pub(super) fn word(rank: u64) -> String {
    static LIST: LazyLock<Vec<&str>> = LazyLock::new(|| COMMON.split_ascii_whitespace().collect());
    let count = LIST.len() as u64;
    let pick = |at: u64| LIST[usize::try_from(at % count).unwrap_or(0)];
    if rank < count { pick(rank).to_owned() } else { format!("{}{}", pick(rank / count - 1), pick(rank)) }
}

/// Words of programs and of those who write about them, roughly the most frequent first.
const COMMON: &str = "\
    the of to and in is for with on that it was from be not when this by are as at or has now after test \
    file line code error build server client request token cache queue user data time value name path \
    index table field type call read write log key map list node tree page form view link port host \
    route rule role team task plan step unit case word text note mark sign lock thread pool batch retry \
    limit range count size byte bit flag mode state store load save open close start stop wait send \
    reply fetch parse render draw paint click drag drop scroll resize account logout session cookie header \
    body query filter sort group join merge split branch commit push pull clone rebase patch release \
    deploy rollback backup restore import export upload download install update upgrade remove delete \
    create rename move copy paste search find replace match skip ignore allow deny grant revoke sync \
    async await yield event hook signal timer clock date zone locale number string array object class \
    struct trait enum module package crate library kernel driver device memory buffer stream socket \
    packet proxy gateway cluster shard replica leader follower vote quorum";

/// Names a project.
pub(super) fn project(number: u64) -> String {
    format!("example.com/invented/{}", word(number))
}

fn text(chance: &mut Chance, words: u64) -> String {
    let words: Vec<String> = (0..words).map(|_| word(chance.rank())).collect();
    words.join(" ")
}

/// Makes the observation of a number.
pub(super) fn observation(number: usize) -> Draft {
    let mut chance = Chance::new(number as u64);
    let session = number / SESSION;
    // The first project has half of all, the second a quarter, and so on.
    let project_number = u64::from(Chance::new(session as u64 ^ 0x5e55).next().trailing_zeros()) % PROJECTS;
    let narrative = 25 + chance.below(40);
    let facts: Vec<String> = (0..chance.below(4)).map(|_| text(&mut chance, 9)).collect();
    let file = format!("src/{}/{}.rs", word(chance.below(40)), word(chance.rank()));
    let body = json!({
        "type": SORTS[usize::try_from(chance.below(7)).unwrap_or(0)], "title": text(&mut chance, 7),
        "narrative": text(&mut chance, narrative), "facts": facts, "files_modified": [file],
    });
    let body = match body {
        Value::Object(body) => body,
        _ => Map::new(),
    };
    let mut draft = Draft::new(Kind::ObservationRecorded, Scope::Project, body);
    let step = i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(STEP_MS);
    draft.ts = Some(Timestamp::from_millis(BEGINNING.saturating_add(step)));
    draft.project = Some(project(project_number));
    draft.session = Some(format!("invented-{session}"));
    draft.importance = Importance::new(chance.share());
    draft
}

/// A kind of question, and some of it.
pub(super) struct Questions {
    pub(super) name: &'static str,
    pub(super) texts: Vec<String>,
}

/// Makes so many questions of each kind.
pub(super) fn questions(count: usize) -> Vec<Questions> {
    let mut chance = Chance::new(0xa5c);
    let mut several = |name, ranks: &[(u64, u64)]| {
        let mut text = || {
            let words = ranks.iter().map(|(least, most)| word(least + chance.below(most - least)));
            words.collect::<Vec<_>>().join(" ")
        };
        Questions { name, texts: (0..count).map(|_| text()).collect() }
    };
    vec![
        Questions { name: "nothing", texts: vec![String::new(); count] },
        several("a rare word", &[(10_000, WORDS)]),
        several("several words", &[(20, 200), (200, 2000), (200, 2000), (2000, WORDS), (5, 50)]),
        several("very common words", &[(0, 4), (0, 8), (2, 12)]),
        several(
            "a sentence",
            &[
                (0, 20),
                (0, 200),
                (5, 50),
                (200, 2000),
                (0, 20),
                (20, 200),
                (0, 10),
                (2000, 9000),
                (0, 100),
                (50, 500),
            ],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_word_is_another() {
        let words: HashSet<String> = (0..WORDS).map(word).collect();
        assert_eq!(words.len() as u64, WORDS);
    }

    #[test]
    fn the_same_number_gives_the_same_observation() {
        let (a, b) = (observation(7), observation(7));
        assert_eq!((a.body, a.project, a.session), (b.body, b.project, b.session));
    }
}
