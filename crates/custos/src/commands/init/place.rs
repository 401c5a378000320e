//! One place in which a knowledge base begins.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use custos_config::Change;
use custos_guard::rules::{Level, trust};
use custos_knowledge::init::Made;
use custos_knowledge::oracle::{self, Cut, Limits, Scan, Unread};
use custos_knowledge::preset::{self, Preset, PresetRule};
use custos_knowledge::proposal::{Proposal, Proposed};
use custos_knowledge::{Base, Root, View};
use serde::Serialize;

use super::rules;
use crate::commands::kb::answer::refused;
use crate::commands::trust::list;
use crate::commands::trust::updated::{self, Updated};
use crate::context::Context;
use crate::error::CliError;
use crate::knowledge;
use crate::progress::{Progress, Unit};

/// What a person wants a knowledge base to begin with.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    pub(super) presets: Chosen,
    pub(super) scan: bool,
    pub(super) dry_run: bool,
}

/// Which presets.
#[derive(Debug, Clone)]
pub(super) enum Chosen {
    /// Nothing was said: the default, where nobody has written anything yet. Whoever removed a part of it does not get it back.
    Default,
    /// These.
    These(Vec<Preset>),
}

/// Whose texts are in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Standing {
    /// This run made it, so it is the person's own.
    Made,
    /// The person trusted it before.
    Trusted,
    /// It came with a clone, and nobody has said anything about it.
    Foreign,
}

/// What became of one place.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    /// The name of the repo, as the workspace has it.
    pub(super) name: String,
    /// The directory that `.ai/` is in.
    pub(super) root: PathBuf,
    pub(super) standing: Standing,
    pub(super) presets: Vec<String>,
    /// The files, but for the rules.
    pub(super) made: Vec<Made>,
    /// The rules that are new.
    pub(super) rules: Vec<PresetRule>,
    /// What waits for a person's word; of a dry run what would be proposed, without numbers.
    pub(super) proposals: Vec<Proposal>,
    pub(super) proposed: usize,
    pub(super) cut_short: Option<Cut>,
    pub(super) unread: Vec<Unread>,
    pub(super) notes: Vec<String>,
    /// How many files had to be left as they are.
    #[serde(skip)]
    pub(super) left: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

/// How long a scan may take: a repo with a hundred thousand files needs a few seconds.
const PATIENCE: Duration = Duration::from_mins(1);

impl Place {
    /// A place that refused.
    pub(super) fn refused(name: &str, root: &Path, error: CliError) -> Self {
        let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        Self {
            name: name.to_owned(),
            root: root.to_owned(),
            standing: Standing::Foreign,
            presets: Vec::new(),
            made: Vec::new(),
            rules: Vec::new(),
            proposals: Vec::new(),
            proposed: 0,
            cut_short: None,
            unread: Vec::new(),
            notes: Vec::new(),
            left: 0,
            problem: Some(format!("{}{hint}", error.message)),
        }
    }

    /// Says whether nothing could begin here.
    pub(crate) fn is_refused(&self) -> bool {
        self.problem.is_some()
    }

    /// Says whether something that should have been written could not be.
    pub(super) fn is_partial(&self) -> bool {
        self.is_refused() || self.left > 0
    }

    /// Says whether anything is different now, or would be.
    pub(super) fn changes(&self) -> bool {
        !self.made.is_empty() || !self.rules.is_empty()
    }
}

/// Begins at a root; or says what that would make.
pub(super) fn begin(context: &Context, root: Root, wish: &Wish) -> Result<Place, CliError> {
    let desk = knowledge::for_person(context, root);
    let base = desk.base();
    let view = base.view(None).map_err(|refusal| refused(&refusal))?;
    let presets = presets(base, &view, &wish.presets)?;
    let standing = standing(base, &view);
    let found = wish.scan.then(|| look(&view.root.path));
    let mut place = Place {
        name: view.root.name(),
        root: view.root.path.clone(),
        standing,
        presets: presets.iter().map(|preset| preset.name.clone()).collect(),
        made: Vec::new(),
        rules: Vec::new(),
        proposals: Vec::new(),
        proposed: 0,
        cut_short: found.as_ref().and_then(|scan| scan.cut_short),
        unread: found.as_ref().map(|scan| scan.unread.clone()).unwrap_or_default(),
        notes: Vec::new(),
        left: 0,
        problem: None,
    };
    if wish.dry_run {
        place.made = base.to_begin(&view, &presets, found.as_ref());
        place.rules = rules::missing(&view, &presets)?;
        let proposed: Vec<Proposed> =
            found.iter().flat_map(|scan| &scan.proposals).map(Proposed::from).collect();
        place.proposals = base.rehearse(&view, &proposed);
        place.proposed = place.proposals.len();
        place.notes.extend(base.note_before(&view));
        return Ok(place);
    }
    let (begun, unsure) = base.together(|| base.begin(&view, &presets, found.as_ref()));
    let begun = begun.map_err(|refusal| {
        let notes = [refusal.next].into_iter().chain(unsure.clone()).filter(|note| !note.is_empty());
        refused(&custos_knowledge::Refusal { next: notes.collect::<Vec<_>>().join(". "), ..refusal })
    })?;
    (place.made, place.notes, place.proposed) = (begun.made, begun.notes, begun.proposals.staged.len());
    place.left = begun.left;
    place.notes.extend(unsure);
    place.rules = rules::add(context, base, &view, &presets, &mut place.notes)?;
    place.proposals = base.proposed(&view).items.iter().map(|kept| (*kept.item).clone()).collect();
    if standing == Standing::Made {
        place.notes.extend(trusted(context, &view.root.path));
    }
    Ok(place)
}

fn presets(base: &Base, view: &View, chosen: &Chosen) -> Result<Vec<Preset>, CliError> {
    match chosen {
        Chosen::These(presets) => Ok(presets.clone()),
        Chosen::Default if base.is_blank(view) => {
            preset::named(&[preset::DEFAULT]).map_err(|refusal| refused(&refusal))
        }
        Chosen::Default => Ok(Vec::new()),
    }
}

fn standing(base: &Base, view: &View) -> Standing {
    let store = &view.own().store;
    if !store.exists() {
        Standing::Made
    } else if base.around().trusts(&store.root) {
        Standing::Trusted
    } else {
        Standing::Foreign
    }
}

/// Trusts a place that this run made. It stands, whether or not that succeeds; a note says if it does not.
fn trusted(context: &Context, root: &Path) -> Option<String> {
    match trust::add_made(&list(context), root) {
        Ok(Change::Written) => {
            let value = &root.display().to_string();
            Updated { change: updated::Change::Added, level: Level::User, root: None, list: "trust", value }
                .record(context);
            None
        }
        Ok(Change::Nothing) => None,
        Err(error) => Some(format!("It could not be put among the projects that you trust: {error}")),
    }
}

fn look(root: &Path) -> Scan {
    let begun = Instant::now();
    let limits = Limits { expired: &|| begun.elapsed() > PATIENCE, ..Limits::default() };
    let mut progress = Progress::new("reading the project", None, Unit::Lines);
    oracle::scan(root, &limits, &mut |files| progress.at(files as u64))
}
