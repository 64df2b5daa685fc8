//! Where the start of a series ends: the cut that leaves the most certain mean.

/// The cut that MSER-5 chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// How many values to leave out at the start.
    pub values: usize,
    /// Whether it stands at the limit of half of the series: no steady state was reached.
    pub at_limit: bool,
}

/// How much of the start of a series to leave out; `None` with fewer than 20 values.
///
/// # Formula
/// With `b` the means of `k` batches of five: the `d` up to `k/2` that makes
/// `sum over j > d of (b(j) - mean of b(d+1..k))^2 / (k - d)^2` smallest, the first of equal ones.
/// A rest of fewer than five values is left out. Assumes nothing of the distribution; a cut above
/// zero also comes about by chance, so it needs a second witness.
///
/// # Shape
/// `values` in order of time, finite.
///
/// # Source
/// White, Cobb and Spratt, “A comparison of five steady-state truncation heuristics for
/// simulation”, 2000.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::mser5;
/// let mut series: Vec<f64> = (0..25).map(|i| 50.0 + 50.0 * f64::from(i) / 24.0).collect();
/// series.extend((0..75).map(|i| 100.0 + [-1.0, 1.0, 0.0, 2.0, -2.0][i % 5]));
/// let cut = mser5(&series).unwrap();
/// assert_eq!((cut.values, cut.at_limit), (25, false));
/// ```
pub fn mser5(values: &[f64]) -> Option<Cut> {
    let batches: Vec<f64> =
        values.chunks_exact(5).map(|batch| batch.iter().sum::<f64>() / 5.0).collect();
    if batches.len() < 4 {
        return None;
    }
    let limit = batches.len() / 2;
    // From the end, so that the sums over what is kept grow by one batch a step.
    let origin = *batches.last()?;
    let (mut sum, mut squares, mut kept) = (0.0, 0.0, 0.0_f64);
    let mut best: Option<(f64, usize)> = None;
    for (cut, batch) in batches.iter().enumerate().rev() {
        let off = batch - origin;
        (sum, squares, kept) = (sum + off, squares + off * off, kept + 1.0);
        if cut > limit {
            continue;
        }
        let left = ((squares - sum * sum / kept).max(0.0)) / (kept * kept);
        // Sums of equal batches differ by rounding; such a difference decides nothing.
        let rounding = 1e-12 * (1.0 + origin * origin) / kept;
        if best.is_none_or(|(least, _)| left <= least + rounding) {
            best = Some((left, cut));
        }
    }
    let (_, cut) = best?;
    Some(Cut { values: cut * 5, at_limit: cut == limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_agrees_with_numpy() {
        // numpy: the formula above, written out, on the same series.
        let rise: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(mser5(&rise), Some(Cut { values: 50, at_limit: true }));
        let flat = [3.0; 40];
        assert_eq!(mser5(&flat), Some(Cut { values: 0, at_limit: false }));
        let mut step = vec![9.0; 10];
        step.extend([1.0, 1.1, 0.9, 1.0, 1.05].repeat(8));
        assert_eq!(mser5(&step), Some(Cut { values: 10, at_limit: false }));
        let odd: Vec<f64> = (0..63).map(|i| f64::from((i * 37) % 11)).collect();
        assert_eq!(mser5(&odd), Some(Cut { values: 20, at_limit: false }));
    }

    #[test]
    fn fewer_than_twenty_values_have_no_cut() {
        assert_eq!(mser5(&[1.0; 19]), None);
        assert!(mser5(&[1.0; 20]).is_some());
    }
}
