//! Packs: what is dangerous in the programs of a trade, each of which a person may switch off or tighten.
//!
//! A pack is a set of rules whose ids begin with its name; by default they ask. Nearly all of it is data: a table of shapes per program
//! ([`shape`]), found by the program's name ([`programs`]). A program that serves several trades (docker runs and publishes) has one
//! table with rules of several packs.

pub(crate) mod cloud;
pub(crate) mod databases;
pub(crate) mod docker;
mod interpreted;
pub(crate) mod kubernetes;
pub(crate) mod programs;
pub(crate) mod publishing;
mod requests;
pub(crate) mod shape;
pub(crate) mod terraform;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::invocation::Invocation;
use crate::verdict::Rule;

/// The packs: their names, and what each is about.
pub(crate) static PACKS: &[(&str, &str)] = &[
    (
        "databases",
        "dropping, emptying and resetting databases, in SQL and through the tools that migrate them",
    ),
    ("cloud", "deleting, stopping, opening and deploying in clouds and at hosting providers"),
    ("kubernetes", "deleting and draining in clusters and in their pods, and printing their secrets"),
    ("docker", "removing volumes and machines, and containers that reach the machine they run on"),
    ("terraform", "destroying and applying infrastructure as code"),
    ("publishing", "publishing packages, images and releases, or withdrawing them"),
];

/// The rules of all packs.
pub(crate) static RULES: &[&Rule] = &[
    &databases::DROP,
    &databases::EMPTY,
    &databases::REWRITE,
    &databases::RESET,
    &databases::RESTORE,
    &databases::SHELL,
    &databases::STOP,
    &databases::CONFIGURE,
    &cloud::DELETE,
    &cloud::STOP,
    &cloud::ACCESS,
    &cloud::DEPLOY,
    &kubernetes::DELETE,
    &kubernetes::DRAIN,
    &kubernetes::REPLACE,
    &kubernetes::SECRET,
    &kubernetes::FILES,
    &kubernetes::PRIVILEGE,
    &docker::PRUNE,
    &docker::VOLUMES,
    &docker::REMOVE_ALL,
    &docker::SWARM,
    &docker::HOST,
    &docker::MACHINE,
    &terraform::DESTROY,
    &terraform::APPLY,
    &terraform::STATE,
    &publishing::PUBLISH,
    &publishing::WITHDRAW,
    &publishing::OWNERS,
];

/// Judges a call by the packs.
pub(crate) fn judge(call: &Invocation, case: &mut Case<'_>) {
    shape::judge(programs::PROGRAMS, call, case);
    if let Some(inner) = interpreted::program(call) {
        shape::judge(programs::PROGRAMS, &inner, case);
    }
}
