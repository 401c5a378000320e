//! Ruby: `Gemfile`, gemspecs, `Rakefile`.

use super::super::findings::{Origin, Purpose};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose;
use super::super::walk::{folder_of, join};
use super::quoted::{assigned, call, first, texts, unquoted};

/// Reads `Gemfile`.
pub(super) fn gemfile(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Ruby, page);
    for (number, line) in page.lines() {
        let source = page.line(number);
        if let Some(rest) = call(line, "gem") {
            let mut quoted = texts(rest);
            let Some(name) = quoted.next() else { continue };
            let version = quoted
                .next()
                .filter(|text| text.contains(|c: char| c.is_ascii_digit()) && !text.contains('/'));
            notes.depends(Ecosystem::Ruby, name, version, source.clone());
            tool(page, name, source, notes);
        } else if let Some(version) =
            // `ruby file: ".ruby-version"` names a file, which is read by itself.
            call(line, "ruby").filter(|rest| rest.starts_with(['"', '\''])).and_then(first)
        {
            notes.version("Ruby", version, source);
        }
    }
    if page.tree.has(&join(page.folder(), "bin/rails")) {
        rails(page, notes);
    }
}

/// Notes how a gem's program is called.
fn tool(page: &Page<'_>, gem: &str, source: super::super::findings::Source, notes: &mut Notes) {
    let (purpose, command) = match gem {
        "rspec" | "rspec-rails" => (Purpose::Test, "bundle exec rspec"),
        "rubocop" | "rubocop-rails" | "rubocop-rails-omakase" => (Purpose::Lint, "bundle exec rubocop"),
        "standard" => (Purpose::Lint, "bundle exec standardrb"),
        _ => return,
    };
    notes.command(purpose, Origin::Configured, page.folder(), (command, None), source);
}

fn rails(page: &Page<'_>, notes: &mut Notes) {
    let program = super::super::foreign::source(&join(page.folder(), "bin/rails"), None);
    let inside = |folder: &str| {
        let prefix = join(page.folder(), folder);
        page.tree.files.iter().any(|path| folder_of(path).starts_with(&prefix))
    };
    if inside("test") {
        let command = ("bin/rails test", None);
        notes.command(Purpose::Test, Origin::Configured, page.folder(), command, program.clone());
    }
    notes.command(Purpose::Run, Origin::Configured, page.folder(), ("bin/rails server", None), program);
}

/// Reads a gemspec.
pub(super) fn gemspec(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Ruby, page);
    for (number, line) in page.lines() {
        let source = page.line(number);
        // `spec.summary = "…"`: the variable before the dot has any name.
        let Some((_, setting)) = line.split_once('.') else { continue };
        if let Some(text) = assigned(setting, "summary").and_then(first) {
            notes.about(page.folder(), text, source);
        } else if let Some(version) = assigned(setting, "required_ruby_version").and_then(first) {
            notes.version("Ruby", version, source);
        } else if let Some(programs) = assigned(setting, "executables") {
            executables(programs, page, &source, notes);
        } else if let Some(licence) = assigned(setting, "license").and_then(first) {
            notes.licence(licence, source);
        } else if let Some(rest) = ["add_dependency", "add_development_dependency", "add_runtime_dependency"]
            .iter()
            .find_map(|name| call(setting, name))
        {
            let mut quoted = texts(rest);
            if let Some(name) = quoted.next() {
                notes.depends(Ecosystem::Ruby, name, quoted.next(), source.clone());
                tool(page, name, source, notes);
            }
        }
    }
}

/// Notes programs: `["shop"]`, `%w[shop till]`. They lie in `exe` or `bin`.
fn executables(programs: &str, page: &Page<'_>, source: &super::super::findings::Source, notes: &mut Notes) {
    let words = programs.strip_prefix("%w").and_then(|rest| rest.get(1..)?.split([']', ')', '}']).next());
    let names: Vec<&str> = match words {
        Some(words) => words.split_whitespace().collect(),
        None => texts(programs).collect(),
    };
    for name in names {
        let paths = ["exe", "bin"].map(|folder| join(page.folder(), &join(folder, name)));
        if let Some(path) = paths.iter().find(|path| page.tree.has(path)) {
            notes.entry(path, &format!("program {name}"), source.clone());
        }
    }
}

/// Reads `Rakefile`: tasks, and the classes that make them.
pub(super) fn rakefile(page: &Page<'_>, notes: &mut Notes) {
    for (number, line) in page.lines() {
        let name = if line.starts_with("Rake::TestTask.new") {
            Some(symbol(line).unwrap_or("test"))
        } else if line.starts_with("RSpec::Core::RakeTask.new") {
            Some(symbol(line).unwrap_or("spec"))
        } else if line.starts_with("RuboCop::RakeTask.new") {
            Some(symbol(line).unwrap_or("rubocop"))
        } else {
            call(line, "task").map(|rest| {
                unquoted(
                    rest.trim_start_matches(':').split([' ', ',', ':', '=', ')']).next().unwrap_or_default(),
                )
            })
        };
        if let Some(name) = name
            && let Some(purpose) = purpose::of_name(name)
        {
            let runner = if page.beside("Gemfile") { "bundle exec rake" } else { "rake" };
            notes.command(
                purpose,
                Origin::Named,
                page.folder(),
                (&format!("{runner} {name}"), None),
                page.line(number),
            );
        }
    }
}

/// The `:name` in brackets.
fn symbol(line: &str) -> Option<&str> {
    let rest = line.split("(:").nth(1)?;
    rest.split([')', ',', ' ']).next()
}

/// Reads `.ruby-version`.
pub(super) fn version_file(page: &Page<'_>, notes: &mut Notes) {
    notes.version(
        "Ruby",
        page.text.lines().next().unwrap_or_default().trim_start_matches("ruby-"),
        page.source(),
    );
}
