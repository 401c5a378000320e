//! Any bytes in any of the files: vectors may be missing, and none is wrong.

use custos_vectors::{Pen, Vectors, forget, pieces, stored};
use proptest::prelude::*;

use crate::{DIMS, embedder, files, pen, piece, row, scope, vector, vectors};

/// What becomes of a file.
#[derive(Debug, Clone)]
enum Damage {
    Cut(f64),
    Zero(f64, f64),
    Flip(f64, u8),
    Longer(Vec<u8>),
    Foreign(Vec<u8>),
    Gone,
    /// It takes the place of another.
    Swapped(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let part = || 0.0..1.0_f64;
    prop_oneof![
        part().prop_map(Damage::Cut),
        (part(), part()).prop_map(|(from, to)| Damage::Zero(from, to)),
        (part(), 1..=255_u8).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        prop::collection::vec(any::<u8>(), 1..60).prop_map(Damage::Longer),
        prop::collection::vec(any::<u8>(), 0..5000).prop_map(Damage::Foreign),
        Just(Damage::Gone),
        (0..7_usize).prop_map(Damage::Swapped),
    ]
}

#[expect(clippy::disallowed_methods, reason = "damage is not done with care")]
fn do_damage(files: &[std::path::PathBuf], which: usize, damage: &Damage) {
    let file = &files[which % files.len()];
    let mut bytes = std::fs::read(file).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a small file")]
    let at = |part: f64| (bytes.len() as f64 * part) as usize;
    match damage {
        Damage::Cut(part) => bytes.truncate(at(*part)),
        Damage::Zero(from, to) => {
            let (from, to) = (at(from.min(*to)), at(from.max(*to)));
            bytes[from..to].fill(0);
        }
        Damage::Flip(part, bits) => {
            let at = at(*part);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= bits;
            }
        }
        Damage::Longer(more) => bytes.extend(more),
        Damage::Foreign(foreign) => bytes.clone_from(foreign),
        Damage::Gone => {
            let _ = std::fs::remove_file(file);
            return;
        }
        Damage::Swapped(other) => {
            let other = &files[other % files.len()];
            std::fs::write(file, std::fs::read(other).unwrap_or_default()).unwrap();
            std::fs::write(other, &bytes).unwrap();
            return;
        }
    }
    std::fs::write(file, bytes).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_damage_makes_a_wrong_answer(
        count in 1..60_u32,
        damages in prop::collection::vec((0..7_usize, damage()), 1..4),
        more in 0..20_u32,
    ) {
        let state = tempfile::tempdir().unwrap();
        pen(state.path()).append(&(0..count).map(|number| row(number, number % 2)).collect::<Vec<_>>()).unwrap();
        let all = files(state.path());
        for (which, damage) in &damages {
            do_damage(&all, *which, damage);
        }
        let right = |vectors: &Vectors| {
            let query = vector(900);
            let expected = |number| query.similarity(&vector(number)).unwrap();
            let near = vectors.nearest(&query, None, 100);
            for number in 0..count + more {
                let found = vectors.similarity(&query, piece(number));
                assert!(found.is_none() || found == Some(expected(number)), "{number}: {found:?}");
                let near = near.iter().filter(|near| near.0 == piece(number)).collect::<Vec<_>>();
                assert!(near.len() < 2 && near.iter().all(|near| near.1 == expected(number)), "{near:?}");
            }
        };
        right(&vectors(state.path()));
        stored(state.path()).unwrap();
        pieces(state.path()).unwrap();
        // Whoever writes next writes right, and what is written then is there.
        let mut pen = Pen::open(state.path(), &embedder(), DIMS).unwrap();
        right(pen.vectors());
        let new: Vec<_> = (count..count + more).map(|number| row(number, 5)).collect();
        pen.append(&new).unwrap();
        right(pen.vectors());
        for (piece, _, vector) in &new {
            assert!(pen.has(*piece, scope(5)) || is_crowded_out(&damages), "{piece:?}");
            let near = pen.vectors().nearest(vector, Some(&[scope(5)]), 1);
            prop_assert_eq!(near[0].0, *piece);
        }
        // And what is forgotten is gone. What lost its name is found among all names, as one that nobody knows.
        let all: Vec<_> = (0..count + more).map(piece).collect();
        forget(state.path(), &all).unwrap();
        let unknown = pieces(state.path()).unwrap();
        prop_assert!(unknown.iter().all(|piece| !all.contains(piece)));
        forget(state.path(), &unknown).unwrap();
        let left = vectors(state.path());
        for number in 0..count + more {
            prop_assert_eq!(left.similarity(&vector(900), piece(number)), None);
        }
        prop_assert!(left.nearest(&vector(900), None, 100).is_empty());
    }
}

/// Says whether the table may be full of nonsense, so that names have no place in it.
fn is_crowded_out(damages: &[(usize, Damage)]) -> bool {
    damages.iter().any(|(_, damage)| matches!(damage, Damage::Foreign(_) | Damage::Swapped(_)))
}

#[test]
fn rows_that_are_lost_make_it_another_place() {
    let state = tempfile::tempdir().unwrap();
    let mut first = pen(state.path());
    first.append(&(0..20).map(|number| row(number, 1)).collect::<Vec<_>>()).unwrap();
    let stamp = first.stamp();
    assert_eq!(pen(state.path()).stamp(), stamp);
    let components = files(state.path()).into_iter().find(|file| file.ends_with("components")).unwrap();
    std::fs::OpenOptions::new().write(true).open(components).unwrap().set_len(DIMS as u64 * 12).unwrap();
    let mut again = pen(state.path());
    assert_ne!(again.stamp(), stamp, "so that all is asked for again");
    assert_eq!(again.append(&(0..20).map(|number| row(number, 1)).collect::<Vec<_>>()).unwrap(), 8);
}

#[test]
fn a_directory_that_says_it_is_another_embedders_holds_nothing() {
    let state = tempfile::tempdir().unwrap();
    pen(state.path()).append(&[row(1, 1)]).unwrap();
    let about = files(state.path()).into_iter().find(|file| file.ends_with("about")).unwrap();
    let text = std::fs::read_to_string(&about).unwrap().replace("test.1", "test.2");
    #[expect(clippy::disallowed_methods, reason = "damage is not done with care")]
    std::fs::write(&about, text).unwrap();
    assert!(vectors(state.path()).is_empty());
    assert_eq!(vectors(state.path()).nearest(&vector(1), None, 3), []);
}
