//! What the person settled, in their own words.

mod title;

use custos_model::Sort;

use super::bounds;
use super::choices::{self, Choice};
use super::commands::Purpose;
use super::draft::Draft;
use super::facts;
use super::names;
use super::objections;
use super::said::{self, Stance, Statement};
use super::story::{Story, is_noise, joined, without_markers};
use super::wording::{TITLE, capitalised, headline, one_line, quoted, row};
use super::words;
use crate::Found;

/// So much of a prompt is quoted beside a statement: mostly the reason stands next to it.
const QUOTED: usize = 200;

/// A reply that is no longer may be nothing but a choice.
const SHORT_REPLY: usize = 60;

/// Decisions of a turn, and whether they say all that there is to say about its work.
pub(crate) struct Decisions {
    pub(crate) found: Vec<Found>,
    /// Whether the work is told with the decision: the prompt was nothing but it.
    pub(crate) absorb_work: bool,
    /// What the person did not want any more.
    pub(crate) rejected: Vec<String>,
    /// Whether they said no to what the turn before had done.
    pub(crate) objects: bool,
    /// What they wanted to be left alone in this task.
    pub(crate) bounds: Vec<String>,
}

/// Finds what the person settled in a turn.
pub(crate) fn found(story: &Story<'_>) -> Decisions {
    let mut statements: Vec<(String, Statement)> = Vec::new();
    let mut choice: Option<Found> = None;
    for said in &story.turn.said {
        let prompt = without_markers(&said.text);
        let stated = said::statements(&prompt);
        if stated.is_empty() && prompt.chars().count() <= SHORT_REPLY {
            choice = choices::resolved(story, &prompt).map(|choice| chosen(story, &choice, &prompt));
        }
        for statement in stated {
            if bounds::is_description(&statement, &prompt) || bounds::is_of_the_session(&statement, story) {
                continue;
            }
            // Who points at an option says nothing without it.
            if choices::pointed(&statement.text).is_some() && names::names(&statement.text).is_empty() {
                let resolved = choices::resolved(story, &statement.text);
                choice = resolved.map(|choice| chosen(story, &choice, &statement.text)).or(choice);
                continue;
            }
            // “no, use the other file” is over when it is done.
            let names_nothing = statement
                .subject
                .as_deref()
                .map_or_else(|| !super::ground::says_something(&statement.text), super::ground::is_pointing);
            if statement.stance == Stance::Correction && names_nothing {
                continue;
            }
            statements.push((prompt.clone(), statement));
        }
    }
    // What bounds the task at hand is told with the task, and over when it is.
    let (of_task, statements): (Vec<_>, Vec<_>) =
        statements.into_iter().partition(|(prompt, statement)| bounds::is_of_the_task(statement, prompt));
    let bounds: Vec<String> = of_task.into_iter().map(|(_, statement)| statement.text).collect();
    let prompt = joined(story.turn);
    let told: usize = statements.iter().map(|(_, statement)| statement.text.chars().count()).sum();
    let is_nothing_else = told * 20 >= one_line(&prompt).chars().count() * 9;
    let is_reply = !story.carried.is_empty() || !story.asked.is_empty();
    let has_bugfix_signs = super::work::confirmed(story).is_some();
    // What is newly defined is more than what the person said.
    let brings_new = !facts::Symbols::of(story).added.is_empty();
    let is_all = told * 10 >= one_line(&prompt).chars().count() * 8;
    // What spans many files is work of its own, whatever was said with it.
    let touched = story.net.changes.iter().filter(|change| !is_noise(&change.path)).count();
    // And so is what was asked for besides.
    let is_told = |sentence: &&str| {
        statements.iter().any(|(_, statement)| {
            statement.text.contains(*sentence) || sentence.contains(statement.text.as_str())
        })
    };
    let asks_more = super::wording::sentences(&prompt)
        .iter()
        .any(|sentence| super::request::is_order(sentence) && !is_told(sentence));
    let absorb_work = (1..=3).contains(&touched)
        && !asks_more
        && !statements.is_empty()
        && is_nothing_else
        && (is_all || !brings_new)
        && !is_reply
        && !has_bugfix_signs;
    let rejected = statements.iter().filter_map(|(_, statement)| statement.instead_of.clone()).collect();
    let together = gathered(statements);
    let alone = together.len() == 1;
    let mut found: Vec<Found> =
        together.iter().map(|group| decision(story, group, absorb_work && alone)).collect();
    found.extend(choice);
    if found.is_empty()
        && let Some(demanded) = demanded(story, &prompt)
    {
        return Decisions { found: vec![demanded], absorb_work: true, rejected, objects: false, bounds };
    }
    let objects = objections::is_objection(&prompt) && objections::touches_earlier_work(story);
    if found.is_empty()
        && let Some(text) = objections::reply(story, &prompt)
    {
        let statement =
            Statement { stance: Stance::Correction, text, subject: None, instead_of: None, core: None };
        found.push(decision(story, &[(prompt.clone(), statement)], false));
    }
    // What one quotes with its own sentence is not told again.
    let quoted: Vec<String> = found
        .iter()
        .map(|one| format!("{} {}", one.observation.title, one.observation.narrative).to_lowercase())
        .collect();
    let mut at = 0;
    found.retain(|one| {
        let is_quoted = quoted[..at].iter().any(|text| text.contains(&one.observation.title.to_lowercase()));
        at += 1;
        !is_quoted
    });
    found.truncate(5);
    Decisions { found, absorb_work, rejected, objects, bounds }
}

/// Tells an option that was chosen, with what was said for it and what was not taken.
fn chosen(story: &Story<'_>, choice: &Choice, reply: &str) -> Found {
    let title = capitalised(&headline(&choice.chosen, TITLE));
    let mut draft = Draft::new(Sort::Decision, &title)
        .said()
        .tell(&format!("The person chose: {}.", quoted(&one_line(reply), 90)));
    let last = story.before.last().and_then(|turn| turn.message.as_deref()).unwrap_or_default();
    let told = super::message::read(last, &story.evidence);
    let against: Vec<_> =
        told.into_iter().filter(|sentence| sentence.is_cause || sentence.names > 0).collect();
    for sentence in super::message::best(&against, 1, 1, 220) {
        if !sentence.text.contains(choice.chosen.as_str()) {
            draft = draft.tell(&sentence.text);
        }
    }
    draft.fact(&format!("Not chosen: {}", choice.others.join("; "))).found()
}

/// Says whether what the person said holds beyond the task at hand.
pub(crate) fn is_standing(one: &Found) -> bool {
    said::statements(&one.observation.title)
        .iter()
        .any(|statement| !matches!(statement.stance, Stance::Correction | Stance::Preference))
}

/// Takes off what only ties a sentence to the one before it.
fn without_tie(text: &str) -> &str {
    const TIES: [&str; 30] = [
        "ok ", "ok, ", "ok. ", "okay ", "okay, ", "yes ", "yes, ", "yeah ", "good. ", "nice. ", "great, ",
        "great. ", "and ", "but ", "also ", "then ", "so ", "btw ", "btw, ", "please ", "aber ", "und ",
        "dann ", "et ", "mais ", "y ", "pero ", "e ", "maar ", "oh, ",
    ];
    let mut rest = text;
    while let Some(tie) = TIES.iter().find(|tie| {
        rest.len() > tie.len() && rest.get(..tie.len()).is_some_and(|head| head.eq_ignore_ascii_case(tie))
    }) {
        rest = rest[tie.len()..].trim_start();
    }
    rest
}

/// Statements of one prompt belong together where they go on in the same breath (`never edit gen/ by hand! change the .proto instead`),
/// where a rule follows a correction, and where they speak of the same thing.
fn gathered(statements: Vec<(String, Statement)>) -> Vec<Vec<(String, Statement)>> {
    let mut groups: Vec<Vec<(String, Statement)>> = Vec::new();
    for (prompt, statement) in statements {
        let follows = groups.last().and_then(|group| group.last()).is_some_and(|(last_prompt, last)| {
            let gap = between(&prompt, &last.text, &statement.text);
            let are_limits = last.stance == Stance::Limit && statement.stance == Stance::Limit;
            let is_short = last.text.chars().count() + statement.text.chars().count() < TITLE;
            let in_one_breath = gap.is_some_and(|gap| gap <= 3) && (are_limits || is_short);
            let corrects = last.stance == Stance::Correction && statement.stance != Stance::Correction;
            *last_prompt == prompt && (in_one_breath || corrects || share_word(&last.text, &statement.text))
        });
        match groups.last_mut().filter(|_| follows) {
            Some(group) => group.push((prompt, statement)),
            None => groups.push(vec![(prompt, statement)]),
        }
    }
    groups
}

/// Says whether two sentences have a longer word in common.
fn share_word(a: &str, b: &str) -> bool {
    shared_words(a, b) > 0
}

fn shared_words(a: &str, b: &str) -> usize {
    const EMPTY: [&str; 14] = [
        "please", "never", "alway", "should", "before", "because", "their", "there", "these", "instead",
        "every", "where", "which", "immer",
    ];
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 4)
            .map(|word| word.to_lowercase().trim_end_matches('s').to_owned())
            .collect()
    };
    let other = words(b);
    words(a).iter().filter(|word| !EMPTY.contains(&word.as_str()) && other.contains(word)).count()
}

/// Counts the characters between two sentences of a prompt.
fn between(prompt: &str, first: &str, second: &str) -> Option<usize> {
    let begin = prompt.find(first)? + first.len();
    prompt[begin..].find(second)
}

fn decision(story: &Story<'_>, group: &[(String, Statement)], with_work: bool) -> Found {
    let texts: Vec<&str> = group.iter().map(|(_, statement)| statement.text.trim()).collect();
    let together = one_line(&texts.join(" "));
    let is_long = together.chars().count() > TITLE;
    // A rule says more for the next day than the correction that led to it.
    let rule = group.iter().find(|(_, statement)| statement.stance != Stance::Correction).filter(|_| is_long);
    let (prompt, first) = rule.unwrap_or(&group[0]);
    let text = if is_long { one_line(first.text.trim()) } else { together };
    let title = title::title(&text, first, prompt);
    let mut draft = Draft::new(Sort::Decision, &title).said();
    let whole = one_line(prompt);
    // What the title says need not be said again: only what stands around it.
    let bare = |text: &str| text.trim_end_matches(['.', '!', '。', '\u{ff01}', ' ']).to_lowercase();
    let place =
        whole.to_lowercase().find(&bare(&title)).filter(|_| whole.to_lowercase().len() == whole.len());
    let said = place.and_then(|at| whole.get(at..at + bare(&title).len()));
    let is_whole = said.is_some();
    let rest = said.map_or_else(|| around(&whole, &text), |said| beside(&whole, said));
    let says_more = rest.chars().filter(|c| c.is_alphanumeric()).count() > 10;
    if says_more && !draft.has_title(&capitalised(without_tie(&whole))) {
        let lead = if is_whole { "Said with:" } else { opening(first.stance) };
        draft = draft.tell(&format!("{lead} {}.", quoted(&rest, QUOTED)));
    }
    if let (Some(subject), Some(other)) = (&first.subject, &first.instead_of) {
        draft = draft.fact(&format!("{subject} instead of {other}"));
    }
    let terms = terms(group);
    let related: Vec<String> = story
        .net
        .changes
        .iter()
        .filter(|change| !is_noise(&change.path))
        .filter(|change| {
            with_work
                || terms.iter().any(|term| {
                    change.path.contains(term.as_str())
                        || change.pieces.iter().any(|piece| piece.after.contains(term.as_str()))
                })
        })
        .map(|change| change.path.clone())
        .take(if with_work { super::wording::FILES } else { 2 })
        .collect();
    if with_work {
        let code: Vec<_> = story.code().collect();
        draft = draft
            .facts(story.settings.iter().map(|(_, setting)| facts::setting(setting)))
            .facts(facts::lines(&code, 2))
            .facts(facts::by_file(story, 2))
            .facts(story.packages.iter().map(facts::package));
        for sentence in super::message::best(&story.sentences, 2, 2, 220) {
            draft = draft.tell(&sentence.text);
        }
    } else {
        // What was there instead, where it was taken away again.
        let gone: Vec<String> =
            story.packages.iter().filter(|package| package.to.is_none()).map(facts::package).collect();
        draft = draft.facts(gone.into_iter().take(1));
        // What the agent made of it, where it says so in the same words.
        let told = story
            .sentences
            .iter()
            .find(|sentence| sentence.names > 0 && shared_words(&sentence.text, &text) >= 2);
        if let Some(sentence) = told.filter(|sentence| sentence.text.chars().count() <= 160) {
            draft = draft.tell(&sentence.text);
        }
    }
    // A command that the rule is about, as it was run.
    let run = story.trials.iter().find(|trial| {
        let is_check = matches!(
            trial.run.purpose,
            Purpose::Test | Purpose::Build | Purpose::Lint | Purpose::Format | Purpose::Run
        );
        is_check
            && trial.is_own
            && trial.run.label.len() > 6
            && terms.iter().filter(|term| term.len() > 3 && trial.run.label.contains(term.as_str())).count()
                > 0
    });
    if let Some(trial) = run {
        draft = draft.fact(&format!("Run as `{}`", trial.run.label));
    }
    let steps: Vec<usize> = story
        .net
        .changes
        .iter()
        .filter(|change| related.contains(&change.path))
        .flat_map(|change| change.steps.clone())
        .collect();
    draft.concepts(terms.into_iter().take(4)).modified(related).steps(steps).found()
}

const fn opening(stance: Stance) -> &'static str {
    match stance {
        Stance::Correction => "The person corrected:",
        Stance::Always | Stance::Never | Stance::Limit => "A rule of the person:",
        Stance::Agreement => "The person settled:",
        Stance::Preference => "The person prefers:",
    }
}

/// Gives what stands beside a statement in its prompt: the sentences behind it, where the reason mostly is, and before it.
fn beside(prompt: &str, text: &str) -> String {
    const MOST: usize = 150;
    /// A sentence before it that is no longer belongs to it: “stop, no schema.sql!”.
    const SHORT: usize = 40;
    #[rustfmt::skip]
    const REASONS: &[&str] = &[
        "otherwise", "because", "since ", "sonst", "weil", "sinon", "parce que", "porque", "si no", "senão", "altrimenti", "perché",
        "anders", "omdat", "иначе", "потому", "否则", "因为", "ので", "から", "때문", "니까",
    ];
    let Some(at) = prompt.find(text) else { return String::new() };
    let is_reasoned = |sentence: &str| {
        let lower = sentence.to_lowercase();
        REASONS.iter().any(|word| lower.contains(word))
    };
    let tells = |sentence: &str| {
        !sentence.ends_with(['?', '\u{ff1f}']) && sentence.chars().count() > 8 && !words::is_trouble(sentence)
    };
    let (front, back) = (&prompt[..at], &prompt[at + text.len()..]);
    // What leads to it in its own sentence, and what gives a reason.
    let is_open = !front.trim_end().ends_with(['.', '!', '?', '。', '\u{ff01}', '\u{ff1f}'])
        && !front.trim().is_empty();
    let mut led = super::wording::sentences(front);
    // A mere “and” ties it to what stands before that.
    let is_joint = |part: &&str| part.chars().filter(|c| c.is_alphanumeric()).count() < 6;
    let is_open = is_open && !led.last().is_some_and(is_joint);
    led.retain(|part| !is_joint(part));
    let last = led.len().saturating_sub(1);
    let before: Vec<&str> = led
        .into_iter()
        .enumerate()
        .filter(|(at, sentence)| {
            let is_own = is_open && *at == last;
            let is_near =
                *at == last && sentence.chars().count() <= SHORT && !super::request::is_order(sentence);
            is_own || tells(sentence) && (is_near || is_reasoned(sentence))
        })
        .map(|(_, sentence)| sentence)
        .collect();
    // What follows at once mostly says why, or how instead.
    let behind: Vec<&str> = super::wording::sentences(back.trim_start_matches([',', ';', ' ']))
        .into_iter()
        .enumerate()
        .filter(|(at, sentence)| {
            tells(sentence) && (*at == 0 && sentence.chars().count() <= 110 || is_reasoned(sentence))
        })
        .map(|(_, sentence)| sentence)
        .collect();
    let (before, behind) = (before.join(" "), behind.join(" "));
    let mut led = before.as_str();
    while let Some(rest) =
        [" and", " und", " but", " please", " pls"].iter().find_map(|joint| led.strip_suffix(joint))
    {
        led = rest;
    }
    let before = led.trim_end_matches([',', ' ']).to_owned();
    match (before.is_empty(), behind.is_empty()) {
        (false, false) if before.chars().count() + behind.chars().count() <= MOST => {
            format!("{before} … {behind}")
        }
        (_, false) => super::wording::cut(&behind, MOST),
        (false, true) => super::wording::cut(&before, MOST),
        (true, true) => String::new(),
    }
}

/// Gives the part of a long prompt around a statement.
fn around(prompt: &str, text: &str) -> String {
    if prompt.chars().count() <= QUOTED {
        return prompt.to_owned();
    }
    let Some(at) = prompt.find(text) else { return text.to_owned() };
    let before = prompt[..at].rfind(['.', '!', '?', '。', '\n']).map_or(0, |before| before + 1);
    let begin = if prompt[before..at].chars().count() <= 80 { before } else { at };
    prompt[begin..].chars().take(QUOTED).collect()
}

/// Lists the names that a statement is about.
fn terms(group: &[(String, Statement)]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut push = |term: &str| {
        let term =
            term.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '_' && c != '/' && c != '.');
        if term.chars().count() > 2 && !found.iter().any(|known| known == term) {
            found.push(term.to_owned());
        }
    };
    for (_, statement) in group {
        if let Some(subject) = statement.subject.as_deref().filter(|subject| subject.chars().count() <= 40) {
            push(subject);
            subject.split_whitespace().filter(|word| names::is_name(word)).for_each(&mut push);
        }
        names::names(&statement.text).into_iter().for_each(&mut push);
        // Product names: capitals and digits inside a sentence, or a Latin word in a script without spaces.
        let words = statement.text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_./".contains(c)));
        for word in words.skip(usize::from(statement.text.starts_with(|c: char| c.is_ascii_uppercase()))) {
            let is_foreign = !statement.text.is_ascii()
                && statement.text.chars().filter(|c| (*c as u32) > 0x2000).count() > 3;
            let is_capital = word.chars().next().is_some_and(|c| c.is_ascii_uppercase());
            if word.len() > 2 && (is_capital || is_foreign) {
                push(word);
            }
        }
    }
    found
}

/// A demand that was met by changing values only: `should be 409, mobile relies on that`.
fn demanded(story: &Story<'_>, prompt: &str) -> Option<Found> {
    let code: Vec<_> = story.code().collect();
    let is_small = !code.is_empty()
        && code.iter().all(|change| {
            change.touched.iter().all(|touched| !matches!(touched.how, custos_syntax::How::Added))
        });
    let lines = facts::lines(&code, 3);
    let is_meant = words::is_demand(prompt)
        && !words::is_question(prompt)
        && is_small
        && !lines.is_empty()
        && story.carried.is_empty();
    let met = lines.iter().any(|line| {
        let new = line.rsplit('→').next().unwrap_or(line);
        prompt
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| (word.len() > 3 || word.chars().any(|c| c.is_ascii_digit())) && new.contains(word))
    });
    if !is_meant || !met || !story.is_settled() {
        return None;
    }
    let files: Vec<String> = story
        .net
        .changes
        .iter()
        .filter(|change| !is_noise(&change.path))
        .map(|change| change.path.clone())
        .collect();
    let steps: Vec<usize> = story.net.changes.iter().flat_map(|change| change.steps.clone()).collect();
    let demand = super::wording::sentences(prompt)
        .into_iter()
        .find(|sentence| words::is_demand(sentence))
        .unwrap_or(prompt);
    let draft = Draft::new(Sort::Decision, &capitalised(&headline(without_tie(demand), TITLE)))
        .said()
        .tell(&format!("The person demanded: {}.", quoted(&one_line(prompt), QUOTED)))
        .facts(lines)
        .tell(&format!("Changed in {}.", row(&files, 3)));
    Some(draft.modified(files).steps(steps).found())
}
