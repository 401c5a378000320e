//! The memory as a person's command and a client's server open it: with the embedder of the settings, and all that the log and the files have.

use custos_index::User;
use custos_model::EventId;
use custos_recall::{Named, Places, Policy, RecallError, Store, Viewer};

use crate::commands::index;
use crate::context::Context;
use crate::embedder;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge;
use crate::output::{DIM, styled, tell};
use crate::render;

/// Opens the memory, without reading anything yet.
pub(crate) fn open(context: &Context) -> Result<Store, RecallError> {
    let places = Places { state: context.places.state.clone(), log: context.places.log() };
    Store::open(&places, User::Worker, embedder::for_question(context), Policy::DEFAULT)
}

/// Opens the memory for a person: as new as the log, and as the files of the project that they are in.
pub(crate) fn for_person(context: &Context) -> Result<Store, CliError> {
    // Tells how far it is, and what was wrong with the index.
    drop(index::up_to_date(context)?);
    let mut store = open(context)?;
    if let Some(here) = environment::working_directory() {
        store.refresh_knowledge(&knowledge::for_hook(context, &here), None)?;
    }
    Ok(store)
}

/// Opens the memory for a person who only reads: while another process works on the index, what is there answers.
pub(crate) fn for_reader(context: &Context) -> Result<Store, CliError> {
    match for_person(context) {
        Err(error) if error.exit == Exit::Busy => {
            tell(styled(DIM, format!("note: {}, so the newest may be missing", error.message)));
            let mut store = open(context)?;
            if let Some(here) = environment::working_directory() {
                store.ask_from(&knowledge::for_hook(context, &here));
            }
            Ok(store)
        }
        opened => opened,
    }
}

/// Finds the memory that a person names: by its id, 8 characters or more of its beginning or its end, or the name of a file.
pub(crate) fn find(store: &mut Store, wanted: &str) -> Result<Option<EventId>, CliError> {
    match store.named(wanted, &Viewer::owner())? {
        Named::Nothing => Ok(None),
        Named::One(id) => Ok(Some(id)),
        Named::Several(ids) => {
            let listed: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let wanted = render::printable(wanted);
            let problem = format!("{wanted} may be {} memories; give the whole id", ids.len());
            Err(CliError::new(Exit::Usage, problem).hint(listed.join("\n  ")))
        }
    }
}

/// Finds the memory that a person names, which has to be there.
pub(crate) fn find_one(store: &mut Store, wanted: &str) -> Result<EventId, CliError> {
    find(store, wanted)?.ok_or_else(|| no_memory(wanted))
}

/// Reports that no memory is called so.
pub(crate) fn no_memory(wanted: &str) -> CliError {
    let wanted = render::printable(wanted);
    CliError::new(Exit::NotFound, format!("no memory is called {wanted}, or it was forgotten")).hint(
        "give an id, at least 8 characters of its beginning or its end, or a name such as D-001, as `custos search` shows them",
    )
}

/// Takes away what hooks say at a tool: something of it was forgotten. The next worker makes it anew from what is left.
pub(crate) fn discard_hints(context: &Context) -> Result<(), CliError> {
    custos_recall::hints::discard_all(&context.places.state).map_err(|error| {
        let hints = context.places.state.join("hints");
        CliError::new(Exit::Io, format!("{} cannot be removed: {error}", hints.display()))
            .hint("remove the directory; what it holds is made anew")
    })
}
