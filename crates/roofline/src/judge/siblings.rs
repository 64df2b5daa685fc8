//! Results that fall out of their kind.

use serde::Serialize;
use trueline_core::Ratio;

/// Below this share of its siblings' median an efficiency is far below.
const FAR: f64 = 1.0 / 3.0;
/// Fewer siblings than this say nothing.
const ENOUGH: usize = 3;

/// One result that is far below its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FarBelowSiblings {
    /// Which of the results given.
    pub index: usize,
    /// Its efficiency.
    pub efficiency: Ratio,
    /// The median of the others.
    pub median: Ratio,
    /// How many others there are.
    pub siblings: usize,
}

/// The results whose efficiency is far below that of their siblings: same model, phase and engine, on other
/// devices.
///
/// # Formula
/// Below a third of the median of all others, with at least three others.
///
/// # Assumptions
/// Engines reach different shares of different devices: by a factor of two, hardly of three.
///
/// # Shape
/// In the order given; empty where there are too few to tell.
///
/// # Source
/// Llama-3-8B f16 prefill on an A100 SXM: 604 tok/s beside 7,741 on an A100 `PCIe`
/// (XiongjieDai/GPU-Benchmarks-on-LLM-Inference, read 2026-11).
///
/// # Examples
/// ```
/// use trueline_core::Ratio;
/// use trueline_roofline::far_below_siblings;
/// let shares: Vec<Ratio> = [0.44, 0.41, 0.027, 0.35].map(|s| Ratio::new(s).unwrap()).to_vec();
/// let found = far_below_siblings(&shares);
/// assert_eq!(found.iter().map(|far| far.index).collect::<Vec<_>>(), [2]);
/// ```
pub fn far_below_siblings(efficiencies: &[Ratio]) -> Vec<FarBelowSiblings> {
    let far = efficiencies.iter().enumerate().filter_map(|(index, efficiency)| {
        let others = efficiencies.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Vec<f64> = others.map(|(_, other)| other.get()).collect();
        let siblings = others.len();
        let median = Ratio::new(median(others)?).ok().filter(|_| siblings >= ENOUGH)?;
        let far = efficiency.get() < FAR * median.get();
        far.then_some(FarBelowSiblings { index, efficiency: *efficiency, median, siblings })
    });
    far.collect()
}

/// Where an efficiency stands among those of its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EfficiencyRank {
    /// How many siblings are less efficient.
    pub above: usize,
    /// How many are equally so.
    pub ties: usize,
    /// How many siblings there are.
    pub siblings: usize,
}

/// Where an efficiency stands among those measured of its siblings; `None` without siblings.
///
/// One constant for a plausible efficiency does not exist: engines reach 8 to 90 % of a ceiling, by phase,
/// device and storage. A rank among measured siblings assumes nothing.
///
/// # Examples
/// ```
/// use trueline_core::Ratio;
/// use trueline_roofline::efficiency_rank;
/// let ratio = |share| Ratio::new(share).unwrap();
/// let rank = efficiency_rank(ratio(0.4), &[ratio(0.2), ratio(0.35), ratio(0.8)]).unwrap();
/// assert_eq!((rank.above, rank.siblings), (2, 3));
/// assert_eq!(efficiency_rank(ratio(0.4), &[]), None);
/// ```
pub fn efficiency_rank(efficiency: Ratio, siblings: &[Ratio]) -> Option<EfficiencyRank> {
    let count = |of: std::cmp::Ordering| {
        siblings.iter().filter(|other| efficiency.get().total_cmp(&other.get()) == of).count()
    };
    (!siblings.is_empty()).then(|| EfficiencyRank {
        above: count(std::cmp::Ordering::Greater),
        ties: count(std::cmp::Ordering::Equal),
        siblings: siblings.len(),
    })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get(values.len().checked_sub(1)? / 2)?;
    Some(lower.midpoint(upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(shares: &[f64]) -> Vec<usize> {
        let shares: Vec<Ratio> = shares.iter().map(|s| Ratio::new(*s).unwrap()).collect();
        far_below_siblings(&shares).iter().map(|far| far.index).collect()
    }

    #[test]
    fn too_few_and_equal_siblings_flag_nobody() {
        assert_eq!(indices(&[]), [0; 0]);
        assert_eq!(indices(&[0.5, 0.5, 0.01]), [0; 0]);
        assert_eq!(indices(&[0.5; 9]), [0; 0]);
    }

    #[test]
    fn a_half_of_the_others_is_a_slow_engine_and_no_outlier() {
        assert_eq!(indices(&[0.4, 0.44, 0.42, 0.2]), [0; 0]);
        assert_eq!(indices(&[0.4, 0.44, 0.42, 0.1, 0.03]), [3, 4]);
    }
}
