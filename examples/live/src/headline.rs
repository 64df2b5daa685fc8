//! What was measured, in a few lines and before anything is judged.

use serde_json::{Value, json};
use trueline::baseline::stats::{anytime_interval, median, order_interval};
use trueline::core::number::{count, percent, short};
use trueline::core::{BenchRun, Outcome, RequestRecord, Side, Stretch, Total};
use trueline::measure::BYSTANDER;

/// How certain the intervals are.
const CONFIDENCE: f64 = 0.95;

/// How a median's interval was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// It is looked at once, at the end.
    Once,
    /// It was looked at after every request, and ended the run.
    AfterEach,
}

/// A median with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Middle {
    /// The median.
    pub median: f64,
    /// Its 95 % interval; `None` where there are too few for one, or several runs.
    pub interval: Option<(f64, f64)>,
}

/// What some runs came to, warm-up left out.
///
/// # Units
/// Times in seconds, rates per second.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// What they are called.
    pub name: String,
    /// Requests answered.
    pub answered: usize,
    /// Requests that failed.
    pub failed: usize,
    /// Requests that the client gave up.
    pub given_up: usize,
    /// Requests of warm-up that were not answered.
    pub warmup_lost: usize,
    /// TTFT.
    pub ttft: Option<Middle>,
    /// The median gap between two token-bearing events.
    pub itl: Option<f64>,
    /// The median time per output token after the first.
    pub tpot: Option<f64>,
    /// Output tokens over the time of the runs.
    pub output: Option<f64>,
    /// Cached tokens over prompt tokens; `None` where a reply does not say.
    pub hit_share: Option<f64>,
}

impl Headline {
    /// The headline of these runs under a name of their own.
    pub fn of(name: impl Into<String>, runs: &[&BenchRun], looks: Looks) -> Self {
        let rows = || runs.iter().flat_map(|run| &run.requests);
        let of = |outcome: Outcome| rows().filter(|r| !r.warmup && r.outcome == outcome).count();
        let answered: Vec<&RequestRecord> = runs.iter().flat_map(|run| run.measured()).collect();
        let ttft = sorted(
            answered.iter().filter_map(|r| Some(r.ttft(Side::Client).value()?.as_secs_f64())),
        );
        let one_run = runs.len() == 1;
        let middle = median(&ttft).map(|median| Middle {
            median,
            interval: if one_run { interval(&ttft, looks) } else { None },
        });
        let gaps = answered.iter().flat_map(|r| &r.gaps).map(|gap| gap.as_secs_f64());
        Self {
            name: name.into(),
            answered: answered.len(),
            failed: of(Outcome::Failed) + of(Outcome::Unknown),
            given_up: of(Outcome::Cancelled),
            warmup_lost: rows().filter(|r| is_warmup(r) && r.outcome != Outcome::Ok).count(),
            ttft: middle,
            itl: median(&sorted(gaps)),
            tpot: median(&sorted(answered.iter().filter_map(|r| tpot(r)))),
            output: rate(runs),
            hit_share: hit_share(runs),
        }
    }

    /// Requests that ended, however.
    pub fn ended(&self) -> usize {
        self.answered + self.failed + self.given_up
    }

    /// `30 of 30 requests answered, none failed`.
    pub fn counts(&self) -> String {
        let n = |n: usize| count(n as u64);
        let failed = if self.failed == 0 { "none".to_owned() } else { n(self.failed) };
        let mut line = format!("{} of {} requests answered", n(self.answered), n(self.ended()));
        if self.given_up > 0 {
            line += &format!(", {} given up", n(self.given_up));
        }
        // Last, for the reasons to stand behind it.
        line += &format!(", {failed} failed");
        if self.warmup_lost > 0 {
            line += &format!(" ({} of warm-up not answered)", n(self.warmup_lost));
        }
        line
    }

    /// The medians and the rate; `None` where nothing was answered.
    pub fn figures(&self) -> Option<String> {
        let ttft = self.ttft?;
        let mut line = format!("TTFT {}", time(ttft.median));
        line += &match ttft.interval {
            Some(interval) => format!(" (95 % {})", within(interval, ttft.median)),
            None => String::new(),
        };
        for (name, value) in [("ITL", self.itl), ("TPOT", self.tpot)] {
            if let Some(value) = value {
                line += &format!(", {name} {}", time(value));
            }
        }
        line += " (medians)";
        if let Some(rate) = self.output {
            line += &format!("; {} output tok/s over the run", short(rate, 3));
        }
        line += &match self.hit_share {
            Some(share) => format!("; {} of prompt tokens from the cache", percent(share)),
            None => "; the server does not say what was cached".to_owned(),
        };
        Some(line)
    }

    /// A row under the row of names.
    pub fn row(&self) -> String {
        let dash = || "-".to_owned();
        let ttft = self.ttft.map_or_else(dash, |ttft| {
            let interval = ttft.interval.map(|interval| within(interval, ttft.median));
            format!("{} {}", time(ttft.median), interval.unwrap_or_default())
        });
        let [itl, tpot] = [self.itl, self.tpot].map(|took| took.map_or_else(dash, time));
        let output = self.output.map_or_else(dash, |rate| short(rate, 4));
        let cached = self.hit_share.map_or_else(dash, percent);
        let line = format!(
            "{:<22}{:>9}{:>6}  {ttft:<24}{itl:>9}{tpot:>9}{output:>8}{cached:>8}",
            self.name.chars().take(21).collect::<String>(),
            self.answered,
            self.failed + self.given_up,
        );
        line.trim_end().to_owned()
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let interval = self.ttft.and_then(|ttft| ttft.interval);
        json!({
            "name": self.name,
            "answered": self.answered,
            "failed": self.failed,
            "given_up": self.given_up,
            "warmup_not_answered": self.warmup_lost,
            "ttft_s": self.ttft.map(|ttft| ttft.median),
            "ttft_s_low": interval.map(|(low, _)| low),
            "ttft_s_high": interval.map(|(_, high)| high),
            "itl_s": self.itl,
            "tpot_s": self.tpot,
            "output_tok_per_s": self.output,
            "cache_hit_share": self.hit_share,
        })
    }
}

/// The names of the columns of [`Headline::row`].
pub fn head() -> String {
    format!(
        "{:<22}{:>9}{:>6}  {:<24}{:>9}{:>9}{:>8}{:>8}",
        "", "answered", "lost", "TTFT, 95 %", "ITL", "TPOT", "tok/s", "cached"
    )
}

/// A bystander's requests are marked as warm-up and warm nothing up.
fn is_warmup(request: &RequestRecord) -> bool {
    request.warmup && request.session.as_deref() != Some(BYSTANDER)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn interval(sorted: &[f64], looks: Looks) -> Option<(f64, f64)> {
    match looks {
        Looks::Once => order_interval(sorted, 0.5, CONFIDENCE).map(|i| (i.low, i.high)),
        Looks::AfterEach => anytime_interval(sorted, 0.5, CONFIDENCE).map(|i| (i.low, i.high)),
    }
}

fn tpot(request: &RequestRecord) -> Option<f64> {
    let steps = request.tokens.output.value()?.get().checked_sub(1).filter(|steps| *steps > 0)?;
    let took = request.spans.get(Stretch::ClientDecode).value()?.as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "no answer has 2^53 tokens")]
    Some(took / steps as f64)
}

/// Output tokens of the runs over the sum of their times; `None` where one of them does not say.
fn rate(runs: &[&BenchRun]) -> Option<f64> {
    let (mut tokens, mut seconds) = (0_u64, 0.0);
    for run in runs.iter().filter(|run| run.measured().next().is_some()) {
        tokens = tokens.checked_add(run.tokens(Total::OutputTokens)?)?;
        seconds += run.duration()?.as_secs_f64();
    }
    #[expect(clippy::cast_precision_loss, reason = "no run has 2^53 tokens")]
    (seconds > 0.0).then(|| tokens as f64 / seconds)
}

fn hit_share(runs: &[&BenchRun]) -> Option<f64> {
    let sum = |total| -> Option<u64> {
        let of = runs.iter().filter(|run| run.measured().next().is_some());
        of.map(|run| run.tokens(total)).sum()
    };
    let (cached, prompt) = (sum(Total::CachedTokens)?, sum(Total::PromptTokens)?);
    #[expect(clippy::cast_precision_loss, reason = "no run has 2^53 tokens")]
    (prompt > 0).then(|| cached as f64 / prompt as f64)
}

/// A time as people write it.
pub fn time(seconds: f64) -> String {
    let (scale, unit) = unit(seconds);
    format!("{} {unit}", short(seconds * scale, 4))
}

/// An interval in the unit of its middle.
fn within((low, high): (f64, f64), middle: f64) -> String {
    let scale = unit(middle).0;
    format!("[{}, {}]", short(low * scale, 4), short(high * scale, 4))
}

fn unit(seconds: f64) -> (f64, &'static str) {
    if seconds >= 1.0 { (1.0, "s") } else { (1e3, "ms") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline::core::{By, Known, Tokens};

    use super::*;

    fn request(ttft_ms: u64, outcome: Outcome) -> RequestRecord {
        let mut request = RequestRecord::default();
        request.outcome = outcome;
        if outcome == Outcome::Ok {
            let known = |ms| Known::is(Duration::from_millis(ms), By::Measured);
            request.spans.set(Stretch::ClientTtft, known(ttft_ms));
            request.spans.set(Stretch::ClientDecode, known(40));
            request.gaps = vec![Duration::from_millis(10); 4];
            request.tokens.output = Known::is(Tokens::new(5), By::Reported);
        }
        request
    }

    fn run(requests: Vec<RequestRecord>) -> BenchRun {
        BenchRun::new("cold", Side::Client, requests)
    }

    #[test]
    fn failures_stand_beside_the_medians_and_warm_up_in_neither() {
        let mut all: Vec<_> =
            [100, 101, 102, 103, 104, 105].map(|t| request(t, Outcome::Ok)).into();
        all.push(request(0, Outcome::Failed));
        all.push(request(0, Outcome::Cancelled));
        let mut warmup = request(9_000, Outcome::Ok);
        warmup.warmup = true;
        all.push(warmup);
        let mut bystander = request(0, Outcome::Failed);
        (bystander.warmup, bystander.session) = (true, Some(BYSTANDER.to_owned()));
        all.push(bystander);
        let headline = Headline::of("cold", &[&run(all)], Looks::Once);
        assert_eq!(headline.counts(), "6 of 8 requests answered, 1 given up, 1 failed");
        // Six values admit [smallest, largest] at 96.9 %; 40 ms over 4 steps is 10 ms.
        let said = headline.figures().unwrap();
        assert!(
            said.starts_with("TTFT 102.5 ms (95 % [100, 105]), ITL 10 ms, TPOT 10 ms"),
            "{said}"
        );
        assert!(said.ends_with("the server does not say what was cached"), "{said}");
    }

    #[test]
    fn nothing_answered_has_no_figures() {
        let headline =
            Headline::of("cold", &[&run(vec![request(0, Outcome::Failed)])], Looks::Once);
        assert_eq!((headline.figures(), headline.output, headline.hit_share), (None, None, None));
        assert_eq!(headline.counts(), "0 of 1 requests answered, 1 failed");
        assert_eq!(Headline::of("none", &[], Looks::Once).ended(), 0);
    }

    #[test]
    fn a_row_keeps_its_columns() {
        let widest = Headline {
            ttft: Some(Middle { median: 0.9999, interval: Some((0.8888, 0.9999)) }),
            ..Headline::of("concurrency 128, hit 0.99", &[], Looks::Once)
        };
        assert!(widest.row().chars().count() <= 100, "{}", widest.row());
        assert!(head().chars().count() <= 100);
    }
}
