//! The best few of many, found while they pass by.
//!
//! A heap would do; what is here does less. Hits are gathered until there are twice as many as wanted, then the worse half
//! is thrown away, and from then on whatever is not better than the worst that stayed is dropped at the price of one
//! comparison. Of a hundred thousand rows, a thousand get past that.

use std::cmp::Ordering;

/// Names a row and says how near it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The position of the row, counted from zero.
    pub row: usize,
    /// The cosine of the angle between the row and the query.
    pub similarity: f32,
}

impl Hit {
    /// Orders the nearer first, and what is equally near by its row: the same question has the same answer.
    fn order(&self, other: &Self) -> Ordering {
        other.similarity.total_cmp(&self.similarity).then(self.row.cmp(&other.row))
    }
}

/// Keeps the nearest hits of those that are offered, in the order of their rows.
pub(crate) struct Nearest {
    wanted: usize,
    hits: Vec<Hit>,
    /// What a hit has to exceed; one that is only as near comes later, and loses to those that are there.
    bar: f32,
}

impl Nearest {
    pub(crate) fn new(wanted: usize) -> Self {
        // With none wanted, nothing clears the bar.
        let bar = if wanted == 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Self { wanted, hits: Vec::new(), bar }
    }

    /// Says whether a row as near as this would be taken.
    #[inline]
    pub(crate) fn wants(&self, similarity: f32) -> bool {
        similarity > self.bar
    }

    #[inline]
    pub(crate) fn offer(&mut self, row: usize, similarity: f32) {
        if self.wants(similarity) {
            self.take(Hit { row, similarity });
        }
    }

    /// Offers a row that has to be asked for first, which costs more than the comparison.
    #[inline]
    pub(crate) fn offer_if(&mut self, row: usize, similarity: f32, is_wanted: impl Fn(usize) -> bool) {
        if self.wants(similarity) && is_wanted(row) {
            self.take(Hit { row, similarity });
        }
    }

    /// Gives what is wanted, the nearest first.
    pub(crate) fn into_hits(mut self) -> Vec<Hit> {
        self.cut();
        self.hits.sort_unstable_by(Hit::order);
        self.hits
    }

    /// Gives the rows of what is wanted, in their order.
    pub(crate) fn into_rows(mut self) -> Vec<usize> {
        self.cut();
        let mut rows: Vec<usize> = self.hits.iter().map(|hit| hit.row).collect();
        rows.sort_unstable();
        rows
    }

    /// Is apart because it is rare: what is left of `offer` is a comparison.
    #[cold]
    fn take(&mut self, hit: Hit) {
        self.hits.push(hit);
        if self.hits.len() >= self.wanted.saturating_mul(2) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.hits.len() > self.wanted {
            let (_, worst, _) = self.hits.select_nth_unstable_by(self.wanted - 1, Hit::order);
            self.bar = worst.similarity;
            self.hits.truncate(self.wanted);
        }
    }
}
