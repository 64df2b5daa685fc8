//! Metrics as a file states them, whatever its form, and how they become figures and totals.

use trueline_core::{By, Definition, Figure, Known, Metric, Total, Why};

use super::field::{Counts, Field};
use crate::results::draft::Draft;
use crate::results::node::counted;
use crate::results::quantity::{MS, NS, scaled};
use crate::results::row::{Takes, statistic};

/// One metric as a file states it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::results::formats) struct Stated {
    /// What it is known as.
    pub(in crate::results::formats) field: &'static Field,
    /// The key or name it stands under.
    pub(in crate::results::formats) source: String,
    /// Its unit as written; empty where none is.
    pub(in crate::results::formats) unit: String,
    /// Its statistics by the tool's names; a single value is its `avg`.
    pub(in crate::results::formats) values: Vec<Value>,
    /// Over how many samples, where the file says so.
    pub(in crate::results::formats) count: Option<u64>,
}

/// One statistic of a metric.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::results::formats) struct Value {
    /// The tool's name of it.
    pub(in crate::results::formats) name: String,
    /// What it says, in the unit written.
    pub(in crate::results::formats) is: Known<f64>,
    /// The step in which it is written; 0 where in full.
    pub(in crate::results::formats) step: f64,
}

impl Stated {
    fn value(&self, name: &str) -> Known<f64> {
        let found = self.values.iter().find(|v| v.name == name);
        found.map_or(Known::Not(Why::Absent), |v| v.is)
    }

    /// The mean, or the only value of a metric that a run has one of.
    pub(in crate::results::formats) fn avg(&self) -> Known<f64> {
        self.value("avg")
    }

    /// Whether it has no samples: then its values stand for nothing.
    fn is_empty(&self) -> bool {
        self.count == Some(0)
    }
}

/// How many requests were answered, failed and were cancelled, whatever the form.
pub(in crate::results::formats) const ANSWERED: (&str, Total) =
    ("request_count", Total::CompletedRequests);
pub(in crate::results::formats) const FAILED: (&str, Total) =
    ("error_request_count", Total::FailedRequests);
pub(in crate::results::formats) const CANCELLED: (&str, Total) =
    ("error_summary", Total::CancelledRequests);

/// The metrics of one run.
#[derive(Debug, Clone, Copy)]
pub(in crate::results::formats) struct Metrics<'a>(pub(in crate::results::formats) &'a [Stated]);

impl Metrics<'_> {
    /// The single value of a metric by its tag.
    pub(in crate::results::formats) fn avg(&self, tag: &str) -> Known<f64> {
        self.find(tag).map_or(Known::Not(Why::Absent), Stated::avg)
    }

    fn find(&self, tag: &str) -> Option<&Stated> {
        self.0.iter().find(|stated| stated.field.tag == tag)
    }

    fn count(&self, tag: &str) -> Known<u64> {
        counted(self.avg(tag))
    }

    /// Whether the server counted these tokens for every answered request, as far as is told.
    fn server_counted(&self, tag: &str) -> bool {
        let requests = self.count("request_count").value();
        self.find(tag).is_some_and(|stated| {
            stated.avg().is_known()
                && stated.count.zip(requests).is_none_or(|(seen, all)| seen == all)
        })
    }

    /// Sets a run's figures and totals by these metrics.
    pub(in crate::results::formats) fn take(&self, draft: &mut Draft) {
        let prompts = self.server_counted("usage_prompt_tokens");
        let outputs = self.server_counted("usage_completion_tokens");
        for stated in self.0 {
            let (used, own) = match stated.field.counts {
                Counts::Alone => (true, None),
                Counts::OwnPrompt => (true, stated.field.counts.own().filter(|_| prompts)),
                Counts::OwnOutput => (true, stated.field.counts.own().filter(|_| outputs)),
                Counts::ServerPrompt => (prompts, None),
                Counts::ServerOutput => (outputs, None),
            };
            if used {
                take_one(draft, stated, own);
            }
        }
    }

    /// Sets how many requests were answered, failed and were cancelled. `cancelled` of those that
    /// the tool counts as errors were cancelled; `errors` is their sum where no metric counts them.
    pub(in crate::results::formats) fn take_outcomes(
        &self,
        draft: &mut Draft,
        errors: Option<u64>,
        cancelled: u64,
    ) {
        let all = self.count("completed_request_count");
        let (answered, failed) = (self.count(ANSWERED.0), self.count(FAILED.0));
        let without =
            |part: Known<u64>| all.value().zip(part.value()).and_then(|(n, k)| n.checked_sub(k));
        // A count of none is left out of the file, but the sum of both is there.
        let answered = answered.or(Known::derived(without(failed), Why::Absent));
        let failed = failed
            .or(Known::derived(without(answered), Why::Absent))
            .or(Known::derived(errors, Why::Absent));
        draft.total(ANSWERED.1, answered, ANSWERED.0);
        let failed = match failed {
            Known::Is { value, .. } if cancelled > 0 => {
                draft.total(CANCELLED.1, Known::is(cancelled, By::Reported), CANCELLED.0);
                Known::derived(value.checked_sub(cancelled), Why::Impossible)
            }
            other => other,
        };
        draft.total(FAILED.1, failed, FAILED.0);
    }

    /// Notes which of some metrics are not there, by the labels of the file's form.
    pub(in crate::results::formats) fn note_missing<'f>(
        &self,
        draft: &mut Draft,
        expected: impl IntoIterator<Item = &'f Field>,
        label: fn(&Field) -> &'static str,
    ) {
        let there: Vec<&str> = self.0.iter().map(|stated| stated.source.as_str()).collect();
        for field in expected {
            if self.find(field.tag).is_none() {
                draft.note_absent(label(field), field.takes, &there);
            }
        }
    }
}

fn take_one(draft: &mut Draft, stated: &Stated, own: Option<Total>) {
    let Some(unit) = factor(&stated.unit) else {
        draft.unknown.insert(format!("{}: {}", stated.source, stated.unit));
        return;
    };
    let value = |is: Known<f64>| {
        if stated.is_empty() { Known::Not(Why::Absent) } else { scaled(is, unit) }
    };
    match stated.field.takes {
        // Where the server counted, the lengths are those that it counted.
        Takes::Spread(..) if own.is_some() => {}
        Takes::Spread(metric, meaning) => {
            for one in &stated.values {
                let source = format!("{}.{}", stated.source, one.name);
                match statistic(&one.name) {
                    Some(stat) => {
                        let figure =
                            Figure::new(metric, Some(stat), value(one.is), meaning, source);
                        draft.stepped(figure, one.step * unit);
                    }
                    None if matches!(one.name.as_str(), "sum" | "count") => {}
                    None => drop(draft.unknown.insert(source)),
                }
            }
        }
        Takes::Run(metric, meaning) => {
            single(draft, stated, (metric, meaning), "avg", unit);
            if let Some(largest) = stated.field.largest {
                single(draft, stated, largest, "max", unit);
            }
        }
        Takes::Total(total) => {
            let count = counted(value(stated.avg()));
            draft.total(own.unwrap_or(total), count, &stated.source);
        }
        _ => {}
    }
}

fn single(
    draft: &mut Draft,
    stated: &Stated,
    (metric, meaning): (Metric, Definition),
    name: &str,
    unit: f64,
) {
    let Some(one) = stated.values.iter().find(|one| one.name == name) else { return };
    let is = scaled(one.is, unit);
    let figure = Figure::new(metric, None, is, meaning, stated.source.clone());
    draft.stepped(figure, one.step * unit);
}

/// What one unit is in ours; `None` for a unit that nobody knows here.
pub(in crate::results::formats) fn factor(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "" | "requests" | "count" | "tokens" | "ratio" | "requests/sec" | "per sec"
        | "tokens/sec" | "tokens/sec/user" | "sec" | "s" | "seconds" => 1.0,
        "%" => 1e-2,
        "ms" => MS,
        "us" | "µs" => 1e-6,
        "ns" => NS,
        _ => return None,
    })
}
