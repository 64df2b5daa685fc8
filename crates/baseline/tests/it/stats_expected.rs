//! Figures of scipy and statsmodels, written by `scripts/expected/stats.py`.

use std::collections::BTreeMap;

use serde_json::Value;
use trueline_baseline::stats;

/// What a row gives to a function.
struct Given<'a>(&'a Value);

impl Given<'_> {
    fn list(&self, name: &str) -> Vec<f64> {
        let values = self.0[name].as_array().unwrap_or_else(|| panic!("no {name}"));
        values.iter().map(|v| v.as_f64().unwrap()).collect()
    }

    fn real(&self, name: &str) -> f64 {
        self.0[name].as_f64().unwrap_or_else(|| panic!("no {name}"))
    }

    fn count(&self, name: &str) -> u64 {
        self.0[name].as_u64().unwrap_or_else(|| panic!("no {name}"))
    }

    fn size(&self, name: &str) -> usize {
        usize::try_from(self.count(name)).unwrap()
    }

    fn arms(&self) -> (Vec<f64>, Vec<f64>) {
        (self.list("a"), self.list("b"))
    }
}

type Figures = BTreeMap<&'static str, f64>;

fn figures<const N: usize>(named: [(&'static str, f64); N]) -> Figures {
    named.into()
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn real(n: u64) -> f64 {
    n as f64
}

fn distributions(function: &str, given: &Given<'_>) -> Option<Figures> {
    Some(match function {
        "normal_cdf" => figures([("p", stats::normal_cdf(given.real("x")))]),
        "normal_quantile" => figures([("x", stats::normal_quantile(given.real("p"))?)]),
        "t_quantile" => figures([("t", stats::t_quantile(given.real("p"), given.real("df"))?)]),
        "t_cdf" => figures([("p", stats::t_cdf(given.real("t"), given.real("df"))?)]),
        "binomial" => {
            let (k, n, q) = (given.count("k"), given.count("n"), given.real("q"));
            figures([
                ("at_most", stats::binomial_at_most(k, n, q)),
                ("at_least", stats::binomial_at_least(k, n, q)),
                ("exactly", stats::binomial(k, n, q)),
            ])
        }
        "share_interval" => {
            let (events, n) = (given.count("events"), given.count("n"));
            let (low, high) = stats::share_interval(events, n, given.real("confidence"))?;
            figures([("low", low), ("high", high)])
        }
        "all_among_lowest" => {
            let (n, k, w) = (given.count("n"), given.count("k"), given.count("w"));
            figures([("p", stats::all_among_lowest(n, k, w))])
        }
        "kolmogorov" => figures([("p", stats::kolmogorov(given.real("x")))]),
        _ => return None,
    })
}

fn ranks(function: &str, given: &Given<'_>) -> Option<Figures> {
    Some(match function {
        "mann_whitney" => {
            let (a, b) = given.arms();
            let (exact, normal) =
                (stats::mann_whitney(&a, &b)?, stats::mann_whitney_normal(&a, &b)?);
            assert_ne!(exact.method, stats::RankMethod::Normal);
            figures([
                ("u", exact.u),
                ("p", exact.p),
                ("p_greater", exact.p_greater),
                ("p_less", exact.p_less),
                ("normal_p", normal.p),
                ("normal_greater", normal.p_greater),
                ("normal_less", normal.p_less),
            ])
        }
        "brunner_munzel" => {
            let (a, b) = given.arms();
            let test = stats::brunner_munzel(&a, &b)?;
            figures([("statistic", test.statistic), ("p", test.p)])
        }
        "hodges_lehmann" => {
            let (a, b) = given.arms();
            let shift = stats::hodges_lehmann(&a, &b, given.real("confidence"))?;
            let mut found = figures([("estimate", shift.estimate)]);
            if let Some(interval) = shift.interval {
                found.extend([
                    ("low", interval.low),
                    ("high", interval.high),
                    ("order", real(interval.order)),
                    ("coverage", interval.coverage),
                ]);
            }
            found
        }
        "signed_rank" => {
            let test = stats::signed_rank(&given.list("d"))?;
            let (v, p) = (test.v, test.p);
            figures([("v", v), ("p", p), ("p_greater", test.p_greater), ("p_less", test.p_less)])
        }
        "paired_ratio" => {
            let (a, b) = given.arms();
            let paired = stats::paired_ratio(&a, &b, 0.95)?;
            let (signed, student) = (paired.signed_rank?, paired.student?);
            figures([
                ("ratio", paired.ratio),
                ("walsh_ratio", paired.walsh_ratio),
                ("sign_p", paired.sign_p?),
                ("signed_p", signed.p),
                ("signed_greater", signed.p_greater),
                ("student_p", student.p),
                ("student_low", student.interval.0),
                ("student_high", student.interval.1),
            ])
        }
        "trend" => {
            let trend = stats::trend(&given.list("values"))?;
            figures([("tau", trend.tau), ("p", trend.p), ("slope", trend.slope)])
        }
        _ => return None,
    })
}

fn distances(function: &str, given: &Given<'_>) -> Option<Figures> {
    Some(match function {
        "kolmogorov_smirnov" => {
            let (a, b) = given.arms();
            let test = stats::kolmogorov_smirnov(&a, &b)?;
            figures([("d", test.d), ("p", test.p)])
        }
        "distance" => {
            let (a, b) = given.arms();
            let energy = stats::energy_distance(&a, &b)?;
            figures([("wasserstein", stats::wasserstein(&a, &b)?), ("energy", energy)])
        }
        "weighted_wasserstein" => {
            let weighed = |values: &str, weights: &str| -> Vec<(f64, f64)> {
                given.list(values).into_iter().zip(given.list(weights)).collect()
            };
            let distance = stats::weighted_wasserstein(&weighed("a", "wa"), &weighed("b", "wb"));
            figures([("distance", distance?)])
        }
        "stability_index" => {
            let mix = |name: &str| {
                let counts = given.0[name].as_array()?.iter().filter_map(Value::as_u64);
                let mut values = Vec::new();
                for (bucket, n) in (0_u32..).zip(counts) {
                    values.extend((0..n).map(|_| (f64::from(bucket), 1.0)));
                }
                let edges =
                    (1..u32::try_from(given.0[name].as_array()?.len()).ok()?).map(f64::from);
                stats::Mix::of(&values, &edges.collect::<Vec<_>>())
            };
            let by = stats::WeighedBy::Requests;
            figures([("index", stats::stability_index(&mix("usual")?, &mix("other")?, by)?)])
        }
        _ => return None,
    })
}

fn ratios(function: &str, given: &Given<'_>) -> Option<Figures> {
    Some(match function {
        "ratio_of_means" => {
            let (a, b) = given.arms();
            let estimate = stats::ratio_of_means(&a, &b, 0.95)?;
            let (low, high) = estimate.interval?;
            figures([("p", estimate.p?), ("df", estimate.df?), ("low", low), ("high", high)])
        }
        "equivalence" => {
            let (a, b) = given.arms();
            figures([("p", stats::equivalence(&a, &b, given.real("margin"), 0.05)?.p)])
        }
        "fieller" => {
            let (a, b) = given.arms();
            let ratio = stats::ratio_of_arithmetic_means(&a, &b, 0.95)?;
            let (low, high) = ratio.interval?;
            figures([("ratio", ratio.ratio), ("low", low), ("high", high)])
        }
        "ratio_of_sums" => {
            let pairs: Vec<(f64, f64)> =
                given.list("tokens").into_iter().zip(given.list("seconds")).collect();
            let rate = stats::ratio_of_sums(&pairs, 0.95)?;
            figures([("ratio", rate.ratio), ("standard_error", rate.standard_error?)])
        }
        "fisher_exact" => {
            let (first, second) =
                ((given.count("k"), given.count("n")), (given.count("k2"), given.count("n2")));
            figures([("p", stats::fisher_exact(first, second)?)])
        }
        _ => return None,
    })
}

fn plans(function: &str, given: &Given<'_>) -> Option<Figures> {
    Some(match function {
        "runs_for_precision" => {
            let (cv, half_width) = (given.real("cv"), given.real("half_width"));
            let n = stats::runs_for_precision(cv, half_width, given.real("confidence"))?;
            figures([("n", real(n))])
        }
        "runs_to_show" => {
            let (cv, difference) = (given.real("cv"), given.real("difference"));
            figures([("n", real(stats::runs_to_show(cv, difference, 0.8, 0.05)?))])
        }
        "rounds_to_show" => {
            let (spread, difference) = (given.real("spread"), given.real("difference"));
            let confidence = given.real("confidence");
            let n = stats::rounds_to_show(spread, difference, 0.8, confidence)?;
            figures([("n", real(n as u64))])
        }
        "power_of_runs" => {
            let (cv, difference) = (given.real("cv"), given.real("difference"));
            let n = (given.count("n"), given.count("n2"));
            figures([("power", stats::power_of_runs(cv, difference, n, 0.05)?)])
        }
        "false_alarms" => figures([("share", stats::false_alarms(&given.list("bounds"))?)]),
        "best_of_inflation" => {
            figures([("share", stats::best_of_inflation(given.count("n"), given.real("cv"))?)])
        }
        _ => return None,
    })
}

fn quantiles(function: &str, given: &Given<'_>) -> Option<Figures> {
    Some(match function {
        "quantile" => {
            let (values, q) = (given.list("values"), given.real("q"));
            let mut found = figures([
                ("type7", stats::quantile(&values, q)?),
                ("type8", stats::quantile_type8(&values, q)?),
            ]);
            if values.len() > 1 {
                found.extend(stats::harrell_davis(&values, q).map(|x| ("harrell_davis", x)));
            }
            found
        }
        "interval_orders" => {
            let (n, q) = (given.size("n"), given.real("q"));
            let (low, high, coverage) = stats::interval_orders(n, q, given.real("confidence"))?;
            figures([
                ("low", real(low as u64)),
                ("high", real(high as u64)),
                ("coverage", coverage),
            ])
        }
        "tail_estimate" => {
            let sorted: Vec<f64> = (0..given.count("n")).map(real).collect();
            let tail = stats::tail_estimate(&sorted, given.real("q"), 0.99)?;
            figures([("from_top", real(tail.from_top))])
        }
        _ => return None,
    })
}

fn close(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found - wanted).abs() <= tolerance * wanted.abs().max(1e-12)
        || (wanted.abs() < 1.0 && found.to_bits() == wanted.to_bits())
}

#[test]
fn figures_agree_with_scipy_and_statsmodels() {
    let rows: Value = serde_json::from_str(include_str!("../data/stats.json")).unwrap();
    let roads = [distributions, ranks, distances, ratios, plans, quantiles];
    let mut compared = 0;
    let mut off = Vec::new();
    for row in rows.as_array().unwrap() {
        let (function, given) = (row["function"].as_str().unwrap(), Given(&row["given"]));
        let tolerance = row["tolerance"].as_f64().unwrap();
        if matches!(function, "adjusted" | "quantile_ratios") {
            compared += lists(function, &given, &Given(&row["expected"]), tolerance);
            continue;
        }
        let Some(found) = roads.iter().find_map(|road| road(function, &given)) else {
            off.push(format!("{function} gives nothing for {}", row["given"]));
            continue;
        };
        let wanted = row["expected"].as_object().unwrap();
        if !found.keys().copied().eq(wanted.keys().map(String::as_str)) {
            off.push(format!("{function}: {found:?} for {wanted:?}"));
        }
        for (name, found) in found {
            let wanted = wanted.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
            if !close(found, wanted, tolerance) {
                off.push(format!("{function}.{name}: {found:e} for {wanted:e}, {}", row["given"]));
            }
            compared += 1;
        }
    }
    assert!(off.is_empty(), "{}", off.join("\n"));
    // Counted when the file was written: a reader that skips rows proves nothing.
    assert!(compared >= 600, "{compared}");
}

/// Functions that give a list.
fn lists(function: &str, given: &Given<'_>, wanted: &Given<'_>, tolerance: f64) -> usize {
    let found = if function == "adjusted" {
        let ps = given.list("ps");
        vec![
            ("bonferroni", stats::bonferroni(&ps).unwrap()),
            ("holm", stats::holm(&ps).unwrap()),
            ("benjamini_hochberg", stats::benjamini_hochberg(&ps).unwrap()),
        ]
    } else {
        let (a, b) = given.arms();
        let ratios = stats::quantile_ratios(&a, &b, &[0.1, 0.5, 0.9], 0.95).unwrap();
        vec![
            ("ratios", ratios.iter().map(|r| r.ratio).collect()),
            ("ps", ratios.iter().map(|r| r.p).collect()),
            ("lows", ratios.iter().map(|r| r.interval.0).collect()),
        ]
    };
    let mut compared = 0;
    for (name, found) in found {
        let wanted = wanted.list(name);
        assert_eq!(found.len(), wanted.len(), "{name}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(close(*found, wanted, tolerance), "{name}: {found} for {wanted}");
            compared += 1;
        }
    }
    compared
}
