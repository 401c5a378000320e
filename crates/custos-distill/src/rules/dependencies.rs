//! Packages that an edit of a manifest added, took away or moved to another version.
pub(crate) struct Package { pub(crate) name: String, pub(crate) from: Option<String>, pub(crate) to: Option<String>, pub(crate) dev: bool }
