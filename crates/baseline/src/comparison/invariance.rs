//! What must not change a judgement: the order in which runs are given, the unit, which arm is which.

use proptest::prelude::*;
use trueline_core::{
    BenchRun, By, Claim, ClaimKind, Known, Link, Metric, Outcome, RequestRecord, Scope, Severity,
    Side, Thresholds, WallTime,
};

use super::{
    check_arm_spread, check_autocorrelation, check_one_direction, check_order,
    check_pooled_requests, check_speedup, check_uneven_failures, rebase_ratio,
};

/// Runs of an arm, each with a start and what became of its requests.
fn arm(name: &str, runs: &[(u32, u8, u8)]) -> Vec<BenchRun> {
    let one = |(i, (start, asked, failed)): (usize, &(u32, u8, u8))| {
        let requests = (0..*asked).map(|n| {
            let mut request = RequestRecord::default();
            let at = WallTime::from_nanos(i64::from(*start) * 1_000_000_000 + i64::from(n));
            request.started = Known::is(at, By::Measured);
            request.outcome = if n < *failed { Outcome::Failed } else { Outcome::Ok };
            request
        });
        BenchRun::new(format!("{name}-{i}"), Side::Client, requests.collect()).with_arm(name)
    };
    runs.iter().enumerate().map(one).collect()
}

/// How severe each check of two arms is.
fn severities(a: &[BenchRun], b: &[BenchRun]) -> [Option<Severity>; 2] {
    let (a, b): (Vec<&BenchRun>, Vec<&BenchRun>) = (a.iter().collect(), b.iter().collect());
    let none = Thresholds::default();
    [
        check_order(Scope::default(), (&a, &b), &none),
        check_uneven_failures(Scope::default(), (&a, &b), &none),
    ]
    .map(|outcomes| outcomes.findings().map(|f| f.severity).max())
}

fn runs() -> impl Strategy<Value = Vec<(u32, u8, u8)>> {
    prop::collection::vec((0_u32..40, 1_u8..60, 0_u8..20), 1..7)
}

/// Any number at all, the bad ones among them.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 1e-6_f64..1e6,
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e308]),
    ]
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(any_number(), 0..70)
}

proptest! {
    #[test]
    fn swapping_the_arms_or_the_order_given_changes_no_severity(a in runs(), b in runs()) {
        let (first, second) = (arm("a", &a), arm("b", &b));
        let told = severities(&first, &second);
        prop_assert_eq!(told, severities(&second, &first));
        let turned: Vec<(u32, u8, u8)> = a.iter().rev().copied().collect();
        prop_assert_eq!(told, severities(&arm("a", &turned), &second));
    }

    #[test]
    fn a_table_turned_around_is_judged_alike(rows in prop::collection::vec(0.9_f64..1.1, 0..30)) {
        let none = Thresholds::default();
        let fires = |rows: &[f64]| {
            check_one_direction(Scope::default(), rows, &none).has("all-one-direction")
        };
        let reversed: Vec<f64> = rows.iter().rev().copied().collect();
        prop_assert_eq!(fires(&rows), fires(&reversed));
        let turned: Vec<f64> = rows.iter().map(|row| row.recip()).collect();
        prop_assert_eq!(fires(&rows), fires(&turned));
    }

    #[test]
    fn a_chain_turned_around_gives_the_inverse(
        ratios in prop::array::uniform2(0.1_f64..10.0),
        reach in prop::array::uniform2(1.0_f64..1.5),
    ) {
        let link = |i: usize, of: &str, over: &str| {
            Link::new(ratios[i], of, over).with_interval(ratios[i] / reach[i], ratios[i] * reach[i])
        };
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.of = Some("a".into());
        claim.baseline = Some("b".into());
        claim.incumbent = Some("c".into());
        claim.chain = vec![link(0, "a", "b"), link(1, "b", "c")];
        let none = Thresholds::default();
        let there = rebase_ratio(&claim, None, &none).value.unwrap();
        (claim.of, claim.incumbent) = (claim.incumbent, claim.of);
        let mut own = Link::new(1.0 / ratios[1], "c", "b");
        own.interval = Some((1.0 / (ratios[1] * reach[1]), reach[1] / ratios[1]));
        let back = rebase_ratio(&claim, Some(own), &none).value.unwrap();
        prop_assert!((there.ratio * back.ratio - 1.0).abs() < 1e-9);
        let ((low, high), (back_low, back_high)) = (there.interval.unwrap(), back.interval.unwrap());
        prop_assert!((low * back_high - 1.0).abs() < 1e-9 && (high * back_low - 1.0).abs() < 1e-9);
    }

    #[test]
    fn no_number_makes_a_check_panic(
        a in numbers(), b in numbers(), x in any_number(), y in any_number(), z in any_number(),
    ) {
        let none = Thresholds::default();
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.metric = Some(Metric::TpotS);
        claim.interval = Some((x, y));
        claim.value = Some(z);
        (claim.change.saved, claim.change.changed_share) = (Some(x), Some(y));
        (claim.change.removed, claim.change.before) = (Some(y), Some(z));
        claim.change.after = Some(x);
        check_speedup(&claim, &none);
        let arms = ([a.clone()], [b.clone(), a.clone()]);
        check_pooled_requests(&claim, &arms.0, &arms.1, Some((z, x)), &none);
        check_autocorrelation(&claim, &arms.1, &none);
        check_arm_spread(Scope::default(), "a", Metric::TpotS, (&a, x), &none);
        check_one_direction(Scope::default(), &b, &none);
        (claim.baseline, claim.incumbent) = (Some("b".into()), Some("c".into()));
        let mut link = Link::new(x, "b", "c");
        (link.interval, link.of_value) = (Some((y, z)), Some(x));
        link.of_interval = Some((z, y));
        claim.chain = vec![link];
        rebase_ratio(&claim, None, &none);
    }
}
