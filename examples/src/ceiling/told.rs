//! The results as text.

use trueline::core::number::{count, percent, short};
use trueline::report::wrap;
use trueline_roofline::{Interval, Prefix, Speculation, Tag, Verdict, Workload};

use super::Estimate;
use super::claimed::{Claimed, cause_line};
use super::drawing::{self, Point, Roofline};
use super::estimate::real;
use super::memory::Memory;
use super::rows::{sums, table, word};
use super::sizes::{size, size_bytes, size_flops, time};
use super::spread::written;

/// Columns of a line.
const COLUMNS: usize = 100;
/// Columns of a label before a text.
const LABEL: usize = 16;
/// How many causes are told without `--all`.
const CAUSES_SHOWN: usize = 3;
/// How many statements that a bound rests on are told without `--all`.
const BASIS_SHOWN: usize = 3;

/// What was asked, what stands for what was not, and what the model's files left open.
pub(super) fn preface(of: &Estimate) -> Vec<String> {
    let text = of.model.totals().text;
    let bytes = of.model.bytes(trueline_roofline::ModelPart::Text);
    let active = of.model.active().map(|active| active.total().get());
    let active = active.filter(|active| (*active as u128) * 10 < u128::from(text.get()) * 9);
    let active = active.map_or_else(String::new, |n| format!(" ({} active)", size(real(n))));
    let mut lines = vec![format!(
        "{}{}, {}: {} parameters{active}, {bytes} as stored; {}",
        of.hardware.name,
        devices(of),
        of.model.family(),
        size(real(text.get())),
        workload(&of.workload)
    )];
    if !of.assumed.is_empty() {
        lines.push(format!("Assumed, since not given: {}.", of.assumed.join(", ")));
    }
    let doubts: Vec<String> = of.model.warnings().iter().map(ToString::to_string).collect();
    if !doubts.is_empty() {
        lines.push(format!("The model's files: {}.", doubts.join("; ")));
    }
    lines
}

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

fn devices(of: &Estimate) -> String {
    match of.limits.parallel.devices() {
        1 => String::new(),
        n => {
            let chosen = if of.is_spread_chosen { ", the best way" } else { "" };
            format!(" x {n} ({}{chosen})", written(of.limits.parallel))
        }
    }
}

fn workload(workload: &Workload) -> String {
    let shared = |prefix: Prefix| if prefix == Prefix::Shared { ", the same for all" } else { "" };
    let drafted = |speculation: Speculation| match speculation {
        Speculation::None => ", nothing drafted".to_owned(),
        Speculation::Drafted(n) => format!(", {n} tokens drafted in each pass"),
        Speculation::Unknown => String::new(),
    };
    match *workload {
        Workload::Prefill { new, cached, batch, prefix, .. } => format!(
            "prefill of {} x {} new after {} cached tokens{}",
            count(batch),
            count(new.get()),
            count(cached.get()),
            shared(prefix)
        ),
        Workload::Decode { batch, context, speculation, prefix } => format!(
            "decode of {} x {} tokens of context{}{}",
            count(batch),
            count(context.get()),
            shared(prefix),
            drafted(speculation)
        ),
        Workload::Mixed { isl, cached, osl, concurrency, speculation, prefix } => format!(
            "requests of {} in ({} cached{}) and {} out, {} in flight{}",
            count(isl.get()),
            count(cached.get()),
            shared(prefix),
            count(osl.get()),
            concurrency.map_or_else(|| "any number".to_owned(), count),
            drafted(speculation)
        ),
    }
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

fn picture(of: &Estimate, claims: &[Claimed]) -> Vec<String> {
    let (flops, bytes, seconds) = sums(&of.roof.parts);
    let Some((((peak, path), memory), seconds)) = main_peak(of).zip(bandwidth(of)).zip(seconds)
    else {
        return Vec::new();
    };
    let intensity = flops / bytes;
    let mut points = vec![Point {
        intensity,
        rate: flops / seconds,
        mark: 'o',
        name: "the model ceiling".to_owned(),
    }];
    let rates = claims.iter().filter_map(|claimed| claimed.rate.as_ref());
    for (claim, _) in rates.take(1) {
        let rate = claim.get() * flops / of.tokens();
        let name = format!("the claim of {} tok/s", short(claim.get(), 4));
        points.push(Point { intensity, rate, mark: 'X', name });
    }
    let roof = Roofline {
        bandwidth: memory,
        peak,
        slope_name: format!("{} GB/s", short(memory / 1e9, 4)),
        flat_name: format!("{path} {} TFLOP/s", short(peak / 1e12, 4)),
    };
    drawing::draw(&roof, &points)
}

/// The best usual rate for most of the weights, and the name of its path.
fn main_peak(of: &Estimate) -> Option<(f64, String)> {
    let linear = of.shape.layers.iter().flat_map(|layer| {
        let own = layer.linear.iter().map(|m| (real(layer.repeated) * real(m.weights), m));
        let experts = layer.experts.iter().map(|experts| {
            let used = real(layer.repeated) * real(experts.routing.per_token());
            (used * real(experts.each.weights), &experts.each)
        });
        own.chain(experts)
    });
    let (_, most) = linear.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    let rates = most.paths.iter().filter_map(|path| {
        Some((of.limits.usual.peak(*path)?.high().get(), path.dtype.name().to_owned()))
    });
    rates.reduce(|a, b| if b.0 > a.0 { b } else { a })
}

fn bandwidth(of: &Estimate) -> Option<f64> {
    of.limits.usual.memory.as_ref().map(|memory| memory.high().get())
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
