//! `custos distill test`: what would be remembered of your last work, by rules and by a model, side by side.
//!
//! It asks the same question in the same words as a worker would, and writes nothing but what it took: no memory, nothing in the state
//! directory. It keeps to the budget of the day, because agents can run it as well.

use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use custos_config::Provider;
use custos_distill::model::{Fault, Question, Spent};
use custos_distill::prompt::{self, About};
use custos_distill::{Distilled, Turn, answer, rules};
use custos_model::{Draft, Kind, Observation, Origin, Scope, Summary};
use custos_worker::ledger::{self, Budget, Ledger};
use serde::Serialize;
use serde_json::json;

use crate::commands::index;
use crate::context::Context;
use crate::distiller::{self, Reach};
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, WARN, styled, tell};
use crate::render::{self, cut, grouped, printable, wrapped};
use crate::when;

mod last_turn;

use self::last_turn::Found;

/// How long a model may take for one question.
const PATIENCE: Duration = Duration::from_mins(1);

/// How wide the answer is.
const WIDTH: usize = 80;

#[derive(Debug, Subcommand)]
pub(crate) enum DistillCommand {
    /// Show what rules make of your last work and what a model would; nothing is remembered
    #[command(after_help = "\
Examples:
  custos distill test                          rules, and the model you chose
  custos distill test --provider claude-cli    before you choose one
  custos distill test --session s-4f1c2a --json

It takes the last turn in which a file was changed: of the project that you are
in, or of any if there is none. A model is sent the evidence of that turn,
without secrets and private text, and what it takes is shown and counted against
distill.tokens_per_day.

Exit codes:
  0   done
  1   the model did not answer, or not in a form that can be used
  66  nothing is recorded yet in which a file was changed
  78  the provider cannot be asked: no key, or no program; it says what to do")]
    Test(TestArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Ask this provider instead of the one in the settings
    #[arg(long, value_name = "PROVIDER", value_parser = PossibleValuesParser::new(Provider::ALL.map(Provider::name)))]
    provider: Option<String>,
    /// Take the last such turn of this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

/// What a distiller made of the turn, and what it took.
#[derive(Default, Serialize)]
struct Made {
    by: String,
    ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    spent: Option<Cost>,
    observations: Vec<Observation>,
    summary: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    #[serde(skip)]
    exit: Exit,
}

/// What a model took.
#[derive(Default, Serialize)]
struct Cost {
    calls: usize,
    input: u64,
    cached: u64,
    output: u64,
    /// Estimated; none where no price is known.
    microdollars: Option<u64>,
}

impl Cost {
    fn add(&mut self, spent: Spent) {
        self.microdollars = match (self.calls, self.microdollars, spent.microdollars) {
            (0, _, first) => first,
            (_, Some(sum), Some(more)) => Some(sum + more),
            _ => None,
        };
        self.calls += 1;
        self.input += spent.input;
        self.cached += spent.cached;
        self.output += spent.output;
    }
}

/// What was spent today, and what may be.
struct Books<'a> {
    context: &'a Context,
    ledger: Ledger,
}

impl Books<'_> {
    /// Says whether a question may be asked, and what it may take.
    fn may_ask(&self, question: &Question<'_>) -> Result<Spent, (String, String)> {
        let input = ledger::estimate(question.system) + ledger::estimate(question.prompt);
        let most = Spent { input, output: u64::from(question.most_tokens), ..Spent::default() };
        let may = self.ledger.may_spend(question.session, most.input + most.output);
        may.map(|()| most)
            .map_err(|reason| (reason, "`custos config set distill.tokens_per_day N` allows more".to_owned()))
    }

    fn enter(&mut self, reach: &Reach, turn: &Turn, spent: Spent) -> Result<(), (String, String)> {
        let (provider, model) = reach.names();
        if spent == Spent::default() {
            return Ok(());
        }
        self.ledger.add("", spent);
        let mut body = ledger::entry(provider, model, spent);
        // What names no work was somebody else's to pay for.
        body.insert("work".to_owned(), json!("distill-test"));
        let mut draft = Draft::new(Kind::UsageRecorded, Scope::Project, body);
        draft.project.clone_from(&turn.project);
        let entered = self.context.log().append(draft, Origin::Distiller);
        let problem =
            |error| (format!("what it took cannot be recorded: {error}"), "`custos doctor`".to_owned());
        entered.map(drop).map_err(problem)
    }
}

impl Made {
    fn take(&mut self, distilled: Distilled) {
        self.observations = distilled.observations.into_iter().map(|found| found.observation).collect();
        self.summary = distilled.summary;
    }
}

pub(crate) fn run(
    context: &Context,
    command: &DistillCommand,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let DistillCommand::Test(args) = command;
    let provider = match &args.provider {
        None => context.settings.distill.provider,
        Some(name) => Provider::ALL.into_iter().find(|provider| provider.name() == name).unwrap_or_default(),
    };
    let reader = context.reader();
    let mut index = index::up_to_date(context)?;
    let session = args.session.as_deref();
    let session = session.map(|wanted| named::session(context, &mut index, wanted)).transpose()?;
    let session = session.as_deref();
    let here = environment::working_directory().map(|dir| context.names().find(&dir).identity);
    let found =
        index.ask(&reader, |index| match last_turn::find(index, &reader, session, here.as_deref())? {
            None if session.is_none() => last_turn::find(index, &reader, None, None),
            found => Ok(found),
        })?;
    let Some(found) = found else { return Err(nothing_yet(session)) };
    let budget = Budget { per_day: Some(context.settings.distill.tokens_per_day), per_session: None };
    let day = when::days(when::now(), 1).first().map_or_else(when::now, |day| day.began);
    let mut books = Books { context, ledger: Ledger::read(&mut index, budget, day)? };
    drop(index);

    let by_rules = by_rules(&found);
    if !output.is_json() {
        show_turn(&found, output)?;
        show(&by_rules, output)?;
    }
    let by_model = match distiller::prepare(context, provider) {
        Ok(None) => None,
        Ok(Some(reach)) => Some(by_model(&reach, &found, &mut books, output)?),
        Err(not_ready) => Some(Made {
            by: provider.name().to_owned(),
            problem: Some(not_ready.to_string()),
            advice: Some(not_ready.advice()),
            exit: Exit::Config,
            ..Made::default()
        }),
    };
    let exit = by_model.as_ref().map_or(Exit::Success, |made| made.exit);
    if output.is_json() {
        let turn = json!({
            "session": found.session, "client": found.turn.client, "project": found.turn.project,
            "began": found.turn.began, "ended": found.turn.ended, "steps": found.turn.steps.len(),
        });
        output.json(&json!({ "turn": turn, "rules": by_rules, "model": by_model }))?;
        return Ok(exit);
    }
    match by_model {
        Some(made) => show(&made, output)?,
        // Whoever asks for rules knows.
        None if args.provider.is_some() => {}
        None => output.line(styled(
            DIM,
            "No model is chosen. `--provider claude-cli` shows what one would make of it.",
        ))?,
    }
    Ok(exit)
}

fn nothing_yet(session: Option<&str>) -> CliError {
    let (where_, hint) = match session {
        Some(session) => (
            format!("in session {session}"),
            "leave --session out, or take one that `custos log tail --kind turn` shows",
        ),
        None => (
            "yet".to_owned(),
            "let a client change a file and end its turn, then try again; `custos setup` wires clients, `custos doctor` says whether they are heard",
        ),
    };
    CliError::new(Exit::NotFound, format!("no turn was recorded {where_} in which a file was changed"))
        .hint(hint)
}

fn by_rules(found: &Found) -> Made {
    let began = Instant::now();
    let distilled = rules::distil(&found.turn, &found.before);
    let mut made = Made { by: "rules".to_owned(), ms: millis(began), ..Made::default() };
    made.take(distilled);
    made
}

/// Asks a model as a worker would, but from a directory of its own, so that no conversation of the worker's goes on with this.
fn by_model(reach: &Reach, found: &Found, books: &mut Books<'_>, output: &Output) -> Result<Made, CliError> {
    let mut made = Made { by: reach.to_string(), ..Made::default() };
    let dir = tempfile::tempdir().map_err(|error| {
        CliError::new(Exit::Io, format!("cannot create a temporary directory: {error}")).hint("check TMPDIR")
    })?;
    if !output.is_json() {
        tell(styled(DIM, format!("asking {reach} …")));
    }
    let began = Instant::now();
    match ask(&reach.clone().with_state(dir.path()), &found.turn, books, &mut made) {
        Ok(distilled) => made.take(distilled),
        Err((problem, advice)) => {
            made.problem = Some(problem);
            made.advice = Some(advice);
            made.exit = Exit::Found;
        }
    }
    made.ms = millis(began);
    Ok(made)
}

/// Asks all questions about a turn; what went wrong comes with what to do.
fn ask(
    reach: &Reach,
    turn: &Turn,
    books: &mut Books<'_>,
    made: &mut Made,
) -> Result<Distilled, (String, String)> {
    let mut model = reach.open().map_err(|fault| (fault.to_string(), reach.advice(&fault)))?;
    let turns = std::slice::from_ref(turn);
    let date = when::days(turn.ended, 1).into_iter().next().map(|day| day.name).unwrap_or_default();
    let project = turn.project.as_deref().map_or("-", render::short_project);
    // What is known already is left out: of a turn that was distilled before, nothing would remain.
    let pieces = prompt::of(turns, &About { project, date: &date, known: &[] });
    let mut spent = Cost::default();
    let mut answers = Vec::new();
    for piece in pieces.prompts {
        let question = Question {
            session: "distill-test",
            system: pieces.system,
            prompt: &piece.text,
            most_tokens: prompt::MOST_ANSWER,
            within: PATIENCE,
        };
        let most = books.may_ask(&question)?;
        let reply = match model.ask(&question) {
            Ok(reply) => reply,
            Err(fault) => {
                let spent = match &fault {
                    Fault::Declined { spent, .. } => Some(spent.unwrap_or(most)),
                    // It was sent, and thought about until nobody waited any more.
                    Fault::CutOff(_) => Some(most),
                    _ => None,
                };
                spent.map_or(Ok(()), |spent| books.enter(reach, turn, spent))?;
                return Err((fault.to_string(), reach.advice(&fault)));
            }
        };
        books.enter(reach, turn, reply.spent)?;
        spent.add(reply.spent);
        answers.push(answer::read(&reply.text, turns, piece.steps));
        made.spent = Some(Cost { ..spent });
    }
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>().map_err(|problem| {
        let advice = "a worker would ask once more and then take what rules make of it; another distill.model may do better";
        (format!("the answer cannot be used: {problem}"), advice.to_owned())
    })?;
    Ok(answer::joined(answers))
}

fn millis(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn show_turn(found: &Found, output: &mut Output) -> Result<(), CliError> {
    let turn = &found.turn;
    let calls = render::count(turn.steps.len() as u64, "tool call");
    output.line(format!(
        "{} {}, {}, {calls}",
        styled(BOLD, "The turn of"),
        render::local(turn.ended),
        printable(&turn.client)
    ))?;
    if let Some(said) = turn.said.first() {
        let line = said.text.split_whitespace().collect::<Vec<_>>().join(" ");
        output.line(styled(DIM, format!("  “{}”", cut(&printable(&line), WIDTH - 4))))?;
    }
    let project = turn.project.as_deref().map_or("none", render::short_project);
    let place = format!("  project {}, session {}", printable(project), printable(&found.session));
    output.line(styled(DIM, cut(&place, WIDTH)))
}

fn show(made: &Made, output: &mut Output) -> Result<(), CliError> {
    output.line("")?;
    output.line(format!("{}  {}", styled(BOLD, printable(&made.by)), styled(DIM, took(made))))?;
    if let Some(problem) = &made.problem {
        output.line(styled(WARN, wrapped(&printable(problem), WIDTH, "  ")))?;
        let advice = made.advice.iter().map(|advice| wrapped(&printable(advice), WIDTH, "  "));
        return advice.into_iter().try_for_each(|advice| output.line(styled(DIM, advice)));
    }
    for observation in &made.observations {
        show_observation(observation, output)?;
    }
    if made.observations.is_empty() {
        output.line("  nothing worth keeping")?;
    }
    if let Some(summary) = &made.summary {
        let parts = [
            ("wanted", &summary.request),
            ("found", &summary.learned),
            ("done", &summary.completed),
            ("left", &summary.next_steps),
        ];
        output.line(format!("  {}", styled(BOLD, "summary")))?;
        for (name, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
            output.line(wrapped(&format!("{name}: {}", printable(text)), WIDTH, "    "))?;
        }
    }
    Ok(())
}

fn took(made: &Made) -> String {
    let time =
        if made.ms < 1_000 { format!("{} ms", made.ms) } else { format!("{:.1} s", made.ms as f64 / 1e3) };
    match &made.spent {
        None if made.problem.is_some() => String::new(),
        None => format!("{time}, no tokens"),
        Some(spent) => {
            let cost = spent.microdollars.map_or_else(
                || "price not known".to_owned(),
                |micros| format!("about ${:.4}", micros as f64 / 1e6),
            );
            let (input, cached) = (grouped(spent.input), grouped(spent.cached));
            format!("{time}, {input} tokens in ({cached} cached), {} out, {cost}", grouped(spent.output))
        }
    }
}

fn show_observation(observation: &Observation, output: &mut Output) -> Result<(), CliError> {
    let title = printable(&observation.title);
    let head = wrapped(&format!("{:<9} {title}", observation.sort.name()), WIDTH, "  ");
    output.line(styled(BOLD, head))?;
    let narrative = wrapped(&printable(&observation.narrative), WIDTH, "    ");
    if !narrative.is_empty() {
        output.line(narrative)?;
    }
    for fact in &observation.facts {
        output.line(wrapped(&format!("- {}", printable(fact)), WIDTH, "    "))?;
    }
    if !observation.files_modified.is_empty() {
        let files = format!("changed {}", printable(&observation.files_modified.join(", ")));
        output.line(styled(DIM, wrapped(&files, WIDTH, "    ")))?;
    }
    Ok(())
}
