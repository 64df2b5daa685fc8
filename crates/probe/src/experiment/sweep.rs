//! The same prompts under one load after the other.

use std::str::FromStr;

use trueline_core::Load;

use super::rounds::WARM_UP;
use super::warmup::warm_up;
use super::{Between, Experiment, PlanError, PlanErrorKind, Prefix, Purpose, Workload};
use crate::Script;

/// How many times the requests in flight a level takes at least: with fewer, its beginning and its end
/// are too large a part of it.
const WAVES: u64 = 5;

/// The same lengths under one load after the other, in random order.
///
/// # Shape
/// As written: whole numbers for requests in flight, or loads such as `rate 4`, apart by commas. None
/// twice, none zero.
///
/// # Examples
/// ```
/// use trueline_core::Tokens;
/// use trueline_probe::{Sweep, Workload};
/// let sweep: Sweep = "1,8,64".parse()?;
/// let workload = Workload::new(Tokens::new(500), Tokens::new(50), 1).with_requests(20);
/// let experiment = sweep.experiment(&workload)?;
/// let mut sizes: Vec<Option<u64>> = experiment.measured().map(|stage| stage.requests()).collect();
/// sizes.sort();
/// // Five waves of 64 are 320.
/// assert_eq!(sizes, [Some(20), Some(40), Some(320)]);
/// # Ok::<(), trueline_probe::PlanError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sweep {
    /// The loads.
    pub levels: Vec<Load>,
    /// What must hold between two of them: [`Between::Disjoint`], or [`Between::Flush`] where whoever
    /// drives the stages can empty the server's cache.
    pub between: Between,
    /// How much of a prompt the cache is to have. Each level has prefixes of its own, sent before it.
    pub prefix: Prefix,
}

impl Sweep {
    /// A cold sweep over these loads with disjoint prompts.
    ///
    /// # Errors
    /// No load, one that is zero or no number, one twice.
    pub fn new(levels: Vec<Load>) -> Result<Self, PlanError> {
        let sweep = Self { levels, between: Between::Disjoint, prefix: Prefix::Cold };
        sweep.check()?;
        Ok(sweep)
    }

    fn check(&self) -> Result<(), PlanError> {
        if self.levels.is_empty() {
            return Err(PlanError::new(
                PlanErrorKind::Empty,
                "expected at least one level, found none",
            ));
        }
        for (at, level) in self.levels.iter().enumerate() {
            let usable = match level {
                Load::Concurrency(n) => *n > 0,
                Load::Rate(rate) => rate.is_finite() && *rate > 0.0,
            };
            if !usable {
                let message = format!("expected a level above zero, found {level}");
                return Err(PlanError::new(PlanErrorKind::Number, message));
            }
            if self.levels.iter().take(at).any(|before| before == level) {
                let message = format!("expected each level once, found {level} twice");
                return Err(PlanError::new(PlanErrorKind::Twice, message));
            }
        }
        Ok(())
    }

    /// The stages: warm-up and a stage a level, after its priming where it has prefixes, in an order drawn
    /// from the workload's seed.
    ///
    /// # Shape
    /// A level of requests in flight has at least five times as many requests. The level's name is the
    /// part of its requests, or stands before it.
    ///
    /// # Errors
    /// Nothing to send, or levels that [`Sweep::new`] refuses.
    pub fn experiment(&self, workload: &Workload) -> Result<Experiment, PlanError> {
        workload.check()?;
        self.check()?;
        let script = Script::new(workload.seed, "sweep");
        let mut stages: Vec<_> = warm_up(script, WARM_UP, workload).into_iter().collect();
        let mut levels: Vec<(u64, Load)> = (0..).zip(self.levels.iter().copied()).collect();
        script.chance(WARM_UP, 0).shuffle(&mut levels);
        for (place, load) in levels {
            let least = match load {
                Load::Concurrency(n) => Some(u64::from(n) * WAVES),
                Load::Rate(_) => None,
            };
            let requests = workload.requests.map(|n| n.max(least.unwrap_or(0)));
            let (of, name) = (Workload { requests, ..*workload }, load.to_string());
            for mut stage in self.prefix.stages(script, place, &name, Some(&name), &of)? {
                if stage.before == Between::Disjoint {
                    stage.before = self.between;
                }
                if stage.purpose == Purpose::Measured {
                    (stage.load, stage.least) = (Some(load), least);
                }
                stages.push(stage);
            }
        }
        Ok(Experiment::new("sweep", stages, self.prefix.is_cold()))
    }
}

impl FromStr for Sweep {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let level = |text: &str| {
            let text = text.trim();
            let load = text.parse().map(Load::Concurrency).or_else(|_| text.parse::<Load>());
            load.map_err(|_| {
                let message = format!("expected a level such as 8 or \"rate 4\", found {text:?}");
                PlanError::new(PlanErrorKind::Number, message)
            })
        };
        Self::new(text.split(',').map(level).collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trueline_core::Tokens;

    use super::*;
    use crate::{Prompt, Ruler};

    fn workload() -> Workload {
        Workload::new(Tokens::new(40), Tokens::new(4), 1).with_requests(10)
    }

    #[test]
    fn levels_are_read_and_bad_ones_refused() {
        let sweep: Sweep = "1, 8,rate 2.5".parse().unwrap();
        assert_eq!(sweep.levels, [Load::Concurrency(1), Load::Concurrency(8), Load::Rate(2.5)]);
        for (text, kind) in [
            ("", PlanErrorKind::Number),
            ("1,x", PlanErrorKind::Number),
            ("0", PlanErrorKind::Number),
            ("1,-2", PlanErrorKind::Number),
            ("rate 0", PlanErrorKind::Number),
            ("4,2,4", PlanErrorKind::Twice),
        ] {
            assert_eq!(text.parse::<Sweep>().unwrap_err().kind(), kind, "{text}");
        }
        assert_eq!(Sweep::new(Vec::new()).unwrap_err().kind(), PlanErrorKind::Empty);
        let nan = Sweep::new(vec![Load::Rate(f64::NAN)]);
        assert_eq!(nan.unwrap_err().kind(), PlanErrorKind::Number);
    }

    #[test]
    fn no_prompt_comes_twice_over_all_levels_and_the_warm_up() {
        let experiment = "1,2,4,rate 3".parse::<Sweep>().unwrap().experiment(&workload()).unwrap();
        let mut begins = BTreeSet::new();
        let mut sent = 0;
        for stage in &experiment.stages {
            for asking in stage.askings(&Ruler::default(), sent) {
                assert_eq!(asking.number, sent);
                assert_eq!(asking.warmup, stage.purpose == Purpose::WarmUp);
                let Prompt::Text(text) = asking.prompt else { panic!("a text") };
                begins.insert(text.split(' ').take(8).collect::<Vec<_>>().join(" "));
                sent += 1;
            }
        }
        // 3 of warm-up; 10, 10, 20 and 10.
        assert_eq!((sent, begins.len()), (53, 53));
    }

    #[test]
    fn the_order_is_the_seeds_and_all_orders_come_up() {
        let sweep: Sweep = "1,2,4".parse().unwrap();
        let order = |seed| {
            let experiment = sweep.experiment(&workload().with_seed(seed)).unwrap();
            experiment.measured().map(|stage| stage.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(order(5), order(5));
        assert_eq!((0..100).map(order).collect::<BTreeSet<_>>().len(), 6);
    }

    #[test]
    fn a_level_says_what_it_is_and_what_it_takes() {
        let mut sweep: Sweep = "16".parse().unwrap();
        sweep.between = Between::Flush;
        let experiment = sweep.experiment(&workload().endless()).unwrap();
        let level = experiment.measured().next().unwrap();
        assert_eq!(level.label, "concurrency 16");
        assert_eq!((level.load, level.least), (Some(Load::Concurrency(16)), Some(80)));
        assert_eq!((level.requests(), level.before), (None, Between::Flush));
        assert_eq!(level.askings(&Ruler::default(), 0).take(1_000).count(), 1_000);
        assert!(experiment.cold);
    }

    #[test]
    fn each_level_of_a_warm_sweep_has_its_own_priming() {
        let mut sweep: Sweep = "1,2".parse().unwrap();
        (sweep.prefix, sweep.between) = (Prefix::Warm, Between::Flush);
        let experiment = sweep.experiment(&workload().with_warmup(0)).unwrap();
        let stages: Vec<_> = experiment.stages.iter().map(|s| (s.purpose, s.before)).collect();
        let level = [(Purpose::Priming, Between::Flush), (Purpose::Measured, Between::Nothing)];
        assert_eq!(stages, [level, level].concat());
        let parts: BTreeSet<String> = experiment
            .measured()
            .flat_map(|stage| stage.askings(&Ruler::default(), 0))
            .filter_map(|asking| asking.part)
            .collect();
        let named = |level, part| format!("concurrency {level}, {part}");
        assert_eq!(
            parts,
            BTreeSet::from([
                named(1, "warm"),
                named(1, "control"),
                named(2, "warm"),
                named(2, "control")
            ])
        );
        assert!(!experiment.cold);
    }
}
