//! The words that tell, language by language.
//!
//! English is spelled out, since most prompts are in it; the others have what is plain. In most of them the word for “always” may stand
//! anywhere in an instruction (`is_loose`), so that words of a symptom anywhere in the sentence speak against it.

mod east;
mod english;
mod west;

use east::{CHINESE, JAPANESE, KOREAN, RUSSIAN};
pub(super) use english::ENGLISH;
use west::{DUTCH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH};

/// The words of one language, in small letters with plain apostrophes.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other, and rows of a table")]
pub(super) struct Tongue {
    /// A no that begins a correction.
    pub(super) no: &'static [&'static str],
    /// Verbs of an instruction that take what is to be used.
    pub(super) uses: &'static [&'static str],
    /// What makes a correction of a no without a verb: “I meant”.
    pub(super) meant: &'static [&'static str],
    /// The same without a no.
    pub(super) meant_by_itself: &'static [&'static str],
    /// What makes a correction of a no, anywhere: “must”.
    pub(super) musts: &'static [&'static str],
    /// How a sentence begins that says what something should be.
    pub(super) should_be: &'static [&'static str],
    /// Words behind it that say nothing.
    pub(super) vague: &'static [&'static str],
    /// Says that something is as it is on purpose, anywhere.
    pub(super) deliberate: &'static [&'static str],
    /// Between the new and the old.
    pub(super) instead_of: &'static [&'static str],
    /// Between the old and the new.
    pub(super) swapped: &'static [&'static str],
    /// Says that something is replaced, without saying what.
    pub(super) instead: &'static [&'static str],
    /// Before the old, behind a comma.
    pub(super) not: &'static [&'static str],
    /// Always.
    pub(super) always: &'static [&'static str],
    /// How often, behind an instruction: “before every commit”.
    pub(super) habits: &'static [&'static str],
    /// Never.
    pub(super) never: &'static [&'static str],
    /// From now on: anywhere in a sentence.
    pub(super) from_now: &'static [&'static str],
    /// We agreed: at the start of a clause.
    pub(super) agreed: &'static [&'static str],
    /// What nobody says but to set a limit; ` … ` stands for anything in between, `^` for where a clause begins.
    pub(super) limits: &'static [&'static str],
    /// I prefer: at the start of a clause.
    pub(super) prefers: &'static [&'static str],
    /// Must, should: what makes a rule of any sentence.
    pub(super) modals: &'static [&'static str],
    /// Words of what happens by itself.
    pub(super) symptoms: &'static [&'static str],
    /// Who may stand before “always” or a verb.
    pub(super) openers: &'static [&'static str],
    /// Sayings that have the words and mean nothing.
    pub(super) idioms: &'static [&'static str],
    /// How questions and suppositions begin.
    pub(super) asks: &'static [&'static str],
    /// Where the name of a thing ends.
    pub(super) stops: &'static [&'static str],
    /// What stands before a name.
    pub(super) articles: &'static [&'static str],
    /// What stands behind a name.
    pub(super) particles: &'static [&'static str],
    /// Than, behind what is preferred.
    pub(super) than: &'static [&'static str],
    /// Who a description begins with.
    pub(super) determiners: &'static [&'static str],
    /// How verbs end that tell what somebody does.
    pub(super) third_person: &'static [&'static str],
    /// How an instruction ends, where that can be told.
    pub(super) ends: &'static [&'static str],
    /// Whether an instruction may end with an infinitive.
    pub(super) has_infinitive_last: bool,
    /// Whether “always” may stand anywhere.
    pub(super) is_loose: bool,
    /// Whether words are written without spaces.
    pub(super) is_dense: bool,
    /// Whether a verb comes behind what it is about.
    pub(super) is_verb_last: bool,
}

/// Nothing, for what a language does not need.
pub(super) const SILENT: Tongue = Tongue {
    no: &[],
    uses: &[],
    meant: &[],
    meant_by_itself: &[],
    musts: &[],
    should_be: &[],
    vague: &[],
    deliberate: &[],
    instead_of: &[],
    swapped: &[],
    instead: &[],
    not: &[],
    always: &[],
    habits: &[],
    never: &[],
    from_now: &[],
    agreed: &[],
    limits: &[],
    prefers: &[],
    modals: &[],
    symptoms: &[],
    openers: &[],
    idioms: &[],
    asks: &[],
    stops: &[],
    articles: &[],
    particles: &[],
    than: &[],
    determiners: &[],
    third_person: &[],
    ends: &[],
    has_infinitive_last: false,
    is_loose: true,
    is_dense: false,
    is_verb_last: false,
};

/// What leads in, in any language.
// A table, to be read as a whole.
#[rustfmt::skip]
pub(super) const FILLERS: &[&str] = &[
    "ok", "okay", "k", "hey", "hi", "well", "so", "and", "also", "but", "then", "please", "pls", "plz", "ah", "oh",
    "hm", "hmm", "uh", "um", "actually", "btw", "by the way", "note", "important", "remember", "reminder", "yes",
    "yeah", "yep", "right", "sure", "great", "good", "nice", "thanks", "thx", "just", "fyi", "ps", "one more thing",
    "again", "rule", "sorry", "wait", "stop", "cool", "perfect", "now", "still", "todo", "nb", "listen", "look",
    "bitte", "und", "aber", "ja", "gut", "achtung", "wichtig", "danke", "ach", "nochmal", "dann", "merke",
    "hinweis", "übrigens", "stopp", "halt", "s'il te plaît", "stp", "svp", "et", "mais", "oui", "bon", "alors",
    "attention", "au fait", "merci", "bien", "donc", "d'accord", "por favor", "y", "pero", "sí", "vale", "bueno",
    "ojo", "oye", "gracias", "entonces", "e", "mas", "sim", "então", "beleza", "obrigado", "per favore", "ma", "sì",
    "allora", "bene", "grazie", "attenzione", "en", "maar", "graag", "alsjeblieft", "prima", "let op", "dus", "oké",
    "пожалуйста", "и", "но", "да", "так", "ладно", "хорошо", "важно", "кстати",
];

/// All languages, the most frequent first.
pub(super) fn all() -> &'static [&'static Tongue] {
    const ALL: [&Tongue; 11] = [
        &ENGLISH,
        &GERMAN,
        &FRENCH,
        &SPANISH,
        &PORTUGUESE,
        &ITALIAN,
        &DUTCH,
        &RUSSIAN,
        &CHINESE,
        &JAPANESE,
        &KOREAN,
    ];
    &ALL
}
