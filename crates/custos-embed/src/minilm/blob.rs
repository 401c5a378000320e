//! The model's file: a header, then weights and tables that are used as they lie there.
//!
//! The file is part of the binary, and the compiler opens it: [`MODEL`] is a constant that points into it, so a file that
//! is not of this version and these shapes does not compile, and at run time there is nothing to read and nothing that can
//! fail. Only damage that comes later, on a disk, is left to [`verify`].
//!
//! The header has 128 bytes, all numbers little-endian: the magic bytes, then as `u32` the version, the header's length,
//! the shapes (vocabulary, hidden, inner, layers, heads, positions) and the sizes of the tables (slots, bytes of pieces,
//! the longest piece, ranges of classes, foldings), at 64 the payload's length and at 72 its checksum as `u64`. The
//! sections of the payload follow in the order in which [`Model::open`] takes them, each from a multiple of 64 bytes on.
//! `model/build.py` writes all this.

use std::error::Error;
use std::fmt;

use super::matrix::{Floats, Matrix};

/// Tokens of the vocabulary.
pub(crate) const VOCABULARY: usize = 30_522;
/// Numbers per token, and of the result.
pub(crate) const HIDDEN: usize = 384;
/// Numbers per token inside the second half of a layer.
pub(crate) const INNER: usize = 1536;
/// Layers, one upon the other.
pub(crate) const LAYERS: usize = 6;
/// Parts of a token's numbers that look at other tokens separately.
pub(crate) const HEADS: usize = 12;
/// Places that a token can have in a text.
pub(crate) const POSITIONS: usize = 256;
/// Places in the table of pieces; a power of two, twice as many as there are pieces.
pub(super) const SLOTS: usize = 1 << 16;
/// Bytes of the longest piece.
pub(super) const LONGEST_PIECE: usize = 18;

const MAGIC: [u8; 8] = *b"custosLM";
const VERSION: u32 = 1;
const HEADER: usize = 128;
const ALIGNMENT: usize = 64;

/// Makes rows of weights start with a cache line.
#[repr(C, align(64))]
struct Aligned<Bytes: ?Sized>(Bytes);

static ALIGNED: &Aligned<[u8]> = &Aligned(*include_bytes!("../../model/minilm-l6-v2.int8.bin"));

/// The bytes of the model.
pub(crate) static FILE: &[u8] = &ALIGNED.0;

/// The model, opened by the compiler.
pub(crate) static MODEL: Model<'static> = match Model::open(&ALIGNED.0) {
    Ok(model) => model,
    Err(_) => panic!("the model's file is not of the version and the shapes that this code is for"),
};

/// Points to the parts of the file.
#[derive(Debug)]
pub(crate) struct Model<'a> {
    /// What each token of the vocabulary starts as.
    pub(super) words: Words<'a>,
    pub(super) layers: [Layer<'a>; LAYERS],
    /// What each place in the text adds to that.
    pub(super) positions: &'a Floats,
    pub(super) norm: Norm<'a>,
    pub(super) pieces: Pieces<'a>,
    pub(super) characters: Characters<'a>,
}

/// Holds a row of bytes and a scale for each token.
#[derive(Debug)]
pub(super) struct Words<'a> {
    pub(super) weights: &'a [u8],
    pub(super) scales: &'a Floats,
}

/// Holds what one layer multiplies by.
#[derive(Debug)]
pub(super) struct Layer<'a> {
    /// Makes a query, a key and a value of each token; the query is already divided by the root of a head's size.
    pub(super) attention: Matrix<'a>,
    pub(super) attention_output: Matrix<'a>,
    pub(super) inner: Matrix<'a>,
    pub(super) output: Matrix<'a>,
    pub(super) attention_norm: Norm<'a>,
    pub(super) output_norm: Norm<'a>,
}

/// Holds what a token's numbers are stretched and moved by, after they were brought to mean zero and variance one.
#[derive(Debug)]
pub(super) struct Norm<'a> {
    pub(super) gains: &'a Floats,
    pub(super) biases: &'a Floats,
}

/// Holds the vocabulary as a hash table with open addressing.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    /// For each slot zero, or one more than a token.
    pub(super) slots: &'a [[u8; 2]],
    /// For each token where its text starts; the top bit tells that it continues a word. One more than there are tokens.
    pub(super) starts: &'a [[u8; 4]],
    pub(super) texts: &'a [u8],
}

/// Holds what has to be known of characters beyond ASCII, in the order of their code points.
#[derive(Debug)]
pub(super) struct Characters<'a> {
    /// First and last of a range, and its class.
    pub(super) classes: &'a [[[u8; 4]; 3]],
    /// A character, and the one, two or three that it becomes; for those that are missing zero.
    pub(super) foldings: &'a [[[u8; 4]; 4]],
}

impl<'a> Model<'a> {
    /// Finds the parts in a file, after a look at its header and its length.
    pub(super) const fn open(file: &'a [u8]) -> Result<Self, BlobError> {
        let Some((header, payload)) = file.split_at_checked(HEADER) else { return Err(BlobError::Length) };
        if !matches!(header.first_chunk(), Some(&MAGIC)) {
            return Err(BlobError::Magic);
        }
        if number(header, 8) != VERSION as usize || number(header, 12) != HEADER {
            return Err(BlobError::Version);
        }
        let shapes = [VOCABULARY, HIDDEN, INNER, LAYERS, HEADS, POSITIONS, SLOTS];
        let mut index = 0;
        while index < shapes.len() {
            if number(header, 16 + 4 * index) != shapes[index] {
                return Err(BlobError::Shape);
            }
            index += 1;
        }
        let (texts, longest) = (number(header, 44), number(header, 48));
        let (classes, foldings) = (number(header, 52), number(header, 56));
        if longest != LONGEST_PIECE {
            return Err(BlobError::Shape);
        }

        let mut sections = Sections { rest: payload, overrun: false };
        let weights = sections.bytes(VOCABULARY * HIDDEN);
        let layers = [
            sections.layer(),
            sections.layer(),
            sections.layer(),
            sections.layer(),
            sections.layer(),
            sections.layer(),
        ];
        let words = Words { weights, scales: sections.words(VOCABULARY) };
        let positions = sections.words(POSITIONS * HIDDEN);
        let norm = sections.norm();
        let pieces = Pieces {
            slots: sections.bytes(2 * SLOTS).as_chunks().0,
            starts: sections.words(VOCABULARY + 1),
            texts: sections.bytes(texts),
        };
        let characters = Characters {
            classes: sections.words(3 * classes).as_chunks().0,
            foldings: sections.words(4 * foldings).as_chunks().0,
        };
        if sections.overrun || !sections.rest.is_empty() || number(header, 64) != payload.len() {
            return Err(BlobError::Length);
        }
        Ok(Self { words, layers, positions, norm, pieces, characters })
    }
}

/// Takes one section after the other from the payload.
struct Sections<'a> {
    rest: &'a [u8],
    /// There was less than some section should have.
    overrun: bool,
}

impl<'a> Sections<'a> {
    const fn bytes(&mut self, length: usize) -> &'a [u8] {
        let Some((padded, rest)) = self.rest.split_at_checked(length.next_multiple_of(ALIGNMENT)) else {
            self.overrun = true;
            return &[];
        };
        self.rest = rest;
        padded.split_at(length).0
    }

    const fn words(&mut self, count: usize) -> &'a [[u8; 4]] {
        self.bytes(4 * count).as_chunks().0
    }

    const fn norm(&mut self) -> Norm<'a> {
        Norm { gains: self.words(HIDDEN), biases: self.words(HIDDEN) }
    }

    /// Takes the weights of a layer, which lie together, and then what belongs to them.
    const fn layer(&mut self) -> Layer<'a> {
        let attention = self.bytes(3 * HIDDEN * HIDDEN);
        let attention_output = self.bytes(HIDDEN * HIDDEN);
        let inner = self.bytes(INNER * HIDDEN);
        let output = self.bytes(HIDDEN * INNER);
        Layer {
            attention: self.matrix(attention, HIDDEN, 3 * HIDDEN),
            attention_output: self.matrix(attention_output, HIDDEN, HIDDEN),
            inner: self.matrix(inner, HIDDEN, INNER),
            output: self.matrix(output, INNER, HIDDEN),
            attention_norm: self.norm(),
            output_norm: self.norm(),
        }
    }

    const fn matrix(&mut self, weights: &'a [u8], width: usize, rows: usize) -> Matrix<'a> {
        Matrix::new(weights, width, self.words(rows), self.words(rows))
    }
}

/// Reads a small number of the header.
const fn number(header: &[u8], at: usize) -> usize {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize
}

/// Checks that each byte of a file is as it was written.
pub(super) fn verify(file: &[u8]) -> Result<(), BlobError> {
    Model::open(file)?;
    let (header, payload) = file.split_at(HEADER);
    let written = header[72..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    if written == Some(checksum(payload)) { Ok(()) } else { Err(BlobError::Checksum) }
}

/// Sums up a payload: FNV-1a over words of 64 bits.
///
/// Each step can be undone, so a change within one word never goes unseen, and any other does with a chance of 2⁻⁶⁴.
/// It finds damage, not malice: who can change the model can change the program.
fn checksum(payload: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let words = payload.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    words.fold(BASIS, |sum, word| (sum ^ word).wrapping_mul(PRIME))
}

/// Says what is wrong with the model's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlobError {
    /// It does not begin as such a file does.
    Magic,
    /// It is of a version that this program does not know.
    Version,
    /// It holds a model of another shape.
    Shape,
    /// It is longer or shorter than its header says.
    Length,
    /// Its content was changed after it was written.
    Checksum,
}

impl fmt::Display for BlobError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Magic => "the embedder's model is no model file",
            Self::Version => "the embedder's model is of another version",
            Self::Shape => "the embedder's model has another shape",
            Self::Length => "the embedder's model is cut off or too long",
            Self::Checksum => "the embedder's model is damaged: its checksum differs",
        })
    }
}

impl Error for BlobError {}
