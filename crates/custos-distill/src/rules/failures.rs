//! Why something failed.
//!
//! What tools print is long, and the cause stands in one line of it: sometimes the first (a compiler), sometimes the last
//! (`Caused by:`), sometimes in the middle (a test). Each module below knows one family of tools; [`failure`] asks them in the order of
//! how much they know, from test runners and compilers over stack traces to single lines, and takes the first that recognises its own.
//! A message is [tidied](lines::tidy) of what differs from run to run, so that the [same](same) trouble is recognised again.

mod dotnet;
mod generic;
mod go;
mod javascript;
mod jvm;
mod lines;
mod native;
mod places;
mod python;
mod ruby_php;
mod runners;
mod rust;
mod single;
#[cfg(test)]
mod tests;

use lines::{cleaned, tidy};

/// A file and a line in it.
type Place = (String, Option<u32>);

/// A cause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The final cause: one line of at most 200 characters.
    pub(crate) message: String,
    /// What the tool calls it, such as `E0502` or `TS2345`.
    pub(crate) code: Option<String>,
    /// Where it is: a file of the project rather than of its dependencies, as printed, and the line.
    pub(crate) place: Option<Place>,
    /// The tests that failed.
    pub(crate) tests: Vec<String>,
}

/// So many failing tests are named.
const MOST_TESTS: usize = 12;

/// Finds why something failed in what it printed.
pub(crate) fn failure(output: &str) -> Option<Failure> {
    let text = cleaned(output);
    let lines: Vec<&str> = text.lines().map(lines::bounded).collect();
    let mut found = RECOGNISERS
        .iter()
        .find_map(|recognise| recognise(&lines).filter(|found| !found.message.trim().is_empty()))?;
    found.message = tidy(&found.message);
    if let Some((file, _)) = &mut found.place {
        *file = places::shown(file);
    }
    let mut tests: Vec<String> = Vec::new();
    for test in found.tests {
        let test = test.trim().to_owned();
        if !test.is_empty() && !tests.contains(&test) && tests.len() < MOST_TESTS {
            tests.push(test);
        }
    }
    found.tests = tests;
    Some(found)
}

type Recogniser = fn(&[&str]) -> Option<Failure>;

/// Those that know more come first: a build that fails prints the compiler's error, then that of every tool around it.
const RECOGNISERS: &[Recogniser] = &[
    rust::compiling,
    rust::testing,
    go::racing,
    go::testing,
    javascript::jest,
    javascript::vitest,
    javascript::playwright,
    javascript::mocha,
    python::pytest,
    ruby_php::rspec,
    ruby_php::minitest,
    ruby_php::phpunit,
    dotnet::testing,
    jvm::testing,
    runners::elixir,
    runners::tap,
    native::coded,
    native::located,
    jvm::compiling,
    go::compiling,
    javascript::eslint,
    javascript::bundling,
    python::traceback,
    jvm::traced,
    dotnet::traced,
    go::panicking,
    javascript::traced,
    ruby_php::ruby,
    ruby_php::php,
    native::linking,
    single::package_managers,
    native::cmake,
    jvm::gradle,
    single::tools,
    native::make,
    single::shell,
    generic::last,
];

/// Tells whether two failures are the same trouble.
pub(crate) fn same(a: &Failure, b: &Failure) -> bool {
    let shared = a.tests.iter().any(|test| b.tests.contains(test));
    if !a.tests.is_empty() && !b.tests.is_empty() {
        // Another cause in the same test is a step forward, not the same trouble.
        return shared
            && (lines::alike(&a.message, &b.message) || lines::kind(&a.message) == lines::kind(&b.message));
    }
    if let (Some(one), Some(other)) = (&a.code, &b.code)
        && one != other
    {
        return false;
    }
    let elsewhere = matches!((&a.place, &b.place), (Some((one, _)), Some((other, _))) if one != other);
    if elsewhere {
        return false;
    }
    lines::print(&a.message) == lines::print(&b.message)
        || (a.code.is_some() && a.code == b.code && lines::alike(&a.message, &b.message))
}
