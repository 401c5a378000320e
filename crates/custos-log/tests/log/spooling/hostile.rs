//! Files in the spool that nobody kept there.

use custos_log::forget;
use custos_log::frame::{self, GENESIS, Opening};

use super::*;

#[cfg(unix)]
#[test]
fn hostile_files_are_set_apart_and_keep_nobody_waiting() {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use crate::machine::vandalise;

    let machine = Machine::new();
    let keep = |n: u64| spool(&machine).keep(&machine.log, tool(json!({ "n": n })), Origin::Hook).unwrap();
    let (first, second) = (keep(1), keep(2));
    let dir = waiting(&machine);
    let bytes = fs::read(&first.at).unwrap();
    let named = |n: u32, len: usize| format!("019a894c-e443-7101-8101-0101010101{n:02}.{len}.event");
    let outside = machine.home.path().join("precious");
    plant(&outside, b"PRECIOUS");

    // Changed, of another id, empty, of a false length, endless, no UTF-8, and a name as long as names get.
    vandalise(&second.at, |bytes| *bytes.iter_mut().rfind(|byte| **byte == b'2').unwrap() = b'3');
    plant(&dir.join(named(1, bytes.len())), &bytes);
    plant(&dir.join(named(2, 0)), b"");
    plant(&dir.join(named(3, 7)), b"not seven");
    fs::File::create(dir.join(named(4, 1 << 40))).unwrap().set_len(1 << 40).unwrap();
    plant(&dir.join("x".repeat(255)), b"");
    plant(&dir.join("notes.txt"), b"");
    // Links to a file, to a directory and to nothing; a directory, a FIFO.
    symlink(&outside, dir.join(named(5, 8))).unwrap();
    symlink(machine.home.path(), dir.join(named(6, 8))).unwrap();
    symlink("/nonexistent", dir.join(named(7, 8))).unwrap();
    fs::create_dir(dir.join(named(8, 8))).unwrap();
    plant(&dir.join(named(8, 8)).join("inner"), b"");
    assert!(Command::new("mkfifo").arg(dir.join(named(9, 8))).status().unwrap().success());
    symlink(&outside, dir.join(format!("{}.0.part", named(10, 8)))).unwrap();

    let (count, left, failed) = replay(&machine);
    assert_eq!((count, left, failed.len()), (1, 0, 14 - 1), "{failed:#?}");
    let reasons: Vec<&str> = failed
        .iter()
        .map(|text| text.strip_prefix("a file in the spool ").unwrap().split(';').next().unwrap())
        .collect();
    let counted = |reason: &str| reasons.iter().filter(|there| **there == reason).count();
    assert_eq!(counted("is no regular file"), 6);
    assert_eq!(counted("is none of ours"), 2);
    assert_eq!(counted("was changed"), 1);
    assert_eq!(counted("holds another event than its name says"), 1);
    assert_eq!(counted("is cut short"), 1);
    assert_eq!(counted("has 9 bytes and not 7"), 1);
    assert_eq!(counted("is longer than anything that was ever kept"), 1);
    assert!(!dir.exists());
    assert_eq!(machine.records().iter().map(|seen| seen.id).collect::<Vec<_>>(), [first.id]);
    assert_eq!(fs::read(&outside).unwrap(), b"PRECIOUS");
    assert_eq!(spool(&machine).survey()[0].broken.len(), 13);

    // The same names once more take nothing of what was set apart before.
    plant(&dir.join("notes.txt"), b"again");
    assert_eq!(replay(&machine).2.len(), 1);
    assert_eq!(fs::read(apart(&machine).join("notes.txt.broken")).unwrap(), b"");
    assert_eq!(fs::read(apart(&machine).join("notes.txt.2.broken")).unwrap(), b"again");
}

#[test]
fn a_crowd_of_strangers_does_not_keep_events_waiting() {
    let machine = Machine::new();
    for n in 0..100 {
        plant(&waiting(&machine).join(format!("00-{n}")), b"");
    }
    let kept = spool(&machine).keep(&machine.log, tool(json!({})), Origin::Hook).unwrap();
    let (count, left, failed) = replay(&machine);
    assert_eq!((count, left, failed.len()), (1, 0, REPLAYED_AT_ONCE - 1));
    assert_eq!(machine.records()[0].id, kept.id);
}

/// Writes a record into the spool as somebody would who knows the format.
fn forge(machine: &Machine, opening: &Opening, content: &[u8]) -> PathBuf {
    let (mut line, _) = frame::write(opening, &GENESIS, &[7; 16], content);
    line.push(b'\n');
    let path = waiting(machine).join(format!("{}.{}.event", opening.id, line.len()));
    plant(&path, &line);
    path
}

#[test]
fn a_forged_forgetting_is_not_carried_out_and_an_event_of_a_newer_program_is_left_to_it() {
    let machine = Machine::new();
    let precious = machine.append(json!({ "text": "PRECIOUS" }));
    let opening = |n: u8, v: &str, kind: Kind| Opening {
        v: v.parse().unwrap(),
        id: EventId::new(machine.now(), [n; 10]),
        seq: 1,
        ts: machine.now(),
        kind,
    };
    let content = |body: Value| {
        json!({ "scope": "user", "acl": ["user"], "origin": "cli", "body": body }).to_string().into_bytes()
    };
    forge(&machine, &opening(1, "1.0.0", Kind::ForgetDone), &content(json!({ "ids": [precious.id] })));
    let newer = forge(&machine, &opening(2, "1.1.0", Kind::ToolUsed), &content(json!({ "new": true })));
    let plain = opening(3, "1.0.0", Kind::ToolUsed);
    forge(&machine, &plain, &content(json!({ "text": SECRET })));

    let (count, left, failed) = replay(&machine);
    assert_eq!((count, left), (1, 1));
    assert!(
        failed.len() == 1 && failed[0].starts_with("a file in the spool is a forgetting; "),
        "{failed:?}"
    );
    assert!(newer.exists());
    forget::carry_out(&machine.log).unwrap();
    assert_eq!(machine.records().iter().map(|seen| seen.id).collect::<Vec<_>>(), [precious.id, plain.id]);
    // What was not cleaned before is cleaned on its way into the log.
    assert_eq!(machine.files_with("A1b2C3d4"), Vec::<PathBuf>::new());
}
