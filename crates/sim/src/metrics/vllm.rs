//! vLLM's names.

use std::time::Duration;

use trueline_core::{Share, Tokens, WallTime};

use super::exposition::{Exposition, Kind};
use crate::{Finish, Ledger, LedgerEntry, Load, ModelConfig};

/// Upper ends of the buckets of TTFT, in seconds. A choice: vLLM's own are finer, which changes no
/// count and no sum.
const TTFT_BUCKETS: [f64; 10] = [0.001, 0.01, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 80.0, 640.0];

/// The metrics text of a vLLM server that did what the ledger says.
///
/// `load` is the engine's at this moment, `name` the model's name, `start` the wall time of the
/// simulation's start.
///
/// # Formula
/// Requests under their finish reason when they end, refused ones nowhere. Prompt tokens of a request,
/// cached ones included, with its first token; output tokens one by one. The prefix cache's queries
/// and hits are tokens of scheduled requests.
///
/// # Shape
/// It walks the whole ledger: the time it takes grows with the requests served.
///
/// # Source
/// `vllm/v1/metrics/loggers.py` and `stats.py` (read 2026-11). A real server counts a request that its
/// client gave up in some versions and not in others; here it is `finished_reason="abort"`.
///
/// # Examples
/// ```
/// use trueline_core::WallTime;
/// use trueline_sim::{Engine, ModelConfig, vllm_metrics};
///
/// let engine = Engine::new(ModelConfig::default())?;
/// let start = WallTime::from_nanos(0);
/// let text = vllm_metrics(engine.ledger(), engine.load(), engine.model(), "m", start);
/// assert!(text.contains("vllm:generation_tokens_total{engine=\"0\",model_name=\"m\"} 0.0\n"));
/// # Ok::<(), trueline_sim::Error>(())
/// ```
pub fn vllm_metrics(
    ledger: &Ledger,
    load: Load,
    model: &ModelConfig,
    name: &str,
    start: WallTime,
) -> String {
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let base = format!("engine=\"0\",model_name=\"{escaped}\"");
    let mut out = Exposition::new(|value| format!("{value:?}"));
    for (name, kind, help, value) in gauges(load, model).into_iter().chain(counters(ledger)) {
        out.declare(name, kind, help);
        out.sample(name, &format!("{{{base}}}"), value);
    }
    let success = "vllm:request_success_total";
    out.declare(success, Kind::Counter, "Requests that ended, by reason.");
    for (reason, finish) in
        [("stop", Finish::Stop), ("length", Finish::Length), ("abort", Finish::Cancelled)]
    {
        let ended = ledger.entries().filter(|entry| entry.finish == Some(finish)).count() as u64;
        let labels = format!("{{{base},finished_reason=\"{reason}\"}}");
        out.sample(success, &labels, real(ended));
    }
    ttft(&mut out, &base, ledger);
    let started = "process_start_time_seconds";
    out.declare(started, Kind::Gauge, "Start of the process, seconds since 1970.");
    out.sample(started, "", start.as_secs_f64());
    out.finish()
}

/// Name, kind, help and value.
type Metric = (&'static str, Kind, &'static str, f64);

fn gauges(load: Load, model: &ModelConfig) -> [Metric; 3] {
    let used = Share::of(Tokens::new(load.blocks_in_use), Tokens::new(model.cache_blocks));
    let used = used.map_or(0.0, Share::get);
    let gauge = Kind::Gauge;
    [
        ("vllm:num_requests_running", gauge, "Requests in the batch.", real(load.running)),
        ("vllm:num_requests_waiting", gauge, "Requests that wait.", real(load.waiting)),
        ("vllm:kv_cache_usage_perc", gauge, "Share of the blocks that are in use, 0 to 1.", used),
    ]
}

fn counters(ledger: &Ledger) -> [Metric; 6] {
    let sum = |of: &dyn Fn(&LedgerEntry) -> u64| real(ledger.entries().map(of).sum());
    let scheduled = |entry: &LedgerEntry, n: Tokens| entry.scheduled.map_or(0, |_| n.get());
    let begun = |entry: &LedgerEntry, n: Tokens| entry.first_token.map_or(0, |_| n.get());
    [
        (
            "vllm:prefix_cache_queries_total",
            "Prompt tokens looked up.",
            sum(&|e| scheduled(e, e.prompt)),
        ),
        ("vllm:prefix_cache_hits_total", "Prompt tokens found.", sum(&|e| e.cached.get())),
        ("vllm:num_preemptions_total", "Preemptions.", sum(&|e| u64::from(e.preemptions))),
        (
            "vllm:prompt_tokens_total",
            "Prompt tokens, cached ones too.",
            sum(&|e| begun(e, e.prompt)),
        ),
        ("vllm:prompt_tokens_cached_total", "Cached prompt tokens.", sum(&|e| begun(e, e.cached))),
        ("vllm:generation_tokens_total", "Output tokens.", sum(&|e| e.output.get())),
    ]
    .map(|(name, help, value)| (name, Kind::Counter, help, value))
}

/// TTFT of all requests that have their first token.
fn ttft(out: &mut Exposition, base: &str, ledger: &Ledger) {
    let name = "vllm:time_to_first_token_seconds";
    out.declare(name, Kind::Histogram, "Arrived to first token, seconds.");
    let all: Vec<Duration> = ledger.entries().filter_map(LedgerEntry::ttft).collect();
    let up_to = |most: f64| all.iter().filter(|took| took.as_secs_f64() <= most).count() as u64;
    for most in TTFT_BUCKETS {
        let labels = format!("{{{base},le=\"{most:?}\"}}");
        out.sample(&format!("{name}_bucket"), &labels, real(up_to(most)));
    }
    let everything = format!("{{{base},le=\"+Inf\"}}");
    out.sample(&format!("{name}_bucket"), &everything, real(all.len() as u64));
    out.sample(&format!("{name}_count"), &format!("{{{base}}}"), real(all.len() as u64));
    let sum: f64 = all.iter().map(Duration::as_secs_f64).sum();
    out.sample(&format!("{name}_sum"), &format!("{{{base}}}"), sum);
}

fn real(n: u64) -> f64 {
    Tokens::new(n).as_f64()
}
