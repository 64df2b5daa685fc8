//! The block of a config that says which layers are quantised, and how.

use serde_json::{Map, Value};

use super::fields::{kind, size, wrong_type};
use super::limit::Limit;
use super::pattern::Pattern;
use super::plan::Target;
use crate::model::error::shown;
use crate::model::{ModelError, ModelErrorKind, Scales, Stored, Zeros};

type Rules<'a> = (Vec<(Target, Stored)>, Vec<&'a str>);
type Block = Map<String, Value>;

const BITS: Limit = Limit { low: 1, high: 8 };
const GROUP: Limit = Limit { low: 1, high: 1 << 20 };
const METHODS: &str = "awq, compressed-tensors, fbgemm_fp8, fp8, gptq, modelopt, mxfp4";

/// Reads a block: which targets are stored how, and which modules are left out.
///
/// # Source
/// fp8 and mxfp4: the configs of DeepSeek-V3 and gpt-oss-120b. awq, gptq, compressed-tensors and
/// modelopt: the blocks that `AutoAWQ`, `AutoGPTQ`, llm-compressor and Model Optimizer write.
pub(super) fn read(block: &Block) -> Result<Rules<'_>, ModelError> {
    let method = text(block, "quant_method")?.or(text(block, "quant_algo")?.map(|_| "modelopt"));
    let (rules, lists): (_, &[&str]) = match method {
        Some("fp8") => (linear(fp8(block)?), &["modules_to_not_convert", "ignored_layers"]),
        Some("fbgemm_fp8") => (linear(Stored::Fp8(Scales::Channel)), &["modules_to_not_convert"]),
        Some("mxfp4") => (vec![(Target::Experts, Stored::Mxfp4)], &["modules_to_not_convert"]),
        Some("awq") => (linear(integer(block, "zero_point")?), &["modules_to_not_convert"]),
        Some("gptq") => (linear(integer(block, "")?), &["modules_in_block_to_not_quantize"]),
        Some("compressed-tensors") => (compressed(block)?, &["ignore"]),
        Some("modelopt" | "modelopt_fp4" | "modelopt_fp8") => {
            (modelopt(block)?, &["ignore", "exclude_modules"])
        }
        Some(other) => return Err(unknown(&format!("{:?}", shown(other)))),
        None => return Err(unknown("none")),
    };
    let mut left_out = Vec::new();
    for list in lists {
        left_out.extend(texts(block, list)?);
    }
    Ok((rules, left_out))
}

fn linear(stored: Stored) -> Vec<(Target, Stored)> {
    vec![(Target::Linear { head: false }, stored)]
}

fn fp8(block: &Block) -> Result<Stored, ModelError> {
    let Some(value) = given(block, "weight_block_size") else {
        return Ok(Stored::Fp8(Scales::Tensor));
    };
    Ok(Stored::Fp8(rectangle("weight_block_size", value)?))
}

/// A list of two sizes.
fn rectangle(name: &str, value: &Value) -> Result<Scales, ModelError> {
    match value.as_array().map(Vec::as_slice) {
        Some([rows, cols]) => {
            Ok(Scales::Block { rows: narrow(name, rows)?, cols: narrow(name, cols)? })
        }
        _ => Err(wrong_type(name, "a list of two sizes", value)),
    }
}

fn narrow(name: &str, value: &Value) -> Result<u32, ModelError> {
    let whole = size(name, value, GROUP)?;
    Ok(u32::try_from(whole).expect("the limit of a group is far below 2^32"))
}

/// Integers of AWQ or GPTQ; GPTQ stores zero points even where the range is symmetric.
fn integer(block: &Block, zeros: &str) -> Result<Stored, ModelError> {
    let bits = match given(block, "bits").or_else(|| given(block, "w_bit")) {
        Some(value) => bits("bits", value)?,
        None => return Err(missing("bits")),
    };
    let scales = match given(block, "group_size").or_else(|| given(block, "q_group_size")) {
        Some(value) if value.as_i64() == Some(-1) => Scales::Channel,
        Some(value) => Scales::Group(narrow("group_size", value)?),
        None => return Err(missing("group_size")),
    };
    let symmetric = given(block, zeros).and_then(Value::as_bool) == Some(false);
    let zeros = if symmetric { Zeros::None } else { Zeros::Packed };
    Ok(Stored::Integer { bits, scales, zeros })
}

fn bits(name: &str, value: &Value) -> Result<u8, ModelError> {
    let whole = size(name, value, BITS)?;
    Ok(u8::try_from(whole).expect("the limit of bits is 8"))
}

fn compressed(block: &Block) -> Result<Vec<(Target, Stored)>, ModelError> {
    let groups = match given(block, "config_groups") {
        Some(Value::Object(groups)) => groups,
        Some(other) => return Err(wrong_type("config_groups", "an object", other)),
        None => return Err(missing("config_groups")),
    };
    let mut rules = Vec::new();
    for group in groups.values() {
        let group =
            group.as_object().ok_or_else(|| wrong_type("config_groups", "groups", group))?;
        // A group may quantise activations alone, or caches.
        let Some(weights) = given(group, "weights") else { continue };
        let weights =
            weights.as_object().ok_or_else(|| wrong_type("weights", "an object", weights))?;
        let stored = weight(weights)?;
        for target in texts(group, "targets")? {
            let target = match target {
                "Linear" => Target::Linear { head: true },
                name => Target::Named(Pattern::read(name).ok_or_else(|| {
                    ModelError::new(
                        ModelErrorKind::UnknownQuantisation,
                        format!("expected a target that is a name, found {:?}", shown(name)),
                    )
                })?),
            };
            rules.push((target, stored));
        }
    }
    Ok(rules)
}

/// The `weights` of one group of compressed-tensors.
fn weight(weights: &Block) -> Result<Stored, ModelError> {
    let bits = bits("num_bits", given(weights, "num_bits").ok_or_else(|| missing("num_bits"))?)?;
    let group = given(weights, "group_size").map(|v| narrow("group_size", v)).transpose()?;
    let strategy = text(weights, "strategy")?;
    let scales = match (strategy, group) {
        (Some("tensor"), _) => Scales::Tensor,
        (Some("channel"), _) => Scales::Channel,
        (Some("block"), _) => {
            let value = given(weights, "block_structure");
            rectangle("block_structure", value.ok_or_else(|| missing("block_structure"))?)?
        }
        (Some("group" | "tensor_group") | None, Some(n)) => Scales::Group(n),
        (other, _) => {
            return Err(unknown(&format!("strategy {:?}", shown(other.unwrap_or("none")))));
        }
    };
    let symmetric = given(weights, "symmetric").and_then(Value::as_bool) != Some(false);
    match (text(weights, "type")?, bits, scales) {
        (Some("float"), 8, _) => Ok(Stored::Fp8(scales)),
        (Some("float"), 4, Scales::Group(16)) => Ok(Stored::Nvfp4),
        (Some("float"), 4, Scales::Group(32)) => Ok(Stored::Mxfp4),
        (Some("int"), _, _) => {
            let zeros = if symmetric { Zeros::None } else { Zeros::Packed };
            Ok(Stored::Integer { bits, scales, zeros })
        }
        (other, _, _) => {
            Err(unknown(&format!("{bits}-bit values of type {:?}", shown(other.unwrap_or("none")))))
        }
    }
}

fn modelopt(block: &Block) -> Result<Vec<(Target, Stored)>, ModelError> {
    if let Some(Value::Object(layers)) = given(block, "quantized_layers") {
        let mut rules = Vec::new();
        for (name, layer) in layers {
            let algorithm = layer.get("quant_algo").and_then(Value::as_str);
            let stored = modelopt_stored(algorithm)?;
            if let Some(pattern) = Pattern::read(name) {
                let rule = (Target::Named(pattern), stored);
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        return Ok(rules);
    }
    if given(block, "config_groups").is_some() {
        return compressed(block);
    }
    let stored = modelopt_stored(text(block, "quant_algo")?)?;
    Ok(vec![(Target::Linear { head: true }, stored)])
}

fn modelopt_stored(algorithm: Option<&str>) -> Result<Stored, ModelError> {
    match algorithm {
        Some("FP8") => Ok(Stored::Fp8(Scales::Tensor)),
        Some("FP8_PB_WO" | "FP8_BLOCK_SCALES") => {
            Ok(Stored::Fp8(Scales::Block { rows: 128, cols: 128 }))
        }
        Some("NVFP4" | "W4A16_NVFP4" | "NVFP4_AWQ") => Ok(Stored::Nvfp4),
        Some("MXFP4" | "W4A8_MXFP4_FP8") => Ok(Stored::Mxfp4),
        Some("W4A16_AWQ") => {
            Ok(Stored::Integer { bits: 4, scales: Scales::Group(128), zeros: Zeros::None })
        }
        other => Err(unknown(&format!("quant_algo {:?}", shown(other.unwrap_or("none"))))),
    }
}

pub(super) fn given<'a>(block: &'a Block, name: &str) -> Option<&'a Value> {
    block.get(name).filter(|value| !value.is_null())
}

pub(super) fn text<'a>(block: &'a Block, name: &str) -> Result<Option<&'a str>, ModelError> {
    given(block, name)
        .map(|value| value.as_str().ok_or_else(|| wrong_type(name, "text", value)))
        .transpose()
}

fn texts<'a>(block: &'a Block, name: &str) -> Result<Vec<&'a str>, ModelError> {
    let Some(value) = given(block, name) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| wrong_type(name, "a list of texts", value))?;
    list.iter()
        .map(|entry| {
            entry.as_str().ok_or_else(|| {
                ModelError::new(
                    ModelErrorKind::WrongType,
                    format!("expected texts in {name}, found {} among them", kind(entry)),
                )
            })
        })
        .collect()
}

fn missing(name: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Missing,
        format!("expected {name} in the quantisation block, found none"),
    )
}

fn unknown(found: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::UnknownQuantisation,
        format!("expected a quantisation of {METHODS}; found {found}"),
    )
}
