//! What the person settled, in their own words.

use custos_model::Sort;

use super::draft::Draft;
use super::facts;
use super::names;
use super::said::{self, Stance, Statement};
use super::story::{Story, is_noise, joined, without_markers};
use super::wording::{TITLE, capitalised, headline, one_line, quoted, row};
use super::words;
use crate::Found;

/// So much of a prompt is quoted beside a statement: mostly the reason stands next to it.
const QUOTED: usize = 260;

/// Decisions of a turn, and whether they say all that there is to say about its work.
pub(crate) struct Decisions {
    pub(crate) found: Vec<Found>,
    /// Whether the work is told with the decision: the prompt was nothing but it.
    pub(crate) absorb_work: bool,
    /// What the person did not want any more.
    pub(crate) rejected: Vec<String>,
}

/// Finds what the person settled in a turn.
pub(crate) fn found(story: &Story<'_>) -> Decisions {
    let mut statements: Vec<(String, Statement)> = Vec::new();
    for said in &story.turn.said {
        let prompt = without_markers(&said.text);
        for statement in said::statements(&prompt) {
            statements.push((prompt.clone(), statement));
        }
    }
    let prompt = joined(story.turn);
    let told: usize = statements.iter().map(|(_, statement)| statement.text.chars().count()).sum();
    let is_nothing_else = told * 10 >= one_line(&prompt).chars().count() * 6;
    let is_reply = !story.carried.is_empty() || !story.asked.is_empty();
    let has_bugfix_signs = super::work::confirmed(story).is_some();
    let absorb_work = !statements.is_empty() && is_nothing_else && !is_reply && !has_bugfix_signs;
    let rejected = statements.iter().filter_map(|(_, statement)| statement.instead_of.clone()).collect();
    let together = gathered(statements);
    let alone = together.len() == 1;
    let mut found: Vec<Found> =
        together.iter().map(|group| decision(story, group, absorb_work && alone)).collect();
    if found.is_empty()
        && let Some(demanded) = demanded(story, &prompt)
    {
        return Decisions { found: vec![demanded], absorb_work: true, rejected };
    }
    found.truncate(5);
    Decisions { found, absorb_work, rejected }
}

/// Statements of one prompt that go on in the same breath belong together: `never edit gen/ by hand! change the .proto instead`.
fn gathered(statements: Vec<(String, Statement)>) -> Vec<Vec<(String, Statement)>> {
    let mut groups: Vec<Vec<(String, Statement)>> = Vec::new();
    for (prompt, statement) in statements {
        let follows = groups.last().and_then(|group| group.last()).is_some_and(|(last_prompt, last)| {
            let gap = between(&prompt, &last.text, &statement.text);
            *last_prompt == prompt && gap.is_some_and(|gap| gap <= 3) && (last.text.chars().count() + statement.text.chars().count()) < TITLE
        });
        match groups.last_mut().filter(|_| follows) {
            Some(group) => group.push((prompt, statement)),
            None => groups.push(vec![(prompt, statement)]),
        }
    }
    groups
}

/// Counts the characters between two sentences of a prompt.
fn between(prompt: &str, first: &str, second: &str) -> Option<usize> {
    let begin = prompt.find(first)? + first.len();
    prompt[begin..].find(second)
}

fn decision(story: &Story<'_>, group: &[(String, Statement)], with_work: bool) -> Found {
    let (prompt, first) = &group[0];
    let texts: Vec<&str> = group.iter().map(|(_, statement)| statement.text.trim()).collect();
    let text = one_line(&texts.join(" "));
    let mut draft = Draft::new(Sort::Decision, &title(&text, first, prompt)).said();
    let whole = one_line(prompt);
    draft = draft.tell(&format!("{} {}.", opening(first.stance), quoted(&around(&whole, &text), QUOTED)));
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
                || terms.iter().any(|term| change.path.contains(term.as_str()) || change.pieces.iter().any(|piece| piece.after.contains(term.as_str())))
        })
        .map(|change| change.path.clone())
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
        let gone: Vec<String> = story.packages.iter().filter(|package| package.to.is_none()).map(facts::package).collect();
        draft = draft.facts(gone.into_iter().take(1));
    }
    // A command that the rule is about, as it was run.
    let run = story.trials.iter().find(|trial| {
        trial.is_own && trial.run.label.len() > 6 && terms.iter().filter(|term| term.len() > 3 && trial.run.label.contains(term.as_str())).count() > 0
    });
    if let Some(trial) = run {
        draft = draft.fact(&format!("Run as `{}`", trial.run.label));
    }
    let steps: Vec<usize> = story.net.changes.iter().filter(|change| related.contains(&change.path)).flat_map(|change| change.steps.clone()).collect();
    draft.concepts(terms.into_iter().take(4)).modified(related).steps(steps).found()
}

fn title(text: &str, statement: &Statement, prompt: &str) -> String {
    let said = text.trim_end_matches(['.', '!', '。', '\u{ff01}']).trim();
    let length = said.chars().count();
    // `no, use zod` says less than the sentence after it; a person would put both into the title.
    if length < 24 && one_line(prompt).chars().count() <= TITLE {
        return capitalised(&one_line(prompt));
    }
    match (&statement.subject, &statement.instead_of) {
        (Some(subject), Some(other)) if length > TITLE => format!("{subject} instead of {other}"),
        _ => capitalised(&headline(said, TITLE)),
    }
}

const fn opening(stance: Stance) -> &'static str {
    match stance {
        Stance::Correction => "The person corrected:",
        Stance::Always | Stance::Never => "A rule of the person:",
        Stance::Agreement => "The person settled:",
        Stance::Preference => "The person prefers:",
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
        let term = term.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '_' && c != '/' && c != '.');
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
            let is_foreign = !statement.text.is_ascii() && statement.text.chars().filter(|c| (*c as u32) > 0x2000).count() > 3;
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
    let is_small = !code.is_empty() && code.iter().all(|change| change.touched.iter().all(|touched| !matches!(touched.how, custos_syntax::How::Added)));
    let lines = facts::lines(&code, 3);
    let is_meant = words::is_demand(prompt) && !words::is_question(prompt) && is_small && !lines.is_empty() && story.carried.is_empty();
    let met = lines.iter().any(|line| {
        let new = line.rsplit('→').next().unwrap_or(line);
        prompt.split(|c: char| !c.is_alphanumeric()).any(|word| (word.len() > 3 || word.chars().any(|c| c.is_ascii_digit())) && new.contains(word))
    });
    if !is_meant || !met || !story.is_settled() {
        return None;
    }
    let files: Vec<String> = story.net.changes.iter().filter(|change| !is_noise(&change.path)).map(|change| change.path.clone()).collect();
    let steps: Vec<usize> = story.net.changes.iter().flat_map(|change| change.steps.clone()).collect();
    let draft = Draft::new(Sort::Decision, &capitalised(&headline(prompt, TITLE)))
        .said()
        .tell(&format!("The person demanded: {}.", quoted(&one_line(prompt), QUOTED)))
        .facts(lines)
        .tell(&format!("Changed in {}.", row(&files, 3)));
    Some(draft.modified(files).steps(steps).found())
}
