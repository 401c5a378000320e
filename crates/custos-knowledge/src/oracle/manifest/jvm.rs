//! Java and Kotlin: Maven and Gradle.

use std::collections::BTreeMap;

use super::super::commands::wrapped;
use super::super::findings::{Origin, Purpose, Source, Topic};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose;
use super::super::walk::folder_of;
use super::quoted::{assigned, call, first, texts, unquoted};
use super::toml::Manifest;
use super::xml::elements;

/// Reads `pom.xml`.
pub(super) fn maven(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    if !page.text.contains("<project") {
        return Err("there is no `<project>` in it".to_owned());
    }
    notes.ecosystem(Ecosystem::Maven, page);
    let properties = properties(page.text);
    // A value that is defined elsewhere is not known here.
    let resolved = |text: &'_ str| -> Option<String> {
        let Some(key) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
            return (!text.contains("${")).then(|| text.to_owned());
        };
        properties.get(key).filter(|value| !value.contains("${")).map(|value| (*value).to_owned())
    };
    let mut path: Vec<&str> = Vec::new();
    let mut artefact: (Option<&str>, Option<&str>, Option<&str>, usize) = (None, None, None, 0);
    for element in elements(page.text) {
        if element.closes {
            if matches!(element.name, "dependency" | "parent" | "plugin")
                && let (Some(group), Some(name), version, at) = std::mem::take(&mut artefact)
            {
                if name == "maven-checkstyle-plugin" {
                    let command = wrapped(page.tree, page.folder(), "mvn checkstyle:check");
                    let command = (command.as_str(), None);
                    notes.command(Purpose::Lint, Origin::Configured, page.folder(), command, page.at(at));
                }
                let version = version.and_then(resolved);
                notes.depends(Ecosystem::Maven, &format!("{group}:{name}"), version.as_deref(), page.at(at));
            }
            // What was never opened closes nothing; what was never closed ends with what is around it.
            if let Some(depth) = path.iter().rposition(|open| *open == element.name) {
                path.truncate(depth);
            }
            continue;
        }
        let inside = path.last().copied().unwrap_or_default();
        let source = || page.at(element.at);
        match (inside, element.name) {
            ("dependency" | "parent" | "plugin", "groupId") => {
                artefact = (Some(element.text), artefact.1, artefact.2, element.at);
            }
            ("dependency" | "parent" | "plugin", "artifactId") => artefact.1 = Some(element.text),
            ("dependency" | "parent" | "plugin", "version") => artefact.2 = Some(element.text),
            ("project", "description") => notes.about(page.folder(), element.text, source()),
            ("project", "modules") => notes.pattern(Topic::Monorepo, "Maven modules", None, source()),
            ("properties", "java.version" | "maven.compiler.release" | "maven.compiler.source") => {
                notes.version("Java", &resolved(element.text).unwrap_or_default(), source());
            }
            ("properties", "kotlin.version") => {
                notes.version("Kotlin", &resolved(element.text).unwrap_or_default(), source());
            }
            _ => {}
        }
        let written = &page.text[element.at..];
        let tag = written.split('>').next().unwrap_or_default();
        if !tag.ends_with('/') && path.len() < 64 {
            path.push(element.name);
        }
    }
    Ok(())
}

/// The properties that a manifest of Maven defines.
fn properties(text: &str) -> BTreeMap<&str, &str> {
    let mut inside = false;
    let mut found = BTreeMap::new();
    for element in elements(text) {
        if element.name == "properties" {
            inside = !element.closes;
        } else if inside && !element.closes {
            found.insert(element.name, element.text);
        }
    }
    found
}

/// Gradle's ways to name a dependency.
const CONFIGURATIONS: &[&str] = &[
    "annotationProcessor",
    "api",
    "compile",
    "compileOnly",
    "debugImplementation",
    "developmentOnly",
    "implementation",
    "kapt",
    "ksp",
    "runtime",
    "runtimeOnly",
    "testCompile",
    "testImplementation",
    "testRuntimeOnly",
    "androidTestImplementation",
];

/// Plugins of Gradle that lint, and the task that does it.
const LINTERS: &[(&str, &str)] = &[
    ("checkstyle", "checkstyleMain"),
    ("io.gitlab.arturbosch.detekt", "detekt"),
    ("org.jlleitschuh.gradle.ktlint", "ktlintCheck"),
];

/// Reads `build.gradle` and `build.gradle.kts`.
pub(super) fn gradle(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Gradle, page);
    for (number, line) in page.lines() {
        for statement in statements(line) {
            gradle_statement(statement, page.line(number), page, notes);
        }
    }
}

/// The statements of a line: a block may be written on one, `plugins { id 'java'; id 'war' }`.
fn statements(line: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let mut quote = None;
    let mut from = 0;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != c),
            (None, '"' | '\'') => quote = Some(c),
            (None, '/') if line[at..].starts_with("//") => {
                statements.push(line[from..at].trim());
                return statements;
            }
            (None, '{' | '}' | ';') => {
                statements.push(line[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    statements.push(line[from..].trim());
    statements
}

fn gradle_statement(line: &str, source: Source, page: &Page<'_>, notes: &mut Notes) {
    if let Some(rest) = line.strip_prefix("id").filter(|rest| rest.starts_with(['(', ' '])) {
        let mut quoted = texts(rest);
        if let Some(plugin) = quoted.next() {
            if let Some((_, task)) = LINTERS.iter().find(|(known, _)| *known == plugin) {
                task_of_gradle(Purpose::Lint, Origin::Configured, task, source.clone(), page, notes);
            }
            notes.depends(Ecosystem::Gradle, plugin, quoted.next(), source);
        }
    } else if let Some(rest) = line.strip_prefix("kotlin(") {
        let mut quoted = texts(rest);
        if let Some(plugin) = quoted.next() {
            let plugin = format!("org.jetbrains.kotlin.{plugin}");
            notes.depends(Ecosystem::Gradle, &plugin, quoted.next(), source);
        }
    } else if let Some(rest) = CONFIGURATIONS
        .iter()
        .find_map(|name| line.strip_prefix(name).filter(|rest| rest.starts_with(['(', ' '])))
    {
        if let Some((artefact, version)) = coordinates(rest) {
            notes.depends(Ecosystem::Gradle, &artefact, version, source);
        }
    } else if let Some(main) = line.strip_prefix("mainClass").and_then(first) {
        notes.entry(main, "main class", source);
    } else if let Some(text) = assigned(line, "description").filter(|text| text.starts_with(['"', '\''])) {
        notes.about(page.folder(), unquoted(text), source);
    } else if let Some(version) = java_version(line) {
        notes.version("Java", version, source);
    } else if let Some(task) = registered(line)
        && let Some(purpose) = purpose::of_gradle_task(task)
    {
        task_of_gradle(purpose, Origin::Named, task, source, page, notes);
    }
}

/// Notes a task of Gradle, which is run from where the settings are.
fn task_of_gradle(
    purpose: Purpose,
    origin: Origin,
    task: &str,
    source: Source,
    page: &Page<'_>,
    notes: &mut Notes,
) {
    let repo = page.tree.repo_of(page.path);
    let settings = page.tree.nearest(page.folder(), &["settings.gradle", "settings.gradle.kts"]);
    let settings = settings.filter(|(path, _)| path.starts_with(repo));
    let folder = settings.as_ref().map_or(page.folder(), |(path, _)| folder_of(path));
    let command = wrapped(page.tree, folder, &format!("gradle {task}"));
    notes.command(purpose, origin, folder, (&command, None), source);
}

/// The artefact and the version of a dependency: `'group:name:1'`, or `group: 'group', name: 'name', version: '1'`.
fn coordinates(text: &str) -> Option<(String, Option<&str>)> {
    let named = |key: &str| {
        let (before, rest) = text.split_once(key)?;
        let alone = !before.ends_with(|c: char| c.is_alphanumeric());
        let value = rest.trim_start().strip_prefix([':', '='])?.trim_start();
        Some(value).filter(|value| alone && value.starts_with(['"', '\''])).and_then(first)
    };
    if let (Some(group), Some(name)) = (named("group"), named("name")) {
        return Some((format!("{group}:{name}"), named("version")));
    }
    let mut parts = first(text)?.split(':');
    let (group, name) = (parts.next()?, parts.next()?);
    Some((format!("{group}:{name}"), parts.next()))
}

fn java_version(line: &str) -> Option<&str> {
    for start in ["JavaLanguageVersion.of(", "jvmToolchain(", "JavaVersion.VERSION_"] {
        if let Some(rest) = line.split(start).nth(1) {
            return java_number(rest);
        }
    }
    java_number(unquoted(assigned(line, "sourceCompatibility")?))
}

/// The number of a version of Java: 8 was once called 1.8.
fn java_number(text: &str) -> Option<&str> {
    let text = text.strip_prefix("1.").or_else(|| text.strip_prefix("1_")).unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits).filter(|version| !version.is_empty())
}

/// The name of a task that a build file adds: `tasks.register("x")`, `task x {`.
fn registered(line: &str) -> Option<&str> {
    if let Some(rest) = line.split("tasks.register").nth(1) {
        return first(rest);
    }
    let name = line.strip_prefix("task ")?.split(['(', ' ', '{']).next()?;
    Some(unquoted(name)).filter(|name| !name.is_empty())
}

/// Reads `settings.gradle`, from whose folder all modules are built: one module beside the root is still one program.
pub(super) fn settings(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Gradle, page);
    let mut begun = None;
    let mut modules = 0;
    let mut open = false;
    for (number, line) in page.lines() {
        let included = call(line, "include");
        if included.is_some() || open {
            let listed = included.unwrap_or(line);
            modules += texts(listed).count();
            begun = begun.or(Some(number));
            // The list goes on in the next line.
            open = listed.is_empty() || listed.ends_with([',', '(']);
        }
    }
    if let Some(number) = begun.filter(|_| modules > 1) {
        notes.pattern(Topic::Monorepo, "Gradle multi-project build", None, page.line(number));
    }
}

/// Reads Gradle's catalogue of versions.
pub(super) fn catalogue(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    for table in ["libraries", "plugins"] {
        for (name, item) in manifest.entries(&[table]) {
            let fields = item.as_table_like();
            let field = |key: &str| fields.and_then(|fields| fields.get(key));
            let text = |key: &str| field(key).and_then(|item| item.as_str());
            let reference = field("version").and_then(|item| item.as_table_like()?.get("ref")?.as_str());
            let version = match reference {
                Some(reference) => manifest.text(&["versions", reference]),
                None => text("version"),
            };
            let artefact = match (text("module").or_else(|| text("id")), text("group"), text("name")) {
                (Some(module), ..) => Some((module.to_owned(), version)),
                (None, Some(group), Some(name)) => Some((format!("{group}:{name}"), version)),
                // All in one text; the version is what follows the last colon.
                _ => item
                    .as_str()
                    .and_then(|text| text.rsplit_once(':'))
                    .map(|(artefact, version)| (artefact.to_owned(), Some(version))),
            };
            if let Some((artefact, version)) = artefact {
                notes.depends(Ecosystem::Gradle, &artefact, version, manifest.source(&[table, name]));
            }
        }
    }
    Ok(())
}

/// Reads `.java-version`.
pub(super) fn version_file(page: &Page<'_>, notes: &mut Notes) {
    notes.version("Java", page.text.lines().next().unwrap_or_default(), page.source());
}
