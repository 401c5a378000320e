//! Python: `pyproject.toml` and all that came before it.

use super::super::findings::{Origin, Purpose, Topic};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose;
use super::super::runners;
use super::super::walk::name_of;
use super::quoted::{call, first, texts as quoted};
use super::toml::{Manifest, texts, version};

/// A tool by its table or section: what it is about, what it is called, and how it is started.
type Tool = (&'static str, Topic, &'static str, Option<(Purpose, &'static str)>);

/// Tools that have a table in `pyproject.toml`, and how they are called.
const TOOLS: &[Tool] = &[
    ("bandit", Topic::Linting, "Bandit", None),
    ("black", Topic::Formatting, "Black", Some((Purpose::Format, "black ."))),
    ("commitizen", Topic::Commits, "Commitizen", None),
    ("coverage", Topic::Testing, "coverage.py", None),
    ("isort", Topic::Formatting, "isort", Some((Purpose::Format, "isort ."))),
    ("mypy", Topic::Linting, "mypy", Some((Purpose::Lint, "mypy ."))),
    ("pylint", Topic::Linting, "Pylint", None),
    ("pyright", Topic::Linting, "Pyright", Some((Purpose::Lint, "pyright"))),
    ("pytest", Topic::Testing, "pytest", Some((Purpose::Test, "pytest"))),
    ("ruff", Topic::Linting, "Ruff", Some((Purpose::Lint, "ruff check ."))),
    ("semantic_release", Topic::Release, "semantic-release", None),
    ("towncrier", Topic::Commits, "towncrier", None),
];

/// Reads `pyproject.toml`.
pub(super) fn pyproject(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    notes.ecosystem(Ecosystem::Python, page);
    for keys in [["project", "description"].as_slice(), &["tool", "poetry", "description"]] {
        if let Some(text) = manifest.text(keys) {
            notes.about(page.folder(), text, manifest.source(keys));
        }
    }
    for keys in [["project", "requires-python"].as_slice(), &["tool", "poetry", "dependencies", "python"]] {
        if let Some(version) = manifest.text(keys) {
            notes.version("Python", version, manifest.source(keys));
        }
    }
    if let Some(licence) =
        manifest.text(&["project", "license"]).or(manifest.text(&["project", "license", "text"]))
    {
        notes.licence(licence, manifest.source(&["project", "license"]));
    }
    dependencies(&manifest, notes);
    for table in [["project", "scripts"].as_slice(), &["tool", "poetry", "scripts"]] {
        for (name, target) in manifest.entries(table) {
            if let Some(target) = target.as_str() {
                let source = manifest.source(&[table, &[name]].concat());
                notes.entry(target, &format!("program {name}"), source);
            }
        }
    }
    tools(page, &manifest, notes);
    tasks(page, &manifest, notes);
    Ok(())
}

fn dependencies(manifest: &Manifest<'_, '_>, notes: &mut Notes) {
    let mut requirements: Vec<(Vec<&str>, Vec<&str>)> =
        vec![(vec!["project", "dependencies"], manifest.list(&["project", "dependencies"]))];
    for table in [["project", "optional-dependencies"].as_slice(), &["dependency-groups"]] {
        for (group, item) in manifest.entries(table) {
            requirements.push(([table, &[group]].concat(), texts(item)));
        }
    }
    for (keys, lines) in requirements {
        let first = notes.dependencies.len();
        for line in lines {
            requirement(line, manifest.source(&keys), notes);
        }
        if keys.last().is_some_and(|group| is_for_development(group)) {
            notes.only_for_development(first);
        }
    }
    let groups: Vec<&str> = manifest.entries(&["tool", "poetry", "group"]).map(|(name, _)| name).collect();
    let mut tables = vec![vec!["tool", "poetry", "dependencies"], vec!["tool", "poetry", "dev-dependencies"]];
    tables.extend(groups.into_iter().map(|group| vec!["tool", "poetry", "group", group, "dependencies"]));
    for table in tables {
        let first = notes.dependencies.len();
        for (name, item) in manifest.entries(&table).filter(|(name, _)| *name != "python") {
            let source = manifest.source(&[table.as_slice(), &[name]].concat());
            notes.depends(Ecosystem::Python, &name.to_lowercase(), version(item), source);
        }
        if table.iter().any(|key| is_for_development(key)) {
            notes.only_for_development(first);
        }
    }
}

/// Tells whether a group of dependencies is for those who work on the project, by its name: `test`, `dev-dependencies`, `requirements-dev.txt`.
fn is_for_development(group: &str) -> bool {
    const NAMES: &[&str] = &["dev", "develop", "development", "test", "testing", "tests"];
    group.split(|c: char| !c.is_alphanumeric()).any(|word| NAMES.contains(&word))
}

fn tools(page: &Page<'_>, manifest: &Manifest<'_, '_>, notes: &mut Notes) {
    for (tool, topic, name, command) in TOOLS {
        if manifest.item(&["tool", tool]).is_none() {
            continue;
        }
        let source = manifest.source(&["tool", tool]);
        notes.pattern(*topic, name, None, source.clone());
        if let Some((purpose, command)) = command {
            configured(page, *purpose, command, source, notes);
        }
    }
    if manifest.item(&["tool", "ruff", "format"]).is_some() {
        let source = manifest.source(&["tool", "ruff", "format"]);
        notes.pattern(Topic::Formatting, "Ruff", None, source.clone());
        configured(page, Purpose::Format, "ruff format .", source, notes);
    }
    if manifest.item(&["tool", "mypy", "strict"]).and_then(toml_edit::Item::as_bool) == Some(true) {
        let source = manifest.source(&["tool", "mypy", "strict"]);
        notes.pattern(Topic::Strictness, "mypy is strict", None, source);
    }
}

/// Notes how a tool is called in this project: inside of the environment that its lock file stands for.
fn configured(
    page: &Page<'_>,
    purpose: Purpose,
    command: &str,
    source: super::super::findings::Source,
    notes: &mut Notes,
) {
    let command = runners::of_python(page.tree, page.folder(), command);
    notes.command(purpose, Origin::Configured, page.folder(), (&command, None), source);
}

/// Tables of named tasks: the table, and the program that runs one.
const TASKS: &[(&[&str], &str)] = &[
    (&["tool", "poe", "tasks"], "poe"),
    (&["tool", "pdm", "scripts"], "pdm run"),
    (&["tool", "taskipy", "tasks"], "task"),
    (&["tool", "hatch", "envs", "default", "scripts"], "hatch run"),
    (&["tool", "rye", "scripts"], "rye run"),
];

fn tasks(page: &Page<'_>, manifest: &Manifest<'_, '_>, notes: &mut Notes) {
    for (table, runner) in TASKS {
        for (name, item) in manifest.entries(table) {
            let Some(purpose) = purpose::of_name(name) else { continue };
            let cmd = item.as_table_like().and_then(|table| table.get("cmd")?.as_str());
            let list = texts(item).join(" && ");
            let runs = item.as_str().or(cmd).or(Some(list.as_str())).filter(|runs| !runs.is_empty());
            let source = manifest.source(&[*table, &[name]].concat());
            notes.command(purpose, Origin::Named, page.folder(), (&format!("{runner} {name}"), runs), source);
        }
    }
}

/// Notes a line such as `django[argon2]>=4.2,<5 ; python_version > "3.8"`.
fn requirement(line: &str, source: super::super::findings::Source, notes: &mut Notes) {
    let line = line.split([';', '#']).next().unwrap_or_default().trim();
    let end =
        line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(line.len());
    if end == 0 {
        return;
    }
    let rest = line[end..].trim_start();
    let version =
        rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest).trim();
    let version = version.starts_with(['<', '>', '=', '~', '!']).then_some(version);
    notes.depends(Ecosystem::Python, &line[..end].to_lowercase().replace('_', "-"), version, source);
}

/// Reads `requirements.txt` and its kin.
pub(super) fn requirements(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Python, page);
    let first = notes.dependencies.len();
    for (number, line) in page.lines().filter(|(_, line)| !line.starts_with(['-', '#'])) {
        requirement(line, page.line(number), notes);
    }
    if is_for_development(name_of(page.path)) {
        notes.only_for_development(first);
    }
}

/// Reads `Pipfile`.
pub(super) fn pipfile(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    notes.ecosystem(Ecosystem::Python, page);
    for table in ["packages", "dev-packages"] {
        let first = notes.dependencies.len();
        for (name, item) in manifest.entries(&[table]) {
            let version = version(item).filter(|version| *version != "*");
            notes.depends(Ecosystem::Python, &name.to_lowercase(), version, manifest.source(&[table, name]));
        }
        if is_for_development(table) {
            notes.only_for_development(first);
        }
    }
    if let Some(version) = manifest.text(&["requires", "python_version"]) {
        notes.version("Python", version, manifest.source(&["requires", "python_version"]));
    }
    for (name, item) in manifest.entries(&["scripts"]) {
        if let Some(purpose) = purpose::of_name(name) {
            let source = manifest.source(&["scripts", name]);
            let command = format!("pipenv run {name}");
            notes.command(purpose, Origin::Named, page.folder(), (&command, item.as_str()), source);
        }
    }
    Ok(())
}

/// Goes through the keys of an INI file: section, key, value, line. Values that go on in further lines give each of these with the
/// same key.
fn ini<'a>(page: &Page<'a>) -> impl Iterator<Item = (&'a str, &'a str, &'a str, usize)> {
    let mut section = "";
    let mut key = "";
    page.text.lines().enumerate().filter_map(move |(index, line)| {
        let text = line.trim();
        if text.is_empty() || text.starts_with(['#', ';']) {
            return None;
        }
        if let Some(name) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            (section, key) = (name, "");
            return Some((section, "", "", index + 1));
        }
        if line.starts_with([' ', '\t']) && !key.is_empty() {
            return Some((section, key, text, index + 1));
        }
        let (name, value) = text.split_once(['=', ':'])?;
        key = name.trim();
        Some((section, key, value.trim(), index + 1))
    })
}

/// Sections of INI files that belong to tools.
const SECTIONS: &[Tool] = &[
    ("flake8", Topic::Linting, "Flake8", Some((Purpose::Lint, "flake8"))),
    ("mypy", Topic::Linting, "mypy", Some((Purpose::Lint, "mypy ."))),
    ("pytest", Topic::Testing, "pytest", Some((Purpose::Test, "pytest"))),
    ("tool:pytest", Topic::Testing, "pytest", Some((Purpose::Test, "pytest"))),
];

fn sections(page: &Page<'_>, notes: &mut Notes) {
    for (section, _, _, line) in ini(page).filter(|(_, key, ..)| key.is_empty()) {
        if let Some((_, topic, name, command)) = SECTIONS.iter().find(|(known, ..)| *known == section) {
            notes.pattern(*topic, name, None, page.line(line));
            if let Some((purpose, command)) = command {
                configured(page, *purpose, command, page.line(line), notes);
            }
        }
    }
}

/// Reads `setup.cfg`.
pub(super) fn setup_cfg(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Python, page);
    sections(page, notes);
    for (section, key, value, line) in ini(page) {
        match (section, key) {
            ("metadata", "description") => notes.about(page.folder(), value, page.line(line)),
            ("metadata", "license") => notes.licence(value, page.line(line)),
            ("options", "python_requires") => notes.version("Python", value, page.line(line)),
            ("options", "install_requires") => requirement(value, page.line(line), notes),
            ("options.entry_points", "console_scripts") => program(value, page.line(line), notes),
            ("options.extras_require", extra) => {
                let first = notes.dependencies.len();
                requirement(value, page.line(line), notes);
                if is_for_development(extra) {
                    notes.only_for_development(first);
                }
            }
            _ => {}
        }
    }
}

/// Reads `tox.ini`.
pub(super) fn tox(page: &Page<'_>, notes: &mut Notes) {
    sections(page, notes);
    let first = ini(page)
        .find(|(section, key, value, _)| *section == "testenv" && *key == "commands" && !value.is_empty());
    if ini(page).any(|(section, ..)| section == "tox" || section.starts_with("testenv")) {
        let (runs, source) =
            first.map_or((None, page.source()), |(_, _, runs, line)| (Some(runs), page.line(line)));
        notes.command(Purpose::Test, Origin::Named, page.folder(), ("tox", runs), source);
    }
    for (section, key, _, line) in ini(page) {
        let Some(name) = section.strip_prefix("testenv:").filter(|_| key.is_empty()) else { continue };
        if let Some(purpose) = purpose::of_name(name) {
            notes.command(
                purpose,
                Origin::Named,
                page.folder(),
                (&format!("tox -e {name}"), None),
                page.line(line),
            );
        }
    }
}

/// Reads `noxfile.py`: each session is a function below a decorator.
pub(super) fn nox(page: &Page<'_>, notes: &mut Notes) {
    let mut named: Option<Option<&str>> = None;
    for (number, line) in page.lines() {
        if line.starts_with("@nox.session") || line.starts_with("@session") {
            named = Some(line.split("name=").nth(1).and_then(first));
        } else if let Some(session) = call(line, "def").and_then(|rest| rest.split('(').next())
            && let Some(name) = named.take()
        {
            let name = name.unwrap_or(session);
            if let Some(purpose) = purpose::of_name(name) {
                notes.command(
                    purpose,
                    Origin::Named,
                    page.folder(),
                    (&format!("nox -s {name}"), None),
                    page.line(number),
                );
            }
        }
    }
}

/// Notes a program such as `shop = shop.cli:main`.
fn program(line: &str, source: super::super::findings::Source, notes: &mut Notes) {
    if let Some((name, target)) = line.split_once('=')
        && target.contains(':')
    {
        notes.entry(target.trim(), &format!("program {}", name.trim()), source);
    }
}

/// The text that a call is given by a name, anywhere on a line: `setup(name="x", description="An x")`.
fn keyword<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    if line.starts_with('#') {
        return None;
    }
    let values = line.match_indices(name).filter_map(|(at, _)| {
        let is_whole = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let value = line[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        first(value).filter(|_| is_whole && value.starts_with(['"', '\'']))
    });
    values.into_iter().next()
}

/// Reads what plainly stands in `setup.py`; it is a program, and is not run.
pub(super) fn setup_py(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Python, page);
    let mut is_list_open = false;
    for (number, line) in page.lines() {
        let listed = line.split_once("console_scripts").map(|(_, rest)| rest.trim_start_matches(['"', '\'']));
        is_list_open |= listed.is_some();
        if is_list_open {
            let (listed, is_end) = match listed.unwrap_or(line).split_once(']') {
                Some((listed, _)) => (listed, true),
                None => (listed.unwrap_or(line), false),
            };
            quoted(listed).for_each(|text| program(text, page.line(number), notes));
            is_list_open = !is_end;
        }
        if let Some(version) = keyword(line, "python_requires") {
            notes.version("Python", version, page.line(number));
        }
        if let Some(text) = keyword(line, "description") {
            notes.about(page.folder(), text, page.line(number));
        }
    }
}

/// Reads Django's command line.
pub(super) fn manage(page: &Page<'_>, notes: &mut Notes) {
    if page.text.contains("django") {
        let folder = page.folder();
        notes.entry(page.path, "Django's command line", page.source());
        notes.command(Purpose::Test, Origin::Default, folder, ("python manage.py test", None), page.source());
        notes.command(
            Purpose::Run,
            Origin::Configured,
            folder,
            ("python manage.py runserver", None),
            page.source(),
        );
    }
}

/// Reads `.python-version`.
pub(super) fn version_file(page: &Page<'_>, notes: &mut Notes) {
    notes.version("Python", page.text.lines().next().unwrap_or_default(), page.source());
}
