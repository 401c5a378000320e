//! TOML manifests, with the line of a key.

use toml_edit::{Document, Item, TableLike};

use super::super::findings::Source;
use super::super::notes::Page;

/// A manifest in TOML.
pub(super) struct Manifest<'p, 'a> {
    page: &'p Page<'a>,
    document: Document<&'a str>,
}

impl<'p, 'a> Manifest<'p, 'a> {
    /// Reads a page.
    pub(super) fn read(page: &'p Page<'a>) -> Result<Self, String> {
        match Document::parse(page.text) {
            Ok(document) => Ok(Self { page, document }),
            Err(error) => Err(match error.span() {
                Some(span) => format!("line {} is not valid TOML", page.at(span.start).line.unwrap_or(1)),
                None => "it is not valid TOML".to_owned(),
            }),
        }
    }

    /// The item at a path of keys.
    pub(super) fn item(&self, keys: &[&str]) -> Option<&Item> {
        let mut item = self.document.as_item();
        for key in keys {
            item = item.as_table_like()?.get(key)?;
        }
        Some(item)
    }

    /// The text at a path of keys.
    pub(super) fn text(&self, keys: &[&str]) -> Option<&str> {
        self.item(keys)?.as_str()
    }

    /// The keys and items of the table at a path of keys, in the order of the file.
    pub(super) fn entries(&self, keys: &[&str]) -> impl Iterator<Item = (&str, &Item)> {
        self.item(keys).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter)
    }

    /// The texts of the list at a path of keys.
    pub(super) fn list(&self, keys: &[&str]) -> Vec<&str> {
        self.item(keys).map(texts).unwrap_or_default()
    }

    /// Where a path of keys is.
    pub(super) fn source(&self, keys: &[&str]) -> Source {
        let Some((last, path)) = keys.split_last() else { return self.page.source() };
        let table = self.item(path).and_then(Item::as_table_like);
        let key = table.and_then(|table| table.key(last)).and_then(toml_edit::Key::span);
        match key.or_else(|| self.item(keys).and_then(Item::span)) {
            Some(span) => self.page.at(span.start),
            None => self.page.source(),
        }
    }
}

/// The texts of a list.
pub(super) fn texts(item: &Item) -> Vec<&str> {
    item.as_array().into_iter().flatten().filter_map(toml_edit::Value::as_str).collect()
}

/// The version of a dependency: `"1.2"`, or the `version` of a table.
pub(super) fn version(item: &Item) -> Option<&str> {
    item.as_str().or_else(|| item.as_table_like()?.get("version")?.as_str())
}
