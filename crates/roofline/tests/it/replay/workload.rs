//! What a row's engine was asked to do.

use trueline_core::Tokens;
use trueline_roofline::{LogitRows, Prefix, Speculation, Workload};

use super::table::Row;

/// As many sequences as no engine holds: what nobody states is taken for the best case.
const MANY: u64 = 1 << 20;
/// A prompt of that length keeps arithmetic busy whatever the batch.
const LARGE_BATCH: u64 = 1 << 10;

/// The workload, and over how many devices its rate is.
pub(super) struct Asked {
    pub(super) workload: Workload,
    pub(super) per_device: bool,
}

pub(super) fn asked(row: &Row, devices: u64) -> Result<Asked, String> {
    let phase = row.phase.to_lowercase();
    let per_device = phase.contains("per gpu");
    let all = if per_device { devices } else { 1 };
    let workload = if phase.contains("cache hits") {
        return Err("how many of its tokens were new is not stated".to_owned());
    } else if phase.starts_with("prefill") {
        let new = context(&row.context).ok_or_else(|| format!("length {:?}", row.context))?;
        let batch = batch(&row.batch, new).unwrap_or(LARGE_BATCH).saturating_mul(all);
        Workload::Prefill {
            new: Tokens::new(new),
            cached: Tokens::new(0),
            batch,
            logits: LogitRows::Last,
            prefix: Prefix::Own,
        }
    } else if phase.starts_with("decode") {
        let context = context(&row.context).ok_or_else(|| format!("context {:?}", row.context))?;
        let batch = batch(&row.batch, context).unwrap_or(MANY).saturating_mul(all);
        Workload::Decode {
            batch,
            context: Tokens::new(context),
            speculation: speculation(row),
            prefix: Prefix::Unknown,
        }
    } else if let (Some(isl), Ok(osl)) = (context(&row.context), row.osl.parse::<u64>()) {
        if !phase.contains("mixed") {
            return Err(format!("phase {:?} is not known", row.phase));
        }
        Workload::Mixed {
            isl: Tokens::new(isl),
            osl: Tokens::new(osl),
            cached: Tokens::new(0),
            speculation: speculation(row),
            prefix: Prefix::Own,
            concurrency: row.batch.parse().ok(),
        }
    } else if phase.contains("output tok/s") {
        // Lengths are not stated: output tokens that cost nothing but themselves.
        Workload::Decode {
            batch: MANY,
            context: Tokens::new(1),
            speculation: speculation(row),
            prefix: Prefix::Unknown,
        }
    } else {
        return Err(format!("phase {:?} is not known", row.phase));
    };
    Ok(Asked { workload, per_device })
}

/// Drafting where the row speaks of it; the tools of these tables draft nothing by default.
fn speculation(row: &Row) -> Speculation {
    let text = format!("{} {} {}", row.engine, row.phase, row.note).to_lowercase();
    let words = ["speculat", "draft", "mtp", "eagle", "medusa"];
    if words.iter().any(|word| text.contains(word)) {
        Speculation::Unknown
    } else {
        Speculation::None
    }
}

/// A length: a number, the mean of a range, or one token where it is only said to be short.
fn context(text: &str) -> Option<u64> {
    if let Some((_, mean)) = text.split_once("(mean ") {
        return mean.trim_end_matches(')').parse().ok();
    }
    match text.trim_start_matches('~') {
        "short" | "0" => Some(1),
        number => number.parse().ok(),
    }
}

/// Sequences in one pass: a number, or that of so many thousand tokens.
fn batch(text: &str, length: u64) -> Option<u64> {
    if let Some((thousands, _)) = text.split_once("K tok") {
        return Some((thousands.parse::<u64>().ok()? * 1024 / length).max(1));
    }
    text.parse().ok()
}
