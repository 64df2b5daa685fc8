//! One served request as somebody observed it, and the arithmetic of that one request.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    By, Known, PromptBlocks, Ratio, Share, Side, Span, Spans, Stretch, Tokens, TokensPerSecond,
    WallTime, Why, Window,
};

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It was answered.
    Ok,
    /// It failed.
    Failed,
    /// The client went away.
    Cancelled,
    /// The record does not say.
    #[default]
    Unknown,
}

/// The token counts of one request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TokenCounts {
    /// The whole prompt, cached tokens included.
    pub prompt: Known<Tokens>,
    /// The part of the prompt that came from a prefix cache.
    pub cached: Known<Tokens>,
    /// What was generated, reasoning included.
    pub output: Known<Tokens>,
}

/// A rate that the server or tool itself states for a request.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedRate {
    /// The field's name in the source.
    pub field: Cow<'static, str>,
    /// What it says.
    pub rate: Known<TokensPerSecond>,
}

/// What a stated rate seems to be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// New tokens over TTFT: honest.
    NewOverTtft,
    /// All prompt tokens, cached ones included, over TTFT: the numerator is too large.
    AllOverTtft,
    /// New tokens over prefill computation: the denominator is too small.
    NewOverCompute,
    /// All prompt tokens over prefill computation: both.
    AllOverCompute,
}

impl Reading {
    /// All of them, simplest first.
    pub const ALL: [Self; 4] =
        [Self::NewOverTtft, Self::AllOverTtft, Self::NewOverCompute, Self::AllOverCompute];
}

/// One served request as somebody observed it.
///
/// The record holds no prompt or completion text. Every quantity is [`Known`] or says why not.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use trueline_core::{By, Known, RequestRecord, Side, Stretch, Tokens};
///
/// let mut request = RequestRecord::default();
/// request.tokens.prompt = Known::is(Tokens::new(24_750), By::Reported);
/// request.tokens.cached = Known::is(Tokens::new(0), By::Reported);
/// request.spans.set(Stretch::ClientTtft, Known::is(Duration::from_secs(214), By::Measured));
/// let rate = request.prefill_rate(Side::Client).value().unwrap();
/// assert_eq!(rate.get().round(), 116.0);
/// assert_eq!(request.ttft(Side::Server).value(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct RequestRecord {
    /// The source's own id of the request.
    pub id: Option<String>,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// The model that served it.
    pub model: Option<String>,
    /// When it was sent (client's clock) or arrived (server's).
    pub started: Known<WallTime>,
    /// When it was sent, counted from an origin of the run's own: for sources whose clock has no
    /// date.
    pub sent_after: Known<Duration>,
    /// Token counts.
    pub tokens: TokenCounts,
    /// The hashes of the prompt's blocks; `None` where the source has none. Boxed, as most rows have none.
    pub blocks: Option<Box<PromptBlocks>>,
    /// Durations.
    pub spans: Spans,
    /// The gaps between one token-bearing chunk and the next, in their order; empty where they were
    /// not recorded or there is only one chunk.
    pub gaps: Vec<Duration>,
    /// Rates that the source states. Order as found; empty where it states none.
    pub reported: Vec<ReportedRate>,
    /// How often the server took it from its place while it ran, to compute it again later: preemptions,
    /// retractions.
    pub preemptions: Known<u64>,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the source marks it as a warm-up request.
    pub warmup: bool,
}

impl RequestRecord {
    /// Empties the record and keeps its buffers, for a reader that fills one record many times.
    pub fn clear(&mut self) {
        let mut reported = std::mem::take(&mut self.reported);
        reported.clear();
        *self = Self { reported, ..Self::default() };
    }

    /// TTFT by one observer.
    pub const fn ttft(&self, side: Side) -> Known<Duration> {
        self.spans.get(match side {
            Side::Client => Stretch::ClientTtft,
            Side::Server => Stretch::ServerTtft,
        })
    }

    /// TTFT by the observer who recorded this request: the server's where there is one.
    pub fn any_ttft(&self) -> Option<Span> {
        [Stretch::ServerTtft, Stretch::ClientTtft]
            .into_iter()
            .find_map(|stretch| self.spans.get(stretch).value().map(|took| Span { stretch, took }))
    }

    /// End-to-end latency by the observer who recorded this request.
    pub fn any_e2e(&self) -> Option<Span> {
        [Stretch::ServerE2e, Stretch::ClientE2e]
            .into_iter()
            .find_map(|stretch| self.spans.get(stretch).value().map(|took| Span { stretch, took }))
    }

    /// The prompt tokens that had to be computed.
    ///
    /// # Formula
    /// `prompt_tokens - cached_tokens`; not known when either is not known, and impossible when
    /// more tokens are cached than the prompt has.
    pub fn new_tokens(&self) -> Known<Tokens> {
        match (self.tokens.prompt, self.tokens.cached) {
            (Known::Is { value: prompt, .. }, Known::Is { value: cached, .. }) => {
                Known::derived(prompt.checked_sub(cached), Why::Impossible)
            }
            (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
        }
    }

    /// The share of the prompt that came from the cache.
    ///
    /// # Formula
    /// `cached_tokens / prompt_tokens`.
    pub fn hit_share(&self) -> Known<Share> {
        match (self.tokens.prompt, self.tokens.cached) {
            (Known::Is { value: prompt, .. }, Known::Is { value: cached, .. }) => {
                Known::derived(Share::of(cached, prompt), Why::Impossible)
            }
            (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
        }
    }

    /// The prefill rate of this request by one observer.
    ///
    /// # Formula
    /// `new_tokens / TTFT`. Fixed cost (queue, network, cache restore, first decode step) stands in
    /// the denominator, so it means something only on a cold request or inside a cell of prompt
    /// length and hit share.
    pub fn prefill_rate(&self, side: Side) -> Known<TokensPerSecond> {
        match (self.new_tokens(), self.ttft(side)) {
            (Known::Is { value: new, .. }, Known::Is { value: ttft, .. }) => {
                Known::derived(new.per(ttft), Why::DividesByZero)
            }
            (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
        }
    }

    /// The time from first to last token by the observer who recorded this request.
    ///
    /// # Formula
    /// The stated decode time, else `e2e_latency - TTFT` of the same observer.
    pub fn decode_time(&self) -> Known<Duration> {
        for (decode, e2e, ttft) in [
            (Stretch::ServerDecode, Stretch::ServerE2e, Stretch::ServerTtft),
            (Stretch::ClientDecode, Stretch::ClientE2e, Stretch::ClientTtft),
        ] {
            let stated = self.spans.get(decode);
            if stated.is_known() {
                return stated;
            }
            if let (Some(e2e), Some(ttft)) =
                (self.spans.get(e2e).value(), self.spans.get(ttft).value())
            {
                return Known::derived(e2e.checked_sub(ttft), Why::Impossible);
            }
        }
        Known::Not(Why::NeedsMore)
    }

    /// The decode rate of this request.
    ///
    /// # Formula
    /// `(output_tokens - 1) / (t_last - t_first)`: the first token belongs to prefill. Not known
    /// under two output tokens.
    pub fn decode_rate(&self) -> Known<TokensPerSecond> {
        match (self.tokens.output, self.decode_time()) {
            (Known::Is { value: output, .. }, Known::Is { value: took, .. }) => {
                match output.checked_sub(Tokens::new(1)) {
                    Some(steps) if steps.get() > 0 => {
                        Known::derived(steps.per(took), Why::DividesByZero)
                    }
                    _ => Known::Not(Why::NeedsMore),
                }
            }
            (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
        }
    }

    /// What a stated rate would be under a reading of it.
    ///
    /// # Formula
    /// See [`Reading`]; TTFT is that of [`RequestRecord::any_ttft`].
    pub fn rate_under(&self, reading: Reading) -> Option<TokensPerSecond> {
        let tokens = match reading {
            Reading::NewOverTtft | Reading::NewOverCompute => self.new_tokens().value()?,
            Reading::AllOverTtft | Reading::AllOverCompute => self.tokens.prompt.value()?,
        };
        let took = match reading {
            Reading::NewOverTtft | Reading::AllOverTtft => self.any_ttft()?.took,
            Reading::NewOverCompute | Reading::AllOverCompute => {
                self.spans.get(Stretch::PrefillCompute).value()?
            }
        };
        tokens.per(took)
    }

    /// A stated rate over the derived prefill rate: 1 where the statement is honest.
    ///
    /// # Formula
    /// `reported / (new_tokens / TTFT)`.
    pub fn reported_over_derived(&self, reported: &ReportedRate) -> Option<Ratio> {
        let derived = self.rate_under(Reading::NewOverTtft)?.get();
        let stated = reported.rate.value()?.get();
        (derived > 0.0).then(|| Ratio::new(stated / derived).ok())?
    }

    /// The wall time that this request occupied, from its start to its last token (or its first,
    /// where no end is known).
    pub fn window(&self) -> Option<Window> {
        let from = self.started.value()?;
        let took = self.any_e2e().or_else(|| self.any_ttft())?.took;
        Some(Window { from, to: from.plus(took)? })
    }

    /// A count set by a source that says so.
    pub fn counted(count: u64) -> Known<Tokens> {
        Known::is(Tokens::new(count), By::Reported)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warm() -> RequestRecord {
        // The warm row that the first origin text prints: 47,351 of 47,556 tokens cached.
        let mut r = RequestRecord::default();
        r.tokens.prompt = RequestRecord::counted(47_556);
        r.tokens.cached = RequestRecord::counted(47_351);
        r.tokens.output = RequestRecord::counted(31);
        r.spans.set(Stretch::ServerTtft, Known::is(Duration::from_secs(2), By::Measured));
        r.spans.set(Stretch::ServerE2e, Known::is(Duration::from_secs(3), By::Measured));
        r.spans.set(Stretch::PrefillCompute, Known::is(Duration::from_secs(1), By::Measured));
        r
    }

    #[test]
    fn cached_tokens_are_not_counted_as_prefill() {
        let r = warm();
        assert_eq!(r.new_tokens().value(), Some(Tokens::new(205)));
        // By hand: 205 / 2 s = 102.5; 47,556 / 2 s = 23,778, which is 231.98 times as much.
        assert_eq!(r.prefill_rate(Side::Server).value().map(TokensPerSecond::get), Some(102.5));
        let all = r.rate_under(Reading::AllOverTtft).unwrap();
        let stated = ReportedRate { field: "x".into(), rate: Known::is(all, By::Reported) };
        let ratio = r.reported_over_derived(&stated).unwrap().get();
        assert!((ratio - 231.980_487_8).abs() < 1e-6);
    }

    #[test]
    fn readings_differ_in_numerator_and_denominator() {
        let r = warm();
        let rates: Vec<f64> =
            Reading::ALL.iter().map(|&x| r.rate_under(x).unwrap().get()).collect();
        assert_eq!(rates, [102.5, 23_778.0, 205.0, 47_556.0]);
    }

    #[test]
    fn the_first_token_is_no_decode_step() {
        // 31 tokens are 30 steps in 1 s.
        assert_eq!(warm().decode_rate().value().map(TokensPerSecond::get), Some(30.0));
        let mut one = warm();
        one.tokens.output = RequestRecord::counted(1);
        assert_eq!(one.decode_rate(), Known::Not(Why::NeedsMore));
    }

    #[test]
    fn an_unknown_cached_count_gives_no_rate_at_all() {
        let mut r = warm();
        r.tokens.cached = Known::Not(Why::Null);
        assert_eq!(r.new_tokens(), Known::Not(Why::Null));
        assert_eq!(r.prefill_rate(Side::Server), Known::Not(Why::Null));
        assert_eq!(r.hit_share(), Known::Not(Why::Null));
    }

    #[test]
    fn more_cached_than_prompt_is_impossible_not_negative() {
        let mut r = warm();
        r.tokens.cached = RequestRecord::counted(47_557);
        assert_eq!(r.new_tokens(), Known::Not(Why::Impossible));
    }
}
