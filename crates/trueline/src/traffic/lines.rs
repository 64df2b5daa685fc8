//! What production does, as a few lines of text.

use std::time::Duration;

use trueline_core::Share;
use trueline_core::number::{count, percent, short};
use trueline_logs::{
    AgainstPoisson, Arrivals, InFlight, InFlightLevel, Latencies, LogSummary, Sessions, Untold,
    WaitPart,
};

use super::json::by_interval;

/// How many bands of requests in flight are shown.
const BANDS: usize = 6;
/// The widest windows of which the busiest is shown.
const BUSIEST: Duration = Duration::from_secs(90);

/// The lines, and one that names what the log does not tell.
pub(crate) fn traffic_lines(log: &LogSummary) -> Vec<String> {
    let traffic = log.production().traffic();
    let mut lines = Vec::new();
    let mut untold = Vec::new();
    let mut say = |what: &'static str, told: Result<Vec<String>, Untold>| match told {
        Ok(more) => lines.extend(more),
        // What was not asked for may well be in the log.
        Err(Untold::NotAsked) => {}
        Err(_) => untold.push(what),
    };
    say("arrivals", traffic.arrivals().map(|arrivals| arrival_lines(&arrivals)));
    say("requests in flight", traffic.in_flight().map(|found| in_flight_lines(&found)));
    say("how long users wait", traffic.latencies().and_then(wait_lines));
    say("sessions", traffic.sessions().map(|found| session_lines(&found)));
    say("preemptions", preemption_line(log).map(|line| vec![line]));
    if !untold.is_empty() {
        lines.push(format!("Not told by this log: {}", untold.join(", ")));
    }
    lines
}

fn arrival_lines(arrivals: &Arrivals) -> Vec<String> {
    let mut head = format!("Arrivals: {}", count(arrivals.requests));
    if let Some(rate) = arrivals.per_second() {
        head += &format!(" in {}, {} a second", time(arrivals.span), short(rate, 3));
    }
    if let Some(cv) = arrivals.gap_cv() {
        head += &format!("; CV of the gaps between them {}", short(cv, 3));
    }
    if arrivals.without > 0 {
        head += &format!("; {} without a stamp", count(arrivals.without));
    }
    let mut lines = vec![head];
    if let (Some(grid), None, Some(naive)) =
        (&arrivals.grid, arrivals.gap_cv(), arrivals.naive_gap_cv)
    {
        lines.push(format!(
            "  Stamps sit on a grid of {}: the gaps' CV of {} is the clock's",
            time(grid.step),
            short(naive, 3)
        ));
    }
    let Some(telling) = arrivals.telling() else { return lines };
    let Some(dispersion) = telling.dispersion else { return lines };
    let says = match telling.against_poisson() {
        AgainstPoisson::MoreVaried => "more than chance: bursts, or a changing rate",
        AgainstPoisson::MoreEven => "less than chance: paced, or waiting for each other",
        AgainstPoisson::Nothing => "as chance at a constant rate would have it",
        _ => "too few to tell bursts from chance",
    };
    lines.push(format!(
        "  Counts in {}: variance/mean {} (n {}), {says}",
        time(telling.width),
        short(dispersion, 3),
        count(telling.windows)
    ));
    let wide = arrivals.windows.iter().rfind(|w| w.width <= BUSIEST && w.width > telling.width);
    if let Some(wide) = wide {
        lines.push(format!(
            "  Busiest {}: {}, where {} is the mean",
            time(wide.width),
            count(wide.busiest),
            short(wide.mean, 3)
        ));
    }
    lines
}

fn in_flight_lines(found: &InFlight) -> Vec<String> {
    let Some(mean) = found.mean() else {
        let n = count(found.requests);
        return vec![format!("In flight: nothing, as {n} requests took no time")];
    };
    let least = if found.without > 0 {
        format!("; at least, as {} requests state no end", count(found.without))
    } else {
        String::new()
    };
    let (shown, beyond) = found.levels.split_at(found.levels.len().min(BANDS));
    let mut bands: Vec<String> = shown
        .iter()
        .filter_map(|level| Some(format!("{} {}", band(level), percent(found.share(level)?))))
        .collect();
    let beyond: f64 = beyond.iter().filter_map(|level| found.share(level)).sum();
    if beyond > 0.0 {
        bands.push(format!("more {}", percent(beyond)));
    }
    vec![
        format!("In flight: {} in the mean, {} at most{least}", short(mean, 3), count(found.peak)),
        format!("  Of the time {}", bands.join(", ")),
    ]
}

fn band(level: &InFlightLevel) -> String {
    match (level.low, level.high) {
        (0, _) => "none".to_owned(),
        (low, high) if low == high => count(low),
        (low, high) => format!("{}–{}", count(low), count(high)),
    }
}

/// On what users waited.
fn wait_lines(latencies: &Latencies) -> Result<Vec<String>, Untold> {
    let largest = latencies.largest()?;
    let parts: Vec<String> = largest
        .parts()
        .filter_map(|(part, sum, times)| {
            let share = largest.share(part).filter(|_| !sum.is_zero())?;
            let median =
                times.median_time().map_or(String::new(), |t| format!(" (median {})", time(t)));
            Some(format!("{} {}{median}", words(part, largest.parts().count()), percent(share)))
        })
        .collect();
    let mut lines = vec![format!(
        "Waiting: {} in {} requests, median {}",
        time(largest.sum()),
        count(largest.requests()),
        largest.e2e().median_time().map_or("-".to_owned(), time)
    )];
    if !parts.is_empty() {
        lines.push(format!("  {}", parts.join(", ")));
    }
    let all: u64 = latencies.splits().iter().map(|split| split.requests()).sum();
    let left: Vec<String> = [
        (all - largest.requests(), "state other parts (--format json)"),
        (latencies.without(), "do not say how long they took"),
        (latencies.contradicting(), "contradict themselves"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{} {what}", count(n)))
    .collect();
    if !left.is_empty() {
        lines.push(format!("  Not in it: {}", left.join(", ")));
    }
    Ok(lines)
}

/// What a part is in words; `of` says how many parts there are.
fn words(part: WaitPart, of: usize) -> &'static str {
    match part {
        WaitPart::Queue => "queue",
        WaitPart::LockWait => "lock",
        WaitPart::CacheRestore => "cache restore",
        WaitPart::PrefillCompute => "prefill computation",
        // Without any part before it, it is TTFT whole.
        WaitPart::UpToFirstToken if of == 2 => "TTFT",
        WaitPart::UpToFirstToken => "else up to first token",
        WaitPart::Decode => "decode",
        _ => "else",
    }
}

fn session_lines(found: &Sessions) -> Vec<String> {
    let most = found.per_session.quantile(Share::new(1.0).unwrap_or(Share::NONE));
    let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| short(x, 3));
    let about = if found.one_in > 1 {
        format!(", by one of {} of them", count(found.one_in))
    } else {
        String::new()
    };
    let mut lines = vec![format!(
        "Sessions: {}{about}, with a median of {} requests and at most {}{}",
        count(found.sessions.saturating_mul(found.one_in)),
        number(found.per_session.median()),
        number(most),
        if found.without > 0 {
            format!("; {} requests name none", count(found.without))
        } else {
            String::new()
        }
    )];
    let mut turns = Vec::new();
    if let Some(think) = found.think_s.median() {
        let think = Duration::try_from_secs_f64(think).unwrap_or_default();
        turns.push(format!(
            "{} from an end to the next start (median of {})",
            time(think),
            count(found.think_s.len())
        ));
    }
    if let Some(growth) = found.growth_tokens.median() {
        turns.push(format!(
            "prompts grow by {} tokens (of {})",
            short(growth, 3),
            count(found.growth_tokens.len())
        ));
    }
    let odd: Vec<String> = [
        (found.overlapping, "begin before the ones so far had ended"),
        (found.shrinking, "have shorter prompts"),
        (found.unordered, "have no stamp to put them in order"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{} {what}", count(n)))
    .collect();
    if !turns.is_empty() {
        lines.push(format!("  Turns: {}", turns.join(", ")));
    }
    if !odd.is_empty() {
        lines.push(format!(
            "  Of {} turns {}",
            count(found.turns + found.unordered),
            odd.join(", ")
        ));
    }
    lines
}

fn preemption_line(log: &LogSummary) -> Result<String, Untold> {
    let found = log.production().traffic().preemptions();
    let mut parts = Vec::new();
    let told = found.told();
    if let Ok(told) = told {
        parts.push(format!(
            "{} of {} requests, {} in all",
            count(told.preempted),
            count(told.stated),
            count(told.total)
        ));
    }
    if let Some(total) = by_interval(log) {
        parts.push(format!("{total} counted by the server between log lines"));
    }
    if found.dropping > 0 {
        parts.push(format!(
            "{} requests dropped {} cache commits of other sessions",
            count(found.dropping),
            count(found.dropped_commits)
        ));
    }
    if parts.is_empty() {
        Err(told.err().unwrap_or(Untold::NoPreemptions))
    } else {
        Ok(format!("Preemptions: {}", parts.join("; ")))
    }
}

/// A time in the unit that suits it.
fn time(took: Duration) -> String {
    let s = took.as_secs_f64();
    match s {
        s if s >= 100.0 * 3_600.0 => format!("{} days", short(s / 86_400.0, 3)),
        s if s >= 2.0 * 3_600.0 => format!("{} h", short(s / 3_600.0, 3)),
        s if s >= 120.0 => format!("{} min", short(s / 60.0, 3)),
        s if s >= 1.0 || s == 0.0 => format!("{} s", short(s, 3)),
        s if s >= 1e-3 => format!("{} ms", short(s * 1e3, 3)),
        s => format!("{} µs", short(s * 1e6, 3)),
    }
}
