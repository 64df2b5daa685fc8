//! What a self-test asks for.

/// Which place in a comparison an arm has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The one that is measured as baseline.
    Baseline,
    /// The one that is measured as candidate.
    Candidate,
}

/// What a harness is asked to measure: one arm.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Asked {
    /// Which place it has.
    pub place: Place,
    /// By what the true value of the arm is to be multiplied: 1 without an effect.
    pub factor: f64,
}

/// How often to compare and which effect to inject.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfTestPlan {
    /// How many comparisons of each kind; of runs that are there already at most so many splits.
    pub tries: u32,
    /// The effect to inject, as candidate over baseline; `None` to inject none.
    pub effect: Option<f64>,
    /// The confidence of each comparison's interval.
    pub confidence: f64,
    /// From which seed splits are drawn.
    pub seed: u64,
}

impl Default for SelfTestPlan {
    /// 20 tries, an effect of 5 %, 95 %, seed 1.
    fn default() -> Self {
        Self { tries: 20, effect: Some(1.05), confidence: 0.95, seed: 1 }
    }
}

/// In which order the runs of two arms follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOrder {
    /// All of the baseline, then all of the candidate.
    OneAfterTheOther,
    /// Baseline, candidate, candidate, baseline, and so on: a steady drift hits both alike.
    Interleaved,
}

impl RunOrder {
    /// The runs that this order gives to baseline and candidate.
    pub(super) fn arms(self, runs: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let half = runs.len() / 2;
        let is_baseline = |at: usize| match self {
            Self::OneAfterTheOther => at < half,
            Self::Interleaved => matches!(at % 4, 0 | 3),
        };
        let of = |baseline: bool| {
            let runs = runs.iter().enumerate();
            runs.filter(|(at, _)| is_baseline(*at) == baseline).map(|(_, run)| *run).collect()
        };
        (of(true), of(false))
    }
}
