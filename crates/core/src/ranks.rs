//! Where a value stands among others.

use serde::{Deserialize, Serialize};

/// How many of the others are below, equal to and above a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ranks {
    /// Others below.
    pub below: u64,
    /// Others equal.
    pub equal: u64,
    /// Others above.
    pub above: u64,
}

impl Ranks {
    /// How many others there are.
    pub const fn n(&self) -> u64 {
        self.below + self.equal + self.above
    }

    /// The share of the others below, ties counted half: 0 to 1; `None` of no others.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn percentile(&self) -> Option<f64> {
        (self.n() > 0).then(|| (self.below as f64 + self.equal as f64 / 2.0) / self.n() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_count_half() {
        assert_eq!(Ranks { below: 1, equal: 2, above: 1 }.percentile(), Some(0.5));
        assert_eq!(Ranks::default().percentile(), None);
    }
}
