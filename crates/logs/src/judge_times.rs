//! Checks on time stamps, and on requests that several inputs hold.

use trueline_core::{Finding, Need, Outcomes, Scope, Thresholds};

use crate::LogSummary;
use crate::checks::{DUPLICATE_ROWS, TIMESTAMPS_COARSE, WALL_TIME_JUMP, ZONE_UNKNOWN};
use crate::judge::record;

/// An hour, by which clocks go back where summer time ends.
const HOUR_S: f64 = 3_600.0;

/// Runs them.
pub(crate) fn check_times(log: &LogSummary, thresholds: &Thresholds, outcomes: &mut Outcomes) {
    duplicate_rows(log, outcomes);
    wall_time_jump(log, thresholds, outcomes);
    timestamps_coarse(log, thresholds, outcomes);
    zone_unknown(log, outcomes);
}

fn duplicate_rows(log: &LogSummary, outcomes: &mut Outcomes) {
    let (doubled, read) = (log.counts().doubled, log.counts().read());
    let not_compared = log.tally.not_compared;
    let copies: Vec<&str> =
        log.files().iter().filter(|f| f.is_copy).map(|f| f.name.as_str()).collect();
    let mut message = format!(
        "{doubled} requests stand in more than one of {} inputs; each of the {read} is counted once",
        log.files().len()
    );
    if !copies.is_empty() {
        message += &format!("; all of {} stands in another one", copies.join(", "));
    }
    if not_compared > 0 {
        message += &format!("; {not_compared} requests were too many to be compared");
    }
    record(
        outcomes,
        &DUPLICATE_ROWS,
        &Scope::default(),
        (doubled + not_compared > 0).then_some(message),
        |f| {
            f.with("doubled", doubled)
                .with("read", read)
                .with("inputs", log.files().len())
                .with("not_compared", not_compared)
        },
    );
}

fn wall_time_jump(log: &LogSummary, thresholds: &Thresholds, outcomes: &mut Outcomes) {
    let least = thresholds.get(&WALL_TIME_JUMP, "least_of_starts_s");
    let about = Scope::default();
    let Some((steps, kept)) = log.tally.order.steps(least) else {
        outcomes.not_observed(&WALL_TIME_JUMP, Need::WallTimes, about);
        return;
    };
    let Some(first) = kept.first() else {
        outcomes.clear(&WALL_TIME_JUMP, about);
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "a step is shown to the millisecond")]
    let seconds = |nanos: i64| nanos as f64 / 1e9;
    let back = seconds(first.nanos);
    let name = log.files().get(first.file).map_or("", |file| file.name.as_str());
    let cause = if (back - HOUR_S).abs() < HOUR_S / 12.0 {
        "an hour is the end of summer time, in stamps of local time, or a file of another zone"
    } else {
        "the clock was set, or rows of two machines stand in one file"
    };
    let more =
        if steps > 1 { format!(", and at {} more places", steps - 1) } else { String::new() };
    let message =
        format!("time goes back by {back:.3} s at line {} of {name}{more}: {cause}", first.line);
    let largest = kept.iter().map(|step| step.nanos).max().unwrap_or_default();
    outcomes.found(
        Finding::new(&WALL_TIME_JUMP, about, message)
            .with("steps", steps)
            .with("line", first.line)
            .with("back_s", back)
            .with("largest_back_s", seconds(largest)),
    );
}

fn timestamps_coarse(log: &LogSummary, thresholds: &Thresholds, outcomes: &mut Outcomes) {
    let about = Scope::default();
    let limit = |name| thresholds.get(&TIMESTAMPS_COARSE, name);
    let Ok(arrivals) = log.production().traffic().stamped(limit("share_on_grid")) else {
        outcomes.not_observed(&TIMESTAMPS_COARSE, Need::WallTimes, about);
        return;
    };
    let Some(grid) = arrivals.grid else {
        outcomes.clear(&TIMESTAMPS_COARSE, about);
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "counts of at most a log's rows")]
    let each = arrivals.requests as f64 / arrivals.distinct as f64;
    let step_s = grid.step.as_secs_f64();
    let coarse = step_s >= limit("step_s") && each >= limit("requests_per_stamp");
    let message = format!(
        "{} requests have {} arrival times, {step_s:.4} s apart or a multiple of that: {each:.1} requests a stamp",
        arrivals.requests, arrivals.distinct
    );
    record(outcomes, &TIMESTAMPS_COARSE, &about, coarse.then_some(message), |f| {
        f.with("step_s", step_s)
            .with("requests", arrivals.requests)
            .with("stamps", arrivals.distinct)
            .with("requests_per_stamp", each)
            .with("share_on_grid", grid.fitting)
    });
}

fn zone_unknown(log: &LogSummary, outcomes: &mut Outcomes) {
    let about = Scope::default();
    if log.production().window().is_none() {
        outcomes.not_observed(&ZONE_UNKNOWN, Need::WallTimes, about);
        return;
    }
    let zoneless = log.counts().zoneless;
    let message = format!(
        "the start of {zoneless} of {} records rests on a time stamp without a zone, which is taken for UTC",
        log.counts().read()
    );
    record(outcomes, &ZONE_UNKNOWN, &about, (zoneless > 0).then_some(message), |f| {
        f.with("records", zoneless).with("read", log.counts().read())
    });
}
