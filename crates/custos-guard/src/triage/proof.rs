//! The proof that a command only reads: its structure.
//!
//! Simple commands in lists and pipelines, with nothing replaced and nothing written. What each of them is, the tables know.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::shell;
use crate::shell::syntax::{Command, FlawKind, Kind, Link, Operator, Redirect, Script, Simple};
use crate::world::World;

use super::literal::{self, Literal};
use super::programs;
use super::scene::Scene;

/// What was proven.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The programs that run, with their subcommands: each only reads.
    pub programs: Vec<Cow<'static, str>>,
    /// What they look at, as it is written: none of it is protected.
    pub paths: Vec<String>,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "only reads: {}", self.programs.join(", "))
    }
}

/// Why something could not be proven: one sentence without its full stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{0}")]
pub struct Doubt(Cow<'static, str>);

impl Doubt {
    pub(super) fn new(why: String) -> Self {
        Self(Cow::Owned(why))
    }

    pub(super) const fn known(why: &'static str) -> Self {
        Self(Cow::Borrowed(why))
    }
}

/// Proves that a command only reads, and nothing that is protected.
///
/// `trusted` says whether the project at the world's root may name programs, as git's settings and tool chains do. `is_free` says
/// whether a file may be read: it is given paths as they are written, relative ones as seen from the working directory. Whatever looks like
/// a pattern in it is one, and it answers for every possible match. What it does not know, it must deny.
pub fn prove(
    text: &str,
    world: &World<'_>,
    trusted: bool,
    is_free: &dyn Fn(&str) -> bool,
) -> Result<Proof, Doubt> {
    literal::look(text)?;
    let parsed = shell::parse(text);
    if let Some(flaw) = parsed.flaws.first() {
        return Err(Doubt::known(match flaw.kind {
            FlawKind::Unclosed => "something in it is not closed",
            FlawKind::Unexpected => "it is no complete command",
            FlawKind::TooDeep => "it is nested too deeply",
            FlawKind::Nul | FlawKind::Invisible => "it holds characters that nobody sees",
        }));
    }
    let mut scene = Scene::new(world, trusted, is_free);
    script(&parsed.script, &mut scene)?;
    if scene.proof.programs.is_empty() {
        return Err(Doubt::known("there is no command in it"));
    }
    Ok(scene.proof)
}

fn script(script: &Script, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    script.commands.iter().try_for_each(|listed| command(listed, scene))
}

fn command(command: &Command, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if command.link == Link::Background {
        return Err(Doubt::known("it goes on in the background"));
    }
    redirects(&command.redirects)?;
    match &command.kind {
        Kind::Simple(simple) => {
            scene.piped = false;
            self::simple(simple, scene)
        }
        Kind::Pipeline(stages) => stages.iter().enumerate().try_for_each(|(index, stage)| {
            let Kind::Simple(simple) = &stage.kind else {
                return Err(Doubt::known("a part of the pipeline is more than one command"));
            };
            redirects(&stage.redirects)?;
            scene.piped = index > 0;
            self::simple(simple, scene)
        }),
        _ => Err(Doubt::known("it is more than a list of simple commands")),
    }
}

fn simple(simple: &Simple, scene: &mut Scene<'_>) -> Result<(), Doubt> {
    if let Some(assignment) = simple.assignments.first() {
        return Err(Doubt::new(format!("it sets the variable `{}`", assignment.name)));
    }
    redirects(&simple.redirects)?;
    let words = simple.words.iter().map(Literal::of).collect::<Result<Vec<_>, _>>()?;
    let Some((program, args)) = words.split_first() else {
        return Err(Doubt::known("there is no program in a part of it"));
    };
    if program.glob {
        return Err(Doubt::new(format!("`{}` is a pattern, not a program", program.text)));
    }
    programs::prove(&program.text, args, scene)
}

/// Proves that redirections lead nowhere.
fn redirects(redirects: &[Redirect]) -> Result<(), Doubt> {
    redirects.iter().try_for_each(|redirect| {
        let target = Literal::of(&redirect.target)?;
        let descriptor = redirect.descriptor.as_deref();
        let harmless = !target.glob
            && match redirect.operator {
                Operator::Write | Operator::Append => {
                    matches!(descriptor, None | Some("1" | "2")) && target.text == "/dev/null"
                }
                Operator::Read => matches!(descriptor, None | Some("0")) && target.text == "/dev/null",
                Operator::Duplicate => {
                    matches!(descriptor, None | Some("1" | "2")) && matches!(&*target.text, "1" | "2")
                }
                Operator::ReadWrite | Operator::Heredoc | Operator::HereString => false,
            };
        if harmless {
            return Ok(());
        }
        Err(match redirect.operator {
            Operator::Write | Operator::Append | Operator::ReadWrite => {
                Doubt::new(format!("it writes to `{}`", target.text))
            }
            Operator::Read => Doubt::new(format!("it reads `{}` by redirection", target.text)),
            Operator::Duplicate => Doubt::known("it moves a descriptor"),
            Operator::Heredoc | Operator::HereString => Doubt::known("it feeds a text to a program"),
        })
    })
}
