//! One parameter that would make an impossible claim fit.

use std::fmt;

use serde::Serialize;
use trueline_core::number::short;
use trueline_core::{Ratio, Share, Tokens, TokensPerSecond};

use crate::BitsPerWeight;

/// The parameter that differs, with the number that it would need.
///
/// # Shape
/// In the order in which causes are ranked where none is an exact match.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case", tag = "parameter")]
#[non_exhaustive]
pub enum Parameter {
    /// Weights are stored in fewer bits than was said.
    Dtype {
        /// The most bits that any weight may have for the claim to fit.
        #[serde(rename = "needed_bits_per_weight")]
        needed: BitsPerWeight,
        /// The width of the widest usual format that fits.
        #[serde(rename = "format_bits_per_weight")]
        format: BitsPerWeight,
    },
    /// Cached tokens stand in the numerator.
    CachedTokens {
        /// The smallest share of the prompt.
        share: Share,
        /// As many tokens of each sequence.
        tokens: Tokens,
    },
    /// Tokens are drafted.
    Speculation {
        /// The fewest that are drafted in each pass.
        drafted: u32,
    },
    /// The rate is that of several sequences together.
    Sequences {
        /// The fewest.
        at_least: u64,
    },
    /// The rate is that of several times as many devices.
    Devices {
        /// The fewest times.
        times: u64,
    },
    /// The peak is one that skips zeros: exactly twice the dense one.
    SparsePeak,
    /// The processor ran faster than the highest clock that is known.
    Clock {
        /// By this factor.
        ratio: Ratio,
    },
    /// GiB stand for GB: a factor of 1.074.
    BinaryUnits,
    /// All weights of a mixture of experts were counted for those that a token passes.
    TotalForActive {
        /// The one over the other.
        ratio: Ratio,
    },
}

/// One parameter that would make the claim fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// Which, and the number that it needs.
    #[serde(flatten)]
    pub parameter: Parameter,
    /// The strict ceiling with it.
    #[serde(rename = "ceiling_tok_per_s")]
    pub ceiling: TokensPerSecond,
    /// The claim over that ceiling: how well it fits. At most 1.01.
    pub fit: Ratio,
    /// Whether a number that can only be whole, or a fixed factor, gives the claim within 3 % (GiB for GB: within
    /// 0.5 %).
    pub exact: bool,
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dtype { needed, format } => {
                write!(
                    f,
                    "weights stored in {needed} or fewer, as {format} would be (launch options may store \
                     layers otherwise than the config says)"
                )
            }
            Self::CachedTokens { share, tokens } => {
                let percent = 100.0 * share.get();
                write!(
                    f,
                    "{tokens} of each prompt cached and counted all the same ({percent:.1} %)"
                )
            }
            Self::Speculation { drafted: 1 } => {
                f.write_str("a drafted token accepted in each pass")
            }
            Self::Speculation { drafted } => {
                write!(f, "at least {drafted} drafted tokens accepted in each pass")
            }
            Self::Sequences { at_least } => write!(f, "the sum over at least {at_least} sequences"),
            Self::Devices { times } => {
                write!(f, "the sum over at least {times} times as many devices")
            }
            Self::SparsePeak => f.write_str("a peak that skips zeros, twice the dense one"),
            Self::Clock { ratio } => {
                write!(f, "a clock {:.3} times the highest that is known", ratio.get())
            }
            Self::BinaryUnits => f.write_str("GiB for GB, a factor of 1.074"),
            Self::TotalForActive { ratio } => {
                let ratio = ratio.get();
                write!(f, "all weights for those that a token passes, a factor of {ratio:.2}")
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ceiling = short(self.ceiling.get(), 4);
        let share = 100.0 * self.fit.get();
        write!(
            f,
            "{}; the ceiling is {ceiling} tok/s then, and the claim {share:.0} % of it",
            self.parameter
        )
    }
}
