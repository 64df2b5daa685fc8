//! Exact tests on counts: signs, and shares of two arms.

use statrs::function::gamma::ln_gamma;

use crate::stats::real;

/// Terms beyond so many change no sum to double precision in use here.
const MOST_TERMS: u64 = 10_000_000;

fn ln_choose(n: u64, k: u64) -> f64 {
    ln_gamma(real(n) + 1.0) - ln_gamma(real(k) + 1.0) - ln_gamma(real(n - k) + 1.0)
}

/// The two-sided p of the sign test.
///
/// # Formula
/// `min(1, 2 P(B <= min(up, down)))` with `B` binomial over `up + down` fair coins. Ties are left
/// out beforehand. 1 without any sign.
pub(super) fn sign_test(up: u64, down: u64) -> f64 {
    let n = up + down;
    let fewer = up.min(down).min(MOST_TERMS);
    let tail: f64 =
        (0..=fewer).map(|k| (ln_choose(n, k) - real(n) * std::f64::consts::LN_2).exp()).sum();
    (2.0 * tail).min(1.0)
}

/// The two-sided p of Fisher's exact test for `a` of `n` against `b` of `m`.
///
/// # Formula
/// The sum of the hypergeometric probabilities of all tables with the same margins that are no more
/// probable than the one found, as scipy and R take it. `None` where a count exceeds its total.
pub(super) fn fisher((a, n): (u64, u64), (b, m): (u64, u64)) -> Option<f64> {
    if a > n || b > m {
        return None;
    }
    let hits = a.checked_add(b)?;
    let all = n.checked_add(m)?;
    let (low, high) = (hits.saturating_sub(m), hits.min(n));
    if high - low > MOST_TERMS {
        return None;
    }
    let whole = ln_choose(all, hits);
    let ln_p = |k: u64| ln_choose(n, k) + ln_choose(m, hits - k) - whole;
    let found = ln_p(a);
    // Equal tables differ in the last digits of their logarithms.
    let tail: f64 = (low..=high).map(ln_p).filter(|p| *p <= found + 1e-7).map(f64::exp).sum();
    Some(tail.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_agree_with_scipy() {
        // scipy.stats.binomtest(4, 37).pvalue; binomtest(0, 8); binomtest(1, 10); binomtest(3, 6).
        assert!((sign_test(4, 33) / 1.084_394_170_902_669_4e-6 - 1.0).abs() < 1e-9);
        assert!((sign_test(8, 0) - 0.007_812_5).abs() < 1e-12);
        assert!((sign_test(1, 9) - 0.021_484_375).abs() < 1e-12);
        assert!((sign_test(3, 3) - 1.0).abs() < 1e-12);
        assert!((sign_test(0, 0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn fisher_agrees_with_scipy_and_the_tea_tasting() {
        let close = |got: Option<f64>, expected: f64| {
            assert!((got.unwrap() / expected - 1.0).abs() < 1e-9, "{got:?} {expected}");
        };
        // Fisher's tea: 3 of 4 against 1 of 4 is 34/70.
        close(fisher((3, 4), (1, 4)), 34.0 / 70.0);
        // By hand: all 8 failures in one of two arms of 100: 2 C(100,8) / C(200,8).
        let all = 2.0 * (ln_choose(100, 8) - ln_choose(200, 8)).exp();
        close(fisher((8, 100), (0, 100)), all);
        close(fisher((0, 100), (0, 100)), 1.0);
        assert_eq!(fisher((5, 4), (0, 1)), None);
    }

    #[test]
    fn millions_of_requests_neither_hang_nor_panic() {
        let p = fisher((1_000, 1_000_000), (1_100, 1_000_000)).unwrap();
        // scipy.stats.fisher_exact gives 0.0306330777.
        assert!((p - 0.030_633_077_7).abs() < 1e-8, "{p}");
        assert!(sign_test(500_000, 501_000) > 0.3);
    }
}
