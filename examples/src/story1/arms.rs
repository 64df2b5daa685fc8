//! The decode comparison of the candidate with the library it is built on.

use serde_json::json;

use super::log::object;
use super::request::round;
use super::rng::{Rng, Stream};
use super::{Arms, Knobs, MODEL};

const PROMPT_TOKENS: u32 = 40;
const OUTPUT_TOKENS: u32 = 64;
const CANDIDATE_OVER_LIBRARY: f64 = 0.84;

/// One run of one request.
#[derive(Debug, Clone)]
pub(super) struct Run {
    arm: Arm,
    number: u32,
    started_s: f64,
    ttft_s: f64,
    decode_s: f64,
}

#[derive(Debug, Clone, Copy)]
enum Arm {
    Library,
    Candidate,
}

impl Arm {
    /// Its name, its server and that server's version.
    const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Library => ("library", "mlx-lm", "0.29.1"),
            Self::Candidate => ("candidate", "candidate-engine", "0.3.0"),
        }
    }
}

/// The runs, alternating, from an hour after the benchmark's end.
pub(super) fn runs(knobs: &Knobs, benchmark_end_s: f64) -> Vec<Run> {
    let mut rng = Rng::new(knobs.seed, Stream::Arms);
    let (count, library_tok_per_s, spread, ttft_s) = match knobs.arms {
        Arms::Degraded => (1, 1.87, 0.0, 2.9),
        Arms::Healthy => (3, 40.6, 0.005, 0.21),
    };
    let mut started_s = benchmark_end_s + 3600.0;
    let mut all = Vec::new();
    for number in 1..=count {
        for arm in [Arm::Library, Arm::Candidate] {
            let ratio = match arm {
                Arm::Library => 1.0,
                Arm::Candidate => CANDIDATE_OVER_LIBRARY,
            };
            let rate = library_tok_per_s * ratio * (1.0 + spread * rng.between(-1.0, 1.0));
            let run = Run {
                arm,
                number,
                started_s: round(started_s, 4),
                ttft_s: round(ttft_s * rng.between(0.97, 1.03), 6),
                decode_s: f64::from(OUTPUT_TOKENS - 1) / rate,
            };
            started_s = run.end_s() + rng.between(20.0, 40.0);
            all.push(run);
        }
    }
    all
}

/// From the first run's start to the last one's end.
pub(super) fn window_s(runs: &[Run]) -> (f64, f64) {
    let from = runs.first().map_or(0.0, |run| run.started_s);
    (from, runs.last().map_or(0.0, Run::end_s))
}

impl Run {
    fn end_s(&self) -> f64 {
        self.started_s + self.ttft_s + self.decode_s
    }

    /// Its results file: name and text.
    pub(super) fn results(&self) -> (String, String) {
        let (arm, server, version) = self.arm.names();
        let label = format!("{arm}-{}", self.number);
        let header = object(&[
            ("schema", json!("trueline.requests/1")),
            ("role", json!("run")),
            ("label", json!(label)),
            ("arm", json!(arm)),
            ("side", json!("client")),
            ("note", json!("reconstruction")),
            (
                "conditions",
                json!({
                    "model": MODEL, "quantization": "4bit",
                    "hardware": "apple-m-series-reconstructed", "machine": "box-1",
                    "server": server, "server_version": version,
                    "client": "decode-bench", "sampling": "greedy",
                }),
            ),
            (
                "plan",
                json!({
                    "requests": 1, "prompt_tokens": PROMPT_TOKENS,
                    "output_tokens": OUTPUT_TOKENS, "load": "concurrency 1",
                }),
            ),
        ]);
        let row = object(&[
            ("id", json!(format!("{label}-1"))),
            ("started_at_s", json!(self.started_s)),
            ("prompt_tokens", json!(PROMPT_TOKENS)),
            ("cached_tokens", json!(0)),
            ("output_tokens", json!(OUTPUT_TOKENS)),
            ("ttft_s", json!(self.ttft_s)),
            // Nine decimals, so that the ratio of the arms stands as it was told.
            ("e2e_latency_s", json!(round(self.ttft_s + self.decode_s, 9))),
            ("outcome", json!("ok")),
        ]);
        (format!("results-{label}.jsonl"), format!("{header}\n{row}\n"))
    }
}
