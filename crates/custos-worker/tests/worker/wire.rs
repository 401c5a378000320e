//! A provider at the other end of a real wire, with clocks of the test's own.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use custos_distill::model::Model;
use custos_model::Kind;
use custos_providers::{Named, Provider, open};
use custos_testkit::model_server::{ModelServer, Play};
use custos_worker::circuit::broken;
use custos_worker::stop::Stop;
use custos_worker::{Models, Report};
use serde_json::json;

use crate::desk::{Desk, answer};

/// Lets a worker ask a server.
fn run(desk: &Desk, server: &ModelServer) -> Report {
    let url = server.url();
    let open = move || -> Result<Box<dyn Model>, _> {
        open(&Provider {
            named: Named::OpenAi,
            model: Some("m"),
            base_url: Some(&url),
            key: None,
            proxy: None,
            authorities: None,
            state: Path::new(""),
            claude: Path::new(""),
            environment: &[],
        })
    };
    let models = Models { provider: "openai".to_owned(), model: "m".to_owned(), open: Box::new(open) };
    desk.run_with(Some(models), Stop::when(Arc::clone(&desk.stop)))
}

fn server() -> ModelServer {
    let server = ModelServer::start().unwrap();
    server.always(Play::Says(answer("From the model").unwrap()));
    server
}

#[test]
fn a_provider_that_hangs_is_given_up_in_time_paid_for_and_asked_again() {
    let (mut desk, server) = (Desk::new(), server());
    desk.settings.deadline = Duration::from_millis(300);
    desk.turn("s", "one", 9);
    desk.end("s");
    server.play([Play::Hangs, Play::Drips("x".repeat(10_000), Duration::from_millis(5))]);
    let began = Instant::now();
    let report = run(&desk, &server);
    assert_eq!((report.fell_back, report.failed, desk.counts().pending), (0, 0, 0));
    assert_eq!(desk.titles(), ["From the model"]);
    // Generous, because the machine may be busy; somebody who waits for the server waits for ever.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    let took = desk.events(Kind::UsageRecorded);
    assert_eq!(took.len(), 3, "two that nobody knows, and one that the server counted");
    assert!(took[..2].iter().all(|(.., took)| took["output"].as_u64() > Some(100)), "{took:?}");
}

#[test]
fn a_provider_that_is_back_after_an_hour_is_asked_again_without_anybody_coming_by() {
    let (mut desk, server) = (Desk::new(), server());
    server.always(Play::refusal(503, "overloaded", "come back later"));
    desk.turn("s", "early", 9);
    // Every now and then somebody works on, so that the worker has no reason to end.
    desk.settings.idle = Some(Duration::from_mins(10));
    let (log, back) = (desk.log.clone(), Arc::new(server));
    let (answering, turns) = (Arc::clone(&back), std::sync::Mutex::new(0));
    desk.clocks.waited = Arc::new(move |steady| {
        let mut turns = turns.lock().unwrap();
        if *turns < 8 && steady >= Duration::from_secs(540 * (*turns + 1)) {
            *turns += 1;
            if *turns == 7 {
                answering.always(Play::Says(answer("From the model").unwrap()));
            }
            crate::desk::append_turn(&log, "s", &format!("turn {turns}"), 9);
        }
    });
    let report = run(&desk, &back);
    // Rules stood in for the first hour, and the last two turns had their model again.
    assert_eq!((report.units, report.fell_back, desk.counts().pending), (9, 7, 0));
    assert_eq!(broken(&desk.log.places().state), None);
    let by: Vec<_> = desk.events(Kind::WorkDone).into_iter().map(|(.., done)| done["by"].clone()).collect();
    assert_eq!(by[7..], [json!("openai/m"), json!("openai/m")], "{by:?}");
}
