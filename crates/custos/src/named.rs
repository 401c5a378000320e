//! What a person names on the command line: a session, a project.
//!
//! Lists print the beginning of a session's id and the last part of a project's identity, and a person knows the client's own id or the directory.
//! Each of these is taken wherever `--session` or `--project` stands. The whole name always means itself; what fits several is refused
//! with all of them; and what fits nothing is an error, because an empty answer would read as "there was nothing".

use std::path::Path;

use custos_clients::client::CLIENTS;
use custos_hooks::session::pseudonym;
use custos_index::Index;
use custos_log::pseudonym::Pseudonyms;

use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render;

/// How much of a session's id is enough, without the `s-` before it.
const SHORTEST: usize = 4;

/// How many are listed where several fit.
const LISTED: usize = 10;

/// Finds the session that a text names: its id, the beginning of it, or the client's own id.
pub(crate) fn session(context: &Context, index: &mut Index, wanted: &str) -> Result<String, CliError> {
    let reader = context.reader();
    if index.ask(&reader, |index| index.session(wanted))?.is_some() {
        return Ok(wanted.to_owned());
    }
    let mut fitting = Vec::new();
    if wanted.trim_start_matches("s-").chars().count() >= SHORTEST {
        for beginning in [wanted.to_owned(), format!("s-{wanted}")] {
            fitting.extend(index.ask(&reader, |index| index.sessions_beginning(&beginning))?);
        }
    }
    match fitting.as_slice() {
        [] => of_client(context, index, wanted)?.ok_or_else(|| no_session(wanted)),
        [one] => Ok(one.session.clone()),
        several => {
            let listed = several.iter().map(|session| {
                let project = session.project.as_deref().map_or("-", render::short_project);
                format!("{} ({project}, {})", session.session, render::local(session.last))
            });
            Err(ambiguous("session", wanted, listed.collect()))
        }
    }
}

/// Finds a session by the id that its client gave it. The log knows only pseudonyms, but this machine can make them again.
fn of_client(context: &Context, index: &mut Index, wanted: &str) -> Result<Option<String>, CliError> {
    let log = context.log();
    let surroundings = log.surroundings();
    let Ok(names) = Pseudonyms::load(&*surroundings.disk, &context.places.state, &surroundings.entropy)
    else {
        return Ok(None);
    };
    for client in CLIENTS {
        let session = pseudonym("s-", &names, client.name, wanted);
        if index.ask(&context.reader(), |index| index.session(&session))?.is_some() {
            return Ok(Some(session));
        }
    }
    Ok(None)
}

/// Finds the project that a text names: its identity, the name that lists print, or a directory in it.
pub(crate) fn project(context: &Context, index: &mut Index, wanted: &str) -> Result<String, CliError> {
    let known = index.ask(&context.reader(), Index::projects)?;
    if known.iter().any(|project| project == wanted) {
        return Ok(wanted.to_owned());
    }
    let is_called = |project: &&String| {
        let name = render::short_project(project);
        name == wanted || render::cut(name, render::PROJECT) == wanted
    };
    let fitting: Vec<String> = known.iter().filter(is_called).cloned().collect();
    match fitting.as_slice() {
        [] => around(context, wanted)
            .find(|identity| known.contains(identity))
            .ok_or_else(|| no_project(wanted)),
        [one] => Ok(one.clone()),
        _ => Err(ambiguous("project", wanted, fitting)),
    }
}

/// Gives the identities of the project around a directory: by the path that was given, and by where its links lead.
///
/// A bare word is a directory only where there is one: whoever mistypes a name must not be told about the project that they are in.
fn around(context: &Context, wanted: &str) -> impl Iterator<Item = String> {
    let given = environment::working_directory().map(|here| here.join(Path::new(wanted)));
    let given = given.filter(|given| wanted.contains(std::path::is_separator) || given.exists());
    let real = given.as_ref().and_then(|given| given.canonicalize().ok());
    let names = context.names();
    [given, real].into_iter().flatten().map(move |directory| names.find(&directory).identity)
}

/// Reports that no session is called so.
pub(crate) fn no_session(wanted: &str) -> CliError {
    CliError::new(Exit::NotFound, format!("no such session: {}", render::printable(wanted))).hint(
        "give its id or 4 characters or more of its beginning; `custos log tail --kind session --json` shows them",
    )
}

/// Reports that no project is called so.
pub(crate) fn no_project(wanted: &str) -> CliError {
    CliError::new(Exit::NotFound, format!("no such project: {}", render::printable(wanted)))
        .hint("give its name, a directory in it, or its identity, as `custos log tail --json` shows it")
}

fn ambiguous(what: &str, wanted: &str, mut fitting: Vec<String>) -> CliError {
    let (count, wanted) = (fitting.len(), render::printable(wanted));
    fitting.truncate(LISTED);
    if count > LISTED {
        fitting.push(format!("… and {} more", count - LISTED));
    }
    let listed: Vec<String> = fitting.iter().map(|one| render::printable(one)).collect();
    CliError::new(Exit::Usage, format!("{wanted} may be {count} {what}s; give more of it"))
        .hint(listed.join("\n  "))
}
