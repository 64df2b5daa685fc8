//! Healthy runs, made up by a closed loop with what real servers do: every check stays quiet.

use trueline_core::{Metric, Statistic, Thresholds, Total};

use super::check_arithmetic;
use super::fixture::{Made, usual};
use crate::stats::count;

/// Numbers from 0 to 1: a linear congruential generator (Knuth's MMIX constants).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).expect("32 bits")) / f64::from(u32::MAX)
    }
}

/// A closed loop: replies of 1 to `most` tokens, a wait before the first that is now and then ten
/// times as long, gaps about 12 ms that are now and then a pause of 300 ms. Times to the microsecond.
fn closed_loop(seed: u64, n: u32, slots: u32, most: f64) -> Made {
    let mut draw = Draw(seed);
    let mut free = vec![0.0_f64; slots as usize];
    let mut made = Made::run().held(slots).planned(u64::from(n)).total_completed(u64::from(n));
    let micro = |ms: f64| (ms * 1e3).round() / 1e3;
    for _ in 0..n {
        let slot = free.iter_mut().min_by(|a, b| a.total_cmp(b)).expect("some slots");
        let tokens = 1.0 + (draw.next() * most).floor();
        let ttft = micro(40.0 * (0.5 + draw.next()) * if draw.next() < 0.1 { 10.0 } else { 1.0 });
        let mut gaps = Vec::new();
        while count(gaps.len()) + 1.0 < tokens {
            let pause = if draw.next() < 0.01 { 300.0 } else { 0.0 };
            gaps.push(micro(12.0 * (0.7 + 0.6 * draw.next()) + pause));
        }
        let e2e = ttft + gaps.iter().sum::<f64>();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let tokens = tokens as u64;
        made = made.request(*slot, ttft, e2e, tokens).gaps(&gaps);
        *slot += e2e + 0.2;
    }
    let lasting = free.iter().copied().fold(0.0, f64::max) / 1e3;
    made.lasting(lasting, 0.0)
}

/// The same with means alone, as a tool without details writes them, to two digits of milliseconds.
fn summed(rows: &Made) -> Made {
    let run = &rows.0;
    let mut made = Made::run()
        .lasting((run.duration().expect("stated").as_secs_f64() * 100.0).round() / 100.0, 0.01);
    made.0.plan = run.plan.clone();
    let output = run.tokens(Total::OutputTokens).expect("counted");
    made =
        made.total_completed(run.completed().expect("counted")).total(Total::OutputTokens, output);
    let requests: Vec<_> = run.measured().collect();
    for metric in [Metric::TtftS, Metric::E2eLatencyS, Metric::TpotS, Metric::ItlS] {
        let mut values = crate::metric_values(&requests, metric).expect("derived");
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / count(values.len());
        let at = |q| crate::stats::quantile(&values, q).expect("some values");
        for (statistic, value) in [
            (Statistic::Mean, mean),
            (Statistic::Median, at(0.5)),
            ("p99".parse().expect("a statistic"), at(0.99)),
        ] {
            let printed = (value * 1e5).round() / 1e5;
            made = made.stepped(metric, statistic, printed, usual(metric), 1e-5);
        }
    }
    made
}

fn loud(made: &Made) -> Vec<String> {
    let got = check_arithmetic(&made.0, &Thresholds::default());
    let quiet = ["percentile-beyond-data"];
    got.findings().filter(|f| !quiet.contains(&f.code)).map(ToString::to_string).collect()
}

#[test]
fn closed_loops_with_pauses_and_mixed_lengths_are_quiet_request_by_request() {
    for seed in 0..40 {
        for (n, slots, most) in [(12, 2, 24.0), (100, 8, 200.0), (320, 64, 60.0)] {
            let made = closed_loop(seed, n, slots, most);
            assert_eq!(loud(&made), Vec::<String>::new(), "seed {seed}, {n} over {slots}");
        }
    }
}

#[test]
fn their_printed_means_are_quiet_too() {
    for seed in 0..40 {
        for (n, slots, most) in [(12, 2, 24.0), (100, 8, 200.0), (320, 64, 60.0)] {
            let made = summed(&closed_loop(seed, n, slots, most));
            assert_eq!(loud(&made), Vec::<String>::new(), "seed {seed}, {n} over {slots}");
        }
    }
}
