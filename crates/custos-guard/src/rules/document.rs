//! What one rules file says: its entries and its faults, before anyone asks whether it may say so.

use custos_config::nearest::nearest;
use custos_config::shown::shown;
use custos_config::yaml::{self, Broken, Content, Node, Pair, Position};

use super::entry::{Entry, Flag, List, Ops, PACKS, Placed, Setting};
use super::glob::PathPattern;
use super::pattern::CommandPattern;
use super::problem::ProblemKind;

/// The most faults of one file that are told.
pub(crate) const MOST_FAULTS: usize = 50;
/// The most entries of one file: each costs every hook a comparison.
const MOST_ENTRIES: usize = 500;
/// The longest reason or id, in bytes.
const LONGEST_TEXT: usize = 300;

/// The keys of a rules file.
pub(crate) const KEYS: [&str; 9] =
    ["protected_branches", "deny", "ask", "allow", "read_only", "rules", "packs", "git", "commit_gate"];

/// A fault and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: Position,
    pub(crate) kind: ProblemKind,
}

/// Everything found in a file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) entries: Vec<Placed>,
    pub(crate) faults: Vec<Fault>,
}

/// Finds the entries in the text of a rules file.
pub(crate) fn read(text: &str) -> Result<Found, Broken> {
    let mut found = Found::default();
    let Some(root) = yaml::parse(text)? else { return Ok(found) };
    let Content::Mapping(pairs) = root.content() else {
        let why =
            format!("rules are keys with lists below them, like `deny:`, but this is {}", described(&root));
        return Err(Broken { at: root.at, why });
    };
    found.take_all(pairs);
    if found.entries.len() > MOST_ENTRIES {
        let at = found.entries[MOST_ENTRIES].at;
        found.entries.truncate(MOST_ENTRIES);
        found.fault(at, ProblemKind::TooManyEntries { limit: MOST_ENTRIES });
    }
    shorten(&mut found.faults);
    Ok(found)
}

/// Leaves out the faults that nobody would read any more.
pub(crate) fn shorten(faults: &mut Vec<Fault>) {
    faults.sort_by_key(|fault| fault.at);
    if let Some(at) = faults.get(MOST_FAULTS).map(|fault| fault.at) {
        faults.truncate(MOST_FAULTS);
        faults.push(Fault { at, kind: ProblemKind::TooManyProblems { limit: MOST_FAULTS } });
    }
}

impl Found {
    fn fault(&mut self, at: Position, kind: ProblemKind) {
        self.faults.push(Fault { at, kind });
    }

    fn wrong(&mut self, node: &Node, key: &str, takes: &'static str) {
        let kind = ProblemKind::Wrong { key: key.to_owned(), takes, found: described(node) };
        self.fault(node.at, kind);
    }

    fn add(&mut self, at: Position, entry: Entry) {
        self.entries.push(Placed { entry, at });
    }

    fn take_all(&mut self, pairs: &[Pair]) {
        self.each(pairs, "key", &KEYS, |found, key, node, _| match key {
            "protected_branches" => found.take_list(node, key, Self::take_branch),
            "deny" => found.take_lists(node, List::Deny),
            "ask" => found.take_lists(node, List::Ask),
            "allow" => found.take_lists(node, List::Allow),
            "read_only" => found.take_list(node, key, |found, item| found.take_path(item, List::ReadOnly)),
            "packs" => found.take_packs(node),
            "rules" => found.take_rules(node),
            section => found.take_flags(node, section),
        });
    }

    /// Goes through a mapping: names that are not known or there twice are faults.
    fn each(
        &mut self,
        pairs: &[Pair],
        what: &'static str,
        names: &[&'static str],
        mut take: impl FnMut(&mut Self, &'static str, &Node, Position),
    ) {
        let mut seen: Vec<(&str, usize)> = Vec::new();
        for Pair { key, value } in pairs {
            let given = key.text().map_or_else(|| described(key), str::to_owned);
            let Some(name) = names.iter().find(|name| **name == given) else {
                // Guessing takes time, and nobody reads the guesses of a thousand faults.
                let few = self.faults.len() < MOST_FAULTS;
                let nearest = few.then(|| nearest(&given, names.iter().copied())).flatten();
                self.fault(key.at, ProblemKind::Unknown { what, name: given, nearest });
                continue;
            };
            if let Some((_, first)) = seen.iter().find(|(seen, _)| seen == name) {
                let first = *first;
                self.fault(key.at, ProblemKind::Duplicate { key: given, first });
                continue;
            }
            seen.push((name, key.at.line));
            take(self, name, value, key.at);
        }
    }

    /// The pairs of a mapping; an empty value has none.
    fn pairs<'a>(&mut self, node: &'a Node, key: &str, takes: &'static str) -> &'a [Pair] {
        match node.content() {
            Content::Mapping(pairs) => pairs,
            _ if node.is_null() => &[],
            _ => {
                self.wrong(node, key, takes);
                &[]
            }
        }
    }

    /// Goes through a list; a single value is a list of one, and an empty one of none.
    fn take_list(&mut self, node: &Node, key: &str, mut take: impl FnMut(&mut Self, &Node)) {
        match node.content() {
            Content::Sequence(items) => items.iter().for_each(|item| take(self, item)),
            Content::Scalar { .. } if node.is_null() => {}
            Content::Scalar { .. } => take(self, node),
            _ => self.wrong(node, key, "a list"),
        }
    }

    fn take_branch(&mut self, item: &Node) {
        match item.text().filter(|_| !item.is_null()).map(Entry::branch) {
            Some(Entry::Branch(name)) if is_branch(&name) => self.add(item.at, Entry::Branch(name)),
            _ => self.wrong(item, "protected_branches", "names of branches, with `*` for any part"),
        }
    }

    fn take_lists(&mut self, node: &Node, list: List) {
        let key = list.key();
        let pairs = self.pairs(node, key, "`commands` and `paths` below it");
        self.each(pairs, "key", &["commands", "paths"], |found, name, node, _| {
            let full = format!("{key}.{name}");
            match name {
                "commands" => found.take_list(node, &full, |found, item| found.take_command(item, list)),
                _ => found.take_list(node, &full, |found, item| found.take_path(item, list)),
            }
        });
    }

    fn take_command(&mut self, item: &Node, list: List) {
        let Some(Parts { main: pattern, id, reason, .. }) = self.parts(item, list, "run") else { return };
        match CommandPattern::new(&pattern) {
            Ok(_) => self.add(item.at, Entry::Command { list, pattern, id, reason }),
            Err(why) => self.fault(item.at, ProblemKind::Pattern { pattern, why }),
        }
    }

    fn take_path(&mut self, item: &Node, list: List) {
        let Some(Parts { main: pattern, id, reason, ops }) = self.parts(item, list, "path") else { return };
        let ops = if list == List::ReadOnly { Ops::CHANGE } else { ops.unwrap_or(Ops::ANY) };
        match PathPattern::new(&pattern, None) {
            Ok(_) => self.add(item.at, Entry::Path { list, pattern, ops, id, reason }),
            Err(why) => self.fault(item.at, ProblemKind::PathPattern { pattern, why }),
        }
    }

    /// Reads an item of a list: a pattern, or a mapping with the pattern and more.
    fn parts(&mut self, item: &Node, list: List, main: &'static str) -> Option<Parts> {
        let (key, names): (_, &[&'static str]) = match (main, list) {
            ("run", List::Allow) => ("commands", &["run", "reason"]),
            ("run", _) => ("commands", &["run", "id", "reason"]),
            (_, List::ReadOnly) => ("read_only", &["path", "id", "reason"]),
            (_, List::Allow) => ("paths", &["path", "op", "reason"]),
            _ => ("paths", &["path", "op", "id", "reason"]),
        };
        let takes =
            if main == "run" { "patterns or `{run: PATTERN}`" } else { "patterns or `{path: PATTERN}`" };
        let pairs = match item.content() {
            Content::Mapping(pairs) => pairs,
            Content::Scalar { text, .. } if !item.is_null() => {
                return Some(Parts { main: text.clone(), ..Parts::default() });
            }
            _ => {
                self.wrong(item, key, takes);
                return None;
            }
        };
        let mut parts = Parts::default();
        let mut pattern = None;
        self.each(pairs, "key", names, |found, name, node, _| match name {
            "op" => parts.ops = found.ops(node),
            "id" => parts.id = found.text(node, "id"),
            "reason" => parts.reason = found.text(node, "reason"),
            _ => pattern = node.text().filter(|_| !node.is_null()).map(str::to_owned),
        });
        if pattern.is_none() {
            self.wrong(item, key, takes);
        }
        pattern.map(|main| Parts { main, ..parts })
    }

    fn text(&mut self, node: &Node, key: &'static str) -> Option<String> {
        let text = node.text().filter(|text| !node.is_null() && text.len() <= LONGEST_TEXT);
        if text.is_none() {
            self.wrong(node, key, "a short text");
        }
        text.map(str::to_owned)
    }

    /// Reads one op or a list of them. One that is not understood counts as all, so that nothing is left unprotected by a slip.
    fn ops(&mut self, node: &Node) -> Option<Ops> {
        let words: Vec<_> = match node.content() {
            Content::Sequence(items) => items.iter().map(Node::text).collect(),
            _ => vec![node.text()],
        };
        let ops =
            words.into_iter().map(|word| word.and_then(Ops::of)).reduce(|one, other| Some(one?.and(other?)));
        if ops.flatten().is_none() {
            self.wrong(node, "op", "read, write, delete, any, or a list of them");
        }
        ops.flatten()
    }

    fn take_packs(&mut self, node: &Node) {
        let pairs = self.pairs(node, "packs", "packs with off, ask or deny");
        self.each(pairs, "pack", &PACKS, |found, name, value, at| {
            if let Some(to) = found.setting(value, &format!("packs.{name}")) {
                found.add(at, Entry::Pack { name: name.to_owned(), to });
            }
        });
    }

    /// Reads the adjustments of rules. Whether there are such rules, the catalogue knows, later.
    fn take_rules(&mut self, node: &Node) {
        let pairs = self.pairs(node, "rules", "ids of rules with off, ask or deny");
        let mut seen: Vec<(&str, usize)> = Vec::new();
        for Pair { key, value } in pairs {
            let Some(id) = key.text() else {
                self.wrong(key, "rules", "ids of rules with off, ask or deny");
                continue;
            };
            if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == id) {
                let first = *first;
                self.fault(key.at, ProblemKind::Duplicate { key: id.to_owned(), first });
                continue;
            }
            // A file of nothing but such keys would be gone through over and over.
            if seen.len() > MOST_ENTRIES {
                return;
            }
            seen.push((id, key.at.line));
            if let Some(to) = self.setting(value, "rules") {
                self.add(key.at, Entry::Rule { id: id.to_owned(), to });
            }
        }
    }

    fn setting(&mut self, node: &Node, key: &str) -> Option<Setting> {
        let setting = node.text().and_then(Setting::of);
        if setting.is_none() {
            self.wrong(node, key, "off, ask or deny");
        }
        setting
    }

    fn take_flags(&mut self, node: &Node, section: &'static str) {
        let names: Vec<_> = Flag::ALL
            .into_iter()
            .map(Flag::key)
            .filter(|(of, _)| *of == section)
            .map(|(_, name)| name)
            .collect();
        let pairs = self.pairs(node, section, "keys with true or false");
        self.each(pairs, "flag", &names, |found, name, value, at| {
            let Some(flag) = Flag::of(section, name) else { return };
            match value.text() {
                Some("true") => found.add(at, Entry::Flag { flag, value: true }),
                Some("false") => found.add(at, Entry::Flag { flag, value: false }),
                _ => found.wrong(value, &flag.to_string(), "true or false"),
            }
        });
    }
}

/// Says in words what a value is. Numbers mean nothing here: whatever is written is a text.
fn described(node: &Node) -> String {
    match node.text() {
        Some(text) if !node.is_null() => format!("\"{}\"", shown(text)),
        _ => node.describe(),
    }
}

/// The parts of an item of a list.
#[derive(Default)]
struct Parts {
    main: String,
    ops: Option<Ops>,
    id: Option<String>,
    reason: Option<String>,
}

/// Says whether a text can be the name of a branch, or a pattern for one.
pub(crate) fn is_branch(name: &str) -> bool {
    const LONGEST: usize = 200;
    !name.is_empty()
        && name.len() <= LONGEST
        && !name.starts_with('-')
        && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "~^:?[\\".contains(c))
}
