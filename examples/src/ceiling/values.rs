//! The results as JSON.

use serde_json::{Value, json};
use trueline_roofline::{Hardware, Interval, MathPath, PartTime, Verdict};

use super::Estimate;
use super::claimed::Claimed;
use super::memory::Memory;
use super::spread::written;

/// The results of an estimate; `verdict`, `efficiency` and `causes` are those of the first claim.
pub(super) fn of(estimate: &Estimate, claims: &[Claimed]) -> Value {
    let (roof, memory) = (&estimate.roof, Memory::of(estimate));
    let first = claims.iter().find_map(|claimed| claimed.rate.as_ref()).map(|(_, verdict)| verdict);
    let told = first.map_or_else(|| verdict_parts(None), |verdict| verdict_parts(Some(verdict)));
    json!({
        "hardware": estimate.hardware.name,
        "devices": estimate.limits.parallel.devices(),
        "parallel": written(estimate.limits.parallel),
        "parallel_chosen": estimate.is_spread_chosen,
        "model": {
            "family": estimate.model.family(),
            "parameters": estimate.model.totals().text.get(),
            "active_parameters": estimate.model.active().map(|active| active.total().get()),
            "bytes": estimate.model.bytes(trueline_roofline::ModelPart::Text).get(),
        },
        "memory": {
            "weights_byte": memory.weights, "kv_byte": memory.kv, "there_byte": memory.there,
            "fits": memory.fits(),
        },
        "workload": estimate.workload,
        "assumed": estimate.assumed,
        "strict_tok_per_s": ends(&roof.strict),
        "strict_convicts": roof.strict.convicts(),
        "impossible_above_tok_per_s": roof.impossible_above.map(|rate| rate.get()),
        "model_tok_per_s": roof.model.as_ref().map(ends),
        "published_model_tok_per_s": estimate.published.as_ref().and_then(|p| p.model.as_ref()).map(ends),
        "bound": roof.bound,
        "by_layer_kind": by_layer_kind(&roof.parts),
        "verdict": told["verdict"],
        "efficiency": told["efficiency"],
        "causes": told["causes"],
        "missing": roof.missing,
        "warnings": estimate.model.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "basis": roof.strict.basis(),
        "claims": claims.iter().map(claim).collect::<Vec<_>>(),
    })
}

fn ends(interval: &Interval<trueline::core::TokensPerSecond>) -> [f64; 2] {
    [interval.low().get(), interval.high().get()]
}

/// Each part with its share of the time and what the whole would gain without it.
fn by_layer_kind(parts: &[PartTime]) -> Vec<Value> {
    let all: Option<f64> = parts.iter().map(|p| Some(p.took?.as_secs_f64())).sum();
    let share = |part: &PartTime| {
        let share = part.took?.as_secs_f64() / all.filter(|all| *all > 0.0)?;
        share.is_finite().then_some(share)
    };
    let row = |part: &PartTime| {
        let share = share(part);
        let headroom = share.filter(|share| *share < 1.0).map(|share| 1.0 / (1.0 - share));
        json!({
            "kind": part.kind,
            "part": part.part,
            "took_s": part.took.map(|took| took.as_secs_f64()),
            "byte": part.bytes.get(),
            "flop": part.flops.get(),
            "share": share,
            "headroom": headroom,
            "bound": part.bound,
        })
    };
    parts.iter().map(row).collect()
}

fn claim(claimed: &Claimed) -> Value {
    let mut told = verdict_parts(claimed.rate.as_ref().map(|(_, verdict)| verdict));
    if let Some(object) = told.as_object_mut() {
        object.insert("id".to_owned(), claimed.id.as_str().into());
        object.insert("metric".to_owned(), claimed.metric.map(|m| m.name()).into());
        object.insert("tok_per_s".to_owned(), claimed.rate.as_ref().map(|(r, _)| r.get()).into());
        let clock = claimed.clock.map(|clock| {
            json!({
                "observed_share": clock.observed.get(),
                "clock_ratio": clock.ratio.get(),
                "explains": clock.explanation.is_sufficient(),
                "text": clock.words(),
            })
        });
        object.insert("clock".to_owned(), clock.into());
    }
    told
}

fn verdict_parts(verdict: Option<&Verdict>) -> Value {
    let mut told = json!({
        "verdict": null, "efficiency": null, "causes": [], "factor": null, "undecided_for": [],
    });
    let word = match verdict {
        None => return told,
        Some(Verdict::Impossible { factor, causes }) => {
            told["factor"] = factor.get().into();
            told["causes"] = json!(causes);
            "impossible"
        }
        Some(Verdict::Undecidable { missing }) => {
            told["undecided_for"] = json!(missing);
            "undecidable"
        }
        Some(Verdict::NotExcluded { efficiency }) => {
            told["efficiency"] = json!(efficiency);
            "not_excluded"
        }
        Some(Verdict::FarBelow { efficiency }) => {
            told["efficiency"] = json!(efficiency);
            "far_below"
        }
        Some(_) => "unknown",
    };
    told["verdict"] = word.into();
    told
}

/// The parts of a catalogue: what is known of each, and whether it may convict a claim.
pub(super) fn of_parts(parts: &[Hardware]) -> Value {
    let peak = |part: &Hardware, path: MathPath| {
        let rate = part.spec_peak(path)?;
        Some(json!({
            "dtype": path.dtype, "accumulate": path.accumulate, "density": path.density,
            "flop_per_s": [rate.low().get(), rate.high().get()], "convicts": rate.convicts(),
        }))
    };
    let row = |part: &Hardware| {
        let memory = part.bandwidth();
        json!({
            "name": part.name,
            "other_names": part.hints,
            "note": part.note,
            "memory_byte": part.memory.value().map(|m| m.get()),
            "memory_byte_per_s": memory.as_ref().map(|m| [m.low().get(), m.high().get()]),
            "memory_convicts": memory.as_ref().map(Interval::convicts),
            "max_clock_mhz": part.max_clock.value().map(|c| c.get()),
            "peaks": part.paths().into_iter().filter_map(|p| peak(part, p)).collect::<Vec<_>>(),
        })
    };
    json!({ "parts": parts.iter().map(row).collect::<Vec<_>>() })
}
