//! Claims as people write them: in short form, in TOML, or taken from the data.

mod cell;
mod compared;
mod defaults;
mod long;
mod short;
mod stated;
mod statement;

pub use defaults::{Headlines, default_claims};
pub use long::{ClaimFile, parse_claim_file};
pub use short::{parse_claim, parse_quantity};
pub(crate) use stated::{headline, stated_claims, trend_claim};

use std::collections::BTreeSet;

use trueline_core::{Claim, ClaimKind, Metric, Statistic};

use trueline_core::number::plain;

/// Why a claim cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClaimError(pub(crate) String);

/// Checks what only the whole list can tell: unique ids, and `rests_on` without holes or circles.
///
/// # Errors
/// A doubled id, an id in `rests_on` that no claim has, or claims that rest on each other.
pub fn check_claim_list(claims: &[Claim]) -> Result<(), ClaimError> {
    let mut ids = BTreeSet::new();
    for claim in claims {
        if !ids.insert(claim.id.as_str()) {
            return Err(ClaimError(format!(
                "expected unique claim ids, found {:?} twice",
                claim.id
            )));
        }
    }
    for claim in claims {
        if let Some(hole) = claim.rests_on.iter().find(|id| !ids.contains(id.as_str())) {
            return Err(ClaimError(format!(
                "claim {:?} rests on {hole:?}; expected one of {}",
                claim.id,
                ids.iter().copied().collect::<Vec<_>>().join(", ")
            )));
        }
    }
    // Take away what rests on nothing that is left, until nothing moves: the rest is a circle.
    let mut left: Vec<&Claim> = claims.iter().collect();
    loop {
        let before = left.len();
        let ids: BTreeSet<&str> = left.iter().map(|c| c.id.as_str()).collect();
        left.retain(|c| c.rests_on.iter().any(|id| ids.contains(id.as_str())));
        if left.is_empty() {
            return Ok(());
        }
        if left.len() == before {
            let ids: Vec<&str> = left.iter().map(|c| c.id.as_str()).collect();
            return Err(ClaimError(format!("claims rest on each other: {}", ids.join(", "))));
        }
    }
}

/// The words of a quantity: `115 tok/s prefill`, `p99 TPOT 0.0838 s at concurrency 256`.
pub(crate) fn quantity_text(
    value: f64,
    metric: Metric,
    statistic: Option<Statistic>,
    field: Option<&str>,
) -> String {
    let (mut unit, what) = metric.words();
    let mut value = value;
    if unit == "s" && value > 0.0 && value < 1.0 {
        // As people write it: 27.9 ms, not 0.0279 s.
        (unit, value) = if value < 1e-4 { ("us", value * 1e6) } else { ("ms", value * 1e3) };
    }
    let statistic = match statistic {
        None | Some(Statistic::Best) => String::new(),
        Some(statistic) => format!(", {statistic}"),
    };
    let what = match field {
        Some(field) => format!("{what} as {field} says"),
        None => what.to_owned(),
    };
    let text = format!("{} {unit} {what}{statistic}", plain(value));
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",")
}

/// The kind that a statement has if it names none: a quantile is a tail, a ratio relative.
pub(crate) fn implied_kind(statistic: Option<Statistic>, is_ratio: bool) -> ClaimKind {
    match statistic {
        _ if is_ratio => ClaimKind::Relative,
        Some(statistic) if statistic.tail().is_some() => ClaimKind::Tail,
        _ => ClaimKind::Absolute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(id: &str, rests_on: &[&str]) -> Claim {
        let mut claim = Claim::new(id, ClaimKind::Absolute, "text");
        claim.rests_on = rests_on.iter().map(ToString::to_string).collect();
        claim
    }

    #[test]
    fn holes_doubles_and_circles_are_refused() {
        let check = |claims: &[Claim]| check_claim_list(claims).map_err(|e| e.to_string());
        assert!(check(&[claim("a", &["b"]), claim("b", &[])]).is_ok());
        assert!(check(&[claim("a", &[]), claim("a", &[])]).unwrap_err().contains("twice"));
        assert!(check(&[claim("a", &["x"])]).unwrap_err().contains("rests on \"x\""));
        let circle = [claim("a", &["b"]), claim("b", &["a"]), claim("c", &["a"])];
        assert!(check(&circle).unwrap_err().contains("each other"));
        assert!(check(&[claim("a", &["a"])]).is_err());
    }

    #[test]
    fn quantities_read_like_sentences() {
        let text = |m, s, f| quantity_text(115.0, m, s, f);
        assert_eq!(text(Metric::PrefillTokPerS, None, None), "115 tok/s prefill");
        assert_eq!(
            text(Metric::PrefillTokPerS, None, Some("prefill_tok_s")),
            "115 tok/s prefill as prefill_tok_s says"
        );
        let p99 = "p99".parse().unwrap();
        assert_eq!(text(Metric::TpotS, Some(p99), None), "115 s TPOT, p99");
        assert_eq!(text(Metric::RequestPerS, None, None), "115 requests/s");
        assert_eq!(quantity_text(0.0279, Metric::TpotS, None, None), "27.9 ms TPOT");
    }
}
