//! The part of the requests that a claim speaks of.

use trueline_core::{Bucket, CellScope, HitBand};

use super::ClaimError;

/// Prompt lengths and hit shares as a claim writes them; `None` for all requests.
pub(super) fn cell_scope(
    prompt: Option<(u64, u64)>,
    hit: Option<(f64, f64)>,
) -> Result<Option<CellScope>, ClaimError> {
    if prompt.is_none() && hit.is_none() {
        return Ok(None);
    }
    let (low, high) = prompt.unwrap_or((0, u64::MAX));
    if low >= high {
        return Err(ClaimError(format!(
            "expected prompt_tokens = [low, high], found {low}, {high}"
        )));
    }
    let bucket = Bucket { low, high: (high != u64::MAX).then_some(high) };
    let hit = match hit {
        None => None,
        Some((low, high)) if (0.0..=1.0).contains(&low) && low < high && high <= 1.0 => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and 10,000"
            )]
            let points = |x: f64| (x * 10_000.0).round() as u32;
            Some(HitBand { low: points(low), high: points(high) })
        }
        Some((low, high)) => {
            return Err(ClaimError(format!(
                "expected hit_share = [low, high] between 0 and 1, found {low}, {high}"
            )));
        }
    };
    Ok(Some(CellScope { bucket, hit }))
}
