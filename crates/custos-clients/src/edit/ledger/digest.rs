//! A fingerprint of what was written.
//!
//! It answers one question: has anybody changed this file since? No one gains anything by forging the answer, so a checksum that
//! is the same in every version of the program does; with the length, a chance match is out of the question.

use serde::{Deserialize, Serialize};

/// Length and FNV-1a checksum of some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Digest(String);

impl Digest {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(format!("fnv1a64:{}:{hash:016x}", bytes.len()))
    }
}
