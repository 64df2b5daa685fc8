//! Two endpoints in turns.

use super::order::balanced;
use super::rounds::{SECOND_WARM_UP, WARM_UP};
use super::warmup::warm_up;
use super::{Arm, Experiment, PlanError, PlanErrorKind, Prefix, Stage, Workload};
use crate::Script;

/// Two endpoints in turns: blocks of requests to one and to the other in a balanced order.
///
/// # Shape
/// Prompts of the same length and of different words, so that a cache which both share helps neither. The
/// blocks are the repetitions: three pairs are the fewest from which a comparison has an interval.
///
/// # Examples
/// ```
/// use trueline_core::Tokens;
/// use trueline_probe::{Arm, Versus, Workload};
/// let workload = Workload::new(Tokens::new(500), Tokens::new(50), 1).with_requests(40);
/// let experiment = Versus::new(4).experiment(&workload)?;
/// let turns: Vec<Option<Arm>> = experiment.measured().map(|stage| stage.arm).collect();
/// assert_eq!(turns.len(), 8);
/// assert_eq!(turns.iter().filter(|turn| **turn == Some(Arm::First)).count(), 4);
/// # Ok::<(), trueline_probe::PlanError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Versus {
    /// How many blocks each endpoint has.
    pub pairs: u64,
    /// How much of a prompt the cache is to have. Each block has prefixes of its own, sent before it.
    pub prefix: Prefix,
}

impl Default for Versus {
    /// Six cold blocks each.
    fn default() -> Self {
        Self::new(6)
    }
}

impl Versus {
    /// So many cold blocks for each endpoint.
    pub const fn new(pairs: u64) -> Self {
        Self { pairs, prefix: Prefix::Cold }
    }

    /// The stages: a warm-up for each endpoint, then the blocks, each after its priming where it has
    /// prefixes.
    ///
    /// # Shape
    /// The workload's requests are those of both endpoints together, rounded up to blocks of one size.
    /// The endpoint's name is the part of its requests, or stands before it.
    ///
    /// # Errors
    /// Nothing to send, no pair, or a workload without end: blocks have a size.
    pub fn experiment(&self, workload: &Workload) -> Result<Experiment, PlanError> {
        workload.check()?;
        if self.pairs == 0 {
            return Err(PlanError::new(
                PlanErrorKind::Empty,
                "expected at least one pair of blocks, found 0",
            ));
        }
        let Some(requests) = workload.requests else {
            let message = "expected a number of requests: blocks that take turns have a size";
            return Err(PlanError::new(PlanErrorKind::Missing, message));
        };
        let blocks = self.pairs.saturating_mul(2);
        let of_block = Workload { requests: Some(requests.div_ceil(blocks)), ..*workload };
        let script = Script::new(workload.seed, "versus");
        let to = |arm: Arm| {
            move |mut stage: Stage| {
                stage.arm = Some(arm);
                stage
            }
        };
        let mut stages = Vec::new();
        for (stream, arm) in [(WARM_UP, Arm::First), (SECOND_WARM_UP, Arm::Second)] {
            stages.extend(warm_up(script, stream, workload).map(to(arm)));
        }
        for (place, arm) in (0..).zip(balanced(script, self.pairs)) {
            let label = format!("block {} of {blocks}, {}", place + 1, arm.name());
            let block = self.prefix.stages(script, place, &label, Some(arm.name()), &of_block)?;
            stages.extend(block.into_iter().map(to(arm)));
        }
        Ok(Experiment::new("versus", stages, self.prefix.is_cold()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trueline_core::Tokens;

    use super::*;
    use crate::{Prompt, Ruler};

    #[test]
    fn the_arms_have_the_same_lengths_and_no_text_in_common() {
        let workload = Workload::new(Tokens::new(60), Tokens::new(4), 1).with_requests(50);
        let experiment = Versus::new(3).experiment(&workload).unwrap();
        let mut begins = BTreeSet::new();
        let mut lengths = [Vec::new(), Vec::new()];
        for stage in &experiment.stages {
            for asking in stage.askings(&Ruler::default(), 0) {
                let Prompt::Text(text) = asking.prompt else { panic!("a text") };
                begins.insert(text.split(' ').take(8).map(str::to_owned).collect::<Vec<_>>());
                let of = &mut lengths[usize::from(stage.arm == Some(Arm::Second))];
                of.push(text.split(' ').count());
                let named = (!asking.warmup).then(|| stage.arm.unwrap().name());
                assert_eq!(asking.part.as_deref(), named);
            }
        }
        let [mut first, mut second] = lengths;
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!(first, second);
        // 50 requests in 6 blocks are 9 each; 3 of warm-up for each endpoint.
        assert_eq!((first.len(), begins.len()), (30, 60));
    }

    #[test]
    fn what_has_no_size_is_refused() {
        let workload = Workload::new(Tokens::new(60), Tokens::new(4), 1);
        let endless = Versus::default().experiment(&workload.endless());
        assert_eq!(endless.unwrap_err().kind(), PlanErrorKind::Missing);
        let none = Versus::new(0).experiment(&workload);
        assert_eq!(none.unwrap_err().kind(), PlanErrorKind::Empty);
    }
}
