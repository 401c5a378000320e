//! Plans of AXME Code, which its agents rarely made.

use custos_config::shown::shown;

use super::cargo::{Cargo, event, iso, stem_in};
use super::known::{Library, ORIGIN};
use super::paper::{Paper, Style};
use crate::plan::{LONGEST_SLUG, Plan, PlanStatus, StepState};
use crate::shelf::Item as _;
use crate::text::{self, Document, Front};

const DIRECTORY: &str = "local/plans";

/// A plan on its way.
struct Parcel {
    file: String,
    slug: String,
    title: String,
    status: PlanStatus,
    created: String,
    updated: String,
    steps: String,
    rest: String,
}

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let is_plan = |file: &str| stem_in(file, &["plans"]).is_some();
    let library = Library::<Plan>::read(cargo.ahead(), &[DIRECTORY], |item| &item.title);
    for file in cargo.take(is_plan) {
        let Some(raw) = cargo.read(&file) else { continue };
        let paper = match Paper::read(&raw, Style::Plain) {
            Ok(paper) if paper.has_front => paper,
            Ok(_) => {
                cargo.set_aside(&file, "is no plan");
                continue;
            }
            Err(why) => {
                cargo.set_aside(&file, why);
                continue;
            }
        };
        let parcel = read(cargo, file, &paper);
        let is_new = !is_there(cargo, &library, &parcel);
        cargo.count("plans", is_new);
        if is_new {
            load(cargo, parcel);
        }
    }
}

fn read(cargo: &mut Cargo<'_>, file: String, paper: &Paper) -> Parcel {
    let stem = file.rsplit('/').next().unwrap_or(&file).trim_end_matches(".md").to_owned();
    let title = cargo.title(&file, &paper.title(&stem));
    let slug = Some(paper.word("slug")).filter(|slug| text::is_slug(slug, LONGEST_SLUG));
    let status = match paper.word("status") {
        "completed" | "done" => PlanStatus::Done,
        "abandoned" | "dropped" => PlanStatus::Dropped,
        "" | "active" => PlanStatus::Active,
        other => {
            cargo.keep_original(&file, &format!("its status is `{}`, which is read as active", shown(other)));
            PlanStatus::Active
        }
    };
    let (mut steps, mut rest) = (Vec::new(), Vec::new());
    let body = cargo.text(&file, paper.parts("").lead);
    for line in body.lines() {
        match step(line) {
            Some((mark, said)) => {
                let state =
                    StepState::ALL.into_iter().find(|state| state.mark() == mark.to_ascii_lowercase());
                if state.is_none() {
                    cargo.odd(
                        &file,
                        format!("a step is marked `{}`, which is read as pending", shown(&mark.to_string())),
                    );
                }
                steps.push(format!("- [{}] {said}", state.unwrap_or_default().mark()));
            }
            None => rest.push(line),
        }
    }
    let mut rest = rest.join("\n").trim().to_owned();
    for (key, what) in [("parentId", "It is part of plan"), ("acceptanceRule", "It is finished when:")] {
        let value = paper.get(key);
        if !value.is_empty() && value != "auto" {
            rest.push_str(&format!("\n\n{what} {}", cargo.title(&file, value)));
        }
    }
    let created = iso(paper.word("created")).unwrap_or_else(|| cargo.now());
    let updated = iso(paper.word("updated")).unwrap_or_else(|| created.clone());
    Parcel {
        slug: slug.map_or_else(|| text::slug(&title, LONGEST_SLUG), str::to_owned),
        file,
        title,
        status,
        created,
        updated,
        steps: steps.join("\n"),
        rest: rest.trim().to_owned(),
    }
}

/// Reads a line like `- [x] Measure it`.
fn step(line: &str) -> Option<(char, &str)> {
    let mut marked = line.trim().strip_prefix(['-', '*', '+'])?.trim_start().strip_prefix('[')?.chars();
    let mark = marked.next()?;
    Some((mark, marked.as_str().strip_prefix(']')?.trim()))
}

fn is_there(cargo: &mut Cargo<'_>, library: &Library<Plan>, parcel: &Parcel) -> bool {
    if library.from(&cargo.origin(&parcel.file)).is_some() {
        return true;
    }
    let Ok(written) = Plan::read(&parcel.file, &spell(parcel, None)) else { return false };
    let is_same = |known: &Plan| known.slug == parcel.slug;
    if library.titled(&parcel.title).iter().any(|known| known.steps == written.steps)
        || library.retitled(|known| is_same(known) && known.steps == written.steps).is_some()
    {
        return true;
    }
    let changed = library.changed(&parcel.title, is_same);
    if let Some(known) = changed {
        cargo.differs(&parcel.file, &known.slug);
    }
    changed.is_some()
}

fn load(cargo: &mut Cargo<'_>, mut parcel: Parcel) {
    let wanted = parcel.slug.clone();
    for count in 2.. {
        if cargo.is_free(&format!("{DIRECTORY}/{}.md", parcel.slug)) {
            break;
        }
        parcel.slug = format!("{wanted}-{count}");
    }
    if parcel.slug != wanted {
        cargo.rename(&parcel.file, &wanted, &parcel.slug);
    }
    let origin = cargo.origin(&parcel.file);
    let file = format!("{DIRECTORY}/{}.md", parcel.slug);
    let event = event("plan", &parcel.slug, &parcel.title, &file, &parcel.steps);
    let text = spell(&parcel, Some(&origin));
    cargo.keep(file, text, vec![event]);
}

fn spell(parcel: &Parcel, origin: Option<&str>) -> String {
    let mut front = Front::default();
    front.set_text("slug", &parcel.slug);
    front.set_text("title", &parcel.title);
    front.set_text("status", parcel.status.word());
    front.set_text("created", &parcel.created);
    front.set_text("updated", &parcel.updated);
    if let Some(origin) = origin {
        front.set_text(ORIGIN, origin);
    }
    Document::compose(front, &parcel.title, &parcel.rest, &[("Steps", &parcel.steps)]).to_text()
}
