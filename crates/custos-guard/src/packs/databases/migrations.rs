//! Tools that create, migrate and copy databases, each with a subcommand that throws one away.

use crate::case::Case;
use crate::invocation::Invocation;
use crate::options::Options;
use crate::packs::databases::clients::{judge_operands, judge_option};
use crate::packs::databases::{DROP, EMPTY, RESET, RESTORE, STOP};
use crate::packs::publishing::{PUBLISH, WITHDRAW};
use crate::packs::shape::{Tool, fits, free, held};

/// Says whether the call is about a database that tests may throw away at any time.
fn is_for_tests(call: &Invocation, read: &Options<'_>, variables: &[&str]) -> bool {
    let set_for_it =
        call.env.iter().any(|(name, value)| variables.contains(&name.as_str()) && value.is("test"));
    let among_operands = read.operands.iter().any(|operand| {
        operand
            .text()
            .split_once('=')
            .is_some_and(|(name, value)| variables.contains(&name) && value == "test")
    });
    set_for_it || among_operands
}

pub(crate) static RAILS: Tool = Tool::code(|call, read, case| {
    const RESETTING: &str = "db:drop|db:drop:*|db:reset|db:reset:*|db:purge|db:purge:*|db:truncate_all|db:schema:load|\
                             db:structure:load|db:migrate:reset";
    let tasks = || read.operands.iter().map(|operand| operand.text());
    if tasks().any(|task| fits(RESETTING, task)) && !is_for_tests(call, read, &["RAILS_ENV", "RACK_ENV"]) {
        case.hold(&RESET, call.shown());
    }
    if call.program() == "rake" && tasks().any(|task| fits("release|release:*", task)) {
        case.hold(&PUBLISH, call.shown());
    }
    if tasks().next().is_some_and(|task| fits("credentials:show|encrypted:show", task)) {
        case.hold(&crate::judge::network::SECRET_PRINT, call.shown());
    }
})
.taking("fCeI", &["rakefile", "environment", "directory"]);

pub(crate) static MIX: Tool =
    Tool::new(&[held("hex.publish", &PUBLISH), held("hex.retire|hex.owner", &WITHDRAW)]).also(
        |call, read, case| {
            let resets = read.operands.first().is_some_and(|task| fits("ecto.drop|ecto.reset", task.text()));
            if resets && !is_for_tests(call, read, &["MIX_ENV"]) {
                case.hold(&RESET, call.shown());
            }
        },
    );

pub(crate) static PRISMA: Tool = Tool::new(&[
    held("migrate reset", &RESET),
    held("db push", &RESET).when("--force-reset|--accept-data-loss"),
])
.also(|call, read, case| judge_operands("db execute", 2, call, read, case));

pub(crate) static SEQUELIZE: Tool = Tool::new(&[held("db:drop|db:migrate:undo:all", &RESET)]);
pub(crate) static TYPEORM: Tool = Tool::new(&[held("schema:drop", &RESET)])
    .also(|call, read, case| judge_operands("query", 1, call, read, case));
pub(crate) static KNEX: Tool = Tool::new(&[held("migrate:rollback", &RESET).when("--all")])
    .taking("", &["knexfile", "cwd", "client", "connection", "env"]);
pub(crate) static MIKRO_ORM: Tool = Tool::new(&[held("schema:drop|schema:fresh|migration:fresh", &RESET)]);
pub(crate) static DRIZZLE: Tool = Tool::new(&[held("drop", &RESET), held("push", &RESET).when("--force")]);
pub(crate) static ALEMBIC: Tool =
    Tool::new(&[held("downgrade base", &RESET)]).taking("cnx", &["config", "name"]).disarmed_by("--sql");
pub(crate) static FLASK: Tool =
    Tool::new(&[held("db downgrade base", &RESET)]).taking("Ae", &["app", "env-file"]).disarmed_by("--sql");
pub(crate) static FLYWAY: Tool = Tool::new(&[held("** clean", &RESET)]).one_dash();
pub(crate) static LIQUIBASE: Tool = Tool::new(&[held("** drop-all|dropAll", &RESET)]).one_dash();
pub(crate) static DBMATE: Tool = Tool::new(&[held("drop", &RESET)])
    .taking("ued", &["url", "env", "env-file", "migrations-dir", "migrations-table", "schema-file"]);
pub(crate) static SQLX: Tool = Tool::new(&[held("database|db drop|reset", &RESET)]);
pub(crate) static DIESEL: Tool =
    Tool::new(&[held("database reset|drop", &RESET), held("migration revert", &RESET).when("-a|--all")])
        .taking("", &["database-url", "config-file"]);
pub(crate) static GOOSE: Tool =
    Tool::new(&[held("** reset", &RESET)]).one_dash().taking("", &["dir", "table"]);
pub(crate) static MIGRATE: Tool =
    Tool::new(&[held("drop", &RESET)]).one_dash().taking("", &["path", "database", "source"]);
pub(crate) static ATLAS: Tool = Tool::new(&[held("schema clean", &RESET)]);
pub(crate) static ARTISAN: Tool =
    Tool::new(&[held("migrate:fresh|migrate:reset|migrate:refresh|db:wipe", &RESET)])
        .disarmed_by("--env=testing|--pretend");
pub(crate) static CONSOLE: Tool = Tool::new(&[
    held("doctrine:database:drop|d:d:d", &RESET),
    held("doctrine:schema:drop", &RESET).when("-f|--force|--full-database"),
])
.taking("e", &["env"])
.disarmed_by("--env=test|--dump-sql");
pub(crate) static MANAGE: Tool =
    Tool::new(&[held("flush|reset_db|reset_schema", &RESET), held("migrate * zero", &RESET)])
        .taking("v", &["settings", "pythonpath", "verbosity"]);
pub(crate) static SUPABASE: Tool = Tool::new(&[
    held("db reset", &RESET),
    held("db push", &RESET).when("--include-all"),
    held("stop", &RESET).when("--no-backup"),
    held(
        "projects|branches|functions|secrets|storage|sso|domains delete|unset|rm|remove",
        &crate::packs::cloud::DELETE,
    ),
    held("functions deploy", &crate::packs::cloud::DEPLOY),
])
.taking("", &["workdir", "profile", "network-id", "dns-resolver", "output"]);
pub(crate) static HASURA: Tool = Tool::new(&[held("metadata clear", &RESET), held("migrate delete", &RESET)]);

pub(crate) static DROPDB: Tool = Tool::new(&[held("", &DROP)]).taking("hpUW", &["host", "port", "username"]);
pub(crate) static PG_RESTORE: Tool = Tool::new(&[held("", &RESTORE).when("-c|--clean")])
    .taking("dfhpUjnNtTILPS", &["dbname", "file", "host", "port", "username", "jobs", "schema", "table"])
    .disarmed_by("-l|--list");
pub(crate) static MONGORESTORE: Tool = Tool::new(&[held("", &RESTORE).when("--drop")]).one_dash();
pub(crate) static PG_CTL: Tool =
    Tool::new(&[held("stop", &STOP).when("-m|--mode")]).taking("Dmltop", &["mode", "pgdata"]);
pub(crate) static MYSQLADMIN: Tool = Tool::new(&[held("** drop", &DROP), held("** shutdown", &STOP)])
    .taking("uhPS", &["user", "host", "port", "socket", "password"]);
pub(crate) static INFLUX: Tool =
    Tool::new(&[held("delete", &EMPTY), held("bucket|org|user|auth|measurement delete", &DROP)])
        .taking("otb", &["org", "token", "host", "bucket", "configs-path"])
        .also(|call, _, case| {
            let drops = |text: &str| text.to_ascii_lowercase().trim_start().starts_with("drop ");
            if call.args().iter().any(|arg| drops(arg.text())) {
                case.hold(&DROP, call.shown());
            }
        });
pub(crate) static BQ: Tool =
    Tool::new(&[held("rm|truncate", &DROP), held("query|load", &EMPTY).when("--replace")])
        .taking("", &["project_id", "dataset_id", "location", "format"])
        .disarmed_by("--dry_run")
        .also(|call, read, case| judge_operands("query", 1, call, read, case));
pub(crate) static ETCDCTL: Tool = Tool::new(&[held("del", &EMPTY).when("--prefix|--from-key")])
    .taking("", &["endpoints", "cacert", "cert", "key", "user", "password"]);
pub(crate) static KAFKA: Tool = Tool::new(&[held("", &DROP).when("--delete")])
    .taking("", &["bootstrap-server", "topic", "zookeeper", "command-config"]);
pub(crate) static RABBIT: Tool =
    Tool::new(&[held("reset|force_reset|purge_queue|delete_queue|delete_vhost|delete|purge", &DROP)])
        .taking("nputHPV", &["node", "vhost", "username", "password", "host", "port"]);
pub(crate) static NATS: Tool =
    Tool::new(&[held("stream|str|s|kv|object|consumer rm|purge|delete|del", &DROP)])
        .taking("s", &["server", "context", "creds", "user", "password"]);
pub(crate) static TURSO: Tool = Tool::new(&[held("db|group destroy", &DROP)])
    .also(|call, read, case| judge_operands("db shell", 3, call, read, case));
pub(crate) static HOSTED: Tool = Tool::new(&[held(
    "database|databases|branch|branches|project|projects|db|cluster|service delete|destroy|rm",
    &DROP,
)])
.taking("", &["org", "project-id", "api-key"]);
pub(crate) static COCKROACH: Tool = Tool::new(&[held("node decommission", &DROP), free("sql")])
    .taking("e", &["execute", "url", "host", "certs-dir", "database"])
    .also(sql_under_execute);
pub(crate) static GEL: Tool =
    Tool::new(&[held("database|branch drop|wipe", &DROP), held("instance destroy", &DROP)]);

fn sql_under_execute(_call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    judge_option('e', "execute", read, case);
}
