//! Titles that say nothing but where to look.
//!
//! "D-012 supersedes D-003" is no decision. It is what the fields of a decision and the tools that archive one are for, and as a title it
//! tells a reader of the list nothing. A title that adds anything of its own is left in peace.

/// A title that only points at other items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The ids that it names, in upper case, each once, in their order.
    pub ids: Vec<String>,
    /// What it wants done to them.
    pub what: Aim,
}

/// What a title wants done to the item that it points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aim {
    /// Something is added to it, or it is only referred to.
    Update,
    /// It no longer holds.
    Revoke,
    /// Another one takes its place.
    Supersede,
}

/// Words that point, in any of their forms, by their beginnings.
const POINTING: &[(Aim, &str)] = &[
    (
        Aim::Supersede,
        "supersed supercede replac overrid overrul obsolet successor merg duplicat mov ersetz ersatz ablös abgelös замен",
    ),
    (
        Aim::Revoke,
        "revok revocation retract rescind withdraw cancel archiv deprecat remov delet widerruf aufgehob отмен",
    ),
    (
        Aim::Update,
        "updat amend chang modif revis refin clarif correct exten addendum addition follow refer relat alias equal identical",
    ),
];

/// Words that say nothing beside the ids.
const SILENT: &str = "a an and also are as at be been by decision decisions favor favour for from has have in instead into is it its itself mark marked \
                      new note now of old on please same see should status that the there this to up was we were which with \
                      auch der die das dort durch entscheidung ist jetzt mit siehe und von wird wurde zu zugunsten \
                      в вместо и на решение решением см смотри смотрите теперь";

/// The longest title that is looked at, in bytes: what only points is short.
const LONGEST_POINTER: usize = 400;

/// Recognises a title that names ids and nothing else than what becomes of them.
pub fn points_at(title: &str) -> Option<Pointer> {
    if title.len() > LONGEST_POINTER {
        return None;
    }
    let mut ids: Vec<String> = Vec::new();
    let mut aim: Option<Aim> = None;
    let title = title.replace(['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}'], "-");
    let pieces = title.split_whitespace().map(without_store);
    let pieces = pieces.flat_map(|piece| piece.split(|c: char| !c.is_alphanumeric() && c != '-'));
    let words: Vec<String> =
        pieces.map(|piece| piece.trim_matches('-').to_lowercase()).filter(|word| !word.is_empty()).collect();
    // One `D3` alone is a library as well.
    let are_short = words.iter().filter(|word| is_id(word) || is_short_id(word)).count() > 1;
    for word in words {
        if is_id(&word) || are_short && is_short_id(&word) {
            let id = word.to_ascii_uppercase();
            if !ids.contains(&id) {
                ids.push(id);
            }
        } else if let Some(found) = aim_of(&word) {
            aim = aim.max(Some(found));
        } else if !SILENT.split(' ').any(|silent| silent == word) {
            return None;
        }
    }
    let from_one_to_another = ids.len() > 1 && title.contains(['→', '⇒', '>']);
    let unsaid = if from_one_to_another { Aim::Supersede } else { Aim::Update };
    (!ids.is_empty()).then(|| Pointer { ids, what: aim.unwrap_or(unsaid) })
}

/// Takes the store off the front of an id: `workspace:D-001` is the id, too.
fn without_store(word: &str) -> &str {
    let is_named =
        |id: &str| is_id(id.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str());
    word.split_once(':').map(|(_, id)| id).filter(|id| is_named(id)).unwrap_or(word)
}

/// Tells whether a word is the id of a decision, a task or a question.
fn is_id(word: &str) -> bool {
    let digits = ["d-", "b-", "q-"].iter().find_map(|sort| word.strip_prefix(sort));
    digits.is_some_and(|digits| (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Tells whether a word is the id of a decision, written as `D1`. `B2` and `Q3` are other things as often.
fn is_short_id(word: &str) -> bool {
    let digits = word.strip_prefix('d').unwrap_or_default();
    (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

fn aim_of(word: &str) -> Option<Aim> {
    let points = |beginnings: &str| beginnings.split(' ').any(|beginning| word.starts_with(beginning));
    POINTING.iter().find(|(_, beginnings)| points(beginnings)).map(|(aim, _)| *aim)
}
