//! The clients that take SQL: as an option, as an operand, or on their standard input.

use crate::case::Case;
use crate::invocation::{Invocation, Stream, UNKNOWN};
use crate::options::Options;
use crate::packs::databases::sql::{self, Dialect};
use crate::packs::shape::{Tool, disarms, matches};
use crate::walk::excerpt;

/// Where a client finds its SQL.
struct Client {
    /// The options with SQL, under their short and long names.
    options: &'static [(char, &'static str)],
    /// The first operand that is SQL, if operands are.
    operands: Option<usize>,
    dialect: Dialect,
}

impl Client {
    const fn taking(options: &'static [(char, &'static str)]) -> Self {
        Self { options, operands: None, dialect: Dialect::Standard }
    }

    const fn operands_from(self, first: usize) -> Self {
        Self { operands: Some(first), ..self }
    }

    const fn like_mysql(self) -> Self {
        Self { dialect: Dialect::MySql, ..self }
    }

    fn judge(&self, call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
        if disarms(read, "--help|--version") {
            return;
        }
        let mut from_arguments = false;
        for given in &read.given {
            if self.options.iter().any(|(short, long)| given.means(*short, long)) {
                from_arguments = true;
                self.judge_text(given.value.unwrap_or_default(), case);
            }
        }
        if let Some(first) = self.operands {
            for operand in read.operands.iter().skip(first) {
                from_arguments = true;
                self.judge_text(operand.text(), case);
            }
        }
        for arg in call.args() {
            if let Some(Stream::Text(text)) = arg.holds() {
                self.judge_text(text, case);
            }
        }
        if let (false, Stream::Text(text)) = (from_arguments, &call.stdin) {
            self.judge_text(text, case);
        }
    }

    fn judge_text(&self, text: &str, case: &mut Case<'_>) {
        for (rule, statement) in sql::judge(text, self.dialect) {
            case.hold(rule, excerpt(&statement.replace(UNKNOWN, "…")));
        }
    }
}

pub(crate) static PSQL: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[('c', "command")]);
    CLIENT.judge(call, read, case);
})
.taking(
    "cdfhpUvoFRTLP",
    &[
        "command",
        "dbname",
        "file",
        "host",
        "port",
        "username",
        "set",
        "variable",
        "output",
        "field-separator",
        "record-separator",
        "table-attr",
        "log-file",
        "pset",
    ],
);

pub(crate) static MYSQL: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[('e', "execute"), ('\0', "init-command")]).like_mysql();
    CLIENT.judge(call, read, case);
})
.taking(
    "eDhPuS",
    &[
        "execute",
        "database",
        "host",
        "port",
        "user",
        "socket",
        "init-command",
        "default-character-set",
        "defaults-file",
        "defaults-extra-file",
        "protocol",
        "login-path",
        "ssl-ca",
        "ssl-mode",
        "delimiter",
    ],
);

pub(crate) static SQLITE: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[('\0', "cmd"), ('c', "")]).operands_from(1);
    // What is only in memory is lost anyway.
    if !read.operands.first().is_some_and(|file| file.is(":memory:")) {
        CLIENT.judge(call, read, case);
    }
})
.taking(
    "",
    &[
        "cmd",
        "init",
        "separator",
        "newline",
        "nullvalue",
        "mmap",
        "maxsize",
        "vfs",
        "lookaside",
        "pagecache",
        "c",
    ],
)
.one_dash();

pub(crate) static CLICKHOUSE: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[('q', "query")]).like_mysql();
    CLIENT.judge(call, read, case);
})
.taking(
    "qhudC",
    &["query", "host", "port", "user", "password", "database", "config-file", "format", "queries-file"],
);

/// Clients with `-e` or `--execute`: Cassandra, CockroachDB, Hive, Spark, Trino, mycli.
pub(crate) static EXECUTING: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[('e', "execute")]);
    CLIENT.judge(call, read, case);
})
.taking(
    "efukdhnp",
    &["execute", "file", "username", "password", "keyspace", "database", "host", "url", "server", "port"],
);

/// Clients with `-q`, `-Q`, `--query`: Snowflake, SQL Server, Impala.
pub(crate) static QUERYING: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[('q', "query"), ('Q', "")]);
    CLIENT.judge(call, read, case);
})
.taking(
    "qQSUPdbiofacuwrsD",
    &["query", "filename", "accountname", "username", "dbname", "config", "connection"],
);

/// Clients with `-c` and SQL as operands after the database: DuckDB, usql.
pub(crate) static COMMANDING: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[('c', "command"), ('s', "")]).operands_from(1);
    CLIENT.judge(call, read, case);
})
.taking("cfos", &["command", "file", "out", "set"]);

/// Clients that read only their standard input: Oracle's.
pub(crate) static READING: Tool = Tool::code(|call, read, case| {
    const CLIENT: Client = Client::taking(&[]);
    CLIENT.judge(call, read, case);
});

/// Judges the operands of a call as SQL, from that one on: `bq query SQL`, `turso db shell NAME SQL`.
pub(crate) fn judge_operands(
    words: &str,
    first: usize,
    call: &Invocation,
    read: &Options<'_>,
    case: &mut Case<'_>,
) {
    if matches(words, &read.operands) {
        Client::taking(&[]).operands_from(first).judge(call, read, case);
    }
}

/// Judges the SQL in one option of a call.
pub(crate) fn judge_option(short: char, long: &str, read: &Options<'_>, case: &mut Case<'_>) {
    if let Some(text) = read.value(short, long) {
        Client::taking(&[]).judge_text(text, case);
    }
}
