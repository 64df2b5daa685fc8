//! The short form of a claim: one line of text.

use trueline_core::{Claim, ClaimKind, Load, Metric, Quantity, Statistic};

use super::{ClaimError, implied_kind, quantity_text};

/// Reads a claim in short form.
///
/// Forms: `METRIC = NUMBER`, `METRIC ratio NUMBER over NAME`, `METRIC = NUMBER aligns with METRIC =
/// NUMBER`, each with `at concurrency N` or `at rate R` behind it. A statistic follows a metric
/// with a dot.
///
/// # Errors
/// Text in no such form, an unknown metric or statistic, a number that is not finite.
///
/// # Examples
/// ```
/// use trueline::claims::parse_claim;
/// let claim = parse_claim("claim-1", "tpot_ms.p99 = 83.8 at concurrency 256").unwrap();
/// assert_eq!(claim.value, Some(0.0838));
/// assert_eq!(claim.load.unwrap().to_string(), "concurrency 256");
/// ```
pub fn parse_claim(id: &str, text: &str) -> Result<Claim, ClaimError> {
    let (body, load) = match text.rsplit_once(" at ") {
        Some((body, load)) => {
            let load: Load = load.trim().parse().map_err(|e| ClaimError(format!("{e}")))?;
            (body.trim(), Some(load))
        }
        None => (text.trim(), None),
    };
    let mut claim = if let Some((left, right)) = body.split_once(" aligns with ") {
        aligned(id, left, right)?
    } else if let Some((metric, rest)) = body.split_once(" ratio ") {
        ratio(id, metric, rest)?
    } else {
        let (metric, statistic, value) = quantity(body)?;
        let kind = implied_kind(statistic, false);
        let mut claim = Claim::new(id, kind, quantity_text(value, metric, statistic, None));
        claim.metric = Some(metric);
        claim.statistic = statistic;
        claim.value = Some(value);
        claim
    };
    if let Some(load) = load {
        claim.text += &format!(" at {load}");
        claim.load = Some(load);
    }
    Ok(claim)
}

/// Reads the name of a quantity: a metric, and a statistic behind a dot.
///
/// # Errors
/// An unknown metric or statistic.
///
/// # Examples
/// ```
/// use trueline::claims::parse_quantity;
/// let (metric, statistic) = parse_quantity("ttft_s.p99").unwrap();
/// assert_eq!((metric.name(), statistic.unwrap().to_string()), ("ttft_s", "p99".into()));
/// ```
pub fn parse_quantity(name: &str) -> Result<(Metric, Option<Statistic>), ClaimError> {
    let (metric, statistic, _) = split_metric(name)?;
    Ok((metric, statistic))
}

fn ratio(id: &str, metric: &str, rest: &str) -> Result<Claim, ClaimError> {
    let (value, over) = rest.split_once(" over ").ok_or_else(|| {
        ClaimError(format!("expected \"METRIC ratio NUMBER over NAME\", found {rest:?}"))
    })?;
    let (metric, statistic, _) = split_metric(metric)?;
    let value = number(value)?;
    let over = over.trim();
    let (_, what) = metric.words();
    let mut claim = Claim::new(id, ClaimKind::Relative, format!("{value}x {what} over {over}"));
    claim.metric = Some(metric);
    claim.statistic = statistic;
    claim.value = Some(value);
    claim.baseline = Some(over.to_owned());
    Ok(claim)
}

/// “A aligns with B” is a ratio of 1 between two quantities; what it needs is one meaning.
fn aligned(id: &str, left: &str, right: &str) -> Result<Claim, ClaimError> {
    let (metric, statistic, value) = quantity(left)?;
    let (other, other_statistic, other_value) = quantity(right)?;
    let text = format!(
        "{} aligns with {}",
        quantity_text(value, metric, statistic, None),
        quantity_text(other_value, other, other_statistic, None)
    );
    let mut claim = Claim::new(id, ClaimKind::Relative, text);
    claim.metric = Some(metric);
    claim.statistic = statistic;
    claim.value = (other_value != 0.0).then(|| value / other_value);
    claim.aligned = Some((
        Quantity::new(metric, statistic, value),
        Quantity::new(other, other_statistic, other_value),
    ));
    Ok(claim)
}

fn quantity(text: &str) -> Result<(Metric, Option<Statistic>, f64), ClaimError> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| ClaimError(format!("expected \"METRIC = NUMBER\", found {text:?}")))?;
    let (metric, statistic, factor) = split_metric(name)?;
    Ok((metric, statistic, scaled(number(value)?, factor)))
}

/// A metric with its statistic and the factor that brings its unit to ours.
pub(super) fn split_metric(name: &str) -> Result<(Metric, Option<Statistic>, f64), ClaimError> {
    let name = name.trim();
    let (name, statistic) = match name.split_once('.') {
        Some((name, statistic)) => {
            (name, Some(statistic.parse().map_err(|e| ClaimError(format!("{e}")))?))
        }
        None => (name, None),
    };
    let (metric, factor) = Metric::parse_with_unit(name).map_err(|e| ClaimError(e.to_string()))?;
    Ok((metric, statistic, factor))
}

/// A value in our unit, rounded so that 83.8 ms is 0.0838 s and not 0.08380000000000001.
pub(super) fn scaled(value: f64, factor: f64) -> f64 {
    if (factor - 1.0).abs() < f64::EPSILON {
        return value;
    }
    let per = factor.recip().round();
    value / per
}

fn number(text: &str) -> Result<f64, ClaimError> {
    let text = text.trim();
    text.parse()
        .ok()
        .filter(|x: &f64| x.is_finite())
        .ok_or_else(|| ClaimError(format!("expected a finite number, found {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_the_contract_are_read() {
        let c = parse_claim("c", "prefill_tok_per_s = 115").unwrap();
        assert_eq!(
            (c.kind, c.value, c.text.as_str()),
            (ClaimKind::Absolute, Some(115.0), "115 tok/s prefill")
        );
        let c = parse_claim("c", "output_tok_per_s ratio 1.79 over mlx-lm").unwrap();
        assert_eq!((c.kind, c.baseline.as_deref()), (ClaimKind::Relative, Some("mlx-lm")));
        assert_eq!(c.text, "1.79x output over mlx-lm");
        let c = parse_claim("c", "tpot_ms.p99 = 83.8 at concurrency 256").unwrap();
        assert_eq!((c.kind, c.value), (ClaimKind::Tail, Some(0.0838)));
        assert_eq!(c.load, Some(Load::Concurrency(256)));
        let c = parse_claim("c", "itl_ms.median = 74.7 aligns with tpot_ms.mean = 74.1").unwrap();
        assert_eq!(c.kind, ClaimKind::Relative);
        assert!((c.value.unwrap() - 74.7 / 74.1).abs() < 1e-12);
    }

    #[test]
    fn what_is_in_no_form_says_what_was_expected() {
        for (text, part) in [
            ("", "METRIC = NUMBER"),
            ("speed = 3", "expected a metric"),
            ("ttft_s = fast", "finite number"),
            ("ttft_s = NaN", "finite number"),
            ("ttft_s.p200 = 1", "expected a statistic"),
            ("ttft_s = 1 at noon", "expected a load"),
            ("ttft_s ratio 2", "over NAME"),
        ] {
            let error = parse_claim("c", text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
