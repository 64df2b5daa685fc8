//! What a claim states, in words.

use trueline_core::Claim;
use trueline_core::number::plain;

use super::quantity_text;

/// The statement: the claim's own words, with the value behind them where they do not hold it.
pub(super) fn text(own: Option<String>, claim: &Claim) -> Option<String> {
    let own = own.filter(|text| !text.trim().is_empty());
    let quantity = words(claim);
    match (own, claim.value) {
        (Some(own), Some(value))
            if !own.contains(&plain(value)) && !own.contains(&plain(value * 1_000.0)) =>
        {
            Some(quantity.map_or(own.clone(), |quantity| format!("{own} ({quantity})")))
        }
        (Some(own), _) => Some(own),
        (None, _) => quantity,
    }
}

/// A statement made from the quantity, where the claim brings none.
fn words(claim: &Claim) -> Option<String> {
    if !claim.text.is_empty() {
        return Some(claim.text.clone());
    }
    let (metric, value) = (claim.metric?, claim.value?);
    let mut text = match (&claim.of, &claim.baseline) {
        (Some(of), Some(over)) => {
            let statistic = claim.statistic.map_or(String::new(), |s| format!(" {s}"));
            format!("{of} = {value}x {over}, {}{statistic}", metric.words().1)
        }
        (None, Some(over)) => format!("{value}x {} over {over}", metric.words().1),
        (_, None) => quantity_text(value, metric, claim.statistic, claim.field.as_deref()),
    };
    if let Some(cell) = claim.cell {
        text += &format!(", {cell}");
    }
    if let Some(load) = claim.load {
        text += &format!(" at {load}");
    }
    Some(text)
}
