//! Middle values of a few numbers.

/// The median; `None` of nothing.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which a share of the values lies, between the nearest two where none is exact.
pub(super) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
    let place = share.clamp(0.0, 1.0) * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last place"
    )]
    let low = place.floor() as usize;
    let (a, b) = (sorted.get(low)?, sorted.get((low + 1).min(last))?);
    Some(a + (b - a) * place.fract())
}

/// The first, the middle and the last third of values in order of time.
pub(super) fn thirds(values: &[f64]) -> [&[f64]; 3] {
    let third = values.len() / 3;
    let (first, rest) = values.split_at(third);
    let (middle, last) = rest.split_at(rest.len() - third);
    [first, middle, last]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_of_an_even_count_lies_between_the_two_in_the_middle() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        // By hand: the quarter of 0, 10, 20 lies halfway between the first two.
        assert_eq!(quantile(&[20.0, 0.0, 10.0], 0.25), Some(5.0));
    }

    #[test]
    fn thirds_leave_the_rest_in_the_middle() {
        assert_eq!(thirds(&[1.0, 2.0, 3.0, 4.0, 5.0]), [&[1.0][..], &[2.0, 3.0, 4.0], &[5.0]]);
        assert_eq!(thirds(&[1.0]), [&[][..], &[1.0], &[]]);
    }
}
