//! The arguments that say how long is measured, and by what is sent.

use std::num::NonZeroU64;
use std::time::Duration;

use clap::Args;
use trueline::core::{Ratio, Tokens};
use trueline::measure::StopAt;
use trueline::probe::Workload;

use crate::drawn_seed::drawn_seed;
use crate::headline::Looks;

/// How many requests are measured where nothing is said.
const REQUESTS: u64 = 30;

/// How long is measured: a number of requests, a time, or until an interval is narrow.
#[derive(Debug, Args)]
pub struct HowLong {
    /// Requests to measure; at each level of a sweep, of both servers together
    #[arg(long, value_name = "N", conflicts_with_all = ["seconds", "until_width"])]
    pub requests: Option<NonZeroU64>,
    /// Send for so many seconds
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "until_width")]
    pub seconds: Option<Duration>,
    /// Send until the 95 % intervals of the medians of TTFT and of time per token are so narrow
    #[arg(long, value_name = "SHARE", value_parser = width)]
    pub until_width: Option<Ratio>,
}

impl HowLong {
    /// When a measured stage ends.
    pub fn stop(&self) -> StopAt {
        match (self.seconds, self.until_width) {
            (Some(time), _) => StopAt::After(time),
            (None, Some(width)) => StopAt::Width(width),
            (None, None) => StopAt::Exhausted,
        }
    }

    /// How often the medians' intervals are looked at by then.
    pub const fn looks(&self) -> Looks {
        if self.until_width.is_some() { Looks::AfterEach } else { Looks::Once }
    }
}

/// What prompts and answers are like.
#[derive(Debug, Args)]
pub struct Lengths {
    /// Tokens of a prompt, the server's template included
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub prompt_tokens: u64,
    /// Tokens of an answer
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub output_tokens: u64,
}

impl Lengths {
    /// A workload of these lengths, so long, after so many requests of warm-up.
    pub fn workload(&self, long: &HowLong, warmup: u64, seed: u64) -> Workload {
        let lengths = (Tokens::new(self.prompt_tokens), Tokens::new(self.output_tokens));
        let workload = Workload::new(lengths.0, lengths.1, seed).with_warmup(warmup);
        if long.stop() == StopAt::Exhausted {
            workload.with_requests(long.requests.map_or(REQUESTS, NonZeroU64::get))
        } else {
            workload.endless()
        }
    }
}

/// What goes before, and what words are drawn from.
#[derive(Debug, Args)]
pub struct Beginning {
    /// Requests that go before and are not measured
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub warmup: u64,
    /// What words and orders are drawn from; drawn and printed where absent, as the same words find a
    /// warm cache
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl Beginning {
    /// The seed given, or one of this run alone.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(drawn_seed)
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    let time = time.filter(|time| !time.is_zero() && time.as_secs() <= 7 * 86_400);
    time.ok_or_else(|| "expected seconds above zero, such as 60".to_owned())
}

fn width(text: &str) -> Result<Ratio, String> {
    let (number, of) = text.trim().strip_suffix('%').map_or((text, 1.0), |n| (n, 100.0));
    let share = number.trim().parse::<f64>().ok().map(|n| n / of);
    let share = share.filter(|share| *share > 0.0 && *share < 1.0).map(Ratio::new);
    share
        .and_then(Result::ok)
        .ok_or_else(|| "expected a width between 0 and 100 %, such as 2%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_times_that_cannot_be_are_refused() {
        assert_eq!(width("2%").map(Ratio::get), Ok(0.02));
        assert_eq!(width("0.05").map(Ratio::get), Ok(0.05));
        for text in ["0", "100%", "-1%", "nan", "wide"] {
            assert!(width(text).is_err(), "{text}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "inf", "1e300", "soon"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
