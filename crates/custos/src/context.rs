//! What every command works with: where things are, how they are set, and the log that follows from both.

use std::time::Duration;

use custos_config::{Loaded, Names, Places, Roots, Settings};
use custos_log::append::Surroundings;
use custos_log::{Limits, Log, LogReader, Machine};
use custos_model::kind::Class;
use custos_model::{AccessList, Grant};

use crate::environment::{self, ProcessEnvironment};
use crate::error::CliError;

/// The context of a command.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) places: Places,
    pub(crate) settings: Settings,
}

impl Context {
    /// Resolves places and settings in the quickest way, for what runs inside a hook: nobody is there to read about problems in a
    /// configuration file, so they are left to `doctor`.
    pub(crate) fn quick() -> Result<Self, CliError> {
        let places = Places::resolve(&ProcessEnvironment)?;
        let settings = custos_config::load_fast(&places, Roots::default(), &ProcessEnvironment);
        Ok(Self { places, settings })
    }

    /// Resolves places and settings with everything that a person may want to know about them.
    pub(crate) fn full() -> Result<(Self, Loaded), CliError> {
        let places = Places::resolve(&ProcessEnvironment)?;
        let project = environment::working_directory().map(|dir| custos_config::Project::by_place(&dir));
        let repo = project.as_ref().map(|project| project.root.as_path());
        let roots = Roots { workspace: None, repo };
        let loaded = custos_config::load(&places, roots, &ProcessEnvironment, &[]);
        Ok((Self { places, settings: loaded.settings.clone() }, loaded))
    }

    /// Gives the names of projects.
    pub(crate) fn names(&self) -> Names {
        Names::of(&self.places.state)
    }

    /// Gives the log.
    pub(crate) fn log(&self) -> Log {
        let places = custos_log::append::Places {
            log: self.places.log(),
            backups: self.places.backups(),
            state: self.places.state.clone(),
        };
        let state = self.places.state.clone();
        let machine = Machine::asked(move || environment::machine(&state));
        Log::new(places, Surroundings::system(), limits(&self.settings), machine)
    }

    /// Gives a reader of the log, which calls projects as they are called now.
    pub(crate) fn reader(&self) -> LogReader {
        LogReader::new(&self.places.log()).calling(self.names().renamed())
    }
}

fn limits(settings: &Settings) -> Limits {
    let access = &settings.access;
    let lists = [
        (Class::Prompts, &access.prompts),
        (Class::Tools, &access.tools),
        (Class::Sessions, &access.sessions),
        (Class::Observations, &access.observations),
        (Class::Summaries, &access.summaries),
        (Class::Knowledge, &access.knowledge),
    ];
    Limits {
        segment: settings.log.segment_mb << 20,
        event: usize::try_from(settings.log.max_event_kb << 10).unwrap_or(usize::MAX),
        patience: Duration::from_millis(settings.log.lock_wait_ms),
        access: lists
            .into_iter()
            .filter_map(|(class, list)| Some((class, access_list(list.as_ref()?))))
            .collect(),
        ..Limits::default()
    }
}

fn access_list(entries: &[String]) -> AccessList {
    // The settings were checked when they were loaded; an entry that is none grants nothing.
    AccessList(entries.iter().filter_map(|entry| entry.parse::<Grant>().ok()).collect())
}
