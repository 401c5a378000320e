//! One call of a hook, from bytes to bytes: read, run through the phases of its moment, answered.

use std::path::Path;

use custos_clients::answer::within;
use custos_clients::overrides::Overrides;
use custos_clients::{Answer, Client, Happening, HookEvent, Moment, Reply, Verdict};
use custos_log::spool::Spool;
use custos_log::{Log, intake};
use serde_json::{Value, json};

use crate::errand;
use crate::exclude::Exclude;
use crate::guarding::{self, Ruling, Watch, cannot_judge};
use crate::hinting;
use crate::kin::Process;
use crate::phase::{Phase, phases};
use crate::recalling::{self, Recaller};
use crate::record::Keep;
use crate::recording::{join, record};
use crate::scribe::Scribe;
use crate::silence;

/// A call of a hook.
#[derive(Debug)]
pub struct Call<'a> {
    /// The client, as the installed command names it.
    pub client: &'static Client,
    /// The event, in the client's own spelling.
    pub event: &'a str,
    /// What came on standard input, or why it could not be read.
    pub payload: Result<Vec<u8>, String>,
}

/// What a call takes from outside.
pub struct Around<'a> {
    /// The log.
    pub log: &'a Log,
    /// What waits for the log.
    pub spool: &'a Spool,
    /// How much of a call is kept.
    pub keep: Keep,
    /// The person's own list of tools that carry nothing.
    pub quiet: Option<&'a [String]>,
    /// What the person does not want to have recorded.
    pub exclude: Exclude<'a>,
    /// The configuration directory, in which the person changes what is known about a client.
    pub config: &'a Path,
    /// The home directory.
    pub home: Option<&'a str>,
    /// The directory in which the hook runs, for clients that do not tell theirs.
    pub cwd: Option<&'a Path>,
    /// The role that the environment gives.
    pub role: Option<String>,
    /// The guard; none if the person has switched it off.
    pub watch: Option<Watch<'a>>,
    /// Whether anything is recorded: not where another client runs this one's hooks beside its own.
    pub records: bool,
    /// The client's process that called; none where the system does not tell. Asked only when a session starts, ends or is asked something.
    pub client_process: &'a dyn Fn() -> Option<Process>,
    /// Clients that are wired, with the newest sign of life in their transcripts; asked only when a session starts.
    pub wired: &'a dyn Fn() -> Vec<silence::Wired>,
    /// The memory of earlier sessions; none where nothing is told of it.
    pub recaller: Option<&'a dyn Recaller>,
    /// Starts a worker unless one runs; the error says why it could not.
    pub wake: &'a dyn Fn() -> Result<(), String>,
}

/// The longest path that Linux takes.
const LONGEST_PATH: usize = 4096;

/// Answers a call. Whatever happens in here, there is an answer.
pub fn answer(call: Call<'_>, around: &Around<'_>) -> Reply {
    let scribe = Scribe::new(around, call.client, call.event);
    call.client.reply(call.event, &answer_payload(&scribe, call.payload))
}

/// The answer where a call could not be read: a question if it was to be judged, for nobody knows what would run; else silence.
pub fn without_judging(client: &Client, event: &str, why: &str) -> Answer {
    match client.moment(event) {
        Some(Moment::ToolStarting | Moment::PermissionAsked) => {
            Answer { verdict: cannot_judge(why).verdict, context: None }
        }
        _ => Answer::silence(),
    }
}

fn answer_payload(scribe: &Scribe<'_>, payload: Result<Vec<u8>, String>) -> Answer {
    let unread = |why: &str| match scribe.around.watch {
        Some(_) => without_judging(scribe.client, scribe.event, why),
        None => Answer::silence(),
    };
    let mut bytes = match payload {
        Ok(bytes) => bytes,
        Err(problem) => {
            scribe.trouble(&problem);
            return unread(&problem);
        }
    };
    let limit = scribe.around.log.limits().event;
    let fields = match intake::read_object(&mut bytes, limit) {
        Ok(fields) => fields,
        Err(problem) => {
            let text = String::from_utf8_lossy(&bytes);
            let problem = format!("the payload is no JSON object: {problem}");
            scribe.keep_as_it_came(Some(&problem), json!(text));
            return unread(&problem);
        }
    };
    let Some(moment) = scribe.client.moment(scribe.event) else {
        scribe.keep_as_it_came(None, Value::Object(fields));
        return Answer::silence();
    };
    // Cursor runs Claude Code's hooks as well, with its own words; its own entry takes care of them.
    if scribe.client.name != "cursor" && fields.contains_key("cursor_version") {
        return Answer::silence();
    }
    match scribe.client.read(moment, fields) {
        Ok(event) => run(scribe, phases(moment), event),
        Err(misread) => {
            // Read again rather than copied by everyone who will not need it.
            let fields = intake::read_object(&mut bytes, limit).unwrap_or_default();
            scribe.keep_as_it_came(Some(&misread.to_string()), Value::Object(fields));
            unread(&misread.to_string())
        }
    }
}

fn run(scribe: &Scribe<'_>, phases: &[Phase], mut event: HookEvent) -> Answer {
    let around = scribe.around;
    if event.cwd.is_none() {
        event.cwd = around.cwd.and_then(Path::to_str).map(str::to_owned);
    }
    if event.cwd.as_ref().is_some_and(|cwd| cwd.len() > LONGEST_PATH) {
        scribe.trouble("the working directory is longer than any path, and was left out");
        event.cwd = None;
    }
    let cwd = event.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute());
    let project = cwd.map(|cwd| scribe.names.find(cwd));
    let root = project.as_ref().map(|project| project.root.as_path());
    let overrides = Overrides::load(scribe.client, around.config, root);
    if overrides.is_off(scribe.event) {
        return Answer::silence();
    }
    let mut answer = Answer::silence();
    let mut ruling = Ruling::default();
    // Where nothing is recorded there is no session to join: its journal would be found silent a day later, and be told as interrupted.
    let records = around.records && !around.exclude.has_project(project.as_ref());
    let joined = if records {
        join(scribe, &event, project.as_ref())
    } else {
        Err("this session is not recorded, or by another client's entry".to_owned())
    };
    let chance = if records && phases.contains(&Phase::Recall) {
        recalling::chance(scribe, &joined, &event, project.as_ref())
    } else {
        None
    };
    let mut is_first_chance = false;
    // Recording takes the event with it; what comes before it in the table only looks at it.
    let mut to_record = Some((event, project));
    for phase in phases {
        match phase {
            Phase::Guard => {
                if let (Some(watch), Some((event, project))) = (&around.watch, &to_record) {
                    let heading = joined.as_ref().ok().and_then(|(_, session)| session.heading());
                    let session_root = heading.and_then(|heading| heading.root);
                    ruling = guarding::judge(
                        scribe,
                        watch,
                        event,
                        project.as_ref(),
                        session_root.as_deref(),
                        &overrides,
                    );
                }
            }
            // Beside a denial it would be about something that does not happen.
            Phase::Hint if records && ruling.verdict.is_none() => {
                if let Some((event, project)) = &to_record {
                    let hint = hinting::hint(scribe, &joined, event, project.as_ref(), &overrides);
                    ruling.context = together([ruling.context.take(), hint]);
                }
            }
            Phase::Record if records => {
                if let Some((event, project)) = to_record.take() {
                    // Nobody is sent by a call that is denied.
                    if let (Some(_), Ok((_, session)), None) = (around.recaller, &joined, &ruling.verdict) {
                        errand::note(scribe, session, &event, &overrides);
                    }
                    let problems = match (&event.happening, &around.watch) {
                        (Happening::SessionStarted { .. }, Some(watch)) => {
                            guarding::problems(scribe, watch, &event, project.as_ref())
                        }
                        _ => None,
                    };
                    let told = record(scribe, &joined, event, ruling.noted.as_ref(), project, &overrides);
                    is_first_chance = told.is_first_chance;
                    answer.context = together([told.context, problems, ruling.context.take()]);
                    if told.insists {
                        insist(&mut ruling);
                    }
                }
            }
            Phase::Wake if records => {
                if let Err(problem) = (around.wake)() {
                    scribe.trouble(&format!("no worker could be started: {problem}"));
                }
            }
            Phase::Recall => {
                if let Some(chance) = &chance {
                    let (said, limit) = (answer.context.take(), overrides.context_limit);
                    answer.context = chance.take(scribe, &joined, said, limit, is_first_chance);
                }
            }
            Phase::Hint | Phase::Record | Phase::Wake | Phase::Improve => {}
        }
    }
    answer.verdict = ruling.verdict;
    if let (Some(context), Some(limit)) = (&mut answer.context, overrides.context_limit) {
        *context = within(context, limit).to_owned();
    }
    answer
}

/// Tells an agent that goes on trying what was denied that it should stop.
fn insist(ruling: &mut Ruling) {
    if let Some(Verdict::Deny(text)) = &mut ruling.verdict {
        text.push_str(
            " This rule has now denied several attempts in this session: stop trying other spellings, and ask the person how to go on.",
        );
    }
}

/// Puts texts for the model together.
fn together<const N: usize>(texts: [Option<String>; N]) -> Option<String> {
    let mut texts = texts.into_iter().flatten();
    let first = texts.next()?;
    Some(texts.fold(first, |all, text| all + "\n\n" + &text))
}
