//! What a claim says of how its ratio came about: the change behind it, the looks at it, the ratios
//! it was multiplied from.

use trueline_core::{Change, Link, Selection};

use super::ClaimError;
use super::short::scaled;

/// The keys of a change as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawChange {
    pub(super) changed_share: Option<f64>,
    pub(super) saved: Option<f64>,
    pub(super) removed: Option<f64>,
    pub(super) before: Option<f64>,
    pub(super) after: Option<f64>,
}

impl RawChange {
    /// The change, its times brought to the metric's unit by a factor.
    pub(super) fn read(self, factor: f64) -> Result<Change, ClaimError> {
        for (key, share) in [("changed_share", self.changed_share), ("saved", self.saved)] {
            if let Some(bad) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                return Err(ClaimError(format!("expected {key} between 0 and 1, found {bad}")));
            }
        }
        let times = [("removed", self.removed), ("before", self.before), ("after", self.after)];
        for (key, time) in times {
            above_zero(key, time)?;
        }
        let mut change = Change::default();
        (change.changed_share, change.saved) = (self.changed_share, self.saved);
        let [removed, before, after] = times.map(|(_, time)| time.map(|t| scaled(t, factor)));
        (change.removed, change.before, change.after) = (removed, before, after);
        Ok(change)
    }
}

/// Looks and variants are counted from one.
pub(super) fn checked_selection(selection: Selection) -> Result<Selection, ClaimError> {
    for (key, n) in [("looks", selection.looks), ("variants", selection.variants)] {
        if n == Some(0) {
            return Err(ClaimError(format!("expected {key} of at least 1, found 0")));
        }
    }
    Ok(selection)
}

/// The links of a chain, what was measured for them brought to the metric's unit by a factor.
pub(super) fn checked_links(links: Vec<Link>, factor: f64) -> Result<Vec<Link>, ClaimError> {
    let ends = |interval: Option<(f64, f64)>| interval.map(|(low, high)| [low, high]);
    let mut read = links;
    for link in &mut read {
        above_zero("a ratio in chain", Some(link.ratio))?;
        let intervals = [link.interval, link.of_interval, link.over_interval].map(ends);
        for end in intervals.into_iter().flatten().flatten() {
            above_zero("an interval in chain", Some(end))?;
        }
        above_zero("of_value", link.of_value)?;
        above_zero("over_value", link.over_value)?;
        for value in [&mut link.of_value, &mut link.over_value].into_iter().flatten() {
            *value = scaled(*value, factor);
        }
        for (low, high) in [&mut link.of_interval, &mut link.over_interval].into_iter().flatten() {
            (*low, *high) = (scaled(*low, factor), scaled(*high, factor));
        }
    }
    Ok(read)
}

fn above_zero(what: &str, value: Option<f64>) -> Result<(), ClaimError> {
    match value {
        Some(bad) if !(bad.is_finite() && bad > 0.0) => {
            Err(ClaimError(format!("expected {what} above zero, found {bad}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_claim_file;

    #[test]
    fn times_and_shared_values_are_brought_to_the_metrics_unit() {
        let file = parse_claim_file(
            r#"
            [[claim]]
            kind = "relative"
            metric = "tpot_ms"
            value = 0.775
            saved = 0.69
            removed = 64.6
            before = 95.6
            after = 74.1
            looks = 3
            variants = 2
            correction = "pocock"
            confirmed_by = "fresh runs"
            chain = [{ ratio = 1.1, of = "a", over = "b", interval = [1.04, 1.16], of_value = 40,
                       of_interval = [39, 41] }]
            "#,
        )
        .unwrap();
        let claim = &file.claims[0];
        assert!((claim.change.removed.unwrap() - 0.0646).abs() < 1e-15);
        let change = &claim.change;
        for (got, wanted) in [(change.before, 0.0956), (change.after, 0.0741)] {
            assert!((got.unwrap() - wanted).abs() < 1e-15);
        }
        assert_eq!((claim.selection.looks, claim.selection.variants), (Some(3), Some(2)));
        assert_eq!(claim.chain[0].interval, Some((1.04, 1.16)));
        assert_eq!(claim.chain[0].of_value, Some(0.04));
        assert_eq!(claim.chain[0].of_interval, Some((0.039, 0.041)));
        assert!(claim.unjudged.is_empty());
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (key, part) in [
            ("changed_share = 69", "changed_share between 0 and 1"),
            ("saved = nan", "saved between 0 and 1"),
            ("before = 0", "before above zero"),
            ("after = inf", "after above zero"),
            ("looks = 0", "looks of at least 1"),
            ("looks = -1", "looks"),
            ("correction = \"luck\"", "bonferroni"),
            ("chain = [{ ratio = 0, of = \"a\", over = \"b\" }]", "ratio in chain above zero"),
            ("chain = [{ ratio = 1, of = \"a\", over = \"b\", interval = [0, 1] }]", "interval"),
            ("chain = [{ ratio = 1, of = \"a\", over = \"b\", guess = 1 }]", "guess"),
        ] {
            let text = format!("[[claim]]\nmetric = \"tpot_s\"\nvalue = 1\n{key}");
            let error = parse_claim_file(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{key}: {error}");
        }
    }
}
