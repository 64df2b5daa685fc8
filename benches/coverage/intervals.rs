//! The methods whose intervals are counted, each on the values that it is for.

use trueline_baseline::stats::{
    Estimand, Random, Resampled, Resampling, Within, block_bootstrap, bootstrap, bootstrap_ratio,
    cluster_ratio, order_interval, paired_ratio, ratio_of_means, ratio_of_sums,
};

use super::{Data, Effort, Row};

type Interval = Option<(f64, f64)>;

/// Values of requests whose spread is that of latencies, heavier ones, and two kinds of requests.
const SMOOTH: Data = Data::LogNormal(0.5);
const HEAVY: Data = Data::LogNormal(1.0);
const TWO: Data = Data::Bimodal;

/// Counts every method.
pub fn intervals(effort: Effort) -> Vec<Row> {
    let mut rows = Rows { effort, rows: Vec::new() };
    of_runs(&mut rows);
    of_order(&mut rows);
    of_quantiles(&mut rows);
    of_means(&mut rows);
    of_sums(&mut rows);
    of_series(&mut rows);
    of_clusters(&mut rows);
    rows.rows
}

struct Rows {
    effort: Effort,
    rows: Vec<Row>,
}

impl Rows {
    /// Counts one method on `n` values of a kind, unless they are too many.
    fn count(
        &mut self,
        method: &'static str,
        data: Data,
        n: usize,
        truth: f64,
        mut interval: impl FnMut(&mut Random, Resampling) -> Interval,
    ) {
        if n > self.effort.most {
            return;
        }
        let Effort { tries, replicates, .. } = self.effort;
        let how = Resampling::default().with_replicates(replicates);
        self.rows.push(Row::of((method, data.name(), n), tries, truth, |random| {
            let how = how.with_seed(random.bits());
            interval(random, how)
        }));
    }

    /// The last row is there to be refused.
    fn refused(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.refuses = true;
        }
    }
}

fn ends(of: Option<Resampled>) -> Interval {
    of.map(|resampled| resampled.interval)
}

fn of_runs(rows: &mut Rows) {
    let calm = Data::LogNormal(0.05);
    let welch = "run-level log-Welch, ratio";
    for (data, n) in [(calm, 3), (calm, 5), (calm, 10), (SMOOTH, 5), (TWO, 5), (TWO, 10)] {
        rows.count(welch, data, n, 1.0, |random, _| {
            let (a, b) = (data.draw(n, random), data.draw(n, random));
            ratio_of_means(&a, &b, 0.95)?.interval
        });
    }
    let memory = Data::Remembering(0.6);
    rows.count(
        "run-level log-Welch of means of 100 requests, ratio",
        memory,
        5,
        1.0,
        |random, _| {
            let mut run = |_| memory.draw(100, random).iter().sum::<f64>() / 100.0;
            let a: Vec<f64> = (0..5).map(&mut run).collect();
            let b: Vec<f64> = (0..5).map(&mut run).collect();
            ratio_of_means(&a, &b, 0.95)?.interval
        },
    );
    let paired = "paired rounds, sign-based, drift of both arms";
    for (data, n) in [(calm, 6), (calm, 10), (calm, 20), (TWO, 20)] {
        rows.count(paired, data, n, 1.0, |random, _| {
            let drift = Data::Remembering(0.9).draw(n, random);
            let (a, b) = (data.draw(n, random), data.draw(n, random));
            let with = |arm: &[f64]| arm.iter().zip(&drift).map(|(x, d)| x * d).collect::<Vec<_>>();
            let found = paired_ratio(&with(&a), &with(&b), 0.95)?.interval?;
            Some((found.low, found.high))
        });
    }
}

fn of_order(rows: &mut Rows) {
    for (data, n) in [(SMOOTH, 6), (SMOOTH, 20), (SMOOTH, 100), (TWO, 20), (TWO, 100)] {
        rows.count("median, order statistics", data, n, data.median(), |random, _| {
            let mut values = data.draw(n, random);
            values.sort_by(f64::total_cmp);
            order_interval(&values, 0.5, 0.95).map(|found| (found.low, found.high))
        });
    }
}

fn of_quantiles(rows: &mut Rows) {
    for (data, n) in [(SMOOTH, 6), (SMOOTH, 20), (SMOOTH, 100), (TWO, 20), (TWO, 100)] {
        rows.count("median, BCa", data, n, data.median(), |random, how| {
            ends(bootstrap(Estimand::Quantile(&data.draw(n, random), 0.5), &how))
        });
    }
    for (data, n) in [(SMOOTH, 5), (SMOOTH, 20), (SMOOTH, 100), (TWO, 20)] {
        rows.count("ratio of medians, BCa", data, n, 1.0, |random, how| {
            let (a, b) = (data.draw(n, random), data.draw(n, random));
            ends(bootstrap_ratio(Estimand::Quantile(&a, 0.5), Estimand::Quantile(&b, 0.5), &how))
        });
    }
    // The normal quantile of 0.9 is 1.281551566.
    let p90 = (0.5 * 1.281_551_566_f64).exp();
    for n in [90, 100, 200] {
        rows.count("90th percentile, BCa", SMOOTH, n, p90, |random, how| {
            ends(bootstrap(Estimand::Quantile(&SMOOTH.draw(n, random), 0.9), &how))
        });
        if n == 90 {
            rows.refused();
        }
    }
}

fn of_means(rows: &mut Rows) {
    for (data, n) in [(SMOOTH, 30), (SMOOTH, 100), (HEAVY, 250), (TWO, 100)] {
        rows.count("mean, studentized bootstrap", data, n, data.mean(), |random, how| {
            ends(bootstrap(Estimand::Mean(&data.draw(n, random)), &how))
        });
        if n == 30 {
            rows.refused();
        }
    }
    for (data, n) in [(SMOOTH, 100), (HEAVY, 250), (TWO, 100)] {
        rows.count("ratio of means, studentized bootstrap", data, n, 1.0, |random, how| {
            let (a, b) = (data.draw(n, random), data.draw(n, random));
            ends(bootstrap_ratio(Estimand::Mean(&a), Estimand::Mean(&b), &how))
        });
    }
}

/// Numerators that are a rate of this kind times denominators of another.
fn pairs(rate: Data, under: Data, n: usize, random: &mut Random) -> Vec<(f64, f64)> {
    let rates = rate.draw(n, random);
    rates.into_iter().zip(under.draw(n, random)).map(|(rate, x)| (rate * x, x)).collect()
}

fn of_sums(rows: &mut Rows) {
    for (data, n) in [(SMOOTH, 30), (SMOOTH, 100), (TWO, 30), (TWO, 100)] {
        rows.count("ratio of sums, delta method", data, n, data.mean(), |random, _| {
            ratio_of_sums(&pairs(data, SMOOTH, n, random), 0.95)?.interval
        });
    }
    let method = "ratio of sums, studentized bootstrap";
    for (data, n) in [(SMOOTH, 100), (TWO, 100)] {
        rows.count(method, data, n, data.mean(), |random, how| {
            ends(bootstrap(Estimand::RatioOfSums(&pairs(data, SMOOTH, n, random)), &how))
        });
    }
    let heavy = "ratio of sums, studentized bootstrap, denominators with sd of ln 1";
    for (data, n) in [(SMOOTH, 250), (TWO, 250)] {
        rows.count(heavy, data, n, data.mean(), |random, how| {
            ends(bootstrap(Estimand::RatioOfSums(&pairs(data, HEAVY, n, random)), &how))
        });
    }
    let two = "ratio of two ratios of sums, studentized bootstrap";
    for (data, n) in [(SMOOTH, 100), (TWO, 100)] {
        rows.count(two, data, n, 1.0, |random, how| {
            let a = pairs(data, SMOOTH, n, random);
            let b = pairs(data, SMOOTH, n, random);
            ends(bootstrap_ratio(Estimand::RatioOfSums(&a), Estimand::RatioOfSums(&b), &how))
        });
    }
}

fn of_series(rows: &mut Rows) {
    // A series is long, so fewer samples do.
    let few = |how: Resampling| how.with_replicates(how.replicates.min(399));
    let plain = "mean, bootstrap that takes neighbours as independent";
    let memory = Data::Remembering(0.6);
    if rows.effort == Effort::FULL {
        rows.count(plain, memory, 1_000, memory.mean(), |random, how| {
            ends(bootstrap(Estimand::Mean(&memory.draw(1_000, random)), &few(how)))
        });
    }
    for (share, n) in [(0.3, 500), (0.6, 1_000), (0.8, 2_000), (0.9, 1_000)] {
        let data = Data::Remembering(share);
        rows.count("mean, blocks", data, n, data.mean(), |random, how| {
            ends(block_bootstrap(Estimand::Mean(&data.draw(n, random)), None, &few(how)))
        });
    }
    rows.count("median, blocks", memory, 1_000, memory.median(), |random, how| {
        ends(block_bootstrap(Estimand::Quantile(&memory.draw(1_000, random), 0.5), None, &few(how)))
    });
    rows.count("ratio of sums, blocks", memory, 1_000, memory.mean(), |random, how| {
        let pairs = pairs(memory, SMOOTH, 1_000, random);
        ends(block_bootstrap(Estimand::RatioOfSums(&pairs), None, &few(how)))
    });
}

fn of_clusters(rows: &mut Rows) {
    const A_RUN: usize = 30;
    let few = |how: Resampling| how.with_replicates(how.replicates.min(399));
    let arm = |runs: usize, random: &mut Random| -> Vec<(f64, f64)> {
        let mut run = |_| {
            let luck = (0.03 * random.normal()).exp();
            let rates = Data::LogNormal(0.3).draw(A_RUN, random);
            let under = SMOOTH.draw(A_RUN, random);
            rates.into_iter().zip(under).map(move |(rate, x)| (luck * rate * x, x))
        };
        (0..runs).flat_map(&mut run).collect()
    };
    let data = Data::LogNormal(0.3);
    for runs in [5, 10] {
        let sizes = vec![A_RUN; runs];
        rows.count(
            "ratio of two ratios of sums, runs drawn whole",
            data,
            runs,
            1.0,
            |random, how| {
                let (a, b) = (arm(runs, random), arm(runs, random));
                let (a, b) = (Estimand::RatioOfSums(&a), Estimand::RatioOfSums(&b));
                ends(cluster_ratio((a, &sizes), (b, &sizes), Within::Kept, &few(how)))
            },
        );
        rows.count("ratio of medians, runs drawn whole", data, runs, 1.0, |random, how| {
            let rates = |arm: Vec<(f64, f64)>| arm.iter().map(|(y, x)| y / x).collect::<Vec<_>>();
            let (a, b) = (rates(arm(runs, random)), rates(arm(runs, random)));
            let (a, b) = (Estimand::Quantile(&a, 0.5), Estimand::Quantile(&b, 0.5));
            ends(cluster_ratio((a, &sizes), (b, &sizes), Within::Kept, &few(how)))
        });
    }
}
