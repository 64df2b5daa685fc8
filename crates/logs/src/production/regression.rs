//! TTFT as a straight line in new and cached tokens, from exact sums.

/// Sums for the least-squares fit of TTFT on new and cached tokens.
///
/// # Formula
/// `TTFT = intercept + a new + b cached`, ordinary least squares over all answered requests with
/// known tokens and TTFT. All sums are integers (tokens, nanoseconds), so merging is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegressionSums {
    n: i128,
    x: i128,
    z: i128,
    y: i128,
    xx: i128,
    zz: i128,
    xz: i128,
    xy: i128,
    zy: i128,
    yy: i128,
}

/// The fitted line.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Regression {
    /// TTFT of a request without tokens, seconds: queue, network, first decode step.
    pub intercept_s: f64,
    /// Seconds more for each thousand new tokens.
    pub per_1k_new_s: f64,
    /// Seconds more for each thousand cached tokens.
    pub per_1k_cached_s: f64,
    /// The share of the variance of TTFT that the line explains.
    pub r2: f64,
    /// How many requests it rests on.
    pub n: u64,
}

impl RegressionSums {
    pub(crate) fn add(&mut self, new: u64, cached: u64, ttft_nanos: u128) {
        let (x, z) = (i128::from(new), i128::from(cached));
        let y = i128::try_from(ttft_nanos).unwrap_or(i128::MAX);
        self.n += 1;
        self.x += x;
        self.z += z;
        self.y = self.y.saturating_add(y);
        self.xx += x * x;
        self.zz += z * z;
        self.xz += x * z;
        self.xy = self.xy.saturating_add(x.saturating_mul(y));
        self.zy = self.zy.saturating_add(z.saturating_mul(y));
        self.yy = self.yy.saturating_add(y.saturating_mul(y));
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.n, other.n),
            (&mut self.x, other.x),
            (&mut self.z, other.z),
            (&mut self.y, other.y),
            (&mut self.xx, other.xx),
            (&mut self.zz, other.zz),
            (&mut self.xz, other.xz),
            (&mut self.xy, other.xy),
            (&mut self.zy, other.zy),
            (&mut self.yy, other.yy),
        ] {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// How many requests are in the sums.
    pub fn n(&self) -> u64 {
        u64::try_from(self.n).unwrap_or(0)
    }

    /// The line; `None` with fewer than four requests, or where new and cached tokens do not vary
    /// apart from each other.
    pub fn solve(&self) -> Option<Regression> {
        if self.n < 4 {
            return None;
        }
        let (sxx, szz) = (self.about(self.xx, self.x, self.x), self.about(self.zz, self.z, self.z));
        let (sxz, sxy) = (self.about(self.xz, self.x, self.z), self.about(self.xy, self.x, self.y));
        let (szy, syy) = (self.about(self.zy, self.z, self.y), self.about(self.yy, self.y, self.y));
        let determinant = sxx.mul_add(szz, -(sxz * sxz));
        // Collinear to within what a float can tell: the two slopes cannot be told apart.
        if sxx <= 0.0 || szz <= 0.0 || determinant <= 1e-9 * sxx * szz {
            return None;
        }
        let a = sxy.mul_add(szz, -(szy * sxz)) / determinant;
        let b = szy.mul_add(sxx, -(sxy * sxz)) / determinant;
        let n = to_f64(self.n);
        let intercept = (to_f64(self.y) - a * to_f64(self.x) - b * to_f64(self.z)) / n;
        let explained = a.mul_add(sxy, b * szy);
        let r2 = if syy > 0.0 { (explained / syy).clamp(0.0, 1.0) } else { return None };
        Some(Regression {
            intercept_s: intercept / 1e9,
            per_1k_new_s: a / 1e6,
            per_1k_cached_s: b / 1e6,
            r2,
            n: self.n(),
        })
    }

    /// The sum of products about the means: `sum - first second / n`, in integers where they fit.
    fn about(&self, sum: i128, first: i128, second: i128) -> f64 {
        let exact = self
            .n
            .checked_mul(sum)
            .zip(first.checked_mul(second))
            .and_then(|(all, means)| all.checked_sub(means));
        let n = to_f64(self.n);
        exact.map_or_else(
            || to_f64(sum) - to_f64(first) * (to_f64(second) / n),
            |exact| to_f64(exact) / n,
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sum is rounded once, after exact arithmetic")]
fn to_f64(n: i128) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_found_again() {
        // TTFT = 1.5 s + 3 ms a new token + 0.01 ms a cached token, made by hand.
        let mut sums = RegressionSums::default();
        for (new, cached) in [(100, 0), (5_000, 200), (20, 40_000), (900, 90_000), (7, 3)] {
            sums.add(new, cached, u128::from(1_500_000_000 + 3_000_000 * new + 10_000 * cached));
        }
        let line = sums.solve().unwrap();
        for (found, expected) in [
            (line.intercept_s, 1.5),
            (line.per_1k_new_s, 3.0),
            (line.per_1k_cached_s, 0.01),
            (line.r2, 1.0),
        ] {
            assert!((found - expected).abs() < 1e-9, "{line:?}");
        }
    }

    #[test]
    fn what_does_not_vary_has_no_slope() {
        let mut sums = RegressionSums::default();
        for i in 1..10 {
            sums.add(i * 100, i * 200, u128::from(i) * 1_000_000);
        }
        assert_eq!(sums.solve(), None);
        assert_eq!(RegressionSums::default().solve(), None);
    }
}
