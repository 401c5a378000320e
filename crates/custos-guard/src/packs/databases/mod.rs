//! Databases: what drops them, empties them or sets them back, through their own clients ([`clients`], [`stores`]) or through the tools
//! that migrate them ([`migrations`]). What SQL would do is told by [`sql`].

pub(crate) mod clients;
pub(crate) mod migrations;
pub(crate) mod sql;
pub(crate) mod stores;

use crate::verdict::{Hold, Rule};

/// Holds what drops.
pub(crate) static DROP: Rule = Rule {
    id: "databases.drop",
    hold: Hold::Ask,
    reason: "drops a database, a table or a column with all that is in it",
    safer: "take a dump first and let the person run it",
};

/// Holds what empties.
pub(crate) static EMPTY: Rule = Rule {
    id: "databases.empty",
    hold: Hold::Ask,
    reason: "deletes all rows, documents or keys at once",
    safer: "delete by a condition, and count what it matches first",
};

/// Holds what changes every row.
pub(crate) static REWRITE: Rule = Rule {
    id: "databases.rewrite",
    hold: Hold::Ask,
    reason: "changes every row of a table",
    safer: "add a WHERE clause",
};

/// Holds what sets a database back to its beginning.
pub(crate) static RESET: Rule = Rule {
    id: "databases.reset",
    hold: Hold::Ask,
    reason: "throws the database away and builds it anew",
    safer: "apply the pending migrations instead, or do it on a test database",
};

/// Holds restores that drop first.
pub(crate) static RESTORE: Rule = Rule {
    id: "databases.restore",
    hold: Hold::Ask,
    reason: "replaces what is in the database by what is in a dump",
    safer: "restore into a new database",
};

/// Holds what starts programs from within a database client.
pub(crate) static SHELL: Rule = Rule {
    id: "databases.shell",
    hold: Hold::Ask,
    reason: "starts a program from within a database client",
    safer: "run the program directly",
};

/// Holds what stops a server.
pub(crate) static STOP: Rule =
    Rule { id: "databases.stop", hold: Hold::Ask, reason: "stops a database server", safer: "" };

/// Holds what changes how a server works.
pub(crate) static CONFIGURE: Rule = Rule {
    id: "databases.configure",
    hold: Hold::Ask,
    reason: "changes how a database server keeps or copies its data",
    safer: "change its configuration file and have it reviewed",
};
