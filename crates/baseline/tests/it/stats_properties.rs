//! What must hold of comparisons whatever the values: they do not depend on order, unit or side.

use proptest::prelude::*;
use trueline_baseline::stats;

/// Values above zero, few enough of them distinct that ties are common.
fn arm(sizes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec((1_u32..40).prop_map(|i| f64::from(i) / 4.0), sizes)
}

/// Any floats, the odd ones too.
fn anything() -> impl Strategy<Value = Vec<f64>> {
    let odd = [f64::NAN, f64::INFINITY, -0.0, 0.0, f64::MIN_POSITIVE, f64::MAX, -1.0];
    proptest::collection::vec(
        prop_oneof![any::<f64>(), proptest::sample::select(odd.to_vec())],
        0..12,
    )
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
}

fn times(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|x| x * factor).collect()
}

proptest! {
    #[test]
    fn swapping_the_arms_mirrors_the_rank_test(a in arm(1..12), b in arm(1..12)) {
        let there = stats::mann_whitney(&a, &b).unwrap();
        let back = stats::mann_whitney(&b, &a).unwrap();
        prop_assert!(close(there.p, back.p) && close(there.p_less, back.p_greater));
        prop_assert!(close(there.effect, 1.0 - back.effect));
        prop_assert_eq!(there.method, back.method);
        for p in [there.p, there.p_less, there.p_greater] {
            prop_assert!((0.0..=1.0).contains(&p));
        }
        let ks = |a: &[f64], b: &[f64]| stats::kolmogorov_smirnov(a, b).unwrap();
        prop_assert!(close(ks(&a, &b).p, ks(&b, &a).p));
        prop_assert!(close(stats::wasserstein(&a, &b).unwrap(), stats::wasserstein(&b, &a).unwrap()));
    }

    /// A power of two as the factor, so that ties stay ties.
    #[test]
    fn units_and_order_change_no_rank(a in arm(1..12), b in arm(1..12), by in -8_i32..8) {
        let factor = 2.0_f64.powi(by);
        let turned: Vec<f64> = a.iter().rev().map(|x| x * factor).collect();
        let (before, after) =
            (stats::mann_whitney(&a, &b), stats::mann_whitney(&turned, &times(&b, factor)));
        prop_assert_eq!(before, after);
        let (before, after) =
            (stats::brunner_munzel(&a, &b), stats::brunner_munzel(&turned, &times(&b, factor)));
        prop_assert_eq!(before.is_some(), after.is_some());
        if let (Some(before), Some(after)) = (before, after) {
            prop_assert!(close(before.p, after.p));
        }
        let (before, after) = (
            stats::hodges_lehmann_ratio(&a, &b, 0.9).unwrap(),
            stats::hodges_lehmann_ratio(&turned, &times(&b, factor), 0.9).unwrap(),
        );
        prop_assert!(close(before.estimate, after.estimate));
    }

    #[test]
    fn the_exact_rank_test_is_near_the_normal_one(a in arm(12..20), b in arm(12..20)) {
        let (exact, normal) =
            (stats::mann_whitney(&a, &b).unwrap(), stats::mann_whitney_normal(&a, &b).unwrap());
        prop_assert!((exact.p - normal.p).abs() < 0.04, "{exact:?} {normal:?}");
    }

    #[test]
    fn ratios_are_mirrored_by_swapping_and_kept_by_units(a in arm(1..9), b in arm(1..9), factor in 0.01..100.0) {
        let there = stats::ratio_of_means(&a, &b, 0.95).unwrap();
        let back = stats::ratio_of_means(&b, &a, 0.95).unwrap();
        let scaled = stats::ratio_of_means(&times(&a, factor), &times(&b, factor), 0.95).unwrap();
        prop_assert!(close(there.ratio * back.ratio, 1.0) && close(there.ratio, scaled.ratio));
        prop_assert_eq!(there.interval.is_some(), back.interval.is_some());
        if let (Some((low, high)), Some((back_low, back_high))) = (there.interval, back.interval) {
            prop_assert!(close(low * back_high, 1.0) && close(high * back_low, 1.0));
            prop_assert!(low <= there.ratio && there.ratio <= high);
        }
        let equal = (stats::equivalence(&a, &b, 0.1, 0.05), stats::equivalence(&b, &a, 0.1, 0.05));
        if let (Some(there), Some(back)) = equal {
            prop_assert!((there.p - back.p).abs() < 1e-9);
        }
    }

    #[test]
    fn the_shift_lies_in_its_interval_and_moves_with_the_arm(a in arm(1..9), b in arm(1..9), by in -64_i32..64) {
        let shift = stats::hodges_lehmann(&a, &b, 0.9).unwrap();
        let moved: Vec<f64> = a.iter().map(|x| x + f64::from(by)).collect();
        let after = stats::hodges_lehmann(&moved, &b, 0.9).unwrap();
        prop_assert!(close(after.estimate, shift.estimate + f64::from(by)));
        if let Some(interval) = shift.interval {
            prop_assert!(interval.low <= shift.estimate && shift.estimate <= interval.high);
            prop_assert!(interval.coverage >= 0.9);
        }
    }

    #[test]
    fn adjusting_keeps_the_order_and_never_makes_smaller(ps in proptest::collection::vec(0.0..1.0, 0..20)) {
        for adjust in [stats::holm, stats::benjamini_hochberg, stats::bonferroni] {
            let adjusted = adjust(&ps).unwrap();
            for (i, (p, q)) in ps.iter().zip(&adjusted).enumerate() {
                prop_assert!(q >= p && *q <= 1.0);
                for (other, adjusted_other) in ps.iter().zip(&adjusted).skip(i) {
                    prop_assert!(p > other || q <= adjusted_other);
                }
            }
        }
    }

    #[test]
    fn an_interval_of_a_share_holds_it(events in 0_u64..60, more in 0_u64..60) {
        prop_assume!(events + more > 0);
        let n = events + more;
        let (low, high) = stats::share_interval(events, n, 0.95).unwrap();
        let (other_low, other_high) = stats::share_interval(more, n, 0.95).unwrap();
        prop_assert!((low + other_high - 1.0).abs() < 1e-12 && (high + other_low - 1.0).abs() < 1e-12);
        let both = stats::fisher_exact((events, n), (more, n)).unwrap();
        prop_assert!((0.0..=1.0).contains(&both));
        prop_assert!(events != more || both >= 1.0 - 1e-9);
    }

    /// Every function gives a number or refuses; none panics, none returns NaN.
    #[test]
    fn odd_values_are_refused_and_never_become_nan(a in anything(), b in anything(), q in any::<f64>()) {
        let mut found: Vec<Option<f64>> = vec![
            stats::mann_whitney(&a, &b).map(|t| t.p + t.u + t.effect),
            stats::mann_whitney_normal(&a, &b).map(|t| t.p),
            stats::brunner_munzel(&a, &b).map(|t| t.p + t.effect),
            stats::kolmogorov_smirnov(&a, &b).map(|t| t.p + t.d),
            stats::signed_rank(&a).map(|t| t.p + t.v),
            stats::sign_test(&a),
            stats::normal_quantile(q),
            stats::t_quantile(0.3, q),
            stats::t_quantile(q, 3.0),
            stats::ratio_of_means(&a, &b, q).and_then(|r| r.p),
            stats::equivalence(&a, &b, 0.1, 0.05).map(|e| e.p),
            stats::paired_ratio(&a, &b, 0.95).and_then(|p| p.sign_p),
            stats::harrell_davis(&a, q),
            stats::speedup_bound(q),
            stats::explain_saving(q, 1.0, 0.5).and_then(|e| e.predicted),
            stats::effective_weights(&a).filter(|_| a.iter().all(|x| *x < 1e100)),
            stats::holm(&a).map(|ps| ps.iter().sum()),
        ];
        found.extend(stats::hodges_lehmann(&a, &b, 0.95).map(|s| Some(s.estimate).filter(|x| x.is_finite())));
        for (i, x) in found.iter().enumerate() {
            prop_assert!(x.is_none_or(|x| !x.is_nan()), "{i}");
        }
        // With a value that is not finite there is nothing to rank.
        if a.iter().chain(&b).any(|x| !x.is_finite()) {
            prop_assert_eq!(stats::mann_whitney(&a, &b), None);
            prop_assert_eq!(stats::hodges_lehmann(&a, &b, 0.95), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn plans_name_the_fewest_runs_that_suffice(cv in 0.005..0.3, difference in 0.01..0.3) {
        let n = stats::runs_to_show(cv, difference, 0.8, 0.05).unwrap();
        let power = |n| stats::power_of_runs(cv, difference, (n, n), 0.05).unwrap();
        prop_assert!(power(n) >= 0.8 && (n == 3 || power(n - 1) < 0.8));
        prop_assert!(stats::smallest_difference(cv, (n, n), 0.8, 0.05).unwrap() <= difference + 1e-9);
    }

    #[test]
    fn odd_plans_are_refused(q in any::<f64>()) {
        prop_assert!(stats::runs_to_show(q, 0.05, 0.8, 0.05).is_none_or(|n| n >= 3));
        prop_assert!(stats::runs_for_precision(q, 0.05, 0.95).is_none_or(|n| n >= 2));
        prop_assert!(stats::smallest_difference(q, (3, 3), 0.8, 0.05).is_none_or(|d| d > 0.0));
        prop_assert!(stats::power_of_runs(0.05, q, (3, 3), 0.05).is_none_or(|p| p > 0.04));
    }
}
