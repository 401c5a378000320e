//! What AXME Code knows about the project as a whole: four texts, which join what people wrote in ours, so that a scan leaves them alone.

use super::cargo::{Cargo, event};
use crate::described::SECTIONS;
use crate::store::LARGEST;
use crate::text;

/// What AXME Code writes where it found nothing.
const PLACEHOLDERS: [&str; 2] = ["No patterns detected yet.", "No glossary entries yet."];
const HEADING: &str = "## From AXME Code";

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    for section in SECTIONS {
        let file = format!("oracle/{section}.md");
        let Some(source) = cargo.take_one(&file) else { continue };
        let Some(raw) = cargo.read(&source) else { continue };
        // It may look like an unresolved merge, and nobody would read the file again.
        let content = text::self_contained(&cargo.text(&source, &raw));
        if content.is_empty() || PLACEHOLDERS.contains(&content.as_str()) {
            continue;
        }
        let old = match cargo.ahead().read(&file) {
            Ok(old) => old.unwrap_or_default(),
            Err(error) => {
                cargo.set_aside(&source, error.to_string());
                continue;
            }
        };
        // Whoever changed the text since, or took it out, wins: the heading says that it was here.
        let heading = cargo.named(HEADING);
        let says_so = text::tidy(&old).contains(&content);
        let is_new = !says_so && !old.lines().any(|line| line.trim_end() == heading);
        let title = format!("# {}{}", section[..1].to_uppercase(), &section[1..]);
        let before = if old.trim().is_empty() { &title } else { old.trim_end() };
        let new = format!("{before}\n\n{heading}\n\n{content}\n");
        if is_new && new.len() as u64 > LARGEST {
            cargo.set_aside(&source, format!("{file} has no room for it"));
            continue;
        }
        cargo.count("oracle sections", is_new);
        if !is_new {
            if !says_so {
                cargo.differs(&source, &file);
            }
            continue;
        }
        let event = event("oracle", section, section, &file, &content);
        cargo.keep(file, new, vec![event]);
    }
}
