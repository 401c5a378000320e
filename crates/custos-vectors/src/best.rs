//! The best few of many, found while they pass by.

use std::cmp::Ordering;

/// A row, and how good it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rated {
    pub(crate) row: usize,
    pub(crate) score: f32,
}

impl Rated {
    /// Orders the better first, and what is equally good by its row: the same question has the same answer.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}

/// Gathers twice as many as wanted, throws the worse half away, and from then on takes only what beats the rest.
#[derive(Debug)]
pub(crate) struct Best {
    wanted: usize,
    rated: Vec<Rated>,
    bar: f32,
}

impl Best {
    pub(crate) fn new(wanted: usize) -> Self {
        let bar = if wanted == 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Self { wanted, rated: Vec::new(), bar }
    }

    /// Takes a row into account. They come in their order, so that one that is only as good as the worst kept comes too late.
    #[inline]
    pub(crate) fn offer(&mut self, row: usize, score: f32) {
        if score > self.bar {
            self.rated.push(Rated { row, score });
            if self.rated.len() >= self.wanted.saturating_mul(2) {
                self.cut();
            }
        }
    }

    /// Gives what is wanted, the best first.
    pub(crate) fn into_sorted(mut self) -> Vec<Rated> {
        self.cut();
        self.rated.sort_unstable_by(Rated::order);
        self.rated
    }

    fn cut(&mut self) {
        if self.rated.len() > self.wanted {
            let (_, worst, _) = self.rated.select_nth_unstable_by(self.wanted - 1, Rated::order);
            self.bar = worst.score;
            self.rated.truncate(self.wanted);
        }
    }
}
