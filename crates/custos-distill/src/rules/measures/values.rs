//! Numbers with a unit in lines that tools print and people type.

/// What a value is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Time,
    Size,
    Rate,
}

/// A value as it was printed, and as a number in the unit's own measure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    pub(super) unit: Unit,
    pub(super) text: String,
    pub(super) number: f64,
}

/// Less than this share of a difference is noise.
pub(super) const NOISE: f64 = 0.15;

/// Lists the values with a unit in a line.
pub(super) fn values(line: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let lower = line.to_lowercase();
    let is_timed = ["time", "elapsed", "real", "wall", "duration", "took", "zeit", "durée"]
        .iter()
        .any(|word| lower.contains(word));
    // `Maximum resident set size (kbytes): 58904`
    let headed = [
        ("(kbytes)", "kB"),
        ("(kb)", "kB"),
        ("(mb)", "MB"),
        ("(ms)", "ms"),
        ("[ms]", "ms"),
        ("(s)", "s"),
        ("(seconds)", "s"),
    ]
    .iter()
    .find(|(mark, _)| lower.contains(mark))
    .map(|(_, unit)| *unit);
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || "()[];|=".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_matches(|c: char| ":.,<>~≈".contains(c));
        let digits =
            word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',').len();
        if digits == 0 {
            continue;
        }
        let (number, joined) = word.split_at(digits);
        let next =
            words.get(at + 1).map(|next| next.trim_matches(|c: char| ":.,".contains(c))).unwrap_or_default();
        let (unit, text) =
            if joined.is_empty() { (next, format!("{number} {next}")) } else { (joined, word.to_owned()) };
        // `3:04.18` where a clock is spoken of.
        if let Some(seconds) = clock(word).filter(|_| is_timed) {
            found.push(Value { unit: Unit::Time, text: word.to_owned(), number: seconds });
            continue;
        }
        let (unit, text) = match headed {
            Some(headed) if joined.is_empty() && scaled(1.0, unit).is_none() => {
                (headed, format!("{number} {headed}"))
            }
            _ => (unit, text),
        };
        // `1,8` is a fraction, `2,100` a thousand.
        let is_thousands = number.split_once(',').is_some_and(|(_, rest)| rest.len() == 3);
        let plain = if is_thousands { number.replace(',', "") } else { number.replace(',', ".") };
        let Ok(number) = plain.parse::<f64>() else { continue };
        if let Some((unit, number)) = scaled(number, unit).filter(|(_, number)| *number > 0.0) {
            // `time` tells minutes that are none.
            let text = text.strip_prefix("0m").map_or(text.clone(), str::to_owned);
            found.push(Value { unit, text, number });
        }
    }
    found
}

/// Reads `m:ss.ff` and `h:mm:ss`.
fn clock(word: &str) -> Option<f64> {
    let parts: Vec<f64> = word.split(':').map(|part| part.parse::<f64>().ok()).collect::<Option<_>>()?;
    match parts.as_slice() {
        [minutes, seconds] => Some(minutes * 60.0 + seconds),
        [hours, minutes, seconds] => Some(hours * 3600.0 + minutes * 60.0 + seconds),
        _ => None,
    }
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

/// Lists the values that a person says something has; how much it may have is a bound.
pub(super) fn reported(prompt: &str) -> Vec<Value> {
    #[rustfmt::skip]
    const BOUNDS: &[&str] = &[
        "only", "under", "below", "within", "max", "limit", "most", "fit", "nur", "unter", "höchstens", "seulement", "moins",
        "sous", "solo", "menos", "máximo", "apenas", "meno", "onder", "только", "не более", "只有", "以内", "以下", "이하",
    ];
    super::super::wording::sentences(prompt)
        .into_iter()
        .flat_map(|sentence| sentence.split(", "))
        .filter(|part| {
            let lower = part.to_lowercase();
            !BOUNDS.iter().any(|word| lower.contains(word))
        })
        .flat_map(values)
        .collect()
}

pub(super) fn differs(a: &Value, b: &Value) -> bool {
    let larger = a.number.max(b.number);
    larger > 0.0 && (a.number - b.number).abs() / larger > NOISE
}

/// Gives a line with its numbers taken out: runs that print the same line can be compared.
pub(super) fn shape(line: &str) -> String {
    let mut shape = String::new();
    for c in line.trim().chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        let is_number = |c: char| c == '#' || c == '.' || c == ',';
        if !(c.is_whitespace() || is_number(c) && shape.ends_with('#')) {
            shape.push(c);
        } else if c.is_whitespace() && !shape.ends_with(' ') {
            shape.push(' ');
        }
    }
    // `35m2s` and `14m31s` are one shape, and so are `900 ms` and `1.2 s`.
    for unit in ["#m#s", "#h#m", "# ms", "#ms", "# s", "#s", "#:#:#", "#:#"] {
        shape = shape.replace(unit, "#t");
    }
    shape
}

/// Recognises a line that tells the whole, rather than a part of it or how long the build took.
pub(super) fn is_total(line: &str) -> bool {
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
        "median",
        "p50",
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
