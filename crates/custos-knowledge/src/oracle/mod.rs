//! What a project says about itself, read from its files without asking anyone.
//!
//! A new session wants to know what it stands in: which languages, which commands test and build it, what lives where, which words it
//! uses. All of that is written down somewhere in the repo already. [`scan`] reads it, [`render`] turns it into the four files of
//! `.ai/oracle/`, and [`rescan`] puts these beside what a person wrote there.
//!
//! Four rules shape the code:
//!
//! - *Proven or not said.* Every finding carries the file that proves it, with the line where there is one. What is only usual for an
//!   ecosystem is marked as such ([`Origin::Default`]).
//! - *The same tree gives the same bytes.* Nothing depends on the order in which a directory is listed, on the clock or on the machine;
//!   so a rescan that finds nothing new changes no file, and git shows what did change. The one thing outside of the tree that counts is
//!   a workspace that names it as a package ([`packages`]).
//! - *Bounded.* [`Limits`] holds files, bytes and time; the walk goes level by level, so what is cut is the deepest, and is said. No
//!   process is started, no link is followed, nothing but regular files is opened. A broken file costs only itself ([`Unread`]).
//! - *Text of the repo is data.* It may have come with a clone. [`foreign`] makes one harmless line of it before anything keeps it.
//!
//! | module | what lives there |
//! |---|---|
//! | [`findings`] | the nouns: a scan and what it is made of |
//! | [`survey`] | the scan, from the walk to the proposals |
//! | [`walk`], [`ignored`], [`reading`] | the file system, with bounds |
//! | [`foreign`], [`sentence`] | harmless text; the sentence that says what something is |
//! | [`notes`] | where the readers write down what they found |
//! | [`manifest`], [`tasks`], [`ci`] | the readers, one for each kind of file |
//! | [`whereabouts`] | the folder in which a line of a script is run |
//! | [`purpose`], [`programs`], [`targets`] | what a command is for, by its name or its words |
//! | [`languages`], [`managers`], [`frameworks`], [`configured`] | tables: what a file or a dependency stands for |
//! | [`conventions`], [`licences`] | what the layout of the tree shows, and the texts at its root |
//! | [`packages`] | which program manages the packages of JavaScript, also by a workspace around the root |
//! | [`runners`] | how a tool is started, by the lock file |
//! | [`commands`] | which commands to show, and the defaults of an ecosystem |
//! | [`sources`], [`declarations`], [`glossary`], [`generic`] | source files: entry points, tools, and the words of the domain |
//! | [`structure`], [`documentation`], [`meaning`] | one line for each folder |
//! | [`proposals`] | decisions that the findings prove |
//! | [`markdown`], [`block`] | the files |

mod block;
mod ci;
mod commands;
mod configured;
mod conventions;
mod declarations;
mod documentation;
mod findings;
mod foreign;
mod frameworks;
mod generic;
mod glossary;
mod ignored;
mod languages;
mod licences;
mod managers;
mod manifest;
mod markdown;
mod meaning;
mod notes;
mod packages;
mod programs;
mod proposals;
mod purpose;
mod reading;
mod runners;
mod sentence;
mod settled;
mod sources;
mod structure;
mod survey;
mod targets;
mod tasks;
#[cfg(test)]
mod tests;
mod walk;
mod whereabouts;

pub use block::{Rescanned, generated, rescan};
pub(crate) use block::{SentBack, sent_back};
pub use findings::{
    Command, Cut, EntryPoint, Finding, Folder, Origin, Proposal, Purpose, Scan, Source, Term, Topic, Unread,
};
pub use ignored::is_ignored;
pub use markdown::{Oracle, render};
pub use proposals::are_apart;
pub use survey::scan;
pub use walk::Limits;
