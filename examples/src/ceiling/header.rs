//! What was asked, in a few lines.

use trueline::core::number::count;
use trueline_roofline::{ModelPart, Prefix, Speculation, Workload};

use super::Estimate;
use super::estimate::real;
use super::sizes::size;
use super::spread::written;

/// What was asked, what stands for what was not, and what the model's files left open.
pub(super) fn preface(of: &Estimate) -> Vec<String> {
    let text = of.model.totals().text;
    let bytes = of.model.bytes(ModelPart::Text);
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
