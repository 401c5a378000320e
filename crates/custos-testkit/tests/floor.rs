//! The floor of the process bench does nothing, successfully, and can be measured against itself.
#![cfg(unix)]

use std::process::Command;

use custos_testkit::TempHome;
use custos_testkit::spawn::{Launch, Plan, compare};

const EMPTY: &str = env!("CARGO_BIN_EXE_custos-empty");

#[test]
fn the_empty_program_says_and_writes_nothing() {
    let home = TempHome::new().unwrap();
    let output = home.command(EMPTY).output().unwrap();
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    assert_eq!(home.every_file().unwrap(), []);
}

#[test]
fn the_empty_program_is_its_own_floor() {
    let empty = || Launch::new(&Command::new(EMPTY)).unwrap();
    let subject = empty().with_pipe("{}").unwrap();
    let comparison = compare(&subject, &empty(), Plan { warm_up: 2, runs: 20 }).unwrap();
    assert_eq!((comparison.subject.runs, comparison.floor.runs), (20, 20));
    println!("{comparison}");
}
