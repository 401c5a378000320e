//! Who makes vectors, whether that works, and what waits for it. Nothing is contacted unless the person asked for it.

use std::error::Error;
use std::time::{Duration, Instant};

use custos_embed::{EmbedError, Embedder as _};

use super::Check;
use crate::commands::index;
use crate::context::Context;
use crate::embedder::{Chosen, Reach, Standing};
use crate::error::CliError;

/// How long a server may take for the question that only asks whether it answers.
const PATIENCE: Duration = Duration::from_secs(30);

/// Makes the checks that are about vectors.
pub(super) fn checks(context: &Context, online: bool) -> Vec<Check> {
    // What keeps the index from being read is told by its own check.
    let read =
        || -> Result<Standing, CliError> { Ok(Standing::read(context, &mut index::up_to_date(context)?)?) };
    let Ok(standing) = read() else { return Vec::new() };
    let mut checks = vec![found(context, &standing)];
    if let (true, Ok(Chosen::Http(reach))) = (online, &standing.embedder) {
        checks.push(asked(reach));
    }
    checks
}

fn found(context: &Context, standing: &Standing) -> Check {
    match &standing.embedder {
        Err(not_ready) => {
            let found = format!("{not_ready}; memories are found by their words alone");
            return Check::bad("vectors", found, not_ready.advice());
        }
        #[cfg(feature = "minilm")]
        Ok(Chosen::Minilm) => {
            if let Err(error) = custos_embed::MiniLm::verify() {
                let found = format!("the model inside the program is damaged: {error}");
                return Check::bad("vectors", found, "install custos again");
            }
        }
        Ok(Chosen::Http(reach)) => {
            // Nobody is asked: this only says whether the address is one.
            if let Err(error) = reach.open(Some(1), PATIENCE) {
                let found = format!("{} cannot be asked: {}", reach.url, said(&error));
                return Check::bad("vectors", found, "`custos config set recall.embedder_url https://…`");
            }
        }
        Ok(Chosen::None) => {}
    }
    if standing.waiting > 0 && !context.settings.worker.wake {
        let advice = "worker.wake is off: `custos worker run --until-idle` makes them";
        return Check::note("vectors", standing.said(), advice);
    }
    Check::ok("vectors", standing.said())
}

/// Asks the server for a vector.
fn asked(reach: &Reach) -> Check {
    let began = Instant::now();
    match reach.open(None, PATIENCE) {
        Ok(embedder) => Check::ok(
            "embedder",
            format!(
                "{} answered in {:.1} s, {} dimensions",
                embedder.id(),
                began.elapsed().as_secs_f64(),
                embedder.dims()
            ),
        ),
        Err(error) => Check::bad(
            "embedder",
            format!("{} gives no vectors: {}", reach.url, said(&error)),
            "check recall.embedder_url, recall.embedder_model and the key (CUSTOS_EMBEDDER_KEY or keys/embedder)",
        ),
    }
}

fn said(error: &EmbedError) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
