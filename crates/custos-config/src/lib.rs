//! Where Custos keeps things, and the layered settings that decide how it behaves.
//!
//! Three questions are answered here, each once and for every other crate:
//!
//! - *Where?* [`Places`] turns a few environment variables into absolute paths, or says why it cannot.
//! - *How?* [`Settings`] is what six layers agree on: built-in default < user < workspace < repo <
//!   environment < flag. Every key is one row of [`TABLE`]; names, hints, checks, `config set` and the
//!   reference page all come from that row. [`load`] keeps the origin of each value and collects what is
//!   wrong; [`load_fast`] gives a hook the same values without reading YAML.
//! - *Which project?* [`Project`] reads `.git` itself, because a hook cannot afford to start `git`; [`Names`] know it after it was moved.
//!
//! Two rules shape the code. A hook must never fail or hang because of a settings file: problems are
//! collected, the offending value is left out, and a file that is not a small regular file is not opened.
//! And a file that came with a clone is not the user's word: a repo sets only what its row allows.
//!
//! Nothing here reads the environment; an [`Environment`] is passed in.
//!
//! The guard's rules files are read, kept and edited in the same way as settings. What that takes is public in modules of its own:
//! [`source`], [`yaml`], [`splice`], [`replace`], [`stamp`], [`nearest`] and [`shown`]. None of them knows what a setting is.

pub mod env;
pub mod mark;
pub mod nearest;
pub mod replace;
pub mod shown;
pub mod source;
pub mod splice;
pub mod stamp;
pub mod yaml;

mod address;
mod compiled;
mod document;
mod edit;
mod layers;
mod names;
mod paths;
mod problem;
mod project;
mod reference;
mod remote;
mod settings;
mod value;
mod workspace;

pub use address::Address;
pub use compiled::load_fast;
pub use edit::{Change, EditError, set, unset};
pub use env::{EnvVar, Environment, Variables};
pub use layers::{Entry, Layer, Loaded, Origin, Roots, load};
pub use names::Names;
pub use nearest::UnknownKey;
pub use paths::{PlaceError, Places};
pub use problem::{Problem, ProblemKind, Spot};
pub use project::{Project, Repo, is_repo, main_working_tree};
pub use reference::reference;
pub use remote::remote_identity;
pub use settings::{
    Access, Backup, Capture, Color, Distill, Embedder, Guard, Index, Log, Output, Provider, Recall, Row,
    Search, Settings, TABLE, Worker, row,
};
pub use source::ReadError;
pub use value::{Kind, RepoRule, Value, Wrong};
pub use workspace::{Marker, workspace_marker};
