//! What production does, as a few lines of text.

use std::time::Duration;

use trueline_core::Share;
use trueline_core::number::{count, percent, short};
use trueline_logs::{
    AgainstPoisson, Arrivals, InFlight, InFlightLevel, Latencies, LogSummary, Production, Sessions,
    Untold, WaitPart,
};

use super::json::by_interval;

/// The least share of a time that is shown.
const LEAST_SHARE: f64 = 0.005;
/// How wide a line may be.
const WIDTH: usize = 98;
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
    say("lengths", Ok(length_lines(log.production())));
    say("arrivals", traffic.arrivals().map(|arrivals| arrival_lines(&arrivals)));
    say("requests in flight", traffic.in_flight().map(|found| in_flight_lines(&found)));
    say("how long users wait", traffic.latencies().and_then(wait_lines));
    say("sessions", traffic.sessions().map(|found| session_lines(&found)));
    say("preemptions", preemption_line(log).map(|line| vec![line]));
    let dropped = traffic.preemptions();
    if dropped.dropping > 0 {
        lines.push(format!(
            "Cache: {} of other sessions dropped when {} came; their next turns compute more",
            things(dropped.dropped_commits, "commit"),
            things(dropped.dropping, "request")
        ));
    }
    if !untold.is_empty() {
        lines.push(format!("Not told by this log: {}", untold.join(", ")));
    }
    lines
}

/// How long prompts are, where no cells say so, and answers.
fn length_lines(production: &Production) -> Vec<String> {
    let mut lines = Vec::new();
    let prompts = production.prompt_lengths();
    if production.cells().next().is_none() && !prompts.is_empty() {
        let mut line = "Prompts, tokens:".to_owned();
        for of in &prompts {
            let bucket = of.bucket.to_string().replace(" tokens", "");
            let more = format!(" {bucket}: {};", count(of.requests));
            if line.chars().count() + more.chars().count() > WIDTH {
                lines.push(std::mem::replace(&mut line, " ".to_owned()));
            }
            line += &more;
        }
        lines.push(line.trim_end_matches(';').to_owned());
    }
    if let Ok(output) = production.traffic().output_tokens()
        && let [Some(median), Some(high), Some(most)] =
            [0.5, 0.9, 1.0].map(|q| output.quantile(Share::new(q).ok()?))
    {
        lines.push(format!(
            "Answers, tokens: median {}, 90 % have at most {}, all at most {} (n {})",
            short(median, 3),
            short(high, 3),
            short(most, 3),
            count(output.len())
        ));
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
        _ => return lines,
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
        let state = if found.without == 1 { "states" } else { "state" };
        format!("; at least, as {} {state} no end", things(found.without, "request"))
    } else {
        String::new()
    };
    let bands: Vec<String> = found
        .levels
        .iter()
        .filter_map(|level| Some((level, found.share(level)?)))
        .filter(|(level, share)| level.low == 0 || *share >= LEAST_SHARE)
        .map(|(level, share)| format!("{} {}", band(level), percent(share)))
        .collect();
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
    let parts: Vec<(String, String)> = largest
        .parts()
        .filter_map(|(part, _, times)| {
            let share = largest.share(part).filter(|share| *share >= LEAST_SHARE)?;
            let median = times.median_time().map_or("-".to_owned(), time);
            Some((format!("{} {}", words(part, largest.parts().count()), percent(share)), median))
        })
        .collect();
    let (shares, medians): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
    let mut lines = vec![format!(
        "Waiting: {} in {}, median {}",
        time(largest.sum()),
        things(largest.requests(), "request"),
        largest.e2e().median_time().map_or("-".to_owned(), time)
    )];
    if !shares.is_empty() {
        lines.push(format!("  Of it {}", shares.join(", ")));
        lines.push(format!("  Medians {}", medians.join(", ")));
    }
    let all: u64 = latencies.splits().iter().map(|split| split.requests()).sum();
    let left: Vec<String> = [
        (all - largest.requests(), "with other parts (--format json)"),
        (latencies.without(), "without the time they took"),
        (latencies.contradicting(), "with times that contradict each other"),
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
        WaitPart::PrefillCompute => "prefill",
        // Without any part before it, it is TTFT whole.
        WaitPart::UpToFirstToken if of == 2 => "TTFT",
        WaitPart::UpToFirstToken => "rest of TTFT",
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
            format!("; {} without one", things(found.without, "request"))
        } else {
            String::new()
        }
    )];
    let mut turns = Vec::new();
    if let Some(think) = found.think_s.median() {
        let think = Duration::try_from_secs_f64(think).unwrap_or_default();
        turns.push(format!(
            "{} to the next start (median of {})",
            time(think),
            count(found.think_s.len())
        ));
    }
    if let Some(growth) = found.growth_tokens.median() {
        turns.push(format!(
            "prompts longer by {} tokens (of {})",
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
            "{} of {}, {} in all",
            count(told.preempted),
            things(told.stated, "request"),
            count(told.total)
        ));
        if told.without > 0 {
            parts.push(format!("{} without a word of it", count(told.without)));
        }
    }
    if let Some(total) = by_interval(log) {
        parts.push(format!("{total} counted by the server between log lines"));
    }
    if parts.is_empty() {
        return Err(told.err().unwrap_or(Untold::NoPreemptions));
    }
    Ok(format!("Preemptions: {}", parts.join("; ")))
}

/// A number of things in words.
fn things(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{} {what}s", count(n)) }
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

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use trueline_logs::{ReadOptions, read_log_from};

    use super::*;

    fn lines(log: &str, options: &ReadOptions) -> Vec<String> {
        traffic_lines(&read_log_from("t", log.as_bytes(), options).unwrap().value)
    }

    const LOG: &str = r#"
{"id":"a","session":"x","started_at_s":1000,"prompt_tokens":1000,"cached_tokens":0,"output_tokens":101,"ttft_s":2,"queue_s":0.5,"e2e_latency_s":6,"outcome":"ok","preemptions":0}
{"id":"c","session":"x","started_at_s":1010,"prompt_tokens":1500,"cached_tokens":1000,"output_tokens":11,"ttft_s":1,"queue_s":0.5,"e2e_latency_s":2,"outcome":"ok","preemptions":2}
{"id":"b","started_at_s":1004,"prompt_tokens":9000,"cached_tokens":0,"ttft_s":4,"outcome":"ok"}
"#;

    #[test]
    fn a_few_lines_say_what_production_does() {
        // By hand: 11 and 101 tokens, of which 92 lie at nine tenths of the way; gaps of 4 and 6 s; a and c take 8 of 12 s; queue 1, TTFT less queue 2, decode 5 of 8 s.
        assert_eq!(
            lines(LOG, &ReadOptions::default().with_traffic()),
            [
                "Answers, tokens: median 56, 90 % have at most 92, all at most 101 (n 2)",
                "Arrivals: 3 in 10 s, 0.2 a second; CV of the gaps between them 0.283",
                "In flight: 0.667 in the mean, 1 at most; at least, as 1 request states no end",
                "  Of the time none 33 %, 1 67 %",
                "Waiting: 8 s in 2 requests, median 4 s",
                "  Of it queue 12 %, rest of TTFT 25 %, decode 62 %",
                "  Medians 500 ms, 1 s, 2.5 s",
                "  Not in it: 1 without the time they took",
                "Sessions: 1, with a median of 2 requests and at most 2; 1 request without one",
                "  Turns: 4 s to the next start (median of 1), prompts longer by 500 tokens (of 1)",
                "Preemptions: 1 of 2 requests, 2 in all; 1 without a word of it",
            ]
        );
    }

    #[test]
    fn what_a_log_does_not_tell_is_named_and_what_was_not_asked_for_is_not() {
        let bare = r#"{"id":"a","prompt_tokens":1000,"output_tokens":5,"outcome":"ok"}"#;
        let all = ReadOptions::default().with_traffic();
        let shared = "Prompts, tokens: 1–4k: 1";
        assert_eq!(
            lines(bare, &all),
            [
                shared,
                "Answers, tokens: median 5, 90 % have at most 5, all at most 5 (n 1)",
                "Not told by this log: arrivals, requests in flight, how long users wait, sessions, preemptions",
            ]
        );
        assert_eq!(
            lines(bare, &ReadOptions::default()),
            [shared, "Not told by this log: arrivals, preemptions"]
        );
    }

    #[test]
    fn no_line_is_wider_than_the_report() {
        let mut rows = String::new();
        for i in 0..3_000_u32 {
            let (at, queue) = (1_795_950_000.25 + f64::from(i * i % 90_011), f64::from(i % 7));
            let (session, prompt) = (i % 97, 1_000 + i * 7_919 % 60_000);
            let (ttft, e2e) = (queue + 1.5, queue + 12.25 + f64::from(i % 5_000));
            writeln!(
                rows,
                r#"{{"id":"r{i}","session":"s{session}","started_at_s":{at},"prompt_tokens":{prompt},"cached_tokens":0,"output_tokens":321,"ttft_s":{ttft},"queue_s":{queue},"lock_wait_s":0.123,"cache_restore_s":0.012,"prefill_compute_s":1.25,"e2e_latency_s":{e2e},"outcome":"ok","preemptions":{}}}"#,
                i % 3
            )
            .unwrap();
        }
        let lines = lines(&rows, &ReadOptions::default().with_traffic());
        let wide: Vec<&String> = lines.iter().filter(|line| line.chars().count() > 100).collect();
        assert!(wide.is_empty() && lines.len() <= 14, "{lines:#?}");
    }
}
