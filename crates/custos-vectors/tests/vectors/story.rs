//! What is written is found, by the right embedder and in the right scope; what is forgotten is gone.

use custos_embed::EmbedderId;
use custos_vectors::{Pen, ScopeTag, Stored, Vectors, forget, pieces, remove_others, stored};

use crate::{DIMS, embedder, files, nearest_as_thought, pen, piece, row, scope, vector, vector_of, vectors};

#[test]
fn nothing_is_there_until_something_is_written() {
    let state = tempfile::tempdir().unwrap();
    let empty = vectors(state.path());
    assert!(empty.is_empty());
    assert_eq!(empty.similarity(&vector(1), piece(1)), None);
    assert_eq!(empty.nearest(&vector(1), None, 5), []);
    assert_eq!(stored(state.path()).unwrap(), []);
    assert_eq!(pieces(state.path()).unwrap(), []);
    assert_eq!(forget(state.path(), &[piece(1)]).unwrap(), 0);
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "whoever only reads leaves nothing");
}

#[test]
fn what_is_written_is_found() {
    let state = tempfile::tempdir().unwrap();
    let mut pen = pen(state.path());
    assert_eq!(pen.append(&[row(1, 1), row(2, 1), row(3, 2)]).unwrap(), 3);
    assert_eq!(pen.append(&[row(4, 2), row(1, 1), row(1, 2), row(4, 2)]).unwrap(), 2, "what is new");
    assert!(pen.has(piece(1), scope(1)) && pen.has(piece(1), scope(2)) && pen.has(piece(4), scope(2)));
    assert!(!pen.has(piece(2), scope(2)) && !pen.has(piece(5), scope(1)));

    let vectors = vectors(state.path());
    assert_eq!(vectors.len(), 5);
    let query = vector(77);
    for number in 1..=4 {
        let expected = query.similarity(&vector(number)).unwrap();
        assert_eq!(vectors.similarity(&query, piece(number)), Some(expected));
    }
    let several = [piece(3), piece(9), piece(1)];
    let expected: Vec<Option<f32>> = several.iter().map(|&piece| vectors.similarity(&query, piece)).collect();
    assert_eq!(vectors.similarities(&query, &several), expected);
    assert_eq!(vectors.nearest(&query, None, 9), nearest_as_thought(&query, &[1, 2, 3, 4], 9));
    assert_eq!(vectors.nearest(&query, Some(&[scope(1)]), 9), nearest_as_thought(&query, &[1, 2], 9));
    assert_eq!(vectors.nearest(&query, Some(&[scope(2)]), 2), nearest_as_thought(&query, &[1, 3, 4], 2));
    let both = [scope(2), scope(1)];
    assert_eq!(vectors.nearest(&query, Some(&both), 3), nearest_as_thought(&query, &[1, 2, 3, 4], 3));
    assert_eq!(vectors.nearest(&query, Some(&[]), 3), []);
    assert_eq!(vectors.nearest(&query, Some(&[ScopeTag::of(None)]), 3), []);
}

#[test]
fn a_reader_sees_what_was_there_until_it_looks_again() {
    let state = tempfile::tempdir().unwrap();
    let mut pen = pen(state.path());
    pen.append(&[row(1, 1)]).unwrap();
    let mut vectors = vectors(state.path());
    assert!(!vectors.renew().unwrap());
    pen.append(&[row(2, 1)]).unwrap();
    assert_eq!(vectors.similarity(&vector(1), piece(2)), None);
    assert!(vectors.renew().unwrap());
    assert!(vectors.similarity(&vector(1), piece(2)).is_some());
}

#[test]
fn two_embedders_keep_to_themselves() {
    let state = tempfile::tempdir().unwrap();
    let other = EmbedderId::new("other.1");
    pen(state.path()).append(&[row(1, 1), row(2, 1)]).unwrap();
    let mut others = Pen::open(state.path(), &other, 8).unwrap();
    others.append(&[(piece(1), scope(1), vector_of(&other, 8, 5))]).unwrap();
    assert!(others.append(&[row(3, 1)]).is_err(), "a vector of another embedder");
    assert!(others.append(&[(piece(3), scope(1), vector_of(&other, 9, 5))]).is_err());

    let (ours, theirs) = (vectors(state.path()), Vectors::open(state.path(), &other, 8).unwrap());
    assert_eq!((ours.len(), theirs.len()), (2, 1));
    assert_eq!(theirs.similarity(&vector(1), piece(1)), None);
    assert_eq!(theirs.nearest(&vector(1), None, 3), []);
    let again = theirs.similarity(&vector_of(&other, 8, 5), piece(1)).unwrap();
    assert!((again - 1.0).abs() < 1e-5);
    let expected = [
        Stored { embedder: other.clone(), dims: 8, rows: 1 },
        Stored { embedder: embedder(), dims: DIMS, rows: 2 },
    ];
    assert_eq!(stored(state.path()).unwrap(), expected);

    assert_eq!(forget(state.path(), &[piece(1)]).unwrap(), 2, "of both");
    assert_eq!(remove_others(state.path(), &embedder(), DIMS).unwrap(), 1);
    assert_eq!(stored(state.path()).unwrap(), [Stored { embedder: embedder(), dims: DIMS, rows: 1 }]);
    assert!(vectors(state.path()).similarity(&vector(2), piece(2)).is_some());
}

#[test]
fn vectors_without_dimensions_or_with_too_many_are_not_kept() {
    let state = tempfile::tempdir().unwrap();
    for dims in [0, 1 << 17, usize::MAX] {
        assert!(Pen::open(state.path(), &embedder(), dims).is_err());
        assert!(Vectors::open(state.path(), &embedder(), dims).is_err());
    }
}

#[test]
fn nothing_of_what_is_forgotten_is_left() {
    let state = tempfile::tempdir().unwrap();
    let mut pen = pen(state.path());
    let rows: Vec<_> = (0..200).map(|number| row(number, number % 3)).collect();
    pen.append(&rows).unwrap();
    pen.append(&[row(7, 8)]).unwrap();
    let before = vectors(state.path());
    let gone = [7, 8, 9, 150];
    assert_eq!(forget(state.path(), &gone.map(piece)).unwrap(), 5);

    for file in files(state.path()) {
        let bytes = std::fs::read(&file).unwrap();
        for number in gone {
            let (piece, vector) = (piece(number), vector(number));
            for needle in [&piece.as_bytes()[..], vector.as_bytes()] {
                let found = bytes.windows(needle.len()).any(|window| window == needle);
                assert!(!found, "{number} in {}", file.display());
            }
        }
    }
    let after = vectors(state.path());
    // Also for whoever had it open.
    for vectors in [&before, &after] {
        for number in 0..200 {
            let is_there = vectors.similarity(&vector(1), piece(number)).is_some();
            assert_eq!(is_there, !gone.contains(&number), "{number}");
        }
        let left: Vec<u32> = (0..200).filter(|number| !gone.contains(number)).collect();
        assert_eq!(vectors.nearest(&vector(8), None, 300), nearest_as_thought(&vector(8), &left, 300));
        assert_eq!(vectors.nearest(&vector(7), Some(&[scope(8)]), 3), []);
    }
    assert_eq!(pieces(state.path()).unwrap().len(), 196);
    assert!(!pen.has(piece(7), scope(1)));
    assert_eq!(pen.append(&[row(7, 1)]).unwrap(), 1, "what is said again is embedded again");
    assert!(vectors(state.path()).similarity(&vector(7), piece(7)).is_some());
}

#[test]
fn a_place_that_was_lost_is_not_taken_for_the_same() {
    let state = tempfile::tempdir().unwrap();
    let first = pen(state.path()).stamp();
    assert_eq!(pen(state.path()).stamp(), first);
    std::fs::remove_dir_all(state.path().join("vectors")).unwrap();
    assert_ne!(pen(state.path()).stamp(), first);
}

#[cfg(unix)]
#[test]
fn files_are_private_and_links_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let state = tempfile::tempdir().unwrap();
    pen(state.path()).append(&[row(1, 1)]).unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    for file in files(state.path()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        assert_eq!(mode(file.parent().unwrap()), 0o700);
    }
    let names = files(state.path()).into_iter().find(|file| file.ends_with("names")).unwrap();
    let elsewhere = state.path().join("elsewhere");
    std::fs::rename(&names, &elsewhere).unwrap();
    symlink(&elsewhere, &names).unwrap();
    assert!(Vectors::open(state.path(), &embedder(), DIMS).is_err());
    assert!(Pen::open(state.path(), &embedder(), DIMS).is_err());
}
