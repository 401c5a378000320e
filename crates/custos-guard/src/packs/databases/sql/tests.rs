//! SQL that destroys, and SQL that only looks like it.

use proptest::prelude::*;

use super::*;

fn ids(text: &str) -> Vec<&'static str> {
    judge(text, Dialect::Standard).into_iter().map(|(rule, _)| rule.id).collect()
}

const HELD: &[(&str, &str)] = &[
    ("DROP TABLE users", "databases.drop"),
    ("drop database if exists prod;", "databases.drop"),
    ("DROP/**/SCHEMA public CASCADE", "databases.drop"),
    ("select 1; Drop Table x", "databases.drop"),
    ("DROP OWNED BY app", "databases.drop"),
    ("drop user app", "databases.drop"),
    ("-- note\nDROP TABLE x;", "databases.drop"),
    ("ALTER TABLE users DROP COLUMN email", "databases.drop"),
    ("ALTER TABLE users DROP COLUMN IF EXISTS email", "databases.drop"),
    ("ALTER TABLE users DROP email", "databases.drop"),
    ("alter table t drop partition p0", "databases.drop"),
    ("TRUNCATE users", "databases.empty"),
    ("truncate table a, b restart identity", "databases.empty"),
    ("DELETE FROM users", "databases.empty"),
    ("delete from users;", "databases.empty"),
    ("DELETE FROM users WHERE true", "databases.empty"),
    ("DELETE FROM users WHERE 1=1", "databases.empty"),
    ("DELETE FROM users WHERE 'a' = 'a'", "databases.empty"),
    ("DELETE FROM users -- WHERE id = 1", "databases.empty"),
    ("DELETE FROM \u{FFFF}", "databases.empty"),
    ("WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone", "databases.empty"),
    ("UPDATE users SET admin = true", "databases.rewrite"),
    ("update users set name = 'where'", "databases.rewrite"),
    ("DO $$ BEGIN EXECUTE 'x'; DROP TABLE a; END $$", "databases.drop"),
    ("EXECUTE IMMEDIATE 'DROP TABLE x'", "databases.drop"),
    ("USE db\nGO\nDROP TABLE x\nGO", "databases.drop"),
    ("\\! rm -rf /", "databases.shell"),
    ("\\c prod\nDROP TABLE x", "databases.drop"),
    (".shell ls", "databases.shell"),
    (".tables\ndelete from x;", "databases.empty"),
    ("COPY t TO PROGRAM 'sh'", "databases.shell"),
    ("\\copy t from program 'sh'", "databases.shell"),
    ("EXPLAIN ANALYZE DELETE FROM users", "databases.empty"),
    ("BEGIN; DROP TABLE x; COMMIT;", "databases.drop"),
];

const SILENT: &[&str] = &[
    "",
    "SELECT 1",
    "SELECT 'drop table users'",
    "SELECT drop_date, delete_from FROM t",
    "SELECT \"drop\" FROM \"table\"",
    "-- DROP TABLE x",
    "/* DROP TABLE x; */ SELECT 1",
    "CREATE TABLE IF NOT EXISTS x (id int)",
    "CREATE TABLE x (id int REFERENCES y ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM x; $$ LANGUAGE sql",
    "DELETE FROM users WHERE id = 1",
    "delete from sessions where expires < now()",
    "DELETE FROM users \u{FFFF}",
    "DELETE FROM a WHERE a.x = b.x",
    "UPDATE users SET a = 1 WHERE id = 2",
    "SELECT * FROM t FOR UPDATE",
    "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 1",
    "INSERT INTO log VALUES ('DROP TABLE x; --')",
    "DROP INDEX i",
    "DROP VIEW v",
    "DROP TEMPORARY TABLE t",
    "DROP FUNCTION f()",
    "ALTER TABLE t DROP CONSTRAINT c",
    "ALTER TABLE t ALTER COLUMN c DROP DEFAULT",
    "ALTER TABLE t ALTER COLUMN c DROP NOT NULL",
    "ALTER TABLE t ADD COLUMN dropped boolean",
    "EXPLAIN DELETE FROM users",
    "BEGIN; DELETE FROM users; ROLLBACK;",
    "\\d users",
    "\\l",
    ".tables",
    ".schema users",
    "\u{FFFF}",
    "GRANT DELETE ON t TO app",
    "VACUUM FULL",
    "SELECT 'it''s; drop table x'",
    "COPY t TO '/tmp/x.csv'",
    "SHOW TABLES",
];

#[test]
fn what_destroys_data_is_found() {
    let missed: Vec<_> = HELD.iter().filter(|(text, rule)| ids(text) != [*rule]).collect();
    assert_eq!(missed, Vec::<&(&str, &str)>::new());
}

#[test]
fn what_does_not_is_left_alone() {
    let disturbed: Vec<_> = SILENT.iter().filter(|text| !ids(text).is_empty()).collect();
    assert_eq!(disturbed, Vec::<&&str>::new());
}

#[test]
fn mysql_has_its_own_comments_and_strings() {
    let ids = |text| judge(text, Dialect::MySql).into_iter().map(|(rule, _)| rule.id).collect::<Vec<_>>();
    assert_eq!(ids("/*!50001 DROP TABLE x */;"), ["databases.drop"]);
    assert_eq!(ids("# DROP TABLE x"), <[&str; 0]>::default());
    assert_eq!(ids("SELECT 'it\\'s; DROP TABLE x'"), <[&str; 0]>::default());
    assert_eq!(ids("SELECT 'a'; DROP TABLE x"), ["databases.drop"]);
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in "[ a-zA-Z'\"`$;\\\\/*.#\\[\\]\n\u{FFFF}-]{0,80}|\\PC{0,40}") {
        judge(&text, Dialect::Standard);
        judge(&text, Dialect::MySql);
    }
}
