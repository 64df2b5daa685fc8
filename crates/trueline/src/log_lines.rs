//! What a request log says, as lines of text.

use trueline_baseline::FieldCause;
use trueline_core::number::{count, percent, short};
use trueline_core::{Share, TokensPerSecond};
use trueline_logs::{
    CellStats, ComputedStats, LogSummary, Production, Route, UnknownCached, Values,
};

use crate::audit::interval;
use crate::cache::cache_lines;
use crate::intervals::interval_lines;
use crate::reading::Causes;
use crate::traffic::traffic_lines;

/// How many cells the text shows.
const MOST: usize = 14;

/// The lines of the report of a log.
pub(crate) fn body(log: &LogSummary, causes: &Causes) -> Vec<String> {
    let production = log.production();
    let counts = production.counts();
    let mut lines = vec![counts_line(log)];
    if counts.unknown_cached > 0 {
        let do_not_say = match counts.unknown_cached {
            1 => "1 request does not say how much was cached and enters no rate".to_owned(),
            n => format!("{} requests do not say how much was cached and enter no rate", count(n)),
        };
        lines.push(format!(
            "{do_not_say}{}{}",
            between(production.unknown_cached(), ""),
            between(production.computed_unknown_cached(), " over prefill computation"),
        ));
    }
    let computed: Vec<String> = production
        .computed_cells()
        .map(|(cell, stats)| row(&cell.to_string(), &Figures::of_computed(stats)))
        .collect();
    let cells: Vec<String> = production
        .cells()
        .map(|(cell, stats)| row(&cell.to_string(), &Figures::of(stats)))
        .collect();
    let timed = production.cells().any(|(_, stats)| stats.timed() > 0);
    if counts.read() == 0 {
        // What a log without requests holds is said below.
    } else if cells.is_empty() {
        lines.push(String::new());
        lines.push(
            "No request says both how long its prompt was and how much of it was cached: no rate."
                .to_owned(),
        );
    } else if timed || computed.is_empty() {
        // Cells without any time say something only where nothing else is there to say.
        let cold = production.cold();
        let cold = (cold.requests() > 0).then(|| Figures::of(cold));
        table("Prefill, new tokens / TTFT, tok/s", cells, cold, &mut lines);
    }
    if !computed.is_empty() {
        let cold = production.computed_cold();
        let cold = (cold.requests() > 0).then(|| Figures::of_computed(cold));
        table("New tokens / computation, tok/s", computed, cold, &mut lines);
        lines.push(
            "  These requests state no TTFT: their queue and the first token's way to a user are in no rate."
                .to_owned(),
        );
    }
    let contrast = production.contrast();
    if let (Some(naive), Some(new_only)) = (contrast.naive.median(), contrast.new_only.median()) {
        lines.push(format!(
            "  For contrast, not to quote: median of {} is {} by prompt / TTFT, {} by new tokens / TTFT",
            count(contrast.naive.len()),
            short(naive, 4),
            short(new_only, 3)
        ));
    }
    lines.push(String::new());
    for (field, cause) in causes {
        lines.push(field_line(field, *cause));
    }
    lines.extend(cache_lines(log));
    lines.extend(route_lines(production));
    if let Some(median) = production.decode().median() {
        let tpot = Share::new(0.5).ok().and_then(|half| production.tpot(half));
        lines.push(format!(
            "Decode: median {} tok/s, TPOT {} ms, over {} requests",
            short(median, 3),
            tpot.map_or("-".to_owned(), |tpot| short(tpot.as_secs_f64() * 1e3, 3)),
            count(production.decode().len())
        ));
    }
    if production.counts().used > 0 {
        if lines.last().is_some_and(|line| !line.is_empty()) {
            lines.push(String::new());
        }
        lines.extend(traffic_lines(log));
    }
    lines.extend(interval_lines(log));
    lines
}

/// The paths through the server by hit share: which is taken most, and the others.
fn route_lines(production: &Production) -> Vec<String> {
    let routes = production.routes();
    let all: u64 = routes.iter().map(Route::requests).sum();
    let tokens: u128 = routes.iter().map(Route::prompt_tokens).sum();
    let time: f64 = routes.iter().map(|r| r.ttft().as_secs_f64()).sum();
    let Some(top) = routes.iter().max_by_key(|r| r.requests()) else { return Vec::new() };
    #[expect(clippy::cast_precision_loss, reason = "for percentages")]
    let shares = |route: &Route| {
        let of = |part: f64, whole: f64| percent(part / whole);
        let requests = of(route.requests() as f64, all.max(1) as f64);
        let tokens = of(route.prompt_tokens() as f64, tokens.max(1) as f64);
        // Without a TTFT in the log there is no time to have a share of.
        let spent = (time > 0.0).then(|| of(route.ttft().as_secs_f64(), time));
        (requests, tokens, spent)
    };
    let (requests, _, spent) = shares(top);
    let spent = spent.map_or(String::new(), |spent| format!(", {spent} of TTFT time"));
    let mut lines = vec![format!("Path most taken: {}: {requests} of requests{spent}", top.name())];
    if routes.len() > 1 {
        lines.push("  All paths, shares of requests, prompt tokens, TTFT time:".to_owned());
        lines.extend(routes.iter().map(|route| {
            let (requests, tokens, spent) = shares(route);
            let spent = spent.unwrap_or("-".to_owned());
            format!("  {:<32}{requests:>9}{tokens:>9}{spent:>9}", route.name())
        }));
    }
    lines
}

fn counts_line(log: &LogSummary) -> String {
    let counts = log.production().counts();
    let mut parts = vec![format!("{} used", count(counts.used))];
    for (n, what) in
        [(counts.own, "own"), (counts.rejected.total(), "rejected"), (counts.warmup, "warm-up")]
    {
        if n > 0 {
            parts.push(format!("{} {what}", count(n)));
        }
    }
    let mut line = format!("Requests: {} read = {}", count(counts.read()), parts.join(" + "));
    for (n, what) in [
        (counts.other, "other"),
        (counts.outside, "outside the time asked for"),
        (counts.doubled, "doubled, counted once"),
        (counts.unfinished, "begun and not ended"),
        (counts.failed, "failed"),
        (counts.unknown_prompt, "without prompt tokens"),
        (counts.unknown_ttft, "without TTFT"),
        (counts.too_few_new_tokens, "with too few new tokens for a rate"),
    ] {
        if n > 0 {
            line += &format!("; {} {what}", count(n));
        }
    }
    line
}

/// The figures of a cell as a line shows them.
struct Figures<'l> {
    requests: u64,
    rates: &'l Values,
    naive: &'l Values,
    sum_over_sum: Option<TokensPerSecond>,
}

impl<'l> Figures<'l> {
    fn of(stats: &'l CellStats) -> Self {
        let sum_over_sum = stats.sum_over_sum();
        Self {
            requests: stats.requests(),
            rates: stats.rates(),
            naive: stats.naive(),
            sum_over_sum,
        }
    }

    fn of_computed(stats: &'l ComputedStats) -> Self {
        let sum_over_sum = stats.sum_over_sum();
        Self {
            requests: stats.requests(),
            rates: stats.rates(),
            naive: stats.naive(),
            sum_over_sum,
        }
    }
}

/// A table of cells under its head.
fn table(name: &str, cells: Vec<String>, cold: Option<Figures<'_>>, lines: &mut Vec<String>) {
    lines.push(String::new());
    lines.push(format!(
        "{name:<34}{:>9}{:>8}{:>9}{:>20}{:>9}{:>11}",
        "requests", "rated", "median", "95 % interval", "sum/sum", "naive"
    ));
    let left_out = cells.len().saturating_sub(MOST);
    lines.extend(cells.into_iter().take(MOST));
    if left_out > 0 {
        lines.push(format!("  and {left_out} more cells (--format json)"));
    }
    if let Some(cold) = cold {
        lines.push(row("all cold: 0–5 %, 512 tokens up", &cold));
    }
    lines.push("  There is no rate over all cells: hit share and length would set it.".to_owned());
}

/// Between which values the rate of requests lies whose cached tokens are not known.
fn between(unknown: &UnknownCached, over: &str) -> String {
    unknown.bounds().map_or(String::new(), |(_, high)| {
        format!("; their prefill rate{over} lies between 0 and {} tok/s", short(high.get(), 3))
    })
}

fn row(name: &str, figures: &Figures<'_>) -> String {
    let rate = |x: Option<f64>| x.map_or("-".to_owned(), |x| short(x, 4));
    let ends = interval(figures.rates)
        .map_or("-".to_owned(), |(low, high)| format!("[{}, {}]", short(low, 4), short(high, 4)));
    format!(
        "  {name:<32}{:>9}{:>8}{:>9}{:>20}{:>9}{:>11}",
        count(figures.requests),
        count(figures.rates.len()),
        rate(figures.rates.median()),
        ends,
        rate(figures.sum_over_sum.map(TokensPerSecond::get)),
        rate(figures.naive.median()),
    )
}

fn field_line(field: &trueline_baseline::StatedField, cause: FieldCause) -> String {
    let low = field.cells.iter().map(|c| c.ratio.get()).fold(f64::INFINITY, f64::min);
    let high = field.cells.iter().map(|c| c.ratio.get()).fold(0.0, f64::max);
    let over = field.over.words();
    let span = if field.cells.is_empty() {
        "no row tells".to_owned()
    } else {
        format!("{}x to {}x of new tokens / {over}", short(low, 3), short(high, 3))
    };
    let what = match cause {
        FieldCause::None => format!("it is new tokens / {over}"),
        FieldCause::Numerator => "it counts cached tokens".to_owned(),
        FieldCause::Denominator => {
            "it leaves time out (queue, lock wait, cache restore)".to_owned()
        }
        FieldCause::Both => "it counts cached tokens and leaves time out".to_owned(),
        FieldCause::Undecided => "the rows do not tell why".to_owned(),
    };
    format!("Field {}: {span}; {what}", field.name)
}

#[cfg(test)]
mod tests {
    use trueline_logs::{ReadOptions, read_log_from};

    use super::*;

    fn lines(log: &str) -> String {
        let log = read_log_from("t", log.as_bytes(), &ReadOptions::default()).unwrap().value;
        body(&log, &[]).join("\n")
    }

    #[test]
    fn a_log_without_ttft_has_no_table_by_it_and_no_share_of_its_time() {
        let row = r#"{"id":"a","prompt_tokens":1000,"cached_tokens":0,"prefill_compute_s":2.0,"outcome":"ok"}"#;
        let text = lines(row);
        // By hand: 1,000 tokens in 2 s.
        assert!(text.contains("New tokens / computation, tok/s") && text.contains("500"), "{text}");
        assert!(!text.contains("new tokens / TTFT"), "{text}");
        assert!(text.contains("Path most taken: 0–5 % cached: 100 % of requests\n"), "{text}");
        let timed = lines(&row.replace("prefill_compute_s", "ttft_s"));
        assert!(timed.contains("Prefill, new tokens / TTFT, tok/s"), "{timed}");
        assert!(!timed.contains("computation") && timed.contains("100 % of TTFT time"), "{timed}");
    }

    #[test]
    fn a_log_of_both_kinds_has_both_tables() {
        let both = r#"{"id":"a","prompt_tokens":1000,"cached_tokens":0,"ttft_s":2.5}
            {"id":"b","prompt_tokens":1000,"cached_tokens":0,"prefill_compute_s":2.0}"#;
        let text = lines(both);
        assert!(
            text.contains("new tokens / TTFT") && text.contains("New tokens / computation"),
            "{text}"
        );
        let nothing = lines(r#"{"id":"a","output_tokens":5,"outcome":"ok"}"#);
        assert!(nothing.contains("No request says both how long its prompt was"), "{nothing}");
    }

    #[test]
    fn a_log_without_requests_is_told_by_what_the_server_says_alone() {
        let step = "Iteration(1): 1 context requests, 100 context tokens, 2 generation requests, 2 generation \
                    tokens, iteration elapsed time: 10.00 ms";
        let text = lines(&format!("INFO 11-29 12:00:10 [loggers.py:127] {step}\n"));
        assert!(text.contains("No line of this log is of a request"), "{text}");
        assert!(!text.contains("No request says"), "{text}");
        // A name that leaves no room stands above its figures: 100 tokens in 10 ms.
        let (name, figures) = text.split_once("beside generation, tok/s\n").unwrap();
        assert!(name.lines().last().unwrap().starts_with("  context tokens"), "{text}");
        assert!(
            figures.starts_with("      ") && figures.lines().next().unwrap().ends_with("10,000")
        );
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn one_request_is_no_plural() {
        let text = lines(r#"{"id":"a","prompt_tokens":1000,"ttft_s":2.0,"outcome":"ok"}"#);
        assert!(text.contains("1 request does not say how much was cached and enters"), "{text}");
    }
}
