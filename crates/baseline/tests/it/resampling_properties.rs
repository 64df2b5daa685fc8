//! What holds of resampling whatever the values: order, scale and arms that change places, and
//! values that cannot be.

use proptest::prelude::*;
use trueline_baseline::stats::{
    Estimand, Random, Resampled, Resampling, Within, block_bootstrap, block_length, block_ratio,
    bootstrap, bootstrap_ratio, cluster_bootstrap, components, effective_size, label_test,
    ljung_box,
};

const HOW: Resampling = Resampling { confidence: 0.95, replicates: 199, seed: 1 };

fn arm(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.5_f64..2.0, n)
}

fn near(a: Resampled, b: Resampled, scale: f64) -> bool {
    let same = |a: f64, b: f64| (a - b * scale).abs() <= 1e-9 * (b * scale).abs();
    same(a.point, b.point) && same(a.interval.0, b.interval.0) && same(a.interval.1, b.interval.1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_independent_values_changes_nothing(values in arm(60..90), seed in 0_u64..1_000) {
        let mut mixed = values.clone();
        Random::seeded(seed).shuffle(&mut mixed);
        prop_assert_eq!(
            bootstrap(Estimand::Mean(&values), &HOW),
            bootstrap(Estimand::Mean(&mixed), &HOW)
        );
        prop_assert_eq!(
            bootstrap(Estimand::Quantile(&values, 0.5), &HOW),
            bootstrap(Estimand::Quantile(&mixed, 0.5), &HOW)
        );
    }

    #[test]
    fn a_unit_changes_the_numbers_and_nothing_else(values in arm(60..90), unit in 1e-6_f64..1e6) {
        let other: Vec<f64> = values.iter().map(|value| value * unit).collect();
        for (a, b) in [
            (Estimand::Mean(&other), Estimand::Mean(&values)),
            (Estimand::Quantile(&other, 0.5), Estimand::Quantile(&values, 0.5)),
        ] {
            prop_assert!(near(bootstrap(a, &HOW).unwrap(), bootstrap(b, &HOW).unwrap(), unit));
        }
        let (a, b) = (effective_size(&other).unwrap(), effective_size(&values).unwrap());
        prop_assert!((a.effective - b.effective).abs() < 1e-6 * b.effective);
    }

    #[test]
    fn arms_that_change_places_give_the_inverse(a in arm(60..80), b in arm(60..80)) {
        let mirrored = |one: Resampled, other: Resampled| {
            let inverse = |a: f64, b: f64| (a * b - 1.0).abs() <= 1e-9;
            inverse(one.point, other.point)
                && inverse(one.interval.0, other.interval.1)
                && inverse(one.interval.1, other.interval.0)
        };
        for (over, under) in [
            (Estimand::Mean(&a), Estimand::Mean(&b)),
            (Estimand::Quantile(&a, 0.5), Estimand::Quantile(&b, 0.5)),
        ] {
            let one = bootstrap_ratio(over, under, &HOW).unwrap();
            let other = bootstrap_ratio(under, over, &HOW).unwrap();
            prop_assert!(mirrored(one, other));
        }
        let (over, under) = (Estimand::Mean(&a), Estimand::Mean(&b));
        if let Some(one) = block_ratio(over, under, Some(2), &HOW) {
            let other = block_ratio(under, over, Some(2), &HOW).unwrap();
            prop_assert!(mirrored(one, other));
        }
    }

    #[test]
    fn nothing_panics_whatever_comes(
        mut values in prop::collection::vec(
            prop_oneof![
                Just(0.0), Just(-0.0), Just(f64::NAN), Just(f64::INFINITY), Just(1e308), Just(-1e308),
                Just(5e-324), -10.0_f64..10.0,
            ],
            0..70,
        ),
        q in -0.5_f64..1.5,
        length in 0_usize..80,
    ) {
        for _ in 0..2 {
            let pairs: Vec<(f64, f64)> = values.iter().map(|x| (*x, x.abs())).collect();
            for of in [
                Estimand::Mean(&values), Estimand::Quantile(&values, q),
                Estimand::RatioOfSums(&pairs),
            ] {
                let finite = |of: Option<Resampled>| {
                    of.is_none_or(|of| of.interval.0.is_finite() && of.interval.1.is_finite())
                };
                prop_assert!(finite(bootstrap(of, &HOW)));
                prop_assert!(finite(bootstrap_ratio(of, of, &HOW)));
                prop_assert!(finite(block_bootstrap(of, Some(length), &HOW)));
                prop_assert!(finite(block_bootstrap(of, None, &HOW)));
                let sizes = vec![10; values.len() / 10];
                prop_assert!(finite(cluster_bootstrap(of, &sizes, Within::Redrawn, &HOW)));
            }
            let _ = (effective_size(&values), block_length(&values), ljung_box(&values, length));
            let _ = (components(&[&values, &values]), label_test(&values[..values.len().min(6)], &values, 1));
            // Once more of what is finite.
            values.retain(|value| value.is_finite() && value.abs() < 1e300);
        }
    }
}

#[test]
fn a_million_values_come_to_an_end() {
    let values: Vec<f64> = (0..1_000_000).map(|i| 1.0 + f64::from(i % 997) / 997.0).collect();
    let how = Resampling::default().with_replicates(99);
    assert!(effective_size(&values).is_some());
    // A part of them: without optimization all take a minute.
    let some = &values[..50_000];
    assert!(block_length(some).is_some());
    let got = bootstrap(Estimand::Quantile(some, 0.99), &how).unwrap();
    assert!(got.interval.0 <= got.point && got.point <= got.interval.1);
    // Of a thousand against three, all ways are too many to look at: some are drawn.
    let got = label_test(&values[..3], &values[..1_000], 1).unwrap();
    assert_eq!(got.seed, Some(1));
}
