//! What the person answers an agent: that it should stop, that it is wrong, which of two ways to go.

use super::commands::Purpose;
use super::story::Story;
use super::wording::one_line;
use super::words;

/// Words with which people stop an agent.
#[rustfmt::skip]
const OBJECTIONS: &[&str] = &[
    "no", "nope", "stop", "wait", "not", "don't", "dont", "undo", "revert", "wrong", "nein", "halt", "stopp",
    "warte", "falsch", "nicht", "non", "arrête", "attends", "pas", "no,", "para", "espera", "não", "pare",
    "ferma", "aspetta", "nee", "wacht", "нет", "стой", "подожди", "不", "不是", "不要", "停", "等等", "いや", "違う", "待って",
    "ちがう", "아니", "잠깐",
];

/// Recognises a prompt that stops the agent or says no to it.
pub(crate) fn is_objection(prompt: &str) -> bool {
    let text = prompt.trim_start().to_lowercase();
    OBJECTIONS.iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with(|c: char| c.is_whitespace() || ",.!:;、。\u{ff01}\u{ff0c}".contains(c))
        })
    })
}

/// Says whether a turn changed or took back what the turn before it had edited: then the person's no was about that.
pub(crate) fn touches_earlier_work(story: &Story<'_>) -> bool {
    let Some(last) = story.before.last() else { return false };
    let edited: Vec<&String> = last
        .steps
        .iter()
        .filter(|step| matches!(step.what, crate::What::Edited(_)))
        .flat_map(|step| &step.files_changed)
        .collect();
    let again =
        story.turn.steps.iter().flat_map(|step| &step.files_changed).any(|file| edited.contains(&file));
    let reverts =
        story.trials.iter().any(|trial| trial.is_own && matches!(trial.run.purpose, Purpose::Revert(_)));
    again || reverts && !edited.is_empty()
}

/// Gives a prompt that answers what the agent asked, where it is more than a yes and was acted upon.
pub(crate) fn reply(story: &Story<'_>, prompt: &str) -> Option<String> {
    const LONGEST: usize = 240;
    let last = story.before.last()?.message.as_deref()?;
    let asked = last.trim_end().ends_with(['?', '\u{ff1f}']);
    let text = one_line(prompt);
    let lower = text.to_lowercase();
    let yes = [
        "yes",
        "y ",
        "ok",
        "sure",
        "go ahead",
        "do it",
        "please",
        "ja",
        "klar",
        "oui",
        "sí",
        "sim",
        "si,",
        "да",
        "好",
        "可以",
        "はい",
        "お願い",
        "네",
    ];
    let goes = [
        "try ",
        "go ",
        "do ",
        "start ",
        "continue",
        "sounds ",
        "fine",
        "plausible",
        "great",
        "nice",
        "good",
        "maybe",
        "hm",
        "probier",
        "versuch",
        "mach ",
        "essaie",
        "prueba",
        "prova",
    ];
    let is_bare = yes.iter().chain(&goes).any(|word| lower.starts_with(word))
        || text.chars().filter(|c| c.is_alphanumeric()).count() < 16;
    let acts = story
        .turn
        .steps
        .iter()
        .any(|step| matches!(step.what, crate::What::Edited(_)) && step.ok != Some(false));
    let is_long = text.chars().count() > LONGEST;
    let is_order =
        super::wording::sentences(prompt).first().is_some_and(|sentence| super::request::is_order(sentence));
    (asked && acts && !is_bare && !is_long && !is_order && !words::is_question(prompt)).then_some(text)
}
