//! A reconstruction of the first origin story: three cold repetitions against 541 real requests.
//!
//! Nobody has the original request log. What stands here is drawn from a seed so that every figure
//! that the story states holds, and everything else is plausible; the generated files say so in a
//! field `note`. [`tell`] writes the story, its healthy twin and what lies between, as [`Knobs`]
//! ask: the same knobs give the same bytes. `scripts/expected/story1.py` works the figures out
//! from the files with other code.

mod arms;
mod audited;
mod bench;
mod log;
mod production;
mod request;
mod rng;

pub use audited::{CLAIMS, audit_of, audited};
use serde_json::json;

/// The model that the benchmark and both arms served.
pub const MODEL: &str = "qwen3-next-80b-a3b-4bit";

const DAY_S: f64 = 86_400.0;
/// 2026-11-02 00:00 UTC, in seconds since 1970.
const FIRST_MIDNIGHT_S: f64 = 1_793_577_600.0;

/// What the server's own field `prefill_tok_s` divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedField {
    /// All prompt tokens over TTFT: cached tokens stand in the numerator.
    Numerator,
    /// New tokens over prefill computation: queue, lock wait and cache restore are left out.
    Denominator,
    /// New tokens over TTFT.
    Honest,
}

/// Where the benchmark's repetitions lie among production's requests of their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// Cold, and slower than each of them.
    Tail,
    /// Partly cached as they are, and slower than each of them.
    Slow,
    /// Partly cached as they are, and in their middle.
    Middle,
}

/// Whether somebody else's requests run beside the repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Three beside the second repetition, two beside the third.
    Beside,
    /// None.
    Absent,
}

/// What the GPU clock does under load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// It is stuck at a third of what the device reaches.
    Third,
    /// It is where it belongs.
    Full,
}

/// How the decode comparison of candidate and library was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arms {
    /// One run an arm on the degraded machine.
    Degraded,
    /// Three runs an arm on a healthy one.
    Healthy,
}

/// Whether the log holds the benchmark's own requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnRows {
    /// As `bench-1`, `bench-2`, ….
    InLog,
    /// It does not.
    Missing,
}

/// What can be turned in the story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knobs {
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// What the server's own field divides.
    pub field: ReportedField,
    /// Where the repetitions lie.
    pub samples: Samples,
    /// How many repetitions there are.
    pub repetitions: usize,
    /// Whether foreign requests run beside them.
    pub foreign: Foreign,
    /// What the GPU clock does.
    pub clock: Clock,
    /// The nice level of the benchmark.
    pub nice: i32,
    /// How the decode comparison was made.
    pub arms: Arms,
    /// The model that the log names.
    pub log_model: String,
    /// By how many days production's rows are later; above 1 the own rows are not in the log.
    pub log_days_later: u32,
    /// Whether the log holds the benchmark's own requests.
    pub own_rows: OwnRows,
}

impl Knobs {
    /// The story as it was told, under one reading of the server's own field.
    pub fn story(field: ReportedField) -> Self {
        Self {
            seed: 1,
            field,
            samples: Samples::Tail,
            repetitions: 3,
            foreign: Foreign::Beside,
            clock: Clock::Third,
            nice: 5,
            arms: Arms::Degraded,
            log_model: MODEL.to_owned(),
            log_days_later: 0,
            own_rows: OwnRows::InLog,
        }
    }

    /// The same work on a healthy machine, with eight repetitions shaped like production.
    pub fn healthy_twin() -> Self {
        Self {
            samples: Samples::Middle,
            repetitions: 8,
            foreign: Foreign::Absent,
            clock: Clock::Full,
            nice: 0,
            arms: Arms::Healthy,
            ..Self::story(ReportedField::Honest)
        }
    }

    fn log_shift_s(&self) -> f64 {
        f64::from(self.log_days_later) * DAY_S
    }
}

/// The files of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// The server's request log: a JSON object a line, in order of completion.
    pub log: String,
    /// Results files: name and text, the incumbent's first.
    pub results: Vec<(String, String)>,
    /// The host record.
    pub host: String,
}

/// Tells the story.
pub fn tell(knobs: &Knobs) -> Story {
    let own = bench::repetitions(knobs);
    let runs = arms::runs(knobs, bench::end_s(&own));
    let quiet = [bench::window_s(&own), arms::window_s(&runs)];
    let mut rows = production::requests(knobs, &quiet);
    rows.extend(bench::guests(knobs, &own));
    if knobs.own_rows == OwnRows::InLog && knobs.log_days_later <= 1 {
        rows.extend(own.iter().cloned());
    }
    rows.sort_by(|a, b| a.completed_s().total_cmp(&b.completed_s()));
    let mut results = vec![bench::results(knobs, &own)];
    results.extend(runs.iter().map(arms::Run::results));
    Story {
        log: rows.iter().map(|row| log::line(row, knobs)).collect(),
        host: host(knobs, quiet[0].0 - 30.0, quiet[1].1 + 30.0),
        results,
    }
}

fn host(knobs: &Knobs, started_s: f64, ended_s: f64) -> String {
    let busy_mhz = match knobs.clock {
        Clock::Third => 460,
        Clock::Full => 1375,
    };
    let known = |value: String, by: &str| json!({"is": {"value": value, "by": by}});
    let conditions = log::object(&[
        ("machine", known("box-1".to_owned(), "measured")),
        ("nice", known(knobs.nice.to_string(), "measured")),
        ("gpu_clock_busy_mhz", known(busy_mhz.to_string(), "measured")),
        ("gpu_clock_expected_mhz", known("1380".to_owned(), "reported")),
    ]);
    format!(
        "{{\"schema\":\"trueline.host/1\",\"note\":\"reconstruction\",\"started_at_s\":{},\
         \"ended_at_s\":{},\"conditions\":{conditions}}}\n",
        json!(request::round(started_s, 4)),
        json!(request::round(ended_s, 4)),
    )
}

#[cfg(test)]
mod tests;
