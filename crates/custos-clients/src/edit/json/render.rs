//! How new text is to look among the old.

use serde_json::Value;

use super::super::text::{line_start, newline_of};
use super::document::{Document, Node};

/// The habits of a text.
pub(super) struct Style {
    pub(super) newline: &'static str,
    /// What one level is indented by.
    pub(super) unit: String,
    /// No space after colons and commas.
    pub(super) tight: bool,
    /// Everything stands on one line.
    pub(super) one_line: bool,
}

/// What is put into a container.
#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Member(&'a str, &'a Value),
    Element(&'a Value),
}

impl Style {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let text = document.text;
        let mut style =
            Self { newline: newline_of(text), unit: "  ".to_owned(), tight: false, one_line: false };
        let root = document.root.as_ref().and_then(|root| Some((Node(root), root.as_object()?)));
        if let Some((root, object)) = root
            && let (Some(first), Some(item)) = (object.properties.first(), root.inside().items.first())
        {
            let value = Node(&first.value).range();
            style.tight = text[..value.start].ends_with(':');
            style.one_line = !text[root.range()].contains('\n');
            let indent = indent_at(text, item.start).strip_prefix(indent_at(text, root.range().start));
            if let Some(unit) = indent.filter(|unit| !unit.is_empty()) {
                unit.clone_into(&mut style.unit);
            }
        }
        style
    }

    /// What stands between two things on one line.
    pub(super) fn gap(&self) -> &'static str {
        if self.tight { "" } else { " " }
    }

    /// Writes a piece on several lines, the first of which is already indented by `indent`, or on one line.
    pub(super) fn piece(&self, piece: Piece<'_>, indent: Option<&str>) -> String {
        let mut out = String::new();
        match piece {
            Piece::Element(value) => self.write(value, indent, &mut out),
            Piece::Member(key, value) => self.write_member(key, value, indent, &mut out),
        }
        out
    }

    fn write_member(&self, key: &str, value: &Value, indent: Option<&str>, out: &mut String) {
        out.push_str(&Value::from(key).to_string());
        out.push(':');
        // Apart from text on one line that does without it, everybody puts a space there.
        out.push_str(if indent.is_some() { " " } else { self.gap() });
        self.write(value, indent, out);
    }

    fn write(&self, value: &Value, indent: Option<&str>, out: &mut String) {
        match value {
            Value::Array(elements) => {
                let write =
                    |element, indent: Option<&str>, out: &mut String| self.write(element, indent, out);
                self.write_all(['[', ']'], elements, indent, out, write);
            }
            Value::Object(members) => {
                let write = |(key, value): (&String, &Value), indent: Option<&str>, out: &mut String| {
                    self.write_member(key, value, indent, out);
                };
                self.write_all(['{', '}'], members, indent, out, write);
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }

    fn write_all<I: IntoIterator>(
        &self,
        [open, close]: [char; 2],
        items: I,
        indent: Option<&str>,
        out: &mut String,
        write: impl Fn(I::Item, Option<&str>, &mut String),
    ) {
        out.push(open);
        let deeper = indent.map(|indent| [indent, &self.unit].concat());
        let mut any = false;
        for item in items {
            if any {
                out.push(',');
            }
            match &deeper {
                Some(indent) => out.extend([self.newline, indent]),
                None if any => out.push_str(self.gap()),
                None => {}
            }
            write(item, deeper.as_deref(), out);
            any = true;
        }
        if let (true, Some(indent)) = (any, indent) {
            out.extend([self.newline, indent]);
        }
        out.push(close);
    }
}

/// What the line of a byte is indented by.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
