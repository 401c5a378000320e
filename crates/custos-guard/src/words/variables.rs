//! The variables of a shell, as far as the command line sets them.
//!
//! A variable may have several values at once: those of a loop's list, those of the branches of an `if`. A command is then judged once per
//! value; variables that got theirs together change together, so that the number of cases is that of the values and not of their
//! combinations.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::invocation::UNKNOWN;
use crate::words::parameter;

/// How many values of one variable are kept. Long before, the effort of judging them all is spent, and the person asked.
const MOST_VALUES: usize = 4096;

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Binding {
    /// One of these.
    Scalar(Vec<String>),
    /// All of these, in their order.
    Array(Vec<String>),
    /// Each of these under its key: `declare -A`.
    Map(BTreeMap<String, String>),
    /// Nothing: it was unset, and is empty wherever the two are alike.
    Unset,
}

/// The variables; copying them costs nothing until they change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    set: Rc<BTreeMap<String, Binding>>,
}

impl Variables {
    /// Finds what a variable holds; `None` if the command line does not set it.
    pub(crate) fn get(&self, name: &str) -> Option<&Binding> {
        self.set.get(name)
    }

    /// The values of a variable that takes one after the other.
    pub(crate) fn choices(&self, name: &str) -> usize {
        match self.set.get(name) {
            Some(Binding::Scalar(values)) => values.len(),
            _ => 1,
        }
    }

    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, binding: Binding) {
        Rc::make_mut(&mut self.set).insert(name.to_owned(), binding);
    }

    /// Sets a variable to one of several values.
    pub(crate) fn set_any(&mut self, name: &str, mut values: Vec<String>) {
        let mut seen = std::collections::BTreeSet::new();
        values.retain(|value| seen.insert(value.clone()));
        if values.len() > MOST_VALUES {
            values.truncate(MOST_VALUES);
            values.push(UNKNOWN.to_string());
        }
        if values.is_empty() {
            values.push(String::new());
        }
        self.set(name, Binding::Scalar(values));
    }

    /// Puts a variable back to what it was.
    pub(crate) fn restore(&mut self, name: &str, binding: Option<Binding>) {
        match binding {
            Some(binding) => self.set(name, binding),
            None => {
                Rc::make_mut(&mut self.set).remove(name);
            }
        }
    }

    /// Sets one element: under its key, or at its index. Where the index is not known, it comes last.
    pub(crate) fn put(&mut self, name: &str, key: &str, value: String) {
        let set = Rc::make_mut(&mut self.set);
        let binding = set.entry(name.to_owned()).or_insert(Binding::Unset);
        if let Binding::Scalar(values) = binding {
            *binding = Binding::Array(values.first().cloned().into_iter().collect());
        }
        match binding {
            Binding::Map(pairs) => {
                pairs.insert(key.to_owned(), value);
            }
            Binding::Array(elements) => place(elements, key, value),
            Binding::Unset | Binding::Scalar(_) => *binding = Binding::Array(vec![value]),
        }
    }

    /// Takes in what other ways through the script set: from here on, each may have been taken.
    pub(crate) fn join(&mut self, ways: &[Self]) {
        let all_alike = ways.iter().all(|way| Rc::ptr_eq(&way.set, &self.set));
        if all_alike {
            return;
        }
        let names: std::collections::BTreeSet<&String> = ways.iter().flat_map(|way| way.set.keys()).collect();
        let mut joined: Vec<(String, Vec<String>)> = Vec::new();
        for name in names {
            let mut values = Vec::new();
            for way in ways {
                match way.set.get(name) {
                    Some(Binding::Scalar(own)) => values.extend(own.iter().cloned()),
                    Some(Binding::Array(own)) => values.push(own.join(" ")),
                    Some(Binding::Map(own)) => {
                        values.push(own.values().map(String::as_str).collect::<Vec<_>>().join(" "));
                    }
                    Some(Binding::Unset) => values.push(String::new()),
                    None => values.push(UNKNOWN.to_string()),
                }
            }
            if ways.iter().any(|way| way.set.get(name) != ways[0].set.get(name)) {
                joined.push((name.clone(), values));
            } else if let Some(binding) = ways[0].set.get(name)
                && self.set.get(name) != Some(binding)
            {
                self.set(name, binding.clone());
            }
        }
        for (name, values) in joined {
            self.set_any(&name, values);
        }
    }
}

/// Puts an element at an index of an array, if that is known and has no gap before it, or behind the last.
pub(crate) fn place(elements: &mut Vec<String>, index: &str, value: String) {
    let known = parameter::number(index).and_then(|index| usize::try_from(index).ok());
    match known.and_then(|index| elements.get_mut(index)) {
        Some(element) => *element = value,
        None => elements.push(value),
    }
}
