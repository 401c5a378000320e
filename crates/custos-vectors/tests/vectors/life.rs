//! Any life of a store, against a map: appends, forgetting, and deaths at every moment.

use std::collections::HashMap;
use std::sync::Arc;

use custos_embed::Vector;
use custos_testkit::faulty::{Effect, Fault, FaultyDisk};
use custos_vectors::{Pen, forget};
use proptest::prelude::*;

use crate::{DIMS, embedder, nearest_as_thought, pen, piece, row, scope, vector, vectors};

/// What happens to a store.
#[derive(Debug, Clone)]
enum Event {
    Append(Vec<(u32, u32)>),
    /// The writer dies at an operation, half of it done.
    Die(Vec<(u32, u32)>, usize),
    /// A write is cut short and reported.
    Tear(Vec<(u32, u32)>, usize),
    Forget(Vec<u32>),
}

fn event() -> impl Strategy<Value = Event> {
    let rows = || prop::collection::vec((0..40_u32, 0..3_u32), 0..12);
    prop_oneof![
        3 => rows().prop_map(Event::Append),
        2 => (rows(), 0..40_usize).prop_map(|(rows, nth)| Event::Die(rows, nth)),
        1 => (rows(), 0..40_usize).prop_map(|(rows, nth)| Event::Tear(rows, nth)),
        1 => prop::collection::vec(0..40_u32, 0..6).prop_map(Event::Forget),
    ]
}

/// What must be there, and what may be.
#[derive(Default)]
struct Known {
    rows: HashMap<(u32, u32), bool>,
}

impl Known {
    fn check(&mut self, state: &std::path::Path) {
        let (pen, vectors) = (pen(state), vectors(state));
        let query = vector(500);
        for number in 0..40 {
            let mut is_there = false;
            for project in 0..3 {
                let has = pen.has(piece(number), scope(project));
                match self.rows.get(&(number, project)) {
                    Some(true) => assert!(has, "{number} in {project} is lost"),
                    Some(false) => {}
                    None => assert!(!has, "{number} in {project} is from nowhere"),
                }
                if has {
                    self.rows.insert((number, project), true);
                } else {
                    self.rows.remove(&(number, project));
                }
                is_there |= has;
            }
            let expected = is_there.then(|| query.similarity(&vector(number)).unwrap());
            assert_eq!(vectors.similarity(&query, piece(number)), expected);
        }
        for project in 0..3 {
            let numbers: Vec<u32> =
                self.rows.keys().filter(|(_, its)| *its == project).map(|(number, _)| *number).collect();
            let found = vectors.nearest(&query, Some(&[scope(project)]), 50);
            assert_eq!(found, nearest_as_thought(&query, &numbers, 50));
        }
    }
}

fn rows(numbers: &[(u32, u32)]) -> Vec<(custos_model::PieceId, custos_vectors::ScopeTag, Vector)> {
    numbers.iter().map(|&(number, project)| row(number, project)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_happens_the_answers_are_right(events in prop::collection::vec(event(), 1..14)) {
        let state = tempfile::tempdir().unwrap();
        let mut known = Known::default();
        for event in events {
            match event {
                Event::Append(numbers) => {
                    pen(state.path()).append(&rows(&numbers)).unwrap();
                    known.rows.extend(numbers.into_iter().map(|number| (number, true)));
                }
                Event::Die(numbers, nth) => {
                    fail(state.path(), &numbers, Fault { nth, effect: Effect::Crash }, &mut known);
                }
                Event::Tear(numbers, nth) => {
                    let effect = Effect::Torn(std::io::ErrorKind::StorageFull);
                    fail(state.path(), &numbers, Fault { nth, effect }, &mut known);
                }
                Event::Forget(numbers) => {
                    let pieces: Vec<_> = numbers.iter().map(|&number| piece(number)).collect();
                    forget(state.path(), &pieces).unwrap();
                    known.rows.retain(|(number, _), _| !numbers.contains(number));
                }
            }
            known.check(state.path());
        }
    }
}

fn fail(state: &std::path::Path, numbers: &[(u32, u32)], fault: Fault, known: &mut Known) {
    let disk = FaultyDisk::default();
    disk.arm(fault);
    let disk: Arc<dyn custos_log::Disk> = Arc::new(disk);
    let done = Pen::on(disk, state, &embedder(), DIMS).and_then(|mut pen| pen.append(&rows(numbers)));
    for &number in numbers {
        let is_sure = known.rows.get(&number) == Some(&true) || done.is_ok();
        known.rows.insert(number, is_sure);
    }
}
