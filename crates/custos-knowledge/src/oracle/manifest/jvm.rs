//! Java and Kotlin: Maven and Gradle.

use super::super::findings::{Origin, Topic};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose;
use super::quoted::{assigned, first, texts, unquoted};
use super::toml::Manifest;
use super::xml::elements;

/// Reads `pom.xml`.
pub(super) fn maven(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    if !page.text.contains("<project") {
        return Err("there is no `<project>` in it".to_owned());
    }
    notes.ecosystem(Ecosystem::Maven, page);
    let mut path: Vec<&str> = Vec::new();
    let mut artefact: (Option<&str>, Option<&str>, Option<&str>, usize) = (None, None, None, 0);
    for element in elements(page.text) {
        if element.closes {
            if matches!(element.name, "dependency" | "parent" | "plugin")
                && let (Some(group), Some(name), version, at) = std::mem::take(&mut artefact)
            {
                notes.depends(Ecosystem::Maven, &format!("{group}:{name}"), version, page.at(at));
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
                notes.version("Java", element.text, source());
            }
            ("properties", "kotlin.version") => notes.version("Kotlin", element.text, source()),
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

/// Gradle's ways to name a dependency.
const CONFIGURATIONS: &[&str] = &[
    "annotationProcessor",
    "api",
    "compileOnly",
    "developmentOnly",
    "implementation",
    "kapt",
    "ksp",
    "runtimeOnly",
    "testImplementation",
    "testRuntimeOnly",
    "androidTestImplementation",
];

/// Reads `build.gradle` and `build.gradle.kts`.
pub(super) fn gradle(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Gradle, page);
    for (number, line) in page.lines().filter(|(_, line)| !line.starts_with("//")) {
        let source = page.line(number);
        if let Some(rest) = line.strip_prefix("id").filter(|rest| rest.starts_with(['(', ' '])) {
            let mut quoted = texts(rest);
            if let Some(plugin) = quoted.next() {
                notes.depends(Ecosystem::Gradle, plugin, quoted.next(), source);
            }
        } else if let Some(rest) = line.strip_prefix("kotlin(") {
            let mut quoted = texts(rest);
            if let Some(plugin) = quoted.next() {
                notes.depends(
                    Ecosystem::Gradle,
                    &format!("org.jetbrains.kotlin.{plugin}"),
                    quoted.next(),
                    source,
                );
            }
        } else if CONFIGURATIONS
            .iter()
            .any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', ' '])))
        {
            let Some(coordinates) = first(line) else { continue };
            let mut parts = coordinates.split(':');
            if let (Some(group), Some(name)) = (parts.next(), parts.next()) {
                notes.depends(Ecosystem::Gradle, &format!("{group}:{name}"), parts.next(), source);
            }
        } else if let Some(main) = line.strip_prefix("mainClass").and_then(first) {
            notes.entry(main, "main class", source);
        } else if let Some(text) = assigned(line, "description").filter(|text| text.starts_with(['"', '\'']))
        {
            notes.about(page.folder(), unquoted(text), source);
        } else if let Some(version) = java_version(line) {
            notes.version("Java", version, source);
        } else if let Some(task) = registered(line)
            && let Some(purpose) = purpose::of_name(task)
        {
            let program = if page.tree.has("gradlew") { "./gradlew" } else { "gradle" };
            notes.command(purpose, Origin::Named, "", (&format!("{program} {task}"), None), source);
        }
    }
}

fn java_version(line: &str) -> Option<&str> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    for start in ["JavaLanguageVersion.of(", "jvmToolchain(", "JavaVersion.VERSION_"] {
        if let Some(rest) = line.split(start).nth(1) {
            return rest.get(..digits(rest)).filter(|version| !version.is_empty());
        }
    }
    let value = unquoted(assigned(line, "sourceCompatibility")?);
    value.get(..digits(value)).filter(|version| !version.is_empty())
}

/// The name of a task that a build file adds: `tasks.register("x")`, `task x {`.
fn registered(line: &str) -> Option<&str> {
    if let Some(rest) = line.split("tasks.register").nth(1) {
        return first(rest);
    }
    let name = line.strip_prefix("task ")?.split(['(', ' ', '{']).next()?;
    Some(unquoted(name)).filter(|name| !name.is_empty())
}

/// Reads `settings.gradle`.
pub(super) fn settings(page: &Page<'_>, notes: &mut Notes) {
    let include = page.lines().find(|(_, line)| line.starts_with("include"));
    if let Some((number, _)) = include {
        notes.pattern(Topic::Monorepo, "Gradle multi-project build", None, page.line(number));
    }
}

/// Reads Gradle's catalogue of versions.
pub(super) fn catalogue(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    for (table, key) in [("libraries", "module"), ("plugins", "id")] {
        for (name, item) in manifest.entries(&[table]) {
            let fields = item.as_table_like();
            let field = |key: &str| fields.and_then(|fields| fields.get(key));
            let Some(module) = field(key).and_then(|item| item.as_str()).or_else(|| item.as_str()) else {
                continue;
            };
            let reference = field("version").and_then(|item| item.as_table_like()?.get("ref")?.as_str());
            let version = match reference {
                Some(reference) => manifest.text(&["versions", reference]),
                None => field("version").and_then(|item| item.as_str()),
            };
            notes.depends(Ecosystem::Gradle, module, version, manifest.source(&[table, name]));
        }
    }
    Ok(())
}

/// Reads `.java-version`.
pub(super) fn version_file(page: &Page<'_>, notes: &mut Notes) {
    notes.version("Java", page.text.lines().next().unwrap_or_default(), page.source());
}
