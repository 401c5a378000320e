//! What it costs, in figures for a person: `cargo test -p custos-vectors -- --ignored --nocapture`.

use std::time::Instant;

use custos_embed::{Vector, VectorSet};
use custos_vectors::{Pen, ScopeTag, Vectors};

use crate::{embedder, piece, vector_of};

const DIMS: usize = 384;

/// Times something several times, and gives the median and the worst but one, in microseconds.
fn timed(mut work: impl FnMut(u32)) -> (u128, u128) {
    let mut times: Vec<u128> = (0..21)
        .map(|number| {
            let began = Instant::now();
            work(number);
            began.elapsed().as_micros()
        })
        .collect();
    times.sort_unstable();
    (times[10], times[19])
}

#[test]
#[ignore = "measures, and writes half a gigabyte"]
fn figures() {
    let (state, id) = (tempfile::tempdir().unwrap(), embedder());
    let mut pen = Pen::open(state.path(), &id, DIMS).unwrap();
    let small = ScopeTag::of(Some("small"));
    let mut rows = 0_u32;
    for size in [20_000, 100_000, 500_000, 1_000_000_u32] {
        let began = Instant::now();
        while rows < size {
            let next = rows..(rows + 20_000).min(size);
            rows = next.end;
            let scope = |number| if number % 50 == 0 { small } else { ScopeTag::of(None) };
            let batch: Vec<_> =
                next.map(|number| (piece(number), scope(number), vector_of(&id, DIMS, number))).collect();
            pen.append(&batch).unwrap();
        }
        println!("{size} rows, written in {:?}", began.elapsed());
        let queries: Vec<Vector> = (0..21).map(|number| vector_of(&id, DIMS, number + 7_000_000)).collect();
        let query = |number: u32| &queries[number as usize];
        println!("  open: {:?} µs", timed(|_| drop(Vectors::open(state.path(), &id, DIMS).unwrap())));
        let vectors = Vectors::open(state.path(), &id, DIMS).unwrap();
        let some: Vec<_> = (0..1500).map(|number| piece(number * (size / 1500))).collect();
        println!(
            "  1500 by name: {:?} µs",
            timed(|number| assert_eq!(vectors.similarities(query(number), &some).len(), 1500))
        );
        for (name, scopes) in [("all", None), ("most", Some([ScopeTag::of(None)])), ("a 50th", Some([small]))]
        {
            let scopes = scopes.as_ref().map(<[ScopeTag; 1]>::as_slice);
            let times = timed(|number| assert_eq!(vectors.nearest(query(number), scopes, 300).len(), 300));
            println!("  300 nearest of {name}: {times:?} µs");
        }
    }
    let mut set = VectorSet::new(id.clone(), DIMS);
    for number in 0..100_000 {
        set.push(&vector_of(&id, DIMS, number)).unwrap();
    }
    let query = vector_of(&id, DIMS, 8_000_000);
    let times =
        timed(|_| assert_eq!(set.rows().nearest_by_sketch(&query, 300, 2400, |_| true).unwrap().len(), 300));
    println!("in memory, 100,000 by sketch with the kernels of custos-embed: {times:?} µs");
}
