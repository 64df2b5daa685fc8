//! The samples of a run: one value a request, or one a run.

use trueline_core::{
    BenchRun, Metric, RequestRecord, Share, Side, Stretch, Tokens, TokensPerSecond, Window,
};

use crate::stats::median_of;

/// One prefill sample of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The request's id.
    pub id: Option<String>,
    /// Its prompt length.
    pub prompt: Tokens,
    /// Its hit share.
    pub hit: Share,
    /// New tokens over TTFT.
    pub rate: TokensPerSecond,
    /// Who saw it.
    pub side: Side,
    /// When.
    pub window: Option<Window>,
}

/// The prefill samples among requests, in their order: those with known counts and TTFT.
///
/// # Shape
/// The server's TTFT is taken where a record holds both.
pub fn samples_of<'a>(requests: impl IntoIterator<Item = &'a RequestRecord>) -> Vec<Sample> {
    requests
        .into_iter()
        .filter_map(|request| {
            let (side, rate) = [Side::Server, Side::Client]
                .into_iter()
                .find_map(|side| Some((side, request.prefill_rate(side).value()?)))?;
            Some(Sample {
                id: request.id.clone(),
                prompt: request.tokens.prompt.value()?,
                hit: request.hit_share().value()?,
                rate,
                side,
                window: request.window(),
            })
        })
        .collect()
}

/// The values of a metric over some requests; `None` where this version derives none of that name.
///
/// # Units
/// Those of the metric's name.
///
/// # Shape
/// One value a request, in their order, for metrics of a request; a single one for metrics of a
/// run. Empty where the requests lack what the metric needs.
pub fn metric_values(requests: &[&RequestRecord], metric: Metric) -> Option<Vec<f64>> {
    Some(match metric {
        Metric::TtftS
        | Metric::E2eLatencyS
        | Metric::QueueS
        | Metric::TpotS
        | Metric::DecodeTokPerS
        | Metric::CacheHitShare
        | Metric::E2ePerTokenS
        | Metric::PromptTokens
        | Metric::OutputTokens => requests.iter().filter_map(|r| value_of(r, metric)).collect(),
        Metric::PrefillTokPerS => {
            samples_of(requests.iter().copied()).iter().map(|s| s.rate.get()).collect()
        }
        Metric::OutputTokPerS => over_window(requests, |r| Some(r.tokens.output.value()?.as_f64())),
        Metric::TotalTokPerS => over_window(requests, |r| {
            Some(r.tokens.prompt.value()?.as_f64() + r.tokens.output.value()?.as_f64())
        }),
        Metric::RequestPerS => over_window(requests, |_| Some(1.0)),
        Metric::ItlS => {
            requests.iter().flat_map(|r| &r.gaps).map(std::time::Duration::as_secs_f64).collect()
        }
        Metric::InputTokPerS => over_window(requests, |r| Some(r.tokens.prompt.value()?.as_f64())),
        Metric::GoodputRequestPerS
        | Metric::SendDelayS
        | Metric::PeakOutputTokPerS
        | Metric::Concurrency
        | Metric::PeakConcurrency => return None,
    })
}

/// The value of a metric of one request; `None` where it is not known, and for metrics of a run.
pub(crate) fn value_of(request: &RequestRecord, metric: Metric) -> Option<f64> {
    match metric {
        Metric::TtftS => Some(request.any_ttft()?.took.as_secs_f64()),
        Metric::E2eLatencyS => Some(request.any_e2e()?.took.as_secs_f64()),
        Metric::QueueS => Some(request.spans.get(Stretch::Queue).value()?.as_secs_f64()),
        Metric::TpotS => {
            Some(request.decode_rate().value()?.get().recip()).filter(|tpot| tpot.is_finite())
        }
        Metric::DecodeTokPerS => Some(request.decode_rate().value()?.get()),
        Metric::CacheHitShare => Some(request.hit_share().value()?.get()),
        Metric::E2ePerTokenS => {
            let n = request.tokens.output.value()?.as_f64();
            (n > 0.0).then_some(request.any_e2e()?.took.as_secs_f64() / n)
        }
        Metric::PromptTokens => Some(request.tokens.prompt.value()?.as_f64()),
        Metric::OutputTokens => Some(request.tokens.output.value()?.as_f64()),
        _ => None,
    }
}

/// The median of a metric over the measured requests of a run, or its one value of the run.
pub(crate) fn median_over(run: &BenchRun, metric: Metric) -> Option<f64> {
    let requests: Vec<&RequestRecord> = run.measured().collect();
    median_of(metric_values(&requests, metric)?)
}

/// Whether a metric has one value a run rather than one a request.
pub fn is_of_a_run(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::OutputTokPerS
            | Metric::TotalTokPerS
            | Metric::InputTokPerS
            | Metric::RequestPerS
            | Metric::GoodputRequestPerS
            | Metric::PeakOutputTokPerS
            | Metric::Concurrency
            | Metric::PeakConcurrency
    )
}

/// Sum over the requests' wall time; nothing where one lacks its part of the sum or its times.
fn over_window(requests: &[&RequestRecord], part: fn(&RequestRecord) -> Option<f64>) -> Vec<f64> {
    let sum: Option<f64> = requests.iter().copied().map(part).sum();
    let windows: Option<Vec<Window>> = requests.iter().map(|r| r.window()).collect();
    let window = windows.and_then(|all| all.into_iter().reduce(|a, b| a.join(&b)));
    let seconds = window.map_or(0.0, |w| w.length().as_secs_f64());
    sum.filter(|_| seconds > 0.0).map(|s| s / seconds).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Known, Stretch, WallTime};

    use super::*;

    fn request(prompt: u64, cached: u64, at: i64) -> RequestRecord {
        let mut r = RequestRecord::default();
        r.tokens.prompt = RequestRecord::counted(prompt);
        r.tokens.cached = RequestRecord::counted(cached);
        r.tokens.output = RequestRecord::counted(11);
        r.started = Known::is(WallTime::from_nanos(at * 1_000_000_000), By::Measured);
        r.spans.set(Stretch::ClientTtft, Known::is(Duration::from_secs(1), By::Measured));
        r.spans.set(Stretch::ClientE2e, Known::is(Duration::from_secs(3), By::Measured));
        r
    }

    fn values(requests: &[RequestRecord], metric: Metric) -> Option<Vec<f64>> {
        metric_values(&requests.iter().collect::<Vec<_>>(), metric)
    }

    #[test]
    fn run_metrics_are_sums_over_wall_time_and_not_means_of_rates() {
        let run = [request(1_000, 0, 0), request(1_000, 0, 1)];
        // By hand: the window is 0 s to 4 s; 22 output tokens / 4 s = 5.5.
        assert_eq!(values(&run, Metric::OutputTokPerS), Some(vec![5.5]));
        assert_eq!(values(&run, Metric::RequestPerS), Some(vec![0.5]));
        assert_eq!(values(&run, Metric::TotalTokPerS), Some(vec![505.5]));
        // 10 steps in 2 s.
        assert_eq!(values(&run, Metric::DecodeTokPerS), Some(vec![5.0, 5.0]));
        assert_eq!(values(&run, Metric::TpotS), Some(vec![0.2, 0.2]));
        // Nobody recorded gaps between chunks.
        assert_eq!(values(&run, Metric::ItlS), Some(vec![]));
        assert_eq!(values(&run, Metric::SendDelayS), None);
    }

    #[test]
    fn a_request_without_a_start_leaves_no_rate_of_the_run() {
        let mut silent = request(1_000, 0, 1);
        silent.started = Known::Not(trueline_core::Why::Absent);
        let run = [request(1_000, 0, 0), silent];
        assert_eq!(values(&run, Metric::OutputTokPerS), Some(vec![]));
        assert_eq!(values(&run, Metric::DecodeTokPerS), Some(vec![5.0, 5.0]));
    }
}
