//! What production does, as JSON. What is not told is `null`, with the reason beside it.

use serde_json::{Value, json};
use trueline_core::Share;
use trueline_logs::{
    ArrivalWindows, Arrivals, InFlight, LatencySplit, LogSummary, Production, Sessions, Spread,
    States, Untold, Values,
};

use crate::audit::whole;

/// When requests arrived, and how evenly.
pub(crate) fn arrivals_json(log: &LogSummary) -> Value {
    let production = log.production();
    let window = production.window();
    let mut object = match production.traffic().arrivals() {
        Ok(arrivals) => told(&arrivals),
        Err(why) => untold(why),
    };
    object["first_s"] = json!(window.map(|w| w.from.as_secs_f64()));
    object["last_s"] = json!(window.map(|w| w.to.as_secs_f64()));
    object
}

fn told(arrivals: &Arrivals) -> Value {
    let grid = arrivals.grid.map(|grid| {
        json!({
            "step_s": grid.step.as_secs_f64(),
            "steps": grid.steps,
            "share_of_gaps": grid.fitting,
        })
    });
    json!({
        "clock": arrivals.clock.name(),
        "n": arrivals.requests,
        "without": arrivals.without,
        "span_s": arrivals.span.as_secs_f64(),
        "stamps": arrivals.distinct,
        "rounded_to_s": arrivals.rounded_to.map(|step| step.as_secs_f64()),
        "request_per_s": arrivals.per_second(),
        "mean_gap_s": arrivals.mean_gap.map(|gap| gap.as_secs_f64()),
        "gap_cv": arrivals.gap_cv(),
        "naive_gap_cv": arrivals.naive_gap_cv,
        "naive_gap_cv_is_artefact": arrivals.naive_gap_cv.is_some() && arrivals.gap_cv().is_none(),
        "grid": grid,
        "windows": arrivals.windows.iter().map(window).collect::<Vec<_>>(),
    })
}

fn window(counts: &ArrivalWindows) -> Value {
    json!({
        "width_s": counts.width.as_secs_f64(),
        "n": counts.windows,
        "mean": counts.mean,
        "variance_over_mean": counts.dispersion,
        "against_poisson": counts.against_poisson().name(),
        "busiest": counts.busiest,
        "busiest_after_s": counts.busiest_after.as_secs_f64(),
    })
}

/// How many requests were in flight at a time.
pub(crate) fn in_flight_json(production: &Production) -> Value {
    match production.traffic().in_flight() {
        Err(why) => untold(why),
        Ok(found) => {
            let InFlight { clock, requests, without, span, peak, busy, .. } = &found;
            let levels: Vec<Value> = found
                .levels
                .iter()
                .map(|level| {
                    json!({
                        "low": level.low,
                        "high": level.high,
                        "s": level.took.as_secs_f64(),
                        "share": found.share(level),
                    })
                })
                .collect();
            json!({
                "clock": clock.name(),
                "n": requests,
                "without": without,
                "span_s": span.as_secs_f64(),
                "busy_s": busy.as_secs_f64(),
                "peak": peak,
                "mean": found.mean(),
                "idle_share": found.idle(),
                "levels": levels,
            })
        }
    }
}

/// How the time that users waited divides into its parts.
pub(crate) fn latency_json(production: &Production) -> Value {
    let latencies = match production.traffic().latencies() {
        Ok(latencies) => latencies,
        Err(why) => return untold(why),
    };
    json!({
        "without": latencies.without(),
        "contradicting": latencies.contradicting(),
        "splits": latencies.splits().into_iter().map(split).collect::<Vec<_>>(),
        "why": latencies.largest().err().map(|why| why.to_string()),
    })
}

fn split(split: &LatencySplit) -> Value {
    let parts: Vec<Value> = split
        .parts()
        .map(|(part, sum, times)| {
            json!({
                "part": part.name(),
                "sum_s": sum.as_secs_f64(),
                "share": split.share(part),
                "median_s": times.median().map(|nanos| nanos / 1e9),
                "p90_s": at(&times, 0.9).map(|nanos| nanos / 1e9),
            })
        })
        .collect();
    json!({
        "n": split.requests(),
        "exact": split.e2e().is_exact(),
        "e2e_latency_sum_s": split.sum().as_secs_f64(),
        "e2e_latency_median_s": split.e2e().median().map(|nanos| nanos / 1e9),
        "e2e_latency_p90_s": at(&split.e2e(), 0.9).map(|nanos| nanos / 1e9),
        "parts": parts,
    })
}

/// What the requests of one session have to do with each other.
pub(crate) fn sessions_json(production: &Production) -> Value {
    match production.traffic().sessions() {
        Err(why) => untold(why),
        Ok(found) => {
            let Sessions { requests, without, one_in, sessions, turns, unordered, .. } = &found;
            json!({
                "n": sessions,
                "one_in": one_in,
                "requests": requests,
                "without": without,
                "requests_per_session": {
                    "median": found.per_session.median(),
                    "most": Share::new(1.0).ok().and_then(|all| found.per_session.quantile(all)),
                },
                "turns": turns,
                "unordered": unordered,
                "overlapping": found.overlapping,
                "think": quantiles(&found.think_s, "s"),
                "start_to_start": quantiles(&found.start_to_start_s, "s"),
                "growth": quantiles(&found.growth_tokens, "tokens"),
                "shrinking": found.shrinking,
            })
        }
    }
}

/// How often requests were preempted, by their rows and by what the server says from time to time.
pub(crate) fn preemptions_json(log: &LogSummary) -> Value {
    let found = log.production().traffic().preemptions();
    let told = found.told().ok();
    json!({
        "n": found.stated,
        "without": found.without,
        "requests": told.map(|p| p.preempted),
        "total": told.map(|p| p.total),
        "most": told.map(|p| p.most),
        "by_interval": by_interval(log),
        "dropping_requests": (found.dropping > 0).then_some(found.dropping),
        "dropped_commits": (found.dropping > 0).then_some(found.dropped_commits),
        "why": found.told().err().map(|why| why.to_string()),
    })
}

/// The preemptions that a server counts from time to time; `None` where it states none.
pub(super) fn by_interval(log: &LogSummary) -> Option<Value> {
    let fields = log.intervals().iter();
    let mut counted = fields
        .filter(|(field, _)| field.states == States::Requests && field.name == "Preemptions")
        .map(|(_, stats)| whole(stats.total()));
    counted.next()
}

/// How long prompts and answers are.
pub(crate) fn lengths_json(production: &Production) -> Value {
    let prompts: Vec<Value> = production
        .prompt_lengths()
        .iter()
        .map(|of| {
            json!({
                "low": of.bucket.low,
                "high": of.bucket.high,
                "requests": of.requests,
                "tokens": whole(of.tokens),
            })
        })
        .collect();
    let output = match production.traffic().output_tokens() {
        Err(why) => untold(why),
        Ok(output) => json!({
            "n": output.len(),
            "exact": output.is_exact(),
            "median": output.median(),
            "p90": at(output, 0.9),
            "most": at(output, 1.0),
        }),
    };
    json!({ "prompt_tokens": prompts, "output_tokens": output })
}

/// Decode rates and TPOT of each request.
pub(crate) fn decode_json(production: &Production) -> Value {
    let rates = production.decode();
    let rate = |q: f64| rates.quantile(Share::new(q).ok()?);
    let tpot = |q: f64| Some(production.tpot(Share::new(q).ok()?)?.as_secs_f64());
    json!({
        "n": rates.len(),
        "exact": rates.is_exact(),
        "median_tok_per_s": rates.median(),
        "p10_tok_per_s": rate(0.1),
        "p90_tok_per_s": rate(0.9),
        "tpot_median_s": tpot(0.5),
        "tpot_p90_s": tpot(0.9),
    })
}

fn quantiles(values: &Values, unit: &str) -> Value {
    let at = |q: f64| values.quantile(Share::new(q).ok()?);
    json!({ "n": values.len(), "median": at(0.5), "p10": at(0.1), "p90": at(0.9), "unit": unit })
}

fn at(spread: &Spread, q: f64) -> Option<f64> {
    spread.quantile(Share::new(q).ok()?)
}

fn untold(why: Untold) -> Value {
    json!({ "n": 0, "why": why.to_string() })
}
