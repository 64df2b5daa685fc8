//! Where the time goes, as a table.

use trueline::core::number::{percent, short};
use trueline_roofline::{Bound, PartTime};

use super::sizes::{dash, size_bytes, size_flops, time};

/// All operations, bytes and seconds; the seconds where all are known.
pub(super) fn sums(parts: &[PartTime]) -> (f64, f64, Option<f64>) {
    let flops = parts.iter().map(|p| p.flops.get()).sum();
    let bytes = parts.iter().map(|p| p.bytes.get()).sum();
    (flops, bytes, parts.iter().map(|p| Some(p.took?.as_secs_f64())).sum())
}

/// Where the time goes.
pub(super) fn table(parts: &[PartTime]) -> Vec<String> {
    let (_, _, all) = sums(parts);
    let mut lines = vec![format!(
        "{:<20}{:<10}{:>9}{:>7}{:>10}{:>13}  {:<10}{:>11}",
        "Layers", "part", "time", "share", "bytes", "FLOP", "limited by", "without it"
    )];
    for part in parts {
        let took = part.took.map(|took| took.as_secs_f64());
        let share = took.zip(all).map(|(took, all)| took / all).filter(|s| s.is_finite());
        let gain = share.filter(|share| *share < 1.0).map(|share| {
            let gain = 1.0 / (1.0 - share);
            if gain < 10.0 { format!("{gain:.2}x") } else { format!("{}x", short(gain, 3)) }
        });
        let line = format!(
            "{:<20}{:<10}{:>9}{:>7}{:>10}{:>13}  {:<10}{:>11}",
            kind(&part.kind),
            part.part.name(),
            took.map_or_else(dash, time),
            share.map_or_else(dash, percent),
            size_bytes(part.bytes.get()),
            size_flops(part.flops.get()),
            part.bound.map_or("-", word),
            gain.unwrap_or_else(dash)
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// What limits a part, in a word.
pub(super) const fn word(bound: Bound) -> &'static str {
    match bound {
        Bound::Compute => "compute",
        Bound::Memory => "memory",
        Bound::Link => "links",
        _ => "else",
    }
}

/// A kind of layers in words.
fn kind(name: &str) -> &str {
    match name {
        "full" => "full attention",
        "window" => "sliding window",
        "mla" => "latent attention",
        "state" => "linear state",
        "ffn" => "feed-forward",
        "moe" => "mixture of experts",
        other => other,
    }
}
