//! Files and directories that are not what they should be.

use std::fs;
use std::path::Path;

use custos_log::{LogError, verify};
use serde_json::json;

use crate::machine::{Machine, plant};

#[test]
fn missing_directories_are_made() {
    let machine = Machine::new();
    assert!(!machine.log.places().log.exists() && !machine.log.places().state.exists());
    machine.assert_sound();
    assert_eq!(machine.records(), []);
    let appended = machine.append_each(0..1);
    machine.assert_holds(&appended);
}

#[test]
fn a_log_directory_that_is_a_file_is_a_clear_error() {
    let machine = Machine::new();
    let log = machine.log.places().log.clone();
    plant(&log, b"not a directory");
    let error = machine.try_append(json!({})).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot open {}: Not a directory (os error 20)", machine.segment(1).display())
    );
    let error = verify(&machine.log, &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot list {}: Not a directory (os error 20)", log.display()));
    assert_eq!(fs::read(&log).unwrap(), b"not a directory");
}

#[test]
fn a_state_directory_that_is_a_file_is_a_clear_error() {
    let machine = Machine::new();
    plant(&machine.log.places().state, b"not a directory");
    let error = machine.try_append(json!({})).unwrap_err();
    let lock = machine.lock_file();
    assert_eq!(
        error.to_string(),
        format!("cannot open the lock {}: Not a directory (os error 20)", lock.display())
    );
    assert!(!machine.log.places().log.exists());
}

#[test]
fn other_things_in_the_log_directory_cost_nothing() {
    let machine = Machine::with_segments_of(1_000);
    let mut appended = machine.append_each(0..5);
    let log = machine.log.places().log.clone();
    plant(&log.join("notes"), b"a file with the name of a writer");
    plant(&log.join(".sync-conflict"), b"");
    plant(&log.join("UPPER/0001.jsonl"), b"{}\n");
    plant(&machine.segment(1).with_file_name("1.jsonl"), b"{}\n");
    plant(&machine.segment(1).with_file_name("0000.jsonl"), b"{}\n");
    plant(&machine.segment(1).with_file_name("00001.jsonl"), b"{}\n");
    plant(&machine.segment(1).with_file_name("0001.jsonl.part"), b"{}\n");
    plant(&machine.segment(1).with_file_name("99999999999.jsonl"), b"{}\n");
    appended.extend(machine.append_each(5..9));
    machine.assert_holds(&appended);
    machine.assert_sound();
    custos_log::backup::create(&machine.log, 7, &mut |_| {}).unwrap();
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn everything_is_private() {
        let machine = Machine::with_segments_of(1_000);
        machine.append_each(0..5);
        let draft = custos_model::Draft {
            agent: Some(custos_model::draft::DraftAgent {
                client: "codex".to_owned(),
                id: Some("id".to_owned()),
                role: None,
            }),
            ..crate::machine::tool(json!({}))
        };
        machine.log.append(draft, custos_model::Origin::Hook).unwrap();
        custos_log::backup::create(&machine.log, 7, &mut |_| {}).unwrap();
        let mut pending = vec![machine.home.memory_dir(), machine.home.state_dir()];
        let mut checked = 0;
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                assert_eq!(mode(&path), 0o700, "{}", path.display());
                pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                checked += 1;
            }
        }
        assert!(checked > 6, "{checked}");
    }

    fn replace_by_a_link(path: &Path, target: &Path) {
        fs::rename(path, target).unwrap();
        symlink(target, path).unwrap();
    }

    fn replace_by_a_fifo(path: &Path, _: &Path) {
        fs::remove_file(path).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    fn replace_by_a_directory(path: &Path, _: &Path) {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }

    const LINK: &str = "Too many levels of symbolic links (os error 40)";
    const OTHER: &str = "something other than a regular file is in its place";

    #[rstest::rstest]
    #[case::link(replace_by_a_link, LINK, LINK)]
    #[case::fifo(replace_by_a_fifo, OTHER, OTHER)]
    #[case::directory(replace_by_a_directory, "Is a directory (os error 21)", OTHER)]
    fn a_segment_that_is_no_file_is_neither_followed_nor_waited_for(
        #[case] replace: fn(&Path, &Path),
        #[case] on_append: &str,
        #[case] on_read: &str,
    ) {
        if cfg!(target_os = "macos") {
            // The messages differ there.
            return;
        }
        let machine = Machine::new();
        machine.append_each(0..2);
        let path = machine.segment(1);
        let target = machine.home.path().join("elsewhere");
        replace(&path, &target);
        let before = fs::read(&target).ok();
        let said = |error: LogError| error.to_string();
        assert_eq!(
            said(machine.try_append(json!({})).unwrap_err()),
            format!("cannot open {}: {on_append}", path.display())
        );
        assert_eq!(
            said(verify(&machine.log, &mut |_| {}).unwrap_err()),
            format!("cannot open {}: {on_read}", path.display())
        );
        let selection = custos_log::Selection::Matching("n".to_owned());
        let planned = custos_log::forget::plan(&machine.log, &selection, &mut |_| {});
        assert_eq!(said(planned.unwrap_err()), format!("cannot open {}: {on_read}", path.display()));
        assert!(custos_log::backup::create(&machine.log, 7, &mut |_| {}).is_err());
        assert_eq!(fs::read(&target).ok(), before);
    }

    #[rstest::rstest]
    #[case::link(replace_by_a_link, LINK)]
    #[case::fifo(replace_by_a_fifo, OTHER)]
    #[case::directory(replace_by_a_directory, "Is a directory (os error 21)")]
    fn a_lock_that_is_no_file_is_neither_followed_nor_waited_for(
        #[case] replace: fn(&Path, &Path),
        #[case] message: &str,
    ) {
        if cfg!(target_os = "macos") {
            return;
        }
        let machine = Machine::new();
        let appended = machine.append_each(0..2);
        replace(&machine.lock_file(), &machine.home.path().join("elsewhere"));
        let error = machine.try_append(json!({})).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot open the lock {}: {message}", machine.lock_file().display())
        );
        machine.assert_holds(&appended);
    }

    /// A link from a backup into the log, or out of it, is not followed when old backups are removed.
    #[test]
    fn removing_old_backups_follows_no_links() {
        let machine = Machine::new();
        machine.append_each(0..2);
        let backups = machine.log.places().backups.clone();
        fs::create_dir_all(&backups).unwrap();
        symlink(&machine.log.places().log, backups.join("2020-01-01T00-00-00-000Z")).unwrap();
        symlink(&machine.log.places().log, backups.join("unfinished-2020-01-01T00-00-00-000Z")).unwrap();
        let taken = custos_log::backup::create(&machine.log, 1, &mut |_| {}).unwrap();
        assert_eq!(taken.removed, ["2020-01-01T00-00-00-000Z"]);
        assert_eq!(machine.records().len(), 2);
        assert_eq!(fs::read_dir(&backups).unwrap().count(), 1);
    }

    #[test]
    fn another_holder_of_the_lock_is_waited_for_to_the_deadline() {
        let machine = Machine::new();
        let appended = machine.append_each(0..1);
        let disk = machine.log.surroundings().disk.clone();
        let patience = std::time::Duration::from_millis(20);
        let held = custos_log::head::Lock::take(&*disk, &machine.log.places().state, patience).unwrap();
        let log = machine.limited(custos_log::Limits { patience, ..machine.log.limits().clone() });
        let error = log.append(crate::machine::tool(json!({})), custos_model::Origin::Hook).unwrap_err();
        let lock = machine.lock_file();
        let expected = format!("another process holds {} and did not let go within 20ms", lock.display());
        assert_eq!(error.to_string(), expected);
        drop(held);
        machine.assert_holds(&appended);
    }
}
