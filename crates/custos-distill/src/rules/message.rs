//! What an agent said at the end, and how much of it is worth taking over.
//!
//! A sentence counts by what it names that the evidence knows, by whether it tells a cause or a value, and not at all if it is an offer, a
//! question, a plan or small talk. Claims that everything is fine are left out: the runs tell that themselves.

use super::names::Evidence;
use super::wording::{one_line, plain, sentences};

/// A sentence of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// What it says, without emphasis and without what only opens it.
    pub(crate) text: String,
    /// How concrete it is.
    pub(crate) weight: i32,
    /// Whether it tells why.
    pub(crate) is_cause: bool,
    /// Whether it tells what is left to do.
    pub(crate) is_ahead: bool,
    /// How many names of the evidence are in it.
    pub(crate) names: usize,
}

/// Openings that tell nothing.
#[rustfmt::skip]
const OPENINGS: &[&str] = &[
    "done:", "done.", "done -", "done,", "done the right way:", "fixed:", "fixed.", "fixed!", "confirmed and fixed:",
    "confirmed:", "found it:", "found it.", "found it!", "summary:", "in short:", "here is the short version:",
    "yes.", "yes,", "yes:", "no,", "no.", "root cause:", "the root cause:", "cause:", "fix:", "the fix:",
    "ursache gefunden:", "ursache:", "lösung:", "fertig:", "erledigt:", "ja,", "ja.", "nein,", "note:", "hinweis:",
    "one caveat:", "caveat:", "ok,", "ok.", "okay,", "great,", "perfect,", "sure,", "right,", "so ", "also,", "now ",
    "listo:", "hecho:", "pronto:", "fatto:", "klaar:", "готово:", "fini :", "voilà :", "terminé :", "feito:", "cause :", "correction :", "causa:", "solución:", "原因:", "原因\u{ff1a}", "修正:", "修正\u{ff1a}", "結論\u{ff1a}",
    "完了\u{ff1a}", "完了しました。",
];

/// What makes a sentence one of manners, offers and doubts.
#[rustfmt::skip]
const CHATTER: &[&str] = &[
    "let me know", "shall i", "should i", "would you like", "do you want", "want me to", "you're welcome",
    "you are welcome", "glad ", "happy to", "feel free", "anything else", "hope this", "sounds good", "i'll ",
    "i will ", "i'm going to", "let me ", "let's ", "ask me anything", "thanks", "i believe", "i think", "probably",
    "perhaps", "maybe", "might be", "i suspect", "i propose", "proposal", "suggestion", "i could ", "i suggest",
    "could still be", "i'd look", "i would look", "candidate", "my guess", "not sure",
    "soll ich", "möchtest du", "vorschlag", "gern,", "gerne", "bitte sehr", "vermutlich", "vielleicht",
    "wahrscheinlich", "ich schlage vor", "voulez-vous", "souhaitez", "veux-tu", "peut-être", "je propose", "quieres",
    "¿", "quizás", "propongo", "gostaria", "talvez", "vuoi che", "forse", "zal ik", "misschien", "хотите", "возможно",
    "предлагаю", "要不要", "是否需要", "可能是", "建议", "しましょうか", "どういたしまして", "いかがでしょう", "かもしれません", "提案", "할까요", "원하시면", "천만에요",
    "아마",
];

/// What tells why.
#[rustfmt::skip]
const CAUSES: &[&str] = &[
    "because", "since ", "root cause", "caused by", "due to", "hence", "therefore", "reason", "so that", " so ",
    "which meant", "which is why", "turned out", "the problem was", "the culprit", "still read", "compared only",
    "weil", "ursache", "deshalb", "dadurch", "wegen", "seit commit", "lag an", "parce que", "à cause", "la cause", "cause :", "alors que", "car ",
    "porque", "debido", "causa", "perché", "poiché", "omdat", "doordat", "потому", "из-за", "因为", "导致", "由于", "原因",
    "ため", "ので", "때문", "원인",
];

/// What tells that something is left to do.
#[rustfmt::skip]
const AHEAD: &[&str] = &[
    "next step", "not committed yet", "still open", "still to do", "remains to be", "left to do", "before the next",
    "before adding", "has to stay", "would be the next", "follow-up", "not done yet", "not implemented yet",
    "still has no", "still have no", "is still in", "still missing", "offen ist", "noch offen", "steht noch aus",
    "als nächstes", "fehlt noch", "reste à", "prochaine étape", "falta ", "pendiente", "próximo passo", "resta da",
    "nog te doen", "осталось", "следующий шаг", "下一步", "还需要", "残り", "次は", "未対応", "남은", "다음 단계",
];

/// What only claims that all is well.
#[rustfmt::skip]
const CLAIMS: &[&str] = &[
    "tests pass", "all green", "tests are green", "tests passed", "lint is clean", "clippy is clean",
    "everything passes", "all tests", "tests sind grün", "alles grün", "committed as", "working tree is clean",
    "build passes", "no behaviour change", "is fixed!", "race is fixed", "works now", "テストは通り", "すべて成功", "コミットしました",
    "测试通过", "全部通过",
];

fn has(text: &str, table: &[&str]) -> bool {
    table.iter().any(|word| text.contains(word))
}

/// Reads the sentences of a message, in their order.
pub(crate) fn read(message: &str, evidence: &Evidence<'_>) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (at, sentence) in sentences(message).into_iter().enumerate() {
        if sentence.ends_with(['?', '\u{ff1f}']) {
            continue;
        }
        let text = without_opening(&plain(sentence), at == 0);
        let lower = text.to_lowercase();
        if has(&lower, CHATTER) || text.chars().count() < 8 {
            continue;
        }
        let (known, unknown) = evidence.weigh(&text);
        let is_cause = has(&lower, CAUSES);
        let is_ahead = has(&lower, AHEAD);
        let has_value = text.bytes().any(|b| b.is_ascii_digit());
        let known_weight = i32::try_from(known.min(5)).unwrap_or(0) * 2;
        let unknown_weight = i32::try_from(unknown.min(5)).unwrap_or(0) * 2;
        let mut weight = known_weight - unknown_weight + i32::from(is_cause) * 3 + i32::from(has_value);
        // A claim that names what it rests on is more than one.
        if has(&lower, CLAIMS) && known < 2 {
            weight -= 4;
        }
        // What announces a list says nothing by itself.
        if text.ends_with([':', '\u{ff1a}']) {
            weight -= 3;
        }
        found.push(Sentence { text, weight, is_cause, is_ahead, names: known });
    }
    found
}

/// Takes off what only opens a sentence.
fn without_opening(text: &str, is_first: bool) -> String {
    let mut rest = text.trim();
    loop {
        let lower = rest.to_lowercase();
        // Lowering may change the length of other scripts; the openings themselves keep theirs.
        let Some(opening) = OPENINGS.iter().find(|opening| {
            lower.starts_with(**opening) && rest.is_char_boundary(opening.len()) && rest.len() > opening.len()
        }) else {
            break;
        };
        rest = rest[opening.len()..].trim_start();
    }
    // A word and a colon at the very beginning: “Encontrei: …”, “Gefunden: …”.
    if let Some((word, told)) = rest.split_once(": ").filter(|_| is_first)
        && word.chars().all(char::is_alphabetic)
        && !word.chars().skip(1).any(char::is_uppercase)
        && told.chars().count() >= 24
    {
        rest = told.trim_start();
    }
    let rest = one_line(rest);
    if rest.len() < text.trim().len() { super::wording::capitalised(&rest) } else { rest }
}

/// Takes the best sentences, at most so many and so long together, in the order in which they were said.
pub(crate) fn best(sentences: &[Sentence], least: i32, count: usize, most: usize) -> Vec<&Sentence> {
    let mut order: Vec<usize> = (0..sentences.len()).filter(|at| sentences[*at].weight >= least).collect();
    order.sort_by_key(|at| (-sentences[*at].weight, *at));
    let mut taken: Vec<usize> = Vec::new();
    let mut length = 0;
    for at in order {
        let chars = sentences[at].text.chars().count() + 1;
        if taken.len() < count && length + chars <= most {
            length += chars;
            taken.push(at);
        }
    }
    taken.sort_unstable();
    taken.into_iter().map(|at| &sentences[at]).collect()
}
