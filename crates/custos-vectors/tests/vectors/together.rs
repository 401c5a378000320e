//! Several at once: writers take turns, readers see whole rows.

use std::sync::atomic::{AtomicBool, Ordering};

use custos_vectors::forget;

use crate::{pen, piece, row, scope, vector, vectors};

#[test]
fn writers_lose_nothing_of_each_other() {
    let state = tempfile::tempdir().unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let writers: Vec<_> = (0..3_u32)
            .map(|writer| {
                let state = state.path();
                threads.spawn(move || {
                    let mut pen = pen(state);
                    for batch in 0..30_u32 {
                        // Half of it is what the others write, too.
                        let own = (0..6).map(|n| row(1000 * writer + 10 * batch + n, writer));
                        let shared = (0..6).map(|n| row(9000 + 10 * batch + n, 7));
                        pen.append(&own.chain(shared).collect::<Vec<_>>()).unwrap();
                    }
                })
            })
            .collect();
        let reader = threads.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let vectors = vectors(state.path());
                for (found, near) in vectors.nearest(&vector(5), None, 50) {
                    // A row is there a moment before it is in the table.
                    let named = vectors.similarity(&vector(5), found);
                    assert!(named.is_none() || named == Some(near), "{named:?}, {near}");
                }
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    let (pen, vectors) = (pen(state.path()), vectors(state.path()));
    assert_eq!(vectors.len(), 4 * 30 * 6, "what all wrote is there once");
    for batch in 0..30 {
        for n in 0..6 {
            for writer in 0..3 {
                assert!(pen.has(piece(1000 * writer + 10 * batch + n), scope(writer)));
            }
            let shared = 9000 + 10 * batch + n;
            let expected = vector(3).similarity(&vector(shared)).unwrap();
            assert_eq!(vectors.similarity(&vector(3), piece(shared)), Some(expected));
        }
    }
}

#[test]
fn what_is_forgotten_meanwhile_is_gone_and_the_rest_is_not() {
    let state = tempfile::tempdir().unwrap();
    pen(state.path()).append(&(0..300).map(|number| row(number, 1)).collect::<Vec<_>>()).unwrap();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut pen = pen(state.path());
            for number in 300..340 {
                pen.append(&[row(number, 1)]).unwrap();
            }
        });
        threads.spawn(|| {
            for number in (0..300).step_by(10) {
                assert_eq!(forget(state.path(), &[piece(number)]).unwrap(), 1);
            }
        });
    });
    let vectors = vectors(state.path());
    for number in 0..340 {
        let is_gone = number < 300 && number % 10 == 0;
        assert_eq!(vectors.similarity(&vector(0), piece(number)).is_none(), is_gone, "{number}");
    }
}
