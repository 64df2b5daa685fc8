//! No values, one value, copies and a million of them.

use trueline_baseline::stats;

/// A million values that look random and are distinct.
fn million(step: u64) -> Vec<f64> {
    let spread = (0..1_000_000_u64).map(|i| (i * step) % 1_000_003);
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    spread.map(|i| i as f64 + 1.0).collect()
}

#[test]
fn a_million_values_are_compared_and_none_hangs() {
    let (a, b) = (million(7_919), million(104_729));
    let ranks = stats::mann_whitney(&a, &b).unwrap();
    assert_eq!(ranks.method, stats::RankMethod::Normal);
    assert!((0.45..0.55).contains(&ranks.effect) && (0.0..=1.0).contains(&ranks.p));
    // Three values below the other million are counted out: 1 / C(1,000,003, 3).
    let worst = stats::mann_whitney(&[-3.0, -2.0, -1.0], &a).unwrap();
    let choices = 1_000_003.0 * 1_000_002.0 * 1_000_001.0 / 6.0;
    assert!((worst.p_less * choices - 1.0).abs() < 1e-9, "{worst:?}");
    let ks = stats::kolmogorov_smirnov(&a, &a).unwrap();
    assert!(ks.d.abs() < f64::EPSILON && ks.p >= 1.0);
    let few = [1.0, 250_000.0, 500_000.0, 750_000.0, 1e6];
    let shift = stats::hodges_lehmann(&few, &a, 0.95).unwrap();
    assert!(shift.estimate.abs() < 1e3 && shift.interval.is_some());
    let estimate = stats::ratio_of_means(&a, &b, 0.95).unwrap();
    assert!((estimate.ratio - 1.0).abs() < 0.01 && estimate.interval.is_some());
    assert!((0.0..=1.0).contains(&stats::sign_test(&a).unwrap()));
}

#[test]
fn no_value_and_one_value_are_answered_or_refused() {
    let (none, one, two): (&[f64], &[f64], &[f64]) = (&[], &[1.0], &[1.0, 2.0]);
    for (a, b) in [(none, none), (none, two), (two, none)] {
        assert_eq!(stats::mann_whitney(a, b), None);
        assert_eq!(stats::hodges_lehmann(a, b, 0.95), None);
        assert_eq!(stats::kolmogorov_smirnov(a, b), None);
        assert_eq!(stats::ratio_of_means(a, b, 0.95), None);
        assert_eq!(stats::equivalence(a, b, 0.1, 0.05), None);
        assert_eq!(stats::brunner_munzel(a, b), None);
        assert_eq!(stats::wasserstein(a, b), None);
    }
    assert!(stats::mann_whitney(one, one).unwrap().p >= 1.0);
    assert_eq!(stats::ratio_of_means(one, two, 0.95).unwrap().interval, None);
    assert_eq!(stats::hodges_lehmann(one, two, 0.95).unwrap().interval, None);
    assert!(stats::kolmogorov_smirnov(one, two).unwrap().p >= 1.0 - 1e-12);
}

#[test]
fn copies_have_no_interval_and_show_no_difference() {
    let copies = [4.2; 8];
    assert!(stats::mann_whitney(&copies, &copies).unwrap().p >= 1.0);
    assert_eq!(stats::ratio_of_means(&copies, &[4.0; 8], 0.95).unwrap().interval, None);
    assert_eq!(stats::equivalence(&copies, &copies, 0.05, 0.05), None);
    assert_eq!(stats::paired_ratio(&copies, &copies, 0.95).unwrap().sign_p, None);
    assert_eq!(stats::brunner_munzel(&copies, &copies), None);
}
