//! The reference page is what the tables say.

use std::fs;
use std::path::Path;

use custos_config::reference;

#[test]
#[expect(clippy::disallowed_methods, reason = "the one test that may renew a file of the repository")]
fn the_committed_page_is_current() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    if std::env::var_os("CUSTOS_RENEW").is_some() {
        fs::write(&page, reference()).unwrap();
    }
    let committed = fs::read_to_string(&page).unwrap_or_default();
    assert!(
        committed == reference(),
        "docs/configuration.md is stale; renew it with: CUSTOS_RENEW=1 cargo test -p custos-config reference"
    );
}
