//! SHA-256, twice: for one record, and for a whole log.
//!
//! A library that uses the processor's own instructions asks it first whether it has them. On a virtual machine each such question takes
//! 7 µs, and there are several: more than hashing one event takes without them. So an append hashes in plain code, and whoever proves
//! a log of a gigabyte asks once and is four times as fast. The plain code is here, because a library that is written to be small takes
//! twice as long for it, which is a twentieth of a hook's whole time. A test holds the two together.

use sha2::Digest;

/// A SHA-256, as the chain uses it.
pub type Hash = [u8; 32];

/// Hashes a few kilobytes, in a process that lives as long as that takes.
pub(crate) fn brief(parts: &[&[u8]]) -> Hash {
    let mut state = START;
    let mut block = [0; 64];
    let mut filled = 0;
    let mut length: u64 = 0;
    for part in parts {
        length += part.len() as u64;
        let mut rest = *part;
        while !rest.is_empty() {
            let taken = rest.len().min(64 - filled);
            block[filled..filled + taken].copy_from_slice(&rest[..taken]);
            filled += taken;
            rest = &rest[taken..];
            if filled == 64 {
                compress(&mut state, &block);
                filled = 0;
            }
        }
    }
    block[filled..].fill(0);
    block[filled] = 0x80;
    if filled >= 56 {
        compress(&mut state, &block);
        block.fill(0);
    }
    block[56..].copy_from_slice(&(length * 8).to_be_bytes());
    compress(&mut state, &block);
    let mut hash = [0; 32];
    for (bytes, word) in hash.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    hash
}

/// The state in which a hash begins (FIPS 180-4, 5.3.3).
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The constants of the rounds (FIPS 180-4, 4.2.2).
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// Takes one block into the state (FIPS 180-4, 6.2.2).
#[expect(clippy::many_single_char_names, reason = "the names of the standard")]
fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for at in 16..64 {
        let (early, late) = (words[at - 15], words[at - 2]);
        let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words[at] = words[at - 16].wrapping_add(early).wrapping_add(words[at - 7]).wrapping_add(late);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    // In each round the eight words change places. Written out eight times, only their names do, and nothing is moved.
    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $constant:expr, $word:expr) => {
            let turned = $e.rotate_right(6) ^ $e.rotate_right(11) ^ $e.rotate_right(25);
            let chosen = $g ^ ($e & ($f ^ $g));
            let one =
                $h.wrapping_add(turned).wrapping_add(chosen).wrapping_add($constant).wrapping_add($word);
            let turned = $a.rotate_right(2) ^ $a.rotate_right(13) ^ $a.rotate_right(22);
            let most = ($a & $b) ^ ($c & ($a ^ $b));
            $d = $d.wrapping_add(one);
            $h = one.wrapping_add(turned).wrapping_add(most);
        };
    }
    for (k, w) in ROUNDS.as_chunks::<8>().0.iter().zip(words.as_chunks::<8>().0) {
        round!(a b c d e f g h k[0], w[0]);
        round!(h a b c d e f g k[1], w[1]);
        round!(g h a b c d e f k[2], w[2]);
        round!(f g h a b c d e k[3], w[3]);
        round!(e f g h a b c d k[4], w[4]);
        round!(d e f g h a b c k[5], w[5]);
        round!(c d e f g h a b k[6], w[6]);
        round!(b c d e f g h a k[7], w[7]);
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(new);
    }
}

/// Hashes much.
pub(crate) fn bulk(parts: &[&[u8]]) -> Hash {
    let mut hash = sha2::Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_agree(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..4)) {
            let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(brief(&parts), bulk(&parts));
        }
    }
}
