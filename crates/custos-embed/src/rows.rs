//! Many vectors of one embedder, and the search for those nearest to a query.
//!
//! There is no graph and no tree of clusters. A hundred thousand vectors are 38 MB, and to read them all takes the
//! processor under three milliseconds; any index would have to be built, kept and explained, and would miss some. For a
//! million there is a first look at one bit per dimension, an eighth of the bytes, which leaves a few hundred to be read
//! in full.
//!
//! Rows are three sections of plain bytes, so that they can be searched where they lie, be it a mapped file, a blob of a
//! database or memory ([`VectorSet`] makes them): the components, for each row the inverse of its length (a
//! little-endian `f32`), and for each row its sketch.

use std::ops::Range;

use crate::embedder::EmbedderId;
use crate::kernel::{Difference, Kernel};
use crate::nearest::{Hit, Nearest};
use crate::vector::{Direction, Mismatch, Vector, inverse_length};

/// How many rows the kernels do at a time: enough to make the call free, few enough to keep the sums in the cache.
const BLOCK: usize = 256;

/// How many sketches are looked at together.
const FEW: usize = 32;

/// Of how many blocks one is looked at to guess how near the nearest are, and how many rows of these tell enough.
const SPARSE: usize = 32;
const TELLING: usize = 32;

/// For how many times as many as are wanted the guess is made, first and where that was too few: what was embedded together is alike, and
/// may all lie between the blocks that were looked at.
const AMPLE: [usize; 2] = [2, 16];

/// The dimensions, one bit for each, that one word of a sketch tells about.
const BITS: usize = 64;

/// Collects vectors of one embedder in memory.
#[derive(Clone, Debug)]
pub struct VectorSet {
    embedder: EmbedderId,
    dims: usize,
    components: Vec<u8>,
    inverse_lengths: Vec<u8>,
    sketches: Vec<u8>,
}

impl VectorSet {
    /// Makes an empty set for vectors of an embedder.
    pub fn new(embedder: EmbedderId, dims: usize) -> Self {
        Self { embedder, dims, components: Vec::new(), inverse_lengths: Vec::new(), sketches: Vec::new() }
    }

    /// Adds a vector as the last row.
    pub fn push(&mut self, vector: &Vector) -> Result<(), Mismatch> {
        vector.check(&self.embedder, self.dims)?;
        let components = vector.as_bytes();
        self.components.extend_from_slice(components);
        self.inverse_lengths.extend(inverse_length(components).to_le_bytes());
        self.sketches.extend(sketch(components).flat_map(u64::to_le_bytes));
        Ok(())
    }

    /// Gives the rows, to search among them or to write them down.
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            embedder: &self.embedder,
            dims: self.dims,
            components: &self.components,
            inverse_lengths: self.inverse_lengths.as_chunks().0,
            sketches: self.sketches.as_chunks().0,
        }
    }
}

/// Sees vectors of one embedder where they lie.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    embedder: &'a EmbedderId,
    dims: usize,
    components: &'a [u8],
    inverse_lengths: &'a [[u8; 4]],
    sketches: &'a [[u8; 8]],
}

impl<'a> Rows<'a> {
    /// Sees rows in three sections that were written down, or nothing if these do not belong together.
    pub fn new(
        embedder: &'a EmbedderId,
        dims: usize,
        components: &'a [u8],
        inverse_lengths: &'a [u8],
        sketches: &'a [u8],
    ) -> Option<Self> {
        let (inverse_lengths, []) = inverse_lengths.as_chunks() else { return None };
        let (sketches, []) = sketches.as_chunks() else { return None };
        let count = inverse_lengths.len();
        let fits = Some(components.len()) == dims.checked_mul(count)
            && Some(sketches.len()) == dims.div_ceil(BITS).checked_mul(count);
        fits.then_some(Self { embedder, dims, components, inverse_lengths, sketches })
    }

    /// Says how many rows there are.
    pub fn len(&self) -> usize {
        self.inverse_lengths.len()
    }

    /// Says whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.inverse_lengths.is_empty()
    }

    /// Gives the section of the components: `dims` bytes for each row.
    pub fn components(&self) -> &'a [u8] {
        self.components
    }

    /// Gives the section of the inverse lengths: four bytes for each row.
    pub fn inverse_lengths(&self) -> &'a [u8] {
        self.inverse_lengths.as_flattened()
    }

    /// Gives the section of the sketches: eight bytes for each 64 dimensions, or part of them, of each row.
    pub fn sketches(&self) -> &'a [u8] {
        self.sketches.as_flattened()
    }

    /// Finds the `count` rows nearest to a query, the nearest first, by comparing each of those that are wanted.
    pub fn nearest(
        &self,
        query: &Vector,
        count: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Hit>, Mismatch> {
        query.check(self.embedder, self.dims)?;
        Ok(self.scan(Kernel::best(), &Direction::of(query.as_bytes()), count, is_wanted))
    }

    /// Finds the `count` rows nearest to a query among the `candidates` of those wanted whose sketches differ from its sketch the least.
    ///
    /// About four times as fast as [`nearest`](Self::nearest), and it may miss: the fewer the candidates, the more.
    pub fn nearest_by_sketch(
        &self,
        query: &Vector,
        count: usize,
        candidates: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Hit>, Mismatch> {
        query.check(self.embedder, self.dims)?;
        let direction = Direction::of(query.as_bytes());
        let sketch: Vec<u64> = sketch(query.as_bytes()).collect();
        let mut nearest = Nearest::new(count);
        for row in self.sift(Kernel::best(), &sketch, candidates, is_wanted) {
            let components = &self.components[row * self.dims..][..self.dims];
            nearest.offer(row, direction.similarity(components, self.inverse_length(row)));
        }
        Ok(nearest.into_hits())
    }

    /// Compares each row in full.
    fn scan(
        &self,
        kernel: Kernel,
        query: &Direction,
        count: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<Hit> {
        let mut nearest = Nearest::new(count);
        let mut products = [0; BLOCK];
        for rows in self.blocks(1, &is_wanted) {
            let products = &mut products[..rows.len()];
            kernel.products(&query.wide, &self.components[rows.start * self.dims..], products);
            for (row, &product) in rows.zip(&*products) {
                nearest.offer_if(row, query.similarity_of(product, self.inverse_length(row)), &is_wanted);
            }
        }
        nearest.into_hits()
    }

    /// Compares the sketch of each row, and gives those that differ in the fewest bits.
    ///
    /// In the order of the rows: so memory is read forwards, and equal ones come out as they would of a full search.
    fn sift(
        &self,
        kernel: Kernel,
        sketch: &[u64],
        count: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let met = self.met_in_some(kernel, sketch, &is_wanted);
        let bars = AMPLE.map(|ample| bar_of(&met, count.saturating_mul(ample) / SPARSE));
        for bar in bars.into_iter().flatten().chain([Difference::MAX]) {
            let mut nearest = Nearest::new(count);
            for (row, different) in self.within(bar, kernel, sketch, &is_wanted) {
                nearest.offer(row, closeness(different));
            }
            let rows = nearest.into_rows();
            // Those that clear a bar are the best there are, if only there are enough of them.
            if rows.len() == count || bar == Difference::MAX {
                return rows;
            }
        }
        Vec::new()
    }

    /// Counts for each difference how many of the wanted rows have it in some of the blocks.
    fn met_in_some(&self, kernel: Kernel, sketch: &[u64], is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut met = vec![0; sketch.len() * BITS + 1];
        let mut differences = [0; BLOCK];
        for rows in self.blocks(SPARSE, &is_wanted) {
            let differences = &mut differences[..rows.len()];
            kernel.differences(sketch, &self.sketches[rows.start * sketch.len()..], differences);
            for (row, &different) in rows.zip(&*differences) {
                if let Some(met) =
                    usize::try_from(different).ok().and_then(|different| met.get_mut(different))
                {
                    *met += usize::from(is_wanted(row));
                }
            }
        }
        met
    }

    /// Gives the rows that differ in no more bits than this, in their order.
    ///
    /// Whether a row is wanted is asked last and of all together: each question looks where in memory nobody has looked yet, and the
    /// processor waits for many such looks as long as for one.
    fn within(
        &self,
        bar: Difference,
        kernel: Kernel,
        sketch: &[u64],
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, Difference)> {
        let blocks: Vec<Range<usize>> = self.blocks(1, &is_wanted).collect();
        let mut differences = [0; BLOCK];
        let mut within = Vec::new();
        for rows in blocks {
            let differences = &mut differences[..rows.len()];
            kernel.differences(sketch, &self.sketches[rows.start * sketch.len()..], differences);
            for (first, few) in rows.step_by(FEW).zip(differences.chunks(FEW)) {
                // Nearly all are too far away, which one look at the least of a few tells.
                if few.iter().fold(Difference::MAX, |least, different| least.min(*different)) <= bar {
                    within.extend(
                        (first..).zip(few.iter().copied()).filter(|(_, different)| *different <= bar),
                    );
                }
            }
        }
        within.retain(|(row, _)| is_wanted(*row));
        within
    }

    /// Lists the blocks that have rows which are wanted, of every `nth` block. All of such a block is computed: the kernels go through rows
    /// that follow each other several times as fast as through single ones.
    fn blocks(&self, nth: usize, is_wanted: impl Fn(usize) -> bool) -> impl Iterator<Item = Range<usize>> {
        let count = self.len();
        let blocks = (0..count).step_by(BLOCK * nth).map(move |first| first..count.min(first + BLOCK));
        blocks.filter(move |rows| rows.clone().any(&is_wanted))
    }

    fn inverse_length(&self, row: usize) -> f32 {
        f32::from_le_bytes(self.inverse_lengths[row])
    }
}

/// Finds the difference up to which so many were met; none where these would say too little.
fn bar_of(met: &[usize], enough: usize) -> Option<Difference> {
    let mut sum = 0;
    let bar = (0..).zip(met).find_map(|(different, met)| {
        sum += met;
        (sum >= enough).then_some(different)
    });
    bar.filter(|_| enough >= TELLING)
}

/// Orders sketches: the fewer bits differ, the closer.
fn closeness(different: Difference) -> f32 {
    -f32::from(different)
}

/// Keeps of each component whether it is negative.
///
/// Two directions that are close agree in most signs, and 64 signs are compared in two instructions.
pub fn sketch(components: &[u8]) -> impl Iterator<Item = u64> {
    components.chunks(BITS).map(|components| {
        let (eights, rest) = components.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let signs = eights.iter().chain([&last]).map(|eight| signs(*eight)).enumerate();
        signs.filter(|(at, _)| at * 8 < BITS).fold(0, |bits, (at, signs)| bits | signs << (at * 8))
    })
}

/// Says whether a sketch that was written down is that of some components.
pub fn is_sketch_of(sketch: &[[u8; 8]], components: &[u8]) -> bool {
    Kernel::best().is_sketch_of(sketch, components)
}

/// Gathers the signs of eight components in one byte: the product puts each of them above the others, in its own place.
fn signs(components: [u8; 8]) -> u64 {
    let signs = (u64::from_le_bytes(components) >> 7) & 0x0101_0101_0101_0101;
    signs.wrapping_mul(0x0102_0408_1020_4080) >> 56
}
