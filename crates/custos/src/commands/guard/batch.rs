//! `custos guard test --batch`: many questions, one answer per line, each on its way before the next line is read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use clap::ValueEnum as _;
use custos_guard::Judgement;
use serde::{Deserialize, Serialize};

use super::args::OpWord;
use super::scene::{Scene, Whereabouts};
use super::test::verdict;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

/// The longest line that is read; a longer one is refused without being held.
const LONGEST_LINE: u64 = 16 << 20;

/// A question. What else is on the line is the asker's own business.
#[derive(Deserialize)]
struct Question<'a> {
    #[serde(borrow)]
    cmd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    op: Option<Cow<'a, str>>,
    cwd: Option<String>,
    home: Option<String>,
    branch: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    verdict: &'static str,
    rule: Option<&'a str>,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Refusal<'a> {
    line: u64,
    error: &'a str,
}

pub(super) fn run(
    context: &Context,
    file: &Path,
    at: &Whereabouts,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let mut input = open(file)?;
    let unreadable =
        |error: std::io::Error| CliError::new(Exit::Io, format!("cannot read {}: {error}", file.display()));
    let mut asking = Asking { context, at, scenes: BTreeMap::new() };
    asking.scene(Whereabouts::default())?.warn();
    let mut line = Vec::new();
    let mut exit = Exit::Success;
    for number in 1.. {
        line.clear();
        let read = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        let answer = if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            input.skip_until(b'\n').map_err(unreadable)?;
            Err(format!("the line is longer than {} MB", LONGEST_LINE >> 20))
        } else if line.trim_ascii().is_empty() {
            continue;
        } else {
            asking.answer(line.trim_ascii())
        };
        match answer {
            Ok(judgement) => {
                let strongest = judgement.reason();
                output.json(&Answer {
                    verdict: verdict(judgement.verdict()),
                    rule: strongest.map(|finding| &*finding.rule),
                    reason: strongest.map(|finding| &*finding.reason),
                })?;
            }
            Err(error) => {
                exit = Exit::Data;
                output.json(&Refusal { line: number, error: &error })?;
            }
        }
    }
    Ok(exit)
}

fn open(file: &Path) -> Result<Box<dyn BufRead>, CliError> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let opened = File::open(file).map_err(|error| {
        let exit = if error.kind() == std::io::ErrorKind::NotFound { Exit::NotFound } else { Exit::Io };
        CliError::new(exit, format!("cannot read {}: {error}", file.display()))
            .hint("give a file of JSON lines, or `-` for standard input")
    })?;
    Ok(Box::new(BufReader::new(opened)))
}

/// The scenes of a batch; nearly always there is one.
struct Asking<'a> {
    context: &'a Context,
    at: &'a Whereabouts,
    scenes: BTreeMap<Whereabouts, Scene>,
}

impl Asking<'_> {
    fn answer(&mut self, line: &[u8]) -> Result<Judgement, String> {
        // serde would also take a list for the fields of a struct.
        if !line.starts_with(b"{") {
            return Err("this is no JSON object".to_owned());
        }
        let question: Question<'_> =
            serde_json::from_slice(line).map_err(|error| format!("this is no question: {error}"))?;
        let Question { cmd, path, op, cwd, home, branch } = question;
        let access = match (&cmd, &path, &op) {
            (Some(_), None, None) => None,
            (None, Some(_), Some(op)) => {
                let word = OpWord::from_str(op, false);
                Some(word.map_err(|_| format!("there is no op {op:?}; there are read, write and delete"))?)
            }
            (None, Some(_), None) => return Err("a path needs an op: read, write or delete".to_owned()),
            _ => return Err("a question has either cmd, or path and op".to_owned()),
        };
        let scene = self.scene(Whereabouts { cwd, home, branch }).map_err(|error| error.message)?;
        let Some(word) = access else {
            let command = cmd.unwrap_or_default();
            return Ok(scene.judge(|guard| guard.command(&command)));
        };
        let path = path.unwrap_or_default();
        Ok(scene.judge(|guard| guard.path(&path, word.access())))
    }

    /// Gives the scene of a line, setting it if it is new.
    fn scene(&mut self, own: Whereabouts) -> Result<&Scene, CliError> {
        let at = Whereabouts {
            cwd: own.cwd.or_else(|| self.at.cwd.clone()),
            home: own.home.or_else(|| self.at.home.clone()),
            branch: own.branch.or_else(|| self.at.branch.clone()),
        };
        if !self.scenes.contains_key(&at) {
            let scene = Scene::set(self.context, &at)?;
            // Somebody whose every line is elsewhere must not fill the memory with scenes.
            if self.scenes.len() >= MOST_SCENES {
                self.scenes.clear();
            }
            self.scenes.insert(at.clone(), scene);
        }
        Ok(&self.scenes[&at])
    }
}

/// How many scenes are kept.
const MOST_SCENES: usize = 256;
