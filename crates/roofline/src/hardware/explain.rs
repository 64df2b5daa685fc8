//! Whether a clock explains a loss.

use std::fmt;

use serde::{Deserialize, Serialize};
use trueline_core::Ratio;

/// What limits a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Bound {
    /// Arithmetic.
    Compute,
    /// The memory's bandwidth.
    Memory,
    /// The links between devices.
    Link,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compute => "compute",
            Self::Memory => "memory bandwidth",
            Self::Link => "links between devices",
        })
    }
}

/// Whether a processor clock explains a loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Explanation {
    /// The loss is of the size that the clock can cause, engine losses of up to a factor of two included.
    Sufficient,
    /// The clock explains a part; a factor of this size stays unexplained.
    NotSufficient {
        /// The clock's ratio over the observed one: above 2.
        unexplained: Ratio,
    },
    /// The phase does not hang on the processor's clock.
    NotOnThisClock {
        /// What it hangs on.
        bound: Bound,
    },
}

impl Explanation {
    /// Whether the clock explains the loss.
    pub const fn is_sufficient(&self) -> bool {
        matches!(self, Self::Sufficient)
    }
}

/// Whether the processor's clock explains that only `observed` of a ceiling was reached.
///
/// # Formula
/// `observed` is the rate over the ceiling at the published clock, `clock` the live clock over the
/// published one. The clock is not sufficient where `observed < clock / 2`: even an engine that reaches
/// half of its ceiling would have done better at that clock. A phase bound by memory or links does not hang
/// on the clock at all. A clock above the published one explains no loss and counts as equal to it.
///
/// # Examples
/// ```
/// use trueline_core::Ratio;
/// use trueline_roofline::{Bound, explains};
/// let ratio = |x| Ratio::new(x).unwrap();
/// // 1890 of 2625 MHz blamed for a drop to 0.2-0.3 (ggml-org/llama.cpp issue 26024).
/// let clock = ratio(1890.0 / 2625.0);
/// assert!(!explains(ratio(0.3), clock, Bound::Compute).is_sufficient());
/// assert!(explains(ratio(0.6), clock, Bound::Compute).is_sufficient());
/// assert!(!explains(ratio(0.6), clock, Bound::Memory).is_sufficient());
/// ```
pub fn explains(observed: Ratio, clock: Ratio, bound: Bound) -> Explanation {
    if bound != Bound::Compute {
        return Explanation::NotOnThisClock { bound };
    }
    let clock = clock.get().min(1.0);
    if observed.get() >= clock / 2.0 {
        return Explanation::Sufficient;
    }
    // Something that did not run at all is unexplained by the largest factor that there is.
    let unexplained =
        Ratio::new(clock / observed.get()).or_else(|_| Ratio::new(f64::MAX)).unwrap_or(observed);
    Explanation::NotSufficient { unexplained }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(x: f64) -> Ratio {
        Ratio::new(x).unwrap()
    }

    #[test]
    fn a_clock_of_72_percent_does_not_explain_a_drop_to_30_percent() {
        // ggml-org/llama.cpp issue 26024: 1890 of 2625 MHz = 0.72; half is 0.36; reached 0.2 to 0.3.
        for observed in [0.2, 0.3, 0.359] {
            let got = explains(ratio(observed), ratio(0.72), Bound::Compute);
            let Explanation::NotSufficient { unexplained } = got else { panic!("{got:?}") };
            assert!((unexplained.get() - 0.72 / observed).abs() < 1e-12);
        }
        assert!(explains(ratio(0.36), ratio(0.72), Bound::Compute).is_sufficient());
    }

    #[test]
    fn a_third_of_the_clock_explains_a_third_of_the_rate() {
        assert!(explains(ratio(0.25), ratio(1.0 / 3.0), Bound::Compute).is_sufficient());
    }

    #[test]
    fn a_memory_bound_phase_does_not_hang_on_the_processor_clock() {
        let got = explains(ratio(0.9), ratio(0.9), Bound::Memory);
        assert_eq!(got, Explanation::NotOnThisClock { bound: Bound::Memory });
    }

    #[test]
    fn nothing_reached_and_a_clock_above_the_published_one_are_no_trouble() {
        assert!(!explains(ratio(0.0), ratio(0.5), Bound::Compute).is_sufficient());
        assert!(explains(ratio(0.6), ratio(1.2), Bound::Compute).is_sufficient());
        assert!(explains(ratio(0.0), ratio(0.0), Bound::Compute).is_sufficient());
    }
}
