//! llama.cpp's names.

use std::time::Duration;

use trueline_core::{Outcome, Tokens};

use super::exposition::{Exposition, Kind};
use crate::{Ledger, LedgerEntry, Load};

/// The metrics text of a llama.cpp server that did what the ledger says.
///
/// `load` is the engine's at this moment.
///
/// # Formula
/// All tokens of a request are counted when it ends; of one that was taken back only if it had its
/// first token. Prompt tokens leave cached ones out. Prompt time is from scheduled to first token,
/// predicted time from first to last token. The two rates are over the whole time since the start,
/// while a real server's are since the last scrape.
///
/// # Units
/// Six significant digits, as `%g` writes them: beyond 999,999 a count is known in steps.
///
/// # Shape
/// It walks the whole ledger: the time it takes grows with the requests served.
///
/// # Source
/// Captures of llama.cpp b11434 with `--metrics` (made 2026-11-29). Its count of busy slots a decode
/// and those of speculation are left out.
///
/// # Examples
/// ```
/// use trueline_sim::{Engine, ModelConfig, llama_cpp_metrics};
///
/// let engine = Engine::new(ModelConfig::default())?;
/// let text = llama_cpp_metrics(engine.ledger(), engine.load());
/// assert!(text.contains("\nllamacpp:prompt_tokens_total 0\n"));
/// # Ok::<(), trueline_sim::Error>(())
/// ```
pub fn llama_cpp_metrics(ledger: &Ledger, load: Load) -> String {
    let ended: Vec<&LedgerEntry> = ledger
        .entries()
        .filter(|entry| {
            matches!(entry.outcome(), Outcome::Ok | Outcome::Cancelled)
                && entry.first_token.is_some()
        })
        .collect();
    let tokens =
        |of: fn(&LedgerEntry) -> Tokens| ended.iter().map(|entry| of(entry).as_f64()).sum::<f64>();
    let seconds = |of: fn(&LedgerEntry) -> Option<Duration>| {
        ended.iter().filter_map(|entry| of(entry)).map(|took| took.as_secs_f64()).sum::<f64>()
    };
    let new = tokens(|entry| entry.computed);
    let output = tokens(|entry| entry.output);
    let prompt_s = seconds(|entry| Some(entry.first_token?.since(entry.scheduled?)));
    let predicted_s = seconds(LedgerEntry::decode);
    let longest = ended.iter().map(|e| e.prompt.get() + e.output.get()).max().unwrap_or(0);
    let rate = |tokens: f64, seconds: f64| if seconds > 0.0 { tokens / seconds } else { 0.0 };
    let (counter, gauge) = (Kind::Counter, Kind::Gauge);
    let cached = tokens(|entry| entry.cached);
    let mut out = Exposition::new(six_digits);
    for (name, kind, help, value) in [
        ("prompt_tokens_total", counter, "Prompt tokens computed", new),
        ("prompt_tokens_cached_total", counter, "Prompt tokens found in the cache", cached),
        ("prompt_seconds_total", counter, "Seconds from scheduled to first token", prompt_s),
        ("tokens_predicted_total", counter, "Output tokens", output),
        ("tokens_predicted_seconds_total", counter, "Seconds of output", predicted_s),
        ("n_decode_total", counter, "Steps", real(load.steps)),
        ("n_tokens_max", counter, "Longest prompt and output", real(longest)),
        ("prompt_tokens_seconds", gauge, "Prompt tokens a second", rate(new, prompt_s)),
        ("predicted_tokens_seconds", gauge, "Output tokens a second", rate(output, predicted_s)),
        ("requests_processing", gauge, "Requests in the batch", real(load.running)),
        ("requests_deferred", gauge, "Requests that wait", real(load.waiting)),
    ] {
        let name = format!("llamacpp:{name}");
        out.declare(&name, kind, help);
        out.sample(&name, "", value);
    }
    out.finish()
}

fn real(n: u64) -> f64 {
    Tokens::new(n).as_f64()
}

/// A number in six significant digits, as C's `%g` writes it.
fn six_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let bare = |text: &str| {
        let short = text.trim_end_matches('0').trim_end_matches('.');
        if text.contains('.') { short.to_owned() } else { text.to_owned() }
    };
    if (-4..=5).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        bare(&format!("{value:.decimals$}"))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", bare(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python 3, `"%g" % x` for each.
    #[test]
    fn numbers_are_written_as_c_does() {
        for (value, written) in [
            (0.0, "0"),
            (1_028.0, "1028"),
            (999_999.0, "999999"),
            (999_999.5, "1e+06"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (12_345_678_901.0, "1.23457e+10"),
            (5.497_214, "5.49721"),
            (187.004_2, "187.004"),
            (0.000_123_456_7, "0.000123457"),
            (0.000_012_345, "1.2345e-05"),
            (100_000.0, "100000"),
            (0.1, "0.1"),
        ] {
            assert_eq!(six_digits(value), written, "{value}");
        }
    }
}
