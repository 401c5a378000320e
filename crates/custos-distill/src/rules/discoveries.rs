//! What was found out: an answer, a limit, a way that led nowhere.

use custos_model::Sort;

use super::commands::Purpose;
use super::draft::Draft;
use super::failures::Failure;
use super::ground::Ground;
use super::message::{self, Sentence};
use super::request;
use super::story::{Story, Trial};
use super::wording::{TITLE, file_name, headline, one_line, quoted, row};
use super::words;
use crate::Found;
use crate::turn::{Fate, What};

/// The concept that marks what was tried and taken back; what was recorded as work on the same files does not hold any more.
pub const REVERTED: &str = "reverted";

/// Tells what was tried and taken back, where nothing of it stayed.
pub(crate) fn attempt(story: &Story<'_>) -> Option<Found> {
    let stays = |change: &&super::net::Change| {
        !super::story::is_noise(&change.path)
            && (change.fate != Fate::Created || !is_cleaned(story, &change.path))
    };
    let stayed = story.net.changes.iter().any(|change| stays(&change));
    let first = story.net.undone.first()?;
    let last = story.net.undone.last().filter(|last| last.is_own)?;
    // What an agent takes back by itself and goes on is a detour; told only if it ended there.
    let goes_on = story.turn.steps[last.step.min(story.turn.steps.len())..]
        .iter()
        .any(|step| matches!(step.what, What::Edited(_)));
    if stayed || goes_on {
        return None;
    }
    let failures = failures(story);
    // What the agent said when it saw that it would not do.
    let told: Vec<Sentence> = story
        .carried
        .iter()
        .chain([story.turn])
        .filter_map(|turn| turn.message.as_deref())
        .flat_map(|text| message::read(text, &story.evidence))
        .filter(|sentence| sentence.names > 0 && (sentence.is_cause || is_obstacle(&sentence.text)))
        .collect();
    // What only did not compile, and nobody says why, was a slip.
    if told.is_empty() && failures.iter().all(|failure| failure.tests.is_empty()) {
        return None;
    }
    let mut files: Vec<String> = story.net.undone.iter().map(|undone| undone.path.clone()).collect();
    files.sort();
    files.dedup();
    let mut touched: Vec<String> =
        story.net.undone.iter().flat_map(|undone| undone.touched.clone()).collect();
    touched.dedup();
    let ground = Ground::of(story);
    let wanted = story.before.iter().map(super::story::joined).rfind(|wish| words::is_trouble(wish));
    let tests: Vec<String> = failures.iter().flat_map(|failure| failure.tests.clone()).collect();
    let reported = wanted.as_deref().and_then(|wish| request::trouble(wish, &ground));
    // Under which condition they would try again, says which of the reasons counts.
    let prompt = story.prompt();
    let counts = |sentence: &&Sentence| {
        let mut words = prompt.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        words.any(|word| {
            let word = word.trim_matches('.');
            word.bytes().any(|byte| byte.is_ascii_digit())
                && sentence
                    .text
                    .split(|c: char| !(c.is_alphanumeric() || c == '.'))
                    .any(|known| known.trim_matches('.') == word)
        })
    };
    let best = message::best(&told, 1, 1, 600).first().copied();
    let why = told.iter().find(counts).or(best).map(|sentence| sentence.text.clone());
    let asked = story.wishes().first().map(|wish| request::gist(wish, 90)).unwrap_or_default();
    let title = match (reported, &why) {
        (Some(reported), _) => format!("Unresolved: {}", headline(&reported, TITLE - 12)),
        (None, Some(why)) => headline(why, TITLE),
        (None, None) if asked.is_empty() => format!("Tried and taken back in {}", file_name(&first.path)),
        (None, None) => format!("Tried and taken back: {}", headline(&asked, TITLE - 22)),
    };
    let mut draft = Draft::new(Sort::Discovery, &title);
    if let Some(why) = why.filter(|why| why.chars().count() > TITLE) {
        draft = draft.tell(&why);
    }
    if prompt.chars().count() > 24 {
        draft = draft.tell(&format!("The person: {}.", quoted(&prompt, 240)));
    }
    draft = draft.tell(&format!("What was tried in {} was reverted.", row(&files, 3)));
    // What a compiler said of a line that came with the attempt was a slip on the way, unless the agent speaks of it.
    let reasons: String = told.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ");
    let is_new = |path: &str| {
        story.net.changes.iter().any(|change| change.path.ends_with(path) || path.ends_with(&change.path))
    };
    let is_slip = |failure: &&Failure| {
        failure.tests.is_empty()
            && failure.place.as_ref().is_some_and(|(path, _)| is_new(path))
            && !super::fixes::is_named(&reasons, &failure.message)
    };
    for failure in failures.iter().filter(|failure| !is_slip(failure)).take(4) {
        draft = draft.fact(&format!("Failed with: {}", failure.message));
    }
    if let Some(test) = tests.first() {
        draft = draft.fact(&format!("Failing test: {test}"));
    }
    if !touched.is_empty() {
        draft = draft.fact(&format!("Tried in {}", row(&touched, 5)));
    }
    draft = draft.facts(message::best(&told, 3, 2, 320).into_iter().map(|sentence| sentence.text.clone()));
    let steps = story.net.undone.iter().map(|undone| undone.step);
    Some(
        draft
            .concepts(
                [REVERTED.to_owned()]
                    .into_iter()
                    .chain(touched.iter().take(3).cloned())
                    .chain(tests.into_iter().take(1)),
            )
            .read(files)
            .steps(steps)
            .found(),
    )
}

/// Says whether git was told to throw a new file away.
fn is_cleaned(story: &Story<'_>, path: &str) -> bool {
    let edited = story.turn.steps.iter().rposition(|step| {
        matches!(step.what, What::Edited(_)) && step.files_changed.iter().any(|file| file == path)
    });
    let behind = &story.turn.steps[edited.map_or(0, |at| at + 1)..];
    let lines = behind.iter().filter(|step| step.ok != Some(false)).filter_map(|step| match &step.what {
        What::Ran(line) => Some(line.as_str()),
        _ => None,
    });
    let cleans = |command: &str| {
        let Some(rest) = command.trim().strip_prefix("git clean ") else { return false };
        let (options, named): (Vec<&str>, Vec<&str>) =
            rest.split_whitespace().partition(|word| word.starts_with('-'));
        let is_meant = options.iter().any(|option| option.contains('f') && !option.contains('n'));
        let is_under = |folder: &&str| {
            let folder = folder.trim_start_matches("./").trim_end_matches('/');
            folder.is_empty()
                || folder == "."
                || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        is_meant && (named.iter().all(|word| *word == "--") || named.iter().any(is_under))
    };
    lines.flat_map(|line| line.split(['&', ';', '\n', '|'])).any(cleans)
}

/// Recognises a sentence that says what stood in the way.
fn is_obstacle(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        " but ", "block", "cannot ", "can't ", "too old", "needs ", "requires ", "kann nicht", "zu alt", "ne peut pas", "trop ancien",
        "no puede", "demasiado antigu", "however", "incompatib", "not support", "does not exist", "aber", "blockier", "allerdings",
        "mais ", "bloque", "pero ", "mas ", "porém", "però", " ma ", "maar", "но ", "однако", "但", "不兼容", "不支持",
        "しかし", "ですが", "対応していない", "하지만", "지만",
    ];
    let lower = text.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// What people put into code to see what happens in it.
#[rustfmt::skip]
const PRINTS: [&str; 14] = [
    "dbg!", "println", "console.log", "print(", "printf", "fmt.Print", "log.Print", "var_dump", "System.out",
    "puts ", "pp ", "debugger", "logger.debug", "console.error",
];

/// Tells what was tried beside the work and taken back, with what it failed.
pub(crate) fn abandoned(story: &Story<'_>) -> Option<Found> {
    let stayed = story.net.changes.iter().any(|change| !super::story::is_noise(&change.path));
    if !stayed {
        return None;
    }
    story.net.undone.iter().find_map(|undone| {
        let is_kept = story.net.changes.iter().any(|change| change.path == undone.path);
        let tried = undone.tried.as_deref().filter(|_| !is_kept)?;
        // The run between the edit and the way back says why.
        let edited = story.turn.steps[..undone.step.min(story.turn.steps.len())]
            .iter()
            .rposition(|step| step.files_changed.contains(&undone.path))?;
        let trial = story.trials.iter().find(|trial| {
            trial.is_own
                && trial.passed == Some(false)
                && trial.step > edited
                && trial.step <= undone.step
                && trial.is_proof()
        })?;
        let failure = trial.failure.as_ref().filter(|failure| !is_compile_error(failure))?;
        // What failed in the same way before was not found out by this attempt; and who prints values looks, and tries nothing.
        let was_there = story.trials.iter().any(|earlier| {
            earlier.is_own
                && earlier.step < edited
                && earlier.failure.as_ref().is_some_and(|known| super::failures::same(known, failure))
        });
        if was_there || PRINTS.iter().any(|word| tried.contains(word)) {
            return None;
        }
        let place = format!(" ({})", file_name(&undone.path));
        let room = TITLE - 22 - place.chars().count();
        let title = format!("Tried and taken back: `{}`{place}", super::wording::cut(tried, room.min(60)));
        let mut draft = Draft::new(Sort::Discovery, &title).tell(&format!(
            "`{}` failed: {}.",
            trial.run.label,
            failure.message.trim_end_matches('.')
        ));
        let known = format!("{tried} {}", failure.message).to_lowercase();
        let is_about = |sentence: &&Sentence| {
            let text = sentence.text.to_lowercase();
            let mut words = known.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 5);
            words.any(|word| text.contains(word))
        };
        let told: Vec<Sentence> = story.sentences.iter().filter(is_about).cloned().collect();
        for sentence in message::best(&told, -4, 1, 240) {
            draft = draft.tell(&sentence.text);
        }
        Some(draft.read([undone.path.clone()]).steps([edited, trial.step, undone.step]).found())
    })
}

/// Lists the failures of a story and of the turns before it that concern the same, without repeating.
fn failures(story: &Story<'_>) -> Vec<Failure> {
    let mut found: Vec<Failure> = Vec::new();
    let mut all: Vec<Failure> = Vec::new();
    // Settled turns before it are not in the story, but the way there was theirs.
    for turn in story.before.iter().rev().take(3).rev().filter(|turn| !story.carried.contains(turn)) {
        for step in &turn.steps {
            if let (What::Ran(line), Some(false)) = (&step.what, step.ok) {
                let is_proof = super::commands::runs(line)
                    .iter()
                    .any(|run| matches!(run.purpose, Purpose::Test | Purpose::Build));
                all.extend(super::failures::failure(&step.output).filter(|_| is_proof));
            }
        }
    }
    all.extend(
        story
            .trials
            .iter()
            .filter(|trial| matches!(trial.run.purpose, Purpose::Test | Purpose::Build))
            .filter_map(|trial| trial.failure.clone()),
    );
    for failure in all {
        if !found.iter().any(|known| super::failures::same(known, &failure)) {
            found.push(failure);
        }
    }
    found
}

/// Tells a limit that something ran into, and that was not the work itself.
pub(crate) fn limit(story: &Story<'_>, work: Option<&Found>) -> Option<Found> {
    let is_told = |failure: &Failure| {
        work.is_some_and(|work| {
            matches!(work.observation.sort, Sort::Bugfix | Sort::Security)
                && work
                    .observation
                    .title
                    .contains(failure.message.chars().take(24).collect::<String>().as_str())
        })
    };
    let (at, trial, failure) = story.trials.iter().enumerate().find_map(|(at, trial)| {
        let failure = trial.failure.as_ref()?;
        let is_limit = (words::is_constraint(&failure.message) || is_of_version(&failure.message))
            && !is_compile_error(failure)
            && trial.is_proof()
            && !is_own_slip(story, trial, failure)
            && !is_told(failure);
        is_limit.then_some((at, trial, failure))
    })?;
    // What nobody got over is no limit that was found, but a problem that is left.
    let over =
        story.trials[at + 1..].iter().find(|later| is_over(trial, later)).filter(|over| over.is_own)?;
    let mut draft = Draft::new(Sort::Discovery, &limit_title(failure, trial));
    let message = failure.message.trim_end_matches('.');
    let is_in_title = draft.has_title(message);
    let told = if is_in_title {
        format!("`{}` ran into it.", trial.run.label)
    } else {
        format!("`{}` failed: {message}.", trial.run.label)
    };
    draft = draft.tell(&told);
    draft = draft.facts(looked_up(story, trial).filter(|_| is_of_version(message)));
    if over.run.label == trial.run.label || over.edits_before > trial.edits_before {
        let is_there = |path: &str| failure.place.as_ref().is_some_and(|(file, _)| file == path);
        let lines =
            super::facts::lines(&story.code().filter(|change| is_there(&change.path)).collect::<Vec<_>>(), 3);
        draft = draft.facts(lines);
    } else {
        draft = draft.tell(&format!("`{}` works.", over.run.label));
    }
    let prompt = story.prompt();
    let shares = failure
        .message
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word.len() > 4 && prompt.to_lowercase().contains(&word.to_lowercase()));
    if shares && !trial.is_own && prompt.chars().count() < 200 {
        draft = draft.tell(&format!("The person: {}.", quoted(&prompt, 180)));
    }
    let place = failure.place.as_ref().map(|(file, _)| file.clone()).filter(|file| !file.starts_with('/'));
    if let Some(file) = &place {
        draft = draft.fact(&format!("Raised in {file}"));
    }
    let mut steps = Vec::new();
    if trial.is_own {
        steps.push(trial.step);
    }
    if over.is_own {
        steps.push(over.step);
    }
    Some(draft.read(place).steps(steps).found())
}

/// Says whether a build complains about a line that was only just written: whoever wrote it has read it.
fn is_own_slip(story: &Story<'_>, trial: &Trial, failure: &Failure) -> bool {
    let is_edited = |path: &str| {
        story.turn.steps.iter().take(trial.step).any(|step| {
            matches!(step.what, What::Edited(_))
                && step.files_changed.iter().any(|file| file.ends_with(path) || path.ends_with(file.as_str()))
        })
    };
    trial.is_own
        && matches!(trial.run.purpose, Purpose::Build | Purpose::Lint)
        && !is_of_version(&failure.message)
        && failure.place.as_ref().is_some_and(|(path, _)| is_edited(path))
}

/// Tells what was looked up right behind a failure: mostly the version that is there.
fn looked_up(story: &Story<'_>, trial: &Trial) -> Option<String> {
    let turns = if trial.is_own { Some(story.turn) } else { story.carried.last() };
    let step = turns?.steps.get(trial.step + 1)?;
    let What::Ran(line) = &step.what else { return None };
    let printed = one_line(&step.output);
    let is_short = printed.chars().count() <= 200
        && line.chars().count() <= 80
        && printed.bytes().any(|b| b.is_ascii_digit());
    is_short.then(|| format!("`{line}`: {printed}"))
}

fn limit_title(failure: &Failure, trial: &Trial) -> String {
    let message = one_line(&failure.message);
    let message =
        message.strip_prefix("Error: ").or_else(|| message.strip_prefix("error: ")).unwrap_or(&message);
    // What kind of error it is says less than what it says.
    let message = match message.split_once(": ") {
        Some((kind, rest))
            if !kind.trim().contains(' ')
                && rest.chars().count() >= 24
                && (kind.trim().ends_with("Exception") || kind.trim().ends_with("Error")) =>
        {
            rest
        }
        _ => message,
    };
    let first = super::wording::sentences(message).into_iter().next().unwrap_or(message);
    let message = if first.chars().count() >= 24 { first } else { message };
    if message.chars().count() >= 24 {
        return headline(message, TITLE);
    }
    headline(&format!("`{}`: {message}", trial.run.label), TITLE)
}

/// Recognises what a compiler says about the code at hand: it tells nothing that the code would not.
fn is_compile_error(failure: &Failure) -> bool {
    if is_of_version(&failure.message) {
        return false;
    }
    // What a language throws at whoever uses a value wrongly.
    if [
        "ValueError",
        "TypeError",
        "IndexError",
        "KeyError",
        "AttributeError",
        "NullPointer",
        "RangeError",
        "ReferenceError",
        "IndexOutOfBounds",
    ]
    .iter()
    .any(|kind| failure.message.starts_with(kind))
    {
        return true;
    }
    let starts = ["error[E", "error TS", "TS", "SyntaxError", "error CS", "e: "];
    starts.iter().any(|start| failure.message.starts_with(start))
        || failure.code.as_deref().is_some_and(|code| code.starts_with('E') || code.starts_with("TS"))
}

/// Recognises what a tool says that has the wrong version for what is asked of it.
fn is_of_version(message: &str) -> bool {
    let text = message.to_lowercase();
    [
        "unstable library feature",
        "requires rustc",
        "requires node",
        "requires python",
        "requires go ",
        "requires a newer",
        "unsupported class file",
        "unsupported engine",
        "requires ruby",
        "requires php",
        "needs go1",
        "invalid target release",
        "is only available",
        "requires a minimum",
        "not supported by this version",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// Says whether a later run got over what an earlier one ran into.
fn is_over(earlier: &Trial, later: &Trial) -> bool {
    let differs = match (&earlier.failure, &later.failure) {
        (Some(a), Some(b)) => !super::failures::same(a, b),
        _ => true,
    };
    let is_kin = earlier.run.family == later.run.family
        || earlier.run.purpose == Purpose::Test && later.run.purpose == Purpose::Test;
    is_kin && (later.passed == Some(true) || differs && later.failure.is_some())
}
