//! Why something failed.
//!
//! What tools print is long, and the cause stands in one line of it: sometimes the first (a compiler), sometimes the last
//! (`Caused by:`), sometimes in the middle (a test). Each module below knows one family of tools; [`failure`] asks them in the order of
//! how much they know, from test runners and compilers over stack traces to single lines, and takes the first that recognises its own.
//! A message is [tidied](lines::tidy) of what differs from run to run, so that the [same] trouble is recognised again.

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
        .filter(|known| known.signs.iter().any(|sign| text.contains(sign)))
        .find_map(|known| (known.read)(&lines).filter(|found| !found.message.trim().is_empty()))?;
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

/// One family of tools: without one of these signs somewhere it is not asked.
struct Recogniser {
    signs: &'static [&'static str],
    read: fn(&[&str]) -> Option<Failure>,
}

const fn known(read: fn(&[&str]) -> Option<Failure>, signs: &'static [&'static str]) -> Recogniser {
    Recogniser { signs, read }
}

/// Those that know more come first: a build that fails prints the compiler's error, then that of every tool around it.
const RECOGNISERS: &[Recogniser] = &[
    known(rust::compiling, &["error"]),
    known(rust::testing, &["panicked at ", "FAILED", "FAIL ["]),
    known(go::racing, &["DATA RACE"]),
    known(go::testing, &["--- FAIL"]),
    known(javascript::jest, &["● "]),
    known(javascript::vitest, &["FAIL "]),
    known(javascript::playwright, &[" › "]),
    known(javascript::mocha, &[" failing"]),
    known(python::pytest, &["E   ", "FAILED ", "ERROR "]),
    known(ruby_php::rspec, &["Failure/Error:"]),
    known(ruby_php::minitest, &["Failure:", "Error:"]),
    known(ruby_php::phpunit, &["::"]),
    known(dotnet::testing, &["Error Message:"]),
    known(jvm::testing, &[" FAILED", "[ERROR]"]),
    known(runners::elixir, &[") test "]),
    known(runners::tap, &["not ok "]),
    known(native::coded, &["error "]),
    known(native::located, &["rror: ", "rror:", "rror["]),
    known(jvm::compiling, &["[ERROR]", "[error]", "e: "]),
    known(go::compiling, &[".go:", "go: "]),
    known(javascript::eslint, &["error", "✖"]),
    known(javascript::bundling, &["[ERROR]", "Failed to compile", "ERROR in", "Module not found", "vite"]),
    known(python::traceback, &["File \""]),
    known(jvm::traced, &["at "]),
    known(dotnet::traced, &["xception"]),
    known(go::panicking, &["panic: ", "fatal error: "]),
    known(javascript::traced, &["Error", "Exception"]),
    known(ruby_php::ruby, &[":in "]),
    known(ruby_php::php, &["atal error:", "arse error:", "syntax error,"]),
    known(
        native::linking,
        &["undefined ", "Undefined ", "unresolved ", "ld: ", "cannot find -l", "multiple definition"],
    ),
    known(single::package_managers, &["npm ", "ERROR: ", "ERR_PNPM_", "➤ YN", "× "]),
    known(native::cmake, &["CMake Error"]),
    known(jvm::gradle, &["What went wrong", "BUILD FAILURE"]),
    known(single::tools, single::TOOL_SIGNS),
    known(native::make, &["*** "]),
    known(single::shell, single::SHELL),
    known(generic::last, generic::SIGNS),
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
