//! An observation in the making: parts come in the order of their worth, and are cut to what an observation may hold.

use custos_model::{Observation, Sort};

use super::story::Story;
use super::wording::{CONCEPTS, FACT, FACTS, FILES, NARRATIVE, SUBTITLE, TITLE, cut, headline, one_line};
use crate::Found;

/// An observation in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    observation: Observation,
    steps: Vec<usize>,
    said: bool,
}

impl Draft {
    /// Begins with what it is and its title.
    pub(crate) fn new(sort: Sort, title: &str) -> Self {
        let observation = Observation {
            sort,
            title: headline(title, TITLE),
            subtitle: String::new(),
            narrative: String::new(),
            facts: Vec::new(),
            concepts: Vec::new(),
            files_read: Vec::new(),
            files_modified: Vec::new(),
        };
        Self { observation, steps: Vec::new(), said: false }
    }

    /// Says that the person said so themselves.
    pub(crate) fn said(mut self) -> Self {
        self.said = true;
        self
    }

    /// Says whether a text is the title, but for its last mark.
    pub(crate) fn has_title(&self, text: &str) -> bool {
        let bare = |text: &str| text.trim_end_matches(['.', '!', '。', '\u{ff01}', ' ']).to_owned();
        bare(&self.observation.title) == bare(text)
    }

    /// Gives what is told so far.
    pub(crate) fn text(&self) -> String {
        format!("{} {}", self.observation.title, self.observation.narrative)
    }

    /// Sets the line below the title.
    pub(crate) fn subtitle(mut self, text: &str) -> Self {
        self.observation.subtitle = cut(&one_line(text), SUBTITLE);
        self
    }

    /// Adds a sentence, if there is room for it whole; the first is cut rather than left out.
    pub(crate) fn tell(mut self, sentence: &str) -> Self {
        let sentence = one_line(sentence);
        if sentence.is_empty() || self.has_title(&sentence) || self.observation.narrative.contains(&sentence)
        {
            return self;
        }
        let narrative = &mut self.observation.narrative;
        let length = narrative.chars().count();
        if narrative.is_empty() {
            *narrative = cut(&sentence, NARRATIVE);
        } else if length + sentence.chars().count() < NARRATIVE {
            if !narrative.ends_with(['.', '。', '!', '…', '?', '”']) {
                narrative.push('.');
            }
            narrative.push(' ');
            narrative.push_str(&sentence);
        }
        self
    }

    /// Adds a fact that is not told yet.
    pub(crate) fn fact(mut self, fact: &str) -> Self {
        let whole = one_line(fact);
        let said = whole.strip_prefix("Error: ").unwrap_or(&whole).trim_end_matches(['.', '。']);
        let is_told = self.observation.narrative.contains(said) || self.observation.title.contains(said);
        let fact = cut(&whole, FACT);
        if !fact.is_empty()
            && !is_told
            && self.observation.facts.len() < FACTS
            && !self.observation.facts.contains(&fact)
        {
            self.observation.facts.push(fact);
        }
        self
    }

    /// Adds facts.
    pub(crate) fn facts(self, facts: impl IntoIterator<Item = String>) -> Self {
        facts.into_iter().fold(self, |draft, fact| draft.fact(&fact))
    }

    /// Adds words under which somebody would look for it.
    pub(crate) fn concepts(mut self, words: impl IntoIterator<Item = String>) -> Self {
        for word in words {
            let concepts = &mut self.observation.concepts;
            let is_word = !word.is_empty() && word.chars().count() <= 60;
            if is_word && concepts.len() < CONCEPTS && !concepts.contains(&word) {
                concepts.push(word);
            }
        }
        self
    }

    /// Sets the files that were changed for it.
    pub(crate) fn modified(mut self, files: impl IntoIterator<Item = String>) -> Self {
        for file in files {
            if self.observation.files_modified.len() < FILES
                && !self.observation.files_modified.contains(&file)
            {
                self.observation.files_modified.push(file);
            }
        }
        self
    }

    /// Sets the files that were read for it.
    pub(crate) fn read(mut self, files: impl IntoIterator<Item = String>) -> Self {
        for file in files {
            let is_new = !self.observation.files_modified.contains(&file)
                && !self.observation.files_read.contains(&file);
            if self.observation.files_read.len() < FILES && is_new {
                self.observation.files_read.push(file);
            }
        }
        self
    }

    /// Sets the steps that it was made from.
    pub(crate) fn steps(mut self, steps: impl IntoIterator<Item = usize>) -> Self {
        self.steps.extend(steps);
        self.steps.sort_unstable();
        self.steps.dedup();
        self
    }

    /// Takes the files that were read and that the observation names; they led to it.
    pub(crate) fn read_where_named(self, story: &Story<'_>) -> Self {
        const MOST: usize = 6;
        let observation = &self.observation;
        let text = format!(
            "{} {} {}",
            observation.narrative,
            observation.facts.join(" "),
            story.turn.message.as_deref().unwrap_or_default()
        );
        let named =
            files_read(story).into_iter().filter(|file| super::wording::names_file(&text, file)).take(MOST);
        let named: Vec<String> = named.collect();
        self.read(named)
    }

    /// Is finished.
    pub(crate) fn found(self) -> Found {
        Found { observation: self.observation, steps: self.steps, said: self.said }
    }
}

/// Lists the files that the story's turns read, in order.
pub(crate) fn files_read(story: &Story<'_>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for step in story.carried.iter().chain([story.turn]).flat_map(|turn| &turn.steps) {
        // A guess at a path that is not there was no reading.
        for file in step.files_read.iter().filter(|_| step.ok != Some(false)) {
            // What lies outside of the project is nobody's to look up, and what holds secrets is nobody's to be led to.
            let is_secret = super::wording::file_name(file).starts_with(".env");
            if !file.starts_with('/') && !file.starts_with('~') && !is_secret && !files.contains(file) {
                files.push(file.clone());
            }
        }
    }
    files
}
