//! The k-th smallest of all pairs of values without forming them.

/// How many times smaller a sample is whose values are searched in the other one by one.
const SEARCHED: usize = 32;

/// The `k`-th smallest difference `x - y`, from 1, over all pairs of two rising samples; `None`
/// for a `k` beyond them.
///
/// # Formula
/// Differences fall along one sample and rise along the other, so those at most `v` are counted in
/// one walk along both, or by a search for each value of a far smaller sample; `v` is found by
/// halving the range of floats, in at most 64 counts.
pub(crate) fn kth_difference(a: &[f64], b: &[f64], k: u64) -> Option<f64> {
    let (low, high) = (a.first()? - b.last()?, a.last()? - b.first()?);
    kth(low, high, k, a.len() as u64 * b.len() as u64, |v| {
        if a.len() < b.len() / SEARCHED {
            let near = |x: &f64| b.len() - b.partition_point(|y| x - y > v);
            return a.iter().map(near).sum::<usize>() as u64;
        }
        if b.len() < a.len() / SEARCHED {
            let near = |y: &f64| a.partition_point(|x| x - y <= v);
            return b.iter().map(near).sum::<usize>() as u64;
        }
        let (mut rest, mut pairs) = (b, 0);
        for x in a {
            // The first value of `b` that is near enough to `x`; for the next `x` it is later.
            while let Some((y, later)) = rest.split_first() {
                if x - y <= v {
                    break;
                }
                rest = later;
            }
            pairs += rest.len() as u64;
        }
        pairs
    })
}

/// The `k`-th smallest mean of two values, from 1, over all pairs of a rising sample and each value
/// with itself; `None` for a `k` beyond them.
pub(crate) fn kth_walsh(sorted: &[f64], k: u64) -> Option<f64> {
    let n = sorted.len() as u64;
    let (low, high) = (2.0 * sorted.first()?, 2.0 * sorted.last()?);
    let twice = kth(low, high, k, n * (n + 1) / 2, |v| {
        let (mut rest, mut ordered) = (sorted, 0);
        for x in sorted {
            while let Some((y, earlier)) = rest.split_last() {
                if x + y <= v {
                    break;
                }
                rest = earlier;
            }
            ordered += rest.len() as u64;
        }
        // Every pair was met twice but for those of a value with itself.
        u64::midpoint(ordered, sorted.partition_point(|x| x + x <= v) as u64)
    })?;
    Some(twice / 2.0)
}

/// The median of `all` pairs as of a function that gives the k-th smallest.
pub(crate) fn median_pair(all: u64, kth: impl Fn(u64) -> Option<f64>) -> Option<f64> {
    if all == 0 {
        return None;
    }
    let upper = kth(all / 2 + 1)?;
    if all % 2 == 1 { Some(upper) } else { Some(f64::midpoint(kth(all / 2)?, upper)) }
}

fn kth(low: f64, high: f64, k: u64, all: u64, at_most: impl Fn(f64) -> u64) -> Option<f64> {
    if k == 0 || k > all || low.is_nan() || high.is_nan() {
        return None;
    }
    let (mut low, mut high) = (key(low), key(high));
    while low < high {
        let middle = u64::midpoint(low, high);
        if at_most(value(middle)) >= k {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // The negative zero is zero.
    Some(value(low) + 0.0)
}

const SIGN: u64 = 1 << 63;

/// A whole number that rises as the float does.
fn key(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn value(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::sorted;

    #[test]
    fn the_kth_pair_is_that_of_the_sorted_list() {
        let a = sorted((0..23).map(|i| f64::from((i * 37) % 19) - 4.5).collect());
        let b = sorted((0..17).map(|i| f64::from((i * 29) % 13) / 3.0).collect());
        let all = sorted(a.iter().flat_map(|x| b.iter().map(move |y| x - y)).collect());
        for (k, wanted) in (1..).zip(&all) {
            assert_eq!(kth_difference(&a, &b, k), Some(*wanted));
        }
        assert_eq!(kth_difference(&a, &b, 0), None);
        assert_eq!(kth_difference(&a, &b, 23 * 17 + 1), None);
        assert_eq!(kth_difference(&[], &b, 1), None);
        // So few against so many are searched rather than walked along.
        let few = [-1.0, 2.0 / 3.0];
        let many = sorted((0..90).map(|i| f64::from((i * 37) % 71) / 3.0).collect());
        for (a, b) in [(&few[..], many.as_slice()), (&many, &few)] {
            let all = sorted(a.iter().flat_map(|x| b.iter().map(move |y| x - y)).collect());
            for (k, wanted) in (1..).zip(&all) {
                assert_eq!(kth_difference(a, b, k), Some(*wanted));
            }
        }
        let mut walsh = Vec::new();
        for (i, x) in a.iter().enumerate() {
            walsh.extend(a.iter().skip(i).map(|y| (x + y) / 2.0));
        }
        for (k, wanted) in (1..).zip(sorted(walsh)) {
            assert_eq!(kth_walsh(&a, k), Some(wanted));
        }
    }

    #[test]
    fn floats_and_their_keys_rise_together() {
        let rising = [f64::NEG_INFINITY, -2.0, -1e-300, 0.0, 1e-300, 1.0, f64::INFINITY];
        assert!(rising.windows(2).all(|w| key(w[0]) < key(w[1])));
        assert!(rising.iter().all(|x| value(key(*x)).to_bits() == x.to_bits()));
    }
}
