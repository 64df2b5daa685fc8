//! Which model a row names, and how it runs there.

use trueline_roofline::{
    Arithmetic, BitsPerWeight, GgmlType, Model, ModelShape, Role, RuntimePlan, Scales, Stored,
};

use super::table::Row;
use crate::corpus::configs;
use crate::sizes;

/// Names in tables, letters and digits alone, of models whose sizes are in the tree.
const KNOWN: [(&str, &str); 12] = [
    // The first three generations share their shapes by size.
    ("llama38b", sizes::LLAMA_8B),
    ("llama318b", sizes::LLAMA_8B),
    ("llama370b", sizes::LLAMA_70B),
    ("llama3170b", sizes::LLAMA_70B),
    ("llama3370b", sizes::LLAMA_70B),
    ("llama27b", sizes::LLAMA2_7B),
    ("llama270b", sizes::LLAMA2_70B),
    ("deepseekr1", sizes::DEEPSEEK_V3),
    ("mixtral8x7b", sizes::MIXTRAL),
    ("gptoss120b", sizes::GPT_OSS_120B),
    ("qwen330ba3b", sizes::QWEN3_30B),
    ("deepseekv3", sizes::DEEPSEEK_V3),
];

fn letters(text: &str) -> String {
    text.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The model's config: of the tree, or the one file of the corpus with its name.
fn config(name: &str) -> Option<String> {
    let name = letters(name.split(" (").next()?);
    let name = name.trim_end_matches("instruct");
    if let Some((_, config)) = KNOWN.iter().find(|(known, _)| *known == name) {
        return Some((*config).to_owned());
    }
    let mut files =
        std::fs::read_dir(configs()?).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let file = files.find(|path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let stem = stem.split_once("--").map_or(stem, |(_, model)| model);
        letters(stem).trim_end_matches("instruct") == name
    })?;
    std::fs::read_to_string(file).ok()
}

/// The stored types that a row's text names; `None` of a text that is not understood.
fn weights(text: &str) -> Option<RuntimePlan> {
    let plan = RuntimePlan::default();
    let lower = text.to_lowercase();
    if lower.starts_with("as shipped") {
        return Some(plan);
    }
    if let Some(kind) = text.strip_prefix("GGUF ") {
        return gguf(kind.split_whitespace().next()?);
    }
    let first = lower.split(|c: char| !c.is_alphanumeric()).next()?;
    let stored = match first {
        "bf16" => {
            return Some(
                plan.with_all_weights(Stored::Bf16).with_weights(Role::Head, Stored::Bf16),
            );
        }
        "fp16" | "f16" => {
            return Some(plan.with_all_weights(Stored::F16).with_weights(Role::Head, Stored::F16));
        }
        "fp8" => Stored::Fp8(Scales::None),
        "nvfp4" => Stored::Nvfp4,
        "mxfp4" | "fp4" => Stored::Mxfp4,
        "awq" => Stored::int4(128),
        _ => return None,
    };
    let plan = plan.with_all_weights(stored);
    // "mxfp4 on experts, qkv, o, lm_head": the head is among the quantised ones.
    let head = lower.contains(" on ") && lower.contains("lm_head");
    Some(if head { plan.with_weights(Role::Head, stored) } else { plan })
}

/// The base type of a file type; llama.cpp stores the head in `Q6_K` where the base is smaller.
fn gguf(kind: &str) -> Option<RuntimePlan> {
    let base = kind.trim_end_matches("_M").trim_end_matches("_S").trim_end_matches("_L");
    let base = GgmlType::all().find(|t| t.name().eq_ignore_ascii_case(base))?;
    let stored = Stored::Gguf(base);
    let sixth = Stored::Gguf(GgmlType::Q6K);
    let smaller = stored.bits_per_weight() < sixth.bits_per_weight();
    let head = if smaller { sixth } else { stored };
    Some(RuntimePlan::default().with_all_weights(stored).with_weights(Role::Head, head))
}

fn kv(text: &str) -> Option<Stored> {
    match text {
        "f16" | "fp16" => Some(Stored::F16),
        "bf16" => Some(Stored::Bf16),
        "fp8" => Some(Stored::Fp8(Scales::None)),
        // "bf16?", "-" and the like state nothing.
        _ => None,
    }
}

/// On what small weights were usually multiplied.
///
/// llama.cpp multiplies quantised weights on int8 tensor cores since pull requests 7676 and 7860 (June 2024);
/// before them a prompt went through cuBLAS, widened to f16.
fn arithmetic(row: &Row) -> Arithmetic {
    let before = row.source.contains("May 2024") || row.engine.contains("before PR");
    if row.weights.starts_with("GGUF") && before {
        Arithmetic::SixteenBit
    } else {
        Arithmetic::Unknown
    }
}

/// A row's model as it runs: at least so small, and as it usually is.
pub(super) struct Shapes {
    pub(super) strict: ModelShape,
    pub(super) usual: ModelShape,
}

pub(super) fn shapes(row: &Row) -> Result<Shapes, String> {
    let config = config(&row.model).ok_or_else(|| format!("model {:?} is not known", row.model))?;
    let model = Model::from_hf_config(&config).map_err(|e| e.to_string())?;
    let plan = weights(&row.weights)
        .ok_or_else(|| format!("weights {:?} are not understood", row.weights))?;
    let plan = kv(&row.kv).map_or(plan.clone(), |kv| plan.with_kv(kv));
    let strict = plan.shape(&model).map_err(|e| e.to_string())?;
    let usual = plan.with_arithmetic(arithmetic(row));
    let mut usual = usual.shape(&model).map_err(|e| e.to_string())?;
    if row.weights.ends_with("Q4_K_M") {
        mix(&mut usual);
    }
    Ok(Shapes { strict, usual })
}

/// The mix of a `Q4_K_M` file: half of two kinds of tensors are stored in `Q6_K`.
///
/// The notes take 4.93 bits a weight from the size of an 8B file, head included; 7.505e9 weights at 4.93 less
/// a head of 0.525e9 at 6.5625 leave 4.807 for the layers.
fn mix(shape: &mut ModelShape) {
    for linear in shape.layers.iter_mut().flat_map(|layer| &mut layer.linear) {
        linear.bits = BitsPerWeight::new(4.807).unwrap();
    }
}
