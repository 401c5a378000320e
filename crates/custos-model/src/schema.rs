//! The envelope as JSON Schema, for programs that read the log or send drafts.
//!
//! Generated from the types and committed as `docs/schema/event-1.0.0.json`; a test fails when the two disagree.

use std::borrow::Cow;

use crate::event::Event;
use crate::kind::Kind;
use crate::version::SchemaVersion;

/// Stands for [`Kind`] in the schema: a list of names, each with its meaning.
pub struct KindName;

impl schemars::JsonSchema for KindName {
    fn schema_name() -> Cow<'static, str> {
        "Kind".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<serde_json::Value> = Kind::ALL
            .iter()
            .map(|kind| serde_json::json!({ "const": kind.name(), "description": kind.meaning() }))
            .collect();
        schemars::json_schema!({ "description": "What happened.", "oneOf": names })
    }
}

/// Renders the JSON Schema of an event, as it is committed.
pub fn event_schema() -> Result<String, serde_json::Error> {
    let mut schema = schemars::schema_for!(Event<'static>);
    let version = SchemaVersion::CURRENT;
    schema.insert("title".into(), format!("Custos event {version}").into());
    schema.insert(
        "description".into(),
        "One line of the log. A record also carries its chain (prev, commitment, salt); one that was forgotten keeps \
         only v, id, seq, ts, kind, prev and commitment, and says \"forgotten\": true."
            .into(),
    );
    serde_json::to_string_pretty(&schema).map(|text| text + "\n")
}
