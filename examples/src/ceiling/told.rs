//! The results as text.

use trueline::core::number::{percent, short};
use trueline::report::wrap;
use trueline_roofline::{Interval, Prefix, Speculation, Tag, Verdict, Workload};

use super::Estimate;
use super::claimed::{Claimed, cause_line};
use super::memory::Memory;
use super::picture::{bandwidth, main_peak, picture};
use super::rows::{sums, table, word};
use super::sizes::{size_bytes, size_flops, time};

/// Columns of a line.
const COLUMNS: usize = 100;
/// Columns of a label before a text.
const LABEL: usize = 16;
/// How many causes are told without `--all`.
const CAUSES_SHOWN: usize = 3;
/// How many statements that a bound rests on are told without `--all`.
const BASIS_SHOWN: usize = 3;

/// The bounds, where the time goes, the picture, what a claim would need, and what all of it rests on.
pub(super) fn body(of: &Estimate, claims: &[Claimed], all: bool) -> Vec<String> {
    let mut lines = bounds(of);
    lines.push(String::new());
    lines.extend(table(&of.roof.parts));
    let picture = picture(of, claims);
    if !picture.is_empty() {
        lines.push(String::new());
        lines.extend(picture);
    }
    for claimed in claims {
        lines.extend(causes(claimed, all));
    }
    lines.push(String::new());
    lines.extend(rests_on(of, all));
    lines
}

fn bounds(of: &Estimate) -> Vec<String> {
    let roof = &of.roof;
    let what = if roof.strict.convicts() {
        "no engine exceeds it, at the best of everything"
    } else {
        "an estimate: not all of it is stated and verified"
    };
    let mut lines = vec![
        format!(
            "{:<LABEL$}{:>26}  {what}",
            "Strict ceiling",
            rate(short(roof.strict.high().get(), 4))
        ),
        format!(
            "{:<LABEL$}{:>26}  a perfect engine of the usual kind, part after part",
            "Model ceiling",
            roof.model.as_ref().map_or_else(|| "not known".to_owned(), |model| rate(ends(model)))
        ),
    ];
    if let Some(excluded) = roof.impossible_above.filter(|r| *r > roof.strict.high()) {
        lines.push(format!(
            "{:<LABEL$}{:>26}  from verified figures alone",
            "Impossible above",
            rate(short(excluded.get(), 4))
        ));
    }
    if let Some(published) = of.published.as_ref().and_then(|roof| roof.model.as_ref()) {
        lines.push(format!(
            "{:<LABEL$}{:>26}  the model ceiling at published clocks",
            "",
            rate(ends(published))
        ));
    }
    lines.extend(limited_by(of));
    lines.extend(memory(of));
    let open = open(of);
    if !open.is_empty() {
        lines.extend(labelled("Not stated", &open.join("; ")));
    }
    lines
}

/// What nobody stated, with the flag that states it.
fn open(of: &Estimate) -> Vec<String> {
    let with_flag = |missing: &String| match missing.as_str() {
        "dtype of the key-value cache" => format!("{missing} (--kv)"),
        _ => missing.clone(),
    };
    let mut open: Vec<String> = of.roof.missing.iter().map(with_flag).collect();
    if of.workload.speculation() == Speculation::Unknown {
        open.push("whether tokens are drafted (--speculation)".to_owned());
    }
    let is_shared = match of.workload {
        Workload::Prefill { cached, batch, prefix, .. } => {
            prefix == Prefix::Unknown && batch > 1 && cached.get() > 0
        }
        Workload::Decode { batch, prefix, .. } => prefix == Prefix::Unknown && batch > 1,
        Workload::Mixed { cached, prefix, .. } => prefix == Prefix::Unknown && cached.get() > 0,
    };
    if is_shared {
        open.push("whether what is cached is the same for all (--prefix)".to_owned());
    }
    open
}

fn rate(number: String) -> String {
    number + " tok/s"
}

fn ends(interval: &Interval<trueline::core::TokensPerSecond>) -> String {
    let (low, high) = (short(interval.low().get(), 4), short(interval.high().get(), 4));
    if low == high { low } else { format!("{low} to {high}") }
}

/// What limits, with the work behind it.
fn limited_by(of: &Estimate) -> Vec<String> {
    let (flops, bytes, seconds) = sums(&of.roof.parts);
    let of_what = match of.workload {
        Workload::Prefill { .. } => "a pass",
        Workload::Decode { .. } => "a step",
        Workload::Mixed { .. } => "a request",
    };
    let (peak, memory) = (main_peak(of), bandwidth(of));
    let balance = peak
        .as_ref()
        .zip(memory)
        .map(|((peak, _), memory)| format!(", balance at {}", short(peak / memory, 3)));
    let text = format!(
        "{}: {}, {} {of_what}{}; {} FLOP/byte{}",
        of.roof.bound.map_or("not known", word),
        size_bytes(bytes),
        size_flops(flops),
        seconds.map_or_else(String::new, |s| format!(" in {}", time(s))),
        short(flops / bytes, 3),
        balance.unwrap_or_default()
    );
    labelled("Limited by", &text)
}

/// What has to lie in memory.
fn memory(of: &Estimate) -> Vec<String> {
    let memory = Memory::of(of);
    let there = memory.there.map_or_else(|| "memory of a size not known".to_owned(), size_bytes);
    let (weights, kv) = (size_bytes(memory.weights), size_bytes(memory.kv));
    let fits = match memory.fits() {
        Some(false) => ": it does not fit, and what is elsewhere is slower than any bound here",
        _ => "",
    };
    let text = format!("{weights} of weights and {kv} of keys and values in {there}{fits}");
    labelled("Memory", &text)
}

/// A text behind a label, broken where it is too long.
fn labelled(label: &str, text: &str) -> Vec<String> {
    let lines = wrap(text, COLUMNS - LABEL, 0, 0);
    let label = |at: usize| if at == 0 { label } else { "" };
    lines.iter().enumerate().map(|(at, line)| format!("{:<LABEL$}{line}", label(at))).collect()
}

/// What would make an impossible claim fit, or how much of the bounds another one reaches.
fn causes(claimed: &Claimed, all: bool) -> Vec<String> {
    let Some((rate, verdict)) = &claimed.rate else { return Vec::new() };
    let mut lines = vec![String::new()];
    match verdict {
        Verdict::Impossible { causes, .. } if causes.is_empty() => {
            lines.push(format!("{rate}: no one cause would make it fit."));
        }
        Verdict::Impossible { causes, .. } => {
            lines.push("What would make it fit, each alone, the likeliest first:".to_owned());
            let most = if all { usize::MAX } else { CAUSES_SHOWN };
            let told = causes.iter().take(most).enumerate();
            lines.extend(told.flat_map(|(i, cause)| {
                wrap(&format!("{}. {}", i + 1, cause_line(cause)), COLUMNS, 2, 5)
            }));
            if causes.len() > most {
                lines.push(format!("  and {} more (--all)", causes.len() - most));
            }
        }
        Verdict::NotExcluded { efficiency } | Verdict::FarBelow { efficiency } => {
            let of_model = efficiency.of_model.map_or_else(String::new, |share| {
                format!(", {} of the model ceiling", percent(share.get()))
            });
            let share = percent(efficiency.of_strict.get());
            let text = format!("{share} of the strict ceiling{of_model}; no certificate");
            lines.extend(labelled("Efficiency", &text));
        }
        _ => lines.clear(),
    }
    // What does not suffice is a finding, and told there.
    if let Some(clock) = claimed.clock.filter(|clock| clock.explanation.is_sufficient()) {
        lines.extend(labelled("The clock", &clock.words()));
    }
    lines
}

/// What the strict bound rests on: what nobody verified first.
fn rests_on(of: &Estimate, all: bool) -> Vec<String> {
    let basis = of.roof.strict.basis();
    if all {
        let told = basis.iter().map(|b| format!("  {} ({}: {})", b.what, b.tag, b.source));
        return std::iter::once("The strict ceiling rests on:".to_owned()).chain(told).collect();
    }
    let (weak, sure): (Vec<_>, Vec<_>) = basis.iter().partition(|b| b.tag == Tag::Unverified);
    let rates = sure
        .iter()
        .filter(|b| ["published", "highest clock"].iter().any(|what| b.what.starts_with(what)));
    let mut told: Vec<String> = rates.map(|b| format!("{} ({})", b.what, b.tag)).collect();
    told.dedup();
    let left = told.len().saturating_sub(BASIS_SHOWN);
    told.truncate(BASIS_SHOWN);
    let more =
        if left > 0 { format!(", and {left} more (--all, with sources)") } else { String::new() };
    let mut lines = labelled("Rests on", &format!("{}{more}", told.join(", ")));
    if !weak.is_empty() {
        let weak: Vec<&str> = weak.iter().map(|b| b.what.as_str()).collect();
        lines.extend(labelled("Nobody verified", &weak.join(", ")));
    }
    lines
}
