//! Figures of scipy, statsmodels and arch, written by `scripts/expected/resampling.py`.

use std::collections::BTreeMap;

use serde_json::Value;
use trueline_baseline::stats::{
    self, Estimand, Random, Resampled, Resampling, Within, block_variance,
};

fn list(given: &Value, name: &str) -> Vec<f64> {
    let values = given[name].as_array().unwrap_or_else(|| panic!("no {name}"));
    values.iter().map(|value| value.as_f64().unwrap()).collect()
}

fn size(given: &Value, name: &str) -> usize {
    given[name]
        .as_u64()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or_else(|| panic!("no {name}"))
}

fn pairs(given: &Value) -> Vec<(f64, f64)> {
    list(given, "over").into_iter().zip(list(given, "under")).collect()
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn real(n: u64) -> f64 {
    n as f64
}

type Figures = BTreeMap<&'static str, f64>;

fn ends(of: Option<Resampled>) -> Option<Figures> {
    let (low, high) = of?.interval;
    Some([("low", low), ("high", high)].into())
}

fn of_series(values: &[f64]) -> Option<Figures> {
    let size = stats::effective_size(values)?;
    let mut figures: Figures = [
        ("r1", stats::autocorrelation(values, 1)?),
        ("r5", stats::autocorrelation(values, 5)?),
        ("tau", size.tau),
        ("effective", size.effective),
        ("variance1", block_variance(values, 1)?),
        ("variance3", block_variance(values, 3)?),
        ("variance7", block_variance(values, 7)?),
    ]
    .into();
    for (lags, q, p) in [(1, "q1", "p1"), (8, "q8", "p8")] {
        let test = stats::ljung_box(values, lags)?;
        figures.extend([(q, test.q), (p, test.p)]);
    }
    let length = stats::block_length(values)?;
    figures.extend([("stationary", length.stationary), ("circular", length.circular)]);
    Some(figures)
}

fn found(function: &str, given: &Value) -> Option<Figures> {
    let how = Resampling::default().with_replicates(8_000);
    match function {
        "series" => of_series(&list(given, "values")),
        "block_variance" => {
            let variance = block_variance(&list(given, "values"), size(given, "length"))?;
            Some([("variance", variance)].into())
        }
        "components" => {
            let runs = given["runs"].as_array()?.iter();
            let runs: Vec<Vec<f64>> = runs
                .map(|run| run.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect())
                .collect();
            let got = stats::components(&runs)?;
            Some(
                [
                    ("within", got.within),
                    ("between", got.between),
                    ("icc", got.icc),
                    ("design_effect", got.design_effect),
                    ("half_width", got.half_width),
                ]
                .into(),
            )
        }
        "label_test" => {
            let got = stats::label_test(&list(given, "a"), &list(given, "b"), 1)?;
            Some([("p", got.p), ("ways", real(got.ways))].into())
        }
        "bootstrap_quantile" => {
            let values = list(given, "values");
            let of = Estimand::Quantile(&values, given["q"].as_f64()?);
            ends(stats::bootstrap(of, &how))
        }
        "bootstrap_ratio_of_medians" => {
            let (a, b) = (list(given, "a"), list(given, "b"));
            let (a, b) = (Estimand::Quantile(&a, 0.5), Estimand::Quantile(&b, 0.5));
            ends(stats::bootstrap_ratio(a, b, &how))
        }
        "bootstrap_mean" => ends(stats::bootstrap(Estimand::Mean(&list(given, "values")), &how)),
        "bootstrap_ratio_of_sums" => {
            ends(stats::bootstrap(Estimand::RatioOfSums(&pairs(given)), &how))
        }
        "cluster_ratio_of_sums" => {
            let sizes: Vec<usize> = vec![20; given["sizes"].as_array()?.len()];
            let of = pairs(given);
            let of = Estimand::RatioOfSums(&of);
            ends(stats::cluster_bootstrap(of, &sizes, Within::Kept, &how))
        }
        other => panic!("{other} is not known here"),
    }
}

/// The stream, bit for bit.
fn check_stream(function: &str, given: &Value, expected: &Value) {
    let mut random = Random::seeded(given["seed"].as_u64().unwrap());
    if function == "bits" {
        for bits in expected["bits"].as_array().unwrap() {
            assert_eq!(Some(random.bits()), bits.as_u64());
        }
    } else {
        let n = size(given, "n");
        for drawn in expected["drawn"].as_array().unwrap() {
            assert_eq!(Some(random.below(n) as u64), drawn.as_u64());
        }
    }
}

#[test]
fn resampling_agrees_with_scipy_statsmodels_and_arch() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../data/resampling.json")).unwrap();
    let mut compared = 0;
    for row in &rows {
        let (function, given) = (row["function"].as_str().unwrap(), &row["given"]);
        if matches!(function, "bits" | "below") {
            check_stream(function, given, &row["expected"]);
            compared += 1;
            continue;
        }
        let got = found(function, given).unwrap_or_default();
        for (name, wanted) in row["expected"].as_object().unwrap() {
            let wanted = wanted.as_f64().unwrap();
            let got = got.get(name.as_str()).unwrap_or_else(|| panic!("{function}: no {name}"));
            let slack = row["tolerance"].as_f64().unwrap() * wanted.abs().max(1e-300);
            let near = (got - wanted).abs() <= slack.max(1e-13);
            assert!(near, "{function} {name}: {got}, expected {wanted}");
            compared += 1;
        }
    }
    assert!(compared > 120, "{compared}");
}
