//! Arguments that leaked into each other, put back where they belong.
//!
//! A model that loses count of its tags sends two arguments as one: `description` ends with `</parameter>` and goes on with the markup of
//! `body`, or it goes on without an end. What follows belongs to `body`, so it is given to it if nothing else was sent for it. Else it is cut
//! off, and the answer says what was: nothing goes without a word.

use custos_knowledge::text::{Leaked, leaked, strip_markup};
use serde_json::{Map, Value};

use crate::answer::one_line;
use crate::fields::Field;

/// How much is shown of what was cut off, in characters.
const SHOWN: usize = 200;

/// Takes the arguments of a call apart that leaked into each other. Gives what there is to say about it.
pub(crate) fn put_back(fields: &[Field], sent: &mut Map<String, Value>) -> Vec<String> {
    let mut notes = Vec::new();
    for field in fields {
        let mut found = Vec::new();
        let is_other = |name: &str| name != field.name && fields.iter().any(|field| field.name == name);
        match sent.get_mut(field.name) {
            Some(Value::String(text)) => found.extend(cut(text, is_other)),
            Some(Value::Array(items)) => {
                for item in items {
                    if let Value::String(text) = item {
                        found.extend(cut(text, is_other));
                    }
                }
            }
            _ => {}
        }
        notes
            .extend(found.into_iter().filter_map(|(name, text)| place(fields, sent, field.name, name, text)));
    }
    notes
}

/// Cuts a text where another argument begins in it, and gives what it was: names and texts.
fn cut(text: &mut String, is_other: impl Fn(&str) -> bool) -> Vec<(Option<String>, String)> {
    let Some((end, others)) = leaked(text, is_other) else { return Vec::new() };
    // What leaked into a part of a list is that part's business.
    if matches!(serde_json::from_str(text), Ok(Value::Array(_) | Value::Object(_))) {
        return Vec::new();
    }
    let others = others.into_iter().map(|Leaked { name, text }| (name.map(str::to_owned), text)).collect();
    *text = strip_markup(&text[..end]).trim_end().to_owned();
    others
}

/// Gives a text to the argument that it belongs to, if nothing was sent for it. Says what became of it.
fn place(
    fields: &[Field],
    sent: &mut Map<String, Value>,
    from: &str,
    name: Option<String>,
    text: String,
) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let shown = one_line(&text, SHOWN);
    let Some(name) = name else {
        return Some(format!(
            "What had leaked into {from} from another call was cut off, send that call by itself: {shown}"
        ));
    };
    if !fields.iter().any(|field| field.name == name) {
        return Some(format!(
            "What had leaked into {from} as {name} was cut off, for there is no such argument: {shown}"
        ));
    }
    match sent.get(&name) {
        Some(Value::String(there)) if there.trim() == text => None,
        Some(there) if !is_nothing(there) => Some(format!(
            "What had leaked into {from} as {name} was cut off, for {name} was sent as well: {shown}"
        )),
        _ => {
            let note = format!("{name} had leaked into {from} as markup, and was taken from there");
            sent.insert(name, Value::String(text));
            Some(note)
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fields::{Arguments, Type, may, need};

    const FIELDS: &[Field] = &[
        need("type", Type::OneOf(&["feedback", "pattern"]), ""),
        need("title", Type::Text, ""),
        need("description", Type::Text, ""),
        may("body", Type::Text, ""),
        may("keywords", Type::Texts, ""),
        may("items", Type::Objects(&[]), ""),
    ];

    /// What is read of a call of which this is sent as well, and what is said about it.
    fn read(more: &Value) -> (Value, Vec<String>) {
        let mut sent = json!({ "type": "feedback", "title": "Leak", "description": "Do X." });
        sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let Value::Object(sent) = sent else { panic!("a test sends an object") };
        let read = Arguments::check("save", FIELDS, sent).unwrap();
        let texts = ["type", "title", "description", "body"].map(|name| (name, json!(read.text(name))));
        let all = texts.into_iter().chain([("keywords", json!(read.texts("keywords")))]);
        let all = all.filter(|(_, value)| value != "" && *value != json!([]));
        (all.map(|(name, value)| (name.to_owned(), value)).collect(), read.notes().to_vec())
    }

    #[test]
    fn what_leaked_goes_where_it_belongs() {
        let leaks = [
            json!({ "description": "Do X.</parameter>\n<parameter name=\"body\">Details\nthat matter" }),
            json!({ "description": "Do X.</description>\n<parameter name=\"body\">Details\nthat matter</parameter>\n</invoke>" }),
            json!({ "description": "Do X.</parameter><parameter name=\"body\">Details\nthat matter", "body": " " }),
            json!({ "description": "Do X.\n<parameter name=\"body\">Details\nthat matter</parameter>" }),
            json!({ "description": "Do X.\n<parameter name=\"body\">Details\nthat matter", "body": null }),
        ];
        for leak in leaks {
            let whole = json!({ "type": "feedback", "title": "Leak", "description": "Do X.", "body": "Details\nthat matter" });
            let note = "body had leaked into description as markup, and was taken from there".to_owned();
            assert_eq!(read(&leak), (whole, vec![note]));
        }
        let (taken, notes) = read(&json!({
            "type": "pattern</type>\n<parameter name=\"title\">Leak three</title>\n<parameter name=\"description\">hello</parameter>\n<parameter name=\"keywords\">[\"a\", \"b\"]",
            "title": null, "description": "",
        }));
        assert_eq!(
            taken,
            json!({ "type": "pattern", "title": "Leak three", "description": "hello", "keywords": ["a", "b"] })
        );
        assert_eq!(notes.len(), 3);
    }

    #[test]
    fn what_has_no_place_is_cut_off_with_a_word() {
        let (taken, notes) = read(&json!({
            "description": "Do X.</parameter>\n<parameter name=\"body\">Another</parameter>\n<parameter name=\"colour\">red</parameter>\n</invoke>\n<invoke name=\"save\">\n<parameter name=\"title\">Two",
            "body": "Details",
            "keywords": ["a", "b</parameter>\n<parameter name=\"title\">Leak"],
        }));
        assert_eq!(
            taken,
            json!({ "type": "feedback", "title": "Leak", "description": "Do X.", "body": "Details", "keywords": ["a", "b"] })
        );
        assert_eq!(
            notes,
            [
                "What had leaked into description as body was cut off, for body was sent as well: Another",
                "What had leaked into description as colour was cut off, for there is no such argument: red",
                "What had leaked into description from another call was cut off, send that call by itself: Two",
            ]
        );
    }

    #[test]
    fn code_and_the_text_of_a_list_are_left_alone() {
        let quoted = "Close it with `</parameter><parameter name=\"body\">`.";
        let list = "[\"a</parameter><parameter name='body'>b\"]";
        let (taken, notes) = read(&json!({ "description": quoted, "keywords": list }));
        assert_eq!((&taken["description"], taken.get("body"), notes), (&json!(quoted), None, Vec::new()));
    }
}
