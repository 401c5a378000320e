//! Progress, for whatever takes over a second while a person watches.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar or a counter that shows up once the work has taken long enough for somebody to wonder.
pub(crate) struct Progress {
    what: &'static str,
    total: Option<u64>,
    unit: Unit,
    started: Instant,
    bar: Option<ProgressBar>,
}

#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Bytes,
    Lines,
}

const QUIET: Duration = Duration::from_millis(700);

impl Progress {
    pub(crate) fn new(what: &'static str, total: Option<u64>, unit: Unit) -> Self {
        Self { what, total, unit, started: Instant::now(), bar: None }
    }

    /// Tells how far the work has come.
    pub(crate) fn at(&mut self, position: u64) {
        if self.bar.is_none() {
            if self.started.elapsed() < QUIET {
                return;
            }
            self.bar = Some(self.show());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(position);
        }
    }

    fn show(&self) -> ProgressBar {
        // Hidden by indicatif where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr());
        let template = match (self.unit, self.total) {
            (Unit::Bytes, Some(_)) => "{msg} {bar:30} {bytes}/{total_bytes} {eta}",
            (Unit::Bytes, None) => "{msg} {spinner} {bytes} {bytes_per_sec}",
            (Unit::Lines, Some(_)) => "{msg} {bar:30} {human_pos}/{human_len} {eta}",
            (Unit::Lines, None) => "{msg} {spinner} {human_pos} {per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(self.what);
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
