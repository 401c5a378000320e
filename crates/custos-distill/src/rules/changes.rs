//! Something is new, built otherwise, or set to another value.

use custos_model::Sort;

use super::draft::Draft;
use super::facts::{self, Symbols};
use super::fixes;
use super::message;
use super::request;
use super::story::{Story, is_prose};
use super::wording::{TITLE, file_name, headline, row};
use super::work;
use crate::Found;
use crate::turn::Fate;

/// Tells a feature, a refactoring or another change.
pub(crate) fn found(story: &Story<'_>, sort: Sort) -> Option<Found> {
    let symbols = Symbols::of(story);
    let title = title(story, sort, &symbols)?;
    let mut draft = Draft::new(sort, &title);
    let wishes = story.wishes();
    let sentences: Vec<_> = story.sentences.iter().filter(|sentence| !sentence.is_ahead).cloned().collect();
    let told = message::best(&sentences, 2, 3, 330);
    if told.is_empty() {
        let asked = wishes.first().map(|wish| request::gist(wish, 200)).filter(|gist| !gist.is_empty());
        draft = draft.tell(&asked.map_or_else(String::new, |asked| format!("Asked for: “{asked}”.")));
    }
    for sentence in &told {
        draft = draft.tell(&sentence.text);
    }
    if let Some(undone) = fixes::undone(story).filter(|_| story.carried.is_empty()) {
        draft = draft.tell(&undone);
    }
    draft = draft.facts(story.settings.iter().map(|(path, setting)| {
        let several = story.settings.iter().any(|(other, _)| other != path);
        let place = if several { format!("{}: ", file_name(path)) } else { String::new() };
        format!("{place}{}", facts::setting(setting))
    }));
    if !story.packages.is_empty() {
        let packages: Vec<String> = story.packages.iter().map(facts::package).collect();
        draft = draft.fact(&format!("Dependencies: {}", packages.join(", ")));
    }
    if work::is_upgrade(story, &wishes) {
        draft = draft.facts(facts::swapped(story)).facts(breaks(story));
    }
    draft = draft.facts(super::history::conflicts(story));
    draft = draft.facts(facts::infra(story, 2));
    draft = draft.facts(moves(story)).facts(covers(story));
    let title_and_told = draft.text();
    let is_news = |fact: &String| facts::names_in(fact).iter().any(|name| !title_and_told.contains(name));
    draft = draft.facts(facts::by_file(story, 3).into_iter().filter(is_news));
    let code: Vec<_> = story
        .code()
        .filter(|change| !super::settings::is_settings(&change.path) && !is_prose(&change.path))
        .collect();
    if sort != Sort::Feature {
        draft = draft.facts(facts::lines(&code, 3));
        // Something in a manifest that is no dependency and no setting: a feature of a crate, a script.
        if story.settings.is_empty() && story.packages.is_empty() && code.is_empty() {
            draft = draft.facts(facts::lines(&story.code().collect::<Vec<_>>(), 2));
        }
    }
    let tests = facts::tests_added(story);
    if !tests.is_empty() && sort != Sort::Refactor {
        draft = draft.fact(&format!("Tests added: {}", row(&tests, 4)));
    }
    if sort == Sort::Refactor
        && let Some(run) =
            story.trials.iter().rev().find(|trial| {
                trial.passed == Some(true) && trial.run.purpose == super::commands::Purpose::Test
            })
    {
        draft = draft.fact(&format!("`{}` passes as before", run.run.label));
    }
    draft = draft.facts(
        sentences.iter().filter(|sentence| sentence.weight >= 4).map(|sentence| sentence.text.clone()),
    );
    Some(fixes::finish(draft, story, symbols.first(false), None))
}

fn title(story: &Story<'_>, sort: Sort, symbols: &Symbols) -> Option<String> {
    let wishes = story.wishes();
    if let Some(commit) = story.commit.as_deref() {
        let (_, subject) = request::subject(commit);
        if fixes::is_about(story, subject) {
            return Some(headline(subject, TITLE));
        }
    }
    if work::is_upgrade(story, &wishes) {
        let moves = story.packages.iter().filter(|package| package.from.is_some() && package.to.is_some());
        let named: Vec<String> = moves.map(facts::package).collect();
        return Some(format!("Upgraded {}", row(&named, 3)));
    }
    let only_settings = story.code().all(|change| {
        super::settings::is_settings(&change.path) || super::dependencies::is_manifest(&change.path)
    });
    if only_settings && !story.settings.is_empty() {
        return Some(settings_title(story));
    }
    if sort == Sort::Refactor
        && let Some(split) = split(story)
    {
        return Some(split);
    }
    let names = symbols.first(false);
    let asked = wishes.iter().find_map(|wish| request::done(wish, 70));
    let asked = asked.or_else(|| wishes.iter().find_map(|wish| request::done_behind(wish, 70)));
    match (asked, names.as_slice()) {
        (Some(asked), names) => {
            // What it is called in the code, where there is room.
            let most = if sort == Sort::Feature { 2 } else { 0 };
            let named = names
                .iter()
                .filter(|name| !asked.contains(name.as_str()))
                .take(most)
                .cloned()
                .collect::<Vec<_>>();
            let long = format!("{asked}: {}", named.join(", "));
            Some(if named.is_empty() || long.chars().count() > TITLE { asked } else { long })
        }
        (None, names) => by_message(story).or_else(|| by_names(story, sort, symbols, names)),
    }
}

/// A headline out of what the agent said, where it names something that stands there now.
fn by_message(story: &Story<'_>) -> Option<String> {
    let stands = |text: &str| {
        super::names::names(text).iter().any(|name| {
            story.net.changes.iter().any(|change| {
                let word = name.split(' ').max_by_key(|word| word.len()).unwrap_or(name);
                let name = if name.contains(' ') && word.len() > 4 { &word } else { name };
                change.path.contains(name)
                    || change.touched.iter().any(|touched| touched.name.contains(name))
                    || change.pieces.iter().any(|piece| piece.after.contains(name))
            })
        })
    };
    // `It streams now` says nothing by itself.
    let points = |text: &str| {
        ["It ", "This ", "They ", "That ", "Es ", "Das ", "Sie ", "Il ", "Esto ", "Done ", "Fertig "]
            .iter()
            .any(|word| text.starts_with(word))
    };
    let good = |sentence: &super::message::Sentence| {
        sentence.names > 0
            && sentence.weight >= 2
            && !sentence.is_ahead
            && !points(&sentence.text)
            && stands(&sentence.text)
    };
    let earlier = story.carried.iter().filter_map(|turn| turn.message.as_deref());
    let told = earlier.flat_map(|text| message::read(text, &story.evidence).into_iter().take(3));
    // Where it stood in the middle is over.
    let told = told.filter(|sentence| !is_halfway(&sentence.text));
    let sentence = told.chain(story.sentences.iter().take(3).cloned()).find(good)?;
    Some(headline(&without_paths(&sentence.text), TITLE))
}

/// Recognises a sentence that tells how far the work had come when it stopped.
pub(crate) fn is_halfway(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        " yet", "missing", "paused", "so far", "not done", "still to", "halfway", "noch nicht", "fehlt", "fehlen", "bisher", "pas encore",
        "manque", "todavía", "aún no", "falta", "ainda não", "non ancora", "manca", "nog niet", "ещё не", "пока", "还没", "まだ", "아직",
    ];
    let lower = text.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// Takes paths in brackets out of a sentence: a title has no room for them, and the files are listed.
pub(crate) fn without_paths(text: &str) -> String {
    let mut rest = text;
    let mut short = String::with_capacity(text.len());
    while let Some(at) = rest.find(" (") {
        let Some(end) = rest[at..].find(')') else { break };
        let inner = rest[at + 2..at + end].trim_matches('`');
        let is_path = inner.contains('/') && !inner.contains(' ');
        short.push_str(&rest[..if is_path { at } else { at + end + 1 }]);
        rest = &rest[at + end + 1..];
    }
    short + rest
}

fn by_names(story: &Story<'_>, sort: Sort, symbols: &Symbols, names: &[String]) -> Option<String> {
    let files: Vec<String> = story.code().chain(story.tests()).map(|change| change.path.clone()).collect();
    let place = files.first().map(|file| file_name(file).to_owned()).unwrap_or_default();
    let renamed: Vec<String> = symbols.renamed.iter().map(|(from, to)| format!("{from} → {to}")).collect();
    let tests = facts::tests_added(story);
    let title = match sort {
        Sort::Refactor if !renamed.is_empty() => format!("Renamed {}", row(&renamed, 3)),
        _ if !symbols.added.is_empty() => format!("Added {} ({place})", row(&symbols.added, 3)),
        _ if !symbols.changed.is_empty() => format!("Changed {} ({place})", row(&symbols.changed, 3)),
        _ if !story.packages.is_empty() => {
            row(&story.packages.iter().map(facts::package).collect::<Vec<_>>(), 3)
        }
        _ if !tests.is_empty() => format!("Added tests: {}", row(&tests, 2)),
        _ if !names.is_empty() => format!("Changed {} ({place})", row(names, 3)),
        _ => {
            let gist = story
                .wishes()
                .first()
                .map(|wish| request::gist(wish, 70))
                .filter(|gist| gist.chars().count() > 12 && !gist.ends_with(['?', '\u{ff1f}']))?;
            format!("{gist} ({place})")
        }
    };
    Some(title)
}

/// Tells that one file became several, or that its content moved to another.
fn split(story: &Story<'_>) -> Option<String> {
    let new: Vec<String> = story
        .code()
        .filter(|change| change.fate == Fate::Created)
        .map(|change| change.path.clone())
        .collect();
    let lost = |change: &&super::net::Change| {
        change.touched.iter().any(|touched| touched.how == custos_syntax::How::Removed)
    };
    let gone = story.code().find(|change| change.fate == Fate::Deleted);
    let source = gone.or_else(|| story.code().filter(|change| change.fate == Fate::Changed).find(lost))?;
    let verb = match new.len() {
        0 => return None,
        1 => "Moved the content of",
        _ => "Split",
    };
    let joint = if new.len() == 1 { "to" } else { "into" };
    let long = format!("{verb} {} {joint} {}", source.path, row(&new, 3));
    let names: Vec<String> = new.iter().map(|path| file_name(path).to_owned()).collect();
    Some(if long.chars().count() <= TITLE {
        long
    } else {
        format!("{verb} {} {joint} {}", file_name(&source.path), row(&names, 3))
    })
}

/// Tells settings in a title: `max_open_conns: 80 → 40, max_idle_conns: 20 → 10 (values-prod.yaml)`.
fn settings_title(story: &Story<'_>) -> String {
    let short = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    // What had another value before says more than what is new.
    let (moved, new): (Vec<_>, Vec<_>) =
        story.settings.iter().partition(|(_, setting)| setting.from.is_some() && setting.to.is_some());
    let told: Vec<String> = moved
        .into_iter()
        .chain(new)
        .map(|(_, setting)| {
            let named = super::settings::Setting {
                key: short(&setting.key),
                from: setting.from.clone(),
                to: setting.to.clone(),
            };
            facts::setting(&named)
        })
        .collect();
    let mut seen = Vec::new();
    let told: Vec<String> = told
        .into_iter()
        .filter(|one| {
            !seen.contains(one) && {
                seen.push(one.clone());
                true
            }
        })
        .collect();
    let mut files: Vec<String> = story.settings.iter().map(|(path, _)| file_name(path).to_owned()).collect();
    files.dedup();
    for count in (1..=told.len().min(4)).rev() {
        let more = told.len() - count;
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let title = format!("{}{rest} ({})", told[..count].join(", "), row(&files, 2));
        if title.chars().count() <= TITLE {
            return title;
        }
    }
    format!("Changed {}", story.settings.first().map(|(_, setting)| setting.key.clone()).unwrap_or_default())
}

/// Tells what broke on the way to another version; whoever upgrades next meets it again.
fn breaks(story: &Story<'_>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for failure in story.trials.iter().filter_map(|trial| trial.failure.as_ref()) {
        let told = match &failure.place {
            Some((file, _)) => format!("Broke: {} ({file})", failure.message),
            None => format!("Broke: {}", failure.message),
        };
        if !seen.contains(&told) {
            seen.push(told);
        }
    }
    seen.truncate(3);
    seen
}

/// Tells what prose is about: the names that it marks as such.
fn covers(story: &Story<'_>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let pages = story.code().filter(|change| is_prose(&change.path));
    for line in pages.flat_map(|change| &change.pieces).flat_map(|piece| piece.after.lines()) {
        for name in line.split('`').skip(1).step_by(2) {
            let is_name =
                (3..=40).contains(&name.chars().count()) && !name.contains(custos_redact::MARKER_OPEN);
            if is_name && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    (!names.is_empty()).then(|| format!("Covers {}", row(&names, 5)))
}

/// Tells which files went and which came in their place.
fn moves(story: &Story<'_>) -> Vec<String> {
    let of = |fate: Fate| -> Vec<String> {
        story.code().filter(|change| change.fate == fate).map(|change| change.path.clone()).collect()
    };
    let (gone, new) = (of(Fate::Deleted), of(Fate::Created));
    let mut told = Vec::new();
    if !gone.is_empty() && !new.is_empty() {
        told.push(format!("{} deleted, {} new", row(&gone, 3), row(&new, 4)));
    } else if !gone.is_empty() {
        told.push(format!("{} deleted", row(&gone, 4)));
    }
    told
}
