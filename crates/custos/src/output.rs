//! Answers: text for people, JSON for machines, colour only on a terminal.

use std::io::{BufRead, IsTerminal as _, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use custos_config::{Color, Environment, env};
use serde::Serialize;

use crate::environment::ProcessEnvironment;
use crate::error::CliError;
use crate::exit::Exit;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// Where a command writes its answer.
pub(crate) struct Output {
    json: bool,
    /// Whether the work goes on when nobody reads any more.
    outlives_reader: bool,
    stdout: AutoStream<std::io::Stdout>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, outlives_reader: false, stdout: AutoStream::auto(std::io::stdout()) }
    }

    /// Says whether a machine reads the answer.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Says whether a person reads the answer as it comes.
    pub(crate) fn is_terminal(&self) -> bool {
        !self.json && std::io::stdout().is_terminal()
    }

    /// Decides whether there is colour, from the setting and `NO_COLOR`.
    pub(crate) fn choose_color(&mut self, color: Color) {
        let disliked = ProcessEnvironment.get(env::NO_COLOR.name).is_some_and(|value| !value.is_empty());
        let choice = match color {
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
            Color::Auto if disliked => anstream::ColorChoice::Never,
            Color::Auto => anstream::ColorChoice::Auto,
        };
        // For standard error, which is opened anew for every message.
        choice.write_global();
        self.stdout = AutoStream::auto(std::io::stdout());
    }

    /// From here on a reader that goes away ends nothing: what somebody agreed to is done, whoever reads about it.
    pub(crate) fn outlive_reader(&mut self) {
        self.outlives_reader = true;
    }

    /// Writes one line for people.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<(), CliError> {
        let written = writeln!(self.stdout, "{}", text.as_ref());
        self.told(written)
    }

    /// Writes bytes as they are, whatever the terminal makes of them.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        let written = self.stdout.flush().and_then(|()| std::io::stdout().write_all(bytes));
        self.told(written)
    }

    /// Writes one JSON document on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string(value).map_err(std::io::Error::from)?;
        self.json_line(&text)
    }

    /// Writes an event, which was rendered for whoever reads.
    pub(crate) fn event(&mut self, text: &str) -> Result<(), CliError> {
        if self.json { self.json_line(text) } else { self.line(text) }
    }

    /// Writes JSON past the stream that would take control characters out of it, and so that none reaches a terminal.
    fn json_line(&mut self, text: &str) -> Result<(), CliError> {
        let mut line = String::with_capacity(text.len() + 1);
        for c in text.chars() {
            match c {
                '\u{7f}'..='\u{9f}' => line.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => line.push(c),
            }
        }
        line.push('\n');
        self.raw(line.as_bytes())
    }

    /// Hands over everything that was written.
    pub(crate) fn flush(&mut self) -> Result<(), CliError> {
        let written = self.stdout.flush();
        self.told(written)
    }

    fn told(&self, written: std::io::Result<()>) -> Result<(), CliError> {
        match written {
            Err(error) if self.outlives_reader && error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }
}

/// Says whether a person reads what is said beside the answer as it comes.
pub(crate) fn is_read_on_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Says something to the person beside the answer.
pub(crate) fn tell(text: impl AsRef<str>) {
    // Nothing can be done about a standard error that does not take it.
    let _ = writeln!(anstream::stderr(), "{}", text.as_ref());
}

/// Asks the person; an empty answer is what `otherwise` says, and none at all is a no: whoever ends the input agrees to nothing.
pub(crate) fn ask(output: &mut Output, question: &str, otherwise: bool) -> Result<bool, CliError> {
    output.flush()?;
    let mut stderr = std::io::stderr();
    write!(stderr, "{question}")?;
    stderr.flush()?;
    let line = read_line()?;
    if line.is_empty() {
        // The cursor still stands behind the question.
        writeln!(stderr)?;
        return Ok(false);
    }
    Ok(match line.trim() {
        "" => otherwise,
        answer => matches!(answer, "y" | "Y" | "yes"),
    })
}

/// Reads a line from the person; nothing, not even the end of a line, where the input has ended.
pub(crate) fn read_line() -> Result<String, CliError> {
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| CliError::new(Exit::Data, format!("cannot read standard input: {error}")))?;
    Ok(line)
}

/// Puts a text into a style.
pub(crate) fn styled(style: Style, text: impl AsRef<str>) -> String {
    format!("{style}{}{style:#}", text.as_ref())
}
