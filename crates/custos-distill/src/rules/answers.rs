//! What a question came to: what the person asked, what was looked at, what the agent concluded.

use custos_model::Sort;

use super::draft::{Draft, files_read};
use super::message::{self, Sentence};
use super::story::{Story, is_prose};
use super::wording::{TITLE, file_name, headline, quoted};
use super::words;
use crate::Found;
use crate::turn::What;

/// Tells an answer: what the person asked, and what the agent concluded.
pub(crate) fn answer(story: &Story<'_>) -> Option<Found> {
    let edits = story
        .net
        .changes
        .iter()
        .any(|change| !change.steps.is_empty() && !super::story::is_noise(&change.path));
    let prompt = story.prompt();
    if edits || !words::is_question(&prompt) && !words::is_trouble(&prompt) {
        return None;
    }
    if let Some(counted) = counted(story, &prompt) {
        return Some(counted);
    }
    let read: Vec<String> = files_read(story).into_iter().filter(|file| !is_prose(file)).collect();
    let looked =
        story.turn.steps.iter().filter(|step| matches!(step.what, What::Ran(_) | What::Delegated(_))).count();
    let sentences: Vec<Sentence> =
        story.sentences.iter().filter(|sentence| !sentence.is_ahead || sentence.is_cause).cloned().collect();
    let names: usize = sentences.iter().map(|sentence| sentence.names).sum();
    let length: usize = sentences.iter().map(|sentence| sentence.text.chars().count()).sum();
    let has_value = |text: &str| {
        text.split(|c: char| c.is_whitespace() || "(),`".contains(c))
            .any(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()))
    };
    let reasons = sentences
        .iter()
        .filter(|sentence| sentence.names > 0 && (sentence.is_cause || has_value(&sentence.text)))
        .count();
    // One file that was looked into and one sentence about it can be had again in seconds; so can what a few commands print.
    let is_research =
        read.len() >= 2 && read.len() + looked >= 3 || looked >= 4 && is_environment(&sentences);
    // Why something does not work was not to be had in seconds, if it took a few looks.
    let is_diagnosis = words::is_trouble(&prompt)
        && read.len() + looked >= 2
        && sentences.iter().any(|sentence| sentence.weight >= 4 && sentence.names >= 2);
    let is_research = is_research && names >= 3 && reasons >= 1;
    if !(is_research || is_diagnosis) || length < 100 {
        return None;
    }
    let best = message::best(&sentences, 3, 5, 420);
    let is_finding = |text: &str| {
        [
            "none",
            "no ",
            "not ",
            "without",
            "missing",
            "plain text",
            "hard-coded",
            "hardcoded",
            "leak",
            "bypass",
            "vulnerab",
            "anyone",
            "never checked",
        ]
        .iter()
        .any(|word| text.to_lowercase().contains(word))
    };
    let finding =
        sentences.iter().find(|sentence| words::is_security(&sentence.text) && is_finding(&sentence.text));
    let is_security = finding.is_some();
    let lead = finding.map_or_else(|| lead(&sentences, &prompt), Some)?;
    let sort = if is_security { Sort::Security } else { Sort::Discovery };
    let title = headline(&telling(&super::changes::without_paths(&lead.text)), TITLE);
    let mut draft = Draft::new(sort, &title);
    for sentence in &best {
        let is_title = title.trim_end_matches('…').chars().take(60).collect::<String>()
            == sentence.text.chars().take(60).collect::<String>()
            && sentence.text.chars().count() <= TITLE;
        if !is_title {
            draft = draft.tell(&sentence.text);
        }
    }
    draft = draft.facts(shown(story, &lead.text));
    draft = draft.facts(
        sentences
            .iter()
            .filter(|sentence| sentence.weight >= 3 && !best.contains(sentence))
            .take(3)
            .map(|sentence| sentence.text.clone()),
    );
    let message = story.turn.message.as_deref().unwrap_or_default();
    let named: Vec<String> = read.iter().filter(|file| message.contains(file_name(file))).cloned().collect();
    let files = if named.is_empty() { read.into_iter().take(4).collect() } else { named };
    let concepts = super::names::names(&lead.text)
        .into_iter()
        .map(str::to_owned)
        .filter(|name| name.len() <= 40)
        .take(4)
        .collect::<Vec<_>>();
    let steps = story
        .turn
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.files_read.iter().any(|file| files.contains(file)))
        .map(|(at, _)| at);
    Some(draft.concepts(concepts).steps(steps.collect::<Vec<_>>()).read(files).found())
}

/// How people ask for a number.
#[rustfmt::skip]
const HOW_MANY: &[&str] = &[
    "how many", "how much", "how often", "how long", "wie viele", "wie oft", "wieviele", "combien", "cuántos",
    "cuántas", "quantos", "quantas", "quanti", "quante", "hoeveel", "сколько", "多少", "几个", "いくつ", "何件", "何個",
    "몇 ",
];

/// Tells a number that was asked for and that something printed.
fn counted(story: &Story<'_>, prompt: &str) -> Option<Found> {
    let text = prompt.to_lowercase();
    if !HOW_MANY.iter().any(|words| text.contains(words)) {
        return None;
    }
    let printed = |number: &str| {
        story.turn.steps.iter().any(|step| {
            matches!(step.what, What::Ran(_))
                && step.output.split(|c: char| !c.is_ascii_digit()).any(|word| word == number)
        })
    };
    let sentence = story.sentences.iter().find(|sentence| {
        !sentence.is_ahead
            && sentence
                .text
                .split(|c: char| !c.is_ascii_digit())
                .any(|word| !word.is_empty() && printed(word))
            && sentence.text.chars().count() >= 16
    })?;
    let asked = super::wording::sentences(prompt)
        .into_iter()
        .find(|sentence| HOW_MANY.iter().any(|words| sentence.to_lowercase().contains(words)))?;
    let at = story.turn.steps.iter().position(|step| {
        matches!(step.what, What::Ran(_))
            && sentence
                .text
                .split(|c: char| !c.is_ascii_digit())
                .any(|word| !word.is_empty() && step.output.contains(word))
    });
    Some(
        Draft::new(Sort::Discovery, &headline(&sentence.text, TITLE))
            .subtitle(&format!("Asked: {}", quoted(asked, 90)))
            .steps(at)
            .found(),
    )
}

/// Recognises a cause that lies outside of the code.
fn is_environment(sentences: &[Sentence]) -> bool {
    #[rustfmt::skip]
    const PLACES: &[&str] = &[
        "environment", "env var", "_path", "$path", ".bashrc", ".zshrc", ".profile", "your machine",
        "this machine", "locally", "installed", "version", "stale", "cache", "dns", "proxy", "vpn", "firewall",
        "clock", "timezone", "locale", "disk", "docker desktop", "umgebung", "environnement", "entorno",
        "ambiente", "omgeving", "окружени", "环境", "環境", "환경",
    ];
    sentences.iter().any(|sentence| PLACES.iter().any(|place| sentence.text.to_lowercase().contains(place)))
}

/// Lists commands of the turn that show what a sentence says, with what they printed.
fn shown(story: &Story<'_>, lead: &str) -> Vec<String> {
    let names: Vec<&str> = super::names::names(lead)
        .into_iter()
        .flat_map(|name| name.split(['=', '$', ' ']))
        .filter(|name| name.len() > 4)
        .collect();
    let mut found = Vec::new();
    for step in &story.turn.steps {
        let What::Ran(line) = &step.what else { continue };
        let is_look_up = ["grep", "rg ", "cat ", "git log", "git show", "git grep", "sed -n", "ls ", "find "]
            .iter()
            .any(|word| line.trim_start().starts_with(word));
        let part = line
            .split(" 2>")
            .next()
            .unwrap_or(line)
            .split([';', '|', '\n'])
            .next()
            .unwrap_or(line)
            .split(" && ")
            .next()
            .unwrap_or(line)
            .trim();
        let is_about = names.iter().any(|name| part.contains(name));
        if is_about && !is_look_up && part.chars().count() <= 90 && found.len() < 2 {
            let passed = super::commands::Line::of(step).outcome(0);
            let first = step
                .output
                .lines()
                .map(str::trim)
                .find(|line| line.chars().filter(|c| c.is_alphanumeric()).count() > 3)
                .map(|line| super::wording::cut(line, 60));
            let end = match (passed, first) {
                (Some(false), Some(first)) => format!(" fails: {first}"),
                (_, Some(first)) => format!(": {first}"),
                (_, None) => String::new(),
            };
            found.push(format!("`{part}`{end}"));
        }
    }
    found
}

/// Recognises what says only that, and not what.
fn is_verdict(head: &str) -> bool {
    [
        "It ",
        "It's ",
        "This ",
        "That ",
        "The cause",
        "The reason",
        "Root cause",
        "Das ",
        "Es ",
        "C'est",
        "La cause",
        "Es ",
        "É ",
        "È ",
        "Het ",
    ]
    .iter()
    .any(|start| head.starts_with(start))
}

/// Gives the part of a sentence that names something, where what leads to it is only a verdict: `It is your environment: X exports Y`.
fn telling(text: &str) -> String {
    match text.split_once(": ") {
        Some((head, rest))
            if is_verdict(head)
                && super::names::names(head).is_empty()
                && !super::names::names(rest).is_empty()
                && rest.chars().count() >= 24
                && text.chars().count() > TITLE =>
        {
            super::wording::capitalised(rest)
        }
        _ => text.to_owned(),
    }
}

/// Picks the sentence that says most in a line: a cause, else the opening one that takes up what was asked, else the first that says something.
fn lead<'s>(sentences: &'s [Sentence], prompt: &str) -> Option<&'s Sentence> {
    let asked: Vec<String> = prompt
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 4)
        .map(str::to_lowercase)
        .collect();
    let takes_up = |sentence: &Sentence| {
        let text = sentence.text.to_lowercase();
        asked.iter().filter(|word| text.contains(word.as_str())).count()
    };
    let is_long = |sentence: &&Sentence| sentence.text.chars().count() >= 24;
    let opening = sentences.first().filter(|sentence| is_long(sentence) && takes_up(sentence) >= 2);
    let cause =
        sentences.iter().find(|sentence| sentence.is_cause && sentence.names > 0 && sentence.weight >= 4);
    let first = sentences.iter().find(|sentence| is_long(sentence) && sentence.weight > 0);
    let is_early = |sentence: &&Sentence| sentences.iter().take(2).any(|early| early == *sentence);
    cause.filter(is_early).or(opening).or(first)
}
