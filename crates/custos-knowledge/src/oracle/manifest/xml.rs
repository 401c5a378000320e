//! As much of XML as project files need: elements and their text, by scanning. Nothing is expanded, nothing is fetched.

/// An element without children, or the start of one.
pub(super) struct Element<'a> {
    /// The name.
    pub(super) name: &'a str,
    /// The attributes as they are written.
    attributes: &'a str,
    /// The text up to the next tag.
    pub(super) text: &'a str,
    /// Where it begins.
    pub(super) at: usize,
    /// Whether this is an end tag.
    pub(super) closes: bool,
}

impl<'a> Element<'a> {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        while let Some(at) = rest.find(name) {
            let starts = at == 0 || rest[..at].ends_with(char::is_whitespace);
            rest = &rest[at + name.len()..];
            let Some(value) = rest.trim_start().strip_prefix('=').map(str::trim_start).filter(|_| starts)
            else {
                continue;
            };
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            return value[1..].split(quote).next();
        }
        None
    }
}

/// Goes through the tags of a document, in order; comments are stepped over.
pub(super) fn elements(text: &str) -> impl Iterator<Item = Element<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text[from..].find('<')?;
            let rest = &text[at + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                from = at + 4 + comment.find("-->")? + 3;
                continue;
            }
            let end = rest.find('>')?;
            from = at + 1 + end + 1;
            let tag = rest[..end].trim_end_matches('/');
            if tag.starts_with(['!', '?']) {
                continue;
            }
            let (closes, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
            let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            let text = text[from..].split('<').next().unwrap_or_default().trim();
            return Some(Element { name, attributes, text, at, closes });
        }
    })
}
