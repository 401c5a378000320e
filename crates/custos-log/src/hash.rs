//! SHA-256, twice: for one record, and for a whole log.
//!
//! A library that uses the processor's own instructions asks it first whether it has them. On a virtual machine each such question takes
//! 7 µs, and there are several: more than hashing one event takes without them. So an append hashes in plain code, and whoever proves
//! a log of a gigabyte asks once and is four times as fast. A test holds the two together.

use sha2::Digest;

/// A SHA-256, as the chain uses it.
pub type Hash = [u8; 32];

/// Hashes a few kilobytes, in a process that lives as long as that takes.
pub(crate) fn brief(parts: &[&[u8]]) -> Hash {
    let mut hash = hmac_sha256::Hash::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize()
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
