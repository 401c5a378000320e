//! Puts the functions that a hook runs next to each other, and the constants that it reads.
//!
//! A program is loaded piece by piece: the first touch of each 64 KB of it costs about 2 µs, and what a hook needs lies scattered over many
//! megabytes. Side by side it takes a third of the pieces, which is a fifth of a hook's whole time. `hot-functions.ld` names them; a name that
//! is no longer there does no harm, and `scripts/hot-functions` makes the list anew. Constants have names only where the compiler
//! is told to keep them, as `.cargo/config.toml` does for releases.
#![expect(clippy::disallowed_methods, reason = "a build script is told everything by the environment")]

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=hot-functions.ld");
    println!("cargo::rerun-if-env-changed=CUSTOS_PLAIN_LINK");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Only GNU ld and LLD read such a script; whoever brings another linker, by a flag, gets the plain order.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let other_linker = flags.contains("fuse-ld") || flags.contains("linker=");
    if is("CARGO_CFG_TARGET_OS", "linux")
        && is("PROFILE", "release")
        && !other_linker
        && env::var_os("CUSTOS_PLAIN_LINK").is_none()
    {
        let here = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        let script = Path::new(&here).join("hot-functions.ld");
        println!("cargo::rustc-link-arg-bin=custos=-Wl,-T,{}", script.display());
    }
}
