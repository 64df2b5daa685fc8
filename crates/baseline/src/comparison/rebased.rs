//! A ratio over one thing, carried over to another by ratios that were measured.

use trueline_core::number::short;
use trueline_core::{Checked, Claim, Finding, Link, Outcomes, Scope, Severity, Thresholds};

use super::links::{own_link, path};
use crate::checks::DIFFERENT_BASELINE;
use crate::stats::{MeasuredRatio, chain, closes};

/// The confidence of the intervals that links state, and of the one that follows.
const CONFIDENCE: f64 = 0.95;

/// The normal deviate of such an interval.
const Z: f64 = 1.959_964;

/// A ratio carried over to another baseline.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Rebased {
    /// What is above the line.
    pub of: String,
    /// What is below the line now.
    pub over: String,
    /// The product of the ratios.
    pub ratio: f64,
    /// Its interval at 95 %; `None` where one of the ratios has none.
    pub interval: Option<(f64, f64)>,
    /// How far apart the two measurements of what two neighbouring ratios share lie, in standard
    /// errors, the widest of all; `None` where one of them is not known with its interval.
    pub closure_z: Option<f64>,
}

/// Carries a claim's ratio over to what the reader runs, where the missing ratio was measured.
///
/// # Formula
/// The product of the claim's ratio and of the links that lead from its baseline to the incumbent,
/// either way round. On logarithms the variances add, each `(ln(high / low) / 2z)^2`. What two
/// neighbouring ratios share was measured twice, `a` and `b`: they agree where
/// `|ln(a / b)| <= z sqrt(va + vb)`, else the product is refused. Where both are the same
/// measurement it cancels, and twice its variance is taken away.
///
/// # Shape
/// `own` is the claim's ratio as it was measured, if it was; else the chain's own link of it, else
/// the claim's value and interval. The value is `None` for a claim that names no baseline and
/// incumbent, that is over what the reader runs already, or that is refused. Where what is shared
/// cannot be tested a note says so.
///
/// # Source
/// [`chain`] and [`closes`]: the propagation of errors to first order.
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::rebase_ratio;
/// use trueline_core::{Claim, ClaimKind, Link, Thresholds};
/// let mut claim = Claim::new("c", ClaimKind::Relative, "1.3x over the library");
/// claim.value = Some(1.3);
/// claim.baseline = Some("library".into());
/// claim.incumbent = Some("engine".into());
/// let none = Thresholds::default();
/// assert!(rebase_ratio(&claim, None, &none).outcomes.has("different-baseline"));
/// claim.chain = vec![Link::new(1.1, "library", "engine")];
/// let rebased = rebase_ratio(&claim, None, &none).value.unwrap();
/// assert!((rebased.ratio - 1.43).abs() < 1e-12);
/// ```
pub fn rebase_ratio(
    claim: &Claim,
    own: Option<Link>,
    thresholds: &Thresholds,
) -> Checked<Option<Rebased>> {
    let check = &DIFFERENT_BASELINE;
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let (Some(baseline), Some(incumbent)) = (&claim.baseline, &claim.incumbent) else {
        return Checked { value: None, outcomes };
    };
    if baseline == incumbent {
        outcomes.clear(check, about);
        return Checked { value: None, outcomes };
    }
    let own = own.or_else(|| own_link(claim, baseline));
    let of = own.as_ref().map(|link| link.of.clone()).or_else(|| claim.of.clone());
    let Some(path) = path(&claim.chain, baseline, incumbent, of.as_deref()) else {
        outcomes.found(nobody_measured(claim, baseline, incumbent));
        return Checked { value: None, outcomes };
    };
    let Some(own) = own else {
        // There is a way, and no ratio to carry.
        outcomes.clear(check, about);
        return Checked { value: None, outcomes };
    };
    let factors: Vec<Link> = std::iter::once(own).chain(path).collect();
    let limit = thresholds.get(check, "closure_z");
    match joined(&factors, incumbent) {
        Err(bad) => {
            outcomes.found(
                Finding::new(check, about, format!("{bad} is no ratio: the chain gives none"))
                    .with("ratio", bad),
            );
            Checked { value: None, outcomes }
        }
        Ok((rebased, widest)) => match widest.and_then(|shared| Some((shared.z?, shared))) {
            Some((z, shared)) if z > limit => {
                outcomes.found(open(claim, &factors, &rebased, (&shared, z)));
                Checked { value: None, outcomes }
            }
            _ => {
                if rebased.closure_z.is_some() {
                    outcomes.clear(check, about);
                } else {
                    outcomes.found(untested(claim, &factors, &rebased));
                }
                Checked { value: Some(rebased), outcomes }
            }
        },
    }
}

fn nobody_measured(claim: &Claim, baseline: &str, incumbent: &str) -> Finding {
    let value = claim.value.map_or(String::new(), |v| format!("{v}x "));
    Finding::new(
        &DIFFERENT_BASELINE,
        Scope::of_claim(&claim.id),
        format!(
            "{value}is over {baseline}; what you run is {incumbent}, and nobody measured \
             {baseline} / {incumbent}: it cannot be converted"
        ),
    )
    .with("baseline", baseline)
    .with("incumbent", incumbent)
    .with("missing_ratio", format!("{baseline} / {incumbent}"))
    .advising(format!(
        "measure {baseline} and {incumbent} under the same conditions before converting it"
    ))
}

fn open(
    claim: &Claim,
    factors: &[Link],
    rebased: &Rebased,
    (shared, z): (&Shared, f64),
) -> Finding {
    let what = &shared.what;
    Finding::new(
        &DIFFERENT_BASELINE,
        Scope::of_claim(&claim.id),
        format!(
            "{what} was {} beside one arm and {} beside the other, {:.1} standard errors apart: {} \
             does not hold, only the ratios by themselves",
            short(shared.first, 4),
            short(shared.second, 4),
            z,
            product(factors, rebased)
        ),
    )
    .with("shared", what.as_str())
    .with("first", shared.first)
    .with("second", shared.second)
    .with("z", z)
    .advising(format!("measure all arms in one session, {what} once for both ratios"))
}

fn untested(claim: &Claim, factors: &[Link], rebased: &Rebased) -> Finding {
    Finding::new(
        &DIFFERENT_BASELINE,
        Scope::of_claim(&claim.id),
        format!(
            "{} rests on what the ratios share being the same in both: nobody says what it was \
             measured at",
            product(factors, rebased)
        ),
    )
    .at(Severity::Note)
    .with("ratio", rebased.ratio)
    .advising("state over_value and of_value of the links, with their intervals")
}

/// `1.3 x 1.1 = 1.43x over engine`.
fn product(factors: &[Link], rebased: &Rebased) -> String {
    let ratios: Vec<String> = factors.iter().map(|link| short(link.ratio, 3)).collect();
    format!("{} = {}x over {}", ratios.join(" x "), short(rebased.ratio, 3), rebased.over)
}

/// What two neighbouring ratios share, as it was measured for each.
#[derive(Debug, Clone)]
struct Shared {
    what: String,
    first: f64,
    second: f64,
    z: Option<f64>,
    /// The variance that cancels, where both are one measurement.
    cancels: f64,
}

/// The product of neighbouring ratios, and the widest gap between what they share; a ratio that is
/// none is the error.
fn joined(factors: &[Link], over: &str) -> Result<(Rebased, Option<Shared>), f64> {
    if let Some(bad) = factors.iter().find(|link| !(link.ratio.is_finite() && link.ratio > 0.0)) {
        return Err(bad.ratio);
    }
    let ratio = factors.iter().map(|link| link.ratio.ln()).sum::<f64>().exp();
    let pairs = factors.iter().zip(factors.iter().skip(1));
    let shared: Vec<Option<Shared>> = pairs.map(|(a, b)| Shared::of(a, b)).collect();
    let cancels: f64 = shared.iter().flatten().map(|s| s.cancels).sum();
    let errors: Option<Vec<f64>> =
        factors.iter().map(|link| standard_error(link.interval)).collect();
    let interval = errors.and_then(|errors| {
        let variance: f64 = errors.iter().map(|error| error * error).sum();
        let standard_error_ln = (variance - 2.0 * cancels).max(0.0).sqrt();
        Some(chain(&[MeasuredRatio { ratio, standard_error_ln }], CONFIDENCE)?.interval)
    });
    let zs: Option<Vec<f64>> = shared.iter().map(|s| s.as_ref()?.z).collect();
    let closure_z = zs.and_then(|all| all.into_iter().reduce(f64::max));
    let of = factors.first().map_or(String::new(), |link| link.of.clone());
    let widest = shared
        .into_iter()
        .flatten()
        .max_by(|a, b| a.z.unwrap_or(-1.0).total_cmp(&b.z.unwrap_or(-1.0)));
    Ok((Rebased { of, over: over.to_owned(), ratio, interval, closure_z }, widest))
}

impl Shared {
    fn of(a: &Link, b: &Link) -> Option<Self> {
        let usable = |x: &f64| x.is_finite() && *x > 0.0;
        let first = a.over_value.filter(usable)?;
        let second = b.of_value.filter(usable)?;
        let errors = standard_error(a.over_interval).zip(standard_error(b.of_interval));
        let one = (first / second).ln().abs() < 1e-12 && a.over_interval == b.of_interval;
        let measured = |ratio, standard_error_ln| MeasuredRatio { ratio, standard_error_ln };
        let z = match errors {
            _ if one => Some(0.0),
            Some((ea, eb)) => {
                closes(measured(first, ea), measured(second, eb)).map(|closure| closure.z.abs())
            }
            None => None,
        };
        let cancels = errors.filter(|_| one).map_or(0.0, |(error, _)| error * error);
        Some(Self { what: a.over.clone(), first, second, z, cancels })
    }
}

/// The standard error of a logarithm, by its 95 % interval.
fn standard_error(interval: Option<(f64, f64)>) -> Option<f64> {
    let (low, high) = interval?;
    let error = (high / low).ln() / (2.0 * Z);
    (low > 0.0 && error.is_finite() && error >= 0.0).then_some(error)
}

#[cfg(test)]
mod tests {
    use trueline_core::ClaimKind;

    use super::*;

    fn claim(value: f64) -> Claim {
        let mut claim = Claim::new("c", ClaimKind::Relative, "text");
        claim.value = Some(value);
        claim.of = Some("candidate".into());
        claim.baseline = Some("library".into());
        claim.incumbent = Some("engine".into());
        claim
    }

    fn rebase(claim: &Claim) -> Checked<Option<Rebased>> {
        rebase_ratio(claim, None, &Thresholds::default())
    }

    /// An interval of so many standard errors, each a share of the value.
    fn about(value: f64, se: f64) -> (f64, f64) {
        let reach = Z * se / value;
        (value * (-reach).exp(), value * reach.exp())
    }

    #[test]
    fn a_chain_carries_the_errors_of_its_links() {
        // 1.30 +/- 0.04 times 1.10 +/- 0.03: by hand sqrt((0.04/1.3)^2 + (0.03/1.1)^2) = 0.041115,
        // and 1.43 times exp(-/+ 1.96 x 0.041115) is [1.31928, 1.55001].
        let mut c = claim(1.30);
        c.interval = Some(about(1.30, 0.04));
        let (low, high) = about(1.10, 0.03);
        c.chain = vec![Link::new(1.10, "library", "engine").with_interval(low, high)];
        let rebased = rebase(&c).value.unwrap();
        assert!((rebased.ratio - 1.43).abs() < 1e-12);
        let (low, high) = rebased.interval.unwrap();
        assert!((low - 1.31928).abs() < 1e-5 && (high - 1.55001).abs() < 1e-5, "{low} {high}");
        // The other way round it is the same chain.
        let (low, high) = about(1.10, 0.03);
        c.chain =
            vec![Link::new(1.0 / 1.1, "engine", "library").with_interval(1.0 / high, 1.0 / low)];
        let turned = rebase(&c).value.unwrap();
        assert!((turned.interval.unwrap().1 - 1.55001).abs() < 1e-5);
    }

    /// A chain whose library was measured at two values, each with a standard error of 1.
    fn shared(first: f64, second: f64) -> Claim {
        let mut c = claim(1.30);
        let mut own = Link::new(1.30, "candidate", "library").with_interval(1.22, 1.38);
        own.over_value = Some(first);
        own.over_interval = Some(about(first, 1.0));
        let mut link = Link::new(1.10, "library", "engine").with_interval(1.04, 1.16);
        link.of_value = Some(second);
        link.of_interval = Some(about(second, 1.0));
        c.chain = vec![own, link];
        c
    }

    #[test]
    fn two_measurements_of_what_is_shared_must_agree() {
        // ln(40/42) = -0.0488; sqrt(0.025^2 + 0.0238^2) = 0.0345: 1.41 standard errors.
        let near = rebase(&shared(40.0, 42.0));
        assert!((near.value.unwrap().closure_z.unwrap() - 1.4135).abs() < 1e-3);
        assert_eq!(near.outcomes.findings().count(), 0);
        // ln(40/44) = -0.0953; sqrt(0.025^2 + 0.0227^2) = 0.0338: 2.82.
        let far = rebase(&shared(40.0, 44.0));
        assert_eq!(far.value, None);
        let finding = far.outcomes.findings().next().unwrap();
        assert_eq!(finding.severity, Severity::Error);
        assert!(
            finding.message.contains("40 beside one arm and 44 beside the other, 2.8 standard")
        );
        assert!(finding.message.contains("1.3 x 1.1 = 1.43x over engine does not hold"));
    }

    #[test]
    fn one_measurement_of_what_is_shared_cancels() {
        let rebased = rebase(&shared(40.0, 40.0)).value.unwrap();
        let (low, high) = rebased.interval.unwrap();
        // Variances by hand: (ln(1.38/1.22)/3.92)^2 = 0.000988, (ln(1.16/1.04)/3.92)^2 = 0.000776,
        // less twice 0.025^2: 0.000514; half width 1.96 x 0.0227 = 0.0444.
        assert!(((high / low).ln() / 2.0 - 0.0444).abs() < 5e-4, "{low} {high}");
        assert!(rebased.closure_z.unwrap().abs() < 1e-12);
    }

    #[test]
    fn a_ratio_over_something_else_counts_only_with_the_linking_ratio() {
        let mut c = claim(1.79);
        c.incumbent = None;
        assert_eq!(rebase(&c).outcomes.iter().count(), 0);
        c.incumbent = Some("engine".into());
        let got = rebase(&c);
        let finding = got.outcomes.findings().next().unwrap();
        assert!(finding.message.contains("nobody measured library / engine"));
        c.chain = vec![Link::new(0.7, "library", "engine")];
        let linked = rebase(&c);
        assert_eq!(linked.outcomes.findings().next().unwrap().severity, Severity::Note);
        assert_eq!(linked.value.unwrap().interval, None);
        c.chain = vec![Link::new(1.79, "candidate", "library")];
        assert!(rebase(&c).outcomes.has("different-baseline"));
        // The candidate is no way from one baseline to another.
        c.chain.push(Link::new(1.5, "candidate", "engine"));
        assert!(rebase(&c).value.is_none());
        c.incumbent = Some("library".into());
        assert!(!rebase(&c).outcomes.has("different-baseline"));
    }

    #[test]
    fn several_links_make_a_way_and_bad_ones_make_none() {
        let mut c = claim(2.0);
        c.chain = vec![Link::new(3.0, "other", "engine"), Link::new(0.5, "library", "other")];
        assert!((rebase(&c).value.unwrap().ratio - 3.0).abs() < 1e-12);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            c.chain = vec![Link::new(bad, "library", "engine")];
            let got = rebase(&c);
            assert!(got.value.is_none() && got.outcomes.has("different-baseline"), "{bad}");
        }
        // A circle leads nowhere and ends.
        c.chain = vec![Link::new(1.0, "library", "a"), Link::new(1.0, "a", "library")];
        assert!(rebase(&c).value.is_none());
    }
}
