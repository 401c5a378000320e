//! Something was broken and works now: what was seen, why it was so, and what changed it.

use custos_model::Sort;

use super::commands::Purpose;
use super::draft::Draft;
use super::facts::{self, Symbols};
use super::failures::{self, Failure};
use super::ground::Ground;
use super::message;
use super::request;
use super::story::{Story, is_noise};
use super::wording::{TITLE, cut, file_name, headline, quoted, row};
use super::work::{confirmed, is_telling};
use crate::Found;

/// How much a cause says beside the names in it, in bytes.
const TELLING: usize = 24;

/// Tells a fix.
pub(crate) fn found(story: &Story<'_>, sort: Sort) -> Found {
    let proof = confirmed(story);
    let failure = proof.as_ref().and_then(|proof| proof.failure).cloned().or_else(|| seen(story));
    let symbols = Symbols::of(story);
    let symbol = main_symbol(story, &symbols);
    let title = title(story, sort, failure.as_ref(), symbol.as_deref());
    let mut draft = Draft::new(sort, &title);
    if let Some(proof) = &proof {
        let tests = proof.failure.map(|failure| &failure.tests).filter(|tests| !tests.is_empty());
        let which = tests.map_or_else(String::new, |tests| format!(" ({})", row(tests, 2)));
        // What the title says need not be said again.
        let is_titled = |failure: &&Failure| {
            title.contains(failure.message.chars().take(24).collect::<String>().as_str())
        };
        let why =
            failure.as_ref().filter(|failure| !is_titled(failure)).map_or_else(String::new, |failure| {
                format!(": {}", cut(failure.message.trim_end_matches('.'), 140))
            });
        draft = draft.tell(&format!("`{}` failed{which}{why}.", proof.failed.run.label));
    } else if let Some(failure) = &failure {
        draft = draft.tell(&format!("Seen: {}.", cut(failure.message.trim_end_matches('.'), 180)));
    }
    if failure.is_none()
        && let Some(example) = reported(story, &title)
    {
        draft = draft.tell(&format!("Reported: {}.", quoted(&example, 160)));
    }
    let causes: Vec<_> = story.sentences.iter().filter(|sentence| !sentence.is_ahead).cloned().collect();
    // Where the cause was told when it was found, a turn before it was mended.
    if !causes.iter().any(|sentence| sentence.is_cause) {
        for turn in story.asked.iter().chain(story.carried).rev() {
            let told =
                turn.message.as_deref().map_or_else(Vec::new, |text| message::read(text, &story.evidence));
            let told: Vec<_> =
                told.into_iter().filter(|sentence| sentence.is_cause || sentence.weight >= 5).collect();
            for sentence in message::best(&told, 3, 2, 300) {
                draft = draft.tell(&sentence.text);
            }
        }
    }
    for sentence in message::best(&causes, 3, 3, 360) {
        draft = draft.tell(&sentence.text);
    }
    for step in story.turn.steps.iter().filter(|step| matches!(step.what, crate::What::Delegated(_))) {
        let told = message::read(&step.output, &story.evidence);
        for sentence in message::best(&told, 5, 2, 300) {
            draft = draft.fact(&sentence.text);
        }
    }
    if let Some(proof) = &proof
        && proof.passed.run.label != proof.failed.run.label
    {
        draft = draft.tell(&format!("`{}` passes.", proof.passed.run.label));
    }
    if let Some(undone) = undone(story) {
        draft = draft.tell(&undone);
    }
    if causes.is_empty() && sort == Sort::Security {
        // Nobody told what it was but the person.
        let said: Vec<String> = super::wording::sentences(&story.prompt())
            .into_iter()
            .filter(|sentence| !sentence.ends_with('?') && sentence.chars().count() > 12)
            .map(str::to_owned)
            .collect();
        draft = draft.tell(&format!("The person: {}.", quoted(&said.join(" "), 160)));
    }
    let code: Vec<_> = story.code().collect();
    draft = draft.facts(facts::infra(story, 3));
    draft = draft.facts(facts::lines(&code, 3));
    if let Some(failure) = &failure {
        draft = draft.fact(&format!("Error: {}", failure.message));
    }
    draft = draft.facts(facts::by_file(story, 2));
    let tests = facts::tests_added(story);
    if !tests.is_empty() {
        draft = draft.fact(&format!("Tests added: {}", row(&tests, 3)));
    }
    draft = draft
        .facts(story.settings.iter().map(|(_, setting)| facts::setting(setting)))
        .facts(story.packages.iter().map(facts::package))
        .facts(message::best(&story.sentences, 4, 2, 300).into_iter().map(|sentence| sentence.text.clone()));
    let code_name = failure.as_ref().and_then(|failure| failure.code.clone());
    finish(draft, story, symbols.first(true), code_name)
}

/// Adds what every piece of work has: its files, its steps, the words to find it by.
pub(crate) fn finish(draft: Draft, story: &Story<'_>, symbols: Vec<String>, more: Option<String>) -> Found {
    let files =
        story.net.changes.iter().filter(|change| !is_noise(&change.path)).map(|change| change.path.clone());
    let steps = story.net.changes.iter().flat_map(|change| change.steps.clone());
    let runs = story
        .trials
        .iter()
        .filter(|trial| trial.is_own && trial.passed.is_some() && trial.run.purpose != Purpose::Look);
    let packages = story.packages.iter().map(|package| package.name.clone());
    let commits: Vec<String> = story
        .trials
        .iter()
        .filter_map(|trial| match &trial.run.purpose {
            Purpose::Commit { message: Some(message) } if trial.is_own && trial.passed != Some(false) => {
                Some(request::subject(message).1.to_owned())
            }
            _ => None,
        })
        .collect();
    let several = (commits.len() > 1).then(|| format!("Commits: {}", commits.join("; ")));
    draft
        .facts(several)
        .concepts(symbols.into_iter().take(3).chain(more).chain(packages.take(2)))
        .modified(files)
        .read(story.net.undone.iter().map(|undone| undone.path.clone()))
        .read_where_named(story)
        .steps(steps.chain(runs.map(|trial| trial.step)))
        .found()
}

fn title(story: &Story<'_>, sort: Sort, failure: Option<&Failure>, symbol: Option<&str>) -> String {
    if let Some(commit) = story.commit.as_deref().filter(|_| !story.net.changes.is_empty()) {
        let (_, subject) = request::subject(commit);
        if is_about(story, subject) {
            return headline(subject, TITLE);
        }
    }
    let home = symbol.and_then(|symbol| {
        story.code().find(|change| change.touched.iter().any(|touched| touched.name == symbol))
    });
    let file = home.or_else(|| story.code().next()).map(|change| file_name(&change.path));
    let place = match (symbol, file) {
        (Some(symbol), Some(file)) => format!(" in {symbol} ({file})"),
        (Some(symbol), None) => format!(" in {symbol}"),
        (None, Some(file)) => format!(" in {file}"),
        (None, None) => String::new(),
    };
    let ground = Ground::of(story);
    let wish = complaint(story, sort, &ground);
    // What an attacker could do is in the words of whoever reported it, not in an error.
    let is_telling =
        |failure: &&Failure| sort != Sort::Security && !(is_generic(&failure.message) && wish.is_some());
    match (failure.filter(is_telling), wish) {
        (Some(failure), _) => {
            let room = TITLE.saturating_sub(place.chars().count() + "Fixed “”".len()).max(36);
            let said = quoted(&failure.message, room);
            let long = format!("Fixed {said}{place}");
            if long.chars().count() <= TITLE { long } else { format!("Fixed {said}{}", short_place(symbol)) }
        }
        // Why it was so, in the words of whoever found out; else what was complained of; else what the diff says, which is always true.
        // Why it was so, in the words of whoever found out; else what was complained of. A hole is called what its finder called it, if
        // that says where it is.
        (None, wish) => {
            let is_called = wish.as_deref().is_some_and(|wish| ground.bears(wish));
            let cause = cause(story).filter(|_| sort != Sort::Security || !is_called);
            match (cause, wish) {
                (Some(cause), _) => headline(&cause, TITLE),
                (None, Some(wish)) => complained(&wish, symbol, file),
                (None, None) => changed(story, &place),
            }
        }
    }
}

/// Gives what was complained of.
pub(crate) fn complaint(story: &Story<'_>, sort: Sort, ground: &Ground) -> Option<String> {
    let told = story.wishes().iter().find_map(|wish| match sort {
        Sort::Security => request::weakness(wish).or_else(|| request::trouble(wish, ground)),
        _ => request::trouble(wish, ground),
    });
    told.filter(|told| told.chars().count() > 12)
}

/// A title out of the diff, which is always true.
fn changed(story: &Story<'_>, place: &str) -> String {
    facts::lines(&story.code().collect::<Vec<_>>(), 1).first().map_or_else(
        || format!("Fixed a fault{place}"),
        |line| headline(&format!("Fixed{place}: {line}"), TITLE),
    )
}

/// Gives the sentence of the message that tells why something did not work, and says more than where: "the cause was `open`" is no cause.
fn cause(story: &Story<'_>) -> Option<String> {
    let is_cause = |sentence: &&message::Sentence| {
        let beside_names = sentence.text.split('`').step_by(2).flat_map(str::split_whitespace);
        sentence.is_cause
            && !sentence.is_ahead
            && sentence.names > 0
            && sentence.weight >= 3
            && beside_names.map(str::len).sum::<usize>() >= TELLING
    };
    story.sentences.iter().find(is_cause).map(|sentence| sentence.text.clone())
}

/// A title out of a complaint; where the fault was is added as far as there is room.
fn complained(wish: &str, symbol: Option<&str>, file: Option<&str>) -> String {
    let wish = headline(wish, TITLE - 8);
    let both = symbol.zip(file).map(|(symbol, file)| format!("{symbol}, {file}"));
    let places = both.into_iter().chain(symbol.or(file).map(str::to_owned));
    let mut titles = places.map(|place| format!("Fixed: {wish} ({place})"));
    titles.find(|title| title.chars().count() <= TITLE).unwrap_or_else(|| format!("Fixed: {wish}"))
}

fn short_place(symbol: Option<&str>) -> String {
    symbol.map_or_else(String::new, |symbol| format!(" in {}", cut(symbol, 30)))
}

/// Picks the definition that the work was about: one that is talked about, else the first that changed.
pub(crate) fn main_symbol(story: &Story<'_>, symbols: &Symbols) -> Option<String> {
    let all = symbols.first(true);
    let told = story
        .asked
        .iter()
        .chain(story.carried)
        .chain([story.turn])
        .filter_map(|turn| turn.message.as_deref());
    let message: String = told.collect::<Vec<_>>().join("\n");
    let prompts = story.wishes().join("\n");
    let short = |name: &str| name.rsplit(['.', ':', '#']).next().unwrap_or(name).to_owned();
    let is_talked_about = |name: &&String| message.contains(&short(name)) || prompts.contains(&short(name));
    all.iter().find(is_talked_about).or_else(|| all.first()).cloned()
}

/// Finds the error that somebody saw: in the prompt, or in what was looked at before anything was edited.
pub(crate) fn seen(story: &Story<'_>) -> Option<Failure> {
    if let Some(message) = story.wishes().iter().find_map(|wish| request::pasted(wish)) {
        return Some(Failure { message, code: None, place: None, tests: Vec::new() });
    }
    if !story.is_trouble() {
        return None;
    }
    let message = story.turn.message.as_deref();
    let first_edit = story.turn.steps.iter().position(|step| matches!(step.what, crate::What::Edited(_)))?;
    let looked =
        story.turn.steps[..first_edit].iter().filter(|step| matches!(step.what, crate::What::Ran(_)));
    // What a log holds may be about anything; it counts if the agent names it, or says nothing.
    looked
        .rev()
        .filter_map(|step| failures::failure(&step.output))
        .find(|failure| message.is_none_or(|message| is_named(message, &failure.message)))
}

/// Gives the sentence of a report that has an example in it: a number, a name.
fn reported(story: &Story<'_>, title: &str) -> Option<String> {
    let wishes = story.wishes();
    let wish = wishes.iter().find(|wish| super::words::is_trouble(wish))?;
    let is_example = |sentence: &&str| {
        sentence.bytes().filter(u8::is_ascii_digit).count() >= 2
            && !title.contains(&sentence.chars().take(24).collect::<String>())
            && !sentence.contains("://")
    };
    let example = super::wording::sentences(wish).into_iter().find(is_example).map(str::to_owned);
    // What was complained of, where the title tells why it was so.
    let complaint = || {
        let told = request::trouble(wish, &Ground::of(story))?;
        let beginning: String = told.chars().take(16).collect();
        (!title.contains(&beginning)).then_some(told)
    };
    example.or_else(complaint)
}

/// Says whether a message names what is special in a failure.
pub(crate) fn is_named(message: &str, failure: &str) -> bool {
    let quoted = failure.split(['\'', '"', '`']).skip(1).step_by(2);
    let named = failure
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| super::names::is_name(word));
    quoted.chain(named).any(|word| word.chars().count() > 3 && message.contains(word))
}

/// Recognises what a test says of any value that is not the expected one: the complaint tells more.
fn is_generic(message: &str) -> bool {
    let text = message.to_lowercase();
    let starts = [
        "assertionerror",
        "assertion failed",
        "assertion `left",
        "not equal",
        "assert ",
        "expected ",
        "error: expect(",
        "exit code",
        "test timed out",
        "process completed",
        "failure: build failed",
        "build failed",
    ];
    starts.iter().any(|start| text.starts_with(start))
}

/// Says whether a commit also takes in what turns before the story had edited and not committed.
fn has_older_edits(story: &Story<'_>) -> bool {
    let before = &story.before[..story.before.len() - story.carried.len()];
    let commits = |step: &&crate::Step| match &step.what {
        crate::What::Ran(line) => {
            super::commands::runs(line).iter().any(|run| matches!(run.purpose, Purpose::Commit { .. }))
        }
        _ => false,
    };
    let is_edit = |step: &crate::Step| matches!(step.what, crate::What::Edited(_)) && step.ok != Some(false);
    before
        .iter()
        .rev()
        .flat_map(|turn| turn.steps.iter().rev())
        .take_while(|step| !commits(step))
        .any(is_edit)
}

/// Says whether a commit's subject tells what the work was: long enough, and about something that occurs in it.
pub(crate) fn is_about(story: &Story<'_>, subject: &str) -> bool {
    let known = story.wishes().join(" ") + story.turn.message.as_deref().unwrap_or_default();
    let known =
        story.net.changes.iter().fold(known, |known, change| known + " " + &change.path).to_lowercase();
    let mut words = subject.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
    subject.chars().count() >= 16
        && !has_older_edits(story)
        && words.any(|word| known.contains(&word.to_lowercase()))
}

/// Tells what the work broke elsewhere and what was mended there: a test that failed in what it asserts, and files that only its cure touched.
pub(crate) fn aside(story: &Story<'_>) -> Option<Found> {
    let steps = &story.turn.steps;
    let edited = |step: &crate::Step| -> Vec<String> {
        match &step.what {
            crate::What::Edited(edits) if step.ok != Some(false) => {
                edits.iter().map(|edit| edit.path.clone()).collect()
            }
            _ => Vec::new(),
        }
    };
    let own: Vec<&super::story::Trial> = story
        .trials
        .iter()
        .filter(|trial| trial.is_own && trial.run.purpose == Purpose::Test && trial.passed.is_some())
        .collect();
    own.iter().enumerate().find_map(|(at, failed)| {
        let failure = failed
            .failure
            .as_ref()
            .filter(|_| failed.passed == Some(false) && failed.edits_before > 0 && is_telling(failed))?;
        let passed = own[at + 1..].iter().find(|later| later.passed == Some(true))?;
        let before: Vec<String> = steps[..failed.step].iter().flat_map(edited).collect();
        // What was edited behind the next run has another reason.
        let next = story.trials.iter().find(|trial| {
            trial.is_own
                && trial.run.purpose == Purpose::Test
                && trial.step > failed.step
                && steps[failed.step..trial.step].iter().any(|step| !edited(step).is_empty())
        });
        let end = next.map_or(passed.step, |next| next.step);
        let mended: Vec<String> = steps[failed.step..end].iter().flat_map(edited).collect();
        let is_code = |path: &&String| !custos_syntax::is_test(path) && !is_noise(path);
        let mut files: Vec<String> = mended.iter().filter(is_code).cloned().collect();
        let mut seen: Vec<String> = Vec::new();
        files.retain(|file| {
            let is_new = !seen.contains(file);
            seen.push(file.clone());
            is_new
        });
        let stays = |path: &String| story.net.changes.iter().any(|change| change.path == *path);
        if files.is_empty() || files.iter().any(|path| before.contains(path) || !stays(path)) {
            return None;
        }
        let changes: Vec<_> = story.code().filter(|change| files.contains(&change.path)).collect();
        let stems: Vec<&str> =
            files.iter().map(|path| file_name(path).split('.').next().unwrap_or_default()).collect();
        let names: Vec<&str> = changes
            .iter()
            .flat_map(|change| &change.touched)
            .map(|touched| touched.name.rsplit(['.', ':', '#']).next().unwrap_or_default())
            .collect();
        let is_about = |sentence: &&message::Sentence| {
            !sentence.is_ahead
                && stems.iter().chain(&names).any(|name| name.len() > 3 && sentence.text.contains(name))
        };
        let told = story.sentences.iter().find(|sentence| sentence.is_cause && is_about(sentence));
        let test = failure.tests.first().cloned().unwrap_or_default();
        let title = told.map_or_else(
            || {
                headline(
                    &format!(
                        "Fixed {} ({}): {}",
                        cut(&test, 40),
                        file_name(&files[0]),
                        failure.message.trim_end_matches(':')
                    ),
                    TITLE,
                )
            },
            |sentence| headline(&sentence.text, TITLE),
        );
        let steps: Vec<usize> = changes
            .iter()
            .flat_map(|change| change.steps.clone())
            .chain([failed.step, passed.step])
            .collect();
        let draft = Draft::new(Sort::Bugfix, &title)
            .tell(&format!(
                "`{}` failed ({test}): {}.",
                failed.run.label,
                cut(failure.message.trim_end_matches(['.', ':']), 120)
            ))
            .facts(facts::lines(&changes, 3))
            .facts(facts::stands(&changes))
            .concepts(names.iter().take(3).map(|name| (*name).to_owned()))
            .modified(files)
            .steps(steps);
        Some(draft.found())
    })
}

/// Says whether two runs are of one program: `./gradlew build` and `./gradlew build test`.
fn is_same_program(a: &super::story::Trial, b: &super::story::Trial) -> bool {
    let program = |trial: &super::story::Trial| trial.run.label.split_whitespace().next().map(str::to_owned);
    super::work::is_kin(a, b) || b.is_proof() && program(a) == program(b)
}

/// Tells what the turn before had broken off with and told the person, and what mended it here: both know of it, and so should the next.
pub(crate) fn handed_over(story: &Story<'_>) -> Option<Found> {
    let last = story.carried.last()?;
    let failed = story.trials.iter().rfind(|trial| {
        !trial.is_own
            && trial.passed == Some(false)
            && matches!(trial.run.purpose, Purpose::Test | Purpose::Build)
    })?;
    let failure = failed.failure.as_ref()?;
    let passed = story
        .trials
        .iter()
        .rfind(|trial| trial.is_own && trial.passed == Some(true) && is_same_program(failed, trial))?;
    let edited: Vec<&str> = story
        .turn
        .steps
        .iter()
        .take(passed.step)
        .filter(|step| matches!(step.what, crate::What::Edited(_)) && step.ok != Some(false))
        .flat_map(|step| step.files_changed.iter().map(String::as_str))
        .collect();
    let files: Vec<String> = story
        .code()
        .filter(|change| edited.contains(&change.path.as_str()) && !super::story::is_prose(&change.path))
        .map(|change| change.path.clone())
        .collect();
    let told = message::read(last.message.as_deref()?, &story.evidence);
    // The agent said why, in words of the failure or of what was then changed.
    let ground = Ground::of(story);
    let why: Vec<_> =
        told.into_iter().filter(|sentence| sentence.names > 0 && ground.shares(&sentence.text) > 0).collect();
    let best = message::best(&why, 1, 2, 300);
    let lead = best.first()?;
    if files.is_empty() {
        return None;
    }
    let title = if is_generic(&failure.message) {
        headline(&lead.text, TITLE)
    } else {
        format!("Fixed {}", quoted(&failure.message, 84))
    };
    let mut draft = Draft::new(Sort::Bugfix, &title).tell(&lead.text);
    for sentence in &best[1..] {
        draft = draft.tell(&sentence.text);
    }
    let own: Vec<String> = story
        .turn
        .steps
        .iter()
        .filter_map(|step| match &step.what {
            crate::What::Edited(edits) if step.ok != Some(false) => Some(edits),
            _ => None,
        })
        .flatten()
        .filter(|edit| files.contains(&edit.path))
        .filter_map(super::hurdles::added)
        .take(2)
        .collect();
    Some(draft.facts(own).modified(files).steps([passed.step]).found())
}

/// Tells what was tried and taken back.
pub(crate) fn undone(story: &Story<'_>) -> Option<String> {
    let mut files: Vec<String> = story.net.undone.iter().map(|undone| undone.path.clone()).collect();
    files.dedup();
    files.retain(|file| !story.net.changes.iter().any(|change| change.path == *file));
    (!files.is_empty()).then(|| format!("An attempt in {} did not help and was taken back.", row(&files, 2)))
}
