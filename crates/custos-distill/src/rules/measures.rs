//! How long something takes and how large it is, before and after.
//!
//! Who works on speed measures: with a stopwatch, a benchmark, a list of images. The first and the last value of the same measurement are what
//! the work came to; what a person said it was (“takes 41 s”) stands in for the first where nobody measured it.

mod values;

use custos_model::Sort;

use super::commands::Purpose;
use super::draft::Draft;
use super::facts::{self, Symbols};
use super::fixes;
use super::message;
use super::request;
use super::story::{Story, joined};
use super::wording::{TITLE, headline};
use super::work;
use crate::Found;
use crate::turn::{Turn, What};
use values::{NOISE, Unit, Value, differs, is_total, reported, shape, values};

/// A value and the shape of the line that told it.
#[derive(Debug, Clone, PartialEq)]
struct Measure {
    value: Value,
    by: String,
}

/// What a measurement was and is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gain {
    from: Value,
    to: Value,
}

impl Gain {
    fn told(&self) -> String {
        format!("{} → {}", self.from.text, self.to.text)
    }
}

/// Tells what work on speed or size came to; none where nobody asked for it or nothing was measured.
pub(crate) fn found(turn: &Turn, before: &[Turn]) -> Option<Found> {
    let from = began(turn, before)?;
    let story = Story::read_from(turn, before, from);
    let goes_on = before.last().is_some_and(is_step);
    let has_own = goes_on || story.net.changes.iter().any(|change| !change.steps.is_empty());
    if !has_own || !story.is_settled() {
        return None;
    }
    let gains = gains(&story);
    if gains.is_empty() {
        return None;
    }
    let symbols = Symbols::of(&story);
    let code = story.code().any(|change| {
        custos_syntax::language(&change.path).is_some() && !super::settings::is_settings(&change.path)
    });
    let is_sql = story.code().all(|change| change.path.rsplit('.').next() == Some("sql"));
    let sort = if code && !is_sql { Sort::Refactor } else { Sort::Change };
    let told: Vec<String> = gains.iter().map(Gain::told).collect();
    let mut draft = Draft::new(sort, &title(&story, &told));
    // What it came to and how stands in the last message; what was learnt on the way, in those before it.
    let earlier = story.carried.iter().filter_map(|turn| turn.message.as_deref());
    let earlier: Vec<_> = earlier.flat_map(|text| message::read(text, &story.evidence)).collect();
    for (sentences, most) in [(&story.sentences, 330), (&earlier, 330)] {
        let concrete: Vec<_> = sentences
            .iter()
            .filter(|one| {
                !one.is_ahead && (one.names > 0 || one.text.bytes().any(|byte| byte.is_ascii_digit()))
            })
            .cloned()
            .collect();
        for sentence in message::best(&concrete, 1, 3, most) {
            draft = draft.tell(&sentence.text);
        }
    }
    draft = draft.facts(gains.iter().map(Gain::told));
    if let Some(rows) = table(turn.message.as_deref().unwrap_or_default()) {
        draft = draft.fact(&rows);
    }
    draft = draft.facts(
        story
            .settings
            .iter()
            .filter(|(_, setting)| setting.to.is_some())
            .take(2)
            .map(|(_, setting)| facts::setting(setting)),
    );
    if !story.packages.is_empty() {
        let packages: Vec<String> = story.packages.iter().map(facts::package).collect();
        draft = draft.fact(&format!("Dependencies: {}", packages.join(", ")));
    }
    draft = draft.facts(facts::by_file(&story, 3));
    Some(fixes::finish(draft, &story, symbols.first(false), None))
}

/// Says whether a turn measured something on the way, and asks whether to go on: what it comes to is told when that is known.
pub(crate) fn is_on_the_way(turn: &Turn, before: &[Turn]) -> bool {
    is_step(turn) && found(turn, before).is_some()
}

/// Recognises a turn that ends with what remains, and with a question.
fn is_step(turn: &Turn) -> bool {
    #[rustfmt::skip]
    const REMAINS: &[&str] = &[
        "first step", "remaining", "next step", "go on?", "continue?", "what is left", "the rest of", "erster schritt", "übrig",
        "restlich", "weiter?", "première étape", "reste ", "je continue ?", "primer paso", "quedan", "¿sigo?", "primeiro passo",
        "restam", "primo passo", "restanti", "eerste stap", "первый шаг", "第一步", "剩下", "残りの", "남은",
    ];
    let message = turn.message.as_deref().unwrap_or_default().trim().to_lowercase();
    message.ends_with(['?', '\u{ff1f}'])
        && REMAINS.iter().any(|word| message.contains(word))
        && !work::commits(turn)
}

/// Finds the turn in which the work on speed began: nothing was committed since.
fn began(turn: &Turn, before: &[Turn]) -> Option<usize> {
    let mut from = is_wish(&joined(turn)).then_some(before.len());
    // “still slow” goes on with what was asked for before, committed or not.
    if let Some(begin) = from {
        let again =
            before.iter().rev().take_while(|earlier| !earlier.is_private && is_wish(&joined(earlier)));
        return Some(begin - again.count());
    }
    for (at, earlier) in before.iter().enumerate().rev().take(5) {
        if earlier.is_private || work::commits(earlier) {
            break;
        }
        if is_wish(&joined(earlier)) {
            from = Some(at);
        }
    }
    from
}

/// Says whether a prompt wants something to be faster or smaller.
fn is_wish(prompt: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "slow", "faster", "speed up", "performance", "latency", "throughput", "benchmark", "profile", "optimise",
        "optimize", "too big", "too large", "shrink", "smaller", "bundle size", "image size", "memory usage",
        "takes ", "langsam", "schneller", "dauert", "lent", "plus rapide", "lento", "lenta", "más rápido",
        "mais rápido", "più veloce", "traag", "sneller", "медленн", "быстрее", "慢", "太大", "遅い", "速く", "重い", "느려",
        "느린", "빠르게",
    ];
    let text = prompt.to_lowercase();
    let is_named = WORDS.iter().any(|word| text.contains(word));
    is_named
        && (!values(&text).is_empty()
            || !text.contains("takes ")
            || WORDS.iter().any(|word| *word != "takes " && text.contains(word)))
}

/// What is to be faster or smaller.
struct Wish {
    /// Whether it is the tests, the build or what runs them.
    is_of_pipeline: bool,
}

impl Wish {
    fn of(story: &Story<'_>) -> Self {
        #[rustfmt::skip]
        const PIPELINE: &[&str] = &[
            "test", "tests", "build", "builds", "ci", "pipeline", "workflow", "compile", "compiling", "compilation", "lint",
            "suite", "install", "bundle", "image", "docker", "сборка", "тесты",
        ];
        const DENSE: &[&str] = &["ビルド", "テスト", "构建", "测试", "빌드", "테스트"];
        let text = story
            .before
            .iter()
            .rev()
            .take(5)
            .chain([story.turn])
            .map(joined)
            .filter(|text| is_wish(text))
            .collect::<String>()
            .to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        let is_named =
            words.any(|word| PIPELINE.contains(&word)) || DENSE.iter().any(|word| text.contains(word));
        Self { is_of_pipeline: is_named }
    }
}

/// Compares the first and the last value of each unit.
fn gains(story: &Story<'_>) -> Vec<Gain> {
    let mut all: Vec<Measure> = Vec::new();
    let wish = Wish::of(story);
    for turn in story.before.iter().rev().take(5).rev().chain([story.turn]) {
        all.extend(measured(turn, &wish));
    }
    let mut own: Vec<Measure> = Vec::new();
    own.extend(
        story.before.last().filter(|last| is_step(last)).into_iter().flat_map(|last| measured(last, &wish)),
    );
    own.extend(measured(story.turn, &wish));
    let wished: Vec<Value> = story
        .before
        .iter()
        .rev()
        .take(5)
        .rev()
        .chain([story.turn])
        .flat_map(|turn| reported(&joined(turn)))
        .collect();
    let mut found: Vec<Gain> = Vec::new();
    for unit in [Unit::Time, Unit::Size, Unit::Rate] {
        let first_of = |last: &Measure| {
            all.iter()
                .find(|measure| measure.value.unit == unit && measure.by == last.by)
                .filter(|first| differs(&first.value, &last.value))
        };
        // What was measured twice says more than what was printed last.
        let mut mine = own.iter().filter(|measure| measure.value.unit == unit).rev();
        let Some(last) = mine.clone().find(|last| first_of(last).is_some()).or_else(|| mine.next()) else {
            continue;
        };
        let first = first_of(last);
        // What the person repeats of what was measured on the way is not where it began.
        let is_on_the_way = |value: &Value| {
            all.iter().any(|measure| measure.value.unit == unit && !differs(value, &measure.value))
        };
        let said = wished.iter().find(|value| {
            value.unit == unit
                && (first.is_none() || !is_on_the_way(value))
                && differs(value, &last.value)
                && (value.number > last.value.number) == (unit != Unit::Rate)
        });
        let from = match (said, first) {
            // What the person said is where it began, unless it is what was measured.
            (Some(said), Some(first))
                if (said.number / first.value.number - 1.0).abs() > NOISE
                    && said.number > first.value.number =>
            {
                Some(said.clone())
            }
            (_, Some(first)) => Some(first.value.clone()),
            (Some(said), None) => Some(said.clone()),
            (None, None) => None,
        };
        if let Some(from) = from {
            found.push(Gain { from, to: last.value.clone() });
        }
    }
    if found.is_empty() {
        found.extend(story.turn.message.as_deref().and_then(said));
    }
    found
}

/// Takes two values of one unit out of a sentence: `14 s instead of 2 min`. What was wanted tells which came first.
fn said(message: &str) -> Option<Gain> {
    super::wording::sentences(message).into_iter().find_map(|sentence| {
        let values = values(sentence);
        let first = values.first()?;
        let other = values[1..].iter().find(|value| value.unit == first.unit && differs(first, value))?;
        let is_less = other.number < first.number;
        let (from, to) = if is_less == (first.unit != Unit::Rate) { (first, other) } else { (other, first) };
        Some(Gain { from: from.clone(), to: to.clone() })
    })
}

/// Lists what the runs of a turn measured: each line with a value, known again by what stands around its numbers.
fn measured(turn: &Turn, wish: &Wish) -> Vec<Measure> {
    const MOST: usize = 120;
    /// What is looked at and longer than this is no measurement.
    const SHORT: usize = 2_000;
    let mut found = Vec::new();
    for step in &turn.steps {
        let What::Ran(line) = &step.what else { continue };
        let runs = super::commands::runs(line);
        let is_own_time = runs.iter().any(|run| run.purpose != Purpose::Look)
            && runs.iter().filter(|run| run.purpose != Purpose::Look).all(|run| {
                matches!(
                    run.purpose,
                    Purpose::Test | Purpose::Build | Purpose::Lint | Purpose::Format | Purpose::Install(_)
                )
            });
        let is_look = runs.iter().all(|run| run.purpose == Purpose::Look);
        if is_look && step.output.len() > SHORT {
            continue;
        }
        // How long the tests took says something about the work only to whoever wants them to be faster.
        if is_own_time && !wish.is_of_pipeline {
            continue;
        }
        let lines: Vec<&str> = step
            .output
            .lines()
            .filter(|text| text.len() < 200 && text.bytes().any(|byte| byte.is_ascii_digit()))
            .collect();
        for text in lines.iter().rev().take(MOST).rev() {
            let is_total = is_total(text);
            if let Some(value) = values(text).into_iter().next().filter(|_| is_total) {
                found.push(Measure { value, by: shape(text) });
            }
        }
    }
    found
}

fn title(story: &Story<'_>, told: &[String]) -> String {
    if let Some(commit) = story.commit.as_deref() {
        let (_, subject) = request::subject(commit);
        if fixes::is_about(story, subject) {
            let has_values = subject.bytes().filter(u8::is_ascii_digit).count() > 1;
            if has_values {
                return headline(subject, TITLE);
            }
        }
    }
    let told = told.join(", ");
    let wish = story.wishes().into_iter().find(|wish| is_wish(wish)).unwrap_or_default();
    let sentence = super::wording::sentences(&wish)
        .into_iter()
        .find(|sentence| is_wish(sentence))
        .unwrap_or_default()
        .to_owned();
    let lower = sentence.to_lowercase();
    let ends = [
        " takes ",
        " needs ",
        " is too ",
        " is slow",
        " is very ",
        " are too ",
        " are slow",
        " dauert ",
        " ist zu ",
        " ist langsam",
        " prend ",
        " est trop ",
        " est lent",
        " tarda ",
        " es muy ",
        " duurt ",
    ];
    let end = ends
        .iter()
        .filter_map(|end| lower.find(end))
        .chain(judged(&lower))
        .min()
        .filter(|at| *at > 5 && lower.len() == sentence.len());
    let what = match end {
        Some(at) => {
            let what = request::bare(&sentence[..at]);
            super::wording::capitalised(
                ["our ", "the ", "unser ", "notre ", "la ", "le "]
                    .iter()
                    .find_map(|word| what.strip_prefix(word))
                    .unwrap_or(what),
            )
        }
        None => request::done(&wish, 60).unwrap_or_else(|| {
            // What was only written to measure with is not what became faster.
            let is_old = |change: &&super::net::Change| change.fate != crate::turn::Fate::Created;
            story.code().find(is_old).or_else(|| story.code().next()).map_or_else(
                || "Measured".to_owned(),
                |change| super::wording::file_name(&change.path).to_owned(),
            )
        }),
    };
    headline(
        &format!("{}: {told}", headline(&what, TITLE.saturating_sub(told.chars().count() + 2).max(30))),
        TITLE,
    )
}

/// Finds where a sentence goes over from what it is about to how slow that is: `the search is really slow`.
fn judged(lower: &str) -> Option<usize> {
    /// So many words may stand before the verdict.
    const WORDS: usize = 3;
    const VERDICTS: [&str; 7] = ["slow", "big", "large", "langsam", "lent", "lento", "lenta"];
    [" is ", " are ", " ist ", " sind ", " est ", " es "].iter().find_map(|joint| {
        let at = lower.find(joint)?;
        let mut words = lower[at + joint.len()..].split_whitespace().take(WORDS);
        words.any(|word| VERDICTS.contains(&word.trim_matches(|c: char| !c.is_alphabetic()))).then_some(at)
    })
}

/// Puts the rows of a table with values into one line: `regex compiled once 17.2 s; rayon 3.4 s`.
fn table(message: &str) -> Option<String> {
    let mut rows: Vec<String> = Vec::new();
    for line in message.lines().map(str::trim).filter(|line| line.starts_with('|') && !line.contains("---")) {
        let cells: Vec<&str> =
            line.trim_matches('|').split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
        if cells.len() >= 2 && cells[1..].iter().any(|cell| !values(cell).is_empty()) {
            rows.push(cells.join(" "));
        }
    }
    (rows.len() >= 2).then(|| rows.join("; "))
}
