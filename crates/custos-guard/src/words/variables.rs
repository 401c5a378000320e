//! The variables of a shell, as far as the command line sets them.
//!
//! A variable may have several values at once: those of a loop's list, those of the branches of an `if`. A command is then judged once per
//! value; variables that got theirs together change together, so that the number of cases is that of the values and not of their
//! combinations.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::invocation::UNKNOWN;

/// How many values of one variable are kept. Long before, the effort of judging them all is spent, and the person asked.
const MOST_VALUES: usize = 4096;

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Binding {
    /// One of these.
    Scalar(Vec<String>),
    /// All of these, in their order.
    Array(Vec<String>),
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

    /// Forgets a variable: it is unset, and therefore empty.
    pub(crate) fn unset(&mut self, name: &str) {
        self.set(name, Binding::Scalar(vec![String::new()]));
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
