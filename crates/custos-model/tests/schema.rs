//! The committed JSON Schema is the one that the types give.
#![cfg(feature = "schema")]

use std::path::Path;

#[test]
#[expect(clippy::disallowed_methods, reason = "the one switch of this test, documented in its message")]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/event-1.0.0.json");
    let generated = custos_model::schema::event_schema().unwrap();
    if std::env::var_os("CUSTOS_RENEW").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/schema/event-1.0.0.json is stale; renew it with\n  CUSTOS_RENEW=1 cargo test -p custos-model --features schema"
    );
}
