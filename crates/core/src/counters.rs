//! What a server has counted since it started.

use serde::{Deserialize, Serialize};

use crate::{By, Known, WallTime, Why};

/// When a server adds a request's tokens to its counts.
///
/// Requests are counted when they end, by every server known here; only tokens differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Counting {
    /// Prompt tokens as prefill ends, output tokens one by one.
    AsServed,
    /// All of them when the request ends: while it runs they show nothing of it.
    WhenFinished,
    /// The source does not say.
    #[default]
    NotSaid,
}

/// One of the counts that only grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Count {
    /// [`EngineCounts::requests`].
    Requests,
    /// [`EngineCounts::aborted`].
    Aborted,
    /// [`EngineCounts::prompt_tokens`].
    PromptTokens,
    /// [`EngineCounts::new_tokens`].
    NewTokens,
    /// [`EngineCounts::output_tokens`].
    OutputTokens,
    /// [`EngineCounts::decode_steps`].
    DecodeSteps,
}

impl Count {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Requests,
        Self::Aborted,
        Self::PromptTokens,
        Self::NewTokens,
        Self::OutputTokens,
        Self::DecodeSteps,
    ];

    /// What is counted, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Aborted => "aborted requests",
            Self::PromptTokens => "prompt tokens",
            Self::NewTokens => "computed prompt tokens",
            Self::OutputTokens => "output tokens",
            Self::DecodeSteps => "decode steps",
        }
    }
}

/// What one engine of a server, or one replica, has counted since it started.
///
/// # Shape
/// A server that does not keep a count has it `Absent`. All of them only grow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EngineCounts {
    /// The labels that tell it from its like, `name=value` joined by commas in order of name; empty
    /// where it has none.
    pub labels: String,
    /// Requests that ended, aborted ones not among them where the server tells them apart.
    pub requests: Known<u64>,
    /// Requests that were aborted: by a client that went away, by the server. Not every server
    /// counts every abort.
    pub aborted: Known<u64>,
    /// Prompt tokens, cached ones included.
    pub prompt_tokens: Known<u64>,
    /// Prompt tokens that were computed, cached ones left out.
    pub new_tokens: Known<u64>,
    /// Generated tokens.
    pub output_tokens: Known<u64>,
    /// Forward passes over a batch: neither requests nor tokens, and a sign of work.
    pub decode_steps: Known<u64>,
}

impl EngineCounts {
    /// One of the counts.
    pub const fn get(&self, count: Count) -> Known<u64> {
        match count {
            Count::Requests => self.requests,
            Count::Aborted => self.aborted,
            Count::PromptTokens => self.prompt_tokens,
            Count::NewTokens => self.new_tokens,
            Count::OutputTokens => self.output_tokens,
            Count::DecodeSteps => self.decode_steps,
        }
    }

    /// Sets one of the counts.
    pub const fn set(&mut self, count: Count, value: Known<u64>) {
        *match count {
            Count::Requests => &mut self.requests,
            Count::Aborted => &mut self.aborted,
            Count::PromptTokens => &mut self.prompt_tokens,
            Count::NewTokens => &mut self.new_tokens,
            Count::OutputTokens => &mut self.output_tokens,
            Count::DecodeSteps => &mut self.decode_steps,
        } = value;
    }
}

/// What a server has counted since it started, read at one moment.
///
/// Two of them taken around a run, less the run's own requests, are what the server served to
/// others. They are one count only while the process and its engines stay the same.
///
/// # Examples
/// ```
/// use trueline_core::{By, Count, EngineCounts, Known, ServerCounters, Why};
///
/// let mut counters = ServerCounters::default();
/// for (labels, requests) in [("engine=0", 40), ("engine=1", 38)] {
///     let mut engine = EngineCounts::default();
///     engine.labels = labels.into();
///     engine.requests = Known::is(requests, By::Reported);
///     counters.engines.push(engine);
/// }
/// assert_eq!(counters.sum(Count::Requests).value(), Some(78));
/// // Nobody counted output tokens: that is not none.
/// assert_eq!(counters.sum(Count::OutputTokens), Known::Not(Why::Absent));
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerCounters {
    /// The serving engine, as its metrics name it.
    pub server: String,
    /// When they were read.
    pub at: Known<WallTime>,
    /// When the server's process started, the latest of several; another start is another count.
    pub started: Known<WallTime>,
    /// When tokens are added.
    pub counting: Counting,
    /// What each engine or replica has counted, in order of labels.
    pub engines: Vec<EngineCounts>,
    /// Requests being served, over all engines, as the server last noted: it may do so only every
    /// few seconds, and some keep the last number after the last request.
    pub running: Known<u64>,
    /// Requests that wait, over all engines; of the same age as `running`.
    pub waiting: Known<u64>,
    /// Lines of the metrics that could not be read.
    pub unreadable_lines: u64,
    /// In how many significant digits counts are written; `None` where in all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub significant_digits: Option<u32>,
}

impl ServerCounters {
    /// What several servers, or several replicas of one, have counted together; `None` of none at all. One
    /// alone is as it was.
    ///
    /// # Shape
    /// Engines keep their order, with `server=1`, `server=2` and so on in front of their labels. A count that
    /// one of the servers does not keep is not known of all, and when tokens are added is not said where
    /// they differ. The moment is that of the last reading, the start the latest that is known: another start
    /// of any of them is another count.
    pub fn of_several(servers: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut servers: Vec<Self> = servers.into_iter().collect();
        if servers.len() > 1 {
            for (number, server) in (1..).zip(&mut servers) {
                for engine in &mut server.engines {
                    let apart = if engine.labels.is_empty() { "" } else { "," };
                    engine.labels = format!("server={number}{apart}{}", engine.labels);
                }
            }
        }
        servers.into_iter().reduce(Self::beside)
    }

    fn beside(mut self, other: Self) -> Self {
        if self.server != other.server {
            self.server = format!("{} and {}", self.server, other.server);
        }
        if self.counting != other.counting {
            self.counting = Counting::NotSaid;
        }
        self.at = match (self.at.value(), other.at.value()) {
            (Some(one), Some(two)) if one >= two => self.at,
            (None, _) => self.at,
            _ => other.at,
        };
        self.started = match (self.started.value(), other.started.value()) {
            (Some(one), Some(two)) if one < two => other.started,
            (None, Some(_)) => other.started,
            _ => self.started,
        };
        self.engines.extend(other.engines);
        self.running = added(self.running, other.running);
        self.waiting = added(self.waiting, other.waiting);
        self.unreadable_lines = self.unreadable_lines.saturating_add(other.unreadable_lines);
        self.significant_digits = match (self.significant_digits, other.significant_digits) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self
    }

    /// One count over all engines; not known where it is not of one of them.
    pub fn sum(&self, count: Count) -> Known<u64> {
        self.engines.iter().map(|engine| engine.get(count)).reduce(added).unwrap_or_default()
    }

    /// Requests that the server had, running and waiting.
    pub fn in_flight(&self) -> Known<u64> {
        added(self.running, self.waiting)
    }

    /// By how much a count that reads `value` may be another one: a step of its last written digit,
    /// since it may be the sum of two that were rounded; zero where all digits are written.
    pub fn rounded_by(&self, value: u64) -> u64 {
        let written = value.checked_ilog10().map_or(1, |log| log + 1);
        let lost = self.significant_digits.map_or(0, |digits| written.saturating_sub(digits));
        if lost == 0 { 0 } else { 10_u64.pow(lost) }
    }
}

/// The sum of two counts; not known where one of them is not.
fn added(a: Known<u64>, b: Known<u64>) -> Known<u64> {
    match (a, b) {
        (Known::Is { value: a, by: one }, Known::Is { value: b, by: two }) => {
            let by = if one == two { one } else { By::Derived };
            a.checked_add(b).map_or(Known::Not(Why::Impossible), |sum| Known::is(sum, by))
        }
        (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(labels: &str, requests: Known<u64>) -> EngineCounts {
        EngineCounts { labels: labels.into(), requests, ..EngineCounts::default() }
    }

    #[test]
    fn a_count_that_one_engine_lacks_is_not_the_sum_of_the_others() {
        let five = Known::is(5, By::Reported);
        let mut counters = ServerCounters::default();
        assert_eq!(counters.sum(Count::Requests), Known::Not(Why::Absent));
        counters.engines = vec![engine("engine=0", five), engine("engine=1", five)];
        assert_eq!(counters.sum(Count::Requests), Known::is(10, By::Reported));
        counters.engines.push(engine("engine=2", Known::Not(Why::NonFinite)));
        assert_eq!(counters.sum(Count::Requests), Known::Not(Why::NonFinite));
    }

    #[test]
    fn waiting_requests_are_in_flight() {
        let running = Known::is(2, By::Reported);
        let mut counters = ServerCounters { running, ..ServerCounters::default() };
        assert_eq!(counters.in_flight(), Known::Not(Why::Absent));
        // The busy capture of llama.cpp: 2 run on 2 slots, 6 wait.
        counters.waiting = Known::is(6, By::Reported);
        assert_eq!(counters.in_flight().value(), Some(8));
    }

    #[test]
    fn a_count_of_more_than_six_digits_is_known_to_a_step() {
        let mut counters = ServerCounters::default();
        assert_eq!(counters.rounded_by(u64::MAX), 0);
        // printf("%.6g"): 999999, 1e+06, 1.23457e+06, 1.23457e+07.
        counters.significant_digits = Some(6);
        let steps = [0, 999_999, 1_000_000, 1_234_570, 12_345_700].map(|n| counters.rounded_by(n));
        assert_eq!(steps, [0, 0, 10, 10, 100]);
    }

    #[test]
    fn several_servers_count_together_what_each_of_them_counts() {
        let at = |s: i64| Known::is(WallTime::from_nanos(s), By::Measured);
        let five = Known::is(5, By::Reported);
        let one = ServerCounters {
            server: "vllm".into(),
            at: at(10),
            started: at(3),
            counting: Counting::AsServed,
            engines: vec![engine("engine=0", five)],
            running: Known::is(1, By::Reported),
            waiting: Known::is(2, By::Reported),
            ..ServerCounters::default()
        };
        let mut two = ServerCounters { at: at(11), started: at(2), ..one.clone() };
        two.engines = vec![engine("", Known::Not(Why::Absent))];
        assert_eq!(ServerCounters::of_several([]), None);
        assert_eq!(ServerCounters::of_several([one.clone()]), Some(one.clone()));
        let same = ServerCounters::of_several([one.clone(), one.clone()]).unwrap();
        assert_eq!(same.sum(Count::Requests), Known::is(10, By::Reported));
        assert_eq!((same.server.as_str(), same.counting), ("vllm", Counting::AsServed));
        assert_eq!(same.in_flight().value(), Some(6));
        (two.server, two.counting) = ("llama.cpp".into(), Counting::WhenFinished);
        (two.significant_digits, two.waiting) = (Some(6), Known::Not(Why::Absent));
        let both = ServerCounters::of_several([one, two]).unwrap();
        let labels: Vec<&str> = both.engines.iter().map(|e| e.labels.as_str()).collect();
        assert_eq!(labels, ["server=1,engine=0", "server=2"]);
        // One of them does not count requests, so that nobody knows how many there were.
        assert_eq!(both.sum(Count::Requests), Known::Not(Why::Absent));
        assert_eq!(
            (both.server.as_str(), both.counting),
            ("vllm and llama.cpp", Counting::NotSaid)
        );
        assert_eq!((both.at, both.started), (at(11), at(3)));
        assert_eq!((both.significant_digits, both.waiting), (Some(6), Known::Not(Why::Absent)));
    }

    #[test]
    fn counters_survive_json() {
        let mut counters = ServerCounters {
            server: "vllm".into(),
            at: Known::is(WallTime::from_nanos(1_793_880_000_000_000_000), By::Measured),
            counting: Counting::AsServed,
            ..ServerCounters::default()
        };
        let mut one = engine("engine=0", Known::is(3, By::Reported));
        for count in Count::ALL {
            one.set(count, Known::is(count as u64, By::Reported));
            assert_eq!(one.get(count).value(), Some(count as u64));
        }
        counters.engines.push(one);
        let text = serde_json::to_string(&counters).unwrap();
        assert_eq!(serde_json::from_str::<ServerCounters>(&text).unwrap(), counters);
        assert!(text.contains(r#""waiting":{"not":"absent"}"#));
    }
}
