//! How long something takes and how large it is, before and after.
//!
//! Who works on speed measures: with a stopwatch, a benchmark, a list of images. The first and the last value of the same measurement are what
//! the work came to; what a person said it was (“takes 41 s”) stands in for the first where nobody measured it.

use custos_model::Sort;

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

/// What a value is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Time,
    Size,
    Rate,
}

/// A value as it was printed, and as a number in the unit's own measure.
#[derive(Debug, Clone, PartialEq)]
struct Value {
    unit: Unit,
    text: String,
    number: f64,
}

/// A value and the command that printed it.
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
    by: Option<String>,
}

impl Gain {
    fn told(&self) -> String {
        format!("{} → {}", self.from.text, self.to.text)
    }

    fn fact(&self) -> String {
        match &self.by {
            Some(by) => format!("{} (`{}`)", self.told(), super::wording::cut(by, 60)),
            None => self.told(),
        }
    }
}

/// Less than this share of a difference is noise.
const NOISE: f64 = 0.15;

/// Tells what work on speed or size came to; none where nobody asked for it or nothing was measured.
pub(crate) fn found(turn: &Turn, before: &[Turn]) -> Option<Found> {
    let from = began(turn, before)?;
    let story = Story::read_from(turn, before, from);
    let has_own = story.net.changes.iter().any(|change| !change.steps.is_empty());
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
    let sort = if code { Sort::Refactor } else { Sort::Change };
    let told: Vec<String> = gains.iter().map(Gain::told).collect();
    let mut draft = Draft::new(sort, &title(&story, &told));
    let sentences: Vec<_> = story
        .carried
        .iter()
        .filter_map(|turn| turn.message.as_deref())
        .flat_map(|text| message::read(text, &story.evidence))
        .chain(story.sentences.clone())
        .collect();
    let concrete: Vec<_> = sentences
        .iter()
        .filter(|sentence| !sentence.is_ahead && sentence.text.bytes().any(|byte| byte.is_ascii_digit()))
        .cloned()
        .collect();
    for sentence in message::best(&concrete, 1, 3, 330) {
        draft = draft.tell(&sentence.text);
    }
    draft = draft.facts(gains.iter().map(Gain::fact));
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

/// Finds the turn in which the work on speed began: nothing was committed since.
fn began(turn: &Turn, before: &[Turn]) -> Option<usize> {
    if is_wish(&joined(turn)) {
        return Some(before.len());
    }
    let mut from = None;
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

/// Compares the first and the last value of each unit.
fn gains(story: &Story<'_>) -> Vec<Gain> {
    let mut all: Vec<Measure> = Vec::new();
    for turn in story.before.iter().rev().take(5).rev().chain([story.turn]) {
        all.extend(measured(turn));
    }
    let own = measured(story.turn);
    let wished: Vec<Value> = story
        .before
        .iter()
        .rev()
        .take(5)
        .rev()
        .chain([story.turn])
        .flat_map(|turn| values(&joined(turn)))
        .collect();
    let mut found: Vec<Gain> = Vec::new();
    for unit in [Unit::Time, Unit::Size, Unit::Rate] {
        let Some(last) = own.iter().rfind(|measure| measure.value.unit == unit) else { continue };
        let first = all
            .iter()
            .find(|measure| measure.value.unit == unit && measure.by == last.by)
            .filter(|first| differs(&first.value, &last.value));
        let said = wished.iter().find(|value| {
            value.unit == unit
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
            found.push(Gain { from, to: last.value.clone(), by: Some(last.by.clone()) });
        }
    }
    found
}

fn differs(a: &Value, b: &Value) -> bool {
    let larger = a.number.max(b.number);
    larger > 0.0 && (a.number - b.number).abs() / larger > NOISE
}

/// Programs that are run to measure, and words of lines that tell what was measured.
#[rustfmt::skip]
const METERS: &[&str] = &[
    "hyperfine", "time ", "/usr/bin/time", "bench", "pgbench", "wrk", "k6 ", "ab -", "lighthouse",
    "docker images", "docker image", "du -", "explain analyze", "gh run", "perf stat", "ls -l", "size-limit",
    "wc -c", "vegeta", "autocannon", "timeit",
];

fn measured(turn: &Turn) -> Vec<Measure> {
    let mut found = Vec::new();
    for step in &turn.steps {
        let What::Ran(line) = &step.what else { continue };
        let lower = line.to_lowercase();
        let Some(meter) = METERS.iter().find(|meter| lower.contains(**meter)) else { continue };
        for text in step.output.lines().filter(|text| text.len() < 300) {
            let is_total = is_total(text);
            if let Some(value) = values(text).into_iter().next().filter(|_| is_total) {
                found.push(Measure { value, by: (*meter).trim().to_owned() });
            }
        }
    }
    found
}

/// Recognises a line that tells the whole, rather than a part of it or how long the build took.
fn is_total(line: &str) -> bool {
    let text = line.trim();
    let lower = text.to_lowercase();
    if ["finished `", "compiling", "range (", "downloaded", "start at", "done in", "test files", "#"]
        .iter()
        .any(|word| lower.starts_with(word))
    {
        return false;
    }
    let words = [
        "time",
        "real",
        "mean",
        "elapsed",
        "wall",
        "total",
        "latency",
        "execution",
        "requests/sec",
        "req/s",
        "tps",
        "ns/op",
        "took",
        " in ",
        "duration",
        "size",
        "p95",
        "p99",
        "avg",
        "average",
    ];
    let is_bare = text.split_whitespace().count() <= 2 && text.starts_with(|c: char| c.is_ascii_digit());
    is_bare || words.iter().any(|word| lower.contains(word))
}

/// Lists the values with a unit in a line.
fn values(line: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || "()[],;|=".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_matches(|c: char| ":.<>~≈".contains(c));
        let digits =
            word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',').len();
        if digits == 0 {
            continue;
        }
        let (number, joined) = word.split_at(digits);
        let next =
            words.get(at + 1).map(|next| next.trim_matches(|c: char| ":.".contains(c))).unwrap_or_default();
        let (unit, text) =
            if joined.is_empty() { (next, format!("{number} {next}")) } else { (joined, word.to_owned()) };
        let Ok(number) = number.replace(',', ".").parse::<f64>() else { continue };
        if let Some((unit, number)) = scaled(number, unit).filter(|(_, number)| *number > 0.0) {
            // `time` tells minutes that are none.
            let text = text.strip_prefix("0m").map_or(text.clone(), str::to_owned);
            found.push(Value { unit, text, number });
        }
    }
    found
}

fn scaled(number: f64, unit: &str) -> Option<(Unit, f64)> {
    // `1m48s`, `2m3.5s`
    let seconds = unit.strip_prefix('m').and_then(|rest| rest.strip_suffix('s'));
    if let Some(Ok(seconds)) = seconds.map(str::parse::<f64>) {
        return Some((Unit::Time, number * 60.0 + seconds));
    }
    let (kind, factor) = match unit.to_lowercase().as_str() {
        "ns" | "ns/op" => (Unit::Time, 1e-9),
        "µs" | "us" | "μs" => (Unit::Time, 1e-6),
        "ms" | "ms/op" | "milliseconds" => (Unit::Time, 1e-3),
        "s" | "sec" | "secs" | "seconds" | "second" | "sekunden" | "secondes" | "segundos" | "secondi"
        | "秒" | "초" => (Unit::Time, 1.0),
        "min" | "mins" | "minutes" | "minute" | "minuten" | "minutos" | "minuti" | "分" | "분" => {
            (Unit::Time, 60.0)
        }
        "kb" | "kib" => (Unit::Size, 1e3),
        "mb" | "mib" => (Unit::Size, 1e6),
        "gb" | "gib" => (Unit::Size, 1e9),
        "req/s" | "requests/sec" | "rps" | "tps" | "ops/s" | "ops/sec" | "qps" => (Unit::Rate, 1.0),
        _ => return None,
    };
    Some((kind, number * factor))
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
            story.code().next().map_or_else(
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
