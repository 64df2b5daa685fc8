//! Stage by stage: sends, keeps, learns, and stops where it is to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;
use trueline_core::{Conditions, Load, Outcome, Plan, Tokens};
use trueline_host::Watch;
use trueline_probe::{
    Arm, Arrival, Asking, Between, Budget, Client, Ended, Exchange, LoadRun, Purpose, Ran,
    RequestRate, Ruler, RunClock, Schedule, Stage, Stop, count_words, request_record,
};

use super::bystander::Bystander;
use super::failures::Failures;
use super::kept::Kept;
use super::measured::{Ending, Measured};
use super::{Measure, MeasureError, MeasureErrorKind, PROGRESS_EVERY, StageProgress};

/// What is learnt on the way from stage to stage.
struct Way<'h> {
    kept: Kept<'h>,
    failures: Failures,
    bystander: Option<Bystander>,
    ruler: Ruler,
    clock: RunClock,
    sent: u64,
    spent: Tokens,
}

/// Measures what was asked for.
pub(super) fn drive(mut measure: Measure<'_>) -> Result<Measured, MeasureError> {
    check(&measure)?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| {
        MeasureError::new(MeasureErrorKind::Runtime, format!("expected a runtime: {e}"))
    })?;
    let watch = measure.watch.take().map(Watch::start).transpose()?;
    let clock = RunClock::start();
    let mut way = Way {
        kept: Kept::new(measure.save.take()),
        failures: Failures::default(),
        bystander: measure.bystander.map(|every| Bystander::new(every, clock)),
        ruler: Ruler::default(),
        clock,
        sent: 0,
        spent: Tokens::default(),
    };
    let stages = std::mem::take(&mut measure.experiment.stages);
    let (mut endings, mut left_out) = (Vec::new(), Vec::new());
    for (at, stage) in stages.iter().enumerate() {
        if !left_out.is_empty() {
            left_out.push(stage.label.clone());
            continue;
        }
        if let Err(why) = between(&mut measure, stage) {
            left_out.push(format!("{} ({why})", stage.label));
            continue;
        }
        let ran = match send(&runtime, &mut measure, &mut way, &stages, at) {
            Ok(ran) => ran,
            // What was measured before is not given up for a stage that cannot be sent.
            Err(why) if stages.iter().take(at).any(|s| s.purpose == Purpose::Measured) => {
                left_out.push(format!("{} ({why})", stage.label));
                continue;
            }
            Err(why) => return Err(why),
        };
        way.sent += ran.counts.sent;
        way.spent = Tokens::new(way.spent.get().saturating_add(ran.spent.get()));
        let goes_on = !matches!(ran.ended, Ended::Caller | Ended::Budget(_));
        endings.push(Ending { stage: stage.label.clone(), ended: ran.ended, partial: ran.partial });
        if !goes_on {
            left_out.extend(stages.iter().skip(at + 1).map(|stage| stage.label.clone()));
            break;
        }
    }
    // What was measured is not given up for the watch beside it.
    let (host, host_lost) = match watch.map(Watch::finish) {
        None => (None, None),
        Some(Ok(record)) => (Some(record), None),
        Some(Err(why)) => (None, Some(why.to_string())),
    };
    let (runs, unsaved) = way.kept.finish();
    let failures = way.failures.finish();
    let bystander = way.bystander.map(|bystander| bystander.times());
    Ok(Measured { runs, host, host_lost, failures, bystander, endings, left_out, unsaved })
}

/// Whether its parts go together.
fn check(measure: &Measure<'_>) -> Result<(), MeasureError> {
    let stages = &measure.experiment.stages;
    let contradiction =
        |message: &str| Err(MeasureError::new(MeasureErrorKind::Contradiction, message));
    if stages.iter().any(|stage| stage.arm == Some(Arm::Second)) && measure.clients.1.is_none() {
        return contradiction("expected a second server for an experiment of two arms, found one");
    }
    if measure.clients.1.is_some() && stages.iter().all(|stage| stage.arm.is_none()) {
        return contradiction(
            "expected an experiment of two arms for two servers, found one of one",
        );
    }
    let endless = stages.iter().any(|stage| stage.requests().is_none());
    if endless && !measure.stop.ends_of_itself() {
        return contradiction(
            "expected a number of requests, a time or a width to end at, found none",
        );
    }
    if stages.iter().any(|stage| stage.before == Between::Flush) && measure.flush.is_none() {
        return contradiction(
            "expected a way to empty the server's cache between stages, found none",
        );
    }
    Ok(())
}

/// Sees to what must hold before a stage.
fn between(measure: &mut Measure<'_>, stage: &Stage) -> Result<(), String> {
    match (&mut measure.flush, stage.before) {
        (Some(flush), Between::Flush) => flush(),
        _ => Ok(()),
    }
}

/// Sends a stage and keeps what came of it.
fn send(
    runtime: &Runtime,
    measure: &mut Measure<'_>,
    way: &mut Way<'_>,
    stages: &[Stage],
    at: usize,
) -> Result<Ran, MeasureError> {
    let Some(stage) = stages.get(at) else {
        return Err(MeasureError::new(MeasureErrorKind::Contradiction, "expected a stage"));
    };
    let schedule = schedule(measure, stage)?;
    let asked_beside = way.bystander.as_ref().map(Bystander::times).unwrap_or_default();
    let budget = measure.budget.clone().less(way.spent).less(asked_beside.tokens);
    let is_measured = stage.purpose == Purpose::Measured;
    let stop = if is_measured { measure.stop.rule() } else { Stop::when_exhausted() };
    let client = client(measure, stage);
    // What warms up stands in the run that it warms up for.
    let of_run = stages
        .iter()
        .skip(at)
        .find(|next| next.purpose == Purpose::Measured && (is_measured || next.arm == stage.arm));
    let of_run = of_run.unwrap_or(stage);
    let first = of_run.askings(&way.ruler, way.sent).next();
    let first_part = first.and_then(|asking: Asking| asking.part);
    let (mut plan, conditions) = asked(measure, of_run, &budget)?;
    if of_run.arm.is_none() && of_run.has_parts() {
        // The parts share the requests and the load of their stage: neither is that of one of them.
        plan.requests = None;
        plan.load = None;
    }
    let single = stages.iter().filter(|stage| stage.purpose == Purpose::Measured).count() == 1;
    let name = names(&measure.label, of_run, single);

    let words = Rc::new(RefCell::new(HashMap::new()));
    let counted = Rc::clone(&words);
    let askings = stage.askings(&way.ruler, way.sent).inspect(move |asking| {
        if !is_measured {
            counted.borrow_mut().insert(asking.number, count_words(&asking.prompt));
        }
    });
    let mut pairs = Vec::new();
    let (clock, bystander) = (way.clock, way.bystander.as_ref());
    let (kept, failures) = (&mut way.kept, &mut way.failures);
    // A bystander's requests stand where those do that warm up.
    let beside = |kept: &mut Kept<'_>| {
        for exchange in bystander.map(Bystander::taken).unwrap_or_default() {
            let (label, arm) = name(first_part.as_deref());
            kept.begin(&label, &arm, &plan, &conditions);
            kept.row(&label, request_record(&exchange, &clock));
        }
    };
    let sink = |exchange: Exchange| {
        let prompt = exchange.tokens.prompt.value().filter(|_| exchange.outcome == Outcome::Ok);
        pairs.extend(words.borrow_mut().remove(&exchange.number).zip(prompt));
        let part = if is_measured { exchange.part.clone() } else { first_part.clone() };
        let (label, arm) = name(part.as_deref());
        failures.note(&label, &exchange, &clock);
        kept.begin(&label, &arm, &plan, &conditions);
        kept.row(&label, request_record(&exchange, &clock));
        beside(kept);
    };
    let limit = budget.bystander_limit;
    let mut run = LoadRun::new(schedule, stop).with_budget(budget);
    if let Some(bystander) = bystander {
        run = bystander.watches(run, limit);
    }
    if let Some(hook) = &mut measure.progress {
        let (label, place) = (stage.label.clone(), (at + 1, stages.len()));
        run = run.with_progress(PROGRESS_EVERY, move |progress| {
            hook(&StageProgress { stage: &label, place, progress })
        });
    }
    run.check()?;
    let mut askings = askings.peekable();
    let ran = runtime.block_on(LocalSet::new().run_until(async {
        let asking = match bystander {
            Some(bystander) => Some(bystander.begin(client.apart()).await),
            None => None,
        };
        let ran = run.run(&client, &mut askings, clock, sink).await;
        if let Some(asking) = asking {
            asking.end().await;
        }
        ran
    }))?;
    beside(&mut way.kept);
    if is_measured {
        let label = name(None).0;
        way.kept.close(|of| of == label || of.starts_with(&format!("{label}, ")), &ran);
    } else if stage.purpose == Purpose::WarmUp && way.ruler == Ruler::default() {
        way.ruler = Ruler::learn(&pairs).unwrap_or_default();
    }
    Ok(ran)
}

/// What the runs of a measured stage are asked for, and what is known of their server.
fn asked(
    measure: &Measure<'_>,
    stage: &Stage,
    budget: &Budget,
) -> Result<(Plan, Conditions), MeasureError> {
    let schedule = schedule(measure, stage)?;
    let mut facts = measure.facts.clone();
    facts.requests = stage.requests();
    let conditions =
        facts.conditions(&schedule, budget).with_missing_from(known_of(measure, stage));
    Ok((facts.plan(&schedule, budget), conditions))
}

/// The label and the arm of a run, by the part of the stage that it is of.
fn names<'n>(
    base: &'n str,
    stage: &'n Stage,
    single: bool,
) -> impl Fn(Option<&str>) -> (String, String) + 'n {
    move |part| {
        let label = if single { base.to_owned() } else { format!("{base}, {}", stage.label) };
        // The parts of a level are called after it as well.
        let part = part.filter(|part| *part != stage.label);
        let part =
            part.map(|part| part.strip_prefix(&format!("{}, ", stage.label)).unwrap_or(part));
        match (stage.arm, part) {
            (Some(arm), _) => (label, arm.name().to_owned()),
            (None, Some(part)) => (format!("{label}, {part}"), part.to_owned()),
            (None, None) => (label, base.to_owned()),
        }
    }
}

fn client(measure: &Measure<'_>, stage: &Stage) -> Rc<Client> {
    let (first, second) = &measure.clients;
    let second = second.as_ref().filter(|_| stage.arm == Some(Arm::Second));
    Rc::clone(second.unwrap_or(first))
}

fn known_of<'m>(measure: &'m Measure<'_>, stage: &Stage) -> &'m Conditions {
    let (first, second) = &measure.conditions;
    if stage.arm == Some(Arm::Second) { second } else { first }
}

/// When the requests of a stage are sent.
fn schedule(measure: &Measure<'_>, stage: &Stage) -> Result<Schedule, MeasureError> {
    if stage.purpose != Purpose::Measured {
        return Ok(Schedule::of(Arrival::one_at_a_time(), measure.seed)?);
    }
    if let Some(trace) = &measure.trace {
        return Ok(Schedule::of_trace(Arc::clone(trace))?);
    }
    let arrival = match stage.load {
        None => measure.arrival,
        Some(Load::Concurrency(n)) => format!("closed={n}").parse()?,
        Some(Load::Rate(rate)) => measure.arrival.at_rate(RequestRate::arriving(rate)?),
    };
    Ok(Schedule::of(arrival, measure.seed)?)
}
