//! What is known of the work that runs did: lengths, cached tokens, requests in flight.

use std::collections::BTreeMap;

use trueline_core::{BenchRun, Cell, Load, RequestRecord, Total, Window};

use super::readings::{LONGEST, STEP, lengths, whole};

/// What is known of the work of some runs at one load, at its best for a claim.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Facts {
    /// New and cached tokens of requests, one of each kind; empty where not every request says.
    pub(super) shapes: Vec<Shape>,
    /// By how much a bound over the shapes may be short of that over all requests, as a factor.
    pub(super) slack: f64,
    /// The shortest prompt, where every request says.
    pub(super) shortest_prompt: Option<u64>,
    /// The mean prompt and output, where known.
    pub(super) mean_prompt: Option<f64>,
    pub(super) mean_output: Option<f64>,
    /// Whether all requests are alike in both, and say so one by one.
    pub(super) alike: bool,
    /// The most sequences at once.
    pub(super) most_in_flight: Option<u64>,
    /// The sequences at once that the load keeps up: a closed loop's, or one where none overlap.
    pub(super) kept_in_flight: Option<u64>,
    /// Whether the requests say themselves what they took.
    pub(super) has_requests: bool,
}

/// The prompt of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) new: u64,
    pub(super) cached: u64,
}

/// Prompts whose new tokens differ by less count as one.
const CLASS: f64 = 1.01;
/// How far lengths may differ and still be alike.
pub(super) const ALIKE: f64 = 1.02;

impl Facts {
    /// Of runs and those of their requests that a claim speaks of.
    pub(crate) fn of(runs: &[&BenchRun], requests: &[&RequestRecord], load: Option<Load>) -> Self {
        let mut facts = Self { slack: 1.0, has_requests: !requests.is_empty(), ..Self::default() };
        facts.note_requests(requests);
        if requests.is_empty() {
            facts.note_sums(runs);
        }
        let load = runs.iter().find_map(|run| run.plan.load).or(load);
        let cap = |run: &&BenchRun| run.plan.max_concurrency.map(u64::from);
        let caps: Option<Vec<u64>> = runs.iter().map(cap).collect();
        let sent = runs.iter().map(|run| run.completed()).collect::<Option<Vec<u64>>>();
        if let Some(Load::Concurrency(n)) = load {
            facts.most_in_flight = Some(u64::from(n.max(1)));
            facts.kept_in_flight = facts.most_in_flight;
        } else {
            // No more can be in flight than a run sends in all.
            let most = caps.filter(|caps| !caps.is_empty()).or(sent);
            facts.most_in_flight = most.and_then(|all| all.into_iter().max());
            facts.kept_in_flight = alone(requests).then_some(1);
        }
        facts
    }

    /// Of the requests of some cells, of which no more is known: any length that one of them holds, with as few
    /// cached tokens as it allows.
    pub(crate) fn of_cells(cells: &[Cell]) -> Self {
        let cached_beside = |cell: &Cell, new: u64| {
            let share = |points: u32| f64::from(points) / 10_000.0;
            let (low, high) = (share(cell.hit.low), share(cell.hit.high));
            let least = float(cell.bucket.low) * (1.0 - high);
            let most = cell.bucket.high.map_or(LONGEST, float) * (1.0 - low);
            // A length stands for those up to the next one.
            let holds = float(new) * STEP >= least && float(new) <= most;
            holds.then(|| whole(float(new) * low / (1.0 - low)).unwrap_or(0))
        };
        let shapes = lengths().filter_map(|new| {
            let cached = cells.iter().filter_map(|cell| cached_beside(cell, new)).min()?;
            Some(Shape { new, cached })
        });
        Self { shapes: shapes.collect(), slack: STEP, ..Self::default() }
    }

    fn note_requests(&mut self, requests: &[&RequestRecord]) {
        let lengths: Option<Vec<(u64, u64)>> = requests
            .iter()
            .map(|r| Some((r.tokens.prompt.value()?.get(), r.tokens.output.value()?.get())))
            .collect();
        let prompts: Option<Vec<u64>> =
            requests.iter().map(|r| Some(r.tokens.prompt.value()?.get())).collect();
        self.shortest_prompt = prompts.as_ref().and_then(|all| all.iter().min().copied());
        self.mean_prompt = prompts.as_deref().and_then(mean);
        let outputs: Option<Vec<u64>> =
            requests.iter().map(|r| Some(r.tokens.output.value()?.get())).collect();
        self.mean_output = outputs.as_deref().and_then(mean);
        self.alike = lengths.is_some_and(|all| {
            let (prompts, outputs): (Vec<u64>, Vec<u64>) = all.into_iter().unzip();
            are_alike(&prompts) && are_alike(&outputs)
        });
        let shapes: Option<Vec<Shape>> = requests
            .iter()
            .map(|r| {
                let cached = r.tokens.cached.value()?.get();
                Some(Shape { new: r.new_tokens().value()?.get(), cached })
            })
            .collect();
        (self.shapes, self.slack) = classes(shapes.unwrap_or_default());
    }

    /// Sums over the runs, where no request is recorded by itself.
    fn note_sums(&mut self, runs: &[&BenchRun]) {
        let sum = |of: &dyn Fn(&BenchRun) -> Option<u64>| -> Option<f64> {
            let all: Option<Vec<u64>> = runs.iter().map(|run| of(run)).collect();
            all.filter(|all| !all.is_empty()).map(|all| all.into_iter().map(float).sum())
        };
        let requests = sum(&BenchRun::completed).filter(|n| *n > 0.0);
        let per =
            |total| sum(&|run: &BenchRun| run.tokens(total)).zip(requests).map(|(sum, n)| sum / n);
        let asked = |of: &dyn Fn(&BenchRun) -> Option<u64>| sum(of).map(|s| s / count(runs.len()));
        let prompt = |run: &BenchRun| run.plan.prompt_tokens.map(trueline_core::Tokens::get);
        let output = |run: &BenchRun| run.plan.output_tokens.map(trueline_core::Tokens::get);
        self.mean_prompt = per(Total::PromptTokens).or_else(|| asked(&prompt));
        self.mean_output = per(Total::OutputTokens).or_else(|| asked(&output));
    }
}

/// One shape of each class of new tokens, the one with the fewest cached, with the factor by which that
/// may be short.
fn classes(shapes: Vec<Shape>) -> (Vec<Shape>, f64) {
    let mut exact: BTreeMap<u64, u64> = BTreeMap::new();
    for shape in shapes.into_iter().filter(|shape| shape.new > 0) {
        let fewest = exact.entry(shape.new).or_insert(shape.cached);
        *fewest = shape.cached.min(*fewest);
    }
    let mut kept: Vec<Shape> = Vec::new();
    let (mut from, mut merged) = (0.0, false);
    for (new, cached) in exact {
        match kept.last_mut() {
            Some(last) if float(new) <= from * CLASS => {
                merged = true;
                last.cached = last.cached.min(cached);
            }
            _ => {
                from = float(new);
                kept.push(Shape { new, cached });
            }
        }
    }
    (kept, if merged { CLASS } else { 1.0 })
}

fn are_alike(values: &[u64]) -> bool {
    let (least, most) = (values.iter().min(), values.iter().max());
    least.zip(most).is_some_and(|(a, b)| float(*b) <= float(*a) * ALIKE)
}

/// Whether no two requests ran at once, as far as all of them say.
fn alone(requests: &[&RequestRecord]) -> bool {
    let windows: Option<Vec<Window>> = requests.iter().map(|r| r.window()).collect();
    let Some(mut windows) = windows.filter(|all| !all.is_empty()) else { return false };
    windows.sort_by_key(|window| window.from);
    windows.windows(2).all(|pair| matches!(pair, [a, b] if a.to <= b.from))
}

fn mean(values: &[u64]) -> Option<f64> {
    let sum: f64 = values.iter().copied().map(float).sum();
    (!values.is_empty()).then(|| sum / count(values.len()))
}

#[expect(clippy::cast_precision_loss, reason = "lengths and counts stay far below 2^53")]
pub(super) const fn float(n: u64) -> f64 {
    n as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
const fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_one_class_stand_for_the_one_with_the_fewest_cached_tokens() {
        let shape = |new, cached| Shape { new, cached };
        let (kept, slack) = classes(vec![shape(1_000, 50), shape(1_005, 20), shape(1_011, 0)]);
        // 1,011 is 1.1 % above 1,000; 1,005 is not.
        assert_eq!(kept, [shape(1_000, 20), shape(1_011, 0)]);
        assert!((slack - 1.01).abs() < 1e-12);
        assert_eq!(classes(vec![shape(0, 9); 3]), (vec![], 1.0));
        assert_eq!(classes(vec![shape(7, 3); 1_000]), (vec![shape(7, 3)], 1.0));
    }

    #[test]
    fn of_a_cell_each_new_length_has_the_fewest_cached_tokens_that_it_allows() {
        // 20,000 to 32,000 tokens, half to nine tenths of them cached: 2,000 to 16,000 are new.
        let edges = trueline_core::CellEdges::default();
        let half = trueline_core::Share::new(0.6).unwrap();
        let cell = edges.cell(trueline_core::Tokens::new(25_000), half);
        let facts = Facts::of_cells(&[cell]);
        let ends = facts.shapes.first().zip(facts.shapes.last()).unwrap();
        assert!((1_900..2_100).contains(&ends.0.new) && (15_000..=16_000).contains(&ends.1.new));
        assert!(facts.shapes.iter().all(|shape| shape.cached == shape.new));
        assert_eq!(Facts::of_cells(&[]).shapes, []);
    }

    #[test]
    fn of_nothing_nothing_is_known() {
        let facts = Facts::of(&[], &[], None);
        assert_eq!(
            (facts.mean_prompt, facts.most_in_flight, facts.kept_in_flight),
            (None, None, None)
        );
        let loaded = Facts::of(&[], &[], Some(Load::Concurrency(8)));
        assert_eq!((loaded.most_in_flight, loaded.kept_in_flight), (Some(8), Some(8)));
    }
}
