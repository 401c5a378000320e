//! What an advisor is shown of a command, and how long it is left alone after it failed.
//!
//! The advisor is a model that the person has set up. Two things must hold whatever it is. It sees no secret: the command is redacted as it
//! would be in the log. And it is not asked about a command that it would not see as the shell does: one that is long, or from which more
//! than a plain value was taken, for code could hide there.
//!
//! How asking went is kept in a file of the state directory. It is read and replaced without a lock: when two requests fail at the same
//! time, one failure may be forgotten, and the worst that follows is one more question.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::time::Duration;

use custos_config::replace::Draft;
use custos_config::source::{Links, read_small};
use custos_guard::triage::{Advice, Advisor, Breaker, Question, consult};

use crate::scribe::Scribe;

/// An advisor, as the person has set it up.
#[derive(Clone, Copy)]
pub struct Counsel<'a> {
    /// Who is asked.
    pub advisor: &'a dyn Advisor,
    /// How long an answer may take.
    pub within: Duration,
}

/// The file in the state directory that says how asking went.
const FILE: &str = "advisor.json";

/// A larger file was not written here.
const LARGEST_FILE: u64 = 4 << 10;

/// The longest command that an advisor is asked about: nobody overlooks what is in a longer one.
const LONGEST: usize = 2 << 10;

/// Reads how asking went so far. A file that is missing or damaged says that nothing is wrong.
pub fn breaker(state: &Path) -> Breaker {
    let bytes = read_small(&state.join(FILE), LARGEST_FILE, Links::Refuse).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Asks the advisor about a command that nothing is known against or for; none if it is not one to be asked about.
pub(crate) fn ask(
    scribe: &Scribe<'_>,
    state: &Path,
    counsel: Counsel<'_>,
    command: &str,
    cwd: &str,
) -> Option<Advice> {
    let (command, cwd) = (presentable(command)?, presentable(cwd)?);
    let question = Question { command: &command, cwd: &cwd };
    let clock = &scribe.around.log.surroundings().clock;
    let clock = || u64::try_from(clock().as_millis()).unwrap_or_default();
    let before = breaker(state);
    let mut breaker = before.clone();
    let advice = consult(counsel.advisor, &question, counsel.within, &mut breaker, &clock);
    if breaker != before
        && let Err(error) = keep(state, &breaker)
    {
        scribe.trouble(&format!("{FILE} cannot be written: {error}"));
    }
    Some(advice)
}

/// Writes down how asking went. After a crash the file is the old one or the new one, whole.
fn keep(state: &Path, breaker: &Breaker) -> io::Result<()> {
    Draft::begin(&state.join(FILE))?.publish_disposable(&serde_json::to_vec(breaker)?)
}

/// A text as it may be shown to an advisor; none if what is shown would not be what the shell sees.
fn presentable(text: &str) -> Option<Cow<'_, str>> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.len() > LONGEST || text.contains(is_odd) {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+/=~:".contains(c);
    let taken = custos_redact::find(text);
    let is_seen = taken.iter().all(|taken| text[taken.range.clone()].chars().all(is_plain));
    is_seen.then(|| custos_redact::redact(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_and_code_does_not_hide_behind_them() {
        let shown = |text: &str| presentable(text).map(Cow::into_owned);
        assert_eq!(shown("make -j4 all").as_deref(), Some("make -j4 all"));
        assert_eq!(
            shown("make TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 all").as_deref(),
            Some("make TOKEN=[redacted:github-token] all")
        );
        assert_eq!(shown("make <private> a; touch b </private> c"), None);
        assert_eq!(shown("make PASSWORD='k3Lq9zTw;touch b;x8Rt2'"), None);
        assert_eq!(shown("make \u{1b}[2Kall"), None);
        assert_eq!(shown(&"x".repeat(LONGEST)), Some("x".repeat(LONGEST)));
        assert_eq!(shown(&"x".repeat(LONGEST + 1)), None);
    }

    #[test]
    fn what_is_kept_is_read_back_and_what_is_damaged_is_new() {
        let dir = tempfile::tempdir().unwrap();
        let mut written = Breaker::default();
        for failure in [custos_guard::triage::Failure::Status(404), custos_guard::triage::Failure::Late] {
            written.failed(7, failure);
            keep(dir.path(), &written).unwrap();
            assert_eq!(breaker(dir.path()), written);
        }
        for damaged in ["", "{", "[]", "{\"failures\": -1}"] {
            Draft::begin(&dir.path().join(FILE)).unwrap().publish_disposable(damaged.as_bytes()).unwrap();
            assert_eq!(breaker(dir.path()), Breaker::default(), "{damaged}");
        }
    }
}
