//! Sums and means over what the requests of a run state, for what a request record has no place for.

use trueline_core::{By, Definition, Known, Metric, Statistic, Total, Why};

use super::draft::Draft;

/// A mean over values that the requests of a run state one by one.
#[derive(Debug)]
pub(super) struct Average {
    metric: Metric,
    meaning: Definition,
    source: &'static str,
    sum: f64,
    n: u32,
}

impl Draft {
    /// Adds one request's count, or that of some, to a total of the run; it is not known as soon as
    /// one of them does not say.
    pub(crate) fn add(&mut self, total: Total, count: Option<u64>, source: &str) {
        let totals = &mut self.run.reported.totals;
        let Some(known) = totals.iter_mut().find(|known| known.total == total) else {
            return self.total(total, Known::derived(count, Why::NeedsMore), source);
        };
        let both = known.value.value().zip(count);
        let sum = both.and_then(|(sum, more)| sum.checked_add(more));
        known.value = Known::derived(sum, Why::NeedsMore);
    }

    /// Takes one request's statement into the mean of a metric, a derived figure of the run: for
    /// what a request record has no place for. What is not known is left out.
    pub(crate) fn average(
        &mut self,
        metric: Metric,
        value: Known<f64>,
        meaning: Definition,
        source: &'static str,
    ) {
        let Some(value) = value.value() else { return };
        match self.averages.iter_mut().find(|a| a.metric == metric && a.source == source) {
            Some(average) => {
                average.sum += value;
                average.n += 1;
            }
            None => self.averages.push(Average { metric, meaning, source, sum: value, n: 1 }),
        }
    }

    /// Records the means as figures of the run.
    pub(super) fn take_averages(&mut self) {
        for a in std::mem::take(&mut self.averages) {
            let mean = Known::is(a.sum / f64::from(a.n), By::Derived);
            self.figure(a.metric, Some(Statistic::Mean), mean, a.meaning, a.source);
        }
    }
}
