//! Workers that hooks start: on their own, with nothing of the hook's, and gone when nothing is left to do.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use custos_testkit::model_server::Play;

use crate::desk::{Desk, eventually, signal};

/// The processes of our program that live in this home.
fn processes(desk: &Desk) -> Vec<u32> {
    let mark = format!("HOME={}", desk.home.path().display()).into_bytes();
    let pids =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let of_home = fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|variable| variable == mark));
        // One that has ended and only waits for its parent to notice has no program any more.
        of_home && fs::read_link(format!("/proc/{pid}/exe")).is_ok()
    })
    .collect()
}

#[test]
fn a_worker_has_nothing_of_the_hook_that_started_it() {
    let desk = Desk::new();
    desk.record(1, 1);
    desk.server.play([Play::Hangs]);
    // Reads to the end of the hook's streams: a worker that held them would keep this from returning.
    let began = Instant::now();
    assert!(desk.hook("SessionEnd", "another", true).status.success());
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(desk.server.wait_for(1, Duration::from_secs(30)), "the hook started a worker");
    let [pid] = processes(&desk).try_into().unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    assert_eq!(
        (fields[2], fields[3]),
        (&*pid.to_string(), &*pid.to_string()),
        "its own group and session: {stat}"
    );
    assert_eq!(fields[4], "0", "no terminal: {stat}");
    assert_eq!(fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), PathBuf::from("/"));
    for stream in 0..3 {
        assert_eq!(fs::read_link(format!("/proc/{pid}/fd/{stream}")).unwrap(), PathBuf::from("/dev/null"));
    }
    // What else it has open is its own: files of the memory, and the connection to the provider.
    for entry in fs::read_dir(format!("/proc/{pid}/fd")).unwrap() {
        let target = fs::read_link(entry.unwrap().path()).unwrap_or_default();
        let target = target.to_str().unwrap();
        assert!(!target.starts_with("pipe:"), "{target}");
    }
    // Another hook finds it running.
    assert!(desk.hook("SessionEnd", "third", true).status.success());
    assert_eq!(processes(&desk), [pid]);
    signal("TERM", pid);
    assert!(eventually(Duration::from_secs(5), || processes(&desk).is_empty()));
    desk.work();
    let log = fs::read_dir(desk.home.state_dir()).unwrap().next().unwrap().unwrap().path().join("worker.log");
    let log = fs::read_to_string(log).unwrap();
    let told = ["began: ", "ended: asked to by a signal", "ended: nothing is left to do"];
    assert!(told.iter().all(|told| log.contains(told)), "{log}");
}

#[test]
fn a_thousand_sessions_leave_no_process_and_no_port() {
    let desk = Desk::with_rules();
    std::thread::scope(|scope| {
        for lane in 0..4 {
            let desk = &desk;
            scope.spawn(move || {
                for session in 0..250 {
                    let session = format!("session-{lane}-{session}");
                    assert!(desk.hook("SessionStart", &session, true).status.success());
                    assert!(desk.hook("SessionEnd", &session, true).status.success());
                }
            });
        }
    });
    // Nobody ever listened: a socket that is bound to a port would be among the open files of a worker.
    for pid in processes(&desk) {
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten() {
            let target = fs::read_link(entry.unwrap().path()).unwrap_or_default();
            assert!(!target.to_str().unwrap().starts_with("socket:"), "{}", target.display());
        }
    }
    assert!(eventually(Duration::from_mins(1), || processes(&desk).is_empty()), "{:?}", processes(&desk));
    assert_eq!(desk.work()["left"], 0);
    assert_eq!(desk.events("session.ended").len(), 1_000);
}
