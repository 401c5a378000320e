//! What a change does, line by line, for people.
//!
//! Only lines that come or go are listed. A neighbour of ours may get a comma, so a line with a key in it can be
//! among them: whoever shows them to anybody but the file's owner redacts them first.

use std::fmt;

/// A line that comes or goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// Whether it comes or goes.
    pub sign: Sign,
    /// Its number, from 1: in the new text if it comes, in the old one if it goes.
    pub number: usize,
    /// The line without its end.
    pub text: String,
}

/// Whether a line comes or goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It is new.
    Added,
    /// It is no longer there.
    Removed,
}

impl fmt::Display for DiffLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.sign {
            Sign::Added => '+',
            Sign::Removed => '-',
        };
        write!(f, "{sign}{:>5} {}", self.number, self.text)
    }
}

/// The most pairs of lines that are compared; beyond it, all old lines go and all new ones come.
const MOST_PAIRS: usize = 4_000_000;

/// Lists the lines that go from the old text and come with the new one.
pub fn diff(old: &str, new: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);

    let kept = kept_pairs(old, new);
    let mut lines = Vec::new();
    let (mut from, mut to) = (0, 0);
    for (at_old, at_new) in kept.into_iter().chain([(old.len(), new.len())]) {
        lines.extend((from..at_old).map(|index| line(Sign::Removed, head + index, old[index])));
        lines.extend((to..at_new).map(|index| line(Sign::Added, head + index, new[index])));
        (from, to) = (at_old + 1, at_new + 1);
    }
    lines
}

fn line(sign: Sign, index: usize, text: &str) -> DiffLine {
    DiffLine { sign, number: index + 1, text: text.trim_end_matches(['\n', '\r']).to_owned() }
}

/// The longest common subsequence, as pairs of indices.
fn kept_pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let width = new.len() + 1;
    // The length of the longest one from here on.
    let mut length = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            length[i * width + j] = if old[i] == new[j] {
                length[(i + 1) * width + j + 1] + 1
            } else {
                length[(i + 1) * width + j].max(length[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if length[(i + 1) * width + j] >= length[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_and_new_lines_are_listed_where_they_are() {
        let shown: Vec<String> =
            diff("a\nb\nc\n", "a\nb,\nx\nc\ny").iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["-    2 b", "+    2 b,", "+    3 x", "+    5 y"]);
        assert_eq!(diff("a\n", "a\n"), []);
    }

    #[test]
    fn very_long_texts_are_not_compared_pair_by_pair() {
        let text = |word: &str| format!("{word}\n").repeat(3000);
        assert_eq!(diff(&text("a"), &text("b")).len(), 6000);
    }
}
