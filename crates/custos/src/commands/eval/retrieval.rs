//! `custos eval retrieval`: documents in, questions in, ranked ids out.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

use custos_model::piece::pieces;
use custos_model::{Draft, EventId, Kind, Scope, Timestamp};
use custos_recall::{Ask, Depth, Viewer};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::scratch::{Piece, Scratch};
use crate::args::{DepthArg, RetrievalArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::progress::{Progress, Unit};

/// A document. What else a line says is not looked at.
#[derive(Debug, Deserialize)]
struct Document {
    id: String,
    scope: String,
    text: String,
    #[serde(default)]
    pos: i64,
    #[serde(default)]
    group: String,
}

/// A question, to be answered from the documents of its scope.
#[derive(Debug, Deserialize)]
struct Question {
    id: String,
    scope: String,
    text: String,
}

/// When the first document was written: long ago, so that all of them are equally old by the time of the questions.
const BEGINNING: i64 = 1_000_000_000_000;
const ASKED: i64 = 1_700_000_000_000;

/// The time between two documents.
const STEP_MS: i64 = 60_000;

pub(super) fn run(args: &RetrievalArgs, output: &mut Output) -> Result<Exit, CliError> {
    let documents: Vec<Document> = lines(&args.docs)?;
    let questions: Vec<Question> = lines(&args.queries)?;
    let scratch = Scratch::new()?;
    let drafts: Vec<Draft> = drafts(&documents);
    let texts = drafts.iter().zip(&documents).flat_map(|(draft, document)| {
        let texts = pieces(Kind::ObservationRecorded, &draft.body);
        texts.into_iter().map(|text| Piece { text, project: document.scope.clone() })
    });
    let texts: Vec<Piece> = texts.collect();
    let ids = scratch.append(drafts.into_iter())?;
    let named: HashMap<EventId, &str> =
        ids.into_iter().zip(documents.iter().map(|document| document.id.as_str())).collect();
    scratch.embed(texts)?;
    let mut store = scratch.open()?;
    let mut progress = Progress::new("asking", Some(questions.len() as u64), Unit::Lines);
    for (done, question) in questions.iter().enumerate() {
        let projects = [question.scope.as_str()];
        let depth = match args.depth {
            DepthArg::Server => Depth::Server,
            DepthArg::Hook => Depth::Hook,
        };
        let ask = Ask {
            projects: &projects,
            limit: args.k,
            ..Ask::new(&question.text, Viewer::owner(), Timestamp::from_millis(ASKED), depth)
        };
        let started = Instant::now();
        let answer = store.search(&ask)?;
        let ms = started.elapsed().as_secs_f64() * 1000.0;
        let ranked: Vec<&str> =
            answer.found.iter().filter_map(|found| named.get(&found.entry.id).copied()).collect();
        output.json(&serde_json::json!({ "id": question.id, "ranked": ranked, "ms": ms }))?;
        progress.at(done as u64);
    }
    Ok(Exit::Success)
}

/// Makes an observation of each document.
///
/// Only a place that one document claims is a place in a conversation: the others get no session, and so no neighbours.
fn drafts(documents: &[Document]) -> Vec<Draft> {
    let mut claims: HashMap<(&str, &str, i64), usize> = HashMap::new();
    let mut begun: HashMap<(&str, &str), i64> = HashMap::new();
    for (at, document) in (0..).zip(documents) {
        *claims.entry((&document.scope, &document.group, document.pos)).or_default() += 1;
        begun.entry((&document.scope, &document.group)).or_insert(at);
    }
    let draft = |(at, document): (i64, &Document)| {
        let Document { scope, text, pos, group, .. } = document;
        let is_alone = claims[&(scope.as_str(), group.as_str(), *pos)] == 1;
        let in_session = !group.is_empty() && is_alone;
        let step =
            if in_session { begun[&(scope.as_str(), group.as_str())].saturating_add(*pos) } else { at };
        let body = Map::from_iter([("narrative".to_owned(), Value::from(text.as_str()))]);
        let mut draft = Draft::new(Kind::ObservationRecorded, Scope::Project, body);
        draft.ts = Some(Timestamp::from_millis(BEGINNING.saturating_add(step.saturating_mul(STEP_MS))));
        draft.project = Some(scope.clone());
        draft.session = in_session.then(|| format!("{scope}/{group}"));
        draft
    };
    (0..).zip(documents).map(draft).collect()
}

/// Reads a file of JSON lines.
fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, CliError> {
    let unreadable =
        |error: std::io::Error| CliError::new(Exit::Data, format!("cannot read {}: {error}", path.display()));
    let file = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut read = Vec::new();
    for (number, line) in file.lines().enumerate() {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        let parsed = serde_json::from_str(&line).map_err(|error| {
            CliError::new(Exit::Data, format!("{} line {}: {error}", path.display(), number + 1))
                .hint("`custos eval retrieval --help` shows what a line holds")
        })?;
        read.push(parsed);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(group: &str, pos: i64) -> Document {
        Document { id: "d".into(), scope: "s".into(), text: "t".into(), pos, group: group.into() }
    }

    #[test]
    fn only_a_place_that_one_document_claims_is_a_place_in_a_session() {
        let documents =
            [document("g", 1), document("g", 0), document("h", 0), document("h", 0), document("", 7)];
        let drafts = drafts(&documents);
        let placed: Vec<(Option<&str>, i64)> = drafts
            .iter()
            .map(|draft| (draft.session.as_deref(), (draft.ts.unwrap().as_millis() - BEGINNING) / STEP_MS))
            .collect();
        assert_eq!(placed, [(Some("s/g"), 1), (Some("s/g"), 0), (None, 2), (None, 3), (None, 4)]);
    }
}
