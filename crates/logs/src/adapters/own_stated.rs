//! What a header says that the tool states of its run, and the way to core's words and back.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use trueline_core::{
    By, Definition, Deviation, Each, Figure, FirstToken, Known, Mark, Metric, Percentiles,
    Reported, Side, Spans, Statistic, Tool, Total, Why,
};

/// Every total that a header may hold.
const TOTALS: [Total; 14] = [
    Total::PlannedRequests,
    Total::CompletedRequests,
    Total::FailedRequests,
    Total::CancelledRequests,
    Total::PromptTokens,
    Total::CachedTokens,
    Total::OutputTokens,
    Total::ReasoningTokens,
    Total::OwnPromptTokens,
    Total::OwnOutputTokens,
    Total::PlannedPromptTokens,
    Total::PlannedOutputTokens,
    Total::Preemptions,
    Total::Retries,
];

/// What the tool that recorded a run states of it, as it stands in a header.
///
/// # Shape
/// One object: `tool` and `tool_version` are texts, `duration_s` a number, every other key is the name of a
/// metric, a statistic behind a dot, or that of a total. `null` is a figure that is not known. A name that is
/// none of these is kept as it is and means nothing here.
///
/// # Units
/// Those of the names.
///
/// # Source
/// `docs/request-log.md`, schema 1.
///
/// # Examples
/// ```
/// use trueline_core::{Metric, Side, Total};
/// use trueline_logs::Stated;
/// let stated: Stated = serde_json::from_str(
///     r#"{"tool":"trueline-probe","send_delay_s.p99":0.002,"retries":1,"mood":"good"}"#,
/// )?;
/// let reported = stated.reported(Side::Client);
/// assert_eq!(reported.value(Metric::SendDelayS, "p99".parse().ok()), Some(0.002));
/// assert_eq!(reported.total(Total::Retries), Some(1));
/// assert_eq!(stated.unknown().collect::<Vec<_>>(), ["mood"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stated {
    /// The tool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// The wall time that its rates are over, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// Everything else by name.
    #[serde(flatten)]
    pub values: BTreeMap<String, Value>,
}

/// What a name in a header stands for.
enum Name {
    Figure(Metric, Option<Statistic>),
    Total(Total),
}

impl Name {
    fn parse(name: &str) -> Option<Self> {
        if let Some(total) = TOTALS.into_iter().find(|total| total.name() == name) {
            return Some(Self::Total(total));
        }
        let (metric, statistic) = match name.split_once('.') {
            Some((metric, statistic)) => (metric, Some(statistic.parse().ok()?)),
            None => (name, None),
        };
        let metric = Metric::ALL.into_iter().find(|known| known.name() == metric)?;
        Some(Self::Figure(metric, statistic))
    }
}

impl Stated {
    /// What a tool states of a run that this side recorded, as far as a header can hold it.
    ///
    /// # Shape
    /// A header has names and numbers alone: a figure that does not mean what its name means
    /// (`docs/glossary.md`), or that is rounded to a step, is left out, and so is what is absent. Of two
    /// figures of one name the first known one is taken, as [`Reported::figure`] does.
    pub fn of(reported: &Reported, side: Side) -> Self {
        let mut stated = Self::default();
        if let Some(tool) = &reported.tool {
            stated.tool = Some(tool.name.clone());
            if let Known::Is { value, .. } = &tool.version {
                stated.tool_version = Some(value.clone());
            }
        }
        if reported.duration_step_s == 0.0 {
            stated.duration_s = reported.duration.value().map(|took| took.as_secs_f64());
        }
        for figure in &reported.figures {
            let ours = meaning(figure.metric, figure.statistic, side);
            if figure.step == 0.0 && figure.definition.means_same_as(&ours) {
                stated.put(figure.name(), figure.value);
            }
        }
        for figure in &reported.totals {
            stated.put(figure.total.name().to_owned(), figure.value);
        }
        stated
    }

    fn put(&mut self, name: String, known: Known<impl Into<Value> + Copy>) {
        let held = self.values.get(&name).is_some_and(|value| !value.is_null());
        match known {
            Known::Is { value, .. } if !held => drop(self.values.insert(name, value.into())),
            Known::Not(Why::Absent) | Known::Is { .. } => {}
            Known::Not(_) => drop(self.values.entry(name).or_insert(Value::Null)),
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same in core's words, for a run that this side recorded. By: reported.
    ///
    /// # Shape
    /// In the order of the names. A number that is negative, no number, or no whole one where a total stands
    /// is impossible. A figure means what its name means (`docs/glossary.md`); how its percentiles and
    /// deviations were taken is not known.
    pub fn reported(&self, side: Side) -> Reported {
        let mut reported = Reported::default();
        reported.tool = self.tool.as_ref().map(Tool::new);
        if let (Some(tool), Some(version)) = (&mut reported.tool, &self.tool_version) {
            tool.version = Known::is(version.clone(), By::Reported);
        }
        if let Some(seconds) = self.duration_s {
            reported.duration = duration(seconds);
        }
        for (name, value) in &self.values {
            match Name::parse(name) {
                Some(Name::Figure(metric, statistic)) => {
                    let meaning = meaning(metric, statistic, side);
                    let number = value.as_f64().filter(|x| *x >= 0.0);
                    let known = known(value, number);
                    reported.figures.push(Figure::new(metric, statistic, known, meaning, name));
                }
                Some(Name::Total(total)) => {
                    reported.set_total(total, known(value, value.as_u64()), name);
                }
                None => {}
            }
        }
        reported
    }

    /// The names that stand for nothing known here, in order.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str).filter(|name| Name::parse(name).is_none())
    }

    /// Takes over what a later header says; it wins where both say something.
    pub(crate) fn take(&mut self, later: Self) {
        self.tool = later.tool.or(self.tool.take());
        self.tool_version = later.tool_version.or(self.tool_version.take());
        self.duration_s = later.duration_s.or(self.duration_s);
        for (name, value) in later.values {
            if !(value.is_null() && self.values.contains_key(&name)) {
                self.values.insert(name, value);
            }
        }
    }
}

fn known<T>(value: &Value, number: Option<T>) -> Known<T> {
    match number {
        Some(number) => Known::is(number, By::Reported),
        None if value.is_null() => Known::Not(Why::Null),
        None => Known::Not(Why::Impossible),
    }
}

fn duration(seconds: f64) -> Known<Duration> {
    Spans::seconds(seconds, By::Reported)
}

/// What a figure of this name means in our own files.
fn meaning(metric: Metric, statistic: Option<Statistic>, side: Side) -> Definition {
    let sent = if side == Side::Client { Mark::Sent } else { Mark::Arrived };
    let whole = Definition::new(sent, Mark::LastToken, side);
    let decode = whole.between(Mark::FirstToken, Mark::LastToken).first_token(FirstToken::Out);
    let meaning = match metric {
        Metric::TtftS | Metric::PrefillTokPerS => whole.between(sent, Mark::FirstToken),
        Metric::TpotS | Metric::DecodeTokPerS => decode,
        Metric::ItlS => decode.each(Each::Chunk),
        Metric::E2ePerTokenS => whole.first_token(FirstToken::In),
        Metric::E2eLatencyS | Metric::PromptTokens | Metric::OutputTokens => whole,
        Metric::QueueS => Definition::new(Mark::Arrived, Mark::Scheduled, Side::Server),
        Metric::SendDelayS => Definition::new(Mark::Intended, Mark::Sent, Side::Client),
        Metric::OutputTokPerS
        | Metric::TotalTokPerS
        | Metric::RequestPerS
        | Metric::GoodputRequestPerS
        | Metric::CacheHitShare
        | Metric::InputTokPerS
        | Metric::PeakOutputTokPerS
        | Metric::Concurrency
        | Metric::PeakConcurrency => whole.each(Each::Run),
    };
    match statistic {
        Some(Statistic::Median | Statistic::Quantile(_)) => {
            meaning.spread(Percentiles::Unknown, Deviation::NotApplicable)
        }
        Some(Statistic::Deviation) => {
            meaning.spread(Percentiles::NotApplicable, Deviation::Unknown)
        }
        _ => meaning,
    }
}
