//! “A aligns with B”: two numbers that are near each other and may not be the same quantity.

use trueline_core::{Claim, Finding, Outcomes, Quantity, Scope};

use super::checks::DEFINITION_MISMATCH;

/// Checks that two quantities said to agree are one quantity: same metric, same statistic.
///
/// # Shape
/// Nothing is recorded for a claim of another form.
pub fn check_aligned(claim: &Claim) -> Outcomes {
    let check = &DEFINITION_MISMATCH;
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let Some((left, right)) = &claim.aligned else { return outcomes };
    if left.metric == right.metric && left.statistic == right.statistic {
        outcomes.clear(check, about);
        return outcomes;
    }
    outcomes.found(
        Finding::new(
            check,
            about,
            format!(
                "{} and {} are two quantities: that they are near each other shows nothing",
                words(left),
                words(right)
            ),
        )
        .with("first", words(left))
        .with("second", words(right)),
    );
    outcomes
}

/// A quantity in words: `median ITL (gaps between chunks)`.
fn words(quantity: &Quantity) -> String {
    use trueline_core::Metric::{ItlS, TpotS};
    let what = match quantity.metric {
        ItlS => "ITL (a gap between chunks)",
        TpotS => "TPOT (decode time over tokens after the first, one a request)",
        other => other.words().1,
    };
    let statistic = quantity.statistic.map_or(String::new(), |s| format!("{s} "));
    format!("{statistic}{what}")
}

#[cfg(test)]
mod tests {
    use trueline_core::{ClaimKind, Metric, Statistic};

    use super::*;

    fn found(a: (Metric, Option<Statistic>), b: (Metric, Option<Statistic>)) -> bool {
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        let of = |(metric, statistic)| Quantity::new(metric, statistic, 0.074);
        claim.aligned = Some((of(a), of(b)));
        check_aligned(&claim).has("definition-mismatch")
    }

    #[test]
    fn a_median_itl_does_not_align_with_a_mean_tpot() {
        let (mean, median) = (Some(Statistic::Mean), Some(Statistic::Median));
        assert!(found((Metric::ItlS, median), (Metric::TpotS, mean)));
        assert!(found((Metric::TpotS, median), (Metric::TpotS, mean)));
        assert!(found((Metric::ItlS, mean), (Metric::TpotS, mean)));
        assert!(!found((Metric::TpotS, mean), (Metric::TpotS, mean)));
    }
}
